//! `fairly explore` as its server: who is answered and who is not, and what happens when things go wrong.
//!
//! Requests are written by hand, because half of them are none that a good client would send.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::browser::page::LARGE;
use crate::serve::explorer::Served;

const LOCK: &str = "shared free: bool = true;
process P[i: 1..2] { loop { rest: stay; enter: request free; leave: release free; } }
property enters: G (P[1]@enter -> F P[1]@leave) under weak P;
";

/// Serves a folder with these files.
fn serve(name: &str, files: &[(&str, &str)]) -> Served {
    Served::folder(&format!("server/{name}"), files, None)
}

impl Served {
    fn port(&self) -> u16 {
        let (host, _) = self.address.split_once("/?token=").expect("a token");
        host.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port")
    }

    fn token(&self) -> &str {
        self.address.split_once("/?token=").expect("a token").1
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port())).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a time limit");
        stream
    }

    /// Sends bytes and returns all that comes back.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn request(&self, method: &str, target: &str, body: &str) -> String {
        let mark = if target.contains('?') { '&' } else { '?' };
        format!(
            "{method} {target}{mark}token={} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n\r\n{body}",
            self.token(),
            self.port(),
            body.len()
        )
    }

    /// The status line and the body of an answer.
    fn send(&self, method: &str, target: &str, body: &str) -> (String, String) {
        let answer = self.raw(self.request(method, target, body).as_bytes());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        (head.lines().next().unwrap_or_default().to_owned(), body.to_owned())
    }

    /// All events of a request.
    fn ask(&self, tab: &str, request: &Value) -> Vec<Value> {
        let (status, body) =
            self.send("POST", &format!("/ask?tab={tab}&path=lock.fair"), &request.to_string());
        assert_eq!(status, "HTTP/1.1 200 OK", "{body}");
        let lines = body.lines().filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_str(line).expect("an event")).collect()
    }
}

#[test]
fn only_the_page_itself_is_answered() {
    let served = serve("strangers", &[("lock.fair", LOCK)]);
    let good = served.request("GET", "/", "");
    assert!(served.raw(good.as_bytes()).starts_with("HTTP/1.1 200"));
    let host = format!("Host: 127.0.0.1:{}", served.port());
    let strangers = [
        good.replace(served.token(), ""),
        good.replace(served.token(), &"0".repeat(served.token().len())),
        good.replace("?token=", "?no="),
        good.replace(&host, "Host: evil.example"),
        good.replace(&host, &format!("Host: evil.example:{}", served.port())),
        good.replace(&format!("{host}\r\n"), ""),
        good.replace(&host, &format!("{host}\r\nOrigin: https://evil.example")),
        good.replace(&host, &format!("{host}\r\nOrigin: null")),
        good.replace(&host, &format!("{host}\r\nOrigin: http://127.0.0.1:{}", served.port() ^ 1)),
    ];
    for stranger in &strangers {
        let answer = served.raw(stranger.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 403"), "{stranger}\n{answer}");
        assert!(!answer.contains("<script"), "the page was given away");
    }
    let own = good.replace(&host, &format!("{host}\r\nOrigin: http://127.0.0.1:{}", served.port()));
    assert!(served.raw(own.as_bytes()).starts_with("HTTP/1.1 200"));
    let page = served.raw(good.as_bytes());
    for header in ["Content-Security-Policy: default-src 'none'", "X-Frame-Options: DENY", "no-referrer"] {
        assert!(page.contains(header), "{header} is missing");
    }
}

#[test]
fn nothing_outside_the_folder_is_read_or_written() {
    let served = serve("outside/inside", &[("lock.fair", LOCK)]);
    let secret = served.folder.parent().expect("a folder").join("secret.fair");
    fs::write(&secret, "secret").expect("a file");
    for path in
        ["../secret.fair", "..%2Fsecret.fair", "%2e%2e/secret.fair", "a/../../secret.fair", "/etc/passwd", ""]
    {
        let (status, body) = served.send("GET", &format!("/file?path={path}"), "");
        assert!(
            status.contains("404") && !body.contains("secret\n") && !body.contains("root:"),
            "{path}: {body}"
        );
        let (status, _) = served.send("PUT", &format!("/file?path={path}&stamp="), "mine");
        assert!(status.contains("400") || status.contains("409"), "{path}: {status}");
    }
    assert_eq!(fs::read_to_string(&secret).expect("a text"), "secret");
    // An automaton that a model names is a file, too.
    let text =
        "process P { loop { a: skip; } } property p: never automaton \"../secret.fair\" with q = true;";
    let events = served.ask("a", &json!({ "kind": "open", "text": text }));
    let message = events[0]["diagnostics"][0].to_string();
    assert!(message.contains("outside the folder"), "{message}");
}

#[test]
fn garbage_and_half_requests_are_refused_and_the_next_is_answered() {
    let served = serve("garbage", &[("lock.fair", LOCK)]);
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(40_000));
    let huge =
        served.request("POST", "/ask?tab=a", "").replace("Content-Length: 0", "Content-Length: 99999999999");
    let odd = served.request("POST", "/ask?tab=a", "").replace("Content-Length: 0", "Content-Length: -1");
    for garbage in [
        "\r\n\r\n",
        "\u{0}\u{1}\u{2}\r\n\r\n",
        "GET\r\n\r\n",
        "hello",
        &long,
        &huge,
        &odd,
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
    ] {
        let mut stream = served.connect();
        let _ = stream.write_all(garbage.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{garbage:.40}: {answer}");
    }
    let (status, body) = served.send("POST", "/ask?tab=a", "{\"kind\": \"rule the world\"}");
    assert!(status.contains("400") && body.starts_with("this is no request"), "{status} {body}");
    // Half a body, and then nothing.
    let mut stream = served.connect();
    let request = served.request("POST", "/ask?tab=a", LOCK);
    stream.write_all(&request.as_bytes()[..request.len() - 40]).expect("it listens");
    drop(stream);
    assert!(served.send("GET", "/files", "").0.contains("200"));
    let (status, _) = served.send("GET", "/nothing", "");
    assert!(status.contains("404"), "{status}");
}

#[test]
fn a_model_is_checked_and_a_large_check_is_cancelled_at_once() {
    let served = serve("cancel", &[("lock.fair", LOCK)]);
    let events = served.ask("a", &json!({ "kind": "check", "text": LOCK }));
    assert_eq!(events[0]["result"]["verdict"], "fails");
    let mut stream = served.connect();
    let body = json!({ "kind": "check", "text": LARGE }).to_string();
    stream.write_all(served.request("POST", "/ask?tab=a&path=", &body).as_bytes()).expect("it listens");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("\"progress\"")), "progress is told");
    // What takes a moment is answered meanwhile.
    let begin = Instant::now();
    let opened = served.ask("a", &json!({ "kind": "open", "text": LOCK }));
    assert_eq!(opened[0]["event"], "opened");
    eprintln!("opened during a large check: {:?}", begin.elapsed());
    let begin = Instant::now();
    assert!(served.send("POST", "/cancel?tab=a&kinds=check", "").0.contains("200"));
    let rest: Vec<String> = lines.collect();
    eprintln!("cancelled: {:?}", begin.elapsed());
    assert!(rest.iter().any(|line| line.contains("\"verdict\":\"unknown\"")), "{rest:?}");
}

#[test]
fn a_browser_that_goes_away_ends_its_work_and_no_other() {
    let served = serve("gone", &[("lock.fair", LOCK)]);
    let body = json!({ "kind": "check", "text": LARGE }).to_string();
    let mut stream = served.connect();
    stream.write_all(served.request("POST", "/ask?tab=a&path=", &body).as_bytes()).expect("it listens");
    let mut first = [0; 300];
    let _ = stream.read(&mut first);
    drop(stream);
    // The worker of the tab is free again soon: otherwise this would wait for minutes, longer than the client does.
    let events = served.ask("a", &json!({ "kind": "graph", "text": LOCK, "limit": 100, "property": null }));
    assert_eq!(events[0]["event"], "graph");
    // Another tab is not disturbed by a check of the first.
    let mut stream = served.connect();
    stream.write_all(served.request("POST", "/ask?tab=a&path=", &body).as_bytes()).expect("it listens");
    let _ = stream.read(&mut first);
    let events = served.ask("b", &json!({ "kind": "check", "text": LOCK }));
    assert_eq!(events[0]["result"]["verdict"], "fails");
}

#[test]
fn two_tabs_cannot_overwrite_each_other_and_a_file_may_vanish() {
    let served = serve("tabs", &[("lock.fair", LOCK)]);
    let read = || -> Value {
        let (status, body) = served.send("GET", "/file?path=lock.fair", "");
        assert!(status.contains("200"), "{status}");
        serde_json::from_str(&body).expect("JSON")
    };
    let seen = read()["stamp"].as_str().expect("a stamp").to_owned();
    let events = served.request("GET", "/events?tab=a&path=lock.fair", "");
    let mut stream = served.connect();
    stream.write_all(events.as_bytes()).expect("it listens");
    let mut events =
        BufReader::new(stream).lines().map_while(Result::ok).filter(|line| line.starts_with("data:"));
    std::thread::sleep(Duration::from_millis(300));
    let (status, body) = served.send("PUT", &format!("/file?path=lock.fair&stamp={seen}"), "// one\n");
    assert!(status.contains("200"), "{status} {body}");
    let event = events.next().expect("a change is told");
    assert!(event.contains("\"exists\":true"), "{event}");
    let (status, _) = served.send("PUT", &format!("/file?path=lock.fair&stamp={seen}"), "// two\n");
    assert!(status.contains("409"), "{status}");
    assert_eq!(read()["text"], "// one\n");
    fs::remove_file(served.folder.join("lock.fair")).expect("it is there");
    let event = events.next().expect("a change is told");
    assert!(event.contains("\"exists\":false"), "{event}");
    assert!(served.send("GET", "/file?path=lock.fair", "").0.contains("404"));
    // A file that the model names counts, too, unless it lies outside.
    let mut stream = served.connect();
    let named = served.request("GET", "/events?tab=b&path=lock.fair&named=..%2Fout.hoa%0Adeep%2Fa.hoa", "");
    stream.write_all(named.as_bytes()).expect("it listens");
    std::thread::sleep(Duration::from_millis(300));
    fs::create_dir_all(served.folder.join("deep")).expect("a folder");
    fs::write(served.folder.join("deep/a.hoa"), "HOA: v1").expect("a file");
    let mut told = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(told.any(|line| line.starts_with("data:")), "a change is told");
    assert!(served.send("PUT", "/file?path=lock.fair&stamp=", "// three\n").0.contains("200"));
    assert_eq!(read()["text"], "// three\n");
}

#[test]
fn a_model_of_ten_megabytes_is_read_and_served() {
    let line = "// A comment that says nothing at all, again and again.\n";
    let text = format!("{}{LOCK}", line.repeat(10 * 1024 * 1024 / line.len()));
    let served = serve("large", &[("large.fair", &text)]);
    let (status, body) = served.send("GET", "/file?path=large.fair", "");
    assert!(status.contains("200") && body.len() > text.len());
    let events = served.ask("a", &json!({ "kind": "check", "text": text }));
    assert_eq!(events[0]["result"]["verdict"], "fails");
    // More than that is refused in words, whoever sends it, and the server goes on.
    let too_long = "x".repeat(50 << 20);
    for (method, target) in [("POST", "/ask?tab=a&path=large.fair"), ("PUT", "/file?path=large.fair&stamp=")]
    {
        let (status, body) = served.send(method, target, &too_long);
        assert_eq!(
            (status.as_str(), body.as_str()),
            ("HTTP/1.1 413 Content Too Large", "this is no request\n")
        );
    }
    let stranger = served.request("POST", "/ask?tab=a", &too_long).replace(served.token(), "none");
    assert!(served.raw(stranger.as_bytes()).starts_with("HTTP/1.1 403"));
    assert_eq!(fs::read_to_string(served.folder.join("large.fair")).expect("a text"), text);
    let events = served.ask("a", &json!({ "kind": "check", "text": LOCK }));
    assert_eq!(events[0]["result"]["verdict"], "fails");
}

#[test]
fn a_port_in_use_and_a_folder_that_is_not_there_are_told() {
    let served = serve("port", &[("lock.fair", LOCK)]);
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_fairly")).arg("explore").args(arguments).output();
        let output = output.expect("the command runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, message) =
        run(&["--no-open", "--port", &served.port().to_string(), served.folder.to_str().expect("a path")]);
    assert_eq!(code, Some(2));
    assert!(message.contains(&format!("cannot listen on port {}", served.port())), "{message}");
    assert!(message.contains("without --port a free one is taken"), "{message}");
    let (code, message) = run(&["--no-open", "nowhere/at/all"]);
    assert_eq!((code, message.contains("cannot open nowhere/at/all")), (Some(2), true), "{message}");
}

#[test]
fn the_page_is_built_from_its_sources() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    if !folder.join("node_modules/esbuild").exists() {
        eprintln!(
            "whether the page is up to date is not tested: `npm ci` in crates/cli/page installs what that needs"
        );
        return;
    }
    let output = Command::new("node").arg("build.mjs").arg("--check").current_dir(folder).output();
    let Ok(output) = output else {
        return eprintln!("whether the page is up to date is not tested: no node");
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
