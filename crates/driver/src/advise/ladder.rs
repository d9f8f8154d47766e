//! The ladder: one property under every kind of fairness.
//!
//! If the runs that are fair by `g` are among those that are fair by `f`, a property that holds under `f` holds under
//! `g`. So half of the answers follow from others, once we know which kinds imply which:
//!
//! - anything implies no fairness;
//! - strong fairness of an action implies weak fairness of it: if it is enabled for ever from some moment on, it is
//!   enabled infinitely often. The same is true of processes;
//! - strong fairness of every action implies strong fairness of every process: a process that is enabled infinitely
//!   often has an action that is, since it has finitely many. It does not if a process has actions of the environment:
//!   they count for the process, but nothing is required of them;
//! - on finitely many states strong global fairness implies strong fairness of every action: one of the states in
//!   which the action is enabled is visited infinitely often, and so is each step that leaves it.
//!
//! Nothing else is implied. *Weak* fairness of every action does not imply weak fairness of processes, whose actions
//! may be enabled in turn, and no fairness of processes implies fairness of actions. For CTL this is valid only if
//! all path quantifiers are universal. An invariant does not depend on fairness.
//!
//! A counterexample for one kind is often one for others, so the judge is asked before an engine. If the property is
//! false after a path, whatever follows, all kinds fail at once: under each of them a fair run begins with every path.

use std::sync::Arc;

use certify::Standing;
use model::fairness::Word;
use model::property::Kind;
use model::{Assumption, Counterexample, Fairness, Requirement, System, Task};

use super::asker::{AskResult, Asker};
use crate::options::FairnessOption;
use crate::report::{Verdict, evidence};

/// The kinds of fairness, in the order in which they are shown.
pub const RUNGS: [FairnessOption; 7] = [
    FairnessOption::None,
    FairnessOption::ProcessWeak,
    FairnessOption::Weak,
    FairnessOption::ProcessStrong,
    FairnessOption::Strong,
    FairnessOption::Global,
    FairnessOption::Declared,
];

/// A verdict per kind of fairness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// In the order of [`RUNGS`].
    pub verdicts: [Verdict; 7],
}

impl Ladder {
    /// The verdict under a kind of fairness.
    pub fn verdict(&self, rung: FairnessOption) -> Verdict {
        RUNGS.iter().position(|known| *known == rung).map_or(Verdict::Unknown, |k| self.verdicts[k])
    }
}

/// The ladder of a property while it is being computed.
#[derive(Clone)]
pub(super) struct Climb {
    pub(super) ladder: Ladder,
    /// Counterexamples, each with the kind of fairness it was found for.
    pub(super) evidence: Vec<(FairnessOption, Arc<Counterexample>)>,
    /// Whether a property that holds under some fairness holds under more.
    pub(super) monotone: bool,
    premises: Premises,
}

/// Decides a property under every kind of fairness but the declared one.
pub(super) fn climb(asker: &mut Asker<'_>, finite: bool) -> Climb {
    let monotone = asker.is_monotone();
    let ladder = Ladder { verdicts: [Verdict::Unknown; 7] };
    let mut climb = Climb {
        ladder,
        evidence: Vec::new(),
        monotone,
        premises: Premises::new(asker.task().system(), finite),
    };
    // Start with little fairness, because its results carry over, and a run that is fair in every sense is hardest to
    // find.
    let order = [
        FairnessOption::None,
        FairnessOption::ProcessWeak,
        FairnessOption::Weak,
        FairnessOption::ProcessStrong,
        FairnessOption::Strong,
        FairnessOption::Global,
    ];
    for rung in order {
        climb.decide(asker, rung);
        if climb.is_lost(asker) {
            break;
        }
    }
    // Some open verdicts may now follow from others.
    for rung in order {
        if let Some(verdict) = climb.implied(rung) {
            *climb.place(rung) = verdict;
        }
    }
    climb
}

impl Climb {
    /// Whether the last counterexample shows a path after which the property is false, whatever follows. Then no kind
    /// of fairness helps: a scheduler can begin with any path and be fair in all these senses afterwards.
    fn is_lost(&mut self, asker: &Asker<'_>) -> bool {
        let Some((_, found)) = self.evidence.last().filter(|_| self.monotone).cloned() else { return false };
        if evidence::bad_prefix(asker.task(), &found).is_none() {
            return false;
        }
        for rung in RUNGS.into_iter().filter(|rung| *rung != FairnessOption::Declared) {
            *self.place(rung) = Verdict::Fails;
        }
        self.evidence.push((FairnessOption::Global, found));
        true
    }

    /// The ladder with the verdict under the declared fairness of this task.
    pub(super) fn with_declared(&mut self, asker: &mut Asker<'_>) -> Ladder {
        self.decide(asker, FairnessOption::Declared);
        let ladder = self.ladder.clone();
        // The next task with this property may declare another fairness.
        self.evidence.retain(|(rung, _)| *rung != FairnessOption::Declared);
        *self.place(FairnessOption::Declared) = Verdict::Unknown;
        ladder
    }

    /// The verdict under a kind of fairness.
    pub(super) fn verdict(&self, rung: FairnessOption) -> Verdict {
        self.ladder.verdict(rung)
    }

    fn place(&mut self, rung: FairnessOption) -> &mut Verdict {
        let place = RUNGS.iter().position(|known| *known == rung).unwrap_or(0);
        &mut self.ladder.verdicts[place]
    }

    fn decide(&mut self, asker: &mut Asker<'_>, rung: FairnessOption) {
        let Task { subject, fairness, property } = asker.task();
        let system = subject.system();
        let is_invariant = matches!(property.kind, Kind::Invariant(_));
        let none = self.verdict(FairnessOption::None);
        let implied = match rung {
            // A predicate in the declared fairness may fault, which no other kind of fairness shows.
            FairnessOption::Declared if has_predicates(fairness) => None,
            FairnessOption::Declared => self.implied(rung).or_else(|| self.compared(system, fairness)),
            _ => self.implied(rung),
        };
        *self.place(rung) = match implied {
            Some(verdict) => verdict,
            None if is_invariant && none != Verdict::Unknown => none,
            None => self.ask(asker, rung),
        };
    }

    /// The verdict that follows from the verdicts under other kinds.
    fn implied(&self, rung: FairnessOption) -> Option<Verdict> {
        let known = |verdict: Verdict, related: &dyn Fn(FairnessOption) -> bool| {
            self.monotone && RUNGS.iter().any(|other| self.verdict(*other) == verdict && related(*other))
        };
        if known(Verdict::Holds, &|weaker| implies(rung, weaker, self.premises)) {
            Some(Verdict::Holds)
        } else if known(Verdict::Fails, &|stronger| implies(stronger, rung, self.premises)) {
            Some(Verdict::Fails)
        } else {
            None
        }
    }

    /// The verdict that follows from kinds of fairness that require less or more than this one.
    fn compared(&self, system: &System, fairness: &Fairness) -> Option<Verdict> {
        let decided = RUNGS.iter().filter(|_| self.monotone).filter_map(|rung| {
            let kind = rung.replacement(system)?.alternatives.pop()?;
            Some((self.verdict(*rung), kind))
        });
        for (verdict, kind) in decided {
            // An alternative that strong global fairness implies. The run that meets all of it may be very long.
            let meets = |assumption: &Assumption| {
                includes(&kind, assumption)
                    || self.premises.finite
                        && kind.global
                        && assumption.requirements.iter().all(is_of_the_global)
            };
            match verdict {
                Verdict::Holds if fairness.alternatives.iter().all(|a| includes(a, &kind)) => {
                    return Some(Verdict::Holds);
                }
                Verdict::Fails if fairness.alternatives.iter().any(meets) => return Some(Verdict::Fails),
                _ => {}
            }
        }
        None
    }

    fn ask(&mut self, asker: &mut Asker<'_>, rung: FairnessOption) -> Verdict {
        let task = asker.task();
        let fairness = rung.replacement(task.system()).unwrap_or_else(|| task.fairness.clone());
        let stands =
            |(_, evidence): &&(FairnessOption, Arc<Counterexample>)| refutes(task, &fairness, evidence);
        if let Some((_, evidence)) = self.evidence.iter().find(stands).cloned() {
            self.evidence.push((rung, evidence));
            return Verdict::Fails;
        }
        let found = asker.ask(&fairness);
        if let AskResult::Fails(evidence) = &found {
            self.evidence.push((rung, Arc::clone(evidence)));
        }
        found.verdict()
    }
}

/// Whether evidence against a property is also evidence against it under this fairness.
fn refutes(task: &Task, fairness: &Fairness, evidence: &Counterexample) -> bool {
    let task = Task { fairness: fairness.clone(), ..task.clone() };
    // That a CTL formula is false in a state is only the engine's claim, made for another fairness.
    certify::certify(&task, model::Answer::Fails(evidence.clone()))
        .is_ok_and(|certified| certified.standing() == Standing::Checked)
}

/// Whether a fairness contains predicates.
fn has_predicates(fairness: &Fairness) -> bool {
    fairness.alternatives.iter().flat_map(|a| &a.requirements).any(|requirement| requirement.of.is_none())
}

/// Whether strong global fairness implies a requirement, for finitely many states.
fn is_of_the_global(requirement: &Requirement) -> bool {
    requirement.of.is_some() && matches!(requirement.word, Word::Weak | Word::Strong)
}

/// Whether an assumption contains every requirement of another, with the same word or a stronger one.
fn includes(assumption: &Assumption, other: &Assumption) -> bool {
    let is_met = |wanted: &Requirement| {
        assumption.requirements.iter().any(|own| {
            let stronger = own.word == Word::Strong && wanted.word == Word::Weak && own.of.is_some();
            own == wanted || stronger && own.of == wanted.of && own.binders == wanted.binders
        })
    };
    (assumption.global || !other.global) && other.requirements.iter().all(is_met)
}

/// What decides which kinds of fairness imply which.
#[derive(Clone, Copy)]
struct Premises {
    /// Whether there are finitely many states.
    finite: bool,
    /// Whether no process has an action of the environment, unless all of it belongs there.
    closed: bool,
}

impl Premises {
    fn new(system: &System, finite: bool) -> Premises {
        let mixed = system.actions.iter().filter(|action| system.is_environment(action)).any(|action| {
            action.participants.iter().any(|participant| !system.is_outside(participant.family))
        });
        Premises { finite, closed: !mixed }
    }
}

/// Whether every run that is fair by one kind is fair by another.
fn implies(from: FairnessOption, to: FairnessOption, Premises { finite, closed }: Premises) -> bool {
    use FairnessOption::{Global, None, ProcessStrong, ProcessWeak, Strong, Weak};
    match (from, to) {
        _ if from == to => true,
        (_, None) | (ProcessStrong, ProcessWeak) | (Strong, Weak) => true,
        (Strong, ProcessWeak | ProcessStrong) => closed,
        (Global, Weak | ProcessWeak | ProcessStrong | Strong) => finite,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn global_fairness_implies_others_on_finitely_many_states_only() {
        for other in [FairnessOption::Weak, FairnessOption::ProcessStrong, FairnessOption::Strong] {
            let premises = |finite| Premises { finite, closed: true };
            assert!(implies(FairnessOption::Global, other, premises(true)));
            assert!(!implies(FairnessOption::Global, other, premises(false)));
            assert!(!implies(other, FairnessOption::Global, premises(true)));
        }
    }
}
