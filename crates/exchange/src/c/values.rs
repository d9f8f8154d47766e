//! Values and conditions of expressions, as paths of commands.
//!
//! An expression without calls of functions is evaluated within one step. Where its value depends on a condition
//! (`a ? b : c`, a truth value as a number), the step has several *paths*: commands that are done one after the other,
//! and the value at their end. Assumptions on the paths exclude each other and together cover everything, except where
//! an integer is chosen. A condition without effects stays one formula and is not split.
//!
//! Unsigned values wrap around: a sum of them is computed without a bound, and taken back into the range of its type where
//! it is used ([`Evaluator::reduced`]). Operands have the types that C converts them to.
//!
//! Names are those of program variables here. That the order of evaluation does not matter was checked before
//! (`effects`), so operands are evaluated from left to right.

use std::collections::BTreeMap;

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use super::syntax::{Binary, Expr, Kind, Node};
use crate::program::syntax::{Command, Comparison, Factor, Node as Term, Tree};

/// Limit on the paths of one step.
const PATHS: usize = 256;

/// The commands of a path.
pub(super) type Path = Vec<Command>;

type Values = Result<Vec<(Path, Tree)>, Box<Diagnostic>>;
type Tests = Result<Vec<(Path, bool)>, Box<Diagnostic>>;

/// The functions without a body whose results are known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Chosen {
    Integer,
    /// From 0 up to what an unsigned type of this many bits has.
    Natural(u32),
    Truth,
}

/// What a function that chooses its result chooses among.
pub(super) fn chosen(name: &str) -> Option<Chosen> {
    let of = name.strip_prefix("__VERIFIER_nondet").or_else(|| name.strip_prefix("nondet"));
    Some(match of.map(|of| of.trim_start_matches('_')) {
        Some("" | "int" | "long" | "short" | "char" | "longlong" | "int32_t" | "int64_t" | "S32" | "S64") => {
            Chosen::Integer
        }
        Some("uint" | "ulong" | "unsigned" | "size_t" | "u32" | "U32" | "uint32_t") => Chosen::Natural(32),
        Some("ushort" | "u16" | "U16" | "uint16_t") => Chosen::Natural(16),
        Some("uchar" | "u8" | "U8" | "uint8_t") => Chosen::Natural(8),
        Some("bool" | "_Bool") => Chosen::Truth,
        _ if name == "rand" || name == "random" => Chosen::Natural(31),
        _ => return None,
    })
}

/// The type of a value, where it matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Int,
    Long,
    Unsigned(u32),
}

impl Type {
    /// The type of a variable of this kind in an expression: narrow types become `int`.
    fn of(kind: Option<Kind>) -> Type {
        match kind {
            Some(Kind::Natural(bits)) if bits >= 32 => Type::Unsigned(bits),
            Some(Kind::Long) => Type::Long,
            _ => Type::Int,
        }
    }

    /// The type to which C converts operands of these types.
    fn common(self, other: Type) -> Type {
        match (self, other) {
            // A wider signed type has all values of a narrower unsigned one.
            (Type::Long, _) | (_, Type::Long) => Type::Long,
            (Type::Unsigned(a), Type::Unsigned(b)) => Type::Unsigned(a.max(b)),
            (Type::Unsigned(bits), _) | (_, Type::Unsigned(bits)) => Type::Unsigned(bits),
            (Type::Int, Type::Int) => Type::Int,
        }
    }
}

/// The least and the greatest value that something can have, if they are known.
type Bounds = Option<(i128, i128)>;

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
        if self.is_signed(expr)
            && let Some(term) = term(expr)
        {
            return Ok(vec![(Vec::new(), term)]);
        }
        let span = expr.span;
        match &expr.node {
            Node::Number(value) => Ok(vec![(Vec::new(), number(*value, span))]),
            Node::Name(name) => Ok(vec![(Vec::new(), variable(name, span))]),
            Node::Never => Ok(Vec::new()),
            Node::Minus(_) | Node::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..)
                if let Type::Unsigned(bits) = self.kind(expr) =>
            {
                self.converted(expr, bits)
            }
            Node::Binary(operator @ (Binary::Div | Binary::Rem), a, b)
                if let Type::Unsigned(bits) = self.kind(expr) =>
            {
                let mut found = Vec::new();
                for (first, left) in self.converted(a, bits)? {
                    for (second, right) in self.converted(b, bits)? {
                        let path = first.iter().cloned().chain(second).collect();
                        found.push((path, arithmetic(*operator, left.clone(), right, span)));
                    }
                    few(&found, span)?;
                }
                Ok(found)
            }
            Node::Cast(Kind::Natural(bits), a) => self.converted(a, *bits),
            Node::Cast(Kind::Truth, a) => self.normalised(a),
            Node::Cast(Kind::Integer, a) if let Type::Unsigned(bits) = self.kind(a) => self.signed(a, bits),
            Node::Cast(_, a) => self.value(a),
            Node::Floored(a, by) | Node::Modulo(a, by) => {
                let factor =
                    if matches!(expr.node, Node::Floored(..)) { Factor::Floored } else { Factor::Modulo };
                let values = self.value(a)?.into_iter();
                let with =
                    |a: Tree| tree(Term::Product(Box::new(a), vec![(factor, number(*by, span))]), span);
                Ok(values.map(|(path, a)| (path, with(a))).collect())
            }
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
                let common = self.kind(expr);
                for (path, truth) in self.test(test)? {
                    let chosen = if truth { yes } else { no };
                    let values = match common {
                        Type::Unsigned(bits) => self.converted(chosen, bits)?,
                        _ => self.value(chosen)?,
                    };
                    for (rest, value) in values {
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
                let whole = operator.map(|operator| {
                    let name = Expr { node: Node::Name(name.clone()), span };
                    Expr { node: Node::Binary(operator, Box::new(name), value.clone()), span }
                });
                let value = whole.as_ref().unwrap_or(value);
                let values = match self.kinds.get(name) {
                    Some(Kind::Truth) => self.normalised(value)?,
                    Some(Kind::Natural(bits)) => self.converted(value, *bits)?,
                    Some(Kind::Long) => self.value(value)?,
                    _ => match self.kind(value) {
                        Type::Unsigned(bits) => self.signed(value, bits)?,
                        _ => self.value(value)?,
                    },
                };
                let mut found = Vec::new();
                for (mut path, value) in values {
                    path.push(assign(name, value));
                    found.push((path, variable(name, span)));
                }
                Ok(found)
            }
            Node::Step { name, by, old } => {
                let kind = self.kinds.get(name).copied();
                if let Some(Kind::Truth | Kind::Natural(_)) = kind {
                    // The old value, if it is asked for, is kept aside.
                    let by = Box::new(Expr { node: Node::Number(*by), span });
                    let stepped = Expr { node: Node::Assign(name.clone(), Some(Binary::Add), by), span };
                    self.temporaries += 1;
                    let kept = format!("%{}", self.temporaries);
                    let mut found = Vec::new();
                    for (path, new) in self.value(&stepped)? {
                        let before = old.then(|| assign(&kept, variable(name, span)));
                        let value = if *old { variable(&kept, span) } else { new };
                        found.push((before.into_iter().chain(path).collect(), value));
                    }
                    return Ok(found);
                }
                let moved = |by: i64| {
                    let parts = vec![(false, variable(name, span)), (by < 0, number(by.abs(), span))];
                    tree(Term::Sum(parts), span)
                };
                let value = if *old { moved(-by) } else { variable(name, span) };
                Ok(vec![(vec![assign(name, moved(*by))], value)])
            }
            Node::Between(least, most) => Ok(self.between(*least, *most, span)),
            Node::Call(name, _) => match chosen(name) {
                Some(Chosen::Natural(bits)) => Ok(self.between(0, (1 << bits) - 1, span)),
                Some(Chosen::Truth) => Ok([0, 1].map(|value| (Vec::new(), number(value, span))).to_vec()),
                _ => Ok(vec![(Vec::new(), tree(Term::Any, span))]),
            },
            Node::Text => {
                Err(Diagnostic::error(span, "a text cannot be computed with", "expected a number").into())
            }
            _ => self.normalised(expr),
        }
    }

    /// Any integer between two.
    fn between(&mut self, least: i64, most: i64, span: Span) -> Vec<(Path, Tree)> {
        self.temporaries += 1;
        let name = format!("%{}", self.temporaries);
        let value = variable(&name, span);
        let range = [(Comparison::GreaterEqual, least), (Comparison::LessEqual, most)];
        let range = range
            .map(|(test, bound)| Command::Assume(compare(test, value.clone(), number(bound, span), span)));
        let path = std::iter::once(assign(&name, tree(Term::Any, span))).chain(range).collect();
        vec![(path, value)]
    }

    /// The bits of the unsigned type that operands are converted to, if they are.
    pub(super) fn common(&self, a: &Expr, b: &Expr) -> Option<u32> {
        match self.kind(a).common(self.kind(b)) {
            Type::Unsigned(bits) => Some(bits),
            _ => None,
        }
    }

    /// The type of what is one of two values.
    pub(super) fn joined(&self, a: &Expr, b: &Expr) -> Kind {
        match self.kind(a).common(self.kind(b)) {
            Type::Unsigned(bits) => Kind::Natural(bits),
            Type::Long => Kind::Long,
            Type::Int => Kind::Integer,
        }
    }

    /// Whether a value, after a conversion to an unsigned type if there is one, is found by a division by a large number.
    pub(super) fn is_divided(&mut self, expr: &Expr, bits: Option<u32>) -> bool {
        let mut divided = false;
        let mut inner = Vec::new();
        expr.visit(&mut |part| match &part.node {
            Node::Binary(Binary::Div | Binary::Rem, _, by) => {
                divided |= matches!(by.node, Node::Number(by) if by.unsigned_abs() > SMALL);
            }
            Node::Floored(_, by) | Node::Modulo(_, by) => divided |= by.unsigned_abs() > SMALL,
            Node::Cast(Kind::Natural(bits), a) => inner.push(((**a).clone(), *bits)),
            Node::Cast(Kind::Integer, a) if let Type::Unsigned(bits) = self.kind(a) => {
                inner.push(((**a).clone(), bits));
            }
            _ => {}
        });
        let wraps = |values: Result<Vec<(Path, Tree, Bounds)>, _>, bits: u32| {
            values.is_ok_and(|values: Vec<_>| {
                values.iter().any(|(_, _, bounds)| multiples(*bounds, bits).is_none())
            })
        };
        divided
            || bits.is_some_and(|bits| wraps(self.congruent(expr, bits), bits))
            || inner.iter().any(|(a, bits)| wraps(self.congruent(a, *bits), *bits))
    }

    /// The type of an expression.
    fn kind(&self, expr: &Expr) -> Type {
        match &expr.node {
            Node::Number(value) if i32::try_from(*value).is_err() => Type::Long,
            Node::Name(name) | Node::Assign(name, ..) | Node::Step { name, .. } => {
                Type::of(self.kinds.get(name).copied())
            }
            Node::Minus(a) | Node::Comma(_, a) | Node::Floored(a, _) | Node::Modulo(a, _) => self.kind(a),
            Node::Binary(operator, a, b) if !operator.compares() => self.kind(a).common(self.kind(b)),
            Node::Conditional(_, a, b) => self.kind(a).common(self.kind(b)),
            Node::Cast(kind, _) => Type::of(Some(*kind)),
            Node::Call(name, _) => match chosen(name) {
                Some(Chosen::Natural(bits)) => Type::of(Some(Kind::Natural(bits))),
                _ => Type::Int,
            },
            _ => Type::Int,
        }
    }

    /// Whether nothing in an expression is unsigned.
    fn is_signed(&self, expr: &Expr) -> bool {
        let mut signed = true;
        expr.visit(&mut |part| {
            signed &= match &part.node {
                Node::Cast(Kind::Integer | Kind::Long, _) => true,
                Node::Cast(..) | Node::Floored(..) | Node::Modulo(..) => false,
                _ => !matches!(self.kind(part), Type::Unsigned(_)),
            };
        });
        signed
    }

    /// The value of an expression after a conversion to an unsigned type of this many bits.
    fn converted(&mut self, expr: &Expr, bits: u32) -> Values {
        let mut found = Vec::new();
        for (path, value, bounds) in self.congruent(expr, bits)? {
            found.extend(Self::reduced(path, value, bounds, bits, 0, expr.span));
            few(&found, expr.span)?;
        }
        Ok(found)
    }

    /// The value of an unsigned expression of this many bits after a conversion to a signed type of as many. Compilers agree
    /// that large values become negative.
    fn signed(&mut self, expr: &Expr, bits: u32) -> Values {
        let mut found = Vec::new();
        for (path, value, bounds) in self.congruent(expr, bits)? {
            found.extend(Self::reduced(path, value, bounds, bits, 1 << (bits - 1), expr.span));
            few(&found, expr.span)?;
        }
        Ok(found)
    }

    /// A value that differs from that of an expression, after a conversion, by a multiple of `2^bits`, with its bounds.
    fn congruent(&mut self, expr: &Expr, bits: u32) -> Result<Vec<(Path, Tree, Bounds)>, Box<Diagnostic>> {
        let span = expr.span;
        // A value of a narrower unsigned type is taken into its range first.
        let own = matches!(self.kind(expr), Type::Unsigned(own) if own < bits);
        match &expr.node {
            Node::Minus(a) if !own => {
                let values = self.congruent(a, bits)?.into_iter();
                let minus = |a: Tree| tree(Term::Negative(Box::new(a)), span);
                return Ok(values
                    .map(|(path, a, bounds)| (path, minus(a), bounds.map(|(lo, hi)| (-hi, -lo))))
                    .collect());
            }
            Node::Binary(operator @ (Binary::Add | Binary::Sub | Binary::Mul), a, b) if !own => {
                let mut found = Vec::new();
                for (first, left, a) in self.congruent(a, bits)? {
                    for (second, right, b) in self.congruent(b, bits)? {
                        let bounds = a.zip(b).and_then(|(a, b)| joined_bounds(*operator, a, b));
                        let path = first.iter().cloned().chain(second).collect();
                        found.push((path, arithmetic(*operator, left.clone(), right, span), bounds));
                    }
                    few(&found, span)?;
                }
                return Ok(found);
            }
            _ => {}
        }
        let bounds = self.bounds(expr);
        Ok(self.value(expr)?.into_iter().map(|(path, value)| (path, value, bounds)).collect())
    }

    /// The least and the greatest value of an expression.
    fn bounds(&self, expr: &Expr) -> Bounds {
        let found = match &expr.node {
            Node::Number(value) => Some((i128::from(*value), i128::from(*value))),
            Node::Name(name) => match self.kinds.get(name) {
                Some(Kind::Natural(bits)) => Some((0, (1 << bits) - 1)),
                Some(Kind::Truth) => Some((0, 1)),
                _ => None,
            },
            Node::Modulo(a, by) => {
                let most = i128::from(*by) - 1;
                Some(self.bounds(a).filter(|(lo, hi)| *lo >= 0 && *hi <= most).unwrap_or((0, most)))
            }
            Node::Floored(a, by) => {
                let by = i128::from(*by);
                self.bounds(a).map(|(lo, hi)| (lo.div_euclid(by), hi.div_euclid(by)))
            }
            Node::Not(_) | Node::And(..) | Node::Or(..) => Some((0, 1)),
            Node::Cast(Kind::Natural(bits), _) => Some((0, (1 << bits) - 1)),
            Node::Cast(Kind::Long, a) => self.bounds(a),
            Node::Cast(Kind::Integer, a) => match self.kind(a) {
                Type::Unsigned(bits) => {
                    let past = 1 << (bits - 1);
                    Some(self.bounds(a).filter(|(_, hi)| *hi < past).unwrap_or((-past, past - 1)))
                }
                _ => self.bounds(a),
            },
            _ => None,
        };
        match self.kind(expr) {
            Type::Unsigned(bits) => found.or(Some((0, (1 << bits) - 1))),
            _ => found,
        }
    }

    /// A value taken into the range of a type, which begins at `-below`: one path for each multiple that may be too much.
    fn reduced(
        path: Path,
        value: Tree,
        bounds: Bounds,
        bits: u32,
        below: i64,
        span: Span,
    ) -> Vec<(Path, Tree)> {
        let (size, least) = (1i128 << bits, i128::from(-below));
        if let Term::Number(constant) = value.node {
            let reduced = (i128::from(constant) - least).rem_euclid(size) + least;
            return vec![(path, number(i64::try_from(reduced).unwrap_or(constant), span))];
        }
        let bounds = bounds.map(|(lo, hi)| (lo - least, hi - least));
        let Some((first, last)) = multiples(bounds, bits) else {
            let part = |subtracted: bool| (subtracted, number(below, span));
            let moved =
                if below == 0 { value } else { tree(Term::Sum(vec![(false, value), part(false)]), span) };
            let rest = Term::Product(Box::new(moved), vec![(Factor::Modulo, number(1 << bits, span))]);
            let rest = tree(rest, span);
            let back = if below == 0 { rest } else { tree(Term::Sum(vec![(false, rest), part(true)]), span) };
            return vec![(path, back)];
        };
        if (first, last) == (0, 0) {
            return vec![(path, value)];
        }
        let case = |multiple: i128| {
            let edge = |multiple: i128| i64::try_from(multiple * size + least).unwrap_or(0);
            let mut path = path.clone();
            if multiple > first {
                let bound = number(edge(multiple), span);
                path.push(Command::Assume(compare(Comparison::GreaterEqual, value.clone(), bound, span)));
            }
            if multiple < last {
                let bound = number(edge(multiple + 1), span);
                path.push(Command::Assume(compare(Comparison::Less, value.clone(), bound, span)));
            }
            let off = number(i64::try_from(multiple * size).unwrap_or(0), span);
            let parts = vec![(false, value.clone()), (true, off)];
            (path, if multiple == 0 { value.clone() } else { tree(Term::Sum(parts), span) })
        };
        (first..=last).map(case).collect()
    }

    /// The truth of an expression as 0 or 1.
    pub(super) fn normalised(&mut self, expr: &Expr) -> Values {
        let tests = self.test(expr)?.into_iter();
        Ok(tests.map(|(path, truth)| (path, number(i64::from(truth), expr.span))).collect())
    }

    /// The paths of an expression, with its truth.
    pub(super) fn test(&mut self, expr: &Expr) -> Tests {
        let span = expr.span;
        if self.is_signed(expr)
            && let Some(formula) = formula(expr)
        {
            return Ok(if let Term::Truth(truth) = formula.node {
                vec![(Vec::new(), truth)]
            } else {
                let negated = negation(formula.clone());
                vec![(vec![Command::Assume(formula)], true), (vec![Command::Assume(negated)], false)]
            });
        }
        match &expr.node {
            // `assert(x > 0 && "text")`
            Node::Text => Ok(vec![(Vec::new(), true)]),
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
                let bits = self.common(a, b);
                let mut side = |side: &Expr| match bits {
                    Some(bits) => self.converted(side, bits),
                    None => self.value(side),
                };
                for (first, left) in side(a)? {
                    for (second, right) in side(b)? {
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

/// The bounds of a sum, a difference or a product.
fn joined_bounds(operator: Binary, a: (i128, i128), b: (i128, i128)) -> Bounds {
    match operator {
        Binary::Add => Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
        Binary::Sub => Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)),
        _ => {
            let ends =
                [a.0.checked_mul(b.0)?, a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?, a.1.checked_mul(b.1)?];
            Some((ends.into_iter().min()?, ends.into_iter().max()?))
        }
    }
}

/// Limit on the paths that take an unsigned value into its range.
const MULTIPLES: i128 = 4;

/// A division by a number up to this one may be part of a condition.
const SMALL: u64 = 64;

/// By which multiples of `2^bits` a value with these bounds may be too large, if these are few.
fn multiples(bounds: Bounds, bits: u32) -> Option<(i128, i128)> {
    let multiple = |value: i128| value.div_euclid(1 << bits);
    let found = bounds.map(|(lo, hi)| (multiple(lo), multiple(hi)));
    found.filter(|(first, last)| last - first < MULTIPLES)
}

fn few<T>(paths: &[T], span: Span) -> Result<(), Box<Diagnostic>> {
    if paths.len() <= PATHS {
        return Ok(());
    }
    let message = "this expression has very many cases";
    Err(Diagnostic::error(span, message, "write it as several statements").into())
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
        Node::Cast(Kind::Integer | Kind::Long, a) => term(a)?,
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
