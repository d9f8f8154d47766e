//! Decides tasks with several processes, on one machine or many.
//!
//! A [`Cluster`] is a crew ([`engines::rounds::Crew`]): a *supervisor* that starts workers or waits for them, sends them
//! the task, watches them, and ends them. It is not a worker itself, so that it can say what has happened to one. A
//! [`worker`] is a process of its own. What the workers do together is in [`engines::rounds`]; their messages are carried
//! by timely dataflow [MMIIA13], which only [`dataflow`] knows. What supervisor and workers say to each other is in
//! [`talk`]. [`plan`] says from the beginning of a search what several workers would do, and [`forecast`] how many states
//! there may be.
//!
//! Nothing is encrypted, and a shared secret is all that keeps strangers out. So the network must be private.

mod dataflow;
mod forecast;
mod peers;
pub mod plan;
mod supervisor;
mod talk;
pub mod worker;

pub use supervisor::{Cluster, Start, Started, Watcher};
pub use talk::{Figures, VERSION};
