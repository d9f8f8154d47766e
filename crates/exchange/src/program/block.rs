//! A block of commands as one step: its guard, its choices, and the new values of variables.
//!
//! Commands are executed one after the other on sums over the values before the block and over *choices*: fresh
//! unknowns, one for each `nondet()`. An assignment replaces the sum of its variable, an `assume` adds a condition.
//! A quotient by a constant is a choice with a *definition*, a condition that exactly one integer meets; it rounds
//! towards zero, as in C. A product of variables, and a division by one, is a choice of which only some facts are known
//! ([`products`](super::products)), and recorded: the step then overapproximates the block. Or it is to do nothing that
//! the block does not do: then it is only taken where it is surely right ([`Effect::sure`]). After an annotation, a right
//! side that contains `nondet()` is one choice as a whole.
//!
//! The guard of a [`Step`] says when there are values for its choices. A choice that only conditions mention is
//! eliminated. Every other one gets a condition that mentions only the choices before it, so choosing in order never
//! gets stuck.

use std::collections::BTreeMap;

use arith::{Condition, EliminationError, Linear, Overflow, Test, Var, eliminate};

use super::products::{Nonlinear, Operation, surely};
use super::syntax::{Command, Comparison, Factor, Node, Tree};
use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

/// The first letter of names that only one block knows.
pub(crate) const LOCAL: char = '%';

/// Limit on the summands of all blocks of a program.
const SIZE: usize = 2_000_000;

/// State that all blocks of a program share.
pub(crate) struct Reader<'a> {
    /// The numbers of the variables, from 0.
    pub(crate) variables: &'a BTreeMap<&'a str, Var>,
    /// Where something nonlinear is known only in part.
    pub(crate) approximated: Vec<Span>,
    /// The number of summands so far.
    pub(crate) size: usize,
}

/// The effect of a sequence of commands.
#[derive(Clone)]
pub(crate) struct Effect {
    /// The assumptions, over the variables before the block and the choices.
    pub(crate) condition: Condition,
    /// The new values of the assigned variables, over the same.
    pub(crate) values: BTreeMap<Var, Linear>,
    /// The range of the choices, without its end.
    pub(crate) choices: (u32, u32),
    /// Conditions on choices that some integer always meets, over the variables and the choices before.
    pub(crate) defined: BTreeMap<Var, Condition>,
    /// The choices that stand for something nonlinear.
    nonlinear: BTreeMap<Var, Nonlinear>,
    /// Whether the condition depends on something that is only approximated by a choice. Then it may be false although
    /// some choice makes it true.
    pub(crate) approximated: bool,
}

/// A block as a step.
pub(crate) struct Step {
    /// When it can be taken, over the variables.
    pub(crate) guard: Condition,
    /// The choices, in order, each with a condition over the variables and the choices up to it.
    pub(crate) choices: Vec<(Var, Condition)>,
    /// The new values of variables.
    pub(crate) values: Vec<(Var, Linear)>,
}

impl Reader<'_> {
    /// The effect of commands.
    pub(crate) fn effect(&mut self, commands: &[Command]) -> Result<Effect, Box<Diagnostic>> {
        let first = self.variables.len() as u32;
        let mut symbolic = Symbolic {
            values: BTreeMap::new(),
            local: BTreeMap::new(),
            next: first,
            defined: BTreeMap::new(),
            nonlinear: BTreeMap::new(),
            reader: self,
        };
        let mut conditions = Vec::new();
        for command in commands {
            match command {
                Command::Assign { variable, value, annotated } => {
                    let sum = if *annotated && contains_any(value) {
                        symbolic.fresh()
                    } else {
                        symbolic.term(value)?
                    };
                    symbolic.count_size(1 + sum.terms().len(), value.span)?;
                    if variable.starts_with(LOCAL) {
                        symbolic.local.insert(variable, sum);
                        continue;
                    }
                    let number = symbolic.reader.variables.get(variable.as_str()).copied().unwrap_or(Var(0));
                    symbolic.values.insert(number, sum);
                }
                Command::Assume(condition) => {
                    let part = symbolic.condition(condition)?;
                    symbolic.count_size(part.size(), condition.span)?;
                    conditions.push(part);
                }
            }
        }
        let Symbolic { mut values, next, defined, nonlinear, .. } = symbolic;
        values.retain(|number, sum| *sum != Linear::var(*number));
        let condition = Condition::and(conditions);
        let approximated = nonlinear.keys().any(|choice| condition.mentions(*choice));
        Ok(Effect { condition, values, choices: (first, next), defined, nonlinear, approximated })
    }
}

impl Effect {
    /// The effect that does at least as much: facts about what is nonlinear are assumed, if they are short enough.
    /// `begins` says whether its result is asked for too.
    pub(crate) fn more(self, begins: bool) -> Effect {
        let mut with = self.clone();
        for (choice, nonlinear) in &self.nonlinear {
            let Ok(facts) = nonlinear.facts(*choice) else { return self };
            with.defined.insert(*choice, facts);
        }
        if !self.nonlinear.is_empty() && (with.step().is_err() || begins && with.result().is_err()) {
            return self;
        }
        with
    }

    /// The effect that does at most as much: it is left out where something nonlinear is not known well enough.
    pub(crate) fn sure(mut self) -> Result<Effect, EliminationError> {
        // Invariant: a choice stands for an operation on the variables and the choices before it.
        for (choice, nonlinear) in self.nonlinear.iter().rev() {
            let used = self.values.values().any(|sum| sum.coefficient(*choice) != 0)
                || self.defined.values().any(|own| own.mentions(*choice))
                || self
                    .nonlinear
                    .values()
                    .any(|later| later.a.coefficient(*choice) != 0 || later.b.coefficient(*choice) != 0);
            if used {
                self.condition = Condition::and([self.condition, nonlinear.exact(*choice)?]);
            } else if self.condition.mentions(*choice) {
                self.condition = surely(&self.condition, *choice, nonlinear)?;
            }
        }
        self.approximated = false;
        Ok(self)
    }

    /// The effect as a step.
    pub(crate) fn step(&self) -> Result<Step, EliminationError> {
        let mut condition = self.condition.clone();
        // Invariant: a definition mentions only choices before its own.
        let mut kept = Vec::new();
        for choice in (self.choices.0..self.choices.1).rev().map(Var) {
            let needed = self.values.values().any(|sum| sum.coefficient(choice) != 0)
                || kept.iter().any(|later| self.defined.get(later).is_some_and(|own| own.mentions(choice)));
            if needed {
                kept.push(choice);
            } else if condition.mentions(choice) {
                let defined = self.defined.get(&choice).cloned();
                condition = eliminate(&Condition::and(std::iter::once(condition).chain(defined)), choice)?;
            }
        }
        let mut choices = Vec::new();
        for choice in kept {
            let defined = self.defined.get(&choice).cloned();
            let whole = Condition::and(std::iter::once(condition.clone()).chain(defined.clone()));
            // There always is an integer that meets a definition.
            let without = match defined {
                Some(_) if !condition.mentions(choice) => condition,
                _ => eliminate(&whole, choice)?,
            };
            // The guard and the earlier choices already imply the parts that do not mention the choice.
            let own = match whole {
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

    /// The values of the variables afterwards, if they are known numbers whatever they were before.
    pub(crate) fn constants(&self, variables: usize) -> Option<Vec<i64>> {
        if self.condition != Condition::truth() {
            return None;
        }
        let value = |number: u32| i64::try_from(self.values.get(&Var(number))?.as_constant()?).ok();
        (0..variables as u32).map(value).collect()
    }

    /// What is true of the variables afterwards, from any state before.
    pub(crate) fn result(&self) -> Result<Condition, EliminationError> {
        // The values after the block temporarily get numbers behind all others.
        let after = |number: Var| Var(self.choices.1 + number.0);
        let equations = self.values.iter().map(|(number, sum)| {
            Ok(Condition::literal(Test::Zero, sum.plus(-1, &Linear::var(after(*number)))?))
        });
        let equations = equations.collect::<Result<Vec<_>, EliminationError>>()?;
        let known = std::iter::once(&self.condition).chain(self.defined.values()).cloned();
        let mut formula = Condition::and(known.chain(equations));
        for choice in (self.choices.0..self.choices.1).rev().map(Var) {
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
    /// The values of names that only this block knows.
    local: BTreeMap<&'r str, Linear>,
    next: u32,
    defined: BTreeMap<Var, Condition>,
    /// The choices that stand for something nonlinear.
    nonlinear: BTreeMap<Var, Nonlinear>,
    reader: &'r mut Reader<'a>,
}

impl Symbolic<'_, '_> {
    fn fresh(&mut self) -> Linear {
        self.next += 1;
        Linear::var(Var(self.next - 1))
    }

    /// A choice in place of something that is not linear.
    fn approximate(&mut self, factor: Factor, a: Linear, b: Linear, span: Span) -> Linear {
        self.reader.approximated.push(span);
        let operation = match factor {
            Factor::Times => Operation::Product,
            Factor::Divided | Factor::Floored => Operation::Quotient,
            Factor::Remainder | Factor::Modulo => Operation::Remainder,
        };
        self.nonlinear.insert(Var(self.next), Nonlinear { operation, a, b });
        self.fresh()
    }

    /// The quotient of a sum by a number that is not 0, rounded towards zero.
    fn quotient(&mut self, sum: &Linear, by: i128) -> Result<Linear, Overflow> {
        let size = by.checked_abs().ok_or(Overflow)?;
        if size == 1 {
            return sum.times(by);
        }
        let choice = Var(self.next);
        let quotient = self.fresh();
        let multiple = quotient.times(size)?;
        let rest = sum.plus(-1, &multiple)?;
        let between = |lo: &Linear, hi: &Linear| -> Result<[Condition; 2], Overflow> {
            // `lo <= 0 <= hi`
            Ok([
                Condition::literal(Test::AtMost, lo.clone()),
                Condition::literal(Test::AtMost, hi.opposite()),
            ])
        };
        // Of a sum that is not negative, the rest is from 0 to size - 1; otherwise from 1 - size to 0.
        let [a, b] = between(&rest.shifted(1 - size)?, &rest)?;
        let up = Condition::and([Condition::literal(Test::AtMost, sum.opposite()), a, b]);
        let [a, b] = between(&rest, &rest.shifted(size - 1)?)?;
        let down = Condition::and([Condition::literal(Test::AtMost, sum.successor()), a, b]);
        self.defined.insert(choice, Condition::or([up, down]));
        quotient.times(by.signum())
    }

    /// The quotient of a sum by a positive number, rounded down.
    fn floored(&mut self, sum: &Linear, by: i128) -> Result<Linear, Overflow> {
        let choice = Var(self.next);
        let quotient = self.fresh();
        let rest = sum.plus(-by, &quotient)?;
        let (least, most) = (rest.opposite(), rest.shifted(1 - by)?);
        let range = [least, most].map(|part| Condition::literal(Test::AtMost, part));
        self.defined.insert(choice, Condition::and(range));
        Ok(quotient)
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
            Node::Variable(name) if name.starts_with(LOCAL) => {
                self.local.get(name.as_str()).cloned().unwrap_or_default()
            }
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
                        (Factor::Divided, Some(a), Some(b)) if b != 0 => Linear::constant(a / b),
                        (Factor::Remainder, Some(a), Some(b)) if b != 0 => Linear::constant(a % b),
                        (Factor::Divided, None, Some(b)) if b != 0 => {
                            self.quotient(&product, b).map_err(large)?
                        }
                        (Factor::Remainder, None, Some(b)) if b != 0 => {
                            let quotient = self.quotient(&product, b).map_err(large)?;
                            product
                                .plus(b.checked_neg().ok_or_else(|| large(Overflow))?, &quotient)
                                .map_err(large)?
                        }
                        (Factor::Floored, Some(a), Some(b)) if b > 0 => Linear::constant(a.div_euclid(b)),
                        (Factor::Modulo, Some(a), Some(b)) if b > 0 => Linear::constant(a.rem_euclid(b)),
                        (Factor::Floored, None, Some(b)) if b > 0 => {
                            self.floored(&product, b).map_err(large)?
                        }
                        (Factor::Modulo, None, Some(b)) if b > 0 => {
                            let quotient = self.floored(&product, b).map_err(large)?;
                            product.plus(-b, &quotient).map_err(large)?
                        }
                        _ => self.approximate(*factor, product, operand, tree.span),
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
            Node::Truth(true) => Condition::truth(),
            Node::Truth(false) => Condition::falsity(),
            Node::Quantified(..) | Node::Temporal(..) | Node::At(_) => {
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
pub(super) fn contains_any(tree: &Tree) -> bool {
    let mut found = false;
    tree.visit(&mut |part| found |= part.node == Node::Any);
    found
}

pub(crate) fn expected_number(span: Span) -> Diagnostic {
    Diagnostic::error(span, "a number is expected here", "this is a condition")
}

pub(crate) fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the numbers here become too large", "beyond 64 bits")
}
