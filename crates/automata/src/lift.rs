//! Lifts fairness out of a formula.
//!
//! Users of tools without fairness write it into the property: `(GF p1 && GF p2 && …) -> GF q`. The automaton of such
//! a formula, or of its negation, has exponentially many edges or states, while the same fairness as a list of
//! requirements costs next to nothing [SLDP09]. So, when we look for runs that satisfy a formula, we take out the
//! conjuncts that *are* requirements:
//!
//! | conjunct | requirement (when, then) |
//! | --- | --- |
//! | `GF q` | (true, q) |
//! | `FG p` | (!p, false) |
//! | `GF p -> GF q`, `FG !p \|\| GF q` | (p, q) |
//!
//! where `p` and `q` are predicates of a step. Each row is an equivalence: the conjunct is true of a run iff the
//! run meets the requirement, which means `GF when -> GF then`. A conjunction is true iff its conjuncts are, hence
//! a run satisfies the formula iff it meets the requirements and satisfies the rest. Nothing else is claimed.
//!
//! Conjuncts are found through negation, implication and conjunction, and through `X`, `F` and `G` in front of a
//! formula that speaks of the limit only (`GF p`, `FG p` and what connectives make of them), which has the same truth
//! at every position. A chain of these operators that has both `F` and `G` in it means what its innermost `GF` or `FG`
//! means. In a disjunction any number of `GF q` may occur, since `GF a || GF b` is `GF (a || b)`, and one `FG p`.
//! Two are no requirement: `FG a || FG b` asks for one of two.
//!
//! Linear in the formula, except that chains of operators are traversed once per operator.

use model::{Expr, Formula};

/// The requirements among the conjuncts of a ground formula, each as `(when, then)`, and the conjunction of the
/// other conjuncts.
pub fn lift(formula: &Formula) -> (Vec<(Expr, Expr)>, Formula) {
    let mut requirements = Vec::new();
    let mut rest = Vec::new();
    split(formula, true, &mut requirements, &mut rest);
    let rest = match rest.len() {
        0 => Formula::Atom(Expr::Bool(true)),
        1 => rest.remove(0),
        _ => Formula::And(rest),
    };
    (requirements, rest)
}

/// Splits a formula, or its negation, into conjuncts.
fn split(formula: &Formula, positive: bool, requirements: &mut Vec<(Expr, Expr)>, rest: &mut Vec<Formula>) {
    match (formula, positive) {
        (Formula::Not(a), _) => split(a, !positive, requirements, rest),
        (Formula::And(parts), true) | (Formula::Or(parts), false) => {
            for part in parts {
                split(part, positive, requirements, rest);
            }
        }
        (Formula::Implies(a, b), false) => {
            split(a, true, requirements, rest);
            split(b, false, requirements, rest);
        }
        (Formula::Next(a) | Formula::Finally(a) | Formula::Globally(a), _) if is_limit(a) => {
            split(a, positive, requirements, rest);
        }
        _ => match requirement(formula, positive) {
            Some(requirement) => requirements.push(requirement),
            None if positive => rest.push(formula.clone()),
            None => rest.push(Formula::Not(Box::new(formula.clone()))),
        },
    }
}

/// A formula, or its negation, as a requirement, if it is one.
fn requirement(formula: &Formula, positive: bool) -> Option<(Expr, Expr)> {
    let mut found = Disjuncts::default();
    disjuncts(formula, positive, &mut found)?;
    match (found.persistent, found.recurrent) {
        (None, recurrent) if recurrent.is_empty() => None,
        (None, recurrent) => Some((Expr::Bool(true), Expr::or(recurrent))),
        (Some(p), recurrent) => Some((Expr::negated(p), Expr::or(recurrent))),
    }
}

/// The disjuncts of a requirement: at most one `FG p`, and the `q` of any number of `GF q`.
#[derive(Default)]
struct Disjuncts {
    persistent: Option<Expr>,
    recurrent: Vec<Expr>,
}

/// Collects the disjuncts of a formula, or of its negation; `None` if one does not fit.
fn disjuncts(formula: &Formula, positive: bool, found: &mut Disjuncts) -> Option<()> {
    match (formula, positive) {
        (Formula::Not(a), _) => disjuncts(a, !positive, found),
        (Formula::Or(parts), true) | (Formula::And(parts), false) => {
            parts.iter().try_for_each(|part| disjuncts(part, positive, found))
        }
        (Formula::Implies(a, b), true) => {
            disjuncts(a, false, found)?;
            disjuncts(b, true, found)
        }
        (Formula::Next(a) | Formula::Finally(a) | Formula::Globally(a), _) if is_limit(a) => {
            disjuncts(a, positive, found)
        }
        _ => match chain(formula, positive)? {
            (Innermost::Recurrence, q) => {
                found.recurrent.push(q);
                Some(())
            }
            (Innermost::Persistence, p) if found.persistent.is_none() => {
                found.persistent = Some(p);
                Some(())
            }
            (Innermost::Persistence, _) => None,
        },
    }
}

/// What a chain of operators ends in.
enum Innermost {
    /// `GF p`.
    Recurrence,
    /// `FG p`.
    Persistence,
}

/// The innermost pair and the predicate of a chain of `X`, `F` and `G`, or of its negation, if both `F` and `G` occur.
fn chain(mut formula: &Formula, mut positive: bool) -> Option<(Innermost, Expr)> {
    // The last of `F` and `G`, and whether the other one has occurred too.
    let (mut last_is_finally, mut both) = (None, false);
    loop {
        let finally = match formula {
            Formula::Not(a) => {
                (formula, positive) = (a, !positive);
                continue;
            }
            Formula::Next(a) => {
                formula = a;
                continue;
            }
            Formula::Finally(a) => {
                formula = a;
                positive
            }
            Formula::Globally(a) => {
                formula = a;
                !positive
            }
            _ => break,
        };
        both |= last_is_finally.replace(finally).is_some_and(|before| before != finally);
    }
    let predicate = predicate(formula, positive).filter(|_| both)?;
    let innermost = if last_is_finally? { Innermost::Recurrence } else { Innermost::Persistence };
    Some((innermost, predicate))
}

/// A formula without temporal operators, or its negation, as one predicate.
fn predicate(formula: &Formula, positive: bool) -> Option<Expr> {
    match formula {
        Formula::Atom(atom) if positive => Some(atom.clone()),
        Formula::Atom(atom) => Some(Expr::negated(atom.clone())),
        Formula::Not(a) => predicate(a, !positive),
        Formula::And(parts) | Formula::Or(parts) => {
            let parts: Option<Vec<Expr>> = parts.iter().map(|part| predicate(part, positive)).collect();
            Some(if matches!(formula, Formula::And(_)) == positive {
                Expr::and(parts?)
            } else {
                Expr::or(parts?)
            })
        }
        Formula::Implies(a, b) => {
            let parts = [predicate(a, !positive)?, predicate(b, positive)?];
            Some(if positive { Expr::or(parts) } else { Expr::and(parts) })
        }
        _ => None,
    }
}

/// Whether a formula is made of `GF` and `FG` chains by connectives, and so has the same truth at every position.
fn is_limit(formula: &Formula) -> bool {
    match formula {
        Formula::Not(a) => is_limit(a),
        Formula::And(parts) | Formula::Or(parts) => !parts.is_empty() && parts.iter().all(is_limit),
        Formula::Implies(a, b) => is_limit(a) && is_limit(b),
        Formula::Next(a) => is_limit(a),
        Formula::Finally(a) | Formula::Globally(a) => is_limit(a) || chain(formula, true).is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(number: i64) -> Formula {
        Formula::Atom(predicate_of(number))
    }

    fn predicate_of(number: i64) -> Expr {
        Expr::eq(Expr::Int(0), Expr::Int(number))
    }

    fn recurrence(a: Formula) -> Formula {
        Formula::Globally(Box::new(Formula::Finally(Box::new(a))))
    }

    fn implies(a: Formula, b: Formula) -> Formula {
        Formula::Implies(Box::new(a), Box::new(b))
    }

    fn not(a: Formula) -> Formula {
        Formula::Not(Box::new(a))
    }

    const NOTHING: Formula = Formula::Atom(Expr::Bool(true));

    #[test]
    fn the_negation_of_weak_fairness_implying_a_recurrence_is_all_requirements() {
        for n in [5, 50] {
            let fairness = Formula::And((0..n).map(|i| recurrence(atom(i))).collect());
            let (requirements, rest) = lift(&not(implies(fairness, recurrence(atom(99)))));
            let mut expected: Vec<_> = (0..n).map(|i| (Expr::Bool(true), predicate_of(i))).collect();
            expected.push((predicate_of(99), Expr::Bool(false)));
            assert_eq!((requirements, rest), (expected, NOTHING));
        }
    }

    #[test]
    fn the_negation_of_strong_fairness_implying_a_recurrence_is_all_requirements() {
        for n in [5, 50] {
            let pair = |i| implies(recurrence(atom(i)), recurrence(atom(100 + i)));
            let fairness = Formula::And((0..n).map(pair).collect());
            let (requirements, rest) = lift(&not(implies(fairness, recurrence(atom(99)))));
            let mut expected: Vec<_> = (0..n).map(|i| (predicate_of(i), predicate_of(100 + i))).collect();
            expected.push((predicate_of(99), Expr::Bool(false)));
            assert_eq!((requirements, rest), (expected, NOTHING));
        }
    }

    #[test]
    fn what_is_no_requirement_remains() {
        let response = Formula::Globally(Box::new(implies(atom(1), Formula::Finally(Box::new(atom(2))))));
        let (requirements, rest) = lift(&not(implies(recurrence(atom(3)), response.clone())));
        assert_eq!(requirements, [(Expr::Bool(true), predicate_of(3))]);
        assert_eq!(rest, not(response));
        let persistence = |i| not(recurrence(not(atom(i))));
        let either = Formula::Or(vec![persistence(1), persistence(2)]);
        assert_eq!(lift(&either), (Vec::new(), either.clone()));
    }
}
