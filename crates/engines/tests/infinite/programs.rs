//! Programs whose variables are not bounded, with the verdicts that are known of them.

use engines::Engine;
use model::Run;

use crate::{engine, require_solvers, tasks, verdict};

/// Every property has its expected verdict, and the judge finds nothing wrong with the evidence.
fn expected(text: &str) {
    require_solvers();
    for (task, expected) in tasks(text) {
        let answer = engine().check(&task, &Run::unlimited());
        assert_eq!(verdict(&answer), expected, "{}: {answer:?}", task.property.name);
        certify::certify_with(&task, answer, &crate::solver::installed())
            .unwrap_or_else(|flaw| panic!("{}: {flaw:?}", task.property.name));
    }
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

/// One prophecy for both operators would be wrong: the outer run never meets the requirement's `then`, while inner runs
/// need more and more steps with its `when` [CKP15].
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
