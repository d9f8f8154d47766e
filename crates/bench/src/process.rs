//! Runs a program and measures it from outside: processor time, peak memory, how it ended.
//!
//! The kernel records the time and the largest resident size of a process and reports them to its parent when the
//! parent collects it (`wait4`). That costs nothing, needs no cooperation, and is the same for us and for our peers.
//! Processor time is user and system time together, of all threads; unlike the time on the clock, it does not grow
//! when the machine is busy with something else. The peak memory of a child is never below what this program occupied
//! when it started it, a few megabytes.
//!
//! While the process runs we check now and then whether it has ended, without collecting it (`waitid` with `NOWAIT`),
//! so that a limit or an interrupt can end it. It leads a process group, which is ended as a whole, because a
//! compiler is several processes. Temporary files go to the folder of the run and are removed with it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use wait4::Wait4;

use crate::interrupt;

/// The result of a run.
pub(crate) struct Run {
    /// Its standard output.
    pub(crate) stdout: String,
    /// Its standard error.
    pub(crate) stderr: String,
    /// User and system time, in seconds.
    pub(crate) cpu: f64,
    /// The time on the clock.
    pub(crate) clock: Duration,
    /// Peak resident size, in bytes.
    pub(crate) memory: u64,
    /// How it ended.
    pub(crate) end: End,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself, with this exit code.
    Code(i32),
    /// By a signal that was not ours.
    Signal,
    /// By us, at the limit.
    Late,
    /// By us, because the user interrupted.
    Interrupted,
}

/// Runs a program in a folder, with its output in files, for at most `limit` on the clock.
pub(crate) fn run(
    folder: &Path,
    limit: Duration,
    program: impl AsRef<OsStr>,
    arguments: &[String],
) -> io::Result<Run> {
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("TMPDIR", folder)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(File::create(&out)?)
        .stderr(File::create(&err)?)
        .spawn()?;
    let start = Instant::now();
    let pid = Pid::from_child(&child);
    let mut forced = None;
    while waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT)?
        .is_none()
    {
        if interrupt::stopped() {
            forced = Some(End::Interrupted);
        } else if start.elapsed() > limit {
            forced = Some(End::Late);
        }
        if forced.is_some() {
            kill_process_group(pid, Signal::KILL)?;
            break;
        }
        std::thread::sleep(pause(start.elapsed()));
    }
    let collected = child.wait4()?;
    let clock = start.elapsed();
    let end = forced.or(collected.status.code().map(End::Code)).unwrap_or(End::Signal);
    Ok(Run {
        stdout: read(&out)?,
        stderr: read(&err)?,
        cpu: (collected.rusage.utime + collected.rusage.stime).as_secs_f64(),
        clock,
        memory: collected.rusage.maxrss,
        end,
    })
}

/// The time until the next check: a hundredth of the time so far, but never long.
fn pause(elapsed: Duration) -> Duration {
    (elapsed / 100).clamp(Duration::from_millis(1), Duration::from_millis(100))
}

fn read(path: &Path) -> io::Result<String> {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(name: &str, limit: u64, script: &str) -> Run {
        let folder = std::env::temp_dir().join(format!("fairly_process_{}_{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let arguments = ["-c".to_owned(), script.to_owned()];
        let run = run(&folder, Duration::from_secs(limit), "sh", &arguments).expect("a shell");
        fs::remove_dir_all(&folder).expect("the folder is ours");
        run
    }

    #[test]
    fn output_and_exit_code_are_kept() {
        let run = shell("output", 60, "echo out; echo err >&2; exit 3");
        assert_eq!((&run.stdout[..], &run.stderr[..], run.end), ("out\n", "err\n", End::Code(3)));
        assert!(run.memory > 0);
    }

    #[test]
    fn sleeping_takes_no_processor_time_and_counting_does() {
        let asleep = shell("sleep", 60, "sleep 0.3");
        let counting = shell("count", 60, "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done");
        assert_eq!(asleep.end, End::Code(0));
        assert!(counting.cpu > asleep.cpu, "{} and {}", counting.cpu, asleep.cpu);
    }

    #[test]
    fn a_run_beyond_its_limit_is_ended() {
        assert_eq!(shell("late", 1, "sleep 60").end, End::Late);
        assert_eq!(shell("signal", 60, "kill -9 $$").end, End::Signal);
    }

    #[test]
    fn the_children_of_a_run_end_with_it() {
        let run = shell("group", 1, "sleep 60 & echo $!; wait");
        assert_eq!(run.end, End::Late);
        // The child may still exist for a moment, as a zombie that has not been collected.
        let state = || fs::read_to_string(format!("/proc/{}/stat", run.stdout.trim()));
        let gone = || state().map_or(true, |text| text.contains(") Z "));
        let deadline = Instant::now() + Duration::from_secs(20);
        while !gone() {
            assert!(Instant::now() < deadline, "{} is still running", run.stdout.trim());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        let folder = std::env::temp_dir().join(format!("fairly_process_{}_absent", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        assert!(run(&folder, Duration::ZERO, "no such program", &[]).is_err());
        fs::remove_dir_all(&folder).expect("the folder is ours");
    }
}
