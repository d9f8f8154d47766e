//! Requirements lifted out of a formula against the formula, on ultimately periodic words.

use automata::lift;
use model::{Expr, Formula};

use crate::random::{ATOMS, Random, persistence, recurrence};
use crate::words::{Word, atom, satisfies};

#[test]
fn a_word_satisfies_a_formula_iff_it_meets_the_requirements_and_satisfies_the_rest() {
    let mut random = Random(3);
    let (mut lifted, mut whole, mut accepted, mut rejected) = (0, 0, 0, 0);
    for round in 0..20_000 {
        let formula = conjuncts(&mut random, 3);
        let (requirements, rest) = lift(&formula);
        lifted += requirements.len();
        whole += usize::from(rest == Formula::Atom(Expr::Bool(true)));
        for _ in 0..10 {
            let word = Word::random(&mut random, ATOMS);
            let split =
                satisfies(&rest, &word) && requirements.iter().all(|(when, then)| word.meets(when, then));
            let truth = satisfies(&formula, &word);
            assert_eq!(split, truth, "round {round}: {formula:?}\n{requirements:?}\n{rest:?}\n{word:?}");
            *if truth { &mut accepted } else { &mut rejected } += 1;
        }
    }
    assert!(lifted > 10_000 && whole > 1_000, "{lifted} lifted, {whole} wholly");
    assert!(accepted > 10_000 && rejected > 10_000, "{accepted} accepted, {rejected} rejected");
}

/// A random formula that often has requirements among its conjuncts.
fn conjuncts(random: &mut Random, depth: u64) -> Formula {
    let part = |random: &mut Random| conjuncts(random, depth - 1);
    match random.below(if depth == 0 { 4 } else { 12 }) {
        0 => recurrence(predicate(random)),
        1 => persistence(predicate(random)),
        2 => random.formula(3),
        3 => Formula::Next(Box::new(Formula::Finally(Box::new(persistence(predicate(random)))))),
        4 | 5 => Formula::And(vec![part(random), part(random)]),
        6 => Formula::Or(vec![part(random), part(random)]),
        7 | 8 => Formula::Implies(Box::new(part(random)), Box::new(part(random))),
        9 | 10 => Formula::Not(Box::new(part(random))),
        _ => Formula::Globally(Box::new(part(random))),
    }
}

/// A formula without temporal operators.
fn predicate(random: &mut Random) -> Formula {
    let mut part = || Formula::Atom(atom(random.below(ATOMS)));
    let parts = vec![part(), part()];
    match random.below(5) {
        0 => Formula::And(parts),
        1 => Formula::Or(parts),
        2 => Formula::Not(Box::new(Formula::Or(parts))),
        _ => Formula::Atom(atom(random.below(ATOMS))),
    }
}
