//! The reachable states as a set, for invariants of large systems.
//!
//! To know that a predicate is true in every reachable state, nobody has to number the states, to remember how they were
//! reached, or to keep their steps. Here the states are in a [`StateSet`], which is several times smaller than a
//! [`Space`](super::space::Space) and faster. Only the states that are not expanded are stored in full, level by level, in
//! chunks that are used again when their states are expanded.
//!
//! If there is an exception, a violation or a fault, the search ends without saying which. The space then searches for it
//! again, so that the path to it is a shortest one and always the same. States are expanded in the same order with one
//! thread, so limits on their number mean the same.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use model::packing::Packing;
use model::task::Progress;
use model::{Session, StopReason};

use super::quotient::{Batch, Frozen, StateSet};
use super::store::Words;
use super::successors::Successors;
use super::table::{Predicate, Programs, Truth};
#[cfg(target_arch = "x86_64")]
use crate::machine::Special;
use crate::machine::{Instructions, Usual};

/// How many states there are in a chunk. A thread takes one at a time.
const CHUNK: usize = 1024;
/// How many states are expanded at a time, at most.
const BLOCK: usize = 128;
/// About how many successors are inserted at a time.
const BATCH: usize = 512;
/// How many steps are made between two checks of the limits.
const INTERVAL: usize = 1 << 16;

/// Some states in full.
type Chunk<const W: usize> = Vec<Words<W>>;

/// The reachable states, as far as they are found.
pub(super) struct Reached<const W: usize> {
    set: StateSet<W>,
    /// States of the same distance that are not expanded.
    level: VecDeque<Chunk<W>>,
    /// States of the next distance.
    next: VecDeque<Chunk<W>>,
    states: usize,
    expanded: usize,
    transitions: u64,
    /// How many chunks there are.
    chunks: AtomicUsize,
    /// Kept from level to level, because there may be as many levels as states.
    workers: Vec<Worker<W>>,
}

/// What a thread has found in a level, and its working memory.
#[derive(Default)]
struct Worker<const W: usize> {
    next: VecDeque<Chunk<W>>,
    states: usize,
    expanded: usize,
    transitions: u64,
    /// Empty chunks.
    spare: Vec<Chunk<W>>,
    labels: Vec<u16>,
    targets: Vec<Words<W>>,
    batch: Batch,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The predicate is true in all reachable states.
    All,
    /// It is true in as many as were asked for, and there are more.
    Some,
    /// There is a fault, or the predicate is not true in some state.
    Exception,
}

/// A compiled predicate.
pub(super) struct Invariant<'a> {
    pub(super) programs: &'a Programs,
    pub(super) predicate: Predicate,
}

impl Invariant<'_> {
    #[inline]
    fn is_true<const W: usize>(&self, by: impl Instructions, state: &Words<W>) -> bool {
        self.programs.test_by(by, self.predicate, state) == Truth::True
    }
}

/// Why a thread ends early.
enum Halt {
    Exception,
    Limit(StopReason),
}

impl<const W: usize> Reached<W> {
    /// The initial states. `None` if states are too large.
    pub(super) fn new(packing: &Packing, initial: impl Iterator<Item = Words<W>>) -> Option<Reached<W>> {
        let mut reached = Reached {
            set: StateSet::new(packing)?,
            level: VecDeque::new(),
            next: VecDeque::new(),
            states: 0,
            expanded: 0,
            transitions: 0,
            chunks: AtomicUsize::new(0),
            workers: Vec::new(),
        };
        let mut worker = Worker::default();
        for state in initial {
            worker.targets.push(state);
            worker.insert_targets(Usual, &reached, true);
        }
        reached.states = worker.states;
        reached.level = worker.next;
        Some(reached)
    }

    /// The numbers of states and of steps so far.
    pub(super) fn size(&self) -> (u64, u64) {
        (self.states as u64, self.transitions)
    }

    /// Whether all states are expanded.
    pub(super) fn is_complete(&self) -> bool {
        self.level.is_empty() && self.next.is_empty()
    }

    /// The states that have been found.
    pub(super) fn frozen(&self) -> Frozen<'_, W> {
        self.set.frozen()
    }

    /// The states that are not expanded.
    pub(super) fn frontier(&self) -> impl Iterator<Item = &Words<W>> {
        self.level.iter().chain(&self.next).flatten()
    }

    /// How many states are expanded.
    pub(super) fn expanded(&self) -> usize {
        self.expanded
    }

    /// The bytes it has allocated.
    pub(super) fn bytes(&self) -> u64 {
        let chunks = self.chunks.load(Ordering::Relaxed) * CHUNK * size_of::<Words<W>>();
        self.set.bytes() + chunks as u64
    }

    /// Whether a predicate is true in every state that has been found, and whether it is true in some.
    pub(super) fn test(&self, invariant: &Invariant<'_>) -> (bool, bool) {
        let (mut in_all, mut in_some) = (true, false);
        self.set.for_each(|state| {
            let truth = invariant.programs.test(invariant.predicate, state) == Truth::True;
            (in_all, in_some) = (in_all && truth, in_some || truth);
        });
        (in_all, in_some)
    }

    /// Expands states until `enough` are expanded, or all. After an error or an exception it must not be used any more: some
    /// states may not be expanded.
    pub(super) fn explore(
        &mut self,
        successors: &Successors<W>,
        invariant: &Invariant<'_>,
        enough: usize,
        shared_level: usize,
        session: &Session<'_>,
    ) -> Result<Reach, StopReason> {
        while self.expanded < enough {
            if self.level.is_empty() {
                if self.next.is_empty() {
                    return Ok(Reach::All);
                }
                std::mem::swap(&mut self.level, &mut self.next);
            }
            let later = self.split_off(enough - self.expanded);
            let chunks = std::mem::take(&mut self.level);
            let states: usize = chunks.iter().map(Vec::len).sum();
            let threads = if states < shared_level { 1 } else { session.threads.max(1) };
            let mut workers = std::mem::take(&mut self.workers);
            workers.resize_with(workers.len().max(threads), Worker::default);
            let work = Work {
                reached: self,
                successors,
                invariant,
                session,
                alone: threads == 1,
                chunks: Mutex::new(chunks),
                over: AtomicBool::new(false),
            };
            let ends: Vec<Result<(), Halt>> = if threads == 1 {
                vec![work.run(&mut workers[0])]
            } else {
                std::thread::scope(|scope| {
                    let work = &work;
                    let each = workers.iter_mut().take(threads);
                    let threads: Vec<_> = each.map(|worker| scope.spawn(move || work.run(worker))).collect();
                    let join =
                        |thread: std::thread::ScopedJoinHandle<'_, _>| thread.join().expect("no panic");
                    threads.into_iter().map(join).collect()
                })
            };
            self.level = later;
            for worker in &mut workers {
                self.next.append(&mut worker.next);
                self.states += std::mem::take(&mut worker.states);
                self.expanded += std::mem::take(&mut worker.expanded);
                self.transitions += std::mem::take(&mut worker.transitions);
            }
            self.workers = workers;
            match ends.into_iter().collect() {
                Ok(()) => {}
                Err(Halt::Exception) => return Ok(Reach::Exception),
                Err(Halt::Limit(reason)) => return Err(reason),
            }
        }
        Ok(if self.is_complete() { Reach::All } else { Reach::Some })
    }

    /// The states of the level after the first ones.
    fn split_off(&mut self, mut first: usize) -> VecDeque<Chunk<W>> {
        let whole = self.level.iter().take_while(|chunk| match first.checked_sub(chunk.len()) {
            Some(rest) => {
                first = rest;
                true
            }
            None => false,
        });
        let whole = whole.count();
        let mut later = self.level.split_off(whole);
        if first > 0
            && let Some(chunk) = later.pop_front()
        {
            self.chunks.fetch_add(1, Ordering::Relaxed);
            later.push_front(chunk[first..].to_vec());
            self.level.push_back(chunk[..first].to_vec());
        }
        later
    }
}

/// A part of a level, which threads expand.
struct Work<'w, const W: usize> {
    reached: &'w Reached<W>,
    successors: &'w Successors<W>,
    invariant: &'w Invariant<'w>,
    session: &'w Session<'w>,
    /// Whether there is one thread.
    alone: bool,
    /// What no thread has taken.
    chunks: Mutex<VecDeque<Chunk<W>>>,
    /// Whether some thread has found a reason to stop.
    over: AtomicBool,
}

impl<const W: usize> Work<'_, W> {
    /// Expands chunks of the level until there are no more.
    fn run(&self, worker: &mut Worker<W>) -> Result<(), Halt> {
        #[cfg(target_arch = "x86_64")]
        if let Some(special) = Special::detect() {
            return self.run_by(special, worker);
        }
        self.run_by(Usual, worker)
    }

    fn run_by(&self, by: impl Instructions, worker: &mut Worker<W>) -> Result<(), Halt> {
        let result = self.expand(by, worker);
        if result.is_err() {
            self.over.store(true, Ordering::Relaxed);
        }
        result
    }

    fn expand(&self, by: impl Instructions, worker: &mut Worker<W>) -> Result<(), Halt> {
        let mut since = 0;
        loop {
            let chunk = self.chunks.lock().expect("no thread panics while it takes a chunk").pop_front();
            let Some(mut chunk) = chunk.filter(|_| !self.over.load(Ordering::Relaxed)) else {
                return Ok(());
            };
            for states in chunk.chunks(BLOCK) {
                if !states.iter().all(|state| self.invariant.is_true(by, state)) {
                    return Err(Halt::Exception);
                }
                let before = worker.transitions;
                if !self.expand_at_once(by, states, worker) {
                    self.expand_each(by, states, worker)?;
                }
                worker.expanded += states.len();
                since += (worker.transitions - before) as usize;
            }
            chunk.clear();
            worker.spare.push(chunk);
            if since >= INTERVAL {
                since = 0;
                self.look_around(worker)?;
            }
        }
    }

    /// Expands some states action by action, if that can be done. Returns whether it could.
    #[inline]
    fn expand_at_once(&self, by: impl Instructions, states: &[Words<W>], worker: &mut Worker<W>) -> bool {
        let Worker { targets, batch, .. } = worker;
        let mut live = [false; BLOCK];
        let prepare = |targets: &[Words<W>]| self.reached.set.prepare(targets, batch);
        if self.successors.expand_all(by, states, &mut live, targets, prepare).is_err() {
            targets.clear();
            batch.clear();
            return false;
        }
        // A deadlock has the step `idle` to itself, which leads nowhere new.
        let stuck = live[..states.len()].iter().filter(|live| !**live).count();
        worker.transitions += (targets.len() + stuck) as u64;
        worker.insert(by, self.reached, self.alone, 0);
        worker.targets.clear();
        true
    }

    /// Expands some states one by one.
    fn expand_each(
        &self,
        by: impl Instructions,
        states: &[Words<W>],
        worker: &mut Worker<W>,
    ) -> Result<(), Halt> {
        for (number, state) in states.iter().enumerate() {
            let Worker { labels, targets, .. } = worker;
            let before = targets.len();
            self.successors.steps_by(by, state, labels, targets).map_err(|_| Halt::Exception)?;
            worker.transitions += (targets.len() - before).max(1) as u64;
            if targets.len() >= BATCH || number + 1 == states.len() {
                worker.insert_targets(by, self.reached, self.alone);
            }
        }
        Ok(())
    }

    /// Reports progress and checks the limits.
    fn look_around(&self, worker: &Worker<W>) -> Result<(), Halt> {
        let count = (self.reached.states + worker.states) as u64;
        (self.session.progress)(&Progress { phase: "exploring", count, unit: "states" });
        self.session.check(self.reached.bytes()).map_err(Halt::Limit)
    }
}

impl<const W: usize> Worker<W> {
    /// Adds the targets to the set, and those that are new to the next level.
    fn insert_targets(&mut self, by: impl Instructions, reached: &Reached<W>, alone: bool) {
        for first in (0..self.targets.len()).step_by(BATCH * 2) {
            let last = self.targets.len().min(first + BATCH * 2);
            reached.set.prepare(&self.targets[first..last], &mut self.batch);
            self.insert(by, reached, alone, first);
        }
        self.targets.clear();
        self.labels.clear();
    }

    /// Adds the batch, which is the targets from the first one on.
    #[inline]
    fn insert(&mut self, by: impl Instructions, reached: &Reached<W>, alone: bool, first: usize) {
        let targets = &self.targets[first..];
        reached.set.insert(by, &mut self.batch, alone, |position| {
            if self.next.back().is_none_or(|chunk| chunk.len() == CHUNK) {
                let chunk = self.spare.pop().unwrap_or_else(|| {
                    reached.chunks.fetch_add(1, Ordering::Relaxed);
                    Vec::new()
                });
                self.next.push_back(chunk);
            }
            self.next.back_mut().expect("a chunk with room").push(targets[position]);
            self.states += 1;
        });
    }
}
