//! Operators: their kinds, their intervals, and which operands are evaluated.
//!
//! Long chains of operators lean to the left in the tree, so they are walked in a loop. `&&`, `||` and `+` become one
//! flat list of operands.

use model::Expr;
use model::expr::Operator;

use super::expressions::Typed;
use super::interval::Interval;
use super::names::Scope;
use super::sets::any_of;
use super::values::Value;
use super::{Checker, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, Binary, ExprKind, Set, Span};

impl<'a> Checker<'a> {
    /// `!a`
    pub(super) fn not(&mut self, scope: &mut Scope<'a>, a: &'a syntax::Expr) -> Typed {
        let a = self.condition(scope, a);
        if a.is_unknown() {
            return a;
        }
        Typed { expr: Expr::negated(a.expr), range: a.range.not(), ..a }
    }

    /// `-a`
    pub(super) fn negative(&mut self, scope: &mut Scope<'a>, a: &'a syntax::Expr) -> Typed {
        let a = self.number(scope, a);
        if a.is_unknown() {
            return a;
        }
        let (range, total) = a.range.neg();
        Typed { expr: fold::neg(a.expr), range, total: a.total && total, kind: Kind::Int }
    }

    /// `a op b`
    pub(super) fn binary(
        &mut self,
        scope: &mut Scope<'a>,
        span: Span,
        operator: Binary,
        a: &'a syntax::Expr,
        b: &'a syntax::Expr,
    ) -> Typed {
        match operator {
            Binary::And | Binary::Or => self.junction(scope, operator, a, b),
            Binary::Implies => self.implication(scope, a, b),
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod | Binary::Meet => {
                let value = self.arithmetic(scope, operator, a, b);
                self.single(value, span)
            }
            Binary::Iff => {
                let (a, b) = (self.condition(scope, a), self.condition(scope, b));
                strict(Operator::Eq, a, b, Kind::Bool)
            }
            Binary::Eq => self.equation(scope, span, Operator::Eq, a, b),
            Binary::Ne => self.equation(scope, span, Operator::Ne, a, b),
            Binary::Lt => self.comparison(scope, span, Operator::Lt, a, b),
            Binary::Le => self.comparison(scope, span, Operator::Le, a, b),
            Binary::Gt => self.comparison(scope, span, Operator::Gt, a, b),
            Binary::Ge => self.comparison(scope, span, Operator::Ge, a, b),
            Binary::Until | Binary::WeakUntil | Binary::Release | Binary::Since | Binary::LeadsTo => {
                self.refuse_temporal(scope, span, crate::precedence::symbol(operator))
            }
        }
    }

    /// `a && b && …`, `a || b || …`
    fn junction(
        &mut self,
        scope: &mut Scope<'a>,
        operator: Binary,
        a: &'a syntax::Expr,
        b: &'a syntax::Expr,
    ) -> Typed {
        let (stop, start) = match operator {
            Binary::And => (Interval::FALSE, Interval::TRUE),
            _ => (Interval::TRUE, Interval::FALSE),
        };
        let mut parts = Vec::new();
        let mut range = start;
        let mut total = true;
        let mut unknown = false;
        for operand in chain(operator, a, b) {
            let part = self.if_reached(range != stop, |checker| checker.condition(scope, operand));
            unknown |= part.is_unknown();
            if part.range == stop || range == stop {
                range = stop;
            } else if part.range != start {
                range = Interval::TRUTH;
            }
            total &= part.total;
            parts.push(part.expr);
        }
        if unknown {
            return Typed::unknown();
        }
        let expr = if operator == Binary::And { fold::and(parts) } else { fold::or(parts) };
        Typed { expr, kind: Kind::Bool, range, total }
    }

    /// `a -> b`
    fn implication(&mut self, scope: &mut Scope<'a>, a: &'a syntax::Expr, b: &'a syntax::Expr) -> Typed {
        let a = self.condition(scope, a);
        let b = self.if_reached(!a.is_never(), |checker| checker.condition(scope, b));
        strict(Operator::Implies, a, b, Kind::Bool)
    }

    /// `a += b` and its like: the value of an operator of arithmetic.
    pub(super) fn computed(operator: Binary, a: Typed, b: Typed) -> Typed {
        match operator {
            Binary::Sub => strict(Operator::Sub, a, b, Kind::Int),
            Binary::Mul => strict(Operator::Mul, a, b, Kind::Int),
            Binary::Div => strict(Operator::Div, a, b, Kind::Int),
            Binary::Mod => strict(Operator::Mod, a, b, Kind::Int),
            _ => sum(a, b),
        }
    }

    /// `a + b - c * d …`, also `S + T` and `S & T` of sets, walked in a loop because a chain leans to the left.
    pub(super) fn arithmetic(
        &mut self,
        scope: &mut Scope<'a>,
        operator: Binary,
        a: &'a syntax::Expr,
        b: &'a syntax::Expr,
    ) -> Value {
        let mut rest = vec![(operator, b)];
        let mut left = a;
        while let ExprKind::Binary(own, a, b) = &left.kind
            && is_arithmetic(*own)
        {
            rest.push((*own, b));
            left = a;
        }
        self.depth += rest.len();
        let mut result = self.value(scope, left, None);
        // Operands of the same wrong kind get one message.
        let wrong = if let Value::One(first) = &result { first.kind } else { Kind::Int };
        let mut span = left.span;
        while let Some((operator, operand)) = rest.pop() {
            let part = self.value(scope, operand, None);
            self.depth -= 1;
            result = match (result, part) {
                (Value::Set(_), b) if b.is_unknown() => Value::Unknown,
                (a, Value::Set(_)) if a.is_unknown() => Value::Unknown,
                (Value::Set(a), Value::Set(b)) if is_of_sets(operator) => {
                    self.set_operation(operator, &a, &b, span.to(operand.span))
                }
                (Value::Unknown, _) | (_, Value::Unknown) => Value::Unknown,
                (Value::One(a), Value::One(b)) => {
                    if operator == Binary::Meet {
                        self.no_intersection(&a, span.to(operand.span));
                        return Value::Unknown;
                    }
                    let a = self.expect_kind(a, span, Kind::Int);
                    let b = if b.kind == wrong && wrong != Kind::Int {
                        Typed::unknown()
                    } else {
                        self.expect_kind(b, operand.span, Kind::Int)
                    };
                    Value::One(Self::computed(operator, a, b))
                }
                (a, b) => {
                    let sign = crate::precedence::symbol(operator);
                    let (left, right) = (self.value_kind(&a), self.value_kind(&b));
                    let message = format!("`{sign}` stands between {left} and {right}");
                    let diagnostic =
                        Diagnostic::error(span.to(operand.span), message, "expected two numbers or two sets");
                    self.report(match (&a, &b) {
                        (Value::Seq(_), _) => {
                            diagnostic.help("`append(q, e)` puts an item at the end of a sequence")
                        }
                        (Value::Set(_), Value::One(_)) => {
                            let text = self.written(operand.span);
                            diagnostic.help(format!("write `{sign} {{{text}}}` for a set with one member"))
                        }
                        _ => diagnostic,
                    });
                    Value::Unknown
                }
            };
            span = span.to(operand.span);
        }
        result
    }

    /// Reports `&` between values that are no sets.
    fn no_intersection(&mut self, a: &Typed, span: Span) {
        if a.is_unknown() {
            return;
        }
        let found = self.kind_name(a.kind);
        let diagnostic = Diagnostic::error(span, format!("`&` is for sets, not for {found}"), "not a set");
        self.report(match a.kind {
            Kind::Bool => diagnostic.help("write `&&` between conditions"),
            _ => diagnostic,
        });
    }

    /// `a == b`, `a != b`
    fn equation(
        &mut self,
        scope: &mut Scope<'a>,
        span: Span,
        operator: Operator,
        a: &'a syntax::Expr,
        b: &'a syntax::Expr,
    ) -> Typed {
        let (left, right) = (self.value(scope, a, None), self.value(scope, b, None));
        if left.is_unknown() || right.is_unknown() {
            return Typed::unknown();
        }
        let Some(same) = self.equal(&left, &right, [a.span, b.span, span]) else { return Typed::unknown() };
        match operator {
            Operator::Eq => same,
            _ => match (left, right) {
                (Value::One(left), Value::One(right)) => strict(operator, left, right, Kind::Bool),
                _ => Typed { expr: Expr::negated(same.expr), range: same.range.not(), ..same },
            },
        }
    }

    /// Reports a comparison of different kinds; true if both are known and the same.
    pub(super) fn comparable(
        &mut self,
        a: &Typed,
        a_span: Span,
        b: &Typed,
        b_span: Span,
        span: Span,
    ) -> bool {
        if a.is_unknown() || b.is_unknown() {
            return false;
        }
        if a.kind != b.kind {
            let (left, right) = (self.kind_name(a.kind), self.kind_name(b.kind));
            let diagnostic =
                Diagnostic::error(span, format!("{left} is compared with {right}"), "never the same kind");
            self.report(diagnostic.related(a_span, left).related(b_span, right));
        }
        a.kind == b.kind
    }

    /// `a < b` and its like
    fn comparison(
        &mut self,
        scope: &mut Scope<'a>,
        span: Span,
        operator: Operator,
        a: &'a syntax::Expr,
        b: &'a syntax::Expr,
    ) -> Typed {
        let (left, right) = (self.value(scope, a, None), self.value(scope, b, None));
        if let (Value::Set(left), Value::Set(right)) = (&left, &right) {
            let strictly = matches!(operator, Operator::Lt | Operator::Gt);
            let within = match operator {
                Operator::Lt | Operator::Le => self.subset(left, right, strictly, span),
                _ => self.subset(right, left, strictly, span),
            };
            return within.unwrap_or_else(Typed::unknown);
        }
        match (&left, &right) {
            (Value::Set(_), other) | (other, Value::Set(_)) if other.is_unknown() => return Typed::unknown(),
            _ => {}
        }
        let (left, right) = (self.single(left, a.span), self.single(right, b.span));
        // Operands of the same wrong kind get one message.
        let same = left.kind == right.kind;
        let left = self.expect_kind(left, a.span, Kind::Int);
        let right =
            if left.is_unknown() && same { right } else { self.expect_kind(right, b.span, Kind::Int) };
        strict(operator, left, right, Kind::Bool)
    }

    /// `e in {…}`, `e in lo..hi`
    pub(super) fn membership(&mut self, scope: &mut Scope<'a>, a: &'a syntax::Expr, set: &'a Set) -> Typed {
        let element = self.value(scope, a, None);
        let element = match (element, set) {
            (Value::One(element), _) => element,
            (whole, Set::Listed(values, _)) => return self.among_values(scope, &whole, a, values),
            (whole, _) => self.single(whole, a.span),
        };
        match set {
            Set::Range(range) if self.is_set(scope, range) => {
                let held = self.held(scope, &range.lo);
                match held {
                    Some(held) if !element.is_unknown() => self.is_member(&held, &element, a.span),
                    _ => Typed::unknown(),
                }
            }
            Set::Integers(span) => {
                self.error(*span, "every number is an integer", "`int` is only for `choose`");
                Typed::unknown()
            }
            Set::Range(range) if range.named => {
                let Some(ranged) = self.range(scope, range) else { return Typed::unknown() };
                let element = self.expect_kind(element, a.span, ranged.kind);
                if element.is_unknown() {
                    return element;
                }
                let values =
                    Typed { expr: Expr::Int(ranged.values().hi), range: ranged.hi, ..element.clone() };
                strict(Operator::Le, element, values, Kind::Bool)
            }
            Set::Range(range) => {
                let element = self.expect_kind(element, a.span, Kind::Int);
                let (lo, hi) = (self.number(scope, &range.lo), self.number(scope, &range.hi));
                if element.is_unknown() || !self.copy(a.span, fold::size(&element.expr)) {
                    return Typed::unknown();
                }
                let above = strict(Operator::Le, lo, element.clone(), Kind::Bool);
                let below = strict(Operator::Le, element, hi, Kind::Bool);
                conjunction(above, below)
            }
            Set::Listed(values, _) => {
                let mut parts = Vec::new();
                let mut unknown = element.is_unknown();
                for value in values {
                    let typed = self.expression(scope, value);
                    unknown |= !self.comparable(&element, a.span, &typed, value.span, value.span);
                    if unknown || !self.copy(a.span, fold::size(&element.expr)) {
                        continue;
                    }
                    parts.push(strict(Operator::Eq, element.clone(), typed, Kind::Bool));
                }
                if unknown {
                    return Typed::unknown();
                }
                let never = parts.iter().all(Typed::is_never);
                let always = parts.iter().any(Typed::is_always);
                let total = parts.iter().all(|part| part.total);
                let range = match (never, always) {
                    (true, _) => Interval::FALSE,
                    (_, true) => Interval::TRUE,
                    _ => Interval::TRUTH,
                };
                let expr = fold::or(parts.into_iter().map(|part| part.expr));
                Typed { expr, kind: Kind::Bool, range, total }
            }
        }
    }

    /// `r in {a, b}` where `r` has parts.
    fn among_values(
        &mut self,
        scope: &mut Scope<'a>,
        whole: &Value,
        source: &'a syntax::Expr,
        values: &'a [syntax::Expr],
    ) -> Typed {
        let mut parts = Vec::new();
        for value in values {
            let other = self.value(scope, value, None);
            match self.equal(whole, &other, [source.span, value.span, value.span]) {
                Some(same) => parts.push(same),
                None => return Typed::unknown(),
            }
        }
        any_of(parts)
    }

    /// `min(a, b, …)`, `max(a, b, …)`
    pub(super) fn extreme(&mut self, scope: &mut Scope<'a>, least: bool, parts: &'a [syntax::Expr]) -> Typed {
        let parts: Vec<Typed> = parts.iter().map(|part| self.number(scope, part)).collect();
        if parts.is_empty() || parts.iter().any(Typed::is_unknown) {
            return Typed::unknown();
        }
        let ranges = parts.iter().map(|part| part.range);
        let range = ranges.reduce(|a, b| if least { a.min(b) } else { a.max(b) }).unwrap_or(Interval::ALL);
        let total = parts.iter().all(|part| part.total);
        let expr = fold::extreme(least, parts.into_iter().map(|part| part.expr).collect());
        Typed { expr, kind: Kind::Int, range, total }
    }
}

/// An operator on two values of the right kind.
pub(super) fn strict(operator: Operator, a: Typed, b: Typed, kind: Kind) -> Typed {
    if a.is_unknown() || b.is_unknown() {
        return Typed::unknown();
    }
    let (range, total) = a.range.binary(operator, b.range);
    Typed { expr: fold::binary(operator, a.expr, b.expr), kind, range, total: total && a.total && b.total }
}

/// `a + b`
fn sum(a: Typed, b: Typed) -> Typed {
    if a.is_unknown() || b.is_unknown() {
        return Typed::unknown();
    }
    let (range, total) = a.range.add(b.range);
    let total = total && a.total && b.total;
    Typed { expr: fold::add(a.expr, b.expr), kind: Kind::Int, range, total }
}

/// `a && b`
pub(super) fn conjunction(a: Typed, b: Typed) -> Typed {
    all_of(vec![a, b])
}

/// `a && b && …`
pub(super) fn all_of(parts: Vec<Typed>) -> Typed {
    if parts.iter().any(Typed::is_unknown) {
        return Typed::unknown();
    }
    let range = parts.iter().fold(Interval::TRUE, |range, part| range.min(part.range));
    let total = parts.iter().all(|part| part.total);
    Typed { expr: fold::and(parts.into_iter().map(|part| part.expr)), kind: Kind::Bool, range, total }
}

fn is_arithmetic(operator: Binary) -> bool {
    matches!(operator, Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod | Binary::Meet)
}

fn is_of_sets(operator: Binary) -> bool {
    matches!(operator, Binary::Add | Binary::Sub | Binary::Meet)
}

/// The operands of a chain of the same operator, from left to right.
pub(super) fn chain<'e>(operator: Binary, a: &'e syntax::Expr, b: &'e syntax::Expr) -> Vec<&'e syntax::Expr> {
    let mut operands = vec![b];
    let mut left = a;
    while let ExprKind::Binary(own, a, b) = &left.kind
        && *own == operator
    {
        operands.push(b);
        left = a;
    }
    operands.push(left);
    operands.reverse();
    operands
}
