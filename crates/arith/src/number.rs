//! Whole numbers that do not overflow silently, and ratios of them.
//!
//! Numbers have 128 bits. The constants of a program have at most 64, so results almost never need more than 127. If
//! one does, the computation returns [`Overflow`].
//!
//! Sums, products and numbers that are read in are checked against [`LIMIT`], half of what 128 bits can hold. So every
//! number can be negated, and adding one needs no check: it would take 2^126 additions in a row to overflow.

use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// A number became too large to compute with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl Display for Overflow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "a number leaves the 128 bits it is computed with")
    }
}

impl Error for Overflow {}

/// The largest absolute value of a checked number.
const LIMIT: u128 = 1 << 126;

/// The number, if it is within the limit.
fn within(number: Option<i128>) -> Result<i128, Overflow> {
    number.filter(|number| number.unsigned_abs() <= LIMIT).ok_or(Overflow)
}

/// `a + factor · b`.
pub(crate) fn add_product(a: i128, factor: i128, b: i128) -> Result<i128, Overflow> {
    within(factor.checked_mul(b).and_then(|product| a.checked_add(product)))
}

/// `a · b`.
pub fn product(a: i128, b: i128) -> Result<i128, Overflow> {
    add_product(0, a, b)
}

/// The greatest common divisor of two numbers. It is never negative.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i128
}

/// The least common multiple of two nonzero numbers. It is never negative.
pub(crate) fn lcm(a: i128, b: i128) -> Result<i128, Overflow> {
    product(a / gcd(a, b), b).map(i128::abs)
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
    /// `numerator / denominator`; `None` if the denominator is zero or a number is too large.
    pub fn new(numerator: i128, denominator: i128) -> Option<Ratio> {
        let (numerator, denominator) = (within(Some(numerator)).ok()?, within(Some(denominator)).ok()?);
        if denominator == 0 {
            return None;
        }
        let gcd = gcd(numerator, denominator) * denominator.signum();
        Some(Ratio { numerator: numerator / gcd, denominator: denominator / gcd })
    }

    /// The value as an integer, if it is one.
    pub fn integer(self) -> Option<i128> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// The least number that makes all of these integers when multiplied with them.
    pub fn common_denominator(ratios: &[Ratio]) -> Result<i128, Overflow> {
        ratios.iter().try_fold(1, |common, ratio| lcm(common, ratio.denominator))
    }

    /// `self · number`, rounded down.
    pub fn scaled(self, number: i128) -> Result<i128, Overflow> {
        Ok(product(self.numerator, number)?.div_euclid(self.denominator))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_in_lowest_terms() {
        assert_eq!(Ratio::new(4, -6), Ratio::new(-2, 3));
        assert_eq!(Ratio::new(1, 0), None);
        let ratios = [Ratio::new(1, 6).expect("one sixth"), Ratio::new(3, 4).expect("three quarters")];
        assert_eq!(Ratio::common_denominator(&ratios), Ok(12));
        assert_eq!(ratios[1].scaled(12), Ok(9));
    }

    #[test]
    fn a_number_beyond_the_limit_is_an_error_and_no_panic() {
        let limit = LIMIT as i128;
        assert_eq!(add_product(limit, 1, -1), Ok(limit - 1));
        assert_eq!(add_product(limit, 1, 1), Err(Overflow));
        assert_eq!(product(i128::MAX, i128::MAX), Err(Overflow));
        assert_eq!(lcm(limit, limit - 1), Err(Overflow));
        assert_eq!(Ratio::new(i128::MIN, 1), None);
    }
}
