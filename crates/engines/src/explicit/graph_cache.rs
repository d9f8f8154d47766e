//! What is explored of a system, kept from one task to the next.
//!
//! The reachable states and steps do not depend on the property, nor on the fairness. So all properties of a
//! run and all fairness kinds share one graph, which each task explores as far as it needs. Only the graph of
//! the last system is kept, and only if it leaves most of the memory to others.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use model::System;

use super::space::Explored;

/// A place for what is explored of one system.
#[derive(Default)]
pub struct GraphCache(Arc<Mutex<Option<Kept>>>);

/// A system, and an [`Explored`] for some number of words.
type Kept = (Arc<System>, Box<dyn Any + Send>);

impl GraphCache {
    /// The same place, for another engine.
    #[must_use]
    pub fn shared(&self) -> GraphCache {
        GraphCache(Arc::clone(&self.0))
    }

    /// Takes what is explored of a system, or nothing yet: with steps if they are needed, and numbered in the
    /// order of distance if `ordered`.
    pub(super) fn take<const W: usize>(
        &self,
        system: &Arc<System>,
        with_steps: bool,
        ordered: bool,
    ) -> Explored<W> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let same = known.filter(|(of, _)| Arc::ptr_eq(of, system)).map(|(_, explored)| explored);
        let explored = same.and_then(|explored| explored.downcast::<Explored<W>>().ok());
        let fit = explored.filter(|e| (e.keeps_steps || !with_steps) && (e.ordered || !ordered));
        fit.map_or_else(|| Explored::new(with_steps), |explored| *explored)
    }

    /// Keeps what is explored of a system, unless it takes more than so many bytes.
    pub(super) fn put<const W: usize>(&self, system: &Arc<System>, explored: Explored<W>, most: u64) {
        if explored.bytes() <= most {
            let kept: Kept = (Arc::clone(system), Box::new(explored));
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        }
    }
}

#[cfg(test)]
impl GraphCache {
    /// Whether something is explored of this system.
    pub(super) fn is_about(&self, system: &Arc<System>) -> bool {
        self.0.lock().expect("nothing panicked").as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, system))
    }
}

impl Clone for GraphCache {
    /// A place of its own, with nothing in it.
    fn clone(&self) -> GraphCache {
        GraphCache::default()
    }
}

impl fmt::Debug for GraphCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Known")
    }
}
