//! `fairly lsp`: a language server over standard input and output.
//!
//! One thread reads messages, one answers, one checks. What the editor asks is answered at once, from the document as it
//! is (`answers`). Checks are work for the session's worker: they begin a moment after the last edit, one document at a
//! time, have limits, and end when the document is edited. Their verdicts appear above the properties, and as diagnostics
//! where they are not as expected. If a property fails that should not, advice is sought, so that the editor can offer to
//! add the fairness it needs.

mod answers;
mod open;
mod place;

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufReader};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use driver::{Outcome, Verdict};
use fairly::session::{Advice, Asked, Bounds, Cancel, Document, Session, Watch, Worker};
use serde_json::{Value, json};

use crate::arguments::LspArguments;
use crate::exit::Exit;
use crate::limits;
use crate::rpc::{
    self, Framing, INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, Received, Refused, UNKNOWN_METHOD,
};
use crate::screen::complain;
use open::Open;

/// How long after the last edit a text is read again.
const AFTER_EDIT: Duration = Duration::from_millis(120);

/// How long verdicts are collected before they are shown.
const SHOWN: Duration = Duration::from_millis(40);

/// How long a check or advice may take, unless the command says otherwise.
const TIME: Duration = Duration::from_secs(10);

/// A request before `initialize`.
const NOT_INITIALIZED: i64 = -32002;
/// A request that was understood and cannot be done.
const FAILED: i64 = -32803;

/// Runs the command.
pub(crate) fn run(arguments: &LspArguments) -> Exit {
    let worker = match Worker::start(Session::default()) {
        Ok(worker) => worker,
        Err(error) => {
            complain(&format!("cannot start a thread: {error}"));
            return Exit::Undecided;
        }
    };
    let (sender, receiver) = mpsc::sync_channel(64);
    let reader = sender.clone();
    std::thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        loop {
            let received = rpc::read(&mut input, Framing::Header);
            let last = received == Received::End;
            if reader.send(Event::Received(received)).is_err() || last {
                return;
            }
        }
    });
    let memory = arguments.bounds.memory_limit;
    let limits = limits::Limits::new(None, memory);
    let bounds =
        Bounds { time: Some(arguments.bounds.time_limit.unwrap_or(TIME)), memory: limits.memory, threads: 1 };
    let mut server = Server {
        documents: BTreeMap::new(),
        worker,
        sender,
        bounds,
        limits,
        check_edits: !arguments.check_on_save,
        jobs: VecDeque::new(),
        running: None,
        refreshes: false,
        asked: 0,
        phase: Phase::New,
    };
    server.serve(&receiver)
}

/// What happens.
enum Event {
    Received(Received),
    Found(String, Value, Box<Outcome>),
    Advised(String, Value, Box<Advice>),
    /// A job has ended, perhaps with a reason why nothing was found out.
    Done(String, Value, Option<String>),
}

/// Work for the worker.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Job {
    uri: String,
    /// Whether to look for the fairness that properties need, in place of checking them.
    advise: bool,
    /// The properties; empty for all.
    properties: Vec<String>,
    /// How many times the usual limit it may take.
    patience: u32,
}

struct Server {
    documents: BTreeMap<String, Open>,
    worker: Worker<Session>,
    sender: SyncSender<Event>,
    bounds: Bounds,
    limits: limits::Limits,
    /// Whether to check after every edit, and not only when a document is opened or saved.
    check_edits: bool,
    jobs: VecDeque<Job>,
    running: Option<(Job, Cancel)>,
    /// Whether the editor can be asked to show verdicts anew.
    refreshes: bool,
    /// How many requests were sent to the editor.
    asked: u64,
    phase: Phase,
}

/// How far the conversation is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Initialized,
    ShutDown,
}

impl Server {
    /// Answers until the editor goes away.
    fn serve(&mut self, receiver: &Receiver<Event>) -> Exit {
        loop {
            let due = self.documents.values().flat_map(|open| [open.stale, open.unshown]).flatten().min();
            let event = match due {
                Some(due) => receiver.recv_timeout(due.saturating_duration_since(Instant::now())),
                None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let gone = match event {
                Ok(Event::Received(Received::End)) | Err(RecvTimeoutError::Disconnected) => true,
                Ok(event) => match self.handle(event) {
                    Ok(Some(exit)) => return exit,
                    Ok(None) => false,
                    Err(_) => true,
                },
                Err(RecvTimeoutError::Timeout) => self.do_due().is_err(),
            };
            if gone {
                return if self.phase == Phase::ShutDown { Exit::Fine } else { Exit::NotAsExpected };
            }
        }
    }

    fn handle(&mut self, event: Event) -> io::Result<Option<Exit>> {
        match event {
            Event::Received(Received::Message(message)) => return self.message(&message),
            Event::Received(Received::Garbage(what)) => {
                send(&rpc::answer(&Value::Null, Err(Refused::new(PARSE_ERROR, what))))?;
            }
            Event::Received(Received::End) => {}
            Event::Found(uri, version, outcome) => {
                if let Some(open) = self.current(&uri, &version) {
                    open.learn(*outcome);
                    open.unshown.get_or_insert_with(|| Instant::now() + SHOWN);
                }
            }
            Event::Advised(uri, version, advice) => {
                if let Some(open) = self.current(&uri, &version) {
                    open.advice.retain(|known| known.property != advice.property);
                    open.advice.push(*advice);
                }
            }
            Event::Done(uri, version, problem) => {
                let job = self.running.take().map(|(job, _)| job);
                if let Some(open) = self.current(&uri, &version) {
                    open.checking = false;
                    open.problem = problem;
                    self.show_verdicts(&uri)?;
                    if job.is_some_and(|job| !job.advise) {
                        self.seek_advice(&uri);
                    }
                }
                self.start_job();
            }
        }
        Ok(None)
    }

    /// The document, if it is still in this version.
    fn current(&mut self, uri: &str, version: &Value) -> Option<&mut Open> {
        self.documents.get_mut(uri).filter(|open| open.version == *version && open.stale.is_none())
    }

    /// Tells the editor what to underline, and that verdicts have changed.
    fn show_verdicts(&mut self, uri: &str) -> io::Result<()> {
        if let Some(open) = self.documents.get_mut(uri) {
            open.unshown = None;
        }
        self.publish(uri)?;
        if self.refreshes {
            self.asked += 1;
            let id = format!("refresh {}", self.asked);
            send(&json!({ "jsonrpc": "2.0", "id": id, "method": "workspace/codeLens/refresh" }))?;
        }
        Ok(())
    }

    fn publish(&self, uri: &str) -> io::Result<()> {
        let (version, diagnostics) = match self.documents.get(uri) {
            Some(open) => (open.version.clone(), open.diagnostics()),
            None => (Value::Null, Vec::new()),
        };
        let mut params = json!({ "uri": uri, "diagnostics": diagnostics });
        if version.is_number() {
            params["version"] = version;
        }
        send(&json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params }))
    }

    /// Reads every text again whose last edit is some time ago, and shows verdicts that have been collected.
    fn do_due(&mut self) -> io::Result<()> {
        let now = Instant::now();
        let is_due = |when: Option<Instant>| when.is_some_and(|when| when <= now);
        let uris = |due: &dyn Fn(&Open) -> bool| -> Vec<String> {
            self.documents.values().filter(|open| due(open)).map(|open| open.uri.clone()).collect()
        };
        let (stale, unshown) = (uris(&|open| is_due(open.stale)), uris(&|open| is_due(open.unshown)));
        stale.iter().try_for_each(|uri| self.refresh(uri))?;
        unshown.iter().try_for_each(|uri| self.show_verdicts(uri))
    }

    fn refresh(&mut self, uri: &str) -> io::Result<()> {
        let Some(mut open) = self.documents.remove(uri) else { return Ok(()) };
        open.refresh(&self.documents);
        self.documents.insert(uri.to_owned(), open);
        self.publish(uri)?;
        if self.check_edits {
            self.check(uri, Vec::new(), 1);
        }
        Ok(())
    }

    /// Has the documents read again that name this one.
    fn stir(&mut self, uri: &str) {
        let naming = self.documents.values().filter(|open| open.uri != uri && open.names(uri));
        for other in naming.map(|open| open.uri.clone()).collect::<Vec<_>>() {
            self.cancel(&other);
            if let Some(open) = self.documents.get_mut(&other) {
                open.stale = Some(Instant::now() + AFTER_EDIT);
            }
        }
    }

    /// Ends all work on a document.
    fn cancel(&mut self, uri: &str) {
        self.jobs.retain(|job| job.uri != uri);
        if let Some((job, cancel)) = &self.running
            && job.uri == uri
        {
            cancel.cancel();
        }
    }

    fn check(&mut self, uri: &str, properties: Vec<String>, patience: u32) {
        let Some(open) = self.documents.get_mut(uri).filter(|open| open.document.model().is_some()) else {
            return;
        };
        open.checking = true;
        self.give(Job { uri: uri.to_owned(), advise: false, properties, patience });
    }

    /// Looks for the fairness that properties need which fail and should not.
    fn seek_advice(&mut self, uri: &str) {
        let Some(open) = self.documents.get(uri) else { return };
        let wrong = |outcome: &&Outcome| {
            outcome.verdict == Verdict::Fails
                && outcome.as_expected() == Some(false)
                && !outcome.is_fault()
                && !open.advice.iter().any(|known| known.property == outcome.property)
        };
        let properties: Vec<String> =
            open.outcomes.iter().filter(wrong).map(|outcome| outcome.property.to_string()).collect();
        if !properties.is_empty() {
            self.give(Job { uri: uri.to_owned(), advise: true, properties, patience: 1 });
        }
    }

    fn give(&mut self, job: Job) {
        if !self.jobs.contains(&job) {
            self.jobs.push_back(job);
        }
        self.start_job();
    }

    /// Starts the next job, unless one is running.
    fn start_job(&mut self) {
        if self.running.is_some() {
            return;
        }
        while let Some(job) = self.jobs.pop_front() {
            let Some(open) = self.documents.get(&job.uri) else { continue };
            let (document, version, sender) =
                (open.document.clone(), open.version.clone(), self.sender.clone());
            let time = self.bounds.time.map(|time| time.saturating_mul(job.patience));
            let (bounds, limits) = (Bounds { time, ..self.bounds }, self.limits);
            let own = job.clone();
            let cancel = self.worker.give("job", move |session, cancel| {
                // It is told that the job has ended even if it breaks down.
                let mut done = Done { sender, uri: own.uri.clone(), version, problem: None };
                done.problem = work(&own, &document, session, cancel, bounds, &limits, &done);
            });
            self.running = Some((job, cancel));
            return;
        }
    }

    /// Answers a message. Returns how to end, if it asks for that.
    fn message(&mut self, message: &Value) -> io::Result<Option<Exit>> {
        let id = message.get("id").filter(|id| id.is_number() || id.is_string());
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            // An answer to one of our requests needs none.
            if message.get("result").is_none() && message.get("error").is_none() {
                let refused = Refused::new(INVALID_REQUEST, "a request has a method");
                send(&rpc::answer(id.unwrap_or(&Value::Null), Err(refused)))?;
            }
            return Ok(None);
        };
        let params = message.get("params").unwrap_or(&Value::Null);
        let Some(id) = id else {
            return self.notification(method, params);
        };
        if let Some(uri) = params["textDocument"]["uri"].as_str()
            && self.documents.get(uri).is_some_and(|open| open.stale.is_some())
        {
            self.refresh(uri)?;
        }
        let result = self.request(method, params);
        send(&rpc::answer(id, result))?;
        Ok(None)
    }

    fn notification(&mut self, method: &str, params: &Value) -> io::Result<Option<Exit>> {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default();
        match method {
            "exit" => {
                return Ok(Some(if self.phase == Phase::ShutDown {
                    Exit::Fine
                } else {
                    Exit::NotAsExpected
                }));
            }
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default().to_owned();
                self.cancel(uri);
                self.documents.remove(uri);
                let open = Open::new(uri, document["version"].clone(), text, &self.documents);
                self.documents.insert(uri.to_owned(), open);
                self.stir(uri);
                self.publish(uri)?;
                self.check(uri, Vec::new(), 1);
            }
            "textDocument/didChange" => {
                self.cancel(uri);
                if let Some(open) = self.documents.get_mut(uri) {
                    open.version = document["version"].clone();
                    params["contentChanges"]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .for_each(|one| open.change(one));
                    open.stale = Some(Instant::now() + AFTER_EDIT);
                }
                self.stir(uri);
            }
            "textDocument/didSave" => {
                // A file that it names may have changed as well.
                self.cancel(uri);
                self.refresh(uri)?;
                self.stir(uri);
                if !self.check_edits {
                    self.check(uri, Vec::new(), 1);
                }
            }
            "textDocument/didClose" => {
                self.cancel(uri);
                if self.documents.remove(uri).is_some() {
                    self.publish(uri)?;
                    self.stir(uri);
                }
            }
            // Nothing is known about it, or nothing has to be done.
            _ => {}
        }
        Ok(None)
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, Refused> {
        if method == "initialize" {
            self.phase = Phase::Initialized;
            self.refreshes =
                params["capabilities"]["workspace"]["codeLens"]["refreshSupport"].as_bool() == Some(true);
            return Ok(capabilities());
        }
        if self.phase == Phase::New {
            return Err(Refused::new(NOT_INITIALIZED, "the first request is `initialize`"));
        }
        if self.phase == Phase::ShutDown {
            return Err(Refused::new(INVALID_REQUEST, "the server was shut down"));
        }
        match method {
            "shutdown" => {
                self.phase = Phase::ShutDown;
                self.jobs.clear();
                self.worker.cancel(&["job"]);
                Ok(Value::Null)
            }
            "workspace/executeCommand" => self.command(params),
            _ => self.question(method, params),
        }
    }

    /// `fairly.check` and `fairly.advise`, with the address of a document and the name of a property.
    fn command(&mut self, params: &Value) -> Result<Value, Refused> {
        let argument = |at: usize| params["arguments"][at].as_str().unwrap_or_default().to_owned();
        let (uri, property) = (argument(0), argument(1));
        if !self.documents.contains_key(&uri) {
            return Err(Refused::new(INVALID_PARAMS, format!("no document `{uri}` is open")));
        }
        let properties = if property.is_empty() { Vec::new() } else { vec![property] };
        match params["command"].as_str() {
            Some("fairly.check") => self.check(&uri, properties, 6),
            Some("fairly.advise") => self.give(Job { uri, advise: true, properties, patience: 6 }),
            _ => {
                return Err(Refused::new(
                    INVALID_PARAMS,
                    "the commands are `fairly.check` and `fairly.advise`",
                ));
            }
        }
        Ok(Value::Null)
    }

    /// A question about an open document.
    fn question(&self, method: &str, params: &Value) -> Result<Value, Refused> {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let open = self.documents.get(uri);
        let open =
            || open.ok_or_else(|| Refused::new(INVALID_PARAMS, format!("no document `{uri}` is open")));
        let byte = || -> Result<(&Open, usize), Refused> {
            let open = open()?;
            let byte = open.lines.byte(&open.text, &params["position"]);
            byte.map(|byte| (open, byte)).ok_or_else(|| Refused::new(INVALID_PARAMS, "no position is given"))
        };
        Ok(match method {
            "textDocument/documentSymbol" => answers::symbols(open()?),
            "textDocument/formatting" => answers::formatting(open()?),
            "textDocument/codeLens" => answers::lenses(open()?),
            "textDocument/semanticTokens/full" => answers::tokens(open()?),
            "textDocument/hover" => byte().map(|(open, byte)| answers::hover(open, byte))?,
            "textDocument/definition" => byte().map(|(open, byte)| answers::definition(open, byte))?,
            "textDocument/references" => {
                let declaration = params["context"]["includeDeclaration"].as_bool() == Some(true);
                byte().map(|(open, byte)| answers::references(open, byte, declaration))?
            }
            "textDocument/documentHighlight" => byte().map(|(open, byte)| answers::highlights(open, byte))?,
            "textDocument/completion" => byte().map(|(open, byte)| answers::completion(open, byte))?,
            "textDocument/prepareRename" => byte().map(|(open, byte)| answers::renamed(open, byte))?,
            "textDocument/rename" => {
                let (open, byte) = byte()?;
                let new = params["newName"].as_str().unwrap_or_default();
                answers::renaming(open, byte, new).map_err(|why| Refused::new(FAILED, why))?
            }
            "textDocument/codeAction" => {
                let open = open()?;
                let span = open.lines.span(&open.text, &params["range"]);
                answers::actions(open, span.ok_or_else(|| Refused::new(INVALID_PARAMS, "no range is given"))?)
            }
            _ => return Err(Refused::new(UNKNOWN_METHOD, format!("`{method}` is not known here"))),
        })
    }
}

fn send(message: &Value) -> io::Result<()> {
    rpc::write(&mut io::stdout().lock(), Framing::Header, message)
}

/// Does a job. Returns why nothing can be found out, if so.
fn work(
    job: &Job,
    document: &Document,
    session: &mut Session,
    cancel: &Cancel,
    bounds: Bounds,
    limits: &limits::Limits,
    done: &Done,
) -> Option<String> {
    let (start, solvers) = (Instant::now(), limits.solvers());
    let clock = || start.elapsed();
    let watch = Watch { clock: &clock, bounds, solvers: Some(&solvers), ..Watch::new(cancel) };
    // If nobody listens any more, the server has ended.
    let tell = |event: Event| drop(done.sender.send(event));
    let result = if job.advise {
        let mut each = |advice: &Advice| {
            tell(Event::Advised(done.uri.clone(), done.version.clone(), Box::new(advice.clone())));
        };
        session.advise(document, &job.properties, &watch, &mut each).map(drop)
    } else {
        let asked = Asked { properties: job.properties.clone(), ..Asked::default() };
        let mut each = |outcome: &Outcome| {
            if !cancel.is_cancelled() {
                tell(Event::Found(done.uri.clone(), done.version.clone(), Box::new(outcome.clone())));
            }
        };
        session.check(document, &asked, &watch, &mut each).map(drop)
    };
    result.err().map(|obstacle| obstacle.to_string())
}

/// Tells that a job has ended when it is dropped.
struct Done {
    sender: SyncSender<Event>,
    uri: String,
    version: Value,
    problem: Option<String>,
}

impl Drop for Done {
    fn drop(&mut self) {
        let (uri, version) = (std::mem::take(&mut self.uri), self.version.take());
        let _ = self.sender.send(Event::Done(uri, version, self.problem.take()));
    }
}

/// What the server can do.
fn capabilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 2, "save": true },
            "documentFormattingProvider": true,
            "documentSymbolProvider": true,
            "codeLensProvider": { "resolveProvider": false },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": { "prepareProvider": true },
            "completionProvider": { "triggerCharacters": ["@", "."] },
            "semanticTokensProvider": {
                "legend": { "tokenTypes": answers::TOKENS, "tokenModifiers": ["readonly"] },
                "full": true,
            },
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            "executeCommandProvider": { "commands": ["fairly.check", "fairly.advise"] },
        },
        "serverInfo": { "name": "fairly", "version": env!("CARGO_PKG_VERSION") },
    })
}
