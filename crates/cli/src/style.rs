//! The few styles of the output. Text is always written with them; [`screen`](crate::screen) strips them where colours are
//! not wanted.

use anstyle::{AnsiColor, Style};

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
/// The acting process.
pub(crate) const ACTOR: Style = AnsiColor::Cyan.on_default();
/// The loop of a lasso.
pub(crate) const LOOP: Style = AnsiColor::Magenta.on_default();

/// The text in a style.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
