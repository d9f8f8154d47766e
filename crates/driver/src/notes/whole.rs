//! Notes about the model as a whole: deadlocks, labels that are never reached, actions that are never enabled.
//!
//! A state in which every process has terminated is a normal end and gets no note. So a deadlock is noted only if a
//! process with a control location is *stuck*: it has an action to take at its location. It is also not noted if a
//! property of the model uses `deadlock`, because then the user already knows.
//!
//! Labels and actions are those of a family: if only some of its processes reach a label, that may be intended. A
//! label in a rendezvous is enabled if it is enabled with any partner.

use std::collections::BTreeSet;

use ::engines::explicit::Survey;
use lang::Model;
use model::expr::Pattern;
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
    // Invariant: a survey is about an instance.
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

/// The labels that no process reaches, and the labels of actions that are never enabled although the label, if it is
/// a location, is reached.
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

/// Whether a property of the model uses `deadlock`.
fn speaks_of_deadlock(model: &Model) -> bool {
    let asks = |expr: &Expr| expr.any(&mut |e| matches!(e, Expr::Enabled(p) if *p == Pattern::default()));
    model.checks.iter().any(|check| check.task.property.kind.atoms().into_iter().any(asks))
}
