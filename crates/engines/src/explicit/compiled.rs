//! A task in terms of packed states alone: what a search needs that has no [`Space`](super::space::Space).
//!
//! States may lie in files or on other machines. Such a search has packed words, and asks here for the steps that leave
//! them, for the valuation of a state, and for the table of what the automaton and the fairness make of steps. Where the
//! compiled form cannot decide, the reference semantics does. A fault, and a state where the invariant is not true, is an
//! exception. Nobody says here which one: it is searched for again, so that the path to it is a shortest one.

use std::sync::Arc;

use automata::{Automaton, accepting_states};
use model::initial::initial_states;
use model::property::Kind;
use model::{Expr, Instance, Refusal, RefusalKind, Session, State, StopReason, Task, ground};

use super::letters::Letters;
use super::look::{self, Target};
use super::product;
use super::requirements::{Alternative, OfActions};
use super::space::{IDLE, Steps};
use super::states::States;
use super::store::Words;
use super::successors::Successors;
use super::table::{Predicate, Programs, Truth};
use super::{GraphCache, listable};
use crate::graph::bits::Bits;
use crate::rounds::explore::Desk;
use crate::rounds::nodes::{self, Move, Table};
use crate::rounds::{self, Carrier, Decided, Halt, Part, Source};
#[cfg(feature = "full")]
use crate::rounds::{Crew, NotDecided};
use crate::triggers::triggers;
use model::packing::Packing;

/// Why a task cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uncompiled {
    /// The states cannot be listed, or the property is a CTL formula.
    Refused(Refusal),
    /// A limit was reached.
    Stopped(StopReason),
}

/// Does something with a compiled task, whatever the number of words of a state.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<const W: usize>(self, compiled: Compiled<W>) -> Self::Output;
}

/// Compiles a task.
pub fn compile<V: Visitor>(task: &Task, session: &Session<'_>, visitor: V) -> Result<V::Output, Uncompiled> {
    let (instance, packing) = listable(&task.subject, &GraphCache::default()).map_err(Uncompiled::Refused)?;
    with_width!(packing.words, W => Ok(visitor.visit(Compiled::<W>::new(task, instance, &packing, session)?)))
}

/// Compiles a task and decides it as one of several workers ([`decide`](rounds::decide::decide)).
pub fn decide<C: Carrier>(
    task: &Task,
    carrier: &mut C,
    desk: &Desk,
    session: &Session<'_>,
) -> Result<Result<Decided, Halt>, Uncompiled> {
    struct Work<'w, C>(&'w mut C, &'w Desk);
    impl<C: Carrier> Visitor for Work<'_, C> {
        type Output = Result<Decided, Halt>;
        fn visit<const W: usize>(self, compiled: Compiled<W>) -> Self::Output {
            rounds::decide::decide(self.0, compiled, self.1)
        }
    }
    compile(task, session, Work(carrier, desk))
}

/// A crew of threads of this process, each with a part of its own. It needs no less memory than a search in one place: it
/// is there to compare others with.
#[cfg(feature = "full")]
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// How many.
    pub workers: usize,
}

#[cfg(feature = "full")]
impl Crew for Threads {
    fn decide(&self, task: &Task, session: &Session<'_>) -> Result<Decided, NotDecided> {
        let found = rounds::threads::together(self.workers, |thread| {
            let desk = Desk { memory: session.memory, gauge: Arc::default() };
            decide(task, thread, &desk, session)
        });
        let mut decided = Vec::new();
        for found in found {
            match found {
                Err(Uncompiled::Refused(_)) => {
                    return Err(NotDecided::Refused("it cannot be listed".to_owned()));
                }
                Err(Uncompiled::Stopped(stop)) => return Err(NotDecided::Stopped(stop, 0)),
                Ok(Err(Halt::Exception)) => return Ok(Decided { fails: true, ..Decided::default() }),
                Ok(Err(Halt::Limit(stop))) => return Err(NotDecided::Stopped(stop, 0)),
                Ok(Err(Halt::TooLarge)) => {
                    return Err(NotDecided::Refused("there is more than can be numbered".to_owned()));
                }
                Ok(Err(Halt::Elsewhere | Halt::Unread)) => {}
                Ok(Ok(found)) => decided.push(found),
            }
        }
        assert!(decided.windows(2).all(|pair| pair[0] == pair[1]), "workers disagree: {decided:?}");
        decided.pop().ok_or_else(|| NotDecided::Lost("nobody has found anything".to_owned()))
    }
}

/// A compiled task.
pub struct Compiled<const W: usize> {
    instance: Arc<Instance>,
    packing: Arc<Packing>,
    successors: Successors<W>,
    question: Question,
}

enum Question {
    Invariant(Box<Invariant>),
    Runs(Box<Runs>),
}

struct Invariant {
    programs: Programs,
    predicate: Predicate,
    /// The triggers, each with whether it was true in a state.
    triggers: Vec<(Predicate, bool)>,
}

struct Runs {
    automaton: Automaton,
    /// The number of each atom of the automaton among the predicates.
    atoms: Vec<usize>,
    violating: Vec<Alternative>,
    /// The number of each trigger among the predicates.
    trigger_numbers: Vec<usize>,
    letters: Letters,
}

impl<const W: usize> Compiled<W> {
    fn new(
        task: &Task,
        instance: &Arc<Instance>,
        packing: &Arc<Packing>,
        session: &Session<'_>,
    ) -> Result<Compiled<W>, Uncompiled> {
        let kind = ground::kind(instance, &task.property.kind);
        if matches!(kind, Kind::Ctl(_)) {
            return Err(Uncompiled::Refused(Refusal::of(RefusalKind::Ctl)));
        }
        let limit = || (session.stop)().map_or(Ok(()), Err);
        let successors = Successors::new(instance, packing, &limit).map_err(Uncompiled::Stopped)?;
        let question = match Target::new(&kind, session).map_err(Uncompiled::Stopped)? {
            Target::State(invariant) => {
                Question::Invariant(Box::new(Invariant::new(task, instance, packing, &invariant)))
            }
            Target::Run(violations) => {
                let look::Runs { atoms, violating, trigger_numbers, letters, .. } =
                    look::Runs::new(task, &violations, &successors);
                let automaton = violations.automaton;
                Question::Runs(Box::new(Runs { automaton, atoms, violating, trigger_numbers, letters }))
            }
            Target::Branching(_) => return Err(Uncompiled::Refused(Refusal::of(RefusalKind::Ctl))),
        };
        Ok(Compiled { instance: Arc::clone(instance), packing: Arc::clone(packing), successors, question })
    }

    /// Whether the question is about states alone.
    pub fn is_about_states(&self) -> bool {
        matches!(self.question, Question::Invariant(_))
    }

    /// How states are packed.
    pub fn packing(&self) -> &Packing {
        &self.packing
    }
}

impl Invariant {
    fn new(task: &Task, instance: &Arc<Instance>, packing: &Arc<Packing>, invariant: &Expr) -> Invariant {
        let mut programs = Programs::new(instance, packing);
        let predicate = programs.predicate(invariant);
        let triggers = triggers(instance, &task.property.kind);
        let triggers =
            triggers.iter().map(|trigger| (programs.predicate(&trigger.predicate), false)).collect();
        Invariant { programs, predicate, triggers }
    }

    /// Whether it is true in a state. Notes which triggers are.
    #[inline]
    fn is_true(&mut self, state: &[u64]) -> bool {
        let programs = &self.programs;
        for (trigger, occurs) in &mut self.triggers {
            *occurs = *occurs || programs.test(*trigger, state) == Truth::True;
        }
        programs.test(self.predicate, state) == Truth::True
    }
}

/// One state, whose number is 0, with the labels of the steps that leave it.
pub(super) struct One<'o> {
    pub(super) instance: &'o Instance,
    pub(super) packing: &'o Packing,
    pub(super) words: &'o [u64],
    pub(super) labels: &'o [u16],
}

impl States for One<'_> {
    fn instance(&self) -> &Instance {
        self.instance
    }

    fn bound(&self) -> usize {
        1
    }

    fn initial(&self) -> Vec<u32> {
        Vec::new()
    }

    fn is_expanded(&self, _: u32) -> bool {
        true
    }

    fn words(&self, _: u32) -> impl AsRef<[u64]> {
        self.words
    }

    fn state(&self, _: u32) -> State {
        self.packing.unpack(self.words)
    }

    fn with_steps<R>(&self, _: u32, visit: impl FnOnce(Steps<'_>) -> R) -> R {
        // Nobody asks where the steps of one state lead.
        visit(Steps { targets: &[], labels: self.labels })
    }

    fn with_labels<R>(&self, _: u32, visit: impl FnOnce(&[u16]) -> R) -> R {
        visit(self.labels)
    }

    fn bytes(&self) -> u64 {
        0
    }
}

impl Runs {
    fn table<const B: usize>(&self, actions: usize, alternative: usize) -> Table<B> {
        let Runs { automaton, atoms, violating, letters, .. } = self;
        let Alternative { of_actions, of_steps, .. } = &violating[alternative];
        let about = |label: u16| {
            let numbers = violating[alternative].about(label).iter();
            numbers.fold([0; B], |mask, number| nodes::with(mask, FIRST + *number as usize))
        };
        let steps = FIRST + of_actions.len();
        let marks = steps + of_steps.len();
        let (moves, first) = product::moves(letters, automaton, atoms, |letter, edge| {
            let marks = edge.marks.iter().fold([0; B], |set, mark| nodes::with(set, marks + mark));
            let mut edge = Move { target: edge.target as u32, then: marks, when: [0; B] };
            for (number, (trigger, goal)) in of_steps.iter().enumerate() {
                if trigger.is_some_and(|trigger| letter.contains(trigger)) {
                    edge.when = nodes::with(edge.when, steps + number);
                }
                if letter.contains(*goal) {
                    edge.then = nodes::with(edge.then, steps + number);
                }
            }
            edge
        });
        let of = |words: &[OfActions]| {
            let chosen = of_actions.iter().enumerate().filter(|(_, word)| words.contains(word));
            chosen.fold([0; B], |mask, (number, _)| nodes::with(mask, FIRST + number))
        };
        let mut always = of(&[OfActions::Weak, OfActions::Unconditional]);
        for (number, (when, _)) in of_steps.iter().enumerate() {
            if when.is_none() {
                always = nodes::with(always, steps + number);
            }
        }
        always = (0..automaton.marks).fold(always, |always, mark| nodes::with(always, marks + mark));
        let labels = || (0..actions as u16).chain([IDLE]);
        Table {
            shift: product::shift(automaton),
            initial: automaton.initial.iter().map(|q| *q as u32).collect(),
            accepting: accepting_states(automaton),
            moves,
            first,
            classes: letters.class_count,
            class_of: labels().map(|label| letters.event_class(label) as u32).collect(),
            about: labels().map(about).collect(),
            always,
            weak: of(&[OfActions::Weak]),
            strong: of(&[OfActions::Strong]),
        }
    }
}

/// The bit of the first requirement.
const FIRST: usize = nodes::ENTERED + 1;

impl<const W: usize> Source<W> for Compiled<W> {
    fn initial(&self, each: &mut dyn FnMut(Words<W>) -> Result<(), Halt>) -> Result<(), Halt> {
        for state in initial_states(&self.instance) {
            let mut words = [0; W];
            self.packing.pack(&state.map_err(|_| Halt::Exception)?, &mut words);
            each(words)?;
        }
        Ok(())
    }

    #[inline]
    fn expand(
        &mut self,
        state: &Words<W>,
        labels: &mut Vec<u16>,
        targets: &mut Vec<Words<W>>,
    ) -> Result<u32, Halt> {
        if let Question::Invariant(invariant) = &mut self.question
            && !invariant.is_true(state)
        {
            return Err(Halt::Exception);
        }
        let before = labels.len();
        self.successors.steps(state, labels, targets).map_err(|_| Halt::Exception)?;
        if labels.len() == before {
            labels.push(IDLE);
            targets.push(*state);
        }
        match &mut self.question {
            Question::Invariant(_) => Ok(0),
            Question::Runs(runs) => {
                let (instance, packing) = (&*self.instance, &*self.packing);
                let state = One { instance, packing, words: state, labels: &labels[before..] };
                runs.letters.valuate(&state, 0).map_err(|_| Halt::Exception)
            }
        }
    }

    fn alternatives(&self) -> Option<Vec<(usize, bool)>> {
        let Question::Runs(runs) = &self.question else { return None };
        let size = |alternative: &Alternative| {
            let requirements = alternative.of_actions.len() + alternative.of_steps.len();
            (requirements + runs.automaton.marks, alternative.global)
        };
        Some(runs.violating.iter().map(size).collect())
    }

    fn table<const B: usize>(&self, alternative: usize) -> Table<B> {
        match &self.question {
            Question::Runs(runs) => runs.table(self.instance.actions.len(), alternative),
            Question::Invariant(_) => unreachable!("only runs have alternatives"),
        }
    }

    fn occurs(&self, part: &mut Part) -> Result<Vec<bool>, Halt> {
        Ok(match &self.question {
            Question::Invariant(invariant) => invariant.triggers.iter().map(|(_, occurs)| *occurs).collect(),
            Question::Runs(runs) => {
                let Runs { letters, trigger_numbers, .. } = &**runs;
                let mut seen = Bits::empty(letters.len());
                part.for_each_step(|valuation, label| {
                    seen.insert(valuation as usize * letters.class_count + letters.event_class(label));
                })?;
                let mut predicates = Bits::empty(letters.predicates());
                seen.numbers().for_each(|letter| predicates.add(letters.letter(letter)));
                trigger_numbers.iter().map(|number| predicates.contains(*number)).collect()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use certify::oracle;
    use model::{Answer, Session, show};

    use super::super::{Explicit, random};
    use super::*;
    use crate::Engine;
    use crate::graph::tests::Random;

    /// What so many workers find out.
    fn decided(task: &Task, workers: usize) -> Decided {
        Threads { workers }.decide(task, &Session::unlimited()).expect("decided")
    }

    /// What one worker finds out that reads steps in blocks of so many states.
    fn decided_in_blocks(task: &Task, size: u32) -> Result<Decided, Halt> {
        struct Work(u32);
        impl Visitor for Work {
            type Output = Result<Decided, Halt>;
            fn visit<const W: usize>(self, compiled: Compiled<W>) -> Self::Output {
                let once = std::sync::Mutex::new(Some(compiled));
                let mut found = rounds::threads::together(1, |thread| {
                    let compiled = once.lock().ok().and_then(|mut once| once.take()).expect("one worker");
                    let desk = Desk { memory: u64::MAX, gauge: Arc::default() };
                    let keeps_steps = !compiled.is_about_states();
                    let (part, compiled) = rounds::explore::explore(thread, compiled, keeps_steps, &desk)?;
                    let part = if keeps_steps { part.in_blocks(self.0) } else { part };
                    rounds::decide::judge(thread, &compiled, part, &desk)
                });
                found.pop().expect("one worker")
            }
        }
        compile(task, &Session::unlimited(), Work(size)).expect("compiled")
    }

    #[test]
    fn workers_agree_with_the_oracle_and_with_a_search_in_one_place() {
        let mut random = Random(21);
        let [mut holds, mut fails, mut exceptions, mut global, mut oracles] = [0; 5];
        for round in 0..1_500 {
            let task = random::task(&mut random);
            let system = task.system();
            let context = || {
                let (claim, fairness) = (&task.property.kind, &task.fairness);
                format!(
                    "round {round}: {}\nunder {}\n{system:#?}",
                    show::kind(system, claim),
                    show::fairness(system, fairness)
                )
            };
            let session = Session::unlimited();
            let engine =
                Explicit { reductions: false, probes: false, first_look: usize::MAX, ..Explicit::default() };
            let answer = engine.check(&task, &session).expect("taken");
            let expected = matches!(answer, Answer::Fails(_));
            if let Ok(decision) = oracle::decide(&task, 5_000) {
                assert_eq!(!decision.holds(), expected, "{}", context());
                oracles += 1;
            }
            for workers in 1..=3 {
                let decided = decided(&task, workers);
                assert_eq!(decided.fails, expected, "{workers} workers, {}", context());
                if !decided.fails {
                    assert_eq!(session.counted("states"), Some(decided.states), "{}", context());
                    assert_eq!(session.counted("transitions"), Some(decided.steps), "{}", context());
                }
                holds += usize::from(!decided.fails);
                fails += usize::from(decided.fails && decided.states > 0);
                exceptions += usize::from(decided.fails && decided.states == 0);
            }
            match decided_in_blocks(&task, 1 + round % 7) {
                Ok(decided) => {
                    assert_eq!(decided, self::decided(&task, 1), "in blocks, {}", context());
                }
                Err(halt) => assert!(halt == Halt::Exception && expected, "{halt:?}, {}", context()),
            }
            global += usize::from(task.fairness.alternatives.iter().any(|alternative| alternative.global));
        }
        assert!(
            holds > 900 && fails > 900 && exceptions > 100 && global > 100 && oracles > 1_000,
            "{holds} hold, {fails} fail, {exceptions} exceptions, {global} global, {oracles} by the oracle"
        );
    }
}
