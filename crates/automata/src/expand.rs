//! Expands a formula into an automaton.
//!
//! A state is a set of obligations, read as their conjunction. Each obligation unfolds into *terms*, a term
//! being what is asked of the letter now (a cube) and of the rest of the word (the next set):
//!
//! - `a U b` is `b`, or `a` now and `a U b` next;
//! - `a R b` is `a && b`, or `b` now and `a R b` next;
//! - `X a` is `a` next, and conjunction and disjunction combine the terms of their parts.
//!
//! A term that puts off `a U b` *promises* it. A run is right iff it does not promise the same formula for ever, so
//! each `U` formula gets a mark, which is on the edges that do not promise it. This is the construction of [Cou99],
//! with cubes in place of BDDs.
//!
//! A term that asks for less of the letter, of the promises and of the next set than another one makes the
//! other superfluous: restricting each choice of a run from the larger set to the smaller one gives a run
//! with at least its marks. An obligation `F b` is dropped from a set that has `GF b` or `G (F b && …)`, because unfolding
//! that unfolds `F b` as well. Beyond that nothing is dropped here, see [`rewrite`](crate::rewrite); sets whose terms are
//! equal become one state. In the worst case there are as many sets as subsets of the subformulas.

use std::collections::HashMap;
use std::rc::Rc;

use model::Formula;
use model::automaton::{Automaton, Cube, Edge};

use crate::cubes::{self, bits, may_be_part, subset, union};
use crate::forest::{Forest, Id, Node};

/// The automaton of a formula, with a mark for each `U` formula. `give_up` is called now and then with the number of
/// terms made so far; if it returns true, the result is `None`.
pub(crate) fn expand(
    forest: &Forest,
    root: Id,
    give_up: &dyn Fn(usize) -> bool,
) -> Option<Automaton<Formula>> {
    let expansion = Expansion {
        forest,
        recurrences: forest.recurrences(),
        terms: vec![None; forest.len()],
        marks: HashMap::new(),
        made: 0,
        give_up,
    };
    expansion.automaton(root)
}

/// One way to meet a set of obligations.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
struct Term {
    cube: Cube,
    /// The marks of the `U` formulas that are put off.
    promises: Vec<usize>,
    next: Vec<Id>,
    /// The three sets above as bits, see [`bits`].
    bits: [u64; 3],
}

impl Term {
    fn new(cube: Cube, promises: Vec<usize>, next: Vec<Id>) -> Term {
        let own =
            [cubes::cube_bits(&cube), bits(promises.iter().copied()), bits(next.iter().map(|id| id.index()))];
        Term { cube, promises, next, bits: own }
    }

    /// Both terms at once. `recurrences` has, per formula `F b`, the formulas `GF b` and `G (F b && …)`.
    fn and(&self, other: &Term, recurrences: &[Vec<Id>]) -> Option<Term> {
        let cube = cubes::both(&self.cube, &other.cube)?;
        let promises = union(&self.promises, &other.promises);
        let all = union(&self.next, &other.next);
        let is_implied = |b: &Id| recurrences[b.index()].iter().any(|again| all.binary_search(again).is_ok());
        let next = all.iter().copied().filter(|b| !is_implied(b)).collect();
        Some(Term::new(cube, promises, next))
    }

    /// Whether this term makes `other` superfluous.
    fn covers(&self, other: &Term) -> bool {
        self.bits.iter().zip(other.bits).all(|(own, other)| may_be_part(*own, other))
            && cubes::covers(&self.cube, &other.cube)
            && subset(&self.promises, &other.promises)
            && subset(&self.next, &other.next)
    }
}

/// A disjunction of terms, none of which covers another.
type Terms = Vec<Term>;

struct Expansion<'a> {
    forest: &'a Forest,
    /// Per formula `F b`, the formulas `GF b` and `G (F b && …)`.
    recurrences: Vec<Vec<Id>>,
    /// The terms of each formula met so far.
    terms: Vec<Option<Rc<Terms>>>,
    /// The mark of each `U` formula met so far.
    marks: HashMap<Id, usize>,
    /// The number of terms and edges made so far.
    made: usize,
    give_up: &'a dyn Fn(usize) -> bool,
}

impl Expansion<'_> {
    fn automaton(mut self, root: Id) -> Option<Automaton<Formula>> {
        let mut sets: Vec<Vec<Id>> = vec![self.obligations(root)];
        let mut numbers: HashMap<Vec<Id>, usize> = HashMap::from([(sets[0].clone(), 0)]);
        // The terms of each state, and the state of each set.
        let mut states: Vec<Terms> = Vec::new();
        let mut state_of: Vec<usize> = Vec::new();
        let mut known: HashMap<Terms, usize> = HashMap::new();
        while state_of.len() < sets.len() {
            let set = sets[state_of.len()].clone();
            let mut terms = vec![Term::default()];
            for obligation in set {
                let own = self.expand(obligation)?;
                terms = self.product(&terms, &own)?;
            }
            terms.sort_unstable();
            if let Some(state) = known.get(&terms) {
                state_of.push(*state);
                continue;
            }
            for term in &terms {
                if !numbers.contains_key(&term.next) {
                    numbers.insert(term.next.clone(), sets.len());
                    sets.push(term.next.clone());
                }
            }
            state_of.push(states.len());
            known.insert(terms.clone(), states.len());
            states.push(terms);
        }
        let marks = self.marks.len();
        let edge = |term: Term| Edge {
            marks: (0..marks).filter(|mark| term.promises.binary_search(mark).is_err()).collect(),
            target: state_of[numbers[&term.next]],
            cube: term.cube,
        };
        let states = states.into_iter().map(|terms| terms.into_iter().map(edge).collect()).collect();
        Some(Automaton { atoms: self.forest.atoms.clone(), initial: vec![state_of[0]], states, marks })
    }

    /// A formula as a set of obligations.
    fn obligations(&self, id: Id) -> Vec<Id> {
        match self.forest.node(id) {
            Node::True => Vec::new(),
            Node::And(parts) => parts.clone(),
            _ => vec![id],
        }
    }

    /// The terms of a formula.
    fn expand(&mut self, id: Id) -> Option<Rc<Terms>> {
        if let Some(terms) = &self.terms[id.index()] {
            return Some(Rc::clone(terms));
        }
        let terms = match self.forest.node(id).clone() {
            Node::True => vec![Term::default()],
            Node::False => Vec::new(),
            Node::Literal(atom, positive) => {
                let mut cube = Cube::default();
                if positive { &mut cube.positive } else { &mut cube.negative }.push(atom);
                vec![Term::new(cube, Vec::new(), Vec::new())]
            }
            Node::And(parts) => {
                let mut terms = vec![Term::default()];
                for part in parts {
                    let own = self.expand(part)?;
                    terms = self.product(&terms, &own)?;
                }
                terms
            }
            Node::Or(parts) => {
                let mut terms = Vec::new();
                for part in parts {
                    let own = self.expand(part)?;
                    self.extend(&mut terms, own.iter().cloned())?;
                }
                terms
            }
            Node::Next(a) => vec![Term::new(Cube::default(), Vec::new(), self.obligations(a))],
            Node::Until(a, b) => {
                let number = self.marks.len();
                let mark = *self.marks.entry(id).or_insert(number);
                let put_off = Term::new(Cube::default(), vec![mark], vec![id]);
                let (a, b) = (self.expand(a)?, self.expand(b)?);
                let mut terms = (*b).clone();
                let later = self.product(&a, &[put_off])?;
                self.extend(&mut terms, later.into_iter())?;
                terms
            }
            Node::Release(a, b) => {
                let postponed = Term::new(Cube::default(), Vec::new(), vec![id]);
                let (a, b) = (self.expand(a)?, self.expand(b)?);
                let mut terms = self.product(&a, &b)?;
                let later = self.product(&b, &[postponed])?;
                self.extend(&mut terms, later.into_iter())?;
                terms
            }
        };
        let terms = Rc::new(terms);
        self.terms[id.index()] = Some(Rc::clone(&terms));
        Some(terms)
    }

    fn product(&mut self, a: &[Term], b: &[Term]) -> Option<Terms> {
        let mut terms = Vec::new();
        let independent = self.are_independent(a, b);
        for term in a {
            let both: Terms = b.iter().filter_map(|other| term.and(other, &self.recurrences)).collect();
            if independent {
                self.tick(both.len())?;
                terms.extend(both);
            } else {
                self.extend(&mut terms, both.into_iter())?;
            }
        }
        Some(terms)
    }

    /// Whether two disjunctions have no literal, promise or obligation in common. Then their product has no term that
    /// covers another, because neither of them has one.
    fn are_independent(&self, a: &[Term], b: &[Term]) -> bool {
        let used = |terms: &[Term]| {
            terms.iter().fold([0; 3], |used, term| [0, 1, 2].map(|set| used[set] | term.bits[set]))
        };
        // The obligations that make one of a next set superfluous.
        let again = |terms: &[Term]| {
            let next = terms.iter().flat_map(|term| &term.next);
            bits(next.flat_map(|id| &self.recurrences[id.index()]).map(|id| id.index()))
        };
        let (of_a, of_b) = (used(a), used(b));
        of_a.iter().zip(of_b).all(|(a, b)| a & b == 0) && again(a) & of_b[2] == 0 && again(b) & of_a[2] == 0
    }

    /// Counts terms; `None` if it is time to give up.
    fn tick(&mut self, terms: usize) -> Option<()> {
        let before = self.made / 1024;
        self.made += terms;
        (self.made / 1024 == before || !(self.give_up)(self.made)).then_some(())
    }

    /// Adds terms to a disjunction; `None` if it is time to give up.
    fn extend(&mut self, terms: &mut Terms, more: impl Iterator<Item = Term>) -> Option<()> {
        for term in more {
            self.tick(1)?;
            if !terms.iter().any(|known| known.covers(&term)) {
                terms.retain(|known| !term.covers(known));
                terms.push(term);
            }
        }
        Some(())
    }
}
