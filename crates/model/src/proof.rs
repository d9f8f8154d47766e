//! Proofs: why a property holds, in a form that can be checked without a search.
//!
//! A run that violates a property is accepted by the reference automaton
//! ([`tableau::violations`](crate::tableau::violations)), which engine and judge each build for themselves. A proof
//! shows that no fair run of the system is accepted: it names a set of *product states* `(s, q)` that no step leaves,
//! and says why no fair run stays in it for ever. The proofs differ in how sets are written and in the shape of the
//! argument:
//!
//! | proof | sets | why no fair run stays |
//! | --- | --- | --- |
//! | [`Listed`] | lists of states | a tree of blocks, each with a reason; for CTL the [`labels`] of all subformulas |
//! | [`Counted`] | lists of counts of processes, for every number of them | the same |
//! | [`Local`] | decision diagrams, process by process or of the whole system | eliminations in order, which rank the states; for CTL the [`sure`] sets of all claims |
//! | [`Labelling`] | linear formulas over integers | ranking functions |
//!
//! For an invariant the first half is enough: a set that contains the initial states, that no step leaves, and in
//! which the invariant is true. In every proof the set is also free of faults.

pub mod counted;
pub mod labels;
pub mod listed;
pub mod local;
pub mod sure;

pub use counted::Counted;
pub use listed::{Block, Listed, Missing, Reason, Tree};
pub use local::{
    Builder, Case, Class, Demand, Diagrams, Elimination, Exposed, Local, Node, Part, ProductSet, Root, Test,
};

pub use sure::{Haven, Sure};

use crate::labelling::Labelling;

/// Why a property holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The engine searched all reachable states; there is nothing to check but the engine.
    Exhaustive,
    /// All states, and a tree of reasons for each alternative of the fairness, or labels.
    Listed(Box<Listed>),
    /// The same for every number of processes: what is listed are counts.
    Counted(Box<Counted>),
    /// Invariants and ranks, process by process.
    Local(Box<Local>),
    /// The same with one invariant, about the whole system.
    Diagrams(Box<Local>),
    /// Labels of the property's subformulas that contain every initial state.
    Labelling(Box<Labelling>),
}
