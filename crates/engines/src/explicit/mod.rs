//! Enumerates the reachable states and decides invariants, LTL and automata on the finite graph they form.
//!
//! An invariant is checked state by state while the graph grows. For an LTL formula the graph is explored level
//! by level; whenever it has grown eightfold, its product with the automaton of the negated formula (or the
//! automaton that is the property, which accepts what must not happen) is searched for a cycle that the automaton
//! accepts and that meets the fairness. So a violation near the initial states is found without exploring the
//! rest, whatever the fairness, and the searches together cost at most a seventh
//! more than the last one. A fault met on the way makes any property fail.
//!
//! The pieces, in the order of use: [`packing`], [`specialise`], [`table`] and [`successors`] compile the
//! system, [`store`] and [`space`] hold the reachable states, [`graph_cache`] keeps them for the next task, [`letters`] and [`requirements`] are what
//! property and fairness see of a step, [`product`] joins them with the automaton, [`emptiness`] looks for the
//! run, [`notes`] says what a property that holds leaves unsaid, [`survey`] what is
//! true of all states together. For graphs that turn out to be large, [`reduce`]
//! tries the same search on a smaller one: [`footprint`], [`silence`] and [`stubborn`] leave out orders of
//! independent actions, [`scalarset`], [`permute`], [`symmetry`] and [`unfold`] names of interchangeable processes.
//!
//! With one thread everything is done in a fixed order. With several, what is found is found again with one, so
//! the same task gets the same answer and the same lasso. Time grows with the number of steps times the size
//! of the automaton, memory with the number of steps.

mod emptiness;
mod footprint;
mod graph_cache;
mod letters;
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

use automata::{Automaton, lift, trim};
use model::answer::{Counterexample, Site};
use model::property::Kind;
use model::system::{Initial, Scalar};
use model::{
    Answer, Declared, Expr, Fault, Formula, Inability, Instance, Note, Proof, Reason, Refusal, Session,
    StopReason, Task, VariableId, ground,
};

use self::emptiness::accepted_run;
pub use self::graph_cache::GraphCache;
use self::letters::{Letters, Predicates};
use self::notes::note_realisability;
use self::packing::Packing;
use self::requirements::Alternative;
use self::space::{ACTIONS, Aim, Explored, Space, Stop};
pub use self::survey::{Survey, Unsurveyed};
use crate::encoding::ranges::one_instance;
use crate::translation::translated;
use crate::triggers::{Trigger, note_vacuity, triggers};
use crate::{Answering, Engine, Prepared};

/// The greatest number of words of a packed state.
const WORDS: usize = 64;
/// With more initial states than this a reduction is not thought of: it would have to enumerate them again.
const INITIAL: u32 = 10_000;
/// How many states are expanded from some of the initial states before all of them are taken.
const SCOUTED: usize = 300_000;
/// From how many initial states: the fewer, the farther one gets.
const SCOUTS: usize = 16;

/// The explicit engine.
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
    /// The number of states up to which a reduction is not thought of.
    pub reduce_beyond: usize,
    /// The number of states up to which it searches before it gives up. If there is one, it works with one
    /// thread, so that it gives up on the same tasks every time.
    pub most: usize,
    /// What is explored of the system of the last task, for the next task about it.
    pub known: GraphCache,
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
            known: GraphCache::default(),
        }
    }
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let (instance, packing) = instance(task)?;
        Ok(Box::new(Answering(move |session: &Session<'_>| self.answer(task, instance, &packing, session))))
    }
}

impl Explicit {
    fn answer(&self, task: &Task, instance: &Instance, packing: &Packing, session: &Session<'_>) -> Answer {
        if session.is_budgeted() && self.most == usize::MAX {
            let most = states_within(session.budget, instance, packing);
            let within = Explicit { most, known: self.known.shared(), ..self.clone() };
            return within.answer(task, instance, packing, session);
        }
        let attempt = |threads: usize| {
            let attempt = Session::new(session.stop, session.progress, session.memory, threads);
            let answer = match packing.words {
                1 => self.decide::<1>(task, instance, packing, &attempt),
                2 => self.decide::<2>(task, instance, packing, &attempt),
                3 => self.decide::<3>(task, instance, packing, &attempt),
                4 => self.decide::<4>(task, instance, packing, &attempt),
                5..=8 => self.decide::<8>(task, instance, packing, &attempt),
                9..=16 => self.decide::<16>(task, instance, packing, &attempt),
                _ => self.decide::<WORDS>(task, instance, packing, &attempt),
            };
            (answer, attempt)
        };
        let threads = if self.most == usize::MAX { session.threads } else { 1 };
        let (mut answer, mut last) = attempt(threads);
        if threads > 1 && matches!(answer, Answer::Fails(_)) {
            // Which counterexample several threads find first is left to chance.
            (answer, last) = attempt(1);
        }
        session.adopt(last);
        if let Answer::Fails(Counterexample::Fault { fault: Fault::Overflow, .. }) = &answer
            && !instance.is_bounded()
        {
            // Integers without a range have no end; that ours have is no fault of the model.
            answer = Answer::Unknown(Reason::Overflow);
        }
        answer
    }

    fn decide<const W: usize>(
        &self,
        task: &Task,
        instance: &Instance,
        packing: &Packing,
        session: &Session<'_>,
    ) -> Answer {
        let kind = ground::kind(instance, &task.property.kind);
        let invariant = if let Kind::Invariant(invariant) = &kind { Some(invariant) } else { None };
        let aim = Aim { invariant, shared_level: self.shared_level, reduction: None };
        let explored = self.known.take(task.system(), invariant.is_none(), session.threads <= 1);
        let mut space = Space::<W>::new(instance, packing, &aim, explored);
        if space.expanded() > self.most {
            // Somebody with more time found that out.
            self.known.put(task.system(), space.into_explored(), session.memory / 4);
            return Answer::Unknown(self.too_many());
        }
        // Violations are usually near, and there may be very many initial states: some of them go first.
        let mut ended = space.start(self.first_look, session).err().map(Err);
        if space.is_partial() {
            space = Space::new(instance, packing, &aim, Explored::new(invariant.is_none()));
            ended = space.start(self.first_look.min(SCOUTS), session).err().map(Err);
        }
        if space.is_partial() && ended.is_none() {
            let scout = Session::new(session.stop, session.progress, session.memory, session.threads);
            let found = self.search(task, &kind, packing, &mut space, None, &scout);
            if let Err(Stop::ScoutsDone) = found {
                space = Space::new(instance, packing, &aim, Explored::new(invariant.is_none()));
                ended = space.start(self.most, session).err().map(Err);
                if space.is_partial() {
                    ended = ended.or(Some(Err(Stop::StateLimit)));
                }
            } else {
                session.adopt(scout);
                ended = Some(found);
            }
        }
        let mut unreduced = Vec::new();
        let mut otherwise = || {
            let answer = reduce::answer::<W>(self, task, &kind, instance, packing, session);
            answer.map_err(|reasons| unreduced = reasons).ok()
        };
        let otherwise: Option<Otherwise<'_>> = if self.reductions { Some(&mut otherwise) } else { None };
        let ended =
            ended.unwrap_or_else(|| self.search(task, &kind, packing, &mut space, otherwise, session));
        if let Err(Stop::ByReduction(answer)) = ended {
            self.known.put(task.system(), space.into_explored(), session.memory / 4);
            return answer;
        }
        session.count("states", space.states() as u64);
        session.count("transitions", space.transitions());
        match ended {
            Ok(answer) => {
                if !space.is_partial() {
                    self.known.put(task.system(), space.into_explored(), session.memory / 4);
                }
                answer
            }
            Err(Stop::Fault { path, site, fault }) => {
                Answer::Fails(Counterexample::Fault { path, site, fault })
            }
            Err(Stop::Violated(path)) => Answer::Fails(Counterexample::Path(path)),
            Err(Stop::Stopped(stop)) => {
                if !unreduced.is_empty() {
                    session.note(Note::NotReduced(unreduced.into_iter().map(str::to_owned).collect()));
                }
                Answer::Unknown(Reason::Stopped { stop, done: Some((space.states() as u64, "states")) })
            }
            Err(Stop::StateLimit) => {
                if !space.is_partial() {
                    self.known.put(task.system(), space.into_explored(), session.memory / 4);
                }
                Answer::Unknown(self.too_many())
            }
            Err(Stop::ByReduction(_) | Stop::ScoutsDone) => unreachable!("that was not the end"),
        }
    }

    /// That there are more states than were to be listed.
    fn too_many(&self) -> Reason {
        Reason::Stopped { stop: StopReason::Work, done: Some((self.most as u64, "states")) }
    }

    /// Decides a task, whose property in ground form is `kind`, on a space with initial states.
    fn search<const W: usize>(
        &self,
        task: &Task,
        kind: &Kind,
        packing: &Packing,
        space: &mut Space<'_, W>,
        otherwise: Option<Otherwise<'_>>,
        session: &Session<'_>,
    ) -> Result<Answer, Stop> {
        let violations = match kind {
            Kind::Invariant(_) => return self.invariant(task, space, otherwise, session),
            Kind::Ltl(formula) => violations(formula, session)?,
            Kind::Never(never) => {
                let automaton = trim(never.automaton.with_atoms(never.atoms.clone()));
                if self.notes && automaton.initial.is_empty() {
                    session.note(Note::EmptyAutomaton { file: never.file.clone() });
                }
                Violations { atoms: Vec::new(), lifted: Vec::new(), automaton }
            }
            Kind::Ctl(_) => unreachable!("CTL is refused"),
        };
        self.runs(task, &violations, packing, space, otherwise, session)
    }

    /// Whether a state predicate is true in every reachable state. Fairness has no part in it.
    fn invariant<const W: usize>(
        &self,
        task: &Task,
        space: &mut Space<'_, W>,
        otherwise: Option<Otherwise<'_>>,
        session: &Session<'_>,
    ) -> Result<Answer, Stop> {
        if space.is_partial() {
            space.explore(SCOUTED.min(self.most), session)?;
            return Err(Stop::ScoutsDone);
        }
        if let Some(otherwise) = otherwise
            && !space.explore(self.reduce_beyond, session)?
            && space.initial() <= INITIAL
            && let Some(answer) = otherwise()
        {
            return Err(Stop::ByReduction(answer));
        }
        if !space.explore(self.most, session)? {
            return Err(Stop::StateLimit);
        }
        if self.notes && space.states() == 0 {
            session.note(Note::NoInitialState);
        } else if self.notes {
            let triggers = triggers(space.instance, &task.property.kind);
            let occurs = |number: usize| space.is_somewhere(&triggers[number].predicate);
            note_vacuity(&triggers, &occurs, session);
        }
        Ok(Answer::Holds(Proof::Exhaustive))
    }

    /// Whether no fair run is a violation.
    fn runs<const W: usize>(
        &self,
        task: &Task,
        violations: &Violations,
        packing: &Packing,
        space: &mut Space<'_, W>,
        mut otherwise: Option<Otherwise<'_>>,
        session: &Session<'_>,
    ) -> Result<Answer, Stop> {
        let instance = space.instance;
        let Violations { atoms, lifted, automaton } = violations;
        session.count("automaton states", automaton.states.len() as u64);
        let mut predicates = Predicates::default();
        let letter: Vec<usize> =
            automaton.atoms.iter().map(|atom| predicates.number(atom, Site::Property)).collect();
        let lifted: Vec<(Option<usize>, usize)> = lifted
            .iter()
            .map(|(when, then)| {
                let when = (*when != Expr::Bool(true)).then(|| predicates.number(when, Site::Property));
                (when, predicates.number(then, Site::Property))
            })
            .collect();
        // What is lifted may join atoms, and a fault of each of them counts by itself.
        for atom in atoms {
            predicates.number(atom, Site::Property);
        }
        let triggers = triggers(instance, &task.property.kind);
        let trigger = |trigger: &Trigger| predicates.number(&trigger.predicate, Site::Property);
        let numbers: Vec<usize> = triggers.iter().map(trigger).collect();
        let alternatives: Vec<Alternative> = ground::fairness(instance, &task.fairness)
            .alternatives
            .iter()
            .map(|assumption| Alternative::new(instance, assumption, &mut predicates))
            .collect();
        let violating: Vec<Alternative> = alternatives.iter().map(|a| a.and(&lifted)).collect();
        let mut letters = Letters::new(instance, packing, &predicates);
        let mut enough = self.first_look;
        loop {
            if otherwise.is_some() {
                enough = enough.min(self.reduce_beyond);
            }
            let complete = space.explore(enough.min(self.most), session)?;
            letters.look_at(space).map_err(|(number, site, fault)| Stop::Fault {
                path: Some(space.path(number)),
                site,
                fault,
            })?;
            if !product::fits(space, automaton) || table(&letters, automaton) >= session.memory {
                return Err(Stop::Stopped(StopReason::Memory));
            }
            let found = accepted_run(space, &letters, automaton, &letter, &violating, session);
            if let Some(lasso) = found.map_err(Stop::Stopped)? {
                return Ok(Answer::Fails(Counterexample::Lasso(lasso)));
            }
            if space.is_partial() && (complete || space.expanded() >= SCOUTED) {
                return Err(Stop::ScoutsDone);
            }
            if complete {
                break;
            }
            if space.expanded() >= self.most {
                return Err(Stop::StateLimit);
            }
            if space.states() >= self.reduce_beyond
                && let Some(otherwise) = otherwise.take()
                && space.initial() <= INITIAL
                && let Some(answer) = otherwise()
            {
                return Err(Stop::ByReduction(answer));
            }
            enough = space.expanded().saturating_mul(8).max(self.first_look);
        }
        if self.notes && space.states() == 0 {
            session.note(Note::NoInitialState);
        } else if self.notes {
            note_vacuity(&triggers, &|trigger| letters.occurs(space, numbers[trigger]), session);
            if !task.fairness.is_none() {
                note_realisability(space, &letters, &alternatives, session);
            }
        }
        Ok(Answer::Holds(Proof::Exhaustive))
    }
}

/// Another way to the answer, for graphs that turn out to be large.
type Otherwise<'a> = &'a mut dyn FnMut() -> Option<Answer>;

/// The instance to search, or why the method does not apply.
fn instance(task: &Task) -> Result<(&Arc<Instance>, Packing), Refusal> {
    let instance = one_instance(task)?;
    if let Kind::Ctl(_) = task.property.kind {
        return Err(Refusal::about(Declared::Property(task.property.name.clone()), Inability::Ctl));
    }
    let system = task.system();
    for (id, variable) in (0..).map(VariableId).zip(&system.variables) {
        if variable.kind.scalar == Scalar::Int && variable.initial == Initial::Any {
            return Err(Refusal::about(Declared::Variable(id), Inability::AnyInteger));
        }
    }
    if let Some(chooser) = system.endless_choice() {
        let about = Declared::Action(chooser.family, chooser.label.clone());
        return Err(Refusal::about(about, Inability::EndlessChoice));
    }
    let packing = Packing::new(instance);
    if instance.actions.len() >= ACTIONS || packing.words > WORDS {
        return Err(Refusal::of(Inability::Size { actions: ACTIONS, bits: WORDS * 64 }));
    }
    Ok((instance, packing))
}

/// The number of states that can be listed within a budget: each has about as many steps as there are processes.
fn states_within(budget: u64, instance: &Instance, packing: &Packing) -> usize {
    let weight = instance.processes.len().max(1) * (STEP + packing.words);
    usize::try_from(budget / weight as u64).unwrap_or(usize::MAX - 1).max(FEW)
}

/// The units of work of a step, beside those for the words of its states.
const STEP: usize = 8;
/// So many states are always listed.
const FEW: usize = 500;

/// The runs that violate a property: those that meet what is lifted and that the automaton accepts.
struct Violations {
    /// The atoms of the property that the automaton may not know.
    atoms: Vec<Expr>,
    /// What is asked of the long run, for which no automaton is needed: requirements, as `(when, then)`.
    lifted: Vec<(Expr, Expr)>,
    /// It lists all its atoms, also those it does not need: their faults count.
    automaton: Automaton,
}

/// The violations of a ground formula.
fn violations(formula: &Formula, session: &Session<'_>) -> Result<Violations, Stop> {
    let (lifted, rest) = lift(&Formula::Not(Box::new(formula.clone())));
    let automaton = translated(&rest, session).map_err(Stop::Stopped)?;
    // An atom that is lifted as it stands, or negated, is looked at there.
    let lifted_alone = |atom: &Expr| {
        let negated = Expr::negated(atom.clone());
        lifted.iter().any(|(when, then)| [when, then].iter().any(|part| **part == *atom || **part == negated))
    };
    let known = |atom: &Expr| automaton.atoms.contains(atom) || lifted_alone(atom);
    let atoms = formula.atoms().into_iter().filter(|atom| !known(atom)).cloned().collect();
    Ok(Violations { atoms, lifted, automaton })
}

/// About how many bytes the table of what an automaton can do on each letter takes.
fn table(letters: &Letters<'_>, automaton: &Automaton) -> u64 {
    let edges: usize = automaton.states.iter().map(Vec::len).sum();
    let of_letter = edges * (64 + automaton.marks / 8) + automaton.states.len() * 8;
    // Its places are numbered with 32 bits.
    if letters.len() * edges > u32::MAX as usize { u64::MAX } else { (letters.len() * of_letter) as u64 }
}
