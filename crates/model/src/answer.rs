//! Answers, and the evidence they carry.
//!
//! *Holds* comes with a proof, or with the statement that the search was exhaustive. *Fails* comes with a run that
//! anyone can replay. *Unknown* comes with the reason. States are values of cells, and labels are actions, of the
//! [`Instance`](crate::Instance) of the task's system. Nothing here depends on an engine's own data structures.

use crate::instance::ActionId;
use crate::labelling::Refutation;
use crate::proof::Proof;
use crate::refusal::Reason;
use crate::semantics::Fault;

/// A value for each cell, in the order of [`Instance::cells`](crate::Instance::cells).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(pub Vec<i64>);

/// The label of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// The step of a deadlock.
    Idle,
    /// An action.
    Action(ActionId),
}

/// A state of a run together with the step that leaves it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The state.
    pub state: State,
    /// The label of the step taken from it.
    pub label: Label,
}

/// A finite run: positions, and the state where it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The steps.
    pub positions: Vec<Position>,
    /// The last state.
    pub last: State,
}

/// An infinite run: a stem, then a cycle for ever.
///
/// The step of the last position leads back to the position where the cycle begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// Stem and cycle.
    pub positions: Vec<Position>,
    /// Where the cycle begins; less than the number of positions.
    pub cycle: usize,
}

/// The task's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Every fair run satisfies the property, and no fault is reachable.
    Holds(Proof),
    /// A fair run violates the property, or a fault is reachable.
    Fails(Counterexample),
    /// Not decided.
    Unknown(Reason),
}

/// Why a property fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counterexample {
    /// A fair run that violates an LTL formula, or the linear-time reading of a CTL formula
    /// ([`Ctl::of_all_runs`](crate::Ctl::of_all_runs)).
    Lasso(Lasso),
    /// A path to a state that violates an invariant. For `AG a`: a path to a state in which, as the engine found, `a`
    /// is false.
    Path(Path),
    /// A path to a fault.
    Fault {
        /// The path to the state in which it happens; `None` if it happens in an `init` predicate.
        path: Option<Path>,
        /// Where it happens.
        site: Site,
        /// What happens.
        fault: Fault,
    },
    /// The engine found that a CTL formula is false in this initial state, but has no run that shows it.
    State(State),
    /// Labels of the subformulas of a CTL formula or an invariant that leave out an initial state.
    Labelling(Box<Refutation>),
    /// The task is about every value of its parameters; the instance with these values fails
    /// ([`setting::set`](crate::setting::set)).
    Instance {
        /// The values of the parameters.
        values: Vec<i64>,
        /// The values of the indices that select a member of the family of properties.
        member: Vec<i64>,
        /// Why that task fails.
        evidence: Box<Counterexample>,
    },
}

/// Where a fault happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// In an `init` predicate.
    Init,
    /// In the guard or the update of an action.
    Action(ActionId),
    /// In the property.
    Property,
    /// In a fairness requirement.
    Fairness,
}

impl Lasso {
    /// The position after `k`.
    pub fn next(&self, k: usize) -> usize {
        if k + 1 < self.positions.len() { k + 1 } else { self.cycle }
    }
}
