//! How solvers are started, and what a running one is from the outside: a pipe.
//!
//! Only `process` starts a program. A [`Solvers`] is built by code that knows programs and pipes. It has a way to start a
//! solver, a limit per query, and a sink for the commands. Copies share the answers so far and the idle solvers.

use std::sync::Arc;
use std::time::Duration;

use crate::remembered::Remembered;

/// A solver program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Program {
    /// z3, which is asked first.
    Z3,
    /// cvc5, which checks what z3 says.
    Cvc5,
}

impl Program {
    /// Its name, which is also that of its Debian package.
    pub fn name(self) -> &'static str {
        match self {
            Program::Z3 => "z3",
            Program::Cvc5 => "cvc5",
        }
    }

    /// The arguments that make it read commands from its input.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Program::Z3 => &["-in", "-smt2"],
            Program::Cvc5 => &["--lang=smt2", "--incremental", "--produce-models", "--quiet"],
        }
    }
}

/// Why there is no solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// The program.
    pub program: Program,
    /// What happened when it was started.
    pub reason: String,
}

impl std::fmt::Display for Absent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (program, reason) = (self.program.name(), &self.reason);
        write!(
            f,
            "the solver {program} cannot be started ({reason}); install it with `apt-get install {program}`"
        )
    }
}

/// What came out of a pipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// A line, without its end.
    Line(String),
    /// Nothing came within the time given.
    Silence,
    /// The end: the process has died.
    End,
}

/// A running solver. Dropping it ends the process.
pub trait Pipe: Send {
    /// Writes text; false if nobody reads any more.
    fn send(&mut self, text: &str) -> bool;

    /// The next line, waiting at most so long.
    fn receive(&mut self, patience: Duration) -> Received;

    /// How long was waited for lines so far, where there is a clock.
    fn waited(&self) -> Duration {
        Duration::ZERO
    }
}

/// Starts a solver.
pub type Start = dyn Fn(Program) -> Result<Box<dyn Pipe>, String> + Send + Sync;

/// Gets the number of a solver and every text that is sent to it.
pub type Sink = dyn Fn(u64, &str) + Send + Sync;

/// A way to start solvers, and how to treat them.
#[derive(Clone)]
pub struct Solvers {
    /// Starts one.
    pub start: Arc<Start>,
    /// How long a query may take; a solver that takes longer is killed and replaced.
    pub limit: Duration,
    /// How many queries one decision may ask; unlike a time, this ends it in the same way on every run.
    pub queries: u64,
    /// Gets every command, if there is one.
    pub sink: Option<Arc<Sink>>,
    /// The answers so far, and the idle solvers.
    pub remembered: Arc<Remembered>,
}

impl Solvers {
    /// Solvers started in this way, ten seconds for a query, any number of queries, no sink.
    pub fn new(start: Arc<Start>) -> Solvers {
        Solvers {
            start,
            limit: Duration::from_secs(10),
            queries: u64::MAX,
            sink: None,
            remembered: Arc::default(),
        }
    }

    /// No solver at all, for this reason.
    pub fn none(reason: &str) -> Solvers {
        let reason = reason.to_owned();
        Solvers::new(Arc::new(move |_| Err(reason.clone())))
    }
}

impl std::fmt::Debug for Solvers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solvers").field("limit", &self.limit).finish_non_exhaustive()
    }
}
