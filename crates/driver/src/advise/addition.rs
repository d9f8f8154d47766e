//! What to add to the fairness that a property assumes, if that is not enough.
//!
//! A property holds under each minimal set of requirements, and also under more. So what such a set asks for beyond the
//! present assumption is enough in addition to it. Of all sets that were found, the one that adds the fewest requirements is
//! taken; of those, the cheapest.

use std::collections::BTreeSet;

use model::fairness::Word;
use model::instance::Environment;
use model::{ActionId, Fairness, Instance, System, ground};

use super::targets::{Target, declarations};

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
