//! Which targets a cycle is fair to.
//!
//! On a lasso, infinitely often means on its cycle. A set of actions is treated weakly fairly if one of them is taken
//! on the cycle or at some moment none is enabled. It is treated strongly fairly if one is taken or none is ever
//! enabled. A target is treated as fairly as the worst treated of its subjects. Strong implies weak: if nothing is
//! ever enabled, it is disabled at some moment.

use std::collections::BTreeSet;

use model::{ActionId, Instance, Label, Lasso, semantics};

use super::hitting::Levels;
use super::targets::Target;

/// Levels of fairness: 0 is not even weakly fair, then weakly fair, then strongly fair.
pub(super) const WEAK: u8 = 1;
pub(super) const STRONG: u8 = 2;

/// How fairly a cycle treats each target; `None` if a guard cannot be evaluated on it.
pub(super) fn treatment(instance: &Instance, targets: &[Target], lasso: &Lasso) -> Option<Levels> {
    let mut moments: Vec<BTreeSet<ActionId>> = Vec::new();
    let mut taken: BTreeSet<ActionId> = BTreeSet::new();
    let mut looked_at = BTreeSet::new();
    for position in &lasso.positions[lasso.cycle..] {
        if let Label::Action(action) = position.label {
            taken.insert(action);
        }
        if !looked_at.insert(&position.state) {
            continue;
        }
        let mut enabled = BTreeSet::new();
        for action in (0..instance.actions.len() as u32).map(ActionId) {
            if semantics::enabled(instance, &position.state, action).ok()? {
                enabled.insert(action);
            }
        }
        moments.push(enabled);
    }
    let of_subject = |subject: &Vec<ActionId>| {
        let meets = |set: &BTreeSet<ActionId>| subject.iter().any(|action| set.contains(action));
        if meets(&taken) || !moments.iter().any(meets) {
            STRONG
        } else if moments.iter().all(meets) {
            0
        } else {
            WEAK
        }
    };
    let of_target =
        |target: &Target| target.subjects(instance).iter().map(of_subject).min().unwrap_or(STRONG);
    Some(targets.iter().map(of_target).collect())
}
