//! A claim as its author wrote it, with the meaning of the definitions it mentions.
//!
//! Answers show claims with all constants folded, `fork[2]` for `fork[i % N + 1]`, unless that hides what was meant. A
//! claim that mentions definitions is shown as written: those have names because what they stand for is long. So is one
//! that lowering makes much longer, as it does with sets and sequences, which become variables of their own. The members
//! of a family have values instead of indices. No name is bound twice in a scope, so every use of the index is the index.

use super::Checker;
use super::definitions::NamedKind;
use crate::printer;
use crate::syntax::Expr;

/// The greatest length of such a text. Beyond it, it would explain nothing.
const LONG: usize = 2_000;

/// A claim as it is written.
pub(super) struct Written {
    text: String,
    /// Whether it mentions definitions.
    names: bool,
}

impl Written {
    /// The text, if it says more than this one, in which everything is expanded and folded.
    pub(super) fn unless_clear(self, lowered: &str) -> Option<String> {
        let much_shorter = self.text.len() + self.text.len() / 4 < lowered.len();
        (self.names || much_shorter).then_some(self.text)
    }
}

impl Checker<'_> {
    /// The claim as written, with these values for the indices of its family. `None` if it is very long.
    pub(super) fn as_written(&self, claim: &Expr, values: &[(&str, String)]) -> Option<Written> {
        let defined = self.defined(claim);
        let meaning = |number: &usize| {
            let named = &self.named[*number];
            let NamedKind::Define(parameters, body) = named.kind else { return String::new() };
            let parameters: Vec<&str> = parameters.iter().map(|name| name.text.as_str()).collect();
            let parameters =
                if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(", ")) };
            format!("{}{parameters} = {}", named.name.text, printer::expression(body, &[]))
        };
        let meanings: Vec<String> = defined.iter().map(meaning).collect();
        let mut text = printer::expression(claim, values);
        if !meanings.is_empty() {
            text = format!("{text}, where {}", meanings.join("; "));
        }
        (text.len() <= LONG).then_some(Written { text, names: !meanings.is_empty() })
    }

    /// The definitions that an expression mentions, and those that they mention, in the order of mention.
    fn defined(&self, expr: &Expr) -> Vec<usize> {
        let definitions = |expr: &Expr| {
            let mut found = self.mentions(expr);
            found.retain(|number| matches!(self.named[*number].kind, NamedKind::Define(..)));
            found
        };
        let mut all = definitions(expr);
        let mut next = 0;
        while let Some(number) = all.get(next) {
            if let NamedKind::Define(_, body) = self.named[*number].kind {
                for further in definitions(body) {
                    if !all.contains(&further) {
                        all.push(further);
                    }
                }
            }
            next += 1;
        }
        all
    }
}
