//! Rendezvous: a send and a receive on a channel of capacity 0, as one action of two processes.
//!
//! Every statement on such a channel is one *side*. When all sides are known, each pair of a send and a receive on the
//! same channel becomes an action. It is enabled if both processes are at their statements, what each waits for is
//! true, and both refer to the same channel of an array. The message is assigned first, then the sender does the rest
//! of its step, then the receiver; what they wait for then is part of the guard too. If both are of one family, the receiver gets an index of its own; the instance makes
//! sure that no process meets itself.
//!
//! A message goes directly from the sender's values to the receiver's variables. It must fit the type of the channel
//! and the types of the variables. If it does not fit the channel, the update is a choice without alternatives, which
//! is a fault; the variables are checked by the assignment, as always.

use model::expr::Operator;
use model::system::Participant;
use model::{Action, Expr, FamilyId, Index, Place, Update};

use super::expressions::Typed;
use super::paths::Part;
use super::updates::Position;
use super::{Checker, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::Statement;

/// What one process does in a rendezvous.
#[derive(Clone)]
pub(super) struct Meeting {
    /// The channel, by number.
    pub(super) channel: usize,
    /// Which channel of an array.
    pub(super) index: Option<Typed>,
    pub(super) message: Message,
    /// The condition that the values sent are of the types of the channel's fields.
    pub(super) legal: Expr,
}

impl Meeting {
    /// The same with `value` in place of `index`.
    pub(super) fn replace(&self, index: Index, value: &Expr) -> Meeting {
        let go = |expr: &Expr| fold::replace(expr, index, value);
        let place =
            |place: &Option<Place>| place.as_ref().map(|place| fold::replace_in_place(place, index, value));
        Meeting {
            channel: self.channel,
            index: self.index.clone().map(|typed| Typed { expr: go(&typed.expr), ..typed }),
            message: match &self.message {
                Message::Send(values) => Message::Send(values.iter().map(go).collect()),
                Message::Receive(places) => Message::Receive(places.iter().map(place).collect()),
            },
            legal: go(&self.legal),
        }
    }
}

/// The message as one side sees it.
#[derive(Clone)]
pub(super) enum Message {
    /// The values sent.
    Send(Vec<Expr>),
    /// The places that take them; `None` is `_`.
    Receive(Vec<Option<Place>>),
}

/// One side of a rendezvous, with its part `T` of the message.
#[derive(Clone)]
pub(super) struct Side<T> {
    family: FamilyId,
    label: String,
    index: Option<Typed>,
    part: T,
    legal: Expr,
    /// When the process can take part.
    guard: Expr,
    /// What it does then.
    rest: Vec<Part>,
}

/// The sides of a channel.
#[derive(Default)]
pub(super) struct Sides {
    sends: Vec<Side<Vec<Expr>>>,
    receives: Vec<Side<Vec<Option<Place>>>>,
}

impl<'a> Checker<'a> {
    /// One side of a rendezvous. No choice or test may decide whether it happens, and nothing comes before it but
    /// waiting.
    pub(super) fn meet(
        &mut self,
        statement: &'a Statement,
        position: Position,
        meeting: Meeting,
    ) -> Vec<Part> {
        let message = match position {
            Position { leading: false, .. } => "a rendezvous may stand only at the beginning of its step",
            Position { straight: false, .. } => {
                "a rendezvous may not depend on a choice or a test inside its step"
            }
            _ => return vec![Part::Meet(Box::new(meeting))],
        };
        let diagnostic = Diagnostic::error(statement.span, message, "the channel has capacity 0");
        self.report(diagnostic.help("make it a step of its own"));
        vec![Part::unknown()]
    }

    /// Adds one side of a rendezvous. Sides are paired when all are known.
    pub(super) fn add_side(
        &mut self,
        meeting: Meeting,
        family: FamilyId,
        label: &str,
        guard: Expr,
        rest: Vec<Part>,
    ) {
        let Meeting { channel, index, message, legal } = meeting;
        let label = label.to_owned();
        let sides = &mut self.channels[channel].sides;
        match message {
            Message::Send(part) => {
                sides.sends.push(Side { family, label, index, part, legal, guard, rest });
            }
            Message::Receive(part) => {
                sides.receives.push(Side { family, label, index, part, legal, guard, rest });
            }
        }
    }

    /// Makes an action of every pair that can meet.
    pub(super) fn meetings(&mut self) {
        for number in 0..self.channels.len() {
            let Sides { sends, receives } = std::mem::take(&mut self.channels[number].sides);
            let name = self.channels[number].name;
            let lonely = match (sends.is_empty(), receives.is_empty()) {
                (true, false) => Some("there are receives, but no sends"),
                (false, true) => Some("there are sends, but no receives"),
                _ => None,
            };
            if let Some(lonely) = lonely {
                let message = format!("no rendezvous on `{}` can happen", name.text);
                self.report(Diagnostic::warning(name.span, message, lonely));
            }
            for send in &sends {
                for receive in &receives {
                    let size = 10 + fold::size(&send.guard) + fold::size(&receive.guard);
                    if !self.copy(name.span, size) {
                        return;
                    }
                    self.step = name.span;
                    let action = self.rendezvous(send, receive);
                    self.system.actions.push(action);
                }
            }
        }
    }

    fn rendezvous(&mut self, send: &Side<Vec<Expr>>, receive: &Side<Vec<Option<Place>>>) -> Action {
        let sender = self.index_of(send.family);
        let mut receiver = self.index_of(receive.family);
        let mut receive = receive.clone();
        if let Some(index) = receiver
            && send.family == receive.family
        {
            let name = self.system.indices[index.0 as usize].clone();
            let fresh = self.fresh(&name.name, name.scalar);
            receive = receive.renamed(index, &Expr::Index(fresh));
            receiver = Some(fresh);
        }
        let message = receive.part.into_iter().zip(&send.part);
        let message = message.filter_map(|(target, value)| Some((target?, value.clone()))).collect();
        let legal = match &send.legal {
            Expr::Bool(true) => Update::Skip,
            legal => Update::Either(vec![(legal.clone(), Update::Skip)]),
        };
        let message = vec![Part::Do(legal), Part::Do(Update::Assign(message))];
        let receiving = self.path(&receive.rest, Typed::literal(Kind::Bool, 1));
        let sending = self.path(&send.rest, receiving.enabling);
        let meeting = self.path(&message, sending.enabling);
        let mut guards = vec![send.guard.clone(), receive.guard];
        if let (Some(a), Some(b)) = (&send.index, receive.index) {
            // A rigid comparison without faults comes first: pairs that it excludes become no actions at all.
            let first = a.total && b.total;
            let same = fold::binary(Operator::Eq, a.expr.clone(), b.expr);
            guards.insert(if first { 0 } else { guards.len() }, same);
        }
        guards.push(meeting.enabling.expr);
        let mut updates: Vec<Update> = message.into_iter().filter_map(Part::update).collect();
        updates.extend([sending.update, receiving.update]);
        updates.retain(|update| *update != Update::Skip && *update != Update::Assign(Vec::new()));
        Action {
            participants: vec![
                Participant { family: send.family, index: sender, only: None, label: send.label.clone() },
                Participant { family: receive.family, index: receiver, only: None, label: receive.label },
            ],
            parameters: Vec::new(),
            guard: fold::and(guards),
            update: Update::Sequence(updates),
        }
    }

    fn index_of(&self, family: FamilyId) -> Option<Index> {
        self.system.family(family).index.as_ref().map(|binder| binder.index)
    }
}

impl Side<Vec<Option<Place>>> {
    /// The same side with another index for its process.
    fn renamed(self, index: Index, value: &Expr) -> Self {
        let place = |place: Option<Place>| place.map(|place| fold::replace_in_place(&place, index, value));
        let channel = |typed: Typed| Typed { expr: fold::replace(&typed.expr, index, value), ..typed };
        Side {
            family: self.family,
            label: self.label,
            index: self.index.map(channel),
            part: self.part.into_iter().map(place).collect(),
            legal: self.legal,
            guard: fold::replace(&self.guard, index, value),
            rest: self.rest.iter().map(|part| part.replace(index, value)).collect(),
        }
    }
}
