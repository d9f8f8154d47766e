//! Linear arithmetic over the integers.
//!
//! [`Linear`] is the linear term that front ends, engines and the judge compute with, and [`Overflow`] the one way in
//! which such a computation fails. [`Condition`] is a formula over terms that keeps the comparisons as they were written,
//! and [`eliminate`] takes a variable out of one, exactly. Formulas in the normal form that solvers are asked about are
//! in the crate `smt`.
//!
//! This crate depends on nothing.

mod condition;
mod eliminate;
mod linear;
mod number;

pub use condition::{Condition, Test};
pub use eliminate::{Hard, eliminate};
pub use linear::{Linear, Var};
pub use number::{Overflow, Ratio, product};
