//! The ways to answer a task, one folder each, and what they share under its own name.
//!
//! No engine imports another. An engine may refuse a task before any work, may stop at a limit, and may never
//! be wrong. [`explicit`] enumerates states, [`symbolic`] works on sets of them, [`counter`] counts processes, for every
//! number of them; [`graph`] holds what is known about finite graphs, fair cycles above all, [`bdd`] holds sets of
//! states as decision diagrams; [`watch`] asks the limits of a run.

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
pub mod symbolic;
mod translation;
mod triggers;
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

    /// Whether its method applies. Cheap; depends on the task only.
    fn accepts(&self, task: &Task) -> Result<(), Refusal>;

    /// Decides the task. Called only if it was accepted.
    fn check(&self, task: &Task, session: &Session<'_>) -> Answer;
}
