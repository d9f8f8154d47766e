//! The infinite engine against the oracle, and on programs that only it can decide.

mod generate;
mod loops;
mod programs;
mod random;
#[path = "../../../driver/tests/differential/shrink.rs"]
mod shrink;
#[path = "../../../cli/src/solver.rs"]
mod solver;

use engines::infinite::Infinite;
use model::{Answer, Task};

/// The engine, with the solvers of this machine.
fn engine() -> Infinite {
    Infinite { solvers: solver::installed(), finite: true }
}

/// The tasks of a model.
fn tasks(text: &str) -> Vec<(Task, Option<bool>)> {
    let loaded = lang::load("test", text, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
    model.checks.into_iter().map(|check| (check.task, check.expected)).collect()
}

/// What is decided: whether it holds, or nothing.
fn verdict(answer: &Answer) -> Option<bool> {
    match answer {
        Answer::Holds(_) => Some(true),
        Answer::Fails(_) => Some(false),
        Answer::Unknown(_) => None,
    }
}

/// Fails, with the command that installs them, if the solvers are not there.
fn require_solvers() {
    for program in [smt::Program::Z3, smt::Program::Cvc5] {
        if let Err(reason) = (solver::installed().start)(program) {
            panic!("{}", smt::Absent { program, reason });
        }
    }
}
