//! Finds the integers that a step has chosen, from the states before and after it.
//!
//! A run has states and actions, but not the chosen integers. The values after a step are linear in them, so they are
//! found by repeatedly solving an equation with a single unknown. The result is only a suggestion: [`model::semantics`]
//! then executes the step with it.

use std::collections::BTreeMap;

use arith::{Linear, Var};
use model::{ActionId, Instance, State};

use super::steps::outcomes;
use super::terms::{ReadError, Store};
use crate::limits::Limits;
use crate::replay::Suggestions;

/// Suggests the integers that an action chooses between two states, by the indices of the choices.
pub(crate) fn suggestions(
    instance: &Instance,
    state: &State,
    action: ActionId,
    target: &State,
    limits: &Limits<'_>,
) -> Suggestions {
    let known: Vec<(usize, i64)> = state.0.iter().copied().enumerate().collect();
    let steps = match outcomes(instance, &Store::at(instance.cells.len(), &known), action, limits) {
        Ok(steps) => steps,
        Err(ReadError::Unsupported(_)) => return Ok(Vec::new()),
        Err(ReadError::Stopped(stop)) => return Err(stop),
    };
    let first = instance.cells.len() as u32;
    let mut suggestions = Vec::new();
    for step in steps {
        let mut solved: BTreeMap<Var, Linear> = BTreeMap::new();
        // Each round solves an unknown or is the last.
        for _ in 0..=step.chosen.len() {
            let found = step.next.cells.iter().zip(&target.0).find_map(|(term, value)| {
                let rest = term.replaced(&|var| solved.get(&var)).ok()?;
                let [(var, coefficient)] = rest.terms() else { return None };
                let wanted = i128::from(*value).checked_sub(rest.free())?;
                (wanted % coefficient == 0).then(|| (*var, wanted / coefficient))
            });
            let Some((var, value)) = found else { break };
            solved.insert(var, Linear::constant(value));
        }
        let value = |position: u32| {
            let term = solved.get(&Var(first + position))?;
            term.as_constant().and_then(|value| i64::try_from(value).ok())
        };
        suggestions.push(
            step.chosen
                .iter()
                .zip(0..)
                .map(|(index, position)| (*index, value(position).unwrap_or(0)))
                .collect(),
        );
    }
    Ok(suggestions)
}
