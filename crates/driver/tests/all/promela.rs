//! SPIN's example models, if they are present, with recorded verdicts and numbers of states.
//!
//! The collection is not part of this project. If `shared/corpus/promela/promela.tsv` is next to the project's folder, every
//! test run reads all its models, and compares those with few states. `FAIRLY_PROMELA=all` compares all of them, or those
//! with up to so many states, each claim within `FAIRLY_PROMELA_SECONDS` (60) and all within `FAIRLY_PROMELA_MINUTES` (60);
//! `FAIRLY_PROMELA_FILE` names one. A difference must be explained below.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use driver::import::{self, Language};
use driver::{FairnessOption, Model, Verdict};

use crate::differential::generate;
use crate::differential::random::Random;
use crate::tool::corpora::{self, Asked, Collection, Figures, Time, variable};

/// Models with more recorded states are left out, unless more are asked for.
const STATES: u64 = 2_000;

/// Models with more recorded states are checked, but their states are not counted: SPIN's unreduced search has several
/// times as many, and each takes a kilobyte.
const COUNTED: u64 = 300_000;

/// Files that are refused, and why.
const REFUSED: [(&str, &str); 4] = [
    // SPIN refuses it too: a formula has `&` where it means `&&`.
    ("LTL/patterns.pml", "a state predicate is about one state"),
    ("life.pml", "the length of this `d_step` is not known"),
    ("leader_trace.pml", "claims about traces"),
    // Its one channel is standard input, which no verifier has.
    ("wordcount.pml", "never holds a channel"),
];

/// The recorded numbers are those of searches in which SPIN merged statements and forgot variables. These are numbers
/// of searches without that (`spin -o1 -o2 -o3 -a`), where they differ.
const UNREDUCED: [(&str, u64); 7] = [
    ("Book_1991/p123.pml", 132),
    ("LTL/mobile1.pml", 32_668),
    ("LTL/zune.pml", 743),
    ("hajek.pml", 116_087),
    ("leader0.pml", 41_692),
    ("loops.pml", 17),
    ("sort.pml", 659_683),
];

struct Row<'a> {
    property: &'a str,
    verdict: &'a str,
    states: Option<u64>,
}

#[test]
fn verdicts_and_numbers_of_states_are_those_of_spin() {
    let Some(collection) = Collection::open("promela") else { return };
    let limit = corpora::most_states("FAIRLY_PROMELA", STATES);
    let time = Time::of("PROMELA", 60.0);
    let only = variable("FAIRLY_PROMELA_FILE");
    let mut files: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
    for fields in collection.rows() {
        let row = Row { property: fields[3], verdict: fields[5], states: fields[7].parse().ok() };
        files.entry(fields[0]).or_default().push(row);
    }
    let mut problems = Vec::new();
    let (mut read, mut refused, mut counted) = (0, 0, 0);
    let mut figures = Figures::default();
    for (file, own) in files {
        if only.as_ref().is_some_and(|only| only != file) {
            continue;
        }
        let text = collection.text(file);
        let expected = REFUSED.iter().find(|(name, _)| *name == file).map(|(_, why)| why);
        let model = match (load(&text), expected) {
            (Ok(model), None) => model,
            (Ok(_), Some(_)) => {
                problems.push(format!("{file} is read, but should not be"));
                continue;
            }
            (Err(message), Some(why)) if message.contains(why) => {
                refused += 1;
                println!("{file}: refused: {message}");
                continue;
            }
            (Err(message), _) => {
                problems.push(format!("{file}: {message}"));
                continue;
            }
        };
        read += 1;
        let small = own[0].states.is_some_and(|states| states <= limit);
        // A model whose search SPIN did not finish.
        if !(small || limit == u64::MAX && own[0].states.is_none()) {
            continue;
        }
        if let Some(recorded) = own[0].states.filter(|states| *states <= COUNTED) {
            let unreduced = UNREDUCED.iter().find(|(name, _)| *name == file).map(|(_, states)| *states);
            let expected = unreduced.unwrap_or(recorded);
            match states(&model, &time) {
                None => println!("{file} is too large to be counted"),
                Some(states) => {
                    counted += 1;
                    println!("{file}: {states} states (SPIN: {expected})");
                    if states != expected {
                        problems.push(format!("{file}: {states} states, SPIN has {expected}"));
                    }
                }
            }
        }
        let verdicts = asked(&model, &time);
        for row in own.iter().filter(|row| matches!(row.verdict, "holds" | "fails" | "unknown")) {
            let found = verdict_of(row.property, &verdicts);
            let (name, passed, took) = (found.verdict.name(), time.passed(), found.time);
            println!("{passed:.0?}: {file} {}: {name} (SPIN: {}), {took:.1?}", row.property, row.verdict);
            let set = match row.property {
                "safety" | "deadlock" | "assert" => "assertions and ends",
                "never" | "accept" | "np" => "claims and labels",
                _ => "LTL",
            };
            if figures.note(set, &found, row.verdict) {
                problems.push(format!("{file} {}: {name}, SPIN: {}", row.property, row.verdict));
            }
        }
    }
    println!("{read} files read, {refused} refused, {counted} counted");
    print!("{figures}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What SPIN 6.5.2 says of states inside an `atomic`. Its claims see none of them, unless the process waits there; labels of
/// acceptance are seen without a claim.
#[test]
fn claims_do_not_see_inside_an_atomic_unless_it_waits_there() {
    let of = |text: &str, property: &str| {
        asked(&load(text).expect("a model"), &Time::each(Duration::from_mins(1)))[property].verdict
    };
    let own = "byte x, v; chan c = [0] of { byte };";
    let seen = "ltl p { [] (x != 1) }";
    for (code, expected) in [
        ("active proctype P() { atomic { x = 1; x = 2 } }", Verdict::Holds),
        ("active proctype P() { atomic { x = 1; assert (x == 1); x = 2 } }", Verdict::Holds),
        ("active proctype P() { x = 1; x = 2 }", Verdict::Fails),
        (
            "active proctype P() { atomic { x = 1; (v == 3); x = 2 } } active proctype Q() { v = 3 }",
            Verdict::Fails,
        ),
        ("active proctype P() { atomic { x = 1; c!0; x = 2 } } active proctype Q() { c?v }", Verdict::Fails),
        (
            "active proctype P() { atomic { x = 1; c!0; v = 2 } } active proctype Q() { byte w; atomic { c?w; x = 0 } }",
            Verdict::Holds,
        ),
    ] {
        assert_eq!(of(&format!("{own} {code} {seen}"), "p"), expected, "{code}");
        let never = "never { do :: x == 1 -> break :: else od }";
        assert_eq!(of(&format!("{own} {code} {never}"), "never_claim"), expected, "{code}");
    }
    let label = "active proctype P() { atomic { x = 1; there: x = 2 } } ltl p { [] !P@there }";
    assert_eq!(of(&format!("{own} {label}"), "p"), Verdict::Holds);
    let looping =
        |label: &str| format!("{own} active proctype P() {{ do :: atomic {{ x = 1; {label}: x = 2 }} od }}");
    assert_eq!(of(&looping("progress"), "no_non_progress_cycle"), Verdict::Fails);
    assert_eq!(of(&looping("accept"), "no_acceptance_cycle"), Verdict::Fails);
}

/// The verdict on a row of the table: one property, or several together.
fn verdict_of(property: &str, verdicts: &BTreeMap<String, Asked>) -> Asked {
    let is_assertion = |name: &str| name.starts_with("assert_line");
    let names: BTreeSet<&str> = verdicts
        .keys()
        .map(String::as_str)
        .filter(|name| match property {
            "safety" => *name == "no_invalid_end" || is_assertion(name),
            "deadlock" => *name == "no_invalid_end",
            "assert" => is_assertion(name),
            "np" if verdicts.contains_key("no_non_progress_cycle") => *name == "no_non_progress_cycle",
            "np" => *name == "ends",
            "never" => *name == "never_claim",
            "accept" => *name == "no_acceptance_cycle",
            other => *name == other,
        })
        .collect();
    assert!(!names.is_empty() || property == "assert", "nothing is claimed for {property}");
    let all = || names.iter().map(|name| verdicts[*name]);
    let said = |verdict: Verdict| all().any(|asked| asked.verdict == verdict);
    let verdict = if said(Verdict::Fails) {
        Verdict::Fails
    } else if said(Verdict::Unknown) {
        Verdict::Unknown
    } else {
        Verdict::Holds
    };
    Asked { verdict, time: all().map(|asked| asked.time).sum() }
}

/// What is also asked of each model: that every run ends, and something that is true in all states, to count them.
const ADDED: &str = "property ends: G F deadlock; invariant every_state: true;";

fn load(text: &str) -> Result<Model, String> {
    let loaded = driver::load_foreign(Language::Promela, "model", text, &[], ADDED, &[], &import::no_files);
    let line = |span: Option<lang::syntax::Span>| {
        span.map_or(0, |span| text[..span.start].matches('\n').count() + 1)
    };
    let message = loaded
        .diagnostics
        .first()
        .map(|own| format!("line {}: {}: {}", line(own.span), own.message, own.label));
    loaded.model.ok_or_else(|| message.unwrap_or_default())
}

fn states(model: &Model, time: &Time) -> Option<u64> {
    let every = model.checks.iter().find(|check| check.task.property.name.family == "every_state");
    Some(corpora::counts(&every.expect("it was added").task, time)?.0)
}

fn asked(model: &Model, time: &Time) -> BTreeMap<String, Asked> {
    corpora::verdicts(model, FairnessOption::Declared, time).into_iter().collect()
}

/// Random models are exported to Promela and read again: verdicts stay the same.
#[test]
fn what_is_exported_is_read_again() {
    let (count, seed) = (crate::setting("FAIRLY_TASKS", 25), crate::setting("FAIRLY_SEED", 2026));
    let (mut holds, mut fails, mut refused) = (0, 0, 0);
    for own in 0..count {
        let source = generate::source(&mut Random::new(seed, own));
        let Some(model) = lang::load("random", &source, &[]).model else { continue };
        for check in &model.checks {
            let task = &check.task;
            let Ok(decision) = certify::oracle::decide(task, 5_000) else { continue };
            let Ok(exported) = driver::export::promela(std::slice::from_ref(task)) else {
                refused += 1;
                continue;
            };
            let again = match load(&exported.text) {
                Ok(again) => again,
                Err(message) => panic!("seed {seed}, model {own}: {message}\n{}", exported.text),
            };
            let verdicts = asked(&again, &Time::each(Duration::from_mins(1)));
            let standard = |name: &str| {
                name.starts_with("assert_line") || matches!(name, "no_invalid_end" | "ends" | "every_state")
            };
            let found: Vec<&Verdict> = verdicts
                .iter()
                .filter(|(name, _)| !standard(name))
                .map(|(_, asked)| &asked.verdict)
                .collect();
            let [verdict] = found[..] else { panic!("one formula is exported: {}", exported.text) };
            let expected = if decision.holds() { Verdict::Holds } else { Verdict::Fails };
            assert!(
                *verdict == expected || *verdict == Verdict::Unknown,
                "seed {seed}, model {own}: {} is {}, read again it is {}\n{source}\n{}",
                task.property.name,
                expected.name(),
                verdict.name(),
                exported.text
            );
            holds += u64::from(*verdict == Verdict::Holds);
            fails += u64::from(*verdict == Verdict::Fails);
        }
    }
    println!("{count} models, seed {seed}: {holds} hold, {fails} fail, {refused} refused");
    assert!(count < 20 || holds > 2 && fails > 2, "one verdict is rare");
}

/// Nothing about them is in terms of the translation.
#[test]
fn what_spin_claims_of_every_model_is_told_in_words() {
    let text = "byte x;\nactive [2] proctype P() { do :: x < 3 -> x++; assert(x <= 9 || false) od }\nltl l { [] (x <= 9 || x > 5) }";
    let model = load(text).expect("a model");
    let claims: BTreeMap<String, String> =
        model.checks.iter().map(|check| (check.task.property.name.to_string(), check.claim())).collect();
    assert_eq!(claims["no_invalid_end"], "no process is stuck where it may not end");
    assert_eq!(claims["assert_line2"], "assert(x <= 9 || false)");
    let report =
        driver::check(&model, &driver::Options::default(), &driver::World::unlimited(), &mut |_, _| {})
            .expect("a report");
    for outcome in &report.outcomes {
        let notes: Vec<String> = outcome.notes.iter().map(ToString::to_string).collect();
        match outcome.property.to_string().as_str() {
            "no_invalid_end" | "assert_line2" => assert!(notes.is_empty(), "{notes:?}"),
            "l" => assert!(notes.iter().any(|note| note.contains("x > 5")), "{notes:?}"),
            _ => {}
        }
    }
}
