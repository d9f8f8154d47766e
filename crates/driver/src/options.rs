//! The user's options: which engines, which fairness, which properties.

use model::fairness::Word;
use model::{Fairness, System};

use crate::ask::plan::{EngineOption, Engines};

/// What to check, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which engines to use.
    pub engines: Engines,
    /// Which fairness to assume.
    pub fairness: FairnessOption,
    /// Names of properties, of families or of members; empty for all.
    pub properties: Vec<String>,
    /// The values given to constants and parameters, to show the scope of the answers.
    pub settings: Vec<(String, String)>,
    /// Whether to leave out the notes of [`notes`](crate::notes).
    pub without_notes: bool,
    /// Whether to explain each answer. For a property that holds this takes more decisions.
    pub explain: bool,
    /// Whether an answer with any caveat, or a part of the model without use, is not as expected.
    pub strict: bool,
    /// Options for engines.
    pub engine_options: Vec<EngineOption>,
}

/// Which fairness to assume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FairnessOption {
    /// The fairness that the model declares.
    #[default]
    Declared,
    /// Every run is fair.
    None,
    /// Weak fairness of every action.
    Weak,
    /// Strong fairness of every action.
    Strong,
    /// Weak fairness of every process.
    ProcessWeak,
    /// Strong fairness of every process.
    ProcessStrong,
    /// Strong global fairness.
    Global,
}

impl FairnessOption {
    /// All of them, in the order of the help text.
    pub const ALL: [FairnessOption; 7] = [
        FairnessOption::Declared,
        FairnessOption::None,
        FairnessOption::Weak,
        FairnessOption::Strong,
        FairnessOption::ProcessWeak,
        FairnessOption::ProcessStrong,
        FairnessOption::Global,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            FairnessOption::Declared => "declared",
            FairnessOption::None => "none",
            FairnessOption::Weak => "weak",
            FairnessOption::Strong => "strong",
            FairnessOption::ProcessWeak => "process-weak",
            FairnessOption::ProcessStrong => "process-strong",
            FairnessOption::Global => "global",
        }
    }

    /// The fairness that replaces the declared one, if it does.
    pub fn replacement(self, system: &System) -> Option<Fairness> {
        match self {
            FairnessOption::Declared => None,
            FairnessOption::None => Some(Fairness::none()),
            FairnessOption::Weak => Some(Fairness::every_action(system, Word::Weak)),
            FairnessOption::Strong => Some(Fairness::every_action(system, Word::Strong)),
            FairnessOption::ProcessWeak => Some(Fairness::every_process(system, Word::Weak)),
            FairnessOption::ProcessStrong => Some(Fairness::every_process(system, Word::Strong)),
            FairnessOption::Global => Some(Fairness::global()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_declared_fairness_is_left_as_it_is() {
        let system = System::default();
        for option in FairnessOption::ALL {
            assert_eq!(
                option.replacement(&system).is_none(),
                option == FairnessOption::Declared,
                "{option:?}"
            );
        }
    }
}
