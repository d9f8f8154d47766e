//! What a fault says, in the user's words.
//!
//! An item that a sequence does not have is a minimum over no values in the model (decision 0029), and the index of that
//! minimum has the text of the fault. The semantics only says that there was such a minimum. Which one it was, if an action
//! has several, is found by asking again: if a division by zero stands in its place, the fault is a division by zero.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::answer::Site;
use model::expr::{Operator, Quantifier};
use model::system::{Channel, Demand};
use model::{ActionId, Expr, Fault, Index, Instance, Label, Place, State, Task, Update, semantics, show};

/// A sentence about a fault of a task that says where it happens.
pub(crate) fn sentence(
    task: &Task,
    instance: &Instance,
    at: Option<&State>,
    site: Site,
    fault: &Fault,
) -> String {
    match (site, at) {
        (Site::Action(action), Some(state)) => in_action(instance, state, action, fault),
        (Site::Property, _) => {
            format!("in the property: {}", told(instance, &task.property.kind.atoms(), fault))
        }
        (Site::Fairness, _) => {
            let requirements = task.fairness.alternatives.iter().flat_map(|one| &one.requirements);
            let parts: Vec<&Expr> = requirements.flat_map(|one| [&one.when, &one.then]).collect();
            format!("in the fairness: {}", told(instance, &parts, fault))
        }
        _ => in_init(instance, fault),
    }
}

/// A sentence about a fault in an `init` predicate.
pub(crate) fn in_init(instance: &Instance, fault: &Fault) -> String {
    let predicates: Vec<&Expr> = instance.system.init.iter().collect();
    format!("in an `init` predicate: {}", told(instance, &predicates, fault))
}

/// A sentence about a fault of an action in a state.
pub(crate) fn in_action(instance: &Instance, state: &State, action: ActionId, fault: &Fault) -> String {
    let name = show::label(instance, Label::Action(action));
    let blamed = match fault {
        Fault::EmptyExtreme => blamed(instance, state, action),
        _ => None,
    };
    format!("in {name}: {}", blamed.unwrap_or_else(|| words(instance, fault)))
}

/// What a fault in one of these expressions says.
fn told(instance: &Instance, parts: &[&Expr], fault: &Fault) -> String {
    let mut found = BTreeSet::new();
    if *fault == Fault::EmptyExtreme {
        parts.iter().for_each(|part| missing(part, &mut found));
    }
    let texts: BTreeSet<&str> =
        found.into_iter().map(|index| text(instance, index).unwrap_or(NO_VALUES)).collect();
    let texts: Vec<&str> = texts.into_iter().collect();
    if texts.is_empty() { words(instance, fault) } else { texts.join(", or ") }
}

/// The fault of a minimum or maximum that the user has written.
const NO_VALUES: &str = "`min` or `max` over no values";

/// A fault that needs no place to be described.
fn words(instance: &Instance, fault: &Fault) -> String {
    if let Fault::OutsideArray { name, value, lo, hi } = fault {
        let system = &instance.system;
        let of_this_name = |channel: &&Channel| system.variable(channel.length).name == *name;
        if let Some(channel) = system.channels.iter().find(of_this_name) {
            return format!("there is no channel `{}[{value}]`, they go from {lo} to {hi}", channel.name);
        }
    }
    match fault {
        // Other values that are not there have texts of their own.
        Fault::EmptyExtreme => NO_VALUES.to_owned(),
        _ => fault.to_string(),
    }
}

/// What a minimum over no values says, if it stands for a value that is not there.
fn text(instance: &Instance, index: Index) -> Option<&str> {
    match &instance.system.indices.get(index.0 as usize)?.demand {
        Some(Demand::Check(text)) => Some(text),
        _ => None,
    }
}

/// The indices of the minima and maxima in an expression that may be over no values.
fn missing(expr: &Expr, found: &mut BTreeSet<Index>) {
    expr.any(&mut |part| {
        if let Expr::Quantified(Quantifier::Min | Quantifier::Max, binder, _) = part {
            let known =
                matches!((&*binder.span.lo, &*binder.span.hi), (Expr::Int(lo), Expr::Int(hi)) if lo <= hi);
            found.extend((!known).then_some(binder.index));
        }
        false
    });
}

/// The text of the minimum over no values that an action meets in a state.
fn blamed(instance: &Instance, state: &State, action: ActionId) -> Option<String> {
    let number = instance.action(action).action;
    let own = &instance.system.actions[number];
    let mut found = BTreeSet::new();
    let _ = changed(&own.update, &mut |expr| {
        missing(expr, &mut found);
        expr.clone()
    });
    missing(&own.guard, &mut found);
    for index in found {
        let Some(text) = text(instance, index) else { continue };
        let mut system = (*instance.system).clone();
        system.actions[number].guard = marked(&own.guard, index);
        system.actions[number].update = changed(&own.update, &mut |expr| marked(expr, index));
        let mut other = instance.clone();
        other.system = Arc::new(system);
        if semantics::successors_with(&other, state, action, &|_| Vec::new()) == Err(Fault::DivisionByZero) {
            return Some(text.to_owned());
        }
    }
    None
}

/// An expression with a division by zero in place of a minimum.
fn marked(expr: &Expr, index: Index) -> Expr {
    match expr {
        Expr::Quantified(Quantifier::Min, binder, _) if binder.index == index => {
            Expr::binary(Operator::Div, Expr::Int(1), Expr::Int(0))
        }
        _ => expr.map(&mut |part| marked(part, index)),
    }
}

/// An update with each of its expressions replaced.
fn changed(update: &Update, f: &mut dyn FnMut(&Expr) -> Expr) -> Update {
    match update {
        Update::Skip => Update::Skip,
        Update::Assign(assignments) => {
            let mut assign = |(place, value): &(Place, Expr)| (place.map(f), f(value));
            Update::Assign(assignments.iter().map(&mut assign).collect())
        }
        Update::Sequence(updates) => Update::Sequence(updates.iter().map(|part| changed(part, f)).collect()),
        Update::If(condition, yes, no) => {
            Update::If(f(condition), Box::new(changed(yes, f)), Box::new(changed(no, f)))
        }
        Update::Either(branches) => Update::Either(
            branches.iter().map(|(condition, branch)| (f(condition), changed(branch, f))).collect(),
        ),
        Update::Choose(binder, condition, body) => {
            Update::Choose(binder.clone(), f(condition), Box::new(changed(body, f)))
        }
    }
}
