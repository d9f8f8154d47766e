//! Expands a level by several threads, with the same result as one.
//!
//! A level is divided into blocks. Threads find the successors of blocks and seek them in the store. Most of the work is
//! done then. The blocks are *taken in* one after the other, in their order: states that were not found get their numbers,
//! and the steps are stored. Whoever has nothing better to do takes in what is ready. So states are numbered as one thread
//! would number them, and the first fault in this order ends the search, whatever the threads met before.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::super::store::UNKNOWN;
use super::{BLOCK, Batch, Full, Halt, Parents, Shared, Words, Work, Writer};

/// How many blocks of each thread may wait until they are taken in.
const AHEAD: usize = 4;

/// A level that is being expanded.
struct Level<'l, 's, 'a, const W: usize> {
    shared: Shared<'s, 'a, W>,
    states: &'l [u32],
    /// The first block that no thread has begun, and the first one that is not taken in.
    next: AtomicUsize,
    first: AtomicUsize,
    /// Whether there is a reason to stop.
    over: AtomicBool,
    /// The blocks that are ready, by their numbers modulo the length.
    ready: Vec<Mutex<Option<Block<W>>>>,
    /// Blocks that are not in use.
    spare: Mutex<Vec<Batch<W>>>,
    intake: Mutex<Intake<'l, 's, W>>,
}

/// An expanded block, and why the expansion ended early.
struct Block<const W: usize> {
    batch: Batch<W>,
    halt: Option<Halt>,
}

/// What takes blocks in.
struct Intake<'l, 's, const W: usize> {
    work: &'l mut Work,
    writer: Writer<'s, W>,
    result: Result<(), Halt>,
    /// Successors without a number: their positions, the states, and the numbers they get.
    positions: Vec<usize>,
    unknown: Vec<Words<W>>,
    numbers: Vec<u32>,
}

impl<const W: usize> Shared<'_, '_, W> {
    /// Expands the states of a level.
    pub(super) fn together(&self, work: &mut Work, states: &[u32], threads: usize) -> Result<(), Halt> {
        let writer = self.space.explored.store.writer(std::mem::take(&mut work.room));
        let level = Level {
            shared: *self,
            states,
            next: AtomicUsize::new(0),
            first: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            ready: (0..threads * AHEAD).map(|_| Mutex::default()).collect(),
            spare: Mutex::default(),
            intake: Mutex::new(Intake {
                work,
                writer,
                result: Ok(()),
                positions: Vec::new(),
                unknown: Vec::new(),
                numbers: Vec::new(),
            }),
        };
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(|| level.run()))));
        let Intake { work, writer, result, .. } = level.intake.into_inner().expect(QUIET);
        work.room = writer.room;
        result
    }
}

/// Why locks are never poisoned.
const QUIET: &str = "a search does not panic";

impl<const W: usize> Level<'_, '_, '_, W> {
    fn run(&self) {
        let blocks = self.states.len().div_ceil(BLOCK);
        loop {
            if let Ok(mut intake) = self.intake.try_lock() {
                self.take_in(&mut intake, blocks);
            }
            let first = self.first.load(Ordering::Acquire);
            if first == blocks || self.over.load(Ordering::Relaxed) {
                return;
            }
            let next = self.next.load(Ordering::Relaxed);
            let may_begin = next < blocks && next < first + self.ready.len();
            let begins =
                |next| self.next.compare_exchange(next, next + 1, Ordering::Relaxed, Ordering::Relaxed);
            if may_begin && begins(next).is_ok() {
                let block =
                    self.expand(&self.states[next * BLOCK..self.states.len().min((next + 1) * BLOCK)]);
                *self.ready[next % self.ready.len()].lock().expect(QUIET) = Some(block);
            } else if !may_begin {
                std::thread::yield_now();
            }
        }
    }

    /// Finds the successors of some states, and the numbers of those that have one.
    fn expand(&self, states: &[u32]) -> Block<W> {
        let spare = self.spare.lock().expect(QUIET).pop();
        let mut batch = spare.unwrap_or_else(Batch::new);
        let mut halt = None;
        for &number in states {
            let before = batch.targets.len();
            match self.shared.expand_state(number, &mut batch) {
                Ok(state) => batch.close(number, &state, before),
                Err(reason) => {
                    halt = Some(reason);
                    break;
                }
            }
        }
        self.shared.space.explored.store.find_all(&batch.targets, &mut batch.numbers);
        Block { batch, halt }
    }

    /// Takes in the blocks that are ready and whose turn it is.
    fn take_in(&self, intake: &mut Intake<'_, '_, W>, blocks: usize) {
        let mut first = self.first.load(Ordering::Relaxed);
        while first < blocks && intake.result.is_ok() {
            let ready = self.ready[first % self.ready.len()].lock().expect(QUIET).take();
            let Some(Block { mut batch, halt }) = ready else { return };
            intake.result = intake.take_in(&self.shared, &mut batch).and(halt.map_or(Ok(()), Err));
            self.over.store(intake.result.is_err(), Ordering::Relaxed);
            self.spare.lock().expect(QUIET).push(batch);
            first += 1;
            self.first.store(first, Ordering::Release);
        }
    }
}

impl<const W: usize> Intake<'_, '_, W> {
    fn take_in(&mut self, shared: &Shared<'_, '_, W>, batch: &mut Batch<W>) -> Result<(), Halt> {
        let Intake { work, writer, positions, unknown, numbers, .. } = self;
        let without = batch.numbers.iter().enumerate().filter(|(_, number)| **number == UNKNOWN);
        positions.extend(without.map(|(position, _)| position));
        unknown.extend(positions.iter().map(|position| batch.targets[*position]));
        let mut parents = Parents::of(shared, &batch.sources);
        for states in unknown.chunks(Writer::<W>::BATCH) {
            let offset = numbers.len();
            let added = |position: usize, number: u32| {
                work.new.push(number);
                work.states += 1;
                parents.note(positions[offset + position], number);
            };
            writer.insert(states, numbers, added).map_err(|Full| Halt::Full)?;
        }
        for (position, number) in positions.drain(..).zip(numbers.drain(..)) {
            batch.numbers[position] = number;
        }
        unknown.clear();
        shared.keep(work, batch)
    }
}
