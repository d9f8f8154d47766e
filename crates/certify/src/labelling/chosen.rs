//! Finds the integers that a step has chosen, from the states before and after it.
//!
//! A run has states and actions, but not the chosen integers. The values after a step are linear in them, so they are
//! found by repeatedly solving an equation with a single unknown. What these leave open, as in `q = x * y; r = q * x` where
//! nothing keeps `q`, is looked for at the bounds in the condition of the step. The result is only a suggestion:
//! [`model::semantics`] then executes the step with it.

use std::collections::{BTreeMap, BTreeSet};

use arith::{Linear, Var};
use model::{ActionId, Instance, State};
use smt::Formula;

use super::steps::{Step, outcomes};
use super::terms::{ReadError, Store};
use crate::limits::Limits;
use crate::replay::Suggestions;

/// How many values are tried for the choices of a step.
const TRIES: usize = 2_000;

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
        let search = Search { step: &step, target, first };
        let found = search.from(BTreeMap::new(), &mut TRIES.clone()).unwrap_or_default();
        let value = |position: u32| {
            let term = found.get(&Var(first + position))?;
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

/// A search for the choices of a step to a state. The variable of the first choice is `first`.
struct Search<'s> {
    step: &'s Step,
    target: &'s State,
    first: u32,
}

impl Search<'_> {
    /// Values for all choices, beginning with these. `None` if there are none among those that are tried.
    fn from(&self, mut solved: BTreeMap<Var, Linear>, tries: &mut usize) -> Option<BTreeMap<Var, Linear>> {
        self.solve(&mut solved);
        let when = self.step.when.replaced(&|var| solved.get(&var)).ok()?;
        if when == Formula::Bool(false) {
            return None;
        }
        let choices = (self.first..).take(self.step.chosen.len()).map(Var);
        let Some(open) = choices.into_iter().find(|choice| !solved.contains_key(choice)) else {
            let is_there = self.step.next.cells.iter().zip(&self.target.0).all(|(term, value)| {
                let term = term.replaced(&|var| solved.get(&var)).ok().and_then(|term| term.as_constant());
                term == Some(i128::from(*value))
            });
            return is_there.then_some(solved);
        };
        for value in bounds(&when, open) {
            *tries = tries.checked_sub(1)?;
            let mut more = solved.clone();
            more.insert(open, Linear::constant(value));
            if let Some(found) = self.from(more, tries) {
                return Some(found);
            }
        }
        None
    }

    /// Adds the choices that the values after the step determine.
    fn solve(&self, solved: &mut BTreeMap<Var, Linear>) {
        // Each round solves an unknown or is the last.
        for _ in 0..=self.step.chosen.len() {
            let found = self.step.next.cells.iter().zip(&self.target.0).find_map(|(term, value)| {
                let rest = term.replaced(&|var| solved.get(&var)).ok()?;
                let [(var, coefficient)] = rest.terms() else { return None };
                let wanted = i128::from(*value).checked_sub(rest.free())?;
                (wanted % coefficient == 0).then(|| (*var, wanted / coefficient))
            });
            let Some((var, value)) = found else { break };
            solved.insert(var, Linear::constant(value));
        }
    }
}

/// 0, and the bounds of a variable in the parts of a condition that mention nothing else, with the values beside them.
fn bounds(when: &Formula, var: Var) -> BTreeSet<i128> {
    let mut atoms = BTreeSet::new();
    when.collect_atoms(&mut atoms);
    let mut found = BTreeSet::from([0]);
    for atom in atoms {
        let (Formula::AtMost(term) | Formula::Zero(term)) = atom else { continue };
        let [(of, coefficient)] = term.terms() else { continue };
        if *of == var
            && let Some(bound) = term.free().checked_neg().and_then(|free| free.checked_div(*coefficient))
        {
            found.extend([bound.saturating_sub(1), bound, bound.saturating_add(1)]);
        }
    }
    found
}
