//! How many states a task may list within the budgets it was given.
//!
//! Work is counted in units of about ten nanoseconds. A state costs its steps, by their words, and the guards that are
//! tested to find them. How many steps a state has is not known before a few are expanded, and a reduced graph has
//! fewer of them than the whole one. So the number of states is computed anew from the steps that were seen.

/// What a task may list.
#[derive(Clone, Copy)]
pub(super) struct Allowance {
    /// The sum of the budgets so far; `u64::MAX` if there is no budget.
    pub(super) work: u64,
    /// The number of processes.
    pub(super) processes: usize,
    /// The number of words of a state.
    pub(super) words: usize,
    /// The work of what the reference semantics does in a state, at most.
    pub(super) interpreted: u64,
    /// Whether fair cycles are looked for, which costs more than exploring.
    pub(super) with_runs: bool,
    /// The greatest number of states, whatever the budget.
    pub(super) state_limit: usize,
}

impl Allowance {
    /// The allowance where everything costs this many times more.
    pub(super) fn divided(self, cost: u64) -> Allowance {
        Allowance { work: if self.work == u64::MAX { u64::MAX } else { self.work / cost }, ..self }
    }

    /// The number of states that can be listed, if a state has this many steps on average. As long as that is not known,
    /// it is assumed that every process can make a step.
    pub(super) fn states(&self, degree: Option<usize>) -> usize {
        if self.work == u64::MAX {
            return self.state_limit;
        }
        let of_step = STEP + self.words;
        let of_state = match degree {
            Some(degree) => self.processes.div_ceil(GUARDS) + degree * of_step,
            None => self.processes * of_step,
        };
        let of_state = (of_state as u64).saturating_add(self.interpreted);
        let weight = if self.with_runs { of_state.saturating_mul(5) / 2 } else { of_state.div_ceil(2) };
        let affordable = usize::try_from(self.work / weight).unwrap_or(usize::MAX - 1);
        let few = usize::try_from(SMALL / self.interpreted.max(1)).map_or(FEW, |few| few.clamp(1, FEW));
        affordable.max(few).min(self.state_limit)
    }
}

/// The units of work of a step, in addition to one per word of a state.
pub(super) const STEP: usize = 8;
/// How many processes can be tested for an enabled step with one unit of work.
const GUARDS: usize = 2;
/// At least this many states may be listed, unless that is too much work for the reference semantics. Tests have small
/// systems.
const FEW: usize = if cfg!(test) { 2 } else { 500 };
/// More work is too much.
const SMALL: u64 = 1 << 20;
