//! The page of `fairly explore` in a browser: the command that serves it, and what every test does with it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::Browser;

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

/// The command, serving a folder with one model.
pub(crate) struct Served {
    pub(crate) process: Child,
    pub(crate) address: String,
    pub(crate) file: PathBuf,
}

impl Served {
    /// Serves a folder with one model.
    pub(crate) fn start(name: &str, text: &str) -> Served {
        Served::folder(name, &[("lock.fair", text)], None)
    }

    /// Serves a folder with these files, or one of them.
    pub(crate) fn folder(name: &str, files: &[(&str, &str)], named: Option<&str>) -> Served {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        for (file, text) in files {
            fs::write(folder.join(file), text).expect("a file");
        }
        let mut process = Command::new(env!("CARGO_BIN_EXE_fairly"))
            .args(["explore", "--no-open", "--threads", "1"])
            .arg(named.map_or_else(|| folder.clone(), |file| folder.join(file)))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command runs");
        let mut address = String::new();
        BufReader::new(process.stdout.take().expect("a pipe")).read_line(&mut address).expect("an address");
        let file = folder.join(files.first().map_or("", |(file, _)| file));
        Served { process, address: address.trim().to_owned(), file }
    }

    /// A page with what is served, when it has nothing more to do. `None` without a browser.
    pub(crate) fn page(&self) -> Option<Browser> {
        let mut browser = Browser::start(1400, 900)?;
        browser.open(&self.address);
        browser.wait(IDLE);
        Some(browser)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
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

/// Says how long something took. Only `FAIRLY_BARS=1` asks for more: then it must not take longer than this.
pub(crate) fn bar(what: &str, took: Duration, milliseconds: u64) {
    eprintln!("{what}: {} ms, of {milliseconds}", took.as_millis());
    if std::env::var_os("FAIRLY_BARS").is_some() {
        assert!(took < Duration::from_millis(milliseconds), "{what}: {took:?}");
    }
}
