//! Linear terms with integer coefficients, and the rational values of a model.
//!
//! A term is `c + a1 v1 + … + an vn`, the variables in increasing order and no coefficient zero, so equal terms are
//! equal values. Numbers have 128 bits. A program's own constants have at most 64, and what is computed from them
//! almost never leaves 128; where it does, the computation is abandoned by [`Overflow`], an unwinding that
//! [`guarded`] turns into a value. It is no panic: nothing is printed and no hook runs.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// An integer variable (or a rational one, in a solver for those). Who uses it knows its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// A number left 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

/// The result of a computation, unless a number leaves 128 bits in it.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Overflow> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<Overflow>() {
        Ok(overflow) => *overflow,
        Err(other) => resume_unwind(other),
    })
}

/// The number, or the end of the computation.
fn within(number: Option<i128>) -> i128 {
    number.unwrap_or_else(|| resume_unwind(Box::new(Overflow)))
}

/// A linear term.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Linear {
    /// The number it begins with.
    constant: i128,
    /// Variables in increasing order, each with a coefficient other than zero.
    coefficients: Vec<(Var, i128)>,
}

impl Linear {
    /// A number.
    pub fn constant(value: i128) -> Linear {
        Linear { constant: value, coefficients: Vec::new() }
    }

    /// A variable.
    pub fn var(var: Var) -> Linear {
        Linear { constant: 0, coefficients: vec![(var, 1)] }
    }

    /// `constant + Σ coefficient · variable`.
    pub fn of(constant: i128, terms: impl IntoIterator<Item = (Var, i128)>) -> Linear {
        let mut sum: BTreeMap<Var, i128> = BTreeMap::new();
        for (var, coefficient) in terms {
            let entry = sum.entry(var).or_default();
            *entry = within(entry.checked_add(coefficient));
        }
        Linear { constant, coefficients: sum.into_iter().filter(|(_, c)| *c != 0).collect() }
    }

    /// The number it begins with.
    pub fn free(&self) -> i128 {
        self.constant
    }

    /// Its variables with their coefficients, in increasing order.
    pub fn terms(&self) -> &[(Var, i128)] {
        &self.coefficients
    }

    /// The coefficient of a variable.
    pub fn coefficient(&self, var: Var) -> i128 {
        self.coefficients
            .binary_search_by_key(&var, |(v, _)| *v)
            .map_or(0, |position| self.coefficients[position].1)
    }

    /// The value, if no variable occurs.
    pub fn as_constant(&self) -> Option<i128> {
        self.coefficients.is_empty().then_some(self.constant)
    }

    /// `self + factor · other`.
    #[must_use]
    pub fn plus(&self, factor: i128, other: &Linear) -> Linear {
        if factor == 0 {
            return self.clone();
        }
        let scaled = |c: i128| within(c.checked_mul(factor));
        let mut merged = Vec::with_capacity(self.coefficients.len() + other.coefficients.len());
        let mut mine = self.coefficients.iter().peekable();
        for (var, coefficient) in &other.coefficients {
            while let Some(before) = mine.next_if(|(own, _)| own < var) {
                merged.push(*before);
            }
            let own = mine.next_if(|(own, _)| own == var).map_or(0, |(_, coefficient)| *coefficient);
            let sum = within(own.checked_add(scaled(*coefficient)));
            if sum != 0 {
                merged.push((*var, sum));
            }
        }
        merged.extend(mine);
        let constant = within(self.constant.checked_add(scaled(other.constant)));
        Linear { constant, coefficients: merged }
    }

    /// `self + number`.
    #[must_use]
    pub fn shifted(&self, number: i128) -> Linear {
        Linear {
            constant: within(self.constant.checked_add(number)),
            coefficients: self.coefficients.clone(),
        }
    }

    /// `factor · self`.
    #[must_use]
    pub fn times(&self, factor: i128) -> Linear {
        Linear::default().plus(factor, self)
    }

    /// The term with variables replaced; those for which there is no replacement stay.
    #[must_use]
    pub fn replaced<'l>(&self, by: &dyn Fn(Var) -> Option<&'l Linear>) -> Linear {
        let mut result = Linear::constant(self.constant);
        let mut kept = Linear::default();
        for (var, coefficient) in &self.coefficients {
            match by(*var) {
                Some(term) => result = result.plus(*coefficient, term),
                None => kept.coefficients.push((*var, *coefficient)),
            }
        }
        result.plus(1, &kept)
    }

    /// The value under a valuation.
    pub fn value(&self, of: &dyn Fn(Var) -> i128) -> i128 {
        self.coefficients.iter().fold(self.constant, |sum, (var, coefficient)| {
            within(coefficient.checked_mul(of(*var)).and_then(|product| sum.checked_add(product)))
        })
    }

    /// The greatest common divisor of the coefficients; 0 if there are none.
    pub fn content(&self) -> i128 {
        self.coefficients.iter().fold(0, |gcd, (_, c)| self::gcd(gcd, *c))
    }

    /// The coefficients divided by their common divisor, and the constant rounded up: the same `… <= 0` over integers.
    #[must_use]
    pub(crate) fn tightened(&self) -> Linear {
        let gcd = self.content();
        if gcd <= 1 {
            return self.clone();
        }
        // Σ a v <= -c is Σ (a/g) v <= floor(-c/g).
        let constant = -(-self.constant).div_euclid(gcd);
        Linear { constant, coefficients: self.coefficients.iter().map(|(v, c)| (*v, c / gcd)).collect() }
    }
}

/// The greatest common divisor of two numbers, not negative.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    within(i128::try_from(a).ok())
}

/// A rational number in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    /// The numerator.
    pub numerator: i128,
    /// The denominator, positive.
    pub denominator: i128,
}

impl Ratio {
    /// `numerator / denominator`; nothing if the denominator is zero.
    pub fn new(numerator: i128, denominator: i128) -> Option<Ratio> {
        if denominator == 0 {
            return None;
        }
        let gcd = gcd(numerator, denominator) * denominator.signum();
        Some(Ratio { numerator: numerator / gcd, denominator: denominator / gcd })
    }

    /// The integer it is, if it is one.
    pub fn integer(self) -> Option<i128> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// The least number that makes all of these integers.
    pub fn common_denominator(ratios: &[Ratio]) -> i128 {
        ratios
            .iter()
            .fold(1, |lcm, ratio| within((lcm / gcd(lcm, ratio.denominator)).checked_mul(ratio.denominator)))
    }

    /// `self · number`, rounded down.
    pub fn scaled(self, number: i128) -> i128 {
        within(self.numerator.checked_mul(number)).div_euclid(self.denominator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_equal_values() {
        let (x, y) = (Var(1), Var(2));
        let a = Linear::of(3, [(y, 2), (x, 1), (y, -2)]);
        assert_eq!(a, Linear::var(x).shifted(3));
        assert_eq!(a.plus(-1, &a), Linear::default());
        let twice = Linear::var(y).times(2).shifted(1);
        assert_eq!(a.replaced(&|v| (v == x).then_some(&twice)), Linear::of(4, [(y, 2)]));
        assert_eq!(a.value(&|_| 7), 10);
    }

    #[test]
    fn an_inequality_over_integers_is_tightened() {
        // 2x - 1 <= 0 is x <= 0; -2x + 1 <= 0 is x >= 1.
        assert_eq!(Linear::of(-1, [(Var(0), 2)]).tightened(), Linear::of(0, [(Var(0), 1)]));
        assert_eq!(Linear::of(1, [(Var(0), -2)]).tightened(), Linear::of(1, [(Var(0), -1)]));
    }

    #[test]
    fn a_number_that_leaves_its_bits_ends_the_computation_and_nothing_else() {
        let huge = Linear::constant(i128::MAX);
        assert_eq!(guarded(|| huge.shifted(1)), Err(Overflow));
        assert_eq!(guarded(|| huge.shifted(-1).free()), Ok(i128::MAX - 1));
    }

    #[test]
    fn ratios_are_in_lowest_terms() {
        assert_eq!(Ratio::new(4, -6), Ratio::new(-2, 3));
        assert_eq!(Ratio::new(1, 0), None);
        let ratios = [Ratio::new(1, 6).expect("one sixth"), Ratio::new(3, 4).expect("three quarters")];
        assert_eq!(Ratio::common_denominator(&ratios), 12);
        assert_eq!(ratios[1].scaled(12), 9);
    }
}
