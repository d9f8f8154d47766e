//! Turns evidence into a [`Trace`]: the first state in full, then what each step changes.

use model::answer::Site;
use model::{Instance, Label, Lasso, Path, Position, State, show};

use crate::report::{Binding, Step, Trace};

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

/// What a step does.
pub(crate) fn step(instance: &Instance, label: Label, before: &State, after: &State) -> Step {
    let processes = match label {
        Label::Idle => Vec::new(),
        Label::Action(action) => {
            let participants = instance.action(action).participants.iter();
            participants.map(|(process, _)| instance.processes[process.0 as usize].name.clone()).collect()
        }
    };
    let changes = show::changes(instance, before, after).into_iter().map(binding).collect();
    Step { action: show::label(instance, label), processes, changes }
}

/// All of a state.
pub(crate) fn state(instance: &Instance, state: &State) -> Vec<Binding> {
    show::state(instance, state).into_iter().map(binding).collect()
}

/// A fault in a sentence that says where it happens.
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

/// Takes apart what `model::show` has put together: `x = true`, `P[1]@try`.
fn binding(text: String) -> Binding {
    if let Some((name, value)) = text.split_once(" = ") {
        return Binding { name: name.to_owned(), value: value.to_owned() };
    }
    match text.split_once('@') {
        Some((name, value)) => Binding { name: format!("{name}@"), value: value.to_owned() },
        None => Binding { name: text, value: String::new() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binding_is_taken_apart_and_put_together_again() {
        for text in ["x = true", "P[1]@try", "c[2] = [1,red 2,green]", "P[1].y[3] = -4"] {
            assert_eq!(binding(text.to_owned()).to_string(), text);
        }
        assert_eq!(binding("P[1]@try".to_owned()).name, "P[1]@");
    }
}
