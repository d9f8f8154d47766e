//! Builds syntax trees of our language, for importers that translate a file of another one.
//!
//! A translated tree has the spans of the original text. So messages, and the lines of declarations, point there.

use std::collections::BTreeSet;

use lang::syntax::{
    Binary, Block, Comments, Expr, ExprKind, Item, ItemKind, Label, Name, Range, Span, Statement,
    StatementKind, Unary,
};

/// A name.
pub(crate) fn name(text: impl Into<String>, span: Span) -> Name {
    Name { text: text.into(), span }
}

/// An expression.
pub(crate) fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

/// A number.
pub(crate) fn int(value: i64, span: Span) -> Expr {
    // The grammar has no negative numbers, only the operator.
    match value.checked_neg() {
        Some(positive @ 1..) => unary(Unary::Neg, expr(ExprKind::Int(positive), span)),
        _ => expr(ExprKind::Int(value), span),
    }
}

/// A use of a name.
pub(crate) fn named(text: impl Into<String>, span: Span) -> Expr {
    expr(ExprKind::Name(text.into()), span)
}

/// `op a`
pub(crate) fn unary(operator: Unary, operand: Expr) -> Expr {
    let span = operand.span;
    expr(ExprKind::Unary(operator, Box::new(operand)), span)
}

/// `a op b`
pub(crate) fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    expr(ExprKind::Binary(operator, Box::new(left), Box::new(right)), span)
}

/// `if c { a } else { b }`
pub(crate) fn choice(condition: Expr, yes: Expr, no: Expr) -> Expr {
    let span = condition.span;
    expr(ExprKind::If(Box::new(condition), Box::new(yes), Box::new(no)), span)
}

/// `a[e]`
pub(crate) fn item(array: Expr, position: Expr) -> Expr {
    let span = array.span.to(position.span);
    expr(ExprKind::Item(Box::new(array), Box::new(position)), span)
}

/// `lo..hi`
pub(crate) fn range(lo: i64, hi: i64, span: Span) -> Range {
    Range { lo: int(lo, span), hi: int(hi, span), named: false }
}

/// A statement without a label.
pub(crate) fn statement(kind: StatementKind, span: Span) -> Statement {
    Statement { label: None, kind, span, comments: Comments::default() }
}

/// The same statement with a label.
pub(crate) fn labelled(label: Name, statement: Statement) -> Statement {
    Statement { label: Some(Label { name: label, annotation: None }), ..statement }
}

/// Statements in braces.
pub(crate) fn block(statements: Vec<Statement>, span: Span) -> Block {
    Block { statements, trailing: Vec::new(), span }
}

/// A declaration.
pub(crate) fn declaration(kind: ItemKind, span: Span) -> Item {
    Item { kind, span, comments: Comments::default() }
}

/// A name as near to this one as possible that our language allows and that is not taken. It is taken then.
pub(crate) fn free(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut called = name.to_owned();
    while lang::is_reserved(&called)
        || called == "_"
        || matches!(called.as_str(), "all" | "any")
        || taken.contains(&called)
    {
        called.push('_');
    }
    taken.insert(called.clone());
    called
}
