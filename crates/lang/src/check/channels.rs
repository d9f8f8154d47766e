//! Channels: queues held in variables.
//!
//! A channel of capacity `k` is a length and, per field, an array of `k` slots. Sending writes behind the last message.
//! Receiving takes the first slot, moves the others up and resets the last one to its default value, so that equal
//! queues are equal states. A channel of capacity 0 has no variables: a send and a receive on it happen together
//! ([`rendezvous`](super::rendezvous)).

use model::expr::{Operator, Span as Values};
use model::system::{Initial, Scalar, Type};
use model::{Expr, Instance, Place, Update, VariableId};

use super::definitions::count;
use super::expressions::Typed;
use super::interval::Interval;
use super::lets::Taken;
use super::names::{Context, Scope};
use super::operators::strict;
use super::paths::Part;
use super::places::{Reference, TypedPlace};
use super::ranges::{Ranged, span_of};
use super::rendezvous::{Meeting, Message, Sides};
use super::types::type_span;
use super::updates::{Position, VALUE};
use super::{Checker, Dimension, Kind, Variable, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, Name, Range, Span, Statement};

/// A channel or an array of channels.
pub(super) struct Channel<'a> {
    pub(super) name: &'a Name,
    source: (Option<&'a Range>, &'a syntax::Expr, &'a [syntax::Type]),
    /// The indices of an array of channels.
    pub(super) range: Option<Ranged>,
    /// `None` if there is an error in its declaration.
    capacity: Option<i64>,
    fields: Vec<Field>,
    /// The number of messages; a rendezvous has none.
    length: Option<VariableId>,
    /// The send and receive statements on a rendezvous channel.
    pub(super) sides: Sides,
}

/// A field of a message.
#[derive(Clone)]
struct Field {
    kind: Kind,
    range: Interval,
    scalar: Scalar,
    /// The variable that holds it; a rendezvous has none.
    slots: Option<VariableId>,
}

impl<'a> Channel<'a> {
    pub(super) fn new(
        name: &'a Name,
        range: Option<&'a Range>,
        capacity: &'a syntax::Expr,
        fields: &'a [syntax::Type],
    ) -> Channel<'a> {
        Channel {
            name,
            source: (range, capacity, fields),
            range: None,
            capacity: None,
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
        let mut kinds = Vec::new();
        for field in fields {
            let Some(declared) = self.type_of(&scope, field) else { continue };
            if !declared.kind.dimensions.is_empty() {
                self.error(type_span(field), "a message has no arrays in it", "an array");
                continue;
            }
            let (kind, range) = (declared.facts.kind, declared.facts.range);
            kinds.push(Field { kind, range, scalar: declared.kind.scalar, slots: None });
        }
        self.channels[number].range.clone_from(&ranged);
        if range.is_some() && ranged.is_none() || kinds.len() != fields.len() {
            return;
        }
        let Some(room) = room else { return };
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
            self.queue(number, room, ranged, &mut kinds);
        }
        self.channels[number].capacity = Some(room);
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

    /// The variables of a queue.
    fn queue(&mut self, number: usize, room: i64, ranged: Option<Ranged>, fields: &mut [Field]) {
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
        let several = fields.len() > 1;
        for (position, field) in (1..).zip(fields.iter_mut()) {
            let name = if several { format!("{name}.{position}") } else { name.clone() };
            let slots = self.new_variable(&name, None);
            let facts = Variable { kind: field.kind, range: field.range, dimensions: intervals.clone() };
            let kind = Type { dimensions: dimensions.clone(), scalar: field.scalar.clone() };
            self.fill(slots, kind, facts, Self::default_value(&field.scalar));
            field.slots = Some(slots);
        }
        self.channels[number].length = Some(length);
        let fields = fields.iter().filter_map(|field| field.slots).collect();
        self.system.channels.push(model::system::Channel { name, length, fields });
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
        position: Position,
    ) -> Vec<Part> {
        let end = self.channel_end(scope, channel);
        let mut value_scope = scope.within(VALUE);
        let lowered: Vec<Typed> =
            values.iter().map(|value| self.expression(&mut value_scope, value)).collect();
        let Some((number, index)) = end else { return vec![Part::unknown()] };
        let span = values.last().map_or(channel.span, |last| channel.span.to(last.span));
        let Some(fields) = self.fields_for(number, values.len(), span) else { return vec![Part::unknown()] };
        let mut message = Vec::new();
        let mut legal = Vec::new();
        for ((field, value), source) in fields.iter().zip(lowered).zip(values) {
            legal.extend(self.of_type(field, &value));
            let slot = TypedPlace { place: placeholder(), kind: field.kind, range: field.range };
            let what = format!("a field of `{}`", self.written(channel.span));
            message.push(self.fits(&slot, &what, value, source.span));
        }
        let Some(message) = message.into_iter().collect::<Option<Vec<Expr>>>() else {
            return vec![Part::unknown()];
        };
        let Some(length) = self.channels[number].length else {
            return self.meet(
                statement,
                position,
                Meeting { channel: number, index, message: Message::Send(message), legal: fold::and(legal) },
            );
        };
        let index = index.map(|index| index.expr);
        let length = Place { variable: length, process: None, position: index.clone().into_iter().collect() };
        let room = self.channels[number].capacity.unwrap_or(0);
        let read = Expr::Read(length.clone());
        let mut assignments = Vec::new();
        for (field, value) in fields.iter().zip(message) {
            let Some(slots) = field.slots else { continue };
            let position = index.clone().into_iter().chain([read.clone()]).collect();
            assignments.push((Place { variable: slots, process: None, position }, value));
        }
        assignments.push((length, fold::add(read.clone(), Expr::Int(1))));
        let enabling = Typed::truth(Expr::binary(Operator::Lt, read, Expr::Int(room)));
        vec![Part::Wait(enabling), Part::Do(Update::Assign(assignments))]
    }

    /// The condition that a value is of the type of a field; `None` if it always is.
    fn of_type(&self, field: &Field, value: &Typed) -> Option<Expr> {
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
        Some(fold::and([at_least, fold::binary(Operator::Le, value.expr.clone(), (*span.hi).clone())]))
    }

    /// `c?x, _;`
    pub(super) fn receive(
        &mut self,
        scope: &mut Scope<'a>,
        statement: &'a Statement,
        channel: &'a syntax::Expr,
        targets: &'a [Option<syntax::Expr>],
        position: Position,
    ) -> Vec<Part> {
        let end = self.channel_end(scope, channel);
        let places: Vec<Option<Option<TypedPlace>>> =
            targets.iter().map(|target| target.as_ref().map(|target| self.target(scope, target))).collect();
        let Some((number, index)) = end else { return vec![Part::unknown()] };
        let last = targets.iter().flatten().next_back();
        let span = last.map_or(channel.span, |last| channel.span.to(last.span));
        let Some(fields) = self.fields_for(number, targets.len(), span) else { return vec![Part::unknown()] };
        let mut takers = Vec::new();
        for ((field, place), target) in fields.iter().zip(places).zip(targets) {
            let (Some(place), Some(target)) = (place, target) else {
                takers.push(None);
                continue;
            };
            let Some(place) = place else { return vec![Part::unknown()] };
            let value = Typed { expr: Expr::Int(0), kind: field.kind, range: field.range, total: true };
            let name = format!("`{}`", self.written(target.span));
            if self.fits(&place, &name, value, target.span).is_none() {
                return vec![Part::unknown()];
            }
            takers.push(Some(place.place));
        }
        let Some(length) = self.channels[number].length else {
            return self.meet(
                statement,
                position,
                Meeting {
                    channel: number,
                    index,
                    message: Message::Receive(takers),
                    legal: Expr::Bool(true),
                },
            );
        };
        let Some(taken) = self.oldest(number, length, index, statement.span) else {
            return vec![Part::unknown()];
        };
        let values = taken.message.into_iter().map(|value| value.expr);
        let mut assignments: Vec<(Place, Expr)> =
            takers.into_iter().zip(values).filter_map(|(taker, value)| Some((taker?, value))).collect();
        if let Update::Assign(take) = taken.take {
            assignments.extend(take);
        }
        vec![Part::Wait(taken.waits), Part::Do(Update::Assign(assignments))]
    }

    /// The message that a receive into names takes.
    pub(super) fn taken_from(
        &mut self,
        scope: &mut Scope<'a>,
        channel: &'a syntax::Expr,
        names: usize,
    ) -> Option<Taken> {
        let (number, index) = self.channel_end(scope, channel)?;
        self.fields_for(number, names, channel.span)?;
        let Some(length) = self.channels[number].length else {
            let message = "a rendezvous is received into variables";
            let diagnostic = Diagnostic::error(channel.span, message, "the channel has capacity 0");
            self.report(diagnostic.help("write `c?x;`"));
            return None;
        };
        self.oldest(number, length, index, channel.span)
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
        let slot = |slots: VariableId, k: i64| {
            let position = index.clone().into_iter().chain([Expr::Int(k)]).collect();
            Place { variable: slots, process: None, position }
        };
        if !self.copy(span, room as usize * fields.len()) {
            return None;
        }
        let mut message = Vec::new();
        let mut assignments = Vec::new();
        for field in &fields {
            let slots = field.slots?;
            let expr = Expr::Read(slot(slots, 0));
            message.push(Typed { expr, kind: field.kind, range: field.range, total: false });
            assignments.extend((1..room).map(|k| (slot(slots, k - 1), Expr::Read(slot(slots, k)))));
            assignments.push((slot(slots, room - 1), Self::default_value(&field.scalar)));
        }
        let read = Expr::Read(length.clone());
        assignments.push((length, Expr::binary(Operator::Sub, read.clone(), Expr::Int(1))));
        let waits = Typed::truth(Expr::binary(Operator::Gt, read, Expr::Int(0)));
        Some(Taken { waits, message, take: Update::Assign(assignments) })
    }

    /// The one channel an expression denotes, and its index.
    fn channel_end(
        &mut self,
        scope: &mut Scope<'a>,
        channel: &'a syntax::Expr,
    ) -> Option<(usize, Option<Typed>)> {
        let text = self.written(channel.span);
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
        let expected = channel.fields.len();
        if expected != given {
            let what = format!("a message of `{}`", channel.name.text);
            self.wrong_count(span, &what, expected, "field", given);
            return None;
        }
        Some(channel.fields.clone())
    }

    /// `len(c)`
    pub(super) fn len(&mut self, scope: &mut Scope<'a>, channel: &'a syntax::Expr) -> Typed {
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
        let length = self.len(scope, channel);
        let room = length.range.hi;
        strict(Operator::Eq, length, Typed::literal(Kind::Int, room), Kind::Bool)
    }
}

/// A place of which only the kind and range are used.
fn placeholder() -> Place {
    Place { variable: VariableId(0), process: None, position: Vec::new() }
}
