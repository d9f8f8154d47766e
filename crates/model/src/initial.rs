//! Enumerates the initial states.
//!
//! Cells get their values in order. A conjunct of an `init` predicate is tested as soon as the cells it reads have
//! values, so that `init f[1] == 1 && f[2] == 2` does not run through all of `f`. The result is the states for which
//! [`is_initial`](crate::semantics::is_initial) is true, in lexicographic order. A cell that may hold any integer has
//! no useful enumeration; callers must exclude it first.

use crate::answer::State;
use crate::expr::Expr;
use crate::ground;
use crate::instance::{Environment, Instance, Start};
use crate::semantics::{Fault, state_predicate};

/// The initial states, in lexicographic order of their cells.
pub fn initial_states(instance: &Instance) -> InitialStates<'_> {
    InitialStates::new(instance)
}

/// An iterator over initial states.
pub struct InitialStates<'a> {
    instance: &'a Instance,
    /// `checks[k]`: the conjuncts of `init` to test once the first `k` cells have values.
    checks: Vec<Vec<Expr>>,
    /// The values of the cells assigned so far; the others are 0.
    state: State,
    /// Per assigned cell, how many of its values have been tried.
    tried: Vec<u64>,
    /// Whether the last result was a complete state, which must be left before the search goes on.
    backtrack: bool,
    finished: bool,
}

/// The result of [`InitialStates::advance`].
pub enum Advance {
    /// An initial state, or a fault in an `init` predicate.
    Found(Result<State, Fault>),
    /// The limit was reached; the search can go on.
    Searching,
    /// There are no more.
    End,
}

impl<'a> InitialStates<'a> {
    fn new(instance: &'a Instance) -> Self {
        let mut checks = vec![Vec::new(); instance.cells.len() + 1];
        // Invariant: a conjunct is tested after all conjuncts before it, because they may guard it against a fault.
        let mut latest = 0;
        for predicate in &instance.system.init {
            let ground = ground::expression(instance, predicate, &mut Environment::default());
            let parts = match ground {
                Expr::And(parts) => parts,
                other => vec![other],
            };
            for part in parts {
                latest = latest.max(ground::reads(instance, &part).into_iter().max().map_or(0, |c| c + 1));
                checks[latest].push(part);
            }
        }
        InitialStates {
            instance,
            checks,
            state: State(vec![0; instance.cells.len()]),
            tried: Vec::new(),
            backtrack: false,
            finished: false,
        }
    }

    /// The `n`-th initial value of a cell.
    fn candidate(&self, cell: usize, n: u64) -> Option<i64> {
        match &self.instance.starts[cell] {
            Start::Among(values) => values.get(n as usize).copied(),
            Start::Any => {
                let domain = self.instance.cells[cell].domain;
                (n <= domain.hi.abs_diff(domain.lo)).then(|| domain.lo.wrapping_add(n as i64))
            }
        }
    }

    /// Whether the cells assigned so far pass the tests that are due.
    fn admissible(&self) -> Result<bool, Fault> {
        // The tests that are due do not read the cells without a value.
        for check in &self.checks[self.tried.len()] {
            if !state_predicate(self.instance, check, &self.state)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Searches for the next initial state, and stops after trying `value_limit` values.
    pub fn advance(&mut self, value_limit: usize) -> Advance {
        if self.backtrack {
            self.finished |= !self.next_value();
            self.backtrack = false;
        }
        for _ in 0..value_limit {
            if self.finished {
                return Advance::End;
            }
            match self.admissible() {
                Err(fault) => {
                    self.finished = true;
                    return Advance::Found(Err(fault));
                }
                Ok(true) if self.tried.len() == self.instance.cells.len() => {
                    self.backtrack = true;
                    return Advance::Found(Ok(self.state.clone()));
                }
                Ok(true) => match self.candidate(self.tried.len(), 0) {
                    Some(value) => {
                        self.state.0[self.tried.len()] = value;
                        self.tried.push(1);
                    }
                    None => self.finished = !self.next_value(),
                },
                Ok(false) => self.finished = !self.next_value(),
            }
        }
        Advance::Searching
    }

    /// Moves the last assigned cell to its next value and drops cells that have no more; false at the end.
    fn next_value(&mut self) -> bool {
        while let Some(tried) = self.tried.pop() {
            let cell = self.tried.len();
            if let Some(value) = self.candidate(cell, tried) {
                self.state.0[cell] = value;
                self.tried.push(tried + 1);
                return true;
            }
            self.state.0[cell] = 0;
        }
        false
    }
}

impl Iterator for InitialStates<'_> {
    type Item = Result<State, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.advance(usize::MAX) {
                Advance::Found(state) => return Some(state),
                Advance::End => return None,
                Advance::Searching => {}
            }
        }
    }
}
