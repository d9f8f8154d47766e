//! Says a set in few words: another set, of fewer cells, that agrees with it wherever that matters.
//!
//! The sets of the search contain all they know: that a process is at `exit` is written with everything that follows from
//! it, which is something about every other process. In a proof only states that can be reached and are not
//! removed yet matter, and of these the set must contain its own and none *elsewhere*. So a cell is left out, by forgetting
//! its bits, as long as the result stays free of states elsewhere. Whole stretches of cells are tried first and then their halves, level by level:
//! where few cells remain this takes few attempts, and no cell that tells everything alone is given up in favour of all
//! others together. The steps of few processes touch such a set, so a proof is short, and its check quick.
//!
//! What is said of one process is mostly what was said of the one before it. So some cells are given as *likely* to be
//! enough, and if they are, all others are left out in one attempt.

// What a set is equal to, and its hash, never change.
#![allow(clippy::mutable_key_type)]

use std::collections::{BTreeMap, BTreeSet};

use model::StopReason;

use super::exchange::renamed;
use crate::bdd::{Bdd, Cells, Table};

/// After so many attempts a set stays as it is.
const ATTEMPTS: usize = 300;

/// The first `count` cells of a table, in which sets are to be said.
pub(super) struct Words<'t, 'a> {
    table: &'t Table<'a>,
    cells: &'t Cells,
    /// The cell of each bit.
    cell_of: Vec<usize>,
    /// The bits of all these cells.
    all: Bdd,
}

impl<'t, 'a> Words<'t, 'a> {
    pub(super) fn new(
        table: &'t Table<'a>,
        cells: &'t Cells,
        count: usize,
    ) -> Result<Words<'t, 'a>, StopReason> {
        let mut cell_of = vec![0; cells.bits()];
        for cell in 0..count {
            cells.bits_of(cell).for_each(|bit| cell_of[bit as usize] = cell);
        }
        let bits: Vec<u32> = (0..count).flat_map(|cell| cells.bits_of(cell)).collect();
        Ok(Words { table, cells, cell_of, all: table.cube(&bits)? })
    }

    /// A set of few cells that contains `set`, and no state of `elsewhere` if that one does not; some cells are likely to
    /// be enough.
    pub(super) fn concise(
        &self,
        set: &Bdd,
        elsewhere: &Bdd,
        likely: &BTreeSet<usize>,
    ) -> Result<Bdd, StopReason> {
        let table = self.table;
        if table.is_never(set) {
            return Ok(set.clone());
        }
        if !likely.is_empty() {
            let kept: Vec<u32> = likely.iter().flat_map(|cell| self.cells.bits_of(*cell)).collect();
            let others = table.forget(&self.all, &kept)?;
            let short = table.forget_cube(set, &others)?;
            if table.is_never(&table.and(&short, elsewhere)?) {
                return self.shortened(short, elsewhere);
            }
        }
        self.shortened(set.clone(), elsewhere)
    }

    /// A set in which one cell stands for another.
    pub(super) fn renamed(&self, set: &Bdd, from: usize, to: usize) -> Result<Bdd, StopReason> {
        renamed(self.table, self.cells, set, from, to)
    }

    /// The cells that a set depends on.
    pub(super) fn spoken_of(&self, set: &Bdd) -> BTreeSet<usize> {
        self.table.support(set).into_iter().map(|bit| self.cell_of[bit as usize]).collect()
    }

    fn shortened(&self, mut short: Bdd, elsewhere: &Bdd) -> Result<Bdd, StopReason> {
        let table = self.table;
        let mut found: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for bit in table.support(&short) {
            found.entry(self.cell_of[bit as usize]).or_default().push(bit);
        }
        let mut stretches: Vec<Vec<Vec<u32>>> = vec![found.into_values().collect()];
        let mut attempts = 0;
        while !stretches.is_empty() && attempts < ATTEMPTS {
            let mut halves = Vec::new();
            for stretch in stretches {
                attempts += 1;
                let less = table.forget(&short, &stretch.concat())?;
                if table.is_never(&table.and(&less, elsewhere)?) {
                    short = less;
                } else if stretch.len() > 1 {
                    let (left, right) = stretch.split_at(stretch.len() / 2);
                    halves.extend([left.to_vec(), right.to_vec()]);
                }
            }
            stretches = halves;
        }
        Ok(short)
    }
}

#[cfg(test)]
mod tests {
    use model::Session;

    use super::*;
    use crate::bdd::Limits;

    /// Where it matters exactly one of the cells is 1, so which one says all.
    #[test]
    fn what_one_cell_tells_is_told_by_it_alone() {
        let session = Session::unlimited();
        let cells = Cells::new(&[(0, 1); 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let table = Table::new(cells.bits(), Limits::default(), &session);
        let is_one = |one: usize| {
            let all = (0..9).map(|cell| cells.is(&table, cell, i64::from(cell == one))).collect();
            table.all(Result::unwrap(all)).expect("no limit")
        };
        for one in 0..9 {
            let others = (0..9).filter(|other| *other != one).map(is_one).collect();
            let elsewhere = table.any(others).expect("no limit");
            let words = Words::new(&table, &cells, 9).expect("no limit");
            // Whether what is likely is right, wrong, or too much.
            for likely in [vec![], vec![one], vec![(one + 1) % 9], vec![0, 4, 8]] {
                let likely = BTreeSet::from_iter(likely);
                let short = words.concise(&is_one(one), &elsewhere, &likely).expect("no limit");
                assert!(short == cells.is(&table, one, 1).expect("no limit"), "{one}, {likely:?}");
                assert_eq!(words.spoken_of(&short), BTreeSet::from([one]));
            }
        }
    }

    /// Every set of states of three bits, and some sets where it matters.
    #[test]
    fn nothing_changes_where_it_matters() {
        let session = Session::unlimited();
        let cells = Cells::new(&[(0, 1); 3], &[0, 1, 2]);
        let table = Table::new(cells.bits(), Limits::default(), &session);
        let words = Words::new(&table, &cells, 3).expect("no limit");
        let single =
            |code: i64| cells.single(&table, &[code & 1, code >> 1 & 1, code >> 2 & 1]).expect("no limit");
        let set = |word: i64| {
            let states = (0..8).filter(|code| word >> code & 1 == 1).map(single).collect();
            table.any(states).expect("no limit")
        };
        for word in 0..256 {
            for care in (0..256).step_by(7).map(set) {
                let long = table.and(&set(word), &care).expect("no limit");
                let elsewhere = table.minus(&care, &long).expect("no limit");
                for likely in [BTreeSet::new(), BTreeSet::from([0]), BTreeSet::from([1, 2])] {
                    let short = words.concise(&long, &elsewhere, &likely).expect("no limit");
                    assert!(table.and(&short, &care).expect("no limit") == long, "{word}, {likely:?}");
                }
            }
        }
    }
}
