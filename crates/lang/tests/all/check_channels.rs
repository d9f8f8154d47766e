//! Channels: queues and rendezvous, walked through step by step.

use model::{Fault, State};

use crate::explore::{start, system};

#[test]
fn a_channel_is_a_queue_with_room_for_its_capacity() {
    let text = "chan c: [2] of 0..7; shared x: 0..7;
        process P { a: c!3; b: c!5; d: c!7; } process Q { loop { get: c?x; } }";
    let mut walk = start(text);
    assert_eq!(walk.here(), "x = 0 c = [] P@a Q@get");
    assert_eq!(walk.enabled(), ["P.a"]);
    assert_eq!(walk.take("P.a"), "c = [3] P@b");
    assert_eq!(walk.take("P.b"), "c = [3 5] P@d");
    assert_eq!(walk.enabled(), ["Q.get"]);
    assert_eq!(walk.take("Q.get"), "x = 3 c = [5]");
    assert_eq!(walk.take("P.d"), "c = [5 7] P@end");
    assert_eq!(walk.take("Q.get"), "x = 5 c = [7]");
    assert_eq!(walk.take("Q.get"), "x = 7 c = []");
}

#[test]
fn equal_queues_are_equal_states() {
    let text = "chan c: [3] of 2..7; process P { loop { either { a: c!3; } or { b: c?_; } } }";
    let walk = start(text);
    assert_eq!(walk.reachable(), 4);
}

#[test]
fn messages_have_fields_and_an_underscore_ignores_one() {
    let text = "enum Kind { data, ack } chan c: [2] of Kind, 0..3, bool; shared k: Kind; shared n: 0..3;
        process P { a: c!ack, 2, true; b: c!data, 1, false; } process Q { d: c?k, _, _; e: c?_, n, _; }";
    let mut walk = start(text);
    walk.take("P.a");
    assert_eq!(walk.take("P.b"), "c = [ack,2,true data,1,false] P@end");
    assert_eq!(walk.take("Q.d"), "k = ack c = [data,1,false] Q@e");
    assert_eq!(walk.take("Q.e"), "n = 1 c = [] Q@end");
}

#[test]
fn an_array_of_channels_is_shown_channel_by_channel() {
    let text = "const N = 2; chan c[1..N]: [2] of 0..7;
        process P[i: 1..N] { local x: 0..7; a: c[i % N + 1]!i + 3; b: c[i]?x; }";
    let mut walk = start(text);
    assert_eq!(walk.here(), "c[1] = [] c[2] = [] P[1]@a P[1].x = 0 P[2]@a P[2].x = 0");
    assert_eq!(walk.take("P[1].a"), "c[2] = [4] P[1]@b");
    assert_eq!(walk.enabled(), ["P[2].a"]);
    assert_eq!(walk.take("P[2].a"), "c[1] = [5] P[2]@b");
    assert_eq!(walk.take("P[2].b"), "c[2] = [] P[2]@end P[2].x = 4");
    assert_eq!(walk.take("P[1].b"), "c[1] = [] P[1]@end P[1].x = 5");
}

#[test]
fn len_empty_and_full_speak_of_channels() {
    let text = "chan c: [2] of bool; shared n: 0..2; process P { a: c!true; b: await !empty(c) && !full(c); d: c!true; e: await full(c); f: n = len(c); }";
    let mut walk = start(text);
    for action in ["P.a", "P.b", "P.d", "P.e"] {
        walk.take(action);
    }
    assert_eq!(walk.take("P.f"), "n = 2 P@end");
}

#[test]
fn a_send_or_a_receive_may_stand_at_the_beginning_of_a_step() {
    let text = "chan c: [1] of 0..7; shared x: 0..7 = 1; shared b: bool;
        process P { loop { a: when x > 0 { c!x; x = x - 1; } } }
        process Q { loop { d: atomic { c?x; x = x + 2; b = true; } } }";
    let mut walk = start(text);
    assert_eq!(walk.enabled(), ["P.a"]);
    assert_eq!(walk.take("P.a"), "x = 0 c = [1]");
    assert_eq!(walk.enabled(), ["Q.d"]);
    assert_eq!(walk.take("Q.d"), "x = 3 b = true c = []");
}

#[test]
fn either_in_a_block_takes_a_branch_whose_channel_is_ready() {
    let text = "chan c: [1] of bool; chan d: [1] of bool;
        process P { loop { a: atomic { either { c!true; } or { d?_; } } } }";
    let mut walk = start(text);
    assert_eq!(walk.take("P.a"), "c = [true]");
    assert_eq!(walk.enabled(), ["idle"]);
}

#[test]
fn a_message_outside_the_type_of_its_field_is_a_fault() {
    let walk = start("chan c: [1] of 0..3; shared x: 0..9 = 5; process P { a: c!x; }");
    assert_eq!(walk.fault(), Fault::OutsideRange { name: "c[0]".to_owned(), value: 5, lo: 0, hi: 3 });
    let walk = start("chan c[1..2]: [1] of 0..3; shared x: 0..9 = 5; process P { a: c[x]!1; }");
    assert_eq!(walk.fault(), Fault::OutsideArray { name: "len(c)".to_owned(), value: 5, lo: 1, hi: 2 });
}

#[test]
fn a_received_index_decides_where_the_message_goes_before_it_is_read() {
    let text = "chan c: [1] of 0..1; shared x: 0..1; shared f: array[0..1] of 0..1;
        process P { a: c!1; } process Q { b: c?f[x]; }";
    let mut walk = start(text);
    walk.take("P.a");
    assert_eq!(walk.take("Q.b"), "f[0] = 1 c = [] Q@end");
}

#[test]
fn a_rendezvous_is_one_step_of_both() {
    let text = "chan c: [0] of 0..7, bool; shared x: 0..7;
        process P { put: c!4, true; after: skip; } process Q { local b: bool; before: skip; get: c?x, b; }";
    let mut walk = start(text);
    assert_eq!(walk.enabled(), ["Q.before"]);
    walk.take("Q.before");
    assert_eq!(walk.enabled(), ["P.put+Q.get"]);
    assert_eq!(walk.take("P.put+Q.get"), "x = 4 P@after Q@end Q.b = true");
    assert!(system(text).channels.is_empty());
}

#[test]
fn every_sender_meets_every_receiver_of_the_same_channel() {
    let text = "const N = 2; chan c[1..N]: [0] of 0..7;
        process P[i: 1..N] { put: c[i]!i; } process Q[j: 1..N] { local y: 0..7; get: c[j]?y; }
        process R { local z: 0..7; pick: choose k in 1..2 { z = k; } one: c[z]?_; }";
    let mut walk = start(text);
    let names: Vec<&str> = walk.instance.actions.iter().map(|action| action.name.as_str()).collect();
    assert_eq!(
        names,
        ["R.pick", "P[1].put+Q[1].get", "P[2].put+Q[2].get", "P[1].put+R.one", "P[2].put+R.one"]
    );
    walk.take_to("R.pick", "R@one R.z = 2");
    assert_eq!(walk.enabled(), ["P[1].put+Q[1].get", "P[2].put+Q[2].get", "P[2].put+R.one"]);
    assert_eq!(walk.take("P[2].put+R.one"), "P[2]@end R@end");
    assert_eq!(walk.take("P[1].put+Q[1].get"), "P[1]@end Q[1]@end Q[1].y = 1");
}

#[test]
fn processes_of_one_family_meet_each_other_but_not_themselves() {
    let text = "const N = 3; chan c: [0] of 1..N;
        process P[i: 1..N] { local y: 0..N; loop { either { put: c!i; } or { get: c?y; done: halt; } } }";
    let mut walk = start(text);
    assert_eq!(walk.enabled().len(), 6);
    assert_eq!(walk.take("P[3].put+P[1].get"), "P[1]@done P[1].y = 3");
    assert_eq!(walk.enabled(), ["P[2].put+P[3].get", "P[3].put+P[2].get"]);
}

#[test]
fn both_sides_of_a_rendezvous_may_wait_and_go_on_in_the_same_step() {
    let text = "chan c: [0] of 0..7; shared x: 0..7; shared open: bool; shared log: 0..99;
        process P { put: when open { c!x + 1; log = log * 10 + 1; } }
        process Q { action get when x < 5 { c?x; log = log * 10 + x; } }
        process R { go: open = true; }";
    let mut walk = start(text);
    assert_eq!(walk.enabled(), ["R.go"]);
    walk.take("R.go");
    assert_eq!(walk.take("P.put+Q.get"), "x = 1 log = 11 P@end");
}

#[test]
fn a_rendezvous_nobody_joins_is_never_enabled() {
    let walk = start("chan c: [0] of bool; process P { a: c!true; }");
    assert_eq!(walk.enabled(), ["idle"]);
}

#[test]
fn a_capacity_may_be_a_constant_expression() {
    let text = "const K = 1; chan c: [K + 1] of bool; process P { loop { a: c!true; } }";
    let mut walk = start(text);
    assert_eq!(walk.take("P.a"), "c = [true]");
    assert_eq!(walk.take("P.a"), "c = [true true]");
    assert_eq!(walk.enabled(), ["idle"]);
}

#[test]
fn vacated_slots_hold_a_value_of_their_type() {
    let walk = start("chan c: [1] of 5..7; process P { loop { either { a: c!6; } or { b: c?_; } } }");
    assert_eq!(walk.state, State(vec![0, 5, 0]));
    assert_eq!(walk.reachable(), 2);
}

#[test]
fn a_rendezvous_whose_message_does_not_fit_says_so() {
    let text =
        "chan c: [0] of 0..3, set of 1..2, seq[1] of bool; shared x: 0..9 = 2; shared s: set of 0..3 = {1};
        shared q: seq[2] of bool = [true]; process P { a: c!VALUES; } process Q { b: c?_, _, _; }";
    let fault = |values: &str| start(&text.replace("VALUES", values)).fault();
    let refused = |text: &str| Fault::Refused(text.to_owned());
    assert_eq!(
        fault("x + 2, s, q"),
        refused("`c!x + 2, s, q`: a value is outside the range 0..3 of its field")
    );
    assert_eq!(fault("x, s + {x + 1}, q"), refused("a field of `c` would get the member 3, outside 1..2"));
    assert_eq!(
        fault("x, s, append(q, true)"),
        refused("a field of `c` has no room: it holds at most 1 item")
    );
}
