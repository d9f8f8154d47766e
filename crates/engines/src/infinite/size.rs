//! Computes how large a task becomes when its quantifiers are expanded.
//!
//! The engine works on ground expressions, and grounding cannot be interrupted. So their size is computed first, and
//! a task that is too large is not attempted.

use model::instance::Environment;
use model::property::Kind;
use model::system::Update;
use model::{Binder, Ctl, Expr, Formula, Instance, Task, semantics};

use super::oracles::Stop;

/// The greatest number of nodes of all ground expressions.
const LARGEST: u64 = 1_000_000;

/// Fails if the ground expressions of a task are too large.
pub(super) fn check(instance: &Instance, task: &Task) -> Result<(), Stop> {
    let empty = &mut Environment::default();
    let system = &instance.system;
    let mut size: u64 = 0;
    let mut add = |nodes: u64| {
        size = size.saturating_add(nodes);
        if size > LARGEST {
            return Err(Stop::Unsupported("a quantifier over very many values".to_owned()));
        }
        Ok(())
    };
    for predicate in &system.init {
        add(expression(predicate, empty))?;
    }
    for instantiated in &instance.actions {
        let action = &system.actions[instantiated.action];
        let environment = &mut instantiated.environment.clone();
        add(expression(&action.guard, environment))?;
        add(update(&action.update, environment))?;
    }
    for assumption in &task.fairness.alternatives {
        for requirement in &assumption.requirements {
            let body = |environment: &mut Environment| {
                expression(&requirement.when, environment)
                    .saturating_add(expression(&requirement.then, environment))
            };
            add(under(&requirement.binders, empty, &body))?;
        }
    }
    add(match &task.property.kind {
        Kind::Invariant(predicate) => expression(predicate, empty),
        Kind::Ltl(property) => formula(property, empty),
        Kind::Ctl(property) => ctl(property, empty),
        Kind::Never(never) => total(never.atoms.iter().map(|atom| expression(atom, empty))),
    })
}

fn total(parts: impl Iterator<Item = u64>) -> u64 {
    parts.fold(0, u64::saturating_add)
}

/// The number of values of a binder, and the size of its body for one of them. The ends of a range may depend on
/// outer binders, so we use the larger of the sizes for the least and the greatest value.
fn of_one(
    binder: &Binder,
    environment: &mut Environment,
    body: &dyn Fn(&mut Environment) -> u64,
) -> (u64, u64) {
    if binder.span.is_endless() {
        return (1, body(environment));
    }
    let lo = semantics::rigid(&binder.span.lo, environment);
    let hi = semantics::rigid(&binder.span.hi, environment);
    let (Ok(lo), Ok(hi)) = (lo, hi) else { return (1, 1) };
    if hi < lo {
        return (1, 1);
    }
    let count = hi.abs_diff(lo).saturating_add(1);
    let mut largest = 0;
    let ends = if lo == hi { &[lo][..] } else { &[lo, hi] };
    for &value in ends {
        // If the result is already too large, skip the second evaluation, which would double the work at every level.
        if count.saturating_mul(largest) <= LARGEST {
            environment.bind(binder.index, value);
            largest = largest.max(body(environment));
            environment.unbind();
        }
    }
    (count, largest)
}

/// The size of the body of a binder, for all its values.
fn bound(binder: &Binder, environment: &mut Environment, body: &dyn Fn(&mut Environment) -> u64) -> u64 {
    let (count, size) = of_one(binder, environment, body);
    count.saturating_mul(size)
}

fn under(binders: &[Binder], environment: &mut Environment, body: &dyn Fn(&mut Environment) -> u64) -> u64 {
    match binders.split_first() {
        None => body(environment),
        Some((first, rest)) => bound(first, environment, &|environment| under(rest, environment, body)),
    }
}

fn expression(expr: &Expr, environment: &mut Environment) -> u64 {
    match expr {
        Expr::Quantified(_, binder, body) => {
            bound(binder, environment, &|environment| expression(body, environment))
        }
        other => {
            let children = other.children().into_iter().map(|child| expression(child, environment));
            total(children).saturating_add(1)
        }
    }
}

fn update(part: &Update, environment: &mut Environment) -> u64 {
    match part {
        Update::Skip => 1,
        Update::Assign(assignments) => {
            total(assignments.iter().map(|(_, value)| expression(value, environment)))
        }
        Update::Sequence(parts) => total(parts.iter().map(|part| update(part, environment))),
        Update::If(condition, yes, no) => expression(condition, environment)
            .saturating_add(update(yes, environment))
            .saturating_add(update(no, environment)),
        Update::Either(branches) => total(branches.iter().map(|(condition, branch)| {
            expression(condition, environment).saturating_add(update(branch, environment))
        })),
        // The values of a choice are not expanded at once: the construction of the program checks the limits.
        Update::Choose(binder, condition, body) => {
            let body = |environment: &mut Environment| {
                expression(condition, environment).saturating_add(update(body, environment))
            };
            of_one(binder, environment, &body).1
        }
    }
}

fn formula(property: &Formula, environment: &mut Environment) -> u64 {
    match property {
        Formula::Atom(atom) => expression(atom, environment),
        Formula::Not(a)
        | Formula::Next(a)
        | Formula::Finally(a)
        | Formula::Globally(a)
        | Formula::Previous(a)
        | Formula::Once(a)
        | Formula::Historically(a) => formula(a, environment).saturating_add(1),
        Formula::And(parts) | Formula::Or(parts) => {
            total(parts.iter().map(|part| formula(part, environment))).saturating_add(1)
        }
        Formula::Implies(a, b)
        | Formula::Until(a, b)
        | Formula::WeakUntil(a, b)
        | Formula::Release(a, b)
        | Formula::Since(a, b) => {
            formula(a, environment).saturating_add(formula(b, environment)).saturating_add(1)
        }
        Formula::Forall(binder, body) | Formula::Exists(binder, body) => {
            bound(binder, environment, &|environment| formula(body, environment))
        }
    }
}

fn ctl(property: &Ctl, environment: &mut Environment) -> u64 {
    match property {
        Ctl::Atom(atom) => expression(atom, environment),
        Ctl::Not(a) | Ctl::Next(_, a) | Ctl::Finally(_, a) | Ctl::Globally(_, a) => {
            ctl(a, environment).saturating_add(1)
        }
        Ctl::And(parts) | Ctl::Or(parts) | Ctl::Infinitely(_, parts) => {
            total(parts.iter().map(|part| ctl(part, environment))).saturating_add(1)
        }
        Ctl::Implies(a, b) | Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) => {
            ctl(a, environment).saturating_add(ctl(b, environment)).saturating_add(1)
        }
        Ctl::Forall(binder, body) | Ctl::Exists(binder, body) => {
            bound(binder, environment, &|environment| ctl(body, environment))
        }
    }
}
