//! Decides whether every reachable state has a fair run.
//!
//! [`notes`](super::notes) answers the same question in passing when a property holds.

use std::sync::Arc;

use automata::Automaton;
use model::{Fairness, Reason, Session, State, StopReason, Task, ground};

use super::emptiness::state_without_a_fair_run;
use super::letters::{Letters, Predicates};
use super::requirements::Alternative;
use super::space::{Space, SpaceOptions, Stop};
use super::{Explicit, Listing, too_many};

impl Explicit {
    /// The nearest reachable state from which no fair run begins, if there is one. The task's property does not
    /// matter. The error is `None` if a reachable fault makes the question meaningless, and otherwise the limit.
    pub fn unfair_state(&self, task: &Task, session: &Session<'_>) -> Result<Option<State>, Option<Reason>> {
        let search = self.search(&task.subject).map_err(|refusal| Some(Reason::Refused(refusal)))?;
        search.unfair_state(&task.fairness, session)
    }
}

/// See [`Explicit::unfair_state`].
pub(super) fn unfair_state<const W: usize>(
    listing: &Listing<'_, W>,
    fairness: &Fairness,
    session: &Session<'_>,
) -> Result<Option<State>, Option<Reason>> {
    let mut predicates = Predicates::default();
    let alternatives: Vec<Alternative> = ground::fairness(listing.instance, fairness)
        .alternatives
        .iter()
        .map(|assumption| Alternative::new(listing.instance, assumption, &mut predicates))
        .collect();
    if alternatives.iter().any(Alternative::is_realisable) {
        return Ok(None);
    }
    let state_limit = listing.engine.state_limit;
    let stopped = |stop: StopReason, states: Option<u64>| {
        Some(Reason::Stopped { stop, done: states.map(|states| (states, "states")) })
    };
    let mut graphs = listing.graphs(session).map_err(|stop| stopped(stop, None))?;
    let options = SpaceOptions {
        invariant: None,
        shared_level: listing.engine.shared_level,
        reduction: None,
        number_limit: listing.engine.number_limit,
        wanders: false,
    };
    let successors = Arc::clone(&graphs.successors);
    let whole = graphs.whole.take();
    let explored = graphs.fitting(whole, true);
    let mut space = Space::new(&successors, &options, explored);
    match space.start(state_limit, session).and_then(|()| space.explore(state_limit, session)) {
        Ok(true) if !space.is_partial() => {}
        Ok(_) => return Err(Some(too_many(state_limit))),
        Err(Stop::Limit(stop)) => return Err(stopped(stop, Some(space.size().0))),
        Err(Stop::TooLarge(what)) => return Err(Some(Reason::TooLarge { what })),
        Err(Stop::Found(_)) => return Err(None),
    }
    let mut letters = Letters::new(listing.instance, &listing.packing, &predicates);
    letters.evaluate(&space).map_err(|_| None)?;
    let found = state_without_a_fair_run(&space, &letters, &Automaton::everything(), &alternatives, session);
    let found = found.map_err(|stop| stopped(stop, Some(space.size().0)))?;
    let found = found.map(|number| space.state(number));
    graphs.whole = Some(space.into_explored());
    listing.keep(graphs, session);
    Ok(found)
}
