//! Messages about names: unknown, taken, and of the wrong kind.
//!
//! One mistake gets one message. The underlined text is in guillemets.

use crate::said::said;

#[test]
fn an_unknown_name_gets_a_suggestion_from_what_would_fit() {
    assert_eq!(
        said("shared turn: bool; invariant a: trun;"),
        ["«trun» unknown name `trun` | not declared | help: did you mean `turn`?"]
    );
    assert_eq!(
        said("shared turn: bool; invariant a: other;"),
        ["«other» unknown name `other` | not declared"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: P[1]@ctri;"),
        ["«ctri» `P` has no label `ctri` | not a label | help: did you mean `crit`?"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: P[1].yy == 0;"),
        ["«yy» `P` has no local variable `yy` | not declared there"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } process Q { a: await y == 0; }"),
        ["«y» unknown name `y` | not declared | help: `y` is a local variable of `P`, read as `P[…].y`"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: PP[1]@try;"),
        ["«PP» unknown name `PP` | not declared"]
    );
    assert_eq!(said("shared x: Colour;"), ["«Colour» unknown type `Colour` | not declared"]);
    assert_eq!(
        said("enum Colour { red } shared x: Color;"),
        ["«Color» unknown type `Color` | not declared | help: did you mean `Colour`?"]
    );
    assert_eq!(
        said("define twice(n) = n + n; invariant a: twcie(1) == 2;"),
        ["«twcie» unknown definition `twcie` | not declared | help: did you mean `twice`?"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } process Q { a: skip; goto b; }"),
        ["«b» `Q` has no label `b` to go to | not a label"]
    );
    assert_eq!(
        said(
            "process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } process Q { again: skip; goto agian; }"
        ),
        ["«agian» `Q` has no label `agian` to go to | not a label | help: did you mean `again`?"]
    );
    assert_eq!(
        said(
            "process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } fairness f: weak Q; property p: F P[1]@crit under f;"
        ),
        ["«Q» there is no process `Q` | not a process"]
    );
    assert_eq!(
        said(
            "process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } property p: F P[1]@crit under weak P.tyr;"
        ),
        ["«tyr» `P` has no action `tyr` | not an action | help: did you mean `try`?"]
    );
    assert_eq!(
        said(
            "process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } fairness fair: weak P; property p: F P[1]@crit under fiar;"
        ),
        ["«fiar» there is no fairness `fiar` | not declared | help: did you mean `fair`?"]
    );
}

#[test]
fn a_name_that_means_something_elsewhere_is_explained() {
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: y == 0;"),
        ["«y» unknown name `y` | not declared | help: `y` is a local variable of `P`, read as `P[…].y`"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: crit;"),
        ["«crit» unknown name `crit` | not declared | help: `crit` is a label of `P`, read as `P[…]@crit`"]
    );
    assert_eq!(
        said("process S { local y: bool; a: skip; } invariant b: y;"),
        ["«y» unknown name `y` | not declared | help: `y` is a local variable of `S`, read as `S.y`"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: P[1].try;"),
        [
            "«try» `P` has no local variable `try` | not declared there | help: `try` is a label, read as `P[1]@try`"
        ]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: P[1]@y;"),
        ["«y» `P` has no label `y` | not a label | help: `y` is a local variable, read as `P[1].y`"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } property p: F P[1]@crit under P;"),
        ["«P» there is no fairness `P` | not declared | help: `weak P` is weak fairness of `P`"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..i; }"),
        [
            "«i» unknown name `i` | not declared | help: a type is the same for all processes and may not mention the index"
        ]
    );
    assert_eq!(
        said("process P { action go { skip; } } invariant a: P@go;"),
        ["«go» `go` is an action of `P`, not a location | not a location"]
    );
    assert_eq!(
        said("process P { action go { skip; } a: skip; } invariant b: P@go;"),
        ["«go» `go` is an action of `P`, not a location | not a location"]
    );
}

#[test]
fn nothing_is_declared_twice_and_nothing_is_shadowed() {
    assert_eq!(
        said("const N = 3; shared N: bool;"),
        ["«N» the name `N` is taken | declared again | «N» first declared here"]
    );
    assert_eq!(
        said("enum C { red, blue } enum D { red }"),
        ["«red» the name `red` is taken | declared again | «red» first declared here"]
    );
    assert_eq!(
        said("shared x: bool; process P { local x: bool; a: x = true; }"),
        ["«x» the name `x` is taken | declared again | «x» first declared here"]
    );
    assert_eq!(
        said("process P { local x, x: bool; }"),
        ["«x» the name `x` is taken | declared again | «x» first declared here"]
    );
    assert_eq!(
        said("process P[i: 1..2] { local i: bool; }"),
        ["«i» the name `i` is taken | declared again | «i» first declared here"]
    );
    assert_eq!(
        said("const N = 2; process P[N: 1..2] { a: skip; }"),
        ["«N» the name `N` is taken | declared again | «N» first declared here"]
    );
    assert_eq!(
        said("shared j: 0..3; invariant a: forall j in 1..2: j > 0;"),
        ["«j» the name `j` is taken | declared again | «j» first declared here"]
    );
    assert_eq!(
        said("process P[i: 1..2] { a: await exists i in 1..2: i == 1; }"),
        ["«i» the name `i` is taken | declared again | «i» first declared here"]
    );
    assert_eq!(
        said("process P { local v: 0..3; a: choose v in 0..3 { skip; } }"),
        ["«v» the name `v` is taken | declared again | «v» first declared here"]
    );
    assert_eq!(
        said("process P[i: 1..2] { action a(i: 1..2) { skip; } }"),
        ["«i» the name `i` is taken | declared again | «i» first declared here"]
    );
    assert_eq!(
        said("shared n: 0..3; define d(n) = n + 1;"),
        ["«n» the name `n` is taken | declared again | «n» first declared here"]
    );
    assert_eq!(
        said("shared x: bool; property p: F x; invariant p: x;"),
        ["«p» the name `p` is taken | declared again | «p» first declared here"]
    );
    assert_eq!(
        said(
            "shared x: bool; process P { a: skip; } fairness f: weak P; fairness f: weak P; property p: F x under f;"
        ),
        ["«f» the name `f` is taken | declared again | «f» first declared here"]
    );
    assert_eq!(
        said("process P { a: skip; b: skip; a: skip; }"),
        ["«a» label `a` is taken | declared again | «a» first declared here"]
    );
    assert_eq!(
        said("process P { action a { skip; } a: skip; }"),
        ["«a» label `a` is taken | declared again | «a» first declared here"]
    );
}

#[test]
fn labels_properties_and_fairness_are_named_apart() {
    assert_eq!(
        said(
            "shared mutex: bool; process P { mutex: mutex = true; } fairness P: weak P; invariant mutex: mutex; property P: F mutex under P;"
        ),
        [""; 0]
    );
}

#[test]
fn a_process_a_channel_and_a_type_are_not_values() {
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: P;"),
        [
            "«P» `P` is a family of processes, not a value | a family of processes | help: its locals are read with `.`, its locations with `@`"
        ]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: P[1];"),
        [
            "«P[1]» `P[1]` is a process, not a value | a process | help: its locals are read with `.`, its locations with `@`"
        ]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: P[1] == P[2];"),
        [
            "«P[1]» `P[1]` is a process, not a value | a process | help: its locals are read with `.`, its locations with `@`",
            "«P[2]» `P[2]` is a process, not a value | a process | help: its locals are read with `.`, its locations with `@`"
        ]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: P@try;"),
        ["«P» `P` is a family: of which process? | a family | help: write `P[…]@try`"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: P.y == 0;"),
        ["«P» `P` is a family: of which process? | a family | help: write `P[…].y`"]
    );
    assert_eq!(
        said("process S { a: skip; } invariant b: S[1]@a;"),
        ["«S[1]» `S` is a single process | has no index"]
    );
    assert_eq!(
        said("shared x: bool; invariant a: x@try;"),
        ["«x» `x` is not a process | `@` needs a process before it"]
    );
    assert_eq!(
        said("shared x: bool; invariant a: x.y;"),
        ["«x» `x` is neither a process nor a record | `.` needs a process or a record before it"]
    );
    assert_eq!(
        said("chan c: [1] of bool; invariant a: c;"),
        [
            "«c» `c` is a channel, not a value | a channel | help: `len(c)`, `empty(c)` and `full(c)` are about a channel"
        ]
    );
    assert_eq!(said("enum C { red } invariant a: C == red;"), ["«C» `C` is a type, not a value | a type"]);
    assert_eq!(said("const N = 1; shared x: N;"), ["«N» `N` is not a type | not a type | «N» declared here"]);
}

#[test]
fn definitions_take_the_arguments_they_were_given_parameters_for() {
    assert_eq!(
        said("define d(a, b) = a + b; invariant x: d(1) == 1;"),
        ["«d(1)» `d` takes 2 arguments, not 1 | wrong number of arguments | «d» defined here"]
    );
    assert_eq!(
        said("define d(a) = a; invariant x: d == 1;"),
        ["«d» `d` takes 1 argument, not 0 | wrong number of arguments | «d» defined here"]
    );
    assert_eq!(
        said("shared s: bool; invariant x: s(1);"),
        ["«s» `s` takes no arguments | not a definition | «s» declared here"]
    );
    assert_eq!(
        said("const k = 1; invariant x: k(1) == 1;"),
        ["«k(1)» constant `k` takes no arguments | a constant | «k» declared here"]
    );
    assert_eq!(
        said("invariant x: forall j in 1..2: j(1) == 1;"),
        ["«j» `j` takes no arguments | not a definition"]
    );
}

#[test]
fn what_is_defined_by_itself_means_nothing() {
    assert_eq!(
        said("define a = b; define b = c + 1; define c = a; invariant x: a == 1;"),
        [
            "«a» definition `a` is defined in terms of itself | needs its own value | «b» through this | «c» through this"
        ]
    );
    assert_eq!(
        said("const n = n + 1; shared x: 0..n;"),
        ["«n» constant `n` is defined in terms of itself | needs its own value"]
    );
    assert_eq!(
        said("const n = m; define m = n; shared x: 0..n;"),
        ["«n» constant `n` is defined in terms of itself | needs its own value | «m» through this"]
    );
    assert_eq!(
        said("process P { a: skip; } fairness f: g & weak P; fairness g: f; property p: F P@end under g;"),
        ["«f» fairness `f` is defined in terms of itself | needs its own meaning"]
    );
}

#[test]
fn an_error_in_a_definition_is_reported_once_however_often_it_is_used() {
    assert_eq!(
        said("define bad = zork + 1; invariant a: bad == 1; invariant b: bad == 2 && bad == 3;"),
        ["«zork» unknown name `zork` | not declared"]
    );
    assert_eq!(
        said("define add(a, b) = a + b; invariant x: add(1, true) == 2;"),
        ["«b» expected a number, found a truth value | this is a truth value | «add(1, true)» used here"]
    );
    assert_eq!(
        said("shared x: bool; define unused(a) = a && x && 3;"),
        ["«3» expected a truth value, found a number | this is a number"]
    );
}

#[test]
fn a_definition_that_is_called_like_an_operator_gets_one_message() {
    let text = "define G(x) = x > 0;\nshared v: 0..3;\nprocess P { e: skip; }\ninvariant i: G(v) && v < 4;\nproperty p: F G(v);";
    assert_eq!(said(text), ["«G» `G` is a reserved word | expected a name | help: choose another name"]);
    let text = "define max(a, b, c) = a;\nshared v: 0..3;\nprocess P { e: skip; }\ninvariant i: max(v, 1, true) == 1;";
    assert_eq!(said(text), ["«max» `max` is a reserved word | expected a name | help: choose another name"]);
}

#[test]
fn events_and_truth_values_are_suggested() {
    assert_eq!(
        said(
            "event barrier; process P { b: sync barrier; } process Q { b: sync barrier; }
             property p: F taken(barier); property q: F flase;"
        ),
        [
            "«barier» there is no process `barier` | not a process | help: did you mean `barrier`?",
            "«flase» unknown name `flase` | not declared | help: did you mean `false`?",
        ]
    );
}
