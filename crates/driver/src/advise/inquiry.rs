//! One property, many fairness assumptions: asks the engines, and has the judge look at every answer.
//!
//! The first engine that accepts is asked, and if it cannot say, the next. The explicit engine keeps the graph of the
//! system from one question to the next, so all questions about a system cost one exploration. Its notes are turned
//! off: what they say of one assumption is of no interest to one who asks about hundreds. Of a system with open
//! parameters small instances are asked first ([`small`](super::small)), since they are quick to say no; of one whose
//! parameters were set the answer for every value is asked for ([`general`](super::general)) where states have no end.
//!
//! Questions come again, of a property with another fairness declared, and are answered from memory. But
//! an advisor asks much, so no single question may cost much. What an engine may do for one is counted in states, steps
//! and queries, never in seconds, so that the same question has the same answer on every run. Queries of solvers that came
//! to nothing are counted over all questions; when there were too many, the others are asked alone.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use certify::Certified;
use engines::explicit::GraphCache;
use engines::{Counter, Engine, Explicit};
use model::system::Scalar;
use model::{Answer, Counterexample, Fairness, Instance, Property, StopReason, System, Task};
use smt::Solvers;

use super::general::General;
use super::small::{self, Small};
use crate::attempt::{attempt, reason_in_words, stopped};
use crate::check::{World, missing_parameter};
use crate::dispute;
use crate::engines::{configured, in_turn, states};
use crate::report::{Dispute, Verdict};

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

/// As many states of a system with unbounded integers are listed.
const STATES: usize = 20_000;
/// As many abstract steps are explored for every number of processes.
const STEPS: usize = 50_000;
/// As many queries are asked of solvers for one question.
const QUERIES: u64 = 2_000;
/// As many queries may come to nothing before solvers are not asked any more.
const IN_VAIN: u64 = 6_000;

/// The counter engine for one who asks often: small instances are asked by others.
pub(super) fn counter() -> Counter {
    let small = Box::new(Explicit { notes: false, ..Explicit::default() });
    Counter { sizes: 0, most: STEPS, ..Counter::new(small) }
}

/// Engines that are asked again and again about one system.
pub(super) struct Staff {
    engines: Vec<Box<dyn Engine>>,
    /// The graph of the system.
    pub(super) known: GraphCache,
    small: Vec<Small>,
    /// The model for every value of the parameters, if states have no end and some were set.
    pub(super) general: Option<Rc<General>>,
    /// Whether states may have no end.
    is_unbounded: bool,
    /// As many states are listed.
    pub(super) most: usize,
    /// The queries of solvers that came to nothing.
    in_vain: Cell<u64>,
    /// What was answered, by claim and fairness.
    answered: RefCell<Vec<(Property, Fairness, Found)>>,
}

impl Staff {
    /// The engines of the driver, without notes, for questions about this system. `general` may know a more general one,
    /// and is asked where that helps.
    pub(super) fn new(
        system: &Arc<System>,
        solvers: &Solvers,
        general: impl FnOnce() -> Option<Rc<General>>,
    ) -> Staff {
        let known = GraphCache::default();
        // What has unbounded integers may have states without end: other engines should have their turn.
        let is_unbounded = system.variables.iter().any(|variable| variable.kind.scalar == Scalar::Int);
        let solvers = Solvers { queries: QUERIES, ..solvers.clone() };
        let instance = Instance::new(Arc::clone(system)).ok();
        let bounded = instance.as_ref().filter(|_| !is_unbounded);
        let most = bounded.map_or(STATES, |instance| states(instance, 1));
        let mut engines = match bounded {
            Some(_) => in_turn(bounded, &[], &known, &solvers, false),
            None => configured(&[], &known, &solvers, false),
        };
        for engine in &mut engines {
            match engine.name() {
                "explicit" if is_unbounded => {
                    let known = known.shared();
                    *engine = Box::new(Explicit { notes: false, known, most, ..Explicit::default() });
                }
                "counter" => *engine = Box::new(counter()),
                _ => {}
            }
        }
        let general = if is_unbounded && system.parameters.is_empty() { general() } else { None };
        Staff {
            engines,
            known,
            small: small::instances(system),
            general,
            is_unbounded,
            most,
            in_vain: Cell::new(0),
            answered: RefCell::default(),
        }
    }

    /// Whether processes can only be told apart where all of them are asked about.
    pub(super) fn asks_for_families(&self) -> bool {
        self.general.is_some()
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
    world: &'a World<'a>,
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
        world: &'a World<'a>,
    ) -> Inquiry<'a> {
        Inquiry { staff, task, instance, world, dispute: None, reason: None }
    }

    /// Whether the property holds under this fairness.
    pub(super) fn ask(&mut self, fairness: &Fairness) -> Found {
        if let Some(stop) = (self.world.stop)() {
            self.reason.get_or_insert_with(|| stopped(stop).to_owned());
            return Found::Unknown(Some(stop));
        }
        let known = |(property, under, _): &&(Property, Fairness, Found)| {
            property.claims_the_same_as(&self.task.property) && under == fairness
        };
        if let Some((.., found)) = self.staff.answered.borrow().iter().find(known) {
            return found.clone();
        }
        let found = self.find_out(&Task { fairness: fairness.clone(), ..self.task.clone() });
        let answer = (self.task.property.clone(), fairness.clone(), found.clone());
        self.staff.answered.borrow_mut().push(answer);
        found
    }

    fn find_out(&mut self, task: &Task) -> Found {
        if let Some(evidence) = self.small_counterexample(task) {
            return Found::Fails(Arc::new(evidence));
        }
        if let (Some(general), Some(instance)) = (&self.staff.general, self.instance.clone()) {
            // Counterexamples are near if there are any; what solvers could add is not worth their time.
            return match self.ask_engines(task, 1) {
                Found::Unknown(None) if general.holds(task, &instance, self.world) => Found::Holds,
                other => other,
            };
        }
        self.ask_engines(task, self.staff.engines.len())
    }

    /// Asks the first engines of the staff, one after the other.
    fn ask_engines(&mut self, task: &Task, first: usize) -> Found {
        let mut limit = None;
        if self.reason.is_none()
            && let Some(refusals) = self.staff.refusals(task)
        {
            // What the one says that is made for such systems tells most.
            let made_for = if self.staff.is_unbounded { "infinite" } else { "explicit" };
            let told = refusals.iter().find(|(engine, _)| *engine == made_for).or(refusals.first());
            let told = told.map(|(engine, why)| format!("{engine} refuses: {why}"));
            self.reason = missing_parameter(task, &refusals).map(|problem| problem.to_string()).or(told);
        }
        for engine in &self.staff.engines[..first] {
            let tired = engine.name() == "infinite" && self.staff.in_vain.get() > IN_VAIN;
            if tired || engine.accepts(task).is_err() {
                continue;
            }
            let attempt = match attempt(&**engine, task, self.world) {
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
            if let Some(dispute) = dispute::among(task, self.instance.as_deref(), &attempts) {
                self.reason.get_or_insert_with(|| dispute.summary.clone());
                self.dispute.get_or_insert(dispute);
                return Found::Unknown(None);
            }
            let [attempt] = attempts;
            let queries = attempt.statistics.iter().find(|(name, _)| *name == "solver queries");
            match attempt.result.map(Certified::into_answer) {
                Ok(Answer::Holds(_)) => return Found::Holds,
                Ok(Answer::Fails(evidence)) => return Found::Fails(Arc::new(evidence)),
                Ok(Answer::Unknown(reason)) => {
                    let in_vain = self.staff.in_vain.get() + queries.map_or(0, |(_, number)| *number);
                    self.staff.in_vain.set(in_vain);
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
        let task = Task { fairness: fairness.clone(), ..self.task.clone() };
        if self.staff.small.is_empty() {
            return self.ask(fairness);
        }
        let found = self.small_counterexample(&task).map(Arc::new);
        found.map_or(Found::Unknown(None), Found::Fails)
    }

    /// A counterexample in a small instance.
    fn small_counterexample(&mut self, task: &Task) -> Option<Counterexample> {
        for small in &self.staff.small {
            for (member, task) in small.tasks(task) {
                if small.engine.accepts(&task).is_err() || (self.world.stop)().is_some() {
                    continue;
                }
                let Ok(attempt) = attempt(&small.engine, &task, self.world) else { continue };
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
                Some((Arc::new(Instance::new(task.system()).ok()?), evidence))
            }
            other => Some((self.instance.clone()?, other)),
        }
    }
}
