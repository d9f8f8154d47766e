//! Whole arrays: `[3, 1, 2]`, `[j: e]`, constant tables, and arrays that are variables.
//!
//! The model knows single values only, so an array value is written out element by element, in row-major order. The
//! type of the array that takes it says which indices there are; in a constant table they begin with 1. An element of
//! a table at an index that is not known is found by a tree of comparisons. If the index may be outside, a minimum over
//! no values stands there, which is a fault when it is evaluated.

use model::expr::{Operator, Quantifier, Span as Values};
use model::system::{Demand, IndexName, Scalar};
use model::{Binder, Expr, Instance};

use super::definitions::count;
use super::expressions::Typed;
use super::interval::Interval;
use super::names::{Context, Global, Meaning, Scope};
use super::operators::strict;
use super::places::Reference;
use super::updates::Owned;
use super::values::{Assigned, Value};
use super::{Checker, Dimension, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, ExprKind, Span};

/// A constant array. Its indices begin with 1 in every dimension.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// The length of each dimension.
    pub(super) lengths: Vec<i64>,
    /// In row-major order. All have the same kind.
    values: Vec<Typed>,
}

impl<'a> Checker<'a> {
    /// Reports an array where one value is needed.
    pub(super) fn refuse_array(&mut self, span: Span) -> Typed {
        let message = "an array stands where one value is needed";
        self.report(
            Diagnostic::error(span, message, "an array")
                .help("an array may be a constant, an initial value, or assigned to an array"),
        );
        Typed::unknown()
    }

    /// Whether an expression is written as an array.
    pub(super) fn is_array(expr: &syntax::Expr) -> bool {
        matches!(expr.kind, ExprKind::List(_) | ExprKind::Each(..))
    }

    /// The elements of an array value with these index ranges, in row-major order; `None` if there is an error.
    pub(super) fn elements<T>(
        &mut self,
        scope: &mut Scope<'a>,
        expr: &'a syntax::Expr,
        dimensions: &[Dimension],
        element: &mut dyn FnMut(&mut Self, Typed, Span) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Some((first, rest)) = dimensions.split_first() else {
            let typed = self.expression(scope, expr);
            return Some(vec![element(self, typed, expr.span)?]);
        };
        match &expr.kind {
            ExprKind::List(values) => {
                if first.values.length() != values.len() as u64 {
                    let expected = usize::try_from(first.values.length()).unwrap_or(usize::MAX);
                    self.wrong_count(expr.span, "the array", expected, "element", values.len());
                    return None;
                }
                let mut all = Some(Vec::new());
                for value in values {
                    let part = self.elements(scope, value, rest, element);
                    all = all.zip(part).map(|(mut all, part)| {
                        all.extend(part);
                        all
                    });
                }
                all
            }
            ExprKind::Each(name, body) => {
                let length = elements_of(dimensions);
                let nodes = (size(body) as u64).saturating_mul(length);
                if length > Instance::LIMIT as u64 || !self.copy(expr.span, nodes as usize) {
                    return None;
                }
                let mut all = Some(Vec::new());
                let before = self.complaints;
                for value in first.values.lo..=first.values.hi {
                    self.bind(scope, name, Meaning::Value(Typed::literal(first.kind, value)));
                    let part = self.elements(scope, body, rest, element);
                    scope.bound.pop();
                    if self.complaints > before {
                        // The other values would be refused for the same reason.
                        return None;
                    }
                    all = all.zip(part).map(|(mut all, part)| {
                        all.extend(part);
                        all
                    });
                }
                all
            }
            _ => self.copied(scope, expr, dimensions, element),
        }
    }

    /// The assignments of `target = source;`, one per element if the target is an array.
    pub(super) fn assigned(
        &mut self,
        scope: &mut Scope<'a>,
        owned: Owned,
        target: &'a syntax::Expr,
        source: &'a syntax::Expr,
    ) -> Option<Assigned> {
        let name = format!("`{}`", self.written(target.span));
        if let Some(located) = owned.located() {
            return self.assigned_whole(scope, &located, target, source);
        }
        let variable = &self.variables[owned.id.0 as usize];
        if variable.kind == Kind::Unknown {
            return None;
        }
        let rest = variable.dimensions.get(owned.position.len()..).unwrap_or_default().to_vec();
        if rest.is_empty() {
            let value = self.expression(scope, source);
            let place = self.element(owned.id, owned.process, owned.position, target.span)?;
            let value = self.fits(&place, &name, value, source.span)?;
            return Some((vec![(place.place, value)], Vec::new()));
        }
        let spans = &self.system.variable(owned.id).kind.dimensions[owned.position.len()..];
        if !spans.iter().all(|span| matches!((&*span.lo, &*span.hi), (Expr::Int(_), Expr::Int(_)))) {
            let message = format!("{name} is an array of unknown length and cannot be assigned as a whole");
            self.error(target.span, message, "its length depends on a parameter");
            return None;
        }
        let mut places = Vec::new();
        for position in positions(&rest) {
            let position = owned.position.iter().cloned().chain(position.into_iter().map(Expr::Int));
            places.push(self.element(owned.id, owned.process.clone(), position.collect(), target.span)?);
        }
        let mut places = places.into_iter();
        let assigned = self.elements(scope, source, &rest, &mut |checker, typed, span| {
            let place = places.next()?;
            let value = checker.fits(&place, &name, typed, span)?;
            Some((place.place, value))
        });
        Some((assigned?, Vec::new()))
    }

    /// The elements of an array that is a variable or a constant.
    fn copied<T>(
        &mut self,
        scope: &mut Scope<'a>,
        expr: &'a syntax::Expr,
        dimensions: &[Dimension],
        element: &mut dyn FnMut(&mut Self, Typed, Span) -> Option<T>,
    ) -> Option<Vec<T>> {
        let reference = self.reference(scope, expr);
        let found = match &reference {
            Reference::Unknown => return None,
            Reference::Variable { id, position, .. } => {
                self.variables[id.0 as usize].dimensions.get(position.len()..).unwrap_or_default().to_vec()
            }
            Reference::Table { number, position } => {
                let lengths = self.named[*number].table.as_ref().map(|table| table.lengths.as_slice());
                let rest = lengths.unwrap_or_default().get(position.len()..).unwrap_or_default();
                rest.iter().map(|length| from_one(*length)).collect()
            }
            Reference::Whole(value) => lengths_of(value).into_iter().map(from_one).collect(),
            _ => Vec::new(),
        };
        let lengths = |all: &[Dimension]| all.iter().map(|own| own.values.length()).collect::<Vec<_>>();
        if lengths(&found) != lengths(dimensions) {
            let text = self.written(expr.span);
            let message = if let (true, Reference::Whole(value)) = (found.is_empty(), &reference) {
                format!("`{text}` is {}, not an array of single values", self.value_kind(value))
            } else if found.is_empty() {
                format!("`{text}` is one value, not an array")
            } else {
                format!("`{text}` has another number of elements")
            };
            let expected = dimensions.iter().map(|own| format!("[{}..{}]", own.values.lo, own.values.hi));
            let label = format!("expected an array {}", expected.collect::<String>());
            self.error(expr.span, message, label);
            return None;
        }
        let total = elements_of(dimensions);
        if !self.copy(expr.span, total as usize) {
            return None;
        }
        let mut all = Vec::new();
        if let Reference::Whole(value) = &reference {
            for typed in value.leaves() {
                all.push(element(self, typed.clone(), expr.span)?);
            }
            return Some(all);
        }
        for index in positions(&found) {
            let position = index.iter().map(|value| Typed::literal(Kind::Int, *value));
            let typed = match &reference {
                Reference::Variable { id, process, position: outer } => {
                    let position = outer.iter().cloned().chain(position.map(|own| own.expr)).collect();
                    let place = self.element(*id, process.clone(), position, expr.span)?;
                    Typed {
                        expr: Expr::Read(place.place),
                        kind: place.kind,
                        range: place.range,
                        total: false,
                    }
                }
                Reference::Table { number, position: outer } => {
                    let position: Vec<Typed> = outer.iter().cloned().chain(position).collect();
                    self.table_element(*number, &position, expr.span)
                }
                _ => return None,
            };
            all.push(element(self, typed, expr.span)?);
        }
        Some(all)
    }

    /// The table of a constant that is written as an array.
    pub(super) fn table(&mut self, number: usize, value: &'a syntax::Expr) -> Option<Table> {
        let mut lengths = Vec::new();
        let mut first = value;
        while let ExprKind::List(values) = &first.kind {
            lengths.push(values.len() as i64);
            first = values.first()?;
        }
        if let ExprKind::Set(_) | ExprKind::Record(..) = first.kind {
            let found = if let ExprKind::Set(_) = first.kind { "a set" } else { "a record" };
            self.not_constant(number, first.span, found);
            return None;
        }
        if let ExprKind::Each(name, _) = &first.kind {
            let message = format!("`{}` has no range here", name.text);
            let diagnostic = Diagnostic::error(first.span, message, "which indices?");
            self.report(diagnostic.help("list the elements of a constant: `[3, 1, 2]`"));
            return None;
        }
        let mut scope = Scope::file(Context::rigid("a constant"));
        scope.rank = self.named[number].rank;
        let dimensions: Vec<Dimension> = lengths.iter().map(|length| from_one(*length)).collect();
        let mut kind = Kind::Unknown;
        let values = self.elements(&mut scope, value, &dimensions, &mut |checker, typed, span| {
            let typed = checker.expect_kind(typed, span, kind);
            let typed = checker.evaluate(typed, span);
            if kind == Kind::Unknown {
                kind = typed.kind;
            }
            (!typed.is_unknown()).then_some(typed)
        })?;
        Some(Table { lengths, values })
    }

    /// An element of a table; `position` has an index for every dimension.
    pub(super) fn table_element(&mut self, number: usize, position: &[Typed], span: Span) -> Typed {
        let Some(table) = self.named[number].table.clone() else { return Typed::unknown() };
        let nodes = position.iter().map(|own| fold::size(&own.expr)).sum::<usize>();
        if !self.copy(span, nodes.saturating_mul(table.values.len())) {
            return Typed::unknown();
        }
        self.found(&table.values, &table.lengths, position, &self.named[number].name.text)
    }

    /// An index of a table of this name and length. A member of an enum stands for its position.
    pub(super) fn table_index(&mut self, index: Typed, span: Span, (name, length): (&str, i64)) -> Typed {
        let Kind::Enum(id) = index.kind else { return self.expect_kind(index, span, Kind::Int) };
        let members = self.system.enumeration(id).members.len();
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if members != length {
            let (elements, members) = (count(length, "element"), count(members, "member"));
            let message =
                format!("`{name}` has {elements}, but `{}` has {members}", self.system.enumeration(id).name);
            let found = self.kind_name(index.kind);
            self.error(span, message, found);
            return Typed::unknown();
        }
        let one = Interval::exactly(1);
        let (range, _) = index.range.add(one);
        Typed { expr: fold::add(index.expr, Expr::Int(1)), kind: Kind::Int, range, total: index.total }
    }

    /// Whether an expression is a constant table, or a part of one that is an array.
    pub(super) fn is_table(&self, expr: &syntax::Expr) -> bool {
        let mut given = 0;
        let mut base = expr;
        while let ExprKind::Item(inner, _) = &base.kind {
            given += 1;
            base = inner;
        }
        let ExprKind::Name(text) = &base.kind else { return false };
        let Some((_, Global::Named(number))) = self.names.get(text.as_str()) else { return false };
        self.named[*number].table.as_ref().is_some_and(|table| given < table.lengths.len())
    }

    /// A constant array, or a part of one, as a value.
    pub(super) fn table_value(&mut self, number: usize, position: &[Typed], span: Span) -> Option<Value> {
        let lengths = self.named[number].table.as_ref().map(|table| table.lengths.clone())?;
        let Some(length) = lengths.get(position.len()) else {
            let typed = self.table_element(number, position, span);
            return (!typed.is_unknown()).then_some(Value::One(typed));
        };
        let mut parts = Vec::new();
        for index in 1..=*length {
            let longer: Vec<Typed> =
                position.iter().cloned().chain([Typed::literal(Kind::Int, index)]).collect();
            parts.push(self.table_value(number, &longer, span)?);
        }
        Some(Value::Array(Some(from_one(*length)), parts))
    }

    fn found(&mut self, values: &[Typed], lengths: &[i64], position: &[Typed], text: &str) -> Typed {
        let (Some((length, lengths)), Some((index, position))) =
            (lengths.split_first(), position.split_first())
        else {
            return values.first().cloned().unwrap_or_else(Typed::unknown);
        };
        let all = Interval::new(1, *length);
        let reached = Interval::new(index.range.lo.max(1), index.range.hi.min(*length));
        if index.is_unknown() || values.is_empty() || reached.hi < reached.lo {
            return Typed::unknown();
        }
        let row = values.len() / *length as usize;
        let inside = self.among(values, row, reached, index, (lengths, position, text));
        if index.range.is_within(all) || inside.is_unknown() {
            return Typed { total: inside.total && index.total, ..inside };
        }
        let within = strict(Operator::Le, Typed::literal(Kind::Int, 1), index.clone(), Kind::Bool);
        let below = strict(Operator::Le, index.clone(), Typed::literal(Kind::Int, *length), Kind::Bool);
        let none = format!("an index of the table `{text}` is outside 1..{length}");
        let outside = self.no_value(inside.kind, none);
        let condition = fold::and([within.expr, below.expr]);
        Typed { expr: fold::choice(condition, inside.expr, outside), total: false, ..inside }
    }

    /// The rows of a table from `rows.lo` to `rows.hi`, by comparing the index with the middle.
    fn among(
        &mut self,
        values: &[Typed],
        row: usize,
        rows: Interval,
        index: &Typed,
        inner: (&[i64], &[Typed], &str),
    ) -> Typed {
        if rows.lo == rows.hi {
            let start = (rows.lo - 1) as usize * row;
            return self.found(&values[start..start + row], inner.0, inner.1, inner.2);
        }
        let middle = rows.lo + (rows.hi - rows.lo) / 2;
        let left = self.among(values, row, Interval::new(rows.lo, middle), index, inner);
        let right = self.among(values, row, Interval::new(middle + 1, rows.hi), index, inner);
        if left.is_unknown() || right.is_unknown() {
            return Typed::unknown();
        }
        let below = fold::binary(Operator::Le, index.expr.clone(), Expr::Int(middle));
        Typed {
            range: left.range.hull(right.range),
            total: left.total && right.total,
            kind: left.kind,
            expr: fold::choice(below, left.expr, right.expr),
        }
    }

    /// An expression of this kind that is a fault with this text.
    pub(super) fn no_value(&mut self, kind: Kind, text: String) -> Expr {
        let span = Values::between(1, 0);
        let scalar = Scalar::Range(span.clone());
        let demand = Some(Demand::Check(text));
        let index = self.fresh_index(IndexName { name: "outside".to_owned(), scalar, demand });
        let fault = Expr::Quantified(Quantifier::Min, Binder { index, span }, Box::new(Expr::Int(0)));
        if kind == Kind::Bool { Expr::binary(Operator::Ne, fault, Expr::Int(0)) } else { fault }
    }
}

/// The length of each dimension of an array of single values; none if a value is something else.
fn lengths_of(value: &Value) -> Vec<i64> {
    let Value::Array(_, parts) = value else { return Vec::new() };
    let inner = match parts.first() {
        Some(Value::One(_)) => Vec::new(),
        Some(part @ Value::Array(..)) => lengths_of(part),
        _ => return Vec::new(),
    };
    std::iter::once(parts.len() as i64).chain(inner).collect()
}

/// The indices of a table.
fn from_one(length: i64) -> Dimension {
    Dimension { values: Interval::new(1, length), kind: Kind::Int }
}

/// The number of elements of an array with these index ranges.
fn elements_of(dimensions: &[Dimension]) -> u64 {
    dimensions.iter().fold(1, |total: u64, own| total.saturating_mul(own.values.length()))
}

/// The positions of an array with these index ranges, in row-major order.
fn positions(dimensions: &[Dimension]) -> Vec<Vec<i64>> {
    dimensions.iter().fold(vec![Vec::new()], |outer, own| {
        let longer = |position: Vec<i64>| {
            let values = own.values.lo..=own.values.hi;
            values.map(move |value| position.iter().copied().chain([value]).collect::<Vec<i64>>())
        };
        outer.into_iter().flat_map(longer).collect()
    })
}

/// The number of nodes of an expression as written.
pub(super) fn size(expr: &syntax::Expr) -> usize {
    let mut nodes = 0;
    crate::visit::visit(expr, &mut |_| nodes += 1);
    nodes
}
