//! The TLA+ text of small models, and refusals.

use exchange::export::{Exported, Refusal, tla};

use crate::{complete, tasks};

fn export(source: &str) -> Result<Exported, Refusal> {
    tla(&tasks(source), "Test")
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

/// Checks that the text contains each of these.
fn assert_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "no `{line}` in\n{text}");
    }
}

#[test]
fn an_action_says_what_holds_before_and_after() {
    let source = "shared x: bool = true; process P[i: 1..2] { loop { try: request x; leave: release x; } }
        invariant p: x; property q: G F x;";
    let text = text(source);
    let lines = [
        "---- MODULE Test ----",
        "VARIABLES x, at_P\n",
        "    /\\ at_P = [i1 \\in 1..2 |-> P_try]\n",
        "P_2_try == \\* P[2].try\n    /\\ (at_P[2] = P_try)\n    /\\ x\n    /\\ x' = FALSE\n    \
         /\\ at_P' = [at_P EXCEPT ![2] = P_leave]\n",
        "    \\/ Stuck /\\ UNCHANGED vars\n",
        "Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)\n",
        "q == ([](<>x))\n",
    ];
    assert_lines(&text, &lines);
    let configuration = export(source).ok().and_then(|exported| exported.companion);
    assert_eq!(configuration.as_deref(), Some("SPECIFICATION Spec\nINVARIANT p\nPROPERTY q\n"));
}

#[test]
fn a_step_that_may_change_nothing_is_made_visible() {
    let moving = text("shared x: bool; process P { action a when !x { x = true; } } property p: F x;");
    assert!(!moving.contains("tick"), "{moving}");
    let staying =
        text("shared x: bool; process P { action a when !x { x = true; } action b { } } property p: F x;");
    assert_lines(&staying, &["VARIABLES x, tick", "    /\\ tick' = ~tick\n"]);
}

#[test]
fn actions_that_a_formula_speaks_of_leave_their_name() {
    let text = text(
        "shared x: bool; process P { action a { x = !x; } action b { x = !x; } }
         property p: G F taken(P.a); property q: F G !taken(P.b);",
    );
    let lines = [
        "/\\ last' = \"P.a\"\n",
        "p == ([]<><<(last' = \"P.a\")>>_vars)\n",
        "q == (~([]<><<(last' = \"P.b\")>>_vars))\n",
    ];
    assert_lines(&text, &lines);
}

#[test]
fn fairness_of_actions_stands_in_the_specification_and_the_rest_before_the_property() {
    let process =
        "shared x: bool; process P[i: 1..2] { action a when x { x = false; } action b { x = true; } }";
    let text = text(&format!("{process} property p: G F x under weak P[1] & strong P[2].a & justice (!x);"));
    let lines = [
        "Fairness ==\n    /\\ WF_vars(P_1_a \\/ P_1_b)\n    /\\ SF_vars(P_2_a)\n",
        "WF_vars(Next) /\\ Fairness\n",
        "p ==\n    (/\\ ([]<>(~x)))\n    => ([](<>x))\n",
    ];
    assert_lines(&text, &lines);
}

#[test]
fn properties_that_assume_different_things_have_their_own_premises() {
    let text = text(
        "shared x: bool; process P { action a when !x { x = true; } }
         property p: F x under weak P; property q: F x under none;",
    );
    assert!(!text.contains("Fairness"), "{text}");
    assert_lines(&text, &["p ==\n    (/\\ WF_vars(P_a))\n    => (<>x)\n", "q == (<>x)\n"]);
}

#[test]
fn what_may_be_a_fault_is_an_invariant() {
    let source = "shared x: 0..3; process P { action up { x = x + 1; } } property p: F x == 3;";
    let text = text(source);
    assert_lines(
        &text,
        &["NoFault ==\n    /\\ ~(~((x + 1) <= 3))\n", "    /\\ ((x + 1) <= 3)\n    /\\ x' = (x + 1)\n"],
    );
    let configuration = export(source).ok().and_then(|exported| exported.companion);
    assert_eq!(configuration.as_deref(), Some("SPECIFICATION Spec\nINVARIANT NoFault\nPROPERTY p\n"));
}

#[test]
fn initial_values_are_one_of_a_set_or_given_one_by_one() {
    let text = text(
        "shared x: 0..2 in {0, 2}; shared f: array[1..3] of 0..9 = [7, 8, 9]; shared g: array[1..2] of bool = any;
         init x != 1; process P { action a { x = 0; } } invariant p: x == 0;",
    );
    let lines = [
        "/\\ x \\in {0, 2}\n",
        "/\\ f = [i1 \\in 1..3 |-> IF i1 = 1 THEN 7 ELSE IF i1 = 2 THEN 8 ELSE 9]\n",
        "/\\ g \\in [1..2 -> BOOLEAN]\n",
        "/\\ (x # 1)\n",
    ];
    assert_lines(&text, &lines);
}

#[test]
fn what_tla_cannot_say_is_refused_by_name() {
    let process = "shared x: bool; process P[i: 1..2] { action a when x { x = false; } }";
    let cases = [
        ("shared n: int; process P { action a { n = n + 1; } } invariant p: n >= 0;", "`n`"),
        (&format!("{process} property p: G F x under global;"), "global"),
        (&format!("{process} property p: AF x;"), "CTL"),
        (&format!("{process} property p: G X x;"), "`X`"),
        (&format!("{process} property p: x U !x;"), "`U`"),
        (&format!("{process} property p: x W !x;"), "`W`"),
        (&format!("{process} property p: x R !x;"), "`R`"),
        (&format!("{process} property p: G (taken(P.a) -> F x);"), "`taken(P.a)`"),
        (&format!("shared t: 1..2; {process} property p: G F taken(P[t]);"), "`P[t]`"),
    ];
    for (source, reason) in cases {
        let refusal = refused(source);
        assert!(refusal.contains(reason), "{source}: {refusal}");
    }
}
