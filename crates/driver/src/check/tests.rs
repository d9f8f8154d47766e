//! Tests `check` with fake engines: which are asked, and what happens with their answers.

use std::sync::atomic::{AtomicU64, Ordering};

use engines::{Engine, Prepared};
use model::{Lasso, Name, Refusal, RefusalKind, Session};

use super::*;
use crate::report::{Kind, Met};

const BLINKER: &str = "
    shared x: bool;
    process P { loop { on: x = true; off: x = false; } }
    process Q { loop { rest: skip; } }
    invariant dark: !x expect fails;
    property often: G F x under weak P expect holds;
    property on[i: 1..2]: F x expect fails;
";

fn model(text: &str) -> Model {
    let loaded = lang::load("test", text, &[]);
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// A list of engines under the names of ours.
type Table = Vec<(EngineKind, Box<dyn Engine>)>;

fn report_with(engines: Table, text: &str, options: &Options) -> Result<Report, Problem> {
    let ticks = AtomicU64::new(0);
    let clock = || Duration::from_secs(ticks.fetch_add(1, Ordering::Relaxed) + 1);
    let world = World { clock: &clock, ..World::unlimited() };
    let model = model(text);
    let panel = Panel::of(options.engines, &model.subject, engines);
    let options = Options { without_notes: true, ..options.clone() };
    let mut reported = Vec::new();
    let report = check_with(&[Form::new(panel, &model, &options)], &options, &world, &mut |_, o| {
        reported.push(o.property.clone());
    })?;
    let names: Vec<Name> = report.outcomes.iter().map(|outcome| outcome.property.clone()).collect();
    assert_eq!(reported, names, "every outcome is reported once, in the order of the file");
    Ok(report)
}

fn report(text: &str, options: &Options) -> Report {
    report_with(ours(), text, options).expect("a model that can be checked")
}

fn ours() -> Table {
    EngineKind::ALL.into_iter().zip(crate::all_engines()).collect()
}

fn sentences(notes: &[Note]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

/// An engine that answers everything in the same way.
struct Parrot(fn() -> Answer);

impl Engine for Parrot {
    fn name(&self) -> &'static str {
        "parrot"
    }

    fn prepare<'t>(&'t self, _: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal> {
        Ok(Box::new(Parrot(self.0)))
    }
}

impl Prepared for Parrot {
    fn answer(&mut self, _: &Session<'_>) -> Answer {
        (self.0)()
    }
}

/// An engine that refuses everything.
struct Snob;

impl Engine for Snob {
    fn name(&self) -> &'static str {
        "snob"
    }

    fn prepare<'t>(&'t self, _: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal> {
        Err(Refusal::of(RefusalKind::NothingLocal))
    }
}

fn yes() -> Answer {
    Answer::Holds(Proof::Exhaustive)
}

#[test]
fn an_outcome_says_all_there_is_to_say() {
    let report = report(BLINKER, &Options::default());
    let [dark, often, first, second] = &report.outcomes[..] else { panic!("{report:?}") };
    assert_eq!((dark.verdict, dark.expected, dark.checked), (Verdict::Fails, Some(Expect::Fails), true));
    assert_eq!(
        (dark.engine, dark.scope.as_str(), dark.claim.as_str()),
        (Some(EngineKind::Explicit), "this instance", "!x")
    );
    let evidence = dark.counterexample.as_ref().expect("a counterexample");
    assert_eq!(evidence.kind, Kind::Path);
    assert_eq!(evidence.trace.as_ref().expect("a path").steps[0].action, "P.on");
    assert_eq!((often.verdict, often.checked, often.fairness.as_str()), (Verdict::Holds, true, "weak P"));
    assert!(often.statistics.iter().any(|(name, _)| *name == "states"), "{often:?}");
    assert_eq!((first.property.to_string(), second.property.to_string()), ("on[1]".into(), "on[2]".into()));
    assert!(report.outcomes.iter().all(|outcome| outcome.as_expected() == Some(true)));
}

#[test]
fn the_ledger_says_how_the_cycle_meets_each_requirement() {
    let text =
        BLINKER.replace("F x expect fails", "F x under weak Q & strong P.off & justice (!x) expect fails");
    let report = report(&text, &Options { properties: vec!["on[1]".to_owned()], ..Options::default() });
    let ledger = &report.outcomes[0].counterexample.as_ref().expect("a lasso").ledger;
    let met: Vec<(&str, Met)> = ledger.iter().map(|entry| (entry.requirement.as_str(), entry.met)).collect();
    let expected =
        [("weak Q", Met::Taken(1)), ("strong P.off", Met::Untriggered), ("justice (!x)", Met::Occurs(1))];
    assert_eq!(met, expected);
}

#[test]
fn replaced_fairness_silences_the_expectation() {
    let options = Options { fairness: FairnessOption::ProcessWeak, ..Options::default() };
    let report = report(BLINKER, &options);
    assert!(report.outcomes.iter().all(|outcome| outcome.expected.is_none()));
    assert!(report.outcomes.iter().all(|outcome| outcome.fairness == "process-weak"));
    assert_eq!(report.outcomes[2].verdict, Verdict::Holds, "weak fairness of P turns the light on");
}

#[test]
fn settings_are_the_scope_of_the_answer() {
    let options = Options { settings: vec![("N".to_owned(), "3".to_owned())], ..Options::default() };
    assert_eq!(report(BLINKER, &options).outcomes[0].scope, "N = 3");
}

#[test]
fn a_task_that_every_engine_refuses_is_unknown_and_says_why() {
    let report = report_with(vec![(EngineKind::Local, Box::new(Snob))], BLINKER, &Options::default())
        .expect("a report");
    let outcome = &report.outcomes[0];
    assert_eq!((outcome.verdict, outcome.engine), (Verdict::Unknown, None));
    assert_eq!(
        sentences(&outcome.notes),
        [
            "local refuses: the processes read everything that other processes own, so nothing is local to any of them; \
             let guards read fewer locals of other processes"
        ]
    );
}

/// Outside what can be answered for every N: a variable holds an index.
const TURN: &str = "param N >= 2; shared turn: 1..N = 1; process P[i: 1..N] { loop { a: await turn == i; } }
    property p: G F taken(P);";

#[test]
fn a_parameter_that_a_named_engine_cannot_do_without_is_a_problem() {
    let options = Options { engines: Engines::Named(EngineKind::Counter), ..Options::default() };
    let problem = report_with(ours(), TURN, &options);
    let Err(Problem::NoValue(missing)) = problem else { panic!("{problem:?}") };
    assert_eq!(missing.name, "N");
    assert!(missing.to_string().contains("`turn`"), "{missing}");
}

#[test]
fn where_no_engine_can_do_without_a_value_small_ones_are_tried() {
    let report = report_with(ours(), TURN, &Options::default()).expect("a report");
    assert_eq!(report.outcomes[0].verdict, Verdict::Unknown);
    let [note] = &report.outcomes[0].notes[..] else { panic!("{:?}", report.outcomes[0].notes) };
    let expected =
        "shown for N = 2..6 and not for every N; for another give --set N=…; for every N counter refuses";
    assert!(note.to_string().starts_with(expected), "{note}");
}

#[test]
fn the_least_value_for_which_a_property_fails_is_found_without_a_method_for_every_one() {
    let text = TURN.replace("property p: G F taken(P)", "property p[k: 1..N]: G (k <= 3 || turn == k)");
    let report = report_with(ours(), &text, &Options::default()).expect("a report");
    let outcome = &report.outcomes[0];
    assert_eq!((outcome.verdict, outcome.checked), (Verdict::Fails, true));
    assert!(outcome.scope.contains("N = 4") && outcome.counterexample.is_some(), "{}", outcome.scope);
    let expected = "it holds for N = 2..3; 4 is the least N for which it fails";
    assert!(sentences(&outcome.notes).iter().any(|note| note == expected), "{:?}", sentences(&outcome.notes));
}

#[test]
fn a_property_that_needs_a_value_does_not_keep_the_others_from_an_answer() {
    let text = "param N >= 2; shared x: bool; process P[i: 1..N] { on: x = true; halt; }
        property p: F x under weak P; property q: AF x under weak P;";
    let report = report_with(ours(), text, &Options::default()).expect("a report");
    let [p, q] = &report.outcomes[..] else { panic!("{report:?}") };
    assert_eq!((p.verdict, q.verdict, q.engine), (Verdict::Holds, Verdict::Unknown, None));
    let [note] = &q.notes[..] else { panic!("{:?}", q.notes) };
    let expected =
        "shown for N = 2..6 and not for every N; for another give --set N=…; for every N counter refuses";
    assert!(note.to_string().starts_with(expected), "{note}");
}

#[test]
fn a_parameter_that_is_an_integer_is_in_the_scope() {
    let model = model(
        "param N >= 2; shared x: int; process P { up: when x < N { x = x + 1; } } invariant p: x <= N;",
    );
    assert_eq!(scope(&model, &Options::default()), "every N >= 2");
}

#[test]
fn without_a_value_for_a_parameter_the_answer_is_for_every_value() {
    let text = "param N >= 2; shared x: bool; process P[i: 1..N] { on: x = true; halt; }
        property p: F x under weak P; property q: F !x && G !x;";
    let report = report_with(ours(), text, &Options::default()).expect("a report");
    let [p, q] = &report.outcomes[..] else { panic!("{report:?}") };
    assert_eq!(
        (p.verdict, p.engine, p.scope.as_str()),
        (Verdict::Holds, Some(EngineKind::Counter), "every N >= 2")
    );
    assert!(sentences(&p.notes).iter().any(|note| note.contains("covers every N >= 2")), "{:?}", p.notes);
    assert_eq!((q.verdict, q.checked, q.scope.as_str()), (Verdict::Fails, true, "N = 2"));
    assert!(q.counterexample.is_some());
}

#[test]
fn auto_takes_the_first_engine_that_accepts() {
    let engines: Table = vec![
        (EngineKind::Local, Box::new(Snob)),
        (EngineKind::Explicit, Box::new(Parrot(yes))),
        (EngineKind::Symbolic, Box::new(Parrot(|| panic!("not asked")))),
    ];
    let report = report_with(engines, BLINKER, &Options::default()).expect("a report");
    let outcome = &report.outcomes[0];
    assert_eq!(
        (outcome.verdict, outcome.engine, outcome.checked),
        (Verdict::Holds, Some(EngineKind::Explicit), false)
    );
    assert_eq!(outcome.refusals.len(), 1);
}

#[test]
fn auto_asks_one_after_the_other_until_one_decides() {
    let tired = || Answer::Unknown(Reason::NoRanking);
    let first = || -> (EngineKind, Box<dyn Engine>) { (EngineKind::Infinite, Box::new(Parrot(tired))) };
    let engines: Table = vec![
        first(),
        (EngineKind::Explicit, Box::new(Parrot(yes))),
        (EngineKind::Symbolic, Box::new(Parrot(|| panic!("not asked")))),
    ];
    let report = report_with(engines, BLINKER, &Options::default()).expect("a report");
    let outcome = &report.outcomes[0];
    assert_eq!((outcome.verdict, outcome.engine), (Verdict::Holds, Some(EngineKind::Explicit)));
    assert_eq!(
        sentences(&outcome.notes),
        ["infinite gave up: neither a ranking argument nor a recurrent set decides it"]
    );
    let report = report_with(vec![first()], BLINKER, &Options::default()).expect("a report");
    assert_eq!(
        (report.outcomes[0].verdict, report.outcomes[0].engine),
        (Verdict::Unknown, Some(EngineKind::Infinite))
    );
}

/// The number of times that an engine was asked, and whether it was ever given no limit.
static ASKED: AtomicU64 = AtomicU64::new(0);

/// An engine that decides when it is given enough work.
struct Patient(u64);

impl Engine for Patient {
    fn name(&self) -> &'static str {
        "patient"
    }

    fn prepare<'t>(&'t self, _: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal> {
        Ok(Box::new(Patient(self.0)))
    }
}

impl Prepared for Patient {
    fn answer(&mut self, session: &Session<'_>) -> Answer {
        ASKED.fetch_add(1, Ordering::Relaxed);
        match session.spend(self.0) {
            Ok(()) => yes(),
            Err(stop) => Answer::Unknown(Reason::stopped(stop)),
        }
    }
}

#[test]
fn an_engine_that_needs_more_work_is_asked_again_with_more() {
    let engines: Table = vec![
        (EngineKind::Explicit, Box::new(Patient(u64::MAX - 1))),
        (EngineKind::Symbolic, Box::new(Patient(30_000_000))),
    ];
    let report = report_with(engines, BLINKER, &Options::default()).expect("a report");
    for outcome in &report.outcomes {
        assert_eq!((outcome.verdict, outcome.engine), (Verdict::Holds, Some(EngineKind::Symbolic)));
        assert_eq!(sentences(&outcome.notes), ["explicit gave up: it takes more work than was allowed"]);
    }
    assert!(ASKED.load(Ordering::Relaxed) > 4 * 2, "there were several rounds");
}

#[test]
fn auto_asks_nobody_else_when_the_time_is_up() {
    let late = || Answer::Unknown(Reason::stopped(StopReason::Time));
    let engines: Table = vec![
        (EngineKind::Explicit, Box::new(Parrot(late))),
        (EngineKind::Symbolic, Box::new(Parrot(|| panic!("not asked")))),
    ];
    let report = report_with(engines, BLINKER, &Options::default()).expect("a report");
    let outcome = &report.outcomes[0];
    assert_eq!((outcome.verdict, outcome.engine), (Verdict::Unknown, Some(EngineKind::Explicit)));
    assert_eq!(
        sentences(&outcome.notes),
        ["the time limit was reached", "raise `--time-limit`, or make the instance smaller"]
    );
}

#[test]
fn auto_lists_small_state_spaces_and_works_on_sets_where_they_are_large() {
    // Independent bits: 2ⁿ states, and diagrams of n nodes.
    let text = |bits: u32| {
        format!(
            "process P[i: 1..{bits}] {{ local x: bool; loop {{ flip: x = !x; }} }}
             property p: G F P[1].x under weak P;"
        )
    };
    let answered = |bits: u32| {
        let model = model(&text(bits));
        let report =
            check(&model, &Options::default(), &World::unlimited(), &mut |_, _| {}).expect("a report");
        let outcome = report.outcomes.into_iter().next().expect("an outcome");
        assert_eq!(outcome.verdict, Verdict::Holds, "{outcome:?}");
        outcome.engine
    };
    assert_eq!(answered(4), Some(EngineKind::Explicit));
    assert_ne!(answered(40), Some(EngineKind::Explicit));
}

#[test]
fn all_engines_have_their_turn_although_states_have_no_end() {
    let text = "shared n: int = 0; process P { loop { a: n = n + 1; } } invariant p: n >= 0;";
    let options = Options { engines: Engines::All, without_notes: true, ..Options::default() };
    let report = check(&model(text), &options, &World::unlimited(), &mut |_, _| {}).expect("a report");
    let notes = sentences(&report.outcomes[0].notes);
    assert!(notes.iter().any(|note| note.starts_with("there are more than")), "{notes:?}");
    assert!(notes.iter().any(|note| note.starts_with("infinite: unknown")), "{notes:?}");
}

#[test]
fn engines_that_disagree_are_a_dispute() {
    let mut engines = ours();
    engines.retain(|(kind, _)| *kind != EngineKind::Infinite);
    engines.push((EngineKind::Infinite, Box::new(Parrot(yes))));
    let options = Options { engines: Engines::All, ..Options::default() };
    let report = report_with(engines, BLINKER, &options).expect("a report");
    let dark = &report.outcomes[0];
    assert_eq!((dark.verdict, dark.engine), (Verdict::Unknown, None));
    let dispute = dark.dispute.as_ref().expect("a dispute");
    assert_eq!(dispute.summary, "the engines disagree: infinite says holds, explicit says fails");
    for part in ["property  dark: !x", "engine explicit", "engine infinite", "P.on: x = true"] {
        assert!(dispute.details.contains(part), "`{part}` is not in: {}", dispute.details);
    }
    let often = &report.outcomes[1];
    assert_eq!((often.verdict, often.dispute.is_none()), (Verdict::Holds, true));
    let notes = sentences(&often.notes);
    assert!(notes.iter().any(|note| note.starts_with("infinite: holds")), "{notes:?}");
}

#[test]
fn evidence_that_the_judge_refuses_is_a_dispute() {
    let forged = || Answer::Fails(Counterexample::Lasso(Lasso { positions: vec![], cycle: 0 }));
    let engines: Table = vec![(EngineKind::Explicit, Box::new(Parrot(forged)))];
    let report = report_with(engines, BLINKER, &Options::default()).expect("a report");
    for outcome in &report.outcomes {
        assert_eq!(outcome.verdict, Verdict::Unknown);
        let dispute = outcome.dispute.as_ref().expect("a dispute");
        assert!(dispute.summary.starts_with("the judge refuses the evidence of the engine explicit"));
    }
}

#[test]
fn an_engine_that_panics_leaves_the_property_unknown() {
    let engines: Table = vec![(EngineKind::Explicit, Box::new(Parrot(|| panic!("no more crackers"))))];
    let report = report_with(engines, BLINKER, &Options::default()).expect("a report");
    assert_eq!(report.outcomes.len(), 4);
    for outcome in &report.outcomes {
        assert_eq!(outcome.verdict, Verdict::Unknown);
        let note = outcome.notes[0].to_string();
        assert!(note.contains("explicit broke down (no more crackers)"), "{note}");
    }
}

#[test]
fn after_a_limit_the_rest_is_unknown() {
    let world = World { stop: &|| Some(StopReason::Time), ..World::unlimited() };
    let report = check(&model(BLINKER), &Options::default(), &world, &mut |_, _| {}).expect("a report");
    assert_eq!(report.outcomes.len(), 4);
    for outcome in &report.outcomes {
        assert_eq!(outcome.verdict, Verdict::Unknown);
        assert_eq!(sentences(&outcome.notes), ["the time limit was reached before it began"]);
    }
}

#[test]
fn a_hopeless_property_leaves_time_for_the_others() {
    let late = AtomicU64::new(0);
    let stop = || (late.fetch_add(1, Ordering::Relaxed) > 60).then_some(StopReason::Time);
    let world = World { stop: &stop, ..World::unlimited() };
    let engines: Table = vec![(EngineKind::Explicit, Box::new(Patient(3_000_000)))];
    let text = "shared x: bool; property p[i: 1..6]: F x;";
    let model = model(text);
    let panel = Panel::of(Engines::Auto, &model.subject, engines);
    let report = check_with(
        &[Form::new(panel, &model, &Options::default())],
        &Options::default(),
        &world,
        &mut |_, _| {},
    )
    .expect("a report");
    assert!(report.outcomes.iter().all(|outcome| outcome.verdict == Verdict::Holds), "{report:?}");
}

#[test]
fn the_time_of_one_property_can_be_limited() {
    let ticks = AtomicU64::new(0);
    let clock = || Duration::from_secs(ticks.fetch_add(1, Ordering::Relaxed));
    let world = World { clock: &clock, property_time: Some(Duration::from_secs(5)), ..World::unlimited() };
    let waits = || Answer::Unknown(Reason::stopped(StopReason::Work));
    let model = model("shared x: bool; property p: F x; property q: G x;");
    let engines: Table = vec![(EngineKind::Explicit, Box::new(Parrot(waits)))];
    let panel = Panel::of(Engines::Auto, &model.subject, engines);
    let options = Options { without_notes: true, ..Options::default() };
    let report = check_with(&[Form::new(panel, &model, &options)], &options, &world, &mut |_, _| {})
        .expect("a report");
    for outcome in &report.outcomes {
        assert_eq!(outcome.verdict, Verdict::Unknown);
        assert!(outcome.time < Duration::from_mins(1), "{outcome:?}");
    }
}
