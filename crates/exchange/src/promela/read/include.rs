//! Puts the texts of other files where `#include "file"` names them.
//!
//! Whatever comes from another file has the place of the directive that includes it. A file that cannot be read is an error
//! only where the preprocessor comes to its directive: it may stand in a part that `#if` leaves out.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use super::tokens::{Kind, tokens};
use crate::import::Files;
use crate::text::Parsed;

/// The greatest length of a file with all that it includes.
const LENGTH: usize = 8 << 20;
/// How deep files may include others.
const DEPTH: usize = 20;
/// The greatest number of tokens that `#` and `##` make.
const MADE: usize = 10_000;

/// A text with all that it includes.
pub(super) struct Whole {
    pub(super) text: String,
    /// Where pieces begin, and where they come from.
    pieces: Vec<(usize, Place)>,
    /// Why a file cannot be read, by where its directive begins.
    unread: BTreeMap<usize, String>,
    pub(super) made: Made,
}

/// Texts that macros make: a list that only grows, so that tokens can refer to them.
#[derive(Default)]
pub(super) struct Made(OnceCell<Box<(String, Made)>>);

impl Made {
    /// Keeps a text; `None` if there are too many.
    pub(super) fn add(&self, text: String) -> Option<&str> {
        let (mut last, mut text) = (self, Some(text));
        for _ in 0..MADE {
            let make = || Box::new((text.take().unwrap_or_default(), Made::default()));
            let (own, next) = &**last.0.get_or_init(make);
            if text.is_none() {
                return Some(own);
            }
            last = next;
        }
        None
    }
}

#[derive(Clone, Copy)]
enum Place {
    /// From this position of the file itself on.
    Own(usize),
    /// From another file.
    Included(Span),
}

impl Whole {
    pub(super) fn new(text: &str, files: Files<'_>) -> Parsed<Whole> {
        let mut whole =
            Whole { text: String::new(), pieces: Vec::new(), unread: BTreeMap::new(), made: Made::default() };
        whole.add(text, "", None, files, 0)?;
        Ok(whole)
    }

    fn add(
        &mut self,
        text: &str,
        folder: &str,
        from: Option<Span>,
        files: Files<'_>,
        depth: usize,
    ) -> Parsed<()> {
        let place = |at: usize| from.map_or(Place::Own(at), Place::Included);
        let mut at = 0;
        let all = tokens(text).map_err(|mut error| {
            error.span = from.or(error.span);
            error
        })?;
        for three in all.windows(3) {
            let [sharp, word, name] = three else { continue };
            if !(sharp.first && sharp.text == "#" && word.text == "include" && name.kind == Kind::Text) {
                continue;
            }
            let named = name.text.trim_matches('"');
            let path = format!("{folder}{named}");
            let span = from.unwrap_or(Span { start: sharp.span.start, end: name.span.end });
            self.piece(place(at), &text[at..sharp.span.start]);
            at = name.span.end;
            match files(&path) {
                Ok(included) if depth < DEPTH && self.text.len() + included.len() <= LENGTH => {
                    let folder = path.rfind('/').map_or("", |end| &path[..=end]);
                    self.add(&included, folder, Some(span), files, depth + 1)?;
                }
                Ok(_) => {
                    let message = "files include each other, or are too long";
                    return Err(Diagnostic::error(span, message, "included here").into());
                }
                Err(reason) => {
                    self.unread.insert(self.text.len(), reason);
                    self.piece(place(sharp.span.start), &text[sharp.span.start..at]);
                }
            }
        }
        self.piece(place(at), &text[at..]);
        Ok(())
    }

    fn piece(&mut self, place: Place, text: &str) {
        self.pieces.push((self.text.len(), place));
        self.text.push_str(text);
    }

    /// Where something stands in the file itself.
    pub(super) fn place(&self, span: Span) -> Span {
        let piece = |at: usize| {
            let after = self.pieces.partition_point(|(start, _)| *start <= at);
            self.pieces[after.saturating_sub(1)]
        };
        match (piece(span.start), piece(span.end.saturating_sub(1).max(span.start))) {
            ((start, Place::Own(own)), (other, Place::Own(end))) => {
                Span { start: span.start - start + own, end: span.end - other + end }
            }
            ((_, Place::Included(span)), _) | (_, (_, Place::Included(span))) => span,
        }
    }

    /// The same message with its places in the file itself.
    pub(super) fn located(&self, mut error: Box<Diagnostic>) -> Box<Diagnostic> {
        error.span = error.span.map(|span| self.place(span));
        error
    }

    /// Why the file of the directive that begins here cannot be read.
    pub(super) fn unread(&self, at: usize) -> Option<&str> {
        self.unread.get(&at).map(String::as_str)
    }
}
