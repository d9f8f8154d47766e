//! Models that would deceive a wrong abstraction: each claim fails, or faults, for some number of processes.
//!
//! Each model here once led, or would lead, to *holds* if the engine made a mistake: if it took a number for the name
//! of a process, mixed the counts of two families, or ignored a bound. The engine may find the instance, refuse or be
//! undecided; the explicit engine shows that the claim is wrong.

use engines::Engine;
use model::{Answer, Session};

use super::{concretely, counter, tasks, why};

/// Asserts that the engine does not claim *holds* for any property of a model, although each fails for this value of
/// the parameters.
fn deceives(value: i64, text: &str) {
    for task in tasks(text) {
        let name = &task.property.name;
        let fails = concretely(&task, value).iter().any(|answer| matches!(answer, Answer::Fails(_)));
        assert!(fails, "{name} is not wrong for {value}\n{text}");
        let engine = counter();
        if engine.accepts(&task).is_ok() {
            let answer = engine.check(&task, &Session::unlimited()).expect("taken");
            assert!(!matches!(answer, Answer::Holds(_)), "{name}: {answer:?}\n{text}");
        }
    }
}

#[test]
fn a_number_in_an_event_is_not_the_name_of_a_process() {
    deceives(
        2,
        "param N >= 2; shared given: array[1..N] of bool;
        process C { action give(j: 1..N) when !given[j] { given[j] = true; } }
        process P[i: 1..N] { wait: await given[i]; halt; }
        property first: G !taken(C.give(1));
        property second: G !taken(C.give(2));
        property ready: G (!enabled(C.give(2)) -> !enabled(C.give(1)));",
    );
    deceives(
        2,
        "param N >= 2; shared x: bool;
        process P[i: 1..N] { action a { x = !x; } }
        property lame: F false under for k in 1..1: weak P[k];
        property idle: G !(exists k in 1..1: taken(P[k].a));
        property alone: G (exists k in 2..2: taken(P[k].a));",
    );
}

#[test]
fn an_index_of_one_family_is_no_process_of_another() {
    deceives(
        1,
        "param N >= 1;
        process P[i: 1..N] { loop { a: skip; } }
        process Q[i: 1..N] { loop { b: skip; } }
        property p: F false under for i in 1..N: compassion (enabled(P[i].a), taken(Q[i].b));
        property q[i: 1..N]: G !(P[i]@a && taken(Q[i].b));",
    );
    deceives(
        1,
        "param N >= 1;
        process P[i: 1..N] { loop { a: skip; } }
        process Q[i: 0..N] { loop { b: skip; } }
        property p: F false under for i in 1..N: compassion (enabled(P[i].a), taken(Q[i].b));
        property q: G (taken(Q.b) -> exists i in 1..N: P[i]@a && taken(Q[i].b));
        property r[i: 1..N]: G !taken(Q[i].b);",
    );
    deceives(
        1,
        "param N >= 1;
        process P[i: 1..N] { loop { a: skip; } }
        process Q[i: 1..N] { loop { b: skip; } }
        process C { action give(j: 1..N) when Q[j]@b { skip; } }
        property q[i: 1..N]: G (P[i]@a -> !taken(C.give(i)));
        property p: F false under for i in 1..N: compassion (enabled(P[i].a), taken(C.give(i)));",
    );
}

#[test]
fn more_processes_than_are_counted_are_not_forgotten() {
    let text = "param N >= 1; process P[i: 1..N] { a: skip; halt; }
        invariant few: count(j in 1..N: P[j]@a) <= 300;";
    let refusal = counter().accepts(&tasks(text)[0]).expect_err("too many to tell apart");
    assert!(why(&refusal).contains("301 processes"), "{refusal:?}");
    deceives(
        6,
        "param N >= 1; process P[i: 1..N] { a: skip; halt; }
        invariant few: count(j in 1..N: P[j]@a) <= 5;",
    );
}

#[test]
fn where_tickets_are_equal_indices_do_not_decide_unseen() {
    deceives(
        2,
        "param N >= 2; process P[i: 1..N] { local t: int; local s: 0..1;
            action a when s == 0 && (forall j in 1..N: P[j].t != t || j >= i) { s = 1; } }
        invariant stuck: forall j in 1..N: P[j].s == 0;
        property still: G forall j in 1..N: P[j].s == 0;",
    );
}

#[test]
fn two_tickets_of_one_step_are_not_of_any_order() {
    let text = "param N >= 2; chan c: [0] of 0..1;
        process P[i: 1..N] { local t: int; local x: 0..1;
            n: either { give: atomic { c!1; t = 1 + max(j in 1..N: P[j].t); goto s; } }
               or { take: atomic { c?x; t = 1 + max(j in 1..N: P[j].t); goto r; } }
            s: await forall j in 1..N: j == i || P[j].t == 0 || t < P[j].t; goto first;
            r: await forall j in 1..N: j == i || P[j].t == 0 || t < P[j].t; goto first;
            first: halt;
        }
        invariant p: forall j in 1..N: !P[j]@first;";
    let refusal = counter().accepts(&tasks(text)[0]).expect_err("two tickets in one step");
    assert!(why(&refusal).contains("a ticket in a step of two processes"), "{refusal:?}");
}

#[test]
fn a_fault_in_a_requirement_counts_whatever_step_it_is_evaluated_of() {
    deceives(
        1,
        "param N >= 1; shared x: 0..1 = 1;
        process P[i: 1..N] { action a { x = 0; } action b { x = 1; } }
        property p: F true under for i in 1..N: compassion (true, !taken(P[i].a) || 1 / x == 1);
        property q: F true under for i in 1..N: justice (taken(P[i].a) && 1 / x == 1 || true);
        property r: F true under for i in 1..N: compassion (taken(P[i].a), 1 / x == 1);
        property s: F true under justice (1 / x == 1);
        property t: G (1 / x == 1 || true);
        property u: G F (x == 1) && G F (1 / x == 1) || G F (x == 0);
        property v: F true || G (1 / x == 1);",
    );
}

#[test]
fn a_requirement_of_a_process_that_is_not_there_is_a_fault() {
    for requirement in
        ["for k in 1..3: weak P[k]", "for k in 1..3: justice (P[k]@a)", "for k in 1..N + 1: justice (P[k]@a)"]
    {
        deceives(
            1,
            &format!(
                "param N >= 1; process P[i: 1..N] {{ loop {{ a: skip; }} }}
                property p: F true under {requirement};"
            ),
        );
    }
}

#[test]
fn a_requirement_by_position_that_looks_at_events_is_left_out() {
    for (requirement, value) in [
        ("justice (forall j in 1..i - 1: !taken(P[j].a))", 2),
        ("justice (forall j in 1..i - 1: enabled(P[j].a))", 2),
        ("justice (!exists j in i + 1..N: enabled(P[j].a))", 2),
    ] {
        deceives(
            value,
            &format!(
                "param N >= 2; shared x: bool = true;
                process P[i: 1..N] {{ action a when x {{ skip; }} action b {{ x = !x; }} }}
                property p: F false under for i in 1..N: {requirement};"
            ),
        );
    }
}

#[test]
fn who_is_not_named_in_an_event_is_quantified() {
    deceives(
        3,
        "param N >= 1; chan c: [0] of 0..1;
        process P[i: 1..N] { local x: 0..1;
            loop {
                n: either { give: when exists k in 1..N: k != i && P[k]@m { c!1; } goto n; }
                   or { take: c?x; goto n; } or { go: skip; }
                m: skip;
            }
        }
        property never: G !exists j in 1..N: enabled(P[j].give + P.take);
        property always: G ((exists j in 1..N: P[j]@m) && (exists j in 1..N: P[j]@n)
            -> exists j in 1..N: enabled(P[j].give + P.take));
        property fair[i: 1..N]: G F P[i]@m under weak P;",
    );
}

#[test]
fn a_number_that_is_moved_within_a_step_is_counted_further() {
    deceives(
        5,
        "param N >= 1; shared v: 0..N; shared odd: bool;
        process P[i: 1..N] { local s: 0..1;
            action join when s == 0 { v = v + 1; s = 1; }
            action peek when s == 0 && v >= 3 { v = v - 1; if v != 2 { odd = true; } v = v + 1; }
        }
        invariant p: !odd;
        property q: G !odd;",
    );
}

#[test]
fn a_sum_that_a_late_step_changes_is_not_relied_on() {
    // The permit is lost, and found again, only when three processes have met.
    deceives(
        3,
        "param N >= 1; shared free: 0..2 = 1;
        process P[i: 1..N] { local s: 0..2;
            action get when s == 0 && free > 0 { free = free - 1; s = 1; }
            action put when s == 1 { free = free + 1; s = 2; }
            action again when s == 2 && free == 1 && count(j in 1..N: P[j].s == 2) >= 2 { free = 2; s = 0; }
        }
        invariant p: count(j in 1..N: P[j].s == 1) <= 1;
        property q: G (free <= 1);",
    );
}
