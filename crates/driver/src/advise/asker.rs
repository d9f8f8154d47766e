//! One property, many fairness assumptions: a memo over [`ask`](crate::ask).
//!
//! Questions come again, of a property with another fairness declared, and are answered from memory. Of a system with open
//! parameters small instances are asked first ([`small`](super::small)), since they are quick to say no; of one whose
//! parameters were set the answer for every value is asked for ([`general`](super::general)) where states have no end.
//!
//! An advisor asks much, so a question is asked in a few rounds only, and left open after them. Work of solvers that
//! came to nothing is counted over all questions; when there was too much, the other engines are asked alone.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use engines::explicit::GraphCache;
use model::{Answer, Counterexample, Fairness, Instance, Property, StopReason, Subject, Task};

use super::general::General;
use super::small::{self, Small};
use crate::ask::plan::{ADVISING, EngineKind, Engines};
use crate::ask::{Panel, Settled};
use crate::report::{Dispute, Note, Verdict};
use crate::world::World;

/// What came of a question.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// The property holds.
    Holds,
    /// It fails, for this reason.
    Fails(Arc<Counterexample>),
    /// It is not known; if for a limit, which.
    Unknown(Option<StopReason>),
}

impl Found {
    /// As a verdict.
    pub(super) fn verdict(&self) -> Verdict {
        match self {
            Found::Holds => Verdict::Holds,
            Found::Fails(_) => Verdict::Fails,
            Found::Unknown(_) => Verdict::Unknown,
        }
    }
}

/// So much work of solvers may come to nothing before they are not asked any more: about six seconds.
const IN_VAIN: u64 = 600_000_000;

/// What is asked again and again about one subject, and what was answered.
pub(super) struct Memo {
    panel: Panel,
    /// The same without solvers.
    without_solvers: Panel,
    small: Vec<Small>,
    /// The model for every value of the parameters, if states have no end and some were set.
    pub(super) general: Option<Rc<General>>,
    /// The work of solvers that came to nothing.
    in_vain: Cell<u64>,
    /// What was answered, by claim and fairness.
    answered: RefCell<Vec<(Property, Fairness, Found)>>,
}

impl Memo {
    /// Nothing asked yet about this subject. `general` may know a more general one, and is asked where that helps.
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
            // Counterexamples are near if there are any; what solvers could add to the general answer is not worth it.
            panel: match &general {
                Some(_) => Panel::only(&listing, subject, world),
                None => Panel::new(Engines::Auto, subject, &[], false, world),
            },
            without_solvers: Panel::only(&without, subject, world),
            small: small::instances(subject, world),
            general,
            in_vain: Cell::new(0),
            answered: RefCell::default(),
        }
    }

    /// Whether processes can only be told apart where all of them are asked about.
    pub(super) fn asks_for_families(&self) -> bool {
        self.general.is_some()
    }

    /// The graph of the subject.
    pub(super) fn cache(&self) -> &GraphCache {
        &self.panel.cache
    }

    /// Whether no engine takes a task; then what they say.
    pub(super) fn refusals(&self, task: &Task) -> Option<Vec<(EngineKind, model::Refusal)>> {
        let question = self.panel.question(task);
        question.is_refused().then(|| question.refusals().to_vec())
    }

    fn asked(&self) -> &Panel {
        if self.in_vain.get() > IN_VAIN { &self.without_solvers } else { &self.panel }
    }
}

/// Questions about one property.
pub(super) struct Asker<'a> {
    memo: &'a Memo,
    task: Task,
    world: &'a World<'a>,
    /// The first thing that should never be.
    pub(super) dispute: Option<Dispute>,
    /// Why the first unknown answer is unknown.
    pub(super) reason: Option<Note>,
}

impl<'a> Asker<'a> {
    /// About the property of a task.
    pub(super) fn new(memo: &'a Memo, task: Task, world: &'a World<'a>) -> Asker<'a> {
        Asker { memo, task, world, dispute: None, reason: None }
    }

    /// Whether the property holds under this fairness.
    pub(super) fn ask(&mut self, fairness: &Fairness) -> Found {
        if let Some(stop) = (self.world.stop)() {
            self.reason.get_or_insert(Note::Open(model::Reason::stopped(stop)));
            return Found::Unknown(Some(stop));
        }
        let known = |(property, under, _): &&(Property, Fairness, Found)| {
            property.claims_the_same_as(&self.task.property) && under == fairness
        };
        if let Some((.., found)) = self.memo.answered.borrow().iter().find(known) {
            return found.clone();
        }
        let found = self.find_out(&Task { fairness: fairness.clone(), ..self.task.clone() });
        let answer = (self.task.property.clone(), fairness.clone(), found.clone());
        self.memo.answered.borrow_mut().push(answer);
        found
    }

    fn find_out(&mut self, task: &Task) -> Found {
        if let Some(evidence) = self.small_counterexample(task) {
            return Found::Fails(Arc::new(evidence));
        }
        let found = self.ask_engines(task);
        match (&found, &self.memo.general, task.instance()) {
            (Found::Unknown(None | Some(StopReason::Work)), Some(general), Some(instance))
                if general.holds(task, instance, self.world) =>
            {
                Found::Holds
            }
            _ => found,
        }
    }

    fn ask_engines(&mut self, task: &Task) -> Found {
        let settled = self.memo.asked().ask(task, ADVISING, self.world);
        if let (None, Some(stop)) = (&settled.found, settled.stopped) {
            self.reason.get_or_insert(Note::Open(model::Reason::stopped(stop)));
            return Found::Unknown(Some(stop));
        }
        if settled.found.is_none() {
            self.reason.get_or_insert_with(|| why_nobody(task, &settled));
            return Found::Unknown(None);
        }
        let Settled { found, others, broken, dispute, .. } = settled;
        if let Some(dispute) = dispute {
            self.reason.get_or_insert_with(|| Note::Disputed(dispute.summary.clone()));
            self.dispute.get_or_insert(dispute);
            return Found::Unknown(None);
        }
        for (engine, message) in broken {
            self.reason.get_or_insert(Note::BrokeDown { engine, message });
        }
        match found.and_then(|found| found.answer) {
            Some(Answer::Holds(_)) => Found::Holds,
            Some(Answer::Fails(evidence)) => Found::Fails(Arc::new(evidence)),
            Some(Answer::Unknown(reason)) => {
                let of_solvers = others.iter().filter(|other| other.engine == EngineKind::Infinite);
                let in_vain: u64 = of_solvers.map(|other| other.spent).sum();
                self.memo.in_vain.set(self.memo.in_vain.get().saturating_add(in_vain));
                let limit = reason.stop();
                self.reason.get_or_insert(Note::Open(reason));
                Found::Unknown(limit)
            }
            None => Found::Unknown(None),
        }
    }

    /// Whether the property holds under this fairness, as far as it can be said without much work: a failure is
    /// certain, everything else is only what small instances say.
    pub(super) fn probe(&mut self, fairness: &Fairness) -> Found {
        let task = Task { fairness: fairness.clone(), ..self.task.clone() };
        if self.memo.small.is_empty() {
            return self.ask(fairness);
        }
        let found = self.small_counterexample(&task).map(Arc::new);
        found.map_or(Found::Unknown(None), Found::Fails)
    }

    /// A counterexample in a small instance.
    fn small_counterexample(&mut self, task: &Task) -> Option<Counterexample> {
        let memo = self.memo;
        for small in &memo.small {
            for (member, task) in small.tasks(task) {
                if (self.world.stop)().is_some() {
                    return None;
                }
                let settled = small.panel.ask(&task, ADVISING, self.world);
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

    /// The instance that evidence is about, if the system has no open parameters.
    pub(super) fn instance(&self) -> Option<&Instance> {
        self.task.instance().map(|instance| &**instance)
    }

    /// The instance a counterexample speaks of, and what it shows there.
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

/// Why no engine was asked; what the one made for such a subject says tells most.
fn why_nobody(task: &Task, settled: &Settled) -> Note {
    let made_for = match &task.subject {
        Subject::Open(_) => EngineKind::Counter,
        Subject::One(instance) if instance.is_bounded() => EngineKind::Explicit,
        Subject::One(_) => EngineKind::Infinite,
    };
    let told = settled.refusals.iter().find(|(engine, _)| *engine == made_for).or(settled.refusals.first());
    let Some((engine, refusal)) = told else { return Note::NobodyTakesIt };
    let about = refusal.about.as_ref().map(|about| lang::declared_name(task.system(), about));
    let refused = crate::report::Refused { engine: *engine, refusal: refusal.clone(), about, line: None };
    match task.system().parameters.first() {
        Some(open) => {
            Note::NoValue(crate::report::note::NoValue { name: open.name.clone(), refused: Some(refused) })
        }
        None => Note::Refused(refused),
    }
}
