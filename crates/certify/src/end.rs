//! How a judgement ends early: the evidence has a flaw, or the judge could not finish.

use model::{Fault, StopReason};

use crate::flaw::Flaw;

/// Why evidence was neither checked nor refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// A limit of the session was reached.
    Stopped(StopReason),
    /// It takes more work than [`Effort`](crate::Effort) allows.
    Effort,
    /// The judge cannot decide something; the text says what.
    Undecided(String),
}

/// Why a judgement ends before everything is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The evidence is wrong.
    Flaw(Flaw),
    /// The judge could not finish.
    Unfinished(Unfinished),
}

impl From<Flaw> for End {
    fn from(flaw: Flaw) -> End {
        End::Flaw(flaw)
    }
}

impl From<StopReason> for End {
    fn from(stop: StopReason) -> End {
        End::Unfinished(Unfinished::Stopped(stop))
    }
}

/// Says that the judge cannot decide something.
pub(crate) fn undecided(what: impl Into<String>) -> End {
    End::Unfinished(Unfinished::Undecided(what.into()))
}

/// Why an evaluation on a run has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoValue {
    /// It is a fault.
    Fault(Fault),
    /// A limit was reached.
    Stopped(StopReason),
}

impl From<Fault> for NoValue {
    fn from(fault: Fault) -> NoValue {
        NoValue::Fault(fault)
    }
}

impl From<StopReason> for NoValue {
    fn from(stop: StopReason) -> NoValue {
        NoValue::Stopped(stop)
    }
}

impl NoValue {
    /// What it means for the judgement if it happened while evaluating `what`.
    pub(crate) fn during(self, what: &str) -> End {
        match self {
            NoValue::Fault(fault) => Flaw::Fault { during: what.to_owned(), fault }.into(),
            NoValue::Stopped(stop) => stop.into(),
        }
    }
}
