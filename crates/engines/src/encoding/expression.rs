//! Expressions as diagrams.
//!
//! A truth value is the set of states where it is true. A number is a list of *cases*: each value it can have, with
//! the set of states where it has that value. Operators combine cases; equal results are joined, so a list is
//! never longer than the range of the expression, and one that would be is given up ([`CASES`]). Sums and
//! connectives of many operands are joined from the bottom levels upwards: `count(i: P[i]@crit)` then costs one
//! node per case and process.
//!
//! With its value an expression has a set of states where it *faults*, by the rules of evaluation in
//! [`model::semantics`]: what is not evaluated does not fault. In those states, and for codes that stand for no value,
//! the value means nothing; whoever uses it leaves these states out.
//!
//! An expression may be evaluated in the middle of an update: a cell that has been written reads as what was
//! written.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use model::expr::{Index, Operator};
use model::instance::Environment;
use model::{Expr, Instance, Place, ground, semantics};

use super::Stop;
use crate::bdd::{Bdd, Cells, Table};
use crate::events;

/// The greatest number of cases of an expression.
const CASES: usize = 1 << 14;
/// The greatest number of pairs of cases that are combined.
const PAIRS: usize = 1 << 22;

/// The value of an expression in every state.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// The states where it is true.
    Truth(Bdd),
    /// The values it can have and where, by increasing value; no two sets meet.
    Number(Vec<(i64, Bdd)>),
}

/// A value, and the states where there is none.
pub(crate) struct Outcome {
    pub(crate) value: Value,
    pub(crate) fault: Bdd,
}

/// The cells that have been written, with their values.
pub(crate) type Written = BTreeMap<usize, Value>;

/// Turns ground expressions into diagrams.
pub(crate) struct Expressions<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) table: &'a Table<'a>,
    pub(crate) cells: &'a Cells,
    /// The values of the cells that have been asked for, or that are given.
    known: RefCell<HashMap<usize, Value>>,
    /// Where the values of all other cells come from; if nowhere, from the bits of the cells.
    outer: Option<&'a Expressions<'a>>,
    /// The values of indices that an update has chosen, the innermost last.
    chosen: RefCell<Vec<(Index, Value)>>,
}

impl<'a> Expressions<'a> {
    pub(crate) fn new(instance: &'a Instance, table: &'a Table<'a>, cells: &'a Cells) -> Expressions<'a> {
        Expressions {
            instance,
            table,
            cells,
            known: RefCell::default(),
            outer: None,
            chosen: RefCell::default(),
        }
    }

    /// The same, but some cells have these values, whatever their bits say.
    pub(crate) fn given(&'a self, values: HashMap<usize, Value>) -> Expressions<'a> {
        let Expressions { instance, table, cells, .. } = *self;
        Expressions {
            instance,
            table,
            cells,
            known: RefCell::new(values),
            outer: Some(self),
            chosen: RefCell::default(),
        }
    }

    /// Gives an index a value until the matching [`unbind`](Expressions::unbind).
    pub(crate) fn bind(&self, index: Index, value: Value) {
        self.chosen.borrow_mut().push((index, value));
    }

    pub(crate) fn unbind(&self) {
        self.chosen.borrow_mut().pop();
    }

    /// Where a ground state predicate is true, and where it faults.
    pub(crate) fn predicate(&self, expr: &Expr) -> Result<(Bdd, Bdd), Stop> {
        self.truth_of(expr, &Written::new())
    }

    /// The same after an update has written some cells.
    pub(crate) fn truth_of(&self, expr: &Expr, written: &Written) -> Result<(Bdd, Bdd), Stop> {
        let Outcome { value, fault } = self.evaluate(expr, written)?;
        Ok((self.truth(&value)?, fault))
    }

    /// The value of a ground expression.
    pub(crate) fn evaluate(&self, expr: &Expr, written: &Written) -> Result<Outcome, Stop> {
        let table = self.table;
        let sure = |value| Outcome { value, fault: table.never() };
        Ok(match expr {
            Expr::Bool(truth) => sure(Value::Truth(table.constant(*truth))),
            Expr::Int(number) => sure(Value::Number(vec![(*number, table.always())])),
            Expr::Read(place) => self.read(place, written)?,
            Expr::Not(a) => {
                let (truth, fault) = self.truth_of(a, written)?;
                Outcome { value: Value::Truth(table.not(&truth)?), fault }
            }
            Expr::Neg(a) => self.arithmetic(Operator::Sub, &Expr::Int(0), a, written)?,
            Expr::And(parts) => self.connective(parts, true, written)?,
            Expr::Or(parts) => self.connective(parts, false, written)?,
            Expr::Sum(parts) => self.sum(parts, i64::MAX, written)?,
            Expr::Min(parts) | Expr::Max(parts) => {
                let least = matches!(expr, Expr::Min(_));
                let best = |a: i64, b: i64| Some(if least { a.min(b) } else { a.max(b) });
                let mut parts = self.bottom_first(parts, written)?.into_iter();
                let Some(first) = parts.next() else {
                    let nothing = Value::Number(vec![(0, table.always())]);
                    return Ok(Outcome { value: nothing, fault: table.always() });
                };
                parts.try_fold(first, |so_far, part| self.combine(&so_far, &part, &best))?
            }
            Expr::Binary(Operator::Implies, a, b) => {
                let ((a, fault_a), (b, fault_b)) = (self.truth_of(a, written)?, self.truth_of(b, written)?);
                let value = Value::Truth(table.or(&table.not(&a)?, &b)?);
                Outcome { value, fault: table.or(&fault_a, &table.and(&a, &fault_b)?)? }
            }
            Expr::Binary(operator, a, b) => match operator {
                Operator::Sub | Operator::Mul | Operator::Div | Operator::Mod => {
                    self.arithmetic(*operator, a, b, written)?
                }
                _ => {
                    let (a, b) = match (&**a, &**b) {
                        (Expr::Sum(parts), Expr::Int(bound)) => {
                            (self.sum(parts, *bound, written)?, self.evaluate(b, written)?)
                        }
                        (Expr::Int(bound), Expr::Sum(parts)) => {
                            (self.evaluate(a, written)?, self.sum(parts, *bound, written)?)
                        }
                        (a, b) => (self.evaluate(a, written)?, self.evaluate(b, written)?),
                    };
                    let value = Value::Truth(self.compare(*operator, &a.value, &b.value)?);
                    Outcome { value, fault: table.or(&a.fault, &b.fault)? }
                }
            },
            Expr::If(condition, a, b) => {
                let (condition, fault) = self.truth_of(condition, written)?;
                let (a, b) = (self.evaluate(a, written)?, self.evaluate(b, written)?);
                let inside = table.choose(&condition, &a.fault, &b.fault)?;
                Outcome {
                    value: self.choose(&condition, &a.value, &b.value)?,
                    fault: table.or(&fault, &inside)?,
                }
            }
            Expr::Enabled(pattern) => {
                let meaning = events::enabled(self.instance, pattern);
                let meaning = ground::expression(self.instance, &meaning, &mut Environment::default());
                self.evaluate(&meaning, written)?
            }
            Expr::Index(index) => {
                let chosen = self.chosen.borrow();
                let (_, value) = chosen
                    .iter()
                    .rev()
                    .find(|(bound, _)| bound == index)
                    .expect("an index is chosen before it is read");
                sure(value.clone())
            }
            Expr::Taken(_) | Expr::Parameter(_) | Expr::Quantified(..) => {
                unreachable!("{expr:?} is not a ground expression over the state")
            }
        })
    }

    /// The cells a place can mean, each with the states where it does, and the states where it means none.
    pub(crate) fn targets(&self, place: &Place, written: &Written) -> Result<(Vec<(usize, Bdd)>, Bdd), Stop> {
        let table = self.table;
        match self.instance.constant_cell(place) {
            Some(Ok(cell)) => return Ok((vec![(cell, table.always())], table.never())),
            Some(Err(_)) => return Ok((Vec::new(), table.always())),
            None => {}
        }
        let mut fault = table.never();
        // All combinations of process and position, each with its condition.
        let mut choices: Vec<(Vec<i64>, Bdd)> = vec![(Vec::new(), table.always())];
        for index in place.process.iter().map(|process| &**process).chain(&place.position) {
            let outcome = self.evaluate(index, written)?;
            fault = table.or(&fault, &outcome.fault)?;
            let cases = self.number(&outcome.value)?;
            if choices.len().saturating_mul(cases.len()) > PAIRS {
                return Err(too_many_cases());
            }
            let mut extended = Vec::new();
            for (values, condition) in &choices {
                for (value, case) in &cases {
                    let both = table.and(condition, case)?;
                    if !table.is_never(&both) {
                        let mut values = values.clone();
                        values.push(*value);
                        extended.push((values, both));
                    }
                }
            }
            choices = extended;
        }
        let mut targets: BTreeMap<usize, Bdd> = BTreeMap::new();
        for (values, condition) in choices {
            let constant = Place {
                variable: place.variable,
                process: place.process.as_ref().map(|_| Box::new(Expr::Int(values[0]))),
                position: values[usize::from(place.process.is_some())..]
                    .iter()
                    .map(|v| Expr::Int(*v))
                    .collect(),
            };
            match self.instance.constant_cell(&constant) {
                Some(Ok(cell)) => {
                    let before = targets.remove(&cell).unwrap_or_else(|| table.never());
                    targets.insert(cell, table.or(&before, &condition)?);
                }
                _ => fault = table.or(&fault, &condition)?,
            }
        }
        Ok((targets.into_iter().collect(), fault))
    }

    /// The value of a cell.
    pub(crate) fn cell(&self, cell: usize, written: &Written) -> Result<Value, Stop> {
        if let Some(value) = written.get(&cell) {
            return Ok(value.clone());
        }
        if let Some(value) = self.known.borrow().get(&cell) {
            return Ok(value.clone());
        }
        if let Some(outer) = self.outer {
            return outer.cell(cell, &Written::new());
        }
        let values = self.cells.values(cell);
        let value = if values == (0..=1) {
            Value::Truth(self.cells.is(self.table, cell, 1)?)
        } else {
            let mut cases = Vec::new();
            for value in values {
                cases.push((value, self.cells.is(self.table, cell, value)?));
            }
            Value::Number(cases)
        };
        self.known.borrow_mut().insert(cell, value.clone());
        Ok(value)
    }

    /// Where a value is true.
    pub(crate) fn truth(&self, value: &Value) -> Result<Bdd, Stop> {
        Ok(match value {
            Value::Truth(truth) => truth.clone(),
            Value::Number(cases) => {
                self.table.any(cases.iter().filter(|(v, _)| *v != 0).map(|(_, c)| c.clone()).collect())?
            }
        })
    }

    /// The cases of a value.
    pub(crate) fn number(&self, value: &Value) -> Result<Vec<(i64, Bdd)>, Stop> {
        Ok(match value {
            Value::Number(cases) => cases.clone(),
            Value::Truth(truth) => {
                let cases = [(0, self.table.not(truth)?), (1, truth.clone())];
                cases.into_iter().filter(|(_, case)| !self.table.is_never(case)).collect()
            }
        })
    }

    /// `a` where the condition is true and `b` elsewhere.
    pub(crate) fn choose(&self, condition: &Bdd, a: &Value, b: &Value) -> Result<Value, Stop> {
        if let (Value::Truth(a), Value::Truth(b)) = (a, b) {
            return Ok(Value::Truth(self.table.choose(condition, a, b)?));
        }
        let mut joined = Cases::default();
        for (value, case) in self.number(a)? {
            joined.add(value, self.table.and(condition, &case)?);
        }
        for (value, case) in self.number(b)? {
            joined.add(value, self.table.minus(&case, condition)?);
        }
        self.joined(joined)
    }

    /// A sum, of which values greater than `bound` need not be told apart: that at most one process is at `crit` is then a
    /// matter of three cases, however many processes there are.
    fn sum(&self, parts: &[Expr], bound: i64, written: &Written) -> Result<Outcome, Stop> {
        let parts = self.bottom_first(parts, written)?;
        let span = |part: &Outcome| match &part.value {
            Value::Number(cases) => (cases.first().map_or(0, |c| c.0), cases.last().map_or(0, |c| c.0)),
            Value::Truth(_) => (0, 1),
        };
        // Only a sum that neither falls again nor overflows later is cut off.
        let greatest = parts.iter().try_fold(0i64, |sum, part| sum.checked_add(span(part).1));
        let only_grows = greatest.is_some() && parts.iter().all(|part| span(part).0 >= 0);
        let add = |a: i64, b: i64| {
            let sum = a.checked_add(b)?;
            Some(if only_grows { sum.min(bound.saturating_add(1)) } else { sum })
        };
        let nothing =
            Outcome { value: Value::Number(vec![(0, self.table.always())]), fault: self.table.never() };
        parts.iter().try_fold(nothing, |sum, part| self.combine(&sum, part, &add))
    }

    fn read(&self, place: &Place, written: &Written) -> Result<Outcome, Stop> {
        let (targets, fault) = self.targets(place, written)?;
        let mut value: Option<Value> = None;
        for (cell, condition) in targets {
            let read = self.cell(cell, written)?;
            value = Some(match value {
                None => read,
                Some(before) => self.choose(&condition, &read, &before)?,
            });
        }
        Ok(Outcome { value: value.unwrap_or_else(|| Value::Truth(self.table.never())), fault })
    }

    /// Conjunction (or disjunction) from left to right: a part is evaluated where all before it are true (false).
    fn connective(&self, parts: &[Expr], all: bool, written: &Written) -> Result<Outcome, Stop> {
        let table = self.table;
        let parts: Vec<(Bdd, Bdd)> =
            parts.iter().map(|part| self.truth_of(part, written)).collect::<Result<_, _>>()?;
        let mut fault = table.never();
        if parts.iter().any(|(_, fault)| !table.is_never(fault)) {
            let mut undecided = table.always();
            for (truth, part_fault) in &parts {
                fault = table.or(&fault, &table.and(&undecided, part_fault)?)?;
                undecided =
                    if all { table.and(&undecided, truth)? } else { table.minus(&undecided, truth)? };
            }
        }
        let truths = parts.into_iter().map(|(truth, _)| truth).collect();
        let truth = if all { table.all(truths)? } else { table.any(truths)? };
        Ok(Outcome { value: Value::Truth(truth), fault })
    }

    /// The values of operands whose order does not matter, those on low levels first. Where a sum might overflow it
    /// would matter, so then they stay as they are.
    fn bottom_first(&self, parts: &[Expr], written: &Written) -> Result<Vec<Outcome>, Stop> {
        let mut outcomes = Vec::new();
        for part in parts {
            let outcome = self.evaluate(part, written)?;
            let value = Value::Number(self.number(&outcome.value)?);
            outcomes.push(Outcome { value, fault: outcome.fault });
        }
        let cases = |outcome: &Outcome| match &outcome.value {
            Value::Number(cases) => cases.clone(),
            Value::Truth(_) => Vec::new(),
        };
        let greatest = |outcome: &Outcome| cases(outcome).iter().map(|(v, _)| v.unsigned_abs()).max();
        let bound = outcomes.iter().filter_map(greatest).try_fold(0u64, u64::checked_add);
        if bound.is_some_and(|bound| bound < i64::MAX as u64) {
            let top = |outcome: &Outcome| cases(outcome).iter().map(|(_, case)| self.table.top(case)).min();
            outcomes.sort_by_cached_key(|outcome| std::cmp::Reverse(top(outcome)));
        }
        Ok(outcomes)
    }

    fn arithmetic(&self, operator: Operator, a: &Expr, b: &Expr, written: &Written) -> Result<Outcome, Stop> {
        let (a, b) = (self.evaluate(a, written)?, self.evaluate(b, written)?);
        self.combine(&a, &b, &|a, b| semantics::binary(operator, a, b).ok())
    }

    /// An operator on the cases of two numbers; a fault where it has no result.
    fn combine(
        &self,
        a: &Outcome,
        b: &Outcome,
        operator: &dyn Fn(i64, i64) -> Option<i64>,
    ) -> Result<Outcome, Stop> {
        let table = self.table;
        let mut fault = table.or(&a.fault, &b.fault)?;
        let (a, b) = (self.number(&a.value)?, self.number(&b.value)?);
        if a.len().saturating_mul(b.len()) > PAIRS {
            return Err(too_many_cases());
        }
        let mut joined = Cases::default();
        for (x, case_x) in &a {
            for (y, case_y) in &b {
                let both = table.and(case_y, case_x)?;
                if table.is_never(&both) {
                    continue;
                }
                match operator(*x, *y) {
                    Some(result) => joined.add(result, both),
                    None => fault = table.or(&fault, &both)?,
                }
            }
        }
        Ok(Outcome { value: self.joined(joined)?, fault })
    }

    /// Where a comparison is true.
    fn compare(&self, operator: Operator, a: &Value, b: &Value) -> Result<Bdd, Stop> {
        let table = self.table;
        if let (Value::Truth(a), Value::Truth(b), Operator::Eq | Operator::Ne) = (a, b, operator) {
            let equal = table.equal(a, b)?;
            return Ok(if operator == Operator::Eq { equal } else { table.not(&equal)? });
        }
        let (cases_a, cases_b) = (self.number(a)?, self.number(b)?);
        Ok(match operator {
            Operator::Eq => {
                let mut equal = Vec::new();
                for (value, case) in &cases_a {
                    if let Ok(other) = cases_b.binary_search_by_key(value, |(v, _)| *v) {
                        equal.push(table.and(case, &cases_b[other].1)?);
                    }
                }
                table.any(equal)?
            }
            Operator::Ne => table.not(&self.compare(Operator::Eq, a, b)?)?,
            Operator::Lt => self.less(&cases_a, &cases_b)?,
            Operator::Gt => self.less(&cases_b, &cases_a)?,
            Operator::Le => table.not(&self.less(&cases_b, &cases_a)?)?,
            Operator::Ge => table.not(&self.less(&cases_a, &cases_b)?)?,
            _ => unreachable!("{operator:?} does not compare"),
        })
    }

    /// Where the first number is less than the second.
    fn less(&self, a: &[(i64, Bdd)], b: &[(i64, Bdd)]) -> Result<Bdd, Stop> {
        let table = self.table;
        let (mut less, mut greater) = (Vec::new(), table.never());
        let mut rest = b;
        for (value, case) in a.iter().rev() {
            while let Some(((other, case), before)) = rest.split_last()
                && other > value
            {
                greater = table.or(&greater, case)?;
                rest = before;
            }
            less.push(table.and(case, &greater)?);
        }
        Ok(table.any(less)?)
    }

    fn joined(&self, cases: Cases) -> Result<Value, Stop> {
        if cases.0.len() > CASES {
            return Err(too_many_cases());
        }
        let mut joined = Vec::with_capacity(cases.0.len());
        for (value, parts) in cases.0 {
            let case = self.table.any(parts)?;
            if !self.table.is_never(&case) {
                joined.push((value, case));
            }
        }
        Ok(Value::Number(joined))
    }
}

/// Cases under construction: for each value the sets that have it.
#[derive(Default)]
struct Cases(BTreeMap<i64, Vec<Bdd>>);

impl Cases {
    fn add(&mut self, value: i64, case: Bdd) {
        self.0.entry(value).or_default().push(case);
    }
}

fn too_many_cases() -> Stop {
    Stop::TooLarge("an expression can have too many different values".to_owned())
}
