//! The conversation with the page of `fairly explore` and the playground: requests come as JSON, each is answered by one or
//! more events. The page and this folder change together; other programs should use `--format json`.
//!
//! A request carries the text it is about, so nothing here depends on the order of requests. All work is that of
//! [`fairly::session`]; this folder only reads requests and writes down answers.

mod offsets;
mod run;
mod shown;

use std::collections::BTreeMap;

use driver::FairnessOption;
use fairly::session::{self, Asked, Beginning, Document, Language, Saved, Session, Walk, Watch};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{itf, saved};

/// A request of the page.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The name of the model, without an ending.
    #[serde(default)]
    name: String,
    /// The ending of files in its language; ours if there is none.
    #[serde(default)]
    language: String,
    /// Its text.
    text: String,
    /// Values for its constants and parameters.
    #[serde(default)]
    settings: Vec<(String, String)>,
    /// Texts of files that the model names, where they cannot be read from disk.
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(flatten)]
    what: What,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum What {
    Open,
    Complete {
        /// In units of UTF-16.
        at: usize,
    },
    Format,
    Check {
        #[serde(default)]
        properties: Vec<String>,
        #[serde(default)]
        fairness: Option<String>,
        #[serde(default)]
        explain: bool,
    },
    Advise {
        #[serde(default)]
        properties: Vec<String>,
    },
    Graph {
        property: Option<String>,
        #[serde(default)]
        on: Vec<String>,
        /// The page's own is `DRAWN` in `page/src/panel-graph.js`.
        limit: usize,
    },
    Simulate {
        #[serde(default)]
        along: Option<Value>,
        #[serde(default)]
        steps: usize,
        #[serde(default)]
        number: Option<usize>,
        #[serde(default)]
        choices: Vec<usize>,
        #[serde(default)]
        random: u64,
        #[serde(default)]
        seed: u64,
    },
    Truth {
        run: Value,
        #[serde(default)]
        watches: Vec<String>,
    },
    Assume {
        property: String,
        requirements: Vec<String>,
    },
    Itf {
        run: Value,
        property: Option<String>,
    },
    Load {
        document: String,
        property: Option<String>,
    },
}

impl Request {
    /// Reads a request. The error is a sentence.
    pub fn read(text: &str) -> Result<Request, String> {
        serde_json::from_str(text).map_err(|error| format!("this is no request: {error}"))
    }

    /// The kind of work, if it may take long; `None` if it is done in a moment.
    pub fn long_work(&self) -> Option<&'static str> {
        match self.what {
            // A cell of the ladder does not end the check of all properties.
            What::Check { fairness: Some(_), .. } => Some("cell"),
            What::Check { explain: true, .. } => Some("explain"),
            What::Check { .. } => Some("check"),
            What::Advise { .. } => Some("advise"),
            What::Graph { .. } => Some("graph"),
            What::Load { .. } => Some("load"),
            _ => None,
        }
    }
}

/// An answer of a few words.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Said<'a> {
    Formatted { text: Option<String> },
    Done,
    Failed { message: &'a str },
    Progress { property: String, phase: &'a str, count: u64, unit: &'a str },
    Itf { text: String },
    Edit { span: [usize; 2], text: String },
}

/// A message that something failed, as an event.
pub fn failed(message: &str) -> String {
    written(&Said::Failed { message })
}

/// That nothing more follows, as an event.
pub fn done() -> String {
    written(&Said::Done)
}

/// The progress on a property, as an event.
pub fn progress(property: &driver::Name, progress: &driver::Progress) -> String {
    let driver::Progress { phase, count, unit } = progress;
    written(&Said::Progress { property: property.to_string(), phase, count: *count, unit })
}

/// Answers a request: `emit` is called with each event. `files` gives the text of a file that the model names. The last
/// event is [`done`] or [`failed`].
pub fn answer(
    request: &Request,
    session: &mut Session,
    files: &dyn Fn(&str) -> Result<String, String>,
    watch: &Watch<'_>,
    emit: &mut dyn FnMut(String),
) {
    let given = |file: &str| request.files.get(file).cloned().map_or_else(|| files(file), Ok);
    let language = Language::of_ending(&request.language).unwrap_or_default();
    let document = Document::open_as(language, &request.name, &request.text, &request.settings, &given);
    match answered(request, &document, session, watch, emit) {
        Ok(()) => emit(done()),
        Err(message) => emit(failed(&message)),
    }
}

fn answered(
    request: &Request,
    document: &Document,
    session: &mut Session,
    watch: &Watch<'_>,
    emit: &mut dyn FnMut(String),
) -> Result<(), String> {
    let in_words = |obstacle: session::Obstacle| obstacle.to_string();
    match &request.what {
        What::Open => emit(shown::opened(document)),
        What::Complete { at } => {
            let byte = offsets::byte(&document.text, *at);
            emit(shown::completed(document, byte));
        }
        What::Format => emit(written(&Said::Formatted { text: document.formatted() })),
        What::Check { properties, fairness, explain } => {
            let asked = Asked {
                properties: properties.clone(),
                fairness: named_fairness(fairness.as_deref())?,
                ..Asked::default()
            };
            let mut each = |outcome: &fairly::Outcome| emit(shown::outcome(document, &asked, outcome));
            let report = if *explain {
                session.explain(document, &asked, watch, &mut each)
            } else {
                session.check(document, &asked, watch, &mut each)
            };
            let report = report.map_err(in_words)?;
            emit(shown::notes(&report));
        }
        What::Advise { properties } => {
            let mut each = |advice: &driver::Advice| emit(shown::advice(advice));
            session.advise(document, properties, watch, &mut each).map_err(in_words)?;
        }
        What::Graph { property, on, limit } => {
            let graph = session::graph(document, property.as_deref(), on, *limit, watch)?;
            emit(shown::graph(&graph));
        }
        What::Simulate { along, steps, number, choices, random, seed } => {
            let beginning = match (along, number) {
                (Some(run), _) => Beginning::Along(read_run(run)?, *steps),
                (None, Some(number)) => Beginning::Number(*number),
                (None, None) => Beginning::Random,
            };
            let walk = Walk { beginning, choices: choices.clone(), random: *random, seed: *seed };
            emit(shown::walked(document, &session::simulate(document, &walk)?));
        }
        What::Truth { run, watches } => {
            let truth = session::truth(document, &read_run(run)?, watches)?;
            emit(shown::truth(&truth, watches));
        }
        What::Assume { property, requirements } => {
            let name = document.properties().find(|name| name.to_string() == *property);
            let session::Edit { span, text } = name
                .and_then(|name| session::assume(document, name, requirements))
                .ok_or_else(|| format!("fairness cannot be written at `{property}`"))?;
            let span = offsets::Offsets::new(&document.text).span(span);
            emit(written(&Said::Edit { span, text }));
        }
        What::Itf { run, property } => {
            let trace = session::trace(document, &read_run(run)?)?;
            let path = format!("{}.{}", document.name, document.language.ending());
            emit(written(&Said::Itf { text: itf::of_run(&path, property.as_deref(), &trace) }));
        }
        What::Load { document: text, property } => {
            let saved = saved::read(text, property.as_deref())?;
            let trace = session::trace(document, &saved)?;
            let judged = session::replay_own(document, &saved, watch)?;
            emit(shown::loaded(document, &trace, saved.property.as_deref(), judged.as_ref()));
        }
    }
    Ok(())
}

/// A run as the page sends it: in the form of `--format json`, with each value as text.
fn read_run(run: &Value) -> Result<Saved, String> {
    saved::of_result(String::new(), run)
}

fn named_fairness(name: Option<&str>) -> Result<FairnessOption, String> {
    let Some(name) = name else { return Ok(FairnessOption::Declared) };
    let found = FairnessOption::ALL.into_iter().find(|option| option.name() == name);
    found.ok_or_else(|| format!("there is no fairness `{name}`"))
}

fn written(event: &impl Serialize) -> String {
    // Invariant: only names, numbers and lists, which JSON can always express.
    serde_json::to_string(event).unwrap_or_default()
}

#[cfg(test)]
mod tests;
