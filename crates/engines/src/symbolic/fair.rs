//! Where fair runs are: the nested fixpoint for justice and compassion [KPRS06, EL86].
//!
//! We look for the greatest region, a set of product states and of steps between them, in which
//!
//! - every state has a step that stays inside,
//! - from every state, for each demand without `when` and each mark, a `then` step can be reached inside, and
//! - for each demand `GF when -> GF then`, a `then` step can be reached inside from every state where a `when` step
//!   begins.
//!
//! It contains every fair strongly connected set. Conversely let `C` be a strong component of the region that no step
//! of it leaves; there is one, if the region is not empty. It has a step, and whatever can be reached inside the
//! region from a state of `C` is in `C`; so `C` meets every demand. Hence the region is empty iff there is no
//! fair run, and from each of its states a fair run begins.
//!
//! [KPRS06] has `when` and `then` as sets of states. Ours are sets of steps, so that `taken(a)` needs no
//! further variable: that a `then` step can be reached means that its source can be reached and its target is
//! inside, which is a preimage under one group. Where all steps of a state are `when` steps the state is
//! removed; where only those of some groups are, these steps are barred and the state remains.
//!
//! Demands are asked in turn until all are met since the last change. If the region is strongly connected and
//! demands nothing that does not occur in it, nothing needs to be asked: that is seen by two closures, where
//! the fixpoint would need one per demand.

use super::Ended;
use super::product::{Product, Region, Sets};
use super::steps::{Demand, Steps};
use crate::bdd::Bdd;

/// What a fair run must do again and again.
pub(super) struct Demands {
    /// On the steps of the system.
    pub(super) of_steps: Vec<Demand>,
    /// The number of marks of the automaton that must occur.
    pub(super) marks: usize,
}

/// The greatest fair region within some sets, perhaps empty.
pub(super) fn fair_region(
    product: &Product<'_, '_>,
    within: Sets,
    demands: &Demands,
) -> Result<Region, Ended> {
    product.system.table.begin("fair states");
    let bars = demands.of_steps.iter().filter_map(|demand| demand.when.as_ref()).any(bars);
    let groups = vec![product.system.table.never(); product.system.groups.len()];
    let barred = if bars { vec![groups; product.arcs.len()] } else { Vec::new() };
    let mut search = Search { product, region: Region { sets: within, barred } };
    let mut met = 0;
    let all = 1 + demands.marks + demands.of_steps.len();
    // Invariant: the last `met` demands asked hold in the region as it is.
    for number in (0..all).cycle() {
        if met == all || product.is_nowhere(&search.region.sets) {
            break;
        }
        let changed = match number.checked_sub(1) {
            None => search.go_on()?,
            Some(mark) if mark < demands.marks => search.mark(mark)?,
            Some(number) => search.demand(&demands.of_steps[number - demands.marks])?,
        };
        met = if changed { 0 } else { met + 1 };
    }
    Ok(search.region)
}

/// Whether a region meets all demands for the simple reason that it is one strong component: `anchor` is one of
/// its states.
pub(super) fn is_one_fair_component(
    product: &Product<'_, '_>,
    region: &Region,
    anchor: &Sets,
    demands: &Demands,
) -> Result<bool, Ended> {
    let table = product.system.table;
    for demand in &demands.of_steps {
        let asks = match &demand.when {
            None => true,
            Some(when) => !product.is_nowhere(&sources(product, region, when)?),
        };
        if asks && product.is_nowhere(&sources(product, region, &demand.then)?) {
            return Ok(false);
        }
    }
    for mark in 0..demands.marks {
        if product.is_nowhere(&sources_of_mark(product, region, mark)?) {
            return Ok(false);
        }
    }
    let is_all = |sets: &Sets| {
        sets.iter()
            .zip(&region.sets)
            .try_fold(true, |all, (found, set)| Ok::<bool, Ended>(all && table.is_subset(set, found)?))
    };
    Ok(is_all(&product.backward(anchor, region, &|_| Ok(false))?)?
        && is_all(&product.forward(anchor, region)?)?)
}

/// The states of a region from which a step of the set leads into it.
pub(super) fn sources(product: &Product<'_, '_>, region: &Region, steps: &Steps) -> Result<Sets, Ended> {
    let table = product.system.table;
    let mut found = product.nowhere();
    if steps.covers {
        // Invariant: every state of the region has a step that stays inside, or the caller asks once more.
        for (found, set) in found.iter_mut().zip(&region.sets) {
            *found = table.and(set, &steps.otherwise)?;
        }
    }
    for (number, arc) in product.arcs.iter().enumerate() {
        let target = &region.sets[arc.target];
        if table.is_never(target) || table.is_never(&region.sets[arc.source]) {
            continue;
        }
        for group in 0..product.system.groups.len() {
            if (steps.covers && !steps.at.contains_key(&group)) || table.is_never(steps.of(group)) {
                continue;
            }
            let before = product.before(number, group, target, region)?;
            found[arc.source] = table.or(&found[arc.source], &table.and(&before, steps.of(group))?)?;
        }
    }
    Ok(found)
}

/// The states of a region from which an arc with a mark leads into it.
pub(super) fn sources_of_mark(
    product: &Product<'_, '_>,
    region: &Region,
    mark: usize,
) -> Result<Sets, Ended> {
    let table = product.system.table;
    let mut found = product.nowhere();
    for (number, arc) in product.arcs.iter().enumerate() {
        if !arc.marks.contains(&mark) || table.is_never(&region.sets[arc.target]) {
            continue;
        }
        for group in 0..product.system.groups.len() {
            if found[arc.source] == region.sets[arc.source] {
                break;
            }
            let before = product.before(number, group, &region.sets[arc.target], region)?;
            found[arc.source] = table.or(&found[arc.source], &before)?;
        }
    }
    Ok(found)
}

/// Whether a demand with this `when` can bar steps of a state that remains.
fn bars(when: &Steps) -> bool {
    !when.covers || !when.at.is_empty()
}

struct Search<'p, 's, 'a> {
    product: &'p Product<'s, 'a>,
    region: Region,
}

impl Search<'_, '_, '_> {
    /// Removes states without a step that stays inside; whether there was one.
    fn go_on(&mut self) -> Result<bool, Ended> {
        let product = self.product;
        let table = product.system.table;
        let mut changed = false;
        loop {
            let mut stay = product.nowhere();
            for (number, arc) in product.arcs.iter().enumerate() {
                for group in 0..product.system.groups.len() {
                    if stay[arc.source] == self.region.sets[arc.source] {
                        break;
                    }
                    let before =
                        product.before(number, group, &self.region.sets[arc.target], &self.region)?;
                    stay[arc.source] = table.or(&stay[arc.source], &before)?;
                }
            }
            if stay == self.region.sets {
                return Ok(changed);
            }
            changed = true;
            self.region.sets = stay;
        }
    }

    /// Removes states from which no arc with a mark can be reached; whether there was one.
    fn mark(&mut self, mark: usize) -> Result<bool, Ended> {
        let goal = sources_of_mark(self.product, &self.region, mark)?;
        self.reach(goal)
    }

    /// Removes states and bars steps that break a demand; whether there were any.
    fn demand(&mut self, demand: &Demand) -> Result<bool, Ended> {
        let goal = sources(self.product, &self.region, &demand.then)?;
        let Some(when) = &demand.when else { return self.reach(goal) };
        let table = self.product.system.table;
        let bars = bars(when);
        let mut asking = Vec::new();
        for set in &self.region.sets {
            asking.push(if bars { set.clone() } else { table.and(set, &when.otherwise)? });
        }
        if self.product.is_nowhere(&asking) {
            return Ok(false);
        }
        let served = |sets: &Sets| self.contains(sets, &asking);
        if served(&goal)? {
            return Ok(false);
        }
        let reached = self.product.backward(&goal, &self.region, &served)?;
        let mut changed = false;
        if when.covers {
            for (set, reached) in self.region.sets.iter_mut().zip(&reached) {
                let broken = table.minus(&table.and(set, &when.otherwise)?, reached)?;
                if !table.is_never(&broken) {
                    *set = table.minus(set, &broken)?;
                    changed = true;
                }
            }
        }
        if bars {
            for (arc, barred) in self.product.arcs.iter().zip(&mut self.region.barred) {
                for (group, barred) in barred.iter_mut().enumerate() {
                    let broken = table.minus(when.of(group), &reached[arc.source])?;
                    let broken = table.and(&broken, &self.region.sets[arc.source])?;
                    if !table.is_subset(&broken, barred)? {
                        *barred = table.or(barred, &broken)?;
                        changed = true;
                    }
                }
            }
        }
        Ok(changed)
    }

    /// Removes states from which `goal` cannot be reached.
    fn reach(&mut self, goal: Sets) -> Result<bool, Ended> {
        if goal == self.region.sets {
            return Ok(false);
        }
        let reached = self.product.backward(&goal, &self.region, &|_| Ok(false))?;
        let changed = reached != self.region.sets;
        self.region.sets = reached;
        Ok(changed)
    }

    fn contains(&self, sets: &Sets, others: &[Bdd]) -> Result<bool, Ended> {
        let table = self.product.system.table;
        for (set, other) in sets.iter().zip(others) {
            if !table.is_subset(other, set)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
