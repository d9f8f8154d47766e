//! Oversized texts: each gets one clear message soon, and does not exhaust the stack.

use std::time::{Duration, Instant};

use lang::diagnostic::Diagnostic;
use lang::{parse, print};

const MEGABYTES: usize = 1_000_000;

/// `head`, then `part` repeated up to `bytes` bytes, then `tail`.
fn long(bytes: usize, head: &str, part: &str, tail: &str) -> String {
    format!("{head}{}{tail}", part.repeat(bytes / part.len()))
}

/// The messages of a text, which must not take long. The limit is ten times the promised second, because this build is
/// hardly optimised and the machine may be busy.
fn messages(text: &str) -> Vec<String> {
    let start = Instant::now();
    let (file, diagnostics) = parse(text);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    print(&file);
    let Some(longest) = diagnostics.iter().map(length).max() else { return Vec::new() };
    assert!(longest < 1000, "a message of {longest} bytes");
    diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect()
}

fn length(diagnostic: &Diagnostic) -> usize {
    diagnostic.message.len() + diagnostic.label.len() + diagnostic.help.as_ref().map_or(0, String::len)
}

#[test]
fn ten_megabytes_of_anything_get_one_message() {
    for (megabytes, part) in [(10, "("), (1, "!"), (1, "["), (10, "{"), (1, "a ")] {
        let expected = format!("expected a declaration, found `{}`", part.trim());
        assert_eq!(messages(&long(megabytes * MEGABYTES, "", part, "")), [expected]);
    }
    let inside = messages(&long(MEGABYTES, "process P ", "{", ""));
    assert_eq!(inside, ["expected a statement, found `{`"]);
    let cut = format!("expected a declaration, found `{}…`", "a".repeat(40));
    assert_eq!(messages(&long(10 * MEGABYTES, "", "a", "")), [cut]);
    assert_eq!(messages(&long(MEGABYTES, "", "😀", "")).len(), 1);
    assert_eq!(messages(&long(MEGABYTES, "", "\0", "")).len(), 1);
}

#[test]
fn what_is_nested_too_deep_gets_one_message() {
    for (head, part) in [
        ("init ", "("),
        ("init ", "!"),
        ("init ", "-"),
        ("init ", "[]"),
        ("init ", "G "),
        ("init ", "a["),
        ("init ", "f(a || b && c U d == e + "),
        ("init ", "A["),
        ("init ", "if a {"),
        ("init ", "if a { b } else "),
        ("init ", "forall i in 1..2: "),
        ("init ", "count(i in 1..2: "),
        ("init ", "a -> "),
        ("init ", "a U "),
        ("init ", "a in {"),
        ("shared x: ", "array[1..2] of "),
        ("fairness ", "("),
        ("fairness ", "for i in 1..2: "),
        ("process P { ", "loop { "),
        ("process P { ", "l: atomic { "),
        ("process P { ", "choose v in 1..2 { "),
        ("process P { ", "if a { } else "),
    ] {
        let text = long(MEGABYTES, head, part, "");
        assert_eq!(messages(&text), ["nested more than 200 levels deep"], "{head}{part}");
    }
}

#[test]
fn a_chain_of_operators_that_is_too_long_gets_one_message() {
    for part in [" && a", " || a", " + a", " * a", "[0]", ".a", "@a"] {
        let text = long(MEGABYTES, "init a", part, ";");
        assert_eq!(messages(&text), ["more than 1000 operators in one chain"], "{part}");
    }
    let million = long(5 * MEGABYTES, "init a", " && a", ";");
    assert_eq!(messages(&million), ["more than 1000 operators in one chain"]);
}

#[test]
fn chains_inside_chains_are_as_high_as_both() {
    let inside = format!("({})", ["a"; 600].join(" + "));
    let text = |outside: usize| format!("init {inside}{};", " + a".repeat(outside));
    assert_eq!(messages(&text(300)), [""; 0]);
    assert_eq!(messages(&text(500)), ["more than 1000 operators in one chain"]);
}

#[test]
fn what_is_long_but_not_deep_is_read() {
    assert_eq!(messages(&long(MEGABYTES, "init a in {0", ", 0", "};")), [""; 0]);
    assert_eq!(messages(&long(MEGABYTES, "", "const N = 3;\n", "")), [""; 0]);
    assert_eq!(messages(&long(MEGABYTES, "process P {", "x = x + 1;\n", "}")), [""; 0]);
    assert_eq!(messages(&long(MEGABYTES, "fairness a", " & a", ";")), [""; 0]);
    assert_eq!(messages(&long(MEGABYTES, "", "// a\n", "")), [""; 0]);
    let disjunction = vec!["a == 1 && b == 2"; 900].join(" || ");
    assert_eq!(messages(&format!("init {disjunction};")), [""; 0]);
}

#[test]
fn other_declarations_are_read_after_one_that_is_too_deep() {
    let text = format!("init {}\nproperty p: G x\nconst N = 3;", "(".repeat(1000));
    assert_eq!(messages(&text), ["nested more than 200 levels deep", "expected `;`, found `const`"]);
    let (file, _) = parse(&text);
    assert_eq!(file.items.len(), 3);
}

#[test]
fn errors_are_counted_up_to_fifty() {
    for text in [
        long(MEGABYTES, "", "};\n", ""),
        long(MEGABYTES, "", "# ", ""),
        long(MEGABYTES, "init a", " = a", ";"),
    ] {
        assert_eq!(messages(&text).len(), 50);
    }
    assert_eq!(messages(&"const = 1;\n".repeat(49)).len(), 49);
}

#[test]
fn a_number_that_does_not_fit_gets_one_message() {
    assert_eq!(messages("const N = 9223372036854775807;"), [""; 0]);
    let message = "the number `9223372036854775808` does not fit in 64 bits";
    assert_eq!(messages("const N = 9223372036854775808;"), [message]);
    assert_eq!(messages(&long(10 * MEGABYTES, "const N = ", "9", ";")).len(), 1);
}
