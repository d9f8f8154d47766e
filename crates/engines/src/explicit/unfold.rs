//! Turns a run of representatives into a run of the system.
//!
//! A step of the reduced graph goes from `r` to the representative of a successor `t` of `r`. If the state reached so
//! far is `p r`, the system can go on to `p t`, which is `p q⁻¹` applied to the representative `q t`. A path may
//! begin anywhere in its orbit, since initial states are permuted into initial states. We choose the start so that
//! the path ends in its last representative itself; then a violation there is described in the same names. A lasso
//! starts at its first representative and repeats the cycle until a state recurs. This ends because there are
//! finitely many permutations.

use model::answer::{Label, Lasso, Path, Position, State};
use model::{ActionId, Instance, semantics};

use super::symmetry::Symmetry;

/// A permutation for each class of a symmetry.
type Maps = Vec<Vec<usize>>;

/// A path of the system that ends in the same state as a path of representatives.
pub(super) fn path(instance: &Instance, symmetry: &Symmetry, path: &Path) -> Option<Path> {
    let mut states: Vec<State> = path.positions.iter().map(|position| position.state.clone()).collect();
    states.push(path.last.clone());
    let mut maps = symmetry.identity();
    let mut positions = Vec::new();
    for pair in states.windows(2).rev() {
        let (label, _, step) = step(instance, symmetry, &pair[0], None, &pair[1])?;
        maps = compose(&maps, &step);
        let state = symmetry.permute(&pair[0], &maps);
        positions.push(Position { state, label: permuted(instance, symmetry, label, &maps) });
    }
    positions.reverse();
    let real = Path { positions, last: path.last.clone() };
    Some(settled(instance, real))
}

/// A lasso of the system that a lasso of representatives stands for.
pub(super) fn lasso(instance: &Instance, symmetry: &Symmetry, lasso: &Lasso) -> Option<Lasso> {
    let mut positions: Vec<Position> = Vec::new();
    let mut maps = symmetry.identity();
    // The states at the beginning of the cycle, with their positions.
    let mut rounds: Vec<(usize, State)> = Vec::new();
    let mut at = 0;
    loop {
        let here = &lasso.positions[at];
        let state = symmetry.permute(&here.state, &maps);
        if at == lasso.cycle {
            if let Some((cycle, _)) = rounds.iter().find(|(_, known)| *known == state) {
                return Some(Lasso { positions, cycle: *cycle });
            }
            rounds.push((positions.len(), state.clone()));
        }
        let next = &lasso.positions[lasso.next(at)].state;
        let (label, target, step) = step(instance, symmetry, &here.state, Some(here.label), next)?;
        let target = symmetry.permute(&target, &maps);
        let label = settle(instance, &state, permuted(instance, symmetry, label, &maps), &target);
        positions.push(Position { state, label });
        maps = compose(&maps, &inverse(&step));
        at = lasso.next(at);
    }
}

/// A step from one representative to a state represented by another: its label, that state, and the permutation that
/// maps the state to its representative.
fn step(
    instance: &Instance,
    symmetry: &Symmetry,
    from: &State,
    label: Option<Label>,
    to: &State,
) -> Option<(Label, State, Maps)> {
    let actions: Vec<ActionId> = match label {
        Some(Label::Idle) => return Some((Label::Idle, from.clone(), symmetry.identity())),
        Some(Label::Action(action)) => vec![action],
        None => (0..instance.actions.len() as u32).map(ActionId).collect(),
    };
    for action in actions {
        for target in semantics::successors(instance, from, action).ok()? {
            let (representative, maps) = symmetry.representative(&target);
            if representative == *to {
                return Some((Label::Action(action), target, maps));
            }
        }
    }
    None
}

/// The permuted action, up to its arguments.
fn permuted(instance: &Instance, symmetry: &Symmetry, label: Label, maps: &Maps) -> Label {
    let Label::Action(id) = label else { return label };
    let action = instance.action(id);
    let participants: Vec<_> = action
        .participants
        .iter()
        .map(|(process, label)| (symmetry.process(instance, *process, maps), label.clone()))
        .collect();
    let same = |other: &&ActionId| {
        let other = instance.action(**other);
        other.action == action.action && other.participants == participants
    };
    let all: Vec<ActionId> = (0..instance.actions.len() as u32).map(ActionId).collect();
    all.iter().find(same).map_or(label, |found| Label::Action(*found))
}

/// The first action like `label`, with any arguments, that leads from one state to another.
fn settle(instance: &Instance, from: &State, label: Label, to: &State) -> Label {
    let Label::Action(id) = label else { return label };
    let action = instance.action(id);
    let leads = |candidate: &ActionId| {
        let other = instance.action(*candidate);
        other.action == action.action
            && other.participants == action.participants
            && semantics::successors(instance, from, *candidate).is_ok_and(|targets| targets.contains(to))
    };
    let found = (0..instance.actions.len() as u32).map(ActionId).find(leads);
    found.map_or(label, Label::Action)
}

/// A path with labels corrected so that they lead from state to state.
fn settled(instance: &Instance, mut path: Path) -> Path {
    for k in 0..path.positions.len() {
        let to = path.positions.get(k + 1).map_or(&path.last, |next| &next.state).clone();
        let Position { state, label } = &path.positions[k];
        let label = settle(instance, state, *label, &to);
        path.positions[k].label = label;
    }
    path
}

/// First `b`, then `a`.
fn compose(a: &Maps, b: &Maps) -> Maps {
    let one = |(a, b): (&Vec<usize>, &Vec<usize>)| b.iter().map(|place| a[*place]).collect();
    a.iter().zip(b).map(one).collect()
}

fn inverse(maps: &Maps) -> Maps {
    let one = |map: &Vec<usize>| {
        let mut inverse = vec![0; map.len()];
        map.iter().enumerate().for_each(|(from, to)| inverse[*to] = from);
        inverse
    };
    maps.iter().map(one).collect()
}
