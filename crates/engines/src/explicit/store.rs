//! The visited states: an arena of packed states and an open-addressing table of their numbers, which one thread fills and
//! others read meanwhile.
//!
//! A slot holds a 32-bit tag of the hash and the 32-bit number of the state, so that a probe that meets another state
//! rarely touches the arena. Eight slots are a line of the cache. The high bits of the tag select a line, and the slots from
//! there on are filled in order, at most three quarters of them. So the tags alone say where the states of a table belong
//! in one twice as large: all move in their order, and the states themselves are not read. States are numbered in the order
//! in which they are inserted. That is done in batches: hash all, prefetch their lines, then probe, so that the cache misses
//! of a batch overlap.
//!
//! The writer writes a state into the arena and then publishes its slot. So a thread that reads a slot also sees the state.
//! A search by another thread may miss a state that is just being inserted, and never gives a wrong number. Threads hold a
//! read lock on the table during a batch. The writer takes the write lock if the table is too full, and doubles it. Shared
//! data are atomic, which on ordinary machines costs nothing for plain loads and stores.
//!
//! The arena grows by segments, each as large as all before it, and never moves. Each state also has a note of one
//! word, for the code that explores. A state of `n` words costs `8 n + 8` bytes and between 11 and 22 bytes of the
//! table, which can be given up once no more states are sought. Allocated memory that is not in use is not touched.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{OnceLock, RwLock};

#[cfg(target_arch = "x86_64")]
use crate::machine::Special;
use crate::machine::{Instructions, Line, Usual, prefetch, release, zeroes};

/// The number of states in a block of the arena.
const BLOCK: usize = 1 << 12;
/// The number of segments: the first is a block, each further one as large as all before it.
const SEGMENTS: usize = if usize::BITS < 64 { 19 } else { 21 };
/// A slot without a state. A slot holds a number increased by one.
const EMPTY: u64 = 0;
/// The greatest number of states.
pub(super) const CAPACITY: usize = (BLOCK << (SEGMENTS - 1)) - BLOCK;
/// The note of a state without a note. Notes are stored inverted, so that this is zero.
pub(super) const UNNOTED: u64 = u64::MAX;
/// In place of the number of a state that is not there.
pub(super) const UNKNOWN: u32 = u32::MAX;
/// How many states are sought together.
const FOUND: usize = 64;
/// The number of slots in a line.
const LINE: usize = 8;
/// The logarithm of the initial number of lines.
const FIRST_LINES: u32 = 7;
/// How many slots of an old table are given back to the system at a time.
const PIECE: usize = 1 << 18;

/// Up to this width, states use all words: there is a width for every number of them.
const EXACT: usize = 2;

/// A packed state.
pub(crate) type Words<const W: usize> = [u64; W];

/// Packed states of `W` words, and their numbers.
pub(crate) struct Store<const W: usize> {
    /// How many words of a state are in use. The others are zero and are not stored.
    words: usize,
    segments: [OnceLock<Segment>; SEGMENTS],
    next_block: AtomicU32,
    table: RwLock<Table>,
}

/// A part of the arena, allocated when it is needed.
struct Segment {
    /// The words of the states, one state after the other.
    words: Box<[AtomicU64]>,
    notes: Box<[AtomicU64]>,
}

struct Table {
    slots: Box<[AtomicU64]>,
    /// The first slot that begins a line of the cache.
    start: usize,
    /// The logarithm of the number of lines.
    lines: u32,
    /// How many slots are in use.
    taken: AtomicU64,
}

/// The next number to hand out, and how many are left in its block.
#[derive(Debug, Default)]
pub(crate) struct Room {
    next: usize,
    left: usize,
}

/// Inserts states. There must be one writer at a time.
pub(crate) struct Writer<'a, const W: usize> {
    store: &'a Store<W>,
    /// The numbers for new states.
    pub(crate) room: Room,
    hashes: Vec<u64>,
}

/// There is no room for more states.
#[derive(Debug)]
pub(crate) struct Full;

impl<const W: usize> Store<W> {
    /// An empty store for states that use this many words.
    pub(crate) fn new(words: usize) -> Store<W> {
        debug_assert!((1..=W).contains(&words));
        let segments = std::array::from_fn(|_| OnceLock::new());
        Store { words, segments, next_block: AtomicU32::new(0), table: RwLock::new(Table::new(FIRST_LINES)) }
    }

    /// The state with this number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Words<W> {
        let place = self.place(number);
        if self.words() == W {
            return std::array::from_fn(|word| place[word].load(Ordering::Relaxed));
        }
        let mut state = [0; W];
        for (word, stored) in state.iter_mut().zip(place) {
            *word = stored.load(Ordering::Relaxed);
        }
        state
    }

    /// The note of a state; [`UNNOTED`] at first.
    #[inline]
    pub(super) fn note(&self, number: u32) -> u64 {
        !self.note_of(number).load(Ordering::Relaxed)
    }

    /// Prefetches the note of a state.
    #[inline]
    pub(super) fn expect_note(&self, number: u32) {
        prefetch(self.note_of(number));
    }

    /// Sets the note of a state.
    #[inline]
    pub(super) fn set_note(&self, number: u32, note: u64) {
        self.note_of(number).store(!note, Ordering::Relaxed);
    }

    /// An upper bound on the numbers handed out.
    pub(super) fn bound(&self) -> usize {
        self.next_block.load(Ordering::Relaxed) as usize * BLOCK
    }

    /// The number of a state, if it is in the store.
    pub(super) fn find(&self, state: &Words<W>) -> Option<u32> {
        let table = self.table.read().expect("no thread panics while it grows");
        let hash = self.hash(state);
        let mut line = table.home(hash);
        loop {
            for slot in table.line(line) {
                let found = slot.load(Ordering::Acquire);
                if found == EMPTY {
                    return None;
                }
                if found >> 32 == hash >> 32 && self.is(number_in(found), state) {
                    return Some(number_in(found));
                }
            }
            line = table.after(line);
        }
    }

    /// Appends the number of each state, or [`UNKNOWN`] if it was not in the store before.
    pub(super) fn find_all(&self, states: &[Words<W>], numbers: &mut Vec<u32>) {
        #[cfg(target_arch = "x86_64")]
        if let Some(special) = Special::detect() {
            return self.find_all_by(special, states, numbers);
        }
        self.find_all_by(Usual, states, numbers);
    }

    /// [`Store::find_all`], by these instructions.
    fn find_all_by(&self, by: impl Instructions, states: &[Words<W>], numbers: &mut Vec<u32>) {
        let table = self.table.read().expect("no thread panics while it grows");
        let mut hashes = [0; FOUND];
        for states in states.chunks(FOUND) {
            for (state, hash) in states.iter().zip(&mut hashes) {
                *hash = self.hash(state);
                prefetch(&table.line(table.home(*hash))[0]);
            }
            for hash in &hashes[..states.len()] {
                self.prefetch_state(by, &table, *hash);
            }
            numbers.extend(states.iter().zip(&hashes).map(|(state, hash)| {
                let mut line = table.home(*hash);
                loop {
                    let slots = table.line(line);
                    let (same, empty) = by.compare_high(slots, *hash);
                    let mut same = same & !empty;
                    while let Some(slot) = slots.get(same.trailing_zeros() as usize) {
                        let found = slot.load(Ordering::Acquire);
                        if self.is(number_in(found), state) {
                            return number_in(found);
                        }
                        same &= same - 1;
                    }
                    if empty != 0 {
                        return UNKNOWN;
                    }
                    line = table.after(line);
                }
            }));
        }
    }

    /// Prefetches the first state whose tag is that of a hash.
    #[inline]
    fn prefetch_state(&self, by: impl Instructions, table: &Table, hash: u64) {
        let line = table.line(table.home(hash));
        let (same, empty) = by.compare_high(line, hash);
        if let Some(slot) = line.get((same & !empty).trailing_zeros() as usize) {
            prefetch(&self.place(number_in(slot.load(Ordering::Acquire)))[0]);
        }
    }

    /// A writer, which continues with the numbers in `room`.
    pub(crate) fn writer(&self, room: Room) -> Writer<'_, W> {
        Writer { store: self, room, hashes: Vec::new() }
    }

    /// Gives up the table, because no more states are inserted or sought.
    pub(super) fn close(&mut self) {
        let table = self.table.get_mut().expect("no thread panics while it grows");
        if table.lines > FIRST_LINES {
            *table = Table::new(FIRST_LINES);
        }
    }

    /// The bytes it has allocated.
    pub(crate) fn bytes(&self) -> u64 {
        let slots = self.table.read().expect("no thread panics while it grows").slots.len();
        let blocks = self.next_block.load(Ordering::Relaxed) as usize;
        (slots * 8 + blocks * BLOCK * (self.words + 1) * 8) as u64
    }

    /// How many words of a state are stored. Short states use all, so the compiler knows the number.
    #[inline]
    fn words(&self) -> usize {
        if W <= EXACT { W } else { self.words }
    }

    #[inline]
    fn hash(&self, state: &Words<W>) -> u64 {
        hash(&state[..self.words()])
    }

    #[inline]
    fn segment(&self, number: u32) -> &Segment {
        self.segments[segment_of(number)].get().expect("a number names a segment that is there")
    }

    #[inline]
    fn place(&self, number: u32) -> &[AtomicU64] {
        let Segment { words, notes } = self.segment(number);
        // The length of a segment is a power of two, and its first number is a multiple of it.
        let at = number as usize & (notes.len() - 1);
        let stored = self.words();
        &words[at * stored..][..stored]
    }

    #[inline]
    fn note_of(&self, number: u32) -> &AtomicU64 {
        let notes = &self.segment(number).notes;
        &notes[number as usize & (notes.len() - 1)]
    }

    #[inline]
    fn is(&self, number: u32, state: &Words<W>) -> bool {
        let place = self.place(number);
        place.iter().zip(state).all(|(stored, word)| stored.load(Ordering::Relaxed) == *word)
    }

    /// Doubles the table.
    #[cold]
    fn grow(&self) {
        let mut table = self.table.write().expect("no thread panics while it grows");
        *table = table.doubled();
    }
}

impl Table {
    fn new(lines: u32) -> Table {
        let slots = zeroes((LINE << lines) + LINE - 1);
        let start = slots.as_ptr().align_offset(LINE * size_of::<u64>()).min(LINE - 1);
        Table { slots, start, lines, taken: AtomicU64::new(0) }
    }

    #[inline]
    fn line(&self, line: usize) -> &Line {
        self.slots[self.start + line * LINE..].first_chunk().expect("a line of the table")
    }

    /// The line where the search for a state with this hash, or this slot, begins.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        (hash >> (u64::BITS - self.lines)) as usize
    }

    /// The line after a line.
    #[inline]
    fn after(&self, line: usize) -> usize {
        (line + 1) & ((1 << self.lines) - 1)
    }

    /// The same states in a table twice as large. This one is given back to the system meanwhile.
    fn doubled(&self) -> Table {
        let doubled = Table::new(self.lines + 1);
        for line in 0..1 << self.lines {
            for slot in self.line(line) {
                let slot = slot.load(Ordering::Relaxed);
                if slot != EMPTY {
                    doubled.add(slot);
                }
            }
            let done = (line + 1) * LINE;
            if done.is_multiple_of(PIECE) {
                release(&self.slots[self.start..][done - PIECE..done]);
            }
        }
        doubled.taken.store(self.taken.load(Ordering::Relaxed), Ordering::Relaxed);
        doubled
    }

    /// Whether there is room for so many more states. A probe then always finds an empty slot in the end.
    fn has_room(&self, states: usize) -> bool {
        self.taken.load(Ordering::Relaxed) as usize + states <= (LINE << self.lines) / 4 * 3
    }

    /// Adds a slot of a state that is not in the table, while no other thread can.
    fn add(&self, slot: u64) {
        let mut line = self.home(slot);
        loop {
            if let Some(empty) = self.line(line).iter().find(|slot| slot.load(Ordering::Relaxed) == EMPTY) {
                empty.store(slot, Ordering::Relaxed);
                return;
            }
            line = self.after(line);
        }
    }
}

impl<const W: usize> Writer<'_, W> {
    /// The most states that may be inserted at once.
    pub(super) const BATCH: usize = 256;

    /// Appends the number of each state to `numbers`, and calls `added` for new states with their position in the
    /// batch and their number.
    #[inline]
    pub(crate) fn insert(
        &mut self,
        states: &[Words<W>],
        numbers: &mut Vec<u32>,
        added: impl FnMut(usize, u32),
    ) -> Result<(), Full> {
        #[cfg(target_arch = "x86_64")]
        if let Some(special) = Special::detect() {
            return self.insert_by(special, states, numbers, added);
        }
        self.insert_by(Usual, states, numbers, added)
    }

    /// [`Writer::insert`], by these instructions.
    #[inline]
    fn insert_by(
        &mut self,
        by: impl Instructions,
        states: &[Words<W>],
        numbers: &mut Vec<u32>,
        mut added: impl FnMut(usize, u32),
    ) -> Result<(), Full> {
        debug_assert!(states.len() <= Self::BATCH);
        let store = self.store;
        let mut table = store.table.read().expect("no thread panics while it grows");
        while !table.has_room(states.len()) {
            drop(table);
            store.grow();
            table = store.table.read().expect("no thread panics while it grows");
        }
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        for state in states {
            let hash = store.hash(state);
            prefetch(&table.line(table.home(hash))[0]);
            hashes.push(hash);
        }
        for hash in &hashes {
            store.prefetch_state(by, &table, *hash);
        }
        let mut new = 0;
        for (position, (state, hash)) in states.iter().zip(&hashes).enumerate() {
            let (number, is_new) = self.insert_one(by, &table, state, *hash)?;
            numbers.push(number);
            if is_new {
                new += 1;
                added(position, number);
            }
        }
        table.taken.fetch_add(new, Ordering::Relaxed);
        self.hashes = hashes;
        Ok(())
    }

    #[inline]
    fn insert_one(
        &mut self,
        by: impl Instructions,
        table: &Table,
        state: &Words<W>,
        hash: u64,
    ) -> Result<(u32, bool), Full> {
        let mut line = table.home(hash);
        loop {
            let slots = table.line(line);
            // All slots are compared, because nobody can predict where a search would end.
            let (same, empty) = by.compare_high(slots, hash);
            let mut same = same & !empty;
            while let Some(slot) = slots.get(same.trailing_zeros() as usize) {
                let number = number_in(slot.load(Ordering::Relaxed));
                if self.store.is(number, state) {
                    return Ok((number, false));
                }
                same &= same - 1;
            }
            if let Some(slot) = slots.get(empty.trailing_zeros() as usize) {
                self.write(state)?;
                let number = self.room.next as u32;
                // Release: a thread that sees the slot sees the state written before it.
                slot.store(hash >> 32 << 32 | (u64::from(number) + 1), Ordering::Release);
                self.room.next += 1;
                self.room.left -= 1;
                return Ok((number, true));
            }
            line = table.after(line);
        }
    }

    /// Writes a state at the next number.
    #[inline]
    fn write(&mut self, state: &Words<W>) -> Result<(), Full> {
        if self.room.left == 0 {
            let block = self.store.next_block.fetch_add(1, Ordering::Relaxed) as usize;
            if block >= CAPACITY / BLOCK {
                return Err(Full);
            }
            let segment = segment_of((block * BLOCK) as u32);
            self.store.segments[segment].get_or_init(|| {
                let states = if segment == 0 { BLOCK } else { BLOCK << (segment - 1) };
                Segment { words: zeroes(states * self.store.words()), notes: zeroes(states) }
            });
            self.room = Room { next: block * BLOCK, left: BLOCK };
        }
        let place = self.store.place(self.room.next as u32);
        for (place, word) in place.iter().zip(state) {
            place.store(*word, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// The number in a slot that is not empty.
#[inline]
fn number_in(slot: u64) -> u32 {
    slot as u32 - 1
}

/// The segment of a number.
#[inline]
fn segment_of(number: u32) -> usize {
    (u32::BITS - (number / BLOCK as u32).leading_zeros()) as usize
}

/// Mixes each word by a wide multiplication. The high bits are the tag.
#[inline]
pub(super) fn hash(state: &[u64]) -> u64 {
    let fold = |a: u64, b: u64| {
        let wide = u128::from(a) * u128::from(b);
        wide as u64 ^ (wide >> 64) as u64
    };
    let mixed = state.iter().fold(0x9e37_79b9_7f4a_7c15, |h, word| fold(word ^ h, 0xe703_7ed1_a0b4_28db));
    fold(mixed, 0x8ebc_6af0_9c88_c6e3)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// A few thousand states with many repetitions, in a fixed order.
    fn states() -> Vec<Words<2>> {
        let mut x = 7u64;
        (0..60_000)
            .map(|_| {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                [x >> 50, (x >> 40) % 3]
            })
            .collect()
    }

    #[test]
    fn one_thread_numbers_states_in_the_order_of_discovery() {
        let store = Store::<2>::new(2);
        let mut writer = store.writer(Room::default());
        let mut known: HashMap<Words<2>, u32> = HashMap::new();
        for batch in states().chunks(48) {
            let mut numbers = Vec::new();
            let mut new = 0;
            writer.insert(batch, &mut numbers, |_, _| new += 1).expect("room");
            let before = known.len();
            for (state, number) in batch.iter().zip(numbers) {
                let next = known.len() as u32;
                assert_eq!(number, *known.entry(*state).or_insert(next));
                assert_eq!(store.get(number), *state);
                assert_eq!(store.find(state), Some(number));
            }
            assert_eq!(known.len() - before, new);
        }
        assert!(known.len() > 10_000 && known.len() < 50_000);
        assert_eq!(store.find(&[0, 3]), None);
    }

    #[test]
    fn others_find_what_is_inserted_meanwhile() {
        let store = Store::<2>::new(2);
        let states = states();
        let (mut numbers, done) = (Vec::new(), AtomicBool::new(false));
        let seen: Vec<Vec<(usize, u32)>> = std::thread::scope(|scope| {
            let seek = || {
                let mut seen = Vec::new();
                while !done.load(Ordering::Acquire) {
                    for (round, batch) in states.chunks(100).enumerate() {
                        let mut numbers = Vec::new();
                        store.find_all(batch, &mut numbers);
                        let found = (round * 100..).zip(numbers);
                        seen.extend(found.filter(|(_, number)| *number != UNKNOWN).take(50));
                    }
                }
                seen
            };
            let others: Vec<_> = (0..2).map(|_| scope.spawn(seek)).collect();
            let mut writer = store.writer(Room::default());
            for batch in states.chunks(48) {
                writer.insert(batch, &mut numbers, |_, _| {}).expect("room");
            }
            done.store(true, Ordering::Release);
            others.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(seen.iter().flatten().all(|(position, number)| numbers[*position] == *number));
        let mut found = Vec::new();
        store.find_all(&states, &mut found);
        assert_eq!(found, numbers);
        store.find_all(&[[0, 3]], &mut found);
        assert_eq!(found.last(), Some(&UNKNOWN));
    }
}
