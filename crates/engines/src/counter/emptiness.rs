//! Searches for a cycle of the abstract system that violates the property and meets the requirements.
//!
//! The product with the automaton of the negated property is small and stored. In addition to the requirements
//! derived from the fairness there is one for every set `X` of letters: there are finitely many processes, so if they
//! leave `X` again and again, they enter it again and again. There are exponentially many sets, but in a component
//! all are met exactly if every change of letter in it lies on a cycle of such changes. If one from `x` does not, the
//! set of letters from which `x` can be reached is left and never entered. So we add sets as they are needed, at most
//! one per change of letter and component.

use std::collections::BTreeSet;

use automata::Automaton;
use model::{Session, StopReason};

use super::letters::LetterId;
use super::meter::{EDGE, Meter};
use super::requirements::Derived;
use super::space::{AbstractStep, Space, Stop};
use crate::graph::bits::Bits;
use crate::graph::fair::fair_components;
use crate::graph::lasso::{Component, Search};
use crate::graph::marked::{Class, Marked};
use crate::graph::{Edge, Graph};
use crate::watch::Watch;
use rustc_hash::FxHashMap as Map;

/// A generous estimate of the memory per edge of the product.
const BYTES: u64 = 200;

/// A run of the abstract system: numbers of steps.
pub(super) struct Lasso {
    pub(super) stem: Vec<usize>,
    pub(super) cycle: Vec<usize>,
}

/// The result of the search.
pub(super) struct SearchResult {
    pub(super) lasso: Option<Lasso>,
    /// The sets that were needed.
    pub(super) sets: Vec<BTreeSet<LetterId>>,
}

/// Searches for a run that the automaton accepts. `atoms` are the columns of its atoms; `lifted` are requirements
/// over columns (`None`: always).
pub(super) fn search(
    space: &Space,
    automaton: &Automaton,
    atoms: &[usize],
    lifted: &[(Option<usize>, usize)],
    derived: &[&Derived],
    session: &Session<'_>,
) -> Result<SearchResult, Stop> {
    let meter = Meter::new(session, "searching", "steps");
    let product = Product::new(space, automaton, atoms, &meter)?;
    let mut sets: Vec<BTreeSet<LetterId>> = Vec::new();
    loop {
        let requirements = automaton.marks + lifted.len() + derived.len() + sets.len();
        let mut classes = Vec::new();
        let mut numbers: Map<(Bits, Bits), u32> = Map::default();
        let mut graph = Graph::default();
        let mut edges = product.edges.iter().peekable();
        for node in 0..product.nodes.len() as u32 {
            while let Some(edge) = edges.next_if(|edge| edge.source == node) {
                meter.spend(EDGE)?;
                let (when, then) = bits(space, edge, automaton.marks, lifted, derived, &sets, requirements);
                let number = *numbers.entry((when, then)).or_insert_with_key(|(when, then)| {
                    classes.push(Class { when: when.clone(), then: then.clone() });
                    classes.len() as u32 - 1
                });
                graph.add_edge(Edge { target: edge.target, class: number });
            }
            graph.close_node();
        }
        let mut watch = Watch::new(session, "searching", "nodes", graph.bytes());
        let marked = Marked { graph: &graph, classes: &classes, requirements };
        let components = fair_components(&marked, &product.roots, Bits::empty(requirements), &mut watch)?;
        let broken = components.iter().map(|component| broken_set(space, &product, &marked, component));
        match broken.collect::<Vec<_>>() {
            none if none.is_empty() => return Ok(SearchResult { lasso: None, sets }),
            some => match some.iter().position(Option::is_none) {
                None => {
                    for set in some.into_iter().flatten() {
                        if !sets.contains(&set) {
                            sets.push(set);
                        }
                    }
                }
                Some(fair) => {
                    let search = Search { marked, parents: &product.parents };
                    let lassos = search.lassos(&components[fair], &mut watch)?;
                    let shortest =
                        lassos.into_iter().min_by_key(|lasso| lasso.stem.len() + lasso.cycle.len());
                    let steps =
                        |edges: Vec<usize>| edges.into_iter().map(|edge| product.edges[edge].step).collect();
                    let lasso =
                        shortest.map(|lasso| Lasso { stem: steps(lasso.stem), cycle: steps(lasso.cycle) });
                    return Ok(SearchResult { lasso, sets });
                }
            },
        }
    }
}

/// The changes of letter in a step.
pub(super) fn moves(step: &AbstractStep) -> impl Iterator<Item = (LetterId, LetterId)> {
    let letters = step.effect.iter().flat_map(|effect| &effect.letters);
    step.context.foci.iter().map(|(_, letter)| *letter).zip(letters.copied()).filter(|(from, to)| from != to)
}

/// A step with an edge of the automaton.
struct Joint {
    source: u32,
    target: u32,
    step: usize,
    marks: Vec<usize>,
}

struct Product {
    nodes: Vec<(u32, usize)>,
    roots: Vec<u32>,
    parents: Vec<u32>,
    /// Grouped by source.
    edges: Vec<Joint>,
}

impl Product {
    fn new(
        space: &Space,
        automaton: &Automaton,
        atoms: &[usize],
        meter: &Meter<'_>,
    ) -> Result<Product, StopReason> {
        let mut first = vec![0; space.states.len() + 1];
        space.steps.iter().for_each(|step| first[step.source as usize + 1] += 1);
        for state in 0..space.states.len() {
            first[state + 1] += first[state];
        }
        let mut product =
            Product { nodes: Vec::new(), roots: Vec::new(), parents: Vec::new(), edges: Vec::new() };
        let mut numbers: Map<(u32, usize), u32> = Map::default();
        for &state in &space.initial {
            for &begin in &automaton.initial {
                let number = product.nodes.len() as u32;
                numbers.insert((state, begin), number);
                product.nodes.push((state, begin));
                product.parents.push(number);
                product.roots.push(number);
            }
        }
        let mut next = 0;
        while next < product.nodes.len() {
            let (state, at) = product.nodes[next];
            for number in first[state as usize]..first[state as usize + 1] {
                let step = &space.steps[number];
                for edge in &automaton.states[at] {
                    meter.spend(EDGE)?;
                    if !edge.cube.admits(|atom| space.truth(atoms[atom], number)) {
                        continue;
                    }
                    let target = *numbers.entry((step.target, edge.target)).or_insert_with(|| {
                        product.nodes.push((step.target, edge.target));
                        product.parents.push(next as u32);
                        product.nodes.len() as u32 - 1
                    });
                    product.edges.push(Joint {
                        source: next as u32,
                        target,
                        step: number,
                        marks: edge.marks.clone(),
                    });
                }
            }
            meter.room(product.edges.len() as u64 * BYTES)?;
            next += 1;
        }
        Ok(product)
    }
}

/// The requirements that an edge triggers and meets: marks, lifted, derived, sets.
fn bits(
    space: &Space,
    edge: &Joint,
    marks: usize,
    lifted: &[(Option<usize>, usize)],
    derived: &[&Derived],
    sets: &[BTreeSet<LetterId>],
    requirements: usize,
) -> (Bits, Bits) {
    let (mut when, mut then) = (Bits::empty(requirements), Bits::empty(requirements));
    (0..marks).for_each(|mark| when.insert(mark));
    edge.marks.iter().for_each(|mark| then.insert(*mark));
    let step = &space.steps[edge.step];
    let mut at = marks;
    let mut add = |asks: bool, meets: bool| {
        if asks {
            when.insert(at);
        }
        if meets {
            then.insert(at);
        }
        at += 1;
    };
    for (when, then) in lifted {
        let holds = |column: usize| space.truth(column, edge.step);
        add(when.is_none_or(holds), holds(*then));
    }
    for derived in derived {
        add(derived.when.as_ref().is_none_or(|when| when[edge.step]), derived.then[edge.step]);
    }
    for set in sets {
        let leaves = moves(step).any(|(from, to)| set.contains(&from) && !set.contains(&to));
        let enters = moves(step).any(|(from, to)| !set.contains(&from) && set.contains(&to));
        add(leaves, enters);
    }
    (when, then)
}

/// A set of letters that is left in a component but never entered, if there is one.
fn broken_set(
    space: &Space,
    product: &Product,
    marked: &Marked<'_>,
    component: &Component,
) -> Option<BTreeSet<LetterId>> {
    let mut changes = BTreeSet::new();
    for &node in &component.nodes {
        let mut cursor = 0;
        while let Some((number, edge)) = marked.edge(&component.part, node, &mut cursor) {
            if component.nodes.binary_search(&edge.target).is_ok() {
                changes.extend(moves(&space.steps[product.edges[number].step]));
            }
        }
    }
    changes.iter().find_map(|&(from, to)| {
        // The letters from which `from` can be reached.
        let mut origins = BTreeSet::from([from]);
        loop {
            let more: Vec<LetterId> = changes
                .iter()
                .filter(|(a, b)| origins.contains(b) && !origins.contains(a))
                .map(|(a, _)| *a)
                .collect();
            if more.is_empty() {
                break;
            }
            origins.extend(more);
        }
        (!origins.contains(&to)).then_some(origins)
    })
}
