//! The product of a system with an automaton: states of the system as diagrams, states of the automaton by number.
//!
//! A set of product states is one set of system states per state of the automaton. Automata of properties are
//! small, so this hybrid beats an encoding of the automaton in further bits [STV05]: the relations of the
//! system stay as they are, whatever the property speaks of, and a fair cycle is sought in one component of the
//! automaton at a time. An *arc* joins two states of the automaton; a step of the system follows it from states
//! of the arc's label.
//!
//! A [`Region`] is a part of the product: sets of states, and the steps between them without those that no fair
//! cycle can contain. Closures go through a region.

use std::collections::BTreeMap;
use std::rc::Rc;

use automata::Automaton;

use super::steps::{Meanings, Steps};
use super::system::System;
use crate::bdd::{Bdd, Relation};
use crate::encoding::Stop;

/// Per state of the automaton, a set of states of the system.
pub(super) type Sets = Vec<Bdd>;

/// An arc of the automaton.
pub(super) struct Arc {
    pub(super) source: usize,
    pub(super) target: usize,
    /// The steps that can follow it.
    pub(super) label: Steps,
    pub(super) marks: Vec<usize>,
}

/// A system and an automaton.
pub(super) struct Product<'s, 'a> {
    pub(super) system: &'s System<'a>,
    pub(super) arcs: Vec<Arc>,
    /// The number of states of the automaton, and where it begins.
    pub(super) states: usize,
    pub(super) initial: Vec<usize>,
}

/// A part of the product.
pub(super) struct Region {
    pub(super) sets: Sets,
    /// Per group, the steps that may be taken; all of them if this is empty.
    pub(super) relations: Rc<Vec<Relation>>,
    /// Per arc and group, the states whose steps may not be taken; none if this is empty.
    pub(super) barred: Rc<Vec<Vec<Bdd>>>,
}

impl Region {
    /// All steps between some states.
    pub(super) fn of(sets: Sets) -> Region {
        Region { sets, relations: Rc::default(), barred: Rc::default() }
    }

    /// The same steps between other states.
    pub(super) fn with(&self, sets: Sets) -> Region {
        Region { sets, relations: Rc::clone(&self.relations), barred: Rc::clone(&self.barred) }
    }
}

impl<'s, 'a> Product<'s, 'a> {
    /// The product with the automaton that accepts every run.
    pub(super) fn with_everything(system: &'s System<'a>) -> Product<'s, 'a> {
        let label = Steps { otherwise: system.table.always(), at: BTreeMap::new(), covers: true };
        let arcs = vec![Arc { source: 0, target: 0, label, marks: Vec::new() }];
        Product { system, arcs, states: 1, initial: vec![0] }
    }

    /// The product with an automaton whose atoms are predicates of the task.
    pub(super) fn new(
        system: &'s System<'a>,
        automaton: &Automaton,
        meanings: &Meanings<'_, 'a, '_>,
    ) -> Result<Product<'s, 'a>, Stop> {
        let table = system.table;
        let atoms: Vec<Steps> =
            automaton.atoms.iter().map(|atom| meanings.steps(atom)).collect::<Result<_, _>>()?;
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
                let otherwise = set(None)?;
                let mut at = BTreeMap::new();
                for group in edge.cube.literals().flat_map(|(atom, _)| atoms[atom].at.keys()) {
                    at.insert(*group, set(Some(*group))?);
                }
                let label = Steps { otherwise, at, covers: false };
                arcs.push(Arc { source, target: edge.target, label, marks: edge.marks.clone() });
            }
        }
        Ok(Product { system, arcs, states: automaton.states.len(), initial: automaton.initial.clone() })
    }

    /// No state at all.
    pub(super) fn nowhere(&self) -> Sets {
        vec![self.system.table.never(); self.states]
    }

    /// Whether there is no state at all.
    pub(super) fn is_nowhere(&self, sets: &Sets) -> bool {
        sets.iter().all(|set| self.system.table.is_never(set))
    }

    /// The product states that can be reached, where `reachable` are the reachable states of the system.
    pub(super) fn reachable(&self, reachable: &Bdd) -> Result<Sets, Stop> {
        let table = self.system.table;
        table.begin("product states");
        let mut start = self.nowhere();
        for state in &self.initial {
            // An automaton that waits for any length of time sees all there is.
            let waits = |arc: &&Arc| arc.source == *state && arc.target == *state && self.is_free(arc);
            let everything = self.arcs.iter().find(waits).is_some();
            start[*state] = if everything { reachable.clone() } else { self.system.initial.clone() };
        }
        let everywhere = Region::of(vec![reachable.clone(); self.states]);
        self.forward(&start, &everywhere)
    }

    /// Where a run of the product can begin.
    pub(super) fn start(&self) -> Sets {
        let mut start = self.nowhere();
        self.initial.iter().for_each(|state| start[*state] = self.system.initial.clone());
        start
    }

    /// What can be reached from `start` within a region.
    pub(super) fn forward(&self, start: &Sets, region: &Region) -> Result<Sets, Stop> {
        self.closure(start, region, true, &|_| Ok(false))
    }

    /// From where `goal` can be reached within a region; `enough` is asked now and then whether the rest matters.
    pub(super) fn backward(
        &self,
        goal: &Sets,
        region: &Region,
        enough: &dyn Fn(&Sets) -> Result<bool, Stop>,
    ) -> Result<Sets, Stop> {
        self.closure(goal, region, false, enough)
    }

    /// The states of the region that have a step by an arc and a group into a set.
    pub(super) fn before(&self, arc: usize, group: usize, set: &Bdd, region: &Region) -> Result<Bdd, Stop> {
        let table = self.system.table;
        let sources = table.preimage(set, self.relation(group, region))?;
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

    /// Where a step by an arc and a group leads from a set, inside the region.
    pub(super) fn after(&self, arc: usize, group: usize, set: &Bdd, region: &Region) -> Result<Bdd, Stop> {
        let table = self.system.table;
        let Arc { target, label, .. } = &self.arcs[arc];
        let label = label.of(group);
        let mut sources = if table.is_always(label) { set.clone() } else { table.and(set, label)? };
        if let Some(barred) = region.barred.get(arc) {
            sources = table.minus(&sources, &barred[group])?;
        }
        let targets = table.image(&sources, self.relation(group, region))?;
        Ok(table.and(&region.sets[*target], &targets)?)
    }

    fn relation<'r>(&'r self, group: usize, region: &'r Region) -> &'r Relation {
        region.relations.get(group).unwrap_or(&self.system.groups[group].relation)
    }

    /// The least sets that contain `start` and are closed under steps of the region, forwards or backwards. An arc and
    /// a group are asked again only if the set they come from has grown, and a loop is followed to the end at once.
    fn closure(
        &self,
        start: &Sets,
        region: &Region,
        forward: bool,
        enough: &dyn Fn(&Sets) -> Result<bool, Stop>,
    ) -> Result<Sets, Stop> {
        let table = self.system.table;
        let mut sets = Vec::with_capacity(self.states);
        for (set, within) in start.iter().zip(&region.sets) {
            sets.push(table.and(set, within)?);
        }
        let groups = self.system.groups.len();
        // How often each set has grown, and at which growth each arc and group was asked last.
        let mut growth = vec![1u32; self.states];
        let mut asked = vec![0u32; self.arcs.len() * groups];
        let mut order: Vec<usize> = (0..groups).collect();
        loop {
            let mut grown = false;
            for (number, arc) in self.arcs.iter().enumerate() {
                let (from, to) = if forward { (arc.source, arc.target) } else { (arc.target, arc.source) };
                if table.is_never(&sets[from]) {
                    continue;
                }
                for group in &order {
                    let asked = &mut asked[number * groups + group];
                    while sets[to] != region.sets[to] && *asked != growth[from] {
                        *asked = growth[from];
                        let found = if forward {
                            self.after(number, *group, &sets[from], region)?
                        } else {
                            self.before(number, *group, &sets[from], region)?
                        };
                        let union = table.or(&sets[to], &found)?;
                        if union != sets[to] {
                            sets[to] = union;
                            growth[to] += 1;
                            grown = true;
                        }
                    }
                }
            }
            // What one order needs many rounds for, the other may do in one.
            order.reverse();
            if !grown || enough(&sets)? {
                return Ok(sets);
            }
        }
    }

    /// Whether every step can follow an arc.
    fn is_free(&self, arc: &Arc) -> bool {
        let is_always = |set: &Bdd| self.system.table.is_always(set);
        is_always(&arc.label.otherwise) && arc.label.at.values().all(is_always)
    }
}
