//! Shows outcomes in the order of the file, although they become known in any order.

use std::collections::BTreeMap;

use driver::Outcome;

/// The known outcomes, and how many of them are shown.
#[derive(Default)]
pub(crate) struct InOrder {
    known: BTreeMap<usize, Outcome>,
    shown: usize,
}

impl InOrder {
    /// Adds the outcome at a position, and shows those whose turn has come.
    pub(crate) fn add(&mut self, place: usize, outcome: Outcome, show: &mut dyn FnMut(&Outcome)) {
        self.known.insert(place, outcome);
        while let Some(outcome) = self.known.get(&self.shown) {
            show(outcome);
            self.shown += 1;
        }
    }

    /// All outcomes: the known ones, and `others` for the rest. Shows those that are not shown yet.
    pub(crate) fn completed(mut self, others: Vec<Outcome>, show: &mut dyn FnMut(&Outcome)) -> Vec<Outcome> {
        let others = others.into_iter().enumerate();
        let all: Vec<Outcome> =
            others.map(|(place, other)| self.known.remove(&place).unwrap_or(other)).collect();
        all.iter().skip(self.shown).for_each(show);
        all
    }
}
