//! Direct simulation: merges states, and removes edges that other edges make superfluous.
//!
//! A state `q` *simulates* `p` if for every edge of `p` and every letter it admits, `q` has an edge that admits the
//! letter, carries at least its marks, and leads to a state that simulates its target; the edge is *answered*. Then
//! every run from `p` has a run from `q` on the same word that carries, step by step, at least its marks. The relation
//! is the greatest one. It is found by striking out pairs until nothing changes, and it is a preorder. In the textbook
//! an edge is answered by one edge; here it may be answered by several, each for some of its letters.
//!
//! - States that simulate each other are merged: one of them stands for all [SB00].
//! - An edge is removed if the other edges of its state answer it. Edges are checked one after the other, so of two
//!   that answer each other one remains.
//! - An edge that is answered on some letters by a better one is *narrowed* to the others, if these are one cube.
//!   This makes the automaton more deterministic and its product with a system smaller: the automaton of
//!   `G (p -> F q)` waits for a `q` only after a `p` without one.
//!
//! Checking a pair costs the square of the number of edges of a state, and a pair may be checked once per pair of
//! targets. So in large automata we only merge bisimilar states.

use std::collections::BTreeSet;

use model::automaton::{Automaton, Cube, Edge};

use crate::cubes::{self, bits, may_be_part, subset};
use crate::merge::merge;

/// Limit on the number of states times the number of edges.
const LARGE: usize = 500_000;

/// Limit on the number of edges of a state.
const MANY_EDGES: usize = 10_000;

/// The same language with at most as many states and edges.
pub(crate) fn simulate(mut automaton: Automaton) -> Automaton {
    let edges: usize = automaton.states.iter().map(Vec::len).sum();
    if automaton.states.len().saturating_mul(edges) > LARGE
        || automaton.states.iter().any(|edges| edges.len() > MANY_EDGES)
    {
        return merge(automaton);
    }
    let simulates = simulation(&automaton);
    for edges in &mut automaton.states {
        prune(edges, &simulates);
    }
    // The first of each class stands for it.
    let class = |state: usize| {
        (0..state).find(|other| simulates[state][*other] && simulates[*other][state]).unwrap_or(state)
    };
    let class: Vec<usize> = (0..automaton.states.len()).map(class).collect();
    for edges in &mut automaton.states {
        for edge in edges.iter_mut() {
            edge.target = class[edge.target];
        }
        edges.sort_unstable();
        edges.dedup();
    }
    // Initial states that another initial state simulates are not needed.
    let initial: BTreeSet<usize> = automaton.initial.iter().map(|state| class[*state]).collect();
    let best = |state: &usize| !initial.iter().any(|other| other != state && simulates[*other][*state]);
    automaton.initial = initial.iter().copied().filter(best).collect();
    automaton
}

/// An edge with its literals and marks as bits.
struct BitEdge<'a> {
    edge: &'a Edge,
    positive: u64,
    negative: u64,
    marks: u64,
    /// Whether all atoms and marks are below 64, so that the bits say everything.
    exact: bool,
}

impl<'a> BitEdge<'a> {
    fn of(edge: &'a Edge, exact: bool) -> BitEdge<'a> {
        BitEdge {
            edge,
            positive: bits(edge.cube.positive.iter().copied()),
            negative: bits(edge.cube.negative.iter().copied()),
            marks: bits(edge.marks.iter().copied()),
            exact,
        }
    }

    /// Which fraction of the letters of an edge is admitted by this one, see [`cubes::share`].
    fn share(&self, of: &BitEdge<'_>) -> u64 {
        if self.exact {
            cubes::share_of_bits((of.positive, of.negative), (self.positive, self.negative))
        } else {
            cubes::share(&of.edge.cube, &self.edge.cube)
        }
    }

    /// Whether this edge has all marks of another.
    fn carries(&self, other: &BitEdge<'_>) -> bool {
        may_be_part(other.marks, self.marks) && (self.exact || subset(&other.edge.marks, &self.edge.marks))
    }
}

/// `simulates[q][p]`: whether `q` simulates `p`.
fn simulation(automaton: &Automaton) -> Vec<Vec<bool>> {
    let count = automaton.states.len();
    let exact = automaton.atoms.len() <= 64 && automaton.marks <= 64;
    let edges: Vec<Vec<BitEdge<'_>>> = automaton
        .states
        .iter()
        .map(|edges| edges.iter().map(|edge| BitEdge::of(edge, exact)).collect())
        .collect();
    let mut sources = vec![BTreeSet::new(); count];
    for (state, edges) in automaton.states.iter().enumerate() {
        for edge in edges {
            sources[edge.target].insert(state);
        }
    }
    let mut simulates = vec![vec![true; count]; count];
    // The pairs to check: all at first, then those that may have relied on a pair that was struck out.
    let mut open = vec![vec![true; count]; count];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        // States are numbered as they are reached, so going backwards checks most targets first.
        for q in (0..count).rev() {
            for p in (0..count).rev() {
                if !std::mem::take(&mut open[q][p]) || p == q || !simulates[q][p] {
                    continue;
                }
                if !edges[p].iter().all(|edge| is_answered(edge, &edges[q], &simulates)) {
                    simulates[q][p] = false;
                    changed = true;
                    for &r in &sources[q] {
                        for &s in &sources[p] {
                            open[r][s] = true;
                        }
                    }
                }
            }
        }
    }
    simulates
}

/// Whether for every letter of an edge one of `others` does at least as well.
fn is_answered(edge: &BitEdge<'_>, others: &[BitEdge<'_>], simulates: &[Vec<bool>]) -> bool {
    let answers = |other: &&BitEdge<'_>| {
        other.carries(edge) && simulates[other.edge.target][edge.edge.target] && other.share(edge) > 0
    };
    let mut share = 0u64;
    for other in others.iter().filter(answers) {
        match other.share(edge) {
            cubes::WHOLE => return true,
            own => share = share.saturating_add(own),
        }
    }
    share >= cubes::WHOLE && {
        let cubes = others.iter().filter(answers).map(|other| &other.edge.cube);
        cubes::is_covered(&edge.edge.cube, &cubes.collect::<Vec<_>>())
    }
}

/// Removes and narrows the edges of a state.
fn prune(edges: &mut Vec<Edge>, simulates: &[Vec<bool>]) {
    let with_bits = |edge: Edge| (bits(edge.marks.iter().copied()), edge);
    let mut all: Vec<(u64, Edge)> = std::mem::take(edges).into_iter().map(with_bits).collect();
    let better = |other: &(u64, Edge), edge: &(u64, Edge)| {
        may_be_part(edge.0, other.0)
            && simulates[other.1.target][edge.1.target]
            && subset(&edge.1.marks, &other.1.marks)
    };
    let mut is_kept = vec![true; all.len()];
    for (position, edge) in all.iter().enumerate() {
        let others = all.iter().enumerate().filter(|(other, _)| *other != position && is_kept[*other]);
        let cubes: Vec<&Cube> =
            others.filter(|(_, other)| better(other, edge)).map(|(_, other)| &other.1.cube).collect();
        is_kept[position] = !cubes::is_covered(&edge.1.cube, &cubes);
    }
    let mut kept = is_kept.into_iter();
    all.retain(|_| kept.next() == Some(true));
    for position in 0..all.len() {
        let edge = &all[position];
        // Only a strictly better edge narrows another: of two equally good ones neither is narrowed. One that does not
        // meet what is left never will again.
        let mut strictly: Vec<&Cube> = all
            .iter()
            .filter(|other| better(other, edge) && !better(edge, other))
            .map(|other| &other.1.cube)
            .filter(|other| cubes::meet(other, &edge.1.cube))
            .collect();
        let mut narrow = edge.1.cube.clone();
        while let Some((atom, positive)) =
            strictly.iter().find_map(|other| cubes::only_literal_missing(&narrow, other))
        {
            cubes::insert(&mut narrow, atom, !positive);
            strictly.retain(|other| cubes::meet(other, &narrow));
        }
        all[position].1.cube = narrow;
    }
    edges.extend(all.into_iter().map(|(_, edge)| edge));
}
