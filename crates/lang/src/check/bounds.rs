//! Ranges that quantifiers, indices and choices go through, and the names bound to them. The ranges of variables are types
//! and stand in `types`.
//!
//! The ends of a range are rigid, so a range has the same values in every state and an engine can unroll it beforehand.
//! An end that might have no value (it divides by something that can be zero) is an error, because there is no state in
//! which it could be a fault.

use model::expr::{Operator, Span as Values};
use model::system::Scalar;
use model::{Binder, Expr, Instance, Quantifier};

use super::expressions::Typed;
use super::interval::Interval;
use super::names::{Context, Global, Meaning, Scope};
use super::operators::{conjunction, strict};
use super::shapes::Shape;
use super::{Checker, Dimension, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, ExprKind, Range, Span};

/// Limit on the values that the quantifiers of a constant, or of the end of a range, go through together.
const ITERATIONS: u64 = 1000;

/// A range with rigid ends.
#[derive(Clone, Debug)]
pub(super) struct Ranged {
    pub(super) span: Values,
    /// What its least value can be.
    pub(super) lo: Interval,
    /// What its greatest value can be.
    pub(super) hi: Interval,
    /// What its values are: numbers, or all members of an enum.
    pub(super) kind: Kind,
}

impl Ranged {
    /// An interval with all its values.
    pub(super) fn values(&self) -> Interval {
        Interval::between(self.lo, self.hi)
    }

    /// Its values as the indices of something.
    pub(super) fn dimension(&self) -> Dimension {
        Dimension { values: self.values(), kind: self.kind }
    }

    /// The type of its values.
    pub(super) fn scalar(&self) -> Scalar {
        match self.kind {
            Kind::Enum(id) => Scalar::Enum(id),
            _ => Scalar::Range(self.span.clone()),
        }
    }

    /// Whether it is empty for all indices and parameters.
    pub(super) fn is_empty(&self) -> bool {
        self.hi.hi < self.lo.lo
    }

    /// Whether it is never empty, for all indices and parameters.
    pub(super) fn is_inhabited(&self) -> bool {
        self.lo.hi <= self.hi.lo
    }

    /// Its ends, if they are known.
    pub(super) fn known(&self) -> Option<(i64, i64)> {
        Some((self.lo.only()?, self.hi.only()?))
    }

    /// The number of its values, if that is known.
    pub(super) fn length(&self) -> Option<u64> {
        self.known().map(|(lo, hi)| if hi < lo { 0 } else { Interval::new(lo, hi).length() })
    }
}

/// Where a range stands in the source.
pub(super) fn span_of(range: &Range) -> Span {
    range.lo.span.to(range.hi.span)
}

impl<'a> Checker<'a> {
    /// Lowers a range; `None` if there is an error in it.
    pub(super) fn range(&mut self, scope: &Scope<'a>, range: &'a Range) -> Option<Ranged> {
        if range.named {
            return self.members(scope, range);
        }
        // The whole range of a type is rigid, and so is the range of a quantifier in a guard.
        let what = if scope.context.reads { "a range" } else { scope.context.what };
        let mut scope = scope.within(Context::rigid(what));
        let lo = self.number(&mut scope, &range.lo);
        let hi = self.number(&mut scope, &range.hi);
        let lo = self.evaluate(lo, range.lo.span);
        let hi = self.evaluate(hi, range.hi.span);
        if lo.is_unknown() || hi.is_unknown() {
            return None;
        }
        if !(self.is_open() || lo.total && hi.total) {
            let message = "for some index the end of this range has no value";
            self.error(span_of(range), message, "may divide by zero or leave 64 bits");
            return None;
        }
        let span = Values { lo: Box::new(lo.expr), hi: Box::new(hi.expr) };
        Some(Ranged { span, lo: lo.range, hi: hi.range, kind: Kind::Int })
    }

    /// All members of an enum, as a range of their positions.
    fn members(&mut self, scope: &Scope<'a>, range: &'a Range) -> Option<Ranged> {
        let (text, span) = (self.written(range.lo.span), range.lo.span);
        if let ExprKind::Name(name) = &range.lo.kind
            && let Some(&(_, Global::Enum(id))) = self.names.get(name.as_str())
        {
            let last = self.system.enumeration(id).members.len() as i64 - 1;
            let (lo, hi) = (Interval::exactly(0), Interval::exactly(last));
            return Some(Ranged { span: Values::between(0, last), lo, hi, kind: Kind::Enum(id) });
        }
        if self.unparsed_words.contains(text) {
            return None;
        }
        let bound = scope.bound.iter().any(|(name, _)| name.text == text);
        let diagnostic =
            Diagnostic::error(span, format!("`{text}` is not a range"), "expected `lo..hi` or an enum");
        let diagnostic = if let Some(Shape::Set(_, own)) = self.shape_at(scope, &range.lo) {
            let all = match own.kind {
                Kind::Enum(id) => self.system.enumeration(id).name.clone(),
                kind => [own.values.lo, own.values.hi].map(|value| self.value_name(kind, value)).join(".."),
            };
            diagnostic.help(format!("go through its type, `{all}`, and test each value with `in {text}`"))
        } else if bound || self.names.contains_key(text) {
            diagnostic.help(format!("write `1..{text}` or `0..{text}` for a range of numbers"))
        } else {
            self.suggest(diagnostic, text, self.system.enums.iter().map(|kind| kind.name.as_str()))
        };
        self.report(diagnostic);
        None
    }

    /// A range that is gone through one by one, so it must not be too long.
    pub(super) fn finite_range(&mut self, scope: &Scope<'a>, range: &'a Range) -> Option<Ranged> {
        let ranged = self.range(scope, range)?;
        self.go_through(scope, range, &ranged)?;
        Some(ranged)
    }

    /// Counts the values of a range that is gone through one by one; `None` if there are too many.
    pub(super) fn go_through(&mut self, scope: &Scope<'a>, range: &'a Range, ranged: &Ranged) -> Option<()> {
        let length = if ranged.is_empty() { 0 } else { ranged.values().length() };
        if length > Instance::LIMIT as u64 && !self.is_open() {
            self.too_many(
                range,
                format!("this range has {length} values, but at most {} are allowed", Instance::LIMIT),
            );
            return None;
        }
        self.iterations = self.iterations.saturating_mul(length.max(1));
        if self.iterations > Instance::LIMIT as u64 && !self.is_open() {
            let message = format!(
                "with the ranges around it this one has {} combinations, but at most {} are allowed",
                self.iterations,
                Instance::LIMIT
            );
            self.too_many(range, message);
            return None;
        }
        if !scope.context.reads && self.iterations > ITERATIONS {
            let message = format!("{} may go through at most {ITERATIONS} values", scope.context.what);
            self.too_many(range, message);
            return None;
        }
        if !scope.context.reads && !self.copy(span_of(range), self.iterations as usize) {
            return None;
        }
        Some(())
    }

    fn too_many(&mut self, range: &'a Range, message: String) {
        let diagnostic = Diagnostic::error(span_of(range), message, "too many values");
        self.report_blaming(diagnostic, &[&range.lo, &range.hi]);
    }

    /// Binds a name to the values of a range. The name is bound even if the range has an error; the caller
    /// pops it from the scope.
    pub(super) fn binder(
        &mut self,
        scope: &mut Scope<'a>,
        binder: &'a syntax::Binder,
    ) -> Option<(Binder, Ranged)> {
        let ranged = self.finite_range(scope, &binder.range);
        let bound = ranged.map(|ranged| {
            let index = self.fresh(&binder.name.text, ranged.scalar());
            (Binder { index, span: ranged.span.clone() }, ranged)
        });
        let meaning = bound.as_ref().map_or_else(Typed::unknown, |(binder, ranged)| Typed {
            expr: Expr::Index(binder.index),
            kind: ranged.kind,
            range: ranged.values(),
            total: true,
        });
        self.bind(scope, &binder.name, Meaning::Value(meaning));
        bound
    }

    /// `forall j in r: e` and its like.
    pub(super) fn quantified(
        &mut self,
        scope: &mut Scope<'a>,
        quantifier: syntax::Quantifier,
        binder: &'a syntax::Binder,
        body: &'a syntax::Expr,
    ) -> Typed {
        if let Some(channel) = self.channel_in(scope, &binder.range) {
            return self.over_messages(scope, quantifier, binder, channel, body);
        }
        let iterations = self.iterations;
        let (bound, member) = if self.is_set(scope, &binder.range) {
            let bound = self.member_binder(scope, binder);
            let member = bound.as_ref().map(|(_, _, member)| member.clone());
            (bound.map(|(binder, ranged, _)| (binder, ranged)), member)
        } else {
            (self.binder(scope, binder), None)
        };
        let kind = match quantifier {
            syntax::Quantifier::Forall | syntax::Quantifier::Exists | syntax::Quantifier::Count => Kind::Bool,
            syntax::Quantifier::Sum | syntax::Quantifier::Min | syntax::Quantifier::Max => Kind::Int,
        };
        let reached = bound.as_ref().is_none_or(|(_, ranged)| !ranged.is_empty());
        let body = self.if_reached(reached, |checker| checker.of_kind(scope, body, kind));
        scope.bound.pop();
        self.iterations = iterations;
        let Some((binder, ranged)) = bound else { return Typed::unknown() };
        if body.is_unknown() {
            return body;
        }
        let (quantifier, kind) = match quantifier {
            syntax::Quantifier::Forall => (Quantifier::Forall, Kind::Bool),
            syntax::Quantifier::Exists => (Quantifier::Exists, Kind::Bool),
            syntax::Quantifier::Count => (Quantifier::Count, Kind::Int),
            syntax::Quantifier::Sum => (Quantifier::Sum, Kind::Int),
            syntax::Quantifier::Min => (Quantifier::Min, Kind::Int),
            syntax::Quantifier::Max => (Quantifier::Max, Kind::Int),
        };
        if let Some(member) = member {
            return self.over_members(quantifier, binder, &ranged, member, body);
        }
        let (range, total) = quantified_range(quantifier, &ranged, &body);
        let expr = Expr::Quantified(quantifier, binder, Box::new(body.expr));
        Typed { expr, kind, range, total: total && body.total }
    }

    /// A quantifier over the members of a set, which is one over all values that may be members.
    fn over_members(
        &mut self,
        quantifier: Quantifier,
        binder: Binder,
        ranged: &Ranged,
        member: Typed,
        body: Typed,
    ) -> Typed {
        let quantified = |binder: Binder, body: Expr| Expr::Quantified(quantifier, binder, Box::new(body));
        let most = if ranged.is_empty() { 0 } else { ranged.values().length() };
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        match quantifier {
            Quantifier::Forall => {
                let inside = strict(Operator::Implies, member, body, Kind::Bool);
                let range = if inside.is_always() { Interval::TRUE } else { Interval::TRUTH };
                let expr = quantified(binder, inside.expr);
                Typed { expr, kind: Kind::Bool, range, total: false }
            }
            Quantifier::Exists | Quantifier::Count => {
                let inside = conjunction(member, body);
                let never = inside.is_never();
                let expr = quantified(binder, inside.expr);
                let (kind, range) = match quantifier {
                    Quantifier::Count => (Kind::Int, Interval::new(0, if never { 0 } else { most })),
                    _ if never => (Kind::Bool, Interval::FALSE),
                    _ => (Kind::Bool, Interval::TRUTH),
                };
                Typed { expr, kind, range, total: false }
            }
            Quantifier::Sum => {
                let (range, _) = Interval::new(0, most).binary(Operator::Mul, body.range);
                let expr = quantified(binder, fold::choice(member.expr, body.expr, Expr::Int(0)));
                Typed { expr, kind: Kind::Int, range: range.hull(Interval::exactly(0)), total: false }
            }
            Quantifier::Min | Quantifier::Max => {
                // Values that are no members count as the worst. Without members it is a fault, as over an empty range.
                let worst = if quantifier == Quantifier::Min { body.range.hi } else { body.range.lo };
                let some =
                    Expr::Quantified(Quantifier::Exists, binder.clone(), Box::new(member.expr.clone()));
                let best = quantified(binder, fold::choice(member.expr, body.expr, Expr::Int(worst)));
                let word = if quantifier == Quantifier::Min { "min" } else { "max" };
                let nothing = self.no_value(Kind::Int, format!("`{word}` over a set that is empty"));
                let expr = fold::choice(some, best, nothing);
                Typed { expr, kind: Kind::Int, range: body.range, total: false }
            }
        }
    }
}

/// The interval of a quantifier, and whether evaluation surely succeeds if that of its body does.
fn quantified_range(quantifier: Quantifier, ranged: &Ranged, body: &Typed) -> (Interval, bool) {
    let most =
        if ranged.is_empty() { 0 } else { i64::try_from(ranged.values().length()).unwrap_or(i64::MAX) };
    let least = ranged.length().map_or(0, |length| i64::try_from(length).unwrap_or(i64::MAX));
    let lengths = Interval::new(least, most);
    match quantifier {
        Quantifier::Forall if ranged.is_empty() || body.is_always() => (Interval::TRUE, true),
        Quantifier::Forall if ranged.is_inhabited() && body.is_never() => (Interval::FALSE, true),
        Quantifier::Exists if ranged.is_empty() || body.is_never() => (Interval::FALSE, true),
        Quantifier::Exists if ranged.is_inhabited() && body.is_always() => (Interval::TRUE, true),
        Quantifier::Forall | Quantifier::Exists => (Interval::TRUTH, true),
        Quantifier::Count => (
            Interval::new(if body.is_always() { least } else { 0 }, if body.is_never() { 0 } else { most }),
            true,
        ),
        Quantifier::Sum => lengths.binary(Operator::Mul, body.range),
        Quantifier::Min | Quantifier::Max => (body.range, ranged.is_inhabited()),
    }
}
