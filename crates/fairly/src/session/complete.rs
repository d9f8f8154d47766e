//! What can be written at a place of a text: names that are visible there, the labels and parts of a process after `@` and
//! `.`, fields of records after `.`, labels after `goto`, and the words of the language.

use lang::index::Kind;
use lang::words;

use super::Document;

/// Something that can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The name or word.
    pub text: String,
    /// What it names; `None` for a word of the language.
    pub kind: Option<Kind>,
    /// What it is or means, in a few words.
    pub detail: &'static str,
}

/// What can be written at a byte of a document; what stands of a name before it is to be replaced.
pub fn complete(document: &Document, byte: usize) -> Vec<Completion> {
    if !document.is_ours() {
        return Vec::new();
    }
    let index = &document.index;
    let written = document.text.get(..byte).unwrap_or(&document.text);
    let before = &written[..beginning(written)];
    let of_process = |name: &str, kinds: &[Kind]| -> Vec<Completion> {
        let processes = index.definitions.iter().enumerate();
        let processes = processes.filter(|(_, own)| own.kind == Kind::Process && own.name == name);
        processes
            .flat_map(|(number, _)| index.parts(number))
            .filter(|part| kinds.contains(&part.kind) && !part.implied)
            .map(|part| named(&part.name, part.kind))
            .collect()
    };
    if let Some(rest) = before.strip_suffix('@') {
        return of_process(base(rest), &[Kind::Label]);
    }
    if let Some(rest) = before.strip_suffix('.').filter(|rest| !rest.ends_with('.')) {
        let parts = of_process(base(rest), &[Kind::Label, Kind::Action, Kind::Local]);
        return if parts.is_empty() { fields(document) } else { parts };
    }
    if before.trim_end().ends_with("goto") {
        let around = index
            .definitions
            .iter()
            .find(|own| own.kind == Kind::Process && (own.whole.start..=own.whole.end).contains(&byte));
        return of_process(around.map_or("", |own| &own.name), &[Kind::Label]);
    }
    let fairness = index.definitions.iter().filter(|own| own.kind == Kind::Fairness);
    let names = index.visible(byte).chain(fairness).map(|own| named(&own.name, own.kind));
    let keywords = words::WORDS.iter().filter(|word| word.text != "_").map(|word| Completion {
        text: word.text.to_owned(),
        kind: None,
        detail: word.meaning,
    });
    names.chain(keywords).collect()
}

/// Where the name that a text ends with begins.
pub fn beginning(text: &str) -> usize {
    text.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len()
}

fn named(name: &str, kind: Kind) -> Completion {
    Completion { text: name.to_owned(), kind: Some(kind), detail: kind.noun() }
}

/// The fields of all records, each name once.
fn fields(document: &Document) -> Vec<Completion> {
    let records = document.outline.iter().filter(|it| it.kind == super::SymbolKind::Record);
    let mut names: Vec<&str> =
        records.flat_map(|record| &record.children).map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let field = |name: &str| Completion { text: name.to_owned(), kind: Some(Kind::Local), detail: "field" };
    names.into_iter().map(field).collect()
}

/// The name before an index: `P` in `… P[i + 1]`.
fn base(text: &str) -> &str {
    let mut end = text.len();
    let mut depth = 0;
    for (at, letter) in text.char_indices().rev() {
        match letter {
            ']' => depth += 1,
            '[' => depth -= 1,
            _ if depth == 0 => break,
            _ => {}
        }
        end = at;
    }
    let text = &text[..end];
    &text[beginning(text)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_depends_on_what_stands_before() {
        let text = "record Vote { term: 0..1, from: bool }
shared v: array[1..2] of Vote; fairness f: weak P;
process P[i: 1..2] { local y: bool; loop { a: goto b; b: y = P[3 - i]@a && v[i].term == 1; } }";
        let document = Document::open("test", text, &[], &|_| Err(String::new()));
        let offered = |after: &str| -> Vec<String> {
            let byte = text.find(after).expect("it is there") + after.len();
            complete(&document, byte).into_iter().map(|it| it.text).collect()
        };
        assert_eq!(offered("P[3 - i]@"), ["a", "b"]);
        assert_eq!(offered("v[i].te"), ["from", "term"]);
        assert_eq!(offered("goto "), ["a", "b"]);
        let names = offered("b: y");
        for name in ["v", "P", "i", "y", "f", "Vote", "forall"] {
            assert!(names.iter().any(|own| own == name), "{name}: {names:?}");
        }
        assert!(!names.iter().any(|own| own == "a"), "a label does not stand alone");
        assert!(complete(&document, 9999).iter().any(|it| it.text == "process"));
    }
}
