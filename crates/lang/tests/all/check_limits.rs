//! Oversized input: every text is answered within a second and exhausts neither stack nor memory.

use std::time::{Duration, Instant};

use crate::said::said;

/// The diagnostics of a text, which must not take long.
fn soon(text: &str) -> Vec<String> {
    let begin = Instant::now();
    let lines = said(text);
    // Generous, because tests run side by side and without full optimisation.
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    lines
}

/// `template` for each number of `range`, with the number in place of `#` and its predecessor in place of `<`.
fn numbered(range: std::ops::Range<usize>, template: &str) -> String {
    let one = |k: usize| template.replace('#', &k.to_string()).replace('<', &k.saturating_sub(1).to_string());
    range.map(one).collect()
}

/// `open` repeated `depth` times, `middle`, then `close` repeated `depth` times.
fn nested(depth: usize, open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn definitions_that_double_are_stopped() {
    let text = format!("define d0 = 1; {} invariant a: d50 == 1;", numbered(1..51, "define d# = d< + d<;"));
    assert_eq!(soon(&text), ["«d17» this expands to more than 1000000 parts | too large"]);
    let text = format!("define f(x) = x + x; invariant a: {} == 0;", nested(100, "f(", "1", ")"));
    assert_eq!(soon(&text).len(), 1);
    let text =
        format!("shared b: bool; define f(x) = x && X x; property a: {};", nested(100, "f(", "F b", ")"));
    assert_eq!(soon(&text).len(), 1);
}

#[test]
fn operands_that_are_repeated_are_stopped() {
    let text = format!("shared b: bool; invariant a: {};", nested(100, "(", "b", " in {true, false})"));
    assert_eq!(soon(&text).len(), 1);
    let text = format!("shared b: bool; property a: {};", nested(100, "(", "F b", " <-> b)"));
    assert_eq!(soon(&text).len(), 1);
}

#[test]
fn definitions_that_go_deep_are_stopped() {
    let text = format!("define d0 = true; {} invariant a: d900;", numbered(1..901, "define d# = !(d<);"));
    let lines = soon(&text);
    assert!(
        lines.len() == 1 && lines[0].ends_with("after expansion, this is nested too deeply | too deep"),
        "{lines:?}"
    );
    let high = " - x".repeat(900);
    let text = format!("shared x: int; define d0 = x{high}; define d1 = d0{high}; invariant a: d1 == 0;");
    assert_eq!(soon(&text), ["«d0» after expansion, this is nested too deeply | too deep"]);
}

#[test]
fn deep_but_allowed_input_is_read() {
    let deep = [
        format!("shared x: int; invariant a: x{} == 0;", " - x".repeat(900)),
        format!("shared b: bool; invariant a: b{};", " && b".repeat(900)),
        format!("shared b: bool; invariant a: {};", nested(95, "!(", "b", ")")),
        format!("shared b: bool; property p: {};", nested(95, "X (", "b", ")")),
        format!("shared f: array[1..1] of 1..1; invariant a: {} == 1;", nested(100, "f[", "1", "]")),
        format!("shared b: bool; process P {{ {} }}", nested(150, "if b { ", "skip;", " }")),
        format!("shared b: bool; process P {{ a: {} }}", nested(150, "when b { ", "skip;", " }")),
    ];
    for text in deep {
        assert_eq!(soon(&text), [""; 0]);
    }
    // Equally deep, but with few enough outcomes to list.
    let opened = numbered(0..15, "choose v# in 0..1 { ") + &numbered(15..150, "choose v# in 1..1 { ");
    let text = format!("shared x: int; process P {{ a: {opened} x = v7; {} }}", "}".repeat(150));
    assert_eq!(soon(&text), [""; 0]);
}

#[test]
fn long_chains_of_names_need_no_stack() {
    let text = format!("const c0 = 1; {} invariant a: c20000 == 1;", numbered(1..20001, "const c# = c<;"));
    assert_eq!(soon(&text), [""; 0]);
    let text =
        format!("const c0 = c20000; {} invariant a: c20000 == 1;", numbered(1..20001, "const c# = c<;"));
    let lines = soon(&text);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with(
        "«c0» constant `c0` is defined in terms of itself | needs its own value | «c20000» through"
    ));
    let text = format!(
        "process P {{ a: skip; }} fairness f0: weak P; {} property p: F P@end under f20000;",
        numbered(1..20001, "fairness f#: f<;")
    );
    assert_eq!(soon(&text), [""; 0]);
    let text = format!("process P {{ a0: skip; {} }}", numbered(1..20001, "a#: goto a<;"));
    assert_eq!(soon(&text).len(), 1, "all but the first are never reached");
}

#[test]
fn fairness_that_doubles_is_stopped() {
    let text = format!(
        "process P {{ a: skip; }} fairness f0: weak P; {} property p: F P@end under f40;",
        numbered(1..41, "fairness f#: f< & f<;")
    );
    assert_eq!(soon(&text), ["«f13 & f13» this assumption has more than 10000 requirements | too large"]);
    let text = format!(
        "process P {{ {} }} {}",
        "skip; ".repeat(1000),
        numbered(0..1000, "property p#: F P@end under weak all;")
    );
    assert_eq!(soon(&text), ["«weak all» this expands to more than 1000000 parts | too large"]);
}

#[test]
fn many_statements_errors_and_names_take_linear_time() {
    assert_eq!(soon(&format!("process P {{ {} }}", "skip; ".repeat(20000))), [""; 0]);
    assert_eq!(
        soon(&format!("shared b: bool; process P {{ a: atomic {{ {} }} }}", "await b; ".repeat(20000))),
        [""; 0]
    );
    let lines = soon(&numbered(0..20000, "invariant a#: zork#; "));
    assert_eq!(lines.len(), 101);
    assert_eq!(lines[100], "19900 more errors are not shown");
    let known = numbered(0..20000, "shared longname#: bool; ");
    assert_eq!(soon(&format!("{known} {}", numbered(0..2000, "invariant a#: lingname#; "))).len(), 101);
    let parameters = numbered(0..3000, ", p#: 0..0");
    let text = format!("process P {{ action a({}) {{ skip; }} }}", &parameters[2..]);
    assert_eq!(soon(&text), ["«p1000» more than 1000 names are bound at once | one too many"]);
}

#[test]
fn channels_do_not_multiply_beyond_measure() {
    let text = format!(
        "chan c: [0] of bool; process P {{ {} }} process Q {{ {} }}",
        "c!true; ".repeat(1000),
        "c?_; ".repeat(1000)
    );
    assert_eq!(soon(&text), ["«c» this expands to more than 1000000 parts | too large"]);
    let text = format!("chan c: [100000] of bool; process P {{ {} }}", "c?_; ".repeat(100));
    assert_eq!(soon(&text), ["«c?_;» this expands to more than 1000000 parts | too large"]);
}

#[test]
fn sizes_are_refused_before_anything_of_that_size_is_built() {
    assert_eq!(
        soon("shared f: array[1..1000000000] of bool;"),
        ["«1..1000000000» the system is too large: 1000000000 values of `f` | at most 1000000 fit"]
    );
    assert_eq!(
        soon("shared f: array[-9223372036854775807..9223372036854775807] of bool;"),
        [
            "«-9223372036854775807..9223372036854775807» the system is too large: 18446744073709551615 values of `f` | at most 1000000 fit"
        ]
    );
    assert_eq!(soon(&format!("shared f: {} bool;", "array[1..2] of ".repeat(100))).len(), 1);
    assert_eq!(
        soon("process P[i: 1..9000000000000000000] { a: skip; }"),
        [
            "«1..9000000000000000000» the system is too large: family `P` has 9000000000000000000 processes | at most 1000000 fit"
        ]
    );
    assert_eq!(
        soon("shared x: int; process P { a: choose v in {0, 9223372036854775807} { x = v; } }"),
        [
            "«{0, 9223372036854775807}» the values to choose from lie too far apart | from 0 to 9223372036854775807"
        ]
    );
    assert_eq!(soon("process P[i: 1..100000] { a: skip; b: skip; }"), [""; 0]);
}

#[test]
fn ranges_inside_one_another_go_through_so_many_combinations_at_most() {
    let too_many = "«1..1000» with the ranges around it this one has 1000000000 combinations, but at most \
                    1000000 are allowed | too many values";
    let nested = "(i in 1..1000: sum(j in 1..1000: sum(k in 1..1000: i)))";
    assert_eq!(soon(&format!("shared x: int; process P {{ a: x = sum{nested}; }}")), [too_many]);
    assert_eq!(soon(&format!("shared x: int; invariant p: x < sum{nested};")), [too_many]);
    let text = "shared x: int; process P { a: choose u in 1..1000 { choose v in 1..1000 { choose w in 1..1000 { x = w; } } } }";
    assert_eq!(soon(text), [too_many]);
    let text = "shared x: int; process P { a: skip; } property p: F (x == 1) under for i in 1..1000: for j in 1..1000: \
                for k in 1..1000: justice (x == i);";
    assert_eq!(soon(text), [too_many]);
}

#[test]
fn a_step_waits_for_so_many_choices_at_most() {
    // 2^18 combinations, each with a condition of more than 50 parts.
    let text = |choices: usize| {
        let open = numbered(0..choices, "choose v# in 0..1 { ");
        let sum = (0..choices).map(|at| format!("v{at} * x")).collect::<Vec<_>>().join(" + ");
        format!("shared x: 0..9; process P {{ a: {open} await {sum} == 9; {} }}", "}".repeat(choices))
    };
    assert_eq!(soon(&text(10)), [""; 0]);
    let lines = soon(&text(18));
    let words =
        "the condition under which this step can be done is too large | with all choices written out, it has";
    assert!(lines.len() == 1 && lines[0].contains(words), "{lines:?}");
}

#[test]
fn the_whole_is_called_too_large_once() {
    let text = "process P[i: 1..900000] { local a: bool; local b: bool; local c: bool; }";
    assert_eq!(soon(text), ["«bool» the system is too large: 900000 values of `b` | at most 1000000 fit"]);
    let text = "process P[i: 1..2000] { a: c!true; } process Q[i: 1..2000] { b: c?_; } chan c: [0] of bool;";
    assert_eq!(soon(text), ["too many actions (the limit is 1000000)"]);
}

#[test]
fn constants_cannot_loop_for_long() {
    let lines = soon(&numbered(0..5000, "const a# = sum(i in 1..1000: i);"));
    assert_eq!(lines, ["«1..1000» this expands to more than 1000000 parts | too large"]);
}

#[test]
fn input_at_the_limits_of_the_parser_exhausts_nothing() {
    for depth in (80..=200).step_by(5) {
        soon(&format!("shared f: array[1..1] of 1..1; invariant a: {} == 1;", nested(depth, "f[", "1", "]")));
        soon(&format!("shared b: bool; invariant a: {};", nested(depth, "!", "b", "")));
        soon(&format!("shared b: bool; property a: {};", nested(depth, "X ", "b", "")));
        soon(&format!("define d(x) = x; invariant a: {} == 1;", nested(depth, "d(", "1", ")")));
        soon(&format!("invariant a: {} == 1;", nested(depth, "if true { ", "1", " } else { 1 }")));
        soon(&format!("shared b: bool; invariant a: {};", nested(depth, "(b -> ", "b", ")")));
        soon(&format!("shared b: bool; property a: {};", nested(depth, "A[b U ", "b", "]")));
        soon(&format!("invariant a: {};", numbered(0..depth, "forall j# in 0..0: ") + "true"));
        soon(&format!("process P {{ a: {} }}", nested(depth, "atomic { ", "skip;", " }")));
        soon(&format!("process P {{ {} }}", nested(depth, "either { skip; ", "skip;", " } or { skip; }")));
    }
    soon(&format!("shared f: array[1..1] of 1..1; invariant a: f{} == 1;", "[1]".repeat(999)));
    soon(&format!("shared b: bool; invariant a: b{};", " <-> b".repeat(999)));
    soon(&format!("shared b: bool; property a: F b{};", " <-> b".repeat(999)));
    soon(&format!("shared x: int; invariant a: x{} == 1;", " % x".repeat(999)));
}
