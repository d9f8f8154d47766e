//! Recurrent sets: sets of states in which some fair run can stay for ever.
//!
//! A *cycle* of steps through places, with the chosen integers as terms, is one affine map `u` with one guard. A set
//! `G` inside the guard with `G ⇒ G∘u` is closed [GHMRX08], so a run can repeat the cycle for ever. The run is fair
//! if each requirement has a `then` step on the cycle or no `when` step. Cycles are tried by length, then pairs of
//! cycles through one place. The candidates for `G` are: the guard where `u` changes nothing that the guard depends
//! on, the guard where no bound comes closer, the guard strengthened by its own preimages until it is closed, and the guard
//! with one more inequality ([`closed`](super::closed)). Where values grow by factors, it is also a *box*: every variable
//! is at least, or at most, what it is in one state, as it only grows, or shrinks, from there (the geometric arguments
//! of [LH18], up to a choice of one corner).
//!
//! If there is no fairness to meet, or every step meets it, a run need not be periodic. Then we also search for the
//! greatest set of states that have a step into the set, for a few rounds. This covers infinite outer loops around
//! finite inner loops. With fairness to meet, inner loops need ranks ([`returning`](super::returning)). At last, cycles that
//! concrete runs get into are tried ([`concrete`]).

use std::collections::{BTreeMap, BTreeSet};

use arith::{Linear, Overflow, Var};
use smt::Formula;

use super::concrete;
use super::moves::{Move, moves};
use super::oracles::{Oracles, Satisfiability, Stop, unless_overflow};
use super::program::Program;
use super::rank::RestrictedEdge;
use super::returning::returning;

/// A recurrent set.
#[derive(Clone, Debug)]
pub(super) struct Recurrence {
    /// Whether each set moves into the next.
    pub(super) ordered: bool,
    pub(super) moves: Vec<Move>,
}

/// The number of cycles of a component that are tried, and their greatest length.
const CYCLES: usize = 60;
const LENGTH: usize = 40;
/// The number of pairs of cycles that are tried.
const LONGER: usize = 20;
/// How often a set is strengthened by its preimage.
const ROUNDS: usize = 4;
/// The number of ways to choose integers along a cycle that are tried.
const WAYS: usize = 6;

/// Says whether the runs in a recurrent set are fair in every respect that steps do not show.
pub(super) type Accepts<'f> = dyn FnMut(&Recurrence, &mut Oracles<'_>) -> Result<bool, Stop> + 'f;

/// A recurrent set in a strong component of steps, inside `stay` at each place, that `fair` accepts.
pub(super) fn recurrence(
    program: &Program,
    component: &[RestrictedEdge],
    stay: &[Formula],
    wanted: &[Formula],
    fair: &mut Accepts<'_>,
    oracles: &mut Oracles<'_>,
) -> Result<Option<Recurrence>, Stop> {
    let cycles = cycles(component);
    let mut longer = Vec::new();
    for (position, first) in cycles.iter().enumerate() {
        for second in &cycles[position + 1..] {
            longer.extend(joined(component, first, second));
        }
    }
    longer.truncate(LONGER);
    for cycle in cycles.iter().chain(&longer).filter(|cycle| is_fair(component, cycle)) {
        // Numbers may grow with every round of a cycle until they overflow. Then this cycle fails.
        let found = closed(program, component, cycle, stay, wanted, oracles);
        if let Some(found) = unless_overflow(found)?
            && fair(&found, oracles)?
        {
            return Ok(Some(found));
        }
    }
    if let Some(found) = endless(program, component, stay, wanted, oracles)?
        && fair(&found, oracles)?
    {
        return Ok(Some(found));
    }
    if let Some(found) = returning(program, component, &cycles, stay, wanted, oracles)?
        && fair(&found, oracles)?
    {
        return Ok(Some(found));
    }
    for cycle in concrete::cycles(program, component, stay, wanted, oracles)? {
        if is_fair(component, &cycle) && !cycles.contains(&cycle) {
            let found = closed(program, component, &cycle, stay, wanted, oracles);
            if let Some(found) = unless_overflow(found)?
                && fair(&found, oracles)?
            {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// The greatest set, inside `stay`, of states with a step into it that violates no requirement, if it is found in a
/// few rounds.
pub(super) fn endless(
    program: &Program,
    steps: &[RestrictedEdge],
    stay: &[Formula],
    wanted: &[Formula],
    oracles: &mut Oracles<'_>,
) -> Result<Option<Recurrence>, Stop> {
    // Keep the steps that meet every requirement they trigger.
    let mut free = steps.to_vec();
    free.retain(|step| step.when.iter().all(|when| !when));
    if free.is_empty() {
        return Ok(None);
    }
    unless_overflow(live(program, &free, stay, wanted, oracles))
}

/// Simple cycles, as positions of steps, shortest first.
fn cycles(component: &[RestrictedEdge]) -> Vec<Vec<usize>> {
    let mut leaving: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, step) in component.iter().enumerate() {
        leaving.entry(step.source).or_default().push(number);
    }
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut paths: Vec<Vec<usize>> = (0..component.len()).map(|step| vec![step]).collect();
    let mut budget = 20_000usize;
    for _ in 0..LENGTH {
        let mut longer = Vec::new();
        for path in paths {
            let (first, last) = (component[path[0]].source, component[path[path.len() - 1]].target);
            if first == last {
                found.push(path);
                if found.len() >= CYCLES {
                    return found;
                }
                continue;
            }
            for next in leaving.get(&last).into_iter().flatten() {
                // Each cycle is found once, from its least place.
                let target = component[*next].target;
                let repeats =
                    target < first || path[1..].iter().any(|step| component[*step].source == target);
                if !repeats && component[*next].source != first && budget > 0 {
                    budget -= 1;
                    let mut path = path.clone();
                    path.push(*next);
                    longer.push(path);
                }
            }
        }
        if longer.is_empty() {
            break;
        }
        paths = longer;
    }
    found
}

/// Two cycles one after the other, if they meet.
fn joined(component: &[RestrictedEdge], first: &[usize], second: &[usize]) -> Option<Vec<usize>> {
    for (position, step) in first.iter().enumerate() {
        let place = component[*step].source;
        if let Some(other) = second.iter().position(|step| component[*step].source == place) {
            let rotated = |cycle: &[usize], by: usize| [&cycle[by..], &cycle[..by]].concat();
            return Some([rotated(first, position), rotated(second, other)].concat());
        }
    }
    None
}

fn is_fair(component: &[RestrictedEdge], cycle: &[usize]) -> bool {
    let requirements = component[cycle[0]].when.len();
    (0..requirements).all(|requirement| {
        cycle.iter().any(|step| component[*step].then[requirement])
            || !cycle.iter().any(|step| component[*step].when[requirement])
    })
}

/// A way around a cycle: the integers chosen at each step, and the condition at its beginning.
struct Way {
    guard: Formula,
    chosen: Vec<BTreeMap<Var, Linear>>,
}

/// A closed set on a cycle.
fn closed(
    program: &Program,
    component: &[RestrictedEdge],
    cycle: &[usize],
    stay: &[Formula],
    wanted: &[Formula],
    oracles: &mut Oracles<'_>,
) -> Result<Option<Recurrence>, Stop> {
    let first = component[cycle[0]].source;
    let mut ways = vec![Way { guard: Formula::Bool(true), chosen: Vec::new() }];
    for number in cycle.iter().rev() {
        let step = &component[*number];
        let mut before = Vec::new();
        for way in &ways {
            for found in moves(program, step.edge, &step.guard, &stay[step.source], &way.guard)? {
                if before.len() >= WAYS {
                    break;
                }
                let mut chosen = way.chosen.clone();
                chosen.insert(0, found.chosen);
                before.push(Way { guard: found.states, chosen });
            }
        }
        let mut possible = Vec::new();
        for way in before {
            if !oracles.is_empty(&way.guard)? {
                possible.push(way);
            }
        }
        ways = possible;
    }
    for way in ways {
        let map = composed(program, component, cycle, &way.chosen)?;
        let mut candidates = candidates(&way.guard, &map)?;
        let several = candidates.last().cloned().unwrap_or(Formula::Bool(true));
        let mut next = 0;
        let boxed = unless_overflow(boxes(&several, &wanted[first], &map, oracles).map(Some))?;
        candidates.extend(boxed.unwrap_or_default());
        loop {
            if next == candidates.len() {
                // The last one is what can go around several times.
                let start = Formula::and([several.clone(), wanted[first].clone()]);
                let found = unless_overflow(super::closed::closed(&way.guard, &map, &start, oracles))?;
                let Some(found) = found.filter(|found| !candidates.contains(found)) else { break };
                candidates.push(found);
            }
            let candidate = candidates[next].clone();
            next += 1;
            let after = candidate.replaced(&|var| map.get(&var))?;
            if oracles.is_empty(&Formula::and([candidate.clone(), wanted[first].clone()]))?
                || !oracles.implies(&candidate, &Formula::and([after, way.guard.clone()]))?
            {
                continue;
            }
            return Ok(Some(around(program, component, cycle, &way.chosen, stay, &candidate)?));
        }
    }
    Ok(None)
}

/// The effect of one round on each cell it changes.
fn composed(
    program: &Program,
    component: &[RestrictedEdge],
    cycle: &[usize],
    chosen: &[BTreeMap<Var, Linear>],
) -> Result<BTreeMap<Var, Linear>, Overflow> {
    let mut map: BTreeMap<Var, Linear> = BTreeMap::new();
    for (number, chosen) in cycle.iter().zip(chosen) {
        let edge = &program.edges[component[*number].edge];
        let next = edge
            .update
            .iter()
            .map(|(var, term)| {
                let term = term.replaced(&|var| chosen.get(&var))?;
                Ok((*var, term.replaced(&|var| map.get(&var))?))
            })
            .collect::<Result<Vec<(Var, Linear)>, Overflow>>()?;
        map.extend(next);
    }
    map.retain(|var, term| *term != Linear::var(*var));
    Ok(map)
}

/// Subsets of a guard that may be closed under a map.
fn candidates(guard: &Formula, map: &BTreeMap<Var, Linear>) -> Result<Vec<Formula>, Overflow> {
    let after = |formula: &Formula| formula.replaced(&|var| map.get(&var));
    let change = |term: &Linear| term.replaced(&|var| map.get(&var))?.plus(-1, term);
    // Nothing that the guard depends on changes.
    let mut matters: BTreeSet<Var> = guard.vars();
    loop {
        let more: BTreeSet<Var> = matters
            .iter()
            .filter_map(|var| map.get(var))
            .flat_map(|term| term.terms().iter().map(|(var, _)| *var))
            .collect();
        let before = matters.len();
        matters.extend(more);
        if matters.len() == before {
            break;
        }
    }
    let still =
        matters.iter().filter_map(|var| map.get(var).map(|term| Formula::eq(&Linear::var(*var), term)));
    let still = Formula::try_and(std::iter::once(Ok(guard.clone())).chain(still))?;
    // No bound comes closer, and no later round makes it come closer.
    let calm = calm(guard, &change, 3)?;
    let mut found = vec![calm, still];
    let mut strengthened = guard.clone();
    for _ in 0..ROUNDS {
        found.push(strengthened.clone());
        strengthened = Formula::and([strengthened.clone(), after(&strengthened)?]);
    }
    // All cells keep their values, so that the run is periodic.
    let all = map.iter().map(|(var, term)| Formula::eq(&Linear::var(*var), term));
    found.insert(0, Formula::try_and(std::iter::once(Ok(guard.clone())).chain(all))?);
    Ok(found)
}

/// The greatest number of variables of a box.
const SIDES: usize = 4;

/// Sets of the form `x >= 4 && y <= 0`: from a state where a round moves every variable away from its bound. The
/// directions are tried in turn.
fn boxes(
    several: &Formula,
    wanted: &Formula,
    map: &BTreeMap<Var, Linear>,
    oracles: &mut Oracles<'_>,
) -> Result<Vec<Formula>, Stop> {
    let mut changes = Vec::new();
    for (var, term) in map {
        changes.push((*var, term.plus(-1, &Linear::var(*var))?));
    }
    // Where all changes are constant, the other candidates are enough.
    if changes.len() > SIDES || changes.iter().all(|(_, change)| change.as_constant().is_some()) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for directions in 0..1u32 << changes.len() {
        let grows = |position: usize| directions >> position & 1 == 0;
        let away = changes.iter().enumerate().map(|(position, (_, change))| {
            // The change is not negative, or not positive.
            Formula::at_most(&if grows(position) { change.opposite() } else { change.clone() })
        });
        let away = Formula::and(away);
        let later = away.replaced(&|var| map.get(&var))?;
        let corner = Formula::and([several.clone(), wanted.clone(), away, later]);
        let Satisfiability::Model(model) = oracles.find(&corner)? else { continue };
        let mut sides = Vec::new();
        for (position, (var, _)) in changes.iter().enumerate() {
            let beyond = Linear::var(*var).shifted(-model.value(*var))?;
            sides.push(Formula::at_most(&if grows(position) { beyond.opposite() } else { beyond }));
        }
        // What a round does not change stays as it is.
        for var in several.vars().into_iter().filter(|var| !map.contains_key(var)) {
            sides.push(Formula::eq(&Linear::var(var), &Linear::constant(model.value(var)))?);
        }
        found.push(Formula::and(sides));
    }
    Ok(found)
}

/// The formula strengthened so that each of its inequalities only gets further from its bound.
fn calm(
    formula: &Formula,
    change: &dyn Fn(&Linear) -> Result<Linear, Overflow>,
    depth: usize,
) -> Result<Formula, Overflow> {
    Ok(match formula {
        Formula::AtMost(term) => {
            let worse = change(term)?;
            let mut parts = vec![formula.clone()];
            match worse.as_constant() {
                Some(value) => parts.push(Formula::Bool(value <= 0)),
                None if depth > 0 => parts.push(calm(&Formula::at_most(&worse), change, depth - 1)?),
                None => parts.push(Formula::zero(&worse)),
            }
            Formula::and(parts)
        }
        Formula::Zero(term) => Formula::and([formula.clone(), Formula::zero(&change(term)?)]),
        Formula::And(parts) => Formula::try_and(parts.iter().map(|part| calm(part, change, depth)))?,
        Formula::Or(parts) => Formula::try_or(parts.iter().map(|part| calm(part, change, depth)))?,
        other => other.clone(),
    })
}

/// The sets along a cycle: `set` at its beginning, and then the states from which the rest of the cycle leads there.
fn around(
    program: &Program,
    component: &[RestrictedEdge],
    cycle: &[usize],
    chosen: &[BTreeMap<Var, Linear>],
    stay: &[Formula],
    set: &Formula,
) -> Result<Recurrence, Overflow> {
    let mut found = Vec::new();
    let mut next = set.clone();
    for (number, chosen) in cycle.iter().zip(chosen).rev() {
        let step = &component[*number];
        let edge = &program.edges[step.edge];
        let here = Formula::and([step.guard.clone(), stay[step.source].clone(), edge.before(&next)?]);
        let here = here.replaced(&|var| chosen.get(&var))?;
        next = here.clone();
        let states = if found.len() + 1 == cycle.len() { set.clone() } else { here };
        let (place, target) = (step.source, step.target);
        found.push(Move { place, states, edge: Some(step.edge), chosen: chosen.clone(), target, rank: None });
    }
    found.reverse();
    Ok(Recurrence { ordered: true, moves: found })
}

/// The greatest set of states with a step into it, if it is found in a few rounds.
pub(super) fn live(
    program: &Program,
    steps: &[RestrictedEdge],
    stay: &[Formula],
    wanted: &[Formula],
    oracles: &mut Oracles<'_>,
) -> Result<Option<Recurrence>, Stop> {
    let places: BTreeSet<usize> = steps.iter().map(|step| step.source).collect();
    let mut sets: BTreeMap<usize, Formula> =
        places.iter().map(|place| (*place, stay[*place].clone())).collect();
    for _ in 0..ROUNDS {
        let mut found: Vec<Move> = Vec::new();
        for step in steps {
            let Some(into) = sets.get(&step.target) else { continue };
            for candidate in moves(program, step.edge, &step.guard, &sets[&step.source], into)? {
                if !oracles.is_empty(&candidate.states)? {
                    found.push(candidate);
                }
            }
        }
        let mut stable = true;
        for (place, set) in &mut sets {
            let here = found.iter().filter(|found| found.place == *place).map(|found| found.states.clone());
            let next = Formula::or(here);
            if !oracles.implies(set, &next)? {
                stable = false;
                let leaner = oracles.lean(&Formula::Bool(true), next)?;
                *set = leaner;
            }
            if set.size() > 400 {
                return Ok(None);
            }
        }
        if stable {
            for (place, set) in &sets {
                if !oracles.is_empty(&Formula::and([set.clone(), wanted[*place].clone()]))? {
                    return Ok(Some(Recurrence { ordered: false, moves: found }));
                }
            }
            return Ok(None);
        }
    }
    Ok(None)
}
