//! Judges faults: whether evaluating the site of a fault, at the end of the path, has this very fault.
//!
//! An action faults where its guard or its update does. A property or a fairness assumption faults in a state
//! if one of its atoms does, on some step that leaves the state and for some values of the indices around
//! it; atoms count one by one, whatever the rest of the formula says. An invariant is claimed of states and
//! not of fair runs, so fairness has no part in it. A fault in `init` has no path: the initial states are
//! enumerated again until it happens, which costs what it cost the engine.

use model::answer::Site;
use model::initial::initial_states;
use model::instance::{ActionId, Cell, Environment, Instance, Start};
use model::property::Kind;
use model::{Binder, Ctl, Expr, Fault, Formula, Label, Path, Position, State, Task, semantics, show};

use crate::choices::choices;
use crate::flaw::Flaw;
use crate::replay;

/// Whether `fault` happens at `site` after `path`.
pub(crate) fn occurs(
    task: &Task,
    instance: &Instance,
    path: Option<&Path>,
    site: Site,
    fault: &Fault,
) -> Result<(), Flaw> {
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
        // That outcomes cannot be listed is no event of the model.
        _ if *fault == Fault::EndlessChoice => false,
        (Site::Init, None) => in_init(instance, fault),
        (Site::Init, Some(_)) | (_, None) => return Err(Flaw::MisplacedPath { site: name }),
        (_, Some(path)) => {
            replay::path(instance, path)?;
            in_last(task, instance, &path.last, site, fault)
        }
    };
    if found { Ok(()) } else { Err(Flaw::NoSuchFault { fault: fault.clone(), site: name }) }
}

fn in_init(instance: &Instance, fault: &Fault) -> bool {
    // Where a cell may hold any integer the enumeration does not end, so no engine has made it.
    let endless = |(cell, start): (&Cell, &Start)| cell.domain.is_unbounded() && *start == Start::Any;
    !instance.cells.iter().zip(&instance.starts).any(endless)
        && initial_states(instance).any(|state| state.as_ref() == Err(fault))
}

fn in_last(task: &Task, instance: &Instance, state: &State, site: Site, fault: &Fault) -> bool {
    if let Site::Action(action) = site {
        return (action.0 as usize) < instance.actions.len()
            && semantics::successors(instance, state, action).as_ref() == Err(fault);
    }
    let search = Search { instance, state, positions: positions(instance, state), fault };
    let environment = &mut Environment::default();
    match (site, &task.property.kind) {
        (Site::Fairness, Kind::Invariant(_)) => false,
        (Site::Fairness, _) => search.in_fairness(task),
        (_, Kind::Invariant(predicate)) => search.in_state(predicate, environment),
        (_, Kind::Ltl(formula)) => search.in_formula(formula, environment),
        (_, Kind::Ctl(formula)) => search.in_ctl(formula, environment),
        (_, Kind::Never(never)) => never.atoms.iter().any(|atom| search.on_a_step(atom, environment)),
    }
}

/// The state with the label of each step that leaves it.
fn positions(instance: &Instance, state: &State) -> Vec<Position> {
    let actions = (0..instance.actions.len() as u32).map(ActionId);
    // Another action may fault in this state too; that is no step.
    let outcomes: Vec<_> = actions.map(|a| (a, semantics::successors(instance, state, a))).collect();
    let deadlock = outcomes.iter().all(|(_, result)| result.as_ref().is_ok_and(Vec::is_empty));
    let taken =
        outcomes.iter().filter(|(_, result)| result.as_ref().is_ok_and(|targets| !targets.is_empty()));
    let labels = taken.map(|(action, _)| Label::Action(*action)).chain(deadlock.then_some(Label::Idle));
    labels.map(|label| Position { state: state.clone(), label }).collect()
}

/// Looks for a fault among the atoms of something, in one state and on the steps that leave it.
struct Search<'a> {
    instance: &'a Instance,
    state: &'a State,
    positions: Vec<Position>,
    fault: &'a Fault,
}

impl Search<'_> {
    fn in_state(&self, predicate: &Expr, environment: &mut Environment) -> bool {
        semantics::evaluate(self.instance, predicate, self.state, environment).as_ref() == Err(self.fault)
    }

    fn on_a_step(&self, predicate: &Expr, environment: &mut Environment) -> bool {
        // Where every action faults no step leaves the state, but a predicate of the state can be evaluated.
        if !predicate.any(&mut |expr| matches!(expr, Expr::Taken(_))) {
            return self.in_state(predicate, environment);
        }
        self.positions.iter().any(|position| {
            let truth = semantics::step_predicate_in(self.instance, predicate, position, environment);
            truth.as_ref() == Err(self.fault)
        })
    }

    fn in_formula(&self, formula: &Formula, environment: &mut Environment) -> bool {
        match formula {
            Formula::Atom(atom) => self.on_a_step(atom, environment),
            Formula::Not(a) | Formula::Next(a) | Formula::Finally(a) | Formula::Globally(a) => {
                self.in_formula(a, environment)
            }
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().any(|part| self.in_formula(part, environment))
            }
            Formula::Implies(a, b)
            | Formula::Until(a, b)
            | Formula::WeakUntil(a, b)
            | Formula::Release(a, b) => self.in_formula(a, environment) || self.in_formula(b, environment),
            Formula::Forall(binder, body) | Formula::Exists(binder, body) => {
                any_choice(std::slice::from_ref(binder), environment, |inner| self.in_formula(body, inner))
            }
        }
    }

    fn in_ctl(&self, formula: &Ctl, environment: &mut Environment) -> bool {
        match formula {
            Ctl::Atom(atom) => self.in_state(atom, environment),
            Ctl::Not(a) | Ctl::Next(_, a) | Ctl::Finally(_, a) | Ctl::Globally(_, a) => {
                self.in_ctl(a, environment)
            }
            Ctl::And(parts) | Ctl::Or(parts) => parts.iter().any(|part| self.in_ctl(part, environment)),
            Ctl::Implies(a, b) | Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) => {
                self.in_ctl(a, environment) || self.in_ctl(b, environment)
            }
            Ctl::Forall(binder, body) | Ctl::Exists(binder, body) => {
                any_choice(std::slice::from_ref(binder), environment, |inner| self.in_ctl(body, inner))
            }
        }
    }

    fn in_fairness(&self, task: &Task) -> bool {
        let requirements = task.fairness.alternatives.iter().flat_map(|a| &a.requirements);
        requirements.into_iter().any(|requirement| {
            any_choice(&requirement.binders, &Environment::default(), |environment| {
                self.on_a_step(&requirement.when, environment)
                    || self.on_a_step(&requirement.then, environment)
            })
        })
    }
}

fn any_choice(
    binders: &[Binder],
    outer: &Environment,
    mut test: impl FnMut(&mut Environment) -> bool,
) -> bool {
    choices(binders, outer)
        .is_ok_and(|environments| environments.into_iter().any(|mut inner| test(&mut inner)))
}
