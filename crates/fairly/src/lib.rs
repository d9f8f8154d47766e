//! A model checker for liveness under fairness: does a concurrent program always get there in the end, and under which
//! assumptions about the scheduler?
//!
//! A model is text in the language of Fairly. [`Model::parse`] reads it, [`Model::check`] decides its properties, and a
//! [`Report`] of plain data comes out.
//!
//! ```
//! use fairly::{Model, Options, Verdict};
//!
//! let model = Model::parse(
//!     "shared free: bool = true;
//!      process P[i: 1..2] {
//!          loop { idle: stay; try: request free; crit: skip; exit: release free; }
//!      }
//!      invariant mutex: !(P[1]@crit && P[2]@crit);
//!      property  access: G (P[1]@try -> F P[1]@crit) under weak P;",
//! )?;
//! let report = model.check(&Options::default())?;
//! assert_eq!(report.outcomes[0].verdict, Verdict::Holds);
//! // Weak fairness lets the other process take the lock each time.
//! assert_eq!(report.outcomes[1].verdict, Verdict::Fails);
//! let trace = report.outcomes[1].counterexample.as_ref().and_then(|found| found.trace.as_ref());
//! assert!(trace.is_some_and(|run| run.cycle.is_some()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A model may also be Rust code: see [`code`].
//!
//! Programs over unbounded integers need the solvers `z3` and `cvc5`; they are started where the system finds them.

pub mod code;
mod limits;
mod parse;
pub mod session;

use std::path::Path;
use std::time::Duration;

pub use driver::report;
pub use driver::{
    Certify, Counterexample, EngineKind, Engines, FairnessOption, Name, Note, Outcome, Problem, Report,
    Severity, Trace, Verdict,
};
pub use smt::Solvers;

pub use self::parse::{Mistake, Mistakes};

/// A model that can be checked.
#[derive(Clone, Debug)]
pub struct Model(driver::Model);

/// What to check, and how far to go.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which engines to use; each of them in turn by default.
    pub engines: Engines,
    /// Which fairness to assume; by default what the model declares.
    pub fairness: FairnessOption,
    /// Whether it is checked that a property holds; by default if that costs little.
    pub certify: Certify,
    /// The properties to check: names of properties, of families (`access`) or of members (`access[1]`). Empty for all.
    pub properties: Vec<String>,
    /// How long it may take in all.
    pub time_limit: Option<Duration>,
    /// How many bytes an engine may allocate.
    pub memory_limit: Option<u64>,
    /// How many threads an engine may use; this does not change the answers.
    pub threads: usize,
    /// How solvers are started.
    pub solvers: Solvers,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            engines: Engines::default(),
            fairness: FairnessOption::default(),
            certify: Certify::default(),
            properties: Vec::new(),
            time_limit: None,
            memory_limit: None,
            threads: 1,
            solvers: smt::installed(),
        }
    }
}

impl Model {
    /// Reads a model from text that names no other file.
    pub fn parse(text: &str) -> Result<Model, Mistakes> {
        Model::parse_with("model", text, &[], &|file| Err(format!("{file} cannot be read from here")))
    }

    /// Reads a model from a file. `settings` are values for its constants and parameters, such as `("N", "5")`.
    pub fn open(path: impl AsRef<Path>, settings: &[(&str, &str)]) -> Result<Model, Mistakes> {
        let path = path.as_ref();
        let read = |path: &Path| {
            std::fs::read_to_string(path)
                .map_err(|error| format!("{} cannot be read: {error}", path.display()))
        };
        let text = read(path).map_err(Mistakes::unreadable)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Model::parse_with(&name, &text, settings, &|file| read(&path.with_file_name(file)))
    }

    /// Reads a model of this name from text. `files` gives the text of a file that the model names, or says why not.
    pub fn parse_with(
        name: &str,
        text: &str,
        settings: &[(&str, &str)],
        files: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Model, Mistakes> {
        let settings: Vec<(String, String)> =
            settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let loaded = driver::load(name, text, &settings, files);
        loaded.model.map(Model).ok_or_else(|| Mistakes::new(text, &loaded.diagnostics))
    }

    /// The names of the properties, in the order of the file; the members of a family one by one.
    pub fn properties(&self) -> impl Iterator<Item = &Name> {
        self.0.checks.iter().map(|check| &check.task.property.name)
    }

    /// Decides the properties. It fails only if a parameter has no value and no property can be decided without.
    pub fn check(&self, options: &Options) -> Result<Report, Problem> {
        let asked = driver::Options {
            engines: options.engines,
            fairness: options.fairness,
            certify: options.certify,
            properties: options.properties.clone(),
            ..driver::Options::default()
        };
        limits::within(options, |world| driver::check(&self.0, &asked, world, &mut |_, _| {}))
    }
}
