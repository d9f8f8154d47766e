//! Actions: one for every guarded command and one for every statement that takes a step.
//!
//! The guard of a statement's action begins with the location of the process; its update ends with the location it goes
//! to. A test is one action whose update chooses the location. `stay` is one action with two outcomes. A guarded
//! command is enabled at every location and does not change it.

use model::expr::Operator;
use model::system::{Marked, Participant};
use model::{Action, Binder, Expr, FamilyId, Instance, Update};

use super::bounds::Ranged;
use super::code::{END, Placed, PointId, describe, entry};
use super::expressions::Typed;
use super::fairness::Annotation;
use super::paths::Part;
use super::together::{Hole, hole, one_of};
use super::updates::{Exit, GUARD};
use super::{Checker, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Label, Member, MemberKind, Range, Span, StatementKind};

impl<'a> Checker<'a> {
    /// Lowers the actions of every process.
    pub(super) fn actions(&mut self) {
        for number in 0..self.families.len() {
            let id = FamilyId(number as u32);
            for member in &self.family(id).source.members {
                self.member(id, member);
            }
            let body = std::mem::take(&mut self.families[number].code.body);
            self.run(id, &body, END);
            self.families[number].code.body = body;
            if self.unparsed_words.is_empty() {
                self.warn_of_unreachable(id);
            }
        }
    }

    /// `action l(r: 1..N) when g { … }`
    fn member(&mut self, id: FamilyId, member: &'a Member) {
        let MemberKind::Action { environment, label, parameters, guard, body } = &member.kind else { return };
        if *environment {
            let marked = Marked { family: id, label: Some(label.name.text.clone()) };
            self.system.environment.push(marked);
        }
        let mut scope = self.process_scope(id, GUARD);
        let mut binders = Vec::new();
        let mut values = Vec::new();
        let mut instances = self.copies_of(id);
        for parameter in parameters {
            let iterations = self.iterations;
            if let Some((binder, ranged)) = self.binder(&mut scope, parameter) {
                instances = instances.saturating_mul(most(&ranged));
                binders.push(binder);
                values.push(ranged.dimension());
            }
            self.iterations = iterations;
        }
        let ranges = parameters.iter().map(|parameter| &parameter.range);
        self.count_actions(id, label.name.span, &label.name.text, instances, ranges.collect());
        let enabling = match guard {
            Some(guard) => self.condition(&mut scope, guard),
            None => Typed::literal(Kind::Bool, 1),
        };
        let reached = !enabling.is_never();
        let parts =
            self.if_reached(reached, |checker| checker.block(&mut scope, &body.statements, Exit::To(None)));
        self.annotate(id, label);
        if let Some(known) = self.families[id.0 as usize].labels.get_mut(&label.name.text)
            && binders.len() == parameters.len()
        {
            known.ranges = values;
        }
        if let Some(together) = hole(&parts)
            && !parameters.is_empty()
        {
            let what = if matches!(together, Part::Meet(_)) { "a rendezvous" } else { "a joint event" };
            let message = format!("an action with parameters cannot take part in {what}");
            let diagnostic = Diagnostic::error(label.name.span, message, "has parameters");
            self.report(diagnostic.help("choose the value inside the step: `choose v in … { … }`"));
            return;
        }
        self.step = label.name.span;
        self.add_action(id, &label.name.text, binders, enabling.expr, parts);
    }

    /// Adds an action with these parts. What of it is taken together with others is kept until all of them are known.
    fn add_action(
        &mut self,
        id: FamilyId,
        label: &str,
        parameters: Vec<Binder>,
        guard: Expr,
        parts: Vec<Part>,
    ) {
        let mut own = Some(parts);
        if let Some(parts) = own.take_if(|parts| hole(parts).is_some()) {
            for (leads_to, ways) in self.ways(&parts).into_iter().flatten() {
                let guard = guard.clone();
                match leads_to {
                    None => own = Some(one_of(ways)),
                    Some(Hole::Channel { number, sends }) => {
                        self.add_side((number, sends), (id, label), guard, ways);
                    }
                    Some(Hole::Event(event)) => self.take_part(event, (id, label), guard, ways),
                }
            }
        }
        let Some(parts) = own else { return };
        let step = self.path(&parts, Typed::literal(Kind::Bool, 1));
        let guard = fold::and([guard, step.enabling.expr]);
        let participants = vec![self.participant(id, label)];
        self.system.actions.push(Action { participants, parameters, guard, update: step.update });
    }

    /// Lowers the statements of a block. After it, control continues at `next`.
    fn run(&mut self, id: FamilyId, block: &[Placed<'a>], next: PointId) {
        for (number, placed) in block.iter().enumerate() {
            let next = block.get(number + 1).map_or(next, |placed| placed.point);
            self.statement(id, placed, next);
        }
    }

    fn statement(&mut self, id: FamilyId, placed: &Placed<'a>, next: PointId) {
        let mut scope = self.process_scope(id, GUARD);
        match &placed.statement.kind {
            StatementKind::Loop(_) => self.run(id, &placed.blocks[0], placed.point),
            StatementKind::Either(_) => {
                for branch in &placed.blocks {
                    self.run(id, branch, next);
                }
            }
            StatementKind::Goto(_) | StatementKind::Halt => {}
            StatementKind::For(..) | StatementKind::Let { .. } => {
                let message = format!("{} stands only inside a step", describe(&placed.statement.kind));
                let diagnostic = Diagnostic::error(placed.statement.span, message, "not a step of its own");
                self.report(diagnostic.help("put it in `atomic { … }`, with what belongs to it"));
            }
            StatementKind::Stay => {
                let on = self.go_to(id, next);
                let outcomes = vec![(Expr::Bool(true), Update::Skip), (Expr::Bool(true), on)];
                self.step(id, placed, vec![Part::Do(Update::Either(outcomes))]);
            }
            StatementKind::If { condition, .. } => {
                let condition = self.condition(&mut scope, condition);
                let yes = entry(&placed.blocks[0], next);
                let no = placed.blocks.get(1).map_or(next, |no| entry(no, next));
                self.test(id, placed, &condition, yes, no);
                self.if_reached(!condition.is_never(), |checker| checker.run(id, &placed.blocks[0], next));
                if let Some(no) = placed.blocks.get(1) {
                    self.if_reached(!condition.is_always(), |checker| checker.run(id, no, next));
                }
            }
            StatementKind::While(condition, _) => {
                let condition = self.condition(&mut scope, condition);
                let body = &placed.blocks[0];
                self.test(id, placed, &condition, entry(body, placed.point), next);
                self.if_reached(!condition.is_never(), |checker| checker.run(id, body, placed.point));
            }
            _ => {
                let exit = Exit::To(Some(self.location_at(id, next)));
                let parts = self.last(&mut scope, placed.statement, exit);
                self.step(id, placed, parts);
            }
        }
    }

    /// A test is a step that only chooses where to go.
    fn test(&mut self, id: FamilyId, placed: &Placed<'a>, condition: &Typed, yes: PointId, no: PointId) {
        let (yes, no) = (self.go_to(id, yes), self.go_to(id, no));
        let test = Update::If(condition.expr.clone(), Box::new(yes), Box::new(no));
        self.step(id, placed, vec![Part::Do(test)]);
    }

    /// Adds the action of a statement.
    fn step(&mut self, id: FamilyId, placed: &Placed<'a>, parts: Vec<Part>) {
        let Some(place) = self.location_place(id) else { return };
        let here =
            Expr::binary(Operator::Eq, Expr::Read(place), Expr::Int(self.location_at(id, placed.point)));
        if let Some(label) = &placed.statement.label {
            self.annotate(id, label);
        }
        self.count_actions(id, placed.statement.span, &placed.name, self.copies_of(id), Vec::new());
        self.step = placed.statement.span;
        self.add_action(id, &placed.name, Vec::new(), here, parts);
    }

    fn participant(&self, family: FamilyId, label: &str) -> Participant {
        let index = self.system.family(family).index.as_ref().map(|binder| binder.index);
        Participant { family, index, only: None, label: label.to_owned() }
    }

    fn annotate(&mut self, family: FamilyId, label: &'a Label) {
        if let Some(word) = label.annotation {
            self.annotations.push(Annotation { word, family, label: &label.name });
        }
    }

    fn go_to(&self, id: FamilyId, point: PointId) -> Update {
        self.go(id, self.location_at(id, point))
    }

    /// The location at a point. Every point has one unless the layout has an error.
    fn location_at(&self, id: FamilyId, point: PointId) -> i64 {
        self.family(id).code.location(point).unwrap_or(0)
    }

    /// Counts actions; reports an error if there are too many.
    fn count_actions(
        &mut self,
        id: FamilyId,
        span: Span,
        name: &str,
        actions: u64,
        mut ranges: Vec<&'a Range>,
    ) {
        self.tally.actions = self.tally.actions.saturating_add(actions);
        if self.tally.actions > Instance::LIMIT as u64 && !self.is_open() {
            self.tally.actions = self.tally.actions.saturating_sub(actions);
            ranges.extend(self.index_ranges(id));
            self.refuse_size(span, actions, &format!("{actions} actions `{name}`"), &ranges);
        }
    }
}

/// The greatest number of values a range can have.
fn most(ranged: &Ranged) -> u64 {
    if ranged.is_empty() { 0 } else { ranged.values().length() }
}
