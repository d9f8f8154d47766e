//! Models written as Rust code.
//!
//! A [`System`] says where it begins and which steps leave a state. A [`Claim`] is a formula of linear time about states and
//! actions, and a [`Requirement`] is fairness: if steps that satisfy `when` are taken again and again, so are steps that
//! satisfy `then`, both as functions of steps. [`check`] lists the states and decides whether every fair run satisfies the
//! claim, by the same search for fair cycles that models in Fairly's language go through.
//!
//! A cycle counts. A run that goes round for ever and never reaches its goal is a violation of "in the end", unless it is
//! unfair:
//!
//! ```
//! use fairly::code::{self, Requirement, System, Verdict};
//!
//! /// A parcel that is carried round a ring of three stations and may be delivered at the last one.
//! struct Parcel;
//!
//! #[derive(Clone, Debug, PartialEq)]
//! enum Action { Carry, Deliver }
//!
//! impl System for Parcel {
//!     type State = u8;
//!     type Action = Action;
//!     fn initial(&self) -> Vec<u8> {
//!         vec![0]
//!     }
//!     fn steps(&self, station: &u8) -> Vec<(Action, u8)> {
//!         match station {
//!             2 => vec![(Action::Carry, 0), (Action::Deliver, 3)],
//!             3 => vec![],
//!             station => vec![(Action::Carry, station + 1)],
//!         }
//!     }
//! }
//!
//! let delivered = code::state(|station: &u8| *station == 3).eventually();
//! let Ok(Verdict::Fails(run)) = code::check(&Parcel, &delivered, &[], 1_000) else { panic!() };
//! assert_eq!(run.cycle.len(), 3);
//!
//! // Weak fairness does not help: at the other stations nothing can be delivered.
//! let weak = Requirement::weak("deliver", |action| *action == Action::Deliver);
//! assert!(matches!(code::check(&Parcel, &delivered, &[weak], 1_000), Ok(Verdict::Fails(_))));
//! let strong = Requirement::strong("deliver", |action| *action == Action::Deliver);
//! assert!(matches!(code::check(&Parcel, &delivered, &[strong], 1_000), Ok(Verdict::Holds { states: 4 })));
//! ```
//!
//! A state from which no step leads anywhere is left by a step without an action to itself: a deadlock is a run that idles
//! for ever. Nothing here can be checked by Fairly's judge, which knows only its own language. A counterexample is replayed
//! with the functions it was found with, by the definitions: it is judged by the user's own code.

mod claim;
mod judge;
mod search;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::Hash;

pub use self::claim::{Claim, action, state};

/// A system of states and steps.
pub trait System {
    /// A state. States that are equal are one state.
    type State: Clone + Eq + Hash;
    /// The name of a step.
    type Action: Clone + PartialEq;

    /// The states in which runs begin.
    fn initial(&self) -> Vec<Self::State>;

    /// The steps that leave a state: what is done, and where it leads. It must always say the same of equal states.
    fn steps(&self, state: &Self::State) -> Vec<(Self::Action, Self::State)>;
}

/// A step of a run.
pub struct Step<'s, S: System> {
    /// The state it leaves.
    pub state: &'s S::State,
    /// What is done; `None` if nothing can be done.
    pub action: Option<&'s S::Action>,
    /// The state it leads to.
    pub target: &'s S::State,
    steps: &'s [(S::Action, S::State)],
}

impl<S: System> Step<'_, S> {
    /// Whether an action like this is taken.
    pub fn takes(&self, which: impl Fn(&S::Action) -> bool) -> bool {
        self.action.is_some_and(which)
    }

    /// Whether an action like this could be taken.
    pub fn could_take(&self, which: impl Fn(&S::Action) -> bool) -> bool {
        self.steps.iter().any(|(action, _)| which(action))
    }
}

/// A predicate of steps.
type OfSteps<'a, S> = Box<dyn Fn(&Step<'_, S>) -> bool + 'a>;

/// If steps that satisfy `when` are taken again and again, so are steps that satisfy `then`.
pub struct Requirement<'a, S: System> {
    /// What it is called.
    pub name: String,
    when: OfSteps<'a, S>,
    then: OfSteps<'a, S>,
}

impl<'a, S: System> Requirement<'a, S> {
    /// A requirement in general.
    pub fn new(
        name: impl Into<String>,
        when: impl Fn(&Step<'_, S>) -> bool + 'a,
        then: impl Fn(&Step<'_, S>) -> bool + 'a,
    ) -> Requirement<'a, S> {
        Requirement { name: name.into(), when: Box::new(when), then: Box::new(then) }
    }

    /// Weak fairness: again and again, such an action is taken or none could be.
    pub fn weak(name: impl Into<String>, which: impl Fn(&S::Action) -> bool + 'a) -> Requirement<'a, S> {
        Requirement::new(name, |_| true, move |step| step.takes(&which) || !step.could_take(&which))
    }

    /// Strong fairness: if such an action could be taken again and again, one is taken again and again.
    pub fn strong(
        name: impl Into<String>,
        which: impl Fn(&S::Action) -> bool + Clone + 'a,
    ) -> Requirement<'a, S> {
        let wanted = which.clone();
        Requirement::new(name, move |step| step.could_take(&wanted), move |step| step.takes(&which))
    }
}

/// What is known about a claim.
pub enum Verdict<S: System> {
    /// Every fair run satisfies it.
    Holds {
        /// The number of reachable states.
        states: usize,
    },
    /// This fair run does not.
    Fails(Run<S>),
    /// There are more states than were allowed, and no violation among so many.
    Unknown {
        /// The number of states that were searched.
        states: usize,
    },
}

/// A run: a stem, and then a cycle for ever. Each state comes with the action that leaves it, `None` if it idles.
pub struct Run<S: System> {
    /// Up to the cycle.
    pub stem: Vec<(S::State, Option<S::Action>)>,
    /// The last action leads back to the first state.
    pub cycle: Vec<(S::State, Option<S::Action>)>,
}

/// The system does not say the same twice: a run that was found could not be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrepeatable {
    /// What is wrong with the run, in a sentence.
    pub why: String,
}

impl fmt::Display for Unrepeatable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a run that was found could not be replayed: {}", self.why)
    }
}

impl std::error::Error for Unrepeatable {}

impl<S: System> fmt::Display for Run<S>
where
    S::State: fmt::Debug,
    S::Action: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (state, action)) in self.stem.iter().chain(&self.cycle).enumerate() {
            if number == self.stem.len() {
                writeln!(f, "for ever:")?;
            }
            match action {
                Some(action) => writeln!(f, "  {state:?}  {action:?}")?,
                None => writeln!(f, "  {state:?}  (nothing can be done)")?,
            }
        }
        Ok(())
    }
}

/// Decides whether every run that meets all requirements satisfies a claim, with at most `state_limit` states. A violation
/// is looked for while states are listed, so it may be found in a system without end.
pub fn check<S: System>(
    system: &S,
    claim: &Claim<'_, S>,
    fairness: &[Requirement<'_, S>],
    state_limit: usize,
) -> Result<Verdict<S>, Unrepeatable> {
    let verdict = search::search(system, claim, fairness, state_limit);
    if let Verdict::Fails(run) = &verdict {
        judge::replay(system, claim, fairness, run).map_err(|why| Unrepeatable { why })?;
    }
    Ok(verdict)
}
