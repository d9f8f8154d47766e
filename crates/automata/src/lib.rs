//! LTL to transition-based generalised Büchi automata.
//!
//! [`translate`] takes a ground [`Formula`](model::Formula) and returns an [`Automaton`] that accepts exactly the words
//! that satisfy it. Each step is a file. `forest` brings the input into negation normal form, `rewrite` with
//! `implication` shortens it, `expand` unfolds sets of obligations into states and edges, `acceptance` moves and
//! removes marks, `simulation` and `merge` merge states, `trim` removes what no accepting run uses. [`Strength`] says
//! how much of an emptiness check an automaton needs.
//!
//! Fairness should stay out of automata: [`lift`] takes it out of a formula.

mod acceptance;
mod components;
pub mod cubes;
mod expand;
mod forest;
mod implication;
mod lift;
mod merge;
mod rewrite;
pub mod show;
mod simulation;
mod strength;
mod translate;
mod trim;

pub use forest::simplified;
pub use lift::lift;
pub use model::automaton::{Automaton, Cube, Edge};
pub use strength::{Strength, accepting_states};
pub use translate::translate;
pub use trim::trim;
