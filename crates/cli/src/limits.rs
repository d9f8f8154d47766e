//! The clock, the memory and the user: what can end a search before its time.
//!
//! The first interrupt (Ctrl-C) or request to end asks the engine to stop and the report to be written; a second one ends
//! the program at once (two that arrive together count as one). The time limit is for the whole command, and several files
//! share it ([`Limits::share`]). The memory limit is handed to the engines, which count what they allocate. As a safeguard a
//! thread looks at the resident size of the program, too: engines are asked to stop a little above the limit, because memory
//! that was freed after one property may still be resident during the next.
//!
//! Work that does not notice a limit must not hold up the user: [`overdue`](crate::overdue) gives it up.

use std::fs;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use driver::StopReason;
use smt::Solvers;

/// Whether the user, or the reader of the output, wants the command to stop.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// What the shell expects of a program ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// What [`resident`] returns.
static RESIDENT: AtomicU64 = AtomicU64::new(0);

/// How often the resident size is looked at, and whether work is overdue.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// The least memory of a solver.
const FOR_SOLVER: u64 = 256 << 20;

/// Interrupts that come within this time are one.
const TOGETHER: Duration = Duration::from_millis(500);

/// The limits of a command.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    start: Instant,
    pub(crate) time: Option<Duration>,
    /// In bytes.
    pub(crate) memory: u64,
}

impl Limits {
    /// Limits that begin to count now. Without a memory limit: four fifths of what the machine has.
    pub(crate) fn new(time: Option<Duration>, memory: Option<u64>) -> Limits {
        let look = || RESIDENT.store(resident_memory().unwrap_or(0), Ordering::Relaxed);
        look();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(PAUSE);
                look();
            }
        });
        Limits { start: Instant::now(), time, memory: memory.unwrap_or_else(|| physical_memory() / 5 * 4) }
    }

    /// The same limits, counted from now.
    pub(crate) fn counted_anew(self) -> Limits {
        Limits { start: Instant::now(), ..self }
    }

    /// The installed solvers. Each may use a quarter of the memory; with less than [`FOR_SOLVER`] it could not begin.
    pub(crate) fn solvers(&self) -> Solvers {
        smt::installed_within((self.memory / 4).max(FOR_SOLVER))
    }

    /// The time since the command began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// How long the next of so many files may take, if all get an equal part of the time that is left; `None` without a
    /// limit.
    pub(crate) fn share(&self, files_left: usize) -> Option<Duration> {
        Some(self.time?.saturating_sub(self.elapsed()) / files_left.max(1) as u32)
    }

    /// Whether to give up now.
    pub(crate) fn stop(&self) -> Option<StopReason> {
        if stopped() {
            Some(StopReason::Cancelled)
        } else if self.time.is_some_and(|limit| self.elapsed() >= limit) {
            Some(StopReason::Time)
        } else if resident() > self.memory.saturating_add(self.memory / 32) {
            Some(StopReason::Memory)
        } else {
            None
        }
    }
}

/// The number of threads to use: as asked, or one per processor.
pub(crate) fn threads(asked: Option<NonZeroUsize>) -> usize {
    asked.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

/// Asks everything to stop.
pub(crate) fn stop_everything() {
    STOPPED.store(true, Ordering::Relaxed);
}

/// Whether everything was asked to stop.
pub(crate) fn stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

/// From now on an interrupt stops the search, and a second one the program. Those that come together are one: who
/// signals a process and then its group, as `timeout` does, means to say it once.
pub(crate) fn catch_interrupts() {
    let mut first = None;
    // If there is a handler already, or none can be set, an interrupt ends the program as it always did.
    let _ = ctrlc::set_handler(move || {
        let first: Instant = *first.get_or_insert_with(Instant::now);
        if first.elapsed() > TOGETHER {
            disk::remove_unfinished();
            std::process::exit(INTERRUPTED);
        }
        stop_everything();
    });
}

/// The resident size of the program in bytes, as it was a moment ago.
pub(crate) fn resident() -> u64 {
    RESIDENT.load(Ordering::Relaxed)
}

/// The memory of the machine in bytes, or of the container if that is less; unlimited if unknown.
fn physical_memory() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| kibibytes(&text, "MemTotal:"));
    let container =
        fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    machine.unwrap_or(u64::MAX).min(container.unwrap_or(u64::MAX))
}

/// The bytes of memory this program occupies, where that can be read.
fn resident_memory() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// The value of a line like `MemTotal:  16384 kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
