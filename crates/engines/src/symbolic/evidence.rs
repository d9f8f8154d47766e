//! Evidence for *holds*: the reachable states as one diagram, and the removals that leave no fair run.
//!
//! The evidence is a proof as the local engine writes it ([`model::proof::local`]), with one invariant that is about the
//! whole system. It refers to the reference automaton, and the search has used a smaller one. So the fixpoint of
//! [`crate::regions::fair`] is computed once more, on the product with the reference automaton, and each removal becomes
//! an elimination. Under strong global fairness states are removed, too, that have a step to states that are gone; where
//! this and the fixpoint leave something, the same is asked of one of its components that no step leaves. For CTL formulas
//! about some runs see [`super::sure`]. Steps on no cycle ([`super::cycles`]) are not left out first: that would have to be
//! explained too.

use std::sync::atomic::Ordering;

use model::note::Unchecked;
use model::proof::{self, Builder, Case, Elimination, Local, Part, Root, Test};
use model::property::Kind;
use model::{Requirement, Session, StopReason, ground, tableau};

use super::sure::{FoundSure, OneWay};
use super::{Assumed, Setting};
use crate::bdd::{Bdd, Table};
use crate::encoding::Stop;
pub(super) use crate::encoding::written::Written;
use crate::encoding::written::tests_of;
use crate::regions::fair::{Cause, Removal, Removals, Search};
use crate::regions::{Demands, Product, Region, Sets, Steps};
use crate::translation::accepting_components;

/// What is known of one alternative of the fairness, before it is written.
struct Found {
    reached: Sets,
    /// Per component of the automaton in which runs can be accepted, what is removed.
    parts: Vec<(Vec<u32>, Vec<Removed>)>,
}

impl Setting<'_, '_, '_> {
    /// Why the property holds, unless it takes more than so many units of work to find out.
    pub(super) fn evidence(&self, units: u64) -> Result<Local, Unchecked> {
        let spent = self.session.spent.load(Ordering::Relaxed);
        let allowance = Allowance { session: self.session, most: spent.saturating_add(units) };
        match &self.task.property.kind {
            Kind::Invariant(_) => return Ok(self.written(&[], &[])),
            Kind::Ctl(_) if tableau::violations(self.system.instance, &self.task.property.kind).is_none() => {
                return Ok(self.written(&[], &self.sure(&allowance)?));
            }
            _ => {}
        }
        let found = self.removals(&allowance).map_err(|stop| match stop {
            Some(Stop::Stopped(StopReason::Work)) if !allowance.is_left() => Unchecked::Work,
            Some(Stop::TooLarge(_)) => Unchecked::Ways,
            Some(_) => Unchecked::Limit,
            None => Unchecked::Automaton,
        })?;
        Ok(self.written(&found, &[]))
    }

    /// What the fixpoint removes for each alternative. An error without a reason is a reference automaton that is too large.
    fn removals(&self, allowance: &Allowance<'_>) -> Result<Vec<Found>, Option<Stop>> {
        let system = self.system;
        let automaton = tableau::violations(system.instance, &self.task.property.kind).ok_or(None)?;
        let atoms: Vec<Steps> =
            automaton.atoms.iter().map(|atom| self.meanings.steps(atom)).collect::<Result<_, _>>()?;
        let product = Product::new(system.table, system.cells, &system.diagrams, &automaton, &atoms)?;
        system.table.begin("writing down why it holds");
        let reached = product.reachable_within(&self.reachable)?;
        allowance.check()?;
        let components = accepting_components(&automaton).map_err(Stop::from)?;
        let mut found = Vec::new();
        for Assumed { mut demands, global } in self.demands()? {
            demands.marks = automaton.marks;
            let ways = if global { self.ways()? } else { Vec::new() };
            let mut parts = Vec::new();
            for component in &components {
                let within = product.inside(&reached, component);
                let mut removals = self.removed(&product, within, &demands, &ways, allowance)?;
                if global && !removals.is_empty() {
                    // For escapes, what is not reached counts as removed.
                    let outside = reached.iter().map(|set| system.table.not(set));
                    let outside = outside.collect::<Result<_, _>>().map_err(Stop::from)?;
                    removals.insert(0, Removed::Trimmed(outside));
                }
                parts.push((component.clone(), removals));
            }
            found.push(Found { reached: reached.clone(), parts });
        }
        Ok(found)
    }

    /// What is removed from some sets because no fair run stays in them; it is inconclusive if something is left. Under
    /// strong global fairness there are `ways`: then states are removed, too, that have a step which no edge can take to a
    /// product state that is left. If there are none, a component that no step leaves is considered alone: one that takes
    /// all steps of its states shows a fair run.
    pub(super) fn removed(
        &self,
        product: &Product<'_, '_>,
        within: Sets,
        demands: &Demands,
        ways: &[OneWay],
        allowance: &Allowance<'_>,
    ) -> Result<Vec<Removed>, Stop> {
        let table = self.system.table;
        let recorder = Recorder { table, allowance, removals: Vec::new() };
        let mut search = Search::new(product, within, demands, recorder);
        search.ask_unmet()?;
        loop {
            search.settle()?;
            let mut left = table.any(search.region.sets.clone())?;
            if table.is_never(&left) {
                return Ok(search.removals.removals);
            }
            let mut escapes = false;
            let anywhere = search.region.with(vec![table.always(); product.states]);
            for way in ways {
                allowance.check()?;
                let set = Self::escaped(product, &anywhere, &search.region.sets, &left, way)?;
                if table.is_never(&set) {
                    continue;
                }
                escapes = true;
                left = table.minus(&left, &set)?;
                Self::remove(&mut search, vec![set; product.states], None, way)?;
            }
            if !escapes && !ways.is_empty() {
                let closed = search.region.with(self.bottom(product, &search.region, allowance)?);
                let states = table.any(closed.sets.clone())?;
                for way in ways {
                    let set = Self::escaped(product, &closed, &closed.sets, &states, way)?;
                    if table.is_never(&set) {
                        continue;
                    }
                    escapes = true;
                    let removed = closed.sets.iter().map(|part| table.and(part, &set));
                    let removed = removed.collect::<Result<_, _>>()?;
                    Self::remove(&mut search, removed, Some(closed.sets), way)?;
                    break;
                }
            }
            if !escapes {
                return Err(Stop::Inconclusive);
            }
        }
    }

    /// Removes states, because they have a step of a way that no edge takes from the closed sets into what is left.
    fn remove(
        search: &mut Search<'_, '_, '_, Recorder<'_, '_, '_>>,
        removed: Sets,
        closed: Option<Sets>,
        way: &OneWay,
    ) -> Result<(), Stop> {
        let table = search.removals.table;
        for (part, removed) in search.region.sets.iter_mut().zip(&removed) {
            *part = table.minus(part, removed)?;
        }
        let (action, way) = (way.action, way.way);
        search.removals.removals.push(Removed::Escaped { closed, removed, action, way });
        Ok(())
    }

    /// Of some states of the system, those with a step of a way that no edge takes from a region into these sets.
    fn escaped(
        product: &Product<'_, '_>,
        region: &Region,
        targets: &Sets,
        states: &Bdd,
        OneWay { group, relation, .. }: &OneWay,
    ) -> Result<Bdd, Stop> {
        let table = product.table;
        let mut set = table.and(states, &table.preimage(&table.always(), relation)?)?;
        for (number, arc) in product.arcs.iter().enumerate() {
            if table.is_never(&set) {
                break;
            }
            let taking = product.before_by(relation, number, *group, &targets[arc.target], region)?;
            set = table.minus(&set, &taking)?;
        }
        Ok(set)
    }

    /// A strong component of a region that is not empty and that no step inside the region leaves.
    fn bottom(
        &self,
        product: &Product<'_, '_>,
        region: &Region,
        allowance: &Allowance<'_>,
    ) -> Result<Sets, Stop> {
        let (system, table) = (self.system, self.system.table);
        let mut among = region.sets.clone();
        loop {
            allowance.check()?;
            let at = among.iter().position(|set| !table.is_never(set)).expect("the region is not empty");
            let mut seed = product.nowhere();
            seed[at] = system.single(&system.pick(&among[at]))?;
            let reached = product.forward(&seed, region)?;
            let leading = product.backward(&seed, region)?;
            let beyond = reached.iter().zip(&leading).map(|(reached, leading)| table.minus(reached, leading));
            among = beyond.collect::<Result<_, _>>()?;
            if product.is_nowhere(&among) {
                return Ok(reached);
            }
        }
    }

    /// The proof.
    fn written(&self, found: &[Found], sure: &[FoundSure]) -> Local {
        let system = self.system;
        let mut tests = vec![Test::Exposed(0); system.cells.bits()];
        for cell in 0..system.instance.cells.len() {
            tests_of(system.cells, cell).for_each(|(bit, test)| tests[bit as usize] = test);
        }
        let mut written = Written::new(system.table, tests);
        let mut builder = Builder::default();
        let invariant = written.set(&mut builder, &self.reachable);
        let mut cases = Vec::new();
        for (alternative, Found { reached, parts }) in found.iter().enumerate() {
            let requirements =
                ground::requirements(system.instance, &self.task.fairness.alternatives[alternative]);
            let mut written_parts = Vec::new();
            for (states, removals) in parts {
                let mut eliminations = Vec::new();
                for removed in removals {
                    eliminations.push(removed.written(
                        &requirements,
                        reached.len(),
                        &mut written,
                        &mut builder,
                    ));
                }
                let states = states.iter().map(|state| *state as usize).collect();
                written_parts.push(Part { states, eliminations });
            }
            let reached = reached.iter().map(|set| written.set(&mut builder, set)).collect();
            cases.push(Case { alternative, class: None, reached, parts: written_parts });
        }
        let sure = sure.iter().map(|sure| sure.written(self, &mut written, &mut builder)).collect();
        let invariants = vec![invariant];
        Local { exposed: Vec::new(), diagrams: builder.finish(), invariants, cases, sure }
    }
}

/// Why some product states are removed.
pub(super) enum Removed {
    /// By the fixpoint.
    Removal(Removal),
    /// They have no step.
    Trimmed(Sets),
    /// Their states of the system have a step that is not possible from `closed`; from anywhere, if there is none.
    Escaped { closed: Option<Sets>, removed: Sets, action: usize, way: usize },
}

impl Removed {
    /// As it stands in a proof, for these requirements and an automaton with so many states.
    pub(super) fn written(
        &self,
        requirements: &[(usize, Vec<i64>, Requirement)],
        states: usize,
        written: &mut Written<'_, '_>,
        builder: &mut Builder,
    ) -> Elimination {
        let mut sets =
            |sets: &Sets| -> Vec<Root> { sets.iter().map(|set| written.set(builder, set)).collect() };
        let removal = match self {
            Removed::Removal(removal) => removal,
            Removed::Trimmed(removed) => return Elimination::Trimmed { removed: sets(removed) },
            Removed::Escaped { closed, removed, action, way } => {
                let closed = closed.as_ref().map_or_else(|| vec![Root::TRUE; states], &mut sets);
                return Elimination::Escaped { action: *action, way: *way, closed, removed: sets(removed) };
            }
        };
        let removed = sets(&removal.removed);
        let demand = match removal.cause {
            Cause::Stuck => return Elimination::Trimmed { removed },
            Cause::Mark(mark) => proof::Demand::Mark(mark),
            Cause::Demand(number) => {
                let (number, values, _) = &requirements[number];
                proof::Demand::Requirement { number: *number, values: values.clone() }
            }
        };
        Elimination::Unmet { demand, closed: sets(&removal.closed), removed }
    }
}

/// How much work may be done.
pub(super) struct Allowance<'s> {
    session: &'s Session<'s>,
    most: u64,
}

impl Allowance<'_> {
    pub(super) fn is_left(&self) -> bool {
        self.session.spent.load(Ordering::Relaxed) <= self.most
    }

    pub(super) fn check(&self) -> Result<(), Stop> {
        if self.is_left() { Ok(()) } else { Err(Stop::Stopped(StopReason::Work)) }
    }
}

/// Keeps what is removed.
struct Recorder<'r, 't, 'a> {
    table: &'t Table<'a>,
    allowance: &'r Allowance<'r>,
    removals: Vec<Removed>,
}

impl Removals for Recorder<'_, '_, '_> {
    const LAYERED: bool = true;

    fn remove(&mut self, region: &mut Region, removal: Removal) -> Result<(), Stop> {
        self.allowance.check()?;
        for (set, removed) in region.sets.iter_mut().zip(&removal.removed) {
            *set = self.table.minus(set, removed)?;
        }
        self.removals.push(Removed::Removal(removal));
        Ok(())
    }
}
