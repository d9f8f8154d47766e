//! The strong components of an automaton.
//!
//! Two states are in the same component if each can be reached from the other. An edge is *inside* a component if
//! both its ends are in it. A run takes finitely many edges that are not inside one, so only the marks on edges
//! inside matter. This is Tarjan's algorithm [Tar72] with an explicit stack.

use model::automaton::Automaton;

/// The value of a state that has no number yet.
const UNSEEN: usize = usize::MAX;

/// The component of each state. Invariant: an edge never leads to a component with a greater number.
pub(crate) struct Components {
    /// Per state, the number of its component.
    pub(crate) of: Vec<usize>,
    /// The number of components.
    pub(crate) count: usize,
}

impl Components {
    /// The components of all states, reachable or not.
    pub(crate) fn new(automaton: &Automaton) -> Components {
        let edges = &automaton.states;
        let mut of = vec![UNSEEN; edges.len()];
        let mut count = 0;
        // When each state was first seen, and the oldest state on the stack it is known to reach.
        let mut seen = vec![UNSEEN; edges.len()];
        let mut oldest = vec![UNSEEN; edges.len()];
        let mut clock = 0;
        let mut open = Vec::new();
        for root in 0..edges.len() {
            let mut calls = Vec::new();
            if seen[root] == UNSEEN {
                calls.push((root, 0));
            }
            while let Some((state, position)) = calls.last_mut() {
                let state = *state;
                if *position == 0 && seen[state] == UNSEEN {
                    (seen[state], oldest[state]) = (clock, clock);
                    clock += 1;
                    open.push(state);
                }
                if let Some(edge) = edges[state].get(*position) {
                    *position += 1;
                    if seen[edge.target] == UNSEEN {
                        calls.push((edge.target, 0));
                    } else if of[edge.target] == UNSEEN {
                        oldest[state] = oldest[state].min(seen[edge.target]);
                    }
                    continue;
                }
                if oldest[state] == seen[state] {
                    while let Some(member) = open.pop() {
                        of[member] = count;
                        if member == state {
                            break;
                        }
                    }
                    count += 1;
                }
                calls.pop();
                if let Some((caller, _)) = calls.last() {
                    oldest[*caller] = oldest[*caller].min(oldest[state]);
                }
            }
        }
        Components { of, count }
    }

    /// Whether an edge between these states is inside a component.
    pub(crate) fn inside(&self, source: usize, target: usize) -> bool {
        self.of[source] == self.of[target]
    }

    /// The states of each component.
    pub(crate) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count];
        for (state, component) in self.of.iter().enumerate() {
            members[*component].push(state);
        }
        members
    }
}
