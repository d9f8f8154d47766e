//! Operators with two operands as C has them, with those of logic, for languages whose expressions are like those of C.

use lang::syntax::Binary as Operator;

use crate::numbers::{Arithmetic, Bits};

/// An operator, by its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    /// Of conditions: `&&`, `->`, `U`.
    Logic(Operator),
    /// Of numbers, with a condition as result.
    Compare(Operator),
    /// Of numbers.
    Number(Arithmetic),
}

/// How tightly `->` and its like bind; all others bind more tightly.
pub(crate) const IMPLICATION: usize = 0;

/// How tightly `||` binds.
pub(crate) const OR: usize = 1;

/// How tightly `&&` binds.
pub(crate) const AND: usize = 2;

/// How tightly temporal operators bind, between `&&` and `|`.
pub(crate) const TEMPORAL: usize = 3;

/// The operator of C with this symbol, and how tightly it binds.
pub(crate) fn of_c(symbol: &str) -> Option<(Binary, usize)> {
    Some(match symbol {
        "||" => (Binary::Logic(Operator::Or), OR),
        "&&" => (Binary::Logic(Operator::And), AND),
        "|" => (Binary::Number(Arithmetic::Bits(Bits::Or)), 4),
        "^" => (Binary::Number(Arithmetic::Bits(Bits::Xor)), 5),
        "&" => (Binary::Number(Arithmetic::Bits(Bits::And)), 6),
        "==" => (Binary::Compare(Operator::Eq), 7),
        "!=" => (Binary::Compare(Operator::Ne), 7),
        "<" => (Binary::Compare(Operator::Lt), 8),
        "<=" => (Binary::Compare(Operator::Le), 8),
        ">" => (Binary::Compare(Operator::Gt), 8),
        ">=" => (Binary::Compare(Operator::Ge), 8),
        "<<" => (Binary::Number(Arithmetic::ShiftLeft), 9),
        ">>" => (Binary::Number(Arithmetic::ShiftRight), 9),
        "+" => (Binary::Number(Arithmetic::Add), 10),
        "-" => (Binary::Number(Arithmetic::Subtract), 10),
        "*" => (Binary::Number(Arithmetic::Multiply), 11),
        "/" => (Binary::Number(Arithmetic::Divide), 11),
        "%" => (Binary::Number(Arithmetic::Remainder), 11),
        _ => return None,
    })
}
