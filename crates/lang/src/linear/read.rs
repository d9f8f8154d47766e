//! Expressions of the model as formulas, to eliminate a chosen integer from them.

use model::expr::Operator;
use model::{Expr, Index};

use super::{Formula, Hard, Linear, Test, Unknown, eliminate};

/// An expression that is true iff `condition` is for some integer value of `index`. `None` if the condition is not
/// linear in it, `Some(Err(_))` if it is too involved.
pub(crate) fn some_integer(condition: &Expr, index: Index) -> Option<Result<Expr, Hard>> {
    let mut reader = Reader { index, atoms: vec![Expr::Index(index)] };
    let formula = match reader.formula(condition)? {
        Ok(formula) => formula,
        Err(hard) => return Some(Err(hard)),
    };
    let name = |unknown: Unknown| reader.atoms[unknown as usize].clone();
    Some(eliminate(&formula, 0).and_then(|left| left.expr(&name)))
}

/// Numbers what is read; the chosen index is number 0.
struct Reader {
    index: Index,
    atoms: Vec<Expr>,
}

impl Reader {
    fn formula(&mut self, expr: &Expr) -> Option<Result<Formula, Hard>> {
        Some(match expr {
            Expr::Bool(true) => Ok(Formula::truth()),
            Expr::Bool(false) => Ok(Formula::falsity()),
            Expr::Not(a) => self.formula(a)?.and_then(|a| a.negated()),
            Expr::And(parts) => self.all(parts)?.map(Formula::and),
            Expr::Or(parts) => self.all(parts)?.map(Formula::or),
            Expr::Binary(Operator::Implies, a, b) => {
                let (a, b) = (self.formula(a)?, self.formula(b)?);
                a.and_then(|a| Ok(Formula::or([a.negated()?, b?])))
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
                less.and_then(|less| less.plus(-1, &more?)?.plus(1, &Linear::constant(shift)))
                    .map(|sum| Formula::literal(test, sum))
            }
            // A truth value is a number other than 0.
            Expr::Read(_) => self.term(expr)?.map(|sum| Formula::literal(Test::NotZero, sum)),
            _ => return None,
        })
    }

    fn all(&mut self, parts: &[Expr]) -> Option<Result<Vec<Formula>, Hard>> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    fn term(&mut self, expr: &Expr) -> Option<Result<Linear, Hard>> {
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
                Ok(Linear::unknown(number as Unknown))
            }
            Expr::Neg(a) => self.term(a)?.and_then(|a| a.times(-1)),
            Expr::Sum(parts) => {
                let mut sum = Ok(Linear::default());
                for part in parts {
                    let part = self.term(part)?;
                    sum = sum.and_then(|sum: Linear| sum.plus(1, &part?));
                }
                sum
            }
            Expr::Binary(Operator::Sub, a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                a.and_then(|a| a.plus(-1, &b?))
            }
            Expr::Binary(Operator::Mul, a, b) => match (self.term(a)?, self.term(b)?) {
                (Ok(a), Ok(b)) => match (a.value(), b.value()) {
                    (Some(number), _) => b.times(number),
                    (_, Some(number)) => a.times(number),
                    _ => return None,
                },
                (Err(hard), _) | (_, Err(hard)) => Err(hard),
            },
            _ => return None,
        })
    }
}
