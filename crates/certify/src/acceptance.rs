//! Whether an automaton accepts a lasso, by its definition.
//!
//! Each position of the lasso makes some atoms true, and these sets are the letters of the word. A *node* is a position
//! with a state of the automaton that can be reached there. For every edge of the automaton that admits the letter
//! there is an edge to a node of the next position. The runs of the automaton on the word are the paths from the nodes
//! of the first position. What a path visits infinitely often lies in one strongly connected set. So the word is
//! accepted iff some strong component with an edge inside has, for each mark, an edge inside that carries it.
//!
//! Components are found as in [Tar72], without recursion. Linear in positions times edges of the automaton.

use std::collections::BTreeMap;

use model::automaton::Edge;
use model::instance::Instance;
use model::{Lasso, Never, StopReason, semantics};

use crate::end::NoValue;
use crate::limits::Limits;

/// Approximate bytes per node, with its number and an edge.
const NODE: usize = 160;

/// Whether the word of a lasso that is not empty is accepted. Every atom is evaluated at every position, so a fault in
/// any of them is found, even if the automaton does not need it.
pub(crate) fn accepts(
    instance: &Instance,
    never: &Never,
    lasso: &Lasso,
    limits: &Limits<'_>,
) -> Result<bool, NoValue> {
    limits.room(lasso.positions.len(), never.atoms.len())?;
    let mut letters = Vec::with_capacity(lasso.positions.len());
    for position in &lasso.positions {
        limits.check()?;
        let mut letter = Vec::with_capacity(never.atoms.len());
        for atom in &never.atoms {
            letter.push(semantics::step_predicate(instance, atom, position)?);
        }
        letters.push(letter);
    }
    let nodes = nodes(never, lasso, &letters, limits)?;
    let component = components(&nodes, &|| limits.tick())?;
    let mut met: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
    for (node, edges) in nodes.iter().enumerate() {
        let inside = edges.iter().filter(|(_, target)| component[*target] == component[node]);
        for (edge, _) in inside {
            let marks = met.entry(component[node]).or_insert_with(|| vec![false; never.automaton.marks]);
            edge.marks.iter().for_each(|mark| marks[*mark] = true);
        }
    }
    Ok(met.values().any(|marks| marks.iter().all(|met| *met)))
}

/// An edge of the automaton and the node it leads to.
type Move<'a> = (&'a Edge, usize);

/// The nodes that can be reached, each with its edges.
fn nodes<'a>(
    never: &'a Never,
    lasso: &Lasso,
    letters: &[Vec<bool>],
    limits: &Limits<'_>,
) -> Result<Vec<Vec<Move<'a>>>, StopReason> {
    let automaton = &never.automaton;
    let mut numbers = BTreeMap::new();
    let mut met: Vec<(usize, usize)> = Vec::new();
    let mut number = |node: (usize, usize), met: &mut Vec<(usize, usize)>| {
        *numbers.entry(node).or_insert_with(|| {
            met.push(node);
            met.len() - 1
        })
    };
    for state in &automaton.initial {
        number((0, *state), &mut met);
    }
    let mut nodes = Vec::new();
    while let Some(&(position, state)) = met.get(nodes.len()) {
        limits.tick()?;
        limits.room(met.len(), NODE)?;
        let admitted =
            automaton.states[state].iter().filter(|edge| edge.cube.admits(|atom| letters[position][atom]));
        nodes.push(
            admitted.map(|edge| (edge, number((lasso.next(position), edge.target), &mut met))).collect(),
        );
    }
    Ok(nodes)
}

/// The number of the strong component of each node. `tick` is called at each node and may stop the search.
pub(crate) fn components<E>(
    nodes: &[Vec<Move<'_>>],
    tick: &dyn Fn() -> Result<(), E>,
) -> Result<Vec<usize>, E> {
    const UNSEEN: usize = usize::MAX;
    let mut component = vec![UNSEEN; nodes.len()];
    // The order in which nodes are met, and the earliest node of its component that each is known to reach.
    let mut order = vec![UNSEEN; nodes.len()];
    let mut low = vec![UNSEEN; nodes.len()];
    let mut met = 0;
    let mut path: Vec<(usize, usize)> = Vec::new();
    let mut waiting = Vec::new();
    for root in 0..nodes.len() {
        if order[root] != UNSEEN {
            continue;
        }
        path.push((root, 0));
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            tick()?;
            if *edge == 0 {
                (order[node], low[node]) = (met, met);
                met += 1;
                waiting.push(node);
            }
            if let Some((_, target)) = nodes[node].get(*edge) {
                *edge += 1;
                if order[*target] == UNSEEN {
                    path.push((*target, 0));
                } else if component[*target] == UNSEEN {
                    low[node] = low[node].min(order[*target]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = waiting.pop() {
                    component[member] = node;
                    if member == node {
                        break;
                    }
                }
            }
        }
    }
    Ok(component)
}
