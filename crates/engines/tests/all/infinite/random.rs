//! Compares random programs with the oracle and an engine that lists states, on the versions in which integers are
//! ranges.
//!
//! `FAIRLY_TASKS` gives the number of programs, `FAIRLY_SEED` selects them. Every fourth is in the format of T2, with
//! both conventions about stuck runs. The judge checks each answer. The results are counted and printed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use certify::Standing;
use certify::oracle::{self, Why};
use engines::infinite::Infinite;
use engines::{Engine, Explicit, Symbolic};
use model::{Answer, Counterexample, Session, StopReason, Task};

use super::{bounded, engine, generate, judged, require_solvers, shrink};

/// The oracle is not asked about more states or tableau nodes.
const STATES: usize = 50_000;

/// The time limit of one program; a program that takes longer counts as unknown.
const LIMIT: Duration = Duration::from_secs(20);

/// Numbers of results, by name.
type Tally = BTreeMap<&'static str, usize>;

#[test]
fn random_programs_have_the_verdict_of_the_oracle_and_of_a_finite_engine() {
    require_solvers();
    let (count, seed) = (crate::setting("FAIRLY_TASKS", 32), crate::setting("FAIRLY_SEED", 1));
    let first = crate::setting("FAIRLY_FIRST", 0);
    let mut tally = Tally::new();
    for number in first..count {
        let own = seed.wrapping_mul(1_000_003).wrapping_add(number);
        // Now and then labels have both sides, and the judge looks at both.
        let both_sides = number % 3 == 0;
        if number % 4 == 3 {
            let (text, task) = bounded::imported(own);
            if let Some(flaw) = disagreement(&task, both_sides, &mut tally) {
                panic!("program {number} of seed {seed}: {flaw}\n\n{text}");
            }
            continue;
        }
        let source = generate::program(own);
        assert!(task(&source).is_some(), "no program: {source}");
        shrink::agree(&format!("program {number} of seed {seed}"), &source, &mut tally, |text, tally| {
            task(text).and_then(|task| disagreement(&task, both_sides, tally))
        });
    }
    println!("programs {first} to {count} of seed {seed}: {tally:?}");
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    let compared = seen("holds") + seen("fails") + seen("unknown");
    assert!(seen("holds") * 5 > compared && seen("fails") * 5 > compared, "one verdict is rare: {tally:?}");
    assert!(seen("unknown") * 10 < compared, "too many are unknown: {tally:?}");
    assert!(seen("claimed") == 0, "there is no evidence: {tally:?}");
    assert!(compared < 500 || seen("faults") > 0, "no fault occurred: {tally:?}");
    assert!(seen("too large for the oracle") * 10 < compared, "too many are too large: {tally:?}");
}

fn task(text: &str) -> Option<Task> {
    lang::load("random", text, &[]).model?.checks.into_iter().next().map(|check| check.task)
}

/// How the engine's answer differs from the known one, or why the judge refuses it.
fn disagreement(task: &Task, both_sides: bool, tally: &mut Tally) -> Option<String> {
    let finite = bounded::bounded(task);
    let Ok(decision) = oracle::decide(&finite, STATES) else {
        *tally.entry("too large for the oracle").or_default() += 1;
        return None;
    };
    // The explicit engine refuses CTL.
    let finite_engines: [&dyn Engine; 2] = [&Explicit::default(), &Symbolic::default()];
    let taken = |other: &dyn Engine| Some((other.name(), other.check(&finite, &Session::unlimited()).ok()?));
    if let Some((name, answer)) = finite_engines.into_iter().find_map(taken) {
        let said = certify::certify(&finite, answer);
        let said = said.map(|certified| matches!(certified.answer(), Answer::Holds(_)));
        if said != Ok(decision.holds()) {
            return Some(format!("the {name} engine says {said:?}, the oracle {decision:?}"));
        }
        *tally.entry("also by a finite engine").or_default() += 1;
    }
    let start = Instant::now();
    let stop = || (start.elapsed() > LIMIT).then_some(StopReason::Time);
    let engine = Infinite { both_sides, ..engine() };
    let answer = engine.check(task, &Session::new(&stop, &|_| {}, u64::MAX, 1)).expect("taken");
    let fault = matches!(answer, Answer::Fails(Counterexample::Fault { .. }));
    let found = match (&answer, fault, decision.why) {
        (Answer::Holds(_), _, Why::Holds) => "holds",
        (Answer::Fails(_), true, Why::Fault) => "faults",
        // For a task with a reachable fault, a run that violates the property is also a correct answer.
        (Answer::Fails(_), false, Why::Fails | Why::Fault) => "fails",
        (Answer::Unknown(reason), ..) if reason.stop().is_some() => "unknown in time",
        (Answer::Unknown(reason), ..) => {
            if std::env::var("FAIRLY_UNKNOWN").is_ok() {
                println!("unknown, the oracle says {:?}: {reason:?}", decision.why);
            }
            "unknown"
        }
        _ => return Some(format!("it says {answer:?}, the oracle says {:?}", decision.why)),
    };
    *tally.entry(found).or_default() += 1;
    match judged(task, answer.clone()) {
        Err(flaw) => return Some(format!("the judge says {flaw:?} of {answer:?}")),
        Ok(_) if matches!(answer, Answer::Unknown(_)) => {}
        Ok(certified) => {
            let standing = certified.standing();
            let name = if standing == Standing::Checked { "checked" } else { "claimed" };
            *tally.entry(name).or_default() += 1;
            if standing == Standing::Claimed && std::env::var("FAIRLY_UNKNOWN").is_ok() {
                println!("claimed: {:?} {answer:?}", task.property.kind);
            }
        }
    }
    None
}
