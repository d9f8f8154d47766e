//! Several mistakes in one file: all are reported, each once, in the order of the file.

use crate::said::said;

#[test]
fn all_errors_of_a_file_are_reported_in_one_run() {
    let text = "
        const N = 3;
        shared x: 0..3 = 7;
        shared y: Colour;
        process P[i: 1..N] {
            local z: bool;
            loop {
                try: request xx;
                crit: x = 9;
                exit: z = x;
                goto tyr;
            }
        }
        fairness f: weak P.crti;
        invariant a: P[4]@crit;
        invariant b: P[1]@leave && y == 3;
        property c: G (P[1]@try -> F P@crit) under g;
        property d: AG F z;
    ";
    assert_eq!(
        said(text),
        [
            "«7» the initial value 7 is outside 0..3 | outside the type",
            "«Colour» unknown type `Colour` | not declared",
            "«xx» unknown name `xx` | not declared",
            "«9» `x` would become 9, outside its range | `x` goes from 0 to 3",
            "«x» expected a truth value, found a number | this is a number",
            "«tyr» `P` has no label `tyr` to go to | not a label | help: did you mean `try`?",
            "«crti» `P` has no action `crti` | not an action | help: did you mean `crit`?",
            "«4» index 4 is outside the family `P` | the family `P` goes from 1 to 3",
            "«leave» `P` has no label `leave` | not a label",
            "«P» `P` is a family: of which process? | a family | help: write `P[…]@crit`",
            "«g» there is no fairness `g` | not declared",
            "«AG F z» a property is LTL or CTL, not both | a path quantifier: CTL | «F z» without a path quantifier: LTL",
            "«z» unknown name `z` | not declared | help: `z` is a local variable of `P`, read as `P[…].z`",
        ]
    );
}

#[test]
fn an_unknown_name_is_reported_at_each_use_and_silences_what_depends_on_it() {
    let text = "shared b: bool; process P { a: b = foo + 1 > bar[3] && foo; } invariant i: foo == true && foo[1] == 3;";
    assert_eq!(
        said(text),
        [
            "«foo» unknown name `foo` | not declared",
            "«bar» unknown name `bar` | not declared",
            "«foo» unknown name `foo` | not declared",
            "«foo» unknown name `foo` | not declared",
            "«foo» unknown name `foo` | not declared",
        ]
    );
}

#[test]
fn a_bad_declaration_does_not_make_its_uses_wrong() {
    assert_eq!(
        said("shared x: Nope; process P { a: x = 1; b: x = true; } invariant i: x == x && x[1] > 2;"),
        ["«Nope» unknown type `Nope` | not declared"]
    );
    assert_eq!(
        said("process P[i: 3..1] { local y: 0..3 = i; a: y = i; } invariant i: P[1]@a && P[2].y == 0;"),
        ["«3..1» the range `3..1` is empty: it goes from 3 to 1 | family `P` has no processes"]
    );
    assert_eq!(
        said(
            "const N = 1 / 0; process P[i: 1..N] { a: skip; } shared f: array[1..N] of 0..N; invariant i: f[N] == N;"
        ),
        ["«1 / 0» this has no value: division by zero | cannot be computed"]
    );
    assert_eq!(
        said(
            "chan c: [0 - 1] of 0..3; shared x: bool; process P { a: c!9; b: c?x; d: c!1, 2; } invariant i: empty(c);"
        ),
        ["«0 - 1» a channel cannot have the capacity -1 | negative"]
    );
    assert_eq!(
        said("shared b: bool; process P { a: skip; } fairness f: weak Q; property p: F b under f & f;"),
        ["«Q» there is no process `Q` | not a process"]
    );
    assert_eq!(
        said("process P[i: 1..2] { action m(r: 1..zz) when r > 0 { skip; } a: choose v in 0..yy { skip; } }"),
        ["«zz» unknown name `zz` | not declared", "«yy» unknown name `yy` | not declared"]
    );
}

#[test]
fn what_the_parser_could_not_read_is_not_blamed_again() {
    let text = "shared x bool;\nprocess P { a: x = true; b: y = ; }\ninvariant i: x && P@b && y;\nshared z: bool = 3;";
    let lines = said(text);
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert!(lines[2].starts_with("«3» expected a truth value, found a number"), "{lines:#?}");
}

#[test]
fn an_error_in_a_family_of_properties_is_reported_once() {
    let text = "process P[i: 1..3] { a: skip; } property p[k: 1..3]: F P[k]@b;";
    assert_eq!(said(text), ["«b» `P` has no label `b` | not a label"]);
}
