//! The steps that lead out of the cycle of a lasso. Strong global fairness rules a run out iff there is one.

use std::collections::{BTreeSet, VecDeque};

use model::expr::{Operator, Place};
use model::property::Kind;
use model::semantics::{self, Step};
use model::{Expr, Fault, Label, Requirement, State, ground};

use super::remedies::Remedy;
use super::starvation::Table;
use super::violated::remedy;
use crate::report::plain;

/// At most this many states around a cycle are looked at for what the claim speaks of.
const AROUND: usize = 2_000;

/// A step that leaves a state of the cycle, and the position of the state.
pub(super) type Exit = (usize, Step);

/// A step that leaves a state of the cycle and is not on it. A step to a state that is not on the cycle is preferred, and
/// of those one after which a process can act that never can on the cycle; or else the first on a shortest way to what the
/// claim speaks of and the cycle never has, with that.
pub(super) fn left_out(table: &Table<'_>, claim: &Kind) -> Result<Option<(Exit, Option<String>)>, Fault> {
    let Some(first) = certify::left_out(table.instance, table.lasso)? else { return Ok(None) };
    let exits = exits(table)?;
    let waiting = table.waiting_for_others();
    let enabled = |target: &State, action| semantics::enabled(table.instance, target, action) == Ok(true);
    let lets_act = |exit: &&Exit| waiting.iter().any(|action| enabled(&exit.1.target, *action));
    if let Some(exit) = exits.iter().find(lets_act) {
        return Ok(Some((exit.clone(), None)));
    }
    if let Some((exit, towards)) = towards(table, claim, &exits) {
        return Ok(Some((exit, towards)));
    }
    let changes = |(position, step): &&Exit| {
        let state = &table.lasso.positions[*position].state;
        table.read.iter().any(|cell| state.0[*cell] != step.target.0[*cell])
    };
    let exit = exits.iter().find(changes).or_else(|| exits.first());
    Ok(Some((exit.cloned().unwrap_or(first), None)))
}

/// The steps from the states of the cycle to others.
fn exits(table: &Table<'_>) -> Result<Vec<Exit>, Fault> {
    let cycle = table.lasso.cycle..table.lasso.positions.len();
    let states: BTreeSet<&State> = cycle.clone().map(|k| &table.lasso.positions[k].state).collect();
    let mut exits = Vec::new();
    for position in cycle {
        let steps = semantics::steps(table.instance, &table.lasso.positions[position].state)?;
        let leaving = steps.into_iter().filter(|step| !states.contains(&step.target));
        exits.extend(leaving.map(|step| (position, step)));
    }
    Ok(exits)
}

/// The first step on a shortest way from the cycle to a state in which a part of the claim has a value that it never has
/// on the cycle; with this part, if the way is longer.
fn towards(table: &Table<'_>, claim: &Kind, exits: &[Exit]) -> Option<(Exit, Option<String>)> {
    let instance = table.instance;
    let claim = ground::kind(instance, claim);
    let is_true = |atom: &Expr, state: &State| semantics::state_predicate(instance, atom, state) == Ok(true);
    let mut wanted: Vec<Expr> = Vec::new();
    let of_states = |atom: &&Expr| !atom.any(&mut |part| matches!(part, Expr::Taken(_)));
    for atom in claim.atoms().into_iter().filter(of_states) {
        let cycle = &table.lasso.positions[table.lasso.cycle..];
        let values: BTreeSet<bool> = cycle.iter().map(|position| is_true(atom, &position.state)).collect();
        match values.into_iter().collect::<Vec<_>>()[..] {
            [true] => wanted.push(Expr::negated(atom.clone())),
            [false] => wanted.push(atom.clone()),
            _ => {}
        }
    }
    let mut seen: BTreeSet<State> = exits.iter().map(|(_, step)| step.target.clone()).collect();
    let mut pending: VecDeque<(State, &Exit)> =
        exits.iter().map(|exit| (exit.1.target.clone(), exit)).collect();
    while let Some((state, exit)) = pending.pop_front() {
        if let Some(atom) = wanted.iter().find(|atom| is_true(atom, &state)) {
            let is_written = state != exit.1.target && plain::can_be_written(&instance.system, atom);
            let towards = is_written.then(|| plain::expression(&instance.system, atom));
            return Some((exit.clone(), towards));
        }
        for step in semantics::steps(instance, &state).ok()? {
            if seen.len() < AROUND && seen.insert(step.target.clone()) {
                pending.push_back((step.target, exit));
            }
        }
    }
    None
}

/// What would make a process take such a step that goes to another location: that it gets there again and again if it is
/// where the step begins again and again.
pub(super) fn choice(table: &Table<'_>, position: usize, step: &Step) -> Option<Remedy> {
    let instance = table.instance;
    let Label::Action(action) = step.label else { return None };
    let [(id, _)] = &instance.action(action).participants[..] else { return None };
    let process = &instance.processes[id.0 as usize];
    let variable = instance.system.family(process.family).location?;
    let cell = instance.cells_of(variable, Some(*id)).start;
    let (from, to) = (table.lasso.positions[position].state.0[cell], step.target.0[cell]);
    let at = |value: i64| {
        let index = process.index.map(|index| Box::new(Expr::Int(index)));
        let place = Place { variable, process: index, position: Vec::new() };
        Expr::Binary(Operator::Eq, Box::new(Expr::Read(place)), Box::new(Expr::Int(value)))
    };
    (from != to && !table.is_outside(*id))
        .then(|| remedy(table, Requirement::compassion(at(from), at(to), Vec::new())))
}
