//! Judges local proofs: encodes the model, and asks a SAT solver for a violation of each premise.
//!
//! The premises stand in [`model::proof`]; what is believed is that they imply the property, the automaton of reference
//! ([`model::tableau`]), the encoding of the model in a circuit (`encoder`, `update`), and the solver when it finds
//! nothing. That a set is not left is first sought by walking through diagrams (`implication`), and so is what an invariant
//! says of a count (`count`). Nothing of the
//! proof is believed: not that its diagrams have the form they should (`sets`), and not what they say. A premise that is
//! false is named with a state, and a step where it speaks of one, in the user's names.
//!
//! The cost is that of the sets and of the actions that may leave them: for `reached` and large invariants the product of
//! their size and the number of actions; for an elimination whose sets speak of few cells, hardly anything. A limit ends
//! it; the proof is then neither checked nor refused.

mod budget;
mod circuit;
mod count;
mod elimination;
mod encoder;
mod hash;
mod implication;
mod number;
mod premises;
mod ranking;
mod sets;
mod solver;
mod update;

use model::Task;
use model::instance::{Cell, Instance};
use model::proof::Local;
use model::property::Kind;

use crate::end::{End, undecided};
use crate::flaw::{Flaw, Premise};
use crate::limits::Limits;
use budget::Budget;
use encoder::Encoder;
use premises::ProofJudge;

/// Judges a proof that a property holds: no flaw, and nothing left, if every premise is true.
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
    // A cell without values would leave no states at all, one with all integers too many.
    let is_finite = |cell: &Cell| !cell.domain.is_unbounded() && cell.domain.lo <= cell.domain.hi;
    if let Some(cell) = instance.cells.iter().find(|cell| !is_finite(cell)) {
        return Err(undecided(format!("`{}` has no finite range", cell.name)));
    }
    if let Some(what) = sets::ill_formed(instance, local) {
        return form(what);
    }
    match task.property.kind {
        Kind::Invariant(_) if !local.cases.is_empty() => return form("an invariant has no cases".to_owned()),
        Kind::Ctl(_) => return form("a CTL formula has no local proof".to_owned()),
        _ => {}
    }
    let stop = || limits.check().err();
    let budget = Budget::new(effort, &stop);
    let encoder = Encoder::new(instance, limits.memory(), &budget);
    let mut judge = ProofJudge::new(task, instance, local, encoder)?;
    match task.property.kind {
        Kind::Invariant(_) => Ok(()),
        _ => ranking::no_violation(&mut judge),
    }
}
