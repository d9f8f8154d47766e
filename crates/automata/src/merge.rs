//! Merges bisimilar states.
//!
//! Two states are *bisimilar* if every edge of one is matched by an edge of the other with the same cube,
//! the same marks and a bisimilar target. Bisimilar states accept the same words. We start with all states
//! in one class and split classes by their edges until nothing changes, which yields the coarsest
//! bisimulation. Every round costs the size of the automaton, and there are at most as many rounds as states.
//!
//! An edge replaces another edge between the same two states if it asks for less and carries at least its marks.

use std::collections::{BTreeSet, HashMap};

use model::automaton::{Automaton, Edge};

use crate::cubes::{covers, subset};

/// The quotient of an automaton by bisimilarity.
pub(crate) fn merge(automaton: Automaton) -> Automaton {
    let mut class = vec![0; automaton.states.len()];
    let mut classes = usize::from(!class.is_empty());
    loop {
        let mut known: HashMap<(usize, BTreeSet<Edge>), usize> = HashMap::new();
        let mut next = Vec::with_capacity(class.len());
        for (state, edges) in automaton.states.iter().enumerate() {
            let fresh = known.len();
            next.push(*known.entry((class[state], quotient(edges, &class))).or_insert(fresh));
        }
        let stable = known.len() == classes;
        (class, classes) = (next, known.len());
        if stable {
            break;
        }
    }
    let mut states: Vec<Option<Vec<Edge>>> = vec![None; classes];
    for (state, edges) in automaton.states.iter().enumerate() {
        states[class[state]].get_or_insert_with(|| without_dominated(quotient(edges, &class)));
    }
    let initial: BTreeSet<usize> = automaton.initial.iter().map(|state| class[*state]).collect();
    Automaton {
        initial: initial.into_iter().collect(),
        states: states.into_iter().flatten().collect(),
        ..automaton
    }
}

/// The edges with classes for targets.
fn quotient(edges: &[Edge], class: &[usize]) -> BTreeSet<Edge> {
    edges.iter().map(|edge| Edge { target: class[edge.target], ..edge.clone() }).collect()
}

fn without_dominated(edges: BTreeSet<Edge>) -> Vec<Edge> {
    let mut kept: Vec<Edge> = Vec::new();
    let dominates =
        |a: &Edge, b: &Edge| a.target == b.target && covers(&a.cube, &b.cube) && subset(&b.marks, &a.marks);
    for edge in edges {
        if !kept.iter().any(|known| dominates(known, &edge)) {
            kept.retain(|known| !dominates(&edge, known));
            kept.push(edge);
        }
    }
    kept
}
