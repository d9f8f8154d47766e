//! Runs the cases of `suite/` and every model in the documents on every engine, with the judge and the oracle.
//!
//! A case is a model whose properties state the expected answers ([`markdown`]). For each property the oracle must
//! give that answer. So must every engine of the driver's table that accepts the task, and the judge must certify it.
//! Nothing here names an engine, but for the one that needs solvers: a new one is run automatically. The golden table
//! `refusals.txt` shows which engine accepts which case, and every refusal with its reason. A change there is a failure
//! until the table is updated with `UPDATE_GOLDEN=1`.

pub(crate) mod golden;
pub(crate) mod markdown;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use certify::oracle::{self, Why};
use certify::{Judge, Standing};
use driver::EngineKind;
use driver::report::Refused;
use engines::{Engine, Infinite};
use lang::diagnostic::Severity;
use lang::{Check, Expect};
use markdown::Case;
use model::fairness::Word;
use model::property::Kind;
use model::{Answer, Counterexample, Declared, Note, Refusal, Session, Task};

/// The greatest number of states and of tableau nodes for which the oracle is asked.
const LIMIT: usize = 5_000;

/// The greatest number of properties that may be too large for the oracle.
const UNDECIDED: usize = 10;

#[test]
fn every_engine_the_judge_and_the_oracle_give_the_expected_answers() {
    let engines = engines();
    let mut complaints = Vec::new();
    let (mut properties, mut undecided) = (0, 0);
    for case in markdown::all(&root()) {
        let mut complain = |what: String| complaints.push(format!("{}: {what}", case.place()));
        for check in checks(&case, &mut complain) {
            properties += 1;
            let name = &check.task.property.name;
            let expected = match check.expected {
                None => {
                    complain(format!("`{name}` has no `expect`"));
                    continue;
                }
                Some(Expect::Holds | Expect::HoldsVacuously) => Why::Holds,
                Some(Expect::Fails) if case.faults => Why::Fault,
                Some(Expect::Fails) => Why::Fails,
            };
            let mut realisable = None;
            if let Ok(decision) = oracle::decide(&check.task, LIMIT) {
                realisable = decision.realisable;
                if decision.why != expected {
                    complain(format!("`{name}`: expected {expected:?}, the oracle says {:?}", decision.why));
                }
            } else {
                undecided += 1;
            }
            for engine in &engines {
                if engine.accepts(&check.task).is_ok()
                    && let Err(what) = examine(&**engine, &check.task, expected, realisable)
                {
                    complain(format!("`{name}`: the engine {}: {what}", engine.name()));
                }
            }
        }
    }
    println!("{properties} properties, {undecided} too large for the oracle");
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(undecided <= UNDECIDED, "{undecided} of {properties} properties are too large for the oracle");
}

#[test]
fn refusals_are_those_of_the_golden_table() {
    let mut table = golden::Table::default();
    for case in markdown::all(&root()) {
        let checks = checks(&case, &mut |_| {});
        for (kind, engine) in EngineKind::ALL.into_iter().zip(driver::all_engines()) {
            let refusals = checks.iter().filter_map(|check| {
                let name = &check.task.property.name;
                let refusal = engine.accepts(&check.task).err()?;
                Some((name.to_string(), reason(kind, refusal).replace(&format!("`{name}`"), "it")))
            });
            table.add(&case, kind.name(), refusals.collect(), checks.len());
        }
    }
    if let Err(difference) = table.compare(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refusals.txt"))
    {
        panic!("{difference}");
    }
}

#[test]
fn every_fairness_word_is_tried_on_properties_that_hold_and_that_fail() {
    let mut seen = BTreeSet::new();
    for case in markdown::all(&root()) {
        for Check { task, expected, .. } in checks(&case, &mut |_| {}) {
            if matches!(task.property.kind, Kind::Invariant(_)) {
                continue;
            }
            let expected = expected.map(Expect::holds);
            for assumption in &task.fairness.alternatives {
                seen.extend(assumption.requirements.iter().map(|r| (r.word.name(), expected)));
                seen.extend(assumption.global.then_some(("global", expected)));
            }
            seen.extend((task.fairness.alternatives.len() > 1).then_some(("disjunction", expected)));
        }
    }
    let words =
        [Word::Unconditional, Word::Weak, Word::Strong, Word::Justice, Word::Compassion].map(Word::name);
    for word in words.into_iter().chain(["global", "disjunction"]) {
        for expected in [Some(true), Some(false)] {
            assert!(seen.contains(&(word, expected)), "no case has {word} fairness and expects {expected:?}");
        }
    }
}

/// The engines, with the solvers of this machine.
fn engines() -> Vec<Box<dyn Engine>> {
    let solving = || Infinite { solvers: smt::installed(), finite: false, both_sides: false };
    let with_solvers = |engine: Box<dyn Engine>| -> Box<dyn Engine> {
        if engine.name() == "infinite" { Box::new(solving()) } else { engine }
    };
    driver::all_engines().into_iter().map(with_solvers).collect()
}

/// Why an engine refuses, as in a report.
fn reason(engine: EngineKind, refusal: Refusal) -> String {
    let about = refusal.about.as_ref().map(|about| match about {
        Declared::Property(name) => name.to_string(),
        other => format!("{other:?}"),
    });
    Refused { engine, refusal, about, line: None }.reason()
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The tasks of a case; errors of the front end are complaints.
pub(crate) fn checks(case: &Case, complain: &mut dyn FnMut(String)) -> Vec<Check> {
    let loaded = driver::load("case", &case.source, &case.settings, &|file| case.text(file));
    for diagnostic in &loaded.diagnostics {
        if diagnostic.severity == Severity::Error {
            let text =
                diagnostic.span.and_then(|span| case.source.get(span.start..span.end)).unwrap_or_default();
            complain(format!("{} at `{text}` ({})", diagnostic.message, diagnostic.label));
        }
    }
    match loaded.model {
        None => Vec::new(),
        Some(model) => {
            if model.checks.is_empty() {
                complain("no property".to_owned());
            }
            model.checks
        }
    }
}

/// Whether the judge certifies the answer of an engine, and it is the expected one. An answer *holds* must have a
/// note if the assumption is not realisable.
fn examine(engine: &dyn Engine, task: &Task, expected: Why, realisable: Option<bool>) -> Result<(), String> {
    let session = Session::unlimited();
    let answer = engine.check(task, &session).map_err(|refusal| format!("it refuses: {refusal:?}"))?;
    let certified = Judge::new(&smt::installed(), &Session::unlimited()).certify(task, answer);
    let certified = certified.map_err(|flaw| format!("the judge refuses its evidence: {flaw}"))?;
    let found = match certified.answer() {
        Answer::Holds(_) => Why::Holds,
        Answer::Fails(Counterexample::Fault { .. }) => Why::Fault,
        // For a task with a reachable fault, a run that violates the property is also a correct answer.
        Answer::Fails(_) if expected == Why::Fault => Why::Fault,
        Answer::Fails(_) => Why::Fails,
        Answer::Unknown(reason) => return Err(format!("unknown without a limit ({reason:?})")),
    };
    if found != expected {
        return Err(format!("expected {expected:?}, it says {found:?}"));
    }
    let uncheckable = found == Why::Holds || matches!(task.property.kind, Kind::Ctl(_));
    if certified.standing() == Standing::Claimed && !uncheckable {
        return Err("its counterexample was not checked".to_owned());
    }
    let notes = session.notes.into_inner().unwrap_or_default();
    let noted = notes.iter().any(|note| matches!(note, Note::Unrealisable(_)));
    match realisable {
        Some(realisable) if found == Why::Holds && noted == realisable => {
            Err(format!("realisable: {realisable}, but its notes are {notes:?}"))
        }
        _ => Ok(()),
    }
}
