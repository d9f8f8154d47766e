//! The file formats of proofs, which `docs/proofs.md` describes: local, listed and counted proofs.
//!
//! A proof is a JSON document. It says which property of which model it proves, with which values of constants and under
//! which fairness; the reader compares this with the model. Only the form of a proof is checked here, and nothing in it
//! is trusted; the judge does the rest.

mod counted;
mod listed;
mod local;
mod lowered;

use std::collections::BTreeMap;

use driver::model::expr::Operator;
use driver::model::{Instance, Proof, Task};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The property and the model of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct About {
    /// The name of the model.
    pub(crate) model: String,
    /// The values given to constants and parameters.
    pub(crate) settings: BTreeMap<String, String>,
    /// The property.
    pub(crate) property: String,
    /// What it claims.
    pub(crate) claim: String,
    /// The word of `--fairness`; `declared` if the model's own fairness is assumed.
    pub(crate) assumed: String,
    /// The fairness.
    pub(crate) fairness: String,
}

/// A document whose form has been checked.
#[derive(Debug)]
pub(crate) enum Document {
    Local(local::Document),
    Listed(listed::Document),
    Counted(counted::Document),
}

impl Document {
    /// What it is about.
    pub(crate) fn about(&self) -> &About {
        match self {
            Document::Local(document) => &document.about,
            Document::Listed(document) => &document.about,
            Document::Counted(document) => &document.about,
        }
    }

    /// The proof in terms of a task; a message if it cannot be one of it.
    pub(crate) fn proof(&self, task: &Task) -> Result<Proof, String> {
        Ok(match self {
            Document::Local(document) => Proof::Local(Box::new(document.proof(instance(task)?)?)),
            Document::Listed(document) => Proof::Listed(Box::new(document.proof(task, instance(task)?)?)),
            Document::Counted(document) => Proof::Counted(Box::new(document.proof())),
        })
    }
}

/// A proof as text; a message if it cannot be written.
pub(crate) fn write(about: &About, task: &Task, proof: &Proof) -> Result<String, String> {
    match proof {
        Proof::Local(local) | Proof::Diagrams(local) => local::write(about, instance(task)?, local),
        Proof::Listed(listed) => listed::write(about, task, instance(task)?, listed),
        Proof::Counted(counted) => Ok(counted::write(about, counted)),
        Proof::Exhaustive | Proof::Labelling(_) => Err("there is no file format for this proof".to_owned()),
    }
}

/// The instance that a proof is about, unless it is about every number of processes.
fn instance(task: &Task) -> Result<&Instance, String> {
    let instance = task.instance().ok_or("a parameter has no value, and the proof is about one instance")?;
    Ok(instance)
}

/// The document in a text, or why there is none.
pub(crate) fn read(text: &str) -> Result<Document, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let form = |error: serde_json::Error| format!("it does not have the form of a proof: {error}");
    let format = value.get("format").and_then(Value::as_str).unwrap_or_default().to_owned();
    let known = match &*format {
        local::FORMAT => local::VERSION,
        listed::FORMAT => listed::VERSION,
        counted::FORMAT => counted::VERSION,
        _ => return Err("it is not a proof of Fairly".to_owned()),
    };
    match value.get("version").and_then(Value::as_u64) {
        Some(version) if version == u64::from(known) => {}
        version => {
            let version =
                version.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
            return Err(format!("it has {version} of the format, but only version {known} is known here"));
        }
    }
    match &*format {
        local::FORMAT => serde_json::from_value(value).map(Document::Local).map_err(form),
        listed::FORMAT => serde_json::from_value(value).map(Document::Listed).map_err(form),
        _ => serde_json::from_value(value).map(Document::Counted).map_err(form),
    }
}

/// A list with an element per line.
fn lines(elements: impl Iterator<Item = Value>) -> String {
    let lines: Vec<String> = elements.map(|element| format!("\n    {element}")).collect();
    if lines.is_empty() { "[]".to_owned() } else { format!("[{}\n  ]", lines.join(",")) }
}

/// How operators are written in expressions.
const OPERATORS: [(&str, Operator); 11] = [
    ("-", Operator::Sub),
    ("*", Operator::Mul),
    ("/", Operator::Div),
    ("%", Operator::Mod),
    ("==", Operator::Eq),
    ("!=", Operator::Ne),
    ("<", Operator::Lt),
    ("<=", Operator::Le),
    (">", Operator::Gt),
    (">=", Operator::Ge),
    ("->", Operator::Implies),
];

/// How an operator is written.
fn sign(operator: Operator) -> &'static str {
    OPERATORS.into_iter().find(|(_, known)| *known == operator).map_or("?", |(sign, _)| sign)
}
