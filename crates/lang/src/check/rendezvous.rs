//! Rendezvous: a send and a receive on a channel of capacity 0, as one action of two processes.
//!
//! Every statement on such a channel is one *side*. When all sides are known, each pair of a send and a receive on the
//! same channel becomes an action. It is enabled if both processes are at their statements, what each waits for is
//! true, and both refer to the same channel of an array. The sender does what comes before it in its step, then the
//! receiver; then the message is passed; then the sender does the rest of its step, then the receiver. If both are of one
//! family, the receiver gets an index of its own; the instance makes sure that no process meets itself.
//!
//! A side has one or more ways ([`together`](super::together)). The action has an outcome for every pair of ways that can
//! be taken.
//!
//! A message goes directly from the sender's values to the receiver's variables or names. It must fit the type of the
//! channel and the types of the variables. If it does not fit the channel, a demand of the sender is a fault; the variables
//! are checked by the assignment, as always.

use model::expr::Operator;
use model::system::Participant;
use model::{Action, Binder, Expr, FamilyId, Index, Place, Update};

use super::expressions::Typed;
use super::paths::Part;
use super::together::{Way, before_hole, fill, one_of};
use super::{Checker, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::Span;

/// What one process does in a rendezvous.
#[derive(Clone)]
pub(super) struct Meeting {
    /// The channel, by number.
    pub(super) channel: usize,
    /// Which channel of an array.
    pub(super) index: Option<Typed>,
    pub(super) message: Message,
    /// Parts that are faults unless the values sent are of the types of the channel's fields.
    pub(super) legal: Vec<Part>,
    /// The statement.
    pub(super) span: Span,
}

impl Meeting {
    /// The same with `value` in place of `index`.
    pub(super) fn replace(&self, index: Index, value: &Expr) -> Meeting {
        let go = |expr: &Expr| fold::replace(expr, index, value);
        let target = |target: &Target| match target {
            Target::Place(place) => Target::Place(fold::replace_in_place(place, index, value)),
            other => other.clone(),
        };
        Meeting {
            channel: self.channel,
            index: self.index.clone().map(|typed| Typed { expr: go(&typed.expr), ..typed }),
            message: match &self.message {
                Message::Send(values) => Message::Send(
                    values.iter().map(|own| Typed { expr: go(&own.expr), ..own.clone() }).collect(),
                ),
                Message::Receive(targets) => Message::Receive(targets.iter().map(target).collect()),
            },
            legal: self.legal.iter().map(|part| part.replace(index, value)).collect(),
            span: self.span,
        }
    }
}

/// The message as one side sees it.
#[derive(Clone)]
pub(super) enum Message {
    /// The values sent.
    Send(Vec<Typed>),
    /// What takes them.
    Receive(Vec<Target>),
}

/// What takes a value of a message.
#[derive(Clone)]
pub(super) enum Target {
    /// A variable.
    Place(Place),
    /// A name for the rest of the step.
    Name(Binder),
    /// `_`
    Nothing,
}

/// One side of a rendezvous.
#[derive(Clone)]
pub(super) struct Side {
    family: FamilyId,
    label: String,
    /// When the process can take part.
    guard: Expr,
    /// Its ways, each to this channel.
    ways: Vec<Way>,
}

/// The sides of a channel.
#[derive(Default)]
pub(super) struct Sides {
    sends: Vec<Side>,
    receives: Vec<Side>,
}

impl Checker<'_> {
    /// Adds one side of a rendezvous. Sides are paired when all are known.
    pub(super) fn add_side(
        &mut self,
        (channel, sends): (usize, bool),
        (family, label): (FamilyId, &str),
        guard: Expr,
        ways: Vec<Way>,
    ) {
        let sides = &mut self.channels[channel].sides;
        let side = Side { family, label: label.to_owned(), guard, ways };
        if sends { &mut sides.sends } else { &mut sides.receives }.push(side);
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
                    let ways = send.ways.len() * receive.ways.len();
                    let size = 10 * ways + fold::size(&send.guard) + fold::size(&receive.guard);
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

    fn rendezvous(&mut self, send: &Side, receive: &Side) -> Action {
        let sender = self.index_of(send.family);
        let mut receiver = self.index_of(receive.family);
        let mut receive = receive.clone();
        if send.family == receive.family {
            receive.ways = receive.ways.iter().map(|way| self.renewed(way)).collect();
            if let Some(index) = receiver {
                let other = self.another(index);
                receive = receive.renamed(index, &Expr::Index(other));
                receiver = Some(other);
            }
        }
        let mut guards = vec![send.guard.clone(), receive.guard];
        let mut ways = Vec::new();
        for own in &send.ways {
            for other in &receive.ways {
                ways.push(meeting(own, other));
            }
        }
        // A rigid comparison without faults comes first: pairs that it excludes become no actions at all.
        if let [(Some(same), _)] = &ways[..] {
            guards.insert(0, same.clone());
        }
        let alone = ways.len() == 1;
        let ways = ways.into_iter().map(|(same, way)| {
            let same = same.filter(|_| !alone).map(|same| Part::Wait(Typed::truth(same)));
            same.into_iter().chain(way).collect()
        });
        let step = self.path(&one_of(ways.collect()), Typed::literal(Kind::Bool, 1));
        guards.push(step.enabling.expr);
        Action {
            participants: vec![
                Participant { family: send.family, index: sender, only: None, label: send.label.clone() },
                Participant { family: receive.family, index: receiver, only: None, label: receive.label },
            ],
            parameters: Vec::new(),
            guard: fold::and(guards),
            update: step.update,
        }
    }

    fn index_of(&self, family: FamilyId) -> Option<Index> {
        self.system.family(family).index.as_ref().map(|binder| binder.index)
    }
}

/// The way in which two processes meet, and the condition that it is the same channel of an array, if that can be known
/// first.
fn meeting(send: &[Part], receive: &[Part]) -> (Option<Expr>, Way) {
    let mut first = None;
    let straight = before_hole(send).is_some() && before_hole(receive).is_some();
    let way = fill(send, &mut |sends, sender| {
        fill(receive, &mut |receives, receiver| {
            let (Part::Meet(sends), Part::Meet(receives)) = (sends, receives) else { return Vec::new() };
            let mut parts = Vec::new();
            if let (Some(a), Some(b)) = (&sends.index, &receives.index) {
                let same = fold::binary(Operator::Eq, a.expr.clone(), b.expr.clone());
                if straight && a.total && b.total {
                    first = Some(same);
                } else {
                    parts.push(Part::Wait(Typed::truth(same)));
                }
            }
            parts.extend(sends.legal.iter().cloned());
            let (Message::Send(values), Message::Receive(targets)) = (&sends.message, &receives.message)
            else {
                return Vec::new();
            };
            let assigned: Vec<(Place, Expr)> = (targets.iter().zip(values))
                .filter_map(|(target, value)| match target {
                    Target::Place(place) => Some((place.clone(), value.expr.clone())),
                    Target::Name(_) | Target::Nothing => None,
                })
                .collect();
            let mut rest = Vec::new();
            if !assigned.is_empty() {
                rest.push(Part::Do(Update::Assign(assigned)));
            }
            rest.extend(sender.iter().chain(receiver).cloned());
            for (target, value) in targets.iter().zip(values).rev() {
                if let Target::Name(binder) = target {
                    rest = vec![Part::Let(binder.clone(), value.clone(), rest)];
                }
            }
            parts.extend(rest);
            parts
        })
    });
    (first, way)
}

impl Side {
    /// The same side with another index for its process.
    fn renamed(self, index: Index, value: &Expr) -> Self {
        let way = |way: &Way| way.iter().map(|part| part.replace(index, value)).collect();
        Side {
            guard: fold::replace(&self.guard, index, value),
            ways: self.ways.iter().map(way).collect(),
            ..self
        }
    }
}
