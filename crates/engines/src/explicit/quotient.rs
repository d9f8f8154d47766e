//! A set of packed states that does not store them.
//!
//! A state is a number of `B` bits. A bijection mixes it, the high bits of the result name its *home*, a line of eight
//! slots, and only the rest is stored, next to how many lines after its home the state is. So a slot is a word, although a
//! state is larger, and nothing is lost [Cle84]. A line is a line of the cache, and the slots of a line are filled in
//! order: whoever looks for a state reads slots from its home on until it is there or a slot is empty.
//!
//! If the table doubles, a home splits into two that follow each other, twice as far from the beginning. So all states
//! move ahead, and the table can grow where it is, from back to front. It is at most three quarters full: 11 to 22 bytes
//! for a state.
//!
//! Threads insert by compare-and-swap, as in [`store`](super::store); one thread needs only a plain store. A slot has room
//! for 57 bits of the rest, so large states need many lines from the beginning. What does not fit is left to the other
//! store.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{RwLock, RwLockReadGuard};

use super::store::Words;
#[cfg(target_arch = "x86_64")]
use crate::machine::Special;
use crate::machine::{Instructions, Line, Usual, Zeroes, prefetch};
use model::packing::Packing;

/// The number of slots in a line.
const LINE: usize = 8;
/// How many bits of a slot say how far from its home a state is.
const AWAY: u32 = 6;
/// How many bits of a slot are for the rest of a state. One is set if the slot is in use.
const REST: u32 = u64::BITS - AWAY - 1;
/// The logarithms of the least and the greatest number of lines at the beginning.
const FIRST_LINES: (u32, u32) = (7, 20);

/// A bijection of the packed states of a system: it mixes the wider word with the other one and leaves that as it is.
#[derive(Clone, Copy, Debug)]
struct Mixer {
    /// Which word is the wider one, and how many bits it has.
    word: usize,
    bits: u32,
    /// How many bits the other one has.
    others: u32,
}

/// A mixed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mixed {
    /// The wider word, mixed.
    word: u64,
    /// The other one.
    other: u64,
}

/// Odd numbers; so multiplying by them is a bijection.
const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];
const INVERSES: [u64; 2] = [inverse(FACTORS[0]), inverse(FACTORS[1])];
/// Spreads the other word.
const SPREAD: u64 = 0xa076_1d64_78bd_642f;

/// The inverse of an odd number, modulo 2⁶⁴. Each round doubles the number of right bits.
const fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut round = 0;
    while round < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

impl Mixer {
    fn mask(self) -> u64 {
        u64::MAX >> (u64::BITS - self.bits)
    }

    /// What the wider word is changed by before it is mixed.
    #[inline]
    fn spread(self, other: u64) -> u64 {
        other.wrapping_mul(SPREAD) >> (u64::BITS - self.bits)
    }

    #[inline]
    fn mix<const W: usize>(self, state: &Words<W>) -> Mixed {
        let (mask, half) = (self.mask(), self.bits.div_ceil(2));
        let (word, other) =
            if W == 1 { (state[0], 0) } else { (state[self.word & 1], state[self.word & 1 ^ 1]) };
        let word = if W == 1 { word } else { word ^ self.spread(other) };
        let word = word.wrapping_mul(FACTORS[0]) & mask;
        let word = word ^ word >> half;
        Mixed { word: word.wrapping_mul(FACTORS[1]) & mask, other }
    }

    fn unmix<const W: usize>(self, mixed: Mixed) -> Words<W> {
        let (mask, half) = (self.mask(), self.bits.div_ceil(2));
        let word = mixed.word.wrapping_mul(INVERSES[1]) & mask;
        // The shift is at least half of the bits, so doing it twice changes nothing.
        let word = (word ^ word >> half).wrapping_mul(INVERSES[0]) & mask;
        let mut state = [0; W];
        if W == 1 {
            state[0] = word;
        } else {
            state[self.word] = word ^ self.spread(mixed.other);
            state[self.word ^ 1] = mixed.other;
        }
        state
    }
}

/// A set of packed states.
pub(super) struct StateSet<const W: usize> {
    mixer: Mixer,
    table: RwLock<Table>,
}

/// States that a thread is about to add.
#[derive(Default)]
pub(super) struct Batch {
    mixed: Vec<Mixed>,
}

impl Batch {
    /// Forgets the states.
    pub(super) fn clear(&mut self) {
        self.mixed.clear();
    }
}

struct Table {
    slots: Zeroes,
    shape: Shape,
    /// How many slots are in use or reserved for batches under way.
    taken: AtomicU64,
}

/// How states are stored.
#[derive(Clone, Copy)]
struct Shape {
    /// The logarithm of the number of lines.
    lines: u32,
    /// How many bits of a mixed word are stored.
    rest: u32,
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
        let (first, second) = (used(0).max(1), if W > 1 { used(1) } else { 0 });
        let word = usize::from(second > first);
        let mixer = Mixer { word, bits: first.max(second), others: first.min(second) };
        let mixer = if W > 1 { mixer } else { Mixer { others: 0, ..mixer } };
        let lines = (mixer.bits + mixer.others).saturating_sub(REST).max(FIRST_LINES.0);
        (lines <= FIRST_LINES.1)
            .then(|| StateSet { mixer, table: RwLock::new(Table::new(lines, mixer.bits)) })
    }

    /// Appends states to a batch. The sooner before they are added, the better: their lines come into the cache meanwhile.
    #[inline]
    pub(super) fn prepare(&self, states: &[Words<W>], batch: &mut Batch) {
        let table = self.table.read().expect("no thread panics while it grows");
        for state in states {
            let mixed = self.mixer.mix(state);
            prefetch(&table.line(table.shape.home(mixed))[0]);
            batch.mixed.push(mixed);
        }
    }

    /// Adds the states of a batch, and calls `added` with the position of each that is new. `alone` if no other thread adds
    /// states at this time.
    #[inline]
    pub(super) fn insert(
        &self,
        by: impl Instructions,
        batch: &mut Batch,
        alone: bool,
        mut added: impl FnMut(usize),
    ) {
        let states = &batch.mixed;
        let mut table = self.reserve(states.len());
        let (mut next, mut new) = (0, 0);
        while let Some(&mixed) = states.get(next) {
            if let Ok(is_new) = table.insert(by, mixed, alone) {
                if is_new {
                    new += 1;
                    added(next);
                }
                next += 1;
            } else {
                table.give_back(states.len() - new);
                let lines = table.shape.lines;
                drop(table);
                self.grow(lines);
                table = self.reserve(states.len() - new);
            }
        }
        table.give_back(states.len() - new);
        batch.mixed.clear();
    }

    /// The states.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&Words<W>)) {
        let table = self.table.read().expect("no thread panics while it grows");
        for line in 0..1 << table.shape.lines {
            for slot in table.line(line) {
                let slot = slot.load(Ordering::Relaxed);
                if slot != 0 {
                    visit(&self.mixer.unmix(table.shape.mixed(line, slot)));
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
            if before + states <= (LINE << table.shape.lines) / 4 * 3 {
                return table;
            }
            table.give_back(states);
            let lines = table.shape.lines;
            drop(table);
            self.grow(lines);
        }
    }

    /// Doubles the table, unless another thread has done so since it had this many lines.
    #[cold]
    fn grow(&self, lines: u32) {
        let mut table = self.table.write().expect("no thread panics while it grows");
        if table.shape.lines == lines {
            table.double();
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
        LINE << self.table.shape.lines
    }

    /// Whether a number below the bound is that of a state.
    #[inline]
    pub(super) fn contains(&self, number: u32) -> bool {
        self.slot(number) != 0
    }

    /// The state with this number.
    #[inline]
    pub(super) fn state(&self, number: u32) -> Words<W> {
        self.mixer.unmix(self.table.shape.mixed(number as usize / LINE, self.slot(number)))
    }

    /// Appends the numbers of states, which must be in the set.
    #[inline]
    pub(super) fn find(&self, states: &[Words<W>], batch: &mut Batch, numbers: &mut Vec<u32>) {
        batch.clear();
        for state in states {
            let mixed = self.mixer.mix(state);
            prefetch(&self.table.line(self.table.shape.home(mixed))[0]);
            batch.mixed.push(mixed);
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(special) = Special::detect() {
            return numbers.extend(batch.mixed.iter().map(|mixed| self.table.find(special, *mixed)));
        }
        numbers.extend(batch.mixed.iter().map(|mixed| self.table.find(Usual, *mixed)));
    }

    #[inline]
    fn slot(&self, number: u32) -> u64 {
        self.table.slots[number as usize].load(Ordering::Relaxed)
    }
}

impl Shape {
    /// The line where the search for a state begins.
    #[inline]
    fn home(self, mixed: Mixed) -> usize {
        (mixed.word >> self.rest) as usize
    }

    /// What is stored of a state in its home. It is two more in each line after that.
    #[inline]
    fn at_home(self, mixed: Mixed) -> u64 {
        let rest = mixed.word & !(u64::MAX << self.rest) | mixed.other << self.rest;
        rest << (AWAY + 1) | 1
    }

    /// The line after this one.
    #[inline]
    fn after(self, line: usize) -> usize {
        (line + 1) & ((1 << self.lines) - 1)
    }

    /// The state in a slot of this line.
    #[inline]
    fn mixed(self, line: usize, slot: u64) -> Mixed {
        let away = (slot >> 1) as usize & ((1 << AWAY) - 1);
        let home = line.wrapping_sub(away) & ((1 << self.lines) - 1);
        let rest = slot >> (AWAY + 1);
        let word = (home as u64) << self.rest | rest & !(u64::MAX << self.rest);
        Mixed { word, other: rest >> self.rest }
    }
}

impl Table {
    /// An empty table for states whose mixed words have this many bits.
    fn new(lines: u32, bits: u32) -> Table {
        let shape = Shape { lines, rest: bits.saturating_sub(lines) };
        Table { slots: Zeroes::new(LINE << lines), shape, taken: AtomicU64::new(0) }
    }

    #[inline]
    fn line(&self, line: usize) -> &Line {
        self.slots[line * LINE..].first_chunk().expect("a line of the table")
    }

    /// Adds a state; returns whether it is new.
    #[inline]
    fn insert(&self, by: impl Instructions, mixed: Mixed, alone: bool) -> Result<bool, Crowded> {
        let mut mine = self.shape.at_home(mixed);
        let mut line = self.shape.home(mixed);
        for _ in 0..1 << AWAY {
            let slots = self.line(line);
            // All slots are compared, because nobody can predict where a search would end.
            let (same, free) = by.compare(slots, mine);
            if same != 0 {
                return Ok(false);
            }
            let mut used = free.trailing_zeros() as usize;
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
            line = self.shape.after(line);
            mine += 2;
        }
        Err(Crowded)
    }

    /// The slot of a state that is in the table.
    #[inline]
    fn find(&self, by: impl Instructions, mixed: Mixed) -> u32 {
        let mut line = self.shape.home(mixed);
        let mut wanted = self.shape.at_home(mixed);
        loop {
            let (same, _) = by.compare(self.line(line), wanted);
            if same != 0 {
                return (line * LINE) as u32 + same.trailing_zeros();
            }
            line = self.shape.after(line);
            wanted += 2;
        }
    }

    /// Gives back reserved slots that were not needed.
    fn give_back(&self, slots: usize) {
        self.taken.fetch_sub(slots as u64, Ordering::Relaxed);
    }

    /// Doubles the number of lines.
    fn double(&mut self) {
        #[cfg(target_arch = "x86_64")]
        if let Some(special) = Special::detect() {
            return self.double_by(special);
        }
        self.double_by(Usual);
    }

    fn double_by(&mut self, by: impl Instructions) {
        let (old, lines) = (self.shape, 1 << self.shape.lines);
        self.shape = Shape { lines: old.lines + 1, rest: old.rest.saturating_sub(1) };
        let mut apart = Vec::new();
        if self.slots.grow(LINE << self.shape.lines) {
            // A state that is beyond the first lines moves ahead of its line: its home is less than 64 lines away, and the
            // new home is twice as far from the beginning. There all states have moved already.
            let first = lines.min(2 << AWAY);
            (0..first).for_each(|line| take(self.line(line), line, old, |mixed| apart.push(mixed)));
            for line in (first..lines).rev() {
                let moved = |mixed| apart.extend(self.insert(by, mixed, true).is_err().then_some(mixed));
                take(self.line(line), line, old, moved);
            }
        } else {
            let slots = std::mem::replace(&mut self.slots, Zeroes::new(LINE << self.shape.lines));
            for (line, slots) in slots.as_chunks().0.iter().enumerate() {
                let moved = |mixed| apart.extend(self.insert(by, mixed, true).is_err().then_some(mixed));
                take(slots, line, old, moved);
            }
        }
        for mixed in apart {
            // Hardly ever: the table is less than half full.
            while self.insert(by, mixed, true).is_err() {
                self.double_by(by);
            }
        }
    }
}

/// Takes the states out of a line.
#[inline]
fn take(slots: &Line, line: usize, shape: Shape, mut taken: impl FnMut(Mixed)) {
    let states: [u64; LINE] = std::array::from_fn(|number| slots[number].load(Ordering::Relaxed));
    slots.iter().for_each(|slot| slot.store(0, Ordering::Relaxed));
    for slot in states.into_iter().take_while(|slot| *slot != 0) {
        taken(shape.mixed(line, slot));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use model::packing::Field;

    use super::*;

    /// States whose fields have these numbers of bits, one word each.
    fn packing(bits: &[u32]) -> Packing {
        let fields = bits.iter().enumerate().map(|(word, bits)| Field {
            word,
            shift: 0,
            bits: *bits,
            lo: 0,
            hi: i64::MAX,
        });
        Packing { fields: fields.collect(), words: bits.len() }
    }

    /// Inserts pseudorandom states of `bits` bits, many of them twice, and compares with a plain set.
    fn agrees<const W: usize>(bits: [u32; W], count: usize, spread: u64) {
        let set = StateSet::<W>::new(&packing(&bits)).expect("they fit");
        let mut known = BTreeSet::new();
        let mut x = 11u64;
        let mut batch = Batch::default();
        let states: Vec<Words<W>> = (0..count)
            .map(|_| {
                std::array::from_fn(|word| {
                    x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    ((x >> 20) % spread) & (u64::MAX >> (64 - bits[word]))
                })
            })
            .collect();
        for states in states.chunks(50) {
            let mut new = Vec::new();
            set.prepare(states, &mut batch);
            set.insert(Usual, &mut batch, true, |position| new.push(position));
            for (position, state) in states.iter().enumerate() {
                assert_eq!(known.insert(*state), new.contains(&position), "{state:?}");
            }
        }
        let mut listed = BTreeSet::new();
        set.for_each(|state| assert!(listed.insert(*state), "{state:?} is there twice"));
        assert_eq!(listed, known);
        let frozen = set.frozen();
        let states: Vec<Words<W>> = listed.into_iter().collect();
        let mut numbers = Vec::new();
        frozen.find(&states, &mut batch, &mut numbers);
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
    fn it_grows_where_it_is() {
        // More than four megabytes, so that there is room behind the table, in both orders of words.
        agrees([28], 1_200_000, u64::MAX);
        agrees([40, 30], 600_000, u64::MAX);
        agrees([30, 40], 600_000, u64::MAX);
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
                let (mut batch, mut new) = (Batch::default(), 0);
                for states in states.chunks(64) {
                    set.prepare(states, &mut batch);
                    set.insert(Usual, &mut batch, false, |_| new += 1);
                }
                new
            };
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(new, states.len());
    }
}
