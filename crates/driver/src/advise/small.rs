//! Small instances of a system with open parameters, for cheap counterexamples.
//!
//! A property of every N fails if it fails for the least N. Finding this needs no method for every N, and most of an
//! advisor's questions are answered by a failure. So the two least instances are asked first, each by an engine that
//! keeps its graph. If a small instance has no counterexample, nothing follows.

use std::sync::Arc;

use model::instance::Environment;
use model::{Counterexample, Subject, Task, semantics, setting};

use crate::ask::Panel;
use crate::ask::plan::EngineKind;
use crate::world::World;

/// How many values of the parameters are tried.
const SIZES: i64 = 2;
/// How many members of a family of properties are tried.
const MEMBERS: usize = 4;

/// An instance with its own engines, which cache its graph.
pub(super) struct Small {
    values: Vec<i64>,
    subject: Subject,
    pub(super) panel: Panel,
}

/// The least instances of a system. Empty if it has no open parameters.
pub(super) fn instances(subject: &Subject, world: &World<'_>) -> Vec<Small> {
    let Subject::Open(system) = subject else { return Vec::new() };
    let instance = |more: i64| {
        let values: Vec<i64> = system.parameters.iter().map(|p| p.least.saturating_add(more)).collect();
        let subject = Subject::new(Arc::new(setting::system(system, &values)?)).ok()?;
        let panel = Panel::only(&[EngineKind::Explicit], &subject, world);
        Some(Small { values, subject, panel })
    };
    (0..SIZES).filter_map(instance).collect()
}

impl Small {
    /// A task in this instance, once for each of the first members of its family of properties.
    pub(super) fn tasks(&self, task: &Task) -> Vec<(Vec<i64>, Task)> {
        let mut members: Vec<Vec<i64>> = vec![Vec::new()];
        for number in 0..task.property.binders.len() {
            members = members.iter().flat_map(|member| self.longer(task, number, member)).collect();
        }
        members.truncate(MEMBERS);
        let set = |member: Vec<i64>| {
            let set = setting::set(task, &self.values, &member)?;
            // Use the same subject every time, so that its graph is cached.
            Some((member, Task { subject: self.subject.clone(), ..set }))
        };
        members.into_iter().filter_map(set).collect()
    }

    /// Turns evidence against a member into evidence against the task about every value.
    pub(super) fn evidence(&self, member: Vec<i64>, evidence: Counterexample) -> Counterexample {
        Counterexample::Instance { values: self.values.clone(), member, evidence: Box::new(evidence) }
    }

    /// A member extended by each value of one more index.
    fn longer(&self, task: &Task, number: usize, member: &[i64]) -> Vec<Vec<i64>> {
        let mut environment = Environment::default();
        for (binder, value) in task.property.binders.iter().zip(member) {
            environment.bind(binder.index, *value);
        }
        let span = &task.property.binders[number].span;
        let mut end = |expr| semantics::rigid(&setting::expression(expr, &self.values), &mut environment);
        let (Ok(lo), Ok(hi)) = (end(&span.lo), end(&span.hi)) else { return Vec::new() };
        let values = (lo..=hi).take(MEMBERS);
        values.map(|value| member.iter().copied().chain([value]).collect()).collect()
    }
}
