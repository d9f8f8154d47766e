//! The infinite engine against the oracle, and on programs that only it can decide.

mod bounded;
mod generate;
mod hostile;
mod loops;
mod programs;
mod random;
#[path = "../../../../driver/tests/all/differential/shrink.rs"]
mod shrink;

use certify::{Certified, Flaw, Judge};
use engines::Engine;
use engines::infinite::Infinite;
use model::{Answer, Reason, Session, StopReason, Task};

/// The engine, with the solvers of this machine.
fn engine() -> Infinite {
    Infinite { solvers: smt::installed(), finite: true, both_sides: false }
}

/// The tasks of a model.
fn tasks(text: &str) -> Vec<(Task, Option<bool>)> {
    let loaded = lang::load("test", text, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
    model.checks.into_iter().map(|check| (check.task, check.expected.map(lang::Expect::holds))).collect()
}

/// Whether the property holds, if that is decided.
fn verdict(answer: &Answer) -> Option<bool> {
    match answer {
        Answer::Holds(_) => Some(true),
        Answer::Fails(_) => Some(false),
        Answer::Unknown(_) => None,
    }
}

/// The judge's result on an answer, with the solvers of this machine.
fn judged(task: &Task, answer: Answer) -> Result<Certified, Flaw> {
    Judge::new(&smt::installed(), &Session::unlimited()).certify(task, answer)
}

/// Panics with the command that installs the solvers, if they are missing.
fn require_solvers() {
    for program in [smt::Program::Z3, smt::Program::Cvc5] {
        if let Err(reason) = (smt::installed().start)(program) {
            panic!("{}", smt::Absent { program, reason });
        }
    }
}

#[test]
fn more_queries_than_allowed_are_no_answer() {
    require_solvers();
    let text = "shared x: int; process P { loop { up: x = x + 1; } } property p: F x > 5 under weak P;";
    let (task, _) = tasks(text).remove(0);
    assert_eq!(verdict(&engine().check(&task, &Session::unlimited()).expect("taken")), Some(true));
    let few = Infinite {
        solvers: smt::Solvers { queries: 2, ..smt::installed() },
        finite: true,
        both_sides: false,
    };
    let answer = few.check(&task, &Session::unlimited()).expect("taken");
    let what = "it takes more than 2 queries of solvers".to_owned();
    assert_eq!(answer, Answer::Unknown(Reason::TooLarge { what }));
    let answer = engine().check(&task, &Session::unlimited().with_budget(120_000)).expect("taken");
    assert_eq!(answer, Answer::Unknown(Reason::stopped(StopReason::Work)));
}
