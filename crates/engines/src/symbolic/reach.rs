//! Reachable states, and runs shown as evidence.
//!
//! All reachable states are found by chaining, which loses the distance of a state. Where a path or a lasso is wanted,
//! states are found once more in rings, and each path is as short as can be. Its labels are asked of the reference
//! semantics.

use model::answer::Lasso;
use model::{Path, Position, State};

use super::system::System;
use crate::bdd::Bdd;
use crate::encoding::Stop;
use crate::graph::fold::fold;
use crate::regions::walk::{Move, Walk, Walker};
use crate::regions::{Demands, Product, Region, Sets};

impl System<'_> {
    /// The states that can be reached from the initial ones; `enough` is asked after each round, with the states
    /// so far, whether the rest matters.
    pub(super) fn reachable(&self, enough: &dyn Fn(&Bdd) -> Result<bool, Stop>) -> Result<Bdd, Stop> {
        self.table.begin("reachable states");
        let product = self.alone();
        let everywhere = Region::of(vec![self.table.always()]);
        let mut found = product.forward_until(&product.start(), &everywhere, &|sets| enough(&sets[0]))?;
        Ok(found.remove(0))
    }

    /// A shortest path from an initial state to a state of `goal`, which can be reached.
    pub(super) fn path(&self, goal: &Bdd) -> Result<Path, Stop> {
        self.table.begin("shortest path");
        let product = self.alone();
        let everywhere = vec![self.table.always()];
        let walk = Walker { product: &product, ring: usize::MAX }.path(&vec![goal.clone()], &everywhere)?;
        Ok(Path { positions: self.positions(&walk), last: State(walk.end.values) })
    }

    /// A lasso from an initial state through a fair region that is not empty and can be reached.
    pub(super) fn lasso(
        &self,
        product: &Product<'_, '_>,
        region: &Region,
        demands: &Demands,
        reachable: &Sets,
    ) -> Result<Lasso, Stop> {
        let walk = Walker { product, ring: usize::MAX }.lasso(region, demands, reachable)?;
        let mut positions = self.positions(&walk);
        let mut cycle = positions.split_off(walk.cycle);
        fold(&mut positions, &mut cycle);
        let begin = positions.len();
        positions.append(&mut cycle);
        Ok(Lasso { positions, cycle: begin })
    }

    /// The states of a walk but the last, with the labels of its steps.
    pub(super) fn positions(&self, walk: &Walk) -> Vec<Position> {
        let places = walk.moves.iter().map(|step| &step.source).chain([&walk.end]);
        let states: Vec<State> = places.map(|place| State(place.values.clone())).collect();
        let label = |(step, pair): (&Move, &[State])| Position {
            state: pair[0].clone(),
            label: self.label(step.group, &pair[0], &pair[1]),
        };
        walk.moves.iter().zip(states.windows(2)).map(label).collect()
    }
}
