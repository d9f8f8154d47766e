//! Splits SMV text into words, numbers and symbols.
//!
//! A name may contain `-`, `$`, `#` and `\`: `read-shared` is one name. A comment runs from `--` to the end of the line, or
//! from `/--` to `--/`; two dashes begin a comment even inside a name.

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    Symbol,
    End,
}

/// A token: a piece of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// Symbols of several characters. Of two that fit, the longer one comes first.
const SYMBOLS: [&str; 10] = ["<->", "->", ":=", "::", "..", "!=", "<=", ">=", "<<", ">>"];

/// The tokens of a text. The last one is its end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Box<Diagnostic>> {
    let mut found = Vec::new();
    let mut at = 0;
    let end_of = |from: usize, test: &dyn Fn(char) -> bool| {
        text[from..].find(|next: char| !test(next)).map_or(text.len(), |length| from + length)
    };
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, end) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/--") {
            let Some(length) = rest.find("--/") else {
                let span = Span { start: at, end: at + 3 };
                return Err(Diagnostic::error(span, "this comment does not end", "`--/` is missing").into());
            };
            at += length + 3;
            continue;
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end = end_of(at, &|next| next.is_ascii_alphanumeric() || "_-$#\\".contains(next));
            (Kind::Word, text[at..end].find("--").map_or(end, |length| at + length))
        } else if first.is_ascii_digit() {
            // A word constant has letters and underscores: `0ud8_15`.
            let word = rest.starts_with('0') && rest[1..].starts_with(['u', 's', 'b', 'o', 'd', 'h']);
            let part =
                |next: char| next.is_ascii_digit() || word && (next.is_ascii_alphanumeric() || next == '_');
            let end = end_of(at, &part);
            // The value of a signed one may have a sign.
            let signed = word && text[..end].ends_with('_') && text[end..].starts_with('-');
            (Kind::Number, if signed { end_of(end + 1, &part) } else { end })
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            (Kind::Symbol, at + symbol.len())
        } else {
            (Kind::Symbol, at + first.len_utf8())
        };
        found.push(Token { kind, text: &text[at..end], span: Span { start: at, end } });
        at = end;
    }
    let span = Span { start: text.len(), end: text.len() };
    found.push(Token { kind: Kind::End, text: "", span });
    Ok(found)
}
