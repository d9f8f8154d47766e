//! Reads expressions of the model as conditions, to eliminate a chosen integer from them.

use arith::{Condition, EliminationError, Linear, Test, Var, eliminate};
use model::expr::Operator;
use model::{Expr, Index};

/// An expression that is true iff `expr` is true for some integer value of `index`. `None` if `expr` is not linear,
/// `Some(Err(_))` if the elimination fails.
pub(crate) fn some_integer(expr: &Expr, index: Index) -> Option<Result<Expr, EliminationError>> {
    let mut reader = Reader { index, atoms: vec![Expr::Index(index)] };
    let condition = match reader.condition(expr)? {
        Ok(condition) => condition,
        Err(error) => return Some(Err(error)),
    };
    let name = |var: Var| reader.atoms[var.0 as usize].clone();
    Some(eliminate(&condition, Var(0)).and_then(|left| super::condition(&left, &name)))
}

/// Numbers the atoms of an expression; the chosen index is number 0.
struct Reader {
    index: Index,
    atoms: Vec<Expr>,
}

impl Reader {
    fn condition(&mut self, expr: &Expr) -> Option<Result<Condition, EliminationError>> {
        Some(match expr {
            Expr::Bool(true) => Ok(Condition::truth()),
            Expr::Bool(false) => Ok(Condition::falsity()),
            Expr::Not(a) => self.condition(a)?.map(|a| a.negated()),
            Expr::And(parts) => self.all(parts)?.map(Condition::and),
            Expr::Or(parts) => self.all(parts)?.map(Condition::or),
            Expr::Binary(Operator::Implies, a, b) => {
                let (a, b) = (self.condition(a)?, self.condition(b)?);
                a.and_then(|a| Ok(Condition::or([a.negated(), b?])))
            }
            Expr::Binary(operator, a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                let (test, less, more, shift) = match operator {
                    Operator::Eq => (Test::Zero, a, b, 0),
                    Operator::Ne => (Test::NotZero, a, b, 0),
                    Operator::Le => (Test::AtMost, a, b, 0),
                    Operator::Lt => (Test::AtMost, a, b, 1),
                    Operator::Ge => (Test::AtMost, b, a, 0),
                    Operator::Gt => (Test::AtMost, b, a, 1),
                    _ => return None,
                };
                less.and_then(|less| Ok(less.plus(-1, &more?)?.shifted(shift)?))
                    .map(|sum| Condition::literal(test, sum))
            }
            // A truth value is true iff it is not 0.
            Expr::Read(_) => self.term(expr)?.map(|sum| Condition::literal(Test::NotZero, sum)),
            _ => return None,
        })
    }

    fn all(&mut self, parts: &[Expr]) -> Option<Result<Vec<Condition>, EliminationError>> {
        parts.iter().map(|part| self.condition(part)).collect()
    }

    fn term(&mut self, expr: &Expr) -> Option<Result<Linear, EliminationError>> {
        Some(match expr {
            Expr::Int(number) => Ok(Linear::constant(i128::from(*number))),
            Expr::Index(_) | Expr::Read(_) => {
                let depends = |part: &Expr| *part == Expr::Index(self.index);
                if !matches!(expr, Expr::Index(_)) && expr.any(&mut |part| depends(part)) {
                    return None;
                }
                let known = self.atoms.iter().position(|atom| atom == expr);
                let number = known.unwrap_or_else(|| {
                    self.atoms.push(expr.clone());
                    self.atoms.len() - 1
                });
                Ok(Linear::var(Var(number as u32)))
            }
            Expr::Neg(a) => self.term(a)?.map(|a| a.opposite()),
            Expr::Sum(parts) => {
                let mut sum = Ok(Linear::default());
                for part in parts {
                    let part = self.term(part)?;
                    sum = sum.and_then(|sum: Linear| Ok(sum.plus(1, &part?)?));
                }
                sum
            }
            Expr::Binary(Operator::Sub, a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                a.and_then(|a| Ok(a.plus(-1, &b?)?))
            }
            Expr::Binary(Operator::Mul, a, b) => match (self.term(a)?, self.term(b)?) {
                (Ok(a), Ok(b)) => match (a.as_constant(), b.as_constant()) {
                    (Some(number), _) => b.times(number).map_err(EliminationError::from),
                    (_, Some(number)) => a.times(number).map_err(EliminationError::from),
                    _ => return None,
                },
                (Err(error), _) | (_, Err(error)) => Err(error),
            },
            _ => return None,
        })
    }
}
