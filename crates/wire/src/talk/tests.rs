//! Tests: each request has its answer, in the form the page reads, and a bad one has a sentence.

use fairly::session::Cancel;
use serde_json::{Value, json};

use super::*;

const LOCK: &str = "
shared free: bool = true;
process P[i: 1..2] { loop { rest: stay; enter: request free; leave: release free; } }
invariant mutex: !(P[1]@leave && P[2]@leave);
property enters: G (P[1]@enter -> F P[1]@leave) under weak P;
";

/// All events of a request about a text.
fn ask(text: &str, mut request: Value) -> Vec<Value> {
    request["text"] = json!(text);
    request["name"] = json!("lock");
    let request = Request::read(&request.to_string()).expect("a request");
    let mut events = Vec::new();
    let cancel = Cancel::default();
    let files = |file: &str| Err(format!("{file} is not here"));
    answer(&request, &mut Session::default(), &files, &Watch::new(&cancel), &mut |event| {
        events.push(serde_json::from_str(&event).expect("JSON"));
    });
    let last: &Value = events.last().expect("an end");
    assert!(last["event"] == "done" || last["event"] == "failed", "{last}");
    events
}

fn run_against_enters() -> Value {
    let events = ask(LOCK, json!({ "kind": "check", "properties": ["enters"] }));
    events[0]["result"]["counterexample"].clone()
}

#[test]
fn a_text_is_opened_with_its_mistakes_at_their_places() {
    let opened = &ask("// é😀\nshared x: 0..y;", json!({ "kind": "open" }))[0];
    assert_eq!(opened["event"], "opened");
    assert_eq!(opened["diagnostics"][0]["span"], json!([20, 21]));
    let opened = &ask(LOCK, json!({ "kind": "open" }))[0];
    assert_eq!(opened["properties"][1]["name"], "enters");
    assert_eq!(opened["outline"][1]["children"][1]["name"], "enter");
    let text = format!("// é😀\n{LOCK}");
    let at = text[..text.find("P[1]@enter").expect("it is there") + 7].encode_utf16().count();
    let completed = &ask(&text, json!({ "kind": "complete", "at": at }))[0];
    assert_eq!(completed["from"], json!(at - 2));
    let label = |k: usize| completed["options"][k]["label"].clone();
    assert_eq!([label(0), label(1), label(2)], ["rest", "enter", "leave"]);
}

#[test]
fn a_check_tells_each_outcome_with_its_run_and_the_places_of_its_steps() {
    let events = ask(LOCK, json!({ "kind": "check", "explain": true }));
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(kinds, ["outcome", "outcome", "notes", "done"]);
    let fails = &events[1];
    assert_eq!(fails["result"]["verdict"], "fails");
    let steps = fails["result"]["counterexample"]["steps"].as_array().expect("steps");
    let sources = fails["run"]["sources"].as_array().expect("places");
    assert_eq!(steps.len(), sources.len());
    for (step, source) in steps.iter().zip(sources) {
        let (from, to) = (source[0][0].as_u64().expect("a place"), source[0][1].as_u64().expect("a place"));
        let text = &LOCK[from as usize..to as usize];
        let label = step["action"].as_str().and_then(|action| action.split('.').nth(1)).expect("a label");
        assert!(text.starts_with(&format!("{label}:")), "{text} is not {label}");
    }
    assert!(fails["story"]["fates"][0]["sentence"].as_str().is_some_and(|it| it.contains("starves")));
}

#[test]
fn another_fairness_and_advice_are_answered() {
    let events = ask(LOCK, json!({ "kind": "check", "properties": ["enters"], "fairness": "strong" }));
    assert_eq!(events[0]["result"]["verdict"], "holds");
    let events = ask(LOCK, json!({ "kind": "advise", "properties": ["enters"] }));
    assert_eq!(events[0]["ladder"]["strong"], "holds");
    assert_eq!(events[0]["minimal"][0], json!(["strong P[1]"]));
}

#[test]
fn a_walk_a_graph_and_a_trace_go_there_and_back() {
    let run = run_against_enters();
    let events = ask(LOCK, json!({ "kind": "simulate", "along": run, "steps": 2 }));
    assert_eq!(events[0]["run"]["steps"].as_array().map(Vec::len), Some(2));
    let offers = events[0]["offers"].as_array().expect("offers").len();
    let events = ask(LOCK, json!({ "kind": "simulate", "along": run, "steps": 2, "choices": [offers - 1] }));
    assert_eq!(events[0]["run"]["steps"].as_array().map(Vec::len), Some(3));
    let events = ask(LOCK, json!({ "kind": "graph", "property": "enters", "limit": 100 }));
    assert_eq!(events[0]["states"].as_array().map(Vec::len), Some(8));
    assert_eq!(events[0]["refuted"], true);
    let events = ask(LOCK, json!({ "kind": "itf", "run": run, "property": "enters" }));
    let itf = events[0]["text"].as_str().expect("a trace");
    let events = ask(LOCK, json!({ "kind": "load", "document": itf }));
    assert_eq!(events[0]["judged"], "genuine");
    assert_eq!(events[0]["run"]["steps"], run["steps"]);
    let other = LOCK.replace("under weak P", "under strong P");
    let events = ask(&other, json!({ "kind": "load", "document": itf }));
    assert_eq!(events[0]["judged"], "refused");
    assert_eq!(ask(LOCK, json!({ "kind": "load", "document": "{}" }))[0]["event"], "failed");
}

#[test]
fn the_parts_of_a_property_and_watched_expressions_have_values_in_every_state() {
    let text = format!("enum Colour {{ red, green }}\nshared c: Colour = green;\nshared n: 0..3 = 2;{LOCK}");
    let events = ask(&text, json!({ "kind": "check", "properties": ["enters"] }));
    let run = &events[0]["result"]["counterexample"];
    let states = run["steps"].as_array().expect("steps").len() + 1;
    let watches = ["free", "P[1]@enter", "n + 1", "c", "G F free", "AG free", "nn", "free; x"];
    let truth = &ask(&text, json!({ "kind": "truth", "run": run, "watches": watches }))[0];
    for part in truth["parts"].as_array().expect("parts") {
        assert_eq!(part["truth"].as_array().map(Vec::len), Some(states), "{part}");
    }
    let whole = truth["parts"].as_array().expect("parts").iter().find(|it| it["property"] == "enters");
    assert_eq!(whole.expect("the whole")["truth"][0], false);
    let value = |k: usize| &truth["watches"][k]["values"][0];
    assert_eq!((value(0), value(1)), (&json!("true"), &json!("false")));
    assert_eq!((value(2), value(3), value(4)), (&json!("3"), &json!("green"), &json!("true")));
    for wrong in 5..8 {
        assert!(truth["watches"][wrong]["wrong"].is_string(), "{}", truth["watches"][wrong]);
    }
    // The values of `free` are those of the run.
    let mut free = json!("true");
    for (k, value) in truth["watches"][0]["values"].as_array().expect("values").iter().enumerate() {
        if k > 0
            && let Some(change) = run["steps"][k - 1]["changes"].get("free")
        {
            free = change.clone();
        }
        assert_eq!(*value, free, "state {k}");
    }
}

#[test]
fn a_request_that_is_none_gets_a_sentence() {
    for bad in ["", "{}", "[]", r#"{"text": "x", "kind": "rule the world"}"#, r#"{"kind": "open"}"#] {
        assert!(Request::read(bad).is_err_and(|message| message.starts_with("this is no request")), "{bad}");
    }
    let events = ask(LOCK, json!({ "kind": "check", "fairness": "good" }));
    assert_eq!(events[0]["message"], "there is no fairness `good`");
    let run = json!({ "initial": { "free": "true" }, "steps": [{ "action": "Q.x", "changes": {} }] });
    assert_eq!(ask(LOCK, json!({ "kind": "truth", "run": run }))[0]["event"], "failed");
}
