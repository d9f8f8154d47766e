//! Splits an update into *paths*: one per way of resolving its choices. A path is deterministic.
//!
//! A condition after an assignment is carried back to the state before the step by substitution; reading an array that
//! has been written becomes an `if` on whether the indices are equal. So every path has a condition over the state
//! before the step that says when it is possible. Where no branch of a choice is possible, or a condition has no value,
//! there is a path that ends in a fault.
//!
//! A language whose steps are sequences of statements only needs the choices removed ([`paths`]). A language that
//! describes the states before and after a step needs everything carried back ([`effects`]): an `if` splits the path as
//! a choice does, assignments become writes of values in the state before, and a write that may be a fault adds a path
//! for it. The number of paths is the product of consecutive choices.

use model::expr::Place;
use model::{Expr, Instance, Update};

use super::range::{between, constant, defined, place_exists, uniform};
use super::refusal;
use crate::export::Refusal;

/// Limit on the paths through one update. Beyond it the export is refused.
const LIMIT: usize = 4096;

/// Limit on the size of expressions that are carried back. Beyond it the export is refused.
const SIZE: usize = 100_000;

/// The paths of a ground update; [`Path::body`] says what they do.
pub(crate) fn paths(instance: &Instance, update: &Update) -> Result<Vec<Path>, Refusal> {
    let mut splitting = Splitting { instance, whole: false, paths: vec![Path::default()] };
    splitting.add(update, false)?;
    Ok(splitting.paths)
}

/// The paths of a ground update; [`Path::writes`] says what they do, and none of the writes is a fault.
pub(crate) fn effects(instance: &Instance, update: &Update) -> Result<Vec<Path>, Refusal> {
    let mut splitting = Splitting { instance, whole: true, paths: vec![Path::default()] };
    splitting.add(update, true)?;
    Ok(splitting.paths)
}

/// A path through an update.
#[derive(Clone, Default)]
pub(crate) struct Path {
    /// When it is possible, over the state before the step.
    pub(crate) conditions: Vec<Expr>,
    /// The writes that had to be carried back, in order. Values are over the state before the step.
    pub(crate) writes: Vec<(Place, Expr)>,
    /// The statements, without choices.
    pub(crate) body: Vec<Update>,
    /// Whether it ends in a fault.
    pub(crate) faults: bool,
}

struct Splitting<'a> {
    instance: &'a Instance,
    /// Whether everything is carried back.
    whole: bool,
    paths: Vec<Path>,
}

impl Splitting<'_> {
    /// Appends an update to every path. `tracked` means that a condition may follow that has to be carried back over
    /// it.
    fn add(&mut self, update: &Update, tracked: bool) -> Result<(), Refusal> {
        match update {
            Update::Skip => Ok(()),
            Update::Sequence(parts) => {
                for (number, part) in parts.iter().enumerate() {
                    self.add(part, tracked || parts[number + 1..].iter().any(chooses))?;
                }
                Ok(())
            }
            Update::If(condition, yes, no) if tracked || chooses(update) => {
                let no = (Expr::negated(condition.clone()), no.as_ref());
                self.split(&[(condition.clone(), yes.as_ref()), no], tracked)
            }
            Update::Either(branches) => {
                let branches: Vec<(Expr, &Update)> =
                    branches.iter().map(|(c, update)| (c.clone(), update)).collect();
                self.split(&branches, tracked)
            }
            Update::Choose(..) => unreachable!("the update is ground"),
            Update::Assign(assignments) => {
                if self.whole {
                    self.check(assignments)?;
                }
                for path in self.paths.iter_mut().filter(|path| !path.faults) {
                    if tracked {
                        let parts = assignments.iter().map(|(_, value)| value);
                        let indices = assignments.iter().flat_map(|(place, _)| &place.position);
                        check_size(parts.chain(indices), &path.writes)?;
                        let carried = |expr: &Expr| before(expr, &path.writes);
                        let writes: Vec<(Place, Expr)> = assignments
                            .iter()
                            .map(|(place, value)| (place_before(place, &path.writes), carried(value)))
                            .collect();
                        path.writes.extend(writes);
                    }
                    path.body.push(update.clone());
                }
                Ok(())
            }
            Update::If(..) => {
                for path in self.paths.iter_mut().filter(|path| !path.faults) {
                    path.body.push(update.clone());
                }
                Ok(())
            }
        }
    }

    /// Splits every path by the branches whose conditions are true. Where none is, the path ends in a fault.
    fn split(&mut self, branches: &[(Expr, &Update)], tracked: bool) -> Result<(), Refusal> {
        let mut results = Vec::new();
        for path in std::mem::take(&mut self.paths) {
            if path.faults {
                results.push(path);
                continue;
            }
            check_size(branches.iter().map(|(c, _)| c), &path.writes)?;
            let conditions: Vec<Expr> = branches.iter().map(|(c, _)| before(c, &path.writes)).collect();
            let mut good = Vec::new();
            for condition in &conditions {
                good.push(defined(self.instance, condition)?);
            }
            let exhaustive = match &conditions[..] {
                [yes, Expr::Not(no)] if **no == *yes => true,
                _ => conditions.contains(&Expr::Bool(true)),
            };
            if !exhaustive {
                good.push(Expr::or(conditions.iter().cloned()));
            }
            let good = Expr::and(good);
            if good != Expr::Bool(true) {
                let mut lost = path.clone();
                lost.conditions.push(Expr::negated(good));
                lost.faults = true;
                results.push(lost);
            }
            for (condition, (_, update)) in conditions.iter().zip(branches) {
                let mut taken = path.clone();
                taken.conditions.push(Expr::and([defined(self.instance, condition)?, condition.clone()]));
                let mut rest = Splitting { instance: self.instance, whole: self.whole, paths: vec![taken] };
                rest.add(update, tracked)?;
                results.extend(rest.paths);
            }
            if results.len() > LIMIT {
                return Err(refusal(format!(
                    "an update has more than {LIMIT} ways of resolving its choices"
                )));
            }
        }
        self.paths = results;
        Ok(())
    }

    /// Continues a path only where the places exist and the values fit. Elsewhere it ends in a fault.
    fn check(&mut self, assignments: &[(Place, Expr)]) -> Result<(), Refusal> {
        for number in 0..self.paths.len() {
            let path = &self.paths[number];
            if path.faults {
                continue;
            }
            check_size(assignments.iter().map(|(_, value)| value), &path.writes)?;
            let mut good = Vec::new();
            for (place, value) in assignments {
                let (place, value) = (place_before(place, &path.writes), before(value, &path.writes));
                let (lo, hi) = uniform(self.instance, &place)?;
                good.push(place_exists(self.instance, &place)?);
                good.push(defined(self.instance, &value)?);
                good.push(between(self.instance, &value, lo, hi)?);
            }
            let good = Expr::and(good);
            if good != Expr::Bool(true) {
                let mut lost = path.clone();
                lost.conditions.push(Expr::negated(good.clone()));
                lost.faults = true;
                self.paths[number].conditions.push(good);
                self.paths.push(lost);
            }
        }
        Ok(())
    }
}

/// Refuses expressions that would become too large over the state before `writes`. Carrying back substitutes written
/// values for reads, so it can double an expression with every statement.
fn check_size<'a>(exprs: impl Iterator<Item = &'a Expr>, writes: &[(Place, Expr)]) -> Result<(), Refusal> {
    if writes.is_empty() {
        return Ok(());
    }
    let mut size: usize = writes.iter().map(|(_, value)| nodes(value)).sum();
    let carried = size;
    for expr in exprs {
        expr.any(&mut |part| {
            let written = |place: &Place| writes.iter().any(|(write, _)| write.variable == place.variable);
            let replaced = matches!(part, Expr::Read(place) if written(place));
            size = size.saturating_add(if replaced { carried } else { 1 });
            size > SIZE
        });
    }
    if size > SIZE { Err(refusal("an update computes too much in one step")) } else { Ok(()) }
}

/// The number of nodes of an expression.
fn nodes(expr: &Expr) -> usize {
    let mut count = 0;
    expr.any(&mut |_| {
        count += 1;
        false
    });
    count
}

/// Whether an update has more than one outcome, or may have none.
fn chooses(update: &Update) -> bool {
    match update {
        Update::Skip | Update::Assign(_) => false,
        Update::Sequence(parts) => parts.iter().any(chooses),
        Update::If(_, yes, no) => chooses(yes) || chooses(no),
        Update::Either(_) | Update::Choose(..) => true,
    }
}

/// The expression over the state before `writes` that has the value of `expr` after them.
pub(crate) fn before(expr: &Expr, writes: &[(Place, Expr)]) -> Expr {
    if writes.is_empty() {
        return expr.clone();
    }
    let of = |expr: &Expr| before(expr, writes);
    let all = |parts: &[Expr]| parts.iter().map(of).collect::<Vec<_>>();
    match expr {
        Expr::Read(place) => {
            let place = place_before(place, writes);
            let mut value = Expr::Read(place.clone());
            for (written, new) in writes.iter().filter(|(written, _)| written.variable == place.variable) {
                value = match same(written, &place) {
                    Expr::Bool(true) => new.clone(),
                    Expr::Bool(false) => value,
                    same => Expr::If(Box::new(same), Box::new(new.clone()), Box::new(value)),
                };
            }
            value
        }
        Expr::Not(a) => Expr::negated(of(a)),
        Expr::Neg(a) => Expr::Neg(Box::new(of(a))),
        Expr::And(parts) => Expr::And(all(parts)),
        Expr::Or(parts) => Expr::Or(all(parts)),
        Expr::Sum(parts) => Expr::Sum(all(parts)),
        Expr::Min(parts) => Expr::Min(all(parts)),
        Expr::Max(parts) => Expr::Max(all(parts)),
        Expr::Binary(operator, a, b) => Expr::binary(*operator, of(a), of(b)),
        Expr::If(c, a, b) => Expr::If(Box::new(of(c)), Box::new(of(a)), Box::new(of(b))),
        other => other.clone(),
    }
}

fn place_before(place: &Place, writes: &[(Place, Expr)]) -> Place {
    Place {
        variable: place.variable,
        process: place.process.as_ref().map(|index| Box::new(before(index, writes))),
        position: place.position.iter().map(|index| before(index, writes)).collect(),
    }
}

/// The condition that two places of one variable are the same.
pub(crate) fn same(a: &Place, b: &Place) -> Expr {
    let processes = a.process.as_deref().zip(b.process.as_deref());
    Expr::and(processes.into_iter().chain(a.position.iter().zip(&b.position)).map(|(a, b)| {
        match (constant(a), constant(b)) {
            (Some(a), Some(b)) => Expr::Bool(a == b),
            _ if a == b => Expr::Bool(true),
            _ => Expr::eq(a.clone(), b.clone()),
        }
    }))
}
