//! Loads the model of a source, for every command that needs one, and shows its errors.

use std::sync::Arc;

use driver::t2::{Claim, Origin, Question};
use driver::{Diagnostic, Loaded, Model, Program, ProgramLanguage, Severity, load_program};

use crate::diagnostics;
use crate::screen::complain;
use crate::sources::Source;

/// That a program needs a question.
pub(crate) const SILENT: &str =
    "a program (.t2) says nothing of what it should do: ask with --termination, --safety, --ctl or --ltl";

/// That a model has its own questions.
pub(crate) const NOT_ASKED: &str = "--termination, --safety, --ctl and --ltl ask something of a program (.t2, .c, .smt2) or a \
     model in another language (.dve, .smv, …); what is asked of a model (.fair) stands in its file";

/// Whether a source is a program, which other commands read; then this has been said.
pub(crate) fn is_for_others(source: &Source) -> bool {
    let is_program = source.is_program();
    if is_program {
        complain(&format!(
            "{}: only `fairly check` and `fairly explain` read programs over integers (.t2, .c, .smt2)",
            source.path
        ));
    }
    is_program
}

/// The model of a source. `None` if there are errors, which have been shown.
pub(crate) fn load(source: Result<Source, String>, set: &[(String, String)]) -> Option<(Source, Model)> {
    let source = source.inspect_err(|message| complain(message)).ok()?;
    if is_for_others(&source) {
        return None;
    }
    let loaded = again(&source, "", set);
    diagnostics::show(&source, &loaded.diagnostics);
    let Some(model) = loaded.model else {
        if !loaded.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            complain(&format!("{}: no model could be made of it", source.path));
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
    let language = source.program().unwrap_or(ProgramLanguage::T2);
    let Program { models, diagnostics } = load_program(language, &source.name(), &source.text, question);
    show(&source, question, &diagnostics);
    let mut models = models.into_iter();
    let model = models.next()?;
    source.others = models.map(Arc::new).collect();
    Some((source, model))
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
