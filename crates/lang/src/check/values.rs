//! Values with parts: records, arrays, sets and sequences while a file is lowered.
//!
//! A [`Value`] is a tree of single values. Equality, a choice between two values and the assignment of a whole value go
//! through the tree part by part, so the model sees single values only. Where a variable takes a value, the value is
//! *fitted* to the shape of the variable: members of a set that are not of its type, and items of a sequence beyond its
//! room, are faults.

use model::expr::Operator;
use model::system::{Demand, IndexName};
use model::{Binder, Expr, Update};

use super::definitions::count;
use super::expressions::Typed;
use super::names::{Meaning, Scope};
use super::operators::{all_of, strict};
use super::paths::Part;
use super::places::{Reference, TypedPlace};
use super::sequences::Sequence;
use super::sets::Members;
use super::shapes::{Leaf, Located, Shape};
use super::{Checker, Dimension, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, ExprKind, Name, Span};

/// A value, with its parts.
#[derive(Clone, Debug)]
pub(super) enum Value {
    One(Typed),
    /// A record, by number, and its fields.
    Record(usize, Vec<Value>),
    /// An array with its indices; a list that is written out has none, and may become a sequence.
    Array(Option<Dimension>, Vec<Value>),
    Set(Members),
    Seq(Sequence),
    /// It has an error that was reported already.
    Unknown,
}

/// A single value of a whole, where it belongs.
pub(super) struct Slot {
    /// How many leaves come before its leaf.
    pub(super) leaf: usize,
    /// Its position in the arrays of the leaf.
    pub(super) position: Vec<i64>,
    pub(super) value: Typed,
}

/// A value fitted to a shape.
#[derive(Default)]
pub(super) struct Fitted {
    /// Its single values, in the order of the shape.
    pub(super) slots: Vec<Slot>,
    /// Conditions without which taking the value is a fault, and what the fault says.
    pub(super) checks: Vec<(Expr, String)>,
}

/// Assignments, and the conditions without which they are faults, with what the faults say.
pub(super) type Assigned = (Vec<(model::Place, Expr)>, Vec<(Expr, String)>);

/// What takes a value: its name in messages, and where the value stands.
#[derive(Clone, Copy)]
pub(super) struct Taker<'t> {
    pub(super) name: &'t str,
    pub(super) span: Span,
}

impl Value {
    /// A value, or unknown.
    fn of(value: Option<Value>) -> Value {
        value.unwrap_or(Value::Unknown)
    }

    pub(super) fn is_unknown(&self) -> bool {
        match self {
            Value::Unknown => true,
            Value::One(typed) => typed.is_unknown(),
            _ => false,
        }
    }

    /// Its single values, in order.
    pub(super) fn leaves(&self) -> Vec<&Typed> {
        match self {
            Value::One(typed) => vec![typed],
            Value::Record(_, parts) | Value::Array(_, parts) => {
                parts.iter().flat_map(Value::leaves).collect()
            }
            Value::Set(members) => members.truths.iter().collect(),
            Value::Seq(own) => {
                std::iter::once(&own.length).chain(own.items.iter().flat_map(Value::leaves)).collect()
            }
            Value::Unknown => Vec::new(),
        }
    }

    /// The same tree with other single values, in the same order.
    pub(super) fn map(&self, f: &mut dyn FnMut(&Typed) -> Typed) -> Value {
        let mut all = |parts: &[Value]| parts.iter().map(|part| part.map(f)).collect::<Vec<_>>();
        match self {
            Value::Record(number, parts) => Value::Record(*number, all(parts)),
            Value::Array(own, parts) => Value::Array(*own, all(parts)),
            Value::One(typed) => Value::One(f(typed)),
            Value::Set(members) => {
                let truths = members.truths.iter().map(f).collect();
                Value::Set(Members { truths, ..members.clone() })
            }
            Value::Seq(own) => {
                let length = f(&own.length);
                let items = own.items.iter().map(|item| item.map(f)).collect();
                Value::Seq(Sequence { length, items, normal: own.normal })
            }
            Value::Unknown => Value::Unknown,
        }
    }
}

impl<'a> Checker<'a> {
    /// Lowers an expression that may have parts. `expected` is the shape it should have, if that is known.
    pub(super) fn value(
        &mut self,
        scope: &mut Scope<'a>,
        expr: &'a syntax::Expr,
        expected: Option<&Shape>,
    ) -> Value {
        match &expr.kind {
            ExprKind::Name(_) | ExprKind::Item(..) | ExprKind::Field(..) => {
                let reference = self.reference(scope, expr);
                self.value_of(reference, expr)
            }
            ExprKind::Record(..)
            | ExprKind::Set(_)
            | ExprKind::List(_)
            | ExprKind::Each(..)
            | ExprKind::Call(..)
            | ExprKind::If(..)
            | ExprKind::Binary(
                syntax::Binary::Add
                | syntax::Binary::Sub
                | syntax::Binary::Mul
                | syntax::Binary::Div
                | syntax::Binary::Mod
                | syntax::Binary::Meet,
                ..,
            ) => {
                if self.is_too_deep(expr.span) || !self.uses.is_empty() && !self.copy(expr.span, 1) {
                    return Value::Unknown;
                }
                self.depth += super::LEVEL;
                let value = self.value_inside(scope, expr, expected);
                self.depth -= super::LEVEL;
                value
            }
            _ => Value::One(self.expression(scope, expr)),
        }
    }

    fn value_inside(
        &mut self,
        scope: &mut Scope<'a>,
        expr: &'a syntax::Expr,
        expected: Option<&Shape>,
    ) -> Value {
        match &expr.kind {
            ExprKind::Record(name, fields) => self.record_value(scope, name, fields, expr.span),
            ExprKind::Set(values) => self.listed_set(scope, values, expr.span),
            ExprKind::List(values) => {
                let inner = match expected {
                    Some(Shape::Array(_, _, inner) | Shape::Seq(_, inner)) => Some(&**inner),
                    _ => None,
                };
                Value::Array(None, values.iter().map(|value| self.value(scope, value, inner)).collect())
            }
            ExprKind::Each(name, body) => self.each_value(scope, name, body, expected, expr.span),
            ExprKind::Call(name, arguments) => {
                if let Some(value) = self.sequence_call(scope, name, arguments, expr.span) {
                    return value;
                }
                match self.definition(scope, name) {
                    None => {
                        for argument in arguments {
                            self.value(scope, argument, None);
                        }
                        Value::Unknown
                    }
                    Some(number) => Value::of(self.expand(
                        scope,
                        number,
                        arguments,
                        expr.span,
                        |checker, scope, body| checker.value(scope, body, expected),
                        false,
                    )),
                }
            }
            ExprKind::If(condition, a, b) => {
                let condition = self.condition(scope, condition);
                let yes = self.if_reached(!condition.is_never(), |checker| checker.value(scope, a, expected));
                let no = self.if_reached(!condition.is_always(), |checker| checker.value(scope, b, expected));
                if condition.is_unknown() || yes.is_unknown() || no.is_unknown() {
                    return Value::Unknown;
                }
                self.chosen_of(&condition, yes, no, b.span)
            }
            ExprKind::Binary(operator, a, b) => self.arithmetic(scope, *operator, a, b),
            _ => Value::Unknown,
        }
    }

    /// A value where a single one is needed.
    pub(super) fn single(&mut self, value: Value, span: Span) -> Typed {
        let found = match value {
            Value::One(typed) => return typed,
            Value::Unknown => return Typed::unknown(),
            Value::Array(..) => return self.refuse_array(span),
            other => self.value_kind(&other),
        };
        let message = format!("{found} stands where one value is needed");
        self.error(span, message, format!("this is {found}"));
        Typed::unknown()
    }

    /// What a value is called in messages.
    pub(super) fn value_kind(&self, value: &Value) -> String {
        match value {
            Value::One(typed) => self.kind_name(typed.kind),
            Value::Record(number, _) => format!("a `{}`", self.records[*number].name.text),
            Value::Array(..) => "an array".to_owned(),
            Value::Set(_) => "a set".to_owned(),
            Value::Seq(_) => "a sequence".to_owned(),
            Value::Unknown => "unknown".to_owned(),
        }
    }

    /// The same, with the length of an array.
    fn length_kind(&self, value: &Value) -> String {
        match value {
            Value::Array(_, parts) => format!("an array of {}", count(parts.len(), "element")),
            other => self.value_kind(other),
        }
    }

    /// The value of a reference.
    pub(super) fn value_of(&mut self, reference: Reference, expr: &'a syntax::Expr) -> Value {
        match reference {
            Reference::Stored(located) => Value::of(self.value_at(&located, expr.span)),
            Reference::Whole(value) => value,
            Reference::Variable { id, process, position } => {
                let own = &self.variables[id.0 as usize];
                let rest = own.dimensions.get(position.len()..).unwrap_or_default().to_vec();
                if rest.is_empty() || own.kind == Kind::Unknown {
                    return Value::One(
                        self.read_reference(Reference::Variable { id, process, position }, expr),
                    );
                }
                let spans = self.system.variable(id).kind.dimensions[position.len()..].to_vec();
                let scalar = self.system.variable(id).kind.scalar.clone();
                let leaf = Shape::One(Leaf { scalar, kind: own.kind, range: own.range });
                let shape = spans
                    .into_iter()
                    .zip(rest)
                    .rfold(leaf, |inner, (span, own)| Shape::Array(span, own, Box::new(inner)));
                let located = Located { shape, first: id, process, position };
                Value::of(self.value_at(&located, expr.span))
            }
            Reference::Table { number, position } => {
                Value::of(self.table_value(number, &position, expr.span))
            }
            other => Value::One(self.read_reference(other, expr)),
        }
    }

    /// The value that is stored at a place.
    pub(super) fn value_at(&mut self, located: &Located, span: Span) -> Option<Value> {
        let Some(cells) = located.shape.cells() else {
            let message = format!("`{}` has parts of unknown number", self.written(span));
            self.error(span, message, "depends on a parameter");
            return None;
        };
        if !self.copy(span, usize::try_from(cells).unwrap_or(usize::MAX)) {
            return None;
        }
        Some(read_all(located))
    }

    /// `Vote { term: t, from: i }`
    fn record_value(
        &mut self,
        scope: &mut Scope<'a>,
        name: &'a Name,
        given: &'a [(Name, syntax::Expr)],
        span: Span,
    ) -> Value {
        let record = self.record_called(name);
        let shape = record.and_then(|number| self.record_shapes(number));
        let mut found: Vec<Option<Value>> =
            record.map_or(Vec::new(), |number| vec![None; self.records[number].fields.len()]);
        let mut seen: Vec<&'a Name> = Vec::new();
        for (field, source) in given {
            let number = match record {
                Some(record) => self.field_of(record, field, None).map(|(number, _)| number),
                None => None,
            };
            let expected = number.and_then(|number| shape.as_ref()?.get(number).cloned());
            let value = self.value(scope, source, expected.as_ref());
            if let Some(first) = seen.iter().find(|own| own.text == field.text) {
                let message = format!("field `{}` is given twice", field.text);
                let diagnostic = Diagnostic::error(field.span, message, "given again");
                self.report(diagnostic.related(first.span, "first given here"));
            }
            seen.push(field);
            if let (Some(number), Some(expected)) = (number, expected) {
                found[number] = Some(self.as_field(value, &expected, field, source.span));
            }
        }
        let Some(record) = record else { return Value::Unknown };
        let fields = self.records[record].fields;
        if seen.iter().any(|own| !fields.iter().any(|field| field.name.text == own.text)) {
            // A misspelt field is not missing as well.
            return Value::Unknown;
        }
        let missing: Vec<String> = fields
            .iter()
            .filter(|field| !seen.iter().any(|own| own.text == field.name.text))
            .map(|field| format!("`{}`", field.name.text))
            .collect();
        if !missing.is_empty() {
            let noun = if missing.len() == 1 { "field" } else { "fields" };
            let message = format!("`{}` lacks the {noun} {}", name.text, missing.join(", "));
            let diagnostic = Diagnostic::error(span, message, "not all fields are given");
            self.report(diagnostic.related(self.records[record].name.span, "declared here"));
            return Value::Unknown;
        }
        match found.into_iter().collect::<Option<Vec<Value>>>() {
            Some(parts) if !parts.iter().any(Value::is_unknown) => Value::Record(record, parts),
            _ => Value::Unknown,
        }
    }

    /// The shapes of the fields of a record.
    fn record_shapes(&mut self, number: usize) -> Option<Vec<Shape>> {
        if let Some(known) = self.record_shapes.get(&number) {
            return known.clone();
        }
        let scope = Scope::file(super::names::Context::rigid("a type"));
        let fields = self.records[number].fields.iter();
        let shapes: Vec<Option<Shape>> = fields.map(|field| self.shape_of(&scope, &field.kind)).collect();
        let shapes: Option<Vec<Shape>> = shapes.into_iter().collect();
        self.record_shapes.insert(number, shapes.clone());
        shapes
    }

    /// A value as a field of a record takes it: a single value as it is, anything else fitted to its shape.
    fn as_field(&mut self, value: Value, shape: &Shape, field: &Name, span: Span) -> Value {
        let name = format!("field `{}`", field.text);
        match (shape, value) {
            (Shape::One(leaf), Value::One(typed)) => {
                let place = TypedPlace::of_leaf(leaf);
                let before = self.complaints;
                match self.fits(&place, &name, typed.clone(), span) {
                    Some(_) if self.complaints == before => Value::One(typed),
                    _ => Value::Unknown,
                }
            }
            (_, value) if value.is_unknown() => Value::Unknown,
            (_, value) => {
                // A fault of a part is found where the whole is stored.
                let taker = Taker { name: &name, span };
                let before = self.complaints;
                match self.fit(shape, &value, taker) {
                    Some(_) if self.complaints == before => value,
                    _ => Value::Unknown,
                }
            }
        }
    }

    fn record_called(&mut self, name: &'a Name) -> Option<usize> {
        use super::names::Global;
        let text = name.text.as_str();
        match self.names.get(text) {
            Some(&(_, Global::Record(number))) => return Some(number),
            Some(&(first, _)) => {
                let message = format!("`{text}` is not a record");
                let diagnostic = Diagnostic::error(name.span, message, "has no fields");
                self.report(diagnostic.related(first, "declared here"));
            }
            None if self.unparsed_words.contains(text) => {}
            None => {
                let diagnostic =
                    Diagnostic::error(name.span, format!("unknown record `{text}`"), "not declared");
                let known: Vec<&str> = self.record_numbers.keys().copied().collect();
                self.report(self.suggest(diagnostic, text, known));
            }
        }
        None
    }

    /// `[j: e]` where an array is expected.
    fn each_value(
        &mut self,
        scope: &mut Scope<'a>,
        name: &'a Name,
        body: &'a syntax::Expr,
        expected: Option<&Shape>,
        span: Span,
    ) -> Value {
        let Some(Shape::Array(_, own, inner)) = expected else {
            let message = format!("`{}` has no range here", name.text);
            let diagnostic = Diagnostic::error(span, message, "which indices?");
            self.report(diagnostic.help("list the elements: `[3, 1, 2]`"));
            return Value::Unknown;
        };
        let length = expected.and_then(Shape::cells).unwrap_or(u64::MAX);
        let nodes = (super::arrays::size(body) as u64).saturating_mul(length);
        if !self.copy(span, usize::try_from(nodes).unwrap_or(usize::MAX)) {
            return Value::Unknown;
        }
        let mut parts = Vec::new();
        let before = self.complaints;
        for value in own.values.lo..=own.values.hi {
            self.bind(scope, name, Meaning::Value(Typed::literal(own.kind, value)));
            parts.push(self.value(scope, body, Some(inner)));
            scope.bound.pop();
            if self.complaints > before {
                // The other values would be refused for the same reason.
                return Value::Unknown;
            }
        }
        if parts.iter().any(Value::is_unknown) { Value::Unknown } else { Value::Array(Some(*own), parts) }
    }

    /// One of two values, by a condition.
    pub(super) fn chosen_of(&mut self, condition: &Typed, yes: Value, no: Value, span: Span) -> Value {
        let nodes = fold::size(&condition.expr).saturating_mul(yes.leaves().len());
        if !self.copy(span, nodes) {
            return Value::Unknown;
        }
        let (found, other) = (self.length_kind(&yes), self.length_kind(&no));
        let parts = |checker: &mut Self, a: Vec<Value>, b: Vec<Value>| {
            let pairs = a.into_iter().zip(b);
            pairs.map(|(a, b)| checker.chosen_of(condition, a, b, span)).collect::<Vec<_>>()
        };
        match (yes, no) {
            (Value::Unknown, _) | (_, Value::Unknown) => Value::Unknown,
            (Value::One(yes), Value::One(no)) => {
                let no = self.expect_kind(no, span, yes.kind);
                if no.is_unknown() {
                    return Value::Unknown;
                }
                Value::One(between(condition, yes, no))
            }
            (Value::Record(a, yes), Value::Record(b, no)) if a == b => Value::Record(a, parts(self, yes, no)),
            (Value::Array(own, yes), Value::Array(other, no)) if yes.len() == no.len() => {
                Value::Array(own.or(other), parts(self, yes, no))
            }
            (Value::Set(yes), Value::Set(no)) => {
                let pair = |a: &Typed, b: &Typed| between(condition, a.clone(), b.clone());
                self.set_by(&yes, &no, span, &pair).map_or(Value::Unknown, Value::Set)
            }
            (yes, no) => {
                let (Some(yes), Some(no)) = (Sequence::of(yes), Sequence::of(no)) else {
                    let message = format!("{found} or {other}, depending on a condition");
                    self.error(span, message, format!("expected {found}, found {other}"));
                    return Value::Unknown;
                };
                let length = between(condition, yes.length, no.length);
                let normal = yes.normal && no.normal && yes.items.len() == no.items.len();
                let longest = yes.items.len().max(no.items.len());
                let (mut yes, mut no) = (yes.items.into_iter(), no.items.into_iter());
                let mut items = Vec::new();
                for _ in 0..longest {
                    items.push(match (yes.next(), no.next()) {
                        (Some(a), Some(b)) => self.chosen_of(condition, a, b, span),
                        (Some(item), None) | (None, Some(item)) => item,
                        (None, None) => Value::Unknown,
                    });
                }
                Value::Seq(Sequence { length, items, normal })
            }
        }
    }

    /// `a == b`; `None` if it is an error.
    pub(super) fn equal(&mut self, a: &Value, b: &Value, spans: [Span; 3]) -> Option<Typed> {
        let all = |checker: &mut Self, a: &[Value], b: &[Value]| {
            let pairs: Vec<Option<Typed>> =
                a.iter().zip(b).map(|(a, b)| checker.equal(a, b, spans)).collect();
            Some(all_of(pairs.into_iter().collect::<Option<Vec<Typed>>>()?))
        };
        match (a, b) {
            (Value::Unknown, _) | (_, Value::Unknown) => None,
            (Value::One(a), Value::One(b)) => {
                let [own, other, whole] = spans;
                self.comparable(a, own, b, other, whole)
                    .then(|| strict(Operator::Eq, a.clone(), b.clone(), Kind::Bool))
            }
            (Value::Record(own, a), Value::Record(other, b)) if own == other => all(self, a, b),
            (Value::Set(a), Value::Set(b)) => {
                let pair = |a: &Typed, b: &Typed| strict(Operator::Eq, a.clone(), b.clone(), Kind::Bool);
                let same = self.set_by(a, b, spans[2], &pair)?;
                Some(all_of(same.truths))
            }
            (Value::Array(_, a), Value::Array(_, b)) if a.len() == b.len() => all(self, a, b),
            (Value::Array(..) | Value::Seq(_), Value::Array(..) | Value::Seq(_))
                if matches!(a, Value::Seq(_)) || matches!(b, Value::Seq(_)) =>
            {
                let (a, b) = (Sequence::of(a.clone())?, Sequence::of(b.clone())?);
                self.same_sequence(&a, &b, spans)
            }
            _ => {
                let (left, right) = (self.value_kind(a), self.value_kind(b));
                let message = match (a, b) {
                    (Value::Array(..), Value::Array(..)) => {
                        "arrays of different length are compared".to_owned()
                    }
                    _ => format!("{left} is compared with {right}"),
                };
                let diagnostic = Diagnostic::error(spans[2], message, "never the same kind");
                self.report(diagnostic.related(spans[0], left).related(spans[1], right));
                None
            }
        }
    }

    /// The single values of a value, as a variable of this shape takes them.
    pub(super) fn fit(&mut self, shape: &Shape, value: &Value, taker: Taker<'_>) -> Option<Fitted> {
        let mut fitted = Fitted::default();
        self.fit_at(shape, value, taker, (0, &[]), &mut fitted)?;
        Some(fitted)
    }

    fn fit_at(
        &mut self,
        shape: &Shape,
        value: &Value,
        taker: Taker<'_>,
        (leaf, position): (usize, &[i64]),
        fitted: &mut Fitted,
    ) -> Option<()> {
        let further = |index: i64| position.iter().copied().chain([index]).collect::<Vec<i64>>();
        match (shape, value) {
            (_, value) if value.is_unknown() => None,
            (Shape::One(own), Value::One(typed)) => {
                self.fits(&TypedPlace::of_leaf(own), taker.name, typed.clone(), taker.span)?;
                fitted.slots.push(Slot { leaf, position: position.to_vec(), value: typed.clone() });
                Some(())
            }
            (Shape::Record(own, shapes), Value::Record(other, parts)) if own == other => {
                let mut leaf = leaf;
                for (shape, part) in shapes.iter().zip(parts) {
                    self.fit_at(shape, part, taker, (leaf, position), fitted)?;
                    leaf += shape.leaves();
                }
                Some(())
            }
            (Shape::Array(_, own, inner), Value::Array(_, parts)) => {
                if own.values.length() != parts.len() as u64 {
                    let expected = usize::try_from(own.values.length()).unwrap_or(usize::MAX);
                    self.wrong_count(taker.span, "the array", expected, "element", parts.len());
                    return None;
                }
                for (index, part) in (own.values.lo..).zip(parts) {
                    self.fit_at(inner, part, taker, (leaf, &further(index)), fitted)?;
                }
                Some(())
            }
            (Shape::Set(_, own), Value::Set(members)) => {
                let truths = self.fit_set(members, *own, taker, &mut fitted.checks)?;
                for (index, value) in (own.values.lo..).zip(truths) {
                    fitted.slots.push(Slot { leaf, position: further(index), value });
                }
                Some(())
            }
            (Shape::Seq(room, inner), Value::Seq(_) | Value::Array(..)) => {
                let own = Sequence::of(value.clone())?;
                let (length, items) = self.fit_sequence(own, (*room, inner), taker, &mut fitted.checks);
                fitted.slots.push(Slot { leaf, position: position.to_vec(), value: length });
                for (index, item) in (0..).zip(&items) {
                    self.fit_at(inner, item, taker, (leaf + 1, &further(index)), fitted)?;
                }
                Some(())
            }
            (shape, value) => {
                let (expected, found) = (self.shape_name(shape), self.value_kind(value));
                let message = format!("expected {expected}, found {found}");
                self.error(taker.span, message, format!("this is {found}"));
                None
            }
        }
    }

    /// The assignments of a fitted value to the leaves of a place.
    pub(super) fn placed(located: &Located, slots: Vec<Slot>) -> Vec<(model::Place, Expr)> {
        let place =
            |slot: Slot| (located.leaf(slot.leaf, slot.position.into_iter().map(Expr::Int)), slot.value.expr);
        slots.into_iter().map(place).collect()
    }

    /// The assignments of `target = source;`, where the target has parts. `S = S + {x}` and `q = append(q, e)` write only
    /// what changes.
    pub(super) fn assigned_whole(
        &mut self,
        scope: &mut Scope<'a>,
        located: &Located,
        target: &syntax::Expr,
        source: &'a syntax::Expr,
    ) -> Option<Assigned> {
        let name = format!("`{}`", self.written(target.span));
        let taker = Taker { name: &name, span: source.span };
        match (&source.kind, &located.shape) {
            (ExprKind::Binary(operator, own, change), Shape::Set(..)) if **own == *target => {
                return self.changed_set(scope, located, *operator, change, taker);
            }
            (ExprKind::Call(call, arguments), Shape::Seq(_, inner))
                if call.text == "append"
                    && !self.names.contains_key("append")
                    && arguments.len() == 2
                    && arguments[0] == *target =>
            {
                let item = self.value(scope, &arguments[1], Some(inner));
                return self.appended(located, &item, Taker { span: arguments[1].span, ..taker });
            }
            _ => {}
        }
        let value = self.value(scope, source, Some(&located.shape));
        let fitted = self.fit(&located.shape, &value, taker)?;
        Some((Self::placed(located, fitted.slots), fitted.checks))
    }

    /// `S += {x};` and its like.
    pub(super) fn update_whole(
        &mut self,
        scope: &mut Scope<'a>,
        owned: &super::updates::Owned,
        operator: syntax::Binary,
        (target, change): (&'a syntax::Expr, &'a syntax::Expr),
    ) -> Option<Vec<Part>> {
        let mut scope = scope.within(super::updates::VALUE);
        let located = owned.located()?;
        let name = format!("`{}`", self.written(target.span));
        if !matches!(located.shape, Shape::Set(..)) {
            let found = self.shape_name(&located.shape);
            let sign = crate::precedence::symbol(operator);
            let message = format!("`{sign}=` is for numbers and sets, but {name} is {found}");
            let is_sequence = matches!(located.shape, Shape::Seq(..));
            let diagnostic = Diagnostic::error(target.span, message, found);
            let text = self.written(target.span);
            self.report(if is_sequence {
                diagnostic.help(format!("`{text} = append({text}, e);` puts an item at the end"))
            } else {
                diagnostic
            });
            return None;
        }
        let taker = Taker { name: &name, span: change.span };
        let (places, checks) = self.changed_set(&mut scope, &located, operator, change, taker)?;
        let mut parts = self.demands(checks);
        parts.push(Part::Do(Update::Assign(places)));
        Some(parts)
    }

    /// The assignments of `S = S + T` and its like.
    fn changed_set(
        &mut self,
        scope: &mut Scope<'a>,
        located: &Located,
        operator: syntax::Binary,
        change: &'a syntax::Expr,
        taker: Taker<'_>,
    ) -> Option<Assigned> {
        use syntax::Binary::{Add, Meet, Sub};
        if let (ExprKind::Set(members), Add | Sub) = (&change.kind, operator) {
            let values: Vec<Typed> = members.iter().map(|member| self.expression(scope, member)).collect();
            if values.iter().any(Typed::is_unknown) {
                return None;
            }
            if let Some(assigned) = self.single_members(located, &values, operator == Add, taker) {
                return Some(assigned);
            }
        }
        let change_value = self.value(scope, change, Some(&located.shape));
        let own = self.value_at(located, taker.span)?;
        let (Value::Set(a), Value::Set(b), Add | Sub | Meet) = (&own, &change_value, operator) else {
            if !change_value.is_unknown() {
                let found = self.value_kind(&change_value);
                let sign = crate::precedence::symbol(operator);
                let message = format!("`{sign}` stands between a set and {found}");
                self.error(change.span, message, "expected a set");
            }
            return None;
        };
        let value = self.set_operation(operator, a, b, change.span);
        let fitted = self.fit(&located.shape, &value, taker)?;
        Some((Self::placed(located, fitted.slots), fitted.checks))
    }

    /// A part that is a fault with this text unless a condition is true.
    pub(super) fn demand(&mut self, condition: Expr, text: &str) -> Part {
        self.demanded(condition, Demand::Check(text.to_owned()))
    }

    /// A part that is a fault unless a condition is true.
    pub(super) fn demanded(&mut self, condition: Expr, demand: Demand) -> Part {
        let index = self.fresh_index(IndexName::of_demand(demand));
        let binder = Binder { index, span: model::expr::Span::between(0, 0) };
        Part::Do(Update::Choose(binder, condition, Box::new(Update::Skip)))
    }

    /// Parts that are faults unless their conditions are true.
    pub(super) fn demands(&mut self, checks: Vec<(Expr, String)>) -> Vec<Part> {
        checks.into_iter().map(|(condition, text)| self.demand(condition, &text)).collect()
    }

    /// A value of this shape made of single values, which are given in order.
    pub(super) fn rebuilt(shape: &Shape, leaves: &mut dyn Iterator<Item = Typed>) -> Value {
        match shape {
            Shape::One(_) => leaves.next().map_or(Value::Unknown, Value::One),
            Shape::Record(number, shapes) => {
                Value::Record(*number, shapes.iter().map(|shape| Self::rebuilt(shape, leaves)).collect())
            }
            Shape::Array(_, own, inner) => {
                let parts = (own.values.lo..=own.values.hi).map(|_| Self::rebuilt(inner, leaves));
                Value::Array(Some(*own), parts.collect())
            }
            Shape::Set(_, own) => {
                let truths = leaves.take(own.values.length() as usize).collect();
                Value::Set(Members { kind: own.kind, lo: own.values.lo, truths })
            }
            Shape::Seq(room, inner) => {
                let Some(length) = leaves.next() else { return Value::Unknown };
                let items = (0..*room).map(|_| Self::rebuilt(inner, leaves)).collect();
                Value::Seq(Sequence { length, items, normal: true })
            }
        }
    }

    /// The default value of a shape.
    pub(super) fn default_of(shape: &Shape) -> Value {
        match shape {
            Shape::One(leaf) => {
                let expr = Self::default_value(&leaf.scalar);
                let range = fold::constant(&expr).map_or(leaf.range, super::interval::Interval::exactly);
                Value::One(Typed { expr, kind: leaf.kind, range, total: true })
            }
            Shape::Record(number, shapes) => {
                Value::Record(*number, shapes.iter().map(Self::default_of).collect())
            }
            Shape::Array(_, own, inner) => {
                let parts = (own.values.lo..=own.values.hi).map(|_| Self::default_of(inner));
                Value::Array(Some(*own), parts.collect())
            }
            Shape::Set(_, own) => {
                Value::Set(Members { kind: own.kind, lo: own.values.lo, truths: Vec::new() })
            }
            Shape::Seq(..) => Value::Array(None, Vec::new()),
        }
    }
}

/// One of two single values.
fn between(condition: &Typed, yes: Typed, no: Typed) -> Typed {
    let range = match (condition.is_always(), condition.is_never()) {
        (true, _) => yes.range,
        (_, true) => no.range,
        _ => yes.range.hull(no.range),
    };
    let total = condition.total && yes.total && no.total;
    let expr = fold::choice(condition.expr.clone(), yes.expr, no.expr);
    Typed { expr, kind: yes.kind, range, total }
}

/// All of a place, whose parts are known in number.
fn read_all(located: &Located) -> Value {
    match &located.shape {
        Shape::One(leaf) => Value::One(located.read(leaf, 0, [])),
        Shape::Array(_, own, inner) => {
            let parts = (own.values.lo..=own.values.hi)
                .map(|index| read_all(&located.part((**inner).clone(), 0, [Expr::Int(index)])));
            Value::Array(Some(*own), parts.collect())
        }
        Shape::Record(number, shapes) => {
            let mut leaves = 0;
            let mut parts = Vec::new();
            for shape in shapes {
                parts.push(read_all(&located.part(shape.clone(), leaves, [])));
                leaves += shape.leaves();
            }
            Value::Record(*number, parts)
        }
        Shape::Set(_, own) => {
            let truths = (own.values.lo..=own.values.hi)
                .map(|member| located.read(&super::shapes::TRUTH, 0, [Expr::Int(member)]));
            Value::Set(Members { kind: own.kind, lo: own.values.lo, truths: truths.collect() })
        }
        Shape::Seq(room, inner) => {
            let length = located.read(&Shape::length(*room), 0, []);
            let items =
                (0..*room).map(|index| read_all(&located.part((**inner).clone(), 1, [Expr::Int(index)])));
            Value::Seq(Sequence { length, items: items.collect(), normal: true })
        }
    }
}
