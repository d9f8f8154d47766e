//! How many processes of each proctype can be alive at once: at most as many as are ever created.
//!
//! `run` in a loop is bounded only if the loop is, so the code is followed with the values of variables that are
//! known: `proc <= N` is decided where `proc` was counted up from 1. These are local variables, and global ones that only
//! this process writes. What is not known may be anything. A proctype is
//! followed for each combination of known arguments, which also ends most recursions. What is still not bounded is
//! [listed](super::listing), or refused.
//!
//! The same knowledge unrolls loops inside `atomic` ([`super::steps`]).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lang::diagnostic::Diagnostic;
use lang::syntax::Name;

use super::flow::{Flow, Step};
use super::syntax::{Expr, Initial, Node};
use super::world::{Result, World};

/// The known values of variables.
pub(super) type Known = BTreeMap<String, i64>;

/// More processes of one proctype are refused.
pub(super) const PROCESSES: i64 = 64;

/// The greatest number of situations that are followed in one process.
const SITUATIONS: usize = 20_000;

/// After so many situations at one place, nothing is known there any more.
const VISITS: usize = 1_000;

/// How deep processes may create processes.
const DEPTH: usize = 64;

/// Notes how many processes of each proctype there can be. Code that is never reached may create some too.
pub(super) fn apply(world: &mut World<'_>, counts: &[i64]) {
    world.owned = owned(world);
    let run = run(world);
    for (process, count) in world.processes.iter_mut().zip(counts) {
        process.runs = run.contains(&process.source.name.text);
        process.count = *count.max(&(process.active + i64::from(process.runs)));
    }
}

/// How many processes of each proctype there can be.
pub(super) fn counts(world: &mut World<'_>) -> Result<Vec<i64>> {
    world.owned = owned(world);
    let mut counter = Counter { world, memo: BTreeMap::new() };
    let mut total = vec![0_i64; counter.world.processes.len()];
    for process in 0..total.len() {
        let active = counter.world.processes[process].active;
        if active > 0 {
            let known = initially(counter.world, process, &[]);
            let created = counter.created(process, &known, 0)?;
            for (sum, own) in total.iter_mut().zip(created) {
                *sum += own * active;
            }
        }
    }
    for (process, sum) in world.processes.iter().zip(&mut total) {
        *sum += process.active;
        if *sum > PROCESSES {
            let message = format!("more than {PROCESSES} processes are not supported");
            return Err(
                Diagnostic::error(process.source.name.span, message, "it may be run more often").into()
            );
        }
    }
    Ok(total)
}

/// The names of the proctypes that some `run` creates.
pub(super) fn run(world: &World<'_>) -> BTreeSet<String> {
    let nodes = world.processes.iter().flat_map(|process| &process.flow.nodes);
    let edges = nodes.flat_map(|node| node.edges.iter().chain(&node.escapes));
    edges.filter_map(|edge| run_of(&edge.step)).map(|(name, _)| name.text.clone()).collect()
}

/// The known values at the beginning of a process, with arguments where they are known.
pub(super) fn initially(world: &World<'_>, process: usize, arguments: &[Option<i64>]) -> Known {
    let proctype = &world.processes[process];
    let mut known = Known::new();
    for name in world.owned.iter().filter(|(_, owner)| **owner == process).map(|(name, _)| name) {
        let variable = &world.globals[name];
        let Some(values) = variable.kind.numbers() else { continue };
        let value = match &variable.declared.initial {
            Initial::None => Some(0),
            Initial::Value(value) => world.at_first(value),
            _ => None,
        };
        if let (None, Some(value)) = (variable.size, value) {
            known.insert(name.clone(), wrapped(value, values));
        }
    }
    for (number, name) in proctype.order.iter().enumerate() {
        let variable = &proctype.variables[name];
        let Some(values) = variable.kind.numbers() else { continue };
        if variable.size.is_some() {
            continue;
        }
        let value = if number < proctype.source.parameters.len() {
            arguments.get(number).copied().flatten()
        } else {
            match &variable.declared.initial {
                Initial::None => Some(0),
                Initial::Value(value) => evaluate(value, &known, world, process),
                _ => None,
            }
        };
        if let Some(value) = value {
            known.insert(name.clone(), wrapped(value, values));
        }
    }
    known
}

/// The global numbers that one process writes, and no other, with its proctype.
fn owned(world: &World<'_>) -> BTreeMap<String, usize> {
    let edges = |process: usize| {
        let nodes = world.processes[process].flow.nodes.iter();
        nodes.flat_map(|node| node.edges.iter().chain(&node.escapes))
    };
    let mut writers: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let run = run(world);
    for process in 0..world.processes.len() {
        for edge in edges(process) {
            let written: Vec<&String> = match &edge.step {
                Step::Assign(place, _) => vec![&place.name.text],
                Step::Receive { values, .. } => values
                    .iter()
                    .filter_map(|value| match &value.node {
                        Node::Place(place) => Some(&place.name.text),
                        _ => None,
                    })
                    .collect(),
                _ => Vec::new(),
            };
            for name in
                written.into_iter().filter(|name| !world.processes[process].variables.contains_key(*name))
            {
                writers.entry(name.clone()).or_default().insert(process);
            }
        }
    }
    let is_alone = |process: usize| {
        let proctype = &world.processes[process];
        proctype.active == 1 && !run.contains(&proctype.source.name.text)
    };
    let only = |(name, writers): (String, BTreeSet<usize>)| {
        // A symbol in a message is not written.
        world.globals.get(&name)?;
        let process = writers.first().copied().filter(|process| writers.len() == 1 && is_alone(*process))?;
        Some((name, process))
    };
    writers.into_iter().filter_map(only).collect()
}

fn wrapped(value: i64, values: crate::numbers::Interval) -> i64 {
    (value - values.lo).rem_euclid(values.hi - values.lo + 1) + values.lo
}

/// The value of an expression, if it is known.
pub(super) fn evaluate(expr: &Expr, known: &Known, world: &World<'_>, process: usize) -> Option<i64> {
    expr.constant(&|name| {
        if world.processes[process].variables.contains_key(name) || world.globals.contains_key(name) {
            return known.get(name).copied();
        }
        world.symbols.get(name).copied()
    })
}

/// Whether a step can be done, if it is known.
pub(super) fn possible(step: &Step, known: &Known, world: &World<'_>, process: usize) -> Option<bool> {
    match step {
        Step::Wait(condition) if matches!(condition.node, Node::Run(..)) => Some(true),
        Step::Wait(condition) => evaluate(condition, known, world, process).map(|value| value != 0),
        Step::Else(others) => {
            let mut all = Some(true);
            for other in others {
                match possible(other, known, world, process) {
                    Some(true) => return Some(false),
                    Some(false) => {}
                    None => all = None,
                }
            }
            all
        }
        Step::Skip | Step::Assign(..) | Step::Assert(_) => Some(true),
        Step::Send { .. } | Step::Receive { .. } => None,
    }
}

/// The process that a step creates, with its arguments.
pub(super) fn run_of(step: &Step) -> Option<(&Name, &[Expr])> {
    match step {
        Step::Wait(Expr { node: Node::Run(name, values), .. })
        | Step::Assign(_, Expr { node: Node::Run(name, values), .. }) => Some((name, values)),
        _ => None,
    }
}

/// What is known after a step.
pub(super) fn after(step: &Step, known: &Known, world: &World<'_>, process: usize) -> Known {
    followed(step, known, world, process, false)
}

/// What is known after a step; if it is `inside` what is not interrupted, also of global variables.
pub(super) fn followed(step: &Step, known: &Known, world: &World<'_>, process: usize, inside: bool) -> Known {
    let mut known = known.clone();
    match step {
        Step::Assign(place, value) if place.is_plain() => {
            let name = &place.name.text;
            let global = || {
                let stays = inside || world.owned.get(name) == Some(&process);
                world.globals.get(name).filter(|_| stays)
            };
            let variable = world.processes[process].variables.get(name).or_else(global);
            let values = variable.filter(|variable| variable.size.is_none());
            let values = values.and_then(|variable| variable.kind.numbers());
            let value = evaluate(value, &known, world, process);
            known.remove(name);
            if let (Some(values), Some(value)) = (values, value) {
                known.insert(name.clone(), wrapped(value, values));
            }
        }
        Step::Receive { values, .. } => {
            for value in values {
                if let Node::Place(place) = &value.node {
                    known.remove(&place.name.text);
                }
            }
        }
        _ => {}
    }
    known
}

/// What is known at each place of a process, however it comes there.
pub(super) fn everywhere(world: &World<'_>, process: usize) -> Vec<Option<Known>> {
    let flow = &world.processes[process].flow;
    let mut found: Vec<Option<Known>> = vec![None; flow.nodes.len()];
    found[flow.start] = Some(initially(world, process, &[]));
    let mut open = VecDeque::from([flow.start]);
    while let Some(at) = open.pop_front() {
        let Some(known) = found[at].clone() else { continue };
        for edge in flow.nodes[at].edges.iter().chain(&flow.nodes[at].escapes) {
            if possible(&edge.step, &known, world, process) == Some(false) {
                continue;
            }
            let next = after(&edge.step, &known, world, process);
            let joined = match &found[edge.to] {
                None => next,
                Some(old) => {
                    let same = |(name, value): (&String, &i64)| {
                        (next.get(name) == Some(value)).then(|| (name.clone(), *value))
                    };
                    old.iter().filter_map(same).collect()
                }
            };
            if found[edge.to].as_ref() != Some(&joined) {
                found[edge.to] = Some(joined);
                open.push_back(edge.to);
            }
        }
    }
    found
}

type Counts = Vec<i64>;

struct Counter<'a, 'b> {
    world: &'a World<'b>,
    /// `None` while it is being counted.
    memo: BTreeMap<(usize, Known), Option<Counts>>,
}

impl Counter<'_, '_> {
    /// How many processes of each proctype a process creates, and those that it creates, and so on.
    fn created(&mut self, process: usize, known: &Known, depth: usize) -> Result<Counts> {
        let key = (process, known.clone());
        let span = self.world.processes[process].source.name.span;
        let unbounded = |label: &str| -> Result<Counts> {
            let message = "it is not known how many processes the model creates";
            Err(Diagnostic::error(span, message, label).into())
        };
        match self.memo.get(&key) {
            Some(Some(counts)) => return Ok(counts.clone()),
            Some(None) => return unbounded("this one may create itself again and again"),
            None if depth > DEPTH => return unbounded("this one is created too deeply"),
            None => {}
        }
        self.memo.insert(key.clone(), None);
        let flow: &Flow = &self.world.processes[process].flow;
        let none = vec![0_i64; self.world.processes.len()];
        let edges = || flow.nodes.iter().flat_map(|node| node.edges.iter().chain(&node.escapes));
        if !edges().any(|edge| run_of(&edge.step).is_some()) {
            self.memo.insert(key, Some(none.clone()));
            return Ok(none);
        }
        // The most that is created on a path to each situation.
        let mut best: BTreeMap<(usize, Known), Counts> = BTreeMap::new();
        best.insert((flow.start, known.clone()), none.clone());
        let mut open = BTreeSet::from([(flow.start, known.clone())]);
        let mut most = none.clone();
        let mut visited = vec![0_usize; flow.nodes.len()];
        while let Some(situation) = open.pop_first() {
            let (at, known) = &situation;
            let counts = best[&situation].clone();
            for edge in flow.nodes[*at].edges.iter().chain(&flow.nodes[*at].escapes) {
                if possible(&edge.step, known, self.world, process) == Some(false) {
                    continue;
                }
                let mut next = counts.clone();
                if let Some((name, values)) = run_of(&edge.step) {
                    let child = self.world.process(name)?;
                    let arguments: Vec<Option<i64>> =
                        values.iter().map(|value| evaluate(value, known, self.world, process)).collect();
                    let begins = initially(self.world, child, &arguments);
                    next[child] += 1;
                    for (sum, own) in next.iter_mut().zip(self.created(child, &begins, depth + 1)?) {
                        *sum += own;
                    }
                }
                if next.iter().any(|count| *count > 2 * PROCESSES) {
                    return unbounded("it may run processes again and again");
                }
                let mut there = (edge.to, after(&edge.step, known, self.world, process));
                let visits = &mut visited[edge.to];
                *visits += usize::from(!best.contains_key(&there));
                if *visits > VISITS {
                    // A loop that nothing known ends: its values do not matter any more.
                    there.1.clear();
                }
                let old = best.get(&there);
                let joined = match old {
                    None => next,
                    Some(old) => old.iter().zip(&next).map(|(a, b)| *a.max(b)).collect(),
                };
                if old != Some(&joined) {
                    for (most, own) in most.iter_mut().zip(&joined) {
                        *most = (*most).max(*own);
                    }
                    best.insert(there.clone(), joined);
                    open.insert(there);
                }
            }
            if best.len() > SITUATIONS {
                return unbounded("its code has too many cases");
            }
        }
        self.memo.insert(key, Some(most.clone()));
        Ok(most)
    }
}
