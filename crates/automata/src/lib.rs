//! LTL to transition-based generalised Büchi automata.
//!
//! [`translate`] takes a ground [`Formula`](model::Formula) and returns an [`Automaton`] that accepts exactly
//! the words satisfying it. It works in four steps, one file each: `formula` brings the input into negation
//! normal form and rewrites it, `translate` expands sets of obligations into states and edges, `trim`
//! removes what no accepting run uses, `merge` joins states that behave alike.
//!
//! Fairness never comes here: requirements stay beside the automaton, where they cost nothing.

mod automaton;
mod formula;
mod merge;
mod translate;
mod trim;

pub use automaton::{Automaton, Cube, Edge};
pub use translate::translate;
