//! The page of `fairly explore` while a model is edited, in the page and on disk, in a headless Chromium. Where there is no
//! browser, the tests say so and pass.
#![cfg(unix)]

use std::fs;

use crate::browser::Browser;
use crate::browser::page::{LARGE, LOCK, bar, page, put_cursor_at, write};
use crate::serve::explorer::Served;

#[test]
fn a_mistake_is_underlined_and_a_verdict_follows_an_edit_in_time() {
    let Some((mut browser, served)) = page("live", LOCK) else { return };
    put_cursor_at(&mut browser, "rest:  sta");
    browser.type_text("z");
    let squiggle = browser.wait("document.querySelector('.cm-lintRange-error')");
    bar("a squiggle after a keystroke", squiggle, 500);
    assert!(browser.text("#status").contains("error"), "{}", browser.text("#status"));
    // The list of answers says what is wrong and where, and leads there.
    let error = browser.text(".errors .error");
    assert!(error.contains("line 4") && error.contains("stazy"), "{error}");
    browser.click(".errors .error");
    browser.wait("document.activeElement.classList.contains('cm-content')");
    put_cursor_at(&mut browser, "rest:  staz");
    browser.press("Backspace");
    browser.wait("!document.querySelector('.cm-lintRange-error') && !document.querySelector('.stale')");
    browser.wait("document.querySelector('#status').textContent.startsWith('2 properties')");
    browser.wait("document.querySelector('.property[data-property=enters][data-verdict=fails]')");
    put_cursor_at(&mut browser, "under ");
    browser.type_text("strong P & ");
    let verdict =
        browser.wait("document.querySelector('.property[data-property=enters][data-verdict=holds]')");
    bar("a verdict after an edit", verdict, 1000);
    browser.wait("[...document.querySelectorAll('.beside')].every(it => it.dataset.words.includes('holds'))");
    // Saved, it is on disk; changed on disk, it is in the page.
    browser.click("#save");
    browser.wait("document.querySelector('#save').textContent === 'Save'");
    let saved = fs::read_to_string(&served.file).expect("a text");
    assert!(saved.contains("under strong P & weak P"), "{saved}");
    fs::write(&served.file, LOCK).expect("a file");
    browser.wait("document.querySelector('.property[data-property=enters][data-verdict=fails]')");
    fs::remove_file(&served.file).expect("it is there");
    browser.wait("document.querySelector('#message').textContent.includes('gone from the disk')");
}

#[test]
fn what_is_typed_over_the_whole_text_is_the_text() {
    let Some((mut browser, _served)) = page("over", LOCK) else { return };
    // A verdict stands behind the last line.
    write(&mut browser, "shared x: 0..1;\nprocess P { loop { up: x = 1 - x; } }\nproperty p: G F x == 0;");
    browser.wait("document.querySelector('.property[data-property=p][data-verdict=holds]')");
    browser.wait("document.querySelector('.cm-line:last-child .beside')");
    write(&mut browser, "shared y: 0..1;\nprocess Q { loop { up: y = 1 - y; } }\nproperty q: G F y == 0;");
    browser.wait("document.querySelector('.property[data-property=q][data-verdict=holds]')");
    let text =
        browser.value("[...document.querySelectorAll('.cm-line')].map(it => it.textContent).join('|')");
    // The browser may leave an empty line at the end.
    let text = text.as_str().expect("a text").trim_end_matches('|');
    assert_eq!(text, "shared y: 0..1;|process Q { loop { up: y = 1 - y; } }|property q: G F y == 0;");
}

#[test]
fn a_file_that_changed_on_both_sides_is_not_lost_on_either() {
    let Some((mut browser, served)) = page("both", LOCK) else { return };
    put_cursor_at(&mut browser, "shared free: bool = true;");
    browser.type_text(" // mine");
    fs::write(&served.file, format!("// theirs\n{LOCK}")).expect("a file");
    browser.wait("document.querySelector('#keep-text')");
    assert!(browser.text(".cm-content").contains("// mine"));
    browser.click("#keep-text");
    browser.click("#save");
    browser.wait("document.querySelector('#save').textContent === 'Save'");
    let saved = fs::read_to_string(&served.file).expect("a text");
    assert!(saved.contains("// mine") && !saved.contains("// theirs"), "{saved}");
    put_cursor_at(&mut browser, "// mine");
    browser.type_text(" again");
    fs::write(&served.file, format!("// theirs\n{LOCK}")).expect("a file");
    browser.click("#take-file");
    browser.wait("document.querySelector('.cm-content').textContent.startsWith('// theirs')");
    browser.wait("document.querySelector('#message').textContent === ''");
    browser.wait("document.querySelector('#save').textContent === 'Save'");
    // The command ends: the page says so.
    drop(served);
    browser.wait("document.querySelector('#message').textContent.startsWith('The command has ended')");
}

#[test]
fn a_large_model_stays_responsive_and_is_cancelled() {
    let Some(mut browser) = Browser::start(1400, 900) else { return };
    let served = Served::start("large", LARGE);
    browser.open(&served.address);
    browser.wait("document.querySelector('#status').textContent.includes('states')");
    put_cursor_at(&mut browser, "shared");
    browser.type_text("z");
    let squiggle = browser.wait("document.querySelector('.cm-lintRange-error')");
    bar("a squiggle after a keystroke", squiggle, 500);
    browser.press("Backspace");
    browser.wait("document.querySelector('#status').textContent.includes('states')");
    browser.click("#cancel");
    let ended = browser.wait("document.querySelector('#cancel').hidden");
    bar("the end of a cancelled check", ended, 500);
    browser.wait("document.querySelector('.property[data-verdict=unknown]')");
}
