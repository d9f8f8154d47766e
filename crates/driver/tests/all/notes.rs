//! Every note is true, and none is missing: on the examples and on random models, by the definitions.
//!
//! The reachable states are enumerated here with the reference semantics, and the oracle decides properties with less
//! fairness or with a part replaced. `FAIRLY_TASKS` and `FAIRLY_SEED` choose how many random models and which.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use certify::oracle::{self, Why};
use driver::notes::{STATE_LIMIT, parts};
use driver::report::note::NotLookedFor;
use driver::report::{Note, Outcome, Report, Value};
use driver::{EngineKind, Engines, FairnessOption, Model, Options, Verdict, World};
use model::initial::initial_states;
use model::note::{Note as Fact, Unrealisable};
use model::property::Kind;
use model::{ActionId, Fairness, Instance, Label, State, Task, semantics};

use crate::differential::generate;
use crate::differential::random::Random;

/// The oracle is not asked about more states or tableau nodes.
const LIMIT: usize = 3_000;

/// Numbers of results, by name.
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
    let (count, seed) = (crate::setting("FAIRLY_TASKS", 120), crate::setting("FAIRLY_SEED", 2026));
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
fn notes(source: &str, options: &Options) -> (Vec<Note>, Vec<Note>) {
    let model = lang::load("small", source, &[]).model.expect("a model");
    let mut report = check_with(&model, options, 1, u64::MAX);
    (report.notes, report.outcomes.remove(0).notes)
}

#[test]
fn the_end_of_all_processes_is_no_deadlock() {
    let source = |last: &str| {
        format!("shared x: bool; process P {{ a: x = true; {last} }} property p: F x under weak P;")
    };
    assert_eq!(notes(&source("b: skip;"), &Options::default()).0, Vec::new());
    let stuck = notes(&source("b: await !x;"), &Options::default()).0;
    assert_eq!(stuck.len(), 2, "{stuck:?}");
    assert!(matches!(&stuck[0], Note::Deadlock { path, .. } if *path == ["P.a"]), "{stuck:?}");
    assert_eq!(
        stuck[0].to_string(),
        "a deadlock can be reached: after P.a no action is enabled (x = true, P@b)"
    );
    assert_eq!(stuck[1], Note::NeverEnabled(vec!["P.b".to_owned()]));
    assert_eq!(stuck[1].to_string(), "P.b is never enabled");
}

#[test]
fn who_did_not_declare_fairness_is_not_told_that_it_can_be_done_without() {
    let source = "shared x: bool; process P { a: x = true; } process Q { loop { b: skip; } }
         property p: G (x -> X x) under weak P;";
    let noted = |fairness| notes(source, &Options { fairness, ..Options::default() }).1;
    assert!(noted(FairnessOption::Declared).contains(&Note::WithoutFairness));
    assert!(!noted(FairnessOption::Strong).contains(&Note::WithoutFairness));
    assert_eq!(Note::WithoutFairness.to_string(), "it holds without any fairness");
}

#[test]
fn what_never_begins_is_said_once() {
    let source = "shared x, y: bool; process P { loop { a: x = !x; } } property p: G (y && x -> F !x);";
    let (_, noted) = notes(source, &Options::default());
    assert_eq!(noted.len(), 1, "{noted:?}");
    assert!(matches!(noted[0], Note::Fact(Fact::Vacuous { in_part: false, .. })), "{noted:?}");
    let sentence = noted[0].to_string();
    assert!(sentence.starts_with("vacuous: ") && sentence.contains("never occurs"), "{noted:?}");
}

#[test]
fn where_nothing_was_looked_for_it_is_said_why() {
    let why = |source: &str, memory: u64| {
        let model = lang::load("small", source, &[]).model.expect("a model");
        let report = check_with(&model, &Options::default(), 1, memory);
        let [note @ Note::NotLookedFor(why)] = &report.notes[..] else { panic!("{:?}", report.notes) };
        let sentence = note.to_string();
        let said = sentence.split_once("were not looked for: ").expect("nothing was looked for").1;
        (why.clone(), said.to_owned())
    };
    let many = "shared x, y, z: 0..30; process P { loop { a: x = (x + 1) % 31; } loop { b: skip; } }
         process Q { loop { c: y = (y + 1) % 31; } } process R { loop { d: z = (z + 1) % 31; } }
         invariant p: x <= 30;";
    let states = (NotLookedFor::States(STATE_LIMIT), "there are more than 20000 states".to_owned());
    assert_eq!(why(many, u64::MAX), states);
    let space = (NotLookedFor::Memory, "its states take too much memory".to_owned());
    assert_eq!(why(many, 100_000), space);
    let open = "param N >= 2; process P[i: 1..N] { loop { a: skip; b: skip; } }
         property p: F (exists i in 1..N: P[i]@b) under weak P;";
    let parameter = (NotLookedFor::Open("N".to_owned()), "N is open, choose it with --set".to_owned());
    assert_eq!(why(open, u64::MAX), parameter);
}

fn seen(tally: &Tally, name: &str) -> u64 {
    tally.get(name).copied().unwrap_or(0)
}

/// Checks a model and compares all notes with the definitions.
fn verify(model: &Model, about: &str, tally: &mut Tally) {
    let report = check(model, Engines::Auto, 1);
    for (engines, threads) in [(Engines::Auto, 2), (Engines::Named(EngineKind::Symbolic), 1)] {
        let again = check(model, engines, threads);
        assert_eq!(again.notes, report.notes, "{about}");
    }
    let Ok(instance) = Instance::new(Arc::clone(model.system())) else { return };
    let Some(graph) = explore(&instance) else {
        let left_out = |note: &Note| *note == Note::NotLookedFor(NotLookedFor::States(20_000));
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
    let world = World { memory, threads, ..World::unlimited() };
    driver::check(model, options, &world, &mut |_, _| {}).expect("a model that can be checked")
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
        if pending.len() > STATE_LIMIT {
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
        if graph.len() > STATE_LIMIT {
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
    let (mut reached, mut enabled) = (BTreeSet::new(), BTreeSet::new());
    for note in &report.notes {
        match note {
            Note::NeverReached(names) => reached.extend(names.iter().cloned()),
            Note::NeverEnabled(names) => enabled.extend(names.iter().cloned()),
            _ => {}
        }
    }
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
                        && model::show::value(instance, cell, state.0[cell])
                            == Value::Member(label.to_owned())
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
                model::show::value(instance, cell, state.0[cell]) == Value::Member(label.clone())
            })
        })
    };
    let mut deadlocks = graph.iter().filter(|(_, enabled)| enabled.is_empty()).map(|(state, _)| state);
    let noted = report.notes.iter().find_map(|note| match note {
        Note::Deadlock { state, .. } => Some((note, state)),
        _ => None,
    });
    if let Some((note, noted)) = noted {
        let is_noted = |state: &State| model::show::state(instance, state) == *noted;
        assert!(deadlocks.any(|state| stuck(state) && is_noted(state)), "{note}: {about}");
        let shown = format!("({})", driver::report::brief::listed(noted));
        assert!(note.to_string().ends_with(&shown), "{note}: {about}");
        *tally.entry("deadlock").or_default() += 1;
    } else if !model
        .checks
        .iter()
        .any(|check| model::show::kind(model.system(), &check.task.property.kind).contains("deadlock"))
    {
        let missing = deadlocks.find(|state| stuck(state));
        assert!(missing.is_none(), "{missing:?}: {about}");
    }
}

fn verify_property(task: &Task, outcome: &Outcome, about: &str, tally: &mut Tally) {
    let about = format!("{}: {:?}: {about}", task.property.name, outcome.notes);
    let noted = |note: &Note| outcome.notes.contains(note);
    let holds = |task: &Task| oracle::decide(task, LIMIT).ok().map(|decision| decision.why);
    let Ok(decision) = oracle::decide(task, LIMIT) else { return };
    if decision.why == Why::Fault {
        return;
    }
    let unrealisable = outcome.notes.iter().any(Note::is_unrealisable);
    // There are no notes about a property that no engine accepts.
    if let (Some(realisable), true) = (decision.realisable, outcome.verdict != Verdict::Unknown) {
        assert_eq!(unrealisable, !realisable, "{about}");
    }
    *tally.entry("not realisable").or_default() += u64::from(unrealisable);
    let empty = outcome.notes.iter().any(|note| matches!(note, Note::NoFairRun(_)));
    if empty || noted(&Note::Fact(Fact::Unrealisable(Unrealisable::Everywhere))) {
        // If there is a fair run, a false claim is false on it.
        let never = Kind::Ltl(model::Formula::Atom(model::Expr::Bool(false)));
        let property = model::Property { kind: never, ..task.property.clone() };
        let why = holds(&Task { property, ..task.clone() });
        assert_eq!(why, Some(Why::Holds), "{about}");
        *tally.entry("no fair run").or_default() += 1;
    }
    // Of an empty answer nothing else is noted.
    if outcome.verdict != Verdict::Holds || outcome.is_empty() {
        return;
    }
    let without = Task { fairness: Fairness::none(), ..task.clone() };
    let linear = !matches!(task.property.kind, Kind::Invariant(_) | Kind::Ctl(_));
    if linear
        && !task.fairness.is_none()
        && let Some(why) = holds(&without)
    {
        assert_eq!(noted(&Note::WithoutFairness), why == Why::Holds, "{about}");
        *tally.entry("without fairness").or_default() += u64::from(why == Why::Holds);
    }
    let vacuous = outcome.notes.iter().any(|note| {
        matches!(note, Note::Fact(Fact::Vacuous { in_part: false, .. } | Fact::EmptyAutomaton { .. }))
    });
    let mut largest: Vec<String> = Vec::new();
    for part in parts(task) {
        let quoted = format!("`{}`", part.text);
        let is_noted = outcome.notes.iter().any(|note| match note {
            Note::WithoutConditions(texts) => part.condition && texts.contains(&part.text),
            Note::VacuousInPart(texts) => !part.condition && texts.contains(&part.text),
            _ => false,
        });
        match holds(&part.replaced) {
            // The same text may occur in two places, and matter in only one.
            Some(Why::Holds) if is_noted => {
                *tally.entry("a part").or_default() += 1;
                largest.push(part.text);
            }
            Some(Why::Holds) => {
                let inside = largest.iter().any(|whole| whole.contains(&part.text));
                let partly =
                    outcome.notes.iter().any(|note| matches!(note, Note::Fact(Fact::Vacuous { .. })));
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
