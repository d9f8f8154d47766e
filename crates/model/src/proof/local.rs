//! Local proofs: why every fair run satisfies a property, in a form that can be checked without a search.
//!
//! A local proof [CNS10] describes one process at a time. Each process `k` has an invariant `θ_k` over the shared
//! cells, its own cells and the predicates over their cells that other processes *expose*. A proof is easier to check
//! than to find: every set in it is a set of states of the whole system, and locality only keeps the sets small. So
//! `θ` below is the conjunction of all `θ_k`, and the premises are those of an ordinary deductive proof, with the
//! ranking of [PS08]. A step `(s, a, s')` is any step of the system, including `idle` in a deadlock and a rendezvous
//! of two processes.
//!
//! 1. *Initiation*: an initial state satisfies every `θ_k`; evaluating `init` is no fault.
//! 2. *No fault*: in a state of `θ` no guard, no update of an enabled action, no atom of the property and no
//!    requirement of the fairness is a fault. (For an invariant, fairness is not considered.)
//! 3. *Consecution*: a step from a state of `θ` ends in a state of every `θ_k`.
//! 4. An invariant is true in every state of `θ`. That is all for invariants.
//!
//! A run that violates any other property is accepted by the reference automaton
//! ([`tableau::violations`](crate::tableau::violations)). A proof contains no automaton, so the judge need not trust
//! one: the sets of *product states* `(s, q)` in a proof refer to the states `q` of the reference automaton. A
//! product step is a step `(s, a, s')` with an edge `q → q'` that it satisfies. Every fair run that violates the
//! property is covered by a [`Case`], and each case leads to a contradiction:
//!
//! 5. *Cases*: every alternative of the fairness has one case without a class, or several cases whose classes
//!    together contain every step, so that a run takes infinitely many steps of some class. If the classes name a
//!    mark, it is the same for all of them; then a run takes infinitely many steps of some class with that mark.
//! 6. *Reached*: `(s, q)` with `s` and `q` initial is in [`Case::reached`]; a product step from `reached` (and `θ`)
//!    ends in it. Call this set `R`.
//! 7. *Parts*: every strong component of the automaton with all marks on its inner edges lies in a part. An accepting
//!    run of the automaton finally stays in one such component.
//! 8. *Eliminations*, in their order. Before elimination `e` a product step is *possible* if it starts in `R` and `θ`,
//!    starts and ends in states of the part that no earlier elimination has removed, and is not barred. Let `C` be
//!    [`closed`](Elimination::Unmet::closed). No possible step leaves `C`, and no possible step inside `C` meets the
//!    demand. So from some moment on a run in `C` takes no step that makes `when` true: such steps are barred from
//!    here on. Every possible step from `removed` is barred by this elimination, so no run stays in `removed`.
//!
//!    Under strong global fairness there is one more reason ([`Elimination::Escaped`]): each state of the system in
//!    `removed` has a step that no possible product step from `C` takes, whatever the state of the automaton: it is barred,
//!    or ends in what is removed already. A run in `C` stays there. If it visits the state infinitely often, it takes each
//!    step that leaves the state infinitely often; so it does not, and from some moment on it visits none of these finitely
//!    many states.
//! 9. *All is removed*: every product state of `R` and `θ` in the part is removed by some elimination.
//!
//! The rank of a product state is the number of the elimination that removes it. Along a fair run the rank falls
//! until nothing is left. The contents of `closed` and `removed` outside `R`, or among states removed before, do not
//! matter. So these sets need not repeat what follows from `R`: "`P[3]` is at `exit`" is one test, even if it implies
//! facts about all other processes.

use std::collections::BTreeMap;

use super::sure::Sure;
use crate::expr::Expr;
use crate::instance::ProcessId;

/// A local proof. Processes, cells and actions are those of the [`Instance`](crate::Instance) of the task's system.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Local {
    /// The predicates that diagrams may test in addition to bits of cells.
    pub exposed: Vec<Exposed>,
    /// The nodes of all diagrams.
    pub diagrams: Diagrams,
    /// `θ_k` (premises 1 to 4; all other premises assume it): one per process, in the order of
    /// [`Instance::processes`](crate::Instance::processes), or [`Root::TRUE`]. It is about shared cells, cells of `k`
    /// and exposed predicates of any process. A *window* is an invariant over few of these. The judge accepts an
    /// invariant over any cells, because a cell that another process reads counts as shared. There may also be a single
    /// invariant, about the whole system.
    pub invariants: Vec<Root>,
    /// Premise 5; empty for an invariant.
    pub cases: Vec<Case>,
    /// Instead of cases, for a CTL formula about some runs: a [`Sure`] set per [claim](super::sure::claims). Then there is a
    /// single invariant.
    pub sure: Vec<Sure>,
}

/// A predicate whose truth other processes may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exposed {
    /// The process whose cells it is about.
    pub process: ProcessId,
    /// A ground state predicate over shared cells and cells of that process. It counts as false where it faults.
    pub predicate: Expr,
}

/// Decision diagrams that share their nodes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Diagrams {
    /// The nodes. The children of a node come before it, so there are no cycles. Tests may come in any order.
    pub nodes: Vec<Node>,
}

/// A node: a test, and a diagram for each outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    /// What is tested.
    pub test: Test,
    /// The diagram for false.
    pub no: Root,
    /// The diagram for true.
    pub yes: Root,
}

/// What a node tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Test {
    /// A bit of the cell's value minus the least value of its domain; bit 0 is the least significant.
    Bit {
        /// The cell, by position in [`Instance::cells`](crate::Instance::cells).
        cell: usize,
        /// The bit.
        bit: u32,
    },
    /// An exposed predicate, by position in [`Local::exposed`].
    Exposed(usize),
}

/// A diagram: a set of states. 0 is the empty set, 1 the set of all states, `n + 2` node `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Root(pub u32);

/// A set of product states: a diagram per state of the automaton.
pub type ProductSet = Vec<Root>;

/// The fair runs that violate the property, meet one alternative of the fairness and, if there is a class, take
/// infinitely many steps of the class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The alternative, by position in [`Fairness::alternatives`](crate::Fairness::alternatives).
    pub alternative: usize,
    /// The steps that are taken infinitely often (variant A); `None` for all runs of the alternative (variant B).
    pub class: Option<Class>,
    /// Premise 6: contains every product state that can be reached. Cases may share it.
    pub reached: ProductSet,
    /// Premise 7.
    pub parts: Vec<Part>,
}

/// A set of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The steps in which one of these processes takes part.
    pub processes: Vec<ProcessId>,
    /// Whether `idle` and actions in which no process takes part also belong to it.
    pub unowned: bool,
    /// If given, only steps on which the automaton takes an edge with this mark belong to it.
    pub mark: Option<usize>,
}

/// States of the automaton, and the evidence that no fair run stays in them for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The states. The set of all states is always correct; a strong component makes smaller sets.
    pub states: Vec<usize>,
    /// Premise 8.
    pub eliminations: Vec<Elimination>,
}

/// A step of the search for fair product states that removes some of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elimination {
    /// A demand cannot be met from here on.
    Unmet {
        /// The demand.
        demand: Demand,
        /// `C_e`: no possible step leaves it, and none inside it meets the demand.
        closed: ProductSet,
        /// `D_e`: product states of `closed` that every possible step leaves with `when` true. If `when` is a state
        /// predicate, these are the states with `when`. May be empty if the elimination only bars steps.
        removed: ProductSet,
    },
    /// No possible step leaves these.
    Trimmed {
        /// `D_e`.
        removed: ProductSet,
    },
    /// States of the system have a step that is not possible. Only if the alternative is `global`.
    Escaped {
        /// The action, by position in [`Instance::actions`](crate::Instance::actions).
        action: usize,
        /// The way to resolve its choices, by position in [`ground::ways`](crate::ground::ways).
        way: usize,
        /// `C_e`: no possible step leaves it.
        closed: ProductSet,
        /// `D_e`: product states of `closed`. Their states of the system have the step, and no possible step from `closed`
        /// takes it there, with whatever state of the automaton.
        removed: ProductSet,
    },
}

/// `GF when -> GF then`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Demand {
    /// A requirement of the alternative ([`ground::requirements`](crate::ground::requirements) lists them with their
    /// numbers).
    Requirement {
        /// Its position in [`Assumption::requirements`](crate::Assumption::requirements).
        number: usize,
        /// The values of its binders.
        values: Vec<i64>,
    },
    /// The automaton takes an edge with this mark.
    Mark(usize),
    /// A step of the case's class.
    Class,
}

impl Root {
    /// The empty set.
    pub const FALSE: Root = Root(0);
    /// All states.
    pub const TRUE: Root = Root(1);

    /// The node it stands for, by position; `None` for the two constants.
    pub fn node(self) -> Option<usize> {
        (self.0 as usize).checked_sub(2)
    }
}

/// Builds diagrams without duplicate nodes.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    diagrams: Diagrams,
    known: BTreeMap<Node, Root>,
}

impl Builder {
    /// The diagram that chooses between two diagrams of this builder by a test.
    pub fn node(&mut self, test: Test, no: Root, yes: Root) -> Root {
        if no == yes {
            return no;
        }
        let node = Node { test, no, yes };
        *self.known.entry(node).or_insert_with(|| {
            self.diagrams.nodes.push(node);
            Root(self.diagrams.nodes.len() as u32 + 1)
        })
    }

    /// The diagrams built so far.
    pub fn finish(self) -> Diagrams {
        self.diagrams
    }
}
