//! Expressions: each is an invariant of a small system, evaluated in its first state.

use model::property::Kind;

use crate::explore::{model, start};

/// The system that the expressions read.
const WORLD: &str = "
    const N = 3;
    const M = 2 * N + 1;
    const YES = !false;
    const LAST = blue;
    enum Colour { red, green, blue }
    shared x: 0..9 = 4;
    shared b: bool = true;
    shared c: Colour = green;
    shared f: array[1..N] of 0..9 = [3, 1, 2];
    shared g: array[0..1] of array[1..2] of bool;
    chan q: [2] of bool;
    process P[i: 1..N] { local y: -5..5 = i - 2; try: skip; crit: skip; }
    process Server { local load: 0..9 = 7; serve: skip; }
    define busy(j) = P[j]@crit;
    define total = sum(j in 1..N: f[j]);
    define twice(n) = n + n;
    define between(a, n, z) = a <= n && n <= z;
";

/// The truth of an expression in the first state of [`WORLD`].
fn holds(expr: &str) -> bool {
    let text = format!("{WORLD} invariant it: {expr};");
    let model = model(&text);
    let Kind::Invariant(predicate) = &model.checks[0].task.property.kind else { panic!("an invariant") };
    start(&text).holds(predicate)
}

#[test]
fn constants_and_arithmetic() {
    for expr in [
        "N == 3 && M == 7 && YES && LAST == blue",
        "7 / 2 == 3 && 7 % 2 == 1 && -7 / 2 == -4 && -7 % 2 == 1 && 7 / -2 == -3 && 7 % -2 == 1",
        "x + 2 * 3 - 1 == 9 && (x + 2) * 3 == 18 && -x == 0 - 4",
        "1 + 2 + 3 + x == 10",
        "min(x, 2, 3) == 2 && max(x, 9) == 9",
        "if b { x } else { 0 } == 4 && if !b { x } else { 0 } == 0",
    ] {
        assert!(holds(expr), "{expr}");
    }
}

#[test]
fn comparisons_and_membership() {
    for expr in [
        "x == 4 && x != 5 && x < 5 && x <= 4 && x > 3 && x >= 4",
        "c == green && c != red && b == true && (b <-> x == 4)",
        "x in 4..4 && !(x in 5..9) && x in {1, 4} && !(x in {1, 5})",
        "c in {green, blue} && !(c in {red}) && b in {true}",
        "x in x - 1..x + 1",
    ] {
        assert!(holds(expr), "{expr}");
    }
}

#[test]
fn connectives_stop_where_the_result_is_known() {
    for expr in [
        "!(x == 5 && 1 / (x - 4) == 0)",
        "x == 4 || 1 / (x - 4) == 0",
        "x == 5 -> 1 / (x - 4) == 0",
        "false -> true && false",
        "if x == 4 { true } else { 1 / (x - 4) == 0 }",
        "exists j in 1..3: j == 1 || 1 / (x - 4) == 0",
        "!(forall j in 1..3: j != 1 && 1 / (x - 4) == 0)",
    ] {
        assert!(holds(expr), "{expr}");
    }
}

#[test]
fn arrays_processes_and_locations() {
    for expr in [
        "f[1] == 3 && f[x - 1] == 2 && f[f[2]] == 3",
        "!g[0][1] && !g[x - 3][2]",
        "P[1].y == -1 && P[f[1]].y == 1 && Server.load == 7",
        "P[1]@try && !P[2]@crit && Server@serve && P[f[2]]@try",
        "len(q) == 0 && empty(q) && !full(q)",
    ] {
        assert!(holds(expr), "{expr}");
    }
}

#[test]
fn quantifiers() {
    for expr in [
        "forall j in 1..N: P[j]@try",
        "!(exists j in 1..N: P[j]@crit)",
        "count(j in 1..N: f[j] > 1) == 2",
        "sum(j in 1..N: f[j]) == 6 && sum(j in 2..1: f[j]) == 0",
        "min(j in 1..N: f[j]) == 1 && max(j in 1..N: P[j].y) == 1",
        "forall j in 1..N: forall k in j + 1..N: f[j] != f[k]",
        "(forall j in 2..1: false) && !(exists j in 2..1: true)",
        "forall j in 1..N: exists k in 1..N: f[k] == j",
    ] {
        assert!(holds(expr), "{expr}");
    }
}

#[test]
fn definitions_are_put_in_place_of_their_names() {
    for expr in [
        "total == 6 && twice(x) == 8 && twice(twice(1)) == 4",
        "between(1, x, 9) && !between(5, x, 9)",
        "forall j in 1..N: !busy(j)",
        "count(n in 1..N: between(2, f[n], 3)) == 2",
    ] {
        assert!(holds(expr), "{expr}");
    }
}

#[test]
fn an_argument_keeps_the_meaning_it_has_where_it_is_written() {
    let text = "shared x: 0..9 = 4; define some(p) = exists j in 1..3: p == j;
        process P[i: 1..2] { local y: 0..9 = 3; a: await some(y - i) && (forall j in 1..3: some(j)); b: await some(x); }";
    let mut walk = start(text);
    assert_eq!(walk.take("P[1].a"), "P[1]@b");
    assert_eq!(walk.take("P[2].a"), "P[2]@b");
    assert_eq!(walk.enabled(), ["idle"]);
}

#[test]
fn what_is_enabled_is_a_fact_about_a_state() {
    for expr in [
        "enabled(any) && !deadlock",
        "enabled(P[1].try) && enabled(P.try) && enabled(P[2]) && enabled(P)",
        "!enabled(P[1].crit) && !enabled(P.crit) && enabled(Server.serve)",
        "enabled(P[x - 3].try)",
    ] {
        assert!(holds(expr), "{expr}");
    }
}
