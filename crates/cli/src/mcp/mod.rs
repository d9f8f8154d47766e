//! `fairly mcp`: the Model Context Protocol over standard input and output, for coding agents.
//!
//! The protocol has two eras. Up to revision 2025-11-25 a client begins with `initialize`; from 2026-07-28 on there is no
//! beginning, each request names its revision, and `server/discover` says what there is. Both are served, and nothing
//! here depends on which. Calls are answered one after another on the session's worker; this thread reads on, so that a
//! call can be cancelled.
//!
//! Every call has limits, whatever the agent asks for: on time, memory, and the length of the answer. What is unknown or
//! refused is said to be so and is never a success.

mod answer;
mod call;
mod schema;
mod tools;

use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fairly::session::{Cancel, Session, Worker};
use serde_json::{Value, json};

use crate::arguments::McpArguments;
use crate::exit::Exit;
use crate::limits::Limits;
use crate::rpc::{
    self, Framing, INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, Received, Refused, UNKNOWN_METHOD,
};
use crate::screen::complain;
use call::CallLimits;
use tools::TOOLS;

/// The revisions with a handshake, the newest first.
const WITH_HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The revision without one.
const STATELESS: &str = "2026-07-28";

/// Where a request names its revision.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";

/// A request of a revision that is not known.
const UNKNOWN_REVISION: i64 = -32022;

/// The most time that a call may take, unless the command says otherwise.
const MOST_TIME: Duration = Duration::from_mins(1);

/// The most memory that engines may use, unless the command says otherwise.
const MEMORY: u64 = 2 << 30;

/// How long after its limit a call is ended by force.
const GRACE: Duration = Duration::from_secs(1);

/// How many calls may wait.
const WAITING: usize = 32;

/// What an agent should know before it begins.
const INSTRUCTIONS: &str = "Fairly checks models of concurrent programs for safety and liveness under fairness. Write a \
model in its language (`diagnose` says what is wrong with it and how to mend it), then `check`. A verdict `holds` is \
given only if nothing is known that makes it empty; `holds_but` comes with reasons why it may say less than it seems \
to: read them before you rely on it. `unknown` and `refused` are no success. If a property fails because the scheduler \
is unfair, `advise` says which fairness it needs; do not assume more than that.";

/// Runs the command.
pub(crate) fn run(arguments: &McpArguments) -> Exit {
    let worker = match Worker::start(Session::default()) {
        Ok(worker) => worker,
        Err(error) => {
            complain(&format!("cannot start a thread: {error}"));
            return Exit::Undecided;
        }
    };
    let limits = Limits::new(None, Some(arguments.bounds.memory_limit.unwrap_or(MEMORY)));
    let limits = CallLimits { time: arguments.bounds.time_limit.unwrap_or(MOST_TIME), command: limits };
    let server = Server { worker, limits, calls: Arc::default() };
    let mut input = BufReader::new(io::stdin());
    loop {
        let sent = match rpc::read(&mut input, Framing::Lines) {
            Received::End => {
                server.finish();
                return Exit::Fine;
            }
            Received::Garbage(what) => send(&rpc::answer(&Value::Null, Err(Refused::new(PARSE_ERROR, what)))),
            Received::Message(message) => server.message(&message),
        };
        // If nobody reads, nobody asks.
        if sent.is_err() {
            return Exit::Fine;
        }
    }
}

struct Server {
    worker: Worker<Session>,
    limits: CallLimits,
    /// The calls that wait or run.
    calls: Arc<Mutex<BTreeMap<String, Cancel>>>,
}

impl Server {
    fn message(&self, message: &Value) -> io::Result<()> {
        let id = message.get("id").filter(|id| id.is_number() || id.is_string());
        let method = message.get("method").and_then(Value::as_str);
        let params = message.get("params").unwrap_or(&Value::Null);
        match (method, id) {
            (Some("notifications/cancelled"), None) => {
                if let Some(cancel) = self.lock().get(&params["requestId"].to_string()) {
                    cancel.cancel();
                }
                Ok(())
            }
            // Other notifications change nothing.
            (Some(_), None) => Ok(()),
            (Some("tools/call"), Some(id)) => match revision(params) {
                Ok(modern) => self.call(id, params, modern),
                Err(refused) => send(&rpc::answer(id, Err(refused))),
            },
            (Some(method), Some(id)) => {
                let result = revision(params).and_then(|modern| request(method, params, modern));
                send(&rpc::answer(id, result))
            }
            // An answer: nothing was asked.
            (None, _) if message.get("result").is_some() || message.get("error").is_some() => Ok(()),
            (None, _) => {
                let refused = Refused::new(INVALID_REQUEST, "a request has a `method` and an `id`");
                send(&rpc::answer(id.unwrap_or(&Value::Null), Err(refused)))
            }
        }
    }

    /// Gives a call to the worker, which answers it.
    fn call(&self, id: &Value, params: &Value, modern: bool) -> io::Result<()> {
        let refuse = |message: String| send(&rpc::answer(id, Err(Refused::new(INVALID_PARAMS, message))));
        let name = params["name"].as_str().unwrap_or_default();
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            return refuse(format!("there is no tool `{name}`; the tools are {}", known.join(", ")));
        };
        let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
        let key = id.to_string();
        if self.lock().len() >= WAITING {
            return refuse(format!("{WAITING} calls are waiting already"));
        }
        let (id, limits, calls) = (id.clone(), self.limits, Arc::clone(&self.calls));
        let cancel = Cancel::default();
        self.lock().insert(key.clone(), cancel.clone());
        self.worker.queue(cancel, move |session, cancel| {
            let pending = Arc::new(Pending { id, key, modern, calls });
            let done = pending.overdue(call::time(&arguments, &limits) + GRACE, cancel);
            let called = AssertUnwindSafe(|| call::call(tool, &arguments, &limits, session, cancel));
            let result = catch_unwind(called).unwrap_or_else(|_| answer::broken_down());
            // A call that was cancelled gets no answer.
            pending.answer((!cancel.is_cancelled()).then_some(result));
            drop(done);
        });
        Ok(())
    }

    /// Waits for the calls that were made: who closes the input may still read the output. All have limits.
    fn finish(&self) {
        while !self.lock().is_empty() {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Cancel>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that has no answer yet.
struct Pending {
    id: Value,
    key: String,
    modern: bool,
    calls: Arc<Mutex<BTreeMap<String, Cancel>>>,
}

impl Pending {
    /// Answers, unless it was answered already; `None` is no answer.
    fn answer(&self, result: Option<Value>) {
        let known = self.calls.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&self.key);
        if let Some(mut result) = result.filter(|_| known) {
            if self.modern {
                result["resultType"] = json!("complete");
            }
            let _ = send(&rpc::answer(&self.id, Ok(result)));
        }
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }

    /// Answers and ends the call if it takes longer than this, whatever an engine is doing. What is returned is dropped
    /// when the call has ended.
    fn overdue(self: &Arc<Pending>, limit: Duration, cancel: &Cancel) -> Sender<()> {
        let (ended, end) = mpsc::channel::<()>();
        let (own, cancel) = (Arc::clone(self), cancel.clone());
        std::thread::spawn(move || {
            if end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                own.answer((!cancel.is_cancelled()).then(answer::overdue));
                cancel.cancel();
            }
        });
        ended
    }
}

/// Whether a request is of the revision without a handshake; an error if it names one that is not known.
fn revision(params: &Value) -> Result<bool, Refused> {
    match params["_meta"][REVISION].as_str() {
        None => Ok(false),
        Some(STATELESS) => Ok(true),
        Some(known) if WITH_HANDSHAKE.contains(&known) => Ok(false),
        Some(other) => Err(Refused {
            code: UNKNOWN_REVISION,
            message: format!("revision {other} of the protocol is not known here"),
            data: Some(json!({ "requested": other, "supported": revisions() })),
        }),
    }
}

fn send(message: &Value) -> io::Result<()> {
    rpc::write(&mut io::stdout().lock(), Framing::Lines, message)
}

fn revisions() -> Vec<&'static str> {
    std::iter::once(STATELESS).chain(WITH_HANDSHAKE).collect()
}

fn server_info() -> Value {
    json!({ "name": "fairly", "title": "Fairly", "version": env!("CARGO_PKG_VERSION") })
}

/// Answers everything but calls.
fn request(method: &str, params: &Value, modern: bool) -> Result<Value, Refused> {
    let capabilities = json!({ "tools": {} });
    let mut result = match method {
        "initialize" => {
            let wanted = params["protocolVersion"].as_str().unwrap_or_default();
            let agreed = WITH_HANDSHAKE.iter().find(|known| **known == wanted).unwrap_or(&WITH_HANDSHAKE[0]);
            json!({
                "protocolVersion": agreed,
                "capabilities": capabilities,
                "serverInfo": server_info(),
                "instructions": INSTRUCTIONS,
            })
        }
        "server/discover" => json!({
            "supportedVersions": revisions(),
            "capabilities": capabilities,
            "serverInfo": server_info(),
            "instructions": INSTRUCTIONS,
        }),
        "ping" => json!({}),
        "tools/list" => {
            let tools: Vec<Value> = TOOLS.iter().map(schema::tool).collect();
            json!({ "tools": tools })
        }
        _ => return Err(Refused::new(UNKNOWN_METHOD, format!("`{method}` is not known here"))),
    };
    if modern || method == "server/discover" {
        result["resultType"] = json!("complete");
        // The tools never change while the program runs.
        if method != "ping" {
            result["ttlMs"] = json!(3_600_000);
            result["cacheScope"] = json!("public");
        }
    }
    Ok(result)
}
