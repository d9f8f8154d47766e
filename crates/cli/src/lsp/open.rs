//! A document that is open in the editor: its text, what it means, and what is known about its properties.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use driver::{Diagnostic, Outcome, Severity, Verdict};
use fairly::session::{Advice, Document, Language, Span, SymbolKind};
use serde_json::{Value, json};

use super::place::Lines;
use crate::sources::Source;
use crate::text;

/// An open document.
pub(super) struct Open {
    pub(super) uri: String,
    pub(super) version: Value,
    pub(super) text: String,
    pub(super) lines: Lines,
    /// What the text means. It may be that of an older text, if it is `stale`.
    pub(super) document: Document,
    /// When to show what was found out since it was last shown.
    pub(super) unshown: Option<Instant>,
    /// When to read the text again, if it has changed since.
    pub(super) stale: Option<Instant>,
    /// What was found out about this text.
    pub(super) outcomes: Vec<Outcome>,
    pub(super) advice: Vec<Advice>,
    /// Why nothing can be found out.
    pub(super) problem: Option<String>,
    pub(super) checking: bool,
}

impl Open {
    pub(super) fn new(uri: &str, version: Value, text: String, others: &BTreeMap<String, Open>) -> Open {
        let document = read(uri, &text, others);
        let lines = Lines::new(&text);
        Open {
            uri: uri.to_owned(),
            version,
            text,
            lines,
            document,
            unshown: None,
            stale: None,
            outcomes: Vec::new(),
            advice: Vec::new(),
            problem: None,
            checking: false,
        }
    }

    /// Makes a change that the editor reports. Without a range it is the whole text.
    pub(super) fn change(&mut self, change: &Value) {
        let Some(new) = change.get("text").and_then(Value::as_str) else { return };
        match change.get("range").and_then(|range| self.lines.span(&self.text, range)) {
            Some(span) => self.text.replace_range(span.start..span.end, new),
            None => new.clone_into(&mut self.text),
        }
        self.lines = Lines::new(&self.text);
    }

    /// Reads the text again. What was known about the old one is forgotten.
    pub(super) fn refresh(&mut self, others: &BTreeMap<String, Open>) {
        (self.stale, self.unshown) = (None, None);
        self.document = read(&self.uri, &self.text, others);
        self.outcomes.clear();
        self.advice.clear();
        self.problem = None;
        self.checking = false;
    }

    /// Whether it names the document with this address.
    pub(super) fn names(&self, uri: &str) -> bool {
        let (Some(own), Some(other)) = (path(&self.uri), path(uri)) else { return false };
        self.document.files().any(|file| same(&own.with_file_name(file), &other))
    }

    /// Keeps an outcome in place of an older one.
    pub(super) fn learn(&mut self, outcome: Outcome) {
        self.outcomes.retain(|known| known.property != outcome.property);
        self.outcomes.push(outcome);
    }

    /// The invariants and properties: name and place. What a translation adds stands nowhere in the text.
    pub(super) fn claims(&self) -> impl Iterator<Item = (&str, Span)> {
        let claims = self.document.outline.iter();
        let claims = claims.filter(|own| matches!(own.kind, SymbolKind::Invariant | SymbolKind::Property));
        claims.filter(|own| own.span.start < own.span.end).map(|own| (own.name.as_str(), own.name_span))
    }

    /// The address of a file that the document includes, or its own.
    pub(super) fn uri_of(&self, file: Option<&str>) -> String {
        let Some(file) = file else { return self.uri.clone() };
        let folder = if file.starts_with('/') {
            "file://"
        } else {
            self.uri.rfind('/').map_or("", |end| &self.uri[..=end])
        };
        format!("{folder}{}", encoded(file))
    }

    /// What is known about a property or the members of a family, in the order of the model.
    pub(super) fn outcomes_of(&self, name: &str) -> Vec<&Outcome> {
        let order: BTreeMap<String, usize> =
            self.document.properties().enumerate().map(|(place, own)| (own.to_string(), place)).collect();
        let own = self.outcomes.iter().filter(|outcome| outcome.property.family == name);
        let mut found: Vec<&Outcome> = own.collect();
        found.sort_by_cached_key(|outcome| order.get(&outcome.property.to_string()).copied());
        found
    }

    /// Everything the editor should underline.
    pub(super) fn diagnostics(&self) -> Vec<Value> {
        let own = self.document.diagnostics.iter().map(|diagnostic| self.diagnostic(diagnostic));
        let verdicts = self.claims().flat_map(|(name, span)| {
            let outcomes = self.outcomes_of(name).into_iter();
            outcomes.filter_map(move |outcome| self.verdict(span, outcome))
        });
        own.chain(verdicts).collect()
    }

    fn diagnostic(&self, diagnostic: &Diagnostic) -> Value {
        let Diagnostic { severity, message, span, label, related, help, included } = diagnostic;
        let mut message = message.clone();
        for more in [Some(label), help.as_ref()].into_iter().flatten().filter(|more| !more.is_empty()) {
            message = format!("{message}\n{more}");
        }
        let mut related: Vec<Value> = related
            .iter()
            .map(|(span, text)| {
                let location = json!({ "uri": self.uri, "range": self.lines.range(&self.text, *span) });
                json!({ "location": location, "message": text })
            })
            .collect();
        if let Some(inside) = included {
            let span = inside.diagnostic.span.unwrap_or_default();
            let range = Lines::new(&inside.text).range(&inside.text, span);
            let location = json!({ "uri": self.uri_of(Some(&inside.file)), "range": range });
            related.push(json!({ "location": location, "message": inside.diagnostic.message }));
        }
        json!({
            "range": self.lines.range(&self.text, span.unwrap_or_default()),
            "severity": if *severity == Severity::Error { 1 } else { 2 },
            "source": "fairly",
            "message": message,
            "relatedInformation": related,
        })
    }

    /// What should be said about an answer. Nothing, if it is as the model expects.
    fn verdict(&self, span: Span, outcome: &Outcome) -> Option<Value> {
        let expected =
            outcome.expected.map_or_else(String::new, |own| format!(", not as expected ({})", own.name()));
        let (severity, extra) = match (outcome.as_expected(), outcome.verdict) {
            (Some(true), _) => return None,
            (Some(false), _) => (1, expected),
            (None, _) => (3, String::new()),
        };
        let mut message = format!("`{}`: {}{extra}", outcome.property, outcome.in_words());
        for note in outcome.notes.iter().filter(|note| text::is_news(note, outcome)) {
            message = format!("{message}\n{note}");
        }
        if outcome.verdict == Verdict::Fails
            && let Some(found) = &outcome.counterexample
            && let driver::report::Kind::Fault(why) = &found.kind
        {
            message = format!("{message}\n{why}");
        }
        Some(json!({
            "range": self.lines.range(&self.text, span),
            "severity": severity,
            "code": outcome.verdict.name(),
            "source": "fairly",
            "message": message,
        }))
    }
}

/// Whether two paths lead to the same file.
fn same(one: &Path, other: &Path) -> bool {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    canonical(one) == canonical(other)
}

/// What a text means. Files that it names are those that are open in the editor, or are read from its folder.
fn read(uri: &str, text: &str, others: &BTreeMap<String, Open>) -> Document {
    let path = path(uri);
    let name = path.as_deref().and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    let beside = |file: &str| match &path {
        Some(path) => {
            let place = path.with_file_name(file);
            let open = |uri: &str| self::path(uri).is_some_and(|other| same(&other, &place));
            match others.iter().find(|(uri, _)| open(uri)) {
                Some((_, open)) => Ok(open.text.clone()),
                None => Source::read(&place).map(|source| source.text),
            }
        }
        None => Err(format!("cannot read {file}: the model is not in a file")),
    };
    let language = Language::of_file(uri);
    Document::open_as(language, name.as_deref().unwrap_or("model"), text, &[], &beside)
}

/// The path of a `file:` address.
fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let encoded = &rest[rest.find('/')?..];
    let mut bytes = Vec::new();
    let mut at = 0;
    while let Some(byte) = encoded.as_bytes().get(at) {
        let code = encoded.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let (b'%', Some(code)) = (byte, code) {
            bytes.push(code);
            at += 3;
        } else {
            bytes.push(*byte);
            at += 1;
        }
    }
    Some(PathBuf::from(String::from_utf8(bytes).ok()?))
}

/// A path as a part of an address.
fn encoded(path: &str) -> String {
    let kept = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let sign = |byte: u8| if kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_an_address_is_the_path() {
        assert_eq!(encoded("lib/b ä.fair"), "lib/b%20%C3%A4.fair");
        assert_eq!(path(&format!("file:///x/{}", encoded("b ä.fair"))), Some(PathBuf::from("/x/b ä.fair")));
    }

    #[test]
    fn an_address_of_a_file_is_a_path() {
        assert_eq!(path("file:///a/b%20%C3%A4.fair"), Some(PathBuf::from("/a/b ä.fair")));
        assert_eq!(path("file://host/a"), Some(PathBuf::from("/a")));
        assert_eq!(path("untitled:Untitled-1"), None);
        assert_eq!(path("file:///a%zz"), Some(PathBuf::from("/a%zz")));
    }
}
