//! Comparisons of a quotient or a remainder by a number, without division.
//!
//! A quotient is at most `b` where the dividend is at most what `b` comes from, which is linear in `b`. A remainder has few
//! values, each of which is a divisibility. Both are rounded towards zero, as in C: a negative dividend has the quotient
//! and the remainder of its opposite, with the other sign.

use model::Expr;
use model::expr::Operator;

use super::syntax::Factor;

/// The largest number by which a remainder is taken.
pub(super) const LARGEST: u64 = 64;

/// `a / by ⋈ b`, or `a % by ⋈ b`, where `by` is not 0.
pub(super) fn compared(factor: Factor, a: &Expr, by: i64, operator: Operator, b: &Expr) -> Expr {
    let (size, negative) = (by.saturating_abs(), by < 0);
    if factor == Factor::Remainder {
        return remainder(a, size, operator, b);
    }
    // By a negative number, the quotient has the other sign.
    let (operator, b) =
        if negative { (operator.mirrored(), Expr::Neg(Box::new(b.clone()))) } else { (operator, b.clone()) };
    let least = |b: &Expr| at_least(a, size, b);
    let above = |b: &Expr| least(&Expr::Sum(vec![b.clone(), Expr::Int(1)]));
    match operator {
        Operator::Ge => least(&b),
        Operator::Gt => above(&b),
        Operator::Lt => Expr::negated(least(&b)),
        Operator::Le => Expr::negated(above(&b)),
        Operator::Ne => Expr::or([Expr::negated(least(&b)), above(&b)]),
        _ => Expr::and([least(&b), Expr::negated(above(&b))]),
    }
}

/// `a / size >= b` for a positive size.
fn at_least(a: &Expr, size: i64, b: &Expr) -> Expr {
    let zero = Expr::Int(0);
    let scaled = Expr::binary(Operator::Mul, Expr::Int(size), b.clone());
    let lower = Expr::Sum(vec![scaled.clone(), Expr::Int(1 - size)]);
    let natural = Expr::binary(Operator::Ge, a.clone(), zero);
    // If the dividend is negative, the quotient is rounded up.
    Expr::or([
        Expr::and([natural.clone(), Expr::binary(Operator::Ge, a.clone(), scaled)]),
        Expr::and([Expr::negated(natural), Expr::binary(Operator::Ge, a.clone(), lower)]),
    ])
}

fn remainder(a: &Expr, size: i64, operator: Operator, b: &Expr) -> Expr {
    let natural = Expr::binary(Operator::Ge, a.clone(), Expr::Int(0));
    let opposite = Expr::Neg(Box::new(a.clone()));
    let mut cases = Vec::new();
    for rest in 0..size {
        let is = |a: &Expr| {
            let own = Expr::binary(Operator::Mod, a.clone(), Expr::Int(size));
            Expr::eq(own, Expr::Int(rest))
        };
        let compared = |rest: i64| Expr::binary(operator, Expr::Int(rest), b.clone());
        cases.push(Expr::and([natural.clone(), is(a), compared(rest)]));
        cases.push(Expr::and([Expr::negated(natural.clone()), is(&opposite), compared(-rest)]));
    }
    Expr::or(cases)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::{Instance, State, System, semantics};

    use super::*;

    type Comparison = (Operator, fn(i64, i64) -> bool);

    #[test]
    fn comparisons_of_quotients_and_remainders_are_those_of_c() {
        let instance = Instance::new(Arc::new(System::default())).expect("an instance");
        let operators: [Comparison; 6] = [
            (Operator::Lt, |a, b| a < b),
            (Operator::Le, |a, b| a <= b),
            (Operator::Gt, |a, b| a > b),
            (Operator::Ge, |a, b| a >= b),
            (Operator::Eq, |a, b| a == b),
            (Operator::Ne, |a, b| a != b),
        ];
        for (operator, compare) in operators {
            for by in [-3, -2, -1, 1, 2, 5] {
                for a in -11..=11 {
                    for b in -6..=6 {
                        for (factor, value) in [(Factor::Divided, a / by), (Factor::Remainder, a % by)] {
                            let expr = compared(factor, &Expr::Int(a), by, operator, &Expr::Int(b));
                            let truth = semantics::state_predicate(&instance, &expr, &State(Vec::new()));
                            assert_eq!(truth, Ok(compare(value, b)), "{factor:?} {a} {by} {operator:?} {b}");
                        }
                    }
                }
            }
        }
    }
}
