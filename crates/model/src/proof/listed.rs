//! Listed proofs: all reachable states, and why no fair run among them violates the property.
//!
//! The states of the system are listed. The list contains the initial states, and a step from a listed state ends in
//! one. In no listed state does a guard, the update of an enabled action or an atom of the property fault. An
//! invariant is true in all of them; that is all for invariants, and fairness does not matter.
//!
//! For any other property, let `G` be the graph of product states `(s, q)`: `s` a listed state, `q` a state of the
//! reference automaton ([`tableau::violations`](crate::tableau::violations)). An edge is a step `(s, a, s')` of the
//! system together with an edge of the automaton that it satisfies. No requirement of the fairness faults in a listed
//! state. For each alternative of the fairness there is a set `R` of product states and a [`Tree`] of *blocks*: the
//! blocks without a parent divide `R`, and the children of a block divide its states. `R` contains the initial product
//! states, and every edge from `R` ends in `R`. Each block has a [`Reason`]. It has a premise about every edge inside
//! the block, and it says which of these edges *remain* for the children of the block:
//!
//! | reason | premise for every edge inside the block | what remains |
//! | --- | --- | --- |
//! | `Trivial` | there is none | – |
//! | `Accept(k)` | it does not carry mark `k` | – |
//! | `Never(i)` | it does not satisfy `then` of requirement `i` | the edges that do not satisfy `when` |
//! | `Uncovered(D)`, if the alternative is `global` | its step is not one of `D` | the edges that touch no state that a step of `D` leaves |
//!
//! Among the edges that remain (at the top: among all), none leads to a sibling with a higher number. So each edge
//! `x → y` can be checked by itself: go down from the top as long as `x` and `y` are in the same block and the edge
//! remains. If their blocks differ, that of `y` has the lower number.
//!
//! Why this proves the property: suppose that a fair run is accepted. At the top, block numbers never rise along it,
//! so it finally stays in one block. It does not stay in a `Trivial` block, because it takes edges; nor in an
//! `Accept(k)` block, because an accepted run takes edges with mark `k` again and again. In `Never(i)` it takes no
//! `then` edge any more, so, being fair, it takes `when` edges only finitely often: from some moment on, all its edges
//! remain. In `Uncovered(D)` it no longer takes the steps of `D`, so, being globally fair, it visits the states that
//! they leave only finitely often, and again all its edges remain. Now the same is true one level further down. The
//! tree is finite, and where it ends no edge remains: a contradiction. This is the recursion of [EL87], which deletes
//! the same edges, written down.

use super::labels;
use crate::answer::Label;

/// A proof by listing the states.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Listed {
    /// The states, [packed](crate::packing), in strictly increasing order of their words.
    pub states: Vec<u64>,
    /// One per alternative of the fairness; none for an invariant, and none if there are labels.
    pub trees: Vec<Tree>,
    /// For a CTL formula without trees: a label for each of its [`labels::labelled`] subformulas.
    pub labels: Vec<labels::Label>,
}

/// A set of product states, divided into blocks.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Tree {
    /// Per product state, the innermost block it is in, or [`Tree::OUTSIDE`]. Product state `(s, q)` has the position
    /// `s * Q + q`, where `Q` is the number of states of the automaton.
    pub addresses: Vec<u32>,
    /// The blocks. The parent of a block comes before it.
    pub blocks: Vec<Block>,
}

impl Tree {
    /// The address of a product state that is not in the set.
    pub const OUTSIDE: u32 = u32::MAX;
}

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The block that it is a part of, by position; `None` at the top.
    pub parent: Option<u32>,
    /// Why no fair run stays in it for ever.
    pub reason: Reason,
}

/// Why no fair run stays in a block for ever, apart from runs along edges that remain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It has no edges.
    Trivial,
    /// Its edges do not carry this mark.
    Accept(usize),
    /// Its edges do not satisfy `then` of this requirement, by position in
    /// [`ground::requirements`](crate::ground::requirements).
    Never(usize),
    /// Its edges do not take these steps, in increasing order.
    Uncovered(Vec<Missing>),
}

/// A step of the system that no edge of a block takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// The state it leaves, by position in the list.
    pub state: u32,
    /// Its label.
    pub label: Label,
    /// The state it leads to.
    pub target: u32,
}
