//! C programs in the style of the public sets, one construct each: `tests/c/*.c`.
//!
//! The first lines of a program, `//= NAME VERDICT`, are its properties and what is true of them. Every answer is checked by
//! the judge, and what fails has a run: a loop that repeats a state, a recurrent set, or a path to where it is decided.

use std::path::PathBuf;

use driver::report::Kind;
use driver::{Model, Verdict, c};

use super::programs::{LIMIT, checked, models};

#[test]
fn every_written_program_is_read_and_has_its_verdicts() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder of programs")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 60, "{}", paths.len());
    let mut wrong = Vec::new();
    for path in paths {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a program");
        let mut expected: Vec<(String, String)> = text
            .lines()
            .filter_map(|line| line.strip_prefix("//= ")?.split_once(' '))
            .map(|(property, verdict)| (property.to_owned(), verdict.to_owned()))
            .collect();
        let models = models(|blocks| c::load(&name, &text, None, blocks));
        let outcomes = checked(&models.iter().collect::<Vec<&Model>>(), LIMIT);
        let said =
            |outcome: &driver::Outcome| (outcome.property.to_string(), outcome.verdict.name().to_owned());
        let mut found: Vec<(String, String)> = outcomes.iter().map(said).collect();
        found.sort();
        expected.sort();
        if found != expected {
            wrong.push(format!("{name}: {found:?}, not {expected:?}"));
        }
        for outcome in outcomes.iter().filter(|outcome| outcome.verdict != Verdict::Unknown) {
            assert!(outcome.checked, "{name}: {:?}", outcome.notes);
            let Some(shown) = &outcome.counterexample else { continue };
            let trace = shown.trace.as_ref().expect("a run");
            match &shown.kind {
                Kind::Beginning => {
                    let recurrence = shown.recurrence.as_ref().expect("where it stays");
                    assert!(recurrence.from <= trace.steps.len() && !recurrence.sets.is_empty(), "{name}");
                }
                Kind::Lasso => assert!(trace.cycle.is_some(), "{name}"),
                _ => {}
            }
        }
        if outcomes.iter().any(|outcome| outcome.verdict == Verdict::Holds) {
            println!("{name}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
