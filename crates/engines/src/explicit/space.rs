//! The reachable states and their steps, breadth first, level by level.
//!
//! States are packed ([`packing`](model::packing)), successors are compiled ([`successors`](super::successors)), and
//! the visited states are in one [`Store`] that all threads share. A large level is divided among the threads in blocks
//! ([`together`]). States are numbered in the order in which one thread finds them, by their distance from the initial ones,
//! however many threads there are.
//!
//! A state without an enabled action gets the step `idle` to itself. Steps are stored as numbers of states and
//! actions, 6 bytes each, in the order of the actions of each process. This order does not depend on the numbering of
//! the states. Exploration can pause after a given number of states, so that the explored part can be searched: a
//! state either has all its steps or is not expanded yet.
//!
//! A state is expanded after all states with smaller numbers. So the first `n` states are exactly those that a search up to
//! `n` states would have expanded. A task sees as many as it would have explored by itself,
//! even if an earlier task has explored more. So its result depends on the task alone.
//!
//! If the compiled form cannot decide a state (there is a fault, or an update was not compiled), the reference
//! semantics expands it.

use model::answer::{Counterexample, Path, Position, Site, State};
use model::initial::{Advance, initial_states};
use model::semantics::{self, Fault};
use model::task::Progress;
use model::{ActionId, Expr, Instance, Label, Session, StopReason};

use super::reduce::Reduction;
use super::states::States;
use super::store::{Full, Room, Store, UNNOTED, Words, Writer};
use super::successors::Successors;
use super::table::{Predicate, Programs, Truth};
use model::packing::Packing;

mod together;
mod wander;

/// The label number of the step `idle`.
pub(super) const IDLE: u16 = u16::MAX;
/// The greatest number of actions that labels can represent.
pub(super) const ACTIONS: usize = IDLE as usize;
/// How many states of a level a thread takes at a time.
const BLOCK: usize = 256;
/// How many successors are inserted at a time.
const BATCH: usize = 64;
/// How many steps are made between two checks of the limits.
const INTERVAL: usize = 1 << 14;
/// The number of steps in a chunk.
const CHUNK: usize = 1 << 18;
/// The number of bits for the number of steps that leave a state.
const DEGREE: u32 = 24;

/// What to check during exploration, and how to explore.
pub(super) struct SpaceOptions<'a> {
    /// A predicate that must be true in every state.
    pub(super) invariant: Option<&'a Expr>,
    /// A level with fewer states is expanded by one thread.
    pub(super) shared_level: usize,
    /// The reduction applied to the steps of each state; then only one thread may explore.
    pub(super) reduction: Option<Reduction<'a>>,
    /// How many states may be numbered.
    pub(super) number_limit: usize,
    /// Whether to go far from the initial states instead of level by level ([`wander`]). Then the space counts as partial.
    pub(super) wanders: bool,
}

/// Why exploration ended early.
pub(super) enum Stop {
    /// There is a fault, or a state where the invariant is false.
    Found(Counterexample),
    /// A limit is reached.
    Limit(StopReason),
    /// Something is too large for the engine; a sentence says what.
    TooLarge(String),
}

impl Stop {
    /// A fault; without a path it is in an `init` predicate.
    pub(super) fn fault(path: Option<Path>, site: Site, fault: Fault) -> Stop {
        Stop::Found(Counterexample::Fault { path, site, fault })
    }
}

/// The reachable part of a system, as far as it is explored, with the means to explore more.
pub(super) struct Space<'a, const W: usize> {
    pub(super) instance: &'a Instance,
    packing: &'a Packing,
    pub(super) successors: &'a Successors<W>,
    invariant: Option<Invariant<'a>>,
    shared_level: usize,
    reduction: Option<Reduction<'a>>,
    number_limit: usize,
    explored: Explored<W>,
    /// How many of the expanded states are visible as expanded.
    shown: usize,
    /// If it wanders: per state of the frontier, the process that made the step to it.
    movers: Option<Vec<u32>>,
}

/// A predicate that must be true in every state, and its compiled form.
struct Invariant<'a> {
    expr: &'a Expr,
    programs: Programs,
    compiled: Predicate,
}

impl Invariant<'_> {
    /// Whether it is true in a state, as far as the compiled form can decide.
    #[inline]
    fn is_true(&self, words: &[u64]) -> bool {
        self.programs.test(self.compiled, words) == Truth::True
    }
}

/// The reachable part of a system, as far as it is explored. It is shared by all tasks about the system.
pub(super) struct Explored<const W: usize> {
    store: Store<W>,
    /// Whether steps are stored. If not, the note of a state is its parent.
    pub(super) keeps_steps: bool,
    roots: Roots,
    /// The number of initial states. They have the first numbers.
    pub(super) initial: u32,
    /// The states that are not expanded.
    frontier: Vec<u32>,
    /// All but the last are full.
    chunks: Vec<Chunk>,
    /// The numbers for new states.
    room: Room,
    /// The number of states.
    pub(super) states: usize,
    /// The number of steps, stored or not.
    pub(super) transitions: u64,
}

/// Which initial states have been added.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Roots {
    None,
    Some,
    All,
}

/// Steps of some states; those of one state are adjacent.
#[derive(Default)]
struct Chunk {
    targets: Vec<u32>,
    labels: Vec<u16>,
}

/// The steps that leave a state.
#[derive(Clone, Copy)]
pub(super) struct Steps<'a> {
    /// Their target states.
    pub(super) targets: &'a [u32],
    /// Their actions, by number.
    pub(super) labels: &'a [u16],
}

/// Why a thread stops.
enum Halt {
    /// A fault or a violated invariant in this state.
    Wrong(u32, Wrong),
    /// A limit.
    Limit(StopReason),
    /// There are more states than can be numbered.
    Full,
}

enum Wrong {
    Fault(Site, Fault),
    Violated,
}

impl<'a, const W: usize> Space<'a, W> {
    /// A space with this explored part.
    pub(super) fn new(
        successors: &'a Successors<W>,
        options: &SpaceOptions<'a>,
        explored: Explored<W>,
    ) -> Space<'a, W> {
        let SpaceOptions { invariant, shared_level, reduction, number_limit, wanders } = *options;
        let invariant = invariant.map(|expr| {
            let mut programs = Programs::new(&successors.instance, &successors.packing);
            let compiled = programs.predicate(expr);
            Invariant { expr, programs, compiled }
        });
        Space {
            instance: &successors.instance,
            packing: &successors.packing,
            successors,
            invariant,
            shared_level,
            reduction,
            number_limit,
            explored,
            shown: usize::MAX,
            movers: wanders.then(Vec::new),
        }
    }

    /// The explored part.
    pub(super) fn into_explored(self) -> Explored<W> {
        self.explored
    }

    /// The numbers of states and of steps so far.
    pub(super) fn size(&self) -> (u64, u64) {
        let Explored { states, transitions, keeps_steps, initial, .. } = self.explored;
        if self.shown >= self.explored.expanded() || !keeps_steps {
            return (states as u64, transitions);
        }
        let (mut last, mut transitions) = (initial, 0);
        for number in 0..self.shown as u32 {
            let targets = self.steps(number).targets;
            transitions += targets.len() as u64;
            last = targets.iter().fold(last, |last, target| last.max(target + 1));
        }
        (u64::from(last), transitions)
    }

    /// Whether there is no state.
    pub(super) fn is_empty(&self) -> bool {
        self.explored.states == 0
    }

    /// The number of initial states. They have the first numbers.
    pub(super) fn initial(&self) -> u32 {
        self.explored.initial
    }

    /// Whether something is left out. Then a violation is real, but its absence proves nothing.
    pub(super) fn is_partial(&self) -> bool {
        self.explored.roots == Roots::Some || self.movers.is_some()
    }

    /// Whether only some of the steps are explored.
    pub(super) fn is_reduced(&self) -> bool {
        self.reduction.is_some()
    }

    /// Adds the initial states, at most `limit` of them, unless they have been added before.
    pub(super) fn start(&mut self, limit: usize, session: &Session<'_>) -> Result<(), Stop> {
        if self.explored.roots != Roots::None {
            return Ok(());
        }
        self.explored.roots = Roots::All;
        let mut writer = self.explored.store.writer(Room::default());
        let mut batch: Vec<Words<W>> = Vec::with_capacity(BATCH);
        let mut numbers = Vec::new();
        let frontier = &mut self.explored.frontier;
        let full = |_: Full| too_many(self.number_limit);
        let mut states = initial_states(self.instance);
        let mut count = 0;
        loop {
            let state = match states.advance(INTERVAL) {
                Advance::Found(state) => state,
                Advance::End => break,
                Advance::Searching => {
                    session.check(self.explored.store.bytes()).map_err(Stop::Limit)?;
                    continue;
                }
            };
            if count == limit {
                self.explored.roots = Roots::Some;
                break;
            }
            count += 1;
            let state = state.map_err(|fault| Stop::fault(None, Site::Init, fault))?;
            let mut words = [0; W];
            self.packing.pack(&state, &mut words);
            if let Some(reduction) = self.reduction {
                reduction.represent(&mut words);
            }
            batch.push(words);
            if batch.len() == BATCH {
                writer.insert(&batch, &mut numbers, |_, number| frontier.push(number)).map_err(full)?;
                batch.clear();
                numbers.clear();
                if count.is_multiple_of(BATCH * 64) {
                    (session.progress)(&Progress {
                        phase: "initial states",
                        count: count as u64,
                        unit: "states",
                    });
                    session.check(self.explored.store.bytes()).map_err(Stop::Limit)?;
                }
            }
        }
        writer.insert(&batch, &mut numbers, |_, number| frontier.push(number)).map_err(full)?;
        self.explored.room = writer.room;
        self.explored.initial = frontier.len() as u32;
        self.explored.states = frontier.len();
        if self.explored.states > self.number_limit { Err(too_many(self.number_limit)) } else { Ok(()) }
    }

    /// Starts again from the initial states, to use less memory.
    pub(super) fn restart(&mut self, session: &Session<'_>) -> Result<(), Stop> {
        self.explored = Explored::new(self.explored.keeps_steps, self.packing.words);
        self.start(usize::MAX, session)
    }

    /// Expands level after level until `enough` states are expanded, or all. Returns whether all states are expanded.
    pub(super) fn explore(&mut self, enough: usize, session: &Session<'_>) -> Result<bool, Stop> {
        self.shown = usize::MAX;
        if let Some(movers) = self.movers.take() {
            let (found, movers) = self.wander(movers, enough, session);
            self.movers = Some(movers);
            return found.map(|()| self.explored.frontier.is_empty());
        }
        while !self.explored.frontier.is_empty() && self.expanded() < enough {
            let threads =
                if self.explored.frontier.len() < self.shared_level { 1 } else { session.threads.max(1) };
            self.expand(threads, enough, session)?;
        }
        if self.explored.frontier.is_empty() {
            self.explored.store.close();
        }
        self.shown = enough;
        Ok(self.ends_within(self.shown))
    }

    /// Whether only the states up to a limit are visible as expanded.
    pub(super) fn is_cut(&self) -> bool {
        self.shown < usize::MAX
    }

    /// The number of states that are expanded.
    pub(super) fn expanded(&self) -> usize {
        self.explored.expanded().min(self.shown)
    }

    /// Whether there are certainly at most this many states.
    pub(super) fn ends_within(&self, states: usize) -> bool {
        self.explored.frontier.is_empty() && self.explored.states <= states
    }

    /// An upper bound on the numbers of states. Not every number below it is used.
    pub(super) fn bound(&self) -> usize {
        self.explored.store.bound()
    }

    /// Whether the steps of a state are known.
    pub(super) fn is_expanded(&self, number: u32) -> bool {
        (number as usize) < self.shown && self.explored.store.note(number) != UNNOTED
    }

    /// The packed form of a state.
    pub(super) fn words(&self, number: u32) -> Words<W> {
        self.explored.store.get(number)
    }

    /// A state in the user's terms.
    pub(super) fn state(&self, number: u32) -> State {
        self.packing.unpack(&self.explored.store.get(number))
    }

    /// The steps that leave a state; none if it is not expanded.
    #[inline]
    pub(super) fn steps(&self, number: u32) -> Steps<'_> {
        let note = self.explored.store.note(number);
        if note == UNNOTED || number as usize >= self.shown {
            return Steps { targets: &[], labels: &[] };
        }
        let degree = (note & ((1 << DEGREE) - 1)) as usize;
        let place = (note >> DEGREE) as usize;
        let (chunk, first) = (&self.explored.chunks[place / CHUNK], place % CHUNK);
        Steps { targets: &chunk.targets[first..first + degree], labels: &chunk.labels[first..first + degree] }
    }

    /// Whether a ground state predicate is true in some state.
    pub(super) fn is_somewhere(&self, predicate: &Expr) -> bool {
        let mut programs = Programs::new(&self.successors.instance, &self.successors.packing);
        let compiled = programs.predicate(predicate);
        self.numbers().any(|number| programs.test(compiled, &self.explored.store.get(number)) == Truth::True)
    }

    /// A shortest path to a state.
    pub(super) fn path(&self, number: u32) -> Path {
        let mut numbers = vec![number];
        let parents = self.explored.keeps_steps.then(|| self.parents(number));
        loop {
            let last = numbers[numbers.len() - 1];
            if last < self.explored.initial {
                break;
            }
            numbers.push(match &parents {
                Some(parents) => parents[last as usize],
                None => self.explored.store.note(last) as u32,
            });
        }
        numbers.reverse();
        let states: Vec<State> = numbers.iter().map(|number| self.state(*number)).collect();
        let positions = states
            .windows(2)
            .map(|pair| Position { state: pair[0].clone(), label: self.label_between(&pair[0], &pair[1]) })
            .collect();
        Path { positions, last: states[states.len() - 1].clone() }
    }

    /// The nearest state that is wanted.
    pub(super) fn nearest(&self, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        self.breadth_first(wanted).0
    }

    /// The bytes it has allocated.
    pub(super) fn bytes(&self) -> u64 {
        self.explored.bytes()
    }

    /// The numbers of all states, visible or not.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        // A state that is not initial has a parent or steps, or is on the frontier.
        let bound = self.bound() as u32;
        (0..bound)
            .filter(|number| *number < self.explored.initial || self.explored.store.note(*number) != UNNOTED)
            .chain(self.explored.frontier.iter().copied())
    }

    /// The action of a step between two states; the first in order, if there are several.
    fn label_between(&self, from: &State, to: &State) -> Label {
        let leads = |action: &ActionId| {
            semantics::successors(self.instance, from, *action).is_ok_and(|targets| targets.contains(to))
        };
        let action = (0..self.instance.actions.len() as u32).map(ActionId).find(leads);
        action.map_or(Label::Idle, Label::Action)
    }

    /// The parent of each state up to `goal`, breadth first.
    fn parents(&self, goal: u32) -> Vec<u32> {
        self.breadth_first(|state| state == goal).1
    }

    /// The first wanted state in breadth-first order, if there is one, and the parent of each state up to it.
    fn breadth_first(&self, wanted: impl Fn(u32) -> bool) -> (Option<u32>, Vec<u32>) {
        let mut parents = vec![u32::MAX; self.bound()];
        let mut queue: Vec<u32> = (0..self.explored.initial).collect();
        queue.iter().for_each(|number| parents[*number as usize] = *number);
        let mut next = 0;
        while next < queue.len() {
            let from = queue[next];
            next += 1;
            if wanted(from) {
                return (Some(from), parents);
            }
            for &target in self.steps(from).targets {
                if parents[target as usize] == u32::MAX {
                    parents[target as usize] = from;
                    queue.push(target);
                }
            }
        }
        (None, parents)
    }

    /// Tests the invariant in states that are already expanded: all but the first `tested`, up to `enough`.
    pub(super) fn test_expanded(
        &self,
        tested: usize,
        enough: usize,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let Some(invariant) = &self.invariant else { return Ok(()) };
        // Where it wanders, states are expanded in another order, so all of them are tested, expanded or not.
        let ordered = tested as u32..self.explored.expanded().min(enough) as u32;
        let numbers: Box<dyn Iterator<Item = u32>> =
            if self.movers.is_none() { Box::new(ordered) } else { Box::new(self.numbers()) };
        for number in numbers {
            if !invariant.is_true(&self.explored.store.get(number)) {
                return Err(self.ended(self.violated(invariant, number)));
            }
            if (number as usize).is_multiple_of(INTERVAL) {
                session.check(self.bytes()).map_err(Stop::Limit)?;
            }
        }
        Ok(())
    }

    /// The reason to stop that a halt stands for.
    fn ended(&self, halt: Halt) -> Stop {
        match halt {
            Halt::Limit(reason) => Stop::Limit(reason),
            Halt::Full => too_many(self.number_limit),
            Halt::Wrong(number, Wrong::Violated) => Stop::Found(Counterexample::Path(self.path(number))),
            Halt::Wrong(number, Wrong::Fault(site, fault)) => {
                Stop::fault(Some(self.path(number)), site, fault)
            }
        }
    }

    /// Expands the frontier. Several threads expand one level. One thread continues until `enough` states are
    /// expanded or a level is large enough to share.
    fn expand(&mut self, threads: usize, enough: usize, session: &Session<'_>) -> Result<(), Stop> {
        let more = enough - self.expanded();
        let mut level = std::mem::take(&mut self.explored.frontier);
        let mut work = self.take_work();
        let shared = Shared { space: self, session };
        let expanded = if threads == 1 {
            let shared_level = if session.threads <= 1 { usize::MAX } else { self.shared_level };
            shared.alone(&mut work, level, more, shared_level)
        } else {
            work.rest = level.split_off(more.min(level.len()));
            shared.together(&mut work, &level, threads)
        };
        self.put_back(work);
        expanded.map_err(|halt| self.ended(halt))
    }

    /// Why a state does not satisfy the invariant: it is false or faulty. A fault of an action comes first.
    fn violated(&self, invariant: &Invariant<'_>, number: u32) -> Halt {
        let (words, mut batch) = (self.words(number), Batch::new());
        let steps = self.successors.steps_by_semantics(&words, &mut batch.labels, &mut batch.targets);
        if let Err((action, fault)) = steps {
            return Halt::Wrong(number, Wrong::Fault(Site::Action(action), fault));
        }
        match semantics::state_predicate(self.instance, invariant.expr, &self.state(number)) {
            Err(fault) => Halt::Wrong(number, Wrong::Fault(Site::Property, fault)),
            Ok(_) => Halt::Wrong(number, Wrong::Violated),
        }
    }

    /// What is needed to expand states, with the last chunk.
    fn take_work(&mut self) -> Work {
        let chunks: Vec<Chunk> = self.explored.chunks.pop().into_iter().collect();
        Work {
            first: self.explored.chunks.len(),
            chunks,
            room: std::mem::take(&mut self.explored.room),
            rest: Vec::new(),
            new: Vec::new(),
            states: 0,
            transitions: 0,
            since: 0,
            level: 0,
        }
    }

    fn put_back(&mut self, work: Work) {
        self.explored.states += work.states;
        self.explored.transitions += work.transitions;
        self.explored.frontier.extend(work.rest);
        self.explored.frontier.extend(work.new);
        self.explored.room = work.room;
        self.explored.chunks.extend(work.chunks);
    }
}

impl<const W: usize> States for Space<'_, W> {
    fn instance(&self) -> &Instance {
        self.instance
    }

    fn bound(&self) -> usize {
        self.bound()
    }

    fn initial(&self) -> Vec<u32> {
        (0..self.explored.initial).collect()
    }

    fn is_expanded(&self, number: u32) -> bool {
        self.is_expanded(number)
    }

    fn words(&self, number: u32) -> impl AsRef<[u64]> {
        self.words(number)
    }

    fn state(&self, number: u32) -> State {
        self.state(number)
    }

    #[inline]
    fn with_steps<R>(&self, number: u32, visit: impl FnOnce(Steps<'_>) -> R) -> R {
        visit(self.steps(number))
    }

    #[inline]
    fn expect(&self, number: u32) {
        self.explored.store.expect_note(number);
    }

    #[inline]
    fn with_labels<R>(&self, number: u32, visit: impl FnOnce(&[u16]) -> R) -> R {
        visit(self.steps(number).labels)
    }

    fn bytes(&self) -> u64 {
        self.bytes()
    }
}

impl<const W: usize> Explored<W> {
    /// An empty part, for states that use this many words.
    pub(super) fn new(keeps_steps: bool, words: usize) -> Explored<W> {
        Explored {
            store: Store::new(words),
            keeps_steps,
            roots: Roots::None,
            initial: 0,
            frontier: Vec::new(),
            chunks: Vec::new(),
            room: Room::default(),
            states: 0,
            transitions: 0,
        }
    }

    /// The number of states that are expanded.
    fn expanded(&self) -> usize {
        // If a limit ends the search among the initial states, they are not counted yet.
        self.states.saturating_sub(self.frontier.len())
    }

    /// The number of initial states, if all have been added.
    pub(super) fn all_initial(&self) -> Option<u32> {
        (self.roots == Roots::All).then_some(self.initial)
    }

    /// The bytes it has allocated.
    pub(super) fn bytes(&self) -> u64 {
        let steps: usize = self.chunks.iter().map(|chunk| chunk.targets.capacity() * 6).sum();
        self.store.bytes() + steps as u64 + self.frontier.capacity() as u64 * 4
    }
}

/// The working data and results of an expansion.
struct Work {
    /// The chunks it fills, and the number of the first of them.
    chunks: Vec<Chunk>,
    first: usize,
    /// The numbers for new states.
    room: Room,
    /// The states of the level that it has not expanded.
    rest: Vec<u32>,
    /// The states it found that are not expanded.
    new: Vec<u32>,
    /// How many states it found.
    states: usize,
    transitions: u64,
    /// The number of steps since it last checked the limits.
    since: usize,
    /// The last state of the level, if one thread expands it.
    level: u32,
}

/// What the threads of a level share.
#[derive(Clone, Copy)]
struct Shared<'s, 'a, const W: usize> {
    space: &'s Space<'a, W>,
    session: &'s Session<'s>,
}

/// A batch of expanded states whose successors have no numbers yet.
struct Batch<const W: usize> {
    /// States, with the number of successors of each.
    sources: Vec<(u32, usize)>,
    labels: Vec<u16>,
    targets: Vec<Words<W>>,
    numbers: Vec<u32>,
}

impl<const W: usize> Shared<'_, '_, W> {
    /// Expands a level and those after it, until `enough` states are expanded or a level is large enough to share.
    fn alone(
        &self,
        work: &mut Work,
        mut level: Vec<u32>,
        enough: usize,
        shared_level: usize,
    ) -> Result<(), Halt> {
        let (mut writer, mut batch) =
            (self.space.explored.store.writer(std::mem::take(&mut work.room)), Batch::new());
        let mut expanded = 0;
        while !level.is_empty() {
            work.level = level[level.len() - 1];
            let mut done = 0;
            while done < level.len() && expanded < enough {
                let length = BLOCK.min(enough - expanded).min(level.len() - done);
                let block = &level[done..done + length];
                self.expand_block(work, &mut writer, &mut batch, block)?;
                done += block.len();
                expanded += block.len();
            }
            if done < level.len() {
                work.rest = level.split_off(done);
            }
            if expanded >= enough || work.new.len() >= shared_level {
                break;
            }
            level.clear();
            std::mem::swap(&mut level, &mut work.new);
        }
        work.room = writer.room;
        Ok(())
    }

    /// Reports progress and checks the limits, now and then.
    fn look_around(&self, work: &mut Work, steps: usize) -> Result<(), Halt> {
        work.since += steps;
        if work.since < INTERVAL {
            return Ok(());
        }
        work.since = 0;
        let seen = self.space.explored.states + work.states;
        (self.session.progress)(&Progress { phase: "exploring", count: seen as u64, unit: "states" });
        let Explored { transitions, keeps_steps, ref store, .. } = self.space.explored;
        let in_chunks = ((work.first + work.chunks.len()) * CHUNK) as u64;
        let steps = if keeps_steps { in_chunks.max(transitions + work.transitions) * 6 } else { 0 };
        self.session.check(store.bytes() + steps).map_err(Halt::Limit)
    }

    /// Expands some states. Their successors get their numbers later.
    fn expand_block(
        &self,
        work: &mut Work,
        writer: &mut Writer<'_, W>,
        batch: &mut Batch<W>,
        block: &[u32],
    ) -> Result<(), Halt> {
        for &number in block {
            let before = batch.targets.len();
            let state = match self.expand_state(number, batch) {
                Ok(state) => state,
                Err(halt) => {
                    self.insert(work, writer, batch)?;
                    return Err(halt);
                }
            };
            if let Some(reduction) = self.space.reduction {
                let known = |target: &Words<W>| {
                    self.space.explored.store.find(target).is_some_and(|n| n <= work.level)
                };
                reduction.apply(&state, (&mut batch.labels, &mut batch.targets), before, known);
            }
            batch.close(number, &state, before);
            if batch.targets.len() >= BATCH || self.space.successors.interpreted > 0 {
                self.insert(work, writer, batch)?;
            }
        }
        self.insert(work, writer, batch)
    }

    /// Appends the successors of a state to a batch, and nothing if there is a reason to stop. Returns the state.
    #[inline]
    fn expand_state(&self, number: u32, batch: &mut Batch<W>) -> Result<Words<W>, Halt> {
        let state = self.space.explored.store.get(number);
        if let Some(invariant) = &self.space.invariant
            && !invariant.is_true(&state)
        {
            return Err(self.space.violated(invariant, number));
        }
        let before = batch.targets.len();
        let steps = self.space.successors.steps(&state, &mut batch.labels, &mut batch.targets);
        steps.map_err(|(action, fault)| {
            batch.labels.truncate(before);
            batch.targets.truncate(before);
            Halt::Wrong(number, Wrong::Fault(Site::Action(action), fault))
        })?;
        Ok(state)
    }

    /// Gives the successors of a batch their numbers, and stores the steps.
    fn insert(&self, work: &mut Work, writer: &mut Writer<'_, W>, batch: &mut Batch<W>) -> Result<(), Halt> {
        let Batch { sources, targets, numbers, .. } = batch;
        let mut parents = Parents::of(self, sources);
        for targets in targets.chunks(Writer::<W>::BATCH) {
            let offset = numbers.len();
            writer
                .insert(targets, numbers, |position, number| {
                    work.new.push(number);
                    work.states += 1;
                    parents.note(offset + position, number);
                })
                .map_err(|Full| Halt::Full)?;
        }
        self.keep(work, batch)
    }

    /// Stores the steps of a batch whose successors have their numbers, and clears it.
    fn keep(&self, work: &mut Work, batch: &mut Batch<W>) -> Result<(), Halt> {
        let Batch { sources, labels, numbers, .. } = batch;
        if self.space.explored.states + work.states > self.space.number_limit {
            return Err(Halt::Full);
        }
        work.transitions += labels.len() as u64;
        let steps = labels.len() + sources.len() * self.space.successors.interpreted_as_steps();
        if self.space.explored.keeps_steps {
            let mut first = 0;
            for &(number, count) in sources.iter() {
                if count >= 1 << DEGREE {
                    return Err(Halt::Limit(StopReason::Memory));
                }
                let (place, chunk) = work.room_for(count);
                chunk.targets.extend_from_slice(&numbers[first..first + count]);
                chunk.labels.extend_from_slice(&labels[first..first + count]);
                self.space.explored.store.set_note(number, (place as u64) << DEGREE | count as u64);
                first += count;
            }
        }
        batch.clear();
        self.look_around(work, steps)
    }
}

/// Notes the parents of new states, if steps are not kept.
struct Parents<'p, const W: usize> {
    store: Option<&'p Store<W>>,
    sources: &'p [(u32, usize)],
    /// The source of a successor, and where the successors of the next one begin. Positions come in increasing order.
    source: usize,
    next: usize,
}

impl<'p, const W: usize> Parents<'p, W> {
    fn of(shared: &Shared<'p, '_, W>, sources: &'p [(u32, usize)]) -> Parents<'p, W> {
        let Explored { keeps_steps, ref store, .. } = shared.space.explored;
        let next = sources.first().map_or(0, |(_, count)| *count);
        Parents { store: (!keeps_steps).then_some(store), sources, source: 0, next }
    }

    #[inline]
    fn note(&mut self, position: usize, number: u32) {
        let Some(store) = self.store else { return };
        while position >= self.next {
            self.source += 1;
            self.next += self.sources[self.source].1;
        }
        store.set_note(number, u64::from(self.sources[self.source].0));
    }
}

impl Work {
    /// A chunk with room for this many steps, and the position of the first of them.
    fn room_for(&mut self, count: usize) -> (usize, &mut Chunk) {
        if self.chunks.last().is_none_or(|chunk| chunk.targets.len() + count > CHUNK) {
            self.chunks.push(Chunk::default());
        }
        let number = self.first + self.chunks.len() - 1;
        let chunk = self.chunks.last_mut().expect("there is a chunk now");
        (number * CHUNK + chunk.targets.len(), chunk)
    }
}

impl<const W: usize> Batch<W> {
    fn new() -> Batch<W> {
        Batch { sources: Vec::new(), labels: Vec::new(), targets: Vec::new(), numbers: Vec::new() }
    }

    /// Ends the successors of a state, which are those from `before` on. A deadlock has the step `idle` to itself.
    #[inline]
    fn close(&mut self, number: u32, state: &Words<W>, before: usize) {
        if self.targets.len() == before {
            self.labels.push(IDLE);
            self.targets.push(*state);
        }
        self.sources.push((number, self.targets.len() - before));
    }

    fn clear(&mut self) {
        self.sources.clear();
        self.labels.clear();
        self.targets.clear();
        self.numbers.clear();
    }
}

/// That there are more states than can be numbered.
fn too_many(limit: usize) -> Stop {
    Stop::TooLarge(format!(
        "there are more than {limit} states, and no more of them can be numbered in one memory"
    ))
}

/// The label with this number.
pub(super) fn label(number: u16) -> Label {
    if number == IDLE { Label::Idle } else { Label::Action(ActionId(u32::from(number))) }
}
