//! Finds out whether an assumption makes a property true only because its premise never happens.
//!
//! `FG healthy -> F done` holds under fairness that makes a server crash again and again, and nobody wants that. The
//! premises of a formula are what stands before its implications: `a` of `a -> b`, `F a` of `G (a -> b)`, `a & c` of
//! `a -> (c -> b)`. A set of requirements is *vacuous* if under it no fair run satisfies a premise.
//!
//! A premise that can be seen on a finite path, such as a state predicate or `F` of one, is left out: weak and strong
//! fairness exclude no path.

use model::Formula;
use model::property::Kind;

/// The premises of a property that fairness can make impossible.
pub(super) fn premises(kind: &Kind) -> Vec<Formula> {
    let Kind::Ltl(formula) = kind else { return Vec::new() };
    let mut found = of(formula);
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
        Formula::Implies(..)
        | Formula::Globally(_)
        | Formula::WeakUntil(..)
        | Formula::Release(..)
        | Formula::Forall(..) => formula.as_predicate().is_some(),
    }
}
