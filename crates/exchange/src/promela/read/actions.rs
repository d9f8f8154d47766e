//! What a single step of Promela needs and does.
//!
//! A buffered channel is a sequence. A rendezvous is one of our channels of capacity 0: the message goes to variables of the
//! receiver, or, where it is compared or does not fit, to shared variables that are 0 again after the step.

use lang::diagnostic::Diagnostic;
use lang::syntax::{Binary as Operator, Expr as Tree, ExprKind, Name, Span, Statement, StatementKind};

use super::count::run_of;
use super::flow::Step;
use super::syntax::{Expr, Initial, Node, Place};
use super::timeout;
use super::translate::{Translator, Who, all, any, exists, not, of_family};
use super::world::{Kind, Result, Where};
use crate::numbers::Interval;
use crate::tree::{binary, block, expr, int, item, name, named, statement};

/// One way to do a step.
pub(super) struct Way {
    pub(super) guard: Tree,
    pub(super) effects: Vec<Statement>,
    /// Whether it needs a partner.
    pub(super) meets: bool,
}

fn yes(span: Span) -> Tree {
    expr(ExprKind::Bool(true), span)
}

fn refused<T>(span: Span, message: &str) -> Result<T> {
    Err(Diagnostic::error(span, message, "not supported").into())
}

/// `x = e;`
pub(super) fn assign(place: Tree, value: Tree) -> Statement {
    let span = place.span;
    statement(StatementKind::Assign { targets: vec![place], values: vec![value] }, span)
}

/// `if c { … } else { … }`
pub(super) fn branch(condition: Tree, yes: Vec<Statement>, no: Vec<Statement>) -> Statement {
    let span = condition.span;
    let no = (!no.is_empty()).then(|| block(no, span));
    statement(StatementKind::If { condition, yes: block(yes, span), no }, span)
}

impl Translator<'_> {
    /// Whether a process could do a step now; one that waits for `timeout` does not count.
    pub(super) fn enabled(&self, step: &Step, span: Span) -> Result<Tree> {
        Ok(match step {
            Step::Skip | Step::Assign(..) | Step::Assert(_) => yes(span),
            Step::Wait(_) if run_of(step).is_some() => yes(span),
            Step::Wait(condition) if timeout::in_expression(condition) => expr(ExprKind::Bool(false), span),
            Step::Wait(condition) => self.truth(condition)?,
            Step::Else(others) => {
                let others: Result<Vec<Tree>> =
                    others.iter().map(|other| self.enabled(other, span)).collect();
                not(any(others?))
            }
            Step::Send { channel, values, .. } => {
                let (number, groups) = self.channels(channel)?;
                let mut found = Vec::new();
                for (group, condition) in groups {
                    let possible = if self.world.groups[group].capacity == 0 {
                        self.partner(group, &number, values)?
                    } else {
                        let queue = Box::new(self.queue(group, &number));
                        not(expr(ExprKind::Full(queue), span))
                    };
                    found.push(all([condition, possible]));
                }
                any(found)
            }
            Step::Receive { channel, values, random, .. } => {
                let (number, groups) = self.channels(channel)?;
                let mut found = Vec::new();
                for (group, condition) in groups {
                    // In a rendezvous it is the sender who acts.
                    let possible = if self.world.groups[group].capacity == 0 {
                        expr(ExprKind::Bool(false), span)
                    } else {
                        self.receivable(group, &number, values, *random)?
                    };
                    found.push(all([condition, possible]));
                }
                any(found)
            }
        })
    }

    /// Whether another process is ready to receive a message in a rendezvous.
    fn partner(&self, group: usize, number: &Tree, values: &[Expr]) -> Result<Tree> {
        let span = number.span;
        let mut found = Vec::new();
        for (process, family) in self.world.processes.iter().enumerate() {
            let index = family.is_family().then(|| named("partner_", span));
            let who = Who { process, index: index.clone(), own: false };
            let other = Translator { world: self.world, points: self.points, who: Some(&who) };
            let is_same = self.who.is_some_and(|own| own.process == process);
            if is_same && !family.is_family() || family.count == 0 {
                continue;
            }
            let mut places = Vec::new();
            for (at, node) in family.flow.nodes.iter().enumerate() {
                for edge in node.edges.iter().chain(&node.escapes) {
                    let Step::Receive { channel, values: theirs, .. } = &edge.step else { continue };
                    let (other_number, groups) = other.channels(channel)?;
                    if !groups.iter().any(|(own, _)| *own == group) {
                        continue;
                    }
                    let mut conditions = vec![other.at(&who, at, span)];
                    if self.world.groups[group].count > 1 || groups.len() > 1 {
                        conditions.push(binary(Operator::Eq, other_number, number.clone()));
                    }
                    for (sent, received) in values.iter().zip(theirs) {
                        if let Some(wanted) = other.matched(received) {
                            let (sent, wanted) = match (self.symbol(sent)?, other.symbol(wanted)?) {
                                (Some(sent), Some(wanted)) => (sent, wanted),
                                _ => (self.number(sent)?.0, other.number(wanted)?.0),
                            };
                            conditions.push(binary(Operator::Eq, sent, wanted));
                        }
                    }
                    places.push(all(conditions));
                }
            }
            if places.is_empty() {
                continue;
            }
            let mut conditions = vec![self.alive(&who, span), any(places)];
            if let (Some(index), Some(own)) = (index, self.who.filter(|_| is_same)) {
                let own = own.index.clone().unwrap_or_else(|| int(0, span));
                conditions.push(binary(Operator::Ne, index, own));
            }
            let body = all(conditions);
            found.push(if family.is_family() { exists("partner_", 0, family.count - 1, body) } else { body });
        }
        Ok(any(found))
    }

    /// The ways to do a step. `checked` says whether an assertion is part of it, and not an invariant.
    pub(super) fn ways(&self, step: &Step, span: Span, checked: bool) -> Result<Vec<Way>> {
        let one = |guard: Tree, effects: Vec<Statement>| Ok(vec![Way { guard, effects, meets: false }]);
        if let Some((created, values)) = run_of(step) {
            let target = if let Step::Assign(place, _) = step { Some(place) } else { None };
            return one(yes(span), self.create(created, values, target, span)?);
        }
        match step {
            Step::Skip => one(yes(span), Vec::new()),
            Step::Wait(condition) => one(self.truth(condition)?, Vec::new()),
            Step::Else(_) => one(self.enabled(step, span)?, Vec::new()),
            Step::Assign(place, value) => one(yes(span), self.store(place, value)?),
            Step::Assert(condition) if checked => {
                let condition = self.truth(condition)?;
                let text = Some(name("assertion violated", span));
                one(yes(span), vec![statement(StatementKind::Assert { condition, text }, span)])
            }
            Step::Assert(_) => one(yes(span), Vec::new()),
            Step::Send { channel, values, sorted } => {
                let (number, groups) = self.channels(channel)?;
                let mut ways = Vec::new();
                for (group, condition) in groups {
                    ways.push(self.send(group, &number, condition, (values, *sorted), span)?);
                }
                Ok(ways)
            }
            Step::Receive { channel, values, random, copies } => {
                let (number, groups) = self.channels(channel)?;
                let mut ways = Vec::new();
                for (group, condition) in groups {
                    let options = (*random, *copies);
                    ways.push(self.receive(group, (channel, &number), condition, values, options, span)?);
                }
                Ok(ways)
            }
        }
    }

    /// Stores a value in a variable.
    fn store(&self, place: &Place, value: &Expr) -> Result<Vec<Statement>> {
        let (tree, kind) = self.target(place)?;
        Ok(vec![assign(tree, self.fitting(value, &kind)?)])
    }

    /// Stores the content of something of another type in a variable.
    fn copy(&self, place: &Place, value: Tree, from: &Kind) -> Result<Vec<Statement>> {
        let (tree, kind) = self.target(place)?;
        Ok(vec![assign(tree, self.moved(value, from, &kind))])
    }

    /// A variable that is assigned, and its type.
    fn target(&self, place: &Place) -> Result<(Tree, Kind)> {
        let (tree, kind) = self.place(place)?;
        if matches!(kind, Kind::Record(_)) {
            return refused(place.name.span, "the assignment of a record is not supported");
        }
        Ok((tree, kind))
    }

    fn send(
        &self,
        group: usize,
        number: &Tree,
        condition: Tree,
        (values, sorted): (&[Expr], bool),
        span: Span,
    ) -> Result<Way> {
        let own = &self.world.groups[group];
        if values.len() > own.fields.len() {
            return refused(span, "more values than a message of this channel has");
        }
        let mut fields = Vec::new();
        for (position, kind) in own.fields.iter().enumerate() {
            fields.push(match values.get(position) {
                Some(value) => self.fitting(value, kind)?,
                None => self.zero(kind, span),
            });
        }
        let queue = self.queue(group, number);
        if own.capacity == 0 {
            if self.world.holder.is_some() {
                let me = self.who.map_or_else(|| int(0, span), |who| self.pid(who, span).0);
                fields.push(binary(Operator::Add, me, int(1, span)));
            }
            let effects = vec![statement(StatementKind::Send { channel: queue, values: fields }, span)];
            return Ok(Way { guard: condition, effects, meets: true });
        }
        let guard = all([condition, not(expr(ExprKind::Full(Box::new(queue.clone())), span))]);
        let message = if fields.len() == 1 {
            fields.remove(0)
        } else {
            let named_fields = fields.into_iter().enumerate();
            let fields =
                named_fields.map(|(at, value)| (name(format!("f{}", at + 1), span), value)).collect();
            expr(ExprKind::Record(name(format!("{}_message", own.called), span), fields), span)
        };
        let arguments = vec![queue.clone(), message];
        let appended = expr(ExprKind::Call(name("append", span), arguments), span);
        let mut effects = vec![assign(queue.clone(), appended)];
        if sorted {
            effects.extend(self.sort(group, number, own.capacity, span));
        }
        Ok(Way { guard, effects, meets: false })
    }

    /// Moves the last message of a queue to where it belongs.
    fn sort(&self, group: usize, number: &Tree, capacity: i64, span: Span) -> Vec<Statement> {
        let queue = self.queue(group, number);
        let fields = &self.world.groups[group].fields;
        let length = expr(ExprKind::Len(Box::new(queue.clone())), span);
        let mut effects = Vec::new();
        for position in (1..capacity).rev() {
            // Messages are compared field by field.
            let mut less = expr(ExprKind::Bool(false), span);
            for (field, kind) in fields.iter().enumerate().rev() {
                let number_at = |position: i64| {
                    let own = self.field(group, number, position, field);
                    if *kind == Kind::Symbol { self.number_of(&own).0 } else { own }
                };
                let (own, before) = (number_at(position), number_at(position - 1));
                let same = binary(Operator::Eq, own.clone(), before.clone());
                less = any([binary(Operator::Lt, own, before), all([same, less])]);
            }
            let exists = binary(Operator::Gt, length.clone(), int(position, span));
            let (here, there) =
                (item(queue.clone(), int(position, span)), item(queue.clone(), int(position - 1, span)));
            let swap = StatementKind::Assign {
                targets: vec![here.clone(), there.clone()],
                values: vec![there, here],
            };
            effects.push(branch(all([exists, less]), vec![statement(swap, span)], Vec::new()));
        }
        effects
    }

    fn receive(
        &self,
        group: usize,
        (channel, number): (&Place, &Tree),
        condition: Tree,
        values: &[Expr],
        (random, copies): (bool, bool),
        span: Span,
    ) -> Result<Way> {
        if self.world.groups[group].capacity == 0 {
            return self.meet(group, number, condition, values, span);
        }
        let guard = all([condition, self.receivable(group, number, values, random)?]);
        let last = if random { self.world.groups[group].capacity - 1 } else { 0 };
        let mut otherwise: Option<Vec<Statement>> = None;
        for position in (0..=last).rev() {
            let taken = self.take(group, (channel, number), position, values, copies, span)?;
            otherwise = Some(match otherwise {
                None => taken,
                Some(rest) => vec![branch(self.fits(group, number, position, values)?, taken, rest)],
            });
        }
        Ok(Way { guard, effects: otherwise.unwrap_or_default(), meets: false })
    }

    /// Takes the message at a position of a queue.
    fn take(
        &self,
        group: usize,
        (channel, number): (&Place, &Tree),
        position: i64,
        values: &[Expr],
        copies: bool,
        span: Span,
    ) -> Result<Vec<Statement>> {
        let mut stores = Vec::new();
        let mut lets = Vec::new();
        // Where a variable that is stored says which channel it is, the values get names first.
        let depends = values.iter().any(|value| match &value.node {
            Node::Place(place) => mentions(channel, &place.name),
            _ => false,
        });
        for (field, value) in values.iter().enumerate() {
            let Node::Place(place) = &value.node else { continue };
            if place.name.text == "_" || !self.is_variable(place) {
                continue;
            }
            let kind = &self.world.groups[group].fields[field];
            let own = self.field(group, number, position, field);
            if depends {
                let called = format!("received_{}", field + 1);
                let names = vec![Some(name(called.clone(), span))];
                let bound = StatementKind::Let { names, value: own, receives: false };
                lets.push(statement(bound, span));
                stores.extend(self.copy(place, named(called, span), kind)?);
            } else {
                stores.extend(self.copy(place, own, kind)?);
            }
        }
        let queue = self.queue(group, number);
        let mut removal = Vec::new();
        if !copies {
            for at in (1..=position).rev() {
                let (here, before) =
                    (item(queue.clone(), int(at, span)), item(queue.clone(), int(at - 1, span)));
                removal.push(assign(here, before));
            }
            let tail = expr(ExprKind::Call(name("tail", span), vec![queue.clone()]), span);
            removal.push(assign(queue, tail));
        }
        lets.extend(if depends {
            removal.into_iter().chain(stores)
        } else {
            stores.into_iter().chain(removal)
        });
        Ok(lets)
    }

    /// The receiver's side of a rendezvous.
    fn meet(&self, group: usize, number: &Tree, condition: Tree, values: &[Expr], span: Span) -> Result<Way> {
        let fields = &self.world.groups[group].fields;
        if values.len() > fields.len() {
            return refused(span, "more values than a message of this channel has");
        }
        let mut targets = Vec::new();
        let (mut waits, mut stores, mut resets) = (Vec::new(), Vec::new(), Vec::new());
        for (field, kind) in fields.iter().enumerate() {
            let Some(value) = values.get(field) else {
                targets.push(None);
                continue;
            };
            let scratch = named(self.world.scratch[&(field, *kind == Kind::Symbol)].0.clone(), span);
            let reset = assign(scratch.clone(), self.zero(kind, span));
            if let Some(wanted) = self.matched(value) {
                targets.push(Some(scratch.clone()));
                waits.push(self.is(scratch, kind, wanted)?);
                resets.push(reset);
                continue;
            }
            let Node::Place(place) = &value.node else {
                return refused(value.span, "this cannot be received into");
            };
            if place.name.text == "_" {
                targets.push(None);
                continue;
            }
            targets.push(Some(scratch.clone()));
            stores.extend(self.copy(place, scratch, kind)?);
            resets.push(reset);
        }
        if let Some(holder) = &self.world.holder {
            let partner = named(self.world.partner.clone(), span);
            targets.push(Some(partner.clone()));
            let holder = named(holder.clone(), span);
            let is = |value: Tree| binary(Operator::Eq, holder.clone(), value);
            waits.push(any([is(int(0, span)), is(partner.clone())]));
            resets.push(assign(partner, int(0, span)));
            resets.push(assign(holder.clone(), int(0, span)));
        }
        let channel = self.queue(group, number);
        let mut effects = vec![statement(StatementKind::Receive { channel, targets }, span)];
        if !waits.is_empty() {
            effects.push(statement(StatementKind::Await(all(waits)), span));
        }
        effects.extend(stores);
        effects.extend(resets);
        Ok(Way { guard: condition, effects, meets: true })
    }

    /// Creates a process.
    fn create(
        &self,
        created: &Name,
        values: &[Expr],
        target: Option<&Place>,
        span: Span,
    ) -> Result<Vec<Statement>> {
        let process = self.world.process(created)?;
        let family = &self.world.processes[process];
        if values.len() != family.source.parameters.len() {
            return refused(created.span, "this has another number of parameters");
        }
        let alive = named(family.alive.clone(), span);
        let index = family.is_family().then(|| alive.clone());
        let who = Who { process, index, own: false };
        let inner = Translator { who: Some(&who), ..*self };
        let all_alive = match &self.world.alive {
            Some(alive) => named(alive.clone(), span),
            None => int(0, span),
        };
        let mut effects = Vec::new();
        for (parameter, value) in family.source.parameters.iter().zip(values) {
            let variable = &family.variables[&parameter.name.text];
            let place = of_family(named(variable.called.clone(), span), &who);
            effects.push(assign(place, self.fitting(value, &variable.kind)?));
        }
        effects.push(assign(of_family(named(family.pid.clone(), span), &who), all_alive.clone()));
        for name in &family.order[family.source.parameters.len()..] {
            let variable = &family.variables[name];
            if variable.place != Where::PerProcess {
                continue;
            }
            let place = Place::plain(variable.declared.name.clone());
            let element = |at: i64| Place {
                index: Some(Box::new(Expr::number(at, span))),
                ..Place::plain(variable.declared.name.clone())
            };
            match (&variable.declared.initial, variable.group) {
                _ if self.world.begins_with_values(&variable.kind) => {
                    let whole = of_family(named(variable.called.clone(), span), &who);
                    let first = self.world.beginning(&variable.kind, variable.size, &[], true, span);
                    effects.push(assign(whole, first));
                }
                (Initial::Value(value), _) => match variable.size {
                    None => effects.extend(inner.store(&place, value)?),
                    Some(size) => {
                        for at in 0..size {
                            effects.extend(inner.store(&element(at), value)?);
                        }
                    }
                },
                (Initial::List(values), _) => {
                    for (at, value) in (0..).zip(values) {
                        effects.extend(inner.store(&element(at), value)?);
                    }
                }
                (_, Some(group)) => {
                    let (channel, values) = inner.own_channel(group, span);
                    effects.extend(inner.copy(&place, channel, &Kind::Number(values))?);
                }
                _ => {}
            }
        }
        if let Some(target) = target {
            effects.extend(self.copy(target, all_alive.clone(), &Kind::Number(Interval::new(0, 255)))?);
        }
        let more = |place: Tree| assign(place.clone(), binary(Operator::Add, place, int(1, span)));
        effects.push(more(alive));
        effects.push(more(all_alive));
        Ok(effects)
    }

    /// The number of the first channel of a group that belongs to this process.
    pub(super) fn own_channel(&self, group: usize, span: Span) -> (Tree, Interval) {
        let own = &self.world.groups[group];
        let tree = match self.who {
            Some(Who { index: Some(index), .. }) if own.owner.is_some() => binary(
                Operator::Add,
                int(own.first, span),
                binary(Operator::Mul, index.clone(), int(own.each, span)),
            ),
            _ => int(own.first, span),
        };
        (tree, Interval::new(own.first, own.last()))
    }
}

/// Whether a name stands in a place.
fn mentions(place: &Place, name: &Name) -> bool {
    fn inside(expr: &Expr, name: &Name) -> bool {
        match &expr.node {
            Node::Place(place) => mentions(place, name),
            Node::Unary(_, inner) => inside(inner, name),
            Node::Binary(_, left, right) => inside(left, name) || inside(right, name),
            _ => false,
        }
    }
    place.name.text == name.text || place.index.as_ref().is_some_and(|index| inside(index, name))
}
