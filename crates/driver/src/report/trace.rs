//! Turns evidence into a [`Trace`]: the first state in full, then what each step changes.
//!
//! A variable that nobody reads any more is set back by the model that is checked, and not by the one that is written
//! (decision 0030). Such a change is marked: the trace has it, so that it is a run of what is checked, and words about it
//! leave it out.

use std::sync::Arc;

use lang::Model;
use model::{Instance, Label, Lasso, Path, Position, State, semantics, show};

use super::{Binding, Step, Trace};

/// The instance of a model, and that of the model as it is written if values are forgotten in it.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    instance: &'a Instance,
    written: Option<&'a Instance>,
}

impl<'a> From<&'a Instance> for Stage<'a> {
    fn from(instance: &'a Instance) -> Stage<'a> {
        Stage { instance, written: None }
    }
}

impl<'a> From<&'a Arc<Instance>> for Stage<'a> {
    fn from(instance: &'a Arc<Instance>) -> Stage<'a> {
        Stage { instance, written: None }
    }
}

impl<'a> Stage<'a> {
    /// The stage of runs of this model.
    pub(crate) fn of(instance: &'a Instance, model: &'a Model) -> Stage<'a> {
        Stage { instance, written: written(model) }
    }

    /// The same with the model as it is written, if values are forgotten.
    pub(crate) fn with(instance: &'a Instance, written: Option<&'a Instance>) -> Stage<'a> {
        Stage { instance, written }
    }
}

/// The instance of a model as it is written, if values are forgotten in the model.
pub(crate) fn written(model: &Model) -> Option<&Instance> {
    model.written.as_ref().and_then(|written| written.subject.instance()).map(|instance| &**instance)
}

/// A finite run.
pub(crate) fn path<'a>(stage: impl Into<Stage<'a>>, path: &Path) -> Trace {
    let stage = stage.into();
    let last = std::iter::once(&path.last);
    let targets = path.positions.iter().map(|position| &position.state).skip(1).chain(last);
    let initial = path.positions.first().map_or(&path.last, |position| &position.state);
    let steps = steps(stage, &path.positions, targets);
    Trace { initial: state(stage.instance, initial), steps, cycle: None }
}

/// An infinite run.
pub(crate) fn lasso<'a>(stage: impl Into<Stage<'a>>, lasso: &Lasso) -> Trace {
    let stage = stage.into();
    let targets = (0..lasso.positions.len()).map(|k| &lasso.positions[lasso.next(k)].state);
    let initial = lasso.positions.first().map_or_else(Vec::new, |first| state(stage.instance, &first.state));
    Trace { initial, steps: steps(stage, &lasso.positions, targets), cycle: Some(lasso.cycle) }
}

/// A single state.
pub(crate) fn single(instance: &Instance, initial: &State) -> Trace {
    Trace { initial: state(instance, initial), steps: Vec::new(), cycle: None }
}

/// A step with its changes.
pub(crate) fn step<'a>(stage: impl Into<Stage<'a>>, label: Label, before: &State, after: &State) -> Step {
    let Stage { instance, written } = stage.into();
    let mut processes = Vec::new();
    let mut declared = Vec::new();
    let mut own = None;
    if let Label::Action(action) = label {
        let action = instance.action(action);
        let name = |process: model::ProcessId| instance.processes[process.0 as usize].name.clone();
        processes.extend(action.participants.iter().map(|(process, _)| name(*process)));
        let family = |process: model::ProcessId| instance.processes[process.0 as usize].family;
        let family = |process| instance.system.family(family(process)).name.clone();
        declared.extend(action.participants.iter().map(|(process, label)| (family(*process), label.clone())));
        if let [(_, label)] = &action.participants[..] {
            let parameters = &instance.system.actions[action.action].parameters;
            let named = parameters.iter().zip(&action.arguments);
            let named = named.map(|(binder, value)| instance.system.index_value_name(binder.index, *value));
            let arguments: Vec<String> = named.collect();
            let arguments =
                if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(",")) };
            own = Some(format!("{label}{arguments}"));
        }
    }
    let changes = show::changes(instance, before, after);
    let forgotten = match (written, label) {
        (Some(written), Label::Action(_)) => forgotten(instance, written, label, (before, after), &changes),
        _ => Vec::new(),
    };
    Step { action: show::label(instance, label), label: own, processes, declared, changes, forgotten }
}

/// The names of the changes that the same step does not make in the model as it is written.
fn forgotten(
    instance: &Instance,
    written: &Instance,
    label: Label,
    (before, after): (&State, &State),
    changes: &[Binding],
) -> Vec<String> {
    let Label::Action(action) = label else { return Vec::new() };
    let outcomes = semantics::successors_with(written, before, action, &|_| Vec::new()).unwrap_or_default();
    let differ = |outcome: &State| outcome.0.iter().zip(&after.0).filter(|(own, other)| own != other).count();
    let Some(nearest) = outcomes.iter().min_by_key(|outcome| differ(outcome)) else { return Vec::new() };
    let cells = nearest.0.iter().zip(&after.0).zip(&before.0);
    let made = State(cells.map(|((own, new), old)| if own == new { *new } else { *old }).collect());
    let made: Vec<String> = show::changes(instance, before, &made).iter().map(Binding::name).collect();
    changes.iter().map(Binding::name).filter(|name| !made.contains(name)).collect()
}

/// The whole state.
pub(crate) fn state(instance: &Instance, state: &State) -> Vec<Binding> {
    show::state(instance, state)
}

fn steps<'a>(
    stage: Stage<'_>,
    positions: &[Position],
    targets: impl Iterator<Item = &'a State>,
) -> Vec<Step> {
    positions
        .iter()
        .zip(targets)
        .map(|(position, target)| step(stage, position.label, &position.state, target))
        .collect()
}
