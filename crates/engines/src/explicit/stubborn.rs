//! Partial order reduction: in most states only some of the enabled actions are followed.
//!
//! For a state we compute a *stubborn set* `T` of actions [Val90]. If `T` contains an enabled action, it contains
//! every action that depends on it ([`footprint`](super::footprint)) and can be live together with it. If `T`
//! contains an action that is not enabled, we choose a false part of its guard, and `T` contains every action that
//! may make this part true (or an earlier part that may be faulty, faulty). So as long as actions outside `T` are
//! taken, the enabled actions of `T` stay enabled with the same outcomes, the others stay disabled, and an action of
//! `T` taken later can be taken now. If `T` has few enabled actions, we follow only these, provided that
//!
//! - none of them is *visible*: property and fairness see neither it nor what it writes ([`Observed`]);
//! - each of them leads one level deeper in the breadth-first search, to a state that was not known when this
//!   level began. Otherwise the state is expanded in full.
//!
//! **Every run is represented.** Take a run of the system from a state of the reduced graph. In a state that is
//! expanded in full, follow its first action. In another state, if the run takes an action of `T` somewhere, take the
//! first such action now and keep the rest of the run; if it takes none, take any enabled action of `T` in addition.
//! Actions taken early or in addition are silent. Levels grow along states that are not expanded in full, and the
//! graph is finite, so the first action of the run is not postponed for ever. (It is not enough that *one* successor
//! is new, although that is enough for reachability: a run that stays among the other successors for ever would miss
//! the postponed action.) The new run differs from the given one only by silent steps, so an insensitive formula
//! ([`silence`](super::silence)) and fairness have the same truth; enabledness is evaluated in the states, never read
//! from the steps that were kept. If the run ends in a deadlock, it does take an action of `T`, since an enabled
//! action of `T` would otherwise stay enabled; so the same deadlock is reached.
//!
//! **Faults.** All guards and updates are evaluated in every state of the reduced graph. Regard a fault as a last
//! step of its action: a path to a fault is kept by the same argument, since actions are compared by liveness. If an
//! action of `T` is faulty at the end of the path, it is faulty now, because nothing it reads has changed. If an
//! action outside `T` is faulty at the end, it is also faulty after any additional action, because it is live and
//! hence independent of that action. The new path may meet another fault earlier, which also makes the property fail.
//!
//! The reduction is computed on the system before there is any product, because reducing the product on the fly is
//! wrong for general automata [Sie19]. Visibility is a property of actions and not of steps, which avoids the
//! inconsistent labelling of [NVW20].
//!
//! Cost: per state and candidate for the first member of `T`, the sizes of the lists that are traversed; a state takes
//! several times as long as in a search without reduction. So the reduction is given up if it saves little
//! ([`Stubborn::is_hopeless`]).

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use model::{ActionId, Instance};

use super::footprint::{Footprint, Part};
use super::silence::Observed;
use super::store::Words;
use super::table::{Predicate, Programs, Truth};
use model::packing::Packing;

/// The greatest number of pairs of dependent actions.
const PAIRS: usize = 1 << 23;
/// How many states are expanded before the reduction may be given up.
const SAMPLE: u64 = 4_000;
/// To look at more actions per step than this costs much more than following the step.
const MUCH: u64 = 32;

/// Chooses which actions to follow.
pub(super) struct Stubborn {
    programs: Programs,
    actions: Vec<Action>,
    scratch: Mutex<Scratch>,
    /// The number of states seen, and how many of them were reduced.
    seen: AtomicU64,
    reduced: AtomicU64,
    /// The number of their steps, and how many of them were kept.
    steps: AtomicU64,
    kept: AtomicU64,
    /// How many actions were looked at for it.
    effort: AtomicU64,
}

struct Action {
    visible: bool,
    /// The actions that depend on it and can be live together with it.
    dependent: Vec<u32>,
    /// The parts of its guard, each with the actions that may make it true.
    parts: Vec<(Predicate, Vec<u32>)>,
}

/// Buffers that are kept from state to state to save allocations.
#[derive(Default)]
struct Scratch {
    /// An action is enabled, or in the set, if its entry is the current round.
    enabled: Vec<u64>,
    member: Vec<u64>,
    round: u64,
    pending: Vec<u32>,
    best: Vec<u16>,
    candidate: Vec<u16>,
    list: Vec<u16>,
    /// How many actions were looked at in this state.
    effort: u64,
}

impl Stubborn {
    /// Prepares the reduction, or returns why there is none.
    pub(super) fn new(
        instance: &Arc<Instance>,
        packing: &Arc<Packing>,
        observed: &Observed,
    ) -> Result<Stubborn, &'static str> {
        let count = instance.actions.len();
        let footprints: Vec<Footprint> =
            (0..count as u32).map(|number| Footprint::new(instance, ActionId(number))).collect();
        let visible: Vec<bool> = instance
            .actions
            .iter()
            .zip(&footprints)
            .map(|(action, footprint)| observed.sees(instance, action, footprint))
            .collect();
        if visible.iter().all(|visible| *visible) {
            return Err("it sees every action");
        }
        let touching = Touching::new(instance, &footprints);
        let mut programs = Programs::new(instance, packing);
        let mut actions = Vec::new();
        let mut pairs = 0;
        for (number, footprint) in footprints.iter().enumerate() {
            let dependent = touching.dependent(number, &footprints);
            pairs += dependent.len();
            let mut doubtful: BTreeSet<u32> = BTreeSet::new();
            let mut parts = Vec::new();
            for part in &footprint.parts {
                let mut enablers = touching.enablers(part, &footprints);
                enablers.extend(&doubtful);
                pairs += enablers.len();
                parts.push((programs.predicate(&part.expr), enablers.into_iter().collect()));
                if !part.total {
                    doubtful.extend(touching.writers(&part.reads));
                }
            }
            if pairs > PAIRS {
                return Err("too many actions depend on each other");
            }
            actions.push(Action { visible: visible[number], dependent, parts });
        }
        let scratch = Scratch { enabled: vec![0; count], member: vec![0; count], ..Scratch::default() };
        Ok(Stubborn {
            programs,
            actions,
            scratch: Mutex::new(scratch),
            seen: AtomicU64::new(0),
            reduced: AtomicU64::new(0),
            steps: AtomicU64::new(0),
            kept: AtomicU64::new(0),
            effort: AtomicU64::new(0),
        })
    }

    /// How many states were reduced.
    pub(super) fn reduced(&self) -> u64 {
        self.reduced.load(Ordering::Relaxed)
    }

    /// Whether so little is saved that the reduction is not worth its cost.
    ///
    /// How many *states* it saves nobody knows before the end. But a graph that is much smaller because actions are tried
    /// in one order has little more than one step per state, or few of the steps that there were. If two thirds of the steps
    /// are left out and three remain, nearly all states are still reached, by other ways (decision 0094).
    pub(super) fn is_hopeless(&self) -> bool {
        let [seen, steps, kept, effort] =
            [&self.seen, &self.steps, &self.kept, &self.effort].map(|number| number.load(Ordering::Relaxed));
        let is_branching = kept * 2 > seen * 3;
        let is_costly = effort > steps * MUCH;
        seen >= SAMPLE
            && (self.reduced() * 4 < seen
                || kept * 4 > steps * 3
                || kept * 3 > steps && (is_branching || is_costly))
    }

    /// Removes the steps that need not be followed from those of a state, which begin at `first`. `known` says
    /// whether a state is on this level or an earlier one.
    pub(super) fn thin<const W: usize>(
        &self,
        state: &Words<W>,
        (labels, targets): (&mut Vec<u16>, &mut Vec<Words<W>>),
        first: usize,
        known: impl Fn(&Words<W>) -> bool,
    ) {
        self.seen.fetch_add(1, Ordering::Relaxed);
        self.steps.fetch_add((labels.len() - first) as u64, Ordering::Relaxed);
        let mut scratch = self.scratch.lock().expect("no thread panics while it thins");
        let scratch = &mut *scratch;
        let deeper = |chosen: &[u16]| {
            labels[first..]
                .iter()
                .zip(&targets[first..])
                .all(|(label, target)| !chosen.contains(label) || !known(target))
        };
        let found = self.choose(state, &labels[first..], deeper, scratch);
        self.effort.fetch_add(std::mem::take(&mut scratch.effort), Ordering::Relaxed);
        if !found {
            self.kept.fetch_add((labels.len() - first) as u64, Ordering::Relaxed);
            return;
        }
        self.reduced.fetch_add(1, Ordering::Relaxed);
        let mut kept = first;
        for position in first..labels.len() {
            if scratch.best.contains(&labels[position]) {
                labels[kept] = labels[position];
                targets[kept] = targets[position];
                kept += 1;
            }
        }
        labels.truncate(kept);
        targets.truncate(kept);
        self.kept.fetch_add((kept - first) as u64, Ordering::Relaxed);
    }

    /// Finds a stubborn set with few enabled actions, if there is one that does not contain all of them.
    fn choose<const W: usize>(
        &self,
        state: &Words<W>,
        labels: &[u16],
        deeper: impl Fn(&[u16]) -> bool,
        scratch: &mut Scratch,
    ) -> bool {
        let mut list = std::mem::take(&mut scratch.list);
        list.clear();
        list.extend_from_slice(labels);
        list.sort_unstable();
        list.dedup();
        scratch.round += 1;
        let now = scratch.round;
        list.iter().for_each(|label| scratch.enabled[*label as usize] = now);
        let mut found = false;
        let mut least = list.len();
        for &seed in &list {
            if least <= 1 {
                break;
            }
            if self.close(state, seed, least, now, scratch) && deeper(&scratch.candidate) {
                least = scratch.candidate.len();
                std::mem::swap(&mut scratch.best, &mut scratch.candidate);
                found = true;
            }
        }
        scratch.list = list;
        found
    }

    /// Closes a set that contains `seed`; its enabled actions go to `candidate`. Gives up on a visible action, or
    /// when there are `least` enabled ones.
    fn close<const W: usize>(
        &self,
        state: &Words<W>,
        seed: u16,
        least: usize,
        now: u64,
        scratch: &mut Scratch,
    ) -> bool {
        let Scratch { enabled, member, round, pending, candidate, effort, .. } = scratch;
        candidate.clear();
        pending.clear();
        *round += 1;
        // Adds an action, unless that shows that the set is of no use.
        let add = |number: u32, pending: &mut Vec<u32>, candidate: &mut Vec<u16>| {
            if enabled[number as usize] == now {
                if self.actions[number as usize].visible || candidate.len() + 1 >= least {
                    return false;
                }
                candidate.push(number as u16);
            }
            pending.push(number);
            true
        };
        member[seed as usize] = *round;
        if !add(u32::from(seed), pending, candidate) {
            return false;
        }
        while let Some(number) = pending.pop() {
            let action = &self.actions[number as usize];
            let needed = if enabled[number as usize] == now {
                &action.dependent
            } else {
                let blocked = action
                    .parts
                    .iter()
                    .filter(|(part, _)| self.programs.test(*part, state) == Truth::False)
                    .min_by_key(|(_, enablers)| enablers.len());
                match blocked {
                    Some((_, enablers)) => enablers,
                    None => return false,
                }
            };
            for &other in needed {
                *effort += 1;
                if member[other as usize] != *round {
                    member[other as usize] = *round;
                    if !add(other, pending, candidate) {
                        return false;
                    }
                }
            }
        }
        true
    }
}

/// The actions that read and write each cell.
struct Touching {
    readers: Vec<Vec<u32>>,
    writers: Vec<Vec<u32>>,
}

impl Touching {
    fn new(instance: &Instance, footprints: &[Footprint]) -> Touching {
        let mut touching = Touching {
            readers: vec![Vec::new(); instance.cells.len()],
            writers: vec![Vec::new(); instance.cells.len()],
        };
        for (number, footprint) in footprints.iter().enumerate() {
            footprint.reads.iter().for_each(|cell| touching.readers[*cell].push(number as u32));
            footprint.writes.keys().for_each(|cell| touching.writers[*cell].push(number as u32));
        }
        touching
    }

    /// The actions that may write one of these cells.
    fn writers(&self, cells: &BTreeSet<usize>) -> BTreeSet<u32> {
        cells.iter().flat_map(|cell| self.writers[*cell].iter().copied()).collect()
    }

    /// The actions that may make a part true.
    fn enablers(&self, part: &Part, footprints: &[Footprint]) -> BTreeSet<u32> {
        let mut enablers = self.writers(&part.reads);
        enablers.retain(|writer| footprints[*writer as usize].may_enable(part));
        enablers
    }

    /// The other actions that depend on an action and can be live together with it.
    fn dependent(&self, number: usize, footprints: &[Footprint]) -> Vec<u32> {
        let footprint = &footprints[number];
        let mut others = self.writers(&footprint.reads);
        for cell in footprint.writes.keys() {
            others.extend(self.readers[*cell].iter().chain(&self.writers[*cell]));
        }
        others.remove(&(number as u32));
        others.retain(|other| !footprint.excludes(&footprints[*other as usize]));
        others.into_iter().collect()
    }
}
