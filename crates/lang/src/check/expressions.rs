//! Lowers expressions to those of the model, each with a kind and an interval that contains all its values.
//!
//! One function, [`Checker::expression`], follows the grammar; names and places are in [`places`](super::places),
//! operators in [`operators`](super::operators), ranges and quantifiers in [`bounds`](super::bounds), events in
//! [`events`](super::events). The context of a scope says what an expression may refer to.
//!
//! Evaluation stops where the result is known (`&&`, `||`, `->`, `if`). A part that is never evaluated cannot fail, so
//! nothing in it is reported as always wrong: `i < N && f[i + 1]` is fine for a family of one.

use model::Expr;

use super::definitions::count;
use super::interval::Interval;
use super::names::{Context, Meaning, Scope};
use super::{Checker, DEPTH, Kind, LEVEL};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, ExprKind, PathUntil, Span, Unary};

/// A lowered expression.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) expr: Expr,
    pub(super) kind: Kind,
    /// Contains every value; truth is 0 and 1, an enum member its position.
    pub(super) range: Interval,
    /// Whether evaluation surely succeeds. Only known for rigid expressions.
    pub(super) total: bool,
}

impl Typed {
    /// A literal.
    pub(super) fn literal(kind: Kind, value: i64) -> Typed {
        let expr = if kind == Kind::Bool { Expr::Bool(value != 0) } else { Expr::Int(value) };
        Typed { expr, kind, range: Interval::exactly(value), total: true }
    }

    /// A truth value of which nothing is known.
    pub(super) fn truth(expr: Expr) -> Typed {
        let range = match expr {
            Expr::Bool(value) => Interval::exactly(i64::from(value)),
            _ => Interval::TRUTH,
        };
        Typed { expr, kind: Kind::Bool, range, total: false }
    }

    /// Whether it has an error that was reported already.
    pub(super) fn is_unknown(&self) -> bool {
        self.kind == Kind::Unknown
    }

    /// Whether it is false in every state.
    pub(super) fn is_never(&self) -> bool {
        self.kind == Kind::Bool && self.range == Interval::FALSE
    }

    /// Whether it is true in every state.
    pub(super) fn is_always(&self) -> bool {
        self.kind == Kind::Bool && self.range == Interval::TRUE
    }
}

impl<'a> Checker<'a> {
    /// Lowers an expression without temporal operators.
    pub(super) fn expression(&mut self, scope: &mut Scope<'a>, expr: &'a syntax::Expr) -> Typed {
        if self.is_too_deep(expr.span) {
            return Typed::unknown();
        }
        if !self.uses.is_empty() && !self.copy(expr.span, 1) {
            return Typed::unknown();
        }
        self.depth += LEVEL;
        let typed = self.expression_of(scope, expr);
        self.depth -= LEVEL;
        typed
    }

    fn expression_of(&mut self, scope: &mut Scope<'a>, expr: &'a syntax::Expr) -> Typed {
        match &expr.kind {
            ExprKind::Int(value) => Typed::literal(Kind::Int, *value),
            ExprKind::Bool(value) => Typed::literal(Kind::Bool, i64::from(*value)),
            ExprKind::Name(_) | ExprKind::Item(..) | ExprKind::Field(..) | ExprKind::At(..) => {
                self.read(scope, expr)
            }
            ExprKind::Call(..) | ExprKind::If(..) | ExprKind::Record(..) | ExprKind::Set(_) => {
                self.depth -= LEVEL;
                let value = self.value(scope, expr, None);
                self.depth += LEVEL;
                self.single(value, expr.span)
            }
            ExprKind::Size(set) => self.set_size(scope, set),
            ExprKind::Unary(Unary::Not, a) => self.not(scope, a),
            ExprKind::Unary(Unary::Neg, a) => self.negative(scope, a),
            ExprKind::Unary(operator, _) => self.refuse_temporal(scope, expr.span, unary_sign(*operator)),
            ExprKind::Path(operator, _, _) => {
                let sign = match operator {
                    PathUntil::AllUntil => "A[… U …]",
                    PathUntil::SomeUntil => "E[… U …]",
                    PathUntil::AllWeakUntil => "A[… W …]",
                    PathUntil::SomeWeakUntil => "E[… W …]",
                };
                self.refuse_temporal(scope, expr.span, sign)
            }
            ExprKind::Binary(operator, a, b) => self.binary(scope, expr.span, *operator, a, b),
            ExprKind::In(a, set) => self.membership(scope, a, set),
            ExprKind::Quantified(quantifier, binder, body) => {
                self.quantified(scope, *quantifier, binder, body)
            }
            ExprKind::List(_) | ExprKind::Each(..) => self.refuse_array(expr.span),
            ExprKind::Min(parts) => self.extreme(scope, true, parts),
            ExprKind::Max(parts) => self.extreme(scope, false, parts),
            ExprKind::Taken(event) => self.taken(scope, event, expr.span),
            ExprKind::Enabled(event) => self.enabled(scope, event, expr.span),
            ExprKind::Deadlock => self.deadlock(scope, expr.span),
            ExprKind::Len(channel) => self.len(scope, channel),
            ExprKind::Empty(channel) => self.is_empty(scope, channel),
            ExprKind::Full(channel) => self.is_full(scope, channel),
            ExprKind::Error => Typed::unknown(),
        }
    }

    /// Refuses to go deeper than the stack allows. Reported once per file.
    pub(super) fn is_too_deep(&mut self, span: Span) -> bool {
        let refused = self.depth >= DEPTH;
        if refused && !self.depth_reported {
            self.error_at_use(span, "after expansion, this is nested too deeply".to_owned(), "too deep");
            self.depth_reported = true;
        }
        refused
    }

    /// Lowers an expression that must be a truth value.
    pub(super) fn condition(&mut self, scope: &mut Scope<'a>, expr: &'a syntax::Expr) -> Typed {
        self.of_kind(scope, expr, Kind::Bool)
    }

    /// Lowers an expression that must be a number.
    pub(super) fn number(&mut self, scope: &mut Scope<'a>, expr: &'a syntax::Expr) -> Typed {
        self.of_kind(scope, expr, Kind::Int)
    }

    /// Lowers an expression that must be of this kind.
    pub(super) fn of_kind(&mut self, scope: &mut Scope<'a>, expr: &'a syntax::Expr, kind: Kind) -> Typed {
        let typed = self.expression(scope, expr);
        self.expect_kind(typed, expr.span, kind)
    }

    /// Reports a value of the wrong kind.
    pub(super) fn expect_kind(&mut self, typed: Typed, span: Span, kind: Kind) -> Typed {
        if typed.kind == kind || kind == Kind::Unknown || typed.is_unknown() {
            return typed;
        }
        let (expected, found) = (self.kind_name(kind), self.kind_name(typed.kind));
        self.error(span, format!("expected {expected}, found {found}"), format!("this is {found}"));
        Typed::unknown()
    }

    /// The name of a kind in messages.
    pub(super) fn kind_name(&self, kind: Kind) -> String {
        match kind {
            Kind::Bool => "a truth value".to_owned(),
            Kind::Int => "a number".to_owned(),
            Kind::Enum(id) => format!("a member of `{}`", self.system.enumeration(id).name),
            Kind::Unknown => "unknown".to_owned(),
        }
    }

    /// How a value of some kind is written.
    pub(super) fn value_name(&self, kind: Kind, value: i64) -> String {
        match kind {
            Kind::Bool => (value != 0).to_string(),
            Kind::Enum(id) => {
                let members = &self.system.enumeration(id).members;
                members.get(value as usize).cloned().unwrap_or_else(|| value.to_string())
            }
            Kind::Int | Kind::Unknown => value.to_string(),
        }
    }

    /// Lowers with `f` something that is evaluated only if `reached`.
    pub(super) fn if_reached<T>(&mut self, reached: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        self.unevaluated += usize::from(!reached);
        let result = f(self);
        self.unevaluated -= usize::from(!reached);
        result
    }

    /// Reports an error that occurs whenever the expression is evaluated, unless it is never evaluated.
    pub(super) fn always_wrong(&mut self, diagnostic: Diagnostic) {
        if self.unevaluated == 0 {
            self.report(diagnostic);
        }
    }

    /// Whether variables may be read here; reports it if not.
    pub(super) fn may_read(&mut self, scope: &Scope<'a>, span: Span, what: &str) -> bool {
        let Context { what: place, reads, .. } = scope.context;
        if !reads {
            let message = format!("{place} may not depend on the state");
            let diagnostic = Diagnostic::error(span, message, format!("{what} has its value in a state"));
            self.report(
                diagnostic.help("only constants, parameters and indices have the same value in every state"),
            );
        }
        reads
    }

    /// Reports a temporal operator in an expression about one state.
    pub(super) fn refuse_temporal(&mut self, scope: &Scope<'a>, span: Span, sign: &str) -> Typed {
        let message = format!("`{sign}` is about runs, but {} is about one state", scope.context.what);
        self.report(
            Diagnostic::error(span, message, "a temporal operator")
                .help("temporal operators are allowed in properties"),
        );
        Typed::unknown()
    }

    /// The value of a bound name.
    pub(super) fn bound(&mut self, meaning: &Meaning, span: Span) -> Typed {
        match meaning {
            Meaning::Value(value) | Meaning::Let(value) => self.bound_value(span, value),
            Meaning::Refers(_) => Typed::unknown(),
            Meaning::Temporal(_) => {
                self.error(span, "a temporal formula stands where a value is needed", "a temporal formula");
                Typed::unknown()
            }
        }
    }

    /// Reports a wrong number of things.
    pub(super) fn wrong_count(&mut self, span: Span, what: &str, expected: usize, noun: &str, found: usize) {
        let message = format!("{what} has {}, not {found}", count(expected, noun));
        self.error(span, message, format!("{} expected", count(expected, noun)));
    }
}

/// How a temporal operator is written.
pub(super) fn unary_sign(operator: Unary) -> &'static str {
    match operator {
        Unary::Not => "!",
        Unary::Neg => "-",
        Unary::Globally => "G",
        Unary::Finally => "F",
        Unary::Next => "X",
        Unary::Previous => "Y",
        Unary::Once => "O",
        Unary::Historically => "H",
        Unary::AllGlobally => "AG",
        Unary::AllFinally => "AF",
        Unary::AllNext => "AX",
        Unary::SomeGlobally => "EG",
        Unary::SomeFinally => "EF",
        Unary::SomeNext => "EX",
    }
}
