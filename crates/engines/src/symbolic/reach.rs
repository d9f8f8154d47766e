//! Reachable states, and shortest paths to some of them.
//!
//! All reachable states are found by chaining: the steps of one group after the other are added to the same set,
//! each group until it adds nothing more. A group is asked again only if the set has grown since.
//! Chaining loses the distance of a state. Where a path is wanted, states are found once more in rings, by
//! their distance from the initial ones, until a ring meets the goal; then the path is followed back from ring to
//! ring.

use model::{Path, Position, State};

use super::system::System;
use crate::bdd::Bdd;
use crate::encoding::Stop;

impl System<'_> {
    /// The states that can be reached from the initial ones; `enough` is asked after each round, with the states
    /// so far, whether the rest matters.
    pub(super) fn reachable(&self, enough: &dyn Fn(&Bdd) -> Result<bool, Stop>) -> Result<Bdd, Stop> {
        let table = self.table;
        table.begin("reachable states");
        let mut reached = self.initial.clone();
        // How often the set has grown, and at which growth each group was asked last.
        let mut growth = 1u32;
        let mut asked = vec![0u32; self.groups.len()];
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        loop {
            let before = growth;
            for group in &order {
                while asked[*group] != growth {
                    asked[*group] = growth;
                    let union = table.or(&reached, &table.image(&reached, &self.groups[*group].relation)?)?;
                    if union != reached {
                        reached = union;
                        growth += 1;
                    }
                }
            }
            // What one order needs many rounds for, the other may do in one.
            order.reverse();
            if growth == before || enough(&reached)? {
                return Ok(reached);
            }
        }
    }

    /// A shortest path from an initial state to a state of `goal`, which can be reached.
    pub(super) fn path(&self, goal: &Bdd) -> Result<Path, Stop> {
        let table = self.table;
        table.begin("shortest path");
        let mut rings = vec![self.initial.clone()];
        let mut seen = self.initial.clone();
        let last = loop {
            let ring = rings.last().expect("there is always a ring");
            let met = table.and(ring, goal)?;
            if !table.is_never(&met) {
                break self.pick(&met);
            }
            let mut images = Vec::with_capacity(self.groups.len());
            for group in &self.groups {
                images.push(table.image(ring, &group.relation)?);
            }
            let next = table.minus(&table.any(images)?, &seen)?;
            assert!(!table.is_never(&next), "the goal can be reached");
            seen = table.or(&seen, &next)?;
            rings.push(next);
        };
        rings.pop();
        let mut positions = Vec::with_capacity(rings.len());
        let mut target = last.clone();
        for ring in rings.iter().rev() {
            let position = self.predecessor(ring, &target)?.expect("each ring leads to the next");
            target = position.state.clone();
            positions.push(position);
        }
        positions.reverse();
        Ok(Path { positions, last })
    }

    /// A state of a set from which a step leads to `target`, with the label of the step.
    fn predecessor(&self, set: &Bdd, target: &State) -> Result<Option<Position>, Stop> {
        let single = self.single(target)?;
        for (number, group) in self.groups.iter().enumerate() {
            let sources = self.table.and(set, &self.table.preimage(&single, &group.relation)?)?;
            if !self.table.is_never(&sources) {
                let state = self.pick(&sources);
                let label = self.label(number, &state, target);
                return Ok(Some(Position { state, label }));
            }
        }
        Ok(None)
    }
}
