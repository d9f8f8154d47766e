//! A fast hash for keys of a few small numbers: gates, nodes and tests.
//!
//! Each word is mixed in by a rotation and a multiplication with an odd constant. A proof that is made to collide can
//! only slow the judge down, and the judge has limits. Nothing depends on the order of a table.

use std::hash::{BuildHasherDefault, Hasher};

/// The hasher of the judge's tables.
pub(crate) type FastHash = BuildHasherDefault<Mixer>;

/// The hash of the words so far.
#[derive(Default)]
pub(crate) struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.mix(u64::from(*byte)));
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

    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.mix(word as u64);
    }
}
