//! The engines: the ways to answer a task, a folder each, and the modules they share.
//!
//! No engine imports another. An engine may refuse a task before any work and may stop at a limit, but it must never
//! be wrong. [`explicit`] enumerates states, [`symbolic`] works on sets of states, [`local`] abstracts each process,
//! [`counter`] counts processes and answers for every number of them, and [`infinite`] handles unbounded integers.
//! They share [`graph`] (finite graphs and fair cycles), [`bdd`] (sets of states as decision diagrams), [`regions`]
//! (fair runs in such sets), [`watch`] (checking limits during a search) and [`turns`] (pausing a search).
//!
//! Without the feature `full` there are only the engines that need no threads of their own, [`explicit`] and [`counter`]:
//! browsers have none.

// Without all engines, some of what they share has no user.
#![cfg_attr(not(feature = "full"), allow(dead_code))]

use model::{Answer, Refusal, Session, Task};

#[cfg(feature = "full")]
pub mod bdd;
mod branching;
#[cfg(feature = "full")]
mod claims;
pub mod counter;
#[cfg(feature = "full")]
mod encoding;
mod events;
pub mod explicit;
pub mod graph;
#[cfg(feature = "full")]
pub mod infinite;
#[cfg(feature = "full")]
pub mod local;
mod machine;
#[cfg(feature = "full")]
mod regions;
pub mod rounds;
#[cfg(feature = "full")]
pub mod symbolic;
mod translation;
mod triggers;
#[cfg(feature = "full")]
mod turns;
pub mod watch;

pub use counter::Counter;
pub use explicit::Explicit;
#[cfg(feature = "full")]
pub use infinite::Infinite;
#[cfg(feature = "full")]
pub use local::Local;
#[cfg(feature = "full")]
pub use symbolic::Symbolic;

/// A way to answer tasks.
pub trait Engine: Send + Sync {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// Examines a task: returns what is needed to answer it, or why the method does not apply. This is cheap and
    /// depends on the task only.
    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal>;

    /// Whether it accepts a task.
    fn accepts(&self, task: &Task) -> Result<(), Refusal> {
        self.prepare(task).map(drop)
    }

    /// Accepts a task and answers it, in one session.
    fn check(&self, task: &Task, session: &Session<'_>) -> Result<Answer, Refusal> {
        Ok(self.prepare(task)?.answer(session))
    }
}

/// A task that an engine has accepted.
pub trait Prepared {
    /// Decides the task within the limits of a session. A later call with larger limits can use what earlier calls
    /// built, if the engine keeps it.
    fn answer(&mut self, session: &Session<'_>) -> Answer;
}

/// A [`Prepared`] task that is only a function.
struct Answering<F>(F);

impl<F: FnMut(&Session<'_>) -> Answer> Prepared for Answering<F> {
    fn answer(&mut self, session: &Session<'_>) -> Answer {
        (self.0)(session)
    }
}
