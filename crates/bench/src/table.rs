//! The figures as a table: for a terminal, line by line as rows finish, or in Markdown for a document.
//!
//! The name of a row is written when it begins and the rest when it has ended, so that the user sees a long row
//! running. Rates and bytes per state are given only where states are visited one by one, and there are enough of
//! them for a meaningful rate. The comparison is with the fastest answer of a peer in this run, never with published
//! figures, which come from other machines.

use crate::comparison::Comparison;
use crate::measure::{Measurement, Outcome};
use crate::screen::{BAD, GOOD, QUIET, STRONG, UNSURE, paint, width};

/// With fewer states, neither a rate nor the memory per state is meaningful.
const MANY: u64 = 100_000;

/// The form of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Columns of fixed width, with colours.
    Screen,
    /// A table of Markdown.
    Markdown,
}

/// A table with these columns of published figures.
pub(crate) struct Table {
    layout: Layout,
    published: Vec<String>,
    /// The width of the first column.
    width: usize,
}

/// The widths of the columns between the name and the published figures, and their titles.
const COLUMNS: [(&str, usize); 5] =
    [("verdict", 9), ("states", 12), ("CPU s", 8), ("Mstates/s", 9), ("B/state", 7)];

/// The width of a column of published figures.
const PUBLISHED: usize = 9;

impl Table {
    /// A table for rows with these names.
    pub(crate) fn new<'a>(
        layout: Layout,
        published: &[String],
        names: impl Iterator<Item = &'a str>,
    ) -> Table {
        let width = names.map(|name| name.chars().count()).max().unwrap_or(0).max("row".len());
        Table { layout, published: published.to_vec(), width }
    }

    /// The title of the set and the heads of the columns.
    pub(crate) fn head(&self, title: &str) -> String {
        let mut cells = COLUMNS.map(|(name, _)| name.to_owned()).to_vec();
        cells.extend(self.published.iter().map(|name| format!("{name} then")));
        cells.extend(["gain".to_owned(), "peers now (CPU s)".to_owned()]);
        match self.layout {
            Layout::Screen => {
                let line = format!("{:<width$}{}", "row", self.rest(&cells), width = self.width);
                format!("{}\n\n{}\n", paint(STRONG, title), paint(QUIET, line.trim_end()))
            }
            Layout::Markdown => {
                let marks: Vec<&str> = cells.iter().map(|_| "---:").collect();
                format!("{title}\n\n| row | {} |\n| --- | {} |\n", cells.join(" | "), marks.join(" | "))
            }
        }
    }

    /// The text at the beginning of a row.
    pub(crate) fn begin(&self, name: &str) -> String {
        match self.layout {
            Layout::Screen => format!("{name:<width$}", width = self.width),
            Layout::Markdown => format!("| {name} | "),
        }
    }

    /// The text at the end of a row.
    pub(crate) fn end(&self, result: &Comparison) -> String {
        let ours = &result.ours;
        let one_by_one = ours.engine.as_deref() == Some("explicit");
        let states = ours.states.filter(|states| one_by_one && *states >= MANY);
        let mut cells = vec![
            self.verdict(result),
            ours.states.map(number).unwrap_or_default(),
            seconds(ours.cpu),
            states
                .map(|states| format!("{:.2}", states as f64 / 1e6 / ours.cpu.max(1e-6)))
                .unwrap_or_default(),
            states.map(|states| (ours.memory / states).to_string()).unwrap_or_default(),
        ];
        cells.extend(result.row.published.iter().cloned());
        cells.push(
            result.gain().map(|gain| format!("{}{}×", gain.sign(), ratio(gain.factor))).unwrap_or_default(),
        );
        cells.push(self.peers(result));
        match self.layout {
            Layout::Screen => format!("{}\n", self.rest(&cells).trim_end()),
            Layout::Markdown => format!("{} |\n", cells.join(" | ")),
        }
    }

    /// The cells after the name, aligned.
    fn rest(&self, cells: &[String]) -> String {
        let widths = COLUMNS.iter().map(|(_, width)| *width).chain(self.published.iter().map(|_| PUBLISHED));
        let widths: Vec<usize> = widths.chain([8]).collect();
        let mut line = String::new();
        for (place, cell) in cells.iter().enumerate() {
            // Colours have no width. The last column may be of any length.
            let length = width(cell);
            let width = widths.get(place).copied().unwrap_or(length);
            line += "  ";
            line.push_str(&" ".repeat(width.saturating_sub(length)));
            line += cell;
        }
        line
    }

    fn verdict(&self, result: &Comparison) -> String {
        let (style, text) = match (&result.ours.outcome, result.right()) {
            (Outcome::Unanswered(reason), _) => (UNSURE, format!("? {reason}")),
            (outcome, Some(true)) => (GOOD, format!("✓ {}", word(outcome))),
            (outcome, Some(false)) => (BAD, format!("✗ {}", word(outcome))),
            (outcome, None) => (QUIET, word(outcome).to_owned()),
        };
        self.styled(style, &text)
    }

    fn peers(&self, result: &Comparison) -> String {
        let peers = result.peers.iter().map(|(name, answer)| {
            let text = format!("{name} {}", figure(answer));
            if result.agrees(answer) == Some(false) {
                self.styled(BAD, &format!("{text} ✗ {}", word(&answer.outcome)))
            } else {
                text
            }
        });
        peers.collect::<Vec<_>>().join(", ")
    }

    fn styled(&self, style: anstyle::Style, text: &str) -> String {
        match self.layout {
            Layout::Screen => paint(style, text),
            Layout::Markdown => text.to_owned(),
        }
    }
}

/// The time of a run, or why it has no answer.
fn figure(answer: &Measurement) -> String {
    match &answer.outcome {
        Outcome::Unanswered(reason) if reason == "time" => format!("> {}", seconds(answer.cpu)),
        Outcome::Unanswered(reason) => format!("({reason})"),
        _ => seconds(answer.cpu),
    }
}

fn word(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::Fails => "fails",
        Outcome::Done => "done",
        Outcome::Unanswered(reason) => reason,
    }
}

/// A number with a comma between every three digits.
fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Two digits after the point for seconds, three for less than one.
pub(crate) fn seconds(seconds: f64) -> String {
    if seconds < 1.0 { format!("{seconds:.3}") } else { format!("{seconds:.2}") }
}

/// One digit after the point for small numbers.
pub(crate) fn ratio(ratio: f64) -> String {
    if ratio < 100.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}
