//! Linear arithmetic over the integers.
//!
//! [`Linear`] is the linear term that front ends, engines and the judge compute with. Such a computation can only fail
//! with [`Overflow`]. [`Condition`] is a formula over terms that keeps comparisons as they were written, and
//! [`eliminate`] removes a variable from one exactly. The crate `smt` has formulas in the normal form for solvers.
//!
//! This crate depends on nothing.

mod condition;
mod eliminate;
mod linear;
mod number;

pub use condition::{Condition, Test};
pub use eliminate::{EliminationError, eliminate};
pub use linear::{Linear, Var};
pub use number::{Overflow, Ratio, product};
