//! What an action does, as a relation.
//!
//! An update is run on all states at once. A *branch* is one way of resolving its choices: the states where it
//! can be taken, and the value of each cell that it has written so far. `If` splits a branch by its condition
//! and, if neither side chooses, joins the two again, so that a sequence of conditionals remains one branch. The
//! relation of the action is the union of its branches: each written cell becomes its value, and a cell that
//! another branch (or another action of the same relation) writes stays.
//!
//! A choice of a value makes no branches. The value is read from further bits of the table, the *choice bits*, which the
//! relation then forgets, each as soon as all that depends on it is known: a synchronous model chooses for each of its
//! variables, so it can go more ways than anyone could list.

use std::collections::BTreeSet;
use std::ops::Range;

use model::expr::{Binder, Operator};
use model::system::Update;
use model::{Expr, Place};

use super::Stop;
use super::expression::{Expressions, Outcome, Value, Written};
use crate::bdd::{Bdd, Table};

/// The greatest number of branches of an action.
const BRANCHES: usize = 1 << 12;

/// One way an update can go, or, with choice bits, several of them.
pub(crate) struct Branch {
    /// The states where it can go this way.
    pub(crate) condition: Bdd,
    /// The values of the cells it writes.
    pub(crate) written: Written,
}

/// Runs a ground update from the states of `guard`: its branches, and the states of `guard` where it faults.
pub(crate) fn branches(
    expressions: &Expressions<'_>,
    update: &Update,
    guard: &Bdd,
) -> Result<(Vec<Branch>, Bdd), Stop> {
    let free = expressions.table.choice_bits();
    let mut running = Running { expressions, fault: expressions.table.never(), free };
    let start = Branch { condition: guard.clone(), written: Written::new() };
    let branches = running.run(update, start)?;
    let bits: Vec<u32> = expressions.table.choice_bits().collect();
    let fault =
        if bits.is_empty() { running.fault } else { expressions.table.forget(&running.fault, &bits)? };
    Ok((branches, fault))
}

/// How many choice bits an update needs.
pub(crate) fn choice_bits(update: &Update) -> u32 {
    match update {
        Update::Skip | Update::Assign(_) => 0,
        Update::Sequence(updates) => updates.iter().map(choice_bits).sum(),
        Update::If(_, yes, no) => choice_bits(yes).max(choice_bits(no)),
        Update::Either(choices) => choices.iter().map(|(_, update)| choice_bits(update)).max().unwrap_or(0),
        Update::Choose(binder, condition, body) if determining(binder, condition).is_some() => {
            choice_bits(body)
        }
        Update::Choose(binder, _, body) => width(&values(binder)) + choice_bits(body),
    }
}

/// The values of a chosen index.
fn values(binder: &Binder) -> std::ops::RangeInclusive<i64> {
    match (&*binder.span.lo, &*binder.span.hi) {
        (Expr::Int(lo), Expr::Int(hi)) => *lo..=*hi,
        _ => unreachable!("grounding computes spans"),
    }
}

/// The expression that alone determines the value of a chosen index, as in a `let`.
fn determining<'u>(binder: &Binder, condition: &'u Expr) -> Option<&'u Expr> {
    let index = Expr::Index(binder.index);
    match condition {
        Expr::Binary(Operator::Eq, a, b) if **a == index && !b.any(&mut |part| *part == index) => Some(b),
        Expr::Binary(Operator::Eq, a, b) if **b == index && !a.any(&mut |part| *part == index) => Some(a),
        _ => None,
    }
}

/// The number of bits that tell values apart.
fn width(values: &std::ops::RangeInclusive<i64>) -> u32 {
    u64::BITS - values.end().abs_diff(*values.start()).leading_zeros()
}

/// The cells that some branch writes.
pub(crate) fn writes<'b>(branches: impl IntoIterator<Item = &'b Branch>) -> BTreeSet<usize> {
    branches.into_iter().flat_map(|branch| branch.written.keys().copied()).collect()
}

/// The relation of a branch that says something of the cells `writes`.
pub(crate) fn relation(
    expressions: &Expressions<'_>,
    branch: &Branch,
    writes: &BTreeSet<usize>,
) -> Result<Bdd, Stop> {
    let (table, cells) = (expressions.table, expressions.cells);
    let mut parts = vec![branch.condition.clone()];
    for cell in writes {
        parts.push(match branch.written.get(cell) {
            None => cells.stays(table, *cell)?,
            Some(Value::Truth(truth)) => table.equal(&cells.becomes(table, *cell, 1)?, truth)?,
            Some(Value::Number(cases)) => {
                let mut becomes = Vec::with_capacity(cases.len());
                for (value, case) in cases {
                    becomes.push(table.and(&cells.becomes(table, *cell, *value)?, case)?);
                }
                table.any(becomes)?
            }
        });
    }
    for bit in table.choice_bits() {
        let (of_it, others): (Vec<_>, Vec<_>) = depending(table, parts, bit)?;
        parts = others;
        if !of_it.is_empty() {
            parts.push(table.forget(&table.all(of_it)?, &[bit])?);
        }
    }
    Ok(table.all(parts)?)
}

/// The sets that depend on a bit, and the others.
fn depending(table: &Table<'_>, sets: Vec<Bdd>, bit: u32) -> Result<(Vec<Bdd>, Vec<Bdd>), Stop> {
    let (mut of_it, mut others) = (Vec::new(), Vec::new());
    for set in sets {
        let depends = table.forget(&set, &[bit])? != set;
        if depends { of_it.push(set) } else { others.push(set) }
    }
    Ok((of_it, others))
}

struct Running<'e, 'a> {
    expressions: &'e Expressions<'a>,
    /// Where it faults, for some values of the choice bits.
    fault: Bdd,
    /// The choice bits that are not in use.
    free: Range<u32>,
}

impl Running<'_, '_> {
    fn run(&mut self, update: &Update, branch: Branch) -> Result<Vec<Branch>, Stop> {
        let table = self.expressions.table;
        if table.is_never(&branch.condition) {
            return Ok(Vec::new());
        }
        match update {
            Update::Skip => Ok(vec![branch]),
            Update::Assign(assignments) => Ok(vec![self.assign(assignments, branch)?]),
            Update::Sequence(updates) => {
                let mut branches = vec![branch];
                for update in updates {
                    let mut next = Vec::new();
                    // Branches become relations of their own, so they may use the same choice bits.
                    let (free, mut rest) = (self.free.clone(), self.free.start);
                    for branch in branches {
                        self.free = free.clone();
                        next.extend(self.run(update, branch)?);
                        within(&next)?;
                        rest = rest.max(self.free.start);
                    }
                    self.free.start = rest;
                    branches = next;
                }
                Ok(branches)
            }
            Update::If(condition, yes, no) => {
                let condition = self.condition(condition, &branch)?;
                let side = |condition| Branch { condition, written: branch.written.clone() };
                let free = self.free.clone();
                let yes = self.run(yes, side(table.and(&branch.condition, &condition)?))?;
                // A state goes to one side, so both may use the same choice bits.
                let rest = std::mem::replace(&mut self.free, free);
                let no = self.run(no, side(table.minus(&branch.condition, &condition)?))?;
                self.free.start = self.free.start.max(rest.start);
                match (&yes[..], &no[..]) {
                    ([yes], [no]) => Ok(vec![self.join(&condition, yes, no)?]),
                    _ => Ok(yes.into_iter().chain(no).collect()),
                }
            }
            Update::Either(choices) => {
                let mut branches = Vec::new();
                let mut none = branch.condition.clone();
                let (free, mut rest) = (self.free.clone(), self.free.start);
                for (condition, update) in choices {
                    self.free = free.clone();
                    let condition = self.condition(condition, &branch)?;
                    none = table.minus(&none, &condition)?;
                    let condition = table.and(&branch.condition, &condition)?;
                    let choice = Branch { condition, written: branch.written.clone() };
                    branches.extend(self.run(update, choice)?);
                    within(&branches)?;
                    rest = rest.max(self.free.start);
                }
                self.free.start = rest;
                self.fault = table.or(&self.fault, &none)?;
                Ok(branches)
            }
            Update::Choose(binder, condition, body) => self.choose(binder, condition, body, branch),
        }
    }

    /// A value is chosen by choice bits. All codes stand for values; those that are too great, for the last one.
    fn choose(
        &mut self,
        binder: &Binder,
        condition: &Expr,
        body: &Update,
        branch: Branch,
    ) -> Result<Vec<Branch>, Stop> {
        let (table, values) = (self.expressions.table, values(binder));
        if values.is_empty() {
            self.fault = table.or(&self.fault, &branch.condition)?;
            return Ok(Vec::new());
        }
        if let Some(value) = determining(binder, condition) {
            return self.remember(binder, value, body, branch);
        }
        let first = self.free.start;
        self.free.start += width(&values);
        if self.free.start > self.free.end {
            return Err(too_many_ways());
        }
        let bits: Vec<u32> = (first..self.free.start).collect();
        let mut cases = Vec::new();
        let mut others = table.always();
        for (code, value) in values.clone().enumerate() {
            let case = if value == *values.end() { others.clone() } else { code_is(table, &bits, code)? };
            others = table.minus(&others, &case)?;
            cases.push((value, case));
        }
        self.expressions.bind(binder.index, Value::Number(cases));
        let chosen = self.chosen(&bits, condition, body, branch);
        self.expressions.unbind();
        chosen
    }

    /// An index that can have one value only is bound to that. It needs no choice bits.
    fn remember(
        &mut self,
        binder: &Binder,
        value: &Expr,
        body: &Update,
        branch: Branch,
    ) -> Result<Vec<Branch>, Stop> {
        let (table, values) = (self.expressions.table, values(binder));
        let Outcome { value, fault } = self.expressions.evaluate(value, &branch.written)?;
        self.faults(&branch, &fault)?;
        let mut cases = self.expressions.number(&value)?;
        cases.retain(|(value, _)| values.contains(value));
        let possible = table.any(cases.iter().map(|(_, case)| case.clone()).collect())?;
        let none = table.minus(&branch.condition, &table.or(&possible, &fault)?)?;
        self.fault = table.or(&self.fault, &none)?;
        let condition = table.and(&branch.condition, &possible)?;
        self.expressions.bind(binder.index, Value::Number(cases));
        let branches = self.run(body, Branch { condition, written: branch.written });
        self.expressions.unbind();
        branches
    }

    /// The same, once the value is bound.
    fn chosen(
        &mut self,
        bits: &[u32],
        condition: &Expr,
        body: &Update,
        branch: Branch,
    ) -> Result<Vec<Branch>, Stop> {
        let table = self.expressions.table;
        let condition = self.condition(condition, &branch)?;
        let possible = table.and(&branch.condition, &condition)?;
        let none = table.minus(&branch.condition, &table.forget(&possible, bits)?)?;
        self.fault = table.or(&self.fault, &none)?;
        self.run(body, Branch { condition: possible, written: branch.written })
    }

    /// Where a condition is true; where it faults in the branch is noted.
    fn condition(&mut self, condition: &Expr, branch: &Branch) -> Result<Bdd, Stop> {
        let (truth, fault) = self.expressions.truth_of(condition, &branch.written)?;
        self.faults(branch, &fault)?;
        Ok(truth)
    }

    fn faults(&mut self, branch: &Branch, fault: &Bdd) -> Result<(), Stop> {
        let table = self.expressions.table;
        if !table.is_never(fault) {
            self.fault = table.or(&self.fault, &table.and(&branch.condition, fault)?)?;
        }
        Ok(())
    }

    /// Everything is read before anything is written.
    fn assign(&mut self, assignments: &[(Place, Expr)], mut branch: Branch) -> Result<Branch, Stop> {
        let mut writes = Vec::new();
        for (place, expr) in assignments {
            let (targets, fault) = self.expressions.targets(place, &branch.written)?;
            self.faults(&branch, &fault)?;
            let outcome = self.expressions.evaluate(expr, &branch.written)?;
            self.faults(&branch, &outcome.fault)?;
            writes.push((targets, outcome.value));
        }
        for (targets, value) in writes {
            for (cell, condition) in targets {
                let value = self.fitting(cell, &condition, &value, &branch)?;
                let value = if self.expressions.table.is_always(&condition) {
                    value
                } else {
                    let before = self.expressions.cell(cell, &branch.written)?;
                    self.expressions.choose(&condition, &value, &before)?
                };
                branch.written.insert(cell, value);
            }
        }
        Ok(branch)
    }

    /// The part of a value that a cell can hold; the rest is a fault where the cell is written.
    fn fitting(
        &mut self,
        cell: usize,
        condition: &Bdd,
        value: &Value,
        branch: &Branch,
    ) -> Result<Value, Stop> {
        let (table, values) = (self.expressions.table, self.expressions.cells.values(cell));
        let is_truth = values == (0..=1);
        if is_truth && matches!(value, Value::Truth(_)) {
            return Ok(value.clone());
        }
        let (inside, outside): (Vec<_>, Vec<_>) =
            self.expressions.number(value)?.into_iter().partition(|(value, _)| values.contains(value));
        for (_, case) in outside {
            self.faults(branch, &table.and(condition, &case)?)?;
        }
        let inside = Value::Number(inside);
        Ok(if is_truth { Value::Truth(self.expressions.truth(&inside)?) } else { inside })
    }

    /// Two branches that differ by a condition, as one.
    fn join(&self, condition: &Bdd, yes: &Branch, no: &Branch) -> Result<Branch, Stop> {
        let expressions = self.expressions;
        let mut written = Written::new();
        for cell in writes([yes, no]) {
            let (a, b) = (expressions.cell(cell, &yes.written)?, expressions.cell(cell, &no.written)?);
            written.insert(cell, if a == b { a } else { expressions.choose(condition, &a, &b)? });
        }
        Ok(Branch { condition: expressions.table.or(&yes.condition, &no.condition)?, written })
    }
}

/// Gives up if there are too many branches.
fn within(branches: &[Branch]) -> Result<(), Stop> {
    if branches.len() > BRANCHES { Err(too_many_ways()) } else { Ok(()) }
}

fn too_many_ways() -> Stop {
    Stop::TooLarge("an action can go too many different ways".to_owned())
}

/// Where bits have this code, the first of them the highest.
fn code_is(table: &Table<'_>, bits: &[u32], code: usize) -> Result<Bdd, Stop> {
    let mut literals = Vec::with_capacity(bits.len());
    for (place, bit) in bits.iter().rev().enumerate() {
        let bit = table.current(*bit)?;
        literals.push(if code >> place & 1 == 1 { bit } else { table.not(&bit)? });
    }
    Ok(table.all(literals)?)
}
