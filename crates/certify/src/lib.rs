//! The judge: checks answers against the model, and holds the oracle.
//!
//! An engine's answer is a claim. *Fails* comes with evidence, and the judge believes nothing of it: a run is
//! replayed step by step with [`model::semantics`], its first state must be initial, its cycle must close,
//! some alternative of the fairness must be met on the cycle, and the formula must be false on the lasso by
//! direct evaluation, without an automaton; where the property is an automaton, it must accept the lasso. What is wrong is named exactly, as a [`Flaw`]. *Holds* by
//! exhaustive search and *unknown* carry nothing to check and stand as claimed.
//!
//! [`Certified`] has no other constructor than [`certify`], so nothing unjudged can be reported. Evidence may
//! be garbage: states of the wrong length, actions that do not exist, an empty lasso. It is refused, never
//! trusted to be well formed.
//!
//! The cost of a lasso is its length times the size of formula and requirements; strong global fairness and
//! `idle` also ask for all steps that leave a state. [`oracle`] is for tests: it decides small tasks straight
//! from the definitions and shares nothing with the judge but those.

mod acceptance;
mod choices;
mod facts;
mod fairness;
mod fault;
mod flaw;
mod labelling;
mod local;
pub mod oracle;
mod replay;
mod truth;

use local::Judged;
use model::instance::Instance;
use model::property::Kind;
use model::semantics;
use model::{Answer, Counterexample, Formula, Lasso, Note, Proof, Session, Task, setting};
use smt::Solvers;

pub use facts::{Fact, facts};
pub use fairness::{Entry, How, ledger, left_out};
pub use flaw::{Flaw, Premise, Unmet};

/// An answer that went through the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certified {
    answer: Answer,
    standing: Standing,
}

/// How far an answer can be relied on without trusting the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The judge checked the evidence.
    Checked,
    /// The engine says so; there is no evidence that could be checked.
    Claimed,
}

impl Certified {
    /// The answer.
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Whether the evidence was checked.
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// The answer, no longer certified.
    pub fn into_answer(self) -> Answer {
        self.answer
    }
}

/// Judges an answer to a task, without solvers: labels stand as claimed.
pub fn certify(task: &Task, answer: Answer) -> Result<Certified, Flaw> {
    certify_with(task, answer, &Solvers::none("the judge was given none"))
}

/// Judges an answer to a task; the premises of labels are put to both solvers.
pub fn certify_with(task: &Task, answer: Answer, solvers: &Solvers) -> Result<Certified, Flaw> {
    certify_within(task, answer, solvers, &Session::unlimited(), Effort::Full)
}

/// How much work a local proof is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A few seconds, counted in gates and not by the clock.
    Brief,
    /// Whatever it takes.
    Full,
}

/// The same within limits: a proof that cannot be judged to its end stands as claimed, with a note that says why.
pub fn certify_within(
    task: &Task,
    answer: Answer,
    solvers: &Solvers,
    session: &Session<'_>,
    effort: Effort,
) -> Result<Certified, Flaw> {
    let units = match effort {
        Effort::Brief => 25_000_000,
        Effort::Full => u64::MAX,
    };
    let standing = match &answer {
        Answer::Holds(Proof::Exhaustive) | Answer::Unknown(_) => Standing::Claimed,
        Answer::Holds(Proof::Local(local)) => {
            match local::judge(task, instance(task)?, local, session, units)? {
                Judged::Checked => Standing::Checked,
                Judged::Unfinished(why) => {
                    session.note(Note::ProofUnfinished { why });
                    Standing::Claimed
                }
            }
        }
        Answer::Holds(Proof::Labelling(evidence)) => {
            labelling::holds(task, instance(task)?, evidence, solvers)?
        }
        Answer::Fails(counterexample) => judge(task, counterexample, solvers)?,
    };
    Ok(Certified { answer, standing })
}

fn judge(task: &Task, counterexample: &Counterexample, solvers: &Solvers) -> Result<Standing, Flaw> {
    if let Counterexample::Instance { values, member, evidence } = counterexample {
        let refused =
            || Flaw::NotAnInstance(format!("{values:?} and {member:?} are no instance of the task"));
        // A task about one instance is its own only instance; evidence is not wrapped twice.
        if task.system().parameters.is_empty() || matches!(**evidence, Counterexample::Instance { .. }) {
            return Err(refused());
        }
        return judge(&setting::set(task, values, member).ok_or_else(refused)?, evidence, solvers);
    }
    let instance = instance(task)?;
    match (&task.property.kind, counterexample) {
        (_, Counterexample::Fault { path, site, fault }) => {
            fault::occurs(task, instance, path.as_ref(), *site, fault)?;
            Ok(Standing::Checked)
        }
        (Kind::Invariant(predicate), Counterexample::Path(path)) => {
            replay::path(instance, path)?;
            let holds = semantics::state_predicate(instance, predicate, &path.last)
                .map_err(|fault| Flaw::Fault { during: "the invariant".to_owned(), fault })?;
            if holds { Err(Flaw::InvariantTrue) } else { Ok(Standing::Checked) }
        }
        (Kind::Ltl(formula), Counterexample::Lasso(lasso)) => refutes(task, instance, formula, lasso),
        // What a CTL formula says of all runs, this one violates.
        (Kind::Ctl(formula), Counterexample::Lasso(lasso)) if formula.of_all_runs().is_some() => {
            let linear = formula.of_all_runs().expect("it has just been there");
            refutes(task, instance, &linear, lasso)
        }
        (Kind::Never(never), Counterexample::Lasso(lasso)) => {
            replay::lasso(instance, lasso)?;
            fairness::judge(instance, &task.fairness, lasso).map_err(Flaw::Unfair)?;
            let accepted = acceptance::accepts(instance, never, lasso)
                .map_err(|fault| Flaw::Fault { during: "a proposition".to_owned(), fault })?;
            if accepted { Ok(Standing::Checked) } else { Err(Flaw::NotAccepted { file: never.file.clone() }) }
        }
        // The path can be checked; that something is false at its end, which is claimed of all states, cannot.
        (Kind::Ctl(formula), Counterexample::Path(path)) if formula.everywhere().is_some() => {
            replay::path(instance, path)?;
            Ok(Standing::Claimed)
        }
        (_, Counterexample::Labelling(refutation)) => labelling::fails(task, instance, refutation, solvers),
        // That the state is initial can be checked, that the formula is false in it cannot.
        (Kind::Ctl(_), Counterexample::State(state)) => {
            replay::first(instance, state)?;
            Ok(Standing::Claimed)
        }
        (kind, evidence) => Err(Flaw::WrongEvidence {
            claim: match kind {
                Kind::Invariant(_) => "an invariant",
                Kind::Ltl(_) => "an LTL formula",
                Kind::Ctl(_) => "a CTL formula",
                Kind::Never(_) => "an automaton",
            },
            evidence: match evidence {
                Counterexample::Lasso(_) => "a lasso",
                Counterexample::Path(_) => "a path",
                Counterexample::State(_) => "a state",
                Counterexample::Labelling(_) => "a labelling",
                Counterexample::Fault { .. } => "a fault",
                Counterexample::Instance { .. } => "an instance",
            },
        }),
    }
}

/// Whether a lasso is a fair run that violates a formula.
fn refutes(task: &Task, instance: &Instance, formula: &Formula, lasso: &Lasso) -> Result<Standing, Flaw> {
    replay::lasso(instance, lasso)?;
    fairness::judge(instance, &task.fairness, lasso).map_err(Flaw::Unfair)?;
    let holds = truth::holds(instance, formula, lasso)
        .map_err(|fault| Flaw::Fault { during: "the formula".to_owned(), fault })?;
    if holds { Err(Flaw::FormulaTrue) } else { Ok(Standing::Checked) }
}

/// The instance that runs of the task's system are runs of.
fn instance(task: &Task) -> Result<&Instance, Flaw> {
    if let Some(binder) = task.property.binders.first() {
        let name = task.system().indices.get(binder.index.0 as usize).map_or("?", |index| &index.name);
        return Err(Flaw::NotAnInstance(format!(
            "`{}` is a family of properties, and `{name}` has no value",
            task.property.name
        )));
    }
    let open = || Flaw::NotAnInstance("a parameter has no value".to_owned());
    task.instance().map(|instance| &**instance).ok_or_else(open)
}
