//! The language of Fairly: source text to tasks, with diagnostics that carry spans.
//!
//! [`parse`] never fails: it returns a tree of what it understood, and diagnostics. [`load`] also checks names, types
//! and ranges and returns the tasks of the file; [`load_files`] also loads the automata and the models that the file names.
//! [`print()`]
//! writes a tree back as source. [`index`] knows where names are defined and used, for editors. `docs/language.md` is the
//! reference of the language.

mod check;
pub mod diagnostic;
mod implied;
pub mod include;
pub mod index;
mod lexer;
pub mod linear;
mod lines;
mod parser;
mod precedence;
mod printer;
pub mod syntax;
mod visit;
pub mod words;

use std::sync::Arc;

pub use check::code::line_of;
pub use check::{Automata, forget, load, load_files, load_tree, load_with};
use diagnostic::Diagnostic;
pub use lines::{Lines, declared_name};
use model::system::Parameter;
use model::{Fairness, Subject, System, Task};
pub use parser::{is_reserved, parse, parse_formula};
pub use printer::print;
pub use syntax::Expect;

/// The model of a file without errors: a system and the claims about it.
#[derive(Clone, Debug)]
pub struct Model {
    /// What the file describes, shared by all tasks.
    pub subject: Subject,
    /// One check per property; a family is expanded into its members.
    pub checks: Vec<Check>,
    /// The open parameters that are integers of the system, because nothing has its size from them.
    pub integers: Vec<Parameter>,
    /// The lines of declarations.
    pub lines: Lines,
    /// The variables that are not forgotten although their values can no longer matter somewhere, because a property reads
    /// them or assumes strong global fairness.
    pub kept: Vec<Kept>,
    /// The model as it is written, if dead variables are forgotten in this one.
    pub written: Option<Arc<Model>>,
}

/// A variable that a property keeps from being forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The variable, without indices: `P.y`.
    pub variable: String,
    /// The first property that reads it, or one that assumes strong global fairness.
    pub property: String,
    /// Whether it is strong global fairness, which counts steps, that keeps it.
    pub global: bool,
}

impl Model {
    /// The system.
    pub fn system(&self) -> &Arc<System> {
        self.subject.system()
    }

    /// The model as it is written, with the values of dead locals.
    pub fn as_written(&self) -> &Model {
        self.written.as_deref().unwrap_or(self)
    }
}

/// A task of a file and its expected answer.
#[derive(Clone, Debug)]
pub struct Check {
    /// The task, under the fairness the file declares for it.
    pub task: Task,
    /// What the file declares for all properties, if this one has an `under` of its own instead.
    pub replaced: Option<Fairness>,
    /// The `expect` clause.
    pub expected: Option<Expect>,
    /// The claim as it is written, with the meaning of the definitions it mentions, if that says more than its meaning.
    pub written: Option<String>,
    /// Whether the language of the file makes this claim, so that its parts are nobody's words.
    pub implied: bool,
}

impl Check {
    /// The claim: with all indices and constants in place, or as it is written if that says more.
    pub fn claim(&self) -> String {
        let Task { property, .. } = &self.task;
        self.written.clone().unwrap_or_else(|| model::show::kind(self.task.system(), &property.kind))
    }
}

/// The result of loading a file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model, if there are no errors.
    pub model: Option<Model>,
    /// Errors and warnings, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// The constants that are numbers, truth values or members of an enum, with their values as the user writes them.
    pub values: Vec<(String, String)>,
}
