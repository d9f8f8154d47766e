//! The equivalences that rewriting applies, each checked against the definition.

use automata::{simplified, translate};
use model::Formula;

use crate::corpus::read;
use crate::random::{ATOMS, Random};
use crate::words::{Word, satisfies};

/// Pairs of a formula and what it is rewritten to. The dual of each is tested too.
const RULES: [(&str, &str); 34] = [
    ("a & Fa", "a"),
    ("a & !a", "b & !b"),
    ("Ga & F!a", "b & !b"),
    ("(a U b) & (!a R !b)", "a & !a"),
    ("a & (!a | Fb)", "a & Fb"),
    ("Xa & Xb", "X(a & b)"),
    ("Xa | Xb", "X(a | b)"),
    ("Ga & Gb", "G(a & b)"),
    ("FGa & FGb", "FG(a & b)"),
    ("(a U c) & (b U c)", "(a & b) U c"),
    ("(a R b) & (a R c)", "a R (b & c)"),
    ("(a R b) & Fa", "b U (a & b)"),
    ("XGFa", "GFa"),
    ("X(a & GFb)", "Xa & GFb"),
    ("X(a | FGb)", "Xa | FGb"),
    ("a U Fb", "Fb"),
    ("(a & b) U b", "b"),
    ("!a U a", "Fa"),
    ("(a | b) U b", "a U b"),
    ("(a | (b & c)) U c", "a U c"),
    ("a U ((a | b) U c)", "(a | b) U c"),
    ("(a | b) U (a U c)", "(a | b) U c"),
    ("(a U b) U b", "a U b"),
    ("Xa U Xb", "X(a U b)"),
    ("FXa", "XFa"),
    ("a U (b | Fc)", "(a U b) | Fc"),
    ("a U (b & GFc)", "(a U b) & GFc"),
    ("a U (b | GFc)", "(a U b) | GFc"),
    ("F(a U b)", "Fb"),
    ("F(a & GFb)", "Fa & GFb"),
    ("GF(a & Fb)", "GFa & GFb"),
    ("GF(a U b)", "GFb"),
    ("FG(a U b)", "FG(a | b) & GFb"),
    ("FGFa", "GFa"),
];

#[test]
fn each_rule_is_an_equivalence_and_is_applied() {
    let mut random = Random(7);
    for (left, right) in RULES {
        for negate in [false, true] {
            let side = |text: &str| if negate { Formula::Not(Box::new(read(text))) } else { read(text) };
            let (a, b) = (side(left), side(right));
            for _ in 0..1_000 {
                let word = Word::random(&mut random, ATOMS);
                assert_eq!(
                    satisfies(&a, &word),
                    satisfies(&b, &word),
                    "{left} and {right} differ on {word:?}"
                );
            }
            let (small, smaller) = (simplified(&a), simplified(&b));
            let size = |formula: &Formula| {
                translate(formula, &|_| false).expect("never asked to give up").states.len()
            };
            assert_eq!(sorted(&small), sorted(&smaller), "{left} is not rewritten as {right} is");
            assert_eq!(size(&a), size(&b), "{left} and {right}");
        }
    }
}

#[test]
fn rewriting_keeps_the_words_of_a_formula() {
    let mut random = Random(8);
    let mut changed = 0;
    for round in 0..20_000 {
        let size = 1 + random.below(12);
        let formula = random.formula(size);
        let rewritten = simplified(&formula);
        changed += usize::from(rewritten != formula);
        for _ in 0..10 {
            let word = Word::random(&mut random, ATOMS);
            assert_eq!(
                satisfies(&rewritten, &word),
                satisfies(&formula, &word),
                "round {round}: {formula:?}\n{word:?}"
            );
        }
    }
    assert!(changed > 10_000, "{changed} changed");
}

/// A formula with the operands of conjunctions and disjunctions in a fixed order.
fn sorted(formula: &Formula) -> String {
    match formula {
        Formula::And(parts) | Formula::Or(parts) => {
            let mut parts: Vec<String> = parts.iter().map(sorted).collect();
            parts.sort();
            format!("{}{parts:?}", if matches!(formula, Formula::And(_)) { "and" } else { "or" })
        }
        Formula::Not(a) => format!("not {}", sorted(a)),
        Formula::Next(a) => format!("next {}", sorted(a)),
        Formula::Finally(a) => format!("finally {}", sorted(a)),
        Formula::Globally(a) => format!("globally {}", sorted(a)),
        Formula::Until(a, b) => format!("({} until {})", sorted(a), sorted(b)),
        Formula::Release(a, b) => format!("({} release {})", sorted(a), sorted(b)),
        other => format!("{other:?}"),
    }
}
