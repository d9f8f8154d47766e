//! Tasks, and the session in which an engine works on one.
//!
//! A task is about a [`Subject`]: one instance, whose processes, cells and actions are listed only once, or a system
//! with open parameters. A [`Session`] carries limits in, and progress, statistics and notes out.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::fairness::Fairness;
use crate::instance::{Instance, Obstacle};
use crate::note::Note;
use crate::property::Property;
use crate::system::System;

/// What a task is about.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A system with open parameters: all its instances.
    Open(Arc<System>),
    /// One instance.
    One(Arc<Instance>),
}

impl Subject {
    /// Makes the instance of a system, unless it has open parameters.
    pub fn new(system: Arc<System>) -> Result<Subject, Obstacle> {
        if system.parameters.is_empty() {
            Ok(Subject::One(Arc::new(Instance::new(system)?)))
        } else {
            Ok(Subject::Open(system))
        }
    }

    /// The system.
    pub fn system(&self) -> &Arc<System> {
        match self {
            Subject::Open(system) => system,
            Subject::One(instance) => &instance.system,
        }
    }

    /// The instance, unless parameters are open.
    pub fn instance(&self) -> Option<&Arc<Instance>> {
        match self {
            Subject::Open(_) => None,
            Subject::One(instance) => Some(instance),
        }
    }

    /// Whether every variable has finitely many values.
    pub fn is_bounded(&self) -> bool {
        match self {
            Subject::Open(system) => system.is_bounded(),
            Subject::One(instance) => instance.is_bounded(),
        }
    }

    /// Whether both are the same object, not only equal.
    pub fn is_same(&self, other: &Subject) -> bool {
        Arc::ptr_eq(self.system(), other.system())
    }
}

/// The question: does the system satisfy the property under this fairness?
#[derive(Clone, Debug)]
pub struct Task {
    /// What it is about; shared by all tasks of a file.
    pub subject: Subject,
    /// What is assumed about the scheduler.
    pub fairness: Fairness,
    /// What is claimed.
    pub property: Property,
}

impl Task {
    /// A task about a system. Makes its instance.
    pub fn new(system: Arc<System>, fairness: Fairness, property: Property) -> Result<Task, Obstacle> {
        Ok(Task { subject: Subject::new(system)?, fairness, property })
    }

    /// The system.
    pub fn system(&self) -> &Arc<System> {
        self.subject.system()
    }

    /// The instance, unless parameters are open.
    pub fn instance(&self) -> Option<&Arc<Instance>> {
        self.subject.instance()
    }
}

/// A limit that ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// The user interrupted.
    Cancelled,
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// The budget of this session.
    Work,
}

/// The progress of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it is doing, in a word or two.
    pub phase: &'static str,
    /// How many of `unit` it has handled in this phase.
    pub count: u64,
    /// What it counts: `states`, `components`.
    pub unit: &'static str,
}

/// The session of a search: limits come in through it, progress, statistics and notes go out.
///
/// Engines read no clock. They call [`Session::stop`] many times a second and give up when it says so. Work is
/// counted in units of about ten nanoseconds: a step of one word of a state, an operation on one node of a diagram.
/// An engine [records](Session::spend) its work and gives up when the budget is used up. So a budget ends the same
/// search at the same point on every machine.
pub struct Session<'a> {
    /// Whether to give up now.
    pub stop: &'a (dyn Fn() -> Option<StopReason> + Sync),
    /// The number of bytes the engine may allocate.
    pub memory: u64,
    /// The number of threads it may use.
    pub threads: usize,
    /// How long the program has been running. Only for reports; nothing may depend on it.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// Called now and then with the progress.
    pub progress: &'a (dyn Fn(&Progress) + Sync),
    /// The units of work that the engine may do; `u64::MAX` for no limit.
    pub budget: u64,
    /// Asked, with the units of work that were done, once they exceed the budget: whether to go on all the same. It may
    /// wait before it answers.
    pub more: Option<&'a (dyn Fn(u64) -> bool + Sync)>,
    /// The units of work that it has done.
    pub spent: AtomicU64,
    /// The recorded statistics: name and number, in the order of reporting.
    pub statistics: Mutex<Vec<(&'static str, u64)>>,
    /// The recorded notes.
    pub notes: Mutex<Vec<Note>>,
}

impl<'a> Session<'a> {
    /// A session with these limits and no records yet.
    pub fn new(
        stop: &'a (dyn Fn() -> Option<StopReason> + Sync),
        progress: &'a (dyn Fn(&Progress) + Sync),
        memory: u64,
        threads: usize,
    ) -> Session<'a> {
        Session {
            stop,
            memory,
            threads,
            clock: &|| Duration::ZERO,
            progress,
            budget: u64::MAX,
            more: None,
            spent: AtomicU64::new(0),
            statistics: Mutex::default(),
            notes: Mutex::default(),
        }
    }

    /// The same session with a clock.
    #[must_use]
    pub fn timed(self, clock: &'a (dyn Fn() -> Duration + Sync)) -> Session<'a> {
        Session { clock, ..self }
    }

    /// The same session with this budget.
    #[must_use]
    pub fn with_budget(self, budget: u64) -> Session<'a> {
        Session { budget, ..self }
    }

    /// A session without limits, for tests.
    pub fn unlimited() -> Session<'static> {
        Session::new(&|| None, &|_| {}, u64::MAX, 1)
    }

    /// A session with the same limits and the rest of the budget. Its records can be dropped or
    /// [adopted](Session::adopt).
    #[must_use]
    pub fn inner(&self) -> Session<'a> {
        let left = self.budget.saturating_sub(self.spent.load(Ordering::Relaxed));
        let budget = if self.budget == u64::MAX { u64::MAX } else { left };
        Session::new(self.stop, self.progress, self.memory, self.threads)
            .timed(self.clock)
            .with_budget(budget)
    }

    /// Takes over the records of another session.
    pub fn adopt(&self, other: Session<'_>) {
        let records = "no thread panics while it records";
        self.statistics.lock().expect(records).extend(other.statistics.into_inner().expect(records));
        self.notes.lock().expect(records).extend(other.notes.into_inner().expect(records));
        self.spent.fetch_add(other.spent.into_inner(), Ordering::Relaxed);
    }

    /// Fails if the engine should give up now, or if it has allocated more than it may.
    pub fn check(&self, bytes: u64) -> Result<(), StopReason> {
        if let Some(reason) = (self.stop)() {
            return Err(reason);
        }
        self.room(bytes)
    }

    /// Fails if it may not allocate so many bytes.
    pub fn room(&self, bytes: u64) -> Result<(), StopReason> {
        if bytes > self.memory { Err(StopReason::Memory) } else { Ok(()) }
    }

    /// Records work that was done. Fails if the budget is used up.
    pub fn spend(&self, units: u64) -> Result<(), StopReason> {
        let spent = self.spent.fetch_add(units, Ordering::Relaxed).saturating_add(units);
        if self.allows(spent) { Ok(()) } else { Err(StopReason::Work) }
    }

    /// Whether so many units of work may be done.
    pub fn allows(&self, spent: u64) -> bool {
        spent <= self.budget || self.more.is_some_and(|more| more(spent))
    }

    /// Whether there is a limit on work.
    pub fn is_budgeted(&self) -> bool {
        self.budget != u64::MAX
    }

    /// Records a number. If a name is recorded several times, the greatest number is kept.
    pub fn count(&self, name: &'static str, number: u64) {
        let mut statistics = self.statistics.lock().expect("no thread panics while it records");
        match statistics.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = number.max(*known),
            None => statistics.push((name, number)),
        }
    }

    /// A number that was recorded.
    pub fn counted(&self, name: &str) -> Option<u64> {
        let statistics = self.statistics.lock().expect("no thread panics while it records");
        statistics.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
    }

    /// Records a note for the user.
    pub fn note(&self, note: Note) {
        self.notes.lock().expect("no thread panics while it records").push(note);
    }
}
