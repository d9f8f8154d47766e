//! Notes about the model as a whole: deadlocks, labels that are never reached, actions that are never enabled.
//!
//! A state in which every process has come to its end is how a system terminates, and not worth a note. So a deadlock is
//! noted only where a process that has a control location is *stuck*: it has an action to take at its location. Nor is it noted if a property of the model speaks of `deadlock`: then the user knows where to look.
//!
//! Labels and actions are those of a family: what some of its processes do is not unreachable, and which of them do it may
//! be the point of the model. A label in a rendezvous is enabled if it is with any partner.

use std::collections::BTreeSet;

use ::engines::explicit::Survey;
use lang::Model;
use model::expr::Pattern;
use model::property::Kind;
use model::{ActionId, Expr, FamilyId, Instance, ProcessId, State, show};

use crate::pending::is_about_to_act;
use crate::report::Note;

/// Whether a process with a control location is stuck in a state in which no action is enabled.
pub(super) fn is_stuck(instance: &Instance, state: &State) -> bool {
    let processes = 0..instance.processes.len() as u32;
    processes.map(ProcessId).any(|process| is_about_to_act(instance, process, state))
}

/// The notes.
pub(super) fn notes(model: &Model, survey: &Survey) -> Vec<Note> {
    // Invariant: what was surveyed is one instance.
    let Some(instance) = model.subject.instance().filter(|_| survey.states > 0) else { return Vec::new() };
    let mut notes = Vec::new();
    if let Some(path) = &survey.stuck
        && !speaks_of_deadlock(model)
    {
        let steps = path.positions.iter().map(|position| show::label(instance, position.label));
        notes.push(Note::Deadlock { path: steps.collect(), state: show::state(instance, &path.last) });
    }
    let (labels, actions) = unused(instance, survey);
    notes.extend((!labels.is_empty()).then_some(Note::NeverReached(labels)));
    notes.extend((!actions.is_empty()).then_some(Note::NeverEnabled(actions)));
    notes
}

/// The labels that no process reaches, and those of actions that are never enabled although their label, if it is one, is
/// reached.
fn unused(instance: &Instance, survey: &Survey) -> (Vec<String>, Vec<String>) {
    let system = &instance.system;
    let mut used: BTreeSet<(FamilyId, &str)> = BTreeSet::new();
    let mut all: Vec<(FamilyId, &str)> = Vec::new();
    for (number, action) in instance.actions.iter().enumerate() {
        for (process, label) in &action.participants {
            let named = (instance.processes[process.0 as usize].family, label.as_str());
            if !all.contains(&named) {
                all.push(named);
            }
            if survey.enabled.contains(&ActionId(number as u32)) {
                used.insert(named);
            }
        }
    }
    let is_reached = |family: FamilyId, label: &str| {
        let location = system.family(family).location?;
        let model::system::Scalar::Enum(id) = system.variable(location).kind.scalar else { return None };
        let value = system.enumeration(id).members.iter().position(|member| member == label)? as i64;
        let cells = instance.members(family).map(|process| instance.cells_of(location, Some(process)).start);
        Some(cells.into_iter().any(|cell| survey.locations.contains(&(cell, value))))
    };
    let (mut labels, mut actions) = (Vec::new(), Vec::new());
    for (family, label) in all.into_iter().filter(|named| !used.contains(named)) {
        let name = &system.family(family).name;
        match is_reached(family, label) {
            Some(false) => labels.push(format!("{name}@{label}")),
            Some(true) | None => actions.push(format!("{name}.{label}")),
        }
    }
    (labels, actions)
}

/// Whether a property of the model asks for an enabled action.
fn speaks_of_deadlock(model: &Model) -> bool {
    let asks = |expr: &Expr| expr.any(&mut |e| matches!(e, Expr::Enabled(p) if *p == Pattern::default()));
    model.checks.iter().any(|check| match &check.task.property.kind {
        Kind::Invariant(expr) => asks(expr),
        Kind::Ltl(formula) => formula.atoms().into_iter().any(asks),
        Kind::Ctl(formula) => formula.atoms().into_iter().any(asks),
        Kind::Never(never) => never.atoms.iter().any(asks),
    })
}
