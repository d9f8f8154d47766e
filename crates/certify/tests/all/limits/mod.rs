//! The judge within limits: if a limit ends its work, evidence is neither checked nor refused.
//!
//! Every judgement calls the stop function of its session a number of times. Each piece of evidence is judged once for
//! each of these calls (or for a sample, if they are many), with a function that stops from that call on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use certify::{Certified, Flaw, Judge, Standing, Unfinished};
use model::answer::Site;
use model::automaton::{Automaton, Cube, Edge};
use model::property::Kind;
use model::{
    ActionId, Answer, Counterexample, Fault, Label, Lasso, Never, Path, Position, Session, State, StopReason,
    Task,
};
use smt::Solvers;

/// The last value of the counter.
const LAST: i64 = 40;

/// A counter that goes round. There is a fault where it would leave its range.
fn tasks(last: i64) -> Vec<Task> {
    let source = format!(
        "shared x: 0..{last};
        shared y: 0..{last} = any;
        process P {{
            action up when x < {last} {{ x = x + 1; }}
            action round when x == {last} {{ x = 0; }}
        }}
        property p: F false;
        property q: F false under weak P & for k in 0..3: justice (x >= k);
        property r: F false under global;
        property branching: AG AF x == {last} + 1;
        invariant small: x < {last};
        invariant faulty: {last} / ({last} - x) >= 0;
        property family: forall k in 0..3: F x == 2 * {last} + k;"
    );
    let loaded = lang::load("test", &source, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    model.checks.into_iter().map(|check| check.task).collect()
}

/// Once up to the last value.
fn positions(last: i64) -> Vec<Position> {
    let at =
        |x: i64| Position { state: State(vec![x, 0]), label: Label::Action(ActionId(u32::from(x == last))) };
    (0..=last).map(at).collect()
}

fn lasso(last: i64) -> Answer {
    Answer::Fails(Counterexample::Lasso(Lasso { positions: positions(last), cycle: 0 }))
}

fn path(last: i64) -> Path {
    let mut positions = positions(last);
    let last = positions.pop().expect("many").state;
    Path { positions, last }
}

/// An automaton with one state, one mark and an edge for every letter.
fn anything(task: &Task) -> Task {
    let edge = Edge { cube: Cube::default(), marks: vec![0], target: 0 };
    let automaton =
        Automaton { initial: vec![0], states: vec![vec![edge]], marks: 1, ..Automaton::nothing(Vec::new()) };
    let never = Never { file: "any.hoa".to_owned(), automaton: Arc::new(automaton), atoms: Vec::new() };
    let mut task = task.clone();
    task.property.kind = Kind::Never(never);
    task
}

/// Evidence of every kind that contains a run.
fn evidence(last: i64) -> Vec<(Task, Answer)> {
    let mut tasks = tasks(last);
    let never = anything(&tasks[1]);
    let fault =
        Counterexample::Fault { path: Some(path(last)), site: Site::Property, fault: Fault::DivisionByZero };
    let mut evidence: Vec<(Task, Answer)> = vec![
        (tasks.pop().expect("a family"), lasso(last)),
        (tasks.pop().expect("an invariant"), Answer::Fails(fault)),
        (tasks.pop().expect("an invariant"), Answer::Fails(Counterexample::Path(path(last)))),
    ];
    evidence.extend(tasks.into_iter().chain([never]).map(|task| (task, lasso(last))));
    evidence
}

/// Judges with a stop function that stops from its `after`-th call on. Also returns the number of calls.
fn judged(task: &Task, answer: &Answer, after: usize) -> (Result<Certified, Flaw>, usize) {
    let asked = AtomicUsize::new(0);
    let stop = || (asked.fetch_add(1, Ordering::Relaxed) >= after).then_some(StopReason::Time);
    let session = Session::new(&stop, &|_| {}, u64::MAX, 1);
    let solvers = Solvers::none("none is needed");
    let result = Judge::new(&solvers, &session).certify(task, answer.clone());
    (result, asked.load(Ordering::Relaxed))
}

#[test]
fn wherever_a_limit_comes_evidence_is_claimed_and_not_checked() {
    for (task, answer) in evidence(LAST) {
        let name = &task.property.name;
        let (whole, asked) = judged(&task, &answer, usize::MAX);
        let whole = whole.unwrap_or_else(|flaw| panic!("{name}: {flaw}"));
        assert_eq!((whole.standing(), whole.unfinished()), (Standing::Checked, None), "{name}");
        assert!(asked >= LAST as usize, "{name}: {asked}");
        for after in 0..asked {
            let (part, _) = judged(&task, &answer, after);
            let part = part.unwrap_or_else(|flaw| panic!("{name} after {after}: {flaw}"));
            assert_eq!(part.standing(), Standing::Claimed, "{name} after {after} of {asked}");
            assert_eq!(part.unfinished(), Some(&Unfinished::Stopped(StopReason::Time)));
            assert_eq!((part.answer(), part.ledger()), (&answer, &[][..]));
        }
    }
}

#[test]
fn wherever_a_limit_comes_wrong_evidence_is_not_checked() {
    for (task, answer) in evidence(LAST) {
        let wrong = match answer {
            Answer::Fails(Counterexample::Lasso(mut lasso)) => {
                lasso.positions[LAST as usize / 2].state.0[0] += 1;
                Answer::Fails(Counterexample::Lasso(lasso))
            }
            Answer::Fails(Counterexample::Path(mut path)) => {
                path.positions.pop();
                Answer::Fails(Counterexample::Path(path))
            }
            Answer::Fails(Counterexample::Fault { path, site, .. }) => {
                Answer::Fails(Counterexample::Fault { path, site, fault: Fault::Overflow })
            }
            other => panic!("{other:?}"),
        };
        let (whole, asked) = judged(&task, &wrong, usize::MAX);
        assert!(whole.is_err(), "{}", task.property.name);
        for after in 0..asked {
            let (part, _) = judged(&task, &wrong, after);
            assert!(part.is_ok_and(|part| part.standing() == Standing::Claimed), "{}", task.property.name);
        }
    }
}

#[test]
fn a_long_run_is_left_soon_after_the_limit() {
    let last = 100_000;
    for (task, answer) in evidence(last) {
        let name = &task.property.name;
        let (whole, asked) = judged(&task, &answer, usize::MAX);
        let whole = whole.unwrap_or_else(|flaw| panic!("{name}: {flaw}"));
        assert_eq!(whole.standing(), Standing::Checked, "{name}");
        assert!(asked >= 10, "{name}: limits are looked at {asked} times only");
        let (half, _) = judged(&task, &answer, asked / 2);
        assert_eq!(half.map(|half| half.standing()), Ok(Standing::Claimed), "{name}");
    }
}

#[test]
fn evidence_that_needs_more_memory_than_there_is_is_claimed() {
    for (task, answer) in evidence(LAST) {
        let session = Session::new(&|| None, &|_| {}, 32, 1);
        let judged = Judge::new(&Solvers::none("none is needed"), &session).certify(&task, answer);
        let judged = judged.expect("no flaw is found");
        // A path takes no memory.
        if !matches!(task.property.kind, Kind::Invariant(_)) {
            let memory = Unfinished::Stopped(StopReason::Memory);
            assert_eq!((judged.standing(), judged.unfinished()), (Standing::Claimed, Some(&memory)));
        }
    }
}

#[test]
fn the_ledger_of_a_judged_lasso_is_that_of_the_lasso() {
    let mut lengths = Vec::new();
    for (task, answer) in evidence(LAST) {
        let (judged, _) = judged(&task, &answer, usize::MAX);
        let judged = judged.expect("no flaw is found");
        if let Answer::Fails(Counterexample::Lasso(lasso)) = &answer {
            assert_eq!(judged.ledger(), certify::ledger(&task, lasso), "{}", task.property.name);
        }
        lengths.push(judged.ledger().len());
    }
    // The family, a fault, a path, no fairness, five requirements, global, a CTL formula, the automaton.
    assert_eq!(lengths, [0, 0, 0, 0, 5, 1, 0, 5]);
}

/// The files that judge runs depend only on the model and on each other.
#[test]
fn the_kernel_rests_on_the_model_alone() {
    let kernel = ["replay", "fairness", "truth", "acceptance", "fault", "choices", "limits", "end", "flaw"];
    for file in kernel {
        let path = format!("{}/src/{file}.rs", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a file of the kernel");
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("use ")) {
            let mut names = line.split([':', ';']).filter(|name| !name.is_empty());
            match names.next() {
                Some("std" | "model" | "super") => {}
                Some("crate") => assert!(names.next().is_some_and(|name| kernel.contains(&name)), "{line}"),
                _ => panic!("{file} uses {line}"),
            }
        }
    }
}
