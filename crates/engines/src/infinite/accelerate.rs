//! Acceleration: finds states from which repeating a loop often enough leads to a set.
//!
//! Let a loop through a place have the guard `g` and the affine effect `u`, and let the set be `k ∧ t <= 0` for one
//! of its inequalities. Take a state with `t >= 1`. If the loop can be taken, keeps `k` true and makes `t` smaller,
//! and afterwards can be taken again or has arrived, then it arrives after at most `t` rounds. So `t` ranks the
//! states at the beginning of a round. In the middle of a round, the rank is the value of `t` at its end together
//! with the number of steps until then. This turns `x = 7` and the loop `x := x - 1` into `x >= 7`, where going
//! backwards step by step would never end.
//!
//! If a round only adds constants and takes 1 from `t`, then the state after `t` rounds is linear in the first one, so
//! the states that arrive are known exactly [Boi98]: the loop can be taken first and last, and so in between.

use std::collections::BTreeMap;

use arith::{Linear, Overflow, Var};
use smt::Formula;

use super::moves::{Move, Rank, moves};
use super::oracles::{Oracles, Stop};
use super::program::{Edge, Program};

/// A loop from its least place.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) place: usize,
    /// Its edges, with the integers chosen on them.
    edges: Vec<Taken>,
    guard: Formula,
    map: BTreeMap<Var, Linear>,
}

/// An edge by number, the integers chosen on it, and the edge with these substituted.
type Taken = (usize, BTreeMap<Var, Linear>, Edge);

/// The greatest length of a loop, the number of loops, and the number of ways to choose integers on one.
const LENGTH: usize = 12;
const LOOPS: usize = 40;
const WAYS: usize = 3;

/// Simple loops inside `stay`.
pub(super) fn loops(
    program: &Program,
    stay: &[Formula],
    invariant: &[Formula],
) -> Result<Vec<Loop>, Overflow> {
    let passable = |edge: &Edge| {
        invariant[edge.source] != Formula::Bool(false)
            && stay[edge.source] != Formula::Bool(false)
            && (edge.source != edge.target || !edge.update.is_empty())
    };
    let mut found = Vec::new();
    let usable: Vec<usize> =
        (0..program.edges.len()).filter(|edge| passable(&program.edges[*edge])).collect();
    let mut paths: Vec<Vec<usize>> = usable.iter().map(|edge| vec![*edge]).collect();
    for _ in 0..LENGTH {
        let mut longer = Vec::new();
        for path in paths {
            let first = program.edges[path[0]].source;
            let last = program.edges[path[path.len() - 1]].target;
            if first == last {
                found.extend(looped(program, &path, stay)?);
                if found.len() >= LOOPS {
                    return Ok(found);
                }
                continue;
            }
            let again = path.iter().any(|before| program.edges[*before].source == last);
            if again || last < first {
                continue;
            }
            for edge in usable.iter().filter(|edge| program.edges[**edge].source == last) {
                if longer.len() < 400 {
                    longer.push(path.iter().copied().chain([*edge]).collect());
                }
            }
        }
        paths = longer;
    }
    Ok(found)
}

/// The ways to take a loop: integers are chosen so that the loop can be continued.
fn looped(program: &Program, path: &[usize], stay: &[Formula]) -> Result<Vec<Loop>, Overflow> {
    let mut ways = vec![(Formula::Bool(true), Vec::new())];
    for number in path.iter().rev() {
        let edge = &program.edges[*number];
        let mut before = Vec::new();
        for (guard, edges) in &ways {
            for found in moves(program, *number, &edge.guard, &stay[edge.source], guard)? {
                let with = |var: Var| found.chosen.get(&var);
                let update = edge.update.iter().map(|(var, term)| Ok((*var, term.replaced(&with)?)));
                let update = update.collect::<Result<_, Overflow>>()?;
                let taken = Edge { guard: edge.guard.replaced(&with)?, update, ..edge.clone() };
                let edges = std::iter::once((*number, found.chosen.clone(), taken)).chain(edges.clone());
                before.push((found.states, edges.collect()));
            }
        }
        before.truncate(WAYS);
        ways = before;
    }
    let around = |(guard, edges): (Formula, Vec<Taken>)| {
        let mut map: BTreeMap<Var, Linear> = BTreeMap::new();
        for (_, _, edge) in &edges {
            let next = edge.update.iter().map(|(var, term)| Ok((*var, term.replaced(&|var| map.get(&var))?)));
            let next = next.collect::<Result<Vec<(Var, Linear)>, Overflow>>()?;
            map.extend(next);
        }
        Ok(Loop { place: program.edges[path[0]].source, edges, guard, map })
    };
    ways.into_iter().map(around).collect()
}

/// The states from which `term` rounds lead into a set, if a round adds constants and takes 1 from the term.
fn exactly(around: &Loop, set: &Formula, term: &Linear) -> Result<Option<Formula>, Overflow> {
    let added = |var: Var, next: &Linear| next.plus(-1, &Linear::var(var)).ok()?.as_constant();
    let added: Option<Vec<(Var, i128)>> =
        around.map.iter().map(|(var, next)| Some((*var, added(*var, next)?))).collect();
    let Some(added) = added else { return Ok(None) };
    let falls: i128 = added.iter().map(|(var, by)| term.coefficient(*var).saturating_mul(*by)).sum();
    if falls != -1 {
        return Ok(None);
    }
    // The state after this many rounds.
    let later = |rounds: &Linear| -> Result<BTreeMap<Var, Linear>, Overflow> {
        added.iter().map(|(var, by)| Ok((*var, Linear::var(*var).plus(*by, rounds)?))).collect()
    };
    let (last, end) = (later(&term.shifted(-1)?)?, later(term)?);
    Ok(Some(Formula::and([
        Formula::at_most(&term.opposite().successor()),
        around.guard.clone(),
        around.guard.replaced(&|var| last.get(&var))?,
        set.replaced(&|var| end.get(&var))?,
    ])))
}

/// Moves along the loop from states that finally reach `set`; none if this method does not find any.
pub(super) fn many_rounds(
    around: &Loop,
    set: &Formula,
    stay: &[Formula],
    oracles: &mut Oracles<'_>,
) -> Result<Vec<Move>, Stop> {
    let mut atoms = Vec::new();
    for part in match set {
        Formula::And(parts) => parts.clone(),
        Formula::Or(_) | Formula::Bool(_) => return Ok(Vec::new()),
        other => vec![other.clone()],
    } {
        match part {
            Formula::Zero(term) => {
                atoms.extend([Formula::at_most(&term), Formula::at_most(&term.opposite())]);
            }
            other => atoms.push(other),
        }
    }
    let after = |formula: &Formula| formula.replaced(&|var| around.map.get(&var));
    for (position, atom) in atoms.iter().enumerate() {
        let Formula::AtMost(term) = atom else { continue };
        let next = term.replaced(&|var| around.map.get(&var))?;
        if next == *term {
            continue;
        }
        let kept =
            Formula::and(atoms.iter().enumerate().filter(|(p, _)| *p != position).map(|(_, a)| a.clone()));
        let from = Formula::and([
            kept.clone(),
            Formula::at_most(&term.opposite().successor()),
            around.guard.clone(),
            Formula::at_most(&next.plus(-1, term)?.successor()),
        ]);
        let mut found = None;
        for from in std::iter::once(from).chain(exactly(around, set, term)?) {
            let onward = Formula::or([after(&from)?, after(set)?]);
            if !oracles.is_empty(&from)? && oracles.implies(&from, &onward)? {
                found = Some(from);
                break;
            }
        }
        let Some(from) = found else { continue };
        // Along the loop: the states from which the rest of it leads to its beginning, or to the set.
        let mut goal = Formula::or([from.clone(), set.clone()]);
        let mut moves = Vec::new();
        let (scale, mut rounds) = (around.edges.len() as i128, term.clone());
        for (position, (number, chosen, edge)) in around.edges.iter().enumerate().rev() {
            let here = Formula::and([edge.guard.clone(), stay[edge.source].clone(), edge.before(&goal)?]);
            goal = here.clone();
            rounds = rounds.replaced(&|var| edge.update.get(&var))?;
            let rank = match position {
                0 => Rank { rounds: term.clone(), scale, rest: 0 },
                _ => Rank { rounds: rounds.clone(), scale, rest: scale - position as i128 },
            };
            moves.push(Move {
                place: edge.source,
                states: if position == 0 { from.clone() } else { here },
                edge: Some(*number),
                chosen: chosen.clone(),
                target: edge.target,
                rank: Some(rank),
            });
        }
        moves.reverse();
        return Ok(moves);
    }
    Ok(Vec::new())
}
