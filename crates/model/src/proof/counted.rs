//! Counted proofs: why a property holds for every number of processes.
//!
//! Like a [listed](super::listed) proof, but what is listed are [`Counts`]: each stands for states of every number of
//! processes. The list contains the counts of all initial states, and those after each step ([`counting`](crate::counting)
//! says why this covers every instance), except counts that contradict a sum: all initial states have the sums of the proof,
//! and no step from listed counts changes them, so no state has others. There is no fault, and an invariant is true in each
//! of them. For any other property, each alternative of the fairness has requirements about counts, which follow from its
//! own by a [`Rule`], and a tree. Product states are counts with a state of the reference automaton; the check of an edge is
//! that of listed proofs, with these requirements.
//!
//! Why this proves the property: take any instance, and a fair run of it that violates the property. Its image, counts by
//! counts, is a run of the listed counts, and is accepted by the automaton. It satisfies the requirements that the rules
//! make, so the refutation tree says that there is no such image.

use super::listed::Tree;
use crate::counting::{Counts, Rule, Sum, Tally};

/// A proof by counting processes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Counted {
    /// How much further it counts than it must.
    pub raise: u32,
    /// Variables that are numbers of processes.
    pub tallies: Vec<Tally>,
    /// Sums that no step changes.
    pub sums: Vec<Sum>,
    /// The counts, in strictly increasing order.
    pub states: Vec<Counts>,
    /// One per alternative of the fairness; none for an invariant.
    pub arguments: Vec<Argument>,
}

/// Why no fair run violates the property.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Argument {
    /// The requirements that the tree speaks of.
    pub rules: Vec<Rule>,
    /// The tree.
    pub tree: Tree,
}
