//! What the standard library offers only by name or not at all: gathering bits, asking for a cache line before
//! it is needed, and memory that is all zeroes and lies in large pages, so that an access to any of it seldom
//! misses the translation of its address. Where the machine lacks them there is a plain substitute; none
//! changes a result.
#![allow(unsafe_code)]

use std::sync::atomic::AtomicU64;

/// Allocations of at least this many bytes ask for large pages.
const LARGE: usize = 4 << 20;

/// The bits of `word` that `mask` selects, packed together at the low end.
#[inline]
pub(crate) fn gather(word: u64, mask: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // SAFETY: the instruction is there, this is compiled for a machine that has it.
        unsafe { core::arch::x86_64::_pext_u64(word, mask) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        gather_bit_by_bit(word, mask)
    }
}

/// What [`gather`] computes.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
fn gather_bit_by_bit(word: u64, mut mask: u64) -> u64 {
    let (mut result, mut position) = (0, 0);
    while mask != 0 {
        let lowest = mask & mask.wrapping_neg();
        result |= u64::from(word & lowest != 0) << position;
        position += 1;
        mask ^= lowest;
    }
    result
}

/// Asks for the cache line of a value that will be read soon.
#[inline]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: prefetching reads nothing and faults on no address, and this one is valid.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// This many zeroes. Memory of which nothing is touched costs nothing.
pub(crate) fn zeroes(count: usize) -> Box<[AtomicU64]> {
    let zeroes = Box::<[AtomicU64]>::new_zeroed_slice(count);
    #[cfg(target_os = "linux")]
    if size_of_val(&*zeroes) >= LARGE {
        use rustix::mm::{Advice, madvise};
        // Whole large pages inside the allocation; the system rounds to small pages only.
        const PAGE: usize = 2 << 20;
        let skip = zeroes.as_ptr().align_offset(PAGE);
        let bytes = (size_of_val(&*zeroes).saturating_sub(skip * 8)) / PAGE * PAGE;
        // SAFETY: the range lies in the allocation, and the advice changes no content. It may be declined.
        let _ = unsafe {
            madvise(zeroes.as_ptr().wrapping_add(skip).cast_mut().cast(), bytes, Advice::LinuxHugepage)
        };
    }
    // SAFETY: zero is a value of the type.
    unsafe { zeroes.assume_init() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathering_takes_the_selected_bits_in_order() {
        let mut x = 1u64;
        for _ in 0..10_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (word, mask) = (x.rotate_left(17), x.rotate_left(40) & x);
            assert_eq!(gather(word, mask), gather_bit_by_bit(word, mask));
        }
        assert_eq!(gather(0b1011_0110, 0b1111_0000), 0b1011);
        assert_eq!(gather(u64::MAX, u64::MAX), u64::MAX);
    }

    #[test]
    fn zeroes_are_zero() {
        for count in [0, 1, 1000, (LARGE + 12_345) / 8] {
            let zeroes = zeroes(count);
            assert_eq!(zeroes.len(), count);
            assert!(zeroes.iter().all(|zero| zero.load(std::sync::atomic::Ordering::Relaxed) == 0));
        }
    }
}
