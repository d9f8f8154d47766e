//! What constructs of SMV mean, each on a small model with verdicts that follow from `NuSMV`'s manual.

use driver::import::{self, Claim, Language};
use driver::{Model, Options, Severity, Verdict, World};

fn read(text: &str, claims: &[Claim]) -> Result<Model, String> {
    let loaded = driver::load_foreign(Language::Smv, "model", text, claims, "", &[], &import::no_files);
    let error = loaded.diagnostics.iter().find(|found| found.severity == Severity::Error);
    let message = error.map_or(String::new(), |error| format!("{}: {}", error.message, error.label));
    loaded.model.ok_or(message)
}

/// The verdicts of all claims, by name, with all engines that take them.
fn verdicts(text: &str) -> Vec<(String, bool)> {
    let model = read(text, &[]).unwrap_or_else(|message| panic!("{message}\n{text}"));
    let options = Options { without_notes: true, engines: driver::Engines::All, ..Options::default() };
    let report = driver::check(&model, &options, &World::unlimited(), &mut |_, _| {}).expect("a report");
    let outcomes = report.outcomes.iter().map(|outcome| {
        assert!(outcome.dispute.is_none(), "{:?}", outcome.dispute);
        let holds = match outcome.verdict {
            Verdict::Holds => true,
            Verdict::Fails => false,
            Verdict::Unknown => panic!("undecided: {text}"),
        };
        (outcome.property.to_string(), holds)
    });
    outcomes.collect()
}

fn assert_verdicts(text: &str, expected: &[(&str, bool)]) {
    let found = verdicts(text);
    let expected: Vec<(String, bool)> =
        expected.iter().map(|(name, holds)| ((*name).to_owned(), *holds)).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_run_that_gets_stuck_is_no_run() {
    // From 0 the model goes to 1, where it stays, or to 2, which has no successor.
    let text =
        "MODULE main VAR x : 0..2; INIT x = 0 TRANS (x = 0 & next(x) in {1, 2}) | (x = 1 & next(x) = 1)
        LTLSPEC F x = 1 SPEC AG x != 2 SPEC AG EX TRUE SPEC AF x = 1 INVARSPEC x != 2";
    let expected = [
        ("spec_0", true),
        ("spec_1", true),
        ("spec_2", true),
        ("spec_3", true),
        ("spec_4", false),
        ("total", false),
    ];
    assert_verdicts(text, &expected);
}

#[test]
fn ctl_is_judged_where_fair_runs_begin() {
    let text = "MODULE main VAR x : boolean; y : boolean; ASSIGN next(x) := x; next(y) := y; FAIRNESS x
        SPEC x SPEC EF y SPEC AG x";
    assert_verdicts(text, &[("spec_0", true), ("spec_1", false), ("spec_2", true)]);
}

#[test]
fn compassion_is_for_ltl_only() {
    let text = "MODULE main VAR x : 0..2; ASSIGN init(x) := 0;
        next(x) := case x = 0 : 1; x = 1 : {0, 2}; TRUE : 2; esac; COMPASSION (x = 1, x = 2)
        LTLSPEC F x = 2 SPEC AF x = 2";
    assert_verdicts(text, &[("spec_0", false), ("spec_1", true)]);
    let model = driver::load_foreign(Language::Smv, "model", text, &[], "", &[], &import::no_files);
    assert!(model.diagnostics.iter().any(|found| found.message.contains("COMPASSION is not assumed")));
}

#[test]
fn processes_take_turns_and_main_is_one_of_them() {
    let text = "MODULE main VAR a : process toggle; b : process toggle;
        SPEC AG AF a.x SPEC AG EF (a.x & b.x) SPEC AG (EX TRUE) LTLSPEC G F a.running
        MODULE toggle VAR x : boolean; ASSIGN init(x) := FALSE; next(x) := !x; FAIRNESS running";
    // One step never moves both; with nothing running nothing changes.
    assert_verdicts(text, &[("spec_0", true), ("spec_1", true), ("spec_2", true), ("spec_3", true)]);
    let unfair = text.replace("FAIRNESS running", "");
    assert_verdicts(&unfair, &[("spec_0", false), ("spec_1", true), ("spec_2", true), ("spec_3", false)]);
    let together = "MODULE main VAR a : process toggle; b : process toggle; SPEC AX !(a.x & b.x) SPEC EX (!a.x & !b.x) SPEC EX a.x
        MODULE toggle VAR x : boolean; ASSIGN init(x) := FALSE; next(x) := !x;";
    assert_verdicts(together, &[("spec_0", true), ("spec_1", true), ("spec_2", true)]);
}

#[test]
fn inputs_belong_to_steps() {
    let text = "MODULE main IVAR i : boolean; VAR x : boolean; ASSIGN init(x) := FALSE; next(x) := i;
        LTLSPEC G (i <-> X x) LTLSPEC G F i SPEC EX x SPEC EX !x";
    assert_verdicts(text, &[("spec_0", true), ("spec_1", true), ("spec_2", true), ("spec_3", false)]);
    let fair = "MODULE main IVAR i : boolean; VAR x : boolean; ASSIGN init(x) := FALSE; next(x) := i; JUSTICE i LTLSPEC G F x";
    assert_verdicts(fair, &[("spec_0", true)]);
}

#[test]
fn values_of_all_types() {
    let text = "MODULE main VAR w : unsigned word[3]; s : signed word[3]; e : {red, 3, green}; n : {1, 4, 9}; r : -3..3;
        FROZENVAR f : 1..2; DEFINE up := w + 0ud3_1;
        ASSIGN init(w) := 0ud3_6; next(w) := up; init(s) := 0sd3_3; next(s) := s + 0sd3_1;
          init(e) := red; next(e) := case e = red : 3; e = 3 : green; TRUE : red; esac;
          init(n) := 1; next(n) := case n = 1 : 4; n = 4 : 9; TRUE : 1; esac;
          init(r) := -3; next(r) := r / 2;
        INVARSPEC w >= 0ud3_0 & n in {1, 4, 9} LTLSPEC X X w = 0ud3_0 LTLSPEC X s = 0sd3_-4 LTLSPEC X (e = 3 & n = 4)
        LTLSPEC X r = -1 LTLSPEC X X r = 0 LTLSPEC X w[2:1] = 0ud2_3 LTLSPEC G (f = 1 | f = 2) & (F f = 1 -> G f = 1)
        LTLSPEC (w & 0ud3_2) = 0ud3_2 & (w xor 0ud3_5) = 0ud3_3 & toint(w) mod 4 = 2 & (-3 mod 2 = -1)";
    let expected: Vec<(String, bool)> = (0..9).map(|number| (format!("spec_{number}"), true)).collect();
    assert_eq!(verdicts(text), expected);
}

#[test]
fn constraints_and_assignments_of_the_current_state() {
    let text = "MODULE main VAR x : 0..3; y : 0..3; z : boolean; b : array 0..2 of boolean; i : 0..2;
        ASSIGN y := case x < 3 : {x, x + 1}; TRUE : 3; esac; z := y > x; init(i) := 0; next(i) := (i + 1) mod 3;
        INIT x = 0 INVAR !(x = 1 & z) TRANS next(x) = x | next(x) = (x + 1) mod 4
        INVAR b[i] & count(b[0], b[1], b[2]) = 1
        INVARSPEC y = x | y = x + 1 INVARSPEC x = 1 -> y = 1 SPEC EF x = 3 SPEC AG (z <-> y = x + 1) INVARSPEC i = 1 -> b[1]";
    assert_verdicts(
        text,
        &[
            ("spec_0", true),
            ("spec_1", true),
            ("spec_2", true),
            ("spec_3", true),
            ("spec_4", true),
            ("total", true),
        ],
    );
}

#[test]
fn past_bounded_and_psl_operators() {
    let text = "MODULE main VAR x : 0..5; ASSIGN init(x) := 0; next(x) := x < 5 ? x + 1 : 5;
        LTLSPEC G (x = 2 -> Y x = 1 & O x = 0 & H x < 3) LTLSPEC Z FALSE & !Y TRUE LTLSPEC F [2, 3] x = 3 LTLSPEC F [0, 2] x = 3
        LTLSPEC G (x = 3 -> (x > 0 S x = 1)) LTLSPEC G (x = 3 -> O [1, 2] x = 1) SPEC EBF 3..3 x = 3 SPEC ABG 0..2 x < 3
        SPEC A [x < 4 BU 2..4 x = 4] LTLSPEC x = 1 T TRUE
        PSLSPEC always (x = 1 -> next! x = 2); PSLSPEC never x = 6; PSLSPEC eventually! x = 5; PSLSPEC {x = 0; x = 1};
        COMPUTE MIN [x = 0, x = 3]";
    let expected = [
        ("spec_0", true),
        ("spec_1", true),
        ("spec_2", true),
        ("spec_4", true),
        ("spec_5", true),
        ("spec_6", true),
        ("spec_7", false),
        ("spec_8", true),
        ("spec_9", true),
        ("spec_10", true),
        ("spec_11", true),
        ("spec_12", true),
        ("spec_13", true),
    ];
    assert_verdicts(text, &expected);
}

#[test]
fn claims_of_the_command_line_are_in_smv() {
    let text = "MODULE main VAR s : {idle, busy-now}; ASSIGN init(s) := idle; next(s) := {idle, busy-now};";
    let claims = [
        Claim::Ltl("G (s = busy-now -> F s = idle)".to_owned()),
        Claim::Ctl("AG EF s = busy-now".to_owned()),
    ];
    let model = read(text, &claims).expect("a model");
    assert_eq!(model.checks.len(), 2);
}

#[test]
fn what_cannot_be_said_is_refused_with_a_reason() {
    for (text, words) in [
        ("MODULE main VAR x : integer;", "infinite"),
        ("MODULE main VAR x : boolean; ASSIGN next(x) := y;", "unknown name `y`"),
        ("MODULE main VAR x : boolean; y : boolean; ASSIGN x := y; y := x;", "depends on itself"),
        (
            "MODULE main VAR p : process m; MODULE m VAR x : boolean; ASSIGN x := TRUE;",
            "assigns the current value",
        ),
        ("MODULE main VAR x : boolean; DEFINE a := b; b := a;", "depends on itself"),
        ("MODULE main VAR a : m; MODULE m VAR b : m;", "contains itself"),
        ("MODULE main VAR x : 0..3; ASSIGN next(x) := {1, 2} + x;", "a number is needed"),
        (
            "MODULE main IVAR i : boolean; VAR x : boolean; ASSIGN next(x) := i; SPEC AG i",
            "a CTL formula cannot mention",
        ),
        ("MODULE main VAR x : 0..3; SPEC AG case x < 2 : TRUE; esac", "perhaps"),
        ("#define A\nMODULE main", "`#` is not expected"),
        ("MODULE m VAR x : boolean;", "no module `main`"),
    ] {
        let message = read(text, &[]).map_or_else(|message| message, |_| String::new());
        assert!(message.contains(words), "{text}: {message}");
    }
}
