//! Moves bits to levels where the diagrams are small [Rud93]. When that is done, `Table::look` decides.
//!
//! A bit keeps its two variables together. The bits are taken in turn, the one with most nodes first; each
//! moves through all places by exchanges with its neighbour, towards the nearer end first, and goes back to the
//! place where the fewest nodes were. A move away from the best place ends early when the diagrams have grown by a
//! fifth. Exchanging two levels changes nodes on these two levels only, and no function. The work is bounded: after
//! looking at a hundred times as many nodes as there were, the rest of the bits, which have few nodes, stay.
//!
//! The package's exchange ends the process if the table is full. An exchange makes at most two new nodes per
//! node of the upper level, so one that might not find room for them is not begun, and sifting ends there.

#![allow(unsafe_code)]

use oxidd::{HasLevel, Manager};
use oxidd_core::LevelView;

/// How many slots of the table may be out of reach, because threads take them in portions.
const RESERVE: usize = 1 << 18;

/// How many times as many nodes as there are may be looked at.
const EFFORT: usize = 100;

/// Sifts all bits of a table that can hold `capacity` nodes and has just been collected, until `stop` says so.
pub(super) fn sift<M: Manager>(nodes: &mut M, capacity: usize, stop: &dyn Fn() -> bool)
where
    M::InnerNode: HasLevel,
{
    nodes.reorder(|nodes| {
        let places = nodes.num_levels() / 2;
        let mut bits = Bits {
            nodes,
            capacity,
            total: nodes.num_inner_nodes(),
            looked_at: 0,
            at: (0..places).collect(),
            of: (0..places).collect(),
        };
        let mut order: Vec<(usize, u32)> = (0..places).map(|place| (bits.size(place), place)).collect();
        order.sort_by_key(|(size, bit)| (std::cmp::Reverse(*size), *bit));
        let effort = EFFORT * bits.total;
        for (_, bit) in order {
            if bits.looked_at > effort || bits.settle(bit, stop).is_none() {
                break;
            }
        }
    });
}

/// The bits of a table that is being reordered. A bit is called by its place when this began.
struct Bits<'m, M> {
    nodes: &'m M,
    capacity: usize,
    /// The number of nodes.
    total: usize,
    /// The number of nodes looked at so far.
    looked_at: usize,
    /// The bit at each place.
    at: Vec<u32>,
    /// The place of each bit.
    of: Vec<u32>,
}

impl<M: Manager> Bits<'_, M>
where
    M::InnerNode: HasLevel,
{
    /// The number of nodes on the two levels of a place.
    fn size(&self, place: u32) -> usize {
        self.nodes.level(2 * place).len() + self.nodes.level(2 * place + 1).len()
    }

    /// Finds the best place of a bit; nothing if there is no room for an exchange, or `stop` says so.
    fn settle(&mut self, bit: u32, stop: &dyn Fn() -> bool) -> Option<()> {
        let last = self.at.len() as u32 - 1;
        let limit = self.total + self.total / 5;
        let mut best = (self.total, self.of[bit as usize]);
        let down_first = self.of[bit as usize] > last / 2;
        for down in [down_first, !down_first] {
            loop {
                let place = self.of[bit as usize];
                if place == (if down { last } else { 0 }) {
                    break;
                }
                if stop() {
                    return None;
                }
                self.exchange(if down { place } else { place - 1 })?;
                let place = self.of[bit as usize];
                best = best.min((self.total, place));
                let away = if down { place > best.1 } else { place < best.1 };
                if away && self.total > limit {
                    break;
                }
            }
        }
        while self.of[bit as usize] < best.1 {
            self.exchange(self.of[bit as usize])?;
        }
        while self.of[bit as usize] > best.1 {
            self.exchange(self.of[bit as usize] - 1)?;
        }
        Some(())
    }

    /// Exchanges the bits at a place and below it.
    fn exchange(&mut self, place: u32) -> Option<()> {
        let before = self.size(place) + self.size(place + 1);
        // Four exchanges of levels, each of which may at worst triple the nodes on them.
        if self.total + 16 * before + RESERVE > self.capacity {
            return None;
        }
        self.looked_at += before;
        for level in [2 * place + 1, 2 * place, 2 * place + 2, 2 * place + 1] {
            // SAFETY: called inside the closure of `Manager::reorder`, whose exclusive reference `nodes` comes
            // from, and by one thread; the level below exists because the place below does.
            unsafe { oxidd_reorder::level_down(self.nodes, level) };
        }
        self.total = self.total + self.size(place) + self.size(place + 1) - before;
        self.at.swap(place as usize, place as usize + 1);
        for place in [place, place + 1] {
            self.of[self.at[place as usize] as usize] = place;
        }
        Some(())
    }
}
