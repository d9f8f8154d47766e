//! Records, sets and sequences.

use model::Fault;
use model::system::Demand;

use crate::explore::{initial, start};
use crate::said::said;

#[test]
fn a_record_is_one_value_with_fields() {
    let mut walk = start(
        "enum Node { ann, bob } record Vote { term: 0..3, from: Node }
         shared v: Vote = Vote { from: bob, term: 2 }; shared all: array[Node] of Vote;
         process P { a: all[v.from] = v; b: v.term += 1; c: all[ann], v = v, all[ann]; d: await v == all[ann]; }",
    );
    assert_eq!(
        walk.here(),
        "v = Vote { term: 2, from: bob } all[ann] = Vote { term: 0, from: ann } \
         all[bob] = Vote { term: 0, from: ann } P@a"
    );
    assert_eq!(walk.take("P.a"), "all[bob] = Vote { term: 2, from: bob } P@b");
    assert_eq!(walk.take("P.b"), "v = Vote { term: 3, from: bob } P@c");
    assert_eq!(
        walk.take("P.c"),
        "v = Vote { term: 0, from: ann } all[ann] = Vote { term: 3, from: bob } P@d"
    );
    assert_eq!(walk.enabled(), ["idle"]);
}

#[test]
fn records_nest_and_hold_arrays_sets_and_sequences() {
    let mut walk = start(
        "record In { a: array[1..2] of bool, s: set of 0..2 } record Out { first: In, second: In, q: seq[2] of In }
         shared o: Out = Out { first: In { a: [true, false], s: {1} }, second: In { a: [j: j == 2], s: {} }, q: [] };
         process P { a: o.second = o.first; b: o.q = append(o.q, o.first); c: o.q[0].a[2] = true; d: o.first = o.q[0]; }",
    );
    let first = "In { a: [true, false], s: {1} }";
    assert_eq!(
        walk.here(),
        format!("o = Out {{ first: {first}, second: In {{ a: [false, true], s: {{}} }}, q: [] }} P@a")
    );
    assert_eq!(walk.take("P.a"), format!("o = Out {{ first: {first}, second: {first}, q: [] }} P@b"));
    walk.take("P.b");
    walk.take("P.c");
    let changed = "In { a: [true, true], s: {1} }";
    assert_eq!(
        walk.take("P.d"),
        format!("o = Out {{ first: {changed}, second: {first}, q: [{changed}] }} P@end")
    );
}

#[test]
fn records_are_messages_choices_and_arguments() {
    let mut walk = start(
        "record M { k: 0..2, b: bool } chan c: [2] of M, set of 0..1; shared got: M; shared s: set of 0..1;
         define total(x, y) = x.k + y.k; define both(x) = M { k: x.k, b: true };
         macro put(r) { c!r, {1}; }
         process P { a: put(both(got)); b: c!(if got.b { got } else { M { k: 2, b: false } }), {};
                     d: c?got, s; e: atomic { let m, t = c?; got = M { k: total(m, got), b: 1 in t || m.b }; } }",
    );
    assert_eq!(walk.take("P.a"), "c = [M { k: 0, b: true },{1}] P@b");
    assert_eq!(walk.take("P.b"), "c = [M { k: 0, b: true },{1} M { k: 2, b: false },{}] P@d");
    assert_eq!(walk.take("P.d"), "got = M { k: 0, b: true } s = {1} c = [M { k: 2, b: false },{}] P@e");
    assert_eq!(walk.take("P.e"), "got = M { k: 2, b: false } c = [] P@end");
}

#[test]
fn records_meet() {
    let mut walk = start(
        "record M { k: 0..2, b: bool } chan c: [0] of M;
         process P { a: c!M { k: 2, b: true }; } process Q { local m: M; b: c?m; }",
    );
    assert_eq!(walk.take("P.a+Q.b"), "P@end Q@end Q.m = M { k: 2, b: true }");
}

#[test]
fn what_is_wrong_with_a_record_is_said() {
    let text =
        |rest: &str| format!("record Vote {{ term: 0..3, ok: bool }} shared v: Vote; shared x: 0..9; {rest}");
    let one = |rest: &str| said(&text(rest));
    assert_eq!(
        one("init v == Vote { term: 1 };"),
        ["«Vote { term: 1 }» `Vote` lacks the field `ok` | not all fields are given | «Vote» declared here"]
    );
    assert_eq!(
        one("init v == Vote { term: 1, ok: true, term: 2 };"),
        ["«term» field `term` is given twice | given again | «term» first given here"]
    );
    assert_eq!(
        one("init v.trem == 1; init v == Vote { term: 1, okk: true, ok: true };"),
        [
            "«trem» `Vote` has no field `trem` | not a field | help: did you mean `term`?",
            "«okk» `Vote` has no field `okk` | not a field | help: did you mean `ok`?",
        ]
    );
    assert_eq!(
        one("init v == Vote { trm: 1, ok: true };"),
        ["«trm» `Vote` has no field `trm` | not a field | help: did you mean `term`?"]
    );
    assert_eq!(
        said(
            "record R { log: seq[1] of 0..3 } chan c: [1] of R; process P { a: c!R { log: append([1], 0) }; }"
        ),
        ["«append([1], 0)» field `log` has no room: it holds at most 1 item | too long"]
    );
    assert_eq!(
        one("init v; init v == x; init Vote { term: 7, ok: true } == v; init x.term == 1;"),
        [
            "«v» `v` is a record: which field? | a record | help: write `v.…`",
            "«v == x» a `Vote` is compared with a number | never the same kind | «v» a `Vote` | «x» a number",
            "«7» field `term` would become 7, outside its range | field `term` goes from 0 to 3",
            "«x» `x` is neither a process nor a record | `.` needs a process or a record before it",
        ]
    );
    assert_eq!(
        one("init v == Vot { term: 1, ok: true }; shared w: Vot;"),
        [
            "«Vot» unknown record `Vot` | not declared | help: did you mean `Vote`?",
            "«Vot» unknown type `Vot` | not declared | help: did you mean `Vote`?",
        ]
    );
    assert_eq!(
        said("record A { b: B } record B { a: array[1..2] of A } record C { x: bool, x: bool } shared a: A;"),
        [
            "«A» record `A` contains itself | it would never end | «B» through this",
            "«x» the name `x` is taken | declared again | «x» first declared here",
        ]
    );
    assert_eq!(
        one("process P { a: v = x; b: x = v; c: v, x = v; d: request v; e: v += 1; }"),
        [
            "«x» expected a `Vote`, found a number | this is a number",
            "«v» `v` is a record: which field? | a record | help: write `v.…`",
            "«v, x = v» the left side has 2 variables, not 1 | 2 variables expected",
            "«v» `v` is a `Vote`, not one value | a `Vote`",
            "«v» `+=` is for numbers and sets, but `v` is a `Vote` | a `Vote`",
        ]
    );
}

#[test]
fn sets_have_members() {
    let mut walk = start(
        "enum N { a, b, c } shared s: set of N = {b}; shared t: set of N; shared n: 0..3; shared x: N = c;
         process P {
             one: s += {a};       two: t = s & {b, c};   three: s = s - {x, b};
             four: s = {v0, c} + t; five: when s > t && t <= s && !(s <= t) { n = |s|; }
             six: choose v in s where v != c { t = {v}; }
             seven: await (exists v in s: v == c) && (forall v in s + t: v in {a, b, c}) && count(v in s: true) == 3;
             eight: await sum(v in s: if v == a { 1 } else { 2 }) == 5 && min(v in s: if v == a { 7 } else { 5 }) == 5;
         } const v0 = a;",
    );
    assert_eq!(walk.here(), "s = {b} t = {} n = 0 x = c P@one");
    assert_eq!(walk.take("P.one"), "s = {a, b} P@two");
    assert_eq!(walk.take("P.two"), "t = {b} P@three");
    assert_eq!(walk.take("P.three"), "s = {a} P@four");
    assert_eq!(walk.take("P.four"), "s = {a, b, c} P@five");
    assert_eq!(walk.take("P.five"), "n = 3 P@six");
    assert_eq!(walk.outcomes("P.six"), ["P@seven", "t = {a} P@seven"]);
    walk.take_to("P.six", "t = {a} P@seven");
    walk.take("P.seven");
    assert_eq!(walk.take("P.eight"), "P@end");
}

#[test]
fn a_member_outside_the_type_is_a_fault() {
    let text = "shared s: set of 1..2; shared x: 0..3 = 3; process P { a: BODY }";
    let fault = |body: &str| start(&text.replace("BODY", body)).fault().to_string();
    assert_eq!(fault("s += {x};"), "`s` would get a member outside 1..2");
    assert_eq!(fault("s = {x};"), "`s` would get the member 3, outside 1..2");
    assert_eq!(fault("s = s + {x} + {1};"), "`s` would get the member 3, outside 1..2");
    let mut walk = start(&text.replace("BODY", "s -= {x}; b: x = if x in s { 0 } else { 1 };"));
    assert_eq!(walk.take("P.a"), "P@b");
    assert_eq!(walk.take("P.b"), "x = 1 P@end");
}

#[test]
fn sets_and_sequences_that_are_wrong_are_said() {
    let one = |rest: &str| {
        said(&format!("shared s: set of 1..2; shared q: seq[2] of bool; shared x: 0..9; {rest}"))
    };
    assert_eq!(
        one("process P { a: s += {4}; b: s = s + 1; c: s = x; d: s += 1; }"),
        [
            "«{4}» `s` would get the member 4, outside 1..2 | outside the type of the set",
            "«1» `+` stands between a set and a number | expected a set",
            "«x» expected a set, found a number | this is a number",
            "«1» `+` stands between a set and a number | expected a set",
        ]
    );
    assert_eq!(
        one("init s == {true}; init x in q; init s; init s[1]; init |x| == 1; init x & 1 == 1;"),
        [
            "«s == {true}» a set with a number in it meets one with a truth value in it | never the same kind",
            "«q» `q` is not a range | expected `lo..hi`, an enum or a set | help: write `1..q` or `0..q` for a range of numbers",
            "«s» `s` is a set, not one value | a set | help: `x in S`, `|S|` and quantifiers are about a set",
            "«1» `s` is a set, and a set has no order | has no elements with an index | help: write `x in s`",
            "«x» `x` is not a range | expected `lo..hi`, an enum or a set | help: write `1..x` or `0..x` for a range of numbers",
            "«x & 1» `&` is for sets, not for a number | not a set",
        ]
    );
    assert_eq!(
        one(
            "shared u: set of int; shared w: set of 1..2 = {3}; shared r: seq[0] of bool; shared p: seq[2] of bool = any;"
        ),
        [
            "«int» the members of a set are truth values, members of an enum, or numbers of a range | cannot be listed",
            "«{3}» `w` would get the member 3, outside 1..2 | outside the type of the set",
            "«0» a sequence cannot have room for 0 items | at least one",
            "«any» a sequence begins with one value, not with any | a sequence | help: write `= []`, or `= [1, 2]`",
        ]
    );
    assert_eq!(
        one(
            "init q[2]; init head(x) == 1; init q == [1]; process P { a: q = [true, false, true]; b: q = append(q); }"
        ),
        [
            "«2» index 2 is outside the sequence `q` | the sequence `q` goes from 0 to 1",
            "«x» `x` is not a sequence | has no items",
            "«q == [1]» a truth value is compared with a number | never the same kind | «q» a truth value | «[1]» a number",
            "«[true, false, true]» `q` has no room: it holds at most 2 items | too long",
            "«append(q)» `append` has 2 arguments, not 1 | 2 arguments expected",
        ]
    );
}

#[test]
fn sequences_grow_and_shrink() {
    let mut walk = start(
        "shared q: seq[3] of 0..5 = [1]; shared x: 0..5; shared k: 0..3 = 1;
         process P {
             a: q = append(q, 4);  b: x = q[k];     c: q[0] = 5;         d: q = append(append([], 2), head(q));
             e: q = tail(q);       f: await len(q) == 1 && !full(q) && q == [5] && q != [] && q != [5, 5];
             g: q = tail(append(q, 3)); h: x = tail(append(q, 0))[0]; i: q = []; j: await empty(q);
         }",
    );
    assert_eq!(walk.here(), "q = [1] x = 0 k = 1 P@a");
    assert_eq!(walk.take("P.a"), "q = [1, 4] P@b");
    assert_eq!(walk.take("P.b"), "x = 4 P@c");
    assert_eq!(walk.take("P.c"), "q = [5, 4] P@d");
    assert_eq!(walk.take("P.d"), "q = [2, 5] P@e");
    assert_eq!(walk.take("P.e"), "q = [5] P@f");
    walk.take("P.f");
    assert_eq!(walk.take("P.g"), "q = [3] P@h");
    assert_eq!(walk.take("P.h"), "x = 0 P@i");
    assert_eq!(walk.take("P.i"), "q = [] P@j");
    assert_eq!(walk.take("P.j"), "P@end");
    // Items that are gone leave nothing behind.
    let text = "shared q: seq[2] of 1..2; process P { loop {
        a: choose v in 1..2 { when len(q) < 2 { q = append(q, v); } } b: q = if len(q) == 2 { [] } else { q }; } }";
    assert_eq!(start(text).reachable(), 9);
}

#[test]
fn no_room_and_no_item_are_faults() {
    let text = "shared q: seq[2] of 0..5 = [1, 2]; shared x: 0..5 = 2; process P { a: BODY }";
    let fault = |body: &str| start(&text.replace("BODY", body)).fault();
    let full = Fault::Refused("`q` has no room: it holds at most 2 items".to_owned());
    assert_eq!(fault("q = append(q, 3);"), full);
    assert_eq!(fault("q = append(append(tail(q), 3), 4);"), full);
    assert_eq!(fault("x = q[x];"), Fault::EmptyExtreme);
    assert_eq!(fault("q[x] = 1;"), Fault::EmptyExtreme);
    let text = text.replace("seq[2]", "seq[3]");
    let fault = |body: &str| start(&text.replace("BODY", body)).fault();
    assert_eq!(fault("x = head(tail(tail(q)));"), Fault::EmptyExtreme);
    assert_eq!(fault("q = tail(tail(tail(q)));"), Fault::EmptyExtreme);
}

#[test]
fn initial_values_of_compounds() {
    let states = initial(
        "shared s: set of 0..1 = any; record R { b: bool, k: 1..2 } shared r: array[1..2] of R = any;",
    );
    assert_eq!(states.len(), 64);
    assert_eq!(
        initial(
            "record R { b: bool, q: seq[2] of 1..3 } process P[i: 1..2] { local r: R = R { b: i == 2, q: [i, 3] }; }"
        ),
        ["P[1].r = R { b: false, q: [1, 3] } P[2].r = R { b: true, q: [2, 3] }"]
    );
    assert_eq!(
        initial(
            "shared f: array[1..2] of seq[2] of bool = [[true], []]; shared g: array[1..2] of set of bool = {true};"
        ),
        ["f[1] = [true] f[2] = [] g[1] = {true} g[2] = {true}"]
    );
}

/// What the report says of these faults is in the index of a minimum over no values.
#[test]
fn a_value_that_is_not_there_has_a_text() {
    let text = "const ring = [2, 3, 1]; shared q: seq[2] of 0..5 = [1]; shared S: set of 0..5; shared x: 0..5 = 2; chan c: [2] of 0..5;
        define longer = append(q, 1); process P { a: BODY }";
    let told = |body: &str| {
        let system = crate::explore::system(&text.replace("BODY", body));
        let texts = system.indices.clone().into_iter().filter_map(|index| match index.demand {
            Some(Demand::Check(text)) if index.name == "outside" => Some(text),
            _ => None,
        });
        texts.collect::<Vec<_>>()
    };
    assert_eq!(told("x = head(q);"), ["`head(q)`: `q` is empty"]);
    assert_eq!(told("q = tail(q);"), ["`tail(q)`: `q` is empty"]);
    assert_eq!(told("x = q[1];"), ["`q[1]`: `q` has no item 1"]);
    assert_eq!(told("q[x] = 1;"), ["`q[x]`: `q` has no item with this index"]);
    assert_eq!(told("x = c[0];"), ["`c[0]`: `c` is empty"]);
    assert_eq!(told("x = longer[x];"), ["`longer[x]`: `longer` has no item with this index"]);
    assert_eq!(told("x = ring[x];"), ["an index of the table `ring` is outside 1..3"]);
    assert_eq!(told("x = max(m in S: m);"), ["`max` over a set that is empty"]);
}

#[test]
fn a_sequence_is_not_written_as_elsewhere() {
    let said =
        |body: &str| said(&format!("shared q: seq[2] of 0..5; shared x: 0..5; process P {{ a: {body} }}"));
    assert_eq!(
        said("q += [1];"),
        [
            "«q» `+=` is for numbers and sets, but `q` is a sequence | a sequence | help: `q = append(q, e);` puts an item at the end"
        ]
    );
    assert_eq!(
        said("x = q.head;"),
        [
            "«q» `q` is neither a process nor a record | `.` needs a process or a record before it | help: write `head(q)`"
        ]
    );
}
