//! The paths of a step. A step may wait anywhere; its outcomes are its complete paths.
//!
//! A block that is one step becomes a list of [`Part`]s first. Then, from the end to the beginning, the condition is
//! computed under which each part and all that follows can be done: a wait adds its condition, an assignment is
//! substituted in the condition of what follows, a choice asks for one possible value or branch. The condition of the
//! whole list is the guard of the action, and in its update every choice is restricted to what can go on. So the update
//! has a successor wherever the guard is true.
//!
//! A part that would be a fault counts as one that can be done: the guard is true (or has the same fault), and the
//! update finds the fault. So a fault counts wherever the path is possible up to it, whatever would come after it.

use model::expr::{Operator, Quantifier};
use model::system::Scalar;
use model::{Binder, Expr, Index, Place, Update, VariableId};

use super::expressions::Typed;
use super::interval::Interval;
use super::operators::conjunction;
use super::rendezvous::Meeting;
use super::{Checker, Kind, fold};
use crate::linear::some_integer;
use crate::syntax::Span;

/// Limit on the levels of the condition of a step.
const HEIGHT: usize = 300;

/// Limit on the parts of the condition of a step once every choice in it is written out, as engines do.
const WRITTEN_OUT: u64 = 10_000_000;

/// A step of the model.
pub(super) struct Step {
    /// When it can be done.
    pub(super) enabling: Typed,
    pub(super) update: Update,
}

/// A part of a step.
#[derive(Clone)]
pub(super) enum Part {
    /// Goes on once this is true.
    Wait(Typed),
    /// An update that is done without waiting: assignments, or an assertion.
    Do(Update),
    If(Typed, Vec<Part>, Vec<Part>),
    Either(Vec<Vec<Part>>),
    Choose(Choice),
    /// Remembers a value under an index while the body is done.
    Let(Binder, Typed, Vec<Part>),
    /// One side of a rendezvous.
    Meet(Box<Meeting>),
    /// The part of a process in a joint event, by number, and where it stands.
    Sync(usize, Span),
}

/// A choice of a value.
#[derive(Clone)]
pub(super) struct Choice {
    pub(super) binder: Binder,
    /// The condition that a value of the span is in the set that was written.
    pub(super) member: Typed,
    /// Whether the set is known not to be empty.
    pub(super) inhabited: bool,
    /// The `where` condition.
    pub(super) admissible: Typed,
    pub(super) body: Vec<Part>,
    /// The name of the value, for messages.
    pub(super) span: Span,
}

impl Part {
    /// A part with an error in it.
    pub(super) fn unknown() -> Part {
        Part::Wait(Typed::unknown())
    }

    /// The same with `value` in place of `index`.
    pub(super) fn replace(&self, index: Index, value: &Expr) -> Part {
        let typed = |typed: &Typed| Typed { expr: fold::replace(&typed.expr, index, value), ..typed.clone() };
        let all = |parts: &[Part]| parts.iter().map(|part| part.replace(index, value)).collect::<Vec<_>>();
        match self {
            Part::Wait(condition) => Part::Wait(typed(condition)),
            Part::Do(update) => Part::Do(fold::replace_in_update(update, index, value)),
            Part::If(condition, yes, no) => Part::If(typed(condition), all(yes), all(no)),
            Part::Either(branches) => Part::Either(branches.iter().map(|branch| all(branch)).collect()),
            Part::Choose(choice) => Part::Choose(Choice {
                binder: fold::replace_in_binder(&choice.binder, index, value),
                member: typed(&choice.member),
                inhabited: choice.inhabited,
                admissible: typed(&choice.admissible),
                body: all(&choice.body),
                span: choice.span,
            }),
            Part::Let(binder, own, body) => Part::Let(binder.clone(), typed(own), all(body)),
            Part::Meet(meeting) => Part::Meet(Box::new(meeting.replace(index, value))),
            Part::Sync(event, span) => Part::Sync(*event, *span),
        }
    }
}

/// Whether parts can never be done, whatever comes after them.
pub(super) fn is_stuck(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Wait(condition) => condition.is_never(),
        Part::If(_, yes, no) => is_stuck(yes) && is_stuck(no),
        Part::Either(branches) => branches.iter().all(|branch| is_stuck(branch)),
        Part::Choose(choice) => choice.admissible.is_never() || is_stuck(&choice.body),
        Part::Let(_, _, body) => is_stuck(body),
        Part::Do(_) | Part::Meet(_) | Part::Sync(..) => false,
    })
}

/// Calls `f` with every variable that parts read, and with `true` for every variable that they write.
pub(super) fn variables(parts: &[Part], f: &mut dyn FnMut(VariableId, bool)) {
    for part in parts {
        match part {
            Part::Wait(condition) => in_expr(&condition.expr, f),
            Part::Do(update) => in_update(update, f),
            Part::If(condition, yes, no) => {
                in_expr(&condition.expr, f);
                variables(yes, f);
                variables(no, f);
            }
            Part::Either(branches) => branches.iter().for_each(|branch| variables(branch, f)),
            Part::Choose(choice) => {
                in_expr(&choice.member.expr, f);
                in_expr(&choice.admissible.expr, f);
                variables(&choice.body, f);
            }
            Part::Let(_, value, body) => {
                in_expr(&value.expr, f);
                variables(body, f);
            }
            // Who remembers a value asks about these first.
            Part::Meet(_) | Part::Sync(..) => {}
        }
    }
}

/// Calls `f` with every variable that an expression reads.
pub(super) fn in_expr(expr: &Expr, f: &mut dyn FnMut(VariableId, bool)) {
    expr.any(&mut |part| {
        if let Expr::Read(place) = part {
            f(place.variable, false);
        }
        false
    });
}

fn in_update(update: &Update, f: &mut dyn FnMut(VariableId, bool)) {
    match update {
        Update::Skip => {}
        Update::Assign(assignments) => {
            for (place, value) in assignments {
                place.position.iter().chain([value]).for_each(|part| in_expr(part, f));
                f(place.variable, true);
            }
        }
        Update::Sequence(updates) => updates.iter().for_each(|update| in_update(update, f)),
        Update::If(condition, yes, no) => {
            in_expr(condition, f);
            in_update(yes, f);
            in_update(no, f);
        }
        Update::Either(branches) => {
            for (condition, branch) in branches {
                in_expr(condition, f);
                in_update(branch, f);
            }
        }
        Update::Choose(_, condition, body) => {
            in_expr(condition, f);
            in_update(body, f);
        }
    }
}

/// How many parts an expression has if its quantifiers are written out. A range whose ends are not known counts once.
fn written_out(expr: &Expr) -> u64 {
    let inside = expr.children().into_iter().map(written_out).fold(1, u64::saturating_add);
    match expr {
        Expr::Quantified(_, binder, _) => match (&*binder.span.lo, &*binder.span.hi) {
            (Expr::Int(lo), Expr::Int(hi)) if lo <= hi => {
                inside.saturating_mul(lo.abs_diff(*hi).saturating_add(1))
            }
            _ => inside,
        },
        _ => inside,
    }
}

impl Checker<'_> {
    /// The guard and the update of parts after which `after` must be true.
    pub(super) fn path(&mut self, parts: &[Part], after: Typed) -> Step {
        let mut can = after;
        let mut updates = Vec::new();
        for part in parts.iter().rev() {
            let (enabling, update) = match part {
                Part::Wait(condition) => (conjunction(condition.clone(), can), Update::Skip),
                Part::Do(update) => (self.before(update, can), update.clone()),
                Part::If(condition, yes, no) => {
                    let (yes, no) = (self.path(yes, can.clone()), self.path(no, can));
                    test(condition, yes, no)
                }
                Part::Either(branches) => self.either_of(branches, &can),
                Part::Choose(choice) => self.one_of(choice, can),
                Part::Let(binder, value, body) => {
                    let body = self.path(body, can);
                    let number = as_number(value.clone());
                    let same = Expr::eq(Expr::Index(binder.index), number.clone());
                    let enabling = self.with_value(binder.index, &number, body.enabling);
                    (enabling, Update::Choose(binder.clone(), same, Box::new(body.update)))
                }
                // Ways that others have joined have none of them.
                Part::Meet(_) | Part::Sync(..) => (can, Update::Skip),
            };
            can = enabling;
            updates.push(update);
        }
        updates.reverse();
        Step { enabling: can, update: sequence(updates) }
    }

    /// One of several branches.
    fn either_of(&mut self, branches: &[Vec<Part>], after: &Typed) -> (Typed, Update) {
        let mut choices = Vec::new();
        let mut conditions = Vec::new();
        for branch in branches {
            let step = self.path(branch, after.clone());
            choices.push((step.enabling.expr.clone(), step.update));
            conditions.push(step.enabling);
        }
        if conditions.iter().any(Typed::is_unknown) {
            return (Typed::unknown(), Update::Skip);
        }
        let enabling = if conditions.iter().any(Typed::is_always) {
            Typed::literal(Kind::Bool, 1)
        } else {
            let never = conditions.iter().all(Typed::is_never);
            let expr = fold::or(conditions.into_iter().map(|condition| condition.expr));
            Typed { range: if never { Interval::FALSE } else { Interval::TRUTH }, ..Typed::truth(expr) }
        };
        (enabling, Update::Either(choices))
    }

    /// The body with one of several values.
    fn one_of(&mut self, choice: &Choice, after: Typed) -> (Typed, Update) {
        let Choice { binder, member, inhabited, admissible, body, span } = choice;
        let body = self.path(body, after);
        let free = admissible.is_always() && body.enabling.is_always();
        let doable = conjunction(conjunction(member.clone(), admissible.clone()), body.enabling);
        if doable.is_unknown() {
            return (Typed::unknown(), Update::Skip);
        }
        let enabling = if *inhabited && free {
            Typed::literal(Kind::Bool, 1)
        } else if binder.span.is_endless() {
            // The guard must say that there is a value without listing all integers.
            let message = match some_integer(&doable.expr, binder.index) {
                Some(Ok(exists)) => Ok(Typed::truth(exists)),
                Some(Err(_)) => Err("the condition on the chosen integer is too complex"),
                None => Err("the condition on a chosen integer must be linear"),
            };
            match message {
                Ok(enabling) => enabling,
                Err(message) => {
                    self.error(*span, message, "cannot decide whether such an integer exists");
                    return (Typed::unknown(), Update::Skip);
                }
            }
        } else {
            let exists = Expr::Quantified(Quantifier::Exists, binder.clone(), Box::new(doable.expr.clone()));
            let parts = written_out(&exists);
            if parts > WRITTEN_OUT {
                let message = "the condition under which this step can be done is too large".to_owned();
                let label = format!(
                    "with all choices written out, it has {parts} parts; at most {WRITTEN_OUT} are allowed"
                );
                self.error_at_use(*span, message, &label);
                return (Typed::unknown(), Update::Skip);
            }
            let range = if doable.is_never() { Interval::FALSE } else { Interval::TRUTH };
            Typed { range, ..Typed::truth(exists) }
        };
        (enabling, Update::Choose(binder.clone(), doable.expr, Box::new(body.update)))
    }

    /// A condition with a value in place of an index. If the value has a fault, so has the condition.
    fn with_value(&mut self, index: Index, value: &Expr, after: Typed) -> Typed {
        if is_true(&after) || after.is_unknown() {
            return after;
        }
        let replaced = fold::replace(&after.expr, index, value);
        if !self.is_small(&replaced, fold::size(&replaced)) {
            return Typed::unknown();
        }
        if !may_fail(value) {
            return Typed::truth(replaced);
        }
        Typed::truth(fold::binary(Operator::Implies, touched(value), replaced))
    }

    /// The condition before an update under which `after` is true after it, or the update is a fault.
    fn before(&mut self, update: &Update, after: Typed) -> Typed {
        if is_true(&after) || after.is_unknown() {
            return after;
        }
        let (possible, after) = match update {
            Update::Assign(assignments) => {
                let possible = assignments.iter().flat_map(|(place, value)| self.possible(place, value));
                let possible: Vec<Expr> = possible.collect();
                let after = rewrite(&after.expr, assignments);
                (possible, after)
            }
            Update::Sequence(updates) => {
                return updates.iter().rev().fold(after, |after, update| self.before(update, after));
            }
            Update::Choose(_, condition, _) => (vec![condition.clone()], after.expr),
            Update::Either(branches) => {
                (branches.iter().map(|branch| branch.0.clone()).collect(), after.expr)
            }
            Update::Skip | Update::If(..) => (Vec::new(), after.expr),
        };
        let nodes = fold::size(&after) + possible.iter().map(fold::size).sum::<usize>();
        if !self.is_small(&after, nodes) {
            return Typed::unknown();
        }
        match fold::and(possible) {
            Expr::Bool(true) => Typed::truth(after),
            possible => Typed::truth(fold::binary(Operator::Implies, possible, after)),
        }
    }

    /// Whether a condition that was computed for a step is small enough; reported if not.
    fn is_small(&mut self, condition: &Expr, nodes: usize) -> bool {
        if fold::height(condition) > HEIGHT {
            let message = "the condition under which this step can be done is too large".to_owned();
            self.error_at_use(self.step, message, "waits for something that many statements change");
            return false;
        }
        self.copy(self.step, nodes)
    }

    /// Conditions under which an assignment is not a fault. They have the same faults as its operands.
    fn possible(&self, place: &Place, value: &Expr) -> Vec<Expr> {
        let variable = self.system.variable(place.variable);
        let mut conditions = Vec::new();
        for (position, span) in place.position.iter().zip(&variable.kind.dimensions) {
            if !is_literal_within(position, span) {
                conditions.push(within(position, span));
            }
        }
        match &variable.kind.scalar {
            Scalar::Range(span) if !is_literal_within(value, span) && !self.has_type(value, place) => {
                conditions.push(within(value, span));
            }
            Scalar::Bool if may_fail(value) => conditions.push(fold::or([value.clone(), Expr::Bool(true)])),
            Scalar::Enum(_) | Scalar::Int if may_fail(value) => conditions.push(touched(value)),
            _ => {}
        }
        conditions
    }

    /// Whether a value is that of a single variable of the same type, so that it fits without a fault.
    fn has_type(&self, value: &Expr, place: &Place) -> bool {
        let scalar = &self.system.variable(place.variable).kind.scalar;
        match value {
            Expr::Read(read) => {
                self.system.variable(read.variable).kind.scalar == *scalar && !may_fail(value)
            }
            Expr::Index(index) => self.system.indices[index.0 as usize].scalar == *scalar,
            _ => false,
        }
    }
}

/// Whether a condition is true without being evaluated. One that is true for all values may still be a fault.
fn is_true(condition: &Typed) -> bool {
    condition.expr == Expr::Bool(true)
}

/// A value as a number: truth is 0 and 1.
pub(super) fn as_number(value: Typed) -> Expr {
    match (value.kind, value.expr) {
        (Kind::Bool, Expr::Bool(truth)) => Expr::Int(i64::from(truth)),
        (Kind::Bool, expr) => fold::choice(expr, Expr::Int(1), Expr::Int(0)),
        (_, expr) => expr,
    }
}

/// `lo <= value && value <= hi`
fn within(value: &Expr, span: &model::Span) -> Expr {
    let above = fold::binary(Operator::Le, (*span.lo).clone(), value.clone());
    fold::and([above, fold::binary(Operator::Le, value.clone(), (*span.hi).clone())])
}

fn is_literal_within(value: &Expr, span: &model::Span) -> bool {
    match (value, &*span.lo, &*span.hi) {
        (Expr::Int(value), Expr::Int(lo), Expr::Int(hi)) => lo <= value && value <= hi,
        _ => false,
    }
}

/// Is true if the value of a number is no fault.
pub(super) fn touched(value: &Expr) -> Expr {
    fold::or([Expr::eq(value.clone(), Expr::Int(0)), Expr::Bool(true)])
}

/// Whether evaluation may be a fault. Only literals, indices and single variables are sure not to be.
pub(super) fn may_fail(expr: &Expr) -> bool {
    let literal = |expr: &Expr| matches!(expr, Expr::Int(_) | Expr::Bool(_));
    let own = |process: &Expr| literal(process) || matches!(process, Expr::Index(_));
    match expr {
        Expr::Bool(_) | Expr::Int(_) | Expr::Parameter(_) | Expr::Index(_) => false,
        Expr::Read(place) => {
            !place.process.iter().all(|process| own(process)) || !place.position.iter().all(literal)
        }
        Expr::Not(_) | Expr::And(_) | Expr::Or(_) | Expr::If(..) => expr.children().into_iter().any(may_fail),
        Expr::Binary(
            Operator::Eq
            | Operator::Ne
            | Operator::Lt
            | Operator::Le
            | Operator::Gt
            | Operator::Ge
            | Operator::Implies,
            a,
            b,
        ) => may_fail(a) || may_fail(b),
        _ => true,
    }
}

/// An expression as it is after assignments, in terms of the state before them.
fn rewrite(expr: &Expr, assignments: &[(Place, Expr)]) -> Expr {
    let mut go = |part: &Expr| rewrite(part, assignments);
    let Expr::Read(place) = expr else { return fold::rebuild(expr, &mut go) };
    let read = place.map(&mut go);
    let mut value = Expr::Read(read.clone());
    // The last assignment to a place wins, so it is asked first.
    for (written, new) in assignments.iter().filter(|(written, _)| written.variable == read.variable) {
        let pairs = written.process.iter().map(|own| &**own).zip(read.process.iter().map(|own| &**own));
        let pairs = pairs.chain(written.position.iter().zip(&read.position));
        let same = fold::and(pairs.map(|(a, b)| {
            if a == b { Expr::Bool(true) } else { fold::binary(Operator::Eq, a.clone(), b.clone()) }
        }));
        value = fold::choice(same, new.clone(), value);
    }
    value
}

/// Updates one after the other.
pub(super) fn sequence(mut updates: Vec<Update>) -> Update {
    updates.retain(|update| *update != Update::Skip);
    match updates.len() {
        0 => Update::Skip,
        1 => updates.remove(0),
        _ => Update::Sequence(updates),
    }
}

/// One of two steps, by a condition.
fn test(condition: &Typed, yes: Step, no: Step) -> (Typed, Update) {
    if condition.is_unknown() || yes.enabling.is_unknown() || no.enabling.is_unknown() {
        return (Typed::unknown(), Update::Skip);
    }
    let enabling = if is_true(&yes.enabling) && is_true(&no.enabling) {
        Typed::literal(Kind::Bool, 1)
    } else {
        let range = yes.enabling.range.hull(no.enabling.range);
        let expr = fold::choice(condition.expr.clone(), yes.enabling.expr, no.enabling.expr);
        Typed { range, ..Typed::truth(expr) }
    };
    (enabling, Update::If(condition.expr.clone(), Box::new(yes.update), Box::new(no.update)))
}
