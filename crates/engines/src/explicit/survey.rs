//! Facts about a whole system: which actions are ever enabled, which locations are reached, and whether there is a
//! deadlock.
//!
//! They are computed from the complete graph, the same graph on which properties are decided
//! ([`graph_cache`](super::graph_cache)). There is no survey of a system with more states than the limit, or with a
//! reachable fault. So a survey depends on the system alone: not on the threads, and not on what was explored before.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::{ActionId, Instance, Label, Path, Session, State, StopReason, Subject};

use super::space::{Space, SpaceOptions, Stop, label};
use super::{Explicit, Listing};

/// If what the reference semantics does in a state is more work, see [`allowance`](super::allowance), there is no survey.
const MOST_INTERPRETED: u64 = 1 << 13;

/// Facts about all reachable states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The number of reachable states.
    pub states: usize,
    /// The actions that are enabled in some reachable state.
    pub enabled: BTreeSet<ActionId>,
    /// The values of location cells: pairs of a cell and a value.
    pub locations: BTreeSet<(usize, i64)>,
    /// A shortest path to a deadlock that `stuck` selects.
    pub stuck: Option<Path>,
}

/// Why there is no survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsurveyed {
    /// There are more states than the limit.
    TooManyStates,
    /// The states take too much memory.
    Memory,
    /// There is a fault, the states cannot be listed, there was no time, or a state has too many ways to go on.
    Other,
}

impl From<Stop> for Unsurveyed {
    fn from(stop: Stop) -> Unsurveyed {
        match stop {
            Stop::Limit(StopReason::Memory) => Unsurveyed::Memory,
            Stop::Limit(_) | Stop::TooLarge(_) | Stop::Found(_) => Unsurveyed::Other,
        }
    }
}

/// Selects the deadlocks to report.
pub(super) type IsStuck<'a> = dyn Fn(&Instance, &State) -> bool + 'a;

impl Explicit {
    /// Surveys a system of at most `state_limit` states. `stuck` selects the deadlocks to report.
    pub fn survey(
        &self,
        subject: &Subject,
        state_limit: usize,
        stuck: &dyn Fn(&Instance, &State) -> bool,
        session: &Session<'_>,
    ) -> Result<Survey, Unsurveyed> {
        self.search(subject).map_err(|_| Unsurveyed::Other)?.survey(state_limit, stuck, session)
    }
}

/// See [`Explicit::survey`].
pub(super) fn survey<const W: usize>(
    listing: &Listing<'_, W>,
    state_limit: usize,
    stuck: &IsStuck<'_>,
    session: &Session<'_>,
) -> Result<Survey, Unsurveyed> {
    let state_limit = state_limit.saturating_add(1);
    let mut graphs = listing.graphs(session).map_err(|_| Unsurveyed::Other)?;
    // Notes must not take much longer than the answers that they are about.
    if graphs.successors.interpreted > MOST_INTERPRETED {
        listing.keep(graphs, session);
        return Err(Unsurveyed::Other);
    }
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
    let explored = space.start(state_limit, session).and_then(|()| space.explore(state_limit, session));
    let survey = match explored {
        Ok(true) if !space.is_partial() => Ok(facts(&space, stuck)),
        Ok(_) => Err(Unsurveyed::TooManyStates),
        Err(stop) => return Err(stop.into()),
    };
    if !space.is_partial() {
        graphs.whole = Some(space.into_explored());
    }
    listing.keep(graphs, session);
    survey.and_then(
        |survey| if survey.states < state_limit { Ok(survey) } else { Err(Unsurveyed::TooManyStates) },
    )
}

/// The facts of a graph that is complete.
fn facts<const W: usize>(space: &Space<'_, W>, stuck: &IsStuck<'_>) -> Survey {
    let instance = space.instance;
    let cells: Vec<usize> = (0..instance.cells.len()).filter(|cell| instance.is_location(*cell)).collect();
    let (mut enabled, mut locations) = (BTreeSet::new(), BTreeSet::new());
    let mut deadlocks = BTreeSet::new();
    for number in space.numbers() {
        let state = space.state(number);
        locations.extend(cells.iter().map(|cell| (*cell, state.0[*cell])));
        for step in space.steps(number).labels {
            match label(*step) {
                Label::Action(action) => {
                    enabled.insert(action);
                }
                Label::Idle if stuck(instance, &state) => {
                    deadlocks.insert(number);
                }
                Label::Idle => {}
            }
        }
    }
    let nearest =
        if deadlocks.is_empty() { None } else { space.nearest(|number| deadlocks.contains(&number)) };
    Survey {
        states: space.size().0 as usize,
        enabled,
        locations,
        stuck: nearest.map(|number| space.path(number)),
    }
}
