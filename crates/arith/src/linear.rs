//! Linear terms with integer coefficients.
//!
//! A term is `c + a1 v1 + … + an vn`, with the variables in increasing order and no zero coefficient, so equal terms
//! are equal values. Arithmetic returns [`Overflow`] when a number becomes too large. Negating a term or taking it
//! apart cannot fail.

use std::collections::BTreeMap;

use crate::number::{self, Overflow, add_product};

/// An integer variable, or a rational one in a solver for rationals. Its name is known to the code that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// A linear term over variables `V`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Linear<V = Var> {
    /// The constant summand.
    constant: i128,
    /// Variables in increasing order, each with a coefficient other than zero.
    coefficients: Vec<(V, i128)>,
}

impl<V> Default for Linear<V> {
    fn default() -> Linear<V> {
        Linear { constant: 0, coefficients: Vec::new() }
    }
}

impl<V: Copy + Ord> Linear<V> {
    /// A number.
    pub fn constant(value: i128) -> Linear<V> {
        Linear { constant: value, coefficients: Vec::new() }
    }

    /// A variable.
    pub fn var(var: V) -> Linear<V> {
        Linear { constant: 0, coefficients: vec![(var, 1)] }
    }

    /// `constant + Σ coefficient · variable`.
    pub fn of(constant: i128, terms: impl IntoIterator<Item = (V, i128)>) -> Result<Linear<V>, Overflow> {
        let mut sum: BTreeMap<V, i128> = BTreeMap::new();
        for (var, coefficient) in terms {
            let entry = sum.entry(var).or_default();
            *entry = add_product(*entry, 1, coefficient)?;
        }
        let constant = add_product(constant, 0, 0)?;
        Ok(Linear { constant, coefficients: sum.into_iter().filter(|(_, c)| *c != 0).collect() })
    }

    /// The constant summand.
    pub fn free(&self) -> i128 {
        self.constant
    }

    /// Its variables with their coefficients, in increasing order.
    pub fn terms(&self) -> &[(V, i128)] {
        &self.coefficients
    }

    /// The coefficient of a variable.
    pub fn coefficient(&self, var: V) -> i128 {
        self.coefficients
            .binary_search_by_key(&var, |(v, _)| *v)
            .map_or(0, |position| self.coefficients[position].1)
    }

    /// The value, if no variable occurs.
    pub fn as_constant(&self) -> Option<i128> {
        self.coefficients.is_empty().then_some(self.constant)
    }

    /// `self + factor · other`.
    pub fn plus(&self, factor: i128, other: &Linear<V>) -> Result<Linear<V>, Overflow> {
        if factor == 0 {
            return Ok(self.clone());
        }
        let mut merged = Vec::with_capacity(self.coefficients.len() + other.coefficients.len());
        let mut mine = self.coefficients.iter().peekable();
        for (var, coefficient) in &other.coefficients {
            while let Some(before) = mine.next_if(|(own, _)| own < var) {
                merged.push(*before);
            }
            let own = mine.next_if(|(own, _)| own == var).map_or(0, |(_, coefficient)| *coefficient);
            let sum = add_product(own, factor, *coefficient)?;
            if sum != 0 {
                merged.push((*var, sum));
            }
        }
        merged.extend(mine);
        let constant = add_product(self.constant, factor, other.constant)?;
        Ok(Linear { constant, coefficients: merged })
    }

    /// `self + number`.
    pub fn shifted(&self, number: i128) -> Result<Linear<V>, Overflow> {
        let constant = add_product(self.constant, 1, number)?;
        Ok(Linear { constant, coefficients: self.coefficients.clone() })
    }

    /// `factor · self`.
    pub fn times(&self, factor: i128) -> Result<Linear<V>, Overflow> {
        Linear::default().plus(factor, self)
    }

    /// `-self`.
    #[must_use]
    pub fn opposite(&self) -> Linear<V> {
        let coefficients = self.coefficients.iter().map(|(var, c)| (*var, -c)).collect();
        Linear { constant: -self.constant, coefficients }
    }

    /// `self + 1`. Cannot overflow, because numbers stay well below what 128 bits can hold.
    #[must_use]
    pub fn successor(&self) -> Linear<V> {
        Linear { constant: self.constant + 1, coefficients: self.coefficients.clone() }
    }

    /// The term with 0 in place of a variable.
    #[must_use]
    pub fn without(&self, var: V) -> Linear<V> {
        let coefficients = self.coefficients.iter().copied().filter(|(own, _)| *own != var).collect();
        Linear { constant: self.constant, coefficients }
    }

    /// The term with another in place of a variable.
    pub fn with(&self, var: V, term: &Linear<V>) -> Result<Linear<V>, Overflow> {
        self.without(var).plus(self.coefficient(var), term)
    }

    /// The term with variables replaced; those for which there is no replacement stay.
    pub fn replaced<'l>(&self, by: &dyn Fn(V) -> Option<&'l Linear<V>>) -> Result<Linear<V>, Overflow>
    where
        V: 'l,
    {
        let mut result = Linear::constant(self.constant);
        let mut kept = Linear::default();
        for (var, coefficient) in &self.coefficients {
            match by(*var) {
                Some(term) => result = result.plus(*coefficient, term)?,
                None => kept.coefficients.push((*var, *coefficient)),
            }
        }
        result.plus(1, &kept)
    }

    /// The value under a valuation.
    pub fn value(&self, of: &dyn Fn(V) -> i128) -> Result<i128, Overflow> {
        self.coefficients.iter().try_fold(self.constant, |sum, (var, c)| add_product(sum, *c, of(*var)))
    }

    /// The greatest common divisor of the coefficients; 0 if there are none.
    pub fn content(&self) -> i128 {
        self.coefficients.iter().fold(0, |gcd, (_, c)| number::gcd(gcd, *c))
    }

    /// The coefficients divided by their common divisor, and the constant rounded up: the same `… <= 0` over integers.
    #[must_use]
    pub fn tightened(&self) -> Linear<V> {
        let gcd = self.content();
        if gcd <= 1 {
            return self.clone();
        }
        // Σ a v <= -c is Σ (a/g) v <= floor(-c/g).
        let constant = -(-self.constant).div_euclid(gcd);
        Linear { constant, coefficients: self.coefficients.iter().map(|(v, c)| (*v, c / gcd)).collect() }
    }

    /// The term divided by the common divisor of its coefficients and with a positive first coefficient: the same
    /// `… = 0`. Nothing if that has no solution in integers.
    pub fn primitive(&self) -> Option<Linear<V>> {
        let (_, first) = self.coefficients.first()?;
        let divisor = self.content() * first.signum();
        if self.constant % divisor != 0 {
            return None;
        }
        let coefficients = self.coefficients.iter().map(|(v, c)| (*v, c / divisor)).collect();
        Some(Linear { constant: self.constant / divisor, coefficients })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_equal_values() {
        let (x, y) = (Var(1), Var(2));
        let a = Linear::of(3, [(y, 2), (x, 1), (y, -2)]).expect("small");
        assert_eq!(Linear::var(x).shifted(3), Ok(a.clone()));
        assert_eq!(a.plus(-1, &a), Ok(Linear::default()));
        let twice = Linear::var(y).times(2).expect("small").successor();
        let replaced = Linear::of(4, [(y, 2)]);
        assert_eq!(a.replaced(&|v| (v == x).then_some(&twice)), replaced);
        assert_eq!(a.with(x, &twice), replaced);
        assert_eq!(a.without(x), Linear::constant(3));
        assert_eq!(Ok(a.opposite()), a.times(-1));
        assert_eq!(a.value(&|_| 7), Ok(10));
    }

    #[test]
    fn an_inequality_over_integers_is_tightened() {
        // 2x - 1 <= 0 is x <= 0; -2x + 1 <= 0 is x >= 1.
        let half = Linear::of(-1, [(Var(0), 2)]).expect("small");
        assert_eq!(Ok(half.tightened()), Linear::of(0, [(Var(0), 1)]));
        assert_eq!(Ok(half.opposite().tightened()), Linear::of(1, [(Var(0), -1)]));
    }

    #[test]
    fn an_equation_over_integers_is_divided_or_has_no_solution() {
        let even = Linear::of(4, [(Var(0), -2), (Var(1), 6)]).expect("small");
        assert_eq!(even.primitive(), Linear::of(-2, [(Var(0), 1), (Var(1), -3)]).ok());
        assert_eq!(even.successor().primitive(), None);
    }

    #[test]
    fn a_number_that_becomes_too_large_is_an_error() {
        let huge: Linear = Linear::constant(1 << 126);
        assert_eq!(huge.shifted(1), Err(Overflow));
        assert_eq!(huge.shifted(-1).map(|term| term.free()), Ok((1 << 126) - 1));
        assert_eq!(huge.times(4), Err(Overflow));
        assert_eq!(Linear::var(Var(0)).value(&|_| i128::MAX), Err(Overflow));
        assert_eq!(Linear::of(0, [(Var(0), i128::MAX), (Var(0), 1)]), Err(Overflow));
    }
}
