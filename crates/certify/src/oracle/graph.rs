//! The graph of reachable states and steps, by the reference semantics.
//!
//! Initial states are found by trying every combination of initial values of the cells and keeping those that
//! [`is_initial`](model::semantics::is_initial) accepts: the definition, not the enumeration engines use.

use std::collections::BTreeMap;

use model::instance::{Instance, Start};
use model::{Label, Position, State, semantics};

use super::{Halt, Undecided};

/// Reachable states and the steps between them. Every state has a step that leaves it.
pub(super) struct Graph {
    pub(super) states: Vec<State>,
    /// The initial states, by number.
    pub(super) initial: Vec<usize>,
    pub(super) steps: Vec<Step>,
    /// For each state the steps that leave it, by number.
    pub(super) leaving: Vec<Vec<usize>>,
}

/// A step between states, by number.
pub(super) struct Step {
    pub(super) source: usize,
    pub(super) label: Label,
    pub(super) target: usize,
}

impl Graph {
    /// The state a step leaves, with its label: what a step predicate is evaluated on.
    pub(super) fn position(&self, step: &Step) -> Position {
        Position { state: self.states[step.source].clone(), label: step.label }
    }
}

/// All reachable states and steps, unless there are more than `limit` of either.
pub(super) fn explore(instance: &Instance, limit: usize) -> Result<Graph, Halt> {
    let mut graph = Graph { states: Vec::new(), initial: Vec::new(), steps: Vec::new(), leaving: Vec::new() };
    let mut numbers = BTreeMap::new();
    for state in initial_states(instance, limit)? {
        let number = number(&mut graph, &mut numbers, state, limit)?;
        graph.initial.push(number);
    }
    let mut source = 0;
    while source < graph.states.len() {
        for step in semantics::steps(instance, &graph.states[source])? {
            let target = number(&mut graph, &mut numbers, step.target, limit)?;
            graph.leaving[source].push(graph.steps.len());
            graph.steps.push(Step { source, label: step.label, target });
        }
        if graph.steps.len() > limit {
            return Err(Undecided::TooManyStates.into());
        }
        source += 1;
    }
    Ok(graph)
}

/// The number of a state; a new one if it is not known yet.
fn number(
    graph: &mut Graph,
    numbers: &mut BTreeMap<State, usize>,
    state: State,
    limit: usize,
) -> Result<usize, Undecided> {
    if let Some(number) = numbers.get(&state) {
        return Ok(*number);
    }
    let number = graph.states.len();
    if number >= limit {
        return Err(Undecided::TooManyStates);
    }
    numbers.insert(state.clone(), number);
    graph.states.push(state);
    graph.leaving.push(Vec::new());
    Ok(number)
}

fn initial_states(instance: &Instance, limit: usize) -> Result<Vec<State>, Halt> {
    let mut partial: Vec<Vec<i64>> = vec![Vec::new()];
    for (cell, start) in instance.cells.iter().zip(&instance.starts) {
        let size = match start {
            Start::Any => cell.domain.hi.abs_diff(cell.domain.lo).saturating_add(1),
            Start::Among(values) => values.len() as u64,
        };
        if size.saturating_mul(partial.len() as u64) > limit.max(1 << 16) as u64 {
            return Err(Undecided::TooManyStates.into());
        }
        let values: Vec<i64> = match start {
            Start::Any => (cell.domain.lo..=cell.domain.hi).collect(),
            Start::Among(values) => values.clone(),
        };
        let extended = |state: Vec<i64>| {
            values.iter().map(move |value| state.iter().copied().chain([*value]).collect::<Vec<i64>>())
        };
        partial = partial.into_iter().flat_map(extended).collect();
    }
    let mut initial = Vec::new();
    for state in partial.into_iter().map(State) {
        if semantics::is_initial(instance, &state)? {
            initial.push(state);
        }
    }
    Ok(initial)
}
