//! Enumerates the reachable states and decides invariants, LTL and automata on the finite graph they form.
//!
//! A search has four phases. It *scouts*: if there are many initial states, it searches from a few of them. It *looks*:
//! it explores the graph level by level and [looks](look) for violations on the way. If the graph turns out to be large,
//! it *reduces*: it tries the same search on a smaller graph that has the same answer ([`reduce`]). At last it
//! *exhausts* the graph. A fault met on the way makes any property fail.
//!
//! The pieces, in the order of use: [`packing`], [`specialise`], [`table`] and [`successors`] compile the system,
//! [`store`] and [`space`] hold the reachable states, [`graph_cache`] keeps them for the next task, [`letters`] and
//! [`requirements`] are what property and fairness see of a step, [`product`] joins them with the automaton,
//! [`emptiness`] looks for the run, [`notes`] says what a property that holds leaves unsaid, [`survey`] what is true of
//! all states together. [`footprint`], [`silence`] and [`stubborn`] leave out orders of independent actions,
//! [`scalarset`], [`permute`], [`symmetry`] and [`unfold`] names of interchangeable processes.
//!
//! With one thread everything is done in a fixed order. With several, what is found is found again with one. A task sees
//! as much of the graph as it would explore by itself, even if the cache has more. So the same task gets the same answer
//! and the same lasso. Time grows with the number of steps times the size of the automaton, memory with the number of
//! steps.

mod emptiness;
mod footprint;
mod graph_cache;
mod letters;
mod look;
mod notes;
pub mod orbits;
mod packing;
mod permute;
mod product;
#[cfg(test)]
mod random;
mod realisable;
mod reduce;
mod requirements;
mod scalarset;
mod silence;
mod space;
mod specialise;
mod store;
mod stubborn;
mod successors;
mod survey;
mod symmetry;
mod table;
#[cfg(test)]
mod tests;
mod unfold;

use std::sync::Arc;

use model::answer::Counterexample;
use model::property::Kind;
use model::system::{Initial, Scalar};
use model::{
    Answer, Declared, Fairness, Fault, Instance, Note, Reason, Refusal, RefusalKind, Session, State,
    StopReason, Subject, Task, VariableId, ground,
};

pub use self::graph_cache::GraphCache;
use self::graph_cache::Graphs;
use self::look::{Look, Target};
use self::packing::Packing;
use self::reduce::TOO_LARGE;
use self::space::{ACTIONS, Aim, Space, Stop};
use self::successors::Successors;
use self::survey::IsStuck;
pub use self::survey::{Survey, Unsurveyed};
use crate::{Answering, Engine, Prepared};

/// The greatest number of words of a packed state.
const WORDS: usize = 64;
/// With more initial states than this a reduction is not thought of: it would have to enumerate them again.
const INITIAL: u32 = 10_000;
/// How many states are expanded from some of the initial states before all of them are taken.
const SCOUTED: usize = 300_000;
/// From how many initial states: the fewer, the farther one gets.
const SCOUTS: usize = 16;

/// The explicit engine. A clone shares the cache.
#[derive(Clone, Debug)]
pub struct Explicit {
    /// Whether to look, once a property holds, for triggers that never occur and for reachable states without
    /// a fair run. The second takes another pass over the graph.
    pub notes: bool,
    /// How many states are expanded before the first search for a violation takes place; `usize::MAX` to wait until all
    /// are. If there are more initial states than this, some of them go first.
    pub first_look: usize,
    /// A level of the search with fewer states than this is not shared among threads.
    pub shared_level: usize,
    /// Whether to search a reduced graph instead, where that is sound.
    pub reductions: bool,
    /// The number of states up to which a reduction is not tried.
    pub reduce_beyond: usize,
    /// The number of states up to which it searches before it gives up. If there is one, it works with one
    /// thread, so that it gives up on the same tasks every time.
    pub most: usize,
    /// What is explored of the system of the last task, for the next task about it.
    pub cache: GraphCache,
}

impl Default for Explicit {
    fn default() -> Explicit {
        Explicit {
            notes: true,
            first_look: 4_000,
            shared_level: 4_096,
            reductions: true,
            reduce_beyond: 20_000,
            most: usize::MAX,
            cache: GraphCache::default(),
        }
    }
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal> {
        if task.subject.instance().is_some() && matches!(task.property.kind, Kind::Ctl(_)) {
            return Err(Refusal::about(Declared::Property(task.property.name.clone()), RefusalKind::Ctl));
        }
        let mut search = self.search(&task.subject)?;
        Ok(Box::new(Answering(move |session: &Session<'_>| search.answer(task, session))))
    }
}

/// What can be asked of the states of a subject, whatever the number of words of a state.
trait Search {
    /// Decides a task, the same one in every call.
    fn answer(&mut self, task: &Task, session: &Session<'_>) -> Answer;
    /// See [`Explicit::survey`].
    fn survey(&self, most: usize, stuck: &IsStuck<'_>, session: &Session<'_>) -> Result<Survey, Unsurveyed>;
    /// See [`Explicit::unfair_state`].
    fn unfair_state(
        &self,
        fairness: &Fairness,
        session: &Session<'_>,
    ) -> Result<Option<State>, Option<Reason>>;
}

impl Explicit {
    /// A search of the states of a subject, or why they cannot be listed.
    fn search<'t>(&'t self, subject: &'t Subject) -> Result<Box<dyn Search + 't>, Refusal> {
        let Some(instance) = subject.instance() else { return Err(Refusal::of(RefusalKind::Open)) };
        let system = subject.system();
        for (id, variable) in (0..).map(VariableId).zip(&system.variables) {
            if variable.kind.scalar == Scalar::Int && variable.initial == Initial::Any {
                return Err(Refusal::about(Declared::Variable(id), RefusalKind::AnyInteger));
            }
        }
        if let Some(chooser) = system.endless_choice() {
            let about = Declared::Action(chooser.family, chooser.label.clone());
            return Err(Refusal::about(about, RefusalKind::EndlessChoice));
        }
        let packing = Arc::new(Packing::new(instance));
        if instance.actions.len() >= ACTIONS || packing.words > WORDS {
            return Err(Refusal::of(RefusalKind::Size { actions: ACTIONS, bits: WORDS * 64 }));
        }
        Ok(match packing.words {
            1 => Box::new(Listing::<1>::new(self, instance, packing)),
            2 => Box::new(Listing::<2>::new(self, instance, packing)),
            3 => Box::new(Listing::<3>::new(self, instance, packing)),
            4 => Box::new(Listing::<4>::new(self, instance, packing)),
            5..=8 => Box::new(Listing::<8>::new(self, instance, packing)),
            9..=16 => Box::new(Listing::<16>::new(self, instance, packing)),
            _ => Box::new(Listing::<WORDS>::new(self, instance, packing)),
        })
    }
}

/// The states of an instance, as far as a task has searched them.
struct Listing<'t, const W: usize> {
    engine: &'t Explicit,
    instance: &'t Arc<Instance>,
    packing: Arc<Packing>,
    /// What the task is after, once it has been asked.
    target: Option<Arc<Target>>,
    searched: Searched,
    /// Why no reduction helped, once one was tried.
    unreduced: Option<Vec<&'static str>>,
}

/// The numbers of expanded states among which nothing was found.
#[derive(Clone, Copy, Default)]
struct Searched {
    /// From some of the initial states.
    scouted: usize,
    /// From all of them.
    whole: usize,
}

impl<const W: usize> Search for Listing<'_, W> {
    fn answer(&mut self, task: &Task, session: &Session<'_>) -> Answer {
        let most = self.engine.most.min(states_within(session, self.instance, &self.packing));
        let threads = if most == usize::MAX { session.threads } else { 1 };
        let before = self.searched;
        let (mut answer, mut records) = self.attempt(task, most, threads, session);
        if threads > 1 && matches!(answer, Answer::Fails(_)) {
            // Which counterexample several threads find first is left to chance.
            self.searched = before;
            (answer, records) = self.attempt(task, most, 1, session);
        }
        session.adopt(records);
        if let Answer::Fails(Counterexample::Fault { fault: Fault::Overflow, .. }) = &answer
            && !self.instance.is_bounded()
        {
            // Integers without a range have no end; that ours have is no fault of the model.
            answer = Answer::Unknown(Reason::Overflow);
        }
        answer
    }

    fn survey(&self, most: usize, stuck: &IsStuck<'_>, session: &Session<'_>) -> Result<Survey, Unsurveyed> {
        survey::survey(self, most, stuck, session)
    }

    fn unfair_state(
        &self,
        fairness: &Fairness,
        session: &Session<'_>,
    ) -> Result<Option<State>, Option<Reason>> {
        realisable::unfair_state(self, fairness, session)
    }
}

impl<'t, const W: usize> Listing<'t, W> {
    fn new(engine: &'t Explicit, instance: &'t Arc<Instance>, packing: Arc<Packing>) -> Self {
        Listing { engine, instance, packing, target: None, searched: Searched::default(), unreduced: None }
    }

    /// Decides a task with so many states and threads; the session that is returned has the records.
    fn attempt<'s>(
        &mut self,
        task: &Task,
        most: usize,
        threads: usize,
        session: &Session<'s>,
    ) -> (Answer, Session<'s>) {
        let session = Session::new(session.stop, session.progress, session.memory, threads);
        let found = self.graphs(&session).map_err(Stop::Limit).and_then(|mut graphs| {
            let found = self.phases(task, &mut graphs, most, &session);
            self.keep(graphs, &session);
            found
        });
        let answer = match found {
            Ok(Some(answer)) => answer,
            Ok(None) => Answer::Unknown(too_many(most)),
            Err(Stop::Found(counterexample)) => Answer::Fails(counterexample),
            Err(Stop::Limit(stop)) => {
                if let Some(reasons) = &self.unreduced {
                    let reasons = reasons.iter().map(|reason| (*reason).to_owned()).collect();
                    session.note(Note::NotReduced(reasons));
                }
                let done = session.counted("states").map(|states| (states, "states"));
                Answer::Unknown(Reason::Stopped { stop, done })
            }
        };
        (answer, session)
    }

    /// The phases of a search: scout, look, reduce, exhaust. `None` if so many states do not suffice.
    fn phases(
        &mut self,
        task: &Task,
        graphs: &mut Graphs<W>,
        most: usize,
        session: &Session<'_>,
    ) -> Result<Option<Answer>, Stop> {
        let target = self.target(task, session).map_err(Stop::Limit)?;
        let look = Look { engine: self.engine, task, target: &target };
        // Violations are usually near, and there may be very many initial states: some of them go first.
        if let Some(answer) = self.scout(look, graphs, most, session)? {
            return Ok(Some(answer));
        }
        let aim =
            Aim { invariant: target.invariant(), shared_level: self.engine.shared_level, reduction: None };
        let successors = Arc::clone(&graphs.successors);
        let with_steps = aim.invariant.is_none();
        let explored = Graphs::fitting(graphs.whole.take(), with_steps, session.threads <= 1);
        let mut space = Space::new(&successors, &aim, explored);
        let found = self.whole(look, &mut space, most, session);
        if !matches!(found, Ok(Found::ByReduction(_))) {
            count(&space, session);
        }
        let found = found?;
        if !space.is_partial() {
            graphs.whole = Some(space.into_explored());
        }
        Ok(match found {
            Found::Nothing => None,
            Found::InGraph(answer) | Found::ByReduction(answer) => Some(answer),
        })
    }

    /// Searches from a few of the initial states, if there are many.
    fn scout(
        &mut self,
        look: Look<'_>,
        graphs: &mut Graphs<W>,
        most: usize,
        session: &Session<'_>,
    ) -> Result<Option<Answer>, Stop> {
        let Explicit { first_look, shared_level, .. } = *self.engine;
        if most <= self.searched.scouted || !graphs.has_more_initial_states(first_look, session) {
            return Ok(None);
        }
        let aim = Aim { invariant: look.target.invariant(), shared_level, reduction: None };
        let successors = Arc::clone(&graphs.successors);
        let with_steps = aim.invariant.is_none();
        let explored = Graphs::fitting(graphs.scouted.take(), with_steps, session.threads <= 1);
        let mut space = Space::new(&successors, &aim, explored);
        let records = session.inner();
        space.start(first_look.min(SCOUTS), &records)?;
        let found = look.search(&mut space, &mut self.searched.scouted, most.min(SCOUTED), &records);
        if !matches!(found, Ok(None)) {
            count(&space, &records);
            session.adopt(records);
        }
        let found = found?;
        graphs.scouted = Some(space.into_explored());
        Ok(found)
    }

    /// Searches from all initial states: first a small graph; if it is larger, a reduced one; at last all of it.
    fn whole(
        &mut self,
        look: Look<'_>,
        space: &mut Space<'_, W>,
        most: usize,
        session: &Session<'_>,
    ) -> Result<Found, Stop> {
        let Explicit { reductions, reduce_beyond, .. } = *self.engine;
        space.start(most, session)?;
        if space.is_partial() || space.initial() as usize > most {
            return Ok(Found::Nothing);
        }
        let may_help = self.unreduced.as_ref().is_none_or(|reasons| reasons.contains(&TOO_LARGE));
        if reductions && may_help && space.initial() <= INITIAL {
            let small = most.min(reduce_beyond);
            if let Some(answer) = look.search(space, &mut self.searched.whole, small, session)? {
                return Ok(Found::InGraph(answer));
            }
            if most > small {
                match reduce::answer(look, space.successors, most, session) {
                    Ok(answer) => return Ok(Found::ByReduction(answer)),
                    Err(reasons) => self.unreduced = Some(reasons),
                }
            }
        }
        let found = look.search(space, &mut self.searched.whole, most, session)?;
        Ok(found.map_or(Found::Nothing, Found::InGraph))
    }

    /// What the task is after.
    fn target(&mut self, task: &Task, session: &Session<'_>) -> Result<Arc<Target>, StopReason> {
        if let Some(target) = &self.target {
            return Ok(Arc::clone(target));
        }
        let kind = ground::kind(self.instance, &task.property.kind);
        let target = Arc::new(Target::new(&kind, session)?);
        self.target = Some(Arc::clone(&target));
        Ok(target)
    }

    /// What is known of the system, or nothing but its compiled actions.
    fn graphs(&self, session: &Session<'_>) -> Result<Graphs<W>, StopReason> {
        if let Some(graphs) = self.engine.cache.take(&self.instance.system) {
            return Ok(graphs);
        }
        let limit = || (session.stop)().map_or(Ok(()), Err);
        let successors = Arc::new(Successors::new(self.instance, &self.packing, &limit)?);
        Ok(Graphs { successors, scouted: None, whole: None })
    }

    /// Keeps what is known for other tasks.
    fn keep(&self, graphs: Graphs<W>, session: &Session<'_>) {
        self.engine.cache.put(&self.instance.system, graphs, session.memory / 4);
    }
}

/// What came of a search from all initial states.
enum Found {
    /// There are more states than it may expand.
    Nothing,
    InGraph(Answer),
    ByReduction(Answer),
}

/// Counts the states and steps of a space.
fn count<const W: usize>(space: &Space<'_, W>, session: &Session<'_>) {
    let (states, transitions) = space.size();
    session.count("states", states);
    session.count("transitions", transitions);
}

/// That there are more states than were to be listed.
fn too_many(most: usize) -> Reason {
    Reason::Stopped { stop: StopReason::Work, done: Some((most as u64, "states")) }
}

/// The number of states that can be listed within a budget: each has about as many steps as there are processes.
fn states_within(session: &Session<'_>, instance: &Instance, packing: &Packing) -> usize {
    if !session.is_budgeted() {
        return usize::MAX;
    }
    let weight = instance.processes.len().max(1) * (STEP + packing.words);
    usize::try_from(session.budget / weight as u64).unwrap_or(usize::MAX - 1).max(FEW)
}

/// The units of work of a step, beside those for the words of its states.
const STEP: usize = 8;
/// So many states are always listed.
const FEW: usize = 500;
