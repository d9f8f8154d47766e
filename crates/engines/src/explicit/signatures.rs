//! The nodes that an approximate search has met, each known by 64 bits alone.
//!
//! Two nodes with the same signature are taken for one. As long as signatures fit into their share of the memory, they are
//! stored [WL93]; so many nodes hardly ever share one. Then each becomes three bits in a table that never grows [Hol98], all
//! in one line of the cache [PSS09]. A node whose bits are all set is taken for one that was met, rightly or not. Nothing is
//! lost by the change, since the bits are part of the signature.

use std::sync::atomic::Ordering;

use model::packing::{Field, Packing};

use super::quotient::{Batch, StateSet};
use super::store::Words;
use crate::machine::{Usual, Zeroes, prefetch};

/// Signatures are stored up to this part of the memory, or twice that, because the table doubles.
const STORED: u64 = 8;
/// The part of the memory for bits.
const FOR_BITS: u64 = 2;
/// The bits of a signature.
const BITS: u32 = 3;
/// The number of bits in a line, and its logarithm.
const LINE: u32 = 512;
const PLACE: u32 = 9;

/// A set of signatures, or of their bits.
pub(super) struct Signatures {
    known: Known,
    /// How many were new.
    count: u64,
    memory: u64,
    batch: Batch,
    pending: Vec<Words<1>>,
}

enum Known {
    Stored(StateSet<1>),
    Bits { lines: Zeroes, set: u64 },
}

impl Signatures {
    /// An empty set for so many bytes of memory.
    pub(super) fn new(memory: u64) -> Signatures {
        let whole = Field { word: 0, shift: 0, bits: u64::BITS, lo: 0, hi: i64::MAX };
        let stored = StateSet::new(&Packing { fields: vec![whole], words: 1 }).expect("a word fits");
        let (batch, pending) = (Batch::default(), Vec::new());
        Signatures { known: Known::Stored(stored), count: 0, memory, batch, pending }
    }

    /// How many nodes were taken for new ones.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The bytes it has allocated.
    pub(super) fn bytes(&self) -> u64 {
        match &self.known {
            Known::Stored(stored) => stored.bytes(),
            Known::Bits { lines, .. } => size_of_val(&**lines) as u64,
        }
    }

    /// Of how many new nodes about one is taken for a node that was met; `None` if hardly any.
    pub(super) fn missed_one_in(&self) -> Option<u64> {
        let Known::Bits { lines, set } = &self.known else { return None };
        let filled = *set as f64 / (lines.len() as f64 * f64::from(u64::BITS));
        Some((1.0 / filled.max(f64::MIN_POSITIVE).powi(BITS as i32)) as u64)
            .filter(|one_in| *one_in < 1 << 40)
    }

    /// Adds signatures, and calls `new` with the position of each that was not there.
    pub(super) fn insert(&mut self, signatures: &[u64], mut new: impl FnMut(usize)) {
        match &mut self.known {
            Known::Stored(stored) => {
                self.pending.clear();
                self.pending.extend(signatures.iter().map(|signature| [*signature]));
                stored.prepare(&self.pending, &mut self.batch);
                let count = &mut self.count;
                stored.insert(Usual, &mut self.batch, true, |position| {
                    *count += 1;
                    new(position);
                });
                if stored.bytes() > self.memory / STORED {
                    self.forget();
                }
            }
            Known::Bits { lines, set } => {
                for signature in signatures {
                    prefetch(&lines[first_word(lines, *signature)]);
                }
                for (position, signature) in signatures.iter().enumerate() {
                    let added = mark(lines, *signature);
                    if added > 0 {
                        *set += u64::from(added);
                        self.count += 1;
                        new(position);
                    }
                }
            }
        }
    }

    /// Keeps only the bits of the signatures.
    #[cold]
    fn forget(&mut self) {
        let words = (self.memory / FOR_BITS / 64).max(1) * 8;
        let lines = Zeroes::new(usize::try_from(words).unwrap_or(usize::MAX));
        let mut set = 0;
        if let Known::Stored(stored) = &self.known {
            stored.for_each(|[signature]| set += u64::from(mark(&lines, *signature)));
        }
        self.known = Known::Bits { lines, set };
    }
}

/// The first word of the line of a signature. Its high bits choose the line, the low ones the bits.
#[inline]
fn first_word(lines: &Zeroes, signature: u64) -> usize {
    ((u128::from(signature) * (lines.len() as u128 / 8)) >> 64) as usize * 8
}

/// Sets the bits of a signature; how many were not set.
#[inline]
fn mark(lines: &Zeroes, signature: u64) -> u32 {
    let first = first_word(lines, signature);
    let mut added = 0;
    for number in 0..BITS {
        let place = (signature >> (number * PLACE)) as u32 % LINE;
        let (word, bit) = (&lines[first + (place / u64::BITS) as usize], 1 << (place % u64::BITS));
        let before = word.load(Ordering::Relaxed);
        // One thread searches, so nobody writes in between.
        word.store(before | bit, Ordering::Relaxed);
        added += u32::from(before & bit == 0);
    }
    added
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::graph::tests::Random;

    /// Of this many signatures, each given twice, how many are known as new, with so much memory.
    fn found(count: usize, memory: u64) -> usize {
        let mut random = Random(3);
        let signatures: Vec<u64> = (0..count).map(|_| random.below(u64::MAX)).collect();
        let mut known = Signatures::new(memory);
        let mut new = BTreeSet::new();
        for part in signatures.chunks(100).flat_map(|part| [part, part]) {
            known.insert(part, |position| assert!(new.insert(part[position]), "it is new twice"));
        }
        assert_eq!(known.count(), new.len() as u64);
        new.len()
    }

    #[test]
    fn signatures_are_told_apart_while_they_fit_and_most_of_them_later() {
        assert_eq!(found(50_000, u64::MAX), 50_000);
        // Sixteen bits for each.
        let some = found(50_000, 200_000);
        assert!(some < 50_000 && some > 49_000, "{some}");
        // A bit for each.
        let few = found(50_000, 12_500);
        assert!(few < 30_000 && few > 10_000, "{few}");
        assert_eq!(found(1_000, 0), found(1_000, 1));
    }

    #[test]
    fn what_is_missed_is_estimated() {
        let mut random = Random(4);
        let mut known = Signatures::new(100_000);
        let mut missed = 0;
        for round in 0..60_000u32 {
            let mut new = false;
            known.insert(&[random.below(u64::MAX)], |_| new = true);
            missed += u32::from(!new && round >= 50_000);
        }
        let estimate = 10_000 / known.missed_one_in().expect("bits");
        assert!(missed > 100, "{missed}");
        assert!((u64::from(missed) / 2..=u64::from(missed) * 2).contains(&estimate), "{missed}, {estimate}");
    }
}
