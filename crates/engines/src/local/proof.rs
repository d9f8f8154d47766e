//! Writes down why a property holds: the proof that the judge checks.
//!
//! The sets of a proof are the sets of the search. A class is told by exposed predicates, one per bit of its number; the
//! invariant of a process is that it is in one of its local states, and, where invariants or faults
//! depend on it, that the abstract state can be reached. The eliminations are the events of [`super::fair`], whose sets
//! are written as briefly as may be where they matter.

use std::collections::BTreeMap;

use model::proof::{self, Builder, Case, Class, Elimination, Exposed, Part, Root, Test};
use model::{Expr, Place, ProcessId, Task, ground};

use super::abstraction::Abstraction;
use super::behaviour::{Locals, Partition};
use super::fair::Event;
use super::sharing::Sharing;
use crate::bdd::Bdd;
use crate::encoding::Stop;
use crate::encoding::written::{Written, tests_of};
use crate::regions::Sets;
use crate::regions::fair::Cause;

/// A proof that is being written.
pub(super) struct Writer<'s> {
    sharing: &'s Sharing<'s>,
    locals: &'s [Locals],
    builder: Builder,
    exposed: Vec<Exposed>,
    numbers: BTreeMap<(usize, Vec<bool>), usize>,
    /// That each process is in one of its local states.
    listed: Vec<Root>,
    /// The same with what can be reached, if that has been written.
    reached: BTreeMap<usize, Root>,
    cases: Vec<Case>,
}

impl<'s> Writer<'s> {
    pub(super) fn new(sharing: &'s Sharing<'s>, locals: &'s [Locals]) -> Writer<'s> {
        let mut writer = Writer {
            sharing,
            locals,
            builder: Builder::default(),
            exposed: Vec::new(),
            numbers: BTreeMap::new(),
            listed: Vec::new(),
            reached: BTreeMap::new(),
            cases: Vec::new(),
        };
        for process in 0..locals.len() {
            let root = writer.local_states(process);
            writer.listed.push(root);
        }
        writer
    }

    /// An empty proof of the same task.
    pub(super) fn fresh(&self) -> Writer<'s> {
        Writer::new(self.sharing, self.locals)
    }

    /// Writes that every reachable state is among some: all of it as the invariant of the first process, which makes it
    /// one that steps preserve, and, if it should be shown, for `each` other what is said of it and of shared cells.
    pub(super) fn invariant(
        &mut self,
        system: &Abstraction<'_>,
        states: &Bdd,
        each: bool,
    ) -> Result<(), Stop> {
        let processes = if each { self.locals.len() } else { 1 };
        for process in 0..processes {
            let mut said = states.clone();
            if process > 0 {
                let others = (0..self.locals.len()).filter(|other| *other != process);
                let bits: Vec<u32> =
                    others.flat_map(|other| system.cells.bits_of(system.class_cell(other))).collect();
                said = system.table.forget(states, &bits)?;
            }
            let mut written = self.tests(system);
            // The conjunction with the process's own invariant: what is true becomes that.
            written.stands_for(system.table.always(), self.listed[process]);
            let root = written.set(&mut self.builder, &said);
            self.reached.insert(process, root);
        }
        Ok(())
    }

    /// Why no run of an alternative is both fair and accepted, if `process` takes infinitely many steps.
    pub(super) fn case(
        &mut self,
        task: &Task,
        system: &Abstraction<'_>,
        alternative: usize,
        process: Option<usize>,
        reachable: &Sets,
        parts: &[(Vec<u32>, Vec<Event>)],
    ) {
        let requirements =
            ground::requirements(self.sharing.instance, &task.fairness.alternatives[alternative]);
        let mut written = self.tests(system);
        let mut sets = |writer: &mut Self, sets: &Sets| -> Vec<Root> {
            sets.iter().map(|set| written.set(&mut writer.builder, set)).collect()
        };
        let reached = sets(self, reachable);
        let mut all = Vec::new();
        for (states, events) in parts {
            let mut eliminations = Vec::new();
            for event in events {
                let removed = sets(self, &event.removed);
                let demand = match event.cause {
                    Cause::Stuck => None,
                    Cause::Mark(mark) => Some(proof::Demand::Mark(mark)),
                    Cause::Demand(number) => Some(match requirements.get(number) {
                        Some((number, values, _)) => {
                            proof::Demand::Requirement { number: *number, values: values.clone() }
                        }
                        // Variant A has one more demand, after the requirements.
                        None => proof::Demand::Class,
                    }),
                };
                eliminations.push(match demand {
                    None => Elimination::Trimmed { removed },
                    Some(demand) => Elimination::Unmet { demand, closed: sets(self, &event.closed), removed },
                });
            }
            let states = states.iter().map(|state| *state as usize).collect();
            all.push(Part { states, eliminations });
        }
        let class = process.map(|process| Class {
            processes: vec![ProcessId(process as u32)],
            unowned: process == 0,
            mark: None,
        });
        self.cases.push(Case { alternative, class, reached, parts: all });
    }

    /// The proof.
    pub(super) fn finish(self) -> proof::Local {
        let mut invariants = self.listed;
        for (process, root) in self.reached {
            invariants[process] = root;
        }
        proof::Local {
            exposed: self.exposed,
            diagrams: self.builder.finish(),
            invariants,
            cases: self.cases,
            sure: Vec::new(),
        }
    }

    /// What the bits of abstract states are in a proof.
    fn tests<'a>(&mut self, system: &'a Abstraction<'a>) -> Written<'a, 'a> {
        let cells = self.sharing.instance.cells.len();
        let mut tests = vec![Test::Exposed(0); system.cells.bits()];
        for cell in 0..cells + system.partitions.len() {
            for (bit, test) in tests_of(system.cells, cell) {
                tests[bit as usize] = match test {
                    Test::Bit { bit, .. } if cell >= cells => {
                        let process = cell - cells;
                        Test::Exposed(self.expose(process, &system.partitions[process], bit))
                    }
                    test => test,
                };
            }
        }
        Written::new(system.table, tests)
    }

    /// The exposed predicate that a bit of the class of a process is set.
    fn expose(&mut self, process: usize, partition: &Partition, bit: u32) -> usize {
        let set: Vec<bool> = partition.class.iter().map(|class| class >> bit & 1 == 1).collect();
        let next = self.exposed.len();
        let number = *self.numbers.entry((process, set.clone())).or_insert(next);
        if number == next {
            let predicate = self.predicate(process, &set);
            self.exposed.push(Exposed { process: ProcessId(process as u32), predicate });
        }
        number
    }

    /// That a process is in one of some local states, by as few of its cells as tell them from the others.
    fn predicate(&self, process: usize, set: &[bool]) -> Expr {
        let (own, states) = (&self.sharing.own[process], &self.locals[process].states);
        let mut places: Vec<usize> = (0..own.len()).collect();
        let tells = |places: &[usize]| {
            let mut seen = BTreeMap::new();
            states.iter().zip(set).all(|(values, is_in)| {
                let key: Vec<i64> = places.iter().map(|place| values[*place]).collect();
                *seen.entry(key).or_insert(*is_in) == *is_in
            })
        };
        for place in 0..own.len() {
            let fewer: Vec<usize> = places.iter().copied().filter(|other| *other != place).collect();
            if tells(&fewer) {
                places = fewer;
            }
        }
        let mut rows: Vec<Vec<i64>> = states
            .iter()
            .zip(set)
            .filter(|(_, is_in)| **is_in)
            .map(|(values, _)| places.iter().map(|place| values[*place]).collect())
            .collect();
        rows.sort();
        rows.dedup();
        let index = self.sharing.instance.processes[process].index;
        let read = |place: usize| {
            let cell = &self.sharing.instance.cells[own[place]];
            Expr::Read(Place {
                variable: cell.variable,
                process: index.map(|value| Box::new(Expr::Int(value))),
                position: cell.position.iter().map(|value| Expr::Int(*value)).collect(),
            })
        };
        let row = |row: &Vec<i64>| {
            Expr::and(places.iter().zip(row).map(|(place, value)| Expr::eq(read(*place), Expr::Int(*value))))
        };
        Expr::or(rows.iter().map(row))
    }

    /// The diagram of the local states of a process, over the bits of its cells.
    fn local_states(&mut self, process: usize) -> Root {
        let mut bits = Vec::new();
        for (place, cell) in self.sharing.own[process].iter().enumerate() {
            let domain = self.sharing.instance.cells[*cell].domain;
            bits.extend((0..domain.bits()).rev().map(|bit| (place, *cell, bit, domain.lo)));
        }
        // From the last bit up: the diagram of each set of endings.
        let code = |values: &[i64]| -> Vec<bool> {
            bits.iter().map(|(place, _, bit, lo)| (values[*place] - lo) >> bit & 1 == 1).collect()
        };
        let mut level: BTreeMap<Vec<bool>, Root> =
            self.locals[process].states.iter().map(|values| (code(values), Root::TRUE)).collect();
        for (_, cell, bit, _) in bits.iter().rev() {
            let mut above: BTreeMap<Vec<bool>, (Root, Root)> = BTreeMap::new();
            for (mut prefix, root) in level {
                let last = prefix.pop().unwrap_or(false);
                let entry = above.entry(prefix).or_insert((Root::FALSE, Root::FALSE));
                if last { entry.1 = root } else { entry.0 = root }
            }
            level = above
                .into_iter()
                .map(|(prefix, (no, yes))| {
                    (prefix, self.builder.node(Test::Bit { cell: *cell, bit: *bit }, no, yes))
                })
                .collect();
        }
        level.into_values().next().unwrap_or(Root::TRUE)
    }
}
