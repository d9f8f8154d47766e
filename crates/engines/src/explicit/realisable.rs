//! Whether a fairness assumption can be met from wherever a system may be.
//!
//! The question that [`notes`](super::notes) answers in passing when a property holds, asked for its own sake.

use std::sync::Arc;

use model::{Fairness, Reason, Session, State, StopReason, Task, ground};

use super::emptiness::state_without_a_fair_run;
use super::graph_cache::Graphs;
use super::letters::{Letters, Predicates};
use super::notes::everything;
use super::requirements::Alternative;
use super::space::{Aim, Space, Stop};
use super::{Explicit, Listing, too_many};

impl Explicit {
    /// The nearest reachable state from which no run is fair, if there is one; the task's property does not matter.
    /// Nothing is known, and `None` is returned as the error, if a fault is in the way.
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
    let most = listing.engine.most;
    let stopped = |stop: StopReason, states: Option<u64>| {
        Some(Reason::Stopped { stop, done: states.map(|states| (states, "states")) })
    };
    let mut graphs = listing.graphs(session).map_err(|stop| stopped(stop, None))?;
    let aim = Aim { invariant: None, shared_level: listing.engine.shared_level, reduction: None };
    let successors = Arc::clone(&graphs.successors);
    let explored = Graphs::fitting(graphs.whole.take(), true, session.threads <= 1);
    let mut space = Space::new(&successors, &aim, explored);
    match space.start(most, session).and_then(|()| space.explore(most, session)) {
        Ok(true) if !space.is_partial() => {}
        Ok(_) => return Err(Some(too_many(most))),
        Err(Stop::Limit(stop)) => return Err(stopped(stop, Some(space.size().0))),
        Err(Stop::TooLarge(what)) => return Err(Some(Reason::TooLarge { what })),
        Err(Stop::Found(_)) => return Err(None),
    }
    let mut letters = Letters::new(listing.instance, &listing.packing, &predicates);
    letters.look_at(&space).map_err(|_| None)?;
    let found = state_without_a_fair_run(&space, &letters, &everything(), &alternatives, session);
    let found = found.map_err(|stop| stopped(stop, Some(space.size().0)))?;
    let found = found.map(|number| space.state(number));
    graphs.whole = Some(space.into_explored());
    listing.keep(graphs, session);
    Ok(found)
}
