//! The language that a text is in: ours, one whose models are translated to trees of ours, or one of programs over integers.
//!
//! A translated tree has the places of the original text, so its declarations, its verdicts and its runs are shown there.
//! A program has no tree of ours: it is checked, and nothing more.

use driver::import::{self, Translated};
use driver::{Diagnostic, Loaded, Program, ProgramLanguage};
use lang::include::{self, Whole};
use lang::syntax::File;

/// The language of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// The language of Fairly.
    #[default]
    Fairly,
    /// That of another tool.
    Other(import::Language),
    /// One of programs over integers.
    Program(ProgramLanguage),
}

impl Language {
    /// All of them, with the endings of their files.
    pub fn all() -> impl Iterator<Item = (&'static str, Language)> {
        let endings =
            |own: import::Language| own.endings().iter().map(move |ending| (*ending, Language::Other(own)));
        let others = import::Language::ALL.into_iter().flat_map(endings);
        let programs = ProgramLanguage::ALL.into_iter().map(|(ending, own)| (ending, Language::Program(own)));
        [("fair", Language::Fairly)].into_iter().chain(others).chain(programs)
    }

    /// The language of files with this ending.
    pub fn of_ending(ending: &str) -> Option<Language> {
        Language::all().find(|(own, _)| *own == ending).map(|(_, language)| language)
    }

    /// The language of a file; ours, if its name does not tell.
    pub fn of_file(name: &str) -> Language {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        Language::of_ending(ending).unwrap_or_default()
    }

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        Language::all().find(|(_, language)| *language == self).map_or("", |(ending, _)| ending)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Language::Fairly => "Fairly",
            Language::Other(import::Language::Dve) => "DVE",
            Language::Other(import::Language::Promela) => "Promela",
            Language::Other(import::Language::Smv) => "SMV",
            Language::Other(import::Language::Csp) => "CSP#",
            Language::Program(ProgramLanguage::T2) => "the language of T2",
            Language::Program(ProgramLanguage::C) => "C",
            Language::Program(ProgramLanguage::Transitions) => "SMT-LIB",
        }
    }
}

/// A text as it was understood.
#[derive(Clone, Debug)]
pub(super) enum Read {
    /// With the files that it includes.
    Fairly(Whole),
    Other(Box<Translated>),
    Program,
    /// It was not understood.
    Nothing,
}

impl Read {
    /// Its declarations.
    pub(super) fn tree(&self) -> Option<&File> {
        match self {
            Read::Fairly(whole) => Some(&whole.tree),
            Read::Other(translated) => Some(&translated.file),
            Read::Program | Read::Nothing => None,
        }
    }
}

/// What a text means, and how it was understood. A program has further models.
pub(super) fn read(
    language: Language,
    name: &str,
    text: &str,
    settings: &[(String, String)],
    files: &dyn Fn(&str) -> Result<String, String>,
) -> (Read, Loaded, Vec<driver::Model>) {
    let none = |diagnostics| Loaded { model: None, diagnostics, values: Vec::new() };
    match language {
        Language::Fairly => {
            let whole = include::whole(name, text, files);
            (Read::Fairly(whole), driver::load(name, text, settings, files), Vec::new())
        }
        // So that a page with the engines in it does not carry readers that it has no files for.
        _ if !cfg!(feature = "full") => {
            let wrong = Diagnostic::outside("models in other languages are read by the command only");
            (Read::Nothing, none(vec![wrong]), Vec::new())
        }
        Language::Other(language) => match driver::translate(language, text, &[], files) {
            Ok(translated) => {
                let loaded = driver::load_translated(name, text, &translated, "", settings);
                (Read::Other(Box::new(translated)), loaded, Vec::new())
            }
            Err(wrong) => (Read::Nothing, none(vec![*wrong]), Vec::new()),
        },
        Language::Program(language) => {
            let Program { models, diagnostics } = driver::load_program(language, name, text, None);
            let diagnostics = diagnostics.into_iter().map(|(_, diagnostic)| diagnostic).collect();
            let mut models = models.into_iter();
            let loaded = Loaded { model: models.next(), ..none(diagnostics) };
            (Read::Program, loaded, models.collect())
        }
    }
}
