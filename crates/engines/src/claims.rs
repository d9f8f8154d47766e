//! The claims of a task, before any diagram is made, and the search for what is wrong in a given state.

use model::answer::{Counterexample, Position, Site};
use model::fairness::Assumption;
use model::property::Kind;
use model::semantics::{self, Fault};
use model::{ActionId, Answer, Expr, Instance, Path, State, Task, ground};

/// The parts of a task that do not depend on diagrams.
pub(crate) struct Claims {
    /// The ground property.
    pub(crate) kind: Kind,
    /// The ground alternatives of the fairness; none for an invariant.
    pub(crate) alternatives: Vec<Assumption>,
}

impl Claims {
    pub(crate) fn new(task: &Task, instance: &Instance) -> Claims {
        let kind = ground::kind(instance, &task.property.kind);
        // An invariant is a claim about states, not about fair runs.
        let alternatives = match kind {
            Kind::Invariant(_) => Vec::new(),
            _ => ground::fairness(instance, &task.fairness).alternatives,
        };
        Claims { kind, alternatives }
    }

    /// The atoms of the property.
    pub(crate) fn atoms(&self) -> Vec<&Expr> {
        self.kind.atoms()
    }
}

/// The counterexample at the end of a path to a state in which something should be wrong. `None` if the reference
/// semantics finds nothing wrong there.
pub(crate) fn wrong(
    claims: &Claims,
    predicates: &[(&Expr, Site)],
    instance: &Instance,
    path: Path,
) -> Option<Answer> {
    let state = &path.last;
    if let Some((site, fault)) = fault_in(predicates, instance, state) {
        return Some(Answer::Fails(Counterexample::Fault { path: Some(path), site, fault }));
    }
    matches!(claims.kind, Kind::Invariant(_)).then(|| Answer::Fails(Counterexample::Path(path)))
}

/// The first fault in a state.
fn fault_in(predicates: &[(&Expr, Site)], instance: &Instance, state: &State) -> Option<(Site, Fault)> {
    for action in (0..instance.actions.len() as u32).map(ActionId) {
        if let Err(fault) = semantics::successors(instance, state, action) {
            return Some((Site::Action(action), fault));
        }
    }
    let steps = semantics::steps(instance, state).ok()?;
    for (predicate, site) in predicates {
        for step in &steps {
            let position = Position { state: state.clone(), label: step.label };
            if let Err(fault) = semantics::step_predicate(instance, predicate, &position) {
                return Some((*site, fault));
            }
        }
    }
    None
}
