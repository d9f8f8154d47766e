//! The golden table: which engine accepts which case, and the refusals.
//!
//! There is one line per case and engine, under the name of its document. An engine may accept some properties of a
//! case and refuse others; then both are listed. The table is text, so that a change shows as a diff.

use std::fmt::Write as _;
use std::path::Path;

use super::markdown::Case;

const HEAD: &str = "\
Which engine takes which case of the suite, and why not.
Written by: UPDATE_GOLDEN=1 cargo test -p fairly-driver --test all suite::
";

/// The table, as text.
#[derive(Default)]
pub(crate) struct Table {
    text: String,
    file: String,
}

impl Table {
    /// Adds an engine's result for the `number` properties of a case; `refusals` are names and reasons.
    pub(crate) fn add(&mut self, case: &Case, engine: &str, refusals: Vec<(String, String)>, number: usize) {
        if self.file != case.file {
            self.file.clone_from(&case.file);
            let _ = writeln!(self.text, "\n{}", case.file);
        }
        let _ = write!(self.text, "  {} | {engine}: ", case.name);
        let _ = match refusals.len() {
            0 => writeln!(self.text, "accepts"),
            refused if refused == number => writeln!(self.text, "refuses"),
            _ => writeln!(self.text, "accepts some"),
        };
        for (reason, names) in grouped(refusals) {
            let _ = writeln!(self.text, "    {}: {reason}", names.join(", "));
        }
    }

    /// Compares with the table in a file, or writes it there if `UPDATE_GOLDEN` is set.
    pub(crate) fn compare(&self, path: &Path) -> Result<(), String> {
        let found = format!("{HEAD}{}", self.text);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            return std::fs::write(path, found).map_err(|error| format!("{}: {error}", path.display()));
        }
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        if kept == found {
            return Ok(());
        }
        Err(format!(
            "the golden table {} has changed:\n{}\n\
             If this is meant, write it anew: UPDATE_GOLDEN=1 cargo test -p fairly-driver --test all suite::",
            path.display(),
            difference(&kept, &found)
        ))
    }
}

/// The names refused for each reason, in the order of their first occurrence.
fn grouped(refusals: Vec<(String, String)>) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (name, reason) in refusals {
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => groups.push((reason, vec![name])),
        }
    }
    groups
}

/// The lines that differ, without the common beginning and end of the two texts.
fn difference(old: &str, new: &str) -> String {
    let (mut old, mut new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    while !old.is_empty() && !new.is_empty() && old.last() == new.last() {
        old.pop();
        new.pop();
    }
    let shared = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let removed = old[shared..].iter().map(|line| format!("-{line}"));
    let added = new[shared..].iter().map(|line| format!("+{line}"));
    removed.chain(added).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_difference_shows_only_what_changed() {
    assert_eq!(difference("a\nb\nc\n", "a\nx\ny\nc\n"), "-b\n+x\n+y");
    assert_eq!(difference("a\n", "a\na\n"), "+a");
}

#[test]
fn refusals_for_the_same_reason_stand_together() {
    let refusals = [("p", "why"), ("q", "other"), ("r", "why")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    let groups = grouped(refusals.into());
    assert_eq!(groups[0], ("why".to_owned(), vec!["p".to_owned(), "r".to_owned()]));
    assert_eq!(groups.len(), 2);
}
