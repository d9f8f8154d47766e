//! The steps of a system, prepared for very many states.
//!
//! Guards, updates and step predicates become [terms](super::terms) once. A state is then expanded without looking at
//! the model again, except where a term has no value: there [`model::semantics`] decides, and reports the fault if
//! there is one.

use model::answer::{Label, Position, State};
use model::instance::Environment;
use model::semantics;
use model::{ActionId, Expr, Fault, Instance, Update};

use super::terms::{Moment, Term, Where, located, term, unrolled, values};

/// A system whose actions are prepared.
pub(super) struct Prepared<'a> {
    pub(super) instance: &'a Instance,
    guards: Vec<Term>,
    updates: Vec<Effect>,
}

/// An update without indices.
enum Effect {
    Assign(Vec<(Where, Term)>),
    Sequence(Vec<Effect>),
    If(Term, Box<(Effect, Effect)>),
    Either(Vec<(Term, Effect)>),
    /// Left to the definition.
    Unknown,
}

/// A step predicate.
pub(super) struct Predicate {
    expr: Expr,
    environment: Environment,
    term: Term,
    /// Whether it depends on the step, and not only on the state.
    pub(super) is_of_steps: bool,
    /// Whether it certainly never faults.
    pub(super) is_total: bool,
}

/// The steps that leave a state.
#[derive(Default)]
pub(super) struct Expansion {
    /// Per action, whether it is enabled.
    pub(super) enabled: Vec<bool>,
    /// The actions taken, by number (`None` for `idle`), and the targets one after the other.
    pub(super) actions: Vec<Option<usize>>,
    pub(super) targets: Vec<i64>,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(instance: &'a Instance) -> Prepared<'a> {
        let (mut guards, mut updates) = (Vec::new(), Vec::new());
        for action in &instance.actions {
            let environment = &mut action.environment.clone();
            let of = &instance.system.actions[action.action];
            guards.push(term(instance, &of.guard, environment));
            // States without cells have no width by which lists of them could be cut.
            let is_empty = instance.cells.is_empty();
            updates.push(if is_empty { Effect::Unknown } else { effect(instance, &of.update, environment) });
        }
        Prepared { instance, guards, updates }
    }

    /// All steps that leave a state.
    pub(super) fn expand(&self, state: &[i64], found: &mut Expansion) -> Result<(), Fault> {
        let Expansion { enabled, actions, targets } = found;
        enabled.clear();
        actions.clear();
        targets.clear();
        let moment = Moment { instance: self.instance, state, enabled: &[], action: None };
        for (number, guard) in self.guards.iter().enumerate() {
            enabled.push(match guard.truth(&moment) {
                Some(truth) => truth,
                None => semantics::enabled(self.instance, &State(state.to_vec()), action(number))?,
            });
        }
        for number in (0..enabled.len()).filter(|number| enabled[*number]) {
            let before = targets.len();
            let count = if apply(&self.updates[number], &moment, targets).is_some() {
                (targets.len() - before) / state.len()
            } else {
                targets.truncate(before);
                let outcomes = semantics::successors(self.instance, &State(state.to_vec()), action(number))?;
                outcomes.iter().for_each(|outcome| targets.extend_from_slice(&outcome.0));
                outcomes.len()
            };
            actions.resize(actions.len() + count, Some(number));
        }
        if actions.is_empty() {
            actions.push(None);
            targets.extend_from_slice(state);
        }
        Ok(())
    }

    /// A step predicate, its indices replaced by their values.
    pub(super) fn predicate(&self, expr: &Expr, environment: &Environment) -> Predicate {
        let term = term(self.instance, expr, &mut environment.clone());
        let (is_of_steps, is_total) = (term.is_of_steps(), term.is_total());
        Predicate { expr: expr.clone(), environment: environment.clone(), term, is_of_steps, is_total }
    }
}

impl Predicate {
    /// Whether it is true of the step that leaves a state by an action.
    pub(super) fn holds(&self, moment: &Moment<'_>) -> Result<bool, Fault> {
        if let Some(truth) = self.term.truth(moment) {
            return Ok(truth);
        }
        let position = Position { state: State(moment.state.to_vec()), label: label(moment.action) };
        semantics::step_predicate_in(moment.instance, &self.expr, &position, &mut self.environment.clone())
    }
}

/// The label of a step by the action with this number.
pub(super) fn label(action: Option<usize>) -> Label {
    action.map_or(Label::Idle, |number| Label::Action(self::action(number)))
}

fn action(number: usize) -> ActionId {
    ActionId(number as u32)
}

fn effect(instance: &Instance, update: &Update, environment: &mut Environment) -> Effect {
    match update {
        Update::Skip => Effect::Sequence(Vec::new()),
        Update::Assign(assignments) => Effect::Assign(
            assignments
                .iter()
                .map(|(place, expr)| {
                    (located(instance, place, environment), term(instance, expr, environment))
                })
                .collect(),
        ),
        Update::Sequence(updates) => {
            Effect::Sequence(updates.iter().map(|update| effect(instance, update, environment)).collect())
        }
        Update::If(condition, yes, no) => {
            let condition = term(instance, condition, environment);
            let yes = effect(instance, yes, environment);
            Effect::If(condition, Box::new((yes, effect(instance, no, environment))))
        }
        Update::Either(branches) => {
            let branch = |(condition, update): &(Expr, Update)| {
                (term(instance, condition, environment), effect(instance, update, environment))
            };
            Effect::Either(branches.iter().map(branch).collect())
        }
        Update::Choose(binder, condition, body) => {
            let Some(values) = values(&binder.span, environment) else { return Effect::Unknown };
            Effect::Either(unrolled(binder.index, values, environment, |environment| {
                (term(instance, condition, environment), effect(instance, body, environment))
            }))
        }
    }
}

/// Appends the states that an update leads to. There is at least one; `None` if the definition must be asked.
fn apply(effect: &Effect, moment: &Moment<'_>, targets: &mut Vec<i64>) -> Option<()> {
    match effect {
        Effect::Assign(assignments) => {
            let begin = targets.len();
            targets.extend_from_slice(moment.state);
            for (place, term) in assignments {
                // All places and values refer to the state before.
                let (cell, value) = (place.cell(moment)?, term.value(moment)?);
                if !moment.instance.cells[cell].domain.contains(value) {
                    return None;
                }
                targets[begin + cell] = value;
            }
            Some(())
        }
        Effect::Sequence(effects) => {
            let Some((last, earlier)) = effects.split_last() else {
                targets.extend_from_slice(moment.state);
                return Some(());
            };
            let mut states = moment.state.to_vec();
            let width = moment.state.len();
            for effect in earlier {
                let mut next = Vec::new();
                for state in states.chunks(width) {
                    apply(effect, &Moment { state, ..*moment }, &mut next)?;
                }
                states = next;
            }
            states.chunks(width).try_for_each(|state| apply(last, &Moment { state, ..*moment }, targets))
        }
        Effect::If(condition, branches) => {
            let (yes, no) = &**branches;
            apply(if condition.truth(moment)? { yes } else { no }, moment, targets)
        }
        Effect::Either(branches) => {
            let begin = targets.len();
            for (condition, branch) in branches {
                if condition.truth(moment)? {
                    apply(branch, moment, targets)?;
                }
            }
            (targets.len() > begin).then_some(())
        }
        Effect::Unknown => None,
    }
}
