//! A worker's part of the product of the states and an automaton, which is never stored.
//!
//! A node is a state and a state of the automaton. Its edges are enumerated from the steps of its state and a [`Table`] of
//! what the automaton can do on each letter, as in `explicit/product`. Every requirement of the fairness and every mark of
//! the automaton has a bit. An edge *shows* the bits of the requirements whose `then` it satisfies and of the marks it
//! carries.

use super::explore::{GHOST, Part};
use super::{Carrier, Halt, Outbox, Phase};

/// A set of requirements and marks.
pub type Mask<const B: usize> = [u64; B];

/// The bit of nodes that some edge enters. The requirements begin after it.
pub const ENTERED: usize = 0;

#[inline]
pub(super) fn or<const B: usize>(a: &Mask<B>, b: &Mask<B>) -> Mask<B> {
    std::array::from_fn(|word| a[word] | b[word])
}

#[inline]
pub(super) fn without<const B: usize>(a: &Mask<B>, b: &Mask<B>) -> Mask<B> {
    std::array::from_fn(|word| a[word] & !b[word])
}

#[inline]
pub(super) fn is_empty<const B: usize>(mask: &Mask<B>) -> bool {
    mask.iter().all(|word| *word == 0)
}

/// The set with one more bit.
#[must_use]
pub fn with<const B: usize>(mut mask: Mask<B>, bit: usize) -> Mask<B> {
    mask[bit / 64] |= 1 << (bit % 64);
    mask
}

/// What the automaton can do on a letter in a state of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move<const B: usize> {
    /// Where it goes.
    pub target: u32,
    /// The marks it carries, and the requirements about steps whose `then` the letter satisfies.
    pub then: Mask<B>,
    /// The requirements about steps whose `when` the letter satisfies, unless that is always true.
    pub when: Mask<B>,
}

/// What an automaton and an alternative of the fairness make of steps.
#[derive(Clone, Debug)]
pub struct Table<const B: usize> {
    /// A node is `state << shift | q`.
    pub shift: u32,
    /// The initial states of the automaton.
    pub initial: Vec<u32>,
    /// Per state of the automaton, whether its component is accepting.
    pub accepting: Vec<bool>,
    /// The moves, ordered by letter and then by state of the automaton, and where those of each begin.
    pub moves: Vec<Move<B>>,
    /// Where the moves of each letter and state begin.
    pub first: Vec<u32>,
    /// The number of event classes. A letter is `valuation * classes + class`.
    pub classes: usize,
    /// The event class of each action; the last entry is that of `idle`.
    pub class_of: Vec<u32>,
    /// Per action, the requirements about it; the last entry is that of `idle`, which has none.
    pub about: Vec<Mask<B>>,
    /// The requirements that must be shown again and again: justice, weak and unconditional fairness, and marks.
    pub always: Mask<B>,
    /// The requirements about actions that are shown where none is enabled.
    pub weak: Mask<B>,
    /// The requirements about actions that must be shown if one is enabled.
    pub strong: Mask<B>,
}

/// An edge of the product, without its source.
pub(super) struct Edge<const B: usize> {
    /// The position of its step.
    pub(super) step: usize,
    /// The node it leads to, an own one or that of a ghost.
    pub(super) target: u32,
    pub(super) then: Mask<B>,
    pub(super) when: Mask<B>,
}

/// A worker's part of a product.
pub(super) struct Nodes<const B: usize> {
    pub(super) me: usize,
    pub(super) part: Part,
    pub(super) table: Table<B>,
    /// Whether some `when` is not always true.
    pub(super) has_when: bool,
    /// One more than the greatest bit.
    pub(super) bits: usize,
}

impl<const B: usize> Nodes<B> {
    pub(super) fn new(me: usize, part: Part, table: Table<B>) -> Result<Nodes<B>, Halt> {
        let most = u64::from(part.states).max(part.ghosts.len() as u64);
        if (most + 1) << table.shift >= u64::from(GHOST) {
            return Err(Halt::TooLarge);
        }
        let has_when = table.moves.iter().any(|edge| !is_empty(&edge.when));
        let of_moves = table.moves.iter().fold([0; B], |mask, edge| or(&mask, &or(&edge.then, &edge.when)));
        let of_actions = table.about.iter().fold(of_moves, |mask, about| or(&mask, about));
        let all = [&table.always, &table.weak, &table.strong]
            .into_iter()
            .fold(of_actions, |all, mask| or(&all, mask));
        let bits =
            (0..64 * B).rev().find(|bit| all[bit / 64] >> (bit % 64) & 1 == 1).map_or(1, |bit| bit + 1);
        Ok(Nodes { me, part, table, has_when, bits })
    }

    /// The number of own nodes.
    pub(super) fn own(&self) -> usize {
        (self.part.states as usize) << self.table.shift
    }

    /// The number of nodes of ghosts.
    pub(super) fn ghosts(&self) -> usize {
        self.part.ghosts.len() << self.table.shift
    }

    /// The state of a node.
    #[inline]
    pub(super) fn state(&self, node: u32) -> u32 {
        node >> self.table.shift
    }

    /// Whether the automaton is in an accepting component.
    #[inline]
    pub(super) fn is_accepting(&self, node: u32) -> bool {
        let q = (node & ((1 << self.table.shift) - 1)) as usize;
        self.table.accepting.get(q).copied().unwrap_or(false)
    }

    /// The worker that has the node of a ghost, and its number there.
    #[inline]
    pub(super) fn address(&self, ghost: u32) -> (usize, u64) {
        let owner = self.part.ghosts[(ghost >> self.table.shift) as usize];
        let q = u64::from(ghost & ((1 << self.table.shift) - 1));
        ((owner >> 32) as usize, (owner & u64::from(u32::MAX)) << self.table.shift | q)
    }

    /// Sees to it that the steps of a node are in memory: before its edges are visited, or its state is asked about.
    #[inline]
    pub(super) fn hold(&mut self, node: u32) -> Result<(), Halt> {
        self.part.hold(node >> self.table.shift)
    }

    /// The requirements about actions of which one is enabled in a state.
    #[inline]
    pub(super) fn enabled(&self, state: u32) -> Mask<B> {
        let last = self.table.about.len() - 1;
        self.part.window.labels[self.part.leaving(state)]
            .iter()
            .fold([0; B], |mask, label| or(&mask, &self.table.about[(*label as usize).min(last)]))
    }

    /// Visits the edges of a node.
    #[inline]
    pub(super) fn visit(&self, node: u32, mut visit: impl FnMut(Edge<B>)) {
        let (table, state) = (&self.table, self.state(node));
        let q = (node & ((1 << table.shift) - 1)) as usize;
        let letters = self.part.valuation(state) as usize * table.classes;
        let last = table.about.len() - 1;
        for step in self.part.leaving(state) {
            let label = (self.part.window.labels[step] as usize).min(last);
            let place = (letters + table.class_of[label] as usize) << table.shift | q;
            let target = self.part.window.targets[step];
            let base = target & GHOST | (target & !GHOST) << table.shift;
            for edge in &table.moves[table.first[place] as usize..table.first[place + 1] as usize] {
                visit(Edge {
                    step,
                    target: base | edge.target,
                    then: or(&edge.then, &table.about[label]),
                    when: edge.when,
                });
            }
        }
    }
}

/// Adds up numbers of all workers.
pub(super) fn sum(carrier: &mut impl Carrier, numbers: &[u64]) -> Result<Vec<u64>, Halt> {
    let sum = Sum {
        workers: carrier.workers(),
        me: carrier.me(),
        own: Some(numbers.to_vec()),
        total: numbers.to_vec(),
    };
    Ok(carrier.run(sum)?.total)
}

struct Sum {
    workers: usize,
    me: usize,
    own: Option<Vec<u64>>,
    total: Vec<u64>,
}

impl Phase for Sum {
    fn receive(&mut self, _: usize, _: usize, messages: &[u64], _: &mut Outbox) -> Result<(), Halt> {
        for message in messages.chunks_exact(self.total.len()) {
            self.total.iter_mut().zip(message).for_each(|(total, number)| *total += number);
        }
        Ok(())
    }

    fn work(&mut self, _: usize, out: &mut Outbox) -> Result<bool, Halt> {
        if let Some(own) = self.own.take().filter(|own| !own.is_empty()) {
            for to in (0..self.workers).filter(|to| *to != self.me) {
                out.post(to, 0, &own);
            }
        }
        Ok(false)
    }

    fn goes_on(&self) -> bool {
        false
    }
}
