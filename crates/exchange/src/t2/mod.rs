//! Programs in the format of T2: blocks of assignments and assumptions between locations, over unbounded integers.
//!
//! The format is that of [BCIKP16]. [`program`](crate::program) says what a program means. Variables have any value at
//! first. `docs/t2.md` explains this for users and gives the syntax.

mod lexer;
mod parser;

use lang::diagnostic::Diagnostic;

use crate::program::{self, Asked, Claimed, Reading};
pub use crate::program::{Blocks, Claim, Imported, Origin, Question, Stuck};

/// Reads a program and a question about it.
pub fn load(name: &str, text: &str, question: &Question) -> Imported {
    load_as(name, text, question, Blocks::Small)
}

/// The same, with blocks as they are written or joined.
pub fn load_as(name: &str, text: &str, question: &Question, blocks: Blocks) -> Imported {
    let (program, faults) = parser::program(text);
    let mut diagnostics: Vec<(Origin, Diagnostic)> =
        faults.into_iter().map(|fault| (Origin::Program, fault)).collect();
    if !diagnostics.is_empty() {
        return Imported { model: None, diagnostics };
    }
    let cutpoint = program.cutpoint.as_ref().map(|cutpoint| cutpoint.value.clone());
    let claim = match &question.claim {
        Claim::Termination => Ok(Claimed::Termination),
        Claim::Safety(location) => location.clone().or(cutpoint).map(Claimed::Avoid).ok_or_else(|| {
            Diagnostic::outside("the program has no CUTPOINT, so there is no location to avoid")
                .help("name one: --safety=LOC")
                .into()
        }),
        Claim::Ctl(text) => parser::formula(text).map(Claimed::Ctl),
        Claim::Ltl(text) => parser::formula(text).map(Claimed::Ltl),
    };
    let mut asked = Vec::new();
    match claim {
        Ok(claim) => {
            let name = match question.claim {
                Claim::Termination => "termination",
                Claim::Safety(_) => "safety",
                Claim::Ctl(_) => "ctl",
                Claim::Ltl(_) => "ltl",
            };
            asked.push((Origin::Claim, Asked { name: name.to_owned(), claim }));
        }
        Err(fault) => diagnostics.push((Origin::Claim, *fault)),
    }
    let mut pairs = Vec::new();
    for (position, pair) in question.pairs.iter().enumerate() {
        match parser::pair(pair) {
            Ok(pair) => pairs.push(pair),
            Err(fault) => diagnostics.push((Origin::Pair(position), *fault)),
        }
    }
    if !diagnostics.is_empty() {
        return Imported { model: None, diagnostics };
    }
    let reading = Reading { stuck: question.stuck, loops_end: true, blocks };
    program::model(name, text, program, asked, &pairs, reading)
}
