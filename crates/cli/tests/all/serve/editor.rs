//! An editor that speaks to the language server, by a script.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Client, Framing};

pub(crate) const URI: &str = "file:///tmp/lock.fair";

pub(crate) struct Editor {
    pub(crate) client: Client,
    pub(crate) requests: u64,
    /// What came in the meantime.
    pub(crate) notifications: Vec<Value>,
}

impl Editor {
    pub(crate) fn start(arguments: &[&str]) -> Editor {
        let mut all = vec!["lsp"];
        all.extend(arguments);
        let mut editor =
            Editor { client: Client::start(&all, Framing::Header), requests: 0, notifications: Vec::new() };
        let capabilities = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
        let answer = editor.ask("initialize", &json!({ "capabilities": capabilities }));
        assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
        editor.tell("initialized", &json!({}));
        editor
    }

    pub(crate) fn tell(&mut self, method: &str, params: &Value) {
        self.client.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The whole answer to a request.
    pub(crate) fn answer(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.client.receive();
            if message["id"] == json!(id) {
                return message;
            }
            self.notifications.push(message);
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    pub(crate) fn open(&mut self, text: &str) {
        let document = json!({ "uri": URI, "languageId": "fair", "version": 1, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    pub(crate) fn change(&mut self, version: u64, changes: &Value) {
        let document = json!({ "uri": URI, "version": version });
        self.tell("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// A question about the document.
    pub(crate) fn question(&mut self, method: &str, more: &Value) -> Value {
        let mut params = json!({ "textDocument": { "uri": URI } });
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        self.ask(&format!("textDocument/{method}"), &params)
    }

    /// The next diagnostics, of any version, that satisfy a condition.
    pub(crate) fn diagnostics(&mut self, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let mut waiting = std::mem::take(&mut self.notifications);
        waiting.reverse();
        loop {
            let message = waiting.pop().unwrap_or_else(|| self.client.receive());
            if message["method"] != "textDocument/publishDiagnostics" {
                continue;
            }
            let found = message["params"]["diagnostics"].as_array().cloned().unwrap_or_default();
            if wanted(&found) {
                waiting.reverse();
                self.notifications = waiting;
                return found;
            }
        }
    }

    /// The titles of the lenses, once they satisfy a condition.
    pub(crate) fn lenses(&mut self, wanted: impl Fn(&[String]) -> bool) -> Vec<String> {
        let begun = Instant::now();
        loop {
            let lenses = self.question("codeLens", &json!({}));
            let titles: Vec<String> = lenses
                .as_array()
                .into_iter()
                .flatten()
                .map(|lens| lens["command"]["title"].as_str().unwrap_or_default().to_owned())
                .collect();
            if wanted(&titles) {
                return titles;
            }
            assert!(begun.elapsed() < Duration::from_mins(1), "{titles:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn finish(mut self) {
        assert_eq!(self.ask("shutdown", &Value::Null), Value::Null);
        self.tell("exit", &Value::Null);
        assert_eq!(self.client.exit(), Some(0));
    }
}

/// The position of a text, in UTF-16, computed in another way than the server does.
pub(crate) fn position(text: &str, of: &str) -> Value {
    let byte = text.find(of).unwrap_or_else(|| panic!("`{of}`"));
    let line = text[..byte].matches('\n').count();
    let before = text[..byte].rsplit('\n').next().unwrap_or_default();
    json!({ "line": line, "character": before.encode_utf16().count() })
}

pub(crate) fn at(text: &str, of: &str) -> Value {
    json!({ "position": position(text, of) })
}

/// The text that a range stands for.
pub(crate) fn slice<'t>(text: &'t str, range: &Value) -> &'t str {
    let byte = |position: &Value| {
        let line = position["line"].as_u64().expect("a line") as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let units = position["character"].as_u64().expect("a character") as usize;
        let mut seen = 0;
        let rest = text[start..].char_indices();
        let found = rest.take_while(|(_, letter)| {
            let before = seen < units;
            seen += letter.len_utf16();
            before
        });
        found.last().map_or(start, |(at, letter)| start + at + letter.len_utf8())
    };
    &text[byte(&range["start"])..byte(&range["end"])]
}
