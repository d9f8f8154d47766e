//! One property, many fairness assumptions: asks the engines, and has the judge look at every answer.
//!
//! The first engine that accepts is asked, and if it cannot say, the next. The explicit engine keeps the graph of the
//! system from one question to the next, so all questions about a system cost one exploration. Its notes are turned
//! off: what they say of one assumption is of no interest to one who asks about hundreds. Of a system with open
//! parameters small instances are asked first ([`small`](super::small)), since they are quick to say no.

use std::sync::Arc;

use certify::Certified;
use engines::explicit::Known;
use engines::{Engine, Explicit};
use model::system::Scalar;
use model::{Answer, Counterexample, Fairness, Instance, StopReason, System, Task};
use smt::Solvers;

use super::small::{self, Small};
use crate::attempt::{attempt, reason_in_words, stopped};
use crate::check::Circumstances;
use crate::dispute;
use crate::engines::configured;
use crate::report::{Dispute, Verdict};

/// What came of a question.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// The property holds.
    Holds,
    /// It fails, for this reason.
    Fails(Counterexample),
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

/// As many states of a system with unbounded integers are listed.
const ENOUGH: usize = 100_000;

/// Engines that are asked again and again about one system.
pub(super) struct Staff {
    engines: Vec<Box<dyn Engine>>,
    /// The graph of the system.
    pub(super) known: Known,
    small: Vec<Small>,
}

impl Staff {
    /// The engines of the driver, without notes, for questions about this system.
    pub(super) fn new(system: &System, solvers: &Solvers) -> Staff {
        let known = Known::default();
        // What has unbounded integers may have states without end: other engines should have their turn.
        let is_unbounded = system.variables.iter().any(|variable| variable.kind.scalar == Scalar::Int);
        let most = if is_unbounded { ENOUGH } else { usize::MAX };
        let explicit = Explicit { notes: false, known: known.shared(), most, ..Explicit::default() };
        let mut engines = configured(&[], &known, solvers);
        engines.retain(|engine| engine.name() != explicit.name());
        engines.insert(0, Box::new(explicit));
        Staff { engines, known, small: small::instances(system) }
    }

    /// Why no engine takes a task, a sentence each; `None` if one does.
    pub(super) fn refusals(&self, task: &Task) -> Option<Vec<(&'static str, String)>> {
        let mut refusals = Vec::new();
        for engine in &self.engines {
            let refusal = engine.accepts(task).err()?;
            let instead = if refusal.instead.is_empty() { "" } else { "; " };
            refusals.push((engine.name(), format!("{}{instead}{}", refusal.reason, refusal.instead)));
        }
        Some(refusals)
    }
}

/// Questions about one property.
pub(super) struct Inquiry<'a> {
    staff: &'a Staff,
    task: Task,
    instance: Option<Arc<Instance>>,
    circumstances: &'a Circumstances<'a>,
    /// The first thing that should never be.
    pub(super) dispute: Option<Dispute>,
    /// Why the first unknown answer is unknown.
    pub(super) reason: Option<String>,
}

impl<'a> Inquiry<'a> {
    /// About the property of a task.
    pub(super) fn new(
        staff: &'a Staff,
        task: Task,
        instance: Option<Arc<Instance>>,
        circumstances: &'a Circumstances<'a>,
    ) -> Inquiry<'a> {
        Inquiry { staff, task, instance, circumstances, dispute: None, reason: None }
    }

    /// Whether the property holds under this fairness.
    pub(super) fn ask(&mut self, fairness: &Fairness) -> Found {
        if let Some(stop) = (self.circumstances.stop)() {
            self.reason.get_or_insert_with(|| stopped(stop).to_owned());
            return Found::Unknown(Some(stop));
        }
        let task = Task { fairness: fairness.clone(), ..self.task.clone() };
        if let Some(evidence) = self.small_counterexample(&task) {
            return Found::Fails(evidence);
        }
        let mut limit = None;
        for engine in &self.staff.engines {
            if engine.accepts(&task).is_err() {
                continue;
            }
            let attempt = match attempt(&**engine, &task, self.circumstances) {
                Ok(attempt) => attempt,
                Err(message) => {
                    let reason = format!(
                        "the engine {} broke down ({message}); this is an error in Fairly, please report it",
                        engine.name()
                    );
                    self.reason.get_or_insert(reason);
                    continue;
                }
            };
            let attempts = [attempt];
            if let Some(dispute) = dispute::among(&task, self.instance.as_deref(), &attempts) {
                self.reason.get_or_insert_with(|| dispute.summary.clone());
                self.dispute.get_or_insert(dispute);
                return Found::Unknown(None);
            }
            let [attempt] = attempts;
            match attempt.result.map(Certified::into_answer) {
                Ok(Answer::Holds(_)) => return Found::Holds,
                Ok(Answer::Fails(evidence)) => return Found::Fails(evidence),
                Ok(Answer::Unknown(reason)) => {
                    limit = limit.or(reason.stop);
                    self.reason.get_or_insert_with(|| reason_in_words(&reason).join("; "));
                    if matches!(reason.stop, Some(StopReason::Cancelled | StopReason::Time)) {
                        break;
                    }
                }
                Err(_) => {}
            }
        }
        if limit.is_none() {
            self.reason.get_or_insert_with(|| "no engine takes the task under this fairness".to_owned());
        }
        Found::Unknown(limit)
    }

    /// Whether the property holds under this fairness, as far as it can be said without much work: a failure is
    /// certain, everything else is only what small instances say.
    pub(super) fn probe(&mut self, fairness: &Fairness) -> Found {
        if self.staff.small.is_empty() {
            return self.ask(fairness);
        }
        let task = Task { fairness: fairness.clone(), ..self.task.clone() };
        self.small_counterexample(&task).map_or(Found::Unknown(None), Found::Fails)
    }

    /// A counterexample in a small instance.
    fn small_counterexample(&mut self, task: &Task) -> Option<Counterexample> {
        for small in &self.staff.small {
            for (member, task) in small.tasks(task) {
                if small.engine.accepts(&task).is_err() || (self.circumstances.stop)().is_some() {
                    continue;
                }
                let Ok(attempt) = attempt(&small.engine, &task, self.circumstances) else { continue };
                let attempts = [attempt];
                if let Some(dispute) = dispute::among(&task, Some(&small.instance), &attempts) {
                    self.dispute.get_or_insert(dispute);
                    continue;
                }
                let [attempt] = attempts;
                if let Ok(Answer::Fails(evidence)) = attempt.result.map(Certified::into_answer) {
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
        self.instance.as_deref()
    }

    /// The instance a counterexample speaks of, and what it shows there.
    pub(super) fn located<'e>(
        &self,
        evidence: &'e Counterexample,
    ) -> Option<(Arc<Instance>, &'e Counterexample)> {
        match evidence {
            Counterexample::Instance { values, member, evidence } => {
                let task = model::setting::set(&self.task, values, member)?;
                Some((Arc::new(Instance::new(task.system).ok()?), evidence))
            }
            other => Some((self.instance.clone()?, other)),
        }
    }
}
