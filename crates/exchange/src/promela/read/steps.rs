//! The code of a proctype in our language: a label for each place, and a step for each way to leave it.
//!
//! What SPIN does without interruption is one step here: an `atomic` up to its end, and a whole `d_step`. Its places inside are
//! followed with the values that are known, so loops that count are unrolled. If the next statement is blocked, the step ends
//! and others may run, as in SPIN. Otherwise a step ends inside an `atomic` only before a rendezvous, before a loop that is not
//! unrolled, and at a label of acceptance, which SPIN sees there; then a shared variable keeps the others from running. Never
//! claims see no other state inside an `atomic`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lang::diagnostic::Diagnostic;
use lang::syntax::{Binary as Operator, Expr as Tree, ExprKind, Span, Statement, StatementKind};

use super::actions::{assign, branch};
use super::count::{Known, everywhere, followed, possible};
use super::flow::{Edge, Node, Step};
use super::points::Points;
use super::translate::{Translator, Who, all, any, not};
use super::world::{Result, World};
use crate::tree::{binary, block, expr, int, labelled, name, named, statement};

/// The steps that a step may be made of.
const PARTS: usize = 2_000;

/// Translates the code of one proctype.
pub(super) struct Steps<'a> {
    translator: Translator<'a>,
    process: usize,
    who: &'a Who,
    known: Vec<Option<Known>>,
    /// Places that are to be translated.
    open: VecDeque<usize>,
    /// Places where the process can be between steps.
    pub(super) stops: BTreeSet<usize>,
    /// Whether some step ends inside an `atomic`.
    pub(super) cuts: bool,
    parts: usize,
}

impl<'a> Steps<'a> {
    pub(super) fn new(world: &'a World<'a>, points: &'a Points, who: &'a Who) -> Steps<'a> {
        Steps {
            translator: Translator { world, points, who: Some(who) },
            process: who.process,
            who,
            known: everywhere(world, who.process),
            open: VecDeque::new(),
            stops: BTreeSet::new(),
            cuts: false,
            parts: 0,
        }
    }

    fn world(&self) -> &'a World<'a> {
        self.translator.world
    }

    fn node(&self, node: usize) -> &'a Node {
        &self.world().processes[self.process].flow.nodes[node]
    }

    /// The code of the proctype.
    pub(super) fn body(&mut self) -> Result<Vec<Statement>> {
        let flow = &self.world().processes[self.process].flow;
        self.goto(flow.start, Span::default());
        let mut body = Vec::new();
        while let Some(node) = self.open.pop_front() {
            let label = name(self.world().processes[self.process].places[node].clone(), self.node(node).span);
            let code = if node == flow.end { self.end()? } else { self.place(node)? };
            body.push(labelled(label, code));
        }
        let process = &self.world().processes[self.process];
        if !process.runs && self.stops.contains(&flow.end) {
            let span = process.source.name.span;
            body.push(labelled(name(process.dead.clone(), span), statement(StatementKind::Halt, span)));
        }
        Ok(body)
    }

    fn goto(&mut self, node: usize, span: Span) -> Statement {
        if self.stops.insert(node) {
            self.open.push_back(node);
        }
        let label = self.world().processes[self.process].places[node].clone();
        statement(StatementKind::Goto(name(label, span)), span)
    }

    /// What every step of the process needs.
    pub(super) fn may_step(&self, span: Span, alone: bool) -> Result<Vec<Tree>> {
        let mut guards = vec![self.translator.alive(self.who, span)];
        if let Some(holder) = self.world().holder.as_ref().filter(|_| alone) {
            let holder = named(holder.clone(), span);
            let is = |value: Tree| binary(Operator::Eq, holder.clone(), value);
            guards.push(any([is(int(0, span)), is(self.me(span))]));
        }
        if let Some(provided) = &self.world().processes[self.process].source.provided {
            guards.push(self.translator.truth(provided)?);
        }
        Ok(guards)
    }

    fn me(&self, span: Span) -> Tree {
        binary(Operator::Add, self.translator.pid(self.who, span).0, int(1, span))
    }

    fn release(&self, span: Span) -> Option<Statement> {
        let holder = self.world().holder.as_ref()?;
        Some(assign(named(holder.clone(), span), int(0, span)))
    }

    /// The steps that leave a place.
    fn place(&mut self, at: usize) -> Result<Statement> {
        let node = self.node(at);
        let known = self.known[at].clone().unwrap_or_default();
        let mut steps = Vec::new();
        let escapes: Result<Vec<Tree>> =
            node.escapes.iter().map(|edge| self.translator.enabled(&edge.step, edge.span)).collect();
        let escapes = escapes?;
        for (edge, escaping) in
            node.edges.iter().map(|edge| (edge, false)).chain(node.escapes.iter().map(|edge| (edge, true)))
        {
            for way in self.translator.ways(&edge.step, edge.span, false)? {
                let mut guards = self.may_step(edge.span, !way.meets)?;
                let before = node
                    .escapes
                    .iter()
                    .zip(&escapes)
                    .filter(|(other, _)| !escaping || other.level < edge.level);
                guards.push(not(any(before.map(|(_, enabled)| enabled.clone()))));
                guards.push(way.guard);
                let mut body = Vec::new();
                let sends = way.meets && matches!(edge.step, Step::Send { .. });
                let is_visible = self.is_visible(node, edge);
                if !way.meets {
                    body.extend(self.release(edge.span));
                }
                body.extend(way.effects);
                if sends {
                    // The receiver goes on, if it is in an `atomic`; the sender does not.
                    body.push(self.goto(edge.to, edge.span));
                } else {
                    let next = followed(&edge.step, &known, self.world(), self.process, true);
                    self.parts = 0;
                    body.extend(self.go_on(edge, &next, is_visible, &mut Vec::new())?);
                }
                let guard = all(guards);
                let span = edge.span;
                steps.push((span, statement(StatementKind::When(guard, block(body, span)), span)));
            }
        }
        let span = node.span;
        if steps.is_empty() {
            return Ok(statement(StatementKind::Halt, span));
        }
        if steps.len() == 1 {
            let (_, only) = steps.remove(0);
            return Ok(only);
        }
        let places = &self.world().processes[self.process].places;
        let branches = steps.into_iter().zip(1_u32..).map(|((span, step), number)| {
            let mut label = format!("{}_option{number}", places[at]);
            while places.contains(&label) {
                label.push('_');
            }
            block(vec![labelled(name(label, span), step)], span)
        });
        Ok(statement(StatementKind::Either(branches.collect()), span))
    }

    /// Whether a step leaves or reaches a place with a label of acceptance.
    fn is_visible(&self, from: &Node, edge: &Edge) -> bool {
        let accepts = |node: &Node| node.labels.iter().any(|label| label.starts_with("accept"));
        accepts(from) || accepts(self.node(edge.to))
    }

    /// What follows a step: the process goes to a place, or goes on in the same step.
    fn go_on(
        &mut self,
        edge: &Edge,
        known: &Known,
        changed: bool,
        path: &mut Vec<(usize, Known)>,
    ) -> Result<Vec<Statement>> {
        let (at, span) = (edge.to, edge.span);
        let node = self.node(at);
        if !edge.region.goes_on(node.region) {
            return Ok(vec![self.goto(at, span)]);
        }
        let deterministic = edge.region.is_inside(node.region);
        let meets = node.edges.iter().any(|edge| self.may_meet(edge));
        let again = path.iter().any(|(other, values)| *other == at && values == known);
        self.parts += 1;
        let is_large = self.parts > PARTS || path.len() > 250;
        let shows = changed && node.edges.iter().any(|edge| self.is_visible(node, edge));
        // `unless` does not interrupt a `d_step`.
        if deterministic && (meets || again || is_large) {
            let reason = if meets {
                "a rendezvous inside `d_step` is not supported"
            } else {
                "the length of this `d_step` is not known"
            };
            return Err(Diagnostic::error(node.span, reason, "here").into());
        }
        if !deterministic && (meets || again || is_large || shows || !node.escapes.is_empty()) {
            return self.cut(at, span);
        }
        let edges: Vec<&Edge> = node
            .edges
            .iter()
            .filter(|edge| possible(&edge.step, known, self.world(), self.process) != Some(false))
            .collect();
        path.push((at, known.clone()));
        let mut options = Vec::new();
        for edge in edges {
            let is_certain = possible(&edge.step, known, self.world(), self.process) == Some(true);
            for way in self.translator.ways(&edge.step, edge.span, true)? {
                let next = followed(&edge.step, known, self.world(), self.process, true);
                let changed = changed || self.is_visible(node, edge);
                let mut body = way.effects;
                body.extend(self.go_on(edge, &next, changed, path)?);
                let guard = if is_certain { expr(ExprKind::Bool(true), edge.span) } else { way.guard };
                options.push((guard, body));
            }
        }
        path.pop();
        let is_certain = options.iter().any(|(guard, _)| guard.kind == ExprKind::Bool(true));
        let blocked = match (is_certain, deterministic) {
            (true, _) => Vec::new(),
            (false, true) => {
                let condition = expr(ExprKind::Bool(false), span);
                let text = Some(name("a d_step is blocked", span));
                let fault = statement(StatementKind::Assert { condition, text }, span);
                vec![fault, statement(StatementKind::Halt, span)]
            }
            (false, false) => vec![self.goto(at, span)],
        };
        Ok(combine(options, blocked, deterministic, span))
    }

    /// Whether a step may be a rendezvous.
    fn may_meet(&self, edge: &Edge) -> bool {
        let (Step::Send { channel, .. } | Step::Receive { channel, .. }) = &edge.step else { return false };
        let groups = self.translator.points.of(channel, Some(self.process), self.world());
        groups.iter().any(|group| self.world().groups[*group].capacity == 0)
    }

    /// Ends a step inside an `atomic`: the process must not be interrupted here, unless it has to wait.
    fn cut(&mut self, at: usize, span: Span) -> Result<Vec<Statement>> {
        self.cuts = true;
        let mut body = Vec::new();
        if let Some(holder) = &self.world().holder {
            let node = self.node(at);
            let mut possible = Vec::new();
            for edge in node.edges.iter().chain(&node.escapes) {
                possible.push(self.translator.enabled(&edge.step, span)?);
            }
            let hold = assign(named(holder.clone(), span), self.me(span));
            body.push(branch(any(possible), vec![hold], Vec::new()));
        }
        body.push(self.goto(at, span));
        Ok(body)
    }

    /// The end of the code: the process dies, if no younger one lives.
    fn end(&mut self) -> Result<Statement> {
        let process = &self.world().processes[self.process];
        let span = process.source.name.span;
        let mut guards = self.may_step(span, true)?;
        guards.push(self.may_die(self.who, span));
        let mut body = Vec::new();
        body.extend(self.release(span));
        if let Some(alive) = &self.world().alive {
            let alive = named(alive.clone(), span);
            body.push(assign(alive.clone(), binary(Operator::Sub, alive, int(1, span))));
        }
        body.extend(super::items::resets(self.translator, self.who));
        let to = if process.runs {
            let alive = named(process.alive.clone(), span);
            body.push(assign(alive.clone(), binary(Operator::Sub, alive, int(1, span))));
            self.goto(process.flow.start, span)
        } else {
            statement(StatementKind::Goto(name(process.dead.clone(), span)), span)
        };
        body.push(to);
        Ok(statement(StatementKind::When(all(guards), block(body, span)), span))
    }

    fn may_die(&self, who: &Who, span: Span) -> Tree {
        may_die(self.translator, who, span)
    }
}

/// Whether no younger process lives.
pub(super) fn may_die(translator: Translator<'_>, who: &Who, span: Span) -> Tree {
    let Some(alive) = &translator.world.alive else { return expr(ExprKind::Bool(true), span) };
    let next = binary(Operator::Add, translator.pid(who, span).0, int(1, span));
    binary(Operator::Eq, next, named(alive.clone(), span))
}

/// One of several options, or what is done if none is possible.
fn combine(
    options: Vec<(Tree, Vec<Statement>)>,
    blocked: Vec<Statement>,
    deterministic: bool,
    span: Span,
) -> Vec<Statement> {
    let is_certain = |guard: &Tree| guard.kind == ExprKind::Bool(true);
    if deterministic || options.len() <= 1 {
        let mut rest = blocked;
        for (guard, body) in options.into_iter().rev() {
            rest = if is_certain(&guard) { body } else { vec![branch(guard, body, rest)] };
        }
        return rest;
    }
    let possible = any(options.iter().map(|(guard, _)| guard.clone()));
    let certain = options.iter().any(|(guard, _)| is_certain(guard));
    let branches = options.into_iter().map(|(guard, body)| {
        let mut all = Vec::new();
        if !is_certain(&guard) {
            all.push(statement(StatementKind::Await(guard), span));
        }
        all.extend(body);
        block(all, span)
    });
    let either = statement(StatementKind::Either(branches.collect()), span);
    if certain { vec![either] } else { vec![branch(possible, vec![either], blocked)] }
}

/// The labels of the places of each proctype: their own, or the number of their line.
pub(super) fn places(nodes: &[Node], end: usize, line: impl Fn(Span) -> usize) -> (Vec<String>, String) {
    let mut taken = BTreeSet::new();
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        if let Some(label) = node.labels.first() {
            found.insert(at, crate::tree::free(label, &mut taken));
        }
    }
    for (at, node) in nodes.iter().enumerate() {
        if at == end {
            found.entry(at).or_insert_with(|| crate::tree::free("end_", &mut taken));
        }
        found.entry(at).or_insert_with(|| {
            let base = format!("line{}", line(node.span));
            let numbered = (2..).map(|number| format!("{base}_{number}"));
            let label = std::iter::once(base.clone()).chain(numbered).find(|label| !taken.contains(label));
            let label = label.unwrap_or(base);
            taken.insert(label.clone());
            label
        });
    }
    let dead = crate::tree::free("dead", &mut taken);
    (found.into_values().collect(), dead)
}
