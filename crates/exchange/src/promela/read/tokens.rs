//! How Promela is written. Lines matter to the preprocessor, and where a semicolon may be left out.

pub(super) use crate::text::{Kind, Token};
use crate::text::{Parsed, Style};

const STYLE: Style = Style {
    symbols: &[
        "<->", "...", "->", "::", "++", "--", "!!", "??", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>",
        "..", "[]", "<>", "/\\", "\\/", "##",
    ],
    quotes: true,
    ..Style::C
};

/// The tokens of a text, with one at the end. A line that ends with a backslash goes on with the next.
pub(super) fn tokens(text: &str) -> Parsed<Vec<Token<'_>>> {
    crate::text::tokens(text, &STYLE)
}
