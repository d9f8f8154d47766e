//! Ctrl-C: the first interrupt ends the current run, and the results so far are shown; a later one ends the program.
//!
//! Interrupts within half a second count as one, because `timeout` signals a process and then its group.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Whether to stop.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// The exit code that the shell expects of a program ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Interrupts within this time count as one.
const TOGETHER: Duration = Duration::from_millis(500);

/// Asks everything to stop.
pub(crate) fn stop() {
    STOPPED.store(true, Ordering::Relaxed);
}

/// Whether everything was asked to stop.
pub(crate) fn stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

/// Installs the handler described above.
pub(crate) fn catch() {
    let mut first = None;
    // If no handler can be set, an interrupt ends the program as usual.
    let _ = ctrlc::set_handler(move || {
        let first: Instant = *first.get_or_insert_with(Instant::now);
        if first.elapsed() > TOGETHER {
            std::process::exit(INTERRUPTED);
        }
        stop();
    });
}
