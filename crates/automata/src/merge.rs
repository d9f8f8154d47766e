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

use crate::cubes::{bits, covers, cube_bits, may_be_part, subset};

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
    // Each edge with the bits of its cube and of its marks.
    let mut kept: Vec<(u64, u64, Edge)> = Vec::new();
    let dominates = |a: &(u64, u64, Edge), b: &(u64, u64, Edge)| {
        may_be_part(a.0, b.0)
            && may_be_part(b.1, a.1)
            && a.2.target == b.2.target
            && covers(&a.2.cube, &b.2.cube)
            && subset(&b.2.marks, &a.2.marks)
    };
    for edge in edges {
        let edge = (cube_bits(&edge.cube), bits(edge.marks.iter().copied()), edge);
        if !kept.iter().any(|known| dominates(known, &edge)) {
            kept.retain(|known| !dominates(&edge, known));
            kept.push(edge);
        }
    }
    kept.into_iter().map(|(_, _, edge)| edge).collect()
}
