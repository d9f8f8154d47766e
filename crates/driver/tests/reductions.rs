//! Reduced searches against unreduced ones, and against the oracle and the judge.
//!
//! Random models first (`FAIRLY_TASKS` and `FAIRLY_SEED` choose how many and which), then the traps that are known
//! to catch unsound reductions, each as a model of its own.

#[path = "differential/families.rs"]
mod families;
#[path = "differential/random.rs"]
mod random;
#[path = "differential/shrink.rs"]
mod shrink;

use std::collections::BTreeMap;

use certify::oracle::{self, Why};
use engines::{Engine, Explicit};
use model::{Answer, Counterexample, Run, Task};
use random::Random;

/// More tableau nodes than this, and the oracle is not asked.
const LIMIT: usize = 20_000;

/// An environment variable, or its default.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// An engine that thinks of reductions from the first state on, or never.
fn engine(reductions: bool) -> Explicit {
    Explicit { reductions, reduce_beyond: 0, ..Explicit::default() }
}

/// What an engine made of a task.
struct Seen {
    answer: Answer,
    notes: Vec<String>,
    statistics: BTreeMap<&'static str, u64>,
}

impl Seen {
    fn new(task: &Task, reductions: bool) -> Seen {
        let run = Run::unlimited();
        let answer = engine(reductions).check(task, &run);
        let statistics = run.statistics.into_inner().expect("nothing panicked");
        Seen {
            answer,
            notes: run.notes.into_inner().expect("nothing panicked"),
            statistics: statistics.into_iter().collect(),
        }
    }

    /// What it says of the property that is not about the reduction.
    fn remarks(&self) -> Vec<&str> {
        // Which state is shown may differ.
        let remarks = self.notes.iter().filter(|note| note.contains("vacuous") || note.contains("realisable"));
        remarks.map(|note| note.split(": ").next().unwrap_or(note)).collect()
    }

    fn count(&self, name: &str) -> u64 {
        self.statistics.get(name).copied().unwrap_or(0)
    }

    fn is_reduced(&self) -> bool {
        self.notes.iter().any(|note| note.starts_with("reduced"))
    }
}

/// What was seen, by name.
type Tally = BTreeMap<&'static str, u64>;

/// The first disagreement on any property of a model.
fn disagreement(source: &str, tally: &mut Tally) -> Option<String> {
    let Some(model) = lang::load("random", source, &[]).model else {
        *tally.entry("rejected by the front end").or_default() += 1;
        return None;
    };
    for check in &model.checks {
        let (full, reduced) = (Seen::new(&check.task, false), Seen::new(&check.task, true));
        let name = &check.task.property.name;
        if let Some(flaw) = compare(&check.task, &full, &reduced) {
            return Some(format!("on `{name}`: {flaw}"));
        }
        *tally.entry("compared").or_default() += 1;
        if reduced.is_reduced() {
            *tally.entry("reduced").or_default() += 1;
            let by_names = reduced.count("permutations") > 0;
            *tally.entry(if by_names { "by symmetry" } else { "by order" }).or_default() += 1;
            if let Answer::Holds(_) = reduced.answer {
                *tally.entry("reduced and holds").or_default() += 1;
                *tally.entry("states").or_default() += full.count("states");
                *tally.entry("states of the reduced graphs").or_default() += reduced.count("states");
            }
        }
        let Ok(decision) = oracle::decide(&check.task, LIMIT) else { continue };
        *tally.entry("decided by the oracle").or_default() += 1;
        let agrees = match (&reduced.answer, decision.why) {
            (Answer::Holds(_), why) => why == Why::Holds,
            (Answer::Fails(Counterexample::Fault { .. }), why) => why == Why::Fault,
            (Answer::Fails(_), why) => why != Why::Holds,
            (Answer::Unknown(_), _) => false,
        };
        if !agrees {
            return Some(format!("on `{name}`: {:?}, the oracle says {:?}", reduced.answer, decision.why));
        }
    }
    None
}

/// How a reduced search differs from an unreduced one, or why the judge refuses it.
fn compare(task: &Task, full: &Seen, reduced: &Seen) -> Option<String> {
    if let Err(flaw) = certify::certify(task, reduced.answer.clone()) {
        return Some(format!("the judge refuses the evidence: {flaw}"));
    }
    let same = match (&full.answer, &reduced.answer) {
        (Answer::Holds(_), Answer::Holds(_)) => true,
        // Where there are faults and violations, either may be met first.
        (Answer::Fails(_), Answer::Fails(_)) => true,
        _ => false,
    };
    if !same {
        return Some(format!("reduced {:?}, unreduced {:?}", reduced.answer, full.answer));
    }
    (full.remarks() != reduced.remarks())
        .then(|| format!("reduced {:?}, unreduced {:?}", reduced.notes, full.notes))
}

#[test]
fn a_reduction_does_not_change_the_answer_on_random_models() {
    let (count, seed) = (setting("FAIRLY_TASKS", 1500), setting("FAIRLY_SEED", 2026));
    let mut tally = Tally::new();
    for number in 0..count {
        let source = families::source(&mut Random::new(seed, number));
        if disagreement(&source, &mut tally).is_some() {
            let small = shrink::shrink(&source, &|text| disagreement(text, &mut Tally::new()).is_some());
            let flaw = disagreement(&small, &mut Tally::new()).expect("shrinking keeps the disagreement");
            panic!("seed {seed}, task {number}: {flaw}\n\n{small}\nfrom\n\n{source}");
        }
    }
    println!("{count} models, seed {seed}: {tally:?}");
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    assert!(seen("reduced") * 4 > count, "reductions are rare: {tally:?}");
    assert!(seen("decided by the oracle") * 2 > count, "the oracle is rarely asked: {tally:?}");
    assert!(seen("states of the reduced graphs") * 3 < seen("states") * 2, "little is reduced: {tally:?}");
    assert!(seen("rejected by the front end") * 20 < count, "too many are rejected: {tally:?}");
}
