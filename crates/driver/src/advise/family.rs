//! One assumption for all members of a family of properties.
//!
//! Each member holds under the cheapest set that was found for it. More fairness has fewer runs, so all members hold
//! under all these sets together. The parts about processes that are alike become one requirement again: `strong P[1]`
//! for the first member and `strong P[2]` for the second are `strong P` for both. Nothing says that this is minimal.
//!
//! Fewer runs may also lack the premise of a member, which would then hold for the wrong reason. So each premise is asked
//! about again, and if one never happens nothing is offered.

use lang::Check;
use model::fairness::Word;
use model::{Fairness, Task};

use super::asker::Asker;
use super::targets::{Target, declared};
use super::{Advisor, Needs};
use crate::premise;

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
    // Strong fairness of something implies weak fairness of it.
    let strong: Vec<Target> =
        joined.iter().filter(|(_, word)| *word == Word::Strong).map(|(target, _)| target.clone()).collect();
    let covered = |target: &Target| strong.iter().any(|one| one.joined(target).as_ref() == Some(one));
    joined.retain(|(target, word)| *word != Word::Weak || !covered(target));
    if joined.is_empty() {
        return None;
    }
    let system = first.system();
    let requirements = joined.iter().flat_map(|(target, word)| target.requirements(system, *word));
    let fairness = Fairness::all_of(requirements.collect());
    let makes_empty = |check: &&Check| {
        let task = Task { fairness: fairness.clone(), ..check.task.clone() };
        let premises = premise::premises(&task.property.kind);
        let mut asker = Asker::new(advisor.memo, task, advisor.world);
        premises.iter().any(|premise| asker.excludes(&fairness, premise))
    };
    let instance = first.instance()?;
    (!checks.iter().any(makes_empty)).then(|| declared(system, instance, &joined))
}
