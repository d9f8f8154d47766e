//! Lists the states of a system and looks for a fair run that violates a claim.
//!
//! States are listed breadth first. Now and then, and at the end, the product of what is expanded with the automaton of the
//! negated claim is built, and searched for a fair cycle. A cycle of expanded states is real, because all steps that leave
//! them are known. The marks of the automaton are requirements like those of the fairness.

use std::collections::HashMap;

use automata::{Automaton, translate};
use engines::graph::bits::Bits;
use engines::graph::fair::fair_components;
use engines::graph::lasso::Search;
use engines::graph::marked::{Class, Marked};
use engines::graph::{Edge, Graph};
use engines::watch::Watch;
use model::{Formula, Session};

use super::claim::{Atom, variable};
use super::{Claim, Requirement, Run, Step, System, Verdict};

/// How many states are expanded before the first look, and by how much they grow between two looks.
const FIRST_LOOK: usize = 1_000;
const GROWTH: usize = 8;

/// The states that were found; the first are expanded.
struct Listed<S: System> {
    states: Vec<S::State>,
    numbers: HashMap<S::State, u32>,
    initial: usize,
    /// Per expanded state, its steps as the system gives them, and the numbers of their targets.
    steps: Vec<Vec<(S::Action, S::State)>>,
    targets: Vec<Vec<u32>>,
}

impl<S: System> Listed<S> {
    fn number(&mut self, state: S::State) -> u32 {
        let next = self.states.len() as u32;
        *self.numbers.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            next
        })
    }

    /// Expands the next state.
    fn expand(&mut self, system: &S) {
        let state = self.states[self.steps.len()].clone();
        let steps = system.steps(&state);
        let targets = steps.iter().map(|(_, target)| self.number(target.clone())).collect();
        self.steps.push(steps);
        self.targets.push(targets);
    }

    fn is_complete(&self) -> bool {
        self.steps.len() == self.states.len()
    }

    /// The steps that leave a state, with the numbers of their targets; none if it is not expanded.
    fn leaving(&self, number: u32) -> Vec<(Step<'_, S>, u32)> {
        let state = &self.states[number as usize];
        let Some(steps) = self.steps.get(number as usize) else { return Vec::new() };
        if steps.is_empty() {
            return vec![(Step { state, action: None, target: state, steps }, number)];
        }
        let mut leaving = Vec::with_capacity(steps.len());
        for ((action, target), number) in steps.iter().zip(&self.targets[number as usize]) {
            leaving.push((Step { state, action: Some(action), target, steps }, *number));
        }
        leaving
    }
}

/// The verdict on a claim, before a run is replayed.
pub(super) fn search<S: System>(
    system: &S,
    claim: &Claim<'_, S>,
    fairness: &[Requirement<'_, S>],
    state_limit: usize,
) -> Verdict<S> {
    let mut atoms = Vec::new();
    let negated = Formula::Not(Box::new(claim.0.formula(&mut atoms)));
    let automaton = translate(&negated, &|_| false).expect("never told to give up");
    let mut listed = Listed {
        states: Vec::new(),
        numbers: HashMap::new(),
        initial: 0,
        steps: Vec::new(),
        targets: Vec::new(),
    };
    for state in system.initial() {
        listed.number(state);
    }
    listed.initial = listed.states.len();
    let mut due = FIRST_LOOK;
    loop {
        let enough = due.min(state_limit);
        while !listed.is_complete() && listed.steps.len() < enough {
            listed.expand(system);
        }
        if let Some(run) = violation(&listed, &automaton, &atoms, fairness) {
            return Verdict::Fails(run);
        }
        if listed.is_complete() {
            return Verdict::Holds { states: listed.states.len() };
        }
        if listed.steps.len() >= state_limit {
            return Verdict::Unknown { states: listed.steps.len() };
        }
        due = due.saturating_mul(GROWTH);
    }
}

/// A fair run among the expanded states that the automaton accepts.
fn violation<S: System>(
    listed: &Listed<S>,
    automaton: &Automaton,
    atoms: &[Atom<'_, S>],
    fairness: &[Requirement<'_, S>],
) -> Option<Run<S>> {
    let requirements = fairness.len() + automaton.marks;
    let position: Vec<usize> = (automaton.atoms.iter())
        .map(|atom| (0..atoms.len()).find(|number| variable(*number) == *atom).expect("it is one of ours"))
        .collect();
    let mut graph = Graph::default();
    let mut classes: Vec<Class> = Vec::new();
    let mut known: HashMap<(Bits, Bits), u32> = HashMap::new();
    // Per edge, the position of its step among those that leave the state.
    let mut taken: Vec<u32> = Vec::new();
    let mut nodes: Vec<(u32, usize)> = Vec::new();
    let mut numbers: HashMap<(u32, usize), u32> = HashMap::new();
    let mut parents: Vec<u32> = Vec::new();
    for state in 0..listed.initial as u32 {
        for &q in &automaton.initial {
            numbers.insert((state, q), nodes.len() as u32);
            parents.push(nodes.len() as u32);
            nodes.push((state, q));
        }
    }
    let roots: Vec<u32> = (0..nodes.len() as u32).collect();
    let mut next = 0;
    while let Some(&(state, q)) = nodes.get(next) {
        for (place, (step, target)) in listed.leaving(state).iter().enumerate() {
            let letter: Vec<bool> = position.iter().map(|atom| atoms[*atom](step)).collect();
            for edge in automaton.states[q].iter().filter(|edge| edge.cube.admits(|atom| letter[atom])) {
                let node = (*target, edge.target);
                let number = *numbers.entry(node).or_insert_with(|| {
                    nodes.push(node);
                    parents.push(next as u32);
                    nodes.len() as u32 - 1
                });
                let when = Bits::of(requirements, |r| fairness.get(r).is_none_or(|of| (of.when)(step)));
                let then = Bits::of(requirements, |r| match fairness.get(r) {
                    Some(of) => (of.then)(step),
                    None => edge.marks.contains(&(r - fairness.len())),
                });
                let class = *known.entry((when.clone(), then.clone())).or_insert_with(|| {
                    classes.push(Class { when, then });
                    classes.len() as u32 - 1
                });
                graph.add_edge(Edge { target: number, class });
                taken.push(place as u32);
            }
        }
        graph.close_node();
        next += 1;
    }
    let session = Session::unlimited();
    let mut watch = Watch::new(&session, "looking for fair cycles", "product states", 0);
    let marked = Marked { graph: &graph, classes: &classes, requirements };
    let unlimited = "there is no limit";
    let fair = fair_components(&marked, &roots, Bits::empty(requirements), &mut watch).expect(unlimited);
    let component = fair.first()?;
    let lassos = Search { marked, parents: &parents }.lassos(component, &mut watch).expect(unlimited);
    let lasso = lassos.into_iter().min_by_key(|lasso| lasso.stem.len() + lasso.cycle.len())?;
    let position = |edge: &usize| {
        let (state, _) = nodes[graph.source(*edge) as usize];
        let (step, _) = &listed.leaving(state)[taken[*edge] as usize];
        (step.state.clone(), step.action.cloned())
    };
    Some(Run {
        stem: lasso.stem.iter().map(position).collect(),
        cycle: lasso.cycle.iter().map(position).collect(),
    })
}
