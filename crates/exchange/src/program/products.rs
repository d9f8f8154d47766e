//! What linear arithmetic knows of products, quotients and remainders of variables.
//!
//! Such a value is a choice `p` with *facts*, a condition that the true value always meets: it is exact where a factor is
//! -1, 0 or 1, and beyond that it has its sign and at least a size, for squares by tangents. So a step with the facts does
//! at least what the block does. For some small factors the value is known *exactly*. A condition on `p` is *surely* true
//! where every value that meets the facts makes it true. With these two a step does at most what the block does. The
//! facts are those of incremental linearisation [CGIRS18], but all at once and only near the origin.

use arith::{Condition, EliminationError, Linear, Overflow, Test, Var, eliminate};

/// A value that is not linear: `p` is this operation on these sums.
#[derive(Clone, Debug)]
pub(crate) struct Nonlinear {
    pub(crate) operation: Operation,
    pub(crate) a: Linear,
    pub(crate) b: Linear,
}

/// An operation on two sums that are not constant. Quotients and remainders are those of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Product,
    Quotient,
    Remainder,
}

/// Where the tangents touch that bound a square from below.
const TANGENTS: [i128; 6] = [2, 3, 4, 7, 10, 32];

/// The factors for which a product is known exactly.
const FACTORS: i128 = 4;

impl Nonlinear {
    /// A condition that the value `p` always meets.
    pub(crate) fn facts(&self, p: Var) -> Result<Condition, Overflow> {
        let p = Linear::var(p);
        let (a, b) = (&self.a, &self.b);
        match self.operation {
            Operation::Product if a == b || *a == b.opposite() => square(&p, a, a == b),
            Operation::Product => {
                let mut cases = Vec::new();
                for k in -1..=1 {
                    cases.push(times(&p, a, k, b)?);
                    cases.push(times(&p, b, k, a)?);
                }
                // Both factors have at least the size 2: (|a| - 2) (|b| - 2) >= 0.
                for (s, t) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                    let (large_a, large_b) = (a.times(s)?, b.times(t)?);
                    let sum = large_a.plus(1, &large_b)?.times(2)?.shifted(-4)?;
                    cases.push(Condition::and([
                        at_least(&large_a, 2)?,
                        at_least(&large_b, 2)?,
                        at_most(&sum, &p.times(s * t)?)?,
                    ]));
                }
                Ok(Condition::or(cases))
            }
            Operation::Quotient => self.divided(|large_a, large_b, sign| {
                let size = p.times(sign)?;
                Ok(Condition::or([
                    Condition::and([at_most(large_b, &Linear::constant(1))?, equal(&size, large_a)?]),
                    Condition::and([
                        at_most(&large_a.successor(), large_b)?,
                        equal(&size, &Linear::default())?,
                    ]),
                    Condition::and([
                        at_least(large_b, 2)?,
                        at_most(large_b, large_a)?,
                        at_least(&size, 1)?,
                        at_most(&size.times(2)?, large_a)?,
                    ]),
                ]))
            }),
            Operation::Remainder => self.divided(|large_a, large_b, _| {
                let positive = at_least(a, 0)?;
                let small = Condition::and([at_most(&large_a.successor(), large_b)?, equal(&p, a)?]);
                let rest = |sign: i128| -> Result<Condition, Overflow> {
                    let size = p.times(sign)?;
                    Ok(Condition::and([
                        at_most(large_b, large_a)?,
                        at_least(&size, 0)?,
                        at_most(&size.successor(), large_b)?,
                    ]))
                };
                Ok(Condition::or([
                    small,
                    Condition::and([positive.clone(), rest(1)?]),
                    Condition::and([positive.negated(), rest(-1)?]),
                ]))
            }),
        }
    }

    /// The cases in which the value is known; `p` is the value in each.
    pub(crate) fn exact(&self, p: Var) -> Result<Condition, Overflow> {
        let p = Linear::var(p);
        let (a, b) = (&self.a, &self.b);
        match self.operation {
            Operation::Product => {
                let mut cases = Vec::new();
                for k in -FACTORS..=FACTORS {
                    cases.push(times(&p, a, k, b)?);
                    cases.push(times(&p, b, k, a)?);
                }
                Ok(Condition::or(cases))
            }
            Operation::Quotient => self
                .divided(|large_a, large_b, sign| {
                    let one = Condition::and([
                        at_most(large_b, &Linear::constant(1))?,
                        equal(&p.times(sign)?, large_a)?,
                    ]);
                    let none = Condition::and([
                        at_most(&large_a.successor(), large_b)?,
                        equal(&p, &Linear::default())?,
                    ]);
                    Ok(Condition::or([one, none]))
                })
                .map(|cases| without_zero(cases, b)),
            Operation::Remainder => self
                .divided(|large_a, large_b, _| {
                    let one = Condition::and([
                        at_most(large_b, &Linear::constant(1))?,
                        equal(&p, &Linear::default())?,
                    ]);
                    let all = Condition::and([at_most(&large_a.successor(), large_b)?, equal(&p, a)?]);
                    Ok(Condition::or([one, all]))
                })
                .map(|cases| without_zero(cases, b)),
        }
    }

    /// The cases of a division by their signs: the sizes of both sums, and the sign of the quotient. A division by zero
    /// has no meaning, so it may have any value.
    fn divided(
        &self,
        case: impl Fn(&Linear, &Linear, i128) -> Result<Condition, Overflow>,
    ) -> Result<Condition, Overflow> {
        let mut cases = vec![Condition::literal(Test::Zero, self.b.clone())];
        for (s, t) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            let (large_a, large_b) = (self.a.times(s)?, self.b.times(t)?);
            // Zero counts as positive.
            let signs = [at_least(&large_a, i128::from(s < 0))?, at_least(&large_b, 1)?];
            cases.push(Condition::and(signs.into_iter().chain([case(&large_a, &large_b, s * t)?])));
        }
        Ok(Condition::or(cases))
    }
}

/// Where a condition on `p` is true whatever `p` is among the values that meet the facts, or where `p` is known.
pub(crate) fn surely(
    condition: &Condition,
    p: Var,
    nonlinear: &Nonlinear,
) -> Result<Condition, EliminationError> {
    let other = Condition::and([nonlinear.facts(p)?, condition.negated()]);
    let always = eliminate(&other, p)?.negated();
    let known = eliminate(&Condition::and([nonlinear.exact(p)?, condition.clone()]), p)?;
    Ok(Condition::or([always, known]))
}

fn without_zero(cases: Condition, divisor: &Linear) -> Condition {
    Condition::and([Condition::literal(Test::NotZero, divisor.clone()), cases])
}

/// Facts about `p = a²`, or `p = -a²`.
fn square(p: &Linear, a: &Linear, positive: bool) -> Result<Condition, Overflow> {
    let size = if positive { p.clone() } else { p.opposite() };
    let mut cases = Vec::new();
    for k in -1..=1 {
        let known = [equal(a, &Linear::constant(k))?, equal(&size, &Linear::constant(k * k))?];
        cases.push(Condition::and(known));
    }
    for sign in [1, -1] {
        let large = a.times(sign)?;
        let mut parts = vec![at_least(&large, 2)?];
        for k in TANGENTS {
            // (a - k)² >= 0
            parts.push(at_most(&large.times(2 * k)?.shifted(-k * k)?, &size)?);
        }
        cases.push(Condition::and(parts));
    }
    Ok(Condition::or(cases))
}

/// `factor == k` and `p == k * other`.
fn times(p: &Linear, factor: &Linear, k: i128, other: &Linear) -> Result<Condition, Overflow> {
    Ok(Condition::and([equal(factor, &Linear::constant(k))?, equal(p, &other.times(k)?)?]))
}

fn at_most(a: &Linear, b: &Linear) -> Result<Condition, Overflow> {
    Ok(Condition::literal(Test::AtMost, a.plus(-1, b)?))
}

fn at_least(a: &Linear, number: i128) -> Result<Condition, Overflow> {
    at_most(&Linear::constant(number), a)
}

fn equal(a: &Linear, b: &Linear) -> Result<Condition, Overflow> {
    Ok(Condition::literal(Test::Zero, a.plus(-1, b)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a condition is true of values for the variables 0, 1, 2.
    fn holds(condition: &Condition, values: [i128; 3]) -> bool {
        let mut condition = condition.clone();
        for (number, value) in (0..).zip(values) {
            condition = condition.with(Var(number), &Linear::constant(value)).expect("small");
        }
        assert!(condition.is_true() || condition.is_false());
        condition.is_true()
    }

    fn value(operation: Operation, a: i128, b: i128) -> i128 {
        match operation {
            Operation::Product => a * b,
            Operation::Quotient => a / b,
            Operation::Remainder => a % b,
        }
    }

    #[test]
    fn the_true_value_meets_the_facts_and_what_is_exact_is_the_true_value() {
        let (x, y, p) = (Linear::var(Var(0)), Linear::var(Var(1)), Var(2));
        let mut known = 0;
        for operation in [Operation::Product, Operation::Quotient, Operation::Remainder] {
            let of_two = Nonlinear { operation, a: x.clone(), b: y.clone() };
            let of_one = Nonlinear { operation, a: x.clone(), b: x.clone() };
            let opposite = Nonlinear { operation, a: x.clone(), b: x.opposite() };
            for (nonlinear, second) in [(of_two, 0), (of_one, 1), (opposite, -1)] {
                let (facts, exact) = (nonlinear.facts(p).expect("small"), nonlinear.exact(p).expect("small"));
                for a in -12..=12 {
                    for own in if second == 0 { -12..=12 } else { 0..=0 } {
                        let b = if second == 0 { own } else { second * a };
                        if b == 0 && operation != Operation::Product {
                            assert!(!holds(&exact, [a, own, 0]), "nothing is known of a division by zero");
                            continue;
                        }
                        let right = value(operation, a, b);
                        assert!(holds(&facts, [a, own, right]), "{operation:?} {a} {b}");
                        for p in -150..=150 {
                            let is_exact = holds(&exact, [a, own, p]);
                            known += usize::from(is_exact);
                            assert!(!is_exact || p == right, "{operation:?} {a} {b} {p}");
                        }
                    }
                }
            }
        }
        assert!(known > 500, "{known}");
    }

    #[test]
    fn a_condition_is_sure_only_where_it_is_true() {
        let (x, y, p) = (Linear::var(Var(0)), Linear::var(Var(1)), Var(2));
        let mut sure = 0;
        for operation in [Operation::Product, Operation::Quotient, Operation::Remainder] {
            let nonlinear = Nonlinear { operation, a: x.clone(), b: y.clone() };
            for bound in [-4, 0, 3, 9] {
                let condition = at_least(&Linear::var(p), bound).expect("small");
                for condition in [condition.clone(), condition.negated()] {
                    let surely = surely(&condition, p, &nonlinear).expect("short");
                    for (a, b) in (-9..=9).flat_map(|a| (-9..=9).map(move |b| (a, b))) {
                        if b == 0 && operation != Operation::Product {
                            continue;
                        }
                        let is_sure = holds(&surely, [a, b, 0]);
                        sure += usize::from(is_sure);
                        let truth = holds(&condition, [a, b, value(operation, a, b)]);
                        assert!(!is_sure || truth, "{operation:?} {a} {b} {bound}");
                    }
                }
            }
        }
        assert!(sure > 1500, "{sure}");
    }
}
