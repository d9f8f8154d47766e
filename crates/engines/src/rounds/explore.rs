//! The reachable states, each with the worker that its hash names.
//!
//! A worker numbers its own states in the order in which it meets them. A state of another worker that one of its steps
//! leads to is a *ghost*: it is numbered too, so that its owner is asked about it only once. The owner answers with the
//! number that the state has there. So a step is stored as one number, of an own state or of a ghost, and the words of
//! ghosts are forgotten when all are found. Every round is a level of a breadth-first search, more or less: a worker may
//! receive states of the next level while it expands the present one.
//!
//! Whoever only asks about states needs no steps. Then there are no ghosts either, and a small table of states that were
//! posted not long ago keeps most of them from being posted again.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::{Carrier, Gauge, Halt, Outbox, Phase, Source, Words};
use crate::explicit::store::{Room, Store};
use crate::watch::bytes_of;

/// The target of a step is a ghost.
pub(super) const GHOST: u32 = 1 << 31;
/// How many states are inserted at a time.
const BATCH: usize = 128;
/// How many states are expanded between two checks of the limits.
const INTERVAL: u32 = 1 << 12;
/// The number of states that are known to be posted not long ago.
const RECENT: usize = 1 << 14;
/// Messages with states, and answers with their numbers.
const STATES: usize = 0;
const NUMBERS: usize = 1;

/// What a worker may use, and how others see how far it is.
#[derive(Clone, Debug)]
pub struct Desk {
    /// The number of bytes it may allocate.
    pub memory: u64,
    /// How far it is.
    pub gauge: Arc<Gauge>,
}

/// A worker's part of the reachable states.
#[derive(Debug, Default)]
pub struct Part {
    /// The number of its states.
    pub states: u32,
    /// The number of steps that leave them.
    pub steps: u64,
    /// The initial ones.
    pub(super) initial: Vec<u32>,
    /// The steps in memory: all of them, or those of a block of states.
    pub(super) window: Window,
    /// Where the others are.
    blocks: Option<Box<dyn Blocks>>,
    /// The owner of each ghost in the high half, and its number there.
    pub(super) ghosts: Vec<u64>,
}

/// The steps that leave some states in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The first of these states.
    pub first: u32,
    /// Per state, its valuation.
    pub valuations: Vec<u32>,
    /// Per state, where its steps end.
    pub ends: Vec<u64>,
    /// Where the steps lead: to an own state, or to a ghost.
    pub targets: Vec<u32>,
    /// The labels of the steps.
    pub labels: Vec<u16>,
}

/// Steps that are somewhere else, in blocks.
pub trait Blocks: std::fmt::Debug {
    /// Reads the block with the steps that leave a state.
    fn read(&mut self, state: u32, window: &mut Window) -> Result<(), Halt>;
}

impl Window {
    /// The positions of the steps that leave a state.
    #[inline]
    fn leaving(&self, state: u32) -> std::ops::Range<usize> {
        let place = (state - self.first) as usize;
        let first = if place == 0 { 0 } else { self.ends[place - 1] };
        first as usize..self.ends[place] as usize
    }

    fn bytes(&self) -> u64 {
        bytes_of(&self.ends) + bytes_of(&self.targets) + bytes_of(&self.labels) + bytes_of(&self.valuations)
    }
}

impl Part {
    /// The whole of a system whose steps are somewhere else.
    pub fn streamed(states: u32, steps: u64, initial: Vec<u32>, blocks: Box<dyn Blocks>) -> Part {
        Part { states, steps, initial, blocks: Some(blocks), ..Part::default() }
    }

    /// Whether steps are read in blocks.
    pub(super) fn is_streamed(&self) -> bool {
        self.blocks.is_some()
    }

    /// Sees to it that the steps that leave a state are in memory.
    #[inline]
    pub(super) fn hold(&mut self, state: u32) -> Result<(), Halt> {
        let Part { window, blocks, .. } = self;
        match blocks {
            Some(blocks) if state.wrapping_sub(window.first) as usize >= window.valuations.len() => {
                blocks.read(state, window)
            }
            _ => Ok(()),
        }
    }

    /// The positions of the steps that leave a state, which must be in memory.
    #[inline]
    pub(super) fn leaving(&self, state: u32) -> std::ops::Range<usize> {
        self.window.leaving(state)
    }

    /// The valuation of a state whose steps are in memory.
    #[inline]
    pub(super) fn valuation(&self, state: u32) -> u32 {
        self.window.valuations[(state - self.window.first) as usize]
    }

    /// Calls a function with the valuation and the label of each step.
    pub(crate) fn for_each_step(&mut self, mut each: impl FnMut(u32, u16)) -> Result<(), Halt> {
        for state in 0..self.states {
            self.hold(state)?;
            let valuation = self.valuation(state);
            self.window.labels[self.window.leaving(state)].iter().for_each(|label| each(valuation, *label));
        }
        Ok(())
    }

    /// The bytes it has allocated.
    pub(super) fn bytes(&self) -> u64 {
        self.window.bytes() + bytes_of(&self.ghosts)
    }

    /// The same part, with its steps in blocks of so many states.
    #[cfg(test)]
    pub(crate) fn in_blocks(self, size: u32) -> Part {
        #[derive(Debug)]
        struct Cut(Window, u32);
        impl Blocks for Cut {
            fn read(&mut self, state: u32, window: &mut Window) -> Result<(), Halt> {
                let Cut(whole, size) = self;
                let first = state / *size * *size;
                let states = first as usize..whole.ends.len().min((first + *size) as usize);
                let from = whole.leaving(first).start;
                let steps = from..whole.ends[states.end - 1] as usize;
                *window = Window {
                    first,
                    valuations: whole.valuations[states.clone()].to_vec(),
                    ends: whole.ends[states].iter().map(|end| end - from as u64).collect(),
                    targets: whole.targets[steps.clone()].to_vec(),
                    labels: whole.labels[steps].to_vec(),
                };
                Ok(())
            }
        }
        Part::streamed(self.states, self.steps, self.initial, Box::new(Cut(self.window, size)))
    }
}

/// Finds the reachable states. Steps are kept if `keeps_steps`. Every worker returns its part and the source.
pub fn explore<const W: usize, S: Source<W>, C: Carrier>(
    carrier: &mut C,
    source: S,
    keeps_steps: bool,
    desk: &Desk,
) -> Result<(Part, S), Halt> {
    desk.gauge.begin(0);
    let mut explore = Explore {
        me: carrier.me(),
        workers: carrier.workers(),
        keeps_steps,
        desk: desk.clone(),
        own: Numbered::new(),
        ghosts: Numbered::new(),
        owners: Vec::new(),
        part: Part::default(),
        expanded: 0,
        level: None,
        recent: if keeps_steps { Vec::new() } else { vec![[0; W]; RECENT] },
        labels: Vec::new(),
        targets: Vec::new(),
        numbers: Vec::new(),
        source,
    };
    explore.start()?;
    let Explore { mut part, source, own, owners, .. } = carrier.run(explore)?;
    part.states = own.count;
    part.ghosts = owners;
    Ok((part, source))
}

/// States and their numbers.
struct Numbered<const W: usize> {
    store: Store<W>,
    room: Room,
    count: u32,
    batch: Vec<Words<W>>,
    /// Per state of the batch, the position of the step that leads to it.
    places: Vec<usize>,
}

impl<const W: usize> Numbered<W> {
    fn new() -> Numbered<W> {
        let (store, room) = (Store::new(W), Room::default());
        Numbered { store, room, count: 0, batch: Vec::new(), places: Vec::new() }
    }

    /// Appends the numbers of states, and calls a function for new ones.
    fn insert(
        &mut self,
        states: &[Words<W>],
        numbers: &mut Vec<u32>,
        mut added: impl FnMut(usize, u32),
    ) -> Result<(), Halt> {
        let mut writer = self.store.writer(std::mem::take(&mut self.room));
        let count = &mut self.count;
        let inserted = writer.insert(states, numbers, |position, number| {
            *count += 1;
            added(position, number);
        });
        self.room = writer.room;
        if inserted.is_err() || self.count >= GHOST { Err(Halt::TooLarge) } else { Ok(()) }
    }
}

struct Explore<const W: usize, S> {
    me: usize,
    workers: usize,
    keeps_steps: bool,
    desk: Desk,
    source: S,
    own: Numbered<W>,
    ghosts: Numbered<W>,
    /// Per ghost, its owner and its number there, once it is known.
    owners: Vec<u64>,
    part: Part,
    expanded: u32,
    /// Where the states of this round end, once it has begun.
    level: Option<u32>,
    /// States of others that were posted, each at the place that its hash names.
    recent: Vec<Words<W>>,
    labels: Vec<u16>,
    targets: Vec<Words<W>>,
    numbers: Vec<u32>,
}

/// The hash that says which worker has a state. It must differ from the hash of the store: otherwise the states of one
/// worker would crowd in one part of its table.
#[inline]
fn hash<const W: usize>(state: &Words<W>) -> u64 {
    let fold = |a: u64, b: u64| {
        let wide = u128::from(a) * u128::from(b);
        wide as u64 ^ (wide >> 64) as u64
    };
    let mixed = state.iter().fold(0x243f_6a88_85a3_08d3, |h, word| fold(word ^ h, 0xd6e8_feb8_6659_fd93));
    fold(mixed, 0xa076_1d64_78bd_642f)
}

/// The worker that has the states with this hash.
#[inline]
fn owner(hash: u64, workers: usize) -> usize {
    ((u128::from(hash) * workers as u128) >> 64) as usize
}

impl<const W: usize, S: Source<W>> Explore<W, S> {
    /// Adds the initial states that are one's own. Every worker goes through all of them.
    fn start(&mut self) -> Result<(), Halt> {
        let Explore { me, workers, own, part, numbers, desk, .. } = self;
        let mut seen = 0u32;
        self.source.initial(&mut |state| {
            seen = seen.wrapping_add(1);
            if seen.is_multiple_of(INTERVAL) {
                desk.gauge.check(own.store.bytes(), desk.memory)?;
            }
            if owner(hash(&state), *workers) != *me {
                return Ok(());
            }
            numbers.clear();
            own.insert(&[state], numbers, |_, number| part.initial.push(number))
        })
    }

    /// Expands a state.
    fn expand(&mut self, state: &Words<W>, out: &mut Outbox) -> Result<(), Halt> {
        self.labels.clear();
        self.targets.clear();
        let valuation = self.source.expand(state, &mut self.labels, &mut self.targets)?;
        self.part.steps += self.targets.len() as u64;
        if self.keeps_steps {
            self.part.window.valuations.push(valuation);
            self.part.window.labels.extend_from_slice(&self.labels);
        }
        for position in 0..self.targets.len() {
            let target = self.targets[position];
            let hash = if self.workers == 1 { 0 } else { hash(&target) };
            let owner = owner(hash, self.workers);
            if owner == self.me {
                self.own.batch.push(target);
                self.own.places.push(self.part.window.targets.len());
            } else if self.keeps_steps {
                self.ghosts.batch.push(target);
                self.ghosts.places.push(self.part.window.targets.len());
            } else {
                let recent = &mut self.recent[hash as usize % RECENT];
                // Where nothing was posted there are zeroes, so the state that consists of them is always posted.
                if *recent != target || target == [0; W] {
                    *recent = target;
                    out.post(owner, STATES, &target);
                }
            }
            if self.keeps_steps {
                self.part.window.targets.push(u32::MAX);
            }
        }
        if self.keeps_steps {
            self.part.window.ends.push(self.part.window.targets.len() as u64);
        }
        Ok(())
    }

    /// Inserts what was gathered.
    fn insert(&mut self, out: &mut Outbox) -> Result<(), Halt> {
        let batch = std::mem::take(&mut self.own.batch);
        let places = std::mem::take(&mut self.own.places);
        for (states, places) in batch.chunks(BATCH).zip(places.chunks(BATCH)) {
            self.numbers.clear();
            self.own.insert(states, &mut self.numbers, |_, _| {})?;
            if self.keeps_steps {
                for (place, number) in places.iter().zip(&self.numbers) {
                    self.part.window.targets[*place] = *number;
                }
            }
        }
        (self.own.batch, self.own.places) = (batch, places);
        self.own.batch.clear();
        self.own.places.clear();
        let batch = std::mem::take(&mut self.ghosts.batch);
        let places = std::mem::take(&mut self.ghosts.places);
        for (states, places) in batch.chunks(BATCH).zip(places.chunks(BATCH)) {
            self.numbers.clear();
            let (workers, owners) = (self.workers, &mut self.owners);
            self.ghosts.insert(states, &mut self.numbers, |position, number| {
                let state = &states[position];
                owners.push(u64::MAX);
                let mut message = [0; 65];
                message[..W].copy_from_slice(state);
                message[W] = u64::from(number);
                out.post(owner(hash(state), workers), STATES, &message[..=W]);
            })?;
            for (place, number) in places.iter().zip(&self.numbers) {
                self.part.window.targets[*place] = GHOST | number;
            }
        }
        (self.ghosts.batch, self.ghosts.places) = (batch, places);
        self.ghosts.batch.clear();
        self.ghosts.places.clear();
        Ok(())
    }

    fn look_around(&self) -> Result<(), Halt> {
        let Desk { memory, gauge } = &self.desk;
        gauge.states.store(u64::from(self.own.count), Relaxed);
        gauge.steps.store(self.part.steps, Relaxed);
        let bytes =
            self.own.store.bytes() + self.ghosts.store.bytes() + self.part.bytes() + bytes_of(&self.owners);
        gauge.check(bytes, *memory)
    }
}

impl<const W: usize, S: Source<W>> Phase for Explore<W, S> {
    fn receive(&mut self, from: usize, kind: usize, messages: &[u64], out: &mut Outbox) -> Result<(), Halt> {
        if kind == NUMBERS {
            for message in messages {
                self.owners[(message >> 32) as usize] = (from as u64) << 32 | message & u64::from(u32::MAX);
            }
            return Ok(());
        }
        let width = if self.keeps_steps { W + 1 } else { W };
        let mut batch = std::mem::take(&mut self.own.batch);
        for messages in messages.chunks(width * BATCH) {
            batch.clear();
            batch.extend(messages.chunks_exact(width).map(|message| {
                let mut state = [0; W];
                state.copy_from_slice(&message[..W]);
                state
            }));
            self.numbers.clear();
            self.own.insert(&batch, &mut self.numbers, |_, _| {})?;
            if self.keeps_steps {
                for (message, number) in messages.chunks_exact(width).zip(&self.numbers) {
                    out.post(from, NUMBERS, &[message[W] << 32 | u64::from(*number)]);
                }
            }
        }
        batch.clear();
        self.own.batch = batch;
        Ok(())
    }

    fn work(&mut self, quantum: usize, out: &mut Outbox) -> Result<bool, Halt> {
        let end = *self.level.get_or_insert(self.own.count);
        let until = end.min(self.expanded.saturating_add(quantum as u32));
        while self.expanded < until {
            let state = self.own.store.get(self.expanded);
            self.expand(&state, out)?;
            self.expanded += 1;
            if self.own.batch.len() >= BATCH || self.ghosts.batch.len() >= BATCH {
                self.insert(out)?;
            }
            if self.expanded.is_multiple_of(INTERVAL) {
                self.look_around()?;
            }
        }
        self.insert(out)?;
        if self.expanded < end {
            return Ok(true);
        }
        self.level = None;
        self.desk.gauge.round.fetch_add(1, Relaxed);
        if let Ok(mut levels) = self.desk.gauge.levels.lock() {
            levels.push(u64::from(self.own.count));
        }
        self.look_around()?;
        Ok(false)
    }

    fn goes_on(&self) -> bool {
        self.expanded < self.own.count
    }
}
