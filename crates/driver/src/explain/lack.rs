//! What a process that never acts on a cycle waits for: conditions of the actions that it is about to take, and what each of
//! them lacks in a state in which it is false. Explanations name what is nearest first.

use std::collections::BTreeSet;

use model::expr::Operator;
use model::instance::Environment;
use model::{Expr, Instance, Position, ProcessId, State, VariableId, ground, semantics, show};

use super::fates::LONG;
use super::starvation::{Table, Waiting};
use crate::pending::pending;
use crate::report::plain;

impl Table<'_> {
    /// The steps of the cycle that make one of several conditions false, if each of these is true somewhere on the cycle.
    fn in_turn(&self, conditions: &[Expr]) -> Vec<String> {
        let cycle = &self.lasso.positions[self.lasso.cycle..];
        let is_true = |part: &Expr, at: usize| {
            semantics::state_predicate(self.instance, part, &cycle[at % cycle.len()].state) == Ok(true)
        };
        let mut found: Vec<String> = Vec::new();
        for part in conditions {
            let mut ends =
                (0..cycle.len()).filter(|at| is_true(part, *at) && !is_true(part, at + 1)).peekable();
            if ends.peek().is_none() {
                return Vec::new();
            }
            for name in ends.map(|at| show::label(self.instance, cycle[at].label)) {
                if !found.contains(&name) {
                    found.push(name);
                }
            }
        }
        if conditions.len() > 1 { found } else { Vec::new() }
    }

    /// The actions that a process which never acts is about to take.
    pub(super) fn waits(&self, id: ProcessId) -> Vec<(Waiting, Vec<Expr>)> {
        let instance = self.instance;
        let cycle = &self.lasso.positions[self.lasso.cycle..];
        // A part may fault where an earlier part is false; there it is not evaluated.
        let false_somewhere = |part: &Expr| {
            cycle
                .iter()
                .any(|position| semantics::state_predicate(instance, part, &position.state) == Ok(false))
        };
        let mut waits = Vec::new();
        for (action, named) in self.of(id) {
            if let Some(parts) = pending(instance, action, id, self.state()) {
                let mut conditions: Vec<Expr> = Vec::new();
                for part in parts.iter().filter(|part| false_somewhere(part)).map(unmarked) {
                    if !conditions.contains(&part) {
                        conditions.push(part);
                    }
                }
                let enabled = self.actions[action.0 as usize].0.len();
                let update = &instance.system.actions[named.action].update;
                let is_relevant = self.read.iter().any(|cell| update.writes(instance.cells[*cell].variable));
                let in_turn = if enabled == 0 { self.in_turn(&conditions) } else { Vec::new() };
                let others = conditions.iter().any(|part| !plain::can_be_written(&instance.system, part));
                let waiting =
                    Waiting { action: named.name.clone(), enabled, conditions: Vec::new(), others, in_turn };
                let distance = cycle
                    .iter()
                    .map(|at| distance_of_all(instance, &conditions, &at.state))
                    .min()
                    .unwrap_or(0);
                waits.push((waiting, conditions, is_relevant, distance));
            }
        }
        // What could make the claim true comes first, then what could make that possible, and the nearest of these.
        let needed: BTreeSet<VariableId> = waits
            .iter()
            .filter(|(_, _, is_relevant, _)| *is_relevant)
            .flat_map(|(_, conditions, ..)| conditions)
            .flat_map(|part| ground::reads(instance, part))
            .map(|cell| instance.cells[cell].variable)
            .collect();
        let helps = |waiting: &Waiting| {
            let action = self.of(id).find(|(_, action)| action.name == waiting.action);
            action.is_some_and(|(_, action)| {
                let update = &instance.system.actions[action.action].update;
                needed.iter().any(|variable| update.writes(*variable))
            })
        };
        waits.sort_by_key(|(waiting, _, is_relevant, distance)| (*distance, !is_relevant, !helps(waiting)));
        // Of a long disjunction only what the nearest part of it lacks is written.
        let texts = |conditions: &[Expr]| -> Vec<String> {
            let written = |parts: &[Expr]| -> Vec<String> {
                let parts = parts.iter().filter(|part| plain::can_be_written(&instance.system, part));
                parts.map(|part| plain::expression(&instance.system, part)).collect()
            };
            let all = written(conditions);
            if all.iter().map(String::len).sum::<usize>() <= LONG {
                return all;
            }
            let far = |position: &&Position| distance_of_all(instance, conditions, &position.state);
            let Some(nearest) = cycle.iter().filter(|position| far(position) > 0).min_by_key(far) else {
                return all;
            };
            let lacking: Vec<Expr> =
                conditions.iter().flat_map(|part| lacking(instance, part, &nearest.state)).collect();
            written(&lacking)
        };
        waits
            .into_iter()
            .map(|(waiting, conditions, ..)| {
                (Waiting { conditions: texts(&conditions), ..waiting }, conditions)
            })
            .collect()
    }
}

/// How far a condition is from being true in a state, roughly: how many of its parts are false, and numbers by how much. 0
/// iff it is true or has no value.
fn distance(instance: &Instance, condition: &Expr, state: &State) -> u64 {
    if semantics::state_predicate(instance, condition, state) != Ok(false) {
        return 0;
    }
    let of = |part: &Expr| distance(instance, part, state);
    let far = match condition {
        Expr::And(parts) => parts.iter().map(of).sum(),
        Expr::Or(parts) => parts.iter().map(of).min().unwrap_or(1),
        Expr::Binary(_, a, b) => {
            let value =
                |side: &Expr| semantics::evaluate(instance, side, state, &mut Environment::default()).ok();
            match (value(a), value(b)) {
                (Some(a), Some(b)) => a.abs_diff(b),
                _ => 1,
            }
        }
        _ => 1,
    };
    far.max(1)
}

/// The same of several conditions together.
fn distance_of_all(instance: &Instance, conditions: &[Expr], state: &State) -> u64 {
    conditions.iter().map(|part| distance(instance, part, state)).sum()
}

/// The false parts of a condition that would have to become true in a state. Of a disjunction, only those of the nearest
/// alternative.
fn lacking(instance: &Instance, condition: &Expr, state: &State) -> Vec<Expr> {
    if semantics::state_predicate(instance, condition, state) != Ok(false) {
        return Vec::new();
    }
    match condition {
        Expr::And(parts) => parts.iter().flat_map(|part| lacking(instance, part, state)).collect(),
        Expr::Or(parts) => {
            let nearest = parts.iter().min_by_key(|part| distance(instance, part, state));
            nearest.map_or_else(Vec::new, |part| lacking(instance, part, state))
        }
        other => vec![other.clone()],
    }
}

/// Whether a condition asks for less than another one of the same kind: `len(c) > 0` than `len(c) > 1`.
fn is_less(less: &Expr, more: &Expr) -> bool {
    match (less, more) {
        (Expr::Binary(Operator::Gt, a, low), Expr::Binary(Operator::Gt, b, high)) => {
            a == b && matches!((&**low, &**high), (Expr::Int(low), Expr::Int(high)) if low < high)
        }
        _ => false,
    }
}

/// A condition without the marks of lowering: `a || b` for `!(a == false && b == false)`.
fn unmarked(expr: &Expr) -> Expr {
    let negated = |part: &Expr| match part {
        Expr::Not(inner) => (**inner).clone(),
        _ => Expr::negated(part.clone()),
    };
    match expr.map(&mut unmarked) {
        Expr::Or(parts) => {
            let mut cases: Vec<Expr> = Vec::new();
            for part in &parts {
                if !cases.contains(part) && !parts.iter().any(|other| is_less(other, part)) {
                    cases.push(part.clone());
                }
            }
            if cases.len() == 1 { cases.remove(0) } else { Expr::Or(cases) }
        }
        Expr::Binary(Operator::Eq, a, b) if *b == Expr::Bool(false) => negated(&a),
        Expr::Binary(Operator::Eq, a, b) if *b == Expr::Bool(true) => *a,
        Expr::Not(inner) => match *inner {
            Expr::And(parts) if parts.iter().all(|part| matches!(part, Expr::Not(_))) => {
                Expr::Or(parts.iter().map(negated).collect())
            }
            Expr::Not(inner) => *inner,
            Expr::Binary(Operator::Eq, a, b) => Expr::Binary(Operator::Ne, a, b),
            inner => Expr::Not(Box::new(inner)),
        },
        other => other,
    }
}
