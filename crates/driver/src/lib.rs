//! Chooses engines, runs them within limits, certifies their answers, and reports plain data.
//!
//! This is the API of the library. Source text goes in through [`load`], a [`Model`] through [`check`], and a
//! [`Report`] comes out: every name as the user wrote it, every answer with its standing, no type of an engine.
//! [`advise`] finds the fairness that properties need. [`Simulation`] walks through a model, as the user chooses or
//! at random. The driver reads no file and no clock and prints nothing; limits, clock and solvers come in through
//! [`World`].
//!
//! Only answers that the judge has certified become verdicts. Evidence that the judge refuses, and certified answers
//! that differ, are a [`Dispute`]: an error of this program that is reported as such.

// Without all engines, some of what they share has no user.
#![cfg_attr(not(feature = "full"), allow(dead_code))]

mod abstraction;
pub mod advise;
mod ask;
mod automaton;
mod check;
mod empty;
pub mod explain;
pub mod graph;
mod invariants;
mod judging;
mod load;
pub mod notes;
mod options;
mod pending;
mod premise;
mod program;
mod read;
pub mod replay;
pub mod report;
mod round_robin;
mod selection;
mod sets;
mod simulate;
mod small;
mod spoken_of;
pub mod truth;
mod verify;
mod world;

pub use abstraction::abstraction;
pub use advise::{Advice, advise};
pub use ask::plan::{EngineKind, EngineOption, Engines, all_engines};
pub use automaton::{AutomatonFormat, automaton, is_always_true};
pub use check::{Problem, check, check_forms, tasks, undecided};
pub use engines::rounds::{Crew, fingerprint};
pub use exchange::{c, dve, export, import, its, t2};
pub use invariants::{Invariants, invariants};
pub use lang::diagnostic::{Diagnostic, Severity, nearest};
pub use lang::include::included;
pub use lang::{Check, Expect, Loaded, Model};
pub use load::{load, load_foreign, load_translated, meant, translate, translated};
/// The vocabulary, for code that reads or writes proof files.
pub use model;
pub use model::task::Progress;
pub use model::{Name, StopReason};
pub use options::{Certify, FairnessOption, Options};
pub use program::{Program, ProgramLanguage, load_program};
pub use report::{Caveat, Counterexample, Dispute, Note, Outcome, Report, Trace, Verdict};
pub use selection::{selected, unknown_property};
pub use simulate::{Choice, Ending, Next, Simulation};
pub use smt::Solvers;
pub use verify::{Verified, verify};
pub use world::World;

/// Source text in standard format, or its errors.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let (file, diagnostics) = lang::parse(text);
    let errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if errors { Err(diagnostics) } else { Ok(lang::print(&file)) }
}
