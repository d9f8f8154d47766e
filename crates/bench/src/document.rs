//! The figures for scripts: the JSON document of `fairly-bench`, described in `docs/benchmarks.md`.

use serde::Serialize;

use crate::comparison::Comparison;
use crate::measure::{Measurement, Outcome};
use crate::rows::Set;

/// The version of the format.
const FORMAT: u32 = 1;

/// All results, by set.
pub(crate) fn document(threads: usize, results: &[(&Set, Vec<Comparison>)]) -> String {
    let sets = results.iter().map(|(set, results)| Section {
        set: set.name,
        title: &set.title,
        published: &set.published,
        rows: results.iter().map(line).collect(),
    });
    let document =
        Document { format: FORMAT, version: env!("CARGO_PKG_VERSION"), threads, sets: sets.collect() };
    // Invariant: only names, numbers and lists, which JSON can always express.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

#[derive(Serialize)]
struct Document<'a> {
    format: u32,
    version: &'static str,
    threads: usize,
    sets: Vec<Section<'a>>,
}

#[derive(Serialize)]
struct Section<'a> {
    set: &'a str,
    title: &'a str,
    published: &'a [String],
    rows: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct Line<'a> {
    row: &'a str,
    as_expected: Option<bool>,
    /// The size of the state space according to the row, if it is known.
    state_space: Option<u64>,
    ours: Figures<'a>,
    published: &'a [String],
    peers: Vec<Figures<'a>>,
    gain: Option<f64>,
    gain_is_a_bound: bool,
    note: &'a str,
}

#[derive(Serialize)]
struct Figures<'a> {
    name: &'a str,
    /// Which of our engines answered.
    engine: Option<&'a str>,
    verdict: Option<&'static str>,
    unanswered: Option<&'a str>,
    states: Option<u64>,
    cpu_seconds: f64,
    peak_bytes: u64,
}

fn line<'a>(result: &'a Comparison<'a>) -> Line<'a> {
    let gain = result.gain();
    Line {
        row: &result.row.name,
        as_expected: result.right(),
        state_space: result.row.states,
        ours: figures("fairly", &result.ours),
        published: &result.row.published,
        peers: result.peers.iter().map(|(name, answer)| figures(name, answer)).collect(),
        gain: gain.as_ref().map(|gain| gain.factor),
        gain_is_a_bound: gain.is_some_and(|gain| gain.bound),
        note: &result.row.note,
    }
}

fn figures<'a>(name: &'a str, answer: &'a Measurement) -> Figures<'a> {
    let (verdict, unanswered) = match &answer.outcome {
        Outcome::Holds => (Some("holds"), None),
        Outcome::Fails => (Some("fails"), None),
        Outcome::Done => (None, None),
        Outcome::Unanswered(reason) => (None, Some(reason.as_str())),
    };
    Figures {
        name,
        engine: answer.engine.as_deref(),
        verdict,
        unanswered,
        states: answer.states,
        cpu_seconds: answer.cpu,
        peak_bytes: answer.memory,
    }
}
