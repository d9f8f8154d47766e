//! Diagnostics: what is wrong with a file, where, and what to write instead.
//!
//! A diagnostic is plain data; the caller decides how to show it.

use crate::syntax::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The file has no meaning.
    Error,
    /// The file has a meaning, but perhaps not the one intended.
    Warning,
}

/// A message about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The text at fault; `None` if the fault is not in the file (a bad `--set`).
    pub span: Option<Span>,
    /// The label under the underlined text: usually what was expected.
    pub label: String,
    /// Further places that explain it: "first declared here".
    pub related: Vec<(Span, String)>,
    /// What to do about it: "did you mean `crit`?".
    pub help: Option<String>,
    /// If it is about an included file: the message about that file. The other fields are for who shows only the model:
    /// the span is that of the `include`, and the message names the place.
    pub included: Option<Box<Included>>,
}

/// A message about a file that the model includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// Its name, relative to the model.
    pub file: String,
    /// Its text.
    pub text: String,
    /// The message, with places in this text.
    pub diagnostic: Diagnostic,
}

impl Diagnostic {
    /// An error at a span.
    pub fn error(span: Span, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span: Some(span),
            label: label.into(),
            related: Vec::new(),
            help: None,
            included: None,
        }
    }

    /// A warning at a span.
    pub fn warning(span: Span, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message, label) }
    }

    /// An error that is not in the file.
    pub fn outside(message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: None, ..Diagnostic::error(Span::default(), message, "") }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.related.push((span, text.into()));
        self
    }
}

/// The candidate nearest to a misspelt word, if one is near enough to suggest.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let limit = 1 + word.chars().count() / 4;
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Longer words, in bytes, are not compared.
const LONGEST: usize = 64;

/// The number of insertions, deletions, replacements and swaps of neighbours that turn one word into another.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    if a.len().abs_diff(b.len()) > 8 {
        return usize::MAX;
    }
    let mut table = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let mut best = (table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                best = best.min(table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]));
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(table[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_suggested_only_if_it_is_near() {
        assert_eq!(nearest("crti", ["try", "crit", "exit"]), Some("crit"));
        assert_eq!(nearest("wiating", ["waiting", "idle"]), Some("waiting"));
        assert_eq!(nearest("foo", ["waiting", "idle"]), None);
        assert_eq!(nearest("x", ["y"]), None);
    }
}
