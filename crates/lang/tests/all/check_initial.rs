//! Initial states: values, sets, ranges, predicates and defaults.

use crate::explore::{initial, start};

#[test]
fn without_an_initial_value_there_is_a_default() {
    let text =
        "enum C { red, green } shared a: bool; shared b: 0..3; shared c: 2..3; shared d: C; shared e: int;
        shared f: -3..-1; shared g: array[1..2] of 1..2;";
    assert_eq!(initial(text), ["a = false b = 0 c = 2 d = red e = 0 f = -3 g[1] = 1 g[2] = 1"]);
}

#[test]
fn values_lists_and_sets() {
    assert_eq!(initial("shared a, b: 0..3 = 2;"), ["a = 2 b = 2"]);
    assert_eq!(initial("shared f: array[1..3] of 0..9 = [3, 1, 2];"), ["f[1] = 3 f[2] = 1 f[3] = 2"]);
    assert_eq!(initial("shared f: array[0..1] of bool = true;"), ["f[0] = true f[1] = true"]);
    assert_eq!(initial("shared a: 0..9 in {2, 7, 2};"), ["a = 2", "a = 7"]);
    assert_eq!(initial("shared a: 0..9 in 3..5;"), ["a = 3", "a = 4", "a = 5"]);
    assert_eq!(initial("shared a: bool = any;"), ["a = false", "a = true"]);
    let each = ["f[1] = 0 f[2] = 0", "f[1] = 0 f[2] = 2", "f[1] = 2 f[2] = 0", "f[1] = 2 f[2] = 2"];
    assert_eq!(initial("shared f: array[1..2] of 0..3 in {0, 2};"), each);
}

#[test]
fn a_local_may_begin_with_its_index() {
    let text = "process P[i: 1..2] { local y: 0..9 = 3 * i; local z: 0..9 in {i, 9}; }";
    assert_eq!(
        initial(text),
        [
            "P[1].y = 3 P[1].z = 1 P[2].y = 6 P[2].z = 2",
            "P[1].y = 3 P[1].z = 1 P[2].y = 6 P[2].z = 9",
            "P[1].y = 3 P[1].z = 9 P[2].y = 6 P[2].z = 2",
            "P[1].y = 3 P[1].z = 9 P[2].y = 6 P[2].z = 9",
        ]
    );
}

#[test]
fn a_range_that_depends_on_the_index_holds_for_each_process() {
    let text = "process P[i: 1..2] { local y: 0..3 in i..2; }";
    assert_eq!(initial(text), ["P[1].y = 1 P[2].y = 2", "P[1].y = 2 P[2].y = 2"]);
}

#[test]
fn a_long_range_is_not_listed() {
    let text = "shared f: array[1..2] of 0..100000 in 99998..100000; shared g: 0..100000 in 1..99999;
        init f[1] != 99999 && f[2] == f[1] && g == 7;";
    assert_eq!(initial(text), ["f[1] = 99998 f[2] = 99998 g = 7", "f[1] = 100000 f[2] = 100000 g = 7"]);
}

#[test]
fn init_predicates_restrict_the_initial_states() {
    let text = "const N = 2; shared x: 0..N = any; process P[i: 1..N] { local y: 0..N = any; a: skip; }
        init x > 0; init (forall i in 1..N: P[i].y == x) && P[1]@a;";
    assert_eq!(
        initial(text),
        ["x = 1 P[1]@a P[1].y = 1 P[2]@a P[2].y = 1", "x = 2 P[1]@a P[1].y = 2 P[2]@a P[2].y = 2"]
    );
}

#[test]
fn declarations_may_come_in_any_order() {
    let text = "property p: F P[K].y == LAST; process P[i: 1..N] { local y: Colour = FIRST; a: y = LAST; }
        const FIRST = red; const LAST = blue; define half = N / 2; const K = half; const N = K0 + 1; const K0 = 3;
        enum Colour { red, blue }";
    assert_eq!(start(text).take("P[4].a"), "P[4]@end P[4].y = blue");
}
