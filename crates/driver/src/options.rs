//! The user's options: which engines, which fairness, which properties.

use model::fairness::Word;
use model::{Fairness, System};

use crate::ask::plan::{EngineOption, Engines};

/// What to check, and how.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct Options {
    /// Which engines to use.
    pub engines: Engines,
    /// Which fairness to assume.
    pub fairness: FairnessOption,
    /// Names of properties, of families or of members; empty for all.
    pub properties: Vec<String>,
    /// The values given to constants and parameters, to show the scope of the answers.
    pub settings: Vec<(String, String)>,
    /// Whether to check the model as it is written, with the values of dead variables.
    pub as_written: bool,
    /// Whether to leave out the notes of [`notes`](crate::notes).
    pub without_notes: bool,
    /// Whether to explain each answer. For a property that holds this takes more decisions.
    pub explain: bool,
    /// Whether to say in which states the parts of a property are true, for models over unbounded integers.
    pub labels: bool,
    /// Whether an answer with any caveat, or a part of the model without use, is not as expected.
    pub strict: bool,
    /// Options for engines.
    pub engine_options: Vec<EngineOption>,
    /// Whether a *holds* is checked.
    pub certify: Certify,
    /// Whether proofs that list states are part of the report.
    pub keeps_proofs: bool,
}

/// Whether the judge checks that a property holds. That one fails is always checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certify {
    /// If it costs little: for proofs of moderate size, and for searches of products with at most a million edges.
    #[default]
    Auto,
    /// Whatever it costs. Searches are not reduced, because that loses the evidence.
    Always,
    /// Not at all: the answers are the engines' claims.
    Never,
}

impl Certify {
    /// All of them, in the order of the help text.
    pub const ALL: [Certify; 3] = [Certify::Auto, Certify::Always, Certify::Never];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Certify::Auto => "auto",
            Certify::Always => "always",
            Certify::Never => "never",
        }
    }
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

    /// As it is declared in a model; what a model declares has no other name.
    pub fn declaration(self) -> &'static str {
        match self {
            FairnessOption::Declared => "declared",
            FairnessOption::None => "none",
            FairnessOption::Weak => "weak all",
            FairnessOption::Strong => "strong all",
            FairnessOption::ProcessWeak => "weak processes",
            FairnessOption::ProcessStrong => "strong processes",
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

    #[test]
    fn every_kind_can_be_declared_as_it_is_called() {
        let text = "shared x: bool; environment process E { loop { e: skip; } }
            process P[i: 1..2] { action a when x { x = false; } action b { x = true; } }";
        for option in FairnessOption::ALL.into_iter().filter(|option| *option != FairnessOption::Declared) {
            let source = format!("{text} property p: F x under {};", option.declaration());
            let model = lang::load("test", &source, &[]).model.expect("a model");
            let declared = &model.checks[0].task.fairness;
            assert_eq!(Some(declared), option.replacement(model.system()).as_ref(), "{option:?}");
        }
    }
}
