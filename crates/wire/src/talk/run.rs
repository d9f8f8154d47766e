//! A run for the page, whose values keep their parts, so that the page can show them as the language writes them and mark
//! the parts that change.
//!
//! | value | as JSON |
//! | --- | --- |
//! | `3`, `true`, `red` | its text |
//! | `Vote { term: 1 }` | `{ "record": "Vote", "fields": [["term", "1"]] }` |
//! | `{1, 2}` | `{ "set": ["1", "2"] }` |
//! | `[1, 2]` | `{ "list": ["1", "2"] }` |
//! | the channel `[1,red 2,red]` | `{ "queue": [["1", "red"], ["2", "red"]] }` |
//!
//! The page sends a run back with the text of each value.

use driver::report::{Binding, Step, Trace, Value};
use fairly::session::Document;
use serde::Serialize;

use super::offsets::Offsets;
use crate::results::Pairs;

/// A run, with the places of its steps in the text.
#[derive(Serialize)]
pub(super) struct Run<'a> {
    initial: Pairs<String, Parts<'a>>,
    steps: Vec<Taken<'a>>,
    #[serde(rename = "loop")]
    cycle: Option<usize>,
    sources: Vec<Vec<[usize; 2]>>,
}

/// A step.
#[derive(Serialize)]
pub(super) struct Taken<'a> {
    action: &'a str,
    processes: &'a [String],
    changes: Pairs<String, Parts<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Parts<'a> {
    Plain(String),
    Record { record: &'a str, fields: Vec<(&'a str, Parts<'a>)> },
    Set { set: Vec<Parts<'a>> },
    List { list: Vec<Parts<'a>> },
    Queue { queue: Vec<Vec<Parts<'a>>> },
}

pub(super) fn run<'a>(document: &Document, trace: &'a Trace) -> Run<'a> {
    let offsets = Offsets::new(&document.text);
    let source = |step: &Step| document.source(step).into_iter().map(|span| offsets.span(span)).collect();
    Run {
        initial: bindings(&trace.initial),
        steps: trace.steps.iter().map(step).collect(),
        cycle: trace.cycle,
        sources: trace.steps.iter().map(source).collect(),
    }
}

fn step(step: &Step) -> Taken<'_> {
    Taken { action: &step.action, processes: &step.processes, changes: bindings(&step.changes) }
}

/// A step that can be taken, with what the model changes as it is written.
pub(super) fn offer(step: &Step) -> Taken<'_> {
    Taken { action: &step.action, processes: &step.processes, changes: bindings(step.shown()) }
}

fn bindings<'a>(bindings: impl IntoIterator<Item = &'a Binding>) -> Pairs<String, Parts<'a>> {
    Pairs(bindings.into_iter().map(|binding| (binding.name(), parts(&binding.value))).collect())
}

fn parts(value: &Value) -> Parts<'_> {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Member(_) => Parts::Plain(value.to_string()),
        Value::Record(name, fields) => {
            let fields = fields.iter().map(|(name, value)| (name.as_str(), parts(value))).collect();
            Parts::Record { record: name, fields }
        }
        Value::Set(members) => Parts::Set { set: members.iter().map(parts).collect() },
        Value::List(items) => Parts::List { list: items.iter().map(parts).collect() },
        Value::Queue(messages) => {
            Parts::Queue { queue: messages.iter().map(|fields| fields.iter().map(parts).collect()).collect() }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_keeps_its_parts() {
        let member = |name: &str| Value::Member(name.to_owned());
        let vote = Value::Record("Vote".to_owned(), vec![("term".to_owned(), Value::Int(1))]);
        let value = Value::List(vec![Value::Set(vec![member("ann")]), vote, Value::Bool(true)]);
        let wanted =
            json!({ "list": [{ "set": ["ann"] }, { "record": "Vote", "fields": [["term", "1"]] }, "true"] });
        assert_eq!(serde_json::to_value(parts(&value)).expect("JSON"), wanted);
        let queue = Value::Queue(vec![vec![Value::Int(1), member("red")]]);
        assert_eq!(serde_json::to_value(parts(&queue)).expect("JSON"), json!({ "queue": [["1", "red"]] }));
    }
}
