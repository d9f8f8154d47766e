//! A block as a step of a program that is searched state by state, with its arithmetic as it is written.
//!
//! Engines over integers know linear terms, so for them a product is bounded and a quotient is chosen
//! ([`block`](super::block)). Where states are listed the terms can be computed. So a block becomes a guard and new values
//! by substitution alone. There is no such step if an integer is chosen anywhere but alone in a comparison, which some
//! integer makes true and some other false, or if the divisor is not a number: what a division by 0 does is not known.

use std::collections::BTreeMap;

use arith::Var;
use model::Expr;
use model::expr::Operator;

use super::block::{LOCAL, contains_any};
use super::claim::variable;
use super::syntax::{Command, Comparison, Factor, Node, Tree};

/// Limit on the terms of a block.
const SIZE: usize = 4_000;

/// A block as a step.
pub(super) struct Exact {
    pub(super) guard: Expr,
    /// The variables that are assigned, with their new values.
    pub(super) values: BTreeMap<Var, Expr>,
}

/// The step of these commands. `None` if there is none, or if it is too long.
pub(super) fn exact<'a>(commands: &'a [Command], numbers: &'a BTreeMap<&'a str, Var>) -> Option<Exact> {
    let mut block = Substitution { numbers, values: BTreeMap::new(), local: BTreeMap::new(), size: 0 };
    let mut guard = Vec::new();
    for command in commands {
        match command {
            Command::Assign { variable, value, .. } => {
                let value = block.term(value)?;
                match numbers.get(variable.as_str()) {
                    _ if variable.starts_with(LOCAL) => drop(block.local.insert(variable, value)),
                    Some(number) => drop(block.values.insert(*number, value)),
                    None => return None,
                }
            }
            Command::Assume(condition) => guard.push(block.condition(condition, true)?),
        }
    }
    let guard = if guard.contains(&Expr::Bool(false)) { Expr::Bool(false) } else { Expr::and(guard) };
    Some(Exact { guard, values: block.values })
}

struct Substitution<'a> {
    numbers: &'a BTreeMap<&'a str, Var>,
    values: BTreeMap<Var, Expr>,
    local: BTreeMap<&'a str, Expr>,
    size: usize,
}

impl Substitution<'_> {
    /// A value that is used, counted with all its parts.
    fn counted(&mut self, expr: Expr) -> Option<Expr> {
        let mut pending = vec![&expr];
        while let Some(part) = pending.pop() {
            self.size += 1;
            if self.size > SIZE {
                return None;
            }
            pending.extend(part.children());
        }
        Some(expr)
    }

    fn term(&mut self, tree: &Tree) -> Option<Expr> {
        Some(match &tree.node {
            Node::Number(number) => Expr::Int(*number),
            Node::Variable(name) if name.starts_with(LOCAL) => {
                let value = self.local.get(name.as_str())?.clone();
                self.counted(value)?
            }
            Node::Variable(name) => {
                let number = *self.numbers.get(name.as_str())?;
                let value = self.values.get(&number).cloned().unwrap_or_else(|| variable(number.0));
                self.counted(value)?
            }
            Node::Negative(operand) => negative(self.term(operand)?),
            Node::Sum(parts) => {
                let mut terms = Vec::new();
                for (subtracted, part) in parts {
                    let term = self.term(part)?;
                    terms.push(if *subtracted { negative(term) } else { term });
                }
                sum(terms)
            }
            Node::Product(first, factors) => {
                let mut product = self.term(first)?;
                for (factor, operand) in factors {
                    let operand = self.term(operand)?;
                    product = match (factor, operand) {
                        (Factor::Times, operand) => folded(Operator::Mul, product, operand),
                        (Factor::Floored, by @ Expr::Int(1..)) => folded(Operator::Div, product, by),
                        (Factor::Modulo, by @ Expr::Int(1..)) => folded(Operator::Mod, product, by),
                        (Factor::Divided | Factor::Remainder, Expr::Int(by)) if by != 0 && by != i64::MIN => {
                            let product = self.counted(product)?;
                            rounded(*factor, product, by)
                        }
                        _ => return None,
                    };
                }
                product
            }
            _ => return None,
        })
    }

    /// A condition, or its opposite.
    fn condition(&mut self, tree: &Tree, holds: bool) -> Option<Expr> {
        Some(match &tree.node {
            Node::Compare(comparison, a, b) => {
                let is_free = |one: &Tree, other: &Tree| one.node == Node::Any && !contains_any(other);
                if is_free(a, b) || is_free(b, a) {
                    return Some(Expr::Bool(true));
                }
                let comparison = if holds { *comparison } else { comparison.opposite() };
                compared(comparison, self.term(a)?, self.term(b)?)
            }
            Node::Not(body) => self.condition(body, !holds)?,
            Node::And(parts) | Node::Or(parts) => {
                let all = parts.iter().map(|part| self.condition(part, holds)).collect::<Option<Vec<_>>>()?;
                let (decides, join): (bool, fn(Vec<Expr>) -> Expr) =
                    if matches!(tree.node, Node::And(_)) == holds {
                        (false, Expr::and)
                    } else {
                        (true, Expr::or)
                    };
                if all.contains(&Expr::Bool(decides)) { Expr::Bool(decides) } else { join(all) }
            }
            Node::Truth(truth) => Expr::Bool(*truth == holds),
            Node::Any => Expr::Bool(true),
            Node::Quantified(..) | Node::Temporal(..) | Node::At(_) => return None,
            // A number is true if it is not 0.
            _ => {
                let comparison = if holds { Comparison::Unequal } else { Comparison::Equal };
                compared(comparison, self.term(tree)?, Expr::Int(0))
            }
        })
    }
}

fn negative(term: Expr) -> Expr {
    match term {
        Expr::Int(value) if value != i64::MIN => Expr::Int(-value),
        Expr::Neg(inner) => *inner,
        other => Expr::Neg(Box::new(other)),
    }
}

/// A sum, with its numbers added up.
fn sum(terms: Vec<Expr>) -> Expr {
    let mut constant = 0i64;
    let mut rest = Vec::new();
    for term in terms {
        match (&term, &term) {
            (Expr::Int(value), _) if constant.checked_add(*value).is_some() => constant += value,
            _ => rest.push(term),
        }
    }
    if constant != 0 || rest.is_empty() {
        rest.push(Expr::Int(constant));
    }
    if rest.len() == 1 { rest.remove(0) } else { Expr::Sum(rest) }
}

fn folded(operator: Operator, a: Expr, b: Expr) -> Expr {
    let value = match (operator, &a, &b) {
        (Operator::Mul, Expr::Int(a), Expr::Int(b)) => a.checked_mul(*b),
        (Operator::Div, Expr::Int(a), Expr::Int(b)) => a.checked_div_euclid(*b),
        (Operator::Mod, Expr::Int(a), Expr::Int(b)) => a.checked_rem_euclid(*b),
        _ => None,
    };
    value.map_or_else(|| Expr::binary(operator, a, b), Expr::Int)
}

/// A quotient or remainder that is rounded towards zero: a negative dividend has those of its opposite, with the other sign.
fn rounded(factor: Factor, a: Expr, by: i64) -> Expr {
    let (size, is_quotient) = (by.abs(), factor == Factor::Divided);
    let operator = if is_quotient { Operator::Div } else { Operator::Mod };
    let of = |a: Expr| folded(operator, a, Expr::Int(size));
    let value = match &a {
        Expr::Int(value) if *value >= 0 => of(a),
        Expr::Int(_) => negative(of(negative(a))),
        _ => Expr::If(
            Box::new(Expr::binary(Operator::Ge, a.clone(), Expr::Int(0))),
            Box::new(of(a.clone())),
            Box::new(negative(of(negative(a)))),
        ),
    };
    if is_quotient && by < 0 { negative(value) } else { value }
}

fn compared(comparison: Comparison, a: Expr, b: Expr) -> Expr {
    if let (Expr::Int(a), Expr::Int(b)) = (&a, &b) {
        return Expr::Bool(match comparison {
            Comparison::Less => a < b,
            Comparison::LessEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterEqual => a >= b,
            Comparison::Equal => a == b,
            Comparison::Unequal => a != b,
        });
    }
    Expr::binary(comparison.operator(), a, b)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lang::syntax::Span;
    use model::{Instance, State, System, semantics};

    use super::*;

    fn tree(node: Node) -> Tree {
        Tree { node, span: Span::default() }
    }

    fn assigned(name: &str, value: Tree) -> Command {
        Command::Assign { variable: name.to_owned(), value, annotated: false }
    }

    /// Whether the step of a block can be taken, and the value of `y` after it.
    fn done(commands: &[Command], y: i64) -> Option<(bool, Expr)> {
        let numbers = BTreeMap::from([("y", Var(0))]);
        let first = assigned("y", tree(Node::Number(y)));
        let commands: Vec<Command> = std::iter::once(first).chain(commands.iter().cloned()).collect();
        let Exact { guard, mut values } = exact(&commands, &numbers)?;
        let instance = Instance::new(Arc::new(System::default())).expect("an instance");
        let guard = semantics::state_predicate(&instance, &guard, &State(Vec::new())).expect("a truth");
        Some((guard, values.remove(&Var(0)).expect("a value")))
    }

    #[test]
    fn quotients_and_remainders_are_those_of_c_and_of_floors() {
        let y = || tree(Node::Variable("y".to_owned()));
        let twice = || tree(Node::Sum(vec![(false, y()), (false, y())]));
        for by in [-3i64, -2, -1, 1, 2, 7] {
            for a in -11i64..=11 {
                let mut cases = vec![(Factor::Divided, 2 * a / by), (Factor::Remainder, 2 * a % by)];
                if by > 0 {
                    cases.push((Factor::Floored, (2 * a).div_euclid(by)));
                    cases.push((Factor::Modulo, (2 * a).rem_euclid(by)));
                }
                cases.push((Factor::Times, 2 * a * by));
                for (factor, expected) in cases {
                    let operand = tree(Node::Number(by));
                    let value = tree(Node::Product(Box::new(twice()), vec![(factor, operand)]));
                    // The value is computed when the test comes, and again after it.
                    let is = |number: i64| {
                        let number = Box::new(tree(Node::Number(number)));
                        tree(Node::Compare(Comparison::Equal, Box::new(y()), number))
                    };
                    let commands = [assigned("y", value), Command::Assume(is(expected))];
                    assert_eq!(done(&commands, a), Some((true, Expr::Int(expected))), "{factor:?} {a} {by}");
                }
            }
        }
    }

    #[test]
    fn a_choice_alone_in_a_comparison_decides_nothing_and_elsewhere_there_is_no_step() {
        let (any, zero) = (|| Box::new(tree(Node::Any)), || Box::new(tree(Node::Number(0))));
        let test = || tree(Node::Compare(Comparison::Less, any(), zero()));
        let never = tree(Node::Truth(false));
        let negated = tree(Node::Not(Box::new(test())));
        let both = tree(Node::And(vec![test(), never.clone()]));
        let neither = tree(Node::Not(Box::new(tree(Node::Or(vec![test(), never.clone()])))));
        for (condition, truth) in [(test(), true), (negated, true), (both, false), (neither, true)] {
            let (possible, _) = done(&[Command::Assume(condition.clone())], 1).expect("a step");
            assert_eq!(possible, truth, "{condition:?}");
        }
        let sum = tree(Node::Sum(vec![(false, *any()), (false, *any())]));
        assert!(done(&[assigned("y", sum)], 1).is_none());
        let divided =
            tree(Node::Product(zero(), vec![(Factor::Divided, tree(Node::Variable("y".to_owned())))]));
        assert!(done(&[assigned("y", divided)], 0).is_none());
    }
}
