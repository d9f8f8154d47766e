//! Channels that are networks: `unordered`, `lossy` and `duplicating`; and looking at messages without taking them.
//!
//! An unordered channel is a bag of messages. It is held as a sorted queue, so that equal bags are equal states: sending
//! inserts a message at its place, and receiving chooses any of them.
//!
//! Losing and doubling are steps of the channel itself. A channel that does so is a process without variables, which has
//! the name of the channel and belongs to the environment, with the actions `c.lose` and `c.duplicate`. Each is about any
//! message; a copy comes right behind its original.
//!
//! `c[k]` is the message at position `k`, from 0 for the oldest. It is a fault if there is none. `exists m in c: e`
//! and the like go through the messages.

use model::expr::{Operator, Party, Quantifier, Span as Values};
use model::system::{Marked, Participant, Scalar};
use model::{Action, Binder, Expr, Family, FamilyId, Place, Update, VariableId};

use super::expressions::Typed;
use super::interval::Interval;
use super::lets::Taken;
use super::names::{Global, Meaning, Scope};
use super::paths::{Choice, Part, as_number};
use super::places::Reference;
use super::sequences::no_item;
use super::shapes::Shape;
use super::values::Value;
use super::{Checker, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, ExprKind, Network, Range, Span};

const LOSE: &str = "lose";
const DUPLICATE: &str = "duplicate";

/// The slots of one channel.
pub(super) struct Slots {
    /// Which channel of an array.
    pub(super) index: Option<Expr>,
    pub(super) length: VariableId,
    pub(super) room: i64,
    pub(super) fields: Vec<Column>,
}

/// A single value of the messages: a field, or a part of one.
pub(super) struct Column {
    pub(super) slots: VariableId,
    /// Its position in the arrays inside a message.
    pub(super) inner: Vec<i64>,
    pub(super) kind: Kind,
    pub(super) range: Interval,
    pub(super) default: Expr,
}

/// Assignments of a step.
type Writes = Vec<(Place, Expr)>;

impl Slots {
    fn length(&self) -> Place {
        Place { variable: self.length, process: None, position: self.index.clone().into_iter().collect() }
    }

    /// The condition that there is a message at a position.
    fn holds(&self, position: Expr) -> Expr {
        Expr::binary(Operator::Gt, Expr::Read(self.length()), position)
    }

    fn at(&self, field: &Column, position: Expr) -> Place {
        let inner = field.inner.iter().copied().map(Expr::Int);
        let position = self.index.clone().into_iter().chain([position]).chain(inner).collect();
        Place { variable: field.slots, process: None, position }
    }

    /// The value at a position.
    fn value(&self, field: &Column, position: &Expr) -> Typed {
        let expr = Expr::Read(self.at(field, position.clone()));
        Typed { expr, kind: field.kind, range: field.range, total: false }
    }

    fn read(&self, field: &Column, position: i64) -> Expr {
        Expr::Read(self.at(field, Expr::Int(position)))
    }

    fn becomes(&self, by: i64) -> (Place, Expr) {
        (self.length(), fold::add(Expr::Read(self.length()), Expr::Int(by)))
    }

    /// Takes the message at a position away. Those behind it move up.
    fn without(&self, position: &Expr) -> Writes {
        let mut writes = Vec::new();
        for field in &self.fields {
            for k in 0..self.room - 1 {
                let before = fold::binary(Operator::Gt, position.clone(), Expr::Int(k));
                let value = fold::choice(before, self.read(field, k), self.read(field, k + 1));
                writes.push((self.at(field, Expr::Int(k)), value));
            }
            writes.push((self.at(field, Expr::Int(self.room - 1)), field.default.clone()));
        }
        writes.push(self.becomes(-1));
        writes
    }

    /// Doubles the message at a position. Those behind it move down.
    fn doubled(&self, position: &Expr) -> Writes {
        let mut writes = Vec::new();
        for field in &self.fields {
            for k in 1..self.room {
                let up_to = fold::binary(Operator::Ge, position.clone(), Expr::Int(k));
                let value = fold::choice(up_to, self.read(field, k), self.read(field, k - 1));
                writes.push((self.at(field, Expr::Int(k)), value));
            }
        }
        writes.push(self.becomes(1));
        writes
    }

    /// Puts a message at its place in the order.
    fn with(&self, message: &[Expr]) -> Writes {
        // The messages that stay where they are: those not greater than the new one.
        let stays = |k: i64| fold::and([self.holds(Expr::Int(k)), self.not_above(k, message)]);
        let mut writes = Vec::new();
        for (field, new) in self.fields.iter().zip(message) {
            for k in 0..self.room {
                let moved = match k {
                    0 => new.clone(),
                    _ => fold::choice(stays(k - 1), new.clone(), self.read(field, k - 1)),
                };
                writes
                    .push((self.at(field, Expr::Int(k)), fold::choice(stays(k), self.read(field, k), moved)));
            }
        }
        writes.push(self.becomes(1));
        writes
    }

    /// The condition that the message at a position is not greater than another, field by field.
    fn not_above(&self, position: i64, message: &[Expr]) -> Expr {
        let pairs: Vec<(Expr, Expr)> = (self.fields.iter().zip(message))
            .map(|(field, new)| {
                let number = |expr: Expr| {
                    as_number(Typed { expr, kind: field.kind, range: field.range, total: false })
                };
                (number(self.read(field, position)), number(new.clone()))
            })
            .collect();
        let mut condition = Expr::Bool(true);
        for (number, (own, new)) in pairs.into_iter().enumerate().rev() {
            let last = number + 1 == self.fields.len();
            condition = if last {
                fold::binary(Operator::Le, own, new)
            } else {
                let less = fold::binary(Operator::Lt, own.clone(), new.clone());
                fold::or([less, fold::and([fold::binary(Operator::Eq, own, new), condition])])
            };
        }
        condition
    }
}

/// Parts that are done with a chosen message.
pub(super) fn in_choice(choice: Option<Choice>, parts: Vec<Part>) -> Vec<Part> {
    match choice {
        None => parts,
        Some(choice) => vec![Part::Choose(Choice { body: parts, ..choice })],
    }
}

impl<'a> Checker<'a> {
    /// Sends a message to an unordered channel.
    pub(super) fn send_sorted(&mut self, slots: &Slots, message: &[Expr], span: Span) -> Vec<Part> {
        let size: usize = message.iter().map(fold::size).sum();
        if !self.copy(span, (size + 20).saturating_mul(2 * slots.room as usize * slots.fields.len())) {
            return vec![Part::unknown()];
        }
        let room = Expr::binary(Operator::Lt, Expr::Read(slots.length()), Expr::Int(slots.room));
        vec![Part::Wait(Typed::truth(room)), Part::Do(Update::Assign(slots.with(message)))]
    }

    /// Any message of a channel, and how it is taken away.
    pub(super) fn any_message(&mut self, slots: &Slots, shapes: Vec<Shape>, span: Span) -> Option<Taken> {
        if !self.copy(span, 10 * slots.room as usize * slots.fields.len()) {
            return None;
        }
        let binder = self.position_in(slots);
        let position = Expr::Index(binder.index);
        let choice = Choice {
            binder,
            member: Typed::literal(Kind::Bool, 1),
            inhabited: false,
            admissible: Typed::truth(slots.holds(position.clone())),
            body: Vec::new(),
            span,
        };
        Some(Taken {
            waits: Typed::literal(Kind::Bool, 1),
            shapes,
            message: slots.fields.iter().map(|field| slots.value(field, &position)).collect(),
            take: Update::Assign(slots.without(&position)),
            choice: Some(choice),
        })
    }

    /// An index for the positions of a channel.
    fn position_in(&mut self, slots: &Slots) -> Binder {
        let span = Values::between(0, slots.room - 1);
        Binder { index: self.fresh("message", Scalar::Range(span.clone())), span }
    }

    /// Adds the steps of channels that lose and double messages.
    pub(super) fn networks(&mut self) {
        for number in 0..self.channels.len() {
            let Network { lossy, duplicating, .. } = self.channels[number].network;
            if !lossy && !duplicating {
                continue;
            }
            let name = self.channels[number].name.text.clone();
            let ranged = self.channels[number].range.clone();
            let index = ranged.map(|ranged| {
                let index = self.fresh("channel", ranged.scalar());
                Binder { index, span: ranged.span }
            });
            let which = index.as_ref().map(|binder| Expr::Index(binder.index));
            let Some(slots) = self.slots(number, which) else { continue };
            let family = FamilyId(self.system.families.len() as u32);
            self.channels[number].family = Some(family);
            self.system.environment.push(Marked { family, label: None });
            let own = index.as_ref().map(|binder| binder.index);
            self.system.families.push(Family { name, index, location: None });
            let some = slots.holds(Expr::Int(0));
            let room = Expr::binary(Operator::Lt, Expr::Read(slots.length()), Expr::Int(slots.room));
            let mut add = |label: &str, guard: Expr, writes: &dyn Fn(&Expr) -> Writes| {
                let binder = self.position_in(&slots);
                let position = Expr::Index(binder.index);
                let held = slots.holds(position.clone());
                let update = Update::Choose(binder, held, Box::new(Update::Assign(writes(&position))));
                let label = label.to_owned();
                let participants = vec![Participant { family, index: own, only: None, label }];
                self.system.actions.push(Action { participants, parameters: Vec::new(), guard, update });
            };
            if lossy {
                add(LOSE, some.clone(), &|position| slots.without(position));
            }
            if duplicating {
                add(DUPLICATE, fold::and([some, room]), &|position| slots.doubled(position));
            }
        }
    }

    /// `c.lose`, `c[1].duplicate`, `c`
    pub(super) fn channel_party(
        &mut self,
        scope: &mut Scope<'a>,
        party: &'a syntax::Party,
        number: usize,
    ) -> Option<Party> {
        let name = &party.process.text;
        let Network { lossy, duplicating, .. } = self.channels[number].network;
        let known = [(lossy, LOSE), (duplicating, DUPLICATE)];
        let labels: Vec<&str> = known.iter().filter(|(is, _)| *is).map(|(_, label)| *label).collect();
        let range = self.channels[number].range.clone();
        let kind = range.as_ref().map_or(Kind::Int, |own| own.kind);
        let indices: Vec<Typed> =
            party.indices.iter().map(|index| self.of_kind(scope, index, kind)).collect();
        let family = self.channels[number].family;
        if labels.is_empty() {
            let message = format!("channel `{name}` takes no steps of its own");
            let diagnostic = Diagnostic::error(party.process.span, message, "neither lossy nor duplicating");
            self.report(diagnostic);
            return None;
        }
        let process = match (&indices[..], &range) {
            ([], _) => None,
            ([index], Some(range)) => {
                if index.is_unknown() {
                    return None;
                }
                let of = format!("the array of channels `{name}`");
                self.check_index(index, party.indices[0].span, range.values(), &of);
                Some(Box::new(index.expr.clone()))
            }
            _ => {
                let span = party.indices[0].span;
                let expected = if range.is_some() { "one index" } else { "no index" };
                self.error(span, format!("channel `{name}` has {expected}"), "too many");
                return None;
            }
        };
        let label = match &party.label {
            None => None,
            Some(label) if labels.contains(&label.text.as_str()) => Some(label.text.clone()),
            Some(label) => {
                let message = format!("channel `{name}` has no step `{}`", label.text);
                let diagnostic = Diagnostic::error(label.span, message, "not a step of this channel");
                self.report(self.suggest(diagnostic, &label.text, labels));
                return None;
            }
        };
        Some(Party { family: family?, process, label })
    }

    /// `c[k]`
    pub(super) fn peek(
        &mut self,
        scope: &Scope<'a>,
        (number, index): (usize, Option<Typed>),
        position: &Typed,
        (span, at): (Span, Span),
    ) -> Reference {
        if position.is_unknown() || !self.may_read(scope, span, "a channel") {
            return Reference::Unknown;
        }
        let Some((slots, shape)) = self.one_field(number, index, span) else { return Reference::Unknown };
        self.check_index(
            position,
            span,
            Interval::new(0, slots.room - 1),
            &format!("`{}`", self.written(span)),
        );
        let text = self.written(span);
        let none = no_item("message", &format!("{text}[{}]", self.written(at)), text, position);
        let nothing = self.no_value(Kind::Int, none);
        let held = slots.holds(position.expr.clone());
        let position = fold::choice(held, position.expr.clone(), nothing);
        match Self::message_at(&slots, &shape, &position) {
            Value::One(typed) => Reference::Value(typed),
            whole => Reference::Whole(whole),
        }
    }

    /// The message at a position.
    fn message_at(slots: &Slots, shape: &Shape, position: &Expr) -> Value {
        Self::rebuilt(shape, &mut slots.fields.iter().map(|field| slots.value(field, position)))
    }

    /// The slots of a channel whose messages have one field, and its shape.
    fn one_field(&mut self, number: usize, index: Option<Typed>, span: Span) -> Option<(Slots, Shape)> {
        let text = self.written(span);
        let Some(slots) = self.slots(number, index.map(|index| index.expr)) else {
            let message = format!("`{text}` has capacity 0 and never holds a message");
            self.error(span, message, "a rendezvous channel");
            return None;
        };
        let [shape] = &self.channels[number].shapes[..] else {
            let message = format!("the messages of `{text}` have several fields: which one?");
            let diagnostic = Diagnostic::error(span, message, "only a message of one field can be looked at");
            self.report(diagnostic.help("declare a record with these fields, and a channel of such records"));
            return None;
        };
        Some((slots, shape.clone()))
    }

    /// The channel that a quantifier goes through, if its range is one.
    pub(super) fn channel_in(
        &mut self,
        scope: &mut Scope<'a>,
        range: &'a Range,
    ) -> Option<(usize, Option<Typed>)> {
        let mut name = &range.lo;
        while let ExprKind::Item(base, _) = &name.kind {
            name = base;
        }
        let ExprKind::Name(text) = &name.kind else { return None };
        let bound = scope.bound.iter().rev().find(|(own, _)| own.text == *text).map(|(_, meaning)| meaning);
        let is_channel = match bound {
            Some(Meaning::Refers(Reference::Channel { .. })) => true,
            Some(_) => false,
            None => matches!(self.names.get(text.as_str()), Some((_, Global::Channel(_)))),
        };
        if range.named && is_channel { self.channel_end(scope, &range.lo) } else { None }
    }

    /// `exists m in c: e` and its like.
    pub(super) fn over_messages(
        &mut self,
        scope: &mut Scope<'a>,
        quantifier: syntax::Quantifier,
        binder: &'a syntax::Binder,
        (number, index): (usize, Option<Typed>),
        body: &'a syntax::Expr,
    ) -> Typed {
        let span = binder.range.lo.span;
        let slots =
            if self.may_read(scope, span, "a channel") { self.one_field(number, index, span) } else { None };
        let position = slots.as_ref().map(|(slots, _)| self.position_in(slots));
        let message = match (&slots, &position) {
            (Some((slots, shape)), Some(position)) => {
                match Self::message_at(slots, shape, &Expr::Index(position.index)) {
                    Value::One(message) => Meaning::Let(message),
                    whole => Meaning::Refers(Reference::Whole(whole)),
                }
            }
            _ => Meaning::Let(Typed::unknown()),
        };
        self.bind(scope, &binder.name, message);
        let kind = match quantifier {
            syntax::Quantifier::Forall | syntax::Quantifier::Exists | syntax::Quantifier::Count => Kind::Bool,
            syntax::Quantifier::Sum | syntax::Quantifier::Min | syntax::Quantifier::Max => Kind::Int,
        };
        let body = self.of_kind(scope, body, kind);
        scope.bound.pop();
        let (Some((slots, _)), Some(position)) = (slots, position) else { return Typed::unknown() };
        if body.is_unknown() {
            return body;
        }
        let held = slots.holds(Expr::Index(position.index));
        let (quantifier, body, range) = match quantifier {
            syntax::Quantifier::Forall => {
                (Quantifier::Forall, fold::binary(Operator::Implies, held, body.expr), Interval::TRUTH)
            }
            syntax::Quantifier::Exists => (Quantifier::Exists, fold::and([held, body.expr]), Interval::TRUTH),
            syntax::Quantifier::Count => {
                (Quantifier::Count, fold::and([held, body.expr]), Interval::new(0, slots.room))
            }
            syntax::Quantifier::Sum => {
                (Quantifier::Sum, fold::choice(held, body.expr, Expr::Int(0)), Interval::ALL)
            }
            syntax::Quantifier::Min | syntax::Quantifier::Max => {
                let message = "there may be no messages, and then there is no least or greatest one";
                let diagnostic = Diagnostic::error(span, message, "a channel");
                self.report(diagnostic.help("use `exists`, `forall`, `count` or `sum`"));
                return Typed::unknown();
            }
        };
        let kind = if matches!(quantifier, Quantifier::Forall | Quantifier::Exists) {
            Kind::Bool
        } else {
            Kind::Int
        };
        Typed { expr: Expr::Quantified(quantifier, position, Box::new(body)), kind, range, total: false }
    }
}
