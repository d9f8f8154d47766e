//! One engine, one task, one turn: the engine answers, the judge looks at the answer.
//!
//! An engine that panics has broken its promise, but it must not take the report with it: the panic is caught here and
//! counts as no answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::Duration;

use certify::{Certified, Flaw, Judge};
use engines::Prepared;
use model::task::Progress;
use model::{Answer, Note, Reason, Session, StopReason, Task};

use super::plan::EngineKind;
use crate::judging::Judging;
use crate::report::Verdict;
use crate::world::World;

/// What an engine made of a task.
pub(crate) struct Attempt {
    pub(crate) engine: EngineKind,
    pub(crate) result: Result<Certified, Flaw>,
    pub(crate) time: Duration,
    /// The units of work it has done.
    pub(crate) spent: u64,
    pub(crate) statistics: Vec<(&'static str, u64)>,
    pub(crate) notes: Vec<Note>,
}

impl Attempt {
    /// The answer, unless the judge refused it.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.result.as_ref().ok().map(Certified::answer)
    }

    /// Why it came to nothing, if it did.
    pub(crate) fn reason(&self) -> Option<&Reason> {
        match self.answer() {
            Some(Answer::Unknown(reason)) => Some(reason),
            _ => None,
        }
    }

    /// Whether there is nothing more to ask of anybody: there is an answer, or evidence the judge refuses, or no more time.
    pub(crate) fn is_final(&self) -> bool {
        let out_of_time = [Some(StopReason::Time), Some(StopReason::Cancelled)];
        self.reason().is_none_or(|reason| out_of_time.contains(&reason.stop()))
    }

    /// Whether the engine could go on if it were given more work.
    pub(crate) fn may_go_on(&self) -> bool {
        self.reason().is_some_and(|reason| reason.stop() == Some(StopReason::Work))
    }

    /// What it has counted under this name.
    pub(crate) fn counted(&self, wanted: &str) -> Option<u64> {
        self.statistics.iter().find(|(name, _)| *name == wanted).map(|(_, number)| *number)
    }

    /// What it has established.
    pub(crate) fn verdict(&self) -> Verdict {
        Verdict::of(self.answer())
    }
}

/// Lets an engine work on a task that it has taken, within a budget, and the judge look at its answer. An error is the
/// message of a panic.
pub(crate) fn attempt(
    engine: EngineKind,
    prepared: &mut (dyn Prepared + '_),
    task: &Task,
    budget: u64,
    judging: Judging,
    world: &World<'_>,
) -> Result<Attempt, String> {
    let progress = |progress: &Progress| (world.progress)(&task.property.name, progress);
    let session = Session::new(world.stop, &progress, world.memory, world.threads)
        .timed(world.clock)
        .with_budget(budget);
    let start = (world.clock)();
    let judged = || {
        let answer = prepared.answer(&session);
        Judge { solvers: world.solvers, session: &session, effort: judging.effort }.certify(task, answer)
    };
    let result = catch_unwind(AssertUnwindSafe(judged)).map_err(|payload| panic_message(&*payload))?;
    let time = (world.clock)().saturating_sub(start);
    let spent = session.spent.load(Ordering::Relaxed);
    let statistics = session.statistics.into_inner().unwrap_or_default();
    let notes = session.notes.into_inner().unwrap_or_default();
    Ok(Attempt { engine, result, time, spent, statistics, notes })
}

/// What a panic said.
pub(crate) fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
        .to_owned()
}
