//! The index of definitions and references, on all examples: every name has one meaning, and a renamed model means the
//! same. Then rule by rule, and what may not be renamed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lang::index::{Index, Kind, facts, rename};
use lang::syntax::ItemKind;
use lang::words;
use model::{Automaton, show};

/// The examples and the sample of the checker's tests, with their texts.
fn models() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![root.join("tests/check_sample.fair")];
    let mut folders = vec![root.join("../../examples")];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(folder).expect("a readable folder");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "fair") {
                found.push(path);
            }
        }
    }
    assert!(found.len() > 50, "only {} models", found.len());
    let read = |path: PathBuf| {
        (path.display().to_string(), std::fs::read_to_string(&path).expect("a readable model"))
    };
    found.into_iter().map(read).collect()
}

fn index(text: &str) -> Index {
    Index::new(text, &lang::parse(text).0)
}

/// The words of a text outside comments and quotes, with their places.
fn word_places(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inside) = rest.strip_prefix('"') {
            inside.find(['"', '\n']).map_or(rest.len(), |end| end + 2)
        } else if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        if first.is_alphabetic() || first == '_' {
            found.push((at, &rest[..length]));
        }
        at += length;
    }
    found
}

#[test]
fn every_name_of_an_example_has_exactly_one_meaning() {
    let mut known = 0;
    for (path, text) in models() {
        let index = index(&text);
        let mut meanings: BTreeMap<usize, usize> = BTreeMap::new();
        for found in index.occurrences() {
            let written = &text[found.span.start..found.span.end];
            assert_eq!(written.trim_matches('"'), found.definition.name, "{path}");
            *meanings.entry(found.span.start).or_default() += 1;
        }
        // Fields of records and the actions of channels are not in the index.
        let file = lang::parse(&text).0;
        let fields: Vec<&str> = file
            .items
            .iter()
            .filter_map(
                |item| if let ItemKind::Record { fields, .. } = &item.kind { Some(fields) } else { None },
            )
            .flatten()
            .map(|field| field.name.text.as_str())
            .chain(["lose", "duplicate"])
            .collect();
        for (at, word) in word_places(&text) {
            match meanings.get(&at) {
                Some(count) => {
                    assert_eq!(*count, 1, "{path}: `{word}` at byte {at}");
                    assert!(!words::is_reserved(word), "{path}: `{word}` at byte {at} is a reserved word");
                    known += 1;
                }
                None => assert!(
                    words::meaning(word).is_some() || fields.contains(&word),
                    "{path}: `{word}` at byte {at} is unknown"
                ),
            }
        }
    }
    assert!(known > 4000, "only {known} names");
}

/// What a text means, in the words of its author.
fn said(path: &str, text: &str) -> Vec<String> {
    let file = lang::parse(text).0;
    // Any automaton will do that has the propositions of the property.
    let automata = |name: &str| {
        let found = file.items.iter().find_map(|item| match &item.kind {
            ItemKind::Never { file, propositions, .. } if file.text == name => Some(propositions),
            _ => None,
        });
        let atoms = found.into_iter().flatten().map(|proposition| proposition.name.text.clone());
        Ok(Automaton::nothing(atoms.collect()))
    };
    let loaded = lang::load_with("model", text, &[], &automata);
    let model = loaded.model.unwrap_or_else(|| panic!("{path}: {:?}\n{text}", loaded.diagnostics));
    let system = model.system();
    let mut said = vec![
        format!("{:?}", system.variables),
        format!("{:?}", system.families),
        format!("{:?}", system.enums),
        format!("{:?}", system.parameters),
        format!("{:?}", system.environment),
    ];
    said.extend(system.actions.iter().map(|action| format!("{action:?}")));
    for check in &model.checks {
        let property = &check.task.property;
        let body = show::kind(system, &property.kind);
        said.push(format!("{} {body} {}", property.name, show::fairness(system, &check.task.fairness)));
    }
    said
}

#[test]
fn a_renamed_example_means_the_same() {
    const FRESH: &str = "zz_quite_fresh";
    let mut renamed = 0;
    for (path, text) in models() {
        let before = said(&path, &text);
        for definition in index(&text).definitions {
            if definition.implied || definition.kind == Kind::Proposition {
                assert!(
                    rename(&text, definition.span.start, FRESH).is_err(),
                    "{path}: `{}`",
                    definition.name
                );
                continue;
            }
            let places = rename(&text, definition.span.start, FRESH).unwrap_or_else(|why| {
                panic!("{path}: `{}` at byte {}: {why}", definition.name, definition.span.start)
            });
            let mut changed = text.clone();
            for place in places.iter().rev() {
                changed.replace_range(place.start..place.end, FRESH);
            }
            let after: Vec<String> =
                said(&path, &changed).iter().map(|line| line.replace(FRESH, &definition.name)).collect();
            assert_eq!(after, before, "{path}: `{}`", definition.name);
            // One place less is another model, or none.
            let mut partly = text.clone();
            for place in places.iter().skip(1).rev() {
                partly.replace_range(place.start..place.end, FRESH);
            }
            if places.len() > 1 {
                assert!(lang::load("model", &partly, &[]).model.is_none(), "{path}: `{}`", definition.name);
            }
            renamed += 1;
        }
    }
    assert!(renamed > 1000, "only {renamed} names");
}

/// The text with every use of the definition at the first `«…»` marked, which is how `marked` is written.
fn uses_of(marked: &str) -> String {
    let text = marked.replace(['«', '»'], "");
    let at = marked.find('«').expect("a mark");
    let index = index(&text);
    let found = index.at(at);
    let [found] = found.as_slice() else { panic!("{} meanings at byte {at}", found.len()) };
    let mut places = found.definition.uses.clone();
    places.push(found.definition.span);
    places.sort_by_key(|span| span.start);
    let mut result = text;
    for place in places.iter().rev() {
        result.insert(place.end, '»');
        result.insert(place.start, '«');
    }
    result
}

#[test]
fn scopes_are_those_of_the_checker() {
    for marked in [
        "const «N» = 2; define d = «N»; process P[i: 1..«N»] { action N { skip; } } fairness N: weak P.N;",
        "enum «E» { a } shared x: array[«E»] of «E»; property p[e: «E»]: forall f in «E»: x[f] in «E»;",
        "enum E { «a» } shared x: E = «a»; define a2(b) = b == «a»;",
        "define d(«x», y) = «x» + y; shared x: int; init d(x, 1) == 0;",
        "define «d»(x) = x; init «d»(1) == «d»(2);",
        "macro m(«f») { await «f»; «f» = false; } shared f: bool; process P { m(f); }",
        "shared y: bool; process P { local «z»: bool; action l { «z» = y; } } process Q { local z: bool; action l { z = P.«z»; } }",
        "process P[i: 1..2] { «l»: skip; goto «l»; } process Q { l: await P[1]@«l»; } fairness weak P.«l» & weak Q.l;",
        "process P { local l: bool; action «l» { l = true; } } property p: P.l && enabled(P.«l»);",
        "process P { loop { atomic { let «v» = 1; let w = «v»; await w == «v»; } } } shared v2: int;",
        "process P { choose «v» in 0..3 where «v» > 1 { await «v» == 2; } choose v in 0..1 { skip; } }",
        "shared a: array[1..2] of bool = [«j»: «j» == 1]; init forall j in 1..2: a[j];",
        "process «P»[i: 1..2] { action l(k: 1..2) when k != i { skip; } } property p: taken(«P»[1].l(2)) && «P»[1].l2;",
        "process P[«i»: 1..2] { local x: int = «i»; action l(k: 1..«i») { for j in 1..«i» { x = j; } } } define d(i) = i;",
        "fairness «f»: weak all; fairness g: «f» | none; property f: true under «f» & g;",
        "property p[«i»: 1..2, j: «i»..3] where «i» != j: «i» > 0 under weak P[«i»]; process P[i: 1..2] {}",
        "fairness for «i» in 1..2: justice (P[«i»]@end); process P[i: 1..2] { skip; }",
        "chan «c»[1..2]: [1] of int; shared x: int; process P { «c»[1]!x; «c»[2]?x; await len(«c»[1]) > 0; }",
        // A macro that gets one process, through another macro.
        "process P { «l»: skip; } macro m(p) { await p@«l»; } macro n(q) { m(q); } process Q { n(P); }",
        // The language gives this name.
        "process P { skip; } property «p»: F P@end;",
    ] {
        assert_eq!(uses_of(marked), marked);
    }
}

#[test]
fn a_parameter_that_stands_for_two_processes_has_parts_of_both() {
    let text =
        "process P { l: skip; } process Q { l: skip; } macro m(p) { await p@l; } process R { m(P); m(Q); }";
    let index = index(text);
    let at = text.find("@l").expect("a label") + 1;
    let owners: Vec<&str> = index
        .at(at)
        .iter()
        .map(|found| found.definition.owner.map_or("", |owner| index.definitions[owner].name.as_str()))
        .collect();
    assert_eq!(owners, ["Q", "P"]);
    assert!(rename(text, at, "k").unwrap_err().contains("several processes"));
    let defined = text.find("l:").expect("a label");
    assert!(rename(text, defined, "k").is_err(), "the other process keeps its label");
}

#[test]
fn names_that_nobody_wrote_lead_to_what_they_name() {
    let text = "process P {\n    skip;\n}\nproperty p: G (P@line2 -> F P@end);\n";
    let index = index(text);
    let span = |name: &str| {
        let found =
            index.definitions.iter().find(|definition| definition.name == name).expect("a definition");
        assert!(found.implied);
        &text[found.span.start..found.span.end]
    };
    assert_eq!(span("line2"), "skip;");
    assert_eq!(span("end"), "}");
}

#[test]
fn a_renaming_that_changes_the_meaning_is_refused() {
    let text = "shared x, y: bool; process P[i: 1..2] { local z: bool; action go { z = x && y; } }\n\
                define F1(a) = a; property p: F (x && F1(y)) && P[1].z; fairness f: weak P; // x";
    let refused = |name: &str, new: &str| {
        let at = text.find(name).expect("a name");
        rename(text, at, new).expect_err(new)
    };
    for (name, new) in
        [("x", "y"), ("x", "z"), ("x", "i"), ("x", "P"), ("F1", "F"), ("P[", "any"), ("f:", "weak")]
    {
        assert_eq!(
            refused(name, new).split(" already").next(),
            Some(format!("`{new}`").as_str()),
            "{name} to {new}"
        );
    }
    for new in ["process", "1x", "a b", "", "ä", "_", "x.y"] {
        assert!(refused("x", new).contains("cannot be a name"), "{new}");
    }
    assert!(refused("process", "q").contains("no name here"));
    assert!(refused("// x", "q").contains("no name here"));
    // A name of its own namespace may be used again.
    assert!(rename(text, text.find("go").expect("a name"), "x").is_ok());
    assert!(rename(text, text.find("f:").expect("a name"), "p").is_ok());
}

#[test]
fn a_file_with_errors_still_has_an_index() {
    let text = "const N = 2;\nshared x: 0..N = ;\nprocess P[i: 1..N] {\n    l: x = N +;\n    m: goto l;\n";
    let index = index(text);
    let uses = |name: &str| {
        let found = index.definitions.iter().find(|definition| definition.name == name).expect(name);
        found.uses.len()
    };
    assert_eq!((uses("N"), uses("l"), uses("m")), (3, 1, 0));
}

#[test]
fn facts_say_what_a_name_is() {
    let text = "// The number\n// of processes.\nconst N = 2 + 1;\n\nenum E { a, b }\nshared x: array[E] of 0..N-1; // how many\n\
                process P[i: 1..N] {\n    local y: E;\n    go: skip;\n}\nparam K >= 1;";
    let (index, loaded) = (index(text), lang::load("", text, &[]));
    let about = |name: &str| {
        let number = index.definitions.iter().position(|definition| definition.name == name).expect(name);
        let facts = facts(text, &index, number, &loaded.values, loaded.model.as_ref());
        [facts.noun, facts.declaration, facts.meaning.unwrap_or_default(), facts.comment.unwrap_or_default()]
    };
    assert_eq!(about("N"), ["constant", "const N = 2 + 1;", "`N = 3`", "The number\nof processes."]);
    assert_eq!(
        about("x"),
        ["shared variable", "shared x: array[E] of 0..N-1;", "`x: array[0..1] of 0..2`", "how many"]
    );
    assert_eq!(about("y"), ["local variable of `P`", "local y: E;", "`y: E`", ""]);
    assert_eq!(about("b"), ["member of the enum `E`", "enum E { a, b }", "", ""]);
    assert_eq!(about("i"), ["index", "i: 1..N", "", ""]);
    assert_eq!(about("P"), ["process", "process P[i: 1..N]", "", ""]);
    assert_eq!(about("K"), ["parameter", "param K >= 1;", "", ""]);
    assert_eq!(about("go")[0], "label of `P`");
}

#[test]
fn only_names_in_scope_are_visible() {
    let text = "const N = 2; shared x: bool; process P[i: 1..N] { local y: bool; atomic { let v = y; x = v; } }\n\
                define d(a) = a; property p: F (forall j in 1..N: x);";
    let index = index(text);
    let visible = |before: &str| {
        let at = text.find(before).expect("a place");
        let mut names: Vec<&str> = index.visible(at).map(|definition| definition.name.as_str()).collect();
        names.sort_unstable();
        names.join(" ")
    };
    assert_eq!(visible("x = v"), "N P d i v x y");
    assert_eq!(visible("let v"), "N P d i x y");
    assert_eq!(visible("a;"), "N P a d x");
    assert_eq!(visible("x);"), "N P d j x");
}
