//! The values that variables can have.
//!
//! A variable may be declared with more values than it ever gets: a byte that is a flag, a table that nobody writes, a
//! counter with a guard. States with fewer bits are stored and compared faster, and more of what is said about them fits
//! into [tables](super::table).
//!
//! This is an interval analysis in the way of [CC77], with one interval per variable for all its elements and all
//! processes, so that exchanging processes does not change how states are packed. Every action is carried out on
//! intervals, and what it writes is added, until nothing changes. Comparisons of a cell with a constant, in guards and
//! conditions, narrow the interval of the cell. An interval that still grows after some rounds becomes the declared
//! range. Faults need not be considered, because there is no state after one.

use model::expr::Operator;
use model::instance::{Domain, Start};
use model::{ActionId, Expr, Instance, Place, Update, ground};

/// Rounds after which intervals that still grow become the declared ranges.
const ROUNDS: usize = 6;
/// With more actions, or with larger ones, the declared ranges are taken.
const MANY: usize = 2_000;
const LARGEST: usize = 100_000;

/// Per cell, a range that contains all values it has in reachable states.
pub(super) fn ranges(instance: &Instance) -> Vec<Domain> {
    let declared = || instance.cells.iter().map(|cell| cell.domain).collect();
    if instance.actions.len() > MANY {
        return declared();
    }
    let mut analysis = Analysis::new(instance);
    let mut left = LARGEST;
    let mut actions = Vec::new();
    for action in (0..instance.actions.len() as u32).map(ActionId) {
        let (guard, update) =
            (ground::guard(instance, action), ground::update_within(instance, action, ground::PARTS));
        match left.checked_sub(1 + size(&guard) + size_of_update(&update)) {
            Some(rest) => left = rest,
            None => return declared(),
        }
        actions.push((guard, update));
    }
    for round in 0.. {
        analysis.grown.fill(false);
        for (guard, update) in &actions {
            let mut now = Vec::new();
            if analysis.assume(guard, true, &mut now) {
                analysis.carry_out(update, &mut now);
            }
        }
        if !analysis.grown.contains(&true) {
            break;
        }
        if round >= ROUNDS {
            analysis.give_up();
        }
    }
    let narrowed = instance.cells.iter().map(|cell| {
        // The cells of a variable may have different ranges.
        let range = analysis.ranges[cell.variable.0 as usize];
        let both = Domain { lo: range.lo.max(cell.domain.lo), hi: range.hi.min(cell.domain.hi) };
        if both.lo <= both.hi { both } else { cell.domain }
    });
    narrowed.collect()
}

/// The number of nodes of an expression.
pub(super) fn size(expr: &Expr) -> usize {
    let mut nodes = 0;
    expr.any(&mut |_| {
        nodes += 1;
        false
    });
    nodes
}

fn size_of_update(update: &Update) -> usize {
    match update {
        Update::Skip => 0,
        Update::Assign(assignments) => assignments.iter().map(|(_, value)| 2 + size(value)).sum(),
        Update::Sequence(updates) => updates.iter().map(size_of_update).sum(),
        Update::If(condition, yes, no) => size(condition) + size_of_update(yes) + size_of_update(no),
        Update::Either(branches) => {
            branches.iter().map(|(condition, branch)| size(condition) + size_of_update(branch)).sum()
        }
        Update::Choose(_, condition, body) => size(condition) + size_of_update(body),
    }
}

struct Analysis<'a> {
    instance: &'a Instance,
    /// Per variable, what is known so far.
    ranges: Vec<Domain>,
    /// Per variable, the declared ranges of its cells together.
    declared: Vec<Domain>,
    /// Per variable, whether its range has grown in this round.
    grown: Vec<bool>,
}

/// Cells of which more is known at some point of a step than of their variables. The last entry of a cell counts.
type Now = Vec<(usize, Domain)>;

/// All integers. Sums and products that leave the 64 bits are faults, so intervals may end there.
const ANY: Domain = Domain { lo: i64::MIN, hi: i64::MAX };
const TRUTH: Domain = Domain { lo: 0, hi: 1 };

impl<'a> Analysis<'a> {
    /// The initial values.
    fn new(instance: &'a Instance) -> Analysis<'a> {
        let variables = instance.system.variables.len();
        let none = Domain { lo: i64::MAX, hi: i64::MIN };
        let (mut ranges, mut declared) = (vec![none; variables], vec![none; variables]);
        for (cell, start) in instance.cells.iter().zip(&instance.starts) {
            let variable = cell.variable.0 as usize;
            declared[variable] = hull(declared[variable], cell.domain);
            let first = match start {
                Start::Any => cell.domain,
                Start::Among(values) => {
                    values.iter().fold(none, |all, value| hull(all, Domain { lo: *value, hi: *value }))
                }
            };
            ranges[variable] = hull(ranges[variable], first);
        }
        for (range, declared) in ranges.iter_mut().zip(&declared) {
            // Without an initial value there is no state. A range must not be empty all the same.
            if range.lo > range.hi {
                *range = *declared;
            }
        }
        Analysis { instance, ranges, declared, grown: vec![false; variables] }
    }

    /// Takes the declared ranges of what still grows.
    fn give_up(&mut self) {
        for ((range, declared), grown) in self.ranges.iter_mut().zip(&self.declared).zip(&self.grown) {
            if *grown {
                *range = *declared;
            }
        }
    }

    /// Adds values of a variable.
    fn add(&mut self, variable: usize, values: Domain) {
        let range = &mut self.ranges[variable];
        let all = hull(*range, values);
        if all != *range {
            *range = all;
            self.grown[variable] = true;
        }
    }

    /// Carries out an update. Afterwards `now` is right for whatever follows in the step.
    fn carry_out(&mut self, update: &Update, now: &mut Now) {
        match update {
            Update::Skip => {}
            Update::Assign(assignments) => {
                let values: Vec<Domain> =
                    assignments.iter().map(|(_, value)| self.interval(value, now)).collect();
                for ((place, _), values) in assignments.iter().zip(values) {
                    self.write(place, values, now);
                }
            }
            Update::Sequence(updates) => updates.iter().for_each(|update| self.carry_out(update, now)),
            Update::If(condition, yes, no) => {
                self.carry_out_some([(condition, true, &**yes), (condition, false, &**no)].into_iter(), now);
            }
            Update::Either(branches) => {
                let branches = branches.iter().map(|(condition, branch)| (condition, true, branch));
                self.carry_out_some(branches, now);
            }
            Update::Choose(_, condition, body) => {
                self.carry_out_some([(condition, true, &**body)].into_iter(), now);
            }
        }
    }

    /// Carries out any one of several updates, each under the condition that an expression has a truth value.
    fn carry_out_some<'u>(
        &mut self,
        updates: impl Iterator<Item = (&'u Expr, bool, &'u Update)>,
        now: &mut Now,
    ) {
        for (condition, truth, update) in updates {
            let mut then = now.clone();
            if self.assume(condition, truth, &mut then) {
                self.carry_out(update, &mut then);
            }
        }
        // What was written is part of the variables' ranges.
        now.clear();
    }

    /// Writes values to a place.
    fn write(&mut self, place: &Place, values: Domain, now: &mut Now) {
        let variable = place.variable.0 as usize;
        let declared = self.declared[variable];
        // A value outside is a fault.
        let values = Domain { lo: values.lo.max(declared.lo), hi: values.hi.min(declared.hi) };
        if values.lo > values.hi {
            return;
        }
        self.add(variable, values);
        match self.instance.constant_cell(place) {
            Some(Ok(cell)) => now.push((cell, values)),
            // Any of the cells may have been written.
            _ => now.retain(|(cell, _)| self.instance.cells[*cell].variable != place.variable),
        }
    }

    /// What is known of a cell.
    fn of_cell(&self, cell: usize, now: &Now) -> Domain {
        let known = now.iter().rev().find(|(known, _)| *known == cell);
        known.map_or(self.ranges[self.instance.cells[cell].variable.0 as usize], |(_, range)| *range)
    }

    /// Narrows what is known, if an expression has a truth value. False if it certainly has not.
    fn assume(&self, expr: &Expr, truth: bool, now: &mut Now) -> bool {
        match expr {
            Expr::Bool(value) => *value == truth,
            Expr::Not(a) => self.assume(a, !truth, now),
            Expr::And(parts) if truth => parts.iter().all(|part| self.assume(part, true, now)),
            Expr::Or(parts) if !truth => parts.iter().all(|part| self.assume(part, false, now)),
            Expr::Read(place) => self.narrow(place, Operator::Eq, i64::from(truth), now),
            Expr::Binary(operator, a, b) => {
                let Some(operator) = (if truth { Some(*operator) } else { operator.opposite() }) else {
                    return true;
                };
                match (&**a, &**b) {
                    (Expr::Read(place), Expr::Int(number)) => self.narrow(place, operator, *number, now),
                    (Expr::Int(number), Expr::Read(place)) => {
                        self.narrow(place, operator.mirrored(), *number, now)
                    }
                    _ => true,
                }
            }
            _ => true,
        }
    }

    /// Narrows what is known of a cell by a comparison with a number. False if that is certainly false.
    fn narrow(&self, place: &Place, operator: Operator, number: i64, now: &mut Now) -> bool {
        let Some(Ok(cell)) = self.instance.constant_cell(place) else { return true };
        let Domain { lo, hi } = self.of_cell(cell, now);
        let narrowed = match operator {
            Operator::Eq => Domain { lo: lo.max(number), hi: hi.min(number) },
            Operator::Lt => Domain { lo, hi: hi.min(number.saturating_sub(1)) },
            Operator::Le => Domain { lo, hi: hi.min(number) },
            Operator::Gt => Domain { lo: lo.max(number.saturating_add(1)), hi },
            Operator::Ge => Domain { lo: lo.max(number), hi },
            Operator::Ne if lo == number => Domain { lo: lo.saturating_add(1), hi },
            Operator::Ne if hi == number => Domain { lo, hi: hi.saturating_sub(1) },
            _ => return true,
        };
        now.push((cell, narrowed));
        narrowed.lo <= narrowed.hi
    }

    /// An interval that contains all values of a ground expression.
    fn interval(&self, expr: &Expr, now: &Now) -> Domain {
        let of = |expr: &Expr| self.interval(expr, now);
        match expr {
            Expr::Bool(value) => Domain { lo: i64::from(*value), hi: i64::from(*value) },
            Expr::Int(value) => Domain { lo: *value, hi: *value },
            Expr::Read(place) => match self.instance.constant_cell(place) {
                Some(Ok(cell)) => self.of_cell(cell, now),
                // The cell may be one that was written in this step. That is part of the range.
                _ => self.ranges[place.variable.0 as usize],
            },
            Expr::Neg(a) => {
                let Domain { lo, hi } = of(a);
                Domain { lo: hi.saturating_neg(), hi: lo.saturating_neg() }
            }
            Expr::Sum(parts) => parts.iter().map(of).fold(Domain { lo: 0, hi: 0 }, |sum, part| Domain {
                lo: sum.lo.saturating_add(part.lo),
                hi: sum.hi.saturating_add(part.hi),
            }),
            Expr::Min(parts) => parts
                .iter()
                .map(of)
                .reduce(|a, b| Domain { lo: a.lo.min(b.lo), hi: a.hi.min(b.hi) })
                .unwrap_or(ANY),
            Expr::Max(parts) => parts
                .iter()
                .map(of)
                .reduce(|a, b| Domain { lo: a.lo.max(b.lo), hi: a.hi.max(b.hi) })
                .unwrap_or(ANY),
            Expr::Binary(operator, a, b) => arithmetic(*operator, of(a), of(b)),
            Expr::If(condition, a, b) => {
                let branch = |truth: bool, branch: &Expr| {
                    let mut then = now.clone();
                    self.assume(condition, truth, &mut then).then(|| self.interval(branch, &then))
                };
                match (branch(true, a), branch(false, b)) {
                    (Some(a), Some(b)) => hull(a, b),
                    (Some(only), None) | (None, Some(only)) => only,
                    (None, None) => ANY,
                }
            }
            Expr::Not(_) | Expr::And(_) | Expr::Or(_) | Expr::Taken(_) | Expr::Enabled(_) => TRUTH,
            Expr::Parameter(_) | Expr::Index(_) | Expr::Quantified(..) => ANY,
        }
    }
}

/// The values of an operator on values of two intervals, where it is no fault.
fn arithmetic(operator: Operator, a: Domain, b: Domain) -> Domain {
    // The greatest absolute value. A quotient is not farther from 0 than its dividend, a remainder nearer than its divisor.
    let magnitude = |range: Domain| range.lo.saturating_abs().max(range.hi.saturating_abs());
    match operator {
        Operator::Sub => Domain { lo: a.lo.saturating_sub(b.hi), hi: a.hi.saturating_sub(b.lo) },
        Operator::Mul => {
            let products = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)];
            let products = products.map(|(a, b)| a.saturating_mul(b));
            let all = products.map(|product| Domain { lo: product, hi: product });
            all.into_iter().reduce(hull).unwrap_or(ANY)
        }
        Operator::Div if b.lo == b.hi && b.lo > 0 => {
            Domain { lo: a.lo.div_euclid(b.lo), hi: a.hi.div_euclid(b.lo) }
        }
        Operator::Div => {
            let most = magnitude(a).saturating_add(1);
            Domain { lo: -most, hi: most }
        }
        Operator::Mod if a.lo >= 0 && b.lo == b.hi && a.hi < b.lo => a,
        Operator::Mod => Domain { lo: 0, hi: magnitude(b).saturating_sub(1).max(0) },
        Operator::Eq
        | Operator::Ne
        | Operator::Lt
        | Operator::Le
        | Operator::Gt
        | Operator::Ge
        | Operator::Implies => TRUTH,
    }
}

/// The least interval that contains two.
fn hull(a: Domain, b: Domain) -> Domain {
    Domain { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use model::initial::initial_states;
    use model::semantics;

    use super::super::random;
    use super::*;
    use crate::graph::tests::Random;

    #[test]
    fn no_reachable_state_leaves_the_ranges() {
        let mut random = Random(11);
        let (mut states, mut narrowed, mut cells) = (0, 0, 0);
        for _ in 0..1_500 {
            let task = random::task(&mut random);
            let instance = Arc::clone(task.subject.instance().expect("no open parameters"));
            let ranges = ranges(&instance);
            cells += ranges.len();
            narrowed +=
                ranges.iter().zip(&instance.cells).filter(|(range, cell)| **range != cell.domain).count();
            let mut pending: Vec<_> = initial_states(&instance).take(20).filter_map(Result::ok).collect();
            let mut seen: BTreeSet<_> = pending.iter().cloned().collect();
            while let Some(state) = pending.pop() {
                states += 1;
                for (value, range) in state.0.iter().zip(&ranges) {
                    assert!(range.contains(*value), "{state:?} leaves {ranges:?} in {:#?}", task.system());
                }
                for action in (0..instance.actions.len() as u32).map(ActionId) {
                    let targets = semantics::successors(&instance, &state, action).unwrap_or_default();
                    for target in targets {
                        if seen.len() < 60 && seen.insert(target.clone()) {
                            pending.push(target);
                        }
                    }
                }
            }
        }
        assert!(states > 5_000 && narrowed > cells / 50, "{states} states, {narrowed} of {cells} narrowed");
    }
}
