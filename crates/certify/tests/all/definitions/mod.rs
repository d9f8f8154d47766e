//! Compares the judge and the oracle with the definitions, written down a second time.
//!
//! [`worlds`] builds small systems from explicit lists of steps, so that runs, fairness and truth on a lasso can be
//! defined without `model::semantics`. [`naive`] defines them, by unrolling and by trying everything. The other modules
//! compare.

mod classics;
mod faults;
mod forgeries;
mod naive;
mod never;
mod oracle;
mod prefix;
mod truth;
mod worlds;
