//! A headless Chromium, driven over its debugging pipe: pages are opened, scripts evaluated, keys pressed, pictures taken.
//!
//! The browser is the one named by `CHROMIUM`, or the one on the path. All tests of a program share it, and each has a page
//! of its own. It reads commands from its file descriptor 3 and writes answers to 4; a shell connects these with our pipes,
//! and it ends when they are closed, with the program. Messages end with a zero byte.

pub(crate) mod page;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// The browser of this program; `None` if there is none.
static SHARED: OnceLock<Option<Chromium>> = OnceLock::new();

/// A running browser.
struct Chromium {
    input: Mutex<ChildStdin>,
    last: AtomicU64,
    /// Who waits for messages: pages by their sessions, and under the empty name who asks the browser itself.
    listeners: Arc<Mutex<BTreeMap<String, Sender<Value>>>>,
}

impl Chromium {
    fn start() -> Option<Chromium> {
        let program = std::env::var("CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
        let found =
            Command::new(&program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            eprintln!(
                "no browser: {program} does not start, so this is not tested in one; name one by CHROMIUM"
            );
            return None;
        }
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", &program])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
                "--no-first-run",
                "--disable-background-networking",
                "--allow-file-access-from-files",
                "--hide-scrollbars",
                // Several pages are in front at once.
                "--disable-background-timer-throttling",
                "--disable-renderer-backgrounding",
                "--disable-backgrounding-occluded-windows",
            ])
            .arg(format!("--user-data-dir={}", profile().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let input = Mutex::new(process.stdin.take().expect("a pipe"));
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let listeners: Arc<Mutex<BTreeMap<String, Sender<Value>>>> = Arc::default();
        let known = Arc::clone(&listeners);
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while output.read_until(0, &mut bytes).is_ok_and(|length| length > 0) {
                bytes.pop();
                let Ok(message) = serde_json::from_slice::<Value>(&bytes) else { break };
                let session = message["sessionId"].as_str().unwrap_or_default();
                if let Some(listener) = known.lock().expect("no panic").get(session) {
                    // A page that is gone needs no messages.
                    let _ = listener.send(message);
                }
                bytes.clear();
            }
            let _ = process.wait();
        });
        Some(Chromium { input, last: AtomicU64::new(0), listeners })
    }

    /// Sends a call of a method of the debugging protocol, and returns its number.
    fn send(&self, session: &str, method: &str, parameters: &Value) -> u64 {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let mut message = json!({ "id": number, "method": method, "params": parameters });
        if !session.is_empty() {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.input.lock().expect("no panic").write_all(&bytes).expect("the browser listens");
        number
    }

    fn listen(&self, session: &str) -> Receiver<Value> {
        let (sender, messages) = channel();
        self.listeners.lock().expect("no panic").insert(session.to_owned(), sender);
        messages
    }

    /// Asks the browser itself; one at a time.
    fn ask(&self, method: &str, parameters: &Value) -> Value {
        static ONE: Mutex<()> = Mutex::new(());
        // A test that gets no answer fails alone.
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let messages = self.listen("");
        let number = self.send("", method, parameters);
        loop {
            let answer = messages.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            if answer["id"] == number {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }
}

/// A folder for what the browser keeps. Those of programs that have ended are removed.
fn profile() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.strip_prefix("browser-").is_some_and(|owner| !Path::new("/proc").join(owner).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    folder.join(format!("browser-{}", std::process::id()))
}

/// A page.
pub(crate) struct Browser {
    chromium: &'static Chromium,
    target: Value,
    session: String,
    messages: Receiver<Value>,
    /// What the page complained about.
    pub(crate) complaints: Vec<String>,
}

impl Browser {
    /// Opens an empty page of this width and height. `None`, with a word, if there is no browser.
    pub(crate) fn start(width: u32, height: u32) -> Option<Browser> {
        let chromium = SHARED.get_or_init(Chromium::start).as_ref()?;
        let place = json!({ "url": "about:blank", "newWindow": true, "width": width, "height": height });
        let target = chromium.ask("Target.createTarget", &place)["targetId"].clone();
        let attached = chromium.ask("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }));
        let session = attached["sessionId"].as_str().expect("a session").to_owned();
        let messages = chromium.listen(&session);
        let mut browser = Browser { chromium, target, session, messages, complaints: Vec::new() };
        browser.call("Page.enable", &json!({}));
        browser.call("Runtime.enable", &json!({}));
        browser.call("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }));
        browser.size(width, height);
        Some(browser)
    }

    /// Sets the size of the page.
    pub(crate) fn size(&mut self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Makes the page light or dark.
    pub(crate) fn colours(&mut self, scheme: &str) {
        let feature = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", &feature);
    }

    /// Calls a method of the debugging protocol.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        let number = self.chromium.send(&self.session, method, parameters);
        let begin = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(begin.elapsed());
            let answer = self.messages.recv_timeout(left).unwrap_or_else(|_| panic!("no answer to {method}"));
            if answer["id"] == number {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            match answer["method"].as_str() {
                // A page asks before a text that is not saved is left.
                Some("Page.javascriptDialogOpening") => {
                    self.chromium.send(
                        &self.session,
                        "Page.handleJavaScriptDialog",
                        &json!({ "accept": true }),
                    );
                }
                Some("Runtime.exceptionThrown") => {
                    self.complaints.push(answer["params"]["exceptionDetails"].to_string());
                }
                Some("Runtime.consoleAPICalled") if answer["params"]["type"] == "error" => {
                    self.complaints.push(answer["params"]["args"].to_string());
                }
                _ => {}
            }
        }
    }

    /// Opens an address.
    pub(crate) fn open(&mut self, address: &str) {
        self.call("Page.navigate", &json!({ "url": address }));
        self.wait("document.readyState === 'complete'");
    }

    /// The value of an expression in the page; promises are awaited.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", &parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// A text of the page; empty if the element is not there.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let script = format!("document.querySelector({})?.textContent ?? ''", json!(selector));
        self.value(&script).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true, and says how long it took.
    pub(crate) fn wait(&mut self, expression: &str) -> Duration {
        let begin = Instant::now();
        while self.value(&format!("Boolean({expression})")) != true {
            if begin.elapsed() > PATIENCE {
                let body = self.value("document.body.innerText");
                panic!("never true: {expression}\n{body}\n{:?}", self.complaints);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        begin.elapsed()
    }

    /// Clicks on an element as soon as it is there. Looking and clicking are one expression, because the page may draw
    /// itself anew between two.
    pub(crate) fn click(&mut self, selector: &str) {
        let found = format!("document.querySelector({})", json!(selector));
        self.wait(&format!("(it => it && (it.click(), true))({found})"));
    }

    /// Presses and releases the mouse at a place of the page.
    pub(crate) fn point(&mut self, x: f64, y: f64) {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let code = match key {
                "ArrowDown" => 40,
                "ArrowUp" => 38,
                "ArrowLeft" => 37,
                "ArrowRight" => 39,
                "Enter" => 13,
                "Escape" => 27,
                "Tab" => 9,
                "Backspace" => 8,
                "Home" => 36,
                "End" => 35,
                _ => 0,
            };
            let mut event = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && key == "Enter" {
                event["text"] = json!("\r");
            } else if kind == "keyDown" && key.chars().count() == 1 {
                event["text"] = json!(key);
            }
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// Types a text.
    pub(crate) fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Takes a picture of the page.
    pub(crate) fn picture(&mut self, file: &Path) {
        let shot = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        fs::write(file, decoded(shot["data"].as_str().unwrap_or_default())).expect("a picture is written");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.chromium.listeners.lock().expect("no panic").remove(&self.session);
        self.chromium.send("", "Target.closeTarget", &json!({ "targetId": self.target }));
    }
}

/// Base64 as bytes.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for symbol in text.bytes() {
        let value = match symbol {
            b'A'..=b'Z' => symbol - b'A',
            b'a'..=b'z' => symbol - b'a' + 26,
            b'0'..=b'9' => symbol - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
