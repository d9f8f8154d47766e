//! Summaries of stretches of a word: the first or last letter of each set that matters.
//!
//! For a set `F`, "the first letter in `F`" of a concatenation is that of the left part or, if it has none, that of
//! the right part; for the last letter it is the other way round. So summaries form a finite monoid, and the summary
//! of a word is the product over its letters. The product is idempotent: a letter next to an equal one changes
//! nothing, so words can be made longer. Elements are numbered; 0 is that of the empty stretch.

use super::letters::{LetterId, Letters};
use rustc_hash::FxHashMap as Map;

/// An element of the monoid, by number.
pub(super) type Side = u32;

/// The empty stretch.
pub(super) const EMPTY: Side = 0;

/// The elements met so far.
pub(super) struct Sides {
    list: Vec<Vec<Option<LetterId>>>,
    numbers: Map<Vec<Option<LetterId>>, Side>,
    /// Per two elements, their product, once it is known.
    products: Vec<Vec<Option<Side>>>,
    /// Per letter, its element, once it is known.
    generators: Vec<Option<Side>>,
}

impl Sides {
    pub(super) fn new(letters: &Letters) -> Sides {
        let empty = vec![None; letters.components.len()];
        Sides {
            list: vec![empty.clone()],
            numbers: Map::from_iter([(empty, EMPTY)]),
            products: Vec::new(),
            generators: Vec::new(),
        }
    }

    /// Per component, the letter that is kept.
    pub(super) fn kept(&self, side: Side) -> &[Option<LetterId>] {
        &self.list[side as usize]
    }

    pub(super) fn of(&mut self, letters: &Letters, letter: LetterId) -> Side {
        let at = letter as usize;
        if let Some(Some(side)) = self.generators.get(at) {
            return *side;
        }
        let kept =
            (0..letters.components.len()).map(|c| letters.is_in(letter, c).then_some(letter)).collect();
        let side = self.number(kept);
        if self.generators.len() <= at {
            self.generators.resize(at + 1, None);
        }
        self.generators[at] = Some(side);
        side
    }

    pub(super) fn product(&mut self, letters: &Letters, a: Side, b: Side) -> Side {
        if a == EMPTY || b == EMPTY {
            return a.max(b);
        }
        let (row, column) = (a as usize, b as usize);
        if let Some(Some(side)) = self.products.get(row).and_then(|row| row.get(column)) {
            return *side;
        }
        let kept = letters
            .components
            .iter()
            .zip(self.kept(a).iter().zip(self.kept(b)))
            .map(|(component, (a, b))| if component.first { a.or(*b) } else { b.or(*a) });
        let kept = kept.collect();
        let side = self.number(kept);
        if self.products.len() <= row {
            self.products.resize_with(row + 1, Vec::new);
        }
        if self.products[row].len() <= column {
            self.products[row].resize(column + 1, None);
        }
        self.products[row][column] = Some(side);
        side
    }

    fn number(&mut self, kept: Vec<Option<LetterId>>) -> Side {
        if let Some(side) = self.numbers.get(&kept) {
            return *side;
        }
        let side = self.list.len() as Side;
        self.numbers.insert(kept.clone(), side);
        self.list.push(kept);
        side
    }
}
