//! Choices inside a step: the values of `choose`.
//!
//! The values of `choose v in int where e` cannot be listed. The guard requires that there is a value by eliminating it
//! from the condition, which must be linear.
//!
//! A listed set becomes the span from its least to its greatest element, with a membership condition. So the block is
//! written once, however many elements there are.

use model::expr::{Operator, Span as Values};
use model::system::Scalar;
use model::{Binder, Expr, Instance};

use super::expressions::Typed;
use super::interval::Interval;
use super::names::{Context, Meaning, Scope};
use super::operators::strict;
use super::paths::{Choice, Part, as_number};
use super::updates::{Exit, GUARD};
use super::{Checker, Kind, fold};
use crate::syntax::{Expr as Source, Name, Set, Span, Statement, StatementKind};

/// The value of a `choose`.
struct Chosen {
    binder: Binder,
    /// The condition that a value of the span is in the set that was written.
    member: Typed,
    /// Whether the set is known not to be empty.
    inhabited: bool,
    /// The chosen value.
    value: Typed,
}

impl<'a> Checker<'a> {
    /// `choose v in S where e { … }`
    pub(super) fn choose(&mut self, scope: &mut Scope<'a>, statement: &'a Statement, exit: Exit) -> Part {
        let StatementKind::Choose { name, set, condition, body } = &statement.kind else {
            return Part::unknown();
        };
        let iterations = self.iterations;
        let chosen = match set {
            Set::Range(range) if self.is_set(scope, range) => {
                let found = self.member_index(&mut scope.within(GUARD), &name.text, range);
                found.map(|(binder, _, member, value)| Chosen { binder, member, inhabited: false, value })
            }
            Set::Range(range) => {
                let ranged = self.finite_range(scope, range);
                ranged.map(|ranged| {
                    let mut chosen =
                        self.chosen(name, ranged.span.clone(), ranged.values(), ranged.is_inhabited());
                    self.system.indices[chosen.binder.index.0 as usize].scalar = ranged.scalar();
                    chosen.value.kind = ranged.kind;
                    chosen
                })
            }
            Set::Listed(values, span) => self.listed(scope, name, values, *span),
            Set::Integers(_) => Some(self.chosen(name, Values::integers(), Interval::ALL, true)),
        };
        let value = chosen.as_ref().map_or_else(Typed::unknown, |chosen| chosen.value.clone());
        self.bind(scope, name, Meaning::Value(value));
        let admissible = match condition {
            Some(condition) => self.condition(&mut scope.within(GUARD), condition),
            None => Typed::literal(Kind::Bool, 1),
        };
        let reached = !admissible.is_never();
        let body = self.if_reached(reached, |checker| checker.block(scope, &body.statements, exit));
        scope.bound.pop();
        self.iterations = iterations;
        let Some(Chosen { binder, member, inhabited, .. }) = chosen else { return Part::unknown() };
        Part::Choose(Choice { binder, member, inhabited, admissible, body, span: name.span })
    }

    /// A choice from a span.
    fn chosen(&mut self, name: &Name, span: Values, range: Interval, inhabited: bool) -> Chosen {
        let scalar = if span.is_endless() { Scalar::Int } else { Scalar::Range(span.clone()) };
        let index = self.fresh(&name.text, scalar);
        let value = Typed { expr: Expr::Index(index), kind: Kind::Int, range, total: true };
        Chosen { binder: Binder { index, span }, member: Typed::literal(Kind::Bool, 1), inhabited, value }
    }

    /// A choice from a listed set.
    fn listed(&mut self, scope: &Scope<'a>, name: &Name, values: &'a [Source], span: Span) -> Option<Chosen> {
        let mut scope = scope.within(Context::rigid("a value to choose"));
        let mut kind = Kind::Unknown;
        let mut elements = Vec::new();
        for value in values {
            let typed = self.of_kind(&mut scope, value, kind);
            let typed = self.evaluate(typed, value.span);
            if kind == Kind::Unknown {
                kind = typed.kind;
            }
            elements.push(typed);
        }
        let Some(range) = elements.iter().map(|element| element.range).reduce(Interval::hull) else {
            self.error(span, "there is nothing to choose from", "an empty set");
            return None;
        };
        if elements.iter().any(Typed::is_unknown) {
            return None;
        }
        if range.length() > Instance::LIMIT as u64 && !self.is_open() {
            self.error(
                span,
                "the values to choose from lie too far apart",
                format!("from {} to {}", range.lo, range.hi),
            );
            return None;
        }
        let numbers: Vec<Expr> = elements.iter().map(|element| as_number(element.clone())).collect();
        let lo = Box::new(fold::extreme(true, numbers.clone()));
        let hi = Box::new(fold::extreme(false, numbers.clone()));
        let mut chosen = self.chosen(name, Values { lo, hi }, range, true);
        let index = chosen.value.expr.clone();
        chosen.member =
            Typed::truth(fold::or(numbers.into_iter().map(|number| Expr::eq(index.clone(), number))));
        self.system.indices[chosen.binder.index.0 as usize].scalar = match kind {
            Kind::Bool => Scalar::Bool,
            Kind::Enum(id) => Scalar::Enum(id),
            Kind::Int | Kind::Unknown => Scalar::Range(chosen.binder.span.clone()),
        };
        chosen.value = match kind {
            // An index is a number. It is compared with 0 where a truth value is needed.
            Kind::Bool => strict(Operator::Ne, chosen.value, Typed::literal(Kind::Int, 0), Kind::Bool),
            kind => Typed { kind, ..chosen.value },
        };
        Some(chosen)
    }
}
