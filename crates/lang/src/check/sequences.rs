//! Bounded sequences: a length and so many items, the first with index 0.
//!
//! `append(q, e)`, `head(q)`, `tail(q)`, `q[k]` and `len(q)` are computed on the length and the items. A sequence that is
//! computed may be longer than the variable that takes it: that is a fault when it is stored, not before. Items beyond
//! the length have their default values wherever a sequence is stored.

use model::Expr;
use model::expr::Operator;

use super::expressions::Typed;
use super::names::{Global, Meaning, Scope};
use super::operators::{all_of, strict};
use super::places::Reference;
use super::sets::Held;
use super::shapes::{Located, Shape};
use super::values::{Assigned, Taker, Value};
use super::{Checker, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, ExprKind, Name, Span};

/// A sequence, written out.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    pub(super) length: Typed,
    pub(super) items: Vec<Value>,
    /// Whether the items beyond the length have their default values.
    pub(super) normal: bool,
}

/// The operations on sequences. A definition of the same name comes first.
pub(super) const OPERATIONS: &[&str] = &["append", "head", "tail"];

impl Sequence {
    /// A value as a sequence: a list that is written out is one.
    pub(super) fn of(value: Value) -> Option<Sequence> {
        match value {
            Value::Seq(own) => Some(own),
            Value::Array(None, items) => {
                let length = Typed::literal(Kind::Int, items.len() as i64);
                Some(Sequence { length, items, normal: false })
            }
            _ => None,
        }
    }

    /// The condition that there is an item with this index.
    fn has(&self, index: i64) -> Typed {
        strict(Operator::Lt, Typed::literal(Kind::Int, index), self.length.clone(), Kind::Bool)
    }
}

impl<'a> Checker<'a> {
    /// `append(q, e)`, `head(q)` or `tail(q)`; `None` if it is something else.
    pub(super) fn sequence_call(
        &mut self,
        scope: &mut Scope<'a>,
        name: &'a Name,
        arguments: &'a [syntax::Expr],
        span: Span,
    ) -> Option<Value> {
        let text = name.text.as_str();
        if !OPERATIONS.contains(&text) || self.names.contains_key(text) {
            return None;
        }
        let expected = if text == "append" { 2 } else { 1 };
        if arguments.len() != expected {
            self.wrong_count(span, &format!("`{text}`"), expected, "argument", arguments.len());
            return Some(Value::Unknown);
        }
        if text == "head" {
            let reference = self.reference(scope, &arguments[0]);
            let first = Typed::literal(Kind::Int, 0);
            let item = self.item_of(reference, arguments[0].span, first, span);
            return Some(item.map_or(Value::Unknown, |item| self.value_of(item, &arguments[0])));
        }
        let shape = self.shape_at(scope, &arguments[0]);
        let sequence = self.sequence(scope, &arguments[0]);
        let item = arguments.get(1).map(|item| {
            let inner = match &shape {
                Some(Shape::Seq(_, inner)) => Some(&**inner),
                _ => None,
            };
            (self.value(scope, item, inner), item.span)
        });
        let Some(sequence) = sequence else { return Some(Value::Unknown) };
        Some(match item {
            None => {
                let (own, base) = (self.written(span), self.written(arguments[0].span));
                self.tail(sequence, format!("`{own}`: `{base}` is empty"))
            }
            Some((item, _)) if item.is_unknown() => Value::Unknown,
            Some((item, span)) => self.append(sequence, &item, span),
        })
    }

    /// The shape of what an expression refers to, if it is a place with a shape. Reports nothing.
    pub(super) fn shape_at(&self, scope: &Scope<'a>, expr: &syntax::Expr) -> Option<Shape> {
        match &expr.kind {
            ExprKind::Name(text) => {
                let bound = scope.bound.iter().rev().find(|(name, _)| name.text == *text);
                if let Some((_, meaning)) = bound {
                    return match meaning {
                        Meaning::Refers(Reference::Stored(located)) => Some(located.shape.clone()),
                        _ => None,
                    };
                }
                let local = scope.locals().and_then(|owner| self.family(owner).locals.get(text.as_str()));
                let id = match (local, self.names.get(text.as_str())) {
                    (Some((id, _)), _) => id,
                    (None, Some((_, Global::Shared(id)))) => id,
                    _ => return None,
                };
                self.shapes.get(id).cloned()
            }
            ExprKind::Item(base, _) => match self.shape_at(scope, base)? {
                Shape::Array(_, _, inner) | Shape::Seq(_, inner) => Some(*inner),
                _ => None,
            },
            ExprKind::Field(base, name) => match self.shape_at(scope, base)? {
                Shape::Record(number, shapes) => {
                    let fields = self.records[number].fields.iter();
                    let at = fields.into_iter().position(|field| field.name.text == name.text)?;
                    shapes.get(at).cloned()
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The sequence that an expression denotes.
    fn sequence(&mut self, scope: &mut Scope<'a>, expr: &'a syntax::Expr) -> Option<Sequence> {
        let value = self.value(scope, expr, None);
        if value.is_unknown() {
            return None;
        }
        let found = self.value_kind(&value);
        let sequence = Sequence::of(value);
        if sequence.is_none() {
            let message = format!("`{}` is not a sequence", self.written(expr.span));
            self.error(expr.span, message, format!("this is {found}"));
        }
        sequence
    }

    fn append(&mut self, own: Sequence, item: &Value, span: Span) -> Value {
        let Sequence { length, items, .. } = own;
        let mut longer = Vec::new();
        let (least, most) = (length.range.lo, length.range.hi.min(items.len() as i64));
        for (index, before) in (0..).zip(items.into_iter().map(Some).chain([None])) {
            if index > most {
                break;
            }
            let same = strict(Operator::Eq, length.clone(), Typed::literal(Kind::Int, index), Kind::Bool);
            longer.push(match before {
                Some(before) if index < least => before,
                Some(before) => self.chosen_of(&same, item.clone(), before, span),
                None => item.clone(),
            });
        }
        let (range, _) = length.range.add(super::interval::Interval::exactly(1));
        let expr = fold::add(length.expr, Expr::Int(1));
        let length = Typed { expr, kind: Kind::Int, range, total: length.total };
        Value::Seq(Sequence { length, items: longer, normal: false })
    }

    fn tail(&mut self, own: Sequence, none: String) -> Value {
        let Sequence { length, mut items, normal } = own;
        let less = strict(Operator::Sub, length.clone(), Typed::literal(Kind::Int, 1), Kind::Int);
        let most = less.range.hi.max(0);
        let some = strict(Operator::Lt, Typed::literal(Kind::Int, 0), length, Kind::Bool);
        let expr = if some.is_always() {
            less.expr
        } else {
            let nothing = self.no_value(Kind::Int, none);
            fold::choice(some.expr, less.expr, nothing)
        };
        let range = super::interval::Interval::new(less.range.lo.max(0), most);
        if !items.is_empty() {
            items.remove(0);
        }
        let length = Typed { expr, kind: Kind::Int, range, total: false };
        Value::Seq(Sequence { length, items, normal })
    }

    /// Whether two sequences are equal: they have the same length, and the same items up to it.
    pub(super) fn same_sequence(&mut self, a: &Sequence, b: &Sequence, spans: [Span; 3]) -> Option<Typed> {
        let mut parts = vec![strict(Operator::Eq, a.length.clone(), b.length.clone(), Kind::Bool)];
        for (index, (own, other)) in (0..).zip(a.items.iter().zip(&b.items)) {
            let same = self.equal(own, other, spans)?;
            let has = a.has(index);
            let needed = a.normal && b.normal || has.is_always() || b.has(index).is_always();
            parts.push(if needed { same } else { strict(Operator::Implies, has, same, Kind::Bool) });
        }
        Some(all_of(parts))
    }

    /// The length and the items of a sequence as a variable with this room takes them.
    pub(super) fn fit_sequence(
        &mut self,
        own: Sequence,
        (room, inner): (i64, &Shape),
        taker: Taker<'_>,
        checks: &mut Vec<(Expr, String)>,
    ) -> (Typed, Vec<Value>) {
        if own.length.range.hi > room {
            let items = super::definitions::count(room as usize, "item");
            let text = format!("{} has no room: it holds at most {items}", taker.name);
            if own.length.range.lo > room {
                self.always_wrong(Diagnostic::error(taker.span, text.clone(), "too long"));
            }
            let fits = strict(Operator::Le, own.length.clone(), Typed::literal(Kind::Int, room), Kind::Bool);
            checks.push((fits.expr, text));
        }
        let mut items = Vec::new();
        for index in 0..room {
            let default = Self::default_of(inner);
            items.push(match own.items.get(index as usize) {
                None => default,
                Some(item) if own.normal => item.clone(),
                Some(item) => {
                    let has = own.has(index);
                    if has.is_always() {
                        item.clone()
                    } else {
                        self.chosen_of(&has, item.clone(), default, taker.span)
                    }
                }
            });
        }
        (own.length, items)
    }

    /// What `base[index]` refers to, if `base` is a sequence, an array with a shape, or computed.
    pub(super) fn item_of(
        &mut self,
        base: Reference,
        base_span: Span,
        index: Typed,
        span: Span,
    ) -> Option<Reference> {
        let text = self.written(base_span);
        let inside = span.start <= base_span.start && base_span.end <= span.end;
        // In `head(q)` the base is a part of what is written, in `q[k]` it stands before the index.
        let whole =
            if inside { self.written(span).to_owned() } else { format!("{text}[{}]", self.written(span)) };
        match base {
            Reference::Stored(located) => match located.shape.clone() {
                Shape::Array(_, own, inner) => {
                    self.check_index(&index, span, own.values, &format!("the array `{text}`"));
                    Some(Self::located(located.part(*inner, 0, [index.expr])))
                }
                Shape::Seq(room, inner) => {
                    let own = super::interval::Interval::new(0, room - 1);
                    self.check_index(&index, span, own, &format!("the sequence `{text}`"));
                    let length = located.read(&Shape::length(room), 0, []);
                    let inside = strict(Operator::Lt, index.clone(), length, Kind::Bool);
                    let none = no_item("item", &whole, text, &index);
                    let outside = self.no_value(Kind::Int, none);
                    let position = fold::choice(inside.expr, index.expr, outside);
                    Some(Self::located(located.part(*inner, 1, [position])))
                }
                Shape::Set(..) => {
                    let message = format!("`{text}` is a set, and a set has no order");
                    let diagnostic = Diagnostic::error(span, message, "has no elements with an index");
                    self.report(diagnostic.help(format!("write `x in {text}`")));
                    None
                }
                _ => {
                    self.error(span, format!("`{text}` is not an array"), "has no elements");
                    None
                }
            },
            Reference::Whole(Value::Array(own, items)) => {
                let lo = own.map_or(1, |own| own.values.lo);
                let all = super::interval::Interval::new(lo, lo + items.len() as i64 - 1);
                self.check_index(&index, span, all, &format!("the array `{text}`"));
                let none = format!("`{whole}`: `{text}` goes from {lo} to {}", all.hi);
                self.picked(items, lo, &index, (None, none), span)
            }
            Reference::Whole(Value::Seq(own)) => {
                let length = own.length.clone();
                let none = no_item("item", &whole, text, &index);
                self.picked(own.items, 0, &index, (Some(length), none), span)
            }
            Reference::Unknown => None,
            _ => {
                self.error(base_span, format!("`{text}` is not a sequence"), "has no items");
                None
            }
        }
    }

    /// The item with this index; a fault with the text `none` if there is none.
    fn picked(
        &mut self,
        items: Vec<Value>,
        lo: i64,
        index: &Typed,
        (length, none): (Option<Typed>, String),
        span: Span,
    ) -> Option<Reference> {
        if index.is_unknown() {
            return None;
        }
        let hi = lo + items.len() as i64 - 1;
        let mut found: Option<Value> = None;
        for (number, item) in (lo..).zip(items) {
            let same = strict(
                Operator::Eq,
                Typed { kind: Kind::Int, ..index.clone() },
                Typed::literal(Kind::Int, number),
                Kind::Bool,
            );
            found = Some(match found {
                None => item,
                Some(other) => self.chosen_of(&same, item, other, span),
            });
        }
        let Some(found) = found else {
            let message = "this sequence never has an item here";
            self.always_wrong(Diagnostic::error(span, message, "always outside"));
            return None;
        };
        let number = Typed { kind: Kind::Int, ..index.clone() };
        let within = index.range.is_within(super::interval::Interval::new(lo, hi));
        let mut conditions = Vec::new();
        if !within {
            conditions.push(strict(Operator::Le, Typed::literal(Kind::Int, lo), number.clone(), Kind::Bool));
            conditions.push(strict(Operator::Le, number.clone(), Typed::literal(Kind::Int, hi), Kind::Bool));
        }
        conditions.extend(length.map(|length| strict(Operator::Lt, number, length, Kind::Bool)));
        let inside = all_of(conditions);
        let found = if inside.is_always() {
            found
        } else {
            let mut outside = |typed: &Typed| {
                let nothing = self.no_value(typed.kind, none.clone());
                let expr = fold::choice(inside.expr.clone(), typed.expr.clone(), nothing);
                Typed { expr, total: false, ..typed.clone() }
            };
            found.map(&mut outside)
        };
        Some(match found {
            Value::One(typed) => Reference::Value(typed),
            Value::Unknown => return None,
            other => Reference::Whole(other),
        })
    }

    /// A place, as a reference: one without parts is a variable.
    pub(super) fn located(located: Located) -> Reference {
        let mut inner = &located.shape;
        while let Shape::Array(_, _, element) = inner {
            inner = element;
        }
        match inner {
            Shape::One(_) => {
                let Located { first, process, position, .. } = located;
                Reference::Variable { id: first, process, position }
            }
            _ => Reference::Stored(located),
        }
    }

    /// `len(q)`, `empty(q)` and `full(q)`, and `empty(S)`, if it is not about a channel: its length and its room.
    pub(super) fn length_of(
        &mut self,
        scope: &mut Scope<'a>,
        expr: &'a syntax::Expr,
    ) -> Option<(Typed, Option<i64>)> {
        if self.is_about_channel(scope, expr) {
            return None;
        }
        let unknown = Some((Typed::unknown(), None));
        if matches!(expr.kind, ExprKind::Name(_) | ExprKind::Item(..) | ExprKind::Field(..)) {
            match self.reference(scope, expr) {
                Reference::Unknown => return unknown,
                Reference::Stored(located) => match &located.shape {
                    Shape::Seq(room, _) => {
                        return Some((located.read(&Shape::length(*room), 0, []), Some(*room)));
                    }
                    Shape::Set(..) => return Some((self.size_of(&Held::Stored(located)), None)),
                    _ => {}
                },
                Reference::Whole(Value::Seq(own)) => return Some((own.length, Some(own.items.len() as i64))),
                Reference::Whole(Value::Set(own)) => {
                    return Some((self.size_of(&Held::Members(own)), None));
                }
                _ => {}
            }
        } else {
            match self.value(scope, expr, None) {
                Value::Seq(own) => return Some((own.length, None)),
                Value::Array(None, items) => {
                    return Some((Typed::literal(Kind::Int, items.len() as i64), None));
                }
                Value::Set(own) => return Some((self.size_of(&Held::Members(own)), None)),
                value if value.is_unknown() => return unknown,
                _ => {}
            }
        }
        let message = format!("`{}` is neither a channel nor a sequence", self.written(expr.span));
        self.error(expr.span, message, "has no length");
        unknown
    }

    /// Whether an expression begins with the name of a channel.
    fn is_about_channel(&self, scope: &Scope<'a>, expr: &syntax::Expr) -> bool {
        match &expr.kind {
            ExprKind::Item(base, _) => self.is_about_channel(scope, base),
            ExprKind::Name(text) => {
                let bound = scope.bound.iter().rev().find(|(name, _)| name.text == *text);
                match (bound, self.names.get(text.as_str())) {
                    (Some((_, meaning)), _) => matches!(meaning, Meaning::Refers(Reference::Channel { .. })),
                    (None, Some((_, global))) => matches!(global, Global::Channel(_)),
                    (None, None) => false,
                }
            }
            _ => false,
        }
    }

    /// The assignments of `q = append(q, e)`: the item behind the last, and the length.
    pub(super) fn appended(&mut self, located: &Located, item: &Value, taker: Taker<'_>) -> Option<Assigned> {
        let Shape::Seq(room, inner) = &located.shape else { return None };
        let fitted = self.fit(inner, item, taker)?;
        let length = located.read(&Shape::length(*room), 0, []);
        let fits = strict(Operator::Lt, length.clone(), Typed::literal(Kind::Int, *room), Kind::Bool);
        let items = super::definitions::count(*room as usize, "item");
        let mut checks = vec![(fits.expr, format!("{} has no room: it holds at most {items}", taker.name))];
        checks.extend(fitted.checks);
        let behind = located.part((**inner).clone(), 1, [length.expr.clone()]);
        let mut places = Self::placed(&behind, fitted.slots);
        places.push((located.leaf(0, []), fold::add(length.expr, Expr::Int(1))));
        Some((places, checks))
    }
}

/// What a fault says if `base` has no item or message with this index, where `whole` is what is written.
pub(super) fn no_item(what: &str, whole: &str, base: &str, index: &Typed) -> String {
    let what = match fold::constant(&index.expr) {
        Some(0) => "is empty".to_owned(),
        Some(known) => format!("has no {what} {known}"),
        None => format!("has no {what} with this index"),
    };
    format!("`{whole}`: `{base}` {what}")
}
