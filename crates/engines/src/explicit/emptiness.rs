//! Looks for a fair run that the automaton of the negated property accepts.
//!
//! In the product, every mark of the automaton is a requirement `GF true -> GF mark`, next to those of the fairness.
//! So the question is whether the product has a reachable fair set of edges, and [`fair_components`] answers it. The
//! alternatives of a disjunction are tried one after the other.
//!
//! The space may be explored only in part. A run that is found is still real: a fair set consists of expanded states,
//! all of whose steps are known, so enabledness and covering are the same as in the whole system.
//!
//! **Strong global fairness** is a fact about the projection to the system: a set of product edges is globally fair
//! if each system step that leaves a state it visits is the step of one of its edges. We only test the maximal fair
//! sets at the end of the recursion. That is enough: let `F` be a fair set that is globally fair. It lies in a
//! maximal fair set `C`. The projection of `F` is closed under system steps and strongly connected, so its states are
//! a strong component of the system that cannot be left. `C` is strongly connected and meets `F`, so it visits the
//! same states, and it covers their steps because `F` does. The test of [SLDP09], that no transition leads out of the
//! component, is right on the system but would be wrong on the product: there the automaton may move to a state where
//! it gets stuck, although the system does not leave the component.

use std::collections::{BTreeSet, HashMap};

use automata::Automaton;
use model::answer::{Label, Lasso, Position};
use model::{Session, StopReason};

use super::letters::Letters;
use super::product::{Arc, Product};
use super::requirements::{Alternative, OfActions};
use super::space::{Space, label};
use super::states::States;
use crate::graph::bits::Bits;
use crate::graph::fair::{Component, Fair, fair_components};
use crate::graph::fold::fold;
use crate::graph::lasso::Search;
use crate::graph::marked::{Class, Marked};
use crate::graph::scc::Components;
use crate::graph::together;
use crate::graph::{Edge, Graph};
use crate::watch::Watch;

/// From so many states on it pays to divide a search for components among threads.
const MANY: usize = if cfg!(test) { 1 } else { 1 << 16 };
/// How many nodes of a component are tried as the start of the cycle.
const PLACES: usize = 64;
/// The number of a node that has not been met.
const UNMET: u32 = u32::MAX;

/// A fair run that the automaton accepts, if there is one.
pub(super) fn accepted_run(
    states: &impl States,
    letters: &Letters,
    automaton: &Automaton,
    atoms: &[usize],
    alternatives: &[Alternative],
    session: &Session<'_>,
) -> Result<Option<Lasso>, StopReason> {
    let held = states.bytes() + letters.bytes();
    for alternative in alternatives {
        let product = Product::new(states, letters, automaton, atoms, alternative);
        let mut watch = Watch::new(session, "looking for fair cycles", "product states", held);
        let entries = product.entries(&mut watch)?;
        let components = fair_components(&product, &entries, product.whole(), &mut watch)?;
        if let Some(component) = components.first() {
            let mut watch = Watch::new(session, "closing the cycle", "product states", held);
            return Extract::new(&product, component).shortest(&mut watch).map(Some);
        }
    }
    Ok(None)
}

/// Whether several threads have found out that there is no fair run that the automaton accepts. They are not asked about
/// few states.
pub(super) fn no_run_is_accepted<S: States + Sync>(
    states: &S,
    (letters, automaton, atoms): (&Letters, &Automaton, &[usize]),
    alternatives: &[Alternative],
    session: &Session<'_>,
) -> Result<bool, StopReason> {
    if session.threads <= 1 || states.bound() < MANY {
        return Ok(false);
    }
    let held = states.bytes() + letters.bytes();
    for alternative in alternatives {
        let product = || Product::new(states, letters, automaton, atoms, alternative);
        let one = product();
        let entries =
            one.entries(&mut Watch::new(session, "looking for fair cycles", "product states", held))?;
        let search = together::Search { graph: product, roots: &entries };
        if search.finds_fair_set(&one.whole(), held, session)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The nearest state from which no fair run begins, among the states of components that cannot be left. The automaton
/// must accept every run.
///
/// If any reachable state has no fair run, then some component that cannot be left has one. Such a component has a
/// fair run from each of its states or from none.
pub(super) fn state_without_a_fair_run<const W: usize>(
    space: &Space<'_, W>,
    letters: &Letters,
    everything: &Automaton,
    alternatives: &[Alternative],
    session: &Session<'_>,
) -> Result<Option<u32>, StopReason> {
    if alternatives.iter().any(Alternative::is_realisable) {
        return Ok(None);
    }
    let held = space.bytes() + letters.bytes();
    let mut watch = Watch::new(session, "looking for fair runs", "states", held);
    let successors = |state: u32, targets: &mut Vec<u32>| targets.extend(space.steps(state).targets);
    let roots: Vec<u32> = (0..space.initial()).collect();
    // The least state of each component that cannot be left.
    let mut bottoms: Vec<u32> = Vec::new();
    let mut search = Components::new(space.bound());
    search.search(
        &roots,
        successors,
        || watch.tick(|| 0),
        |component| {
            let leaves =
                |state: &u32| space.steps(*state).targets.iter().any(|target| !component.contains(*target));
            if !component.nodes.iter().any(leaves) {
                bottoms.extend(component.nodes.iter().min());
            }
            Ok(())
        },
    )?;
    bottoms.sort_unstable();
    for alternative in alternatives {
        let product = Product::new(space, letters, everything, &[], alternative);
        let fair = fair_components(&product, &bottoms, product.whole(), &mut watch)?;
        let with_a_fair_run: BTreeSet<u64> = fair.iter().map(|found| search.name(found.nodes[0])).collect();
        bottoms.retain(|bottom| !with_a_fair_run.contains(&search.name(*bottom)));
    }
    let without: BTreeSet<u64> = bottoms.iter().map(|bottom| search.name(*bottom)).collect();
    let is_without = |state: u32| without.contains(&search.name(state));
    Ok(if without.is_empty() { None } else { space.nearest(is_without) })
}

/// Whether some run is fair.
pub(super) fn has_a_fair_run<const W: usize>(
    space: &Space<'_, W>,
    letters: &Letters,
    everything: &Automaton,
    alternatives: &[Alternative],
    session: &Session<'_>,
) -> Result<bool, StopReason> {
    let mut watch = Watch::new(session, "looking for fair runs", "states", space.bytes() + letters.bytes());
    for alternative in alternatives {
        let product = Product::new(space, letters, everything, &[], alternative);
        if !fair_components(&product, product.roots(), product.whole(), &mut watch)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A fair component and the paths to it as a stored graph, in which lassos are searched.
///
/// The nodes of the component come first, with the nearest ones at the beginning. After them come copies of the nodes
/// on the paths to the nearest ones. They are copies, so that a path through the component does not become part of
/// it.
struct Extract<'p, 'q, S> {
    product: &'q Product<'p, S>,
    component: &'q Component<Bits>,
    /// The product node each node stands for.
    nodes: Vec<u32>,
    parents: Vec<u32>,
    graph: Graph,
    classes: Vec<Class>,
    /// Per edge, the position of the step among those that leave its state.
    steps: Vec<u32>,
}

impl<'p, 'q, S: States> Extract<'p, 'q, S> {
    fn new(product: &'q Product<'p, S>, component: &'q Component<Bits>) -> Self {
        let (graph, classes, steps) = (Graph::default(), Vec::new(), Vec::new());
        let mut extract =
            Extract { product, component, nodes: Vec::new(), parents: Vec::new(), graph, classes, steps };
        let tree = extract.tree();
        extract.number_nodes(&tree);
        extract.add_edges();
        extract
    }

    /// A lasso with few steps.
    fn shortest(&self, watch: &mut Watch<'_>) -> Result<Lasso, StopReason> {
        let requirements = self.requirements();
        let marked = Marked { graph: &self.graph, classes: &self.classes, requirements };
        let search = Search { marked, parents: &self.parents };
        let nodes = (0..self.component.nodes.len() as u32).collect();
        let component = Component { nodes, part: Bits::empty(requirements) };
        let lassos = if self.product.alternative.global {
            let step = |edge: usize| {
                let state = self.product.state(self.nodes[self.graph.source(edge) as usize]);
                u64::from(state) << 32 | u64::from(self.steps[edge])
            };
            vec![search.covering_lasso(&component, &step, watch)?]
        } else {
            search.lassos(&component, watch)?
        };
        let position = |edge: &usize| {
            let state = self.product.state(self.nodes[self.graph.source(*edge) as usize]);
            let step = self.steps[*edge] as usize;
            (state, label(self.product.space.with_labels(state, |labels| labels[step])))
        };
        let runs = lassos.iter().map(|lasso| {
            let mut stem: Vec<(u32, Label)> = lasso.stem.iter().map(position).collect();
            let mut cycle = lasso.cycle.iter().map(position).collect();
            fold(&mut stem, &mut cycle);
            (stem, cycle)
        });
        let (stem, cycle) =
            runs.min_by_key(|(stem, cycle)| stem.len() + cycle.len()).expect("there is a lasso");
        let begin = stem.len();
        let state = |number: u32| self.product.space.state(number);
        let all = stem.into_iter().chain(cycle);
        let positions = all.map(|(number, label)| Position { state: state(number), label }).collect();
        Ok(Lasso { positions, cycle: begin })
    }

    /// Per product node, its parent in a breadth-first search that ends at the nearest nodes of the component. These
    /// are put first in `nodes`.
    fn tree(&mut self) -> Vec<u32> {
        let product = self.product;
        let whole = product.whole();
        let mut tree = vec![UNMET; product.space.bound() * self.width()];
        let mut queue: Vec<u32> = Vec::new();
        let mut meet = |node: u32, from: u32, tree: &mut Vec<u32>, queue: &mut Vec<u32>| {
            if tree[node as usize] == UNMET {
                tree[node as usize] = from;
                queue.push(node);
                if self.component.nodes.binary_search(&node).is_ok() {
                    self.nodes.push(node);
                }
            }
            self.nodes.len() >= PLACES.min(self.component.nodes.len())
        };
        for &root in product.roots() {
            if meet(root, root, &mut tree, &mut queue) {
                return tree;
            }
        }
        let (mut next, mut targets) = (0, Vec::new());
        while next < queue.len() {
            let node = queue[next];
            targets.clear();
            product.successors(&whole, node, &mut targets);
            for target in &targets {
                if meet(*target, node, &mut tree, &mut queue) {
                    return tree;
                }
            }
            next += 1;
        }
        unreachable!("the component can be reached")
    }

    /// The number of product nodes per state.
    fn width(&self) -> usize {
        self.product.nodes() / self.product.space.bound().max(1)
    }

    /// Adds the other nodes of the component, then the copies.
    fn number_nodes(&mut self, tree: &[u32]) {
        let nearest = self.nodes.clone();
        let mut sorted = nearest.clone();
        sorted.sort_unstable();
        self.nodes.extend(self.component.nodes.iter().filter(|node| sorted.binary_search(node).is_err()));
        let inside = self.nodes.len() as u32;
        self.parents = (0..inside).collect();
        let mut copies: HashMap<u32, u32> = HashMap::new();
        for (place, &node) in nearest.iter().enumerate() {
            let (mut child, mut node) = (place as u32, node);
            while tree[node as usize] != node {
                let parent = tree[node as usize];
                let next = self.nodes.len() as u32;
                let copy = *copies.entry(parent).or_insert(next);
                self.parents[child as usize] = copy;
                if copy != next {
                    break;
                }
                self.nodes.push(parent);
                self.parents.push(copy);
                (child, node) = (copy, parent);
            }
        }
    }

    /// Adds the edges of the component, with their classes, and those of the paths to it.
    fn add_edges(&mut self) {
        let inside = self.component.nodes.len();
        let mut numbers: HashMap<u32, u32> = HashMap::with_capacity(inside);
        for (number, node) in self.nodes[..inside].iter().enumerate() {
            numbers.insert(*node, number as u32);
        }
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for (child, parent) in self.parents.iter().enumerate() {
            if *parent != child as u32 {
                children.entry(*parent).or_default().push(child as u32);
            }
        }
        let mut known: HashMap<(Bits, Bits), u32> = HashMap::new();
        for number in 0..self.nodes.len() {
            let node = self.nodes[number];
            if number < inside {
                let enabled = self.enabled(node);
                let product = self.product;
                product.visit(&self.component.part, node, |arc| {
                    let Some(target) = numbers.get(&arc.target) else { return };
                    let class = self.class(&arc, &enabled);
                    let next = self.classes.len() as u32;
                    let class_number = *known.entry((class.when.clone(), class.then.clone())).or_insert(next);
                    if class_number == next {
                        self.classes.push(class);
                    }
                    self.graph.add_edge(Edge { target: *target, class: class_number });
                    self.steps.push(arc.step as u32);
                });
            } else {
                let whole = self.product.whole();
                for child in children.get(&(number as u32)).map_or(&[][..], |children| children) {
                    let goal = self.nodes[*child as usize];
                    let mut leads = None;
                    self.product.visit(&whole, node, |arc| {
                        if arc.target == goal {
                            leads.get_or_insert(arc.step as u32);
                        }
                    });
                    self.steps.push(leads.expect("a parent has an edge to its child"));
                    self.graph.add_edge(Edge { target: *child, class: 0 });
                }
            }
            self.graph.close_node();
        }
    }

    fn requirements(&self) -> usize {
        let Alternative { of_actions, of_steps, .. } = self.product.alternative;
        of_actions.len() + of_steps.len() + self.product.marks
    }

    /// The requirements with an action that is enabled at a node.
    fn enabled(&self, node: u32) -> Bits {
        let alternative = self.product.alternative;
        let mut enabled = Bits::empty(alternative.of_actions.len());
        self.product.space.with_labels(self.product.state(node), |labels| {
            let about = labels.iter().flat_map(|label| alternative.about(*label));
            about.for_each(|r| enabled.insert(*r as usize));
        });
        enabled
    }

    /// The class of an edge: which requirements about actions, then which about steps, then which marks it satisfies.
    fn class(&self, arc: &Arc, enabled: &Bits) -> Class {
        let Alternative { of_actions, of_steps, .. } = self.product.alternative;
        let letter = self.product.letters.letter(arc.letter);
        let marks = self.product.marks_of(arc);
        let (mut when, mut then) = (Bits::empty(self.requirements()), Bits::empty(self.requirements()));
        for (r, word) in of_actions.iter().enumerate() {
            let taken = self.product.alternative.about(arc.label).contains(&(r as u32));
            if *word != OfActions::Strong || enabled.contains(r) {
                when.insert(r);
            }
            if taken || *word == OfActions::Weak && !enabled.contains(r) {
                then.insert(r);
            }
        }
        let first = of_actions.len();
        for (r, (trigger, goal)) in of_steps.iter().enumerate() {
            if trigger.is_none_or(|trigger| letter.contains(trigger)) {
                when.insert(first + r);
            }
            if letter.contains(*goal) {
                then.insert(first + r);
            }
        }
        let first = first + of_steps.len();
        for mark in 0..self.product.marks {
            when.insert(first + mark);
            if marks.contains(mark) {
                then.insert(first + mark);
            }
        }
        Class { when, then }
    }
}
