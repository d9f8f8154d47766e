//! Temporal formulas: one tree for LTL and CTL. Its atoms are the maximal parts without temporal operators.
//!
//! The two logics differ only in their temporal operators, so a formula is lowered once and then converted to one or
//! the other. Its operators decide which one, including those of the definitions it uses. Operators of both logics are
//! an error; a formula without any is LTL about the first position. The operators `Y`, `O`, `H` and `S` of the past belong
//! to LTL, and their operands have no operators of the future.

use model::property::{Ctl, Formula, Paths};
use model::{Binder, Expr, Index};

use super::names::{Context, Global, Meaning, Scope};
use super::{Checker, LEVEL, fold};
use crate::diagnostic::Diagnostic;
use crate::precedence;
use crate::syntax::{self, Binary, ExprKind, PathUntil, Quantifier, Span, Unary};
use crate::visit::visit;

/// A formula of either logic; the path quantifier is `None` in LTL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Temporal {
    Atom(Expr),
    Not(Box<Temporal>),
    And(Vec<Temporal>),
    Or(Vec<Temporal>),
    Implies(Box<Temporal>, Box<Temporal>),
    Next(Option<Paths>, Box<Temporal>),
    Finally(Option<Paths>, Box<Temporal>),
    Globally(Option<Paths>, Box<Temporal>),
    Until(Option<Paths>, Box<Temporal>, Box<Temporal>),
    WeakUntil(Option<Paths>, Box<Temporal>, Box<Temporal>),
    Release(Box<Temporal>, Box<Temporal>),
    Previous(Box<Temporal>),
    Once(Box<Temporal>),
    Historically(Box<Temporal>),
    Since(Box<Temporal>, Box<Temporal>),
    Forall(Binder, Box<Temporal>),
    Exists(Binder, Box<Temporal>),
}

/// The first temporal operator of each kind in an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Logic {
    /// Of the future, without a path quantifier.
    pub(super) ltl: Option<Span>,
    /// Of the past.
    pub(super) past: Option<Span>,
    /// With a path quantifier.
    pub(super) ctl: Option<Span>,
}

impl Logic {
    /// Whether there are any.
    pub(super) fn is_temporal(self) -> bool {
        self.ltl.is_some() || self.past.is_some() || self.ctl.is_some()
    }

    /// The first operator of each kind.
    fn or(self, other: Logic) -> Logic {
        Logic { ltl: self.ltl.or(other.ltl), past: self.past.or(other.past), ctl: self.ctl.or(other.ctl) }
    }

    /// The same operators, used at one place.
    fn at(self, span: Span) -> Logic {
        let here = Some(span);
        Logic { ltl: self.ltl.and(here), past: self.past.and(here), ctl: self.ctl.and(here) }
    }
}

impl<'a> Checker<'a> {
    /// The temporal operators of an expression, those of the definitions it uses included.
    pub(super) fn logic(&self, scope: &Scope<'a>, expr: &syntax::Expr) -> Logic {
        let mut logic = Logic::default();
        visit(expr, &mut |part| logic = logic.or(self.own_logic(scope, part)));
        logic
    }

    fn own_logic(&self, scope: &Scope<'a>, expr: &syntax::Expr) -> Logic {
        let here = Some(expr.span);
        let ltl = Logic { ltl: here, ..Logic::default() };
        let past = Logic { past: here, ..Logic::default() };
        let ctl = Logic { ctl: here, ..Logic::default() };
        let used = |logic: Logic| logic.at(expr.span);
        match &expr.kind {
            ExprKind::Unary(Unary::Not | Unary::Neg, _) => Logic::default(),
            ExprKind::Unary(Unary::Globally | Unary::Finally | Unary::Next, _) => ltl,
            ExprKind::Unary(Unary::Previous | Unary::Once | Unary::Historically, _)
            | ExprKind::Binary(Binary::Since, _, _) => past,
            ExprKind::Unary(..) | ExprKind::Path(..) => ctl,
            ExprKind::Binary(Binary::Until | Binary::WeakUntil | Binary::Release | Binary::LeadsTo, _, _) => {
                ltl
            }
            ExprKind::Name(text) => match scope.bound.iter().rev().find(|(name, _)| name.text == *text) {
                Some((_, Meaning::Temporal(formula))) => used(formula.logic(expr.span)),
                Some(_) => Logic::default(),
                None => used(self.logic_of_named(scope, text)),
            },
            ExprKind::Call(name, _) => used(self.logic_of_named(scope, &name.text)),
            _ => Logic::default(),
        }
    }

    fn logic_of_named(&self, scope: &Scope<'a>, text: &str) -> Logic {
        match self.names.get(text) {
            Some((_, Global::Named(number))) if self.named[*number].rank < scope.rank => {
                self.named[*number].logic
            }
            _ => Logic::default(),
        }
    }

    /// Lowers a formula.
    pub(super) fn temporal(&mut self, scope: &mut Scope<'a>, expr: &'a syntax::Expr) -> Temporal {
        if !self.logic(scope, expr).is_temporal() {
            return Temporal::Atom(self.condition(scope, expr).expr);
        }
        if self.is_too_deep(expr.span) {
            return Temporal::unknown();
        }
        if !self.uses.is_empty() && !self.copy(expr.span, 1) {
            return Temporal::unknown();
        }
        self.depth += LEVEL;
        let formula = self.temporal_of(scope, expr);
        self.depth -= LEVEL;
        formula
    }

    fn temporal_of(&mut self, scope: &mut Scope<'a>, expr: &'a syntax::Expr) -> Temporal {
        self.refuse_future_of_past(scope, expr);
        self.doubt_premise(expr);
        let mut part = |expr: &'a syntax::Expr| Box::new(self.temporal(scope, expr));
        match &expr.kind {
            ExprKind::Unary(operator, a) => match operator {
                Unary::Previous => Temporal::Previous(part(a)),
                Unary::Once => Temporal::Once(part(a)),
                Unary::Historically => Temporal::Historically(part(a)),
                Unary::Not => Temporal::Not(part(a)),
                Unary::Next => Temporal::Next(None, part(a)),
                Unary::Finally => Temporal::Finally(None, part(a)),
                Unary::Globally => Temporal::Globally(None, part(a)),
                Unary::AllNext => Temporal::Next(Some(Paths::All), part(a)),
                Unary::AllFinally => Temporal::Finally(Some(Paths::All), part(a)),
                Unary::AllGlobally => Temporal::Globally(Some(Paths::All), part(a)),
                Unary::SomeNext => Temporal::Next(Some(Paths::Some), part(a)),
                Unary::SomeFinally => Temporal::Finally(Some(Paths::Some), part(a)),
                Unary::SomeGlobally => Temporal::Globally(Some(Paths::Some), part(a)),
                Unary::Neg => Temporal::Atom(self.condition(scope, expr).expr),
            },
            ExprKind::Path(operator, a, b) => match operator {
                PathUntil::AllUntil => Temporal::Until(Some(Paths::All), part(a), part(b)),
                PathUntil::SomeUntil => Temporal::Until(Some(Paths::Some), part(a), part(b)),
                PathUntil::AllWeakUntil => Temporal::WeakUntil(Some(Paths::All), part(a), part(b)),
                PathUntil::SomeWeakUntil => Temporal::WeakUntil(Some(Paths::Some), part(a), part(b)),
            },
            ExprKind::Binary(operator, a, b) => match operator {
                Binary::And | Binary::Or => self.temporal_junction(scope, *operator, a, b),
                Binary::Implies => Temporal::Implies(part(a), part(b)),
                Binary::Until => Temporal::Until(None, part(a), part(b)),
                Binary::WeakUntil => Temporal::WeakUntil(None, part(a), part(b)),
                Binary::Release => Temporal::Release(part(a), part(b)),
                Binary::Since => Temporal::Since(part(a), part(b)),
                Binary::LeadsTo => {
                    let answer = Temporal::Implies(part(a), Box::new(Temporal::Finally(None, part(b))));
                    Temporal::Globally(None, Box::new(answer))
                }
                Binary::Iff => {
                    let (a, b) = (part(a), part(b));
                    if !self.copy(expr.span, a.size() + b.size()) {
                        return Temporal::unknown();
                    }
                    let there = Temporal::Implies(a.clone(), b.clone());
                    Temporal::And(vec![there, Temporal::Implies(b, a)])
                }
                _ => Temporal::Atom(self.condition(scope, expr).expr),
            },
            ExprKind::Quantified(quantifier @ (Quantifier::Forall | Quantifier::Exists), binder, body) => {
                let iterations = self.iterations;
                if self.is_set(scope, &binder.range) {
                    let bound = self.member_binder(scope, binder);
                    let body = self.temporal(scope, body);
                    scope.bound.pop();
                    self.iterations = iterations;
                    let Some((binder, _, member)) = bound else { return Temporal::unknown() };
                    let member = Temporal::Atom(member.expr);
                    return match quantifier {
                        Quantifier::Forall => {
                            let inside = Temporal::Implies(Box::new(member), Box::new(body));
                            Temporal::Forall(binder, Box::new(inside))
                        }
                        _ => Temporal::Exists(binder, Box::new(Temporal::And(vec![member, body]))),
                    };
                }
                let bound = self.binder(scope, binder);
                let body = Box::new(self.temporal(scope, body));
                scope.bound.pop();
                self.iterations = iterations;
                match (bound, quantifier) {
                    (None, _) => Temporal::unknown(),
                    (Some((binder, _)), Quantifier::Forall) => Temporal::Forall(binder, body),
                    (Some((binder, _)), _) => Temporal::Exists(binder, body),
                }
            }
            ExprKind::Name(text) => {
                let bound = scope.bound.iter().rev().find(|(name, _)| name.text == *text);
                if let Some((_, Meaning::Temporal(formula))) = bound {
                    let formula = formula.clone();
                    return if self.copy(expr.span, formula.size()) { formula } else { Temporal::unknown() };
                }
                match self.names.get(text.as_str()) {
                    Some(&(_, Global::Named(number))) => self
                        .expand(scope, number, &[], expr.span, Self::temporal, true)
                        .unwrap_or_else(Temporal::unknown),
                    _ => Temporal::Atom(self.condition(scope, expr).expr),
                }
            }
            ExprKind::Call(name, arguments) => match self.definition(scope, name) {
                Some(number) => self
                    .expand(scope, number, arguments, expr.span, Self::temporal, true)
                    .unwrap_or_else(Temporal::unknown),
                None => Temporal::unknown(),
            },
            _ => Temporal::Atom(self.condition(scope, expr).expr),
        }
    }

    /// `a && b && …` or `a || b || …`; neighbours without temporal operators are one atom.
    fn temporal_junction(
        &mut self,
        scope: &mut Scope<'a>,
        operator: Binary,
        a: &'a syntax::Expr,
        b: &'a syntax::Expr,
    ) -> Temporal {
        let mut parts: Vec<Temporal> = Vec::new();
        for operand in super::operators::chain(operator, a, b) {
            let part = self.temporal(scope, operand);
            match (parts.last_mut(), part) {
                (Some(Temporal::Atom(before)), Temporal::Atom(atom)) => {
                    let both = [std::mem::replace(before, Expr::Bool(true)), atom];
                    *before = if operator == Binary::And { fold::and(both) } else { fold::or(both) };
                }
                (_, part) => parts.push(part),
            }
        }
        if operator == Binary::And { Temporal::And(parts) } else { Temporal::Or(parts) }
    }

    /// Warns of `G p -> q` without parentheses: it is `(G p) -> q`, and most who write it mean `G (p -> q)`.
    fn doubt_premise(&mut self, expr: &'a syntax::Expr) {
        let ExprKind::Binary(Binary::Implies, premise, answer) = &expr.kind else { return };
        let ExprKind::Unary(operator, inner) = &premise.kind else { return };
        let sign = if *operator == Unary::Globally { "G" } else { "AG" };
        let Some(between) = self.text.get(premise.span.start..inner.span.start) else { return };
        // The tree of a model in another language has other spans.
        let bare = expr.span.start == premise.span.start && between.trim_end() == sign;
        if !bare || !precedence::is_misleading_premise(premise) {
            return;
        }
        let shown = |part: &syntax::Expr| self.text.get(part.span.start..part.span.end).unwrap_or("…");
        let (p, q) = (shown(inner), shown(answer));
        let message = format!("`{sign} p -> q` is read as `({sign} p) -> q`");
        let label = "so it only speaks of runs on which this is true for ever";
        let help =
            format!("write `{sign} ({p} -> {q})` to claim it at every moment, or `({sign} {p}) -> {q}`");
        self.report(Diagnostic::warning(premise.span, message, label).help(help));
    }

    /// Reports a past operator with an operator of the future inside.
    fn refuse_future_of_past(&mut self, scope: &Scope<'a>, expr: &'a syntax::Expr) {
        let (sign, operands) = match &expr.kind {
            ExprKind::Unary(Unary::Previous, a) => ("Y", vec![a]),
            ExprKind::Unary(Unary::Once, a) => ("O", vec![a]),
            ExprKind::Unary(Unary::Historically, a) => ("H", vec![a]),
            ExprKind::Binary(Binary::Since, a, b) => ("S", vec![a, b]),
            _ => return,
        };
        let future = operands.into_iter().find_map(|operand| self.logic(scope, operand).ltl);
        if let Some(future) = future {
            let message = format!("`{sign}` looks at the past, and so does all inside it");
            let diagnostic = Diagnostic::error(future, message, "an operator of the future");
            self.report(
                diagnostic.help("a formula about the future may have parts about the past: `G (q -> O p)`"),
            );
        }
    }

    /// Reports a formula of both logics.
    pub(super) fn refuse_mixture(&mut self, logic: Logic) {
        if let (Some(past), Some(ctl)) = (logic.past, logic.ctl) {
            let message = "CTL has no operators of the past";
            let diagnostic = Diagnostic::error(past, message, "`Y`, `O`, `H` and `S` are LTL");
            self.report(diagnostic.related(ctl, "a path quantifier: CTL"));
            return;
        }
        if let (Some(ltl), Some(ctl)) = (logic.ltl, logic.ctl) {
            let message = "a property is LTL or CTL, not both";
            let diagnostic = Diagnostic::error(ctl, message, "a path quantifier: CTL");
            self.report(diagnostic.related(ltl, "without a path quantifier: LTL"));
        }
    }
}

/// The atoms of an LTL formula.
pub(super) const LTL: Context = Context::of_steps("a state predicate");

/// The atoms of a CTL formula.
pub(super) const CTL: Context = Context::of_states("a CTL formula");

impl Temporal {
    /// A formula with an error.
    pub(super) fn unknown() -> Temporal {
        Temporal::Atom(Expr::Bool(false))
    }

    fn parts(&self) -> Vec<&Temporal> {
        match self {
            Temporal::Atom(_) => Vec::new(),
            Temporal::And(parts) | Temporal::Or(parts) => parts.iter().collect(),
            Temporal::Not(a)
            | Temporal::Next(_, a)
            | Temporal::Finally(_, a)
            | Temporal::Globally(_, a)
            | Temporal::Previous(a)
            | Temporal::Once(a)
            | Temporal::Historically(a)
            | Temporal::Forall(_, a)
            | Temporal::Exists(_, a) => vec![a],
            Temporal::Implies(a, b)
            | Temporal::Until(_, a, b)
            | Temporal::WeakUntil(_, a, b)
            | Temporal::Release(a, b)
            | Temporal::Since(a, b) => vec![a, b],
        }
    }

    /// The number of nodes, those of the atoms included.
    pub(super) fn size(&self) -> usize {
        let own = if let Temporal::Atom(atom) = self { fold::size(atom) } else { 1 };
        own + self.parts().into_iter().map(Temporal::size).sum::<usize>()
    }

    /// The logic of a formula that is used at `span`.
    fn logic(&self, span: Span) -> Logic {
        let own = match self {
            Temporal::Next(paths, _)
            | Temporal::Finally(paths, _)
            | Temporal::Globally(paths, _)
            | Temporal::Until(paths, _, _)
            | Temporal::WeakUntil(paths, _, _) => match paths {
                Some(_) => Logic { ctl: Some(span), ..Logic::default() },
                None => Logic { ltl: Some(span), ..Logic::default() },
            },
            Temporal::Release(..) => Logic { ltl: Some(span), ..Logic::default() },
            Temporal::Previous(_) | Temporal::Once(_) | Temporal::Historically(_) | Temporal::Since(..) => {
                Logic { past: Some(span), ..Logic::default() }
            }
            _ => Logic::default(),
        };
        self.parts().into_iter().fold(own, |logic, part| logic.or(part.logic(span)))
    }

    /// The formula with `value` in place of `index`.
    pub(super) fn replace(&self, index: Index, value: &Expr) -> Temporal {
        let go = |part: &Temporal| Box::new(part.replace(index, value));
        let all = |parts: &[Temporal]| parts.iter().map(|part| part.replace(index, value)).collect();
        let binder = |binder: &Binder| fold::replace_in_binder(binder, index, value);
        match self {
            Temporal::Atom(atom) => Temporal::Atom(fold::replace(atom, index, value)),
            Temporal::Not(a) => Temporal::Not(go(a)),
            Temporal::And(parts) => Temporal::And(all(parts)),
            Temporal::Or(parts) => Temporal::Or(all(parts)),
            Temporal::Implies(a, b) => Temporal::Implies(go(a), go(b)),
            Temporal::Next(paths, a) => Temporal::Next(*paths, go(a)),
            Temporal::Finally(paths, a) => Temporal::Finally(*paths, go(a)),
            Temporal::Globally(paths, a) => Temporal::Globally(*paths, go(a)),
            Temporal::Until(paths, a, b) => Temporal::Until(*paths, go(a), go(b)),
            Temporal::WeakUntil(paths, a, b) => Temporal::WeakUntil(*paths, go(a), go(b)),
            Temporal::Release(a, b) => Temporal::Release(go(a), go(b)),
            Temporal::Previous(a) => Temporal::Previous(go(a)),
            Temporal::Once(a) => Temporal::Once(go(a)),
            Temporal::Historically(a) => Temporal::Historically(go(a)),
            Temporal::Since(a, b) => Temporal::Since(go(a), go(b)),
            Temporal::Forall(own, a) => Temporal::Forall(binder(own), go(a)),
            Temporal::Exists(own, a) => Temporal::Exists(binder(own), go(a)),
        }
    }

    /// The formula as LTL. A formula with path quantifiers has been reported as an error.
    pub(super) fn into_ltl(self) -> Formula {
        let go = |part: Box<Temporal>| Box::new(part.into_ltl());
        let all = |parts: Vec<Temporal>| parts.into_iter().map(Temporal::into_ltl).collect();
        match self {
            Temporal::Atom(atom) => Formula::Atom(atom),
            Temporal::Not(a) => Formula::Not(go(a)),
            Temporal::And(parts) => Formula::And(all(parts)),
            Temporal::Or(parts) => Formula::Or(all(parts)),
            Temporal::Implies(a, b) => Formula::Implies(go(a), go(b)),
            Temporal::Next(_, a) => Formula::Next(go(a)),
            Temporal::Finally(_, a) => Formula::Finally(go(a)),
            Temporal::Globally(_, a) => Formula::Globally(go(a)),
            Temporal::Until(_, a, b) => Formula::Until(go(a), go(b)),
            Temporal::WeakUntil(_, a, b) => Formula::WeakUntil(go(a), go(b)),
            Temporal::Release(a, b) => Formula::Release(go(a), go(b)),
            Temporal::Previous(a) => Formula::Previous(go(a)),
            Temporal::Once(a) => Formula::Once(go(a)),
            Temporal::Historically(a) => Formula::Historically(go(a)),
            Temporal::Since(a, b) => Formula::Since(go(a), go(b)),
            Temporal::Forall(binder, a) => Formula::Forall(binder, go(a)),
            Temporal::Exists(binder, a) => Formula::Exists(binder, go(a)),
        }
    }

    /// The formula as CTL. Operators without a path quantifier have been reported as errors.
    pub(super) fn into_ctl(self) -> Ctl {
        let go = |part: Box<Temporal>| Box::new(part.into_ctl());
        let all = |parts: Vec<Temporal>| parts.into_iter().map(Temporal::into_ctl).collect();
        let over = |paths: Option<Paths>| paths.unwrap_or(Paths::All);
        match self {
            Temporal::Atom(atom) => Ctl::Atom(atom),
            Temporal::Not(a) => Ctl::Not(go(a)),
            Temporal::And(parts) => Ctl::And(all(parts)),
            Temporal::Or(parts) => Ctl::Or(all(parts)),
            Temporal::Implies(a, b) => Ctl::Implies(go(a), go(b)),
            Temporal::Next(paths, a) => Ctl::Next(over(paths), go(a)),
            Temporal::Finally(paths, a) => Ctl::Finally(over(paths), go(a)),
            Temporal::Globally(paths, a) => Ctl::Globally(over(paths), go(a)),
            Temporal::Until(paths, a, b) => Ctl::Until(over(paths), go(a), go(b)),
            Temporal::WeakUntil(paths, a, b) => Ctl::WeakUntil(over(paths), go(a), go(b)),
            // Reported as an error: CTL has neither release nor a past.
            Temporal::Release(..)
            | Temporal::Previous(_)
            | Temporal::Once(_)
            | Temporal::Historically(_)
            | Temporal::Since(..) => Ctl::Atom(Expr::Bool(false)),
            Temporal::Forall(binder, a) => Ctl::Forall(binder, go(a)),
            Temporal::Exists(binder, a) => Ctl::Exists(binder, go(a)),
        }
    }
}
