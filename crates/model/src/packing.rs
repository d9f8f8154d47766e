//! Bit-packed states: each cell is a field of as many bits as its domain needs.
//!
//! A cell with values `lo..hi` is stored as `value - lo` in `ceil(log2(hi - lo + 1))` bits. These are the values of its
//! domain, or fewer if somebody knows that it has no others. A field never straddles
//! words, so reading one is a shift and a mask. Cells keep the order of the instance, shared variables first and then
//! process by process, so that the cells of one process are mostly in one word. An unbounded integer takes a whole
//! word.

use crate::answer::State;
use crate::instance::{Domain, Instance};

/// The position of a cell in a packed state.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The word it is in.
    pub word: usize,
    /// The position of its lowest bit.
    pub shift: u32,
    /// Its number of bits; 0 for a domain of one value.
    pub bits: u32,
    /// The least value, which is stored as 0.
    pub lo: i64,
    /// The greatest value.
    pub hi: i64,
}

impl Field {
    /// The bits of the field, in place.
    pub fn mask(self) -> u64 {
        if self.bits == 0 { 0 } else { (u64::MAX >> (64 - self.bits)) << self.shift }
    }

    /// The stored form of a value, in place.
    pub fn encode(self, value: i64) -> u64 {
        if self.bits == 0 { 0 } else { (value.wrapping_sub(self.lo) as u64) << self.shift }
    }

    /// The value of the field in a packed state.
    pub fn decode(self, words: &[u64]) -> i64 {
        if self.bits == 0 {
            return self.lo;
        }
        let stored = (words[self.word] & self.mask()) >> self.shift;
        self.lo.wrapping_add(stored as i64)
    }
}

/// The fields of all cells of an instance.
#[derive(Clone, Debug)]
pub struct Packing {
    /// One field per cell.
    pub fields: Vec<Field>,
    /// The number of words of a packed state; at least one.
    pub words: usize,
}

impl Packing {
    /// Lays out the cells of an instance.
    pub fn new(instance: &Instance) -> Packing {
        Packing::within(instance.cells.iter().map(|cell| cell.domain))
    }

    /// Lays out cells that have values in these domains.
    pub fn within(domains: impl Iterator<Item = Domain>) -> Packing {
        let (mut word, mut used) = (0, 0);
        let mut fields = Vec::new();
        for domain in domains {
            let bits = domain.bits();
            if used + bits > 64 {
                word += 1;
                used = 0;
            }
            fields.push(Field { word, shift: used % 64, bits, lo: domain.lo, hi: domain.hi });
            used += bits;
        }
        Packing { fields, words: word + 1 }
    }

    /// The packed form of a state.
    pub fn pack(&self, state: &State, words: &mut [u64]) {
        words.fill(0);
        for (field, value) in self.fields.iter().zip(&state.0) {
            // A value that does not fit would change other cells.
            assert!(field.lo <= *value && *value <= field.hi, "{value} is packed as one of {field:?}");
            words[field.word] |= field.encode(*value);
        }
    }

    /// The state of a packed form.
    pub fn unpack(&self, words: &[u64]) -> State {
        State(self.fields.iter().map(|field| field.decode(words)).collect())
    }
}
