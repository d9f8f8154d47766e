//! Notes about a property that holds: that the fairness it assumes cannot be met.
//!
//! A fairness assumption is *not realisable* in a state from which no fair run begins. Every claim about all fair
//! runs from that state is trivially true.

use automata::Automaton;
use model::note::Unrealisable;
use model::{Note, Session, show};

use super::emptiness::{has_a_fair_run, state_without_a_fair_run};
use super::letters::Letters;
use super::requirements::Alternative;
use super::space::Space;

/// Notes a reachable state without a fair run. The verdict stands even if a limit is reached here.
pub(super) fn note_realisability<const W: usize>(
    space: &Space<'_, W>,
    letters: &Letters,
    alternatives: &[Alternative],
    session: &Session<'_>,
) {
    let everything = Automaton::everything();
    let found =
        state_without_a_fair_run(space, letters, &everything, alternatives, session).and_then(|state| {
            let Some(state) = state else { return Ok(None) };
            Ok(Some((state, has_a_fair_run(space, letters, &everything, alternatives, session)?)))
        });
    match found {
        Err(_) => session.note(Note::RealisabilityUnknown { limit: true }),
        Ok(None) => {}
        Ok(Some((_, false))) => session.note(Note::Unrealisable(Unrealisable::Everywhere)),
        Ok(Some((state, true))) => {
            let shown = show::state(space.instance, &space.state(state));
            session.note(Note::Unrealisable(Unrealisable::From(shown)));
        }
    }
}
