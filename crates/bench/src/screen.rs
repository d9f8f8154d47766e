//! Standard output and standard error, with colours only on a terminal and without `NO_COLOR`.
//!
//! If the reader goes away (`fairly-bench pat | head`), that is not an error: everything is asked to stop.

use std::fmt::Display;
use std::io::Write;

use anstyle::{AnsiColor, Style};

use crate::interrupt;

/// As expected.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Not as expected.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Undecided.
pub(crate) const UNSURE: Style = AnsiColor::Yellow.on_default().bold();
/// Less important.
pub(crate) const QUIET: Style = Style::new().dimmed();
/// Emphasised.
pub(crate) const STRONG: Style = Style::new().bold();

/// The text in a style.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The number of columns a text takes: styles take none.
pub(crate) fn width(text: &str) -> usize {
    anstream::adapter::strip_str(text).to_string().chars().count()
}

/// Writes a text to standard output at once.
pub(crate) fn show(text: &str) {
    let mut out = anstream::stdout();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        interrupt::stop();
    }
}

/// Writes a text to standard error.
pub(crate) fn remark(text: &str) {
    // If standard error cannot be written, there is nowhere to report it.
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// Writes an error message to standard error.
pub(crate) fn complain(message: &str) {
    const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
    remark(&format!("{}: {message}\n", paint(ERROR, "error")));
}
