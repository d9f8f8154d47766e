//! The values of constants and parameters, and what `--set` does to them.
//!
//! A constant is evaluated after the constants it mentions; `--set` replaces its value. A parameter with a value is a
//! constant. A parameter without one stays open, and a constant that mentions it is an expression over it.

use std::fmt;

use model::instance::Environment;
use model::{Expr, semantics};

use super::definitions::NamedKind;
use super::expressions::Typed;
use super::fold;
use super::interval::Interval;
use super::names::{Context, Global, Scope};
use super::values::Value;
use super::{Checker, Kind};
use crate::diagnostic::{Diagnostic, nearest};
use crate::syntax::{self, Span};

/// A value given on the command line.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    name: String,
    text: String,
    kind: Kind,
    value: i64,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--set {}={}", self.name, self.text)
    }
}

impl<'a> Checker<'a> {
    /// Evaluates all constants and parameters.
    pub(super) fn constants(&mut self, settings: &[(String, String)]) {
        for (name, text) in settings {
            self.setting(name, text);
        }
        for number in 0..self.settings.len() {
            if let Some((_, Global::Named(named))) = self.names.get(self.settings[number].name.as_str()) {
                self.named[*named].settings.push(number);
            }
        }
        for number in self.rank() {
            match self.named[number].kind {
                NamedKind::Const(value) => self.constant(number, value),
                NamedKind::Param(least) => self.open_parameter(number, least),
                NamedKind::Define(..) => {}
            }
        }
    }

    /// The constants and parameters that have one value, as the user writes them.
    pub(super) fn values(&self) -> Vec<(String, String)> {
        let constants = self.named.iter().filter(|named| !matches!(named.kind, NamedKind::Define(..)));
        let known = constants.filter(|named| named.table.is_none() && !named.value.is_unknown());
        let one = known.filter_map(|named| Some((named, named.value.range.only()?)));
        one.map(|(named, value)| (named.name.text.clone(), self.value_name(named.value.kind, value)))
            .collect()
    }

    /// Reads a setting; reports it if it is not valid.
    fn setting(&mut self, name: &str, text: &str) {
        let given = format!("`--set {name}={text}`");
        let (kind, value) = match (text, text.parse::<i64>()) {
            ("true", _) => (Kind::Bool, 1),
            ("false", _) => (Kind::Bool, 0),
            (_, Ok(value)) => (Kind::Int, value),
            (_, Err(error)) => {
                let why = match error.kind() {
                    std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                        "the number does not fit in 64 bits"
                    }
                    _ => "a value is an integer, `true` or `false`",
                };
                self.report(Diagnostic::outside(format!("{given}: {why}")));
                return;
            }
        };
        let problem = match self.names.get(name) {
            Some(&(_, Global::Named(number))) => match self.named[number].kind {
                NamedKind::Define(..) => Some("a definition"),
                NamedKind::Const(_) | NamedKind::Param(_) => None,
            },
            Some((_, Global::Enum(_) | Global::Record(_))) => Some("a type"),
            Some((_, Global::Member(..))) => Some("a member of an enum"),
            Some((_, Global::Shared(_))) => Some("a variable"),
            Some((_, Global::Channel(_))) => Some("a channel"),
            Some((_, Global::Event(_))) => Some("an event"),
            Some((_, Global::Family(_))) => Some("a process"),
            Some((_, Global::Macro(_))) => Some("a macro"),
            None if self.unparsed_words.contains(name) => return,
            None => {
                let message = format!("{given}: there is no constant or parameter `{name}`");
                self.report(Diagnostic::outside(message).help(self.settable(name)));
                return;
            }
        };
        if let Some(what) = problem {
            let message =
                format!("{given}: `{name}` is {what}, and only constants and parameters can be set");
            self.report(Diagnostic::outside(message).help(self.settable("")));
        } else if self.settings.iter().any(|setting| setting.name == name) {
            self.report(Diagnostic::outside(format!("{given}: `{name}` is set twice")));
        } else {
            self.settings.push(Setting { name: name.to_owned(), text: text.to_owned(), kind, value });
        }
    }

    /// What can be set, and which name may have been meant.
    fn settable(&self, name: &str) -> String {
        let names: Vec<&str> = self
            .named
            .iter()
            .filter(|named| !matches!(named.kind, NamedKind::Define(..)))
            .map(|named| named.name.text.as_str())
            .collect();
        let list = match names.as_slice() {
            [] => "the file declares nothing that can be set".to_owned(),
            [only] => format!("only `{only}` can be set"),
            [first @ .., last] => format!("`{}` and `{last}` can be set", first.join("`, `")),
        };
        match nearest(name, names) {
            Some(near) => format!("did you mean `{near}`? {list}"),
            None => list,
        }
    }

    /// The value of a constant: that of a setting of the same kind, or else its own.
    fn constant(&mut self, number: usize, value: &'a syntax::Expr) {
        if Self::is_array(value) {
            if let Some(setting) = self.setting_of(number) {
                let message = format!("`{setting}`: constant `{}` is an array", setting.name);
                self.error(value.span, message, "an array");
            }
            self.named[number].table = self.table(number, value);
            return;
        }
        let mut scope = Scope::file(Context::rigid("a constant"));
        scope.rank = self.named[number].rank;
        let lowered = match self.value(&mut scope, value, None) {
            Value::One(typed) => typed,
            Value::Unknown => Typed::unknown(),
            Value::Array(..) => self.expression(&mut scope, value),
            whole => {
                let found = self.value_kind(&whole);
                self.not_constant(number, value.span, &found);
                Typed::unknown()
            }
        };
        let own = self.evaluate(lowered, value.span);
        self.named[number].value = match self.setting_of(number) {
            Some(setting) if own.kind == Kind::Unknown || own.kind == setting.kind => {
                Typed::literal(setting.kind, setting.value)
            }
            Some(setting) => {
                let kind = self.kind_name(own.kind);
                let message = format!("`{setting}`: constant `{}` is {kind}", setting.name);
                self.error(value.span, message, kind);
                own
            }
            None => own,
        };
    }

    /// Reports a value with parts that is given to a constant.
    pub(super) fn not_constant(&mut self, number: usize, span: Span, found: &str) {
        let name = self.named[number].name;
        let message = "a constant is one value or a table of single values";
        let diagnostic = Diagnostic::error(span, message, format!("this is {found}"));
        self.report(diagnostic.help(format!("write `define {} = …;`", name.text)));
    }

    /// The value of a parameter: that of its setting, if there is one.
    fn open_parameter(&mut self, number: usize, least: &'a syntax::Expr) {
        let mut scope = Scope::file(Context::rigid("a bound"));
        scope.rank = self.named[number].rank;
        let lowered = self.number(&mut scope, least);
        let bound = self.evaluate(lowered, least.span);
        if bound.kind == Kind::Unknown {
            return;
        }
        let Some(bound) = fold::constant(&bound.expr) else {
            self.error(
                least.span,
                "the bound of a parameter is a known number",
                "depends on another parameter",
            );
            return;
        };
        let name = &self.named[number].name.text;
        self.named[number].value = match self.setting_of(number) {
            None => {
                let range = Interval::new(bound, i64::MAX);
                let id = self.parameter(name, bound);
                Typed { expr: Expr::Parameter(id), kind: Kind::Int, range, total: true }
            }
            Some(setting) if setting.kind != Kind::Int => {
                self.error(least.span, format!("`{setting}`: parameter `{name}` is a number"), "a number");
                return;
            }
            Some(setting) if setting.value < bound => {
                let message = format!("`{setting}`: parameter `{name}` is at least {bound}");
                self.error(least.span, message, "the least value");
                return;
            }
            Some(setting) => Typed::literal(Kind::Int, setting.value),
        };
    }

    fn setting_of(&self, number: usize) -> Option<Setting> {
        let name = &self.named[number].name.text;
        self.settings.iter().find(|setting| setting.name == *name).cloned()
    }

    /// Reports an error in a value that depends on these expressions. If the value comes from settings, the message
    /// names them. Each combination of settings is reported only once, because all ranges that it makes empty or too
    /// large have the same cause.
    pub(super) fn report_blaming(&mut self, mut diagnostic: Diagnostic, exprs: &[&syntax::Expr]) {
        let mut settings: Vec<usize> = exprs
            .iter()
            .flat_map(|expr| self.mentions(expr))
            .flat_map(|number| self.named[number].settings.iter().copied())
            .collect();
        settings.sort_unstable();
        settings.dedup();
        if !settings.is_empty() {
            let given: Vec<String> =
                settings.iter().map(|number| format!("`{}`", self.settings[*number])).collect();
            diagnostic = diagnostic.help(format!("this comes from {}", given.join(" and ")));
            if !self.reported_settings.insert(settings) {
                return;
            }
        }
        self.report(diagnostic);
    }

    /// Evaluates a rigid expression that mentions neither indices nor open parameters.
    pub(super) fn evaluate(&mut self, typed: Typed, span: Span) -> Typed {
        if typed.kind == Kind::Unknown || fold::constant(&typed.expr).is_some() || !is_closed(&typed.expr) {
            return typed;
        }
        match semantics::rigid(&typed.expr, &mut Environment::default()) {
            Ok(value) => Typed::literal(typed.kind, value),
            Err(fault) => {
                self.error(span, format!("this has no value: {fault}"), "cannot be computed");
                Typed::unknown()
            }
        }
    }
}

/// Whether an expression has a fixed value: it has no variables, parameters or free indices.
fn is_closed(expr: &Expr) -> bool {
    let mut bound = Vec::new();
    let open = expr.any(&mut |part| {
        match part {
            Expr::Quantified(_, binder, _) => bound.push(binder.index),
            Expr::Index(index) => return !bound.contains(index),
            Expr::Parameter(_) | Expr::Read(_) | Expr::Taken(_) | Expr::Enabled(_) => return true,
            _ => {}
        }
        false
    });
    !open
}
