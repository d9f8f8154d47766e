//! The actions a process is about to take: those at its control location, even if the rest of the guard is false.
//!
//! A guard is a conjunction. Its parts that read only the location say where the process must be. A process without a
//! control location has no such parts. For it we use the parts that read only its own variables, because no other
//! process can make them true.

use model::{ActionId, Expr, Instance, ProcessId, State, ground, semantics, show};

/// If a participant of an action is about to take it in a state: the parts of the guard that it waits for, true or
/// not.
pub(crate) fn pending(
    instance: &Instance,
    action: ActionId,
    process: ProcessId,
    state: &State,
) -> Option<Vec<Expr>> {
    let family = instance.processes[process.0 as usize].family;
    let location = instance.system.family(family).location;
    let decides = |cell: &usize| {
        let cell = &instance.cells[*cell];
        cell.owner == Some(process) && location.is_none_or(|location| cell.variable == location)
    };
    let parts = match ground::guard(instance, action) {
        Expr::And(parts) => parts,
        other => vec![other],
    };
    let is_place = |part: &Expr| {
        let reads = ground::reads(instance, part);
        !reads.is_empty() && reads.iter().all(decides)
    };
    let (places, others): (Vec<Expr>, Vec<Expr>) = parts.into_iter().partition(is_place);
    let is_there = |part: &Expr| semantics::state_predicate(instance, part, state) == Ok(true);
    places.iter().all(is_there).then_some(others)
}

/// Whether a process that has a control location is about to take an action there.
pub(crate) fn is_about_to_act(instance: &Instance, process: ProcessId, state: &State) -> bool {
    let own = &instance.processes[process.0 as usize];
    let Some(location) = instance.system.family(own.family).location else { return false };
    let cell = instance.cells_of(location, Some(process)).start;
    let is_at =
        |label: &str| show::value(instance, cell, state.0[cell]) == show::Value::Member(label.to_owned());
    (0..).map(ActionId).zip(&instance.actions).any(|(id, action)| {
        let Some((_, label)) = action.participants.iter().find(|(participant, _)| *participant == process)
        else {
            return false;
        };
        let reads = ground::reads(instance, &ground::guard(instance, id));
        // A guard that is never true does not say where the process is, but its label does.
        if reads.is_empty() {
            return is_at(label);
        }
        reads.contains(&cell) && pending(instance, id, process, state).is_some()
    })
}
