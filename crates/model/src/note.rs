//! Notes: facts about the model or an answer that nobody asked for.
//!
//! They are recorded as data, with the user's names for parts of the model. The code that shows a report turns them
//! into sentences.

use crate::show::Binding;

/// A fact that a user should know although nobody asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The `init` predicates exclude all states.
    NoInitialState,
    /// These triggers of the property never occur.
    Vacuous {
        /// The triggers, as the user would write them.
        triggers: Vec<String>,
        /// Whether other triggers of the property do occur.
        in_part: bool,
    },
    /// The automaton of the property accepts nothing.
    EmptyAutomaton {
        /// The file it comes from.
        file: String,
    },
    /// The fairness assumption is not realisable.
    Unrealisable(Unrealisable),
    /// It is not known whether the fairness assumption is realisable.
    RealisabilityUnknown {
        /// Whether a limit is the reason. If not, nobody tried to find out.
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
    /// The first attempt was too coarse, so processes were counted up to a larger bound.
    BoundsRaised,
    /// A property that fails for the value after `to` of a parameter holds for all lesser ones, from `from` on.
    LeastFailing {
        /// The parameter.
        parameter: String,
        /// The least value that the model admits.
        from: i64,
        /// The greatest value up to which the property holds.
        to: i64,
    },
    /// Why an answer covers every number of processes.
    Covers {
        /// The parameters with their least values.
        parameters: Vec<(String, i64)>,
        /// The bound up to which processes are counted.
        counted_to: u8,
        /// The number of abstract states.
        states: usize,
    },
    /// A requirement of the abstract system that was derived from the fairness.
    Derived {
        /// The requirement it comes from.
        source: String,
        /// What a process has while it is owed something; as a condition on one process.
        debt: String,
        /// Sets of processes: again and again, nobody in such a set is owed anything, or a debt in it ends.
        sets: Vec<String>,
        /// Further formulas.
        formulas: Vec<String>,
    },
    /// Requirements that were derived from the number of processes being finite: if these sets are left again and
    /// again, they are entered again and again.
    FinitelyMany(Vec<String>),
    /// Sums of numbers of processes and shared values that are the same in every reachable state, used to leave out
    /// abstract states.
    ConstantSums(Vec<String>),
    /// The predicates that each process of a local proof exposes to the others.
    Exposed {
        /// `A` or `B`.
        variant: &'static str,
        /// The number of rounds in which more was exposed.
        rounds: u64,
        /// Processes all of whose state is exposed from the beginning.
        whole: Vec<String>,
        /// Predicates that are exposed from the beginning because they are true only finitely often.
        finite: Vec<String>,
        /// Predicates that rounds exposed, each with the reason.
        predicates: Vec<String>,
    },
    /// The property holds, but there is no evidence that the judge could check.
    Unchecked(Unchecked),
    /// A property holds for every number of processes, but the judge cannot count them: why.
    NotCounted {
        /// In words.
        why: String,
    },
    /// The judge could not check a proof to the end.
    ProofUnfinished {
        /// Why.
        why: String,
    },
}

/// Why a search that found no violation gives no evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unchecked {
    /// The search was reduced.
    Reduced,
    /// The product has very many edges.
    Large,
    /// To find the evidence takes more work than is done by default.
    Work,
    /// The reference automaton is too large.
    Automaton,
    /// An action can go so many ways that a proof with diagrams does not name them.
    Ways,
    /// A limit on time or memory was reached before the evidence was complete.
    Limit,
}

/// Where a fairness assumption cannot be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unrealisable {
    /// No run of the system meets it.
    Everywhere,
    /// No run of any instance meets it.
    InEveryInstance,
    /// From this reachable state no run meets it.
    From(Vec<Binding>),
}

/// A way to search fewer states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Of states that differ only in the names of processes, one is searched.
    Symmetry,
    /// Independent actions are tried in only one order.
    PartialOrder,
}
