//! The index of a model together with the files that it includes.
//!
//! The texts are put one behind the other, the model first, as [`include`](crate::include) does for the checker. So a place in
//! the model is the same place in the whole, a definition may be in another file, and [`Whole::place`] says in which.

use super::Index;
use crate::include::{Sources, Texts, gather};
use crate::syntax::Span;

/// The definitions of a model and of all that it includes, with their uses.
pub struct Whole {
    /// The index of all texts, one behind the other.
    pub index: Index,
    sources: Sources,
}

/// A place in one of the files of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace<'w> {
    /// The file, relative to the model; `None` for the model itself.
    pub file: Option<&'w str>,
    /// Its text.
    pub text: &'w str,
    /// The first byte of the place in the text, and the byte behind its last.
    pub bytes: (usize, usize),
}

impl Whole {
    /// The index of a model of this name. `texts` returns the text of a file that is included; one that cannot be read is left
    /// out.
    pub fn new(name: &str, text: &str, texts: &Texts<'_>) -> Whole {
        let (sources, file, _) = gather(name, text, texts);
        Whole { index: Index::new(&sources.text, &file), sources }
    }

    /// Where a span of the index is.
    pub fn place(&self, span: Span) -> FilePlace<'_> {
        let (file, text, start) = self.sources.file_at(span.start);
        FilePlace { file, text, bytes: (span.start - start, span.end.min(start + text.len()) - start) }
    }
}
