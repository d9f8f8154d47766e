//! Starts solvers as child processes: the only place that knows how.
//!
//! A thread reads what the solver writes, line by line, so that waiting can end: a pipe by itself cannot be asked for a
//! line with a limit. Dropping the pipe kills the process and collects it; the thread ends with the stream.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use smt::{Pipe, Program, Received, Solvers};

/// The solvers that are found where the system looks for programs.
pub(crate) fn installed() -> Solvers {
    Solvers::new(Arc::new(|program| start(program.name(), program)))
}

/// Starts the program at this path as that solver.
pub(crate) fn start(path: &str, program: Program) -> Result<Box<dyn Pipe>, String> {
    let mut child = Command::new(path)
        .args(program.arguments())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("it has no pipes".to_owned());
    };
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Ok(Box::new(Process { child, input, lines }))
}

struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Pipe for Process {
    fn send(&mut self, text: &str) -> bool {
        self.input.write_all(text.as_bytes()).and_then(|()| self.input.flush()).is_ok()
    }

    fn receive(&mut self, patience: Duration) -> Received {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Received::Line(line),
            Err(RecvTimeoutError::Timeout) => Received::Silence,
            Err(RecvTimeoutError::Disconnected) => Received::End,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself; there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
