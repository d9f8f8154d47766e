//! Loads the model of a source, for every command that needs one, and shows its errors.

use std::sync::Arc;

use driver::t2::{Blocks, Claim, Imported, Origin, Question};
use driver::{Diagnostic, Loaded, Model, Severity, c, its, t2};

use crate::diagnostics;
use crate::screen::complain;
use crate::sources::Source;

/// The model of a source. `None` if there are errors, which have been shown.
pub(crate) fn load(source: Result<Source, String>, set: &[(String, String)]) -> Option<(Source, Model)> {
    let source = source.inspect_err(|message| complain(message)).ok()?;
    if source.is_program() {
        complain(&format!(
            "{}: only `fairly check` reads programs over integers (.t2, .c, .smt2)",
            source.path
        ));
        return None;
    }
    let loaded = again(&source, "", set);
    diagnostics::show(&source, &loaded.diagnostics);
    let Some(model) = loaded.model else {
        if !loaded.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            complain(&format!("{} has no meaning", source.path));
        }
        return None;
    };
    Some((source, model))
}

/// Reads a source with a text appended, with these settings.
pub(crate) fn again(source: &Source, appended: &str, set: &[(String, String)]) -> Loaded {
    if let Some(language) = source.language() {
        let (name, text, claims) = (source.name(), &source.text, &source.claims);
        return driver::load_foreign(language, &name, text, claims, appended, set, &|file| {
            source.beside(file)
        });
    }
    let text = format!("{}{appended}", source.text);
    driver::load(&source.name(), &text, set, &|file| source.beside(file))
}

/// The same for a program and a question about it, which a program in C need not have.
pub(crate) fn program(
    source: Result<Source, String>,
    question: Option<&Question>,
) -> Option<(Source, Model)> {
    let mut source = source.inspect_err(|message| complain(message)).ok()?;
    let Imported { model, diagnostics } = imported(&source, question, Blocks::Large);
    if model.is_none() || diagnostics.iter().any(|(_, diagnostic)| diagnostic.severity == Severity::Error) {
        // Joined blocks may be too complex where the written ones are not.
        let Imported { model, diagnostics } = imported(&source, question, Blocks::Small);
        show(&source, question, &diagnostics);
        return model.map(|model| (source, model));
    }
    show(&source, question, &diagnostics);
    let others = [Blocks::Unrolled, Blocks::Small]
        .map(|blocks| imported(&source, question, blocks).model.map(Arc::new));
    source.others = others.into_iter().flatten().collect();
    model.map(|model| (source, model))
}

fn imported(source: &Source, question: Option<&Question>, blocks: Blocks) -> Imported {
    let (name, text) = (source.name(), &source.text);
    if source.is_c() {
        return c::load(&name, text, question, blocks);
    }
    if source.is_transition_system() {
        return match question.map(|question| &question.claim) {
            None | Some(Claim::Termination) => its::load(&name, text, blocks),
            Some(_) => {
                let message = "the only question about a transition system is whether every run ends";
                Imported { model: None, diagnostics: vec![(Origin::Claim, Diagnostic::outside(message))] }
            }
        };
    }
    let termination = Question { claim: Claim::Termination, pairs: Vec::new(), stuck: t2::Stuck::Drop };
    t2::load_as(&name, text, question.unwrap_or(&termination), blocks)
}

fn show(source: &Source, question: Option<&Question>, diagnostics: &[(Origin, Diagnostic)]) {
    let about = |origin: Origin| -> Vec<Diagnostic> {
        let own = diagnostics.iter().filter(|(other, _)| *other == origin);
        own.map(|(_, diagnostic)| diagnostic.clone()).collect()
    };
    diagnostics::show(source, &about(Origin::Program));
    // A formula has its own text, and its place is the option it was given with.
    let argument = |path: &str, text: &str| Source::text(path, text);
    let claim = match question.map(|question| &question.claim) {
        None | Some(Claim::Termination) => argument("--termination", ""),
        Some(Claim::Safety(location)) => argument("--safety", location.as_deref().unwrap_or("")),
        Some(Claim::Ctl(text)) => argument("--ctl", text),
        Some(Claim::Ltl(text)) => argument("--ltl", text),
    };
    diagnostics::show(&claim, &about(Origin::Claim));
    for (position, pair) in question.iter().flat_map(|question| question.pairs.iter().enumerate()) {
        diagnostics::show(&argument("--fairness-pair", pair), &about(Origin::Pair(position)));
    }
}
