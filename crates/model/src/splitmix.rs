//! `SplitMix64`: a small random number generator with the same results on every machine, so a seed repeats a run.
//!
//! It is used for simulation and for tests. No answer to a task depends on it.

/// A stream of random numbers that starts from a seed.
#[derive(Clone, Debug)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// A number below `bound`, which is not 0. The bias of the multiplication is below `bound / 2^64`.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(next(&mut self.0)) * u128::from(bound)) >> 64) as u64
    }
}

/// The next number of a stream; `stream` is its state.
pub fn next(stream: &mut u64) -> u64 {
    *stream = stream.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *stream;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_published_stream() {
        let mut stream = 1_234_567;
        assert_eq!(next(&mut stream), 6_457_827_717_110_365_317);
        assert_eq!(next(&mut stream), 3_203_168_211_198_807_973);
    }

    #[test]
    fn every_number_below_the_bound_occurs_and_no_other() {
        let mut random = SplitMix(0);
        let mut seen = [0; 5];
        for _ in 0..1000 {
            seen[random.below(5) as usize] += 1;
        }
        assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
    }
}
