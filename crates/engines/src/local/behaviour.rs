//! What one process can be and do: its local states and its moves between them.
//!
//! Local states are listed: the values of the cells that a process owns, all that it can reach if the shared cells
//! may have any value at any time. What depends on shared cells, and on what is seen of other processes, are
//! diagrams. So a move goes from one local state to another, and carries the condition and the effect on shared
//! cells as a [`Branch`]. A process whose local states are too many to be listed is given up.

use std::collections::{BTreeMap, HashMap};

use model::ActionId;
use model::instance::Start;

use super::sharing::Sharing;
use crate::bdd::Bdd;
use crate::encoding::Stop;
use crate::encoding::expression::{Expressions, Value, Written};
use crate::encoding::update::{Branch, branches};

/// The greatest number of local states of a process.
const STATES: usize = 1 << 12;

/// The local states of a process.
#[derive(Clone, Default)]
pub(super) struct Locals {
    /// The values of its cells, in the order of the instance.
    pub(super) states: Vec<Vec<i64>>,
    /// Those it can begin in.
    pub(super) initial: Vec<usize>,
    numbers: HashMap<Vec<i64>, usize>,
}

/// A move of a process from one of its local states.
pub(super) struct Move {
    /// The values of its cells after the move.
    pub(super) to: Vec<i64>,
    pub(super) action: ActionId,
    /// Where the move can be made, and what it does to shared cells.
    pub(super) branch: Branch,
}

/// What a process can do in one of its local states.
pub(super) struct Moves {
    pub(super) list: Vec<Move>,
    /// Where each of its actions is enabled; those that never are do not appear.
    pub(super) guards: Vec<(ActionId, Bdd)>,
    /// Where one of its actions faults.
    pub(super) fault: Bdd,
}

impl Locals {
    /// The local states of a process; `expressions` knows all cells.
    pub(super) fn new(
        sharing: &Sharing<'_>,
        process: usize,
        expressions: &Expressions<'_>,
    ) -> Result<Locals, Stop> {
        let mut locals = Locals::default();
        let mut initial: Vec<Vec<i64>> = vec![Vec::new()];
        for cell in &sharing.own[process] {
            let values: Vec<i64> = match &sharing.instance.starts[*cell] {
                Start::Among(values) => values.clone(),
                Start::Any => expressions.cells.values(*cell).collect(),
            };
            if initial.len().saturating_mul(values.len()) > STATES {
                return Err(too_many(sharing, process));
            }
            let extended = |begin: &Vec<i64>| {
                let begin = begin.clone();
                values.iter().map(move |value| begin.iter().copied().chain([*value]).collect())
            };
            initial = initial.iter().flat_map(extended).collect();
        }
        for state in initial {
            let number = locals.number(state);
            locals.initial.push(number);
        }
        let mut next = 0;
        while next < locals.states.len() {
            for step in moves(sharing, process, &locals.states[next], expressions)?.list {
                locals.number(step.to);
            }
            if locals.states.len() > STATES {
                return Err(too_many(sharing, process));
            }
            next += 1;
        }
        Ok(locals)
    }

    /// The number of the local state with these values, if there is one.
    pub(super) fn find(&self, values: &[i64]) -> Option<usize> {
        self.numbers.get(values).copied()
    }

    fn number(&mut self, state: Vec<i64>) -> usize {
        let next = self.states.len();
        let number = *self.numbers.entry(state.clone()).or_insert(next);
        if number == next {
            self.states.push(state);
        }
        number
    }
}

/// What a process can do where its cells have these values.
pub(super) fn moves(
    sharing: &Sharing<'_>,
    process: usize,
    values: &[i64],
    expressions: &Expressions<'_>,
) -> Result<Moves, Stop> {
    let table = expressions.table;
    let here = at(sharing, process, values, expressions);
    let mut found = Moves { list: Vec::new(), guards: Vec::new(), fault: table.never() };
    for action in &sharing.actions[process] {
        let (guard, update) = &sharing.commands[action.0 as usize];
        let (truth, guard_fault) = here.predicate(guard)?;
        let (ways, update_fault) = branches(&here, update, &truth)?;
        let fault = table.or(&guard_fault, &update_fault)?;
        found.fault = table.or(&found.fault, &fault)?;
        if table.is_never(&truth) {
            continue;
        }
        for Branch { condition, written } in ways {
            let condition = table.minus(&condition, &fault)?;
            let mut shared = Written::new();
            // Each way the local cells can come out, with its condition.
            let mut outcomes = vec![(values.to_vec(), condition)];
            for (cell, value) in written {
                let Some(place) = sharing.own[process].iter().position(|own| *own == cell) else {
                    shared.insert(cell, value);
                    continue;
                };
                let cases = here.number(&value)?;
                let mut extended = Vec::new();
                for (state, condition) in outcomes {
                    for (value, case) in &cases {
                        let both = table.and(&condition, case)?;
                        if !table.is_never(&both) {
                            let mut state = state.clone();
                            state[place] = *value;
                            extended.push((state, both));
                        }
                    }
                }
                outcomes = extended;
            }
            // Invariant: a cell whose cases leave out some states has no value there, and no state of a run is one.
            for (to, condition) in outcomes {
                if !table.is_never(&condition) {
                    let branch = Branch { condition, written: shared.clone() };
                    found.list.push(Move { to, action: *action, branch });
                }
            }
        }
        found.guards.push((*action, truth));
    }
    Ok(found)
}

/// Expressions where the cells of a process have these values.
pub(super) fn at<'e>(
    sharing: &Sharing<'_>,
    process: usize,
    values: &[i64],
    expressions: &'e Expressions<'e>,
) -> Expressions<'e> {
    let table = expressions.table;
    let given = sharing.own[process].iter().zip(values).map(|(cell, value)| {
        let domain = sharing.instance.cells[*cell].domain;
        let value = if (domain.lo, domain.hi) == (0, 1) {
            Value::Truth(table.constant(*value != 0))
        } else {
            Value::Number(vec![(*value, table.always())])
        };
        (*cell, value)
    });
    expressions.given(given.collect())
}

fn too_many(sharing: &Sharing<'_>, process: usize) -> Stop {
    let name = &sharing.instance.processes[process].name;
    Stop::TooLarge(format!("`{name}` has more than {STATES} local states, and the local engine lists them"))
}

/// A partition of the local states of a process: what is exposed of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Partition {
    /// The class of each local state.
    pub(super) class: Vec<usize>,
    /// The number of classes.
    pub(super) classes: usize,
}

impl Partition {
    /// The coarsest partition in which local states of a class have the same key.
    pub(super) fn by<K: Ord>(count: usize, key: impl Fn(usize) -> K) -> Partition {
        let mut numbers = BTreeMap::new();
        let mut class = Vec::with_capacity(count);
        for state in 0..count {
            let next = numbers.len();
            class.push(*numbers.entry(key(state)).or_insert(next));
        }
        Partition { class, classes: numbers.len() }
    }

    /// The partition in which also the local states of a set are apart from others.
    #[must_use]
    pub(super) fn split(&self, is_in: impl Fn(usize) -> bool) -> Partition {
        Partition::by(self.class.len(), |state| (self.class[state], is_in(state)))
    }

    /// The local states of a class.
    pub(super) fn members(&self, class: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.class.len()).filter(move |state| self.class[*state] == class)
    }
}
