//! Ranking functions in pieces: places split by conditions that a run may make true and false again and again.
//!
//! `min(x, y)` is linear where `x < y` and linear elsewhere. So we split every place of a component by a condition, and every
//! step by whether the condition is true before and after it. A function with one term per split place is a function in
//! pieces [Urb13], and the search for it is the usual one. Minima, maxima and absolute values are such functions, and so are
//! those that hold only after the first round of a loop: a condition that every round makes true splits off the first one.
//!
//! The candidates are the atoms of the guards, what steps establish between two cells, and the order of two cells that
//! guards bound. Each is tried alone, those first that leave the fewest steps; then the best of them in pairs. A piece is a set
//! of states, so the judge needs no split places: a function becomes a conditional term per place.

use std::collections::{BTreeMap, BTreeSet};

use arith::{Linear, Var};
use smt::Formula;

use super::oracles::{Oracles, Stop, unless_overflow};
use super::rank::{Argument, Depth, RestrictedEdge, exhaust, places_of};

/// The number of conditions that are tried alone, and of those that are tried in pairs.
const ALONE: usize = 24;
const PAIRED: usize = 6;

/// The number of emptiness tests for splitting a component by all candidates.
const TRIALS: usize = 1200;

/// The greatest number of steps that a component may have after a split.
const STEPS: usize = 64;

/// A component whose places are split: the numbers of its places are positions in `pieces`.
#[derive(Clone)]
struct Split {
    /// The place and the states of each piece.
    pieces: Vec<(usize, Formula)>,
    steps: Vec<RestrictedEdge>,
}

/// Arguments that remove all steps of a component, with functions in pieces.
pub(super) fn in_pieces(
    component: &[RestrictedEdge],
    places: usize,
    oracles: &mut Oracles<'_>,
) -> Result<Option<Vec<Argument>>, Stop> {
    let whole = Split {
        pieces: (0..places).map(|place| (place, Formula::Bool(true))).collect(),
        steps: component.to_vec(),
    };
    let mut tried: Vec<(usize, Formula, Split)> = Vec::new();
    let conditions = candidates(component, oracles.cells())?;
    for condition in conditions.into_iter().take(TRIALS / (4 * component.len().max(1))) {
        let split = whole.by(&condition, oracles)?;
        // A condition that is always true, or always false, splits nothing.
        if split.steps.len() <= STEPS && places_of(&split.steps).len() > places_of(component).len() {
            tried.push((split.steps.len(), condition, split));
        }
    }
    tried.sort_by_key(|(steps, ..)| *steps);
    tried.truncate(ALONE);
    for (_, _, split) in &tried {
        if let Some(found) = split.removed(oracles)? {
            return Ok(Some(found));
        }
    }
    tried.truncate(PAIRED);
    for (position, (_, _, split)) in tried.iter().enumerate() {
        for (_, condition, _) in &tried[position + 1..] {
            let finer = split.by(condition, oracles)?;
            if finer.steps.len() <= STEPS
                && let Some(found) = finer.removed(oracles)?
            {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

impl Split {
    /// Splits every place that has steps by a condition.
    fn by(&self, condition: &Formula, oracles: &mut Oracles<'_>) -> Result<Split, Stop> {
        let mut pieces = Vec::new();
        let mut of: BTreeMap<usize, usize> = BTreeMap::new();
        let cases = [condition.clone(), condition.negated()];
        for place in places_of(&self.steps) {
            of.insert(place, pieces.len());
            let (real, states) = &self.pieces[place];
            pieces.extend(cases.iter().map(|case| (*real, Formula::and([states.clone(), case.clone()]))));
        }
        let mut steps = Vec::new();
        for step in &self.steps {
            for (before, here) in cases.iter().enumerate() {
                for (after, there) in cases.iter().enumerate() {
                    let there = there.replaced(&|var| step.update.get(&var))?;
                    let guard = Formula::and([step.guard.clone(), here.clone(), there]);
                    if !oracles.is_empty(&guard)? {
                        let (source, target) = (of[&step.source] + before, of[&step.target] + after);
                        steps.push(RestrictedEdge { source, target, guard, ..step.clone() });
                    }
                }
            }
        }
        Ok(Split { pieces, steps })
    }

    /// Arguments about the places that are not split, if all steps are removed.
    fn removed(&self, oracles: &mut Oracles<'_>) -> Result<Option<Vec<Argument>>, Stop> {
        let ranked = exhaust(self.steps.clone(), self.pieces.len(), Depth::Pieces, oracles);
        let ranked = unless_overflow(ranked.map(Some))?.filter(|ranked| ranked.stuck.is_empty());
        Ok(ranked.map(|ranked| ranked.arguments.into_iter().map(|argument| self.joined(argument)).collect()))
    }

    /// An argument about pieces as one about places.
    fn joined(&self, argument: Argument) -> Argument {
        match argument {
            Argument::Rank(function) => {
                let mut joined: BTreeMap<usize, Vec<(Formula, Linear)>> = BTreeMap::new();
                for (piece, terms) in function {
                    let (place, states) = &self.pieces[piece];
                    let inside =
                        terms.into_iter().map(|(set, term)| (Formula::and([states.clone(), set]), term));
                    joined.entry(*place).or_default().extend(inside);
                }
                Argument::Rank(joined)
            }
            Argument::Requirement(sets, requirement) => {
                let mut joined: BTreeMap<usize, Formula> = BTreeMap::new();
                for (piece, set) in sets {
                    let (place, states) = &self.pieces[piece];
                    let known = joined.remove(place).unwrap_or(Formula::Bool(false));
                    joined.insert(*place, Formula::or([known, Formula::and([states.clone(), set])]));
                }
                Argument::Requirement(joined, requirement)
            }
            Argument::Nested(..) => unreachable!("a search in pieces has no nested functions"),
        }
    }
}

/// Conditions by which places may be split, each without its negation.
fn candidates(component: &[RestrictedEdge], cells: usize) -> Result<Vec<Formula>, Stop> {
    let mut atoms = BTreeSet::new();
    component.iter().for_each(|step| step.guard.collect_atoms(&mut atoms));
    let of_cells = |var: &Var| (var.0 as usize) < cells;
    let mut bounded: BTreeSet<Var> = BTreeSet::new();
    let mut found: Vec<Formula> = Vec::new();
    let mut add = |atom: Formula| {
        if atom.vars().iter().all(of_cells) && !found.contains(&atom) && !found.contains(&atom.negated()) {
            found.push(atom);
        }
    };
    for atom in atoms {
        if let Formula::AtMost(term) = &atom {
            bounded.extend(term.terms().iter().map(|(var, _)| *var).filter(of_cells));
        }
        add(atom);
    }
    // What a step makes of two cells: a fixed difference, or a fixed sum.
    for step in component {
        for (first, one) in &step.update {
            for second in &bounded {
                let own = Linear::var(*second);
                let other = step.update.get(second).unwrap_or(&own);
                for sign in [-1, 1] {
                    if first != second
                        && let Some(value) = one.plus(sign, other)?.as_constant()
                    {
                        add(Formula::zero(
                            &Linear::var(*first).plus(sign, &Linear::var(*second))?.shifted(-value)?,
                        ));
                    }
                }
            }
        }
    }
    for first in &bounded {
        for second in bounded.range(..first) {
            add(Formula::at_most(&Linear::var(*first).plus(-1, &Linear::var(*second))?));
        }
    }
    Ok(found)
}
