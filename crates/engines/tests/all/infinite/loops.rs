//! Loops that need more than one ranking function, one step backwards, or small numbers.

use certify::Standing;
use engines::Engine;
use exchange::t2::{self, Claim, Question, Stuck};
use model::Session;

use super::{engine, judged, require_solvers, verdict};

/// Asserts that the claim has this verdict, checked by the judge.
fn decided(program: &str, claim: Claim, holds: bool) {
    require_solvers();
    let question = Question { claim, pairs: Vec::new(), stuck: Stuck::Drop };
    let imported = t2::load("test", program, &question);
    let model = imported.model.unwrap_or_else(|| panic!("{program}\n{:?}", imported.diagnostics));
    let task = &model.checks[0].task;
    let answer = engine().check(task, &Session::unlimited()).expect("taken");
    assert_eq!(verdict(&answer), Some(holds), "{program}: {answer:?}");
    let judged = judged(task, answer);
    let judged = judged.unwrap_or_else(|flaw| panic!("{program}: {flaw:?}"));
    assert_eq!(judged.standing(), Standing::Checked, "{program}");
}

/// `z`, then `y`, then `x` become negative, and the second step only helps at the end.
#[test]
fn loops_end_in_phases_beside_steps_that_take_no_part_in_them() {
    let program = "START: 0; FROM: 0; TO: 1;
        FROM: 1; assume(x > 0); x := x + y; y := y + z; z := z - 1; TO: 1;
        FROM: 1; assume(x > 0); x := x - 1; TO: 1;";
    decided(program, Claim::Termination, true);
}

#[test]
fn a_phase_that_never_comes_leaves_a_run() {
    let program = "START: 0; FROM: 0; TO: 1;
        FROM: 1; assume(x > 0); x := x + y; y := y + z; TO: 1;
        FROM: 1; assume(x > 0); x := x - 1; TO: 1;";
    decided(program, Claim::Termination, false);
}

/// Not every run reaches the end, the loop is taken `k` times, and it branches on a chosen integer.
#[test]
fn some_run_arrives_behind_a_loop_that_chooses() {
    let program = "START: 0; FROM: 0; done := 0; TO: 1;
        FROM: 1; assume(k > 0); c := nondet(); k := k - 1; TO: 2;
        FROM: 2; assume(c > 0); TO: 1;
        FROM: 2; assume(c <= 0); TO: 1;
        FROM: 1; assume(k <= 0); TO: 3;
        FROM: 3; TO: 4;
        FROM: 3; done := 1; TO: 5;
        FROM: 4; TO: 4;
        FROM: 5; TO: 5;";
    decided(program, Claim::Ctl("[EF](done == 1)".to_owned()), true);
    decided(program, Claim::Ctl("[AF](done == 1)".to_owned()), false);
    decided(program, Claim::Ctl("[AG](done == 0)".to_owned()), false);
}

/// Each part is false in some initial state, but never both: a verdict on one part is not a verdict on the
/// disjunction.
#[test]
fn a_disjunction_does_not_fail_because_each_part_does() {
    let program = "START: 0; FROM: 0; TO: 1;
        FROM: 1; assume(x > 0); y := 1; TO: 2;
        FROM: 1; assume(x <= 0); z := 1; TO: 2;
        FROM: 2; TO: 2;";
    let claim = "[AF](y == 1) || [AF](z == 1)";
    decided(program, Claim::Ctl(claim.to_owned()), true);
}

#[test]
fn numbers_that_grow_without_end_are_no_obstacle() {
    let program = "START: 0; FROM: 0; TO: 1; FROM: 1; assume(a >= 1); a := 3 * a + 1; TO: 1;";
    decided(program, Claim::Termination, false);
}

/// Whether an integer can be chosen depends on divisibility.
#[test]
fn a_choice_of_a_half_is_possible_where_the_whole_is_even() {
    let program = "START: 0; FROM: 0; TO: 1;
        FROM: 1; assume(a >= 1); x := nondet(); assume(a == 2 * x); a := x; TO: 1;";
    decided(program, Claim::Termination, true);
}
