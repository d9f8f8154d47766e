//! A text as it was at one moment, and what can be said of it without any engine.

use std::cell::RefCell;
use std::collections::BTreeMap;

use driver::{Diagnostic, Loaded};
use lang::index::{Facts, Index, facts, rename};
use lang::syntax::ItemKind;

use super::language::{self, Language, Read};
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
    /// The language that it is in.
    pub language: Language,
    /// The values given to its constants and parameters.
    pub settings: Vec<(String, String)>,
    /// What is wrong with it, or perhaps not as intended, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// What it declares, in the order of the text; also if it has errors.
    pub outline: Vec<Symbol>,
    /// What every name in it and in the files that it includes means; also if there are errors. Its places are those of the
    /// model and the files together: see [`Document::place`]. Empty if the language is not ours.
    pub index: Index,
    /// The values of its constants.
    values: Vec<(String, String)>,
    /// The files that it names: text, or why there is none.
    files: Files,
    read: Read,
    model: Option<driver::Model>,
    /// If it is a program: further models of it.
    others: Vec<driver::Model>,
}

type Files = BTreeMap<String, Result<String, String>>;

/// A place in the text of a document or in that of a file that it includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The file, relative to the document; `None` for the document itself.
    pub file: Option<&'a str>,
    /// Its text.
    pub text: &'a str,
    /// The place in it.
    pub span: Span,
}

impl Document {
    /// Reads a text in our language. `settings` are values for constants and parameters; `files` gives the text of a file
    /// that it names, or says in a sentence why not.
    pub fn open(
        name: &str,
        text: &str,
        settings: &[(String, String)],
        files: &dyn Fn(&str) -> Result<String, String>,
    ) -> Document {
        Document::open_as(Language::Fairly, name, text, settings, files)
    }

    /// Reads a text in this language.
    pub fn open_as(
        language: Language,
        name: &str,
        text: &str,
        settings: &[(String, String)],
        files: &dyn Fn(&str) -> Result<String, String>,
    ) -> Document {
        let seen: RefCell<Files> = RefCell::default();
        let get = |file: &str| {
            let found = files(file);
            seen.borrow_mut().insert(file.to_owned(), found.clone());
            found
        };
        let (read, loaded, others) = language::read(language, name, text, settings, &get);
        let Loaded { model, diagnostics, values } = loaded;
        let index = match &read {
            Read::Fairly(whole) => Index::new(&whole.text, &whole.tree),
            _ => Index::default(),
        };
        Document {
            name: name.to_owned(),
            text: text.to_owned(),
            language,
            settings: settings.to_owned(),
            diagnostics,
            outline: read.tree().map(|tree| outline(tree, text.len())).unwrap_or_default(),
            index,
            values,
            files: seen.into_inner(),
            read,
            model,
            others,
        }
    }

    /// Whether the text is in our language, so that it can be formatted, completed and changed.
    pub fn is_ours(&self) -> bool {
        self.language == Language::Fairly
    }

    /// Where something of the [`index`](Document::index) stands.
    pub fn place(&self, span: Span) -> Place<'_> {
        if let Read::Fairly(whole) = &self.read
            && let Some((file, at)) =
                whole.files.iter().find(|(_, at)| (at.start..=at.end).contains(&span.start))
        {
            let text = &whole.text[at.start..at.end];
            let span = Span { start: span.start - at.start, end: span.end.min(at.end) - at.start };
            return Place { file: Some(file), text, span };
        }
        Place { file: None, text: &self.text, span }
    }

    /// Where that is defined what stands at a byte of the text: a name, or an included file.
    pub fn definitions(&self, byte: usize) -> Vec<Place<'_>> {
        let Read::Fairly(whole) = &self.read else { return Vec::new() };
        let included = whole.tree.items.iter().find_map(|item| match &item.kind {
            ItemKind::Include(file) if (file.span.start..=file.span.end).contains(&byte) => Some(&file.text),
            _ => None,
        });
        match included.and_then(|named| whole.files.iter().find(|(file, _)| file == named)) {
            Some((_, at)) => vec![self.place(Span { start: at.start, end: at.start })],
            None => self.index.at(byte).iter().map(|found| self.place(found.definition.span)).collect(),
        }
    }

    /// The places to be replaced by `new` in order to rename what stands at a byte of the text, also in included files; or
    /// why it cannot be renamed.
    pub fn renamed(&self, byte: usize, new: &str) -> Result<Vec<Place<'_>>, String> {
        match &self.read {
            Read::Fairly(whole) => {
                let spans = rename(&whole.text, byte, new)?;
                Ok(spans.into_iter().map(|span| self.place(span)).collect())
            }
            _ => Err(format!("names are not known in {}", self.language.name())),
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
        let text = match &self.read {
            Read::Fairly(whole) => &whole.text,
            _ => &self.text,
        };
        facts(text, &self.index, number, &self.values, self.model())
    }

    /// The text in standard format; `None` if it cannot be parsed or is not in our language.
    pub fn formatted(&self) -> Option<String> {
        if self.is_ours() { driver::format(&self.text).ok() } else { None }
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

    /// The same text with declarations of our language behind it, and these settings. A program takes none.
    pub fn appended(&self, more: &str, settings: &[(String, String)]) -> Loaded {
        if let Read::Other(translated) = &self.read {
            return driver::load_translated(&self.name, &self.text, translated, more, settings);
        }
        let text = format!("{}{more}", self.text);
        let missing = |file: &str| Err(format!("{file} is not one of the files that were read"));
        let read = |file: &str| self.files.get(file).cloned().unwrap_or_else(|| missing(file));
        driver::load(&self.name, &text, settings, &read)
    }

    /// The model and, of a program, further models of it: an answer for one of them is an answer for all.
    pub(crate) fn models(&self) -> Vec<&driver::Model> {
        self.model.iter().chain(&self.others).collect()
    }

    /// That nothing but a check can be done with a program.
    pub(crate) fn no_program(&self, what: &str) -> Result<(), String> {
        match self.language {
            Language::Program(_) => {
                Err(format!("a program in {} can be checked, but {what}", self.language.name()))
            }
            _ => Ok(()),
        }
    }
}
