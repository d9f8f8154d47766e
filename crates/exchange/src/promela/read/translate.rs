//! Translates Promela expressions to ours, as a process sees them or as others see it.
//!
//! Truth is a number in Promela, and arithmetic is that of C with 32 bits: a result that may leave them wraps around.

use lang::diagnostic::Diagnostic;
use lang::syntax::{
    Binary as Operator, Binder, Event, Expr as Tree, ExprKind, Name, Quantifier, Span, Unary as Prefix,
};

use super::points::Points;
use super::syntax::{Expr, Node, Place, Unary};
use super::world::{Group, Kind, Result, Where, World};
use crate::numbers::{Interval, Value, arithmetic, stored};
use crate::operators::Binary;
use crate::tree::{binary, choice, expr, int, item, name, named, range, unary};

/// The numbers of 32 bits.
const INT: Interval = Interval::new(i32::MIN as i64, i32::MAX as i64);

/// The name of the definition that `timeout` becomes.
pub(super) const TIMEOUT: &str = "timeout_";

/// A process as an expression sees it.
#[derive(Clone, Debug)]
pub(super) struct Who {
    pub(super) process: usize,
    /// Which one of its family.
    pub(super) index: Option<Tree>,
    /// Whether it is the process whose code this is.
    pub(super) own: bool,
}

/// Translates expressions.
#[derive(Clone, Copy)]
pub(super) struct Translator<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) points: &'a Points,
    pub(super) who: Option<&'a Who>,
}

/// The condition that all are true.
pub(super) fn all(conditions: impl IntoIterator<Item = Tree>) -> Tree {
    let joined = conditions.into_iter().filter(|own| own.kind != ExprKind::Bool(true));
    joined
        .reduce(|all, next| binary(Operator::And, all, next))
        .unwrap_or_else(|| expr(ExprKind::Bool(true), Span::default()))
}

/// The condition that one is true.
pub(super) fn any(conditions: impl IntoIterator<Item = Tree>) -> Tree {
    let joined = conditions.into_iter().filter(|own| own.kind != ExprKind::Bool(false));
    joined
        .reduce(|all, next| binary(Operator::Or, all, next))
        .unwrap_or_else(|| expr(ExprKind::Bool(false), Span::default()))
}

/// The condition that it is not true.
pub(super) fn not(condition: Tree) -> Tree {
    match condition.kind {
        ExprKind::Bool(value) => expr(ExprKind::Bool(!value), condition.span),
        _ => unary(Prefix::Not, condition),
    }
}

/// `exists j in lo..hi: …`
pub(super) fn exists(variable: &str, lo: i64, hi: i64, body: Tree) -> Tree {
    let span = body.span;
    let binder = Binder { name: name(variable, span), range: range(lo, hi, span) };
    expr(ExprKind::Quantified(Quantifier::Exists, Box::new(binder), Box::new(body)), span)
}

fn refused<T>(span: Span, message: impl Into<String>) -> Result<T> {
    Err(Diagnostic::error(span, message, "not supported").into())
}

impl<'a> Translator<'a> {
    /// The same, as another process sees it.
    pub(super) fn of(self, who: &'a Who) -> Translator<'a> {
        Translator { who: Some(who), ..self }
    }

    fn process(&self) -> Option<usize> {
        self.who.map(|who| who.process)
    }

    pub(super) fn number(&self, expr: &Expr) -> Result<(Tree, Interval)> {
        Ok(self.value(expr)?.number())
    }

    /// A value as a symbol of `mtype`, if it is one.
    pub(super) fn symbol(&self, expr: &Expr) -> Result<Option<Tree>> {
        let span = expr.span;
        let Some((_, members)) = &self.world.mtype else { return Ok(None) };
        Ok(match &expr.node {
            Node::Number(0) => Some(named(members[0].clone(), span)),
            Node::Place(place) if self.is_variable(place) => {
                let (tree, kind) = self.place(place)?;
                (kind == Kind::Symbol).then_some(tree)
            }
            Node::Place(place) if place.is_plain() => {
                let value = self.world.symbols.get(&place.name.text);
                let member = value.and_then(|value| members.get(usize::try_from(*value).ok()?));
                member.map(|member| named(member.clone(), span))
            }
            Node::Of(process, pid, place) => self.elsewhere(process, pid.as_deref(), span, &|inner| {
                let (tree, kind) = inner.place(place)?;
                Ok((kind == Kind::Symbol).then_some(tree))
            })?,
            Node::If(condition, yes, no) => match (self.symbol(yes)?, self.symbol(no)?) {
                (Some(yes), Some(no)) => Some(choice(self.truth(condition)?, yes, no)),
                _ => None,
            },
            Node::Eval(inner) => self.symbol(inner)?,
            _ => None,
        })
    }

    /// The number of a symbol.
    pub(super) fn number_of(&self, symbol: &Tree) -> (Tree, Interval) {
        let span = symbol.span;
        let members = self.world.mtype.as_ref().map_or(&[][..], |(_, members)| members);
        let mut tree = int(0, span);
        let last = members.len() as i64 - 1;
        for (value, member) in (1..=last).rev().zip(members.iter().rev()) {
            let is_it = binary(Operator::Eq, symbol.clone(), named(member.clone(), span));
            tree = choice(is_it, int(value, span), tree);
        }
        (tree, Interval::new(0, last.max(0)))
    }

    /// A value as it is stored in something of a type.
    pub(super) fn fitting(&self, value: &Expr, kind: &Kind) -> Result<Tree> {
        match (kind, self.symbol(value)?) {
            (Kind::Symbol, Some(symbol)) => Ok(symbol),
            (Kind::Symbol, None) => refused(value.span, "this is no symbol"),
            _ => Ok(stored(self.number(value)?, self.world.values(kind))),
        }
    }

    /// The content of something of one type as it is stored in something of another type.
    pub(super) fn moved(&self, tree: Tree, from: &Kind, to: &Kind) -> Tree {
        match (from, to) {
            (Kind::Symbol, Kind::Symbol) => tree,
            (Kind::Symbol, _) => stored(self.number_of(&tree), self.world.values(to)),
            _ => stored((tree, self.world.values(from)), self.world.values(to)),
        }
    }

    /// What something of a type holds at first.
    pub(super) fn zero(&self, kind: &Kind, span: Span) -> Tree {
        self.world.value_of(kind, 0, span)
    }

    /// Whether the content of something of a type is equal to a value.
    pub(super) fn is(&self, tree: Tree, kind: &Kind, value: &Expr) -> Result<Tree> {
        let (tree, value) = match (kind, self.symbol(value)?) {
            (Kind::Symbol, Some(symbol)) => (tree, symbol),
            (Kind::Symbol, None) => (self.number_of(&tree).0, self.number(value)?.0),
            _ => (tree, self.number(value)?.0),
        };
        Ok(binary(Operator::Eq, tree, value))
    }

    pub(super) fn truth(&self, expr: &Expr) -> Result<Tree> {
        Ok(self.value(expr)?.truth())
    }

    /// A process: `P` or `P[i]`.
    pub(super) fn party(&self, who: &Who, span: Span) -> Tree {
        let family = named(self.world.processes[who.process].called.clone(), span);
        match &who.index {
            Some(index) => item(family, index.clone()),
            None => family,
        }
    }

    /// Whether a process is at a place.
    pub(super) fn at(&self, who: &Who, node: usize, span: Span) -> Tree {
        if !self.world.is_stop(who.process, node) {
            return expr(ExprKind::Bool(false), span);
        }
        let label = &self.world.processes[who.process].places[node];
        expr(ExprKind::At(Box::new(self.party(who, span)), name(label.clone(), span)), span)
    }

    /// Whether a process is alive.
    pub(super) fn alive(&self, who: &Who, span: Span) -> Tree {
        let process = &self.world.processes[who.process];
        if !process.runs {
            return expr(ExprKind::Bool(true), span);
        }
        let number = who.index.clone().unwrap_or_else(|| int(0, span));
        binary(Operator::Lt, number, named(process.alive.clone(), span))
    }

    /// The number of a process.
    pub(super) fn pid(&self, who: &Who, span: Span) -> (Tree, Interval) {
        let process = &self.world.processes[who.process];
        if process.runs {
            return (of_family(named(process.pid.clone(), span), who), Interval::new(0, 255));
        }
        let last = process.first_pid + process.count - 1;
        let tree = match &who.index {
            None => int(process.first_pid, span),
            Some(index) if process.first_pid == 0 => index.clone(),
            Some(index) => binary(Operator::Add, index.clone(), int(process.first_pid, span)),
        };
        (tree, Interval::new(process.first_pid, last))
    }

    /// A variable, and its type.
    pub(super) fn place(&self, place: &Place) -> Result<(Tree, Kind)> {
        let span = place.name.span;
        let (variable, is_own) = self.world.find(&place.name, self.process())?;
        let base = named(variable.called.clone(), span);
        let mut tree = match (variable.place, self.who) {
            (Where::Channel(group), who) => {
                let group = &self.world.groups[group];
                let mut tree = int(group.first, span);
                if let (Some(_), Some(Who { index: Some(index), .. })) = (group.owner, who) {
                    let offset = binary(Operator::Mul, index.clone(), int(group.each, span));
                    tree = binary(Operator::Add, tree, offset);
                }
                if let Some(index) = &place.index {
                    tree = binary(Operator::Add, tree, self.number(index)?.0);
                }
                return Ok((tree, Kind::Chan));
            }
            (Where::PerProcess, Some(who)) => of_family(base, who),
            (Where::Local, Some(who)) if !who.own && is_own => expr(
                ExprKind::Field(Box::new(self.party(who, span)), name(variable.called.clone(), span)),
                span,
            ),
            _ => base,
        };
        let mut kind = variable.kind.clone();
        let mut size = variable.size;
        let mut index = place.index.as_deref();
        let mut rest = place.fields.iter();
        loop {
            match (size, index) {
                // An array alone is its first element.
                (Some(_), None) => tree = item(tree, int(0, span)),
                (Some(_), Some(index)) => tree = item(tree, self.number(index)?.0),
                (None, None) => {}
                (None, Some(index)) => {
                    // An element of a single variable can only be the first one.
                    if self.world.constant(index) != Some(0) {
                        return refused(index.span, format!("`{}` is not an array", place.name.text));
                    }
                }
            }
            let Some((field, inner)) = rest.next() else { break };
            let Kind::Record(record) = kind else {
                return refused(field.span, format!("this has no field `{}`", field.text));
            };
            let Some((_, called, inner_kind, inner_size)) =
                self.world.records[record].fields.iter().find(|(own, ..)| *own == field.text)
            else {
                return refused(field.span, format!("this has no field `{}`", field.text));
            };
            tree = expr(ExprKind::Field(Box::new(tree), name(called.clone(), field.span)), field.span);
            (kind, size, index) = (inner_kind.clone(), *inner_size, inner.as_ref());
        }
        Ok((tree, kind))
    }

    /// The groups of channels that a place may hold, with the condition for each, and its number.
    pub(super) fn channels(&self, place: &Place) -> Result<(Tree, Vec<(usize, Tree)>)> {
        let span = place.name.span;
        let (variable, _) = self.world.find(&place.name, self.process())?;
        if self.world.kind_at(variable, place) != Some(&Kind::Chan) {
            return refused(span, format!("`{}` is not a channel", place.name.text));
        }
        let fixed = variable.place;
        let (number, _) = self.place(place)?;
        let yes = expr(ExprKind::Bool(true), span);
        if let Where::Channel(group) = fixed {
            return Ok((number, vec![(group, yes)]));
        }
        let groups = self.points.of(place, self.process(), self.world);
        if groups.is_empty() {
            let message = format!("`{}` never holds a channel", place.name.text);
            return refused(span, message);
        }
        let only = groups.len() == 1;
        let condition = |group: &Group| {
            if only {
                return yes.clone();
            }
            let low = binary(Operator::Ge, number.clone(), int(group.first, span));
            let high = binary(Operator::Le, number.clone(), int(group.last(), span));
            if group.count == 1 {
                return binary(Operator::Eq, number.clone(), int(group.first, span));
            }
            all([low, high])
        };
        let found = groups.iter().map(|group| (*group, condition(&self.world.groups[*group]))).collect();
        Ok((number, found))
    }

    /// The messages of a channel of a group with this number.
    pub(super) fn queue(&self, group: usize, number: &Tree) -> Tree {
        let group = &self.world.groups[group];
        let queue = named(group.called.clone(), number.span);
        if group.count == 1 { queue } else { item(queue, number.clone()) }
    }

    /// A field of a message at a position of a queue.
    pub(super) fn field(&self, group: usize, number: &Tree, position: i64, field: usize) -> Tree {
        let span = number.span;
        let message = item(self.queue(group, number), int(position, span));
        if self.world.groups[group].fields.len() == 1 {
            return message;
        }
        expr(ExprKind::Field(Box::new(message), name(format!("f{}", field + 1), span)), span)
    }

    /// What is asked of a channel, for each group it may be of.
    fn ask(&self, place: &Place, question: impl Fn(usize, &Tree) -> Result<Tree>) -> Result<Tree> {
        let (number, groups) = self.channels(place)?;
        let mut groups = groups.into_iter().rev();
        let Some((last, _)) = groups.next() else { return refused(place.name.span, "no channel") };
        let mut tree = question(last, &number)?;
        for (group, condition) in groups {
            tree = choice(condition, question(group, &number)?, tree);
        }
        Ok(tree)
    }

    /// Whether fields of a message that is received must be equal to a value: that value.
    pub(super) fn matched<'e>(&self, value: &'e Expr) -> Option<&'e Expr> {
        match &value.node {
            Node::Eval(inner) => Some(inner),
            Node::Place(place) if place.name.text == "_" || self.is_variable(place) => None,
            _ => Some(value),
        }
    }

    /// Whether a name is a variable, and not a symbol.
    pub(super) fn is_variable(&self, place: &Place) -> bool {
        self.world.find(&place.name, self.process()).is_ok()
    }

    /// Whether the message at a position of a queue can be received.
    pub(super) fn fits(&self, group: usize, number: &Tree, position: i64, values: &[Expr]) -> Result<Tree> {
        let span = number.span;
        let fields = self.world.groups[group].fields.len();
        if values.len() > fields {
            let span = values.last().map_or(span, |value| value.span);
            return refused(span, "more values than a message of this channel has");
        }
        let length = expr(ExprKind::Len(Box::new(self.queue(group, number))), span);
        let mut conditions = vec![binary(Operator::Gt, length, int(position, span))];
        for (field, value) in values.iter().enumerate() {
            if let Some(value) = self.matched(value) {
                let own = self.field(group, number, position, field);
                conditions.push(self.is(own, &self.world.groups[group].fields[field], value)?);
            }
        }
        Ok(all(conditions))
    }

    /// Whether a message can be received: the first one, or any.
    pub(super) fn receivable(
        &self,
        group: usize,
        number: &Tree,
        values: &[Expr],
        random: bool,
    ) -> Result<Tree> {
        let last = if random { self.world.groups[group].capacity - 1 } else { 0 };
        let mut found = Vec::new();
        for position in 0..=last {
            found.push(self.fits(group, number, position, values)?);
        }
        Ok(any(found))
    }

    pub(super) fn value(&self, expr: &Expr) -> Result<Value> {
        let span = expr.span;
        let truth = |tree: Tree| Ok(Value { tree, range: None });
        let number = |tree: Tree, range: Interval| Ok(Value { tree, range: Some(range) });
        match &expr.node {
            Node::Number(value) => number(int(*value, span), Interval::new(*value, *value)),
            Node::Place(place) => self.read(place, span),
            Node::Unary(operator, operand) => {
                let operand = self.value(operand)?;
                match operator {
                    Unary::Not => truth(not(operand.truth())),
                    Unary::Temporal(operator) => truth(unary(*operator, operand.truth())),
                    Unary::Negative => {
                        let (tree, Interval { lo, hi }) = operand.number();
                        Ok(wrap((unary(Prefix::Neg, tree), Interval::new(-hi, -lo))))
                    }
                    Unary::Complement => {
                        let (tree, Interval { lo, hi }) = operand.number();
                        let tree = binary(Operator::Sub, unary(Prefix::Neg, tree), int(1, span));
                        number(tree, Interval::new(-hi - 1, -lo - 1))
                    }
                }
            }
            Node::Binary(operator, left, right) => self.binary(*operator, left, right, span),
            Node::If(condition, yes, no) => {
                let condition = self.truth(condition)?;
                let ((yes, first), (no, second)) = (self.number(yes)?, self.number(no)?);
                number(choice(condition, yes, no), first.join(second))
            }
            Node::Length(place) => {
                let longest = self.world.groups.iter().map(|group| group.capacity).max().unwrap_or(0);
                let tree = self.ask(place, |group, own| {
                    if self.world.groups[group].capacity == 0 {
                        return Ok(int(0, span));
                    }
                    Ok(crate::tree::expr(ExprKind::Len(Box::new(self.queue(group, own))), span))
                })?;
                number(tree, Interval::new(0, longest))
            }
            Node::Test(test, place) => truth(self.ask(place, |group, own| {
                let capacity = self.world.groups[group].capacity;
                let (limit, equal) = match *test {
                    "empty" => (0, true),
                    "nempty" => (0, false),
                    "full" => (capacity, true),
                    _ => (capacity, false),
                };
                let length = match capacity {
                    0 => int(0, span),
                    _ => crate::tree::expr(ExprKind::Len(Box::new(self.queue(group, own))), span),
                };
                Ok(binary(if equal { Operator::Eq } else { Operator::Ne }, length, int(limit, span)))
            })?),
            Node::Poll { channel, values, random } => truth(self.ask(channel, |group, own| {
                // In a rendezvous nothing is ever stored.
                if self.world.groups[group].capacity == 0 {
                    return Ok(crate::tree::expr(ExprKind::Bool(false), span));
                }
                self.receivable(group, own, values, *random)
            })?),
            Node::Eval(inner) => self.value(inner),
            Node::Run(..) => refused(span, "`run` inside an expression is not supported"),
            Node::At(process, pid, label) => truth(self.remote(process, pid.as_deref(), span, &|who| {
                let process = &self.world.processes[who.process];
                let Some(node) = process.flow.labels.get(&label.text) else {
                    let message = format!("there is no label `{}`", label.text);
                    return Err(Diagnostic::error(label.span, message, "not declared").into());
                };
                Ok(self.at(who, *node, span))
            })?),
            Node::Of(process, pid, place) => {
                self.elsewhere(process, pid.as_deref(), span, &|inner| inner.read(place, span))
            }
            Node::Timeout => truth(named(TIMEOUT, span)),
        }
    }

    /// What a process with this number sees.
    fn elsewhere<T>(
        &self,
        process: &Name,
        pid: Option<&Expr>,
        span: Span,
        see: &dyn Fn(&Translator<'_>) -> Result<T>,
    ) -> Result<T> {
        let number = self.world.process(process)?;
        let family = &self.world.processes[number];
        if family.count != 1 && (family.runs || pid.is_none()) {
            return refused(span, "a variable of one of several processes is not supported");
        }
        let index = match pid {
            Some(pid) if family.is_family() => {
                let (pid, _) = self.number(pid)?;
                Some(binary(Operator::Sub, pid, int(family.first_pid, span)))
            }
            _ => None,
        };
        let who = Who { process: number, index, own: false };
        see(&Translator { world: self.world, points: self.points, who: Some(&who) })
    }

    /// Whether a process with this number, or any, satisfies a condition.
    fn remote(
        &self,
        process: &Name,
        pid: Option<&Expr>,
        span: Span,
        condition: &dyn Fn(&Who) -> Result<Tree>,
    ) -> Result<Tree> {
        let number = self.world.process(process)?;
        let family = &self.world.processes[number];
        let pid = pid.map(|pid| self.number(pid)).transpose()?;
        let variable = "which_".to_owned();
        let index = family.is_family().then(|| named(variable.clone(), span));
        let fixed = pid.as_ref().filter(|_| !family.runs && family.is_family());
        if let Some((_, Interval { lo, hi })) = fixed
            && lo == hi
        {
            let own = lo - family.first_pid;
            if !(0..family.count).contains(&own) {
                return refused(span, format!("there is no `{}` with this number", process.text));
            }
            return condition(&Who { process: number, index: Some(int(own, span)), own: false });
        }
        let who = Who { process: number, index, own: false };
        let mut conditions = vec![self.alive(&who, span), condition(&who)?];
        if let Some((pid, values)) = pid {
            let (own, range) = self.pid(&who, span);
            if range != values || range.lo != range.hi {
                conditions.push(binary(Operator::Eq, own, pid));
            }
        }
        let body = all(conditions);
        Ok(if family.is_family() { exists(&variable, 0, family.count - 1, body) } else { body })
    }

    fn read(&self, place: &Place, span: Span) -> Result<Value> {
        let number = |tree: Tree, range: Interval| Ok(Value { tree, range: Some(range) });
        if self.is_variable(place) {
            let (tree, kind) = self.place(place)?;
            if matches!(kind, Kind::Record(_)) {
                return refused(span, "a record as a value is not supported");
            }
            if kind == Kind::Symbol {
                let (tree, range) = self.number_of(&tree);
                return number(tree, range);
            }
            return number(tree, self.world.values(&kind));
        }
        match (place.name.text.as_str(), self.who) {
            ("_pid", Some(who)) => {
                let (tree, range) = self.pid(who, span);
                number(tree, range)
            }
            ("_nr_pr", _) => {
                let all: i64 = self.world.processes.iter().map(|process| process.active).sum();
                let alive = self.world.alive.as_ref();
                let tree = alive.map_or_else(|| int(all, span), |alive| named(alive.clone(), span));
                number(tree, if alive.is_some() { Interval::new(0, 255) } else { Interval::new(all, all) })
            }
            ("np_", _) => Ok(Value { tree: not(self.somewhere("progress", span)), range: None }),
            (text, _) if place.is_plain() && self.world.symbols.contains_key(text) => {
                let value = self.world.symbols[text];
                number(int(value, span), Interval::new(value, value))
            }
            ("_last", _) => refused(span, "`_last` is not supported"),
            ("_", _) => refused(span, "`_` has no value"),
            _ => self.world.find(&place.name, self.process()).and_then(|_| refused(span, "no value")),
        }
    }

    /// Whether some process is at a place whose label begins so.
    pub(super) fn somewhere(&self, prefix: &str, span: Span) -> Tree {
        let mut found = Vec::new();
        for (number, process) in self.world.processes.iter().enumerate() {
            if process.count == 0 {
                continue;
            }
            let index = process.is_family().then(|| named("which_", span));
            let who = Who { process: number, index, own: false };
            let mut places = Vec::new();
            for (at, node) in process.flow.nodes.iter().enumerate() {
                if node.labels.iter().any(|label| label.starts_with(prefix)) {
                    places.push(self.at(&who, at, span));
                }
            }
            if places.is_empty() {
                continue;
            }
            let body = all([self.alive(&who, span), any(places)]);
            found.push(if process.is_family() { exists("which_", 0, process.count - 1, body) } else { body });
        }
        any(found)
    }

    fn binary(&self, operator: Binary, left: &Expr, right: &Expr, span: Span) -> Result<Value> {
        // Two symbols are compared as such, unless both are known.
        if let Binary::Compare(operator @ (Operator::Eq | Operator::Ne)) = operator
            && (self.world.constant(left).is_none() || self.world.constant(right).is_none())
            && let (Some(left), Some(right)) = (self.symbol(left)?, self.symbol(right)?)
        {
            return Ok(Value { tree: binary(operator, left, right), range: None });
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        let operator = match operator {
            Binary::Logic(operator) => {
                return Ok(Value { tree: binary(operator, left.truth(), right.truth()), range: None });
            }
            Binary::Compare(operator) => {
                return Ok(Value { tree: binary(operator, left.number().0, right.number().0), range: None });
            }
            Binary::Number(operator) => operator,
        };
        let ((left, first), (right, second)) = (left.number(), right.number());
        Ok(wrap(arithmetic(operator, (left, first), (right, second), span)?))
    }
}

/// A result of arithmetic with 32 bits.
fn wrap(value: (Tree, Interval)) -> Value {
    if INT.contains(value.1) {
        return Value { tree: value.0, range: Some(value.1) };
    }
    Value { tree: stored(value, INT), range: Some(INT) }
}

/// The element of an array that belongs to a process.
pub(super) fn of_family(array: Tree, who: &Who) -> Tree {
    match &who.index {
        Some(index) => item(array, index.clone()),
        None => array,
    }
}

/// The claim that some step is possible.
pub(super) fn some_step(span: Span) -> Tree {
    expr(ExprKind::Enabled(Event { parties: Vec::new(), arguments: None, span }), span)
}
