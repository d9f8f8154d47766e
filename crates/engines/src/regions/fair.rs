//! The greatest fair region: the nested fixpoint for justice and compassion [KPRS06], [EL86].
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
//! **Order.** The demands are asked in a circle, but after a change first those that have changed the region lately and
//! their neighbours ([`Order`]). Demands of neighbours in a ring of processes stand side by side, and what is removed for
//! one often makes it possible to remove something for the next; with several demands per process, in turn.
//!
//! **Near groups.** Most demands are met most of the time, and by few steps: those of the process that it is about. So
//! these are tried first. If they lead from everywhere to a `then` step, no other group is asked.
//!
//! What is done about a removal is up to the engine ([`Removals`]): the local engine writes each one into a proof.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{Demand, Demands, Product, Region, Sets, Steps};
use crate::bdd::{Bdd, Table, Union};
use crate::encoding::Stop;

/// Groups that are tried first are at most one of so many.
const FEW: usize = 4;

/// What some product states are removed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// They have no step that stays inside.
    Stuck,
    /// A mark of the automaton.
    Mark(usize),
    /// A demand on steps, by position.
    Demand(usize),
}

/// A removal. No step leaves `closed`, and none inside it meets the cause.
pub(crate) struct Removal {
    pub(crate) cause: Cause,
    pub(crate) closed: Sets,
    /// The part of `closed` that is removed.
    pub(crate) removed: Sets,
    /// Whether steps from `closed` have been barred.
    pub(crate) barred: bool,
}

/// What is done about removals.
pub(crate) trait Removals {
    /// Whether states that get stuck are removed in one removal per layer, so that each can be explained.
    const LAYERED: bool;

    /// Whether a demand is dealt with when another one is. May only change in a call of `remove`.
    fn is_covered(&self, _demand: usize) -> bool {
        false
    }

    /// Takes the removed states out of the region.
    fn remove(&mut self, region: &mut Region, removal: Removal) -> Result<(), Stop>;
}

/// Removals that nobody records.
pub(crate) struct Unrecorded<'t, 'a>(pub(crate) &'t Table<'a>);

impl Removals for Unrecorded<'_, '_> {
    const LAYERED: bool = false;

    fn remove(&mut self, region: &mut Region, removal: Removal) -> Result<(), Stop> {
        for (set, removed) in region.sets.iter_mut().zip(&removal.removed) {
            *set = self.0.minus(set, removed)?;
        }
        Ok(())
    }
}

/// The greatest fair region within some sets, perhaps empty.
pub(crate) fn region(product: &Product<'_, '_>, within: Sets, demands: &Demands) -> Result<Region, Stop> {
    let mut search = Search::new(product, within, demands, Unrecorded(product.table));
    search.ask_unmet()?;
    search.settle()?;
    Ok(search.region)
}

/// A search for the greatest fair region. Until it is settled the region is too large.
pub(crate) struct Search<'p, 's, 'a, R> {
    product: &'p Product<'s, 'a>,
    demands: &'p Demands,
    pub(crate) region: Region,
    pub(crate) removals: R,
    /// Per demand, the groups that are likely to meet it.
    near: Vec<Vec<usize>>,
}

impl<'p, 's, 'a, R: Removals> Search<'p, 's, 'a, R> {
    /// Begins with some sets and all steps between them.
    pub(crate) fn new(
        product: &'p Product<'s, 'a>,
        within: Sets,
        demands: &'p Demands,
        removals: R,
    ) -> Search<'p, 's, 'a, R> {
        product.table.begin("fair states");
        let mut region = Region::of(within);
        if demands.of_steps.iter().filter_map(|demand| demand.when.as_ref()).any(bars) {
            let groups = vec![product.table.never(); product.system.groups.len()];
            region.barred = Rc::new(vec![groups; product.arcs.len()]);
        }
        let near = near(product, demands);
        Search { product, demands, region, removals, near }
    }

    /// Asks the demands that no step of the region meets. They only remove, so it is good to ask them first.
    pub(crate) fn ask_unmet(&mut self) -> Result<(), Stop> {
        for (number, demand) in self.demands.of_steps.iter().enumerate() {
            if self.removals.is_covered(number) {
                continue;
            }
            let goal = self.product.sources(&self.region, &demand.then)?;
            if self.product.is_nowhere(&goal) {
                self.reach(Cause::Demand(number), &goal, demand.when.as_ref())?;
            }
        }
        Ok(())
    }

    /// Asks all demands until each holds in the region.
    pub(crate) fn settle(&mut self) -> Result<(), Stop> {
        let all = 1 + self.demands.marks + self.demands.of_steps.len();
        let mut order = Order::new(all);
        while !self.product.is_nowhere(&self.region.sets) {
            let Some(number) = order.next() else { break };
            let cause = match number.checked_sub(1) {
                None => Cause::Stuck,
                Some(mark) if mark < self.demands.marks => Cause::Mark(mark),
                Some(number) => Cause::Demand(number - self.demands.marks),
            };
            if self.ask(cause)? {
                order.changed(number);
            }
        }
        Ok(())
    }

    /// Removes what a cause says cannot be on a fair run; whether there was something.
    fn ask(&mut self, cause: Cause) -> Result<bool, Stop> {
        match cause {
            Cause::Stuck => self.trim(),
            Cause::Mark(mark) => {
                let goal = self.product.sources_of_mark(&self.region, mark)?;
                self.reach(cause, &goal, None)
            }
            Cause::Demand(number) if self.removals.is_covered(number) => Ok(false),
            Cause::Demand(number) => {
                let Demand { when, then } = &self.demands.of_steps[number];
                let goal = self.product.sources(&self.region, then)?;
                self.reach(cause, &goal, when.as_ref())
            }
        }
    }

    /// Removes states, and bars steps, that must lead to `goal` again and again and cannot; whether there were any.
    fn reach(&mut self, cause: Cause, goal: &Sets, when: Option<&Steps>) -> Result<bool, Stop> {
        let (product, table) = (self.product, self.product.table);
        if *goal == self.region.sets {
            return Ok(false);
        }
        // What asks for the goal; nothing else can be removed.
        let mut asking = self.region.sets.clone();
        if let Some(when) = when.filter(|when| !bars(when)) {
            for set in &mut asking {
                *set = table.and(set, &when.otherwise)?;
            }
        }
        let served = |sets: &Sets| contains(table, sets, &asking);
        if served(goal)? {
            return Ok(false);
        }
        let near = match cause {
            Cause::Demand(number) => &self.near[number][..],
            _ => &[],
        };
        let reached = product.backward_near(goal, &self.region, near, &served)?;
        let (mut closed, mut removed) = (Vec::new(), Vec::new());
        for (set, reached) in self.region.sets.iter().zip(&reached) {
            let set = table.minus(set, reached)?;
            removed.push(match when {
                None => set.clone(),
                Some(when) if when.covers => table.and(&set, &when.otherwise)?,
                Some(_) => table.never(),
            });
            closed.push(set);
        }
        let barred = match when {
            Some(when) if bars(when) => self.bar(when, &closed)?,
            _ => false,
        };
        if !barred && product.is_nowhere(&removed) {
            return Ok(false);
        }
        self.removals.remove(&mut self.region, Removal { cause, closed, removed, barred })?;
        Ok(true)
    }

    /// Bars the `when` steps that leave states of a set; whether there were any.
    fn bar(&mut self, when: &Steps, closed: &Sets) -> Result<bool, Stop> {
        let table = self.product.table;
        let mut changed = false;
        for (arc, barred) in self.product.arcs.iter().zip(Rc::make_mut(&mut self.region.barred)) {
            for (group, barred) in barred.iter_mut().enumerate() {
                let broken = table.and(when.of(group), &closed[arc.source])?;
                if !table.is_subset(&broken, barred)? {
                    *barred = table.or(barred, &broken)?;
                    changed = true;
                }
            }
        }
        Ok(changed)
    }

    /// Removes states without a step that stays inside; whether there was one.
    fn trim(&mut self) -> Result<bool, Stop> {
        let stuck = self.stuck()?;
        if self.product.is_nowhere(&stuck) {
            return Ok(false);
        }
        if R::LAYERED {
            let (closed, removed) = (stuck.clone(), stuck);
            let removal = Removal { cause: Cause::Stuck, closed, removed, barred: false };
            self.removals.remove(&mut self.region, removal)?;
        } else {
            self.trim_all_layers()?;
        }
        Ok(true)
    }

    /// The states without a step that stays inside.
    fn stuck(&self) -> Result<Sets, Stop> {
        let (product, table) = (self.product, self.product.table);
        let mut left = self.region.sets.clone();
        for (number, arc) in product.arcs.iter().enumerate() {
            if let Some(clusters) = product.clusters(number, &self.region) {
                for cluster in clusters {
                    let before = table.preimage(&self.region.sets[arc.target], &cluster.relation)?;
                    let before = table.and(&before, &arc.label.otherwise)?;
                    left[arc.source] = table.minus(&left[arc.source], &before)?;
                }
                continue;
            }
            for group in product.system.groups_from(table, &left[arc.source], false)? {
                if table.is_never(&left[arc.source]) {
                    break;
                }
                let before = product.before(number, group, &self.region.sets[arc.target], &self.region)?;
                left[arc.source] = table.minus(&left[arc.source], &before)?;
            }
        }
        Ok(left)
    }

    /// Removes states without a step that stays inside until there are none.
    ///
    /// That every state has such a step is a union over arcs and groups, of preimages of the region. When the region
    /// shrinks, preimages of what it was before are still large enough; so they are renewed one at a time, and each
    /// may remove states at once. A chain of states that fall one after the other then needs few rounds.
    fn trim_all_layers(&mut self) -> Result<(), Stop> {
        let (product, table) = (self.product, self.product.table);
        let groups = product.system.groups.len();
        let mut ways: Vec<(usize, usize)> =
            (0..product.arcs.len()).flat_map(|arc| (0..groups).map(move |group| (arc, group))).collect();
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
                return Ok(());
            }
            ways.reverse();
        }
    }

    fn shrink(&mut self, state: usize, to: &Bdd, shrunk: &mut u32) -> Result<(), Stop> {
        let set = self.product.table.and(&self.region.sets[state], to)?;
        *shrunk += u32::from(set != self.region.sets[state]);
        self.region.sets[state] = set;
        Ok(())
    }
}

/// Which demand is asked next. Each is asked once after every change.
struct Order {
    /// Per demand, whether it was asked since the last change. Then it holds in the region as it is.
    asked: Vec<bool>,
    /// The demands that have changed the region, the last one at the end.
    recent: Vec<usize>,
    /// Where the circle goes on.
    place: usize,
}

/// How many demands that have changed the region are remembered.
const RECENT: usize = 6;

impl Order {
    fn new(demands: usize) -> Order {
        Order { asked: vec![false; demands], recent: Vec::new(), place: 0 }
    }

    /// The next demand; nothing if all hold.
    fn next(&mut self) -> Option<usize> {
        let count = self.asked.len();
        let near =
            self.recent.iter().rev().flat_map(|one| [*one, (one + count - 1) % count, (one + 1) % count]);
        let circle = (0..count).map(|more| (self.place + more) % count);
        let next = near.chain(circle).find(|number| !self.asked[*number])?;
        self.asked[next] = true;
        Some(next)
    }

    /// A demand has changed the region.
    fn changed(&mut self, number: usize) {
        self.asked.fill(false);
        self.recent.retain(|one| *one != number);
        self.recent.push(number);
        if self.recent.len() > RECENT {
            self.recent.remove(0);
        }
        self.place = number;
    }
}

/// Per demand, the groups that are likely to meet it: those that `then` tells apart, and those that write what it depends
/// on. If these are not few, only those that it tells apart.
fn near(product: &Product<'_, '_>, demands: &Demands) -> Vec<Vec<usize>> {
    let groups = &product.system.groups;
    let mut writers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        group.relation.writes().iter().for_each(|bit| writers.entry(*bit).or_default().push(number));
    }
    let near = |demand: &Demand| {
        let bits = product.table.support(&demand.then.otherwise);
        let writers = bits.iter().filter_map(|bit| writers.get(bit)).flatten();
        let near: BTreeSet<usize> = demand.then.at.keys().chain(writers).copied().collect();
        if near.len() <= groups.len() / FEW {
            near.into_iter().collect()
        } else {
            demand.then.at.keys().copied().collect()
        }
    };
    demands.of_steps.iter().map(near).collect()
}

/// Whether a demand with this `when` can bar steps of a state that remains.
fn bars(when: &Steps) -> bool {
    !when.at.is_empty()
}

/// Whether each set contains another.
pub(crate) fn contains(table: &Table<'_>, sets: &Sets, others: &Sets) -> Result<bool, Stop> {
    for (set, other) in sets.iter().zip(others) {
        if !table.is_subset(other, set)? {
            return Ok(false);
        }
    }
    Ok(true)
}
