//! Messages about kinds, ranges, arrays and initial values.
//!
//! One mistake gets one message. The underlined text is in guillemets.

use crate::said::said;

#[test]
fn truth_values_numbers_and_members_are_not_mixed() {
    assert_eq!(
        said("shared x: 0..3; invariant a: x;"),
        ["«x» expected a truth value, found a number | this is a number"]
    );
    assert_eq!(
        said("shared x: 0..3; invariant a: !x;"),
        ["«x» expected a truth value, found a number | this is a number"]
    );
    assert_eq!(
        said("shared b: bool; invariant a: b + 1 == 2;"),
        ["«b» expected a number, found a truth value | this is a truth value"]
    );
    assert_eq!(
        said("shared b: bool; invariant a: -b == 1;"),
        ["«b» expected a number, found a truth value | this is a truth value"]
    );
    assert_eq!(
        said("shared b: bool; invariant a: b < true;"),
        ["«b» expected a number, found a truth value | this is a truth value"]
    );
    assert_eq!(
        said("shared x: 0..3; shared b: bool; invariant a: x && b || b;"),
        ["«x» expected a truth value, found a number | this is a number"]
    );
    assert_eq!(
        said("shared x: 0..3; shared b: bool; invariant a: if b { x } else { b } == 1;"),
        ["«b» expected a number, found a truth value | this is a truth value"]
    );
    assert_eq!(
        said("shared b: bool; invariant a: min(b, 1) == 1;"),
        ["«b» expected a number, found a truth value | this is a truth value"]
    );
    assert_eq!(
        said("invariant a: count(j in 1..2: j) == 1;"),
        ["«j» expected a truth value, found a number | this is a number"]
    );
    assert_eq!(
        said("invariant a: sum(j in 1..2: j == 1) == 1;"),
        ["«j == 1» expected a number, found a truth value | this is a truth value"]
    );
    assert_eq!(
        said("shared f: array[1..2] of bool; invariant a: f[f[1]];"),
        ["«f[1]» expected a number, found a truth value | this is a truth value"]
    );
}

#[test]
fn only_values_of_one_kind_are_compared() {
    assert_eq!(
        said("enum C { red } shared c: C; invariant a: c == 1;"),
        [
            "«c == 1» a member of `C` is compared with a number | never the same kind | «c» a member of `C` | «1» a number"
        ]
    );
    assert_eq!(
        said("enum C { red } enum D { blue } invariant a: red != blue;"),
        [
            "«red != blue» a member of `C` is compared with a member of `D` | never the same kind | «red» a member of `C` | «blue» a member of `D`"
        ]
    );
    assert_eq!(
        said("shared b: bool; invariant a: b == 1;"),
        [
            "«b == 1» a truth value is compared with a number | never the same kind | «b» a truth value | «1» a number"
        ]
    );
    assert_eq!(
        said("enum C { red, blue } shared c: C; invariant a: c < blue;"),
        ["«c» expected a number, found a member of `C` | this is a member of `C`"]
    );
    assert_eq!(
        said("enum C { red } shared c: C; invariant a: c in {red, 1};"),
        [
            "«1» a member of `C` is compared with a number | never the same kind | «c» a member of `C` | «1» a number"
        ]
    );
    assert_eq!(
        said("shared b: bool; invariant a: b in 0..1;"),
        ["«b» expected a number, found a truth value | this is a truth value"]
    );
}

#[test]
fn arrays_have_the_dimensions_they_were_declared_with() {
    assert_eq!(
        said("shared f: array[1..3] of bool; invariant a: f;"),
        ["«f» `f` is an array: which element? | an array | help: write `f[…]`"]
    );
    assert_eq!(
        said("shared g: array[1..3] of array[1..3] of bool; invariant a: g[1];"),
        ["«g[1]» `g[1]` is an array: which element? | an array | help: write `g[1][…]`"]
    );
    assert_eq!(
        said("shared g: array[1..3] of bool; invariant a: g[1][2];"),
        ["«g[1][2]» `g[1]` is not an array | has no elements"]
    );
    assert_eq!(said("shared x: bool; invariant a: x[1];"), ["«x[1]» `x` is not an array | has no elements"]);
    assert_eq!(
        said("shared f: array[1..3] of 0..3; process P { a: f = 1; }"),
        ["«1» `1` is one value, not an array | expected an array [1..3]"]
    );
}

#[test]
fn an_index_that_is_always_outside_is_an_error() {
    assert_eq!(
        said("shared f: array[1..3] of bool; invariant a: f[4];"),
        ["«4» index 4 is outside the array `f` | the array `f` goes from 1 to 3"]
    );
    assert_eq!(
        said("shared f: array[1..3] of bool; shared x: 0..9; invariant a: f[x + 4];"),
        ["«x + 4» this index is always outside the array `f` | the array `f` goes from 1 to 3"]
    );
    assert_eq!(
        said("shared f: array[1..3] of bool; invariant a: forall j in -1..0: f[j];"),
        ["«j» this index is always outside the array `f` | the array `f` goes from 1 to 3"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: P[0]@try;"),
        ["«0» index 0 is outside the family `P` | the family `P` goes from 1 to 3"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } invariant a: P[4].y == 0;"),
        ["«4» index 4 is outside the family `P` | the family `P` goes from 1 to 3"]
    );
    assert_eq!(
        said("chan c[1..2]: [1] of bool; invariant a: empty(c[3]);"),
        ["«3» index 3 is outside the array of channels `c` | the array of channels `c` goes from 1 to 2"]
    );
    assert_eq!(
        said("process P[i: 1..3] { local y: 0..3; try: skip; crit: skip; } property p: F taken(P[7].try);"),
        ["«7» index 7 is outside the family `P` | the family `P` goes from 1 to 3"]
    );
}

#[test]
fn an_assignment_that_always_leaves_its_range_is_an_error() {
    assert_eq!(
        said("shared x: 0..3; process P { a: x = 4; }"),
        ["«4» `x` would become 4, outside its range | `x` goes from 0 to 3"]
    );
    assert_eq!(
        said("shared x: 0..3; process P { a: x = x + 4; }"),
        ["«x + 4» `x` would always leave its range | `x` goes from 0 to 3"]
    );
    assert_eq!(
        said("shared x: 0..3; process P { a: x = if x == 0 { 7 } else { 9 }; }"),
        ["«if x == 0 { 7 } else { 9 }» `x` would always leave its range | `x` goes from 0 to 3"]
    );
    assert_eq!(
        said("shared x: 0..3; shared y: 5..9; process P { a: x = y; }"),
        ["«y» `x` would always leave its range | `x` goes from 0 to 3"]
    );
    assert_eq!(
        said("shared x: 1..1; process P { a: request x; b: release x; }"),
        [
            "«x» `x` would become 0, outside its range | `x` goes from 1 to 1",
            "«x» `x` would become 2, outside its range | `x` goes from 1 to 1"
        ]
    );
    assert_eq!(
        said("chan c: [1] of 0..3; process P { a: c!4; }"),
        ["«4» a field of `c` would become 4, outside its range | a field of `c` goes from 0 to 3"]
    );
    assert_eq!(
        said("chan c: [1] of 5..9; shared x: 0..3; process P { a: c?x; }"),
        ["«x» `x` would always leave its range | `x` goes from 0 to 3"]
    );
}

#[test]
fn ranges_do_not_depend_on_the_state() {
    assert_eq!(
        said("shared x: 0..3; invariant a: forall j in 0..x: j >= 0;"),
        [
            "«x» a range may not depend on the state | a variable has its value in a state | help: only constants, parameters and indices have the same value in every state"
        ]
    );
    assert_eq!(
        said("shared x: 0..3; shared y: 0..x;"),
        [
            "«x» a type may not depend on the state | a variable has its value in a state | help: only constants, parameters and indices have the same value in every state"
        ]
    );
    assert_eq!(
        said("shared x: 0..3; const c = x + 1;"),
        [
            "«x» a constant may not depend on the state | a variable has its value in a state | help: only constants, parameters and indices have the same value in every state"
        ]
    );
    assert_eq!(
        said("process S { local l: 0..3; a: choose v in 0..l { skip; } }"),
        [
            "«l» a range may not depend on the state | a local variable has its value in a state | help: only constants, parameters and indices have the same value in every state"
        ]
    );
    assert_eq!(
        said("process S { a: skip; } const c = if S@a { 1 } else { 2 };"),
        [
            "«a» a constant may not depend on the state | a location has its value in a state | help: only constants, parameters and indices have the same value in every state"
        ]
    );
    assert_eq!(
        said("chan q: [1] of bool; const c = len(q);"),
        [
            "«q» a constant may not depend on the state | a channel has its value in a state | help: only constants, parameters and indices have the same value in every state"
        ]
    );
    assert_eq!(
        said("shared x: 0..3; process P { a: choose v in {x, 1} { skip; } }"),
        [
            "«x» a value to choose may not depend on the state | a variable has its value in a state | help: only constants, parameters and indices have the same value in every state"
        ]
    );
    assert_eq!(
        said("shared x: 0..3 = 1; shared y: 0..3 = x;"),
        [
            "«x» an initial value may not depend on the state | a variable has its value in a state | help: only constants, parameters and indices have the same value in every state"
        ]
    );
    assert_eq!(
        said("shared x: 0..3; invariant a: exists j in 0..true: j == x;"),
        ["«true» expected a number, found a truth value | this is a truth value"]
    );
}

#[test]
fn types_and_families_are_not_empty() {
    assert_eq!(
        said("shared x: 5..1;"),
        ["«5..1» the range `5..1` is empty: it goes from 5 to 1 | the type has no values"]
    );
    assert_eq!(
        said("shared f: array[1..0] of bool;"),
        ["«1..0» the range `1..0` is empty: it goes from 1 to 0 | the array has no elements"]
    );
    assert_eq!(
        said("process P[i: 3..2] { a: skip; }"),
        ["«3..2» the range `3..2` is empty: it goes from 3 to 2 | family `P` has no processes"]
    );
    assert_eq!(
        said("chan c[2..1]: [1] of bool;"),
        ["«2..1» the range `2..1` is empty: it goes from 2 to 1 | there are no channels"]
    );
    assert_eq!(
        said("shared x: bool; property p[i: 2..1]: F x;"),
        ["«2..1» the range `2..1` is empty: it goes from 2 to 1 | there are no properties"]
    );
    assert_eq!(
        said("shared x: 0..9 in 3..2;"),
        ["«3..2» the range `3..2` is empty: it goes from 3 to 2 | there is no initial value"]
    );
}

#[test]
fn what_cannot_be_computed_is_said_to_be_so() {
    assert_eq!(
        said("const a = 1 / 0; shared x: 0..a;"),
        ["«1 / 0» this has no value: division by zero | cannot be computed"]
    );
    assert_eq!(
        said("const a = 7 % (2 - 2);"),
        ["«7 % (2 - 2)» this has no value: division by zero | cannot be computed"]
    );
    assert_eq!(
        said("const a = 9223372036854775807 + 1;"),
        [
            "«9223372036854775807 + 1» this has no value: a number leaves the 64 bits it is computed with | cannot be computed"
        ]
    );
    assert_eq!(
        said("const a = min(j in 2..1: j);"),
        [
            "«min(j in 2..1: j)» this has no value: `min` or `max` over no values, or an index outside a constant table or a sequence | cannot be computed"
        ]
    );
    assert_eq!(
        said("process P[i: 1..3] { a: await forall j in 1..6 / (i - 2): j > 0; }"),
        [
            "«1..6 / (i - 2)» for some index the end of this range has no value | may divide by zero or leave 64 bits"
        ]
    );
    assert_eq!(
        said("const a = sum(j in 1..2000: j);"),
        ["«1..2000» a constant may go through at most 1000 values | too many values"]
    );
    assert_eq!(
        said("const a = sum(j in 1..100: sum(k in 1..100: 1));"),
        ["«1..100» a constant may go through at most 1000 values | too many values"]
    );
}

#[test]
fn initial_values_belong_to_their_type() {
    assert_eq!(said("shared x: 0..3 = 4;"), ["«4» the initial value 4 is outside 0..3 | outside the type"]);
    assert_eq!(
        said("shared x: 0..3 in {1, 7};"),
        ["«7» the initial value 7 is outside 0..3 | outside the type"]
    );
    assert_eq!(
        said("shared x: 0..3 in 2..5;"),
        ["«2..5» the initial value 5 is outside 0..3 | outside the type"]
    );
    assert_eq!(
        said("shared x: bool = 1;"),
        ["«1» expected a truth value, found a number | this is a number"]
    );
    assert_eq!(
        said("shared x: bool in 0..1;"),
        ["«0..1» expected a truth value, found a number | this is a number"]
    );
    assert_eq!(
        said("enum C { red } shared x: C = 0;"),
        ["«0» expected a member of `C`, found a number | this is a number"]
    );
    assert_eq!(
        said("shared f: array[1..3] of 0..3 = [1, 2];"),
        ["«[1, 2]» the array has 3 elements, not 2 | 3 elements expected"]
    );
    assert_eq!(
        said("shared x: 0..3 = [1];"),
        ["«[1]» a list of initial values is for an array | the type is not an array"]
    );
    assert_eq!(
        said("shared f: array[1..2] of array[1..2] of bool = [true, true];"),
        [
            "«true» `true` is one value, not an array | expected an array [1..2]",
            "«true» `true` is one value, not an array | expected an array [1..2]",
        ]
    );
    assert_eq!(
        said("process P[i: 1..5] { local y: 0..3 = i; }"),
        ["«i» the initial value 4 is outside 0..3 | in process `P[4]`"]
    );
    assert_eq!(
        said("process P[i: 1..5] { local y: 0..9 = 6 / (i - 2) + 6; }"),
        ["«6 / (i - 2) + 6» the initial value cannot be computed: division by zero | in process `P[2]`"]
    );
    assert_eq!(
        said("process P[i: 1..5] { local y: 0..3 in 0..i; }"),
        ["«0..i» the initial value 4 is outside 0..3 | in process `P[4]`"]
    );
}
