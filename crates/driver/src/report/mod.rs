//! Reports: the results of a file, as plain data in the user's names.
//!
//! Code that shows a report (terminal, JSON, an editor) needs nothing else. Steps are numbered from 1: step `k` leads
//! from state `k - 1` to state `k`, and state 0 is the initial one.

use std::time::Duration;

mod assumed;
pub mod brief;
pub(crate) mod evidence;
pub(crate) mod fault;
pub(crate) mod labels;
pub mod note;
pub(crate) mod plain;
mod recurrence;
pub(crate) mod trace;

pub use assumed::assumed;
pub use labels::Labelled;
use lang::Expect;
use model::Proof;
use model::fairness::Word;
pub use model::show::{Binding, Spot, Value};
use model::{Answer, Name};
pub use note::{Caveat, Note, Refused, Try, stopped};
pub use recurrence::{Recurrence, RecurrentSet};

use crate::ask::plan::EngineKind;
use crate::explain::Explanation;

/// The results for the properties of one model, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// One per checked property, and one per member of a family.
    pub outcomes: Vec<Outcome>,
    /// Notes about the model as a whole: a deadlock, a label that is never reached.
    pub notes: Vec<Note>,
    /// Whether labels that are never reached and actions that are never enabled are not accepted.
    pub strict: bool,
}

/// The answer to one property.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The property's name: `mutex`, `access[1]`.
    pub property: Name,
    /// What it claims.
    pub claim: String,
    /// The answer.
    pub verdict: Verdict,
    /// The answer that the model expects; `None` if it does not say, or expects it for another fairness.
    pub expected: Option<Expect>,
    /// The engine that answered; `None` if none did.
    pub engine: Option<EngineKind>,
    /// Whether the judge has checked evidence for the answer. If not, it is the engine's claim.
    pub checked: bool,
    /// The scope of the answer: `this instance`, `N = 3`.
    pub scope: String,
    /// The fairness that was assumed.
    pub fairness: String,
    /// How long it took.
    pub time: Duration,
    /// The statistics: name and number.
    pub statistics: Vec<(&'static str, u64)>,
    /// Why the property fails.
    pub counterexample: Option<Counterexample>,
    /// The explanation of the answer, if it was asked for.
    pub explanation: Option<Explanation>,
    /// Why it holds, in sentences, if there is a proof that can be told.
    pub reasons: Vec<String>,
    /// Where the parts of the property are true, if that was asked for and the answer has labels.
    pub labels: Vec<Labelled>,
    /// What the judge has checked; `None` if the answer is the engine's claim.
    pub evidence: Option<Evidence>,
    /// A proof that can be checked, if the engine gave one; [`verify`](crate::verify) checks it again. One that lists
    /// states, or has diagrams of them, is large, and here only if [`Options::keeps_proofs`](crate::Options::keeps_proofs).
    pub proof: Option<Proof>,
    /// Notes about the answer: why it is unknown and what to try, that it is vacuous.
    pub notes: Vec<Note>,
    /// The engines that refused the task, and why.
    pub refusals: Vec<Refused>,
    /// A dispute: engines that disagree, or evidence that the judge refuses.
    pub dispute: Option<Dispute>,
    /// Whether an answer with any [`Caveat`] is not as expected, not only an empty one.
    pub strict: bool,
}

/// The evidence that the judge has checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A run or a path that violates the property.
    Run,
    /// All reachable states, and a tree of reasons why no fair run among them violates the property.
    ListedStates,
    /// Invariants of single processes, and ranks.
    LocalProof,
    /// Counts of processes, for every number of them, and reasons.
    Counts,
    /// The reachable states as a decision diagram, and ranks.
    Diagrams,
    /// Labels of the parts of the property.
    Labels,
}

impl Evidence {
    /// The evidence of an answer, if it has any.
    pub(crate) fn of(answer: &Answer) -> Option<Evidence> {
        match answer {
            Answer::Holds(Proof::Exhaustive) | Answer::Unknown(_) => None,
            Answer::Holds(Proof::Listed(_)) => Some(Evidence::ListedStates),
            Answer::Holds(Proof::Counted(_)) => Some(Evidence::Counts),
            Answer::Holds(Proof::Local(_)) => Some(Evidence::LocalProof),
            Answer::Holds(Proof::Diagrams(_)) => Some(Evidence::Diagrams),
            Answer::Holds(Proof::Labelling(_)) | Answer::Fails(model::Counterexample::Labelling(_)) => {
                Some(Evidence::Labels)
            }
            Answer::Fails(_) => Some(Evidence::Run),
        }
    }

    /// Its name, as in the JSON format.
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Run => "run",
            Evidence::ListedStates => "listed states",
            Evidence::Counts => "counts",
            Evidence::LocalProof => "local proof",
            Evidence::Diagrams => "diagrams",
            Evidence::Labels => "labels",
        }
    }
}

/// The answer to a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every fair run satisfies the property.
    Holds,
    /// A fair run violates it, or a fault is reachable.
    Fails,
    /// Not decided.
    Unknown,
}

/// Why a property fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The kind of evidence.
    pub kind: Kind,
    /// The run or the path; `None` for a fault in an `init` predicate.
    pub trace: Option<Trace>,
    /// How the cycle of a lasso meets each fairness requirement; empty for the other kinds.
    pub ledger: Vec<Entry>,
    /// For a CTL formula: the parts that make it false, with their truth in states, in the order of the states.
    pub facts: Vec<Fact>,
    /// For the beginning of a run: where it stays for ever.
    pub recurrence: Option<Recurrence>,
}

/// The truth of a part of a CTL formula in a state of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The number of the state.
    pub state: usize,
    /// The part.
    pub formula: String,
    /// Whether it is true there.
    pub holds: bool,
    /// Whether the trace shows it. If not, it is the engine's claim.
    pub checked: bool,
}

/// The kind of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A fair run that violates the property.
    Lasso,
    /// A path to a state that violates an invariant or, for `AG a`, the claim about all states.
    Path,
    /// A path to a fault, and the fault in a sentence.
    Fault(String),
    /// An initial state in which a CTL formula is false, and a path, which may have no step, to a state where a part of it
    /// decides that. No run alone shows it.
    State,
    /// The beginning of a fair run that violates the property and need not repeat a state.
    Beginning,
    /// A path after which the property is false, whatever follows: a bad prefix. A fair run begins with it.
    Prefix,
}

/// A run or a path: its first state in full, then what each step changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The first state in full.
    pub initial: Vec<Binding>,
    /// The steps; the first is number 1.
    pub steps: Vec<Step>,
    /// If the trace is infinite: the number of steps before the cycle. The last step leads back to the state after
    /// these steps.
    pub cycle: Option<usize>,
}

/// A step of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The name of the action; `idle` in a deadlock.
    pub action: String,
    /// The label of an action of one process, without the name of the process: `try`, `rule1(2)`.
    pub label: Option<String>,
    /// The processes that act: none in a deadlock, two in a rendezvous.
    pub processes: Vec<String>,
    /// The family and the label of the action of each of them.
    pub declared: Vec<(String, String)>,
    /// The variables that it changes, with their new values.
    pub changes: Vec<Binding>,
    /// The names of those that are only set back, because nobody reads their values any more (decision 0030).
    pub forgotten: Vec<String>,
}

impl Step {
    /// The changes that the model makes as it is written.
    pub fn shown(&self) -> impl Iterator<Item = &Binding> {
        self.changes.iter().filter(|change| !self.forgotten.contains(&change.name()))
    }
}

/// How the cycle of a lasso meets a fairness requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The requirement, as it would be declared.
    pub requirement: String,
    /// The word it is declared with; `None` for strong global fairness.
    pub word: Option<Word>,
    /// The action or process it is about, as it would be declared, if it is about one.
    pub target: Option<String>,
    /// The process that it is about, or whose action it is about; the first of several.
    pub process: Option<String>,
    /// Which of the declared requirements it is drawn from.
    pub declared: usize,
    /// How it is met.
    pub met: Met,
}

/// How a requirement is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Met {
    /// The action or process is taken by this step of the cycle.
    Taken(usize),
    /// The action or process is not enabled before this step of the cycle.
    Disabled(usize),
    /// The predicate that must occur is true of this step of the cycle.
    Occurs(usize),
    /// The cycle never triggers the requirement.
    Untriggered,
    /// Strong global fairness: every step that leaves a state of the cycle is on the cycle.
    Everything,
}

/// An error of this program, with all that is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispute {
    /// The error, in a sentence.
    pub summary: String,
    /// The task and the answers, for debugging.
    pub details: String,
}

impl Report {
    /// The notes about the model that are not accepted.
    pub fn refused_notes(&self) -> impl Iterator<Item = &Note> {
        let refused = |note: &&Note| matches!(note, Note::NeverReached(_) | Note::NeverEnabled(_));
        self.notes.iter().filter(|_| self.strict).filter(refused)
    }
}

impl Counterexample {
    /// Whether there is a trace with at least one step.
    pub fn has_steps(&self) -> bool {
        self.trace.as_ref().is_some_and(|trace| !trace.steps.is_empty())
    }

    /// When the property is false, whatever follows: after the last step.
    pub fn lost(&self) -> String {
        match self.trace.as_ref().map_or(0, |trace| trace.steps.len()) {
            0 => "false in the initial state, whatever follows".to_owned(),
            steps => format!("false after step {steps}, whatever follows"),
        }
    }
}

impl Outcome {
    /// Whether the answer is as expected; without an expectation the property should hold, and not because nothing could
    /// violate it. `None` if it is unknown.
    pub fn as_expected(&self) -> Option<bool> {
        match self.verdict {
            Verdict::Unknown => None,
            Verdict::Holds => Some(match self.expected {
                Some(Expect::Fails) => false,
                Some(Expect::HoldsVacuously) => self.is_vacuous(),
                Some(Expect::Holds) | None => self.caveat().is_none(),
            }),
            // `expect fails` is about the property, not about a model with a fault.
            Verdict::Fails => Some(self.expected == Some(Expect::Fails) && !self.is_fault()),
        }
    }

    /// Whether it holds only because nothing could violate it: its triggers never occur, there is no initial state, no
    /// run is fair, or the automaton accepts nothing.
    pub fn is_vacuous(&self) -> bool {
        let mut caveats = self.caveats();
        caveats.any(|caveat| caveat != Caveat::WithoutFairness)
    }

    /// Whether it holds because there is no initial state or no run is fair.
    pub fn is_empty(&self) -> bool {
        self.caveats().any(Caveat::is_empty)
    }

    /// Why a property that holds is not as expected, unless the model expects it to hold vacuously: the answer is empty
    /// or, if the report is strict, there is another caveat.
    pub fn caveat(&self) -> Option<Caveat> {
        let empty = self.caveats().find(|caveat| caveat.is_empty());
        empty.or_else(|| self.caveats().find(|_| self.strict))
    }

    fn caveats(&self) -> impl Iterator<Item = Caveat> {
        use model::Note as Fact;
        use model::note::Unrealisable;
        let caveat = |note: &Note| match note {
            Note::Fact(Fact::NoInitialState) => Some(Caveat::NoInitialState),
            Note::NoFairRun(_)
            | Note::Fact(Fact::Unrealisable(Unrealisable::Everywhere | Unrealisable::InEveryInstance)) => {
                Some(Caveat::NoFairRun)
            }
            Note::Fact(Fact::Vacuous { in_part: false, .. }) => Some(Caveat::NeverTriggered),
            Note::Fact(Fact::EmptyAutomaton { .. }) => Some(Caveat::EmptyAutomaton),
            Note::WithoutFairness => Some(Caveat::WithoutFairness),
            _ => None,
        };
        let notes: &[Note] = if self.verdict == Verdict::Holds { &self.notes } else { &[] };
        notes.iter().filter_map(caveat)
    }

    /// Whether the counterexample is a path to a fault.
    pub fn is_fault(&self) -> bool {
        matches!(&self.counterexample, Some(Counterexample { kind: Kind::Fault(_), .. }))
    }
}

impl Verdict {
    /// The verdict of an answer; unknown if there is none.
    pub(crate) fn of(answer: Option<&Answer>) -> Verdict {
        match answer {
            Some(Answer::Holds(_)) => Verdict::Holds,
            Some(Answer::Fails(_)) => Verdict::Fails,
            Some(Answer::Unknown(_)) | None => Verdict::Unknown,
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Unknown => "unknown",
        }
    }
}
