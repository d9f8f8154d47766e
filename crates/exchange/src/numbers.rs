//! Numbers of other languages in ours: they wrap around, their division rounds towards zero, and they have bits.
//!
//! Ours are integers that do not wrap around, with Euclidean division. An expression of another language is translated
//! together with an interval that contains its values. With that, a value is made to wrap around only where it may leave
//! its type, and a division gets the case of a negative dividend only where there is one.
//!
//! Bits are taken one by one with `/` and `%`. These are those of two's complement, because division rounds down.

use lang::diagnostic::Diagnostic;
use lang::syntax::{Binary as Operator, Expr as Tree, ExprKind, Span, Unary as Prefix};

use crate::tree::{binary, choice, expr, int, unary};

type Translated<T> = Result<T, Box<Diagnostic>>;

/// Operators that work bit by bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Bits {
    And,
    Or,
    Xor,
}

/// The numbers from `lo` to `hi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) lo: i64,
    pub(crate) hi: i64,
}

impl Interval {
    pub(crate) const fn new(lo: i64, hi: i64) -> Interval {
        Interval { lo, hi }
    }

    pub(crate) fn contains(self, other: Interval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    pub(crate) fn join(self, other: Interval) -> Interval {
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

/// A number as it is stored in a variable with these values: it wraps around if it may leave them.
pub(crate) fn stored((value, range): (Tree, Interval), values: Interval) -> Tree {
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

/// A translated expression.
pub(crate) struct Value {
    pub(crate) tree: Tree,
    /// The values of a number; `None` if it is true or false.
    pub(crate) range: Option<Interval>,
}

impl Value {
    /// As a number, with an interval that contains its values.
    pub(crate) fn number(self) -> (Tree, Interval) {
        if let Some(range) = self.range {
            return (self.tree, range);
        }
        let span = self.tree.span;
        (choice(self.tree, int(1, span), int(0, span)), Interval::new(0, 1))
    }

    /// As a condition.
    pub(crate) fn truth(self) -> Tree {
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

/// Operators on numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    Bits(Bits),
}

/// The result of an operator, without wrapping around.
pub(crate) fn arithmetic(
    operator: Arithmetic,
    (left, first): (Tree, Interval),
    (right, second): (Tree, Interval),
    span: Span,
) -> Translated<(Tree, Interval)> {
    Ok(match operator {
        Arithmetic::Add => {
            (binary(Operator::Add, left, right), Interval::new(first.lo + second.lo, first.hi + second.hi))
        }
        Arithmetic::Subtract => {
            (binary(Operator::Sub, left, right), Interval::new(first.lo - second.hi, first.hi - second.lo))
        }
        Arithmetic::Multiply => {
            (binary(Operator::Mul, left, right), first.of_ends(second, i64::saturating_mul))
        }
        Arithmetic::Divide | Arithmetic::Remainder => {
            let operator = if operator == Arithmetic::Divide { Operator::Div } else { Operator::Mod };
            divided(operator, (left, first), (right, second))
        }
        Arithmetic::ShiftRight | Arithmetic::ShiftLeft => {
            shifted(operator == Arithmetic::ShiftLeft, (left, first), (right, second), span)?
        }
        Arithmetic::Bits(operator) => bitwise(operator, (left, first), (right, second), span)?,
    })
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
    let (mut reads_left, mut reads_right) = (false, false);
    for place in 0..bits {
        let (own, other) = (bit(&left, first, place), bit(&right, second, place));
        let is_decided = matches!(
            (operator, &own, &other),
            (Bits::And, Bit::Known(false), _)
                | (Bits::And, _, Bit::Known(false))
                | (Bits::Or, Bit::Known(true), _)
                | (Bits::Or, _, Bit::Known(true))
        );
        reads_left |= !is_decided && matches!(own, Bit::Tree(_));
        reads_right |= !is_decided && matches!(other, Bit::Tree(_));
        let combined = match (operator, own, other) {
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
    let mut sum = sum.unwrap_or_else(|| int(0, span));
    // What has no part in the result may still be a fault.
    for (tree, is_read) in [(left, reads_left), (right, reads_right)] {
        let is_number = |tree: &Tree| match &tree.kind {
            ExprKind::Int(_) => true,
            ExprKind::Unary(Prefix::Neg, inner) => matches!(inner.kind, ExprKind::Int(_)),
            _ => false,
        };
        if !is_read && !is_number(&tree) {
            sum = binary(Operator::Add, sum, binary(Operator::Mul, tree, int(0, span)));
        }
    }
    Ok((sum, Interval::new(least, most)))
}
