//! CTL over fair runs, by labelling sets of reachable states.
//!
//! With `fair` for the states from which some fair run begins, `EX a` is a preimage of `a ∧ fair`, `E[a U b]` a backward
//! closure from `b ∧ fair` through `a`, and `EG a` the states that reach, through `a`, the fair region of `a`
//! ([`crate::branching`] has the other operators). Each alternative of a disjunction has its own fair region, and `fair`
//! is their union. Under strong global fairness the bottom components that lie in `a` and meet the demands take the place of
//! the fair region ([`super::global`]).

use std::cell::OnceCell;

use model::Expr;

use super::Assumed;
use super::fair::{fair_region, is_one_fair_component};
use super::global;
use super::steps::Meanings;
use super::system::System;
use crate::bdd::Bdd;
use crate::branching::Sets;
use crate::encoding::Stop;
use crate::regions::{Product, Region};

/// Labels the reachable states of a system with formulas.
pub(super) struct Labelling<'l, 's, 'a> {
    system: &'s System<'a>,
    /// The product with the automaton that accepts everything.
    product: Product<'s, 'a>,
    pub(super) reachable: &'l Bdd,
    meanings: &'l Meanings<'l, 'a, 'l>,
    /// The alternatives of the fairness.
    alternatives: &'l [Assumed],
    fair: OnceCell<Bdd>,
    /// The states of all bottom components.
    bottoms: OnceCell<Bdd>,
}

impl<'l, 's, 'a> Labelling<'l, 's, 'a> {
    pub(super) fn new(
        system: &'s System<'a>,
        reachable: &'l Bdd,
        meanings: &'l Meanings<'l, 'a, 'l>,
        alternatives: &'l [Assumed],
    ) -> Labelling<'l, 's, 'a> {
        Labelling {
            system,
            product: system.alone(),
            reachable,
            meanings,
            alternatives,
            fair: OnceCell::new(),
            bottoms: OnceCell::new(),
        }
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

    /// The states of all bottom components.
    pub(super) fn bottoms(&self) -> Result<&Bdd, Stop> {
        if self.bottoms.get().is_none() {
            // Invariant: it was empty just now, and nobody else writes it.
            let _ = self.bottoms.set(global::bottoms(self.system, self.reachable)?);
        }
        Ok(self.bottoms.get().expect("it has just been set"))
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
        for Assumed { demands, .. } in self.alternatives {
            if is_one_fair_component(&self.product, &region, &anchor, demands)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Sets for Labelling<'_, '_, '_> {
    type Set = Bdd;
    type Stop = Stop;

    fn all(&self) -> Bdd {
        self.reachable.clone()
    }

    fn atom(&self, atom: &Expr) -> Result<Bdd, Stop> {
        Ok(self.system.table.and(self.reachable, &self.meanings.steps(atom)?.otherwise)?)
    }

    fn not(&self, a: &Bdd) -> Result<Bdd, Stop> {
        Ok(self.system.table.minus(self.reachable, a)?)
    }

    fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        Ok(self.system.table.and(a, b)?)
    }

    fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        Ok(self.system.table.or(a, b)?)
    }

    fn next(&self, a: &Bdd) -> Result<Bdd, Stop> {
        let table = self.system.table;
        let goal = table.and(a, self.fair()?)?;
        let mut before = Vec::new();
        for group in &self.system.diagrams.groups {
            before.push(table.and(self.reachable, &table.preimage(&goal, &group.relation)?)?);
        }
        Ok(table.any(before)?)
    }

    fn until(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        let goal = self.system.table.and(b, self.fair()?)?;
        self.reach(a, &goal)
    }

    fn globally(&self, a: &Bdd) -> Result<Bdd, Stop> {
        let table = self.system.table;
        let mut all = table.never();
        for Assumed { demands, global } in self.alternatives {
            let goal = if *global {
                let inside = global::inside(self.system, self.bottoms()?, a)?;
                global::meeting(self.system, &inside, demands)?
            } else {
                fair_region(self.system, &self.product, vec![a.clone()], demands)?.sets.remove(0)
            };
            all = table.or(&all, &self.reach(a, &goal)?)?;
        }
        Ok(all)
    }
}
