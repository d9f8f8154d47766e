//! Sums that no step changes.
//!
//! If two processes may be inside at once, `permits + #crit` is 2 in every state. Counts up to a bound do not tell that:
//! they would allow any number inside while permits are left. A [`Sum`] adds up values that no counted process owns, and for
//! each counted process the weight of its letter. It has the same value in every reachable state of every instance if it has
//! it in all initial ones, and no step changes it. Whether that is so can be seen from counts alone: a step has the same
//! effect on letters and values in all states with the same counts. Counts whose possible sums do not contain that value
//! then belong to no reachable state.

use std::collections::BTreeMap;

use super::{Counts, Letter};

/// A sum with weights.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Sum {
    /// Values that no counted process owns, by position in [`Counts::rest`], with their weights.
    pub values: Vec<(usize, i64)>,
    /// Positions in [`Counts::rest`] and values: the weight is added where the value is the one there.
    pub members: Vec<(usize, i64, i64)>,
    /// Per counted family, the weights of letters; 0 for those that are not there. The named process counts like others.
    pub letters: Vec<BTreeMap<Letter, i64>>,
    /// What it is in every reachable state.
    pub total: i64,
}

/// What a sum may be in states with some counts: at least, at most; no number if there is no such bound.
type Extent = (Option<i128>, Option<i128>);

impl Sum {
    /// What the values that no counted process owns add up to.
    fn of_rest(&self, rest: &[i64]) -> Option<i128> {
        let mut sum = 0i128;
        for (place, weight) in &self.values {
            sum = sum.checked_add(i128::from(*rest.get(*place)?).checked_mul(i128::from(*weight))?)?;
        }
        for (place, value, weight) in &self.members {
            if rest.get(*place)? == value {
                sum = sum.checked_add(i128::from(*weight))?;
            }
        }
        Some(sum)
    }

    /// The weight of a process of a family.
    fn weight(&self, family: usize, letter: &Letter) -> i128 {
        let weight = self.letters.get(family).and_then(|own| own.get(letter));
        i128::from(weight.copied().unwrap_or(0))
    }

    /// What the sum may be. `named` is the family of the named process, and the `bound` of a letter stands for that many or
    /// more. Nothing if it cannot be computed.
    fn extent(
        &self,
        counts: &Counts,
        named: Option<usize>,
        bound: impl Fn(usize, &Letter) -> u32,
    ) -> Option<Extent> {
        let mut sum = self.of_rest(&counts.rest)?;
        let (mut down, mut up) = (false, false);
        if let (Some(family), Some(letter)) = (named, &counts.named) {
            sum = sum.checked_add(self.weight(family, letter))?;
        }
        for (family, numbers) in counts.numbers.iter().enumerate() {
            for (letter, number) in numbers {
                let weight = self.weight(family, letter);
                sum = sum.checked_add(weight.checked_mul(i128::from(*number))?)?;
                if *number >= bound(family, letter) {
                    (down, up) = (down || weight < 0, up || weight > 0);
                }
            }
        }
        Some(((!down).then_some(sum), (!up).then_some(sum)))
    }

    /// Whether a state with these counts may have the sum.
    pub(super) fn admits(
        &self,
        counts: &Counts,
        named: Option<usize>,
        bound: impl Fn(usize, &Letter) -> u32,
    ) -> bool {
        let total = i128::from(self.total);
        self.extent(counts, named, bound).is_none_or(|(least, most)| {
            least.is_none_or(|least| least <= total) && most.is_none_or(|most| total <= most)
        })
    }

    /// Whether all states with these counts have the sum.
    pub(super) fn is_sure(
        &self,
        counts: &Counts,
        named: Option<usize>,
        bound: impl Fn(usize, &Letter) -> u32,
    ) -> bool {
        let total = Some(i128::from(self.total));
        self.extent(counts, named, bound) == Some((total, total))
    }

    /// Whether a step keeps the sum: from and to these values, and of a process of a family from and to these letters.
    pub(super) fn is_kept(&self, rest: [&[i64]; 2], actor: Option<(usize, [&Letter; 2])>) -> bool {
        let (Some(before), Some(after)) = (self.of_rest(rest[0]), self.of_rest(rest[1])) else {
            return false;
        };
        let change =
            actor.map_or(0, |(family, [from, to])| self.weight(family, to) - self.weight(family, from));
        after.checked_sub(before).and_then(|difference| difference.checked_add(change)) == Some(0)
    }
}
