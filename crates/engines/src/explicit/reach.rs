//! The reachable states as a set, for invariants of large systems.
//!
//! To know that a predicate is true in every reachable state, nobody has to number the states, to remember how they were
//! reached, or to keep their steps. Here the states are in a [`StateSet`], which is several times smaller than a
//! [`Space`](super::space::Space) and faster. Only the states that are not expanded are stored in full, level by level.
//!
//! If there is an exception, a violation or a fault, the search ends without saying which. The space then searches for it
//! again, so that the path to it is a shortest one and always the same. States are expanded in the same order with one
//! thread, so limits on their number mean the same.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use model::task::Progress;
use model::{Session, StopReason};

use super::quotient::{Frozen, Recent, StateSet};
use super::store::Words;
use super::successors::Successors;
use super::table::{Predicate, Programs, Truth};
use model::packing::Packing;

/// How many states of a level a thread takes at a time.
const BLOCK: usize = 256;
/// How many successors are inserted at a time.
const BATCH: usize = 128;
/// How many steps are made between two checks of the limits.
const INTERVAL: usize = 1 << 16;

/// The reachable states, as far as they are found.
pub(super) struct Reached<const W: usize> {
    set: StateSet<W>,
    /// States of the same distance, and how many of them are expanded.
    level: Vec<Words<W>>,
    done: usize,
    /// States of the next distance.
    next: Vec<Words<W>>,
    states: usize,
    expanded: usize,
    transitions: u64,
    /// What each thread has added most recently. Kept from level to level, because there may be as many levels as states.
    recent: Vec<Recent>,
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
    fn is_true<const W: usize>(&self, state: &Words<W>) -> bool {
        self.programs.test(self.predicate, state) == Truth::True
    }
}

/// What a thread has found in a level.
struct Found<const W: usize> {
    next: Vec<Words<W>>,
    expanded: usize,
    transitions: u64,
}

/// Why a thread ends early.
enum Halt {
    Exception,
    Limit(StopReason),
}

impl<const W: usize> Reached<W> {
    /// The initial states. `None` if states are too large.
    pub(super) fn new(packing: &Packing, initial: impl Iterator<Item = Words<W>>) -> Option<Reached<W>> {
        let set = StateSet::new(packing)?;
        let (mut level, mut recent) = (Vec::new(), Recent::new());
        for state in initial {
            set.insert(&[state], true, &mut recent, |_| level.push(state));
        }
        let states = level.len();
        let recent = vec![recent];
        Some(Reached { set, level, done: 0, next: Vec::new(), states, expanded: 0, transitions: 0, recent })
    }

    /// The numbers of states and of steps so far.
    pub(super) fn size(&self) -> (u64, u64) {
        (self.states as u64, self.transitions)
    }

    /// Whether all states are expanded.
    pub(super) fn is_complete(&self) -> bool {
        self.done == self.level.len() && self.next.is_empty()
    }

    /// The states that have been found.
    pub(super) fn frozen(&self) -> Frozen<'_, W> {
        self.set.frozen()
    }

    /// The states that are not expanded.
    pub(super) fn frontier(&self) -> impl Iterator<Item = &Words<W>> {
        self.level[self.done..].iter().chain(&self.next)
    }

    /// How many states are expanded.
    pub(super) fn expanded(&self) -> usize {
        self.expanded
    }

    /// The bytes it has allocated.
    pub(super) fn bytes(&self) -> u64 {
        self.set.bytes() + ((self.level.capacity() + self.next.capacity()) * size_of::<Words<W>>()) as u64
    }

    /// Whether a predicate is true in every state that has been found, and whether it is true in some.
    pub(super) fn test(&self, invariant: &Invariant<'_>) -> (bool, bool) {
        let (mut in_all, mut in_some) = (true, false);
        self.set.for_each(|state| {
            let truth = invariant.is_true(state);
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
            if self.done == self.level.len() {
                if self.next.is_empty() {
                    return Ok(Reach::All);
                }
                self.level.clear();
                self.done = 0;
                std::mem::swap(&mut self.level, &mut self.next);
            }
            let last = self.level.len().min(self.done.saturating_add(enough - self.expanded));
            let threads = if last - self.done < shared_level { 1 } else { session.threads.max(1) };
            let mut recent = std::mem::take(&mut self.recent);
            recent.resize_with(recent.len().max(threads), Recent::new);
            let work = Work {
                reached: self,
                successors,
                invariant,
                session,
                alone: threads == 1,
                last,
                position: AtomicUsize::new(self.done),
                over: AtomicBool::new(false),
            };
            let found: Vec<(Found<W>, Result<(), Halt>)> = if threads == 1 {
                vec![work.run(&mut recent[0])]
            } else {
                std::thread::scope(|scope| {
                    let work = &work;
                    let each = recent.iter_mut().take(threads);
                    let threads: Vec<_> = each.map(|recent| scope.spawn(move || work.run(recent))).collect();
                    let join =
                        |thread: std::thread::ScopedJoinHandle<'_, _>| thread.join().expect("no panic");
                    threads.into_iter().map(join).collect()
                })
            };
            self.recent = recent;
            self.done = last;
            let mut end = Ok(());
            for (found, result) in found {
                self.states += found.next.len();
                self.expanded += found.expanded;
                self.transitions += found.transitions;
                if self.next.is_empty() {
                    self.next = found.next;
                } else {
                    self.next.extend_from_slice(&found.next);
                }
                end = end.and(result);
            }
            match end {
                Ok(()) => {}
                Err(Halt::Exception) => return Ok(Reach::Exception),
                Err(Halt::Limit(reason)) => return Err(reason),
            }
        }
        Ok(if self.is_complete() { Reach::All } else { Reach::Some })
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
    /// Where the part ends.
    last: usize,
    /// The first state that no thread has taken.
    position: AtomicUsize,
    /// Whether some thread has found a reason to stop.
    over: AtomicBool,
}

impl<const W: usize> Work<'_, W> {
    /// Expands blocks of the level until there are no more.
    fn run(&self, recent: &mut Recent) -> (Found<W>, Result<(), Halt>) {
        let mut found = Found { next: Vec::new(), expanded: 0, transitions: 0 };
        let result = self.expand(&mut found, recent);
        if result.is_err() {
            self.over.store(true, Ordering::Relaxed);
        }
        (found, result)
    }

    fn expand(&self, found: &mut Found<W>, recent: &mut Recent) -> Result<(), Halt> {
        let (mut labels, mut targets) = (Vec::new(), Vec::with_capacity(2 * BATCH));
        let mut since = 0;
        loop {
            let first = self.position.fetch_add(BLOCK, Ordering::Relaxed);
            if first >= self.last || self.over.load(Ordering::Relaxed) {
                return Ok(());
            }
            for state in &self.reached.level[first..self.last.min(first + BLOCK)] {
                if !self.invariant.is_true(state) {
                    return Err(Halt::Exception);
                }
                let before = targets.len();
                self.successors.steps(state, &mut labels, &mut targets).map_err(|_| Halt::Exception)?;
                // A deadlock has the step `idle` to itself, which leads nowhere new.
                found.transitions += (targets.len() - before).max(1) as u64;
                found.expanded += 1;
                if targets.len() >= BATCH {
                    since += targets.len();
                    self.insert(found, &mut targets, recent);
                    labels.clear();
                }
            }
            since += targets.len();
            self.insert(found, &mut targets, recent);
            labels.clear();
            if since >= INTERVAL {
                since = 0;
                self.look_around(found)?;
            }
        }
    }

    #[inline]
    fn insert(&self, found: &mut Found<W>, targets: &mut Vec<Words<W>>, recent: &mut Recent) {
        for batch in targets.chunks(BATCH * 2) {
            self.reached.set.insert(batch, self.alone, recent, |position| found.next.push(batch[position]));
        }
        targets.clear();
    }

    /// Reports progress and checks the limits.
    fn look_around(&self, found: &Found<W>) -> Result<(), Halt> {
        let count = (self.reached.states + found.next.len()) as u64;
        (self.session.progress)(&Progress { phase: "exploring", count, unit: "states" });
        if let Some(reason) = (self.session.stop)() {
            return Err(Halt::Limit(reason));
        }
        let bytes = self.reached.bytes() + (found.next.capacity() * size_of::<Words<W>>()) as u64;
        if bytes > self.session.memory { Err(Halt::Limit(StopReason::Memory)) } else { Ok(()) }
    }
}
