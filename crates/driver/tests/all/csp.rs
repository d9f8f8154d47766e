//! The models of the PAT paper, in CSP#: verdicts under every fairness, as its tables have them.
//!
//! `examples/pat/*.csp` are read as they are. The order of the columns: none, weak, strong (strong local), global.

use driver::import::{self, Language};
use driver::{FairnessOption, Model, Options, Severity, Verdict, World};

fn read(text: &str) -> Result<Model, String> {
    let loaded = driver::load_foreign(Language::Csp, "model", text, &[], "", &[], &import::no_files);
    let error = loaded.diagnostics.iter().find(|found| found.severity == Severity::Error);
    let message = error.map_or(String::new(), |error| format!("{}: {}", error.message, error.label));
    loaded.model.ok_or(message)
}

fn example(name: &str) -> String {
    let path = format!("{}/../../examples/pat/{name}.csp", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The verdicts of all claims under a fairness.
fn verdicts(model: &Model, fairness: FairnessOption) -> Vec<bool> {
    let options = Options { fairness, without_notes: true, ..Options::default() };
    let report = driver::check(model, &options, &World::unlimited(), &mut |_, _| {}).expect("a report");
    let outcomes = report.outcomes.iter().map(|outcome| {
        assert!(outcome.dispute.is_none(), "{:?}", outcome.dispute);
        match outcome.verdict {
            Verdict::Holds => true,
            Verdict::Fails => false,
            Verdict::Unknown => panic!("undecided"),
        }
    });
    outcomes.collect()
}

const FAIRNESS: [FairnessOption; 4] =
    [FairnessOption::None, FairnessOption::Weak, FairnessOption::Strong, FairnessOption::Global];

fn ladder(text: &str) -> [bool; 4] {
    let model = read(text).unwrap_or_else(|message| panic!("{message}\n{text}"));
    FAIRNESS.map(|fairness| verdicts(&model, fairness)[0])
}

#[test]
fn the_papers_models_have_the_papers_verdicts() {
    let expected = [
        ("le_c", [false, true, true, true]),
        ("le_t", [false, true, true, true]),
        ("le_r", [false, false, false, true]),
        ("le_or", [false, false, false, true]),
        // The error that the paper reports: no fairness helps.
        ("le_or_printed", [false, false, false, false]),
        ("tc_r", [false, false, false, true]),
        ("dp", [false, false, false, false]),
        ("ms", [true, true, true, true]),
        ("peterson", [false, true, true, true]),
    ];
    for (name, verdicts) in expected {
        assert_eq!(ladder(&example(name)), verdicts, "{name}");
    }
    // The token circulates in a ring of three nodes whatever the scheduler does.
    let three = example("tc_r").replace("#define N 5;", "#define N 3;").replace(" + token[3] + token[4]", "");
    assert_eq!(ladder(&three), [true, true, true, true]);
    for (name, sizes, verdicts) in [("dp", [3, 4], [false; 4]), ("ms", [3, 7], [true; 4])] {
        for size in sizes {
            let text = example(name).replace("#define N 5;", &format!("#define N {size};"));
            assert_eq!(ladder(&text), verdicts, "{name}({size})");
        }
    }
}

#[test]
fn events_keep_their_names() {
    let model = read(&example("le_r")).expect("a model");
    let names: Vec<String> = model
        .subject
        .instance()
        .expect("an instance")
        .actions
        .iter()
        .map(|action| action.name.clone())
        .collect();
    assert!(names.iter().any(|name| name == "Node_0.rule1.0.1"), "{names:?}");
    // A printed model has names of our language, and means the same.
    let printed = driver::translated(Language::Csp, &example("le_r"), &import::no_files).expect("a model");
    assert!(printed.contains("rule1_0_1"), "{printed}");
    let loaded = driver::load("printed", &printed, &[], &import::no_files);
    let again = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    assert_eq!(FAIRNESS.map(|fairness| verdicts(&again, fairness)[0]), [false, false, false, true]);
}

#[test]
fn fairness_is_read_from_annotations() {
    // Fig. 10 of the paper: only the oracle must be heard.
    let text = "var correct = 0; var guess = false;
        Detector() = wf(oracle){correct = 1;} -> Detector() [] guess1{guess = true;} -> Detector() [] guess2{guess = false;} -> Detector();
        #assert Detector() |= <> correct == 1; #assert Detector() |= []<> guess1;";
    let model = read(text).expect("a model");
    assert_eq!(verdicts(&model, FairnessOption::Declared), [true, false]);
    let clock = "var x:{0..3} = 0; Clock() = f(tick){x = (x + 1)%4;} -> Clock(); Other() = o -> Other();
        System() = Clock() ||| Other(); #assert System() |= []<> tick; #assert System() |= []<> o;";
    let model = read(clock).expect("a model");
    assert_eq!(verdicts(&model, FairnessOption::Declared), [true, false]);
}

#[test]
fn live_events_count_a_process_that_is_ready_alone() {
    // `b` is ready in P for ever, but Q does not take part any more: so a run in which P waits is not fair by `wl`.
    let text = |word: &str| {
        format!(
            "P() = {word}(b) -> P(); Q() = b -> Q() [] c -> R(); R() = d -> R(); #alphabet R {{b, d}};
             System() = P() || Q(); #assert System() |= []<> b;"
        )
    };
    let declared = |text: &str| verdicts(&read(text).expect("a model"), FairnessOption::Declared)[0];
    assert!(!declared(&text("wf")), "b is not enabled in R");
    assert!(declared(&text("wl")), "P is ready for b all the time");
    assert!(declared(&text("sl")));
}

#[test]
fn operators_mean_what_they_say() {
    let holds =
        |text: &str| verdicts(&read(text).unwrap_or_else(|m| panic!("{m}\n{text}")), FairnessOption::None);
    // A process that has ended is not stuck; one that waits for ever is.
    assert_eq!(holds("P() = a -> Skip; #assert P() deadlockfree;"), [true]);
    assert_eq!(holds("P() = a -> Stop; #assert P() deadlockfree;"), [false]);
    assert_eq!(
        holds("P() = a -> b -> P(); Q() = b -> a -> Q(); S() = P() || Q(); #assert S() deadlockfree;"),
        [false]
    );
    // What comes after a sequence waits for it.
    assert_eq!(
        holds(
            "var x = 0; I() = i{x = 1;} -> Skip; P() = [x == 0] bad -> P() [] good -> P(); S() = I(); (P() ||| P()); #assert S() |= [] !bad; #assert S() reaches x == 1;"
        ),
        [true, true]
    );
    // The first condition that is true decides.
    assert_eq!(
        holds(
            "var x = 1; P() = case { x == 1 : a -> P() x > 0 : b -> P() default : c -> P() }; #assert P() |= [] a;"
        ),
        [true]
    );
    // An internal choice is a step of its own, an external one is not.
    assert_eq!(holds("P() = (a -> Skip) <> (b -> Skip); #assert P() |= a || b;"), [false]);
    assert_eq!(holds("P() = (a -> Skip) [] (b -> Skip); #assert P() |= a || b;"), [true]);
    // Events with a program are not shared; the others are, among all that have them.
    assert_eq!(
        holds(
            "var x = 0; P() = a{x = 1;} -> b -> Skip; Q() = b -> Skip; S() = P() || Q(); #assert S() |= <>(b && x == 1); #assert S() deadlockfree;"
        ),
        [true, true]
    );
    // Channels: what is received is known in the process that follows.
    // Without room, one sends while the other receives.
    for room in [0, 1, 3] {
        let text = format!(
            "channel c {room}; var got = 0; S(i) = ifa (i < 3) {{ c!i + 1 -> S(i + 1) }} else {{ Stop }};
             R() = c?x -> take.x{{got = got + x;}} -> R(); Sys() = S(0) ||| R();
             #assert Sys() |= <> got == 6; #assert Sys() |= [] got <= 6; #assert Sys() |= <> take.3; #assert Sys() deadlockfree;"
        );
        assert_eq!(holds(&text), [true, true, true, false], "{room}");
    }
    let meet = "channel c 0; var x = 0; P() = c!1 -> P() [] c!2 -> Stop; Q() = c?v{x = v;} -> Q(); R() = c?2 -> r -> R();
        S() = P() ||| Q() ||| R(); #assert S() |= [] (x == 2 -> !c.1); #assert S() |= [] (c.2 -> X [] !c.1);
        #assert S() reaches x == 2; #assert S() |= [] !r; #assert S() |= [] (c.1 -> X x == 1);";
    assert_eq!(holds(meet), [true, true, true, false, true]);
    // Programs are sequential and atomic.
    assert_eq!(
        holds(
            "var x = 0; var y = 0; P() = a{x = 1; if (x == 1) { y = x + 1; } else { y = 5; }} -> Skip; #assert P() |= <> y == 2; #assert P() |= [] (x == 0 || y == 2);"
        ),
        [true, true]
    );
}

#[test]
fn what_cannot_be_said_is_refused_with_a_reason() {
    for (text, words) in [
        ("P() = a -> P(); b -> Skip; #assert P() deadlockfree;", "goes on afterwards"),
        ("P() = P() [] Q(); Q() = a -> Skip; #assert P() deadlockfree;", "without a step"),
        ("P() = a -> (P() ||| P()); #assert P() deadlockfree;", "at the outside only"),
        (
            "var x = 0; channel c 1; P() = c!x -> a{x = x + 1;} -> P(); #assert P() deadlockfree;",
            "too many different values",
        ),
        ("var x = 0; P() = a.x -> P(); #assert P() deadlockfree;", "constant"),
        ("P() = a -> Q(); #assert P() deadlockfree;", "no process `Q`"),
        ("P() = a -> Skip;", "no assertion"),
        ("P() = atomic{a -> Skip}; #assert P() deadlockfree;", "atomic"),
    ] {
        let message = read(text).map_or_else(|message| message, |_| String::new());
        assert!(message.contains(words), "{text}: {message}");
    }
}

/// A loop whose length is known is written out; `var` in a program is no part of the state.
#[test]
fn programs_have_loops_and_variables_of_their_own() {
    let model = |program: &str| {
        format!(
            "var n:{{0..9}} = 0; var i:{{0..9}} = 0; var a[3];\nP() = go{{{program}}} -> Skip;\n\
             #define three (n == 3 && a[0] == 1 && a[1] == 1 && a[2] == 1);\n#assert P() reaches three;\n\
             #assert P() nonterminating;\n#assert P() deadlockfree;\n#assert P() deterministic;\n"
        )
    };
    // The process ends, which is no deadlock, but it does not go on.
    for program in [
        "var k = 0; while (k < 3) { a[k] = 1; n = n + 1; k++; }",
        "i = 0; while (i < 3) { a[i] = 1; i = i + 1; } n = i; if (i == 3) { i = 0; } else { n = 0; }",
    ] {
        let model = read(&model(program)).expect("a model");
        assert_eq!(verdicts(&model, FairnessOption::None), [true, false, true], "{program}");
    }
    for program in ["while (n < 3) { n = n + 1; }", "var k = n;", "while (true) { n = 0; }"] {
        assert!(read(&model(program)).is_err_and(|message| message.contains("loop")), "{program}");
    }
}
