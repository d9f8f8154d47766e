//! Starts solvers as child processes: the only place that knows how.
//!
//! One thread reads what the solver writes, line by line, and another writes what it is sent, so that neither can block
//! the caller: a pipe by itself cannot be asked for a line with a limit. A solver that writes faster than it is read has
//! to wait, and a line that is too long ends the stream, so what it writes takes bounded memory. On Linux its own memory
//! can be limited too; a solver that needs more dies, and its query is answered *unknown*. Dropping the pipe kills the
//! process and collects it; the threads end with the streams.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use crate::solvers::{Pipe, Program, Received, Solvers};

/// The greatest number of lines that wait to be read.
const LINES: usize = 8;
/// The greatest length of a line, in bytes.
const LONGEST: u64 = 32 << 20;

/// The solvers that are found where the system looks for programs.
pub fn installed() -> Solvers {
    installed_within(u64::MAX)
}

/// The installed solvers, each with at most this many bytes of memory.
pub fn installed_within(memory: u64) -> Solvers {
    Solvers::new(Arc::new(move |program| start(program.name(), program, memory)))
}

/// Starts the program at this path as that solver, with at most this many bytes of memory.
pub fn start(path: &str, program: Program, memory: u64) -> Result<Box<dyn Pipe>, String> {
    let mut child = Command::new(path)
        .args(program.arguments())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    limit_memory(&child, memory);
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("it has no pipes".to_owned());
    };
    let (sender, lines) = sync_channel(LINES);
    std::thread::spawn(move || read_lines(output, &sender));
    let (texts, receiver) = channel();
    std::thread::spawn(move || write_texts(input, &receiver));
    Ok(Box::new(Process { child, texts, lines, waited: Duration::ZERO }))
}

/// Limits the memory of a process, where the system can do that.
fn limit_memory(child: &Child, memory: u64) {
    #[cfg(target_os = "linux")]
    if memory < u64::MAX {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let limit = Rlimit { current: Some(memory), maximum: Some(memory) };
        // It may have ended by itself; then there is nothing to limit.
        let _ = prlimit(Some(Pid::from_child(child)), Resource::As, limit);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (child, memory);
}

/// Passes lines on until the stream ends, a line is too long, or nobody receives them.
fn read_lines(output: ChildStdout, lines: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = String::new();
        let read = output.by_ref().take(LONGEST).read_line(&mut line);
        if !read.is_ok_and(|length| length > 0) || line.len() as u64 >= LONGEST {
            return;
        }
        line.truncate(line.trim_end_matches(['\n', '\r']).len());
        if lines.send(line).is_err() {
            return;
        }
    }
}

/// Writes texts until nobody sends any, or nobody reads them.
fn write_texts(mut input: ChildStdin, texts: &Receiver<String>) {
    for text in texts {
        if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

struct Process {
    child: Child,
    texts: Sender<String>,
    lines: Receiver<String>,
    waited: Duration,
}

impl Pipe for Process {
    fn send(&mut self, text: &str) -> bool {
        self.texts.send(text.to_owned()).is_ok()
    }

    fn receive(&mut self, patience: Duration) -> Received {
        let start = Instant::now();
        let received = self.lines.recv_timeout(patience);
        self.waited += start.elapsed();
        match received {
            Ok(line) => Received::Line(line),
            Err(RecvTimeoutError::Timeout) => Received::Silence,
            Err(RecvTimeoutError::Disconnected) => Received::End,
        }
    }

    fn waited(&self) -> Duration {
        self.waited
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself; there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
