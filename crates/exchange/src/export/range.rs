//! The interval of a ground expression, and the condition under which it has a value.
//!
//! The other tools compute with 32 bits and without faults; we compute with 64 bits and with faults. Intervals,
//! computed from the ranges of the cells, show that no number in an expression leaves 32 bits (or else the export is
//! refused), and that some faults cannot happen. For the others there is a condition: an expression *has a value* where
//! its indices are inside their arrays and its divisors are not 0, evaluated from left to right as in the reference
//! semantics.

use model::expr::{Operator, Place};
use model::instance::{Environment, Process};
use model::{ActionId, Expr, FamilyId, Instance, Pattern, VariableId};

use super::refusal;
use crate::export::Refusal;

/// The least and the greatest number of 32 bits.
pub(crate) const INT: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

/// The value of a constant expression.
pub(crate) fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Int(value) => Some(*value),
        Expr::Bool(value) => Some(i64::from(*value)),
        _ => None,
    }
}

/// The span of a family's index; 0..0 for a single process.
pub(crate) fn family_span(instance: &Instance, family: FamilyId) -> (i64, i64) {
    let index = |process: &Process| process.index.unwrap_or(0);
    let mut members = instance.members(family).map(|id| index(&instance.processes[id.0 as usize]));
    let lo = members.next().unwrap_or(0);
    (lo, members.last().unwrap_or(lo))
}

/// All cells of a variable, whoever owns them.
pub(crate) fn cells(instance: &Instance, variable: VariableId) -> Vec<usize> {
    match instance.system.variable(variable).owner {
        None => instance.cells_of(variable, None).collect(),
        Some(family) => {
            instance.members(family).flat_map(|process| instance.cells_of(variable, Some(process))).collect()
        }
    }
}

/// The range of all cells that a place may denote; refused if they differ.
pub(crate) fn uniform(instance: &Instance, place: &Place) -> Result<(i64, i64), Refusal> {
    let domains = match instance.constant_cell(place) {
        Some(Ok(cell)) => vec![cell],
        // The ranges of the cells of one variable differ only between processes.
        _ => cells(instance, place.variable),
    };
    let mut domains = domains.into_iter().map(|cell| instance.cells[cell].domain);
    let first = domains.next();
    match first {
        Some(first) if domains.all(|domain| domain == first) => Ok((first.lo, first.hi)),
        _ => Err(refusal(format!(
            "`{}` is assigned through an index, and its range is not the same in every process",
            instance.system.variable(place.variable).name
        ))),
    }
}

/// The least and the greatest value of any cell of a variable; `None` if it has no cells.
pub(crate) fn hull(instance: &Instance, variable: VariableId) -> Option<(i64, i64)> {
    let domains = cells(instance, variable).into_iter().map(|cell| instance.cells[cell].domain);
    domains.map(|domain| (domain.lo, domain.hi)).reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
}

/// Bounds of an expression's value; refused if it, or a part of it, may leave 32 bits.
pub(crate) fn interval(instance: &Instance, expr: &Expr) -> Result<(i64, i64), Refusal> {
    let of = |expr: &Expr| interval(instance, expr);
    let all = |parts: &[Expr]| parts.iter().map(of).collect::<Result<Vec<_>, _>>();
    let fitting = |lo: i128, hi: i128| {
        if i128::from(INT.0) <= lo && hi <= i128::from(INT.1) {
            Ok((lo as i64, hi as i64))
        } else {
            let text = model::show::expression(&instance.system, expr);
            Err(refusal(format!("`{text}` may leave the 32 bits that the other tool computes with")))
        }
    };
    match expr {
        Expr::Bool(value) => Ok((i64::from(*value), i64::from(*value))),
        Expr::Int(value) => fitting(i128::from(*value), i128::from(*value)),
        Expr::Read(place) => {
            place.process.as_deref().map(of).transpose()?;
            all(&place.position)?;
            match instance.constant_cell(place) {
                Some(Ok(cell)) => {
                    let domain = instance.cells[cell].domain;
                    Ok((domain.lo, domain.hi))
                }
                _ => Ok(hull(instance, place.variable).unwrap_or((0, 0))),
            }
        }
        Expr::Not(a) => of(a).map(|_| (0, 1)),
        Expr::And(parts) | Expr::Or(parts) => all(parts).map(|_| (0, 1)),
        Expr::Neg(a) => of(a).and_then(|(lo, hi)| fitting(-i128::from(hi), -i128::from(lo))),
        Expr::Sum(parts) => all(parts)?.into_iter().try_fold((0, 0), |(lo, hi), (a, b)| {
            fitting(i128::from(lo) + i128::from(a), i128::from(hi) + i128::from(b))
        }),
        Expr::Min(parts) => {
            let least = |(a, b): (i64, i64), (c, d)| (a.min(c), b.min(d));
            Ok(all(parts)?.into_iter().reduce(least).unwrap_or((0, 0)))
        }
        Expr::Max(parts) => {
            let greatest = |(a, b): (i64, i64), (c, d)| (a.max(c), b.max(d));
            Ok(all(parts)?.into_iter().reduce(greatest).unwrap_or((0, 0)))
        }
        Expr::If(c, a, b) => {
            of(c)?;
            let ((a, b), (c, d)) = (of(a)?, of(b)?);
            Ok((a.min(c), b.max(d)))
        }
        Expr::Binary(operator, a, b) => {
            let ((a, b), (c, d)) = (of(a)?, of(b)?);
            let [wide_a, wide_b, wide_c, wide_d] = [a, b, c, d].map(i128::from);
            let size = |lo: i64, hi: i64| lo.abs().max(hi.abs());
            match operator {
                Operator::Sub => fitting(wide_a - wide_d, wide_b - wide_c),
                Operator::Mul => {
                    let corners = [wide_a * wide_c, wide_a * wide_d, wide_b * wide_c, wide_b * wide_d];
                    let (lo, hi) = corners.iter().fold((corners[0], corners[0]), |(lo, hi), corner| {
                        (lo.min(*corner), hi.max(*corner))
                    });
                    fitting(lo, hi)
                }
                Operator::Div if a >= 0 && c > 0 => Ok((a / d, b / c)),
                // Rounding away from 0 adds 1, and so does our way of computing the quotient.
                Operator::Div => fitting(-i128::from(size(a, b)) - 1, i128::from(size(a, b)) + 1),
                Operator::Mod if a >= 0 && c > 0 => Ok((0, b.min(d - 1))),
                Operator::Mod => fitting(0, i128::from(size(c, d)).max(1) - 1),
                _ => Ok((0, 1)),
            }
        }
        Expr::Taken(pattern) => events(instance, pattern).map(|_| (0, 1)),
        Expr::Enabled(pattern) => Err(varying(instance, pattern)),
        Expr::Parameter(_) | Expr::Index(_) | Expr::Quantified(..) => {
            unreachable!("the expression is ground")
        }
    }
}

/// The condition that an expression has a value. The condition itself always has one.
pub(crate) fn defined(instance: &Instance, expr: &Expr) -> Result<Expr, Refusal> {
    let of = |expr: &Expr| defined(instance, expr);
    match expr {
        Expr::Bool(_) | Expr::Int(_) => Ok(Expr::Bool(true)),
        Expr::Read(place) => place_exists(instance, place),
        Expr::Not(a) | Expr::Neg(a) => of(a),
        Expr::And(parts) | Expr::Or(parts) => {
            // A part is evaluated only if those before it leave the result open.
            let mut condition = Expr::Bool(true);
            for part in parts.iter().rev() {
                condition = match condition {
                    Expr::Bool(true) => of(part)?,
                    rest => {
                        let closed = matches!(expr, Expr::Or(_));
                        let closed = if closed { part.clone() } else { Expr::negated(part.clone()) };
                        Expr::and([of(part)?, Expr::or([closed, rest])])
                    }
                };
            }
            Ok(condition)
        }
        Expr::Min(parts) | Expr::Max(parts) if parts.is_empty() => Ok(Expr::Bool(false)),
        Expr::Sum(parts) | Expr::Min(parts) | Expr::Max(parts) => {
            Ok(Expr::and(parts.iter().map(of).collect::<Result<Vec<_>, _>>()?))
        }
        Expr::Binary(Operator::Implies, a, b) => Ok(match of(b)? {
            Expr::Bool(true) => of(a)?,
            rest => Expr::and([of(a)?, Expr::or([Expr::negated((**a).clone()), rest])]),
        }),
        Expr::Binary(Operator::Div | Operator::Mod, a, b) => {
            let (lo, hi) = interval(instance, b)?;
            let divisible = if lo <= 0 && 0 <= hi {
                Expr::binary(Operator::Ne, (**b).clone(), Expr::Int(0))
            } else {
                Expr::Bool(true)
            };
            Ok(Expr::and([of(a)?, of(b)?, divisible]))
        }
        Expr::Binary(_, a, b) => Ok(Expr::and([of(a)?, of(b)?])),
        Expr::If(c, a, b) => {
            let (yes, no) = (of(a)?, of(b)?);
            let branches = match (yes, no) {
                (Expr::Bool(true), Expr::Bool(true)) => Expr::Bool(true),
                (yes, no) => {
                    Expr::and([Expr::or([Expr::negated((**c).clone()), yes]), Expr::or([(**c).clone(), no])])
                }
            };
            Ok(Expr::and([of(c)?, branches]))
        }
        other => interval(instance, other).map(|_| Expr::Bool(true)),
    }
}

/// The condition that a place exists: that the indices are inside, as far as that is not sure.
pub(crate) fn place_exists(instance: &Instance, place: &Place) -> Result<Expr, Refusal> {
    let mut conditions = Vec::new();
    let owner = instance.system.variable(place.variable).owner;
    let spans = owner.zip(place.process.as_deref()).map(|(family, at)| (family_span(instance, family), at));
    let positions = instance.dimensions(place.variable).iter().copied().zip(&place.position);
    for ((lo, hi), at) in spans.into_iter().chain(positions) {
        conditions.push(defined(instance, at)?);
        conditions.push(between(instance, at, lo, hi)?);
    }
    Ok(Expr::and(conditions))
}

/// The condition that an expression has a value in `lo..hi`; `true` if that is sure.
pub(crate) fn between(instance: &Instance, expr: &Expr, lo: i64, hi: i64) -> Result<Expr, Refusal> {
    let (least, greatest) = interval(instance, expr)?;
    if hi < least || greatest < lo {
        return Ok(Expr::Bool(false));
    }
    let mut conditions = Vec::new();
    if least < lo {
        conditions.push(Expr::binary(Operator::Ge, expr.clone(), Expr::Int(lo)));
    }
    if hi < greatest {
        conditions.push(Expr::binary(Operator::Le, expr.clone(), Expr::Int(hi)));
    }
    Ok(Expr::and(conditions))
}

/// The actions that an event atom refers to; refused if they depend on the state.
pub(crate) fn events(instance: &Instance, pattern: &Pattern) -> Result<Vec<ActionId>, Refusal> {
    if Expr::Taken(pattern.clone()).children().into_iter().any(|child| constant(child).is_none()) {
        return Err(varying(instance, pattern));
    }
    instance.matching(pattern, &Environment::default()).map_err(|fault| refusal(fault.to_string()))
}

fn varying(instance: &Instance, pattern: &Pattern) -> Refusal {
    let text = model::show::pattern(&instance.system, pattern);
    refusal(format!("the event `{text}` does not speak of the same actions in every state"))
}
