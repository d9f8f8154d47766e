//! Why an answer is what it is: the run told in sentences, who waits in it, what would rule it out; or what a property
//! that holds rests on.
//!
//! What is said of a counterexample is computed on the counterexample alone, by the definitions ([`starvation`]): on a lasso
//! "infinitely often" is "on the cycle". So each sentence is true of the run that is shown, and of no other: an assumption
//! that rules it out need not be enough for the property. What is said of a property that holds ([`support`]) comes from
//! deciding the same task with less fairness. Nothing here changes a verdict.

mod starvation;
mod story;
mod support;

use model::{Answer, Counterexample, Task, setting};

pub use starvation::{Fate, Process, Remedies, Waiting};
pub use support::{Dropped, Support};

use crate::report::{Trace, trace};

/// Why an answer is what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// Of a property that fails.
    Fails(Failure),
    /// Of a property that holds.
    Holds(Support),
}

/// A counterexample in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The state in which the run begins, in a sentence.
    pub beginning: String,
    /// A sentence per step.
    pub steps: Vec<String>,
    /// What becomes of each process on the cycle; empty if the run is finite.
    pub processes: Vec<Process>,
    /// What would rule the run out; `None` if fairness has no part in it.
    pub remedies: Option<Remedies>,
}

/// Explains a certified answer; `decide` answers other tasks about the same system. `None` if there is nothing to say.
pub(crate) fn explanation(
    task: &Task,
    answer: &Answer,
    decide: &dyn Fn(&Task) -> Option<Answer>,
) -> Option<Explanation> {
    match answer {
        Answer::Fails(found) => failure(task, found).map(Explanation::Fails),
        Answer::Holds(proof) => support::support(task, proof, decide).map(Explanation::Holds),
        Answer::Unknown(_) => None,
    }
}

/// A counterexample in words. `None` if it is a run of an instance that is not known, or has no run.
pub(crate) fn failure(task: &Task, found: &Counterexample) -> Option<Failure> {
    if let Counterexample::Instance { values, member, evidence } = found {
        // Evidence is never wrapped twice, the judge sees to it.
        return match **evidence {
            Counterexample::Instance { .. } => None,
            _ => failure(&setting::set(task, values, member)?, evidence),
        };
    }
    let instance = task.instance()?;
    match found {
        Counterexample::Lasso(lasso) => {
            let (processes, remedies) = starvation::starvation(instance, lasso, &task.property.kind).ok()?;
            Some(Failure { processes, remedies: Some(remedies), ..reported(&trace::lasso(instance, lasso)) })
        }
        Counterexample::Path(path) | Counterexample::Fault { path: Some(path), .. } => {
            Some(reported(&trace::path(instance, path)))
        }
        Counterexample::Labelling(refutation) => Some(reported(&match &refutation.run {
            Some(run) => trace::path(instance, run),
            None => trace::single(instance, &refutation.state),
        })),
        Counterexample::State(state) => Some(reported(&trace::single(instance, state))),
        Counterexample::Fault { path: None, .. } | Counterexample::Instance { .. } => None,
    }
}

fn reported(trace: &Trace) -> Failure {
    Failure {
        beginning: story::beginning(&trace.initial),
        steps: trace.steps.iter().map(story::step).collect(),
        processes: Vec::new(),
        remedies: None,
    }
}
