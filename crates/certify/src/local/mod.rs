//! Judges local proofs: encodes the model, and asks a SAT solver for a violation of each premise.
//!
//! [`model::proof::local`] lists the premises. The judge relies on four things: that the premises imply the property, the
//! reference automaton ([`model::tableau`]), the encoding of the model in a circuit (`encoder`, `update`), and the
//! solver when it finds nothing. Whether a step leads out of a set is first checked by walking through diagrams
//! (`implication`), in cases if need be (`cases`), and so is what an invariant says about a count (`count`). Nothing in the
//! proof is trusted: neither that its diagrams are well formed (`sets`), nor what they say. A false premise is reported with
//! a state and, if it is about steps, a step, in the user's names.
//!
//! The cost depends on the sets and on the actions that may leave them. For `reached` and large invariants it is the
//! product of their size and the number of actions; for an elimination whose sets depend on few cells it is small. If a
//! limit is reached, the proof is neither checked nor refused.

mod budget;
mod cases;
mod circuit;
mod count;
mod elimination;
mod encoder;
mod implication;
mod moves;
mod number;
mod premises;
mod runs;
mod sets;
mod solver;
mod sure;
mod update;

use model::instance::{Cell, Instance};
use model::proof::Local;
use model::property::Kind;
use model::{Task, tableau};

use crate::end::{End, undecided};
use crate::flaw::{Flaw, Premise};
use crate::limits::Limits;
use budget::Budget;
use encoder::Encoder;
use premises::ProofJudge;

/// Judges a proof that a property holds. Returns without an error if every premise is true.
pub(crate) fn judge(
    task: &Task,
    instance: &Instance,
    local: &Local,
    limits: &Limits<'_>,
    effort: u64,
) -> Result<(), End> {
    let form = |what: String| {
        let (state, target) = (Vec::new(), Vec::new());
        Err(Flaw::Premise { premise: Premise::Form, what, state, step: None, target }.into())
    };
    // A cell without values would leave no states at all, and one with all integers too many.
    let is_finite = |cell: &Cell| !cell.domain.is_unbounded() && cell.domain.lo <= cell.domain.hi;
    if let Some(cell) = instance.cells.iter().find(|cell| !is_finite(cell)) {
        return Err(undecided(format!("`{}` has no finite range", cell.name)));
    }
    if let Some(what) = sets::ill_formed(instance, local) {
        return form(what);
    }
    match task.property.kind {
        Kind::Invariant(_) if !local.cases.is_empty() => return form("an invariant has no cases".to_owned()),
        Kind::Ctl(_) if !local.sure.is_empty() => {}
        Kind::Ctl(_) if tableau::violations(instance, &task.property.kind).is_none() => {
            return form("a CTL formula about some runs needs sure sets".to_owned());
        }
        _ if !local.sure.is_empty() => return form("only a CTL formula has sure sets".to_owned()),
        _ => {}
    }
    let stop = || limits.check().err();
    let budget = Budget::new(effort, &stop);
    let encoder = Encoder::new(instance, limits.memory(), &budget);
    let mut judge = ProofJudge::new(task, instance, local, encoder)?;
    match task.property.kind {
        Kind::Invariant(_) => Ok(()),
        _ if !local.sure.is_empty() => sure::true_at_first(&mut judge),
        _ => runs::no_violation(&mut judge),
    }
}
