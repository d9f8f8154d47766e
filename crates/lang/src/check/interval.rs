//! Interval arithmetic: bounds on the value of an expression in all states.
//!
//! The interval of an expression contains every value it can have; truth is 0 and 1. Bounds are computed in 128 bits
//! and cut to 64, because a number beyond 64 bits is a fault and not a value. Each operation also says whether it
//! surely succeeds: it does not if a divisor may be zero or the result may overflow. An expression that is *always*
//! wrong is an error of the file. One that may be wrong is left to run time.

use model::expr::Operator;

/// The numbers from `lo` to `hi`; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) lo: i64,
    pub(super) hi: i64,
}

impl Interval {
    /// Any number.
    pub(super) const ALL: Interval = Interval { lo: i64::MIN, hi: i64::MAX };
    /// Either truth value.
    pub(super) const TRUTH: Interval = Interval { lo: 0, hi: 1 };
    /// Always false.
    pub(super) const FALSE: Interval = Interval { lo: 0, hi: 0 };
    /// Always true.
    pub(super) const TRUE: Interval = Interval { lo: 1, hi: 1 };

    /// One value.
    pub(super) fn exactly(value: i64) -> Interval {
        Interval { lo: value, hi: value }
    }

    /// From one value to another; only `lo` if they are the wrong way round.
    pub(super) fn new(lo: i64, hi: i64) -> Interval {
        Interval { lo, hi: hi.max(lo) }
    }

    /// The values of an index that goes from a value of `lo` to a value of `hi`.
    pub(super) fn between(lo: Interval, hi: Interval) -> Interval {
        Interval::new(lo.lo, hi.hi)
    }

    /// The smallest interval that contains both.
    pub(super) fn hull(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Whether no value is in both.
    pub(super) fn is_disjoint(self, other: Interval) -> bool {
        self.hi < other.lo || other.hi < self.lo
    }

    /// Whether every value of this is in `other`.
    pub(super) fn is_within(self, other: Interval) -> bool {
        other.lo <= self.lo && self.hi <= other.hi
    }

    /// The only value, if there is exactly one.
    pub(super) fn only(self) -> Option<i64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// The number of values.
    pub(super) fn length(self) -> u64 {
        self.hi.abs_diff(self.lo).saturating_add(1)
    }

    /// The opposite truth value.
    pub(super) fn not(self) -> Interval {
        Interval { lo: 1 - self.hi.clamp(0, 1), hi: 1 - self.lo.clamp(0, 1) }
    }

    /// `-a`, and whether it surely succeeds.
    pub(super) fn neg(self) -> (Interval, bool) {
        cut(-i128::from(self.hi), -i128::from(self.lo))
    }

    /// `a + b`, and whether it surely succeeds.
    pub(super) fn add(self, other: Interval) -> (Interval, bool) {
        let [a, b, c, d] = [self.lo, self.hi, other.lo, other.hi].map(i128::from);
        cut(a + c, b + d)
    }

    /// The least of `a` and `b`.
    pub(super) fn min(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    /// The greatest of `a` and `b`.
    pub(super) fn max(self, other: Interval) -> Interval {
        Interval { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }

    /// `a op b`, and whether it surely succeeds.
    pub(super) fn binary(self, operator: Operator, other: Interval) -> (Interval, bool) {
        let truth = |always: bool, never: bool| {
            let interval = match (always, never) {
                (true, _) => Interval::TRUE,
                (_, true) => Interval::FALSE,
                _ => Interval::TRUTH,
            };
            (interval, true)
        };
        let same = self.only().is_some() && self == other;
        match operator {
            Operator::Sub => {
                let [a, b, c, d] = [self.lo, self.hi, other.lo, other.hi].map(i128::from);
                cut(a - d, b - c)
            }
            Operator::Mul => self.corners(other, |a, b| a * b),
            Operator::Div => self.quotient(other),
            Operator::Mod => self.remainder(other),
            Operator::Eq => truth(same, self.is_disjoint(other)),
            Operator::Ne => truth(self.is_disjoint(other), same),
            Operator::Lt => truth(self.hi < other.lo, self.lo >= other.hi),
            Operator::Le => truth(self.hi <= other.lo, self.lo > other.hi),
            Operator::Gt => truth(self.lo > other.hi, self.hi <= other.lo),
            Operator::Ge => truth(self.lo >= other.hi, self.hi < other.lo),
            Operator::Implies => truth(
                self == Interval::FALSE || other == Interval::TRUE,
                self == Interval::TRUE && other == Interval::FALSE,
            ),
        }
    }

    /// The hull of an operation that takes its extremes at the corners.
    fn corners(self, other: Interval, apply: impl Fn(i128, i128) -> i128) -> (Interval, bool) {
        let [a, b, c, d] = [self.lo, self.hi, other.lo, other.hi].map(i128::from);
        let values = [apply(a, c), apply(a, d), apply(b, c), apply(b, d)];
        cut(values.into_iter().min().unwrap_or(0), values.into_iter().max().unwrap_or(0))
    }

    /// Euclidean division. For divisors of one sign it is monotone in each operand.
    fn quotient(self, other: Interval) -> (Interval, bool) {
        let below = (other.lo < 0).then(|| Interval::new(other.lo, other.hi.min(-1)));
        let above = (other.hi > 0).then(|| Interval::new(other.lo.max(1), other.hi));
        let zero = other.lo <= 0 && 0 <= other.hi;
        let part = |divisor: Interval| self.corners(divisor, i128::div_euclid);
        let (interval, total) = match (below.map(part), above.map(part)) {
            (Some((a, x)), Some((b, y))) => (a.hull(b), x && y),
            (Some(part), None) | (None, Some(part)) => part,
            (None, None) => (Interval::ALL, false),
        };
        (interval, total && !zero)
    }

    fn remainder(self, other: Interval) -> (Interval, bool) {
        let total = other.lo > 0 || other.hi < 0;
        // `i64::MIN % -1` is the one remainder that overflows on the way.
        let total = total && !(self.lo == i64::MIN && other.lo <= -1);
        if let (Some(a), Some(b)) = (self.only(), other.only())
            && let Some(value) = a.checked_rem_euclid(b)
        {
            return (Interval::exactly(value), total);
        }
        let least = if total { other.lo.unsigned_abs().min(other.hi.unsigned_abs()) } else { 0 };
        if self.lo >= 0 && (self.hi as u64) < least {
            return (self, total);
        }
        let greatest = other.lo.unsigned_abs().max(other.hi.unsigned_abs());
        let hi = i64::try_from(greatest.saturating_sub(1)).unwrap_or(i64::MAX);
        (Interval::new(0, hi), total)
    }
}

/// The part of `lo..hi` that fits into 64 bits, and whether that is all of it.
fn cut(lo: i128, hi: i128) -> (Interval, bool) {
    let clamp = |value: i128| value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
    let interval = Interval { lo: clamp(lo), hi: clamp(hi) };
    (interval, i128::from(interval.lo) == lo && i128::from(interval.hi) == hi)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::semantics;

    const OPERATORS: [Operator; 11] = [
        Operator::Sub,
        Operator::Mul,
        Operator::Div,
        Operator::Mod,
        Operator::Eq,
        Operator::Ne,
        Operator::Lt,
        Operator::Le,
        Operator::Gt,
        Operator::Ge,
        Operator::Implies,
    ];

    #[test]
    fn every_value_lies_in_the_interval_and_only_uncertain_operations_fail() {
        let ends = -4..=4;
        let intervals: Vec<Interval> =
            ends.clone().flat_map(|lo| (lo..=4).map(move |hi| Interval::new(lo, hi))).collect();
        let mut failures = 0;
        for &a in &intervals {
            for &b in &intervals {
                for operator in OPERATORS {
                    if operator == Operator::Implies
                        && !(a.is_within(Interval::TRUTH) && b.is_within(Interval::TRUTH))
                    {
                        continue;
                    }
                    let (interval, total) = a.binary(operator, b);
                    for (x, y) in (a.lo..=a.hi).flat_map(|x| (b.lo..=b.hi).map(move |y| (x, y))) {
                        if let Ok(value) = semantics::binary(operator, x, y) {
                            assert!(
                                Interval::exactly(value).is_within(interval),
                                "{x} {operator:?} {y} = {value} is outside {interval:?}"
                            );
                        } else {
                            assert!(!total, "{x} {operator:?} {y} fails");
                            failures += 1;
                        }
                    }
                }
            }
        }
        assert!(failures > 0);
    }

    #[test]
    fn the_ends_of_64_bits_are_handled() {
        let least = Interval::exactly(i64::MIN);
        let greatest = Interval::exactly(i64::MAX);
        assert_eq!(greatest.add(Interval::exactly(1)), (greatest, false));
        assert!(!least.neg().1);
        assert!(!least.binary(Operator::Div, Interval::exactly(-1)).1);
        assert!(!least.binary(Operator::Mod, Interval::exactly(-1)).1);
        assert_eq!(Interval::ALL.length(), u64::MAX);
        assert!(!Interval::ALL.binary(Operator::Mul, Interval::ALL).1);
        assert_eq!(Interval::ALL.binary(Operator::Mod, Interval::exactly(3)).0, Interval::new(0, 2));
        assert_eq!(
            Interval::new(0, 2).binary(Operator::Mod, Interval::new(5, 6)),
            (Interval::new(0, 2), true)
        );
    }
}
