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

pub use read::read;
pub use write::write;
