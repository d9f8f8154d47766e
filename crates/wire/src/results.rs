//! Results for scripts. Only this file knows the public JSON format, which `docs/json.md` describes.
//!
//! The types here are the format: adding or renaming a field, or changing its meaning, changes the format, and a
//! change that could break a reader raises [`FORMAT`]. Changes to the driver's report do not change it.

use driver::report::{
    Binding, Entry, Evidence, Fact, Kind, Labelled, Met, Recurrence, RecurrentSet, Step, Value as Content,
};
use driver::{Caveat, Counterexample, EngineKind, Expect, Note, Outcome, Report};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

/// The version of the format.
const FORMAT: u32 = 1;

/// All reports as a JSON document, with the path of the file each belongs to.
pub fn document(reports: &[(&str, Report)]) -> String {
    let models =
        reports.iter().map(|(model, report)| Model { model, notes: sentences(&report.notes) }).collect();
    let pairs = reports
        .iter()
        .flat_map(|(model, report)| report.outcomes.iter().map(move |outcome| (model, outcome)));
    let results = pairs.map(|(model, outcome)| result(model, outcome)).collect();
    let document = Document { format: FORMAT, models, results };
    // Invariant: only names, numbers and lists, which JSON can always express.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// A counterexample to a claim, in the same format.
pub fn counterexample(claim: &str, found: &Counterexample) -> Value {
    // Invariant: as above.
    serde_json::to_value(evidence(claim, found)).unwrap_or_default()
}

#[derive(serde::Serialize)]
struct Document<'a> {
    format: u32,
    models: Vec<Model<'a>>,
    results: Vec<Result<'a>>,
}

#[derive(serde::Serialize)]
struct Model<'a> {
    model: &'a str,
    notes: Vec<String>,
}

#[derive(serde::Serialize)]
pub(crate) struct Result<'a> {
    model: &'a str,
    property: String,
    verdict: &'static str,
    vacuous: bool,
    caveat: Option<&'static str>,
    expected: Option<&'static str>,
    engine: Option<&'a str>,
    certified: &'static str,
    evidence: Option<&'static str>,
    scope: &'a str,
    fairness: &'a str,
    seconds: f64,
    stats: Pairs<&'static str, u64>,
    counterexample: Option<Shown<'a>>,
    reasons: &'a [String],
    labels: Vec<Labels<'a>>,
    notes: Vec<String>,
}

#[derive(serde::Serialize)]
struct Labels<'a> {
    formula: &'a str,
    #[serde(rename = "true")]
    holds: &'a str,
    #[serde(rename = "false")]
    fails: &'a str,
    whole: bool,
}

#[derive(serde::Serialize)]
struct Shown<'a> {
    kind: &'static str,
    violates: &'a str,
    initial: Option<Pairs<String, Value>>,
    steps: Vec<Taken<'a>>,
    #[serde(rename = "loop")]
    cycle: Option<usize>,
    fairness: Vec<Fair<'a>>,
    formulas: Vec<Part<'a>>,
    fault: Option<&'a str>,
    false_after: Option<usize>,
    recurrence: Option<Recurring<'a>>,
}

#[derive(serde::Serialize)]
pub(crate) struct Recurring<'a> {
    from: usize,
    in_turn: bool,
    sets: Vec<Staying<'a>>,
    round: Option<Pairs<&'a str, &'a str>>,
}

#[derive(serde::Serialize)]
struct Staying<'a> {
    place: &'a str,
    condition: &'a str,
    action: &'a str,
    changes: Option<Pairs<&'a str, &'a str>>,
}

#[derive(serde::Serialize)]
struct Part<'a> {
    state: usize,
    formula: &'a str,
    value: bool,
    certified: &'static str,
}

#[derive(serde::Serialize)]
struct Taken<'a> {
    action: &'a str,
    processes: &'a [String],
    changes: Pairs<String, Value>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    forgotten: &'a [String],
}

#[derive(serde::Serialize)]
pub(crate) struct Fair<'a> {
    requirement: &'a str,
    met: &'static str,
    step: Option<usize>,
}

/// An object whose members keep their order.
pub(crate) struct Pairs<N, V>(pub(crate) Vec<(N, V)>);

impl<N: Serialize, V: Serialize> Serialize for Pairs<N, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// One result, as it stands in the document.
pub(crate) fn result<'a>(model: &'a str, outcome: &'a Outcome) -> Result<'a> {
    Result {
        model,
        property: outcome.property.to_string(),
        verdict: outcome.verdict.name(),
        vacuous: outcome.is_vacuous(),
        caveat: outcome.caveat().map(Caveat::words),
        expected: outcome.expected.map(Expect::name),
        engine: outcome.engine.map(EngineKind::name),
        certified: if outcome.checked { "checked" } else { "claimed" },
        evidence: outcome.evidence.map(Evidence::name),
        scope: &outcome.scope,
        fairness: &outcome.fairness,
        seconds: outcome.time.as_secs_f64(),
        stats: Pairs(outcome.statistics.clone()),
        counterexample: outcome.counterexample.as_ref().map(|found| evidence(&outcome.claim, found)),
        reasons: &outcome.reasons,
        labels: outcome.labels.iter().map(labels).collect(),
        notes: sentences(&outcome.notes),
    }
}

fn labels(Labelled { formula, holds, fails, whole }: &Labelled) -> Labels<'_> {
    Labels { formula, holds, fails, whole: *whole }
}

/// Where a run stays for ever.
pub(crate) fn recurring(recurrence: &Recurrence) -> Recurring<'_> {
    fn pairs(pairs: &[(String, String)]) -> Pairs<&str, &str> {
        Pairs(pairs.iter().map(|(name, term)| (name.as_str(), term.as_str())).collect())
    }
    fn set(RecurrentSet { place, condition, action, changes }: &RecurrentSet) -> Staying<'_> {
        Staying { place, condition, action, changes: changes.as_deref().map(pairs) }
    }
    Recurring {
        from: recurrence.from,
        in_turn: recurrence.ordered,
        sets: recurrence.sets.iter().map(set).collect(),
        round: recurrence.round.as_deref().map(pairs),
    }
}

fn evidence<'a>(claim: &'a str, counterexample: &'a Counterexample) -> Shown<'a> {
    let trace = counterexample.trace.as_ref();
    let (kind, fault) = match &counterexample.kind {
        Kind::Lasso => ("lasso", None),
        Kind::Path | Kind::Prefix => ("path", None),
        Kind::State => ("state", None),
        Kind::Beginning => ("beginning", None),
        Kind::Fault(sentence) => ("fault", Some(sentence.as_str())),
    };
    Shown {
        kind,
        violates: claim,
        initial: trace.map(|trace| bindings(&trace.initial)),
        steps: trace.map_or_else(Vec::new, |trace| trace.steps.iter().map(step).collect()),
        cycle: trace.and_then(|trace| trace.cycle),
        fairness: counterexample.ledger.iter().map(requirement).collect(),
        formulas: counterexample.facts.iter().map(formula).collect(),
        fault,
        false_after: matches!(counterexample.kind, Kind::Path | Kind::Prefix)
            .then(|| trace.map_or(0, |trace| trace.steps.len())),
        recurrence: counterexample.recurrence.as_ref().map(recurring),
    }
}

fn formula(fact: &Fact) -> Part<'_> {
    let certified = if fact.checked { "checked" } else { "claimed" };
    Part { state: fact.state, formula: &fact.formula, value: fact.holds, certified }
}

fn step(step: &Step) -> Taken<'_> {
    let Step { action, processes, changes, forgotten, .. } = step;
    Taken { action, processes, changes: bindings(changes), forgotten }
}

fn bindings(bindings: &[Binding]) -> Pairs<String, Value> {
    Pairs(bindings.iter().map(|binding| (binding.name(), shown(&binding.value))).collect())
}

/// Places with the texts of their values.
pub(crate) fn texts(bindings: &[Binding]) -> Pairs<String, String> {
    Pairs(bindings.iter().map(|binding| (binding.name(), binding.value.to_string())).collect())
}

/// A value of a state: a record as an object, a set or a sequence as a list, anything else as text. A channel is a text too,
/// unless a message in it has parts: then it is a list of messages.
pub(crate) fn shown(value: &Content) -> Value {
    match value {
        Content::Record(_, fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), shown(value))).collect())
        }
        Content::Set(values) | Content::List(values) => Value::Array(values.iter().map(shown).collect()),
        Content::Queue(messages) if messages.iter().flatten().any(has_parts) => queue(messages, shown),
        Content::Bool(_) | Content::Int(_) | Content::Member(_) | Content::Queue(_) => {
            Value::String(value.to_string())
        }
    }
}

/// The messages of a channel, each a list of values if it has several fields.
pub(crate) fn queue(messages: &[Vec<Content>], value: fn(&Content) -> Value) -> Value {
    let message = |fields: &Vec<Content>| match &fields[..] {
        [only] => value(only),
        several => Value::Array(several.iter().map(value).collect()),
    };
    Value::Array(messages.iter().map(message).collect())
}

fn has_parts(value: &Content) -> bool {
    matches!(value, Content::Record(..) | Content::Set(_) | Content::List(_))
}

fn sentences(notes: &[Note]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

pub(crate) fn requirement(entry: &Entry) -> Fair<'_> {
    let (met, step) = match entry.met {
        Met::Taken(step) => ("taken", Some(step)),
        Met::Disabled(step) => ("disabled", Some(step)),
        Met::Occurs(step) => ("true", Some(step)),
        Met::Untriggered => ("untriggered", None),
        Met::Everything => ("everything", None),
    };
    Fair { requirement: &entry.requirement, met, step }
}
