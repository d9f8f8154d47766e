//! Notes about a property that holds for every number of processes.
//!
//! The abstract system has the image of every run of every instance. So a trigger that is true of no abstract step
//! occurs in no instance, and if no abstract run meets the derived requirements, no run of any instance is fair. The
//! converses are false: an abstractly reachable state need not be reachable in any instance. So there are only these
//! two notes, and none about reachable states without a fair run.

use automata::Automaton;
use model::fairness::Assumption;
use model::note::Unrealisable;
use model::{Fairness, Note, Session};

use super::emptiness;
use super::requirements::Derived;
use super::space::{Space, Stop};
use crate::triggers::{Trigger, note_vacuity};

/// Adds a note about triggers that never occur. `columns` has the column of each trigger.
pub(super) fn note_dead_triggers(
    space: &Space,
    triggers: &[Trigger],
    columns: &[usize],
    session: &Session<'_>,
) {
    let occurs = |trigger: usize| (0..space.steps.len()).any(|step| space.truth(columns[trigger], step));
    if !space.initial.is_empty() {
        note_vacuity(triggers, &occurs, session);
    }
}

/// Adds a note if no run is fair: no abstract run meets the requirements of any alternative.
pub(super) fn note_unfairness(
    space: &Space,
    fairness: &Fairness,
    alternatives: &[Vec<&Derived>],
    session: &Session<'_>,
) -> Result<(), Stop> {
    if fairness.alternatives.iter().all(Assumption::can_be_met) || space.initial.is_empty() {
        return Ok(());
    }
    let everything = Automaton::everything();
    for derived in alternatives {
        if emptiness::search(space, &everything, &[], &[], derived, session)?.lasso.is_some() {
            return Ok(());
        }
    }
    session.note(Note::Unrealisable(Unrealisable::InEveryInstance));
    Ok(())
}
