//! Answers for an agent: data with a summary in sentences, and never longer than a limit.
//!
//! An agent reads the verdict and goes on, so everything that weakens a verdict is in the verdict. `holds` is said only if
//! nothing is known against it. A property that holds vacuously, under fairness that no scheduler can provide, or that says
//! nothing at all, `holds_but`, with its `concerns`. `assumes` says whether its fairness is what it needs, or more.

use driver::advise::Needs;
use driver::report::Binding;
use driver::{Diagnostic, EngineKind, Expect, Note, Outcome, Severity, Verdict};
use fairly::session::{
    Advice, Assumes, Continuation, Document, Examined, Judged, Symbol, Walked, Worth, excess, impossible,
};
use serde_json::{Map, Value, json};

use crate::explain;

/// The longest answer, in bytes.
const LONGEST: usize = 200_000;

/// The answer to a call, as the protocol wants it.
pub(super) fn packed(mut result: Value) -> Value {
    shorten(&mut result);
    let wrong = matches!(result["status"].as_str(), Some("errors_in_model" | "bad_request"));
    json!({
        "content": [{ "type": "text", "text": result.to_string() }],
        "structuredContent": result,
        "isError": wrong,
    })
}

/// Leaves out what is longest until the answer is short enough, and says so.
fn shorten(result: &mut Value) {
    let long = |result: &Value| result.to_string().len() > LONGEST;
    let lists: [(&str, &[&str]); 4] = [
        ("results", &["counterexample", "explanation", "notes"]),
        ("advice", &["notes", "unrealisable"]),
        ("walk", &["steps", "next"]),
        ("outline", &["children"]),
    ];
    for (list, parts) in lists {
        for part in parts {
            if !long(result) {
                return;
            }
            let entries: Vec<&mut Value> = match result.get_mut(list) {
                Some(Value::Array(entries)) => entries.iter_mut().collect(),
                Some(entry @ Value::Object(_)) => vec![entry],
                _ => Vec::new(),
            };
            for entry in entries {
                let Some(own) = entry.get_mut(*part).filter(|own| !own.is_null()) else { continue };
                *own = Value::Null;
                entry["left_out"] = json!(format!("`{part}` is too long; ask about less at once"));
            }
        }
    }
    if long(result) {
        let status =
            if result["status"] == "answered" { json!("undecided") } else { result["status"].clone() };
        let summary: String = result["summary"].as_str().unwrap_or_default().chars().take(2000).collect();
        *result = json!({
            "status": status,
            "summary": format!("The answer is too long to be shown; ask about fewer properties at once. {summary}"),
        });
    }
}

/// A call that makes no sense, and why.
pub(super) fn bad_request(message: &str) -> Value {
    json!({ "status": "bad_request", "summary": message })
}

/// A call that broke down.
pub(super) fn broken_down() -> Value {
    let summary =
        "Fairly broke down, so this is undecided; it is an error in Fairly, please report it with the model";
    packed(json!({ "status": "undecided", "summary": summary }))
}

/// A call that did not end in time.
pub(super) fn overdue() -> Value {
    let summary = "The time limit was reached in the middle of something that cannot be interrupted, so nothing is decided; \
                   give it more time, or make the model smaller";
    packed(json!({ "status": "undecided", "summary": summary }))
}

/// What is wrong with a model, and what it declares.
pub(super) fn diagnosed(document: &Document) -> Value {
    let errors = document.diagnostics.iter().filter(|own| own.severity == Severity::Error).count();
    let warnings = document.diagnostics.len() - errors;
    let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let mut summary = match (errors, warnings) {
        (0, 0) => "The model has no errors; nothing has been checked yet.".to_owned(),
        (0, _) => format!("The model has no errors and {}.", count(warnings, "warning")),
        _ => format!("The model has {}, so it means nothing yet.", count(errors, "error")),
    };
    let diagnostics: Vec<Value> =
        document.diagnostics.iter().map(|own| diagnostic(&document.text, own)).collect();
    for own in &diagnostics {
        let mend = own["mend"].as_str().map_or_else(String::new, |mend| format!(" ({mend})"));
        let at = own["line"].as_u64().map_or_else(String::new, |line| format!("line {line}: "));
        summary = format!("{summary}\n{at}{}{mend}", own["message"].as_str().unwrap_or_default());
    }
    let status = if errors > 0 { "errors_in_model" } else { "answered" };
    json!({
        "status": status,
        "summary": summary,
        "diagnostics": diagnostics,
        "outline": document.outline.iter().map(symbol).collect::<Vec<_>>(),
    })
}

fn diagnostic(text: &str, own: &Diagnostic) -> Value {
    let Diagnostic { severity, message, span, label, related, help, .. } = own;
    let place = |byte: usize| {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        (before.matches('\n').count() + 1, before[line..].chars().count() + 1)
    };
    let at = span.map(|span| place(span.start));
    let source = at.and_then(|(line, _)| text.lines().nth(line - 1));
    // How to mend it: the advice, or what was expected in that place.
    let mend = help.as_deref().or(Some(label.as_str())).filter(|mend| !mend.is_empty());
    json!({
        "severity": if *severity == Severity::Error { "error" } else { "warning" },
        "line": at.map(|at| at.0),
        "column": at.map(|at| at.1),
        "at": span.and_then(|span| text.get(span.start..span.end)),
        "source": source.map(|line| line.chars().take(200).collect::<String>()),
        "message": message,
        "mend": mend,
        "related": related
            .iter()
            .map(|(span, words)| json!({ "line": place(span.start).0, "message": words }))
            .collect::<Vec<_>>(),
    })
}

fn symbol(own: &Symbol) -> Value {
    json!({
        "kind": own.kind.name(),
        "name": own.name,
        "children": own.children.iter().map(symbol).collect::<Vec<_>>(),
    })
}

/// The answers of a check.
pub(super) fn checked(examined: &Examined) -> Value {
    let Examined { report, worth, concerns } = examined;
    let mut results = Vec::new();
    let mut summary = String::new();
    let (mut fine, mut undecided) = (true, 0);
    for (outcome, worth) in report.outcomes.iter().zip(worth) {
        let result = result(outcome, worth);
        undecided += usize::from(outcome.verdict == Verdict::Unknown);
        fine &= result["as_expected"] == json!(true) && result["verdict"] != "holds_but";
        summary = format!("{summary}{}\n", sentence(&result));
        results.push(result);
    }
    for concern in concerns {
        summary = format!("{summary}The model: {concern}.\n");
    }
    if report.outcomes.is_empty() {
        "The model claims nothing: it has no property and no invariant.".clone_into(&mut summary);
    }
    json!({
        "status": if undecided > 0 || report.outcomes.is_empty() { "undecided" } else { "answered" },
        "summary": summary.trim_end(),
        "all_as_expected": fine && concerns.is_empty() && !report.outcomes.is_empty(),
        "results": results,
        "concerns": concerns,
    })
}

fn result(outcome: &Outcome, worth: &Worth) -> Value {
    let Worth { concerns, excess, assumes } = worth;
    let verdict = match outcome.verdict {
        Verdict::Holds if concerns.is_empty() => "holds",
        Verdict::Holds => "holds_but",
        Verdict::Fails if outcome.is_fault() => "fault",
        Verdict::Fails => "fails",
        Verdict::Unknown if outcome.engine.is_none() && !outcome.refusals.is_empty() => "refused",
        Verdict::Unknown => "unknown",
    };
    let notes: Vec<String> = outcome.notes.iter().map(ToString::to_string).collect();
    let mut result = json!({
        "property": outcome.property.to_string(),
        "claim": outcome.claim,
        "verdict": verdict,
        "concerns": concerns,
        "expected": outcome.expected.map(Expect::name),
        "as_expected": outcome.as_expected(),
        "rests_on": {
            "engine": outcome.engine.map(EngineKind::name),
            "standing": if outcome.checked { "checked" } else { "claimed" },
            "meaning": standing(outcome),
            "scope": outcome.scope,
            "fairness": outcome.fairness,
            "statistics": outcome.statistics.iter().map(|(name, number)| ((*name).to_owned(), json!(number))).collect::<Map<_, _>>(),
        },
        "counterexample": outcome.counterexample.as_ref().map(|found| wire::results::counterexample(&outcome.claim, found)),
        "assumes": match assumes {
            Assumes::Nothing => "nothing is to be said",
            Assumes::Enough => "what it needs",
            Assumes::TooMuch => "more than it needs",
            Assumes::Impossible => "what no scheduler can provide",
            Assumes::Unknown => "not known to be what it needs",
        },
        "excess_fairness": excess,
        "refusals": outcome.refusals.iter().map(|refused| Note::Refused(refused.clone()).to_string()).collect::<Vec<_>>(),
        "notes": notes,
    });
    if outcome.explanation.is_some() {
        result["explanation"] = json!(explain::plain(outcome));
    }
    if let Some(dispute) = &outcome.dispute {
        result["dispute"] = json!(dispute.summary);
    }
    result
}

/// What the standing of an answer means.
fn standing(outcome: &Outcome) -> &'static str {
    match (outcome.verdict, outcome.checked) {
        (Verdict::Unknown, _) => "nothing is decided",
        (Verdict::Fails, true) => {
            "an independent judge has replayed the run and found the property false on it"
        }
        (Verdict::Holds, true) => "an independent judge has checked a proof",
        (_, false) => "the engine says so, and there is no evidence that the judge could check",
    }
}

/// A result in a sentence.
fn sentence(result: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rests = &result["rests_on"];
    let mut sentence = match result["verdict"].as_str().unwrap_or_default() {
        "unknown" => format!("`{}` is UNDECIDED", word(&result["property"])),
        "refused" => format!("`{}` is UNDECIDED: no engine takes it", word(&result["property"])),
        verdict => {
            let verdict = match verdict {
                "holds_but" => "holds, BUT see the concerns",
                "fault" => "FAILS by a fault of the model",
                "fails" => "FAILS",
                _ => "holds",
            };
            format!(
                "`{}` {verdict} [{}, {}, {}, under {}]",
                word(&result["property"]),
                word(&rests["engine"]),
                word(&rests["standing"]),
                word(&rests["scope"]),
                word(&rests["fairness"])
            )
        }
    };
    if result["as_expected"] == json!(false) {
        sentence += "; this is not as expected";
    }
    let undecided = matches!(result["verdict"].as_str(), Some("unknown" | "refused"));
    let lists = if undecided { ["refusals", "notes"] } else { ["concerns", "excess_fairness"] };
    let mut told: Vec<&str> = Vec::new();
    for list in lists {
        for one in result[list].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !told.contains(&one) {
                told.push(one);
                sentence = format!("{sentence}; {one}");
            }
        }
    }
    sentence + "."
}

/// The fairness that properties need.
pub(super) fn advised(advice: &[Advice]) -> Value {
    let open = advice.iter().filter(|own| matches!(own.needs, Needs::Unknown)).count();
    let lines = advice.iter().map(|own| {
        let sets: Vec<String> = own.minimal.iter().map(|set| format!("`{}`", set.join(" & "))).collect();
        let needs = match own.needs {
            Needs::Nothing => "needs no fairness".to_owned(),
            Needs::Hopeless(_) => {
                "fails under every fairness; the model or the property must change".to_owned()
            }
            Needs::Unknown => "is UNDECIDED".to_owned(),
            Needs::Branching => "claims that fair runs exist, so there is no least assumption".to_owned(),
            _ if sets.is_empty() => "needs more than is known".to_owned(),
            _ => format!("needs one of {}; write it after `under`", sets.join(", ")),
        };
        let wrong: Vec<String> = impossible(own).into_iter().chain(excess(own)).collect();
        let wrong = if wrong.is_empty() { String::new() } else { format!("; {}", wrong.join("; ")) };
        format!("`{}` {needs}{wrong}.", own.property)
    });
    json!({
        "status": if open > 0 { "undecided" } else { "answered" },
        "summary": lines.collect::<Vec<_>>().join("\n"),
        "advice": wire::advice::value(advice),
    })
}

/// Where a walk has led.
pub(super) fn walked(walked: &Walked) -> Value {
    let (next, ending) = match &walked.next {
        Continuation::Steps(offers) => (offers.as_slice(), None),
        Continuation::Deadlock => (&[][..], Some("a deadlock: no action is enabled".to_owned())),
        Continuation::Fault(why) => (&[][..], Some(format!("a fault: {why}"))),
    };
    let step = |action: &str, changes: &[Binding]| json!({ "action": action, "changes": pairs(changes) });
    let steps: Vec<Value> = walked.trace.steps.iter().map(|own| step(&own.action, &own.changes)).collect();
    let next: Vec<Value> = next
        .iter()
        .enumerate()
        .map(|(number, offer)| {
            let mut own = step(&offer.step.action, &offer.step.changes);
            own["choice"] = json!(number);
            own["fault"] = json!(offer.fault);
            own
        })
        .collect();
    let end = ending
        .as_deref()
        .map_or_else(|| format!("{} steps are possible next", next.len()), |end| format!("it ends in {end}"));
    json!({
        "status": "answered",
        "summary": format!("A walk of {} steps; {end}. A walk shows what can happen, not what must.", steps.len()),
        "walk": {
            "initial": pairs(&walked.trace.initial),
            "steps": steps,
            "choices": walked.choices,
            "next": next,
            "ending": ending,
        },
    })
}

fn pairs(bindings: &[Binding]) -> Map<String, Value> {
    bindings.iter().map(|own| (own.name(), json!(own.value.to_string()))).collect()
}

/// What the judge says of a run.
pub(super) fn judged(judged: &Judged) -> Value {
    let (status, word, summary) = match judged {
        Judged::Genuine(_) => (
            "answered",
            "counterexample",
            "The run is one of this model and violates the property.".to_owned(),
        ),
        Judged::Refused(why) => {
            ("answered", "not_a_counterexample", format!("It is no counterexample: {why}."))
        }
        Judged::Open(why) => ("undecided", "undecided", format!("UNDECIDED: {why}.")),
    };
    json!({ "status": status, "summary": summary, "judged": word })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_never_too_long() {
        let long = "x".repeat(LONGEST);
        let part = json!({ "verdict": "fails", "counterexample": { "steps": [long] }, "notes": [] });
        let cut = packed(json!({ "status": "answered", "summary": "s", "results": [part, part] }));
        assert!(cut.to_string().len() < 3 * LONGEST);
        assert_eq!(cut["structuredContent"]["results"][0]["verdict"], "fails");
        assert!(cut["structuredContent"]["results"][1]["left_out"].is_string());
        let hopeless = packed(json!({ "status": "answered", "summary": long, "results": [] }));
        assert_eq!(hopeless["structuredContent"]["status"], "undecided");
        assert!(hopeless.to_string().len() < LONGEST);
    }
}
