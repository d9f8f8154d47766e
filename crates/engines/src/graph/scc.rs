//! Strong components.
//!
//! A strong component is a maximal set of nodes each of which reaches every other inside the set. This is the
//! algorithm of [Tar72] with an explicit stack of half-explored nodes in place of recursion, since graphs of
//! states are as deep as they are large. It works on a *part* of a graph, given by its nodes and a test on
//! classes of edges, and may be used again and again on smaller parts: a search on `n` nodes with `m` edges
//! costs `O(n + m)`, whatever the size of the whole graph.

use model::StopReason;

use super::{Edge, Graph};

/// The number of a node that is not part of the search, or not any more.
const CLOSED: u32 = u32::MAX;
/// The number of a node that has not been reached yet.
const UNSEEN: u32 = u32::MAX - 1;

/// Finds strong components of parts of one graph.
pub struct Components<'a> {
    graph: &'a Graph,
    /// Per node, when it was reached.
    number: Vec<u32>,
    /// Per node, the least number known to be reachable from it among the nodes on `open`.
    low: Vec<u32>,
    /// The nodes reached whose component is not complete, in the order they were reached.
    open: Vec<u32>,
    /// The path of the search: nodes, and the edge to look at next.
    path: Vec<(u32, usize)>,
}

impl<'a> Components<'a> {
    /// Prepares for searches in a graph.
    pub fn new(graph: &'a Graph) -> Components<'a> {
        let nodes = graph.nodes();
        let (number, low) = (vec![CLOSED; nodes], vec![0; nodes]);
        Components { graph, number, low, open: Vec::new(), path: Vec::new() }
    }

    /// The strong components of the part with these nodes and the edges between them that `usable` allows.
    ///
    /// Every node is in one component, which may be the node alone. A component comes after all those that
    /// can be reached from it. `tick` is called once per node.
    pub fn of(
        &mut self,
        nodes: &[u32],
        usable: impl Fn(Edge) -> bool,
        mut tick: impl FnMut() -> Result<(), StopReason>,
    ) -> Result<Vec<Vec<u32>>, StopReason> {
        for &node in nodes {
            self.number[node as usize] = UNSEEN;
        }
        let mut components = Vec::new();
        let mut reached = 0;
        for &root in nodes {
            if self.number[root as usize] == UNSEEN {
                self.enter(root, &mut reached);
            }
            while let Some((node, next)) = self.path.last_mut() {
                let node = *node;
                if *next < self.graph.leaving(node).end {
                    let edge = self.graph.edge(*next);
                    *next += 1;
                    if !usable(edge) {
                        continue;
                    }
                    // Invariant: nodes outside the part, and those of complete components, are CLOSED.
                    match self.number[edge.target as usize] {
                        CLOSED => {}
                        UNSEEN => self.enter(edge.target, &mut reached),
                        number => self.lower(node, number),
                    }
                    continue;
                }
                self.path.pop();
                tick()?;
                let low = self.low[node as usize];
                if low == self.number[node as usize] {
                    components.push(self.complete(node));
                }
                if let Some(&(parent, _)) = self.path.last() {
                    self.lower(parent, low);
                }
            }
        }
        Ok(components)
    }

    /// The bytes it has allocated.
    pub fn bytes(&self) -> u64 {
        use crate::watch::bytes_of;
        bytes_of(&self.number) + bytes_of(&self.low) + bytes_of(&self.open) + bytes_of(&self.path)
    }

    fn enter(&mut self, node: u32, reached: &mut u32) {
        self.number[node as usize] = *reached;
        self.low[node as usize] = *reached;
        *reached += 1;
        self.open.push(node);
        self.path.push((node, self.graph.leaving(node).start));
    }

    fn lower(&mut self, node: u32, number: u32) {
        let low = &mut self.low[node as usize];
        *low = number.min(*low);
    }

    /// Closes the component whose first node this is.
    fn complete(&mut self, first: u32) -> Vec<u32> {
        let start = self.open.iter().rposition(|node| *node == first).expect("an unfinished node is open");
        let component = self.open.split_off(start);
        for node in &component {
            self.number[*node as usize] = CLOSED;
        }
        component
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Random, graph, triples};
    use super::*;

    /// The definition: per node, the nodes it reaches and is reached from within the part.
    fn by_definition(graph: &Graph, nodes: &[u32], usable: impl Fn(Edge) -> bool) -> Vec<Vec<u32>> {
        let reach = |from: u32| {
            let mut seen = vec![from];
            let mut next = 0;
            while let Some(&node) = seen.get(next) {
                for edge in graph.leaving(node).map(|number| graph.edge(number)) {
                    if usable(edge) && nodes.contains(&edge.target) && !seen.contains(&edge.target) {
                        seen.push(edge.target);
                    }
                }
                next += 1;
            }
            seen
        };
        let mut components: Vec<Vec<u32>> = nodes
            .iter()
            .map(|&node| {
                let mut component: Vec<u32> =
                    reach(node).into_iter().filter(|other| reach(*other).contains(&node)).collect();
                component.sort_unstable();
                component
            })
            .collect();
        components.sort();
        components.dedup();
        components
    }

    #[test]
    fn agrees_with_the_definition_on_parts_of_random_graphs() {
        let mut random = Random(1);
        for _ in 0..3_000 {
            let nodes = 1 + random.below(8) as u32;
            let edges: Vec<(u32, u32, u32)> = (0..random.below(16))
                .map(|_| {
                    let mut node = || random.below(u64::from(nodes)) as u32;
                    (node(), node(), random.below(3) as u32)
                })
                .collect();
            let graph = graph(nodes, &edges);
            let mut search = Components::new(&graph);
            for _ in 0..3 {
                let mask = random.below(1 << nodes);
                let part: Vec<u32> = (0..nodes).filter(|node| mask >> node & 1 == 1).collect();
                let banned = random.below(4) as u32;
                let usable = |edge: Edge| edge.class != banned;
                let found = search.of(&part, usable, || Ok(())).expect("never stopped");
                let position = |node| found.iter().position(|component| component.contains(&node));
                for (source, target, class) in triples(&graph) {
                    if class != banned && part.contains(&source) && part.contains(&target) {
                        assert!(position(target) <= position(source), "components come in reverse order");
                    }
                }
                let mut sorted = found.clone();
                for component in &mut sorted {
                    component.sort_unstable();
                }
                sorted.sort();
                assert_eq!(sorted, by_definition(&graph, &part, usable));
            }
        }
    }

    #[test]
    fn a_long_line_overflows_no_stack() {
        let length = 1_000_000;
        let mut line = Graph::default();
        for node in 0..length {
            line.add_edge(Edge { target: (node + 1) % length, class: 0 });
            line.close_node();
        }
        let nodes: Vec<u32> = (0..length).collect();
        let found = Components::new(&line).of(&nodes, |_| true, || Ok(())).expect("never stopped");
        assert_eq!(found.len(), 1);
    }
}
