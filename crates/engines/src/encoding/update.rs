//! What an action does, as a relation.
//!
//! An update is run on all states at once. A *branch* is one way of resolving its choices: the states where it
//! can be taken, and the value of each cell that it has written so far. `If` splits a branch by its condition
//! and, if neither side chooses, joins the two again, so that a sequence of conditionals remains one branch. The
//! relation of the action is the union of its branches: each written cell becomes its value, and a cell that
//! another branch (or another action of the same relation) writes stays.

use std::collections::BTreeSet;

use model::system::Update;
use model::{Expr, Place};

use super::Stop;
use super::expression::{Expressions, Value, Written};
use crate::bdd::Bdd;

/// The greatest number of branches of an action.
const BRANCHES: usize = 1 << 12;

/// One way an update can go.
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
    let mut running = Running { expressions, fault: expressions.table.never() };
    let start = Branch { condition: guard.clone(), written: Written::new() };
    let branches = running.run(update, start)?;
    Ok((branches, running.fault))
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
    Ok(table.all(parts)?)
}

struct Running<'e, 'a> {
    expressions: &'e Expressions<'a>,
    fault: Bdd,
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
                    for branch in branches {
                        next.extend(self.run(update, branch)?);
                        within(&next)?;
                    }
                    branches = next;
                }
                Ok(branches)
            }
            Update::If(condition, yes, no) => {
                let condition = self.condition(condition, &branch)?;
                let side = |condition| Branch { condition, written: branch.written.clone() };
                let yes = self.run(yes, side(table.and(&branch.condition, &condition)?))?;
                let no = self.run(no, side(table.minus(&branch.condition, &condition)?))?;
                match (&yes[..], &no[..]) {
                    ([yes], [no]) => Ok(vec![self.join(&condition, yes, no)?]),
                    _ => Ok(yes.into_iter().chain(no).collect()),
                }
            }
            Update::Either(choices) => {
                let mut branches = Vec::new();
                let mut none = branch.condition.clone();
                for (condition, update) in choices {
                    let condition = self.condition(condition, &branch)?;
                    none = table.minus(&none, &condition)?;
                    let condition = table.and(&branch.condition, &condition)?;
                    let choice = Branch { condition, written: branch.written.clone() };
                    branches.extend(self.run(update, choice)?);
                    within(&branches)?;
                }
                self.fault = table.or(&self.fault, &none)?;
                Ok(branches)
            }
            Update::Choose(..) => {
                unreachable!("grounding turns a choice of a value into a choice of updates")
            }
        }
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
    if branches.len() > BRANCHES {
        return Err(Stop::TooLarge("an action can go too many different ways".to_owned()));
    }
    Ok(())
}
