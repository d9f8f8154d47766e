//! The invariants of processes, and the abstract system, against the reachable states.

use std::collections::{BTreeSet, VecDeque};

use model::initial::initial_states;
use model::{Instance, Run, State, semantics};

use super::abstraction::{Abstraction, layout, seen, seen_values};
use super::behaviour::Partition;
use super::product::Product;
use super::split::Split;
use super::{local_states, order, ranges};
use crate::bdd::{Limits, Table};
use crate::encoding::expression::Expressions;

/// All reachable states, by the reference semantics.
fn reachable(instance: &Instance) -> BTreeSet<State> {
    let initial = initial_states(instance).map(|state| state.expect("no fault"));
    let mut pending: VecDeque<State> = initial.collect();
    let mut found: BTreeSet<State> = pending.iter().cloned().collect();
    while let Some(state) = pending.pop_front() {
        for step in semantics::steps(instance, &state).expect("no fault") {
            if found.insert(step.target.clone()) {
                pending.push_back(step.target);
            }
        }
    }
    found
}

/// Whatever is exposed, each reachable state is among those that the abstract reachable states stand for, and each
/// process is in one of its listed local states.
fn check(source: &str) {
    let loaded = lang::load("test", source, &[]);
    let task = &loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics)).checks[0].task;
    let Ok((instance, domains)) = ranges::instance(task, "local") else { panic!("{source} is accepted") };
    let states = reachable(&instance);
    let split = Split::new(&instance);
    let run = Run::unlimited();
    let order = order(&instance);
    let Ok(locals) = local_states(&split, &domains, &order, Limits::default(), &run) else {
        panic!("no limit")
    };
    for state in &states {
        for (process, own) in split.own.iter().enumerate() {
            let values: Vec<i64> = own.iter().map(|cell| state.0[*cell]).collect();
            assert!(locals[process].find(&values).is_some(), "{source}: {state:?}");
        }
    }
    let coarse = seen(&split, &locals, &|_| false);
    let whole = seen(&split, &locals, &|process| process == 0);
    let halves = |(partition, locals): (&Partition, &super::Locals)| {
        partition.split(|state| 2 * state < locals.states.len())
    };
    let halved: Vec<Partition> = coarse.iter().zip(&locals).map(halves).collect();
    for partitions in [coarse, whole, halved] {
        let cells = layout(&split, &domains, &order, &partitions);
        let table = Table::new(cells.bits(), Limits::default(), &run);
        let base = Expressions::new(&instance, &table, &cells);
        let Ok(values) = seen_values(&split, &locals, &partitions, &table, &cells) else { panic!() };
        let expressions = base.given(values);
        let kinds = vec![0; instance.actions.len()];
        let Ok(system) = Abstraction::new(&split, &locals, &partitions, &expressions, &kinds) else {
            panic!("no limit")
        };
        let Ok(sets) = Product::with_everything(&system).reachable() else { panic!("no limit") };
        for state in &states {
            let mut values = state.0.clone();
            for (process, own) in split.own.iter().enumerate() {
                let local: Vec<i64> = own.iter().map(|cell| state.0[*cell]).collect();
                let number = locals[process].find(&local).expect("it is listed");
                values.push(partitions[process].class[number] as i64);
            }
            assert!(table.contains(&sets[0], &cells.encode(&values)), "{source}: {state:?}");
        }
    }
}

#[test]
fn abstract_states_stand_for_all_reachable_ones() {
    check(
        "shared x: bool = true; shared k: 0..2 = any;
        process P[i: 1..3] {
            local n: 0..2 = any;
            loop { a: stay; b: request x; c: n = k; d: if n == 1 { goto a; } e: atomic { release x; k = 2 - n; } }
        }
        invariant p: x;",
    );
    check(
        "shared f: array[1..3] of bool = true;
        process P[i: 1..3] { loop { a: request f[i]; b: request f[i % 3 + 1]; c: release f[i]; d: release f[i % 3 + 1]; } }
        invariant p: f[1];",
    );
    check(
        "shared k: 0..2;
        process P[i: 1..2] {
            local t: 0..2;
            loop { a: t = k; b: await forall j in 1..2: j == i || P[j].t == 0 || P[j]@a; c: k = (k + 1) % 3; }
        }
        process Q { action up when k < 2 { k = k + 1; } }
        init P[1].t + P[2].t == 0;
        invariant p: k == 0;",
    );
}
