//! Sets of requirements and marks of many nodes, each in as many bytes as there are bits.

use super::nodes::Mask;
use crate::machine::prefetch;

/// A set per node.
pub(super) struct Masks<const B: usize> {
    bytes: Vec<u8>,
    /// The bytes of a set, and the bits of its last word that are there.
    width: usize,
    low: u64,
}

impl<const B: usize> Masks<B> {
    /// Empty sets of so many nodes, where bits from `bits` on are never used.
    pub(super) fn new(nodes: usize, bits: usize) -> Masks<B> {
        let last = bits.saturating_sub(64 * (B - 1)).div_ceil(8).clamp(1, 8);
        let width = 8 * (B - 1) + last;
        // The last word of each set is read as if it were whole.
        Masks { bytes: vec![0; nodes * width + 8], width, low: u64::MAX >> (64 - 8 * last) }
    }

    #[inline]
    fn word(&self, at: usize) -> u64 {
        let bytes = self.bytes[at..].first_chunk().expect("there are eight more bytes than needed");
        u64::from_le_bytes(*bytes)
    }

    #[inline]
    pub(super) fn get(&self, node: usize) -> Mask<B> {
        let first = node * self.width;
        let mut mask = std::array::from_fn(|word| self.word(first + 8 * word));
        mask[B - 1] &= self.low;
        mask
    }

    #[inline]
    pub(super) fn set(&mut self, node: usize, mask: &Mask<B>) {
        let first = node * self.width;
        for (word, bits) in mask.iter().enumerate() {
            let at = first + 8 * word;
            let is_last = word == B - 1;
            let value = if is_last { self.word(at) & !self.low | bits & self.low } else { *bits };
            self.bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
    }

    #[inline]
    pub(super) fn prefetch(&self, node: usize) {
        prefetch(&self.bytes[node * self.width]);
    }

    /// The bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets_are_read_as_they_were_written<const B: usize>(bits: usize) {
        let mut masks = Masks::<B>::new(50, bits);
        let mut expected = [[0; B]; 50];
        let mut x = 7u64;
        for round in 0..1_000 {
            let mut next = || {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                x >> 7 ^ x << 50
            };
            let node = next() as usize % 50;
            let mask: Mask<B> = std::array::from_fn(|word| {
                let used = bits.saturating_sub(64 * word).min(64);
                if used == 0 { 0 } else { next() & u64::MAX >> (64 - used) }
            });
            masks.set(node, &mask);
            expected[node] = mask;
            for (node, mask) in expected.iter().enumerate() {
                assert_eq!(masks.get(node), *mask, "{bits} bits, round {round}, node {node}");
            }
        }
    }

    #[test]
    fn sets_do_not_touch_each_other() {
        for bits in [1, 7, 8, 9, 31, 56, 57, 63, 64] {
            sets_are_read_as_they_were_written::<1>(bits);
        }
        for bits in [64, 200, 255, 256] {
            sets_are_read_as_they_were_written::<4>(bits);
        }
    }
}
