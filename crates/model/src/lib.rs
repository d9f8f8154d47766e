//! The vocabulary of Fairly, and the slow, obvious semantics that defines it.
//!
//! A model checker is a function from a [`Task`] (system, fairness, property) to an [`Answer`]. Both are plain data
//! and are defined here; the front end, the engines and the judge exchange nothing else. [`semantics`] defines what
//! the data mean: which states are initial, which actions are enabled, which steps exist, when a step predicate is
//! true. An engine that disagrees with it is wrong.
//!
//! Read in this order: [`expr`], [`system`], [`instance`], [`semantics`], [`fairness`], [`automaton`], [`property`],
//! [`task`], [`answer`], and [`proof`] with [`tableau`] and [`counting`]. [`ground`] unrolls families for the engines that
//! need a flat system, [`setting`] gives parameters their values, and [`show`] writes everything in the user's names.

pub mod answer;
pub mod automaton;
pub mod counting;
pub mod expr;
pub mod fairness;
pub mod ground;
pub mod initial;
pub mod instance;
pub mod labelling;
pub mod note;
pub mod packing;
pub mod past;
pub mod proof;
pub mod property;
pub mod refusal;
pub mod semantics;
pub mod setting;
pub mod shape;
pub mod show;
pub mod splitmix;
pub mod system;
pub mod tableau;
pub mod task;

pub use answer::{Answer, Counterexample, Label, Lasso, Path, Position, State};
pub use automaton::Automaton;
pub use expr::{Binder, Expr, Index, Pattern, Place, Quantifier, Span};
pub use fairness::{Assumption, Fairness, Requirement};
pub use instance::{ActionId, Instance, ProcessId};
pub use labelling::{Core, Labelling, Refutation};
pub use note::Note;
pub use proof::Proof;
pub use property::{Ctl, Formula, Name, Never, Property};
pub use refusal::{Declared, Reason, Refusal, RefusalKind};
pub use semantics::Fault;
pub use system::{Action, Family, FamilyId, System, Update, Variable, VariableId};
pub use task::{Session, StopReason, Subject, Task};
