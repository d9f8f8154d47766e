//! From source text, and the files it names, to a model.
//!
//! A property may be an automaton in a file of its own, in the Hanoi format. The driver reads no files: it is told
//! how to get the text of one, and reads the automaton in it.

use exchange::hoa;
use lang::Loaded;

/// Reads source text: its model, if it has one, and what is wrong with it.
///
/// `settings` are names and values as given by `--set NAME=VALUE`; `files` gives the text of a file that the source
/// names, or a sentence that says why it cannot be had.
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
