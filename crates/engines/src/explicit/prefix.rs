//! Finds a bad prefix: a path after which the property is false, whatever follows.
//!
//! If the automaton of the violations is in a state that accepts everything, every continuation of the run is a violation.
//! It is enough that one of them is fair. Weak, strong and strong global fairness can be kept after every path, so there the
//! path alone is the evidence, and nobody has to wait until a fair cycle is explored: there may be none for millions of
//! states, or at all if integers grow without end. With other requirements a lasso is needed.
//!
//! A state accepts everything if it has an edge to itself that admits every letter and carries all marks. The search is
//! breadth first in the product, so the path is a shortest one in the part that is explored.

use automata::{Automaton, Cube};
use model::{Path, Position, StopReason};

use super::product::Product;
use super::space::{Space, label};
use crate::graph::fair::Fair;
use crate::watch::{Watch, bytes_of};

/// The parent of a node that has not been met.
const UNMET: u32 = u32::MAX;

/// Per state of an automaton, whether it accepts everything.
pub(super) fn accepting_everything(automaton: &Automaton) -> Vec<bool> {
    let stays = |(state, edges): (usize, &Vec<automata::Edge>)| {
        edges.iter().any(|edge| {
            edge.target == state && edge.cube == Cube::default() && edge.marks.len() == automaton.marks
        })
    };
    automaton.states.iter().enumerate().map(stays).collect()
}

/// A shortest path to a state of the product in which the automaton is in one of these states, if there is one.
pub(super) fn shortest_to<const W: usize>(
    product: &Product<'_, Space<'_, W>>,
    goals: &[bool],
    watch: &mut Watch<'_>,
) -> Result<Option<Path>, StopReason> {
    let is_goal = |node: u32| goals[(node & ((1 << product.shift) - 1)) as usize];
    let mut parents = vec![UNMET; product.nodes()];
    let mut queue: Vec<u32> = Vec::new();
    for &root in product.roots() {
        if parents[root as usize] == UNMET {
            parents[root as usize] = root;
            queue.push(root);
        }
    }
    let (whole, mut next, mut targets) = (product.whole(), 0, Vec::new());
    while let Some(&node) = queue.get(next) {
        if is_goal(node) {
            return Ok(Some(path(product, &parents, node)));
        }
        watch.tick(|| bytes_of(&parents) + bytes_of(&queue))?;
        next += 1;
        targets.clear();
        product.successors(&whole, node, &mut targets);
        for &target in &targets {
            if parents[target as usize] == UNMET {
                parents[target as usize] = node;
                queue.push(target);
            }
        }
    }
    Ok(None)
}

/// The path from a root to a node.
fn path<const W: usize>(product: &Product<'_, Space<'_, W>>, parents: &[u32], last: u32) -> Path {
    let mut nodes = vec![last];
    while let node = nodes[nodes.len() - 1]
        && parents[node as usize] != node
    {
        nodes.push(parents[node as usize]);
    }
    nodes.reverse();
    let step = |pair: &[u32]| {
        let mut found = None;
        product.visit(&product.whole(), pair[0], |arc| {
            if arc.target == pair[1] {
                found.get_or_insert(arc.label);
            }
        });
        let label = label(found.expect("a parent has an edge to its child"));
        Position { state: product.space.state(product.state(pair[0])), label }
    };
    Path { positions: nodes.windows(2).map(step).collect(), last: product.space.state(product.state(last)) }
}
