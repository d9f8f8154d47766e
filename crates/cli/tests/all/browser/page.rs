//! The page of `fairly explore` in a browser: what every test does with it.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::Browser;
use crate::serve::explorer::Served;

/// A model that takes every engine a while.
pub(crate) const LARGE: &str = "shared a: array[1..7] of 0..9;
shared b: 0..9999;
process P[i: 1..7] { loop { up: atomic { b = (b * a[i] + 17 * b + a[i] * a[i] + i) % 10000; a[i] = (a[i] + b) % 10; } } }
property never: G F (sum(i in 1..7: a[i]) == 63 && b == 4711) under global;
";

pub(crate) const LOCK: &str = "shared free: bool = true;
process P[i: 1..2] {
    loop {
        rest:  stay;
        enter: request free;
        leave: release free;
    }
}
invariant mutex: !(P[1]@leave && P[2]@leave);
property enters: G (P[1]@enter -> F P[1]@leave) under weak P;
";

/// The page has nothing to do.
pub(crate) const IDLE: &str = "document.querySelector('#answers')?.ariaBusy === 'false'";

impl Served {
    /// A page with what is served, when it has nothing more to do. `None` without a browser.
    pub(crate) fn page(&self) -> Option<Browser> {
        let mut browser = Browser::start(1400, 900)?;
        browser.open(&self.address);
        browser.wait(IDLE);
        Some(browser)
    }
}

/// A page with a model, checked. `None` without a browser.
pub(crate) fn page(name: &str, text: &str) -> Option<(Browser, Served)> {
    let served = Served::start(name, text);
    served.page().map(|browser| (browser, served))
}

/// What the command says of the model, as JSON.
pub(crate) fn told(served: &Served) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(["check", "--format", "json"])
        .arg(&served.file)
        .output();
    serde_json::from_slice(&output.expect("the command runs").stdout).expect("JSON")
}

/// Puts the cursor of the editor behind a text that stands in one line, with the mouse. Colours divide the line into many
/// pieces.
pub(crate) fn put_cursor_at(browser: &mut Browser, text: &str) {
    let place = browser.value(&format!(
        "(() => {{ for (const line of document.querySelectorAll('.cm-line')) {{ \
         let at = line.textContent.indexOf({0}); if (at < 0) continue; at += {0}.length; \
         line.scrollIntoView({{ block: 'nearest' }}); \
         const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT); let node; \
         while ((node = walker.nextNode())) {{ if (at <= node.length) {{ const range = document.createRange(); \
         range.setStart(node, at - 1); range.setEnd(node, at); const box = range.getBoundingClientRect(); \
         return [box.right - 1, (box.top + box.bottom) / 2]; }} at -= node.length; }} }} return null; }})()",
        json!(text)
    ));
    let (Some(x), Some(y)) = (place[0].as_f64(), place[1].as_f64()) else {
        panic!("{text} is not in the editor")
    };
    browser.point(x, y);
}

/// Replaces the text in the editor, as a person does: everything is selected by a key, and then something is typed.
pub(crate) fn write(browser: &mut Browser, text: &str) {
    browser.value("document.querySelector('.cm-content').focus()");
    for kind in ["rawKeyDown", "keyUp"] {
        let control = 2;
        let key = json!({ "type": kind, "key": "a", "code": "KeyA", "windowsVirtualKeyCode": 65, "modifiers": control });
        browser.call("Input.dispatchKeyEvent", &key);
    }
    browser.type_text(text);
}

/// Says how long something took. Only `FAIRLY_BARS=1` asks for more: then it must not take longer than this.
pub(crate) fn bar(what: &str, took: Duration, milliseconds: u64) {
    eprintln!("{what}: {} ms, of {milliseconds}", took.as_millis());
    if std::env::var_os("FAIRLY_BARS").is_some() {
        assert!(took < Duration::from_millis(milliseconds), "{what}: {took:?}");
    }
}
