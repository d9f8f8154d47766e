//! Models of `NuSMV`, if they are present: its own examples, with its verdicts and numbers of states.
//!
//! The collection is not part of this project. If `shared/corpus/smv/smv.tsv` is next to the project's folder, every test
//! run reads all its files but the longest, and checks those with few recorded states. `FAIRLY_SMV=all` checks all of them,
//! each property for `FAIRLY_SMV_SECONDS` (60) and together for `FAIRLY_SMV_MINUTES` (60), and `FAIRLY_SMV_FILE` names some.
//! A verdict or a number of states that differs must be explained below.

use std::collections::BTreeMap;
use std::time::Instant;

use driver::import::{self, Language};
use driver::{FairnessOption, Model, Severity, Verdict};

use crate::tool::corpora::{self, Asked, Collection, Figures, Time, variable};

/// Files with more recorded states are only read, unless all are asked for.
const STATES: f64 = 3_000.0;

/// Longer files, in bytes, are left out, unless all are asked for.
const LENGTH: usize = 20_000;

/// Files that `NuSMV` does not read either, or that are too large for us, with the words of our refusal.
const REFUSED: [(&str, &str); 4] = [
    // One step chooses among 10^10 combinations of values and more.
    ("examples/guidance/guidance.smv", "combinations"),
    // The condition for a step grows too large.
    ("examples/queue/queue.smv", "too large"),
    // It needs m4 first, and then assigns a value out of range.
    ("examples/m4/modcounter.m4.smv", "`define` is not expected"),
    // Its first line is a directive of a preprocessor.
    ("examples/smv-dist/gigamax.smv", "`#` is not expected"),
];

struct Row<'a> {
    file: &'a str,
    spec: usize,
    kind: &'a str,
    verdict: &'a str,
    states: Option<f64>,
}

impl<'a> Row<'a> {
    fn read(fields: &[&'a str]) -> Option<Row<'a>> {
        let [file, _, _, spec, kind, _, verdict, _, states, ..] = fields else { panic!("{fields:?}") };
        let (spec, states) = (spec.parse().unwrap_or(0), states.parse().ok());
        (!file.is_empty()).then_some(Row { file, spec, kind, verdict, states })
    }
}

#[test]
fn verdicts_are_those_of_nusmv() {
    let Some(collection) = Collection::open("smv") else { return };
    let all = variable("FAIRLY_SMV").is_some_and(|value| value == "all");
    let time = Time::of("SMV", if all { 60.0 } else { 5.0 });
    let wanted = variable("FAIRLY_SMV_FILE");
    let mut files: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for row in collection.rows().filter_map(|fields| Row::read(&fields)) {
        files.entry(row.file).or_default().push(row);
    }
    files.retain(|file, _| wanted.as_ref().is_none_or(|wanted| file.contains(wanted.as_str())));
    let mut problems = Vec::new();
    let mut read = 0;
    let mut figures = Figures::default();
    for (file, own) in &files {
        let text = collection.text(file);
        if !all && text.len() > LENGTH {
            println!("{file}: left out, it takes long to read");
            continue;
        }
        let start = Instant::now();
        let loaded = driver::load_foreign(Language::Smv, "model", &text, &[], "", &[], &import::no_files);
        let reading = start.elapsed();
        let Some(model) = loaded.model else {
            let message = loaded.diagnostics.iter().find(|found| found.severity == Severity::Error);
            let message =
                message.map_or(String::new(), |error| format!("{}: {}", error.message, error.label));
            match REFUSED.iter().find(|(refused, _)| refused == file) {
                Some((_, words)) => assert!(message.contains(words), "{file}: {message}"),
                None => problems.push(format!("{file}: {message}")),
            }
            println!("{file}: refused, {message}");
            continue;
        };
        read += 1;
        let recorded = own[0].states;
        if !all && recorded.is_none_or(|states| states > STATES) {
            println!("{file}: read in {reading:.1?}");
            continue;
        }
        let verdicts: BTreeMap<String, Asked> =
            corpora::verdicts(&model, FairnessOption::Declared, &time).into_iter().collect();
        // Where the questions are too hard, so is counting: each state may have very many steps.
        let is_decided = verdicts.values().all(|asked| asked.verdict != Verdict::Unknown);
        if is_decided && recorded.is_some_and(|states| states <= if all { 1e6 } else { 1e4 }) {
            problems.extend(differs(file, recorded, &model, &time));
        }
        for row in own.iter().filter(|row| row.kind != "COMPUTE") {
            let name = format!("spec_{}", row.spec);
            let Some(asked) = verdicts.get(&name) else {
                problems.push(format!("{file}: there is no {name}"));
                continue;
            };
            let (found, passed, took) = (asked.verdict.name(), time.passed(), asked.time);
            println!("{passed:.0?}: {file} {name}: {found} (recorded: {}), {took:.1?}", row.verdict);
            if figures.note(row.kind, asked, row.verdict) {
                problems.push(format!("{file} {name}: {found}, but NuSMV says {}", row.verdict));
            }
        }
    }
    println!("{read} of {} files read", files.len());
    print!("{figures}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// In what the number of reachable states differs from the record.
fn differs(file: &str, recorded: Option<f64>, model: &Model, time: &Time) -> Option<String> {
    // A claim that must look at all states.
    let check = model
        .checks
        .iter()
        .find(|check| matches!(check.task.property.kind, model::property::Kind::Ctl(_)))?;
    let Some((states, _)) = corpora::counts(&check.task, time) else {
        println!("{file}: its steps are too many to be counted");
        return None;
    };
    println!("{file}: {states} states");
    let recorded = recorded?;
    ((states as f64 - recorded).abs() > recorded * 1e-4)
        .then(|| format!("{file}: {states} states, but NuSMV counts {recorded}"))
}
