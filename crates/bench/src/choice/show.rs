//! The comparison as a table for people or for a document, with a summary, and as JSON for scripts.
//!
//! A cell is the CPU time of a run that decided everything. `–` is an engine that refuses the question, a number in
//! brackets is the time of one that decided only some properties, and `> 1.2` one that was stopped after that much
//! CPU time.

use std::fmt::Write;

use serde::Serialize;

use super::questions::Question;
use super::{Answer, Comparison, ENGINES, Ratio};
use crate::arguments::Figures;
use crate::screen::{BAD, GOOD, QUIET, STRONG, UNSURE, paint, width};
use crate::table::{ratio, seconds};

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// The width of a column of figures.
const COLUMN: usize = 9;

/// Writes rows.
pub(super) struct Table {
    markdown: bool,
    /// The width of the first column.
    width: usize,
}

impl Table {
    /// A table for these questions.
    pub(super) fn new(format: Figures, questions: &[Question]) -> Table {
        let widest = questions.iter().map(|question| question.name.chars().count()).max();
        Table { markdown: format == Figures::Markdown, width: widest.unwrap_or(0).max("row".len()) }
    }

    /// The heads of the columns.
    pub(super) fn head(&self) -> String {
        let mut cells = vec!["auto".to_owned()];
        cells.extend(ENGINES.map(str::to_owned));
        cells.extend(["ratio", "bar", "auto used"].map(str::to_owned));
        let line = self.begin("row") + &self.line(&cells);
        if self.markdown {
            format!("{line}| --- |{}\n", " ---: |".repeat(cells.len()))
        } else {
            paint(QUIET, line.trim_end()) + "\n"
        }
    }

    /// The text at the beginning of a row.
    pub(super) fn begin(&self, name: &str) -> String {
        if self.markdown { format!("| {name} | ") } else { format!("{name:<width$}", width = self.width) }
    }

    /// The text at the end of a row; `split` if it is now asked property by property.
    pub(super) fn end(&self, result: &Comparison, split: bool) -> String {
        let mut cells = vec![cell(&result.auto, &result.auto)];
        for name in ENGINES {
            let answer = result.engines.iter().find(|(known, _)| *known == name);
            cells.push(answer.map(|(_, answer)| cell(answer, &result.auto)).unwrap_or_default());
        }
        let (figure, (style, bar)) = match (result.ratio(), result.within()) {
            (Ratio::Exact(times), Some(true)) => (format!("{}×", ratio(times)), (GOOD, "✓")),
            (Ratio::Exact(times), _) => (format!("{}×", ratio(times)), (BAD, "✗")),
            (Ratio::AtLeast(times), _) => (format!("> {}×", ratio(times)), (BAD, "✗")),
            (Ratio::Alone, _) => ("alone".to_owned(), (QUIET, " ")),
            (Ratio::Undecided, _) => (String::new(), (UNSURE, "?")),
        };
        let mark = if self.markdown { bar.to_owned() } else { paint(style, bar) };
        let mut last = result.auto.engines.join(", ");
        if let Some(fault) = &result.auto.fault {
            last.clone_from(fault);
        }
        if split {
            last += "; no engine decides it all, so by property:";
        }
        cells.extend([figure, mark, last]);
        self.line(&cells)
    }

    /// The cells after the name. The last one may be of any length.
    fn line(&self, cells: &[String]) -> String {
        if self.markdown {
            return cells.join(" | ") + " |\n";
        }
        let mut line = String::new();
        for (place, cell) in cells.iter().enumerate() {
            let column = match cells.len() - place {
                1 => width(cell),
                2 => 3,
                _ => COLUMN,
            };
            let _ = write!(line, "{}{cell}", " ".repeat(2 + column.saturating_sub(width(cell))));
        }
        line.trim_end().to_owned() + "\n"
    }
}

fn cell(answer: &Answer, auto: &Answer) -> String {
    let time = seconds(answer.cpu);
    if answer.covers(auto) {
        time
    } else if answer.late {
        format!("> {time}")
    } else if answer.decided.is_empty() {
        "–".to_owned()
    } else {
        format!("({time})")
    }
}

/// The median and the largest ratio, and how many rows are within the bar.
pub(super) fn summary(results: &[Comparison]) -> String {
    let (median, worst) = (median(results), worst(results));
    let count = |within| results.iter().filter(|result| result.within() == within).count();
    let mut text = format!(
        "\n{} of {} rows within 3× + 30 ms",
        paint(STRONG, count(Some(true))),
        count(Some(true)) + count(Some(false))
    );
    if let Some(median) = median {
        let _ = write!(text, "; median {}×", paint(STRONG, format!("{median:.2}")));
    }
    if let Some((times, name)) = worst {
        let _ = write!(text, "; worst {}× ({name})", paint(STRONG, ratio(times)));
    }
    let undecided = results.iter().filter(|result| result.ratio() == Ratio::Undecided).count();
    if undecided > 0 {
        let _ = write!(text, "; {undecided} undecided by all");
    }
    text + "\n"
}

fn ratios(results: &[Comparison]) -> impl Iterator<Item = (f64, &str)> {
    results.iter().filter_map(|result| match result.ratio() {
        Ratio::Exact(times) | Ratio::AtLeast(times) => Some((times, result.name.as_str())),
        Ratio::Alone | Ratio::Undecided => None,
    })
}

fn median(results: &[Comparison]) -> Option<f64> {
    let mut all: Vec<f64> = ratios(results).map(|(times, _)| times).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

fn worst(results: &[Comparison]) -> Option<(f64, &str)> {
    ratios(results).max_by(|(a, _), (b, _)| a.total_cmp(b))
}

#[derive(Serialize)]
struct Document<'a> {
    format: u32,
    version: &'static str,
    threads: usize,
    median: Option<f64>,
    worst: Option<f64>,
    rows: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct Line<'a> {
    row: &'a str,
    auto: Figure<'a>,
    engines: Vec<Figure<'a>>,
    best: Option<&'static str>,
    ratio: Option<f64>,
    ratio_is_a_bound: bool,
    within: Option<bool>,
}

#[derive(Serialize)]
struct Figure<'a> {
    name: &'a str,
    /// The engines that decided.
    by: &'a [String],
    decided: usize,
    asked: usize,
    late: bool,
    cpu_seconds: f64,
}

/// All rows, for scripts.
pub(super) fn document(threads: usize, results: &[Comparison]) -> String {
    let document = Document {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION"),
        threads,
        median: median(results),
        worst: worst(results).map(|(times, _)| times),
        rows: results.iter().map(line).collect(),
    };
    // Invariant: only names, numbers and lists, which JSON can always express.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn line(result: &Comparison) -> Line<'_> {
    let ratio = result.ratio();
    Line {
        row: &result.name,
        auto: figure("auto", &result.auto),
        engines: result.engines.iter().map(|(name, answer)| figure(name, answer)).collect(),
        best: result.best().map(|(name, _)| name),
        ratio: match ratio {
            Ratio::Exact(times) | Ratio::AtLeast(times) => Some(times),
            Ratio::Alone | Ratio::Undecided => None,
        },
        ratio_is_a_bound: matches!(ratio, Ratio::AtLeast(_)),
        within: result.within(),
    }
}

fn figure<'a>(name: &'a str, answer: &'a Answer) -> Figure<'a> {
    Figure {
        name,
        by: &answer.engines,
        decided: answer.decided.len(),
        asked: answer.asked,
        late: answer.late,
        cpu_seconds: answer.cpu,
    }
}
