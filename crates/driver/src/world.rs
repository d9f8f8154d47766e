//! What the driver must know of the world: limits, a clock, threads, solvers. It reads none of them itself.

use std::sync::OnceLock;
use std::time::Duration;

use model::task::Progress;
use model::{Name, Session, StopReason};
use smt::Solvers;

/// What the driver must know of the world.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// Whether to give up now.
    pub stop: &'a (dyn Fn() -> Option<StopReason> + Sync),
    /// Told now and then how far the engine is with the property of this name.
    pub progress: &'a (dyn Fn(&Name, &Progress) + Sync),
    /// The time since some moment in the past.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// The number of bytes an engine may allocate.
    pub memory: u64,
    /// The number of threads an engine may use.
    pub threads: usize,
    /// How long one property may take, if that is limited.
    pub property_time: Option<Duration>,
    /// How solvers are started, for engines and the judge; without them nothing that needs them is decided.
    pub solvers: &'a Solvers,
}

impl World<'static> {
    /// A world without limits, clock and solvers, and with one thread.
    pub fn unlimited() -> World<'static> {
        static NONE: OnceLock<Solvers> = OnceLock::new();
        World {
            stop: &|| None,
            progress: &|_, _| {},
            clock: &|| Duration::ZERO,
            memory: u64::MAX,
            threads: 1,
            property_time: None,
            solvers: NONE.get_or_init(|| Solvers::none("no solver was given")),
        }
    }
}

impl World<'_> {
    /// A quiet session with these limits, for work that is not about one property.
    pub(crate) fn session(&self) -> Session<'_> {
        Session::new(self.stop, &|_| {}, self.memory, self.threads).timed(self.clock)
    }
}
