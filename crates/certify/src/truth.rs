//! The truth of an LTL formula on a lasso, by its definition.
//!
//! A lasso has finitely many positions, each with one successor. The truth of a formula is a vector over the
//! positions, computed from the vectors of its parts. Where an operator refers to itself at the next position
//! (`a U b = b || a && X (a U b)`) the vector is the least solution of that equation, `W` and `R` have the
//! greatest: we start from all false (all true) and apply the equation until nothing changes. Every round but
//! the last changes a position, and going backwards two rounds are enough: one turn of the cycle and the stem.
//! Quantifiers over indices are unrolled through environments. Atoms are evaluated at every position, so a
//! fault in any of them is found, whatever the rest of the formula says.

use std::slice;

use model::instance::{Environment, Instance};
use model::{Fault, Formula, Lasso, semantics};

use crate::choices::choices;

/// Whether the formula is true at the first position of a lasso that is not empty.
pub(crate) fn holds(instance: &Instance, formula: &Formula, lasso: &Lasso) -> Result<bool, Fault> {
    Ok(all(instance, formula, lasso)?[0])
}

/// At which positions of a lasso the formula is true.
pub(crate) fn all(instance: &Instance, formula: &Formula, lasso: &Lasso) -> Result<Vec<bool>, Fault> {
    Judgement { instance, lasso }.of(formula, &mut Environment::default())
}

/// A truth value per position.
type Truth = Vec<bool>;

struct Judgement<'a> {
    instance: &'a Instance,
    lasso: &'a Lasso,
}

impl Judgement<'_> {
    fn of(&self, formula: &Formula, environment: &mut Environment) -> Result<Truth, Fault> {
        let positions = &self.lasso.positions;
        Ok(match formula {
            Formula::Atom(atom) => {
                let mut truth = Vec::with_capacity(positions.len());
                for position in positions {
                    truth.push(semantics::step_predicate_in(self.instance, atom, position, environment)?);
                }
                truth
            }
            Formula::Not(a) => self.of(a, environment)?.into_iter().map(|a| !a).collect(),
            Formula::And(parts) => {
                let mut all = vec![true; positions.len()];
                for part in parts {
                    all = both(all, &self.of(part, environment)?, |a, b| a && b);
                }
                all
            }
            Formula::Or(parts) => {
                let mut any = vec![false; positions.len()];
                for part in parts {
                    any = both(any, &self.of(part, environment)?, |a, b| a || b);
                }
                any
            }
            Formula::Implies(a, b) => {
                both(self.of(a, environment)?, &self.of(b, environment)?, |a, b| !a || b)
            }
            Formula::Next(a) => {
                let a = self.of(a, environment)?;
                (0..positions.len()).map(|k| a[self.lasso.next(k)]).collect()
            }
            Formula::Finally(a) => {
                let a = self.of(a, environment)?;
                self.solution(false, |k, next| a[k] || next)
            }
            Formula::Globally(a) => {
                let a = self.of(a, environment)?;
                self.solution(true, |k, next| a[k] && next)
            }
            Formula::Until(a, b) => {
                let (a, b) = (self.of(a, environment)?, self.of(b, environment)?);
                self.solution(false, |k, next| b[k] || a[k] && next)
            }
            Formula::WeakUntil(a, b) => {
                let (a, b) = (self.of(a, environment)?, self.of(b, environment)?);
                self.solution(true, |k, next| b[k] || a[k] && next)
            }
            Formula::Release(a, b) => {
                let (a, b) = (self.of(a, environment)?, self.of(b, environment)?);
                self.solution(true, |k, next| b[k] && (a[k] || next))
            }
            Formula::Forall(binder, body) => {
                let mut all = vec![true; positions.len()];
                for mut inner in choices(slice::from_ref(binder), environment)? {
                    all = both(all, &self.of(body, &mut inner)?, |a, b| a && b);
                }
                all
            }
            Formula::Exists(binder, body) => {
                let mut any = vec![false; positions.len()];
                for mut inner in choices(slice::from_ref(binder), environment)? {
                    any = both(any, &self.of(body, &mut inner)?, |a, b| a || b);
                }
                any
            }
        })
    }

    /// The least (`start` is false) or greatest (`start` is true) solution of `v[k] = equation(k, v[next k])`.
    fn solution(&self, start: bool, equation: impl Fn(usize, bool) -> bool) -> Truth {
        let mut truth = vec![start; self.lasso.positions.len()];
        loop {
            let mut changed = false;
            for k in (0..truth.len()).rev() {
                let value = equation(k, truth[self.lasso.next(k)]);
                changed |= value != truth[k];
                truth[k] = value;
            }
            if !changed {
                return truth;
            }
        }
    }
}

fn both(a: Truth, b: &Truth, combine: impl Fn(bool, bool) -> bool) -> Truth {
    a.into_iter().zip(b).map(|(a, b)| combine(a, *b)).collect()
}
