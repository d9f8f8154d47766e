//! The table of binary operators: how they are written and how tightly they bind.
//!
//! Parser and printer share the table, so that printed text is parsed back to the same tree.

use crate::syntax::{Binary, Expr, ExprKind, Unary};

/// Nothing binds more loosely: the level of a whole expression.
pub(crate) const IFF: u8 = 1;
const IMPLIES: u8 = 2;
const OR: u8 = 3;
const AND: u8 = 4;
const UNTIL: u8 = 5;
/// The level of the prefix operators `G`, `F`, `AG` and so on.
pub(crate) const TEMPORAL: u8 = 6;
/// Not associative.
pub(crate) const COMPARISON: u8 = 7;
/// The level of the ends of a range.
pub(crate) const SUM: u8 = 8;
const PRODUCT: u8 = 9;
/// The level of `!` and `-`.
pub(crate) const UNARY: u8 = 10;
/// The level of operands that end with brackets, and of names and numbers.
pub(crate) const POSTFIX: u8 = 11;

const OPERATORS: &[(&str, Binary, u8)] = &[
    ("<->", Binary::Iff, IFF),
    ("->", Binary::Implies, IMPLIES),
    ("~>", Binary::LeadsTo, IMPLIES),
    ("||", Binary::Or, OR),
    ("&&", Binary::And, AND),
    ("U", Binary::Until, UNTIL),
    ("W", Binary::WeakUntil, UNTIL),
    ("R", Binary::Release, UNTIL),
    ("S", Binary::Since, UNTIL),
    ("==", Binary::Eq, COMPARISON),
    ("!=", Binary::Ne, COMPARISON),
    ("<", Binary::Lt, COMPARISON),
    ("<=", Binary::Le, COMPARISON),
    (">", Binary::Gt, COMPARISON),
    (">=", Binary::Ge, COMPARISON),
    ("+", Binary::Add, SUM),
    ("-", Binary::Sub, SUM),
    ("*", Binary::Mul, PRODUCT),
    ("/", Binary::Div, PRODUCT),
    ("%", Binary::Mod, PRODUCT),
    ("&", Binary::Meet, PRODUCT),
];

/// The operator written this way.
pub(crate) fn operator(text: &str) -> Option<Binary> {
    OPERATORS.iter().find(|row| row.0 == text).map(|row| row.1)
}

/// The operator of an assignment such as `+=`.
pub(crate) fn of_assignment(text: &str) -> Option<Binary> {
    let (sign, equals) = text.split_at_checked(1)?;
    let operator = operator(sign).filter(|operator| level(*operator) >= SUM)?;
    (equals == "=").then_some(operator)
}

/// How an operator is written.
pub(crate) fn symbol(operator: Binary) -> &'static str {
    row(operator).0
}

/// How tightly an operator binds.
pub(crate) fn level(operator: Binary) -> u8 {
    row(operator).2
}

/// The least levels of the left and right operand. A looser operand is put in parentheses.
pub(crate) fn operands(operator: Binary) -> (u8, u8) {
    match level(operator) {
        level @ (IFF | IMPLIES | UNTIL) => (level + 1, level),
        COMPARISON => (SUM, SUM),
        level => (level, level + 1),
    }
}

/// Whether an expression begins with a temporal operator, after any number of `!`.
pub(crate) fn is_temporal_prefix(mut expr: &Expr) -> bool {
    loop {
        match &expr.kind {
            ExprKind::Unary(Unary::Not, operand) => expr = operand,
            ExprKind::Unary(operator, _) => return *operator != Unary::Neg,
            _ => return false,
        }
    }
}

/// Whether an expression is `G p` or `AG p` for a `p` that does not begin with a temporal operator. Before `->` it stands
/// in parentheses, because `G p -> q` is often written for `G (p -> q)`.
pub(crate) fn is_misleading_premise(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Unary(Unary::Globally | Unary::AllGlobally, inner) if !is_temporal_prefix(inner))
}

fn row(operator: Binary) -> &'static (&'static str, Binary, u8) {
    OPERATORS.iter().find(|row| row.1 == operator).expect("the table has every operator")
}
