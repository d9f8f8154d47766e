//! Formulas of linear integer arithmetic, and the solvers that decide them.
//!
//! A [`Formula`] over terms of the crate `arith` is always normalised and independent of any solver. A [`Solver`] is a
//! running process spoken to in SMT-LIB over a pipe: `push`, `assert`, `check`, `pop`, values of a model, elimination
//! of quantifiers, Horn clauses. It answers in tens of microseconds. A solver that misbehaves is killed and replaced by a
//! new one with the same assertions, and its query is answered *unknown*. A question that was answered before is not
//! asked again.
//!
//! [`Solvers`] says how to start a solver, and is handed down to whoever asks one; [`installed`] are those that the
//! system finds. Only `process` reads a clock, to say how long was waited. Every command can be written to a sink, so that
//! each query can be replayed from an `.smt2` file.

mod formula;
mod parse;
mod process;
mod remembered;
mod solver;
mod solvers;
mod write;

pub use formula::Formula;
pub use process::{installed, installed_within, start};
pub use remembered::Remembered;
pub use solver::{Answer, Clause, Solver};
pub use solvers::{Absent, Pipe, Program, Received, Sink, Solvers, Start};
