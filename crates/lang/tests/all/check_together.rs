//! Processes with several indices, joint events, channels that lose, double and reorder, and past operators: what they
//! become, and what is refused.

use std::collections::BTreeSet;

use lang::{Loaded, load};
use model::Instance;

use crate::said::said;

fn instance(text: &str) -> Instance {
    let Loaded { model, diagnostics, .. } = load("test", text, &[]);
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
    Instance::new(model.system().clone()).expect("an instance")
}

/// The names of the actions of a model.
fn actions(text: &str) -> Vec<String> {
    instance(text).actions.into_iter().map(|action| action.name).collect()
}

const PAIRS: &str =
    "enum Node { ann, bob }\nprocess P[n: Node, k: 1..2] { local y: bool; loop { go: skip; } }\n";

#[test]
fn a_process_with_several_indices_is_shown_with_all_of_them() {
    let names: Vec<String> = instance(PAIRS).processes.into_iter().map(|process| process.name).collect();
    assert_eq!(names, ["P[ann][1]", "P[ann][2]", "P[bob][1]", "P[bob][2]"]);
    assert_eq!(actions(PAIRS)[3], "P[bob][2].go");
    let cells: Vec<String> = instance(PAIRS).cells.into_iter().map(|cell| cell.name).collect();
    assert_eq!(cells[1], "P[ann][1].y");
}

#[test]
fn indices_that_are_missing_or_too_many_or_wrong_are_reported() {
    let about = |text: &str| said(&format!("{PAIRS}{text}"));
    assert_eq!(
        about("invariant a: P[ann].y;"),
        ["«P[ann]» `P[ann]` is a family: of which process? | a family | help: write `P[ann][…].y`"]
    );
    assert_eq!(
        about("invariant a: P[bob][3]@go;"),
        ["«3» index 3 is outside the family `P[bob]` | the family `P[bob]` goes from 1 to 2"]
    );
    assert_eq!(
        about("property a: GF taken(P[bob].go);"),
        ["«bob» the processes of `P` have 2 indices | 1 given | help: write `P[…][…]`"]
    );
    assert_eq!(
        about("fairness f: weak P[ann][0]; property a: true under f;"),
        ["«0» index 0 is outside the family `P` | the family `P` goes from 1 to 2"]
    );
    assert_eq!(
        said("process P[i: 1..2, i: 1..2] { go: skip; }"),
        ["«i» the name `i` is taken | declared again | «i» first declared here"]
    );
    assert_eq!(
        said("param N >= 2; process P[i: 1..N, k: 1..2] { go: skip; }"),
        ["«1..N» a family with several indices has a known number of processes | depends on a parameter | \
          help: give the parameter a value with `--set`, or use one index"]
    );
}

#[test]
fn an_event_is_one_action_for_every_choice_of_places() {
    let text = "event go; process P[i: 1..2] { loop { a: sync go; b: atomic { sync go; skip; } } }
        process Q { loop { c: sync go; } }";
    let expected = ["a.P[2].a", "a.P[2].b", "b.P[2].a", "b.P[2].b"]
        .map(|ends| format!("P[1].{}+{}+Q.c", &ends[..1], &ends[2..]));
    assert_eq!(actions(text), expected);
}

#[test]
fn an_event_needs_partners_and_a_step_takes_one() {
    assert_eq!(
        said("event go; process P { loop { a: sync go; } }"),
        [
            "warning: «go» `go` is no joint event | only one process takes part: it has no partner | help: `sync go;` takes \
          part in it"
        ]
    );
    assert_eq!(
        said("event go; process P { loop { a: skip; } }"),
        ["warning: «go» `go` is no joint event | no process takes part | help: `sync go;` takes part in it"]
    );
    assert_eq!(
        said("event go; process P[i: 1..2] { a: sync og; }"),
        ["«og» there is no event `og` | not an event | help: did you mean `go`?"]
    );
    assert_eq!(
        said("event go, come; process P[i: 1..2] { a: atomic { sync go; if i == 1 { sync come; } } }"),
        [
            "«sync come;» a step takes part in one rendezvous or joint event at most | a second one in the same step | «sync \
          go;» the first one | help: make it a step of its own"
        ]
    );
    // One of two is fine.
    assert!(
        said("event go, come; process P[i: 1..2] { a: atomic { either { sync go; } or { sync come; } } }")
            .is_empty()
    );
    assert_eq!(
        said("param N >= 2; event go; process P[i: 1..N] { loop { a: sync go; } }"),
        [
            "«go» it is not known how many processes take `go` | all of them take it together | help: give the parameter a \
          value with `--set`"
        ]
    );
    assert_eq!(
        said("event go; process P[i: 1..30] { loop { a: sync go; b: sync go; } }"),
        [
            "«go» there are too many ways to take `go` | an action for every choice of places | help: let each process take \
          it at one place"
        ]
    );
}

#[test]
fn a_name_of_an_event_is_no_value_and_words_stay_names() {
    assert_eq!(
        said("event go; process P[i: 1..2] { loop { a: sync go; } } invariant x: go;"),
        [
            "«go» `go` is an event, not a value | an event | help: `sync go;` takes it, `taken(go)` says that it is taken"
        ]
    );
    assert_eq!(
        said("shared event, sync: bool; process P { loop { a: sync = event; b: event = !sync; } }"),
        [""; 0]
    );
}

#[test]
fn a_network_has_steps_of_its_own_that_belong_to_the_environment() {
    let text = "chan c[1..2]: [2] lossy duplicating unordered of bool; process P { loop { a: c[1]!true; b: c[2]?_; } }";
    assert_eq!(actions(text), ["P.a", "P.b", "c[1].lose", "c[2].lose", "c[1].duplicate", "c[2].duplicate"]);
    let system = load("test", text, &[]).model.expect("a model").system().clone();
    let outside: BTreeSet<bool> =
        system.actions.iter().skip(2).map(|action| system.is_environment(action)).collect();
    assert_eq!(outside, BTreeSet::from([true]));
}

#[test]
fn what_a_channel_is_not_or_does_not_do_is_reported() {
    assert_eq!(
        said("chan c: [0] lossy of bool; process P { a: c!true; } process Q { b: c?_; }"),
        ["«0» a channel of capacity 0 holds no messages | nothing to lose, double or reorder"]
    );
    assert_eq!(
        said("chan c: [1] losy of bool; process P { a: c!true; }"),
        ["«losy» unknown kind of channel `losy` | unknown | help: did you mean `lossy`?"]
    );
    assert_eq!(
        said("chan c: [1] lossy lossy of bool; process P { a: c!true; }"),
        ["«lossy» `lossy` is said once | again here"]
    );
    assert_eq!(
        said("chan c: [1] lossy of bool; process P { a: c!true; } property p: GF taken(c.duplicate);"),
        ["«duplicate» channel `c` has no step `duplicate` | not a step of this channel"]
    );
    assert_eq!(
        said("chan c: [1] of bool; process P { a: c!true; } property p: GF taken(c.lose);"),
        ["«c» channel `c` takes no steps of its own | neither lossy nor duplicating"]
    );
    assert_eq!(
        said("chan c: [1] of bool, bool; process P { a: c!true, true; } invariant p: c[0];"),
        [
            "«c» the messages of `c` have several fields: which one? | only a message of one field can be looked at | help: \
          declare a record with these fields, and a channel of such records"
        ]
    );
    let record =
        "record V { a: bool, n: 0..3 } chan c: [2] of V; process P { a: c!V { a: true, n: 1 }; b: c?_; }";
    assert!(
        said(&format!("{record} invariant p: empty(c) || c[0].n == 1 && exists m in c: m.a && m == c[0];"))
            .is_empty()
    );
    assert_eq!(
        said(&format!("{record} invariant p: c[0];")),
        ["«c[0]» `c[0]` is a record: which field? | a record | help: write `c[0].…`"]
    );
    assert_eq!(
        said("chan c: [1] of 0..3; process P { a: c!1; } invariant p: min(m in c: m) == 0;"),
        [
            "«c» there may be no messages, and then there is no least or greatest one | a channel | help: use `exists`, \
          `forall`, `count` or `sum`"
        ]
    );
}

#[test]
fn the_past_is_part_of_linear_time_and_has_no_future_in_it() {
    let about = |property: &str| {
        said(&format!("shared x: bool; process P {{ a: x = true; }} property p: {property};"))
    };
    assert_eq!(about("G (x -> O !x) && H true && (true S x) -> Y true"), [""; 0]);
    assert_eq!(
        about("AG O x"),
        [
            "«O x» CTL has no operators of the past | `Y`, `O`, `H` and `S` are LTL | «AG O x» a path quantifier: CTL"
        ]
    );
    assert_eq!(
        about("G O (x && F x)"),
        [
            "«F x» `O` looks at the past, and so does all inside it | an operator of the future | help: a formula about the \
          future may have parts about the past: `G (q -> O p)`"
        ]
    );
    assert_eq!(
        said("shared x: bool; process P { a: x = true; } invariant p: O x;").len(),
        1,
        "an invariant is about one state"
    );
    assert_eq!(
        said("shared O, H, Y, S: bool; process P { a: O = H; b: Y = S; } property p: G (O -> O Y);"),
        [""; 0]
    );
}
