//! Models in the languages of other checkers, for a second opinion.
//!
//! An exporter turns the tasks of one file into text whose meaning, by the other tool's rules, is the meaning
//! the tasks have by ours: the same runs, the same positions, the same verdict. What the other language
//! cannot say is refused by name, property by property; nothing is weakened and nothing is left out silently.

mod promela;

use model::Refusal;
pub use promela::promela;

/// A model in another language.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The text.
    pub text: String,
    /// The properties that are not in it, and why.
    pub refused: Vec<(String, Refusal)>,
}

/// A refusal without a suggestion.
fn refusal(reason: impl Into<String>) -> Refusal {
    Refusal { reason: reason.into(), instead: String::new() }
}
