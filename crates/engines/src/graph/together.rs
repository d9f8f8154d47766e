//! Whether a graph has a fair set, found out by several threads.
//!
//! The strong components of the whole graph are most of the work of [`fair_components`](super::fair). They are divided
//! among threads, which begin at different roots, go in different directions and leave out what others have completed
//! ([`scc`](super::scc)). Every component is judged by whoever closes it first. Smaller parts of components that remain to
//! be looked at are left to one thread. Which fair set is found depends on chance, so only whether there is one is told.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use model::{Session, StopReason};

use super::fair::{Fair, Judgement, fair_components_of};
use super::scc::{Closed, Components};
use crate::watch::Watch;

/// More threads than this take more memory than they save time.
const THREADS: usize = 4;

/// A search for fair sets.
pub(crate) struct Search<'s, G, F: Fn() -> G> {
    /// Makes the graph, for each thread.
    pub(crate) graph: F,
    /// Where runs begin.
    pub(crate) roots: &'s [u32],
}

impl<G: Fair, F: Fn() -> G + Sync> Search<'_, G, F>
where
    G::Part: Send + Sync,
{
    /// Whether some fair set of the whole graph can be reached. `held` bytes are in use elsewhere.
    pub(crate) fn finds_fair_set(
        &self,
        whole: &G::Part,
        held: u64,
        session: &Session<'_>,
    ) -> Result<bool, StopReason> {
        let graph = (self.graph)();
        let nodes = graph.nodes();
        let threads = session.threads.clamp(1, THREADS);
        let held = held + (nodes * size_of::<u32>() * (threads - 1)) as u64;
        let watch = || Watch::new(session, "looking for fair cycles", "product states", held);
        let (closed, found) = (Closed::new(nodes), AtomicBool::new(false));
        let pending = Mutex::new(Vec::new());
        let work = |number: usize| {
            let (graph, mut watch) = ((self.graph)(), watch());
            let mut search = Components::sharing(nodes, &closed, number.is_multiple_of(2));
            let (before, after) = self.roots.split_at(self.roots.len() * number / threads);
            for roots in [after, before] {
                let bytes = search.bytes();
                search.search(
                    roots,
                    |node, targets| graph.successors(whole, node, targets),
                    || {
                        let over = found.load(Ordering::Relaxed);
                        if over { Err(StopReason::Cancelled) } else { watch.tick(|| bytes) }
                    },
                    |mut component| {
                        match component.judged(&graph, whole) {
                            Judgement::Hopeless => {}
                            Judgement::Fair => found.store(true, Ordering::Relaxed),
                            Judgement::Smaller(nodes, part) => {
                                pending.lock().expect("a search does not panic").push((nodes, part));
                            }
                        }
                        Ok(())
                    },
                )?;
            }
            Ok(())
        };
        let ends: Vec<Result<(), StopReason>> = std::thread::scope(|scope| {
            let start = |number: usize| {
                scope.spawn({
                    let work = &work;
                    move || work(number)
                })
            };
            let threads: Vec<_> = (0..threads).map(start).collect();
            threads.into_iter().map(|thread| thread.join().expect("a search does not panic")).collect()
        });
        if found.into_inner() {
            return Ok(true);
        }
        ends.into_iter().collect::<Result<(), StopReason>>()?;
        let pending = pending.into_inner().expect("a search does not panic");
        let search = Components::without_nodes(nodes);
        Ok(!fair_components_of(&graph, search, pending, &mut watch())?.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::Bits;
    use super::super::fair::fair_components;
    use super::super::fair::tests::{random_classes, random_graph};
    use super::super::marked::Marked;
    use super::super::tests::Random;
    use super::*;

    #[test]
    fn threads_find_a_fair_set_iff_there_is_one() {
        let mut random = Random(4);
        let (mut with, mut without) = (0, 0);
        for _ in 0..6_000 {
            let requirements = random.below(4) as usize;
            let classes = random_classes(&mut random, requirements);
            let (nodes, edges) = (1 + random.below(40), random.below(90));
            let graph = random_graph(&mut random, nodes, edges);
            let session = Session::new(&|| None, &|_| {}, u64::MAX, 3);
            let mut watch = Watch::new(&session, "testing", "nodes", 0);
            let roots: Vec<u32> = (0..graph.nodes() as u32).filter(|_| random.below(3) == 0).collect();
            let marked = || Marked { graph: &graph, classes: &classes, requirements };
            let whole = Bits::empty(requirements);
            let expected =
                fair_components(&marked(), &roots, whole.clone(), &mut watch).expect("never stopped");
            let search = Search { graph: marked, roots: &roots };
            let found = search.finds_fair_set(&whole, 0, &session).expect("never stopped");
            assert_eq!(found, !expected.is_empty(), "{roots:?} {graph:?} {classes:?}");
            if found {
                with += 1;
            } else {
                without += 1;
            }
        }
        assert!(with > 1_000 && without > 1_000, "{with} with and {without} without a fair set");
    }
}
