//! Hash tables with a fast hash, for keys of a few small numbers.
//!
//! Each word is mixed by a wide multiplication, as in the explicit engine's table of states. Keys are not chosen by
//! an adversary, and nothing depends on the order of a table.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map with the fast hash.
pub(super) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// A set with the fast hash.
pub(super) type Set<K> = HashSet<K, BuildHasherDefault<Mixer>>;

/// The hash of the words so far.
#[derive(Default)]
pub(super) struct Mixer(u64);

/// The exclusive or of the two halves of a product.
fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    wide as u64 ^ (wide >> 64) as u64
}

impl Mixer {
    fn mix(&mut self, word: u64) {
        self.0 = fold(self.0 ^ word ^ 0x9e37_79b9_7f4a_7c15, 0xe703_7ed1_a0b4_28db);
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        fold(self.0, 0x8ebc_6af0_9c88_c6e3)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.mix(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    fn write_i64(&mut self, word: i64) {
        self.mix(word as u64);
    }

    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.mix(word as u64);
    }
}
