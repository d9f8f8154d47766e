//! Finds out whether an assumption makes a property true only because its premise never happens.
//!
//! `FG healthy -> F done` holds under fairness that makes a server crash again and again, and nobody wants that. The
//! premises of a formula are what stands before its implications: `a` of `a -> b`, of `!a || b` and of `!(a && !b)`,
//! `F a` of `G (a -> b)`, `a && c` of `a -> (c -> b)`, `!c U (!c && a)` of `(a -> b) W c`. A set of requirements is
//! *vacuous* if under it no fair run satisfies a premise. (That some fair run exists needs no test: every path can be
//! continued so that any weak and strong requirements are met.)
//!
//! A premise that can be seen on a finite path, such as a state predicate or `F` of one, is left out: weak and strong
//! fairness exclude no path.

use model::Formula;
use model::property::Kind;

/// The premises of a property.
pub(crate) fn all(kind: &Kind) -> Vec<Formula> {
    let Kind::Ltl(formula) = kind else { return Vec::new() };
    of(formula)
}

/// The premises of a property that fairness can make impossible.
pub(crate) fn premises(kind: &Kind) -> Vec<Formula> {
    let mut found = all(kind);
    found.retain(|premise| !is_on_a_path(premise));
    found
}

fn of(formula: &Formula) -> Vec<Formula> {
    match formula {
        Formula::Implies(premise, conclusion) => {
            let premise = (**premise).clone();
            let inner = of(conclusion).into_iter();
            let mut found: Vec<Formula> =
                inner.map(|inner| Formula::And(vec![premise.clone(), inner])).collect();
            found.insert(0, premise);
            found
        }
        Formula::Or(parts) => parts
            .iter()
            .filter_map(|part| match part {
                Formula::Not(premise) => Some((**premise).clone()),
                _ => None,
            })
            .collect(),
        Formula::And(parts) => parts.iter().flat_map(of).collect(),
        Formula::Globally(inner) => {
            of(inner).into_iter().map(|premise| Formula::Finally(Box::new(premise))).collect()
        }
        Formula::Next(inner) => {
            of(inner).into_iter().map(|premise| Formula::Next(Box::new(premise))).collect()
        }
        // The implication is claimed as long as there is no `end`, and for `R` also when it comes.
        Formula::WeakUntil(inner, end) | Formula::Until(inner, end) => {
            let before = Formula::Not(end.clone());
            let here = |premise| Formula::And(vec![before.clone(), premise]);
            let all = of(inner).into_iter().map(here);
            all.map(|premise| Formula::Until(Box::new(before.clone()), Box::new(premise))).collect()
        }
        Formula::Release(end, inner) => {
            let before = Formula::Not(end.clone());
            let all = of(inner).into_iter();
            all.map(|premise| Formula::Until(Box::new(before.clone()), Box::new(premise))).collect()
        }
        Formula::Not(inner) => match &**inner {
            Formula::Not(inner) => of(inner),
            // `!(a && !b)` is `a -> b`.
            Formula::And(parts) => {
                parts.iter().filter(|part| !matches!(part, Formula::Not(_))).cloned().collect()
            }
            Formula::Finally(inner) => of(&Formula::Globally(Box::new(Formula::Not(inner.clone())))),
            _ => Vec::new(),
        },
        Formula::Forall(binder, inner) => {
            of(inner).into_iter().map(|premise| Formula::Exists(binder.clone(), Box::new(premise))).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a run that satisfies the formula has a finite path that already shows it.
fn is_on_a_path(formula: &Formula) -> bool {
    match formula {
        Formula::Atom(_) => true,
        Formula::Not(inner) => inner.as_predicate().is_some(),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(is_on_a_path),
        Formula::Next(inner) | Formula::Finally(inner) | Formula::Exists(_, inner) => is_on_a_path(inner),
        Formula::Until(a, b) => is_on_a_path(a) && is_on_a_path(b),
        // The path from the first position to this one shows it.
        Formula::Previous(_) | Formula::Once(_) | Formula::Historically(_) | Formula::Since(..) => true,
        Formula::Implies(..)
        | Formula::Globally(_)
        | Formula::WeakUntil(..)
        | Formula::Release(..)
        | Formula::Forall(..) => formula.as_predicate().is_some(),
    }
}
