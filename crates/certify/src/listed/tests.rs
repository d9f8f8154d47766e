//! The prepared steps and predicates are those of the definition, in many states of all examples.

use std::fs;
use std::path::{Path, PathBuf};

use model::answer::{Position, State};
use model::instance::Environment;
use model::semantics;
use model::{ActionId, Expr, Label};

use super::system::{Expansion, Prepared, label};
use super::terms::Moment;

/// How many states of a model are compared.
const STATES: usize = 150;

/// Models for what the examples do not have: dynamic processes and events, faults, nested choices, empty ranges.
const MORE: &str = "
    enum Colour { red, green }
    shared turn: 1..3 = 1;
    shared a: array[1..3] of 0..4 = 0;
    shared c: Colour = red;
    process P[i: 1..3] {
        local y: -2..5 = 0;
        loop {
            go: when turn == i && a[turn] < 4 {
                either { a[turn] = a[turn] + 1; } or { choose v in 0..3 where v != y { y = v - 2; a[i] = 4 - v; } }
            }
            next: atomic { turn = turn % 3 + 1; y = P[turn].y / (turn - 2); c = if c == red { green } else { red }; }
            rest: stay;
        }
    }
    property p: G (taken(P[turn]) -> F enabled(P[turn].go)) under weak P & compassion (P[turn].y < 3, taken(P[2].next));
    property q: G F (exists i in 1..3: a[i] > P[i].y && min(a[1], a[2]) * 2 - a[3] >= -1) under strong P;
";

fn models() -> Vec<(String, lang::Model)> {
    let mut pending = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).expect("the examples") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|ending| ending == "fair") {
                files.push(path);
            }
        }
    }
    files.sort();
    let read = |path: &PathBuf| (path.display().to_string(), fs::read_to_string(path).expect("a text"));
    let texts = files.iter().map(read).chain([("MORE".to_owned(), MORE.to_owned())]);
    let loaded = texts.filter_map(|(name, text)| Some((name, lang::load("test", &text, &[]).model?)));
    loaded.filter(|(_, model)| model.subject.instance().is_some()).collect()
}

/// The predicates of a model's tasks.
fn predicates(model: &lang::Model) -> Vec<Expr> {
    let instance = model.subject.instance().expect("an instance");
    let mut all = Vec::new();
    for check in &model.checks {
        all.extend(check.task.property.kind.atoms().into_iter().cloned());
        for assumption in &check.task.fairness.alternatives {
            for (_, _, ground) in model::ground::requirements(instance, assumption) {
                all.extend([ground.when, ground.then]);
            }
        }
    }
    // Those with free indices cannot be evaluated by themselves.
    all.retain(|expr| !expr.any(&mut |part| matches!(part, Expr::Index(_))));
    all.truncate(40);
    all
}

#[test]
fn prepared_steps_and_predicates_are_those_of_the_definition() {
    let (mut steps, mut faults, mut values, mut is_more_there) = (0, 0, 0, false);
    for (name, model) in models() {
        is_more_there |= name == "MORE";
        let instance = model.subject.instance().expect("an instance");
        if instance.system.endless_choice().is_some() || !instance.is_bounded() {
            continue;
        }
        let prepared = Prepared::new(instance);
        let predicates: Vec<_> = predicates(&model)
            .into_iter()
            .map(|expr| (prepared.predicate(&expr, &Environment::default()), expr))
            .collect();
        let initial = model::initial::initial_states(instance).take(STATES / 2);
        let mut states: Vec<State> = initial.filter_map(Result::ok).collect();
        let mut next = 0;
        let mut found = Expansion::default();
        while next < states.len() {
            let state = states[next].clone();
            next += 1;
            let expanded = prepared.expand(&state.0, &mut found);
            let defined = semantics::steps(instance, &state);
            let Ok(defined) = defined else {
                faults += 1;
                assert!(expanded.is_err(), "{name}: {state:?}");
                continue;
            };
            expanded.unwrap_or_else(|fault| panic!("{name}: {fault}"));
            let width = state.0.len();
            let mut got: Vec<(Label, State)> = found
                .actions
                .iter()
                .enumerate()
                .map(|(n, a)| (label(*a), State(found.targets[n * width..(n + 1) * width].to_vec())))
                .collect();
            got.sort();
            got.dedup();
            let mut wanted: Vec<(Label, State)> =
                defined.iter().map(|step| (step.label, step.target.clone())).collect();
            wanted.sort();
            assert_eq!(got, wanted, "{name}: {state:?}");
            steps += wanted.len();
            for (number, enabled) in found.enabled.iter().enumerate() {
                let wanted = semantics::enabled(instance, &state, ActionId(number as u32));
                assert_eq!(Ok(*enabled), wanted, "{name}");
            }
            for action in &found.actions {
                let moment = Moment { instance, state: &state.0, enabled: &found.enabled, action: *action };
                let position = Position { state: state.clone(), label: label(*action) };
                for (prepared, expr) in &predicates {
                    let wanted = semantics::step_predicate(instance, expr, &position);
                    assert_eq!(prepared.holds(&moment), wanted, "{name}: {expr:?} in {state:?}");
                    assert!(wanted.is_ok() || !prepared.is_total, "{name}: {expr:?}");
                    values += 1;
                }
            }
            if states.len() < STATES {
                states.extend(wanted.into_iter().map(|(_, target)| target));
                states.dedup();
            }
        }
    }
    assert!(is_more_there, "the additional model is not accepted");
    assert!(
        steps > 3_000 && faults > 0 && values > 20_000,
        "{steps} steps, {faults} faults, {values} values"
    );
}
