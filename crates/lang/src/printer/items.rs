//! Declarations, each on one line but for processes and for properties that are too long.

use super::{Printer, WIDTH};
use crate::syntax::{Expect, Initial, ItemKind, Set, Type, Variables};

impl Printer {
    pub(super) fn item(&mut self, item: &ItemKind) {
        match item {
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
            ItemKind::Shared(variables) => {
                self.put("shared ");
                self.variables(variables);
            }
            ItemKind::Chan { name, range, capacity, fields } => {
                self.head("chan", name);
                if let Some(range) = range {
                    self.put("[");
                    self.range(range);
                    self.put("]");
                }
                self.put(": [");
                self.expression(capacity);
                self.put("] of ");
                self.list(fields, ", ", Self::kind);
            }
            ItemKind::Init(predicate) => {
                self.put("init ");
                self.expression(predicate);
            }
            ItemKind::Process(process) => return self.process(process),
            ItemKind::Fairness { name, fair } => {
                self.put("fairness ");
                if let Some(name) = name {
                    self.name(name);
                    self.put(": ");
                }
                self.fair(fair);
            }
            ItemKind::Invariant { .. } | ItemKind::Property { .. } => self.claim(item),
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
        let (keyword, name, family, body, under, expect) = match item {
            ItemKind::Invariant { name, family, body, expect } => {
                ("invariant", name, family, body, &None, expect)
            }
            ItemKind::Property { name, family, body, under, expect } => {
                ("property", name, family, body, under, expect)
            }
            _ => return,
        };
        self.head(keyword, name);
        self.family(family.as_ref());
        self.put(":");
        self.put(between);
        self.expression(body);
        if let Some(under) = under {
            self.put(between);
            self.put("under ");
            self.fair(under);
        }
        if let Some(expect) = expect {
            self.put(between);
            self.put(match expect {
                Expect::Holds => "expect holds",
                Expect::Fails => "expect fails",
            });
        }
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
            Some(Initial::Elements(elements, _)) => {
                self.put(" = [");
                self.list(elements, ", ", Self::expression);
                self.put("]");
            }
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
        }
    }
}
