//! A headless Chromium, driven over its debugging pipe: pages are opened, scripts evaluated, keys pressed, pictures taken.
//!
//! The browser is the one named by `CHROMIUM`, or the one on the path. It reads commands from its file descriptor 3 and
//! writes answers to 4; a shell connects these with our pipes. Messages end with a zero byte.
#![allow(dead_code)] // each test uses a part

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// The number of browsers so far.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A browser with one page.
pub(crate) struct Browser {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// What the page complained about.
    pub(crate) complaints: Vec<String>,
    profile: PathBuf,
}

impl Browser {
    /// Starts a browser with an empty page of this width and height. `None`, with a word, if there is none.
    pub(crate) fn start(width: u32, height: u32) -> Option<Browser> {
        let program = std::env::var("CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
        let found =
            Command::new(&program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            eprintln!(
                "no browser: {program} does not start, so this is not tested in one; name one by CHROMIUM"
            );
            return None;
        }
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let profile =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("browser-{}-{number}", std::process::id()));
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", &program])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
                "--no-first-run",
            ])
            .args(["--disable-background-networking", "--allow-file-access-from-files", "--hide-scrollbars"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("--window-size={width},{height}"))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let input = process.stdin.take().expect("a pipe");
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while output.read_until(0, &mut bytes).is_ok_and(|length| length > 0) {
                bytes.pop();
                let Ok(message) = serde_json::from_slice(&bytes) else { break };
                if sender.send(message).is_err() {
                    break;
                }
                bytes.clear();
            }
        });
        let mut browser =
            Browser { process, input, messages, session: None, last: 0, complaints: Vec::new(), profile };
        let targets = browser.call("Target.getTargets", &json!({}));
        let page =
            targets["targetInfos"].as_array().and_then(|all| all.iter().find(|it| it["type"] == "page"));
        let id = match page {
            Some(page) => page["targetId"].clone(),
            None => browser.call("Target.createTarget", &json!({ "url": "about:blank" }))["targetId"].clone(),
        };
        let attached = browser.call("Target.attachToTarget", &json!({ "targetId": id, "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        browser.call("Page.enable", &json!({}));
        browser.call("Runtime.enable", &json!({}));
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

    /// Sends a call of a method of the debugging protocol, and returns its number.
    fn send(&mut self, method: &str, parameters: &Value) -> u64 {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.input.write_all(&bytes).expect("the browser listens");
        self.last
    }

    /// Calls a method of the debugging protocol.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        let number = self.send(method, parameters);
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
                    self.send("Page.handleJavaScriptDialog", &json!({ "accept": true }));
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

    /// Clicks on an element.
    pub(crate) fn click(&mut self, selector: &str) {
        self.wait(&format!("document.querySelector({})", json!(selector)));
        self.value(&format!("document.querySelector({}).click()", json!(selector)));
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
            if kind == "keyDown" && key.chars().count() == 1 {
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
        std::fs::write(file, decoded(shot["data"].as_str().unwrap_or_default()))
            .expect("a picture is written");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
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
