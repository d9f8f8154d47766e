//! Tasks, and the circumstances under which an engine works on one.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::fairness::Fairness;
use crate::property::Property;
use crate::system::System;

/// The question: does the system satisfy the property under this fairness?
#[derive(Clone, Debug)]
pub struct Task {
    /// The system; shared by all tasks of a file.
    pub system: Arc<System>,
    /// What is assumed about the scheduler.
    pub fairness: Fairness,
    /// What is claimed.
    pub property: Property,
}

/// Why an engine does not take a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, in the user's words.
    pub reason: String,
    /// What to change, or which engine to use; may be empty.
    pub instead: String,
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
}

/// How far an engine is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it is doing, in a word or two.
    pub phase: &'static str,
    /// How many of `unit` it has handled in this phase.
    pub count: u64,
    /// What it counts: `states`, `components`.
    pub unit: &'static str,
}

/// The circumstances of a search: limits come in through it, progress, statistics and notes go out.
///
/// Engines read no clock; they ask [`Session::stop`] often enough (every few thousand states) and then give up.
pub struct Session<'a> {
    /// Whether to give up now.
    pub stop: &'a (dyn Fn() -> Option<StopReason> + Sync),
    /// The number of bytes the engine may allocate.
    pub memory: u64,
    /// The number of threads it may use.
    pub threads: usize,
    /// How long the program has been running, for reports; never to decide anything.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// Told now and then.
    pub progress: &'a (dyn Fn(&Progress) + Sync),
    /// What was counted: name and number, in the order of reporting.
    pub statistics: Mutex<Vec<(&'static str, u64)>>,
    /// Sentences for the user.
    pub notes: Mutex<Vec<String>>,
}

impl<'a> Session<'a> {
    /// A run with these limits and no records yet.
    pub fn new(
        stop: &'a (dyn Fn() -> Option<StopReason> + Sync),
        progress: &'a (dyn Fn(&Progress) + Sync),
        memory: u64,
        threads: usize,
    ) -> Session<'a> {
        let clock = &|| Duration::ZERO;
        Session {
            stop,
            memory,
            threads,
            clock,
            progress,
            statistics: Mutex::default(),
            notes: Mutex::default(),
        }
    }

    /// The same run with a clock.
    #[must_use]
    pub fn timed(self, clock: &'a (dyn Fn() -> Duration + Sync)) -> Session<'a> {
        Session { clock, ..self }
    }

    /// A run without limits, for tests.
    pub fn unlimited() -> Session<'static> {
        Session::new(&|| None, &|_| {}, u64::MAX, 1)
    }

    /// Takes over the records of another run.
    pub fn adopt(&self, other: Session<'_>) {
        let records = "no thread panics while it records";
        self.statistics.lock().expect(records).extend(other.statistics.into_inner().expect(records));
        self.notes.lock().expect(records).extend(other.notes.into_inner().expect(records));
    }

    /// Records a number; of several with one name, the greatest.
    pub fn count(&self, name: &'static str, number: u64) {
        let mut statistics = self.statistics.lock().expect("no thread panics while it records");
        match statistics.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = number.max(*known),
            None => statistics.push((name, number)),
        }
    }

    /// Records a sentence for the user.
    pub fn note(&self, note: impl Into<String>) {
        self.notes.lock().expect("no thread panics while it records").push(note.into());
    }
}
