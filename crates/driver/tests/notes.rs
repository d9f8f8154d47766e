//! Every note is true, and what should be noted is: on the examples and on random models, by the definitions.
//!
//! The reachable states are enumerated here with the reference semantics, and properties with less fairness or with a part
//! replaced are given to the oracle. `FAIRLY_TASKS` and `FAIRLY_SEED` choose how many random models and which.

#[path = "differential/generate.rs"]
mod generate;
#[path = "differential/random.rs"]
mod random;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use certify::oracle::{self, Why};
use driver::notes::{MOST, parts};
use driver::report::{Outcome, Report};
use driver::{Engines, FairnessOption, Model, Options, Verdict, World};
use model::initial::initial_states;
use model::property::Kind;
use model::{ActionId, Fairness, Instance, Label, State, Task, semantics};
use random::Random;

/// More states or tableau nodes than this, and the oracle is not asked.
const LIMIT: usize = 3_000;

/// What was seen, by name.
type Tally = BTreeMap<&'static str, u64>;

#[test]
fn every_note_on_the_examples_is_true_and_none_is_missing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut tally = Tally::new();
    for folder in [root.clone(), root.join("pat"), root.join("split")] {
        let mut files: Vec<_> = std::fs::read_dir(&folder)
            .expect("a folder of examples")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "fair"))
            .collect();
        files.sort();
        for path in files {
            let text = std::fs::read_to_string(&path).expect("an example can be read");
            let beside = |file: &str| {
                std::fs::read_to_string(path.with_file_name(file)).map_err(|error| error.to_string())
            };
            let loaded = driver::load("example", &text, &[], &beside);
            let model = loaded.model.expect("an example has no errors");
            verify(&model, &path.to_string_lossy(), &mut tally);
        }
    }
    println!("{tally:?}");
    assert!(seen(&tally, "surveyed") > 15, "few examples are small enough: {tally:?}");
}

#[test]
fn every_note_on_random_models_is_true_and_none_is_missing() {
    let setting =
        |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (count, seed) = (setting("FAIRLY_TASKS", 400), setting("FAIRLY_SEED", 2026));
    let mut tally = Tally::new();
    for number in 0..count {
        let source = generate::source(&mut Random::new(seed, number));
        if let Some(model) = lang::load("random", &source, &[]).model {
            verify(&model, &format!("seed {seed}, model {number}:\n{source}"), &mut tally);
        }
    }
    println!("{tally:?}");
    let notes =
        ["deadlock", "never reached", "never enabled", "without fairness", "a part", "not realisable"];
    for note in notes.into_iter().chain(["no fair run"]) {
        assert!(seen(&tally, note) > 2, "{note} is rare: {tally:?}");
        assert!(seen(&tally, "surveyed") > seen(&tally, note), "{note} is noted always: {tally:?}");
    }
}

/// The notes on a model, and those on its first property.
fn notes(source: &str, options: &Options) -> (Vec<String>, Vec<String>) {
    let model = lang::load("small", source, &[]).model.expect("a model");
    let mut report = check_with(&model, options, 1, u64::MAX);
    (report.notes, report.outcomes.remove(0).notes)
}

#[test]
fn the_end_of_all_processes_is_no_deadlock() {
    let source = |last: &str| {
        format!("shared x: bool; process P {{ a: x = true; {last} }} property p: F x under weak P;")
    };
    assert_eq!(notes(&source("b: skip;"), &Options::default()).0, Vec::<String>::new());
    let stuck = notes(&source("b: await !x;"), &Options::default()).0;
    assert_eq!(stuck.len(), 2, "{stuck:?}");
    assert!(stuck[0].starts_with("a deadlock can be reached: after P.a no action is enabled"), "{stuck:?}");
    assert_eq!(stuck[1], "P.b is never enabled");
}

#[test]
fn who_did_not_declare_fairness_is_not_told_that_it_can_be_done_without() {
    let source = "shared x: bool; process P { a: x = true; } process Q { loop { b: skip; } }
         property p: G (x -> X x) under weak P;";
    let told = |fairness| notes(source, &Options { fairness, ..Options::default() }).1;
    let sentence = "it holds without any fairness".to_owned();
    assert!(told(FairnessOption::Declared).contains(&sentence));
    assert!(!told(FairnessOption::Strong).contains(&sentence));
}

#[test]
fn what_never_begins_is_said_once() {
    let source = "shared x, y: bool; process P { loop { a: x = !x; } } property p: G (y && x -> F !x);";
    let (_, told) = notes(source, &Options::default());
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("vacuous: ") && told[0].contains("never occurs"), "{told:?}");
}

#[test]
fn where_nothing_was_looked_for_it_is_said_why() {
    let why = |source: &str, memory: u64| {
        let model = lang::load("small", source, &[]).model.expect("a model");
        let report = check_with(&model, &Options::default(), 1, memory);
        let [note] = &report.notes[..] else { panic!("{:?}", report.notes) };
        note.split_once("were not looked for: ").expect("nothing was looked for").1.to_owned()
    };
    let many = "shared x, y, z: 0..30; process P { loop { a: x = (x + 1) % 31; } loop { b: skip; } }
         process Q { loop { c: y = (y + 1) % 31; } } process R { loop { d: z = (z + 1) % 31; } }
         invariant p: x <= 30;";
    assert_eq!(why(many, u64::MAX), "there are more than 20000 states");
    assert_eq!(why(many, 100_000), "its states take too much memory");
    let open = "param N >= 2; process P[i: 1..N] { loop { a: skip; b: skip; } }
         property p: F (exists i in 1..N: P[i]@b) under weak P;";
    assert_eq!(why(open, u64::MAX), "N is open, choose it with --set");
}

fn seen(tally: &Tally, name: &str) -> u64 {
    tally.get(name).copied().unwrap_or(0)
}

/// Checks a model and holds all notes to the definitions.
fn verify(model: &Model, about: &str, tally: &mut Tally) {
    let report = check(model, Engines::Auto, 1);
    for (engines, threads) in [(Engines::Auto, 2), (Engines::Named("symbolic"), 1)] {
        let again = check(model, engines, threads);
        assert_eq!(again.notes, report.notes, "{about}");
    }
    let Ok(instance) = Instance::new(Arc::clone(model.system())) else { return };
    let Some(graph) = explore(&instance) else {
        let left_out = |note: &String| note.contains("were not looked for: there are more than 20000 states");
        assert!(report.notes.iter().all(left_out), "{:?}: {about}", report.notes);
        *tally.entry("left out").or_default() += report.notes.len() as u64;
        return;
    };
    *tally.entry("surveyed").or_default() += 1;
    verify_whole(model, &instance, &graph, &report, about, tally);
    for (check, outcome) in model.checks.iter().zip(&report.outcomes) {
        verify_property(&check.task, outcome, about, tally);
    }
}

fn check(model: &Model, engines: Engines, threads: usize) -> Report {
    check_with(model, &Options { engines, ..Options::default() }, threads, u64::MAX)
}

fn check_with(model: &Model, options: &Options, threads: usize, memory: u64) -> Report {
    let world = World {
        stop: &|| None,
        progress: &|_, _| {},
        clock: &|| Duration::ZERO,
        memory,
        threads,
        solvers: &driver::Solvers::none("none is needed"),
    };
    driver::check(model, options, &world, &mut |_| {}).expect("a model that can be checked")
}

/// Every reachable state with the actions enabled in it; `None` if there are too many states, or none, or a fault.
fn explore(instance: &Instance) -> Option<BTreeMap<State, BTreeSet<ActionId>>> {
    let unbounded = |start: &model::instance::Start| matches!(start, model::instance::Start::Any);
    let any = instance.cells.iter().zip(&instance.starts);
    if any.into_iter().any(|(cell, start)| cell.domain.is_unbounded() && unbounded(start)) {
        return None;
    }
    let mut pending: Vec<State> = Vec::new();
    for state in initial_states(instance) {
        pending.push(state.ok()?);
        if pending.len() > MOST {
            return None;
        }
    }
    let mut graph = BTreeMap::new();
    while let Some(state) = pending.pop() {
        if graph.contains_key(&state) {
            continue;
        }
        let mut enabled = BTreeSet::new();
        for step in semantics::steps(instance, &state).ok()? {
            if let Label::Action(action) = step.label {
                enabled.insert(action);
            }
            pending.push(step.target);
        }
        graph.insert(state, enabled);
        if graph.len() > MOST {
            return None;
        }
    }
    (!graph.is_empty()).then_some(graph)
}

fn verify_whole(
    model: &Model,
    instance: &Instance,
    graph: &BTreeMap<State, BTreeSet<ActionId>>,
    report: &Report,
    about: &str,
    tally: &mut Tally,
) {
    // Names behind `never reached: …`, or before `is never reached`.
    let named = |verb: &str| -> BTreeSet<String> {
        let many = format!("never {verb}: ");
        let one = format!(" is never {verb}");
        let texts = report
            .notes
            .iter()
            .filter_map(|note| note.strip_prefix(many.as_str()).or_else(|| note.strip_suffix(one.as_str())));
        texts.flat_map(|text| text.split(", ").map(str::to_owned)).collect()
    };
    let (reached, enabled) = (named("reached"), named("enabled"));
    for (number, family) in model.system().families.iter().enumerate() {
        let labels: BTreeSet<&str> = instance
            .actions
            .iter()
            .flat_map(|action| &action.participants)
            .filter(|(p, _)| instance.processes[p.0 as usize].family.0 as usize == number)
            .map(|(_, label)| label.as_str())
            .collect();
        for label in labels {
            let takes_part = |action: &ActionId| {
                instance.action(*action).participants.iter().any(|(p, own)| {
                    instance.processes[p.0 as usize].family.0 as usize == number && own == label
                })
            };
            let is_enabled = graph.values().flatten().any(takes_part);
            let at = |state: &State| {
                instance.cells.iter().enumerate().any(|(cell, described)| {
                    Some(described.variable) == family.location
                        && model::show::value(instance, cell, state.0[cell]) == label
                })
            };
            let is_location = family.location.is_some_and(|variable| {
                let model::system::Scalar::Enum(id) = model.system().variable(variable).kind.scalar else {
                    return false;
                };
                model.system().enumeration(id).members.iter().any(|member| member == label)
            });
            let is_reached = graph.keys().any(at);
            let unreached = is_location && !is_reached;
            assert_eq!(reached.contains(&format!("{}@{label}", family.name)), unreached, "{label}: {about}");
            let disabled = !is_enabled && !unreached;
            assert_eq!(enabled.contains(&format!("{}.{label}", family.name)), disabled, "{label}: {about}");
            *tally.entry("never reached").or_default() += u64::from(unreached);
            *tally.entry("never enabled").or_default() += u64::from(disabled);
        }
    }
    let stuck = |state: &State| {
        instance.actions.iter().flat_map(|action| &action.participants).any(|(process, label)| {
            let family = instance.processes[process.0 as usize].family;
            model.system().family(family).location.is_some_and(|location| {
                let cell = instance.cells_of(location, Some(*process)).start;
                model::show::value(instance, cell, state.0[cell]) == *label
            })
        })
    };
    let mut deadlocks = graph.iter().filter(|(_, enabled)| enabled.is_empty()).map(|(state, _)| state);
    let noted = report.notes.iter().find(|note| note.starts_with("a deadlock can be reached"));
    if let Some(note) = noted {
        let shown = |state: &State| format!("({})", model::show::state(instance, state).join(", "));
        assert!(deadlocks.any(|state| stuck(state) && note.ends_with(&shown(state))), "{note}: {about}");
        *tally.entry("deadlock").or_default() += 1;
    } else if !model
        .checks
        .iter()
        .any(|check| model::show::kind(model.system(), &check.task.property.kind).contains("enabled(any)"))
    {
        let missing = deadlocks.find(|state| stuck(state));
        assert!(missing.is_none(), "{missing:?}: {about}");
    }
}

fn verify_property(task: &Task, outcome: &Outcome, about: &str, tally: &mut Tally) {
    let about = format!("{}: {:?}: {about}", task.property.name, outcome.notes);
    let noted = |text: &str| outcome.notes.iter().any(|note| note == text);
    let holds = |task: &Task| oracle::decide(task, LIMIT).ok().map(|decision| decision.why);
    let Ok(decision) = oracle::decide(task, LIMIT) else { return };
    if decision.why == Why::Fault {
        return;
    }
    let unrealisable = outcome.notes.iter().any(|note| note.contains("is not realisable"));
    // Of a property that no engine takes nothing is noted.
    if let (Some(realisable), true) = (decision.realisable, outcome.verdict != Verdict::Unknown) {
        assert_eq!(unrealisable, !realisable, "{about}");
    }
    *tally.entry("not realisable").or_default() += u64::from(unrealisable);
    if noted("the fairness assumption is not realisable: no run meets it") {
        // If there is a fair run, something false is false on it.
        let never = Kind::Ltl(model::Formula::Atom(model::Expr::Bool(false)));
        let property = model::Property { kind: never, ..task.property.clone() };
        let why = holds(&Task { property, ..task.clone() });
        assert_eq!(why, Some(Why::Holds), "{about}");
        *tally.entry("no fair run").or_default() += 1;
    }
    if outcome.verdict != Verdict::Holds {
        return;
    }
    let without = Task { fairness: Fairness::none(), ..task.clone() };
    let linear = !matches!(task.property.kind, Kind::Invariant(_) | Kind::Ctl(_));
    if linear
        && !task.fairness.is_none()
        && let Some(why) = holds(&without)
    {
        assert_eq!(noted("it holds without any fairness"), why == Why::Holds, "{about}");
        *tally.entry("without fairness").or_default() += u64::from(why == Why::Holds);
    }
    let vacuous = outcome.notes.iter().any(|note| note.starts_with("vacuous: "));
    let mut largest: Vec<String> = Vec::new();
    for part in parts(task) {
        let quoted = format!("`{}`", part.text);
        let is_noted = outcome.notes.iter().any(|note| {
            note.starts_with(if part.condition {
                "it holds without"
            } else {
                "vacuous in part: it holds without"
            }) && note.contains(&quoted)
        });
        match holds(&part.replaced) {
            // The same text may stand in two places, and matter in one.
            Some(Why::Holds) if is_noted => {
                *tally.entry("a part").or_default() += 1;
                largest.push(part.text);
            }
            Some(Why::Holds) => {
                let inside = largest.iter().any(|whole| whole.contains(&part.text));
                let partly = outcome.notes.iter().any(|note| note.contains("never occurs"));
                assert!(vacuous || inside || partly, "{quoted} has no influence: {about}");
            }
            Some(_) => {
                let elsewhere = parts(task)
                    .iter()
                    .any(|other| other.text == part.text && holds(&other.replaced) == Some(Why::Holds));
                assert!(!is_noted || elsewhere, "{quoted} matters: {about}");
            }
            None => {}
        }
    }
}
