//! The diagnostics of a text, one per line, with the text that each underlines in guillemets.

use lang::diagnostic::Severity;
use lang::syntax::Span;
use lang::{Loaded, load};

/// The diagnostics of a text.
pub(crate) fn said(text: &str) -> Vec<String> {
    said_with(text, &[])
}

/// The same with values given by `--set`.
pub(crate) fn said_with(text: &str, settings: &[(&str, &str)]) -> Vec<String> {
    let settings: Vec<(String, String)> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    said_of(text, load("test", text, &settings))
}

/// The diagnostics of a text that has been loaded.
pub(crate) fn said_of(text: &str, loaded: Loaded) -> Vec<String> {
    let place = |span: Span| format!("«{}»", &text[span.start..span.end]);
    let errors = loaded.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(loaded.model.is_none(), errors, "there is a model exactly if there is no error");
    let line = |diagnostic: lang::diagnostic::Diagnostic| {
        let warning = if diagnostic.severity == Severity::Warning { "warning: " } else { "" };
        let first = diagnostic.span.map(|span| place(span) + " ").unwrap_or_default();
        let mut parts = vec![format!("{warning}{first}{}", diagnostic.message)];
        parts.extend(Some(diagnostic.label).filter(|label| !label.is_empty()));
        parts.extend(diagnostic.related.into_iter().map(|(span, note)| format!("{} {note}", place(span))));
        parts.extend(diagnostic.help.map(|help| format!("help: {help}")));
        parts.join(" | ")
    };
    loaded.diagnostics.into_iter().map(line).collect()
}
