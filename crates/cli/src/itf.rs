//! Counterexamples as traces in the Informal Trace Format, which Apalache, Quint and their viewers read.
//!
//! A trace is the list of its states with all variables in full. For an infinite trace, `loop` is the state to which
//! the last one goes back. Numbers are written as `{"#bigint": "3"}`, as the format prefers, members of enums and
//! locations as strings, the contents of a channel as a string as well. Variables have their names from the model,
//! with `P[1]@` for a location. The action taken from a state is in the state's `#meta`.

use std::fs;
use std::path::Path;

use driver::report::{Binding, Kind, Trace};
use driver::{Counterexample, Outcome, Report};
use serde_json::{Map, Value, json};

use crate::text::lost;

/// Writes a file per counterexample into a folder or, if the name ends in `.json`, the only one into that file.
/// Returns a message if that fails.
pub(crate) fn write(place: &Path, reports: &[(&str, Report)]) -> Result<(), String> {
    let traces: Vec<(String, String)> =
        reports.iter().flat_map(|(path, report)| of_report(path, report)).collect();
    let written = |path: &Path, text: &str| {
        fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    if Path::new(place).extension().is_some_and(|extension| extension == "json") {
        return match &traces[..] {
            [] => Ok(()),
            [(_, text)] => written(Path::new(place), text),
            several => Err(format!(
                "there are {} counterexamples, too many for {}: name a folder, or choose a --property",
                several.len(),
                place.display()
            )),
        };
    }
    fs::create_dir_all(place)
        .map_err(|error| format!("cannot make the folder {}: {error}", place.display()))?;
    let mut names: Vec<String> = Vec::new();
    for (name, text) in traces {
        // Models in different folders may have the same name.
        let mut unique = name.clone();
        let mut number = 2;
        while names.contains(&unique) {
            unique = format!("{name}.{number}");
            number += 1;
        }
        written(&Path::new(place).join(format!("{unique}.itf.json")), &text)?;
        names.push(unique);
    }
    Ok(())
}

/// The counterexamples of a report, each with a name for its file.
fn of_report(path: &str, report: &Report) -> Vec<(String, String)> {
    let stem = Path::new(path)
        .file_stem()
        .map_or_else(|| path.to_owned(), |stem| stem.to_string_lossy().into_owned());
    let traced = |outcome: &Outcome| {
        let counterexample = outcome.counterexample.as_ref()?;
        let trace = counterexample.trace.as_ref()?;
        let text =
            serde_json::to_string_pretty(&document(path, outcome, counterexample, trace)).unwrap_or_default();
        Some((file_name(&format!("{stem}.{}", outcome.property)), text + "\n"))
    };
    report.outcomes.iter().filter_map(traced).collect()
}

/// A name of letters, digits and a few signs: `access[1]` becomes `access.1`.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '_' || c == '-' { c } else { '.' };
    let name: String = name.chars().map(plain).collect();
    let parts: Vec<&str> = name.split('.').filter(|part| !part.is_empty()).collect();
    parts.join(".")
}

fn document(path: &str, outcome: &Outcome, counterexample: &Counterexample, trace: &Trace) -> Value {
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
    let why = match &counterexample.kind {
        Kind::Lasso => "a fair run that violates the property".to_owned(),
        Kind::Path => "a path to a state in which the invariant is false".to_owned(),
        Kind::Prefix => format!("a path; {}", lost(counterexample)),
        Kind::Fault(sentence) => format!("a path to a fault {sentence}"),
        Kind::State => "an initial state in which the formula is false".to_owned(),
        Kind::Beginning => "the beginning of a fair run that violates the property".to_owned(),
    };
    let mut document = Map::new();
    let meta = json!({
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": path,
        "status": "violation",
        "property": outcome.property.to_string(),
        "description": format!("{}: {} under {}; {why}", outcome.property, outcome.claim, outcome.fairness),
    });
    document.insert("#meta".to_owned(), meta);
    let vars: Vec<String> = trace.initial.iter().map(Binding::name).collect();
    document.insert("vars".to_owned(), json!(vars));
    document.insert("states".to_owned(), Value::Array(states));
    if let Some(cycle) = trace.cycle {
        document.insert("loop".to_owned(), json!(cycle));
    }
    Value::Object(document)
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

/// A value in the format; a channel as its text.
fn typed(value: &driver::report::Value) -> Value {
    use driver::report::Value as Shown;
    match value {
        Shown::Bool(truth) => Value::Bool(*truth),
        Shown::Int(number) => json!({ "#bigint": number.to_string() }),
        Shown::Member(_) | Shown::Queue(_) => Value::String(value.to_string()),
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
        let messages = vec![vec![Shown::Int(1), Shown::Member("red".to_owned())], vec![Shown::Int(2)]];
        assert_eq!(typed(&Shown::Queue(messages)), json!("[1,red 2]"));
    }

    #[test]
    fn a_file_is_named_after_model_and_property() {
        assert_eq!(file_name("mux.access[1]"), "mux.access.1");
        assert_eq!(file_name("a b/c.live"), "a.b.c.live");
    }
}
