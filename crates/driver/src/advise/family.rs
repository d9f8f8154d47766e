//! One assumption for all members of a family of properties.
//!
//! Each member holds under the cheapest set that was found for it. More fairness has fewer runs, so all members hold
//! under all these sets together. The parts about processes that are alike become one requirement again: `strong P[1]`
//! for the first member and `strong P[2]` for the second are `strong P` for both. Nothing says that this is minimal.
//!
//! Fewer runs may also lack the premise of a member, which would then hold for the wrong reason. So each premise is asked
//! about again, and if one never happens nothing is offered.
//!
//! If only some members are asked about, the set of one of them is widened to whole families of processes, and it is asked
//! whether all members hold under that.

use lang::Check;
use model::fairness::Word;
use model::{Fairness, System};

use super::asker::{AskResult, Asker};
use super::targets::{Target, declarations_of_members};
use super::{Advisor, Needs, excluded};

/// The greatest number of members that are asked about although only some were selected.
const MEMBERS: usize = 8;

/// The declaration under which all of these properties hold. `None` if none of them needs one, or one needs another
/// kind.
pub(super) fn for_all(advisor: &Advisor<'_>, checks: &[&Check]) -> Option<Vec<String>> {
    let first = &checks.first()?.task;
    let mut joined: Vec<(Target, Word)> = Vec::new();
    for check in checks {
        let known = advisor.known_of(&check.task.property)?;
        let set = match known.needs {
            Needs::Nothing => &[][..],
            Needs::Some => known.sound.first()?,
            _ => return None,
        };
        for (target, word) in set {
            let mut merged = joined.iter_mut().filter(|(_, with)| with == word);
            let merged = merged.find_map(|(own, _)| own.joined(target).map(|both| *own = both));
            if merged.is_none() {
                joined.push((target.clone(), *word));
            }
        }
    }
    leave_out_implied(&mut joined);
    if joined.is_empty() {
        return None;
    }
    let fairness = fairness_of(first.system(), &joined);
    let instance = first.instance()?;
    (!checks.iter().any(|check| makes_empty(advisor, check, &fairness)))
        .then(|| declarations_of_members(first.system(), instance, &joined))
}

/// What the cheapest set of one member becomes if it is asked of whole families of processes, if all members of its family
/// of properties hold under it.
pub(super) fn for_whole(advisor: &Advisor<'_>, one: &Check, family: &[&Check]) -> Option<Vec<String>> {
    let known = advisor.known_of(&one.task.property)?;
    let set = known.sound.first()?;
    if known.needs != Needs::Some || family.len() > MEMBERS || set.iter().all(|(target, _)| target.is_whole())
    {
        return None;
    }
    let mut whole: Vec<(Target, Word)> = Vec::new();
    for (target, word) in set {
        let wider = (target.whole(), *word);
        if !whole.contains(&wider) {
            whole.push(wider);
        }
    }
    leave_out_implied(&mut whole);
    let task = &one.task;
    let fairness = fairness_of(task.system(), &whole);
    let holds = |check: &&Check| {
        let mut asker = Asker::new(advisor.memo, check.task.clone(), advisor.world);
        matches!(asker.ask(&fairness), AskResult::Holds) && !makes_empty(advisor, check, &fairness)
    };
    let instance = task.instance()?;
    family.iter().all(holds).then(|| declarations_of_members(task.system(), instance, &whole))
}

/// Strong fairness of something implies weak fairness of it.
fn leave_out_implied(chosen: &mut Vec<(Target, Word)>) {
    let strong: Vec<Target> =
        chosen.iter().filter(|(_, word)| *word == Word::Strong).map(|(target, _)| target.clone()).collect();
    let covered = |target: &Target| strong.iter().any(|one| one.joined(target).as_ref() == Some(one));
    chosen.retain(|(target, word)| *word != Word::Weak || !covered(target));
}

fn fairness_of(system: &System, chosen: &[(Target, Word)]) -> Fairness {
    Fairness::all_of(chosen.iter().flat_map(|(target, word)| target.requirements(system, *word)).collect())
}

/// Whether a premise of a property never happens under a fairness.
fn makes_empty(advisor: &Advisor<'_>, check: &Check, fairness: &Fairness) -> bool {
    let mut asker = Asker::new(advisor.memo, check.task.clone(), advisor.world);
    excluded(&mut asker, fairness).is_some()
}
