//! Results for continuous integration: a `JUnit` XML document, the dialect that CI servers read.
//!
//! A file is a test suite and a property a test case. An outcome that is as expected passes, whether it holds or
//! fails. One that is not is a failure, and an undecided one is an error. The text of a failure is what the terminal
//! would show.

use std::fmt::Write;

use anstream::adapter::strip_str;
use driver::{Outcome, Report};

use crate::markup::escaped;
use crate::text::Text;

/// All reports as a document, with the path of the file each belongs to.
pub(crate) fn document(reports: &[(&str, Report)]) -> String {
    let all = || reports.iter().flat_map(|(_, report)| &report.outcomes);
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    // Writing to a string does not fail, here and below.
    let _ = writeln!(text, "<testsuites name=\"fairly\"{}>", counts(all()));
    for (path, report) in reports {
        let _ = writeln!(text, "  <testsuite name=\"{}\"{}>", escaped(path), counts(report.outcomes.iter()));
        for outcome in &report.outcomes {
            case(&mut text, path, outcome);
        }
        if !report.notes.is_empty() {
            let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "    <system-out>{}</system-out>", escaped(&notes.join("\n")));
        }
        text += "  </testsuite>\n";
    }
    text + "</testsuites>\n"
}

/// The attributes with counts.
fn counts<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> String {
    let (mut tests, mut failures, mut errors, mut time) = (0, 0, 0, 0.0);
    for outcome in outcomes {
        tests += 1;
        failures += usize::from(outcome.as_expected() == Some(false));
        errors += usize::from(outcome.as_expected().is_none());
        time += outcome.time.as_secs_f64();
    }
    format!(" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\"")
}

fn case(text: &mut String, path: &str, outcome: &Outcome) {
    let (name, time) = (escaped(&outcome.property.to_string()), outcome.time.as_secs_f64());
    let _ = write!(text, "    <testcase classname=\"{}\" name=\"{name}\" time=\"{time:.3}\"", escaped(path));
    let element = match outcome.as_expected() {
        Some(true) => {
            *text += "/>\n";
            return;
        }
        Some(false) => "failure",
        None => "error",
    };
    let expected = match outcome.expected {
        Some(false) => "fails",
        Some(true) | None => "holds",
    };
    let verdict = if outcome.is_fault() { "fails by a fault" } else { outcome.verdict.name() };
    let shown = Text::new(std::iter::once(&outcome.property)).outcome(outcome);
    let shown = escaped(&strip_str(&shown).to_string());
    let _ =
        writeln!(text, ">\n      <{element} message=\"{verdict}, expected: {expected}\">{shown}</{element}>");
    *text += "    </testcase>\n";
}
