//! Compiled successor generation: computes the successors of a packed state.
//!
//! The actions of a process, or of several that act together, are compiled once per valuation of their locations and
//! locals, because most of a guard depends on them. At run time the local part of the state selects a short list of
//! commands in which everything local is already evaluated. A command is a guard and outcomes. An outcome that writes
//! constants is two masks per word; computed values come from tables. See [`specialise`](super::specialise) and
//! [`table`](super::table).
//!
//! Whether a guard is true is as good as random, and a jump that the processor predicts wrongly costs more than a few
//! tables. So most commands are *flat*: their guard has a [flat form](super::table::Flat) and there is one outcome. The
//! target is written in any case, and kept if the guard is true. An action whose outcomes exclude each other, such as an
//! `if`, becomes one command per outcome. An update with many outcomes is carried out as [code](super::code).
//!
//! If there is a *fault*, or an action could not be compiled, the caller must use the reference semantics for this state. So
//! this file never determines which fault it is.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use model::expr::Operator;
use model::{ActionId, Expr, Fault, Instance, ProcessId, StopReason, Update, ground, semantics};

use super::allowance;
use super::code::{Coder, Effect};
use super::footprint;
use super::interpreted;
use super::space::IDLE;
use super::specialise::{as_constant, constant, outcomes, specialise};
use super::store::Words;
use super::table::{FLAT, Flat, Key, Lookup, Predicate, Programs, Truth, Value};
#[cfg(target_arch = "x86_64")]
use crate::machine::Special;
use crate::machine::{Appending, Instructions, Usual};
use model::packing::{Field, Packing};

/// The greatest number of bits of the local cells for which commands are compiled one by one.
const DISPATCH: u32 = 9;

/// If more groups of processes act together, the actions of all groups with the same first process are taken together.
const GROUPS: usize = 1_000;

/// How many actions are compiled between two checks of the limits.
const INTERVAL: usize = 64;

/// With more commands in a state, states are expanded one by one, because of the memory it takes to expand many at once.
const FEW: usize = 64;

/// An action with more outcomes is not made into one command per outcome.
const SPLIT: usize = 8;

/// An update with more outcomes is carried out as code. Trying one after the other takes longer.
const TRIED: usize = 16;

/// An update that is not known as code, with more outcomes, is left to the reference semantics.
const MOST_OUTCOMES: usize = 256;

/// No state counts as more steps.
const LONG: usize = 1 << 20;

/// With more outcomes of one action in a state, the same ones are found by sorting.
const COMPARED: usize = 32;

/// The actions of one process, or of some that act together, by the values of some of their cells.
struct Owner {
    /// The bits that select the list.
    key: Key,
    /// Per selected value, the commands as a range of `commands`.
    lists: Vec<(u32, u32)>,
    /// The number of lookups of every flat command, and whether each reads only one word.
    lookups: usize,
    one_word: bool,
    /// The greatest number of commands in a list.
    most: usize,
}

/// A compiled action in a known local state, or one of its outcomes.
#[derive(Clone, Copy)]
struct Command<const W: usize> {
    action: u16,
    guard: Predicate,
    /// A range of `outcomes`; empty if there are too many of them.
    outcomes: (u32, u32),
    /// Whether it is flat: there is one outcome, whose condition is true, and the guard has a flat form.
    is_flat: bool,
    /// Whether it is flat and just writes constants: these.
    is_constant: bool,
    writes: Writes<W>,
    /// The flat form of the guard: the position of the first lookup, and the truths.
    lookups: u32,
    truths: u16,
}

/// What an action is compiled from.
struct Parts {
    action: ActionId,
    guard: Expr,
    update: Update,
    /// The cells that it reads, as positions among those whose values are known.
    reads: Vec<usize>,
    /// Those that have only one value.
    constants: BTreeMap<usize, Expr>,
    /// By the values of these cells, its commands as a range.
    compiled: HashMap<Vec<i64>, Range<u32>>,
}

impl Parts {
    fn new(instance: &Instance, packing: &Packing, action: ActionId, chosen: &[usize]) -> Parts {
        let (guard, update) =
            (ground::guard(instance, action), ground::update_within(instance, action, ground::PARTS));
        let mut cells = footprint::reads(instance, &guard);
        footprint::add_reads(instance, &update, &mut cells);
        let reads = (0..chosen.len()).filter(|k| cells.contains(&chosen[*k])).collect();
        let constants = cells
            .iter()
            .filter(|cell| packing.fields[**cell].bits == 0)
            .map(|cell| (*cell, constant(instance, *cell, packing.fields[*cell].lo)))
            .collect();
        Parts { action, guard, update, reads, constants, compiled: HashMap::new() }
    }
}

/// Whether a guard is certainly false, given the values of some cells. Most often its first part says so, which is about
/// the location.
fn is_false(instance: &Instance, guard: &Expr, known: &BTreeMap<usize, Expr>) -> bool {
    let parts = if let Expr::And(parts) = guard { parts } else { std::slice::from_ref(guard) };
    let first =
        parts.iter().map(|part| specialise(instance, part, known)).find(|part| *part != Expr::Bool(true));
    first == Some(Expr::Bool(false))
}

/// The constants that a step writes.
#[derive(Clone, Copy)]
struct Writes<const W: usize> {
    keep: [u64; W],
    set: [u64; W],
}

struct Outcome<const W: usize> {
    condition: Predicate,
    writes: Writes<W>,
    /// A range of `computed`.
    computed: (u32, u32),
    fault: bool,
}

struct Computed {
    field: Field,
    value: Value,
}

/// The compiled actions of an instance.
pub(super) struct Successors<const W: usize> {
    pub(super) instance: Arc<Instance>,
    pub(super) packing: Arc<Packing>,
    programs: Programs,
    owners: Vec<Owner>,
    /// The actions in the order in which [`Successors::expand`] looks at them.
    order: Vec<ActionId>,
    commands: Vec<Command<W>>,
    lookups: Vec<Lookup>,
    outcomes: Vec<Outcome<W>>,
    computed: Vec<Computed>,
    /// Per action, its update as code, if it is known.
    effects: Vec<Option<Effect>>,
    /// The greatest number of commands in a state.
    most: usize,
    /// Whether every command is flat and just writes constants, and there are not many in a state.
    is_constant: bool,
    /// The work of the actions that are left to the reference semantics, in a state in which all are enabled.
    pub(super) interpreted: u64,
}

/// The compiled form cannot decide this state; use the reference semantics.
pub(super) struct Unclear;

impl<const W: usize> Successors<W> {
    /// Compiles the actions of an instance. Calls `limit` again and again, and stops with its error.
    pub(super) fn new(
        instance: &Arc<Instance>,
        packing: &Arc<Packing>,
        limit: &dyn Fn() -> Result<(), StopReason>,
    ) -> Result<Successors<W>, StopReason> {
        let mut compiled = Successors {
            instance: Arc::clone(instance),
            packing: Arc::clone(packing),
            programs: Programs::new(instance, packing),
            owners: Vec::new(),
            order: Vec::new(),
            commands: Vec::new(),
            lookups: Vec::new(),
            outcomes: Vec::new(),
            computed: Vec::new(),
            effects: vec![None; instance.actions.len()],
            most: 0,
            is_constant: false,
            interpreted: 0,
        };
        let by_owner = groups(instance, usize::MAX);
        let by_owner = if by_owner.len() > GROUPS { groups(instance, 1) } else { by_owner };
        let asked = Cell::new(0usize);
        let limit = || {
            asked.set(asked.get() + 1);
            if asked.get().is_multiple_of(INTERVAL) { limit() } else { Ok(()) }
        };
        for (processes, actions) in by_owner {
            compiled.order.extend(&actions);
            compiled.add_owner(&processes, &actions, &limit)?;
        }
        compiled.is_constant =
            compiled.most <= FEW && compiled.commands.iter().all(|command| command.is_constant);
        Ok(compiled)
    }

    /// The number of steps that take as long as what is [`interpreted`](Self::interpreted) in a state.
    pub(super) fn interpreted_as_steps(&self) -> usize {
        usize::try_from(self.interpreted / allowance::STEP as u64).map_or(LONG, |steps| steps.min(LONG))
    }

    fn add_owner(
        &mut self,
        processes: &[ProcessId],
        actions: &[ActionId],
        limit: &dyn Fn() -> Result<(), StopReason>,
    ) -> Result<(), StopReason> {
        let (instance, packing) = (&Arc::clone(&self.instance), &Arc::clone(&self.packing));
        // The cells to evaluate beforehand: the locations first, then other locals while they fit.
        let is_own =
            |cell: &usize| instance.cells[*cell].owner.is_some_and(|owner| processes.contains(&owner));
        let mut own: Vec<usize> = (0..instance.cells.len()).filter(is_own).collect();
        own.sort_by_key(|&cell| !instance.is_location(cell));
        let mut chosen = Vec::new();
        let mut masks: Vec<(usize, u64)> = Vec::new();
        let mut bits = 0;
        for cell in own {
            let field = packing.fields[cell];
            if field.bits == 0 || bits + field.bits > DISPATCH {
                continue;
            }
            match masks.iter().position(|(word, _)| *word == field.word) {
                Some(word) => masks[word].1 |= field.mask(),
                None if masks.len() < 2 => masks.push((field.word, field.mask())),
                None => continue,
            }
            bits += field.bits;
            chosen.push(cell);
        }
        let key = Key::new(&masks);
        let mut parts: Vec<Parts> =
            actions.iter().map(|&action| Parts::new(instance, packing, action, &chosen)).collect();
        let coder = Coder { instance, packing };
        for Parts { action, update, .. } in &parts {
            self.effects[action.0 as usize] = coder.effect(update);
        }
        let before = self.commands.len();
        // By the commands in it, the range of each list. Local states that are told apart by nothing share theirs.
        let mut known_lists: HashMap<Vec<u32>, (u32, u32)> = HashMap::new();
        let mut pool = Vec::new();
        let mut lists = vec![(0, 0); 1 << bits];
        let mut values: Vec<i64> = chosen.iter().map(|&cell| packing.fields[cell].lo).collect();
        loop {
            let mut list: Vec<u32> = Vec::new();
            for action in &mut parts {
                let read: Vec<i64> = action.reads.iter().map(|&k| values[k]).collect();
                let commands = if let Some(commands) = action.compiled.get(&read) {
                    commands.clone()
                } else {
                    limit()?;
                    let mut known = action.constants.clone();
                    for &k in &action.reads {
                        known.insert(chosen[k], constant(instance, chosen[k], values[k]));
                    }
                    let first = pool.len() as u32;
                    self.add_commands(action, &known, &mut pool);
                    let commands = first..pool.len() as u32;
                    action.compiled.insert(read, commands.clone());
                    commands
                };
                list.extend(commands);
            }
            let mut words = [0; W];
            for (&cell, &value) in chosen.iter().zip(&values) {
                let field = packing.fields[cell];
                words[field.word] |= field.encode(value);
            }
            let commands = &mut self.commands;
            lists[key.of(Usual, &words)] = *known_lists.entry(list).or_insert_with_key(|list| {
                let first = commands.len() as u32;
                commands.extend(list.iter().map(|command| pool[*command as usize]));
                (first, commands.len() as u32)
            });
            let next = (0..chosen.len()).find(|&k| values[k] < packing.fields[chosen[k]].hi);
            let Some(next) = next else { break };
            for k in 0..next {
                values[k] = packing.fields[chosen[k]].lo;
            }
            values[next] += 1;
        }
        for Parts { action, update, .. } in &parts {
            let is_left = |command: &Command<W>| {
                command.action == action.0 as u16 && command.outcomes.0 == command.outcomes.1
            };
            if self.effects[action.0 as usize].is_none() && pool.iter().any(is_left) {
                self.interpreted = self.interpreted.saturating_add(interpreted::work(update));
            }
        }
        let (lookups, one_word) = self.flatten(before);
        let most = lists.iter().map(|(first, last)| (last - first) as usize).max().unwrap_or(0);
        self.most += most;
        self.owners.push(Owner { key, lists, lookups, one_word, most });
        Ok(())
    }

    /// Appends the commands of an action, given the values of some cells.
    fn add_commands(&mut self, parts: &Parts, known: &BTreeMap<usize, Expr>, commands: &mut Vec<Command<W>>) {
        let Parts { action, guard, update, .. } = parts;
        let instance = &Arc::clone(&self.instance);
        if is_false(instance, guard, known) {
            return;
        }
        let guard = specialise(instance, guard, known);
        if guard == Expr::Bool(false) {
            return;
        }
        let most = if self.effects[action.0 as usize].is_some() { TRIED } else { MOST_OUTCOMES };
        let outcomes = outcomes(instance, update, known, most).unwrap_or_default();
        if exclude_each_other(&outcomes) {
            for mut outcome in outcomes {
                let conditions = std::mem::take(&mut outcome.conditions);
                let guard = Expr::and([guard.clone()].into_iter().chain(conditions));
                commands.push(self.command(*action, &guard, &[outcome]));
            }
        } else {
            commands.push(self.command(*action, &guard, &outcomes));
        }
    }

    fn command(
        &mut self,
        action: ActionId,
        guard: &Expr,
        outcomes: &[super::specialise::Outcome],
    ) -> Command<W> {
        let guard = self.programs.predicate(guard);
        let first = self.outcomes.len() as u32;
        outcomes.iter().for_each(|outcome| self.add_outcome(outcome));
        let outcomes = (first, self.outcomes.len() as u32);
        let action = action.0 as u16;
        Command {
            action,
            guard,
            outcomes,
            is_flat: false,
            is_constant: false,
            writes: Writes::NONE,
            lookups: 0,
            truths: 0,
        }
    }

    /// Makes the commands after the first ones flat where that can be done. Returns the number of lookups that each of
    /// them has, the same for all, so that no jump depends on it; and whether each reads only one word.
    fn flatten(&mut self, first: usize) -> (usize, bool) {
        let mut flats: Vec<(usize, Flat)> = Vec::new();
        for (number, command) in self.commands.iter_mut().enumerate().skip(first) {
            let &[Outcome { condition, writes, computed, fault }] =
                &self.outcomes[command.outcomes.0 as usize..command.outcomes.1 as usize]
            else {
                continue;
            };
            let unconditional = self.programs.flat(condition).is_some_and(|flat| flat.truths == u16::MAX);
            if let Some(flat) = self.programs.flat(command.guard).filter(|_| unconditional) {
                command.is_flat = true;
                command.is_constant = !fault && computed.0 == computed.1;
                command.writes = writes;
                flats.push((number, flat));
            }
        }
        let lookups = flats.iter().map(|(_, flat)| flat.lookups.len()).max().unwrap_or(0);
        debug_assert!(lookups <= FLAT);
        let one_word = flats.iter().all(|(_, flat)| flat.lookups.iter().all(Lookup::reads_one_word));
        let filler = self.programs.never();
        for (number, Flat { lookups: own, truths }) in flats {
            let command = &mut self.commands[number];
            (command.lookups, command.truths) = (self.lookups.len() as u32, truths);
            let fillers = lookups - own.len();
            self.lookups.extend(own.into_iter().chain(std::iter::repeat_n(filler, fillers)));
        }
        (lookups, one_word)
    }

    fn add_outcome(&mut self, outcome: &super::specialise::Outcome) {
        let packing = &Arc::clone(&self.packing);
        let condition = self.programs.predicate(&Expr::and(outcome.conditions.iter().cloned()));
        let (mut keep, mut set) = ([u64::MAX; W], [0u64; W]);
        let first = self.computed.len() as u32;
        let mut fault = outcome.fault;
        for (&cell, value) in &outcome.writes {
            let field = packing.fields[cell];
            keep[field.word] &= !field.mask();
            match as_constant(value) {
                Some(value) if field.lo <= value && value <= field.hi => {
                    set[field.word] |= field.encode(value);
                }
                Some(_) => fault = true,
                None => {
                    let value = self.programs.value(value);
                    self.computed.push(Computed { field, value });
                }
            }
        }
        let computed = (first, self.computed.len() as u32);
        self.outcomes.push(Outcome { condition, writes: Writes { keep, set }, computed, fault });
    }

    /// Appends the successors of a state, each with its action, in the order of the actions of each process.
    #[inline]
    fn expand(
        &self,
        by: impl Instructions,
        state: &Words<W>,
        labels: &mut Vec<u16>,
        targets: &mut Vec<Words<W>>,
    ) -> Result<(), Unclear> {
        let mut labels = Appending::new(labels, self.most);
        let mut targets = Appending::new(targets, self.most);
        for owner in &self.owners {
            let (first, last) = owner.lists[owner.key.of(by, state)];
            for command in &self.commands[first as usize..last as usize] {
                let (mut results, mut all) = (0, 0);
                let lookups = &self.lookups[command.lookups as usize..][..owner.lookups];
                for (k, lookup) in lookups.iter().enumerate() {
                    let result = self.programs.look_up(by, lookup, owner.one_word, state);
                    results |= result << k;
                    all |= result;
                }
                // If a table says fault, that is one, or the test does not matter. Then the results have more bits.
                let is_clear = all <= Truth::True as u8;
                let enabled = command.truths >> (results & 15) & 1 == 1;
                if command.is_constant && is_clear {
                    targets.push_if(command.writes.after(state), enabled);
                    labels.push_if(command.action, enabled);
                } else if command.is_flat && is_clear {
                    if enabled {
                        let outcome = &self.outcomes[command.outcomes.0 as usize];
                        targets.push_if(self.target(outcome, state)?, true);
                        labels.push_if(command.action, true);
                    }
                } else {
                    self.carry_out(command, state, labels.list(), targets.list())?;
                    labels.renew(self.most);
                    targets.renew(self.most);
                }
            }
        }
        Ok(())
    }

    /// Appends the successors of some states, process by process, and calls `appended` with those of each process. The
    /// fields of a process and how many lookups it has are then read once for all states. Sets `live` for the states that
    /// have a successor. Unclear if not all commands just write constants, or if there may be a fault.
    #[inline]
    pub(super) fn expand_all(
        &self,
        by: impl Instructions,
        states: &[Words<W>],
        live: &mut [bool],
        targets: &mut Vec<Words<W>>,
        mut appended: impl FnMut(&[Words<W>]),
    ) -> Result<(), Unclear> {
        if !self.is_constant {
            return Err(Unclear);
        }
        for owner in &self.owners {
            let before = targets.len();
            match owner.lookups {
                0 => self.expand_owner::<0>(by, owner, states, live, targets)?,
                1 => self.expand_owner::<1>(by, owner, states, live, targets)?,
                2 => self.expand_owner::<2>(by, owner, states, live, targets)?,
                3 => self.expand_owner::<3>(by, owner, states, live, targets)?,
                _ => self.expand_owner::<FLAT>(by, owner, states, live, targets)?,
            }
            appended(&targets[before..]);
        }
        Ok(())
    }

    /// The part of [`Successors::expand_all`] for a process with this many lookups.
    #[inline]
    fn expand_owner<const LOOKUPS: usize>(
        &self,
        by: impl Instructions,
        owner: &Owner,
        states: &[Words<W>],
        live: &mut [bool],
        targets: &mut Vec<Words<W>>,
    ) -> Result<(), Unclear> {
        let mut targets = Appending::new(targets, owner.most * states.len());
        let mut faults = 0;
        for (state, live) in states.iter().zip(live) {
            let (first, last) = owner.lists[owner.key.of(by, state)];
            for command in &self.commands[first as usize..last as usize] {
                let mut results = 0;
                for (k, lookup) in self.lookups[command.lookups as usize..][..LOOKUPS].iter().enumerate() {
                    let result = self.programs.look_up(by, lookup, owner.one_word, state);
                    results |= result << k;
                    faults |= result;
                }
                // If there is a fault, the results have more bits than they should, and do not matter.
                let enabled = command.truths >> (results & 15) & 1 == 1;
                targets.push_if(command.writes.after(state), enabled);
                *live |= enabled;
            }
        }
        if faults > Truth::True as u8 { Err(Unclear) } else { Ok(()) }
    }

    /// Appends the successors by a command that need not be flat.
    #[inline(never)]
    fn carry_out(
        &self,
        command: &Command<W>,
        state: &Words<W>,
        labels: &mut Vec<u16>,
        targets: &mut Vec<Words<W>>,
    ) -> Result<(), Unclear> {
        match self.programs.test(command.guard, state) {
            Truth::False => return Ok(()),
            Truth::True => {}
            Truth::Fault => return Err(Unclear),
        }
        let (first, last) = command.outcomes;
        let before = targets.len();
        if first == last {
            let Some(effect) = &self.effects[usize::from(command.action)] else { return Err(Unclear) };
            targets.push(*state);
            effect.apply(targets, before).ok_or(Unclear)?;
            remove_same(targets, before);
            labels.resize(labels.len() + targets.len() - before, command.action);
            return Ok(());
        }
        for outcome in &self.outcomes[first as usize..last as usize] {
            match self.programs.test(outcome.condition, state) {
                Truth::False => continue,
                Truth::True => {}
                Truth::Fault => return Err(Unclear),
            }
            let target = self.target(outcome, state)?;
            if last - first == 1 || !targets[before..].contains(&target) {
                labels.push(command.action);
                targets.push(target);
            }
        }
        Ok(())
    }

    /// The state after an outcome.
    #[inline]
    fn target(&self, outcome: &Outcome<W>, state: &Words<W>) -> Result<Words<W>, Unclear> {
        if outcome.fault {
            return Err(Unclear);
        }
        let mut target = outcome.writes.after(state);
        for computed in &self.computed[outcome.computed.0 as usize..outcome.computed.1 as usize] {
            let Computed { field, value } = computed;
            match self.programs.number(value, state) {
                Some(number) if field.lo <= number && number <= field.hi => {
                    target[field.word] |= field.encode(number);
                }
                _ => return Err(Unclear),
            }
        }
        Ok(target)
    }
}

/// The actions of an instance, by the first of the processes that take part.
fn groups(instance: &Instance, first: usize) -> BTreeMap<Vec<ProcessId>, Vec<ActionId>> {
    let mut groups: BTreeMap<Vec<ProcessId>, Vec<ActionId>> = BTreeMap::new();
    for (number, action) in instance.actions.iter().enumerate() {
        let processes = action.participants.iter().take(first).map(|(process, _)| *process).collect();
        groups.entry(processes).or_default().push(ActionId(number as u32));
    }
    groups
}

/// Removes states that occur again after a position. The order of the others is kept if there are few.
fn remove_same<const W: usize>(states: &mut Vec<Words<W>>, from: usize) {
    if states.len() - from > COMPARED {
        states[from..].sort_unstable();
        let mut last: Option<Words<W>> = None;
        let mut kept = from;
        for number in from..states.len() {
            let state = states[number];
            if last.replace(state) != Some(state) {
                states[kept] = state;
                kept += 1;
            }
        }
        states.truncate(kept);
        return;
    }
    let mut number = from + 1;
    while number < states.len() {
        if states[from..number].contains(&states[number]) {
            states.remove(number);
        } else {
            number += 1;
        }
    }
}

/// Whether at most one of some outcomes has a true condition, as far as can be seen at once.
fn exclude_each_other(outcomes: &[super::specialise::Outcome]) -> bool {
    let exclude = |a: &super::specialise::Outcome, b: &super::specialise::Outcome| {
        a.conditions.iter().any(|one| b.conditions.iter().any(|other| contradict(one, other)))
    };
    (1..=SPLIT).contains(&outcomes.len())
        && (0..outcomes.len()).all(|b| (0..b).all(|a| exclude(&outcomes[a], &outcomes[b])))
}

/// Whether one condition negates another, or the same expression has another value.
fn contradict(one: &Expr, other: &Expr) -> bool {
    match (one, other) {
        (Expr::Binary(Operator::Eq, a, x), Expr::Binary(Operator::Eq, b, y)) => {
            a == b && as_constant(x).zip(as_constant(y)).is_some_and(|(x, y)| x != y)
        }
        _ => *one == Expr::negated(other.clone()) || *other == Expr::negated(one.clone()),
    }
}

impl<const W: usize> Writes<W> {
    const NONE: Writes<W> = Writes { keep: [u64::MAX; W], set: [0; W] };

    /// The state after a step.
    #[inline]
    fn after(&self, state: &Words<W>) -> Words<W> {
        std::array::from_fn(|k| state[k] & self.keep[k] | self.set[k])
    }
}

impl<const W: usize> Successors<W> {
    /// Appends the successors of a state as [`Successors::expand`] does, by the reference semantics where the compiled form
    /// cannot decide. The error is the first fault of an action. A deadlock has no successors.
    #[inline]
    pub(super) fn steps(
        &self,
        state: &Words<W>,
        labels: &mut Vec<u16>,
        targets: &mut Vec<Words<W>>,
    ) -> Result<(), (ActionId, Fault)> {
        #[cfg(target_arch = "x86_64")]
        if let Some(special) = Special::detect() {
            return self.steps_by(special, state, labels, targets);
        }
        self.steps_by(Usual, state, labels, targets)
    }

    /// Appends the steps of a state that was expanded without a fault. A deadlock has the step `idle` to itself.
    #[inline]
    pub(super) fn steps_again(&self, state: &Words<W>, labels: &mut Vec<u16>, targets: &mut Vec<Words<W>>) {
        let before = targets.len();
        let steps = self.steps(state, labels, targets);
        debug_assert!(steps.is_ok());
        if targets.len() == before {
            labels.push(IDLE);
            targets.push(*state);
        }
    }

    /// [`Successors::steps`], by these instructions.
    #[inline]
    pub(super) fn steps_by(
        &self,
        by: impl Instructions,
        state: &Words<W>,
        labels: &mut Vec<u16>,
        targets: &mut Vec<Words<W>>,
    ) -> Result<(), (ActionId, Fault)> {
        let (labelled, before) = (labels.len(), targets.len());
        if self.expand(by, state, labels, targets).is_ok() {
            return Ok(());
        }
        labels.truncate(labelled);
        targets.truncate(before);
        self.steps_by_semantics(state, labels, targets)
    }

    /// Appends the successors of a state by the reference semantics.
    #[cold]
    pub(super) fn steps_by_semantics(
        &self,
        state: &Words<W>,
        labels: &mut Vec<u16>,
        targets: &mut Vec<Words<W>>,
    ) -> Result<(), (ActionId, Fault)> {
        let state = self.packing.unpack(state);
        for &action in &self.order {
            let found =
                semantics::successors(&self.instance, &state, action).map_err(|fault| (action, fault))?;
            for target in found {
                let mut words = [0; W];
                self.packing.pack(&target, &mut words);
                labels.push(action.0 as u16);
                targets.push(words);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use model::initial::initial_states;
    use model::{Instance, semantics};

    use super::super::random;
    use super::*;
    use crate::graph::tests::Random;

    /// The successors by the reference semantics, in no particular order; `None` if there is a fault.
    fn by_definition(instance: &Instance, state: &model::State) -> Option<Vec<(u16, model::State)>> {
        let mut found = Vec::new();
        for action in 0..instance.actions.len() as u32 {
            let targets = semantics::successors(instance, state, ActionId(action)).ok()?;
            found.extend(targets.into_iter().map(|target| (action as u16, target)));
        }
        found.sort();
        Some(found)
    }

    #[test]
    fn compiled_successors_are_those_of_the_reference_semantics() {
        let mut random = Random(5);
        let (mut clear, mut unclear, mut faults, mut together) = (0, 0, 0, 0);
        for _ in 0..2_000 {
            let task = random::task(&mut random);
            let instance = Arc::clone(task.subject.instance().expect("no open parameters"));
            let packing = Arc::new(Packing::new(&instance));
            let Some(Ok(mut state)) = initial_states(&instance).next() else { continue };
            let successors = Successors::<4>::new(&instance, &packing, &|| Ok(())).expect("no limit");
            // A random walk, comparing in every state.
            for _ in 0..12 {
                let mut words = [0; 4];
                packing.pack(&state, &mut words);
                assert_eq!(packing.unpack(&words), state);
                let (mut labels, mut targets) = (Vec::new(), Vec::new());
                let compiled = successors.expand(Usual, &words, &mut labels, &mut targets);
                let Some(expected) = by_definition(&instance, &state) else {
                    assert!(compiled.is_err(), "a fault goes unnoticed in {state:?} of {:#?}", task.system());
                    faults += 1;
                    break;
                };
                let (mut all, mut live) = (Vec::new(), [false; 2]);
                let at_once = |all: &mut Vec<Words<4>>, live: &mut [bool]| {
                    successors.expand_all(Usual, &[words, words], live, all, |_| {})
                };
                if at_once(&mut all, &mut live).is_ok() {
                    let mut all: Vec<model::State> = all.iter().map(|words| packing.unpack(words)).collect();
                    let mut twice: Vec<model::State> =
                        expected.iter().chain(&expected).map(|(_, target)| target.clone()).collect();
                    all.sort();
                    twice.sort();
                    assert_eq!(all, twice, "at once, in {state:?} of {:#?}", task.system());
                    assert_eq!(live, [!expected.is_empty(); 2]);
                    together += 1;
                }
                if compiled.is_err() {
                    unclear += 1;
                } else {
                    clear += 1;
                    let targets = targets.iter().map(|words| packing.unpack(words));
                    let mut found: Vec<(u16, model::State)> = labels.into_iter().zip(targets).collect();
                    found.sort();
                    assert_eq!(found, expected, "in {state:?} of {:#?}", task.system());
                }
                if expected.is_empty() {
                    break;
                }
                state = expected[random.below(expected.len() as u64) as usize].1.clone();
            }
        }
        assert!(clear > 8_000 && faults > 50, "{clear} clear, {unclear} unclear, {faults} faults");
        assert!(together > 200, "{together} expanded at once");
        // The states left to the reference semantics are mostly those of updates that write a cell twice.
        assert!(unclear * 4 < clear, "{clear} clear, {unclear} unclear");
    }
}
