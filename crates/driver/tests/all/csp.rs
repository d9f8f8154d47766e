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
    let all = std::env::var("FAIRLY_CSP").is_ok_and(|value| value == "all");
    let sizes: [(&str, std::ops::RangeInclusive<usize>, [bool; 4]); 7] = [
        ("dp", 3..=if all { 8 } else { 4 }, [false; 4]),
        ("ms", 3..=if all { 12 } else { 7 }, [true; 4]),
        ("le_c", 4..=if all { 8 } else { 4 }, [false, true, true, true]),
        ("le_t", 5..=if all { 13 } else { 5 }, [false, true, true, true]),
        ("le_r", 4..=if all { 5 } else { 3 }, [false, false, false, true]),
        ("tc_r", 7..=if all { 9 } else { 6 }, [false, false, false, true]),
        ("peterson", 4..=if all { 4 } else { 3 }, [false, true, true, true]),
    ];
    for (name, sizes, verdicts) in sizes {
        // Trees, and rings in which a token goes round, have an odd number of nodes.
        let step = if matches!(name, "le_t" | "tc_r") { 2 } else { 1 };
        for size in sizes.step_by(step) {
            println!("{name}({size})");
            assert_eq!(ladder(&sized(name, size)), verdicts, "{name}({size})");
        }
    }
}

/// An example with another number of nodes. What it writes out for each of them is written out for these.
fn sized(name: &str, size: usize) -> String {
    let text = example(name);
    let old = if text.contains("#define N 5;") { 5 } else { 3 };
    let every = |count: usize, sign: &str, one: &dyn Fn(usize) -> String| {
        (0..count).map(one).collect::<Vec<_>>().join(sign)
    };
    let mut text = text.replace(&format!("#define N {old};"), &format!("#define N {size};"));
    for array in ["leader", "token"] {
        let one = |at: usize| format!("{array}[{at}]");
        text = text.replace(&every(old, " + ", &one), &every(size, " + ", &one));
    }
    let any = |at: usize| format!("Any({at})");
    text = text.replace(&every(old, "; ", &any), &every(size, "; ", &any));
    let others = |count: usize| every(count - 1, " && ", &|at| format!("pos[(i + {})%N] < j", at + 1));
    text.replace(&others(old), &others(size))
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

/// Fig. 1 of the paper as it is printed: with the numbers of lines and printed arrows. `Process(x)` is `Node(x)`, and `Init`
/// is what the paper describes and leaves out.
#[test]
fn the_papers_figure_is_read_as_it_is_printed() {
    let figure = "
1. #define N 3;
2. #define exist (correct == 0 && guess) || (correct != 0 && leader[0] + leader[1] + leader[2] > 0);
3. var correct = 0; var guess = false;
4. var leader[N]; var bullet[N]; var shield[N];
5. Node(i) = case {
6.     !exist : rule1.i.(i + 1)%N{bullet[i] = 1; leader[i] = 1; shield[i] = 1; } → Node(i)
7.     leader[i] == 0 && shield[i] == 1 && exist : rule2.i.(i + 1)%N{
8.         leader[i] = 0; shield[i] = 0; bullet[(i + 1)%N] = 0; shield[(i + 1)%N] = 1;
9.     } → Node(i)
10.    leader[i] == 1 && shield[i] == 1 && exist : rule3.i.(i + 1)%N{
11.        bullet[i] = 1; leader[i] = 1; shield[i] = 0; bullet[(i + 1)%N] = 0; shield[(i + 1)%N] = 1;
12.    } → Node(i)
13.    leader[i] == 1 && shield[i] == 0 && bullet[(i + 1)%N] == 0 && exist :
14.        rule4.i.(i + 1)%N{bullet[i] = 1; leader[i] = 1; shield[i] = 0; bullet[(i + 1)%N] = 0; } → Node(i)
15.    shield[i] == 0 && bullet[(i + 1)%N] == 1 && exist :
16.        rule5.i.(i + 1)%N{bullet[i] = 1; leader[i] = 0; shield[i] = 0; bullet[(i + 1)%N] = 0; } → Node(i)
17. };
18. Detector() = oracle{correct = 1; } → Detector() []
19.    guess1{guess = false; } → Detector() [] guess2{guess = true; } → Detector();
20. LeaderElection() = Init(); (Detector() ||| (||| x : 0..N - 1@Process(x)));

21. #define oneLeader (leader[0] + leader[1] + leader[2] == 1);
22. #assert LeaderElection() |= <> []oneLeader;
";
    let left_out = "
Process(x) = Node(x);
Any(i) = (leader0.i{leader[i] = 0;} -> Skip [] leader1.i{leader[i] = 1;} -> Skip);
    (bullet0.i{bullet[i] = 0;} -> Skip [] bullet1.i{bullet[i] = 1;} -> Skip);
    (shield0.i{shield[i] = 0;} -> Skip [] shield1.i{shield[i] = 1;} -> Skip);
Init() = Any(0); Any(1); Any(2);
";
    assert_eq!(ladder(&format!("{figure}{left_out}")), [false, false, false, true]);
    let model = read(&format!("{figure}{left_out}")).expect("a model");
    for fairness in [FairnessOption::ProcessWeak, FairnessOption::ProcessStrong] {
        assert_eq!(verdicts(&model, fairness), [false]);
    }
}

#[test]
fn what_is_atomic_comes_before_the_rest() {
    let holds =
        |text: &str| verdicts(&read(text).unwrap_or_else(|m| panic!("{m}\n{text}")), FairnessOption::None);
    // From the beginning on, and once it is reached.
    let first = "P() = atomic{a -> b -> Skip}; Q() = c -> Skip; S() = P() ||| Q(); #assert S() |= !c U b; #assert S() |= <> c;";
    assert_eq!(holds(first), [true, true]);
    let later = "P() = a -> atomic{b -> c -> Skip}; e -> Skip; Q() = d -> f -> Skip; S() = P() ||| Q();
        #assert S() |= [](a -> X (b && X c)); #assert S() |= [](c -> X e); #assert S() |= [] !d;";
    assert_eq!(holds(later), [true, false, false]);
    // One that waits for a partner stops nobody, and goes on at once when the partner comes.
    let blocked = "channel m 0; P() = atomic{a -> m!1 -> b -> Skip}; Q() = d -> m?x -> e.x -> Skip; S() = P() ||| Q();
        #assert S() |= [](a -> X d); #assert S() |= [](d -> X (m.1 && X (b && X e.1))); #assert S() |= <> e.1;";
    assert_eq!(holds(blocked), [true, true, true]);
    // So does a full queue, and an empty one.
    let queue =
        "channel c 1; P() = atomic{c!1 -> c!2 -> done -> Skip}; Q() = c?x -> got.x -> Q(); S() = P() ||| Q();
        #assert S() |= !got.1 U done; #assert S() |= <> (done && X got.1); #assert S() |= <> got.2;";
    assert_eq!(holds(queue), [true, true, true]);
    let waits = "channel c 1; P() = atomic{c?x -> got.x -> P()}; Q() = c!1 -> c!2 -> Skip; R() = r -> R(); S() = P() ||| Q() ||| R();
        #assert S() |= !r W got.1; #assert S() |= [] !(r && X got.1); #assert S() |= []<> r;";
    assert_eq!(holds(waits), [false, true, true]);
    // Several of them go on in any order, and all parallel parts inside one are first.
    let several = "P() = atomic{a -> b -> Skip}; Q() = atomic{c -> Skip}; R() = r -> Skip; S() = P() ||| Q() ||| R();
        #assert S() |= !r U (b || c); #assert S() |= !c U b; #assert S() |= !b U c; #assert S() |= <> (b && X c);";
    assert_eq!(holds(several), [true, false, false, false]);
    let both = "P() = a -> Skip; Q() = b -> Skip; R() = r -> Skip; S() = atomic{(P() ||| Q())} ||| R(); #assert S() |= <> (r && X []!(a || b));";
    assert_eq!(holds(both), [true]);
}

/// Arrays without a size, several processes of the same form, and receivers that look at the message.
#[test]
fn short_forms_mean_what_they_stand_for() {
    let holds =
        |text: &str| verdicts(&read(text).unwrap_or_else(|m| panic!("{m}\n{text}")), FairnessOption::None);
    let board = "var board = [3, 1, 0]; var pos = 2;
        P = [pos > 0] left{board[pos] = board[pos - 1]; board[pos - 1] = 0; pos--} -> P;
        #assert P reaches (board[0] == 0 && board[1] == 3 && board[2] == 1); #assert P |= [] board[0] != 1;";
    assert_eq!(holds(board), [true, true]);
    let three = "var n = 0; P() = go{n = n + 1;} -> Skip; S() = |||{3} @ P(); #assert S() |= <> n == 3; #assert S() |= [] n <= 3;";
    assert_eq!(holds(three), [true, true]);
    for room in [0, 1] {
        let text = format!(
            "channel c {room}; var least = 2; P() = c!1 -> P() [] c!2 -> P() [] c!3 -> P(); Q() = c?[x > least]x -> got.x -> Q();
             S() = P() ||| Q(); #assert S() |= [] !(got.1 || got.2); #assert S() |= [] !got.3;"
        );
        assert_eq!(holds(&text), [true, false], "{room}");
    }
}

/// What a sender and a receiver wait for is asked before the program of either.
#[test]
fn those_who_meet_look_at_the_state_before() {
    let text =
        "channel c 0; var x = 0; P() = [x == 0] c!1{x = 1;} -> Stop; Q() = [x == 0] c?v -> got.v -> Stop;
        S() = P() ||| Q(); #assert S() |= <> got.1;";
    assert_eq!(verdicts(&read(text).expect("a model"), FairnessOption::None), [true]);
    // Also where the receiver has several places for it.
    let text = "channel c 0; var x = 0; P() = c!1{x = 1 - x;} -> P();
        Q() = ([x == 0] c?v -> even -> Q()) [] ([x == 1] c?v -> odd -> Q()); S() = P() ||| Q();
        #assert S() |= []<> even; #assert S() |= []<> odd; #assert S() |= !odd U even;";
    assert_eq!(verdicts(&read(text).expect("a model"), FairnessOption::None), [true, true, true]);
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
        ("P() = a -> P() interrupt b -> Skip; #assert P() deadlockfree;", "interrupt"),
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
