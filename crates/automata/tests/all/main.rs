//! Automata against the formulas they come from.

mod corpus;
mod graphs;
mod language;
mod lifting;
mod random;
mod rewriting;
mod sizes;
mod words;
