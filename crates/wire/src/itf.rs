//! Counterexamples as traces in the Informal Trace Format, which Apalache, Quint and their viewers read.
//!
//! A trace is the list of its states with all variables in full. For an infinite trace, `loop` is the state to which
//! the last one goes back. Numbers are written as `{"#bigint": "3"}`, as the format prefers, members of enums and
//! locations as strings, a record as an object, a set as `{"#set": […]}`, a sequence as a list, a channel as the list of its
//! messages. Variables have their names from the model, with `P[1]@` for a location. The action taken from a state is in the
//! state's `#meta`.

use driver::Outcome;
use driver::report::{Binding, Kind, Trace};
use serde_json::{Map, Value, json};

use crate::results::{queue, recurring};

/// The counterexample of an outcome about the model in this file; `None` if it has no run.
pub fn of_outcome(path: &str, outcome: &Outcome) -> Option<String> {
    let counterexample = outcome.counterexample.as_ref()?;
    let why = match &counterexample.kind {
        Kind::Lasso => "a fair run that violates the property".to_owned(),
        Kind::Path => "a path to a state in which the invariant is false".to_owned(),
        Kind::Prefix => format!("a path; {}", counterexample.lost()),
        Kind::Fault(sentence) => format!("a path to a fault {sentence}"),
        Kind::State if counterexample.has_steps() => {
            "a path from an initial state in which the formula is false to a state where a part of it decides that".to_owned()
        }
        Kind::State => "an initial state in which the formula is false".to_owned(),
        Kind::Beginning => "the beginning of a fair run that violates the property".to_owned(),
    };
    let description = format!("{}: {} under {}; {why}", outcome.property, outcome.claim, outcome.fairness);
    let mut meta = json!({
        "format": "ITF",
        "format-description": ABOUT,
        "source": path,
        "status": "violation",
        "property": outcome.property.to_string(),
        "description": description,
    });
    if let Some(recurrence) = &counterexample.recurrence {
        // Invariant: only names, numbers and lists, which JSON can always express.
        meta["recurrence"] = serde_json::to_value(recurring(recurrence)).unwrap_or_default();
    }
    Some(document(meta, counterexample.trace.as_ref()?))
}

/// A run of the model in this file, such as a walk, with the property it is about, if it is.
pub fn of_run(path: &str, property: Option<&str>, trace: &Trace) -> String {
    let mut meta = json!({ "format": "ITF", "format-description": ABOUT, "source": path });
    if let Some(property) = property {
        meta["property"] = json!(property);
    }
    document(meta, trace)
}

/// Where the format is described.
const ABOUT: &str = "https://apalache-mc.org/docs/adr/015adr-trace.html";

fn document(meta: Value, trace: &Trace) -> String {
    let mut states = Vec::new();
    let mut current: Vec<Binding> = trace.initial.clone();
    for (number, step) in trace.steps.iter().enumerate() {
        states.push(state(number, Some(&step.action), &current));
        for change in &step.changes {
            if let Some(binding) = current.iter_mut().find(|binding| binding.spot == change.spot) {
                binding.value.clone_from(&change.value);
            }
        }
    }
    // The last step of an infinite trace leads to a state that is already listed.
    if trace.cycle.is_none() {
        states.push(state(trace.steps.len(), None, &current));
    }
    let mut document = Map::new();
    document.insert("#meta".to_owned(), meta);
    let vars: Vec<String> = trace.initial.iter().map(Binding::name).collect();
    document.insert("vars".to_owned(), json!(vars));
    document.insert("states".to_owned(), Value::Array(states));
    if let Some(cycle) = trace.cycle {
        document.insert("loop".to_owned(), json!(cycle));
    }
    // Invariant: only names, numbers and lists, which JSON can always express.
    serde_json::to_string_pretty(&Value::Object(document)).unwrap_or_default() + "\n"
}

fn state(number: usize, action: Option<&String>, bindings: &[Binding]) -> Value {
    let mut state = Map::new();
    let mut meta = Map::new();
    meta.insert("index".to_owned(), json!(number));
    if let Some(action) = action {
        meta.insert("action".to_owned(), json!(action));
    }
    state.insert("#meta".to_owned(), Value::Object(meta));
    for binding in bindings {
        state.insert(binding.name(), typed(&binding.value));
    }
    Value::Object(state)
}

/// A value in the format; a channel as the list of its messages, and a message with several fields as the list of them.
fn typed(value: &driver::report::Value) -> Value {
    use driver::report::Value as Shown;
    match value {
        Shown::Bool(truth) => Value::Bool(*truth),
        Shown::Int(number) => json!({ "#bigint": number.to_string() }),
        Shown::Record(_, fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), typed(value))).collect())
        }
        Shown::Set(members) => json!({ "#set": members.iter().map(typed).collect::<Vec<_>>() }),
        Shown::List(items) => Value::Array(items.iter().map(typed).collect()),
        Shown::Queue(messages) => queue(messages, typed),
        Shown::Member(name) => Value::String(name.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_types() {
        use driver::report::Value as Shown;
        assert_eq!(typed(&Shown::Bool(true)), json!(true));
        assert_eq!(typed(&Shown::Int(-3)), json!({ "#bigint": "-3" }));
        assert_eq!(typed(&Shown::Member("red".to_owned())), json!("red"));
        let vote = Shown::Record("Vote".to_owned(), vec![("term".to_owned(), Shown::Bool(true))]);
        assert_eq!(typed(&vote), json!({ "term": true }));
        assert_eq!(typed(&Shown::Set(vec![Shown::Bool(false)])), json!({ "#set": [false] }));
        assert_eq!(typed(&Shown::List(vec![vote])), json!([{ "term": true }]));
        let messages =
            vec![vec![Shown::Bool(true), Shown::Member("red".to_owned())], vec![Shown::Bool(false)]];
        assert_eq!(typed(&Shown::Queue(messages)), json!([[true, "red"], false]));
    }
}
