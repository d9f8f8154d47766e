//! Translates a formula into a small automaton.
//!
//! The formula is rewritten ([`forest`](crate::forest), [`rewrite`](crate::rewrite)) and expanded
//! ([`expand`](crate::expand)), and its past formulas get monitors ([`past`]). Then, as long as the automaton becomes
//! smaller, marks are normalised ([`acceptance`](crate::acceptance)), states and edges are joined and removed by simulation
//! ([`simulation`](crate::simulation)), and what no accepting run uses is cut off ([`trim`](crate::trim)). Every
//! step keeps the language and adds neither states nor edges. Edges between components may carry any
//! marks; both choices are tried, as each lets simulation see something the other hides.

use model::automaton::Automaton;
use model::{Formula, past};

use crate::acceptance::{normalise, reduce};
use crate::expand::expand;
use crate::forest::Forest;
use crate::merge::merge;
use crate::simulation::simulate;
use crate::trim::trim;

/// An automaton that accepts the words that satisfy a ground formula.
///
/// The result may be exponentially larger than the formula. `give_up` is called now and then with the number of terms
/// made so far; if it returns true, the result is `None`.
pub fn translate(formula: &Formula, give_up: &dyn Fn(usize) -> bool) -> Option<Automaton> {
    let (forest, root) = Forest::of(formula);
    let expanded = past::monitored(&expand(&forest, root, give_up)?, give_up)?;
    let mut automaton = merge(trim(expanded));
    loop {
        let before = size(&automaton);
        for crossing in [false, true] {
            if give_up(before.1) {
                return None;
            }
            normalise(&mut automaton, crossing);
            automaton = trim(simulate(automaton));
        }
        if size(&automaton) == before {
            reduce(&mut automaton);
            return Some(automaton);
        }
    }
}

/// The numbers of states, edges and marks.
fn size(automaton: &Automaton) -> (usize, usize, usize) {
    (automaton.states.len(), automaton.states.iter().map(Vec::len).sum(), automaton.marks)
}

#[cfg(test)]
mod tests {
    use model::Expr;

    use super::*;

    /// The atom with this number.
    fn atom(number: i64) -> Formula {
        Formula::Atom(Expr::eq(Expr::Int(0), Expr::Int(number)))
    }

    fn not(a: Formula) -> Formula {
        Formula::Not(Box::new(a))
    }

    fn finally(a: Formula) -> Formula {
        Formula::Finally(Box::new(a))
    }

    fn globally(a: Formula) -> Formula {
        Formula::Globally(Box::new(a))
    }

    /// States, edges and marks.
    fn size_of(formula: &Formula) -> (usize, usize, usize) {
        size(&translate(formula, &|_| false).expect("never asked to give up"))
    }

    #[test]
    fn response_needs_two_states_and_one_mark() {
        let response = globally(Formula::Implies(Box::new(atom(1)), Box::new(finally(atom(2)))));
        assert_eq!(size_of(&response), (2, 5, 1));
    }

    #[test]
    fn recurrence_needs_one_state() {
        assert_eq!(size_of(&globally(finally(atom(1)))), (1, 2, 1));
    }

    #[test]
    fn persistence_and_until_need_two_states() {
        assert_eq!(size_of(&finally(globally(atom(1)))), (2, 3, 1));
        assert_eq!(size_of(&Formula::Until(Box::new(atom(1)), Box::new(atom(2)))), (2, 3, 1));
    }

    #[test]
    fn a_weak_until_needs_no_mark() {
        assert_eq!(size_of(&Formula::WeakUntil(Box::new(atom(1)), Box::new(atom(2)))), (2, 3, 0));
    }

    #[test]
    fn a_contradiction_has_no_state_and_a_tautology_one() {
        let never = Formula::And(vec![finally(atom(1)), globally(not(atom(1)))]);
        assert_eq!(size_of(&never), (0, 0, 0));
        assert_eq!(size_of(&Formula::Or(vec![atom(1), not(atom(1))])), (1, 1, 0));
    }

    #[test]
    fn what_speaks_of_the_limit_only_is_not_delayed() {
        let next = |a| Formula::Next(Box::new(a));
        let (persistence, recurrence) = (finally(globally(atom(1))), globally(finally(atom(1))));
        assert_eq!(size_of(&next(next(persistence.clone()))), size_of(&persistence));
        assert_eq!(size_of(&Formula::Until(Box::new(atom(2)), Box::new(persistence.clone()))), (2, 3, 1));
        assert_eq!(size_of(&Formula::Release(Box::new(atom(2)), Box::new(recurrence.clone()))), (1, 2, 1));
        let either = Formula::Or(vec![recurrence, globally(finally(atom(2)))]);
        assert_eq!(size_of(&either), (1, 3, 1));
    }

    #[test]
    fn atoms_that_rewriting_removes_are_still_listed() {
        let needless = Formula::Or(vec![atom(1), not(atom(1)), finally(atom(2))]);
        let automaton = translate(&needless, &|_| false).expect("never asked to give up");
        assert_eq!((automaton.atoms.len(), size(&automaton)), (2, (1, 1, 0)));
    }

    #[test]
    fn many_recurrences_share_a_state_and_have_a_mark_each() {
        let recurrences = (0..5).map(|number| globally(finally(atom(number))));
        assert_eq!(size_of(&Formula::And(recurrences.collect())), (1, 32, 5));
    }

    #[test]
    fn a_persistence_beside_recurrences_needs_a_state_more() {
        let recurrences = (1..=8).map(|number| globally(finally(atom(number)))).collect();
        let premise = Box::new(Formula::And(recurrences));
        let fair = Formula::Implies(premise, Box::new(globally(finally(atom(0)))));
        assert_eq!(size_of(&fair), (11, 21, 1));
        assert_eq!(size_of(&not(fair)), (2, 258, 8));
    }

    #[test]
    fn deep_formulas_are_translated() {
        let deeper = |inner: Formula, _| Formula::And(vec![atom(1), Formula::Next(Box::new(inner))]);
        assert_eq!(size_of(&(0..300).fold(atom(2), deeper)), (302, 302, 0));
        let longer =
            |inner: Formula, _| Formula::Until(Box::new(atom(1)), Box::new(globally(finally(inner))));
        assert_eq!(size_of(&(0..1_000).fold(atom(2), longer)), (1, 2, 1));
    }

    #[test]
    fn it_gives_up_when_told_to() {
        let recurrence = |number| Box::new(globally(finally(atom(number))));
        let pair = |number: i64| Formula::Implies(recurrence(2 * number), recurrence(2 * number + 1));
        let hard = Formula::And((0..20).map(pair).collect());
        assert_eq!(translate(&hard, &|made| made > 10_000), None);
    }
}
