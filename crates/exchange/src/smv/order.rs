//! The order in which variables are declared. `NuSMV` uses it as the initial order of its decision diagrams.
//!
//! Related variables are adjacent: the cells of a process follow the variable of its action. A shared cell that at most
//! half of the processes use comes just before the last of them; all others come first.

use std::collections::BTreeSet;

use model::{Expr, Instance, ground};

use crate::export::actions::Effect;

/// A variable of the text.
pub(super) enum Variable {
    /// What the process with this number did last.
    Act(usize),
    /// The cell with this number.
    Cell(usize),
}

/// All variables, from the top; `effects` are those of the actions.
pub(super) fn order(instance: &Instance, effects: &[Effect]) -> Vec<Variable> {
    let mut users = vec![BTreeSet::new(); instance.cells.len()];
    for (action, effect) in instance.actions.iter().zip(effects) {
        let mut used = ground::reads(instance, &effect.enabled);
        for outcome in &effect.outcomes {
            used.extend(ground::reads(instance, &outcome.condition));
            for (place, value) in &outcome.writes {
                used.extend(ground::reads(instance, &Expr::Read(place.clone())));
                used.extend(ground::reads(instance, value));
            }
        }
        for (process, _) in &action.participants {
            used.iter().for_each(|cell| _ = users[*cell].insert(process.0 as usize));
        }
    }
    // Per process, the shared cells that come just before its own variables.
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); instance.processes.len()];
    let mut own = before.clone();
    let mut order = Vec::new();
    for (number, cell) in instance.cells.iter().enumerate() {
        let users = &users[number];
        match (cell.owner, users.last()) {
            (Some(owner), _) => own[owner.0 as usize].push(number),
            (None, Some(last)) if 2 * users.len() <= instance.processes.len() => before[*last].push(number),
            (None, _) => order.push(Variable::Cell(number)),
        }
    }
    for (process, (before, own)) in before.into_iter().zip(own).enumerate() {
        order.extend(before.into_iter().map(Variable::Cell));
        order.push(Variable::Act(process));
        order.extend(own.into_iter().map(Variable::Cell));
    }
    order
}
