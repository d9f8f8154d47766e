//! From a source to its model, for every command that needs one; what is wrong with it is shown here.

use driver::{Model, Severity};

use crate::diagnostics;
use crate::screen::complain;
use crate::sources::Source;

/// The model of a source, if it could be read and means something; otherwise the user has been told why not.
pub(crate) fn load(source: Result<Source, String>, set: &[(String, String)]) -> Option<(Source, Model)> {
    let source = source.inspect_err(|message| complain(message)).ok()?;
    let loaded = driver::load(&source.name(), &source.text, set, &|file| source.beside(file));
    diagnostics::show(&source, &loaded.diagnostics);
    let Some(model) = loaded.model else {
        if !loaded.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            complain(&format!("{} has no meaning", source.path));
        }
        return None;
    };
    Some((source, model))
}
