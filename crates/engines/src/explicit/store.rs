//! States, each stored once and known by its number.
//!
//! A state is packed into words of 64 bits: each cell gets as many bits as its range needs, and no cell is
//! spread over two words. Numbers are given in the order of insertion, so that a breadth-first search numbers
//! states by their distance. The index is a table of numbers with open addressing and linear probing, at most
//! three quarters full; a comparison looks into the arena of packed states.

use model::Instance;
use model::instance::Domain;

use crate::watch::bytes_of;

/// How the cells of a state are packed into words.
pub(super) struct Layout {
    fields: Vec<Field>,
    words: usize,
}

struct Field {
    lo: i64,
    word: usize,
    shift: u32,
    mask: u64,
}

impl Layout {
    pub(super) fn new(instance: &Instance) -> Layout {
        Layout::of(instance.cells.iter().map(|cell| cell.domain))
    }

    fn of(domains: impl Iterator<Item = Domain>) -> Layout {
        let (mut word, mut used) = (0, 0);
        let mut fields = Vec::new();
        for Domain { lo, hi } in domains {
            let bits = u64::BITS - (hi.wrapping_sub(lo) as u64).leading_zeros();
            if used + bits > u64::BITS {
                word += 1;
                used = 0;
            }
            let mask = if bits == u64::BITS { u64::MAX } else { (1 << bits) - 1 };
            // A cell with one value has no bits; its shift must still be less than a word.
            fields.push(Field { lo, word, shift: if bits == 0 { 0 } else { used }, mask });
            used += bits;
        }
        Layout { fields, words: word + 1 }
    }

    /// Words per state.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Packs the values of all cells, each of which is in its range.
    pub(super) fn pack(&self, values: &[i64], words: &mut [u64]) {
        words.fill(0);
        for (field, value) in self.fields.iter().zip(values) {
            words[field.word] |= (value.wrapping_sub(field.lo) as u64) << field.shift;
        }
    }

    pub(super) fn unpack(&self, words: &[u64]) -> Vec<i64> {
        let value =
            |field: &Field| field.lo.wrapping_add((words[field.word] >> field.shift & field.mask) as i64);
        self.fields.iter().map(value).collect()
    }
}

/// A set of vectors of words, numbered in the order of insertion.
pub(super) struct Store {
    words: usize,
    arena: Vec<u64>,
    /// Numbers, or `FREE`; the length is a power of two.
    slots: Vec<u32>,
    len: usize,
}

const FREE: u32 = u32::MAX;

impl Store {
    /// An empty set of vectors of this many words, at least one.
    pub(super) fn new(words: usize) -> Store {
        Store { words, arena: Vec::new(), slots: vec![FREE; 1024], len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The vector with this number.
    pub(super) fn get(&self, number: u32) -> &[u64] {
        &self.arena[number as usize * self.words..][..self.words]
    }

    /// The number of a vector, and whether it is new. Nothing if there are no more numbers.
    pub(super) fn insert(&mut self, vector: &[u64]) -> Option<(u32, bool)> {
        if 4 * (self.len + 1) > 3 * self.slots.len() {
            self.grow();
        }
        let mut slot = self.slot(vector);
        while self.slots[slot] != FREE {
            if self.get(self.slots[slot]) == vector {
                return Some((self.slots[slot], false));
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let number = u32::try_from(self.len).ok().filter(|number| *number != FREE)?;
        self.slots[slot] = number;
        self.arena.extend_from_slice(vector);
        self.len += 1;
        Some((number, true))
    }

    /// The bytes it has allocated.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of(&self.arena) + bytes_of(&self.slots)
    }

    /// Where the search for a vector begins.
    fn slot(&self, vector: &[u64]) -> usize {
        let hash = vector.iter().fold(0u64, |hash, word| {
            let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ (mixed >> 29)
        });
        (hash.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; 2 * self.slots.len()];
        for number in 0..self.len as u32 {
            let mut slot = self.slot(self.get(number));
            while self.slots[slot] != FREE {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::graph::tests::Random;

    #[test]
    fn packing_is_undone_by_unpacking() {
        let domains = [
            Domain { lo: 0, hi: 1 },
            Domain { lo: -3, hi: 12 },
            Domain::INT,
            Domain { lo: 7, hi: 7 },
            Domain { lo: 0, hi: i64::MAX },
            Domain { lo: 5, hi: 5 },
            Domain { lo: -1, hi: 1 << 40 },
        ];
        let layout = Layout::of(domains.iter().copied());
        let mut words = vec![0; layout.words()];
        let extremes = |domain: &Domain| [domain.lo, domain.hi, domain.lo.midpoint(domain.hi)];
        let mut random = Random(1);
        for _ in 0..500 {
            let values: Vec<i64> =
                domains.iter().map(|domain| extremes(domain)[random.below(3) as usize]).collect();
            layout.pack(&values, &mut words);
            assert_eq!(layout.unpack(&words), values);
        }
        assert_eq!(layout.words(), 4);
        assert_eq!(Layout::of(std::iter::empty()).words(), 1);
    }

    #[test]
    fn a_vector_keeps_the_number_it_got_first() {
        let mut random = Random(2);
        let mut store = Store::new(2);
        let mut expected: HashMap<Vec<u64>, u32> = HashMap::new();
        for _ in 0..20_000 {
            let vector = vec![random.below(100), random.below(100) << 32];
            let fresh = expected.len() as u32;
            let number = *expected.entry(vector.clone()).or_insert(fresh);
            assert_eq!(store.insert(&vector), Some((number, number == fresh)));
            assert_eq!(store.get(number), vector);
        }
        assert_eq!(store.len(), expected.len());
    }
}
