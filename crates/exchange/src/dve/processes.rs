//! Translates the declarations and processes of a DVE file.
//!
//! A state of a process becomes a label. A transition becomes one step at the label of the state it leaves: `when guard {
//! message; effects; goto to; }`. Several transitions of one state are the branches of an `either`, with labels of their
//! own (`think_to_eat`). The initial state comes first in the code, and a state without transitions is a `halt`. A handshake becomes a rendezvous on a channel
//! of capacity 0; [`super::order`] has the order of the effects there. In `system sync` every transition is a part of one joint event.

use std::collections::{BTreeMap, BTreeSet};

use lang::diagnostic::Diagnostic;
use lang::syntax::{
    Binary as Operator, Comments, Expr as Tree, ExprKind, Initial, Item, ItemKind, Member, MemberKind, Name,
    Network, Process as Family, Span, Statement, StatementKind, Type as Kind, Unary as Prefix, Variables,
};

use super::expressions::{Translator, constant};
use super::names::{Meaning, Names, Scope};
use super::syntax::{File, Message, Process, Transition, Type, Variable};
use crate::numbers::{Interval, stored};
use crate::text::refused;
use crate::tree::{binary, block, declaration, expr, int, labelled, name, named, range, statement, unary};

type Translated<T> = Result<T, Box<Diagnostic>>;

/// The fields of the messages of each channel on which something is sent.
pub(super) type Fields = BTreeMap<String, Vec<Field>>;

/// A field of the messages of a channel.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Its values.
    values: Interval,
    /// A value of a handshake goes directly to the variables of the receiver. If it may not fit there, it is sent once for
    /// each type that receivers have, and wraps around before.
    sent_as: BTreeSet<Type>,
}

/// The declarations of variables and tables of the whole file, or of a process.
pub(super) fn variables(
    variables: &[Variable],
    names: &Names,
    scope: Option<&Scope>,
) -> Translated<(Vec<Item>, Vec<Variables>)> {
    let (mut tables, mut declared) = (Vec::new(), Vec::new());
    for variable in variables {
        let span = variable.name.span;
        match names.find(&variable.name.text, span, scope)? {
            Meaning::Constant(_) => {}
            Meaning::Table(called, values) => {
                let values = values.iter().map(|value| int(*value, span)).collect();
                let value = expr(ExprKind::List(values), span);
                tables.push(declaration(ItemKind::Const { name: name(called.clone(), span), value }, span));
            }
            Meaning::Variable { called, kind, size } => {
                let Interval { lo, hi } = kind.range();
                let element = Kind::Range(range(lo, hi, span));
                let value = |at: usize| match variable.initial.get(at) {
                    // A value of another type wraps around.
                    Some(initial) => {
                        let value = constant(initial, names, scope)?;
                        Ok((value - lo).rem_euclid(hi - lo + 1) + lo)
                    }
                    None => Ok(0),
                };
                let (kind, initial) = match size {
                    None => (element, int(value(0)?, span)),
                    Some(size) => {
                        let values: Translated<Vec<i64>> = (0..*size as usize).map(value).collect();
                        let values = values?.into_iter().map(|value| int(value, span)).collect();
                        let indices = range(0, size - 1, span);
                        (Kind::Array(indices, Box::new(element)), expr(ExprKind::List(values), span))
                    }
                };
                let initial = Some(Initial::Value(initial));
                declared.push(Variables { names: vec![name(called.clone(), span)], kind, initial });
            }
        }
    }
    Ok((tables, declared))
}

/// The fields of the messages of each channel. Where the file declares no types, the values are those that are sent.
pub(super) fn fields(file: &File, names: &Names) -> Translated<Fields> {
    let mut fields = Fields::new();
    let field = |values| Field { values, sent_as: BTreeSet::new() };
    for channel in &file.channels {
        if let Some(types) = &channel.fields {
            fields.insert(channel.name.text.clone(), types.iter().map(|kind| field(kind.range())).collect());
        }
    }
    let declared: BTreeSet<String> = fields.keys().cloned().collect();
    let messages = || {
        file.processes.iter().flat_map(|process| {
            let messages = process.transitions.iter().filter_map(|transition| transition.message.as_ref());
            messages.map(move |message| (process, message))
        })
    };
    for (process, message) in messages() {
        names.channel(&message.channel)?;
        if !message.sends || declared.contains(&message.channel.text) {
            continue;
        }
        let translator = Translator { names, scope: Some(names.process(&process.name)?), outside: false };
        let values: Translated<Vec<Field>> =
            message.values.iter().map(|value| Ok(field(translator.number(value)?.1))).collect();
        let values = values?;
        let known = fields.entry(message.channel.text.clone()).or_insert_with(|| values.clone());
        if known.len() != values.len() {
            let text = "another message of this channel has another number of values";
            return Err(Diagnostic::error(message.span, text, "not as many").into());
        }
        for (known, value) in known.iter_mut().zip(values) {
            known.values = known.values.join(value.values);
        }
    }
    for channel in &file.channels {
        if constant(&channel.capacity, names, None)? != 0 {
            continue;
        }
        let Some(fields) = fields.get_mut(&channel.name.text) else { continue };
        let mut received: Vec<BTreeSet<Type>> = vec![BTreeSet::new(); fields.len()];
        for (process, message) in messages() {
            if message.sends || message.channel.text != channel.name.text {
                continue;
            }
            let translator = Translator { names, scope: Some(names.process(&process.name)?), outside: false };
            for (kinds, place) in received.iter_mut().zip(&message.values) {
                kinds.insert(translator.place(place)?.1);
            }
        }
        for (field, kinds) in fields.iter_mut().zip(received) {
            if kinds.iter().any(|kind| !kind.range().contains(field.values)) {
                field.sent_as = kinds;
            }
        }
    }
    Ok(fields)
}

/// The declarations of the channels.
pub(super) fn channels(file: &File, names: &Names, fields: &Fields) -> Translated<Vec<Item>> {
    let mut items = Vec::new();
    for channel in &file.channels {
        let span = channel.name.span;
        let capacity = constant(&channel.capacity, names, None)?;
        let fields = match fields.get(&channel.name.text) {
            Some(fields) => fields.as_slice(),
            // Nothing is ever sent on it.
            None if capacity == 0 => continue,
            None => &[],
        };
        let kind = |field: &Interval| Kind::Range(range(field.lo, field.hi, span));
        let mut fields: Vec<Kind> =
            fields.iter().flat_map(Field::carried).map(|field| kind(&field)).collect();
        if fields.is_empty() {
            // A message without values is a signal.
            fields.push(kind(&SIGNAL));
        }
        let name = name(names.channel(&channel.name)?, span);
        let capacity = int(capacity, channel.capacity.span);
        items.push(declaration(
            ItemKind::Chan { name, range: None, capacity, network: Network::default(), fields },
            span,
        ));
    }
    Ok(items)
}

/// The values of a message that has none.
const SIGNAL: Interval = Interval::new(0, 0);

impl Field {
    /// The values of the fields that carry it.
    fn carried(&self) -> Vec<Interval> {
        if self.sent_as.is_empty() {
            return vec![self.values];
        }
        self.sent_as.iter().map(|kind| kind.range()).collect()
    }
}

/// A process, and the tables it declares.
pub(super) fn process(
    process: &Process,
    names: &Names,
    fields: &Fields,
    early: &BTreeSet<usize>,
) -> Translated<Vec<Item>> {
    let scope = names.process(&process.name)?;
    let span = process.name.span;
    let (mut items, locals) = variables(&process.variables, names, Some(scope))?;
    let member = |variables: Variables| Member {
        span: variables.names[0].span,
        kind: MemberKind::Local(variables),
        comments: Comments::default(),
    };
    let Some(initial) = &process.initial else {
        return Err(Diagnostic::error(span, "this process has no initial state", "`init` is missing").into());
    };
    scope.state(initial)?;
    let mut leaving: BTreeMap<&str, Vec<&Transition>> = BTreeMap::new();
    for transition in &process.transitions {
        scope.state(&transition.to)?;
        scope.state(&transition.from)?;
        leaving.entry(&transition.from.text).or_default().push(transition);
    }
    let steps = Steps { names, scope, fields, early };
    let mut taken = BTreeSet::new();
    let mut body = Vec::new();
    let first = process.states.iter().filter(|state| state.text == initial.text);
    for state in first.chain(process.states.iter().filter(|state| state.text != initial.text)) {
        let label = name(scope.state(state)?, state.span);
        let transitions = leaving.get(state.text.as_str()).map_or(&[][..], Vec::as_slice);
        let code = match transitions {
            [] => statement(StatementKind::Halt, state.span),
            [only] => steps.step(only)?,
            several => {
                let branches: Translated<Vec<_>> = several
                    .iter()
                    .map(|transition| {
                        let step = steps.step(transition)?;
                        let (from, to) = (scope.state(&transition.from)?, scope.state(&transition.to)?);
                        let own = scope.transition(from, to, &mut taken);
                        let step = labelled(name(own, transition.from.span), step);
                        Ok(block(vec![step], transition.span))
                    })
                    .collect();
                statement(StatementKind::Either(branches?), state.span)
            }
        };
        body.push(labelled(label, code));
    }
    let family = Family {
        environment: false,
        name: name(scope.called.clone(), span),
        indices: Vec::new(),
        members: locals.into_iter().map(member).collect(),
        body,
        trailing: Vec::new(),
    };
    items.push(declaration(ItemKind::Process(family), span));
    Ok(items)
}

/// Translates transitions of one process.
struct Steps<'a> {
    names: &'a Names,
    scope: &'a Scope,
    fields: &'a Fields,
    /// The transitions whose effects come before the message; see [`super::order`].
    early: &'a BTreeSet<usize>,
}

impl Steps<'_> {
    fn step(&self, transition: &Transition) -> Translated<Statement> {
        let translator = Translator { names: self.names, scope: Some(self.scope), outside: false };
        let span = transition.span;
        let mut guards = self.not_committed(&transition.from, span)?;
        for guard in &transition.guards {
            guards.push(translator.truth(guard)?);
        }
        let guard = guards.into_iter().reduce(|all, guard| binary(Operator::And, all, guard));
        let guard = guard.unwrap_or_else(|| expr(ExprKind::Bool(true), span));
        let mut body = Vec::new();
        if let Some(event) = &self.names.together {
            if let Some(message) = &transition.message {
                return refused(message.span, "a message in `system sync` is not supported", "not this");
            }
            body.push(statement(StatementKind::Sync(name(event.clone(), span)), span));
        }
        let mut effects = Vec::new();
        for (target, value) in &transition.effects {
            let (place, kind) = translator.place(target)?;
            let value = stored(translator.number(value)?, kind.range());
            effects.push(assign(place, value));
        }
        if self.early.contains(&span.start) {
            body.append(&mut effects);
        }
        if let Some(message) = &transition.message {
            self.message(message, translator, &mut body)?;
        }
        body.append(&mut effects);
        let to = name(self.scope.state(&transition.to)?, transition.to.span);
        body.push(statement(StatementKind::Goto(to), transition.to.span));
        Ok(statement(StatementKind::When(guard, block(body, span)), span))
    }

    /// While some process is in a committed state, only those in one may step. A handshake needs that of both its processes.
    fn not_committed(&self, from: &Name, span: Span) -> Translated<Vec<Tree>> {
        if self.scope.committed.contains(&from.text) {
            return Ok(Vec::new());
        }
        let mut conditions = Vec::new();
        for scope in self.names.processes.values().filter(|_| self.names.together.is_none()) {
            for state in &scope.committed {
                let label = name(scope.state(&name(state.clone(), span))?, span);
                let process = Box::new(named(scope.called.clone(), span));
                conditions.push(unary(Prefix::Not, expr(ExprKind::At(process, label), span)));
            }
        }
        Ok(conditions)
    }

    /// Sends or receives a message.
    fn message(
        &self,
        message: &Message,
        translator: Translator<'_>,
        body: &mut Vec<Statement>,
    ) -> Translated<()> {
        let span = message.span;
        let channel = named(self.names.channel(&message.channel)?, message.channel.span);
        let Some(fields) = self.fields.get(&message.channel.text) else {
            // Nothing is ever sent on it.
            body.push(statement(StatementKind::Await(expr(ExprKind::Bool(false), span)), span));
            return Ok(());
        };
        // A receiver may ignore what is sent.
        if (message.sends || !message.values.is_empty()) && message.values.len() != fields.len() {
            let text = "a message of this channel has another number of values";
            return Err(Diagnostic::error(span, text, format!("{} of them", fields.len())).into());
        }
        if message.sends {
            let mut values = Vec::new();
            for (value, field) in message.values.iter().zip(fields) {
                let (tree, range) = translator.number(value)?;
                if !field.sent_as.is_empty() {
                    values
                        .extend(field.sent_as.iter().map(|kind| stored((tree.clone(), range), kind.range())));
                    continue;
                }
                // Types that are declared are those of variables.
                let declared = [Type::Byte, Type::Int].into_iter().find(|kind| kind.range() == field.values);
                let fits = field.values.contains(range);
                values.push(if fits {
                    tree
                } else {
                    stored((tree, range), declared.unwrap_or(Type::Int).range())
                });
            }
            if values.is_empty() {
                values.push(int(SIGNAL.lo, span));
            }
            body.push(statement(StatementKind::Send { channel, values }, span));
            return Ok(());
        }
        let places: Translated<Vec<(Tree, Type)>> =
            message.values.iter().map(|place| translator.place(place)).collect();
        let places = places?;
        let fits = |((_, kind), field): (&(Tree, Type), &Field)| {
            kind.range().contains(field.values) || field.sent_as.contains(kind)
        };
        if places.iter().zip(fields).all(fits) {
            let mut places = places.into_iter();
            let mut targets: Vec<Option<Tree>> = Vec::new();
            for field in fields {
                let place = places.next();
                if field.sent_as.is_empty() {
                    targets.push(place.map(|(place, _)| place));
                } else {
                    let of =
                        |kind| place.as_ref().filter(|(_, own)| own == kind).map(|(place, _)| place.clone());
                    targets.extend(field.sent_as.iter().map(of));
                }
            }
            targets.resize_with(targets.len().max(1), || None);
            body.push(statement(StatementKind::Receive { channel, targets }, span));
            return Ok(());
        }
        // A value that may not fit is named first, and wraps around when it is stored.
        let received: Vec<String> = (1..=places.len()).map(|number| format!("received_{number}")).collect();
        let names = received.iter().map(|text| Some(name(text.clone(), span))).collect();
        body.push(statement(StatementKind::Let { names, value: channel, receives: true }, span));
        for (((place, kind), field), text) in places.into_iter().zip(fields).zip(received) {
            let value = stored((named(text, span), field.values), kind.range());
            body.push(assign(place, value));
        }
        Ok(())
    }
}

fn assign(place: Tree, value: Tree) -> Statement {
    let span = place.span.to(value.span);
    statement(StatementKind::Assign { targets: vec![place], values: vec![value] }, span)
}

/// The names of the propositions of a property process, and what they mean; see [`super`].
pub(super) fn is_plain(transition: &Transition) -> bool {
    transition.message.is_none() && transition.effects.is_empty()
}

/// An item that claims something of every reachable state.
pub(super) fn invariant(called: Name, body: Tree) -> Item {
    let span = body.span;
    declaration(
        ItemKind::Invariant { name: called, family: lang::syntax::Members::default(), body, expect: None },
        span,
    )
}
