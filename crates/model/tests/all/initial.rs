//! Compares the enumeration of initial states with their definition.

use std::sync::Arc;

use model::expr::Operator;
use model::initial::initial_states;
use model::semantics;
use model::system::{Initial, Scalar, System, Type, Variable};
use model::{Expr, Fault, Instance, Span, State, VariableId};

use crate::workshop::{Random, int, read};

/// `u, v: 0..2`, `t: array[1..2] of 0..1`, each with random initial values, and random predicates.
fn system(random: &mut Random) -> System {
    let mut variable = |name: &str, dimensions: Vec<Span>, hi: i64| Variable {
        name: name.to_owned(),
        owner: None,
        kind: Type { dimensions, scalar: Scalar::Range(Span::between(0, hi)) },
        initial: match random.below(3) {
            0 => Initial::Any,
            _ => Initial::Among((0..=random.below(3)).map(|_| int(random.between(0, hi))).collect()),
        },
    };
    let variables = vec![
        variable("u", Vec::new(), 2),
        variable("v", Vec::new(), 2),
        variable("t", vec![Span::between(1, 2)], 1),
    ];
    let init = (0..random.below(3)).map(|_| predicate(random, 2)).collect();
    System { variables, init, ..System::default() }
}

fn number(random: &mut Random) -> Expr {
    let u = || read(VariableId(0), None, Vec::new());
    let v = || read(VariableId(1), None, Vec::new());
    match random.below(6) {
        0 => int(random.between(0, 2)),
        1 => u(),
        2 => v(),
        3 => read(VariableId(2), None, vec![int(random.between(1, 2))]),
        4 => read(VariableId(2), None, vec![u()]),
        _ => Expr::binary(Operator::Div, int(2), v()),
    }
}

fn predicate(random: &mut Random, depth: usize) -> Expr {
    if depth == 0 {
        let operator = [Operator::Eq, Operator::Ne, Operator::Lt, Operator::Ge][random.below(4)];
        return Expr::binary(operator, number(random), number(random));
    }
    let parts = (0..=random.below(3)).map(|_| predicate(random, depth - 1)).collect();
    if random.below(2) == 0 { Expr::And(parts) } else { Expr::Or(parts) }
}

#[test]
fn the_initial_states_are_all_states_that_are_initial_in_order() {
    let mut counts = [0; 3];
    for seed in 0..5000 {
        let mut random = Random(seed);
        let instance = Instance::new(Arc::new(system(&mut random))).expect("an instance");
        let mut expected: Vec<Result<State, Fault>> = Vec::new();
        'all: for u in 0..=2 {
            for v in 0..=2 {
                for t in 0..4 {
                    let state = State(vec![u, v, t / 2, t % 2]);
                    match semantics::is_initial(&instance, &state) {
                        Ok(true) => expected.push(Ok(state)),
                        Ok(false) => {}
                        Err(fault) => {
                            expected.push(Err(fault));
                            break 'all;
                        }
                    }
                }
            }
        }
        let found: Vec<_> = initial_states(&instance).collect();
        assert_eq!(found, expected, "seed {seed}: {:?}", instance.system);
        counts[match expected.last() {
            None => 0,
            Some(Ok(_)) => 1,
            Some(Err(_)) => 2,
        }] += 1;
    }
    assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
}

#[test]
fn a_long_array_with_fixed_elements_is_not_run_through() {
    let size = 40;
    let variable = Variable {
        name: "t".to_owned(),
        owner: None,
        kind: Type { dimensions: vec![Span::between(1, size)], scalar: Scalar::Range(Span::between(0, 9)) },
        initial: Initial::Any,
    };
    let fixed = |k: i64| Expr::eq(read(VariableId(0), None, vec![int(k)]), int(k % 10));
    let init = vec![Expr::And((1..=size).map(fixed).collect())];
    let system = System { variables: vec![variable], init, ..System::default() };
    let instance = Instance::new(Arc::new(system)).expect("an instance");
    let states: Vec<_> = initial_states(&instance).collect();
    assert_eq!(states, [Ok(State((1..=size).map(|k| k % 10).collect()))]);
}

#[test]
fn a_system_without_variables_has_one_state() {
    let instance = Instance::new(Arc::new(System::default())).expect("an instance");
    assert_eq!(initial_states(&instance).collect::<Vec<_>>(), [Ok(State(Vec::new()))]);
    let never = System { init: vec![Expr::Bool(false)], ..System::default() };
    let instance = Instance::new(Arc::new(never)).expect("an instance");
    assert_eq!(initial_states(&instance).count(), 0);
}

#[test]
fn a_state_of_the_wrong_length_is_not_initial() {
    let mut system = crate::workshop::system();
    let last = read(crate::workshop::W, Some(int(5)), Vec::new());
    system.init.push(Expr::eq(last, int(1)));
    let instance = Instance::new(Arc::new(system)).expect("an instance");
    let state = initial_states(&instance).next().expect("an initial state").expect("no fault");
    assert_eq!(semantics::is_initial(&instance, &state), Ok(true));
    let mut longer = state.clone();
    longer.0.push(0);
    assert_eq!(semantics::is_initial(&instance, &longer), Ok(false));
    let mut shorter = state;
    shorter.0.pop();
    assert_eq!(semantics::is_initial(&instance, &shorter), Ok(false));
}
