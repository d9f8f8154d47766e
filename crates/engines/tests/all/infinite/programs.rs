//! Programs with unbounded variables and known verdicts.

use certify::Standing;
use engines::Engine;
use engines::infinite::Infinite;
use model::{Answer, Counterexample, Expr, Fault, Proof, Session, Task};

use super::{engine, judged, require_solvers, tasks, verdict};

/// Every property has its expected verdict, and the judge checks the evidence. Returns the answers.
fn expected(text: &str) -> Vec<(Task, Answer)> {
    require_solvers();
    let mut answers = Vec::new();
    for (task, expected) in tasks(text) {
        let answer = engine().check(&task, &Session::unlimited()).expect("taken");
        assert_eq!(verdict(&answer), expected, "{}: {answer:?}", task.property.name);
        let judged = judged(&task, answer.clone());
        let standing = judged.map(|certified| certified.standing());
        assert_eq!(standing, Ok(Standing::Checked), "{}: {answer:?}", task.property.name);
        // With both sides of every label the answer is the same, and the judge confirms the other sides too.
        let both = Infinite { both_sides: true, ..engine() };
        let other = both.check(&task, &Session::unlimited()).expect("taken");
        assert_eq!(verdict(&other), expected, "{}: {other:?}", task.property.name);
        let standing = super::judged(&task, other.clone()).map(|certified| certified.standing());
        assert_eq!(standing, Ok(Standing::Checked), "{}: {other:?}", task.property.name);
        answers.push((task, answer));
    }
    answers
}

#[test]
fn a_loop_that_counts_down_ends_from_every_value() {
    expected(
        "shared x: int = any;
         process P { head: while x > 0 { down: x = x - 1; } }
         property ends: F deadlock expect holds;
         property falls: G (x > 0 -> F x <= 0) expect holds;
         invariant small: x <= 10 expect fails;
         property zero: AG (x > 0 -> EF x == 0) expect holds;",
    );
}

#[test]
fn whether_a_loop_ends_may_depend_on_where_it_begins() {
    expected(
        "shared x: int = any;
         shared y: int = any;
         process P { head: while x > 0 { add: x = x + y; } }
         property ends: F deadlock expect fails;
         property ends_if_negative: y >= 0 || AF deadlock expect holds;
         property never_ends: x <= 0 || y < 0 || AG x > 0 expect holds;",
    );
}

#[test]
fn fairness_makes_a_counter_grow_and_without_it_it_need_not() {
    expected(
        "shared x: int = 0;
         shared turn: int = 0;
         process P { loop { up: x = x + 1; } }
         process Q { loop { flip: turn = 1 - turn; } }
         invariant positive: x >= 0 expect holds;
         property grows: F x > 10 expect fails;
         property grows_fairly: F x > 10 under weak P expect holds;
         property again: G F turn == 1 under weak Q expect holds;
         property again_unfairly: G F turn == 1 expect fails;",
    );
}

/// After its end the process is never enabled, and before that it always acts.
#[test]
fn a_run_is_fair_if_what_is_asked_on_a_step_is_done_on_it() {
    expected(
        "shared x: int = any;
         process P { head: while x > 0 { body: either { down: x = x - 1; } or { wait: skip; } } }
         property can_end: AG EF deadlock under strong P expect holds;
         property may_wait: AG (x > 0 -> AF x <= 0) under strong P expect fails;",
    );
}

/// While `x` is small, the step stays enabled and must be taken; when `x` is large, the property is true.
#[test]
fn weak_fairness_is_used_where_the_step_is_enabled_and_not_where_it_is_not() {
    expected(
        "shared x: int = 0;
         shared y: int = 0;
         process P { loop { up: when x < 10 { x = x + 1; } } }
         process Q { loop { tick: y = y + 1; } }
         property settles: F G x > 5 under weak P expect holds;
         property settles_unfairly: F G x > 5 expect fails;
         property tops: F G x > 9 under weak P.up expect holds;
         property beyond: F G x > 10 under weak P expect fails;",
    );
}

/// One prophecy for both operators would be wrong: the outer run never meets the requirement's `then`, while inner
/// runs need more and more steps with its `when` [CKP15].
#[test]
fn nested_operators_do_not_share_what_is_foretold_of_fairness() {
    let text = "
        shared n: int = 0;
        process P {
            loop { again: either { wait: n = n + 1; } or { leave: skip; goto out; } }
            out: while n > 0 { down: n = n - 1; }
            done: halt;
        }
        property outer: EG (!P@done && EF P@done) under compassion (taken(P.down), false) expect holds;
        property inner: AG EF P@done under compassion (taken(P.down), false) expect holds;
        property relative: AG AF P@done under compassion (taken(P.down), false) expect fails;
        property leaving: AF AG !P@again under compassion (P@again, P@out) expect holds;";
    expected(text);
}

#[test]
fn a_loop_is_gone_round_as_often_as_it_takes() {
    let answers = expected(
        "shared x: int = any;
         shared y: int = 0;
         process P { loop { again: either { one: when x > 0 { x = x - 1; } two: y = y + 1; } or { wait: skip; } } }
         property seven: x < 7 || EF x == 7 expect holds;
         property stays: x <= 7 || EG x != 7 expect holds;",
    );
    let Answer::Holds(Proof::Labelling(labelling)) = &answers[0].1 else { panic!("{answers:?}") };
    let layers = labelling.labels.iter().flat_map(|label| &label.path.layers);
    assert!(layers.flatten().any(|movement| movement.rank.is_some()), "{labelling:?}");
}

#[test]
fn what_only_an_automaton_can_say_is_decided_with_evidence() {
    let answers = expected(
        "shared x: int = 0;
         shared turn: int = 0;
         process P { loop { up: x, turn = x + 1, 1 - turn; } }
         property settles: F G x >= 3 expect holds;
         property alternates: (F G x > 5) && (G F turn == 1) expect holds;
         property steps: G (taken(P) && turn == 0 -> X turn == 1) expect holds;
         property stands: F G turn == 1 expect fails;",
    );
    for (_, answer) in &answers[..3] {
        let Answer::Holds(Proof::Labelling(labelling)) = answer else { panic!("{answer:?}") };
        assert!(labelling.product.is_some(), "{labelling:?}");
    }
    // No state recurs, so the run is shown with three rounds of its cycle.
    let Answer::Fails(Counterexample::Labelling(refutation)) = &answers[3].1 else { panic!("{answers:?}") };
    let run = refutation.run.as_ref().expect("the beginning of a run");
    assert!(run.positions.len() >= 6, "{run:?}");
}

#[test]
fn a_run_that_is_shown_must_be_one_inside_of_the_label() {
    let (task, answer) = expected(
        "shared x: int in 0..1;
         shared turn: int = 0;
         process P {
             first: x = x + 1;
             loop { again: either { up: x, turn = x + 1, 1 - turn; } or { two: x, turn = x + 2, 1; } }
         }
         property stands: F G turn == 1 expect fails;",
    )
    .remove(0);
    let Answer::Fails(Counterexample::Labelling(refutation)) = answer else { panic!("{answer:?}") };
    let mut forgeries = vec![];
    let mut forge = |change: &dyn Fn(&mut model::Refutation)| {
        let mut forged = (*refutation).clone();
        change(&mut forged);
        forgeries.push(forged);
    };
    forge(&|forged| forged.state.0[0] = 1 - forged.state.0[0]);
    forge(&|forged| forged.run.as_mut().expect("a run").last.0[0] += 1);
    forge(&|forged| drop(forged.run.as_mut().expect("a run").positions.remove(0)));
    forge(&|forged| forged.labelling.product.as_mut().expect("a product").places[0].1 = 9);
    forge(&|forged| forged.labelling.product.as_mut().expect("a product").label.path.cycles.clear());
    forge(&|forged| {
        let product = forged.labelling.product.as_mut().expect("a product");
        product.label.path.cycles.iter_mut().for_each(|cycle| cycle.moves[0].reading += 1);
    });
    forge(&|forged| forged.labelling.product = None);
    // A run that does not reach a cycle.
    forge(&|forged| {
        let last = forged.state.clone();
        forged.run = Some(model::Path { positions: Vec::new(), last });
    });
    // Labels that are correct but say nothing.
    forge(&|forged| {
        let label = &mut forged.labelling.product.as_mut().expect("a product").label;
        label.must.fill(Expr::Bool(false));
        label.path = model::labelling::Path::default();
        forged.run = None;
    });
    for forged in forgeries {
        let answer = Answer::Fails(Counterexample::Labelling(Box::new(forged.clone())));
        let judged = judged(&task, answer);
        assert!(judged.is_err(), "{forged:?}");
    }
    // An invariant without the initial states proves nothing.
    let mut empty = refutation.labelling;
    let product = empty.product.as_mut().expect("a product");
    product.invariant.fill(Expr::Bool(false));
    product.label.must.fill(Expr::Bool(false));
    product.label.path = model::labelling::Path::default();
    product.label.may.fill(Expr::Bool(false));
    product.label.arguments = vec![Vec::new()];
    let answer = Answer::Holds(Proof::Labelling(Box::new(empty)));
    let judged = judged(&task, answer.clone());
    assert!(judged.is_err(), "{answer:?}");
}

#[test]
fn a_reachable_fault_is_shown_and_one_out_of_reach_is_none() {
    let answers = expected(
        "shared r: 0..1000 = 0;
         shared x: int = any;
         process P { loop { up: r, x = r + 1, x - 1; } }
         invariant anything: true expect fails;
         property whatever: EF x == 0 expect fails;",
    );
    for (_, answer) in &answers {
        let Answer::Fails(Counterexample::Fault { path: Some(path), fault, .. }) = answer else {
            panic!("{answer:?}")
        };
        assert!(matches!(fault, Fault::OutsideRange { .. }), "{fault:?}");
        assert_eq!(path.positions.len(), 1000);
    }
    // In steps of two the value meets 10, and the loop ends; only going back from 9 shows that it does not skip 10.
    expected(
        "shared r: 0..10 = 0;
         shared x: int = any;
         process P { loop { two: when r != 10 { r, x = r + 2, x + 1; } } }
         invariant anything: true expect holds;
         property ends: F deadlock expect holds;",
    );
}

#[test]
fn a_loop_is_gone_round_only_if_its_rank_falls() {
    /// A change to a rank.
    type Change<'c> = &'c dyn Fn(&Expr) -> Option<Expr>;
    let (task, answer) = expected(
        "shared x: int = any;
         shared y: int = 0;
         process P { loop { again: either { one: when x > 0 { x = x - 1; } two: y = y + 1; } or { wait: skip; } } }
         property seven: x < 7 || EF x == 7 expect holds;",
    )
    .remove(0);
    let Answer::Holds(Proof::Labelling(labelling)) = answer else { panic!("{answer:?}") };
    let negative = |rank: &Expr| Expr::Neg(Box::new(rank.clone()));
    let lowered = |rank: &Expr| Expr::Sum(vec![rank.clone(), Expr::Int(-1000)]);
    let changes: [Change<'_>; 4] =
        [&|_| None, &|_| Some(Expr::Int(0)), &|rank| Some(negative(rank)), &|rank| Some(lowered(rank))];
    for change in changes {
        let mut forged = labelling.clone();
        let layers = forged.labels.iter_mut().flat_map(|label| &mut label.path.layers);
        for movement in layers.flatten() {
            movement.rank = movement.rank.as_ref().and_then(change);
        }
        let answer = Answer::Holds(Proof::Labelling(forged));
        let judged = judged(&task, answer.clone());
        assert!(judged.is_err(), "{answer:?}");
    }
}

#[test]
fn an_integer_is_an_index_and_a_fault_where_it_leaves_the_array() {
    expected(
        "shared x: int = any;
         shared a: array[0..2] of int;
         init x >= 0;
         process P { loop { s: when x < 3 { a[x] = a[x] + 1; x = x + 1; } } }
         invariant once: forall k in 0..2: a[k] <= 1 expect holds;
         invariant behind: forall k in 0..2: a[k] == 1 -> k < x expect holds;
         property later: x > 1 || AF a[1] == 1 expect holds;
         property all: F a[0] == 1 expect fails;",
    );
    let answers = expected(
        "shared x: int = any;
         shared a: array[0..2] of int;
         process P { loop { s: when x < 7 { x = x + 1; } } }
         process Q { loop { s: when x > 4 && a[x - 5] > 0 { skip; } } }
         property fair: G a[0] == 0 under justice (x < 7 || a[x - 6] == 0) expect fails;",
    );
    assert!(
        answers.iter().all(|(_, answer)| matches!(answer, Answer::Fails(Counterexample::Fault { .. }))),
        "{answers:?}"
    );
}

#[test]
fn quotients_are_compared_exactly() {
    expected(
        "shared x: int = any;
         shared y: int = any;
         process P { loop { s: when x / 3 > y % 2 { x = x - 1; } } }
         invariant euclid: 3 * (x / 3) + x % 3 == x && 0 <= x % 3 && x % 3 <= 2 expect holds;
         invariant minus: x / -3 == -(x / 3) expect holds;
         invariant twice: x / 2 / 2 == x / 4 expect holds;
         invariant down: x / 2 == -((-x) / 2) expect fails;
         property ends: F deadlock expect holds;
         property rest: AG (deadlock -> x <= 5) expect holds;",
    );
}

#[test]
fn a_parameter_is_an_integer_that_never_changes() {
    expected(
        "param N >= 2;
         param M >= 0;
         shared x: int = M;
         process P { local y: int = N + 1; loop { s: when x < N { x = x + 1; } } }
         invariant below: x <= N || x == M expect holds;
         invariant begun: P.y == N + 1 && N >= 2 expect holds;
         property reaches: F x >= N expect holds;
         property exactly: F x == N expect fails;",
    );
}

#[test]
fn strong_global_fairness_is_met_where_no_state_comes_back_or_nothing_else_can_be_done() {
    expected(
        "shared n: int;
         shared b, c: bool;
         process P { action up when !c { n = n + 1; } }
         process Q { action go when !b { b = true; } action stop when b { c = true; } }
         property acts: F b under global expect fails;
         property acts_weakly: F b under weak all expect holds;
         property stuck: G (c -> F !c) under global expect fails;
         property can: AG (!c -> EF c) under global expect holds;
         property some: EG !b under global expect holds;
         property both: EG !b under global & weak Q.go expect fails;",
    );
    // States come back, so that every step is taken: what holds is not proved, and nothing wrong is said.
    let text = "shared n: int; shared b: bool;
        process P { action up when n < 1 { n = n + 1; } action down when n > 0 { n = n - 1; } }
        process Q { action go when !b { b = true; } }
        property acts: F b under global;";
    let (task, _) = tasks(text).remove(0);
    assert_eq!(verdict(&engine().check(&task, &Session::unlimited()).expect("taken")), None);
}

#[test]
fn labels_of_runs_that_are_not_globally_fair_are_refused() {
    require_solvers();
    let text = |fairness: &str| {
        format!(
            "shared n: int; shared b: bool;
             process P {{ action up when n < 1 {{ n = n + 1; }} action down when n > 0 {{ n = n - 1; }} }}
             process Q {{ action go when !b {{ b = true; }} }}
             property acts: F b under {fairness};"
        )
    };
    let both = Infinite { both_sides: true, ..engine() };
    let (without, _) = tasks(&text("none")).remove(0);
    let answer = both.check(&without, &Session::unlimited()).expect("taken");
    assert!(matches!(answer, Answer::Fails(Counterexample::Labelling(_))), "{answer:?}");
    assert!(judged(&without, answer.clone()).is_ok());
    let (with, _) = tasks(&text("global")).remove(0);
    let flaw = judged(&with, answer).expect_err("another task");
    assert!(format!("{flaw:?}").contains("meets strong global fairness"), "{flaw:?}");
}

#[test]
fn what_holds_without_global_fairness_has_no_labels_of_runs_that_lack_it() {
    // A run on which `P` has ended shows where a part is false. It is fair without `global`, and the judge cannot confirm
    // more.
    expected(
        "shared x: int = 0;
         shared y: int = 1;
         process P { s0: when x > -1 { y = x + 1; } }
         process Q { loop { s0: when y != 0 { x = -1; } s1: stay; } }
         property sure: A[A[P@s0 U enabled(P)] W (x % 3 <= 0 -> y < x + 2)] under global expect holds;",
    );
}

#[test]
fn requirements_of_several_steps_are_chained() {
    // Whatever is put again and again is taken, and what is taken is acknowledged.
    expected(
        "shared n, m: int;
         shared full, told: bool;
         process S { action put { full = true; } action next when told { n = n + 1; told = false; } }
         process R { action take when full { m = n + 1; full = false; } action tell when m > n { told = true; } }
         process L { action lose { full = false; } action forget { told = false; } }
         fairness all: strong S.put & strong S.next & strong R.take & strong R.tell;
         property again: G F taken(S.next) under all expect holds;
         property none: G F taken(S.next) under weak all expect fails;",
    );
}
