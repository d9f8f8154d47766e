//! A text as it was at one moment, and what can be said of it without any engine.

use std::cell::RefCell;
use std::collections::BTreeMap;

use driver::{Diagnostic, Loaded};
use lang::index::{Facts, Index, facts};

use super::outline::{Symbol, SymbolKind, outline};
use super::{Name, Obstacle, Span};
use crate::report::Step;

/// A text, the files it names, and what they mean.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its name, without an ending.
    pub name: String,
    /// The text.
    pub text: String,
    /// The values given to its constants and parameters.
    pub settings: Vec<(String, String)>,
    /// What is wrong with it, or perhaps not as intended, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// What it declares, in the order of the text; also if it has errors.
    pub outline: Vec<Symbol>,
    /// What every name in it means; also if it has errors.
    pub index: Index,
    /// The values of its constants.
    values: Vec<(String, String)>,
    /// The files that it names: text, or why there is none.
    files: Files,
    model: Option<driver::Model>,
}

type Files = BTreeMap<String, Result<String, String>>;

impl Document {
    /// Reads a text. `settings` are values for constants and parameters; `files` gives the text of a file that it names,
    /// or says in a sentence why not.
    pub fn open(
        name: &str,
        text: &str,
        settings: &[(String, String)],
        files: &dyn Fn(&str) -> Result<String, String>,
    ) -> Document {
        let seen: RefCell<Files> = RefCell::default();
        let read = |file: &str| {
            let found = files(file);
            seen.borrow_mut().insert(file.to_owned(), found.clone());
            found
        };
        let Loaded { model, diagnostics, values } = driver::load(name, text, settings, &read);
        Document {
            name: name.to_owned(),
            text: text.to_owned(),
            settings: settings.to_owned(),
            diagnostics,
            outline: outline(text),
            index: Index::new(text, &lang::parse(text).0),
            values,
            files: seen.into_inner(),
            model,
        }
    }

    /// The model; `None` if the text has errors.
    pub fn model(&self) -> Option<&driver::Model> {
        self.model.as_ref()
    }

    /// The names of the files that the text names.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The names of the properties, in the order of the text; the members of a family one by one.
    pub fn properties(&self) -> impl Iterator<Item = &Name> {
        self.model.iter().flat_map(|model| &model.checks).map(|check| &check.task.property.name)
    }

    /// What is known about a definition of the index.
    pub fn facts(&self, number: usize) -> Facts {
        facts(&self.text, &self.index, number, &self.values, self.model())
    }

    /// The text in standard format; `None` if it cannot be parsed.
    pub fn formatted(&self) -> Option<String> {
        driver::format(&self.text).ok()
    }

    /// Where the actions of a step stand in the text: for each process that takes part, the statement or action with the
    /// label. Empty in a deadlock.
    pub fn source(&self, step: &Step) -> Vec<Span> {
        let places = step.declared.iter().filter_map(|(family, label)| {
            let declared =
                self.outline.iter().find(|it| it.kind == SymbolKind::Process && it.name == *family)?;
            let is_label = |it: &&Symbol| matches!(it.kind, SymbolKind::Label | SymbolKind::Action);
            declared.children.iter().filter(is_label).find(|it| it.name == *label).map(|it| it.span)
        });
        places.collect()
    }

    /// The model, or that there is none.
    pub(crate) fn checked_model(&self) -> Result<&driver::Model, Obstacle> {
        self.model.as_ref().ok_or(Obstacle::NoModel)
    }

    /// The property of this name, or a sentence.
    pub(crate) fn property(&self, name: &str) -> Result<&Name, String> {
        self.properties().find(|property| property.to_string() == name).ok_or_else(|| {
            let models: Vec<&driver::Model> = self.model.iter().collect();
            driver::unknown_property(&[name.to_owned()], &models)
                .unwrap_or_else(|| format!("`{name}` is a family; name one of its members"))
        })
    }

    /// The same text with more behind it, and these settings.
    pub fn appended(&self, more: &str, settings: &[(String, String)]) -> Loaded {
        let text = format!("{}{more}", self.text);
        let missing = |file: &str| Err(format!("{file} is not one of the files that were read"));
        let read = |file: &str| self.files.get(file).cloned().unwrap_or_else(|| missing(file));
        driver::load(&self.name, &text, settings, &read)
    }
}
