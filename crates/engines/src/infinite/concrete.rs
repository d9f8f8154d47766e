//! Candidate cycles from concrete runs.
//!
//! Short cycles are tried first, and few of them. A run that goes through a long cycle is often found by just running:
//! from a few states with small values, near the constants of the guards, we take the first step that is possible,
//! again and again. If a state comes back, the steps between are a cycle; if the last steps of a long run repeat, so
//! are those of one period, although its values grow. The cycles found are then looked at like all others, with any
//! values [GHMRX08], so nothing depends on the values of a run.

use std::collections::{BTreeMap, BTreeSet};

use arith::{Linear, Var};
use smt::Formula;

use super::oracles::{Oracles, Stop};
use super::program::Program;
use super::rank::RestrictedEdge;
use super::witness::At;

/// The number of first states, the length of a run, and the greatest length of a cycle.
const RUNS: usize = 24;
const STEPS: usize = 240;
const PERIOD: usize = 40;

/// Cycles of concrete runs inside a strong component, as positions of steps, each once.
pub(super) fn cycles(
    program: &Program,
    component: &[RestrictedEdge],
    stay: &[Formula],
    wanted: &[Formula],
    oracles: &mut Oracles<'_>,
) -> Result<Vec<Vec<usize>>, Stop> {
    let places: BTreeSet<usize> = component.iter().map(|step| step.source).collect();
    let numbers = numbers(component);
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut runs = 0;
    for place in places {
        let leaving = component.iter().filter(|step| step.source == place);
        let inside = Formula::and([
            wanted[place].clone(),
            stay[place].clone(),
            Formula::or(leaving.map(|step| step.guard.clone())),
        ]);
        let vars = inside.vars().into_iter().filter(|var| (var.0 as usize) < program.cells);
        let near = vars.flat_map(|var| numbers.iter().map(move |number| (var, *number)));
        for (var, number) in near {
            if runs == RUNS {
                return Ok(found);
            }
            let Ok(there) = Formula::eq(&Linear::var(var), &Linear::constant(number)) else { continue };
            let Some(model) = oracles.model(&Formula::and([inside.clone(), there]))? else { continue };
            runs += 1;
            let from = At::of(program, place, &|var| model.value(var));
            if let Some(cycle) = cycle(program, component, stay, from)
                && !found.contains(&cycle)
            {
                found.push(cycle);
            }
        }
    }
    Ok(found)
}

/// Numbers at and beside the bounds of guards with one variable, and the constants of updates.
fn numbers(component: &[RestrictedEdge]) -> BTreeSet<i128> {
    let mut numbers = BTreeSet::from([0]);
    let mut atoms = BTreeSet::new();
    component.iter().for_each(|step| step.guard.collect_atoms(&mut atoms));
    for atom in atoms {
        let (Formula::AtMost(term) | Formula::Zero(term) | Formula::Divides(_, term, _)) = atom else {
            continue;
        };
        if let [(_, coefficient)] = term.terms()
            && let Some(bound) = term.free().checked_neg().and_then(|free| free.checked_div(*coefficient))
        {
            numbers.extend([bound.saturating_sub(1), bound, bound.saturating_add(1)]);
        }
    }
    let constants = component.iter().flat_map(|step| step.update.values()).filter_map(Linear::as_constant);
    numbers.extend(constants);
    numbers.into_iter().filter(|number| number.abs() < 1 << 20).take(16).collect()
}

/// The cycle that a run from this state gets into, if it does.
fn cycle(program: &Program, component: &[RestrictedEdge], stay: &[Formula], from: At) -> Option<Vec<usize>> {
    let mut met: BTreeMap<(usize, Vec<i128>), usize> = BTreeMap::new();
    let mut steps: Vec<usize> = Vec::new();
    let mut at = from;
    while steps.len() < STEPS {
        if let Some(begin) = met.insert((at.place, at.values.clone()), steps.len()) {
            return Some(steps.split_off(begin)).filter(|cycle| cycle.len() <= PERIOD);
        }
        let next = component.iter().enumerate().filter(|(_, step)| step.source == at.place).find_map(
            |(number, step)| {
                // Chosen integers are 0, or 1.
                [0, 1].into_iter().find_map(|choice| {
                    let of = |var: Var| at.values.get(var.0 as usize).copied().unwrap_or(choice);
                    let after = at.after(program, step.edge, &|_| choice).ok()?;
                    let stays =
                        step.guard.holds(&of) == Ok(true) && after.satisfies(&stay[step.target]) == Ok(true);
                    stays.then_some((number, after))
                })
            },
        );
        let Some((number, after)) = next else { break };
        steps.push(number);
        at = after;
    }
    // Values that grow never come back, but the steps do.
    let (length, begins) =
        (steps.len(), |period: usize| component[steps[steps.len() - period]].source == at.place);
    (1..=PERIOD.min(length / 3))
        .find(|period| {
            (length - 2 * period..length).all(|at| steps[at] == steps[at - period]) && begins(*period)
        })
        .map(|period| steps[length - period..].to_vec())
}
