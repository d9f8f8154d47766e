//! Judges whether a lasso is fair, and keeps the ledger of how.
//!
//! What happens infinitely often on a lasso is what happens on its cycle. So a requirement `GF when -> GF then`
//! is met iff no step of the cycle satisfies `when` or some step of it satisfies `then`, and strong global
//! fairness is met iff every step of the system that leaves a state of the cycle is a step of the cycle. A
//! lasso is fair if all requirements of one alternative are met; the first such alternative is the one the
//! ledger speaks of.

use std::collections::{HashMap, HashSet};

use model::fairness::{Assumption, Fairness, Word};
use model::instance::{Environment, Instance};
use model::semantics::Step;
use model::system::{Scalar, System};
use model::{Expr, Fault, Label, Lasso, Requirement, State, Task, semantics, show};

use crate::choices::choices;
use crate::flaw::Unmet;

/// A requirement and how the cycle of a lasso meets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The requirement in the user's names: `weak P[1].exit`.
    pub requirement: String,
    /// How it is met.
    pub how: How,
}

/// How a cycle meets a requirement. Positions are indices into [`Lasso::positions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The action or process acts at this position.
    Taken {
        /// Where.
        position: usize,
    },
    /// The action or process is not enabled at this position, which is enough for weak fairness.
    NotEnabled {
        /// Where.
        position: usize,
    },
    /// What is required is true at this position.
    Holds {
        /// Where.
        position: usize,
    },
    /// What would trigger the requirement does not happen on the cycle.
    NeverTriggered,
    /// Every step that leaves a state of the cycle is on it.
    Global,
}

/// How the cycle of a lasso meets each requirement of the first alternative it meets. Empty if the lasso is
/// not a fair run of the task's system, or if there is nothing to meet.
pub fn ledger(task: &Task, lasso: &Lasso) -> Vec<Entry> {
    let Ok(instance) = crate::instance(task) else { return Vec::new() };
    if crate::replay::lasso(instance, lasso).is_err() {
        return Vec::new();
    }
    judge(instance, &task.fairness, lasso).unwrap_or_default()
}

/// Whether a lasso that is a run is fair: how it meets an alternative, or why it meets none.
pub(crate) fn judge(
    instance: &Instance,
    fairness: &Fairness,
    lasso: &Lasso,
) -> Result<Vec<Entry>, Vec<Unmet>> {
    let mut reasons = Vec::new();
    for alternative in &fairness.alternatives {
        match meets(instance, alternative, lasso) {
            Ok(entries) => return Ok(entries),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(reasons)
}

fn meets(instance: &Instance, assumption: &Assumption, lasso: &Lasso) -> Result<Vec<Entry>, Unmet> {
    let mut entries = Vec::new();
    for requirement in &assumption.requirements {
        let environments = choices(&requirement.binders, &Environment::default()).map_err(|fault| {
            Unmet::Fault { requirement: show::requirement(&instance.system, requirement), fault }
        })?;
        for mut environment in environments {
            if !semantics::exists(instance, requirement, &environment) {
                continue;
            }
            let name = name(&instance.system, requirement, &environment);
            match how(instance, requirement, &mut environment, lasso) {
                Ok(Some(how)) => entries.push(Entry { requirement: name, how }),
                Ok(None) => return Err(Unmet::Requirement(name)),
                Err(fault) => return Err(Unmet::Fault { requirement: name, fault }),
            }
        }
    }
    if assumption.global {
        covers(instance, lasso)?;
        entries.push(Entry { requirement: "global".to_owned(), how: How::Global });
    }
    Ok(entries)
}

/// How the cycle meets a requirement whose binders have values; `None` if it does not.
fn how(
    instance: &Instance,
    requirement: &Requirement,
    environment: &mut Environment,
    lasso: &Lasso,
) -> Result<Option<How>, Fault> {
    let mut satisfies = |predicate: &Expr, position: usize| {
        semantics::step_predicate_in(instance, predicate, &lasso.positions[position], environment)
    };
    let mut triggered = false;
    let mut met = None;
    // Every step of the cycle is looked at, so that no fault goes unnoticed.
    for position in lasso.cycle..lasso.positions.len() {
        triggered |= satisfies(&requirement.when, position)?;
        if !satisfies(&requirement.then, position)? {
            continue;
        }
        let taken = match &requirement.of {
            Some(of) => satisfies(&Expr::Taken(of.clone()), position)?,
            None => false,
        };
        // A step of the action itself is the better witness than a moment at which it is not enabled.
        match met {
            Some(How::Taken { .. }) => {}
            _ if taken => met = Some(How::Taken { position }),
            Some(_) => {}
            None if requirement.word == Word::Weak => met = Some(How::NotEnabled { position }),
            None => met = Some(How::Holds { position }),
        }
    }
    Ok(if triggered { met } else { Some(How::NeverTriggered) })
}

/// Whether every step of the system that leaves a state of the cycle is on the cycle.
fn covers(instance: &Instance, lasso: &Lasso) -> Result<(), Unmet> {
    match left_out(instance, lasso) {
        Ok(None) => Ok(()),
        Ok(Some((position, step))) => Err(Unmet::Global {
            action: show::label(instance, step.label),
            state: position,
            changes: show::changes(instance, &lasso.positions[position].state, &step.target),
        }),
        Err(fault) => Err(Unmet::Fault { requirement: "global".to_owned(), fault }),
    }
}

/// The first step of the system that leaves a state of the cycle of a run and is not on it, and the position of the
/// state.
pub fn left_out(instance: &Instance, lasso: &Lasso) -> Result<Option<(usize, Step)>, Fault> {
    let positions = &lasso.positions;
    let cycle = lasso.cycle..positions.len();
    // The states of the cycle, each with the position at which it comes first.
    let mut firsts: HashMap<&State, usize> = HashMap::new();
    let here: Vec<usize> = cycle.clone().map(|k| *firsts.entry(&positions[k].state).or_insert(k)).collect();
    let first = |k: usize| here[k - lasso.cycle];
    let taken: HashSet<(usize, Label, usize)> =
        cycle.clone().map(|k| (first(k), positions[k].label, first(lasso.next(k)))).collect();
    for k in cycle.filter(|k| first(*k) == *k) {
        for step in semantics::steps(instance, &positions[k].state)? {
            let target = firsts.get(&step.target);
            if !target.is_some_and(|target| taken.contains(&(k, step.label, *target))) {
                return Ok(Some((k, step)));
            }
        }
    }
    Ok(None)
}

/// A requirement with the values of its binders put in: an index is written as its value.
fn name(system: &System, requirement: &Requirement, environment: &Environment) -> String {
    if requirement.binders.is_empty() {
        return show::requirement(system, requirement);
    }
    let mut named = show::names(system);
    for binder in &requirement.binders {
        let value = environment.get(binder.index).unwrap_or_default();
        let index = &mut named.indices[binder.index.0 as usize];
        let member = match &index.scalar {
            Scalar::Enum(id) => named.enums[id.0 as usize].members.get(value as usize).cloned(),
            _ => None,
        };
        index.name = member.unwrap_or_else(|| value.to_string());
    }
    show::requirement(&named, &Requirement { binders: Vec::new(), ..requirement.clone() })
}
