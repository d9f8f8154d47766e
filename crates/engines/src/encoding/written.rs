//! Sets as plain data: diagrams of the table, written as diagrams of a proof.
//!
//! A bit of a state becomes a [`Test`]; a node that is reached twice is written once. The order of the tests is that of
//! the bits at this moment, and bits may move while a search goes on. So sets of one proof are written when all of them
//! are there.

// What a set is equal to, and its hash, never change.
#![allow(clippy::mutable_key_type)]

use std::collections::HashMap;

use model::proof::{Builder, Root, Test};

use crate::bdd::{Bdd, Cells, Table};

/// The tests that bits stand for, and the sets already written.
pub(crate) struct Written<'t, 'a> {
    table: &'t Table<'a>,
    tests: Vec<Test>,
    known: HashMap<Bdd, Root>,
}

impl<'t, 'a> Written<'t, 'a> {
    /// Nothing is written yet. There is a test for each bit.
    pub(crate) fn new(table: &'t Table<'a>, tests: Vec<Test>) -> Written<'t, 'a> {
        let known = HashMap::from([(table.never(), Root::FALSE), (table.always(), Root::TRUE)]);
        Written { table, tests, known }
    }

    /// From now on everything below a set is written as this diagram.
    pub(crate) fn stands_for(&mut self, set: Bdd, root: Root) {
        self.known.insert(set, root);
    }

    /// A set as a diagram of the proof.
    pub(crate) fn set(&mut self, builder: &mut Builder, set: &Bdd) -> Root {
        let mut pending = vec![set.clone()];
        while let Some(set) = pending.last() {
            if self.known.contains_key(set) {
                pending.pop();
                continue;
            }
            let Some((bit, no, yes)) = self.table.branch(set) else { break };
            match (self.known.get(&no).copied(), self.known.get(&yes).copied()) {
                (Some(no), Some(yes)) => {
                    let root = builder.node(self.tests[bit as usize], no, yes);
                    self.known.insert(set.clone(), root);
                    pending.pop();
                }
                (known_no, known_yes) => {
                    pending.extend(known_no.is_none().then_some(no));
                    pending.extend(known_yes.is_none().then_some(yes));
                }
            }
        }
        self.known.get(set).copied().unwrap_or(Root::FALSE)
    }
}

/// The tests of the bits of a cell, each with its bit.
pub(crate) fn tests_of(cells: &Cells, cell: usize) -> impl Iterator<Item = (u32, Test)> {
    let bits = cells.bits_of(cell);
    let width = bits.len() as u32;
    bits.zip(0..).map(move |(bit, place)| (bit, Test::Bit { cell, bit: width - 1 - place }))
}
