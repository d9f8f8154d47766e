//! What a task claims, before any diagram is made, and what the reference semantics says is wrong in a state.

use model::answer::{Counterexample, Position, Site};
use model::fairness::Assumption;
use model::property::Kind;
use model::semantics::{self, Fault};
use model::{ActionId, Answer, Ctl, Expr, Formula, Instance, Path, State, Task, ground};

use super::steps::Predicates;

/// The parts of a task that do not depend on diagrams.
pub(super) struct Claims {
    /// What is claimed, ground.
    pub(super) kind: Kind,
    /// The alternatives of the fairness, ground; none for an invariant.
    pub(super) alternatives: Vec<Assumption>,
}

impl Claims {
    pub(super) fn new(task: &Task, instance: &Instance) -> Claims {
        let kind = ground::kind(instance, &task.property.kind);
        // An invariant is claimed of states, not of fair runs.
        let alternatives = match kind {
            Kind::Invariant(_) => Vec::new(),
            _ => ground::fairness(instance, &task.fairness).alternatives,
        };
        Claims { kind, alternatives }
    }

    /// The atoms of the property.
    pub(super) fn atoms(&self) -> Vec<&Expr> {
        let mut atoms = Vec::new();
        match &self.kind {
            Kind::Invariant(predicate) => atoms.push(predicate),
            Kind::Ltl(formula) => atoms_of(formula, &mut atoms),
            Kind::Ctl(formula) => atoms_of_ctl(formula, &mut atoms),
        }
        atoms
    }
}

/// What is wrong at the end of a path to a state where something is.
pub(super) fn wrong(claims: &Claims, predicates: &Predicates<'_>, instance: &Instance, path: Path) -> Answer {
    let state = &path.last;
    if let Some((site, fault)) = fault_in(predicates, instance, state) {
        return Answer::Fails(Counterexample::Fault { path: Some(path), site, fault });
    }
    assert!(matches!(claims.kind, Kind::Invariant(_)), "the reference semantics sees the fault");
    Answer::Fails(Counterexample::Path(path))
}

/// The first fault in a state.
fn fault_in(predicates: &Predicates<'_>, instance: &Instance, state: &State) -> Option<(Site, Fault)> {
    for action in (0..instance.actions.len() as u32).map(ActionId) {
        if let Err(fault) = semantics::successors(instance, state, action) {
            return Some((Site::Action(action), fault));
        }
    }
    let steps = semantics::steps(instance, state).ok()?;
    for (predicate, site) in &predicates.list {
        for step in &steps {
            let position = Position { state: state.clone(), label: step.label };
            if let Err(fault) = semantics::step_predicate(instance, predicate, &position) {
                return Some((*site, fault));
            }
        }
    }
    None
}

fn atoms_of<'f>(formula: &'f Formula, atoms: &mut Vec<&'f Expr>) {
    match formula {
        Formula::Atom(atom) => atoms.push(atom),
        Formula::Not(a) | Formula::Next(a) | Formula::Finally(a) | Formula::Globally(a) => atoms_of(a, atoms),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| atoms_of(part, atoms)),
        Formula::Implies(a, b) | Formula::Until(a, b) | Formula::WeakUntil(a, b) | Formula::Release(a, b) => {
            [a, b].into_iter().for_each(|part| atoms_of(part, atoms));
        }
        Formula::Forall(_, body) | Formula::Exists(_, body) => atoms_of(body, atoms),
    }
}

fn atoms_of_ctl<'f>(formula: &'f Ctl, atoms: &mut Vec<&'f Expr>) {
    match formula {
        Ctl::Atom(atom) => atoms.push(atom),
        Ctl::Not(a) | Ctl::Next(_, a) | Ctl::Finally(_, a) | Ctl::Globally(_, a) => atoms_of_ctl(a, atoms),
        Ctl::And(parts) | Ctl::Or(parts) => parts.iter().for_each(|part| atoms_of_ctl(part, atoms)),
        Ctl::Implies(a, b) | Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) => {
            [a, b].into_iter().for_each(|part| atoms_of_ctl(part, atoms));
        }
        Ctl::Forall(_, body) | Ctl::Exists(_, body) => atoms_of_ctl(body, atoms),
    }
}
