//! The language of Fairly: source text to tasks, with diagnostics that carry spans.
//!
//! [`parse`] never fails: it returns what it understood and what it did not. [`load`] goes on to names, types
//! and ranges and returns the tasks of the file; [`load_with`] is also told where to get the automata it names. [`print`] writes a tree back as source. The reference of the
//! language is `docs/language.md`.

mod check;
pub mod diagnostic;
mod lexer;
pub mod linear;
mod lines;
mod parser;
mod precedence;
mod printer;
pub mod syntax;

use std::sync::Arc;

pub use check::{Automata, load, load_with};
use diagnostic::Diagnostic;
pub use lines::{Lines, declared_name};
use model::{Subject, System, Task};
pub use parser::{parse, parse_formula};
pub use printer::print;

/// A file that means something: a system and what is claimed of it.
#[derive(Clone, Debug)]
pub struct Model {
    /// What the file describes, shared by all tasks.
    pub subject: Subject,
    /// One per property; the members of a family one by one.
    pub checks: Vec<Check>,
    /// Where things are declared.
    pub lines: Lines,
}

impl Model {
    /// The system.
    pub fn system(&self) -> &Arc<System> {
        self.subject.system()
    }
}

/// A task of a file and what its answer should be.
#[derive(Clone, Debug)]
pub struct Check {
    /// The task, under the fairness the file declares for it.
    pub task: Task,
    /// The `expect` clause: whether it should hold.
    pub expected: Option<bool>,
}

/// What came of a file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model, if there are no errors.
    pub model: Option<Model>,
    /// Errors and warnings, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}
