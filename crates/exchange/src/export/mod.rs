//! Models in the languages of other checkers, for a second opinion.
//!
//! An exporter turns the tasks of one file into text whose meaning, by the other tool's rules, is the meaning
//! the tasks have by ours: the same runs, the same positions, the same verdict. What the other language
//! cannot say is refused by name, property by property; nothing is weakened and nothing is left out silently.

pub(crate) mod actions;
pub(crate) mod assumed;
pub(crate) mod expressions;
pub(crate) mod names;
pub(crate) mod paths;
pub(crate) mod range;

use model::{Instance, Name};
pub use names::identifier;

pub use crate::promela::promela;
pub use crate::smv::smv;
pub use crate::tla::tla;

/// A model in another language.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The text.
    pub text: String,
    /// What the tool reads beside it, if there is such a file: TLC's configuration.
    pub companion: Option<String>,
    /// The properties that are not in it, and why.
    pub refused: Vec<(String, Refusal)>,
}

/// Why something cannot be written in another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, in the user's words.
    pub reason: String,
    /// What to change; may be empty.
    pub instead: String,
}

/// A refusal without a suggestion.
pub(crate) fn refusal(reason: impl Into<String>) -> Refusal {
    Refusal { reason: reason.into(), instead: String::new() }
}

/// Refuses a system with open parameters.
pub(crate) fn open() -> Refusal {
    refusal("a parameter has no value, and other tools check one instance")
}

/// Refuses a choice whose outcomes cannot be listed.
pub(crate) fn listed(instance: &Instance, tool: &str) -> Result<(), Refusal> {
    match instance.system.endless_choice() {
        None => Ok(()),
        Some(chooser) => Err(Refusal {
            reason: format!("`{}` chooses among all integers, which {tool} cannot", chooser.label),
            instead: "choose in a range".to_owned(),
        }),
    }
}

/// Refuses a variable, or a choice, whose values the tool cannot compute with.
pub(crate) fn bounded(instance: &Instance, tool: &str) -> Result<(), Refusal> {
    listed(instance, tool)?;
    let (lo, hi) = range::INT;
    match instance.cells.iter().find(|cell| cell.domain.lo < lo || hi < cell.domain.hi) {
        None => Ok(()),
        Some(cell) => Err(Refusal {
            reason: format!(
                "the values of `{}` do not fit into the 32 bits that {tool} computes with",
                cell.name
            ),
            instead: "declare it with a range".to_owned(),
        }),
    }
}

/// Refuses a property whose evaluation may be a fault other than those of `first`.
pub(crate) fn alone(first: &Name, property: &Name) -> Refusal {
    Refusal {
        reason: format!(
            "evaluating it and evaluating `{first}` are not faults in the same states, and a fault violates \
             every property of a file"
        ),
        instead: format!("export it alone with `--property {property}`"),
    }
}
