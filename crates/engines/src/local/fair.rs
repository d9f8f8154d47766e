//! The fair region of an abstract system, and, if it is empty, why.
//!
//! The fixpoint is that of [`crate::regions::fair`]. Each removal is an *event*: for a demand, the set `closed` of the
//! states from which no `then` step can be reached, and the states of it that are removed, because all their steps are
//! `when` steps. Where only some are, these are barred. The list of events is a proof: along a fair run the number of
//! the event that removes its state falls (the compassion rule of [PS08]). The sets of an event are made short
//! ([`super::concise`]): with all that the region knows of every process, the proof would grow with the square of their
//! number.
//!
//! Where processes can be exchanged ([`super::exchange`]) the region can too, at first and as long as the same is
//! removed for all of them. If an event for one process speaks of no other process that can be exchanged, it is repeated
//! for the others with the name of the process replaced, without a search.

use std::collections::BTreeSet;

use super::abstraction::Abstraction;
use super::concise::Words;
use super::exchange::{Member, Twins};
use crate::bdd::Bdd;
use crate::encoding::Stop;
use crate::regions::fair::{Cause, Removal, Removals, Search};
use crate::regions::{Demands, Product, Region, Sets};

/// What is known of demands beside their steps.
pub(super) struct Subjects {
    /// The process that each requirement is about. Further demands come after the requirements.
    pub(super) about: Vec<Option<usize>>,
    /// Which of them exchanges of processes turn into one another.
    pub(super) twins: Twins,
}

/// A removal. Its sets are right for states of the region as it was, and contain any others.
pub(super) struct Event {
    pub(super) cause: Cause,
    /// From here the demand cannot be met.
    pub(super) closed: Sets,
    pub(super) removed: Sets,
}

/// The greatest fair region within some sets, perhaps empty, and the events that led to it, if they are to be `told`.
pub(super) fn fair_region(
    system: &Abstraction<'_>,
    product: &Product<'_, '_>,
    within: Sets,
    demands: &Demands,
    subjects: &Subjects,
    told: bool,
) -> Result<(Region, Vec<Event>), Stop> {
    let cells = system.sharing.instance.cells.len() + system.partitions.len();
    let recorder = Recorder {
        system,
        subjects,
        told,
        words: Words::new(system.table, system.cells, cells)?,
        likely: [BTreeSet::new(), BTreeSet::new()],
        symmetric: true,
        events: Vec::new(),
    };
    let mut search = Search::new(product, within, demands, recorder);
    search.ask_unmet()?;
    search.settle()?;
    Ok((search.region, search.removals.events))
}

/// Records events, and removes for all twins of a demand what is removed for it.
struct Recorder<'p, 'a> {
    system: &'p Abstraction<'a>,
    subjects: &'p Subjects,
    told: bool,
    words: Words<'p, 'a>,
    /// The cells that the last event spoke of, in what it closed and what it removed, without those of the process of its
    /// requirement.
    likely: [BTreeSet<usize>; 2],
    /// Whether the region is still the same under every exchange of processes that are alike.
    symmetric: bool,
    events: Vec<Event>,
}

impl Removals for Recorder<'_, '_> {
    const LAYERED: bool = true;

    fn is_covered(&self, demand: usize) -> bool {
        self.twins(Cause::Demand(demand)).is_some_and(|twins| twins[0].0 != demand)
    }

    fn remove(&mut self, region: &mut Region, removal: Removal) -> Result<(), Stop> {
        let Removal { cause, mut closed, mut removed, barred } = removal;
        let (system, table) = (self.system, self.system.table);
        if barred && self.twins(cause).is_some() {
            // Steps of one process are barred, and not those of others like it.
            self.symmetric = false;
        }
        let about = match cause {
            Cause::Demand(number) => self.subjects.about.get(number).copied().flatten(),
            _ => None,
        };
        let about = about.map(|process| system.class_cell(process));
        let twins = self.twins(cause);
        let likely = self.likely.clone().map(|cells| cells.into_iter().chain(about).collect());
        let mut spoken_of = [BTreeSet::new(), BTreeSet::new()];
        for (set, (closed, removed)) in region.sets.iter_mut().zip(closed.iter_mut().zip(&mut removed)) {
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
            let is_free = |cell: &usize| *cell < first || !self.subjects.twins.moves(*cell - first);
            self.symmetric = spoken_of.iter().flatten().all(is_free);
            if self.symmetric {
                self.remove_twins(region, twins, cause, &closed, &removed)?;
            }
        }
        if self.told {
            self.likely = spoken_of;
            self.events.push(Event { cause, closed, removed });
        }
        Ok(())
    }
}

impl<'p> Recorder<'p, '_> {
    /// The twins of a cause, as long as they can be dealt with together.
    fn twins(&self, cause: Cause) -> Option<&'p [Member]> {
        match cause {
            Cause::Demand(number) if self.symmetric => self.subjects.twins.of(number),
            _ => None,
        }
    }

    /// Removes for all twins of a cause what was removed for it, the name of its process replaced.
    fn remove_twins(
        &mut self,
        region: &mut Region,
        twins: &[Member],
        cause: Cause,
        closed: &Sets,
        removed: &Sets,
    ) -> Result<(), Stop> {
        let (system, words) = (self.system, &self.words);
        let own = twins.iter().find(|(number, _)| cause == Cause::Demand(*number));
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
                self.events.push(Event { cause: Cause::Demand(*number), closed, removed });
            }
        }
        for (set, all) in region.sets.iter_mut().zip(all) {
            *set = system.table.minus(set, &system.table.any(all)?)?;
        }
        Ok(())
    }
}
