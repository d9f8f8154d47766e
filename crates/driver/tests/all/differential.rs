//! Random small tasks through every engine, the judge and the oracle; they must agree.
//!
//! Each task is source text, so the front end is tested too. A disagreement is shrunk and printed as `.fair` source.
//! `FAIRLY_TASKS` and `FAIRLY_SEED` choose how many tasks and which; the test prints both, and how many tasks held,
//! failed, faulted or were refused.
//!
//! The engines get each model with its dead locals forgotten, the oracle as it is written.
//!
//! The symbolic engine runs each task once more with its cells in a random order, and either with a table of nodes so
//! small that it must collect again and again, or moving bits all the time. Neither may change an answer, but a small
//! table may be too small for a task, and then there is no answer. Some engines are asked again in turns, each with a
//! little more work, and must give the same answer with the same evidence.

pub(crate) mod asynchronous;
pub(crate) mod families;
pub(crate) mod generate;
pub(crate) mod random;
pub(crate) mod shrink;

use std::collections::BTreeMap;

use certify::oracle::{self, Why};
use certify::{Standing, Unfinished};
use engines::bdd::Limits;
use engines::symbolic::Order;
use engines::{Engine, Explicit, Symbolic};
use model::{Answer, Counterexample, Proof, Reason, Session, StopReason, Task};
use random::Random;

/// The oracle is not asked about more tableau nodes.
const LIMIT: usize = 20_000;

/// A table of nodes that random tasks fill.
const SMALL: usize = 2_000;

/// Whether an engine may run out of nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nodes {
    Enough,
    Few,
}

/// The engines of the driver, the explicit engine with reductions from the first state on, the explicit engine with
/// two threads at every level and searches from the first state on, and the symbolic engine with a bad order and
/// table, and bits for all choices or for none, chosen by the length of the source.
fn engines(source: &str) -> Vec<(Box<dyn Engine>, Nodes)> {
    let number = source.len();
    let (limits, nodes) = if number.is_multiple_of(2) {
        (Limits { nodes: SMALL, ..Limits::default() }, Nodes::Few)
    } else {
        (Limits { sift_from: 50, ..Limits::default() }, Nodes::Enough)
    };
    let unrolled = if number % 4 < 2 { 0 } else { usize::MAX };
    let hampered = Symbolic { order: Order::Random(number as u64), limits, unrolled, ..Symbolic::default() };
    let mut engines: Vec<(Box<dyn Engine>, Nodes)> =
        driver::all_engines().into_iter().map(|engine| (engine, Nodes::Enough)).collect();
    engines
        .push((Box::new(Explicit { reduce_beyond: 0, probes: false, ..Explicit::default() }), Nodes::Enough));
    engines
        .push((Box::new(Explicit { first_look: 1, shared_level: 0, ..Explicit::default() }), Nodes::Enough));
    let unstored = Explicit {
        first_look: 1,
        reduce_beyond: 0,
        reductions: false,
        probes: false,
        stores_steps: false,
        evidence: 0,
        ..Explicit::default()
    };
    engines.push((Box::new(unstored), Nodes::Enough));
    engines.push((Box::new(hampered), nodes));
    engines
}

/// Every how many answers the engine is asked again, in turns.
const TURNED: usize = 4;

/// The answer of an engine that is given a little work again and again.
fn in_turns(engine: &dyn Engine, task: &Task) -> Answer {
    let mut prepared = engine.prepare(task).expect("it was taken before");
    let mut budget = 2_000;
    loop {
        let answer = prepared.answer(&Session::unlimited().with_budget(budget));
        match &answer {
            Answer::Unknown(reason) if reason.stop() == Some(StopReason::Work) => budget *= 2,
            _ => return answer,
        }
    }
}

/// What is wrong with the answer in turns. It must be the same, evidence included. Only the explicit engine may find
/// another violation, because it looks at other times; then it must find that one every time.
fn turned(engine: &dyn Engine, task: &Task, at_once: &Answer, why: Why, tally: &mut Tally) -> Option<String> {
    let turned = in_turns(engine, task);
    if turned == *at_once {
        return None;
    }
    if engine.name() != "explicit" || turned != in_turns(engine, task) {
        return Some(format!("in turns it says {turned:?}, at once {at_once:?}"));
    }
    compare(task, turned, why, tally)
}

/// Numbers of results, by name.
type Tally = BTreeMap<&'static str, u64>;

/// The first disagreement on any property of a model.
fn disagreement(source: &str, tally: &mut Tally) -> Option<String> {
    let loaded = lang::load("random", source, &[]);
    let errors: Vec<_> =
        loaded.diagnostics.iter().filter(|d| d.severity == lang::diagnostic::Severity::Error).collect();
    let Some(model) = loaded.model else {
        *tally.entry("rejected by the front end").or_default() += 1;
        return errors.is_empty().then(|| "no model and no error".to_owned());
    };
    // The oracle decides the model as it is written, the engines have it with dead locals forgotten.
    let written = model.checks.clone();
    let model = lang::forget(model);
    for (written, check) in written.iter().zip(&model.checks) {
        let Ok(decision) = oracle::decide(&written.task, LIMIT) else {
            *tally.entry("too large for the oracle").or_default() += 1;
            continue;
        };
        *tally
            .entry(match decision.why {
                Why::Holds => "holds",
                Why::Fails => "fails",
                Why::Fault => "faults",
            })
            .or_default() += 1;
        if written.task.system() != check.task.system() {
            *tally.entry("forgotten").or_default() += 1;
            match oracle::decide(&check.task, LIMIT) {
                Ok(forgetful) if forgetful.why != decision.why => {
                    return Some(format!("forgetting makes {:?} of {:?}", forgetful.why, decision.why));
                }
                _ => {}
            }
        }
        let as_they_are = driver::all_engines().len();
        for (place, (engine, nodes)) in engines(source).into_iter().enumerate() {
            let number = place + source.len();
            let session = Session::new(&|| None, &|_| {}, u64::MAX, 2);
            let Ok(answer) = engine.check(&check.task, &session) else {
                *tally.entry("refused").or_default() += 1;
                continue;
            };
            *tally.entry("compared").or_default() += 1;
            let notes = session.notes.into_inner().unwrap_or_default();
            for (name, number) in session.statistics.into_inner().unwrap_or_default() {
                if matches!(name, "collections" | "reorderings") {
                    *tally.entry(name).or_default() += number;
                }
            }
            if nodes == Nodes::Few && answer == Answer::Unknown(Reason::LargeDiagrams) {
                *tally.entry("out of nodes").or_default() += 1;
                continue;
            }
            if nodes == Nodes::Enough && number.is_multiple_of(TURNED) {
                *tally.entry("compared in turns").or_default() += 1;
                if let Some(flaw) = turned(&*engine, &check.task, &answer, decision.why, tally) {
                    return Some(format!("{} on `{}`: {flaw}", engine.name(), check.task.property.name));
                }
            }
            let is_global = check.task.fairness.alternatives.iter().any(|alternative| alternative.global);
            if matches!(&answer, Answer::Holds(_)) {
                let proof = match &answer {
                    Answer::Holds(Proof::Listed(listed)) if !listed.labels.is_empty() => "labels",
                    Answer::Holds(Proof::Listed(_)) => "listed proofs",
                    Answer::Holds(Proof::Diagrams(proof)) if !proof.sure.is_empty() => "sure sets",
                    Answer::Holds(Proof::Diagrams(_)) if is_global => "proofs made of diagrams, global",
                    Answer::Holds(Proof::Diagrams(_)) => "proofs made of diagrams",
                    _ if engine.name() == "explicit" => "without a proof",
                    _ if engine.name() == "symbolic" && is_global => "symbolic, global without a proof",
                    _ if engine.name() == "symbolic" => "symbolic, without a proof",
                    _ => "from other engines",
                };
                *tally.entry(proof).or_default() += 1;
                if place < as_they_are {
                    let is_proved = !matches!(&answer, Answer::Holds(Proof::Exhaustive));
                    let standing = if is_proved { "holds, with a proof" } else { "holds, claimed" };
                    if !is_proved {
                        println!("claimed by {}: {notes:?}\n{source}", engine.name());
                    }
                    *tally.entry(standing).or_default() += 1;
                }
            }
            if let Some(flaw) = compare(&check.task, answer, decision.why, tally) {
                return Some(format!("{} on `{}`: {flaw}", engine.name(), check.task.property.name));
            }
        }
    }
    None
}

/// How an engine's answer differs from the oracle's, or why the judge refuses it.
fn compare(task: &Task, answer: Answer, why: Why, tally: &mut Tally) -> Option<String> {
    let certified = match certify::certify(task, answer) {
        Ok(certified) => certified,
        Err(flaw) => return Some(format!("the judge refuses its evidence: {flaw}")),
    };
    match (certified.answer(), why) {
        // Forgetting may write an index without a value into a branch of a joint event that is never taken. The judge
        // encodes every branch.
        (Answer::Holds(Proof::Diagrams(_)), Why::Holds)
            if matches!(certified.unfinished(), Some(Unfinished::Undecided(_))) =>
        {
            *tally.entry("diagrams, not judged to the end").or_default() += 1;
            None
        }
        (Answer::Holds(Proof::Listed(_) | Proof::Local(_) | Proof::Diagrams(_)), _)
            if certified.standing() != Standing::Checked =>
        {
            Some(format!("the judge does not finish: {:?}", certified.unfinished()))
        }
        (Answer::Holds(_), Why::Holds) => None,
        (Answer::Fails(Counterexample::Fault { .. }), Why::Fault) => None,
        (Answer::Fails(Counterexample::Fault { .. }), why) => {
            Some(format!("it found a fault, the oracle says {why:?}"))
        }
        // For a task with a reachable fault, a run that violates the property is also a correct answer.
        (Answer::Fails(_), Why::Fails | Why::Fault) => None,
        (Answer::Unknown(reason), _) => Some(format!("undecided without a limit: {reason:?}")),
        (answer, why) => Some(format!("it says {answer:?}, the oracle says {why:?}")),
    }
}

#[test]
fn engines_judge_and_oracle_agree_on_random_tasks() {
    let (count, seed) = (crate::setting("FAIRLY_TASKS", 450), crate::setting("FAIRLY_SEED", 2026));
    let mut tally = Tally::new();
    for number in 0..count {
        let source = generate::source(&mut Random::new(seed, number));
        shrink::agree(&format!("seed {seed}, task {number}"), &source, &mut tally, disagreement);
    }
    println!("{count} models, seed {seed}: {tally:?}");
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    assert!(seen("holds") * 5 > count && seen("fails") * 5 > count, "one verdict is rare: {tally:?}");
    assert!(seen("collections") > 0 && seen("reorderings") > 0, "no table was ever full: {tally:?}");
    assert!(seen("out of nodes") * 10 < count, "too many tables are too small: {tally:?}");
    // Only reduced searches and the one that stores no steps give none.
    assert!(seen("listed proofs") > 3 * seen("without a proof") / 2, "few proofs: {tally:?}");
    assert!(seen("labels") * 20 > count, "few labels: {tally:?}");
    assert!(
        seen("proofs made of diagrams") > 50 * seen("symbolic, without a proof"),
        "few proofs: {tally:?}"
    );
    assert!(seen("sure sets") * 20 > count, "few sure sets: {tally:?}");
    assert!(
        seen("proofs made of diagrams, global") > 10 * seen("symbolic, global without a proof"),
        "few proofs under strong global fairness: {tally:?}"
    );
    assert!(seen("holds, claimed") * 100 < seen("holds, with a proof"), "few proofs: {tally:?}");
    assert!(seen("diagrams, not judged to the end") * 200 < count, "too many are not judged: {tally:?}");
    assert!(seen("forgotten") * 50 > count, "nothing is forgotten: {tally:?}");
    assert!(seen("faults") > 0, "no fault occurred: {tally:?}");
    assert!(seen("rejected by the front end") * 20 < count, "too many are rejected: {tally:?}");
    assert!(seen("too large for the oracle") * 5 < count, "too many are too large: {tally:?}");
}
