//! The playground in a headless Chromium, if it was made (by `./playground`). Where there is no browser, the tests
//! say so and pass.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::browser::page::{LARGE, bar, put_cursor_at, write};

/// The models below a folder, as paths relative to it.
fn models(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            models(root, &path, found);
        } else if path.extension().is_some_and(|ending| ending == "fair") {
            found.push(path.strip_prefix(root).expect("it is below").to_string_lossy().into_owned());
        }
    }
}

#[test]
fn the_playground_has_every_example_and_answers_as_the_command_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let made =
        std::env::var_os("FAIRLY_PLAYGROUND").map_or_else(|| root.join("playground-page"), PathBuf::from);
    let Ok(place) = made.join("index.html").canonicalize() else {
        return eprintln!("the playground is not tested: ./playground makes it");
    };
    let Some(mut browser) = Browser::start(1400, 900) else { return };
    browser.open(&format!("file://{}", place.display()));
    browser.wait(
        "document.querySelector('.property[data-verdict]') && document.querySelector('#cancel').hidden",
    );
    let footer = browser.text("footer");
    assert!(
        footer.contains("the engines explicit and counter") && footer.contains("nothing leaves it"),
        "{footer}"
    );
    let examples = root.join("examples");
    let mut wanted = Vec::new();
    models(&examples, &examples, &mut wanted);
    wanted.sort();
    let menu = browser
        .value("[...document.querySelectorAll('#file option')].map(it => it.value).filter(Boolean).sort()");
    assert_eq!(menu, json!(wanted));
    // One with a run, one with an automaton in a file, one for every N, one with a channel.
    for example in ["mux_sem.fair", "staircase.fair", "counter/mux_sem.fair", "alternating_bit.fair"] {
        let begin = std::time::Instant::now();
        browser.value(&format!(
            "(() => {{ const menu = document.querySelector('#file'); menu.value = {0}; menu.dispatchEvent(new Event('change')); }})()",
            json!(example)
        ));
        let output = Command::new(env!("CARGO_BIN_EXE_fairly"))
            .args(["check", "--format", "json"])
            .arg(examples.join(example))
            .output();
        let told: Value = serde_json::from_slice(&output.expect("the command runs").stdout).expect("JSON");
        let results = told["results"].as_array().expect("results").iter();
        let verdicts: Vec<Value> = results.map(|it| json!([it["property"], it["verdict"]])).collect();
        let shown = "[...document.querySelectorAll('.property')].map(it => [it.dataset.property, it.dataset.verdict])";
        browser.wait(&format!("JSON.stringify({shown}) === JSON.stringify({})", json!(verdicts)));
        eprintln!("{example} in the playground: {:?}", begin.elapsed());
    }
    // An edit is answered.
    browser.value("(() => { const menu = document.querySelector('#file'); menu.value = 'mux_sem.fair'; menu.dispatchEvent(new Event('change')); })()");
    browser.wait("document.querySelector('.property[data-property=mutex][data-verdict=holds]') && document.querySelector('#cancel').hidden");
    put_cursor_at(&mut browser, "P[i]@crit) <= ");
    browser.type_text("0 * ");
    let verdict =
        browser.wait("document.querySelector('.property[data-property=mutex][data-verdict=fails]')");
    bar("a verdict after an edit in the playground", verdict, 1000);
    put_cursor_at(&mut browser, "P[i]@crit) <= 0 * 1");
    browser.type_text(" $");
    let squiggle = browser.wait("document.querySelector('.cm-lintRange-error')");
    bar("a squiggle in the playground", squiggle, 500);
    // The text may include an example of the same folder.
    write(&mut browser, "include \"mux_sem.fair\";\nproperty again: G F P[1]@idle under strong P;");
    browser.wait("document.querySelector('.property[data-property=again][data-verdict]') && document.querySelector('.property[data-property=mutex][data-verdict=holds]')");
    // Long work ends when it is told to, and the next is answered.
    write(&mut browser, LARGE);
    browser.wait("document.querySelector('#status').textContent.includes('states')");
    browser.click("#cancel");
    let ended = browser.wait("document.querySelector('#cancel').hidden");
    bar("the end of a cancelled check in the playground", ended, 500);
    write(&mut browser, "shared x: 0..1; process P { loop { up: x = 1 - x; } } property p: G F x == 0;");
    browser.wait("document.querySelector('.property[data-property=p][data-verdict=holds]')");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
