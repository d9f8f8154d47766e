//! Ultimately periodic words, and whether a formula is true on one: by fixpoints over its positions, from the formula
//! as it was written. No code of the translation is used.

use model::expr::Operator;
use model::{Expr, Formula};

use super::random::Random;

/// A lasso of letters. Bit `a` of a letter says whether atom `a` is true. After the last letter comes the one at
/// `cycle`.
#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) letters: Vec<u64>,
    pub(crate) cycle: usize,
}

impl Word {
    /// A random word of at most six letters over this many atoms.
    pub(crate) fn random(random: &mut Random, atoms: u64) -> Word {
        let length = 1 + random.below(6);
        let letters = (0..length).map(|_| random.below(1 << atoms)).collect();
        Word { letters, cycle: random.below(length) as usize }
    }

    /// The position after a position.
    pub(crate) fn next(&self, k: usize) -> usize {
        if k + 1 < self.letters.len() { k + 1 } else { self.cycle }
    }

    /// Whether the word satisfies `GF when -> GF then`.
    pub(crate) fn meets(&self, when: &Expr, then: &Expr) -> bool {
        let recurs = |expr: &Expr| self.letters[self.cycle..].iter().any(|letter| holds(expr, *letter));
        !recurs(when) || recurs(then)
    }
}

/// The atom with a number.
pub(crate) fn atom(number: u64) -> Expr {
    Expr::eq(Expr::Int(0), Expr::Int(number as i64))
}

/// Whether a predicate over atoms is true of a letter.
pub(crate) fn holds(expr: &Expr, letter: u64) -> bool {
    match expr {
        Expr::Bool(value) => *value,
        Expr::Not(inner) => !holds(inner, letter),
        Expr::And(parts) => parts.iter().all(|part| holds(part, letter)),
        Expr::Or(parts) => parts.iter().any(|part| holds(part, letter)),
        Expr::Binary(Operator::Eq, _, number) => match **number {
            Expr::Int(number) => letter >> number & 1 == 1,
            _ => panic!("{expr:?} is no atom of these tests"),
        },
        _ => panic!("{expr:?} is no atom of these tests"),
    }
}

/// Whether a formula is true of a word. For past operators the cycle is written out often enough: what they say no
/// longer changes from turn to turn once there are as many turns as operators.
pub(crate) fn satisfies(formula: &Formula, word: &Word) -> bool {
    let turn = &word.letters[word.cycle..];
    let turns = operators_of_the_past(formula);
    let mut letters = word.letters.clone();
    (0..turns).for_each(|_| letters.extend(turn));
    let cycle = letters.len() - turn.len();
    truth(formula, &Word { letters, cycle })[0]
}

/// The number of past operators in a formula.
fn operators_of_the_past(formula: &Formula) -> usize {
    let of = operators_of_the_past;
    match formula {
        Formula::Atom(_) => 0,
        Formula::Previous(a) | Formula::Once(a) | Formula::Historically(a) => 1 + of(a),
        Formula::Since(a, b) => 1 + of(a) + of(b),
        Formula::Not(a) | Formula::Next(a) | Formula::Finally(a) | Formula::Globally(a) => of(a),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().map(of).sum(),
        Formula::Implies(a, b) | Formula::Until(a, b) | Formula::WeakUntil(a, b) | Formula::Release(a, b) => {
            of(a) + of(b)
        }
        Formula::Forall(..) | Formula::Exists(..) => panic!("no test has quantifiers"),
    }
}

/// Per position of a word, whether a formula is true there.
fn truth(formula: &Formula, word: &Word) -> Vec<bool> {
    let positions = 0..word.letters.len();
    let part = |f: &Formula| truth(f, word);
    match formula {
        Formula::Atom(atom) => word.letters.iter().map(|letter| holds(atom, *letter)).collect(),
        Formula::Not(a) => part(a).into_iter().map(|truth| !truth).collect(),
        Formula::And(parts) => {
            let parts: Vec<Vec<bool>> = parts.iter().map(part).collect();
            positions.map(|k| parts.iter().all(|truth| truth[k])).collect()
        }
        Formula::Or(parts) => {
            let parts: Vec<Vec<bool>> = parts.iter().map(part).collect();
            positions.map(|k| parts.iter().any(|truth| truth[k])).collect()
        }
        Formula::Implies(a, b) => {
            let (a, b) = (part(a), part(b));
            positions.map(|k| !a[k] || b[k]).collect()
        }
        Formula::Next(a) => {
            let a = part(a);
            positions.map(|k| a[word.next(k)]).collect()
        }
        Formula::Finally(a) => {
            let a = part(a);
            fixpoint(word, false, |k, later| a[k] || later)
        }
        Formula::Globally(a) => {
            let a = part(a);
            fixpoint(word, true, |k, later| a[k] && later)
        }
        Formula::Until(a, b) => {
            let (a, b) = (part(a), part(b));
            fixpoint(word, false, |k, later| b[k] || a[k] && later)
        }
        Formula::WeakUntil(a, b) => {
            let (a, b) = (part(a), part(b));
            fixpoint(word, true, |k, later| b[k] || a[k] && later)
        }
        Formula::Release(a, b) => {
            let (a, b) = (part(a), part(b));
            fixpoint(word, true, |k, later| b[k] && (a[k] || later))
        }
        Formula::Previous(a) => {
            let a = part(a);
            positions.map(|k| k > 0 && a[k - 1]).collect()
        }
        Formula::Once(a) => {
            let a = part(a);
            positions.map(|k| (0..=k).any(|j| a[j])).collect()
        }
        Formula::Historically(a) => {
            let a = part(a);
            positions.map(|k| (0..=k).all(|j| a[j])).collect()
        }
        Formula::Since(a, b) => {
            let (a, b) = (part(a), part(b));
            positions.map(|k| (0..=k).any(|j| b[j] && (j + 1..=k).all(|i| a[i]))).collect()
        }
        Formula::Forall(..) | Formula::Exists(..) => panic!("no test has quantifiers"),
    }
}

/// The least (from `false`) or greatest (from `true`) solution of `truth[k] = unfold(k, truth[next(k)])`.
fn fixpoint(word: &Word, from: bool, unfold: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut truth = vec![from; word.letters.len()];
    loop {
        let next: Vec<bool> = (0..truth.len()).map(|k| unfold(k, truth[word.next(k)])).collect();
        if next == truth {
            return truth;
        }
        truth = next;
    }
}
