//! Replays a run with the functions of the system, by the definitions.
//!
//! The first state must be initial, every step must be one of those that leave its state, the last must lead back to where
//! the cycle begins, every requirement must be met on the cycle, and the claim must be false. Nothing of the search is used.

use super::claim::Node;
use super::{Claim, Requirement, Run, Step, System};

/// What is wrong with a run, in a sentence.
pub(super) fn replay<S: System>(
    system: &S,
    claim: &Claim<'_, S>,
    fairness: &[Requirement<'_, S>],
    run: &Run<S>,
) -> Result<(), String> {
    let positions: Vec<&(S::State, Option<S::Action>)> = run.stem.iter().chain(&run.cycle).collect();
    if run.cycle.is_empty() {
        return Err("its cycle is empty".to_owned());
    }
    if !system.initial().contains(&positions[0].0) {
        return Err("it does not begin in an initial state".to_owned());
    }
    let leaving: Vec<Vec<(S::Action, S::State)>> =
        positions.iter().map(|(state, _)| system.steps(state)).collect();
    let next = |k: usize| if k + 1 < positions.len() { k + 1 } else { run.stem.len() };
    let mut steps = Vec::new();
    for (k, (state, action)) in positions.iter().enumerate() {
        let target = &positions[next(k)].0;
        let is_step = match action {
            Some(action) => leaving[k].iter().any(|(other, to)| other == action && to == target),
            None => leaving[k].is_empty() && state == target,
        };
        if !is_step {
            return Err(format!("its step {} is not one that leaves the state before it", k + 1));
        }
        steps.push(Step { state, action: action.as_ref(), target, steps: &leaving[k] });
    }
    let cycle = &steps[run.stem.len()..];
    for requirement in fairness {
        if cycle.iter().any(|step| (requirement.when)(step))
            && !cycle.iter().any(|step| (requirement.then)(step))
        {
            return Err(format!("its cycle does not meet the requirement `{}`", requirement.name));
        }
    }
    if truth(&claim.0, &steps, run.stem.len())[0] {
        return Err("the claim is true of it".to_owned());
    }
    Ok(())
}

/// At which positions of a lasso a formula is true. Until it does not change, each position is computed from the next.
pub(super) fn truth<S: System>(node: &Node<'_, S>, steps: &[Step<'_, S>], cycle: usize) -> Vec<bool> {
    let next = |k: usize| if k + 1 < steps.len() { k + 1 } else { cycle };
    // The least solution of `b or (a and next)`.
    let until = |a: &[bool], b: &[bool]| {
        let mut holds = vec![false; steps.len()];
        for _ in 0..2 {
            for k in (0..steps.len()).rev() {
                holds[k] = b[k] || a[k] && holds[next(k)];
            }
        }
        holds
    };
    match node {
        Node::Atom(atom) => steps.iter().map(|step| atom(step)).collect(),
        Node::Not(a) => truth(a, steps, cycle).into_iter().map(|a| !a).collect(),
        Node::And(a, b) => {
            let (a, b) = (truth(a, steps, cycle), truth(b, steps, cycle));
            a.into_iter().zip(b).map(|(a, b)| a && b).collect()
        }
        Node::Next(a) => {
            let a = truth(a, steps, cycle);
            (0..steps.len()).map(|k| a[next(k)]).collect()
        }
        Node::Until(a, b) => until(&truth(a, steps, cycle), &truth(b, steps, cycle)),
        Node::Finally(a) => until(&vec![true; steps.len()], &truth(a, steps, cycle)),
    }
}
