//! The visited states, shared by all threads: an arena of packed states and an open-addressing table of their
//! numbers.
//!
//! A slot holds a 32-bit tag of the hash and the 32-bit number of the state, so that a probe that meets
//! another state rarely touches the arena. Linear probing, a power of two of slots, at most 7/8 full. Numbers
//! are handed out in blocks, one at a time to each thread; one thread alone numbers states in the order of
//! discovery. States are inserted in batches: hash all, ask for their slots, then probe, so that the cache
//! misses of a batch overlap instead of queueing up.
//!
//! A thread inserts by writing the state into its own block and then publishing the slot with one
//! compare-and-swap, as in [LPW10]; who reads a slot therefore sees the state it names. Threads hold the table
//! for reading during a batch, and whoever finds it too full takes it for writing and doubles it. What is
//! shared is atomic, which on ordinary machines costs nothing for plain loads and stores.
//!
//! Each state also has a note of one word, for whoever explores. A state of `W` words costs `8 W + 8` bytes and
//! between 9 and 18 bytes of the table.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{OnceLock, RwLock};

use crate::machine::prefetch;

/// The number of states in a block of the arena.
const BLOCK: usize = 1 << 12;
/// The number of blocks in a segment.
const SEGMENT: usize = 1 << 10;
/// A slot without a state. No state has this number: [`CAPACITY`] is smaller.
const EMPTY: u64 = u64::MAX;
/// The greatest number of states.
const CAPACITY: usize = u32::MAX as usize - BLOCK;
/// The note of a state about which nothing was noted.
pub(super) const UNNOTED: u64 = u64::MAX;
/// The number of slots at first.
const FIRST_SLOTS: usize = 1 << 10;

/// A packed state.
pub(super) type Words<const W: usize> = [u64; W];

/// Packed states of `W` words, and their numbers.
pub(super) struct Store<const W: usize> {
    segments: Box<[OnceLock<Segment<W>>]>,
    next_block: AtomicU32,
    table: RwLock<Table>,
}

/// Blocks are made when they are needed, and so is the list of them.
type Segment<const W: usize> = Box<[OnceLock<Block<W>>]>;

struct Block<const W: usize> {
    states: Box<[[AtomicU64; W]]>,
    notes: Box<[AtomicU64]>,
}

struct Table {
    slots: Box<[AtomicU64]>,
    mask: usize,
    /// How many slots are taken or set aside for batches under way.
    taken: AtomicU64,
}

/// Numbers that belong to one thread: the next to hand out, and how many are left in its block.
#[derive(Debug, Default)]
pub(super) struct Room {
    next: usize,
    left: usize,
}

/// One thread's hand to insert with.
pub(super) struct Writer<'a, const W: usize> {
    store: &'a Store<W>,
    /// Where the next new state goes.
    pub(super) room: Room,
    hashes: Vec<u64>,
}

/// There is no room for more states.
#[derive(Debug)]
pub(super) struct Full;

impl<const W: usize> Store<W> {
    /// An empty store.
    pub(super) fn new() -> Store<W> {
        let segments = (0..CAPACITY.div_ceil(BLOCK * SEGMENT)).map(|_| OnceLock::new()).collect();
        Store { segments, next_block: AtomicU32::new(0), table: RwLock::new(Table::new(FIRST_SLOTS)) }
    }

    /// The state with this number.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Words<W> {
        let state = self.place(number);
        std::array::from_fn(|word| state[word].load(Ordering::Relaxed))
    }

    /// What was noted about a state; [`UNNOTED`] at first.
    #[inline]
    pub(super) fn note(&self, number: u32) -> u64 {
        self.note_of(number).load(Ordering::Relaxed)
    }

    /// Notes something about a state.
    #[inline]
    pub(super) fn set_note(&self, number: u32, note: u64) {
        self.note_of(number).store(note, Ordering::Relaxed);
    }

    /// An upper bound on the numbers handed out.
    pub(super) fn bound(&self) -> usize {
        self.next_block.load(Ordering::Relaxed) as usize * BLOCK
    }

    /// The number of a state, if it is there.
    pub(super) fn find(&self, state: &Words<W>) -> Option<u32> {
        let table = self.table.read().expect("no thread panics while it grows");
        let hash = hash(state);
        let mut at = hash as usize & table.mask;
        loop {
            let found = table.slots[at].load(Ordering::Acquire);
            if found == EMPTY {
                return None;
            }
            if found >> 32 == hash >> 32 && self.is(found as u32, state) {
                return Some(found as u32);
            }
            at = (at + 1) & table.mask;
        }
    }

    /// A thread's hand to insert with, going on where `room` was left.
    pub(super) fn writer(&self, room: Room) -> Writer<'_, W> {
        Writer { store: self, room, hashes: Vec::new() }
    }

    /// The bytes it has allocated.
    pub(super) fn bytes(&self) -> u64 {
        let slots = self.table.read().expect("no thread panics while it grows").slots.len();
        let blocks = self.next_block.load(Ordering::Relaxed) as usize;
        (slots * 8 + blocks * BLOCK * (W + 1) * 8) as u64
    }

    #[inline]
    fn block(&self, number: u32) -> &Block<W> {
        let block = number as usize / BLOCK;
        let segment = self.segments[block / SEGMENT].get();
        segment
            .and_then(|segment| segment[block % SEGMENT].get())
            .expect("a number names a block that is there")
    }

    #[inline]
    fn place(&self, number: u32) -> &[AtomicU64; W] {
        &self.block(number).states[number as usize % BLOCK]
    }

    #[inline]
    fn note_of(&self, number: u32) -> &AtomicU64 {
        &self.block(number).notes[number as usize % BLOCK]
    }

    #[inline]
    fn is(&self, number: u32, state: &Words<W>) -> bool {
        let place = self.place(number);
        (0..W).all(|word| place[word].load(Ordering::Relaxed) == state[word])
    }

    /// Doubles the table, unless another thread has done so since it had `slots` slots.
    #[cold]
    fn grow(&self, slots: usize) {
        let mut table = self.table.write().expect("no thread panics while it grows");
        if table.slots.len() > slots {
            return;
        }
        let bigger = Table::new(slots * 2);
        let mut numbers = table.slots.iter().map(|slot| slot.load(Ordering::Relaxed)).filter(|s| *s != EMPTY);
        // The states are anywhere in the arena: ask for some before moving any.
        let mut batch: Vec<u32> = Vec::with_capacity(64);
        loop {
            batch.clear();
            batch.extend(numbers.by_ref().take(64).map(|slot| slot as u32));
            if batch.is_empty() {
                break;
            }
            batch.iter().for_each(|number| prefetch(self.place(*number)));
            let hashes: Vec<u64> = batch.iter().map(|number| hash(&self.get(*number))).collect();
            hashes.iter().for_each(|hash| prefetch(&bigger.slots[*hash as usize & bigger.mask]));
            for (number, hash) in batch.iter().zip(hashes) {
                bigger.add(hash, *number);
            }
        }
        bigger.taken.store(table.taken.load(Ordering::Relaxed), Ordering::Relaxed);
        *table = bigger;
    }
}

impl Table {
    fn new(slots: usize) -> Table {
        let empty = (0..slots).map(|_| AtomicU64::new(EMPTY)).collect();
        Table { slots: empty, mask: slots - 1, taken: AtomicU64::new(0) }
    }

    /// Sets slots aside for a batch, unless the table is too full for it. So the batches under way in all
    /// threads are counted, and a probe always meets an empty slot in the end.
    fn reserve(&self, states: usize) -> bool {
        let before = self.taken.fetch_add(states as u64, Ordering::Relaxed) as usize;
        let fits = before + states <= self.slots.len() / 8 * 7;
        if !fits {
            self.give_back(states);
        }
        fits
    }

    /// Gives back slots that were set aside and not needed.
    fn give_back(&self, slots: usize) {
        self.taken.fetch_sub(slots as u64, Ordering::Relaxed);
    }

    /// Adds a state that is not in the table; nobody else has it.
    fn add(&self, hash: u64, number: u32) {
        let mut at = hash as usize & self.mask;
        while self.slots[at].load(Ordering::Relaxed) != EMPTY {
            at = (at + 1) & self.mask;
        }
        self.slots[at].store(slot(hash, number), Ordering::Relaxed);
    }
}

impl<const W: usize> Writer<'_, W> {
    /// The most states that may be inserted at once.
    pub(super) const BATCH: usize = 256;

    /// Appends the number of each state to `numbers`, and tells `added` which states are new, by their
    /// position in the batch and their number.
    #[inline]
    pub(super) fn insert(
        &mut self,
        states: &[Words<W>],
        numbers: &mut Vec<u32>,
        mut added: impl FnMut(usize, u32),
    ) -> Result<(), Full> {
        debug_assert!(states.len() <= Self::BATCH);
        let store = self.store;
        let mut table = store.table.read().expect("no thread panics while it grows");
        while !table.reserve(states.len()) {
            let slots = table.slots.len();
            drop(table);
            store.grow(slots);
            table = store.table.read().expect("no thread panics while it grows");
        }
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        for state in states {
            let hash = hash(state);
            prefetch(&table.slots[hash as usize & table.mask]);
            hashes.push(hash);
        }
        for hash in &hashes {
            let slot = table.slots[*hash as usize & table.mask].load(Ordering::Acquire);
            if slot >> 32 == hash >> 32 && slot != EMPTY {
                prefetch(store.place(slot as u32));
            }
        }
        let mut new = 0;
        for (position, (state, hash)) in states.iter().zip(&hashes).enumerate() {
            let (number, is_new) = self.insert_one(&table, state, *hash)?;
            numbers.push(number);
            if is_new {
                new += 1;
                added(position, number);
            }
        }
        table.give_back(states.len() - new);
        self.hashes = hashes;
        Ok(())
    }

    #[inline]
    fn insert_one(&mut self, table: &Table, state: &Words<W>, hash: u64) -> Result<(u32, bool), Full> {
        let mut at = hash as usize & table.mask;
        let mut written = false;
        loop {
            let mut found = table.slots[at].load(Ordering::Acquire);
            if found == EMPTY {
                if !written {
                    self.write(state)?;
                    written = true;
                }
                let number = self.room.next as u32;
                let mine = slot(hash, number);
                // Release: who sees the slot sees the state written before it.
                match table.slots[at].compare_exchange(EMPTY, mine, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => {
                        self.room.next += 1;
                        self.room.left -= 1;
                        return Ok((number, true));
                    }
                    Err(other) => found = other,
                }
            }
            if found >> 32 == hash >> 32 && self.store.is(found as u32, state) {
                // What was written is written over by the next state.
                return Ok((found as u32, false));
            }
            at = (at + 1) & table.mask;
        }
    }

    /// Writes a state where the next number points.
    #[inline]
    fn write(&mut self, state: &Words<W>) -> Result<(), Full> {
        if self.room.left == 0 {
            let block = self.store.next_block.fetch_add(1, Ordering::Relaxed) as usize;
            let fresh = || Block {
                states: (0..BLOCK).map(|_| std::array::from_fn(|_| AtomicU64::new(0))).collect(),
                notes: (0..BLOCK).map(|_| AtomicU64::new(UNNOTED)).collect(),
            };
            if block >= CAPACITY / BLOCK {
                return Err(Full);
            }
            let empty = || (0..SEGMENT).map(|_| OnceLock::new()).collect();
            self.store.segments[block / SEGMENT].get_or_init(empty)[block % SEGMENT].get_or_init(fresh);
            self.room = Room { next: block * BLOCK, left: BLOCK };
        }
        let place = self.store.place(self.room.next as u32);
        for (place, word) in place.iter().zip(state) {
            place.store(*word, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[inline]
fn slot(hash: u64, number: u32) -> u64 {
    hash >> 32 << 32 | u64::from(number)
}

/// Folds each word in by a wide multiplication; the low bits choose the slot, the high ones are the tag.
#[inline]
fn hash<const W: usize>(state: &Words<W>) -> u64 {
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
        let store = Store::<2>::new();
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
    fn threads_agree_on_the_number_of_a_state() {
        let store = Store::<2>::new();
        let states = states();
        let per_thread: Vec<(Vec<u32>, usize)> = std::thread::scope(|scope| {
            let work = || {
                let mut writer = store.writer(Room::default());
                let (mut numbers, mut new) = (Vec::new(), 0);
                for batch in states.chunks(48) {
                    writer.insert(batch, &mut numbers, |_, _| new += 1).expect("room");
                }
                (numbers, new)
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        for (numbers, _) in &per_thread {
            assert_eq!(*numbers, per_thread[0].0);
            for (state, number) in states.iter().zip(numbers) {
                assert_eq!(store.get(*number), *state);
            }
        }
        let distinct: std::collections::BTreeSet<_> = states.iter().collect();
        assert_eq!(per_thread.iter().map(|(_, new)| new).sum::<usize>(), distinct.len());
    }
}
