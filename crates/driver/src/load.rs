//! Reads source text, and the files it names, into a model.
//!
//! A property may be an automaton in its own file, in the Hanoi format, and a model may include others. The driver reads no
//! files: the caller passes a function that returns the text of a file.

use std::fmt::Write;

use exchange::hoa;
use exchange::import::{self, Claim, Language, Refused, Translated};
use lang::diagnostic::{Diagnostic, Severity};
use lang::{Loaded, Model};

use crate::options::FairnessOption;

/// Reads source text: returns its model, if it has one, and its diagnostics. The model forgets the values of dead locals.
///
/// `settings` are names and values as given by `--set NAME=VALUE`. `files` returns the text of a file that the source
/// names, or a sentence that says why it cannot be read.
pub fn load(
    name: &str,
    text: &str,
    settings: &[(String, String)],
    files: &dyn Fn(&str) -> Result<String, String>,
) -> Loaded {
    let automaton = |file: &str| hoa::read(&files(file)?).map_err(|message| format!("{file}, {message}"));
    let loaded = lang::load_files(name, text, settings, &automaton, files);
    Loaded { model: loaded.model.map(lang::forget), ..loaded }
}

/// The model that a question under this fairness is about. Strong global fairness counts the steps of the state graph, so it
/// is about the model as it is written; for any other, dead locals make no difference (decision 0030).
pub fn meant(model: &Model, fairness: FairnessOption) -> &Model {
    if fairness == FairnessOption::Global { model.as_written() } else { model }
}

/// Reads a model in another language, with claims about it and declarations of our own language that are added to it.
/// `files` returns the text of a file that the source includes.
pub fn load_foreign(
    language: Language,
    name: &str,
    text: &str,
    claims: &[Claim],
    added: &str,
    settings: &[(String, String)],
    files: import::Files<'_>,
) -> Loaded {
    match translate(language, text, claims, files) {
        Ok(translated) => load_translated(name, text, &translated, added, settings),
        Err(diagnostic) => Loaded { model: None, diagnostics: vec![*diagnostic], values: Vec::new() },
    }
}

/// Translates a model in another language, and claims about it, to a tree of ours.
pub fn translate(
    language: Language,
    text: &str,
    claims: &[Claim],
    files: import::Files<'_>,
) -> Result<Translated, Box<Diagnostic>> {
    import::translate(language, text, claims, files).map_err(|refused| match refused {
        Refused::File(diagnostic) => diagnostic,
        Refused::Claim(_, diagnostic) => {
            // Its text is not that of the file, so there is no place to point at.
            let message = format!("in the formula: {}: {}", diagnostic.message, diagnostic.label);
            Box::new(Diagnostic { help: diagnostic.help, ..Diagnostic::outside(message) })
        }
    })
}

/// What a translated model means, with declarations of our own language that are added to it.
pub fn load_translated(
    name: &str,
    text: &str,
    translated: &Translated,
    added: &str,
    settings: &[(String, String)],
) -> Loaded {
    let mut file = translated.file.clone();
    let (more, mut diagnostics) = lang::parse(added);
    file.items.extend(more.items);
    diagnostics.iter_mut().for_each(|diagnostic| diagnostic.span = None);
    let automaton = |file: &str| {
        let found = translated.automata.iter().find(|(known, _)| known == file);
        found.map(|(_, automaton)| automaton.clone()).ok_or_else(|| format!("there is no automaton `{file}`"))
    };
    let mut loaded = lang::load_tree(name, text, (&file, diagnostics), settings, &automaton);
    // A warning is for authors in our language: in a translation it would often be about what another tool does.
    loaded.diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    loaded.diagnostics.extend(translated.warnings.iter().cloned());
    for check in loaded.model.iter_mut().flat_map(|model| &mut model.checks) {
        let called = check.task.property.name.to_string();
        if let Some((_, words)) = translated.implied.iter().find(|(name, _)| *name == called) {
            check.written = Some(words.clone());
            check.implied = true;
        }
    }
    loaded
}

/// A model in another language as a text in ours; what is wrong with it if it has none. An automaton that the text names is
/// a comment at its end.
pub fn translated(
    language: Language,
    text: &str,
    files: import::Files<'_>,
) -> Result<String, Box<Diagnostic>> {
    let translated = match import::printable(language, text, files) {
        Ok(translated) => translated,
        Err(Refused::File(diagnostic) | Refused::Claim(_, diagnostic)) => return Err(diagnostic),
    };
    // Writing to a string does not fail.
    let mut printed = lang::print(&translated.file);
    for (name, automaton) in &translated.automata {
        let _ = writeln!(printed, "\n// The automaton, for a file called {name}:");
        let states = automaton.states.clone();
        let (atoms, initial) =
            (vec![model::Expr::Bool(true); automaton.atoms.len()], automaton.initial.clone());
        let unnamed = model::Automaton { atoms, initial, states, marks: automaton.marks };
        for line in hoa::write(&unnamed, name, &automaton.atoms).lines() {
            let _ = writeln!(printed, "// {line}");
        }
    }
    Ok(printed)
}
