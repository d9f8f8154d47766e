//! The footprint of an action: the cells it may read and write, and the values of single cells that its guard admits.
//!
//! A footprint is computed from the ground guard and update, and it overapproximates: a place whose index depends on
//! the state stands for every cell of its variable. Two actions are *independent* if neither writes a cell that the
//! other reads or writes. Then each is enabled, or faulty, with the same outcomes before and after the other, and
//! both orders lead to the same states.
//!
//! A guard is a conjunction of *parts*, evaluated from left to right. An action is *live* in a state if its guard is
//! true or faulty there. If a part is faulty, the parts after it are not evaluated, so a part counts only together
//! with the earlier parts that may be faulty. For a part over one cell with a small domain we list the values it
//! admits; control locations are the common case.

use std::collections::{BTreeMap, BTreeSet};

use model::expr::Operator;
use model::{ActionId, Expr, Instance, Pattern, Place, State, Update, ground, semantics};

use super::specialise::as_constant;

/// The largest domain whose admitted values are listed.
const LISTED: u64 = 256;
/// The interval of truth values.
const TRUTH: (i64, i64) = (0, 1);

/// The footprint of an action.
#[derive(Debug)]
pub(super) struct Footprint {
    /// The cells that guard and update may read.
    pub(super) reads: BTreeSet<usize>,
    /// The cells that the update may write, each with all values it may get, if they are known.
    pub(super) writes: BTreeMap<usize, Option<BTreeSet<i64>>>,
    /// The parts of the guard, in order.
    pub(super) parts: Vec<Part>,
    /// The values that single cells have wherever the action is live, as far as they are known.
    admits: BTreeMap<usize, BTreeSet<i64>>,
}

/// A conjunct of a guard.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) expr: Expr,
    pub(super) reads: BTreeSet<usize>,
    /// If it reads one cell: the values for which it is true.
    pub(super) admits: Option<(usize, BTreeSet<i64>)>,
    /// Whether it certainly evaluates without a fault.
    pub(super) total: bool,
}

impl Footprint {
    /// Computes the footprint of an action.
    pub(super) fn new(instance: &Instance, action: ActionId) -> Footprint {
        let guard = ground::guard(instance, action);
        let conjuncts = match guard {
            Expr::And(parts) => parts,
            other => vec![other],
        };
        let parts: Vec<Part> = conjuncts.into_iter().map(|expr| part(instance, expr)).collect();
        let reads = parts.iter().flat_map(|part| part.reads.iter().copied()).collect();
        let mut admits: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
        // If a part is faulty, the parts after it need not be true.
        for (cell, values) in parts.iter().take_while(|part| part.total).filter_map(|p| p.admits.as_ref()) {
            let known = admits.entry(*cell).or_insert_with(|| values.clone());
            known.retain(|value| values.contains(value));
        }
        let mut footprint = Footprint { reads, writes: BTreeMap::new(), parts, admits };
        let update = ground::update_within(instance, action, ground::PARTS);
        footprint.add_writes(instance, &update);
        add_reads(instance, &update, &mut footprint.reads);
        footprint
    }

    /// Whether there is certainly no state in which both actions are live.
    pub(super) fn excludes(&self, other: &Footprint) -> bool {
        self.admits.iter().any(|(cell, values)| {
            other.admits.get(cell).is_some_and(|other_values| values.is_disjoint(other_values))
        })
    }

    /// Whether the action may make a part true that was false.
    pub(super) fn may_enable(&self, part: &Part) -> bool {
        match &part.admits {
            Some((cell, values)) => match self.writes.get(cell) {
                None => false,
                Some(None) => true,
                Some(Some(written)) => !written.is_disjoint(values),
            },
            None => self.writes_into(&part.reads),
        }
    }

    /// Whether the action may write one of these cells.
    pub(super) fn writes_into(&self, cells: &BTreeSet<usize>) -> bool {
        self.writes.keys().any(|cell| cells.contains(cell))
    }

    fn add_writes(&mut self, instance: &Instance, update: &Update) {
        match update {
            Update::Skip => {}
            Update::Assign(assignments) => {
                for (place, value) in assignments {
                    let constant = as_constant(value);
                    for cell in targets(instance, place) {
                        let written = self.writes.entry(cell).or_insert_with(|| Some(BTreeSet::new()));
                        match constant {
                            Some(value) => {
                                if let Some(values) = written {
                                    values.insert(value);
                                }
                            }
                            None => *written = None,
                        }
                    }
                }
            }
            Update::Sequence(updates) => updates.iter().for_each(|update| self.add_writes(instance, update)),
            Update::If(_, yes, no) => {
                self.add_writes(instance, yes);
                self.add_writes(instance, no);
            }
            Update::Either(branches) => {
                branches.iter().for_each(|(_, branch)| self.add_writes(instance, branch));
            }
            Update::Choose(_, _, body) => self.add_writes(instance, body),
        }
    }
}

/// Adds the cells a ground update may read.
pub(super) fn add_reads(instance: &Instance, update: &Update, cells: &mut BTreeSet<usize>) {
    match update {
        Update::Skip => {}
        Update::Assign(assignments) => {
            for (place, value) in assignments {
                // The assignment reads the indices of its place, but not the cell itself.
                for index in Expr::Read(place.clone()).children() {
                    cells.extend(reads(instance, index));
                }
                cells.extend(reads(instance, value));
            }
        }
        Update::Sequence(updates) => updates.iter().for_each(|update| add_reads(instance, update, cells)),
        Update::If(condition, yes, no) => {
            cells.extend(reads(instance, condition));
            add_reads(instance, yes, cells);
            add_reads(instance, no, cells);
        }
        Update::Either(branches) => {
            for (condition, branch) in branches {
                cells.extend(reads(instance, condition));
                add_reads(instance, branch, cells);
            }
        }
        // Grounding leaves none of these, except choices among all integers. Their index may appear anywhere.
        Update::Choose(..) => cells.extend(0..instance.cells.len()),
    }
}

/// The cells a ground expression may read.
pub(super) fn reads(instance: &Instance, expr: &Expr) -> BTreeSet<usize> {
    // An `enabled` that could not be grounded may read any cell.
    if expr.any(&mut |part| matches!(part, Expr::Enabled(_))) {
        return (0..instance.cells.len()).collect();
    }
    ground::reads(instance, expr)
}

/// Whether a ground expression certainly evaluates without a fault.
pub(super) fn is_total(instance: &Instance, expr: &Expr) -> bool {
    bounds(instance, expr).is_some()
}

/// The cells an assignment to a place may write.
fn targets(instance: &Instance, place: &Place) -> BTreeSet<usize> {
    match instance.constant_cell(place) {
        Some(Ok(cell)) => BTreeSet::from([cell]),
        Some(Err(_)) => BTreeSet::new(),
        None => (0..instance.cells.len())
            .filter(|&cell| instance.cells[cell].variable == place.variable)
            .collect(),
    }
}

fn part(instance: &Instance, expr: Expr) -> Part {
    let reads = reads(instance, &expr);
    let mut total = is_total(instance, &expr);
    let mut admits = None;
    if let Some(&cell) = reads.first()
        && reads.len() == 1
    {
        let domain = instance.cells[cell].domain;
        if domain.hi.abs_diff(domain.lo) < LISTED {
            let mut state = State(vec![0; instance.cells.len()]);
            let truths: Result<Vec<(i64, bool)>, _> = (domain.lo..=domain.hi)
                .map(|value| {
                    state.0[cell] = value;
                    semantics::state_predicate(instance, &expr, &state).map(|truth| (value, truth))
                })
                .collect();
            // The part is faulty for some value, so the list of values does not help.
            total = truths.is_ok();
            if let Ok(truths) = truths {
                let values = truths.into_iter().filter(|(_, truth)| *truth).map(|(value, _)| value);
                admits = Some((cell, values.collect()));
            }
        }
    }
    Part { expr, reads, admits, total }
}

/// An interval that contains all values of a ground expression, if it certainly has no fault.
fn bounds(instance: &Instance, expr: &Expr) -> Option<(i64, i64)> {
    let of = |expr: &Expr| bounds(instance, expr);
    let all = |parts: &[Expr]| parts.iter().map(of).collect::<Option<Vec<_>>>();
    match expr {
        Expr::Bool(value) => Some((i64::from(*value), i64::from(*value))),
        Expr::Int(value) => Some((*value, *value)),
        Expr::Parameter(_) | Expr::Index(_) | Expr::Quantified(..) => None,
        Expr::Read(place) => place_bounds(instance, place),
        Expr::Not(a) => of(a).map(|_| TRUTH),
        Expr::Neg(a) => {
            let (lo, hi) = of(a)?;
            Some((hi.checked_neg()?, lo.checked_neg()?))
        }
        Expr::And(parts) | Expr::Or(parts) => all(parts).map(|_| TRUTH),
        Expr::Sum(parts) => {
            let zero = (0i64, 0i64);
            // The bounds hold for every partial sum.
            all(parts)?
                .into_iter()
                .try_fold(zero, |(lo, hi), (a, b)| Some((lo.checked_add(a)?, hi.checked_add(b)?)))
        }
        Expr::Min(parts) | Expr::Max(parts) => {
            let all = all(parts)?;
            let lo = all.iter().map(|(lo, _)| *lo).min()?;
            Some((lo, all.iter().map(|(_, hi)| *hi).max()?))
        }
        Expr::Binary(operator, a, b) => {
            let ((a_lo, a_hi), (b_lo, b_hi)) = (of(a)?, of(b)?);
            match operator {
                Operator::Sub => Some((a_lo.checked_sub(b_hi)?, a_hi.checked_sub(b_lo)?)),
                Operator::Mul => {
                    let corners = [(a_lo, b_lo), (a_lo, b_hi), (a_hi, b_lo), (a_hi, b_hi)]
                        .into_iter()
                        .map(|(a, b)| a.checked_mul(b))
                        .collect::<Option<Vec<_>>>()?;
                    Some((*corners.iter().min()?, *corners.iter().max()?))
                }
                // Only `i64::MIN / -1` overflows, and a positive divisor is not `-1`.
                Operator::Div if b_lo > 0 => Some((a_lo.min(0), a_hi.max(0))),
                Operator::Mod if b_lo > 0 => Some((0, b_hi - 1)),
                Operator::Div | Operator::Mod => None,
                _ => Some(TRUTH),
            }
        }
        Expr::If(condition, a, b) => {
            of(condition)?;
            let ((a_lo, a_hi), (b_lo, b_hi)) = (of(a)?, of(b)?);
            Some((a_lo.min(b_lo), a_hi.max(b_hi)))
        }
        Expr::Taken(pattern) => pattern_is_total(instance, pattern).then_some(TRUTH),
        Expr::Enabled(_) => None,
    }
}

/// The values a place may hold, if it certainly exists.
fn place_bounds(instance: &Instance, place: &Place) -> Option<(i64, i64)> {
    let inside = |expr: &Expr, (lo, hi): (i64, i64)| {
        bounds(instance, expr).is_some_and(|(least, greatest)| lo <= least && greatest <= hi)
    };
    let owner = instance.system.variable(place.variable).owner;
    if let (Some(family), Some(process)) = (owner, &place.process) {
        inside(process, indices(instance, family)?).then_some(())?;
    }
    let dimensions = instance.dimensions(place.variable);
    place.position.iter().zip(dimensions).all(|(index, span)| inside(index, *span)).then_some(())?;
    let cells = targets(instance, place);
    let domains = || cells.iter().map(|cell| instance.cells[*cell].domain);
    Some((domains().map(|domain| domain.lo).min()?, domains().map(|domain| domain.hi).max()?))
}

fn pattern_is_total(instance: &Instance, pattern: &Pattern) -> bool {
    let exists = |party: &model::expr::Party| match &party.process {
        None => true,
        Some(process) => match (bounds(instance, process), indices(instance, party.family)) {
            (Some((least, greatest)), Some((lo, hi))) => lo <= least && greatest <= hi,
            _ => false,
        },
    };
    let arguments = pattern.arguments.iter().flatten();
    pattern.participants.iter().all(exists) && arguments.into_iter().all(|e| is_total(instance, e))
}

/// The span of a family's index.
fn indices(instance: &Instance, family: model::FamilyId) -> Option<(i64, i64)> {
    let mut members = instance.members(family).filter_map(|id| instance.processes[id.0 as usize].index);
    let first = members.next()?;
    Some((first, members.last().unwrap_or(first)))
}
