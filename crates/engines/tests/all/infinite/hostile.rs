//! Models that are unsupported, empty or enormous, and solvers that fail: the result is an answer or a clear
//! *unknown*.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use engines::Engine;
use engines::infinite::Infinite;
use model::{Answer, Session, StopReason};
use smt::{Pipe, Program, Received, Solvers};

use super::{engine, judged, require_solvers, tasks, verdict};

/// The reasons of *unknown* answers, or the verdicts.
fn results(engine: &Infinite, text: &str) -> Vec<String> {
    let mut results = Vec::new();
    for (task, _) in tasks(text) {
        let start = Instant::now();
        let stop = || (start.elapsed() > Duration::from_secs(20)).then_some(StopReason::Time);
        let answer = engine.check(&task, &Session::new(&stop, &|_| {}, u64::MAX, 1)).expect("taken");
        results.push(match &answer {
            Answer::Unknown(reason) => format!("{reason:?}"),
            decided => {
                let judged = judged(&task, decided.clone());
                assert!(judged.is_ok(), "{text}: {judged:?} of {decided:?}");
                format!("{:?}", verdict(decided))
            }
        });
    }
    results
}

fn answered(text: &str, expected: &[&str]) {
    require_solvers();
    let results = results(&engine(), text);
    assert_eq!(results.len(), expected.len(), "{results:?}");
    for (results, expected) in results.iter().zip(expected) {
        assert!(results.contains(expected), "{text}: {results}, not {expected}");
    }
}

const HOLDS: &str = "Some(true)";
const FAILS: &str = "Some(false)";

#[test]
fn arithmetic_that_is_not_linear_is_named() {
    let around = |statement: &str| {
        format!(
            "shared x: int = 1; shared y: int = any; process P {{ loop {{ a: {statement} }} }}
             property p: F x == 5;"
        )
    };
    answered(&around("x = x * y;"), &["a product of two variables"]);
    answered(&around("x = x / y;"), &["a division"]);
    answered(&around("x = x % y;"), &["a division"]);
    answered(&around("x = x / 2;"), &["a quotient that is not only compared"]);
    answered(&around("when x / y > 1 { x = 2; }"), &["a division by a variable"]);
    answered(&around("when x * x > y { x = 2; }"), &["a product of two variables"]);
    let huge = "9223372036854775807 * 9223372036854775807 * 9223372036854775807";
    answered(&around(&format!("x = x * {huge};")), &["a number that is too large"]);
    // This is linear after all.
    answered(&around("x = x + 2 * 2 - 0 * y;"), &[HOLDS]);
}

#[test]
fn enormous_numbers_end_in_an_answer_or_in_unknown() {
    let huge = i64::MAX;
    answered(
        &format!(
            "shared x: int = 0;
             process P {{ loop {{ up: x = x + {huge}; }} }}
             invariant never: x != {huge};
             property grows: F x > 5;
             invariant positive: x >= 0;"
        ),
        &[FAILS, HOLDS, HOLDS],
    );
    // Coefficients leave 128 bits after a few rounds of substitution.
    let results = results(
        &engine(),
        &format!(
            "shared x: int = any; shared y: int = any;
             process P {{ loop {{ a: x, y = {huge} * x + y, {huge} * y - x; }} }}
             property p: AG EF x == 7;
             property q: F G x > y;"
        ),
    );
    assert_eq!(results.len(), 2, "{results:?}");
}

#[test]
fn programs_without_loops_steps_or_initial_states_are_decided() {
    answered(
        "shared x: int = any; process P { a: x = x + 1; b: x = x + 1; }
         property ends: F deadlock; property stays: G !deadlock; property p: AG AF P@end;",
        &[HOLDS, FAILS, HOLDS],
    );
    answered("shared x: int = any; invariant p: x > 0; property q: G x == 3;", &[FAILS, FAILS]);
    // There is no initial state, so every property holds.
    answered(
        "shared x: int = any; init x > 0 && x < 0; process P { loop { a: x = x + 1; } }
         invariant p: x == 5; property q: F x == 0; property r: EF x == 0; property s: F G x == 2;",
        &[HOLDS, HOLDS, HOLDS, HOLDS],
    );
}

#[test]
fn locations_out_of_reach_and_guards_that_contradict_each_other_are_decided() {
    answered(
        "shared x: int = 0;
         process P { loop { a: x = x + 1; b: when x < 0 && x > 0 { skip; goto never; } } never: halt; }
         property out: G !P@never; property back: EF P@never; property p: G (P@never -> F x == 77);
         property stuck: F deadlock;",
        &[HOLDS, FAILS, HOLDS, HOLDS],
    );
}

const COUNTDOWN: &str = "shared x: int = any;
    process P { head: while x > 0 { down: x = x - 1; } }
    property ends: F deadlock; property p: AG EF x <= 0; property q: F G x <= 0;";

#[test]
fn a_solver_that_always_says_unknown_decides_nothing() {
    struct Shrugs(Vec<String>);
    impl Pipe for Shrugs {
        fn send(&mut self, text: &str) -> bool {
            let questions = text.matches("(check-sat").count() + text.matches("(get-").count();
            self.0.extend(std::iter::repeat_n("unknown".to_owned(), questions));
            true
        }
        fn receive(&mut self, _: Duration) -> Received {
            self.0.pop().map_or(Received::Silence, Received::Line)
        }
    }
    let mut solvers = Solvers::new(Arc::new(|_: Program| Ok(Box::new(Shrugs(Vec::new())) as Box<dyn Pipe>)));
    solvers.limit = Duration::from_millis(50);
    for results in results(&Infinite { solvers, finite: true, both_sides: false }, COUNTDOWN) {
        assert!(!results.starts_with("Some"), "{results}");
    }
}

#[test]
fn a_solver_that_dies_again_and_again_decides_nothing() {
    struct Dies;
    impl Pipe for Dies {
        fn send(&mut self, _: &str) -> bool {
            false
        }
        fn receive(&mut self, _: Duration) -> Received {
            Received::End
        }
    }
    let solvers = Solvers::new(Arc::new(|_: Program| Ok(Box::new(Dies) as Box<dyn Pipe>)));
    for results in results(&Infinite { solvers, finite: true, both_sides: false }, COUNTDOWN) {
        assert!(!results.starts_with("Some"), "{results}");
    }
}

/// A real solver that stops answering for ever after a number of queries.
struct Hangs {
    inner: Box<dyn Pipe>,
    left: Arc<AtomicUsize>,
}

impl Pipe for Hangs {
    fn send(&mut self, text: &str) -> bool {
        self.inner.send(text)
    }
    fn receive(&mut self, patience: Duration) -> Received {
        let used_up =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if used_up.is_err() { Received::Silence } else { self.inner.receive(patience) }
    }
}

/// Wherever the solver stops, the answers are true.
#[test]
fn a_solver_that_hangs_in_the_middle_costs_decisions_and_not_truth() {
    require_solvers();
    let mut undecided = 0;
    for answers in [1, 15, 60] {
        let left = Arc::new(AtomicUsize::new(answers));
        let start = smt::installed().start;
        let mut solvers = Solvers::new(Arc::new(move |program: Program| {
            Ok(Box::new(Hangs { inner: start(program)?, left: Arc::clone(&left) }) as Box<dyn Pipe>)
        }));
        solvers.limit = Duration::from_millis(20);
        let text = "shared x: int = any; process P { head: while x > 0 { down: x = x - 1; } }
            property ends: F deadlock;";
        for results in results(&Infinite { solvers, finite: true, both_sides: false }, text) {
            assert_ne!(results, FAILS, "after {answers} answers");
            undecided += usize::from(results != HOLDS);
        }
    }
    assert!(undecided > 0);
}

#[test]
fn choices_and_quantifiers_over_very_many_values_are_named() {
    let around = |statement: &str| {
        format!(
            "shared x: int = 1; process P {{ loop {{ a: {statement} }} }}
             property p: F x == 5;"
        )
    };
    answered(&around("choose v in 0..999999 { x = v; }"), &["a choice among very many values"]);
    answered(
        &around("choose v in 0..999 { choose w in 0..999 { x = v + w; } }"),
        &["an action with very many outcomes"],
    );
    let nested = "exists v in 0..999: exists w in 0..999: v + w == x";
    answered(&around(&format!("when {nested} {{ x = 0; }}")), &["a quantifier over very many values"]);
    let lower = "exists v in 0..999: exists w in v..999: v + w == x";
    answered(&around(&format!("when {lower} {{ x = 0; }}")), &["a quantifier over very many values"]);
}

#[test]
fn an_interrupt_ends_the_building_of_a_program() {
    let text = "shared x: int = 1;
        process P { loop { a: choose v in 0..99 { choose w in 0..99 { x = v + w; } } } }
        property p: F x == 5;";
    let (task, _) = tasks(text).remove(0);
    let looks = AtomicUsize::new(0);
    let stop = || (looks.fetch_add(1, Ordering::Relaxed) >= 50).then_some(StopReason::Cancelled);
    // There is no solver: the limit comes before one is needed.
    let engine = Infinite { solvers: Solvers::none("no solver was given"), finite: false, both_sides: false };
    let answer = engine.check(&task, &Session::new(&stop, &|_| {}, u64::MAX, 1)).expect("taken");
    assert_eq!(answer, Answer::Unknown(model::Reason::stopped(StopReason::Cancelled)));
    let answer = engine.check(&task, &Session::unlimited().with_budget(10_000)).expect("taken");
    assert_eq!(answer, Answer::Unknown(model::Reason::stopped(StopReason::Work)));
}

#[test]
fn an_array_with_very_many_elements_is_not_split_into_cases() {
    let text = "shared x: int = any; shared a: array[0..99] of bool;
        process P { loop { s: when x >= 0 && x < 99 && !a[x] { x = x + 1; } } }
        property p: G x <= 99;";
    answered(text, &["an index of `a` that is not known at each location, among more than 64"]);
}

#[test]
fn a_fault_in_an_initial_predicate_is_no_proof() {
    let text = "shared x: int = any; shared a: array[0..2] of int; init a[x] == 0;
        process P { loop { s: skip; } }
        property p: G x >= 0;";
    answered(text, &["PossibleFault"]);
    // The index is tested first.
    let text = text.replace("init a[x]", "init x >= 0 && x <= 2 && a[x]");
    answered(&text, &[HOLDS]);
}
