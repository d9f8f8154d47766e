//! The world of a check that was asked for by a program: a clock and the limits of [`Options`], which says
//! what they are by default.

use std::time::Instant;

use driver::{StopReason, World};

use crate::Options;

/// Does some work within the limits of these options.
pub(crate) fn within<R>(options: &Options, work: impl FnOnce(&World<'_>) -> R) -> R {
    let start = Instant::now();
    let stop = || (start.elapsed() >= options.time_limit?).then_some(StopReason::Time);
    work(&World {
        stop: &stop,
        progress: &|_, _| {},
        clock: &|| start.elapsed(),
        memory: options.memory_limit.unwrap_or(u64::MAX),
        threads: options.threads.max(1),
        property_time: None,
        solvers: &options.solvers,
        crew: None,
    })
}
