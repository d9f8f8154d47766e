//! The automaton of a proctype: places between statements, and the steps that leave them.
//!
//! It is the one SPIN makes. A simple statement is a step. `goto`, `break` and the brackets take no step, unless an option
//! begins with a jump, or a jump has a label that SPIN or a property asks for. A block in braces has a place of its own, which matters
//! where it begins with a loop. The first steps of all options leave one place, also where an option begins with another `if`.
//! `else` knows the steps it is the alternative to. A place and a step know in which `atomic` or `d_step` they are: after a
//! step, a process goes on without interruption if the place it comes to is in the same one.

use std::collections::{BTreeMap, BTreeSet};

use lang::diagnostic::Diagnostic;
use lang::syntax::{Name, Span};

use super::syntax::{Action, Declaration, Expr, Place, Statement};

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// The automaton of a proctype.
#[derive(Debug, Default)]
pub(super) struct Flow {
    pub(super) nodes: Vec<Node>,
    pub(super) start: usize,
    /// Where the code ends.
    pub(super) end: usize,
    /// The variables that the code declares.
    pub(super) locals: Vec<Declaration>,
    /// The place of each label.
    pub(super) labels: BTreeMap<String, usize>,
}

/// A place between statements.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) edges: Vec<Edge>,
    /// The first steps of what `unless` has behind it: the others wait while one of these can be done, and so
    /// do inner ones while an outer one can. Outermost first.
    pub(super) escapes: Vec<Edge>,
    pub(super) region: Region,
    pub(super) labels: Vec<String>,
    pub(super) span: Span,
}

/// Where a statement stands: the outermost `atomic` around it and the `d_step`, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) atomic: Option<usize>,
    pub(super) deterministic: Option<usize>,
}

impl Region {
    /// Whether a process that does a step here and comes to a place there is not interrupted.
    pub(super) fn goes_on(self, there: Region) -> bool {
        self.atomic.is_some() && self.atomic == there.atomic || self.is_inside(there)
    }

    /// Whether a step here leads to a place in the same `d_step`.
    pub(super) fn is_inside(self, there: Region) -> bool {
        self.deterministic.is_some() && self.deterministic == there.deterministic
    }
}

/// A step.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) step: Step,
    pub(super) to: usize,
    pub(super) region: Region,
    pub(super) span: Span,
    /// How deep the `unless` is that it escapes from, counted from the outside; 0 if it is no escape.
    pub(super) level: usize,
}

/// What a step does.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Skip,
    Wait(Expr),
    /// None of these can be done.
    Else(Vec<Step>),
    Assign(Place, Expr),
    Send {
        channel: Place,
        values: Vec<Expr>,
        sorted: bool,
    },
    Receive {
        channel: Place,
        values: Vec<Expr>,
        random: bool,
        copies: bool,
    },
    Assert(Expr),
}

/// The automaton of a body. Others ask about these labels.
pub(super) fn flow(body: &[Statement], span: Span, mentioned: &BTreeSet<String>) -> Result<Flow> {
    let mut builder = Builder { flow: Flow::default(), forward: BTreeMap::new(), regions: 0, mentioned };
    let context = Context { leave: None, region: Region::default(), escapes: Vec::new() };
    let end = builder.node(&context, span);
    builder.flow.nodes[end].escapes.clear();
    let start = builder.sequence(body, end, &context)?;
    builder.finish(start, end)
}

#[derive(Clone)]
struct Context {
    /// Where `break` goes.
    leave: Option<usize>,
    region: Region,
    escapes: Vec<Edge>,
}

struct Builder<'a> {
    mentioned: &'a BTreeSet<String>,
    flow: Flow,
    /// A place that stands for another one, which was not known yet.
    forward: BTreeMap<usize, usize>,
    regions: usize,
}

impl Builder<'_> {
    fn node(&mut self, context: &Context, span: Span) -> usize {
        self.flow.nodes.push(Node {
            edges: Vec::new(),
            escapes: context.escapes.clone(),
            region: context.region,
            labels: Vec::new(),
            span,
        });
        self.flow.nodes.len() - 1
    }

    /// The place of a label, perhaps before its statement is known.
    fn label(&mut self, name: &str, span: Span) -> usize {
        if let Some(known) = self.flow.labels.get(name) {
            return *known;
        }
        self.flow.nodes.push(Node { span, ..Node::default() });
        let place = self.flow.nodes.len() - 1;
        self.flow.labels.insert(name.to_owned(), place);
        place
    }

    fn sequence(&mut self, body: &[Statement], next: usize, context: &Context) -> Result<usize> {
        let mut entry = next;
        for statement in body.iter().rev() {
            entry = self.statement(statement, entry, context)?;
        }
        Ok(entry)
    }

    fn statement(&mut self, statement: &Statement, next: usize, context: &Context) -> Result<usize> {
        let entry = self.unlabelled(statement, next, context)?;
        for label in &statement.labels {
            let place = self.label(&label.text, label.span);
            if self.forward.insert(place, entry).is_some() {
                let message = format!("the label `{}` is declared twice", label.text);
                return Err(Diagnostic::error(label.span, message, "the second time").into());
            }
        }
        Ok(entry)
    }

    fn unlabelled(&mut self, statement: &Statement, next: usize, context: &Context) -> Result<usize> {
        let span = statement.span;
        let step = match &statement.action {
            Action::Declare(declared) => {
                self.flow.locals.splice(0..0, declared.iter().cloned());
                return Ok(next);
            }
            Action::Goto(label) => {
                let to = self.label(&label.text, label.span);
                let is_seen = |label: &Name| {
                    let marks = ["accept", "progress", "end"];
                    self.mentioned.contains(&label.text)
                        || marks.iter().any(|mark| label.text.starts_with(mark))
                };
                if !statement.labels.iter().any(is_seen) {
                    return Ok(to);
                }
                let place = self.node(context, span);
                let edge = Edge { step: Step::Skip, to, region: context.region, span, level: 0 };
                self.flow.nodes[place].edges.push(edge);
                return Ok(place);
            }
            Action::Break => {
                return context.leave.ok_or_else(|| {
                    Diagnostic::error(span, "`break` stands outside of a loop", "nothing to leave").into()
                });
            }
            Action::Block(body) => {
                let entry = self.sequence(body, next, context)?;
                return Ok(self.enter(body, entry, context, span));
            }
            Action::Atomic(body) => {
                let mut inner = context.clone();
                if inner.region.atomic.is_none() {
                    self.regions += 1;
                    inner.region.atomic = Some(self.regions);
                }
                let entry = self.sequence(body, next, &inner)?;
                return Ok(self.enter(body, entry, context, span));
            }
            Action::Deterministic(body) => {
                self.regions += 1;
                let mut inner = context.clone();
                inner.region.deterministic = Some(self.regions);
                let entry = self.sequence(body, next, &inner)?;
                return Ok(self.enter(body, entry, context, span));
            }
            Action::Unless(main, escape) => {
                let entry = self.sequence(escape, next, context)?;
                let mut inner = context.clone();
                let level = context.escapes.last().map_or(1, |outer| outer.level + 1);
                let escapes = self.flow.nodes[entry].edges.iter();
                inner.escapes.extend(escapes.map(|edge| Edge { level, ..edge.clone() }));
                return self.sequence(main, next, &inner);
            }
            Action::If(options) => {
                let choice = self.node(context, span);
                let edges = self.options(options, next, context)?;
                self.flow.nodes[choice].edges = edges;
                return Ok(choice);
            }
            Action::Do(options) => {
                let choice = self.node(context, span);
                let inner = Context { leave: Some(next), ..context.clone() };
                let edges = self.options(options, choice, &inner)?;
                self.flow.nodes[choice].edges = edges;
                return Ok(choice);
            }
            Action::Else => {
                return Err(Diagnostic::error(span, "`else` begins an option", "not here").into());
            }
            Action::Print => Step::Skip,
            Action::Wait(condition) => Step::Wait(condition.clone()),
            Action::Assign(place, value) => Step::Assign(place.clone(), value.clone()),
            Action::Send { channel, values, sorted } => {
                Step::Send { channel: channel.clone(), values: values.clone(), sorted: *sorted }
            }
            Action::Receive { channel, values, random, copies } => Step::Receive {
                channel: channel.clone(),
                values: values.clone(),
                random: *random,
                copies: *copies,
            },
            Action::Assert(condition) => Step::Assert(condition.clone()),
        };
        let place = self.node(context, span);
        self.flow.nodes[place].edges.push(Edge { step, to: next, region: context.region, span, level: 0 });
        Ok(place)
    }

    /// The place before a block.
    fn enter(&mut self, body: &[Statement], entry: usize, context: &Context, span: Span) -> usize {
        if begins_with_jump(body) {
            return entry;
        }
        let place = self.node(context, span);
        self.flow.nodes[place].edges = self.flow.nodes[entry].edges.clone();
        self.flow.nodes[place].escapes = self.flow.nodes[entry].escapes.clone();
        place
    }

    /// The first steps of all options. An `else` is about the other options, and, of an `if` with which an option begins, about the
    /// options before that too: SPIN tries them in this order.
    fn options(&mut self, options: &[Vec<Statement>], next: usize, context: &Context) -> Result<Vec<Edge>> {
        let steps = |edges: &[Edge]| -> Vec<Step> {
            let others = edges.iter().filter(|edge| !matches!(edge.step, Step::Else(_)));
            others.map(|edge| edge.step.clone()).collect()
        };
        let mut edges: Vec<Edge> = Vec::new();
        let mut otherwise = None;
        for option in options {
            if let Some(rest) = begins_with_else(option) {
                let to = self.sequence(&rest, next, context)?;
                let span = option.first().map_or_else(Span::default, |first| first.span);
                otherwise = Some((
                    edges.len(),
                    Edge { step: Step::Skip, to, region: context.region, span, level: 0 },
                ));
                continue;
            }
            let entry = self.sequence(option, next, context)?;
            let span = option.first().map_or_else(Span::default, |first| first.span);
            if begins_with_jump(option) {
                edges.push(Edge { step: Step::Skip, to: entry, region: context.region, span, level: 0 });
            } else {
                let before = steps(&edges);
                let mut own = self.flow.nodes[entry].edges.clone();
                for edge in &mut own {
                    if let Step::Else(others) = &mut edge.step {
                        others.extend(before.iter().cloned());
                    }
                }
                edges.extend(own);
            }
        }
        if let Some((at, edge)) = otherwise {
            let others = steps(&edges);
            edges.insert(at, Edge { step: Step::Else(others), ..edge });
        }
        if let Some(second) = edges.iter().filter(|edge| matches!(edge.step, Step::Else(_))).nth(1) {
            let message = "two `else` at one place are not supported";
            return Err(Diagnostic::error(second.span, message, "an option begins with the other").into());
        }
        Ok(edges)
    }

    fn finish(mut self, start: usize, end: usize) -> Result<Flow> {
        for (label, place) in &self.flow.labels {
            if !self.forward.contains_key(place) {
                let message = format!("there is no label `{label}`");
                let span = self.flow.nodes[*place].span;
                return Err(Diagnostic::error(span, message, "not declared").into());
            }
        }
        let resolve = |forward: &BTreeMap<usize, usize>, from: usize| {
            let mut at = from;
            for _ in 0..=forward.len() {
                match forward.get(&at) {
                    Some(next) => at = *next,
                    None => break,
                }
            }
            at
        };
        let (start, end) = (resolve(&self.forward, start), resolve(&self.forward, end));
        for node in &mut self.flow.nodes {
            for edge in node.edges.iter_mut().chain(&mut node.escapes) {
                edge.to = resolve(&self.forward, edge.to);
            }
        }
        let labels: Vec<(String, usize)> =
            self.flow.labels.iter().map(|(label, place)| (label.clone(), *place)).collect();
        for (label, place) in labels {
            let place = resolve(&self.forward, place);
            if self.forward.contains_key(&place) {
                let message = format!("the label `{label}` only leads to itself");
                let span = self.flow.nodes[place].span;
                return Err(Diagnostic::error(span, message, "a jump in a circle").into());
            }
            self.flow.nodes[place].labels.push(label.clone());
            self.flow.labels.insert(label, place);
        }
        (self.flow.start, self.flow.end) = (start, end);
        Ok(self.flow)
    }
}

/// The rest of an option that begins with `else`.
fn begins_with_else(option: &[Statement]) -> Option<Vec<Statement>> {
    let (first, rest) = option.split_first()?;
    match &first.action {
        Action::Else => Some(rest.to_vec()),
        Action::Block(body) => {
            let mut inner = begins_with_else(body)?;
            inner.extend_from_slice(rest);
            Some(inner)
        }
        _ => None,
    }
}

/// Whether the first statement of an option is a jump, which then is a step.
fn begins_with_jump(option: &[Statement]) -> bool {
    match option.iter().find(|statement| !matches!(statement.action, Action::Declare(_))) {
        None => true,
        Some(first) => match &first.action {
            Action::Goto(_) | Action::Break => true,
            Action::Block(body) | Action::Atomic(body) | Action::Deterministic(body) => {
                begins_with_jump(body)
            }
            _ => false,
        },
    }
}
