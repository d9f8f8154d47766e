//! What fairness and property see of a step.
//!
//! A step predicate becomes a set of steps ([`Steps`]), and a requirement a pair of them, `when` and `then`. Those of
//! actions and processes are made from the guards.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use model::answer::Site;
use model::fairness::{Assumption, Word};
use model::instance::Environment;
use model::{ActionId, Expr, Instance, Pattern, Requirement, ground};

use super::system::System;
use crate::bdd::Bdd;
use crate::encoding::Stop;
use crate::encoding::expression::Expressions;
use crate::events::{collect_events, decide, taken};
use crate::regions::{Demand, Steps};

/// The step predicates of a task, and which actions they tell apart.
pub(super) struct Predicates<'t> {
    /// The predicates, with the place where a fault in them happens.
    pub(super) list: Vec<(&'t Expr, Site)>,
    events: Vec<&'t Pattern>,
    /// What each event says of each action; the last entry is that of `idle`.
    meanings: Vec<Vec<Expr>>,
    /// The requirements of actions, with the numbers of these actions.
    of_actions: Vec<Vec<ActionId>>,
}

impl<'t> Predicates<'t> {
    /// The predicates in `property`, and the requirements of a ground fairness.
    pub(super) fn new(
        instance: &Instance,
        property: Vec<&'t Expr>,
        alternatives: &'t [Assumption],
    ) -> Predicates<'t> {
        let mut list: Vec<(&Expr, Site)> = property.into_iter().map(|expr| (expr, Site::Property)).collect();
        let mut of_actions = Vec::new();
        for requirement in alternatives.iter().flat_map(|assumption| &assumption.requirements) {
            match instance.actions_of(requirement) {
                Some(actions) => of_actions.push(actions),
                None => list.extend([&requirement.when, &requirement.then].map(|e| (e, Site::Fairness))),
            }
        }
        let mut events = Vec::new();
        list.iter().for_each(|(expr, _)| collect_events(expr, &mut events));
        let say = |action| events.iter().map(|event| taken(instance, event, action)).collect();
        let meanings = instance.actions.iter().map(Some).chain([None]).map(say).collect();
        Predicates { list, events, meanings, of_actions }
    }

    /// Per action, by what the task tells it from others: the requirements about it, what events say of it.
    pub(super) fn kinds(&self) -> Vec<(Vec<usize>, usize)> {
        let mut known: HashMap<&[Expr], usize> = HashMap::new();
        let mut kinds = Vec::new();
        for meaning in &self.meanings {
            let next = known.len();
            kinds.push((Vec::new(), *known.entry(meaning).or_insert(next)));
        }
        for (number, actions) in self.of_actions.iter().enumerate() {
            actions.iter().for_each(|action| kinds[action.0 as usize].0.push(number));
        }
        kinds
    }
}

/// Turns the step predicates of a task into sets of steps.
pub(super) struct Meanings<'e, 'a, 't> {
    pub(super) expressions: &'e Expressions<'a>,
    pub(super) system: &'e System<'a>,
    pub(super) predicates: &'e Predicates<'t>,
    known: RefCell<HashMap<Expr, (Bdd, Bdd)>>,
}

impl<'e, 'a, 't> Meanings<'e, 'a, 't> {
    pub(super) fn new(
        expressions: &'e Expressions<'a>,
        system: &'e System<'a>,
        predicates: &'e Predicates<'t>,
    ) -> Meanings<'e, 'a, 't> {
        Meanings { expressions, system, predicates, known: RefCell::default() }
    }

    /// The states where some predicate of the task faults, on a step that there is.
    pub(super) fn fault(&self) -> Result<Bdd, Stop> {
        let table = self.system.table;
        let mut faults = Vec::new();
        for (predicate, _) in &self.predicates.list {
            if !is_event(predicate) {
                faults.push(self.truth(predicate)?.1);
                continue;
            }
            for (number, group) in self.system.diagrams.groups.iter().enumerate() {
                let (_, fault) = self.truth(&self.decided(predicate, number))?;
                faults.push(table.and(&fault, &group.enabled)?);
            }
        }
        Ok(table.any(faults)?)
    }

    /// The steps of which a predicate is true. It must be made of the events of the task.
    pub(super) fn steps(&self, predicate: &Expr) -> Result<Steps, Stop> {
        let table = self.system.table;
        if !is_event(predicate) {
            return Steps::new(table, self.truth(predicate)?.0, BTreeMap::new());
        }
        let idle = self.system.groups.len() - 1;
        let (otherwise, _) = self.truth(&self.decided(predicate, idle))?;
        let mut at = BTreeMap::new();
        for group in 0..idle {
            let (set, _) = self.truth(&self.decided(predicate, group))?;
            if set != otherwise {
                at.insert(group, set);
            }
        }
        Steps::new(table, otherwise, at)
    }

    /// What a requirement demands.
    pub(super) fn demand(&self, requirement: &Requirement) -> Result<Demand, Stop> {
        let table = self.system.table;
        let Some(actions) = self.system.instance.actions_of(requirement) else {
            return self.pair(&requirement.when, &requirement.then);
        };
        let guards = actions.iter().map(|action| self.system.guards[action.0 as usize].clone()).collect();
        let enabled = table.any(guards)?;
        let about =
            |group: &super::system::Group| group.actions.iter().any(|action| actions.contains(action));
        let groups = self.system.groups.iter().enumerate().filter(|(_, group)| about(group));
        let taken: BTreeMap<usize, Bdd> = groups.map(|(number, _)| (number, table.always())).collect();
        let (when, otherwise) = match requirement.word {
            Word::Weak => (None, table.not(&enabled)?),
            Word::Strong => (Some(Steps::new(table, enabled, BTreeMap::new())?), table.never()),
            _ => (None, table.never()),
        };
        Ok(Demand { when, then: Steps::new(table, otherwise, taken)? })
    }

    /// The demand `GF when -> GF then`.
    pub(super) fn pair(&self, when: &Expr, then: &Expr) -> Result<Demand, Stop> {
        let when = if *when == Expr::Bool(true) { None } else { Some(self.steps(when)?) };
        Ok(Demand { when, then: self.steps(then)? })
    }

    /// A step predicate on the steps of a group, as a state predicate.
    fn decided(&self, predicate: &Expr, group: usize) -> Expr {
        let Predicates { events, meanings, .. } = self.predicates;
        let actions = &self.system.groups[group].actions;
        let meaning = actions.first().map_or(meanings.len() - 1, |action| action.0 as usize);
        let say = |pattern: &Pattern| {
            events.iter().position(|event| *event == pattern).map(|event| meanings[meaning][event].clone())
        };
        ground::expression(self.system.instance, &decide(predicate, &say), &mut Environment::default())
    }

    fn truth(&self, predicate: &Expr) -> Result<(Bdd, Bdd), Stop> {
        if let Some(known) = self.known.borrow().get(predicate) {
            return Ok(known.clone());
        }
        let truth = self.expressions.predicate(predicate)?;
        self.known.borrow_mut().insert(predicate.clone(), truth.clone());
        Ok(truth)
    }
}

fn is_event(predicate: &Expr) -> bool {
    predicate.any(&mut |part| matches!(part, Expr::Taken(_)))
}
