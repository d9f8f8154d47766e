//! A limit on the judge's work: a number of units, and the stop function of the session.
//!
//! A unit is about the work on one gate. With units, a limited judgement ends in the same way on every machine and
//! every run.

use std::cell::Cell;

use model::StopReason;

use super::encoder::Halt;

/// How many units there are between two checks of the clock.
const CLOCK: u64 = 512;

/// The remaining budget.
pub(crate) struct Budget<'a> {
    stop: &'a dyn Fn() -> Option<StopReason>,
    left: Cell<u64>,
    /// The units since the last check of the clock.
    since: Cell<u64>,
    over: Cell<Option<Halt>>,
}

impl<'a> Budget<'a> {
    /// A budget of this many units, which also ends if `stop` says so.
    pub(crate) fn new(units: u64, stop: &'a dyn Fn() -> Option<StopReason>) -> Budget<'a> {
        Budget { stop, left: Cell::new(units), since: Cell::new(0), over: Cell::new(None) }
    }

    /// Spends units. Returns an error once nothing is left, and from then on.
    pub(crate) fn spend(&self, units: u64) -> Result<(), Halt> {
        if self.over.get().is_none() {
            match self.left.get().checked_sub(units) {
                None => self.over.set(Some(Halt::Effort)),
                Some(left) => self.left.set(left),
            }
            // Checks the clock now and then, because a check costs something too.
            self.since.set(self.since.get().saturating_add(units.max(1)));
            if self.since.get() >= CLOCK {
                self.since.set(0);
                if let Some(reason) = (self.stop)() {
                    self.over.set(Some(Halt::Stopped(reason)));
                }
            }
        }
        self.over.get().map_or(Ok(()), Err)
    }
}
