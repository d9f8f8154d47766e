//! Case distinctions: conditions that no step of a component makes false.
//!
//! A run that stays in the component can make such a condition true at most once. So from some point on it is always
//! true or always false, and the steps of the two cases can be removed separately. For example, a loop that goes up
//! from below and down from above has a ranking function on each side but none on both, and a requirement that can be
//! met on one side only is an argument on the other. The candidates are the atoms of the guards, which include those
//! of the requirements, the conditions under which a step makes a cell larger, or smaller, and the negations of all. With
//! ranking functions per case this is a ranking function in pieces [Urb13]. The best condition is the one that leaves most requirements unmet on one
//! of the sides; among these, the one for which most steps belong to one side alone; and among these, the one that divides
//! them most evenly.

use std::collections::BTreeSet;

use arith::{Linear, Var};
use smt::Formula;

use super::oracles::{Oracles, Stop};
use super::rank::RestrictedEdge;

/// A condition, the steps on which it stays true, and those on which it stays false.
pub(super) struct Distinction {
    pub(super) condition: Formula,
    pub(super) inside: Vec<RestrictedEdge>,
    pub(super) outside: Vec<RestrictedEdge>,
}

/// The number of tests of a condition on a step. In a large component fewer conditions are tried.
const TRIALS: usize = 1200;

/// The best distinction of a component, if there is one with steps in both cases.
pub(super) fn distinction(
    component: &[RestrictedEdge],
    oracles: &mut Oracles<'_>,
) -> Result<Option<Distinction>, Stop> {
    let mut atoms = BTreeSet::new();
    component.iter().for_each(|step| step.guard.collect_atoms(&mut atoms));
    for (cell, next) in component.iter().flat_map(|step| &step.update) {
        let change = next.plus(-1, &Linear::var(*cell))?;
        if change.as_constant().is_none() {
            atoms.extend(
                [change.successor(), change.opposite().successor()].map(|term| Formula::at_most(&term)),
            );
        }
    }
    let cells = Var(oracles.cells() as u32);
    let stated = atoms.into_iter().filter(|atom| atom.vars().iter().all(|var| *var < cells));
    let conditions: BTreeSet<Formula> = stated.flat_map(|atom| [atom.negated(), atom]).collect();
    let mut best: Option<((usize, usize, usize), Distinction)> = None;
    for condition in conditions.into_iter().take(TRIALS / component.len().max(1)) {
        let Some(found) = distinguished(component, &condition, oracles)? else { continue };
        let (inside, outside) = (found.inside.len(), found.outside.len());
        let merit = (found.unmet(), component.len() * 2 - inside - outside, inside.min(outside));
        if best.as_ref().is_none_or(|(other, _)| merit > *other) {
            best = Some((merit, found));
        }
    }
    Ok(best.map(|(_, found)| found))
}

/// The cases of a condition, if no step makes it false.
fn distinguished(
    component: &[RestrictedEdge],
    condition: &Formula,
    oracles: &mut Oracles<'_>,
) -> Result<Option<Distinction>, Stop> {
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for step in component {
        let after = condition.replaced(&|var| step.update.get(&var))?;
        let restricted = |here: Formula, there: Formula| RestrictedEdge {
            guard: Formula::and([step.guard.clone(), here, there]),
            ..step.clone()
        };
        if !oracles.is_empty(&restricted(condition.clone(), after.negated()).guard)? {
            return Ok(None);
        }
        let always = restricted(condition.clone(), after.clone());
        if !oracles.is_empty(&always.guard)? {
            inside.push(always);
        }
        let never = restricted(condition.negated(), after.negated());
        if !oracles.is_empty(&never.guard)? {
            outside.push(never);
        }
    }
    let both = !inside.is_empty() && !outside.is_empty();
    Ok(both.then(|| Distinction { condition: condition.clone(), inside, outside }))
}

impl Distinction {
    /// How many requirements are triggered in one of the cases and not met there.
    fn unmet(&self) -> usize {
        let unmet = |part: &[RestrictedEdge], requirement: usize| {
            part.iter().any(|step| step.when[requirement]) && !part.iter().any(|step| step.then[requirement])
        };
        let requirements = self.inside.first().map_or(0, |step| step.when.len());
        let parts = [&self.inside, &self.outside];
        parts.iter().map(|part| (0..requirements).filter(|number| unmet(part, *number)).count()).sum()
    }
}
