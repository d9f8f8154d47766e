//! Says a set in few words: another set, of fewer cells, that agrees with it wherever that matters.
//!
//! The sets of the search contain all they know: that a process is at `exit` is written with everything that follows from
//! it, which is something about every other process. In a proof only states that can be reached and are not
//! removed yet matter, and of these the set must contain its own and none *elsewhere*. So a cell is left out, by forgetting
//! its bits, as long as the result stays free of states elsewhere. Whole stretches of cells are tried first and then their halves, level by level:
//! where few cells remain this takes few attempts, and no cell that tells everything alone is given up in favour of all
//! others together. The steps of few processes touch such a set, so a proof is short, and its check quick.

// What a set is equal to, and its hash, never change.
#![allow(clippy::mutable_key_type)]

use std::collections::{BTreeSet, HashSet};

use model::StopReason;

use crate::bdd::{Bdd, Cells, Table};

/// After so many attempts a set stays as it is.
const ATTEMPTS: usize = 300;

/// A set of few of the first `count` cells that contains `set`, and no state of `elsewhere` if that one does not.
pub(super) fn concise(
    table: &Table<'_>,
    cells: &Cells,
    count: usize,
    set: &Bdd,
    elsewhere: &Bdd,
) -> Result<Bdd, StopReason> {
    let mut short = set.clone();
    let bits = support(table, &short);
    let mut stretches: Vec<Vec<Vec<u32>>> = vec![
        (0..count)
            .map(|cell| cells.bits_of(cell).filter(|bit| bits.contains(bit)).collect::<Vec<_>>())
            .filter(|bits| !bits.is_empty())
            .collect(),
    ];
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

/// The bits that a set depends on.
fn support(table: &Table<'_>, set: &Bdd) -> BTreeSet<u32> {
    let (mut bits, mut seen, mut pending) = (BTreeSet::new(), HashSet::new(), vec![set.clone()]);
    while let Some(set) = pending.pop() {
        if let Some((bit, no, yes)) = table.branch(&set) {
            bits.insert(bit);
            pending.extend([no, yes].into_iter().filter(|below| seen.insert(below.clone())));
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use model::Run;

    use super::*;
    use crate::bdd::Limits;

    /// Where it matters exactly one of the cells is 1, so which one says all.
    #[test]
    fn what_one_cell_tells_is_told_by_it_alone() {
        let run = Run::unlimited();
        let cells = Cells::new(&[(0, 1); 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let table = Table::new(cells.bits(), Limits::default(), &run);
        let is_one = |one: usize| {
            let all = (0..9).map(|cell| cells.is(&table, cell, i64::from(cell == one))).collect();
            table.all(Result::unwrap(all)).expect("no limit")
        };
        for one in 0..9 {
            let others = (0..9).filter(|other| *other != one).map(is_one).collect();
            let elsewhere = table.any(others).expect("no limit");
            let short = concise(&table, &cells, 9, &is_one(one), &elsewhere).expect("no limit");
            assert!(short == cells.is(&table, one, 1).expect("no limit"), "{one}");
        }
    }

    /// Every set of states of three bits, and some sets where it matters.
    #[test]
    fn nothing_changes_where_it_matters() {
        let run = Run::unlimited();
        let cells = Cells::new(&[(0, 1); 3], &[0, 1, 2]);
        let table = Table::new(cells.bits(), Limits::default(), &run);
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
                let short = concise(&table, &cells, 3, &long, &elsewhere).expect("no limit");
                assert!(table.and(&short, &care).expect("no limit") == long, "{word}");
            }
        }
    }
}
