//! Converts formulas of linear time to formulas of branching time.
//!
//! With `A` before every temporal operator a formula only becomes stronger, so if that formula is shown, the original
//! holds. If choices make no difference, the two are equivalent, and a refutation of one refutes the other.

use model::property::Kind;
use model::{Core, Ctl, Expr, Formula as Ltl, Instance, ground};

/// The formula that is labelled: one of branching time that implies the property in every initial state.
pub(super) fn root(instance: &Instance, kind: &Kind) -> Option<Core> {
    match ground::kind(instance, kind) {
        Kind::Invariant(predicate) => {
            let bad = Core::Not(Box::new(Core::Atom(predicate)));
            let reach = Core::Until(Box::new(Core::Atom(Expr::Bool(true))), Box::new(bad));
            Some(Core::Not(Box::new(reach)))
        }
        Kind::Ctl(formula) => Some(Core::of(&formula)),
        Kind::Ltl(formula) => of_all_states(&formula).map(|formula| Core::of(&formula)),
        Kind::Never(_) => None,
    }
}

/// A formula of branching time with `A` before every temporal operator. If it is true, the formula is true on all runs.
fn of_all_states(formula: &Ltl) -> Option<Ctl> {
    use model::property::Paths::All;
    if let Some(predicate) = formula.as_predicate() {
        return Some(Ctl::Atom(predicate));
    }
    let boxed = |formula: &Ltl| of_all_states(formula).map(Box::new);
    let all = |parts: &[Ltl]| parts.iter().map(of_all_states).collect::<Option<Vec<_>>>();
    Some(match formula {
        Ltl::And(parts) => Ctl::And(all(parts)?),
        Ltl::Or(parts) => Ctl::Or(all(parts)?),
        Ltl::Implies(a, b) => Ctl::Implies(Box::new(Ctl::Atom(a.as_predicate()?)), boxed(b)?),
        Ltl::Next(a) => Ctl::Next(All, boxed(a)?),
        Ltl::Globally(a) => Ctl::Globally(All, boxed(a)?),
        Ltl::Finally(a) => Ctl::Finally(All, boxed(a)?),
        Ltl::Until(a, b) => Ctl::Until(All, boxed(a)?, boxed(b)?),
        Ltl::WeakUntil(a, b) => Ctl::WeakUntil(All, boxed(a)?, boxed(b)?),
        _ => return None,
    })
}

/// Whether a formula is equivalent to itself with `A` before every temporal operator: at most one part of a disjunction
/// is about the future, and eventualities are about states [Mai00].
pub(super) fn is_deterministic(formula: &Ltl) -> bool {
    let state = |formula: &Ltl| formula.as_predicate().is_some();
    state(formula)
        || match formula {
            Ltl::And(parts) => parts.iter().all(is_deterministic),
            Ltl::Or(parts) => {
                parts.iter().all(is_deterministic) && parts.iter().filter(|part| !state(part)).count() <= 1
            }
            Ltl::Implies(a, b) => state(a) && is_deterministic(b),
            Ltl::Next(a) | Ltl::Globally(a) => is_deterministic(a),
            Ltl::Finally(a) => state(a),
            Ltl::Until(a, b) | Ltl::WeakUntil(a, b) => state(a) && state(b),
            _ => false,
        }
}
