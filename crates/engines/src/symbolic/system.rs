//! A system as diagrams: its initial states and its steps, group by group.
//!
//! Actions of the same processes that nobody needs to tell apart form a *group* with one relation; fairness and
//! events of the task say who must be told apart. The last group is that of `idle`: it leads from each deadlock to
//! itself. A relation has no steps from states where its action faults, since there the action has no meaning.

use std::collections::{BTreeMap, BTreeSet};

use model::answer::Label;
use model::instance::{Environment, Start};
use model::{ActionId, Instance, ProcessId, State, Update, ground, semantics};

use crate::bdd::{Bdd, Cells, Table};
use crate::encoding::Stop;
use crate::encoding::expression::Expressions;
use crate::encoding::update::{branches, relation, writes};
use crate::regions::{self, Diagrams, Product};

/// Actions whose steps are taken together; none for `idle`.
#[derive(Default)]
pub(super) struct Group {
    pub(super) actions: Vec<ActionId>,
    /// The cells that they may write.
    pub(super) writes: BTreeSet<usize>,
}

/// A system.
pub(super) struct System<'a> {
    pub(super) instance: &'a Instance,
    pub(super) table: &'a Table<'a>,
    pub(super) cells: &'a Cells,
    /// Where each action is enabled.
    pub(super) guards: Vec<Bdd>,
    /// The groups; the last is `idle`.
    pub(super) groups: Vec<Group>,
    /// The initial states, and the steps of the groups.
    pub(super) diagrams: Diagrams,
    /// The states where an action faults.
    pub(super) fault: Bdd,
}

impl<'a> System<'a> {
    /// The system with these ground updates, in which actions of the same processes with the same `kind` are one group.
    pub(super) fn new<K: Ord>(
        expressions: &Expressions<'a>,
        updates: &[Update],
        kind: &dyn Fn(ActionId) -> K,
    ) -> Result<System<'a>, Stop> {
        let Expressions { instance, table, cells, .. } = *expressions;
        let initial = initial(expressions)?;
        let mut members: BTreeMap<(Vec<ProcessId>, K), Vec<ActionId>> = BTreeMap::new();
        for (id, action) in (0..).map(ActionId).zip(&instance.actions) {
            let processes = action.participants.iter().map(|(process, _)| *process).collect();
            members.entry((processes, kind(id))).or_default().push(id);
        }
        let mut guards = vec![table.never(); instance.actions.len()];
        let mut faults = Vec::new();
        let (mut groups, mut steps) = (Vec::new(), Vec::new());
        for actions in members.into_values() {
            let mut ways = Vec::new();
            for id in &actions {
                let (guard, guard_fault) = expressions.predicate(&ground::guard(instance, *id))?;
                let (branches, update_fault) = branches(expressions, &updates[id.0 as usize], &guard)?;
                let fault = table.or(&guard_fault, &update_fault)?;
                ways.push((branches, fault.clone()));
                faults.push(fault);
                guards[id.0 as usize] = guard;
            }
            let written: BTreeSet<usize> = writes(ways.iter().flat_map(|(branches, _)| branches));
            let mut parts = Vec::new();
            for (branches, fault) in &ways {
                for branch in branches {
                    parts.push(table.minus(&relation(expressions, branch, &written)?, fault)?);
                }
            }
            let enabled = table.any(actions.iter().map(|id| guards[id.0 as usize].clone()).collect())?;
            let predicate = table.any(parts)?;
            steps.push(regions::Group::new(table, cells, enabled, predicate, written.iter().copied())?);
            groups.push(Group { actions, writes: written });
        }
        let deadlock = table.not(&table.any(guards.clone())?)?;
        steps.push(regions::Group::unmoving(table, deadlock));
        groups.push(Group::default());
        let diagrams = Diagrams::new(initial, steps);
        Ok(System { instance, table, cells, guards, groups, diagrams, fault: table.any(faults)? })
    }

    /// The product with the automaton that accepts every run.
    pub(super) fn alone(&self) -> Product<'_, 'a> {
        Product::with_everything(self.table, self.cells, &self.diagrams)
    }

    /// A state of a set that is not empty.
    pub(super) fn pick(&self, set: &Bdd) -> State {
        State(self.cells.decode(&self.table.pick(set).expect("the set is not empty")))
    }

    /// The set of one state.
    pub(super) fn single(&self, state: &State) -> Result<Bdd, Stop> {
        Ok(self.cells.single(self.table, &state.0)?)
    }

    /// The label of a step of a group between two states.
    pub(super) fn label(&self, group: usize, source: &State, target: &State) -> Label {
        let leads = |action: &&ActionId| {
            semantics::successors(self.instance, source, **action)
                .is_ok_and(|targets| targets.contains(target))
        };
        let action = self.groups[group].actions.iter().find(leads);
        assert!(
            action.is_some() || self.groups[group].actions.is_empty(),
            "a relation has only steps of its actions"
        );
        action.map_or(Label::Idle, |action| Label::Action(*action))
    }
}

/// The initial states.
fn initial(expressions: &Expressions<'_>) -> Result<Bdd, Stop> {
    let Expressions { instance, table, cells, .. } = *expressions;
    let mut parts = Vec::new();
    for (cell, start) in instance.starts.iter().enumerate() {
        let values: Vec<i64> = match start {
            Start::Among(values) => values.clone(),
            Start::Any => cells.values(cell).collect(),
        };
        let mut among = Vec::with_capacity(values.len());
        for value in values {
            among.push(cells.is(table, cell, value)?);
        }
        parts.push(table.any(among)?);
    }
    let mut initial = table.all(parts)?;
    for predicate in &instance.system.init {
        let ground = ground::expression(instance, predicate, &mut Environment::default());
        let (truth, fault) = expressions.predicate(&ground)?;
        if !table.is_never(&table.and(&initial, &fault)?) {
            return Err(Stop::InitFault);
        }
        initial = table.and(&initial, &truth)?;
    }
    Ok(initial)
}
