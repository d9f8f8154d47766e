//! The limits within which the judge works: those of its session.
//!
//! Whatever takes long asks here: for every step of a run, every position at which a formula is evaluated, every premise.
//! What a limit ends is neither checked nor refused.

use std::cell::Cell;

use model::{Session, StopReason};

/// The limits of a judgement.
pub(crate) struct Limits<'a> {
    session: &'a Session<'a>,
    ticks: Cell<u32>,
}

/// The stop is asked once in so many ticks.
const TICKS: u32 = 256;

impl<'a> Limits<'a> {
    /// Those of a session.
    pub(crate) fn new(session: &'a Session<'a>) -> Limits<'a> {
        Limits { session, ticks: Cell::new(0) }
    }

    /// Asks whether to stop. For work of microseconds or more.
    pub(crate) fn check(&self) -> Result<(), StopReason> {
        (self.session.stop)().map_or(Ok(()), Err)
    }

    /// Asks now and then whether to stop. For work of less than a microsecond.
    pub(crate) fn tick(&self) -> Result<(), StopReason> {
        let ticks = self.ticks.get() + 1;
        self.ticks.set(ticks % TICKS);
        if ticks < TICKS { Ok(()) } else { self.check() }
    }

    /// Whether so many things of so many bytes have room.
    pub(crate) fn room(&self, things: usize, bytes: usize) -> Result<(), StopReason> {
        let needed = (things as u64).saturating_mul(bytes as u64);
        if needed > self.session.memory { Err(StopReason::Memory) } else { Ok(()) }
    }

    /// The bytes that there are.
    pub(crate) fn memory(&self) -> u64 {
        self.session.memory
    }

    /// Whether to stop, for others who ask.
    pub(crate) fn stop(&self) -> &'a (dyn Fn() -> Option<StopReason> + Sync) {
        self.session.stop
    }
}
