//! The page of `fairly explore` with the files of a folder, in a headless Chromium: models in other languages, included
//! files, two tabs, no file at all. Where there is no browser, the tests say so and pass.
#![cfg(unix)]

use std::fs;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::browser::page::{IDLE, LARGE, LOCK, put_cursor_at};
use crate::serve::explorer::Served;

/// A model in another language: its file, its text, a property that fails and its line, something that its run shows.
struct Foreign {
    file: &'static str,
    text: &'static str,
    property: &'static str,
    line: u64,
    action: &'static str,
}

const FOREIGN: [Foreign; 4] = [
    Foreign {
        file: "turn.pml",
        text: "byte x;
active proctype P() {
    do
    :: x = (x + 1) % 3
    od
}
ltl comes { [] <> (x == 2) }
ltl stays { <> [] (x == 0) }
",
        property: "stays",
        line: 8,
        action: "P",
    },
    Foreign {
        file: "turn.dve",
        text: "byte x = 0;
process P {
    state a, b;
    init a;
    assert b x == 0;
    trans a -> b { effect x = 1; }, b -> a { effect x = 0; };
}
system async;
",
        property: "",
        line: 5,
        action: "P.a",
    },
    Foreign {
        file: "turn.smv",
        text: "MODULE main
VAR x : 0..2;
ASSIGN
  init(x) := 0;
  next(x) := (x + 1) mod 3;
LTLSPEC G F x = 2
LTLSPEC F G x = 0
",
        property: "",
        line: 7,
        action: "",
    },
    Foreign {
        file: "turn.csp",
        text: "var x = 0;
P() = up{x = (x + 1) % 3;} -> P();
#define two (x == 2);
#assert P() |= []<> two;
#assert P() |= [] !two;
",
        property: "",
        line: 5,
        action: "up",
    },
];

/// The line in which a verdict with this sign stands.
fn line_of(browser: &mut Browser, sign: &str) -> Value {
    browser.value(&format!(
        "(() => {{ const lines = [...document.querySelectorAll('.cm-line')]; \
         const found = document.querySelectorAll('.beside'); \
         for (const it of found) if (it.dataset.words.startsWith({})) return lines.indexOf(it.closest('.cm-line')) + 1; }})()",
        json!(sign)
    ))
}

#[test]
fn a_model_in_another_language_is_shown_with_its_own_text_lines_and_names() {
    let files = FOREIGN.map(|own| (own.file, own.text));
    let served = Served::folder("foreign", &files, None);
    let Some(mut browser) = served.page() else { return };
    for Foreign { file, text, property, line, action } in FOREIGN {
        open(&mut browser, file);
        let shown = browser.value("[...document.querySelectorAll('.cm-line')].map(it => [...it.childNodes].filter(it => !it.classList?.contains('beside')).map(it => it.textContent).join('')).join('\\n')");
        assert_eq!(shown.as_str().map(str::trim), Some(text.trim()), "{file}");
        browser.wait("document.querySelector('.property[data-verdict=fails]')");
        if !property.is_empty() {
            assert_eq!(browser.text(".property[data-verdict=fails] .name"), property, "{file}");
        }
        assert_eq!(line_of(&mut browser, "✗"), json!(line), "{file}");
        browser.click(".property[data-verdict=fails]");
        browser.wait("document.querySelector('.run tbody tr')");
        browser.wait(IDLE);
        let steps = browser.value(
            "[...document.querySelectorAll('.run tbody tr')].map(it => it.getAttribute('aria-label'))",
        );
        assert!(steps.as_array().is_some_and(|steps| steps.len() > 1), "{file}: {steps}");
        assert!(steps.to_string().contains(action), "{file}: {steps}");
        // Nothing is offered that would write our language into another.
        assert_eq!(browser.value("document.querySelectorAll('.assume').length"), 0, "{file}");
        // A step leads to its line, and the other faces of the page work.
        browser.click("#tab-simulate");
        browser.wait("document.querySelector('.offer')");
        browser.click("#tab-fairness");
        browser.wait("document.querySelector('.cell')");
        browser.wait(IDLE);
        assert_eq!(browser.value("document.querySelectorAll('.assume').length"), 0, "{file}");
        browser.click("#tab-graph");
        browser.wait("document.querySelector('.graph .node')");
        browser.click("#tab-run");
        assert!(browser.complaints.is_empty(), "{file}: {:?}", browser.complaints);
    }
    // A mistake is underlined where it is, and what is edited is saved.
    open(&mut browser, "turn.pml");
    put_cursor_at(&mut browser, "byte x");
    browser.type_text(" $");
    browser.wait("document.querySelector('.cm-lintRange-error')");
    browser.press("Backspace");
    browser.type_text("= 1");
    browser.wait(IDLE);
    browser.click("#save");
    browser.wait("document.querySelector('#save').textContent === 'Save'");
    let saved = fs::read_to_string(served.file.with_file_name("turn.pml")).expect("a text");
    assert!(saved.starts_with("byte x = 1;"), "{saved}");
}

#[test]
fn a_program_is_checked_and_the_page_says_what_else_it_cannot_do() {
    let program = "int main() {\n    int x;\n    while (x > 0) x = x - 1;\n    return 0;\n}\n";
    let served = Served::folder("program", &[("loop.c", program)], Some("loop.c"));
    let Some(mut browser) = served.page() else { return };
    browser.wait("document.querySelector('.property[data-verdict]')");
    let verdict = browser.text(".property .verdict");
    // Without solvers it is undecided.
    assert!(verdict.starts_with("holds") || verdict.starts_with("unknown"), "{verdict}");
    for (tab, words) in [
        ("simulate", "no walk through its unbounded integers"),
        ("graph", "no graph of its states"),
        ("fairness", "advice on fairness is for models with processes"),
    ] {
        browser.click(&format!("#tab-{tab}"));
        browser.wait(IDLE);
        assert!(browser.text("#panel").contains(words), "{tab}: {}", browser.text("#panel"));
    }
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// Chooses a file in the menu, and waits until it is shown.
fn open(browser: &mut Browser, file: &str) {
    browser.value(&format!(
        "(() => {{ const menu = document.querySelector('#file'); menu.value = {}; menu.dispatchEvent(new Event('change')); }})()",
        json!(file)
    ));
    browser.wait(&format!("document.title.endsWith({}) && {IDLE}", json!(file)));
}

#[test]
fn a_file_that_is_included_is_followed() {
    let main = LOCK.replace("shared free: bool = true;", "include \"lib.fair\";");
    let good = "shared free: bool = true;\n";
    let served = Served::folder("included", &[("lock.fair", &main), ("lib.fair", good)], Some("lock.fair"));
    let Some(mut browser) = served.page() else { return };
    browser.wait("document.querySelector('.property[data-property=enters][data-verdict=fails]')");
    let library = served.file.with_file_name("lib.fair");
    fs::write(&library, "shared free: bool = maybe;\n").expect("a file");
    browser.wait("document.querySelector('.cm-lintRange-error')?.closest('.cm-line').textContent.startsWith('include')");
    browser.wait("document.querySelector('#status').textContent.includes('1 error')");
    fs::write(&library, good).expect("a file");
    browser.wait("!document.querySelector('.cm-lintRange-error')");
    browser.wait("document.querySelector('#status').textContent.startsWith('2 properties')");
}

#[test]
fn two_tabs_on_one_file_do_not_disturb_each_other() {
    let served = Served::start("tabs", LOCK);
    let (Some(mut one), Some(mut other)) = (served.page(), served.page()) else { return };
    // What one saves, the other takes over.
    put_cursor_at(&mut one, "under ");
    one.type_text("strong P & ");
    one.wait("document.querySelector('.property[data-property=enters][data-verdict=holds]')");
    assert_eq!(
        other.value("document.querySelector('.property[data-property=enters]').dataset.verdict"),
        "fails"
    );
    one.click("#save");
    other.wait("document.querySelector('.property[data-property=enters][data-verdict=holds]')");
    // What both change is asked about where it would be lost.
    put_cursor_at(&mut one, "shared free: bool = true;");
    one.type_text(" // one");
    put_cursor_at(&mut other, "shared free: bool = true;");
    other.type_text(" // other");
    one.click("#save");
    one.wait("document.querySelector('#save').textContent === 'Save'");
    other.wait("document.querySelector('#take-file')");
    assert!(other.text(".cm-content").contains("// other"));
    // One that goes away leaves the other at work.
    drop(one);
    other.click("#take-file");
    other.wait("document.querySelector('.cm-content').textContent.includes('// one')");
    other.wait("document.querySelector('.property[data-property=enters][data-verdict=holds]')");
}

#[test]
fn a_check_goes_on_when_the_page_has_turned_to_its_file() {
    let served = Served::folder("turned", &[("large.fair", LARGE), ("lock.fair", LOCK)], Some("lock.fair"));
    let Some(mut browser) = served.page() else { return };
    browser.value("(() => { const menu = document.querySelector('#file'); menu.value = 'large.fair'; menu.dispatchEvent(new Event('change')); })()");
    browser.wait("document.querySelector('#status').textContent.includes('states')");
    let states = "Number(/([\\d,]+) states/.exec(document.querySelector('#status').textContent)?.[1].replaceAll(',', '') ?? -1)";
    // The server notices within a second that the old connection has ended; the work must outlive that.
    browser.value("new Promise(resolve => setTimeout(resolve, 1500))");
    assert_eq!(browser.value("document.querySelector('#cancel').hidden"), false, "the check was ended");
    let before = browser.value(states).as_f64();
    browser.wait(&format!("{states} > {}", before.unwrap_or(0.0)));
    browser.click("#cancel");
    browser.wait("document.querySelector('.property[data-verdict=unknown]')");
}

#[test]
fn an_empty_folder_has_a_model_to_play_with() {
    let served = Served::folder("empty", &[], None);
    let Some(mut browser) = served.page() else { return };
    browser.wait("document.querySelectorAll('.property[data-verdict]').length === 2");
    assert!(browser.text(".cm-content").contains("There is no model in this folder yet"));
    browser.click("#save");
    browser.wait("document.querySelector('#message').textContent.includes('has no file')");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn parameters_are_set_beside_the_name_of_the_file() {
    let text = LOCK.replace("process P[i: 1..2]", "const N = 2;\nprocess P[i: 1..N]");
    let served = Served::start("settings", &text);
    let Some(mut browser) = served.page() else { return };
    // A page that has just been opened still fills in the values with which `explore` was started.
    browser.wait("document.querySelector('.property[data-property=enters]')");
    browser.value("(() => { const input = document.querySelector('#settings'); input.value = 'N=3'; input.dispatchEvent(new Event('change')); })()");
    let lanes = "[...document.querySelectorAll('.run thead th.lane')].map(it => it.firstChild.textContent)";
    // The answer for two processes may come first, and what was opened is closed when the next one comes.
    let open = "document.querySelector(document.querySelector('.run tbody tr') ? '.run-box .all' : '.property[data-property=enters]')?.click()";
    browser.wait(&format!("{lanes}.length === 3 || ({open}, false)"));
    assert_eq!(browser.value(lanes), json!(["P[1]", "P[2]", "P[3]"]));
}
