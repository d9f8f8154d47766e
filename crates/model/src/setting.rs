//! Gives parameters their values: turns a task about every N into the task about one N.
//!
//! A parameterised system stands for all systems in which each parameter has a value of at least its bound. A family
//! of properties stands for its members. [`set`] picks one: it replaces every parameter by its value, and every index
//! of the family of properties by its value. Nothing else changes, so states and labels of the new task have the same
//! meaning in the old one.

use std::sync::Arc;

use crate::expr::{Binder, Expr, Index, Place, Span};
use crate::fairness::{Assumption, Fairness, Requirement};
use crate::instance::Environment;
use crate::property::{Ctl, Formula, Kind, Never, Property};
use crate::semantics;
use crate::system::{Family, IndexName, Initial, Scalar, System, Type, Update, Variable};
use crate::task::Task;

/// The task with these values for the parameters and for the indices of the family of properties. `None` if there are
/// too few or too many values, one is below its bound, or there is no such member.
pub fn set(task: &Task, values: &[i64], member: &[i64]) -> Option<Task> {
    let system = system(task.system(), values)?;
    let binders = &task.property.binders;
    if binders.len() != member.len() {
        return None;
    }
    let setting = Setting { values, indices: Vec::new() };
    let mut environment = Environment::default();
    let mut indices = Vec::new();
    for (binder, &value) in binders.iter().zip(member) {
        let Span { lo, hi } = setting.span(&binder.span);
        let lo = semantics::rigid(&lo, &mut environment).ok()?;
        let hi = semantics::rigid(&hi, &mut environment).ok()?;
        if value < lo || hi < value {
            return None;
        }
        environment.bind(binder.index, value);
        indices.push((binder.index, value));
    }
    let setting = Setting { values, indices };
    let name = task.property.name.member(member);
    let kind = match &task.property.kind {
        Kind::Invariant(expr) => Kind::Invariant(setting.expr(expr)),
        Kind::Ltl(formula) => Kind::Ltl(setting.formula(formula)),
        Kind::Ctl(formula) => Kind::Ctl(setting.ctl(formula)),
        Kind::Never(never) => {
            let atoms = never.atoms.iter().map(|atom| setting.expr(atom)).collect();
            Kind::Never(Never { atoms, ..never.clone() })
        }
    };
    let property = Property { name, binders: Vec::new(), kind };
    let fairness =
        Fairness { alternatives: task.fairness.alternatives.iter().map(|a| setting.assumption(a)).collect() };
    // A parameter may be so large that the instance has more processes than allowed.
    Task::new(Arc::new(system), fairness, property).ok()
}

/// The system with these values for its parameters. `None` if there are too few or too many, or one is below its
/// bound.
pub fn system(system: &System, values: &[i64]) -> Option<System> {
    let admissible = |(parameter, value): (&crate::system::Parameter, &i64)| parameter.least <= *value;
    if system.parameters.len() != values.len() || !system.parameters.iter().zip(values).all(admissible) {
        return None;
    }
    let setting = Setting { values, indices: Vec::new() };
    let mut set = system.clone();
    set.parameters.clear();
    for IndexName { scalar, .. } in &mut set.indices {
        *scalar = setting.scalar(scalar);
    }
    for Variable { kind: Type { dimensions, scalar }, initial, .. } in &mut set.variables {
        dimensions.iter_mut().for_each(|span| *span = setting.span(span));
        *scalar = setting.scalar(scalar);
        if let Initial::Among(values) | Initial::Elements(values) = initial {
            values.iter_mut().for_each(|value| *value = setting.expr(value));
        }
    }
    for Family { index, .. } in &mut set.families {
        *index = index.as_ref().map(|binder| setting.binder(binder));
    }
    for action in &mut set.actions {
        action.parameters.iter_mut().for_each(|binder| *binder = setting.binder(binder));
        action.guard = setting.expr(&action.guard);
        action.update = setting.update(&action.update);
    }
    set.init.iter_mut().for_each(|predicate| *predicate = setting.expr(predicate));
    Some(set)
}

/// The expression with its parameters replaced by these values. There must be a value for each.
#[must_use]
pub fn expression(expr: &Expr, values: &[i64]) -> Expr {
    Setting { values, indices: Vec::new() }.expr(expr)
}

/// The values that replace parameters and free indices.
struct Setting<'a> {
    values: &'a [i64],
    indices: Vec<(Index, i64)>,
}

impl Setting<'_> {
    fn expr(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Parameter(id) => Expr::Int(self.values[id.0 as usize]),
            // Every binder has its own index, so no inner binder shadows these.
            Expr::Index(index) => match self.indices.iter().find(|(set, _)| set == index) {
                Some((_, value)) => Expr::Int(*value),
                None => expr.clone(),
            },
            other => other.map(&mut |part| self.expr(part)),
        }
    }

    fn span(&self, span: &Span) -> Span {
        Span { lo: Box::new(self.expr(&span.lo)), hi: Box::new(self.expr(&span.hi)) }
    }

    fn binder(&self, binder: &Binder) -> Binder {
        Binder { index: binder.index, span: self.span(&binder.span) }
    }

    fn scalar(&self, scalar: &Scalar) -> Scalar {
        match scalar {
            Scalar::Range(span) => Scalar::Range(self.span(span)),
            other => other.clone(),
        }
    }

    fn place(&self, place: &Place) -> Place {
        place.map(&mut |part| self.expr(part))
    }

    fn update(&self, update: &Update) -> Update {
        match update {
            Update::Skip => Update::Skip,
            Update::Assign(assignments) => Update::Assign(
                assignments.iter().map(|(place, value)| (self.place(place), self.expr(value))).collect(),
            ),
            Update::Sequence(parts) => Update::Sequence(parts.iter().map(|part| self.update(part)).collect()),
            Update::If(condition, yes, no) => {
                let (yes, no) = (self.update(yes), self.update(no));
                Update::If(self.expr(condition), Box::new(yes), Box::new(no))
            }
            Update::Either(branches) => Update::Either(
                branches.iter().map(|(when, branch)| (self.expr(when), self.update(branch))).collect(),
            ),
            Update::Choose(binder, condition, body) => {
                Update::Choose(self.binder(binder), self.expr(condition), Box::new(self.update(body)))
            }
        }
    }

    fn assumption(&self, assumption: &Assumption) -> Assumption {
        let requirement = |requirement: &Requirement| Requirement {
            word: requirement.word,
            of: requirement.of.as_ref().map(|of| of.map(&mut |part| self.expr(part))),
            binders: requirement.binders.iter().map(|binder| self.binder(binder)).collect(),
            when: self.expr(&requirement.when),
            then: self.expr(&requirement.then),
        };
        Assumption {
            requirements: assumption.requirements.iter().map(requirement).collect(),
            global: assumption.global,
        }
    }

    fn formula(&self, formula: &Formula) -> Formula {
        let part = |part: &Formula| self.formula(part);
        match formula {
            Formula::Atom(atom) => Formula::Atom(self.expr(atom)),
            Formula::Forall(binder, body) => Formula::Forall(self.binder(binder), Box::new(part(body))),
            Formula::Exists(binder, body) => Formula::Exists(self.binder(binder), Box::new(part(body))),
            _ => formula.map(&mut |of| part(of)),
        }
    }

    fn ctl(&self, formula: &Ctl) -> Ctl {
        let part = |part: &Ctl| self.ctl(part);
        match formula {
            Ctl::Atom(atom) => Ctl::Atom(self.expr(atom)),
            Ctl::Forall(binder, body) => Ctl::Forall(self.binder(binder), Box::new(part(body))),
            Ctl::Exists(binder, body) => Ctl::Exists(self.binder(binder), Box::new(part(body))),
            _ => formula.map(&mut |of| part(of)),
        }
    }
}
