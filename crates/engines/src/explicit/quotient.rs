//! A set of packed states that does not store them.
//!
//! A state is a number of `B` bits. A bijection mixes it, the high bits of the result name its *home*, a line of eight slots,
//! and only the rest is stored, next to how many lines after its home the state is. So a slot is a word, although a state is
//! larger, and nothing is lost [Cle84]. A line is a line of the cache, and the slots of a line are filled in order: whoever
//! looks for a state reads slots from its home on until it is there or a slot is empty.
//!
//! If the table doubles, a home splits into two that follow each other. So all states move in their order, both tables are
//! read and written from front to back, and the system gets the old one back piece by piece. The table is at most three
//! quarters full: 11 to 22 bytes for a state.
//!
//! Threads insert by compare-and-swap, as in [`store`](super::store); one thread needs only a plain store. A slot has room for
//! 57 bits of the rest, so large states need many lines from the beginning. What does not fit is left to the other store.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{RwLock, RwLockReadGuard};

use super::store::Words;
use crate::machine::{prefetch, release, zeroes};
use model::packing::Packing;

/// The number of slots in a line.
const LINE: usize = 8;
/// How many bits of a slot say how far from its home a state is.
const AWAY: u32 = 6;
/// How many bits of a slot are for the rest of a state. One is set if the slot is in use.
const REST: u32 = u64::BITS - AWAY - 1;
/// The logarithms of the least and the greatest number of lines at the beginning.
const FIRST_LINES: (u32, u32) = (7, 20);
/// How many slots of the old table are given back at a time.
const PIECE: usize = 1 << 18;

/// A bijection of the packed states of a system.
#[derive(Clone, Copy, Debug)]
struct Mixer {
    /// The number of bits of a state.
    bits: u32,
    /// How many of them are in the first word.
    first: u32,
}

/// Odd numbers; so multiplying by them is a bijection.
const FACTORS: [u128; 2] =
    [0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835, 0xd6e8_feb8_6659_fd93_a076_1d64_78bd_642f];
const INVERSES: [u128; 2] = [inverse(FACTORS[0]), inverse(FACTORS[1])];

/// The inverse of an odd number, modulo 2¹²⁸. Each round doubles the number of right bits.
const fn inverse(odd: u128) -> u128 {
    let mut inverse = odd;
    let mut round = 0;
    while round < 7 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

impl Mixer {
    fn mask(self) -> u128 {
        u128::MAX >> (u128::BITS - self.bits)
    }

    /// The number of a state, mixed.
    #[inline]
    fn mix<const W: usize>(self, state: &Words<W>) -> u128 {
        if W == 1 {
            let (mask, half) = (self.mask() as u64, self.bits.div_ceil(2));
            let mixed = state[0].wrapping_mul(FACTORS[0] as u64) & mask;
            let mixed = mixed ^ mixed >> half;
            return u128::from(mixed.wrapping_mul(FACTORS[1] as u64) & mask);
        }
        let (mask, half) = (self.mask(), self.bits.div_ceil(2));
        let number = u128::from(state[0]) | u128::from(state[1]) << self.first;
        let mixed = number.wrapping_mul(FACTORS[0]) & mask;
        let mixed = mixed ^ mixed >> half;
        mixed.wrapping_mul(FACTORS[1]) & mask
    }

    /// The state with this mixed number.
    fn unmix<const W: usize>(self, mixed: u128) -> Words<W> {
        let (mask, half) = (self.mask(), self.bits.div_ceil(2));
        let number = mixed.wrapping_mul(INVERSES[1]) & mask;
        // The shift is at least half of the bits, so doing it twice changes nothing.
        let number = (number ^ number >> half).wrapping_mul(INVERSES[0]) & mask;
        let mut state = [0; W];
        state[0] = number as u64;
        if W > 1 {
            state[0] = (number & ((1 << self.first) - 1)) as u64;
            state[1] = (number >> self.first) as u64;
        }
        state
    }
}

/// A set of packed states.
pub(super) struct StateSet<const W: usize> {
    mixer: Mixer,
    table: RwLock<Table>,
}

/// The states that a thread has added most recently, and its working memory. Steps of different processes often lead to the
/// same state one soon after the other, and these few states stay in the nearest cache.
pub(super) struct Recent {
    /// Mixed numbers of states that are in the set, each at the place that its low bits say.
    states: Box<[u128]>,
    /// The states of a batch that are to be looked for, with their positions.
    batch: Vec<(usize, u128)>,
}

/// The number of states that a thread remembers.
const RECENT: usize = 1 << 14;

impl Recent {
    pub(super) fn new() -> Recent {
        // Not the number of a state: states have fewer bits.
        Recent { states: vec![u128::MAX; RECENT].into_boxed_slice(), batch: Vec::new() }
    }

    /// Whether a state is not among the most recent ones. From now on it is.
    #[inline]
    fn is_new(&mut self, number: u128) -> bool {
        std::mem::replace(&mut self.states[number as usize % RECENT], number) != number
    }
}

struct Table {
    slots: Box<[AtomicU64]>,
    /// The first slot that begins a line of the cache.
    start: usize,
    /// The logarithm of the number of lines.
    lines: u32,
    /// The number of bits of a state that are stored.
    rest: u32,
    /// How many slots are in use or reserved for batches under way.
    taken: AtomicU64,
}

/// A state is too far from its home: the table must grow.
struct Crowded;

impl<const W: usize> StateSet<W> {
    /// An empty set for states of this form, unless they are too large.
    pub(super) fn new(packing: &Packing) -> Option<StateSet<W>> {
        let used = |word: usize| {
            let ends = packing.fields.iter().filter(|field| field.word == word && field.bits > 0);
            ends.map(|field| field.shift + field.bits).max().unwrap_or(0)
        };
        if packing.words != W || W > 2 {
            return None;
        }
        let first = used(0);
        let bits = (first + if W > 1 { used(1) } else { 0 }).max(1);
        let lines = bits.saturating_sub(REST).max(FIRST_LINES.0);
        if lines > FIRST_LINES.1 {
            return None;
        }
        Some(StateSet { mixer: Mixer { bits, first }, table: RwLock::new(Table::new(lines, bits)) })
    }

    /// Adds states, and calls `added` with the position of each that is new. `alone` if no other thread adds states at
    /// this time.
    #[inline]
    pub(super) fn insert(
        &self,
        states: &[Words<W>],
        alone: bool,
        recent: &mut Recent,
        mut added: impl FnMut(usize),
    ) {
        let mut table = self.reserve(states.len());
        recent.batch.clear();
        for (position, state) in states.iter().enumerate() {
            let number = self.mixer.mix(state);
            if recent.is_new(number) {
                prefetch(&table.line(table.home(number))[0]);
                recent.batch.push((position, number));
            }
        }
        let (mut next, mut new) = (0, 0);
        while let Some(&(position, number)) = recent.batch.get(next) {
            if let Ok(is_new) = table.insert(number, alone) {
                if is_new {
                    new += 1;
                    added(position);
                }
                next += 1;
            } else {
                table.give_back(states.len() - new);
                let lines = table.lines;
                drop(table);
                self.grow(lines);
                table = self.reserve(states.len() - new);
            }
        }
        table.give_back(states.len() - new);
    }

    /// The states.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&Words<W>)) {
        let table = self.table.read().expect("no thread panics while it grows");
        for line in 0..1 << table.lines {
            for slot in table.line(line) {
                let slot = slot.load(Ordering::Relaxed);
                if slot != 0 {
                    visit(&self.mixer.unmix(table.number(line, slot)));
                }
            }
        }
    }

    /// The set as it is; no state may be added as long as this is there.
    pub(super) fn frozen(&self) -> Frozen<'_, W> {
        let table = self.table.read().expect("no thread panics while it grows");
        Frozen { mixer: self.mixer, table }
    }

    /// The bytes it has allocated.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.table.read().expect("no thread panics while it grows").slots) as u64
    }

    /// The table, with room for a batch.
    fn reserve(&self, states: usize) -> RwLockReadGuard<'_, Table> {
        loop {
            let table = self.table.read().expect("no thread panics while it grows");
            let before = table.taken.fetch_add(states as u64, Ordering::Relaxed) as usize;
            if before + states <= (LINE << table.lines) / 4 * 3 {
                return table;
            }
            table.give_back(states);
            let lines = table.lines;
            drop(table);
            self.grow(lines);
        }
    }

    /// Doubles the table, unless another thread has done so since it had this many lines.
    #[cold]
    fn grow(&self, lines: u32) {
        let mut table = self.table.write().expect("no thread panics while it grows");
        if table.lines == lines {
            *table = table.larger(self.mixer.bits);
        }
    }
}

/// A set that does not grow. The number of a state is its slot.
pub(super) struct Frozen<'a, const W: usize> {
    mixer: Mixer,
    table: RwLockReadGuard<'a, Table>,
}

impl<const W: usize> Frozen<'_, W> {
    /// An upper bound on the numbers.
    pub(super) fn bound(&self) -> usize {
        LINE << self.table.lines
    }

    /// Whether a number below the bound is that of a state.
    #[inline]
    pub(super) fn contains(&self, number: u32) -> bool {
        self.slot(number) != 0
    }

    /// The state with this number.
    #[inline]
    pub(super) fn state(&self, number: u32) -> Words<W> {
        self.mixer.unmix(self.table.number(number as usize / LINE, self.slot(number)))
    }

    /// Appends the numbers of states, which must be in the set. `mixed` is working memory.
    #[inline]
    pub(super) fn find(&self, states: &[Words<W>], mixed: &mut Vec<u128>, numbers: &mut Vec<u32>) {
        mixed.clear();
        for state in states {
            let number = self.mixer.mix(state);
            prefetch(&self.table.line(self.table.home(number))[0]);
            mixed.push(number);
        }
        numbers.extend(mixed.iter().map(|number| self.table.find(*number)));
    }

    #[inline]
    fn slot(&self, number: u32) -> u64 {
        self.table.slots[self.table.start + number as usize].load(Ordering::Relaxed)
    }
}

impl Table {
    fn new(lines: u32, bits: u32) -> Table {
        let slots = zeroes((LINE << lines) + LINE - 1);
        let start = slots.as_ptr().align_offset(LINE * size_of::<u64>()).min(LINE - 1);
        Table { slots, start, lines, rest: bits.saturating_sub(lines), taken: AtomicU64::new(0) }
    }

    #[inline]
    fn line(&self, line: usize) -> &[AtomicU64; LINE] {
        self.slots[self.start + line * LINE..].first_chunk().expect("a line of the table")
    }

    /// The line where the search for a state begins.
    #[inline]
    fn home(&self, mixed: u128) -> usize {
        (mixed >> self.rest) as usize
    }

    /// The mixed number of a state in this line.
    fn number(&self, line: usize, slot: u64) -> u128 {
        let away = (slot >> 1) as usize & ((1 << AWAY) - 1);
        let home = line.wrapping_sub(away) & ((1 << self.lines) - 1);
        (home as u128) << self.rest | u128::from(slot >> (AWAY + 1))
    }

    /// Adds a state; returns whether it is new.
    #[inline]
    fn insert(&self, mixed: u128, alone: bool) -> Result<bool, Crowded> {
        let rest = mixed as u64 & ((1 << self.rest) - 1);
        let mut line = self.home(mixed);
        for away in 0..1 << AWAY {
            let mine = rest << (AWAY + 1) | away << 1 | 1;
            let slots = self.line(line);
            // All slots are compared, because nobody can predict where a search would end.
            let (mut is_there, mut used) = (false, 0);
            for slot in slots {
                let found = slot.load(Ordering::Relaxed);
                is_there |= found == mine;
                used += usize::from(found != 0);
            }
            if is_there {
                return Ok(false);
            }
            while let Some(slot) = slots.get(used) {
                if alone {
                    slot.store(mine, Ordering::Relaxed);
                    return Ok(true);
                }
                match slot.compare_exchange(0, mine, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return Ok(true),
                    Err(other) if other == mine => return Ok(false),
                    Err(_) => used += 1,
                }
            }
            line = (line + 1) & ((1 << self.lines) - 1);
        }
        Err(Crowded)
    }

    /// The slot of a state that is in the table.
    #[inline]
    fn find(&self, mixed: u128) -> u32 {
        let rest = mixed as u64 & ((1 << self.rest) - 1);
        let mut line = self.home(mixed);
        let mut wanted = rest << (AWAY + 1) | 1;
        loop {
            let mut same = 0;
            for (number, slot) in self.line(line).iter().enumerate() {
                same |= u32::from(slot.load(Ordering::Relaxed) == wanted) << number;
            }
            if same != 0 {
                return (line * LINE) as u32 + same.trailing_zeros();
            }
            line = (line + 1) & ((1 << self.lines) - 1);
            wanted += 2;
        }
    }

    /// Gives back reserved slots that were not needed.
    fn give_back(&self, slots: usize) {
        self.taken.fetch_sub(slots as u64, Ordering::Relaxed);
    }

    /// The same states in a larger table. This one is given back to the system meanwhile.
    fn larger(&self, bits: u32) -> Table {
        let mut larger = Table::new(self.lines + 1, bits);
        larger.taken.store(self.taken.load(Ordering::Relaxed), Ordering::Relaxed);
        for line in 0..1 << self.lines {
            for slot in self.line(line) {
                let slot = slot.load(Ordering::Relaxed);
                if slot != 0 {
                    let mixed = self.number(line, slot);
                    // Hardly ever: the larger table is less than half full.
                    while larger.insert(mixed, true).is_err() {
                        larger = larger.larger(bits);
                    }
                }
            }
            let done = (line + 1) * LINE;
            if done.is_multiple_of(PIECE) {
                release(&self.slots[self.start..][done - PIECE..done]);
            }
        }
        larger
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use model::packing::Field;

    use super::*;

    /// States whose fields have these numbers of bits, one word each.
    fn packing(bits: &[u32]) -> Packing {
        let fields = bits.iter().enumerate().map(|(word, bits)| Field { word, shift: 0, bits: *bits, lo: 0 });
        Packing { fields: fields.collect(), words: bits.len() }
    }

    /// Inserts pseudorandom states of `bits` bits, many of them twice, and compares with a plain set.
    fn agrees<const W: usize>(bits: [u32; W], count: usize, spread: u64) {
        let set = StateSet::<W>::new(&packing(&bits)).expect("they fit");
        let mut known = BTreeSet::new();
        let mut x = 11u64;
        let mut recent = Recent::new();
        let states: Vec<Words<W>> = (0..count)
            .map(|_| {
                std::array::from_fn(|word| {
                    x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    ((x >> 20) % spread) & (u64::MAX >> (64 - bits[word]))
                })
            })
            .collect();
        for batch in states.chunks(50) {
            let mut new = Vec::new();
            set.insert(batch, true, &mut recent, |position| new.push(position));
            for (position, state) in batch.iter().enumerate() {
                assert_eq!(known.insert(*state), new.contains(&position), "{state:?}");
            }
        }
        let mut listed = BTreeSet::new();
        set.for_each(|state| assert!(listed.insert(*state), "{state:?} is there twice"));
        assert_eq!(listed, known);
        let frozen = set.frozen();
        let states: Vec<Words<W>> = listed.into_iter().collect();
        let (mut mixed, mut numbers) = (Vec::new(), Vec::new());
        frozen.find(&states, &mut mixed, &mut numbers);
        for (state, number) in states.iter().zip(numbers) {
            assert!(frozen.contains(number) && frozen.state(number) == *state, "{state:?} is not {number}");
        }
        let used = (0..frozen.bound() as u32).filter(|number| frozen.contains(*number));
        assert_eq!(used.count(), states.len());
    }

    #[test]
    fn it_is_the_set_of_what_was_inserted() {
        agrees([1], 20, 2);
        agrees([9], 5_000, 600);
        agrees([20], 60_000, 40_000);
        agrees([64], 60_000, u64::MAX);
        agrees([64, 10], 60_000, 300);
        agrees([33, 40], 60_000, u64::MAX);
        // All states of ten bits, and states that differ in few bits.
        agrees([10], 20_000, u64::MAX);
        agrees([63], 60_000, 30_000);
    }

    #[test]
    fn states_that_are_too_large_are_refused() {
        assert!(StateSet::<2>::new(&packing(&[64, 14])).is_none());
        assert!(StateSet::<3>::new(&packing(&[1, 1, 1])).is_none());
    }

    #[test]
    fn of_two_threads_one_finds_a_state_new() {
        let set = StateSet::<1>::new(&packing(&[30])).expect("they fit");
        let states: Vec<Words<1>> = (0..50_000u64).map(|n| [n * 7]).collect();
        let new: usize = std::thread::scope(|scope| {
            let work = || {
                let (mut recent, mut new) = (Recent::new(), 0);
                for batch in states.chunks(64) {
                    set.insert(batch, false, &mut recent, |_| new += 1);
                }
                new
            };
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(new, states.len());
    }
}
