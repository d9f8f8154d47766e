//! A block of commands as one step: its guard, its choices, and the new values of variables.
//!
//! Commands are executed one after the other on sums over the values before the block and over *choices*: fresh
//! unknowns, one for each `nondet()`. An assignment replaces the sum of its variable, an `assume` adds a condition.
//! Something that is not linear (a product of variables, a division, a remainder) is read as a choice too, and
//! recorded: the step then overapproximates the block. After an annotation, a right side that contains `nondet()` is
//! one choice as a whole.
//!
//! The guard of a [`Step`] says when there are values for its choices. A choice that only conditions mention is
//! eliminated. Every other one gets a condition that mentions only the choices before it, so choosing in order never
//! gets stuck.

use std::collections::BTreeMap;

use arith::{Condition, EliminationError, Linear, Overflow, Test, Var, eliminate};

use super::syntax::{Command, Comparison, Factor, Node, Tree};
use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

/// Limit on the summands of all blocks of a program.
const SIZE: usize = 2_000_000;

/// State that all blocks of a program share.
pub(super) struct Reader<'a> {
    /// The numbers of the variables, from 0.
    pub(super) variables: &'a BTreeMap<&'a str, Var>,
    /// Where something nonlinear is read as any integer.
    pub(super) approximated: Vec<Span>,
    /// The number of summands so far.
    pub(super) size: usize,
}

/// The effect of a sequence of commands.
pub(super) struct Effect {
    /// The assumptions, over the variables before the block and the choices.
    pub(super) condition: Condition,
    /// The new values of the assigned variables, over the same.
    pub(super) values: BTreeMap<Var, Linear>,
    /// The range of the choices, without its end.
    pub(super) choices: (u32, u32),
    /// Whether the condition depends on something that is only approximated by a choice. Then it may be false although
    /// some choice makes it true.
    pub(super) approximated: bool,
}

/// A block as a step.
pub(super) struct Step {
    /// When it can be taken, over the variables.
    pub(super) guard: Condition,
    /// The choices, in order, each with a condition over the variables and the choices up to it.
    pub(super) choices: Vec<(Var, Condition)>,
    /// The new values of variables.
    pub(super) values: Vec<(Var, Linear)>,
}

impl Reader<'_> {
    /// The effect of commands.
    pub(super) fn effect(&mut self, commands: &[Command]) -> Result<Effect, Box<Diagnostic>> {
        let first = self.variables.len() as u32;
        let mut symbolic =
            Symbolic { values: BTreeMap::new(), next: first, approximated: Vec::new(), reader: self };
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
                    symbolic.count_size(1 + sum.terms().len(), value.span)?;
                    symbolic.values.insert(number, sum);
                }
                Command::Assume(condition) => {
                    let part = symbolic.condition(condition)?;
                    symbolic.count_size(part.size(), condition.span)?;
                    conditions.push(part);
                }
            }
        }
        let Symbolic { mut values, next, approximated, .. } = symbolic;
        values.retain(|number, sum| *sum != Linear::var(*number));
        let condition = Condition::and(conditions);
        let approximated = approximated.iter().any(|choice| condition.mentions(*choice));
        Ok(Effect { condition, values, choices: (first, next), approximated })
    }
}

impl Effect {
    /// The effect as a step.
    pub(super) fn step(&self) -> Result<Step, EliminationError> {
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
            // The guard and the earlier choices already imply the parts that do not mention the choice.
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

    /// What is true of the variables afterwards, from any state before.
    pub(super) fn result(&self) -> Result<Condition, EliminationError> {
        // The values after the block temporarily get numbers behind all others.
        let after = |number: Var| Var(self.choices.1 + number.0);
        let equations = self.values.iter().map(|(number, sum)| {
            Ok(Condition::literal(Test::Zero, sum.plus(-1, &Linear::var(after(*number)))?))
        });
        let equations = equations.collect::<Result<Vec<_>, EliminationError>>()?;
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
    /// The choices that approximate something nonlinear.
    approximated: Vec<Var>,
    reader: &'r mut Reader<'a>,
}

impl Symbolic<'_, '_> {
    fn fresh(&mut self) -> Linear {
        self.next += 1;
        Linear::var(Var(self.next - 1))
    }

    /// A choice in place of something that is not linear.
    fn approximate(&mut self, span: Span) -> Linear {
        self.reader.approximated.push(span);
        self.approximated.push(Var(self.next));
        self.fresh()
    }

    fn count_size(&mut self, size: usize, span: Span) -> Result<(), Box<Diagnostic>> {
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
                        _ => self.approximate(tree.span),
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
