//! Shows why a CTL formula is false: a line per part of it, with the states in which it is true or false.
//!
//! ```text
//! AG (try -> AF crit)   false in 0
//! try                   true in 0
//! AF crit               false in 0 to 3
//! ```
//!
//! States are numbered as in the trace. Facts that only the engine claims, and the trace does not show, are marked.

use std::fmt::Write;

use driver::report::Fact;

use crate::style::{QUIET, paint};

/// The greatest width of the column of formulas. A longer formula sticks out.
const FORMULA: usize = 40;

/// The lines, each with the indentation.
pub(crate) fn lines(facts: &[Fact], indent: &str) -> String {
    let mut rows: Vec<(&Fact, Vec<usize>)> = Vec::new();
    for fact in facts {
        let same = |known: &Fact| {
            (&known.formula, known.holds, known.checked) == (&fact.formula, fact.holds, fact.checked)
        };
        match rows.iter_mut().find(|(known, _)| same(known)) {
            Some((_, states)) => states.push(fact.state),
            None => rows.push((fact, vec![fact.state])),
        }
    }
    let length = |fact: &Fact| fact.formula.chars().count();
    let widest = rows.iter().map(|(fact, _)| length(fact)).max().unwrap_or(0).min(FORMULA);
    let mut text = String::new();
    for (fact, states) in rows {
        let gap = " ".repeat((widest + 3).saturating_sub(length(fact)).max(1));
        let value = if fact.holds { "true" } else { "false" };
        let standing = if fact.checked { String::new() } else { paint(QUIET, " (not checked by the judge)") };
        // Writing to a string does not fail.
        let _ = writeln!(text, "{indent}{}{gap}{value} in {}{standing}", fact.formula, ranges(&states));
    }
    text
}

/// Numbers in ascending order, with neighbours joined: `0, 2 to 4`.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let parts = runs.map(|run| match run {
        [one] => one.to_string(),
        [first, .., last] => format!("{first} to {last}"),
        [] => String::new(),
    });
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;

    #[test]
    fn a_part_has_one_line_with_all_its_states() {
        let fact = |state, formula: &str, holds, checked| Fact {
            state,
            formula: formula.to_owned(),
            holds,
            checked,
        };
        let facts = [
            fact(0, "AG EF x", false, true),
            fact(1, "AG EF x", false, true),
            fact(2, "AG EF x", false, true),
            fact(4, "AG EF x", false, true),
            fact(4, "EF x", false, false),
            fact(4, "y", true, true),
        ];
        let shown = lines(&facts, "  ");
        let expected = "  AG EF x   false in 0 to 2, 4\n  EF x      false in 4 (not checked by the judge)\n  y         true in 4\n";
        assert_eq!(strip_str(&shown).to_string(), expected);
    }
}
