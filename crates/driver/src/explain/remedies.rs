//! What would rule a run out, as plain data.
//!
//! Which fairness its cycle violates follows from the table of what is enabled and taken on it
//! ([`violated`](super::violated)). With an assumption that rules this run out, others may be left, so whether it is
//! enough for the property is asked of the engines ([`effects`](super::effects)).

use model::{Name, Requirement};

use crate::advise::AdditionKind;
use crate::options::FairnessOption;
use crate::report::Binding;

/// An assumption that rules the run out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// As it is declared: `strong P[1].enter`.
    pub text: String,
    /// The same as data.
    pub requirement: Requirement,
    /// What becomes of the property if it is assumed as well.
    pub effect: Effect,
}

/// What becomes of a property if more is assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It holds.
    Holds,
    /// It holds only because nothing else can move meanwhile: with a process that may always stutter it fails.
    Brittle,
    /// It holds only because this premise of it never happens.
    Vacuous(String),
    /// It holds only because no run is fair any more.
    Empty,
    /// It fails: other runs are left.
    Fails,
    /// That is not known.
    Unknown,
}

/// A step that leaves a state of the cycle and is not on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The number of the step of the run before which it could be taken.
    pub before: usize,
    /// Its action.
    pub action: String,
    /// What it would change; empty if nothing.
    pub changes: Vec<Binding>,
    /// Whether its action is taken elsewhere on the cycle, or there with another result.
    pub taken: bool,
    /// An action of a process that never can act on the cycle, and could after it.
    pub then: Option<String>,
    /// A part of the claim that is false all along the cycle and can become true some steps after this one.
    pub towards: Option<String>,
}

/// Requirements that are enough for a property in addition to what is assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enough {
    /// As they are declared.
    pub set: Vec<String>,
    /// The open parameters, `N`, for every value of which they are.
    pub every: Option<String>,
    /// What they ask for.
    pub kind: AdditionKind,
    /// Whether the model has to say `stuttering` as well: here the step that is to end is all that can happen.
    pub stuttering: bool,
    /// The property with the same claim that assumes it.
    pub as_for: Option<Name>,
}

/// What would rule the run out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub struct Remedies {
    /// The number of steps of the cycle; 0 in a deadlock.
    pub cycle: usize,
    /// Assumptions that each rule the run out: those with the weakest word that any action or process needs, with
    /// processes that the property names first, and without failures and those that rest if there are others. Empty if every
    /// action and process that is enabled on the cycle acts.
    pub weakest: Vec<Remedy>,
    /// How many more assumptions with the same word there are.
    pub further: usize,
    /// Whether weak fairness is enough for these.
    pub weak: bool,
    /// Per rung of the ladder of fairness kinds, weakest first, whether it rules the run out.
    pub ladder: Vec<(FairnessOption, bool)>,
    /// Per process that is blocked, what it needs, as an assumption that this is true again and again. The cycle never
    /// has it.
    pub conditions: Vec<Remedy>,
    /// What becomes of the property if a rung that rules the run out is assumed as well, for each that was asked about.
    pub effects: Vec<(FairnessOption, Effect)>,
    /// Fairness of steps of the environment that could be taken on the cycle and never are, failures left out. Asked about
    /// only if no fairness of the model's own steps rules the run out.
    pub environment: Vec<Remedy>,
    /// Whether some fairness is assumed already.
    pub assumed: bool,
    /// The processes that rest: they may go on or stay where they are.
    pub rests: Vec<String>,
    /// A step that leaves a state of the cycle and is not on it: if there is one, a step out of the loop that changes what
    /// the property speaks of.
    pub left_out: Option<LeftOut>,
    /// That the process which takes this step gets to where it leads again and again, if it is where it begins again and
    /// again.
    pub choice: Option<Remedy>,
    /// What is enough for the property, if that was looked for and found.
    pub enough: Option<Enough>,
    /// Whether nothing but strong global fairness is enough, whatever is expected of failures and of the environment.
    pub fails_whatever_is_expected: bool,
    /// Whether no action is enabled on the cycle.
    pub deadlock: bool,
    /// Whether the states are bounded. Only there does strong global fairness imply all other kinds.
    pub bounded: bool,
    /// A run that is left, in a sentence: under strong global fairness if that is not enough, or else under the first of
    /// the weakest assumptions if none of them is.
    pub left: Option<String>,
    /// The actions that are failures by their labels: `Server.crash`. Fairness of everything asks for them too.
    pub failures: Vec<String>,
    /// Failures, and actions of the environment that belong to processes of the model, where a process may have to take
    /// one of them because it can do nothing else. They count for the fairness of these processes.
    pub forced: Vec<String>,
    /// All actions of the environment that change something. Strong global fairness asks for them too.
    pub outside: Vec<String>,
}

impl Remedies {
    /// Whether no weak, strong or global fairness is enough: the property is known to fail even under strong global
    /// fairness, which implies all others, although that rules this run out.
    pub fn is_hopeless(&self) -> bool {
        self.bounded && self.effect(FairnessOption::Global) == Some(&Effect::Fails)
    }

    /// What becomes of the property if this kind of fairness is assumed as well, if that was asked about.
    pub(crate) fn effect(&self, rung: FairnessOption) -> Option<&Effect> {
        self.effects.iter().find(|(own, _)| *own == rung).map(|(_, effect)| effect)
    }

    /// Whether something that is enough for the property is known.
    pub(crate) fn is_some_enough(&self) -> bool {
        let all = self.weakest.iter().chain(&self.conditions).chain(&self.environment).chain(&self.choice);
        self.enough.is_some() || all.into_iter().any(|remedy| remedy.effect == Effect::Holds)
    }

    /// What to assume: what is enough for the property, if that is known; otherwise what rules the run out.
    pub fn assumptions(&self) -> Vec<String> {
        let adds = |kind| !matches!(kind, AdditionKind::Instead | AdditionKind::Ends);
        if let Some(enough) = self.enough.as_ref().filter(|enough| adds(enough.kind)) {
            return vec![enough.set.join(" & ")];
        }
        let of = |wanted: &dyn Fn(&Remedy) -> bool| -> Vec<String> {
            self.weakest.iter().filter(|remedy| wanted(remedy)).map(|remedy| remedy.text.clone()).collect()
        };
        let enough = of(&|remedy| remedy.effect == Effect::Holds);
        if enough.is_empty() { of(&|_| true) } else { enough }
    }
}
