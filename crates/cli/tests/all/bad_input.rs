//! Bad input gets one clear message and exit code 2, quickly, and never a panic.

use std::time::Duration;

use crate::command::{Answer, fairly, file};

/// Generous, for a busy machine: we guard against minutes, not milliseconds.
const SOON: Duration = Duration::from_secs(5);

const MUTEX: &str = include_str!("../../src/mux_sem.fair");

/// Asserts exit code 2 and a short message that contains this.
fn refused(answer: &Answer, says: &str) {
    let Answer { code, stdout, stderr, time } = answer;
    assert_eq!(*code, Some(2), "{stdout}{stderr}");
    assert!(stderr.contains(says), "`{says}` is not in: {stderr}");
    for word in ["panicked", "broke down", "RUST_BACKTRACE"] {
        assert!(!stderr.contains(word), "{stderr}");
    }
    assert!(stderr.len() < 20_000, "the message has {} bytes", stderr.len());
    assert!(*time < SOON, "it took {time:?}");
}

/// Checks a model with this text, in a file named after the test.
fn check(name: &str, text: impl AsRef<[u8]>) -> Answer {
    fairly(&["check", &file(&format!("{name}.fair"), text)])
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    let mut bytes = b"shared x: bool;\n".to_vec();
    bytes.extend([0xff, 0xfe, 0x00, 0x80]);
    refused(&check("bytes", bytes), "is not UTF-8 text: byte 16, on line 2");
}

#[test]
fn text_that_is_no_model_is_refused() {
    refused(&check("garbage", "\u{1b}[31m}{ ]( \u{0}\u{7} %$§ \u{202e} 12ab 'x' \"\n".repeat(1000)), "error");
}

#[test]
fn ten_megabytes_of_parentheses_are_refused() {
    refused(&check("parentheses", "(".repeat(10_000_000)), "error");
    refused(&check("nested", format!("invariant p: {}", "(".repeat(10_000_000))), "error");
    refused(
        &check("balanced", format!("invariant p: {}true{};", "(".repeat(5_000_000), ")".repeat(5_000_000))),
        "error",
    );
    refused(&check("braces", format!("process P {{ {}", "loop {".repeat(1_000_000))), "error");
    refused(&check("negations", format!("invariant p: {}true;", "!".repeat(1_000_000))), "error");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    refused(&fairly(&["check", "no/such/file.fair"]), "cannot read no/such/file.fair: there is no such file");
    refused(&fairly(&["explain", env!("CARGO_TARGET_TMPDIR")]), "it is a directory");
    refused(&fairly(&["print", env!("CARGO_TARGET_TMPDIR")]), "it is a directory");
    refused(&check("long", " ".repeat((16 << 20) + 1)), "is longer than 16 MiB");
}

#[test]
fn bad_settings_are_refused() {
    let mutex = file("settings.fair", MUTEX);
    refused(&fairly(&["check", "--set", "N=0", &mutex]), "empty");
    refused(&fairly(&["check", "--set", "Q=1", &mutex]), "`Q`");
    refused(&fairly(&["check", "--set", "N=99999999", &mutex]), "99999999");
    refused(&fairly(&["check", "--set", "N=three", &mutex]), "three");
    refused(&fairly(&["check", "--set", "N", &mutex]), "NAME=VALUE");
}

#[test]
fn a_parameter_without_a_value_is_asked_for() {
    // A variable that holds an index is outside what can be answered for every number.
    let text = MUTEX.replace("const N = 3;", "param N >= 2; shared turn: 1..N;");
    let model = file("parameter.fair", text);
    let asked = "parameter N has no value: give one with --set N=…";
    refused(&fairly(&["check", "--engine", "counter", &model]), asked);
    // Small values are tried, and some property fails for one.
    let tried = fairly(&["check", &model]);
    assert!(tried.code != Some(2) && tried.stdout.contains("shown for N = 2"), "{}", tried.stdout);
    refused(&fairly(&["simulate", &model]), "parameter N has no value: give one with --set N=…");
    refused(&fairly(&["check", "--set", "N=1", &model]), "N");
    assert_eq!(fairly(&["check", "--set", "N=2", &model]).code, Some(0));
}

#[test]
fn impossible_ranges_numbers_and_arrays_are_refused() {
    refused(&check("empty_range", "shared x: 5..1;\n"), "empty");
    refused(&check("literal", "const N = 99999999999999999999;\n"), "99999999999999999999");
    refused(&check("array", "shared a: array[1..1000000000] of bool;\ninvariant p: a[1];\n"), "1000000000");
}

#[test]
fn division_by_zero_in_a_guard_is_an_answer() {
    for operator in ["/", "%"] {
        let text = format!(
            "shared x: 0..3;\nprocess P {{ action go when 1 {operator} x == 0 {{ x = 1; }} }}\n\
             invariant fine: x < 4 expect fails;\n"
        );
        let answer = check("division", text);
        assert_eq!(answer.code, Some(1), "{}{}", answer.stdout, answer.stderr);
        assert!(answer.stdout.contains("fault in P.go: division by zero"), "{}", answer.stdout);
    }
}

const BLINKER: &str = "shared x: bool;\nprocess P { action flip { x = !x; } }\n";

const DARK: &str =
    "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"lit\"\nAcceptance: 0 t\n--BODY--\nState: 0\n[!0] 0\n--END--\n";

/// Checks a model whose only property is an automaton in a file with this name and text.
fn automaton(name: &str, text: impl AsRef<[u8]>, with: &str) -> Answer {
    file(name, text);
    check(name, format!("{BLINKER}property p: never automaton \"{name}\"{with};\n"))
}

#[test]
fn automata_that_cannot_be_used_are_refused_where_they_are_named() {
    let lit = " with lit = x";
    assert_eq!(automaton("dark.hoa", DARK, lit).code, Some(0));
    let answer = automaton("rabin.hoa", DARK.replace("0 t", "2 Fin(0)&Inf(1)"), lit);
    refused(
        &answer,
        "rabin.hoa, line 6: this acceptance is not supported, only Büchi and generalised Büchi are",
    );
    refused(&answer, "rabin.hoa.fair:3:29");
    refused(&automaton("meaningless.hoa", DARK, ""), "the automaton speaks of `lit`");
    refused(&automaton("empty.hoa", "", lit), "empty.hoa, line 1: the text does not begin with `HOA: v1`");
    refused(&automaton("alternating.hoa", DARK.replace("] 0", "] 0&0"), lit), "line 8: alternation");
    refused(&automaton("bytes.hoa", [0xff, 0xfe], lit), "is not UTF-8 text");
    refused(&automaton("long.hoa", vec![b' '; (16 << 20) + 1], lit), "is longer than 16 MiB");
    let endless = DARK.replace("States: 1", "States: 99999999999");
    refused(&automaton("endless.hoa", endless, lit), "too large");
    let missing = check("missing", format!("{BLINKER}property p: never automaton \"no_such.hoa\";\n"));
    refused(&missing, "no_such.hoa: there is no such file");
    let folder = check("folder", format!("{BLINKER}property p: never automaton \"\";\n"));
    refused(&folder, "it is a directory");
}

#[test]
fn bad_usage_is_refused() {
    let mutex = file("usage.fair", MUTEX);
    for (arguments, says) in [
        (&["check", "--frobnicate"][..], "--frobnicate"),
        (&["chekc"], "chekc"),
        (&[], "Usage"),
        (&["check", "--engine", "symbolix", &mutex], "there is no engine `symbolix`, only auto, explicit"),
        (&["check", "--fairness", "strnog", &mutex], "strong"),
        (&["check", "--format", "xml", &mutex], "xml"),
        (&["check", "--memory-limit", "lots", &mutex], "write a size"),
        (&["check", "--time-limit", "-1", &mutex], "write a number of seconds"),
        (&["check", "--threads", "0", &mutex], "--threads"),
        (&["check", "--property", "mutx", &mutex], "there is no property `mutx`; did you mean `mutex`?"),
        (&["check", "--property", "no_starvation[4]", &mutex], "there is no property `no_starvation[4]`"),
        (&["simulate", "--seed", "x", &mutex], "--seed"),
        (&["print"], "FILE"),
    ] {
        refused(&fairly(arguments), says);
    }
}

#[test]
fn a_bad_file_does_not_keep_the_others_from_being_checked() {
    let (good, bad) = (file("good.fair", MUTEX), file("bad.fair", "shared x bool;\n"));
    let answer = fairly(&["check", &bad, &good, "no_such.fair"]);
    refused(&answer, "no_such.fair");
    assert!(answer.stderr.contains("bad.fair:1"), "{}", answer.stderr);
    assert!(answer.stdout.contains("✓ mutex"), "{}", answer.stdout);
}

#[test]
fn questions_and_files_that_do_not_fit_are_refused() {
    let program =
        file("counter.t2", "START: 0; FROM: 0; x := 3; TO: 1; FROM: 1; assume(x > 0); x := x - 1; TO: 1;");
    let model = file("fitting.fair", MUTEX);
    refused(&fairly(&["check", &program]), "ask with --termination");
    refused(&fairly(&["check", &model, "--termination"]), "what is asked of a model");
    refused(&fairly(&["check", "--ctl", "[AG](x > 0)"]), "what is asked of a model");
    refused(&fairly(&["check", &program, &model, "--termination"]), "commands of their own");
    refused(&fairly(&["check", &program, "--termination", "--set", "N=3"]), "no constants to set");
    refused(&fairly(&["check", &program, "--termination", "--safety"]), "cannot be used with");
    refused(&fairly(&["check", &program, "--fairness-pair", "(x > 0, x > 1)"]), "required");
    refused(&fairly(&["check", &program, "--safety"]), "no CUTPOINT");
    refused(&fairly(&["check", &program, "--safety=9"]), "no location `9`");
    refused(&fairly(&["check", &program, "--ctl", "[AG](y > 0)"]), "no variable `y`");
    refused(&fairly(&["check", &program, "--ltl", "G(F(x > ))"]), "--ltl:1:9");
    refused(
        &fairly(&["check", &program, "--termination", "--fairness-pair", "(x > 0)"]),
        "--fairness-pair:1:7",
    );
    refused(&fairly(&["simulate", &program]), "only `fairly check` and `fairly explain` read programs");
    refused(
        &fairly(&["check", &file("broken.t2", "START: 0; FROM: 0; x = 1; TO: 1;"), "--termination"]),
        "`=`",
    );
}
