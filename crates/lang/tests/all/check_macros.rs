//! Statements that stand for others: `for`, macros, `let`, and assignments of whole arrays.

use crate::explore::start;
use crate::said::said;

#[test]
fn for_does_its_block_with_every_value() {
    let mut walk = start(
        "const N = 3; shared a: array[1..N] of 0..9; shared s: 0..20;
         process P { a: atomic { for j in 1..N { a[j] = j * j; s += a[j]; } } b: atomic { for j in 3..2 { s = 0; } } }",
    );
    assert_eq!(walk.take("P.a"), "a[1] = 1 a[2] = 4 a[3] = 9 s = 14 P@b");
    assert_eq!(walk.take("P.b"), "P@end");
}

#[test]
fn the_range_of_a_for_may_depend_on_the_process() {
    let mut walk = start(
        "shared s: 0..20; process P[i: 1..3] { a: atomic { for j in i..3 { s += j; } for k in 1..i - 1 { s += 1; } } }",
    );
    assert_eq!(walk.take("P[2].a"), "s = 6 P[2]@end");
    assert_eq!(walk.take("P[3].a"), "s = 11 P[3]@end");
}

#[test]
fn a_for_is_bounded_and_stands_in_a_step() {
    assert_eq!(
        said("shared s: 0..20; process P { a: atomic { for j in 1..1000000 { s = 0; } } }"),
        ["«1..1000000» a `for` that repeats 1000000 times is too long | at most 10000 times"]
    );
    assert_eq!(
        said("param N >= 2; shared s: 0..2; process P { a: atomic { for j in 1..N { s = 0; } } }"),
        [
            "«1..N» how often a `for` repeats must be known | depends on a parameter | help: give the parameter a value with `--set`"
        ]
    );
    assert_eq!(
        said("shared s: 0..20; process P { for j in 1..3 { s = 0; } let v = s; skip; }"),
        [
            "«for j in 1..3 { s = 0; }» `for` stands only inside a step | not a step of its own | help: put it in `atomic { … }`, with what belongs to it",
            "«let v = s;» `let` stands only inside a step | not a step of its own | help: put it in `atomic { … }`, with what belongs to it",
        ]
    );
    assert_eq!(
        said("shared s: 0..20; process P { a: atomic { for j in 1..s { s = 0; } } }"),
        [
            "«s» a range may not depend on the state | a variable has its value in a state | help: only constants, parameters and indices have the same value in every state"
        ]
    );
    assert_eq!(
        said("process P { a: atomic { for j in 1..2 { goto a; } } }"),
        ["«goto a;» `goto` may stand only at the end of a block that is one step | more of the step follows"]
    );
}

#[test]
fn whole_arrays_are_assigned_at_once() {
    let mut walk = start(
        "const t = [7, 8]; shared a: array[1..2] of 0..9 = [1, 2]; shared b: array[0..1] of 0..9 = [3, 4];
         shared g: array[1..2] of array[1..2] of 0..9;
         process P { a: a, b = b, a; b: a = [j: a[3 - j]]; c: g[2] = a; d: b = t; e: g = [[1, 2], g[2]]; }",
    );
    assert_eq!(walk.take("P.a"), "a[1] = 3 a[2] = 4 b[0] = 1 b[1] = 2 P@b");
    assert_eq!(walk.take("P.b"), "a[1] = 4 a[2] = 3 P@c");
    assert_eq!(walk.take("P.c"), "g[2][1] = 4 g[2][2] = 3 P@d");
    assert_eq!(walk.take("P.d"), "b[0] = 7 b[1] = 8 P@e");
    assert_eq!(walk.take("P.e"), "g[1][1] = 1 g[1][2] = 2 P@end");
    assert_eq!(
        said(
            "shared a: array[1..2] of 0..9; shared b: array[1..3] of 0..9; shared c: array[1..2] of bool; shared x: 0..9;
             process P { a = b; a = c; a = x; x = [1, 2]; a, a[1] = [1, 2], 3; }"
        ),
        [
            "«b» `b` has another number of elements | expected an array [1..2]",
            "«c» expected a number, found a truth value | this is a truth value",
            "«x» `x` is one value, not an array | expected an array [1..2]",
            "«[1, 2]» an array stands where one value is needed | an array | help: an array may be a constant, an initial value, or assigned to an array",
            "«a[1]» `a[1]` is assigned twice at once | assigned before",
        ]
    );
}

#[test]
fn let_names_the_value_of_its_moment() {
    let mut walk = start(
        "shared x, y: 0..9 = 2; shared b: bool;
         process P { a: atomic { let v = x + 1; x = v; y = v + x; let w = x == 3; x = 0; b = w; } b: atomic { let v = y; y = v; } }",
    );
    assert_eq!(walk.take("P.a"), "x = 0 y = 6 b = true P@b");
    assert_eq!(walk.take("P.b"), "P@end");
    let walk =
        start("shared x: 0..9 = 2; process P { a: atomic { let v = x; x += 1; await v == 2 && x == 3; } }");
    assert_eq!(walk.outcomes("P.a"), ["x = 3 P@end"]);
}

#[test]
fn let_receives_without_a_variable() {
    let mut walk = start(
        "enum K { ping, pong } chan c: [2] of K, 0..3; shared x: 0..9; shared last: K;
         process P { a: c!pong, 2; b: atomic { let k, n = c?; x = n; last = k; c!ping, n + 1; } c: atomic { let _, m = c?; x += m; } }",
    );
    walk.take("P.a");
    assert_eq!(walk.take("P.b"), "x = 2 last = pong c = [ping,3] P@c");
    assert_eq!(walk.reachable(), 2);
}

#[test]
fn let_is_about_one_value_of_the_state() {
    assert_eq!(
        said("shared x: 0..3; process P { a: atomic { let v = x; for j in 0..v { x = j; } } }"),
        [
            "«v» a range may not depend on the state | this name has its value in a state | help: only constants, parameters and indices have the same value in every state"
        ]
    );
    assert_eq!(
        said("shared n: int; process P { a: atomic { let v = n; n = n + 1; await v > 0; } }"),
        [
            "«n» this value has no known range, and something it depends on changes in the step | cannot be remembered | help: assign it to a variable"
        ]
    );
    assert_eq!(
        said("shared n: int; process P { a: atomic { let v = n; await v > 0; v = 3; } }"),
        ["«v» `v` cannot be assigned | not a variable"]
    );
    assert_eq!(
        said(
            "param N >= 2; chan c: [0] of bool; process P[i: 1..N] { a: atomic { let v = c?; } } process Q { c!true; }"
        ),
        [
            "«c» a rendezvous is received into variables if a parameter is open | the channel has capacity 0 | help: write `c?x;`"
        ]
    );
    assert_eq!(
        said("shared n: 0..3; process P { atomic { let v, w = n; } }"),
        [
            "«n;» `let` gives a name to one value | one value | help: write one `let` for each name; `let a, _ = c?;` receives"
        ]
    );
}

#[test]
fn a_macro_stands_for_its_block() {
    let mut walk = start(
        "shared fork: array[1..2] of bool = [true, true]; shared log: 0..99; chan c: [2] of 0..9;
         macro take(f) { await f; f = false; }
         macro note(number, what) { number = number * 10 + what; }
         macro both(a, b) { take(a); take(b); note(log, 1); }
         macro tell(to) { to!log; }
         process P[i: 1..2] { local n: 0..99; loop { get: both(fork[i], fork[3 - i]); own: note(n, i); out: tell(c); put: fork = [j: true]; } }",
    );
    assert_eq!(walk.take("P[2].get"), "fork[1] = false fork[2] = false log = 1 P[2]@own");
    assert_eq!(walk.enabled(), ["P[2].own"]);
    assert_eq!(walk.take("P[2].own"), "P[2]@out P[2].n = 2");
    assert_eq!(walk.take("P[2].out"), "c = [1] P[2]@put");
}

#[test]
fn a_macro_sees_its_parameters_and_the_file() {
    assert_eq!(
        said(
            "shared x: 0..3; macro m(a) { a = y; goto l; } macro once(a, b) { a = b; }
             process P { local y: 0..3; l: m(y); once(x); once(3, x); other(1); P(2); once(m, x); }"
        ),
        [
            "«y» unknown name `y` | not declared | help: `y` is a local variable of `P`, read as `P.y`",
            "«goto l;» a macro cannot jump, because labels belong to a process | in a macro",
            "«a» `a` cannot be assigned | not a variable | «once(3, x);» used here",
            "«once(x);» macro `once` has 2 parameters, not 1 | 2 parameters expected",
            "«other» unknown macro `other` | not declared",
            "«P» `P` is not a macro | cannot be called as a statement | «P» declared here",
            "«m» `m` is a macro, not a value | a macro",
        ]
    );
}

#[test]
fn a_macro_does_not_call_itself() {
    assert_eq!(
        said("macro a() { b(); } macro b() { atomic { a(); } } macro c() { c(); } process P { a(); c(); }"),
        [
            "«a» macro `a` calls itself | it would never end | «b» through this",
            "«c» macro `c` calls itself | it would never end",
        ]
    );
}

#[test]
fn a_step_whose_condition_grows_too_large_is_refused() {
    let mut walk =
        start("shared s: 0..9999; process P { a: atomic { for j in 1..60 { s += j % 2; } await s > 9; } }");
    assert_eq!(walk.take("P.a"), "s = 30 P@end");
    let text = "shared b: bool; shared f: array[0..1] of bool;
        process P { l: atomic { for j in 1..400 { b = !b && f[0]; } await b; } }";
    assert_eq!(
        said(text),
        [
            "«l: atomic { for j in 1..400 { b = !b && f[0]; } await b; }» the condition under which this step can be done is too large | waits for something that many statements change"
        ]
    );
    let text = "shared s: 0..9; process P { l: atomic { for j in 1..40 { s = s + s; } await s > 9 - 5; } }";
    assert_eq!(
        said(text),
        [
            "«l: atomic { for j in 1..40 { s = s + s; } await s > 9 - 5; }» this expands to more than 1000000 parts | too large"
        ]
    );
}

#[test]
fn a_parameter_may_have_indices_that_are_members_of_an_enum() {
    let mut walk = start(
        "enum Node { ann, bob } record R { v: array[Node] of bool }
         shared v: array[Node] of 0..3; shared r: R; chan c[Node]: [1] of 0..3;
         macro fill(arr, val) { for n in Node { arr[n] = val; } }
         macro tell(ch, what) { for n in Node { ch[n]!what; } }
         macro one(x) { x.v[bob] = true; }
         macro some(arr) { choose n in Node where n != ann { arr[n] = 0; } }
         process P { a: fill(v, 3); b: tell(c, 2); d: one(r); e: some(v); }",
    );
    assert_eq!(walk.take("P.a"), "v[ann] = 3 v[bob] = 3 P@b");
    assert_eq!(walk.take("P.b"), "c[ann] = [2] c[bob] = [2] P@d");
    assert_eq!(walk.take("P.d"), "r = R { v: [false, true] } P@e");
    assert_eq!(walk.take("P.e"), "v[bob] = 0 P@end");
}

#[test]
fn a_parameter_may_hold_sets() {
    let mut walk = start(
        "record R { s: set of 1..2 } shared s: array[1..2] of set of 1..2; shared r: array[1..2] of R;
         macro join(x) { for n in 1..2 { x[n] += {n}; } }
         macro put(x) { x[1].s += {2}; x[1].s = x[1].s - {1}; }
         process P { a: join(s); b: put(r); }",
    );
    assert_eq!(walk.take("P.a"), "s[1] = {1} s[2] = {2} P@b");
    assert_eq!(walk.take("P.b"), "r[1] = R { s: {2} } P@end");
}

#[test]
fn a_definition_may_be_about_arrays_sets_channels_and_processes() {
    let loaded = crate::explore::model(
        "enum Node { ann, bob } shared v: array[Node] of 0..3; shared s: array[1..2] of set of 1..2; chan c[Node]: [1] of bool;
         define S = {1, 2};
         define all3(a) = forall n in Node: a[n] == 3;
         define sub(a) = a[1] <= {1}; define union(a) = a[1] + {1};
         define on(p) = exists n in Node: p[n].x; define first(p) = p[ann]@e;
         define waits(ch) = exists n in Node: !empty(ch[n]);
         process P[n: Node] { local x: bool; e: x = true; }
         invariant a: all3(v); invariant b: sub(s); invariant c: union(s) == S; invariant d: on(P); invariant e: first(P);
         invariant f: waits(c);",
    );
    let claim = |check: &lang::Check| model::show::kind(check.task.system(), &check.task.property.kind);
    let claims: Vec<String> = loaded.checks.iter().map(claim).collect();
    assert_eq!(claims.len(), 6);
    assert!(claims[3].contains("P[n].x"), "{}", claims[3]);
    assert!(claims[4].contains("P[ann]@e"), "{}", claims[4]);
}

#[test]
fn what_does_not_depend_on_a_parameter_is_checked_without_a_use() {
    assert_eq!(
        said(
            "shared x: 0..3; macro bad(a) { x = true; a[1] = y; a += true; }
             define worse(a) = a[1] + true; define also(a) = x && a[2]; define fine(a) = {1} + a; process P { e: skip; }"
        ),
        [
            "«true» expected a number, found a truth value | this is a truth value",
            "«y» unknown name `y` | not declared",
            "«true» expected a number, found a truth value | this is a truth value",
            "«true» expected a number, found a truth value | this is a truth value",
            "«x» expected a truth value, found a number | this is a number",
        ]
    );
    assert_eq!(
        said(
            "enum Node { ann } shared v: array[Node] of 0..3; shared w: array[1..2] of 0..3; macro m(a) { a[ann] = 1; }
             define d(p) = p + 1; process P { e: m(v); f: m(w); } invariant i: d(P) == 1;"
        ),
        [
            "«ann» expected a number, found a member of `Node` | this is a member of `Node` | «f: m(w);» used here",
            "«p» `p` is a process, not a value | a process | «d(P)» used here | help: its locals are read with `.`, its locations with `@`",
        ]
    );
}

#[test]
fn a_macro_is_no_value() {
    assert_eq!(
        said("macro m(a) { skip; } shared x: 0..3; process P { a: x = m(1); }"),
        [
            "«m» `m` is a macro, not a value | a macro | «m» declared here | help: `m(…);` is a statement; `define` names a value"
        ]
    );
}

#[test]
fn a_for_over_a_set_is_told_what_to_write() {
    assert_eq!(
        said(
            "enum Node { ann } shared s: set of 1..3; shared t: array[1..2] of set of Node; shared n: 0..3;
             process P { a: atomic { for j in s { skip; } for j in t[1] { skip; } for j in n { skip; } } }"
        ),
        [
            "«s» `s` is not a range | expected `lo..hi` or an enum | help: go through its type, `1..3`, and test each value with `in s`",
            "«t[1]» `t[1]` is not a range | expected `lo..hi` or an enum | help: go through its type, `Node`, and test each value with `in t[1]`",
            "«n» `n` is not a range | expected `lo..hi` or an enum | help: write `1..n` or `0..n` for a range of numbers",
        ]
    );
}

#[test]
fn whole_arrays_are_named_and_chosen() {
    let mut walk = start(
        "const tab = [[1, 2], [3, 4]]; shared a: array[1..2] of array[1..2] of 0..9 = tab; shared b: array[0..1] of 0..9 = tab[2];
         process P { s: atomic { let row = a[1]; a[1] = a[2]; a[2] = row; } t: b = if a[1][1] == 3 { a[2] } else { a[1] }; }",
    );
    assert_eq!(walk.take("P.s"), "a[1][1] = 3 a[1][2] = 4 a[2][1] = 1 a[2][2] = 2 P@t");
    assert_eq!(walk.take("P.t"), "b[0] = 1 b[1] = 2 P@end");
    assert_eq!(
        said(
            "const tab = [1, 2]; shared w: array[1..3] of 0..9 = tab; shared x: 0..9 = tab; shared s: set of 1..2;
             process P { a: w = if x == 1 { 1 } else { 2 }; b: atomic { let t = s; w = t; } c: w = if x == 0 { tab } else { w }; }"
        ),
        [
            "«tab» `tab` has another number of elements | expected an array [1..3]",
            "«tab» a list of initial values is for an array | the type is not an array",
            "«if x == 1 { 1 } else { 2 }» `if x == 1 { 1 } else { 2 }` is one value, not an array | expected an array [1..3]",
            "«t» `t` is a set, not an array of single values | expected an array [1..3]",
            "«w» an array of 2 elements or an array of 3 elements, depending on a condition | expected an array of 2 elements, found an array of 3 elements",
        ]
    );
}
