//! Formulas of linear integer arithmetic, and the solvers that decide them.
//!
//! A [`Formula`] over terms of the crate `arith` is always normalised and independent of any solver. A [`Solver`] is a
//! running process spoken to in SMT-LIB over a pipe: `push`, `assert`, `check`, `pop`, values of a model, elimination
//! of quantifiers, Horn clauses. It answers in tens of microseconds. A solver that misbehaves is killed and replaced by a
//! new one with the same assertions, and its query is answered *unknown*. A question that was answered before is not
//! asked again.
//!
//! This crate starts no process and reads no clock. [`Solvers`] has the way to start a solver, and is built by the
//! command. Every command to a solver can be written to a sink, so that each query can be replayed from an `.smt2` file.

mod formula;
mod memory;
mod parse;
mod solver;
mod solvers;

pub use formula::Formula;
pub use memory::Memory;
pub use solver::{Answer, Clause, Solver};
pub use solvers::{Absent, Pipe, Program, Received, Sink, Solvers, Start};
