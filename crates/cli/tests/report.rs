//! The HTML report: it needs nothing else, its content is right, and a browser can show it.
//!
//! The last test opens reports in a headless Chromium, if one is found on the path or named by `CHROMIUM`; otherwise
//! it says so. A script that only the test adds writes the browser's measurements into the page.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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
        "P[1], at wait, starves: it could act before steps 2 and 3 and never does.",
        "P[1].wait needs <code>x</code>",
        "fairness strong P[1].wait",
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
    let Some(chromium) = chromium() else {
        println!("no Chromium was found: the report was not opened in a browser");
        return;
    };
    let pages = [report("mux_sem", &mux_sem(), &[]).1, report("long_shown", LONG, &[]).1];
    for (number, text) in pages.iter().enumerate() {
        for (width, dark) in [(1280, false), (500, false), (1280, true)] {
            let seen = measured(&chromium, text, &format!("page{number}"), width, dark);
            let wide: i64 = seen.number("overflow");
            assert!(wide <= 0, "at {width} the page is {wide} pixels too wide");
            assert_eq!(seen.number("resources"), 0, "something was fetched");
            assert!(seen.number("sections") >= 2 && seen.number("lanes") > 5, "{}", seen.0);
            // The picture of a row is as high as the row, so that lanes and the loop are unbroken.
            assert!(seen.number("gaps") == 0, "{} rows have gaps", seen.number("gaps"));
            assert_eq!(seen.number("light") == 1, !dark, "the colour scheme is not followed");
            assert!(seen.number("buttons") >= 1, "what is to be copied has buttons");
            assert_eq!(seen.number("hidden"), 0, "a button hides text");
            assert_eq!(seen.number("whole"), 1, "the source is not copied as it is");
        }
    }
}

/// Reports are read on a telephone too: nothing is cut, and nothing must be moved sideways to be read.
#[test]
fn no_report_of_an_example_is_wider_than_420_pixels() {
    let Some(chromium) = chromium() else {
        println!("no Chromium was found: the report was not opened in a browser");
        return;
    };
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    fs::create_dir_all(&folder).expect("a folder for reports");
    let page = folder.join("examples.html");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.arg("check").arg(&examples).args(["--time-limit", "40", "--html"]).arg(&page);
    command.output().expect("the command runs");
    let text = fs::read_to_string(&page).expect("a report");
    // A window is never this narrow, but a frame in one can be. It says what it measures to the page around it.
    let script = "<script>addEventListener('load', () => {
        const root = document.documentElement;
        const wide = (part) => part.scrollWidth - part.clientWidth;
        const cut = [...document.querySelectorAll('.scroll, .assume, .source')].filter((part) => wide(part) > 1);
        parent.postMessage({ overflow: wide(root), cut: cut.length, headings: document.querySelectorAll('h1').length,
            width: root.clientWidth, first: cut.length ? cut[0].textContent.slice(0, 200) : '' }, '*');
    });</script></body>";
    let inner = text.replace("</body>", script).replace('&', "&amp;").replace('"', "&quot;");
    let outer = format!(
        "<!doctype html><body><script>addEventListener('message', (event) => \
         Object.assign(document.body.dataset, event.data));</script>\
         <iframe width=420 height=900 style=\"border:0\" srcdoc=\"{inner}\"></iframe></body>"
    );
    let path = folder.join("examples.framed.html");
    fs::write(&path, outer).expect("a page");
    let seen = opened(&chromium, &path, 800, false);
    assert_eq!(seen.number("width"), 420);
    assert!(seen.number("headings") > 40, "{}", seen.0);
    assert_eq!(seen.number("overflow"), 0, "the page is too wide");
    assert_eq!(seen.number("cut"), 0, "something is cut: {}", seen.0);
}

/// The browser's measurements, as the attributes they were written to.
struct Seen(String);

impl Seen {
    fn number(&self, name: &str) -> i64 {
        let text = self.0.split(&format!("data-{name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
        text.and_then(|text| text.parse().ok())
            .unwrap_or_else(|| panic!("{name} was not measured: {}", self.0))
    }
}

/// Opens a page with a script that measures it.
fn measured(chromium: &Path, page: &str, name: &str, width: u32, dark: bool) -> Seen {
    let script = "<script>addEventListener('load', () => {
        const all = (selector) => [...document.querySelectorAll(selector)];
        const root = document.documentElement, data = document.body.dataset;
        data.overflow = root.scrollWidth - root.clientWidth;
        data.resources = performance.getEntriesByType('resource').length;
        data.sections = all('section').length;
        data.lanes = all('td.lanes > svg').length;
        data.gaps = all('td.lanes > svg').filter((svg) => svg.getBoundingClientRect().height > 0 &&
            Math.abs(svg.getBoundingClientRect().height - svg.closest('tr').getBoundingClientRect().height) > 1.5).length;
        const paper = getComputedStyle(root).backgroundColor.match(/[0-9]+/g).map(Number);
        data.light = paper[0] > 128 ? 1 : 0;
        data.buttons = all('button.copy').length;
        data.hidden = all('button.copy').filter((button) => button.offsetWidth &&
            parseFloat(getComputedStyle(button.previousSibling).paddingRight) < button.offsetWidth + 8).length;
        let copied = '';
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { copied = text; } } });
        const source = document.querySelector('.source');
        source.nextSibling.click();
        data.whole = copied.split('\\n').length === source.children.length + 1 &&
            copied.includes('process ') && !copied.includes('<span') ? 1 : 0;
    });</script></body>";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    let path = folder.join(format!("{name}.measured.html"));
    fs::write(&path, page.replace("</body>", script)).expect("a page");
    opened(chromium, &path, width, dark)
}

/// Opens a page; what its scripts write into its body.
fn opened(chromium: &Path, path: &Path, width: u32, dark: bool) -> Seen {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    let mut command = Command::new(chromium);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--dump-dom"]);
    command.arg(format!("--user-data-dir={}", folder.join(format!("profile{width}")).display()));
    command.arg(format!("--window-size={width},900"));
    command.arg(format!("--blink-settings=preferredColorScheme={}", i32::from(!dark)));
    let output = command.arg(format!("file://{}", path.display())).output().expect("Chromium runs");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let body = dom.split("<body").nth(1).and_then(|rest| rest.split('>').next()).unwrap_or_default();
    Seen(body.to_owned())
}

fn chromium() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(PathBuf::from(named));
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}
