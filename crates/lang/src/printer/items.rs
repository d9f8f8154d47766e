//! Prints declarations, each on one line except for processes and for properties that are too long.

use super::{Printer, WIDTH};
use crate::lexer::is_name;
use crate::syntax::{Field, Initial, ItemKind, Name, Proposition, Set, Type, Variables};

impl Printer {
    pub(super) fn item(&mut self, item: &ItemKind) {
        self.formula =
            matches!(item, ItemKind::Define { .. } | ItemKind::Property { .. } | ItemKind::Never { .. });
        match item {
            ItemKind::Include(file) => {
                self.put("include ");
                self.quoted(&file.text);
            }
            ItemKind::Const { name, value } => {
                self.head("const", name);
                self.put(" = ");
                self.expression(value);
            }
            ItemKind::Param { name, least } => {
                self.head("param", name);
                self.put(" >= ");
                self.expression(least);
            }
            ItemKind::Enum { name, members } => {
                self.head("enum", name);
                self.put(" { ");
                self.list(members, ", ", Self::name);
                return self.put(" }");
            }
            ItemKind::Record { name, fields } => {
                self.head("record", name);
                self.put(" { ");
                self.list(fields, ", ", |printer, Field { name, kind }| {
                    printer.name(name);
                    printer.put(": ");
                    printer.kind(kind);
                });
                return self.put(" }");
            }
            ItemKind::Define { name, parameters, body } => {
                self.head("define", name);
                if !parameters.is_empty() {
                    self.put("(");
                    self.list(parameters, ", ", Self::name);
                    self.put(")");
                }
                self.put(" = ");
                self.expression(body);
            }
            ItemKind::Macro { name, parameters, body } => {
                self.head("macro", name);
                self.put("(");
                self.list(parameters, ", ", Self::name);
                self.put(")");
                return self.block(body);
            }
            ItemKind::Shared(variables) => {
                self.put("shared ");
                self.variables(variables);
            }
            ItemKind::Chan { name, range, capacity, network, fields } => {
                self.head("chan", name);
                if let Some(range) = range {
                    self.put("[");
                    self.range(range);
                    self.put("]");
                }
                self.put(": [");
                self.expression(capacity);
                self.put("]");
                self.put(if network.unordered { " unordered" } else { "" });
                self.put(if network.lossy { " lossy" } else { "" });
                self.put(if network.duplicating { " duplicating" } else { "" });
                self.put(" of ");
                self.list(fields, ", ", Self::kind);
            }
            ItemKind::Event(names) => {
                self.put("event ");
                self.list(names, ", ", Self::name);
            }
            ItemKind::Init(predicate) => {
                self.put("init ");
                self.expression(predicate);
            }
            ItemKind::Stuttering => self.put("stuttering"),
            ItemKind::Process(process) => return self.process(process),
            ItemKind::Fairness { name, fair } => {
                self.put("fairness ");
                if let Some(name) = name {
                    self.name(name);
                    self.put(": ");
                }
                self.fair(fair);
            }
            ItemKind::Invariant { .. } | ItemKind::Property { .. } | ItemKind::Never { .. } => {
                self.claim(item);
            }
        }
        self.put(";");
    }

    /// An invariant or a property, on one line if it fits.
    fn claim(&mut self, item: &ItemKind) {
        let start = self.text.len();
        self.claim_with(item, " ");
        if self.column() >= WIDTH {
            self.text.truncate(start);
            self.claim_with(item, "\n    ");
        }
    }

    fn claim_with(&mut self, item: &ItemKind, between: &str) {
        let (keyword, name, family, under, expect) = match item {
            ItemKind::Invariant { name, family, expect, .. } => ("invariant", name, family, &None, expect),
            ItemKind::Property { name, family, under, expect, .. }
            | ItemKind::Never { name, family, under, expect, .. } => {
                ("property", name, family, under, expect)
            }
            _ => return,
        };
        self.head(keyword, name);
        if !family.binders.is_empty() {
            self.put("[");
            self.list(&family.binders, ", ", |printer, binder| printer.binder(binder, ": "));
            self.put("]");
        }
        if let Some(condition) = &family.condition {
            self.put(" where ");
            self.expression(condition);
        }
        self.put(":");
        self.put(between);
        match item {
            ItemKind::Invariant { body, .. } | ItemKind::Property { body, .. } => self.expression(body),
            ItemKind::Never { file, propositions, .. } => self.automaton(file, propositions, between),
            _ => {}
        }
        if let Some(under) = under {
            self.put(between);
            self.put("under ");
            self.fair(under);
        }
        if let Some(expect) = expect {
            self.put(between);
            self.put("expect ");
            self.put(expect.name());
        }
    }

    fn automaton(&mut self, file: &Name, propositions: &[Proposition], between: &str) {
        self.put("never automaton ");
        self.quoted(&file.text);
        if !propositions.is_empty() {
            self.put(between);
            self.put("with ");
            self.list(propositions, ", ", |printer, Proposition { name, meaning }| {
                if is_name(&name.text) {
                    printer.name(name);
                } else {
                    printer.quoted(&name.text);
                }
                printer.put(" = ");
                printer.expression(meaning);
            });
        }
    }

    pub(super) fn quoted(&mut self, text: &str) {
        self.put("\"");
        self.put(text);
        self.put("\"");
    }

    pub(super) fn variables(&mut self, variables: &Variables) {
        self.list(&variables.names, ", ", Self::name);
        self.put(": ");
        self.kind(&variables.kind);
        match &variables.initial {
            None => {}
            Some(Initial::Value(value)) => {
                self.put(" = ");
                self.expression(value);
            }
            Some(Initial::Any(_)) => self.put(" = any"),
            Some(Initial::In(set)) => {
                self.put(" in ");
                self.set(set);
            }
        }
    }

    fn kind(&mut self, kind: &Type) {
        match kind {
            Type::Bool(_) => self.put("bool"),
            Type::Int(_) => self.put("int"),
            Type::Named(name) => self.name(name),
            Type::Range(range) => self.range(range),
            Type::Array(range, element) => {
                self.put("array[");
                self.range(range);
                self.put("] of ");
                self.kind(element);
            }
            Type::Set(element) => {
                self.put("set of ");
                self.kind(element);
            }
            Type::Seq(room, element) => {
                self.put("seq[");
                self.expression(room);
                self.put("] of ");
                self.kind(element);
            }
        }
    }

    pub(super) fn set(&mut self, set: &Set) {
        match set {
            Set::Listed(values, _) => {
                self.put("{");
                self.list(values, ", ", Self::expression);
                self.put("}");
            }
            Set::Range(range) => self.range(range),
            Set::Integers(_) => self.put("int"),
        }
    }
}
