//! Whole arrays: lists, comprehensions and constant tables; compound assignment and assertions.

use model::Fault;

use crate::explore::{self, initial, start};
use crate::said::said;

#[test]
fn an_initial_value_may_depend_on_the_index() {
    assert_eq!(
        initial("const N = 3; shared a: array[0..N] of bool = [i: i == N || i < 1];"),
        ["a[0] = true a[1] = false a[2] = false a[3] = true"]
    );
    assert_eq!(
        initial("shared a: array[1..2] of array[3..4] of 0..9 = [i: [j: i * j]];"),
        ["a[1][3] = 3 a[1][4] = 4 a[2][3] = 6 a[2][4] = 8"]
    );
    assert_eq!(
        initial("shared a: array[1..2] of array[3..4] of 0..9 = [[1, 2], [j: j]];"),
        ["a[1][3] = 1 a[1][4] = 2 a[2][3] = 3 a[2][4] = 4"]
    );
    assert_eq!(
        initial("process P[i: 1..2] { local a: array[1..2] of 0..9 = [j: if i == j { 7 } else { i }]; }"),
        ["P[1].a[1] = 7 P[1].a[2] = 1 P[2].a[1] = 2 P[2].a[2] = 7"]
    );
}

#[test]
fn a_constant_table_is_indexed_from_one() {
    let mut walk = start(
        "const ring = [2, 3, 1]; const N = ring[2]; shared x: 1..N; process P { loop { a: x = ring[x]; } }",
    );
    assert_eq!(walk.here(), "x = 1 P@a");
    assert_eq!(walk.take("P.a"), "x = 2");
    assert_eq!(walk.take("P.a"), "x = 3");
    assert_eq!(walk.take("P.a"), "x = 1");
    let mut walk = start(
        "enum E { p, q } const t = [[p, q, q], [q, p, p]]; shared x: E; shared i: 1..2 = 2; shared j: 1..3;
         process P { a: x = t[i][j]; b: x = t[1][j]; }",
    );
    assert_eq!(walk.take("P.a"), "x = q P@b");
    assert_eq!(walk.take("P.b"), "x = p P@end");
}

#[test]
fn an_index_outside_a_table_is_a_fault_if_it_is_evaluated() {
    let text = "const t = [4, 5]; shared x: 0..9; shared i: 0..9; process P { a: i = 3; b: x = t[i]; }";
    let mut walk = start(text);
    walk.take("P.a");
    assert_eq!(walk.fault(), Fault::EmptyExtreme);
    let mut walk = start(&text.replace("b: x = t[i]", "b: x = if i in 1..2 { t[i] } else { 9 }"));
    walk.take("P.a");
    assert_eq!(walk.take("P.b"), "x = 9 P@end");
    assert_eq!(
        said("const t = [4, 5]; const N = t[3];"),
        ["«3» index 3 is outside the array `t` | the array `t` goes from 1 to 2"]
    );
}

#[test]
fn arrays_stand_where_arrays_fit() {
    assert_eq!(
        said("const t = [1, 2]; const u = t; shared x: bool; init [1, 2] == x; const N = [1, true];"),
        [
            "«t» `t` is an array: which element? | an array | help: write `t[…]`",
            "«[1, 2] == x» an array is compared with a truth value | never the same kind | «[1, 2]» an array | «x» a truth value",
            "«true» expected a number, found a truth value | this is a truth value",
        ]
    );
    assert_eq!(
        said("shared a: array[1..3] of 0..5 = [1, 2]; shared b: bool = [true]; const c = [j: j];"),
        [
            "«[1, 2]» the array has 3 elements, not 2 | 3 elements expected",
            "«[true]» a list of initial values is for an array | the type is not an array",
            "«[j: j]» `j` has no range here | which indices? | help: list the elements of a constant: `[3, 1, 2]`",
        ]
    );
    assert_eq!(
        said("shared a: array[1..3] of 0..5 = [j: j + 4];"),
        ["«j + 4» the initial value 6 is outside 0..5 | outside the type"]
    );
}

#[test]
fn compound_assignment_reads_and_writes_one_place() {
    let mut walk = start(
        "shared a: array[0..3] of 0..20 = [k: k + 5]; shared i: 0..3 = 2;
         process P { a: a[i] += 3; b: a[i] -= 2 - 1; c: a[1] *= 2; d: a[1] /= 5; e: a[3] %= 3; }",
    );
    assert_eq!(walk.take("P.a"), "a[2] = 10 P@b");
    assert_eq!(walk.take("P.b"), "a[2] = 9 P@c");
    assert_eq!(walk.take("P.c"), "a[1] = 12 P@d");
    assert_eq!(walk.take("P.d"), "a[1] = 2 P@e");
    assert_eq!(walk.take("P.e"), "a[3] = 2 P@end");
    assert_eq!(
        said("shared n: 0..3; process P { n, n += 1, 2; }"),
        ["«+=» `+=` has one variable on its left | use `=` for several at once"]
    );
    assert_eq!(
        said("shared x: bool; shared n: 0..3;\nprocess P { x += 1;\n n += true; }"),
        [
            "«x» expected a number, found a truth value | this is a truth value",
            "«true» expected a number, found a truth value | this is a truth value",
        ]
    );
}

#[test]
fn an_assertion_that_is_false_is_a_fault_with_its_text() {
    let mut walk = start(
        "shared x: 0..3; process P { a: assert x == 0 \"x is zero\"; b: atomic { x = 2; assert x < 2; } }",
    );
    assert_eq!(walk.take("P.a"), "P@b");
    assert_eq!(walk.fault(), Fault::Asserted("`x < 2`".to_owned()));
    assert_eq!(walk.fault().to_string(), "the assertion `x < 2` is false");
    let walk = start("shared x: 0..3; process P { a: when x == 0 { assert x > 0 \"never\"; } }");
    assert_eq!(walk.fault().to_string(), "the assertion \"never\" is false");
}

#[test]
fn leads_to_is_always_then_finally() {
    let formula = |text: &str| {
        let text = format!("shared x, y: bool; process P {{ skip; }} property p: {text};");
        explore::model(&text).checks[0].task.property.kind.clone()
    };
    assert_eq!(formula("x ~> y"), formula("G (x -> F y)"));
    assert_eq!(formula("x && y ~> !y"), formula("G (x && y -> F !y)"));
    assert_eq!(
        said("shared x: bool; process P { await x ~> x; } property p: AG (x ~> x);"),
        [
            "«x ~> x» `~>` is about runs, but a guard is about one state | a temporal operator | help: temporal operators are allowed in properties",
            "«AG (x ~> x)» a property is LTL or CTL, not both | a path quantifier: CTL | «x ~> x» without a path quantifier: LTL",
        ]
    );
}

#[test]
fn a_table_may_be_indexed_by_an_enum() {
    let mut walk = start(
        "enum Node { ann, bob, cid } const next = [bob, cid, ann]; const cost = [[1, 2, 3], [4, 5, 6], [7, 8, 9]];
         shared at: Node; shared k: 0..9; define after(t, n) = t[t[n]];
         process P { loop { go: at = after(next, next[at]); on: at = next[at]; pay: k = cost[at][next[at]]; fix: k = cost[2][cid]; } }",
    );
    assert_eq!(walk.take("P.go"), "P@on");
    assert_eq!(walk.take("P.on"), "at = bob P@pay");
    assert_eq!(walk.take("P.pay"), "k = 6 P@fix");
    assert_eq!(walk.take("P.fix"), "P@go");
    assert_eq!(
        said("enum Node { ann, bob, cid } const two = [1, 2]; init two[ann] == 1; init two[true] == 1;"),
        [
            "«ann» `two` has 2 elements, but `Node` has 3 members | a member of `Node`",
            "«true» expected a number, found a truth value | this is a truth value",
        ]
    );
}

#[test]
fn a_constant_with_parts_is_told_to_be_a_definition() {
    assert_eq!(
        said(
            "enum N { ann } record R { a: bool } const S = {ann}; const T = R { a: true }; const U = [{ann}, {}];"
        ),
        [
            "«{ann}» a constant is one value or a table of single values | this is a set | help: write `define S = …;`",
            "«R { a: true }» a constant is one value or a table of single values | this is a `R` | help: write `define T = …;`",
            "«{ann}» a constant is one value or a table of single values | this is a set | help: write `define U = …;`",
        ]
    );
    assert_eq!(
        said("define S = {1, 3}; shared x: 0..3; process P { e: x = 1; } invariant i: x in S;"),
        [""; 0]
    );
}

#[test]
fn elements_that_leave_the_range_get_one_message() {
    assert_eq!(
        said("shared b: array[1..3] of 0..2; process P { a: b = [k: k + 2]; }"),
        ["«k + 2» `b` would become 3, outside its range | `b` goes from 0 to 2"]
    );
}
