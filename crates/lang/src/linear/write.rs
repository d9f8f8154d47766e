//! Writes linear terms and conditions as expressions of the model.

use arith::{Condition, EliminationError, Linear, Test, Var};
use model::Expr;
use model::expr::Operator;

/// A term as an expression. `name` maps variables to expressions.
pub fn term(term: &Linear, name: &dyn Fn(Var) -> Expr) -> Result<Expr, EliminationError> {
    sum(term.terms().iter().copied(), term.free(), name)
}

/// A condition as an expression. `name` maps variables to expressions.
pub fn condition(condition: &Condition, name: &dyn Fn(Var) -> Expr) -> Result<Expr, EliminationError> {
    let all = |parts: &[Condition]| {
        parts.iter().map(|part| self::condition(part, name)).collect::<Result<Vec<_>, _>>()
    };
    Ok(match condition {
        Condition::And(parts) => Expr::and(all(parts)?),
        Condition::Or(parts) => Expr::or(all(parts)?),
        Condition::Literal(Test::Divisible(divisor), total) => {
            divisible(Operator::Eq, *divisor, total, name)?
        }
        Condition::Literal(Test::Indivisible(divisor), total) => {
            divisible(Operator::Ne, *divisor, total, name)?
        }
        Condition::Literal(test, total) => {
            // Terms with a negative coefficient go to the other side.
            let side = |sign: i128| {
                let own = total.terms().iter().filter(move |(_, c)| c.signum() == sign);
                let constant = if total.free().signum() == sign { total.free() } else { 0 };
                (own.map(|(var, c)| (*var, c.abs())), constant.abs())
            };
            let ((left, a), (right, b)) = (side(1), side(-1));
            let operator = match test {
                Test::Zero => Operator::Eq,
                Test::NotZero => Operator::Ne,
                _ => Operator::Le,
            };
            Expr::binary(operator, sum(left, a, name)?, sum(right, b, name)?)
        }
    })
}

fn divisible(
    operator: Operator,
    divisor: i128,
    total: &Linear,
    name: &dyn Fn(Var) -> Expr,
) -> Result<Expr, EliminationError> {
    let divisor = Expr::Int(i64::try_from(divisor).map_err(|_| EliminationError::TooLarge)?);
    Ok(Expr::binary(operator, Expr::binary(Operator::Mod, term(total, name)?, divisor), Expr::Int(0)))
}

fn sum(
    summands: impl IntoIterator<Item = (Var, i128)>,
    constant: i128,
    name: &dyn Fn(Var) -> Expr,
) -> Result<Expr, EliminationError> {
    let int = |number: i128| i64::try_from(number).map(Expr::Int).map_err(|_| EliminationError::TooLarge);
    let mut parts = Vec::new();
    for (var, coefficient) in summands {
        parts.push(match coefficient {
            1 => name(var),
            -1 => Expr::Neg(Box::new(name(var))),
            _ => Expr::binary(Operator::Mul, int(coefficient)?, name(var)),
        });
    }
    if constant != 0 || parts.is_empty() {
        parts.push(int(constant)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Sum(parts) })
}
