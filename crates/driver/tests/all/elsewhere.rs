//! Crews, several workers or one with files, against one process: the same verdicts, the same counts, and the same runs.
//!
//! Crews are asked about every case of the suite, every example that can be listed, and random tasks. The engine asks them
//! only about large graphs; here it is told that every graph is large. `FAIRLY_STATES` says up to how many states examples
//! are taken, `FAIRLY_TASKS` and `FAIRLY_SEED` choose the random tasks, and `FAIRLY_CREWS=all` asks every crew about each.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use certify::oracle;
use disk::Disk;
use driver::Crew;
use engines::explicit::compiled::Threads;
use engines::rounds::NotDecided;
use engines::{Engine, Explicit};
use model::property::Kind;
use model::{Answer, Expr, Property, Session, Task};

use crate::differential::generate;
use crate::differential::random::Random;
use crate::suite::markdown;
use crate::{examples, suite};

/// The crews. With so few bytes of room, files are used from a few states on.
fn crews(name: &str, rooms: [u64; 2]) -> Vec<Arc<dyn Crew>> {
    let folder = |room: u64| PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("crews-{name}-{room}"));
    let on_disk = |room| Disk { folder: folder(room), resume: false, sorting: Some(room) };
    vec![
        Arc::new(Threads { workers: 2 }),
        Arc::new(Threads { workers: 3 }),
        Arc::new(on_disk(rooms[0])),
        Arc::new(on_disk(rooms[1])),
    ]
}

/// An engine that asks a crew about every graph.
fn engine(crew: Option<Arc<dyn Crew>>) -> Explicit {
    Explicit { reductions: false, probes: false, reduce_beyond: 0, crew, ..Explicit::default() }
}

/// How often something was seen.
type Tally = BTreeMap<&'static str, u64>;

/// Compares crews with one process: one after the other, task by task, unless `FAIRLY_CREWS=all`.
fn compare(task: &Task, crews: &[Arc<dyn Crew>], tally: &mut Tally, context: &dyn Fn() -> String) {
    let session = Session::unlimited();
    let alone =
        engine(None).check(task, &session).unwrap_or_else(|refusal| panic!("{refusal:?}, {}", context()));
    let fails = matches!(alone, Answer::Fails(_));
    let turn: u64 = ["global", "not global"].iter().filter_map(|name| tally.get(name)).sum();
    let all = std::env::var("FAIRLY_CREWS").is_ok_and(|asked| asked == "all");
    let asked = |number: usize| all || number as u64 == turn % crews.len() as u64;
    for (number, crew) in crews.iter().enumerate().filter(|(number, _)| asked(*number)) {
        let decided = match crew.decide(task, &Session::unlimited()) {
            Ok(decided) => decided,
            Err(NotDecided::Refused(_)) => {
                *tally.entry("refused").or_default() += 1;
                continue;
            }
            Err(error) => panic!("crew {number}: {error:?}, {}", context()),
        };
        assert_eq!(decided.fails, fails, "crew {number}, {}", context());
        if fails {
            let answer = engine(Some(Arc::clone(crew))).check(task, &Session::unlimited());
            assert_eq!(answer, Ok(alone.clone()), "crew {number}, {}", context());
        } else {
            let counts = (session.counted("states"), session.counted("transitions"));
            assert_eq!((Some(decided.states), Some(decided.steps)), counts, "crew {number}, {}", context());
        }
        *tally.entry(if fails { "fail" } else { "hold" }).or_default() += 1;
    }
    let is_global = task.fairness.alternatives.iter().any(|alternative| alternative.global);
    *tally.entry(if is_global { "global" } else { "not global" }).or_default() += 1;
}

/// Whether crews are for this task.
fn is_listed(task: &Task) -> bool {
    !matches!(task.property.kind, Kind::Ctl(_)) && Explicit::default().accepts(task).is_ok()
}

/// Whether there are at most so many states.
fn has_at_most(states: usize, task: &Task) -> bool {
    let property = Property { kind: Kind::Invariant(Expr::Bool(true)), ..task.property.clone() };
    let engine = Explicit { state_limit: states, ..engine(None) };
    let answer = engine.check(&Task { property, ..task.clone() }, &Session::unlimited());
    matches!(answer, Ok(Answer::Holds(_)))
}

#[test]
fn crews_answer_every_case_of_the_suite_as_one_process_does() {
    let crews = crews("suite", [1 << 9, 1 << 14]);
    let mut tally = Tally::new();
    for case in markdown::all(&suite::root()) {
        for check in suite::checks(&case, &mut |_| {}).iter().filter(|check| is_listed(&check.task)) {
            compare(&check.task, &crews, &mut tally, &|| {
                format!("{}: {}", case.place(), check.task.property.name)
            });
        }
    }
    println!("{tally:?}");
    assert!(tally["hold"] > 125 && tally["fail"] > 125 && tally["global"] > 20, "{tally:?}");
}

#[test]
fn crews_answer_every_example_as_one_process_does() {
    let crews = crews("examples", [1 << 15, 1 << 20]);
    let most = crate::setting("FAIRLY_STATES", 1_000) as usize;
    let mut tally = Tally::new();
    for (name, text) in examples::examples() {
        let model = examples::load(&name, &text);
        let listed = model.checks.iter().filter(|check| is_listed(&check.task));
        for check in listed.filter(|check| has_at_most(most, &check.task)) {
            compare(&check.task, &crews, &mut tally, &|| format!("{name}: {}", check.task.property.name));
        }
    }
    println!("{tally:?}");
    assert!(tally["hold"] > 25 && tally["fail"] > 12, "{tally:?}");
}

#[test]
fn crews_agree_with_the_oracle_and_with_one_process_on_random_tasks() {
    let (count, seed) = (crate::setting("FAIRLY_TASKS", 120), crate::setting("FAIRLY_SEED", 21));
    let crews = crews("random", [1 << 9, 1 << 14]);
    let mut tally = Tally::new();
    for number in 0..count {
        let source = generate::source(&mut Random::new(seed, number));
        let Some(model) = lang::load("random", &source, &[]).model else { continue };
        for check in model.checks.iter().filter(|check| is_listed(&check.task)) {
            let context = || format!("seed {seed}, task {number}: {}\n{source}", check.task.property.name);
            compare(&check.task, &crews, &mut tally, &context);
            if let Ok(decision) = oracle::decide(&check.task, 5_000) {
                let decided = crews[2].decide(&check.task, &Session::unlimited()).expect("decided");
                assert_eq!(decided.fails, !decision.holds(), "{}", context());
                *tally.entry("by the oracle").or_default() += 1;
            }
        }
    }
    println!("{count} models, seed {seed}: {tally:?}");
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    assert!(seen("hold") * 4 > count && seen("fail") * 4 > count && seen("global") * 20 > count, "{tally:?}");
    assert!(seen("by the oracle") * 2 > count, "{tally:?}");
}
