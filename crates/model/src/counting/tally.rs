//! Shared numbers that are numbers of processes.
//!
//! A variable whose range ends at the number of processes, such as `arrived: 0..N`, has no value that counts up to a bound
//! could know. But often it is in every state a number plus how many processes of a family have certain letters. A
//! proof may say so. Then the variable is no part of [`Counts`]: its value in a concrete state follows from the letters.
//!
//! **Comparisons.** To compare such a variable with a number, or with `N` plus a number, is to compare a count of
//! processes with a number: of those with the letters, or of those without them. So its rank is that of a count, and the
//! lemma of [`counting`](super) covers it. The variable must not be used otherwise, except that an action may add a number
//! to it. Inside an action that adds up to `d` to it, comparisons are about a count that is `d` less or more; whether the
//! new value is outside the range is such a comparison, too.
//!
//! **Why it is such a number.** In all initial states it is: those with few processes are looked at, and a variable that
//! begins with a number is compared with a count that is exact, so that it is the same with more processes (if it begins
//! with `N` plus a number, the count of the other processes is). A step changes the variable and the count in the view by
//! the same number; in every other state with these counts it adds the same number to the variable and changes the letter of
//! the acting process in the same way.

use std::collections::BTreeSet;

use super::class::open_end;
use super::{Counted, Letter, Trouble};
use crate::answer::State;
use crate::expr::{Expr, Operator, Place};
use crate::instance::Instance;
use crate::system::{Initial, Scalar, System, Update, VariableId};

/// A shared variable, and what it is in every reachable state.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Tally {
    /// The variable, by position in [`System::variables`].
    pub variable: usize,
    /// What is added to the number of processes.
    pub constant: i64,
    /// The counted family, by position.
    pub family: usize,
    /// The letters of the processes that are counted.
    pub letters: BTreeSet<Letter>,
}

impl Tally {
    /// Whether it is a single shared variable with a range from a number to the size of the family, perhaps with a number
    /// added, and with one first value; otherwise why it is not.
    pub(super) fn is_well_formed(&self, system: &System, counted: &[Counted]) -> Result<(), String> {
        let own = counted.get(self.family).ok_or("a tally is of no counted family")?;
        let variable = system.variables.get(self.variable).ok_or("there is no such tally")?;
        let Scalar::Range(span) = &variable.kind.scalar else {
            return Err(format!("`{}` has no range", variable.name));
        };
        let ends_at = |expr: &Expr| open_end(expr).is_some_and(|(parameter, _)| parameter == own.parameter);
        let begins = self.first(system).is_some_and(|one| matches!(one, Expr::Int(_)) || ends_at(one));
        let is_fine = variable.owner.is_none()
            && variable.kind.dimensions.is_empty()
            && matches!(*span.lo, Expr::Int(_))
            && ends_at(&span.hi)
            && begins;
        if is_fine { Ok(()) } else { Err(format!("`{}` is not a number of processes", variable.name)) }
    }

    /// Whether an expression reads it.
    pub(super) fn is_read(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Read(Place { variable: VariableId(id), .. }) if *id as usize == self.variable)
    }

    /// The cell of an instance.
    pub(super) fn cell(&self, instance: &Instance) -> Option<usize> {
        instance.cells.iter().position(|cell| cell.variable.0 as usize == self.variable)
    }

    /// Its value where processes have these letters.
    pub(super) fn value<'l>(&self, letters: impl Iterator<Item = &'l Letter>) -> i64 {
        let count = letters.filter(|letter| self.letters.contains(*letter)).count();
        self.constant.saturating_add(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// Whether a concrete state has the value.
    pub(super) fn is_right(&self, instance: &Instance, state: &State, counted: &[Counted]) -> bool {
        let Some(cell) = self.cell(instance) else { return false };
        let letters: Vec<Letter> = instance
            .members(counted[self.family].family)
            .map(|process| {
                let own = instance.cells.iter().zip(&state.0).filter(|(cell, _)| cell.owner == Some(process));
                own.map(|(_, value)| *value).collect()
            })
            .collect();
        state.0[cell] == self.value(letters.iter())
    }

    /// Its first value, if there is one.
    fn first<'s>(&self, system: &'s System) -> Option<&'s Expr> {
        match &system.variables[self.variable].initial {
            Initial::Among(values) => match &values[..] {
                // A variable that is given no value begins with 0 if that is in its range, else with the least.
                [Expr::If(_, a, b)] if a == b => Some(a),
                [one] => Some(one),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether its first value is a number, and not a parameter plus a number.
    pub(super) fn begins_with_a_number(&self, system: &System) -> bool {
        matches!(self.first(system), Some(Expr::Int(_)))
    }

    /// The rank of a comparison of this variable, or of it plus a number, with a number or with the parameter plus a number,
    /// where up to `added` was added to it before; `None` if it is another expression.
    pub(super) fn compared(&self, a: &Expr, b: &Expr, counted: &[Counted], added: i64) -> Option<u32> {
        match (self.shifted(a), self.shifted(b)) {
            (Some(more), _) => self.with(more, b, counted, added),
            (None, Some(more)) => self.with(more, a, counted, added),
            (None, None) => None,
        }
    }

    /// The rank of a comparison of this variable plus `more`.
    fn with(&self, more: i64, other: &Expr, counted: &[Counted], added: i64) -> Option<u32> {
        let own = &counted[self.family];
        // The number that the count of processes with the letters, or of those without, is compared with.
        let least = match (other, open_end(other)) {
            (Expr::Int(number), _) => number.checked_sub(more)?.checked_sub(self.constant)?,
            // size = N - first + 1 + offset, so N + number - more - constant - (with the letters) is
            // (without them) + number - more - constant + first - 1 - offset.
            (_, Some((parameter, number))) if parameter == own.parameter && is_small(number) => more
                .checked_add(self.constant)?
                .checked_sub(number)?
                .checked_sub(own.first - 1 - own.offset)?,
            _ => return None,
        };
        let most = least.checked_add(added)?.clamp(0, i64::from(u32::MAX / 4));
        u32::try_from(most).ok().map(|most| most + 1)
    }

    /// The number that is added to the variable.
    fn shifted(&self, expr: &Expr) -> Option<i64> {
        let more = match expr {
            _ if self.is_read(expr) => Some(0),
            Expr::Sum(parts) => match &parts[..] {
                [read, Expr::Int(more)] | [Expr::Int(more), read] if self.is_read(read) => Some(*more),
                _ => None,
            },
            Expr::Binary(Operator::Sub, read, less) if self.is_read(read) => match **less {
                Expr::Int(less) => less.checked_neg(),
                _ => None,
            },
            _ => None,
        };
        more.filter(|more| is_small(*more))
    }

    /// The number that an assignment adds, if it is one to this variable; an error if it is anything else.
    pub(super) fn added(&self, place: &Place, expr: &Expr) -> Result<Option<i64>, String> {
        if place.variable.0 as usize != self.variable {
            return Ok(None);
        }
        let more = self.shifted(expr).ok_or("a number of processes is set to something else")?;
        Ok(Some(more))
    }

    /// How much an update may add to it, up or down, at most.
    pub(super) fn most_added(&self, update: &Update) -> i64 {
        match update {
            Update::Skip => 0,
            Update::Assign(assignments) => assignments
                .iter()
                .filter_map(|(place, expr)| self.added(place, expr).ok().flatten())
                .fold(0, |sum, more| sum.saturating_add(more.saturating_abs())),
            Update::Sequence(updates) => {
                updates.iter().fold(0, |sum, update| sum.saturating_add(self.most_added(update)))
            }
            Update::If(_, yes, no) => self.most_added(yes).max(self.most_added(no)),
            Update::Either(branches) => {
                branches.iter().map(|(_, branch)| self.most_added(branch)).max().unwrap_or(0)
            }
            Update::Choose(_, _, body) => self.most_added(body),
        }
    }

    /// The rank of the question whether it is outside its range, where up to `added` was added to it.
    pub(super) fn range(&self, system: &System, counted: &[Counted], added: i64) -> Result<u32, String> {
        let Scalar::Range(span) = &system.variables[self.variable].kind.scalar else { return Ok(0) };
        let ends = [&*span.lo, &*span.hi].map(|end| self.with(0, end, counted, added.saturating_add(1)));
        match ends {
            [Some(lo), Some(hi)] => Ok(lo.max(hi)),
            _ => Err("the range of a number of processes is too large".to_owned()),
        }
    }
}

/// Whether a number can be added to a number of processes without leaving the range of all numbers.
pub(super) fn is_small(number: i64) -> bool {
    number.unsigned_abs() < 1 << 32
}

/// Trouble if a variable has not the value that a tally says.
pub(super) fn are_right(
    tallies: &[Tally],
    instance: &Instance,
    state: &State,
    counted: &[Counted],
) -> Result<(), Trouble> {
    let is_right = tallies.iter().all(|tally| tally.is_right(instance, state, counted));
    if is_right { Ok(()) } else { Err(Trouble::Tally) }
}
