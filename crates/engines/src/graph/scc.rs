//! Strong components.
//!
//! A strong component is a maximal set of nodes each of which reaches every other inside the set. This is the
//! algorithm of [Tar72] in the form of [Pea16], which keeps one number per node: first when the node was reached,
//! then the least such number known to be reachable from it, finally the component it is in. State graphs can be as
//! deep as they are large, so we use an explicit stack of half-explored nodes instead of recursion. The graph is
//! given by a function that lists the targets of a node's edges, so it need not be stored. The function is called
//! once per node.
//!
//! A search works on a *part* of the graph, the nodes that are admitted, and can be repeated on smaller parts. A
//! search on `n` nodes with `m` edges costs `O(n + m)`, whatever the size of the whole graph. A component is passed
//! on as soon as it is complete and is not stored.
//!
//! Several searches can share the work on one graph [RDKP15]. Each has numbers of its own. They share the set of nodes whose
//! component is complete, and none of them goes where another has been. A node in this set is not in a component that is
//! still growing, unless another search has found that whole component: whoever first closes a component has seen none of
//! its nodes in the set, so it has seen all of its edges. It passes the component on. Others may later close parts of it.
//! They find nodes of the set in them and keep them to themselves; a part without such nodes is passed on, too.

use std::sync::atomic::{AtomicU64, Ordering};

use model::StopReason;

use crate::machine::prefetch;

/// The number of a node that has not been reached yet.
const UNSEEN: u32 = 0;
/// The number of a node that is not in the search, or no longer, and in no component of several nodes.
const OUTSIDE: u32 = u32::MAX;

/// The nodes whose component some search has completed.
pub(super) struct Closed(Box<[AtomicU64]>);

impl Closed {
    /// None of so many nodes.
    pub(super) fn new(nodes: usize) -> Closed {
        Closed(std::iter::repeat_with(AtomicU64::default).take(nodes.div_ceil(64)).collect())
    }

    #[inline]
    fn contains(&self, node: u32) -> bool {
        self.0[node as usize / 64].load(Ordering::Acquire) >> (node % 64) & 1 == 1
    }

    /// Adds nodes. Returns whether none of them was there before. All are looked at before any is added, and no processor
    /// may exchange the two: so of two searches that add the same nodes at the same time at least one finds none.
    fn add(&self, nodes: &[u32]) -> bool {
        let is_new = !nodes.iter().any(|node| self.contains(*node));
        nodes.iter().for_each(|node| {
            self.0[*node as usize / 64].fetch_or(1 << (node % 64), Ordering::Release);
        });
        is_new
    }
}

/// Finds strong components of parts of one graph.
pub struct Components<'c> {
    /// Per node: [`UNSEEN`]; or, while its component is not complete, the least number known to be reachable from it;
    /// or the number of its component, which is greater than all of those.
    number: Vec<u32>,
    /// The number of the last component. Components count down.
    component: u32,
    /// The explored nodes whose component is not complete, in the order in which they were left.
    open: Vec<u32>,
    /// The path of the search.
    path: Vec<Entered>,
    /// The targets not yet examined, of all nodes on the path.
    targets: Vec<u32>,
    /// What it shares with other searches.
    closed: Option<&'c Closed>,
    /// Whether targets are examined from the last to the first.
    backwards: bool,
}

/// A node on the path of the search.
#[derive(Clone, Copy)]
struct Entered {
    node: u32,
    /// Its first number.
    own: u32,
    /// Twice the position where its targets begin in `targets`; one more if it has an edge to itself.
    first: u64,
}

impl Entered {
    fn first(self) -> usize {
        (self.first >> 1) as usize
    }

    fn has_loop(self) -> bool {
        self.first & 1 == 1
    }
}

/// A strong component that is complete.
pub struct FoundComponent<'a> {
    /// Its nodes, in no particular order. The receiver may sort them.
    pub nodes: &'a mut [u32],
    /// Whether there is an edge inside.
    pub has_edge: bool,
    number: &'a [u32],
    component: u32,
}

impl FoundComponent<'_> {
    /// Whether a node belongs to it.
    #[inline]
    pub fn contains(&self, node: u32) -> bool {
        match &*self.nodes {
            [only] => *only == node,
            _ => self.number[node as usize] == self.component,
        }
    }
}

impl<'c> Components<'c> {
    /// Prepares for searches in a graph with this many nodes, all of them admitted.
    pub fn new(nodes: usize) -> Components<'c> {
        Components::of(vec![UNSEEN; nodes])
    }

    /// The same with no node admitted.
    pub(super) fn without_nodes(nodes: usize) -> Components<'c> {
        Components::of(vec![OUTSIDE; nodes])
    }

    /// The same with all nodes admitted, for one of several searches. They share most if they go in different directions.
    pub(super) fn sharing(nodes: usize, closed: &'c Closed, backwards: bool) -> Components<'c> {
        Components { closed: Some(closed), backwards, ..Components::new(nodes) }
    }

    fn of(number: Vec<u32>) -> Components<'c> {
        let (open, path, targets) = (Vec::new(), Vec::new(), Vec::new());
        Components { number, component: OUTSIDE, open, path, targets, closed: None, backwards: true }
    }

    /// Admits nodes to the next search. A search ends with all nodes that it has reached excluded.
    pub fn admit(&mut self, nodes: &[u32]) {
        nodes.iter().for_each(|node| self.number[*node as usize] = UNSEEN);
    }

    /// Passes on the strong components of the admitted nodes that can be reached from the roots.
    ///
    /// `successors` appends the targets of a node's edges to a list. `entered` is called once for every node, and can
    /// end the search while a component is still growing. Every node is in one component, which may be the node alone.
    /// A component comes after all those that can be reached from it.
    pub fn search(
        &mut self,
        roots: &[u32],
        successors: impl Fn(u32, &mut Vec<u32>),
        mut entered: impl FnMut() -> Result<(), StopReason>,
        mut found: impl FnMut(FoundComponent<'_>) -> Result<(), StopReason>,
    ) -> Result<(), StopReason> {
        let mut reached = UNSEEN;
        for &root in roots {
            if self.number[root as usize] == UNSEEN && !self.is_closed(root) {
                entered()?;
                self.enter(root, &mut reached, &successors);
            }
            while let Some(&last) = self.path.last() {
                let node = last.node;
                // The targets of the last node of the path are at the end of the list.
                if self.targets.len() > last.first() {
                    let target = self.targets.pop().expect("there is one more");
                    match self.number[target as usize] {
                        UNSEEN if self.is_closed(target) => self.number[target as usize] = OUTSIDE,
                        UNSEEN => {
                            entered()?;
                            self.enter(target, &mut reached, &successors);
                        }
                        number => self.lower(node, number),
                    }
                    continue;
                }
                self.path.pop();
                self.open.push(node);
                if self.number[node as usize] == last.own {
                    let first = self.close(node, reached)?;
                    let Components { number, component, open, .. } = self;
                    let nodes = &mut open[first..];
                    let has_edge = nodes.len() > 1 || last.has_loop();
                    if self.closed.is_none_or(|closed| closed.add(nodes)) {
                        found(FoundComponent { nodes, has_edge, number, component: *component })?;
                    }
                    self.open.truncate(first);
                }
                if let Some(&Entered { node: parent, .. }) = self.path.last() {
                    self.lower(parent, self.number[node as usize]);
                }
            }
        }
        Ok(())
    }

    /// Whether another search has completed the component of a node.
    #[inline]
    fn is_closed(&self, node: u32) -> bool {
        self.closed.is_some_and(|closed| closed.contains(node))
    }

    /// A number that identifies the component a node was found in.
    pub fn name(&self, node: u32) -> u64 {
        match self.number[node as usize] {
            OUTSIDE => u64::from(node),
            component => u64::from(component) << 32,
        }
    }

    /// The bytes it has allocated.
    pub fn bytes(&self) -> u64 {
        use crate::watch::bytes_of;
        bytes_of(&self.number) + bytes_of(&self.open) + bytes_of(&self.path) + bytes_of(&self.targets)
    }

    #[inline]
    fn enter(&mut self, node: u32, reached: &mut u32, successors: &impl Fn(u32, &mut Vec<u32>)) {
        *reached += 1;
        self.number[node as usize] = *reached;
        let first = self.targets.len();
        successors(node, &mut self.targets);
        if !self.backwards {
            self.targets[first..].reverse();
        }
        let mut has_loop = false;
        for target in &self.targets[first..] {
            // Their numbers are scattered in memory and will be needed soon.
            prefetch(&self.number[*target as usize]);
            has_loop |= *target == node;
        }
        self.path.push(Entered { node, own: *reached, first: (first as u64) << 1 | u64::from(has_loop) });
    }

    /// Records that something with this number can be reached from a node. Numbers of nodes outside the part and of
    /// complete components are too great to have an effect.
    #[inline]
    fn lower(&mut self, node: u32, number: u32) {
        let least = &mut self.number[node as usize];
        *least = number.min(*least);
    }

    /// Closes the component that was entered at this node; returns its position on `open`. Fails if there are no
    /// numbers left.
    #[inline]
    fn close(&mut self, node: u32, reached: u32) -> Result<usize, StopReason> {
        let least = self.number[node as usize];
        let others = self.open.iter().rev().skip(1);
        let size = 1 + others.take_while(|other| self.number[**other as usize] >= least).count();
        let first = self.open.len() - size;
        if size == 1 {
            self.number[node as usize] = OUTSIDE;
            return Ok(first);
        }
        self.component -= 1;
        // Invariant: components have greater numbers than all nodes that are not closed.
        if self.component <= reached {
            return Err(StopReason::Memory);
        }
        for node in &self.open[first..] {
            self.number[*node as usize] = self.component;
        }
        Ok(first)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Random, graph, triples};
    use super::super::{Edge, Graph};
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

    /// The components of the part with these nodes and the edges between them that `usable` allows.
    fn components(graph: &Graph, nodes: &[u32], usable: impl Fn(Edge) -> bool) -> Vec<Vec<u32>> {
        let mut search = Components::new(graph.nodes());
        // One search that reaches everything, and then the one that is asked for.
        let all: Vec<u32> = (0..graph.nodes() as u32).collect();
        search.search(&all, |_, _| {}, || Ok(()), |_| Ok(())).expect("never stopped");
        search.admit(nodes);
        let successors = |node: u32, targets: &mut Vec<u32>| {
            let edges = graph.leaving(node).map(|number| graph.edge(number));
            targets.extend(edges.filter(|edge| usable(*edge)).map(|edge| edge.target));
        };
        let mut found = Vec::new();
        let hand = |component: FoundComponent<'_>| {
            let mut targets = Vec::new();
            component.nodes.iter().for_each(|node| successors(*node, &mut targets));
            assert_eq!(component.has_edge, targets.iter().any(|target| component.contains(*target)));
            let inside = (0..graph.nodes() as u32).filter(|node| component.contains(*node));
            let mut sorted = component.nodes.to_vec();
            sorted.sort_unstable();
            assert_eq!(inside.collect::<Vec<_>>(), sorted);
            found.push(sorted);
            Ok(())
        };
        search.search(nodes, successors, || Ok(()), hand).expect("never stopped");
        found
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
            for _ in 0..3 {
                let mask = random.below(1 << nodes);
                let part: Vec<u32> = (0..nodes).filter(|node| mask >> node & 1 == 1).collect();
                let banned = random.below(4) as u32;
                let usable = |edge: Edge| edge.class != banned;
                let found = components(&graph, &part, usable);
                let position = |node| found.iter().position(|component| component.contains(&node));
                for (source, target, class) in triples(&graph) {
                    if class != banned && part.contains(&source) && part.contains(&target) {
                        assert!(position(target) <= position(source), "components come in reverse order");
                    }
                }
                let mut sorted = found.clone();
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
        let found = components(&line, &(0..length).collect::<Vec<_>>(), |_| true);
        assert_eq!(found.len(), 1);
    }
}
