//! Translates DVE expressions.
//!
//! In DVE truth is a number, as in C: `P.cs + Q.cs > 1` counts processes in a state. Ours keeps truth and numbers apart, so a
//! translated expression says which it is, and is converted where the other is needed. It also has an interval that
//! contains its values. With that, a value is made to wrap around only where it may leave its type, and a division gets
//! the case of a negative dividend only where there is one: DVE rounds towards zero, ours is Euclidean.
//!
//! Bits are taken one by one with `/` and `%`. These are those of two's complement, because division rounds down.

use lang::diagnostic::Diagnostic;
use lang::syntax::{Binary as Operator, Event, Expr as Tree, ExprKind, Name, Span, Unary as Prefix};

use super::names::{Meaning, Names, Scope};
use super::syntax::{Binary, Bits, Expr, Node, Type, Unary};
use crate::tree::{binary, choice, expr, int, item, named, unary};

/// The numbers from `lo` to `hi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) lo: i64,
    pub(super) hi: i64,
}

impl Interval {
    pub(super) const fn new(lo: i64, hi: i64) -> Interval {
        Interval { lo, hi }
    }

    pub(super) fn contains(self, other: Interval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    pub(super) fn join(self, other: Interval) -> Interval {
        Interval::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// The values of an operator that is greatest and least at ends of its operands.
    fn of_ends(self, other: Interval, operator: impl Fn(i64, i64) -> i64) -> Interval {
        let ends = [
            operator(self.lo, other.lo),
            operator(self.lo, other.hi),
            operator(self.hi, other.lo),
            operator(self.hi, other.hi),
        ];
        ends.into_iter().map(|end| Interval::new(end, end)).reduce(Interval::join).unwrap_or(self)
    }

    /// The number of bits of two's complement that hold these numbers.
    fn bits(self) -> u32 {
        let of = |value: i64| i64::BITS - if value < 0 { !value } else { value }.leading_zeros() + 1;
        of(self.lo).max(of(self.hi))
    }
}

impl Type {
    pub(super) fn range(self) -> Interval {
        match self {
            Type::Byte => Interval::new(0, 255),
            Type::Int => Interval::new(-32_768, 32_767),
        }
    }
}

/// A translated expression.
pub(super) struct Value {
    tree: Tree,
    /// The values of a number; `None` if it is true or false.
    range: Option<Interval>,
}

impl Value {
    /// As a number, with an interval that contains its values.
    pub(super) fn number(self) -> (Tree, Interval) {
        if let Some(range) = self.range {
            return (self.tree, range);
        }
        let span = self.tree.span;
        (choice(self.tree, int(1, span), int(0, span)), Interval::new(0, 1))
    }

    /// As a condition.
    pub(super) fn truth(self) -> Tree {
        match (self.range, &self.tree.kind) {
            (None, _) => self.tree,
            (Some(_), ExprKind::Int(value)) => expr(ExprKind::Bool(*value != 0), self.tree.span),
            (Some(_), _) => {
                let zero = int(0, self.tree.span);
                binary(Operator::Ne, self.tree, zero)
            }
        }
    }
}

/// A number as it is stored in a variable of a type: it wraps around if it may leave it.
pub(super) fn stored((value, range): (Tree, Interval), kind: Type) -> Tree {
    let values = kind.range();
    if values.contains(range) {
        return value;
    }
    let span = value.span;
    let size = values.hi - values.lo + 1;
    if values.lo == 0 {
        return binary(Operator::Mod, value, int(size, span));
    }
    let shifted = binary(Operator::Add, value, int(-values.lo, span));
    binary(Operator::Sub, binary(Operator::Mod, shifted, int(size, span)), int(-values.lo, span))
}

/// The value of a constant expression.
pub(super) fn constant(expr: &Expr, names: &Names, scope: Option<&Scope>) -> Result<i64, Box<Diagnostic>> {
    let (_, range) = Translator { names, scope }.value(expr)?.number();
    if range.lo == range.hi {
        return Ok(range.lo);
    }
    Err(Diagnostic::error(expr.span, "this must be a constant", "it depends on a variable").into())
}

/// Translates expressions of one process, or of no process.
#[derive(Clone, Copy)]
pub(super) struct Translator<'a> {
    pub(super) names: &'a Names,
    pub(super) scope: Option<&'a Scope>,
}

type Translated<T> = Result<T, Box<Diagnostic>>;

impl Translator<'_> {
    /// A number and its range.
    pub(super) fn number(&self, expr: &Expr) -> Translated<(Tree, Interval)> {
        Ok(self.value(expr)?.number())
    }

    /// A condition.
    pub(super) fn truth(&self, expr: &Expr) -> Translated<Tree> {
        Ok(self.value(expr)?.truth())
    }

    /// A variable that is written, and its type.
    pub(super) fn place(&self, expr: &Expr) -> Translated<(Tree, Type)> {
        let (name, position) = match &expr.node {
            Node::Name(name) => (name, None),
            Node::Item(name, position) => (&name.text, Some(position)),
            _ => {
                return Err(Diagnostic::error(expr.span, "only a variable can be written", "not this").into());
            }
        };
        let Meaning::Variable { called, kind, size } = self.names.find(name, expr.span, self.scope)? else {
            return Err(
                Diagnostic::error(expr.span, "a constant cannot be written", "it keeps its value").into()
            );
        };
        let place = named(called.clone(), expr.span);
        Ok(match (position, size) {
            (None, None) => (place, *kind),
            // An array alone is its first element.
            (None, Some(_)) => (item(place, int(0, expr.span)), *kind),
            (Some(position), _) => (item(place, self.number(position)?.0), *kind),
        })
    }

    pub(super) fn value(&self, expr: &Expr) -> Translated<Value> {
        let span = expr.span;
        let number = |tree: Tree, range: Interval| Ok(Value { tree, range: Some(range) });
        match &expr.node {
            Node::Number(value) => number(int(*value, span), Interval::new(*value, *value)),
            Node::Name(name) => self.read(None, name, None, span),
            Node::Item(name, position) => self.read(None, &name.text, Some(position), span),
            Node::Of(process, name, position) => {
                self.read(Some(self.names.process(process)?), &name.text, position.as_deref(), span)
            }
            Node::At(process, state) => {
                let scope = self.names.process(process)?;
                let label = Name { text: scope.state(state)?.to_owned(), span: state.span };
                let process = Box::new(named(scope.called.clone(), process.span));
                Ok(Value { tree: expr_at(process, label, span), range: None })
            }
            Node::Test(test, channel) => {
                let channel = Box::new(named(self.names.channel(channel)?, channel.span));
                let kind = if *test == "full" { ExprKind::Full(channel) } else { ExprKind::Empty(channel) };
                Ok(Value { tree: crate::tree::expr(kind, span), range: None })
            }
            Node::Unary(operator, operand) => self.unary(*operator, operand),
            Node::Binary(operator, left, right) => self.binary(*operator, left, right, span),
        }
    }

    /// The value of a variable or constant, of this process or of another one.
    fn read(&self, of: Option<&Scope>, name: &str, position: Option<&Expr>, span: Span) -> Translated<Value> {
        let position = position.map(|position| self.number(position)).transpose()?;
        let meaning = self.names.find(name, span, of.or(self.scope))?;
        // An array alone is its first element.
        let first = || (int(0, span), Interval::new(0, 0));
        let position = if meaning.is_array() { position.or_else(|| Some(first())) } else { position };
        let (tree, range) = match (meaning, position) {
            (Meaning::Constant(value), None) => (int(*value, span), Interval::new(*value, *value)),
            // Our tables begin with 1.
            (Meaning::Table(called, values), Some((position, _))) => {
                let next = binary(Operator::Add, position, int(1, span));
                let values = values.iter().map(|value| Interval::new(*value, *value));
                let range = values.reduce(Interval::join).unwrap_or(Interval::new(0, 0));
                (item(named(called.clone(), span), next), range)
            }
            (Meaning::Variable { called, kind, size }, position) if size.is_some() || position.is_none() => {
                let name = Name { text: called.clone(), span };
                let variable = match of {
                    Some(scope) => {
                        let process = Box::new(named(scope.called.clone(), span));
                        expr(ExprKind::Field(process, name), span)
                    }
                    None => named(name.text, span),
                };
                (position.into_iter().fold(variable, |array, (at, _)| item(array, at)), kind.range())
            }
            _ => {
                return Err(Diagnostic::error(
                    span,
                    format!("`{name}` is not an array"),
                    "it has no elements",
                )
                .into());
            }
        };
        Ok(Value { tree, range: Some(range) })
    }

    fn unary(&self, operator: Unary, operand: &Expr) -> Translated<Value> {
        let operand = self.value(operand)?;
        Ok(match operator {
            Unary::Not => Value { tree: unary(Prefix::Not, operand.truth()), range: None },
            Unary::Temporal(operator) => Value { tree: unary(operator, operand.truth()), range: None },
            Unary::Negative => {
                let (tree, Interval { lo, hi }) = operand.number();
                Value { tree: unary(Prefix::Neg, tree), range: Some(Interval::new(-hi, -lo)) }
            }
            Unary::Complement => {
                let (tree, Interval { lo, hi }) = operand.number();
                let span = tree.span;
                let tree = binary(Operator::Sub, unary(Prefix::Neg, tree), int(1, span));
                Value { tree, range: Some(Interval::new(-hi - 1, -lo - 1)) }
            }
        })
    }

    fn binary(&self, operator: Binary, left: &Expr, right: &Expr, span: Span) -> Translated<Value> {
        let (left, right) = (self.value(left)?, self.value(right)?);
        let condition = |operator, left: Value, right: Value| {
            Ok(Value { tree: binary(operator, left.truth(), right.truth()), range: None })
        };
        let operator = match operator {
            Binary::Implies => return condition(Operator::Implies, left, right),
            Binary::Or => return condition(Operator::Or, left, right),
            Binary::And => return condition(Operator::And, left, right),
            Binary::Temporal(operator) => return condition(operator, left, right),
            other => other,
        };
        let ((left, first), (right, second)) = (left.number(), right.number());
        let (tree, range) = match operator {
            Binary::Compare(operator) => {
                return Ok(Value { tree: binary(operator, left, right), range: None });
            }
            Binary::Add => (
                binary(Operator::Add, left, right),
                Interval::new(first.lo + second.lo, first.hi + second.hi),
            ),
            Binary::Subtract => (
                binary(Operator::Sub, left, right),
                Interval::new(first.lo - second.hi, first.hi - second.lo),
            ),
            Binary::Multiply => {
                (binary(Operator::Mul, left, right), first.of_ends(second, i64::saturating_mul))
            }
            Binary::Divide | Binary::Remainder => {
                let operator = if operator == Binary::Divide { Operator::Div } else { Operator::Mod };
                divided(operator, (left, first), (right, second))
            }
            Binary::ShiftRight | Binary::ShiftLeft => {
                shifted(operator == Binary::ShiftLeft, (left, first), (right, second), span)?
            }
            Binary::Bits(operator) => bitwise(operator, (left, first), (right, second), span)?,
            _ => unreachable!("truth values are dealt with above"),
        };
        let widest = Interval::new(-(1 << 40), 1 << 40);
        if !widest.contains(range) {
            return Err(
                Diagnostic::error(span, "this number may become too large", "more than 40 bits").into()
            );
        }
        Ok(Value { tree, range: Some(range) })
    }
}

fn expr_at(process: Box<Tree>, label: Name, span: Span) -> Tree {
    expr(ExprKind::At(process, label), span)
}

/// The claim that some step is possible.
pub(super) fn no_deadlock(span: Span) -> Tree {
    expr(ExprKind::Enabled(Event { parties: Vec::new(), arguments: None, span }), span)
}

/// Division or remainder, rounded towards zero.
fn divided(
    operator: Operator,
    (left, first): (Tree, Interval),
    (right, second): (Tree, Interval),
) -> (Tree, Interval) {
    let size = first.lo.abs().max(first.hi.abs());
    let size = if operator == Operator::Mod {
        size.min((second.lo.abs().max(second.hi.abs()) - 1).max(0))
    } else {
        size
    };
    let may_be_negative = first.lo < 0 || operator == Operator::Div && second.lo < 0;
    let range = match (first.lo == first.hi, second.lo == second.hi, second.lo) {
        (true, true, by) if by != 0 => {
            let value = if operator == Operator::Mod { first.lo % by } else { first.lo / by };
            Interval::new(value, value)
        }
        _ => Interval::new(if may_be_negative { -size } else { 0 }, size),
    };
    if first.lo >= 0 {
        return (binary(operator, left, right), range);
    }
    let span = left.span;
    let is_positive = binary(Operator::Ge, left.clone(), int(0, span));
    let positive = binary(operator, left.clone(), right.clone());
    let negative = unary(Prefix::Neg, binary(operator, unary(Prefix::Neg, left), right));
    (choice(is_positive, positive, negative), range)
}

/// The greatest shift.
const SHIFT: i64 = 31;

/// A shift: a product with a power of two, or a quotient rounded down.
fn shifted(
    to_the_left: bool,
    (left, first): (Tree, Interval),
    (right, second): (Tree, Interval),
    span: Span,
) -> Translated<(Tree, Interval)> {
    if !Interval::new(0, SHIFT).contains(second) && second.lo == second.hi {
        return Err(Diagnostic::error(span, "a number is shifted by 0 to 31 bits", "not by this many").into());
    }
    let by = |count: i64| {
        let operator = if to_the_left { Operator::Mul } else { Operator::Div };
        binary(operator, left.clone(), int(1 << count, span))
    };
    let (least, most) = (second.lo.clamp(0, SHIFT), second.hi.clamp(0, SHIFT));
    // A shift by more than 31 bits has no meaning in C; here it is one by 31.
    let cases = (least..most).rev().fold(by(most), |rest, count| {
        let is_it = binary(Operator::Eq, right.clone(), int(count, span));
        choice(is_it, by(count), rest)
    });
    let ends = |count: i64| {
        let end = |value: i64| if to_the_left { value << count } else { value >> count };
        Interval::new(end(first.lo), end(first.hi))
    };
    Ok((cases, ends(least).join(ends(most))))
}

/// One bit of a number.
enum Bit {
    Known(bool),
    Tree(Tree),
}

/// An operator that works bit by bit.
fn bitwise(
    operator: Bits,
    (left, first): (Tree, Interval),
    (right, second): (Tree, Interval),
    span: Span,
) -> Translated<(Tree, Interval)> {
    let bits = first.bits().max(second.bits());
    if bits > 33 {
        return Err(Diagnostic::error(span, "these numbers have too many bits", "more than 32").into());
    }
    let bit = |tree: &Tree, range: Interval, place: u32| {
        if range.lo >> place == range.hi >> place {
            return Bit::Known((range.lo >> place) & 1 == 1);
        }
        let high = match place {
            0 => tree.clone(),
            _ => binary(Operator::Div, tree.clone(), int(1 << place, span)),
        };
        Bit::Tree(binary(Operator::Mod, high, int(2, span)))
    };
    let mut sum: Option<Tree> = None;
    let (mut least, mut most) = (0_i64, 0_i64);
    for place in 0..bits {
        let combined = match (operator, bit(&left, first, place), bit(&right, second, place)) {
            (Bits::And, Bit::Known(false), _) | (Bits::And, _, Bit::Known(false)) => Bit::Known(false),
            (Bits::Or, Bit::Known(true), _) | (Bits::Or, _, Bit::Known(true)) => Bit::Known(true),
            (Bits::And, Bit::Known(true), other) | (Bits::And, other, Bit::Known(true)) => other,
            (Bits::Or | Bits::Xor, Bit::Known(false), other)
            | (Bits::Or | Bits::Xor, other, Bit::Known(false)) => other,
            (Bits::Xor, Bit::Known(true), Bit::Known(other)) => Bit::Known(!other),
            (Bits::Xor, Bit::Known(true), Bit::Tree(other))
            | (Bits::Xor, Bit::Tree(other), Bit::Known(true)) => {
                Bit::Tree(binary(Operator::Sub, int(1, span), other))
            }
            (Bits::And, Bit::Tree(a), Bit::Tree(b)) => Bit::Tree(binary(Operator::Mul, a, b)),
            (Bits::Or, Bit::Tree(a), Bit::Tree(b)) => Bit::Tree(expr(ExprKind::Max(vec![a, b]), span)),
            (Bits::Xor, Bit::Tree(a), Bit::Tree(b)) => {
                Bit::Tree(binary(Operator::Mod, binary(Operator::Add, a, b), int(2, span)))
            }
        };
        // The last bit of two's complement counts negatively.
        let weight = if place + 1 == bits { -(1_i64 << place) } else { 1 << place };
        let term = match combined {
            Bit::Known(false) => continue,
            Bit::Known(true) => {
                (least, most) = (least + weight, most + weight);
                int(weight, span)
            }
            Bit::Tree(tree) => {
                (least, most) = (least + weight.min(0), most + weight.max(0));
                if weight == 1 { tree } else { binary(Operator::Mul, tree, int(weight, span)) }
            }
        };
        sum = Some(match sum {
            None => term,
            Some(sum) => binary(Operator::Add, sum, term),
        });
    }
    Ok((sum.unwrap_or_else(|| int(0, span)), Interval::new(least, most)))
}
