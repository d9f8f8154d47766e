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

    /// Its literals in the order of their atoms: the atom, and whether it must be true.
    pub fn literals(&self) -> impl Iterator<Item = (usize, bool)> {
        let positive = self.positive.iter().map(|atom| (*atom, true));
        let mut literals: Vec<_> = positive.chain(self.negative.iter().map(|atom| (*atom, false))).collect();
        literals.sort_unstable();
        literals.into_iter()
    }

    /// Both conjunctions, unless they contradict one another.
    pub(crate) fn and(&self, other: &Cube) -> Option<Cube> {
        let positive = union(&self.positive, &other.positive);
        let negative = union(&self.negative, &other.negative);
        let contradiction = positive.iter().any(|atom| negative.binary_search(atom).is_ok());
        (!contradiction).then_some(Cube { positive, negative })
    }

    /// Whether some letter is admitted by both.
    pub(crate) fn meets(&self, other: &Cube) -> bool {
        disjoint(&self.positive, &other.negative) && disjoint(&self.negative, &other.positive)
    }

    /// All letters, as a share.
    pub(crate) const WHOLE: u64 = 1 << 60;

    /// Which part of the letters that are admitted `other` admits: half for each literal that it asks for in
    /// addition, at least one part in 2⁶⁰, or nothing.
    pub(crate) fn share(&self, other: &Cube) -> u64 {
        if self.meets(other) { (Cube::WHOLE >> self.missing(other).count().min(60)).max(1) } else { 0 }
    }

    /// Whether every letter that is admitted is admitted by one of `others`.
    pub(crate) fn is_covered(&self, others: &[&Cube]) -> bool {
        let mut all = 0u64;
        let mut meeting = Vec::new();
        for other in others {
            match self.share(other) {
                0 => {}
                Cube::WHOLE => return true,
                share => {
                    all = all.saturating_add(share);
                    meeting.push(*other);
                }
            }
        }
        if all < Cube::WHOLE {
            return false;
        }
        // Split by an atom that a cube asks for: the recursion is as deep as there are atoms.
        let Some((atom, _)) = meeting.first().and_then(|other| self.missing(other).next()) else {
            return false;
        };
        [true, false].into_iter().all(|positive| {
            let mut half = self.clone();
            half.insert(atom, positive);
            half.is_covered(&meeting)
        })
    }

    /// The literals of `other` that are not literals of this one.
    fn missing(&self, other: &Cube) -> impl Iterator<Item = (usize, bool)> {
        let positive = other.positive.iter().filter(|atom| self.positive.binary_search(atom).is_err());
        let negative = other.negative.iter().filter(|atom| self.negative.binary_search(atom).is_err());
        positive.map(|atom| (*atom, true)).chain(negative.map(|atom| (*atom, false)))
    }

    /// The literal of `other` that is not a literal of this one, if there is exactly one.
    pub(crate) fn only_literal_missing(&self, other: &Cube) -> Option<(usize, bool)> {
        let mut missing = self.missing(other);
        missing.next().filter(|_| missing.next().is_none())
    }

    /// Adds a literal.
    pub(crate) fn insert(&mut self, atom: usize, positive: bool) {
        let literals = if positive { &mut self.positive } else { &mut self.negative };
        if let Err(place) = literals.binary_search(&atom) {
            literals.insert(place, atom);
        }
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

/// Whether two sorted lists have no common element.
pub(crate) fn disjoint<T: Ord>(a: &[T], b: &[T]) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    !short.iter().any(|element| long.binary_search(element).is_ok())
}

/// Whether every element of one sorted list is in another.
pub(crate) fn subset<T: Ord>(a: &[T], b: &[T]) -> bool {
    a.len() <= b.len() && a.iter().all(|element| b.binary_search(element).is_ok())
}
