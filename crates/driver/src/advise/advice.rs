//! What advice is: plain data about one property, as far as it is known.

use std::sync::Arc;

use lang::Check;
use lang::syntax::Expect;
use model::property::Kind;
use model::{Name, StopReason};

use super::declared::Surplus;
use super::ladder::Ladder;
use super::minimal::Extent;
use super::not_all;
use super::reasons::{Choice, Forced, Reason};
use crate::report::{Binding, Dispute, Note, Verdict, assumed};

/// The fairness that a property needs, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub struct Advice {
    /// The property's name: `mutex`, `access[1]`.
    pub property: Name,
    /// What it claims.
    pub claim: String,
    /// The scope of the advice: `this instance`, `N = 3`.
    pub scope: String,
    /// The declared fairness.
    pub declared: String,
    /// Whether any fairness is declared for it.
    pub declares: bool,
    /// Whether it has an `under` of its own, which replaces what is declared for all properties.
    pub under: bool,
    /// What is declared for all properties, if it has an `under` of its own that is not enough, and this is.
    pub instead: Option<String>,
    /// What the model expects.
    pub expected: Option<Expect>,
    /// The verdict under each kind of fairness.
    pub ladder: Ladder,
    /// What it needs.
    pub needs: Needs,
    /// The minimal sets of requirements under which it holds, the cheapest first: fewest strong ones, then fewest.
    /// Each requirement is written as it would be declared. One empty set if none is needed, `global` if nothing less
    /// is enough.
    pub minimal: Vec<Vec<String>>,
    /// The positions of sets under which the property holds only because a premise never happens, with the premise.
    pub vacuous: Vec<(usize, String)>,
    /// The positions of sets that are enough only because nothing else can move meanwhile: with a process that may always
    /// stutter they are not.
    pub brittle: Vec<usize>,
    /// What is enough even if a process may always stutter, if all sets are brittle.
    pub beside: Option<Vec<String>>,
    /// The actions of the environment, if strong global fairness is needed: it is asked of them too, other fairness is not.
    pub environment: Vec<String>,
    /// Whether these are all minimal sets.
    pub extent: Extent,
    /// Why each requirement of the first set is needed, if it is not vacuous.
    pub reasons: Vec<Reason>,
    /// The requirements of all sets that can be met by another step than the one they name.
    pub choices: Vec<Choice>,
    /// The requirements of all sets that ask for failures where a process can do nothing else.
    pub forced: Vec<Forced>,
    /// The same of what is declared.
    pub forced_already: Vec<Forced>,
    /// The numbers of processes, `2 Customer`, for which the sets are enough. Empty if they are for every number, or if
    /// there are no sets.
    pub sizes: Vec<String>,
    /// Requirements under which all members of its family hold. Only the first member that was asked about has them.
    pub for_family: Option<Vec<String>>,
    /// What is enough in addition to the declared fairness, if that is not enough and something is known to be.
    pub addition: Option<Vec<String>>,
    /// What the addition asks for.
    pub addition_kind: AdditionKind,
    /// What is enough in place of strong global fairness if a step of a process that it does not speak of happens only
    /// finitely often, where nothing else is known to be.
    pub if_it_ends: Option<Vec<String>>,
    /// Whether the model has to say `stuttering` for that.
    pub ends_if_stuttering: bool,
    /// The processes that rest in a run with all weak and strong fairness, where nothing but strong global fairness is
    /// known to be enough.
    pub rests: Vec<String>,
    /// The actions of the model that are failures by their labels, if strong global fairness is needed.
    pub failures: Vec<String>,
    /// Whether it is known to fail, under what is assumed and strong fairness, whatever is expected of failures and of the
    /// environment: that their steps end, or that the environment takes them fairly.
    pub fails_whatever_is_expected: bool,
    /// Whether no run has strong global fairness and meets what is assumed.
    pub not_beside_global: bool,
    /// The property with the same claim that assumes this addition, if it was taken from there.
    pub as_for: Option<Name>,
    /// Whether the property holds under the declared fairness only because no run is fair.
    pub no_fair_run: bool,
    /// The parts of the declared fairness that are not needed, if the property holds under it.
    pub surplus: Surplus,
    /// The parts of the declared fairness that cannot be met from some reachable state.
    pub unrealisable: Vec<Unrealisable>,
    /// Why it fails under every fairness, if it does; otherwise why it fails without fairness, if it does.
    pub counterexample: Option<Arc<crate::report::Counterexample>>,
    /// The values of the parameters in it, `N = 4`, if the advice is for every value.
    pub counterexample_scope: Option<String>,
    /// What is not known, and why.
    pub notes: Vec<Note>,
    /// A dispute, which is an error of this program.
    pub dispute: Option<Dispute>,
    /// Whether the work on it has ended. If not, it is what was known when the work was given up.
    pub finished: bool,
}

impl Advice {
    /// The advice on a property before anything is known.
    pub(super) fn nothing_known(check: &Check, scope: &str) -> Advice {
        let task = &check.task;
        let property = &task.property;
        Advice {
            property: property.name.clone(),
            claim: check.claim(),
            scope: scope.to_owned(),
            declared: assumed(task.system(), &task.fairness),
            declares: !task.fairness.is_none() && !matches!(property.kind, Kind::Invariant(_)),
            under: check.replaced.is_some(),
            instead: None,
            expected: check.expected,
            ladder: Ladder { verdicts: [Verdict::Unknown; 7] },
            needs: Needs::Unknown,
            minimal: Vec::new(),
            vacuous: Vec::new(),
            brittle: Vec::new(),
            beside: None,
            environment: Vec::new(),
            extent: Extent::Some,
            reasons: Vec::new(),
            choices: Vec::new(),
            forced: Vec::new(),
            forced_already: Vec::new(),
            sizes: Vec::new(),
            for_family: None,
            addition: None,
            addition_kind: AdditionKind::Steps,
            if_it_ends: None,
            ends_if_stuttering: false,
            rests: Vec::new(),
            failures: Vec::new(),
            fails_whatever_is_expected: false,
            not_beside_global: false,
            as_for: None,
            no_fair_run: false,
            surplus: Surplus { partial: true, ..Surplus::default() },
            unrealisable: Vec::new(),
            counterexample: None,
            counterexample_scope: None,
            notes: Vec::new(),
            dispute: None,
            finished: false,
        }
    }

    /// The same, if the work on it was given up for this reason: then a note says so, unless one does already.
    #[must_use]
    pub fn given_up(mut self, stop: StopReason) -> Advice {
        let note = not_all(Note::Open(model::Reason::stopped(stop)));
        if !self.finished && !self.notes.contains(&note) {
            self.notes.push(note);
        }
        self
    }
}

/// The kind of fairness that a property needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// None: it holds without fairness.
    Nothing,
    /// Some weak or strong fairness of actions or processes.
    Some,
    /// Fairness of what the user excluded.
    Excluded,
    /// Strong global fairness; weak and strong fairness of everything is not enough.
    Global,
    /// More than weak and strong fairness of everything. It is not known whether strong global fairness is enough.
    More,
    /// Nothing helps: it fails even under strong global fairness.
    Hopeless(Hopeless),
    /// It claims that fair runs exist, so more fairness may make it false; there is no least assumption.
    Branching,
    /// It is not known.
    Unknown,
}

/// What an addition to an assumption asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdditionKind {
    /// Steps, which a scheduler can see to.
    Steps,
    /// Something of failures or the environment as well: that a step happens finitely often, or is taken fairly.
    Expected,
    /// A condition again and again, which no scheduler can see to.
    Condition,
    /// Steps as well, which are enough only because nothing else can move meanwhile.
    Here,
    /// All that is needed, in place of what is declared: that asks for failures which are expected to end here.
    Instead,
    /// All that is needed, in place of what is declared: a step of the model that may go on for ever is expected to end
    /// here.
    Ends,
}

/// Why no fairness helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hopeless {
    /// The run ends in a deadlock.
    Deadlock,
    /// The run continues and is fair in every sense.
    Run,
    /// Over infinitely many states: a run has all weak and strong fairness, and strong global fairness is no help either.
    Drift,
    /// A state in which an invariant is false can be reached, and fairness does not change what can be reached.
    State,
    /// A fault can be reached.
    Fault,
    /// A path can be taken after which it is false, whatever follows.
    Prefix,
}

/// A requirement that no scheduler can guarantee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrealisable {
    /// The requirement, or several requirements that can each be met alone.
    pub requirement: String,
    /// A reachable state from which no run meets it.
    pub state: Vec<Binding>,
}
