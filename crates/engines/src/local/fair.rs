//! Where fair runs of the product may be, and, if nowhere, why.
//!
//! We look for the greatest region in which every state has a step that stays inside, and from every state where a
//! `when` step of a demand begins a `then` step can be reached: the nested fixpoint for justice and compassion
//! [KPRS06], on steps instead of states. It is empty iff the product has no fair run.
//!
//! Each removal is an *event*: for a demand, the set `closed` of the states from which no `then` step can be reached, no
//! step leaves it; and the states of it that are removed, because all their steps are `when` steps. Where only some are,
//! these are barred. The list of events is a proof: along a fair run the number of the event that removes its
//! state falls (the compassion rule of [PS08]). It is kept in few words ([`super::concise`]), since with what the region
//! knows of every process it would be as large as the square of their number.
//!
//! Where processes can be exchanged ([`super::exchange`]) the region can too, at first and as long as the same is removed
//! for all of them. What is removed for one, if it is said of that one alone, is then removed for the others in the same
//! words, without a search.

use std::collections::BTreeSet;

use super::abstraction::{Demand, Steps};
use super::concise::Words;
use super::exchange::{Member, Twins};
use super::product::{Product, Region, Sets};
use crate::bdd::Bdd;
use crate::encoding::Stop;

/// What a fair run must do again and again.
pub(super) struct Demands<'d> {
    /// The requirements, and the process that each is about.
    pub(super) of_steps: &'d [Demand],
    pub(super) about: Vec<Option<usize>>,
    /// Which of them exchanges of processes turn into one another.
    pub(super) twins: Twins,
    /// Steps of these groups, if there are any (variant A).
    pub(super) of_class: Option<Steps>,
}

/// What some product states are removed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// They have no step that stays inside.
    Stuck,
    /// A mark of the automaton.
    Mark(usize),
    /// A requirement, by position.
    Requirement(usize),
    /// The steps of variant A.
    Class,
}

/// A removal. Its sets say what they must of the region as it was, briefly, and anything of other states.
pub(super) struct Event {
    pub(super) cause: Cause,
    /// From here the demand cannot be met.
    pub(super) closed: Sets,
    pub(super) removed: Sets,
}

/// The greatest fair region within some sets, perhaps empty, and the events that led to it, if they are to be `told`.
pub(super) fn fair_region(
    product: &Product<'_, '_>,
    within: Sets,
    demands: &Demands<'_>,
    told: bool,
) -> Result<(Region, Vec<Event>), Stop> {
    let table = product.system.table;
    table.begin("fair states");
    let bars = demands.of_steps.iter().filter_map(|demand| demand.when.as_ref()).any(|w| !w.at.is_empty());
    let groups = vec![table.never(); product.system.groups.len()];
    let barred = if bars { vec![groups; product.arcs.len()] } else { Vec::new() };
    let system = product.system;
    let words = Words::new(table, system.cells, system.split.instance.cells.len() + system.partitions.len())?;
    let likely = [BTreeSet::new(), BTreeSet::new()];
    let mut search = Search {
        product,
        demands,
        region: Region { sets: within, barred },
        told,
        words,
        likely,
        symmetric: true,
        events: Vec::new(),
    };
    let mut causes = vec![Cause::Stuck];
    causes.extend((0..product.marks).map(Cause::Mark));
    causes.extend(demands.of_class.iter().map(|_| Cause::Class));
    causes.extend((0..demands.of_steps.len()).map(Cause::Requirement));
    // Demands that no step of the region can meet only remove, and what is left is smaller; so they come first.
    for (number, Demand { when, then }) in demands.of_steps.iter().enumerate() {
        let cause = Cause::Requirement(number);
        if search.follows(cause) {
            continue;
        }
        let goal = sources(product, &search.region, then)?;
        if product.is_nowhere(&goal) {
            search.reach(cause, &goal, when.as_ref())?;
        }
    }
    // A removal often makes the next one possible, that of a neighbour up or down the order; so the causes are asked up
    // and down, each until it removes nothing more, until a pass changes nothing.
    let mut changed = true;
    while changed && !product.is_nowhere(&search.region.sets) {
        changed = false;
        for cause in &causes {
            while !search.follows(*cause) && search.apply(*cause)? {
                changed = true;
            }
        }
        causes.reverse();
    }
    Ok((search.region, search.events))
}

/// The states of a region from which a step of the set leads into it.
pub(super) fn sources(product: &Product<'_, '_>, region: &Region, steps: &Steps) -> Result<Sets, Stop> {
    let table = product.system.table;
    let mut found = product.nowhere();
    let mut covers = true;
    for set in steps.at.values() {
        covers = covers && table.is_subset(&steps.otherwise, set)?;
    }
    if covers {
        // Every step that leaves a state of `otherwise` is one. That such a state has a step that stays inside is another
        // question, and asked there.
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
            if (covers && !steps.at.contains_key(&group)) || table.is_never(steps.of(group)) {
                continue;
            }
            if found[arc.source] == region.sets[arc.source] {
                break;
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

struct Search<'p, 's, 'a> {
    product: &'p Product<'s, 'a>,
    demands: &'p Demands<'p>,
    region: Region,
    told: bool,
    words: Words<'p, 'a>,
    /// The cells that the last event spoke of, in what it closed and what it removed, without those of the process of its
    /// requirement.
    likely: [BTreeSet<usize>; 2],
    /// Whether the region is still the same under every exchange of processes that are alike.
    symmetric: bool,
    events: Vec<Event>,
}

impl<'p> Search<'p, '_, '_> {
    /// Removes what a cause says cannot be on a fair run; whether there was something.
    fn apply(&mut self, cause: Cause) -> Result<bool, Stop> {
        let demands = self.demands;
        let (then, when) = match cause {
            Cause::Stuck => return self.go_on(),
            Cause::Mark(mark) => {
                let goal = sources_of_mark(self.product, &self.region, mark)?;
                return self.reach(cause, &goal, None);
            }
            Cause::Class => (demands.of_class.as_ref(), None),
            Cause::Requirement(number) => {
                let Demand { when, then } = &demands.of_steps[number];
                (Some(then), when.as_ref())
            }
        };
        let Some(then) = then else { return Ok(false) };
        let goal = sources(self.product, &self.region, then)?;
        self.reach(cause, &goal, when)
    }

    /// Removes states without a step that stays inside; whether there was one.
    fn go_on(&mut self) -> Result<bool, Stop> {
        let product = self.product;
        let table = product.system.table;
        let mut left = self.region.sets.clone();
        for (number, arc) in product.arcs.iter().enumerate() {
            for group in product.system.enabled.met_by(table, &left[arc.source])? {
                if table.is_never(&left[arc.source]) {
                    break;
                }
                let before = product.before(number, group, &self.region.sets[arc.target], &self.region)?;
                left[arc.source] = table.minus(&left[arc.source], &before)?;
            }
        }
        if product.is_nowhere(&left) {
            return Ok(false);
        }
        self.remove(Cause::Stuck, left.clone(), left)?;
        Ok(true)
    }

    /// Removes states, and bars steps, that must lead to `goal` again and again and cannot; whether there were any.
    fn reach(&mut self, cause: Cause, goal: &Sets, when: Option<&Steps>) -> Result<bool, Stop> {
        if *goal == self.region.sets {
            return Ok(false);
        }
        let table = self.product.system.table;
        // What asks for the goal; nothing else can be removed.
        let mut asking = self.region.sets.clone();
        if let Some(when) = when.filter(|when| when.at.is_empty()) {
            for set in &mut asking {
                *set = table.and(set, &when.otherwise)?;
            }
        }
        let served = |sets: &Sets| {
            for (set, asking) in sets.iter().zip(&asking) {
                if !table.is_subset(asking, set)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        if served(goal)? {
            return Ok(false);
        }
        let reached = self.product.backward(goal, &self.region, &served)?;
        let mut closed = Vec::new();
        for (set, reached) in self.region.sets.iter().zip(&reached) {
            closed.push(table.minus(set, reached)?);
        }
        if self.product.is_nowhere(&closed) {
            return Ok(false);
        }
        let Some(when) = when else {
            self.remove(cause, closed.clone(), closed)?;
            return Ok(true);
        };
        if when.at.is_empty() {
            let mut removed = Vec::new();
            for set in &closed {
                removed.push(table.and(set, &when.otherwise)?);
            }
            if self.product.is_nowhere(&removed) {
                return Ok(false);
            }
            self.remove(cause, closed, removed)?;
            return Ok(true);
        }
        let mut changed = false;
        for (arc, barred) in self.product.arcs.iter().zip(&mut self.region.barred) {
            for (group, barred) in barred.iter_mut().enumerate() {
                let broken = table.and(when.of(group), &closed[arc.source])?;
                if !table.is_subset(&broken, barred)? {
                    *barred = table.or(barred, &broken)?;
                    changed = true;
                }
            }
        }
        if changed {
            // Steps of one process are barred, and not those of others like it.
            self.symmetric = self.symmetric && self.twins(cause).is_none();
            let none = self.product.nowhere();
            self.remove(cause, closed, none)?;
        }
        Ok(changed)
    }

    fn remove(&mut self, cause: Cause, mut closed: Sets, mut removed: Sets) -> Result<(), Stop> {
        let system = self.product.system;
        let table = system.table;
        let about = match cause {
            Cause::Requirement(number) => {
                self.demands.about[number].map(|process| system.class_cell(process))
            }
            _ => None,
        };
        let twins = self.twins(cause);
        let likely = self.likely.clone().map(|cells| cells.into_iter().chain(about).collect());
        let mut spoken_of = [BTreeSet::new(), BTreeSet::new()];
        for (set, (closed, removed)) in self.region.sets.iter_mut().zip(closed.iter_mut().zip(&mut removed)) {
            let left = table.minus(set, removed)?;
            if self.told || twins.is_some() {
                let same = closed == removed;
                *removed = self.words.concise(removed, &left, &likely[1])?;
                spoken_of[1].extend(self.words.spoken_of(removed));
                *closed = if same {
                    removed.clone()
                } else {
                    let elsewhere = table.minus(set, closed)?;
                    self.words.concise(closed, &elsewhere, &likely[0])?
                };
                spoken_of[0].extend(self.words.spoken_of(closed));
            }
            *set = left;
        }
        spoken_of.iter_mut().for_each(|cells| cells.retain(|cell| Some(*cell) != about));
        if let Some(twins) = twins {
            let first = system.class_cell(0);
            let is_free = |cell: &usize| *cell < first || !self.demands.twins.moves(*cell - first);
            self.symmetric = spoken_of.iter().flatten().all(is_free);
            if self.symmetric {
                self.remove_twins(twins, cause, &closed, &removed)?;
            }
        }
        if self.told {
            self.likely = spoken_of;
            self.events.push(Event { cause, closed, removed });
        }
        Ok(())
    }

    /// Whether a cause is dealt with when another one is, that of which it is a twin.
    fn follows(&self, cause: Cause) -> bool {
        let Cause::Requirement(number) = cause else { return false };
        self.twins(cause).is_some_and(|twins| twins[0].0 != number)
    }

    /// The twins of a cause, as long as they can be dealt with together.
    fn twins(&self, cause: Cause) -> Option<&'p [Member]> {
        match cause {
            Cause::Requirement(number) if self.symmetric => self.demands.twins.of(number),
            _ => None,
        }
    }

    /// Removes for all twins of a cause what was removed for it, in other words: the name of its process replaced.
    fn remove_twins(
        &mut self,
        twins: &[Member],
        cause: Cause,
        closed: &Sets,
        removed: &Sets,
    ) -> Result<(), Stop> {
        let (system, words) = (self.product.system, &self.words);
        let own = twins.iter().find(|(number, _)| cause == Cause::Requirement(*number));
        let Some((_, own)) = own.copied() else { return Ok(()) };
        let mut all: Vec<Vec<Bdd>> = vec![Vec::new(); removed.len()];
        for (number, process) in twins.iter().filter(|(_, process)| *process != own) {
            let of = |set: &Bdd| words.renamed(set, system.class_cell(own), system.class_cell(*process));
            let removed = removed.iter().map(of).collect::<Result<Sets, _>>()?;
            for (all, set) in all.iter_mut().zip(&removed) {
                all.push(set.clone());
            }
            if self.told {
                let closed = closed.iter().map(of).collect::<Result<Sets, _>>()?;
                self.events.push(Event { cause: Cause::Requirement(*number), closed, removed });
            }
        }
        for (set, all) in self.region.sets.iter_mut().zip(all) {
            *set = system.table.minus(set, &system.table.any(all)?)?;
        }
        Ok(())
    }
}
