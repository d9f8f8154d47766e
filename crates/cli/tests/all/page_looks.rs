//! How the page of `fairly explore` looks and is operated, in a headless Chromium: widths, colours, keyboard, landmarks, in
//! every state that it can be in. Pictures are left in `target/tmp/page/pictures`. Where there is no browser, the tests say
//! so and pass.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::browser::Browser;
use crate::browser::page::{IDLE, LARGE, LOCK, page, put_cursor_at};
use crate::serve::explorer::Served;

const CONTRAST: &str = include_str!("browser/contrast.js");

/// The widths and colours that a page is looked at in.
const LOOKS: [(u32, &str); 6] =
    [(420, "light"), (420, "dark"), (800, "light"), (800, "dark"), (1400, "light"), (1400, "dark")];

fn pictures() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page").join("pictures");
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Looks at a page: nothing is wider than it, and every text can be read.
fn look(browser: &mut Browser, name: &str, (width, scheme): (u32, &str)) {
    browser.size(width, 900);
    browser.colours(scheme);
    // Colours change slowly.
    browser.wait("!document.getAnimations().some(it => it instanceof CSSTransition)");
    let wide = browser.value("document.documentElement.scrollWidth - innerWidth").as_i64();
    assert!(wide.is_some_and(|wide| wide <= 0), "{name} at {width}: {wide:?} px too wide");
    assert_eq!(browser.value(CONTRAST), json!({}), "{name}, {scheme}");
    browser.picture(&pictures().join(format!("{name}-{width}-{scheme}.png")));
}

#[test]
fn the_page_fits_every_width_and_has_landmarks() {
    let Some((mut browser, _served)) = page("widths", LOCK) else { return };
    for kind in LOOKS {
        for tab in ["run", "fairness", "simulate", "graph", "compare"] {
            browser.click(&format!("#tab-{tab}"));
            browser.wait(IDLE);
            look(&mut browser, tab, kind);
        }
    }
    let landmarks = browser.value("['header', 'main', 'main section[aria-label]', 'footer', '[role=tablist]', '[role=tabpanel]', '[role=status][aria-live]'].every(it => document.querySelector(it))");
    assert_eq!(landmarks, true);
    let nameless = browser.value("[...document.querySelectorAll('button, select, input')].filter(it => !(it.textContent.trim() || it.ariaLabel || it.labels?.length)).map(it => it.outerHTML)");
    assert_eq!(nameless, json!([]), "every control has a name");
    browser.value("document.querySelector('h1').style.color = 'var(--lane)'");
    assert!(browser.value(CONTRAST)["H1.null"].is_string(), "a faint text is found");
    // The keyboard leaves the text by Escape and Tab, although Tab indents there.
    put_cursor_at(&mut browser, "shared");
    browser.press("Escape");
    browser.press("Tab");
    browser.wait("!document.querySelector('#editor').contains(document.activeElement)");
    assert!(browser.text(".cm-content").starts_with("shared free"));
    // The tabs by keyboard.
    browser.click("#tab-run");
    browser.value("document.querySelector('#tab-run').focus()");
    browser.press("ArrowRight");
    assert_eq!(browser.value("document.activeElement.id"), json!("tab-fairness"));
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// Every state that the page can be in, and when it is.
const STATES: [(&str, &str, &str); 6] = [
    ("failing", LOCK, "document.querySelector('.property[data-verdict=fails]') && document.querySelector('.ledger')"),
    (
        "vacuous",
        "shared x: 0..2; process P { loop { up: x = (x + 1) % 2; } }
property answered: G (x == 2 -> F x == 0) under weak P; invariant small: x < 2;",
        "document.querySelectorAll('.property').length === 2 && document.querySelector('[data-property=answered] .sign.unsure').textContent === '∅'",
    ),
    ("error", "shared x: 0..2;\nprocess P { loop { up: y = 1; } }\nproperty p: F x == 1;", "document.querySelector('.cm-lintRange-error') && document.querySelector('.errors .error')"),
    (
        "checking",
        LARGE,
        "document.querySelector('#status').textContent.includes('states')",
    ),
    (
        "values",
        "enum Node { ann, bob }
record Entry { term: 1..2, acks: set of Node }
shared log: seq[2] of Entry;
process Leader { loop { write: when !full(log) { log = append(log, Entry { term: len(log) + 1, acks: {} }); } } }
process Follower[n: Node] { loop { ack: choose k in 0..1 where k < len(log) && !(n in log[k].acks) { log[k].acks += {n}; } } }
invariant never: !(len(log) == 2 && |log[0].acks| == 2 && |log[1].acks| == 1);
",
        "document.querySelector('.run tbody tr')",
    ),
    ("nothing", "shared x: 0..2; process P { loop { up: x = (x + 1) % 2; } }", "document.querySelector('#status').textContent === 'No properties'"),
];

#[test]
fn every_state_of_the_page_can_be_read() {
    for (name, text, ready) in STATES {
        let served = Served::start(&format!("state-{name}"), text);
        let Some(mut browser) = Browser::start(1400, 900) else { return };
        browser.open(&served.address);
        browser.wait(ready);
        if name != "checking" {
            browser.wait(IDLE);
        }
        for kind in LOOKS {
            look(&mut browser, name, kind);
        }
        if name == "checking" {
            browser.click("#cancel");
            browser.wait("document.querySelector('.property[data-verdict=unknown]')");
            browser.wait(IDLE);
            for kind in LOOKS {
                look(&mut browser, "unknown", kind);
            }
        }
        assert!(browser.complaints.is_empty(), "{name}: {:?}", browser.complaints);
    }
}

#[test]
fn everything_can_be_done_from_the_keyboard() {
    let Some((mut browser, _served)) = page("keyboard", LOCK) else { return };
    browser.wait("document.querySelector('.run tr.loop')");
    // Tab goes through the page in the order in which it is read; Escape leaves the text.
    let mut seen = Vec::new();
    for _ in 0..60 {
        browser.press("Tab");
        let here = browser.value("(() => { const it = document.activeElement; if (!it || it === document.body) return 'end'; if (it.closest('.cm-content')) return 'text'; return it.id || it.className.split(' ')[0] || it.dataset.row && 'row' || it.tagName; })()");
        let here = here.as_str().unwrap_or_default().to_owned();
        if here == "text" {
            browser.press("Escape");
        }
        if here == "end" {
            break;
        }
        // What has the focus can be seen.
        let shown = browser.value("(() => { const it = document.activeElement.getBoundingClientRect(); return it.width > 0 && it.height > 0; })()");
        assert_eq!(shown, true, "{here} has the focus and cannot be seen");
        seen.push(here);
    }
    let mut last = 0;
    for wanted in ["skip", "file", "settings", "check", "save", "share", "text", "property", "tab-run"] {
        let place = seen.iter().position(|own| own == wanted);
        let place = place.unwrap_or_else(|| panic!("{wanted} is not reached by Tab: {seen:?}"));
        assert!(place >= last, "{wanted} comes too early: {seen:?}");
        last = place;
    }
    assert!(seen.iter().any(|own| own == "watch-input"), "{seen:?}");
    // A property is chosen, a tab, a cell, a step of a walk.
    browser.value("document.querySelector('.property[data-property=mutex]').focus()");
    browser.press("Enter");
    browser.wait("document.querySelector('.property.chosen')?.dataset.property === 'mutex'");
    assert_eq!(browser.value("document.activeElement?.dataset.property"), "mutex", "the focus stays");
    browser.value("document.querySelector('#tab-run').focus()");
    browser.press("ArrowRight");
    browser.wait("document.querySelector('.cell[data-property=enters][data-rung=strong]')");
    browser.wait(IDLE);
    browser.value("document.querySelector('.cell[data-property=enters][data-rung=strong]').focus()");
    browser.press("Enter");
    browser.wait("document.querySelector('.cell-answer')?.textContent.includes('holds')");
    browser.wait(IDLE);
    assert_eq!(browser.value("document.activeElement?.dataset.rung"), "strong", "the focus stays");
    browser.value("document.querySelector('#tab-fairness').focus()");
    browser.press("ArrowRight");
    browser.wait("document.querySelector('.offer')");
    browser.wait(IDLE);
    let rows = "document.querySelectorAll('#panel .run tbody tr').length";
    browser.press("1");
    browser.wait(&format!("{rows} === 2"));
    browser.press("u");
    browser.wait(&format!("{rows} === 1"));
    browser.press("r");
    browser.wait(&format!("{rows} === 11"));
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
