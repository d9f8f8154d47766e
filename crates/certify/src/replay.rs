//! Replays runs: well formed, from an initial state, every step a step of the system.
//!
//! The shape is checked before anything is evaluated, because [`model::semantics`] may assume that a state has
//! a value for each cell and that an action exists. A step `(s, a, s')` is good if `a` is enabled in `s` and
//! `s'` is among its successors; `idle` is good only in a deadlock, and only if it changes nothing.

use model::instance::Instance;
use model::{Index, Label, Lasso, Path, Position, State, semantics, show};

use crate::flaw::Flaw;
use crate::labelling::chosen::suggestions;

/// Whether a lasso is a run.
pub(crate) fn lasso(instance: &Instance, lasso: &Lasso) -> Result<(), Flaw> {
    let Lasso { positions, cycle } = lasso;
    let Some(last) = positions.len().checked_sub(1) else { return Err(Flaw::EmptyLasso) };
    if *cycle > last {
        return Err(Flaw::CycleOutside { cycle: *cycle, positions: positions.len() });
    }
    well_formed(instance, positions)?;
    first(instance, &positions[0].state)?;
    for number in 0..last {
        step(instance, number, &positions[number], &positions[number + 1].state)?;
    }
    step(instance, last, &positions[last], &positions[*cycle].state).map_err(|flaw| match flaw {
        Flaw::WrongTarget { step, action, instead } => {
            Flaw::NotClosed { step, action, cycle: *cycle, instead }
        }
        other => other,
    })
}

/// Whether a path is a finite run.
pub(crate) fn path(instance: &Instance, path: &Path) -> Result<(), Flaw> {
    let Path { positions, last } = path;
    well_formed(instance, positions)?;
    shape(instance, positions.len(), last)?;
    first(instance, positions.first().map_or(last, |position| &position.state))?;
    for (number, position) in positions.iter().enumerate() {
        let target = positions.get(number + 1).map_or(last, |next| &next.state);
        step(instance, number, position, target)?;
    }
    Ok(())
}

/// Whether a state is well formed and initial.
pub(crate) fn first(instance: &Instance, state: &State) -> Result<(), Flaw> {
    shape(instance, 0, state)?;
    match semantics::is_initial(instance, state) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Flaw::NotInitial),
        Err(fault) => Err(Flaw::Fault { during: "`init`".to_owned(), fault }),
    }
}

fn well_formed(instance: &Instance, positions: &[Position]) -> Result<(), Flaw> {
    let actions = instance.actions.len();
    for (number, position) in positions.iter().enumerate() {
        shape(instance, number, &position.state)?;
        if let Label::Action(action) = position.label
            && action.0 as usize >= actions
        {
            return Err(Flaw::NoSuchAction { step: number + 1, action: action.0, actions });
        }
    }
    Ok(())
}

/// Whether state `number` has a value for each cell that the cell can hold.
fn shape(instance: &Instance, number: usize, state: &State) -> Result<(), Flaw> {
    let (values, cells) = (state.0.len(), instance.cells.len());
    if values != cells {
        return Err(Flaw::WrongLength { state: number, values, cells });
    }
    for (cell, value) in instance.cells.iter().zip(&state.0) {
        if !cell.domain.contains(*value) {
            let cell = cell.name.clone();
            return Err(Flaw::OutsideDomain { state: number, cell, value: *value });
        }
    }
    Ok(())
}

/// Whether the system has a step from position `number` to `target`.
fn step(instance: &Instance, number: usize, position: &Position, target: &State) -> Result<(), Flaw> {
    let step = number + 1;
    let action = || show::label(instance, position.label);
    let fault = |fault| Flaw::Fault { during: format!("step {step}"), fault };
    let outcomes = match position.label {
        Label::Idle => {
            let first = semantics::steps(instance, &position.state).map_err(fault)?.swap_remove(0);
            if first.label != Label::Idle {
                return Err(Flaw::NotDeadlocked { step, action: show::label(instance, first.label) });
            }
            vec![first.target]
        }
        Label::Action(id) if instance.system.actions[instance.action(id).action].update.is_endless() => {
            let mut outcomes = Vec::new();
            for integers in suggestions(instance, &position.state, id, target) {
                let chosen = |index: Index| integers.get(&index).copied().into_iter().collect();
                outcomes.extend(
                    semantics::successors_with(instance, &position.state, id, &chosen).map_err(fault)?,
                );
            }
            outcomes
        }
        Label::Action(id) => semantics::successors(instance, &position.state, id).map_err(fault)?,
    };
    match outcomes.first() {
        None => Err(Flaw::NotEnabled { step, action: action() }),
        Some(_) if outcomes.contains(target) => Ok(()),
        Some(outcome) => Err(Flaw::WrongTarget {
            step,
            action: action(),
            instead: show::changes(instance, target, outcome),
        }),
    }
}
