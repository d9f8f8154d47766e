//! The Promela text of small models, and refusals.

use exchange::export::{Exported, Refusal, promela};

use crate::{complete, tasks};

fn export(source: &str) -> Result<Exported, Refusal> {
    promela(&tasks(source))
}

fn text(source: &str) -> String {
    complete(export(source))
}

fn refused(source: &str) -> String {
    match export(source) {
        Err(refusal) => refusal.reason,
        Ok(exported) => panic!("{}", exported.text),
    }
}

#[test]
fn an_action_is_one_guarded_step_of_its_process() {
    let text =
        text("shared x: 0..3; process P { action up when x < 3 { x = x + 1; } } property p: G F x == 3;");
    assert!(text.contains("active proctype process_P()"), "{text}");
    assert!(
        text.contains(":: d_step { x < 3 -> fault = !(x + 1 <= 3); assert(!fault); x = x + 1 }"),
        "{text}"
    );
}

#[test]
fn every_outcome_of_a_choice_is_an_option_of_its_own() {
    let text = text(
        "shared x: 0..2; process P { action a { x = (x + 1) % 3; choose v in 0..2 where v != x { x = v; } } }
         property p: G F x == 2;",
    );
    // The condition is carried back over the assignment before it.
    for value in 0..3 {
        assert!(
            text.contains(&format!("{value} != (x + 1) % 3 -> x = (x + 1) % 3; x = {value} }}")),
            "{text}"
        );
    }
}

#[test]
fn a_condition_is_carried_back_over_a_write_through_an_index() {
    let text = text(
        "shared f: array[0..2] of bool; shared k: 0..2;
         process P { action a { f[k] = true; either { when f[1] { k = 0; } } or { k = 1; } } }
         property p: G F f[1];",
    );
    assert!(text.contains("((k == 1) -> true : f[1])"), "{text}");
}

#[test]
fn simultaneous_assignment_reads_everything_first() {
    let text =
        text("shared x: bool; shared y: bool; process P { action a { x, y = y, !x; } } property p: G F x;");
    assert!(text.contains("t0 = y; t1 = !x; x = t0; y = t1"), "{text}");
}

#[test]
fn several_initial_states_are_chosen_before_the_formula_is_judged() {
    let text =
        text("shared x: 0..2 in {0, 2}; init x != 1; process P { action a { x = 0; } } invariant p: x == 0;");
    assert!(text.contains("if :: x = 0 :: x = 2 fi;"), "{text}");
    assert!(text.contains("(x != 1);"), "{text}");
    assert!(text.contains("(! (begun)) U ((begun) && (! "), "{text}");
}

#[test]
fn events_and_next_positions_are_read_from_the_past() {
    let text = text(
        "shared x: bool; process P { action a { x = !x; } action b when x { x = false; } }
         property p: G (taken(P.a) -> X x);",
    );
    assert!(
        text.contains("ltl p { ! ((! (age >= 1)) U ((age >= 1) && (! (([] ((p0_1) -> (x))))))) }"),
        "{text}"
    );
    assert!(text.contains("p0_1 = last == 1;"), "{text}");
    assert!(text.contains("proctype idle()"), "{text}");
}

#[test]
fn weak_fairness_of_every_process_is_left_to_spin() {
    let model = "shared x: bool; process P[i: 1..2] { action a { x = i == 1; } } ";
    let all = text(&format!("{model} property p: G F x under weak P;"));
    assert!(all.contains("./pan -a -f -N p"), "{all}");
    // With fairness of one process only, `-f` would assume too much.
    let one = text(&format!("{model} property p: G F x under weak P[1];"));
    assert!(!one.contains("-f -N"), "{one}");
    assert!(one.contains("([] <> (turn0 == 1)) -> "), "{one}");
}

#[test]
fn an_action_of_two_processes_keeps_weak_fairness_in_the_formula() {
    let text = text(
        "shared x: bool; chan c: [0] of bool;
         process P { loop { put: c!true; } } process Q { loop { get: c?x; } }
         property p: G F x under weak processes;",
    );
    assert!(!text.contains("-f -N"), "{text}");
    assert!(text.contains("turn0 == 2"), "{text}");
}

#[test]
fn names_that_spin_claims_are_changed() {
    let text = text(
        "shared run: bool; shared t0: bool; process P { action a { run, t0 = t0, run; } } invariant X1: !run;",
    );
    assert!(text.contains("bool run_ = false"), "{text}");
    assert!(text.contains("bool m_t0 = false"), "{text}");
    assert!(text.contains("ltl m_X1 "), "{text}");
}

#[test]
fn what_promela_cannot_say_is_refused_by_name() {
    let process = "process P[i: 1..3] { action a { } }";
    let unbounded = refused("shared n: int; process P { action a { n = n + 1; } } invariant p: n >= 0;");
    assert!(unbounded.contains("`n`"), "{unbounded}");
    let branching = refused(&format!("shared x: bool; {process} property p: AG EF x;"));
    assert!(branching.contains("CTL"), "{branching}");
    let global = refused(&format!("shared x: bool; {process} property p: G F x under global;"));
    assert!(global.contains("global"), "{global}");
    let strong = refused(
        "shared x: bool; process P[i: 1..3] { action a when x { } } property p: G F x under strong P.a;",
    );
    assert!(strong.contains("strong P[1].a, strong P[2].a, strong P[3].a"), "{strong}");
    let wide = refused(
        "shared n: 0..2000000000; process P { action a when n + n < 5 { n = 1; } } invariant p: n >= 0;",
    );
    assert!(wide.contains("32 bits"), "{wide}");
}

#[test]
fn a_property_that_cannot_be_said_does_not_keep_the_others_out() {
    let exported =
        export("shared x: bool; process P { action a { x = true; } } invariant p: !x; property q: AF x;");
    let exported = exported.expect("one property can be said");
    assert!(exported.text.contains("ltl p "), "{}", exported.text);
    assert!(exported.text.contains("   q: it is a CTL formula"), "{}", exported.text);
    assert_eq!(exported.refused.len(), 1);
}

#[test]
fn a_minus_stands_between_two_operands() {
    let text = text(
        "shared x: -3..3 = 0; process P { loop { a: x = -1; } }
         property less: G !(x < -1);
         property minus: F (x - -1 == 0);
         property opposite: F (x < -x);
         property greater: F (x > -1);",
    );
    for part in ["x < 0 - 1", "x - (0 - 1) == 0", "x < 0 - x", "x > 0 - 1", "x = -1"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}
