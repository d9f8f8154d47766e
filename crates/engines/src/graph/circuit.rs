//! A closed walk that takes given edges of a strong component.
//!
//! Strong global fairness asks of a cycle that it take every step there is, and a component may have a million. The
//! shortest such walk is the route of a postman [EJ73], a flow of least cost; ours need not be shortest. Each wanted
//! edge is taken once. Where more of them end than begin there is a surplus, which is sent to the nearest nodes that
//! lack it, in rounds: a breadth-first search finds how far each node is from those that lack something, and a blocking
//! flow [Din70] goes down these distances. What is left after a few rounds goes by way of the root. Now as many edges
//! end as begin everywhere, so what is connected has an Eulerian circuit, and parts that are not connected with the root
//! are joined to it by going there and back. Up to the number of rounds all of it is linear in the component and in what
//! comes out.

use model::StopReason;

use super::{Edge, Graph};
use crate::watch::Watch;

/// How often surplus is sent to the nearest nodes that lack it.
const ROUNDS: usize = 40;

/// A component whose nodes are known by their positions in it and whose edges, the arcs, are numbered anew.
struct Net {
    /// The arcs as they are; the class of an edge is its number.
    away: Graph,
    /// The arcs the other way round; the class of an edge is the number of the arc.
    home: Graph,
    /// Per arc, where it begins.
    sources: Vec<u32>,
    /// Per arc, how often it is to be taken.
    copies: Vec<usize>,
    /// Per node, how many more of the arcs that are to be taken end there than begin.
    surplus: Vec<isize>,
}

/// What a breadth-first search finds: per node the arc that it was reached by and how far it is, and the nodes in the
/// order in which they were reached.
struct Trees {
    arc: Vec<Option<usize>>,
    depth: Vec<u32>,
    order: Vec<u32>,
}

/// A closed walk, as numbers of edges, from the first of the nodes of a component that takes each of the wanted edges.
/// The edges of the component are given in the order of its nodes.
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
    /// The net of the edges that leave each node, of which nothing is taken yet.
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

    /// The trees of shortest ways between some nodes and all others, over arcs as they are or the other way round.
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

    /// Takes further arcs until nowhere more end than begin.
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
        // The surplus goes to the root, and what is lacking comes from it.
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

    /// Sends surplus down the depths, the nearest first, until none of it can reach a node that lacks something.
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
                    // Nothing is lacking beyond this node.
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

    /// Joins what is to be taken to the root.
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

    /// Notes the nodes that can be reached over arcs that are to be taken.
    fn reach(&self, from: u32, reached: &mut [bool]) {
        let mut pending = vec![from];
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut reached[node as usize], true) {
                let taken = self.away.leaving(node).filter(|arc| self.copies[*arc] > 0);
                pending.extend(taken.map(|arc| self.away.edge(arc).target));
            }
        }
    }

    /// The arcs of the Eulerian circuit from node 0 [Hie73]: walk on until the way home ends, then insert a walk
    /// wherever an arc was left.
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
