//! A block of commands as one step: when it can be done, what is chosen, what every variable becomes.
//!
//! Commands are done one after the other on sums over the values before the block and over *choices*: fresh unknowns,
//! one for each `nondet()`. An assignment replaces the sum of its variable, an `assume` adds a condition. What is not
//! linear (a product of variables, a division, a remainder) is read as a choice, too, and noted: the step then does
//! more than the block. With an annotation before it, a right side that contains `nondet()` is one choice as a whole.
//!
//! A [`Step`] says outside of its choices when there are values for them: a choice that only conditions mention is
//! eliminated, and each other one gets a condition that mentions the choices before it alone, so that whoever
//! chooses in order never gets stuck.

use std::collections::BTreeMap;

use arith::{Condition, Hard, Linear, Overflow, Test, Var, eliminate};

use super::syntax::{Command, Comparison, Factor, Node, Tree};
use crate::diagnostic::Diagnostic;
use crate::syntax::Span;

/// How many summands the blocks of a program may have when they are put together.
const SIZE: usize = 2_000_000;

/// What is known of all blocks.
pub(super) struct Reader<'a> {
    /// The numbers of the variables, from 0 on.
    pub(super) variables: &'a BTreeMap<&'a str, Var>,
    /// Where something is read as any integer although it is not.
    pub(super) loose: Vec<Span>,
    /// The number of summands so far.
    pub(super) size: usize,
}

/// Commands put together.
pub(super) struct Effect {
    /// What is assumed, over the variables before the block and the choices.
    pub(super) condition: Condition,
    /// What the assigned variables become, over the same.
    pub(super) values: BTreeMap<Var, Linear>,
    /// The choices: unknowns from the first to before the second.
    pub(super) choices: (u32, u32),
    /// Whether the condition depends on something that is read as a choice although it is none: then it may be
    /// false where it can be made true.
    pub(super) loose: bool,
}

/// A block as a step.
pub(super) struct Step {
    /// When it can be taken, over the variables.
    pub(super) guard: Condition,
    /// What is chosen, in order, each with its condition over the variables and the choices up to it.
    pub(super) choices: Vec<(Var, Condition)>,
    /// What variables become.
    pub(super) values: Vec<(Var, Linear)>,
}

impl Reader<'_> {
    /// The effect of commands.
    pub(super) fn effect(&mut self, commands: &[Command]) -> Result<Effect, Box<Diagnostic>> {
        let first = self.variables.len() as u32;
        let mut symbolic = Symbolic { values: BTreeMap::new(), next: first, loose: Vec::new(), reader: self };
        let mut conditions = Vec::new();
        for command in commands {
            match command {
                Command::Assign { variable, value, annotated } => {
                    let sum = if *annotated && contains_any(value) {
                        symbolic.fresh()
                    } else {
                        symbolic.term(value)?
                    };
                    let number = symbolic.reader.variables.get(variable.as_str()).copied().unwrap_or(Var(0));
                    symbolic.weigh(1 + sum.terms().len(), value.span)?;
                    symbolic.values.insert(number, sum);
                }
                Command::Assume(condition) => {
                    let part = symbolic.condition(condition)?;
                    symbolic.weigh(part.size(), condition.span)?;
                    conditions.push(part);
                }
            }
        }
        let Symbolic { mut values, next, loose, .. } = symbolic;
        values.retain(|number, sum| *sum != Linear::var(*number));
        let condition = Condition::and(conditions);
        let loose = loose.iter().any(|choice| condition.mentions(*choice));
        Ok(Effect { condition, values, choices: (first, next), loose })
    }
}

impl Effect {
    /// As a step from the states before it.
    pub(super) fn step(&self) -> Result<Step, Hard> {
        let mut condition = self.condition.clone();
        let mut kept = Vec::new();
        for choice in (self.choices.0..self.choices.1).map(Var) {
            if self.values.values().any(|sum| sum.coefficient(choice) != 0) {
                kept.push(choice);
            } else {
                condition = eliminate(&condition, choice)?;
            }
        }
        let mut choices = Vec::new();
        for choice in kept.into_iter().rev() {
            let without = eliminate(&condition, choice)?;
            // What does not mention the choice was asked for before.
            let own = match condition {
                Condition::And(parts) => {
                    Condition::and(parts.into_iter().filter(|part| part.mentions(choice)))
                }
                other if other.mentions(choice) => other,
                _ => Condition::truth(),
            };
            choices.push((choice, own));
            condition = without;
        }
        choices.reverse();
        let values = self.values.iter().map(|(number, sum)| (*number, sum.clone())).collect();
        Ok(Step { guard: condition, choices, values })
    }

    /// What is true of the variables after it, if anything was before.
    pub(super) fn result(&self) -> Result<Condition, Hard> {
        // The values after the block get numbers behind all others for a while.
        let after = |number: Var| Var(self.choices.1 + number.0);
        let equations = self.values.iter().map(|(number, sum)| {
            Ok(Condition::literal(Test::Zero, sum.plus(-1, &Linear::var(after(*number)))?))
        });
        let equations = equations.collect::<Result<Vec<_>, Hard>>()?;
        let mut formula = Condition::and(std::iter::once(self.condition.clone()).chain(equations));
        for choice in (self.choices.0..self.choices.1).map(Var) {
            formula = eliminate(&formula, choice)?;
        }
        for number in self.values.keys() {
            formula = eliminate(&formula, *number)?;
        }
        for number in self.values.keys() {
            formula = formula.with(after(*number), &Linear::var(*number))?;
        }
        Ok(formula)
    }
}

/// The values in the middle of a block.
struct Symbolic<'r, 'a> {
    values: BTreeMap<Var, Linear>,
    next: u32,
    /// The choices that stand for something else.
    loose: Vec<Var>,
    reader: &'r mut Reader<'a>,
}

impl Symbolic<'_, '_> {
    fn fresh(&mut self) -> Linear {
        self.next += 1;
        Linear::var(Var(self.next - 1))
    }

    /// A choice in place of something that is not linear.
    fn loose(&mut self, span: Span) -> Linear {
        self.reader.loose.push(span);
        self.loose.push(Var(self.next));
        self.fresh()
    }

    fn weigh(&mut self, size: usize, span: Span) -> Result<(), Box<Diagnostic>> {
        self.reader.size += size;
        if self.reader.size > SIZE {
            let message =
                "the program is too large: its blocks have too many terms when they are put together";
            return Err(Diagnostic::error(span, message, "given up here").into());
        }
        Ok(())
    }

    fn term(&mut self, tree: &Tree) -> Result<Linear, Box<Diagnostic>> {
        let large = |_| Box::new(too_large(tree.span));
        Ok(match &tree.node {
            Node::Number(number) => Linear::constant(i128::from(*number)),
            Node::Variable(name) => {
                let number = self.reader.variables.get(name.as_str()).copied().unwrap_or(Var(0));
                self.values.get(&number).cloned().unwrap_or_else(|| Linear::var(number))
            }
            Node::Any => self.fresh(),
            Node::Negative(operand) => self.term(operand)?.opposite(),
            Node::Sum(parts) => {
                let mut sum = Linear::default();
                for (subtracted, part) in parts {
                    sum = sum.plus(if *subtracted { -1 } else { 1 }, &self.term(part)?).map_err(large)?;
                }
                sum
            }
            Node::Product(first, factors) => {
                let mut product = self.term(first)?;
                for (factor, operand) in factors {
                    let operand = self.term(operand)?;
                    product = match (factor, product.as_constant(), operand.as_constant()) {
                        (Factor::Times, _, Some(number)) => product.times(number).map_err(large)?,
                        (Factor::Times, Some(number), _) => operand.times(number).map_err(large)?,
                        (Factor::Divided, Some(a), Some(b)) if b != 0 && a % b == 0 => {
                            Linear::constant(a / b)
                        }
                        _ => self.loose(tree.span),
                    };
                }
                product
            }
            _ => return Err(expected_number(tree.span).into()),
        })
    }

    fn condition(&mut self, tree: &Tree) -> Result<Condition, Box<Diagnostic>> {
        let large = |_| Box::new(too_large(tree.span));
        Ok(match &tree.node {
            Node::Compare(comparison, left, right) => {
                let (left, right) = (self.term(left)?, self.term(right)?);
                compare(*comparison, &left, &right).map_err(large)?
            }
            Node::Not(body) => self.condition(body)?.negated(),
            Node::And(parts) => {
                Condition::and(parts.iter().map(|part| self.condition(part)).collect::<Result<Vec<_>, _>>()?)
            }
            Node::Or(parts) => {
                Condition::or(parts.iter().map(|part| self.condition(part)).collect::<Result<Vec<_>, _>>()?)
            }
            Node::Quantified(..) | Node::Temporal(..) => {
                return Err(Diagnostic::error(
                    tree.span,
                    "a temporal operator makes no sense here",
                    "not in a program",
                )
                .into());
            }
            // A number is true if it is not 0.
            _ => Condition::literal(Test::NotZero, self.term(tree)?),
        })
    }
}

fn compare(comparison: Comparison, left: &Linear, right: &Linear) -> Result<Condition, Overflow> {
    let difference = left.plus(-1, right)?;
    Ok(match comparison {
        Comparison::LessEqual => Condition::literal(Test::AtMost, difference),
        Comparison::Less => Condition::literal(Test::AtMost, difference.successor()),
        Comparison::GreaterEqual => Condition::literal(Test::AtMost, difference.opposite()),
        Comparison::Greater => Condition::literal(Test::AtMost, difference.opposite().successor()),
        Comparison::Equal => Condition::literal(Test::Zero, difference),
        Comparison::Unequal => Condition::literal(Test::NotZero, difference),
    })
}

/// Whether `nondet()` occurs in a tree.
fn contains_any(tree: &Tree) -> bool {
    match &tree.node {
        Node::Any => true,
        Node::Number(_) | Node::Variable(_) => false,
        Node::Negative(a) | Node::Not(a) | Node::Quantified(_, a) => contains_any(a),
        Node::Sum(parts) => parts.iter().any(|(_, part)| contains_any(part)),
        Node::Product(first, factors) => {
            contains_any(first) || factors.iter().any(|(_, factor)| contains_any(factor))
        }
        Node::Compare(_, a, b) => contains_any(a) || contains_any(b),
        Node::And(parts) | Node::Or(parts) | Node::Temporal(_, parts) => parts.iter().any(contains_any),
    }
}

pub(super) fn expected_number(span: Span) -> Diagnostic {
    Diagnostic::error(span, "a number is expected here", "this is a condition")
}

pub(super) fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the numbers here become too large", "beyond 64 bits")
}
