//! Steps that processes take together: a rendezvous or a joint event, anywhere in a step.
//!
//! Such a step is split into its *ways*: the paths of tests and branches that lead to what is taken together, and those that
//! lead past it. `if c { r!1; } else { skip; }` has the ways `await c; r!1;` and `await !c;`. What follows on a way is moved
//! into the choices of values around it. So a way has at most one *hole*, the part that is taken together, inside
//! nothing but choices of values, and the ways of several processes are put into each other's holes.
//!
//! A way takes part in one rendezvous or joint event at most: two would be a step of more processes than the step says.
//! There is a way for every combination of branches that lead there.

use model::{Binder, Expr, Index};

use super::expressions::Typed;
use super::paths::{Choice, Part};
use super::rendezvous::Message;
use super::{Checker, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::Span;

/// Limit on the ways of a step.
const WAYS: usize = 1_000;

/// One way through a step.
pub(super) type Way = Vec<Part>;

/// What the ways of a step lead to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hole {
    /// The send side of a channel, or its receive side.
    Channel { number: usize, sends: bool },
    /// A joint event, by number.
    Event(usize),
}

/// The first part of parts that is taken together with other processes.
pub(super) fn hole(parts: &[Part]) -> Option<&Part> {
    parts.iter().find_map(|part| match part {
        Part::Meet(_) | Part::Sync(..) => Some(part),
        Part::If(_, yes, no) => hole(yes).or_else(|| hole(no)),
        Part::Either(branches) => branches.iter().find_map(|branch| hole(branch)),
        Part::Choose(choice) => hole(&choice.body),
        Part::Let(_, _, body) => hole(body),
        Part::Wait(_) | Part::Do(_) => None,
    })
}

fn leads_there(part: &Part) -> bool {
    hole(std::slice::from_ref(part)).is_some()
}

/// Where the hole of a way is, if it is not inside a choice: how many parts come before it.
pub(super) fn before_hole(way: &[Part]) -> Option<usize> {
    way.iter().position(|part| matches!(part, Part::Meet(_) | Part::Sync(..)))
}

/// A way with `inner`, which gets the hole and what follows it, in place of both.
pub(super) fn fill(way: &[Part], inner: &mut dyn FnMut(&Part, &[Part]) -> Vec<Part>) -> Vec<Part> {
    let Some(at) = way.iter().position(leads_there) else { return way.to_vec() };
    let mut filled = way[..at].to_vec();
    match &way[at] {
        Part::Choose(choice) => {
            let body = fill(&choice.body, inner);
            filled.push(Part::Choose(Choice { body, ..choice.clone() }));
        }
        Part::Let(binder, value, body) => {
            filled.push(Part::Let(binder.clone(), value.clone(), fill(body, inner)));
        }
        own => filled.extend(inner(own, &way[at + 1..])),
    }
    filled
}

/// One of several ways, as parts.
pub(super) fn one_of(mut ways: Vec<Way>) -> Vec<Part> {
    if ways.len() == 1 { ways.remove(0) } else { vec![Part::Either(ways)] }
}

impl Checker<'_> {
    /// The ways of a step, by what they lead to. `None` if there are too many, or if one leads to two holes.
    pub(super) fn ways(&mut self, parts: &[Part]) -> Option<Vec<(Option<Hole>, Vec<Way>)>> {
        let mut sorted: Vec<(Option<Hole>, Vec<Way>)> = Vec::new();
        for way in self.all_ways(parts)? {
            let leads_to = hole(&way).and_then(|part| match part {
                Part::Meet(meeting) => {
                    let sends = matches!(meeting.message, Message::Send(_));
                    Some(Hole::Channel { number: meeting.channel, sends })
                }
                Part::Sync(event, _) => Some(Hole::Event(*event)),
                _ => None,
            });
            match sorted.iter_mut().find(|(known, _)| *known == leads_to) {
                Some((_, ways)) => ways.push(way),
                None => sorted.push((leads_to, vec![way])),
            }
        }
        Some(sorted)
    }

    fn all_ways(&mut self, parts: &[Part]) -> Option<Vec<Way>> {
        let Some(at) = parts.iter().position(leads_there) else { return Some(vec![parts.to_vec()]) };
        let (before, rest) = (&parts[..at], &parts[at + 1..]);
        let on = |first: Option<Part>, body: &[Part]| -> Way {
            first.into_iter().chain(body.iter().cloned()).chain(rest.iter().cloned()).collect()
        };
        let ends = match &parts[at] {
            Part::If(condition, yes, no) => {
                let not = Typed {
                    expr: Expr::negated(condition.expr.clone()),
                    range: condition.range.not(),
                    ..condition.clone()
                };
                let mut ends = Vec::new();
                // One that is never true may still be a fault.
                if condition.expr != Expr::Bool(false) {
                    ends.extend(self.all_ways(&on(Some(Part::Wait(condition.clone())), yes))?);
                }
                if condition.expr != Expr::Bool(true) {
                    ends.extend(self.all_ways(&on(Some(Part::Wait(not)), no))?);
                }
                ends
            }
            Part::Either(branches) => {
                let mut ends = Vec::new();
                for branch in branches {
                    ends.extend(self.all_ways(&on(None, branch))?);
                }
                ends
            }
            Part::Choose(choice) => {
                let bodies = self.all_ways(&on(None, &choice.body))?.into_iter();
                bodies.map(|body| vec![Part::Choose(Choice { body, ..choice.clone() })]).collect()
            }
            Part::Let(binder, value, body) => {
                let bodies = self.all_ways(&on(None, body))?.into_iter();
                bodies.map(|body| vec![Part::Let(binder.clone(), value.clone(), body)]).collect()
            }
            own => {
                if let Some(Part::Meet(_) | Part::Sync(..)) = hole(rest) {
                    self.refuse_second(own, hole(rest)?);
                    return None;
                }
                vec![on(Some(own.clone()), &[])]
            }
        };
        if ends.len() > WAYS || !self.copy(self.step, ends.len() * (1 + before.len() + rest.len())) {
            let message = format!("more than {WAYS} ways of this step lead to a rendezvous or a joint event");
            self.error_at_use(self.step, message, "too many branches");
            return None;
        }
        Some(ends.into_iter().map(|end| before.iter().cloned().chain(end).collect()).collect())
    }

    fn refuse_second(&mut self, first: &Part, second: &Part) {
        let place = |part: &Part| match part {
            Part::Meet(meeting) => meeting.span,
            Part::Sync(_, span) => *span,
            _ => Span::default(),
        };
        let message = "a step takes part in one rendezvous or joint event at most";
        let diagnostic = Diagnostic::error(place(second), message, "a second one in the same step")
            .related(place(first), "the first one")
            .help("make it a step of its own");
        self.report(diagnostic);
    }

    /// Ways whose choices have indices of their own, so that they can be put into ways of the same step.
    pub(super) fn renewed(&mut self, parts: &[Part]) -> Vec<Part> {
        parts.iter().map(|part| self.renewed_part(part)).collect()
    }

    fn renewed_part(&mut self, part: &Part) -> Part {
        match part {
            Part::If(condition, yes, no) => {
                let (yes, no) = (self.renewed(yes), self.renewed(no));
                Part::If(condition.clone(), yes, no)
            }
            Part::Either(branches) => {
                Part::Either(branches.iter().map(|branch| self.renewed(branch)).collect())
            }
            Part::Choose(Choice { binder, .. }) | Part::Let(binder, ..) => {
                let index = self.another(binder.index);
                let binder = Binder { index, ..binder.clone() };
                match part.replace_bound(&binder) {
                    Part::Choose(choice) => {
                        let body = self.renewed(&choice.body);
                        Part::Choose(Choice { binder, body, ..choice })
                    }
                    Part::Let(_, value, body) => Part::Let(binder, value, self.renewed(&body)),
                    other => other,
                }
            }
            Part::Wait(_) | Part::Do(_) | Part::Meet(_) | Part::Sync(..) => part.clone(),
        }
    }

    /// A new index with the name of another.
    pub(super) fn another(&mut self, index: Index) -> Index {
        let name = self.system.indices[index.0 as usize].clone();
        self.fresh(&name.name, name.scalar)
    }
}

impl Part {
    /// A choice with another index for its value. The new binder has the span of the old one.
    fn replace_bound(&self, new: &Binder) -> Part {
        let value = Expr::Index(new.index);
        match self {
            Part::Choose(choice) => {
                let old = choice.binder.index;
                let typed =
                    |typed: &Typed| Typed { expr: fold::replace(&typed.expr, old, &value), ..typed.clone() };
                Part::Choose(Choice {
                    member: typed(&choice.member),
                    admissible: typed(&choice.admissible),
                    body: choice.body.iter().map(|part| part.replace(old, &value)).collect(),
                    ..choice.clone()
                })
            }
            Part::Let(binder, own, body) => {
                let body = body.iter().map(|part| part.replace(binder.index, &value)).collect();
                Part::Let(binder.clone(), own.clone(), body)
            }
            other => other.clone(),
        }
    }
}
