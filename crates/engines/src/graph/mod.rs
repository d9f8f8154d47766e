//! Finite directed graphs, and the fair cycles in them.
//!
//! A graph is stored as one list of edges, ordered by source, with the position of each node's first edge. An edge
//! belongs to a *class*: fairness and acceptance cannot distinguish edges of the same class, so facts are stored per
//! class and not per edge.
//!
//! [`scc`] finds strong components, and [`fair`] those with a cycle that meets every requirement; [`together`] divides that
//! among threads. Both also work on
//! graphs that are not stored. [`marked`] adds requirements to a stored graph, [`lasso`] finds a short cycle in it
//! and a path to the cycle, and [`circuit`] finds a cycle through all its edges.

pub mod bits;
mod circuit;
pub mod fair;
pub(crate) mod fold;
pub mod lasso;
pub mod marked;
pub mod scc;
pub(crate) mod together;

use std::ops::Range;

use crate::watch::bytes_of;

/// A graph with the nodes `0..nodes()`.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The end of each node's edges in `edges`.
    ends: Vec<usize>,
    edges: Vec<Edge>,
}

/// An edge, without its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leads.
    pub target: u32,
    /// The class it belongs to.
    pub class: u32,
}

impl Graph {
    /// Adds an edge that leaves the node to be closed next.
    pub fn add_edge(&mut self, edge: Edge) {
        self.edges.push(edge);
    }

    /// Adds a node, with the edges added since the last one.
    pub fn close_node(&mut self) {
        self.ends.push(self.edges.len());
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.ends.len()
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// The edges that leave a node, by number.
    pub fn leaving(&self, node: u32) -> Range<usize> {
        let node = node as usize;
        let first = if node == 0 { 0 } else { self.ends[node - 1] };
        first..self.ends[node]
    }

    /// The edge with this number.
    pub fn edge(&self, number: usize) -> Edge {
        self.edges[number]
    }

    /// The node an edge leaves.
    pub fn source(&self, number: usize) -> u32 {
        self.ends.partition_point(|end| *end <= number) as u32
    }

    /// The bytes it has allocated.
    pub fn bytes(&self) -> u64 {
        bytes_of(&self.ends) + bytes_of(&self.edges)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The graph with these edges: source, target, class.
    pub(crate) fn graph(nodes: u32, edges: &[(u32, u32, u32)]) -> Graph {
        let mut graph = Graph::default();
        for node in 0..nodes {
            for &(_, target, class) in edges.iter().filter(|(source, _, _)| *source == node) {
                graph.add_edge(Edge { target, class });
            }
            graph.close_node();
        }
        graph
    }

    /// Source, target and class of every edge.
    pub(crate) fn triples(graph: &Graph) -> Vec<(u32, u32, u32)> {
        let leaving = |node| graph.leaving(node).map(move |number| (node, graph.edge(number)));
        let edges = (0..graph.nodes() as u32).flat_map(leaving);
        edges.map(|(source, edge)| (source, edge.target, edge.class)).collect()
    }

    /// A small generator of pseudorandom numbers (splitmix64).
    pub(crate) struct Random(pub(crate) u64);

    impl Random {
        pub(crate) fn below(&mut self, bound: u64) -> u64 {
            model::splitmix::next(&mut self.0) % bound
        }
    }

    #[test]
    fn an_edge_knows_its_source() {
        let graph = graph(5, &[(0, 1, 7), (0, 3, 8), (3, 3, 9), (3, 0, 2), (4, 0, 0)]);
        let sources: Vec<u32> = (0..graph.edges()).map(|number| graph.source(number)).collect();
        assert_eq!(sources, triples(&graph).iter().map(|&(source, _, _)| source).collect::<Vec<_>>());
    }
}
