//! A system made ready for the generation of successors.
//!
//! Guards and updates are ground and compiled, once per action of the instance. The successors of a state,
//! their order and their faults are those of [`model::semantics`], which the test at the foot compares.

use model::semantics::Fault;
use model::{ActionId, Instance, Update, ground};

use super::term::{Moment, Slot, Term, compile};

/// A compiled system.
pub(super) struct Program {
    pub(super) instance: Instance,
    actions: Vec<Command>,
}

/// A guarded command.
struct Command {
    guard: Term,
    change: Change,
}

/// An update, compiled.
enum Change {
    Skip,
    Assign(Vec<(Slot, Term)>),
    Sequence(Vec<Change>),
    If(Term, Box<Change>, Box<Change>),
    Either(Vec<(Term, Change)>),
}

/// The values of all cells.
pub(super) type Values = Vec<i64>;

impl Program {
    pub(super) fn new(instance: Instance) -> Program {
        let command = |action| Command {
            guard: compile(&instance, &ground::guard(&instance, action)),
            change: Change::new(&instance, &ground::update(&instance, action)),
        };
        let actions = (0..instance.actions.len() as u32).map(|n| command(ActionId(n))).collect();
        Program { instance, actions }
    }

    /// The actions, in order.
    pub(super) fn actions(&self) -> impl Iterator<Item = ActionId> + use<> {
        (0..self.actions.len() as u32).map(ActionId)
    }

    /// The successors of a state by an action, each once; none if it is not enabled.
    pub(super) fn successors(&self, state: &[i64], action: ActionId) -> Result<Vec<Values>, Fault> {
        let command = &self.actions[action.0 as usize];
        if !command.guard.holds(self.moment(state))? {
            return Ok(Vec::new());
        }
        let mut targets = self.apply(&command.change, state)?;
        targets.sort_unstable();
        targets.dedup();
        Ok(targets)
    }

    fn moment<'a>(&'a self, state: &'a [i64]) -> Moment<'a> {
        Moment { instance: &self.instance, state, label: None }
    }

    fn apply(&self, change: &Change, state: &[i64]) -> Result<Vec<Values>, Fault> {
        let moment = self.moment(state);
        match change {
            Change::Skip => Ok(vec![state.to_vec()]),
            Change::Assign(assignments) => {
                let mut writes = Vec::with_capacity(assignments.len());
                for (slot, term) in assignments {
                    writes.push((slot.cell(moment)?, term.value(moment)?));
                }
                let mut target = state.to_vec();
                for (number, value) in writes {
                    let cell = &self.instance.cells[number];
                    if !cell.domain.contains(value) {
                        let (lo, hi) = (cell.domain.lo, cell.domain.hi);
                        return Err(Fault::OutsideRange { name: cell.name.clone(), value, lo, hi });
                    }
                    target[number] = value;
                }
                Ok(vec![target])
            }
            Change::Sequence(changes) => {
                let mut states = vec![state.to_vec()];
                for change in changes {
                    let mut next = Vec::new();
                    for state in &states {
                        next.extend(self.apply(change, state)?);
                    }
                    states = next;
                }
                Ok(states)
            }
            Change::If(condition, yes, no) => {
                self.apply(if condition.holds(moment)? { yes } else { no }, state)
            }
            Change::Either(branches) => {
                let mut states = Vec::new();
                for (condition, branch) in branches {
                    if condition.holds(moment)? {
                        states.extend(self.apply(branch, state)?);
                    }
                }
                if states.is_empty() { Err(Fault::EmptyChoice) } else { Ok(states) }
            }
        }
    }
}

impl Change {
    fn new(instance: &Instance, update: &Update) -> Change {
        let change = |update: &Update| Change::new(instance, update);
        match update {
            Update::Skip => Change::Skip,
            Update::Assign(assignments) => Change::Assign(
                assignments
                    .iter()
                    .map(|(place, expr)| (Slot::new(instance, place), compile(instance, expr)))
                    .collect(),
            ),
            Update::Sequence(updates) => Change::Sequence(updates.iter().map(change).collect()),
            Update::If(condition, yes, no) => {
                Change::If(compile(instance, condition), Box::new(change(yes)), Box::new(change(no)))
            }
            Update::Either(branches) => Change::Either(
                branches
                    .iter()
                    .map(|(condition, branch)| (compile(instance, condition), change(branch)))
                    .collect(),
            ),
            Update::Choose(..) => unreachable!("a ground update chooses by `Either`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::answer::State;
    use model::initial::initial_states;
    use model::semantics;

    use super::super::random;
    use super::*;
    use crate::graph::tests::Random;

    #[test]
    fn successors_and_faults_are_those_of_the_reference_semantics() {
        let mut random = Random(1);
        let (mut successors, mut faults) = (0, 0);
        for _ in 0..3_000 {
            let instance = Instance::new(Arc::new(random::system(&mut random))).expect("an instance");
            let program = Program::new(instance);
            let instance = &program.instance;
            let mut states: Vec<State> = initial_states(instance).flatten().take(20).collect();
            let mut next = 0;
            while next < states.len() {
                let state = states[next].clone();
                for action in program.actions() {
                    let expected = semantics::successors(instance, &state, action);
                    let found = program.successors(&state.0, action);
                    let found = found.map(|targets| targets.into_iter().map(State).collect::<Vec<_>>());
                    assert_eq!(found, expected, "{} in {state:?}", instance.action(action).name);
                    match expected {
                        Ok(targets) => {
                            successors += targets.len();
                            let new = targets.into_iter().filter(|target| !states.contains(target));
                            let new: Vec<State> = new.take(60 - states.len().min(60)).collect();
                            states.extend(new);
                        }
                        Err(_) => faults += 1,
                    }
                }
                next += 1;
            }
        }
        assert!(successors > 10_000 && faults > 1_000, "{successors} successors, {faults} faults");
    }
}
