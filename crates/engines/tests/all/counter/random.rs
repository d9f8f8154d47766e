//! Random parameterised tasks: the engine's answers are compared with the explicit engine at N = 1, …, 5.
//!
//! A few run with the ordinary tests. Many more, from another seed:
//!
//! ```text
//! FAIRLY_TASKS=1000 FAIRLY_SEED=1 cargo test --release -p fairly-engines --test all counter::random -- --nocapture
//! ```

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use certify::Standing;
use engines::{Engine, Explicit};
use model::note::Unrealisable;
use model::property::Kind;
use model::{Answer, Expr, Formula, Note, Property, Session, StopReason, Task, setting};

use super::generate::{self, Random};
use super::{counter, permits, tasks, wide, with_values};

/// The greatest value of a parameter that is tried.
const MOST: i64 = 5;

/// Asserts that the answer to a task is right as far as small instances show, and returns it.
fn examined(task: &Task, context: &str) -> &'static str {
    let engine = counter();
    if engine.accepts(task).is_err() {
        return "refused";
    }
    let looks = AtomicU32::new(0);
    let stop = || (looks.fetch_add(1, Ordering::Relaxed) > 30).then_some(StopReason::Time);
    let session = Session::new(&stop, &|_| {}, u64::MAX, 1);
    let answer = engine.check(task, &session).expect("taken");
    let answer = certify::certify(task, answer).unwrap_or_else(|flaw| panic!("{flaw}\n{context}"));
    let fails = |values: &[i64]| with_values(task, values).iter().any(|a| matches!(a, Answer::Fails(_)));
    let notes = session.notes.into_inner().expect("notes");
    match answer.answer() {
        Answer::Holds(_) => {
            let least: Vec<i64> = task.system().parameters.iter().map(|parameter| parameter.least).collect();
            for value in least[0]..=MOST {
                let mut values: Vec<i64> = least.iter().map(|least| value.max(*least)).collect();
                assert!(!fails(&values), "fails for {values:?}\n{context}");
                if values.len() > 1 {
                    values[1] = least[1];
                    assert!(!fails(&values), "fails for {values:?}\n{context}");
                }
            }
            let values: Vec<i64> = least.iter().map(|least| least + 1).collect();
            if notes.iter().any(|note| matches!(note, Note::Vacuous { .. })) {
                assert!(is_vacuous(task, &values), "a trigger occurs for {values:?}\n{context}");
                return "holds, vacuously";
            }
            if notes.contains(&Note::Unrealisable(Unrealisable::InEveryInstance)) {
                assert!(!fails_to_be_absurd(task, &values), "a run is fair for {values:?}\n{context}");
                return "holds, no run is fair";
            }
            "holds"
        }
        Answer::Fails(_) => {
            assert_eq!(answer.standing(), Standing::Checked);
            "fails"
        }
        Answer::Unknown(_) => "unknown",
    }
}

/// Whether the explicit engine also finds that a trigger never occurs.
fn is_vacuous(task: &Task, values: &[i64]) -> bool {
    let member: Vec<i64> = task.property.binders.iter().map(|_| 1).collect();
    let Some(task) = setting::set(task, values, &member) else { return true };
    let session = Session::unlimited();
    let answer = Explicit::default().check(&task, &session).expect("taken");
    let notes = session.notes.into_inner().expect("notes");
    !matches!(answer, Answer::Holds(_))
        || notes.iter().any(|note| matches!(note, Note::Vacuous { .. } | Note::NoInitialState))
}

/// Whether some run is fair: then `false` does not hold of all fair runs.
fn fails_to_be_absurd(task: &Task, values: &[i64]) -> bool {
    let kind = Kind::Ltl(Formula::Atom(Expr::Bool(false)));
    let property = Property { name: "absurd".into(), binders: Vec::new(), kind };
    let absurd = Task { property, ..task.clone() };
    with_values(&absurd, values).iter().any(|answer| matches!(answer, Answer::Fails(_)))
}

#[test]
fn random_tasks_with_an_order_are_answered_as_small_instances_are() {
    let (rounds, seed) = (crate::setting("FAIRLY_TASKS", 10), crate::setting("FAIRLY_SEED", 11));
    let mut random = Random(seed);
    let mut tally: BTreeMap<&str, u32> = BTreeMap::new();
    for round in 0..rounds {
        let text = generate::model(&mut random);
        for task in tasks(&text) {
            let context = format!("model {round} of seed {seed}, {}\n{text}", task.property.name);
            *tally.entry(examined(&task, &context)).or_default() += 1;
        }
    }
    println!("{rounds} models with an order, seed {seed}: {tally:?}");
    assert!(tally["holds"] > 5 && tally["fails"] > 5, "{tally:?}");
}

#[test]
fn random_tasks_with_several_families_and_events_are_answered_as_small_instances_are() {
    let (rounds, seed) = (crate::setting("FAIRLY_TASKS", 20), crate::setting("FAIRLY_SEED", 5));
    let mut random = Random(seed);
    let mut tally: BTreeMap<&str, u32> = BTreeMap::new();
    for round in 0..rounds {
        let (text, outside) = wide::model(&mut random);
        for task in tasks(&text) {
            let context = format!("model {round} of seed {seed}, {}\n{text}", task.property.name);
            let answer = examined(&task, &context);
            assert!(!outside || answer == "refused", "{answer}\n{context}");
            *tally.entry(if outside { "refused for an index" } else { answer }).or_default() += 1;
        }
    }
    println!("{rounds} models with families, seed {seed}: {tally:?}");
    assert!(tally["holds"] > 5 && tally["fails"] > 5, "{tally:?}");
}

#[test]
fn random_tasks_with_numbers_are_answered_as_small_instances_are() {
    let (rounds, seed) = (crate::setting("FAIRLY_TASKS", 30), crate::setting("FAIRLY_SEED", 3));
    let mut random = Random(seed);
    let mut tally: BTreeMap<&str, u32> = BTreeMap::new();
    for round in 0..rounds {
        let text = permits::model(&mut random);
        for task in tasks(&text) {
            let context = format!("model {round} of seed {seed}, {}\n{text}", task.property.name);
            *tally.entry(examined(&task, &context)).or_default() += 1;
        }
    }
    println!("{rounds} models with numbers, seed {seed}: {tally:?}");
    assert!(tally["holds"] > 5 && tally["fails"] > 5, "{tally:?}");
}
