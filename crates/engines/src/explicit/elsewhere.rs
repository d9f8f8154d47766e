//! Lets others decide a task about a large graph: with files, or on other machines ([`Crew`]).
//!
//! They find out whether there is a violation, and have no run to show it. If there is none, this is the answer. If there is
//! one, it is searched for as if there were no others.

use model::note::Unchecked;
use model::{Answer, Instance, Note, Proof, Reason, Session, ground};

use super::letters::Predicates;
use super::look::{Look, Target};
use super::requirements::Alternative;
use super::space::Stop;
use crate::rounds::{Crew, NotDecided};
use crate::triggers::{note_vacuity, triggers};

/// The answer of others; `None` if they find a violation, or do not take the task.
pub(super) fn answer(
    crew: &dyn Crew,
    look: Look<'_>,
    instance: &Instance,
    session: &Session<'_>,
) -> Result<Option<Answer>, Stop> {
    let task = look.task;
    if matches!(look.target, Target::Branching(_)) {
        return Ok(None);
    }
    let decided = match crew.decide(task, session) {
        Ok(decided) => decided,
        Err(NotDecided::Refused(_)) => return Ok(None),
        Err(NotDecided::Stopped(stop, states)) => {
            session.count("states", states);
            return Err(Stop::Limit(stop));
        }
        Err(NotDecided::Lost(sentence)) => return Ok(Some(Answer::Unknown(Reason::Other(sentence)))),
    };
    if decided.fails {
        return Ok(None);
    }
    session.count("states", decided.states);
    session.count("transitions", decided.steps);
    if look.engine.notes {
        let occurs = |number: usize| decided.occurs.get(number).copied().unwrap_or(false);
        note_vacuity(&triggers(instance, &task.property.kind), &occurs, session);
        let is_realisable =
            ground::fairness(instance, &task.fairness).alternatives.iter().any(|assumption| {
                Alternative::new(instance, assumption, &mut Predicates::default()).is_realisable()
            });
        if look.target.invariant().is_none() && !is_realisable {
            session.note(Note::RealisabilityUnknown { limit: true });
        }
    }
    if look.engine.evidence > 0 {
        session.note(Note::Unchecked(Unchecked::Large));
    }
    Ok(Some(Answer::Holds(Proof::Exhaustive)))
}
