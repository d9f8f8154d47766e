//! The explicit engine on systems whose answers are known, with every counterexample judged.

mod limits;
mod notes;
mod verdicts;
mod world;
