//! What may be expected of the environment, and of conditions that no scheduler can make true, if strong fairness of
//! everything is not enough.
//!
//! Failures and steps of the environment may be assumed to happen finitely often, other steps of the environment to be taken
//! fairly, and a condition that a blocked process needs to be true again and again. All are taken from runs that violate the
//! property.

use std::sync::Arc;

use model::expr::Party;
use model::fairness::{self, Word};
use model::system::{Action, Participant, Update};
use model::{Counterexample, Expr, Fairness, FamilyId, Label, Pattern, Requirement, System, Task};

use super::asker::{AskResult, Asker};
use super::rank::{asks_for_a_failure, is_failure};
use crate::explain::{self, Remedy, asked_outside, consequences, recurs};

/// At most so many assumptions about steps that are not the model's to schedule.
const MOST: usize = 5;

/// What may be expected of steps that no fairness asks for, as little of it as is found, in up to two ways: that those
/// which go on in a run happen finitely often, and that the environment takes a step that would end the run. Each is
/// enough with strong fairness of the model's own steps, in addition to the present assumption.
pub(super) fn expectations(asker: &mut Asker<'_>, present: &Fairness) -> Vec<Vec<Requirement>> {
    let mut found: Vec<Vec<Requirement>> =
        [true, false].into_iter().filter_map(|may_end| gathered(asker, present, may_end)).collect();
    found.dedup();
    found.sort_by_key(Vec::len);
    found
}

/// What may be expected, from one run after the other. Only if `may_end`, steps may be expected to happen finitely often.
fn gathered(asker: &mut Asker<'_>, present: &Fairness, may_end: bool) -> Option<Vec<Requirement>> {
    let asked: Vec<Pattern> = present
        .alternatives
        .iter()
        .flat_map(|one| &one.requirements)
        .filter_map(|one| one.of.clone())
        .collect();
    let present = present.and(&wanted(asker.task().system()));
    let with = |found: &[Requirement]| present.and(&Fairness::all_of(found.to_vec()));
    let mut found: Vec<Requirement> = Vec::new();
    loop {
        match asker.ask(&with(&found)) {
            AskResult::Holds => break,
            AskResult::Unknown(_) => return None,
            AskResult::Fails(evidence) => {
                let new = |more: Vec<Requirement>| -> Vec<Requirement> {
                    more.into_iter().filter(|one| !found.contains(one)).collect()
                };
                let mut more = if may_end { new(unasked(asker, &evidence, &asked)?) } else { Vec::new() };
                if more.is_empty() {
                    more = new(outside(asker, &evidence)?);
                }
                found.extend(more.iter().cloned());
                if more.is_empty() || found.len() > MOST {
                    return None;
                }
            }
        }
    }
    // Each of them may be needless now.
    for place in (0..found.len()).rev() {
        let mut fewer = found.clone();
        fewer.remove(place);
        if matches!(asker.ask(&with(&fewer)), AskResult::Holds) {
            found = fewer;
        }
    }
    Some(found)
}

/// Strong fairness of the model's own steps that are no failures.
pub(super) fn wanted(system: &System) -> Fairness {
    let mut all = Fairness::every_action(system, Word::Strong);
    for alternative in &mut all.alternatives {
        alternative.requirements.retain(|one| !asks_for_a_failure(one));
    }
    all
}

/// Whether what a task assumes asks for failures.
pub(super) fn asks_for_failures(task: &Task) -> bool {
    task.fairness.alternatives.iter().flat_map(|one| &one.requirements).any(asks_for_a_failure)
}

/// A run on which a property fails although all steps that no fairness asks for have ended, if it is also known to fail if
/// only failures end and the environment takes its steps as fairly as the model does. `None` if a run without such steps
/// does as well: then they are beside the point.
pub(super) fn fails_whatever_is_expected(asker: &mut Asker<'_>) -> Option<Arc<Counterexample>> {
    let system = asker.task().system().clone();
    let fails = |action: &Action| action.participants.iter().any(|own| is_failure(&own.label));
    let is_outside = |action: &Action| system.is_environment(action) && action.update != Update::Skip;
    let present = asker.task().fairness.and(&wanted(&system));
    let AskResult::Fails(plain) = asker.ask(&present) else { return None };
    if unasked(asker, &plain, &[])?.is_empty() {
        return None;
    }
    let known: Vec<_> = fairness::actions(&system).collect();
    let (mut ending, mut going_on) = (Vec::new(), Vec::new());
    for (action, (pattern, binders)) in system.actions.iter().zip(known) {
        if !fails(action) && !is_outside(action) {
            continue;
        }
        ending.push(finitely_often(action));
        going_on.push(if fails(action) {
            finitely_often(action)
        } else {
            Requirement::of(Word::Strong, pattern, binders)
        });
    }
    if ending.is_empty() {
        return None;
    }
    let mut refuted = |expected: Vec<Requirement>| match asker.ask(&present.and(&Fairness::all_of(expected)))
    {
        AskResult::Fails(evidence) => Some(evidence),
        _ => None,
    };
    let found = refuted(ending)?;
    refuted(going_on).map(|_| found)
}

/// Steps of the environment that would end a run and are not taken, each as fairness of all that are alike.
fn outside(asker: &Asker<'_>, evidence: &Counterexample) -> Option<Vec<Requirement>> {
    let (instance, lasso, kind) = match evidence {
        Counterexample::Instance { values, member, evidence } => {
            let task = model::setting::set(asker.task(), values, member)?;
            (Arc::clone(task.instance()?), &**evidence, task.property.kind)
        }
        _ => (Arc::clone(asker.task().instance()?), evidence, asker.task().property.kind.clone()),
    };
    let Counterexample::Lasso(lasso) = lasso else { return None };
    let asked = asked_outside(&instance, lasso, &kind);
    let mut found = Vec::new();
    for one in asked.iter().flat_map(|one| of_all_alike(asker.task().system(), one)) {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    Some(found)
}

/// The same requirement of all actions with the same labels, whatever their indices and arguments: each is expected alike.
fn of_all_alike(system: &System, requirement: &Requirement) -> Vec<Requirement> {
    let Some(of) = &requirement.of else { return vec![requirement.clone()] };
    let alike = fairness::actions(system).filter(|(pattern, _)| labels(pattern) == labels(of));
    alike.map(|(pattern, binders)| Requirement::of(requirement.word, pattern, binders)).collect()
}

/// Who takes part in what a pattern matches, and with which labels.
fn labels(pattern: &Pattern) -> Vec<(FamilyId, Option<&str>)> {
    pattern.participants.iter().map(|party| (party.family, party.label.as_deref())).collect()
}

/// An action, whatever its indices and arguments.
fn pattern(action: &Action) -> Pattern {
    let party =
        |own: &Participant| Party { family: own.family, process: None, label: Some(own.label.clone()) };
    Pattern { participants: action.participants.iter().map(party).collect(), arguments: None }
}

/// That it happens finitely often.
fn finitely_often(action: &Action) -> Requirement {
    Requirement::compassion(Expr::Taken(pattern(action)), Expr::Bool(false), Vec::new())
}

/// The actions on the cycle of a run that no fairness asks for, each as the requirement that it happens finitely often. What
/// is asked for already is left out.
fn unasked(asker: &Asker<'_>, evidence: &Counterexample, asked: &[Pattern]) -> Option<Vec<Requirement>> {
    let (instance, evidence) = asker.located(evidence)?;
    let Counterexample::Lasso(lasso) = evidence else { return None };
    let system = &instance.system;
    let mut found = Vec::new();
    for position in &lasso.positions[lasso.cycle..] {
        let Label::Action(id) = position.label else { continue };
        let action = &system.actions[instance.action(id).action];
        let fails = action.participants.iter().any(|own| is_failure(&own.label));
        let is_asked = asked.iter().any(|of| labels(of) == labels(&pattern(action)));
        if !fails && !system.is_environment(action) || action.update == Update::Skip || is_asked {
            continue;
        }
        let once = finitely_often(action);
        if !found.contains(&once) {
            found.push(once);
        }
    }
    Some(found)
}

/// The steps of single processes of the model that go on in such a run, each with the requirement that it happens finitely
/// often.
pub(super) fn going_on(asker: &mut Asker<'_>) -> Vec<(FamilyId, Requirement)> {
    let Some(evidence) = with_everything(asker) else { return Vec::new() };
    let Some((instance, Counterexample::Lasso(lasso))) = asker.located(&evidence) else { return Vec::new() };
    let mut found = Vec::new();
    for position in &lasso.positions[lasso.cycle..] {
        let Label::Action(id) = position.label else { continue };
        let action = &instance.system.actions[instance.action(id).action];
        let [own] = &action.participants[..] else { continue };
        let one = (own.family, finitely_often(action));
        if !instance.system.is_environment(action) && !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// The processes that rest in such a run.
pub(super) fn resting(asker: &mut Asker<'_>) -> Vec<String> {
    let Some(evidence) = with_everything(asker) else { return Vec::new() };
    let Some((instance, Counterexample::Lasso(lasso))) = asker.located(&evidence) else { return Vec::new() };
    explain::resting(&instance, lasso)
}

/// A run that violates the property under the present assumption and strong fairness of the model's own steps, failures left
/// out.
pub(super) fn with_everything(asker: &mut Asker<'_>) -> Option<Arc<Counterexample>> {
    let all = asker.task().fairness.and(&wanted(asker.task().system()));
    match asker.ask(&all) {
        AskResult::Fails(evidence) => Some(evidence),
        _ => None,
    }
}

/// What processes that are blocked on such a run need, as text, and the present assumption together with the justice of
/// it. What can never be met, and so makes everything true, is left out.
pub(super) fn conditions(asker: &mut Asker<'_>) -> Vec<(String, Fairness)> {
    let Some(evidence) = with_everything(asker) else { return Vec::new() };
    let Some((instance, Counterexample::Lasso(lasso))) = asker.located(&evidence) else { return Vec::new() };
    let kind = asker.task().property.kind.clone();
    let mut found = explain::conditions(&instance, lasso, &kind);
    found.retain(|remedy| asker.is_true_without_fairness(recurs(&remedy.requirement)));
    // To assume what is claimed helps nobody.
    let mut is_conclusion = |remedy: &Remedy| {
        let claims = consequences(&kind, &remedy.requirement);
        claims.into_iter().any(|claim| asker.is_true_without_fairness(claim))
    };
    found.retain(|remedy| !is_conclusion(remedy));
    let with = |remedy: Remedy| {
        let more = Fairness::all_of(vec![remedy.requirement]);
        (remedy.text, asker.task().fairness.and(&more))
    };
    found.into_iter().map(with).collect()
}
