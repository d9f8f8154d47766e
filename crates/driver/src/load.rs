//! Reads source text, and the files it names, into a model.
//!
//! A property may be an automaton in its own file, in the Hanoi format. The driver reads no files: the caller passes
//! a function that returns the text of a file.

use exchange::hoa;
use lang::Loaded;

/// Reads source text: returns its model, if it has one, and its diagnostics.
///
/// `settings` are names and values as given by `--set NAME=VALUE`. `files` returns the text of a file that the source
/// names, or a sentence that says why it cannot be read.
pub fn load(
    name: &str,
    text: &str,
    settings: &[(String, String)],
    files: &dyn Fn(&str) -> Result<String, String>,
) -> Loaded {
    lang::load_with(name, text, settings, &|file| {
        hoa::read(&files(file)?).map_err(|message| format!("{file}, {message}"))
    })
}
