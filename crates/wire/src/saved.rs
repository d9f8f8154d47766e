//! Reads saved counterexamples: a trace in the Informal Trace Format, as `fairly check --itf` writes it, or the document of
//! `fairly check --format json`.
//!
//! The first has all states in full, the second what each step changes. Values become texts, as reports show them. A
//! trace of another program has no actions; since several may lead to the same state, none is guessed.
//!
//! The second has had one version so far, so none is asked for. What is read is not believed: the judge replays each step.

use driver::replay::Saved;
use serde_json::{Map, Value};

/// The trace in a text. If there are several, the one against this property. The error is a sentence.
pub fn read(text: &str, property: Option<&str>) -> Result<Saved, String> {
    let document: Value = serde_json::from_str(text).map_err(|error| {
        format!("this is no JSON: {error}; a trace is what `fairly check --itf` or --format json writes")
    })?;
    if document.get("states").is_some() {
        itf(&document)
    } else if let Some(results) = document.get("results").and_then(Value::as_array) {
        chosen(results, property)
    } else {
        Err("this is no trace: it has neither `states`, as ITF, nor `results`, as --format json".to_owned())
    }
}

/// A trace in the Informal Trace Format.
fn itf(document: &Value) -> Result<Saved, String> {
    let states = document["states"].as_array().ok_or("`states` is no list")?;
    let property = document["#meta"]["property"].as_str().map(str::to_owned);
    let cycle = match document.get("loop") {
        None | Some(Value::Null) => None,
        Some(number) => Some(number.as_u64().ok_or("`loop` is no number")? as usize),
    };
    let mut saved = Saved { property, cycle, ..Saved::default() };
    let taken = states.len().saturating_sub(usize::from(cycle.is_none()));
    for (number, state) in states.iter().enumerate() {
        let state = state.as_object().ok_or_else(|| format!("state {number} is no object"))?;
        let values = state.iter().filter(|(name, _)| *name != "#meta");
        let pairs = values.map(|(name, value)| {
            let text = text(value)
                .ok_or_else(|| format!("state {number}: `{name}` has a value of no known kind"))?;
            Ok((name.clone(), text))
        });
        saved.states.push(pairs.collect::<Result<_, String>>()?);
        if number < taken {
            let action = state.get("#meta").and_then(|meta| meta["action"].as_str());
            saved.actions.push(action.map(str::to_owned).ok_or_else(|| {
                format!("state {number} does not name the `action` that leaves it in its `#meta`")
            })?);
        }
    }
    Ok(saved)
}

/// A value as reports show it.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => Some(format!("[{}]", texts(items)?)),
        Value::Object(object) => match (object.get("#bigint"), object.get("#set")) {
            (Some(number), _) => number.as_str().map(str::to_owned),
            (None, Some(members)) => Some(format!("{{{}}}", texts(members.as_array()?)?)),
            (None, None) => {
                let field = |(name, value): (&String, &Value)| Some(format!("{name}: {}", text(value)?));
                let fields: Option<Vec<String>> = object.iter().map(field).collect();
                Some(format!("{{ {} }}", fields?.join(", ")))
            }
        },
        Value::Null => None,
    }
}

fn texts(values: &[Value]) -> Option<String> {
    Some(values.iter().map(text).collect::<Option<Vec<String>>>()?.join(", "))
}

/// The counterexample of the only result that has one, or of that for this property.
fn chosen(results: &[Value], property: Option<&str>) -> Result<Saved, String> {
    let failed = |result: &&Value| result["counterexample"]["initial"].is_object();
    let name = |result: &Value| result["property"].as_str().unwrap_or_default().to_owned();
    let all: Vec<&Value> = results.iter().filter(failed).collect();
    let found: Vec<&&Value> =
        all.iter().filter(|result| property.is_none_or(|wanted| name(result) == wanted)).collect();
    match (&found[..], property) {
        ([one], _) => of_result(name(one), &one["counterexample"]),
        ([], Some(wanted)) => Err(format!("there is no run against `{wanted}` in it")),
        ([], None) => Err("there is no run in it".to_owned()),
        (several, _) => {
            let names: Vec<String> = several.iter().map(|result| name(result)).collect();
            Err(format!(
                "there are {} runs in it, against {}; choose with --property",
                names.len(),
                names.join(", ")
            ))
        }
    }
}

/// The run of a counterexample in the format of `fairly check --format json`.
pub fn of_result(property: String, found: &Value) -> Result<Saved, String> {
    let pairs = |object: &Map<String, Value>| -> Option<Vec<(String, String)>> {
        object.iter().map(|(name, value)| Some((name.clone(), text(value)?))).collect()
    };
    let initial = found["initial"].as_object().and_then(pairs).ok_or("`initial` is no state")?;
    let cycle = found["loop"].as_u64().map(|number| number as usize);
    let steps = found["steps"].as_array().ok_or("`steps` is no list")?;
    let mut saved =
        Saved { property: Some(property), cycle, states: vec![initial.clone()], ..Saved::default() };
    let mut current = initial;
    for (number, step) in steps.iter().enumerate() {
        let wrong = |what: &str| format!("step {} has no {what}", number + 1);
        saved.actions.push(step["action"].as_str().ok_or_else(|| wrong("action"))?.to_owned());
        for (name, value) in step["changes"].as_object().and_then(pairs).ok_or_else(|| wrong("changes"))? {
            match current.iter_mut().find(|(known, _)| *known == name) {
                Some(pair) => pair.1 = value,
                None => current.push((name, value)),
            }
        }
        saved.states.push(current.clone());
    }
    // The last step of a lasso leads back to a state that is already listed. That it does is for the judge to say, so
    // only what agrees is left out.
    if let Some(cycle) = cycle {
        let last = saved.states.pop();
        if saved.states.get(cycle) != last.as_ref() {
            return Err(format!("its last step does not lead back to state {cycle}, where its loop begins"));
        }
    }
    Ok(saved)
}
