//! What the parallel parts of a system do: each event with those who take it together, each message from a sender to a
//! receiver without a queue between them, and what a part does alone.
//!
//! Steps inside `atomic { … }` come before all others: in a state where some step of such a process can be taken, no other
//! can, as in PAT since version 3.4.2; one that is waiting stops nobody. A joint step is one of these if any of its parts is. So
//! if a file has `atomic`, the definition `urgent` says that such a step is possible, and the other steps wait for its end.

use std::collections::BTreeSet;

use lang::syntax::{Binary as Operator, Expr as Tree, ExprKind, Item, ItemKind, Span, Unary as Prefix};

use super::syntax::Expr;
use super::unfold::{Label, Message, Transition};
use super::{Event0, Part, System, Tree0, event_of, joined};
use crate::text::{Parsed, refused};
use crate::tree::{binary, declaration, expr, int, item, name, named, unary};

/// A step of one part, or a joint one of several.
pub(super) struct Move {
    /// Who takes part, and what each does.
    pub(super) members: Vec<(usize, Label)>,
    /// What is sent from the first member to the second one, if there is no queue between them.
    pub(super) message: Option<Vec<i64>>,
}

impl Move {
    /// The event as a formula speaks of it: `a.1`, or `c.1` for a message.
    pub(super) fn event(&self) -> Option<Event0> {
        match (&self.members[0].1, &self.message) {
            (Label::Sends(channel), Some(message)) => Some((channel.clone(), message.clone())),
            (label, _) => event_of(label),
        }
    }
}

impl System<'_> {
    /// Everything that the parts do, in the order: events, messages, what parts do alone.
    pub(super) fn moves(&self, tree: &Tree0) -> Vec<Move> {
        let mut events = BTreeSet::new();
        for part in &self.parts {
            events.extend(part.graph.transitions.iter().filter_map(|transition| event_of(&transition.label)));
        }
        let mut moves = Vec::new();
        for event in &events {
            let label = Label::Event(event.0.clone(), event.1.clone());
            for set in self.together(tree, event) {
                let members = set.into_iter().map(|own| (own, label.clone())).collect();
                moves.push(Move { members, message: None });
            }
        }
        moves.extend(self.meetings());
        for (own, part) in self.parts.iter().enumerate() {
            let labels: BTreeSet<&Label> =
                part.graph.transitions.iter().map(|transition| &transition.label).collect();
            let alone = labels.into_iter().filter(|label| match label {
                Label::Event(..) => false,
                Label::Sends(channel) | Label::Receives(channel, _) => !self.handshakes.contains(channel),
                Label::Silent => true,
            });
            moves.extend(alone.map(|label| Move { members: vec![(own, label.clone())], message: None }));
        }
        moves
    }

    /// The sets of parts that take an event together.
    fn together(&self, tree: &Tree0, event: &Event0) -> Vec<Vec<usize>> {
        match tree {
            Tree0::Part(part) => {
                let has = |transition: &Transition| event_of(&transition.label).as_ref() == Some(event);
                if self.parts[*part].graph.transitions.iter().any(has) {
                    vec![vec![*part]]
                } else {
                    Vec::new()
                }
            }
            Tree0::Before(first, rest) => {
                let mut all = self.together(&Tree0::Part(*first), event);
                all.extend(self.together(rest, event));
                all
            }
            Tree0::Interleave(parts) => parts.iter().flat_map(|part| self.together(part, event)).collect(),
            Tree0::Parallel(parts) => {
                let mut all: Vec<Vec<usize>> = Vec::new();
                let mut shared: Option<Vec<Vec<usize>>> = None;
                for part in parts {
                    let own = self.together(part, event);
                    if !self.in_alphabet(part, event) {
                        all.extend(own);
                        continue;
                    }
                    shared = Some(match shared {
                        None => own,
                        Some(others) => {
                            let pairs = others
                                .iter()
                                .flat_map(|a| own.iter().map(move |b| [&a[..], &b[..]].concat()));
                            pairs.collect()
                        }
                    });
                }
                all.extend(shared.into_iter().flatten());
                all
            }
        }
    }

    fn in_alphabet(&self, tree: &Tree0, event: &Event0) -> bool {
        match tree {
            Tree0::Part(part) => self.parts[*part].alphabet.contains(event),
            Tree0::Before(first, rest) => {
                self.parts[*first].alphabet.contains(event) || self.in_alphabet(rest, event)
            }
            Tree0::Interleave(parts) | Tree0::Parallel(parts) => {
                parts.iter().any(|part| self.in_alphabet(part, event))
            }
        }
    }

    /// The joint steps of a sender and a receiver of a channel without room, one for each message.
    fn meetings(&self) -> Vec<Move> {
        let messages = self.known.messages.borrow();
        let mut found = Vec::new();
        for channel in &self.handshakes {
            let sends = Label::Sends(channel.clone());
            for message in messages.get(channel).into_iter().flatten() {
                let receives = Label::Receives(channel.clone(), message.clone());
                let with = |label: &Label| -> Vec<usize> {
                    let has = |part: &Part| part.graph.transitions.iter().any(|own| own.label == *label);
                    (0..self.parts.len()).filter(|own| has(&self.parts[*own])).collect()
                };
                let (senders, receivers) = (with(&sends), with(&receives));
                let pairs = senders.iter().flat_map(|own| receivers.iter().map(move |other| (*own, *other)));
                found.extend(pairs.filter(|(sender, receiver)| sender != receiver).map(
                    |(sender, receiver)| {
                        let members = vec![(sender, sends.clone()), (receiver, receives.clone())];
                        Move { members, message: Some(message.clone()) }
                    },
                ));
            }
        }
        found
    }

    /// Whether some step comes before others.
    pub(super) fn has_atomic(&self) -> bool {
        self.parts.iter().flat_map(|part| &part.graph.transitions).any(|transition| transition.atomic)
    }

    /// The definition that a step inside an `atomic` is possible.
    pub(super) fn urgency(&self, moves: &[Move], called: &str) -> Parsed<Item> {
        let span = self.parts.first().map_or(Span::default(), |part| part.span);
        let mut possible = Vec::new();
        for own in moves {
            let mixed: Vec<usize> =
                own.members.iter().filter_map(|(part, label)| self.mixes(*part, label)).collect();
            if let [_, part, ..] = mixed[..] {
                let message = "a joint event that two processes have both inside and outside of `atomic`";
                return refused(self.parts[part].span, message, "not supported");
            }
            for (at, (part, label)) in own.members.iter().enumerate() {
                let Some(first) = self.ready(*part, label, own.message.as_deref(), true)? else { continue };
                let mut all = vec![first];
                for (_, (other, label)) in own.members.iter().enumerate().filter(|(other, _)| *other != at) {
                    all.extend(self.ready(*other, label, own.message.as_deref(), false)?);
                }
                possible.push(joined(Operator::And, all, span));
            }
        }
        let body = joined(Operator::Or, possible, span);
        let kind = ItemKind::Define { name: name(called, span), parameters: Vec::new(), body };
        Ok(declaration(kind, span))
    }

    /// The part, if it has transitions for this from one node both inside and outside of `atomic`.
    fn mixes(&self, part: usize, label: &Label) -> Option<usize> {
        let nodes = |atomic: bool| -> BTreeSet<usize> {
            let all = self.parts[part].graph.transitions.iter();
            all.filter(|own| own.label == *label && own.atomic == atomic).map(|own| own.from).collect()
        };
        (!nodes(true).is_disjoint(&nodes(false))).then_some(part)
    }

    /// What a step that is not inside an `atomic` waits for, if there is an `atomic` at all.
    pub(super) fn waits(&self, own: usize, together: &Move, span: Span) -> Parsed<Option<Tree>> {
        let Some(urgent) = &self.urgent else { return Ok(None) };
        let mut all = vec![unary(Prefix::Not, named(urgent.clone(), span))];
        for (other, label) in together.members.iter().filter(|(other, _)| *other != own) {
            all.extend(self.ready(*other, label, together.message.as_deref(), true)?);
        }
        Ok(Some(joined(Operator::Or, all, span)))
    }

    /// When a part can do its share of a step, as others read it; `None` if it never can.
    fn ready(
        &self,
        part: usize,
        label: &Label,
        exactly: Option<&[i64]>,
        only_atomic: bool,
    ) -> Parsed<Option<Tree>> {
        let own = &self.parts[part];
        let all = own.graph.transitions.iter();
        let mut ready = Vec::new();
        for transition in all.filter(|one| one.label == *label && (one.atomic || !only_atomic)) {
            let mut parts = vec![self.condition(part, transition)?];
            parts.extend(self.possible(part, transition, exactly)?);
            ready.push(joined(Operator::And, parts, transition.span));
        }
        let ready = (!ready.is_empty()).then(|| joined(Operator::Or, ready, own.span));
        Ok(ready.map(|tree| super::qualified(&tree, &self.place, &own.called)))
    }

    /// When the channel of a transition lets it go on.
    fn possible(&self, part: usize, transition: &Transition, exactly: Option<&[i64]>) -> Parsed<Vec<Tree>> {
        let span = transition.span;
        let same = |value: Tree, wanted: i64| binary(Operator::Eq, value, int(wanted, span));
        match &transition.message {
            None => Ok(Vec::new()),
            Some(Message::Sends(channel, sent)) => match self.channels.get(channel) {
                Some(queue) => {
                    let full = expr(ExprKind::Full(Box::new(named(queue.clone(), span))), span);
                    Ok(vec![unary(Prefix::Not, full)])
                }
                None => self.sends_exactly(sent, transition, exactly),
            },
            Some(Message::Receives(channel, message)) => {
                let Some(queue) = self.channels.get(channel) else { return Ok(Vec::new()) };
                let queue = named(queue.clone(), span);
                let empty = expr(ExprKind::Empty(Box::new(queue.clone())), span);
                let filled = unary(Prefix::Not, empty);
                if let [value] = message[..] {
                    return Ok(vec![filled, same(item(queue, int(0, span)), value)]);
                }
                // Messages of several values are not looked at in the queue, but any of them will do.
                let known = self.known.messages.borrow().get(channel).map_or(0, BTreeSet::len);
                let here = self.parts[part].graph.transitions.iter().filter(|other| {
                    other.from == transition.from
                        && other.atomic
                        && other.guards.is_empty()
                        && matches!(&other.label, Label::Receives(own, _) if own == channel)
                });
                let taken: BTreeSet<&Label> = here.map(|other| &other.label).collect();
                if taken.len() < known {
                    let message = "inside `atomic`, receiving only some of the messages with several values is not supported";
                    return refused(span, message, "not any message");
                }
                Ok(vec![filled])
            }
        }
    }

    /// That these values are sent, of a channel without room.
    pub(super) fn sends_exactly(
        &self,
        sent: &[Expr],
        transition: &Transition,
        exactly: Option<&[i64]>,
    ) -> Parsed<Vec<Tree>> {
        let span = transition.span;
        let pairs = sent.iter().zip(exactly.unwrap_or_default());
        pairs
            .map(|(value, wanted)| {
                let value = self.data.number(value, &transition.values)?;
                Ok(binary(Operator::Eq, value, int(*wanted, span)))
            })
            .collect()
    }
}
