//! Sets of small numbers, as bit vectors.

/// A set of numbers below a bound that is fixed when the set is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bits(Box<[u64]>);

impl Bits {
    /// The empty set of numbers below `bound`.
    pub fn empty(bound: usize) -> Bits {
        Bits(vec![0; bound.div_ceil(64)].into_boxed_slice())
    }

    /// The set of those numbers below `bound` that satisfy `test`.
    pub fn of(bound: usize, test: impl Fn(usize) -> bool) -> Bits {
        let mut bits = Bits::empty(bound);
        (0..bound).filter(|number| test(*number)).for_each(|number| bits.insert(number));
        bits
    }

    /// Adds a number below the bound.
    pub fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Removes a number below the bound.
    pub fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// Removes all numbers.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Whether a number below the bound is in the set.
    pub fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    /// How many numbers are in it.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The least number in it that is not less than the given one.
    pub fn next(&self, from: usize) -> Option<usize> {
        let mut place = from / 64;
        let mut word = self.0.get(place)? & u64::MAX << (from % 64);
        while word == 0 {
            place += 1;
            word = *self.0.get(place)?;
        }
        Some(place * 64 + word.trailing_zeros() as usize)
    }

    /// The word of a number below the bound, for whoever wants it in the cache.
    pub(crate) fn word(&self, number: usize) -> &u64 {
        &self.0[number / 64]
    }

    /// The numbers, from the least.
    pub fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(place, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(place * 64 + bit)
            })
        })
    }

    /// Whether there is no number in it.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Whether it has a number in common with a set of the same bound.
    pub fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Adds all numbers of a set of the same bound.
    pub fn add(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    /// Keeps the numbers that are also in a set of the same bound.
    pub fn keep(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    /// The numbers that are not in a set of the same bound.
    #[must_use]
    pub fn without(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    /// The bytes it has allocated.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_beyond_a_word_behave_like_sets() {
        let threes = Bits::of(200, |n| n % 3 == 0);
        let fives = Bits::of(200, |n| n % 5 == 0);
        let mut both = threes.clone();
        both.keep(&fives);
        let mut either = threes.clone();
        either.add(&fives);
        let rest = threes.without(&fives);
        for n in 0..200 {
            assert_eq!(both.contains(n), n % 15 == 0);
            assert_eq!(either.contains(n), n % 3 == 0 || n % 5 == 0);
            assert_eq!(rest.contains(n), n % 3 == 0 && n % 5 != 0);
        }
        assert!(threes.numbers().eq((0..200).filter(|n| n % 3 == 0)) && Bits::empty(200).numbers().eq([]));
        let mut few = fives.clone();
        few.remove(100);
        for n in 0..=200 {
            assert_eq!(fives.next(n), (n..200).find(|n| n % 5 == 0), "{n}");
        }
        assert!(few.count() == 39 && !few.contains(100) && few.next(96) == Some(105));
        assert!(threes.meets(&fives) && !rest.meets(&fives));
        assert!(Bits::empty(200).is_empty() && !rest.is_empty() && Bits::empty(0).is_empty());
    }
}
