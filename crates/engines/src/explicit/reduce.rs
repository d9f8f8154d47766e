//! Answers a task on a reduced graph, where that is sound and pays.
//!
//! The engine asks here once the graph has turned out to be large; small ones are searched as they are, so that
//! their counterexamples stay shortest. What comes back is an answer, or nothing, and then the engine goes on
//! where it was.
//!
//! Fairness hides actions from a reduction: each fair action and all that enable or disable it are visible. But
//! a property that holds of all runs holds of the fair ones. So if there is fairness, the task is first tried
//! without it, and only the answers *holds* and *fault* are believed. That is right for every kind of fairness.
//! The second try keeps the fairness.
//!
//! An answer must also say whether the fairness is realisable, which is a fact about all reachable states and is
//! not preserved. Weak, strong and strong global fairness always are: a scheduler that serves what has waited
//! longest is fair by them. Tasks with requirements of other words are not reduced.

use model::answer::Counterexample;
use model::fairness::Word;
use model::property::Kind;
use model::{Answer, Fairness, Instance, Run, StopReason, Task, ground};

use super::Explicit;
use super::notes::triggers;
use super::letters::Predicates;
use super::packing::Packing;
use super::silence::{Observed, returns};
use super::space::{Aim, Ended, Space};
use super::store::Words;
use super::stubborn::Stubborn;

/// A reduction.
pub(super) enum Reduction<'a> {
    /// Of the order of independent actions.
    Order(Stubborn<'a>),
}

impl Reduction<'_> {
    /// The state that stands for a state.
    pub(super) fn represent<const W: usize>(&self, _: &mut Words<W>) {
        match self {
            Reduction::Order(_) => {}
        }
    }

    /// Reduces the steps of a state, which begin at `first`. `known` says whether a state is on this level or an
    /// earlier one.
    pub(super) fn apply<const W: usize>(
        &self,
        state: &Words<W>,
        steps: (&mut Vec<u16>, &mut Vec<Words<W>>),
        first: usize,
        known: impl Fn(&Words<W>) -> bool,
    ) {
        match self {
            Reduction::Order(stubborn) => stubborn.thin(state, steps, first, known),
        }
    }
}

/// The answer to a task by way of a reduction.
pub(super) fn answer<const W: usize>(
    engine: &Explicit,
    task: &Task,
    kind: &Kind,
    instance: &Instance,
    packing: &Packing,
    run: &Run<'_>,
) -> Option<Answer> {
    let attempt = Attempt { engine, task, kind, instance, packing, run };
    if matches!(kind, Kind::Invariant(_)) || task.fairness.is_none() {
        return attempt.by_order::<W>(&Fairness::none());
    }
    let words = |word: Word| matches!(word, Word::Weak | Word::Strong);
    let mut assumptions = task.fairness.alternatives.iter();
    if !assumptions.all(|assumption| assumption.requirements.iter().all(|r| words(r.word))) {
        return None;
    }
    let without = attempt.by_order::<W>(&Fairness::none());
    if let Some(Answer::Holds(_) | Answer::Fails(Counterexample::Fault { .. })) = without {
        run.note("it does so without any fairness");
        return without;
    }
    attempt.by_order::<W>(&task.fairness)
}

struct Attempt<'t> {
    engine: &'t Explicit,
    task: &'t Task,
    kind: &'t Kind,
    instance: &'t Instance,
    packing: &'t Packing,
    run: &'t Run<'t>,
}

impl Attempt<'_> {
    /// The answer with this fairness, by partial order reduction.
    fn by_order<const W: usize>(&self, fairness: &Fairness) -> Option<Answer> {
        let ground = ground::fairness(self.instance, fairness);
        let observed = Observed::new(self.instance, self.kind, &ground).ok()?;
        // A trigger that never occurs must not occur in the reduced graph either, nor the other way round.
        let mut predicates = Predicates::default();
        let triggers = triggers(self.instance, &self.task.property.kind, &mut predicates);
        if !triggers.iter().all(|trigger| returns(predicates.expr(trigger.number))) {
            return None;
        }
        let stubborn = Stubborn::new(self.instance, self.packing, &observed).ok()?;
        let reduction = Reduction::Order(stubborn);
        let Reduction::Order(stubborn) = &reduction;
        let stop = || {
            (self.run.stop)().or_else(|| stubborn.is_hopeless().then_some(StopReason::Cancelled))
        };
        let run = Run::new(&stop, self.run.progress, self.run.memory, 1);
        let answer = self.search::<W>(fairness, &reduction, &run)?;
        self.run.adopt(run);
        self.run.count("reduced states", stubborn.reduced());
        Some(answer)
    }

    fn search<const W: usize>(
        &self,
        fairness: &Fairness,
        reduction: &Reduction<'_>,
        run: &Run<'_>,
    ) -> Option<Answer> {
        let (invariant, formula) = match self.kind {
            Kind::Invariant(invariant) => (Some(invariant), None),
            Kind::Ltl(formula) => (None, Some(formula)),
            Kind::Ctl(_) => return None,
        };
        let keep_steps = formula.is_some();
        let aim = Aim {
            invariant,
            keep_steps,
            shared_level: self.engine.shared_level,
            reduction: Some(reduction),
        };
        let mut space = Space::<W>::new(self.instance, self.packing, &aim);
        let task = Task { fairness: by_predicates(fairness), ..self.task.clone() };
        let ended = match formula {
            None => self.engine.invariant(&task, &mut space, None, run),
            Some(formula) => self.engine.ltl(&task, formula, self.packing, &mut space, None, run),
        };
        run.count("states", space.states as u64);
        run.count("transitions", space.transitions);
        match ended {
            Ok(answer) => Some(answer),
            Err(Ended::Fault { path, site, fault }) => {
                Some(Answer::Fails(Counterexample::Fault { path, site, fault }))
            }
            Err(Ended::Violated(path)) => Some(Answer::Fails(Counterexample::Path(path))),
            Err(Ended::Stopped(_) | Ended::Otherwise(_)) => None,
        }
    }
}

/// The same fairness with enabledness as a predicate of states. The steps that leave a state do not tell it once
/// some are left out.
fn by_predicates(fairness: &Fairness) -> Fairness {
    let mut fairness = fairness.clone();
    for assumption in &mut fairness.alternatives {
        for requirement in &mut assumption.requirements {
            requirement.of = None;
        }
    }
    fairness
}
