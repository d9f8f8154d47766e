//! The automaton of a formula against the formula itself, on ultimately periodic words.
//!
//! Two automata that differ, differ on a lasso, so random lassos can show every difference. The automata of a formula
//! and of its negation must also have no common word; this is decided, not sampled. `FAIRLY_FORMULAS` sets the number
//! of random formulas.

use automata::{Automaton, translate};
use model::Formula;

use crate::corpus;
use crate::graphs::{accepts, disjoint};
use crate::random::{ATOMS, Random};
use crate::words::{Word, satisfies};

#[test]
fn the_automata_of_a_formula_and_of_its_negation_share_the_words_as_the_formula_says() {
    let count = std::env::var("FAIRLY_FORMULAS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let mut random = Random(1);
    let (mut accepted, mut rejected) = (0, 0);
    for round in 0..count {
        let size = 1 + random.below(11);
        let formula = random.formula(size);
        let (automaton, complement) = both(&formula);
        assert!(disjoint(&automaton, &complement), "round {round}: {formula:?}");
        for _ in 0..15 {
            let word = Word::random(&mut random, ATOMS);
            let truth = satisfies(&formula, &word);
            let context = || format!("round {round}: {formula:?}\n{word:?}");
            assert_eq!(accepts(&automaton, &word), truth, "{}\n{automaton:?}", context());
            assert_eq!(accepts(&complement, &word), !truth, "negated, {}\n{complement:?}", context());
            if truth {
                accepted += 1;
            } else {
                rejected += 1;
            }
        }
    }
    assert!(accepted > 5 * count && rejected > 5 * count, "{accepted} accepted, {rejected} rejected");
}

#[test]
fn formulas_from_the_literature_keep_their_words() {
    let Some(sets) = corpus::sets() else {
        println!("skipped: there are no formulas from the literature beside the repository");
        return;
    };
    let mut random = Random(2);
    for formula in sets.values().flatten() {
        let (automaton, complement) = both(formula);
        if automaton.states.len() * complement.states.len() < 10_000 {
            assert!(disjoint(&automaton, &complement), "{formula:?}");
        }
        let atoms = automaton.atoms.len() as u64;
        for _ in 0..30 {
            let word = Word::random(&mut random, atoms);
            let truth = satisfies(formula, &word);
            assert_eq!(accepts(&automaton, &word), truth, "{formula:?}\n{word:?}");
            assert_eq!(accepts(&complement, &word), !truth, "negated, {formula:?}\n{word:?}");
        }
    }
}

/// The automata of a formula and of its negation.
fn both(formula: &Formula) -> (Automaton, Automaton) {
    let of = |formula: &Formula| translate(formula, &|_| false).expect("never asked to give up");
    (of(formula), of(&Formula::Not(Box::new(formula.clone()))))
}
