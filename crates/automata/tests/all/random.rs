//! Random numbers from a seed, and random formulas.

use model::{Expr, Formula};

use super::words::atom;

/// How many atoms random formulas have.
pub(crate) const ATOMS: u64 = 3;

/// A small generator of pseudorandom numbers (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        model::splitmix::next(&mut self.0) % bound
    }

    /// A random formula with at most this many operators.
    pub(crate) fn formula(&mut self, size: u64) -> Formula {
        if size <= 1 {
            let atom = atom(self.below(ATOMS));
            return Formula::Atom(match self.below(12) {
                0 => Expr::Bool(self.below(2) == 0),
                1 | 2 => Expr::negated(atom),
                _ => atom,
            });
        }
        if self.below(8) == 0 {
            return self.past(size.min(5));
        }
        let left = self.below(size - 1).max(1);
        let right = (size - 1 - left).max(1);
        match self.below(12) {
            0 => Formula::Not(Box::new(self.formula(size - 1))),
            1 => Formula::Next(Box::new(self.formula(size - 1))),
            2 => Formula::Finally(Box::new(self.formula(size - 1))),
            3 => Formula::Globally(Box::new(self.formula(size - 1))),
            4 => recurrence(self.formula(size - 1)),
            5 => persistence(self.formula(size - 1)),
            6 => Formula::And(vec![self.formula(left), self.formula(right)]),
            7 => Formula::Or(vec![self.formula(left), self.formula(right)]),
            kind => {
                let (a, b) = (Box::new(self.formula(left)), Box::new(self.formula(right)));
                match kind {
                    8 => Formula::Implies(a, b),
                    9 => Formula::Until(a, b),
                    10 => Formula::WeakUntil(a, b),
                    _ => Formula::Release(a, b),
                }
            }
        }
    }
}

impl Random {
    /// A random formula about the past, with at most this many operators.
    pub(crate) fn past(&mut self, size: u64) -> Formula {
        if size <= 1 {
            return self.formula(1);
        }
        let left = self.below(size - 1).max(1);
        let right = (size - 1 - left).max(1);
        match self.below(8) {
            0 => Formula::Not(Box::new(self.past(size - 1))),
            1 => Formula::And(vec![self.past(left), self.past(right)]),
            2 => Formula::Implies(Box::new(self.past(left)), Box::new(self.past(right))),
            3 => Formula::Previous(Box::new(self.past(size - 1))),
            4 => Formula::Once(Box::new(self.past(size - 1))),
            5 => Formula::Historically(Box::new(self.past(size - 1))),
            _ => Formula::Since(Box::new(self.past(left)), Box::new(self.past(right))),
        }
    }
}

/// `GF a`.
pub(crate) fn recurrence(a: Formula) -> Formula {
    Formula::Globally(Box::new(Formula::Finally(Box::new(a))))
}

/// `FG a`.
pub(crate) fn persistence(a: Formula) -> Formula {
    Formula::Finally(Box::new(Formula::Globally(Box::new(a))))
}
