//! Compares the program graph with the reference semantics, step by step.
//!
//! On random tasks, in every state of a box around the reachable ones: an edge can be taken exactly where
//! [`model::semantics`] has the step, `idle` included, and leads to the same state. Faults, initial states, atoms and
//! requirements must agree too. Where any integer may be chosen, both sides get the same integers.

#[path = "../../tests/all/infinite/generate.rs"]
#[expect(dead_code, reason = "programs of T2 have their own test")]
mod generate;

use std::collections::BTreeSet;
use std::sync::Arc;

use arith::Var;
use model::{ActionId, Expr, Instance, Label, Position, Session, State, Task, ground, semantics};

use smt::Formula;

use super::demand::decided;
use super::expression::Read;
use super::program::{Edge, Program, program};
use super::witness::At;

/// The values of data that are tried, and the integers that are chosen.
const BOX: std::ops::RangeInclusive<i64> = -4..=4;

#[test]
fn edges_are_the_steps_of_the_semantics() {
    let (mut steps, mut idle, mut faults, mut initial) = (0, 0, 0, 0);
    for seed in 0..250u64 {
        let text = generate::program(seed.wrapping_mul(0x9e37_79b9));
        let model = lang::load("random", &text, &[]).model.unwrap_or_else(|| panic!("{text}"));
        let task = &model.checks[0].task;
        let instance = Instance::new(Arc::clone(task.system())).expect("an instance");
        let mut graph =
            program(&instance, &Session::unlimited()).unwrap_or_else(|beyond| panic!("{text}\n{beyond:?}"));
        graph
            .resolve(|_, condition| Err(format!("{condition:?}")))
            .unwrap_or_else(|condition| panic!("{text}\n{condition} is open"));
        let predicates = predicates(&instance, task);
        let read = |edge: &Edge, predicate: &Expr| {
            let decided = decided(&instance, edge, predicate);
            graph.read(&instance, edge.source, &decided).unwrap_or_else(|e| panic!("{text}\n{e:?}"))
        };
        let on_edges: Vec<Vec<Read<Formula>>> = predicates
            .iter()
            .map(|predicate| graph.edges.iter().map(|edge| read(edge, predicate)).collect())
            .collect();
        for at in states(&instance, &graph) {
            let state = State(at.values.iter().map(|value| *value as i64).collect());
            let by_definition = by_definition(&instance, &state);
            let found = by_edges(&graph, &at);
            for action in (0..instance.actions.len() as u32).map(ActionId) {
                let faulty = graph.faults.iter().any(|(place, when, of)| {
                    *place == at.place && *of == action && at.satisfies(when) == Ok(true)
                });
                let of = |label: Label, steps: &BTreeSet<(Label, State)>| -> BTreeSet<State> {
                    steps.iter().filter(|(l, _)| *l == label).map(|(_, target)| target.clone()).collect()
                };
                match &by_definition[action.0 as usize] {
                    Err(fault) => {
                        assert!(faulty, "{text}\n{state:?}: {action:?} has {fault:?}");
                        faults += 1;
                    }
                    Ok(targets) => {
                        assert!(!faulty || targets.is_empty(), "{text}\n{state:?}: {action:?} has no fault");
                        let targets: BTreeSet<State> = targets.iter().cloned().collect();
                        assert_eq!(
                            of(Label::Action(action), &found),
                            targets,
                            "{text}\n{state:?} {action:?}"
                        );
                        steps += targets.len();
                    }
                }
            }
            let actions = (0..instance.actions.len() as u32).map(ActionId);
            let enabled: Result<Vec<bool>, _> =
                actions.map(|action| semantics::enabled(&instance, &state, action)).collect();
            // Where a guard faults, there are no steps.
            if let Ok(enabled) = enabled {
                let deadlocked = !enabled.contains(&true);
                assert_eq!(found.contains(&(Label::Idle, state.clone())), deadlocked, "{text}\n{state:?}");
                idle += usize::from(deadlocked);
            }
            let begins =
                graph.initial.iter().any(|(place, set)| *place == at.place && at.satisfies(set) == Ok(true));
            assert_eq!(semantics::is_initial(&instance, &state), Ok(begins), "{text}\n{state:?}");
            initial += usize::from(begins);
            for (number, edge) in graph.edges.iter().enumerate().filter(|(_, edge)| edge.source == at.place) {
                let position = Position { state: state.clone(), label: edge.label };
                for (predicate, read) in predicates.iter().zip(&on_edges) {
                    let truth = semantics::step_predicate(&instance, predicate, &position);
                    let faulty = at.satisfies(&read[number].fault).expect("small");
                    assert_eq!(truth.is_err(), faulty, "{text}\n{position:?} {predicate:?}");
                    if let Ok(truth) = truth {
                        let found = at.satisfies(&read[number].result).expect("small");
                        assert_eq!(truth, found, "{text}\n{position:?} {predicate:?}");
                    }
                }
            }
        }
    }
    let all = [steps, idle, faults, initial];
    assert!(steps > 10_000 && idle > 1_000 && faults > 10 && initial > 400, "{all:?}");
}

/// Every state at a place whose data lies in the box.
fn states(instance: &Instance, graph: &Program) -> Vec<At> {
    let mut found = Vec::new();
    for place in 0..graph.places.len() {
        let mut rows: Vec<Vec<i128>> = vec![Vec::new()];
        for cell in 0..graph.cells {
            let fixed = graph.places[place].iter().find(|(control, _)| *control == cell);
            let domain = instance.cells[cell].domain;
            let values: Vec<i64> = match fixed {
                Some((_, value)) => vec![*value],
                None => BOX.filter(|value| domain.contains(*value)).collect(),
            };
            let longer = |row: &Vec<i128>| -> Vec<Vec<i128>> {
                values.iter().map(|value| row.iter().copied().chain([i128::from(*value)]).collect()).collect()
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        found.extend(rows.into_iter().map(|values| At { place, values }));
    }
    // Take enough of them, spread over all places.
    let apart = found.len().div_ceil(400).max(1);
    found.into_iter().step_by(apart).collect()
}

/// Per action, its successors.
fn by_definition(instance: &Instance, state: &State) -> Vec<Result<Vec<State>, model::Fault>> {
    let actions = (0..instance.actions.len() as u32).map(ActionId);
    let outcomes = |action| semantics::successors_with(instance, state, action, &|_| BOX.collect());
    actions.map(outcomes).collect()
}

/// The steps over edges.
fn by_edges(graph: &Program, at: &At) -> BTreeSet<(Label, State)> {
    let mut found = BTreeSet::new();
    for (number, edge) in graph.edges.iter().enumerate().filter(|(_, edge)| edge.source == at.place) {
        let endless = edge.choices.iter().any(|choice| choice.as_constant().is_none());
        for value in BOX.filter(|value| endless || *value == 0) {
            let chosen = |_: Var| i128::from(value);
            if at.can(graph, number, &chosen) == Ok(true) {
                let target = at.after(graph, number, &chosen).expect("small");
                assert_eq!(target.place, edge.target);
                found.insert((edge.label, State(target.values.iter().map(|value| *value as i64).collect())));
            }
        }
    }
    found
}

/// The atoms of property and fairness.
fn predicates(instance: &Instance, task: &Task) -> Vec<Expr> {
    use model::property::Kind;
    let mut found: Vec<Expr> = match ground::kind(instance, &task.property.kind) {
        Kind::Invariant(predicate) => vec![predicate],
        Kind::Ltl(formula) => formula.atoms().into_iter().cloned().collect(),
        Kind::Ctl(formula) => formula.atoms().into_iter().cloned().collect(),
        Kind::Never(never) => never.atoms,
    };
    for alternative in ground::fairness(instance, &task.fairness).alternatives {
        let requirements = alternative.requirements.into_iter();
        found.extend(requirements.flat_map(|requirement| [requirement.when, requirement.then]));
    }
    found
}
