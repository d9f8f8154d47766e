//! Proofs of well-known systems.

use certify::oracle;

use super::generator::{Style, prove};
use super::{judged, tasks};
use certify::Standing;

/// Mutual exclusion by one semaphore.
pub(crate) const MUX_SEM: &str = "
    const N = 2;
    shared x: bool = true;
    process P[i: 1..N] {
        loop { idle: stay; try: request x; crit: skip; exit: release x; }
    }
    fairness scheduled: weak P;
    fairness granted: for i in 1..N: compassion (P[i]@try && x, P[i]@crit);
    invariant mutex: count(i in 1..N: P[i]@crit) <= 1;
    property progress: G ((exists i in 1..N: P[i]@try) -> F !x) under scheduled;
    property granted_entry: G (P[1]@try -> F P[1]@crit) under scheduled & granted;
    property one_or_other: G (P[1]@try -> F P[1]@crit) under (scheduled & granted) | unconditional P[1].try;
    property starves: G (P[1]@try -> F P[1]@crit) under scheduled;
";

#[test]
fn properties_of_a_semaphore_are_proved_in_every_style() {
    for task in tasks(MUX_SEM) {
        for exposed in [None, Some(0), Some(1)] {
            for classes in [false, true] {
                let holds = oracle::decide(&task, 20_000).expect("a small task").holds();
                let proof = prove(&task, Style { exposed, classes, ..Style::PLAIN });
                if exposed.is_none() {
                    assert_eq!(proof.is_ok(), holds, "{} {classes}", task.property.name);
                }
                if let Ok(proof) = proof {
                    assert_eq!(judged(&task, &proof), Ok(Standing::Checked), "{}", task.property.name);
                }
            }
        }
    }
}

/// A run may end in a deadlock, where neither process takes a step: `idle` is a class of its own.
#[test]
fn a_deadlock_is_a_run_that_proofs_must_cover() {
    let source = "
        shared f: bool = true;
        shared g: bool = true;
        process P { loop { a: request f; b: request g; c: release g; d: release f; } }
        process Q { loop { a: request g; b: request f; c: release f; d: release g; } }
        property often: G F P@c under weak P & weak Q;
        property or_stuck: G F P@c || F deadlock under strong P & strong Q;
    ";
    for task in tasks(source) {
        for classes in [false, true] {
            let holds = oracle::decide(&task, 20_000).expect("a small task").holds();
            let style = Style { classes, ..Style::PLAIN };
            let proof = prove(&task, style);
            assert_eq!(proof.is_ok(), holds, "{}", task.property.name);
            if let Ok(proof) = proof {
                assert_eq!(judged(&task, &proof), Ok(Standing::Checked));
            } else {
                let forged = prove(&task, Style { forge: true, ..style }).expect("a forgery");
                assert!(judged(&task, &forged).is_err());
            }
        }
    }
}

/// `compassion (taken(a), p)`: a step triggers the requirement, so steps are barred and not states.
#[test]
fn a_requirement_triggered_by_steps_bars_them() {
    let source = "
        shared sent: bool; shared arrived: bool;
        process Sender { loop { send: sent = true; rest: sent = false; } }
        process Channel { loop { either { get: arrived = sent; } or { lose: arrived = false; } } }
        property delivered: G F arrived under weak Sender & compassion (taken(Sender.send), arrived);
        property lost: G F arrived under weak Sender;
    ";
    let tasks = tasks(source);
    for classes in [false, true] {
        let style = Style { classes, ..Style::PLAIN };
        let proof = prove(&tasks[0], style).expect("a proof");
        assert_eq!(judged(&tasks[0], &proof), Ok(Standing::Checked));
        assert!(judged(&tasks[1], &proof).is_err());
        assert!(prove(&tasks[1], style).is_err());
    }
}

/// Two processes move in one step. Either may be the one whose class is taken infinitely often.
#[test]
fn a_rendezvous_is_a_step_of_both() {
    let source = "
        chan c: [0] of 0..1;
        process S { local n: 0..1; loop { put: c ! n; flip: n = 1 - n; } }
        process R { local m: 0..1; loop { get: c ? m; } }
        invariant same: true;
        property changes: G F R.m == 1 under weak S & weak R;
    ";
    let loaded = lang::load("test", source, &[]);
    let Some(model) = loaded.model else { panic!("{:?}", loaded.diagnostics) };
    for task in model.checks.into_iter().map(|check| check.task) {
        for classes in [false, true] {
            let style = Style { classes, ..Style::PLAIN };
            let proof = prove(&task, style).expect("a proof");
            assert_eq!(judged(&task, &proof), Ok(Standing::Checked), "{}", task.property.name);
        }
    }
}
