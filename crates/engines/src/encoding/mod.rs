//! Models as diagrams, for the engines that work on sets of states.
//!
//! [`ranges`] says which tasks that can be done for, [`order`] places the cells, [`expression`] turns expressions into
//! diagrams and [`update`] turns updates into relations; what diagrams are is the business of [`crate::bdd`]. [`written`]
//! writes sets into proofs.

pub(crate) mod expression;
pub(crate) mod order;
pub(crate) mod ranges;
#[cfg(test)]
mod tests;
pub(crate) mod update;
pub(crate) mod written;

use model::{Reason, StopReason};

/// Why a decision ended early.
pub(crate) enum Stop {
    /// At a limit.
    Stopped(StopReason),
    /// Something is larger than the method can cope with.
    TooLarge(String),
    /// An `init` predicate faults.
    InitFault,
    /// A counterexample could neither be confirmed nor excluded.
    Inconclusive,
}

impl From<StopReason> for Stop {
    fn from(stop: StopReason) -> Stop {
        Stop::Stopped(stop)
    }
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Reason {
        match stop {
            Stop::Stopped(StopReason::Memory) => Reason::LargeDiagrams,
            Stop::Stopped(stop) => Reason::stopped(stop),
            Stop::TooLarge(what) => Reason::TooLarge { what },
            Stop::InitFault => Reason::InitFault,
            Stop::Inconclusive => Reason::NoLocalArgument,
        }
    }
}
