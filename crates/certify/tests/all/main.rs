//! The tests of the judge and of the oracle, as one program: linking is most of the cost of a small one.

mod definitions;
mod labels;
mod limits;
mod proofs;
mod theorem;
