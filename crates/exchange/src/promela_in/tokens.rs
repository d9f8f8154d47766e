//! Splits Promela text into tokens. Lines matter to the preprocessor, and where a semicolon may be left out, so every token
//! knows whether it is the first of its line.

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    /// Text in double quotes.
    Text,
    Symbol,
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) span: Span,
    /// Whether nothing but space precedes it on its line.
    pub(super) first: bool,
}

/// Longer ones first.
const SYMBOLS: [&str; 22] = [
    "<->", "...", "->", "::", "++", "--", "!!", "??", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "..",
    "[]", "<>", "/\\", "\\/", "##",
];

/// The tokens of a text, with one at the end. A line that ends with a backslash goes on with the next.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Box<Diagnostic>> {
    let mut found = Vec::new();
    let (mut at, mut first) = (0, true);
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let end_of = |is: &dyn Fn(char) -> bool| at + rest.find(|next: char| !is(next)).unwrap_or(rest.len());
        let is_of_word = |next: char| next.is_ascii_alphanumeric() || next == '_';
        let (kind, end) = if next == '\n' {
            first = true;
            at += 1;
            continue;
        } else if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") {
            at += rest.find('\n').unwrap_or(0) + 1;
            continue;
        } else if next.is_whitespace() {
            at += next.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if let Some(inner) = rest.strip_prefix("/*") {
            let Some(length) = inner.find("*/") else {
                return Err(unfinished(at, "this comment does not end", "`*/` is missing").into());
            };
            // The next token is first of its line if the comment has several.
            first |= rest[..length + 4].contains('\n');
            at += length + 4;
            continue;
        } else if next == '"' {
            (Kind::Text, quoted(rest, '"').map(|length| at + length).ok_or_else(|| no_quote(at))?)
        } else if next == '\'' {
            (Kind::Number, quoted(rest, '\'').map(|length| at + length).ok_or_else(|| no_quote(at))?)
        } else if next.is_ascii_alphabetic() || next == '_' {
            (Kind::Word, end_of(&is_of_word))
        } else if next.is_ascii_digit() {
            (Kind::Number, end_of(&is_of_word))
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            (Kind::Symbol, at + symbol.len())
        } else {
            (Kind::Symbol, at + next.len_utf8())
        };
        found.push(Token { kind, text: &text[at..end], span: Span { start: at, end }, first });
        first = false;
        at = end;
    }
    let span = Span { start: text.len(), end: text.len() };
    found.push(Token { kind: Kind::End, text: "", span, first: true });
    Ok(found)
}

/// The length of a text in quotes that ends on its line.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, next) in rest.char_indices().skip(1) {
        match next {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if next == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn unfinished(at: usize, message: &str, label: &str) -> Diagnostic {
    Diagnostic::error(Span { start: at, end: at + 1 }, message, label)
}

fn no_quote(at: usize) -> Diagnostic {
    unfinished(at, "this text does not end", "a quote is missing on this line")
}
