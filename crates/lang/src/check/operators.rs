//! Operators: their kinds, their intervals, and which operands are evaluated.
//!
//! Long chains of operators lean to the left in the tree, so they are walked in a loop. `&&`, `||` and `+` become one
//! flat list of operands.

use model::Expr;
use model::expr::Operator;

use super::expressions::Typed;
use super::interval::Interval;
use super::names::Scope;
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
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod => {
                self.arithmetic(scope, operator, a, b)
            }
            Binary::Iff => {
                let (a, b) = (self.condition(scope, a), self.condition(scope, b));
                strict(Operator::Eq, a, b, Kind::Bool)
            }
            Binary::Eq => self.equation(scope, span, Operator::Eq, a, b),
            Binary::Ne => self.equation(scope, span, Operator::Ne, a, b),
            Binary::Lt => self.comparison(scope, Operator::Lt, a, b),
            Binary::Le => self.comparison(scope, Operator::Le, a, b),
            Binary::Gt => self.comparison(scope, Operator::Gt, a, b),
            Binary::Ge => self.comparison(scope, Operator::Ge, a, b),
            Binary::Until | Binary::WeakUntil | Binary::Release | Binary::LeadsTo => {
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

    /// `a + b - c * d …`, walked in a loop because a chain leans to the left.
    fn arithmetic(
        &mut self,
        scope: &mut Scope<'a>,
        operator: Binary,
        a: &'a syntax::Expr,
        b: &'a syntax::Expr,
    ) -> Typed {
        let mut rest = vec![(operator, b)];
        let mut left = a;
        while let ExprKind::Binary(own, a, b) = &left.kind
            && is_arithmetic(*own)
        {
            rest.push((*own, b));
            left = a;
        }
        self.depth += rest.len();
        let first = self.expression(scope, left);
        // Operands of the same wrong kind get one message.
        let wrong = first.kind;
        let mut result = self.expect_kind(first, left.span, Kind::Int);
        while let Some((operator, operand)) = rest.pop() {
            let part = self.expression(scope, operand);
            self.depth -= 1;
            let part = if part.kind == wrong && wrong != Kind::Int {
                Typed::unknown()
            } else {
                self.expect_kind(part, operand.span, Kind::Int)
            };
            result = Self::computed(operator, result, part);
        }
        result
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
        let (left, right) = (self.expression(scope, a), self.expression(scope, b));
        if self.comparable(&left, a.span, &right, b.span, span) {
            strict(operator, left, right, Kind::Bool)
        } else {
            Typed::unknown()
        }
    }

    /// Reports a comparison of different kinds; true if both are known and the same.
    fn comparable(&mut self, a: &Typed, a_span: Span, b: &Typed, b_span: Span, span: Span) -> bool {
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
        operator: Operator,
        a: &'a syntax::Expr,
        b: &'a syntax::Expr,
    ) -> Typed {
        let (left, right) = (self.expression(scope, a), self.expression(scope, b));
        // Operands of the same wrong kind get one message.
        let same = left.kind == right.kind;
        let left = self.expect_kind(left, a.span, Kind::Int);
        let right =
            if left.is_unknown() && same { right } else { self.expect_kind(right, b.span, Kind::Int) };
        strict(operator, left, right, Kind::Bool)
    }

    /// `e in {…}`, `e in lo..hi`
    pub(super) fn membership(&mut self, scope: &mut Scope<'a>, a: &'a syntax::Expr, set: &'a Set) -> Typed {
        let element = self.expression(scope, a);
        match set {
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

    /// `if c { a } else { b }`
    pub(super) fn conditional(
        &mut self,
        scope: &mut Scope<'a>,
        condition: &'a syntax::Expr,
        a: &'a syntax::Expr,
        b: &'a syntax::Expr,
    ) -> Typed {
        let condition = self.condition(scope, condition);
        let yes = self.if_reached(!condition.is_never(), |checker| checker.expression(scope, a));
        let no = self.if_reached(!condition.is_always(), |checker| checker.of_kind(scope, b, yes.kind));
        if condition.is_unknown() || yes.is_unknown() || no.is_unknown() {
            return Typed::unknown();
        }
        let range = match (condition.is_always(), condition.is_never()) {
            (true, _) => yes.range,
            (_, true) => no.range,
            _ => yes.range.hull(no.range),
        };
        let total = condition.total && yes.total && no.total;
        Typed { expr: fold::choice(condition.expr, yes.expr, no.expr), kind: yes.kind, range, total }
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
    matches!(operator, Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod)
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
