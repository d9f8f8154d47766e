//! Conditions over linear terms, in negation normal form.
//!
//! A literal tests a term: it is at most zero, is zero, is not zero, or is or is not divisible by a number. Inequations
//! and coefficients stay as the user wrote them, because a condition is written back into a model.

use crate::linear::{Linear, Var};
use crate::number::Overflow;

/// A test on a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Test {
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

/// A condition in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The term passes the test.
    Literal(Test, Linear),
    /// All of these.
    And(Vec<Condition>),
    /// One of these.
    Or(Vec<Condition>),
}

impl Condition {
    /// The condition that is always true.
    pub fn truth() -> Condition {
        Condition::And(Vec::new())
    }

    /// The condition that is never true.
    pub fn falsity() -> Condition {
        Condition::Or(Vec::new())
    }

    /// Whether it is [`Condition::truth`].
    pub fn is_true(&self) -> bool {
        *self == Condition::truth()
    }

    /// Whether it is [`Condition::falsity`].
    pub fn is_false(&self) -> bool {
        *self == Condition::falsity()
    }

    /// A literal. Without variables it is evaluated to [`Condition::truth`] or [`Condition::falsity`].
    pub fn literal(test: Test, sum: Linear) -> Condition {
        let Some(value) = sum.as_constant() else { return Condition::Literal(test, sum) };
        let holds = match test {
            Test::AtMost => value <= 0,
            Test::Zero => value == 0,
            Test::NotZero => value != 0,
            Test::Divisible(divisor) => value.rem_euclid(divisor) == 0,
            Test::Indivisible(divisor) => value.rem_euclid(divisor) != 0,
        };
        if holds { Condition::truth() } else { Condition::falsity() }
    }

    /// The conjunction, flat.
    pub fn and(parts: impl IntoIterator<Item = Condition>) -> Condition {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                part if part.is_false() => return part,
                Condition::And(inner) => inner.into_iter().for_each(|part| add(&mut flat, part)),
                other => add(&mut flat, other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Condition::And(flat) }
    }

    /// The disjunction, flat.
    pub fn or(parts: impl IntoIterator<Item = Condition>) -> Condition {
        let mut flat: Vec<Condition> = Vec::new();
        for part in parts {
            match part {
                part if part.is_true() => return part,
                Condition::Or(inner) => inner.into_iter().for_each(|part| add(&mut flat, part)),
                other => add(&mut flat, other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Condition::Or(flat) }
    }

    /// The negation.
    #[must_use]
    pub fn negated(&self) -> Condition {
        match self {
            Condition::And(parts) => Condition::or(parts.iter().map(Condition::negated)),
            Condition::Or(parts) => Condition::and(parts.iter().map(Condition::negated)),
            Condition::Literal(test, sum) => match test {
                Test::AtMost => Condition::literal(Test::AtMost, sum.opposite().successor()),
                Test::Zero => Condition::Literal(Test::NotZero, sum.clone()),
                Test::NotZero => Condition::Literal(Test::Zero, sum.clone()),
                Test::Divisible(divisor) => Condition::Literal(Test::Indivisible(*divisor), sum.clone()),
                Test::Indivisible(divisor) => Condition::Literal(Test::Divisible(*divisor), sum.clone()),
            },
        }
    }

    /// Whether it mentions a variable.
    pub fn mentions(&self, var: Var) -> bool {
        match self {
            Condition::Literal(_, sum) => sum.coefficient(var) != 0,
            Condition::And(parts) | Condition::Or(parts) => parts.iter().any(|part| part.mentions(var)),
        }
    }

    /// The condition with a term substituted for a variable.
    pub fn with(&self, var: Var, value: &Linear) -> Result<Condition, Overflow> {
        let all = |parts: &[Condition]| {
            parts.iter().map(|part| part.with(var, value)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match self {
            Condition::Literal(test, sum) => Condition::literal(*test, sum.with(var, value)?),
            Condition::And(parts) => Condition::and(all(parts)?),
            Condition::Or(parts) => Condition::or(all(parts)?),
        })
    }

    /// The number of summands.
    pub fn size(&self) -> usize {
        match self {
            Condition::Literal(_, sum) => 1 + sum.terms().len(),
            Condition::And(parts) | Condition::Or(parts) => parts.iter().map(Condition::size).sum(),
        }
    }
}

/// Adds a part. Duplicates are skipped while the list is short, because case splits produce the same parts often.
fn add(parts: &mut Vec<Condition>, part: Condition) {
    const SHORT: usize = 64;
    if parts.len() > SHORT || !parts.contains(&part) {
        parts.push(part);
    }
}
