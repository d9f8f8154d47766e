//! Refusals: why an engine does not take a task, and why it did not decide one that it took.
//!
//! Both are data. What a [`Refusal`] is about is named by what was declared, so that whoever knows the source can point to
//! its line. Sentences, and what to try instead, are made where the report is shown: only there is it known what the
//! other engines said.

use crate::property::Name;
use crate::system::{FamilyId, VariableId};
use crate::task::StopReason;

/// Why an engine does not take a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What keeps its method from applying.
    pub kind: RefusalKind,
    /// The declaration that does.
    pub about: Option<Declared>,
}

impl Refusal {
    /// A refusal that is about no declaration in particular.
    pub fn of(kind: RefusalKind) -> Refusal {
        Refusal { kind, about: None }
    }

    /// A refusal because of a declaration.
    pub fn about(declared: Declared, kind: RefusalKind) -> Refusal {
        Refusal { kind, about: Some(declared) }
    }
}

/// Something that the model declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    /// A shared or local variable.
    Variable(VariableId),
    /// A process or a family of processes.
    Family(FamilyId),
    /// The action with this label, or the statement.
    Action(FamilyId, String),
    /// A property or an invariant.
    Property(Name),
    /// An `init` predicate.
    Init,
}

/// What keeps the method of an engine from applying.
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
    /// The fairness is strong global fairness.
    Global,
    /// A variable may be any integer at first.
    AnyInteger,
    /// An action chooses among all integers.
    EndlessChoice,
    /// A variable may be any integer, and the engine needs ranges.
    Unbounded,
    /// No variable is unbounded, and the engine is for those.
    Bounded,
    /// A variable has more values than the engine can list.
    Values {
        /// How many it can list.
        most: u64,
    },
    /// There are more actions, or larger states, than the engine can number.
    Size {
        /// How many actions it takes.
        actions: usize,
        /// How many bits a state may have.
        bits: usize,
    },
    /// Two processes act together.
    Rendezvous,
    /// There are fewer than two processes.
    OneProcess,
    /// An action belongs to no process.
    NoOwner,
    /// The processes read everything that other processes own.
    NothingLocal,
    /// The processes cannot be counted, for a reason of the counting engine.
    Uncountable {
        /// What it is that cannot be counted, in a sentence.
        why: String,
        /// How to write it so that it can be.
        instead: String,
    },
}

/// Why a task was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The engine does not take such tasks.
    Refused(Refusal),
    /// A limit ended the search.
    Stopped {
        /// Which.
        stop: StopReason,
        /// How far it was: so many of something.
        done: Option<(u64, &'static str)>,
    },
    /// The sets of states need more memory than there is, or a larger table than was allowed.
    LargeDiagrams,
    /// A number leaves the 64 bits that states are listed with.
    Overflow,
    /// An `init` predicate has a fault.
    InitFault,
    /// Something is larger than the method can cope with.
    TooLarge {
        /// What, as the subject of a sentence.
        what: String,
    },
    /// The expression is not linear arithmetic.
    NotLinear {
        /// What there is instead.
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
    /// It fails, but no evidence can be given that the judge could check.
    NoEvidence,
    /// A local argument could neither confirm nor exclude a counterexample.
    NoLocalArgument,
    /// Counting up to a bound shows a violation that was found in no small instance.
    Spurious {
        /// The violation.
        violation: String,
        /// The parameter, and the values of it for which the property holds.
        holds_for: Option<(String, i64, i64)>,
    },
    /// Both tickets and indices decide who goes first.
    TwoOrders,
    /// The engine for small instances met a value that its own arithmetic cannot hold, or the like.
    Other(String),
}

impl Reason {
    /// The limit that was reached, if it was one.
    pub fn stop(&self) -> Option<StopReason> {
        match self {
            Reason::Stopped { stop, .. } => Some(*stop),
            _ => None,
        }
    }

    /// A limit, reached before anything was counted.
    pub fn stopped(stop: StopReason) -> Reason {
        Reason::Stopped { stop, done: None }
    }
}
