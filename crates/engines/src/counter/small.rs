//! Searches small instances for a counterexample.
//!
//! The answer *fails* always comes with a concrete instance. If the abstract system violates the property, another
//! engine searches the instances with the least values of the parameters, one after the other. Each has its own
//! budget, for a few hundred thousand states. If positions matter, all processes that the property can name are
//! tried. Otherwise one process stands for all, and two different ones stand for all pairs. The result of an instance
//! is kept for later turns, and charged again.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use model::{Answer, Counterexample, Session, StopReason, Task, setting};

use super::class::Class;
use super::combinations::extended;
use super::meter::Meter;
use crate::Engine;

/// The budget of one instance: about 0.2 seconds.
const BUDGET: u64 = 20_000_000;

/// The price of making an instance.
const INSTANCE: u64 = 20_000;

/// The price of a state or step that the engine has listed.
const LISTED: u64 = 10;

/// The results of the instances that were searched, by the values of the parameters and the member, with their
/// prices.
pub(super) type Searched = HashMap<(Vec<i64>, Vec<i64>), (u64, Outcome)>;

/// The result of one instance.
#[derive(Clone)]
pub(super) enum Outcome {
    Holds,
    Fails(Counterexample),
    Undecided,
    /// The engine refuses it.
    Refused,
}

/// A counterexample in a small instance, if one is found, and for how many of the least values the property holds.
pub(super) fn search(
    engine: &dyn Engine,
    instance_count: i64,
    task: &Task,
    class: &Class,
    searched: &mut Searched,
    session: &Session<'_>,
) -> Result<(Option<Counterexample>, i64), StopReason> {
    let mut cleared = 0;
    for more in 0..instance_count {
        let values: Vec<i64> =
            task.system().parameters.iter().map(|parameter| parameter.least + more).collect();
        let mut decided = true;
        let meter = Meter::new(session, "searching small instances", "instances");
        for member in members(task, class, &values, &meter)? {
            let key = (values.clone(), member);
            let outcome = if let Some((price, outcome)) = searched.get(&key) {
                session.spend(*price)?;
                outcome.clone()
            } else {
                let Some((price, outcome)) = attempt(engine, task, &key, session)? else { continue };
                searched.insert(key.clone(), (price, outcome.clone()));
                outcome
            };
            match outcome {
                Outcome::Holds => {}
                Outcome::Undecided => decided = false,
                Outcome::Refused => return Ok((None, cleared)),
                Outcome::Fails(evidence) => {
                    let (values, member) = key;
                    let evidence = Box::new(evidence);
                    return Ok((Some(Counterexample::Instance { values, member, evidence }), cleared));
                }
            }
        }
        if decided && cleared == more {
            cleared += 1;
        }
    }
    Ok((None, cleared))
}

/// The outcome of one instance, and its price. `None` if there is no such instance.
fn attempt(
    engine: &dyn Engine,
    task: &Task,
    (values, member): &(Vec<i64>, Vec<i64>),
    session: &Session<'_>,
) -> Result<Option<(u64, Outcome)>, StopReason> {
    if let Some(stop) = (session.stop)() {
        return Err(stop);
    }
    session.spend(INSTANCE)?;
    let Some(instance) = setting::set(task, values, member) else { return Ok(None) };
    let left = session.inner().budget;
    let inner = Session::new(session.stop, session.progress, session.memory, 1).with_budget(left.min(BUDGET));
    let answer = engine.check(&instance, &inner);
    let spent = (inner.spent.load(Ordering::Relaxed) + listed(inner)).min(BUDGET);
    session.spend(spent)?;
    let outcome = match answer {
        Err(_) => Outcome::Refused,
        Ok(Answer::Holds(_)) => Outcome::Holds,
        Ok(Answer::Fails(evidence)) => Outcome::Fails(evidence),
        Ok(Answer::Unknown(reason)) => match reason.stop() {
            // It might have been decided with the whole budget.
            Some(StopReason::Work) if left < BUDGET => return Err(StopReason::Work),
            Some(StopReason::Work) | None => Outcome::Undecided,
            Some(stop) => return Err(stop),
        },
    };
    Ok(Some((INSTANCE + spent, outcome)))
}

/// The price of the states and steps that were listed, which the engine does not charge itself.
fn listed(session: Session<'_>) -> u64 {
    let statistics = session.statistics.into_inner().unwrap_or_default();
    let listed = statistics.iter().filter(|(name, _)| ["states", "transitions"].contains(name));
    listed.map(|(_, number)| number * LISTED).sum()
}

/// The members of a family of properties that are tried.
fn members(
    task: &Task,
    class: &Class,
    values: &[i64],
    meter: &Meter<'_>,
) -> Result<Vec<Vec<i64>>, StopReason> {
    let mut members: Vec<Vec<i64>> = vec![Vec::new()];
    for (number, _) in task.property.binders.iter().enumerate() {
        let counted = &class.counted[class.marks[number].family];
        let size = values[counted.parameter] + counted.offset;
        let ordered = class.orders.iter().any(|order| order.family == class.marks[number].family);
        let tried = if ordered { size } else { size.min(number as i64 + 1) };
        let all: Vec<i64> = (0..tried).map(|k| counted.first + k).collect();
        members = extended(&members, &all, meter)?;
    }
    Ok(members)
}
