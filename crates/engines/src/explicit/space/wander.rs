//! Explores far from the initial states: depth first, with the processes taking turns.
//!
//! Breadth first, a violation at depth `d` is found after everything nearer. Depth first it may be found after `d` steps, if
//! the first choices are lucky. Which choices are, depends on what goes wrong. Where processes block each other, or one is
//! overtaken again and again, many of them have made a step or two and none has got far. So the next process after the last
//! one goes first. If everybody takes turns, and nobody is left out, that is also what a fair run does.

use super::{Batch, DEGREE, IDLE, Session, Shared, Space, Stop, Work};

impl<const W: usize> Space<'_, W> {
    /// Expands the last state of the frontier, again and again, until `enough` states are expanded, or all. `movers` has
    /// the process that made the step to each state of the frontier; it is returned.
    pub(super) fn wander(
        &mut self,
        mut movers: Vec<u32>,
        enough: usize,
        session: &Session<'_>,
    ) -> (Result<(), Stop>, Vec<u32>) {
        let mut frontier = std::mem::take(&mut self.explored.frontier);
        if movers.len() < frontier.len() {
            // Only initial states: the first of them goes first, and then the first process.
            frontier.reverse();
            movers = vec![u32::MAX; frontier.len()];
        }
        let mut work = self.take_work();
        let shared = Shared { space: self, session };
        let (mut writer, mut batch) =
            (self.explored.store.writer(std::mem::take(&mut work.room)), Batch::new());
        let mut states = self.explored.states;
        let mut result = Ok(());
        while states - frontier.len() < enough {
            let (Some(number), Some(mover)) = (frontier.pop(), movers.pop()) else { break };
            let known = frontier.len();
            result = shared.expand_block(&mut work, &mut writer, &mut batch, &[number]);
            if result.is_err() {
                break;
            }
            states += work.new.len();
            let mut found = self.found(&work, number);
            let (processes, first) = (self.instance.processes.len() as u32, mover.wrapping_add(1));
            found.sort_by_key(|(process, _)| (process + processes - first) % processes);
            for (process, state) in found.into_iter().rev() {
                frontier.push(state);
                movers.push(process);
            }
            debug_assert_eq!(frontier.len(), known + work.new.len());
            work.new.clear();
        }
        work.room = writer.room;
        self.put_back(work);
        self.explored.frontier = frontier;
        (result.map_err(|halt| self.ended(halt)), movers)
    }

    /// The states that the expansion of a state has found, each with the process that makes the step to it.
    fn found(&self, work: &Work, number: u32) -> Vec<(u32, u32)> {
        if work.new.is_empty() {
            return Vec::new();
        }
        let chunk = work.chunks.last().expect("the steps of the state are there");
        let degree = (self.explored.store.note(number) & ((1 << DEGREE) - 1)) as usize;
        let first = chunk.targets.len() - degree;
        let mover = |state: &u32| {
            let step = chunk.targets[first..].iter().position(|target| target == state);
            let label = step.map_or(IDLE, |step| chunk.labels[first + step]);
            self.instance.actions.get(label as usize).map_or(0, |action| action.participants[0].0.0)
        };
        work.new.iter().map(|state| (mover(state), *state)).collect()
    }
}
