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
        PSLSPEC {case x = 0 : TRUE; TRUE : FALSE; esac; x = 1};
        COMPUTE MIN [x = 0, x = 3] LTLSPEC G O X x = 1";
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
        ("spec_12", true),
        ("spec_13", true),
        ("spec_14", true),
    ];
    assert_verdicts(text, &expected);
}

/// `NuSMV`'s verdicts. Nearly all of them would differ if operators bound as they do in LTL.
#[test]
fn operators_of_psl_take_in_what_they_do_in_nusmv() {
    let model = "MODULE main VAR a : boolean; b : 0..3; c : boolean;
        ASSIGN init(a) := FALSE; next(a) := !a; init(b) := 0; next(b) := (b + 1) mod 4;\n";
    let formulas = [
        ("always a -> next !a", true),
        ("eventually! a | b = 3", true),
        ("F a & b = 1", true),
        ("next a & b = 0", false),
        ("G a -> b = 1 -> b = 3", false),
        ("never a & !a", true),
        ("never a & b = 0 | b = 9", true),
        ("always a | !a & b = 0 | b = 2", true),
        ("!a until b = 1 | c", true),
        ("!a & b = 0 until b = 1", true),
        ("always (b = 0 -> next b = 1 & a)", true),
        ("next !a", false),
        ("a before !c", false),
        ("always (b = 0 -> next[3] (b = 3))", true),
        ("always (b = 0 -> next_a[1:3] (b != 0))", true),
        ("always (b = 0 -> next_e[1:3] (b = 2))", true),
        ("always (b = 0 -> next_event!(a)[2](b = 3))", true),
        ("always (b = 0 -> next_event(a)(b = 1))", true),
        ("always (b = 0 -> next_event_a(a)[1:2](b != 0))", true),
        ("always (b = 0 -> next_event_e!(a)[1:2](b = 3))", true),
        ("b = 3 before! c", false),
        ("b = 3 before c", false),
        ("a before b = 1", false),
        ("a before_ b = 1", true),
        ("a before!_ b = 1", true),
        ("b < 2 until_ b = 2", false),
        ("b < 3 until!_ b = 2", true),
        ("[b < 3 U b = 3]", true),
        ("[b < 4 W b = 7]", true),
        ("A [b < 3 U b = 3]", true),
        ("always (a -> !a) || b = 9", false),
        ("X! a && b == 1", true),
        ("next [a W b = 1]", true),
        ("AG a -> b = 1 | b = 3", true),
        ("AG (EF b = 3 & a)", true),
    ];
    let lines: Vec<String> = formulas.iter().map(|(formula, _)| format!("PSLSPEC {formula};")).collect();
    let found = verdicts(&format!("{model}{}", lines.join("\n")));
    let found: Vec<(&str, bool)> =
        found.iter().zip(formulas).map(|((_, verdict), (formula, _))| (formula, *verdict)).collect();
    assert_eq!(found, formulas);
}

/// `NuSMV`'s verdicts about words.
#[test]
fn words_are_shifted_by_variables_and_keep_their_sign_when_cut() {
    let model = "MODULE main FROZENVAR a : word[4]; s : signed word[4]; k : 0..4; l : word[2];\n";
    let invariants = [
        ("(a << k) >= a", false),
        ("k = 4 -> (a << k) = 0ud4_0", true),
        ("k = 2 -> (a << k) = a * 0ud4_4", true),
        ("(s >> k) >= -0sd4_4 | k = 0", true),
        ("k = 4 -> (s >> k) = 0sd4_0 | (s >> k) = -0sd4_1", true),
        ("l = 0ud2_1 -> (s << l) = s + s", true),
        ("resize(0sd4_7, 3) = 0sd3_3", true),
        ("resize(-0sd4_8, 3) = -0sd3_4", true),
        ("resize(-0sd4_5, 3) = -0sd3_1", true),
        ("resize(-0sd4_1, 6) = -0sd6_1", true),
        ("resize(a, 3) = a[2:0]", true),
        ("s < 0sd4_0 <-> resize(s, 3) < 0sd3_0", true),
        // (2^32 - 1)^2 leaves 64 bits, and its last 32 bits are 1.
        ("0ud32_4294967295 * 0ud32_4294967295 = 0ud32_1", true),
    ];
    let lines: Vec<String> = invariants.iter().map(|(formula, _)| format!("INVARSPEC {formula};")).collect();
    let found = verdicts(&format!("{model}{}", lines.join("\n")));
    let found: Vec<(&str, bool)> =
        found.iter().zip(invariants).map(|((_, verdict), (formula, _))| (formula, *verdict)).collect();
    assert_eq!(found, invariants);
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
        ("MODULE main VAR a : word[4]; k : 0..5; INVARSPEC (a << k) = a", "shifted by 0 to 4"),
        ("MODULE main VAR a : word[32]; INVARSPEC a :: a = a :: a", "at most 62 bits"),
        ("#define A\nMODULE main", "`#` is not expected"),
        ("MODULE m VAR x : boolean;", "no module `main`"),
    ] {
        let message = read(text, &[]).map_or_else(|message| message, |_| String::new());
        assert!(message.contains(words), "{text}: {message}");
    }
}
