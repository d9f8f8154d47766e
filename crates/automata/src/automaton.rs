//! Transition-based generalised Büchi automata.
//!
//! An automaton reads an infinite word of *letters*, each of which makes some atoms true and the others
//! false. An edge can be taken on a letter that its cube admits. A run is accepting if each mark occurs on
//! infinitely many of its edges; with no marks every infinite run is accepting. Marks sit on edges and not on
//! states, which makes the automata of Couvreur's construction as small as the formula allows.
//!
//! Sets of atoms and of marks are sorted lists: they are short, and nothing limits their size to a word.

use model::Expr;

/// An automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The step predicates whose truth makes up a letter: all atoms of the formula, also those that no edge
    /// asks for. A negated atom appears without its negation, and constants do not appear.
    pub atoms: Vec<Expr>,
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

impl Automaton {
    /// The automaton that accepts nothing.
    pub fn nothing(atoms: Vec<Expr>) -> Automaton {
        Automaton { atoms, initial: Vec::new(), states: Vec::new(), marks: 0 }
    }
}

impl Cube {
    /// Whether the letter that makes atom `a` true iff `letter(a)` satisfies the conjunction.
    pub fn admits(&self, letter: impl Fn(usize) -> bool) -> bool {
        self.positive.iter().all(|atom| letter(*atom)) && !self.negative.iter().any(|atom| letter(*atom))
    }

    /// Both conjunctions, unless they contradict one another.
    pub(crate) fn and(&self, other: &Cube) -> Option<Cube> {
        let positive = union(&self.positive, &other.positive);
        let negative = union(&self.negative, &other.negative);
        let contradiction = positive.iter().any(|atom| negative.binary_search(atom).is_ok());
        (!contradiction).then_some(Cube { positive, negative })
    }

    /// Whether every letter that `other` admits is admitted.
    pub(crate) fn covers(&self, other: &Cube) -> bool {
        subset(&self.positive, &other.positive) && subset(&self.negative, &other.negative)
    }
}

/// The union of two sorted lists.
pub(crate) fn union<T: Copy + Ord>(a: &[T], b: &[T]) -> Vec<T> {
    let mut both = Vec::with_capacity(a.len() + b.len());
    both.extend_from_slice(a);
    both.extend_from_slice(b);
    both.sort_unstable();
    both.dedup();
    both
}

/// Whether every element of one sorted list is in another.
pub(crate) fn subset<T: Ord>(a: &[T], b: &[T]) -> bool {
    a.len() <= b.len() && a.iter().all(|element| b.binary_search(element).is_ok())
}
