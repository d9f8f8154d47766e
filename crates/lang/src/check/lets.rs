//! `let`: names for values inside a step.
//!
//! `let v = e;` computes `e` once, and `v` stands for the value in the rest of the block. If nothing in the rest writes
//! what `e` reads, the name is replaced by the expression, and evaluated once before in case that is a fault. Otherwise the
//! value is remembered while the rest is done, as a choice of the one value that is equal to `e`. Either way it is no part
//! of the state.
//!
//! `let v = c?;` receives: `v` is the message that is taken from the channel. If the rest does not touch the channel, the
//! message is read where it lies and taken away at the end.

use std::collections::BTreeSet;

use model::expr::Span as Values;
use model::system::Scalar;
use model::{Binder, Expr, Instance, Update};

use super::expressions::Typed;
use super::interval::Interval;
use super::names::{Meaning, Scope};
use super::networks::in_choice;
use super::operators::strict;
use super::paths::{Choice, Part, as_number, in_expr, may_fail, touched, variables};
use super::places::Reference;
use super::rendezvous::{Meeting, Message, Target};
use super::shapes::Shape;
use super::together::hole;
use super::updates::{Exit, VALUE};
use super::values::Value;
use super::{Checker, Kind};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, Name, Span, Statement};

/// The names and the value of a `let`.
type Bindings<'a> = (&'a [Option<Name>], &'a syntax::Expr);

impl<'a> Checker<'a> {
    /// `let v = e;` and the statements after it.
    pub(super) fn let_in(
        &mut self,
        scope: &mut Scope<'a>,
        (names, value): Bindings<'a>,
        rest: &'a [Statement],
        exit: Exit,
    ) -> Vec<Part> {
        let whole = self.value(&mut scope.within(VALUE), value, None);
        let name = names.first().and_then(Option::as_ref);
        let leaves: Vec<Typed> = whole.leaves().into_iter().cloned().collect();
        let unknown = whole.is_unknown();
        let bindings: Vec<(Binder, Typed)> =
            leaves.into_iter().map(|own| (self.remembered(name, &own), own)).collect();
        let bound = self.bind_all(scope, names, &[(whole, bindings.clone())]);
        let parts = self.block(scope, rest, exit);
        scope.bound.truncate(bound);
        if unknown {
            return vec![Part::unknown()];
        }
        let mut reads = BTreeSet::new();
        for (_, own) in &bindings {
            in_expr(&own.expr, &mut |variable, _| {
                reads.insert(variable);
            });
        }
        // What happens at a hole is not known yet.
        let mut changed = hole(&parts).is_some();
        variables(&parts, &mut |variable, written| changed |= written && reads.contains(&variable));
        if changed {
            return bindings
                .into_iter()
                .rfold(parts, |parts, (binder, own)| self.remember(value.span, binder, own, parts));
        }
        let numbers: Vec<(Binder, Expr)> =
            bindings.into_iter().map(|(binder, own)| (binder, as_number(own))).collect();
        let mut parts = self.replaced(value.span, &parts, &numbers);
        for (_, number) in numbers.iter().rev().filter(|(_, number)| may_fail(number)) {
            parts.insert(0, Part::Do(self.evaluated(number)));
        }
        parts
    }

    /// `let v, _ = c?;` and the statements after it.
    pub(super) fn receive_in(
        &mut self,
        scope: &mut Scope<'a>,
        (names, channel): Bindings<'a>,
        rest: &'a [Statement],
        exit: Exit,
    ) -> Vec<Part> {
        let received = self.taken_from(scope, channel, names.len());
        let mut fields = Vec::new();
        if let Some((message, shapes)) = received.as_ref().map(Received::message) {
            let mut message = message.iter().cloned();
            for (name, shape) in names.iter().zip(shapes) {
                let whole = Self::rebuilt(shape, &mut message);
                let leaves: Vec<Typed> = whole.leaves().into_iter().cloned().collect();
                let bindings: Vec<(Binder, Typed)> =
                    leaves.into_iter().map(|own| (self.remembered(name.as_ref(), &own), own)).collect();
                fields.push((whole, bindings));
            }
        }
        let bound = self.bind_all(scope, names, &fields);
        let mut parts = self.block(scope, rest, exit);
        scope.bound.truncate(bound);
        let taken = match received {
            Some(Received::Taken(taken)) => *taken,
            Some(Received::Met { channel: number, index, .. }) => {
                if self.is_open() {
                    let message = "a rendezvous is received into variables if a parameter is open";
                    let diagnostic = Diagnostic::error(channel.span, message, "the channel has capacity 0");
                    self.report(diagnostic.help("write `c?x;`"));
                }
                let targets = fields.into_iter().zip(names).flat_map(|((_, bindings), name)| {
                    let named = name.is_some();
                    bindings.into_iter().map(
                        move |(binder, _)| {
                            if named { Target::Name(binder) } else { Target::Nothing }
                        },
                    )
                });
                let message = Message::Receive(targets.collect());
                let meeting =
                    Meeting { channel: number, index, message, legal: Vec::new(), span: channel.span };
                parts.insert(0, Part::Meet(Box::new(meeting)));
                return parts;
            }
            None => return vec![Part::unknown()],
        };
        let (wait, choice) = (Part::Wait(taken.waits), taken.choice);
        let mut own = BTreeSet::new();
        variables(&[Part::Do(taken.take.clone())], &mut |variable, _| {
            own.insert(variable);
        });
        let mut touched = hole(&parts).is_some();
        variables(&parts, &mut |variable, _| touched |= own.contains(&variable));
        if touched {
            parts.insert(0, Part::Do(taken.take));
            let named = fields.into_iter().zip(names).filter(|(_, name)| name.is_some());
            for (binder, value) in named.flat_map(|((_, bindings), _)| bindings).rev() {
                parts = self.remember(channel.span, binder, value, parts);
            }
        } else {
            let bindings = fields.into_iter().flat_map(|(_, bindings)| bindings);
            let values = bindings.map(|(binder, value)| (binder, as_number(value)));
            let values: Vec<(Binder, Expr)> = values.collect();
            parts = self.replaced(channel.span, &parts, &values);
            parts.push(Part::Do(taken.take));
        }
        parts.insert(0, wait);
        in_choice(choice, parts)
    }

    /// Does nothing but evaluate a value, which may be a fault.
    fn evaluated(&mut self, value: &Expr) -> Update {
        let span = Values::between(0, 0);
        let index = self.fresh("_", Scalar::Range(span.clone()));
        Update::Choose(Binder { index, span }, touched(value), Box::new(Update::Skip))
    }

    /// An index for a value.
    fn remembered(&mut self, name: Option<&Name>, value: &Typed) -> Binder {
        let span = Values::between(value.range.lo, value.range.hi);
        let scalar = match value.kind {
            Kind::Bool => Scalar::Bool,
            Kind::Enum(id) => Scalar::Enum(id),
            _ if value.range == Interval::ALL => Scalar::Int,
            Kind::Int | Kind::Unknown => Scalar::Range(span.clone()),
        };
        let index = self.fresh(name.map_or("_", |name| &name.text), scalar);
        Binder { index, span }
    }

    /// Binds names to remembered values, or to unknown ones if there are none; returns how many names were bound before.
    fn bind_all(
        &mut self,
        scope: &mut Scope<'a>,
        names: &'a [Option<Name>],
        values: &[(Value, Vec<(Binder, Typed)>)],
    ) -> usize {
        let before = scope.bound.len();
        for (number, name) in names.iter().enumerate() {
            let Some(name) = name else { continue };
            let whole = values.get(number).map_or(Value::Unknown, |(whole, bindings)| {
                let mut bindings = bindings.iter();
                whole.map(&mut |_| {
                    bindings.next().map_or_else(Typed::unknown, |(binder, value)| in_index(binder, value))
                })
            });
            let meaning = match whole {
                Value::One(value) => Meaning::Let(value),
                Value::Unknown => Meaning::Let(Typed::unknown()),
                whole => Meaning::Refers(Reference::Whole(whole)),
            };
            self.bind(scope, name, meaning);
        }
        before
    }

    /// Parts with values in place of indices.
    fn replaced(&mut self, span: Span, parts: &[Part], values: &[(Binder, Expr)]) -> Vec<Part> {
        let mut parts = parts.to_vec();
        for (binder, value) in values {
            if !self.copy(span, super::fold::size(value)) {
                return vec![Part::unknown()];
            }
            parts = parts.iter().map(|part| part.replace(binder.index, value)).collect();
        }
        parts
    }

    /// Parts during which a value is remembered.
    fn remember(&mut self, span: Span, binder: Binder, value: Typed, parts: Vec<Part>) -> Vec<Part> {
        if value.range.length() > Instance::LIMIT as u64 || self.is_open() {
            let message = "this value has no known range, and something it depends on changes in the step";
            let diagnostic = Diagnostic::error(span, message, "cannot be remembered");
            self.report(diagnostic.help("assign it to a variable"));
            return vec![Part::unknown()];
        }
        vec![Part::Let(binder, value, parts)]
    }
}

/// The value that an index remembers.
fn in_index(binder: &Binder, value: &Typed) -> Typed {
    let index = Typed { expr: Expr::Index(binder.index), total: true, ..value.clone() };
    match value.kind {
        // An index is a number. It is compared with 0 where a truth value is needed.
        Kind::Bool => {
            let number = Typed { kind: Kind::Int, ..index };
            let truth = strict(model::expr::Operator::Ne, number, Typed::literal(Kind::Int, 0), Kind::Bool);
            Typed { range: value.range, ..truth }
        }
        _ => index,
    }
}

/// A message that a receive names.
pub(super) enum Received {
    /// It lies in a channel.
    Taken(Box<Taken>),
    /// It comes from another process, in a rendezvous. The values say only what they may be.
    Met { channel: usize, index: Option<Typed>, shapes: Vec<Shape>, message: Vec<Typed> },
}

impl Received {
    /// The single values of its fields, and their shapes.
    fn message(&self) -> (&[Typed], &[Shape]) {
        match self {
            Received::Taken(taken) => (&taken.message, &taken.shapes),
            Received::Met { message, shapes, .. } => (message, shapes),
        }
    }
}

/// What a receive takes from a channel.
pub(super) struct Taken {
    /// When there is a message.
    pub(super) waits: Typed,
    /// The shapes of its fields.
    pub(super) shapes: Vec<Shape>,
    /// The single values of its fields.
    pub(super) message: Vec<Typed>,
    /// Takes it away.
    pub(super) take: Update,
    /// Which message it is, if it may be any.
    pub(super) choice: Option<Choice>,
}
