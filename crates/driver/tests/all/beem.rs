//! The BEEM collection, if it is present: models in DVE with recorded numbers of states and recorded verdicts.
//!
//! The collection is not part of this project. If `shared/corpus/beem/beem.tsv` is next to the project's folder, every
//! test run reads all its models, and checks numbers of states and steps and verdicts of the small ones. `FAIRLY_BEEM=all`
//! checks all of them, a number those with up to so many recorded states. `FAIRLY_BEEM_SECONDS` is the time limit of a
//! question (60), `FAIRLY_BEEM_MINUTES` that of all (60), and
//! `FAIRLY_BEEM_FAMILY` names one family. A difference must be explained below. `FAIRLY_BEEM_LADDER=file` writes the
//! verdicts of all LTL properties under each kind of fairness into a file, and leaves out those that are there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use driver::import::{self, Claim, Language};
use driver::{FairnessOption, Model, Verdict};

use crate::tool::corpora::{self, Asked, Collection, Figures, Time, variable};

/// Models with more recorded states are left out, unless more are asked for.
const STATES: u64 = 3_000;

/// Recorded facts that are wrong, and why: the instance, the property, and the right verdict.
const WRONG: [(&str, &str, Verdict); 1] = [
    // Two independent searches of the file, and ours, find 352,664 states and not 347,039.
    ("anderson.1", "4:LTL", Verdict::Holds),
];

struct Row<'a> {
    instance: String,
    file: &'a str,
    states: Option<u64>,
    transitions: Option<u64>,
    deadlocks: Option<u64>,
    property: &'a str,
    formula: &'a str,
    verdict: &'a str,
    meanings: &'a str,
}

impl<'a> Row<'a> {
    fn read(fields: &[&'a str]) -> Row<'a> {
        let [
            family,
            number,
            file,
            _,
            states,
            transitions,
            property,
            formula,
            verdict,
            _,
            meanings,
            rest @ ..,
        ] = fields
        else {
            panic!("{fields:?}")
        };
        // An independent search counts more than the record.
        let number_of = |own: Option<&&str>, recorded: &str| {
            own.and_then(|own| own.parse().ok()).or_else(|| recorded.parse().ok())
        };
        Row {
            instance: format!("{family}.{number}"),
            file,
            states: number_of(rest.get(1), states),
            transitions: number_of(rest.get(2), transitions),
            deadlocks: rest.get(3).and_then(|own| own.parse().ok()),
            property,
            formula,
            verdict,
            meanings,
        }
    }

    /// The formula with its propositions replaced by what they mean.
    fn claim(&self) -> Option<(Claim, bool)> {
        let meanings: BTreeMap<&str, &str> = self
            .meanings
            .split(';')
            .filter_map(|meaning| meaning.split_once(":="))
            .map(|(a, b)| (a.trim(), b.trim()))
            .collect();
        let mut text = String::new();
        let mut rest = self.formula;
        while let Some(start) = rest.find(|next: char| next.is_ascii_alphabetic() || next == '_') {
            let word = rest[start..].find(|next: char| !next.is_ascii_alphanumeric() && next != '_');
            let end = word.map_or(rest.len(), |length| start + length);
            text.push_str(&rest[..start]);
            match meanings.get(&rest[start..end]) {
                Some(meaning) => text.extend(["(", *meaning, ")"]),
                None => text.push_str(&rest[start..end]),
            }
            rest = &rest[end..];
        }
        text.push_str(rest);
        match self.property.split_once(':')?.1 {
            "reachability" => Some((Claim::Safety(text.trim().strip_prefix("EF")?.to_owned()), true)),
            "LTL" => Some((Claim::Ltl(text), false)),
            _ => None,
        }
    }
}

#[test]
fn numbers_of_states_and_verdicts_are_those_of_the_collection() {
    let Some(collection) = Collection::open("beem") else { return };
    let limit = corpora::most_states("FAIRLY_BEEM", STATES);
    let time = Time::of("BEEM", 60.0);
    let family = variable("FAIRLY_BEEM_FAMILY");
    let mut problems = Vec::new();
    let (mut read, mut counted) = (BTreeSet::new(), BTreeSet::new());
    let mut figures = Figures::default();
    for row in collection.rows().map(|fields| Row::read(&fields)).filter(|row| !row.file.is_empty()) {
        if family.as_ref().is_some_and(|family| !row.instance.starts_with(&format!("{family}."))) {
            continue;
        }
        let text = collection.text(row.file);
        let is_small = row.states.is_some_and(|states| states <= limit);
        if read.insert(row.instance.clone()) {
            match load(&text, &[Claim::Safety("false".to_owned())]) {
                Ok(model) if is_small => match corpora::counts(&model.checks[0].task, &time) {
                    Some(counts) => {
                        counted.insert(row.instance.clone());
                        problems.extend(differs(&row, counts));
                    }
                    None => println!("{:.0?}: {} is too large to be counted", time.passed(), row.instance),
                },
                Ok(_) => {}
                Err(message) => problems.push(format!("{}: {message}", row.instance)),
            }
        }
        let Some((claim, negated)) = row.claim().filter(|_| is_small) else { continue };
        let model = match load(&text, std::slice::from_ref(&claim)) {
            Ok(model) => model,
            Err(message) => {
                problems.push(format!("{} {}: {message}", row.instance, row.property));
                continue;
            }
        };
        let asked = ask(&model, FairnessOption::None, &time);
        let verdict = match (asked.verdict, negated) {
            (Verdict::Holds, true) => Verdict::Fails,
            (Verdict::Fails, true) => Verdict::Holds,
            (verdict, _) => verdict,
        };
        let right = WRONG
            .iter()
            .find(|(instance, property, _)| (*instance, *property) == (&row.instance, row.property));
        let expected = right.map_or(row.verdict, |(.., right)| right.name());
        let (name, found) = (verdict.name(), Asked { verdict, ..asked });
        let (passed, took) = (time.passed(), asked.time);
        println!(
            "{passed:.0?}: {} {} {name} (recorded: {}), {took:.1?}",
            row.instance, row.property, row.verdict
        );
        let set = if negated { "reachability" } else { "LTL" };
        if figures.note(set, &found, expected) {
            problems.push(format!("{} {}: {name}, but {expected} is right", row.instance, row.property));
        }
    }
    println!("{} models read, {} counted", read.len(), counted.len());
    print!("{figures}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn load(text: &str, claims: &[Claim]) -> Result<Model, String> {
    let loaded = driver::load_foreign(Language::Dve, "model", text, claims, "", &[], &import::no_files);
    let message =
        loaded.diagnostics.first().map(|diagnostic| format!("{}: {}", diagnostic.message, diagnostic.label));
    loaded.model.ok_or_else(|| message.unwrap_or_default())
}

/// In what the number of states or steps of a model differs from the record.
fn differs(row: &Row<'_>, (states, transitions): (u64, u64)) -> Option<String> {
    println!("{}: {states} states, {transitions} transitions", row.instance);
    // Where the system idles, ours has one more step.
    let steps = match (row.transitions, row.deadlocks) {
        (Some(recorded), Some(deadlocks)) => transitions == recorded + deadlocks,
        (Some(recorded), None) => transitions >= recorded,
        (None, _) => true,
    };
    (row.states.is_some_and(|recorded| states != recorded) || !steps).then(|| {
        format!(
            "{}: {states} states and {transitions} transitions, recorded {:?} and {:?}",
            row.instance, row.states, row.transitions
        )
    })
}

/// The kinds of fairness, from none to the strongest.
const LADDER: [FairnessOption; 6] = [
    FairnessOption::None,
    FairnessOption::ProcessWeak,
    FairnessOption::Weak,
    FairnessOption::ProcessStrong,
    FairnessOption::Strong,
    FairnessOption::Global,
];

#[test]
fn more_fairness_never_makes_a_property_fail() {
    let Some(collection) = Collection::open("beem") else { return };
    let file = variable("FAIRLY_BEEM_LADDER");
    let limit = if file.is_some() { corpora::most_states("FAIRLY_BEEM", STATES) } else { 700 };
    let time = Time::of("BEEM", 10.0);
    let mut written =
        String::from("instance\tproperty\tnone\tprocess-weak\tweak\tprocess-strong\tstrong\tglobal\n");
    // Rows that an earlier run has written are kept.
    let earlier = file.as_ref().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    let known = |row: &Row<'_>| {
        let begin = format!("{}\t{}\t", row.instance, row.property);
        earlier.lines().find(|line| line.starts_with(&begin) && !line.contains("unknown"))
    };
    let table = include_str!("../../../../docs/beem-ladder.tsv");
    let mut rows = 0;
    for row in collection.rows().map(|fields| Row::read(&fields)).filter(|row| !row.file.is_empty()) {
        if let Some(line) = known(&row) {
            // Writing to a string does not fail, here and below.
            let _ = writeln!(written, "{line}");
            continue;
        }
        let is_small = row.states.is_some_and(|states| states <= limit);
        let Some((claim @ Claim::Ltl(_), _)) = row.claim().filter(|_| is_small) else { continue };
        let text = collection.text(row.file);
        let model = load(&text, &[claim]).expect("a model");
        if time.is_over() {
            println!("{} {}: there is no time left", row.instance, row.property);
            continue;
        }
        let verdicts = LADDER.map(|fairness| ask(&model, fairness, &time).verdict);
        rows += 1;
        // A run that is fair in a stronger sense is fair in the weaker one.
        for (weaker, stronger) in [(0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 5)] {
            let both = (verdicts[weaker], verdicts[stronger]);
            assert!(
                both != (Verdict::Holds, Verdict::Fails),
                "{} {}: {verdicts:?}",
                row.instance,
                row.property
            );
        }
        let names = verdicts.map(Verdict::name).join("\t");
        // The table of the documents says the same, as far as both know it.
        let begin = format!("{}\t{}\t", row.instance, row.property);
        let line = table.lines().find_map(|line| line.strip_prefix(&begin)).expect("a row of the table");
        for (own, known) in verdicts.map(Verdict::name).into_iter().zip(line.split('\t')) {
            let said = [own, known].contains(&"unknown") || own == known;
            assert!(said, "{begin}{names}, but docs/beem-ladder.tsv has {line}");
        }
        let _ = writeln!(written, "{}\t{}\t{names}", row.instance, row.property);
        if let Some(file) = &file {
            std::fs::write(file, &written).expect("the file can be written");
        }
    }
    println!("{rows} rows\n{written}");
    assert!(rows > 0 || !earlier.is_empty());
}

fn ask(model: &Model, fairness: FairnessOption, time: &Time) -> Asked {
    corpora::verdicts(model, fairness, time)[0].1
}
