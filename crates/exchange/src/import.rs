//! The languages of other tools whose models are translated to ours, each by its own folder.

use lang::diagnostic::Diagnostic;
use lang::syntax::File;
use model::Automaton;

use crate::csp::Spelling;
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
    /// All of them.
    pub const ALL: [Language; 4] = [Language::Dve, Language::Promela, Language::Smv, Language::Csp];

    /// The word for it on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Language::Dve => "dve",
            Language::Promela => "promela",
            Language::Smv => "smv",
            Language::Csp => "csp",
        }
    }

    /// The endings of its files, the usual one first.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Language::Promela => &["pml", "promela", "prom"],
            Language::Dve => &["dve"],
            Language::Smv => &["smv"],
            Language::Csp => &["csp"],
        }
    }

    /// The language of files with this ending.
    pub fn of_ending(ending: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.endings().contains(&ending))
    }

    /// The language that is called so, or whose files end so.
    pub fn of_word(word: &str) -> Option<Language> {
        let called = Language::ALL.into_iter().find(|language| language.word() == word);
        called.or_else(|| Language::of_ending(word))
    }
}

/// Gives the text of a file that a file names, or a sentence that says why it cannot be read.
pub type Files<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// For texts that stand alone.
pub fn no_files(_: &str) -> Result<String, String> {
    Err("there are no other files here".to_owned())
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
    /// The claims that the language makes and no formula of the file, by name, in words or as they stand there.
    pub implied: Vec<(String, String)>,
}

/// Translates a text, and claims about it. `files` gives the texts that it includes.
pub fn translate(
    language: Language,
    text: &str,
    claims: &[Claim],
    files: Files<'_>,
) -> Result<Translated, Refused> {
    match language {
        Language::Dve => {
            let crate::dve::Translated { file, automata } = crate::dve::translate(text, claims)?;
            Ok(Translated { file, automata, warnings: Vec::new(), implied: Vec::new() })
        }
        Language::Promela => {
            let crate::dve::Translated { file, automata } =
                crate::promela::read::translate(text, claims, files)?;
            let implied = crate::promela::read::implied(&file, text);
            Ok(Translated { file, automata, warnings: Vec::new(), implied })
        }
        Language::Smv => crate::smv::read::translate(text, claims),
        Language::Csp => crate::csp::translate(text, claims, Spelling::Original),
    }
}

/// Translates a text to one that can be printed: all names in it are names of our language.
pub fn printable(language: Language, text: &str, files: Files<'_>) -> Result<Translated, Refused> {
    match language {
        Language::Csp => crate::csp::translate(text, &[], Spelling::Plain),
        _ => translate(language, text, &[], files),
    }
}
