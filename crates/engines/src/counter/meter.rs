//! Counts the work of the counter engine, and checks the limits of its session.
//!
//! Every loop that may take long calls [`Meter::spend`] once per item. The units are those of [`Session`]: about ten
//! nanoseconds. Every hundred thousand of them, about a millisecond, the meter reports progress and asks whether to stop.
//!
//! Using a cached result costs as much as computing it. So the work of a question, and whether it exceeds a budget,
//! do not depend on earlier questions.

use std::cell::Cell;

use model::task::Progress;
use model::{Session, StopReason};

/// The price of one more letter in a word, or one more item of a list.
pub(super) const WORD: u64 = 10;
/// The price of a concrete state, in addition to one unit for each of its cells.
pub(super) const SCENE: u64 = 100;
/// The price of evaluating a predicate or an action on a concrete state, in addition to one unit for each of its
/// cells.
pub(super) const TRUTH: u64 = 50;
/// The price of examining a state or step to derive a requirement.
pub(super) const LOOK: u64 = 5;
/// The price of an edge of the product with an automaton, each time it is examined.
pub(super) const EDGE: u64 = 10;

/// The work between two checks of the limits.
const INTERVAL: u64 = 100_000;

/// Counts the work of one phase.
pub(super) struct Meter<'a> {
    session: &'a Session<'a>,
    phase: &'static str,
    unit: &'static str,
    /// The number of items.
    count: Cell<u64>,
    /// The work of this phase.
    spent: Cell<u64>,
    /// The work at the last check of the limits.
    looked: Cell<u64>,
}

impl<'a> Meter<'a> {
    /// Begins a phase that handles items of this unit.
    pub(super) fn new(session: &'a Session<'a>, phase: &'static str, unit: &'static str) -> Meter<'a> {
        let (count, spent, looked) = (Cell::new(0), Cell::new(0), Cell::new(0));
        Meter { session, phase, unit, count, spent, looked }
    }

    /// Counts an item of the phase, for the report of progress.
    pub(super) fn count(&self) {
        self.count.set(self.count.get() + 1);
    }

    /// Charges work, and checks the limits now and then.
    pub(super) fn spend(&self, units: u64) -> Result<(), StopReason> {
        let spent = self.spent.get().saturating_add(units);
        self.spent.set(spent);
        self.session.spend(units)?;
        if spent - self.looked.get() < INTERVAL {
            return Ok(());
        }
        self.looked.set(spent);
        let count = self.count.get();
        (self.session.progress)(&Progress { phase: self.phase, count, unit: self.unit });
        (self.session.stop)().map_or(Ok(()), Err)
    }

    /// Checks that this many bytes may be allocated.
    pub(super) fn room(&self, bytes: u64) -> Result<(), StopReason> {
        self.session.room(bytes)
    }

    /// The work of this phase so far.
    pub(super) fn spent(&self) -> u64 {
        self.spent.get()
    }
}
