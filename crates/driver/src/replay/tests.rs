//! Tests: what reports say is a counterexample is one when it is read back, and what is broken is not.

use super::*;
use crate::report::Verdict;
use crate::{Options, check};

const LOCK: &str = "
    shared free: bool = true;
    process P[i: 1..2] { loop { rest: stay; enter: request free; leave: release free; } }
    process C { local n: 0..2; loop { up: n = n + 1; } }
    fairness scheduled: weak P;
    invariant low: C.n < 3;
    property enters: G (P[1]@enter -> F P[1]@leave) under scheduled;
    property never: (P[1]@rest) W (P[1]@leave) under scheduled;";

const QUIET: &str = "
    shared x: 0..3;
    process P { loop { up: x = (x + 1) % 4; } }
    process Q { loop { rest: stay; } }
    invariant low: x < 2;
    property two: F x == 2 under weak Q;
    property first: x == 0 W x == 3 under weak P;
    property ctl: AG x < 3;";

fn load(text: &str) -> Model {
    let loaded = lang::load("test", text, &[]);
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

fn judged(model: &Model, property: &str, saved: &Saved) -> Judged {
    let task = |check: &&lang::Check| check.task.property.name.to_string() == property;
    let task = &model.checks.iter().find(task).expect("the property").task;
    read(model, saved).expect("a trace").judged(model, task, &World::unlimited())
}

#[test]
fn what_a_report_shows_is_a_counterexample_when_it_is_read_back() {
    let mut kinds = Vec::new();
    for text in [LOCK, QUIET] {
        let model = load(text);
        let report =
            check(&model, &Options::default(), &World::unlimited(), &mut |_, _| {}).expect("a report");
        for outcome in report.outcomes {
            assert_eq!(outcome.verdict, Verdict::Fails, "{}", outcome.property);
            let found = outcome.counterexample.expect("evidence");
            let trace = found.trace.as_ref().expect("a trace");
            let again = judged(&model, &outcome.property.to_string(), &Saved::of(trace));
            match again {
                Judged::Genuine(again) => {
                    assert_eq!(again.trace, found.trace, "{}", outcome.property);
                    assert_eq!(again.kind, found.kind, "{}", outcome.property);
                }
                other => panic!("{}: {other:?}", outcome.property),
            }
            kinds.push(std::mem::discriminant(&found.kind));
        }
    }
    kinds.dedup();
    assert!(kinds.len() > 2, "several kinds of evidence: {kinds:?}");
}

/// The run in which `P` counts round and round.
fn rounds(model: &Model, steps: usize, cycle: Option<usize>) -> Saved {
    assert_eq!(model.system().families.len(), 2);
    let state = |k: usize| {
        let pairs = [("x", (k % 4).to_string()), ("P@", "up".to_owned()), ("Q@", "rest".to_owned())];
        pairs.map(|(name, text)| (name.to_owned(), text)).to_vec()
    };
    let states = (0..steps + usize::from(cycle.is_none())).map(state).collect();
    Saved { property: None, states, actions: vec!["P.up".to_owned(); steps], cycle }
}

#[test]
fn what_is_no_counterexample_is_refused_with_the_reason() {
    let model = load(QUIET);
    let refused = |property: &str, saved: &Saved| match judged(&model, property, saved) {
        Judged::Refused(why) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused("low", &rounds(&model, 1, None)), "the invariant is true in the last state");
    assert_eq!(
        refused("two", &rounds(&model, 4, Some(0))),
        "requirement `weak Q` is triggered on the cycle but not met"
    );
    let open = "it has no loop, and does not make the property false whatever follows";
    assert_eq!(refused("two", &rounds(&model, 1, None)), open);
    assert_eq!(refused("first", &rounds(&model, 0, None)), open);
    let mut broken = rounds(&model, 2, None);
    broken.states[1][0].1 = "3".to_owned();
    let flaw = "step 1: P.up does not lead to the next state; it gives x = 1";
    assert_eq!(refused("low", &broken), flaw);
    assert_eq!(refused("first", &broken), flaw);
    assert_eq!(
        refused("two", &rounds(&model, 3, Some(1))),
        "the cycle does not close: step 3, P.up, does not lead back to state 1; it gives x = 3"
    );
    broken.states[2][0].1 = "9".to_owned();
    assert_eq!(refused("low", &broken), "state 2: `x` cannot be 9");
}

#[test]
fn a_path_that_no_fair_run_begins_with_is_none() {
    let text = "shared x: 0..1; process P { once: x = 1; }
        property p: x == 0 W x == 2 under unconditional P.once; property q: x == 0 W x == 2 under weak P;";
    let model = load(text);
    let state = |x: &str, at: &str| vec![("x".to_owned(), x.to_owned()), ("P@".to_owned(), at.to_owned())];
    let path = Saved {
        states: vec![state("0", "once"), state("1", "end")],
        actions: vec!["P.once".to_owned()],
        ..Saved::default()
    };
    assert_eq!(judged(&model, "p", &path), Judged::Refused("no fair run begins with it".to_owned()));
    assert!(matches!(judged(&model, "q", &path), Judged::Genuine(_)));
}

#[test]
fn what_is_not_of_the_model_is_told() {
    let model = load(QUIET);
    let wrong = |change: &dyn Fn(&mut Saved)| {
        let mut saved = rounds(&model, 2, None);
        change(&mut saved);
        read(&model, &saved).expect_err("an error")
    };
    assert_eq!(
        wrong(&|saved| saved.actions[1] = "P.op".to_owned()),
        "step 2: there is no action `P.op` in the model; did you mean `P.up`?"
    );
    assert_eq!(
        wrong(&|saved| saved.states[1][0].0 = "y".to_owned()),
        "state 1: there is no `y` in the model"
    );
    assert_eq!(
        wrong(&|saved| {
            saved.states[2].pop();
        }),
        "state 2: `Q@` has no value"
    );
    assert_eq!(
        wrong(&|saved| saved.states[0][1].1 = "down".to_owned()),
        "state 0: `down` is no value of `P@`"
    );
    assert_eq!(
        wrong(&|saved| {
            saved.states.pop();
        }),
        "2 actions go with 3 states, not with 2"
    );
    assert_eq!(wrong(&|saved| saved.cycle = Some(5)), "2 actions go with 2 states, not with 3");
}
