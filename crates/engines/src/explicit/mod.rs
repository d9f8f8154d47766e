//! Enumerates the reachable states and decides invariants and LTL on the finite graph they form.
//!
//! An invariant is checked state by state while the graph grows. For an LTL formula the graph is explored level
//! by level; whenever it has grown fourfold, its product with the automaton of the negated formula is searched
//! for a cycle that the automaton accepts and that meets the fairness. So a violation near the initial states
//! is found without exploring the rest, whatever the fairness, and the searches together cost at most a third
//! more than the last one. A fault met on the way makes any property fail.
//!
//! The pieces, in the order of use: [`packing`], [`specialise`], [`table`] and [`successors`] compile the
//! system, [`store`] and [`space`] hold the reachable states, [`letters`] and [`requirements`] are what
//! property and fairness see of a step, [`product`] joins them with the automaton, [`emptiness`] looks for the
//! run, [`notes`] says what a property that holds leaves unsaid. For graphs that turn out to be large, [`reduce`]
//! tries the same search on a smaller one: [`footprint`], [`silence`] and [`stubborn`] leave out orders of
//! independent actions, [`scalarset`], [`permute`], [`symmetry`] and [`unfold`] names of interchangeable processes.
//!
//! With one thread everything is done in a fixed order. With several, what is found is found again with one, so
//! the same task gets the same answer and the same lasso. Time grows with the number of steps times the size
//! of the automaton, memory with the number of steps.

mod emptiness;
mod footprint;
mod letters;
mod notes;
mod packing;
mod permute;
mod product;
#[cfg(test)]
mod random;
mod reduce;
mod requirements;
mod scalarset;
mod silence;
mod space;
mod specialise;
mod store;
mod stubborn;
mod successors;
mod symmetry;
mod table;
#[cfg(test)]
mod tests;
mod unfold;

use std::cell::Cell;
use std::sync::Arc;

use automata::{Automaton, lift, translate};
use model::answer::{Counterexample, Site};
use model::property::Kind;
use model::system::{Initial, Scalar};
use model::{Answer, Expr, Formula, Instance, Proof, Reason, Refusal, Run, StopReason, Task, ground};

use self::emptiness::accepted_run;
use self::letters::{Letters, Predicates};
use self::notes::{note_realisability, note_vacuity, triggers};
use self::packing::Packing;
use self::requirements::Alternative;
use self::space::{ACTIONS, Aim, Ended, Space};
use crate::Engine;

/// The greatest number of words of a packed state.
const WORDS: usize = 64;
/// With more initial states than this a reduction is not thought of: it would have to enumerate them again.
const INITIAL: u32 = 10_000;

/// The explicit engine.
#[derive(Clone, Debug)]
pub struct Explicit {
    /// Whether to look, once a property holds, for triggers that never occur and for reachable states without
    /// a fair run. The second takes another pass over the graph.
    pub notes: bool,
    /// The number of states at which the first search for a violation takes place; `usize::MAX` to wait until
    /// all states are known.
    pub first_look: usize,
    /// A level of the search with fewer states than this is not shared among threads.
    pub shared_level: usize,
    /// Whether to search a reduced graph instead, where that is sound.
    pub reductions: bool,
    /// The number of states up to which a reduction is not thought of.
    pub reduce_beyond: usize,
}

impl Default for Explicit {
    fn default() -> Explicit {
        Explicit {
            notes: true,
            first_look: 4_000,
            shared_level: 4_096,
            reductions: true,
            reduce_beyond: 20_000,
        }
    }
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn accepts(&self, task: &Task) -> Result<(), Refusal> {
        instance(task).map(|_| ())
    }

    fn check(&self, task: &Task, run: &Run<'_>) -> Answer {
        let (instance, packing) = match instance(task) {
            Ok(accepted) => accepted,
            Err(Refusal { reason, instead }) => {
                return Answer::Unknown(Reason { stop: None, message: reason, hint: instead });
            }
        };
        let attempt = |threads: usize| {
            let attempt = Run::new(run.stop, run.progress, run.memory, threads);
            let answer = match packing.words {
                1 => self.decide::<1>(task, &instance, &packing, &attempt),
                2 => self.decide::<2>(task, &instance, &packing, &attempt),
                3 => self.decide::<3>(task, &instance, &packing, &attempt),
                4 => self.decide::<4>(task, &instance, &packing, &attempt),
                5..=8 => self.decide::<8>(task, &instance, &packing, &attempt),
                9..=16 => self.decide::<16>(task, &instance, &packing, &attempt),
                _ => self.decide::<WORDS>(task, &instance, &packing, &attempt),
            };
            (answer, attempt)
        };
        let (mut answer, mut last) = attempt(run.threads);
        if run.threads > 1 && matches!(answer, Answer::Fails(_)) {
            // Which counterexample several threads find first is left to chance.
            (answer, last) = attempt(1);
        }
        run.adopt(last);
        answer
    }
}

impl Explicit {
    fn decide<const W: usize>(
        &self,
        task: &Task,
        instance: &Instance,
        packing: &Packing,
        run: &Run<'_>,
    ) -> Answer {
        let kind = ground::kind(instance, &task.property.kind);
        let (invariant, formula) = match &kind {
            Kind::Invariant(invariant) => (Some(invariant), None),
            Kind::Ltl(formula) => (None, Some(formula)),
            Kind::Ctl(_) => unreachable!("CTL is refused"),
        };
        let keep_steps = formula.is_some();
        let aim = Aim { invariant, keep_steps, shared_level: self.shared_level, reduction: None };
        let mut space = Space::<W>::new(instance, packing, &aim);
        let mut unreduced = Vec::new();
        let mut otherwise = || {
            let answer = reduce::answer::<W>(self, task, &kind, instance, packing, run);
            answer.map_err(|reasons| unreduced = reasons).ok()
        };
        let otherwise: Option<Otherwise<'_>> = if self.reductions { Some(&mut otherwise) } else { None };
        let ended = match formula {
            None => self.invariant(task, &mut space, otherwise, run),
            Some(formula) => self.ltl(task, formula, packing, &mut space, otherwise, run),
        };
        if let Err(Ended::Otherwise(answer)) = ended {
            return answer;
        }
        run.count("states", space.states as u64);
        run.count("transitions", space.transitions);
        match ended {
            Ok(answer) => answer,
            Err(Ended::Fault { path, site, fault }) => {
                Answer::Fails(Counterexample::Fault { path, site, fault })
            }
            Err(Ended::Violated(path)) => Answer::Fails(Counterexample::Path(path)),
            Err(Ended::Stopped(stop)) => {
                if !unreduced.is_empty() {
                    run.note(format!("not reduced: {}", unreduced.join("; ")));
                }
                Answer::Unknown(stopped(&space, stop))
            }
            Err(Ended::Otherwise(_)) => unreachable!("that was the answer"),
        }
    }

    /// Whether a state predicate is true in every reachable state. Fairness has no part in it.
    fn invariant<const W: usize>(
        &self,
        task: &Task,
        space: &mut Space<'_, W>,
        otherwise: Option<Otherwise<'_>>,
        run: &Run<'_>,
    ) -> Result<Answer, Ended> {
        space.start(run)?;
        if let Some(otherwise) = otherwise
            && !space.explore(self.reduce_beyond, run)?
            && space.initial <= INITIAL
            && let Some(answer) = otherwise()
        {
            return Err(Ended::Otherwise(answer));
        }
        space.explore(usize::MAX, run)?;
        if self.notes && space.states == 0 {
            run.note(NO_INITIAL_STATE);
        } else if self.notes {
            let mut predicates = Predicates::default();
            let triggers = triggers(space.instance, &task.property.kind, &mut predicates);
            let occurs = |number: usize| space.is_somewhere(predicates.expr(number));
            note_vacuity(&triggers, &occurs, run);
        }
        Ok(Answer::Holds(Proof::Exhaustive))
    }

    /// Whether every fair run satisfies a ground formula.
    fn ltl<const W: usize>(
        &self,
        task: &Task,
        formula: &Formula,
        packing: &Packing,
        space: &mut Space<'_, W>,
        mut otherwise: Option<Otherwise<'_>>,
        run: &Run<'_>,
    ) -> Result<Answer, Ended> {
        let instance = space.instance;
        // What the negated formula asks only of the long run needs no automaton.
        let (lifted, rest) = lift(&Formula::Not(Box::new(formula.clone())));
        let automaton = translated(&rest, run).map_err(Ended::Stopped)?;
        run.count("automaton states", automaton.states.len() as u64);
        let mut predicates = Predicates::default();
        // The automaton knows all atoms of the formula, also those it does not need: their faults count.
        let atoms: Vec<usize> =
            automaton.atoms.iter().map(|atom| predicates.number(atom, Site::Property)).collect();
        let lifted: Vec<(Option<usize>, usize)> = lifted
            .iter()
            .map(|(when, then)| {
                let when = (*when != Expr::Bool(true)).then(|| predicates.number(when, Site::Property));
                (when, predicates.number(then, Site::Property))
            })
            .collect();
        let triggers = triggers(instance, &task.property.kind, &mut predicates);
        let alternatives: Vec<Alternative> = ground::fairness(instance, &task.fairness)
            .alternatives
            .iter()
            .map(|assumption| Alternative::new(instance, assumption, &mut predicates))
            .collect();
        let violating: Vec<Alternative> = alternatives.iter().map(|a| a.and(&lifted)).collect();
        let mut letters = Letters::new(instance, packing, &predicates);
        space.start(run)?;
        let mut enough = self.first_look;
        loop {
            if otherwise.is_some() {
                enough = enough.min(self.reduce_beyond);
            }
            let complete = space.explore(enough, run)?;
            letters.look_at(space).map_err(|(number, site, fault)| Ended::Fault {
                path: Some(space.path(number)),
                site,
                fault,
            })?;
            if !product::fits(space, &automaton) {
                return Err(Ended::Stopped(StopReason::Memory));
            }
            let found = accepted_run(space, &letters, &automaton, &atoms, &violating, run);
            if let Some(lasso) = found.map_err(Ended::Stopped)? {
                return Ok(Answer::Fails(Counterexample::Lasso(lasso)));
            }
            if complete {
                break;
            }
            if space.states >= self.reduce_beyond
                && let Some(otherwise) = otherwise.take()
                && space.initial <= INITIAL
                && let Some(answer) = otherwise()
            {
                return Err(Ended::Otherwise(answer));
            }
            enough = space.states.saturating_mul(4);
        }
        if self.notes && space.states == 0 {
            run.note(NO_INITIAL_STATE);
        } else if self.notes {
            note_vacuity(&triggers, &|number| letters.occurs(space, number), run);
            if !task.fairness.is_none() {
                note_realisability(space, &letters, &alternatives, run);
            }
        }
        Ok(Answer::Holds(Proof::Exhaustive))
    }
}

/// Another way to the answer, for graphs that turn out to be large.
type Otherwise<'a> = &'a mut dyn FnMut() -> Option<Answer>;

const NO_INITIAL_STATE: &str = "there is no initial state: the `init` predicates exclude all of them";

/// The instance to search, or why the method does not apply.
fn instance(task: &Task) -> Result<(Instance, Packing), Refusal> {
    let system = &task.system;
    let refusal = |reason: String, instead: String| Err(Refusal { reason, instead });
    if let Some(parameter) = system.parameters.first() {
        let name = &parameter.name;
        let all: Vec<String> = system.parameters.iter().map(|p| format!("--set {}=…", p.name)).collect();
        return refusal(
            format!("{name} is a parameter, and the explicit engine checks one instance at a time"),
            format!("choose a value with {}", all.join(" ")),
        );
    }
    if !task.property.binders.is_empty() {
        return refusal(
            format!("`{}` stands for a family of properties", task.property.name),
            "choose values for the parameters it depends on".to_owned(),
        );
    }
    if let Kind::Ctl(_) = task.property.kind {
        return refusal(
            format!(
                "`{}` is a CTL property, and the explicit engine checks invariants and LTL",
                task.property.name
            ),
            "if it begins with A and has an LTL form, write it in LTL".to_owned(),
        );
    }
    for variable in &system.variables {
        if variable.kind.scalar == Scalar::Int && variable.initial == Initial::Any {
            return refusal(
                format!(
                    "`{}` may be any integer at first, so there are infinitely many initial states",
                    variable.name
                ),
                "give it an initial value, or a range for its type".to_owned(),
            );
        }
    }
    let instance = Instance::new(Arc::clone(system))
        .map_err(|obstacle| Refusal { reason: obstacle.to_string(), instead: String::new() })?;
    let packing = Packing::new(&instance);
    if instance.actions.len() >= ACTIONS || packing.words > WORDS {
        let reason =
            format!("the explicit engine takes up to {ACTIONS} actions and states of {} bits", WORDS * 64);
        return refusal(reason, "make the instance smaller".to_owned());
    }
    Ok((instance, packing))
}

/// The automaton of a formula.
fn translated(formula: &Formula, run: &Run<'_>) -> Result<Automaton, StopReason> {
    /// A generous guess at the memory behind one term of the translation.
    const BYTES_PER_TERM: u64 = 256;
    let stop = Cell::new(StopReason::Memory);
    let give_up = |made: usize| {
        if let Some(reason) = (run.stop)() {
            stop.set(reason);
            return true;
        }
        made as u64 * BYTES_PER_TERM > run.memory
    };
    translate(formula, &give_up).ok_or_else(|| stop.get())
}

/// What to say when a limit ended the search.
fn stopped<const W: usize>(space: &Space<'_, W>, stop: StopReason) -> Reason {
    let seen = space.states;
    let (what, mut hint) = match stop {
        StopReason::Cancelled => ("the search was interrupted", String::new()),
        StopReason::Time => {
            ("the time limit was reached", "raise `--time-limit`, or make the instance smaller".to_owned())
        }
        StopReason::Memory => (
            "the memory limit was reached",
            "raise `--memory-limit`, or make the instance smaller".to_owned(),
        ),
    };
    let unbounded = space.instance.cells.iter().find(|cell| cell.domain.is_unbounded());
    if let (Some(cell), false) = (unbounded, hint.is_empty()) {
        hint = format!("{hint}; `{}` is unbounded, so there may be infinitely many states", cell.name);
    }
    Reason { stop: Some(stop), message: format!("{what} after {seen} states"), hint }
}
