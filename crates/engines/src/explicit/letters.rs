//! What property and fairness see of a step.
//!
//! The *predicates* of a task are the atoms of its formula and the `when` and `then` of its requirements. A
//! *letter* says which of them are true of a step `(s, a, s')`; it depends on `s` and `a` alone. Every
//! predicate is evaluated in every reachable state and on every step, since a fault anywhere makes the
//! property fail. There are few different letters, so a step carries the number of its letter, and what
//! follows (automaton, requirements) is computed once per letter.

use std::collections::HashMap;

use model::answer::{Label, Site};
use model::semantics::Fault;
use model::{Expr, Instance};

use super::term::{Moment, Term, compile};
use crate::graph::bits::Bits;

/// The predicates of a task.
#[derive(Default)]
pub(super) struct Predicates {
    numbers: HashMap<Expr, usize>,
    list: Vec<Predicate>,
}

struct Predicate {
    term: Term,
    /// Where it stands, for the report of a fault.
    site: Site,
    /// Whether it speaks of the step and not only of the state.
    of_step: bool,
}

impl Predicates {
    /// The number of a ground predicate, which stands at `site` unless it is known already.
    pub(super) fn number(&mut self, instance: &Instance, expr: &Expr, site: Site) -> usize {
        if let Some(number) = self.numbers.get(expr) {
            return *number;
        }
        let of_step = expr.any(&mut |part| matches!(part, Expr::Taken(_)));
        self.list.push(Predicate { term: compile(instance, expr), site, of_step });
        self.numbers.insert(expr.clone(), self.list.len() - 1);
        self.list.len() - 1
    }

    /// What is true of a state, whatever step leaves it. Predicates of steps are left out.
    pub(super) fn of_state(&self, moment: Moment<'_>) -> Result<Bits, (Site, Fault)> {
        let mut letter = Bits::empty(self.list.len());
        self.evaluate(&mut letter, false, moment)?;
        Ok(letter)
    }

    /// The letter of a step, given what is true of its state.
    pub(super) fn of_step(
        &self,
        state: &Bits,
        moment: Moment<'_>,
        label: Label,
    ) -> Result<Bits, (Site, Fault)> {
        let mut letter = state.clone();
        self.evaluate(&mut letter, true, Moment { label: Some(label), ..moment })?;
        Ok(letter)
    }

    fn evaluate(&self, letter: &mut Bits, of_step: bool, moment: Moment<'_>) -> Result<(), (Site, Fault)> {
        for (number, predicate) in self.list.iter().enumerate() {
            if predicate.of_step == of_step
                && predicate.term.holds(moment).map_err(|fault| (predicate.site, fault))?
            {
                letter.insert(number);
            }
        }
        Ok(())
    }
}

/// The letters that occur, numbered as they are met.
#[derive(Default)]
pub(super) struct Alphabet {
    numbers: HashMap<Bits, u32>,
    letters: Vec<Bits>,
}

impl Alphabet {
    /// The number of a letter.
    pub(super) fn number(&mut self, letter: Bits) -> u32 {
        if let Some(number) = self.numbers.get(&letter) {
            return *number;
        }
        let number = self.letters.len() as u32;
        self.letters.push(letter.clone());
        self.numbers.insert(letter, number);
        number
    }

    /// The letters, in the order of their numbers.
    pub(super) fn letters(&self) -> &[Bits] {
        &self.letters
    }

    /// The bytes it has allocated, roughly.
    pub(super) fn bytes(&self) -> u64 {
        let each = self.letters.first().map_or(0, |letter| 2 * letter.bytes() + 64);
        self.letters.len() as u64 * each
    }
}
