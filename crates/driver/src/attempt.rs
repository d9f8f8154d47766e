//! One engine, one task: the engine answers, the judge looks at the answer.
//!
//! An engine that panics has broken its promise, but it must not take the report with it: the panic is caught
//! here and counts as no answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ::engines::Engine;
use certify::{Certified, Effort, Flaw};
use model::task::Progress;
use model::{Answer, Reason, Session, StopReason, Task};

use crate::check::World;
use crate::report::Verdict;

/// What an engine made of a task.
pub(crate) struct Attempt {
    pub(crate) engine: &'static str,
    pub(crate) result: Result<Certified, Flaw>,
    pub(crate) time: Duration,
    pub(crate) statistics: Vec<(&'static str, u64)>,
    pub(crate) notes: Vec<String>,
}

impl Attempt {
    /// Whether nobody else need be asked: there is an answer, or evidence the judge refuses, or no more time.
    pub(crate) fn is_final(&self) -> bool {
        match self.result.as_ref().map(Certified::answer) {
            Ok(Answer::Unknown(Reason { stop, .. })) => {
                matches!(stop, Some(StopReason::Time | StopReason::Cancelled))
            }
            _ => true,
        }
    }

    /// That others were asked after it, and why.
    pub(crate) fn in_vain(&self) -> String {
        let reason = match self.result.as_ref().map(Certified::answer) {
            Ok(Answer::Unknown(reason)) => reason_in_words(reason).into_iter().next(),
            _ => None,
        };
        format!("{} gave up: {}", self.engine, reason.unwrap_or_default())
    }

    /// What it has established.
    pub(crate) fn verdict(&self) -> Verdict {
        match self.result.as_ref().map(Certified::answer) {
            Ok(Answer::Holds(_)) => Verdict::Holds,
            Ok(Answer::Fails(_)) => Verdict::Fails,
            Ok(Answer::Unknown(_)) | Err(_) => Verdict::Unknown,
        }
    }
}

/// Lets an engine work on a task and the judge look at its answer; an error is the message of a panic.
pub(crate) fn attempt(engine: &dyn Engine, task: &Task, world: &World<'_>) -> Result<Attempt, String> {
    let progress = |progress: &Progress| (world.progress)(&task.property.name, progress);
    let session = Session::new(world.stop, &progress, world.memory, world.threads).timed(world.clock);
    let start = (world.clock)();
    let judged = || {
        let answer = engine.check(task, &session);
        certify::certify_within(task, answer, world.solvers, &session, Effort::Brief)
    };
    let result = catch_unwind(AssertUnwindSafe(judged)).map_err(|payload| panic_message(&*payload))?;
    let time = (world.clock)().saturating_sub(start);
    let statistics = session.statistics.into_inner().unwrap_or_default();
    let notes = session.notes.into_inner().unwrap_or_default();
    Ok(Attempt { engine: engine.name(), result, time, statistics, notes })
}

/// What a panic said.
pub(crate) fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
        .to_owned()
}

/// Why a task was not decided, and what to try.
pub(crate) fn reason_in_words(reason: &Reason) -> Vec<String> {
    let message = match reason.stop {
        Some(stop) if reason.message.is_empty() => stopped(stop).to_owned(),
        _ => reason.message.clone(),
    };
    [message, reason.hint.clone()].into_iter().filter(|text| !text.is_empty()).collect()
}

pub(crate) fn stopped(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Cancelled => "interrupted",
        StopReason::Time => "the time limit was reached",
        StopReason::Memory => "the memory limit was reached",
    }
}
