//! Decides properties of parameterised systems for every number of processes, by counting processes.
//!
//! Counter abstraction [PXZ02] keeps, for each local state of a process, whether no, one, or several processes are
//! in it. A finite system results whose runs include the image of every run of every instance; what holds of all its
//! runs that meet suitable requirements holds for every number of processes.
//!
//! We differ from the paper in how the abstraction is found. A step depends on little: who acts, the numbers of the
//! others, and what stands before and behind the acting process in a few sets that guards ask for. For each such
//! *context* there is a concrete state that has it, and the step is taken there, by the reference semantics. So
//! nothing is proved symbolically and no abstract guard is written by hand; the abstraction is the exact image. An
//! individual process is kept apart by giving it letters of its own. Requirements are derived by a few rules, each
//! sound by an argument about finitely many processes ([`requirements`]).
//!
//! The pieces in the order of use: [`class`], [`reading`], [`updates`] and [`fair`] recognise the task; [`letters`],
//! [`sides`], [`contexts`] and [`world`] are the abstraction; [`beginnings`] and [`space`] explore it; [`justice`] and
//! [`requirements`] derive requirements, [`cache`] keeps both for the next fairness; [`emptiness`] looks for a cycle, and [`small`] for a concrete counterexample;
//! [`notes`] says what is odd about a property that holds. Time and memory grow with the number of contexts of
//! reachable abstract states.

mod beginnings;
mod cache;
mod class;
mod combinations;
mod contexts;
mod emptiness;
mod fair;
mod justice;
mod letters;
mod notes;
mod reading;
mod requirements;
mod show;
mod sides;
mod small;
mod space;
#[cfg(test)]
mod tests;
mod updates;
mod world;

use std::cell::Cell;
use std::sync::Arc;

use automata::{lift, translate};
use model::property::Kind;
use model::{Answer, Expr, Formula, Note, Proof, Reason, Refusal, Session, StopReason, Task};

pub use self::cache::AbstractionCache;
use self::cache::Kept;
use self::class::Class;
use self::contexts::Fold;
use self::justice::Justice;
use self::requirements::Derived;
use self::space::{Predicate, Space, Stop};
use crate::triggers::open_triggers;
use crate::{Answering, Engine, Prepared};

/// How often the bounds of the counters are raised before giving up.
const RAISES: u8 = 1;

/// The units of work that exploring an abstract step counts as.
const STEP: u64 = 500;

/// The counter engine.
pub struct Counter {
    /// The engine that looks for counterexamples in small instances.
    pub small: Box<dyn Engine>,
    /// How many values of the parameters are tried in small instances.
    pub sizes: i64,
    /// How many abstract steps are explored before it gives up.
    pub most: usize,
    /// The abstract system of the last property, for the next fairness.
    pub known: AbstractionCache,
}

impl Counter {
    /// Without limits of its own, and with this engine for small instances.
    pub fn new(small: Box<dyn Engine>) -> Counter {
        Counter { small, sizes: 6, most: usize::MAX, known: AbstractionCache::default() }
    }
}

impl Engine for Counter {
    fn name(&self) -> &'static str {
        "counter"
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let class = Arc::new(class::class(task)?);
        Ok(Box::new(Answering(move |session: &Session<'_>| self.answer(task, &class, session))))
    }
}

impl Counter {
    fn answer(&self, task: &Task, class: &Arc<Class>, session: &Session<'_>) -> Answer {
        let within = usize::try_from(session.budget / STEP).unwrap_or(usize::MAX);
        let most = if session.is_budgeted() { self.most.min(within) } else { self.most };
        let mut looked: Option<i64> = None;
        for raise in 0..=RAISES {
            // Of several attempts the last is reported.
            let records = session.inner();
            let verdict = self.attempt(task, class, raise, most, &records);
            if raise == RAISES || matches!(verdict, Ok(Verdict::Holds)) {
                session.adopt(records);
            }
            let spurious = match verdict {
                Ok(Verdict::Holds) => {
                    class.unused.iter().for_each(|note| session.note(note.clone()));
                    return Answer::Holds(Proof::Exhaustive);
                }
                Ok(Verdict::Violated(description)) => description,
                Err(Stop::Stopped(stop)) => return Answer::Unknown(Reason::stopped(stop)),
                Err(Stop::Fault(fault)) => format!("a fault may be reachable: {fault}"),
                Err(Stop::TooLarge(_)) if most < self.most => {
                    let done = Some((most as u64, "abstract steps"));
                    return Answer::Unknown(Reason::Stopped { stop: StopReason::Work, done });
                }
                Err(Stop::TooLarge(what)) => {
                    return Answer::Unknown(Reason::TooLarge {
                        what: format!("there are too many {what} to count"),
                    });
                }
                Err(Stop::TwoOrders) => return Answer::Unknown(Reason::TwoOrders),
            };
            if looked.is_none() {
                let (found, cleared) = small::search(&*self.small, self.sizes, task, class, session);
                if let Some(counterexample) = found {
                    return Answer::Fails(counterexample);
                }
                looked = Some(cleared);
            }
            if raise == RAISES {
                class.unused.iter().for_each(|note| session.note(note.clone()));
                let holds_for = task.system().parameters.first().and_then(|parameter| {
                    let cleared = looked.filter(|cleared| *cleared >= 1)?;
                    Some((parameter.name.clone(), parameter.least, parameter.least + cleared - 1))
                });
                return Answer::Unknown(Reason::Spurious { violation: spurious, holds_for });
            }
            session.note(Note::BoundsRaised);
        }
        unreachable!("the last attempt is reported")
    }
}

/// What the abstract system says.
enum Verdict {
    Holds,
    /// A violation, in words.
    Violated(String),
}

impl Counter {
    /// Checks the abstract system with bounds raised by this much.
    fn attempt(
        &self,
        task: &Task,
        class: &Arc<Class>,
        raise: u8,
        most: usize,
        session: &Session<'_>,
    ) -> Result<Verdict, Stop> {
        match &class.kind {
            Kind::Invariant(invariant) => {
                let mut fold = Fold::new(task.system(), class, raise).ok_or(Stop::TooLarge("processes"))?;
                let triggers = open_triggers(task.system(), &class.kind);
                let predicates: Vec<Predicate> =
                    triggers.iter().map(|trigger| Predicate::closed(&trigger.predicate)).collect();
                let mut justice = Justice::new(Vec::new());
                let space =
                    space::explore(&mut fold, &mut justice, &predicates, Some(invariant), most, session)?;
                report(&space, session);
                if let Some(state) = space.violating {
                    let shown = show::state(&mut fold, &space.states[state as usize]);
                    return Ok(Verdict::Violated(format!("the invariant is false where [{shown}]")));
                }
                conclude(task, &fold, &space, session);
                let columns: Vec<usize> = (0..triggers.len()).collect();
                notes::note_dead_triggers(&space, &triggers, &columns, session);
                Ok(Verdict::Holds)
            }
            Kind::Ltl(formula) => {
                let kept = self.known.take(task.system(), class, raise);
                let mut kept = kept.ok_or(Stop::TooLarge("processes"))?;
                let verdict = ltl(task, &mut kept, formula, most, session);
                // What a limit or a fault leaves behind is not complete.
                if !matches!(verdict, Err(Stop::Stopped(_) | Stop::Fault(_) | Stop::TooLarge(_))) {
                    self.known.put(kept);
                }
                verdict
            }
            Kind::Ctl(_) | Kind::Never(_) => unreachable!("they are refused"),
        }
    }
}

fn ltl(
    task: &Task,
    kept: &mut Kept,
    formula: &Formula,
    most: usize,
    session: &Session<'_>,
) -> Result<Verdict, Stop> {
    let (lifted, rest) = lift(&Formula::Not(Box::new(formula.clone())));
    let stop = Cell::new(StopReason::Memory);
    let give_up = |made: usize| {
        (session.stop)().inspect(|reason| stop.set(*reason)).is_some() || made as u64 * 256 > session.memory
    };
    let automaton = translate(&rest, &give_up).ok_or_else(|| Stop::Stopped(stop.get()))?;
    let class = Arc::clone(&kept.fold.class);
    let mut column = |expr: &Expr, values: &[(model::Index, i64)]| {
        kept.column(Predicate { expr: expr.clone(), values: values.to_vec() })
    };
    let atoms: Vec<usize> = automaton.atoms.iter().map(|atom| column(atom, &[])).collect();
    let lifted: Vec<(Option<usize>, usize)> = lifted
        .iter()
        .map(|(when, then)| ((*when != Expr::Bool(true)).then(|| column(when, &[])), column(then, &[])))
        .collect();
    // What is lifted may join atoms, and a fault of each of them counts by itself.
    for atom in formula.atoms() {
        column(atom, &[]);
    }
    let triggers = open_triggers(task.system(), &class.kind);
    let occurring: Vec<usize> = triggers.iter().map(|trigger| column(&trigger.predicate, &[])).collect();
    let mut numbered = Vec::new();
    for alternative in &class.fairness {
        let mut numbers = Vec::new();
        for fair in alternative {
            let mut column =
                |expr: &Expr| kept.column(Predicate { expr: expr.clone(), values: fair.values.clone() });
            let columns = fair.own.is_none().then(|| (column(&fair.when), column(&fair.then)));
            numbers.push((kept.justice.number(fair), columns));
        }
        numbered.push(numbers);
    }
    kept.explore(most, session)?;
    let mut derived = Vec::new();
    for numbers in &numbered {
        derived.push(kept.derive(numbers, most, session)?);
    }
    let alternatives: Vec<Vec<&Derived>> =
        derived.iter().map(|derived| derived.iter().flat_map(|one| one.iter()).collect()).collect();
    let Some((fold, space)) = kept.explored() else { return Err(Stop::TooLarge("abstract steps")) };
    report(space, session);
    for derived in &alternatives {
        let found = emptiness::search(space, &automaton, &atoms, &lifted, derived, session)?;
        if let Some(lasso) = found.lasso {
            return Ok(Verdict::Violated(described(fold, space, &lasso)));
        }
        note_requirements(fold, derived, &found.sets, session);
    }
    conclude(task, fold, space, session);
    notes::note_dead_triggers(space, &triggers, &occurring, session);
    notes::note_unfairness(space, &task.fairness, &alternatives, session)?;
    Ok(Verdict::Holds)
}

/// Records how large the abstract system is.
fn report(space: &Space, session: &Session<'_>) {
    session.count("states", space.states.len() as u64);
    session.count("transitions", space.steps.len() as u64);
}

/// Says why the answer covers all instances.
fn conclude(task: &Task, fold: &Fold, space: &Space, session: &Session<'_>) {
    let parameters = task.system().parameters.iter().map(|open| (open.name.clone(), open.least)).collect();
    let bounds = (0..fold.letters.len() as u32).map(|letter| fold.letters.bound(letter));
    let counted_to = bounds.max().unwrap_or(1);
    session.note(Note::Covers { parameters, counted_to, states: space.states.len() });
}

/// Lists the requirements that were derived.
fn note_requirements(
    fold: &Fold,
    derived: &[&Derived],
    sets: &[std::collections::BTreeSet<u32>],
    session: &Session<'_>,
) {
    let mut sources: Vec<&str> = derived.iter().map(|derived| derived.text.0.as_str()).collect();
    sources.dedup();
    for source in sources {
        let about: Vec<String> = derived
            .iter()
            .filter(|derived| derived.text.0 == source && !derived.text.1.is_empty())
            .map(|derived| derived.text.1.clone())
            .collect();
        if !about.is_empty() {
            session.note(Note::Derived { source: source.to_owned(), about });
        }
    }
    if !sets.is_empty() {
        let sets: Vec<String> =
            sets.iter().map(|set| show::letters(fold, &set.iter().copied().collect::<Vec<_>>())).collect();
        session.note(Note::FinitelyMany(sets));
    }
}

/// The cycle of a violation, and which counters it blurs.
fn described(fold: &mut Fold, space: &Space, lasso: &emptiness::Lasso) -> String {
    let mut text = Vec::new();
    let mut blurred = std::collections::BTreeSet::new();
    for &number in &lasso.cycle {
        let step = &space.steps[number];
        text.push(show::step(fold, space, step));
        let state = &space.states[step.source as usize];
        blurred
            .extend(state.counts.iter().filter(|(l, c)| fold.letters.is_saturated(*l, *c)).map(|(l, _)| *l));
    }
    let blurred: Vec<u32> = blurred.into_iter().collect();
    let from = lasso.cycle.first().map_or(0, |number| space.steps[*number].source);
    let from = show::state(fold, &space.states[from as usize]);
    let run = format!("after {} steps, from [{from}] for ever {}", lasso.stem.len(), text.join(", "));
    if blurred.is_empty() {
        return run;
    }
    format!("{run}; not told apart are numbers of {}", show::letters(fold, &blurred))
}
