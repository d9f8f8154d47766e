//! Machine-specific operations: gathering bits, prefetching cache lines, and zeroed memory in large pages, which
//! avoids most misses of the address translation. On machines without them there are plain substitutes. None of this
//! changes a result.
#![allow(unsafe_code)]

use std::sync::atomic::AtomicU64;

/// Allocations of at least this many bytes ask for large pages.
const LARGE: usize = 4 << 20;

/// The bits of `word` that `mask` selects, packed together at the low end.
#[inline]
pub(crate) fn gather(word: u64, mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") {
        // SAFETY: the machine has the instruction.
        return unsafe { gather_by_instruction(word, mask) };
    }
    gather_by_runs(word, mask)
}

/// [`gather`] by the instruction for it, written in assembly. The intrinsic of the same name could not be inlined
/// into code for machines that may lack it, and the call would cost more than the instruction.
///
/// SAFETY: the machine must have the instruction set BMI2.
#[cfg(target_arch = "x86_64")]
#[inline]
unsafe fn gather_by_instruction(word: u64, mask: u64) -> u64 {
    let result;
    // SAFETY: the caller guarantees that the instruction exists. It only computes a register from two others.
    unsafe {
        std::arch::asm!(
            "pext {result}, {word}, {mask}",
            result = lateout(reg) result,
            word = in(reg) word,
            mask = in(reg) mask,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    result
}

/// [`gather`] for every machine. The fields of a state are runs of bits, so a mask has few runs.
fn gather_by_runs(word: u64, mut mask: u64) -> u64 {
    let (mut result, mut position) = (0, 0);
    while mask != 0 {
        let start = mask.trailing_zeros();
        // Adding the lowest bit of the run clears the run; the carry goes beyond it.
        let rest = mask & mask.wrapping_add(1 << start);
        let run = mask ^ rest;
        result |= (word & run) >> start << position;
        position += run.count_ones();
        mask = rest;
    }
    result
}

/// Prefetches the cache line of a value that will be read soon.
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

/// This many zeroes. Memory that is never touched costs nothing.
pub(crate) fn zeroes(count: usize) -> Box<[AtomicU64]> {
    let zeroes = Box::<[AtomicU64]>::new_zeroed_slice(count);
    #[cfg(target_os = "linux")]
    if size_of_val(&*zeroes) >= LARGE {
        use rustix::mm::{Advice, madvise};
        // Whole large pages inside the allocation; the system rounds to small pages only.
        const PAGE: usize = 2 << 20;
        let skip = zeroes.as_ptr().align_offset(PAGE);
        let bytes = (size_of_val(&*zeroes).saturating_sub(skip * 8)) / PAGE * PAGE;
        // SAFETY: the range lies in the allocation, and the advice does not change its content. The system may ignore
        // it.
        let _ = unsafe {
            madvise(zeroes.as_ptr().wrapping_add(skip).cast_mut().cast(), bytes, Advice::LinuxHugepage)
        };
    }
    // SAFETY: zero is a value of the type.
    unsafe { zeroes.assume_init() }
}

/// Gives memory back to the system. Its content may become zero.
pub(crate) fn release(memory: &[AtomicU64]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        const PAGE: usize = 4 << 10;
        let skip = memory.as_ptr().align_offset(PAGE);
        let bytes = size_of_val(memory).saturating_sub(skip * 8) / PAGE * PAGE;
        // SAFETY: the range lies in the memory, which consists of atomic numbers that anybody may set to zero.
        let _ = unsafe {
            madvise(memory.as_ptr().wrapping_add(skip).cast_mut().cast(), bytes, Advice::LinuxDontNeed)
        };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of gathering.
    fn gather_bit_by_bit(word: u64, mask: u64) -> u64 {
        let selected = (0..64).filter(|bit| mask >> bit & 1 == 1);
        selected.enumerate().fold(0, |result, (position, bit)| result | (word >> bit & 1) << position)
    }

    #[test]
    fn gathering_takes_the_selected_bits_in_order() {
        let mut x = 1u64;
        let mut random = || {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            x ^ x >> 29
        };
        let ends = [(u64::MAX, u64::MAX), (u64::MAX, 0), (u64::MAX, 1 << 63), (0b1011_0110, 0b1111_0000)];
        // Masks with few runs, and with many.
        let masks = (0..30_000).map(|round| match round % 3 {
            0 => (random(), random() & random()),
            1 => (random(), random() | random()),
            _ => (random(), u64::MAX << (random() % 64) & u64::MAX >> (random() % 64)),
        });
        for (word, mask) in masks.chain(ends) {
            let expected = gather_bit_by_bit(word, mask);
            assert_eq!(gather_by_runs(word, mask), expected, "{word:x} {mask:x}");
            assert_eq!(gather(word, mask), expected, "{word:x} {mask:x}");
        }
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
