//! Applies permutations of process identities to expressions and updates, and compares them by a normal form.
//!
//! A permutation `p` of a [`Scalarset`] moves cells along with their owners and positions, and changes the values of
//! cells that hold identities. For an expression `e` we compute `p e`, which has in `p s` the value that `e` has in
//! `s` (moved by `p`, if it is an identity) or the same fault. It exists if identities are only compared, assigned
//! and used as indices. If `e` computes with an identity, or compares it with something else, there is none and we
//! give up.
//!
//! The normal form sorts the operands of commutative operators. `&&` and `||` go from left to right and stop early,
//! so they commute only if no operand can be faulty. Sums of bounded numbers commute.

use model::expr::Operator;
use model::{Expr, Instance, Pattern, Place, ProcessId, Update};

use super::footprint::is_total;
use super::scalarset::Scalarset;

/// A permutation of the identities of a set.
pub(super) struct Permutation<'a> {
    pub(super) set: &'a Scalarset,
    /// The new position of each identity.
    pub(super) map: Vec<usize>,
}

impl<'a> Permutation<'a> {
    /// The exchange of two neighbours.
    pub(super) fn exchange(set: &'a Scalarset, first: usize) -> Permutation<'a> {
        let mut map: Vec<usize> = (0..set.size()).collect();
        map.swap(first, first + 1);
        Permutation { set, map }
    }

    /// The image of a value, which is an identity if it is in their range.
    pub(super) fn value(&self, value: i64) -> i64 {
        self.set.position(value).map_or(value, |position| self.set.lo + self.map[position] as i64)
    }

    /// The image of a process.
    pub(super) fn process(&self, instance: &Instance, process: ProcessId) -> Option<ProcessId> {
        let known = &instance.processes[process.0 as usize];
        if !self.set.families.contains(&known.family) {
            return Some(process);
        }
        instance.process(known.family, known.index.map(|index| self.value(index))).ok()
    }

    /// The permuted form of an expression whose value is not an identity.
    pub(super) fn plain(&self, instance: &Instance, expr: &Expr) -> Option<Expr> {
        match expr {
            Expr::Read(place) if self.set.values.contains(&place.variable) => None,
            Expr::Read(place) => self.place(instance, place).map(Expr::Read),
            Expr::Binary(operator @ (Operator::Eq | Operator::Ne), a, b)
                if self.is_identity(a) || self.is_identity(b) =>
            {
                Some(Expr::binary(*operator, self.identity(instance, a)?, self.identity(instance, b)?))
            }
            Expr::Taken(pattern) => self.pattern(instance, pattern).map(Expr::Taken),
            Expr::Enabled(_) | Expr::Quantified(..) | Expr::Index(_) | Expr::Parameter(_) => None,
            other => {
                let mut whole = true;
                let permuted = other.map(&mut |part| {
                    self.plain(instance, part).unwrap_or_else(|| {
                        whole = false;
                        part.clone()
                    })
                });
                whole.then_some(permuted)
            }
        }
    }

    /// The permuted form of an expression whose value is an identity.
    fn identity(&self, instance: &Instance, expr: &Expr) -> Option<Expr> {
        match expr {
            Expr::Int(value) => Some(Expr::Int(self.value(*value))),
            Expr::Read(place) if self.set.values.contains(&place.variable) => {
                self.place(instance, place).map(Expr::Read)
            }
            Expr::If(condition, a, b) => {
                let condition = self.plain(instance, condition)?;
                let (a, b) = (self.identity(instance, a)?, self.identity(instance, b)?);
                Some(Expr::If(Box::new(condition), Box::new(a), Box::new(b)))
            }
            _ => None,
        }
    }

    fn is_identity(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Read(place) => self.set.values.contains(&place.variable),
            Expr::If(_, a, b) => self.is_identity(a) || self.is_identity(b),
            _ => false,
        }
    }

    fn place(&self, instance: &Instance, place: &Place) -> Option<Place> {
        let owner = instance.system.variable(place.variable).owner;
        let process = match &place.process {
            None => None,
            Some(process) if owner.is_some_and(|family| self.set.families.contains(&family)) => {
                Some(Box::new(self.identity(instance, process)?))
            }
            Some(process) => Some(Box::new(self.plain(instance, process)?)),
        };
        let index = |(dimension, index): (usize, &Expr)| {
            if self.set.dimensions.contains(&(place.variable, dimension)) {
                self.identity(instance, index)
            } else {
                self.plain(instance, index)
            }
        };
        let position = place.position.iter().enumerate().map(index).collect::<Option<_>>()?;
        Some(Place { variable: place.variable, process, position })
    }

    /// Patterns with arguments have no permuted form, because it is not known whether an argument is an identity.
    fn pattern(&self, instance: &Instance, pattern: &Pattern) -> Option<Pattern> {
        if pattern.arguments.is_some() {
            return None;
        }
        let mut permuted = pattern.clone();
        for party in &mut permuted.participants {
            if let Some(process) = &mut party.process {
                **process = if self.set.families.contains(&party.family) {
                    self.identity(instance, process)?
                } else {
                    self.plain(instance, process)?
                };
            }
        }
        Some(permuted)
    }

    /// The permuted form of a ground update.
    pub(super) fn update(&self, instance: &Instance, update: &Update) -> Option<Update> {
        Some(match update {
            Update::Skip => Update::Skip,
            Update::Assign(assignments) => {
                let assign = |(place, value): &(Place, Expr)| {
                    let value = if self.set.values.contains(&place.variable) {
                        self.identity(instance, value)?
                    } else {
                        self.plain(instance, value)?
                    };
                    Some((self.place(instance, place)?, value))
                };
                Update::Assign(assignments.iter().map(assign).collect::<Option<_>>()?)
            }
            Update::Sequence(updates) => Update::Sequence(
                updates.iter().map(|update| self.update(instance, update)).collect::<Option<_>>()?,
            ),
            Update::If(condition, yes, no) => Update::If(
                self.plain(instance, condition)?,
                Box::new(self.update(instance, yes)?),
                Box::new(self.update(instance, no)?),
            ),
            Update::Either(branches) => {
                let branch = |(condition, update): &(Expr, Update)| {
                    Some((self.plain(instance, condition)?, self.update(instance, update)?))
                };
                Update::Either(branches.iter().map(branch).collect::<Option<_>>()?)
            }
            Update::Choose(..) => return None,
        })
    }
}

/// A form that is the same for expressions that differ only in the order of commuting operands.
pub(super) fn normal(instance: &Instance, expr: &Expr) -> Expr {
    let mut sorted = expr.map(&mut |part| normal(instance, part));
    match &mut sorted {
        Expr::And(parts) | Expr::Or(parts) | Expr::Sum(parts) if is_total(instance, expr) => {
            parts.sort_by_cached_key(key);
        }
        Expr::Min(parts) | Expr::Max(parts) => parts.sort_by_cached_key(key),
        Expr::Binary(Operator::Eq | Operator::Ne, a, b) if key(a) > key(b) => std::mem::swap(a, b),
        _ => {}
    }
    sorted
}

/// The same for updates.
pub(super) fn normal_update(instance: &Instance, update: &Update) -> Update {
    match update {
        Update::Skip => Update::Skip,
        Update::Assign(assignments) => {
            let mut sorted: Vec<(Place, Expr)> = assignments
                .iter()
                .map(|(place, value)| {
                    (place.map(&mut |index| normal(instance, index)), normal(instance, value))
                })
                .collect();
            let cells: Option<Vec<usize>> =
                sorted.iter().map(|(place, _)| instance.constant_cell(place)?.ok()).collect();
            if let Some(mut cells) = cells {
                cells.sort_unstable();
                // Two writes to one cell do not commute.
                if cells.windows(2).all(|pair| pair[0] != pair[1]) {
                    sorted.sort_by_cached_key(|assignment| format!("{assignment:?}"));
                }
            }
            Update::Assign(sorted)
        }
        Update::Sequence(updates) => {
            Update::Sequence(updates.iter().map(|update| normal_update(instance, update)).collect())
        }
        Update::If(condition, yes, no) => Update::If(
            normal(instance, condition),
            Box::new(normal_update(instance, yes)),
            Box::new(normal_update(instance, no)),
        ),
        Update::Either(branches) => {
            let mut sorted: Vec<(Expr, Update)> = branches
                .iter()
                .map(|(condition, branch)| (normal(instance, condition), normal_update(instance, branch)))
                .collect();
            sorted.sort_by_cached_key(|branch| format!("{branch:?}"));
            Update::Either(sorted)
        }
        Update::Choose(..) => update.clone(),
    }
}

/// A sort key for expressions.
fn key(expr: &Expr) -> String {
    format!("{expr:?}")
}
