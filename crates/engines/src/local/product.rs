//! The product of the abstract system with an automaton: abstract states as diagrams, states of the automaton by number.
//!
//! The automaton reads shared cells, what is seen of processes, and who takes a step; all of that is exact in the
//! abstract system. Closures go through a [`Region`], some product states and the steps between them. A step that
//! changes neither the abstract state nor the state of the automaton leads nowhere, so closures leave it out; with many
//! processes of which nothing relevant is exposed, these are most of the steps.

use std::collections::BTreeMap;

use model::Automaton;

use super::abstraction::{Abstraction, Steps};
use crate::bdd::{Bdd, Relation};
use crate::encoding::Stop;

/// Per state of the automaton, a set of abstract states.
pub(super) type Sets = Vec<Bdd>;

/// An arc of the automaton.
pub(super) struct Arc {
    pub(super) source: usize,
    pub(super) target: usize,
    /// The steps that can follow it.
    pub(super) label: Steps,
    pub(super) marks: Vec<usize>,
}

/// An abstract system and an automaton.
pub(super) struct Product<'s, 'a> {
    pub(super) system: &'s Abstraction<'a>,
    pub(super) arcs: Vec<Arc>,
    /// The number of states of the automaton, and where it begins.
    pub(super) states: usize,
    pub(super) initial: Vec<usize>,
    pub(super) marks: usize,
}

/// A part of the product.
pub(super) struct Region {
    pub(super) sets: Sets,
    /// Per arc and group, the states whose steps may not be taken; none if this is empty.
    pub(super) barred: Vec<Vec<Bdd>>,
}

impl<'s, 'a> Product<'s, 'a> {
    /// The product with the automaton that accepts every run.
    pub(super) fn with_everything(system: &'s Abstraction<'a>) -> Product<'s, 'a> {
        let label = Steps { otherwise: system.table.always(), at: BTreeMap::new() };
        let arcs = vec![Arc { source: 0, target: 0, label, marks: Vec::new() }];
        Product { system, arcs, states: 1, initial: vec![0], marks: 0 }
    }

    /// The product with an automaton whose atoms are seen.
    pub(super) fn new(system: &'s Abstraction<'a>, automaton: &Automaton) -> Result<Product<'s, 'a>, Stop> {
        let table = system.table;
        let atoms: Vec<Steps> =
            automaton.atoms.iter().map(|atom| Ok(system.exact(atom)?.0)).collect::<Result<_, Stop>>()?;
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
                    if !at.contains_key(group) {
                        at.insert(*group, set(Some(*group))?);
                    }
                }
                let label = Steps { otherwise, at };
                arcs.push(Arc { source, target: edge.target, label, marks: edge.marks.clone() });
            }
        }
        let (states, initial) = (automaton.states.len(), automaton.initial.clone());
        Ok(Product { system, arcs, states, initial, marks: automaton.marks })
    }

    /// No state at all.
    pub(super) fn nowhere(&self) -> Sets {
        vec![self.system.table.never(); self.states]
    }

    /// Whether there is no state at all.
    pub(super) fn is_nowhere(&self, sets: &Sets) -> bool {
        sets.iter().all(|set| self.system.table.is_never(set))
    }

    /// Where runs begin.
    pub(super) fn start(&self) -> Sets {
        let mut start = self.nowhere();
        self.initial.iter().for_each(|state| start[*state] = self.system.initial.clone());
        start
    }

    /// The product states that can be reached.
    pub(super) fn reachable(&self) -> Result<Sets, Stop> {
        self.system.table.begin("abstract states");
        let everywhere = Region { sets: vec![self.system.table.always(); self.states], barred: Vec::new() };
        self.closure(&self.start(), &everywhere, true, &|_| Ok(false))
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
        self.before_by(&self.system.groups[group].relation, arc, group, set, region)
    }

    /// Where a step by an arc and a group leads from a set, inside the region.
    pub(super) fn after(&self, arc: usize, group: usize, set: &Bdd, region: &Region) -> Result<Bdd, Stop> {
        self.after_by(&self.system.groups[group].relation, arc, group, set, region)
    }

    fn before_by(
        &self,
        relation: &Relation,
        arc: usize,
        group: usize,
        set: &Bdd,
        region: &Region,
    ) -> Result<Bdd, Stop> {
        let table = self.system.table;
        let sources = table.preimage(set, relation)?;
        let Arc { source, label, .. } = &self.arcs[arc];
        let mut sources = table.and(&region.sets[*source], &sources)?;
        sources = table.and(&sources, label.of(group))?;
        match region.barred.get(arc) {
            None => Ok(sources),
            Some(barred) => Ok(table.minus(&sources, &barred[group])?),
        }
    }

    fn after_by(
        &self,
        relation: &Relation,
        arc: usize,
        group: usize,
        set: &Bdd,
        region: &Region,
    ) -> Result<Bdd, Stop> {
        let table = self.system.table;
        let Arc { target, label, .. } = &self.arcs[arc];
        let mut sources = table.and(set, label.of(group))?;
        if let Some(barred) = region.barred.get(arc) {
            sources = table.minus(&sources, &barred[group])?;
        }
        let targets = table.image(&sources, relation)?;
        Ok(table.and(&region.sets[*target], &targets)?)
    }

    /// The least sets that contain `start` and are closed under steps of the region, forwards or backwards. An arc and
    /// a group are asked again only if the set they come from has grown, and a loop is followed to the end at once.
    /// Forwards, a cluster of groups does for all of them where the arc tells none of them apart.
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
        // Backwards, what is not there yet: a group of which no step begins in it has nothing to add.
        let mut left = Vec::with_capacity(self.states);
        for (set, within) in sets.iter().zip(&region.sets) {
            left.push(if forward { table.never() } else { table.minus(within, set)? });
        }
        // How often each set has grown, and at which growth each arc and group was asked last.
        let mut growth = vec![1u32; self.states];
        let mut asked = vec![0u32; self.arcs.len() * groups];
        let mut down = false;
        loop {
            let mut grown = false;
            for (number, arc) in self.arcs.iter().enumerate() {
                let (from, to) = if forward { (arc.source, arc.target) } else { (arc.target, arc.source) };
                if table.is_never(&sets[from]) || sets[to] == region.sets[to] {
                    continue;
                }
                let is_loop = from == to;
                if forward && region.barred.is_empty() && arc.label.at.is_empty() {
                    for (place, cluster) in self.system.clusters.iter().enumerate() {
                        let relation = if is_loop { &cluster.proper } else { &cluster.relation };
                        let asked = &mut asked[number * groups + place];
                        while sets[to] != region.sets[to] && *asked != growth[from] {
                            *asked = growth[from];
                            let found = self.after_by(relation, number, 0, &sets[from], region)?;
                            let union = table.or(&sets[to], &found)?;
                            if union != sets[to] {
                                sets[to] = union;
                                growth[to] += 1;
                                grown = true;
                            }
                        }
                    }
                    if !self.system.clusters.is_empty() {
                        continue;
                    }
                }
                let mut order: Vec<usize> = if forward {
                    (0..groups).collect()
                } else {
                    let begins = if is_loop { &self.system.begins } else { &self.system.enabled };
                    begins.met_by(table, &left[to])?
                };
                if down {
                    order.reverse();
                }
                for group in order {
                    let steps = &self.system.groups[group];
                    let relation = if is_loop { &steps.proper } else { &steps.relation };
                    if table.is_never(&relation.predicate) {
                        continue;
                    }
                    let asked = &mut asked[number * groups + group];
                    while sets[to] != region.sets[to] && *asked != growth[from] {
                        *asked = growth[from];
                        let found = if forward {
                            self.after_by(relation, number, group, &sets[from], region)?
                        } else {
                            self.before_by(relation, number, group, &sets[from], region)?
                        };
                        let union = table.or(&sets[to], &found)?;
                        if union != sets[to] {
                            sets[to] = union;
                            growth[to] += 1;
                            grown = true;
                            if !forward {
                                left[to] = table.minus(&region.sets[to], &sets[to])?;
                            }
                        }
                    }
                }
            }
            // What one order needs many rounds for, the other may do in one.
            down = !down;
            if !grown || enough(&sets)? {
                return Ok(sets);
            }
        }
    }
}
