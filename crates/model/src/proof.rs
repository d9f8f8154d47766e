//! Local proofs: why every fair run satisfies a property, in a form that can be checked without a search.
//!
//! A local proof [CNS10] talks about one process at a time: each process `k` has an invariant `θ_k` over the
//! shared cells, its own cells and what others *expose*, the truth of some predicates over their cells. To whoever
//! checks it a proof is simpler than to whoever finds it: every set in it is a set of states of the whole system, and
//! what locality bought is that the sets are small to write down. So `θ` below is the conjunction of all `θ_k`, and
//! the premises are those of an ordinary deductive proof, with the ranking of [PS08]. A step `(s, a, s')` is any step
//! of the system, `idle` in a deadlock included, whoever takes part in it, two processes in a rendezvous.
//!
//! 1. *Initiation*: an initial state satisfies every `θ_k`; evaluating `init` is no fault.
//! 2. *No fault*: in a state of `θ` no guard, no update of an enabled action, no atom of the property and no
//!    requirement of the fairness is a fault. (For an invariant fairness plays no part.)
//! 3. *Consecution*: a step from a state of `θ` ends in a state of every `θ_k`.
//! 4. An invariant is true in every state of `θ`. That is all for invariants.
//!
//! A run that violates any other property is accepted by [`tableau::violations`](crate::tableau::violations), the
//! automaton of reference. A proof contains no automaton, so none has to be believed: its sets of *product states*
//! `(s, q)` refer to the states `q` of that one. A product step is a step `(s, a, s')` with an edge `q → q'` that it
//! satisfies. Every fair, violating run is covered by a [`Case`], and each case is led to a contradiction:
//!
//! 5. *Cases*: every alternative of the fairness has a case without a class, or cases whose classes together contain
//!    every step: some class has infinitely many. The mark, if the classes name one, is the same for all of them; then
//!    some class has infinitely many steps with that mark.
//! 6. *Reached*: `(s, q)` with `s` and `q` initial is in [`Case::reached`]; a product step from `reached` (and `θ`)
//!    ends in it. Call this set `R`.
//! 7. *Parts*: every strong component of the automaton that has all marks on the edges inside it lies in a part. An
//!    accepting run of the automaton stays in one of them in the end.
//! 8. *Eliminations*, in their order. Before elimination `e` a product step is *possible* if it starts in `R` and `θ`,
//!    starts and ends in states of the part that no earlier elimination has removed, and is not barred. Let `C` be
//!    [`closed`](Elimination::Unmet::closed). No possible step leaves `C`; no possible step inside `C` meets the
//!    demand. So from some moment on no step that leaves `C` makes `when` true: such steps are barred from here on.
//!    Every possible step from `removed` is barred by this elimination, so `removed` is left for ever.
//! 9. *All is removed*: every product state of `R` and `θ` in the part is removed by some elimination.
//!
//! The rank of a product state is the number of the elimination that removes it; along a fair run it falls until
//! nothing is left. What `closed` and `removed` say of states outside `R`, or removed before, does not matter. So they
//! need not say what follows from `R`: that `P[3]` is at `exit` is one test, and what is then true of all others none.

use std::collections::BTreeMap;

use crate::expr::Expr;
use crate::instance::ProcessId;

/// A local proof. Processes, cells and actions are those of the [`Instance`](crate::Instance) of the task's system.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Local {
    /// The predicates that diagrams may test beside bits of cells.
    pub exposed: Vec<Exposed>,
    /// The nodes of all diagrams.
    pub diagrams: Diagrams,
    /// `θ_k` (premises 1 to 4, and assumed in all others): one per process, in the order of
    /// [`Instance::processes`](crate::Instance::processes); [`Root::TRUE`] where there is nothing to say. It speaks of
    /// shared cells, cells of `k` and exposed predicates of any process; a *window* is one that speaks of few. The
    /// judge lets it speak of any cell: a cell that another process reads counts as shared.
    pub invariants: Vec<Root>,
    /// Premise 5; empty for an invariant.
    pub cases: Vec<Case>,
}

/// A predicate whose truth others may know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exposed {
    /// The process whose cells it is about.
    pub process: ProcessId,
    /// A ground state predicate over shared cells and cells of that process. Where it faults it counts as false.
    pub predicate: Expr,
}

/// Decision diagrams that share their nodes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Diagrams {
    /// The nodes. Those below a node come before it, so there are no cycles. Tests may come in any order.
    pub nodes: Vec<Node>,
}

/// A node: which diagram decides, by the outcome of a test.
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
    /// A bit of the value of a cell less the least value of its domain; bit 0 is the least significant.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Root(pub u32);

/// A set of product states: a diagram per state of the automaton.
pub type ProductSet = Vec<Root>;

/// The fair, violating runs that meet one alternative of the fairness and, if there is a class, take infinitely many
/// of its steps.
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
    /// The steps in which one of these takes part.
    pub processes: Vec<ProcessId>,
    /// Also `idle`, and actions in which no process takes part.
    pub unowned: bool,
    /// Of these, only steps on which the automaton takes an edge with this mark.
    pub mark: Option<usize>,
}

/// States of the automaton, and why no fair run stays in them for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The states. All of them is always right; a strong component makes smaller sets.
    pub states: Vec<usize>,
    /// Premise 8.
    pub eliminations: Vec<Elimination>,
}

/// An event of the search for fair product states: some are removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elimination {
    /// A demand cannot be met from here on.
    Unmet {
        /// The demand.
        demand: Demand,
        /// `C_e`: no possible step leaves it, and none inside it meets the demand.
        closed: ProductSet,
        /// `D_e`: product states of `closed` that no possible step leaves without making `when` true: those with
        /// `when`, if it is a predicate of states. May be empty where the elimination is there to bar steps.
        removed: ProductSet,
    },
    /// No possible step leaves these.
    Trimmed {
        /// `D_e`.
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

/// Builds diagrams whose equal nodes are the same node.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    diagrams: Diagrams,
    known: BTreeMap<Node, Root>,
}

impl Builder {
    /// The diagram that decides by a test between two diagrams of this builder.
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
