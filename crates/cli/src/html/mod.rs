//! The report as one HTML file: verdicts, the ladder, and a section for each property.
//!
//! The file needs nothing else: it contains its style and its SVG pictures and fetches nothing. Its only script adds
//! buttons that copy. It can be read as text from top to bottom; what a picture shows is also described in words, and
//! what a colour means is also shown by a sign. It follows the reader's colour scheme and can be printed.

mod diagram;
mod ladder;
mod section;

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;

use anstream::adapter::strip_str;
use driver::model::{Declared, FamilyId};
use driver::report::Step;
use driver::{Advice, Expect, Model, Outcome, Report, Verdict};

use crate::markup::escaped;
use crate::text;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The content for one model.
pub(crate) struct Page<'a> {
    /// The path of its file.
    pub(crate) path: &'a str,
    /// Its text.
    pub(crate) source: &'a str,
    /// What the text means.
    pub(crate) model: &'a Model,
    /// The results for its properties.
    pub(crate) report: &'a Report,
    /// Which fairness its properties need; may be empty.
    pub(crate) advice: Vec<Advice>,
}

/// The document.
pub(crate) fn document(pages: &[Page<'_>]) -> String {
    let title = match pages {
        [only] => format!("{} · Fairly", file_name(only.path)),
        _ => "Fairly".to_owned(),
    };
    let mut body = String::new();
    for (number, page) in pages.iter().enumerate() {
        body += &model(page, number);
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n\
         <footer>Written by Fairly {}.</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escaped(&title),
        env!("CARGO_PKG_VERSION")
    )
}

fn model(page: &Page<'_>, number: usize) -> String {
    let outcomes = &page.report.outcomes;
    let summary = strip_str(&text::summary(outcomes.iter(), page.report.refused_notes().count())).to_string();
    // Writing to a string does not fail, here and below.
    let mut text = format!(
        "<header>\n<h1 title=\"{}\">{}</h1>\n<p class=\"lead\">{}</p>\n",
        escaped(page.path),
        escaped(file_name(page.path)),
        escaped(summary.trim())
    );
    for note in &page.report.notes {
        let _ = writeln!(text, "<p class=\"note\"><b>Note</b> {}.</p>", escaped(&note.to_string()));
    }
    text += "</header>\n";
    text += &ladder::verdicts(outcomes, number);
    text += &ladder::table(&page.advice);
    // Failures come first, because they interest the reader most.
    let mut order: Vec<(usize, &Outcome)> = outcomes.iter().enumerate().collect();
    order.sort_by_key(|(_, outcome)| outcome.verdict == Verdict::Holds);
    for (place, outcome) in order {
        let advice = page.advice.iter().find(|advice| advice.property == outcome.property);
        let line = |step: &Step| source_line(page.model, step).map(|line| line_anchor(number, line));
        text += &section::section(outcome, advice, &anchor(number, place), &line);
    }
    text += "<details><summary>The model</summary>\n<pre class=\"source\">";
    for (line, content) in (1..).zip(page.source.lines()) {
        let _ = writeln!(text, "<span id=\"{}\">{}</span>", line_anchor(number, line), code(content));
    }
    text + "</pre></details>\n"
}

/// The line on which the action of a step is declared; of a rendezvous, none.
fn source_line(model: &Model, step: &Step) -> Option<usize> {
    let [(family, label)] = &step.declared[..] else { return None };
    let place = model.system().families.iter().position(|known| known.name == *family)?;
    model.lines.of(model.system(), &Declared::Action(FamilyId(place as u32), label.clone()))
}

/// The anchor of a line of the model, for links.
fn line_anchor(model: usize, line: usize) -> String {
    format!("l{}-{line}", model + 1)
}

/// The name of a file without its folders.
fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(OsStr::to_str).unwrap_or(path)
}

/// The anchor of a property's section, for links.
fn anchor(model: usize, property: usize) -> String {
    format!("p{}-{}", model + 1, property + 1)
}

/// The sign, the class and the expectation of a verdict. An expected failure is neither good nor bad news.
fn sign(outcome: &Outcome) -> (&'static str, &'static str, &'static str) {
    let (class, expectation) = match (outcome.as_expected(), outcome.expected) {
        (Some(false), None | Some(Expect::Holds)) if outcome.caveat().is_some() => ("unsure", ""),
        (None, Some(expected)) => ("unsure", otherwise(expected)),
        (None, None) => ("unsure", ""),
        (Some(true), Some(_)) if outcome.verdict == Verdict::Fails => ("plain", "as expected"),
        (Some(true), Some(_)) => ("good", "as expected"),
        (Some(true), None) => ("good", ""),
        (Some(false), Some(expected)) => ("bad", otherwise(expected)),
        (Some(false), None) => ("bad", ""),
    };
    (mark(outcome.verdict), class, expectation)
}

/// What was expected, if the answer is another one.
fn otherwise(expected: Expect) -> &'static str {
    match expected {
        Expect::Holds => "expected: holds",
        Expect::HoldsVacuously => "expected: holds vacuously",
        Expect::Fails => "expected: fails",
    }
}

fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "✓",
        Verdict::Fails => "✗",
        Verdict::Unknown => "?",
    }
}

/// An expression or a formula. Arrows are not broken across lines.
fn code(text: &str) -> String {
    escaped(text).replace("-&gt;", "<span class=\"arrow\">-&gt;</span>")
}

/// A text in which parts between back quotes are code.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts
        .map(
            |(number, part)| {
                if number % 2 == 1 { format!("<code>{}</code>", code(part)) } else { escaped(part) }
            },
        )
        .collect()
}
