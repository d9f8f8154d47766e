//! Locals that are not read again make no states of their own.

use std::collections::BTreeSet;

use lang::forget;
use model::initial::initial_states;
use model::{Instance, State, semantics};

use crate::explore;

/// The reachable states of a text: as it is written, and with dead locals forgotten.
fn states(text: &str) -> (usize, usize) {
    let model = explore::model(text);
    let plain = reachable(model.subject.instance().expect("no open parameters"));
    let forgetful = forget(model);
    (plain, reachable(forgetful.subject.instance().expect("no open parameters")))
}

fn reachable(instance: &Instance) -> usize {
    let mut pending: Vec<State> = initial_states(instance).map(|state| state.expect("no fault")).collect();
    let mut seen: BTreeSet<State> = pending.iter().cloned().collect();
    while let Some(state) = pending.pop() {
        for step in semantics::steps(instance, &state).expect("no fault") {
            if seen.insert(step.target.clone()) {
                pending.push(step.target);
            }
        }
    }
    seen.len()
}

/// The algorithm of Suzuki and Kasami with bits in place of sequence numbers: who wants to enter asks
/// all others, and the token goes to one of those who have asked. `AFTER` is done when a scratch variable is used up.
const TOKEN: &str = "
    const N = 2;
    chan ask[1..N]: [N - 1] of 1..N;
    shared token: 0..N = 1;
    process P[i: 1..N] {
        local wanted: set of 1..N;
        local from, next: 1..N;
        action hear when !empty(ask[i]) { ask[i]?from; wanted += {from}; AFTER_FROM }
        loop {
            idle: stay;
            try:  atomic { await forall j in 1..N: !full(ask[j]); if token != i { for j in 1..N { if j != i { ask[j]!i; } } } }
            wait: await token == i;
            pick: either { some: choose j in wanted { next = j; } } or { none: when empty(wanted) { next = i; } }
            give: atomic { token = next; wanted -= {next}; AFTER_NEXT }
        }
    }";

#[test]
fn scratch_variables_cost_nothing() {
    let scratch = TOKEN.replace("AFTER_FROM", "").replace("AFTER_NEXT", "");
    let by_hand = TOKEN.replace("AFTER_FROM", "from = 1;").replace("AFTER_NEXT", "next = 1;");
    let (plain, forgetful) = states(&scratch);
    let (hand, again) = states(&by_hand);
    assert_eq!((forgetful, hand), (again, again), "{plain} states without forgetting");
    assert_eq!((plain, forgetful), (73, 42));
}

/// The algorithm with its sequence numbers, for a bounded number of requests: the token carries the numbers of the
/// last requests that were granted and a queue of those who wait. `got` holds a message, `k` counts, `next` is who gets the
/// token.
const SUZUKI_KASAMI: &str = "
    const N = 3;
    const REQUESTS = 1;
    record Ask { from: 1..N, number: 1..REQUESTS }
    chan ask[1..N]: [REQUESTS] of Ask;
    shared holder: 1..N = 1;
    shared granted: array[1..N] of 0..REQUESTS;
    shared queue: seq[N] of 1..N;
    process P[i: 1..N] {
        local asked: array[1..N] of 0..REQUESTS;
        local got: Ask;
        local k: 1..N + 1;
        local next: 1..N;
        action hear {
            ask[i]?got;
            asked[got.from] = max(asked[got.from], got.number);
            AFTER_HEAR
        }
        loop {
            idle: stay;
            try: when asked[i] < REQUESTS {
                asked[i] += 1;
                if holder != i { for j in 1..N { if j != i { ask[j]!Ask { from: i, number: asked[i] }; } } }
            }
            wait: await holder == i;
            crit: granted[i] = asked[i];
            start: k = 1;
            scan: while k <= N {
                add: atomic {
                    if asked[k] > granted[k] && !(exists q in 0..N - 1: q < len(queue) && queue[q] == k) {
                        queue = append(queue, k);
                    }
                    k += 1;
                }
            }
            leave: atomic {
                AFTER_SCAN
                if !empty(queue) { next = head(queue); queue = tail(queue); holder = next; AFTER_LEAVE }
            }
        }
    }";

#[test]
fn suzuki_kasami_with_scratch_variables_has_the_states_of_the_version_reset_by_hand() {
    let scratch = ["AFTER_HEAR", "AFTER_SCAN", "AFTER_LEAVE"]
        .iter()
        .fold(SUZUKI_KASAMI.to_owned(), |text, mark| text.replace(mark, ""));
    let by_hand = SUZUKI_KASAMI
        .replace("AFTER_HEAR", "got = Ask { from: 1, number: 1 };")
        .replace("AFTER_SCAN", "k = 1;")
        .replace("AFTER_LEAVE", "next = 1;");
    let (plain, forgetful) = states(&scratch);
    let (hand, again) = states(&by_hand);
    assert_eq!((forgetful, hand), (again, again), "{plain} states without forgetting");
    assert_eq!((plain, forgetful), (2436, 1832));
}

#[test]
fn the_model_as_it_is_written_can_be_had_back() {
    let text =
        "shared x: 0..3; process P { local y: 0..3; loop { a: choose v in 0..3 { y = v; } b: x = y; } }";
    let model = explore::model(text);
    let system = model.system().clone();
    let forgetful = forget(model);
    assert_ne!(*forgetful.system(), system);
    assert_eq!(*forgetful.as_written().system(), system);
    assert_eq!(*forgetful.as_written().as_written().system(), system);
}

#[test]
fn a_received_value_is_forgotten_after_its_last_use() {
    let text = "chan c: [1] of 0..3; shared x: bool;
        process S { loop { put: choose v in 0..3 { c!v; } } }
        process R { local m: 0..3; loop { get: c?m; use: x = m > 1; rest: skip; rest2: skip; } }";
    let (plain, forgetful) = states(text);
    assert!(forgetful < plain, "{forgetful} and {plain}");
    // What a property reads stays.
    let (plain, forgetful) = states(&format!("{text} invariant known: R.m <= 3;"));
    assert_eq!(forgetful, plain);
    // So does everything where strong global fairness counts states.
    let (plain, forgetful) = states(&format!("{text} property global_one: GF x under global;"));
    assert_eq!(forgetful, plain);
}

#[test]
fn scratch_variables_of_guarded_commands_and_shared_ones_cost_nothing() {
    let texts = [
        // A local of a process without code.
        "chan c: [1] of 0..3; shared x: bool; process S { action put { choose v in 0..3 { c!v; } } }
         process R { local m: 0..3; action get { c?m; x = m > 1; } }",
        // A shared variable.
        "shared x: bool; shared m: 0..3; process S { action a { choose v in 0..3 { m = v; x = m > 1; } } }",
    ];
    for text in texts {
        let (plain, forgetful) = states(text);
        assert!(forgetful < plain, "{forgetful} and {plain}: {text}");
    }
    // A message is kept although nobody looks at it, and so is a shared variable that is only written.
    for text in [
        "chan c: [1] of 0..3; process S { action put { choose v in 0..3 { c!v; } } action get { c?_; } }",
        "shared x: 0..3; process S { action put { choose v in 0..3 { x = v; } } }",
    ] {
        let (plain, forgetful) = states(text);
        assert_eq!(forgetful, plain, "{text}");
    }
}

#[test]
fn a_property_that_keeps_values_is_known() {
    let text = "chan c: [1] of 0..3; shared x: bool;
        process S { loop { put: choose v in 0..3 { c!v; } } }
        process R { local m, n: 0..3; loop { get: c?m; use: atomic { n = m; x = n > 1; } } }
        property known: G R.m <= 3; property again: F R.m == 3;";
    let kept = forget(explore::model(text)).kept;
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].variable.as_str(), kept[0].property.as_str()), ("R.m", "known"));
    assert!(!kept[0].global);
    let kept = forget(explore::model(&format!("{text} property all: GF x under global;"))).kept;
    let kept: Vec<_> =
        kept.iter().map(|kept| (kept.variable.as_str(), kept.property.as_str(), kept.global)).collect();
    assert_eq!(kept, [("R.m", "all", true), ("R.n", "all", true)]);
}

#[test]
fn what_is_read_again_is_kept() {
    for text in [
        // By the step that writes it.
        "process P { local y: 0..3; loop { a: y = (y + 1) % 4; b: skip; } }",
        // By a guarded command.
        "shared x: 0..3; process P { local y: 0..3; action z { x = y; } loop { a: choose v in 0..3 { y = v; } b: skip; } }",
        // By another process.
        "shared x: 0..3; process P { local y: 0..3; loop { a: choose v in 0..3 { y = v; } b: skip; } } process Q { loop { r: x = P.y; } }",
    ] {
        let (plain, forgetful) = states(text);
        assert_eq!(forgetful, plain, "{text}");
    }
    // Elements of an array are written one by one, so the array is kept until all are written at once.
    let text = "process P { local a: array[1..2] of bool; local b: bool;
        loop { one: choose v in {false, true} { a[1] = v; } two: b = a[1] && a[2]; three: a = [j: b]; } }";
    let (plain, forgetful) = states(text);
    assert!(forgetful < plain, "{forgetful} and {plain}");
}

#[test]
fn a_variable_with_many_initial_values_is_forgotten_too() {
    let (plain, forgetful) = states(
        "process P[i: 1..2] { local y: 0..3 = any; loop { a: skip; b: choose v in 0..3 { y = v; } } }",
    );
    assert!(forgetful <= plain, "{forgetful} and {plain}");
    let (plain, forgetful) =
        states("shared x: 0..9; process P[i: 1..2] { local y: 0..3 = i; loop { a: y = 3; b: x = y; } }");
    assert!(forgetful <= plain, "{forgetful} and {plain}");
}
