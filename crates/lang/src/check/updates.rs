//! Blocks that are one step, as the parts of which their paths consist.
//!
//! Assignments and assertions do something, `await`, `when`, `request`, a send and a receive wait, `if`, `choose` and
//! `either` branch. [`paths`](super::paths) makes a guard and an update of the parts. A rendezvous or a joint event
//! may stand anywhere too: [`together`](super::together) finds the ways that lead to it.

use std::collections::HashSet;

use model::expr::Operator;
use model::system::Demand;
use model::{Expr, FamilyId, Place, Update, VariableId};

use super::code::describe;
use super::expressions::Typed;
use super::flow::jumps;
use super::names::{Context, Scope};
use super::operators::strict;
use super::paths::{Part, is_stuck};
use super::places::{Reference, TypedPlace};
use super::shapes::{Located, Shape};
use super::values::Value;
use super::{Checker, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, Binary, ExprKind, Name, Span, Statement, StatementKind};

/// The context of an assigned value.
pub(super) const VALUE: Context = Context::of_system("an assigned value");

/// The context of a condition of a step.
pub(super) const GUARD: Context = Context::of_system("a guard");

/// A variable that a process may write, or a part of an array.
#[derive(Clone)]
pub(super) struct Owned {
    pub(super) id: VariableId,
    pub(super) process: Option<Expr>,
    pub(super) position: Vec<Expr>,
    /// Its shape, if it has parts. Then `id` is the first of its leaves.
    pub(super) shape: Option<Shape>,
}

impl Owned {
    /// The place, if it has parts.
    pub(super) fn located(&self) -> Option<Located> {
        let Owned { id, process, position, shape } = self.clone();
        Some(Located { shape: shape?, first: id, process, position })
    }
}

/// What comes after a statement in its step.
#[derive(Clone, Copy)]
pub(super) enum Exit {
    /// More of the step. A jump is not possible here.
    Inside,
    /// The end of the step, which goes to this location; `None` keeps the location.
    To(Option<i64>),
}

impl<'a> Checker<'a> {
    /// Lowers statements done as one step.
    pub(super) fn block(
        &mut self,
        scope: &mut Scope<'a>,
        statements: &'a [Statement],
        exit: Exit,
    ) -> Vec<Part> {
        let mut parts = Vec::new();
        let dead = self.unevaluated;
        for (number, statement) in statements.iter().enumerate() {
            if let Some(label) = &statement.label {
                let message = "a block that is one step cannot contain a label";
                self.error(label.name.span, message, "control never stops here");
            }
            if let StatementKind::Let { names, value, receives } = &statement.kind {
                let rest = &statements[number + 1..];
                parts.extend(if *receives {
                    self.receive_in(scope, (names, value), rest, exit)
                } else {
                    self.let_in(scope, (names, value), rest, exit)
                });
                break;
            }
            let part = if number + 1 == statements.len() {
                self.last(scope, statement, exit)
            } else {
                self.part(scope, statement, Exit::Inside)
            };
            self.unevaluated += usize::from(is_stuck(&part));
            parts.extend(part);
        }
        self.unevaluated = dead;
        if statements.is_empty() {
            parts.extend(self.leave_by(scope, exit));
        }
        parts
    }

    /// Lowers the last statement of a step. Unless it jumps, control goes to the exit of the step.
    pub(super) fn last(&mut self, scope: &mut Scope<'a>, statement: &'a Statement, exit: Exit) -> Vec<Part> {
        if jumps(statement) {
            return self.part(scope, statement, exit);
        }
        let mut parts = self.part(scope, statement, Exit::Inside);
        parts.extend(self.leave_by(scope, exit));
        parts
    }

    /// The update of the location at the exit of a step.
    fn leave_by(&self, scope: &Scope<'a>, exit: Exit) -> Option<Part> {
        match (exit, scope.owner) {
            (Exit::To(Some(location)), Some(owner)) => Some(Part::Do(self.go(owner, location))),
            _ => None,
        }
    }

    /// The update that sets the location of a process.
    pub(super) fn go(&self, owner: FamilyId, location: i64) -> Update {
        match self.location_place(owner) {
            Some(place) => Update::Assign(vec![(place, Expr::Int(location))]),
            None => Update::Skip,
        }
    }

    /// The location variable of a process, in its own scope.
    pub(super) fn location_place(&self, owner: FamilyId) -> Option<Place> {
        let process = self.own_index(owner).map(|index| Box::new(index.expr));
        let variable = self.system.family(owner).location?;
        Some(Place { variable, process, position: Vec::new() })
    }

    /// Lowers one statement of a step.
    fn part(&mut self, scope: &mut Scope<'a>, statement: &'a Statement, exit: Exit) -> Vec<Part> {
        match &statement.kind {
            StatementKind::Skip => Vec::new(),
            StatementKind::Assign { targets, values } => {
                self.assignment(scope, statement.span, targets, values)
            }
            StatementKind::Update { target, operator, value } => {
                self.update(scope, target, *operator, value).unwrap_or_else(|| vec![Part::unknown()])
            }
            StatementKind::Assert { condition, text } => vec![self.assert(scope, condition, text.as_ref())],
            StatementKind::Await(condition) => {
                vec![Part::Wait(self.condition(&mut scope.within(GUARD), condition))]
            }
            StatementKind::Request(variable) => self.semaphore(scope, variable, true),
            StatementKind::Release(variable) => self.semaphore(scope, variable, false),
            StatementKind::When(condition, body) => {
                let enabling = self.condition(&mut scope.within(GUARD), condition);
                let reached = !enabling.is_never();
                let body = self.if_reached(reached, |checker| checker.block(scope, &body.statements, exit));
                std::iter::once(Part::Wait(enabling)).chain(body).collect()
            }
            StatementKind::Atomic(body) => self.block(scope, &body.statements, exit),
            StatementKind::Choose { .. } => vec![self.choose(scope, statement, exit)],
            StatementKind::If { condition, yes, no } => {
                let condition = self.condition(&mut scope.within(GUARD), condition);
                let no: &[Statement] = no.as_ref().map_or(&[], |no| &no.statements);
                let yes = self.if_reached(!condition.is_never(), |c| c.block(scope, &yes.statements, exit));
                let no = self.if_reached(!condition.is_always(), |c| c.block(scope, no, exit));
                vec![Part::If(condition, yes, no)]
            }
            StatementKind::Either(branches) => {
                let branches = branches.iter();
                let lowered = branches.map(|branch| self.block(scope, &branch.statements, exit));
                vec![Part::Either(lowered.collect())]
            }
            StatementKind::Send { channel, values } => self.send(scope, statement, channel, values),
            StatementKind::Receive { channel, targets } => self.receive(scope, statement, channel, targets),
            StatementKind::Sync(event) => self.sync(statement, event),
            StatementKind::For(binder, body) => self.for_values(scope, binder, body),
            StatementKind::Call(name, arguments) => self.call(scope, name, arguments, statement.span),
            // A block has taken it, with what follows.
            StatementKind::Let { .. } => Vec::new(),
            StatementKind::Goto(_) | StatementKind::Halt => vec![self.leave(scope, statement, exit)],
            StatementKind::Stay | StatementKind::While(..) | StatementKind::Loop(_) => {
                let message =
                    format!("{} cannot stand in a block that is one step", describe(&statement.kind));
                self.error(statement.span, message, "may take more than one step");
                vec![Part::unknown()]
            }
        }
    }

    /// `goto l;` and `halt;` at the end of a step.
    fn leave(&mut self, scope: &Scope<'a>, statement: &'a Statement, exit: Exit) -> Part {
        if scope.hides_locals {
            let message = "a macro cannot jump, because labels belong to a process";
            self.error(statement.span, message, "in a macro");
            return Part::unknown();
        }
        let (Some(owner), Exit::To(_)) = (scope.owner, exit) else {
            let message = format!(
                "{} may stand only at the end of a block that is one step",
                describe(&statement.kind)
            );
            self.error(statement.span, message, "more of the step follows");
            return Part::unknown();
        };
        let target = match &statement.kind {
            StatementKind::Goto(label) => self.jump(owner, label),
            _ => Some(super::code::END),
        };
        if self.system.family(owner).location.is_none() && target.is_some() {
            self.error(
                statement.span,
                "a process without statements has no locations to go to",
                "nowhere to go",
            );
        }
        match target.and_then(|target| self.family(owner).code.location(target)) {
            Some(location) => Part::Do(self.go(owner, location)),
            None => Part::Do(Update::Skip),
        }
    }

    /// `x, y = e, f;`
    fn assignment(
        &mut self,
        scope: &mut Scope<'a>,
        span: Span,
        targets: &'a [syntax::Expr],
        values: &'a [syntax::Expr],
    ) -> Vec<Part> {
        let owned: Vec<_> = targets.iter().map(|target| self.owned(scope, target)).collect();
        let mut values_scope = scope.within(VALUE);
        if targets.len() != values.len() {
            let span = targets.iter().chain(values).map(|part| part.span).reduce(Span::to).unwrap_or(span);
            self.wrong_count(span, "the left side", targets.len(), "variable", values.len());
            return vec![Part::unknown()];
        }
        let mut assignments = Vec::new();
        let mut checks = Vec::new();
        let mut assigned = HashSet::new();
        for (owned, (target, source)) in owned.into_iter().zip(targets.iter().zip(values)) {
            let Some(owned) = owned else {
                if !Self::is_array(source) {
                    self.value(&mut values_scope, source, None);
                }
                continue;
            };
            let Some((added, demanded)) = self.assigned(&mut values_scope, owned, target, source) else {
                continue;
            };
            checks.extend(demanded);
            for (place, value) in added {
                if !assigned.insert(place.clone()) {
                    let message = format!("`{}` is assigned twice at once", self.written(target.span));
                    self.error(target.span, message, "assigned before");
                }
                assignments.push((place, value));
            }
        }
        let mut parts = self.demands(checks);
        parts.push(Part::Do(Update::Assign(assignments)));
        parts
    }

    /// `x += e;`
    fn update(
        &mut self,
        scope: &mut Scope<'a>,
        target: &'a syntax::Expr,
        operator: Binary,
        value: &'a syntax::Expr,
    ) -> Option<Vec<Part>> {
        let owned = self.owned(scope, target);
        if let Some(Owned { shape: Some(_), .. }) = owned {
            return self.update_whole(scope, owned.as_ref()?, operator, (target, value));
        }
        let Some(Owned { id, process, position, .. }) = owned else {
            // What changes is not known, so it may be a set.
            match self.value(&mut scope.within(VALUE), value, None) {
                Value::Set(_) => {}
                other => {
                    let typed = self.single(other, value.span);
                    self.expect_kind(typed, value.span, Kind::Int);
                }
            }
            return None;
        };
        let value = self.number(&mut scope.within(VALUE), value);
        let place = self.element(id, process, position, target.span)?;
        let read = Typed {
            expr: Expr::Read(place.place.clone()),
            kind: place.kind,
            range: place.range,
            total: false,
        };
        let read = self.expect_kind(read, target.span, Kind::Int);
        let name = format!("`{}`", self.written(target.span));
        let value = self.fits(&place, &name, Self::computed(operator, read, value), target.span)?;
        Some(vec![Part::Do(Update::Assign(vec![(place.place, value)]))])
    }

    /// `assert e "why";`
    fn assert(&mut self, scope: &Scope<'a>, condition: &'a syntax::Expr, text: Option<&'a Name>) -> Part {
        let holds = self.condition(&mut scope.within(GUARD), condition);
        if holds.is_unknown() {
            return Part::unknown();
        }
        let text = match text {
            Some(text) => format!("\"{}\"", text.text),
            None => format!("`{}`", self.written(condition.span)),
        };
        self.demanded(holds.expr, Demand::Assertion(text))
    }

    /// Checks a value against the place that takes it.
    pub(super) fn fits(&mut self, place: &TypedPlace, what: &str, value: Typed, span: Span) -> Option<Expr> {
        let value = self.expect_kind(value, span, place.kind);
        if value.is_unknown() {
            return None;
        }
        if value.range.is_disjoint(place.range) {
            let message = match value.range.only() {
                Some(number) => format!("{what} would become {number}, outside its range"),
                None => format!("{what} would always leave its range"),
            };
            let label = format!("{what} goes from {} to {}", place.range.lo, place.range.hi);
            self.always_wrong(Diagnostic::error(span, message, label));
        }
        Some(value.expr)
    }

    /// The place that a statement writes.
    pub(super) fn target(&mut self, scope: &mut Scope<'a>, target: &'a syntax::Expr) -> Option<TypedPlace> {
        let Owned { id, process, position, shape } = self.owned(scope, target)?;
        if let Some(shape) = shape {
            let found = self.shape_name(&shape);
            let message = format!("`{}` is {found}, not one value", self.written(target.span));
            self.error(target.span, message, found);
            return None;
        }
        self.element(id, process, position, target.span)
    }

    /// The variable or array that a statement writes.
    pub(super) fn owned(&mut self, scope: &mut Scope<'a>, target: &'a syntax::Expr) -> Option<Owned> {
        let mut place_scope = scope.within(VALUE);
        let text = self.written(target.span);
        let what = match self.reference(&mut place_scope, target) {
            reference @ (Reference::Variable { .. } | Reference::Stored(_)) => {
                let (id, process, position, shape) = match reference {
                    Reference::Variable { id, process, position } => (id, process, position, None),
                    Reference::Stored(located) => {
                        (located.first, located.process, located.position, Some(located.shape))
                    }
                    _ => return None,
                };
                let owner = self.system.variable(id).owner;
                let own = scope.owner.and_then(|owner| self.own_index(owner)).map(|index| index.expr);
                if owner.is_none() || owner == scope.owner && process == own {
                    return Some(Owned { id, process, position, shape });
                }
                let message = format!("`{text}` belongs to another process");
                let diagnostic = Diagnostic::error(target.span, message, "only its owner writes it");
                self.report(diagnostic.help("processes communicate through shared variables and channels"));
                return None;
            }
            Reference::Unknown => return None,
            Reference::Value(_) if matches!(target.kind, ExprKind::At(..)) => {
                "a location, which control changes"
            }
            Reference::Value(_) | Reference::Whole(_) => "not a variable",
            Reference::Table { .. } => "a constant",
            Reference::Process { .. } => "a process",
            Reference::Channel { .. } => "a channel",
        };
        self.error(target.span, format!("`{text}` cannot be assigned"), what);
        None
    }

    /// `request x;` or `release x;`
    fn semaphore(&mut self, scope: &mut Scope<'a>, variable: &'a syntax::Expr, request: bool) -> Vec<Part> {
        let Some(place) = self.target(scope, variable) else { return vec![Part::unknown()] };
        let kind = place.kind;
        let read = Typed { expr: Expr::Read(place.place.clone()), kind, range: place.range, total: false };
        let one = Typed::literal(Kind::Int, 1);
        let (enabling, value) = match kind {
            Kind::Bool => (read, Typed::literal(Kind::Bool, i64::from(!request))),
            Kind::Int if request => {
                let positive = strict(Operator::Gt, read.clone(), Typed::literal(Kind::Int, 0), Kind::Bool);
                (positive, strict(Operator::Sub, read, one, Kind::Int))
            }
            Kind::Int => {
                let (range, total) = read.range.add(one.range);
                (read.clone(), Typed { expr: fold::add(read.expr, one.expr), kind, range, total })
            }
            Kind::Enum(_) | Kind::Unknown => {
                let found = self.kind_name(kind);
                self.error(
                    variable.span,
                    "a semaphore is a truth value or a number",
                    format!("this is {found}"),
                );
                return vec![Part::unknown()];
            }
        };
        let reached = !enabling.is_never();
        let name = format!("`{}`", self.written(variable.span));
        let value =
            self.if_reached(reached || !request, |checker| checker.fits(&place, &name, value, variable.span));
        let Some(value) = value else { return vec![Part::unknown()] };
        let taken = Part::Do(Update::Assign(vec![(place.place, value)]));
        if request { vec![Part::Wait(enabling), taken] } else { vec![taken] }
    }
}
