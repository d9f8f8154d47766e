//! Replays runs: they must be well formed, begin in an initial state, and take only steps of the system.
//!
//! The shape is checked before anything is evaluated, because [`model::semantics`] may assume that a state has a value
//! for each cell and that an action exists. A step `(s, a, s')` is right if `a` is enabled in `s` and `s'` is among its
//! successors; `idle` is right only in a deadlock, and only if it changes nothing.
//!
//! A run has states and actions, but not the chosen values. If an action chooses among all integers, its successors
//! cannot be listed, so the caller passes a function that suggests the chosen integers. A suggestion is not trusted:
//! the action is executed with it.

use std::collections::BTreeMap;

use model::instance::Instance;
use model::{ActionId, Index, Label, Lasso, Path, Position, State, StopReason, semantics, show};

use crate::end::End;
use crate::flaw::Flaw;
use crate::limits::Limits;

/// Suggests which integers an action chose between two states, by the indices of the choices.
pub(crate) type Suggest = dyn Fn(&Instance, &State, ActionId, &State, &Limits<'_>) -> Suggestions;

/// Possible choices.
pub(crate) type Suggestions = Result<Vec<BTreeMap<Index, i64>>, StopReason>;

/// Replays the runs of an instance.
pub(crate) struct Replay<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) limits: &'a Limits<'a>,
    pub(crate) suggest: &'a Suggest,
}

impl Replay<'_> {
    /// Whether a lasso is a run.
    pub(crate) fn lasso(&self, lasso: &Lasso) -> Result<(), End> {
        let Lasso { positions, cycle } = lasso;
        let Some(last) = positions.len().checked_sub(1) else { return Err(Flaw::EmptyLasso.into()) };
        if *cycle > last {
            return Err(Flaw::CycleOutside { cycle: *cycle, positions: positions.len() }.into());
        }
        self.well_formed(positions)?;
        self.first(&positions[0].state)?;
        for number in 0..last {
            self.step(number, &positions[number], &positions[number + 1].state)?;
        }
        self.step(last, &positions[last], &positions[*cycle].state).map_err(|end| match end {
            End::Flaw(Flaw::WrongTarget { step, action, instead }) => {
                Flaw::NotClosed { step, action, cycle: *cycle, instead }.into()
            }
            other => other,
        })
    }

    /// Whether a path is a finite run.
    pub(crate) fn path(&self, path: &Path) -> Result<(), End> {
        let Path { positions, last } = path;
        self.well_formed(positions)?;
        self.shape(positions.len(), last)?;
        self.first(positions.first().map_or(last, |position| &position.state))?;
        for (number, position) in positions.iter().enumerate() {
            let target = positions.get(number + 1).map_or(last, |next| &next.state);
            self.step(number, position, target)?;
        }
        Ok(())
    }

    /// Whether a state is well formed and initial.
    pub(crate) fn first(&self, state: &State) -> Result<(), Flaw> {
        self.shape(0, state)?;
        match semantics::is_initial(self.instance, state) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Flaw::NotInitial),
            Err(fault) => Err(Flaw::Fault { during: "`init`".to_owned(), fault }),
        }
    }

    fn well_formed(&self, positions: &[Position]) -> Result<(), End> {
        let actions = self.instance.actions.len();
        for (number, position) in positions.iter().enumerate() {
            self.limits.tick()?;
            self.shape(number, &position.state)?;
            if let Label::Action(action) = position.label
                && action.0 as usize >= actions
            {
                return Err(Flaw::NoSuchAction { step: number + 1, action: action.0, actions }.into());
            }
        }
        Ok(())
    }

    /// Whether state `number` has a value for each cell that the cell can hold.
    fn shape(&self, number: usize, state: &State) -> Result<(), Flaw> {
        let (values, cells) = (state.0.len(), self.instance.cells.len());
        if values != cells {
            return Err(Flaw::WrongLength { state: number, values, cells });
        }
        for (cell, value) in self.instance.cells.iter().zip(&state.0) {
            if !cell.domain.contains(*value) {
                let cell = cell.name.clone();
                return Err(Flaw::OutsideDomain { state: number, cell, value: *value });
            }
        }
        Ok(())
    }

    /// Whether the system has a step from position `number` to `target`.
    fn step(&self, number: usize, position: &Position, target: &State) -> Result<(), End> {
        self.limits.check()?;
        let step = number + 1;
        let outcomes = match position.label {
            Label::Idle => {
                let first = semantics::steps(self.instance, &position.state)
                    .map_err(|fault| Flaw::Fault { during: format!("step {step}"), fault })?
                    .swap_remove(0);
                if first.label != Label::Idle {
                    let action = show::label(self.instance, first.label);
                    return Err(Flaw::NotDeadlocked { step, action }.into());
                }
                vec![first.target]
            }
            Label::Action(action) => self.outcomes(step, &position.state, action, target)?,
        };
        let action = || show::label(self.instance, position.label);
        match outcomes.first() {
            None => Err(Flaw::NotEnabled { step, action: action() }.into()),
            Some(_) if outcomes.contains(target) => Ok(()),
            Some(outcome) => {
                let instead = show::changes(self.instance, target, outcome);
                Err(Flaw::WrongTarget { step, action: action(), instead }.into())
            }
        }
    }

    /// The outcomes of an action in a state. If they cannot be listed, those suggested for this target.
    fn outcomes(
        &self,
        step: usize,
        state: &State,
        action: ActionId,
        target: &State,
    ) -> Result<Vec<State>, End> {
        let fault = |fault| Flaw::Fault { during: format!("step {step}"), fault };
        let instance = self.instance;
        if !instance.system.actions[instance.action(action).action].update.is_endless() {
            return Ok(semantics::successors(instance, state, action).map_err(fault)?);
        }
        let mut outcomes = Vec::new();
        for integers in (self.suggest)(instance, state, action, target, self.limits)? {
            let chosen = |index: Index| integers.get(&index).copied().into_iter().collect();
            outcomes.extend(semantics::successors_with(instance, state, action, &chosen).map_err(fault)?);
        }
        Ok(outcomes)
    }
}
