//! Messages about `--set` and about parameters.

use crate::said::{said, said_with};

#[test]
fn only_constants_and_parameters_that_exist_can_be_set() {
    assert_eq!(
        said_with("const N = 3; param M >= 2; shared x: bool;", &[("Q", "1")]),
        ["`--set Q=1`: there is no constant or parameter `Q` | help: `N` and `M` can be set"]
    );
    assert_eq!(
        said_with("const LIMIT = 3; const N = 1;", &[("LIMTI", "1")]),
        [
            "`--set LIMTI=1`: there is no constant or parameter `LIMTI` | help: did you mean `LIMIT`? `LIMIT` and `N` can be set"
        ]
    );
    assert_eq!(
        said_with("const N = 3;", &[("NN", "1")]),
        ["`--set NN=1`: there is no constant or parameter `NN` | help: only `N` can be set"]
    );
    assert_eq!(
        said_with("shared x: bool;", &[("N", "1")]),
        [
            "`--set N=1`: there is no constant or parameter `N` | help: the file declares nothing that can be set"
        ]
    );
    assert_eq!(
        said_with("const N = 3; shared x: bool;", &[("x", "1")]),
        [
            "`--set x=1`: `x` is a variable, and only constants and parameters can be set | help: only `N` can be set"
        ]
    );
    assert_eq!(
        said_with("const N = 3; define d = 1;", &[("d", "1")]),
        [
            "`--set d=1`: `d` is a definition, and only constants and parameters can be set | help: only `N` can be set"
        ]
    );
    assert_eq!(
        said_with("const N = 3; enum C { red }", &[("red", "1")]),
        [
            "`--set red=1`: `red` is a member of an enum, and only constants and parameters can be set | help: only `N` can be set"
        ]
    );
    assert_eq!(
        said_with("const N = 3; enum C { red }", &[("C", "1")]),
        [
            "`--set C=1`: `C` is a type, and only constants and parameters can be set | help: only `N` can be set"
        ]
    );
    assert_eq!(
        said_with("const N = 3; chan c: [1] of bool;", &[("c", "1")]),
        [
            "`--set c=1`: `c` is a channel, and only constants and parameters can be set | help: only `N` can be set"
        ]
    );
    assert_eq!(
        said_with("const N = 3; process P { a: skip; }", &[("P", "1")]),
        [
            "`--set P=1`: `P` is a process, and only constants and parameters can be set | help: only `N` can be set"
        ]
    );
}

#[test]
fn a_value_is_an_integer_or_a_truth_value() {
    assert_eq!(
        said_with("const N = 3;", &[("N", "three")]),
        ["`--set N=three`: a value is an integer, `true` or `false`"]
    );
    assert_eq!(
        said_with("const N = 3;", &[("N", "")]),
        ["`--set N=`: a value is an integer, `true` or `false`"]
    );
    assert_eq!(
        said_with("const N = 3;", &[("N", "99999999999999999999")]),
        ["`--set N=99999999999999999999`: the number does not fit in 64 bits"]
    );
    assert_eq!(
        said_with("const N = 3;", &[("N", "true")]),
        ["«3» `--set N=true`: constant `N` is a number | a number"]
    );
    assert_eq!(
        said_with("const B = true;", &[("B", "1")]),
        ["«true» `--set B=1`: constant `B` is a truth value | a truth value"]
    );
    assert_eq!(
        said_with("param N >= 2;", &[("N", "false")]),
        ["«2» `--set N=false`: parameter `N` is a number | a number"]
    );
    assert_eq!(said_with("const N = 3;", &[("N", "1"), ("N", "2")]), ["`--set N=2`: `N` is set twice"]);
    assert_eq!(said_with("const N = 3; const B = true;", &[("N", "-7"), ("B", "false")]), [""; 0]);
}

#[test]
fn a_parameter_is_not_below_its_bound() {
    assert_eq!(
        said_with("const L = 2; param N >= L; process P[i: 1..N] { a: skip; }", &[("N", "1")]),
        ["«L» `--set N=1`: parameter `N` is at least 2 | the least value"]
    );
    assert_eq!(
        said("param M >= 1; param N >= M;"),
        ["«M» the bound of a parameter is a known number | depends on another parameter"]
    );
}

#[test]
fn a_setting_that_makes_something_empty_is_named() {
    assert_eq!(
        said_with(
            "const N = 3; process P[i: 1..N] { a: skip; } property p[i: 1..N]: F P[i]@end;",
            &[("N", "0")]
        ),
        [
            "«1..N» the range `1..N` is empty: it goes from 1 to 0 | family `P` has no processes | help: this comes from `--set N=0`"
        ]
    );
    assert_eq!(
        said_with("const N = 3; const M = N - 1; shared x: 0..M;", &[("N", "0")]),
        [
            "«0..M» the range `0..M` is empty: it goes from 0 to -1 | the type has no values | help: this comes from `--set N=0`"
        ]
    );
    assert_eq!(
        said_with("const N = 3; const K = 3; shared f: array[K..N] of bool;", &[("N", "2"), ("K", "5")]),
        [
            "«K..N» the range `K..N` is empty: it goes from 5 to 2 | the array has no elements | help: this comes from `--set N=2` and `--set K=5`"
        ]
    );
}

#[test]
fn a_setting_that_makes_something_too_large_is_named() {
    assert_eq!(
        said_with(
            "const N = 3; process P[i: 1..N] { a: skip; } invariant x: forall i in 1..N: P[i]@a;",
            &[("N", "99999999")]
        ),
        [
            "«1..N» the system is too large: family `P` has 99999999 processes | at most 1000000 fit | help: this comes from `--set N=99999999`"
        ]
    );
    assert_eq!(
        said_with("const N = 3; shared f: array[1..N] of array[1..N] of bool;", &[("N", "9999")]),
        [
            "«1..N» the system is too large: 99980001 values of `f` | at most 1000000 fit | help: this comes from `--set N=9999`"
        ]
    );
    assert_eq!(
        said_with(
            "const N = 3; process P[i: 1..N] { local f: array[1..N] of bool; a: skip; }",
            &[("N", "9999")]
        ),
        [
            "«1..N» the system is too large: 99980001 values of `f` | at most 1000000 fit | help: this comes from `--set N=9999`"
        ]
    );
    assert_eq!(
        said_with("const N = 3; process P[i: 1..N] { action a(r: 1..N) { skip; } }", &[("N", "9999")]),
        [
            "«a» the system is too large: 99980001 actions `a` | at most 1000000 fit | help: this comes from `--set N=9999`"
        ]
    );
    assert_eq!(
        said_with("const N = 3; process P[i: 1..N] { a: skip; b: skip; c: skip; }", &[("N", "400000")]),
        [
            "«c: skip;» the system is too large: 400000 actions `c` | at most 1000000 fit | help: this comes from `--set N=400000`"
        ]
    );
    assert_eq!(
        said_with("const N = 3; chan c: [N] of bool;", &[("N", "99999999")]),
        [
            "«N» the system is too large: a channel of 99999999 messages | at most 1000000 fit | help: this comes from `--set N=99999999`"
        ]
    );
    assert_eq!(
        said_with("const N = 3; chan c[1..N]: [N] of bool;", &[("N", "9999")]),
        [
            "«1..N» the system is too large: 99990000 values in channel `c` | at most 1000000 fit | help: this comes from `--set N=9999`"
        ]
    );
    assert_eq!(
        said_with("const N = 3; shared x: bool; property p[i: 1..N]: F x;", &[("N", "20000")]),
        [
            "«1..N» a family of 20000 properties is too large | at most 10000 members | help: this comes from `--set N=20000`"
        ]
    );
    assert_eq!(
        said_with("const N = 3; process P { a: choose v in 1..N { skip; } }", &[("N", "99999999")]),
        [
            "«1..N» this range has 99999999 values, but at most 1000000 are allowed | too many values | help: this comes from `--set N=99999999`"
        ]
    );
}

#[test]
fn what_needs_a_number_is_refused_while_the_parameter_is_open() {
    assert_eq!(
        said("param N >= 0; process P[i: 1..N] { a: skip; }"),
        [
            "«1..N» the range `1..N` is empty for some values of the parameters | family `P` has no processes | help: give the parameter a greater bound"
        ]
    );
    assert_eq!(
        said("param N >= 2; chan c: [N] of bool;"),
        ["«N» the capacity of a channel is a known number | depends on a parameter"]
    );
    assert_eq!(
        said("param N >= 2; shared f: array[1..N] of bool = [true, false];"),
        [
            "«[true, false]» the elements of an array of unknown length cannot be listed | its length depends on a parameter"
        ]
    );
    assert_eq!(
        said(
            "param N >= 2; process P[i: 1..N] { a: skip; } property p[i: 1..N]: F P[i]@end under weak P[i];"
        ),
        [
            "«p» fairness may not depend on the index of a family whose members are not known | its range depends on a parameter"
        ]
    );
    assert_eq!(
        said(
            "param N >= 2; process P[i: 1..N] { a: skip; } property p: F P[1]@end under for i in 1..N: (weak P[i] | global);"
        ),
        ["«1..N» `for` over alternatives needs a range that is known | depends on a parameter or an index"]
    );
    assert_eq!(
        said("param N >= 2; shared x: 0..3 = 7;"),
        ["«7» the initial value 7 is outside 0..3 | outside the type"]
    );
}
