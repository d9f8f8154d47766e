//! Turns evidence into a [`Trace`]: the first state in full, then what each step changes.

use model::answer::Site;
use model::{Instance, Label, Lasso, Path, Position, State, show};

use super::{Binding, Step, Trace};

/// A finite run.
pub(crate) fn path(instance: &Instance, path: &Path) -> Trace {
    let last = std::iter::once(&path.last);
    let targets = path.positions.iter().map(|position| &position.state).skip(1).chain(last);
    let initial = path.positions.first().map_or(&path.last, |position| &position.state);
    Trace { initial: state(instance, initial), steps: steps(instance, &path.positions, targets), cycle: None }
}

/// An infinite run.
pub(crate) fn lasso(instance: &Instance, lasso: &Lasso) -> Trace {
    let targets = (0..lasso.positions.len()).map(|k| &lasso.positions[lasso.next(k)].state);
    let initial = lasso.positions.first().map_or_else(Vec::new, |first| state(instance, &first.state));
    Trace { initial, steps: steps(instance, &lasso.positions, targets), cycle: Some(lasso.cycle) }
}

/// A single state.
pub(crate) fn single(instance: &Instance, initial: &State) -> Trace {
    Trace { initial: state(instance, initial), steps: Vec::new(), cycle: None }
}

/// A step with its changes.
pub(crate) fn step(instance: &Instance, label: Label, before: &State, after: &State) -> Step {
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
    Step { action: show::label(instance, label), label: own, processes, declared, changes }
}

/// The whole state.
pub(crate) fn state(instance: &Instance, state: &State) -> Vec<Binding> {
    show::state(instance, state)
}

/// A sentence about a fault that says where it happens.
pub(crate) fn fault(instance: &Instance, site: Site, fault: &model::Fault) -> String {
    match site {
        Site::Init => format!("in an `init` predicate: {fault}"),
        Site::Action(action) => format!("in {}: {fault}", instance.action(action).name),
        Site::Property => format!("in the property: {fault}"),
        Site::Fairness => format!("in the fairness: {fault}"),
    }
}

fn steps<'a>(
    instance: &Instance,
    positions: &[Position],
    targets: impl Iterator<Item = &'a State>,
) -> Vec<Step> {
    positions
        .iter()
        .zip(targets)
        .map(|(position, target)| step(instance, position.label, &position.state, target))
        .collect()
}
