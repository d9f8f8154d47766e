//! Strong global fairness where there are infinitely many states.
//!
//! It asks something only of runs that visit some state infinitely often: every step that leaves such a state is taken
//! infinitely often. So a run on which a cell grows for ever, or falls for ever, meets it, whatever it leaves out; weak
//! fairness of an action may be violated on it. And a run meets it if no state on its cycle has another step. For the runs
//! in a recurrent set both are conditions on its moves. Nothing is proved by strong global fairness here: sets that
//! contain all fair runs are computed as if it were not there (decision 0118).

use arith::{Linear, Var};
use model::{Instance, Lasso, State, semantics};
use smt::Formula;

use super::label::Analysis;
use super::moves::Move;
use super::oracles::{Oracles, Stop};
use super::recur::Recurrence;

/// Whether every step that leaves a state of the cycle of a lasso is on the cycle.
pub(super) fn is_covered(instance: &Instance, lasso: &Lasso) -> bool {
    let cycle = lasso.cycle..lasso.positions.len();
    let on_cycle = |state: &State, step: &semantics::Step| {
        cycle.clone().any(|position| {
            let here = &lasso.positions[position];
            let next = &lasso.positions[lasso.next(position)].state;
            here.state == *state && here.label == step.label && *next == step.target
        })
    };
    cycle.clone().all(|position| {
        let state = &lasso.positions[position].state;
        semantics::steps(instance, state).is_ok_and(|steps| steps.iter().all(|step| on_cycle(state, step)))
    })
}

impl Analysis<'_> {
    /// Whether some cell only grows, or only falls, on the runs of a recurrent set, and does so again and again.
    pub(super) fn never_returns(&self, found: &Recurrence, oracles: &mut Oracles<'_>) -> Result<bool, Stop> {
        for cell in (0..self.program.cells as u32).map(Var) {
            for sign in [1, -1] {
                if self.drifts(found, cell, sign, oracles)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn drifts(
        &self,
        found: &Recurrence,
        cell: Var,
        sign: i128,
        oracles: &mut Oracles<'_>,
    ) -> Result<bool, Stop> {
        let mut strictly = Vec::new();
        for movement in &found.moves {
            let Some(edge) = movement.edge.map(|edge| &self.program.edges[edge]) else { return Ok(false) };
            let Some(next) = edge.update.get(&cell) else {
                strictly.push(false);
                continue;
            };
            let next = next.replaced(&|var| movement.chosen.get(&var))?;
            let growth = next.plus(-1, &Linear::var(cell))?.times(sign)?;
            let here = self.states(movement);
            // The growth is at least 0; it is at least 1.
            if !oracles.implies(&here, &Formula::at_most(&growth.opposite()))? {
                return Ok(false);
            }
            strictly.push(oracles.implies(&here, &Formula::at_most(&growth.opposite().successor()))?);
        }
        Ok(if found.ordered {
            strictly.contains(&true)
        } else {
            // Moves without a rank are made again and again, whichever these are.
            found.moves.iter().zip(&strictly).all(|(movement, strictly)| *strictly || movement.rank.is_some())
                && found.moves.iter().any(|movement| movement.rank.is_none())
        })
    }

    /// Whether no other step can be taken in the states of a recurrent set. In a product this is not known, because there are
    /// steps that the automaton does not read.
    pub(super) fn is_forced(&self, found: &Recurrence, oracles: &mut Oracles<'_>) -> Result<bool, Stop> {
        if self.is_product {
            return Ok(false);
        }
        for movement in &found.moves {
            let Some(number) = movement.edge else { return Ok(false) };
            if !movement.chosen.is_empty() {
                return Ok(false);
            }
            let here = self.states(movement);
            for (other, edge) in self.program.edges.iter().enumerate() {
                if other != number
                    && edge.source == movement.place
                    && !oracles.is_empty(&Formula::and([here.clone(), edge.guard.clone()]))?
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The states from which a move is made.
    fn states(&self, movement: &Move) -> Formula {
        Formula::and([self.invariant[movement.place].clone(), movement.states.clone()])
    }
}
