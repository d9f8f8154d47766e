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
