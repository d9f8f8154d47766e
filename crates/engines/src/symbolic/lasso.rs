//! A lasso through a fair region.
//!
//! From the nearest state of the region we go down to a strong component that no step of the region leaves: as long as
//! something can be reached from the state that does not lead back, go there. Such a component is fair (see `fair`).
//! The stem is a shortest path to it. The cycle begins where the stem ends and goes each time to the nearest state
//! where a demand can be met that has not been met yet, takes such a step, and at last goes back. All paths are
//! found in rings, so each of them is as short as can be; the cycle as a whole need not be.

use model::State;
use model::answer::{Lasso, Position};

use super::fair::{Demands, sources, sources_of_mark};
use super::product::{Product, Region, Sets};
use super::steps::{Demand, Steps};
use crate::encoding::Stop;
use crate::graph::fold::fold;

/// A step of the product: from where, by which arc and which group.
struct Move {
    source: State,
    arc: usize,
    group: usize,
}

/// A state of the product.
#[derive(Clone, PartialEq, Eq)]
struct Place {
    automaton: usize,
    state: State,
}

/// Something that the cycle still has to meet.
enum Goal<'d> {
    Mark(usize),
    Demand(&'d Demand),
}

/// A lasso from an initial state through a fair region that is not empty and can be reached.
pub(super) fn lasso(
    product: &Product<'_, '_>,
    region: &Region,
    demands: &Demands,
    reachable: &Sets,
) -> Result<Lasso, Stop> {
    product.system.table.begin("lasso");
    let walker = Walker { product };
    let everywhere = Region::of(reachable.clone());
    let (_, nearest) = walker.walk(&product.start(), &region.sets, &everywhere)?;
    let component = walker.component(region, nearest)?;
    let (stem, entry) = walker.walk(&product.start(), &component.sets, &everywhere)?;
    let cycle = walker.cycle(&component, demands, &entry)?;
    let mut states: Vec<State> = stem.iter().chain(&cycle).map(|step| step.source.clone()).collect();
    states.push(entry.state);
    let position = |(number, step): (usize, &Move)| Position {
        state: step.source.clone(),
        label: product.system.label(step.group, &step.source, &states[number + 1]),
    };
    let mut positions: Vec<Position> = stem.iter().chain(&cycle).enumerate().map(position).collect();
    let mut cycle = positions.split_off(stem.len());
    fold(&mut positions, &mut cycle);
    let begin = positions.len();
    positions.append(&mut cycle);
    Ok(Lasso { positions, cycle: begin })
}

struct Walker<'p, 's, 'a> {
    product: &'p Product<'s, 'a>,
}

impl Walker<'_, '_, '_> {
    /// A strong component of a region that no step of it leaves, and that can be reached from a place.
    fn component(&self, region: &Region, mut place: Place) -> Result<Region, Stop> {
        let (product, table) = (self.product, self.product.system.table);
        loop {
            let single = self.single(&place)?;
            let reached = product.forward(&single, region)?;
            let inside = region.with(reached);
            let returning = product.backward(&single, &inside, &|_| Ok(false))?;
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
        let mut open: Vec<(Goal<'_>, Sets)> = Vec::new();
        for mark in 0..demands.marks {
            open.push((Goal::Mark(mark), sources_of_mark(self.product, component, mark)?));
        }
        for demand in &demands.of_steps {
            let asks = match &demand.when {
                None => true,
                Some(when) => !self.product.is_nowhere(&sources(self.product, component, when)?),
            };
            if asks {
                open.push((Goal::Demand(demand), sources(self.product, component, &demand.then)?));
            }
        }
        let mut cycle = Vec::new();
        let mut here = entry.clone();
        while !open.is_empty() {
            let mut nearest = self.product.nowhere();
            for (_, sets) in &open {
                for (all, set) in nearest.iter_mut().zip(sets) {
                    *all = self.product.system.table.or(all, set)?;
                }
            }
            let (path, there) = self.walk(&self.single(&here)?, &nearest, component)?;
            let from = cycle.len();
            cycle.extend(path);
            let goal = open
                .iter()
                .find(|(_, sets)| self.product.system.contains(&sets[there.automaton], &there.state))
                .map(|(goal, _)| goal)
                .expect("one of the goals is met there");
            let (step, next) =
                self.step(&there, component, |arc, group| self.meets(goal, arc, group, &there.state))?;
            cycle.push(step);
            here = next;
            open.retain(|(goal, _)| {
                !cycle[from..].iter().any(|step| self.meets(goal, step.arc, step.group, &step.source))
            });
        }
        if cycle.is_empty() {
            let (step, next) = self.step(&here, component, |_, _| true)?;
            cycle.push(step);
            here = next;
        }
        let (path, _) = self.walk(&self.single(&here)?, &self.single(entry)?, component)?;
        cycle.extend(path);
        Ok(cycle)
    }

    /// Whether a step meets a goal.
    fn meets(&self, goal: &Goal<'_>, arc: usize, group: usize, source: &State) -> bool {
        match goal {
            Goal::Mark(mark) => self.product.arcs[arc].marks.contains(mark),
            Goal::Demand(Demand { then, .. }) => self.is_among(then, group, source),
        }
    }

    fn is_among(&self, steps: &Steps, group: usize, source: &State) -> bool {
        self.product.system.contains(steps.of(group), source)
    }

    /// A step that stays in a region and whose arc and group are wanted.
    fn step(
        &self,
        place: &Place,
        region: &Region,
        wanted: impl Fn(usize, usize) -> bool,
    ) -> Result<(Move, Place), Stop> {
        let product = self.product;
        let single = product.system.single(&place.state)?;
        for (arc, Place { automaton, .. }, group) in self.leaving(place) {
            if !wanted(arc, group) {
                continue;
            }
            let targets = product.after(arc, group, &single, region)?;
            if !product.system.table.is_never(&targets) {
                let next = Place { automaton, state: product.system.pick(&targets) };
                return Ok((Move { source: place.state.clone(), arc, group }, next));
            }
        }
        unreachable!("a state of the component has such a step")
    }

    /// All arcs and groups from a place.
    fn leaving<'q>(&'q self, place: &'q Place) -> impl Iterator<Item = (usize, Place, usize)> + 'q {
        let arcs = self.product.arcs.iter().enumerate().filter(|(_, arc)| arc.source == place.automaton);
        arcs.flat_map(move |(number, arc)| {
            let target = Place { automaton: arc.target, state: place.state.clone() };
            (0..self.product.system.groups.len()).map(move |group| (number, target.clone(), group))
        })
    }

    /// A shortest path inside a region from a state of `start` to a state of `goal`, and where it ends.
    fn walk(&self, start: &Sets, goal: &Sets, region: &Region) -> Result<(Vec<Move>, Place), Stop> {
        let (product, table) = (self.product, self.product.system.table);
        let mut seen = Vec::new();
        for (set, within) in start.iter().zip(&region.sets) {
            seen.push(table.and(set, within)?);
        }
        let mut rings = vec![seen.clone()];
        let end = loop {
            let ring = rings.last().expect("there is always a ring");
            let mut met = product.nowhere();
            for (met, (ring, goal)) in met.iter_mut().zip(ring.iter().zip(goal)) {
                *met = table.and(ring, goal)?;
            }
            if !product.is_nowhere(&met) {
                break self.pick(&met);
            }
            let mut images = vec![Vec::new(); product.states];
            for (number, arc) in product.arcs.iter().enumerate() {
                if table.is_never(&ring[arc.source]) {
                    continue;
                }
                for group in 0..product.system.groups.len() {
                    images[arc.target].push(product.after(number, group, &ring[arc.source], region)?);
                }
            }
            let mut next = product.nowhere();
            for (state, images) in images.into_iter().enumerate() {
                next[state] = table.minus(&table.any(images)?, &seen[state])?;
                seen[state] = table.or(&seen[state], &next[state])?;
            }
            assert!(!product.is_nowhere(&next), "the goal can be reached");
            rings.push(next);
        };
        rings.pop();
        let mut moves = Vec::with_capacity(rings.len());
        let mut target = end.clone();
        for ring in rings.iter().rev() {
            let (step, place) = self.predecessor(&region.with(ring.clone()), &target)?;
            moves.push(step);
            target = place;
        }
        moves.reverse();
        Ok((moves, end))
    }

    /// A state of a ring from which a step of the region leads to `target`.
    fn predecessor(&self, ring: &Region, target: &Place) -> Result<(Move, Place), Stop> {
        let product = self.product;
        let single = product.system.single(&target.state)?;
        for (number, arc) in product.arcs.iter().enumerate() {
            if arc.target != target.automaton {
                continue;
            }
            for group in 0..product.system.groups.len() {
                let sources = product.before(number, group, &single, ring)?;
                if !product.system.table.is_never(&sources) {
                    let state = product.system.pick(&sources);
                    let step = Move { source: state.clone(), arc: number, group };
                    return Ok((step, Place { automaton: arc.source, state }));
                }
            }
        }
        unreachable!("each ring leads to the next")
    }

    fn pick(&self, sets: &Sets) -> Place {
        let table = self.product.system.table;
        let automaton = sets.iter().position(|set| !table.is_never(set)).expect("the sets are not all empty");
        Place { automaton, state: self.product.system.pick(&sets[automaton]) }
    }

    fn single(&self, place: &Place) -> Result<Sets, Stop> {
        let mut sets = self.product.nowhere();
        sets[place.automaton] = self.product.system.single(&place.state)?;
        Ok(sets)
    }
}
