//! Ctrl-C: the first interrupt ends the run that is going on, and what is there is shown; a later one ends the program.
//!
//! Interrupts within half a second are one: `timeout` signals a process and then its group.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Whether to stop.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// What the shell expects of a program ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Interrupts that come within this time are one.
const TOGETHER: Duration = Duration::from_millis(500);

/// Asks everything to stop.
pub(crate) fn stop() {
    STOPPED.store(true, Ordering::Relaxed);
}

/// Whether everything was asked to stop.
pub(crate) fn stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

/// From now on an interrupt is as described above.
pub(crate) fn catch() {
    let mut first = None;
    // If no handler can be set, an interrupt ends the program as it always did.
    let _ = ctrlc::set_handler(move || {
        let first: Instant = *first.get_or_insert_with(Instant::now);
        if first.elapsed() > TOGETHER {
            std::process::exit(INTERRUPTED);
        }
        stop();
    });
}
