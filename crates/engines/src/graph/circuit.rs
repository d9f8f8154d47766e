//! A closed walk that takes given edges of a strong component.
//!
//! Strong global fairness asks of a cycle that it take every step there is, and a component may have a million. The
//! shortest such walk is the route of a postman [EJ73], a flow of least cost; ours need not be shortest. Each wanted
//! edge is taken once. Where more of them end than begin there is a surplus, which is sent to the nearest node that
//! lacks it, in rounds: breadth-first search from all lacking nodes at once, and each takes the nearest surplus of those that
//! found it first. What is left after a few rounds goes by way of the root. Now as many edges end as begin everywhere,
//! so what is connected has an Eulerian circuit, and parts that are not connected with the root are joined to it by
//! going there and back. Up to the number of rounds all of it is linear in the component and in what comes out.

use model::StopReason;

use super::Graph;
use crate::watch::Watch;

/// How often surplus is sent to the nearest nodes that lack it.
const ROUNDS: usize = 40;

/// An edge between two nodes of the component, which are known by their positions in it.
struct Arc {
    number: usize,
    source: usize,
    target: usize,
}

/// A component with a breadth-first tree to the root, node 0, and one from it.
struct Net {
    arcs: Vec<Arc>,
    /// Per node, the arcs that leave it.
    leaving: Vec<Vec<usize>>,
    /// Per node, the arcs that enter it.
    entering: Vec<Vec<usize>>,
    /// Per arc, how often it is to be taken.
    copies: Vec<usize>,
    /// Per node, how many more of the arcs that are to be taken end there than begin.
    surplus: Vec<isize>,
}

/// Trees that a breadth-first search finds: per node the arc that it was reached by and the root it was reached from,
/// and the nodes in the order in which they were reached.
struct Trees {
    arc: Vec<Option<usize>>,
    root: Vec<Option<usize>>,
    order: Vec<usize>,
}

/// A closed walk, as numbers of edges, from the first of the nodes of a component, whose edges are `edges`, that takes
/// each of the wanted ones.
pub(super) fn circuit(
    graph: &Graph,
    nodes: &[u32],
    edges: &[usize],
    is_wanted: &mut dyn FnMut(usize) -> bool,
    watch: &mut Watch<'_>,
) -> Result<Vec<usize>, StopReason> {
    let position = |node: u32| nodes.binary_search(&node).expect("a node of the component");
    let lists = vec![Vec::new(); nodes.len()];
    let mut net = Net {
        arcs: Vec::new(),
        leaving: lists.clone(),
        entering: lists,
        copies: Vec::new(),
        surplus: vec![0; nodes.len()],
    };
    for number in edges {
        let (source, target) = (position(graph.source(*number)), position(graph.edge(*number).target));
        net.leaving[source].push(net.arcs.len());
        net.entering[target].push(net.arcs.len());
        net.arcs.push(Arc { number: *number, source, target });
        net.copies.push(0);
        if is_wanted(*number) {
            net.take(net.arcs.len() - 1, 1);
        }
        watch.tick(|| 0)?;
    }
    net.balance(watch)?;
    net.connect();
    net.walk(watch)
}

impl Net {
    /// Takes an arc more often.
    fn take(&mut self, arc: usize, times: isize) {
        self.copies[arc] += times.unsigned_abs();
        self.surplus[self.arcs[arc].target] += times;
        self.surplus[self.arcs[arc].source] -= times;
    }

    /// The trees of shortest ways to some nodes, or from them.
    fn trees(&self, roots: Vec<usize>, to: bool) -> Trees {
        let nodes = self.leaving.len();
        let mut found = Trees { arc: vec![None; nodes], root: vec![None; nodes], order: roots };
        found.order.iter().for_each(|root| found.root[*root] = Some(*root));
        let mut next = 0;
        while let Some(node) = found.order.get(next).copied() {
            for arc in if to { &self.entering[node] } else { &self.leaving[node] } {
                let other = if to { self.arcs[*arc].source } else { self.arcs[*arc].target };
                if found.root[other].is_none() {
                    found.root[other] = found.root[node];
                    found.arc[other] = Some(*arc);
                    found.order.push(other);
                }
            }
            next += 1;
        }
        found
    }

    /// Takes further arcs until nowhere more end than begin.
    fn balance(&mut self, watch: &mut Watch<'_>) -> Result<(), StopReason> {
        for _ in 0..ROUNDS {
            let lacking = (0..self.surplus.len()).filter(|node| self.surplus[*node] < 0).collect();
            let trees = self.trees(lacking, true);
            for node in &trees.order {
                let lacking = trees.root[*node].map_or(0, |root| -self.surplus[root]);
                let sent = self.surplus[*node].min(lacking);
                let mut here = *node;
                while let (Some(arc), 1..) = (trees.arc[here], sent) {
                    self.take(arc, sent);
                    here = self.arcs[arc].target;
                }
                watch.tick(|| 0)?;
            }
            if trees.order.is_empty() {
                return Ok(());
            }
        }
        // The surplus goes to the root, and what is lacking comes from it.
        for (to, sign) in [(true, 1), (false, -1)] {
            let trees = self.trees(vec![0], to);
            for node in trees.order.iter().rev() {
                if let (Some(arc), 1..) = (trees.arc[*node], sign * self.surplus[*node]) {
                    self.take(arc, self.surplus[*node].abs());
                }
            }
        }
        Ok(())
    }

    /// Joins what is to be taken to the root.
    fn connect(&mut self) {
        let [home, away] = [true, false].map(|to| self.trees(vec![0], to));
        let mut reached = vec![false; self.leaving.len()];
        self.reach(0, &mut reached);
        for node in 0..self.leaving.len() {
            if reached[node] || !self.leaving[node].iter().any(|arc| self.copies[*arc] > 0) {
                continue;
            }
            let mut way = vec![node];
            let mut here = node;
            while let Some(arc) = home.arc[here] {
                self.copies[arc] += 1;
                here = self.arcs[arc].target;
                way.push(here);
            }
            here = node;
            while let Some(arc) = away.arc[here] {
                self.copies[arc] += 1;
                here = self.arcs[arc].source;
                way.push(here);
            }
            way.into_iter().for_each(|node| self.reach(node, &mut reached));
        }
    }

    /// Notes the nodes that can be reached over arcs that are to be taken.
    fn reach(&self, from: usize, reached: &mut [bool]) {
        let mut pending = vec![from];
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                let taken = self.leaving[node].iter().filter(|arc| self.copies[**arc] > 0);
                pending.extend(taken.map(|arc| self.arcs[*arc].target));
            }
        }
    }

    /// The Eulerian circuit from node 0 [Hie73]: walk on until the way home ends, then insert a walk
    /// wherever an arc was left.
    fn walk(mut self, watch: &mut Watch<'_>) -> Result<Vec<usize>, StopReason> {
        let mut found = Vec::new();
        let mut path: Vec<(usize, Option<usize>)> = vec![(0, None)];
        while let Some((node, by)) = path.last().copied() {
            while self.leaving[node].last().is_some_and(|arc| self.copies[*arc] == 0) {
                self.leaving[node].pop();
            }
            if let Some(arc) = self.leaving[node].last().copied() {
                self.copies[arc] -= 1;
                path.push((self.arcs[arc].target, Some(arc)));
            } else {
                found.extend(by.map(|arc| self.arcs[arc].number));
                path.pop();
            }
            watch.tick(|| 0)?;
        }
        found.reverse();
        Ok(found)
    }
}
