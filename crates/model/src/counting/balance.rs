//! Numbers of processes that are compared with each other.
//!
//! `readers == count(i in 1..N: R[i]@read)` and `sum(i in 1..N: P[i].w) <= 2 * N` compare numbers that have no bound. Such a
//! comparison is a sum over the processes of a family, compared with something that is no number of processes: each process
//! adds its *weight*, which its letter determines. `N` adds the same to each weight, and a [`Tally`] adds its factor to the
//! weights of the letters that it counts.
//!
//! **Lemma.** Take two states with the same counts up to `r`, and a sum of weights that is compared with values below `r` on
//! either side of 0. If all weights are 0, the sum is 0 in both. If the weights of the letters that occur have the same sign
//! and there is no tally, the comparison has the same value in both: either some letter with a weight that is not 0 has at
//! least `r` processes in both, and both sums are beyond all these values on the same side, or all such letters have equal
//! numbers, and the sums are equal.
//!
//! With tallies only the first case is used, because a tally is no part of counts. Which letters occur is known where a
//! state is looked at ([`Balance::is_fine`]).

use super::class::{Class, Rank, Scope, open_end};
use super::{Counted, Letter, Tally};
use crate::answer::State;
use crate::expr::{Binder, Expr, Operator, Quantifier};
use crate::instance::{Environment, Instance};
use crate::semantics::{self, Fault};
use crate::system::Scalar;

/// Factors and constants are smaller than this, so that sums do not leave the range of all numbers.
const SMALL: i64 = 1 << 20;

/// A comparison as a sum of weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Balance {
    /// The family, by position; `None` if there are tallies only.
    family: Option<usize>,
    /// Factors, and what is added up or counted of each process.
    terms: Vec<(i64, Term)>,
    /// Tallies by position, with their factors.
    tallies: Vec<(usize, i64)>,
    /// What the size of the family adds to each weight, and the parameter.
    size: Option<(usize, i64)>,
    /// The least and the greatest value of everything else.
    least: i64,
    most: i64,
}

/// What one process adds.
#[derive(Clone, Debug)]
enum Term {
    /// 1 if this is true.
    Count(Binder, Expr),
    /// This value.
    Value(Binder, Expr),
}

impl Balance {
    /// A comparison as a balance, and its rank; `None` if it is none.
    pub(super) fn new(class: &Class<'_>, a: &Expr, b: &Expr, scope: &mut Scope) -> Option<(Balance, Rank)> {
        let mut balance = Balance::default();
        balance.add(class, 1, a, scope)?;
        balance.add(class, -1, b, scope)?;
        if let (Some((parameter, factor)), family) = (balance.size, balance.family) {
            let own = class.counted.iter().position(|counted| counted.parameter == parameter)?;
            if family.is_some_and(|family| family != own) {
                return None;
            }
            balance.family = Some(own);
            // N = size + first - 1 - offset.
            let Counted { first, offset, .. } = &class.counted[own];
            let fixed = factor.checked_mul(first - 1 - offset)?;
            balance.least = balance.least.checked_add(fixed)?;
            balance.most = balance.most.checked_add(fixed)?;
        }
        let most = balance.most.checked_abs()?.max(balance.least.checked_abs()?);
        (most < SMALL).then_some(())?;
        let rank = if balance.tallies.is_empty() { u32::try_from(most).ok()? + 1 } else { 0 };
        Some((balance, Rank::of_all(rank)))
    }

    /// Adds an expression, times a factor.
    fn add(&mut self, class: &Class<'_>, factor: i64, expr: &Expr, scope: &mut Scope) -> Option<()> {
        (factor.checked_abs()? < SMALL).then_some(())?;
        match expr {
            Expr::Sum(parts) => parts.iter().try_for_each(|part| self.add(class, factor, part, scope)),
            Expr::Neg(part) => self.add(class, -factor, part, scope),
            Expr::Binary(Operator::Sub, a, b) => {
                self.add(class, factor, a, scope)?;
                self.add(class, -factor, b, scope)
            }
            Expr::Binary(Operator::Mul, a, b) => match (&**a, &**b) {
                (Expr::Int(number), part) | (part, Expr::Int(number)) => {
                    self.add(class, factor.checked_mul(*number)?, part, scope)
                }
                _ => None,
            },
            Expr::Int(number) => self.add_range(factor, *number, *number),
            Expr::Parameter(_) => {
                let (parameter, _) = open_end(expr)?;
                let (known, sum) = self.size.get_or_insert((parameter, 0));
                *sum += factor;
                (*known == parameter).then_some(())
            }
            Expr::Quantified(quantifier, binder, body) => {
                let family = class.family_of(&binder.span)?;
                let is_new = *self.family.get_or_insert(family) != family;
                if is_new
                    || !class.inside(binder, family, body, scope).ok()?.is_zero()
                    || speaks_of_others(binder, body)
                {
                    return None;
                }
                let term = match quantifier {
                    Quantifier::Count => Term::Count(binder.clone(), (**body).clone()),
                    Quantifier::Sum => Term::Value(binder.clone(), (**body).clone()),
                    _ => return None,
                };
                self.terms.push((factor, term));
                Some(())
            }
            Expr::Read(place) => {
                if let Some(tally) = class.tallies.iter().position(|tally| tally.is_read(expr)) {
                    self.tallies.push((tally, factor));
                    return Some(());
                }
                class.rank(expr, scope).ok()?.is_zero().then_some(())?;
                let Scalar::Range(span) = &class.system.variable(place.variable).kind.scalar else {
                    return None;
                };
                match (&*span.lo, &*span.hi) {
                    (Expr::Int(lo), Expr::Int(hi)) => self.add_range(factor, *lo, *hi),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn add_range(&mut self, factor: i64, lo: i64, hi: i64) -> Option<()> {
        let (one, other) = (factor.checked_mul(lo)?, factor.checked_mul(hi)?);
        self.least = self.least.checked_add(one.min(other))?;
        self.most = self.most.checked_add(one.max(other))?;
        Some(())
    }

    /// Whether the lemma covers states with these processes: their families, indices and letters.
    pub(super) fn is_fine<'l>(
        &self,
        instance: &Instance,
        state: &State,
        tallies: &[Tally],
        processes: impl Iterator<Item = (usize, i64, &'l Letter)>,
    ) -> Result<bool, Fault> {
        let (mut negative, mut positive) = (false, false);
        for (family, index, letter) in processes {
            let mut weight = 0;
            if self.family == Some(family) {
                weight += self.size.map_or(0, |(_, factor)| factor);
                for (factor, term) in &self.terms {
                    let (Term::Count(binder, body) | Term::Value(binder, body)) = term;
                    let mut environment = Environment::default();
                    environment.bind(binder.index, index);
                    let value = semantics::evaluate(instance, body, state, &mut environment)?;
                    let value = if let Term::Count(..) = term { i64::from(value != 0) } else { value };
                    weight = weight.saturating_add(factor.saturating_mul(value));
                }
            }
            for (number, factor) in &self.tallies {
                let tally = &tallies[*number];
                if tally.family == family && tally.letters.contains(letter) {
                    weight = weight.saturating_add(*factor);
                }
            }
            negative |= weight < 0;
            positive |= weight > 0;
        }
        Ok(if self.tallies.is_empty() { !(negative && positive) } else { !negative && !positive })
    }
}

/// Whether what is counted of a process speaks of anything but this process.
pub(super) fn speaks_of_others(binder: &Binder, body: &Expr) -> bool {
    body.any(&mut |part| match part {
        Expr::Read(place) => place.process.as_deref() != Some(&Expr::Index(binder.index)),
        Expr::Index(index) => *index != binder.index,
        Expr::Taken(_) | Expr::Enabled(_) | Expr::Quantified(..) | Expr::Parameter(_) => true,
        _ => false,
    })
}
