//! The languages of other tools whose models are translated to ours, each by its own folder.

use lang::diagnostic::Diagnostic;
use lang::syntax::File;
use model::Automaton;

pub use crate::dve::{Claim, Refused};

/// A language that models are read in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// DVE, of `DiVinE` and the BEEM collection.
    Dve,
    /// Promela, of SPIN.
    Promela,
    /// SMV, of `NuSMV`.
    Smv,
    /// CSP#, of PAT.
    Csp,
}

impl Language {
    /// All of them, with the words for them on the command line, which are also the endings of their files.
    pub const ALL: [(&'static str, Language); 5] = [
        ("dve", Language::Dve),
        ("pml", Language::Promela),
        ("promela", Language::Promela),
        ("smv", Language::Smv),
        ("csp", Language::Csp),
    ];

    /// The language of files with this ending.
    pub fn of_ending(ending: &str) -> Option<Language> {
        Language::ALL.iter().find(|(own, _)| *own == ending).map(|(_, language)| *language)
    }

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        Language::ALL.iter().find(|(_, language)| *language == self).map_or("", |(ending, _)| ending)
    }
}

/// A translated file.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The same model in our language, with the places of the original.
    pub file: File,
    /// The automata that it names.
    pub automata: Vec<(String, Automaton<String>)>,
    /// What the user should know about the translation.
    pub warnings: Vec<Diagnostic>,
}

/// Translates a text, and claims about it.
pub fn translate(language: Language, text: &str, claims: &[Claim]) -> Result<Translated, Refused> {
    match language {
        Language::Dve => {
            let crate::dve::Translated { file, automata } = crate::dve::translate(text, claims)?;
            Ok(Translated { file, automata, warnings: Vec::new() })
        }
        Language::Promela => {
            let crate::dve::Translated { file, automata } = crate::promela_in::translate(text, claims)?;
            Ok(Translated { file, automata, warnings: Vec::new() })
        }
        Language::Smv => crate::smv::read::translate(text, claims),
        Language::Csp => crate::csp::translate(text, claims),
    }
}
