//! Expressions in parentheses, with their places.

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

/// An expression and its place.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) item: Sexpr,
    pub(super) span: Span,
}

/// A word, or expressions in parentheses.
#[derive(Clone, Debug)]
pub(super) enum Sexpr {
    Word(String),
    List(Vec<Item>),
}

impl Item {
    /// The word, if it is one.
    pub(super) fn word(&self) -> Option<&str> {
        match &self.item {
            Sexpr::Word(word) => Some(word),
            Sexpr::List(_) => None,
        }
    }

    /// Whether it is this word.
    pub(super) fn is(&self, word: &str) -> bool {
        self.word() == Some(word)
    }
}

/// Limit on the nesting of parentheses.
const DEPTH: usize = 2_000;

/// The expressions of a text.
pub(super) fn read(text: &str) -> Result<Vec<Item>, Box<Diagnostic>> {
    // The lists that are open, with where each began; the lowest is the whole text.
    let mut open: Vec<(usize, Vec<Item>)> = vec![(0, Vec::new())];
    let mut position = 0;
    let at = |position: usize| Span { start: position, end: (position + 1).min(text.len()) };
    while let Some(first) = text[position..].chars().next() {
        let rest = &text[position..];
        match first {
            ';' => position += rest.find('\n').unwrap_or(rest.len()),
            '(' => {
                if open.len() > DEPTH {
                    return Err(Diagnostic::error(
                        at(position),
                        "this is nested too deeply",
                        "given up here",
                    )
                    .into());
                }
                open.push((position, Vec::new()));
                position += 1;
            }
            ')' => {
                position += 1;
                let Some((start, parts)) = open.pop() else { break };
                let Some((_, outer)) = open.last_mut() else {
                    return Err(
                        Diagnostic::error(at(position - 1), "nothing is open here", "not expected").into()
                    );
                };
                outer.push(Item { item: Sexpr::List(parts), span: Span { start, end: position } });
            }
            first if first.is_whitespace() => position += first.len_utf8(),
            _ => {
                let quoted = first == '|';
                let length = if quoted {
                    rest[1..].find('|').map_or(rest.len(), |at| at + 2)
                } else {
                    rest.find(|c: char| c.is_whitespace() || "();".contains(c)).unwrap_or(rest.len())
                };
                let span = Span { start: position, end: position + length };
                let word = rest[..length].trim_matches('|').to_owned();
                if let Some((_, parts)) = open.last_mut() {
                    parts.push(Item { item: Sexpr::Word(word), span });
                }
                position += length;
            }
        }
    }
    match (open.pop(), open.is_empty()) {
        (Some((_, items)), true) => Ok(items),
        (Some((start, _)), false) => {
            Err(Diagnostic::error(at(start), "this parenthesis has no end", "expected `)`").into())
        }
        (None, _) => Ok(Vec::new()),
    }
}
