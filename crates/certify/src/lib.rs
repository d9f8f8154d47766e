//! The judge checks answers against the model. The oracle, which tests use, is here too.
//!
//! An engine's answer is a claim. *Fails* comes with evidence, and the judge trusts nothing in it. A run is replayed
//! step by step with [`model::semantics`]: its first state must be initial, its cycle must close, and some alternative
//! of the fairness must be met on the cycle. The formula must be false on the lasso by direct evaluation, without an
//! automaton; if the property is an automaton, it must accept the lasso. A [`Flaw`] says exactly what is wrong. *Unknown*,
//! and a *holds* that comes without a proof, have nothing to check and remain claimed.
//!
//! Only [`Judge::certify`] can construct a [`Certified`], so nothing unjudged can be reported. Evidence may be garbage:
//! states of the wrong length, actions that do not exist, an empty lasso. It is refused, never assumed to be well
//! formed. A judge works in a session and respects its limits. If it could not finish, the answer remains claimed,
//! whether *fails* or *holds*, and [`Certified::unfinished`] says why.
//!
//! `replay`, `fairness`, `truth`, `acceptance`, `prefix`, `fault` and `choices` are the kernel that judges runs; they
//! depend on [`model`] alone. `listed` judges proofs that list states, `counted` those for every number of processes,
//! `local` proofs made of diagrams, with a SAT solver, and `labelling` labels, with two SMT solvers. These four may use the
//! kernel. Judging a lasso costs its length times the size of formula and requirements; strong global fairness and `idle`
//! also need all steps that leave a state. [`oracle`] is for tests: it decides small tasks directly from the definitions and
//! shares only those with the judge.

// Without all engines, some of what they share has no user.
#![cfg_attr(not(feature = "full"), allow(dead_code, unused_variables))]

mod acceptance;
mod choices;
mod counted;
mod end;
mod facts;
mod fairness;
mod fault;
mod flaw;
mod labelling;
mod limits;
mod listed;
#[cfg(feature = "full")]
mod local;
pub mod oracle;
mod prefix;
mod replay;
mod truth;

use model::instance::Instance;
use model::property::Kind;
use model::semantics;
use model::{Answer, Counterexample, Formula, Lasso, Note, Proof, Session, Task, setting};
use smt::Solvers;

pub use end::Unfinished;
use end::{End, NoValue};
pub use facts::{Fact, facts};
pub use fairness::{Entry, How, Ledger, left_out};
pub use flaw::{Flaw, Premise, Unmet};
pub use labelling::effect;
use limits::Limits;
pub use prefix::bad_prefix;
use replay::Replay;

/// An answer that went through the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certified {
    answer: Answer,
    standing: Standing,
    unfinished: Option<Unfinished>,
    ledger: Ledger,
}

/// The positions of a lasso at which a formula is true, by the definition. `None` if it is a fault, or a limit was reached.
pub fn truth_on(
    instance: &Instance,
    formula: &Formula,
    lasso: &Lasso,
    session: &Session<'_>,
) -> Option<Vec<bool>> {
    truth::all(instance, formula, lasso, &Limits::new(session)).ok()
}

/// Whether an answer can be relied on without trusting the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The judge checked the evidence.
    Checked,
    /// Only the engine says so: there is no evidence that could be checked, or the judge could not finish.
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

    /// Why the judge could not finish, if it could not.
    pub fn unfinished(&self) -> Option<&Unfinished> {
        self.unfinished.as_ref()
    }

    /// How the lasso of a checked *fails* meets the fairness; empty if the evidence is not a lasso.
    pub fn ledger(&self) -> &[Entry] {
        &self.ledger
    }

    /// The answer, without its certification.
    pub fn into_answer(self) -> Answer {
        self.answer
    }
}

/// A judge.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// The solvers for the premises of labels. Without them labels remain claimed.
    pub solvers: &'a Solvers,
    /// Its limits. It also receives a note if the judge could not finish.
    pub session: &'a Session<'a>,
    /// How much work to spend on a proof; `None` if proofs are not judged and *holds* remains claimed.
    pub effort: Option<Effort>,
}

/// How much work to spend on a proof made of diagrams. Other proofs have no limit but the session's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A few seconds, counted in gates and not by the clock.
    Brief,
    /// No limit.
    Full,
}

impl Effort {
    /// In gates.
    fn units(self) -> u64 {
        match self {
            Effort::Brief => 25_000_000,
            Effort::Full => u64::MAX,
        }
    }
}

/// Judges an answer to a task without limits and without solvers, so that labels remain claimed.
pub fn certify(task: &Task, answer: Answer) -> Result<Certified, Flaw> {
    Judge::new(&Solvers::none("no solvers were given"), &Session::unlimited()).certify(task, answer)
}

/// The ledger of a lasso that has not been judged; empty if it is not a fair run of the task's system. For a judged
/// lasso use [`Certified::ledger`].
pub fn ledger(task: &Task, lasso: &Lasso) -> Ledger {
    let Ok(instance) = instance(task) else { return Ledger::new() };
    let session = Session::unlimited();
    fair_run(&replayer(instance, &Limits::new(&session)), task, lasso).unwrap_or_default()
}

/// The result for evidence without a flaw.
enum Outcome {
    /// Everything was shown. A lasso has a ledger.
    Checked(Ledger),
    /// What could be checked is right, but it does not show the claim.
    Claimed,
}

impl<'a> Judge<'a> {
    /// A judge with full [`Effort`].
    pub fn new(solvers: &'a Solvers, session: &'a Session<'a>) -> Judge<'a> {
        Judge { solvers, session, effort: Some(Effort::Full) }
    }

    /// Judges an answer to a task.
    pub fn certify(&self, task: &Task, answer: Answer) -> Result<Certified, Flaw> {
        let limits = Limits::new(self.session);
        let judged = match &answer {
            Answer::Holds(Proof::Exhaustive) | Answer::Unknown(_) => Ok(Outcome::Claimed),
            Answer::Holds(proof) => self.proof(task, proof, &limits),
            Answer::Fails(counterexample) => self.counterexample(task, counterexample, &limits),
        };
        let (standing, unfinished, ledger) = match judged {
            Ok(Outcome::Checked(ledger)) => (Standing::Checked, None, ledger),
            Ok(Outcome::Claimed) => (Standing::Claimed, None, Ledger::new()),
            Err(End::Unfinished(why)) => (Standing::Claimed, Some(why), Ledger::new()),
            Err(End::Flaw(flaw)) => return Err(flaw),
        };
        if let (
            Answer::Holds(Proof::Local(_) | Proof::Diagrams(_) | Proof::Listed(_) | Proof::Counted(_)),
            Some(why),
        ) = (&answer, &unfinished)
        {
            self.session.note(Note::ProofUnfinished { why: reason_text(why) });
        }
        Ok(Certified { answer, standing, unfinished, ledger })
    }

    fn proof(&self, task: &Task, proof: &Proof, limits: &Limits<'_>) -> Result<Outcome, End> {
        let Some(effort) = self.effort else { return Ok(Outcome::Claimed) };
        match proof {
            Proof::Exhaustive => return Ok(Outcome::Claimed),
            Proof::Counted(proof) => counted::judge(task, proof, limits)?,
            Proof::Listed(proof) => listed::judge(task, instance(task)?, proof, limits)?,
            #[cfg(feature = "full")]
            Proof::Local(local) | Proof::Diagrams(local) => {
                local::judge(task, instance(task)?, local, limits, effort.units())?;
            }
            #[cfg(not(feature = "full"))]
            Proof::Local(_) | Proof::Diagrams(_) => return Ok(Outcome::Claimed),
            Proof::Labelling(evidence) => {
                labelling::holds(task, instance(task)?, evidence, self.solvers, limits)?;
            }
        }
        Ok(Outcome::Checked(Ledger::new()))
    }

    fn counterexample(
        &self,
        task: &Task,
        counterexample: &Counterexample,
        limits: &Limits<'_>,
    ) -> Result<Outcome, End> {
        if let Counterexample::Instance { values, member, evidence } = counterexample {
            let refused =
                || Flaw::NotAnInstance(format!("{values:?} and {member:?} are no instance of the task"));
            // A task about one instance is its own only instance. Evidence is not wrapped twice.
            if task.system().parameters.is_empty() || matches!(**evidence, Counterexample::Instance { .. }) {
                return Err(refused().into());
            }
            let task = setting::set(task, values, member).ok_or_else(refused)?;
            return self.counterexample(&task, evidence, limits);
        }
        let instance = instance(task)?;
        let replay = replayer(instance, limits);
        let checked = Ok(Outcome::Checked(Ledger::new()));
        match (&task.property.kind, counterexample) {
            (_, Counterexample::Fault { path, site, fault }) => {
                fault::occurs(&replay, task, path.as_ref(), *site, fault)?;
                checked
            }
            (Kind::Invariant(predicate), Counterexample::Path(path)) => {
                replay.path(path)?;
                let holds = semantics::state_predicate(instance, predicate, &path.last)
                    .map_err(|fault| NoValue::Fault(fault).during("the invariant"))?;
                if holds { Err(Flaw::InvariantTrue.into()) } else { checked }
            }
            (Kind::Ltl(formula), Counterexample::Lasso(lasso)) => refutes(&replay, task, formula, lasso),
            // The run violates what the formula claims of all runs.
            (Kind::Ctl(formula), Counterexample::Lasso(lasso)) if formula.of_all_runs().is_some() => {
                let linear = formula.of_all_runs().expect("it has just been there");
                refutes(&replay, task, &linear, lasso)
            }
            (Kind::Never(never), Counterexample::Lasso(lasso)) => {
                let ledger = fair_run(&replay, task, lasso)?;
                let accepted = acceptance::accepts(instance, never, lasso, limits)
                    .map_err(|reason| reason.during("a proposition"))?;
                if !accepted {
                    return Err(Flaw::NotAccepted { file: never.file.clone() }.into());
                }
                Ok(Outcome::Checked(ledger))
            }
            // The property is false after the path, whatever follows, and a fair run begins with it.
            (kind @ (Kind::Ltl(_) | Kind::Never(_)), Counterexample::Path(path)) => {
                replay.path(path)?;
                if !prefix::can_be_met(instance, &task.fairness) || bad_prefix(task, counterexample).is_none()
                {
                    return Err(wrong_evidence(kind, counterexample).into());
                }
                checked
            }
            // The path can be checked. That a formula claimed of all states is false at its end cannot.
            (Kind::Ctl(formula), Counterexample::Path(path)) if formula.everywhere().is_some() => {
                replay.path(path)?;
                Ok(Outcome::Claimed)
            }
            (_, Counterexample::Labelling(refutation)) => {
                labelling::fails(&replay, task, refutation, self.solvers)?;
                checked
            }
            // That the state is initial can be checked. That the formula is false in it cannot.
            (Kind::Ctl(_), Counterexample::State(state)) => {
                replay.first(state)?;
                Ok(Outcome::Claimed)
            }
            (kind, evidence) => Err(wrong_evidence(kind, evidence).into()),
        }
    }
}

/// This kind of evidence cannot refute this kind of property.
fn wrong_evidence(kind: &Kind, evidence: &Counterexample) -> Flaw {
    Flaw::WrongEvidence {
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
    }
}

/// Why a proof was not judged to its end, for a note.
fn reason_text(why: &Unfinished) -> String {
    match why {
        Unfinished::Stopped(_) => "a limit was reached".to_owned(),
        Unfinished::Effort => {
            "it takes more work than the judge does by default; `fairly verify` has no such limit".to_owned()
        }
        Unfinished::Undecided(what) => what.clone(),
    }
}

/// Replays runs. Chosen integers are found from the states before and after a step.
fn replayer<'a>(instance: &'a Instance, limits: &'a Limits<'a>) -> Replay<'a> {
    Replay { instance, limits, suggest: &labelling::suggestions }
}

/// The ledger of a lasso, if it is a fair run of the task's system.
fn fair_run(replay: &Replay<'_>, task: &Task, lasso: &Lasso) -> Result<Ledger, End> {
    replay.lasso(lasso)?;
    fairness::judge(replay.instance, &task.fairness, lasso, replay.limits)
}

/// Whether a lasso is a fair run that violates a formula.
fn refutes(replay: &Replay<'_>, task: &Task, formula: &Formula, lasso: &Lasso) -> Result<Outcome, End> {
    let ledger = fair_run(replay, task, lasso)?;
    let holds = truth::holds(replay.instance, formula, lasso, replay.limits)
        .map_err(|reason| reason.during("the formula"))?;
    if holds { Err(Flaw::FormulaTrue.into()) } else { Ok(Outcome::Checked(ledger)) }
}

/// The instance of a task that is about one.
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
