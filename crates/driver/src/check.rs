//! Checks the properties of a model: asks the engines about each, and makes an outcome of what they say.
//!
//! All properties get their first turn before any gets its second, so one that is hopeless leaves time for the others.
//! Once a limit is reached, what is not decided is *unknown*, so a report is complete whenever it ends. An outcome
//! is told as soon as it is known, with its place in the file.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;

use engines::explicit::WAITING;
use lang::{Expect, Model};
use model::property::Kind;
use model::{
    Answer, Counterexample, Expr, Instance, Proof, Property, Reason, Refusal, RefusalKind, StopReason, Task,
};

use crate::ask::plan::{EXPLAINING, EngineKind, Engines};
use crate::ask::{Panel, Question, Settled};
use crate::empty::Emptiness;
use crate::judging::Judging;
use crate::load::meant;
use crate::notes::Notes;
use crate::options::{FairnessOption, Options};
use crate::report::note::{NoValue, Note, Refused, Try};
use crate::report::{
    Evidence, Kind as ReportKind, Outcome, Report, Verdict, assumed, evidence, labels, trace,
};
use crate::small::{Tried, tried};
use crate::world::World;
use crate::{explain, selection};

/// Why a model cannot be checked at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A parameter has no value, and no engine can do without.
    NoValue(Box<NoValue>),
    /// An `init` predicate is a fault.
    InitFault(String),
    /// There is no initial state.
    NoInitialState,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::NoValue(missing) => missing.fmt(f),
            Problem::InitFault(fault) => f.write_str(fault),
            Problem::NoInitialState => write!(f, "the model has no initial state"),
        }
    }
}

impl std::error::Error for Problem {}

/// The instance that a model is, for what cannot be done without.
pub(crate) fn instance(model: &Model) -> Result<&Instance, Problem> {
    let name =
        || model.system().parameters.first().map(|parameter| parameter.name.clone()).unwrap_or_default();
    let open = || Problem::NoValue(Box::new(NoValue { name: name(), refused: None, holds_for: None }));
    model.subject.instance().map(|instance| &**instance).ok_or_else(open)
}

/// Checks the selected properties of a model. `each` is told every outcome as soon as it is known, with its place among
/// the selected properties.
pub fn check(
    model: &Model,
    options: &Options,
    world: &World<'_>,
    each: &mut dyn FnMut(usize, &Outcome),
) -> Result<Report, Problem> {
    check_forms(&[model], options, world, each)
}

/// [`check`] for a program that can be written as a model in several forms. All forms have the same properties, and an
/// answer for one of them is an answer for the program. Which form an engine can decide is not known before, so each has
/// its turn in every round. A property that is decided for none is reported as that of the first form.
pub fn check_forms(
    models: &[&Model],
    options: &Options,
    world: &World<'_>,
    each: &mut dyn FnMut(usize, &Outcome),
) -> Result<Report, Problem> {
    let forms = models.iter().map(|model| {
        // An explanation says what strong global fairness would do.
        let plain = options.explain || options.as_written;
        let model = if plain { model.as_written() } else { meant(model, options.fairness) };
        let panel = Panel::new(
            options.engines,
            models.len(),
            &model.subject,
            &options.engine_options,
            true,
            Judging { labels: options.labels, ..options.certify.into() },
            world,
        );
        Form::new(panel, model, options)
    });
    check_with(&forms.collect::<Vec<_>>(), options, world, each)
}

/// The tasks that [`check`] asks about, in the order of the file.
pub fn tasks(model: &Model, options: &Options) -> Vec<Task> {
    let plain = options.explain || options.as_written;
    let model = if plain { model.as_written() } else { meant(model, options.fairness) };
    asked(model, options).into_iter().map(|asked| asked.task).collect()
}

/// A model of the program, with the engines that are asked about it.
struct Form<'m> {
    panel: Panel,
    model: &'m Model,
    scope: String,
    /// The selected properties.
    asked: Vec<Asked>,
}

impl<'m> Form<'m> {
    fn new(panel: Panel, model: &'m Model, options: &Options) -> Form<'m> {
        Form { panel, model, scope: scope(model, options), asked: asked(model, options) }
    }
}

/// What is found out about a form beside the answers.
struct Aside {
    notes: Option<Notes>,
    emptiness: Emptiness,
}

/// [`check_forms`] with these engines.
fn check_with(
    forms: &[Form<'_>],
    options: &Options,
    world: &World<'_>,
    each: &mut dyn FnMut(usize, &Outcome),
) -> Result<Report, Problem> {
    let Some(first) = forms.first() else { return Ok(Report::default()) };
    let aside = |form: &Form<'_>| Aside {
        notes: (!options.without_notes).then(|| Notes::new(&form.panel.cache)),
        emptiness: Emptiness::default(),
    };
    let mut asides: Vec<Aside> = forms.iter().map(aside).collect();
    let pending = |place: usize| forms.iter().map(|form| Pending::new(form, &form.asked[place])).collect();
    let mut properties: Vec<Vec<Pending<'_>>> = (0..first.asked.len()).map(pending).collect();
    let mut outcomes: Vec<Option<Outcome>> = vec![None; properties.len()];
    // One property that needs a value does not keep the others from an answer. If all do, small values are tried, and if
    // these say nothing, a value is asked for.
    if properties.iter_mut().all(|pending| pending[0].needs_a_value()) {
        let mut says = false;
        for pending in &mut properties {
            says |= pending[0].try_small(options, world);
        }
        if let Some(missing) = properties.first().and_then(|pending| pending[0].missing()).filter(|_| !says) {
            return Err(Problem::NoValue(Box::new(missing)));
        }
    }
    let rounds = first.panel.rounds();
    for round in 0..rounds {
        for (place, pending) in properties.iter_mut().enumerate() {
            for (pending, aside) in pending.iter_mut().zip(&mut asides) {
                pending.ask(round, world);
                if pending.outcome.is_none() && (pending.is_settled() || round + 1 == rounds) {
                    pending.conclude(aside, options, world);
                }
                if pending.is_decided() {
                    break;
                }
            }
            if let Some(outcome) = concluded(pending) {
                each(place, &outcome);
                outcomes[place] = Some(outcome);
                // Nobody works on a property that is decided.
                pending.clear();
            }
        }
    }
    let mut report = Report {
        outcomes: outcomes.into_iter().flatten().collect(),
        notes: Vec::new(),
        strict: options.strict,
    };
    if let Some(notes) = &mut asides[0].notes {
        report.notes = notes.of_model(first.model, world);
    }
    Ok(report)
}

/// What came of a property: the outcome that decides it, or that of the first form if all have come to an end.
fn concluded(forms: &mut [Pending<'_>]) -> Option<Outcome> {
    let time = forms.iter().map(|pending| pending.time).sum();
    let decided = forms.iter().position(Pending::is_decided);
    let is_over = !forms.is_empty() && forms.iter().all(|pending| pending.outcome.is_some());
    let chosen = decided.or(is_over.then_some(0))?;
    let outcome = forms[chosen].outcome.take()?;
    Some(Outcome { time, ..outcome })
}

/// Of what the answers speak.
pub(crate) fn scope(model: &Model, options: &Options) -> String {
    quantified("every", model, options)
}

/// The same for a claim about `every` or `some` value of the parameters.
fn quantified(word: &str, model: &Model, options: &Options) -> String {
    let open = model.system().parameters.iter().chain(&model.integers);
    let open = open.map(|parameter| format!("{word} {} >= {}", parameter.name, parameter.least));
    let set = options.settings.iter().map(|(name, value)| format!("{name} = {value}"));
    let parts: Vec<String> = open.chain(set).collect();
    if parts.is_empty() { "this instance".to_owned() } else { parts.join(", ") }
}

/// A refusal with the name and the line of what it is about.
pub(crate) fn refused(model: &Model, engine: EngineKind, refusal: &Refusal) -> Refused {
    let system = model.system();
    let mut about = refusal.about.as_ref().map(|about| lang::declared_name(system, about));
    if refusal.kind == RefusalKind::Open {
        about = system.parameters.first().map(|parameter| parameter.name.clone());
    }
    let line = refusal.about.as_ref().and_then(|about| model.lines.of(system, about));
    Refused { engine, refusal: refusal.clone(), about, line }
}

/// That a parameter has no value, if that is why every engine refuses a task.
pub(crate) fn missing_value(model: &Model, refusals: &[(EngineKind, Refusal)]) -> Option<NoValue> {
    let parameter = model.system().parameters.first()?;
    // That an instance is wanted is said already; why the engine for all of them cannot is news.
    let counter = refusals.iter().find(|(engine, _)| *engine == EngineKind::Counter);
    let refused = counter.map(|(engine, refusal)| refused(model, *engine, refusal));
    Some(NoValue { name: parameter.name.clone(), refused, holds_for: None })
}

/// What is to be said of the selected properties if nothing is found out about them before a limit.
pub fn undecided(model: &Model, options: &Options, stop: StopReason) -> Vec<Outcome> {
    let scope = scope(model, options);
    let undecided = |asked: &Asked| {
        let mut outcome = asked.undecided(&scope);
        outcome.notes.push(Note::Open(Reason::stopped(stop)));
        outcome
    };
    asked(model, options).iter().map(undecided).collect()
}

/// The selected properties.
fn asked(model: &Model, options: &Options) -> Vec<Asked> {
    let selected = model
        .checks
        .iter()
        .filter(|check| selection::selected(&options.properties, &check.task.property.name));
    selected.map(|check| Asked::new(check, options)).collect()
}

/// A property as it is asked about.
struct Asked {
    task: Task,
    claim: String,
    implied: bool,
    expected: Option<Expect>,
    fairness: String,
    strict: bool,
}

impl Asked {
    fn new(check: &lang::Check, options: &Options) -> Asked {
        let (mut task, expected, claim) = (check.task.clone(), check.expected, check.claim());
        let (implied, strict) = (check.implied, options.strict);
        match options.fairness.replacement(task.system()) {
            None => {
                let fairness = assumed(task.system(), &task.fairness);
                Asked { task, claim, implied, expected, fairness, strict }
            }
            Some(replacement) => {
                task.fairness = replacement;
                let fairness = options.fairness.name().to_owned();
                Asked { task, claim, implied, expected: None, fairness, strict }
            }
        }
    }
}

impl Asked {
    /// What is known of it before anyone is asked.
    fn undecided(&self, scope: &str) -> Outcome {
        let Asked { task, claim, expected, fairness, strict, .. } = self;
        Outcome {
            property: task.property.name.clone(),
            claim: claim.clone(),
            verdict: Verdict::Unknown,
            expected: *expected,
            engine: None,
            checked: false,
            scope: scope.to_owned(),
            fairness: fairness.clone(),
            time: Duration::ZERO,
            statistics: Vec::new(),
            counterexample: None,
            explanation: None,
            reasons: Vec::new(),
            labels: Vec::new(),
            evidence: None,
            proof: None,
            notes: Vec::new(),
            refusals: Vec::new(),
            dispute: None,
            strict: *strict,
        }
    }
}

/// A property that is being asked about, of one form of the program.
struct Pending<'p> {
    form: &'p Form<'p>,
    asked: &'p Asked,
    question: Option<Question<'p>>,
    /// The limit that kept it from being asked about.
    not_begun: Option<StopReason>,
    time: Duration,
    /// What small instances say, if all engines want one.
    tried: Option<Tried>,
    outcome: Option<Outcome>,
}

impl<'p> Pending<'p> {
    fn new(form: &'p Form<'p>, asked: &'p Asked) -> Pending<'p> {
        let (question, not_begun, tried, outcome) = (None, None, None, None);
        Pending { form, asked, question, not_begun, time: Duration::ZERO, tried, outcome }
    }

    fn ask(&mut self, round: u32, world: &World<'_>) {
        if self.is_settled() {
            return;
        }
        if self.question.is_none()
            && let Some(stop) = (world.stop)()
        {
            self.not_begun = Some(stop);
            return;
        }
        let start = (world.clock)();
        let before = self.time;
        let own = || {
            let over = world
                .property_time
                .is_some_and(|most| before + (world.clock)().saturating_sub(start) >= most);
            (world.stop)().or(over.then_some(StopReason::Time))
        };
        let question = self.question.get_or_insert_with(|| self.form.panel.question(&self.asked.task));
        question.ask(round, &World { stop: &own, ..*world });
        self.time += (world.clock)().saturating_sub(start);
    }

    /// Whether there is nothing more to ask.
    fn is_settled(&self) -> bool {
        self.outcome.is_some()
            || self.not_begun.is_some()
            || self.question.as_ref().is_some_and(Question::is_settled)
    }

    /// Whether its outcome is the outcome of the property, whatever the other forms would say.
    fn is_decided(&self) -> bool {
        let decides = |outcome: &Outcome| outcome.verdict != Verdict::Unknown || outcome.dispute.is_some();
        self.outcome.as_ref().is_some_and(decides)
    }

    /// Whether a parameter is open and every engine refuses it.
    fn needs_a_value(&mut self) -> bool {
        let task = &self.asked.task;
        let question = || self.form.panel.question(task);
        task.instance().is_none() && self.question.get_or_insert_with(question).is_refused()
    }

    /// Tries small values of the parameters, unless an engine was named; whether that says anything.
    fn try_small(&mut self, options: &Options, world: &World<'_>) -> bool {
        if options.engines != Engines::Auto {
            return false;
        }
        let start = (world.clock)();
        let tried = self.tried.get_or_insert_with(|| tried(&self.asked.task, world));
        let says = tried.fails.is_some() || tried.holds_for.is_some();
        self.time += (world.clock)().saturating_sub(start);
        says
    }

    fn missing(&self) -> Option<NoValue> {
        missing_value(self.form.model, self.question.as_ref()?.refusals())
    }

    /// Finds out what came of it.
    fn conclude(&mut self, aside: &mut Aside, options: &Options, world: &World<'_>) {
        let (panel, task) = (&self.form.panel, &self.asked.task);
        let mut outcome = self.answered(options, world);
        aside.emptiness.add(panel, task, &mut outcome, world);
        if let Some(notes) = &mut aside.notes {
            let declared = options.fairness == FairnessOption::Declared;
            notes.add(task, (declared, self.asked.implied), &mut outcome, world);
        }
        self.outcome = Some(outcome);
    }

    /// What the engines have said.
    fn answered(&mut self, options: &Options, world: &World<'_>) -> Outcome {
        let Form { panel, model, scope, .. } = self.form;
        let task = &self.asked.task;
        let Some(question) = self.question.take() else {
            let mut outcome = self.asked.undecided(scope);
            outcome.notes.extend(self.not_begun.map(Note::NotBegun));
            return outcome;
        };
        let mut settled = question.settle();
        if settled.found.is_none() && task.instance().is_none() && settled.stopped.is_none() {
            self.try_small(options, world);
        }
        let Tried { fails, holds_for } = self.tried.take().unwrap_or_default();
        let mut outcome = Outcome { time: self.time, ..self.asked.undecided(scope) };
        if settled.found.is_none() {
            settled.found = fails;
        }
        if settled.found.is_none() && settled.broken.is_empty() {
            outcome.notes = not_asked(model, task, options, &settled, holds_for);
        }
        let mut answer = outcome.adopt(model, task, options, settled);
        if let Some(fault) = hidden_fault(panel, task, &outcome, world) {
            outcome.counterexample = evidence::counterexample(task, &fault, trace::written(model));
            answer = Some(Answer::Fails(fault));
        }
        if let (true, Some(answer)) = (options.explain, &answer) {
            // An explanation also asks about the same system beside a process that may always stutter.
            let beside = OnceCell::new();
            let own = task;
            let decide = |task: &Task| {
                let is_own = Arc::ptr_eq(task.system(), own.system());
                let aside = || Panel::aside(&task.subject, world);
                let panel = if is_own { panel } else { beside.get_or_init(aside) };
                panel.ask(task, EXPLAINING, world).into_answer()
            };
            outcome.explanation = explain::explanation(task, answer, &decide);
            let shown = outcome.counterexample.as_ref().map(|found| &found.kind);
            let may_be_fair = matches!(shown, Some(ReportKind::Lasso | ReportKind::Beginning));
            if let (Some(explain::Explanation::Fails(failure)), true) =
                (&mut outcome.explanation, may_be_fair)
            {
                failure.find_enough(task, &model.checks, &decide, world);
            }
        }
        outcome
    }
}

/// A fault that is reachable in a model whose invariant fails as it should. `expect fails` speaks of the invariant, and
/// must not hide that the model is broken.
fn hidden_fault(panel: &Panel, task: &Task, outcome: &Outcome, world: &World<'_>) -> Option<Counterexample> {
    let Kind::Invariant(invariant) = &task.property.kind else { return None };
    if outcome.verdict != Verdict::Fails || outcome.expected != Some(Expect::Fails) || outcome.is_fault() {
        return None;
    }
    // True wherever the invariant has a value.
    let defined = Expr::Or(vec![invariant.clone(), Expr::negated(invariant.clone())]);
    let property = Property { kind: Kind::Invariant(defined), ..task.property.clone() };
    match panel.ask(&Task { property, ..task.clone() }, EXPLAINING, world).into_answer() {
        Some(Answer::Fails(fault)) if is_fault(&fault) => Some(fault),
        _ => None,
    }
}

fn is_fault(found: &Counterexample) -> bool {
    match found {
        Counterexample::Fault { .. } => true,
        Counterexample::Instance { evidence, .. } => is_fault(evidence),
        _ => false,
    }
}

/// Why no engine was asked.
fn not_asked(
    model: &Model,
    task: &Task,
    options: &Options,
    settled: &Settled,
    holds_for: Option<(i64, i64)>,
) -> Vec<Note> {
    if let Some(stop) = settled.stopped {
        return vec![Note::NotBegun(stop)];
    }
    if let Some(missing) = missing_value(model, &settled.refusals) {
        return vec![Note::NoValue(NoValue { holds_for, ..missing })];
    }
    let refused = settled.refusals.iter().map(|(engine, refusal)| refused(model, *engine, refusal));
    refused.map(Note::Refused).chain(other_engines(task, options.engines).map(Note::Try)).collect()
}

impl Outcome {
    /// Takes over what came of a question; the answer that speaks for all, unless it says nothing of the property.
    fn adopt(&mut self, model: &Model, task: &Task, options: &Options, settled: Settled) -> Option<Answer> {
        let Settled { found, others, until_one_decides, refusals, broken, dispute, .. } = settled;
        self.refusals = refusals.iter().map(|(engine, refusal)| refused(model, *engine, refusal)).collect();
        if let Some(dispute) = dispute {
            self.notes.push(Note::Disputed(dispute.summary.clone()));
            self.dispute = Some(dispute);
            return None;
        }
        let mut notes = Vec::new();
        let mut answer = None;
        if let Some(found) = found {
            self.engine = Some(found.engine);
            self.verdict = found.verdict;
            self.checked = found.checked;
            self.evidence = found.answer.as_ref().filter(|_| found.checked).and_then(Evidence::of);
            self.statistics = found.statistics;
            if let Some(Answer::Unknown(reason)) = &found.answer {
                notes.push(Note::Open(reason.clone()));
                let counted = |wanted: &str| {
                    self.statistics.iter().find(|(name, _)| *name == wanted).map(|(_, number)| *number)
                };
                if let (Some(states), Some(waiting)) = (counted("states"), counted(WAITING)) {
                    // Beside other engines nobody knows how much of the time was its own.
                    let time = others.is_empty().then_some(self.time);
                    notes.push(Note::Pace { states, waiting, time });
                }
                let gave_up = others.iter().filter_map(|other| other.reason.as_ref());
                notes.extend(tries(task, options.engines, reason, gave_up).into_iter().map(Note::Try));
            }
            notes.extend(found.notes.into_iter().map(Note::Fact));
            answer = found.answer;
        }
        for other in others {
            notes.push(match other.reason {
                Some(reason) if until_one_decides => Note::GaveUp { engine: other.engine, reason },
                _ => Note::Said { engine: other.engine, verdict: other.verdict, time: other.time },
            });
        }
        notes.extend(broken.into_iter().map(|(engine, message)| Note::BrokeDown { engine, message }));
        self.notes.append(&mut notes);
        if self.says_nothing_of_the_program(task) {
            return None;
        }
        match &answer {
            Some(Answer::Holds(proof)) => {
                if self.checked {
                    self.reasons = explain::reasons(task, proof);
                }
                let is_kept = matches!(proof, Proof::Local(_))
                    || options.keeps_proofs
                        && matches!(proof, Proof::Listed(_) | Proof::Diagrams(_) | Proof::Counted(_));
                self.proof = is_kept.then(|| proof.clone());
            }
            Some(Answer::Fails(found)) => {
                self.counterexample = evidence::counterexample(task, found, trace::written(model));
                if let Some(scope) = evidence::scope(task, found) {
                    self.scope = scope;
                } else if !model.integers.is_empty() {
                    // The run says for which.
                    self.scope = quantified("some", model, options);
                }
            }
            _ => {}
        }
        if let Some(answer) = answer.as_ref().filter(|_| options.labels && self.checked) {
            self.labels = labels::labels(task, answer);
        }
        answer
    }

    /// Takes back a verdict that need not be true of the program the system was read from, where the system does more, or
    /// less.
    ///
    /// If it does more, every run of the program is one of the system, so what holds of all runs of the system holds of the
    /// program's. A run of the system need not be one of the program, so nothing follows from a counterexample, nor from a
    /// run that is shown to exist. If it does less, a counterexample that is a run is one of the program, and nothing else
    /// follows.
    fn says_nothing_of_the_program(&mut self, task: &Task) -> bool {
        let (more, less) = (&task.system().overapproximates, &task.system().underapproximates);
        let of_all_runs = task.property.kind.is_of_all_runs();
        let stands = match self.verdict {
            Verdict::Unknown => true,
            Verdict::Holds => of_all_runs && less.is_empty(),
            Verdict::Fails => of_all_runs && more.is_empty(),
        };
        if more.is_empty() && less.is_empty() || stands {
            return false;
        }
        self.notes.insert(0, Note::NotTheProgram { more: !more.is_empty(), said: self.verdict });
        self.notes.extend(more.iter().chain(less).cloned().map(Note::Approximates));
        self.verdict = Verdict::Unknown;
        self.checked = false;
        self.evidence = None;
        true
    }
}

/// What to try when a task was not decided, for this reason and those of other engines.
fn tries<'a>(
    task: &Task,
    engines: Engines,
    reason: &'a Reason,
    others: impl Iterator<Item = &'a Reason>,
) -> Vec<Try> {
    let mut tries = Vec::new();
    let instance = task.instance();
    let unbounded =
        instance.and_then(|instance| instance.cells.iter().find(|cell| cell.domain.is_unbounded()));
    for reason in std::iter::once(reason).chain(others) {
        let attempt = match reason {
            Reason::Stopped { stop: StopReason::Time, .. }
            | Reason::NothingFound { stop: Some(StopReason::Time), .. } => Try::MoreTime,
            Reason::Stopped { stop: StopReason::Memory, .. }
            | Reason::NothingFound { stop: Some(StopReason::Memory), .. }
            | Reason::LargeDiagrams => Try::MoreMemory,
            Reason::NoPathShows => Try::Exact,
            Reason::NoRanking => Try::Strengthen,
            Reason::PossibleFault => Try::LargerRanges,
            Reason::NotLinear { .. } => Try::Linear,
            Reason::TooLarge { .. } => Try::Smaller,
            Reason::TwoOrders => Try::OneOrder,
            Reason::Spurious { .. } => {
                Try::Values(task.system().parameters.iter().map(|open| open.name.clone()).collect())
            }
            _ => continue,
        };
        if !tries.contains(&attempt) {
            tries.push(attempt);
        }
    }
    let by_listing = matches!(reason, Reason::Stopped { done: Some(_), .. });
    if let (Some(cell), true) = (unbounded, by_listing) {
        tries.push(Try::Range { variable: cell.name.clone() });
    } else if by_listing && tries.contains(&Try::MoreMemory) && !matches!(task.property.kind, Kind::Ctl(_)) {
        tries.push(Try::Elsewhere);
        if matches!(task.property.kind, Kind::Invariant(_)) {
            tries.push(Try::Approximate);
        }
    }
    let approximate = matches!(reason, Reason::NothingFound { .. } | Reason::NoPathShows);
    if !approximate
        && !matches!(reason, Reason::Stopped { stop: StopReason::Time | StopReason::Cancelled, .. })
    {
        tries.extend(other_engines(task, engines));
    }
    tries
}

/// The engines that would take a task, where one was named.
fn other_engines(task: &Task, engines: Engines) -> Option<Try> {
    let Engines::Named(named) = engines else { return None };
    let others: Vec<EngineKind> = EngineKind::ALL.into_iter().filter(|kind| *kind != named).collect();
    let others = crate::ask::takers(&others, task);
    (!others.is_empty()).then_some(Try::OtherEngines(others))
}

#[cfg(test)]
mod tests;
