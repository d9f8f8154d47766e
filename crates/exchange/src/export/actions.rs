//! An action as a relation: when it is enabled, and what each of its outcomes does to the state.
//!
//! All expressions are over the state before the step, for languages that describe a step by the states before and
//! after it. The conditions of the outcomes and of the faults imply that the action is enabled (or that its guard has
//! no value). Together they cover all those states.

use model::expr::Place;
use model::instance::Environment;
use model::{ActionId, Expr, Instance, ground};

use super::paths::{before, effects};
use super::range::defined;
use crate::export::{Refusal, within};

/// The effect of an action.
pub(crate) struct Effect {
    /// When it is enabled.
    pub(crate) enabled: Expr,
    /// The outcomes without a fault.
    pub(crate) outcomes: Vec<Outcome>,
    /// When a fault happens.
    pub(crate) faults: Vec<Expr>,
}

/// One outcome of an action.
pub(crate) struct Outcome {
    /// When it is possible.
    pub(crate) condition: Expr,
    /// The writes, in order. Places and values are over the state before the step.
    pub(crate) writes: Vec<(Place, Expr)>,
}

/// The effect of an action.
pub(crate) fn effect(instance: &Instance, action: ActionId) -> Result<Effect, Refusal> {
    let in_action = |refusal| within(instance, action, refusal);
    let guard = ground::guard(instance, action);
    let guarded = defined(instance, &guard).map_err(in_action)?;
    let mut faults = Vec::new();
    if guarded != Expr::Bool(true) {
        faults.push(Expr::negated(guarded.clone()));
    }
    let enabled = Expr::and([guarded, guard]);
    let mut outcomes = Vec::new();
    for path in effects(instance, &ground::update(instance, action)).map_err(in_action)? {
        let condition = Expr::and(std::iter::once(enabled.clone()).chain(path.conditions));
        if path.faults {
            faults.push(condition);
        } else {
            outcomes.push(Outcome { condition, writes: path.writes });
        }
    }
    let possible = |condition: &Expr| match condition {
        Expr::And(parts) => !parts.contains(&Expr::Bool(false)),
        other => *other != Expr::Bool(false),
    };
    outcomes.retain(|outcome| possible(&outcome.condition));
    faults.retain(possible);
    Ok(Effect { enabled, outcomes, faults })
}

/// The conjunction of the `init` predicates; refused if one may have no value.
pub(crate) fn initial(instance: &Instance) -> Result<Expr, Refusal> {
    let ground = |predicate| ground::expression(instance, predicate, &mut Environment::default());
    let initial = Expr::and(instance.system.init.iter().map(ground));
    if defined(instance, &initial)? == Expr::Bool(true) {
        return Ok(initial);
    }
    Err(Refusal {
        reason: "an `init` predicate may have no value".to_owned(),
        instead: "before it, restrict its indices and divisors".to_owned(),
    })
}

/// The value of a cell after `writes`, as an expression over the state before.
pub(crate) fn after(instance: &Instance, cell: usize, writes: &[(Place, Expr)]) -> Expr {
    before(&Expr::Read(place(instance, cell)), writes)
}

/// The place of a cell.
pub(crate) fn place(instance: &Instance, cell: usize) -> Place {
    let cell = &instance.cells[cell];
    let index = cell.owner.and_then(|owner| instance.processes[owner.0 as usize].index);
    Place {
        variable: cell.variable,
        process: index.map(|index| Box::new(Expr::Int(index))),
        position: cell.position.iter().map(|position| Expr::Int(*position)).collect(),
    }
}
