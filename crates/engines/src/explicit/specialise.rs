//! Partial evaluation of guards and updates.
//!
//! Given the values of some cells (usually the location and the locals of the acting process), an expression
//! becomes simpler: `last[j] != i` with `j = 2` reads one cell instead of an array. An update becomes a list of
//! *outcomes*: a condition on the state before the step, and for each written cell an expression over the state
//! before the step. Sequences are resolved by substitution. An array write whose index is not known becomes one
//! outcome per index, and assignments at the same index share them. Where the reference semantics would report a fault, there is an outcome marked as a fault, or a
//! marked table entry (see [`table`](super::table)). Which fault it is, the reference semantics says.

use std::collections::BTreeMap;

use model::expr::Operator;
use model::instance::Environment;
use model::system::Scalar;
use model::{Expr, Instance, Place, Update, ground};

/// One possible result of an update.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// What must be true before the step, in addition to the guard.
    pub(super) conditions: Vec<Expr>,
    /// The cells written, with their new values in terms of the state before the step.
    pub(super) writes: BTreeMap<usize, Expr>,
    /// Whether this is a fault.
    pub(super) fault: bool,
}

/// An expression with known cells replaced by their values, and folded.
pub(super) fn specialise(instance: &Instance, expr: &Expr, known: &BTreeMap<usize, Expr>) -> Expr {
    let replaced = replace(instance, expr, known);
    ground::expression(instance, &replaced, &mut Environment::default())
}

/// The outcomes of a ground update when some cells have known values; `None` if there are more than `most`.
pub(super) fn outcomes(
    instance: &Instance,
    update: &Update,
    known: &BTreeMap<usize, Expr>,
    most: usize,
) -> Option<Vec<Outcome>> {
    let start = Outcome::default();
    let mut paths = Vec::new();
    Unrolling { instance, known, most }.run(update, &start, &mut paths)?;
    Some(paths)
}

/// How updates are unrolled to outcomes.
struct Unrolling<'a> {
    instance: &'a Instance,
    known: &'a BTreeMap<usize, Expr>,
    most: usize,
}

/// The value of a cell as a constant of the right type.
pub(super) fn constant(instance: &Instance, cell: usize, value: i64) -> Expr {
    match instance.system.variable(instance.cells[cell].variable).kind.scalar {
        Scalar::Bool => Expr::Bool(value != 0),
        _ => Expr::Int(value),
    }
}

impl Unrolling<'_> {
    /// The outcomes of an update after a path.
    fn run(&self, update: &Update, path: &Outcome, paths: &mut Vec<Outcome>) -> Option<()> {
        let Unrolling { instance, known, most } = *self;
        if paths.len() > most {
            return None;
        }
        // The meaning of a read at this point of the step: the value written last, or the known one.
        let mut now = known.clone();
        now.extend(path.writes.iter().map(|(cell, value)| (*cell, value.clone())));
        let at_this_point = |expr: &Expr| -> Option<Expr> {
            let expr = specialise(instance, expr, &now);
            // A read through an index that is not known may select a cell that was written.
            let stale = expr.any(&mut |e| {
                matches!(e, Expr::Read(place) if instance.constant_cell(place).is_none()
                && path.writes.keys().any(|cell| instance.cells[*cell].variable == place.variable)
                && !resolved(place))
            });
            (!stale).then_some(expr)
        };
        match update {
            Update::Skip => paths.push(path.clone()),
            Update::Assign(assignments) => {
                let mut done = vec![path.clone()];
                for (place, value) in assignments {
                    let value = at_this_point(value)?;
                    let place = Place {
                        variable: place.variable,
                        process: match &place.process {
                            None => None,
                            Some(index) => Some(Box::new(at_this_point(index)?)),
                        },
                        position: place.position.iter().map(&at_this_point).collect::<Option<_>>()?,
                    };
                    let mut next = Vec::new();
                    for path in done {
                        assign(instance, &place, &value, &path, &mut next)?;
                        if next.len() > most {
                            return None;
                        }
                    }
                    done = next;
                }
                paths.extend(done);
            }
            Update::Sequence(updates) => {
                let mut current = vec![path.clone()];
                for update in updates {
                    let mut next = Vec::new();
                    for path in &current {
                        if path.fault {
                            next.push(path.clone());
                        } else {
                            self.run(update, path, &mut next)?;
                        }
                    }
                    current = next;
                }
                paths.extend(current);
            }
            Update::If(condition, yes, no) => {
                let condition = at_this_point(condition)?;
                let negated = Expr::negated(condition.clone());
                for (condition, branch) in [(condition, yes), (negated, no)] {
                    if let Some(path) = under(path, condition) {
                        self.run(branch, &path, paths)?;
                    }
                }
            }
            Update::Either(branches) => {
                let mut none = Some(path.clone());
                for (condition, branch) in branches {
                    let condition = at_this_point(condition)?;
                    none = none.and_then(|none| under(&none, Expr::negated(condition.clone())));
                    if let Some(path) = under(path, condition) {
                        self.run(branch, &path, paths)?;
                    }
                }
                paths.extend(none.map(|none| Outcome { fault: true, ..none }));
            }
            Update::Choose(..) => return None,
        }
        (paths.len() <= most).then_some(())
    }
}

/// The outcome with a further condition, unless that is false.
fn under(path: &Outcome, condition: Expr) -> Option<Outcome> {
    let mut path = path.clone();
    match condition {
        Expr::Bool(false) => return None,
        Expr::Bool(true) => {}
        other => path.conditions.push(other),
    }
    Some(path)
}

/// Writes a value to a place: to one cell or, if the place depends on the state, to each cell it may be.
fn assign(
    instance: &Instance,
    place: &Place,
    value: &Expr,
    path: &Outcome,
    paths: &mut Vec<Outcome>,
) -> Option<()> {
    match instance.constant_cell(place) {
        Some(Ok(cell)) => {
            let mut path = path.clone();
            let before = path.writes.insert(cell, value.clone());
            // A value that is overwritten must still be in range. We can only check that for constants.
            match before.map(|value| as_constant(&value)) {
                None => {}
                Some(Some(value)) if instance.cells[cell].domain.contains(value) => {}
                Some(_) => return None,
            }
            paths.push(path);
        }
        Some(Err(_)) => paths.push(Outcome { fault: true, ..path.clone() }),
        None => {
            // Only the position may be unknown: a process writes its own locals.
            let dimensions = instance.dimensions(place.variable);
            let open = (0..place.position.len()).find(|k| !matches!(place.position[*k], Expr::Int(_)))?;
            let (lo, hi) = dimensions[open];
            let index = place.position[open].clone();
            if hi - lo > 64 {
                return None;
            }
            // A step that sends writes many elements at the same index: the first of them decides it for all.
            let decided =
                (lo..=hi).find(|value| path.conditions.contains(&Expr::eq(index.clone(), Expr::Int(*value))));
            if let Some(value_of_index) = decided {
                let mut narrowed = place.clone();
                narrowed.position[open] = Expr::Int(value_of_index);
                return assign(instance, &narrowed, value, path, paths);
            }
            for value_of_index in lo..=hi {
                let condition = Expr::eq(index.clone(), Expr::Int(value_of_index));
                let mut narrowed = place.clone();
                narrowed.position[open] = Expr::Int(value_of_index);
                if let Some(path) = under(path, condition) {
                    assign(instance, &narrowed, value, &path, paths)?;
                }
            }
            let outside = Expr::or([
                Expr::binary(Operator::Lt, index.clone(), Expr::Int(lo)),
                Expr::binary(Operator::Gt, index, Expr::Int(hi)),
            ]);
            paths.extend(under(path, outside).map(|path| Outcome { fault: true, ..path }));
        }
    }
    Some(())
}

/// The expression with known cells replaced, innermost first, so that indices become constant before we look up the
/// cell they select.
fn replace(instance: &Instance, expr: &Expr, known: &BTreeMap<usize, Expr>) -> Expr {
    if known.is_empty() {
        return expr.clone();
    }
    let Expr::Read(place) = expr else {
        return expr.map(&mut |part| replace(instance, part, known));
    };
    let place = place.map(&mut |index| {
        ground::expression(instance, &replace(instance, index, known), &mut Environment::default())
    });
    match instance.constant_cell(&place) {
        Some(Ok(cell)) => known.get(&cell).cloned().unwrap_or(Expr::Read(place)),
        // An unknown index may select a cell that was written: distinguish cases by the index.
        None => dynamic_read(instance, place, known),
        Some(Err(_)) => Expr::Read(place),
    }
}

/// The value of a constant.
pub(super) fn as_constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Int(value) => Some(*value),
        Expr::Bool(value) => Some(i64::from(*value)),
        _ => None,
    }
}

/// Whether [`dynamic_read`] gives this place one case per element.
fn resolved(place: &Place) -> bool {
    let open = place.position.iter().filter(|index| as_constant(index).is_none()).count();
    open == 1 && place.process.as_deref().is_none_or(|process| as_constant(process).is_some())
}

/// A read of an array at an unknown index, where some elements have known values: one case per known element.
fn dynamic_read(instance: &Instance, place: Place, known: &BTreeMap<usize, Expr>) -> Expr {
    let touched = known.keys().any(|cell| instance.cells[*cell].variable == place.variable);
    let open = place.position.iter().position(|index| as_constant(index).is_none());
    let Some(open) = open.filter(|_| touched && resolved(&place)) else {
        return Expr::Read(place);
    };
    let index = place.position[open].clone();
    let (lo, hi) = instance.dimensions(place.variable)[open];
    let mut result = Expr::Read(place.clone());
    for value in lo..=hi {
        let mut one = place.clone();
        one.position[open] = Expr::Int(value);
        if let Some(Ok(cell)) = instance.constant_cell(&one)
            && let Some(known) = known.get(&cell)
        {
            let condition = Expr::eq(index.clone(), Expr::Int(value));
            result = Expr::If(Box::new(condition), Box::new(known.clone()), Box::new(result));
        }
    }
    result
}
