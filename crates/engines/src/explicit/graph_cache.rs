//! Keeps the explored part of a system from one task to the next.
//!
//! The reachable states and steps depend neither on the property nor on the fairness. So all properties and all kinds
//! of fairness share the compiled actions and one graph, which each task explores as far as it needs. The cache holds
//! only the last system, and only if it leaves most of the memory free. A task gets the same answer with the cache
//! and without it (see [`space`](super::space)).

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use model::initial::{Advance, initial_states};
use model::packing::Packing;
use model::{Instance, Session, System};

use super::ranges::ranges;
use super::reach::Reached;
use super::space::Explored;
use super::successors::Successors;

/// A cache for the explored part of one system. Clones share it.
#[derive(Clone, Default)]
pub struct GraphCache {
    graphs: Arc<Mutex<Option<Kept>>>,
    packing: Arc<Mutex<Option<KeptPacking>>>,
}

/// How many values are tried for an initial state between two checks of the limits.
const INTERVAL: usize = 1 << 14;

/// A system, and how its states are packed.
type KeptPacking = (Arc<System>, Arc<Packing>);

/// A system, and [`Graphs`] for some number of words.
type Kept = (Arc<System>, Box<dyn Any + Send>);

/// The compiled actions and the explored graphs of a system.
pub(super) struct Graphs<const W: usize> {
    pub(super) successors: Arc<Successors<W>>,
    /// The part explored from some of the initial states.
    pub(super) scouted: Option<Explored<W>>,
    /// The part explored from all initial states.
    pub(super) whole: Option<Explored<W>>,
    /// The set of all states, if it is complete.
    pub(super) reached: Option<Reached<W>>,
}

impl GraphCache {
    /// How the states of an instance are packed.
    pub(super) fn packing(&self, instance: &Instance) -> Arc<Packing> {
        let mut kept = self.packing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, packing)) = &*kept
            && Arc::ptr_eq(of, &instance.system)
        {
            return Arc::clone(packing);
        }
        let packing = Arc::new(Packing::within(ranges(instance).into_iter()));
        *kept = Some((Arc::clone(&instance.system), Arc::clone(&packing)));
        packing
    }

    /// Takes the graphs of a system out of the cache.
    pub(super) fn take<const W: usize>(&self, system: &Arc<System>) -> Option<Graphs<W>> {
        let kept = self.graphs.lock().unwrap_or_else(PoisonError::into_inner).take();
        let same = kept.filter(|(of, _)| Arc::ptr_eq(of, system)).map(|(_, graphs)| graphs);
        same.and_then(|graphs| graphs.downcast::<Graphs<W>>().ok()).map(|graphs| *graphs)
    }

    /// Stores the graphs of a system; graphs of more than `byte_limit` bytes are dropped.
    pub(super) fn put<const W: usize>(&self, system: &Arc<System>, mut graphs: Graphs<W>, byte_limit: u64) {
        let bytes = |graph: &Option<Explored<W>>| graph.as_ref().map_or(0, Explored::bytes);
        graphs.whole = graphs.whole.filter(|whole| whole.bytes() <= byte_limit);
        if bytes(&graphs.whole) + bytes(&graphs.scouted) > byte_limit {
            graphs.scouted = None;
        }
        let held = bytes(&graphs.whole) + bytes(&graphs.scouted);
        graphs.reached = graphs.reached.filter(|reached| held + reached.bytes() <= byte_limit);
        let kept: Kept = (Arc::clone(system), Box::new(graphs));
        *self.graphs.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }
}

impl<const W: usize> Graphs<W> {
    /// Whether there are more initial states than this. False if a limit or a fault ends the count.
    pub(super) fn has_more_initial_states(&self, than: usize, session: &Session<'_>) -> bool {
        if than == usize::MAX {
            return false;
        }
        if let Some(initial) = self.whole.as_ref().and_then(Explored::all_initial) {
            return initial as usize > than;
        }
        let mut states = initial_states(&self.successors.instance);
        let mut found = 0;
        while found <= than {
            match states.advance(INTERVAL) {
                Advance::Found(Ok(_)) => found += 1,
                Advance::Found(Err(_)) | Advance::End => return false,
                Advance::Searching if (session.stop)().is_some() => return false,
                Advance::Searching => {}
            }
        }
        true
    }

    /// A graph to explore further: this one if it keeps steps (when `with_steps`), otherwise an empty one.
    pub(super) fn fitting(&self, graph: Option<Explored<W>>, with_steps: bool) -> Explored<W> {
        graph
            .filter(|graph| graph.keeps_steps || !with_steps)
            .unwrap_or_else(|| Explored::new(with_steps, self.successors.packing.words))
    }
}

#[cfg(test)]
impl GraphCache {
    /// Whether the cache holds this system.
    pub(super) fn is_about(&self, system: &Arc<System>) -> bool {
        self.graphs.lock().expect("nothing panicked").as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, system))
    }
}

impl fmt::Debug for GraphCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GraphCache")
    }
}
