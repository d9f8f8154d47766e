//! Expressions as their author would write them, for showing.
//!
//! An item or a message that may not be there is a choice between the item and a minimum over no values (decision 0029).
//! What is shown is the item: `q[0]`, and not `q[if 0 < len(q) { 0 } else { min() }]`.

use model::expr::{Operator, Quantifier};
use model::{Expr, Formula, System, show};

/// The text of an expression, without what stands for values that are not there.
pub(crate) fn expression(system: &System, expr: &Expr) -> String {
    show::expression(system, &plain(expr))
}

/// The text of a formula, without what stands for values that are not there.
pub(crate) fn formula(system: &System, formula: &Formula) -> String {
    show::formula(system, &plain_formula(formula))
}

fn plain_formula(formula: &Formula) -> Formula {
    match formula {
        Formula::Atom(atom) => Formula::Atom(plain(atom)),
        _ => formula.map(&mut plain_formula),
    }
}

fn plain(expr: &Expr) -> Expr {
    match expr {
        Expr::If(_, there, none) if is_missing(none) => plain(there),
        _ => expr.map(&mut plain),
    }
}

/// Whether an expression is a minimum over no values, or says that it is not 0.
fn is_missing(expr: &Expr) -> bool {
    match expr {
        Expr::Min(parts) => parts.is_empty(),
        Expr::Quantified(Quantifier::Min, binder, _) => {
            matches!((&*binder.span.lo, &*binder.span.hi), (Expr::Int(lo), Expr::Int(hi)) if lo > hi)
        }
        Expr::Binary(Operator::Ne, value, _) => is_missing(value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_that_may_not_be_there_is_shown_as_the_item() {
        let text = "shared q: seq[2] of 0..3; chan c: [2] of 0..3; shared p: seq[2] of bool; process P { loop { a: skip; } }
            invariant one: head(q) == 1 && q[1] > c[0]; invariant two: head(p);";
        let model = lang::load("test", text, &[]).model.expect("a model");
        let shown = |number: usize| {
            let task = &model.checks[number].task;
            let atoms = task.property.kind.atoms();
            expression(task.system(), atoms[0])
        };
        assert_eq!(shown(0), "q[0] == 1 && q[1] > c[0]");
        assert_eq!(shown(1), "p[0]");
    }
}
