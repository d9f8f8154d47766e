//! Checks the limits of a session now and then, and reports progress at the same time.
//!
//! A search calls [`Watch::tick`] once per item. Every few thousand ticks the watch reports progress, asks whether to
//! stop, and compares the memory in use with the limit. The search computes the memory in use from the capacities of
//! its own tables; this is close but not exact.

use model::task::Progress;
use model::{Session, StopReason};

/// The number of ticks between two checks of the limits.
const INTERVAL: u64 = 4096;

/// Watches one phase of a search.
pub struct Watch<'a> {
    session: &'a Session<'a>,
    phase: &'static str,
    unit: &'static str,
    count: u64,
    /// The bytes that earlier phases still hold.
    held: u64,
}

impl<'a> Watch<'a> {
    /// Starts a phase that handles items of this unit, on top of `held` bytes.
    pub fn new(session: &'a Session<'a>, phase: &'static str, unit: &'static str, held: u64) -> Watch<'a> {
        Watch { session, phase, unit, count: 0, held }
    }

    /// Counts one more item. `bytes` is the memory that this phase uses.
    pub fn tick(&mut self, bytes: impl FnOnce() -> u64) -> Result<(), StopReason> {
        self.count += 1;
        if !self.count.is_multiple_of(INTERVAL) {
            return Ok(());
        }
        (self.session.progress)(&Progress { phase: self.phase, count: self.count, unit: self.unit });
        self.session.check(self.held.saturating_add(bytes()))
    }
}

/// The bytes a vector has allocated.
pub fn bytes_of<T>(vector: &Vec<T>) -> u64 {
    (vector.capacity() * size_of::<T>()) as u64
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Ticks until the watch objects, at most a hundred thousand times.
    fn ticks(session: &Session<'_>, bytes: u64) -> (u64, Option<StopReason>) {
        let mut watch = Watch::new(session, "counting", "ticks", 10);
        for tick in 1..=100_000 {
            if let Err(reason) = watch.tick(|| bytes) {
                return (tick, Some(reason));
            }
        }
        (100_000, None)
    }

    #[test]
    fn a_limit_is_noticed_within_an_interval() {
        let asked = AtomicU64::new(0);
        let stop = || (asked.fetch_add(1, Ordering::Relaxed) == 2).then_some(StopReason::Time);
        let seen = AtomicU64::new(0);
        let progress = |progress: &Progress| seen.store(progress.count, Ordering::Relaxed);
        let session = Session::new(&stop, &progress, 100, 1);
        assert_eq!(ticks(&session, 90), (3 * INTERVAL, Some(StopReason::Time)));
        assert_eq!(seen.load(Ordering::Relaxed), 3 * INTERVAL);
        assert_eq!(ticks(&session, 91), (INTERVAL, Some(StopReason::Memory)));
        assert_eq!(ticks(&Session::unlimited(), 91), (100_000, None));
    }
}
