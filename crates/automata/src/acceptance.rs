//! Fewer marks, and marks where they mean something.
//!
//! Whether a run is accepting depends on the marks of edges inside one strong component only, and there on cycles.
//! So each component may be treated by itself:
//!
//! - in a component that lacks a mark altogether no run is accepting, and its edges lose their marks;
//! - a mark that every cycle of a component meets may be put on all its edges;
//! - edges that *cross* from one component to another may carry any marks.
//!
//! [`normalise`] does this, so that simulation does not distinguish states by marks that mean nothing. [`reduce`] then
//! removes, in each component, marks that are on all its edges or that another mark implies, and renumbers the others
//! from 0. The automaton then has as many marks as the component that needs most.

use model::automaton::{Automaton, Edge};

use crate::components::Components;

/// Moves marks without changing the language. Edges in components without accepting runs get no marks, edges that cross
/// get all or none, and other edges also get the marks that every cycle of their component meets.
pub(crate) fn normalise(automaton: &mut Automaton, crossing: bool) {
    let components = Components::new(automaton);
    let every: Vec<usize> = (0..automaton.marks).collect();
    for members in components.members() {
        let accepting = is_accepting(automaton, &components, &members);
        let met = |mark: &usize| accepting && !has_cycle_without(automaton, &components, &members, *mark);
        let met: Vec<usize> = every.iter().copied().filter(met).collect();
        for &state in &members {
            for edge in &mut automaton.states[state] {
                if !components.inside(state, edge.target) {
                    edge.marks = if crossing { every.clone() } else { Vec::new() };
                } else if !accepting {
                    edge.marks.clear();
                } else if !met.is_empty() {
                    edge.marks.extend(&met);
                    edge.marks.sort_unstable();
                    edge.marks.dedup();
                }
            }
        }
    }
}

/// Removes and renumbers marks as far as possible. Edges that cross get no marks.
pub(crate) fn reduce(automaton: &mut Automaton) {
    normalise(automaton, false);
    let components = Components::new(automaton);
    // Per component, the marks it needs; `None` if it has no accepting run.
    let mut needed: Vec<Option<Vec<usize>>> = Vec::new();
    let mut marks = 0;
    for members in components.members() {
        let edges: Vec<&Edge> = inside(automaton, &components, &members).collect();
        if !is_accepting(automaton, &components, &members) {
            // If it has cycles, they must still lack a mark after renumbering.
            marks = marks.max(usize::from(!edges.is_empty()));
            needed.push(None);
            continue;
        }
        let mut kept: Vec<usize> = (0..automaton.marks).collect();
        for mark in 0..automaton.marks {
            let everywhere = edges.iter().all(|edge| has(edge, mark));
            let brings = |other: &usize| {
                *other != mark && edges.iter().all(|edge| !has(edge, *other) || has(edge, mark))
            };
            if everywhere || kept.iter().any(brings) {
                kept.retain(|other| *other != mark);
            }
        }
        marks = marks.max(kept.len());
        needed.push(Some(kept));
    }
    for (state, edges) in automaton.states.iter_mut().enumerate() {
        for edge in edges {
            edge.marks = match &needed[components.of[state]] {
                Some(kept) if components.inside(state, edge.target) => {
                    let own = edge.marks.iter().filter_map(|mark| kept.binary_search(mark).ok());
                    own.chain(kept.len()..marks).collect()
                }
                _ => Vec::new(),
            };
        }
    }
    automaton.marks = marks;
}

/// Whether a component has an accepting run.
pub(crate) fn is_accepting(automaton: &Automaton, components: &Components, members: &[usize]) -> bool {
    let edges = || inside(automaton, components, members);
    edges().next().is_some() && (0..automaton.marks).all(|mark| edges().any(|edge| has(edge, mark)))
}

/// Whether a component has a cycle without this mark. We remove states without an outgoing edge that lacks the mark
/// until nothing changes; a cycle exists iff a state is left.
pub(crate) fn has_cycle_without(
    automaton: &Automaton,
    components: &Components,
    members: &[usize],
    mark: usize,
) -> bool {
    let mut left = members.to_vec();
    let mut is_left = vec![false; automaton.states.len()];
    for state in &left {
        is_left[*state] = true;
    }
    loop {
        let before = left.len();
        left.retain(|state| {
            let goes_on = |edge: &Edge| {
                components.inside(*state, edge.target) && is_left[edge.target] && !has(edge, mark)
            };
            is_left[*state] = automaton.states[*state].iter().any(goes_on);
            is_left[*state]
        });
        if left.len() == before {
            return before > 0;
        }
    }
}

/// The edges inside a component.
fn inside<'a>(
    automaton: &'a Automaton,
    components: &'a Components,
    members: &'a [usize],
) -> impl Iterator<Item = &'a Edge> {
    members.iter().flat_map(|state| {
        automaton.states[*state].iter().filter(|edge| components.inside(*state, edge.target))
    })
}

fn has(edge: &Edge, mark: usize) -> bool {
    edge.marks.binary_search(&mark).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::automaton::Cube;

    fn automaton(states: &[&[(&[usize], usize)]], marks: usize) -> Automaton {
        let edge = |(marks, target): &(&[usize], usize)| Edge {
            cube: Cube::default(),
            marks: marks.to_vec(),
            target: *target,
        };
        let states = states.iter().map(|edges| edges.iter().map(edge).collect()).collect();
        Automaton { atoms: Vec::new(), initial: vec![0], states, marks }
    }

    #[test]
    fn a_mark_on_every_cycle_is_put_on_every_edge() {
        let mut two = automaton(&[&[(&[0], 1)], &[(&[], 0)]], 1);
        normalise(&mut two, false);
        assert_eq!(two, automaton(&[&[(&[0], 1)], &[(&[0], 0)]], 1));
        reduce(&mut two);
        assert_eq!(two, automaton(&[&[(&[], 1)], &[(&[], 0)]], 0));
    }

    #[test]
    fn marks_are_numbered_anew_in_each_component() {
        let mut two = automaton(&[&[(&[1], 0), (&[0, 1], 0), (&[0], 1)], &[(&[0], 1), (&[0, 1], 1)]], 2);
        reduce(&mut two);
        assert_eq!(two, automaton(&[&[(&[], 0), (&[0], 0), (&[], 1)], &[(&[], 1), (&[0], 1)]], 1));
    }

    #[test]
    fn a_component_without_accepting_runs_stays_so() {
        let mut waiting = automaton(&[&[(&[], 0), (&[], 1)], &[(&[0, 1], 1)]], 2);
        reduce(&mut waiting);
        assert_eq!(waiting, automaton(&[&[(&[], 0), (&[], 1)], &[(&[0], 1)]], 1));
    }

    #[test]
    fn a_mark_that_another_brings_is_removed() {
        let mut one = automaton(&[&[(&[0, 1], 0), (&[1], 0), (&[], 0)]], 2);
        reduce(&mut one);
        assert_eq!(one, automaton(&[&[(&[0], 0), (&[], 0), (&[], 0)]], 1));
    }
}
