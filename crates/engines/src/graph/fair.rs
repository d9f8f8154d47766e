//! Finds the parts of a graph in which a run can stay for ever and be fair.
//!
//! A set of edges is *fair* if it is strongly connected, not empty, and for every requirement
//! `GF when -> GF then` contains a `then` edge whenever it contains a `when` edge. A finite graph has a fair
//! run iff it has a fair set: the edges a run takes infinitely often are one, and a tour of a fair set,
//! repeated, is a fair run.
//!
//! We follow the recursion of [EL87]: take the strong components; a requirement is *broken* in a component
//! that has a `when` edge but no `then` edge; delete the `when` edges of broken requirements, which lie in no
//! fair set of that component, and start again. A component in which nothing is broken is fair, and it contains every
//! fair set that meets it, since every deleted edge lies in no fair set.
//!
//! The recursion is here. The graph decides what the requirements are and how a component is judged, because that
//! determines the cost: a product of states and an automaton knows which actions leave a state and need not store a
//! mark per requirement on every edge. Requirements sit on edges, not on states, because "taken" is a fact about a
//! step. We return all maximal fair sets and not the first, because callers want the nearest one.
//!
//! Time `O(requirements × edges)`, because every level of the recursion breaks at least one more requirement. The
//! pending parts are disjoint.

use model::StopReason;

use super::scc::{Components, FoundComponent};
use crate::watch::Watch;

/// A graph with requirements.
pub trait Fair {
    /// Describes which edges have been deleted.
    type Part: Clone;

    /// The number of nodes.
    fn nodes(&self) -> usize;

    /// Appends the targets of the edges of a node that are not deleted.
    fn successors(&self, part: &Self::Part, node: u32, targets: &mut Vec<u32>);

    /// Judges a strong component of a part. Its nodes are in increasing order and have an edge among them; `inside`
    /// says which nodes belong to it.
    fn judge(
        &self,
        part: &Self::Part,
        component: &[u32],
        inside: impl Fn(u32) -> bool,
    ) -> Judgement<Self::Part>;
}

/// The judgement on a strong component.
pub enum Judgement<Part> {
    /// Its edges are a fair set.
    Fair,
    /// There is no fair set in it.
    Hopeless,
    /// Every fair set in it lies in these nodes and this part, which have fewer edges.
    Smaller(Vec<u32>, Part),
}

/// A maximal fair set of edges: those of a part between these nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component<Part> {
    /// The nodes, in increasing order.
    pub nodes: Vec<u32>,
    /// Which edges are deleted.
    pub part: Part,
}

/// The maximal fair sets that can be reached from the roots, in the order of their least nodes.
pub fn fair_components<G: Fair>(
    graph: &G,
    roots: &[u32],
    whole: G::Part,
    watch: &mut Watch<'_>,
) -> Result<Vec<Component<G::Part>>, StopReason> {
    let search = Components::new(graph.nodes());
    fair_components_of(graph, search, vec![(roots.to_vec(), whole)], watch)
}

/// The maximal fair sets in parts of the graph that have no node in common, in the order of their least nodes. Of all nodes
/// that can be reached from the last part, only its own may be admitted, and of the others none.
pub(super) fn fair_components_of<G: Fair>(
    graph: &G,
    mut search: Components<'_>,
    mut pending: Vec<(Vec<u32>, G::Part)>,
    watch: &mut Watch<'_>,
) -> Result<Vec<Component<G::Part>>, StopReason> {
    let mut fair = Vec::new();
    while let Some((nodes, part)) = pending.pop() {
        // Invariant: of all reachable nodes, only those of this part are admitted.
        search.admit(&nodes);
        let bytes = search.bytes();
        let successors = |node: u32, targets: &mut Vec<u32>| graph.successors(&part, node, targets);
        search.search(
            &nodes,
            successors,
            || watch.tick(|| bytes),
            |mut found| {
                match found.judged(graph, &part) {
                    Judgement::Hopeless => {}
                    Judgement::Fair => {
                        fair.push(Component { nodes: found.nodes.to_vec(), part: part.clone() });
                    }
                    Judgement::Smaller(nodes, part) => pending.push((nodes, part)),
                }
                Ok(())
            },
        )?;
    }
    fair.sort_by_key(|component| component.nodes[0]);
    Ok(fair)
}

impl FoundComponent<'_> {
    /// How a graph judges it.
    pub(super) fn judged<G: Fair>(&mut self, graph: &G, part: &G::Part) -> Judgement<G::Part> {
        // Most components are single nodes without a loop.
        if !self.has_edge {
            return Judgement::Hopeless;
        }
        // In this order a stored graph is read from front to back.
        self.nodes.sort_unstable();
        graph.judge(part, self.nodes, |node| self.contains(node))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use model::Session;

    use super::super::Graph;
    use super::super::bits::Bits;
    use super::super::marked::{Class, Marked};
    use super::super::tests::{Random, graph, triples};
    use super::*;

    type Triple = (u32, u32, u32);

    /// The definition of a fair set, literally.
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
    pub(in super::super) fn random_classes(random: &mut Random, requirements: usize) -> Vec<Class> {
        let mut bits = || {
            let mask: Vec<bool> = (0..requirements).map(|_| random.below(3) == 0).collect();
            Bits::of(requirements, |r| mask[r])
        };
        (0..4).map(|_| Class { when: bits(), then: bits() }).collect()
    }

    /// A random graph of so many nodes and edges.
    pub(in super::super) fn random_graph(random: &mut Random, nodes: u64, edges: u64) -> Graph {
        let edges: Vec<Triple> = (0..edges)
            .map(|_| {
                let mut node = || random.below(nodes) as u32;
                (node(), node(), random.below(4) as u32)
            })
            .collect();
        graph(nodes as u32, &edges)
    }

    #[test]
    fn agrees_with_the_definition_on_all_edge_sets_of_small_graphs() {
        let mut random = Random(1);
        let (mut with, mut without) = (0, 0);
        for round in 0..20_000 {
            // Now and then more requirements than fit in a word, most of which nothing triggers.
            let requirements = if round % 10 == 0 { 70 } else { random.below(4) as usize };
            let classes = random_classes(&mut random, requirements);
            let (nodes, edges) = (1 + random.below(4), random.below(9));
            let graph = random_graph(&mut random, nodes, edges);
            let edges = triples(&graph);
            let session = Session::unlimited();
            let mut watch = Watch::new(&session, "testing", "nodes", 0);
            let roots: Vec<u32> = (0..graph.nodes() as u32).collect();
            let marked = Marked { graph: &graph, classes: &classes, requirements };
            let whole = Bits::empty(requirements);
            let found = fair_components(&marked, &roots, whole, &mut watch).expect("never stopped");
            let found: Vec<Vec<Triple>> = found
                .iter()
                .map(|Component { nodes, part }| {
                    let inside = |(source, target, class): &Triple| {
                        nodes.contains(source)
                            && nodes.contains(target)
                            && !classes[*class as usize].when.meets(part)
                    };
                    edges.iter().copied().filter(inside).collect()
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
