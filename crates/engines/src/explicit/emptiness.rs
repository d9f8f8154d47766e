//! Looks for a fair run that the automaton of the negated property accepts.
//!
//! In the product every mark of the automaton is a requirement `GF true -> GF mark`, next to those of the
//! fairness; so the question is whether the product has a reachable fair set of edges, and
//! [`fair_components`] answers it. Whether an action is enabled is a fact of the step's letter and so of the
//! system; whether it is taken is seen on the edges of the component alone. The alternatives of a disjunction
//! are tried one after the other.
//!
//! **Strong global fairness** is a fact of the projection: a set of product edges is globally fair if each
//! system step that leaves a state it visits is the step of one of its edges. We test the maximal fair sets
//! at the end of the recursion and nothing else. That is enough: let `F` be a fair set that is globally
//! fair. It lies in a maximal fair set `C`. The projection of `F` is closed under system steps and strongly
//! connected, so its states are a strong component of the system that cannot be left; `C` is strongly
//! connected and meets `F`, so it visits the same states, and it covers their steps because `F` does.
//! The test of [SLDP09], that no transition leads out of the component, is right on the system and would be
//! wrong on the product: the automaton may move to a state where it gets stuck, which no step of the system
//! is to blame for.

use model::answer::{Label, Lasso, Position};
use model::{Run, StopReason};

use super::product::Product;
use super::space::Space;
use crate::graph::bits::Bits;
use crate::graph::fair::{Class, Component, fair_components};
use crate::graph::lasso::Search;
use crate::graph::{Graph, lasso};
use crate::watch::Watch;

/// One alternative of a fairness.
pub(super) struct Alternative {
    /// Per requirement, the numbers of the predicates `when` and `then`.
    pub(super) requirements: Vec<(usize, usize)>,
    /// Whether runs are also strongly globally fair.
    pub(super) global: bool,
}

impl Alternative {
    /// What the requirements see of an edge with this letter.
    fn class(&self, letter: &Bits, marks: usize, marked: &[usize]) -> Class {
        let count = self.requirements.len();
        let mark = |r: usize| r.checked_sub(count);
        Class {
            when: Bits::of(count + marks, |r| mark(r).is_some() || letter.contains(self.requirements[r].0)),
            then: Bits::of(count + marks, |r| match mark(r) {
                Some(mark) => marked.binary_search(&mark).is_ok(),
                None => letter.contains(self.requirements[r].1),
            }),
        }
    }
}

/// A fair run that the automaton accepts, if there is one. The automaton has `marks` marks.
pub(super) fn accepted_run(
    space: &Space<'_>,
    product: &Product,
    marks: usize,
    alternatives: &[Alternative],
    run: &Run<'_>,
) -> Result<Option<Lasso>, StopReason> {
    for alternative in alternatives {
        let requirements = alternative.requirements.len() + marks;
        let letters = space.alphabet.letters();
        let classes: Vec<Class> = product
            .classes
            .iter()
            .map(|(letter, marked)| alternative.class(&letters[*letter as usize], marks, marked))
            .collect();
        let held = space.bytes() + product.bytes() + bytes(&classes);
        let mut watch = Watch::new(run, "looking for fair cycles", "product states", held);
        let components = fair_components(&product.graph, requirements, &classes, &mut watch)?;
        let step = |edge: usize| product.step(space, edge);
        let state = |node: u32| product.state(node);
        let suits = |component: &&Component| {
            !alternative.global || covers(space, component, &product.graph, &classes, &state, &step)
        };
        if let Some(component) = components.iter().find(suits) {
            let search =
                Search { graph: &product.graph, parents: &product.parents, classes: &classes, requirements };
            let mut watch = Watch::new(run, "closing the cycle", "product states", held);
            let lassos = if alternative.global {
                vec![search.covering_lasso(component, &step, &mut watch)?]
            } else {
                search.lassos(component, &mut watch)?
            };
            let runs = lassos.iter().map(|lasso| Word::new(space, product, lasso));
            let shortest = runs.min_by_key(|run| run.stem.len() + run.cycle.len());
            return Ok(shortest.map(|run| run.lasso(space)));
        }
    }
    Ok(None)
}

/// The states from which some fair run begins.
pub(super) fn states_with_a_fair_run(
    space: &Space<'_>,
    alternatives: &[Alternative],
    run: &Run<'_>,
) -> Result<Vec<bool>, StopReason> {
    let graph = &space.graph;
    let mut fair = vec![false; graph.nodes()];
    let mut pending = Vec::new();
    for alternative in alternatives {
        let letters = space.alphabet.letters().iter();
        let classes: Vec<Class> = letters.map(|letter| alternative.class(letter, 0, &[])).collect();
        let held = space.bytes() + bytes(&classes);
        let mut watch = Watch::new(run, "looking for fair runs", "states", held);
        for component in fair_components(graph, alternative.requirements.len(), &classes, &mut watch)? {
            if !alternative.global || covers(space, &component, graph, &classes, &|node| node, &|edge| edge) {
                pending.extend(component.nodes);
            }
        }
    }
    let reversed = graph.reversed();
    while let Some(node) = pending.pop() {
        if !std::mem::replace(&mut fair[node as usize], true) {
            pending.extend(reversed.leaving(node).map(|number| reversed.edge(number).target));
        }
    }
    Ok(fair)
}

/// The bytes of a table of classes.
fn bytes(classes: &[Class]) -> u64 {
    let each = classes.first().map_or(0, |class| size_of::<Class>() as u64 + 2 * class.when.bytes());
    classes.len() as u64 * each
}

/// Whether every system step that leaves a state of the component's projection is a step of the component.
fn covers(
    space: &Space<'_>,
    component: &Component,
    graph: &Graph,
    classes: &[Class],
    state: &dyn Fn(u32) -> u32,
    step: &dyn Fn(usize) -> usize,
) -> bool {
    let mut states: Vec<u32> = component.nodes.iter().map(|node| state(*node)).collect();
    states.sort_unstable();
    states.dedup();
    let mut steps: Vec<usize> = component.edges(graph, classes).map(|(_, number)| step(number)).collect();
    steps.sort_unstable();
    steps.dedup();
    // Each step of the component leaves one of its states, so that counting is enough.
    let leaving: usize = states.iter().map(|state| space.graph.leaving(*state).len()).sum();
    leaving == steps.len()
}

/// A run of the system, as numbers of states with the labels of the steps that leave them.
struct Word {
    stem: Vec<(u32, Label)>,
    cycle: Vec<(u32, Label)>,
}

impl Word {
    /// The run that a lasso of the product stands for.
    fn new(space: &Space<'_>, product: &Product, found: &lasso::Lasso) -> Word {
        let position = |edge: &usize| {
            let state = product.state(product.graph.source(*edge));
            (state, space.label(product.step(space, *edge)))
        };
        let mut stem = found.stem.iter().map(position).collect();
        let mut cycle = found.cycle.iter().map(position).collect();
        fold(&mut stem, &mut cycle);
        Word { stem, cycle }
    }

    fn lasso(self, space: &Space<'_>) -> Lasso {
        let begin = self.stem.len();
        let all = self.stem.into_iter().chain(self.cycle);
        let positions = all.map(|(state, label)| Position { state: space.state(state), label }).collect();
        Lasso { positions, cycle: begin }
    }
}

/// Shortens a stem and a cycle that describe the same infinite word: the automaton may need several rounds
/// where the system does not, and the stem may end as the cycle does.
fn fold<T: PartialEq>(stem: &mut Vec<T>, cycle: &mut Vec<T>) {
    let length = cycle.len();
    let repeats = |period: &usize| {
        length.is_multiple_of(*period) && (*period..length).all(|k| cycle[k] == cycle[k - period])
    };
    if let Some(period) = (1..=length / 2).find(repeats) {
        cycle.truncate(period);
    }
    while stem.last().is_some_and(|last| cycle.last() == Some(last)) {
        stem.pop();
        cycle.rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn folding_keeps_the_word_and_makes_it_short() {
        let fold = |stem: &str, cycle: &str| {
            let (mut stem, mut cycle): (Vec<char>, Vec<char>) =
                (stem.chars().collect(), cycle.chars().collect());
            super::fold(&mut stem, &mut cycle);
            (stem.into_iter().collect::<String>(), cycle.into_iter().collect::<String>())
        };
        let expect = |stem: &str, cycle: &str| (stem.to_owned(), cycle.to_owned());
        assert_eq!(fold("x", "abab"), expect("x", "ab"));
        assert_eq!(fold("xab", "cab"), expect("x", "abc"));
        assert_eq!(fold("aaa", "aa"), expect("", "a"));
        assert_eq!(fold("xb", "ab"), expect("x", "ba"));
        assert_eq!(fold("", "aba"), expect("", "aba"));
    }
}
