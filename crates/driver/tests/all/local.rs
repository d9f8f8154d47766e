//! Random asynchronous tasks through the local engine, in each variant, with and without symmetry; the oracle, the
//! explicit and the symbolic engine must agree, and the judge checks every proof and every counterexample. Proofs of one
//! property, also broken ones, must not convince the judge of another that is false.
//!
//! `FAIRLY_TASKS` and `FAIRLY_SEED` choose how many tasks and which; the test prints both, and how many tasks held,
//! failed, needed refinement, and have processes that meet.

use std::collections::BTreeMap;

use certify::Standing;
use certify::oracle::{self, Why};
use engines::local::Variant;
use engines::{Engine, Explicit, Local, Symbolic};
use model::{Answer, Counterexample, Proof, Refusal, Session, Task};

use crate::differential::random::Random;
use crate::differential::{asynchronous, shrink};
use crate::listed::{diagrams::broken, is_convincing};

/// The tasks that the engine accepts and the oracle decides.
const TASKS: &str = "tasks";

/// How often each proof is broken for each property that is violated.
const FORGERIES: usize = 3;

/// The oracle is not asked about more tableau nodes.
const LIMIT: usize = 40_000;

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
    let (mut proofs, mut violated): (Vec<Proof>, Vec<&Task>) = (Vec::new(), Vec::new());
    for check in &model.checks {
        let Ok(decision) = oracle::decide(&check.task, LIMIT) else {
            add(tally, "too large for the oracle");
            continue;
        };
        if let Err(refusal) = Local::default().accepts(&check.task) {
            add(tally, format!("refused: {:?}", refusal.kind));
            continue;
        }
        add(tally, TASKS);
        add(tally, format!("{:?}", decision.why));
        let name = &check.task.property.name;
        let others: [(&str, &dyn Engine); 2] =
            [("explicit", &Explicit::default()), ("symbolic", &Symbolic::default())];
        for (other, engine) in others {
            match verdict(&check.task, engine.check(&check.task, &Session::unlimited()), decision.why) {
                Ok(_) => add(tally, format!("the {other} engine agrees")),
                Err(flaw) => return Some(format!("the {other} engine on `{name}`: {flaw}")),
            }
        }
        let mut refined = false;
        for variant in [Variant::A, Variant::B] {
            for symmetry in [true, false] {
                let engine = Local { variant, symmetry, ..Local::default() };
                let session = Session::unlimited();
                let answer = engine.check(&check.task, &session);
                let statistics = session.statistics.into_inner().unwrap_or_default();
                refined |= statistics.iter().any(|(name, count)| *name == "refinements" && *count > 0);
                if let Ok(Answer::Holds(proof)) = &answer {
                    proofs.push(proof.clone());
                }
                match verdict(&check.task, answer, decision.why) {
                    Ok(verdict) => add(tally, format!("answers, checked: {verdict}")),
                    Err(flaw) => {
                        return Some(format!("{variant:?}, symmetry {symmetry}, on `{name}`: {flaw}"));
                    }
                }
            }
        }
        if decision.why == Why::Fails {
            violated.push(&check.task);
        }
        let actions = &check.task.system().actions;
        let meet = actions.iter().any(|action| action.participants.len() > 1);
        for (also, is) in [("refined", refined), ("some meet", meet), ("refined, some meet", refined && meet)]
        {
            if is {
                add(tally, format!("{:?}, {also}", decision.why));
            }
        }
    }
    convincing_forgery(&proofs, &violated, tally)
}

/// Proofs, as they are and broken, that convince the judge of properties that are violated.
fn convincing_forgery(proofs: &[Proof], violated: &[&Task], tally: &mut Tally) -> Option<String> {
    let random = &mut Random::new(1, proofs.len() as u64);
    for task in violated {
        for proof in proofs {
            let Proof::Local(good) = proof else { continue };
            let forged = (0..FORGERIES).map(|_| broken(random, good));
            for (how, forged) in std::iter::once(("as it was", (**good).clone())).chain(forged) {
                add(tally, "forgeries");
                if is_convincing(task, Proof::Local(Box::new(forged))) {
                    let name = &task.property.name;
                    return Some(format!(
                        "a proof of another property, {how}, convinces the judge of `{name}`"
                    ));
                }
            }
        }
    }
    None
}

/// The verdict of an answer, if the judge accepts its evidence and the oracle agrees; otherwise the error.
fn verdict(task: &Task, answer: Result<Answer, Refusal>, why: Why) -> Result<&'static str, String> {
    let answer = answer.map_err(|refusal| format!("it refuses: {refusal:?}"))?;
    let is_local = matches!(answer, Answer::Holds(Proof::Local(_) | Proof::Diagrams(_)));
    let certified =
        certify::certify(task, answer).map_err(|flaw| format!("the judge refuses its evidence: {flaw}"))?;
    if is_local && certified.standing() != Standing::Checked {
        return Err("its proof is not judged to the end".to_owned());
    }
    match (certified.answer(), why) {
        (Answer::Holds(_), Why::Holds) => Ok("holds"),
        (Answer::Fails(Counterexample::Fault { .. }), Why::Fault) => Ok("faults"),
        (Answer::Fails(Counterexample::Fault { .. }), why) => {
            Err(format!("it found a fault, the oracle says {why:?}"))
        }
        (Answer::Fails(_), Why::Fails | Why::Fault) => Ok("fails"),
        (Answer::Unknown(reason), why) => {
            Err(format!("undecided without a limit, the oracle says {why:?}: {reason:?}"))
        }
        (answer, why) => Err(format!("it says {answer:?}, the oracle says {why:?}")),
    }
}

#[test]
fn the_local_engine_the_judge_and_the_oracle_agree_on_random_asynchronous_tasks() {
    let (count, seed) = (crate::setting("FAIRLY_TASKS", 150), crate::setting("FAIRLY_SEED", 2026));
    let mut tally = Tally::new();
    let mut number = 0;
    while tally.get(TASKS).copied().unwrap_or(0) < count {
        let source = asynchronous::source(&mut Random::new(seed, number));
        shrink::agree(&format!("seed {seed}, model {number}"), &source, &mut tally, disagreement);
        number += 1;
        assert!(number < 10 * count, "few models have a task for the engine: {tally:#?}");
    }
    println!("{number} models, seed {seed}: {tally:#?}");
    let seen = |name: &str| tally.get(name).copied().unwrap_or(0);
    assert!(seen("Holds") * 5 > count && seen("Fails") * 5 > count, "one verdict is rare: {tally:#?}");
    assert!(seen("Holds, refined") * 40 > count, "few proofs need refinement: {tally:#?}");
    assert!(seen("Fails, refined") * 20 > count, "few counterexamples need refinement: {tally:#?}");
    let meet = seen("Holds, some meet").min(seen("Fails, some meet"));
    assert!(meet * 10 > count, "few tasks have processes that meet: {tally:#?}");
    assert!(seen("forgeries") > count, "few proofs are forged: {tally:#?}");
    assert!(seen("Fails, refined, some meet") * 80 > count, "few of them need refinement: {tally:#?}");
}
