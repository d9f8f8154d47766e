//! The clock, the memory and the user: what can end a search before its time.
//!
//! The first interrupt (Ctrl-C) or request to end asks the engine to stop and the report to be written; the
//! second, unless it comes with the first, ends the program at once. The time limit is for the whole command. The memory limit is handed to
//! the engines, which count what they allocate. As a safeguard the resident size of the program is looked at,
//! too: a tenth above the limit is too much. It is not held to the limit itself, because memory that was
//! freed after one property may still be resident during the next.

use std::fs;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use driver::StopReason;

use crate::exit::Exit;
use crate::screen::complain;

/// Whether the user, or the reader of the output, wants the command to stop.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// What the shell expects of a program ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// How long work may go on after it should have stopped, at least.
const GRACE: Duration = Duration::from_secs(5);

/// How often that is looked at.
const PAUSE: Duration = Duration::from_millis(100);

/// Interrupts that come within this time are one.
const TOGETHER: Duration = Duration::from_millis(500);

/// The limits of a command.
pub(crate) struct Limits {
    start: Instant,
    time: Option<Duration>,
    /// In bytes.
    pub(crate) memory: u64,
}

impl Limits {
    /// Limits that begin to count now. Without a memory limit: four fifths of what the machine has.
    pub(crate) fn new(time: Option<Duration>, memory: Option<u64>) -> Limits {
        Limits { start: Instant::now(), time, memory: memory.unwrap_or_else(|| physical_memory() / 5 * 4) }
    }

    /// Ends the program by force if it has not ended by itself some time after it should have stopped: work that does not
    /// look at the limits must not hold up the user. What was shown by then stands; the rest is undecided.
    pub(crate) fn enforce(&self) {
        let Limits { start, time, memory } = *self;
        let grace = time.map_or(GRACE, |limit| GRACE.max(limit / 10));
        std::thread::spawn(move || {
            let mut overdue: Option<Instant> = None;
            loop {
                std::thread::sleep(PAUSE);
                let limits = Limits { start, time, memory };
                match (limits.stop(), overdue) {
                    (None, _) => overdue = None,
                    (Some(_), None) => overdue = Some(Instant::now()),
                    (Some(stop), Some(since)) if since.elapsed() > grace => {
                        let why = match stop {
                            StopReason::Cancelled => "interrupted",
                            StopReason::Time => "the time limit was reached",
                            StopReason::Memory | StopReason::Work => "the memory limit was reached",
                        };
                        complain(&format!(
                            "{why}, and the work did not end in time; what is not shown is undecided"
                        ));
                        std::process::exit(Exit::Undecided.code().into());
                    }
                    _ => {}
                }
            }
        });
    }

    /// The time since the command began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// When one of so many tasks should end that share the time which is left; `None` without a limit.
    pub(crate) fn share(&self, tasks: usize) -> Option<Duration> {
        let elapsed = self.elapsed();
        Some(elapsed + self.time?.saturating_sub(elapsed) / tasks.max(1) as u32)
    }

    /// Whether to give up now.
    pub(crate) fn stop(&self) -> Option<StopReason> {
        if stopped() {
            Some(StopReason::Cancelled)
        } else if self.time.is_some_and(|limit| self.elapsed() >= limit) {
            Some(StopReason::Time)
        } else if resident_memory().is_some_and(|bytes| bytes / 11 * 10 > self.memory) {
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
            std::process::exit(INTERRUPTED);
        }
        stop_everything();
    });
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
