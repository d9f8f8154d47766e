//! How much work the judge may do: until the run is stopped, and no more than some number of units.
//!
//! A unit is about the work on one gate. Units make a short judgement the same on every machine and every run; the
//! clock does not.

use std::cell::Cell;

use model::StopReason;

use super::encoder::Halt;

/// The clock is asked every so many units.
const CLOCK: u64 = 512;

/// What is left to be spent.
pub(crate) struct Budget<'a> {
    stop: &'a dyn Fn() -> Option<StopReason>,
    left: Cell<u64>,
    /// The units since the clock was asked.
    since: Cell<u64>,
    over: Cell<Option<Halt>>,
}

impl<'a> Budget<'a> {
    /// So many units, unless the run is stopped before.
    pub(crate) fn new(units: u64, stop: &'a dyn Fn() -> Option<StopReason>) -> Budget<'a> {
        Budget { stop, left: Cell::new(units), since: Cell::new(0), over: Cell::new(None) }
    }

    /// Spends units; an error if there is nothing left, and ever after.
    pub(crate) fn spend(&self, units: u64) -> Result<(), Halt> {
        if self.over.get().is_none() {
            match self.left.get().checked_sub(units) {
                None => self.over.set(Some(Halt::Effort)),
                Some(left) => self.left.set(left),
            }
            // The clock is asked now and then. Asking costs something, too.
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
