//! Walks in the product: a path to some states, and a lasso through a fair region.
//!
//! A path is found in *rings*, the states by their distance from the start, and is then a shortest one. Where rings
//! have large diagrams and the engine does not insist on a shortest path, steps are chained instead.
//!
//! For a lasso we begin at the nearest state of the region and go down to a strong component that no step of the
//! region leaves: as long as some state can be reached that does not lead back, go there. Such a component is fair
//! (see [`super::fair`]). The stem is a path to it. The cycle begins where the stem ends, goes each time to the nearest
//! state where a demand can be met that has not been met yet, takes such a step, and at last goes back. Each of these
//! paths is short; the cycle as a whole need not be a shortest one.

use super::product::Arc;
use super::{Demands, Product, Region, Sets};
use crate::bdd::Bdd;
use crate::encoding::Stop;

/// A product state: the automaton's, and the values of the cells.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) automaton: usize,
    pub(crate) values: Vec<i64>,
}

/// A step of the product.
#[derive(Clone)]
pub(crate) struct Move {
    pub(crate) source: Place,
    pub(crate) arc: usize,
    pub(crate) group: usize,
}

/// A lasso, or a path.
pub(crate) struct Walk {
    pub(crate) moves: Vec<Move>,
    /// Where the cycle begins; for a path without a cycle, the number of moves.
    pub(crate) cycle: usize,
    /// Where the last move leads.
    pub(crate) end: Place,
}

/// Something that the cycle still has to meet.
enum Goal {
    Mark(usize),
    Demand(usize),
}

/// Finds walks in a product.
pub(crate) struct Walker<'p, 's, 'a> {
    pub(crate) product: &'p Product<'s, 'a>,
    /// The greatest number of nodes of a ring; beyond it a path may be longer than a shortest one.
    pub(crate) ring: usize,
}

impl Walker<'_, '_, '_> {
    /// A path from where runs begin to one of some states, all of them among those that can be reached.
    pub(crate) fn path(&self, goal: &Sets, reachable: &Sets) -> Result<Walk, Stop> {
        let everywhere = Region::of(reachable.clone());
        let (moves, end) = self.walk(&self.product.start(), goal, &everywhere)?;
        Ok(Walk { cycle: moves.len(), moves, end })
    }

    /// A lasso through a fair region that is not empty and can be reached.
    pub(crate) fn lasso(&self, region: &Region, demands: &Demands, reachable: &Sets) -> Result<Walk, Stop> {
        self.product.table.begin("lasso");
        let everywhere = Region::of(reachable.clone());
        let (_, nearest) = self.walk(&self.product.start(), &region.sets, &everywhere)?;
        let component = self.component(region, nearest)?;
        let (mut moves, entry) = self.walk(&self.product.start(), &component.sets, &everywhere)?;
        let cycle = moves.len();
        moves.extend(self.cycle(&component, demands, &entry)?);
        Ok(Walk { moves, cycle, end: entry })
    }

    /// A strong component of a region that no step of it leaves, and that can be reached from a place.
    fn component(&self, region: &Region, mut place: Place) -> Result<Region, Stop> {
        let (product, table) = (self.product, self.product.table);
        loop {
            let single = self.single(&place)?;
            let reached = product.forward(&single, region)?;
            let inside = region.with(reached);
            let returning = product.backward(&single, &inside)?;
            if returning == inside.sets {
                return Ok(inside);
            }
            let mut beyond = product.nowhere();
            for (beyond, (reached, returning)) in beyond.iter_mut().zip(inside.sets.iter().zip(&returning)) {
                *beyond = table.minus(reached, returning)?;
            }
            (_, place) = self.walk(&single, &beyond, &inside)?;
        }
    }

    /// A cycle of a component from `entry` that meets all demands.
    fn cycle(&self, component: &Region, demands: &Demands, entry: &Place) -> Result<Vec<Move>, Stop> {
        let product = self.product;
        let mut open: Vec<(Goal, Sets)> = Vec::new();
        for mark in 0..demands.marks {
            open.push((Goal::Mark(mark), product.sources_of_mark(component, mark)?));
        }
        for (number, demand) in demands.of_steps.iter().enumerate() {
            let asks = match &demand.when {
                None => true,
                Some(when) => !product.is_nowhere(&product.sources(component, when)?),
            };
            if asks {
                open.push((Goal::Demand(number), product.sources(component, &demand.then)?));
            }
        }
        let mut cycle: Vec<Move> = Vec::new();
        let mut here = entry.clone();
        while !open.is_empty() {
            let bits = self.encode(&here);
            let at_once = open.iter().any(|(_, sets)| self.has(&sets[here.automaton], &bits));
            let (path, there) = if at_once {
                (Vec::new(), here)
            } else {
                let mut nearest = product.nowhere();
                for (_, sets) in &open {
                    for (all, set) in nearest.iter_mut().zip(sets) {
                        *all = product.table.or(all, set)?;
                    }
                }
                self.walk(&self.single(&here)?, &nearest, component)?
            };
            let from = cycle.len();
            cycle.extend(path);
            let bits = self.encode(&there);
            let is_near = |(_, sets): &&(Goal, Sets)| self.has(&sets[there.automaton], &bits);
            let goals: Vec<&Goal> = open.iter().filter(is_near).map(|(goal, _)| goal).collect();
            let (step, next) = self.best_step(&there, component, &goals, demands)?;
            cycle.push(step);
            here = next;
            for Move { source, arc, group } in &cycle[from..] {
                let bits = self.encode(source);
                open.retain(|(goal, _)| !self.meets(goal, demands, *arc, *group, &bits));
            }
        }
        if cycle.is_empty() {
            let (step, next) = self.best_step(&here, component, &[], demands)?;
            cycle.push(step);
            here = next;
        }
        if here != *entry {
            let (path, _) = self.walk(&self.single(&here)?, &self.single(entry)?, component)?;
            cycle.extend(path);
        }
        Ok(cycle)
    }

    /// Whether a step from the state with these bits meets a goal.
    fn meets(&self, goal: &Goal, demands: &Demands, arc: usize, group: usize, bits: &[bool]) -> bool {
        match goal {
            Goal::Mark(mark) => self.product.arcs[arc].marks.contains(mark),
            Goal::Demand(number) => self.has(demands.of_steps[*number].then.of(group), bits),
        }
    }

    /// A step that stays in a region and meets the first of some goals; any step if there is none.
    fn best_step(
        &self,
        place: &Place,
        region: &Region,
        goals: &[&Goal],
        demands: &Demands,
    ) -> Result<(Move, Place), Stop> {
        let product = self.product;
        let (single, bits) = (self.set(&place.values)?, self.encode(place));
        let groups = product.system.groups.len();
        // Any goal that a step of the state can meet will do; the first is tried first, for the sake of order.
        for goal in goals.iter().map(|goal| Some(*goal)).chain(goals.is_empty().then_some(None)) {
            for (arc, group) in
                (0..product.arcs.len()).flat_map(|arc| (0..groups).map(move |group| (arc, group)))
            {
                if product.arcs[arc].source != place.automaton
                    || !self.has(&product.system.groups[group].enabled, &bits)
                    || goal.is_some_and(|goal| !self.meets(goal, demands, arc, group, &bits))
                {
                    continue;
                }
                let targets = product.after(arc, group, &single, region)?;
                if !product.table.is_never(&targets) {
                    let next = Place { automaton: product.arcs[arc].target, values: self.pick(&targets) };
                    return Ok((Move { source: place.clone(), arc, group }, next));
                }
            }
        }
        unreachable!("a state of the component has such a step")
    }

    /// A path inside a region from a state of `start` to a state of `goal`, and where it ends; a shortest one unless a
    /// ring is too large.
    fn walk(&self, start: &Sets, goal: &Sets, region: &Region) -> Result<(Vec<Move>, Place), Stop> {
        let (product, table) = (self.product, self.product.table);
        let mut seen = Vec::new();
        for (set, within) in start.iter().zip(&region.sets) {
            seen.push(table.and(set, within)?);
        }
        let mut rings = vec![seen.clone()];
        let end = loop {
            let ring = rings.last().expect("there is always a ring");
            let mut met = None;
            for (state, (ring, goal)) in ring.iter().zip(goal).enumerate() {
                let both = table.and(ring, goal)?;
                if met.is_none() && !table.is_never(&both) {
                    met = Some(Place { automaton: state, values: self.pick(&both) });
                }
            }
            if let Some(met) = met {
                break met;
            }
            let mut images = vec![Vec::new(); product.states];
            for (number, arc) in product.arcs.iter().enumerate() {
                if table.is_never(&ring[arc.source]) {
                    continue;
                }
                for group in product.system.groups_from(table, &ring[arc.source], false)? {
                    images[arc.target].push(product.after(number, group, &ring[arc.source], region)?);
                }
            }
            let mut next = product.nowhere();
            for (state, images) in images.into_iter().enumerate() {
                next[state] = table.minus(&table.any(images)?, &seen[state])?;
                seen[state] = table.or(&seen[state], &next[state])?;
            }
            assert!(!product.is_nowhere(&next), "the goal can be reached");
            if self.ring < usize::MAX && next.iter().map(|set| table.size(set)).sum::<usize>() > self.ring {
                return self.chain(start, goal, region);
            }
            rings.push(next);
        };
        rings.pop();
        let mut moves = Vec::with_capacity(rings.len());
        let mut target = end.clone();
        for ring in rings.into_iter().rev() {
            let step = self.predecessor(&region.with(ring), &target)?;
            target = step.source.clone();
            moves.push(step);
        }
        moves.reverse();
        Ok((moves, end))
    }

    /// A path, not a shortest one: the steps of one group after the other are added to the same sets, and each addition
    /// is kept. Going back, a state comes from the set that its addition was made from.
    fn chain(&self, start: &Sets, goal: &Sets, region: &Region) -> Result<(Vec<Move>, Place), Stop> {
        let (product, table) = (self.product, self.product.table);
        let groups = product.system.groups.len();
        let mut sets = Vec::new();
        for (set, within) in start.iter().zip(&region.sets) {
            sets.push(table.and(set, within)?);
        }
        let start = sets.clone();
        let mut additions: Vec<(usize, usize, Bdd)> = Vec::new();
        let mut growth = vec![1u32; product.states];
        let mut asked = vec![0u32; product.arcs.len() * groups];
        let (mut arc, mut group) = (0, 0);
        let mut idle = 0;
        let end = loop {
            let Arc { source, target, .. } = product.arcs[arc];
            let asked = &mut asked[arc * groups + group];
            idle += 1;
            if *asked != growth[source] {
                *asked = growth[source];
                let found = product.after(arc, group, &sets[source], region)?;
                let added = table.minus(&found, &sets[target])?;
                if !table.is_never(&added) {
                    idle = 0;
                    sets[target] = table.or(&sets[target], &added)?;
                    growth[target] += 1;
                    let met = table.and(&added, &goal[target])?;
                    additions.push((arc, group, added));
                    if !table.is_never(&met) {
                        break Place { automaton: target, values: self.pick(&met) };
                    }
                    if source == target {
                        // A loop is followed to the end at once.
                        continue;
                    }
                }
            }
            assert!(idle <= product.arcs.len() * groups, "the goal can be reached");
            group += 1;
            if group == groups {
                group = 0;
                arc = (arc + 1) % product.arcs.len();
            }
        };
        let mut moves = Vec::new();
        let mut here = end.clone();
        let mut before = additions.len();
        loop {
            let bits = self.encode(&here);
            if self.has(&start[here.automaton], &bits) {
                break;
            }
            let is_there = |(arc, _, added): &(usize, usize, Bdd)| {
                product.arcs[*arc].target == here.automaton && self.has(added, &bits)
            };
            before = additions[..before].iter().position(is_there).expect("it was added earlier");
            let (arc, group, _) = additions[before];
            let source = product.arcs[arc].source;
            let sources = product.before(arc, group, &self.set(&here.values)?, region)?;
            let earlier = additions[..before].iter().filter(|(arc, ..)| product.arcs[*arc].target == source);
            let mut from = table.and(&sources, &start[source])?;
            for (.., added) in earlier {
                if !table.is_never(&from) {
                    break;
                }
                from = table.and(&sources, added)?;
            }
            here = Place { automaton: source, values: self.pick(&from) };
            moves.push(Move { source: here.clone(), arc, group });
        }
        moves.reverse();
        Ok((moves, end))
    }

    /// A step of the region from a state of a ring to `target`.
    fn predecessor(&self, ring: &Region, target: &Place) -> Result<Move, Stop> {
        let product = self.product;
        let single = self.set(&target.values)?;
        for (number, arc) in product.arcs.iter().enumerate() {
            if arc.target != target.automaton {
                continue;
            }
            for group in 0..product.system.groups.len() {
                let sources = product.before(number, group, &single, ring)?;
                if !product.table.is_never(&sources) {
                    let source = Place { automaton: arc.source, values: self.pick(&sources) };
                    return Ok(Move { source, arc: number, group });
                }
            }
        }
        unreachable!("each ring leads to the next")
    }

    /// The bits of the abstract state of a place.
    fn encode(&self, place: &Place) -> Vec<bool> {
        self.product.cells.encode(&place.values)
    }

    fn has(&self, set: &Bdd, bits: &[bool]) -> bool {
        self.product.table.contains(set, bits)
    }

    fn pick(&self, set: &Bdd) -> Vec<i64> {
        self.product.cells.decode(&self.product.table.pick(set).expect("the set is not empty"))
    }

    fn set(&self, values: &[i64]) -> Result<Bdd, Stop> {
        Ok(self.product.cells.single(self.product.table, values)?)
    }

    fn single(&self, place: &Place) -> Result<Sets, Stop> {
        let mut sets = self.product.nowhere();
        sets[place.automaton] = self.set(&place.values)?;
        Ok(sets)
    }
}
