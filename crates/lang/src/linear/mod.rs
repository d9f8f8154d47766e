//! Linear integer arithmetic: sums, literals and formulas over numbered unknowns.
//!
//! A front end needs these where a step chooses among all integers: whether there is a value to choose must be said
//! without the value, so it is [eliminated](eliminate). Formulas are in negation normal form. Coefficients have 128
//! bits and never overflow silently: what leaves them, or the 64 bits of the model in the end, is [`Hard`].

mod eliminate;
mod read;

use std::collections::BTreeMap;

pub(crate) use eliminate::eliminate;
use model::Expr;
use model::expr::Operator;
pub(crate) use read::some_integer;

/// An unknown, by number; who builds a formula knows what it stands for.
pub(crate) type Unknown = u32;

/// Why a formula is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hard {
    /// A number leaves its bits.
    Large,
    /// The formula would become too long.
    Long,
}

/// A sum of multiples of unknowns, and a constant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Linear {
    /// Never zero.
    pub(crate) coefficients: BTreeMap<Unknown, i128>,
    pub(crate) constant: i128,
}

impl Linear {
    pub(crate) fn constant(constant: i128) -> Linear {
        Linear { coefficients: BTreeMap::new(), constant }
    }

    pub(crate) fn unknown(unknown: Unknown) -> Linear {
        Linear { coefficients: BTreeMap::from([(unknown, 1)]), constant: 0 }
    }

    /// Its value, if it mentions no unknown.
    pub(crate) fn value(&self) -> Option<i128> {
        self.coefficients.is_empty().then_some(self.constant)
    }

    pub(crate) fn coefficient(&self, unknown: Unknown) -> i128 {
        self.coefficients.get(&unknown).copied().unwrap_or(0)
    }

    /// `self + factor * other`.
    pub(crate) fn plus(&self, factor: i128, other: &Linear) -> Result<Linear, Hard> {
        let mut sum = self.clone();
        let add = |a: i128, b: i128| {
            b.checked_mul(factor).and_then(|product| a.checked_add(product)).ok_or(Hard::Large)
        };
        sum.constant = add(sum.constant, other.constant)?;
        for (unknown, coefficient) in &other.coefficients {
            let entry = sum.coefficients.entry(*unknown).or_insert(0);
            *entry = add(*entry, *coefficient)?;
            if *entry == 0 {
                sum.coefficients.remove(unknown);
            }
        }
        Ok(sum)
    }

    pub(crate) fn times(&self, factor: i128) -> Result<Linear, Hard> {
        Linear::default().plus(factor, self)
    }

    /// With a sum in place of an unknown.
    pub(crate) fn with(&self, unknown: Unknown, sum: &Linear) -> Result<Linear, Hard> {
        let mut rest = self.clone();
        match rest.coefficients.remove(&unknown) {
            None => Ok(rest),
            Some(coefficient) => rest.plus(coefficient, sum),
        }
    }

    /// As an expression of the model: the sum of `name`d unknowns.
    pub(crate) fn expr(&self, name: &dyn Fn(Unknown) -> Expr) -> Result<Expr, Hard> {
        sum(
            self.coefficients.iter().map(|(unknown, coefficient)| (*unknown, *coefficient)),
            self.constant,
            name,
        )
    }
}

/// What a literal says of its sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Test {
    /// It is at most 0.
    AtMost,
    /// It is 0.
    Zero,
    /// It is not 0.
    NotZero,
    /// This number, at least 2, divides it.
    Divisible(i128),
    /// This number, at least 2, does not divide it.
    Indivisible(i128),
}

/// A formula in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    /// The sum passes the test.
    Literal(Test, Linear),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

impl Formula {
    pub(crate) fn truth() -> Formula {
        Formula::And(Vec::new())
    }

    pub(crate) fn falsity() -> Formula {
        Formula::Or(Vec::new())
    }

    pub(crate) fn is_true(&self) -> bool {
        *self == Formula::truth()
    }

    pub(crate) fn is_false(&self) -> bool {
        *self == Formula::falsity()
    }

    /// A literal, or its truth if it mentions no unknown.
    pub(crate) fn literal(test: Test, sum: Linear) -> Formula {
        let Some(value) = sum.value() else { return Formula::Literal(test, sum) };
        let holds = match test {
            Test::AtMost => value <= 0,
            Test::Zero => value == 0,
            Test::NotZero => value != 0,
            Test::Divisible(divisor) => value.rem_euclid(divisor) == 0,
            Test::Indivisible(divisor) => value.rem_euclid(divisor) != 0,
        };
        if holds { Formula::truth() } else { Formula::falsity() }
    }

    /// The conjunction, flat.
    pub(crate) fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                part if part.is_false() => return part,
                Formula::And(inner) => inner.into_iter().for_each(|part| add(&mut flat, part)),
                other => add(&mut flat, other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Formula::And(flat) }
    }

    /// The disjunction, flat.
    pub(crate) fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut flat: Vec<Formula> = Vec::new();
        for part in parts {
            match part {
                part if part.is_true() => return part,
                Formula::Or(inner) => inner.into_iter().for_each(|part| add(&mut flat, part)),
                other => add(&mut flat, other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Formula::Or(flat) }
    }

    pub(crate) fn negated(&self) -> Result<Formula, Hard> {
        let all = |parts: &[Formula]| parts.iter().map(Formula::negated).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            Formula::And(parts) => Formula::or(all(parts)?),
            Formula::Or(parts) => Formula::and(all(parts)?),
            Formula::Literal(test, sum) => match test {
                Test::AtMost => Formula::literal(Test::AtMost, Linear::constant(1).plus(-1, sum)?),
                Test::Zero => Formula::Literal(Test::NotZero, sum.clone()),
                Test::NotZero => Formula::Literal(Test::Zero, sum.clone()),
                Test::Divisible(divisor) => Formula::Literal(Test::Indivisible(*divisor), sum.clone()),
                Test::Indivisible(divisor) => Formula::Literal(Test::Divisible(*divisor), sum.clone()),
            },
        })
    }

    /// Whether it mentions an unknown.
    pub(crate) fn mentions(&self, unknown: Unknown) -> bool {
        match self {
            Formula::Literal(_, sum) => sum.coefficients.contains_key(&unknown),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| part.mentions(unknown)),
        }
    }

    /// With a sum in place of an unknown.
    pub(crate) fn with(&self, unknown: Unknown, value: &Linear) -> Result<Formula, Hard> {
        let all = |parts: &[Formula]| {
            parts.iter().map(|part| part.with(unknown, value)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match self {
            Formula::Literal(test, sum) => Formula::literal(*test, sum.with(unknown, value)?),
            Formula::And(parts) => Formula::and(all(parts)?),
            Formula::Or(parts) => Formula::or(all(parts)?),
        })
    }

    /// The number of summands in it.
    pub(crate) fn size(&self) -> usize {
        match self {
            Formula::Literal(_, sum) => 1 + sum.coefficients.len(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().map(Formula::size).sum(),
        }
    }

    /// As an expression of the model, where `name` says what the unknowns are.
    pub(crate) fn expr(&self, name: &dyn Fn(Unknown) -> Expr) -> Result<Expr, Hard> {
        let all = |parts: &[Formula]| parts.iter().map(|part| part.expr(name)).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            Formula::And(parts) => Expr::and(all(parts)?),
            Formula::Or(parts) => Expr::or(all(parts)?),
            Formula::Literal(Test::Divisible(divisor), total) => {
                divisible(Operator::Eq, *divisor, total, name)?
            }
            Formula::Literal(Test::Indivisible(divisor), total) => {
                divisible(Operator::Ne, *divisor, total, name)?
            }
            Formula::Literal(test, total) => {
                // What is subtracted goes to the other side.
                let side = |sign: i128| {
                    let own = total.coefficients.iter().filter(move |(_, c)| **c * sign > 0);
                    let constant = if total.constant.signum() == sign { total.constant } else { 0 };
                    own.map(|(unknown, c)| c.checked_abs().map(|c| (*unknown, c)))
                        .collect::<Option<Vec<_>>>()
                        .zip(constant.checked_abs())
                        .ok_or(Hard::Large)
                };
                let ((left, a), (right, b)) = (side(1)?, side(-1)?);
                let operator = match test {
                    Test::Zero => Operator::Eq,
                    Test::NotZero => Operator::Ne,
                    _ => Operator::Le,
                };
                Expr::binary(operator, sum(left, a, name)?, sum(right, b, name)?)
            }
        })
    }
}

/// Adds a part, unless a short list has it already: the same comes up again and again when cases are distinguished.
fn add(parts: &mut Vec<Formula>, part: Formula) {
    const SHORT: usize = 64;
    if parts.len() > SHORT || !parts.contains(&part) {
        parts.push(part);
    }
}

fn divisible(
    operator: Operator,
    divisor: i128,
    total: &Linear,
    name: &dyn Fn(Unknown) -> Expr,
) -> Result<Expr, Hard> {
    let divisor = Expr::Int(i64::try_from(divisor).map_err(|_| Hard::Large)?);
    Ok(Expr::binary(operator, Expr::binary(Operator::Mod, total.expr(name)?, divisor), Expr::Int(0)))
}

fn sum(
    summands: impl IntoIterator<Item = (Unknown, i128)>,
    constant: i128,
    name: &dyn Fn(Unknown) -> Expr,
) -> Result<Expr, Hard> {
    let int = |number: i128| i64::try_from(number).map(Expr::Int).map_err(|_| Hard::Large);
    let mut parts = Vec::new();
    for (unknown, coefficient) in summands {
        parts.push(match coefficient {
            1 => name(unknown),
            -1 => Expr::Neg(Box::new(name(unknown))),
            _ => Expr::binary(Operator::Mul, int(coefficient)?, name(unknown)),
        });
    }
    if constant != 0 || parts.is_empty() {
        parts.push(int(constant)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Sum(parts) })
}
