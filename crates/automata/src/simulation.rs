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

use crate::cubes::{self, subset};
use crate::merge::merge;

/// Limit on the number of states times the number of edges.
const LARGE: usize = 500_000;

/// Limit on the number of distinct cubes, and of distinct sets of marks.
const DISTINCT: usize = 2_000;

/// The same language with at most as many states and edges.
pub(crate) fn simulate(mut automaton: Automaton) -> Automaton {
    let edges: usize = automaton.states.iter().map(Vec::len).sum();
    if automaton.states.len().saturating_mul(edges) > LARGE {
        return merge(automaton);
    }
    let Some(numbered) = NumberedEdges::of(&automaton) else { return merge(automaton) };
    let simulates = simulation(&numbered);
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

/// An edge: the numbers of its cube and of its marks, and its target.
type NumberedEdge = (usize, usize, usize);

/// The edges of an automaton with numbers for the distinct cubes and sets of marks, and how these compare.
struct NumberedEdges<'a> {
    cubes: Vec<&'a Cube>,
    /// Per state, its edges.
    edges: Vec<Vec<NumberedEdge>>,
    /// `share[a][b]`: which fraction of the letters of cube `b` is admitted by cube `a`, see [`cubes::share`].
    share: Vec<Vec<u64>>,
    /// `carries[a][b]`: whether `a` has all marks of `b`.
    carries: Vec<Vec<bool>>,
}

impl<'a> NumberedEdges<'a> {
    /// `None` if there are too many distinct cubes or sets of marks.
    fn of(automaton: &'a Automaton) -> Option<NumberedEdges<'a>> {
        let all = || automaton.states.iter().flatten();
        let cubes: Vec<&Cube> = all().map(|edge| &edge.cube).collect::<BTreeSet<_>>().into_iter().collect();
        let marks: Vec<&Vec<usize>> =
            all().map(|edge| &edge.marks).collect::<BTreeSet<_>>().into_iter().collect();
        if cubes.len().max(marks.len()) > DISTINCT {
            return None;
        }
        let number = |edge: &Edge| {
            let cube = cubes.binary_search(&&edge.cube).unwrap_or_default();
            let marks = marks.binary_search(&&edge.marks).unwrap_or_default();
            (cube, marks, edge.target)
        };
        let edges = automaton.states.iter().map(|edges| edges.iter().map(number).collect()).collect();
        let share = |a: &&Cube| cubes.iter().map(|b| cubes::share(b, a)).collect();
        Some(NumberedEdges {
            edges,
            share: cubes.iter().map(share).collect(),
            carries: marks.iter().map(|a| marks.iter().map(|b| subset(b, a)).collect()).collect(),
            cubes,
        })
    }
}

/// `simulates[q][p]`: whether `q` simulates `p`.
fn simulation(numbered: &NumberedEdges<'_>) -> Vec<Vec<bool>> {
    let count = numbered.edges.len();
    let mut sources = vec![BTreeSet::new(); count];
    for (state, edges) in numbered.edges.iter().enumerate() {
        for (_, _, target) in edges {
            sources[*target].insert(state);
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
                let fails =
                    |edge: &NumberedEdge| !is_answered(*edge, &numbered.edges[q], numbered, &simulates);
                if numbered.edges[p].iter().any(fails) {
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
fn is_answered(
    (cube, marks, target): NumberedEdge,
    others: &[NumberedEdge],
    numbered: &NumberedEdges<'_>,
    simulates: &[Vec<bool>],
) -> bool {
    let answers = |other: &&NumberedEdge| {
        numbered.share[other.0][cube] > 0 && numbered.carries[other.1][marks] && simulates[other.2][target]
    };
    let mut share = 0u64;
    for other in others.iter().filter(answers) {
        if numbered.share[other.0][cube] == cubes::WHOLE {
            return true;
        }
        share = share.saturating_add(numbered.share[other.0][cube]);
    }
    share >= cubes::WHOLE && {
        let cubes = others.iter().filter(answers).map(|other| numbered.cubes[other.0]);
        cubes::is_covered(numbered.cubes[cube], &cubes.collect::<Vec<_>>())
    }
}

/// Removes and narrows the edges of a state.
fn prune(edges: &mut Vec<Edge>, simulates: &[Vec<bool>]) {
    let better =
        |other: &Edge, edge: &Edge| simulates[other.target][edge.target] && subset(&edge.marks, &other.marks);
    let mut position = 0;
    while position < edges.len() {
        let edge = &edges[position];
        let others = edges.iter().enumerate().filter(|(other, _)| *other != position).map(|(_, edge)| edge);
        let cubes: Vec<&Cube> = others.filter(|other| better(other, edge)).map(|other| &other.cube).collect();
        if cubes::is_covered(&edge.cube, &cubes) {
            edges.remove(position);
        } else {
            position += 1;
        }
    }
    for position in 0..edges.len() {
        let mut narrow = edges[position].clone();
        loop {
            // Only a strictly better edge narrows another: of two equally good ones neither is narrowed.
            let literal = edges.iter().find_map(|other| {
                let strictly = better(other, &narrow)
                    && !better(&narrow, other)
                    && cubes::meet(&other.cube, &narrow.cube);
                strictly.then(|| cubes::only_literal_missing(&narrow.cube, &other.cube)).flatten()
            });
            match literal {
                Some((atom, positive)) => cubes::insert(&mut narrow.cube, atom, !positive),
                None => break,
            }
        }
        edges[position] = narrow;
    }
}
