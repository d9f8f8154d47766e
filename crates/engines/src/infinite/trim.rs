//! Removes steps after which none of the steps that are left can be taken.
//!
//! When a requirement has removed the steps from some states, a step that leads into such a state is the last one. So it
//! happens finitely often: the function that is 1 where some step is left and 0 elsewhere never rises and falls on it. This is
//! how requirements of several steps are chained: a message that is put again and again can be taken again and again, and
//! then acknowledged. A step that leads there only from some of its states is narrowed to the others. Narrowing may
//! go on for ever, as every step of a countdown is the last one from some state, so it is done a few times only.

use std::collections::BTreeMap;

use smt::Formula;

use super::oracles::{Oracles, Stop};
use super::rank::RestrictedEdge;

/// What is left of a component.
pub(super) struct Trimmed {
    /// Per place, the states from which a step could be taken.
    pub(super) going: BTreeMap<usize, Formula>,
    pub(super) steps: Vec<RestrictedEdge>,
    /// Whether steps were narrowed, and not only removed.
    pub(super) narrowed: bool,
}

/// How often steps are narrowed.
const TRIMS: usize = 4;

/// The greatest number of steps of a component that is trimmed. Every step is compared with those after it.
const STEPS: usize = 32;

/// The component without the steps that cannot go on, if there are any.
pub(super) fn trimmed(
    component: &[RestrictedEdge],
    trims: usize,
    oracles: &mut Oracles<'_>,
) -> Result<Option<Trimmed>, Stop> {
    if component.len() > STEPS {
        return Ok(None);
    }
    let mut leaving: BTreeMap<usize, Vec<Formula>> = BTreeMap::new();
    for step in component {
        let Some(guard) = oracles.project(&step.guard)? else { return Ok(None) };
        leaving.entry(step.source).or_default().push(guard);
    }
    let (mut steps, mut narrowed, mut removed) = (Vec::new(), false, false);
    for step in component {
        let mut onward = Vec::new();
        for guard in leaving.get(&step.target).into_iter().flatten() {
            let after = guard.replaced(&|var| step.update.get(&var))?;
            if !oracles.is_empty(&Formula::and([step.guard.clone(), after.clone()]))? {
                onward.push(oracles.short(&step.guard, after)?);
            }
        }
        if onward.is_empty() {
            removed = true;
            continue;
        }
        let onward = Formula::or(onward);
        if trims >= TRIMS || oracles.implies(&step.guard, &onward)? {
            steps.push(step.clone());
            continue;
        }
        narrowed = true;
        steps.push(RestrictedEdge { guard: Formula::and([step.guard.clone(), onward]), ..step.clone() });
    }
    let going = leaving.into_iter().map(|(place, guards)| (place, Formula::or(guards))).collect();
    Ok((removed || narrowed).then_some(Trimmed { going, steps, narrowed }))
}
