//! The world for the driver, the same for every command: its limits, its progress line, the solvers.

use driver::World;

use crate::limits::Limits;
use crate::progress::Meter;

/// Does some work with access to the world, and clears the progress line.
pub(crate) fn in_world<R>(
    limits: &Limits,
    meter: &Meter,
    threads: usize,
    work: impl FnOnce(&World<'_>) -> R,
) -> R {
    let result = work(&World {
        stop: &|| limits.stop(),
        progress: &|property, progress| meter.update(property, progress),
        clock: &|| limits.elapsed(),
        memory: limits.memory,
        threads,
        property_time: None,
        solvers: &limits.solvers(),
        crew: None,
    });
    meter.clear();
    result
}
