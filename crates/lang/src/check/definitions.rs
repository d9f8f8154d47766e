//! Constants, parameters and definitions as named expressions, and the expansion of definitions.
//!
//! A definition is a hygienic macro: its body sees the names of the whole file and its parameters, and its arguments
//! are lowered once, where they are written. So the same body may be rigid in one place, a state predicate in another
//! and a temporal formula in a third; it is lowered again at each use. Errors that do not depend on the arguments are
//! found by lowering the body once with arguments of unknown kind.
//!
//! The names are ranked by who mentions whom. A use that would close a cycle is not expanded; the cycle was reported
//! when the ranks were computed. [`COPIES`](super::COPIES) stops definitions that double at every level.

use super::arrays::Table;
use super::expressions::Typed;
use super::fold;
use super::interval::Interval;
use super::names::{Context, Global, Meaning, Scope};
use super::order::order;
use super::places::Reference;
use super::temporal::Logic;
use super::values::Value;
use super::{COPIES, Checker, Kind};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expr, ExprKind, Name, Span};
use crate::visit::visit;

/// A named expression.
pub(super) struct Named<'a> {
    pub(super) name: &'a Name,
    pub(super) kind: NamedKind<'a>,
    /// The value of a constant or parameter.
    pub(super) value: Typed,
    /// The elements of a constant that is an array.
    pub(super) table: Option<Table>,
    /// Its position in the order of mentions.
    pub(super) rank: usize,
    /// The temporal operators in it.
    pub(super) logic: Logic,
    /// The settings its value depends on, by position.
    pub(super) settings: Vec<usize>,
}

/// What kind of declaration it is.
#[derive(Clone, Copy)]
pub(super) enum NamedKind<'a> {
    /// `const N = e`
    Const(&'a Expr),
    /// `param N >= e`
    Param(&'a Expr),
    /// `define d(x, y) = e`
    Define(&'a [Name], &'a Expr),
}

impl<'a> Named<'a> {
    pub(super) fn new(name: &'a Name, kind: NamedKind<'a>) -> Named<'a> {
        let (rank, logic, settings) = (0, Logic::default(), Vec::new());
        Named { name, kind, value: Typed::unknown(), table: None, rank, logic, settings }
    }

    /// What it is called in messages.
    pub(super) fn noun(&self) -> &'static str {
        match self.kind {
            NamedKind::Const(_) => "constant",
            NamedKind::Param(_) => "parameter",
            NamedKind::Define(..) => "definition",
        }
    }

    fn body(&self) -> &'a Expr {
        match self.kind {
            NamedKind::Const(body) | NamedKind::Param(body) | NamedKind::Define(_, body) => body,
        }
    }
}

impl<'a> Checker<'a> {
    /// Ranks the named expressions, each above all it mentions, and returns them in that order.
    pub(super) fn rank(&mut self) -> Vec<usize> {
        let mentions: Vec<Vec<usize>> = self.named.iter().map(|named| self.mentions(named.body())).collect();
        let (sorted, cycles) = order(&mentions);
        for cycle in cycles {
            let first = &self.named[cycle[0]];
            let message = format!("{} `{}` is defined in terms of itself", first.noun(), first.name.text);
            let mut diagnostic = Diagnostic::error(first.name.span, message, "needs its own value");
            for other in &cycle[1..] {
                diagnostic = diagnostic.related(self.named[*other].name.span, "through this");
            }
            self.report(diagnostic);
        }
        for (rank, number) in sorted.iter().enumerate() {
            self.named[*number].rank = rank;
            let mut settings = self.named[*number].settings.clone();
            for mentioned in &mentions[*number] {
                settings.extend_from_slice(&self.named[*mentioned].settings);
            }
            settings.sort_unstable();
            settings.dedup();
            let scope = Scope { rank, ..Scope::file(Context::rigid("a constant")) };
            self.named[*number].logic = self.logic(&scope, self.named[*number].body());
            self.named[*number].settings = settings;
        }
        sorted
    }

    /// The named expressions that an expression mentions.
    pub(super) fn mentions(&self, expr: &Expr) -> Vec<usize> {
        let mut found = Vec::new();
        visit(expr, &mut |part| {
            let name = match &part.kind {
                ExprKind::Name(text) => text,
                ExprKind::Call(name, _) => &name.text,
                _ => return,
            };
            if let Some((_, Global::Named(number))) = self.names.get(name.as_str()) {
                found.push(*number);
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Lowers every definition once, for the errors that do not depend on its use.
    pub(super) fn definitions(&mut self) {
        for number in 0..self.named.len() {
            let NamedKind::Define(parameters, body) = self.named[number].kind else { continue };
            let mut scope = Scope::file(Context::of_steps("a definition"));
            scope.rank = self.named[number].rank;
            for parameter in parameters {
                self.bind(&mut scope, parameter, Meaning::Value(Typed::unknown()));
            }
            if self.named[number].logic.is_temporal() {
                self.temporal(&mut scope, body);
            } else {
                self.value(&mut scope, body, None);
            }
        }
    }

    /// Lowers the body of a definition with these arguments, using `lower`.
    ///
    /// Arguments may be temporal if the whole may be. `None` if there is an error and nothing to expand.
    pub(super) fn expand<T>(
        &mut self,
        scope: &mut Scope<'a>,
        number: usize,
        arguments: &'a [Expr],
        span: Span,
        lower: impl FnOnce(&mut Self, &mut Scope<'a>, &'a Expr) -> T,
        temporal: bool,
    ) -> Option<T> {
        let named = &self.named[number];
        let NamedKind::Define(parameters, body) = named.kind else {
            let (noun, name) = (named.noun(), named.name);
            let message = format!("{noun} `{}` takes no arguments", name.text);
            let diagnostic = Diagnostic::error(span, message, format!("a {noun}"));
            self.report(diagnostic.related(name.span, "declared here"));
            return None;
        };
        let (name, rank) = (named.name, named.rank);
        let mut inner = Scope { rank, ..Scope::file(scope.context) };
        for (at, argument) in arguments.iter().enumerate() {
            let meaning = if temporal && self.logic(scope, argument).is_temporal() {
                Meaning::Temporal(self.temporal(scope, argument))
            } else {
                self.argument(scope, argument)
            };
            if let Some(parameter) = parameters.get(at) {
                inner.bound.push((parameter, meaning));
            }
        }
        if arguments.len() != parameters.len() {
            let message = format!(
                "`{}` takes {}, not {}",
                name.text,
                count(parameters.len(), "argument"),
                arguments.len()
            );
            let diagnostic = Diagnostic::error(span, message, "wrong number of arguments");
            self.report(diagnostic.related(name.span, "defined here"));
            return None;
        }
        if rank >= scope.rank || self.copies > COPIES {
            return None;
        }
        self.uses.push(span);
        let result = lower(self, &mut inner, body);
        self.uses.pop();
        Some(result)
    }

    /// The meaning of an argument: a value, or something with parts.
    fn argument(&mut self, scope: &mut Scope<'a>, argument: &'a Expr) -> Meaning {
        let reads = matches!(argument.kind, ExprKind::Name(_) | ExprKind::Item(..) | ExprKind::Field(..));
        let value = if reads {
            match self.reference(scope, argument) {
                reference @ (Reference::Stored(_)
                | Reference::Table { .. }
                | Reference::Process { .. }
                | Reference::Channel { .. }) => return Meaning::Refers(reference),
                reference => self.value_of(reference, argument),
            }
        } else {
            self.value(scope, argument, None)
        };
        match value {
            Value::One(typed) => Meaning::Value(typed),
            Value::Unknown => Meaning::Value(Typed::unknown()),
            whole => Meaning::Refers(Reference::Whole(whole)),
        }
    }

    /// Counts nodes written by a definition or a repeated operand; false if there are too many.
    pub(super) fn copy(&mut self, span: Span, nodes: usize) -> bool {
        if self.copies > COPIES {
            return false;
        }
        self.copies += nodes;
        if self.copies > COPIES {
            self.error_at_use(span, format!("this expands to more than {COPIES} parts"), "too large");
            return false;
        }
        true
    }

    /// Reports an error at the use of the outermost definition; outside of definitions, at `span`.
    pub(super) fn error_at_use(&mut self, span: Span, message: String, label: &str) {
        let uses = std::mem::take(&mut self.uses);
        self.error(uses.first().copied().unwrap_or(span), message, label);
        self.uses = uses;
    }

    /// The value of a bound name, copied into the body of a definition.
    pub(super) fn bound_value(&mut self, span: Span, value: &Typed) -> Typed {
        if self.uses.is_empty() || self.copy(span, fold::size(&value.expr)) {
            value.clone()
        } else {
            Typed::unknown()
        }
    }
}

/// `1 argument`, `2 arguments`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

impl Typed {
    /// The result for an expression with an error.
    pub(super) fn unknown() -> Typed {
        Typed { expr: model::Expr::Bool(false), kind: Kind::Unknown, range: Interval::ALL, total: true }
    }
}
