//! Small instances of a system with open parameters: what can be found out without a method for every N.
//!
//! A property of every N fails if it fails for the least N, and most of an advisor's questions are answered by a failure. So
//! the two least instances are asked first, each by an engine that keeps its graph. If a small instance has no
//! counterexample, nothing follows for larger ones. But where the method for every N does not apply, the user is told
//! for which N a property was shown, or the least for which it fails ([`tried`]).

use std::sync::Arc;

use model::instance::Environment;
use model::{Answer, Counterexample, Note, Subject, Task, semantics, setting};

use crate::ask::plan::EngineKind;
use crate::ask::{Found, Panel};
use crate::world::World;

/// How many values of the parameters an advisor tries.
const SIZES: i64 = 2;
/// How many members of a family of properties an advisor tries.
const MEMBERS: usize = 4;
/// How many values are tried where no engine takes every value.
const MORE_SIZES: i64 = 5;
/// In how many rounds each is asked about.
const ROUNDS: u32 = 6;
/// The most members of a family of properties that are asked about.
const ALL_MEMBERS: usize = 64;

/// An instance with its own engines, which cache its graph.
pub(crate) struct Small {
    values: Vec<i64>,
    subject: Subject,
    pub(crate) panel: Panel,
}

/// The least instances of a system. Empty if it has no open parameters.
pub(crate) fn instances(subject: &Subject, world: &World<'_>) -> Vec<Small> {
    (0..SIZES).filter_map(|more| Small::new(subject, more, &[EngineKind::Explicit], world)).collect()
}

/// What small instances say of a property.
#[derive(Default)]
pub(crate) struct Tried {
    /// A counterexample in the least instance in which it fails, with who found it.
    pub(crate) fails: Option<Found>,
    /// It holds for these values of the only parameter.
    pub(crate) holds_for: Option<(i64, i64)>,
}

/// Tries one value after the other, until one cannot be decided.
pub(crate) fn tried(task: &Task, world: &World<'_>) -> Tried {
    let mut tried = Tried::default();
    let parameters = &task.system().parameters;
    for more in 0..MORE_SIZES {
        let Some(small) = Small::new(&task.subject, more, &EngineKind::ALL, world) else { break };
        let (tasks, all) = small.tasks(task, ALL_MEMBERS);
        let mut decided = all && !tasks.is_empty();
        for (member, task) in tasks {
            let settled = small.panel.ask(&task, ROUNDS, world);
            let Some(mut found) = settled.found.filter(|_| settled.dispute.is_none()) else { return tried };
            match found.answer.take() {
                Some(Answer::Holds(_)) => {}
                Some(Answer::Fails(evidence)) => {
                    found.answer = Some(Answer::Fails(small.evidence(member, evidence)));
                    if let ([parameter], Some((from, to))) = (&parameters[..], tried.holds_for) {
                        let parameter = parameter.name.clone();
                        found.notes.push(Note::LeastFailing { parameter, from, to });
                    }
                    tried.fails = Some(found);
                    return tried;
                }
                _ => decided = false,
            }
        }
        if !decided {
            break;
        }
        if let [parameter] = &parameters[..] {
            tried.holds_for = Some((parameter.least, parameter.least + more));
        }
    }
    tried
}

impl Small {
    /// The instance in which every parameter is by so much more than its least value.
    fn new(subject: &Subject, more: i64, engines: &[EngineKind], world: &World<'_>) -> Option<Small> {
        let Subject::Open(system) = subject else { return None };
        let values: Vec<i64> = system.parameters.iter().map(|p| p.least.saturating_add(more)).collect();
        let subject = Subject::new(Arc::new(setting::system(system, &values)?)).ok()?;
        let panel = Panel::only(engines, &subject, world);
        Some(Small { values, subject, panel })
    }

    /// A task in this instance, once for each of the first members of its family of properties; and whether these are all.
    pub(crate) fn tasks(&self, task: &Task, most: usize) -> (Vec<(Vec<i64>, Task)>, bool) {
        let mut members: Vec<Vec<i64>> = vec![Vec::new()];
        let mut all = true;
        for number in 0..task.property.binders.len() {
            members = members.iter().flat_map(|member| self.longer(task, number, member, most)).collect();
            all &= members.len() <= most;
            members.truncate(most);
        }
        let set = |member: Vec<i64>| {
            let set = setting::set(task, &self.values, &member)?;
            // Use the same subject every time, so that its graph is cached.
            Some((member, Task { subject: self.subject.clone(), ..set }))
        };
        let wanted = members.len();
        let tasks: Vec<_> = members.into_iter().filter_map(set).collect();
        all &= tasks.len() == wanted;
        (tasks, all)
    }

    /// A task in this instance, once for each of the members that an advisor tries.
    pub(crate) fn some_tasks(&self, task: &Task) -> Vec<(Vec<i64>, Task)> {
        self.tasks(task, MEMBERS).0
    }

    /// Turns evidence against a member into evidence against the task about every value.
    pub(crate) fn evidence(&self, member: Vec<i64>, evidence: Counterexample) -> Counterexample {
        Counterexample::Instance { values: self.values.clone(), member, evidence: Box::new(evidence) }
    }

    /// A member extended by each value of one more index.
    fn longer(&self, task: &Task, number: usize, member: &[i64], most: usize) -> Vec<Vec<i64>> {
        let mut environment = Environment::default();
        for (binder, value) in task.property.binders.iter().zip(member) {
            environment.bind(binder.index, *value);
        }
        let span = &task.property.binders[number].span;
        let mut end = |expr| semantics::rigid(&setting::expression(expr, &self.values), &mut environment);
        let (Ok(lo), Ok(hi)) = (end(&span.lo), end(&span.hi)) else { return Vec::new() };
        let values = (lo..=hi).take(most.saturating_add(1));
        values.map(|value| member.iter().copied().chain([value]).collect()).collect()
    }
}
