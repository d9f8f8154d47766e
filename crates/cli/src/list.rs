//! `fairly check --list`: the properties of models, each with its kind, what it assumes, and its expectation. Nothing is
//! run.

use std::fmt::Write;

use driver::model::property::Kind;
use driver::{Check, Expect, FairnessOption, Model, Options};

use crate::sources::Source;
use crate::style::{QUIET, STRONG, paint};

/// A property. The fields are those of the public JSON format, in its order.
#[derive(serde::Serialize)]
struct Listed<'a> {
    model: &'a str,
    #[serde(rename = "property")]
    name: String,
    kind: &'static str,
    claim: String,
    fairness: String,
    expected: Option<&'static str>,
}

/// For people: a line per property.
pub(crate) fn text<'a>(models: impl Iterator<Item = (&'a Source, &'a Model)>, options: &Options) -> String {
    let mut text = String::new();
    for (number, (source, model)) in models.enumerate() {
        let gap = if number == 0 { "" } else { "\n" };
        // Writing to a string does not fail, here and below.
        let _ = writeln!(text, "{gap}{}", paint(STRONG, &source.path));
        let listed = listed(source, model, options);
        let widest = |width: fn(&Listed<'_>) -> usize| listed.iter().map(width).max().unwrap_or(0);
        let name = widest(|one| one.name.chars().count());
        let kind = widest(|one| one.kind.len());
        let expected = widest(|one| one.expected.map_or(0, |word| "expect ".len() + word.len()));
        for one in &listed {
            let assumed =
                if one.fairness == "none" { String::new() } else { format!("under {}", one.fairness) };
            let wanted = one.expected.map_or(String::new(), |word| format!("expect {word}"));
            let line = format!("  {:name$}  {:kind$}  {wanted:expected$}  {assumed}", one.name, one.kind);
            let _ = writeln!(text, "{}", line.trim_end());
            let _ = writeln!(text, "      {}", paint(QUIET, &one.claim));
        }
        if listed.is_empty() {
            text += "  no property is declared\n";
        }
    }
    text
}

/// For scripts, as `docs/json.md` describes it.
pub(crate) fn json<'a>(models: impl Iterator<Item = (&'a Source, &'a Model)>, options: &Options) -> String {
    let properties: Vec<Listed<'_>> =
        models.flat_map(|(source, model)| listed(source, model, options)).collect();
    let document = Document { format: 1, properties };
    // Invariant: only names and lists, which JSON can always express.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

#[derive(serde::Serialize)]
struct Document<'a> {
    format: u32,
    properties: Vec<Listed<'a>>,
}

fn listed<'a>(source: &'a Source, model: &Model, options: &Options) -> Vec<Listed<'a>> {
    let selected = |check: &&Check| driver::selected(&options.properties, &check.task.property.name);
    let listed = |check: &Check| {
        let task = &check.task;
        let declared = options.fairness == FairnessOption::Declared;
        Listed {
            model: &source.path,
            name: task.property.name.to_string(),
            kind: match &task.property.kind {
                Kind::Invariant(_) => "invariant",
                Kind::Ltl(_) => "LTL",
                Kind::Ctl(_) => "CTL",
                Kind::Never(_) => "automaton",
            },
            claim: check.claim(),
            fairness: if declared {
                driver::report::assumed(task.system(), &task.fairness)
            } else {
                options.fairness.name().to_owned()
            },
            // What the model expects is said of the fairness that it declares.
            expected: check.expected.filter(|_| declared).map(Expect::name),
        }
    };
    model.checks.iter().filter(selected).map(listed).collect()
}
