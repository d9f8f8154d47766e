//! Removes what no accepting run uses.
//!
//! A state is *useful* if an accepting run begins in it. The useful states are the greatest set `Z` such that, from
//! each of its states and for every mark, an edge with that mark that leads back into `Z` can be reached. An accepting
//! run goes from one such edge to the next for ever. We remove edges to other states, then states that are not
//! reachable.
//!
//! Each round of the fixpoint costs `O(marks × edges)`, and there are at most as many rounds as states.

use model::automaton::{Automaton, Edge};

/// The same language without useless states, edges and marks; states are numbered as they are reached.
pub fn trim(automaton: Automaton) -> Automaton {
    let useful = useful(&automaton);
    let mut number = vec![None; automaton.states.len()];
    let mut order = Vec::new();
    let mut visit = |state: usize, order: &mut Vec<usize>| -> usize {
        *number[state].get_or_insert_with(|| {
            order.push(state);
            order.len() - 1
        })
    };
    let initial: Vec<usize> = automaton
        .initial
        .iter()
        .filter(|state| useful[**state])
        .map(|state| visit(*state, &mut order))
        .collect();
    let mut states: Vec<Vec<Edge>> = Vec::new();
    while let Some(&state) = order.get(states.len()) {
        let kept = automaton.states[state].iter().filter(|edge| useful[edge.target]);
        states
            .push(kept.map(|edge| Edge { target: visit(edge.target, &mut order), ..edge.clone() }).collect());
    }
    Automaton { initial, states, ..automaton }
}

/// Per state, whether an accepting run begins in it.
fn useful(automaton: &Automaton) -> Vec<bool> {
    let count = automaton.states.len();
    let mut sources = vec![Vec::new(); count];
    for (state, edges) in automaton.states.iter().enumerate() {
        for edge in edges {
            sources[edge.target].push(state);
        }
    }
    // The states from which an edge of the given kind into `inside` can be reached.
    let reaching = |inside: &[bool], kind: &dyn Fn(&Edge) -> bool| {
        let starts =
            |state: &usize| automaton.states[*state].iter().any(|edge| kind(edge) && inside[edge.target]);
        let mut pending: Vec<usize> = (0..count).filter(starts).collect();
        let mut reached = vec![false; count];
        for state in &pending {
            reached[*state] = true;
        }
        while let Some(state) = pending.pop() {
            for &source in &sources[state] {
                if !reached[source] {
                    reached[source] = true;
                    pending.push(source);
                }
            }
        }
        reached
    };
    let mut useful = vec![true; count];
    loop {
        let before = useful.clone();
        useful = reaching(&useful, &|_| true);
        for mark in 0..automaton.marks {
            let next = reaching(&useful, &|edge| edge.marks.binary_search(&mark).is_ok());
            useful.iter_mut().zip(next).for_each(|(useful, next)| *useful &= next);
        }
        if useful == before {
            return useful;
        }
    }
}
