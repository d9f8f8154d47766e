//! A client of a server that speaks JSON-RPC over standard input and output.

pub(crate) mod editor;
#[cfg(unix)]
pub(crate) mod explorer;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How messages are set apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Header,
    Lines,
}

/// How long an answer may take. Machines that run many tests at once are slow.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server and the pipes to it.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Value>,
    framing: Framing,
}

impl Client {
    /// Starts `fairly` with these arguments, in the root of the repository.
    pub(crate) fn start(arguments: &[&str], framing: Framing) -> Client {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let mut child = Command::new(env!("CARGO_BIN_EXE_fairly"))
            .args(arguments)
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let mut from = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, output) = mpsc::channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut from, framing) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client { child, input, output, framing }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let framed = match self.framing {
            Framing::Header => format!("Content-Length: {}\r\n\r\n{body}", body.len()),
            Framing::Lines => format!("{body}\n"),
        };
        self.send_bytes(framed.as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the pipe is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    /// The next message of the server.
    pub(crate) fn receive(&mut self) -> Value {
        self.output.recv_timeout(PATIENCE).expect("the server answers")
    }

    /// The client goes away.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// The exit code.
    pub(crate) fn exit(&mut self) -> Option<i32> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.code();
            }
            assert!(begun.elapsed() < PATIENCE, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(from: &mut BufReader<impl Read>, framing: Framing) -> Option<Value> {
    let mut line = String::new();
    if framing == Framing::Lines {
        from.read_line(&mut line).ok().filter(|length| *length > 0)?;
        return Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")));
    }
    let mut length = 0;
    loop {
        line.clear();
        from.read_line(&mut line).ok().filter(|length| *length > 0)?;
        if line == "\r\n" {
            break;
        }
        length = line.strip_prefix("Content-Length: ").expect("a header").trim().parse().expect("a length");
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("JSON"))
}
