//! Looks for a counterexample in small instances.
//!
//! *Fails* is said only of a concrete instance. If the abstract system violates the property, the instances with the
//! least values of the parameters are searched one after the other by another engine, each as far as a few hundred
//! thousand states. All processes that a property can name are tried where positions matter; elsewhere one
//! stands for all, and two different ones for all pairs.

use model::{Answer, Counterexample, Session, Task, setting};

use super::class::Class;
use super::combinations::extended;
use crate::Engine;

/// The work on one instance: a few hundred thousand states.
const BUDGET: u64 = 10_000_000;

/// A counterexample in one of so many small instances, if one is found; and for how many values the property was seen to hold.
pub(super) fn search(
    engine: &dyn Engine,
    sizes: i64,
    task: &Task,
    class: &Class,
    session: &Session<'_>,
) -> (Option<Counterexample>, i64) {
    let mut cleared = 0;
    for more in 0..sizes {
        let values: Vec<i64> =
            task.system().parameters.iter().map(|parameter| parameter.least + more).collect();
        let mut decided = true;
        for member in members(task, class, &values) {
            if (session.stop)().is_some() {
                return (None, cleared);
            }
            let Some(instance) = setting::set(task, &values, &member) else { continue };
            let attempt = Session::new(session.stop, session.progress, session.memory, 1).with_budget(BUDGET);
            match engine.check(&instance, &attempt) {
                Err(_) => return (None, cleared),
                Ok(Answer::Fails(evidence)) => {
                    let evidence = Box::new(evidence);
                    return (Some(Counterexample::Instance { values, member, evidence }), cleared);
                }
                Ok(Answer::Holds(_)) => {}
                Ok(Answer::Unknown(_)) => decided = false,
            }
        }
        if decided && cleared == more {
            cleared += 1;
        }
    }
    (None, cleared)
}

/// The members of a family of properties that are tried.
fn members(task: &Task, class: &Class, values: &[i64]) -> Vec<Vec<i64>> {
    let mut members: Vec<Vec<i64>> = vec![Vec::new()];
    for (number, _) in task.property.binders.iter().enumerate() {
        let counted = &class.counted[class.marks[number].family];
        let size = values[counted.parameter] + counted.offset;
        let ordered = class.orders.iter().any(|order| order.family == class.marks[number].family);
        let tried = if ordered { size } else { size.min(number as i64 + 1) };
        let all: Vec<i64> = (0..tried).map(|k| counted.first + k).collect();
        members = extended(&members, &all);
    }
    members
}
