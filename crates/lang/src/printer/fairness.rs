//! Prints fairness expressions and events.
//!
//! `|` is looser than `&`, and both are looser than `for`. An expression that is looser than its place allows is put in
//! parentheses. So is a list inside a list of the same kind, because the parser keeps them apart.

use super::Printer;
use crate::syntax::{Event, Fair, FairKind, FairWord};

impl Printer {
    pub(super) fn fair(&mut self, fair: &Fair) {
        match &fair.kind {
            FairKind::Or(parts) => self.list(parts, " | ", |printer, part| match part.kind {
                FairKind::Or(_) => printer.parenthesised(part),
                _ => printer.fair(part),
            }),
            FairKind::And(parts) => self.list(parts, " & ", Self::fair_one),
            FairKind::Of(word, event) => {
                self.put(fair_word(*word));
                self.event(event);
            }
            FairKind::All(word) => {
                self.put(fair_word(*word));
                self.put("all");
            }
            FairKind::Processes(word) => {
                self.put(fair_word(*word));
                self.put("processes");
            }
            FairKind::Justice(predicate) => {
                self.put("justice (");
                self.expression(predicate);
                self.put(")");
            }
            FairKind::Compassion(when, then) => {
                self.put("compassion (");
                self.expression(when);
                self.put(", ");
                self.expression(then);
                self.put(")");
            }
            FairKind::For(binder, body) => {
                self.put("for ");
                self.binder(binder, " in ");
                self.put(": ");
                self.fair_one(body);
            }
            FairKind::Global => self.put("global"),
            FairKind::None => self.put("none"),
            FairKind::Named(name) => self.name(name),
        }
    }

    fn fair_one(&mut self, fair: &Fair) {
        match fair.kind {
            FairKind::And(_) | FairKind::Or(_) => self.parenthesised(fair),
            _ => self.fair(fair),
        }
    }

    fn parenthesised(&mut self, fair: &Fair) {
        self.put("(");
        self.fair(fair);
        self.put(")");
    }

    pub(super) fn event(&mut self, event: &Event) {
        if event.parties.is_empty() {
            self.put("any");
        }
        self.list(&event.parties, " + ", |printer, party| {
            printer.name(&party.process);
            for index in &party.indices {
                printer.put("[");
                printer.expression(index);
                printer.put("]");
            }
            if let Some(label) = &party.label {
                printer.put(".");
                printer.name(label);
            }
        });
        if let Some(arguments) = &event.arguments {
            self.put("(");
            self.list(arguments, ", ", Self::expression);
            self.put(")");
        }
    }
}

/// How a fairness word is written.
fn fair_word(word: FairWord) -> &'static str {
    match word {
        FairWord::Weak => "weak ",
        FairWord::Strong => "strong ",
        FairWord::Unconditional => "unconditional ",
    }
}
