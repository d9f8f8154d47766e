//! Notes: what is true of the model or of an answer, and was not asked for.
//!
//! Whoever finds such a fact records it as data, in the user's names where it speaks of the model. Sentences are made
//! where a report is shown.

use crate::show::Binding;

/// Something that a user should know although nobody asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The `init` predicates exclude all states.
    NoInitialState,
    /// These triggers of the property never occur: all it has, or only some.
    Vacuous {
        /// The triggers, as the user would write them.
        triggers: Vec<String>,
        /// Whether others do occur.
        in_part: bool,
    },
    /// The automaton of the property accepts nothing.
    EmptyAutomaton {
        /// The file it comes from.
        file: String,
    },
    /// The fairness assumption is not realisable.
    Unrealisable(Unrealisable),
    /// Whether the fairness assumption is realisable is not known.
    RealisabilityUnknown {
        /// Whether a limit is the reason; if not, nobody looked.
        limit: bool,
    },
    /// The property was found to hold without any fairness.
    HoldsWithoutFairness,
    /// The search was reduced.
    Reduced(Reduction),
    /// No reduction could be used, for these reasons.
    NotReduced(Vec<String>),
    /// A requirement was left out of the argument for every number of processes.
    FairnessNotUsed {
        /// The requirement; `None` for strong global fairness.
        requirement: Option<String>,
        /// Why.
        why: String,
    },
    /// The first attempt was too coarse: processes were counted one further.
    BoundsRaised,
    /// Why an answer covers every number of processes.
    Covers {
        /// The parameters with their least values.
        parameters: Vec<(String, i64)>,
        /// How far processes are counted.
        counted_to: u8,
        /// The number of abstract states.
        states: usize,
    },
    /// A requirement of the abstract system that was derived from the fairness, and for what.
    Derived {
        /// The requirement it comes from.
        source: String,
        /// What it is about.
        about: Vec<String>,
    },
    /// What was derived from there being finitely many processes: these sets are entered again when they are left again
    /// and again.
    FinitelyMany(Vec<String>),
    /// What each process of a local proof shows the others.
    Exposed {
        /// `A` or `B`.
        variant: &'static str,
        /// How often more was exposed.
        rounds: u64,
        /// Processes all of whose state is exposed from the beginning.
        whole: Vec<String>,
        /// Predicates that are exposed from the beginning because they are true only finitely often.
        finite: Vec<String>,
        /// Predicates that rounds exposed, each with the reason.
        predicates: Vec<String>,
    },
    /// The judge did not get to the end of a proof.
    ProofUnfinished {
        /// Why.
        why: String,
    },
}

/// Where a fairness assumption cannot be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unrealisable {
    /// No run of the system meets it.
    Everywhere,
    /// No run of any instance meets it.
    InEveryInstance,
    /// From this reachable state no run meets it: places and values.
    From(Vec<Binding>),
}

/// A way to search fewer states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// States that differ only in the names of processes are searched once.
    Symmetry,
    /// Independent actions are tried in one order.
    PartialOrder,
}
