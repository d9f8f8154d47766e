//! Automata, read over the steps of the system.
//!
//! A *node* is a step of the system with an edge of the automaton that admits it. A node has an edge to every node
//! whose step follows its step and whose automaton edge follows its automaton edge. So an infinite path of nodes is a
//! run of the system with a run of the automaton on its word, and every such pair is a path. The nodes that it visits
//! infinitely often form a strongly connected set. The run is fair iff the set is, and the automaton accepts by this
//! run iff for each mark the set has a node whose automaton edge carries it. Conversely, a tour of such a set,
//! repeated, is a fair run that is accepted. So some fair run is accepted iff such a set can be reached from a node
//! whose step leaves an initial state and whose edge leaves an initial state of the automaton.

use std::collections::BTreeMap;

use model::instance::Instance;
use model::{Never, semantics};

use super::fair::{Marks, Nodes};
use super::graph::Graph;
use super::{Halt, Undecided};

/// Whether the automaton accepts no fair run.
pub(super) fn holds(
    instance: &Instance,
    graph: &Graph,
    fairness: &Marks,
    never: &Never,
    limit: usize,
) -> Result<bool, Halt> {
    // Per step, which atoms are true.
    let mut letters = Vec::new();
    for step in &graph.steps {
        let position = graph.position(step);
        let truths = never.atoms.iter().map(|atom| semantics::step_predicate(instance, atom, &position));
        letters.push(truths.collect::<Result<Vec<bool>, _>>()?);
    }
    let automaton = &never.automaton;
    // The nodes of the steps that leave a state, where the automaton is in state `q`.
    let from = |state: usize, q: usize| {
        let mut nodes = Vec::new();
        for &step in &graph.leaving[state] {
            for (number, edge) in automaton.states[q].iter().enumerate() {
                if edge.cube.admits(|atom| letters[step][atom]) {
                    nodes.push((step, q, number));
                }
            }
        }
        nodes
    };
    // A node gets its number when it is first reached.
    let mut numbers = BTreeMap::new();
    let mut number = |node: (usize, usize, usize), met: &mut Vec<(usize, usize, usize)>| {
        *numbers.entry(node).or_insert_with(|| {
            met.push(node);
            met.len() - 1
        })
    };
    let mut met = Vec::new();
    for &state in &graph.initial {
        for node in automaton.initial.iter().flat_map(|&q| from(state, q)) {
            number(node, &mut met);
        }
    }
    let mut nodes = Nodes { steps: Vec::new(), successors: Vec::new() };
    while let Some(&(step, q, edge)) = met.get(nodes.steps.len()) {
        if met.len() > limit {
            return Err(Undecided::TooManyNodes.into());
        }
        let next = from(graph.steps[step].target, automaton.states[q][edge].target);
        nodes.steps.push(step);
        nodes.successors.push(next.into_iter().map(|node| number(node, &mut met)).collect());
    }
    let carries = |mark: usize| {
        met.iter().map(|&(_, q, edge)| automaton.states[q][edge].marks.contains(&mark)).collect()
    };
    let goals: Vec<Vec<bool>> = (0..automaton.marks).map(carries).collect();
    Ok(!fairness.fair_nodes(graph, &nodes, &goals)?.contains(&true))
}
