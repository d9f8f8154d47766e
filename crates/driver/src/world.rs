//! The world as the driver sees it: limits, a clock, threads, solvers. The driver reads none of them itself.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use engines::rounds::Crew;
use model::task::Progress;
use model::{Name, Session, StopReason};
use smt::Solvers;

/// The driver's access to the world.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// Whether to give up now.
    pub stop: &'a (dyn Fn() -> Option<StopReason> + Sync),
    /// Called now and then with the progress on the property of this name.
    pub progress: &'a (dyn Fn(&Name, &Progress) + Sync),
    /// The time since some moment in the past.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// The number of bytes an engine may allocate.
    pub memory: u64,
    /// The number of threads an engine may use.
    pub threads: usize,
    /// The time limit of one property, if there is one.
    pub property_time: Option<Duration>,
    /// How solvers are started, for engines and the judge. Without them, tasks that need solvers stay undecided.
    pub solvers: &'a Solvers,
    /// Who decides tasks about large graphs, if not this process in its memory.
    pub crew: Option<&'a Arc<dyn Crew>>,
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
            crew: None,
        }
    }
}

impl World<'_> {
    /// A session with these limits that reports no progress, for work that is not about one property.
    pub(crate) fn session(&self) -> Session<'_> {
        Session::new(self.stop, &|_| {}, self.memory, self.threads).timed(self.clock)
    }
}
