//! The tree-sitter grammar of `.fair` files. `grammar.js` is its source; editors generate their parsers from it.

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_fair() -> *const ();
}

/// The language, for `tree_sitter::Parser::set_language`.
#[expect(unsafe_code, reason = "the function is the one that was generated")]
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_fair) };

/// The query that colours a file.
pub const HIGHLIGHTS: &str = include_str!("queries/highlights.scm");
