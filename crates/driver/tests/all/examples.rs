//! The examples: each loads without diagnostics, and every answer is as expected, through the driver as for a user.
//!
//! Each example at the top of the folder and in `protocols` must also show what fairness is for: some property holds under
//! its fairness and fails without. Those of `protocols` have at most eighty lines. The examples in other subfolders are
//! taken from elsewhere and need not show this.

use std::path::{Path, PathBuf};

use driver::{EngineKind, Loaded, Model, Note, Options, Verdict, World};
use model::{Fairness, Task};

/// The notes about the examples' properties; `notes.rs` shows that they are true.
const NOTES: &[(&str, &str, &str)] = &[
    ("elevator", "goes_on", "it holds without the condition `Cabin@closed`"),
    ("producer_consumer", "makes_room", "it holds without any fairness"),
    ("readers_writers", "write_globally[1]", "it holds without the condition `Writer[1]@enter`"),
    ("readers_writers", "write_globally[2]", "it holds without the condition `Writer[2]@enter`"),
    ("retry", "answered", "it holds without the condition `Client@send`"),
    ("retry", "if_stable", "it holds without the condition `Client@send`"),
    ("szymanski", "in_order", "it holds without any fairness"),
    ("szymanski", "in_order", "it holds without the condition `P[2]@turn`"),
    ("token_ring", "in_order", "vacuous in part: it holds without `j == 2`"),
    ("pat/ms", "works_annotated", "it holds without any fairness"),
    ("pat/peterson", "enters", "it holds without the condition `pos[0] > 0`"),
];

/// The answers *holds* about one instance that are only claimed, and why. Those for every N are claimed by the counter
/// engine.
const CLAIMED: &[(&str, &str, &str)] = &[];

/// Examples with more than fifty thousand states.
pub(crate) const LARGE: &[&str] = &["protocols/paxos", "protocols/raft"];

#[test]
fn every_example_loads_without_diagnostics() {
    for (name, text) in examples() {
        let loaded = loaded(&name, &text);
        assert_eq!(loaded.diagnostics, [], "{name}");
        assert!(loaded.model.is_some(), "{name}");
        assert!(!name.starts_with("protocols/") || text.lines().count() <= 80, "{name} is long");
    }
}

#[test]
fn every_property_is_answered_as_expected_and_every_failure_is_checked() {
    let mut claimed = Vec::new();
    // Examples with infinitely many states need solvers, and have their own test.
    for (name, text) in examples().into_iter().filter(|(name, _)| !name.starts_with("infinite/")) {
        let model = load(&name, &text);
        let report = check(&model);
        assert_eq!(report.outcomes.len(), model.checks.len(), "{name}");
        // The only notes about an example as a whole are that it is too large to be examined, and that a property reads a
        // variable which would be forgotten.
        let is_fine = |note: &&Note| matches!(note, Note::NotLookedFor(_));
        let notes: Vec<&Note> = report.notes.iter().filter(|note| !is_fine(note)).collect();
        assert_eq!(notes, Vec::<&Note>::new(), "{name}");
        for outcome in report.outcomes {
            let property = &outcome.property;
            assert!(outcome.expected.is_some(), "{name}: `{property}` has no `expect`");
            assert_eq!(outcome.dispute, None, "{name}: `{property}`");
            assert_eq!(
                outcome.as_expected(),
                Some(true),
                "{name}: `{property}` {}: {:?}",
                outcome.verdict.name(),
                outcome.notes
            );
            assert!(
                outcome.checked || outcome.verdict == Verdict::Holds,
                "{name}: `{property}` is not checked"
            );
            if !outcome.checked && !outcome.scope.starts_with("every ") {
                let why =
                    outcome.notes.iter().map(ToString::to_string).find(|note| note.starts_with("claimed: "));
                claimed.push((name.clone(), property.to_string(), why.unwrap_or_default()));
            }
            if outcome.scope.starts_with("every ") {
                let covers = |note: &Note| {
                    let sentence = format!("this covers {}", outcome.scope.replace(", every", " and"));
                    matches!(note, Note::Fact(model::Note::Covers { .. }))
                        && note.to_string().contains(&sentence)
                };
                assert!(outcome.notes.iter().any(covers), "{name}: `{property}`: {:?}", outcome.notes);
                continue;
            }
            // Nothing may hold only because no run is fair or its trigger never occurs.
            let about = property.to_string();
            let known =
                NOTES.iter().filter(|(of, known, _)| (*of, *known) == (name.as_str(), about.as_str()));
            let known: Vec<&str> = known.map(|(_, _, note)| *note).collect();
            // Which engines were asked before, why an answer is only claimed, and for which lesser N it holds say nothing
            // that is wrong with the property.
            let about_engines = |note: &&Note| {
                matches!(note, Note::GaveUp { .. })
                    || matches!(
                        note,
                        Note::Fact(model::Note::Unchecked(_) | model::Note::LeastFailing { .. })
                    )
            };
            let of_property = outcome.notes.iter().filter(|note| !about_engines(note));
            let noted: Vec<String> = of_property.map(ToString::to_string).collect();
            assert_eq!(noted, known, "{name}: `{property}`");
        }
    }
    let claimed: Vec<(&str, &str, &str)> = claimed
        .iter()
        .map(|(name, property, why)| (name.as_str(), property.as_str(), why.as_str()))
        .collect();
    assert_eq!(claimed, CLAIMED, "claimed without being known to be");
}

#[test]
fn the_order_of_properties_changes_no_verdict_no_engine_and_no_evidence() {
    // These would take most of the time, as the largest examples would.
    let slow = ["counter/two_phase_commit", "counter/readers_writers", "counter/szymanski"];
    let asked =
        |name: &str| !name.starts_with("infinite/") && !LARGE.contains(&name) && !slow.contains(&name);
    for (name, text) in examples().into_iter().filter(|(name, _)| asked(name)) {
        let mut model = load(&name, &text);
        let found = |model: &Model| {
            let mut found: Vec<String> = check(model)
                .outcomes
                .iter()
                .map(|o| format!("{} {:?} {:?} {:?}", o.property, o.verdict, o.engine, o.counterexample))
                .collect();
            found.sort();
            found
        };
        let before = found(&model);
        model.checks.reverse();
        assert_eq!(found(&model), before, "{name}, in reverse");
        // Some properties separately; members of a family are alike.
        let checks = std::mem::take(&mut model.checks);
        for check in checks.into_iter().step_by(3) {
            model.checks = vec![check];
            assert!(before.contains(&found(&model)[0]), "{name}: {:?} alone", found(&model));
        }
    }
}

#[test]
fn every_example_has_a_property_that_needs_its_fairness() {
    let shows = |name: &str| !name.contains('/') || name.starts_with("protocols/");
    for (name, text) in examples().into_iter().filter(|(name, _)| shows(name)) {
        let mut model = load(&name, &text);
        model
            .checks
            .retain(|check| check.expected == Some(driver::Expect::Holds) && !check.task.fairness.is_none());
        for check in &mut model.checks {
            check.task = Task { fairness: Fairness::none(), ..check.task.clone() };
        }
        let fails = check(&model).outcomes.iter().any(|outcome| outcome.verdict == Verdict::Fails);
        assert!(fails, "{name}: what holds under fairness holds without");
    }
}

#[test]
fn what_holds_for_every_number_of_processes_holds_for_two_to_five() {
    let mut compared = 0;
    for (name, text) in examples() {
        let parameters = load(&name, &text).system().parameters.clone();
        for number in 2..=5 {
            if parameters.is_empty() {
                break;
            }
            let settings: Vec<_> = parameters.iter().map(|p| (p.name.clone(), number.to_string())).collect();
            let mut model = lang::load(&name, &text, &settings).model.expect("an example has no errors");
            // With unbounded tickets there are infinitely many states.
            if model
                .system()
                .variables
                .iter()
                .any(|variable| variable.kind.scalar == model::system::Scalar::Int)
            {
                break;
            }
            model.checks.retain(|check| check.expected == Some(driver::Expect::Holds));
            for outcome in check(&model).outcomes {
                assert_eq!(outcome.verdict, Verdict::Holds, "{name}: `{}` for {number}", outcome.property);
                assert_ne!(outcome.engine, Some(EngineKind::Counter));
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "only {compared} were compared");
}

#[test]
fn every_example_reads_the_same_after_printing() {
    for (name, text) in examples() {
        let (file, _) = lang::parse(&text);
        let printed = lang::print(&file);
        let (again, diagnostics) = lang::parse(&printed);
        assert_eq!(diagnostics, [], "{name}:\n{printed}");
        assert_eq!(again, file, "{name}:\n{printed}");
        assert_eq!(lang::print(&again), printed, "{name}");
    }
}

/// Names and texts of the examples; the name of one in a folder contains a slash.
pub(crate) fn examples() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut paths = files(&root);
    paths.sort();
    assert!(paths.len() >= 12, "only {} examples", paths.len());
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).expect("it was found there").with_extension("");
        let text = std::fs::read_to_string(&path).expect("an example can be read");
        (name.to_string_lossy().replace('\\', "/"), text)
    };
    paths.into_iter().map(read).collect()
}

/// The models in a folder and in the folders inside it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "fair") {
            found.push(path);
        }
    }
    found
}

/// An example, with the files next to it.
fn loaded(name: &str, text: &str) -> Loaded {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let read = |file: &str| std::fs::read_to_string(beside.with_file_name(file)).map_err(|e| e.to_string());
    driver::load(name, text, &[], &read)
}

pub(crate) fn load(name: &str, text: &str) -> Model {
    loaded(name, text).model.expect("an example has no errors")
}

fn check(model: &Model) -> driver::Report {
    let world = World::unlimited();
    driver::check(model, &Options::default(), &world, &mut |_, _| {}).expect("an example can be checked")
}
