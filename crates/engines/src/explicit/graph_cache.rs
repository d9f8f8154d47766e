//! What is explored of a system, kept from one task to the next.
//!
//! The reachable states and steps do not depend on the property, nor on the fairness. So all properties and all fairness
//! kinds share one graph, which each task explores as far as it needs, and the compiled actions. Only what is known of
//! the last system is kept, and only if it leaves most of the memory to others. A task gets the same answer with the
//! cache and without it (see [`space`](super::space)).

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use model::initial::{Advance, initial_states};
use model::{Session, System};

use super::space::Explored;
use super::successors::Successors;

/// A place for what is explored of one system. A clone is the same place.
#[derive(Clone, Default)]
pub struct GraphCache(Arc<Mutex<Option<Kept>>>);

/// How many values are tried for an initial state between two looks at the limits.
const INTERVAL: usize = 1 << 14;

/// A system, and [`Graphs`] for some number of words.
type Kept = (Arc<System>, Box<dyn Any + Send>);

/// What is known of a system.
pub(super) struct Graphs<const W: usize> {
    pub(super) successors: Arc<Successors<W>>,
    /// What is explored from some of the initial states.
    pub(super) scouted: Option<Explored<W>>,
    /// What is explored from all of them.
    pub(super) whole: Option<Explored<W>>,
}

impl GraphCache {
    /// Takes what is known of a system.
    pub(super) fn take<const W: usize>(&self, system: &Arc<System>) -> Option<Graphs<W>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let same = kept.filter(|(of, _)| Arc::ptr_eq(of, system)).map(|(_, graphs)| graphs);
        same.and_then(|graphs| graphs.downcast::<Graphs<W>>().ok()).map(|graphs| *graphs)
    }

    /// Keeps what is known of a system: of graphs no more than so many bytes.
    pub(super) fn put<const W: usize>(&self, system: &Arc<System>, mut graphs: Graphs<W>, most: u64) {
        let bytes = |graph: &Option<Explored<W>>| graph.as_ref().map_or(0, Explored::bytes);
        graphs.whole = graphs.whole.filter(|whole| whole.bytes() <= most);
        if bytes(&graphs.whole) + bytes(&graphs.scouted) > most {
            graphs.scouted = None;
        }
        let kept: Kept = (Arc::clone(system), Box::new(graphs));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }
}

impl<const W: usize> Graphs<W> {
    /// Whether there are more initial states than this; not if that cannot be found out.
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

    /// A graph to go on with: with steps if they are needed, and numbered in the order of distance if `ordered`.
    pub(super) fn fitting(graph: Option<Explored<W>>, with_steps: bool, ordered: bool) -> Explored<W> {
        graph
            .filter(|graph| (graph.keeps_steps || !with_steps) && (graph.ordered || !ordered))
            .unwrap_or_else(|| Explored::new(with_steps))
    }
}

#[cfg(test)]
impl GraphCache {
    /// Whether something is explored of this system.
    pub(super) fn is_about(&self, system: &Arc<System>) -> bool {
        self.0.lock().expect("nothing panicked").as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, system))
    }
}

impl fmt::Debug for GraphCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GraphCache")
    }
}
