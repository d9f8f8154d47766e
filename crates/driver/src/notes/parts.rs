//! Finds the parts of a property that have no influence on it.
//!
//! Replace a part of a property that holds by the constant that makes the property strongest: `false` where the part
//! occurs positively, `true` under a negation. If the property still holds, it holds whatever the part is, because it
//! is monotone in the part. Such a property is *vacuous* in the part [BBER01] [KV03]. `G (p -> F q)` with `F q`
//! replaced is `G !p`: that `p` never occurs is the best-known case.
//!
//! A part is tried only if its replacement leaves something else of the property: replacing a conjunct by `false`
//! would replace the whole conjunction. Of nested parts the largest is reported. Maximal expressions without temporal
//! operators are split as well, quantifiers with all their instances at once. CTL and automata are not examined.

use model::expr::{Operator, Quantifier};
use model::property::Kind;
use model::{Expr, Formula, Task};

use crate::report::plain;

/// The greatest number of parts of one property that are tried.
const TRIED: usize = 16;

/// A part of a property.
#[derive(Clone, Debug)]
pub struct Part {
    /// The part as the user would write it.
    pub text: String,
    /// The task with the part replaced by the constant that makes the property strongest.
    pub replaced: Task,
    /// Whether it is a condition: replaced by `true`, because it occurs under a negation or before an arrow.
    pub condition: bool,
    /// The number of parts, in the order of [`parts`], that are this one or inside it.
    within: usize,
}

/// The parts of the property of a task that can be replaced, each before those inside it.
pub fn parts(task: &Task) -> Vec<Part> {
    let system = task.system();
    let claim = |kind: Kind| {
        let property = model::Property { kind, ..task.property.clone() };
        Task { property, ..task.clone() }
    };
    match &task.property.kind {
        Kind::Invariant(expr) => in_expr(expr, true, &|text, replaced, positive, within| Part {
            text: plain::expression(system, text),
            replaced: claim(Kind::Invariant(replaced)),
            condition: !positive,
            within,
        }),
        Kind::Ltl(formula) => in_formula(formula, true, &|text, replaced, positive, within| Part {
            text: match text {
                Whole::Formula(formula) => plain::formula(system, formula),
                Whole::Expr(expr) => plain::expression(system, expr),
            },
            replaced: claim(Kind::Ltl(replaced)),
            condition: !positive,
            within,
        }),
        Kind::Ctl(_) | Kind::Never(_) => Vec::new(),
    }
}

/// The largest parts that have no influence on a property that holds.
pub(super) fn irrelevant(task: &Task, holds: &dyn Fn(&Task) -> bool) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    let all = parts(task);
    let (mut number, mut tried) = (0, 0);
    while number < all.len() && tried < TRIED {
        tried += 1;
        if is_made_up(&all[number].text) {
            number += 1;
        } else if holds(&all[number].replaced) {
            if !found.iter().any(|part| part.text == all[number].text) {
                found.push(all[number].clone());
            }
            number += all[number].within;
        } else {
            number += 1;
        }
    }
    found
}

/// Whether a part names the end of a Promela process as only the importer does: the user wrote nothing of the kind.
fn is_made_up(text: &str) -> bool {
    text.contains("[which_]@end_")
}

/// A part of a formula.
enum Whole<'a> {
    Formula(&'a Formula),
    Expr(&'a Expr),
}

/// Makes a [`Part`] from the part, the property with the part replaced, whether it occurs positively, and how many
/// parts are inside.
type OfFormula<'m> = &'m dyn Fn(Whole<'_>, Formula, bool, usize) -> Part;
type OfExpr<'m> = &'m dyn Fn(&Expr, Expr, bool, usize) -> Part;

/// The parts of a formula. `make` gets the formula in which the part is replaced.
fn in_formula(formula: &Formula, positive: bool, make: OfFormula<'_>) -> Vec<Part> {
    let constant = |positive: bool| Formula::Atom(Expr::Bool(!positive));
    // The part itself, if it can be tried, and the parts inside it; `around` puts a part into the formula.
    let operand = |part: &Formula, positive: bool, itself: bool, around: &dyn Fn(Formula) -> Formula| {
        let inside = in_formula(part, positive, &|whole, replaced, positive, within| {
            make(whole, around(replaced), positive, within)
        });
        let own = (itself && !matches!(part, Formula::Atom(Expr::Bool(_))))
            .then(|| make(Whole::Formula(part), around(constant(positive)), positive, inside.len() + 1));
        own.into_iter().chain(inside).collect::<Vec<Part>>()
    };
    let both = |mut first: Vec<Part>, second: Vec<Part>| {
        first.extend(second);
        first
    };
    let list = |parts: &[Formula], itself: bool, join: &dyn Fn(Vec<Formula>) -> Formula| {
        let at = |number: usize| {
            operand(&parts[number], positive, itself && parts.len() > 1, &|replaced| {
                let mut parts = parts.to_vec();
                parts[number] = replaced;
                join(parts)
            })
        };
        (0..parts.len()).flat_map(at).collect()
    };
    let copy = |part: &Formula| Box::new(part.clone());
    match formula {
        Formula::Atom(atom) => in_expr(atom, positive, &|expr, replaced, positive, within| {
            make(Whole::Expr(expr), Formula::Atom(replaced), positive, within)
        }),
        Formula::Not(a) => operand(a, !positive, false, &|a| Formula::Not(Box::new(a))),
        Formula::Next(a) => operand(a, positive, false, &|a| Formula::Next(Box::new(a))),
        Formula::Finally(a) => operand(a, positive, false, &|a| Formula::Finally(Box::new(a))),
        Formula::Globally(a) => operand(a, positive, false, &|a| Formula::Globally(Box::new(a))),
        Formula::Previous(a) => operand(a, positive, false, &|a| Formula::Previous(Box::new(a))),
        Formula::Once(a) => operand(a, positive, false, &|a| Formula::Once(Box::new(a))),
        Formula::Historically(a) => operand(a, positive, false, &|a| Formula::Historically(Box::new(a))),
        Formula::Since(a, b) => both(
            operand(a, positive, true, &|a| Formula::Since(Box::new(a), copy(b))),
            operand(b, positive, false, &|b| Formula::Since(copy(a), Box::new(b))),
        ),
        Formula::Forall(binder, a) => {
            operand(a, positive, false, &|a| Formula::Forall(binder.clone(), Box::new(a)))
        }
        Formula::Exists(binder, a) => {
            operand(a, positive, false, &|a| Formula::Exists(binder.clone(), Box::new(a)))
        }
        Formula::And(parts) => list(parts, !positive, &Formula::And),
        Formula::Or(parts) => list(parts, positive, &Formula::Or),
        Formula::Implies(a, b) => both(
            operand(a, !positive, positive, &|a| Formula::Implies(Box::new(a), copy(b))),
            operand(b, positive, positive, &|b| Formula::Implies(copy(a), Box::new(b))),
        ),
        Formula::Until(a, b) => both(
            operand(a, positive, true, &|a| Formula::Until(Box::new(a), copy(b))),
            operand(b, positive, false, &|b| Formula::Until(copy(a), Box::new(b))),
        ),
        Formula::WeakUntil(a, b) => both(
            operand(a, positive, positive, &|a| Formula::WeakUntil(Box::new(a), copy(b))),
            operand(b, positive, positive, &|b| Formula::WeakUntil(copy(a), Box::new(b))),
        ),
        Formula::Release(a, b) => both(
            operand(a, positive, true, &|a| Formula::Release(Box::new(a), copy(b))),
            operand(b, positive, false, &|b| Formula::Release(copy(a), Box::new(b))),
        ),
    }
}

/// The same for an expression that is a truth value.
fn in_expr(expr: &Expr, positive: bool, make: OfExpr<'_>) -> Vec<Part> {
    let operand = |part: &Expr, positive: bool, itself: bool, around: &dyn Fn(Expr) -> Expr| {
        let inside = in_expr(part, positive, &|whole, replaced, positive, within| {
            make(whole, around(replaced), positive, within)
        });
        let own = (itself && !matches!(part, Expr::Bool(_)))
            .then(|| make(part, around(Expr::Bool(!positive)), positive, inside.len() + 1));
        own.into_iter().chain(inside).collect::<Vec<Part>>()
    };
    let list = |parts: &[Expr], itself: bool, join: &dyn Fn(Vec<Expr>) -> Expr| {
        let at = |number: usize| {
            operand(&parts[number], positive, itself && parts.len() > 1, &|replaced| {
                let mut parts = parts.to_vec();
                parts[number] = replaced;
                join(parts)
            })
        };
        (0..parts.len()).flat_map(at).collect()
    };
    match expr {
        Expr::Not(a) => operand(a, !positive, false, &|a| Expr::Not(Box::new(a))),
        Expr::And(parts) => list(parts, !positive, &Expr::And),
        Expr::Or(parts) => list(parts, positive, &Expr::Or),
        Expr::Binary(Operator::Implies, a, b) => {
            let mut first =
                operand(a, !positive, positive, &|a| Expr::Binary(Operator::Implies, Box::new(a), b.clone()));
            first.extend(operand(b, positive, positive, &|b| {
                Expr::Binary(Operator::Implies, a.clone(), Box::new(b))
            }));
            first
        }
        Expr::Quantified(quantifier @ (Quantifier::Forall | Quantifier::Exists), binder, body) => {
            operand(body, positive, false, &|body| {
                Expr::Quantified(*quantifier, binder.clone(), Box::new(body))
            })
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use model::show;

    use super::*;

    fn texts(property: &str) -> Vec<(String, String)> {
        let source = format!("shared p, q, r: bool; process P {{ loop {{ s: skip; }} }} {property};");
        let loaded = lang::load("test", &source, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let task = &model.checks[0].task;
        let shown = |part: Part| (part.text, show::kind(task.system(), &part.replaced.property.kind));
        parts(task).into_iter().map(shown).collect()
    }

    #[test]
    fn a_part_is_replaced_by_what_makes_the_property_hardest_to_hold() {
        let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
        };
        assert_eq!(
            texts("property a: G (p && q -> F r)"),
            pairs(&[
                ("p && q", "G (true -> F r)"),
                ("p", "G (true && q -> F r)"),
                ("q", "G (p && true -> F r)"),
                ("F r", "G (p && q -> false)"),
            ])
        );
        assert_eq!(texts("property a: p U q"), pairs(&[("p", "false U q")]));
        assert_eq!(texts("property a: !(p U q)"), pairs(&[("p", "!(true U q)")]));
        assert_eq!(texts("property a: p W (G q)"), pairs(&[("p", "false W G q"), ("G q", "p W false")]));
        assert_eq!(
            texts("invariant a: p && (q || r)"),
            pairs(&[("q", "p && (false || r)"), ("r", "p && (q || false)")])
        );
        assert_eq!(texts("invariant a: !(p && q)"), pairs(&[("p", "!(true && q)"), ("q", "!(p && true)")]));
        assert_eq!(texts("property a: G F p"), pairs(&[]));
        // Denying a disjunction denies both of its parts.
        assert_eq!(texts("property a: !(F p || F q)"), pairs(&[]));
        assert_eq!(texts("invariant a: !(p || q)"), pairs(&[]));
    }
}
