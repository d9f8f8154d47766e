//! Closures: what can be reached from some product states inside a region, and from where they can be reached.
//!
//! Steps are chained: those of one arc and group after the other are added to the same sets. An arc and a group are
//! asked again only if the set they come from has grown, and a loop is followed to the end at once. Backwards, only
//! groups with a step from a state that is still missing are asked, and those that are likely to be enough are asked
//! first. Forwards, a cluster stands for its groups where
//! the arc does not tell them apart. On a loop of the automaton only proper steps are asked for: the others lead
//! nowhere.

use super::product::Arc;
use super::{Product, Region, Sets};
use crate::bdd::Relation;
use crate::encoding::Stop;

/// Asked after each round, with the sets so far: whether the rest does not matter.
type Enough<'e> = &'e dyn Fn(&Sets) -> Result<bool, Stop>;

impl Product<'_, '_> {
    /// What can be reached from `start` within a region.
    pub(crate) fn forward(&self, start: &Sets, region: &Region) -> Result<Sets, Stop> {
        self.forward_until(start, region, &|_| Ok(false))
    }

    /// The same, or less if that is enough.
    pub(crate) fn forward_until(
        &self,
        start: &Sets,
        region: &Region,
        enough: Enough<'_>,
    ) -> Result<Sets, Stop> {
        Closure::new(self, start, region, true)?.run(enough)
    }

    /// From where `goal` can be reached within a region.
    pub(crate) fn backward(&self, goal: &Sets, region: &Region) -> Result<Sets, Stop> {
        self.backward_until(goal, region, &|_| Ok(false))
    }

    /// The same, or less if that is enough.
    pub(crate) fn backward_until(
        &self,
        goal: &Sets,
        region: &Region,
        enough: Enough<'_>,
    ) -> Result<Sets, Stop> {
        Closure::new(self, goal, region, false)?.run(enough)
    }

    /// The same; at first only the steps of some groups are followed, in the hope that this is enough.
    pub(crate) fn backward_near(
        &self,
        goal: &Sets,
        region: &Region,
        near: &[usize],
        enough: Enough<'_>,
    ) -> Result<Sets, Stop> {
        let mut closure = Closure::new(self, goal, region, false)?;
        if closure.run_near(near, enough)? { Ok(closure.sets) } else { closure.run(enough) }
    }
}

/// A closure that grows.
struct Closure<'c, 's, 'a> {
    product: &'c Product<'s, 'a>,
    region: &'c Region,
    forward: bool,
    sets: Sets,
    /// Backwards, the states of the region that are missing, if groups are looked up by them.
    left: Sets,
    /// How often each set has grown, and at which growth each arc and group was asked last.
    growth: Vec<u32>,
    asked: Vec<u32>,
}

impl<'c, 's, 'a> Closure<'c, 's, 'a> {
    fn new(
        product: &'c Product<'s, 'a>,
        start: &Sets,
        region: &'c Region,
        forward: bool,
    ) -> Result<Closure<'c, 's, 'a>, Stop> {
        let table = product.table;
        let (mut sets, mut left) = (Vec::with_capacity(product.states), Vec::new());
        for (set, within) in start.iter().zip(&region.sets) {
            let set = table.and(set, within)?;
            if !forward && product.system.has_lookups() {
                left.push(table.minus(within, &set)?);
            }
            sets.push(set);
        }
        let growth = vec![1; product.states];
        let asked = vec![0; product.arcs.len() * product.system.groups.len()];
        Ok(Closure { product, region, forward, sets, left, growth, asked })
    }

    fn run(mut self, enough: Enough<'_>) -> Result<Sets, Stop> {
        let mut down = false;
        loop {
            let mut grown = false;
            for (number, arc) in self.product.arcs.iter().enumerate() {
                grown |= self.follow(number, arc, down)?;
            }
            // What one order needs many rounds for, the other may do in one.
            down = !down;
            if !grown || enough(&self.sets)? {
                return Ok(self.sets);
            }
        }
    }

    /// Adds the steps of some groups as long as there is something new; whether that is enough.
    fn run_near(&mut self, near: &[usize], enough: Enough<'_>) -> Result<bool, Stop> {
        let (product, groups) = (self.product, self.product.system.groups.len());
        loop {
            let mut grown = false;
            for (number, arc) in product.arcs.iter().enumerate() {
                for group in near {
                    let relation = self.relation(*group, arc.source == arc.target);
                    if !product.table.is_never(&self.sets[self.ends(arc).0]) {
                        grown |= self.grow(relation, number, *group, number * groups + group)?;
                    }
                }
            }
            if !grown || enough(&self.sets)? {
                return Ok(grown);
            }
        }
    }

    /// The steps of a group that are followed, on a loop of the automaton or elsewhere.
    fn relation(&self, group: usize, is_loop: bool) -> &'c Relation {
        let all = &self.product.system.groups[group];
        self.region.relations.get(group).unwrap_or(if is_loop { &all.proper } else { &all.relation })
    }

    /// Adds the steps of all groups along an arc; whether there was something new.
    fn follow(&mut self, number: usize, arc: &Arc, down: bool) -> Result<bool, Stop> {
        let (product, region) = (self.product, self.region);
        let (table, system) = (product.table, product.system);
        let (from, to) = self.ends(arc);
        if table.is_never(&self.sets[from]) || self.sets[to] == region.sets[to] {
            return Ok(false);
        }
        let (groups, is_loop) = (system.groups.len(), from == to);
        let mut grown = false;
        if let Some(clusters) = product.clusters(number, region).filter(|_| self.forward) {
            for (place, cluster) in clusters.iter().enumerate() {
                let relation = if is_loop { &cluster.proper } else { &cluster.relation };
                // The label is the same for all groups.
                grown |= self.grow(relation, number, 0, number * groups + place)?;
            }
            return Ok(grown);
        }
        let mut order: Vec<usize> = match self.left.get(to) {
            None => (0..groups).collect(),
            Some(left) => system.groups_from(table, left, is_loop)?,
        };
        if down {
            order.reverse();
        }
        for group in order {
            let relation = self.relation(group, is_loop);
            if !table.is_never(&relation.predicate) {
                grown |= self.grow(relation, number, group, number * groups + group)?;
            }
        }
        Ok(grown)
    }

    /// Adds the steps of a relation along an arc, if they were not asked since the set they come from has grown.
    fn grow(&mut self, relation: &Relation, number: usize, group: usize, slot: usize) -> Result<bool, Stop> {
        let (product, region) = (self.product, self.region);
        let (from, to) = self.ends(&product.arcs[number]);
        let mut grown = false;
        while self.sets[to] != region.sets[to] && self.asked[slot] != self.growth[from] {
            self.asked[slot] = self.growth[from];
            let found = if self.forward {
                product.after_by(relation, number, group, &self.sets[from], region)?
            } else {
                product.before_by(relation, number, group, &self.sets[from], region)?
            };
            let union = product.table.or(&self.sets[to], &found)?;
            if union != self.sets[to] {
                self.sets[to] = union;
                self.growth[to] += 1;
                grown = true;
                if let Some(left) = self.left.get_mut(to) {
                    *left = product.table.minus(&region.sets[to], &self.sets[to])?;
                }
            }
        }
        Ok(grown)
    }

    fn ends(&self, arc: &Arc) -> (usize, usize) {
        if self.forward { (arc.source, arc.target) } else { (arc.target, arc.source) }
    }
}
