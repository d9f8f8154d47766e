//! Channels: queues held in variables.
//!
//! A channel of capacity `k` is a length and, per field, an array of `k` slots. A field with parts, such as a record, has
//! slots for each leaf of its shape. Sending writes behind the last message.
//! Receiving takes the first slot, moves the others up and resets the last one to its default value, so that equal
//! queues are equal states. An unordered channel keeps its messages sorted ([`networks`](super::networks)). A channel of
//! capacity 0 has no variables: a send and a receive on it happen together ([`rendezvous`](super::rendezvous)).

use model::expr::{Operator, Span as Values};
use model::system::{Initial, Scalar, Type};
use model::{Expr, FamilyId, Instance, Place, Update, VariableId};

use super::bounds::{Ranged, span_of};
use super::definitions::count;
use super::expressions::Typed;
use super::interval::Interval;
use super::lets::{Received, Taken};
use super::names::{Context, Scope};
use super::networks::{Column, Slots, in_choice};
use super::operators::strict;
use super::paths::Part;
use super::places::Reference;
use super::rendezvous::{Meeting, Message, Sides, Target};
use super::shapes::{Leaf, Shape};
use super::types::type_span;
use super::updates::{Owned, VALUE};
use super::values::{Fitted, Slot, Taker, Value};
use super::{Checker, Dimension, Kind, Variable, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, ExprKind, Name, Network, Range, Span, Statement};

/// A channel or an array of channels.
pub(super) struct Channel<'a> {
    pub(super) name: &'a Name,
    source: (Option<&'a Range>, &'a syntax::Expr, &'a [syntax::Type]),
    pub(super) network: Network,
    /// The process that loses and doubles its messages.
    pub(super) family: Option<FamilyId>,
    /// The indices of an array of channels.
    pub(super) range: Option<Ranged>,
    /// `None` if there is an error in its declaration.
    capacity: Option<i64>,
    /// The shape of each field.
    pub(super) shapes: Vec<Shape>,
    /// The single values of a message.
    fields: Vec<Field>,
    /// The number of messages; a rendezvous has none.
    length: Option<VariableId>,
    /// The send and receive statements on a rendezvous channel.
    pub(super) sides: Sides,
}

/// A single value of a message: a field, or a part of one.
#[derive(Clone)]
struct Field {
    leaf: Leaf,
    /// The variable that holds it; a rendezvous has none.
    slots: Option<VariableId>,
    /// Its position in the arrays inside a message.
    inner: Vec<i64>,
}

impl<'a> Channel<'a> {
    pub(super) fn new(
        name: &'a Name,
        range: Option<&'a Range>,
        capacity: &'a syntax::Expr,
        network: Network,
        fields: &'a [syntax::Type],
    ) -> Channel<'a> {
        Channel {
            name,
            source: (range, capacity, fields),
            network,
            family: None,
            range: None,
            capacity: None,
            shapes: Vec::new(),
            fields: Vec::new(),
            length: None,
            sides: Sides::default(),
        }
    }

    /// Whether it was declared without an index.
    pub(super) fn is_single(&self) -> bool {
        self.source.0.is_none()
    }
}

impl<'a> Checker<'a> {
    /// Computes the type of a channel and creates its variables.
    pub(super) fn channel(&mut self, number: usize) {
        let (range, capacity, fields) = self.channels[number].source;
        let scope = Scope::file(Context::rigid("the declaration of a channel"));
        let ranged = range.and_then(|range| {
            let ranged = self.range(&scope, range)?;
            (!self.refuse_empty(range, &ranged, "there are no channels")).then_some(ranged)
        });
        let room = self.capacity(capacity);
        let mut shapes = Vec::new();
        let mut kinds = Vec::new();
        for field in fields {
            let Some(shape) = self.shape_of(&scope, field) else { continue };
            let Some(fitted) = self.default_of_known(&shape, type_span(field)) else { continue };
            let leaves = shape.leaf_types();
            let part =
                |slot: Slot| Field { leaf: leaves[slot.leaf].clone(), slots: None, inner: slot.position };
            kinds.extend(fitted.slots.into_iter().map(part));
            shapes.push(shape);
        }
        self.channels[number].range.clone_from(&ranged);
        if range.is_some() && ranged.is_none() || shapes.len() != fields.len() {
            return;
        }
        let Some(room) = room else { return };
        if room == 0 && self.channels[number].network != Network::default() {
            let message = "a channel of capacity 0 holds no messages";
            let label = "nothing to lose, double or reorder";
            self.error(capacity.span, message, label);
        }
        let copies = ranged.as_ref().map_or(Some(1), Ranged::length).unwrap_or(1);
        let cells = (kinds.len() as u64).saturating_mul(room as u64).saturating_add(1).saturating_mul(copies);
        if room > 0 {
            self.tally.cells = self.tally.cells.saturating_add(cells);
            if self.tally.cells > Instance::LIMIT as u64 {
                self.tally.cells -= cells;
                let what = format!(
                    "{} in channel `{}`",
                    count(cells as usize, "value"),
                    self.channels[number].name.text
                );
                let ranges: Vec<&Range> = range.into_iter().collect();
                self.refuse_size(range.map_or(capacity.span, span_of), cells, &what, &ranges);
                return;
            }
            self.queue(number, room, ranged, &shapes);
            let queue = self.channels[number].length;
            let mut first = queue.map_or(0, |length| length.0 + 1);
            let mut parts = kinds.iter_mut();
            for shape in &shapes {
                let Some(fitted) = self.default_of_known(shape, capacity.span) else { return };
                for (slot, part) in fitted.slots.into_iter().zip(&mut parts) {
                    part.slots = Some(VariableId(first + slot.leaf as u32));
                }
                first += shape.leaves() as u32;
            }
        }
        self.channels[number].capacity = Some(room);
        self.channels[number].shapes = shapes;
        self.channels[number].fields = kinds;
    }

    fn capacity(&mut self, capacity: &'a syntax::Expr) -> Option<i64> {
        let mut scope = Scope::file(Context::rigid("the capacity of a channel"));
        let typed = self.number(&mut scope, capacity);
        let typed = self.evaluate(typed, capacity.span);
        if typed.is_unknown() {
            return None;
        }
        let diagnostic = match fold::constant(&typed.expr) {
            Some(room) if (0..=Instance::LIMIT as i64).contains(&room) => return Some(room),
            Some(room) if room < 0 => Diagnostic::error(
                capacity.span,
                format!("a channel cannot have the capacity {room}"),
                "negative",
            ),
            Some(room) => {
                let label = format!("at most {} fit", Instance::LIMIT);
                Diagnostic::error(
                    capacity.span,
                    format!("the system is too large: a channel of {room} messages"),
                    label,
                )
            }
            None => Diagnostic::error(
                capacity.span,
                "the capacity of a channel is a known number",
                "depends on a parameter",
            ),
        };
        self.report_blaming(diagnostic, &[capacity]);
        None
    }

    /// The single values of the default value of a shape; reported if their number is not known.
    fn default_of_known(&mut self, shape: &Shape, span: Span) -> Option<Fitted> {
        if shape.cells().is_none() {
            self.error(span, "a message has parts of unknown number", "depends on a parameter");
            return None;
        }
        self.fit(shape, &Self::default_of(shape), Taker { name: "a field", span })
    }

    /// The variables of a queue.
    fn queue(&mut self, number: usize, room: i64, ranged: Option<Ranged>, shapes: &[Shape]) {
        let name = self.channels[number].name.text.clone();
        let (mut dimensions, mut intervals) = (Vec::new(), Vec::new());
        if let Some(ranged) = ranged {
            intervals.push(ranged.dimension());
            dimensions.push(ranged.span);
        }
        let length = self.new_variable(&format!("len({name})"), None);
        let scalar = Scalar::Range(Values::between(0, room));
        let facts =
            Variable { kind: Kind::Int, range: Interval::new(0, room), dimensions: intervals.clone() };
        self.fill(length, Type { dimensions: dimensions.clone(), scalar }, facts, Expr::Int(0));
        dimensions.push(Values::between(0, room - 1));
        intervals.push(Dimension { values: Interval::new(0, room - 1), kind: Kind::Int });
        let several = shapes.len() > 1;
        let mut fields = Vec::new();
        for (position, shape) in (1..).zip(shapes) {
            let name = if several { format!("{name}.{position}") } else { name.clone() };
            let slots: Vec<VariableId> =
                (0..shape.leaves()).map(|_| self.new_variable(&name, None)).collect();
            self.store_within(&name, shape, slots[0], (dimensions.clone(), intervals.clone()));
            fields.extend(slots);
        }
        self.channels[number].length = Some(length);
        let shapes = shapes.iter().map(|shape| self.shown_shape(shape)).collect();
        self.system.channels.push(model::system::Channel { name, length, fields, shapes });
    }

    fn fill(&mut self, id: VariableId, kind: Type, facts: Variable, initial: Expr) {
        self.variables[id.0 as usize] = facts;
        self.name_dimensions(id);
        self.system.variables[id.0 as usize].kind = kind;
        self.system.variables[id.0 as usize].initial = Initial::Among(vec![initial]);
    }

    /// `c!e, f;`
    pub(super) fn send(
        &mut self,
        scope: &mut Scope<'a>,
        statement: &'a Statement,
        channel: &'a syntax::Expr,
        values: &'a [syntax::Expr],
    ) -> Vec<Part> {
        let end = self.channel_end(scope, channel);
        let mut value_scope = scope.within(VALUE);
        let shapes = end.as_ref().map_or(Vec::new(), |(number, _)| self.channels[*number].shapes.clone());
        let expected = shapes.iter().map(Some).chain(std::iter::repeat(None));
        let lowered: Vec<Value> = values
            .iter()
            .zip(expected)
            .map(|(value, shape)| self.value(&mut value_scope, value, shape))
            .collect();
        let Some((number, index)) = end else { return vec![Part::unknown()] };
        let span = values.last().map_or(channel.span, |last| channel.span.to(last.span));
        let Some(fields) = self.fields_for(number, values.len(), span) else { return vec![Part::unknown()] };
        let name = format!("a field of `{}`", self.written(channel.span));
        let mut slots = Vec::new();
        let mut checks = Vec::new();
        for ((shape, value), source) in shapes.iter().zip(&lowered).zip(values) {
            let fitted = self.fit(shape, value, Taker { name: &name, span: source.span });
            let Some(fitted) = fitted else { return vec![Part::unknown()] };
            slots.extend(fitted.slots);
            checks.extend(fitted.checks);
        }
        let Some(length) = self.channels[number].length else {
            let text = format!("`{}`: ", self.written(span));
            for (field, slot) in fields.iter().zip(&slots) {
                let of_type = self.of_type(&field.leaf, &slot.value);
                checks.extend(
                    of_type.map(|(legal, types)| (legal, format!("{text}a value is outside {types}"))),
                );
            }
            let message = Message::Send(slots.into_iter().map(|slot| slot.value).collect());
            let (legal, span) = (self.demands(checks), statement.span);
            return vec![Part::Meet(Box::new(Meeting { channel: number, index, message, legal, span }))];
        };
        let message: Vec<Expr> = slots.into_iter().map(|slot| slot.value.expr).collect();
        if self.channels[number].network.unordered {
            let Some(slots) = self.slots(number, index.map(|index| index.expr)) else {
                return vec![Part::unknown()];
            };
            let mut parts = self.send_sorted(&slots, &message, span);
            // After the wait for room, which is the first part.
            let demands = self.demands(checks);
            parts.splice(1..1, demands);
            return parts;
        }
        let index = index.map(|index| index.expr);
        let length = Place { variable: length, process: None, position: index.clone().into_iter().collect() };
        let room = self.channels[number].capacity.unwrap_or(0);
        let read = Expr::Read(length.clone());
        let mut assignments = Vec::new();
        for (field, value) in fields.iter().zip(message) {
            let Some(slots) = field.slots else { continue };
            let inner = field.inner.iter().copied().map(Expr::Int);
            let position = index.clone().into_iter().chain([read.clone()]).chain(inner).collect();
            assignments.push((Place { variable: slots, process: None, position }, value));
        }
        assignments.push((length, fold::add(read.clone(), Expr::Int(1))));
        let enabling = Typed::truth(Expr::binary(Operator::Lt, read, Expr::Int(room)));
        let mut parts = vec![Part::Wait(enabling)];
        parts.extend(self.demands(checks));
        parts.push(Part::Do(Update::Assign(assignments)));
        parts
    }

    /// The condition that a value is of the type of a field, and that type; `None` if it always is.
    fn of_type(&self, field: &Leaf, value: &Typed) -> Option<(Expr, String)> {
        let Scalar::Range(span) = &field.scalar else { return None };
        // With an open parameter the interval of a field may be wider than its range.
        let exact = matches!((&*span.lo, &*span.hi), (Expr::Int(_), Expr::Int(_)));
        let own = match &value.expr {
            Expr::Read(place) => Some(&self.system.variable(place.variable).kind.scalar),
            Expr::Index(index) => Some(&self.system.indices[index.0 as usize].scalar),
            _ => None,
        };
        if exact && value.range.is_within(field.range) || own == Some(&field.scalar) {
            return None;
        }
        let at_least = fold::binary(Operator::Le, (*span.lo).clone(), value.expr.clone());
        let at_most = fold::binary(Operator::Le, value.expr.clone(), (*span.hi).clone());
        let range = model::show::span(&self.system, span);
        Some((fold::and([at_least, at_most]), format!("the range {range} of its field")))
    }

    /// `c?x, _;`
    pub(super) fn receive(
        &mut self,
        scope: &mut Scope<'a>,
        statement: &'a Statement,
        channel: &'a syntax::Expr,
        targets: &'a [Option<syntax::Expr>],
    ) -> Vec<Part> {
        let end = self.channel_end(scope, channel);
        let places: Vec<Option<Option<Owned>>> =
            targets.iter().map(|target| target.as_ref().map(|target| self.owned(scope, target))).collect();
        let Some((number, index)) = end else { return vec![Part::unknown()] };
        let last = targets.iter().flatten().next_back();
        let span = last.map_or(channel.span, |last| channel.span.to(last.span));
        if self.fields_for(number, targets.len(), span).is_none() {
            return vec![Part::unknown()];
        }
        let shapes = self.channels[number].shapes.clone();
        let mut takers = Vec::new();
        for ((shape, place), target) in shapes.iter().zip(places).zip(targets) {
            let (Some(place), Some(target)) = (place, target) else {
                let cells = shape.cells().unwrap_or(0) as usize;
                takers.extend(std::iter::repeat_n(Target::Nothing, cells));
                continue;
            };
            let Some(places) = place.and_then(|place| self.takers(shape, place, target.span)) else {
                return vec![Part::unknown()];
            };
            takers.extend(places.into_iter().map(Target::Place));
        }
        let Some(length) = self.channels[number].length else {
            let (message, span) = (Message::Receive(takers), statement.span);
            let meeting = Meeting { channel: number, index, message, legal: Vec::new(), span };
            return vec![Part::Meet(Box::new(meeting))];
        };
        let Some(taken) = self.next_message(number, length, index, statement.span) else {
            return vec![Part::unknown()];
        };
        let (waits, choice) = (taken.waits, taken.choice);
        let values = taken.message.into_iter().map(|value| value.expr);
        let pairs = takers.into_iter().zip(values);
        let mut assignments: Vec<(Place, Expr)> = pairs
            .filter_map(|(taker, value)| match taker {
                Target::Place(place) => Some((place, value)),
                Target::Name(_) | Target::Nothing => None,
            })
            .collect();
        if let Update::Assign(take) = taken.take {
            assignments.extend(take);
        }
        in_choice(choice, vec![Part::Wait(waits), Part::Do(Update::Assign(assignments))])
    }

    /// The places that take a field of a message, in the order of its single values.
    fn takers(&mut self, shape: &Shape, owned: Owned, span: Span) -> Option<Vec<Place>> {
        let name = format!("`{}`", self.written(span));
        let taker = Taker { name: &name, span };
        let message =
            |leaf: &Leaf| Typed { expr: Expr::Int(0), kind: leaf.kind, range: leaf.range, total: true };
        let Some(located) = owned.located() else {
            let place = self.element(owned.id, owned.process, owned.position, span)?;
            let Shape::One(leaf) = shape else {
                let (expected, found) = (self.kind_name(place.kind), self.shape_name(shape));
                let message = format!("{name} is {expected}, but the message has {found} here");
                self.error(span, message, format!("expected a variable for {found}"));
                return None;
            };
            self.fits(&place, &name, message(leaf), span)?;
            return Some(vec![place.place]);
        };
        let leaves = shape.leaf_types();
        let parts = self.fit(shape, &Self::default_of(shape), taker)?;
        let mut parts = parts.slots.into_iter().map(|slot| message(&leaves[slot.leaf]));
        let value = Self::rebuilt(shape, &mut parts);
        let fitted = self.fit(&located.shape, &value, taker)?;
        if !fitted.checks.is_empty() || fitted.slots.len() as u64 != shape.cells()? {
            let message = format!("{name} does not have the type of the message");
            self.error(span, message, "a set or a sequence of another type");
            return None;
        }
        Some(Self::placed(&located, fitted.slots).into_iter().map(|(place, _)| place).collect())
    }

    /// The message that a receive into names takes.
    pub(super) fn taken_from(
        &mut self,
        scope: &mut Scope<'a>,
        channel: &'a syntax::Expr,
        names: usize,
    ) -> Option<Received> {
        let (number, index) = self.channel_end(scope, channel)?;
        self.fields_for(number, names, channel.span)?;
        if let Some(length) = self.channels[number].length {
            let taken = self.next_message(number, length, index, channel.span)?;
            return Some(Received::Taken(Box::new(taken)));
        }
        let field = |field: &Field| {
            let Leaf { kind, range, .. } = field.leaf;
            Typed { expr: Expr::Int(0), kind, range, total: true }
        };
        let Channel { shapes, fields, .. } = &self.channels[number];
        let (shapes, message) = (shapes.clone(), fields.iter().map(field).collect());
        Some(Received::Met { channel: number, index, shapes, message })
    }

    /// The message that a receive takes: the oldest, or any of an unordered channel.
    fn next_message(
        &mut self,
        number: usize,
        length: VariableId,
        index: Option<Typed>,
        span: Span,
    ) -> Option<Taken> {
        if self.channels[number].network.unordered {
            let slots = self.slots(number, index.map(|index| index.expr))?;
            let shapes = self.channels[number].shapes.clone();
            return self.any_message(&slots, shapes, span);
        }
        self.oldest(number, length, index, span)
    }

    /// The slots of one channel; `None` if there is an error in its declaration, or if it has none.
    pub(super) fn slots(&self, number: usize, index: Option<Expr>) -> Option<Slots> {
        let channel = &self.channels[number];
        let (room, length) = (channel.capacity?, channel.length?);
        let field = |field: &Field| {
            let Field { leaf, slots, inner } = field;
            let default = Self::default_value(&leaf.scalar);
            Some(Column {
                slots: (*slots)?,
                inner: inner.clone(),
                kind: leaf.kind,
                range: leaf.range,
                default,
            })
        };
        let fields = channel.fields.iter().map(field).collect::<Option<Vec<_>>>()?;
        Some(Slots { index, length, room, fields })
    }

    /// The oldest message of a queue, and how it is taken away.
    fn oldest(
        &mut self,
        number: usize,
        length: VariableId,
        index: Option<Typed>,
        span: Span,
    ) -> Option<Taken> {
        let index = index.map(|index| index.expr);
        let length = Place { variable: length, process: None, position: index.clone().into_iter().collect() };
        let room = self.channels[number].capacity.unwrap_or(0);
        let fields = self.channels[number].fields.clone();
        let slot = |slots: VariableId, k: i64, inner: &[i64]| {
            let inner = inner.iter().copied().map(Expr::Int);
            let position = index.clone().into_iter().chain([Expr::Int(k)]).chain(inner).collect();
            Place { variable: slots, process: None, position }
        };
        if !self.copy(span, room as usize * fields.len()) {
            return None;
        }
        let mut message = Vec::new();
        let mut assignments = Vec::new();
        for field in &fields {
            let slots = field.slots?;
            let (leaf, inner) = (&field.leaf, &field.inner);
            let expr = Expr::Read(slot(slots, 0, inner));
            message.push(Typed { expr, kind: leaf.kind, range: leaf.range, total: false });
            let moved = |k| (slot(slots, k - 1, inner), Expr::Read(slot(slots, k, inner)));
            assignments.extend((1..room).map(moved));
            assignments.push((slot(slots, room - 1, inner), Self::default_value(&leaf.scalar)));
        }
        let read = Expr::Read(length.clone());
        assignments.push((length, Expr::binary(Operator::Sub, read.clone(), Expr::Int(1))));
        let waits = Typed::truth(Expr::binary(Operator::Gt, read, Expr::Int(0)));
        let shapes = self.channels[number].shapes.clone();
        Some(Taken { waits, shapes, message, take: Update::Assign(assignments), choice: None })
    }

    /// The one channel an expression denotes, and its index.
    pub(super) fn channel_end(
        &mut self,
        scope: &mut Scope<'a>,
        channel: &'a syntax::Expr,
    ) -> Option<(usize, Option<Typed>)> {
        let text = self.written(channel.span);
        // With an index, a single channel means one of its messages.
        if let ExprKind::Item(base, _) = &channel.kind
            && let Reference::Channel { number, index: None } = self.reference(scope, base)
            && self.channels[number].is_single()
        {
            let message = format!("`{}` is a single channel", self.written(base.span));
            self.error(channel.span, message, "has no index");
            return None;
        }
        match self.reference(scope, channel) {
            Reference::Channel { number, index } => {
                if index.is_none() && !self.channels[number].is_single() {
                    let message = format!("`{text}` is an array of channels: which one?");
                    let diagnostic = Diagnostic::error(channel.span, message, "an array of channels");
                    self.report(diagnostic.help(format!("write `{text}[…]`")));
                    return None;
                }
                Some((number, index))
            }
            Reference::Unknown => None,
            Reference::Value(_)
            | Reference::Variable { .. }
            | Reference::Process { .. }
            | Reference::Stored(_)
            | Reference::Whole(_)
            | Reference::Table { .. } => {
                self.error(channel.span, format!("`{text}` is not a channel"), "not a channel");
                None
            }
        }
    }

    /// The fields of a channel's messages, if a message with this many values fits.
    fn fields_for(&mut self, number: usize, given: usize, span: Span) -> Option<Vec<Field>> {
        let channel = &self.channels[number];
        channel.capacity?;
        let expected = channel.shapes.len();
        if expected != given {
            let what = format!("a message of `{}`", channel.name.text);
            self.wrong_count(span, &what, expected, "field", given);
            return None;
        }
        Some(channel.fields.clone())
    }

    /// `len(c)`, or the length of a sequence
    pub(super) fn len(&mut self, scope: &mut Scope<'a>, channel: &'a syntax::Expr) -> Typed {
        if let Some((length, _)) = self.length_of(scope, channel) {
            return length;
        }
        let Some((number, index)) = self.channel_end(scope, channel) else { return Typed::unknown() };
        if !self.may_read(scope, channel.span, "a channel") || self.channels[number].capacity.is_none() {
            return Typed::unknown();
        }
        let Some(length) = self.channels[number].length else {
            let message =
                format!("`{}` has capacity 0 and never holds a message", self.written(channel.span));
            self.error(channel.span, message, "a rendezvous channel");
            return Typed::unknown();
        };
        let place = Place {
            variable: length,
            process: None,
            position: index.into_iter().map(|index| index.expr).collect(),
        };
        let range = self.variables[length.0 as usize].range;
        Typed { expr: Expr::Read(place), kind: Kind::Int, range, total: false }
    }

    /// `empty(c)`
    pub(super) fn is_empty(&mut self, scope: &mut Scope<'a>, channel: &'a syntax::Expr) -> Typed {
        let length = self.len(scope, channel);
        strict(Operator::Eq, length, Typed::literal(Kind::Int, 0), Kind::Bool)
    }

    /// `full(c)`
    pub(super) fn is_full(&mut self, scope: &mut Scope<'a>, channel: &'a syntax::Expr) -> Typed {
        let length = match self.length_of(scope, channel) {
            Some((length, Some(_))) => length,
            Some((length, None)) => {
                if !length.is_unknown() {
                    let message = format!("`{}` has no room of its own", self.written(channel.span));
                    self.error(
                        channel.span,
                        message,
                        "`full` is for channels and for variables that are sequences",
                    );
                }
                return Typed::unknown();
            }
            None => self.len(scope, channel),
        };
        let room = length.range.hi;
        strict(Operator::Eq, length, Typed::literal(Kind::Int, room), Kind::Bool)
    }
}
