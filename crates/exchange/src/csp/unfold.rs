//! Unfolds a sequential process to a finite graph of control.
//!
//! A node is what is left to do: a process, and what comes after it. Parameters are known numbers, so there are finitely
//! many nodes unless a process calls itself and goes on afterwards; that is refused.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use lang::syntax::Span;

use super::syntax::{
    Annotation, Binary, Definition, Event, Expr, File, IfWord, Kind, Operator, Process, Statement, Term,
    Values,
};
use crate::text::{Parsed, refused};

/// The greatest number of nodes of a process.
const NODES: usize = 20_000;
/// How many processes may wait for others to end, one in the other.
const WAITING: usize = 60;
/// How many calls may follow each other without a step.
const CALLS: usize = 200;

/// The values of parameters.
pub(super) type Values0 = BTreeMap<String, i64>;

/// The declarations that processes refer to.
pub(super) struct Known<'a> {
    pub(super) definitions: HashMap<&'a str, &'a Definition>,
    pub(super) constants: HashMap<&'a str, i64>,
    pub(super) defines: HashMap<&'a str, &'a Expr>,
    /// The messages that processes send, by channel. A process is unfolded again when there are more.
    pub(super) messages: RefCell<BTreeMap<String, BTreeSet<Vec<i64>>>>,
}

/// What a transition does to a channel.
#[derive(Clone)]
pub(super) enum Message<'a> {
    /// Sends the values of these expressions.
    Sends(String, &'a [Expr]),
    /// Receives exactly this message.
    Receives(String, Vec<i64>),
}

/// A process with the values of its parameters.
#[derive(Clone)]
pub(super) struct Bound<'a> {
    pub(super) process: &'a Process,
    pub(super) values: Values0,
    /// Whether it is inside an `atomic`, and so is all that it becomes.
    pub(super) atomic: bool,
}

impl<'a> Bound<'a> {
    fn key(&self) -> (usize, bool, Vec<(String, i64)>) {
        let values = self.values.clone().into_iter().collect();
        (std::ptr::from_ref(self.process) as usize, self.atomic, values)
    }

    /// A part of it, with the same values.
    pub(super) fn with(&self, process: &'a Process) -> Bound<'a> {
        Bound { process, values: self.values.clone(), atomic: self.atomic }
    }
}

/// A condition with the values of its parameters, and whether it is negated.
#[derive(Clone)]
pub(super) struct Condition<'a> {
    pub(super) expression: &'a Expr,
    pub(super) values: Values0,
    pub(super) negated: bool,
}

/// What a transition is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    Silent,
    /// Sends on a channel, or receives a message from it: `c!`, `c?1.2`.
    Sends(String),
    Receives(String, Vec<i64>),
    /// The name and the arguments of an event.
    Event(String, Vec<i64>),
}

/// A transition between nodes.
#[derive(Clone)]
pub(super) struct Transition<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: Label,
    /// Whether it is inside an `atomic`.
    pub(super) atomic: bool,
    pub(super) annotation: Option<Annotation>,
    pub(super) guards: Vec<Condition<'a>>,
    pub(super) message: Option<Message<'a>>,
    pub(super) program: &'a [Statement],
    pub(super) values: Values0,
    pub(super) span: Span,
}

/// The graph of a process. It begins at node 0.
pub(super) struct Graph<'a> {
    pub(super) nodes: usize,
    /// The node at which it has ended, if it can.
    pub(super) end: Option<usize>,
    pub(super) transitions: Vec<Transition<'a>>,
}

struct First<'a> {
    label: Label,
    atomic: bool,
    annotation: Option<Annotation>,
    guards: Vec<Condition<'a>>,
    message: Option<Message<'a>>,
    program: &'a [Statement],
    values: Values0,
    span: Span,
    rest: Vec<Bound<'a>>,
}

/// The graph of a process. One that receives goes on in as many ways as there are messages.
pub(super) fn graph<'a>(known: &Known<'a>, start: Vec<Bound<'a>>) -> Parsed<Graph<'a>> {
    let start = known.normal(start)?;
    let key = |stack: &[Bound<'a>]| stack.iter().map(Bound::key).collect::<Vec<_>>();
    let mut numbers = HashMap::from([(key(&start), 0usize)]);
    let mut stacks = vec![start];
    let mut graph = Graph { nodes: 1, end: None, transitions: Vec::new() };
    let mut at = 0;
    while at < stacks.len() {
        let stack = stacks[at].clone();
        let span = stack.first().map_or(Span::default(), |own| own.process.span);
        let mut found = Vec::new();
        let may_end = known.first(&stack, 0, &mut found)?;
        if may_end && !found.is_empty() {
            return refused(span, "a choice between ending and a step is not supported", "may end here");
        }
        if may_end {
            graph.end = Some(graph.end.unwrap_or(at));
        }
        for mut first in found {
            first.rest = known.normal(first.rest)?;
            if first.rest.len() > WAITING {
                return refused(
                    first.span,
                    "this process calls itself and goes on afterwards",
                    "unbounded recursion",
                );
            }
            let to = *numbers.entry(key(&first.rest)).or_insert_with(|| {
                stacks.push(first.rest.clone());
                stacks.len() - 1
            });
            if stacks.len() > NODES {
                return refused(
                    first.span,
                    format!("this process has more than {NODES} states of control"),
                    "too large",
                );
            }
            let First { label, atomic, annotation, guards, message, program, values, span, .. } = first;
            graph.transitions.push(Transition {
                from: at,
                to,
                label,
                atomic,
                annotation,
                guards,
                message,
                program,
                values,
                span,
            });
        }
        at += 1;
    }
    graph.nodes = stacks.len();
    Ok(graph)
}

impl<'a> Known<'a> {
    /// Collects the first steps of a stack of processes; whether it may end without one.
    fn first(&self, stack: &[Bound<'a>], depth: usize, found: &mut Vec<First<'a>>) -> Parsed<bool> {
        let Some((head, rest)) = stack.split_first() else { return Ok(true) };
        let span = head.process.span;
        if depth > CALLS {
            return refused(span, "this process calls itself without a step", "unguarded recursion");
        }
        let values = &head.values;
        let (bound, atomic) = (|process: &'a Process| head.with(process), head.atomic);
        let then = |process: &'a Process| -> Vec<Bound<'a>> {
            let mut stack = vec![bound(process)];
            stack.extend(rest.iter().cloned());
            stack
        };
        let condition =
            |expression: &'a Expr, negated: bool| Condition { expression, values: values.clone(), negated };
        match &head.process.kind {
            Term::Skip => self.first(rest, depth + 1, found),
            Term::Atomic(inner) => {
                let mut stack = vec![Bound { atomic: true, ..bound(inner) }];
                stack.extend(rest.iter().cloned());
                self.first(&stack, depth + 1, found)
            }
            Term::Stop => Ok(false),
            Term::Call(..) => {
                let mut stack = vec![self.called(head)?];
                stack.extend(rest.iter().cloned());
                self.first(&stack, depth + 1, found)
            }
            Term::Prefix { annotation, event, program, then: next } => {
                found.push(First {
                    label: self.label(event, values)?,
                    atomic,
                    annotation: *annotation,
                    guards: Vec::new(),
                    message: None,
                    program,
                    values: values.clone(),
                    span,
                    rest: then(next),
                });
                Ok(false)
            }
            Term::Silent(program, next) => {
                found.push(silent(head, program, Vec::new(), span, then(next)));
                Ok(false)
            }
            Term::Send(channel, sent, program, next) => {
                found.push(First {
                    label: Label::Sends(channel.text.clone()),
                    atomic,
                    annotation: None,
                    guards: Vec::new(),
                    message: Some(Message::Sends(channel.text.clone(), sent)),
                    program,
                    values: values.clone(),
                    span,
                    rest: then(next),
                });
                Ok(false)
            }
            Term::Receive(channel, test, pattern, program, next) => {
                let messages = self.messages.borrow().get(&channel.text).cloned().unwrap_or_default();
                for message in messages {
                    let Some(received) = self.matched(pattern, &message, values)? else { continue };
                    let guard = test.iter().map(|expression| Condition {
                        expression,
                        values: received.clone(),
                        negated: false,
                    });
                    let mut rest = vec![Bound { values: received.clone(), ..head.with(next) }];
                    rest.extend(stack[1..].iter().cloned());
                    found.push(First {
                        label: Label::Receives(channel.text.clone(), message.clone()),
                        atomic,
                        annotation: None,
                        guards: guard.collect(),
                        message: Some(Message::Receives(channel.text.clone(), message)),
                        program,
                        values: received,
                        span,
                        rest,
                    });
                }
                Ok(false)
            }
            // A condition on parameters alone is decided here, so that recursion on them ends.
            Term::Guard(test, next) => match self.evaluate(test, values, 0) {
                Some(0) => Ok(false),
                Some(_) => self.first(&then(next), depth + 1, found),
                None => self.guarded(&then(next), &[condition(test, false)], depth, found),
            },
            Term::If { condition: test, yes, no, .. } if self.evaluate(test, values, 0).is_some() => {
                let holds = self.evaluate(test, values, 0) != Some(0);
                match no {
                    _ if holds => self.first(&then(yes), depth + 1, found),
                    Some(no) => self.first(&then(no), depth + 1, found),
                    None => self.first(rest, depth + 1, found),
                }
            }
            Term::If { word, condition: test, yes, no } => {
                let (holds, fails) = (condition(test, false), condition(test, true));
                match word {
                    IfWord::Atomic => {
                        self.guarded(&then(yes), &[holds], depth, found)?;
                        let otherwise = no.as_ref().map_or_else(|| rest.to_vec(), |no| then(no));
                        self.guarded(&otherwise, &[fails], depth, found)?;
                        Ok(false)
                    }
                    IfWord::Plain => {
                        found.push(silent(head, &[], vec![holds], span, then(yes)));
                        let otherwise = no.as_ref().map_or_else(|| rest.to_vec(), |no| then(no));
                        found.push(silent(head, &[], vec![fails], span, otherwise));
                        Ok(false)
                    }
                    IfWord::Blocking => {
                        found.push(silent(head, &[], vec![holds], span, then(yes)));
                        Ok(false)
                    }
                }
            }
            Term::Case(branches) => {
                let mut before = Vec::new();
                for (test, process) in branches {
                    let mut guards = before.clone();
                    if let Some(test) = test {
                        match self.evaluate(test, values, 0) {
                            Some(0) => continue,
                            Some(_) => {
                                self.guarded(&then(process), &guards, depth, found)?;
                                break;
                            }
                            None => {}
                        }
                        guards.push(condition(test, false));
                        before.push(condition(test, true));
                    }
                    self.guarded(&then(process), &guards, depth, found)?;
                }
                Ok(false)
            }
            Term::Choice(parts) => {
                let mut ends = false;
                for part in parts {
                    ends |= self.first(&then(part), depth + 1, found)?;
                }
                Ok(ends)
            }
            Term::Internal(parts) => {
                found.extend(parts.iter().map(|part| silent(head, &[], Vec::new(), span, then(part))));
                Ok(false)
            }
            Term::Sequence(parts) => {
                let mut stack: Vec<Bound<'a>> = parts.iter().map(bound).collect();
                stack.extend(rest.iter().cloned());
                self.first(&stack, depth + 1, found)
            }
            Term::Indexed(operator, indices, body) => {
                let all = self.indexed(indices, values)?;
                let stacks = all.into_iter().map(|values| Bound { values, ..head.with(body) });
                match operator {
                    Operator::Choice => {
                        let mut ends = false;
                        for part in stacks {
                            let mut stack = vec![part];
                            stack.extend(rest.iter().cloned());
                            ends |= self.first(&stack, depth + 1, found)?;
                        }
                        Ok(ends)
                    }
                    Operator::Internal => {
                        for part in stacks {
                            let mut stack = vec![part];
                            stack.extend(rest.iter().cloned());
                            found.push(silent(head, &[], Vec::new(), span, stack));
                        }
                        Ok(false)
                    }
                    Operator::Sequence => {
                        let mut stack: Vec<Bound<'a>> = stacks.collect();
                        stack.extend(rest.iter().cloned());
                        self.first(&stack, depth + 1, found)
                    }
                    Operator::Interleave | Operator::Parallel => inner_parallel(span),
                }
            }
            Term::Interleave(_) | Term::Parallel(_) => inner_parallel(span),
        }
    }

    /// The same to do, in one form: calls, sequences and ends are resolved at the beginning. Nothing is left of what has ended.
    fn normal(&self, mut stack: Vec<Bound<'a>>) -> Parsed<Vec<Bound<'a>>> {
        for _ in 0..CALLS {
            let Some(head) = stack.first().cloned() else { break };
            match &head.process.kind {
                Term::Skip => drop(stack.remove(0)),
                Term::Call(..) => stack[0] = self.called(&head)?,
                Term::Atomic(inner) => stack[0] = Bound { atomic: true, ..head.with(inner) },
                Term::Sequence(parts) => {
                    drop(stack.splice(0..1, parts.iter().map(|process| head.with(process))));
                }
                _ => break,
            }
        }
        Ok(stack)
    }

    fn guarded(
        &self,
        stack: &[Bound<'a>],
        guards: &[Condition<'a>],
        depth: usize,
        found: &mut Vec<First<'a>>,
    ) -> Parsed<bool> {
        let from = found.len();
        if self.first(stack, depth + 1, found)? && !guards.is_empty() {
            let span = guards.first().map_or(Span::default(), |guard| guard.expression.span);
            return refused(
                span,
                "a condition before the end of a process is not supported",
                "nothing follows",
            );
        }
        for first in &mut found[from..] {
            first.guards = guards.iter().cloned().chain(std::mem::take(&mut first.guards)).collect();
        }
        Ok(false)
    }

    /// What a call stands for.
    pub(super) fn called(&self, call: &Bound<'a>) -> Parsed<Bound<'a>> {
        let Term::Call(name, arguments) = &call.process.kind else { return Ok(call.clone()) };
        let Some(definition) = self.definitions.get(name.text.as_str()) else {
            return refused(name.span, format!("there is no process `{}`", name.text), "unknown");
        };
        if definition.parameters.len() != arguments.len() {
            let message = format!("process `{}` has {} parameters", name.text, definition.parameters.len());
            return refused(name.span, message, &format!("{} arguments", arguments.len()));
        }
        let mut values = Values0::new();
        for (parameter, argument) in definition.parameters.iter().zip(arguments) {
            values.insert(parameter.text.clone(), self.constant(argument, &call.values)?);
        }
        Ok(Bound { process: &definition.body, values, atomic: call.atomic })
    }

    fn label(&self, event: &Event, values: &Values0) -> Parsed<Label> {
        let arguments = event.arguments.iter().map(|argument| self.constant(argument, values));
        if event.name.text == "tau" {
            return Ok(Label::Silent);
        }
        Ok(Label::Event(event.name.text.clone(), arguments.collect::<Parsed<_>>()?))
    }

    /// The values of parameters after a message has been received; `None` if it does not have the form.
    fn matched(&self, pattern: &[Expr], message: &[i64], values: &Values0) -> Parsed<Option<Values0>> {
        if pattern.len() != message.len() {
            let span = pattern.first().map_or(Span::default(), |part| part.span);
            return refused(
                span,
                "a message with another number of values is sent on this channel",
                "not as many",
            );
        }
        let mut received = values.clone();
        for (part, value) in pattern.iter().zip(message) {
            match (&part.kind, self.evaluate(part, values, 0)) {
                (_, Some(known)) if known != *value => return Ok(None),
                (_, Some(_)) => {}
                (Kind::Name(name, arguments), None) if arguments.is_empty() => {
                    received.insert(name.clone(), *value);
                }
                _ => {
                    return refused(part.span, "what is received must be a name or a constant", "not a name");
                }
            }
        }
        Ok(Some(received))
    }

    /// The label of an event that an alphabet lists.
    pub(super) fn listed(&self, event: &Event, values: &Values0) -> Parsed<Label> {
        self.label(event, values)
    }

    /// The values of indices, in order.
    pub(super) fn indexed(
        &self,
        indices: &'a [(super::syntax::Name, Vec<Values>)],
        values: &Values0,
    ) -> Parsed<Vec<Values0>> {
        let mut all = vec![values.clone()];
        for (name, ranges) in indices {
            let mut more = Vec::new();
            for values in all {
                for range in ranges {
                    let (lo, hi) = match range {
                        Values::One(value) => {
                            let value = self.constant(value, &values)?;
                            (value, value)
                        }
                        Values::Range(lo, hi) => (self.constant(lo, &values)?, self.constant(hi, &values)?),
                    };
                    for value in lo..=hi {
                        let mut own = values.clone();
                        own.insert(name.text.clone(), value);
                        more.push(own);
                        if more.len() > NODES {
                            return refused(name.span, "this index has too many values", "too many");
                        }
                    }
                }
            }
            all = more;
        }
        Ok(all)
    }

    /// A number that is known before the model runs.
    pub(super) fn constant(&self, expr: &Expr, values: &Values0) -> Parsed<i64> {
        match self.evaluate(expr, values, 0) {
            Some(value) => Ok(value),
            None => {
                refused(expr.span, "this must be a constant, or depend on parameters only", "not known here")
            }
        }
    }

    pub(super) fn evaluate(&self, expr: &Expr, values: &Values0, depth: usize) -> Option<i64> {
        if depth > 100 {
            return None;
        }
        let of = |part: &Expr| self.evaluate(part, values, depth + 1);
        let truth = |value: bool| Some(i64::from(value));
        match &expr.kind {
            Kind::Int(value) => Some(*value),
            Kind::Bool(value) => truth(*value),
            Kind::Name(name, arguments) if arguments.is_empty() => {
                let own = values.get(name).or_else(|| self.constants.get(name.as_str())).copied();
                own.or_else(|| self.evaluate(self.defines.get(name.as_str())?, &Values0::new(), depth + 1))
            }
            Kind::Neg(a) => of(a)?.checked_neg(),
            Kind::Not(a) => truth(of(a)? == 0),
            Kind::Binary(operator, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                match operator {
                    Binary::Add => a.checked_add(b),
                    Binary::Sub => a.checked_sub(b),
                    Binary::Mul => a.checked_mul(b),
                    Binary::Div => a.checked_div(b),
                    Binary::Mod => a.checked_rem(b),
                    Binary::Eq => truth(a == b),
                    Binary::Ne => truth(a != b),
                    Binary::Lt => truth(a < b),
                    Binary::Le => truth(a <= b),
                    Binary::Gt => truth(a > b),
                    Binary::Ge => truth(a >= b),
                    Binary::And => truth(a != 0 && b != 0),
                    Binary::Or => truth(a != 0 || b != 0),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn silent<'a>(
    head: &Bound<'a>,
    program: &'a [Statement],
    guards: Vec<Condition<'a>>,
    span: Span,
    rest: Vec<Bound<'a>>,
) -> First<'a> {
    First {
        label: Label::Silent,
        atomic: head.atomic,
        annotation: None,
        guards,
        message: None,
        program,
        values: head.values.clone(),
        span,
        rest,
    }
}

fn inner_parallel<T>(span: Span) -> Parsed<T> {
    let message = "processes in parallel are supported at the outside only, or after a beginning that ends";
    refused(span, message, "inside another process")
}

/// The declarations of a file.
pub(super) fn known(file: &File) -> Parsed<Known<'_>> {
    let mut definitions = HashMap::new();
    for definition in &file.processes {
        if definitions.insert(definition.name.text.as_str(), definition).is_some() {
            let message = format!("process `{}` is defined twice", definition.name.text);
            return refused(definition.name.span, message, "again");
        }
    }
    let constants = file.constants.iter().map(|(name, value)| (name.text.as_str(), *value)).collect();
    let defines = file.defines.iter().map(|(name, value)| (name.text.as_str(), value)).collect();
    Ok(Known { definitions, constants, defines, messages: RefCell::default() })
}
