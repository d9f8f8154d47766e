//! The truth of event atoms for a given action, as expressions over the state.
//!
//! `taken(pattern)` is true of a step if its action matches the pattern. For a given action that is a constant,
//! unless a process or an argument of the pattern reads the state (`taken(P[turn])`); then it is a comparison. So a
//! step predicate and an action give a state predicate, which is what engines work with. A process that does not
//! exist is a fault, and stays one.

#[cfg(feature = "full")]
use model::ActionId;
use model::expr::Operator;
use model::instance::{ActionInstance, Environment};
use model::{Expr, Instance, Pattern, ProcessId, ground};

/// The event atoms in an expression, without duplicates.
pub(crate) fn collect_events<'e>(expr: &'e Expr, events: &mut Vec<&'e Pattern>) {
    if let Expr::Taken(pattern) = expr
        && !events.contains(&pattern)
    {
        events.push(pattern);
    }
    expr.children().into_iter().for_each(|child| collect_events(child, events));
}

/// `enabled(pattern)` as an expression, where grounding could not replace it because its processes or arguments read
/// the state.
#[cfg(feature = "full")]
pub(crate) fn enabled(instance: &Instance, pattern: &Pattern) -> Expr {
    let actions = instance.actions.iter().zip((0..).map(ActionId));
    let enabled = actions
        .map(|(action, id)| Expr::and([taken(instance, pattern, Some(action)), ground::guard(instance, id)]));
    // The fault of a process that does not exist comes first, even if there is no action at all.
    let resolved = Expr::negated(taken(instance, pattern, None));
    Expr::And(vec![resolved, Expr::Or(enabled.collect())])
}

/// The truth of `taken(pattern)` for a step with this action: a constant, unless a process or an argument of the
/// pattern depends on the state. `None` is `idle`.
pub(crate) fn taken(instance: &Instance, pattern: &Pattern, action: Option<&ActionInstance>) -> Expr {
    let mut parts = Vec::new();
    for party in &pattern.participants {
        let Some(index) = &party.process else { continue };
        // A process that does not exist is a fault. The reference semantics determines which one.
        let bounds: Vec<i64> = instance
            .members(party.family)
            .filter_map(|process| instance.processes[process.0 as usize].index)
            .collect();
        if let (Some(lo), Some(hi)) = (bounds.first(), bounds.last()) {
            let inside = Expr::and([
                Expr::binary(Operator::Le, Expr::Int(*lo), (**index).clone()),
                Expr::binary(Operator::Le, (**index).clone(), Expr::Int(*hi)),
            ]);
            let fault = Expr::eq(Expr::binary(Operator::Div, Expr::Int(1), Expr::Int(0)), Expr::Int(0));
            parts.push(Expr::If(Box::new(inside), Box::new(Expr::Bool(true)), Box::new(fault)));
        }
    }
    let Some(action) = action else {
        parts.push(Expr::Bool(false));
        return ground::expression(instance, &Expr::And(parts), &mut Environment::default());
    };
    for party in &pattern.participants {
        let fits = |(process, label): &(ProcessId, String)| {
            let process = &instance.processes[process.0 as usize];
            let same =
                process.family == party.family && party.label.as_ref().is_none_or(|other| other == label);
            same.then(|| match (&party.process, process.index) {
                (Some(index), Some(value)) => Expr::eq((**index).clone(), Expr::Int(value)),
                _ => Expr::Bool(true),
            })
        };
        parts.push(Expr::Or(action.participants.iter().filter_map(fits).collect()));
    }
    if let Some(arguments) = &pattern.arguments {
        parts.push(Expr::Bool(arguments.len() == action.arguments.len()));
        for (argument, value) in arguments.iter().zip(&action.arguments) {
            parts.push(Expr::eq(argument.clone(), Expr::Int(*value)));
        }
    }
    ground::expression(instance, &Expr::And(parts), &mut Environment::default())
}

/// The expression with event atoms replaced by their known truth.
pub(crate) fn decide(expr: &Expr, known: &dyn Fn(&Pattern) -> Option<Expr>) -> Expr {
    if let Expr::Taken(pattern) = expr
        && let Some(meaning) = known(pattern)
    {
        return meaning;
    }
    expr.map(&mut |part| decide(part, known))
}
