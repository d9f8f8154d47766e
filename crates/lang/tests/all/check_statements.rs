//! Statements: small processes, walked through step by step.

use model::Fault;

use crate::explore::{self, start, system};

#[test]
fn a_loop_goes_round_and_its_statements_are_its_steps() {
    let mut walk = start("shared x: bool; process P { loop { a: x = true; b: x = false; } }");
    assert_eq!(walk.here(), "x = false P@a");
    assert_eq!(walk.enabled(), ["P.a"]);
    assert_eq!(walk.take("P.a"), "x = true P@b");
    assert_eq!(walk.take("P.b"), "x = false P@a");
}

#[test]
fn the_end_of_the_code_and_halt_are_where_nothing_more_happens() {
    let mut walk =
        start("process P { a: skip; } process Q { b: skip; halt; } process R { c: skip; d: halt; }");
    assert_eq!(walk.take("P.a"), "P@end");
    assert_eq!(walk.take("Q.b"), "Q@end");
    assert_eq!(walk.take("R.c"), "R@d");
    assert_eq!(walk.enabled(), ["idle"]);
}

#[test]
fn code_that_begins_with_a_halt_takes_no_step_at_all() {
    let walk = start("process P { halt; }");
    assert_eq!(walk.here(), "P@end");
    assert_eq!(walk.enabled(), ["idle"]);
}

#[test]
fn stay_is_one_action_with_two_outcomes() {
    let walk = start("process P { loop { idle: stay; work: skip; } }");
    assert_eq!(walk.enabled(), ["P.idle"]);
    assert_eq!(walk.outcomes("P.idle"), ["", "P@work"]);
    assert_eq!(walk.instance.actions.len(), 2);
}

#[test]
fn a_simultaneous_assignment_reads_before_it_writes() {
    let mut walk = start("shared x: 0..3 = 1; shared y: 0..3 = 2; process P { a: x, y = y, x; }");
    assert_eq!(walk.take("P.a"), "x = 2 y = 1 P@end");
}

#[test]
fn await_waits() {
    let mut walk = start("shared x: bool; process P { a: await x; } process Q { b: x = true; }");
    assert_eq!(walk.enabled(), ["Q.b"]);
    walk.take("Q.b");
    assert_eq!(walk.take("P.a"), "P@end");
}

#[test]
fn semaphores_are_truth_values_or_numbers() {
    let mut walk =
        start("shared x: bool = true; process P { a: request x; b: request x; } process Q { c: release x; }");
    assert_eq!(walk.take("P.a"), "x = false P@b");
    assert_eq!(walk.enabled(), ["Q.c"]);
    assert_eq!(walk.take("Q.c"), "x = true Q@end");
    assert_eq!(walk.enabled(), ["P.b"]);

    let mut walk =
        start("shared n: 0..2 = 1; process P { a: request n; b: request n; } process Q { c: release n; }");
    assert_eq!(walk.take("P.a"), "n = 0 P@b");
    assert_eq!(walk.enabled(), ["Q.c"]);
    assert_eq!(walk.take("Q.c"), "n = 1 Q@end");
}

#[test]
fn releasing_beyond_the_range_is_a_fault() {
    let walk = start("shared n: 0..1 = 1; process P { a: release n; }");
    assert_eq!(walk.fault(), Fault::OutsideRange { name: "n".to_owned(), value: 2, lo: 0, hi: 1 });
}

#[test]
fn when_guards_a_block_done_as_one_step() {
    let mut walk = start(
        "shared x: 0..3; process P { a: when x > 0 { x = x - 1; x = x - 1; } b: skip; } process Q { c: x = 3; }",
    );
    assert_eq!(walk.enabled(), ["Q.c"]);
    walk.take("Q.c");
    assert_eq!(walk.take("P.a"), "x = 1 P@b");
}

#[test]
fn conditions_at_the_beginning_of_a_block_are_all_waited_for() {
    let text = "shared x, y, z: bool; shared n: 0..1;
        process P { a: atomic { await x; skip; await y; when z { request n; n = 1; } } }
        process Q { action setx when !x { x = true; } action sety when !y { y = true; }
                    action setz when !z { z = true; } action setn when n == 0 { n = 1; } }";
    let mut walk = start(text);
    for action in ["Q.setx", "Q.sety", "Q.setz", "Q.setn"] {
        assert!(!walk.enabled().contains(&"P.a".to_owned()));
        walk.take(action);
    }
    assert_eq!(walk.enabled(), ["P.a"]);
    assert_eq!(walk.take("P.a"), "P@end");
}

#[test]
fn a_condition_in_a_branch_of_a_leading_if_is_waited_for_only_there() {
    let text = "shared x, y: bool; shared n: 0..2;
        process P { a: atomic { if x { await y; n = 1; } else { n = 2; } } }
        process Q { action setx when !x { x = true; } action sety when !y { y = true; } }";
    let mut walk = start(text);
    assert_eq!(walk.outcomes("P.a"), ["n = 2 P@end"]);
    walk.take("Q.setx");
    assert!(!walk.enabled().contains(&"P.a".to_owned()));
    walk.take("Q.sety");
    assert_eq!(walk.take("P.a"), "n = 1 P@end");
}

#[test]
fn choose_picks_any_value_that_satisfies_its_condition() {
    let walk = start("shared x: 0..9; process P { a: choose v in 1..4 where v % 2 == 0 { x = v; } }");
    assert_eq!(walk.outcomes("P.a"), ["x = 2 P@end", "x = 4 P@end"]);
    let walk = start("shared x: 0..9; process P { a: choose v in {7, 1, 3} { x = v; } }");
    assert_eq!(walk.outcomes("P.a"), ["x = 1 P@end", "x = 3 P@end", "x = 7 P@end"]);
}

#[test]
fn choose_without_a_value_to_choose_is_not_enabled() {
    let mut walk = start(
        "shared x: 0..3; shared b: bool;
         process P { a: choose v in 0..3 where v > x + 2 && b { x = v; } } process Q { c: b = true; }",
    );
    assert_eq!(walk.enabled(), ["Q.c"]);
    walk.take("Q.c");
    assert_eq!(walk.outcomes("P.a"), ["x = 3 P@end"]);
    let walk = start("shared x: 0..3; process P[i: 1..2] { a: choose v in 1..i - 1 { x = v; } }");
    assert_eq!(walk.enabled(), ["P[2].a"]);
}

#[test]
fn choose_offers_only_values_with_which_its_block_can_be_done() {
    let mut walk = start(
        "shared f: array[1..3] of bool = [true, false, true];
         process P { loop { a: choose v in 1..3 { request f[v]; } } }",
    );
    assert_eq!(walk.outcomes("P.a"), ["f[1] = false", "f[3] = false"]);
    walk.take_to("P.a", "f[1] = false");
    walk.take("P.a");
    assert_eq!(walk.enabled(), ["idle"]);
}

#[test]
fn members_of_enums_and_truth_values_can_be_chosen() {
    let text = "enum C { red, green, blue } shared c: C; shared b: bool = true;
        process P[i: 1..2] { a: choose v in {blue, red} { c = v; } d: choose w in {i == 1, false} where w { b = !w; } }";
    let mut walk = start(text);
    assert_eq!(walk.outcomes("P[1].a"), ["P[1]@d", "c = blue P[1]@d"]);
    walk.take_to("P[1].a", "P[1]@d");
    walk.take_to("P[2].a", "P[2]@d");
    assert_eq!(walk.enabled(), ["P[1].d"]);
    assert_eq!(walk.take("P[1].d"), "b = false P[1]@end");
}

#[test]
fn nested_choices_multiply() {
    let walk = start(
        "shared x: 0..99; process P { a: choose v in 1..2 { choose w in 1..2 where w != v { x = 10 * v + w; } } }",
    );
    assert_eq!(walk.outcomes("P.a"), ["x = 12 P@end", "x = 21 P@end"]);
}

#[test]
fn if_and_while_test_in_one_step_and_go_where_the_test_says() {
    let mut walk = start(
        "shared x: 0..2; process P { t: if x == 0 { a: x = 1; } else if x == 1 { b: skip; } else { c: skip; }
         w: while x < 2 { d: x = x + 1; } e: skip; }",
    );
    assert_eq!(walk.take("P.t"), "P@a");
    assert_eq!(walk.take("P.a"), "x = 1 P@w");
    assert_eq!(walk.take("P.w"), "P@d");
    assert_eq!(walk.take("P.d"), "x = 2 P@w");
    assert_eq!(walk.take("P.w"), "P@e");
}

#[test]
fn an_if_without_else_goes_on_behind_it() {
    let mut walk = start("shared x: bool; process P { t: if x { a: skip; } b: skip; }");
    assert_eq!(walk.take("P.t"), "P@b");
    let mut walk = start("shared x: bool; process P { t: if x { } else { a: skip; } b: skip; }");
    assert_eq!(walk.take("P.t"), "P@a");
    assert_eq!(walk.take("P.a"), "P@b");
}

#[test]
fn either_offers_the_first_statements_of_its_branches_at_one_location() {
    let text = "shared x: bool; process P { loop { either { a: await x; b: x = false; } or { c: x = true; } or { d: skip; e: skip; } } }";
    let mut walk = start(text);
    assert_eq!(walk.here(), "x = false P@a");
    assert_eq!(walk.enabled(), ["P.c", "P.d"]);
    assert_eq!(walk.take("P.c"), "x = true");
    assert_eq!(walk.enabled(), ["P.a", "P.c", "P.d"]);
    assert_eq!(walk.take("P.a"), "P@b");
    assert_eq!(walk.take("P.b"), "x = false P@a");
    assert_eq!(walk.take("P.d"), "P@e");
}

#[test]
fn every_label_of_a_choice_names_the_same_location() {
    let text = "process P { l: either { a: skip; } or { b: stay; } c: skip; }
        invariant at: P@l && P@a && P@b && !P@c;";
    let walk = start(text);
    let model = explore::model(text);
    let model::property::Kind::Invariant(at) = &model.checks[0].task.property.kind else {
        panic!("an invariant")
    };
    assert_eq!(walk.here(), "P@l");
    assert!(walk.holds(at));
    assert_eq!(walk.outcomes("P.b"), ["", "P@c"]);
    assert_eq!(system(text).enums[0].members, ["l", "c", "end"]);
}

#[test]
fn goto_goes_to_a_label_and_takes_no_step() {
    let mut walk = start("process P { a: skip; goto c; b: skip; c: skip; goto b; }");
    assert_eq!(walk.take("P.a"), "P@c");
    assert_eq!(walk.take("P.c"), "P@b");
    assert_eq!(walk.take("P.b"), "P@c");
}

#[test]
fn a_label_of_something_that_takes_no_step_names_where_control_goes() {
    let text = "process P { a: skip; goto l; l: loop { m: loop { b: skip; g: goto m; } } }";
    let mut walk = start(text);
    assert_eq!(walk.take("P.a"), "P@b");
    assert_eq!(walk.take("P.b"), "");
    assert_eq!(system(text).enums[0].members, ["a", "b"]);
}

#[test]
fn a_step_can_end_in_a_jump_from_any_of_its_ends() {
    let text = "shared x: 0..3;
        process P { a: when true { if x == 0 { x = 1; goto c; } else { x = 2; } } b: halt;
                    c: atomic { either { await x == 1; goto a; } or { x = 3; halt; } } }";
    let mut walk = start(text);
    assert_eq!(walk.take("P.a"), "x = 1 P@c");
    assert_eq!(walk.outcomes("P.c"), ["P@a", "x = 3 P@end"]);
    walk.take_to("P.c", "P@a");
    assert_eq!(walk.take("P.a"), "x = 2 P@b");
}

#[test]
fn goto_end_goes_to_the_end_of_the_code() {
    let mut walk = start("shared x: bool; process P { loop { a: skip; b: when true { goto end; } } }");
    walk.take("P.a");
    assert_eq!(walk.take("P.b"), "P@end");
}

#[test]
fn an_action_may_be_called_end() {
    let mut walk = start("process P { action end when P@a { goto end; } a: await false; }");
    assert_eq!(walk.take("P.end"), "P@end");
    assert_eq!(walk.enabled(), ["idle"]);
}

#[test]
fn either_in_a_block_chooses_among_the_branches_that_can_be_done() {
    let text = "shared x: 0..3; shared b: bool;
        process P { loop { a: atomic { either { await b; x = 1; } or { when x == 3 { x = 2; } } } } }
        process Q { c: b = true; }";
    let mut walk = start(text);
    assert_eq!(walk.enabled(), ["Q.c"]);
    walk.take("Q.c");
    assert_eq!(walk.outcomes("P.a"), ["x = 1"]);
}

#[test]
fn a_step_without_a_complete_path_is_not_enabled() {
    let walk = start(
        "shared x: 0..3; process P { a: atomic { x = 1; either { await x == 2; } or { await x == 3; } } }",
    );
    assert_eq!(walk.enabled(), ["idle"]);
    let walk = start(
        "shared x: 0..3; process P { a: atomic { x = 1; either { await x == 1; x = 3; } or { await x == 3; } } }",
    );
    assert_eq!(walk.outcomes("P.a"), ["x = 3 P@end"]);
}

#[test]
fn a_step_may_wait_anywhere() {
    let mut walk = start(
        "shared x: 0..3; shared b: bool; process P { loop { a: atomic { x = (x + 1) % 4; await b || x < 2; } } }
         process Q { c: b = true; }",
    );
    assert_eq!(walk.take("P.a"), "x = 1");
    assert_eq!(walk.enabled(), ["Q.c"]);
    walk.take("Q.c");
    assert_eq!(walk.take("P.a"), "x = 2");
    let walk = start(
        "shared x, y: 0..3; process P { a: atomic { choose v in 0..3 { x = v; } y = 3 - x; await x + 1 < y; } }",
    );
    assert_eq!(walk.outcomes("P.a"), ["y = 3 P@end"]);
}

#[test]
fn a_fault_counts_if_the_path_is_possible_up_to_it() {
    let fault = |body: &str| {
        start(&format!("shared x, y: 0..3; process P {{ a: atomic {{ {body} }} }}")).fault().to_string()
    };
    assert_eq!(fault("x = 3 / y; await y == 1;"), "division by zero");
    assert_eq!(fault("x = y - 1; await y == 1;"), "`x` would become -1, outside its range 0..3");
    assert_eq!(fault("assert y == 1; await false;"), "the assertion `y == 1` is false");
    // The value of the condition is known, but it cannot be computed.
    assert_eq!(fault("choose v in 0..2 { y = v; } await 1 / y < y + 2;"), "division by zero");
    assert_eq!(fault("if x == 0 { await 1 / y < y + 2; }"), "division by zero");
    let walk = start("shared x, y: 0..3; process P { a: atomic { await y == 1; x = 3 / y; } }");
    assert_eq!(walk.enabled(), ["idle"]);
}

#[test]
fn statements_without_a_label_are_named_after_their_line() {
    let text = "process P {\n    skip; skip;\n    line3b: skip; skip; skip;\n    either { skip; } or { halt_: skip; }\n}";
    let mut walk = start(text);
    assert_eq!(walk.take("P.line2"), "P@line2b");
    assert_eq!(walk.take("P.line2b"), "P@line3b");
    assert_eq!(walk.take("P.line3b"), "P@line3");
    assert_eq!(walk.take("P.line3"), "P@line3c");
    assert_eq!(walk.take("P.line3c"), "P@halt_");
    assert_eq!(walk.enabled(), ["P.line4", "P.halt_"]);
}

#[test]
fn actions_are_enabled_wherever_their_guard_is_true() {
    let text = "shared x: 0..3; process P { action up when x < 3 { x = x + 1; } a: skip; b: skip; }";
    let mut walk = start(text);
    assert_eq!(walk.enabled(), ["P.up", "P.a"]);
    assert_eq!(walk.take("P.up"), "x = 1");
    walk.take("P.a");
    assert_eq!(walk.enabled(), ["P.up", "P.b"]);
}

#[test]
fn an_action_with_parameters_is_one_action_per_argument() {
    let text = "const N = 3; shared leader: array[1..N] of bool = true;
        process P[i: 1..N] {
            action meet(r: 1..N) when r != i && leader[i] && leader[r] { leader[r] = false; }
            action later(r: i + 1..N, s: 0..1) { skip; }
        }";
    let mut walk = start(text);
    let names: Vec<&str> = walk.instance.actions.iter().map(|action| action.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "P[1].meet(2)",
            "P[1].meet(3)",
            "P[2].meet(1)",
            "P[2].meet(3)",
            "P[3].meet(1)",
            "P[3].meet(2)",
            "P[1].later(2,0)",
            "P[1].later(2,1)",
            "P[1].later(3,0)",
            "P[1].later(3,1)",
            "P[2].later(3,0)",
            "P[2].later(3,1)",
        ]
    );
    assert_eq!(walk.take("P[1].meet(2)"), "leader[2] = false");
    assert!(!walk.enabled().contains(&"P[2].meet(1)".to_owned()));
}

#[test]
fn an_action_may_jump() {
    let mut walk = start("process P { action crash { goto down; } loop { up: stay; } down: halt; }");
    assert_eq!(walk.take("P.crash"), "P@down");
    assert_eq!(walk.take("P.crash"), "");
}

#[test]
fn processes_own_their_locals_and_read_those_of_others() {
    let text = "const N = 3; process P[i: 1..N] { local y: 0..N = i; a: y = P[i % N + 1].y; }
        process S { local z: 0..9; b: z = P[2].y + max(j in 1..N: P[j].y); c: await exists j in 1..N: P[j]@end; }";
    let mut walk = start(text);
    assert_eq!(walk.here(), "P[1]@a P[1].y = 1 P[2]@a P[2].y = 2 P[3]@a P[3].y = 3 S@b S.z = 0");
    assert_eq!(walk.take("P[3].a"), "P[3]@end P[3].y = 1");
    assert_eq!(walk.take("S.b"), "S@c S.z = 4");
    assert_eq!(walk.take("S.c"), "S@end");
}

#[test]
fn faults_happen_at_run_time_where_they_are_not_certain() {
    let fault = |text: &str| start(text).fault();
    assert_eq!(fault("shared x: 0..3; process P { a: await 6 / x > 1; }"), Fault::DivisionByZero);
    assert_eq!(fault("shared x: 0..3; process P { a: await 6 % x > 1; }"), Fault::DivisionByZero);
    assert_eq!(fault("process P { a: await 1 / 0 > 1; }"), Fault::DivisionByZero);
    assert_eq!(fault("const K = 0; process P { a: await 1 % K > 1; }"), Fault::DivisionByZero);
    let outside = Fault::OutsideArray { name: "f".to_owned(), value: 0, lo: 1, hi: 2 };
    assert_eq!(
        fault("shared x: 0..3; shared f: array[1..2] of bool; process P { a: f[x] = true; }"),
        outside
    );
    let absent = Fault::NoSuchProcess { name: "P".to_owned(), value: 3, lo: 1, hi: 2 };
    assert_eq!(fault("shared x: 1..3 = 3; process P[i: 1..2] { a: await P[x]@a; }"), absent);
    assert_eq!(fault("shared x: int = 9223372036854775807; process P { a: x = x + 1; }"), Fault::Overflow);
    let left = Fault::OutsideRange { name: "x".to_owned(), value: 4, lo: 0, hi: 3 };
    assert_eq!(fault("shared x: 0..3 = 3; process P { a: x = x + 1; }"), left);
}

#[test]
fn what_is_never_evaluated_is_not_called_wrong() {
    let text = "const N = 1; shared f: array[1..N] of 0..3;
        process P[i: 1..N] {
            a: await i == N || f[i + 1] == 0;
            b: when i < N { f[i + 1] = 7; }
            c: if i < N { d: f[i + 1] = 1; } else { e: skip; }
            g: while i < N { h: f[i + 1] = 1; }
            k: f[i] = if i < N { f[i + 1] } else { 0 };
            l: atomic { await i < N; f[i + 1] = 2; }
            m: await forall j in i + 1..N: f[j + 1] == 0;
            action n when i < N { f[i + 1] = 1; }
        }
        invariant x: N > 1 -> f[2] == 0;";
    let text = text.replace("action n", "skip; } process Q[i: 1..N] { action n");
    assert_eq!(start(&text).take("P[1].a"), "P[1]@b");
}
