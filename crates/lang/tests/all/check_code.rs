//! Messages about statements, labels and blocks.
//!
//! One mistake gets one message. The underlined text is in guillemets.

use crate::said::said;

#[test]
fn only_variables_of_ones_own_are_written() {
    assert_eq!(said("const N = 1; process P { a: N = 2; }"), ["«N» `N` cannot be assigned | not a variable"]);
    assert_eq!(
        said("enum C { red } process P { a: red = 2; }"),
        ["«red» `red` cannot be assigned | not a variable"]
    );
    assert_eq!(said("process P[i: 1..2] { a: i = 2; }"), ["«i» `i` cannot be assigned | not a variable"]);
    assert_eq!(
        said("process P { a: choose v in 0..1 { v = 1; } }"),
        ["«v» `v` cannot be assigned | not a variable"]
    );
    assert_eq!(
        said("process P[i: 1..2] { local y: 0..3; a: P[2].y = 1; }"),
        [
            "«P[2].y» `P[2].y` belongs to another process | only its owner writes it | help: processes communicate through shared variables and channels"
        ]
    );
    assert_eq!(said("process P[i: 1..2] { local y: 0..3; a: P[i].y = 1; }"), [""; 0]);
    assert_eq!(
        said("process S { local y: bool; a: skip; } process T { b: S.y = true; }"),
        [
            "«S.y» `S.y` belongs to another process | only its owner writes it | help: processes communicate through shared variables and channels"
        ]
    );
    assert_eq!(
        said("process P { a: P@a = true; }"),
        ["«P@a» `P@a` cannot be assigned | a location, which control changes"]
    );
    assert_eq!(said("process P { a: P = true; }"), ["«P» `P` cannot be assigned | a process"]);
    assert_eq!(
        said("chan c: [1] of bool; process P { a: c = true; }"),
        ["«c» `c` cannot be assigned | a channel"]
    );
    assert_eq!(
        said("process S { local y: bool; a: skip; } process T { b: request S.y; }"),
        [
            "«S.y» `S.y` belongs to another process | only its owner writes it | help: processes communicate through shared variables and channels"
        ]
    );
}

#[test]
fn assignments_pair_variables_with_values() {
    assert_eq!(
        said("shared x, y: 0..3; process P { a: x, y = 1; }"),
        ["«x, y = 1» the left side has 2 variables, not 1 | 2 variables expected"]
    );
    assert_eq!(
        said("shared x, y: 0..3; process P { a: x, x = 1, 2; }"),
        ["«x» `x` is assigned twice at once | assigned before"]
    );
    assert_eq!(
        said("enum C { red } shared c: C; process P { a: request c; }"),
        ["«c» a semaphore is a truth value or a number | this is a member of `C`"]
    );
}

#[test]
fn a_step_has_one_rendezvous() {
    let two = "«c!x;» a step takes part in one rendezvous or joint event at most | a second one in the same step | «c!x;» the \
               first one | help: make it a step of its own";
    let said = |step: &str| {
        said(&format!(
            "shared x: 0..3; chan c: [0] of 0..3; process P {{ a: atomic {{ {step} }} }} process Q {{ b: c?_; }}"
        ))
    };
    assert_eq!(said("c!x; x = 1; c!x;"), [two]);
    assert_eq!(said("for j in 1..2 { c!x; }").len(), 1);
    assert_eq!(said("if x == 0 { x = 1; c!x; } else { either { c!x; x = 2; } or { x = 3; } }"), [""; 0]);
}

#[test]
fn a_block_that_is_one_step_takes_one_step() {
    assert_eq!(
        said("shared x: bool; process P { a: atomic { while x { x = false; } } }"),
        [
            "«while x { x = false; }» `while` cannot stand in a block that is one step | may take more than one step"
        ]
    );
    assert_eq!(
        said("process P { a: when true { loop { skip; } } }"),
        ["«loop { skip; }» `loop` cannot stand in a block that is one step | may take more than one step"]
    );
    assert_eq!(
        said("process P { a: atomic { stay; } }"),
        ["«stay;» `stay` cannot stand in a block that is one step | may take more than one step"]
    );
    assert_eq!(
        said("process P { a: atomic { b: skip; } }"),
        ["«b» a block that is one step cannot contain a label | control never stops here"]
    );
    assert_eq!(
        said("shared x: bool; process P { a: atomic { goto a; x = true; } }"),
        ["«goto a;» `goto` may stand only at the end of a block that is one step | more of the step follows"]
    );
    assert_eq!(
        said("shared x: bool; process P { a: atomic { if x { halt; } x = true; } }"),
        ["«halt;» `halt` may stand only at the end of a block that is one step | more of the step follows"]
    );
}

#[test]
fn jumps_go_somewhere() {
    assert_eq!(
        said("process P { action a { goto b; } }"),
        ["«b» `P` has no label `b` to go to | not a label"]
    );
    assert_eq!(
        said("process P { action a { halt; } }"),
        ["«halt;» a process without statements has no locations to go to | nowhere to go"]
    );
    assert_eq!(
        said("process P { action b { skip; } a: skip; goto b; }"),
        ["«b» `P` has no label `b` to go to | not a label"]
    );
}

#[test]
fn control_does_not_go_round_without_a_step() {
    assert_eq!(
        said("process P { loop { } }"),
        ["«loop { }» this loop takes no step | takes no step | help: put `skip;` in it, or use `halt;`"]
    );
    assert_eq!(
        said("process P { a: goto a; }"),
        ["«a: goto a;» this loop takes no step | takes no step | help: put `skip;` in it, or use `halt;`"]
    );
    assert_eq!(
        said("process P { skip; b: goto c; c: goto b; }"),
        ["«b: goto c;» this loop takes no step | takes no step | help: put `skip;` in it, or use `halt;`"]
    );
    assert_eq!(
        said("process P { loop { loop { } skip; } }"),
        ["«loop { }» this loop takes no step | takes no step | help: put `skip;` in it, or use `halt;`"]
    );
}

#[test]
fn branches_begin_with_a_step_that_goes_on() {
    assert_eq!(
        said("process P { either { } or { a: skip; } }"),
        ["«{ }» a branch of `either` begins with a statement that takes a step | an empty branch"]
    );
    assert_eq!(
        said("process P { either { while true { skip; } } or { a: skip; } }"),
        [
            "«while true { skip; }» a branch of `either` begins with a statement that takes a step and goes on | `while` comes back to where it began | help: put `skip;` before it"
        ]
    );
    assert_eq!(
        said("process P { either { loop { skip; } } or { a: skip; } }"),
        [
            "«loop { skip; }» a branch of `either` begins with a statement that takes a step and goes on | takes no step | help: put `skip;` before it"
        ]
    );
    assert_eq!(
        said("process P { either { a: skip; } or { goto a; } }"),
        [
            "«goto a;» a branch of `either` begins with a statement that takes a step and goes on | takes no step | help: put `skip;` before it"
        ]
    );
    assert_eq!(
        said("process P { either { either { a: skip; } or { b: skip; } } or { c: skip; } }"),
        [
            "«either { a: skip; } or { b: skip; }» a branch of `either` begins with a statement that takes a step and goes on | takes no step | help: put `skip;` before it"
        ]
    );
}

#[test]
fn the_end_of_the_code_has_its_name_for_itself() {
    assert_eq!(
        said("process P { end: skip; }"),
        [
            "«end» `end` is the name of the end of the code, so nothing else can have it | not the end of the code"
        ]
    );
    assert_eq!(said("process P { loop { end: skip; } }"), [""; 0]);
    assert_eq!(said("process P { a: skip; end: halt; }"), [""; 0]);
}

#[test]
fn annotations_belong_to_steps() {
    assert_eq!(
        said("process P { wf(l): loop { skip; } }"),
        ["«l» `loop` takes no step, so fairness does not apply to it | annotated with fairness"]
    );
    assert_eq!(
        said("process P { sf(l): either { a: skip; } or { b: skip; } }"),
        ["«l» `either` takes no step, so fairness does not apply to it | annotated with fairness"]
    );
}

#[test]
fn what_is_never_reached_is_worth_a_warning() {
    assert_eq!(
        said("process P { a: skip; goto a; b: skip; c: skip; }"),
        ["warning: «b: skip;» this statement is never reached | control never comes here"]
    );
    assert_eq!(
        said("process P { loop { skip; } b: skip; }"),
        ["warning: «b: skip;» this statement is never reached | control never comes here"]
    );
    assert_eq!(
        said("process P { halt; b: skip; }"),
        ["warning: «b: skip;» this statement is never reached | control never comes here"]
    );
    assert_eq!(
        said("process P { if true { halt; } else { goto a; } b: skip; a: skip; }"),
        ["warning: «b: skip;» this statement is never reached | control never comes here"]
    );
    assert_eq!(
        said("process P { a: when true { goto c; } b: skip; c: skip; }"),
        ["warning: «b: skip;» this statement is never reached | control never comes here"]
    );
    assert_eq!(said("process P { goto b; a: skip; b: skip; goto a; }"), [""; 0]);
    assert_eq!(said("process P { action r { goto b; } loop { a: skip; } b: skip; }"), [""; 0]);
}

#[test]
fn channels_carry_messages_of_their_type() {
    assert_eq!(
        said("chan c: [2] of 0..7, bool; process P { a: c!1; }"),
        ["«c!1» a message of `c` has 2 fields, not 1 | 2 fields expected"]
    );
    assert_eq!(
        said("chan c: [2] of 0..7, bool; process P { a: c!true, true; }"),
        ["«true» expected a number, found a truth value | this is a truth value"]
    );
    assert_eq!(
        said("shared x: 0..7; chan c: [2] of 0..7, bool; process P { a: c?x; }"),
        ["«c?x» a message of `c` has 2 fields, not 1 | 2 fields expected"]
    );
    assert_eq!(
        said("shared x: 0..7; chan c: [2] of 0..7, bool; process P { a: c?_, x; }"),
        ["«x» expected a number, found a truth value | this is a truth value"]
    );
    assert_eq!(said("shared x: 0..7; process P { a: x!1; }"), ["«x» `x` is not a channel | not a channel"]);
    assert_eq!(said("shared x: 0..7; process P { a: x?x; }"), ["«x» `x` is not a channel | not a channel"]);
    assert_eq!(said("chan c: [-1] of bool;"), ["«-1» a channel cannot have the capacity -1 | negative"]);
    assert_eq!(
        said("chan c: [true] of bool;"),
        ["«true» expected a number, found a truth value | this is a truth value"]
    );
}

#[test]
fn an_array_of_channels_needs_an_index() {
    assert_eq!(
        said("chan c[1..2]: [1] of bool; process P { a: c!true; }"),
        ["«c» `c` is an array of channels: which one? | an array of channels | help: write `c[…]`"]
    );
    assert_eq!(
        said("chan c: [1] of bool; process P { a: c[1]!true; }"),
        ["«c[1]» `c` is a single channel | has no index"]
    );
    assert_eq!(
        said("chan c[1..2]: [1] of bool; process P { a: c[3]!true; }"),
        ["«3» index 3 is outside the array of channels `c` | the array of channels `c` goes from 1 to 2"]
    );
    assert_eq!(
        said("chan c[1..2]: [1] of bool; invariant a: len(c) == 0;"),
        ["«c» `c` is an array of channels: which one? | an array of channels | help: write `c[…]`"]
    );
}

#[test]
fn an_action_with_parameters_has_no_rendezvous() {
    assert_eq!(
        said("chan c: [0] of bool; process P { action a(r: 1..2) { c!true; } } process Q { b: c?_; }"),
        [
            "«a» an action with parameters cannot take part in a rendezvous | has parameters | help: choose the value inside the step: `choose v in … { … }`"
        ]
    );
    assert_eq!(
        said("chan c: [0] of bool; process P { a: c!true; }"),
        ["warning: «c» no rendezvous on `c` can happen | there are sends, but no receives"]
    );
    assert_eq!(
        said("chan c: [0] of bool; process P { a: c?_; }"),
        ["warning: «c» no rendezvous on `c` can happen | there are receives, but no sends"]
    );
    assert_eq!(
        said("chan c: [0] of bool; invariant a: empty(c);"),
        ["«c» `c` has capacity 0 and never holds a message | a rendezvous channel"]
    );
}
