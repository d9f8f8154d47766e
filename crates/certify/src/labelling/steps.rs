//! The steps of a system on symbolic states.
//!
//! An update is executed on a [`Store`]. At a choice, either every outcome is followed (a choice among all integers
//! gets a variable of its own), or the choices are given by a move of the evidence. Conditions on the way are
//! collected; the conditions of faults go to a separate list. To show that a choice among all integers has a value, we
//! try the bounds in its condition: there is a value if one of them always satisfies it. If none does, there may be a
//! value all the same.

use std::collections::{BTreeMap, BTreeSet};

use arith::{Linear, Overflow, Var};
use model::instance::Environment;
use model::system::Update;
use model::{ActionId, Expr, Index, Instance, Label, semantics};
use smt::Formula;

use super::terms::{ReadError, Reader, Store, Unsupported};
use crate::limits::Limits;

/// A step on symbolic states.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) label: Label,
    /// When it can be taken, over the cells and the chosen integers.
    pub(crate) when: Formula,
    /// The values of the cells afterwards.
    pub(crate) next: Store,
    /// The choices among all integers, in the order of their variables.
    pub(crate) chosen: Vec<Index>,
    /// In a product, the marks of the edge that reads it.
    pub(crate) marks: Vec<usize>,
}

/// A fault that a step may have.
pub(crate) struct Fault {
    pub(crate) when: Formula,
    /// Whether it happens there, and not only may.
    pub(crate) is_sure: bool,
}

/// Limit on the outcomes of a step.
const OUTCOMES: usize = 4096;
/// How many values are tried where one must have a certain rest.
const PERIOD: i128 = 8;
/// The least number of a variable that stands for a quotient.
const QUOTIENTS: u32 = 1 << 30;

/// All steps that leave the states of a store, and the conditions of faults.
pub(crate) fn steps(
    instance: &Instance,
    store: &Store,
    limits: &Limits<'_>,
) -> Result<(Vec<Step>, Vec<Fault>), ReadError> {
    let reader = Reader::new(instance, store, limits);
    let mut steps = Vec::new();
    let mut faults = Vec::new();
    let mut guards = Vec::new();
    for id in (0..instance.actions.len() as u32).map(ActionId) {
        let guard = reader.guard(id)?;
        faults.push(Fault { when: reader.fault(), is_sure: true });
        if guard == Formula::Bool(false) {
            continue;
        }
        guards.push(guard.clone());
        let mut walk = Walk { instance, limits, given: None, faults: Vec::new() };
        for way in walk.action(id, guard, store)? {
            steps.push(way.step(Label::Action(id)));
        }
        faults.append(&mut walk.faults);
        if steps.len() > OUTCOMES {
            return Err(Unsupported("a place with very many steps"));
        }
    }
    let idle = Formula::or(guards).negated();
    if idle != Formula::Bool(false) {
        steps.push(Step {
            label: Label::Idle,
            when: idle,
            next: store.clone(),
            chosen: Vec::new(),
            marks: Vec::new(),
        });
    }
    Ok((steps, faults))
}

/// The steps of an action from the states of a store.
pub(crate) fn outcomes(
    instance: &Instance,
    store: &Store,
    id: ActionId,
    limits: &Limits<'_>,
) -> Result<Vec<Step>, ReadError> {
    let guard = Reader::new(instance, store, limits).guard(id)?;
    let ways = Walk { instance, limits, given: None, faults: Vec::new() }.action(id, guard, store)?;
    Ok(ways.into_iter().map(|way| way.step(Label::Action(id))).collect())
}

/// The step with this label and these choices. Its cases exclude each other, and one of them is taken wherever `when`
/// and what else is known cover it.
pub(crate) fn chosen_step(
    instance: &Instance,
    store: &Store,
    label: Label,
    choices: &[Expr],
    limits: &Limits<'_>,
) -> Result<Vec<Step>, ReadError> {
    let reader = Reader::new(instance, store, limits);
    let Label::Action(id) = label else {
        let mut guards = Vec::new();
        for id in (0..instance.actions.len() as u32).map(ActionId) {
            guards.push(reader.guard(id)?);
        }
        let when = Formula::or(guards).negated();
        return Ok(vec![Step { label, when, next: store.clone(), chosen: Vec::new(), marks: Vec::new() }]);
    };
    let mut given = Vec::new();
    for choice in choices {
        match reader.total(choice)?.as_slice() {
            [(Formula::Bool(true), term)] => given.push(term.clone()),
            _ => return Err(Unsupported("a choice in several cases")),
        }
    }
    let mut walk = Walk { instance, limits, given: Some(given), faults: Vec::new() };
    let ways = walk.action(id, reader.guard(id)?, store)?;
    Ok(ways.into_iter().map(|way| way.step(label)).collect())
}

/// An update that has been executed up to some point.
#[derive(Clone)]
struct PartialStep {
    when: Formula,
    store: Store,
    /// The choices that got variables.
    fresh: Vec<Index>,
    /// The number of given choices that have been used.
    used: usize,
}

impl PartialStep {
    fn step(self, label: Label) -> Step {
        Step { label, when: self.when, next: self.store, chosen: self.fresh, marks: Vec::new() }
    }
}

struct Walk<'a> {
    instance: &'a Instance,
    limits: &'a Limits<'a>,
    /// The choices, if they are given.
    given: Option<Vec<Linear>>,
    faults: Vec<Fault>,
}

impl Walk<'_> {
    fn action(&mut self, id: ActionId, guard: Formula, store: &Store) -> Result<Vec<PartialStep>, ReadError> {
        let action = self.instance.action(id);
        let update = &self.instance.system.actions[action.action].update;
        let begin = PartialStep { when: guard, store: store.clone(), fresh: Vec::new(), used: 0 };
        let mut ways = self.update(update, begin, &mut action.environment.clone())?;
        // If a given choice was not used, it belongs to another outcome.
        if let Some(given) = &self.given {
            ways.retain(|way| way.used == given.len());
        }
        Ok(ways)
    }

    fn reader<'s>(&'s self, store: &'s Store) -> Reader<'s> {
        Reader::new(self.instance, store, self.limits)
    }

    /// The truth of a condition on the way. Its faults are noted.
    fn condition(
        &mut self,
        condition: &Expr,
        when: &Formula,
        store: &Store,
        environment: &mut Environment,
    ) -> Result<Formula, ReadError> {
        let reader = self.reader(store);
        let truth = reader.truth(condition, environment)?;
        let fault = Formula::and([when.clone(), reader.fault()]);
        self.fault(fault);
        Ok(truth)
    }

    fn update(
        &mut self,
        update: &Update,
        way: PartialStep,
        environment: &mut Environment,
    ) -> Result<Vec<PartialStep>, ReadError> {
        self.limits.check()?;
        if way.when == Formula::Bool(false) {
            return Ok(Vec::new());
        }
        match update {
            Update::Skip => Ok(vec![way]),
            Update::Assign(assignments) => self.assign(assignments, &way, environment),
            Update::Sequence(updates) => {
                let mut ways = vec![way];
                for update in updates {
                    let mut next = Vec::new();
                    for way in ways {
                        next.extend(self.update(update, way, environment)?);
                    }
                    ways = bounded(next)?;
                }
                Ok(ways)
            }
            Update::If(condition, yes, no) => {
                let condition = self.condition(condition, &way.when, &way.store, environment)?;
                let mut ways = self.update(yes, narrowed(&way, &condition), environment)?;
                ways.extend(self.update(no, narrowed(&way, &condition.negated()), environment)?);
                bounded(ways)
            }
            Update::Either(branches) => {
                let mut conditions = Vec::new();
                for (condition, _) in branches {
                    conditions.push(self.condition(condition, &way.when, &way.store, environment)?);
                }
                let none = Formula::or(conditions.iter().cloned()).negated();
                self.fault(Formula::and([way.when.clone(), none]));
                let wanted = self.position(&way)?;
                let mut ways = Vec::new();
                for (number, ((_, branch), condition)) in branches.iter().zip(&conditions).enumerate() {
                    if wanted.is_none_or(|wanted| wanted == number as i128) {
                        let mut narrowed = narrowed(&way, condition);
                        narrowed.used += usize::from(wanted.is_some());
                        ways.extend(self.update(branch, narrowed, environment)?);
                    }
                }
                bounded(ways)
            }
            Update::Choose(binder, condition, body) if binder.span.is_endless() => {
                let variable = Linear::var(Var((self.instance.cells.len() + way.fresh.len()) as u32));
                let mut open = way.clone();
                open.store.chosen.push((binder.index, variable));
                let asked = self.condition(condition, &way.when, &open.store, environment)?;
                let when = Formula::and([way.when.clone(), self.no_suggested_value(&way, &asked)?]);
                self.faults.push(Fault { when, is_sure: false });
                let next = if self.given.is_some() {
                    let Some(term) = self.next_choice(&way) else { return Ok(Vec::new()) };
                    let mut next = way.clone();
                    next.store.chosen.push((binder.index, term));
                    next.used += 1;
                    let admissible = self.reader(&next.store).truth(condition, environment)?;
                    narrowed(&next, &admissible)
                } else {
                    let mut next = narrowed(&open, &asked);
                    next.fresh.push(binder.index);
                    next
                };
                let mut ways = self.update(body, next, environment)?;
                ways.iter_mut().for_each(|way| drop(way.store.chosen.pop()));
                Ok(ways)
            }
            Update::Choose(binder, condition, body) => {
                let ends = semantics::rigid(&binder.span.lo, environment)
                    .and_then(|lo| Ok((lo, semantics::rigid(&binder.span.hi, environment)?)));
                let (lo, hi) = ends.map_err(|_| Unsupported("a range that has no value"))?;
                if hi >= lo && hi.abs_diff(lo) > OUTCOMES as u64 {
                    return Err(Unsupported("a choice in a long range"));
                }
                let wanted = self.position(&way)?;
                let mut ways = Vec::new();
                let mut admissible = Vec::new();
                for value in lo..=hi {
                    environment.bind(binder.index, value);
                    let condition = self.condition(condition, &way.when, &way.store, environment);
                    let result = condition.and_then(|condition| {
                        admissible.push(condition.clone());
                        if wanted.is_some_and(|wanted| wanted != i128::from(value)) {
                            return Ok(Vec::new());
                        }
                        let mut narrowed = narrowed(&way, &condition);
                        narrowed.used += usize::from(wanted.is_some());
                        self.update(body, narrowed, environment)
                    });
                    environment.unbind();
                    ways.extend(result?);
                }
                self.fault(Formula::and([way.when.clone(), Formula::or(admissible).negated()]));
                bounded(ways)
            }
        }
    }

    fn assign(
        &mut self,
        assignments: &[(model::Place, Expr)],
        way: &PartialStep,
        environment: &mut Environment,
    ) -> Result<Vec<PartialStep>, ReadError> {
        let mut outcomes: Vec<(Formula, Vec<(usize, Linear)>)> = vec![(way.when.clone(), Vec::new())];
        for (place, expr) in assignments {
            let reader = self.reader(&way.store);
            let cells = reader.cells(place, environment)?;
            let cases = reader.value(expr, environment)?;
            let fault = Formula::and([way.when.clone(), reader.fault()]);
            let mut next = Vec::new();
            for (when, writes) in &outcomes {
                for (here, cell) in &cells {
                    for (case, term) in &cases {
                        let mut writes = writes.clone();
                        writes.push((*cell, term.clone()));
                        next.push((Formula::and([when.clone(), here.clone(), case.clone()]), writes));
                    }
                }
            }
            self.fault(fault);
            outcomes = bounded(next)?;
        }
        let mut ways = Vec::new();
        for (mut when, writes) in outcomes {
            let mut next = way.clone();
            for (cell, term) in writes {
                let domain = self.instance.cells[cell].domain;
                if !domain.is_unbounded() {
                    let fits = Formula::try_and([
                        Formula::le(&Linear::constant(i128::from(domain.lo)), &term),
                        Formula::le(&term, &Linear::constant(i128::from(domain.hi))),
                    ])?;
                    self.fault(Formula::and([when.clone(), fits.negated()]));
                    when = Formula::and([when, fits]);
                }
                next.store.cells[cell] = term;
            }
            if when != Formula::Bool(false) {
                ways.push(PartialStep { when, ..next });
            }
        }
        Ok(ways)
    }

    /// The next given choice.
    fn next_choice(&self, way: &PartialStep) -> Option<Linear> {
        self.given.as_ref()?.get(way.used).cloned()
    }

    /// The next given choice as a number; `None` if choices are not given.
    fn position(&self, way: &PartialStep) -> Result<Option<i128>, ReadError> {
        if self.given.is_none() {
            return Ok(None);
        }
        // If a choice is missing, no outcome is right.
        let Some(term) = self.next_choice(way) else { return Ok(Some(i128::MIN)) };
        term.as_constant()
            .map(Some)
            .ok_or(Unsupported("a choice among listed values that depends on the state"))
    }

    fn fault(&mut self, when: Formula) {
        self.faults.push(Fault { when, is_sure: true });
    }

    /// The condition that no value that a condition suggests for the next variable satisfies it.
    ///
    /// A bound `c·v <= t` suggests values near the quotient of t by c, rounded down. The quotient is a variable of its own,
    /// which the condition determines.
    fn no_suggested_value(&self, way: &PartialStep, condition: &Formula) -> Result<Formula, Overflow> {
        let variable = Var((self.instance.cells.len() + way.fresh.len()) as u32);
        if !condition.vars().contains(&variable) {
            return Ok(condition.negated());
        }
        let mut atoms = BTreeSet::new();
        condition.collect_atoms(&mut atoms);
        let mut quotients: BTreeMap<(Linear, i128), Linear> = BTreeMap::new();
        let mut candidates = BTreeSet::from([Linear::default()]);
        for atom in &atoms {
            let (term, period) = match atom {
                Formula::AtMost(term) | Formula::Zero(term) => (term, 1),
                Formula::Divides(number, term, _) => (term, (*number).min(PERIOD)),
                _ => continue,
            };
            let coefficient = term.coefficient(variable);
            if coefficient == 0 {
                continue;
            }
            // c·v + r == 0 at v == -r / c.
            let size = coefficient.checked_abs().ok_or(Overflow)?;
            let dividend = term.without(variable).times(-coefficient.signum())?;
            let bound = if size == 1 {
                dividend
            } else {
                let number = QUOTIENTS + quotients.len() as u32;
                quotients.entry((dividend, size)).or_insert_with(|| Linear::var(Var(number))).clone()
            };
            for distance in -1..=period {
                candidates.insert(bound.shifted(distance)?);
            }
        }
        let mut parts = Vec::new();
        for ((dividend, size), quotient) in &quotients {
            let multiple = quotient.times(*size)?;
            parts.push(Formula::le(&multiple, dividend)?);
            parts.push(Formula::le(dividend, &multiple.shifted(size - 1)?)?);
        }
        for candidate in &candidates {
            parts.push(condition.replaced(&|var| (var == variable).then_some(candidate))?.negated());
        }
        Ok(Formula::and(parts))
    }
}

fn narrowed(way: &PartialStep, condition: &Formula) -> PartialStep {
    PartialStep { when: Formula::and([way.when.clone(), condition.clone()]), ..way.clone() }
}

fn bounded<T>(ways: Vec<T>) -> Result<Vec<T>, ReadError> {
    if ways.len() > OUTCOMES { Err(Unsupported("a step with very many outcomes")) } else { Ok(ways) }
}
