//! The product of a system with an automaton: states of the system as diagrams, states of the automaton by number.
//!
//! A set of product states is one set of system states per state of the automaton. Automata of properties are small,
//! so this is faster than encoding the automaton in further bits [STV05]: the relations of the system stay as they
//! are, whatever the property says, and a fair cycle is sought in one component of the automaton at a time. An *arc*
//! joins two states of the automaton; a step of the system follows it from the states of the arc's label.
//!
//! A [`Region`] is a part of the product: some states, and the steps between them without those that no fair cycle
//! contains.

use std::collections::BTreeMap;
use std::rc::Rc;

use model::Automaton;

use super::diagrams::Cluster;
use super::{Diagrams, Steps};
use crate::bdd::{Bdd, Cells, Relation, Table};
use crate::encoding::Stop;

/// Per state of the automaton, a set of states of the system.
pub(crate) type Sets = Vec<Bdd>;

/// An arc of the automaton.
pub(crate) struct Arc {
    pub(crate) source: usize,
    pub(crate) target: usize,
    /// The steps that can follow it.
    pub(crate) label: Steps,
    pub(crate) marks: Vec<usize>,
}

/// A system and an automaton.
pub(crate) struct Product<'s, 'a> {
    pub(crate) table: &'s Table<'a>,
    pub(crate) cells: &'s Cells,
    pub(crate) system: &'s Diagrams,
    pub(crate) arcs: Vec<Arc>,
    /// The number of states of the automaton, and where it begins.
    pub(crate) states: usize,
    pub(crate) initial: Vec<usize>,
}

/// A part of the product.
pub(crate) struct Region {
    pub(crate) sets: Sets,
    /// Per group, the steps that may be taken; all of them if this is empty.
    pub(crate) relations: Rc<Vec<Relation>>,
    /// Per arc and group, the states whose steps may not be taken; none if this is empty.
    pub(crate) barred: Rc<Vec<Vec<Bdd>>>,
}

impl Region {
    /// All steps between some states.
    pub(crate) fn of(sets: Sets) -> Region {
        Region { sets, relations: Rc::default(), barred: Rc::default() }
    }

    /// The same steps between other states.
    pub(crate) fn with(&self, sets: Sets) -> Region {
        Region { sets, relations: Rc::clone(&self.relations), barred: Rc::clone(&self.barred) }
    }
}

impl<'s, 'a> Product<'s, 'a> {
    /// The product with the automaton that accepts every run.
    pub(crate) fn with_everything(
        table: &'s Table<'a>,
        cells: &'s Cells,
        system: &'s Diagrams,
    ) -> Product<'s, 'a> {
        let arcs = vec![Arc { source: 0, target: 0, label: Steps::all(table), marks: Vec::new() }];
        Product { table, cells, system, arcs, states: 1, initial: vec![0] }
    }

    /// The product with an automaton; `atoms` are the steps on which each of its atoms is true.
    pub(crate) fn new(
        table: &'s Table<'a>,
        cells: &'s Cells,
        system: &'s Diagrams,
        automaton: &Automaton,
        atoms: &[Steps],
    ) -> Result<Product<'s, 'a>, Stop> {
        let mut arcs: Vec<Arc> = Vec::new();
        for (source, edges) in automaton.states.iter().enumerate() {
            for edge in edges {
                let set = |group: Option<usize>| -> Result<Bdd, Stop> {
                    let mut label = table.always();
                    for (atom, positive) in edge.cube.literals() {
                        let truth = group.map_or(&atoms[atom].otherwise, |group| atoms[atom].of(group));
                        label =
                            if positive { table.and(&label, truth)? } else { table.minus(&label, truth)? };
                    }
                    Ok(label)
                };
                let mut at = BTreeMap::new();
                for group in edge.cube.literals().flat_map(|(atom, _)| atoms[atom].at.keys()) {
                    if !at.contains_key(group) {
                        at.insert(*group, set(Some(*group))?);
                    }
                }
                let label = Steps::new(table, set(None)?, at)?;
                arcs.push(Arc { source, target: edge.target, label, marks: edge.marks.clone() });
            }
        }
        let (states, initial) = (automaton.states.len(), automaton.initial.clone());
        Ok(Product { table, cells, system, arcs, states, initial })
    }

    /// No state at all.
    pub(crate) fn nowhere(&self) -> Sets {
        vec![self.table.never(); self.states]
    }

    /// Whether there is no state at all.
    pub(crate) fn is_nowhere(&self, sets: &Sets) -> bool {
        sets.iter().all(|set| self.table.is_never(set))
    }

    /// Where runs begin.
    pub(crate) fn start(&self) -> Sets {
        let mut start = self.nowhere();
        self.initial.iter().for_each(|state| start[*state] = self.system.initial.clone());
        start
    }

    /// The product states that can be reached.
    pub(crate) fn reachable(&self) -> Result<Sets, Stop> {
        self.forward(&self.start(), &Region::of(vec![self.table.always(); self.states]))
    }

    /// The same, if `known` are the states of the system that can be reached.
    pub(crate) fn reachable_within(&self, known: &Bdd) -> Result<Sets, Stop> {
        let mut start = self.start();
        for state in &self.initial {
            // An automaton that can wait for any length of time sees every state.
            let waits = |arc: &Arc| arc.source == *state && arc.target == *state && self.is_free(arc);
            if self.arcs.iter().any(waits) {
                start[*state] = known.clone();
            }
        }
        self.forward(&start, &Region::of(vec![known.clone(); self.states]))
    }

    /// The states of a set that are in a component of the automaton.
    pub(crate) fn inside(&self, sets: &Sets, component: &[u32]) -> Sets {
        let inside = |state: usize| component.contains(&(state as u32));
        let part = |(state, set): (usize, &Bdd)| if inside(state) { set.clone() } else { self.table.never() };
        sets.iter().enumerate().map(part).collect()
    }

    /// The states of the region that have a step by an arc and a group into a set.
    pub(crate) fn before(&self, arc: usize, group: usize, set: &Bdd, region: &Region) -> Result<Bdd, Stop> {
        self.before_by(self.relation(group, region), arc, group, set, region)
    }

    /// Where a step by an arc and a group leads from a set, inside the region.
    pub(crate) fn after(&self, arc: usize, group: usize, set: &Bdd, region: &Region) -> Result<Bdd, Stop> {
        self.after_by(self.relation(group, region), arc, group, set, region)
    }

    /// All steps of an arc in clusters, if there are clusters and the region keeps back no step.
    pub(super) fn clusters(&self, arc: usize, region: &Region) -> Option<&[Cluster]> {
        let clusters = &self.system.clusters;
        let is_plain =
            self.arcs[arc].label.at.is_empty() && region.barred.is_empty() && region.relations.is_empty();
        (is_plain && !clusters.is_empty()).then_some(clusters)
    }

    /// The steps of a group that may be taken in a region.
    fn relation<'r>(&'r self, group: usize, region: &'r Region) -> &'r Relation {
        region.relations.get(group).unwrap_or(&self.system.groups[group].relation)
    }

    /// The states of the region from which an arc and a relation of a group lead into a set.
    pub(crate) fn before_by(
        &self,
        relation: &Relation,
        arc: usize,
        group: usize,
        set: &Bdd,
        region: &Region,
    ) -> Result<Bdd, Stop> {
        let table = self.table;
        let sources = table.preimage(set, relation)?;
        let Arc { source, label, .. } = &self.arcs[arc];
        let label = label.of(group);
        let mut sources = table.and(&region.sets[*source], &sources)?;
        if !table.is_always(label) {
            sources = table.and(&sources, label)?;
        }
        match region.barred.get(arc) {
            None => Ok(sources),
            Some(barred) => Ok(table.minus(&sources, &barred[group])?),
        }
    }

    /// Where an arc and a relation of a group lead from a set, inside the region.
    pub(super) fn after_by(
        &self,
        relation: &Relation,
        arc: usize,
        group: usize,
        set: &Bdd,
        region: &Region,
    ) -> Result<Bdd, Stop> {
        let table = self.table;
        let Arc { target, label, .. } = &self.arcs[arc];
        let label = label.of(group);
        let mut sources = if table.is_always(label) { set.clone() } else { table.and(set, label)? };
        if let Some(barred) = region.barred.get(arc) {
            sources = table.minus(&sources, &barred[group])?;
        }
        let targets = table.image(&sources, relation)?;
        let within = &region.sets[*target];
        if table.is_always(within) { Ok(targets) } else { Ok(table.and(within, &targets)?) }
    }

    /// The states of a region from which a step of a set leads into it.
    pub(crate) fn sources(&self, region: &Region, steps: &Steps) -> Result<Sets, Stop> {
        let table = self.table;
        let mut found = self.nowhere();
        if steps.covers {
            // Every step that leaves these states is in the set. Whether one of them stays inside is another
            // question, and `fair` asks it.
            for (found, set) in found.iter_mut().zip(&region.sets) {
                *found = table.and(set, &steps.otherwise)?;
            }
        }
        for (number, arc) in self.arcs.iter().enumerate() {
            let target = &region.sets[arc.target];
            if table.is_never(target) || table.is_never(&region.sets[arc.source]) {
                continue;
            }
            for group in 0..self.system.groups.len() {
                if (steps.covers && !steps.at.contains_key(&group)) || table.is_never(steps.of(group)) {
                    continue;
                }
                if found[arc.source] == region.sets[arc.source] {
                    break;
                }
                let before = self.before(number, group, target, region)?;
                found[arc.source] = table.or(&found[arc.source], &table.and(&before, steps.of(group))?)?;
            }
        }
        Ok(found)
    }

    /// The states of a region from which an arc with a mark leads into it.
    pub(crate) fn sources_of_mark(&self, region: &Region, mark: usize) -> Result<Sets, Stop> {
        let table = self.table;
        let mut found = self.nowhere();
        for (number, arc) in self.arcs.iter().enumerate() {
            if !arc.marks.contains(&mark) || table.is_never(&region.sets[arc.target]) {
                continue;
            }
            for group in 0..self.system.groups.len() {
                if found[arc.source] == region.sets[arc.source] {
                    break;
                }
                let before = self.before(number, group, &region.sets[arc.target], region)?;
                found[arc.source] = table.or(&found[arc.source], &before)?;
            }
        }
        Ok(found)
    }

    /// Whether every step can follow an arc.
    fn is_free(&self, arc: &Arc) -> bool {
        let is_always = |set: &Bdd| self.table.is_always(set);
        is_always(&arc.label.otherwise) && arc.label.at.values().all(is_always)
    }
}
