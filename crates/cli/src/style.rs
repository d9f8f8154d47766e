//! The few styles of the output. Text is always written with them; a stream that is no terminal strips them.

use anstyle::{AnsiColor, Style};

/// As it should be.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Not as it should be.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Undecided.
pub(crate) const UNSURE: Style = AnsiColor::Yellow.on_default().bold();
/// Beside the point, but good to know.
pub(crate) const QUIET: Style = Style::new().dimmed();
/// What the rest is about.
pub(crate) const STRONG: Style = Style::new().bold();
/// Who acts.
pub(crate) const ACTOR: Style = AnsiColor::Cyan.on_default();
/// The loop of a lasso.
pub(crate) const LOOP: Style = AnsiColor::Magenta.on_default();

/// The text in a style.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
