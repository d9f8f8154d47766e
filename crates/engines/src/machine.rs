//! Machine-specific operations: gathering bits, comparing and prefetching lines of the cache, appending without a branch,
//! and zeroed memory in large pages, which avoids most misses of the address translation. On machines without them there are
//! plain substitutes. None of this changes a result.
#![allow(unsafe_code)]

use std::alloc::Layout;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Allocations of at least this many bytes ask for large pages.
const LARGE: usize = 4 << 20;
/// The size of a large page.
#[cfg(target_os = "linux")]
const PAGE: usize = 2 << 20;

/// What some machines do by an instruction of their own. Loops that need it often ask once for the way this machine has.
pub(crate) trait Instructions: Copy {
    /// The bits of `word` that `mask` selects, packed together at the low end.
    fn gather(self, word: u64, mask: u64) -> u64;
    /// Which numbers of a line are equal to `wanted`, and which are zero, one bit each.
    fn compare(self, line: &Line, wanted: u64) -> (u32, u32);
    /// Which numbers of a line have the high half of `wanted`, and which are zero, one bit each.
    fn compare_high(self, line: &Line, wanted: u64) -> (u32, u32);
}

/// A line of the cache.
pub(crate) type Line = [AtomicU64; 8];

/// By the instructions `pext` and `vpcmpeqq`. A value exists only on machines that have them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Special(());

#[cfg(target_arch = "x86_64")]
impl Special {
    /// If the machine has the instructions.
    #[inline]
    pub(crate) fn detect() -> Option<Special> {
        use std::arch::is_x86_feature_detected as has;
        (has!("bmi2") && has!("avx2")).then_some(Special(()))
    }
}

/// Compares the numbers of a line with one by this instruction, and with zero. The other two instructions bring the results,
/// which are in `ymm4` and `ymm5`, into the order of the line.
#[cfg(target_arch = "x86_64")]
macro_rules! compare_by {
    ($line:ident, $wanted:ident, $equal:literal, $pack:literal, $order:literal $(,)?) => {{
        let (same, zero): (u32, u32);
        // SAFETY: a value of this type exists only where the instructions do. They only read the line, each number of it at
        // once as far as this machine is concerned, because it is aligned.
        unsafe {
            std::arch::asm!(
                "vmovq xmm0, {wanted}",
                "vpbroadcastq ymm0, xmm0",
                "vpxor xmm3, xmm3, xmm3",
                "vmovdqu ymm1, [{line}]",
                "vmovdqu ymm2, [{line} + 32]",
                concat!($equal, " ymm4, ymm0, ymm1"),
                concat!($equal, " ymm5, ymm0, ymm2"),
                "vpcmpeqq ymm1, ymm3, ymm1",
                "vpcmpeqq ymm2, ymm3, ymm2",
                $pack,
                "vpackssdw ymm1, ymm1, ymm2",
                $order,
                "vpermq ymm1, ymm1, 0xd8",
                "vmovmskps {same:e}, ymm4",
                "vmovmskps {zero:e}, ymm1",
                "vzeroupper",
                line = in(reg) $line.as_ptr(),
                wanted = in(reg) $wanted,
                same = lateout(reg) same,
                zero = lateout(reg) zero,
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                options(readonly, nostack, preserves_flags)
            );
        }
        (same, zero)
    }};
}

/// Written in assembly. The intrinsics of the same names could not be inlined into code for machines that may lack them, and
/// the calls would cost more than the instructions.
#[cfg(target_arch = "x86_64")]
impl Instructions for Special {
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

    #[inline]
    fn compare(self, line: &Line, wanted: u64) -> (u32, u32) {
        compare_by!(line, wanted, "vpcmpeqq", "vpackssdw ymm4, ymm4, ymm5", "vpermq ymm4, ymm4, 0xd8",)
    }

    #[inline]
    fn compare_high(self, line: &Line, wanted: u64) -> (u32, u32) {
        compare_by!(line, wanted, "vpcmpeqd", "vshufps ymm4, ymm4, ymm5, 0xdd", "vpermpd ymm4, ymm4, 0xd8",)
    }
}

/// On every machine.
#[derive(Clone, Copy)]
pub(crate) struct Usual;

impl Instructions for Usual {
    fn gather(self, word: u64, mask: u64) -> u64 {
        gather_by_runs(word, mask)
    }

    fn compare(self, line: &Line, wanted: u64) -> (u32, u32) {
        compare_each(line, |found| found == wanted)
    }

    fn compare_high(self, line: &Line, wanted: u64) -> (u32, u32) {
        compare_each(line, |found| found >> 32 == wanted >> 32)
    }
}

/// Which numbers of a line are wanted, and which are zero.
#[inline]
fn compare_each(line: &Line, is_wanted: impl Fn(u64) -> bool) -> (u32, u32) {
    let (mut same, mut zero) = (0, 0);
    for (number, found) in line.iter().enumerate() {
        let found = found.load(Ordering::Relaxed);
        same |= u32::from(is_wanted(found)) << number;
        zero |= u32::from(found == 0) << number;
    }
    (same, zero)
}

/// Gathers bits on every machine. The fields of a state are runs of bits, so a mask has few runs.
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

/// Appends to a list in which there is room for some more values.
pub(crate) struct Appending<'a, T> {
    list: &'a mut Vec<T>,
    length: usize,
    capacity: usize,
}

impl<'a, T: Copy> Appending<'a, T> {
    /// Makes room for this many values.
    #[inline]
    pub(crate) fn new(list: &'a mut Vec<T>, room: usize) -> Appending<'a, T> {
        list.reserve(room);
        Appending { length: list.len(), capacity: list.capacity(), list }
    }

    /// Appends a value if it is wanted, without a branch that depends on `wanted`. There must be room even if it is not.
    #[inline]
    pub(crate) fn push_if(&mut self, value: T, wanted: bool) {
        assert!(self.length < self.capacity);
        // SAFETY: there is room for one more value. If it is not counted, nothing is lost, because values that can be copied
        // need not be dropped.
        unsafe { self.list.as_mut_ptr().add(self.length).write(value) };
        self.length += usize::from(wanted);
    }

    /// The list so far.
    #[inline]
    pub(crate) fn list(&mut self) -> &mut Vec<T> {
        // SAFETY: the values up to this length have been written.
        unsafe { self.list.set_len(self.length) };
        self.list
    }

    /// After something has been appended to the list itself: makes room for this many values.
    #[inline]
    pub(crate) fn renew(&mut self, room: usize) {
        self.list.reserve(room);
        (self.length, self.capacity) = (self.list.len(), self.list.capacity());
    }
}

impl<T> Drop for Appending<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the values up to this length have been written.
        unsafe { self.list.set_len(self.length) };
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

/// Zeroes that begin a line of the cache. More can be added, on Linux mostly without moving them.
pub(crate) struct Zeroes {
    memory: NonNull<AtomicU64>,
    length: usize,
    /// How many bytes are reserved for them, if they were not allocated as usual.
    reserved: usize,
}

// SAFETY: it owns its memory, like a box of atomic numbers.
unsafe impl Send for Zeroes {}
// SAFETY: as above.
unsafe impl Sync for Zeroes {}

/// How many times as much address space is reserved as is needed at first.
#[cfg(target_os = "linux")]
const ROOM: usize = 1 << 12;

impl Zeroes {
    pub(crate) fn new(length: usize) -> Zeroes {
        let layout = Zeroes::layout(length);
        #[cfg(target_os = "linux")]
        if layout.size() >= LARGE {
            use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous};
            let reserved = layout.size().next_multiple_of(PAGE).saturating_mul(ROOM);
            let (access, flags) =
                (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE | MapFlags::NORESERVE);
            // SAFETY: a new mapping, which overlaps nothing. Memory that is never touched is only a range of addresses.
            let mapped = unsafe { mmap_anonymous(std::ptr::null_mut(), reserved, access, flags) };
            if let Some(memory) = mapped.ok().and_then(NonNull::new) {
                // SAFETY: the advice does not change the content of the mapping. The system may ignore it.
                let _ = unsafe { madvise(memory.as_ptr(), reserved, Advice::LinuxHugepage) };
                return Zeroes { memory: memory.cast(), length, reserved };
            }
        }
        // SAFETY: the layout has a size.
        let memory = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) });
        let Some(memory) = memory else { std::alloc::handle_alloc_error(layout) };
        Zeroes { memory: memory.cast(), length, reserved: 0 }
    }

    /// Adds zeroes until there are `length`, if that can be done where they are. Returns whether it could.
    pub(crate) fn grow(&mut self, length: usize) -> bool {
        let fits = Zeroes::layout(length).size() <= self.reserved;
        if fits {
            // What is behind them was never touched, so it is zero.
            self.length = self.length.max(length);
        }
        fits
    }

    fn layout(length: usize) -> Layout {
        const LINE: usize = 64;
        Layout::from_size_align(size_of::<AtomicU64>().saturating_mul(length).max(1), LINE).expect("a size")
    }
}

impl Deref for Zeroes {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: the memory has at least this length, and zero is a value of the type.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr(), self.length) }
    }
}

impl Drop for Zeroes {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if self.reserved > 0 {
            // SAFETY: the whole mapping, to which there are no references any more.
            let _ = unsafe { rustix::mm::munmap(self.memory.as_ptr().cast(), self.reserved) };
            return;
        }
        // SAFETY: allocated with this layout.
        unsafe { std::alloc::dealloc(self.memory.as_ptr().cast(), Zeroes::layout(self.length)) };
    }
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
            #[cfg(target_arch = "x86_64")]
            if let Some(special) = Special::detect() {
                assert_eq!(special.gather(word, mask), expected, "{word:x} {mask:x}");
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_line_is_compared_alike_in_both_ways() {
        let Some(special) = Special::detect() else { return };
        let lines = Zeroes::new(8 * 1000);
        let mut x = 3u64;
        for slot in lines.iter() {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Numbers that differ in one half only, and zeroes.
            slot.store([0, 5, 5 << 32, 5 << 32 | 5][(x >> 60) as usize % 4], Ordering::Relaxed);
        }
        for line in lines.as_chunks::<8>().0 {
            for wanted in [0, 5, 5 << 32, 5 << 32 | 5, 7] {
                assert_eq!(
                    special.compare(line, wanted),
                    Usual.compare(line, wanted),
                    "{wanted} in {line:?}"
                );
            }
        }
    }

    #[test]
    fn zeroes_stay_when_more_are_added() {
        for length in [8, LARGE / 8] {
            let mut zeroes = Zeroes::new(length);
            zeroes[length - 1].store(7, Ordering::Relaxed);
            let grown = zeroes.grow(2 * length);
            assert_eq!(zeroes.len(), if grown { 2 * length } else { length });
            let numbers = zeroes.iter().map(|number| number.load(Ordering::Relaxed));
            assert!(numbers.enumerate().all(|(k, number)| number == if k + 1 == length { 7 } else { 0 }));
        }
    }

    #[test]
    fn only_wanted_values_are_appended() {
        let mut list = Vec::new();
        for first in (0..1000u32).step_by(100) {
            let mut appending = Appending::new(&mut list, 100);
            (first..first + 99).for_each(|value| appending.push_if(value, value % 3 == 0));
            appending.list().push(7);
            appending.renew(1);
            appending.push_if(first + 99, (first + 99) % 3 == 0);
        }
        list.retain(|value| *value != 7 || value % 3 == 0);
        assert_eq!(list, (0..1000).step_by(3).collect::<Vec<u32>>());
    }

    #[test]
    fn zeroes_are_zero() {
        for count in [0, 1, 1000, (LARGE + 12_345) / 8] {
            let zeroes = zeroes(count);
            assert_eq!(zeroes.len(), count);
            assert!(zeroes.iter().all(|zero| zero.load(Ordering::Relaxed) == 0));
        }
    }
}
