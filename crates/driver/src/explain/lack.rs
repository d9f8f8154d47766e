//! What a condition lacks in a state in which it is false: how far it is from being true, and which parts of it are false.
//! Explanations name what is nearest first.

use model::expr::Operator;
use model::instance::Environment;
use model::{Expr, Instance, State, semantics};

/// How far a condition is from being true in a state, roughly: how many of its parts are false, and numbers by how much. 0 iff it
/// is true or has no value.
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
pub(super) fn distance_of_all(instance: &Instance, conditions: &[Expr], state: &State) -> u64 {
    conditions.iter().map(|part| distance(instance, part, state)).sum()
}

/// The parts of a condition that are false in a state, of the nearest part of a disjunction: if these become true and nothing else
/// changes, it is true.
pub(super) fn lacking(instance: &Instance, condition: &Expr, state: &State) -> Vec<Expr> {
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
pub(super) fn plain(expr: &Expr) -> Expr {
    let negated = |part: &Expr| match part {
        Expr::Not(inner) => (**inner).clone(),
        _ => Expr::negated(part.clone()),
    };
    match expr.map(&mut plain) {
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
