//! The truth of an LTL formula on a lasso, by its definition.
//!
//! A lasso has finitely many positions, each with one successor. The truth of a formula is a vector over the positions,
//! computed from the vectors of its parts. If an operator refers to itself at the next position
//! (`a U b = b || a && X (a U b)`), its vector is the least solution of that equation; for `W` and `R` it is the
//! greatest. We start from all false (all true) and apply the equation until nothing changes. Every round but the last
//! changes a position, and going backwards two rounds are enough: one turn of the cycle and the stem. Quantifiers over
//! indices are unrolled through environments. Atoms are evaluated at every position, so a fault in any of them is
//! found, whatever the rest of the formula says.

use std::ops::ControlFlow;
use std::slice;

use model::instance::{Environment, Instance};
use model::{Binder, Formula, Lasso, semantics};

use crate::choices::each_choice;
use crate::end::NoValue;
use crate::limits::Limits;

/// Whether the formula is true at the first position of a lasso that is not empty.
pub(crate) fn holds(
    instance: &Instance,
    formula: &Formula,
    lasso: &Lasso,
    limits: &Limits<'_>,
) -> Result<bool, NoValue> {
    Ok(all(instance, formula, lasso, limits)?[0])
}

/// The positions of a lasso at which the formula is true.
pub(crate) fn all(
    instance: &Instance,
    formula: &Formula,
    lasso: &Lasso,
    limits: &Limits<'_>,
) -> Result<Vec<bool>, NoValue> {
    Judgement { instance, lasso, limits }.of(formula, &mut Environment::default())
}

/// A truth value per position.
type Truth = Vec<bool>;

struct Judgement<'a> {
    instance: &'a Instance,
    lasso: &'a Lasso,
    limits: &'a Limits<'a>,
}

impl Judgement<'_> {
    fn of(&self, formula: &Formula, environment: &mut Environment) -> Result<Truth, NoValue> {
        let positions = &self.lasso.positions;
        self.limits.room(positions.len(), size_of::<bool>())?;
        Ok(match formula {
            Formula::Atom(atom) => {
                let mut truth = Vec::with_capacity(positions.len());
                for position in positions {
                    self.limits.check()?;
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
                self.each(binder, environment, body, |here| {
                    all.iter_mut().zip(here).for_each(|(all, here)| *all &= here);
                })?;
                all
            }
            Formula::Exists(binder, body) => {
                let mut any = vec![false; positions.len()];
                self.each(binder, environment, body, |here| {
                    any.iter_mut().zip(here).for_each(|(any, here)| *any |= here);
                })?;
                any
            }
        })
    }

    /// The truth of a body for each value of an index.
    fn each(
        &self,
        binder: &Binder,
        environment: &mut Environment,
        body: &Formula,
        mut visit: impl FnMut(Truth),
    ) -> Result<(), NoValue> {
        let flow = each_choice(slice::from_ref(binder), environment, &mut |inner| {
            self.of(body, inner).map_or_else(ControlFlow::Break, |truth| {
                visit(truth);
                ControlFlow::Continue(())
            })
        })?;
        flow.break_value().map_or(Ok(()), Err)
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
