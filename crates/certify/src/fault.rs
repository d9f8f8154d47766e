//! Judges faults: whether evaluating the site of a fault at the end of the path has exactly this fault.
//!
//! An action faults if its guard or its update does. A property or a fairness assumption faults in a state if one of
//! its atoms does, on some step that leaves the state and for some values of the indices around it. Each atom counts
//! alone, whatever the rest of the formula says. An invariant is about states and not about fair runs, so fairness is
//! ignored for it. A fault in `init` has no path: the initial states are enumerated again until it happens, which costs
//! as much as it cost the engine.

use std::ops::ControlFlow;
use std::slice;

use model::answer::Site;
use model::initial::initial_states;
use model::instance::{ActionId, Cell, Environment, Instance, Start};
use model::property::Kind;
use model::{
    Binder, Ctl, Expr, Fault, Formula, Label, Path, Position, State, StopReason, Task, semantics, show,
};

use crate::choices::each_choice;
use crate::end::End;
use crate::flaw::Flaw;
use crate::limits::Limits;
use crate::replay::Replay;

/// Whether `fault` happens at `site` after `path`.
pub(crate) fn occurs(
    replay: &Replay<'_>,
    task: &Task,
    path: Option<&Path>,
    site: Site,
    fault: &Fault,
) -> Result<(), End> {
    let Replay { instance, limits, .. } = *replay;
    let name = match site {
        Site::Init => "`init`".to_owned(),
        Site::Action(action) if (action.0 as usize) < instance.actions.len() => {
            format!("action {}", show::label(instance, Label::Action(action)))
        }
        Site::Action(action) => format!("action number {}, which does not exist", action.0),
        Site::Property => "the property".to_owned(),
        Site::Fairness => "the fairness".to_owned(),
    };
    let found = match (site, path) {
        // It means that outcomes cannot be listed, which is not an event of the model.
        _ if *fault == Fault::EndlessChoice => false,
        (Site::Init, None) => in_init(instance, fault, limits)?,
        (Site::Init, Some(_)) | (_, None) => return Err(Flaw::MisplacedPath { site: name }.into()),
        (_, Some(path)) => {
            replay.path(path)?;
            in_last(task, instance, &path.last, site, fault, limits)?
        }
    };
    if found { Ok(()) } else { Err(Flaw::NoSuchFault { fault: fault.clone(), site: name }.into()) }
}

fn in_init(instance: &Instance, fault: &Fault, limits: &Limits<'_>) -> Result<bool, StopReason> {
    // If a cell may hold any integer, the enumeration does not end, so no engine has done it.
    let endless = |(cell, start): (&Cell, &Start)| cell.domain.is_unbounded() && *start == Start::Any;
    if instance.cells.iter().zip(&instance.starts).any(endless) {
        return Ok(false);
    }
    for state in initial_states(instance) {
        limits.check()?;
        if state.as_ref() == Err(fault) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn in_last(
    task: &Task,
    instance: &Instance,
    state: &State,
    site: Site,
    fault: &Fault,
    limits: &Limits<'_>,
) -> Result<bool, StopReason> {
    if let Site::Action(action) = site {
        return Ok((action.0 as usize) < instance.actions.len()
            && semantics::successors(instance, state, action).as_ref() == Err(fault));
    }
    let search = Search { instance, state, positions: positions(instance, state, limits)?, fault, limits };
    let environment = &mut Environment::default();
    match (site, &task.property.kind) {
        (Site::Fairness, Kind::Invariant(_)) => Ok(false),
        (Site::Fairness, _) => search.in_fairness(task),
        (_, Kind::Invariant(predicate)) => Ok(search.in_state(predicate, environment)),
        (_, Kind::Ltl(formula)) => search.in_formula(formula, environment),
        (_, Kind::Ctl(formula)) => search.in_ctl(formula, environment),
        (_, Kind::Never(never)) => any(&never.atoms, |atom| search.on_a_step(atom, environment)),
    }
}

/// The state with the label of each step that leaves it.
fn positions(instance: &Instance, state: &State, limits: &Limits<'_>) -> Result<Vec<Position>, StopReason> {
    // Another action may fault in this state too. That is not a step.
    let mut outcomes = Vec::new();
    for action in (0..instance.actions.len() as u32).map(ActionId) {
        limits.check()?;
        outcomes.push((action, semantics::successors(instance, state, action)));
    }
    let deadlock = outcomes.iter().all(|(_, result)| result.as_ref().is_ok_and(Vec::is_empty));
    let taken =
        outcomes.iter().filter(|(_, result)| result.as_ref().is_ok_and(|targets| !targets.is_empty()));
    let labels = taken.map(|(action, _)| Label::Action(*action)).chain(deadlock.then_some(Label::Idle));
    Ok(labels.map(|label| Position { state: state.clone(), label }).collect())
}

/// Looks for a fault in the atoms of a formula or assumption, in one state and on the steps that leave it.
struct Search<'a> {
    instance: &'a Instance,
    state: &'a State,
    positions: Vec<Position>,
    fault: &'a Fault,
    limits: &'a Limits<'a>,
}

impl Search<'_> {
    fn in_state(&self, predicate: &Expr, environment: &mut Environment) -> bool {
        semantics::evaluate(self.instance, predicate, self.state, environment).as_ref() == Err(self.fault)
    }

    fn on_a_step(&self, predicate: &Expr, environment: &mut Environment) -> Result<bool, StopReason> {
        // If every action faults, no step leaves the state, but a predicate of the state can still be evaluated.
        if !predicate.any(&mut |expr| matches!(expr, Expr::Taken(_))) {
            self.limits.check()?;
            return Ok(self.in_state(predicate, environment));
        }
        any(&self.positions, |position| {
            self.limits.check()?;
            let truth = semantics::step_predicate_in(self.instance, predicate, position, environment);
            Ok(truth.as_ref() == Err(self.fault))
        })
    }

    fn in_formula(&self, formula: &Formula, environment: &mut Environment) -> Result<bool, StopReason> {
        match formula {
            Formula::Atom(atom) => self.on_a_step(atom, environment),
            Formula::Not(a)
            | Formula::Next(a)
            | Formula::Finally(a)
            | Formula::Globally(a)
            | Formula::Previous(a)
            | Formula::Once(a)
            | Formula::Historically(a) => self.in_formula(a, environment),
            Formula::And(parts) | Formula::Or(parts) => any(parts, |part| self.in_formula(part, environment)),
            Formula::Implies(a, b)
            | Formula::Until(a, b)
            | Formula::WeakUntil(a, b)
            | Formula::Release(a, b)
            | Formula::Since(a, b) => {
                Ok(self.in_formula(a, environment)? || self.in_formula(b, environment)?)
            }
            Formula::Forall(binder, body) | Formula::Exists(binder, body) => {
                any_choice(slice::from_ref(binder), environment, |inner| self.in_formula(body, inner))
            }
        }
    }

    fn in_ctl(&self, formula: &Ctl, environment: &mut Environment) -> Result<bool, StopReason> {
        match formula {
            Ctl::Atom(atom) => {
                self.limits.check()?;
                Ok(self.in_state(atom, environment))
            }
            Ctl::Not(a) | Ctl::Next(_, a) | Ctl::Finally(_, a) | Ctl::Globally(_, a) => {
                self.in_ctl(a, environment)
            }
            Ctl::And(parts) | Ctl::Or(parts) | Ctl::Infinitely(_, parts) => {
                any(parts, |part| self.in_ctl(part, environment))
            }
            Ctl::Implies(a, b) | Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) => {
                Ok(self.in_ctl(a, environment)? || self.in_ctl(b, environment)?)
            }
            Ctl::Forall(binder, body) | Ctl::Exists(binder, body) => {
                any_choice(slice::from_ref(binder), environment, |inner| self.in_ctl(body, inner))
            }
        }
    }

    fn in_fairness(&self, task: &Task) -> Result<bool, StopReason> {
        let requirements = task.fairness.alternatives.iter().flat_map(|a| &a.requirements);
        any(requirements, |requirement| {
            any_choice(&requirement.binders, &mut Environment::default(), |environment| {
                Ok(self.on_a_step(&requirement.when, environment)?
                    || self.on_a_step(&requirement.then, environment)?)
            })
        })
    }
}

/// Whether a test is true for some element.
fn any<T>(
    things: impl IntoIterator<Item = T>,
    mut test: impl FnMut(T) -> Result<bool, StopReason>,
) -> Result<bool, StopReason> {
    for thing in things {
        if test(thing)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a test is true for some choice of values for binders. There is none if a range has no ends.
fn any_choice(
    binders: &[Binder],
    environment: &mut Environment,
    mut test: impl FnMut(&mut Environment) -> Result<bool, StopReason>,
) -> Result<bool, StopReason> {
    let found = each_choice(binders, environment, &mut |inner| match test(inner) {
        Ok(false) => ControlFlow::Continue(()),
        found_or_stopped => ControlFlow::Break(found_or_stopped),
    });
    match found {
        Err(_) | Ok(ControlFlow::Continue(())) => Ok(false),
        Ok(ControlFlow::Break(found_or_stopped)) => found_or_stopped,
    }
}
