//! Finds the parts of a graph in which a run can stay for ever and be fair.
//!
//! A set of edges is *fair* if it is strongly connected, not empty, and for every requirement
//! `GF when -> GF then` contains a `then` edge whenever it contains a `when` edge. A finite graph has a fair
//! run iff it has a fair set: the edges a run takes infinitely often are one, and a tour of a fair set,
//! repeated, is a fair run.
//!
//! We follow the recursion of [EL87]: take the strong components; a requirement is *broken* in a component
//! that has a `when` edge but no `then` edge; delete the `when` edges of broken requirements, which lie in no
//! fair set of that component, and start again. A component in which nothing is broken is fair, and it
//! contains every fair set that meets it, since only edges of no fair set were ever deleted.
//!
//! Requirements sit on edges, not on states, because "taken" is a fact about a step. The marks of a
//! generalised Büchi automaton are requirements whose `when` is every edge. We return all maximal fair sets
//! and not the first: who asks wants the nearest one, or one that passes a further test.
//!
//! Time `O(requirements × edges)`, for every level of the recursion breaks at least one more requirement; the
//! pending parts are disjoint.

use model::StopReason;

use super::bits::Bits;
use super::scc::Components;
use super::{Edge, Graph};
use crate::watch::Watch;

/// What the requirements see of the edges of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The requirements whose `when` these edges satisfy.
    pub when: Bits,
    /// The requirements whose `then` these edges satisfy.
    pub then: Bits,
}

/// A maximal fair set of edges: those between its nodes that are not deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The nodes, in increasing order.
    pub nodes: Vec<u32>,
    /// The requirements whose `when` edges are deleted.
    pub broken: Bits,
}

impl Component {
    /// Whether an edge between two of its nodes belongs to it.
    pub fn keeps(&self, class: &Class) -> bool {
        !class.when.meets(&self.broken)
    }

    /// The numbers of its edges, with the node each one leaves.
    pub fn edges<'a>(
        &'a self,
        graph: &'a Graph,
        classes: &'a [Class],
    ) -> impl Iterator<Item = (u32, usize)> + 'a {
        let leaving = |node: &u32| {
            graph.leaving(*node).map({
                let node = *node;
                move |number| (node, number)
            })
        };
        self.nodes.iter().flat_map(leaving).filter(|(_, number)| {
            let edge = graph.edge(*number);
            self.keeps(&classes[edge.class as usize]) && self.nodes.binary_search(&edge.target).is_ok()
        })
    }
}

/// The maximal fair sets of a graph, in the order of their least nodes.
///
/// The requirements are numbered from 0 to `requirements - 1`; `classes` says which of them the edges of each
/// class trigger and meet.
pub fn fair_components(
    graph: &Graph,
    requirements: usize,
    classes: &[Class],
    watch: &mut Watch<'_>,
) -> Result<Vec<Component>, StopReason> {
    let mut search = Components::new(graph);
    // Which component a node was last seen in, and a class of an edge inside it. Numbers are never reused.
    let mut home: Vec<u64> = vec![0; graph.nodes()];
    let mut seen: Vec<u64> = vec![0; classes.len()];
    let mut current = 0;
    let mut fair = Vec::new();
    let everything =
        Component { nodes: (0..graph.nodes() as u32).collect(), broken: Bits::empty(requirements) };
    let mut pending = vec![everything];
    while let Some(part) = pending.pop() {
        let bytes = search.bytes() + 12 * graph.nodes() as u64;
        let usable = |edge: Edge| part.keeps(&classes[edge.class as usize]);
        for mut nodes in search.of(&part.nodes, usable, || watch.tick(|| bytes))? {
            current += 1;
            for node in &nodes {
                home[*node as usize] = current;
            }
            let (mut when, mut then) = (Bits::empty(requirements), Bits::empty(requirements));
            let mut edges = 0usize;
            for edge in nodes.iter().flat_map(|node| graph.leaving(*node)).map(|number| graph.edge(number)) {
                let class = &classes[edge.class as usize];
                if home[edge.target as usize] != current || !part.keeps(class) {
                    continue;
                }
                edges += 1;
                if seen[edge.class as usize] != current {
                    seen[edge.class as usize] = current;
                    when.add(&class.when);
                    then.add(&class.then);
                }
            }
            if edges == 0 {
                continue;
            }
            let newly_broken = when.without(&then);
            let mut broken = part.broken.clone();
            broken.add(&newly_broken);
            nodes.sort_unstable();
            let component = Component { nodes, broken };
            if newly_broken.is_empty() {
                fair.push(component);
            } else {
                // Invariant: fewer edges than `part` has, so the loop ends.
                pending.push(component);
            }
        }
    }
    fair.sort_by_key(|component| component.nodes[0]);
    Ok(fair)
}

#[cfg(test)]
mod tests {
    use model::Run;

    use super::super::tests::{Random, graph, triples};
    use super::*;

    type Triple = (u32, u32, u32);

    /// The definition of a fair set, word for word.
    fn is_fair(set: &[Triple], requirements: usize, classes: &[Class]) -> bool {
        let reaches = |from: u32, to: u32| {
            let mut seen = vec![from];
            let mut next = 0;
            while let Some(&node) = seen.get(next) {
                for (_, target, _) in set.iter().filter(|(source, _, _)| *source == node) {
                    if !seen.contains(target) {
                        seen.push(*target);
                    }
                }
                next += 1;
            }
            seen.contains(&to)
        };
        let connected =
            set.iter().all(|(_, target, _)| set.iter().all(|(source, _, _)| reaches(*target, *source)));
        let some =
            |test: &dyn Fn(&Class) -> bool| set.iter().any(|(_, _, class)| test(&classes[*class as usize]));
        !set.is_empty()
            && connected
            && (0..requirements)
                .all(|r| !some(&|class| class.when.contains(r)) || some(&|class| class.then.contains(r)))
    }

    /// A few random classes for this many requirements.
    fn random_classes(random: &mut Random, requirements: usize) -> Vec<Class> {
        let mut bits = || {
            let mask: Vec<bool> = (0..requirements).map(|_| random.below(3) == 0).collect();
            Bits::of(requirements, |r| mask[r])
        };
        (0..4).map(|_| Class { when: bits(), then: bits() }).collect()
    }

    fn random_graph(random: &mut Random) -> Graph {
        let nodes = 1 + random.below(4) as u32;
        let edges: Vec<Triple> = (0..random.below(9))
            .map(|_| {
                let mut node = || random.below(u64::from(nodes)) as u32;
                (node(), node(), random.below(4) as u32)
            })
            .collect();
        graph(nodes, &edges)
    }

    #[test]
    fn agrees_with_the_definition_on_all_edge_sets_of_small_graphs() {
        let mut random = Random(1);
        let (mut with, mut without) = (0, 0);
        for round in 0..20_000 {
            // Now and then more requirements than fit in a word, most of which nothing triggers.
            let requirements = if round % 10 == 0 { 70 } else { random.below(4) as usize };
            let classes = random_classes(&mut random, requirements);
            let graph = random_graph(&mut random);
            let edges = triples(&graph);
            let run = Run::unlimited();
            let mut watch = Watch::new(&run, "testing", "nodes", 0);
            let found = fair_components(&graph, requirements, &classes, &mut watch).expect("never stopped");
            let found: Vec<Vec<Triple>> = found
                .iter()
                .map(|component| {
                    let numbers = component.edges(&graph, &classes);
                    numbers
                        .map(|(node, number)| (node, graph.edge(number).target, graph.edge(number).class))
                        .collect()
                })
                .collect();
            for set in &found {
                assert!(is_fair(set, requirements, &classes), "{edges:?} {classes:?}: {set:?} is not fair");
            }
            for mask in 1u32..1 << edges.len() {
                let set: Vec<Triple> =
                    (0..edges.len()).filter(|k| mask >> k & 1 == 1).map(|k| edges[k]).collect();
                if is_fair(&set, requirements, &classes) {
                    let inside = |component: &Vec<Triple>| set.iter().all(|edge| component.contains(edge));
                    assert!(found.iter().any(inside), "{edges:?} {classes:?}: {set:?} is missed");
                }
            }
            if found.is_empty() {
                without += 1;
            } else {
                with += 1;
            }
        }
        assert!(with > 2_000 && without > 2_000, "{with} with and {without} without a fair set");
    }
}
