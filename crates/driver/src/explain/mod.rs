//! Explains an answer: the run in sentences, which processes wait in it, and what would rule it out; or what a
//! property that holds rests on.
//!
//! The explanation of a counterexample is computed from the counterexample alone, by the definitions ([`starvation`]): on
//! a lasso, "infinitely often" means "on the cycle". So each sentence is true of the run that is shown, and of no other.
//! Which fairness the run violates is in [`violated`]; whether to assume it is enough for the property is asked of the
//! engines ([`effects`]). The explanation of a property that holds ([`support`]) comes from deciding the same task with
//! less fairness. Nothing here changes a verdict. [`story`], [`fates`] and [`words`] put it into sentences.

mod effects;
mod exits;
mod fates;
mod labels;
mod lack;
mod remedies;
mod starvation;
mod story;
mod support;
mod violated;
pub mod words;

use lang::Check;
use model::fairness::Word;
use model::{Answer, Counterexample, Fairness, Instance, Path, Task, setting};

pub(crate) use effects::{consequences, is_monotone, names, never_forced, recurs};
pub use fates::{STOPPED, fate};
pub use remedies::{Effect, Enough, LeftOut, Remedies, Remedy};
pub use starvation::{Fate, PassedOver, Process, Waiting};
pub use story::listed;
pub(crate) use story::place;
pub use support::{Dropped, Support};
pub(crate) use support::{account, reasons};
pub(crate) use violated::{asked_outside, conditions, resting};
pub use words::{
    NOT_KNOWN, capitalised, ending, enough_to_hold, foundation, kinds, need, needed_elsewhere, remedy,
};

use crate::advise::{Added, Found, enough};
use crate::options::FairnessOption;
use crate::report::{Trace, evidence, trace};
use crate::world::World;

/// Why an answer is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// For a property that fails.
    Fails(Box<Failure>),
    /// For a property that holds.
    Holds(Support),
}

/// A counterexample in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The state in which the run begins, in a sentence.
    pub beginning: String,
    /// A sentence per step.
    pub steps: Vec<String>,
    /// The fate of each process on the cycle, or after a path on which everything comes to a stop; empty after another.
    pub processes: Vec<Process>,
    /// What would rule the run out; `None` if it does not depend on fairness.
    pub remedies: Option<Remedies>,
    /// Whether some fairness is assumed.
    pub is_assumed: bool,
    /// What is enough for the property, if only the beginning of a run is shown.
    pub enough: Option<Enough>,
    /// Whether the property holds without the fairness that is assumed, if only the beginning of a run is shown.
    pub holds_without: bool,
    /// Whether it fails even with strong fairness of every action of the model as well, if only the beginning of a run is
    /// shown.
    pub fails_strongly: bool,
}

impl Failure {
    /// Looks for what is enough for the property, as `advise` does, so that both name the same first.
    pub(crate) fn find_enough(
        &mut self,
        task: &Task,
        checks: &[Check],
        decide: &dyn Fn(&Task) -> Option<Answer>,
        world: &World<'_>,
    ) {
        let every = task.instance().is_none().then(|| {
            let names: Vec<&str> =
                task.system().parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            listed(&names)
        });
        let found = |found: Found| match found {
            Found::Enough(added, kind) => {
                let Added { texts: set, stuttering, as_for, .. } = added;
                Some(Enough { set, every: every.clone(), kind, stuttering, as_for })
            }
            Found::Nothing(_) | Found::Unknown => None,
        };
        let Some(remedies) = &mut self.remedies else {
            let without = Task { fairness: Fairness::none(), ..task.clone() };
            self.holds_without = self.is_assumed && matches!(decide(&without), Some(Answer::Holds(_)));
            if !self.holds_without {
                self.enough = found(enough(task, checks, world));
            }
            if !self.holds_without && self.enough.is_none() {
                let strong = task.fairness.and(&Fairness::every_action(task.system(), Word::Strong));
                let strongly = Task { fairness: strong, ..task.clone() };
                self.fails_strongly = matches!(decide(&strongly), Some(Answer::Fails(_)));
            }
            return;
        };
        if remedies.deadlock {
            return;
        }
        match enough(task, checks, world) {
            Found::Nothing(run) => {
                if remedies.effect(FairnessOption::Global) == Some(&Effect::Holds) {
                    remedies.fails_whatever_is_expected = true;
                    remedies.left = account(task, &run);
                }
            }
            other => remedies.enough = found(other),
        }
    }
}

/// Explains a certified answer. `decide` answers other tasks about the same system. `None` if there is nothing to
/// explain.
pub(crate) fn explanation(
    task: &Task,
    answer: &Answer,
    decide: &dyn Fn(&Task) -> Option<Answer>,
) -> Option<Explanation> {
    match answer {
        Answer::Fails(found) => failure(task, found).map(|mut failure| {
            failure.is_assumed = !task.fairness.is_none();
            if let Some(remedies) = &mut failure.remedies {
                effects::find_effects(task, found, remedies, decide);
            }
            Explanation::Fails(Box::new(failure))
        }),
        Answer::Holds(_) => support::support(task, decide).map(Explanation::Holds),
        Answer::Unknown(_) => None,
    }
}

/// A counterexample in words. `None` if its instance cannot be made, or it has no run.
pub(crate) fn failure(task: &Task, found: &Counterexample) -> Option<Failure> {
    if let Counterexample::Instance { values, member, evidence } = found {
        // The judge makes sure that evidence is never wrapped twice.
        return match **evidence {
            Counterexample::Instance { .. } => None,
            _ => failure(&setting::set(task, values, member)?, evidence),
        };
    }
    let instance = task.instance()?;
    // What a run does after the property is lost explains nothing, nor who waits then.
    if let Some(path) = evidence::bad_prefix(task, found) {
        return Some(after(instance, &path));
    }
    match found {
        Counterexample::Lasso(lasso) => {
            let (processes, remedies) = starvation::starvation(instance, lasso, &task.property.kind).ok()?;
            Some(Failure { processes, remedies: Some(remedies), ..reported(&trace::lasso(instance, lasso)) })
        }
        Counterexample::Path(path) => Some(after(instance, path)),
        Counterexample::Fault { path: Some(path), .. } => Some(reported(&trace::path(instance, path))),
        Counterexample::Labelling(refutation) => Some(reported(&match &refutation.run {
            Some(run) => trace::path(instance, run),
            None => trace::single(instance, &refutation.state),
        })),
        Counterexample::State(state) => Some(reported(&trace::single(instance, state))),
        Counterexample::Fault { path: None, .. } | Counterexample::Instance { .. } => None,
    }
}

/// A path in words, and who waits at its end if nobody can act there.
fn after(instance: &Instance, path: &Path) -> Failure {
    let processes = starvation::deadlock(instance, &path.last).unwrap_or_default();
    Failure { processes, ..reported(&trace::path(instance, path)) }
}

fn reported(trace: &Trace) -> Failure {
    Failure {
        beginning: story::beginning(&trace.initial),
        steps: trace.steps.iter().map(story::step).collect(),
        processes: Vec::new(),
        remedies: None,
        is_assumed: false,
        enough: None,
        holds_without: false,
        fails_strongly: false,
    }
}
