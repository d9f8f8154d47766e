//! The HTML report: it needs nothing else, its content is right, and a browser can show it.
//!
//! The last two tests open reports in the headless Chromium of this program, if there is one.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::browser::Browser;

/// A lasso of 200 steps, four processes, and something of every kind to draw.
const LONG: &str = "
    shared x: 0..99;
    shared done: bool;
    process Up { loop { up: x = (x + 1) % 100; next: skip; } }
    process Look { loop { look: await done; } }
    process Now { loop { now: await x == 50; } }
    property ends: F done under weak Up & justice (x == 99);
    invariant small: x < 3;
";

/// Writes the report of a model into a folder of the test; returns its path and its text.
fn report(name: &str, model: &str, set: &[&str]) -> (PathBuf, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    fs::create_dir_all(&folder).expect("a folder for reports");
    let source = folder.join(format!("{name}.fair"));
    fs::write(&source, model).expect("a model");
    let page = folder.join(format!("{name}.html"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.arg("check").arg(&source).args(set).arg("--html").arg(&page);
    let output = command.output().expect("the command runs");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(&page).expect("a report");
    (page, text)
}

fn mux_sem() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/split/mux_sem.fair");
    fs::read_to_string(path).expect("an example")
}

#[test]
fn a_report_needs_nothing_else() {
    let (_, text) = report("alone", &mux_sem(), &[]);
    // It works without its script, which only adds buttons.
    assert_eq!(text.matches("<script").count(), 1);
    for foreign in [
        "<script ",
        "fetch(",
        "XMLHttp",
        "import(",
        "src=",
        "url(",
        "@import",
        "href=\"http",
        "<link",
        "<iframe",
    ] {
        assert!(!text.contains(foreign), "the report contains `{foreign}`");
    }
    // Every link leads to an anchor in the report.
    for link in text.split("href=\"#").skip(1) {
        let anchor = link.split('"').next().unwrap_or_default();
        assert!(text.contains(&format!("id=\"{anchor}\"")), "nothing is called {anchor}");
    }
}

#[test]
fn a_report_says_why_a_process_starves_and_what_to_assume_instead() {
    let (_, text) = report("starves", &mux_sem(), &["--set", "N=3", "--property", "no_starvation"]);
    for part in [
        "P[1], at <code>wait</code>, starves: it could act before steps 2 and 3 and never does.",
        "P[1].wait needs <code>x</code>",
        "under strong P[1].wait",
        "<td>disabled before step 4</td>",
        "Steps 2 to 6 repeat for ever.",
        "P[2] takes wait and goes to crit; x becomes false.",
        "explicit · checked · N = 3 · 32 states",
    ] {
        assert!(text.contains(part), "`{part}` is not in the report");
    }
    // The number of a step leads to the line of its label.
    let row =
        text.split("</tr>").find(|row| row.contains("P[2] takes wait and goes to crit")).expect("a row");
    let anchor = row.split("href=\"#").nth(1).and_then(|rest| rest.split('"').next()).expect("a link");
    let line = text.split(&format!("id=\"{anchor}\">")).nth(1).and_then(|rest| rest.split("</span>").next());
    assert!(line.is_some_and(|line| line.contains("wait:")), "{anchor} is {line:?}");
}

#[test]
fn what_the_user_wrote_cannot_break_the_page() {
    let model =
        "shared x: 0..3; process P { loop { a: x = (x + 1) % 4; } } invariant small: x < 3 && x > -1;";
    let (_, text) = report("escaped", model, &[]);
    assert!(text.contains("x &lt; 3 &amp;&amp; x &gt; -1"), "the claim is escaped");
}

#[test]
fn a_lasso_of_200_steps_fits_in_a_megabyte() {
    let (_, text) = report("long", LONG, &[]);
    let rows = text.matches("<tr class=\"loop\">").count();
    assert!(rows >= 200, "{rows} steps on the loop");
    assert!(text.len() < 1_000_000, "{} bytes", text.len());
}

#[test]
fn a_browser_shows_the_report_at_two_widths_and_in_the_dark() {
    let Some(mut browser) = Browser::start(1280, 900) else { return };
    let pages = [report("mux_sem", &mux_sem(), &[]).0, report("long_shown", LONG, &[]).0];
    for page in &pages {
        for (width, scheme) in [(1280, "light"), (500, "light"), (1280, "dark")] {
            browser.size(width, 900);
            browser.colours(scheme);
            browser.open(&format!("file://{}", page.display()));
            let seen = browser.value(MEASURES);
            let number = |name: &str| seen[name].as_i64().unwrap_or_else(|| panic!("{name}: {seen}"));
            assert!(number("overflow") <= 0, "at {width} the page is too wide: {seen}");
            assert_eq!(number("resources"), 0, "something was fetched");
            assert!(number("sections") >= 2 && number("lanes") > 5, "{seen}");
            // The picture of a row is as high as the row, so that lanes and the loop are unbroken.
            assert_eq!(number("gaps"), 0, "rows have gaps");
            assert_eq!(seen["light"], scheme == "light", "the colour scheme is not followed");
            assert!(number("buttons") >= 1, "what is to be copied has buttons");
            assert_eq!(number("hidden"), 0, "a button hides text");
            assert_eq!(seen["whole"], true, "the source is not copied as it is");
        }
    }
}

/// Reports are read on a telephone too: nothing is cut, and nothing must be moved sideways to be read.
#[test]
fn no_report_of_an_example_is_wider_than_420_pixels() {
    let Some(mut browser) = Browser::start(420, 900) else { return };
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    fs::create_dir_all(&folder).expect("a folder for reports");
    let page = folder.join("examples.html");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.arg("check").arg(&examples).args(["--time-limit", "8", "--html"]).arg(&page);
    command.output().expect("the command runs");
    browser.open(&format!("file://{}", page.display()));
    let seen = browser.value(
        "(() => {
        const root = document.documentElement;
        const wide = (part) => part.scrollWidth - part.clientWidth;
        const cut = [...document.querySelectorAll('.scroll, .assume, .source')].filter((part) => wide(part) > 1);
        return { width: root.clientWidth, overflow: wide(root), headings: document.querySelectorAll('h1').length,
            cut: cut.map((part) => part.textContent.slice(0, 200)) };
    })()",
    );
    assert_eq!(seen["width"], 420);
    assert!(seen["headings"].as_i64() > Some(40), "{seen}");
    assert_eq!(seen["overflow"], 0, "the page is too wide");
    assert_eq!(seen["cut"].as_array().map(Vec::len), Some(0), "something is cut: {seen}");
}

/// What is measured of a report.
const MEASURES: &str = "(() => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    const root = document.documentElement;
    const height = (part) => part.getBoundingClientRect().height;
    const paper = getComputedStyle(root).backgroundColor.match(/[0-9]+/g).map(Number);
    let copied = '';
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { copied = text; } } });
    const source = document.querySelector('.source');
    source.nextSibling.click();
    return {
        overflow: root.scrollWidth - root.clientWidth,
        resources: performance.getEntriesByType('resource').length,
        sections: all('section').length,
        lanes: all('td.lanes > svg').length,
        gaps: all('td.lanes > svg').filter((svg) => height(svg) > 0 &&
            Math.abs(height(svg) - height(svg.closest('tr'))) > 1.5).length,
        light: paper[0] > 128,
        buttons: all('button.copy').length,
        hidden: all('button.copy').filter((button) => button.offsetWidth &&
            parseFloat(getComputedStyle(button.previousSibling).paddingRight) < button.offsetWidth + 8).length,
        whole: copied.split('\\n').length === source.children.length + 1 &&
            copied.includes('process ') && !copied.includes('<span'),
    };
})()";
