//! Splits CSP# text into words, numbers and symbols. Comments are those of C. The arrow and the operators of the paper's
//! figures may be written as they are printed there: `→`, `□`, `◇`.

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
const SYMBOLS: [&str; 20] = [
    "|||", "<->", "[*]", "||", "|=", "->", "==", "!=", "<=", ">=", "<>", "&&", "++", "--", "+=", "-=", "..",
    "[]", "=>", "^^",
];

/// Printed symbols, and what they stand for.
const PRINTED: [(&str, &str); 6] =
    [("→", "->"), ("□", "[]"), ("◇", "<>"), ("⇒", "->"), ("¬", "!"), ("∥", "||")];

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
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            let Some(length) = rest.find("*/") else {
                let span = Span { start: at, end: at + 2 };
                return Err(Diagnostic::error(span, "this comment does not end", "`*/` is missing").into());
            };
            at += length + 2;
            continue;
        } else if first.is_ascii_alphabetic() || first == '_' || first == '#' {
            (Kind::Word, end_of(at + 1, &|next| next.is_ascii_alphanumeric() || next == '_'))
        } else if first.is_ascii_digit() {
            (Kind::Number, end_of(at, &|next| next.is_ascii_digit()))
        } else if let Some((printed, symbol)) = PRINTED.iter().find(|(printed, _)| rest.starts_with(printed))
        {
            let end = at + printed.len();
            found.push(Token { kind: Kind::Symbol, text: symbol, span: Span { start: at, end } });
            at = end;
            continue;
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
