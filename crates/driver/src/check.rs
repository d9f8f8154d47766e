//! Checks the properties of a model one after the other.
//!
//! For each task the engines of the user's choice are asked whether they accept it. With `auto` they work in turn until
//! one decides, with `all` every one works. An [`Attempt`] of an engine ends with the judge, and only what comes back
//! certified becomes a verdict. With several engines the answers must agree; the first that decides speaks for
//! all. Once a limit is reached, the remaining properties are *unknown*, so a report is complete whenever it
//! ends.

use std::sync::Arc;
use std::time::Duration;

use ::engines::explicit::GraphCache;
use ::engines::{Engine, Explicit};
use certify::{Certified, Standing};
use lang::{Check, Lines, Model};
use model::instance::Obstacle;
use model::task::Progress;
use model::{Answer, Instance, Proof, StopReason, Task, show};
use smt::Solvers;

use crate::attempt::{Attempt, attempt, reason_in_words, stopped};
use crate::evidence::counterexample;
use crate::notes::Notes;
use crate::options::{Engines, FairnessOption, Options};
use crate::report::{Outcome, Report, Verdict};
use crate::{dispute, engines, evidence, explain, overapproximates, select};

/// What the driver must know of the world.
pub struct World<'a> {
    /// Whether to give up now.
    pub stop: &'a (dyn Fn() -> Option<StopReason> + Sync),
    /// Told now and then how far the engine is with the property of this name.
    pub progress: &'a (dyn Fn(&str, &Progress) + Sync),
    /// The time since some moment in the past.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// The number of bytes an engine may allocate.
    pub memory: u64,
    /// The number of threads an engine may use.
    pub threads: usize,
    /// How solvers are started, for engines and the judge; without them nothing that needs them is decided.
    pub solvers: &'a Solvers,
}

/// Why a model cannot be checked at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A parameter has no value, and no engine can do without.
    Parameter {
        /// The parameter.
        name: String,
        /// Why the engines cannot, a sentence each.
        refusals: Vec<String>,
    },
    /// The system cannot be counted out.
    Instance(String),
    /// There is no initial state.
    NoInitialState,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::Parameter { name, refusals } => {
                write!(f, "parameter {name} has no value: give one with --set {name}=…")?;
                refusals.iter().try_for_each(|refusal| write!(f, "; {refusal}"))
            }
            Problem::Instance(obstacle) => write!(f, "{obstacle}"),
            Problem::NoInitialState => write!(f, "the model has no initial state"),
        }
    }
}

impl From<Obstacle> for Problem {
    fn from(obstacle: Obstacle) -> Problem {
        match obstacle {
            Obstacle::Parameter(name) => Problem::Parameter { name, refusals: Vec::new() },
            other => Problem::Instance(other.to_string()),
        }
    }
}

/// Checks the selected properties of a model; `each` is told every outcome as soon as it is known.
pub fn check(
    model: &Model,
    options: &Options,
    world: &World<'_>,
    each: &mut dyn FnMut(&Outcome),
) -> Result<Report, Problem> {
    let known = GraphCache::default();
    let notes = (!options.without_notes).then(|| Notes::new(&known));
    let instance = instance(model);
    let of = instance.as_ref().ok().and_then(Option::as_ref);
    let endless = of.filter(|instance| instance.cells.iter().any(|cell| cell.domain.is_unbounded()));
    let (told, solvers) = (&options.engine_options, world.solvers);
    let mut engines = match options.engines {
        Engines::Auto => engines::in_turn(of, told, &known, solvers, true),
        Engines::All | Engines::Named(_) => engines::configured(told, &known, solvers, true),
    };
    if let (Engines::All, Some(instance)) = (&options.engines, endless) {
        // Whoever lists states without end should leave some time to the others.
        let most = engines::states(instance, 0);
        for engine in engines.iter_mut().filter(|engine| engine.name() == "explicit") {
            *engine = Box::new(Explicit { known: known.shared(), most, ..Explicit::default() });
        }
    }
    check_with(&engines, notes, model, instance, options, world, each)
}

/// The instance that a model without open parameters is.
fn instance(model: &Model) -> Result<Option<Instance>, Obstacle> {
    if model.system().parameters.is_empty() {
        Instance::new(Arc::clone(model.system())).map(Some)
    } else {
        Ok(None)
    }
}

/// [`check`] with these engines.
fn check_with(
    engines: &[Box<dyn Engine>],
    mut notes: Option<Notes>,
    model: &Model,
    instance: Result<Option<Instance>, Obstacle>,
    options: &Options,
    world: &World<'_>,
    each: &mut dyn FnMut(&Outcome),
) -> Result<Report, Problem> {
    let mut plans = Vec::new();
    for check in &model.checks {
        if select::selected(&options.properties, &check.task.property.name) {
            plans.push(Plan::new(check, &model.lines, options, engines));
        }
    }
    // One property that needs a value does not keep the others from an answer; if all of them do, a value is asked for.
    if plans.iter().all(|plan| plan.accepting.is_empty())
        && let Some(problem) = plans.first().and_then(|plan| missing_parameter(&plan.task, &plan.refusals))
    {
        return Err(problem);
    }
    // A system without open parameters that cannot be counted out is bad input for every engine.
    let instance = instance?;
    let scope = scope(model, options);
    let mut report = Report::default();
    for plan in plans {
        let task = plan.task.clone();
        let mut outcome = plan.outcome(instance.as_ref(), &scope, world);
        if let Some(notes) = &mut notes {
            notes.add(&task, options.fairness == FairnessOption::Declared, &mut outcome, world);
        }
        each(&outcome);
        report.outcomes.push(outcome);
    }
    if let Some(notes) = &mut notes {
        report.notes = notes.of_model(model, world);
    }
    Ok(report)
}

/// Of what the answers speak.
pub(crate) fn scope(model: &Model, options: &Options) -> String {
    let open = model.system().parameters.iter().map(|p| format!("every {} >= {}", p.name, p.least));
    let set = options.settings.iter().map(|(name, value)| format!("{name} = {value}"));
    let parts: Vec<String> = open.chain(set).collect();
    if parts.is_empty() { "this instance".to_owned() } else { parts.join(", ") }
}

/// That a parameter has no value, if that is why every engine refuses a task.
pub(crate) fn missing_parameter(task: &Task, refusals: &[(&'static str, String)]) -> Option<Problem> {
    let parameter = task.system().parameters.first()?;
    // That an instance is wanted is said already; why the engine for all of them cannot is news.
    let other = refusals.iter().filter(|(engine, _)| *engine == "counter");
    let refusals = other.map(|(engine, why)| format!("for every {} {engine} refuses: {why}", parameter.name));
    Some(Problem::Parameter { name: parameter.name.clone(), refusals: refusals.collect() })
}

/// A task and the engines that will work on it.
struct Plan<'a> {
    task: Task,
    expected: Option<bool>,
    fairness: String,
    accepting: Vec<&'a dyn Engine>,
    /// Whether the first that decides is enough.
    in_turn: bool,
    explain: bool,
    refusals: Vec<(&'static str, String)>,
}

impl<'a> Plan<'a> {
    fn new(check: &Check, lines: &Lines, options: &Options, engines: &'a [Box<dyn Engine>]) -> Plan<'a> {
        let mut task = check.task.clone();
        let (expected, fairness) = match options.fairness.replacement(task.system()) {
            None => (check.expected, show::fairness(task.system(), &task.fairness)),
            Some(replacement) => {
                task.fairness = replacement;
                (None, options.fairness.name().to_owned())
            }
        };
        let mut accepting = Vec::new();
        let mut refusals = Vec::new();
        for engine in engines {
            if let Engines::Named(name) = options.engines
                && name != engine.name()
            {
                continue;
            }
            match engine.accepts(&task) {
                Ok(()) => accepting.push(&**engine),
                // An engine that is asked twice says no once.
                Err(_) if refusals.iter().any(|(name, _)| *name == engine.name()) => {}
                Err(refusal) => {
                    let instead = if refusal.instead.is_empty() { "" } else { "; " };
                    let reason = lines.named(&refusal.reason);
                    refusals.push((engine.name(), format!("{reason}{instead}{}", refusal.instead)));
                }
            }
        }
        let in_turn = options.engines == Engines::Auto;
        Plan { task, expected, fairness, accepting, in_turn, explain: options.explain, refusals }
    }

    fn outcome(self, instance: Option<&Instance>, scope: &str, world: &World<'_>) -> Outcome {
        let mut outcome = Outcome {
            property: self.task.property.name.clone(),
            claim: show::kind(self.task.system(), &self.task.property.kind),
            verdict: Verdict::Unknown,
            expected: self.expected,
            engine: None,
            checked: false,
            scope: scope.to_owned(),
            fairness: self.fairness,
            time: Duration::ZERO,
            statistics: Vec::new(),
            counterexample: None,
            explanation: None,
            proof: None,
            notes: Vec::new(),
            refusals: self.refusals,
            dispute: None,
        };
        if let Some(reason) = (world.stop)() {
            outcome.notes.push(format!("{} before it began", stopped(reason)));
            return outcome;
        }
        if self.accepting.is_empty() {
            if let Some(problem) = missing_parameter(&self.task, &outcome.refusals) {
                outcome.notes.push(problem.to_string());
            } else {
                let all = outcome.refusals.iter().map(|(engine, why)| format!("{engine} refuses: {why}"));
                outcome.notes.extend(all);
            }
            return outcome;
        }
        let (mut asked, mut attempts) = (Vec::new(), Vec::new());
        for engine in &self.accepting {
            match attempt(*engine, &self.task, world) {
                Ok(attempt) => {
                    let done = self.in_turn && attempt.is_final();
                    asked.push(*engine);
                    attempts.push(attempt);
                    if done {
                        break;
                    }
                }
                Err(message) => outcome.notes.push(format!(
                    "the engine {} broke down ({message}); this is an error in Fairly, please report it",
                    engine.name()
                )),
            }
        }
        outcome.dispute = dispute::among(&self.task, instance, &attempts);
        if let Some(dispute) = &outcome.dispute {
            outcome.notes.push(dispute.summary.clone());
            return outcome;
        }
        // The answers agree; the first that decides speaks for all. If none does, it is the first; in turn, the last,
        // which was allowed most.
        let decided = attempts.iter().position(|attempt| attempt.verdict() != Verdict::Unknown);
        let chosen = decided.unwrap_or(if self.in_turn { attempts.len().saturating_sub(1) } else { 0 });
        let mut before = Duration::ZERO;
        for (number, (engine, attempt)) in asked.into_iter().zip(attempts).enumerate() {
            if number == chosen {
                let answer = outcome.adopt(&self.task, instance, attempt);
                outcome.time += before;
                if let (true, Some(answer)) = (self.explain, answer) {
                    let decide = |task: &Task| certified(engine, task, world);
                    outcome.explanation = explain::explanation(&self.task, instance, &answer, &decide);
                }
            } else if self.in_turn {
                before += attempt.time;
                outcome.notes.push(attempt.in_vain());
            } else {
                let time = attempt.time.as_secs_f64();
                outcome.notes.push(format!("{}: {}, {time:.2} s", attempt.engine, attempt.verdict().name()));
            }
        }
        overapproximates::qualify(&self.task, &mut outcome);
        outcome
    }
}

/// The certified answer of an engine to another task, if it takes it.
fn certified(engine: &dyn Engine, task: &Task, world: &World<'_>) -> Option<Answer> {
    engine.accepts(task).ok()?;
    attempt(engine, task, world).ok()?.result.ok().map(Certified::into_answer)
}

impl Outcome {
    /// Takes over what an engine found; the answer, unless the judge refused it.
    fn adopt(&mut self, task: &Task, instance: Option<&Instance>, attempt: Attempt) -> Option<Answer> {
        self.verdict = attempt.verdict();
        self.engine = Some(attempt.engine);
        self.time = attempt.time;
        self.statistics = attempt.statistics;
        let certified = attempt.result.ok()?;
        self.checked = certified.standing() == Standing::Checked;
        let mut notes = Vec::new();
        match certified.answer() {
            Answer::Holds(Proof::Exhaustive | Proof::Labelling(_)) => {}
            Answer::Holds(Proof::Local(proof)) => self.proof = Some(proof.clone()),
            Answer::Fails(found) => {
                self.counterexample = counterexample(task, instance, found);
                if let Some(scope) = evidence::scope(task, found) {
                    self.scope = scope;
                }
            }
            Answer::Unknown(reason) => {
                notes.extend(reason_in_words(reason));
            }
        }
        notes.extend(attempt.notes);
        notes.append(&mut self.notes);
        self.notes = notes;
        Some(certified.into_answer())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use model::{Lasso, Refusal, Session};

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

    fn report_with(engines: &[Box<dyn Engine>], text: &str, options: &Options) -> Result<Report, Problem> {
        let ticks = AtomicU64::new(0);
        let clock = || Duration::from_secs(ticks.fetch_add(1, Ordering::Relaxed) + 1);
        let world = World {
            stop: &|| None,
            progress: &|_, _| {},
            clock: &clock,
            memory: u64::MAX,
            threads: 1,
            solvers: &Solvers::none("none is needed"),
        };
        let mut told = Vec::new();
        let model = model(text);
        let instance = instance(&model);
        let report = check_with(engines, None, &model, instance, options, &world, &mut |o| {
            told.push(o.property.clone());
        })?;
        let names: Vec<String> = report.outcomes.iter().map(|outcome| outcome.property.clone()).collect();
        assert_eq!(told, names, "every outcome is told once");
        Ok(report)
    }

    fn report(text: &str, options: &Options) -> Report {
        report_with(&engines::table(), text, options).expect("a model that can be checked")
    }

    /// An engine that answers everything in the same way.
    struct Parrot(&'static str, fn() -> Answer);

    impl Engine for Parrot {
        fn name(&self) -> &'static str {
            self.0
        }

        fn accepts(&self, _: &Task) -> Result<(), Refusal> {
            Ok(())
        }

        fn check(&self, _: &Task, _: &Session<'_>) -> Answer {
            self.1()
        }
    }

    /// An engine that refuses everything.
    struct Snob;

    impl Engine for Snob {
        fn name(&self) -> &'static str {
            "snob"
        }

        fn accepts(&self, _: &Task) -> Result<(), Refusal> {
            Err(Refusal { reason: "beneath me".to_owned(), instead: "ask a parrot".to_owned() })
        }

        fn check(&self, _: &Task, _: &Session<'_>) -> Answer {
            unreachable!("it accepts nothing")
        }
    }

    fn yes() -> Answer {
        Answer::Holds(Proof::Exhaustive)
    }

    #[test]
    fn an_outcome_says_all_there_is_to_say() {
        let report = report(BLINKER, &Options::default());
        let [dark, often, first, second] = &report.outcomes[..] else { panic!("{report:?}") };
        assert_eq!((dark.verdict, dark.expected, dark.checked), (Verdict::Fails, Some(false), true));
        assert_eq!(
            (dark.engine, dark.scope.as_str(), dark.claim.as_str()),
            (Some("explicit"), "this instance", "!x")
        );
        assert_eq!(dark.time, Duration::from_secs(1));
        let evidence = dark.counterexample.as_ref().expect("a counterexample");
        assert_eq!(evidence.kind, Kind::Path);
        assert_eq!(evidence.trace.as_ref().expect("a path").steps[0].action, "P.on");
        assert_eq!(
            (often.verdict, often.checked, often.fairness.as_str()),
            (Verdict::Holds, false, "weak P")
        );
        assert!(often.statistics.iter().any(|(name, _)| *name == "states"), "{often:?}");
        assert_eq!((first.property.as_str(), second.property.as_str()), ("on[1]", "on[2]"));
        assert!(report.outcomes.iter().all(|outcome| outcome.as_expected() == Some(true)));
    }

    #[test]
    fn the_ledger_says_how_the_cycle_meets_each_requirement() {
        let text = BLINKER
            .replace("F x expect fails", "F x under weak Q & strong P.off & justice (!x) expect fails");
        let report = report(&text, &Options { properties: vec!["on[1]".to_owned()], ..Options::default() });
        let ledger = &report.outcomes[0].counterexample.as_ref().expect("a lasso").ledger;
        let met: Vec<(&str, Met)> =
            ledger.iter().map(|entry| (entry.requirement.as_str(), entry.met)).collect();
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
        let report = report_with(&[Box::new(Snob)], BLINKER, &Options::default()).expect("a report");
        let outcome = &report.outcomes[0];
        assert_eq!((outcome.verdict, outcome.engine), (Verdict::Unknown, None));
        assert_eq!(outcome.notes, ["snob refuses: beneath me; ask a parrot"]);
    }

    #[test]
    fn a_parameter_no_engine_can_do_without_is_a_problem() {
        let text = "param N >= 2; shared turn: 1..N; process P[i: 1..N] { loop { a: await turn == i; } }
            property p: G F taken(P);";
        let problem = report_with(&engines::table(), text, &Options::default());
        let Err(Problem::Parameter { name, refusals }) = problem else { panic!("{problem:?}") };
        assert_eq!(name, "N");
        assert!(refusals.len() == 1 && refusals[0].contains("`turn`"), "{refusals:?}");
    }

    #[test]
    fn a_property_that_needs_a_value_does_not_keep_the_others_from_an_answer() {
        let text = "param N >= 2; shared x: bool; process P[i: 1..N] { on: x = true; halt; }
            property p: F x under weak P; property q: AF x under weak P;";
        let report = report_with(&engines::table(), text, &Options::default()).expect("a report");
        let [p, q] = &report.outcomes[..] else { panic!("{report:?}") };
        assert_eq!((p.verdict, q.verdict, q.engine), (Verdict::Holds, Verdict::Unknown, None));
        let [note] = &q.notes[..] else { panic!("{:?}", q.notes) };
        assert!(
            note.starts_with(
                "parameter N has no value: give one with --set N=…; for every N counter refuses"
            )
        );
        let alone = Options { properties: vec!["q".to_owned()], ..Options::default() };
        let problem = report_with(&engines::table(), text, &alone);
        assert!(matches!(problem, Err(Problem::Parameter { .. })), "{problem:?}");
    }

    #[test]
    fn without_a_value_for_a_parameter_the_answer_is_for_every_value() {
        let text = "param N >= 2; shared x: bool; process P[i: 1..N] { on: x = true; halt; }
            property p: F x under weak P; property q: F !x && G !x;";
        let report = report_with(&engines::table(), text, &Options::default()).expect("a report");
        let [p, q] = &report.outcomes[..] else { panic!("{report:?}") };
        assert_eq!(
            (p.verdict, p.engine, p.scope.as_str()),
            (Verdict::Holds, Some("counter"), "every N >= 2")
        );
        assert!(p.notes.iter().any(|note| note.contains("covers every N >= 2")), "{:?}", p.notes);
        assert_eq!((q.verdict, q.checked, q.scope.as_str()), (Verdict::Fails, true, "N = 2"));
        assert!(q.counterexample.is_some());
    }

    #[test]
    fn auto_takes_the_first_engine_that_accepts() {
        let engines: [Box<dyn Engine>; 3] = [
            Box::new(Snob),
            Box::new(Parrot("polly", yes)),
            Box::new(Parrot("coco", || panic!("not asked"))),
        ];
        let report = report_with(&engines, BLINKER, &Options::default()).expect("a report");
        let outcome = &report.outcomes[0];
        assert_eq!(
            (outcome.verdict, outcome.engine, outcome.checked),
            (Verdict::Holds, Some("polly"), false)
        );
        assert_eq!(outcome.refusals.len(), 1);
    }

    #[test]
    fn auto_asks_one_after_the_other_until_one_decides() {
        let tired = || {
            let message = "too much for me".to_owned();
            Answer::Unknown(model::Reason { stop: None, message, hint: String::new() })
        };
        let engines: [Box<dyn Engine>; 3] = [
            Box::new(Parrot("polly", tired)),
            Box::new(Parrot("coco", yes)),
            Box::new(Parrot("rio", || panic!("not asked"))),
        ];
        let report = report_with(&engines, BLINKER, &Options::default()).expect("a report");
        let outcome = &report.outcomes[0];
        assert_eq!((outcome.verdict, outcome.engine), (Verdict::Holds, Some("coco")));
        assert_eq!(outcome.notes, ["polly gave up: too much for me"]);
        assert_eq!(outcome.time, Duration::from_secs(2), "that of both");
        let report = report_with(&engines[..1], BLINKER, &Options::default()).expect("a report");
        assert_eq!(
            (report.outcomes[0].verdict, report.outcomes[0].engine),
            (Verdict::Unknown, Some("polly"))
        );
    }

    #[test]
    fn auto_asks_nobody_else_when_the_time_is_up() {
        let late = || {
            let stop = Some(StopReason::Time);
            Answer::Unknown(model::Reason { stop, message: String::new(), hint: String::new() })
        };
        let engines: [Box<dyn Engine>; 2] =
            [Box::new(Parrot("polly", late)), Box::new(Parrot("coco", || panic!("not asked")))];
        let report = report_with(&engines, BLINKER, &Options::default()).expect("a report");
        let outcome = &report.outcomes[0];
        assert_eq!((outcome.verdict, outcome.engine), (Verdict::Unknown, Some("polly")));
        assert_eq!(outcome.notes, ["the time limit was reached"]);
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
            let instance = instance(&model(&text(bits))).expect("an instance");
            let solvers = Solvers::none("none is needed");
            let engines = engines::in_turn(instance.as_ref(), &[], &GraphCache::default(), &solvers, true);
            let report = report_with(&engines, &text(bits), &Options::default()).expect("a report");
            let outcome = report.outcomes.into_iter().next().expect("an outcome");
            assert_eq!(outcome.verdict, Verdict::Holds, "{outcome:?}");
            (outcome.engine, outcome.notes)
        };
        assert_eq!(answered(4).0, Some("explicit"));
        let (engine, notes) = answered(40);
        assert_eq!(engine, Some("symbolic"));
        assert!(
            notes.contains(&"explicit gave up: there are more than 50000 states".to_owned()),
            "{notes:?}"
        );
    }

    #[test]
    fn all_engines_have_their_turn_although_states_have_no_end() {
        let text = "shared n: int = 0; process P { loop { a: n = n + 1; } } invariant p: n >= 0;";
        let options = Options { engines: Engines::All, without_notes: true, ..Options::default() };
        let world = World {
            stop: &|| None,
            progress: &|_, _| {},
            clock: &|| Duration::ZERO,
            memory: u64::MAX,
            threads: 1,
            solvers: &Solvers::none("none is needed"),
        };
        let report = check(&model(text), &options, &world, &mut |_| {}).expect("a report");
        let told = &report.outcomes[0].notes;
        assert!(told.iter().any(|note| note.contains("there are more than 125000 states")), "{told:?}");
    }

    #[test]
    fn engines_that_disagree_are_a_dispute() {
        let mut engines = engines::table();
        engines.push(Box::new(Parrot("polly", yes)));
        let options = Options { engines: Engines::All, ..Options::default() };
        let report = report_with(&engines, BLINKER, &options).expect("a report");
        let dark = &report.outcomes[0];
        assert_eq!((dark.verdict, dark.engine), (Verdict::Unknown, None));
        let dispute = dark.dispute.as_ref().expect("a dispute");
        assert_eq!(dispute.summary, "the engines disagree: polly says holds, explicit says fails");
        for part in ["property  dark: !x", "engine explicit", "engine polly", "P.on: x = true"] {
            assert!(dispute.details.contains(part), "`{part}` is not in: {}", dispute.details);
        }
        let often = &report.outcomes[1];
        assert_eq!((often.verdict, often.dispute.is_none()), (Verdict::Holds, true));
        assert!(often.notes.iter().any(|note| note.starts_with("polly: holds")), "{:?}", often.notes);
    }

    #[test]
    fn evidence_that_the_judge_refuses_is_a_dispute() {
        let forged = || Answer::Fails(model::Counterexample::Lasso(Lasso { positions: vec![], cycle: 0 }));
        let engines: [Box<dyn Engine>; 1] = [Box::new(Parrot("polly", forged))];
        let report = report_with(&engines, BLINKER, &Options::default()).expect("a report");
        for outcome in &report.outcomes {
            assert_eq!(outcome.verdict, Verdict::Unknown);
            let dispute = outcome.dispute.as_ref().expect("a dispute");
            assert!(dispute.summary.starts_with("the judge refuses the evidence of the engine polly"));
        }
    }

    #[test]
    fn an_engine_that_panics_leaves_the_property_unknown() {
        let engines: [Box<dyn Engine>; 1] = [Box::new(Parrot("polly", || panic!("no more crackers")))];
        let report = report_with(&engines, BLINKER, &Options::default()).expect("a report");
        assert_eq!(report.outcomes.len(), 4);
        for outcome in &report.outcomes {
            assert_eq!(outcome.verdict, Verdict::Unknown);
            assert!(outcome.notes[0].contains("polly broke down (no more crackers)"), "{:?}", outcome.notes);
        }
    }

    #[test]
    fn after_a_limit_the_rest_is_unknown() {
        let world = World {
            stop: &|| Some(StopReason::Time),
            progress: &|_, _| {},
            clock: &|| Duration::ZERO,
            memory: u64::MAX,
            threads: 1,
            solvers: &Solvers::none("none is needed"),
        };
        let report = check(&model(BLINKER), &Options::default(), &world, &mut |_| {}).expect("a report");
        assert_eq!(report.outcomes.len(), 4);
        for outcome in &report.outcomes {
            assert_eq!(outcome.verdict, Verdict::Unknown);
            assert_eq!(outcome.notes, ["the time limit was reached before it began"]);
        }
    }
}
