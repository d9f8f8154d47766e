//! Sets: a truth value for every value that may be a member.
//!
//! A set that lies in the state is asked with the member as an index, `S[x]`. A set that is computed is written out over
//! an interval that contains all its members. `x in S` is false if `x` is not of the type of the set, and a set that gets
//! a member outside its type is a fault.

use model::expr::{Operator, Span as Values};
use model::system::Scalar;
use model::{Binder, Expr, Place, Quantifier};

use super::bounds::{Ranged, span_of};
use super::expressions::Typed;
use super::interval::Interval;
use super::names::{Global, Meaning, Scope};
use super::operators::{all_of, strict};
use super::paths::as_number;
use super::places::Reference;
use super::shapes::{Located, Shape, TRUTH};
use super::values::{Assigned, Taker, Value};
use super::{Checker, Dimension, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, Binary, ExprKind, Range, Span};

/// Limit on the interval over which a set is written out.
const MEMBERS: u64 = 4096;

/// A set, written out.
#[derive(Clone, Debug)]
pub(super) struct Members {
    /// What its members are; unknown for `{}`.
    pub(super) kind: Kind,
    /// The least possible member.
    pub(super) lo: i64,
    /// Whether this and the following values are members. All others are not.
    pub(super) truths: Vec<Typed>,
}

/// A set that is asked for members.
#[derive(Clone, Debug)]
pub(super) enum Held {
    Stored(Located),
    Members(Members),
}

impl Members {
    fn hi(&self) -> i64 {
        self.lo + self.truths.len() as i64 - 1
    }

    /// Whether a value is a member.
    fn truth(&self, value: i64) -> Typed {
        let at = usize::try_from(value - self.lo).ok();
        at.and_then(|at| self.truths.get(at)).cloned().unwrap_or_else(|| Typed::literal(Kind::Bool, 0))
    }
}

impl<'a> Checker<'a> {
    /// `{a, b}`
    pub(super) fn listed_set(
        &mut self,
        scope: &mut Scope<'a>,
        values: &'a [syntax::Expr],
        span: Span,
    ) -> Value {
        let mut kind = Kind::Unknown;
        let mut members: Vec<Typed> = Vec::new();
        let mut unknown = false;
        for value in values {
            let typed = self.of_kind(scope, value, kind);
            unknown |= typed.is_unknown();
            if kind == Kind::Unknown {
                kind = typed.kind;
            }
            members.push(typed);
        }
        if unknown {
            return Value::Unknown;
        }
        let Some(all) = members.iter().map(|member| member.range).reduce(Interval::hull) else {
            return Value::Set(Members { kind, lo: 0, truths: Vec::new() });
        };
        let nodes: usize = members.iter().map(|member| fold::size(&member.expr)).sum();
        if all.length() > MEMBERS {
            let message = "the members of this set may be too far apart";
            let label = format!("they may lie between {} and {}", all.lo, all.hi);
            self.report(
                Diagnostic::error(span, message, label)
                    .help("use values of a range; `x in {a, b}` works with any number"),
            );
            return Value::Unknown;
        }
        if !self.copy(span, nodes.saturating_mul(all.length() as usize)) {
            return Value::Unknown;
        }
        let truths = (all.lo..=all.hi).map(|value| {
            let same: Vec<Typed> = members
                .iter()
                .map(|member| {
                    let number = Typed { expr: as_number(member.clone()), kind: Kind::Int, ..member.clone() };
                    strict(Operator::Eq, number, Typed::literal(Kind::Int, value), Kind::Bool)
                })
                .collect();
            any_of(same)
        });
        Value::Set(Members { kind, lo: all.lo, truths: truths.collect() })
    }

    /// The set that combines the truths of two, value by value; `None` if their members differ in kind.
    pub(super) fn set_by(
        &mut self,
        a: &Members,
        b: &Members,
        span: Span,
        pair: &dyn Fn(&Typed, &Typed) -> Typed,
    ) -> Option<Members> {
        let kind = if a.kind == Kind::Unknown { b.kind } else { a.kind };
        if b.kind != kind && b.kind != Kind::Unknown {
            let (left, right) = (self.kind_name(a.kind), self.kind_name(b.kind));
            let message = format!("a set with {left} in it meets one with {right} in it");
            self.error(span, message, "never the same kind");
            return None;
        }
        let (lo, hi) = match (a.truths.is_empty(), b.truths.is_empty()) {
            (true, _) => (b.lo, b.hi()),
            (_, true) => (a.lo, a.hi()),
            _ => (a.lo.min(b.lo), a.hi().max(b.hi())),
        };
        let truths = (lo..=hi).map(|value| pair(&a.truth(value), &b.truth(value))).collect();
        Some(Members { kind, lo, truths })
    }

    /// `S + T`, `S - T`, `S & T`
    pub(super) fn set_operation(&mut self, operator: Binary, a: &Members, b: &Members, span: Span) -> Value {
        let pair = |a: &Typed, b: &Typed| {
            let (a, b) = (a.clone(), b.clone());
            match operator {
                Binary::Add => any_of(vec![a, b]),
                Binary::Meet => all_of(vec![a, b]),
                _ => {
                    all_of(vec![a, Typed { expr: Expr::negated(b.expr.clone()), range: b.range.not(), ..b }])
                }
            }
        };
        self.set_by(a, b, span, &pair).map_or(Value::Unknown, Value::Set)
    }

    /// `S <= T` and its like; `strictly` for `<` and `>`.
    pub(super) fn subset(&mut self, a: &Members, b: &Members, strictly: bool, span: Span) -> Option<Typed> {
        let pair = |a: &Typed, b: &Typed| strict(Operator::Implies, a.clone(), b.clone(), Kind::Bool);
        let within = all_of(self.set_by(a, b, span, &pair)?.truths);
        if !strictly {
            return Some(within);
        }
        let pair = |a: &Typed, b: &Typed| {
            let negated = Typed { expr: Expr::negated(a.expr.clone()), range: a.range.not(), ..a.clone() };
            all_of(vec![b.clone(), negated])
        };
        let more = any_of(self.set_by(a, b, span, &pair)?.truths);
        Some(all_of(vec![within, more]))
    }

    /// The truths of the values that a set of this type may contain. What else is in it is a fault.
    pub(super) fn fit_set(
        &mut self,
        members: &Members,
        own: Dimension,
        taker: Taker<'_>,
        checks: &mut Vec<(Expr, String)>,
    ) -> Option<Vec<Typed>> {
        if members.kind != own.kind && members.kind != Kind::Unknown {
            let (expected, found) = (self.kind_name(own.kind), self.kind_name(members.kind));
            let message = format!("the members of {} are each {expected}, not {found}", taker.name);
            self.error(taker.span, message, format!("a set with {found} in it"));
            return None;
        }
        let [least, greatest] = [own.values.lo, own.values.hi].map(|value| self.value_name(own.kind, value));
        for value in members.lo..=members.hi() {
            let truth = members.truth(value);
            if own.values.lo <= value && value <= own.values.hi || truth.is_never() {
                continue;
            }
            let member = self.value_name(own.kind, value);
            let text = format!("{} would get the member {member}, outside {least}..{greatest}", taker.name);
            if truth.is_always() {
                self.always_wrong(Diagnostic::error(taker.span, text.clone(), "outside the type of the set"));
            }
            checks.push((Expr::negated(truth.expr), text));
        }
        Some((own.values.lo..=own.values.hi).map(|value| members.truth(value)).collect())
    }

    /// The set that an expression denotes where a range may stand; `None` if it is none, which is reported.
    pub(super) fn held(&mut self, scope: &mut Scope<'a>, set: &'a syntax::Expr) -> Option<Held> {
        let value = if matches!(set.kind, ExprKind::Name(_) | ExprKind::Item(..) | ExprKind::Field(..)) {
            match self.reference(scope, set) {
                Reference::Stored(located @ Located { shape: Shape::Set(..), .. }) => {
                    return Some(Held::Stored(located));
                }
                Reference::Unknown => return None,
                Reference::Whole(value) => value,
                Reference::Stored(_) | Reference::Value(_) | Reference::Variable { .. } => {
                    let text = self.written(set.span);
                    let diagnostic = Diagnostic::error(
                        set.span,
                        format!("`{text}` is not a range"),
                        "expected `lo..hi`, an enum or a set",
                    );
                    self.report(
                        diagnostic.help(format!("write `1..{text}` or `0..{text}` for a range of numbers")),
                    );
                    return None;
                }
                _ => {
                    let text = self.written(set.span);
                    let message = format!("`{text}` is not a range");
                    self.error(set.span, message, "expected `lo..hi`, an enum or a set");
                    return None;
                }
            }
        } else {
            self.value(scope, set, None)
        };
        match value {
            Value::Set(members) => Some(Held::Members(members)),
            Value::Unknown => None,
            other => {
                if !other.is_unknown() {
                    let found = self.value_kind(&other);
                    let message = format!("`{}` is not a set", self.written(set.span));
                    self.error(set.span, message, format!("this is {found}"));
                }
                None
            }
        }
    }

    /// Whether a range is a set, and not the name of an enum.
    pub(super) fn is_set(&self, scope: &Scope<'a>, range: &Range) -> bool {
        if !range.named {
            return false;
        }
        let ExprKind::Name(text) = &range.lo.kind else { return true };
        let bound = scope.bound.iter().any(|(name, _)| name.text == *text);
        let local = scope.locals().is_some_and(|owner| self.family(owner).locals.contains_key(text.as_str()));
        bound
            || local
            || matches!(self.names.get(text.as_str()), Some((_, Global::Shared(_) | Global::Named(_))))
    }

    /// The values that may be in a set, as a range.
    fn range_of(held: &Held) -> Option<Ranged> {
        match held {
            Held::Stored(Located { shape: Shape::Set(values, own), .. }) => {
                let (lo, hi) = match (&*values.lo, &*values.hi) {
                    (Expr::Int(lo), Expr::Int(hi)) => (Interval::exactly(*lo), Interval::exactly(*hi)),
                    _ => (own.values, own.values),
                };
                Some(Ranged { span: values.clone(), lo, hi, kind: own.kind })
            }
            Held::Stored(_) => None,
            Held::Members(members) => {
                if members.truths.is_empty() {
                    let (lo, hi) = (Interval::exactly(1), Interval::exactly(0));
                    let kind = if members.kind == Kind::Unknown { Kind::Int } else { members.kind };
                    return Some(Ranged { span: Values::between(1, 0), lo, hi, kind });
                }
                let (lo, hi) = (Interval::exactly(members.lo), Interval::exactly(members.hi()));
                Some(Ranged { span: Values::between(members.lo, members.hi()), lo, hi, kind: members.kind })
            }
        }
    }

    /// Whether a value is in a set.
    pub(super) fn is_member(&mut self, held: &Held, value: &Typed, span: Span) -> Typed {
        let number = Typed { expr: as_number(value.clone()), kind: Kind::Int, ..value.clone() };
        match held {
            Held::Stored(located) => {
                let Shape::Set(values, own) = &located.shape else { return Typed::unknown() };
                if self.expect_kind(value.clone(), span, own.kind).is_unknown() {
                    return Typed::unknown();
                }
                let read = located.read(&TRUTH, 0, [number.expr.clone()]);
                let exact = matches!((&*values.lo, &*values.hi), (Expr::Int(_), Expr::Int(_)));
                let same = match &value.expr {
                    Expr::Index(index) => {
                        self.system.indices[index.0 as usize].scalar == Scalar::Range(values.clone())
                    }
                    _ => false,
                };
                if exact && value.range.is_within(own.values) || same {
                    return read;
                }
                let end =
                    |expr: &Expr, range| Typed { expr: expr.clone(), kind: Kind::Int, range, total: true };
                let (lo, hi) = (end(&values.lo, own.values), end(&values.hi, own.values));
                let truth = |typed: Typed| if exact { typed } else { Typed::truth(typed.expr) };
                let (lo, hi) = if exact {
                    (Typed::literal(Kind::Int, own.values.lo), Typed::literal(Kind::Int, own.values.hi))
                } else {
                    (lo, hi)
                };
                // A bound that the value always meets is not tested.
                let mut parts = Vec::new();
                if !exact || value.range.lo < own.values.lo {
                    parts.push(truth(strict(Operator::Le, lo, number.clone(), Kind::Bool)));
                }
                if !exact || value.range.hi > own.values.hi {
                    parts.push(truth(strict(Operator::Le, number, hi, Kind::Bool)));
                }
                parts.push(read);
                all_of(parts)
            }
            Held::Members(members) => {
                let kind = if members.kind == Kind::Unknown { value.kind } else { members.kind };
                if self.expect_kind(value.clone(), span, kind).is_unknown() {
                    return Typed::unknown();
                }
                if let Some(value) = number.range.only().filter(|_| fold::constant(&number.expr).is_some()) {
                    return members.truth(value);
                }
                let nodes = fold::size(&number.expr).saturating_mul(members.truths.len());
                if !self.copy(span, nodes) {
                    return Typed::unknown();
                }
                let own = members.lo..=members.hi();
                any_of(
                    own.filter(|value| !members.truth(*value).is_never())
                        .map(|value| {
                            let same = Typed::literal(Kind::Int, value);
                            let same = strict(Operator::Eq, number.clone(), same, Kind::Bool);
                            all_of(vec![same, members.truth(value)])
                        })
                        .collect(),
                )
            }
        }
    }

    /// Binds a name to the members of a set: to every value that may be one, under the condition that it is. The name is
    /// bound even if there is an error; the caller pops it from the scope.
    pub(super) fn member_binder(
        &mut self,
        scope: &mut Scope<'a>,
        binder: &'a syntax::Binder,
    ) -> Option<(Binder, Ranged, Typed)> {
        let found = self.member_index(scope, &binder.name.text, &binder.range);
        let meaning = found.as_ref().map_or_else(Typed::unknown, |(_, _, _, value)| value.clone());
        self.bind(scope, &binder.name, Meaning::Value(meaning));
        found.map(|(binder, ranged, member, _)| (binder, ranged, member))
    }

    /// An index for the members of a set, its range, the condition that it is a member, and its value.
    pub(super) fn member_index(
        &mut self,
        scope: &mut Scope<'a>,
        name: &str,
        range: &'a Range,
    ) -> Option<(Binder, Ranged, Typed, Typed)> {
        let held = self.held(scope, &range.lo)?;
        let ranged = Self::range_of(&held)?;
        self.go_through(scope, range, &ranged)?;
        let scalar = match ranged.kind {
            Kind::Bool => Scalar::Bool,
            _ => ranged.scalar(),
        };
        let index = self.fresh(name, scalar);
        let number = Typed { expr: Expr::Index(index), kind: Kind::Int, range: ranged.values(), total: true };
        let value = match ranged.kind {
            // An index is a number. It is compared with 0 where a truth value is needed.
            Kind::Bool => strict(Operator::Ne, number.clone(), Typed::literal(Kind::Int, 0), Kind::Bool),
            kind => Typed { kind, ..number.clone() },
        };
        let member = match (&held, ranged.kind) {
            (Held::Stored(located), _) => located.read(&TRUTH, 0, [number.expr]),
            _ => self.is_member(&held, &value, span_of(range)),
        };
        let binder = Binder { index, span: ranged.span.clone() };
        Some((binder, ranged, member, value))
    }

    /// `|S|`
    pub(super) fn set_size(&mut self, scope: &mut Scope<'a>, set: &'a syntax::Expr) -> Typed {
        match self.held(scope, set) {
            None => Typed::unknown(),
            Some(held) => self.size_of(&held),
        }
    }

    /// The number of members of a set.
    pub(super) fn size_of(&mut self, held: &Held) -> Typed {
        match held {
            Held::Stored(located) => {
                let Shape::Set(values, own) = &located.shape else { return Typed::unknown() };
                let index = self.fresh("member", Scalar::Range(values.clone()));
                let binder = Binder { index, span: values.clone() };
                let read = located.read(&TRUTH, 0, [Expr::Index(index)]);
                let expr = Expr::Quantified(Quantifier::Count, binder, Box::new(read.expr));
                let most = i64::try_from(own.values.length()).unwrap_or(i64::MAX);
                Typed { expr, kind: Kind::Int, range: Interval::new(0, most), total: false }
            }
            Held::Members(members) => {
                let parts = members.truths.iter().filter(|truth| !truth.is_never());
                let parts: Vec<Expr> = parts.map(|truth| as_number(truth.clone())).collect();
                let least = members.truths.iter().filter(|truth| truth.is_always()).count() as i64;
                let range = Interval::new(least, parts.len() as i64);
                Typed { expr: fold::sum(parts), kind: Kind::Int, range, total: false }
            }
        }
    }

    /// The assignments that add members to a set in the state, or take them away. `None` if a member that is taken away
    /// may be outside the type; then the set is assigned as a whole.
    pub(super) fn single_members(
        &mut self,
        located: &Located,
        values: &[Typed],
        add: bool,
        taker: Taker<'_>,
    ) -> Option<Assigned> {
        let Shape::Set(span, own) = &located.shape else { return None };
        let exact = matches!((&*span.lo, &*span.hi), (Expr::Int(_), Expr::Int(_)));
        let inside = |value: &Typed| exact && value.range.is_within(own.values);
        if values.iter().any(|value| value.kind != own.kind || !add && !inside(value)) {
            return None;
        }
        let mut places: Vec<(Place, Expr)> = Vec::new();
        let mut checks = Vec::new();
        for value in values {
            let number = as_number(value.clone());
            if !inside(value) {
                if value.range.is_disjoint(own.values) {
                    return None;
                }
                let [lo, hi] = [own.values.lo, own.values.hi].map(|value| self.value_name(own.kind, value));
                let text = if exact {
                    format!("{} would get a member outside {lo}..{hi}", taker.name)
                } else {
                    format!("{} would get a member outside its type", taker.name)
                };
                let above = fold::binary(Operator::Le, (*span.lo).clone(), number.clone());
                let below = fold::binary(Operator::Le, number.clone(), (*span.hi).clone());
                checks.push((fold::and([above, below]), text));
            }
            let place = located.leaf(0, [number]);
            if places.iter().all(|(other, _)| *other != place) {
                places.push((place, Expr::Bool(add)));
            }
        }
        Some((places, checks))
    }
}

/// `a || b || …`
pub(super) fn any_of(parts: Vec<Typed>) -> Typed {
    if parts.iter().any(Typed::is_unknown) {
        return Typed::unknown();
    }
    let range = parts.iter().fold(Interval::FALSE, |range, part| range.max(part.range));
    let total = parts.iter().all(|part| part.total);
    Typed { expr: fold::or(parts.into_iter().map(|part| part.expr)), kind: Kind::Bool, range, total }
}
