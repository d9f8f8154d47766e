//! Enumerates the reachable states and decides invariants, LTL, automata and CTL on the finite graph they form.
//!
//! A search has five phases. *Scout*: if there are many initial states, search from a few of them. *Look*: explore
//! the graph level by level and [look](look) for violations on the way. *Probe*: if the graph turns out to be large,
//! look at some states far away ([`space::wander`]). *Reduce*: try the same search on a smaller graph with the same answer
//! ([`reduce`]). *Exhaust*: search the rest of the graph.
//! A fault met on the way makes any property fail.
//!
//! The modules, in the order of use: [`allowance`] says how much may be done. [`ranges`], [`packing`](model::packing),
//! [`specialise`], [`table`], [`code`] and [`successors`] compile the system, and [`interpreted`] says what it costs to
//! leave something to the reference semantics. [`store`] and [`space`] hold the reachable states, [`quotient`] and
//! [`reach`] the set of them, and [`graph_cache`] keeps them for the next task. [`letters`] and [`requirements`] evaluate
//! property and fairness on steps, [`product`] adds the automaton, [`emptiness`] searches for the run, [`prefix`] for a
//! path after which none matters, [`elsewhere`] lets others decide what does not fit in the memory, in terms of
//! [`compiled`], and [`evidence`] writes down why there is neither. The product does not care whether steps are stored
//! ([`states`]) or computed ([`regenerated`], [`dense`]). [`approximate`] searches states that are known by their hashes
//! ([`signatures`], [`ancestry`]). [`branching`] labels states with CTL formulas. [`notes`] reports fairness that cannot
//! be met, and [`survey`] collects facts about all states. [`footprint`], [`silence`] and [`stubborn`] are the partial
//! order reduction; [`scalarset`], [`permute`], [`symmetry`] and [`unfold`] the symmetry reduction.
//!
//! States are numbered alike with any number of threads, and a run is looked for by one. A task sees only as much of the
//! graph as it would explore by itself, even if the cache has more. So the same task always gets the same answer and the
//! same lasso. Time grows with the number of steps times the size of the automaton, memory with the number of steps.

/// Evaluates an expression in which `$width` is a constant: a width for states of so many words. All of a search is
/// compiled once per width, so there are few widths; words that are not in use are not stored. Builds for tests have fewer
/// still, because that is most of their cost, and so has the page, because that is most of its size.
macro_rules! with_width {
    ($words:expr, $width:ident => $of:expr) => {{
        macro_rules! with {
            ($constant:expr) => {{
                const $width: usize = $constant;
                $of
            }};
        }
        match $words {
            1 => with!(1),
            2 => with!(2),
            #[cfg(all(feature = "full", not(debug_assertions)))]
            3..=4 => with!(4),
            #[cfg(all(feature = "full", not(debug_assertions)))]
            5..=8 => with!(8),
            #[cfg(all(feature = "full", not(debug_assertions)))]
            9..=16 => with!(16),
            _ => with!($crate::explicit::WORDS),
        }
    }};
}

mod allowance;
mod ancestry;
mod approximate;
mod branching;
mod code;
pub mod compiled;
mod dense;
mod elsewhere;
mod emptiness;
mod evidence;
mod footprint;
mod graph_cache;
mod interpreted;
mod letters;
mod look;
mod notes;
pub mod orbits;
mod permute;
mod prefix;
mod product;
mod quotient;
#[cfg(test)]
mod random;
mod ranges;
mod reach;
mod realisable;
mod reduce;
mod regenerated;
mod requirements;
mod scalarset;
mod signatures;
mod silence;
mod space;
mod specialise;
mod states;
pub(crate) mod store;
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
use model::note::Unchecked;
use model::property::Kind;
use model::system::{Initial, Scalar};
use model::{
    Answer, Declared, Expr, Fairness, Fault, Instance, Note, Proof, Reason, Refusal, RefusalKind, Session,
    State, StopReason, Subject, Task, VariableId, ground,
};

use self::allowance::Allowance;
use self::approximate::Approximate;
pub use self::graph_cache::GraphCache;
use self::graph_cache::Graphs;
use self::look::{Look, Target, Unstored};
use self::reach::{Reach, Reached};
use self::reduce::{ReducedGraph, Unreduced};
use self::space::{ACTIONS, Explored, Space, SpaceOptions, Stop};
use self::successors::Successors;
use self::survey::IsStuck;
pub use self::survey::{Survey, Unsurveyed};
use self::table::Programs;
use crate::rounds::Crew;
use crate::triggers::{note_vacuity, triggers};
use crate::{Answering, Engine, Prepared};
use model::packing::Packing;

/// The greatest number of words of a packed state.
const WORDS: usize = 64;
/// With more initial states than this, reductions are not tried, because they would enumerate the initial states
/// again.
const INITIAL: u32 = 10_000;
/// The number of steps from a state that [`Explicit::reduce_beyond`] is meant for.
const USUAL: usize = 8;
/// How many states are expanded from a few initial states before all of them are used. With 2^35 initial states nothing
/// else can be done: `LE_OR` of seven processes needs three million.
const SCOUTED: usize = 4_000_000;
/// How many states near the initial ones are searched before others are probed.
const NEAR: usize = 20_000;
/// How many states are probed.
const PROBED: usize = 32_000;
/// How many states are probed before the first look at them.
const FIRST_PROBED: usize = 500;
/// The number of initial states for scouting. With fewer of them the search gets deeper.
const SCOUTS: usize = 16;

/// If a limit or a budget ends a search: the number of states that are known and not expanded.
pub const WAITING: &str = "waiting";

/// The usual limit on the edges of products for which evidence is given.
pub const EVIDENCE: u64 = 1_000_000;

/// The explicit engine. A clone shares the cache.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct Explicit {
    /// Whether to report, for a property that holds, triggers that never occur and reachable states without a fair
    /// run. The second needs another pass over the graph.
    pub notes: bool,
    /// How many states are expanded before the first search for a violation; `usize::MAX` to expand all states first.
    /// If there are more initial states than this, the search starts from a few of them.
    pub first_look: usize,
    /// A level with fewer states than this is not shared among threads.
    pub shared_level: usize,
    /// Whether to look at some states far from the initial ones before all states near them are searched.
    pub probes: bool,
    /// Whether to search a reduced graph instead, if that is sound.
    pub reductions: bool,
    /// Reductions are not tried on graphs with at most this many states.
    pub reduce_beyond: usize,
    /// Whether steps may be stored. If not, or if the memory ends, those of large systems are computed whenever they are
    /// needed ([`regenerated`]).
    pub stores_steps: bool,
    /// Whether to search states that are known by their hashes, which may miss some of them. Then nothing is ever found to
    /// hold ([`approximate`]).
    pub approximate: bool,
    /// The greatest number of states to expand.
    pub state_limit: usize,
    /// How many states, and how many of their combinations with states of an automaton, may be numbered. More than the usual
    /// do not fit into the 32 bits of a number.
    pub number_limit: usize,
    /// Whether to look for a violation whenever the limit on states, or a budget, is reached. If a later turn goes on from
    /// there, it is cheaper to wait until the graph has grown eightfold.
    pub looks_at_limit: bool,
    /// If a property holds, evidence is given as long as the product of the states and the reference automaton has at
    /// most this many edges; 0 for none. With a reduction there is none.
    pub evidence: u64,
    /// The explored part of the last task's system, for the next task about it.
    pub cache: GraphCache,
    /// Who decides tasks about large graphs, if not this process in its memory.
    pub crew: Option<Arc<dyn Crew>>,
}

impl Default for Explicit {
    fn default() -> Explicit {
        Explicit {
            notes: true,
            first_look: 4_000,
            shared_level: 4_096,
            probes: true,
            reductions: true,
            reduce_beyond: 20_000,
            stores_steps: true,
            approximate: false,
            state_limit: usize::MAX,
            number_limit: store::CAPACITY,
            looks_at_limit: true,
            evidence: EVIDENCE,
            cache: GraphCache::default(),
            crew: None,
        }
    }
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal> {
        crate::branching::within_ctl(task)?;
        let mut search = self.search(&task.subject)?;
        Ok(Box::new(Answering(move |session: &Session<'_>| search.answer(task, session))))
    }
}

/// The searches of a subject's states, for any number of words of a state.
trait Search {
    /// Decides a task. Every call must be about the same task.
    fn answer(&mut self, task: &Task, session: &Session<'_>) -> Answer;
    /// See [`Explicit::survey`].
    fn survey(
        &self,
        state_limit: usize,
        stuck: &IsStuck<'_>,
        session: &Session<'_>,
    ) -> Result<Survey, Unsurveyed>;
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
        let (instance, packing) = listable(subject, &self.cache)?;
        Ok(with_width!(packing.words, W => Box::new(Listing::<W>::new(self, instance, packing))))
    }
}

/// The instance of a subject and the form of its states, or why they cannot be listed.
fn listable<'t>(
    subject: &'t Subject,
    cache: &GraphCache,
) -> Result<(&'t Arc<Instance>, Arc<Packing>), Refusal> {
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
    let packing = cache.packing(instance);
    if instance.actions.len() >= ACTIONS || packing.words > WORDS {
        return Err(Refusal::of(RefusalKind::Size { actions: ACTIONS, bits: WORDS * 64 }));
    }
    Ok((instance, packing))
}

/// The states of an instance, as far as a task has searched them.
struct Listing<'t, const W: usize> {
    engine: &'t Explicit,
    instance: &'t Arc<Instance>,
    packing: Arc<Packing>,
    /// The violations of the task's property, once they have been computed.
    target: Option<Arc<Target>>,
    searched: Searched,
    /// Why no reduction has helped so far, once they have been tried.
    unreduced: Option<Vec<Unreduced>>,
    /// How many states were probed.
    probed: usize,
    /// Whether the answer does not come from the stored graph, but from a reduced graph, the probe, a crew, or a graph
    /// without stored steps.
    off_graph: bool,
    /// Whether the run that was found is one of a set of states whose numbers depend on chance if there are several threads.
    by_chance: bool,
    /// The set of reachable states, as far as it is explored.
    reached: Option<Reached<W>>,
    /// Whether a search without stored steps gave no answer: there is a fault or a false invariant, or there are few enough
    /// steps for evidence, or the method does not apply. It is not tried again.
    unstored_gave_none: bool,
    /// The reduced graphs, as far as they are explored.
    reduced: Vec<ReducedGraph<W>>,
    /// The approximate search, as far as it has come.
    approximate: Option<Approximate<W>>,
    /// The sum of the budgets so far.
    granted: u64,
    /// The average number of steps from a state that was expanded in an earlier turn.
    degree: Option<usize>,
    /// The work of what is left to the reference semantics in a state, once the actions are compiled.
    interpreted: u64,
}

/// The numbers of expanded states that are known to contain no violation.
#[derive(Clone, Copy, Default)]
struct Searched {
    /// In the graph from a few initial states.
    scouted: usize,
    /// In the graph from all initial states.
    whole: usize,
}

impl<const W: usize> Search for Listing<'_, W> {
    fn answer(&mut self, task: &Task, session: &Session<'_>) -> Answer {
        let with_runs = !matches!(task.property.kind, Kind::Invariant(_)) && !self.engine.approximate;
        self.granted = self.granted.saturating_add(session.budget);
        let before = self.searched;
        (self.off_graph, self.by_chance) = (false, false);
        let (mut answer, mut records) = if self.engine.approximate {
            self.approximate(task, self.allowance(with_runs).states(self.degree), session)
        } else {
            self.attempt(task, with_runs, session.threads, session)
        };
        if session.threads > 1 && self.by_chance {
            self.searched = before;
            (answer, records) = self.attempt(task, with_runs, 1, session);
        }
        session.adopt(records);
        if let Answer::Fails(Counterexample::Fault { fault: Fault::Overflow, .. }) = &answer
            && !self.instance.is_bounded()
        {
            // Integers without a range are unbounded. That ours have 64 bits is not a fault of the model.
            answer = Answer::Unknown(Reason::Overflow);
        }
        answer
    }

    fn survey(
        &self,
        state_limit: usize,
        stuck: &IsStuck<'_>,
        session: &Session<'_>,
    ) -> Result<Survey, Unsurveyed> {
        survey::survey(self, state_limit, stuck, session)
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
        Listing {
            engine,
            instance,
            packing,
            target: None,
            searched: Searched::default(),
            unreduced: None,
            probed: 0,
            off_graph: false,
            by_chance: false,
            reached: None,
            unstored_gave_none: false,
            reduced: Vec::new(),
            approximate: None,
            granted: 0,
            degree: None,
            interpreted: 0,
        }
    }

    /// What may be listed with the budgets so far.
    fn allowance(&self, with_runs: bool) -> Allowance {
        Allowance {
            work: self.granted,
            processes: self.instance.processes.len().max(1),
            words: self.packing.words,
            interpreted: self.interpreted,
            with_runs,
            state_limit: self.engine.state_limit,
        }
    }

    /// Decides a task with this many threads. The returned session has the records.
    fn attempt<'s>(
        &mut self,
        task: &Task,
        with_runs: bool,
        threads: usize,
        session: &Session<'s>,
    ) -> (Answer, Session<'s>) {
        let session = Session::new(session.stop, session.progress, session.memory, threads);
        let mut state_limit = 0;
        let found = self.graphs(&session).map_err(Stop::Limit).and_then(|mut graphs| {
            self.interpreted = graphs.successors.interpreted;
            state_limit = self.allowance(with_runs).states(self.degree);
            let found = self.phases(task, &mut graphs, state_limit, &session);
            self.keep(graphs, &session);
            found
        });
        let answer = match found {
            Ok(Some(answer)) => answer,
            Ok(None) => Answer::Unknown(too_many(state_limit)),
            Err(Stop::Found(counterexample)) => Answer::Fails(counterexample),
            Err(Stop::TooLarge(what)) => Answer::Unknown(Reason::TooLarge { what }),
            Err(Stop::Limit(stop)) => {
                if let Some(reasons) = &self.unreduced {
                    let reasons = reasons.iter().map(|reason| reason.words().to_owned()).collect();
                    session.note(Note::NotReduced(reasons));
                }
                let done = session.counted("states").map(|states| (states, "states"));
                Answer::Unknown(Reason::Stopped { stop, done })
            }
        };
        (answer, session)
    }

    /// The phases of a search: scout, then all states as numbers (`dense`), then look, probe, reduce and exhaust (`whole`).
    /// `None` if there are more states than `state_limit`.
    fn phases(
        &mut self,
        task: &Task,
        graphs: &mut Graphs<W>,
        state_limit: usize,
        session: &Session<'_>,
    ) -> Result<Option<Answer>, Stop> {
        let target = self.target(task, session).map_err(Stop::Limit)?;
        let looks_at_limit = self.engine.looks_at_limit;
        let look = Look { engine: self.engine, task, target: &target, looks_at_limit };
        // Violations are usually near the initial states, and there may be very many of those: try a few first.
        if let Some(answer) = self.scout(look, graphs, state_limit, session)? {
            return Ok(Some(answer));
        }
        if let Some(answer) = self.dense(look, &graphs.successors, state_limit, session)? {
            return Ok(Some(answer));
        }
        let options = SpaceOptions {
            invariant: target.invariant(),
            shared_level: self.engine.shared_level,
            reduction: None,
            number_limit: self.engine.number_limit,
            wanders: false,
        };
        let successors = Arc::clone(&graphs.successors);
        let with_steps = options.invariant.is_none();
        let whole = graphs.whole.take();
        let explored = graphs.fitting(whole, with_steps);
        let mut space = Space::new(&successors, &options, explored);
        let found = self.whole(look, &mut space, &mut graphs.reached, state_limit, session);
        self.off_graph |= matches!(found, Ok(WholeResult::OffGraph(_)));
        if !self.off_graph {
            let transitions = count(&space, session);
            if matches!(found, Err(Stop::Limit(_)) | Ok(WholeResult::TooManyStates)) {
                session.count(WAITING, space.size().0.saturating_sub(space.expanded() as u64));
            }
            // The numbers must not include what only other tasks have explored.
            if with_steps && space.is_cut() && space.expanded() > 0 {
                self.degree = Some((transitions as usize).div_ceil(space.expanded()));
            }
        }
        let found = found?;
        if !space.is_partial() {
            graphs.whole = Some(space.into_explored());
        }
        Ok(match found {
            WholeResult::TooManyStates => None,
            WholeResult::InGraph(answer) | WholeResult::OffGraph(answer) => Some(answer),
        })
    }

    /// Searches from a few of the initial states, if there are many.
    fn scout(
        &mut self,
        look: Look<'_>,
        graphs: &mut Graphs<W>,
        state_limit: usize,
        session: &Session<'_>,
    ) -> Result<Option<Answer>, Stop> {
        let Explicit { first_look, shared_level, .. } = *self.engine;
        if state_limit <= self.searched.scouted || !graphs.has_more_initial_states(first_look, session) {
            return Ok(None);
        }
        let options = SpaceOptions {
            invariant: look.target.invariant(),
            shared_level,
            reduction: None,
            number_limit: self.engine.number_limit,
            wanders: false,
        };
        let successors = Arc::clone(&graphs.successors);
        let with_steps = options.invariant.is_none();
        let scouted = graphs.scouted.take();
        let explored = graphs.fitting(scouted, with_steps);
        let mut space = Space::new(&successors, &options, explored);
        let records = session.inner();
        space.start(first_look.min(SCOUTS), &records)?;
        // If there are not many more of them than are scouted, it is better to go on with all.
        let scouted = dense::initial_count(self.instance)
            .map_or(SCOUTED, |initial| SCOUTED.min((initial / 8) as usize).max(first_look.saturating_mul(8)));
        let found = look.search(&mut space, &mut self.searched.scouted, state_limit.min(scouted), &records);
        if !matches!(found, Ok(None)) {
            count(&space, &records);
            session.adopt(records);
        }
        let found = found?;
        graphs.scouted = Some(space.into_explored());
        Ok(found)
    }

    /// Looks at some states far from the initial ones. If the limit grows from turn to turn, that is done again when it has
    /// grown enough.
    fn probe(
        &mut self,
        look: Look<'_>,
        successors: &Successors<W>,
        state_limit: usize,
        session: &Session<'_>,
    ) -> Result<Option<Answer>, Stop> {
        let enough = state_limit.min(PROBED);
        if !self.engine.probes
            || enough < self.probed.saturating_mul(4).max(self.engine.first_look)
            || matches!(look.target, Target::Branching(_))
        {
            return Ok(None);
        }
        self.probed = enough;
        let engine = Explicit { first_look: FIRST_PROBED, ..self.engine.clone() };
        let invariant = look.target.invariant();
        let options = SpaceOptions {
            invariant,
            shared_level: usize::MAX,
            reduction: None,
            number_limit: engine.number_limit,
            wanders: true,
        };
        let mut space = Space::new(successors, &options, Explored::new(true, self.packing.words));
        let records = Session::new(session.stop, session.progress, session.memory, 1);
        space.start(SCOUTS, &records)?;
        let look = Look { engine: &engine, looks_at_limit: true, ..look };
        let found = look.search(&mut space, &mut 0, enough, &records);
        if !matches!(found, Ok(None)) {
            count(&space, &records);
            session.adopt(records);
        }
        found
    }

    /// Searches from all initial states: first a small part of the graph, then a reduced graph, then the whole graph.
    fn whole(
        &mut self,
        look: Look<'_>,
        space: &mut Space<'_, W>,
        reached: &mut Option<Reached<W>>,
        state_limit: usize,
        session: &Session<'_>,
    ) -> Result<WholeResult, Stop> {
        let Explicit { reductions, reduce_beyond, .. } = *self.engine;
        space.start(state_limit, session)?;
        if space.is_partial() || space.initial() as usize > state_limit {
            return Ok(WholeResult::TooManyStates);
        }
        // A graph with many steps is large from fewer states on.
        let beyond = self.degree.map_or(reduce_beyond, |degree| reduce_beyond * USUAL / degree.max(USUAL));
        let small = state_limit.min(beyond);
        let near = small.min(NEAR);
        let near_look = Look { looks_at_limit: look.looks_at_limit || near < state_limit, ..look };
        if let Some(answer) = near_look.search(space, &mut self.searched.whole, near, session)? {
            return Ok(WholeResult::InGraph(answer));
        }
        match self.probe(look, space.successors, state_limit, session) {
            Ok(None) => {}
            Ok(Some(answer)) => return Ok(WholeResult::OffGraph(answer)),
            Err(Stop::Found(counterexample)) => {
                return Ok(WholeResult::OffGraph(Answer::Fails(counterexample)));
            }
            Err(stop) => return Err(stop),
        }
        let small_look = Look { looks_at_limit: look.looks_at_limit || small == beyond, ..look };
        if let Some(answer) = small_look.search(space, &mut self.searched.whole, small, session)? {
            return Ok(WholeResult::InGraph(answer));
        }
        // If they find a violation, it is searched for here, so that the run does not depend on who has found it.
        if let Some(crew) = &self.engine.crew
            && state_limit == usize::MAX
            && let Some(answer) = elsewhere::answer(&**crew, look, self.instance, session)?
        {
            return Ok(WholeResult::OffGraph(answer));
        }
        let may_help = self.unreduced.as_ref().is_none_or(|reasons| reasons.contains(&Unreduced::TooLarge));
        if reductions && may_help && space.initial() <= INITIAL && state_limit > small {
            let allowance = self.allowance(look.target.invariant().is_none());
            match reduce::answer(look, space.successors, &mut self.reduced, allowance, session) {
                Ok(answer) => return Ok(WholeResult::OffGraph(answer)),
                Err(reasons) => self.unreduced = Some(reasons),
            }
        }
        // For an invariant steps need not be stored. For other properties that is faster, as long as there is room.
        let stores_steps = look.target.invariant().is_none() && self.engine.stores_steps;
        if !stores_steps
            && let Some(found) = self.unstored(look, space, reached, false, state_limit, session)?
        {
            return Ok(found);
        }
        let found = look.search(space, &mut self.searched.whole, state_limit, session);
        if let Err(Stop::Limit(StopReason::Memory)) = found
            && stores_steps
        {
            count(space, session);
            space.restart(session)?;
            if let Some(found) = self.unstored(look, space, reached, true, state_limit, session)? {
                return Ok(found);
            }
        }
        Ok(found?.map_or(WholeResult::TooManyStates, WholeResult::InGraph))
    }

    /// Decides a property of a large system on the set of its states ([`reach`], [`regenerated`]). `None` if the space must
    /// be searched: there are few states, or they are too large, or there is an exception. `many` if there are certainly too
    /// many to be listed.
    fn unstored(
        &mut self,
        look: Look<'_>,
        space: &mut Space<'_, W>,
        reached: &mut Option<Reached<W>>,
        many: bool,
        state_limit: usize,
        session: &Session<'_>,
    ) -> Result<Option<WholeResult>, Stop> {
        let few = self.few();
        let branches = matches!(look.target, Target::Branching(_));
        if branches || state_limit <= few || self.unstored_gave_none || space.ends_within(state_limit) {
            return Ok(None);
        }
        if !many && let Some(answer) = look.search(space, &mut self.searched.whole, few, session)? {
            return Ok(Some(WholeResult::InGraph(answer)));
        }
        let known =
            reached.take_if(|reached| reached.is_complete() && reached.size().0 <= state_limit as u64);
        let initial = (0..space.initial()).map(|number| space.words(number));
        let found = known.or_else(|| self.reached.take()).or_else(|| Reached::new(&self.packing, initial));
        let Some(mut found) = found else { return Ok(None) };
        let end = match look.target {
            Target::State(invariant) => {
                self.invariant_unstored(look, invariant, space, &mut found, state_limit, session)
            }
            Target::Run(violations) => {
                let searched = self.searched.whole.max(found.expanded());
                let shared_level = self.shared_level(state_limit);
                look.runs_unstored(
                    violations,
                    space,
                    &mut found,
                    searched,
                    (state_limit, shared_level),
                    session,
                )
            }
            Target::Branching(_) => Ok(Unstored::NotHere),
        };
        self.unstored_gave_none = matches!(end, Ok(Unstored::NotHere));
        if self.unstored_gave_none {
            return Ok(None);
        }
        self.by_chance = matches!(end, Ok(Unstored::Fails(_)));
        self.off_graph = !self.by_chance;
        let (states, transitions) = found.size();
        session.count("states", states);
        session.count("transitions", transitions);
        if matches!(end, Err(_) | Ok(Unstored::TooManyStates)) {
            session.count(WAITING, states.saturating_sub(found.expanded() as u64));
        }
        match end.map_err(Stop::Limit)? {
            Unstored::TooManyStates => {
                self.reached = Some(found);
                return Ok(Some(WholeResult::TooManyStates));
            }
            Unstored::Fails(lasso) => {
                let answer = Answer::Fails(Counterexample::Lasso(lasso));
                return Ok(Some(WholeResult::InGraph(answer)));
            }
            Unstored::Holds | Unstored::NotHere => {}
        }
        if self.engine.evidence > 0 {
            session.note(Note::Unchecked(Unchecked::Large));
        }
        *reached = Some(found);
        Ok(Some(WholeResult::OffGraph(Answer::Holds(Proof::Exhaustive))))
    }

    /// From how many states on a level of a set of states is shared among threads. If the set will not be complete, it
    /// should not depend on chance which part of it is expanded.
    fn shared_level(&self, state_limit: usize) -> usize {
        if state_limit == usize::MAX { self.engine.shared_level } else { usize::MAX }
    }

    /// Up to this many states are listed, because for so few there may be evidence.
    fn few(&self) -> usize {
        let few = self.engine.evidence as usize / self.instance.processes.len().max(1);
        few.max(self.engine.reduce_beyond)
    }

    /// Whether an invariant is true in all states, which are not stored.
    fn invariant_unstored(
        &self,
        look: Look<'_>,
        invariant: &Expr,
        space: &Space<'_, W>,
        found: &mut Reached<W>,
        state_limit: usize,
        session: &Session<'_>,
    ) -> Result<Unstored, StopReason> {
        let mut programs = Programs::new(self.instance, &self.packing);
        let predicate = programs.predicate(invariant);
        let invariant = reach::Invariant { programs: &programs, predicate };
        let end = if found.is_complete() {
            let (in_all, _) = found.test(&invariant);
            if in_all { Reach::All } else { Reach::Exception }
        } else {
            let shared_level = self.shared_level(state_limit);
            found.explore(space.successors, &invariant, state_limit, shared_level, session)?
        };
        // If there are fewer steps than expected, evidence can be given.
        let listable = end == Reach::All && found.size().1 <= self.engine.evidence;
        match end {
            Reach::Exception => return Ok(Unstored::NotHere),
            _ if listable => return Ok(Unstored::NotHere),
            Reach::Some => return Ok(Unstored::TooManyStates),
            Reach::All => {}
        }
        if self.engine.notes {
            let triggers = triggers(self.instance, &look.task.property.kind);
            let occurs = |number: usize| {
                let mut programs = Programs::new(self.instance, &self.packing);
                let predicate = programs.predicate(&triggers[number].predicate);
                found.test(&reach::Invariant { programs: &programs, predicate }).1
            };
            note_vacuity(&triggers, &occurs, session);
        }
        Ok(Unstored::Holds)
    }

    /// The violations of the task's property.
    fn target(&mut self, task: &Task, session: &Session<'_>) -> Result<Arc<Target>, StopReason> {
        if let Some(target) = &self.target {
            return Ok(Arc::clone(target));
        }
        let kind = ground::kind(self.instance, &task.property.kind);
        let target = Arc::new(Target::new(&kind, session)?);
        self.target = Some(Arc::clone(&target));
        Ok(target)
    }

    /// The graphs of the system from the cache, or new ones with only its compiled actions.
    fn graphs(&self, session: &Session<'_>) -> Result<Graphs<W>, StopReason> {
        if let Some(graphs) = self.engine.cache.take(&self.instance.system) {
            return Ok(graphs);
        }
        let limit = || (session.stop)().map_or(Ok(()), Err);
        let successors = Arc::new(Successors::new(self.instance, &self.packing, &limit)?);
        Ok(Graphs { successors, scouted: None, whole: None, reached: None })
    }

    /// Stores the graphs for other tasks.
    fn keep(&self, graphs: Graphs<W>, session: &Session<'_>) {
        self.engine.cache.put(&self.instance.system, graphs, session.memory / 4);
    }
}

/// The result of a search from all initial states.
enum WholeResult {
    /// There are more states than may be expanded.
    TooManyStates,
    InGraph(Answer),
    /// Found in a reduced graph, by the probe, by a crew, or on the set of all states.
    OffGraph(Answer),
}

/// Records the numbers of states and steps of a space, and returns the latter.
fn count<const W: usize>(space: &Space<'_, W>, session: &Session<'_>) -> u64 {
    let (states, transitions) = space.size();
    session.count("states", states);
    session.count("transitions", transitions);
    transitions
}

/// The reason that there are more states than may be listed.
fn too_many(state_limit: usize) -> Reason {
    Reason::Stopped { stop: StopReason::Work, done: Some((state_limit as u64, "states")) }
}
