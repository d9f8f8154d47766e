//! Reads a program over integers into models. One program has several forms: with joined blocks, with rounds of a loop
//! unrolled, without steps that are not known well enough, or block by block; which of them an engine can decide is not
//! known before. `check_forms` gives each its turn.

use exchange::program::{Blocks, Claim, Imported, Origin, Question, Stuck};
use exchange::{c, its, t2};
use lang::Model;
use lang::diagnostic::{Diagnostic, Severity};

/// A language of programs over integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramLanguage {
    /// Programs of T2.
    T2,
    /// Programs in C.
    C,
    /// Integer transition systems.
    Transitions,
}

impl ProgramLanguage {
    /// All of them, with the endings of their files.
    pub const ALL: [(&'static str, ProgramLanguage); 3] =
        [("t2", ProgramLanguage::T2), ("c", ProgramLanguage::C), ("smt2", ProgramLanguage::Transitions)];
}

/// The models of a program, the one to try first in front. All have the same properties.
#[derive(Debug)]
pub struct Program {
    /// None if there are errors.
    pub models: Vec<Model>,
    /// Errors and warnings, each with the text it is about.
    pub diagnostics: Vec<(Origin, Diagnostic)>,
}

/// Reads a program, with a question about it, which a program in C need not have. Without one, the question is whether
/// every run ends.
pub fn load_program(
    language: ProgramLanguage,
    name: &str,
    text: &str,
    question: Option<&Question>,
) -> Program {
    let read = |blocks| imported(language, name, text, question, blocks);
    let Imported { model, diagnostics } = read(Blocks::Large);
    let wrong = diagnostics.iter().any(|(_, diagnostic)| diagnostic.severity == Severity::Error);
    if model.is_none() || wrong {
        // Joined blocks may be too complex where the written ones are not, and both for engines over integers alone.
        let Imported { model, diagnostics } = read(Blocks::Small);
        let listed = read(Blocks::Listed);
        let diagnostics =
            if model.is_none() && listed.model.is_some() { listed.diagnostics } else { diagnostics };
        return Program { models: listed.model.into_iter().chain(model).collect(), diagnostics };
    }
    let others = [Blocks::Sure, Blocks::Flags, Blocks::Unrolled, Blocks::Small];
    let others = others.into_iter().filter_map(|blocks| read(blocks).model);
    // A search state by state has its turn in no time.
    let listed = read(Blocks::Listed).model;
    Program { models: listed.into_iter().chain(model).chain(others).collect(), diagnostics }
}

fn imported(
    language: ProgramLanguage,
    name: &str,
    text: &str,
    question: Option<&Question>,
    blocks: Blocks,
) -> Imported {
    match (language, question.map(|question| &question.claim)) {
        (ProgramLanguage::C, _) => c::load(name, text, question, blocks),
        (ProgramLanguage::Transitions, None | Some(Claim::Termination)) => its::load(name, text, blocks),
        (ProgramLanguage::Transitions, Some(_)) => {
            let message = "the only question about a transition system is whether every run ends";
            Imported { model: None, diagnostics: vec![(Origin::Claim, Diagnostic::outside(message))] }
        }
        (ProgramLanguage::T2, _) => {
            let termination = Question { claim: Claim::Termination, pairs: Vec::new(), stuck: Stuck::Drop };
            t2::load_as(name, text, question.unwrap_or(&termination), blocks)
        }
    }
}
