//! C programs with known verdicts, random ones with their blocks joined in every way, and public sets where they are
//! beside the project.
//!
//! A program is checked as it is by the command: with joined blocks, with flags as control, with several rounds at once, and
//! as it is written. An answer for one of these is an answer for the program, so no two may differ. `FAIRLY_PROGRAMS` is the
//! number of random programs, `FAIRLY_SEED` their seed. `FAIRLY_CORPUS=all` checks every row of `shared/corpus/t2-llvm` and
//! `shared/corpus/its`, each for `FAIRLY_CORPUS_SECONDS`, and prints figures; otherwise it is a sample.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use driver::t2::{Blocks, Claim, Imported, Question, Stuck};
use driver::{Model, Options, Outcome, StopReason, Verdict, World, c, its, t2};
use model::splitmix::SplitMix;

/// The ways in which blocks are joined, in the order in which the command tries them.
const WAYS: [Blocks; 6] =
    [Blocks::Listed, Blocks::Large, Blocks::Sure, Blocks::Flags, Blocks::Unrolled, Blocks::Small];

pub(crate) fn checked(models: &[&Model], limit: Duration) -> Vec<Outcome> {
    let start = Instant::now();
    let world = World {
        stop: &|| (start.elapsed() >= limit).then_some(StopReason::Time),
        clock: &|| start.elapsed(),
        memory: 2 << 30,
        solvers: &smt::installed(),
        ..World::unlimited()
    };
    let report = driver::check_forms(models, &Options::default(), &world, &mut |_, _| {}).expect("a report");
    for outcome in &report.outcomes {
        assert!(outcome.dispute.is_none(), "{:?}", outcome.dispute);
    }
    report.outcomes
}

/// The models of a program that can be made.
pub(crate) fn models(load: impl Fn(Blocks) -> Imported) -> Vec<Model> {
    let models: Vec<Model> = WAYS.into_iter().filter_map(|blocks| load(blocks).model).collect();
    assert!(!models.is_empty(), "{:?}", load(Blocks::Small).diagnostics);
    models
}

pub(crate) const LIMIT: Duration = Duration::from_mins(1);

/// Programs in the style of the literature, with what is true of them.
const KNOWN: [(&str, &str, &str); 34] = [
    (
        "two phases",
        "holds",
        "int main() { int x, y; while (x > 0 && y > 0) { if (nondet()) { x--; y = nondet(); } else y--; } }",
    ),
    (
        "towards zero from both sides",
        "holds",
        "int main() { int x; while (x != 0) { if (x > 0) x--; else x++; } }",
    ),
    ("away from zero", "fails", "int main() { int x; while (x != 0) { if (x > 0) x++; else x--; } }"),
    ("a step of two may miss", "fails", "int main() { int x = 7; while (x != 0) x -= 2; }"),
    (
        "a long cycle",
        "fails",
        "int main() { int i; while (i > 10) { if (i == 25) i = 30; if (i <= 30) i--; else i = 20; } }",
    ),
    ("halved", "holds", "int main() { int x; while (x > 0) x = x / 2; }"),
    ("a remainder", "holds", "int main() { int x, y = 10; while (x % 3 == 1 && y > 0) { y--; x += 3; } }"),
    ("nested", "holds", "int main() { int i, j, n; for (i = 0; i < n; i++) for (j = 0; j < i; j++) ; }"),
    (
        "functions",
        "holds",
        "int dec(int n) { return n - 1; } int main() { int x; while (x > 0) x = dec(x); }",
    ),
    ("an assumption", "holds", "int main() { int x, d; __VERIFIER_assume(d > 0); while (x > 0) x -= d; }"),
    ("no assumption", "fails", "int main() { int x, d; while (x > 0) x -= d; }"),
    ("flips", "holds", "int main() { int x; while (x > 0) x = -2 * x + 10; }"),
    ("a goto", "fails", "int main() { int x = 1; again: if (x > 0) { x++; goto again; } }"),
    (
        "linear time",
        "holds",
        "//@ ltl invariant p: [](AP(jobs > 0) ==> <>AP(jobs == 0));\nint jobs; int main() { while (1) { \
         jobs = nondet(); while (jobs > 0) jobs--; } }",
    ),
    (
        "linear time, false",
        "fails",
        "//@ ltl invariant p: [](AP(jobs > 0) ==> <>AP(jobs == 0));\nint jobs; int main() { while (1) { \
         jobs = nondet(); while (jobs > 0) jobs -= 2; } }",
    ),
    (
        "branching time",
        "holds",
        "// -ctl \"AG{OR{x < 5}{EF{x == 0}}}\"\nint main() { int x = 9; while (nondet()) x++; while (x > 0) x--; }",
    ),
    (
        "a square that grows",
        "holds",
        "int main() { int x, c = 0; while (x > 1 && x < 100) { x = x * x; c++; } }",
    ),
    (
        "a square beyond a bound",
        "fails",
        "int main() { int i; while (i * i > 9) { if (i < 0) i--; else i++; } }",
    ),
    // The first product is kept by nothing, so the judge must find it where two rounds are one step.
    (
        "a product in between",
        "fails",
        "int main() { int x = nondet(), y = nondet(), r = 1; while (r > 0) { r = r * x; if (y > r) y = y - r; } }",
    ),
    (
        "a power that nothing reads",
        "fails",
        "int power(int b, int e) { int r = 1; while (e-- != 0) r *= b; return r; } int main() { power(2, nondet()); }",
    ),
    ("a product of two", "fails", "int main() { int i, j; while (i * j > 0) { i--; j--; } }"),
    ("a factor that may be one", "fails", "int main() { int x = 1, y = 1; while (x < 9) x = x * y; }"),
    (
        "factors above one",
        "holds",
        "int main() { int x = nondet(), y = nondet(), n = nondet(); while (x > 0 && y > 1 && x < n) x = x * y; }",
    ),
    ("divided by a variable", "holds", "int main() { int x, d; if (d > 1) while (x > 0) x = x / d; }"),
    (
        "a walk to a cycle",
        "fails",
        "int main() { int i = 0, j = 100; while (i < j) { if (51 < j) { i++; j--; } else { i--; j++; } } }",
    ),
    (
        "an equation",
        "holds",
        "int main() { int n = nondet(), a = 0, b = 0; while (b < n) { a += 2; b++; } while (a != 2 * b) ; }",
    ),
    ("unsigned down to zero", "holds", "int main() { unsigned x = nondet_uint(); while (x > 0) x--; }"),
    ("unsigned is never negative", "fails", "int main() { unsigned x = nondet_uint(); while (x >= 0) x--; }"),
    (
        "an array",
        "holds",
        "int main() { int a[3] = {1, 2, 3}; int i = 0; while (i < 3) { a[i]--; if (a[i] <= 0) i++; } }",
    ),
    (
        "some run infinitely often",
        "holds",
        "//@ ctl again: E[G F (x == 1) && G F (x == 0)];\nint main() { int x = 0; while (nondet()) { x = 1; x = 0; } }",
    ),
    (
        "a quotient in a formula",
        "holds",
        "//@ ltl invariant p: [](AP(x / 2 <= 4) && AP(x % 2 != 1 || y == 1));\nint x, y; int main() { y = 1; x = 9; while (x > 0) x -= 2; }",
    ),
    (
        "a timer",
        "holds",
        "//@ ltl invariant p: [](AP(on == 1) ==> <>AP(on == 0));\nint on = 0, t = 0; void set() { on = 1; t = 10; } void \
         tick() { if (t > 0) t--; if (t == 0) on = 0; } int main() { while (1) { if (on == 0 && nondet()) set(); else tick(); } }",
    ),
    (
        "a cycle in its own time",
        "fails",
        "//@ ltl invariant p: [](AP(req == 1) ==> (AP(req == 1) U AP(grant == 1)));\nint req, grant, w; int main() { req = 0; \
         grant = 0; while (1) { if (nondet()) { req = 1; w = nondet(); while (w > 0) w--; req = 0; grant = 1; grant = 0; } } }",
    ),
    ("its end", "holds", "//@ ctl ends: AF{exit: x <= 0};\nint main() { int x; while (x > 0) x--; }"),
];

#[test]
fn programs_have_the_verdicts_that_are_known_and_each_is_checked() {
    for (name, expected, text) in KNOWN {
        let models = models(|blocks| c::load(name, text, None, blocks));
        let outcome = &checked(&models.iter().collect::<Vec<_>>(), LIMIT)[0];
        println!("{name}: {} {:.2} s", outcome.verdict.name(), outcome.time.as_secs_f64());
        assert_eq!(outcome.verdict.name(), expected, "{name}: {:?}", outcome.notes);
        assert!(outcome.checked, "{name}: {:?}", outcome.notes);
    }
}

/// A controller with this many rules, each with conditions on an input and on what is kept. One has the output 22.
fn many_rules(random: &mut SplitMix, rules: u64) -> String {
    let mut text = "//@ ltl invariant p: [](AP(output != 22) || AP(a0 == 1));\nint input, output".to_owned();
    for number in 0..8 {
        write!(text, ", a{number} = {}", number % 3).expect("writing to a string");
    }
    text.push_str(";\nint step(int input) {\n");
    for rule in 0..rules {
        let mut value = |bound| random.below(bound);
        let test = format!("a{} == {} && a{} == {}", value(8), value(3), value(8), value(3));
        let change = format!("a{} = {}; a{} = {}", value(8), value(3), value(8), value(3));
        let output = if rule == rules / 2 { "a0 = 1; return 22" } else { "return 21" };
        writeln!(text, "  if ({test} && input == {}) {{ {change}; {output}; }}", 1 + value(4))
            .expect("writing to a string");
    }
    text.push_str("  return 23;\n}\nint main() { while (1) { input = nondet(); output = step(input); } }\n");
    text
}

#[test]
fn a_controller_with_hundreds_of_rules_has_a_form_for_a_search_state_by_state() {
    let mut random = SplitMix(5);
    for rules in [60, 300] {
        let text = many_rules(&mut random, rules);
        let program = driver::load_program(driver::ProgramLanguage::C, "rules", &text, None);
        let first = program.models.first().and_then(|model| model.subject.instance());
        assert!(
            first.is_some_and(|instance| instance.is_bounded()),
            "{rules} rules: {:?}",
            program.diagnostics
        );
    }
}

/// What the three meanings of being stuck say of a state without a next one, by paper 002: where the run ends, `AX` of anything is
/// true and `EX` false; where it idles both are as in the state; where it does not count there is no run.
#[test]
fn a_run_that_ends_idles_or_does_not_count() {
    // At 1 a negative `x` has no block.
    let text = "START: 0; FROM: 0; x := 0 - 1; TO: 1; FROM: 1; assume(x >= 0); TO: 2;";
    let cases = [
        ("[AX](x > 5)", "holds", "fails", "holds"),
        ("[EX](x < 0)", "fails", "holds", "fails"),
        ("[AG](x < 0)", "holds", "holds", "holds"),
        ("[AX]([AX](x > 5))", "holds", "fails", "holds"),
        ("[EF](x >= 0)", "fails", "fails", "fails"),
        ("[EG](x < 0)", "holds", "holds", "fails"),
    ];
    for (formula, ends, idles, drops) in cases {
        for (stuck, expected) in [(Stuck::End, ends), (Stuck::Stutter, idles), (Stuck::Drop, drops)] {
            let question = Question { claim: Claim::Ctl(formula.to_owned()), pairs: Vec::new(), stuck };
            let models = models(|blocks| t2::load_as("stuck", text, &question, blocks));
            let found = checked(&models.iter().collect::<Vec<_>>(), Duration::from_secs(20));
            assert_eq!(found[0].verdict.name(), expected, "{formula} with {stuck:?}");
        }
    }
}

#[test]
fn an_assertion_is_a_property_of_its_own() {
    let text = "int main() { int x = 3; while (x > 0) x--; assert(x == 0); assert(x > 0); }";
    let models = models(|blocks| c::load("test", text, None, blocks));
    let outcomes = checked(&models.iter().collect::<Vec<_>>(), LIMIT);
    let verdicts: Vec<(String, &str)> =
        outcomes.iter().map(|outcome| (outcome.property.to_string(), outcome.verdict.name())).collect();
    assert_eq!(verdicts, [("termination".to_owned(), "holds"), ("assertions".to_owned(), "fails")]);
}

/// A run is shown to who asks why a program does not end, also if no state comes back.
#[test]
fn a_run_that_never_repeats_a_state_is_shown() {
    let text = "int main() { int x = 1; while (x > 0) x++; }";
    let models = models(|blocks| c::load("test", text, None, blocks));
    let outcome = &checked(&models.iter().collect::<Vec<_>>(), LIMIT)[0];
    let trace = outcome.counterexample.as_ref().and_then(|shown| shown.trace.as_ref()).expect("a run");
    assert!(outcome.checked && trace.steps.len() >= 3, "{trace:?}");
    let recurrence = outcome.counterexample.as_ref().and_then(|shown| shown.recurrence.as_ref());
    let sentences = recurrence.expect("where it stays").sentences();
    assert!(
        sentences[0].contains("`x >= 1`") && sentences[0].ends_with("makes `x = x + 1`"),
        "{sentences:?}"
    );
}

/// A machine with inputs that it only compares and copies, and a claim about it.
fn random_controller(random: &mut SplitMix) -> String {
    let number = |random: &mut SplitMix| random.below(3);
    let test = |random: &mut SplitMix| {
        let variable = ["in", "last", "state"][random.below(3) as usize];
        let sign = ["<", ">", "!=", "=="][random.below(4) as usize];
        format!("{variable} {sign} {}", [0, 1, 2, 9][random.below(4) as usize])
    };
    let change = |random: &mut SplitMix| match random.below(5) {
        0 => "last = in;".to_owned(),
        1 => "last = nondet();".to_owned(),
        _ => format!("state = {};", number(random)),
    };
    let (first, second) = (test(random), test(random));
    let mut text = format!("//@ ltl invariant p: [](AP({first}) ==> <>AP({second}));\n");
    text.push_str("int in, last, state;\nint main() { while (1) { in = nondet();\n");
    for _ in 0..2 + random.below(3) {
        let _ =
            writeln!(text, "if ({}) {{ {} }} else {{ {} }}", test(random), change(random), change(random));
    }
    text + "} }"
}

/// Inputs of a few kinds are enough: the program that is listed and the others have the same answers.
#[test]
fn controllers_with_few_inputs_have_the_verdicts_of_those_with_all() {
    let seed = std::env::var("FAIRLY_SEED").map_or(11, |seed| seed.parse().expect("a number"));
    let count = std::env::var("FAIRLY_PROGRAMS").map_or(6, |count| count.parse().expect("a number"));
    let mut random = SplitMix(seed);
    let mut found = [0, 0, 0];
    for _ in 0..count {
        let text = random_controller(&mut random);
        let listed = c::load("random", &text, None, Blocks::Listed).model.expect("a form that is listed");
        let large = c::load("random", &text, None, Blocks::Large).model.expect("a model");
        let verdict = |model: &Model| checked(&[model], Duration::from_secs(5))[0].verdict;
        let (few, all) = (verdict(&listed), verdict(&large));
        assert_ne!(few, Verdict::Unknown, "seed {seed}:\n{text}");
        assert!(all == Verdict::Unknown || few == all, "seed {seed}: {few:?} and {all:?}\n{text}");
        found[match (few, all) {
            (_, Verdict::Unknown) => 2,
            (Verdict::Holds, _) => 0,
            _ => 1,
        }] += 1;
    }
    println!("both hold, both fail, decided by one: {found:?}");
    assert!(found[0] > 0 && found[1] > 0, "{found:?}");
}

fn random_program(random: &mut SplitMix) -> String {
    let mut text = String::from("int main() { int x, y;\n");
    let variable = |random: &mut SplitMix| ["x", "y"][random.below(2) as usize];
    let test = |random: &mut SplitMix| {
        let (a, b) = (variable(random), variable(random));
        let sign = ["<", ">", "!=", "=="][random.below(4) as usize];
        match random.below(3) {
            0 if a != b => format!("{a} {sign} {b}"),
            1 => "nondet()".to_owned(),
            _ => format!("{a} {sign} {}", random.below(4)),
        }
    };
    let change = |random: &mut SplitMix| {
        let (a, b) = (variable(random), variable(random));
        match random.below(6) {
            0 => format!("{a}++;"),
            1 | 2 => format!("{a}--;"),
            3 => format!("{a} = {};", random.below(5)),
            4 => format!("{a} = {b} - {};", 1 + random.below(2)),
            _ => format!("{a} = nondet();"),
        }
    };
    let _ = writeln!(text, "while ({}) {{", test(random));
    let _ = writeln!(
        text,
        "if ({}) {{ {} }} else {{ {} {} }}",
        test(random),
        change(random),
        change(random),
        change(random)
    );
    let _ = writeln!(text, "{} }}", change(random));
    if random.below(2) == 0 {
        let _ = writeln!(text, "while ({}) {{ {} }}", test(random), change(random));
    }
    text + "}"
}

#[test]
fn joined_blocks_do_not_change_an_answer() {
    let (count, seed) = (crate::setting("FAIRLY_PROGRAMS", 24), crate::setting("FAIRLY_SEED", 3));
    println!("seed {seed}");
    let mut random = SplitMix(seed);
    let (mut holds, mut fails, mut compared) = (0, 0, 0);
    for _ in 0..count {
        let text = random_program(&mut random);
        let claim = ["AF(x == 0)", "EF(y > 2)", "AG(EF(x < 1))", "G(F(x <= 0))"][random.below(4) as usize];
        let question = match random.below(2) {
            0 => None,
            _ if claim.starts_with('G') => Some(Claim::Ltl(claim.to_owned())),
            _ => Some(Claim::Ctl(claim.to_owned())),
        };
        let question = question.map(|claim| Question { claim, pairs: Vec::new(), stuck: Stuck::Drop });
        let models = models(|blocks| c::load("random", &text, question.as_ref(), blocks));
        let verdicts: Vec<Verdict> =
            models.iter().map(|model| checked(&[model], Duration::from_secs(20))[0].verdict).collect();
        let decided = |wanted: Verdict| verdicts.contains(&wanted);
        assert!(!(decided(Verdict::Holds) && decided(Verdict::Fails)), "{verdicts:?} {question:?}\n{text}");
        holds += usize::from(decided(Verdict::Holds));
        fails += usize::from(decided(Verdict::Fails));
        compared += usize::from(verdicts.iter().filter(|verdict| **verdict != Verdict::Unknown).count() > 1);
    }
    println!("{holds} hold, {fails} fail, {compared} decided in several ways");
    assert!(holds > 0 && fails > 0 && compared > 0);
}

#[test]
fn public_sets_have_no_other_verdict_than_recorded() {
    for (set, table) in [("t2-llvm", "t2-llvm.tsv"), ("its", "its.tsv")] {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(set);
        let Ok(rows) = std::fs::read_to_string(folder.join(table)) else {
            println!("{set} is not here, so nothing was checked");
            continue;
        };
        let variable = |name: &str| std::env::var(name).ok();
        let step = if variable("FAIRLY_CORPUS").is_some() { 1 } else { 29 };
        let seconds = variable("FAIRLY_CORPUS_SECONDS").and_then(|text| text.parse().ok()).unwrap_or(20.0);
        let (mut count, mut decided, mut proved, mut times) = (0, 0, 0, Vec::new());
        for row in rows.lines().skip(1).step_by(step) {
            let fields: Vec<&str> = row.split('\t').collect();
            let [id, _, file, _, _, expected, ..] = fields[..] else { panic!("{row}") };
            let text = std::fs::read_to_string(folder.join(file)).expect("a file of the corpus");
            let question = Question { claim: Claim::Termination, pairs: Vec::new(), stuck: Stuck::Drop };
            let load = |blocks: Blocks| match set {
                "its" => its::load(id, &text, blocks),
                _ => t2::load_as(id, &text, &question, blocks),
            };
            count += 1;
            let models: Vec<Model> = WAYS.into_iter().filter_map(|blocks| load(blocks).model).collect();
            if models.is_empty() {
                println!(
                    "{id} is not read: {:?}",
                    load(Blocks::Small).diagnostics.first().map(|(_, fault)| &fault.message)
                );
                continue;
            }
            let start = Instant::now();
            let outcome =
                checked(&models.iter().collect::<Vec<_>>(), Duration::from_secs_f64(seconds)).remove(0);
            let verdict = outcome.verdict.name();
            println!("{id} {verdict} {:.2} s {file}", start.elapsed().as_secs_f64());
            assert!(
                expected == "unknown" || outcome.verdict == Verdict::Unknown || verdict == expected,
                "{id} {file}: {verdict}, recorded {expected}"
            );
            decided += usize::from(outcome.verdict != Verdict::Unknown);
            proved += usize::from(outcome.checked);
            times.push(start.elapsed());
        }
        times.sort();
        let median = times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64);
        println!("{set}: {count} rows, {decided} decided, {proved} checked, median {median:.2} s");
    }
}
