//! Limits and budgets: they end the work, they change no answer, and cached results cost as much as new ones.

use std::sync::atomic::{AtomicU64, Ordering};

use engines::{Counter, Engine};
use model::fairness::Word;
use model::{Answer, Fairness, Reason, Session, StopReason, Task};

use super::{counter, refusal, tasks, why};

fn example(name: &str) -> Vec<Task> {
    let path = format!("{}/../../examples/counter/{name}.fair", env!("CARGO_MANIFEST_DIR"));
    tasks(&std::fs::read_to_string(path).expect("an example"))
}

/// Tasks that hold, fail, and stay undecided, each under several kinds of fairness.
fn several() -> Vec<Task> {
    let mut all = Vec::new();
    for task in ["mux_sem", "two_phase_commit"].into_iter().flat_map(example) {
        let every = Fairness::every_process(task.system(), Word::Strong);
        all.extend([Fairness::none(), every].map(|fairness| Task { fairness, ..task.clone() }));
        all.push(task);
    }
    all
}

/// The answer within a budget, and the work that was counted.
fn within(engine: &Counter, task: &Task, budget: u64) -> (Answer, u64) {
    let session = Session::unlimited().with_budget(budget);
    let answer = engine.check(task, &session).expect("taken");
    (answer, session.spent.into_inner())
}

#[test]
fn what_is_kept_costs_as_much_as_what_is_made() {
    let used = counter();
    let tasks = several();
    let fresh: Vec<_> = tasks.iter().map(|task| within(&counter(), task, u64::MAX)).collect();
    // In two orders, so that each task is asked before and after each other one.
    for (task, fresh) in tasks.iter().zip(&fresh).chain(tasks.iter().zip(&fresh).rev()) {
        assert_eq!(within(&used, task, u64::MAX), *fresh, "{}", task.property.name);
    }
    for (number, (task, fresh)) in tasks.iter().zip(&fresh).enumerate() {
        let budget = if number % 2 == 0 { fresh.1 / 5 } else { fresh.1 - 1 };
        let (kept, made) = (within(&used, task, budget).0, within(&counter(), task, budget).0);
        assert_eq!(kept, made, "{} within {budget}", task.property.name);
    }
}

#[test]
fn budgets_that_grow_lead_to_the_answer_without_a_budget() {
    for task in several() {
        let engine = counter();
        let mut prepared = engine.prepare(&task).expect("taken");
        let expected = within(&counter(), &task, u64::MAX).0;
        let mut budget = 1_000;
        loop {
            let answer = prepared.answer(&Session::unlimited().with_budget(budget));
            if answer != Answer::Unknown(Reason::stopped(StopReason::Work)) {
                assert_eq!(answer, expected, "{}", task.property.name);
                break;
            }
            budget *= 3;
        }
    }
}

#[test]
fn an_interrupt_ends_the_work_wherever_it_comes_and_a_later_turn_finishes_it() {
    let task = example("szymanski").into_iter().find(|task| task.property.name == "livelock".into());
    let task = task.expect("a property");
    let expected = within(&counter(), &task, u64::MAX).0;
    assert!(matches!(expected, Answer::Holds(_)));
    let engine = counter();
    let mut prepared = engine.prepare(&task).expect("taken");
    for limit in [0, 1, 3, 6] {
        let looks = AtomicU64::new(0);
        let stop = || (looks.fetch_add(1, Ordering::Relaxed) >= limit).then_some(StopReason::Cancelled);
        let answer = prepared.answer(&Session::new(&stop, &|_| {}, u64::MAX, 1));
        assert_eq!(answer, Answer::Unknown(Reason::stopped(StopReason::Cancelled)), "after {limit} looks");
        assert_eq!(looks.into_inner(), limit + 1, "it stops at once");
    }
    assert_eq!(prepared.answer(&Session::unlimited()), expected);
}

#[test]
fn little_memory_is_no_answer() {
    let task = &example("szymanski")[0];
    let answer = counter().check(task, &Session::new(&|| None, &|_| {}, 10_000, 1)).expect("taken");
    assert_eq!(answer, Answer::Unknown(Reason::stopped(StopReason::Memory)));
}

#[test]
fn choices_and_quantifiers_over_very_many_values_are_refused() {
    let choice = "param N >= 2; shared x: 0..9;
        process P[i: 1..N] { loop { a: choose v in 0..999999 where v < 10 { x = v; } } }
        invariant p: x < 10;";
    let nested = "param N >= 2; shared x: 0..9;
        process P[i: 1..N] { loop { a: when exists v in 0..999: exists w in 0..999: v + w == x { x = 0; } } }
        invariant p: x < 10;";
    for text in [choice, nested] {
        let refusal = refusal(text);
        assert!(why(&refusal).contains("more than 100000 values"), "{refusal:?}");
    }
}
