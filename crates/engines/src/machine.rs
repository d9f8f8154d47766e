//! Machine-specific operations: gathering bits, appending without a branch, prefetching cache lines, and zeroed memory in
//! large pages, which avoids most misses of the address translation. On machines without them there are plain
//! substitutes. None of this changes a result.
#![allow(unsafe_code)]

use std::sync::atomic::AtomicU64;

/// Allocations of at least this many bytes ask for large pages.
const LARGE: usize = 4 << 20;

/// A way to gather bits. Loops that gather often ask once which one the machine has.
pub(crate) trait Gather: Copy {
    /// The bits of `word` that `mask` selects, packed together at the low end.
    fn gather(self, word: u64, mask: u64) -> u64;
}

/// Gathers by the instruction `pext`. A value exists only on machines that have it.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct ByInstruction(());

#[cfg(target_arch = "x86_64")]
impl ByInstruction {
    /// If the machine has the instruction.
    #[inline]
    pub(crate) fn detect() -> Option<ByInstruction> {
        std::arch::is_x86_feature_detected!("bmi2").then_some(ByInstruction(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Gather for ByInstruction {
    /// Written in assembly. The intrinsic of the same name could not be inlined into code for machines that may lack it,
    /// and the call would cost more than the instruction.
    #[inline]
    fn gather(self, word: u64, mask: u64) -> u64 {
        let result;
        // SAFETY: a value of this type exists only where the instruction does. It only computes a register from two
        // others.
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
}

/// Gathers on every machine.
#[derive(Clone, Copy)]
pub(crate) struct ByRuns;

impl Gather for ByRuns {
    fn gather(self, word: u64, mask: u64) -> u64 {
        gather_by_runs(word, mask)
    }
}

/// The bits of `word` that `mask` selects, packed together at the low end.
#[inline]
pub(crate) fn gather(word: u64, mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if let Some(instruction) = ByInstruction::detect() {
        return instruction.gather(word, mask);
    }
    gather_by_runs(word, mask)
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

/// Appends a value if it is wanted, without a branch that depends on `wanted`.
#[inline]
pub(crate) fn push_if<T: Copy>(list: &mut Vec<T>, value: T, wanted: bool) {
    if list.len() == list.capacity() {
        list.reserve(1);
    }
    let length = list.len();
    // SAFETY: there is room for one more value. It is written before the length counts it, and if it is not counted, nothing
    // is lost, because values that can be copied need not be dropped.
    unsafe {
        list.as_mut_ptr().add(length).write(value);
        list.set_len(length + usize::from(wanted));
    }
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
    fn only_wanted_values_are_appended() {
        let mut list = Vec::new();
        for value in 0..1000u32 {
            push_if(&mut list, value, value % 3 == 0);
        }
        assert_eq!(list, (0..1000).step_by(3).collect::<Vec<u32>>());
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
