//! What may be expected of the environment, and of conditions that no scheduler sees to, if strong fairness of everything is not
//! enough.
//!
//! Failures and steps of the environment may be assumed to happen finitely often, and a condition that a blocked process needs
//! to be true again and again. Both are taken from runs that violate the property.

use std::sync::Arc;

use model::expr::Party;
use model::fairness::Word;
use model::system::{Participant, Update};
use model::{Counterexample, Expr, Fairness, Label, Pattern, Requirement};

use super::asker::{AskResult, Asker};
use super::ladder::Climb;
use super::rank::is_failure;
use crate::explain::{Remedy, conditions, consequences, recurs};
use crate::options::FairnessOption;

/// At most so many actions are assumed to happen finitely often.
const FINITE: usize = 5;

/// That actions of the environment and failures happen finitely often, as few of them as are found, if that and strong
/// fairness of all else is enough in addition to the present assumption.
pub(super) fn finite(asker: &mut Asker<'_>, climb: &Climb, present: &Fairness) -> Option<Vec<Requirement>> {
    let system = asker.task().system().clone();
    let strong = Fairness::every_action(&system, Word::Strong);
    let (_, first) = climb.evidence.iter().rev().find(|(rung, _)| *rung == FairnessOption::Strong)?;
    let mut evidence = Arc::clone(first);
    let mut found: Vec<Requirement> = Vec::new();
    loop {
        let more = unasked(asker, &evidence)?;
        let new: Vec<Requirement> = more.into_iter().filter(|one| !found.contains(one)).collect();
        found.extend(new.iter().cloned());
        if new.is_empty() || found.len() > FINITE {
            return None;
        }
        match asker.ask(&present.and(&strong).and(&Fairness::all_of(found.clone()))) {
            AskResult::Fails(next) => evidence = next,
            AskResult::Unknown(_) => return None,
            AskResult::Holds => break,
        }
    }
    // Each of them may be needless now.
    for place in (0..found.len()).rev() {
        let mut fewer = found.clone();
        fewer.remove(place);
        let all = present.and(&strong).and(&Fairness::all_of(fewer.clone()));
        if matches!(asker.ask(&all), AskResult::Holds) {
            found = fewer;
        }
    }
    Some(found)
}

/// The actions on the cycle of a run that no fairness asks for, each as the requirement that it happens finitely often.
fn unasked(asker: &Asker<'_>, evidence: &Counterexample) -> Option<Vec<Requirement>> {
    let (instance, evidence) = asker.located(evidence)?;
    let Counterexample::Lasso(lasso) = evidence else { return None };
    let system = &instance.system;
    let mut found = Vec::new();
    for position in &lasso.positions[lasso.cycle..] {
        let Label::Action(id) = position.label else { continue };
        let action = &system.actions[instance.action(id).action];
        let fails = action.participants.iter().any(|own| is_failure(&own.label));
        if !fails && !system.is_environment(action) || action.update == Update::Skip {
            continue;
        }
        let party =
            |own: &Participant| Party { family: own.family, process: None, label: Some(own.label.clone()) };
        let pattern =
            Pattern { participants: action.participants.iter().map(party).collect(), arguments: None };
        let once = Requirement::compassion(Expr::Taken(pattern), Expr::Bool(false), Vec::new());
        if !found.contains(&once) {
            found.push(once);
        }
    }
    Some(found)
}

/// A run that violates the property under the present assumption and strong fairness of the model's own steps, or else under
/// the latter alone.
pub(super) fn with_everything(asker: &mut Asker<'_>, climb: &Climb) -> Option<Arc<Counterexample>> {
    let strong = Fairness::every_action(asker.task().system(), Word::Strong);
    let all = asker.task().fairness.and(&strong);
    if let AskResult::Fails(evidence) = asker.ask(&all) {
        return Some(evidence);
    }
    let (_, found) = climb.evidence.iter().rev().find(|(rung, _)| *rung == FairnessOption::Strong)?;
    Some(Arc::clone(found))
}

/// What processes that are blocked on a run need, as text, and the present assumption together with the justice of it. What
/// can never be met, and so makes everything true, is left out.
pub(super) fn conditions_of(asker: &mut Asker<'_>, evidence: &Counterexample) -> Vec<(String, Fairness)> {
    let Some((instance, Counterexample::Lasso(lasso))) = asker.located(evidence) else { return Vec::new() };
    let kind = asker.task().property.kind.clone();
    let mut found = conditions(&instance, lasso, &kind);
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
