//! What processes can be and do: the local states of each, and its moves between them.
//!
//! Local states are listed: the values of the cells that a process owns, all that it can reach if the shared cells
//! may have any value at any time, and the others are in any of theirs. What depends on shared cells, and on what is seen of
//! other processes, are diagrams. So a move goes from one local state to another, and carries the condition and the effect on
//! shared cells as a [`Branch`]. A move of several processes goes from a *tuple* of local states, one of each, to another.
//! A process whose local states are too many to be listed is given up.

use std::collections::{BTreeMap, HashMap};

use model::ActionId;
use model::instance::Start;

use super::sharing::{Meeting, Sharing};
use crate::bdd::{Bdd, Table};
use crate::encoding::Stop;
use crate::encoding::expression::{Expressions, Value, Written};
use crate::encoding::update::{Branch, branches};

/// The greatest number of local states of a process.
const STATES: usize = 1 << 12;
/// The greatest number of tuples of local states in which some processes may meet.
const TUPLES: usize = 1 << 14;

/// The local states of a process.
#[derive(Clone, Default)]
pub(super) struct Locals {
    /// The values of its cells, in the order of the instance.
    pub(super) states: Vec<Vec<i64>>,
    /// Those it can begin in.
    pub(super) initial: Vec<usize>,
    numbers: HashMap<Vec<i64>, usize>,
}

/// A local state of each of some processes.
pub(super) type Tuple = Vec<usize>;

/// A move of one process or of several.
pub(super) struct Move {
    /// Per process, the values of its cells after the move.
    pub(super) to: Vec<Vec<i64>>,
    pub(super) action: ActionId,
    /// Where the move can be made, and what it does to shared cells.
    pub(super) branch: Branch,
}

/// What processes can do in given local states.
pub(super) struct Moves {
    pub(super) list: Vec<Move>,
    /// Where each of their actions is enabled; those that never are do not appear.
    pub(super) guards: Vec<(ActionId, Bdd)>,
    /// Where one of their actions faults.
    pub(super) fault: Bdd,
}

impl Moves {
    /// Where one of the actions is enabled.
    pub(super) fn enabled(&self, table: &Table<'_>) -> Result<Bdd, Stop> {
        Ok(table.any(self.guards.iter().map(|(_, guard)| guard.clone()).collect())?)
    }
}

impl Locals {
    /// The local states that a process can begin in; `expressions` knows all cells.
    fn new(sharing: &Sharing<'_>, process: usize, expressions: &Expressions<'_>) -> Result<Locals, Stop> {
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
        Ok(locals)
    }

    /// Adds what the process can reach alone from the local states from this one on.
    fn close(
        &mut self,
        mut next: usize,
        sharing: &Sharing<'_>,
        process: usize,
        expressions: &Expressions<'_>,
    ) -> Result<(), Stop> {
        while next < self.states.len() {
            let values = [&self.states[next][..]];
            for step in moves(sharing, &[process], &sharing.actions[process], &values, expressions)?.list {
                step.to.into_iter().for_each(|to| _ = self.number(to));
            }
            if self.states.len() > STATES {
                return Err(too_many(sharing, process));
            }
            next += 1;
        }
        Ok(())
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

/// The local states of every process, and per meeting the tuples of local states in which its processes may do something;
/// `expressions` knows all cells.
pub(super) fn listed(
    sharing: &Sharing<'_>,
    expressions: &Expressions<'_>,
) -> Result<(Vec<Locals>, Vec<Vec<Tuple>>), Stop> {
    let mut locals = (0..sharing.own.len())
        .map(|process| Locals::new(sharing, process, expressions))
        .collect::<Result<Vec<_>, Stop>>()?;
    let mut closed = vec![0; locals.len()];
    let mut encounters: Vec<Encounters> = sharing.meetings.iter().map(Encounters::new).collect();
    loop {
        for (process, locals) in locals.iter_mut().enumerate() {
            locals.close(closed[process], sharing, process, expressions)?;
            closed[process] = locals.states.len();
        }
        for encounters in &mut encounters {
            encounters.grow(sharing, &mut locals, expressions)?;
        }
        if locals.iter().zip(&closed).all(|(locals, closed)| locals.states.len() == *closed) {
            return Ok((locals, encounters.into_iter().map(|encounters| encounters.tuples).collect()));
        }
    }
}

/// The tuples of local states in which some processes may meet.
struct Encounters<'s> {
    meeting: &'s Meeting,
    /// Per process, the local states that it may be in then, and how many have been looked at.
    candidates: Vec<Vec<usize>>,
    known: Vec<usize>,
    tuples: Vec<Tuple>,
    /// Whether tuples have been looked at.
    begun: bool,
}

impl<'s> Encounters<'s> {
    fn new(meeting: &'s Meeting) -> Encounters<'s> {
        let count = meeting.processes.len();
        let (candidates, known) = (vec![Vec::new(); count], vec![0; count]);
        Encounters { meeting, candidates, known, tuples: Vec::new(), begun: false }
    }

    /// Looks at the tuples with a local state that is new, and adds those that processes come to.
    fn grow(
        &mut self,
        sharing: &Sharing<'_>,
        locals: &mut [Locals],
        expressions: &Expressions<'_>,
    ) -> Result<(), Stop> {
        let Meeting { processes, actions } = self.meeting;
        let before: Vec<usize> = self.candidates.iter().map(Vec::len).collect();
        for (place, process) in processes.iter().enumerate() {
            let states = &locals[*process].states;
            for (state, values) in states.iter().enumerate().skip(self.known[place]) {
                let here = at(sharing, &[*process], &[values], expressions);
                for action in actions {
                    let (truth, fault) = here.predicate(&sharing.commands[action.0 as usize].0)?;
                    if !expressions.table.is_never(&truth) || !expressions.table.is_never(&fault) {
                        self.candidates[place].push(state);
                        break;
                    }
                }
            }
            self.known[place] = states.len();
        }
        if self.begun && self.candidates.iter().map(Vec::len).eq(before.iter().copied()) {
            return Ok(());
        }
        let all = self.candidates.iter().try_fold(1, |all: usize, some| all.checked_mul(some.len()));
        if all.is_none_or(|all| all > TUPLES) {
            let names: Vec<String> =
                processes.iter().map(|p| format!("`{}`", sharing.instance.processes[*p].name)).collect();
            return Err(Stop::TooLarge(format!(
                "{} may meet in more than {TUPLES} combinations of local states, and the local engine lists them",
                names.join(", ")
            )));
        }
        for tuple in combinations(&self.candidates) {
            let is_old = |(place, state): (usize, &usize)| {
                self.candidates[place][..before[place]].binary_search(state).is_ok()
            };
            if self.begun && tuple.iter().enumerate().all(is_old) {
                continue;
            }
            let values: Vec<&[i64]> =
                processes.iter().zip(&tuple).map(|(p, state)| &locals[*p].states[*state][..]).collect();
            let found = moves(sharing, processes, actions, &values, expressions)?;
            if found.guards.is_empty() && expressions.table.is_never(&found.fault) {
                continue;
            }
            for step in found.list {
                for (process, to) in processes.iter().zip(step.to) {
                    locals[*process].number(to);
                }
            }
            self.tuples.push(tuple);
        }
        self.begun = true;
        Ok(())
    }
}

/// Every way to choose one of each.
pub(super) fn combinations(of: &[Vec<usize>]) -> Vec<Tuple> {
    let mut all = vec![Vec::new()];
    for choices in of {
        let extended = |tuple: &Tuple| {
            let tuple = tuple.clone();
            choices.iter().map(move |choice| tuple.iter().copied().chain([*choice]).collect())
        };
        all = all.iter().flat_map(extended).collect();
    }
    all
}

/// What some processes can do by these actions where their cells have these values.
pub(super) fn moves(
    sharing: &Sharing<'_>,
    processes: &[usize],
    actions: &[ActionId],
    values: &[&[i64]],
    expressions: &Expressions<'_>,
) -> Result<Moves, Stop> {
    let table = expressions.table;
    let here = at(sharing, processes, values, expressions);
    let own = |cell: usize| {
        let place = |process: &usize| sharing.own[*process].iter().position(|own| *own == cell);
        processes.iter().enumerate().find_map(|(number, process)| Some((number, place(process)?)))
    };
    let mut found = Moves { list: Vec::new(), guards: Vec::new(), fault: table.never() };
    for action in actions {
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
            let begin: Vec<Vec<i64>> = values.iter().map(|values| values.to_vec()).collect();
            let mut outcomes = vec![(begin, condition)];
            for (cell, value) in written {
                let Some((number, place)) = own(cell) else {
                    shared.insert(cell, value);
                    continue;
                };
                let cases = here.number(&value)?;
                let mut extended = Vec::new();
                for (states, condition) in outcomes {
                    for (value, case) in &cases {
                        let both = table.and(&condition, case)?;
                        if !table.is_never(&both) {
                            let mut states = states.clone();
                            states[number][place] = *value;
                            extended.push((states, both));
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

/// Expressions where the cells of some processes have these values.
pub(super) fn at<'e>(
    sharing: &Sharing<'_>,
    processes: &[usize],
    values: &[&[i64]],
    expressions: &'e Expressions<'e>,
) -> Expressions<'e> {
    let table = expressions.table;
    let all = processes.iter().zip(values);
    let given =
        all.flat_map(|(process, values)| sharing.own[*process].iter().zip(*values)).map(|(cell, value)| {
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
