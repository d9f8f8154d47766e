//! Adds fairness to what a property assumes, as a change of its text.
//!
//! What the property already names with `under` stays, joined with `&`. A property without `under` gets one; what it
//! assumed before, the fairness without a name, is no part of it then. A minimal assumption is enough without that.

use lang::syntax::{Fair, FairKind, ItemKind, Span};
use model::Name;

use super::Document;

/// A text in place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty if something is inserted.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// The change that makes this property, or its whole family, assume these requirements as well. `None` if there is no
/// such property, if it takes no fairness, or if the text is not in our language.
pub fn assume(document: &Document, property: &Name, requirements: &[String]) -> Option<Edit> {
    if !document.is_ours() {
        return None;
    }
    let (file, _) = lang::parse(&document.text);
    let joined = requirements.join(" & ");
    file.items.iter().find_map(|item| {
        let (name, under, from) = match &item.kind {
            ItemKind::Property { name, under, body, .. } => (name, under, body.span.end),
            ItemKind::Never { name, under, file, propositions, .. } => {
                let end = propositions.last().map_or(file.span.end, |last| last.meaning.span.end);
                (name, under, end)
            }
            _ => return None,
        };
        if name.text != property.family {
            return None;
        }
        Some(match under {
            Some(Fair { kind: FairKind::None, span }) => Edit { span: *span, text: joined.clone() },
            Some(Fair { kind, span }) => {
                let old = document.text.get(span.start..span.end)?;
                let old = if matches!(kind, FairKind::Or(_)) { format!("({old})") } else { old.to_owned() };
                Edit { span: *span, text: format!("{old} & {joined}") }
            }
            None => {
                let at = end_of_claim(&document.text, from, item.span.end)?;
                Edit { span: Span { start: at, end: at }, text: format!(" under {joined}") }
            }
        })
    })
}

/// Where the claim of a property ends: after the last character before `expect` or `;` that is no space or comment.
fn end_of_claim(text: &str, from: usize, to: usize) -> Option<usize> {
    let (mut at, mut end) = (from, from);
    while at < to {
        let rest = text.get(at..to)?;
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with(';') || rest.starts_with("expect") {
            return Some(end);
        } else {
            let first = rest.chars().next()?;
            at += first.len_utf8();
            if !first.is_whitespace() {
                end = at;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_property_assumes_what_it_did_and_more() {
        let process = "process P { action go { skip; } action on { skip; } }\n";
        for (before, after) in [
            ("property p: F true;", "property p: F true under strong P.go & weak P.on;"),
            (
                "property p: (F (true)) // so; expect\n  expect holds;",
                "property p: (F (true)) under strong P.go & weak P.on // so; expect\n  expect holds;",
            ),
            (
                "property p: F true under weak P expect holds;",
                "property p: F true under weak P & strong P.go & weak P.on expect holds;",
            ),
            (
                "property p: F true under weak P | global;",
                "property p: F true under (weak P | global) & strong P.go & weak P.on;",
            ),
            ("property p: F true under none;", "property p: F true under strong P.go & weak P.on;"),
        ] {
            let text = format!("{process}{before}");
            let document = Document::open("test", &text, &[], &|_| Err(String::new()));
            let requirements = ["strong P.go", "weak P.on"].map(str::to_owned);
            let edit = assume(&document, &"p".into(), &requirements).expect("an edit");
            let mut changed = text.clone();
            changed.replace_range(edit.span.start..edit.span.end, &edit.text);
            assert_eq!(changed, format!("{process}{after}"));
            let again = Document::open("test", &changed, &[], &|_| Err(String::new()));
            assert!(again.model().is_some(), "{:?}", again.diagnostics);
            assert_eq!(assume(&document, &"q".into(), &requirements), None);
        }
    }
}
