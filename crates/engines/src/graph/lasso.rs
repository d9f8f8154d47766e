//! Short lassos through a fair component.
//!
//! The cycle must take a `then` edge of every requirement of which it takes a `when` edge. Finding the shortest such
//! cycle is as hard as the travelling salesman problem, so we are greedy: from the current node we take a shortest
//! path to an edge that meets an unmet requirement, and when all are met, a shortest path back to the start. The way
//! back may trigger new requirements; then we go on, and each time fewer are left. If the cycle must take every step
//! of the component (strong global fairness), it is a [`circuit`].
//!
//! Afterwards we remove detours between two visits of the same node as long as the rest is still fair. The stem is a
//! shortest path to the node where the cycle begins. Which start is best depends on what the nodes stand for, so we
//! return one lasso for each of several starts, and the caller chooses.

use std::collections::HashSet;

use model::StopReason;

use super::bits::Bits;
use super::circuit::circuit;
use super::fair;
use super::marked::{Class, Marked};
use crate::watch::Watch;

/// A fair component of a stored graph.
pub type Component = fair::Component<Bits>;

/// Limit on the work for different starts: nodes of the component times starts.
const ATTEMPTED_NODES: usize = 50_000;
/// The greatest number of starts that are tried.
const ATTEMPTS: usize = 64;
/// Cycles longer than this are not shortened, which takes cubic time.
const SHORTENED: usize = 300;

/// A path and a cycle, as numbers of edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The path from an initial node to where the cycle begins.
    pub stem: Vec<usize>,
    /// The cycle; never empty.
    pub cycle: Vec<usize>,
}

/// A graph with a breadth-first tree and requirements, in which lassos are searched.
pub struct Search<'a> {
    /// The graph and its requirements.
    pub marked: Marked<'a>,
    /// Per node, its parent; initial nodes are their own parents.
    pub parents: &'a [u32],
}

impl Search<'_> {
    /// Short lassos whose cycles lie in a fair component; at least one.
    pub fn lassos(&self, component: &Component, watch: &mut Watch<'_>) -> Result<Vec<Lasso>, StopReason> {
        let attempts = (ATTEMPTED_NODES / component.nodes.len()).clamp(1, ATTEMPTS);
        let mut tour = Tour::new(self, component);
        let starts = component.nodes.iter().take(attempts);
        starts.map(|&start| Ok(Lasso { stem: self.stem(start), cycle: tour.cycle(start, watch)? })).collect()
    }

    /// A lasso whose cycle takes each step that an edge of a fair component stands for.
    pub fn covering_lasso(
        &self,
        component: &Component,
        step: &dyn Fn(usize) -> u64,
        watch: &mut Watch<'_>,
    ) -> Result<Lasso, StopReason> {
        let marked = &self.marked;
        let edges = edges(marked, component);
        // One edge for each step, and the edges that the requirements need.
        let mut steps = HashSet::new();
        let mut met = Bits::empty(marked.requirements);
        let mut is_wanted = |number: usize| {
            let then = &marked.classes[marked.graph.edge(number).class as usize].then;
            let meets = !then.without(&met).is_empty();
            met.add(then);
            steps.insert(step(number)) || meets
        };
        let cycle = circuit(marked.graph, &component.nodes, &edges, &mut is_wanted, watch)?;
        Ok(Lasso { stem: self.stem(component.nodes[0]), cycle })
    }

    /// A shortest path to a node from an initial one.
    fn stem(&self, mut node: u32) -> Vec<usize> {
        let mut stem = Vec::new();
        while self.parents[node as usize] != node {
            let parent = self.parents[node as usize];
            let graph = self.marked.graph;
            let leads = |number: &usize| graph.edge(*number).target == node;
            stem.push(graph.leaving(parent).find(leads).expect("a parent has an edge to its child"));
            node = parent;
        }
        stem.reverse();
        stem
    }
}

/// Per node of a component, its edges in it.
fn edges(marked: &Marked<'_>, component: &Component) -> Vec<Vec<usize>> {
    let mut edges = vec![Vec::new(); component.nodes.len()];
    for (edges, node) in edges.iter_mut().zip(&component.nodes) {
        let mut cursor = 0;
        while let Some((number, edge)) = marked.edge(&component.part, *node, &mut cursor) {
            if component.nodes.binary_search(&edge.target).is_ok() {
                edges.push(number);
            }
        }
    }
    edges
}

/// The requirements that a walk has triggered and met.
struct Debts {
    triggered: Bits,
    met: Bits,
}

impl Debts {
    fn unmet(&self) -> Bits {
        self.triggered.without(&self.met)
    }
}

/// The state of the search for cycles in one component.
struct Tour<'a> {
    search: &'a Search<'a>,
    /// Per node, its edges in the component.
    edges: Vec<Vec<usize>>,
    /// The requirements that every edge of the component triggers.
    always: Bits,
    nodes: &'a [u32],
    /// Per node of the component, the walk in which it was last reached and the edge that reached it.
    reached: Vec<(u32, usize)>,
    walks: u32,
}

impl<'a> Tour<'a> {
    fn new(search: &'a Search<'a>, component: &'a Component) -> Tour<'a> {
        let edges = edges(&search.marked, component);
        let mut always = Bits::of(search.marked.requirements, |_| true);
        for number in edges.iter().flatten() {
            always.keep(&search.marked.classes[search.marked.graph.edge(*number).class as usize].when);
        }
        let reached = vec![(0, 0); component.nodes.len()];
        Tour { search, edges, always, nodes: &component.nodes, reached, walks: 0 }
    }

    /// A fair cycle through a node.
    fn cycle(&mut self, start: u32, watch: &mut Watch<'_>) -> Result<Vec<usize>, StopReason> {
        let mut debts = self.debts();
        let mut cycle: Vec<usize> = Vec::new();
        let mut here = start;
        loop {
            let unmet = debts.unmet();
            let walk = if !unmet.is_empty() {
                self.walk(here, &|tour, number| tour.class(number).then.meets(&unmet), watch)?
            } else if here != start || cycle.is_empty() {
                self.walk(here, &|tour, number| tour.target(number) == start, watch)?
            } else {
                break;
            };
            for number in walk {
                self.pay(&mut debts, number);
                here = self.target(number);
                cycle.push(number);
            }
        }
        Ok(self.shorten(start, cycle))
    }

    fn debts(&self) -> Debts {
        Debts { triggered: self.always.clone(), met: Bits::empty(self.search.marked.requirements) }
    }

    fn pay(&self, debts: &mut Debts, number: usize) {
        debts.triggered.add(&self.class(number).when);
        debts.met.add(&self.class(number).then);
    }

    fn class(&self, number: usize) -> &Class {
        &self.search.marked.classes[self.search.marked.graph.edge(number).class as usize]
    }

    fn target(&self, number: usize) -> u32 {
        self.search.marked.graph.edge(number).target
    }

    fn position(&self, node: u32) -> usize {
        self.nodes.binary_search(&node).expect("a node of the component")
    }

    /// A shortest walk from a node that ends with a wanted edge. It exists, because the component is strongly
    /// connected and contains a wanted edge.
    fn walk(
        &mut self,
        from: u32,
        wanted: &dyn Fn(&Tour<'_>, usize) -> bool,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<usize>, StopReason> {
        self.walks += 1;
        let start = self.position(from);
        self.reached[start].0 = self.walks;
        let mut queue = vec![start];
        let mut next = 0;
        // The entry of the queue from which each node was reached.
        let mut origins = vec![0];
        while let Some(&position) = queue.get(next) {
            for k in 0..self.edges[position].len() {
                let number = self.edges[position][k];
                if wanted(self, number) {
                    let mut walk = vec![number];
                    let mut entry = next;
                    while entry != 0 {
                        walk.push(self.reached[queue[entry]].1);
                        entry = origins[entry];
                    }
                    walk.reverse();
                    return Ok(walk);
                }
                let target = self.position(self.target(number));
                if self.reached[target].0 != self.walks {
                    self.reached[target] = (self.walks, number);
                    queue.push(target);
                    origins.push(next);
                }
            }
            watch.tick(|| 0)?;
            next += 1;
        }
        unreachable!("everything in a strong component can be reached")
    }

    /// Removes detours that the cycle does not need.
    fn shorten(&self, start: u32, mut cycle: Vec<usize>) -> Vec<usize> {
        if cycle.len() > SHORTENED {
            return cycle;
        }
        let mut from = 0;
        while from < cycle.len() {
            let nodes: Vec<u32> =
                std::iter::once(start).chain(cycle.iter().map(|number| self.target(*number))).collect();
            // The longest detour from here that can be removed. The whole cycle is not a detour.
            let cut = (from + 1..=cycle.len()).rev().filter(|to| nodes[*to] == nodes[from]).find_map(|to| {
                let rest: Vec<usize> = cycle[..from].iter().chain(&cycle[to..]).copied().collect();
                self.is_fair(&rest).then_some(rest)
            });
            match cut {
                Some(rest) => cycle = rest,
                None => from += 1,
            }
        }
        cycle
    }

    fn is_fair(&self, cycle: &[usize]) -> bool {
        let mut debts = self.debts();
        for number in cycle {
            self.pay(&mut debts, *number);
        }
        !cycle.is_empty() && debts.unmet().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use model::Session;

    use super::super::Graph;
    use super::super::fair::fair_components;
    use super::super::tests::{Random, graph, triples};
    use super::*;

    /// A breadth-first tree from node 0, or nothing if a node is not reachable.
    fn tree(graph: &Graph) -> Option<Vec<u32>> {
        let mut parents = vec![None; graph.nodes()];
        parents[0] = Some(0);
        let mut queue = vec![0];
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            for target in graph.leaving(node).map(|number| graph.edge(number).target) {
                if parents[target as usize].is_none() {
                    parents[target as usize] = Some(node);
                    queue.push(target);
                }
            }
            next += 1;
        }
        parents.into_iter().collect()
    }

    /// The numbers of the edges of a component.
    fn kept(search: &Search<'_>, component: &Component) -> Vec<usize> {
        let Marked { graph, classes, .. } = &search.marked;
        let kept = |number: &usize| {
            let (source, target, class) = triples(graph)[*number];
            component.nodes.contains(&source)
                && component.nodes.contains(&target)
                && !classes[class as usize].when.meets(&component.part)
        };
        (0..graph.edges()).filter(kept).collect()
    }

    /// Walks along a lasso and asserts that it is one: from node 0, closed, and fair.
    fn assert_valid(search: &Search<'_>, component: &Component, lasso: &Lasso) {
        let triples = triples(search.marked.graph);
        let mut here = 0;
        for number in &lasso.stem {
            assert_eq!(triples[*number].0, here);
            here = triples[*number].1;
        }
        let start = here;
        let kept = kept(search, component);
        assert!(!lasso.cycle.is_empty());
        for number in &lasso.cycle {
            assert_eq!(triples[*number].0, here);
            assert!(kept.contains(number), "the cycle leaves the component");
            here = triples[*number].1;
        }
        assert_eq!(here, start, "the cycle does not close");
        for r in 0..search.marked.requirements {
            let some = |test: &dyn Fn(&Class) -> bool| {
                lasso.cycle.iter().any(|number| test(&search.marked.classes[triples[*number].2 as usize]))
            };
            assert!(!some(&|class| class.when.contains(r)) || some(&|class| class.then.contains(r)));
        }
    }

    #[test]
    fn lassos_of_random_graphs_are_fair() {
        let mut random = Random(3);
        let (mut plain, mut covering) = (0, 0);
        for _ in 0..4_000 {
            let requirements = random.below(5) as usize;
            let mut bits = || {
                let mask = random.below(1 << requirements);
                Bits::of(requirements, |r| mask >> r & 1 == 1)
            };
            let classes: Vec<Class> = (0..6).map(|_| Class { when: bits(), then: bits() }).collect();
            let nodes = 1 + random.below(7) as u32;
            let random_edges: Vec<(u32, u32, u32)> = (0..random.below(20))
                .map(|_| {
                    let mut node = || random.below(u64::from(nodes)) as u32;
                    (node(), node(), random.below(6) as u32)
                })
                .collect();
            let graph = graph(nodes, &random_edges);
            let Some(parents) = tree(&graph) else { continue };
            let marked = || Marked { graph: &graph, classes: &classes, requirements };
            let search = Search { marked: marked(), parents: &parents };
            let roots: Vec<u32> = (0..graph.nodes() as u32).collect();
            let session = Session::unlimited();
            let mut watch = Watch::new(&session, "testing", "nodes", 0);
            for component in fair_components(&marked(), &roots, Bits::empty(requirements), &mut watch)
                .expect("never stopped")
            {
                for lasso in search.lassos(&component, &mut watch).expect("never stopped") {
                    assert_valid(&search, &component, &lasso);
                    plain += 1;
                }
                let lasso = search
                    .covering_lasso(&component, &|number| number as u64, &mut watch)
                    .expect("never stopped");
                assert_valid(&search, &component, &lasso);
                for number in kept(&search, &component) {
                    assert!(lasso.cycle.contains(&number));
                }
                covering += usize::from(lasso.cycle.len() > 1);
                // Edges may stand for the same step.
                let lasso = search
                    .covering_lasso(&component, &|number| number as u64 / 3, &mut watch)
                    .expect("never stopped");
                assert_valid(&search, &component, &lasso);
                for number in kept(&search, &component) {
                    assert!(lasso.cycle.iter().any(|taken| taken / 3 == number / 3));
                }
            }
        }
        assert!(
            plain > 1_000 && covering > 500,
            "{plain} lassos, {covering} of them covering more than a step"
        );
    }

    #[test]
    fn there_is_a_lasso_for_each_place_where_the_cycle_can_begin() {
        // A ring of six whose fourth node has a loop.
        let ring: Vec<(u32, u32, u32)> = (0..6).map(|k| (k, (k + 1) % 6, 0)).chain([(3, 3, 0)]).collect();
        let graph = graph(6, &ring);
        let parents = tree(&graph).expect("a ring is connected");
        let classes = [Class { when: Bits::empty(0), then: Bits::empty(0) }];
        let marked = Marked { graph: &graph, classes: &classes, requirements: 0 };
        let search = Search { marked, parents: &parents };
        let component = Component { nodes: (0..6).collect(), part: Bits::empty(0) };
        let session = Session::unlimited();
        let mut watch = Watch::new(&session, "testing", "nodes", 0);
        let lassos = search.lassos(&component, &mut watch).expect("never stopped");
        let lengths: Vec<_> = lassos.iter().map(|lasso| (lasso.stem.len(), lasso.cycle.len())).collect();
        assert_eq!(lengths, [(0, 6), (1, 6), (2, 6), (3, 1), (4, 6), (5, 6)]);
    }

    #[test]
    fn a_requirement_that_the_cycle_does_not_trigger_costs_nothing() {
        // Node 1 triggers a requirement that is met far away; the loop at node 0 avoids both.
        let graph = graph(3, &[(0, 0, 0), (0, 1, 1), (1, 2, 0), (2, 0, 2)]);
        let parents = tree(&graph).expect("all nodes are reachable");
        let class =
            |when: bool, then: bool| Class { when: Bits::of(1, |_| when), then: Bits::of(1, |_| then) };
        let classes = [class(false, false), class(true, false), class(false, true)];
        let marked = Marked { graph: &graph, classes: &classes, requirements: 1 };
        let search = Search { marked, parents: &parents };
        let component = Component { nodes: vec![0, 1, 2], part: Bits::empty(1) };
        let session = Session::unlimited();
        let mut watch = Watch::new(&session, "testing", "nodes", 0);
        let expected = Lasso { stem: vec![], cycle: vec![0] };
        assert_eq!(search.lassos(&component, &mut watch).expect("never stopped")[0], expected);
    }
}
