//! Visits an expression of the syntax tree and everything inside it, from the outside in.

use crate::syntax::{Event, Expr, ExprKind, Set};

/// Calls `f` with an expression and all inside it, those in ranges, sets and events included.
pub(crate) fn visit<'e>(expr: &'e Expr, f: &mut dyn FnMut(&'e Expr)) {
    f(expr);
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Name(_) | ExprKind::Deadlock | ExprKind::Error => {}
        ExprKind::Call(_, arguments)
        | ExprKind::Min(arguments)
        | ExprKind::Max(arguments)
        | ExprKind::List(arguments)
        | ExprKind::Set(arguments) => {
            visit_all(arguments, f);
        }
        ExprKind::Record(_, fields) => visit_all(fields.iter().map(|(_, value)| value), f),
        ExprKind::Field(a, _)
        | ExprKind::At(a, _)
        | ExprKind::Each(_, a)
        | ExprKind::Unary(_, a)
        | ExprKind::Size(a)
        | ExprKind::Len(a)
        | ExprKind::Empty(a)
        | ExprKind::Full(a) => visit(a, f),
        ExprKind::Item(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Path(_, a, b) => {
            visit(a, f);
            visit(b, f);
        }
        ExprKind::In(a, set) => {
            visit(a, f);
            match &**set {
                Set::Listed(values, _) => visit_all(values, f),
                Set::Range(range) => {
                    visit(&range.lo, f);
                    visit(&range.hi, f);
                }
                Set::Integers(_) => {}
            }
        }
        ExprKind::If(a, b, c) => {
            visit(a, f);
            visit(b, f);
            visit(c, f);
        }
        ExprKind::Quantified(_, binder, body) => {
            visit(&binder.range.lo, f);
            visit(&binder.range.hi, f);
            visit(body, f);
        }
        ExprKind::Taken(event) | ExprKind::Enabled(event) => visit_event(event, f),
    }
}

fn visit_all<'e>(exprs: impl IntoIterator<Item = &'e Expr>, f: &mut dyn FnMut(&'e Expr)) {
    for expr in exprs {
        visit(expr, f);
    }
}

fn visit_event<'e>(event: &'e Event, f: &mut dyn FnMut(&'e Expr)) {
    visit_all(event.parties.iter().flat_map(|party| &party.indices), f);
    visit_all(event.arguments.iter().flatten(), f);
}
