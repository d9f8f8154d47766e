//! Macros and `for`: statements that stand for others.
//!
//! A macro is hygienic: its body sees the names of the whole file and its parameters, not the locals of the process that
//! calls it. A parameter stands for its argument, which may be a value, a variable, an array, a channel or a process; it is
//! found once, where it is written. The body is part of the step of the call. The cycles of macros that call
//! themselves are reported once, and such a call is not expanded.
//!
//! `for j in lo..hi { … }` stands for its block with every value of `j`, one after the other. Where the range depends on
//! the index of the process, each round is done if its value is in the range.

use model::expr::Operator;

use super::bounds::span_of;
use super::expressions::Typed;
use super::flow::blocks;
use super::names::{Global, Meaning, Scope};
use super::operators::{conjunction, strict};
use super::order::order;
use super::paths::Part;
use super::places::Reference;
use super::updates::{Exit, GUARD, VALUE};
use super::{Checker, Kind};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Binder, Block, Expr, Name, Span, Statement, StatementKind};

/// How often a `for` may repeat.
const REPETITIONS: u64 = 10_000;

/// `macro take(f) { … }`
pub(super) struct Macro<'a> {
    pub(super) name: &'a Name,
    pub(super) parameters: &'a [Name],
    pub(super) body: &'a Block,
}

impl<'a> Checker<'a> {
    /// Reports macros that call themselves, and lowers each once for the errors that do not depend on its use.
    pub(super) fn macros(&mut self) {
        let mut mentions = Vec::new();
        for own in &self.macros {
            let mut called = Vec::new();
            calls_in(&own.body.statements, &mut called);
            let known = called.into_iter().filter_map(|name| match self.names.get(name.text.as_str()) {
                Some((_, Global::Macro(number))) => Some(*number),
                _ => None,
            });
            mentions.push(known.collect::<Vec<_>>());
        }
        for cycle in order(&mentions).1 {
            let first = self.macros[cycle[0]].name;
            let message = format!("macro `{}` calls itself", first.text);
            let mut diagnostic = Diagnostic::error(first.span, message, "it would never end");
            for other in &cycle[1..] {
                diagnostic = diagnostic.related(self.macros[*other].name.span, "through this");
            }
            self.report(diagnostic);
        }
        for number in 0..self.macros.len() {
            let Macro { parameters, body, .. } = self.macros[number];
            let mut scope = Scope::file(GUARD);
            scope.hides_locals = true;
            for parameter in parameters {
                self.bind(&mut scope, parameter, Meaning::Refers(Reference::Unknown));
            }
            self.calls.push(number);
            self.block(&mut scope, &body.statements, Exit::Inside);
            self.calls.pop();
        }
    }

    /// `take(e, f);`
    pub(super) fn call(
        &mut self,
        scope: &mut Scope<'a>,
        name: &'a Name,
        arguments: &'a [Expr],
        span: Span,
    ) -> Vec<Part> {
        let found: Vec<Reference> =
            arguments.iter().map(|argument| self.reference(&mut scope.within(VALUE), argument)).collect();
        let Some(number) = self.macro_called(name) else { return vec![Part::unknown()] };
        let Macro { parameters, body, .. } = self.macros[number];
        if parameters.len() != arguments.len() {
            let what = format!("macro `{}`", name.text);
            self.wrong_count(span, &what, parameters.len(), "parameter", arguments.len());
            return vec![Part::unknown()];
        }
        let nodes = 1 + (body.span.end - body.span.start) / 4;
        if self.calls.contains(&number) || !self.copy(span, nodes) {
            return vec![Part::unknown()];
        }
        let mut inner = Scope { bound: Vec::new(), hides_locals: true, rank: usize::MAX, ..scope.clone() };
        for (parameter, argument) in parameters.iter().zip(found) {
            inner.bound.push((parameter, Meaning::Refers(argument)));
        }
        self.calls.push(number);
        self.uses.push(span);
        let parts = self.block(&mut inner, &body.statements, Exit::Inside);
        self.uses.pop();
        self.calls.pop();
        parts
    }

    fn macro_called(&mut self, name: &'a Name) -> Option<usize> {
        let text = name.text.as_str();
        match self.names.get(text) {
            Some((_, Global::Macro(number))) => return Some(*number),
            Some(&(first, _)) => {
                let message = format!("`{text}` is not a macro");
                let diagnostic = Diagnostic::error(name.span, message, "cannot be called as a statement");
                self.report(diagnostic.related(first, "declared here"));
            }
            None if self.unparsed_words.contains(text) => {}
            None => {
                let diagnostic =
                    Diagnostic::error(name.span, format!("unknown macro `{text}`"), "not declared");
                let known = self.macros.iter().map(|own| own.name.text.as_str());
                self.report(self.suggest(diagnostic, text, known));
            }
        }
        None
    }

    /// `for j in 1..N { … }`
    pub(super) fn for_values(
        &mut self,
        scope: &mut Scope<'a>,
        binder: &'a Binder,
        body: &'a Block,
    ) -> Vec<Part> {
        let span = span_of(&binder.range);
        let ranged = self.range(scope, &binder.range);
        let length =
            ranged.as_ref().map_or(0, |ranged| if ranged.is_empty() { 0 } else { ranged.values().length() });
        let problem = match &ranged {
            Some(ranged) if ranged.known().is_none() && self.is_open() => Some((
                "how often a `for` repeats must be known".to_owned(),
                "depends on a parameter".to_owned(),
            )),
            _ if length > REPETITIONS => Some((
                format!("a `for` that repeats {length} times is too long"),
                format!("at most {REPETITIONS} times"),
            )),
            _ => None,
        };
        let nodes = (1 + (body.span.end - body.span.start) as u64 / 4).saturating_mul(length);
        let (Some(ranged), None) = (&ranged, &problem) else {
            if let Some((message, label)) = problem {
                let ends = [&binder.range.lo, &binder.range.hi];
                let mut diagnostic = Diagnostic::error(span, message, label);
                if self.is_open() {
                    diagnostic = diagnostic.help("give the parameter a value with `--set`");
                }
                self.report_blaming(diagnostic, &ends);
            }
            self.bind(scope, &binder.name, Meaning::Value(Typed::unknown()));
            self.block(scope, &body.statements, Exit::Inside);
            scope.bound.pop();
            return vec![Part::unknown()];
        };
        if !self.copy(span, nodes as usize) {
            return vec![Part::unknown()];
        }
        let mut parts = Vec::new();
        let values = ranged.values();
        let ends =
            |expr: &model::Expr, range| Typed { expr: expr.clone(), kind: Kind::Int, range, total: true };
        for value in (values.lo..=values.hi).take(length as usize) {
            let own = Typed::literal(ranged.kind, value);
            let above = strict(Operator::Le, ends(&ranged.span.lo, ranged.lo), own.clone(), Kind::Bool);
            let below = strict(Operator::Le, own.clone(), ends(&ranged.span.hi, ranged.hi), Kind::Bool);
            let inside = conjunction(above, below);
            self.bind(scope, &binder.name, Meaning::Value(own));
            let round = self.block(scope, &body.statements, Exit::Inside);
            scope.bound.pop();
            if inside.is_always() {
                parts.extend(round);
            } else if !inside.is_never() {
                parts.push(Part::If(inside, round, Vec::new()));
            }
        }
        parts
    }
}

/// The calls in statements that are one step.
fn calls_in<'s>(statements: &'s [Statement], found: &mut Vec<&'s Name>) {
    for statement in statements {
        if let StatementKind::Call(name, _) = &statement.kind {
            found.push(name);
        }
        for block in blocks(statement) {
            calls_in(&block.statements, found);
        }
    }
}
