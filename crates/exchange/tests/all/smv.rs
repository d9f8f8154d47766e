//! The SMV text of small models, and refusals.

use exchange::export::{Exported, Refusal, smv};

use crate::{complete, tasks};

fn export(source: &str) -> Result<Exported, Refusal> {
    smv(&tasks(source))
}

fn text(source: &str) -> String {
    complete(export(source))
}

fn refused(source: &str) -> Refusal {
    match export(source) {
        Err(refusal) => refusal,
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
fn a_step_chooses_the_next_action_and_that_determines_the_cells() {
    let text = text(
        "shared x: 0..3; process P { action up when x < 3 { x = x + 1; } action back when x == 3 { x = 0; } }
         property p: G F x == 3;",
    );
    let lines = [
        "act_P : {off, P_up, P_back};",
        "init(x) := 0;",
        // Where the sum does not fit, which the guard excludes, the cell keeps its value.
        "(next(act_P) = P_up) : (((x + 1) <= 3) ? (x + 1) : x);",
        "(next(act_P) = P_back) : 0;",
        "TRANS (next(act_P) = P_back) -> (x = 3);",
        "TRANS next(_acted1) | stuck | broken;",
        "LTLSPEC NAME p := ((G !fault) & (G (F (x = 3))));",
    ];
    assert_lines(&text, &lines);
}

#[test]
fn every_outcome_of_a_choice_is_a_value_of_its_own() {
    let text = text(
        "shared x: 0..2; process P { action a { x = (x + 1) % 3; choose v in 0..2 where v != x { x = v; } } }
         property p: G F taken(P.a);",
    );
    assert_lines(&text, &["P_a_1, P_a_2, P_a_3", "(X (act_P != off))"]);
    // The condition is carried back over the assignment before it.
    let first = text.lines().find(|line| line.starts_with("TRANS (next(act_P) = P_a_1) ->"));
    assert!(first.is_some_and(|line| line.ends_with("& (0 != ((x + 1) mod 3)));")), "{text}");
}

#[test]
fn requirements_become_justice_and_compassion() {
    let text = text(
        "shared x: bool; process P[i: 1..2] { action a when x { x = false; } action b when !x { x = true; } }
         property p: G F x under weak P[1].a & strong P[2].a & justice (!x) & unconditional P[2].b;",
    );
    let lines = [
        "JUSTICE ((act_P_1 = P_1_a) | (!x));",
        "COMPASSION (x, (act_P_2 = P_2_a));",
        "JUSTICE (!x);",
        "JUSTICE (act_P_2 = P_2_b);",
    ];
    assert_lines(&text, &lines);
}

#[test]
fn a_requirement_on_state_and_step_together_is_recorded_by_the_step() {
    let text = text(
        "shared x: bool; process P { action a { x = !x; } } property p: G F x under justice (x && taken(P.a));",
    );
    let lines = ["init(_step0) := FALSE;", "next(_step0) := (x & (next(act_P) != off));", "JUSTICE _step0;"];
    assert_lines(&text, &lines);
}

#[test]
fn a_fault_is_remembered_and_every_specification_denies_it() {
    let text = text(
        "shared x: 0..3; process P { action up { x = x + 1; } }
         invariant p: x <= 3; property q: F G x == 3 under weak P;",
    );
    let lines = [
        "next(fault) := (fault | broken);",
        "TRANS next(_acted1) | stuck | broken;",
        "JUSTICE (fault | ",
        "INVARSPEC NAME p := (!fault & (x <= 3));",
        "LTLSPEC NAME q := ((G !fault) & ",
    ];
    assert_lines(&text, &lines);
}

#[test]
fn under_fairness_the_quantifiers_of_ctl_are_bound_to_runs_that_do_not_go_out() {
    let model = "shared x: bool; process P { action a { x = !x; } }";
    let free = text(&format!("{model} property p: AG EF x;"));
    assert_lines(&free, &["CTLSPEC NAME p := (AG (EF x));"]);
    let fair = text(&format!("{model} property p: AG EF x under weak P;"));
    let lines = [
        "JUSTICE (out | ",
        "CTLSPEC NAME p := (!E [(TRUE & !out) U ((!E [(TRUE & !out) U (x & EG !out)]) & EG !out)]);",
    ];
    assert_lines(&fair, &lines);
}

#[test]
fn an_array_is_read_by_comparing_the_index() {
    let text = text(
        "shared f: array[1..2] of bool; shared k: 1..2; process P { action a when f[k] { f[k] = false; k = 1; } }
         invariant p: !f[1];",
    );
    assert_lines(&text, &["((k = 1) ? f_1 : f_2)", "(next(act_P) != off) : ((k = 1) ? FALSE : f_1);"]);
}

#[test]
fn names_that_nusmv_claims_are_changed_and_single_values_are_constants() {
    let text = text(
        "shared next: bool; shared one: 1..1; process P { action a { next = one == 1; } } invariant Y: !next;",
    );
    assert_lines(&text, &["next_ : boolean;", "one := 1;", "INVARSPEC NAME Y_ :="]);
    assert!(!text.contains("init(one)"), "{text}");
}

#[test]
fn properties_that_assume_different_things_are_not_put_into_one_file() {
    let refusal = refused(
        "shared x: bool; process P { action a { x = !x; } }
         invariant i: x || !x; property p: G F x under weak P; property q: G F x under none;",
    );
    assert!(refusal.reason.contains("`p` and `q` do not assume the same fairness"), "{refusal:?}");
    assert!(refusal.instead.contains("--property"), "{refusal:?}");
}

#[test]
fn what_smv_cannot_say_is_refused_by_name() {
    let process = "shared x: bool; process P[i: 1..2] { action a when x { x = false; } }";
    let cases = [
        ("shared n: int; process P { action a { n = n + 1; } } invariant p: n >= 0;", "`n`"),
        (&format!("{process} property p: G F x under global;"), "global"),
        (&format!("{process} property p: G F x under weak P | strong P;"), "alternatives"),
        (&format!("{process} property p: AF x under strong P[1].a;"), "`strong P[1].a`"),
        (&format!("shared t: 1..2; {process} property p: G F taken(P[t]);"), "`P[t]`"),
        (&format!("shared d: 0..1 = any; init 1 / d == 1; {process} invariant p: x;"), "`init`"),
    ];
    for (source, reason) in cases {
        let refusal = refused(source);
        assert!(refusal.reason.contains(reason), "{source}: {refusal:?}");
    }
}

#[test]
fn a_property_that_may_be_a_fault_by_itself_is_exported_alone() {
    let source = "shared d: 0..2; process P { action a { d = (d + 1) % 3; } } invariant p: d < 3; invariant q: 4 / d > 0;";
    let exported = export(source).expect("one of them can be said");
    let (name, refusal) = &exported.refused[0];
    assert_eq!(name, "q");
    assert_eq!(refusal.instead, "export it alone with `--property q`");
}

#[test]
fn what_would_grow_without_bound_is_refused_and_not_written() {
    let doubling = "x = (x + x) % 3; ".repeat(60);
    let refusal =
        refused(&format!("shared x: 0..2; process P {{ action a {{ {doubling} }} }} invariant p: x < 3;"));
    assert!(refusal.reason.contains("too much in one step"), "{refusal:?}");
    let nested = (0..12).fold("k".to_owned(), |index, _| format!("f[{index}]"));
    let refusal = refused(&format!(
        "shared k: 0..9; shared f: array[0..9] of 0..9; process P {{ action a {{ k = {nested}; }} }} invariant p: k < 9;"
    ));
    assert!(refusal.reason.contains("too long"), "{refusal:?}");
    // The maximum of many parts does not become too long.
    let many = text(
        "const N = 40; process P[i: 1..N] { local t: 0..N; action a { t = max(j in 1..N: P[j].t); } } invariant p: P[1].t < N;",
    );
    assert!(many.len() < 4_000_000, "{}", many.len());
}
