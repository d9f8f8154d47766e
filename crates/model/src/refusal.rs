//! Refusals: why an engine does not accept a task, and why it did not decide one that it accepted.
//!
//! Both are data. A [`Refusal`] names the declaration that causes it, so that code with access to the source can
//! point to the line. Sentences and suggestions are made where the report is shown, because only there the results of
//! all engines are known.

use crate::property::Name;
use crate::system::{FamilyId, VariableId};
use crate::task::StopReason;

/// Why an engine does not accept a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why its method does not apply.
    pub kind: RefusalKind,
    /// The declaration that is the cause, if it is one.
    pub about: Option<Declared>,
}

impl Refusal {
    /// A refusal without a particular declaration as its cause.
    pub fn of(kind: RefusalKind) -> Refusal {
        Refusal { kind, about: None }
    }

    /// A refusal caused by a declaration.
    pub fn about(declared: Declared, kind: RefusalKind) -> Refusal {
        Refusal { kind, about: Some(declared) }
    }
}

/// A declaration in the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    /// A shared or local variable.
    Variable(VariableId),
    /// A process or a family of processes.
    Family(FamilyId),
    /// The action or statement with this label.
    Action(FamilyId, String),
    /// A property or an invariant.
    Property(Name),
    /// An `init` predicate.
    Init,
}

/// Why the method of an engine does not apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// Parameters are open, and the engine checks one instance at a time.
    Open,
    /// No parameter is open, and the engine is for all instances at once.
    NotOpen,
    /// The property is a family whose members cannot be listed.
    Family,
    /// The property is a CTL formula.
    Ctl,
    /// The property is a formula of CTL\* that is not one of CTL.
    BeyondCtl,
    /// The fairness is strong global fairness.
    Global,
    /// The initial value of a variable may be any integer.
    AnyInteger,
    /// An action chooses among all integers.
    EndlessChoice,
    /// A variable may be any integer, and the engine needs ranges.
    Unbounded,
    /// No variable is unbounded, and the engine is for those.
    Bounded,
    /// A variable has more values than the engine can list.
    Values {
        /// The greatest number it can list.
        most: u64,
    },
    /// There are more actions, or larger states, than the engine can number.
    Size {
        /// The greatest number of actions.
        actions: usize,
        /// The greatest number of bits in a state.
        bits: usize,
    },
    /// There are fewer than two processes.
    OneProcess,
    /// The processes read everything that other processes own.
    NothingLocal,
    /// The processes cannot be counted; only the counter engine refuses for this reason.
    Uncountable {
        /// What cannot be counted, as a sentence.
        why: String,
        /// How to change the model.
        instead: String,
    },
}

/// Why a task was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The engine refuses the task.
    Refused(Refusal),
    /// A limit ended the search.
    Stopped {
        /// The limit.
        stop: StopReason,
        /// How much was done, and in which unit.
        done: Option<(u64, &'static str)>,
    },
    /// An approximate search has found no violation, which says little: it may have missed some states.
    NothingFound {
        /// How many states it has met, or combinations of them with a state of the automaton.
        count: u64,
        /// What they are called.
        unit: &'static str,
        /// Of how many new states about one was missed at the end; `None` if hardly any.
        missed_one_in: Option<u64>,
        /// The limit that ended it.
        stop: Option<StopReason>,
    },
    /// An approximate search finds only what a path shows, and no path shows a violation.
    NoPathShows,
    /// The diagrams need more memory than there is, or a larger table than was allowed.
    LargeDiagrams,
    /// A number does not fit in the 64 bits of a listed state.
    Overflow,
    /// An `init` predicate has a fault.
    InitFault,
    /// Something is too large for the method.
    TooLarge {
        /// What, as the subject of a sentence.
        what: String,
    },
    /// The expression is not linear arithmetic.
    NotLinear {
        /// The term that is not linear.
        what: String,
    },
    /// The solvers cannot be used.
    NoSolver {
        /// Why.
        why: String,
    },
    /// Neither a ranking argument nor a recurrent set decides it.
    NoRanking,
    /// A fault could not be excluded: a value may leave its range, or nothing can be chosen.
    PossibleFault,
    /// The property fails, but there is no evidence that the judge could check.
    NoEvidence,
    /// A local argument could neither confirm nor exclude a counterexample.
    NoLocalArgument,
    /// The abstraction has a violation, but no small instance that was checked has one.
    Spurious {
        /// The violation.
        violation: String,
        /// The parameter, and the values of it for which the property holds.
        holds_for: Option<(String, i64, i64)>,
    },
    /// Both tickets and indices decide the order of processes.
    TwoOrders,
    /// Another reason, as a sentence; for example the engine for small instances met a value that it cannot store.
    Other(String),
}

impl Reason {
    /// The limit that was reached, if that is the reason.
    pub fn stop(&self) -> Option<StopReason> {
        match self {
            Reason::Stopped { stop, .. } => Some(*stop),
            Reason::NothingFound { stop, .. } => *stop,
            _ => None,
        }
    }

    /// A limit that was reached before anything was counted.
    pub fn stopped(stop: StopReason) -> Reason {
        Reason::Stopped { stop, done: None }
    }
}
