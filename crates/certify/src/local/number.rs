//! Numbers in a circuit: two's complement, as wide as the values can be.
//!
//! Every number has an interval that contains all its values, so sums are never cut off and most tests for overflow are
//! constant. The reference semantics computes in 64 bits, and an overflow is a fault; [`Circuit::narrow`] says where
//! that happens. Widths stay below 130 bits, because operands have been narrowed before they are combined. Division is
//! long division on absolute values; the signs are corrected afterwards to make it Euclidean.

use super::circuit::{Circuit, Lit};

/// A number: its bits from the least significant to the sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    bits: Vec<Lit>,
    /// A lower bound.
    pub(crate) lo: i128,
    /// An upper bound.
    pub(crate) hi: i128,
}

impl Number {
    /// A constant.
    pub(crate) fn constant(value: i128) -> Number {
        let bits = (0..width(value, value)).map(|bit| Lit::constant(value >> bit & 1 == 1)).collect();
        Number { bits, lo: value, hi: value }
    }

    /// 1 if the literal is true, else 0.
    pub(crate) fn truth(lit: Lit) -> Number {
        match lit {
            Lit::TRUE => Number::constant(1),
            Lit::FALSE => Number::constant(0),
            _ => Number { bits: vec![lit, Lit::FALSE], lo: 0, hi: 1 },
        }
    }

    /// The value, if it is constant.
    pub(crate) fn known(&self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// The bit at a position. Positions beyond the width have the sign.
    pub(crate) fn bit(&self, position: usize) -> Lit {
        self.bits.get(position).or(self.bits.last()).copied().unwrap_or(Lit::FALSE)
    }

    fn sign(&self) -> Lit {
        self.bit(self.bits.len())
    }
}

/// The number of bits that hold every value of an interval.
fn width(lo: i128, hi: i128) -> usize {
    let needed = |value: i128| 129 - (if value < 0 { !value } else { value }).leading_zeros() as usize;
    needed(lo).max(needed(hi)).max(1)
}

impl Circuit {
    /// The number `lo` plus the binary number with these bits, which is at most `hi - lo`.
    pub(crate) fn offset(&mut self, bits: &[Lit], lo: i64, hi: i64) -> Number {
        let (lo, hi) = (i128::from(lo), i128::from(hi));
        let mut bits = bits.to_vec();
        bits.push(Lit::FALSE);
        let above = Number { bits, lo: 0, hi: hi - lo };
        self.plus(&above, &Number::constant(lo))
    }

    /// `a + b`.
    pub(crate) fn plus(&mut self, a: &Number, b: &Number) -> Number {
        self.sum(a, b, Lit::FALSE, false)
    }

    /// `a - b`.
    pub(crate) fn minus(&mut self, a: &Number, b: &Number) -> Number {
        self.sum(a, b, Lit::TRUE, true)
    }

    /// `a + b + carry`, or with `b` inverted: `a - b - 1 + carry`.
    fn sum(&mut self, a: &Number, b: &Number, mut carry: Lit, inverted: bool) -> Number {
        let (lo, hi) = if inverted { (a.lo - b.hi, a.hi - b.lo) } else { (a.lo + b.lo, a.hi + b.hi) };
        let mut bits = Vec::new();
        for position in 0..width(lo, hi) {
            let x = a.bit(position);
            let y = if inverted { !b.bit(position) } else { b.bit(position) };
            let differ = !self.same(x, y);
            bits.push(!self.same(differ, carry));
            carry = self.choose(differ, carry, x);
        }
        Number { bits, lo, hi }
    }

    /// `-a`.
    pub(crate) fn negative(&mut self, a: &Number) -> Number {
        self.minus(&Number::constant(0), a)
    }

    /// `a * b`.
    pub(crate) fn times(&mut self, a: &Number, b: &Number) -> Number {
        let corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
        let (lo, hi) = (corners.into_iter().min().unwrap_or(0), corners.into_iter().max().unwrap_or(0));
        let width = width(lo, hi);
        let mut bits = vec![Lit::FALSE; width];
        for shift in 0..width {
            // Rows of an extended sign repeat. The sum is still taken modulo the width.
            let on = b.bit(shift);
            let mut carry = Lit::FALSE;
            for (position, bit) in bits.iter_mut().skip(shift).enumerate() {
                let x = *bit;
                let y = self.and(on, a.bit(position));
                let differ = !self.same(x, y);
                *bit = !self.same(differ, carry);
                carry = self.choose(differ, carry, x);
            }
        }
        Number { bits, lo, hi }
    }

    /// The Euclidean quotient and remainder, where `b` is not zero.
    pub(crate) fn divided(&mut self, a: &Number, b: &Number) -> (Number, Number) {
        let (above, below) = (self.absolute(a), self.absolute(b));
        let mut quotient = vec![Lit::FALSE; above.bits.len()];
        let mut rest = Number::constant(0);
        for position in (0..above.bits.len()).rev() {
            let mut bits = vec![above.bit(position)];
            bits.extend(&rest.bits);
            let doubled = Number { bits, lo: 0, hi: 2 * rest.hi + 1 };
            let fits = !self.less(&doubled, &below);
            quotient[position] = fits;
            let less = self.minus(&doubled, &below);
            rest = self.either(fits, &less, &doubled);
            // The remainder is less than the divisor, so its upper bits can be dropped.
            rest = cut(rest, 0, below.hi);
        }
        let quotient = Number { bits: quotient, lo: 0, hi: above.hi };
        // If a is negative, a = -(B Q + R): the remainder becomes B - R and the quotient grows by one, unless R is 0.
        let ragged = self.truth(&rest);
        let up = self.and(a.sign(), ragged);
        let complement = self.minus(&below, &rest);
        let remainder = self.either(up, &complement, &rest);
        let remainder = cut(remainder, 0, below.hi);
        let quotient = self.plus(&quotient, &Number::truth(up));
        let opposite = !self.same(a.sign(), b.sign());
        let negated = self.negative(&quotient);
        (self.either(opposite, &negated, &quotient), remainder)
    }

    fn absolute(&mut self, a: &Number) -> Number {
        let negated = self.negative(a);
        let absolute = self.either(a.sign(), &negated, a);
        cut(absolute, 0, a.lo.abs().max(a.hi.abs()))
    }

    /// Whether `a` is not 0.
    pub(crate) fn truth(&mut self, a: &Number) -> Lit {
        self.any(a.bits.clone())
    }

    /// `a == b`.
    pub(crate) fn equal(&mut self, a: &Number, b: &Number) -> Lit {
        if a.hi < b.lo || b.hi < a.lo {
            return Lit::FALSE;
        }
        let width = a.bits.len().max(b.bits.len());
        let same: Vec<Lit> = (0..width).map(|position| self.same(a.bit(position), b.bit(position))).collect();
        self.all(same)
    }

    /// `a < b`.
    pub(crate) fn less(&mut self, a: &Number, b: &Number) -> Lit {
        if a.hi < b.lo {
            return Lit::TRUE;
        }
        if b.hi <= a.lo {
            return Lit::FALSE;
        }
        self.minus(a, b).sign()
    }

    /// `if c { a } else { b }`.
    pub(crate) fn either(&mut self, c: Lit, a: &Number, b: &Number) -> Number {
        match c {
            Lit::TRUE => return a.clone(),
            Lit::FALSE => return b.clone(),
            _ => {}
        }
        let width = a.bits.len().max(b.bits.len());
        let bits = (0..width).map(|position| self.choose(c, a.bit(position), b.bit(position))).collect();
        Number { bits, lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }
    }

    /// Whether a number lies outside an interval.
    pub(crate) fn outside(&mut self, a: &Number, lo: i128, hi: i128) -> Lit {
        let below = self.less(a, &Number::constant(lo));
        let above = self.less(&Number::constant(hi), a);
        self.or(below, above)
    }

    /// The number cut to 64 bits, and whether it does not fit.
    pub(crate) fn narrow(&mut self, a: Number) -> (Number, Lit) {
        let (lo, hi) = (i128::from(i64::MIN), i128::from(i64::MAX));
        if lo <= a.lo && a.hi <= hi {
            return (a, Lit::FALSE);
        }
        let outside = self.outside(&a, lo, hi);
        let (low, high) = (a.lo.clamp(lo, hi), a.hi.clamp(lo, hi));
        (cut(a, low, high), outside)
    }
}

/// A number restricted to an interval in which it is known to lie.
fn cut(mut a: Number, lo: i128, hi: i128) -> Number {
    let width = width(lo, hi);
    while a.bits.len() < width {
        a.bits.push(a.bit(a.bits.len()));
    }
    a.bits.truncate(width);
    // The bits that are cut off may include the sign. A number that is never negative gets a constant one.
    if lo >= 0 {
        *a.bits.last_mut().expect("there is a bit") = Lit::FALSE;
    }
    Number { bits: a.bits, lo, hi }
}

#[cfg(test)]
mod tests {
    use super::super::circuit::Values;
    use super::*;

    fn value(number: &Number, values: &Values) -> i128 {
        let mut total = 0;
        for (position, bit) in number.bits.iter().enumerate() {
            let weight = 1i128 << position;
            let is_sign = position + 1 == number.bits.len();
            total += if values.of(*bit) { if is_sign { -weight } else { weight } } else { 0 };
        }
        total
    }

    #[test]
    fn arithmetic_is_that_of_numbers() {
        for (lo_a, lo_b) in [(-8, -8), (0, 0), (-3, 5), (7, -20), (-16, 1)] {
            let mut circuit = Circuit::new();
            let bits: Vec<Lit> = (0..8).map(|_| circuit.input()).collect();
            let a = circuit.offset(&bits[..4], lo_a, lo_a + 15);
            let b = circuit.offset(&bits[4..], lo_b, lo_b + 15);
            let sum = circuit.plus(&a, &b);
            let difference = circuit.minus(&a, &b);
            let product = circuit.times(&a, &b);
            let (quotient, remainder) = circuit.divided(&a, &b);
            let less = circuit.less(&a, &b);
            let equal = circuit.equal(&a, &b);
            let outside = circuit.outside(&a, -2, 9);
            let nonzero = circuit.truth(&a);
            for word in 0..256i64 {
                let (x, y) = (i128::from(lo_a + (word & 15)), i128::from(lo_b + (word >> 4)));
                let values = circuit.values(|gate| gate <= 8 && word >> (gate - 1) & 1 == 1);
                assert_eq!(value(&a, &values), x);
                assert_eq!(value(&sum, &values), x + y);
                assert_eq!(value(&difference, &values), x - y);
                assert_eq!(value(&product, &values), x * y);
                assert_eq!(values.of(less), x < y);
                assert_eq!(values.of(equal), x == y);
                assert_eq!(values.of(outside), !(-2..=9).contains(&x));
                assert_eq!(values.of(nonzero), x != 0);
                if y != 0 {
                    assert_eq!(value(&quotient, &values), x.div_euclid(y), "{x} / {y}");
                    assert_eq!(value(&remainder, &values), x.rem_euclid(y), "{x} % {y}");
                }
            }
        }
    }

    #[test]
    fn numbers_at_the_edge_of_64_bits_are_narrowed_with_a_fault() {
        let (least, most) = (Number::constant(i128::from(i64::MIN)), Number::constant(i128::from(i64::MAX)));
        let mut circuit = Circuit::new();
        let values = circuit.values(|_| false);
        let product = circuit.times(&least, &least);
        assert_eq!(value(&product, &values), i128::from(i64::MIN) * i128::from(i64::MIN));
        assert_eq!(circuit.narrow(product).1, Lit::TRUE);
        let more = circuit.plus(&most, &Number::constant(1));
        assert_eq!(circuit.narrow(more).1, Lit::TRUE);
        let (quotient, _) = circuit.divided(&least, &Number::constant(-1));
        assert_eq!(value(&quotient, &values), -i128::from(i64::MIN));
        let (fits, fault) = circuit.narrow(most.clone());
        assert_eq!((value(&fits, &values), fault), (i128::from(i64::MAX), Lit::FALSE));
    }
}
