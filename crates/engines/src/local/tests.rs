//! The invariants of processes, and the abstract system, against the reachable states.

use std::collections::{BTreeSet, VecDeque};

use model::initial::initial_states;
use model::{Instance, Session, State, semantics, tableau};

use super::abstraction::{Abstraction, layout, seen, seen_values};
use super::behaviour::Partition;
use super::exchange::{alike, renamed};
use super::sharing::Sharing;
use super::{local_states, order, ranges};
use crate::bdd::{Cells, Limits, Table};
use crate::claims::Claims;
use crate::encoding::expression::Expressions;
use crate::regions::{self, Demands};

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
    let Ok((instance, domains)) = ranges::instance(task) else { panic!("{source} is accepted") };
    let states = reachable(instance);
    let mut sharing = Sharing::new(instance);
    let atoms = Claims::new(task, instance);
    for atom in atoms.atoms() {
        let plain = sharing.plain(atom);
        sharing.look(&plain, &[]);
    }
    let session = Session::unlimited();
    let order = order(instance);
    let Ok((locals, tuples)) = local_states(&sharing, &domains, &order, Limits::default(), &session) else {
        panic!("no limit")
    };
    for state in &states {
        for (process, own) in sharing.own.iter().enumerate() {
            let values: Vec<i64> = own.iter().map(|cell| state.0[*cell]).collect();
            assert!(locals[process].find(&values).is_some(), "{source}: {state:?}");
        }
    }
    let coarse = seen(&sharing, &locals, &|_| false);
    let whole = seen(&sharing, &locals, &|process| process == 0);
    let halves = |(partition, locals): (&Partition, &super::Locals)| {
        partition.split(|state| 2 * state < locals.states.len())
    };
    let halved: Vec<Partition> = coarse.iter().zip(&locals).map(halves).collect();
    for partitions in [coarse, whole, halved] {
        let cells = layout(&sharing, &domains, &order, &partitions);
        let table = Table::new(cells.bits(), Limits::default(), &session);
        let base = Expressions::new(instance, &table, &cells);
        let Ok(values) = seen_values(&sharing, &locals, &partitions, &table, &cells) else { panic!() };
        let expressions = base.given(values);
        let kinds = vec![0; instance.actions.len()];
        let Ok(mut system) = Abstraction::new(&sharing, &locals, &tuples, &partitions, &expressions, &kinds)
        else {
            panic!("no limit")
        };
        let Ok(sets) = system.alone().reachable() else { panic!("no limit") };
        // The same with clusters of groups.
        let Ok(()) = system.diagrams.join(&table, 2) else { panic!("no limit") };
        let Ok(again) = system.alone().reachable() else { panic!("no limit") };
        assert!(again == sets, "{source}");
        if let Some(automaton) = tableau::violations(instance, &task.property.kind) {
            // What can be reached, and what is left of it when states without a way on are removed.
            let sets = |system: &Abstraction<'_>| {
                let Ok(product) = system.with(&automaton) else { panic!("no limit") };
                let Ok(reachable) = product.reachable() else { panic!("no limit") };
                let demands = Demands { of_steps: Vec::new(), marks: automaton.marks };
                let Ok(left) = regions::fair::region(&product, reachable.clone(), &demands) else {
                    panic!("no limit")
                };
                (reachable, left.sets)
            };
            let together = sets(&system);
            system.diagrams.clusters = Vec::new();
            assert!(together == sets(&system), "{source}");
        }
        for state in &states {
            let mut values = state.0.clone();
            for (process, own) in sharing.own.iter().enumerate() {
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
        property p: G (x -> F !x);",
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

#[test]
fn abstract_states_of_processes_that_meet_stand_for_all_reachable_ones() {
    check(
        "chan r: [0] of 0..2; chan c: [1] lossy of 0..1;
        process P[i: 1..2] {
            local n: 0..2 = any;
            loop { a: r!n; b: n = (n + 1) % 3; d: either { r?n; } or { c!n % 2; } }
        }
        process Q { local y: 0..2; loop { a: r?y; b: c?_; } }
        property p: G (P[1]@b -> F Q@a);",
    );
    check(
        "event e; chan r: [0] of bool;
        process P[i: 1..3] { local n: 0..1; loop { a: atomic { sync e; n = 1 - n; } b: n = i % 2; } }
        process S { a: r!true; b: halt; }
        process R { local y: bool; a: r?y; if y { halt; } else { b: r?y; } }
        invariant p: P[1].n == 0;",
    );
}

/// Which processes of a model are alike, as numbers.
fn kinds(source: &str) -> Vec<Option<usize>> {
    let loaded = lang::load("test", source, &[]);
    let task = &loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics)).checks[0].task;
    let Ok((instance, domains)) = ranges::instance(task) else { panic!("{source} is accepted") };
    let claims = Claims::new(task, instance);
    let mut sharing = Sharing::new(instance);
    for atom in claims.atoms() {
        let plain = sharing.plain(atom);
        sharing.look(&plain, &[]);
    }
    let demanded: Vec<_> =
        claims.alternatives.iter().map(|alternative| sharing.demanded(alternative)).collect();
    let session = Session::unlimited();
    let order = order(instance);
    let Ok((locals, _)) = local_states(&sharing, &domains, &order, Limits::default(), &session) else {
        panic!("no limit")
    };
    alike(&sharing, &locals, &claims.atoms(), &demanded)
}

/// A family of three in which the second or third may differ from each other in one respect.
fn family(local: &str, body: &str, fairness: &str, property: &str) -> Vec<Option<usize>> {
    kinds(&format!(
        "shared x: bool = true; shared k: 0..3;
        process P[i: 1..3] {{ {local} loop {{ a: stay; b: request x; {body} c: release x; }} }}
        fairness f: {fairness};
        property p: {property} under f;"
    ))
}

#[test]
fn processes_are_alike_that_differ_in_nothing_but_their_names() {
    let alike = [Some(0), Some(0), Some(0)];
    assert_eq!(family("", "", "weak P", "G F x"), alike);
    assert_eq!(family("local n: 0..2;", "d: n = (n + 1) % 3;", "weak P", "G F x"), alike);
    assert_eq!(family("", "", "for i in 1..3: compassion (P[i]@b && x, P[i]@c)", "G F x"), alike);
    assert_eq!(family("", "", "for i in 1..3: strong P[i].b", "G F x"), alike);
    // Those that meet others are not.
    let meet = "chan r: [0] of bool; shared x: bool;
        process P[i: 1..2] { loop { a: r!x; b: x = !x; } }
        process Q[i: 1..2] { local y: bool; loop { a: r?y; } }
        process R[i: 1..2] { loop { a: x = !x; b: skip; } }
        property p: G F x under weak R;";
    assert_eq!(kinds(meet), [None, None, None, None, Some(0), Some(0)]);
    // One that the property looks at is not like the others.
    assert_eq!(family("", "", "weak P", "G F P[1]@c"), [None, Some(0), Some(0)]);
    // The same requirement about one of them only, or more of them about one.
    assert_eq!(family("", "", "weak P[2]", "G F x"), [Some(0), Some(1), Some(0)]);
    assert_eq!(family("", "", "weak P & strong P[3].b", "G F x"), [Some(0), Some(0), Some(1)]);
    assert_eq!(family("", "", "weak P & justice (!P[1]@a)", "G F x"), [Some(0), Some(1), Some(1)]);
}

#[test]
fn processes_are_not_alike_that_use_their_index_or_look_at_one_another() {
    let apart = [Some(0), Some(1), Some(2)];
    assert_eq!(family("", "d: k = i;", "weak P", "G F x"), apart);
    assert_eq!(family("", "d: await k != i;", "weak P", "G F x"), apart);
    assert_eq!(family("local n: 0..3 = i;", "", "weak P", "G F x"), apart);
    assert_eq!(family("", "d: await !P[1]@d || i == 1;", "weak P", "G F x"), [None, Some(0), Some(0)]);
    assert_eq!(family("", "d: await forall j in 1..3: i == j || !P[j]@d;", "weak P", "G F x"), [None; 3]);
    // Events may tell anybody apart, and a requirement about two of them both from the third.
    assert_eq!(family("", "", "weak P", "G F taken(P[1])"), [None; 3]);
    assert_eq!(family("", "", "justice (taken(P[1]) || taken(P[2]))", "G F x"), [None; 3]);
}

#[test]
fn a_renamed_set_says_of_one_cell_what_it_said_of_the_other() {
    let session = Session::unlimited();
    let cells = Cells::new(&[(0, 2), (0, 1), (0, 2)], &[0, 1, 2]);
    let table = Table::new(cells.bits(), Limits::default(), &session);
    let states = || (0..3).flat_map(|a| (0..2).map(move |b| (a, b)));
    for word in 0..64 {
        let is_in = |a: i64, b: i64| word >> (2 * a + b) & 1 == 1;
        let mut sets = Vec::new();
        for (a, b) in states().filter(|(a, b)| is_in(*a, *b)) {
            let [a, b] =
                [(0, a), (1, b)].map(|(cell, value)| cells.is(&table, cell, value).expect("no limit"));
            sets.push(table.and(&a, &b).expect("no limit"));
        }
        let set = table.any(sets).expect("no limit");
        let renamed = renamed(&table, &cells, &set, 0, 2).expect("no limit");
        for (a, b) in states() {
            for other in 0..3 {
                let there = table.contains(&renamed, &cells.encode(&[other, b, a]));
                assert_eq!(there, is_in(a, b), "set {word:06b}, {a}, {b}, {other}");
            }
        }
    }
}
