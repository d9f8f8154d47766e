//! Evidence for *holds*: the reachable states as one diagram, and the removals that leave no fair run.
//!
//! The evidence is a proof as the local engine writes it ([`model::proof::local`]), with one invariant that is about the
//! whole system. It refers to the reference automaton, and the search has used a smaller one. So the fixpoint of
//! [`crate::regions::fair`] is computed once more, on the product with the reference automaton, and each removal becomes
//! an elimination. Steps on no cycle ([`super::cycles`]) are not left out first: that would have to be explained too.

use std::sync::atomic::Ordering;

use model::note::Unchecked;
use model::proof::{self, Builder, Case, Elimination, Local, Part, Root, Test};
use model::property::Kind;
use model::{Session, StopReason, ground, tableau};

use super::{Assumed, Setting};
use crate::bdd::Table;
use crate::encoding::Stop;
use crate::encoding::written::{Written, tests_of};
use crate::regions::fair::{Cause, Removal, Removals, Search};
use crate::regions::{Product, Region, Sets, Steps};
use crate::translation::accepting_components;

/// What is known of one alternative of the fairness, before it is written.
struct Found {
    reached: Sets,
    /// Per component of the automaton in which runs can be accepted, what is removed.
    parts: Vec<(Vec<u32>, Vec<Removal>)>,
}

impl Setting<'_, '_, '_> {
    /// Why the property holds, unless it takes more than so many units of work to find out.
    pub(super) fn evidence(&self, units: u64) -> Result<Local, Unchecked> {
        let spent = self.session.spent.load(Ordering::Relaxed);
        let allowance = Allowance { session: self.session, most: spent.saturating_add(units) };
        let mut found = Vec::new();
        if !matches!(self.task.property.kind, Kind::Invariant(_)) {
            if self.alternatives.iter().any(|alternative| alternative.global) {
                return Err(Unchecked::Global);
            }
            found = self.removals(&allowance).map_err(|stop| match stop {
                Some(Stop::Stopped(StopReason::Work)) if !allowance.is_left() => Unchecked::Work,
                Some(_) => Unchecked::Limit,
                None if matches!(self.task.property.kind, Kind::Ctl(_)) => Unchecked::Branching,
                None => Unchecked::Automaton,
            })?;
        }
        Ok(self.written(&found))
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
        for Assumed { mut demands, .. } in self.demands()? {
            demands.marks = automaton.marks;
            let mut parts = Vec::new();
            for component in &components {
                let recorder = Recorder { table: system.table, allowance, removals: Vec::new() };
                let within = product.inside(&reached, component);
                let mut search = Search::new(&product, within, &demands, recorder);
                search.ask_unmet()?;
                search.settle()?;
                parts.push((component.clone(), search.removals.removals));
            }
            found.push(Found { reached: reached.clone(), parts });
        }
        Ok(found)
    }

    /// The proof.
    fn written(&self, found: &[Found]) -> Local {
        let system = self.system;
        let mut tests = vec![Test::Exposed(0); system.cells.bits()];
        for cell in 0..system.instance.cells.len() {
            tests_of(system.cells, cell).for_each(|(bit, test)| tests[bit as usize] = test);
        }
        let mut written = Written::new(system.table, tests);
        let mut builder = Builder::default();
        let invariant = written.set(&mut builder, &self.reachable);
        let mut sets =
            |sets: &Sets| -> Vec<Root> { sets.iter().map(|set| written.set(&mut builder, set)).collect() };
        let mut cases = Vec::new();
        for (alternative, Found { reached, parts }) in found.iter().enumerate() {
            let requirements =
                ground::requirements(system.instance, &self.task.fairness.alternatives[alternative]);
            let mut elimination = |removal: &Removal| {
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
            };
            let parts = parts
                .iter()
                .map(|(states, removals)| Part {
                    states: states.iter().map(|state| *state as usize).collect(),
                    eliminations: removals.iter().map(&mut elimination).collect(),
                })
                .collect();
            cases.push(Case { alternative, class: None, reached: sets(reached), parts });
        }
        Local { exposed: Vec::new(), diagrams: builder.finish(), invariants: vec![invariant], cases }
    }
}

/// How much work may be done.
struct Allowance<'s> {
    session: &'s Session<'s>,
    most: u64,
}

impl Allowance<'_> {
    fn is_left(&self) -> bool {
        self.session.spent.load(Ordering::Relaxed) <= self.most
    }

    fn check(&self) -> Result<(), Stop> {
        if self.is_left() { Ok(()) } else { Err(Stop::Stopped(StopReason::Work)) }
    }
}

/// Keeps what is removed.
struct Recorder<'r, 't, 'a> {
    table: &'t Table<'a>,
    allowance: &'r Allowance<'r>,
    removals: Vec<Removal>,
}

impl Removals for Recorder<'_, '_, '_> {
    const LAYERED: bool = true;

    fn remove(&mut self, region: &mut Region, removal: Removal) -> Result<(), Stop> {
        self.allowance.check()?;
        for (set, removed) in region.sets.iter_mut().zip(&removal.removed) {
            *set = self.table.minus(set, removed)?;
        }
        self.removals.push(removal);
        Ok(())
    }
}
