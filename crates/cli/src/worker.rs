//! Works for a supervisor, `fairly check --workers` or `--cluster`, on this machine or another.
//!
//! After a task the program begins anew in the same process: nothing of the task is left, and whoever has started the
//! worker does not notice.

use std::io::BufRead;
use std::sync::OnceLock;
use std::time::Duration;

use cluster::worker::{Ended, Worker};

use crate::arguments::WorkerArguments;
use crate::crew::{self, SECRET};
use crate::exit::Exit;
use crate::limits::Limits;
use crate::screen::complain;

/// How long a worker tries to reach its supervisor, which may be started later.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long it does so after a task.
const SHORT: Duration = Duration::from_millis(500);
/// How long it waits before it ends by a panic.
const BEFORE_THE_END: Duration = Duration::from_millis(300);
/// The variable that is set if the program has begun anew.
const AGAIN: &str = "FAIRLY_AGAIN";

/// The secret, for the next beginning.
static KNOWN: OnceLock<String> = OnceLock::new();

/// Runs the command.
pub(crate) fn run(arguments: &WorkerArguments) -> Exit {
    let secret = match secret(arguments) {
        Ok(secret) => secret,
        Err(message) => {
            complain(&message);
            return Exit::BadInput;
        }
    };
    let _ = KNOWN.set(secret.clone());
    let is_again = std::env::var_os(AGAIN).is_some();
    let name =
        std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_else(|_| "this machine".to_owned());
    let worker = Worker {
        supervisor: arguments.supervisor.clone(),
        secret,
        host: format!("{} (process {})", name.trim(), std::process::id()),
        patience: if is_again { SHORT } else { PATIENCE },
        memory: Limits::new(None, arguments.memory_limit).memory,
        tasks: &crew::tasks,
        again,
    };
    // If a connection to another worker breaks, this process ends by a panic. The supervisor takes the first worker that is
    // gone for the cause, so this one waits for the other to be missed.
    std::panic::set_hook(Box::new(|_| std::thread::sleep(BEFORE_THE_END)));
    match worker.work() {
        Ended::Done => {
            again();
            Exit::Fine
        }
        // The supervisor has ended, as it should.
        Ended::Unreached(_) if is_again => Exit::Fine,
        Ended::Unreached(message) | Ended::Refused(message) => {
            complain(&message);
            Exit::Undecided
        }
    }
}

/// The secret, or why there is none.
fn secret(arguments: &WorkerArguments) -> Result<String, String> {
    if let Some(secret) = std::env::var(SECRET).ok().filter(|secret| !secret.is_empty()) {
        return Ok(secret);
    }
    let Some(place) = &arguments.secret_from else {
        return Err(format!(
            "a worker needs the secret of its supervisor: set {SECRET}, or use --secret-from"
        ));
    };
    let mut line = String::new();
    let read = if place == "-" {
        std::io::stdin().lock().read_line(&mut line)
    } else {
        std::fs::File::open(place).and_then(|file| std::io::BufReader::new(file).read_line(&mut line))
    };
    match read {
        Ok(_) if !line.trim().is_empty() => Ok(line.trim().to_owned()),
        Ok(_) => Err(format!("there is no secret in {place}")),
        Err(error) => Err(format!("cannot read the secret from {place}: {error}")),
    }
}

/// Begins anew in the same process. Returns if that is not possible.
fn again() {
    #[cfg(unix)]
    if let (Ok(program), Some(secret)) = (std::env::current_exe(), KNOWN.get()) {
        use std::os::unix::process::CommandExt;
        let arguments: Vec<_> = std::env::args_os().skip(1).collect();
        // It only returns if it fails. Then the worker ends, which the supervisor notices.
        let _ =
            std::process::Command::new(program).args(arguments).env(SECRET, secret).env(AGAIN, "1").exec();
    }
}
