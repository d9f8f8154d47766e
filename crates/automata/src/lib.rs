//! LTL to transition-based generalised Büchi automata.
//!
//! [`translate`] takes a ground [`Formula`](model::Formula) and returns an [`Automaton`] that accepts exactly the
//! words satisfying it, in steps of one file each. `forest` brings the input into negation normal form, `rewrite`
//! with `implication` shortens it, `expand` unfolds sets of obligations into states and edges, `acceptance` moves
//! and removes marks, `simulation` and `merge` join states, `trim` removes what no accepting run uses. [`Strength`]
//! tells how much of an emptiness check an automaton needs.
//!
//! Fairness is better kept out of automata: [`lift`] takes it out of a formula.

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
