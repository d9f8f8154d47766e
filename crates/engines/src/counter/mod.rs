//! Decides properties of parameterised systems for every number of processes, by counting processes.
//!
//! Counter abstraction [PXZ02] keeps, for each local state of a process, whether no, one, or several processes are in
//! it. The result is a finite system whose runs include the image of every run of every instance. A property of all
//! its runs that meet suitable requirements holds for every number of processes.
//!
//! We differ from the paper in how the abstraction is computed. A step depends only on its *context*: the local
//! states of the processes that act, the numbers of the others, and which of certain sets of letters come before and
//! after. For each context we build a concrete state that has it, and take the step there, by the reference
//! semantics. So nothing is proved symbolically, no abstract guard is written by hand, and the abstraction is the
//! exact image. A process that the property names has letters of its own. Requirements are derived by a few rules,
//! each sound by an argument about finitely many processes ([`requirements`]).
//!
//! The modules in the order of use: [`class`], [`reading`], [`updates`] and [`fair`] recognise the task; [`letters`],
//! [`sides`], [`contexts`], [`world`] and [`sums`] are the abstraction; [`initial`] and [`explore`] build the abstract system
//! ([`space`]); [`justice`] and [`requirements`] derive requirements; [`cache`] keeps both for the next question;
//! [`emptiness`] searches for a cycle, [`evidence`] writes down why there is none, and [`small`] searches for a concrete counterexample; [`notes`] reports facts about a
//! property that holds, [`drawn`] and [`written`] give the abstract system to be drawn and written, and [`meter`] counts the work. Time and memory grow with the number of contexts of reachable
//! abstract states.

mod cache;
mod class;
mod combinations;
mod contexts;
mod drawn;
mod emptiness;
mod evidence;
mod explore;
mod fair;
mod initial;
mod justice;
mod letters;
mod meter;
mod notes;
mod reading;
mod requirements;
mod show;
mod sides;
mod small;
mod space;
mod sums;
#[cfg(test)]
mod tests;
mod updates;
mod vectors;
mod world;
mod written;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use automata::{Automaton, lift};
use model::counting::{Sum, Tally};
use model::property::Kind;
use model::{
    Answer, Counterexample, Expr, Formula, Index, Note, Proof, Reason, Refusal, Session, StopReason, Task,
};

use self::cache::Abstraction;
pub use self::cache::AbstractionCache;
use self::class::Class;
use self::contexts::Fold;
pub use self::drawn::{Drawn, NotDrawn};
use self::meter::Meter;
use self::requirements::{Derived, Says};
use self::small::Searched;
use self::space::{Predicate, Space, Stop};
pub use self::written::{Required, Written, WrittenStep};
use crate::translation::translated;
use crate::triggers::open_triggers;
use crate::{Engine, Prepared};

/// The most product edges of evidence, unless more are asked for. Each is a step of the reference semantics.
pub const EVIDENCE: u64 = 100_000;

/// How often the bounds of the counters are raised before giving up.
const RAISES: u8 = 1;

/// The counter engine.
pub struct Counter {
    /// The engine that searches small instances for counterexamples.
    pub small: Box<dyn Engine>,
    /// How many values of each parameter are tried in small instances.
    pub instance_count: i64,
    /// The number up to which processes in a local state are counted at least. If none is given, it is 1 at first and raised
    /// once where that does not decide.
    pub bound: Option<u8>,
    /// The greatest number of abstract steps to explore.
    pub step_limit: usize,
    /// The most product edges of evidence that a property holds; 0 if none is wanted.
    pub evidence: u64,
    /// The abstract systems of the last properties.
    pub cache: AbstractionCache,
}

impl Counter {
    /// A counter engine with this engine for small instances.
    pub fn new(small: Box<dyn Engine>) -> Counter {
        let (step_limit, evidence) = (usize::MAX, EVIDENCE);
        let (bound, cache) = (None, AbstractionCache::default());
        Counter { small, instance_count: 6, bound, step_limit, evidence, cache }
    }
}

impl Engine for Counter {
    fn name(&self) -> &'static str {
        "counter"
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let class = Arc::new(class::class(task)?);
        Ok(Box::new(Counting { engine: self, task, class, searched: Searched::default() }))
    }
}

/// A task whose processes can be counted.
struct Counting<'t> {
    engine: &'t Counter,
    task: &'t Task,
    class: Arc<Class>,
    /// The results of small instances.
    searched: Searched,
}

impl Prepared for Counting<'_> {
    fn answer(&mut self, session: &Session<'_>) -> Answer {
        self.decide(session).unwrap_or_else(|stop| Answer::Unknown(Reason::stopped(stop)))
    }
}

/// The verdict on the abstract system.
enum Verdict {
    /// There is none, by these sums and tallies.
    Holds(Vec<Sum>, Vec<Tally>),
    /// A violation, in words.
    Violated(String),
}

impl Counting<'_> {
    /// Checks the abstract system, then small instances, then the abstract system with raised bounds.
    fn decide(&mut self, session: &Session<'_>) -> Result<Answer, StopReason> {
        let mut cleared = 0;
        let (first, last) = match self.engine.bound {
            None => (0, RAISES),
            Some(bound) => (bound.max(1) - 1, bound.max(1) - 1),
        };
        for raise in first..=last {
            // Only the records of the last attempt are kept.
            let records = session.inner();
            let verdict = self.attempt(raise, &records);
            if raise == last || matches!(verdict, Ok(Verdict::Holds(..))) {
                session.adopt(records);
            } else {
                session.spend(records.spent.load(Ordering::Relaxed))?;
            }
            let trouble = match verdict {
                Ok(Verdict::Holds(sums, tallies)) => {
                    self.note_unused(session);
                    return Ok(Answer::Holds(self.proof(&sums, &tallies, session)));
                }
                Ok(Verdict::Violated(description)) => Ok(description),
                Err(Stop::Fault(fault)) => Ok(format!("a fault may be reachable: {fault}")),
                Err(Stop::Stopped(stop)) => return Err(stop),
                Err(stop) => Err(stop),
            };
            if raise == first {
                let Counter { small, instance_count, .. } = self.engine;
                // Where processes are counted further, more of them may be needed.
                let bounds = self.class.count_bounds.iter().map(|count| i64::from(count.bound));
                let instance_count = instance_count + (bounds.max().unwrap_or(1) - 1).min(*instance_count);
                let (found, holding) = small::search(
                    &**small,
                    instance_count,
                    self.task,
                    &self.class,
                    &mut self.searched,
                    session,
                )?;
                if let Some(counterexample) = found {
                    self.note_least(&counterexample, holding, session);
                    return Ok(Answer::Fails(counterexample));
                }
                cleared = holding;
            }
            if raise == last || trouble.is_err() {
                self.note_unused(session);
                return Ok(Answer::Unknown(self.reason(trouble, cleared)));
            }
            session.note(Note::BoundsRaised);
        }
        unreachable!("the last attempt is reported")
    }

    /// Why it is not known: a violation of the abstract system that no small instance has, or no abstract system. The
    /// property holds for the first `cleared` values of the parameters.
    fn reason(&self, trouble: Result<String, Stop>, cleared: i64) -> Reason {
        let parameter = self.task.system().parameters.first().filter(|_| cleared >= 1);
        let holds_for = parameter
            .map(|parameter| (parameter.name.clone(), parameter.least, parameter.least + cleared - 1));
        let holding = match &holds_for {
            Some((name, from, to)) => format!("; it holds for {name} = {from}..{to}"),
            None => String::new(),
        };
        match trouble {
            Ok(violation) => Reason::Spurious { violation, holds_for },
            Err(Stop::TooLarge(what)) => {
                Reason::TooLarge { what: format!("there are too many {what} to count{holding}") }
            }
            Err(Stop::TwoOrders) => Reason::TwoOrders,
            Err(Stop::NoCount(name)) => Reason::Other(format!(
                "`{name}` is not shown to be the number of processes in certain local states{holding}; give it a \
                 fixed range, or write `count(j in 1..N: …)` in its place"
            )),
            Err(Stop::Unbalanced) => Reason::Other(format!(
                "numbers of processes are compared with each other, and their difference has no bound{holding}; \
                 compare a count, or several added up, with a fixed number"
            )),
            Err(Stop::Fault(fault)) => Reason::Other(fault.to_string()),
            Err(Stop::Stopped(stop)) => Reason::stopped(stop),
        }
    }

    /// Evidence that the property holds, if the judge can count here.
    fn proof(&self, sums: &[Sum], tallies: &[Tally], session: &Session<'_>) -> Proof {
        if self.engine.evidence == 0 {
            return Proof::Exhaustive;
        }
        match evidence::counted(self.task, sums, tallies, self.engine.evidence, session) {
            Ok(counted) => Proof::Counted(Box::new(counted)),
            Err(why) => {
                session.note(Note::NotCounted { why });
                Proof::Exhaustive
            }
        }
    }

    /// Says that a property holds for all lesser values, if that was found out on the way.
    fn note_least(&self, found: &Counterexample, holding: i64, session: &Session<'_>) {
        let ([parameter], Counterexample::Instance { values, .. }) =
            (&self.task.system().parameters[..], found)
        else {
            return;
        };
        if holding >= 1 && values[..] == [parameter.least + holding] {
            let (from, to) = (parameter.least, parameter.least + holding - 1);
            session.note(Note::LeastFailing { parameter: parameter.name.clone(), from, to });
        }
    }

    /// Adds notes about requirements that are left out.
    fn note_unused(&self, session: &Session<'_>) {
        self.class.unused.iter().for_each(|note| session.note(note.clone()));
    }

    /// Checks the abstract system with bounds raised by this much.
    fn attempt(&self, raise: u8, session: &Session<'_>) -> Result<Verdict, Stop> {
        let cache = &self.engine.cache;
        let abstraction = cache.take(self.task.system(), &self.class, raise);
        let mut abstraction = abstraction.ok_or(Stop::TooLarge("processes"))?;
        let verdict = match &self.class.kind {
            Kind::Invariant(predicate) => self.invariant(&mut abstraction, predicate, session),
            Kind::Ltl(formula) => self.ltl(&mut abstraction, formula, session),
            Kind::Ctl(_) | Kind::Never(_) => unreachable!("they are refused"),
        };
        cache.put(abstraction, session.memory);
        verdict
    }

    fn invariant(
        &self,
        abstraction: &mut Abstraction,
        predicate: &Expr,
        session: &Session<'_>,
    ) -> Result<Verdict, Stop> {
        abstraction.explore(Some(predicate), self.engine.step_limit, session)?;
        let triggers = open_triggers(self.task.system(), &self.class.kind);
        let meter = Meter::new(session, "evaluating", "steps");
        let mut columns = Vec::new();
        for trigger in &triggers {
            columns.push(abstraction.column(Predicate::closed(&trigger.predicate), &meter)?);
        }
        let (fold, space) = abstraction.explored();
        report(space, session);
        if let Some(state) = space.violating {
            let shown = show::state(fold, &space.states[state as usize], &meter)?;
            return Ok(Verdict::Violated(format!("the invariant is false where [{shown}]")));
        }
        conclude(self.task, fold, space, session)?;
        notes::note_dead_triggers(space, &triggers, &columns, session);
        let tallies = fold.sums.tallies_for_the_judge();
        Ok(Verdict::Holds(fold.sums.for_the_judge(fold.class.counted.len()), tallies))
    }

    fn ltl(
        &self,
        abstraction: &mut Abstraction,
        formula: &Formula,
        session: &Session<'_>,
    ) -> Result<Verdict, Stop> {
        let question = self.pose(abstraction, formula, session)?;
        let triggers = open_triggers(self.task.system(), &self.class.kind);
        let meter = Meter::new(session, "evaluating", "steps");
        let mut occurring = Vec::new();
        for trigger in &triggers {
            occurring.push(abstraction.column(Predicate::closed(&trigger.predicate), &meter)?);
        }
        let alternatives = question.alternatives();
        let (fold, space) = abstraction.explored();
        report(space, session);
        for derived in &alternatives {
            let found = question.search(space, derived, session)?;
            if let Some(lasso) = found.lasso {
                return Ok(Verdict::Violated(described(fold, space, &lasso, session)?));
            }
            note_requirements(fold, derived, &found.sets, session);
        }
        conclude(self.task, fold, space, session)?;
        notes::note_dead_triggers(space, &triggers, &occurring, session);
        notes::note_unfairness(space, &self.task.fairness, &alternatives, session)?;
        let tallies = fold.sums.tallies_for_the_judge();
        Ok(Verdict::Holds(fold.sums.for_the_judge(fold.class.counted.len()), tallies))
    }

    /// Explores the abstract system, and evaluates there what a formula and the fairness speak of.
    fn pose(
        &self,
        abstraction: &mut Abstraction,
        formula: &Formula,
        session: &Session<'_>,
    ) -> Result<Question, Stop> {
        let (lifted, rest) = lift(&Formula::Not(Box::new(formula.clone())));
        let automaton = translated(&rest, session)?;
        let step_limit = self.engine.step_limit;
        abstraction.explore(None, step_limit, session)?;
        let meter = Meter::new(session, "evaluating", "steps");
        let mut column = |expr: &Expr, values: &[(Index, i64)]| {
            let predicate = Predicate { expr: expr.clone(), values: values.to_vec() };
            abstraction.column(predicate, &meter)
        };
        let mut atoms = Vec::new();
        for atom in &automaton.atoms {
            atoms.push(column(atom, &[])?);
        }
        let mut pairs = Vec::new();
        for (when, then) in &lifted {
            let when = if *when == Expr::Bool(true) { None } else { Some(column(when, &[])?) };
            pairs.push((when, column(then, &[])?));
        }
        // A lifted predicate may combine several atoms, but a fault in each of them counts.
        for atom in formula.atoms() {
            column(atom, &[])?;
        }
        let mut fairness = Vec::new();
        for alternative in &self.class.fairness {
            let mut requirements = Vec::new();
            for fair in alternative {
                let columns = match fair.own {
                    Some(_) => None,
                    None => Some((column(&fair.when, &fair.values)?, column(&fair.then, &fair.values)?)),
                };
                requirements.push((fair, columns));
            }
            fairness.push(requirements);
        }
        let mut derived = Vec::new();
        for requirements in &fairness {
            derived.push(abstraction.derive(requirements, step_limit, session)?);
        }
        Ok(Question { automaton, atoms, pairs, derived })
    }
}

/// What is asked of the abstract system: whether it has a run that the automaton accepts and that meets the requirements.
struct Question {
    /// Of the violations, without what is a requirement.
    automaton: Automaton,
    /// The columns of its atoms.
    atoms: Vec<usize>,
    /// The columns of `when` and `then` of requirements that the property makes.
    pairs: Vec<(Option<usize>, usize)>,
    /// Per alternative of the fairness, what is derived from each of its requirements.
    derived: Vec<Vec<Arc<Vec<Derived>>>>,
}

impl Question {
    /// Per alternative, its requirements.
    fn alternatives(&self) -> Vec<Vec<&Derived>> {
        self.derived.iter().map(|all| all.iter().flat_map(|one| one.iter()).collect()).collect()
    }

    /// Searches for a run that meets the requirements of an alternative.
    fn search(
        &self,
        space: &Space,
        derived: &[&Derived],
        session: &Session<'_>,
    ) -> Result<emptiness::SearchResult, Stop> {
        emptiness::search(space, &self.automaton, &self.atoms, &self.pairs, derived, session)
    }
}

/// Records the size of the abstract system.
fn report(space: &Space, session: &Session<'_>) {
    session.count("states", space.states.len() as u64);
    session.count("transitions", space.steps.len() as u64);
}

/// Adds notes that the answer covers all instances, and about the sums it relies on.
fn conclude(task: &Task, fold: &mut Fold, space: &Space, session: &Session<'_>) -> Result<(), Stop> {
    let parameters = task.system().parameters.iter().map(|open| (open.name.clone(), open.least)).collect();
    let bounds = (0..fold.letters.len() as u32).map(|letter| fold.letters.bound(letter));
    let counted_to = bounds.max().unwrap_or(1);
    session.note(Note::Covers { parameters, counted_to, states: space.states.len() });
    let least: Vec<i64> = task.system().parameters.iter().map(|parameter| parameter.least).collect();
    let world = fold.world(&least)?;
    let (sums, coordinates) = fold.sums.used();
    if !sums.is_empty() {
        let sums = sums.iter().map(|sum| show::sum(fold, sum, coordinates, &world));
        session.note(Note::ConstantSums(sums.collect()));
    }
    Ok(())
}

/// Adds notes about the derived requirements.
fn note_requirements(fold: &Fold, derived: &[&Derived], sets: &[BTreeSet<u32>], session: &Session<'_>) {
    for group in derived.chunk_by(|a, b| a.source == b.source) {
        let (mut debt, mut sets, mut formulas) = (String::new(), Vec::new(), Vec::new());
        for derived in group {
            match &derived.says {
                Says::TheSame => {}
                Says::Debts { owed, set } => {
                    debt.clone_from(owed);
                    sets.push(set.clone());
                }
                Says::Formula(formula) => formulas.push(formula.clone()),
            }
        }
        if !sets.is_empty() || !formulas.is_empty() {
            session.note(Note::Derived { source: group[0].source.clone(), debt, sets, formulas });
        }
    }
    if !sets.is_empty() {
        let sets: Vec<String> =
            sets.iter().map(|set| show::letters(fold, &set.iter().copied().collect::<Vec<_>>())).collect();
        session.note(Note::FinitelyMany(sets));
    }
}

/// The cycle of a violation, and the counters whose numbers it does not distinguish.
fn described(
    fold: &mut Fold,
    space: &Space,
    lasso: &emptiness::Lasso,
    session: &Session<'_>,
) -> Result<String, Stop> {
    let meter = Meter::new(session, "showing", "states");
    let mut text = Vec::new();
    let mut blurred = BTreeSet::new();
    for &number in &lasso.cycle {
        let step = &space.steps[number];
        text.push(show::step(fold, space, step, &meter)?);
        let state = &space.states[step.source as usize];
        blurred
            .extend(state.counts.iter().filter(|(l, c)| fold.letters.is_saturated(*l, *c)).map(|(l, _)| *l));
    }
    let blurred: Vec<u32> = blurred.into_iter().collect();
    let from = lasso.cycle.first().map_or(0, |number| space.steps[*number].source);
    let from = show::state(fold, &space.states[from as usize], &meter)?;
    let run = format!("after {} steps, from [{from}] for ever {}", lasso.stem.len(), text.join(", "));
    if blurred.is_empty() {
        return Ok(run);
    }
    Ok(format!("{run}; not distinguished are numbers of {}", show::letters(fold, &blurred)))
}
