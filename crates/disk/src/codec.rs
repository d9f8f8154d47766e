//! Packed states as bytes: of each word as many as are in use, the highest first. So bytes are ordered as words are.

use engines::rounds::Words;
use model::packing::Packing;

/// How states are written.
#[derive(Clone, Debug)]
pub(crate) struct Codec {
    /// The number of bytes of each word.
    widths: Vec<usize>,
    /// The number of bytes of a state.
    pub(crate) size: usize,
}

impl Codec {
    pub(crate) fn new(packing: &Packing) -> Codec {
        let mut widths = vec![0; packing.words];
        for field in packing.fields.iter().filter(|field| field.bits > 0) {
            let bytes = (field.shift + field.bits).div_ceil(8) as usize;
            widths[field.word] = bytes.max(widths[field.word]);
        }
        if widths.iter().all(|width| *width == 0) {
            widths[0] = 1;
        }
        let size = widths.iter().sum();
        Codec { widths, size }
    }

    /// Appends a state.
    #[inline]
    pub(crate) fn write<const W: usize>(&self, state: &Words<W>, bytes: &mut Vec<u8>) {
        for (word, width) in state.iter().zip(&self.widths) {
            bytes.extend_from_slice(&word.to_be_bytes()[8 - width..]);
        }
    }

    /// The state in these bytes.
    #[inline]
    pub(crate) fn read<const W: usize>(&self, bytes: &[u8]) -> Words<W> {
        let (mut state, mut at) = ([0; W], 0);
        for (word, width) in state.iter_mut().zip(&self.widths) {
            *word = bytes[at..at + width].iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            at += width;
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use model::packing::{Field, Packing};

    use super::*;

    #[test]
    fn states_are_read_as_they_were_written_and_keep_their_order() {
        let field = |word, shift, bits| Field { word, shift, bits, lo: 0, hi: (1 << bits) - 1 };
        let packing = Packing { fields: vec![field(0, 0, 61), field(1, 0, 3), field(1, 3, 7)], words: 2 };
        let codec = Codec::new(&packing);
        assert_eq!(codec.size, 10);
        let mut x = 5u64;
        let mut states: Vec<Words<2>> = (0..500)
            .map(|_| {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                [((x >> 3) % 5) << 58 | x >> 40, x >> 54]
            })
            .collect();
        states.sort_unstable();
        let mut last = Vec::new();
        for state in states {
            let mut bytes = Vec::new();
            codec.write(&state, &mut bytes);
            assert_eq!(codec.read::<2>(&bytes), state);
            assert!(last <= bytes);
            last = bytes;
        }
    }
}
