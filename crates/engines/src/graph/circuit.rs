//! A closed walk that takes given edges of a strong component.
//!
//! Strong global fairness requires a cycle that takes every step of a component, and a component may have a million.
//! The shortest such walk is the route of a postman [EJ73], a flow of least cost; ours need not be shortest. Each
//! wanted edge is taken once. A node at which more of them end than begin has a surplus, which we send to the nearest
//! nodes with a deficit, in rounds: a breadth-first search computes the distance of each node from those with a
//! deficit, and a blocking flow [Din70] follows these distances. The rest after a few rounds goes through the root.
//! Now at every node as many edges end as begin, so each connected part has an Eulerian circuit. Parts that are not
//! connected with the root are joined to it by a path there and back. Up to the number of rounds, the cost is linear
//! in the component and in the result.

use model::StopReason;

use super::{Edge, Graph};
use crate::watch::Watch;

/// The number of rounds in which surplus is sent to the nearest nodes with a deficit.
const ROUNDS: usize = 40;

/// A component with its nodes numbered by their positions in it, and its edges, the arcs, numbered anew.
struct Net {
    /// The arcs; the class of an edge is its number.
    away: Graph,
    /// The arcs reversed; the class of an edge is the number of the arc.
    home: Graph,
    /// Per arc, its source.
    sources: Vec<u32>,
    /// Per arc, how often it is taken.
    copies: Vec<usize>,
    /// Per node, the number of taken arcs that end there minus those that begin there.
    surplus: Vec<isize>,
}

/// The result of a breadth-first search: per node the arc that reached it and its distance, and the nodes in the
/// order in which they were reached.
struct Trees {
    arc: Vec<Option<usize>>,
    depth: Vec<u32>,
    order: Vec<u32>,
}

/// A closed walk, as numbers of edges, that starts at the first node of a component and takes each of the wanted
/// edges. The edges of the component are given in the order of its nodes.
pub(super) fn circuit(
    graph: &Graph,
    nodes: &[u32],
    edges: &[Vec<usize>],
    is_wanted: &mut dyn FnMut(usize) -> bool,
    watch: &mut Watch<'_>,
) -> Result<Vec<usize>, StopReason> {
    let mut positions = vec![0; graph.nodes()];
    for (position, node) in nodes.iter().enumerate() {
        positions[*node as usize] = position as u32;
    }
    let mut net = Net::new(edges, |number| positions[graph.edge(number).target as usize]);
    let numbers: Vec<usize> = edges.iter().flatten().copied().collect();
    for (arc, number) in numbers.iter().enumerate() {
        if is_wanted(*number) {
            net.take(arc, 1);
        }
        watch.tick(|| 0)?;
    }
    net.balance(watch)?;
    net.connect();
    Ok(net.walk(watch)?.into_iter().map(|arc| numbers[arc]).collect())
}

impl Net {
    /// The net of the edges that leave each node; no arc is taken yet.
    fn new(edges: &[Vec<usize>], target: impl Fn(usize) -> u32) -> Net {
        let mut away = Graph::default();
        let mut sources = Vec::new();
        let mut entering = vec![Vec::new(); edges.len()];
        for (source, edges) in edges.iter().enumerate() {
            for number in edges {
                let (arc, target) = (sources.len() as u32, target(*number));
                away.add_edge(Edge { target, class: arc });
                entering[target as usize].push(Edge { target: source as u32, class: arc });
                sources.push(source as u32);
            }
            away.close_node();
        }
        let mut home = Graph::default();
        for edges in entering {
            edges.into_iter().for_each(|edge| home.add_edge(edge));
            home.close_node();
        }
        let (copies, surplus) = (vec![0; sources.len()], vec![0; edges.len()]);
        Net { away, home, sources, copies, surplus }
    }

    /// Takes an arc more often.
    fn take(&mut self, arc: usize, times: isize) {
        self.copies[arc] += times.unsigned_abs();
        self.surplus[self.away.edge(arc).target as usize] += times;
        self.surplus[self.sources[arc] as usize] -= times;
    }

    /// The shortest-path trees between some nodes and all others, over arcs or over reversed arcs.
    fn trees(graph: &Graph, roots: Vec<u32>) -> Trees {
        let mut found =
            Trees { arc: vec![None; graph.nodes()], depth: vec![u32::MAX; graph.nodes()], order: roots };
        found.order.iter().for_each(|root| found.depth[*root as usize] = 0);
        let mut next = 0;
        while let Some(node) = found.order.get(next).copied() {
            for Edge { target, class } in graph.leaving(node).map(|number| graph.edge(number)) {
                if found.depth[target as usize] == u32::MAX {
                    found.depth[target as usize] = found.depth[node as usize] + 1;
                    found.arc[target as usize] = Some(class as usize);
                    found.order.push(target);
                }
            }
            next += 1;
        }
        found
    }

    /// Per node, the first of its arcs.
    fn cursors(&self) -> Vec<usize> {
        (0..self.away.nodes() as u32).map(|node| self.away.leaving(node).start).collect()
    }

    /// Takes further arcs until every node has as many ending as beginning.
    fn balance(&mut self, watch: &mut Watch<'_>) -> Result<(), StopReason> {
        for _ in 0..ROUNDS {
            let lacking = |node: &u32| self.surplus[*node as usize] < 0;
            let lacking: Vec<u32> = (0..self.surplus.len() as u32).filter(lacking).collect();
            if lacking.is_empty() {
                return Ok(());
            }
            let trees = Net::trees(&self.home, lacking);
            self.flow(&trees, watch)?;
        }
        // The surplus goes to the root, and deficits are filled from it.
        for sign in [1, -1] {
            let trees = Net::trees(if sign > 0 { &self.home } else { &self.away }, vec![0]);
            for node in trees.order.iter().map(|node| *node as usize).rev() {
                if let (Some(arc), 1..) = (trees.arc[node], sign * self.surplus[node]) {
                    self.take(arc, self.surplus[node].abs());
                }
            }
        }
        Ok(())
    }

    /// Sends surplus along decreasing distances, the nearest first, until none of it can reach a node with a deficit.
    fn flow(&mut self, trees: &Trees, watch: &mut Watch<'_>) -> Result<(), StopReason> {
        let mut cursors = self.cursors();
        let mut way: Vec<usize> = Vec::new();
        for from in &trees.order {
            let mut here = *from;
            while self.surplus[*from as usize] > 0 {
                let cursor = &mut cursors[here as usize];
                if self.surplus[here as usize] < 0 {
                    let sent = self.surplus[*from as usize].min(-self.surplus[here as usize]);
                    way.drain(..).for_each(|arc| self.take(arc, sent));
                    here = *from;
                } else if *cursor == self.away.leaving(here).end {
                    // There is no deficit beyond this node.
                    let Some(arc) = way.pop() else { break };
                    here = self.sources[arc];
                    cursors[here as usize] += 1;
                } else if trees.depth[self.away.edge(*cursor).target as usize] < trees.depth[here as usize] {
                    way.push(*cursor);
                    here = self.away.edge(*cursor).target;
                } else {
                    *cursor += 1;
                }
                watch.tick(|| 0)?;
            }
        }
        Ok(())
    }

    /// Connects all taken arcs to the root.
    fn connect(&mut self) {
        let [home, away] = [&self.home, &self.away].map(|graph| Net::trees(graph, vec![0]));
        let mut reached = vec![false; self.surplus.len()];
        self.reach(0, &mut reached);
        for node in 0..self.surplus.len() as u32 {
            if reached[node as usize] || !self.away.leaving(node).any(|arc| self.copies[arc] > 0) {
                continue;
            }
            let mut way = vec![node];
            let mut here = node;
            while let Some(arc) = home.arc[here as usize] {
                self.copies[arc] += 1;
                here = self.away.edge(arc).target;
                way.push(here);
            }
            here = node;
            while let Some(arc) = away.arc[here as usize] {
                self.copies[arc] += 1;
                here = self.sources[arc];
                way.push(here);
            }
            way.into_iter().for_each(|node| self.reach(node, &mut reached));
        }
    }

    /// Marks the nodes that can be reached over taken arcs.
    fn reach(&self, from: u32, reached: &mut [bool]) {
        let mut pending = vec![from];
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut reached[node as usize], true) {
                let taken = self.away.leaving(node).filter(|arc| self.copies[*arc] > 0);
                pending.extend(taken.map(|arc| self.away.edge(arc).target));
            }
        }
    }

    /// The arcs of the Eulerian circuit from node 0 [Hie73]: walk until the walk is stuck at its start, then insert a
    /// walk wherever an arc is left.
    fn walk(mut self, watch: &mut Watch<'_>) -> Result<Vec<usize>, StopReason> {
        let mut found = Vec::new();
        let mut cursors = self.cursors();
        let mut path: Vec<(u32, Option<usize>)> = vec![(0, None)];
        while let Some((node, by)) = path.last().copied() {
            let arc = &mut cursors[node as usize];
            let end = self.away.leaving(node).end;
            while *arc < end && self.copies[*arc] == 0 {
                *arc += 1;
            }
            if *arc < end {
                self.copies[*arc] -= 1;
                path.push((self.away.edge(*arc).target, Some(*arc)));
            } else {
                found.extend(by);
                path.pop();
            }
            watch.tick(|| 0)?;
        }
        found.reverse();
        Ok(found)
    }
}
