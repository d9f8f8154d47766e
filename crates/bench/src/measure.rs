//! Runs a row with Fairly itself, as a user would, in its own process.
//!
//! We run `fairly check … --no-notes --format json` with default options, except for the number of threads and the
//! limits. So the figures are what a user gets who asks one question, including reading, checking, searching, judging
//! and writing.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::files;
use crate::process::{self, End, Run};
use crate::rows::{Check, Question};

/// The time a check may take after its limit to end by itself.
pub(crate) const GRACE: Duration = Duration::from_secs(20);

/// The settings that are the same for all rows.
pub(crate) struct Bench {
    /// The program to measure.
    pub(crate) fairly: PathBuf,
    /// The time limit of each run, on the clock.
    pub(crate) time: Duration,
    /// The memory limit of each run, in bytes.
    pub(crate) memory: u64,
    /// The number of threads of our own runs.
    pub(crate) threads: usize,
}

/// The result of a run, and its cost.
pub(crate) struct Measurement {
    pub(crate) outcome: Outcome,
    /// The number of states that were visited, or of an automaton.
    pub(crate) states: Option<u64>,
    /// Which of our engines answered.
    pub(crate) engine: Option<String>,
    /// In seconds.
    pub(crate) cpu: f64,
    /// In bytes.
    pub(crate) memory: u64,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Holds,
    Fails,
    /// Done, where there is no verdict: an automaton was built, states were counted.
    Done,
    /// No answer, and why.
    Unanswered(String),
}

/// Our answer to a row.
pub(crate) fn ours(bench: &Bench, folder: &Path, question: &Question) -> io::Result<Measurement> {
    let arguments = match question {
        Question::Check(check) => command(bench, bench.time, selection(check), &check.engine, &check.options),
        Question::Automaton(formula) => {
            ["automaton", "--negate", "--format", "hoa", formula].map(str::to_owned).to_vec()
        }
    };
    let run = process::run(folder, bench.time.saturating_add(GRACE), &bench.fairly, &arguments)?;
    let (outcome, states, engine) = match question {
        Question::Check(_) => verdict(&run),
        Question::Automaton(_) => automaton(&run),
    };
    Ok(Measurement { outcome, states, engine, cpu: run.cpu, memory: run.memory })
}

/// The arguments that select the model and property of a check, for `fairly check` and `fairly export`.
pub(crate) fn selection(check: &Check) -> Vec<String> {
    let mut arguments = vec![files::path(&check.model)];
    for (name, value) in &check.settings {
        arguments.extend(["--set".to_owned(), format!("{name}={value}")]);
    }
    let selected = ["--property", &check.property, "--fairness", &check.fairness];
    arguments.extend(selected.map(str::to_owned));
    arguments
}

/// Why a run has no answer, if it did not end by itself.
pub(crate) fn reason(end: End) -> Option<&'static str> {
    match end {
        End::Code(_) => None,
        End::Signal => Some("killed"),
        End::Late => Some("time"),
        End::Interrupted => Some("interrupted"),
    }
}

/// The arguments of `fairly` to check a selection with an engine.
pub(crate) fn command(
    bench: &Bench,
    time: Duration,
    selection: Vec<String>,
    engine: &str,
    options: &[String],
) -> Vec<String> {
    let mut arguments = vec!["check".to_owned(), "--no-notes".to_owned()];
    arguments.extend(selection);
    arguments.extend(["--engine".to_owned(), engine.to_owned()]);
    for option in options {
        arguments.extend(["--engine-option".to_owned(), option.clone()]);
    }
    arguments.extend(["--format".to_owned(), "json".to_owned()]);
    arguments.extend(["--threads".to_owned(), bench.threads.to_string()]);
    arguments.extend(["--time-limit".to_owned(), time.as_secs_f64().to_string()]);
    arguments.extend(["--memory-limit".to_owned(), bench.memory.to_string()]);
    arguments
}

/// The result of a run: the outcome, the number of states, the engine.
type Said = (Outcome, Option<u64>, Option<String>);

fn verdict(run: &Run) -> Said {
    if let Some(reason) = reason(run.end) {
        return (Outcome::Unanswered(reason.to_owned()), None, None);
    }
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    let result = &document["results"][0];
    let outcome = match result["verdict"].as_str() {
        Some("holds") => Outcome::Holds,
        Some("fails") => Outcome::Fails,
        Some(_) => Outcome::Unanswered(short(result["notes"][0].as_str().unwrap_or("undecided"))),
        None => Outcome::Unanswered(short(run.stderr.lines().next().unwrap_or("no result"))),
    };
    let engine = result["engine"].as_str().map(str::to_owned);
    (outcome, result["stats"]["states"].as_u64(), engine)
}

/// A reason in a word or two, if it is a known one.
fn short(note: &str) -> String {
    let known = [("time limit", "time"), ("memory", "memory"), ("interrupted", "interrupted")];
    let word = known.iter().find(|(text, _)| note.contains(text)).map(|(_, word)| (*word).to_owned());
    word.unwrap_or_else(|| note.to_owned())
}

fn automaton(run: &Run) -> Said {
    if let Some(reason) = reason(run.end) {
        return (Outcome::Unanswered(reason.to_owned()), None, None);
    }
    let states = run.stdout.lines().find_map(|line| line.strip_prefix("States: ")?.trim().parse().ok());
    match states {
        Some(_) => (Outcome::Done, states, None),
        None => (Outcome::Unanswered(short(run.stderr.lines().next().unwrap_or("no automaton"))), None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(stdout: &str, stderr: &str, end: End) -> Run {
        Run {
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            cpu: 0.0,
            clock: Duration::ZERO,
            memory: 0,
            end,
        }
    }

    #[test]
    fn a_verdict_is_read_from_the_document() {
        let document = r#"{"format":1,"results":[{"verdict":"holds","engine":"symbolic","stats":{"states":7},"notes":[]}]}"#;
        let engine = Some("symbolic".to_owned());
        assert_eq!(verdict(&run(document, "", End::Code(0))), (Outcome::Holds, Some(7), engine.clone()));
        assert_eq!(verdict(&run(&document.replace("holds", "fails"), "", End::Code(1))).0, Outcome::Fails);
        let unknown = document.replace("holds", "unknown").replace("[]", r#"["the time limit was reached"]"#);
        assert_eq!(
            verdict(&run(&unknown, "", End::Code(3))),
            (Outcome::Unanswered("time".to_owned()), Some(7), engine)
        );
    }

    #[test]
    fn what_is_no_document_is_no_verdict() {
        for stdout in ["", "{}", "[1]", "holds", r#"{"results":[]}"#] {
            let said = verdict(&run(stdout, "error: no\nmore", End::Code(2)));
            assert_eq!(said, (Outcome::Unanswered("error: no".to_owned()), None, None));
        }
        let late = verdict(&run(r#"{"results":[{"verdict":"holds"}]}"#, "", End::Late));
        assert_eq!(late.0, Outcome::Unanswered("time".to_owned()));
    }
}
