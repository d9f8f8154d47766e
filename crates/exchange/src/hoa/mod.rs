//! Reads and writes automata in the Hanoi Omega-Automata format, version 1 [BBDK15].
//!
//! Other translators read and write this format. So their automata can be used as properties, and ours can be viewed
//! with their tools. A text has a header (propositions, initial states, acceptance) and a body (per state, edges with a
//! Boolean label and acceptance sets). We write transition-based generalised Büchi acceptance, and read it and all its
//! special cases.

mod labels;
mod read;
mod tokens;
mod write;

pub use read::read;
pub use write::write;
