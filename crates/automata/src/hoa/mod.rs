//! The Hanoi Omega-Automata format, version 1 [BBDK15]: automata out, and automata in.
//!
//! The format is what other translators read and write, so that an automaton of theirs can be used as a property, and
//! one of ours be looked at with their tools. A text has a header (propositions, initial states, acceptance) and a
//! body (per state, edges with a Boolean label and the acceptance sets they are in). We write transition-based
//! generalised Büchi acceptance, and read it and everything that is a special case of it.

mod labels;
mod read;
mod tokens;
mod write;

use model::Expr;
pub use read::read;
pub use write::write;

use crate::automaton::{Automaton, Edge};

/// An automaton whose atoms are names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoaAutomaton {
    /// What it is called, if anything.
    pub name: Option<String>,
    /// Its atomic propositions.
    pub propositions: Vec<String>,
    /// Where runs begin.
    pub initial: Vec<usize>,
    /// Per state, the edges that leave it.
    pub states: Vec<Vec<Edge>>,
    /// The number of marks.
    pub marks: usize,
}

impl HoaAutomaton {
    /// The automaton with a predicate for each proposition, in their order.
    pub fn with_atoms(self, atoms: Vec<Expr>) -> Automaton {
        assert_eq!(atoms.len(), self.propositions.len(), "one atom for each proposition");
        Automaton { atoms, initial: self.initial, states: self.states, marks: self.marks }
    }
}
