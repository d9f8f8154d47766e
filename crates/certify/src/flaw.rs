//! Flaws: what is wrong with evidence that the judge refuses, in the user's names.
//!
//! Steps are counted from 1 and states from 0, so that step `k` leads from state `k - 1` to state `k` and
//! state 0 is the initial one.

use std::fmt;

use model::Fault;
use model::show::{self, Binding};

/// Why the judge refuses evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// The task is about many instances, so a run of one is no answer to it; or it has no instance.
    NotAnInstance(String),
    /// This kind of evidence cannot refute this kind of property.
    WrongEvidence {
        /// The claim.
        claim: &'static str,
        /// The evidence.
        evidence: &'static str,
    },
    /// A lasso without positions.
    EmptyLasso,
    /// The cycle begins after the end of the lasso.
    CycleOutside {
        /// The position where it should begin.
        cycle: usize,
        /// The number of positions.
        positions: usize,
    },
    /// A state has too few or too many values.
    WrongLength {
        /// The state.
        state: usize,
        /// The number of its values.
        values: usize,
        /// The number of cells.
        cells: usize,
    },
    /// A cell has a value it cannot hold.
    OutsideDomain {
        /// The state.
        state: usize,
        /// The cell.
        cell: String,
        /// The value.
        value: i64,
    },
    /// A step is labelled with an action that does not exist.
    NoSuchAction {
        /// The step.
        step: usize,
        /// The number of the action.
        action: u32,
        /// How many actions there are.
        actions: usize,
    },
    /// The first state is not initial.
    NotInitial,
    /// The action of a step is not enabled.
    NotEnabled {
        /// The step.
        step: usize,
        /// The action.
        action: String,
    },
    /// A step is `idle`, but the state is not a deadlock.
    NotDeadlocked {
        /// The step.
        step: usize,
        /// An action that is enabled.
        action: String,
    },
    /// The action of a step has no outcome that gives the next state.
    WrongTarget {
        /// The step.
        step: usize,
        /// The action, or `idle`.
        action: String,
        /// How one of its outcomes differs.
        instead: Vec<Binding>,
    },
    /// The last step does not lead back to where the cycle begins.
    NotClosed {
        /// The last step.
        step: usize,
        /// The action, or `idle`.
        action: String,
        /// The state where the cycle begins.
        cycle: usize,
        /// How one of the action's outcomes differs.
        instead: Vec<Binding>,
    },
    /// No alternative of the fairness is met on the cycle; one reason for each.
    Unfair(Vec<Unmet>),
    /// The formula is true on the lasso.
    FormulaTrue,
    /// The automaton of a file does not accept the lasso.
    NotAccepted {
        /// The file.
        file: String,
    },
    /// The invariant is true in the last state.
    InvariantTrue,
    /// The fault does not happen at its site.
    NoSuchFault {
        /// The fault that was claimed.
        fault: Fault,
        /// The site.
        site: String,
    },
    /// There is a path to a fault in `init`, or no path to a fault elsewhere.
    MisplacedPath {
        /// The site of the fault.
        site: String,
    },
    /// A premise of a local proof is false.
    Premise {
        /// Which.
        premise: Premise,
        /// What is false, in a sentence.
        what: String,
        /// A state in which it is; empty if it is not about states.
        state: Vec<Binding>,
        /// The step that leaves it, where the premise is about steps.
        step: Option<String>,
        /// What that step changes.
        target: Vec<Binding>,
    },
    /// A listed proof does not show what it should.
    Listed {
        /// What is wrong, in a sentence.
        what: String,
        /// The state in which it is; empty if it is not about a state.
        state: Vec<Binding>,
        /// The step that leaves it, if it is about one.
        step: Option<String>,
        /// What that step changes.
        target: Vec<Binding>,
    },
    /// The labels are not well formed.
    Malformed(&'static str),
    /// The labels do not show what they should.
    Unshown(String),
    /// Judging the evidence causes a fault. That would be another counterexample, but not this one.
    Fault {
        /// What was evaluated.
        during: String,
        /// The fault.
        fault: Fault,
    },
}

/// Why the cycle of a lasso does not meet an alternative of the fairness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// The requirement is triggered but not met.
    Requirement(String),
    /// A step leaves a state of the cycle but is not on it, against strong global fairness.
    Global {
        /// The label of the step.
        action: String,
        /// The state it leaves.
        state: usize,
        /// What it changes.
        changes: Vec<Binding>,
    },
    /// The requirement cannot be evaluated.
    Fault {
        /// The requirement, or `global`.
        requirement: String,
        /// The fault.
        fault: Fault,
    },
}

/// A premise of a local proof, as [`model::proof`] numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Premise {
    /// The proof is well formed, and one of this task.
    Form,
    /// Initial states satisfy the invariants.
    Initiation,
    /// Nothing faults where they hold.
    NoFault,
    /// Steps preserve them.
    Consecution,
    /// They imply the property.
    Invariant,
    /// The cases cover all fair runs.
    Cases,
    /// All reachable product states are in `reached`.
    Reached,
    /// The parts cover all accepting components.
    Parts,
    /// Each elimination, in order, removes only states in which no fair run stays.
    Elimination,
    /// Everything is removed.
    Removed,
    /// A claim of a CTL formula is true in its set.
    Sure,
}

impl fmt::Display for Premise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Premise::Form => "form",
            Premise::Initiation => "premise 1, initiation",
            Premise::NoFault => "premise 2, no fault",
            Premise::Consecution => "premise 3, consecution",
            Premise::Invariant => "premise 4, invariant",
            Premise::Cases => "premise 5, cases",
            Premise::Reached => "premise 6, reached",
            Premise::Parts => "premise 7, parts",
            Premise::Elimination => "premise 8, eliminations",
            Premise::Removed => "premise 9, all is removed",
            Premise::Sure => "sure sets",
        })
    }
}

impl std::error::Error for Flaw {}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::NotAnInstance(why) => write!(f, "the task is not a single instance: {why}"),
            Flaw::WrongEvidence { claim, evidence } => write!(f, "{evidence} says nothing against {claim}"),
            Flaw::EmptyLasso => write!(f, "the lasso is empty"),
            Flaw::CycleOutside { cycle, positions } => {
                write!(f, "the cycle begins at state {cycle}, but the lasso has only {positions} states")
            }
            Flaw::WrongLength { state, values, cells } => {
                write!(f, "state {state} has {values} values for {cells} cells")
            }
            Flaw::OutsideDomain { state, cell, value } => {
                write!(f, "state {state}: `{cell}` cannot be {value}")
            }
            Flaw::NoSuchAction { step, action, actions } => {
                write!(f, "step {step}: there is no action number {action}, only {actions} actions")
            }
            Flaw::NotInitial => write!(f, "the first state is not initial"),
            Flaw::NotEnabled { step, action } => write!(f, "step {step}: action {action} is not enabled"),
            Flaw::NotDeadlocked { step, action } => {
                write!(f, "step {step}: `idle` is taken only in a deadlock, but action {action} is enabled")
            }
            Flaw::WrongTarget { step, action, instead } => {
                write!(f, "step {step}: {action} does not lead to the next state{}", outcome(instead))
            }
            Flaw::NotClosed { step, action, cycle, instead } => write!(
                f,
                "the cycle does not close: step {step}, {action}, does not lead back to state {cycle}{}",
                outcome(instead)
            ),
            Flaw::Unfair(reasons) => match reasons.as_slice() {
                [] => write!(f, "the fairness has no alternative, so no run is fair"),
                [reason] => write!(f, "{reason}"),
                _ => {
                    write!(f, "no alternative of the fairness is met")?;
                    reasons.iter().zip(1..).try_for_each(|(reason, number)| write!(f, "; {number}: {reason}"))
                }
            },
            Flaw::FormulaTrue => write!(f, "the formula is true on this lasso"),
            Flaw::NotAccepted { file } => write!(f, "the automaton {file} does not accept this lasso"),
            Flaw::InvariantTrue => write!(f, "the invariant is true in the last state"),
            Flaw::NoSuchFault { fault, site } => write!(f, "there is no such fault: {fault}, in {site}"),
            Flaw::MisplacedPath { site } => {
                write!(f, "only a fault in `init` comes without a path, and this one is in {site}")
            }
            Flaw::Premise { premise, what, state, step, target } => {
                write!(f, "{premise}: {what}")?;
                place(f, state, step.as_deref(), target)
            }
            Flaw::Listed { what, state, step, target } => {
                write!(f, "the proof does not show it: {what}")?;
                place(f, state, step.as_deref(), target)
            }
            Flaw::Malformed(what) => write!(f, "the labels are not well formed: {what}"),
            Flaw::Unshown(what) => write!(f, "the labels do not show that {what}"),
            Flaw::Fault { during, fault } => write!(f, "{during} cannot be evaluated: {fault}"),
        }
    }
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unmet::Requirement(requirement) => {
                write!(f, "requirement `{requirement}` is triggered on the cycle but not met")
            }
            Unmet::Global { action, state, changes } => write!(
                f,
                "strong global fairness: the step {action}{} leaves state {state} of the cycle but is not on it",
                match changes.as_slice() {
                    [] => String::new(),
                    changes => format!(" ({})", show::listed(changes)),
                }
            ),
            Unmet::Fault { requirement, fault } => {
                write!(f, "requirement `{requirement}` cannot be evaluated: {fault}")
            }
        }
    }
}

/// Where a premise is false: in this state, by this step.
fn place(
    f: &mut fmt::Formatter<'_>,
    state: &[Binding],
    step: Option<&str>,
    target: &[Binding],
) -> fmt::Result {
    if !state.is_empty() {
        write!(f, "; in the state {}", listed(state))?;
    }
    match step {
        Some(step) if target.is_empty() => write!(f, "; by the step {step}"),
        Some(step) => write!(f, "; by the step {step}, which gives {}", listed(target)),
        None => Ok(()),
    }
}

fn outcome(instead: &[Binding]) -> String {
    if instead.is_empty() { String::new() } else { format!("; it gives {}", listed(instead)) }
}

/// Cells with their values. If there are very many, only the first.
fn listed(cells: &[Binding]) -> String {
    const SHOWN: usize = 40;
    let more = if cells.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", show::listed(&cells[..cells.len().min(SHOWN)]))
}
