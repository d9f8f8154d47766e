//! Printed text is parsed back to the same tree, and printing twice changes nothing.

use lang::syntax::{Comments, File, Item, ItemKind, Span};
use lang::{parse, print};

use crate::random::{self, Random};

/// Parses the print of a tree and compares.
fn goes_round(file: &File) -> Result<(), String> {
    let printed = print(file);
    let (again, diagnostics) = parse(&printed);
    if let Some(diagnostic) = diagnostics.first() {
        return Err(format!("{}: {:?} in\n{printed}", diagnostic.message, diagnostic.span));
    }
    if again != *file {
        return Err(format!("another tree comes back from\n{printed}\nprinted again:\n{}", print(&again)));
    }
    if print(&again) != printed {
        return Err(format!("not printed the same twice:\n{printed}"));
    }
    Ok(())
}

#[test]
fn random_trees_go_round() {
    for seed in 0..10_000 {
        let file = random::file(&mut Random(seed), 4);
        if let Err(flaw) = goes_round(&file) {
            panic!("seed {seed}: {flaw}");
        }
    }
}

#[test]
fn random_formulas_go_round() {
    for seed in 0..50_000 {
        let kind = ItemKind::Init(random::expr(&mut Random(seed), 6));
        let item = Item { kind, span: Span::default(), comments: Comments::default() };
        if let Err(flaw) = goes_round(&File { items: vec![item], trailing: Vec::new() }) {
            panic!("seed {seed}: {flaw}");
        }
    }
}

#[test]
fn the_sample_of_the_reference_goes_round() {
    let reference = include_str!("../../../../docs/language.md");
    let samples: Vec<&str> =
        reference.split("```fair\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!samples.is_empty());
    for sample in samples {
        let (file, diagnostics) = parse(sample);
        assert_eq!(diagnostics, []);
        assert_eq!(goes_round(&file), Ok(()));
    }
}

#[test]
fn a_file_in_canonical_form_is_printed_as_it_is() {
    let text = include_str!("../every_construct.fair");
    let (file, diagnostics) = parse(text);
    assert_eq!(diagnostics, []);
    assert_eq!(print(&file), text);
    assert_eq!(goes_round(&file), Ok(()));
}

#[test]
fn a_statement_that_is_named_by_its_line_keeps_its_name() {
    let text = "shared x: 0..3; process P { skip;\n\nx = 1; if x == 1 { skip; } else if x == 2 { skip; }\n\
                while x < 3 { x += 1; } } process Q { skip; }\n\
                define there(p) = p@line3;\n\
                property p: F P@line3; property q: F taken(P.line4b); property r: F P@line3d; property s: F Q@line9;";
    let (file, diagnostics) = parse(text);
    assert_eq!(diagnostics, []);
    assert_eq!(goes_round(&file), Ok(()));
    let printed = print(&file);
    for label in ["    line3: x = 1;", "        line4b: x += 1;", "line3d: if x == 2 {"] {
        assert!(printed.contains(label), "no {label} in\n{printed}");
    }
    assert!(!printed.contains("line9:"), "{printed}");
    assert_eq!(printed.matches(": skip;").count(), 0, "{printed}");
}

#[test]
fn printing_keeps_the_meaning_of_names_of_lines() {
    let text = "shared x: 0..3; process P { skip;\n\nx = 1; either { skip; } or { x = 2; }\nx = 3; }\n\
                property p: F P@line4; property q: F taken(P.line3c);";
    let claims = |text: &str| {
        let model = lang::load("test", text, &[]).model.expect("no errors");
        let system = model.system().clone();
        let checks = model.checks.iter().map(|check| format!("{:?}", check.task.property.kind));
        (checks.collect::<Vec<_>>(), format!("{:?}", system.variables), system.actions.len())
    };
    assert_eq!(claims(&print(&parse(text).0)), claims(text));
}
