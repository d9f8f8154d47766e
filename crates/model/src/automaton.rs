//! Transition-based generalised Büchi automata.
//!
//! An automaton reads an infinite word of *letters*, each of which makes some atoms true and the others
//! false. An edge can be taken on a letter that its cube admits. A run is accepting if each mark occurs on
//! infinitely many of its edges; with no marks every infinite run is accepting. A word is accepted if it has an
//! accepting run. Marks sit on edges and not on states, which makes the automata of Couvreur's construction smaller.
//!
//! The type of atoms is open: step predicates for a system, names for an automaton from a file. Sets of atoms and of
//! marks are sorted lists, because they are short and their size has no limit.

use crate::expr::Expr;

/// An automaton over atoms of some kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton<A = Expr> {
    /// The atoms that make up a letter. The automaton of a formula lists all atoms of the formula, also those that no
    /// edge tests. A negated atom is listed without its negation; constants are not listed.
    pub atoms: Vec<A>,
    /// Where runs begin; empty if the automaton accepts nothing.
    pub initial: Vec<usize>,
    /// Per state, the edges that leave it.
    pub states: Vec<Vec<Edge>>,
    /// The number of marks; they are `0..marks`.
    pub marks: usize,
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The letters it can be taken on.
    pub cube: Cube,
    /// The marks it carries, in increasing order.
    pub marks: Vec<usize>,
    /// The state it leads to.
    pub target: usize,
}

/// A conjunction of literals; true if there are none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Cube {
    /// The atoms that must be true, in increasing order.
    pub positive: Vec<usize>,
    /// The atoms that must be false, in increasing order.
    pub negative: Vec<usize>,
}

impl<A> Automaton<A> {
    /// The automaton that accepts nothing.
    pub fn nothing(atoms: Vec<A>) -> Automaton<A> {
        Automaton { atoms, initial: Vec::new(), states: Vec::new(), marks: 0 }
    }

    /// The automaton that accepts every run.
    pub fn everything() -> Automaton<A> {
        let anything = Edge { cube: Cube::default(), marks: Vec::new(), target: 0 };
        Automaton { atoms: Vec::new(), initial: vec![0], states: vec![vec![anything]], marks: 0 }
    }

    /// The same automaton with its atoms replaced, in the same order.
    #[must_use]
    pub fn with_atoms<B>(&self, atoms: Vec<B>) -> Automaton<B> {
        assert_eq!(atoms.len(), self.atoms.len(), "one atom for each");
        Automaton { atoms, initial: self.initial.clone(), states: self.states.clone(), marks: self.marks }
    }
}

impl Cube {
    /// Whether the letter that makes atom `a` true iff `letter(a)` satisfies the conjunction.
    pub fn admits(&self, letter: impl Fn(usize) -> bool) -> bool {
        self.positive.iter().all(|atom| letter(*atom)) && !self.negative.iter().any(|atom| letter(*atom))
    }

    /// Its literals in the order of their atoms: the atom, and whether it must be true.
    pub fn literals(&self) -> impl Iterator<Item = (usize, bool)> {
        let positive = self.positive.iter().map(|atom| (*atom, true));
        let mut literals: Vec<_> = positive.chain(self.negative.iter().map(|atom| (*atom, false))).collect();
        literals.sort_unstable();
        literals.into_iter()
    }
}
