//! Starts solvers as child processes: the only place that knows how. What a solver writes takes bounded memory.
//!
//! A thread reads what the solver writes, line by line, so that waiting can end: a pipe by itself cannot be asked for a
//! line with a limit. Dropping the pipe kills the process and collects it; the thread ends with the stream.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use crate::solvers::{Pipe, Program, Received, Solvers};

/// The most lines that wait to be read: a solver that writes more has to wait as well.
const WAITING: usize = 4096;
/// The most bytes of a line: a solver that writes more is treated as if it had died.
const LONGEST: u64 = 64 << 20;

/// The solvers that are found where the system looks for programs.
pub fn installed() -> Solvers {
    Solvers::new(Arc::new(|program| start(program.name(), program)))
}

/// Starts the program at this path as that solver.
pub fn start(path: &str, program: Program) -> Result<Box<dyn Pipe>, String> {
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
    let (sender, lines) = sync_channel(WAITING);
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let mut line = String::new();
            let read = (&mut output).take(LONGEST).read_line(&mut line);
            let is_whole = line.ends_with('\n') || line.len() < LONGEST as usize;
            if !read.is_ok_and(|bytes| bytes > 0) || !is_whole {
                break;
            }
            line.truncate(line.trim_end_matches(['\n', '\r']).len());
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
