//! The state graph of a small model as plain data, for drawing.
//!
//! States are enumerated breadth first with the reference semantics, up to a limit, so that a step leads at most one
//! level down. If a property is chosen, its counterexample is marked, and also the *fair components*: the maximal
//! strongly connected sets of steps in which a run can stay for ever and be fair, by [`fair_components`]. They depend
//! on the fairness, but not on the claim. Without a property every run counts as fair.
//!
//! Strong global fairness requires that every step that leaves a state of the component is in it. This is tested on
//! the whole component.

use std::collections::{BTreeMap, BTreeSet};

use ::engines::graph::bits::Bits;
use ::engines::graph::fair::fair_components;
use ::engines::graph::marked::{Class, Marked};
use ::engines::graph::{Edge, Graph};
use ::engines::watch::Watch;
use lang::Model;
use model::initial::initial_states;
use model::instance::Start;
use model::{
    Answer, Assumption, Counterexample, Fairness, Instance, Label, Name, Position, Session, State, Task,
    ground, semantics, show,
};

use crate::ask::Panel;
use crate::ask::plan::Engines;
use crate::check::{self, Problem};
use crate::report::{Binding, evidence, trace};
use crate::world::World;

/// The state graph of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateGraph {
    /// The states, breadth first.
    pub states: Vec<Vec<Binding>>,
    /// The least number of steps from an initial state to each state.
    pub levels: Vec<usize>,
    /// The steps.
    pub steps: Vec<GraphStep>,
    /// Whether each state is in a fair component.
    pub fair: Vec<bool>,
    /// The states with a fault; their steps are left out.
    pub faulty: BTreeSet<usize>,
    /// The name of the chosen property, if there is one.
    pub property: Option<Name>,
    /// Whether a counterexample to the property is marked.
    pub refuted: bool,
}

/// A step of a state graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphStep {
    /// Its source.
    pub from: usize,
    /// Its target.
    pub to: usize,
    /// Its action, or `idle`.
    pub action: String,
    /// Its part in the counterexample.
    pub part: Option<LassoPart>,
}

/// A part of a counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LassoPart {
    /// Before the cycle, or on a finite path.
    Stem,
    /// On the cycle.
    Cycle,
}

/// Why there is no graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGraph {
    /// The model cannot be enumerated.
    Problem(Problem),
    /// It has more states than the limit.
    TooLarge,
}

impl From<Problem> for NoGraph {
    fn from(problem: Problem) -> NoGraph {
        NoGraph::Problem(problem)
    }
}

/// The graph of a model with at most `state_limit` states, with marks for the property of this name.
pub fn graph(
    model: &Model,
    property: Option<&Name>,
    state_limit: usize,
    world: &World<'_>,
) -> Result<StateGraph, NoGraph> {
    let instance = check::instance(model)?;
    let mut explored = explore(instance, state_limit)?;
    let check = model.checks.iter().find(|check| Some(&check.task.property.name) == property);
    let task = check.map(|check| &check.task);
    let fairness = task.map_or_else(Fairness::none, |task| task.fairness.clone());
    let fair = fair_states(instance, &explored, &fairness);
    let refuted = task.is_some_and(|task| explored.mark(task, world));
    let shown = |state: &State| trace::state(instance, state);
    let named = |step: &Taken| GraphStep {
        from: step.from,
        to: step.to,
        action: show::label(instance, step.label),
        part: step.part,
    };
    Ok(StateGraph {
        states: explored.states.iter().map(shown).collect(),
        levels: explored.levels,
        steps: explored.steps.iter().map(named).collect(),
        fair,
        faulty: explored.faulty,
        property: check.map(|check| check.task.property.name.clone()),
        refuted,
    })
}

/// The reachable states and steps.
struct Explored {
    states: Vec<State>,
    numbers: BTreeMap<State, usize>,
    levels: Vec<usize>,
    /// Ordered by source.
    steps: Vec<Taken>,
    faulty: BTreeSet<usize>,
}

struct Taken {
    from: usize,
    to: usize,
    label: Label,
    part: Option<LassoPart>,
}

fn explore(instance: &Instance, state_limit: usize) -> Result<Explored, NoGraph> {
    let endless = instance.cells.iter().zip(&instance.starts);
    if endless.into_iter().any(|(cell, start)| cell.domain.is_unbounded() && *start == Start::Any) {
        return Err(NoGraph::TooLarge);
    }
    let mut explored = Explored {
        states: Vec::new(),
        numbers: BTreeMap::new(),
        levels: Vec::new(),
        steps: Vec::new(),
        faulty: BTreeSet::new(),
    };
    for state in initial_states(instance) {
        let state = state
            .map_err(|fault| Problem::InitFault(trace::fault(instance, model::answer::Site::Init, &fault)))?;
        explored.number(state, 0, state_limit)?;
    }
    if explored.states.is_empty() {
        return Err(Problem::NoInitialState.into());
    }
    let mut from = 0;
    while from < explored.states.len() {
        match semantics::steps(instance, &explored.states[from]) {
            Ok(steps) => {
                for step in steps {
                    let to = explored.number(step.target, explored.levels[from] + 1, state_limit)?;
                    explored.steps.push(Taken { from, to, label: step.label, part: None });
                }
            }
            Err(_) => {
                explored.faulty.insert(from);
            }
        }
        from += 1;
    }
    Ok(explored)
}

impl Explored {
    /// The number of a state, which is added if it is new.
    fn number(&mut self, state: State, level: usize, state_limit: usize) -> Result<usize, NoGraph> {
        if let Some(number) = self.numbers.get(&state) {
            return Ok(*number);
        }
        if self.states.len() == state_limit {
            return Err(NoGraph::TooLarge);
        }
        self.numbers.insert(state.clone(), self.states.len());
        self.states.push(state);
        self.levels.push(level);
        Ok(self.states.len() - 1)
    }

    /// Marks the counterexample to a task, if there is one.
    fn mark(&mut self, task: &Task, world: &World<'_>) -> bool {
        let panel = Panel::new(Engines::Auto, &task.subject, &[], false, world);
        let Some(Answer::Fails(found)) = panel.ask(task, panel.rounds(), world).into_answer() else {
            return false;
        };
        // Of a run after whose beginning the property is false, whatever follows, only the beginning is marked.
        let found = evidence::bad_prefix(task, &found).map_or(found, Counterexample::Path);
        match found {
            Counterexample::Lasso(lasso) => {
                for (k, position) in lasso.positions.iter().enumerate() {
                    let part = if k < lasso.cycle { LassoPart::Stem } else { LassoPart::Cycle };
                    self.mark_step(position, &lasso.positions[lasso.next(k)].state, part);
                }
            }
            Counterexample::Path(path) | Counterexample::Fault { path: Some(path), .. } => {
                let targets =
                    path.positions.iter().skip(1).map(|position| &position.state).chain([&path.last]);
                for (position, target) in path.positions.iter().zip(targets) {
                    self.mark_step(position, target, LassoPart::Stem);
                }
            }
            Counterexample::Fault { path: None, .. }
            | Counterexample::State(_)
            | Counterexample::Labelling(_)
            | Counterexample::Instance { .. } => {
                return false;
            }
        }
        true
    }

    fn mark_step(&mut self, position: &Position, target: &State, part: LassoPart) {
        let (Some(from), Some(to)) = (self.numbers.get(&position.state), self.numbers.get(target)) else {
            return;
        };
        let same = |step: &&mut Taken| step.from == *from && step.to == *to && step.label == position.label;
        if let Some(step) = self.steps.iter_mut().find(same) {
            // If a step is on the stem and on the cycle, mark it as on the cycle.
            step.part = step.part.max(Some(part));
        }
    }
}

/// Whether each state is in a fair component.
fn fair_states(instance: &Instance, explored: &Explored, fairness: &Fairness) -> Vec<bool> {
    let mut fair = vec![false; explored.states.len()];
    for assumption in &ground::fairness(instance, fairness).alternatives {
        for state in fair_by(instance, explored, assumption) {
            fair[state as usize] = true;
        }
    }
    fair
}

fn fair_by(instance: &Instance, explored: &Explored, assumption: &Assumption) -> Vec<u32> {
    let count = assumption.requirements.len();
    let mut classes = Vec::new();
    let mut graph = Graph::default();
    let mut steps = explored.steps.iter().peekable();
    for from in 0..explored.states.len() {
        while let Some(step) = steps.next_if(|step| step.from == from) {
            let position = Position { state: explored.states[from].clone(), label: step.label };
            // A fault counts as false; the answer to the property reports it.
            let is = |predicate| semantics::step_predicate(instance, predicate, &position) == Ok(true);
            let when = Bits::of(count, |k| is(&assumption.requirements[k].when));
            let then = Bits::of(count, |k| is(&assumption.requirements[k].then));
            graph.add_edge(Edge { target: step.to as u32, class: classes.len() as u32 });
            classes.push(Class { when, then });
        }
        graph.close_node();
    }
    let session = Session::unlimited();
    let marked = Marked { graph: &graph, classes: &classes, requirements: count };
    let roots: Vec<u32> = (0..graph.nodes() as u32).collect();
    let mut watch = Watch::new(&session, "looking for fair components", "states", 0);
    let found = fair_components(&marked, &roots, Bits::empty(count), &mut watch).unwrap_or_default();
    let stays = |nodes: &[u32]| {
        nodes.iter().all(|node| graph.leaving(*node).all(|edge| nodes.contains(&graph.edge(edge).target)))
    };
    found
        .into_iter()
        .filter(|component| !assumption.global || component.part.is_empty() && stays(&component.nodes))
        .flat_map(|component| component.nodes)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, property: Option<&str>, state_limit: usize) -> Result<StateGraph, NoGraph> {
        let loaded = lang::load("test", text, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let world = World::unlimited();
        graph(&model, property.map(Name::from).as_ref(), state_limit, &world)
    }

    const LOCK: &str = "
        shared free: bool = true;
        process P[i: 1..2] { loop { rest: stay; enter: request free; leave: release free; } }
        property weakly: G (P[1]@enter -> F P[1]@leave) under weak P;
        property never:  G F P[1]@leave under justice (!free) & justice (P[1]@rest) & justice (P[2]@rest);
        property everywhere: G F P[1]@leave under global;";

    #[test]
    fn the_counterexample_is_marked_and_closes() {
        let graph = of(LOCK, Some("weakly"), 100).expect("a small graph");
        assert_eq!((graph.states.len(), graph.refuted), (8, true));
        let cycle: Vec<&GraphStep> =
            graph.steps.iter().filter(|step| step.part == Some(LassoPart::Cycle)).collect();
        assert_eq!(cycle.len(), 3);
        for step in &cycle {
            assert!(cycle.iter().any(|next| next.from == step.to), "{step:?} leads off the cycle");
        }
        assert!(graph.steps.iter().all(|step| graph.levels[step.to] <= graph.levels[step.from] + 1));
    }

    #[test]
    fn only_the_beginning_of_a_run_is_marked_if_what_follows_does_not_matter() {
        let text = "shared x: 0..2; process P { loop { up: x = (x + 1) % 3; } } property p: x == 0 W x == 2;";
        let graph = of(text, Some("p"), 100).expect("a small graph");
        let marked: Vec<(usize, Option<LassoPart>)> = graph
            .steps
            .iter()
            .filter(|step| step.part.is_some())
            .map(|step| (step.from, step.part))
            .collect();
        assert_eq!((graph.refuted, marked), (true, vec![(0, Some(LassoPart::Stem))]));
    }

    #[test]
    fn a_state_is_fair_if_the_oracle_finds_a_fair_run_that_stays_around_it() {
        // All states are in one component, which is fair if every requirement is met in it.
        for property in [None, Some("weakly"), Some("never"), Some("everywhere")] {
            let graph = of(LOCK, property, 100).expect("a small graph");
            assert!(graph.fair.iter().all(|fair| *fair), "{property:?}");
        }
        let once = "shared x: 0..2; process P { action up when x < 2 { x = x + 1; } action wait when x == 1 { skip; } }
            property p: F x == 2 under strong P.up; property q: F x == 2; property g: F x == 2 under global;";
        let fair = |property: &str| of(once, Some(property), 100).expect("a small graph").fair;
        assert_eq!(fair("p"), [false, false, true]);
        assert_eq!(fair("q"), [false, true, true]);
        assert_eq!(fair("g"), [false, false, true]);
    }

    #[test]
    fn what_is_too_large_or_has_no_states_is_no_graph() {
        assert_eq!(of(LOCK, None, 7), Err(NoGraph::TooLarge));
        let none = "shared x: 0..3 = any; init x > 3; process P { s: skip; }";
        assert_eq!(of(none, None, 7), Err(NoGraph::Problem(Problem::NoInitialState)));
        let fault = of("shared x: 0..1; process P { loop { up: x = x + 1; } }", None, 9).expect("a graph");
        assert_eq!(fault.faulty, BTreeSet::from([1]));
    }
}
