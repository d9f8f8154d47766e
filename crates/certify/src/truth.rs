//! The truth of an LTL formula on a lasso, by its definition.
//!
//! A lasso has finitely many positions, each with one successor. The truth of a formula is a vector over the positions,
//! computed from the vectors of its parts. If an operator refers to itself at the next position
//! (`a U b = b || a && X (a U b)`), its vector is the least solution of that equation; for `W` and `R` it is the
//! greatest. We start from all false (all true) and apply the equation until nothing changes. Every round but the last
//! changes a position, and going backwards two rounds are enough: one turn of the cycle and the stem.
//!
//! A past operator is evaluated forwards, from the first position. Its truth on the cycle may differ between the first
//! turns. But if its operands have the same truth in every turn, it has so from the second turn on: `Y a` clearly, and
//! `a S b` because a turn either decides its truth or leaves it as it was. So the lasso is written out with one more turn
//! for each level of past operators. Quantifiers over
//! indices are unrolled through environments. Atoms are evaluated at every position, so a fault in any of them is
//! found, whatever the rest of the formula says.

use std::ops::ControlFlow;
use std::slice;

use model::instance::{Environment, Instance};
use model::{Binder, Formula, Lasso, Position, semantics};

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

/// The positions at which the formula is true: those of the lasso, and of a further turn of the cycle for each level of
/// past operators.
pub(crate) fn all(
    instance: &Instance,
    formula: &Formula,
    lasso: &Lasso,
    limits: &Limits<'_>,
) -> Result<Vec<bool>, NoValue> {
    let turn = &lasso.positions[lasso.cycle..];
    let turns = past_depth(formula);
    limits.room(lasso.positions.len() + turns * turn.len(), size_of::<&Position>())?;
    let mut positions: Vec<&Position> = lasso.positions.iter().collect();
    (0..turns).for_each(|_| positions.extend(turn));
    let cycle = positions.len() - turn.len();
    Judgement { instance, positions, cycle, limits }.of(formula, &mut Environment::default())
}

/// The number of past operators around each other.
fn past_depth(formula: &Formula) -> usize {
    match formula {
        Formula::Atom(_) => 0,
        Formula::Not(a)
        | Formula::Next(a)
        | Formula::Finally(a)
        | Formula::Globally(a)
        | Formula::Forall(_, a)
        | Formula::Exists(_, a) => past_depth(a),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().map(past_depth).max().unwrap_or(0),
        Formula::Implies(a, b) | Formula::Until(a, b) | Formula::WeakUntil(a, b) | Formula::Release(a, b) => {
            past_depth(a).max(past_depth(b))
        }
        Formula::Previous(a) | Formula::Once(a) | Formula::Historically(a) => past_depth(a) + 1,
        Formula::Since(a, b) => past_depth(a).max(past_depth(b)) + 1,
    }
}

/// A truth value per position.
type Truth = Vec<bool>;

struct Judgement<'a> {
    instance: &'a Instance,
    positions: Vec<&'a Position>,
    /// Where the last turn of the cycle begins.
    cycle: usize,
    limits: &'a Limits<'a>,
}

impl Judgement<'_> {
    fn of(&self, formula: &Formula, environment: &mut Environment) -> Result<Truth, NoValue> {
        let positions = &self.positions;
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
                (0..positions.len()).map(|k| a[self.next(k)]).collect()
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
            Formula::Previous(a) => {
                let a = self.of(a, environment)?;
                (0..a.len()).map(|k| k > 0 && a[k - 1]).collect()
            }
            Formula::Once(a) => forwards(&self.of(a, environment)?, |a, before| *a || before, false),
            Formula::Historically(a) => forwards(&self.of(a, environment)?, |a, before| *a && before, true),
            Formula::Since(a, b) => {
                let (a, b) = (self.of(a, environment)?, self.of(b, environment)?);
                let pairs: Vec<(bool, bool)> = a.into_iter().zip(b).collect();
                forwards(&pairs, |(a, b), before| *b || *a && before, false)
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

    /// The position after a position.
    fn next(&self, k: usize) -> usize {
        if k + 1 < self.positions.len() { k + 1 } else { self.cycle }
    }

    /// The least (`start` is false) or greatest (`start` is true) solution of `v[k] = equation(k, v[next k])`.
    fn solution(&self, start: bool, equation: impl Fn(usize, bool) -> bool) -> Truth {
        let mut truth = vec![start; self.positions.len()];
        loop {
            let mut changed = false;
            for k in (0..truth.len()).rev() {
                let value = equation(k, truth[self.next(k)]);
                changed |= value != truth[k];
                truth[k] = value;
            }
            if !changed {
                return truth;
            }
        }
    }
}

/// The truth of an operator that refers to itself at the position before; `start` is what it says before the first.
fn forwards<T>(operands: &[T], equation: impl Fn(&T, bool) -> bool, start: bool) -> Truth {
    let step = |before: &mut bool, operand: &T| {
        *before = equation(operand, *before);
        Some(*before)
    };
    operands.iter().scan(start, step).collect()
}

fn both(a: Truth, b: &Truth, combine: impl Fn(bool, bool) -> bool) -> Truth {
    a.into_iter().zip(b).map(|(a, b)| combine(a, *b)).collect()
}
