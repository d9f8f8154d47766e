//! Results for continuous integration: a `JUnit` XML document, the dialect that CI servers read.
//!
//! A file is a test suite and a property a test case. An outcome that is as expected passes, whether it holds or
//! fails. One that is not is a failure, and so is a note that `--strict` does not accept; an undecided one is an error. The
//! text of a failure is what the terminal would show.

use std::fmt::Write;

use anstream::adapter::strip_str;
use driver::{Expect, Note, Outcome, Report};

use crate::markup::escaped;
use crate::text::Text;

/// All reports as a document, with the path of the file each belongs to.
pub(crate) fn document(reports: &[(&str, Report)]) -> String {
    let all = || reports.iter().flat_map(|(_, report)| &report.outcomes);
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    // Writing to a string does not fail, here and below.
    let refused_notes = reports.iter().map(|(_, report)| report.refused_notes().count()).sum();
    let _ = writeln!(text, "<testsuites name=\"fairly\"{}>", counts(all(), refused_notes));
    for (path, report) in reports {
        let counts = counts(report.outcomes.iter(), report.refused_notes().count());
        let _ = writeln!(text, "  <testsuite name=\"{}\"{counts}>", escaped(path));
        for outcome in &report.outcomes {
            case(&mut text, path, outcome);
        }
        for note in report.refused_notes() {
            refused(&mut text, path, note);
        }
        if !report.notes.is_empty() {
            let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "    <system-out>{}</system-out>", escaped(&notes.join("\n")));
        }
        text += "  </testsuite>\n";
    }
    text + "</testsuites>\n"
}

/// The attributes with counts. A note that is not accepted is a failure.
fn counts<'a>(outcomes: impl Iterator<Item = &'a Outcome>, refused_notes: usize) -> String {
    let (mut tests, mut failures, mut errors, mut time) = (refused_notes, refused_notes, 0, 0.0);
    for outcome in outcomes {
        tests += 1;
        failures += usize::from(outcome.as_expected() == Some(false));
        errors += usize::from(outcome.as_expected().is_none());
        time += outcome.time.as_secs_f64();
    }
    format!(" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\"")
}

/// A note about the model that is not accepted.
fn refused(text: &mut String, path: &str, note: &Note) {
    let (path, note) = (escaped(path), escaped(&note.to_string()));
    let _ = writeln!(
        text,
        "    <testcase classname=\"{path}\" name=\"--strict\" time=\"0.000\">\n      \
         <failure message=\"{note}\"/>\n    </testcase>"
    );
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
    let expected = outcome.expected.unwrap_or(Expect::Holds).name();
    let verdict = outcome.in_words();
    let shown = Text::new(std::iter::once(&outcome.property)).outcome(outcome);
    let shown = escaped(&strip_str(&shown).to_string());
    let _ =
        writeln!(text, ">\n      <{element} message=\"{verdict}, expected: {expected}\">{shown}</{element}>");
    *text += "    </testcase>\n";
}
