//! Answers the connections of the page.
//!
//! | request | answer |
//! | --- | --- |
//! | `GET /` | the page |
//! | `GET /files` | the models of the folder, and which to show first |
//! | `GET /file?path=` | a text and its stamp |
//! | `PUT /file?path=&stamp=` | writes it, unless it has another stamp now: 409 |
//! | `POST /ask?tab=&path=` | the events of a request, one per line, as they come |
//! | `POST /cancel?tab=&kinds=` | ends work |
//! | `GET /events?tab=&path=&named=` | an event whenever the file, or one of those that it names (one per line), changes on disk |
//!
//! Each has the token as parameter, is sent to this host, and from this page or no page at all.

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::Duration;

use serde_json::json;
use wire::talk;

use super::desk::Desks;
use super::folder::{Folder, NotWritten};
use super::http::{self, Refused, Request};

/// The page, with all it needs.
const PAGE: &str = include_str!("../../page/built/page.html");

/// What stands in the page where the server writes a word of its own.
const NONCE: &str = "NONCE-OF-THE-SERVER";

/// At most so many connections at a time.
const CONNECTIONS: usize = 64;

/// The stack of a connection: expressions of a model are as deep as its author likes.
const STACK: usize = 256 << 20;

/// How often a silent connection is written to, to see whether it is still there.
const BEAT: Duration = Duration::from_millis(500);

/// How often it is looked whether work was cancelled.
const STEP: Duration = Duration::from_millis(50);

/// How long work that was cancelled may take to end before the page is told so.
const LAST: Duration = Duration::from_millis(350);

/// How often a file is looked at.
const LOOK: Duration = Duration::from_millis(200);

const JSON: &str = "application/json";

/// What all connections share.
pub(super) struct Server {
    pub(super) folder: Arc<Folder>,
    pub(super) token: String,
    pub(super) port: u16,
    pub(super) desks: Desks,
}

/// Answers connections for ever.
pub(super) fn accept(listener: &TcpListener, server: &Arc<Server>) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming().flatten() {
        if open.load(Ordering::Relaxed) >= CONNECTIONS {
            let _ =
                http::respond(&stream, "503 Service Unavailable", "text/plain", "", "too many connections\n");
            continue;
        }
        open.fetch_add(1, Ordering::Relaxed);
        let (own, server) = (Arc::clone(&open), Arc::clone(server));
        let connection = thread::Builder::new().stack_size(STACK).spawn(move || {
            let _closed = Closed(own);
            // A connection that breaks concerns nobody else.
            let _ = server.connection(&stream);
        });
        if connection.is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Counts a connection as closed when it is dropped, also by a panic.
struct Closed(Arc<AtomicUsize>);

impl Drop for Closed {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Server {
    fn connection(&self, stream: &TcpStream) -> io::Result<()> {
        let plain = |status: &str, text: &str| http::respond(stream, status, "text/plain", "", text);
        let refused = |refused: Refused| match refused {
            Refused::Wrong(status) => http::refuse(stream, status, "this is no request\n"),
            Refused::Gone => Ok(()),
        };
        let mut request = match Request::read(stream) {
            Ok(request) => request,
            Err(why) => return refused(why),
        };
        // What a stranger has to say is not even read.
        if let Some(why) = self.why_refused(&request) {
            return http::refuse(stream, "403 Forbidden", why);
        }
        let body = match request.body(stream) {
            Ok(body) => body,
            Err(why) => return refused(why),
        };
        let path = request.parameter("path").unwrap_or_default();
        let tab = request.parameter("tab").unwrap_or_default();
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/") => page(stream),
            ("GET", "/files") => {
                let settings = &self.desks.settings;
                let files = json!({ "folder": self.folder.name(), "first": self.folder.first(),
                    "models": self.folder.models(), "settings": settings });
                http::respond(stream, "200 OK", JSON, "", &files.to_string())
            }
            ("GET", "/file") => match self.folder.read(path) {
                Ok((text, stamp)) => http::respond(
                    stream,
                    "200 OK",
                    JSON,
                    "",
                    &json!({ "text": text, "stamp": stamp }).to_string(),
                ),
                Err(message) => plain("404 Not Found", &message),
            },
            ("PUT", "/file") => {
                let seen = request.parameter("stamp").unwrap_or_default();
                match self.folder.write(path, &body, seen) {
                    Ok(stamp) => {
                        http::respond(stream, "200 OK", JSON, "", &json!({ "stamp": stamp }).to_string())
                    }
                    Err(NotWritten::Changed) => plain("409 Conflict", "the file has changed on disk"),
                    Err(NotWritten::Failed(message)) => plain("400 Bad Request", &message),
                }
            }
            ("POST", "/ask") => self.ask(stream, &body, tab, path),
            ("POST", "/cancel") => {
                let kinds: Vec<&str> = request.parameter("kinds").unwrap_or_default().split(',').collect();
                self.desks.cancel(tab, &kinds);
                http::respond(stream, "200 OK", JSON, "", "{}")
            }
            ("GET", "/events") => {
                let named: Vec<&str> = request.parameter("named").unwrap_or_default().lines().collect();
                let _listening = self.desks.listen(tab);
                self.events(stream, path, &named)
            }
            _ => plain("404 Not Found", "there is nothing here\n"),
        }
    }

    /// Why a request is refused: its host, its origin or its token.
    fn why_refused(&self, request: &Request) -> Option<&'static str> {
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        // A site that lets its name point here is sent here with its own name.
        if !request.header("host").is_some_and(|host| hosts.iter().any(|own| own == host)) {
            return Some("this is another host\n");
        }
        let own = |origin: &str| hosts.iter().any(|host| origin.strip_prefix("http://") == Some(host));
        if request.header("origin").is_some_and(|origin| !own(origin)) {
            return Some("requests of other sites are not answered\n");
        }
        let token = request.parameter("token").unwrap_or_default();
        // All bytes are compared, so that the time says nothing.
        let same = token.len() == self.token.len()
            && token.bytes().zip(self.token.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0;
        (!same).then_some("the token is missing; use the address that `fairly explore` shows\n")
    }

    /// Writes the events of a request as they come. If the page goes away, the work ends.
    fn ask(&self, mut stream: &TcpStream, body: &str, tab: &str, path: &str) -> io::Result<()> {
        let asked = match talk::Request::read(body) {
            Ok(asked) => asked,
            Err(message) => return http::respond(stream, "400 Bad Request", "text/plain", "", &message),
        };
        let (folder, model) = (Arc::clone(&self.folder), path.to_owned());
        let files = move |file: &str| folder.beside(&model, file);
        http::begin(stream, "application/x-ndjson")?;
        let (events, cancel) = self.desks.answer(tab, asked, Box::new(files))?;
        let (mut silent, mut cancelled) = (Duration::ZERO, Duration::ZERO);
        loop {
            let line = match events.recv_timeout(STEP) {
                Ok(event) => event,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {
                    silent += STEP;
                    cancelled += if cancel.is_cancelled() { STEP } else { Duration::ZERO };
                    if cancelled >= LAST {
                        // What does not end when it is told to is left to itself.
                        return writeln!(stream, "{}", talk::failed("It was cancelled."));
                    }
                    if silent < BEAT {
                        continue;
                    }
                    silent = Duration::ZERO;
                    // An empty line means nothing; it fails if the page has gone away.
                    String::new()
                }
            };
            if let Err(gone) = writeln!(stream, "{line}").and_then(|()| stream.flush()) {
                cancel.cancel();
                return Err(gone);
            }
        }
    }

    /// Tells when a file changes, until the page goes away.
    fn events(&self, mut stream: &TcpStream, path: &str, named: &[&str]) -> io::Result<()> {
        http::begin(stream, "text/event-stream")?;
        let others = || named.iter().map(|file| self.folder.stamp_beside(path, file)).collect::<Vec<_>>();
        let look = || (self.folder.stamp(path), others());
        let mut seen = look();
        let mut silent = Duration::ZERO;
        loop {
            thread::sleep(LOOK);
            silent += LOOK;
            let now = look();
            if now != seen {
                let event = json!({ "path": path, "exists": !now.0.is_empty(), "stamp": now.0 });
                write!(stream, "data: {event}\n\n")?;
                seen = now;
                silent = Duration::ZERO;
            } else if silent >= BEAT {
                write!(stream, ":\n\n")?;
                silent = Duration::ZERO;
            }
            stream.flush()?;
        }
    }
}

/// The page, which may run the one script in it and talk to this server, and nothing else.
fn page(stream: &TcpStream) -> io::Result<()> {
    let nonce = super::random_token();
    let policy = format!(
        "Content-Security-Policy: default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; \
         img-src data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'\r\n"
    );
    http::respond(stream, "200 OK", "text/html", &policy, &PAGE.replace(NONCE, &nonce))
}
