//! Blocks that are one step: the condition under which they can be done, and their update.
//!
//! The condition comes from the statements at the beginning: `await`, `when`, `request`, a send, a receive, the choices
//! of `choose` and `either`. There it is part of the action's guard, so the update has a successor wherever the guard
//! is true, and a choice in the update is restricted to the values and branches that can be done. After the first
//! change of the state nothing may wait: a waiting statement there is an error, and an `either` without a branch that
//! can be done is a fault at run time.

use std::collections::HashSet;

use model::expr::{Operator, Span as Values};
use model::system::IndexName;
use model::{Binder, Expr, FamilyId, Place, Update};

use super::code::describe;
use super::expressions::Typed;
use super::flow::jumps;
use super::names::{Context, Scope};
use super::operators::{all_of, conjunction, strict};
use super::places::{Reference, TypedPlace};
use super::{Checker, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, Binary, ExprKind, Name, Span, Statement, StatementKind};

/// The context of an assigned value.
pub(super) const VALUE: Context = Context::of_system("an assigned value");

/// The context of a condition of a step.
pub(super) const GUARD: Context = Context::of_system("a guard");

/// A block as one step.
pub(super) struct Step {
    /// When it can be done.
    pub(super) enabling: Typed,
    pub(super) update: Update,
}

/// Where a statement stands in its step.
#[derive(Clone, Copy)]
pub(super) struct Position {
    /// Whether nothing before it changes the state.
    pub(super) leading: bool,
    /// Whether no choice or test leads to it.
    pub(super) straight: bool,
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
        mut position: Position,
        exit: Exit,
    ) -> Step {
        let mut conditions = Vec::new();
        let mut updates = Vec::new();
        let dead = self.unevaluated;
        for (number, statement) in statements.iter().enumerate() {
            if let Some(label) = &statement.label {
                let message = "a block that is one step cannot contain a label";
                self.error(label.name.span, message, "control never stops here");
            }
            let step = if number + 1 == statements.len() {
                self.last(scope, statement, position, exit)
            } else {
                self.part(scope, statement, position, Exit::Inside)
            };
            self.unevaluated += usize::from(step.enabling.is_never());
            conditions.push(step.enabling);
            updates.push(step.update);
            position.leading &= matches!(statement.kind, StatementKind::Skip | StatementKind::Await(_));
        }
        self.unevaluated = dead;
        if statements.is_empty() {
            updates.push(self.leave_by(scope, exit));
        }
        Step { enabling: all_of(conditions), update: sequence(updates) }
    }

    /// Lowers the last statement of a step. Unless it jumps, control goes to the exit of the step.
    pub(super) fn last(
        &mut self,
        scope: &mut Scope<'a>,
        statement: &'a Statement,
        position: Position,
        exit: Exit,
    ) -> Step {
        if jumps(statement) {
            return self.part(scope, statement, position, exit);
        }
        let step = self.part(scope, statement, position, Exit::Inside);
        let on = self.leave_by(scope, exit);
        Step { enabling: step.enabling, update: sequence(vec![step.update, on]) }
    }

    /// The update of the location at the exit of a step.
    fn leave_by(&self, scope: &Scope<'a>, exit: Exit) -> Update {
        match (exit, scope.owner) {
            (Exit::To(Some(location)), Some(owner)) => self.go(owner, location),
            _ => Update::Skip,
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
    fn part(
        &mut self,
        scope: &mut Scope<'a>,
        statement: &'a Statement,
        position: Position,
        exit: Exit,
    ) -> Step {
        let straight = position;
        let branching = Position { straight: false, ..position };
        match &statement.kind {
            StatementKind::Skip => Step::always(Update::Skip),
            StatementKind::Assign { targets, values } => {
                self.assignment(scope, statement.span, targets, values)
            }
            StatementKind::Update { target, operator, value } => {
                self.update(scope, target, *operator, value).unwrap_or_else(Step::unknown)
            }
            StatementKind::Assert { condition, text } => self.assert(scope, condition, text.as_ref()),
            StatementKind::Await(condition) => {
                let enabling = self.condition(&mut scope.within(GUARD), condition);
                Step { enabling: self.leading(statement, position, enabling), update: Update::Skip }
            }
            StatementKind::Request(variable) => {
                let Some(step) = self.semaphore(scope, variable, true) else { return Step::unknown() };
                Step { enabling: self.leading(statement, position, step.enabling), ..step }
            }
            StatementKind::Release(variable) => {
                self.semaphore(scope, variable, false).unwrap_or_else(Step::unknown)
            }
            StatementKind::When(condition, body) => {
                let enabling = self.condition(&mut scope.within(GUARD), condition);
                let enabling = self.leading(statement, position, enabling);
                let reached = !enabling.is_never();
                let body = self
                    .if_reached(reached, |checker| checker.block(scope, &body.statements, straight, exit));
                Step { enabling: conjunction(enabling, body.enabling), ..body }
            }
            StatementKind::Atomic(body) => self.block(scope, &body.statements, straight, exit),
            StatementKind::Choose { .. } => self.choose(scope, statement, branching, exit),
            StatementKind::If { condition, yes, no } => {
                let condition = self.condition(&mut scope.within(GUARD), condition);
                let no: &[Statement] = no.as_ref().map_or(&[], |no| &no.statements);
                let yes = self
                    .if_reached(!condition.is_never(), |c| c.block(scope, &yes.statements, branching, exit));
                let no = self.if_reached(!condition.is_always(), |c| c.block(scope, no, branching, exit));
                test(condition, yes, no)
            }
            StatementKind::Either(branches) => self.either(scope, branches, branching, exit),
            StatementKind::Send { channel, values } => {
                let step = self.send(scope, statement, channel, values, position);
                Step { enabling: self.leading(statement, position, step.enabling), ..step }
            }
            StatementKind::Receive { channel, targets } => {
                let step = self.receive(scope, statement, channel, targets, position);
                Step { enabling: self.leading(statement, position, step.enabling), ..step }
            }
            StatementKind::Goto(_) | StatementKind::Halt => self.leave(scope, statement, exit),
            StatementKind::Stay | StatementKind::While(..) | StatementKind::Loop(_) => {
                let message =
                    format!("{} cannot stand in a block that is one step", describe(&statement.kind));
                self.error(statement.span, message, "may take more than one step");
                Step::unknown()
            }
        }
    }

    /// Checks that a waiting statement stands where waiting is possible; returns its condition.
    fn leading(&mut self, statement: &Statement, position: Position, enabling: Typed) -> Typed {
        if position.leading {
            return enabling;
        }
        let message = format!(
            "{} may stand only at the beginning of a block that is one step",
            describe(&statement.kind)
        );
        let diagnostic =
            Diagnostic::error(statement.span, message, "something before it has changed the state");
        self.report(diagnostic.help("make it a step of its own, or put it first"));
        Typed::unknown()
    }

    /// `goto l;` and `halt;` at the end of a step.
    fn leave(&mut self, scope: &Scope<'a>, statement: &'a Statement, exit: Exit) -> Step {
        let (Some(owner), Exit::To(_)) = (scope.owner, exit) else {
            let message = format!(
                "{} may stand only at the end of a block that is one step",
                describe(&statement.kind)
            );
            self.error(statement.span, message, "more of the step follows");
            return Step::unknown();
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
            Some(location) => Step::always(self.go(owner, location)),
            None => Step::always(Update::Skip),
        }
    }

    /// `x, y = e, f;`
    fn assignment(
        &mut self,
        scope: &mut Scope<'a>,
        span: Span,
        targets: &'a [syntax::Expr],
        values: &'a [syntax::Expr],
    ) -> Step {
        let places: Vec<_> = targets.iter().map(|target| self.target(scope, target)).collect();
        let mut values_scope = scope.within(VALUE);
        let lowered: Vec<_> = values.iter().map(|value| self.expression(&mut values_scope, value)).collect();
        if targets.len() != values.len() {
            let span = targets.iter().chain(values).map(|part| part.span).reduce(Span::to).unwrap_or(span);
            self.wrong_count(span, "the left side", targets.len(), "variable", values.len());
            return Step::unknown();
        }
        let mut assignments = Vec::new();
        let mut assigned = HashSet::new();
        for ((place, value), (target, source)) in
            places.into_iter().zip(lowered).zip(targets.iter().zip(values))
        {
            let Some(place) = place else { continue };
            let name = format!("`{}`", self.written(target.span));
            let Some(expr) = self.fits(&place, &name, value, source.span) else {
                continue;
            };
            if !assigned.insert(place.place.clone()) {
                let message = format!("`{}` is assigned twice at once", self.written(target.span));
                self.error(target.span, message, "assigned before");
            }
            assignments.push((place.place, expr));
        }
        Step::always(Update::Assign(assignments))
    }

    /// `x += e;`
    fn update(
        &mut self,
        scope: &mut Scope<'a>,
        target: &'a syntax::Expr,
        operator: Binary,
        value: &'a syntax::Expr,
    ) -> Option<Step> {
        let place = self.target(scope, target);
        let value = self.number(&mut scope.within(VALUE), value);
        let place = place?;
        let read = Typed {
            expr: Expr::Read(place.place.clone()),
            kind: place.kind,
            range: place.range,
            total: false,
        };
        let read = self.expect_kind(read, target.span, Kind::Int);
        let name = format!("`{}`", self.written(target.span));
        let value = self.fits(&place, &name, Self::computed(operator, read, value), target.span)?;
        Some(Step::always(Update::Assign(vec![(place.place, value)])))
    }

    /// `assert e "why";`
    fn assert(&mut self, scope: &Scope<'a>, condition: &'a syntax::Expr, text: Option<&'a Name>) -> Step {
        let holds = self.condition(&mut scope.within(GUARD), condition);
        if holds.is_unknown() {
            return Step::unknown();
        }
        let text = match text {
            Some(text) => format!("\"{}\"", text.text),
            None => format!("`{}`", self.written(condition.span)),
        };
        let IndexName { name, scalar } = IndexName::of_assertion(&text);
        let binder = Binder { index: self.fresh(&name, scalar), span: Values::between(0, 0) };
        Step::always(Update::Choose(binder, holds.expr, Box::new(Update::Skip)))
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
        let mut place_scope = scope.within(VALUE);
        let text = self.written(target.span);
        let what = match self.reference(&mut place_scope, target) {
            Reference::Variable { id, process, position } => {
                let owner = self.system.variable(id).owner;
                let own = scope.owner.and_then(|owner| self.own_index(owner)).map(|index| index.expr);
                if owner.is_none() || owner == scope.owner && process == own {
                    return self.element(id, process, position, target.span);
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
            Reference::Value(_) => "not a variable",
            Reference::Table { .. } => "a constant",
            Reference::Process { .. } => "a process",
            Reference::Channel { .. } => "a channel",
        };
        self.error(target.span, format!("`{text}` cannot be assigned"), what);
        None
    }

    /// `request x;` or `release x;`
    fn semaphore(
        &mut self,
        scope: &mut Scope<'a>,
        variable: &'a syntax::Expr,
        request: bool,
    ) -> Option<Step> {
        let place = self.target(scope, variable)?;
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
                return None;
            }
        };
        let reached = !enabling.is_never();
        let name = format!("`{}`", self.written(variable.span));
        let value = self
            .if_reached(reached || !request, |checker| checker.fits(&place, &name, value, variable.span))?;
        let enabling = if request { enabling } else { Typed::literal(Kind::Bool, 1) };
        Some(Step { enabling, update: Update::Assign(vec![(place.place, value)]) })
    }
}

impl Step {
    /// A step that can always be done.
    pub(super) fn always(update: Update) -> Step {
        Step { enabling: Typed::literal(Kind::Bool, 1), update }
    }

    /// A step with an error in it.
    pub(super) fn unknown() -> Step {
        Step { enabling: Typed::unknown(), update: Update::Skip }
    }
}

/// Updates one after the other.
fn sequence(mut updates: Vec<Update>) -> Update {
    updates.retain(|update| *update != Update::Skip);
    match updates.len() {
        0 => Update::Skip,
        1 => updates.remove(0),
        _ => Update::Sequence(updates),
    }
}

/// One of two steps, by a condition.
fn test(condition: Typed, yes: Step, no: Step) -> Step {
    if condition.is_unknown() || yes.enabling.is_unknown() || no.enabling.is_unknown() {
        return Step::unknown();
    }
    let enabling = if yes.enabling.is_always() && no.enabling.is_always() {
        Typed::literal(Kind::Bool, 1)
    } else {
        let range = yes.enabling.range.hull(no.enabling.range);
        let expr = fold::choice(condition.expr.clone(), yes.enabling.expr, no.enabling.expr);
        Typed { range, ..Typed::truth(expr) }
    };
    Step { enabling, update: Update::If(condition.expr, Box::new(yes.update), Box::new(no.update)) }
}
