//! Everything that can be done with a model while its author works on it: the one place behind the page
//! `fairly explore`, the playground, the language server and the agent's door. Those only carry data to and fro.
//!
//! A [`Document`] is a text as it was at one moment: its [`diagnostics`](Document::diagnostics), its
//! [`outline`](Document::outline), its [`index`](Document::index) of names, and the model, if it has one. It never changes;
//! an edit opens another.
//!
//! A [`Session`] remembers what it has found out. [`Session::check`], [`Session::explain`] and [`Session::advise`] answer
//! about a document, and do no work for what was answered before and means the same now: after a change of a comment,
//! of an `expect` or of another property. [`Session::examine`] also says what answers are worth. [`graph`], [`replay`],
//! [`truth`] and [`simulate`] need no memory and are functions; [`assume`] writes advice into the text, and [`complete`]
//! says what can be written at a place.
//!
//! Each piece of work is watched by a [`Watch`]: it can be [cancelled](Cancel) from another thread, it tells its progress,
//! and it has limits. Nothing here starts a thread or reads a clock, so it runs where there are none. Where there are,
//! a [`Worker`] does the work on a thread of its own: one piece at a time, and a new piece of a kind supersedes the one
//! before.
//!
//! ```
//! use fairly::session::{Asked, Cancel, Document, Session, Watch};
//!
//! let text = "shared x: 0..2; process P { loop { up: x = (x + 1) % 3; } } property goes: F x == 2 under weak P;";
//! let document = Document::open("counter", text, &[], &|file| Err(format!("{file} is not here")));
//! assert!(document.diagnostics.is_empty());
//! let mut session = Session::default();
//! let cancel = Cancel::default();
//! let report = session.check(&document, &Asked::default(), &Watch::new(&cancel), &mut |_| {})?;
//! assert_eq!(report.outcomes[0].verdict.name(), "holds");
//! # Ok::<(), fairly::session::Obstacle>(())
//! ```

mod assume;
mod complete;
mod document;
mod language;
mod memory;
mod outline;
mod runs;
mod walk;
mod watch;
mod worker;
mod worth;

use driver::advise::Wanted;
use driver::graph::NoGraph;

pub use driver::advise::{Advice, Extent, Hopeless, Needs, RUNGS};
pub use driver::explain::{Explanation, Failure, Fate, Support};
pub use driver::graph::{GraphStep, LassoPart, StateGraph};
pub use driver::replay::{Judged, Saved};
pub use driver::{Diagnostic, Progress};
pub use lang::index::{Definition, Facts, Index, Kind, Occurrence};
pub use lang::syntax::Span;
pub use lang::words;

pub use self::assume::{Edit, assume};
pub use self::complete::{Completion, beginning, complete};
pub use self::document::{Document, Place};
pub use self::language::Language;
pub use self::memory::Session;
pub use self::outline::{Symbol, SymbolKind};
pub use self::runs::{Truth, replay, replay_own, trace, truth};
pub use self::walk::{Beginning, Continuation, Offer, Walk, Walked, simulate};
pub use self::watch::{Bounds, Cancel, Watch};
pub use self::worker::Worker;
pub use self::worth::{Assumes, Examined, Worth, excess, impossible};

use crate::{Engines, FairnessOption, Name, Problem};

/// Which properties to ask about, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Names of properties, of families or of members; empty for all.
    pub properties: Vec<String>,
    /// Which fairness to assume; by default what the model declares.
    pub fairness: FairnessOption,
    /// Which engines to use; each of them in turn by default.
    pub engines: Engines,
    /// Whether to leave out the notes about the model as a whole and about what is vacuous.
    pub without_notes: bool,
}

/// Why there is no answer at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The text has errors; its diagnostics say which.
    NoModel,
    /// No property has this name, in a sentence that says which there are.
    NoProperty(String),
    /// There is no advice, in a sentence that says why.
    NoAdvice(String),
    /// The model cannot be checked.
    Problem(Problem),
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Obstacle::NoModel => f.write_str("the text has errors"),
            Obstacle::NoProperty(sentence) | Obstacle::NoAdvice(sentence) => f.write_str(sentence),
            Obstacle::Problem(problem) => problem.fmt(f),
        }
    }
}

impl std::error::Error for Obstacle {}

impl From<Problem> for Obstacle {
    fn from(problem: Problem) -> Obstacle {
        Obstacle::Problem(problem)
    }
}

/// The state graph of a document with at most `limit` states, with the counterexample of a property marked. If `on` is
/// not empty, the graph is projected to the variables and locations it names. The error is a sentence.
pub fn graph(
    document: &Document,
    property: Option<&str>,
    on: &[String],
    limit: usize,
    watch: &Watch<'_>,
) -> Result<StateGraph, String> {
    document.no_program("its integers are unbounded, so there is no graph of its states")?;
    let model = document.checked_model().map_err(|obstacle| obstacle.to_string())?;
    let property = property.map(|name| document.property(name)).transpose()?;
    let wrong = |no_graph: NoGraph| match no_graph {
        NoGraph::Problem(problem) => problem.to_string(),
        NoGraph::TooLarge if on.is_empty() => format!("there are more than {limit} states"),
        NoGraph::TooLarge => format!("there are more than {limit} nodes"),
        NoGraph::TooMuch => {
            format!("there are more than {} states, too many to project", driver::graph::EXPLORED)
        }
        NoGraph::NoName(name, near) => {
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            format!("there is no variable or location `{name}`{near}")
        }
        NoGraph::Abstract(why) => why,
        NoGraph::Stopped => "it was given up".to_owned(),
    };
    watch.within(|world| driver::graph::graph(model, property, on, limit, world)).map_err(wrong)
}

/// What [`Session::advise`] looks for by default.
pub(crate) fn wanted() -> Wanted {
    Wanted::sets(3)
}

#[cfg(test)]
mod tests;
