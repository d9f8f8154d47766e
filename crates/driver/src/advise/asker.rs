//! Asks about one property under many fairness assumptions: a memo over [`ask`](crate::ask).
//!
//! Questions recur, for example for a property with another declared fairness, and are then answered from the memo.
//! For a system with open parameters, small instances are asked first ([`small`]), because they refute
//! quickly. If parameters were set and states are unbounded, the answer for every value is used
//! ([`every_n`](super::every_n)).
//!
//! An advisor asks many questions, so each is asked in a few rounds only and then left open. The solvers' futile work
//! is counted over all questions; above a limit, the other engines are asked without solvers.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use engines::explicit::GraphCache;
use model::property::Kind;
use model::{Answer, Counterexample, Expr, Fairness, Formula, Instance, Property, StopReason, Subject, Task};

use super::every_n::General;
use crate::ask::plan::{ADVISING, EngineKind};
use crate::ask::{Panel, Settled};
use crate::explain::is_monotone;
use crate::report::{Dispute, Note, Verdict};
use crate::small::{self, Small};
use crate::world::World;

/// The result of a question.
#[derive(Clone, Debug)]
pub(super) enum AskResult {
    /// The property holds.
    Holds,
    /// It fails, for this reason.
    Fails(Arc<Counterexample>),
    /// It is not known; because of this limit, if there is one.
    Unknown(Option<StopReason>),
}

impl AskResult {
    /// The result as a verdict.
    pub(super) fn verdict(&self) -> Verdict {
        match self {
            AskResult::Holds => Verdict::Holds,
            AskResult::Fails(_) => Verdict::Fails,
            AskResult::Unknown(_) => Verdict::Unknown,
        }
    }
}

/// The limit on futile work of solvers, after which they are not asked any more: about six seconds.
const FUTILE_WORK_LIMIT: u64 = 600_000_000;

/// The rounds of a first question, after which all properties have had their turn.
pub(super) const QUICK: u32 = 5;

/// An answer that is kept.
struct Answered {
    property: Property,
    fairness: Fairness,
    rounds: u32,
    result: AskResult,
    /// Why it is not known.
    reason: Option<Note>,
}

/// The questions about one subject, with their answers.
pub(super) struct Memo {
    panel: Panel,
    /// The same without solvers.
    without_solvers: Panel,
    small: Vec<Small>,
    /// The model for every value of the parameters, if states are unbounded and some parameters were set.
    pub(super) general: Option<Rc<General>>,
    /// The work of solvers on questions that stayed open.
    futile_work: Cell<u64>,
    /// The answers, by claim and fairness, with the number of rounds that were allowed.
    answered: RefCell<Vec<Answered>>,
}

impl Memo {
    /// A memo without answers. `general` may return a more general model, which is asked where that helps.
    pub(super) fn new(
        subject: &Subject,
        world: &World<'_>,
        general: impl FnOnce() -> Option<Rc<General>>,
    ) -> Memo {
        let is_unbounded = !subject.is_bounded();
        let general = if is_unbounded && subject.instance().is_some() { general() } else { None };
        let listing = [EngineKind::Explicit];
        let without = EngineKind::ALL.into_iter().filter(|kind| *kind != EngineKind::Infinite);
        let without: Vec<EngineKind> = without.collect();
        Memo {
            // Counterexamples are usually near, and solvers would add little to the general answer.
            panel: match &general {
                Some(_) => Panel::only(&listing, subject, world),
                None => Panel::aside(subject, world),
            },
            without_solvers: Panel::only(&without, subject, world),
            small: small::instances(subject, world),
            general,
            futile_work: Cell::new(0),
            answered: RefCell::default(),
        }
    }

    /// Whether targets must be whole families, because the general model treats all processes alike.
    pub(super) fn asks_for_families(&self) -> bool {
        self.general.is_some()
    }

    /// The cache with the graph of the subject.
    pub(super) fn cache(&self) -> &GraphCache {
        &self.panel.cache
    }

    /// The refusals of all engines, if no engine accepts a task.
    pub(super) fn refusals(&self, task: &Task) -> Option<Vec<(EngineKind, model::Refusal)>> {
        let question = self.panel.question(task);
        question.is_refused().then(|| question.refusals().to_vec())
    }

    /// Asks about tasks with all engines and in as many rounds as `check` does, each in every round, and keeps the answers.
    /// If parameters were set and the answer for every value is used, nobody else is asked.
    pub(super) fn ask_to_the_end(&self, tasks: &[&Task], world: &World<'_>) {
        if self.general.is_some() {
            return;
        }
        let rounds = self.panel.rounds();
        let mut questions: Vec<_> = tasks.iter().map(|task| Some(self.panel.question(task))).collect();
        for round in 0..rounds {
            for (task, place) in tasks.iter().zip(&mut questions) {
                let Some(question) = place else { continue };
                question.ask(round, world);
                if !question.is_settled() && round + 1 < rounds {
                    continue;
                }
                let Some(question) = place.take() else { continue };
                let mut asker = Asker::new(self, (*task).clone(), world);
                let result = asker.learn(task, question.settle());
                asker.keep(&task.fairness, rounds, &result);
            }
        }
    }

    fn keep(&self, answer: Answered) {
        let mut answered = self.answered.borrow_mut();
        let same = |known: &Answered| {
            known.property.claims_the_same_as(&answer.property) && known.fairness == answer.fairness
        };
        answered.retain(|known| !same(known));
        answered.push(answer);
    }

    fn asked(&self) -> &Panel {
        if self.futile_work.get() > FUTILE_WORK_LIMIT { &self.without_solvers } else { &self.panel }
    }
}

/// Questions about one property.
pub(super) struct Asker<'a> {
    memo: &'a Memo,
    task: Task,
    world: &'a World<'a>,
    /// In how many rounds a question is asked.
    pub(super) rounds: u32,
    /// The first dispute.
    pub(super) dispute: Option<Dispute>,
    /// Why the first unknown answer is unknown.
    pub(super) reason: Option<Note>,
}

impl<'a> Asker<'a> {
    /// Questions about the property of a task.
    pub(super) fn new(memo: &'a Memo, task: Task, world: &'a World<'a>) -> Asker<'a> {
        Asker { memo, task, world, rounds: ADVISING, dispute: None, reason: None }
    }

    /// Whether a property that holds under some fairness holds under more.
    pub(super) fn is_monotone(&self) -> bool {
        is_monotone(&self.task.property.kind)
    }

    /// Whether the property holds under this fairness.
    pub(super) fn ask(&mut self, fairness: &Fairness) -> AskResult {
        // An answer is kept, also if a limit has been reached since.
        let is_known = |known: &&Answered| {
            known.property.claims_the_same_as(&self.task.property)
                && known.fairness == *fairness
                && (known.rounds >= self.rounds || !matches!(known.result, AskResult::Unknown(_)))
        };
        if let Some(known) = self.memo.answered.borrow().iter().find(is_known) {
            if self.reason.is_none() {
                self.reason.clone_from(&known.reason);
            }
            return known.result.clone();
        }
        if let Some(stop) = (self.world.stop)() {
            self.reason.get_or_insert(Note::Open(model::Reason::stopped(stop)));
            return AskResult::Unknown(Some(stop));
        }
        let earlier = self.reason.take();
        let result = self.find_out(&Task { fairness: fairness.clone(), ..self.task.clone() });
        self.keep(fairness, self.rounds, &result);
        self.reason = earlier.or(self.reason.take());
        result
    }

    fn keep(&self, fairness: &Fairness, rounds: u32, result: &AskResult) {
        let (property, fairness, result) = (self.task.property.clone(), fairness.clone(), result.clone());
        self.memo.keep(Answered { property, fairness, rounds, result, reason: self.reason.clone() });
    }

    fn find_out(&mut self, task: &Task) -> AskResult {
        if let Some(evidence) = self.small_counterexample(task) {
            return AskResult::Fails(Arc::new(evidence));
        }
        let found = self.ask_engines(task);
        match (&found, &self.memo.general, task.instance()) {
            (AskResult::Unknown(None | Some(StopReason::Work)), Some(general), Some(instance))
                if general.holds(task, instance, self.world) =>
            {
                AskResult::Holds
            }
            _ => found,
        }
    }

    fn ask_engines(&mut self, task: &Task) -> AskResult {
        let settled = self.memo.asked().ask(task, self.rounds, self.world);
        self.learn(task, settled)
    }

    /// What came of a question; a dispute and the first reason for not knowing are kept.
    fn learn(&mut self, task: &Task, settled: Settled) -> AskResult {
        if let (None, Some(stop)) = (&settled.found, settled.stopped) {
            self.reason.get_or_insert(Note::Open(model::Reason::stopped(stop)));
            return AskResult::Unknown(Some(stop));
        }
        if settled.found.is_none() {
            self.reason.get_or_insert_with(|| why_nobody(task, &settled));
            return AskResult::Unknown(None);
        }
        let Settled { found, others, broken, dispute, .. } = settled;
        if let Some(dispute) = dispute {
            self.reason.get_or_insert_with(|| Note::Disputed(dispute.summary.clone()));
            self.dispute.get_or_insert(dispute);
            return AskResult::Unknown(None);
        }
        for (engine, message) in broken {
            self.reason.get_or_insert(Note::BrokeDown { engine, message });
        }
        match found.and_then(|found| found.answer) {
            Some(Answer::Holds(_)) => AskResult::Holds,
            Some(Answer::Fails(evidence)) => AskResult::Fails(Arc::new(evidence)),
            Some(Answer::Unknown(reason)) => {
                let of_solvers = others.iter().filter(|other| other.engine == EngineKind::Infinite);
                let futile_work: u64 = of_solvers.map(|other| other.spent).sum();
                self.memo.futile_work.set(self.memo.futile_work.get().saturating_add(futile_work));
                let limit = reason.stop();
                self.reason.get_or_insert(Note::Open(reason));
                AskResult::Unknown(limit)
            }
            None => AskResult::Unknown(None),
        }
    }

    /// Whether it is known that no run that is fair in this sense satisfies a formula.
    pub(super) fn excludes(&mut self, fairness: &Fairness, formula: &Formula) -> bool {
        let negation = Kind::Ltl(Formula::Not(Box::new(formula.clone())));
        matches!(self.ask_another(negation, fairness), AskResult::Holds)
    }

    /// Whether it is known that some run is fair in this sense.
    pub(super) fn has_fair_run(&mut self, fairness: &Fairness) -> bool {
        let nothing = Kind::Ltl(Formula::Atom(Expr::Bool(false)));
        matches!(self.ask_another(nothing, fairness), AskResult::Fails(_))
    }

    /// Whether another claim is known to be true without fairness.
    pub(super) fn is_true_without_fairness(&mut self, claim: Kind) -> bool {
        matches!(self.ask_another(claim, &Fairness::none()), AskResult::Holds)
    }

    /// Whether another claim is true under this fairness.
    fn ask_another(&mut self, claim: Kind, fairness: &Fairness) -> AskResult {
        let property = Property { kind: claim, ..self.task.property.clone() };
        let mut asker = Asker::new(self.memo, Task { property, ..self.task.clone() }, self.world);
        let result = asker.ask(fairness);
        if let Some(dispute) = asker.dispute {
            self.dispute.get_or_insert(dispute);
        }
        result
    }

    /// Like [`ask`](Asker::ask), but with little work. If the system has open parameters, only small instances are
    /// asked: a failure is certain, and everything else is unknown.
    pub(super) fn probe(&mut self, fairness: &Fairness) -> AskResult {
        let task = Task { fairness: fairness.clone(), ..self.task.clone() };
        if self.memo.small.is_empty() {
            return self.ask(fairness);
        }
        let found = self.small_counterexample(&task).map(Arc::new);
        found.map_or(AskResult::Unknown(None), AskResult::Fails)
    }

    /// A counterexample in a small instance.
    fn small_counterexample(&mut self, task: &Task) -> Option<Counterexample> {
        let memo = self.memo;
        for small in &memo.small {
            for (member, task) in small.some_tasks(task) {
                if (self.world.stop)().is_some() {
                    return None;
                }
                let settled = small.panel.ask(&task, self.rounds, self.world);
                if let Some(dispute) = settled.dispute {
                    self.dispute.get_or_insert(dispute);
                    continue;
                }
                if let Some(Answer::Fails(evidence)) = settled.into_answer() {
                    return Some(small.evidence(member, evidence));
                }
            }
        }
        None
    }

    /// The task with its declared fairness.
    pub(super) fn task(&self) -> &Task {
        &self.task
    }

    /// The instance a counterexample is about, and the counterexample in it.
    pub(super) fn located<'e>(
        &self,
        evidence: &'e Counterexample,
    ) -> Option<(Arc<Instance>, &'e Counterexample)> {
        match evidence {
            Counterexample::Instance { values, member, evidence } => {
                let task = model::setting::set(&self.task, values, member)?;
                Some((Arc::clone(task.instance()?), evidence))
            }
            other => Some((Arc::clone(self.task.instance()?), other)),
        }
    }
}

/// Why no engine was asked. The refusal of the engine for this kind of subject is the most informative.
fn why_nobody(task: &Task, settled: &Settled) -> Note {
    let made_for = match &task.subject {
        Subject::Open(_) => EngineKind::Counter,
        Subject::One(instance) if instance.is_bounded() => EngineKind::Explicit,
        Subject::One(_) => EngineKind::Infinite,
    };
    let refused =
        settled.refusals.iter().find(|(engine, _)| *engine == made_for).or(settled.refusals.first());
    let Some((engine, refusal)) = refused else { return Note::NobodyTakesIt };
    let about = refusal.about.as_ref().map(|about| lang::declared_name(task.system(), about));
    let refused = crate::report::Refused { engine: *engine, refusal: refusal.clone(), about, line: None };
    match task.system().parameters.first() {
        Some(open) => Note::NoValue(crate::report::note::NoValue {
            name: open.name.clone(),
            refused: Some(refused),
            holds_for: None,
        }),
        None => Note::Refused(refused),
    }
}
