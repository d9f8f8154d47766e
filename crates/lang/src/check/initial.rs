//! Initial values.
//!
//! A few listed values, or a short range, become the values of each cell. A range that is long, or whose ends depend on
//! an index or an open parameter, becomes `any` with an `init` predicate. Every value must lie in the type. The initial
//! value of a local variable may depend on the index of its process; it is then computed for each process.

use model::expr::{Operator, Quantifier};
use model::instance::Environment;
use model::system::{Initial, Type};
use model::{Binder, Expr, FamilyId, Place, VariableId, semantics};

use super::bounds::span_of;
use super::expressions::Typed;
use super::names::{Context, Scope};
use super::shapes::Shape;
use super::types::Declared;
use super::values::{Taker, Value};
use super::{Checker, Kind, Variable, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, Set, Span, Variables};

/// Up to this many initial values are listed; more become a predicate.
const LISTED: u64 = 1000;

impl<'a> Checker<'a> {
    /// The initial values of variables declared together, the first of which is `first`.
    pub(super) fn initial(
        &mut self,
        variables: &'a Variables,
        owner: Option<FamilyId>,
        declared: Option<&Declared>,
        first: VariableId,
    ) -> Option<Initial> {
        let context = Context::rigid("an initial value");
        let mut scope = match owner {
            Some(owner) => self.process_scope(owner, context),
            None => Scope::file(context),
        };
        // Without a type the values are still lowered, to check the names in them.
        let kind = declared.map_or(Kind::Unknown, |declared| declared.facts.kind);
        match &variables.initial {
            None => Some(Initial::Among(vec![Self::default_value(&declared?.kind.scalar)])),
            Some(syntax::Initial::Any(_)) => Some(Initial::Any),
            Some(syntax::Initial::In(Set::Integers(span))) => {
                self.error(*span, "`int` is only for `choose`", "write `= any` for any value");
                None
            }
            Some(syntax::Initial::Value(value)) if Self::is_array(value) || self.is_table(value) => {
                self.initial_elements(&mut scope, value, declared?)
            }
            Some(syntax::Initial::Value(value)) => {
                let value = self.initial_value(&mut scope, value, declared);
                Some(Initial::Among(vec![value?]))
            }
            Some(syntax::Initial::In(Set::Listed(values, _))) => {
                let values: Vec<_> =
                    values.iter().map(|value| self.initial_value(&mut scope, value, declared)).collect();
                Some(Initial::Among(values.into_iter().collect::<Option<_>>()?))
            }
            Some(syntax::Initial::In(Set::Range(range))) => {
                let ranged = self.range(&scope, range)?;
                if kind == Kind::Unknown || self.refuse_empty(range, &ranged, "there is no initial value") {
                    return None;
                }
                let ends = Typed {
                    expr: (*ranged.span.lo).clone(),
                    kind: ranged.kind,
                    range: ranged.values(),
                    total: true,
                };
                if self.expect_kind(ends, span_of(range), kind).is_unknown() {
                    return None;
                }
                let declared = declared?;
                for (end, values) in [(&ranged.span.lo, ranged.lo), (&ranged.span.hi, ranged.hi)] {
                    let end = Typed { expr: (**end).clone(), kind: ranged.kind, range: values, total: true };
                    self.check_initial(owner, &end, span_of(range), declared)?;
                }
                match (ranged.known(), ranged.length()) {
                    (Some((lo, hi)), Some(length))
                        if length.saturating_mul(declared.elements.unwrap_or(1)) <= LISTED =>
                    {
                        Some(Initial::Among((lo..=hi).map(Expr::Int).collect()))
                    }
                    _ => {
                        for offset in 0..variables.names.len() as u32 {
                            let predicate =
                                self.within(owner, VariableId(first.0 + offset), declared, &ranged.span);
                            self.system.init.push(predicate);
                        }
                        Some(Initial::Any)
                    }
                }
            }
        }
    }

    /// The initial values of variables with a shape, one for each leaf.
    pub(super) fn shaped_initial(
        &mut self,
        variables: &'a Variables,
        owner: Option<FamilyId>,
        shape: Option<&Shape>,
    ) -> Option<Vec<Initial>> {
        let context = Context::rigid("an initial value");
        let mut scope = match owner {
            Some(owner) => self.process_scope(owner, context),
            None => Scope::file(context),
        };
        match &variables.initial {
            None => None,
            Some(syntax::Initial::Any(span)) => {
                let shape = shape?;
                if shape.has_sequence() {
                    let message = "a sequence begins with one value, not with any";
                    let diagnostic = Diagnostic::error(*span, message, "a sequence");
                    self.report(diagnostic.help("write `= []`, or `= [1, 2]`"));
                    return None;
                }
                Some(vec![Initial::Any; shape.leaves()])
            }
            Some(syntax::Initial::In(set)) => {
                let span = match set {
                    Set::Listed(_, span) | Set::Integers(span) => *span,
                    Set::Range(range) => span_of(range),
                };
                let message = "this begins with one value, or with `any`";
                let diagnostic = Diagnostic::error(span, message, "not one of several");
                self.report(diagnostic.help("write `= any`, and restrict the initial states with `init`"));
                None
            }
            Some(syntax::Initial::Value(source)) => {
                let value = self.value(&mut scope, source, shape);
                let shape = shape?;
                if shape.cells().is_none() {
                    let message = "this has parts of unknown number and cannot be given as a whole";
                    self.error(source.span, message, "depends on a parameter");
                    return None;
                }
                let value = spread(shape, value);
                let names = variables.names.iter().map(|name| format!("`{}`", name.text));
                let name = names.collect::<Vec<_>>().join(", ");
                let fitted = self.fit(shape, &value, Taker { name: &name, span: source.span })?;
                for (condition, text) in fitted.checks {
                    let typed = self.evaluate(Typed::truth(condition), source.span);
                    if !typed.is_always() {
                        self.error(source.span, text, "not an initial value");
                        return None;
                    }
                }
                let mut elements = vec![Vec::new(); shape.leaves()];
                let leaves = shape.leaf_types();
                for slot in fitted.slots {
                    let typed = self.evaluate(slot.value, source.span);
                    let leaf = &leaves[slot.leaf];
                    let kind = Type { dimensions: Vec::new(), scalar: leaf.scalar.clone() };
                    let facts = Variable { kind: leaf.kind, range: leaf.range, dimensions: Vec::new() };
                    if typed.is_unknown() {
                        return None;
                    }
                    self.check_initial(
                        owner,
                        &typed,
                        source.span,
                        &Declared { kind, facts, elements: Some(1) },
                    )?;
                    elements[slot.leaf].push(typed.expr);
                }
                Some(elements.into_iter().map(Initial::Elements).collect())
            }
        }
    }

    /// `= [3, 1, 2]` or `= [j: e]`
    fn initial_elements(
        &mut self,
        scope: &mut Scope<'a>,
        value: &'a syntax::Expr,
        declared: &Declared,
    ) -> Option<Initial> {
        let dimensions = &declared.facts.dimensions;
        if dimensions.is_empty() {
            self.error(value.span, "a list of initial values is for an array", "the type is not an array");
            return None;
        }
        if declared.elements.is_none() {
            let message = "the elements of an array of unknown length cannot be listed";
            self.error(value.span, message, "its length depends on a parameter");
            return None;
        }
        let owner = scope.owner;
        let elements = self.elements(scope, value, dimensions, &mut |checker, typed, span| {
            let typed = checker.expect_kind(typed, span, declared.facts.kind);
            let typed = checker.evaluate(typed, span);
            if typed.is_unknown() {
                return None;
            }
            checker.check_initial(owner, &typed, span, declared)?;
            Some(typed.expr)
        });
        Some(Initial::Elements(elements?))
    }

    fn initial_value(
        &mut self,
        scope: &mut Scope<'a>,
        value: &'a syntax::Expr,
        declared: Option<&Declared>,
    ) -> Option<Expr> {
        let kind = declared.map_or(Kind::Unknown, |declared| declared.facts.kind);
        let typed = self.of_kind(scope, value, kind);
        let typed = self.evaluate(typed, value.span);
        if typed.is_unknown() {
            return None;
        }
        self.check_initial(scope.owner, &typed, value.span, declared?)?;
        Some(typed.expr)
    }

    /// Checks that an initial value has a value for every process, and lies in the type.
    fn check_initial(
        &mut self,
        owner: Option<FamilyId>,
        value: &Typed,
        span: Span,
        declared: &Declared,
    ) -> Option<()> {
        let range = declared.facts.range;
        let outside = |value: i64| value < range.lo || range.hi < value;
        if value.range.is_within(range) && value.total || self.is_open() && !value.range.is_disjoint(range) {
            return Some(());
        }
        let binder = owner.and_then(|owner| self.system.family(owner).index.clone());
        let indices = owner.and_then(|owner| self.family(owner).range);
        let (Some(binder), Some(indices), false) = (binder, indices, self.is_open()) else {
            // Either it mentions no index and has been computed, or it is outside for all parameters.
            if !value.range.is_within(range) {
                let message = self.outside(value.kind, value.range.lo, range.lo, range.hi);
                self.report(Diagnostic::error(span, message, "outside the type"));
                return None;
            }
            return Some(());
        };
        for index in indices.values.lo..=indices.values.hi {
            let mut environment = Environment::default();
            environment.bind(binder.index, index);
            let message = match semantics::rigid(&value.expr, &mut environment) {
                Ok(number) if !outside(number) => continue,
                Ok(number) => self.outside(value.kind, number, range.lo, range.hi),
                Err(fault) => format!("the initial value cannot be computed: {fault}"),
            };
            let name = self.written(self.family(owner?).source.name.span);
            let index = self.value_name(indices.kind, index);
            self.report(Diagnostic::error(span, message, format!("in process `{name}[{index}]`")));
            return None;
        }
        Some(())
    }

    fn outside(&self, kind: Kind, value: i64, lo: i64, hi: i64) -> String {
        let [value, lo, hi] = [value, lo, hi].map(|value| self.value_name(kind, value));
        format!("the initial value {value} is outside {lo}..{hi}")
    }

    /// `lo <= x && x <= hi` for every element of a variable, in every process that has one.
    fn within(
        &mut self,
        owner: Option<FamilyId>,
        variable: VariableId,
        declared: &Declared,
        span: &model::Span,
    ) -> Expr {
        let binder = owner.and_then(|owner| self.system.family(owner).index.clone());
        let mut binders: Vec<Binder> = binder.into_iter().collect();
        let process = binders.first().map(|binder| Box::new(Expr::Index(binder.index)));
        let mut position = Vec::new();
        for dimension in &declared.kind.dimensions {
            let index = self.fresh("k", model::system::Scalar::Range(dimension.clone()));
            position.push(Expr::Index(index));
            binders.push(Binder { index, span: dimension.clone() });
        }
        let element = Expr::Read(Place { variable, process, position });
        let above = fold::binary(Operator::Le, (*span.lo).clone(), element.clone());
        let below = fold::binary(Operator::Le, element, (*span.hi).clone());
        binders.into_iter().rfold(fold::and([above, below]), |body, binder| {
            Expr::Quantified(Quantifier::Forall, binder, Box::new(body))
        })
    }
}

/// A value as the value of an array takes it: if it is no array, every element has it.
fn spread(shape: &Shape, value: Value) -> Value {
    match (shape, value) {
        (Shape::Array(_, own, inner), Value::Array(indices, parts)) => {
            let fits = parts.len() as u64 == own.values.length();
            let nested = !matches!(**inner, Shape::Array(..) | Shape::Seq(..)) || parts.iter().all(is_list);
            if fits && nested {
                Value::Array(indices, parts.into_iter().map(|part| spread(inner, part)).collect())
            } else if matches!(**inner, Shape::Seq(..) | Shape::Array(..)) {
                spread_over(*own, &spread(inner, Value::Array(indices, parts)))
            } else {
                Value::Array(indices, parts)
            }
        }
        (Shape::Array(_, own, inner), value) => spread_over(*own, &spread(inner, value)),
        (_, value) => value,
    }
}

fn is_list(value: &Value) -> bool {
    matches!(value, Value::Array(..) | Value::Seq(_))
}

fn spread_over(own: super::Dimension, value: &Value) -> Value {
    Value::Array(Some(own), (own.values.lo..=own.values.hi).map(|_| value.clone()).collect())
}
