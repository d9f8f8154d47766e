//! Reads saved counterexamples from files.

use std::path::Path;

use driver::replay::Saved;

use crate::sources::Source;

/// The trace in a file. If there are several, the one against this property. The error is a sentence.
pub(crate) fn read(file: &Path, property: Option<&str>) -> Result<Saved, String> {
    let source = Source::read(file)?;
    wire::saved::read(&source.text, property).map_err(|what| format!("{}: {what}", source.path))
}
