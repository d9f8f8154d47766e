//! Values and conditions of expressions, as paths of commands.
//!
//! An expression without calls of functions is evaluated within one step. Where its value depends on a condition
//! (`a ? b : c`, a truth value as a number), the step has several *paths*: commands that are done one after the other,
//! and the value at their end. Assumptions on the paths exclude each other and together cover everything, except where
//! an integer is chosen. A condition without effects stays one formula and is not split.
//!
//! Names are those of program variables here. That the order of evaluation does not matter was checked before
//! (`effects`), so operands are evaluated from left to right.

use std::collections::BTreeMap;

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use super::syntax::{Binary, Expr, Kind, Node};
use crate::program::syntax::{Command, Comparison, Factor, Node as Term, Tree};

/// Limit on the paths of one step.
const PATHS: usize = 128;

/// The commands of a path.
pub(super) type Path = Vec<Command>;

type Values = Result<Vec<(Path, Tree)>, Box<Diagnostic>>;
type Tests = Result<Vec<(Path, bool)>, Box<Diagnostic>>;

/// The functions without a body whose results are known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Chosen {
    Integer,
    Natural,
    Truth,
}

/// What a function that chooses its result chooses among.
pub(super) fn chosen(name: &str) -> Option<Chosen> {
    let of = name.strip_prefix("__VERIFIER_nondet").or_else(|| name.strip_prefix("nondet"));
    Some(match of.map(|of| of.trim_start_matches('_')) {
        Some("" | "int" | "long" | "short" | "char" | "longlong" | "int32_t" | "int64_t" | "S32" | "S64") => {
            Chosen::Integer
        }
        Some("uint" | "ulong" | "ushort" | "uchar" | "unsigned" | "size_t" | "ulonglong" | "u32" | "U32") => {
            Chosen::Natural
        }
        Some("bool" | "_Bool") => Chosen::Truth,
        _ if name == "rand" || name == "random" => Chosen::Natural,
        _ => return None,
    })
}

/// Evaluates expressions.
pub(super) struct Evaluator<'a> {
    /// The kinds of the variables that are not integers.
    pub(super) kinds: &'a BTreeMap<String, Kind>,
    /// The number of temporaries used so far in this step.
    pub(super) temporaries: usize,
}

impl Evaluator<'_> {
    /// The paths of an expression, with its value.
    pub(super) fn value(&mut self, expr: &Expr) -> Values {
        if let Some(term) = term(expr) {
            return Ok(vec![(Vec::new(), term)]);
        }
        let span = expr.span;
        match &expr.node {
            Node::Minus(a) => {
                let values = self.value(a)?.into_iter();
                Ok(values.map(|(path, a)| (path, tree(Term::Negative(Box::new(a)), span))).collect())
            }
            Node::Binary(operator, a, b) if !operator.compares() => {
                let mut found = Vec::new();
                for (first, left) in self.value(a)? {
                    for (second, right) in self.value(b)? {
                        let path = first.iter().cloned().chain(second).collect();
                        found.push((path, arithmetic(*operator, left.clone(), right, span)));
                    }
                    few(&found, span)?;
                }
                Ok(found)
            }
            Node::Conditional(test, yes, no) => {
                let mut found = Vec::new();
                for (path, truth) in self.test(test)? {
                    for (rest, value) in self.value(if truth { yes } else { no })? {
                        found.push((path.iter().cloned().chain(rest).collect(), value));
                    }
                    few(&found, span)?;
                }
                Ok(found)
            }
            Node::Comma(first, second) => {
                let mut found = Vec::new();
                for (path, _) in self.value(first)? {
                    for (rest, value) in self.value(second)? {
                        found.push((path.iter().cloned().chain(rest).collect(), value));
                    }
                    few(&found, span)?;
                }
                Ok(found)
            }
            Node::Assign(name, operator, value) => {
                let mut found = Vec::new();
                let truth = self.kinds.get(name) == Some(&Kind::Truth);
                let values = match operator {
                    None if truth => self.normalised(value)?,
                    _ => self.value(value)?,
                };
                for (mut path, value) in values {
                    let value = match operator {
                        Some(_) if truth => return Err(unsupported(span, "arithmetic on a truth value")),
                        Some(operator) => arithmetic(*operator, variable(name, span), value, span),
                        None => value,
                    };
                    path.push(assign(name, value));
                    found.push((path, variable(name, span)));
                }
                Ok(found)
            }
            Node::Step { name, by, old } => {
                if self.kinds.get(name) == Some(&Kind::Truth) {
                    return Err(unsupported(span, "arithmetic on a truth value"));
                }
                let moved = |by: i64| {
                    let parts = vec![(false, variable(name, span)), (by < 0, number(by.abs(), span))];
                    tree(Term::Sum(parts), span)
                };
                let value = if *old { moved(-by) } else { variable(name, span) };
                Ok(vec![(vec![assign(name, moved(*by))], value)])
            }
            Node::Call(name, _) => match chosen(name) {
                Some(Chosen::Natural) => {
                    self.temporaries += 1;
                    let name = format!("%{}", self.temporaries);
                    let value = variable(&name, span);
                    let natural = compare(Comparison::GreaterEqual, value.clone(), number(0, span), span);
                    Ok(vec![(vec![assign(&name, tree(Term::Any, span)), Command::Assume(natural)], value)])
                }
                Some(Chosen::Truth) => Ok([0, 1].map(|value| (Vec::new(), number(value, span))).to_vec()),
                _ => Ok(vec![(Vec::new(), tree(Term::Any, span))]),
            },
            Node::Text => {
                Err(Diagnostic::error(span, "a text cannot be computed with", "expected a number").into())
            }
            _ => self.normalised(expr),
        }
    }

    /// The truth of an expression as 0 or 1.
    pub(super) fn normalised(&mut self, expr: &Expr) -> Values {
        let tests = self.test(expr)?.into_iter();
        Ok(tests.map(|(path, truth)| (path, number(i64::from(truth), expr.span))).collect())
    }

    /// The paths of an expression, with its truth.
    pub(super) fn test(&mut self, expr: &Expr) -> Tests {
        let span = expr.span;
        if let Some(formula) = formula(expr) {
            return Ok(if let Term::Truth(truth) = formula.node {
                vec![(Vec::new(), truth)]
            } else {
                let negated = negation(formula.clone());
                vec![(vec![Command::Assume(formula)], true), (vec![Command::Assume(negated)], false)]
            });
        }
        match &expr.node {
            Node::Not(a) => Ok(self.test(a)?.into_iter().map(|(path, truth)| (path, !truth)).collect()),
            Node::And(a, b) | Node::Or(a, b) => {
                let goes_on = matches!(expr.node, Node::And(..));
                let mut found = Vec::new();
                for (path, truth) in self.test(a)? {
                    if truth != goes_on {
                        found.push((path, truth));
                        continue;
                    }
                    for (rest, truth) in self.test(b)? {
                        found.push((path.iter().cloned().chain(rest).collect(), truth));
                    }
                    few(&found, span)?;
                }
                Ok(found)
            }
            Node::Binary(operator, a, b) if operator.compares() => {
                let mut found = Vec::new();
                for (first, left) in self.value(a)? {
                    for (second, right) in self.value(b)? {
                        let compared = compare(comparison(*operator), left.clone(), right, span);
                        for (condition, truth) in [(compared.clone(), true), (negation(compared), false)] {
                            let mut path: Path = first.iter().chain(&second).cloned().collect();
                            path.push(Command::Assume(condition));
                            found.push((path, truth));
                        }
                    }
                    few(&found, span)?;
                }
                Ok(found)
            }
            _ => {
                let mut found = Vec::new();
                for (path, value) in self.value(expr)? {
                    if let Term::Number(number) = value.node {
                        found.push((path, number != 0));
                        continue;
                    }
                    for (test, truth) in [(Comparison::Unequal, true), (Comparison::Equal, false)] {
                        let mut path = path.clone();
                        path.push(Command::Assume(compare(test, value.clone(), number(0, span), span)));
                        found.push((path, truth));
                    }
                }
                few(&found, span)?;
                Ok(found)
            }
        }
    }
}

fn few<T>(paths: &[T], span: Span) -> Result<(), Box<Diagnostic>> {
    if paths.len() <= PATHS {
        return Ok(());
    }
    let message = "this expression has very many cases";
    Err(Diagnostic::error(span, message, "write it as several statements").into())
}

fn unsupported(span: Span, what: &str) -> Box<Diagnostic> {
    super::lexer::refused(span, what)
}

/// A term without effects and without cases.
fn term(expr: &Expr) -> Option<Tree> {
    let span = expr.span;
    Some(match &expr.node {
        Node::Number(value) => number(*value, span),
        Node::Name(name) => variable(name, span),
        Node::Any => tree(Term::Any, span),
        Node::Call(name, _) if chosen(name) == Some(Chosen::Integer) => tree(Term::Any, span),
        Node::Minus(a) => tree(Term::Negative(Box::new(term(a)?)), span),
        Node::Binary(operator, a, b) if !operator.compares() => {
            arithmetic(*operator, term(a)?, term(b)?, span)
        }
        _ => return None,
    })
}

/// A condition without effects, as one formula.
fn formula(expr: &Expr) -> Option<Tree> {
    let span = expr.span;
    Some(match &expr.node {
        Node::Not(a) => negation(formula(a)?),
        Node::And(a, b) | Node::Or(a, b) => {
            let (a, b) = (formula(a)?, formula(b)?);
            let decides = matches!(expr.node, Node::Or(..));
            match (&a.node, &b.node) {
                (Term::Truth(truth), _) => {
                    if *truth == decides {
                        a
                    } else {
                        b
                    }
                }
                (_, Term::Truth(truth)) => {
                    if *truth == decides {
                        b
                    } else {
                        a
                    }
                }
                _ if decides => tree(Term::Or(vec![a, b]), span),
                _ => tree(Term::And(vec![a, b]), span),
            }
        }
        Node::Binary(operator, a, b) if operator.compares() => {
            let (a, b) = (term(a)?, term(b)?);
            match (&a.node, &b.node) {
                (Term::Number(a), Term::Number(b)) => tree(Term::Truth(compared(*operator, *a, *b)), span),
                _ => compare(comparison(*operator), a, b, span),
            }
        }
        // A function without a body that chooses a truth value: both are possible.
        Node::Call(name, _) if chosen(name) == Some(Chosen::Truth) => return None,
        _ => match term(expr)? {
            Tree { node: Term::Number(value), .. } => tree(Term::Truth(value != 0), span),
            value => compare(Comparison::Unequal, value, number(0, span), span),
        },
    })
}

fn compared(operator: Binary, a: i64, b: i64) -> bool {
    match operator {
        Binary::Less => a < b,
        Binary::LessEqual => a <= b,
        Binary::Greater => a > b,
        Binary::GreaterEqual => a >= b,
        Binary::Equal => a == b,
        _ => a != b,
    }
}

fn comparison(operator: Binary) -> Comparison {
    match operator {
        Binary::Less => Comparison::Less,
        Binary::LessEqual => Comparison::LessEqual,
        Binary::Greater => Comparison::Greater,
        Binary::GreaterEqual => Comparison::GreaterEqual,
        Binary::Equal => Comparison::Equal,
        _ => Comparison::Unequal,
    }
}

fn negation(formula: Tree) -> Tree {
    let span = formula.span;
    match formula.node {
        Term::Truth(truth) => tree(Term::Truth(!truth), span),
        Term::Not(inner) => *inner,
        _ => tree(Term::Not(Box::new(formula)), span),
    }
}

fn arithmetic(operator: Binary, a: Tree, b: Tree, span: Span) -> Tree {
    let product =
        |factor: Factor, a: Tree, b: Tree| tree(Term::Product(Box::new(a), vec![(factor, b)]), span);
    match operator {
        Binary::Add => tree(Term::Sum(vec![(false, a), (false, b)]), span),
        Binary::Sub => tree(Term::Sum(vec![(false, a), (true, b)]), span),
        Binary::Mul => product(Factor::Times, a, b),
        Binary::Div => product(Factor::Divided, a, b),
        _ => product(Factor::Remainder, a, b),
    }
}

fn tree(node: Term, span: Span) -> Tree {
    Tree { node, span }
}

pub(super) fn number(value: i64, span: Span) -> Tree {
    tree(Term::Number(value), span)
}

pub(super) fn variable(name: &str, span: Span) -> Tree {
    tree(Term::Variable(name.to_owned()), span)
}

pub(super) fn compare(comparison: Comparison, a: Tree, b: Tree, span: Span) -> Tree {
    tree(Term::Compare(comparison, Box::new(a), Box::new(b)), span)
}

pub(super) fn assign(name: &str, value: Tree) -> Command {
    Command::Assign { variable: name.to_owned(), value, annotated: false }
}
