//! Renames a definition and its uses.
//!
//! The new text must mean the same. It does if it has the same definitions at the same places with the same uses, and
//! no new errors: nothing is captured, no word became an operator, no name is taken. So the text is changed, read again
//! and compared; there is no list of what can go wrong.

use super::{Definition, Index};
use crate::diagnostic::Severity;
use crate::lexer::is_name;
use crate::syntax::Span;

/// The places to be replaced by `new` in order to rename what stands at a byte of the text, in order; or why it cannot
/// be renamed.
pub fn rename(text: &str, byte: usize, new: &str) -> Result<Vec<Span>, String> {
    let index = indexed(text);
    let found = index.at(byte);
    let Some(first) = found.first() else {
        return Err("there is no name here that has a meaning".to_owned());
    };
    if found.len() > 1 {
        let message =
            "this name stands for parts of several processes, which would have to be renamed together";
        return Err(message.to_owned());
    }
    let Definition { name, kind, span, uses, implied, .. } = first.definition;
    if *implied {
        return Err(format!("`{name}` is a name that the language gives; write a label to choose another"));
    }
    if *kind == super::Kind::Proposition {
        return Err(format!("`{name}` is a name of the automaton in the file"));
    }
    if !is_name(new) {
        return Err(format!(
            "`{new}` cannot be a name: a name has letters, digits and `_`, does not begin with a digit and is not a \
             reserved word"
        ));
    }
    let mut places: Vec<Span> = std::iter::once(*span).chain(uses.iter().copied()).collect();
    places.sort_unstable_by_key(|span| span.start);
    let renamed = replaced(text, &places, new);
    if errors(text) < errors(&renamed) || !same(&index, &indexed(&renamed), first.number, &places, new) {
        return Err(format!("`{new}` already means something else where `{name}` is used"));
    }
    Ok(places)
}

fn indexed(text: &str) -> Index {
    Index::new(text, &crate::parse(text).0)
}

/// The number of errors of a text, except for automata that cannot be read.
fn errors(text: &str) -> usize {
    let loaded = crate::load("", text, &[]);
    loaded.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}

/// The text with `new` in these places.
fn replaced(text: &str, places: &[Span], new: &str) -> String {
    let mut result = String::new();
    let mut end = 0;
    for place in places {
        result.push_str(&text[end..place.start]);
        result.push_str(new);
        end = place.end;
    }
    result + &text[end..]
}

/// Whether the new index is the old one with one name changed.
fn same(old: &Index, new: &Index, renamed: usize, places: &[Span], name: &str) -> bool {
    let moved = |byte: usize| {
        let before = places.iter().take_while(|place| place.end <= byte);
        let change: isize =
            before.map(|place| name.len() as isize - (place.end - place.start) as isize).sum();
        byte.saturating_add_signed(change)
    };
    let moved = |span: Span| Span { start: moved(span.start), end: moved(span.end) };
    let expected: Vec<Definition> = old
        .definitions
        .iter()
        .enumerate()
        .map(|(number, own)| Definition {
            name: if number == renamed { name.to_owned() } else { own.name.clone() },
            span: moved(own.span),
            scope: moved(own.scope),
            uses: own.uses.iter().map(|span| moved(*span)).collect(),
            ..own.clone()
        })
        .collect();
    expected == new.definitions
}
