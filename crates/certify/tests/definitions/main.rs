//! The judge and the oracle, held to the definitions written down a second time.
//!
//! [`worlds`] builds small systems from explicit lists of steps, so that what is a run, what is fair and what
//! is true on a lasso can be said without `model::semantics`. [`naive`] says it, by unrolling and by trying
//! everything. The other modules compare.

mod classics;
mod faults;
mod forgeries;
mod naive;
mod never;
mod oracle;
mod truth;
mod worlds;
