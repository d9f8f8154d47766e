//! The states of a large system as a graph whose steps are computed whenever they are needed.
//!
//! The states are a [`StateSet`](super::quotient::StateSet) that does not grow any more. The number of a state is its
//! slot. Its packed form is computed from the slot, its steps by the compiled actions, and their targets are looked up.
//! That takes about as long as reading stored steps that are scattered in memory, and saves the memory for states and
//! steps.
//!
//! Numbers depend on chance if several threads found the states. So only verdicts come from here, and no runs.

use std::cell::RefCell;

use model::{Instance, State};

use super::quotient::{Batch, Frozen};
use super::reach::Reached;
use super::space::Steps;
use super::states::States;
use super::store::Words;
use super::successors::Successors;
use crate::graph::bits::Bits;

/// The states that were reached, with their steps.
pub(super) struct Regenerated<'a, const W: usize> {
    successors: &'a Successors<W>,
    states: Frozen<'a, W>,
    initial: Vec<u32>,
    /// The states that are not expanded, if there are any.
    frontier: Option<Bits>,
    bytes: u64,
    /// Working memory that is not in use.
    buffers: RefCell<Vec<Buffer<W>>>,
}

#[derive(Default)]
struct Buffer<const W: usize> {
    labels: Vec<u16>,
    targets: Vec<Words<W>>,
    batch: Batch,
    numbers: Vec<u32>,
}

impl<'a, const W: usize> Regenerated<'a, W> {
    /// The graph of the states that were reached from these. `None` if there are too many for the numbers.
    pub(super) fn new(
        reached: &'a Reached<W>,
        successors: &'a Successors<W>,
        initial: impl Iterator<Item = Words<W>>,
    ) -> Option<Regenerated<'a, W>> {
        let states = reached.frozen();
        if states.bound() > u32::MAX as usize {
            return None;
        }
        let mut batch = Batch::default();
        let mut find = |state: Words<W>| {
            let mut numbers = Vec::with_capacity(1);
            states.find(&[state], &mut batch, &mut numbers);
            numbers[0]
        };
        let initial: Vec<u32> = initial.map(&mut find).collect();
        let frontier = (!reached.is_complete()).then(|| {
            let mut frontier = Bits::empty(states.bound());
            reached.frontier().for_each(|state| frontier.insert(find(*state) as usize));
            frontier
        });
        let bytes = reached.bytes();
        Some(Regenerated { successors, states, initial, frontier, bytes, buffers: RefCell::default() })
    }

    /// Calls `visit` with working memory, and the successors of a state in it.
    fn with_buffer<R>(&self, number: u32, visit: impl FnOnce(&mut Buffer<W>) -> R) -> R {
        let mut buffer = self.buffers.borrow_mut().pop().unwrap_or_default();
        let Buffer { labels, targets, numbers, .. } = &mut buffer;
        labels.clear();
        targets.clear();
        numbers.clear();
        if self.frontier.as_ref().is_none_or(|frontier| !frontier.contains(number as usize)) {
            self.successors.steps_again(&self.states.state(number), labels, targets);
        }
        let result = visit(&mut buffer);
        self.buffers.borrow_mut().push(buffer);
        result
    }
}

impl<const W: usize> States for Regenerated<'_, W> {
    fn instance(&self) -> &Instance {
        &self.successors.instance
    }

    fn bound(&self) -> usize {
        self.states.bound()
    }

    fn initial(&self) -> Vec<u32> {
        self.initial.clone()
    }

    fn is_expanded(&self, number: u32) -> bool {
        self.states.contains(number)
            && self.frontier.as_ref().is_none_or(|frontier| !frontier.contains(number as usize))
    }

    fn words(&self, number: u32) -> impl AsRef<[u64]> {
        self.states.state(number)
    }

    fn state(&self, number: u32) -> State {
        self.successors.packing.unpack(&self.states.state(number))
    }

    fn with_steps<R>(&self, number: u32, visit: impl FnOnce(Steps<'_>) -> R) -> R {
        self.with_buffer(number, |Buffer { labels, targets, batch, numbers }| {
            self.states.find(targets, batch, numbers);
            visit(Steps { targets: numbers, labels })
        })
    }

    fn with_labels<R>(&self, number: u32, visit: impl FnOnce(&[u16]) -> R) -> R {
        self.with_buffer(number, |buffer| visit(&buffer.labels))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
