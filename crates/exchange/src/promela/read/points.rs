//! Which channels a variable of type `chan` may hold, without regard to the order of steps.
//!
//! A channel comes into a variable by its declaration, an assignment, an argument of `run`, or a message. The least sets that
//! are closed under these are found by going through all steps until nothing changes.

use std::collections::{BTreeMap, BTreeSet};

use super::flow::Step;
use super::syntax::{Expr, Node, Place};
use super::world::World;

/// Something that holds channels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    /// A variable of a proctype, or of the whole file.
    Variable(Option<usize>, String),
    /// A field of the messages of a group of channels.
    Field(usize, usize),
}

/// The groups of channels that each variable may hold.
#[derive(Debug, Default)]
pub(super) struct Points {
    groups: BTreeMap<Holder, BTreeSet<usize>>,
    /// The variables that some step writes.
    written: BTreeSet<Holder>,
    changed: bool,
}

impl Points {
    pub(super) fn new(world: &World<'_>) -> Points {
        let mut points = Points::default();
        for (name, variable) in &world.globals {
            points.groups.insert(Holder::Variable(None, name.clone()), variable.group.into_iter().collect());
        }
        for (number, process) in world.processes.iter().enumerate() {
            for (name, variable) in &process.variables {
                let holder = Holder::Variable(Some(number), name.clone());
                points.groups.insert(holder, variable.group.into_iter().collect());
            }
        }
        points.changed = true;
        while points.changed {
            points.changed = false;
            for (number, process) in world.processes.iter().enumerate() {
                for node in &process.flow.nodes {
                    for edge in node.edges.iter().chain(&node.escapes) {
                        points.step(&edge.step, number, world);
                    }
                }
            }
        }
        points
    }

    /// The groups that a variable may hold.
    pub(super) fn of(&self, place: &Place, process: Option<usize>, world: &World<'_>) -> BTreeSet<usize> {
        self.groups.get(&holder(place, process, world)).cloned().unwrap_or_default()
    }

    /// Whether some step writes a variable.
    pub(super) fn is_written(&self, name: &str, process: Option<usize>) -> bool {
        self.written.contains(&Holder::Variable(process, name.to_owned()))
    }

    fn values(&self, expr: &Expr, process: usize, world: &World<'_>) -> BTreeSet<usize> {
        match &expr.node {
            Node::Place(place) => self.of(place, Some(process), world),
            Node::If(_, yes, no) => {
                let mut all = self.values(yes, process, world);
                all.extend(self.values(no, process, world));
                all
            }
            _ => BTreeSet::new(),
        }
    }

    fn add(&mut self, holder: Holder, groups: BTreeSet<usize>) {
        let known = self.groups.entry(holder).or_default();
        let before = known.len();
        known.extend(groups);
        self.changed |= known.len() != before;
    }

    fn runs(&mut self, expr: &Expr, process: usize, world: &World<'_>) {
        if let Node::Run(name, values) = &expr.node
            && let Ok(created) = world.process(name)
        {
            for (parameter, value) in world.processes[created].source.parameters.iter().zip(values) {
                let groups = self.values(value, process, world);
                self.add(Holder::Variable(Some(created), parameter.name.text.clone()), groups);
            }
        }
    }

    fn step(&mut self, step: &Step, process: usize, world: &World<'_>) {
        match step {
            Step::Wait(condition) => self.runs(condition, process, world),
            Step::Assign(place, value) => {
                self.runs(value, process, world);
                let groups = self.values(value, process, world);
                let holder = holder(place, Some(process), world);
                self.written.insert(holder.clone());
                self.add(holder, groups);
            }
            Step::Send { channel, values, .. } => {
                for group in self.of(channel, Some(process), world) {
                    for (field, value) in values.iter().enumerate() {
                        let groups = self.values(value, process, world);
                        self.add(Holder::Field(group, field), groups);
                    }
                }
            }
            Step::Receive { channel, values, .. } => {
                for (field, value) in values.iter().enumerate() {
                    let Node::Place(place) = &value.node else { continue };
                    let holder = holder(place, Some(process), world);
                    self.written.insert(holder.clone());
                    for group in self.of(channel, Some(process), world) {
                        let carried = self.groups.get(&Holder::Field(group, field)).cloned();
                        self.add(holder.clone(), carried.unwrap_or_default());
                    }
                }
            }
            Step::Skip | Step::Else(_) | Step::Assert(_) => {}
        }
    }
}

fn holder(place: &Place, process: Option<usize>, world: &World<'_>) -> Holder {
    let own = process.filter(|number| world.processes[*number].variables.contains_key(&place.name.text));
    Holder::Variable(own, place.name.text.clone())
}
