//! The listed states, and where each is in the list.
//!
//! States are packed words. A table with room to spare has the positions; where two states want the same place, the
//! later one takes the next that is free.

use std::hash::{Hash, Hasher};

use model::StopReason;
use model::packing::Packing;
use rustc_hash::FxHasher;

use crate::limits::Limits;

/// A place of the table that is free.
const FREE: u32 = u32::MAX;

/// A list of packed states.
pub(super) struct States<'l> {
    pub(super) packing: Packing,
    words: &'l [u64],
    table: Vec<u32>,
}

impl<'l> States<'l> {
    /// The states of a list, whose length is a multiple of a state's.
    pub(super) fn new(
        packing: Packing,
        words: &'l [u64],
        limits: &Limits<'_>,
    ) -> Result<States<'l>, StopReason> {
        let count = words.len() / packing.words;
        let places = (count * 2 + 1).next_power_of_two();
        limits.room(places, size_of::<u32>())?;
        let mut states = States { packing, words, table: vec![FREE; places] };
        for position in 0..count {
            limits.tick()?;
            let place = states.place(states.packed(position)).1;
            states.table[place] = position as u32;
        }
        Ok(states)
    }

    pub(super) fn len(&self) -> usize {
        self.words.len() / self.packing.words
    }

    /// The packed form of a state.
    pub(super) fn packed(&self, position: usize) -> &'l [u64] {
        &self.words[position * self.packing.words..(position + 1) * self.packing.words]
    }

    /// The values of the cells.
    pub(super) fn unpack(&self, position: usize, values: &mut Vec<i64>) {
        let packed = self.packed(position);
        values.clear();
        values.extend(self.packing.fields.iter().map(|field| field.decode(packed)));
    }

    /// The position of a state in the list.
    pub(super) fn find(&self, values: &[i64], buffer: &mut Vec<u64>) -> Option<u32> {
        buffer.clear();
        buffer.resize(self.packing.words, 0);
        for (field, value) in self.packing.fields.iter().zip(values) {
            buffer[field.word] |= field.encode(*value);
        }
        self.place(buffer).0
    }

    /// The position of a packed state, or the place where it would be.
    fn place(&self, packed: &[u64]) -> (Option<u32>, usize) {
        let mut hasher = FxHasher::default();
        packed.hash(&mut hasher);
        let mask = self.table.len() - 1;
        let mut place = hasher.finish() as usize & mask;
        loop {
            match self.table[place] {
                FREE => return (None, place),
                position if self.packed(position as usize) == packed => return (Some(position), place),
                _ => place = (place + 1) & mask,
            }
        }
    }
}
