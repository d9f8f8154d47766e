//! Acceleration: states from which going round a loop often enough leads to a set.
//!
//! Let a loop through a place have the guard `g` and the affine effect `u`, and let the set be `k ∧ t <= 0` for one of its
//! inequalities. Where `t >= 1`, if the loop can be taken, keeps `k` true and makes `t` smaller, and can then be taken
//! again or has arrived, it arrives after at most `t` rounds. So `t` ranks the states at the beginning of a round; in the
//! middle of one, what `t` will be at its end does, together with the number of steps until then. This turns `x = 7` and the loop `x := x - 1` into
//! `x >= 7`, where going backwards step by step never ends.

use std::collections::BTreeMap;

use smt::{Formula, Linear, Var};

use super::moves::{Move, Rank};
use super::program::Program;
use super::tools::{Ended, Tools};

/// A loop: its edges, none of which chooses an integer.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) place: usize,
    edges: Vec<usize>,
    guard: Formula,
    map: BTreeMap<Var, Linear>,
}

/// How long loops may be, and how many are looked at.
const LENGTH: usize = 6;
const LOOPS: usize = 24;

/// Simple loops inside `stay`, from each of their places.
pub(super) fn loops(program: &Program, stay: &[Formula], invariant: &[Formula]) -> Vec<Loop> {
    let passable = |edge: &super::program::Edge| {
        edge.choices.iter().all(|choice| choice.as_constant().is_some())
            && invariant[edge.source] != Formula::Bool(false)
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
                found.push(looped(program, path, stay));
                if found.len() >= LOOPS {
                    return found;
                }
                continue;
            }
            for edge in usable.iter().filter(|edge| program.edges[**edge].source == last) {
                let again = path.iter().any(|before| program.edges[*before].source == last);
                if !again && longer.len() < 400 {
                    longer.push(path.iter().copied().chain([*edge]).collect());
                }
            }
        }
        paths = longer;
    }
    found
}

fn looped(program: &Program, edges: Vec<usize>, stay: &[Formula]) -> Loop {
    let mut map: BTreeMap<Var, Linear> = BTreeMap::new();
    let mut guard = Vec::new();
    for number in &edges {
        let edge = &program.edges[*number];
        let here = Formula::and([edge.guard.clone(), stay[edge.source].clone()]);
        guard.push(here.replaced(&|var| map.get(&var)));
        let next: Vec<(Var, Linear)> =
            edge.update.iter().map(|(var, term)| (*var, term.replaced(&|var| map.get(&var)))).collect();
        map.extend(next);
    }
    Loop { place: program.edges[edges[0]].source, edges, guard: Formula::and(guard), map }
}

/// Moves round the loop from states that it leads to `set` in the end; none if this does not show any.
pub(super) fn many_rounds(
    program: &Program,
    around: &Loop,
    set: &Formula,
    stay: &[Formula],
    tools: &mut Tools<'_>,
) -> Result<Vec<Move>, Ended> {
    let mut atoms = Vec::new();
    for part in match set {
        Formula::And(parts) => parts.clone(),
        Formula::Or(_) | Formula::Bool(_) => return Ok(Vec::new()),
        other => vec![other.clone()],
    } {
        match part {
            Formula::Zero(term) => atoms.extend([Formula::at_most(&term), Formula::at_most(&term.times(-1))]),
            other => atoms.push(other),
        }
    }
    let after = |formula: &Formula| formula.replaced(&|var| around.map.get(&var));
    for (position, atom) in atoms.iter().enumerate() {
        let Formula::AtMost(term) = atom else { continue };
        let next = term.replaced(&|var| around.map.get(&var));
        if next == *term {
            continue;
        }
        let kept =
            Formula::and(atoms.iter().enumerate().filter(|(p, _)| *p != position).map(|(_, a)| a.clone()));
        let from = Formula::and([
            kept.clone(),
            Formula::at_most(&term.times(-1).shifted(1)),
            around.guard.clone(),
            Formula::at_most(&next.plus(-1, term).shifted(1)),
        ]);
        let onward = Formula::or([after(&from), after(set)]);
        if tools.is_empty(&from)? || !tools.implies(&from, &onward)? {
            continue;
        }
        // Along the loop: where the rest of it leads to the beginning again, or to the set.
        let mut goal = Formula::or([from.clone(), set.clone()]);
        let mut moves = Vec::new();
        let (scale, mut rounds) = (around.edges.len() as i128, term.clone());
        for (position, number) in around.edges.iter().enumerate().rev() {
            let edge = &program.edges[*number];
            let here = Formula::and([edge.guard.clone(), stay[edge.source].clone(), edge.before(&goal)]);
            goal = here.clone();
            rounds = rounds.replaced(&|var| edge.update.get(&var));
            let rank = match position {
                0 => Rank { rounds: term.clone(), scale, rest: 0 },
                _ => Rank { rounds: rounds.clone(), scale, rest: scale - position as i128 },
            };
            moves.push(Move {
                place: edge.source,
                states: if position == 0 { from.clone() } else { here },
                edge: Some(*number),
                chosen: BTreeMap::new(),
                target: edge.target,
                rank: Some(rank),
            });
        }
        moves.reverse();
        return Ok(moves);
    }
    Ok(Vec::new())
}
