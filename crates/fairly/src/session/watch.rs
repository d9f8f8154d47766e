//! How work is watched: it can be cancelled, tells its progress, and has limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use driver::{Progress, StopReason, World};
use smt::Solvers;

use crate::Name;

/// Ends work from elsewhere. All its clones are the same handle.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to end. It does so within a fraction of a second; what it has not decided is *unknown*.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work should end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far work may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How long it may take.
    pub time: Option<Duration>,
    /// How many bytes an engine may allocate.
    pub memory: u64,
    /// How many threads an engine may use; this does not change the answers.
    pub threads: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { time: None, memory: u64::MAX, threads: 1 }
    }
}

/// What work sees of the world.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Ends the work.
    pub cancel: &'a Cancel,
    /// Called now and then with the progress on the property of this name, from any thread.
    pub progress: &'a (dyn Fn(&Name, &Progress) + Sync),
    /// The time since some moment in the past. Without a clock there is no time limit.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// How far the work may go.
    pub bounds: Bounds,
    /// How solvers are started. Without them, what needs a solver stays undecided.
    pub solvers: Option<&'a Solvers>,
}

impl<'a> Watch<'a> {
    /// Work that can be cancelled and has no limits, no clock and no solvers.
    pub fn new(cancel: &'a Cancel) -> Watch<'a> {
        Watch {
            cancel,
            progress: &|_, _| {},
            clock: &|| Duration::ZERO,
            bounds: Bounds::default(),
            solvers: None,
        }
    }

    /// Does some work in the world that the driver is to see.
    pub(crate) fn within<R>(&self, work: impl FnOnce(&World<'_>) -> R) -> R {
        let start = (self.clock)();
        let stop = || {
            if self.cancel.is_cancelled() {
                return Some(StopReason::Cancelled);
            }
            let limit = self.bounds.time?;
            ((self.clock)().saturating_sub(start) >= limit).then_some(StopReason::Time)
        };
        let none = World::unlimited();
        work(&World {
            stop: &stop,
            progress: self.progress,
            clock: self.clock,
            memory: self.bounds.memory,
            threads: self.bounds.threads.max(1),
            property_time: None,
            solvers: self.solvers.unwrap_or(none.solvers),
            crew: None,
        })
    }
}
