//! What to add to the fairness that a property assumes, if that is not enough.
//!
//! A property holds under each minimal set of requirements, and also under more. So what such a set asks for beyond the
//! present assumption is enough in addition to it. Of all sets that were found, the one that adds the fewest requirements is
//! taken; of those, the cheapest.
//!
//! If strong fairness of everything is not enough, there is no such set. Then justice of what a blocked process needs is tried.

use std::collections::BTreeSet;

use model::fairness::Word;
use model::instance::Environment;
use model::{ActionId, Counterexample, Expr, Fairness, Formula, Instance, System, ground};

use super::asker::{AskResult, Asker};
use super::excluded;
use super::ladder::Climb;
use super::targets::{Target, declarations};
use crate::explain::conditions;
use crate::options::FairnessOption;

/// What the closest of some sets adds, as it is declared. `None` if the present assumption has a part of no set, or if it is a
/// disjunction.
pub(super) fn addition(
    system: &System,
    instance: &Instance,
    present: &Fairness,
    sets: &[Vec<(Target, Word)>],
) -> Option<Vec<String>> {
    let ground = ground::fairness(instance, present);
    let [assumption] = &ground.alternatives[..] else { return None };
    let known: BTreeSet<(Word, Vec<ActionId>)> = assumption
        .requirements
        .iter()
        .filter_map(|requirement| {
            let of = instance.matching(requirement.of.as_ref()?, &Environment::default()).ok()?;
            Some((requirement.word, of))
        })
        .collect();
    let is_known = |(target, word): &&(Target, Word)| {
        let subjects = target.subjects(instance);
        let is_asked = |subject: &Vec<ActionId>| {
            let stronger = [Word::Unconditional, Word::Strong, Word::Weak];
            let stronger = if *word == Word::Weak { &stronger[..] } else { &stronger[..2] };
            stronger.iter().any(|word| known.contains(&(*word, subject.clone())))
        };
        subjects.iter().filter(|subject| !subject.is_empty()).all(is_asked)
    };
    let beyond = |set: &Vec<(Target, Word)>| -> Vec<(Target, Word)> {
        set.iter().filter(|asked| !is_known(asked)).cloned().collect()
    };
    let (whole, added) = sets.iter().map(|set| (set, beyond(set))).min_by_key(|(_, added)| added.len())?;
    if added.is_empty() || added.len() == whole.len() {
        return None;
    }
    let all: Vec<Target> = whole.iter().map(|(target, _)| target.clone()).collect();
    let added: Vec<(&Target, Word)> = added.iter().map(|(target, word)| (target, *word)).collect();
    Some(declarations(system, &added, &all))
}

/// The justice of what a blocked process needs, if that is enough in addition to the present assumption.
pub(super) fn condition(asker: &mut Asker<'_>, climb: &Climb) -> Option<Vec<String>> {
    let (_, evidence) = climb.evidence.iter().rev().find(|(rung, _)| *rung == FairnessOption::Strong)?;
    let (instance, evidence) = asker.located(evidence)?;
    let Counterexample::Lasso(lasso) = evidence else { return None };
    let kind = asker.task().property.kind.clone();
    for remedy in conditions(&instance, lasso, &kind) {
        let more = Fairness::all_of(vec![remedy.requirement.clone()]);
        let fairness = asker.task().fairness.and(&more);
        // What can never be met makes everything true.
        let anything = Formula::Atom(Expr::Bool(true));
        if matches!(asker.ask(&fairness), AskResult::Holds)
            && !asker.excludes(&fairness, &anything)
            && excluded(asker, &fairness).is_none()
        {
            return Some(vec![remedy.text]);
        }
    }
    None
}
