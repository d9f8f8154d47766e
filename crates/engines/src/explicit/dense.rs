//! Systems most of whose combinations of values are initial, as in protocols that recover from whatever state they are in.
//!
//! There the packed form of a state is its number. Nothing has to be stored to find one by the other, and a bit says
//! whether it is reachable. Steps are computed whenever they are needed, as in [`regenerated`](super::regenerated). So such
//! a system takes a bit for each combination, and what the search for fair cycles needs.
//!
//! The states are expanded in the order of their numbers. Of those that are found on the way, only the ones with smaller
//! numbers must be remembered. There is one thread, and numbers depend on nothing, so runs can be shown from here.

use std::cell::RefCell;

use model::instance::Start;
use model::note::Unchecked;
use model::packing::Packing;
use model::task::Progress;
use model::{Answer, Counterexample, Instance, Note, Proof, Session, State, StopReason};

use super::Listing;
use super::look::{Look, Target, Unstored};
use super::space::{Steps, Stop};
use super::states::States;
use super::store::Words;
use super::successors::Successors;
use crate::graph::bits::Bits;
#[cfg(target_arch = "x86_64")]
use crate::machine::Special;
use crate::machine::{Instructions, Usual};

/// The most bits of a state.
const BITS: u32 = 30;
/// There may be this many combinations for each initial state. In tests, any number.
const SPARSE: u64 = if cfg!(test) { 1 << BITS } else { 16 };
/// How many bytes a search for fair cycles takes for each combination, at least.
const BYTES: u64 = 8;
/// How many states are expanded at a time, at most.
const BLOCK: usize = 128;
/// How many blocks are expanded between two checks of the limits.
const INTERVAL: usize = 256;

/// The number of initial states, if every cell has its initial values for itself.
pub(super) fn initial_count(instance: &Instance) -> Option<u64> {
    if !instance.system.init.is_empty() {
        return None;
    }
    let values = instance.cells.iter().zip(&instance.starts).map(|(cell, start)| match start {
        Start::Any => cell.domain.hi.abs_diff(cell.domain.lo).saturating_add(1),
        Start::Among(values) => values.len() as u64,
    });
    Some(values.fold(1, u64::saturating_mul))
}

impl<const W: usize> Listing<'_, W> {
    /// Decides a property about runs of a dense system. `None` if it is not dense, or has few states, or a fault.
    pub(super) fn dense(
        &mut self,
        look: Look<'_>,
        successors: &Successors<W>,
        state_limit: usize,
        session: &Session<'_>,
    ) -> Result<Option<Answer>, Stop> {
        let engine = self.engine;
        let Target::Run(violations) = look.target else { return Ok(None) };
        let bits = self.packing.fields.iter().map(|field| field.bits).sum::<u32>();
        let initial = initial_count(self.instance).unwrap_or(0);
        if W > 1 || bits > BITS || initial == 0 || self.unstored_gave_none || engine.crew.is_some() {
            return Ok(None);
        }
        let all = 1 << bits;
        if !engine.stores_steps
            || initial <= self.few() as u64
            || all > state_limit as u64
            || all / initial > SPARSE
            || all * BYTES > session.memory
        {
            return Ok(None);
        }
        let Some(dense) =
            Dense::new(self.instance, &self.packing, successors, session).map_err(Stop::Limit)?
        else {
            self.unstored_gave_none = true;
            return Ok(None);
        };
        let end = look.runs_of(violations, successors, &dense, session).map_err(Stop::Limit)?;
        if matches!(end, Unstored::NotHere | Unstored::TooManyStates) {
            self.unstored_gave_none = true;
            return Ok(None);
        }
        self.off_graph = true;
        session.count("states", dense.states);
        session.count("transitions", dense.transitions);
        if let Unstored::Fails(lasso) = end {
            return Ok(Some(Answer::Fails(Counterexample::Lasso(lasso))));
        }
        if engine.evidence > 0 {
            session.note(Note::Unchecked(Unchecked::Large));
        }
        Ok(Some(Answer::Holds(Proof::Exhaustive)))
    }
}

/// The reachable states of a dense system, with their steps.
struct Dense<'a, const W: usize> {
    successors: &'a Successors<W>,
    reached: Bits,
    bound: usize,
    initial: Vec<u32>,
    states: u64,
    transitions: u64,
    /// Working memory that is not in use.
    buffers: RefCell<Vec<Buffer<W>>>,
}

#[derive(Default)]
struct Buffer<const W: usize> {
    labels: Vec<u16>,
    targets: Vec<Words<W>>,
    numbers: Vec<u32>,
}

/// The state with this number.
#[inline]
fn words<const W: usize>(number: u32) -> Words<W> {
    let mut words = [0; W];
    words[0] = u64::from(number);
    words
}

impl<'a, const W: usize> Dense<'a, W> {
    /// The reachable states, unless there is a fault among them.
    fn new(
        instance: &Instance,
        packing: &Packing,
        successors: &'a Successors<W>,
        session: &Session<'_>,
    ) -> Result<Option<Dense<'a, W>>, StopReason> {
        let bits = packing.fields.iter().map(|field| field.bits).sum::<u32>();
        let bound = 1 << bits;
        let mut dense = Dense {
            successors,
            reached: Bits::empty(bound),
            bound,
            initial: initial_numbers(instance, packing),
            states: 0,
            transitions: 0,
            buffers: RefCell::default(),
        };
        dense.initial.iter().for_each(|number| dense.reached.insert(*number as usize));
        #[cfg(target_arch = "x86_64")]
        if let Some(special) = Special::detect() {
            return Ok(dense.explore(special, session)?.then_some(dense));
        }
        Ok(dense.explore(Usual, session)?.then_some(dense))
    }

    /// Finds all reachable states. Returns whether none has a fault.
    fn explore(&mut self, by: impl Instructions, session: &Session<'_>) -> Result<bool, StopReason> {
        let mut next = 0;
        let mut block: Vec<Words<W>> = Vec::with_capacity(BLOCK);
        let mut behind: Vec<u32> = Vec::new();
        let mut targets = Vec::new();
        for round in 0.. {
            block.clear();
            while block.len() < BLOCK && next < self.bound {
                // At the end, all that is found later is behind.
                let number = self.reached.next(next);
                block.extend(number.map(|number| words(number as u32)));
                next = number.map_or(self.bound, |number| number + 1);
            }
            // Those that were found behind come last.
            let left = BLOCK - block.len();
            block.extend(behind.drain(behind.len().saturating_sub(left)..).map(words));
            if block.is_empty() {
                break;
            }
            if !self.expand(by, &block, &mut targets) {
                return Ok(false);
            }
            for target in targets.drain(..) {
                let number = target[0] as usize;
                if !self.reached.contains(number) {
                    self.reached.insert(number);
                    if number < next {
                        behind.push(number as u32);
                    }
                }
            }
            self.states += block.len() as u64;
            if round % INTERVAL == 0 {
                (session.progress)(&Progress { phase: "exploring", count: self.states, unit: "states" });
                session.check(self.bytes() + behind.capacity() as u64 * 4)?;
            }
        }
        Ok(true)
    }

    /// Appends the targets of some states. Returns whether none of them has a fault.
    #[inline]
    fn expand(&mut self, by: impl Instructions, states: &[Words<W>], targets: &mut Vec<Words<W>>) -> bool {
        let mut live = [false; BLOCK];
        if self.successors.expand_all(by, states, &mut live, targets, |_| {}).is_ok() {
            let stuck = live[..states.len()].iter().filter(|live| !**live).count();
            self.transitions += (targets.len() + stuck) as u64;
            return true;
        }
        targets.clear();
        let mut labels = Vec::new();
        for state in states {
            let before = targets.len();
            if self.successors.steps_by(by, state, &mut labels, targets).is_err() {
                return false;
            }
            self.transitions += (targets.len() - before).max(1) as u64;
        }
        true
    }

    /// Calls `visit` with working memory, and the successors of a state in it.
    #[inline]
    fn with_buffer<R>(&self, number: u32, visit: impl FnOnce(&mut Buffer<W>) -> R) -> R {
        let mut buffer = self.buffers.borrow_mut().pop().unwrap_or_default();
        let Buffer { labels, targets, .. } = &mut buffer;
        labels.clear();
        targets.clear();
        if self.is_expanded(number) {
            self.successors.steps_again(&words(number), labels, targets);
        }
        let result = visit(&mut buffer);
        self.buffers.borrow_mut().push(buffer);
        result
    }
}

/// The numbers of the initial states, from the least, where every cell has its initial values for itself.
fn initial_numbers(instance: &Instance, packing: &Packing) -> Vec<u32> {
    let mut numbers = vec![0];
    // Fields with higher bits come later, so that the numbers stay sorted.
    for (field, (cell, start)) in packing.fields.iter().zip(instance.cells.iter().zip(&instance.starts)) {
        let mut values: Vec<u32> = match start {
            Start::Any => (cell.domain.lo..=cell.domain.hi).map(|value| field.encode(value) as u32).collect(),
            Start::Among(values) => values.iter().map(|value| field.encode(*value) as u32).collect(),
        };
        values.sort_unstable();
        let lower = std::mem::take(&mut numbers);
        numbers = values.iter().flat_map(|value| lower.iter().map(move |number| number | value)).collect();
    }
    numbers
}

impl<const W: usize> States for Dense<'_, W> {
    fn instance(&self) -> &Instance {
        &self.successors.instance
    }

    fn bound(&self) -> usize {
        self.bound
    }

    fn initial(&self) -> Vec<u32> {
        self.initial.clone()
    }

    fn is_expanded(&self, number: u32) -> bool {
        self.reached.contains(number as usize)
    }

    fn words(&self, number: u32) -> impl AsRef<[u64]> {
        words::<W>(number)
    }

    fn state(&self, number: u32) -> State {
        self.successors.packing.unpack(&words::<W>(number))
    }

    #[inline]
    fn with_steps<R>(&self, number: u32, visit: impl FnOnce(Steps<'_>) -> R) -> R {
        self.with_buffer(number, |Buffer { labels, targets, numbers }| {
            numbers.clear();
            numbers.extend(targets.iter().map(|target| target[0] as u32));
            visit(Steps { targets: numbers, labels })
        })
    }

    #[inline]
    fn with_labels<R>(&self, number: u32, visit: impl FnOnce(&[u16]) -> R) -> R {
        self.with_buffer(number, |buffer| visit(&buffer.labels))
    }

    fn bytes(&self) -> u64 {
        self.reached.bytes() + self.initial.capacity() as u64 * 4
    }
}
