//! Every construct of the language is exported, or refused by its name.

use exchange::export::{Exported, Refusal, promela, smv, tla};
use model::Task;

/// A construct, a model that uses it, and for Promela, SMV and TLA+ a word of the refusal, if it is refused.
type Case = (&'static str, &'static str, [Option<&'static str>; 3]);

const EXPORTED: [Option<&str>; 3] = [None; 3];

const CASES: &[Case] = &[
    (
        "for, whole arrays and comprehensions",
        "shared a, b: array[1..2] of bool = [j: j == 2]; process P { loop { s: atomic { for j in 1..2 { a[j] = !a[j]; } } \
         t: a = b; u: b = [j: a[3 - j]]; } } invariant p: a[1] || !a[1];",
        EXPORTED,
    ),
    (
        "waiting anywhere, let, macros, assertions, compound assignment",
        "shared x: 0..3; macro up(v) { await v < 3; v += 1; } process P { loop { s: atomic { let old = x; up(x); await old < 2; \
         assert x > old \"up\"; } t: x = 0; } } invariant p: x <= 3;",
        EXPORTED,
    ),
    (
        "records",
        "record V { a: bool, n: 0..1 } shared v, w: V; process P { loop { s: v = V { a: !w.a, n: 1 }; t: w = v; } } \
         invariant p: v == w || v != w;",
        EXPORTED,
    ),
    (
        "sets",
        "enum N { ann, bob } shared s: set of N; process P { loop { s: choose n in N where !(n in s) { s += {n}; } t: choose n \
         in s { s -= {n}; } } } invariant p: |s| <= 2;",
        EXPORTED,
    ),
    (
        "sequences",
        "shared q: seq[2] of 0..1; process P { loop { s: when !full(q) { q = append(q, 1); } t: when !empty(q) { q = tail(q); } \
         } } invariant p: len(q) <= 2 && (empty(q) || head(q) == 1);",
        EXPORTED,
    ),
    (
        "enums as indices, tables and several indices",
        "enum N { ann, bob } const w = [1, 0]; shared a: array[N] of 0..1; process P[n: N, k: 1..2] { loop { s: a[n] = w[k]; } } \
         property p[n: N, k: 1..2] where k == 1: G F taken(P[n][k]) under weak P;",
        EXPORTED,
    ),
    (
        "channels that lose, double and reorder, and looking at messages",
        "record V { a: bool, n: 0..1 } chan c: [2] unordered lossy duplicating of V; process S { loop { s: choose n in 0..1 { \
         c!V { a: true, n: n }; } } } process R { loop { r: c?_; } } invariant p: forall m in c: m.a;",
        EXPORTED,
    ),
    (
        "a rendezvous inside a step",
        "chan r: [0] of 0..1; shared x: 0..1; process S { loop { s: atomic { x = 1 - x; if x == 1 { r!x; } } } } \
         process R { local y: 0..1; loop { t: atomic { let v = r?; y = v; } } } invariant p: R.y <= 1;",
        EXPORTED,
    ),
    (
        "joint events",
        "event go; shared x: 0..1; process P[i: 1..3] { loop { s: skip; t: atomic { sync go; x = 1 - x; } } } property p: G F \
         taken(go) under weak P;",
        EXPORTED,
    ),
    (
        "environment and stuttering",
        "stuttering; shared x: bool; environment process U { action on { x = true; } } process S { action off when x { x = false; \
         } } property p: G F !x under weak all;",
        EXPORTED,
    ),
    (
        "leads to",
        "shared x: bool; process P { loop { s: x = true; t: x = false; } } property p: x ~> !x;",
        EXPORTED,
    ),
    (
        "past operators",
        "shared x: bool; process P { loop { s: x = true; t: x = false; } } property p: G (x -> O !x);",
        [Some("past"), None, Some("`O`")],
    ),
];

/// The reasons why a model, or its property, is refused.
fn refused(exported: Result<Exported, Refusal>) -> Option<String> {
    match exported {
        Err(refusal) => Some(refusal.reason),
        Ok(Exported { refused, .. }) => refused.into_iter().next().map(|(_, refusal)| refusal.reason),
    }
}

#[test]
fn every_construct_is_exported_or_refused_by_name() {
    for (name, source, words) in CASES {
        let loaded = lang::load("test", source, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{name}: {:?}", loaded.diagnostics));
        let tasks: Vec<Task> = model.checks.into_iter().map(|check| check.task).collect();
        let exports = [("Promela", promela(&tasks)), ("SMV", smv(&tasks)), ("TLA+", tla(&tasks, "Test"))];
        for ((tool, exported), word) in exports.into_iter().zip(words) {
            match (refused(exported), word) {
                (None, None) => {}
                (Some(reason), Some(word)) => assert!(reason.contains(word), "{name} in {tool}: {reason}"),
                (found, expected) => panic!("{name} in {tool}: {found:?}, expected {expected:?}"),
            }
        }
    }
}

#[test]
fn a_step_that_is_too_large_says_what_of_the_model_makes_it_so() {
    let source = "record V { a: bool, n: 0..3 } chan c: [6] unordered of V; chan d: [6] unordered of V; shared s: set of 0..3;
        process P { loop { t: atomic { let m = c?; d!m; let k = c?; d!k; s += {m.n}; } } } invariant p: len(c) <= 6;";
    let loaded = lang::load("test", source, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let tasks: Vec<Task> = model.checks.into_iter().map(|check| check.task).collect();
    for reason in [promela(&tasks), smv(&tasks), tla(&tasks, "Test")].into_iter().filter_map(refused) {
        assert!(reason.contains("(in `P.t`, which has the channel `c`, the channel `d`"), "{reason}");
    }
}
