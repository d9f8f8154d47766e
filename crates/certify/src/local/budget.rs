//! How much work the judge may do: until the run is stopped, and no more than some number of units.
//!
//! A unit is about the work on one gate. Units make a short judgement the same on every machine and every run; the
//! clock does not.

use std::cell::Cell;

use model::StopReason;

use super::encoder::Halt;

/// What is left to be spent.
pub(crate) struct Budget<'a> {
    stop: &'a dyn Fn() -> Option<StopReason>,
    left: Cell<u64>,
    asked: Cell<u32>,
    over: Cell<Option<Halt>>,
}

impl<'a> Budget<'a> {
    /// So many units, unless the run is stopped before.
    pub(crate) fn new(units: u64, stop: &'a dyn Fn() -> Option<StopReason>) -> Budget<'a> {
        Budget { stop, left: Cell::new(units), asked: Cell::new(0), over: Cell::new(None) }
    }

    /// Spends units; an error if there is nothing left, and ever after.
    pub(crate) fn spend(&self, units: u64) -> Result<(), Halt> {
        if self.over.get().is_none() {
            self.asked.set(self.asked.get().wrapping_add(1));
            match self.left.get().checked_sub(units) {
                None => self.over.set(Some(Halt::Effort)),
                Some(left) => self.left.set(left),
            }
            // The clock is asked now and then.
            if self.asked.get().is_multiple_of(512)
                && let Some(reason) = (self.stop)()
            {
                self.over.set(Some(Halt::Stopped(reason)));
            }
        }
        self.over.get().map_or(Ok(()), Err)
    }
}
