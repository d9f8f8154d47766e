//! Small instances of a system with open parameters, for counterexamples that are cheap.
//!
//! A property of every N that fails for the least N fails. To find that out one needs no method for every N, and most
//! of the questions of an advisor are answered by a failure. So the two least instances are asked first, each by an
//! engine that keeps its graph. That a small instance knows no counterexample means nothing.

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

/// An instance, and engines that will know it.
pub(super) struct Small {
    values: Vec<i64>,
    subject: Subject,
    pub(super) panel: Panel,
}

/// The least instances of a system; none if it has no open parameters.
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
    /// A task in this instance, once per member of its family of properties, the first ones.
    pub(super) fn tasks(&self, task: &Task) -> Vec<(Vec<i64>, Task)> {
        let mut members: Vec<Vec<i64>> = vec![Vec::new()];
        for number in 0..task.property.binders.len() {
            members = members.iter().flat_map(|member| self.longer(task, number, member)).collect();
        }
        members.truncate(MEMBERS);
        let set = |member: Vec<i64>| {
            let set = setting::set(task, &self.values, &member)?;
            // The same system as last time, so that its graph is known.
            Some((member, Task { subject: self.subject.clone(), ..set }))
        };
        members.into_iter().filter_map(set).collect()
    }

    /// Evidence against a member, as evidence against the task about every value.
    pub(super) fn evidence(&self, member: Vec<i64>, evidence: Counterexample) -> Counterexample {
        Counterexample::Instance { values: self.values.clone(), member, evidence: Box::new(evidence) }
    }

    /// A member with each value of one more index.
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
