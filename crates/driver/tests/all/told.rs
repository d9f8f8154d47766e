//! What a counterexample says: faults in the user's words, and runs without what is only forgotten.

use driver::replay::{self, Judged, Saved};
use driver::report::{Binding, Counterexample, Kind};
use driver::{Options, World};
use lang::Model;

fn model(text: &str) -> Model {
    let loaded = driver::load("test", text, &[], &|name| Err(format!("no file {name}")));
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// The counterexample to the first property.
fn found(model: &Model) -> Counterexample {
    let report =
        driver::check(model, &Options::default(), &World::unlimited(), &mut |_, _| {}).expect("a report");
    report.outcomes.into_iter().next().and_then(|outcome| outcome.counterexample).expect("a counterexample")
}

fn fault(text: &str) -> String {
    match found(&model(text)).kind {
        Kind::Fault(told) => told,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_fault_names_what_is_not_there() {
    let text = "const ring = [2, 1]; shared p: seq[2] of 0..5 = [1]; shared q: seq[2] of 0..5; shared S: set of 0..5;
        shared x: 0..9 = 2; chan c: [2] of 0..5; chan d[1..2]: [1] of 0..5; chan r: [0] of 0..5;
        process P { loop { a: BODY } } process Q { loop { b: r?_; } } invariant ok: CLAIM;";
    let told = |body: &str| fault(&text.replace("BODY", body).replace("CLAIM", "x <= 9"));
    assert_eq!(told("x = head(q);"), "in P.a: `head(q)`: `q` is empty");
    assert_eq!(told("p = tail(p);"), "in P.a: `tail(p)`: `p` is empty");
    assert_eq!(told("x = p[0] + p[1];"), "in P.a: `p[1]`: `p` has no item 1");
    assert_eq!(told("x = head(p) + head(q);"), "in P.a: `head(q)`: `q` is empty");
    assert_eq!(told("p[x] = 1;"), "in P.a: `p[x]`: `p` has no item with this index");
    assert_eq!(told("await c[0] == 1;"), "in P.a: `c[0]`: `c` is empty");
    assert_eq!(told("x = ring[x + 1];"), "in P.a: an index of the table `ring` is outside 1..2");
    assert_eq!(told("x = min(m in S: m);"), "in P.a: `min` over a set that is empty");
    assert_eq!(told("d[x + 1]!1;"), "in P.a: there is no channel `d[3]`, they go from 1 to 2");
    assert_eq!(told("r!x + 4;"), "in P.a+Q.b: `r!x + 4`: a value is outside the range 0..5 of its field");
    let told = |claim: &str| fault(&text.replace("BODY", "skip;").replace("CLAIM", claim));
    assert_eq!(told("head(q) == 1"), "in the property: `head(q)`: `q` is empty");
    assert_eq!(
        told("p[0] + q[1] == 1"),
        "in the property: `p[0]`: `p` is empty, or `q[1]`: `q` has no item 1"
    );
}

#[test]
fn a_run_does_not_show_what_is_only_forgotten_and_can_be_replayed() {
    let text = "chan c: [1] of 0..3; shared sum: 0..3;
        process S { loop { put: choose v in 0..3 { c!v; } } }
        process R { local m: 0..3; loop { get: c?m; use: sum = m; back: sum = 0; } }
        property p: F sum == 3; invariant q: sum < 2;";
    let model = model(text);
    let report =
        driver::check(&model, &Options::default(), &World::unlimited(), &mut |_, _| {}).expect("a report");
    let mut forgotten = 0;
    for (outcome, check) in report.outcomes.iter().zip(&model.checks) {
        let found = outcome.counterexample.as_ref().expect("both fail");
        let trace = found.trace.as_ref().expect("a run");
        for step in &trace.steps {
            forgotten += step.forgotten.len();
            let shown: Vec<String> = step.shown().map(Binding::name).collect();
            let received = shown.iter().any(|name| name == "R.m");
            assert!(!received || step.action == "R.get", "{}: {shown:?}", step.action);
        }
        let run = replay::read(&model, &Saved::of(trace)).expect("a run");
        match run.judged(&model, &check.task, &World::unlimited()) {
            Judged::Genuine(again) => assert_eq!(again.trace.as_ref(), Some(trace)),
            other => panic!("{other:?}"),
        }
    }
    assert!(forgotten > 0);
}
