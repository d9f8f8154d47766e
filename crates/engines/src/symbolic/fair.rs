//! Where fair runs are: the nested fixpoint for justice and compassion [KPRS06], [EL86].
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
//! Demands are asked in turn until all are met since the last change. Those that no step of the region can meet
//! come first, since they only remove; then steps that lie on no cycle for simple reasons are left out (`cycles`). If the region is strongly connected and
//! demands nothing that does not occur in it, nothing needs to be asked: that is seen by two closures, where
//! the fixpoint would need one per demand.

use std::rc::Rc;

use super::cycles::on_cycles;
use super::product::{Product, Region, Sets};
use super::steps::{Demand, Steps};
use crate::bdd::{Bdd, Union};
use crate::encoding::Stop;

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
) -> Result<Region, Stop> {
    product.system.table.begin("fair states");
    let table = product.system.table;
    let bars = demands.of_steps.iter().filter_map(|demand| demand.when.as_ref()).any(bars);
    let groups = vec![table.never(); product.system.groups.len()];
    let mut region = Region::of(can_go_on(product, within)?);
    if bars {
        region.barred = Rc::new(vec![groups; product.arcs.len()]);
    }
    let mut search = Search { product, region };
    for demand in &demands.of_steps {
        if product.is_nowhere(&sources(product, &search.region, &demand.then)?) {
            search.demand(demand)?;
        }
    }
    if product.is_nowhere(&search.region.sets) {
        return Ok(search.region);
    }
    if let Some(relations) = on_cycles(product, &search.region)? {
        search.region.relations = Rc::new(relations);
    }
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
) -> Result<bool, Stop> {
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
            .try_fold(true, |all, (found, set)| Ok::<bool, Stop>(all && table.is_subset(set, found)?))
    };
    Ok(is_all(&product.backward(anchor, region, &|_| Ok(false))?)?
        && is_all(&product.forward(anchor, region)?)?)
}

/// The states of a region from which a step of the set leads into it.
pub(super) fn sources(product: &Product<'_, '_>, region: &Region, steps: &Steps) -> Result<Sets, Stop> {
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
pub(super) fn sources_of_mark(product: &Product<'_, '_>, region: &Region, mark: usize) -> Result<Sets, Stop> {
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

/// The states in which the automaton is not stuck: those of the label of some arc.
fn can_go_on(product: &Product<'_, '_>, mut sets: Sets) -> Result<Sets, Stop> {
    let table = product.system.table;
    let mut labels = vec![Vec::new(); product.states];
    for arc in product.arcs.iter().filter(|arc| !table.is_never(&sets[arc.target])) {
        labels[arc.source].push(arc.label.otherwise.clone());
        labels[arc.source].extend(arc.label.at.values().cloned());
    }
    for (set, labels) in sets.iter_mut().zip(labels) {
        *set = table.and(set, &table.any(labels)?)?;
    }
    Ok(sets)
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
    ///
    /// That every state has such a step is a union over arcs and groups, of preimages of the region. When the region
    /// shrinks, preimages of what it was before are still large enough; so they are renewed one at a time, and each
    /// may remove states at once. A chain of states that fall one after the other then needs few rounds.
    fn go_on(&mut self) -> Result<bool, Stop> {
        let product = self.product;
        let groups = product.system.groups.len();
        let mut ways: Vec<(usize, usize)> =
            (0..product.arcs.len()).flat_map(|arc| (0..groups).map(move |group| (arc, group))).collect();
        if self.all_go_on(&ways)? {
            return Ok(false);
        }
        let table = product.system.table;
        let mut unions: Vec<Union> = (0..product.states).map(|_| Union::new(table, ways.len())).collect();
        let before = |search: &Self, (arc, group): (usize, usize)| {
            let target = &search.region.sets[product.arcs[arc].target];
            product.before(arc, group, target, &search.region)
        };
        let leaf = |(arc, group): (usize, usize)| arc * groups + group;
        for way in &ways {
            unions[product.arcs[way.0].source].set(table, leaf(*way), before(self, *way)?)?;
        }
        // How often each set has shrunk, and at which shrinking each way was asked last.
        let mut shrunk = vec![0u32; product.states];
        let mut asked = vec![0u32; ways.len()];
        for (state, union) in unions.iter().enumerate() {
            self.shrink(state, union.all(), &mut shrunk[state])?;
        }
        loop {
            let mut renewed = false;
            for way in &ways {
                let (source, target) = (product.arcs[way.0].source, product.arcs[way.0].target);
                if asked[leaf(*way)] != shrunk[target] && !table.is_never(&self.region.sets[source]) {
                    renewed = true;
                    asked[leaf(*way)] = shrunk[target];
                    unions[source].set(table, leaf(*way), before(self, *way)?)?;
                    self.shrink(source, unions[source].all(), &mut shrunk[source])?;
                }
            }
            if !renewed {
                return Ok(true);
            }
            ways.reverse();
        }
    }

    /// Whether every state has a step that stays inside.
    fn all_go_on(&self, ways: &[(usize, usize)]) -> Result<bool, Stop> {
        let product = self.product;
        let table = product.system.table;
        let mut left = self.region.sets.clone();
        for (arc, group) in ways {
            let (source, target) = (product.arcs[*arc].source, product.arcs[*arc].target);
            if !table.is_never(&left[source]) {
                let before = product.before(*arc, *group, &self.region.sets[target], &self.region)?;
                left[source] = table.minus(&left[source], &before)?;
            }
        }
        Ok(product.is_nowhere(&left))
    }

    fn shrink(&mut self, state: usize, to: &Bdd, shrunk: &mut u32) -> Result<(), Stop> {
        let set = self.product.system.table.and(&self.region.sets[state], to)?;
        *shrunk += u32::from(set != self.region.sets[state]);
        self.region.sets[state] = set;
        Ok(())
    }

    /// Removes states from which no arc with a mark can be reached; whether there was one.
    fn mark(&mut self, mark: usize) -> Result<bool, Stop> {
        let goal = sources_of_mark(self.product, &self.region, mark)?;
        self.reach(&goal)
    }

    /// Removes states and bars steps that break a demand; whether there were any.
    fn demand(&mut self, demand: &Demand) -> Result<bool, Stop> {
        let goal = sources(self.product, &self.region, &demand.then)?;
        let Some(when) = &demand.when else { return self.reach(&goal) };
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
            for (arc, barred) in self.product.arcs.iter().zip(Rc::make_mut(&mut self.region.barred)) {
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
    fn reach(&mut self, goal: &Sets) -> Result<bool, Stop> {
        if *goal == self.region.sets {
            return Ok(false);
        }
        let reached = self.product.backward(goal, &self.region, &|_| Ok(false))?;
        let changed = reached != self.region.sets;
        self.region.sets = reached;
        Ok(changed)
    }

    fn contains(&self, sets: &Sets, others: &[Bdd]) -> Result<bool, Stop> {
        let table = self.product.system.table;
        for (set, other) in sets.iter().zip(others) {
            if !table.is_subset(other, set)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
