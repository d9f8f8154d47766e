//! Models that include others: what they mean, and what is wrong with them, in the right file.

use lang::diagnostic::{Diagnostic, Severity};
use lang::{Loaded, load_files};
use model::Automaton;

/// Files by name.
type Files<'a> = &'a [(&'a str, &'a str)];

/// The first of some files, called `main.fair`, with the others beside it.
fn loaded(files: Files<'_>) -> Loaded {
    let texts = |name: &str| {
        let found = files.iter().find(|(file, _)| *file == name);
        found
            .map(|(_, text)| (*text).to_owned())
            .ok_or_else(|| format!("cannot read {name}: there is no such file"))
    };
    let automata = |name: &str| {
        texts(name)?;
        Ok(Automaton::nothing(vec!["a".to_owned()]))
    };
    load_files("main", files[0].1, &[], &automata, &texts)
}

/// The diagnostics, each with its file and the text that it underlines there.
fn said(files: Files<'_>) -> Vec<String> {
    let loaded = loaded(files);
    let errors = loaded.diagnostics.iter().any(|own| own.severity == Severity::Error);
    assert_eq!(loaded.model.is_none(), errors);
    let mut all = Vec::new();
    for own in &loaded.diagnostics {
        let main = files[0].1;
        match &own.included {
            None => all.push(line("main.fair", main, own)),
            Some(part) => {
                // Who shows only the model underlines the `include` and names the place.
                let span = own.span.expect("a place");
                assert!(main[span.start..span.end].starts_with("include"), "{own:?}");
                assert!(own.message.starts_with(&format!("{}:", part.file)), "{own:?}");
                assert!(own.message.ends_with(&part.diagnostic.message), "{own:?}");
                all.push(line(&part.file, &part.text, &part.diagnostic));
            }
        }
    }
    all
}

fn line(file: &str, text: &str, own: &Diagnostic) -> String {
    let place = |span: lang::syntax::Span| format!("«{}»", &text[span.start..span.end]);
    let mut parts = vec![format!("{file} {} {}", own.span.map(place).unwrap_or_default(), own.message)];
    parts.extend(Some(own.label.clone()).filter(|label| !label.is_empty()));
    parts.extend(own.related.iter().map(|(span, note)| format!("{} {note}", place(*span))));
    parts.extend(own.help.iter().map(|help| format!("help: {help}")));
    parts.join(" | ")
}

#[test]
fn an_included_file_is_part_of_the_model() {
    let model = loaded(&[
        (
            "main.fair",
            "include \"lib/lock.fair\"; process P { a: take(free); b: skip; } invariant i: !(P@b && free);",
        ),
        (
            "lib/lock.fair",
            "include \"names.fair\";\nshared free: bool = yes;\nmacro take(x) { await x; x = false; }",
        ),
        (
            "lib/names.fair",
            "define yes = true; const N = 3; property p: never automaton \"x.hoa\" with a = free;",
        ),
        ("lib/x.hoa", ""),
    ]);
    assert_eq!(model.diagnostics, []);
    let model = model.model.expect("a model");
    let names: Vec<String> = model.checks.iter().map(|check| check.task.property.name.to_string()).collect();
    assert_eq!(names, ["p", "i"], "in the order in which they are included");
    assert_eq!(model.system().variables.iter().filter(|own| own.owner.is_none()).count(), 1);
}

#[test]
fn a_file_that_two_others_include_is_shared() {
    let files: Files<'_> = &[
        ("main.fair", "include \"a.fair\"; include \"b.fair\"; include \"./a.fair\"; invariant i: x < N;"),
        ("a.fair", "include \"c.fair\"; const N = M;"),
        ("b.fair", "include \"c.fair\"; shared x: 0..M - 1;"),
        ("c.fair", "const M = 2;"),
    ];
    assert_eq!(said(files), Vec::<String>::new());
}

#[test]
fn a_cycle_is_reported_where_it_closes() {
    let files: Files<'_> = &[
        ("main.fair", "include \"a.fair\";"),
        ("a.fair", "shared x: bool;\ninclude \"b.fair\";"),
        ("b.fair", "include \"a.fair\";"),
    ];
    assert_eq!(
        said(files),
        ["b.fair «\"a.fair\"» `a.fair` includes itself | a.fair includes b.fair includes a.fair"]
    );
    let itself = "include \"main.fair\";";
    let all = "main.fair «\"main.fair\"» `main.fair` includes itself | main.fair includes main.fair";
    assert_eq!(said(&[("main.fair", itself)]), [all]);
    let back: Files<'_> =
        &[("main.fair", "include \"lib/a.fair\";"), ("lib/a.fair", "include \"../main.fair\";")];
    assert_eq!(
        said(back),
        [
            "lib/a.fair «\"../main.fair\"» `main.fair` includes itself | main.fair includes lib/a.fair includes main.fair"
        ]
    );
}

#[test]
fn a_missing_file_is_reported_where_it_is_named() {
    let files: Files<'_> =
        &[("main.fair", "include \"lib/a.fair\";"), ("lib/a.fair", "include \"b.fair\"; include \"\";")];
    assert_eq!(
        said(files),
        [
            "lib/a.fair «\"b.fair\"» cannot read lib/b.fair: there is no such file | this file is included",
            "lib/a.fair «\"\"» this is not the name of a file | expected a model",
        ]
    );
}

#[test]
fn without_files_an_include_is_refused() {
    let text = "shared x: bool; include \"a.fair\";";
    let loaded = lang::load("main", text, &[]);
    assert_eq!(loaded.diagnostics[0].message, "cannot include a.fair: there are no files here");
    let tree = lang::parse(text).0;
    let translated = lang::load_tree("main", text, (&tree, Vec::new()), &[], &|_| Err(String::new()));
    assert_eq!(translated.diagnostics[0].message, "cannot include a.fair: there are no files here");
    assert!(loaded.model.is_none() && translated.model.is_none());
}

#[test]
fn two_definitions_of_a_name_are_found_across_files() {
    let files: Files<'_> =
        &[("main.fair", "shared x: bool;\ninclude \"a.fair\";"), ("a.fair", "// A.\nshared x: bool;")];
    assert_eq!(
        said(files),
        [
            "a.fair «x» the name `x` is taken | declared again | help: first declared here: line 1 of the model"
        ]
    );
    let files: Files<'_> =
        &[("main.fair", "include \"a.fair\";\nshared x: bool;"), ("a.fair", "// A.\nshared x: bool;")];
    assert_eq!(
        said(files),
        [
            "main.fair «x» the name `x` is taken | declared again | «include \"a.fair\";» first declared here: a.fair:2:8"
        ]
    );
}

#[test]
fn errors_of_every_kind_are_shown_in_their_file() {
    let files: Files<'_> = &[
        ("main.fair", "include \"a.fair\";\nshared y: 0..3 = 7;\nprocess Q { go: z = 1; }"),
        ("a.fair", "// ü\nshared x: bool = 3;\nprocess P { a: x = tru; }\nshared w bool;"),
    ];
    let all = said(files);
    assert_eq!(all.len(), 5, "{all:#?}");
    assert!(all[0].starts_with("main.fair «7»") && all[1].starts_with("main.fair «z»"), "{all:#?}");
    assert!(all[2].starts_with("a.fair «3»") && all[3].starts_with("a.fair «tru»"), "{all:#?}");
    assert!(all[4].starts_with("a.fair «bool» expected"), "{all:#?}");
}

#[test]
fn a_statement_without_a_label_is_named_after_the_line_of_its_file() {
    let loaded = loaded(&[
        (
            "main.fair",
            "\n\n\n\ninclude \"a.fair\";\nprocess Q {\nskip; }\nproperty p: F (P@line3 && Q@line7);",
        ),
        ("a.fair", "\nprocess P {\nskip; }"),
    ]);
    assert_eq!(loaded.diagnostics, []);
}

#[test]
fn the_files_of_a_model_are_known_also_if_they_cannot_be_read() {
    let texts = |name: &str| match name {
        "lib/a.fair" => Ok("include \"b.fair\"; include \"../c.fair\";".to_owned()),
        _ => Err("no".to_owned()),
    };
    let names = lang::include::included("main", "include \"lib/a.fair\";", &texts);
    assert_eq!(names, ["c.fair", "lib/a.fair", "lib/b.fair"]);
}

#[test]
fn include_is_a_name_elsewhere() {
    let text =
        "shared include: bool;\nprocess P { include: include = !include; }\ninvariant i: include || true;";
    assert_eq!(lang::load("main", text, &[]).diagnostics, []);
}

#[test]
fn a_definition_in_an_included_file_is_found() {
    let files = |file: &str| match file {
        "lib/lock.fair" => {
            Ok("include \"free.fair\";\nmacro enter() { await free; free = false; }".to_owned())
        }
        "lib/free.fair" => Ok("// whether it is free\nshared free: bool = true;".to_owned()),
        other => Err(format!("cannot read {other}")),
    };
    let text = "include \"lib/lock.fair\";\ninclude \"nothing.fair\";\nprocess P { loop { a: enter(); b: free = true; } }";
    let whole = lang::include::whole("model", text, &files);
    let index = lang::index::Index::new(&whole.text, &whole.tree);
    let found = |word: &str| {
        let at = text.find(word).expect("in the text");
        let definition = index.at(at).into_iter().next().expect("a name").definition;
        let span = definition.span;
        assert_eq!(&whole.text[span.start..span.end], definition.name);
        let file = whole.files.iter().find(|(_, part)| part.start <= span.start && span.end <= part.end);
        (file.map(|(name, _)| name.clone()), definition.uses.len())
    };
    assert_eq!(found("enter()"), (Some("lib/lock.fair".to_owned()), 1));
    assert_eq!(found("free = true"), (Some("lib/free.fair".to_owned()), 3));
    assert_eq!(found("P {"), (None, 0));
}
