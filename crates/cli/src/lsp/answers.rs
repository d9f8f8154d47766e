//! What the editor asks about an open document. Each answer is made from the session's document alone.

use driver::model::show;
use driver::{Outcome, Verdict};
use fairly::session::{
    Completion, Kind, Occurrence, Place, Span, Symbol, SymbolKind, assume, complete, words,
};
use serde_json::{Map, Value, json};

use super::open::Open;
use super::place::{Lines, units};
use crate::text;

/// The names of kinds of tokens, in the order of [`token`].
pub(super) const TOKENS: [&str; 10] = [
    "variable",
    "parameter",
    "property",
    "enum",
    "enumMember",
    "function",
    "macro",
    "class",
    "event",
    "decorator",
];

/// The longest run that is shown in full.
const LONG: usize = 40;

/// `textDocument/documentSymbol`
pub(super) fn symbols(open: &Open) -> Value {
    Value::Array(open.document.outline.iter().map(|own| symbol(open, own)).collect())
}

fn symbol(open: &Open, own: &Symbol) -> Value {
    let kind = match own.kind {
        SymbolKind::Constant | SymbolKind::Parameter => 14,
        SymbolKind::Enum => 10,
        SymbolKind::Record => 23,
        SymbolKind::Field => 8,
        SymbolKind::Member => 22,
        SymbolKind::Definition | SymbolKind::Macro => 12,
        SymbolKind::Variable => 13,
        SymbolKind::Channel => 18,
        SymbolKind::Process => 5,
        SymbolKind::Action => 6,
        SymbolKind::Event => 24,
        SymbolKind::Label => 20,
        SymbolKind::Fairness => 11,
        SymbolKind::Invariant | SymbolKind::Property => 7,
    };
    json!({
        "name": own.name,
        "detail": own.kind.name(),
        "kind": kind,
        "range": open.lines.range(&open.text, own.span),
        "selectionRange": open.lines.range(&open.text, own.name_span),
        "children": own.children.iter().map(|child| symbol(open, child)).collect::<Vec<_>>(),
    })
}

/// `textDocument/formatting`: one change, or none if it is formatted already; null if it cannot be parsed.
pub(super) fn formatting(open: &Open) -> Value {
    match open.document.formatted() {
        None => Value::Null,
        Some(new) if new == open.text => json!([]),
        Some(new) => {
            let all = Span { start: 0, end: open.text.len() };
            json!([{ "range": open.lines.range(&open.text, all), "newText": new }])
        }
    }
}

/// `textDocument/codeLens`: above each property its verdict, or the offer to check it.
pub(super) fn lenses(open: &Open) -> Value {
    let lens = |(name, span): (&str, Span)| {
        let command =
            json!({ "title": title(open, name), "command": "fairly.check", "arguments": [open.uri, name] });
        json!({ "range": open.lines.range(&open.text, span), "command": command })
    };
    Value::Array(open.claims().map(lens).collect())
}

fn title(open: &Open, name: &str) -> String {
    let outcomes = open.outcomes_of(name);
    match &outcomes[..] {
        [] if open.checking => "… checking".to_owned(),
        [] if open.problem.is_some() => format!("? {}", open.problem.as_deref().unwrap_or_default()),
        [] => "▶ check".to_owned(),
        [one] => {
            let by = text::found_by(one).map_or_else(String::new, |by| format!(" · {by}"));
            format!("{} {}{by}", mark(one), one.in_words())
        }
        several => {
            let count = |verdict: Verdict| several.iter().filter(|own| own.verdict == verdict).count();
            let parts = [
                (count(Verdict::Holds), "✓", "hold"),
                (count(Verdict::Fails), "✗", "fail"),
                (count(Verdict::Unknown), "?", "unknown"),
            ];
            let parts = parts.into_iter().filter(|(number, ..)| *number > 0);
            let parts: Vec<String> =
                parts.map(|(number, mark, word)| format!("{mark} {number} {word}")).collect();
            parts.join(", ")
        }
    }
}

fn mark(outcome: &Outcome) -> &'static str {
    match outcome.verdict {
        Verdict::Holds if outcome.caveat().is_some() => "⚠",
        Verdict::Holds => "✓",
        Verdict::Fails => "✗",
        Verdict::Unknown => "?",
    }
}

/// `textDocument/hover`
pub(super) fn hover(open: &Open, byte: usize) -> Value {
    let found = open.document.index.at(byte);
    let Some(first) = found.first() else { return word_hover(open, byte) };
    let mut parts = Vec::new();
    for Occurrence { definition, number, .. } in &found {
        let facts = open.document.facts(*number);
        let mut part = format!("```fair\n{}\n```\n{}", facts.declaration, facts.noun);
        for more in [facts.meaning, facts.comment].into_iter().flatten() {
            part = format!("{part}\n\n{more}");
        }
        for outcome in open.outcomes_of(&definition.name) {
            if matches!(definition.kind, Kind::Invariant | Kind::Property) {
                part = format!("{part}\n\n{}", described(outcome));
            }
        }
        parts.push(part);
    }
    json!({
        "contents": { "kind": "markdown", "value": parts.join("\n\n---\n\n") },
        "range": open.lines.range(&open.text, first.span),
    })
}

/// An answer with what it rests on, and the run that refutes the property.
fn described(outcome: &Outcome) -> String {
    let by = text::found_by(outcome).map_or_else(String::new, |by| format!(" [{by}]"));
    let mut part = format!("**{} `{}` {}**{by}", mark(outcome), outcome.property, outcome.in_words());
    part = format!("{part}\n\nunder `{}`", outcome.fairness);
    for note in outcome.notes.iter().filter(|note| text::is_news(note, outcome)) {
        part = format!("{part}\n\n{note}");
    }
    let Some(trace) = outcome.counterexample.as_ref().and_then(|found| found.trace.as_ref()) else {
        return part;
    };
    let mut run = format!("0  {}", show::listed(&trace.initial));
    for (number, step) in trace.steps.iter().enumerate().take(LONG) {
        run = format!(
            "{run}\n{}  {}  {}",
            number + 1,
            step.action,
            show::listed(&step.shown().cloned().collect::<Vec<_>>())
        );
    }
    if trace.steps.len() > LONG {
        run = format!("{run}\n… {} more steps", trace.steps.len() - LONG);
    }
    if let Some(cycle) = trace.cycle {
        run = format!("{run}\nagain from step {}", cycle + 1);
    }
    format!("{part}\n\n```\n{run}\n```")
}

/// What a word of the language means.
fn word_hover(open: &Open, byte: usize) -> Value {
    let span = word_at(&open.text, byte);
    let Some(word) = words::meaning(&open.text[span.start..span.end]) else { return Value::Null };
    let value = format!("`{}`: {}", word.text, word.meaning);
    json!({
        "contents": { "kind": "markdown", "value": value },
        "range": open.lines.range(&open.text, span),
    })
}

/// The word around a byte; empty if there is none, or if it is in a comment.
fn word_at(text: &str, byte: usize) -> Span {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start = text[..byte]
        .rfind(|c| !part(c))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let end = text[byte..].find(|c| !part(c)).map_or(text.len(), |at| byte + at);
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    if text[line..start].contains("//") { Span { start: byte, end: byte } } else { Span { start, end } }
}

/// `textDocument/definition`
pub(super) fn definition(open: &Open, byte: usize) -> Value {
    Value::Array(open.document.definitions(byte).iter().map(|place| located(open, place)).collect())
}

/// `textDocument/references`
pub(super) fn references(open: &Open, byte: usize, declaration: bool) -> Value {
    let mut spans: Vec<Span> = Vec::new();
    for Occurrence { definition, .. } in open.document.index.at(byte) {
        spans.extend((declaration && !definition.implied).then_some(definition.span));
        spans.extend(&definition.uses);
    }
    spans.sort_by_key(|span| span.start);
    spans.dedup_by_key(|span| span.start);
    Value::Array(spans.into_iter().map(|span| location(open, span)).collect())
}

/// `textDocument/documentHighlight`
pub(super) fn highlights(open: &Open, byte: usize) -> Value {
    let Value::Array(places) = references(open, byte, true) else { return Value::Null };
    let own = places.into_iter().filter(|place| place["uri"] == open.uri.as_str());
    own.map(|place| json!({ "range": place["range"] })).collect()
}

/// Where something of the index stands, perhaps in an included file.
fn location(open: &Open, span: Span) -> Value {
    located(open, &open.document.place(span))
}

fn located(open: &Open, place: &Place<'_>) -> Value {
    let range = match place.file {
        None => open.lines.range(&open.text, place.span),
        Some(_) => Lines::new(place.text).range(place.text, place.span),
    };
    json!({ "uri": open.uri_of(place.file), "range": range })
}

/// `textDocument/prepareRename`: the name to be changed, or null.
pub(super) fn renamed(open: &Open, byte: usize) -> Value {
    match &open.document.index.at(byte)[..] {
        [one] if !one.definition.implied && one.definition.kind != Kind::Proposition => {
            json!({ "range": open.lines.range(&open.text, one.span), "placeholder": one.definition.name })
        }
        _ => Value::Null,
    }
}

/// `textDocument/rename`, or why not.
pub(super) fn renaming(open: &Open, byte: usize, new: &str) -> Result<Value, String> {
    let mut changes: Map<String, Value> = Map::new();
    for place in open.document.renamed(byte, new)? {
        let edit = json!({ "range": located(open, &place)["range"], "newText": new });
        let edits = changes.entry(open.uri_of(place.file)).or_insert_with(|| json!([]));
        edits.as_array_mut().into_iter().for_each(|edits| edits.push(edit.clone()));
    }
    Ok(json!({ "changes": changes }))
}

/// `textDocument/completion`: after `@` and `goto` labels, after `.` the parts of a process, elsewhere all names that can
/// stand there, and words.
pub(super) fn completion(open: &Open, byte: usize) -> Value {
    let item = |own: Completion| match own.kind {
        Some(kind) => json!({ "label": own.text, "kind": completed(kind), "detail": own.detail }),
        None => json!({ "label": own.text, "kind": 14, "documentation": own.detail }),
    };
    Value::Array(complete(&open.document, byte).into_iter().map(item).collect())
}

fn completed(kind: Kind) -> u32 {
    match kind {
        Kind::Constant | Kind::Parameter => 21,
        Kind::Enum => 13,
        Kind::Record => 22,
        Kind::Member => 20,
        Kind::Definition | Kind::Macro => 3,
        Kind::Process => 7,
        Kind::Label | Kind::Action => 23,
        Kind::Local => 5,
        _ => 6,
    }
}

/// `textDocument/semanticTokens/full`: every name that has a meaning, by what it names.
pub(super) fn tokens(open: &Open) -> Value {
    let mut data: Vec<usize> = Vec::new();
    let (mut line, mut unit, mut byte) = (0, 0, 0);
    let (mut last_line, mut last_unit) = (0, 0);
    for Occurrence { span, definition, .. } in open.document.index.occurrences() {
        if span.start < byte || span.end > open.text.len() {
            continue; // a name with several meanings, or one in an included file
        }
        let between = &open.text[byte..span.start];
        match between.rfind('\n') {
            Some(end) => {
                line += between.matches('\n').count();
                unit = units(&between[end + 1..]);
            }
            None => unit += units(between),
        }
        byte = span.start;
        let length = units(&open.text[span.start..span.end]);
        let within = if line == last_line { unit - last_unit } else { unit };
        let fixed = matches!(definition.kind, Kind::Constant | Kind::Parameter | Kind::Let | Kind::Index);
        data.extend([line - last_line, within, length, token(definition.kind), usize::from(fixed)]);
        (last_line, last_unit) = (line, unit);
    }
    json!({ "data": data })
}

fn token(kind: Kind) -> usize {
    match kind {
        Kind::Constant | Kind::Parameter | Kind::Shared | Kind::Channel | Kind::Proposition => 0,
        Kind::Argument | Kind::Index | Kind::Let => 1,
        Kind::Local => 2,
        Kind::Enum | Kind::Record => 3,
        Kind::Member => 4,
        Kind::Definition | Kind::Invariant | Kind::Property => 5,
        Kind::Macro => 6,
        Kind::Process => 7,
        Kind::Label | Kind::Action | Kind::Event => 8,
        Kind::Fairness => 9,
    }
}

/// `textDocument/codeAction`: for a property in the range, to add the fairness that it needs, or to find that out.
pub(super) fn actions(open: &Open, span: Span) -> Value {
    let mut found = Vec::new();
    let definitions = open.document.index.definitions.iter();
    let claims = definitions.filter(|own| matches!(own.kind, Kind::Property));
    for claim in claims.filter(|own| own.whole.start <= span.end && span.start <= own.whole.end) {
        let known: Vec<_> = open.advice.iter().filter(|own| own.property.family == claim.name).collect();
        for advice in &known {
            let sets = advice.minimal.iter().enumerate();
            for (number, set) in sets.filter(|(_, set)| !set.is_empty()) {
                let Some(edit) = assume(&open.document, &advice.property, set) else { continue };
                let premise = advice.vacuous.iter().find(|(of, _)| *of == number);
                let but = premise.map_or_else(String::new, |(_, premise)| {
                    format!(" (only because `{premise}` never happens then)")
                });
                let change =
                    json!({ "range": open.lines.range(&open.text, edit.span), "newText": edit.text });
                found.push(json!({
                    "title": format!("Add this fairness for `{}`: {}{but}", advice.property, set.join(" & ")),
                    "kind": "quickfix",
                    "edit": { "changes": { (open.uri.as_str()): [change] } },
                }));
            }
        }
        if known.is_empty() && open.document.model().is_some() {
            let title = format!("Find out which fairness `{}` needs", claim.name);
            let arguments = json!([open.uri, claim.name]);
            let command = json!({ "title": title, "command": "fairly.advise", "arguments": arguments });
            found.push(json!({ "title": title, "kind": "quickfix", "command": command }));
        }
    }
    Value::Array(found)
}
