//! Messages about events, fairness and properties.
//!
//! One mistake gets one message. The underlined text is in guillemets.

use crate::said::said;

#[test]
fn events_name_actions_that_exist() {
    assert_eq!(
        said("shared x: bool; property p: F taken(Q);"),
        ["«Q» there is no process `Q` | not a process"]
    );
    assert_eq!(
        said("shared x: bool; property p: F taken(x);"),
        ["«x» there is no process `x` | not a process | «x» declared here"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } property p: F taken(P.tyr);"),
        ["«tyr» `P` has no action `tyr` | not an action | help: did you mean `try`?"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } property p: F taken(P[4].try);"),
        ["«4» index 4 is outside the family `P` | the family `P` goes from 1 to 3"]
    );
    assert_eq!(
        said(
            "process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } property p: F taken(P[true].try);"
        ),
        ["«true» expected a number, found a truth value | this is a truth value"]
    );
    assert_eq!(
        said("process S { a: skip; } property p: F taken(S[1].a);"),
        ["«1» `S` is a single process | has no index"]
    );
    assert_eq!(
        said("process P { l: loop { a: skip; } } property p: F taken(P.l);"),
        ["«l» `l` of `P` takes no step | names a place, not an action | «l» declared here"]
    );
    assert_eq!(
        said("process P { a: skip; b: halt; } property p: F enabled(P.b);"),
        ["«b» `b` of `P` takes no step | names a place, not an action | «b» declared here"]
    );
    assert_eq!(
        said("process P { action m(r: 1..3) { skip; } } property p: F taken(P.m(1, 2));"),
        ["«1, 2» action `P.m` takes 1 argument, not 2 | wrong number of arguments"]
    );
    assert_eq!(
        said("process P { action m(r: 1..3) { skip; } } property p: F taken(P.m(4));"),
        ["«4» action `m` has no such argument | it goes from 1 to 3"]
    );
    assert_eq!(
        said("process P { action m(r: 1..3) { skip; } } property p: F taken(P.m(true));"),
        ["«true» expected a number, found a truth value | this is a truth value"]
    );
    assert_eq!(
        said("process P { a: skip; } property p: F taken(P.a(1));"),
        ["«1» action `P.a` takes 0 arguments, not 1 | wrong number of arguments"]
    );
    assert_eq!(
        said("process P { a: skip; } property p: F taken(P(1));"),
        ["«1» arguments belong to an action | no label is named"]
    );
    assert_eq!(
        said("process P { a: skip; } process Q { b: skip; } property p: F taken(P+Q);"),
        ["«P+Q» these processes never act together | no action involves all of these"]
    );
    assert_eq!(
        said("process P { a: skip; } process Q { b: skip; } property p: F P@end under weak P.a+Q.b;"),
        ["«P.a+Q.b» these processes never act together | no action involves all of these"]
    );
}

#[test]
fn taken_is_about_steps_and_enabled_observes() {
    assert_eq!(
        said("process P { a: skip; } invariant i: taken(P.a);"),
        [
            "«taken(P.a)» `taken` is about a step, but an invariant is about a state | not known in a state | help: `enabled(…)` is a fact about a state"
        ]
    );
    assert_eq!(
        said("process P { a: skip; } property p: AG taken(P.a);"),
        [
            "«taken(P.a)» `taken` is about a step, but a CTL formula is about a state | not known in a state | help: `enabled(…)` is a fact about a state"
        ]
    );
    assert_eq!(
        said("process P { a: await taken(P.a); }"),
        [
            "«taken(P.a)» `taken` is about a step, but a guard is about a state | not known in a state | help: events are allowed in LTL properties and in fairness"
        ]
    );
    assert_eq!(
        said("process P { a: await enabled(P.a); }"),
        [
            "«enabled(P.a)» `enabled` observes the system, and a guard is part of it | depends on the guards of actions | help: events are allowed in properties and in fairness"
        ]
    );
    assert_eq!(
        said("process P { a: await deadlock; }"),
        [
            "«deadlock» `deadlock` observes the system, and a guard is part of it | depends on the guards of actions | help: events are allowed in properties and in fairness"
        ]
    );
    assert_eq!(
        said("process P { a: skip; } init enabled(P.a);"),
        [
            "«enabled(P.a)» `enabled` observes the system, and an `init` predicate is part of it | depends on the guards of actions | help: events are allowed in properties and in fairness"
        ]
    );
    assert_eq!(
        said("process P { a: skip; } const c = enabled(P.a);"),
        [
            "«enabled(P.a)» `enabled` observes the system, and a constant is part of it | depends on the guards of actions | help: events are allowed in properties and in fairness"
        ]
    );
}

#[test]
fn temporal_operators_stand_in_properties() {
    assert_eq!(
        said("shared x: bool; invariant i: G x;"),
        [
            "«G x» `G` is about runs, but an invariant is about one state | a temporal operator | help: temporal operators are allowed in properties"
        ]
    );
    assert_eq!(
        said("shared x: bool; process P { a: await F x; }"),
        [
            "«F x» `F` is about runs, but a guard is about one state | a temporal operator | help: temporal operators are allowed in properties"
        ]
    );
    assert_eq!(
        said("shared x: bool; init x U x;"),
        [
            "«x U x» `U` is about runs, but an `init` predicate is about one state | a temporal operator | help: temporal operators are allowed in properties"
        ]
    );
    assert_eq!(
        said("shared x: bool; property p: count(j in 1..2: F x) == 1;"),
        [
            "«F x» `F` is about runs, but a state predicate is about one state | a temporal operator | help: temporal operators are allowed in properties"
        ]
    );
    assert_eq!(said("shared x: bool; property p: G (F x == true);"), [""; 0]);
    assert_eq!(
        said("shared x: bool; property p: if x { F x } else { x };"),
        [
            "«F x» `F` is about runs, but a state predicate is about one state | a temporal operator | help: temporal operators are allowed in properties"
        ]
    );
    assert_eq!(
        said("shared x: bool; process P { a: skip; } property p: F x under justice (G x);"),
        [
            "«G x» `G` is about runs, but a fairness requirement is about one state | a temporal operator | help: temporal operators are allowed in properties"
        ]
    );
    assert_eq!(
        said("shared x: bool; define d = A[x U x]; process P { a: await d; }"),
        [
            "«A[x U x]» `A[… U …]` is about runs, but a guard is about one state | a temporal operator | «d» used here | help: temporal operators are allowed in properties"
        ]
    );
}

#[test]
fn a_property_is_of_one_logic() {
    assert_eq!(
        said("shared x: bool; property p: AG x && F x;"),
        [
            "«AG x» a property is LTL or CTL, not both | a path quantifier: CTL | «F x» without a path quantifier: LTL"
        ]
    );
    assert_eq!(
        said("shared x: bool; property p: AG (x -> F x);"),
        [
            "«AG (x -> F x)» a property is LTL or CTL, not both | a path quantifier: CTL | «F x» without a path quantifier: LTL"
        ]
    );
    assert_eq!(
        said("shared x: bool; define live = F x; property p: AG live;"),
        [
            "«AG live» a property is LTL or CTL, not both | a path quantifier: CTL | «live» without a path quantifier: LTL"
        ]
    );
    assert_eq!(
        said("shared x: bool; define live(q) = F q; property p: live(EF x);"),
        [
            "«EF x» a property is LTL or CTL, not both | a path quantifier: CTL | «live(EF x)» without a path quantifier: LTL"
        ]
    );
}

#[test]
fn a_property_is_true_or_false() {
    assert_eq!(
        said("shared x: 0..3; property p: x;"),
        ["«x» expected a truth value, found a number | this is a number"]
    );
    assert_eq!(
        said("shared x: 0..3; property p: G x;"),
        ["«x» expected a truth value, found a number | this is a number"]
    );
    assert_eq!(
        said("shared x: 0..3; property p: x U x == 1;"),
        ["«x» expected a truth value, found a number | this is a number"]
    );
}

#[test]
fn fairness_is_about_something_that_exists() {
    assert_eq!(
        said("shared x: bool; property p: F x under weak Q;"),
        ["«Q» there is no process `Q` | not a process"]
    );
    assert_eq!(
        said("shared x: bool; property p: F x under fair;"),
        ["«fair» there is no fairness `fair` | not declared"]
    );
    assert_eq!(
        said("shared x: bool; property p: F x under justice (1);"),
        ["«1» expected a truth value, found a number | this is a number"]
    );
    assert_eq!(
        said("shared x: bool; property p: F x under compassion (x, 1);"),
        ["«1» expected a truth value, found a number | this is a number"]
    );
    assert_eq!(
        said(
            "process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } shared x: 1..3; property p: F x == 1 under weak P[x];"
        ),
        [
            "«x» the process of a fairness word may not depend on the state | a variable has its value in a state | help: only constants, parameters and indices have the same value in every state"
        ]
    );
    assert_eq!(
        said(
            "process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } shared x: 1..3; property p: F x == 1 under for j in 1..x: weak P[j];"
        ),
        [
            "«x» a range may not depend on the state | a variable has its value in a state | help: only constants, parameters and indices have the same value in every state"
        ]
    );
}

#[test]
fn the_alternatives_of_an_assumption_are_limited() {
    assert_eq!(
        said(
            "process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } property p: F P[1]@crit under for j in 1..3: (weak P[j] | strong P[j] | unconditional P[j] | global | none);"
        ),
        [
            "«for j in 1..3: (weak P[j] | strong P[j] | unconditional P[j] | global | none)» this assumption has more than 64 alternatives | `|` under `&` or `for` multiplies"
        ]
    );
    assert_eq!(
        said(
            "process P { a: skip; } fairness f: weak P | strong P; fairness g: f & f & f; property p: F P@end under g & g & f;"
        ),
        ["«g & g & f» this assumption has more than 64 alternatives | `|` under `&` or `for` multiplies"]
    );
}

#[test]
fn unused_fairness_is_worth_a_warning() {
    assert_eq!(
        said(
            "shared x: bool; process P { a: skip; } fairness f: weak P; fairness g: f; property p: F x under g;"
        ),
        [""; 0]
    );
    assert_eq!(
        said("shared x: bool; process P { a: skip; } fairness f: weak P; property p: F x;"),
        [
            "warning: «f» fairness `f` is never used | no property is under it | help: write `under f` at a property, or declare it without a name to apply it to all"
        ]
    );
}
