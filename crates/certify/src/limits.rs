//! The limits of the judge, which are those of its session.
//!
//! Everything that takes long checks them: every step of a run, every position at which a formula is evaluated, every
//! premise. If a limit is reached, the evidence is neither checked nor refused.

use std::cell::Cell;

use model::{Session, StopReason};

/// The limits of a judgement.
pub(crate) struct Limits<'a> {
    session: &'a Session<'a>,
    ticks: Cell<u32>,
}

/// How many ticks there are between two checks.
const TICKS: u32 = 256;

impl<'a> Limits<'a> {
    /// The limits of a session.
    pub(crate) fn new(session: &'a Session<'a>) -> Limits<'a> {
        Limits { session, ticks: Cell::new(0) }
    }

    /// Checks the limits. For work of microseconds or more.
    pub(crate) fn check(&self) -> Result<(), StopReason> {
        (self.session.stop)().map_or(Ok(()), Err)
    }

    /// Checks the limits now and then. For work of less than a microsecond.
    pub(crate) fn tick(&self) -> Result<(), StopReason> {
        let ticks = self.ticks.get() + 1;
        self.ticks.set(ticks % TICKS);
        if ticks < TICKS { Ok(()) } else { self.check() }
    }

    /// Checks that `things` items of `bytes` bytes each fit into memory.
    pub(crate) fn room(&self, things: usize, bytes: usize) -> Result<(), StopReason> {
        self.session.room((things as u64).saturating_mul(bytes as u64))
    }

    /// The memory limit in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.session.memory
    }

    /// The stop function of the session.
    pub(crate) fn stop(&self) -> &'a (dyn Fn() -> Option<StopReason> + Sync) {
        self.session.stop
    }
}
