//! Random asynchronous tasks through the local engine, in each variant, with and without symmetry; the oracle and the
//! judge must agree.
//!
//! `FAIRLY_TASKS` and `FAIRLY_SEED` choose how many models and which; the test prints both, and what share of the tasks
//! held, failed, and needed refinement.

#[path = "differential/asynchronous.rs"]
mod asynchronous;
#[path = "differential/random.rs"]
mod random;
#[path = "differential/shrink.rs"]
mod shrink;

use std::collections::BTreeMap;

use certify::oracle::{self, Why};
use engines::local::Variant;
use engines::{Engine, Local};
use model::{Answer, Counterexample, Run, Task};
use random::Random;

/// More tableau nodes than this, and the oracle is not asked.
const LIMIT: usize = 40_000;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

type Tally = BTreeMap<String, u64>;

fn add(tally: &mut Tally, what: impl Into<String>) {
    *tally.entry(what.into()).or_default() += 1;
}

/// The first disagreement on any property of a model.
fn disagreement(source: &str, tally: &mut Tally) -> Option<String> {
    let Some(model) = lang::load("random", source, &[]).model else {
        add(tally, "rejected by the front end");
        return None;
    };
    for check in &model.checks {
        let Ok(decision) = oracle::decide(&check.task, LIMIT) else {
            add(tally, "too large for the oracle");
            continue;
        };
        if let Err(refusal) = Local::default().accepts(&check.task) {
            add(tally, format!("refused: {}", refusal.reason.split('`').next().unwrap_or_default()));
            continue;
        }
        add(tally, format!("{:?}", decision.why));
        for variant in [Variant::A, Variant::B] {
            for symmetry in [true, false] {
                let engine = Local { variant, symmetry, ..Local::default() };
                if let Some(flaw) = compare(&check.task, &engine, decision.why, tally) {
                    let name = &check.task.property.name;
                    return Some(format!("{variant:?}, symmetry {symmetry}, on `{name}`: {flaw}"));
                }
            }
        }
    }
    None
}

/// How the engine's answer differs from the oracle's, or why the judge refuses it.
fn compare(task: &Task, engine: &Local, why: Why, tally: &mut Tally) -> Option<String> {
    let run = Run::unlimited();
    let answer = engine.check(task, &run);
    let statistics = run.statistics.into_inner().unwrap_or_default();
    let refinements = statistics.iter().find(|(name, _)| *name == "refinements").map_or(0, |(_, n)| *n);
    let certified = match certify::certify(task, answer) {
        Ok(certified) => certified,
        Err(flaw) => return Some(format!("the judge refuses its evidence: {flaw}")),
    };
    let verdict = match (certified.answer(), why) {
        (Answer::Holds(_), Why::Holds) => "holds",
        (Answer::Fails(Counterexample::Fault { .. }), Why::Fault) => "faults",
        (Answer::Fails(Counterexample::Fault { .. }), why) => {
            return Some(format!("it found a fault, the oracle says {why:?}"));
        }
        (Answer::Fails(_), Why::Fails | Why::Fault) => "fails",
        (Answer::Unknown(reason), why) => {
            return Some(format!("undecided without a limit, the oracle says {why:?}: {}", reason.message));
        }
        (answer, why) => return Some(format!("it says {answer:?}, the oracle says {why:?}")),
    };
    add(tally, format!("answers: {verdict}, {} refined", if refinements > 0 { "" } else { "not" }));
    None
}

#[test]
fn the_local_engine_the_judge_and_the_oracle_agree_on_random_asynchronous_tasks() {
    let (count, seed) = (setting("FAIRLY_TASKS", 300), setting("FAIRLY_SEED", 2026));
    let mut tally = Tally::new();
    for number in 0..count {
        let source = asynchronous::source(&mut Random::new(seed, number));
        if disagreement(&source, &mut tally).is_some() {
            let small = shrink::shrink(&source, &|text| disagreement(text, &mut Tally::new()).is_some());
            let flaw = disagreement(&small, &mut Tally::new()).expect("shrinking keeps the disagreement");
            panic!("seed {seed}, task {number}: {flaw}\n\n{small}\nfrom\n\n{source}");
        }
    }
    println!("{count} models, seed {seed}: {tally:#?}");
    let seen = |name: &str| tally.get(name).copied().unwrap_or(0);
    assert!(seen("Holds") * 4 > count && seen("Fails") * 4 > count, "one verdict is rare: {tally:#?}");
    assert!(seen("answers: holds,  refined") * 4 > count, "few proofs need refinement: {tally:#?}");
}
