//! The ways to answer a task, one folder each, and what they share under its own name.
//!
//! No engine imports another. An engine may refuse a task before any work, may stop at a limit, and may never
//! be wrong. [`explicit`] enumerates states, [`symbolic`] works on sets of them, [`counter`] counts processes, for every
//! number of them; [`graph`] holds what is known about finite graphs, fair cycles above all, [`bdd`] holds sets of
//! states as decision diagrams, [`regions`] finds fair runs in them; [`watch`] asks the limits of a run.

use model::{Answer, Refusal, Session, Task};

pub mod bdd;
mod claims;
pub mod counter;
mod encoding;
mod events;
pub mod explicit;
pub mod graph;
pub mod infinite;
pub mod local;
mod machine;
mod regions;
pub mod symbolic;
mod translation;
mod triggers;
mod turns;
pub mod watch;

pub use counter::Counter;
pub use explicit::Explicit;
pub use infinite::Infinite;
pub use local::Local;
pub use symbolic::Symbolic;

/// A way to answer tasks.
pub trait Engine: Send + Sync {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// Looks at a task: what is needed to answer it, or why the method does not apply. Cheap; depends on the task only.
    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal>;

    /// Whether it takes a task.
    fn accepts(&self, task: &Task) -> Result<(), Refusal> {
        self.prepare(task).map(drop)
    }

    /// Takes a task and answers it, in one session.
    fn check(&self, task: &Task, session: &Session<'_>) -> Result<Answer, Refusal> {
        Ok(self.prepare(task)?.answer(session))
    }
}

/// A task that an engine has taken.
pub trait Prepared {
    /// Decides the task within the limits of a session. A later session may allow more, and what an earlier one has built
    /// is used again where the engine keeps it.
    fn answer(&mut self, session: &Session<'_>) -> Answer;
}

/// An [`Engine::prepare`] that needs nothing but a function to answer with.
struct Answering<F>(F);

impl<F: FnMut(&Session<'_>) -> Answer> Prepared for Answering<F> {
    fn answer(&mut self, session: &Session<'_>) -> Answer {
        (self.0)(session)
    }
}
