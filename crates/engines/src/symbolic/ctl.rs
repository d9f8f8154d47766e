//! CTL over fair runs, by labelling sets of reachable states.
//!
//! Whether a run is fair does not depend on any finite beginning of it. So with `fair` for the states from which
//! some fair run begins, `EX a` is a preimage of `a ∧ fair`, `E[a U b]` a backward closure from `b ∧ fair` through
//! `a`, and `EG a` the states that reach, through `a`, the fair region of `a`; every `A` is the negation of the `E` of
//! the opposite [CGP99]. Each alternative of a disjunction has its own fair region, and `fair` is their union.

use std::cell::OnceCell;

use model::Ctl;
use model::property::Paths;

use super::fair::{fair_region, is_one_fair_component};
use super::steps::Meanings;
use super::system::System;
use crate::bdd::Bdd;
use crate::encoding::Stop;
use crate::regions::{Demands, Product, Region};

/// Labels the reachable states of a system with formulas.
pub(super) struct Labelling<'l, 's, 'a> {
    system: &'s System<'a>,
    /// The product with the automaton that accepts everything.
    product: Product<'s, 'a>,
    pub(super) reachable: &'l Bdd,
    /// The alternatives of the fairness.
    pub(super) alternatives: &'l [Demands],
    fair: OnceCell<Bdd>,
}

impl<'l, 's, 'a> Labelling<'l, 's, 'a> {
    pub(super) fn new(
        system: &'s System<'a>,
        reachable: &'l Bdd,
        alternatives: &'l [Demands],
    ) -> Labelling<'l, 's, 'a> {
        Labelling { system, product: system.alone(), reachable, alternatives, fair: OnceCell::new() }
    }

    /// The reachable states from which some fair run begins.
    pub(super) fn fair(&self) -> Result<&Bdd, Stop> {
        if self.fair.get().is_none() {
            let fair = if self.is_one_component()? {
                self.reachable.clone()
            } else {
                self.globally(self.reachable)?
            };
            // Invariant: it was empty just now, and nobody else writes it.
            let _ = self.fair.set(fair);
        }
        Ok(self.fair.get().expect("it has just been set"))
    }

    /// The reachable states where a ground formula is true.
    pub(super) fn states(&self, formula: &Ctl, meanings: &Meanings<'_, 'a, '_>) -> Result<Bdd, Stop> {
        let table = self.system.table;
        let of = |formula: &Ctl| self.states(formula, meanings);
        let not = |set: &Bdd| table.minus(self.reachable, set);
        Ok(match formula {
            Ctl::Atom(atom) => table.and(self.reachable, &meanings.steps(atom)?.otherwise)?,
            Ctl::Not(a) => not(&of(a)?)?,
            Ctl::And(parts) => {
                let sets = parts.iter().map(of).collect::<Result<Vec<_>, _>>()?;
                table.and(self.reachable, &table.all(sets)?)?
            }
            Ctl::Or(parts) => table.any(parts.iter().map(of).collect::<Result<Vec<_>, _>>()?)?,
            Ctl::Implies(a, b) => table.or(&not(&of(a)?)?, &of(b)?)?,
            Ctl::Next(Paths::Some, a) => self.next(&of(a)?)?,
            Ctl::Next(Paths::All, a) => not(&self.next(&not(&of(a)?)?)?)?,
            Ctl::Finally(Paths::Some, a) => self.until(self.reachable, &of(a)?)?,
            Ctl::Finally(Paths::All, a) => not(&self.globally(&not(&of(a)?)?)?)?,
            Ctl::Globally(Paths::Some, a) => self.globally(&of(a)?)?,
            Ctl::Globally(Paths::All, a) => not(&self.until(self.reachable, &not(&of(a)?)?)?)?,
            Ctl::Until(Paths::Some, a, b) => self.until(&of(a)?, &of(b)?)?,
            Ctl::WeakUntil(Paths::Some, a, b) => self.weak_until(&of(a)?, &of(b)?)?,
            Ctl::Until(Paths::All, a, b) | Ctl::WeakUntil(Paths::All, a, b) => {
                let (not_a, not_b) = (not(&of(a)?)?, not(&of(b)?)?);
                let neither = table.and(&not_a, &not_b)?;
                // The opposite of a strong until is a weak one, and the other way round.
                not(&if matches!(formula, Ctl::Until(..)) {
                    self.weak_until(&not_b, &neither)?
                } else {
                    self.until(&not_b, &neither)?
                })?
            }
            Ctl::Forall(..) | Ctl::Exists(..) => unreachable!("a ground formula has no quantifiers"),
        })
    }

    /// `EX a`
    fn next(&self, a: &Bdd) -> Result<Bdd, Stop> {
        let table = self.system.table;
        let goal = table.and(a, self.fair()?)?;
        let mut before = Vec::new();
        for group in &self.system.diagrams.groups {
            before.push(table.and(self.reachable, &table.preimage(&goal, &group.relation)?)?);
        }
        Ok(table.any(before)?)
    }

    /// `E[a U b]`
    fn until(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        let goal = self.system.table.and(b, self.fair()?)?;
        self.reach(a, &goal)
    }

    /// `EG a`
    fn globally(&self, a: &Bdd) -> Result<Bdd, Stop> {
        let table = self.system.table;
        let mut all = table.never();
        for demands in self.alternatives {
            let region = fair_region(self.system, &self.product, vec![a.clone()], demands)?;
            all = table.or(&all, &self.reach(a, &region.sets[0])?)?;
        }
        Ok(all)
    }

    /// `E[a W b]`
    fn weak_until(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        Ok(self.system.table.or(&self.until(a, b)?, &self.globally(a)?)?)
    }

    /// The states from which `goal` is reached through `a`.
    fn reach(&self, a: &Bdd, goal: &Bdd) -> Result<Bdd, Stop> {
        let within = self.system.table.or(a, goal)?;
        let region = Region::of(vec![within]);
        Ok(self.product.backward(&vec![goal.clone()], &region)?.remove(0))
    }

    /// Whether all reachable states are one component that meets some alternative.
    fn is_one_component(&self) -> Result<bool, Stop> {
        let (system, initial) = (self.system, &self.system.diagrams.initial);
        if system.table.is_never(initial) {
            return Ok(true);
        }
        let region = Region::of(vec![self.reachable.clone()]);
        let anchor = vec![system.single(&system.pick(initial))?];
        for demands in self.alternatives {
            if is_one_fair_component(&self.product, &region, &anchor, demands)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
