//! Answers a task on a reduced graph, where that is sound and pays.
//!
//! The engine calls this once the graph has turned out to be large. Small graphs are searched without reduction, so
//! that their counterexamples stay shortest. The result is an answer, or the reasons why there is none; then the
//! engine continues where it was.
//!
//! There are two reductions: of the order of independent actions ([`stubborn`](super::stubborn)) and of the names of
//! processes ([`symmetry`](super::symmetry)). They are not combined. Symmetry is tried first if it promises more than
//! a factor of two.
//!
//! Fairness hinders both: a fair action and all actions that enable or disable it are visible, and fairness of each
//! process distinguishes processes. But a property that holds of all runs holds of the fair ones. So a task that
//! symmetry cannot reduce with its fairness is tried without it, and then only the answers *holds* and *fault* are
//! used. That is sound for every kind of fairness. The last attempt keeps the fairness and reduces the order.
//!
//! An answer must also say whether the fairness is realisable, which is a fact about all reachable states. Symmetry
//! preserves it; leaving out states or fairness does not. But weak, strong and strong global fairness are always
//! realisable: a scheduler that serves what has waited longest meets them. So with requirements of other words only
//! symmetry is used.

use std::cell::RefCell;
use std::sync::Arc;

use model::answer::Counterexample;
use model::fairness::Assumption;
use model::property::Kind;
use model::{Answer, Expr, Fairness, Instance, Note, Pattern, Session, StopReason, Task, ground};

use super::allowance::Allowance;
use super::look::Look;
use super::silence::{Observed, returns};
use super::space::{Explored, Space, SpaceOptions, Stop};
use super::store::Words;
use super::stubborn::Stubborn;
use super::successors::Successors;
use super::symmetry::Symmetry;
use super::{count, unfold};
use crate::triggers::triggers;

/// A reduction.
#[derive(Clone, Copy)]
pub(super) enum Reduction<'a> {
    /// Independent actions are tried in only one order.
    Order(&'a Stubborn),
    /// Of states that differ only in the names of processes, one is searched.
    Names(&'a Symmetry),
}

impl Reduction<'_> {
    /// Replaces an initial state by its representative.
    pub(super) fn represent<const W: usize>(&self, state: &mut Words<W>) {
        match self {
            Reduction::Order(_) => {}
            Reduction::Names(symmetry) => symmetry.represent(state),
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
            Reduction::Names(symmetry) => {
                steps.1[first..].iter_mut().for_each(|target| symmetry.represent(target));
            }
        }
    }
}

/// A reduced graph that an earlier turn has explored in part. The next turn goes on from there. That is sound: states
/// that were found and not expanded are taken for one level, and then fewer steps are left out.
pub(super) struct ReducedGraph<const W: usize> {
    /// Whether it is reduced by names, and whether without fairness.
    key: (bool, bool),
    explored: Explored<W>,
    /// The number of expanded states that are known to contain no violation.
    searched: usize,
}

/// A reduced graph is kept if it takes at most this part of the memory.
const KEPT: u64 = 8;

/// Why a reduction gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreduced {
    /// It applies, but the reduced graph is too large as well. It may help with a larger limit.
    TooLarge,
    /// There are too few processes to exchange.
    TooFew,
    /// It does not apply, or saves too little.
    Because(&'static str),
}

impl Unreduced {
    /// The reason in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Unreduced::TooLarge => "the reduced graph is too large as well",
            Unreduced::TooFew => "there are too few processes to exchange",
            Unreduced::Because(why) => why,
        }
    }
}

impl From<&'static str> for Unreduced {
    fn from(why: &'static str) -> Unreduced {
        Unreduced::Because(why)
    }
}

/// The reason why stubborn sets are given up.
const SAVES_LITTLE: &str = "partial order reduction saves too little";

/// How much more work a state is if its steps must be brought to their representatives.
const REPRESENTING: u64 = 8;

/// The answer to a task on a reduced graph, within an allowance, or the reasons why there is none.
pub(super) fn answer<const W: usize>(
    look: Look<'_>,
    successors: &Successors<W>,
    reduced: &mut Vec<ReducedGraph<W>>,
    allowance: Allowance,
    session: &Session<'_>,
) -> Result<Answer, Vec<Unreduced>> {
    let task = look.task;
    let kind = ground::kind(&successors.instance, &task.property.kind);
    let attempt = Attempt { look, successors, kind, reduced: RefCell::new(reduced), allowance, session };
    let none = Fairness::none();
    if matches!(attempt.kind, Kind::Invariant(_)) || task.fairness.is_none() {
        return attempt.by_either(&none).map(|found| found.reported(session));
    }
    let mut reasons = Vec::new();
    match attempt.by_names(&task.fairness, 2) {
        Ok(found) => return Ok(found.reported(session)),
        Err(reason) => reasons.push(reason),
    }
    if !task.fairness.alternatives.iter().all(Assumption::can_be_met) {
        reasons.push("whether the fairness is realisable depends on every state".into());
        return Err(reasons);
    }
    match attempt.by_either(&none) {
        Ok(found) => match found.answer {
            Answer::Holds(_) => {
                session.note(Note::HoldsWithoutFairness);
                return Ok(found.reported(session));
            }
            Answer::Fails(Counterexample::Fault { .. }) => return Ok(found.reported(session)),
            _ => reasons.push("without fairness it does not hold".into()),
        },
        Err(other) => reasons.extend(other),
    }
    attempt.by_order(&task.fairness).map(|found| found.reported(session)).map_err(|reason| {
        reasons.push(reason);
        reasons.dedup();
        reasons
    })
}

/// The answer of an attempt, with its records.
struct ReducedAnswer {
    answer: Answer,
    statistics: Vec<(&'static str, u64)>,
    notes: Vec<Note>,
}

impl ReducedAnswer {
    fn new(answer: Answer, session: Session<'_>) -> ReducedAnswer {
        let records = "no thread panics while it records";
        let statistics = session.statistics.into_inner().expect(records);
        ReducedAnswer { answer, statistics, notes: session.notes.into_inner().expect(records) }
    }

    /// Adds the records to a session, except statistics that it already has, and returns the answer.
    fn reported(self, session: &Session<'_>) -> Answer {
        let records = "no thread panics while it records";
        let known: Vec<&str> =
            session.statistics.lock().expect(records).iter().map(|(name, _)| *name).collect();
        for (name, number) in self.statistics.into_iter().filter(|(name, _)| !known.contains(name)) {
            session.count(name, number);
        }
        self.notes.into_iter().for_each(|note| session.note(note));
        self.answer
    }
}

struct Attempt<'t, const W: usize> {
    look: Look<'t>,
    successors: &'t Successors<W>,
    /// The property of the task in ground form.
    kind: Kind,
    reduced: RefCell<&'t mut Vec<ReducedGraph<W>>>,
    allowance: Allowance,
    session: &'t Session<'t>,
}

impl<const W: usize> Attempt<'_, W> {
    fn instance(&self) -> &Arc<Instance> {
        &self.successors.instance
    }

    /// The answer with this fairness, by the reduction that promises more.
    fn by_either(&self, fairness: &Fairness) -> Result<ReducedAnswer, Vec<Unreduced>> {
        let first = match self.by_names(fairness, 3) {
            Ok(found) => return Ok(found),
            Err(reason) => reason,
        };
        let second = match self.by_order(fairness) {
            Ok(found) => return Ok(found),
            Err(reason) => reason,
        };
        if first == Unreduced::TooFew {
            return self.by_names(fairness, 2).map_err(|_| vec![first, second]);
        }
        Err(vec![first, second])
    }

    /// The answer with this fairness, by symmetry, if there are at least `least` permutations.
    fn by_names(&self, fairness: &Fairness, least: u64) -> Result<ReducedAnswer, Unreduced> {
        let ground = ground::fairness(self.instance(), fairness);
        let symmetry = Symmetry::new(self.instance(), &self.successors.packing, &self.kind, &ground)?;
        let order = symmetry.order();
        if order < least {
            return Err(Unreduced::TooFew);
        }
        let session = Session::new(self.session.stop, self.session.progress, self.session.memory, 1);
        let answer = self.search(fairness, Reduction::Names(&symmetry), &session)?;
        let answer = unfolded(self.instance(), &symmetry, answer).ok_or("a run could not be followed")?;
        session.count("permutations", order);
        session.note(Note::Reduced(model::note::Reduction::Symmetry));
        Ok(ReducedAnswer::new(answer, session))
    }

    /// The answer with this fairness, by partial order reduction.
    fn by_order(&self, fairness: &Fairness) -> Result<ReducedAnswer, Unreduced> {
        let ground = ground::fairness(self.instance(), fairness);
        let kind = ground::kind(self.instance(), &without_deadlock(&self.look.task.property.kind));
        let observed = Observed::new(self.instance(), &kind, &ground)?;
        // If a trigger occurs, it must also occur in the reduced graph.
        let triggers = triggers(self.instance(), &self.look.task.property.kind);
        if !triggers.iter().all(|trigger| returns(&trigger.predicate)) {
            return Err("its trigger depends on steps at which nothing happens".into());
        }
        let stubborn = Stubborn::new(self.instance(), &self.successors.packing, &observed)?;
        let stop =
            || (self.session.stop)().or_else(|| stubborn.is_hopeless().then_some(StopReason::Cancelled));
        let session = Session::new(&stop, self.session.progress, self.session.memory, 1);
        let answer = self
            .search(fairness, Reduction::Order(&stubborn), &session)
            .map_err(|reason| if stubborn.is_hopeless() { SAVES_LITTLE.into() } else { reason })?;
        // The search for notes may have been given up, too.
        if stubborn.is_hopeless() && matches!(answer, Answer::Holds(_)) {
            return Err(SAVES_LITTLE.into());
        }
        session.count("reduced states", stubborn.reduced());
        if stubborn.reduced() > 0 {
            session.note(Note::Reduced(model::note::Reduction::PartialOrder));
        }
        Ok(ReducedAnswer::new(answer, session))
    }

    fn search(
        &self,
        fairness: &Fairness,
        reduction: Reduction<'_>,
        session: &Session<'_>,
    ) -> Result<Answer, Unreduced> {
        let Look { engine, target, .. } = self.look;
        let invariant = target.invariant();
        let options = SpaceOptions {
            invariant,
            shared_level: engine.shared_level,
            reduction: Some(reduction),
            number_limit: engine.number_limit,
            wanders: false,
        };
        let key = (matches!(reduction, Reduction::Names(_)), fairness.is_none());
        let (explored, mut searched) = self.take(key, invariant.is_none());
        let mut space = Space::new(self.successors, &options, explored);
        let task = Task { fairness: by_predicates(self.instance(), fairness), ..self.look.task.clone() };
        let look = Look { task: &task, ..self.look };
        let cost = match reduction {
            Reduction::Names(_) => REPRESENTING,
            Reduction::Order(_) => 1,
        };
        let allowance = self.allowance.divided(cost);
        let found = space.start(usize::MAX, session).and_then(|()| {
            // How many states are allowed is known better once some of them are expanded.
            let mut state_limit = allowance.states(None);
            loop {
                let found = look.search(&mut space, &mut searched, state_limit, session)?;
                let (_, steps) = space.size();
                let degree = (steps as usize).div_ceil(space.expanded().max(1));
                let affordable = allowance.states(Some(degree));
                if found.is_some() || affordable <= state_limit {
                    return Ok(found);
                }
                state_limit = affordable;
            }
        });
        count(&space, session);
        match found {
            Ok(Some(answer)) => Ok(answer),
            Err(Stop::Found(counterexample)) => Ok(Answer::Fails(counterexample)),
            Ok(None) => {
                if space.bytes() <= session.memory / KEPT {
                    let explored = space.into_explored();
                    self.reduced.borrow_mut().push(ReducedGraph { key, explored, searched });
                }
                Err(Unreduced::TooLarge)
            }
            Err(Stop::Limit(_) | Stop::TooLarge(_)) => Err(Unreduced::TooLarge),
        }
    }

    /// A reduced graph as far as earlier turns have explored it, and how many of its states contain no violation.
    fn take(&self, key: (bool, bool), keeps_steps: bool) -> (Explored<W>, usize) {
        let mut reduced = self.reduced.borrow_mut();
        match reduced.iter().position(|graph| graph.key == key) {
            Some(place) => {
                let ReducedGraph { explored, searched, .. } = reduced.swap_remove(place);
                (explored, searched)
            }
            None => (Explored::new(keeps_steps, self.successors.packing.words), 0),
        }
    }
}

/// The same fairness with enabledness as a state predicate. In a reduced graph the steps that leave a state do not
/// show which actions are enabled.
fn by_predicates(instance: &Instance, fairness: &Fairness) -> Fairness {
    // First drop the requirements that do not exist: this depends on the event, which is removed below.
    let mut fairness = ground::fairness(instance, fairness);
    for assumption in &mut fairness.alternatives {
        for requirement in &mut assumption.requirements {
            requirement.of = None;
        }
    }
    fairness
}

/// An invariant without the part that says there is no deadlock. A reduced graph has the same deadlocks anyway.
fn without_deadlock(kind: &Kind) -> Kind {
    fn strip(expr: &Expr) -> Expr {
        match expr {
            Expr::Enabled(pattern) if *pattern == Pattern::default() => Expr::Bool(true),
            Expr::Not(a) => match &**a {
                Expr::Not(b) => strip(b),
                _ => expr.clone(),
            },
            Expr::And(parts) => Expr::and(parts.iter().map(strip)),
            _ => expr.clone(),
        }
    }
    match kind {
        Kind::Invariant(invariant) => Kind::Invariant(strip(invariant)),
        other => other.clone(),
    }
}

/// Turns an answer about representatives into one about the system.
fn unfolded(instance: &Instance, symmetry: &Symmetry, answer: Answer) -> Option<Answer> {
    let Answer::Fails(counterexample) = answer else { return Some(answer) };
    Some(Answer::Fails(match counterexample {
        Counterexample::Path(path) => Counterexample::Path(unfold::path(instance, symmetry, &path)?),
        Counterexample::Lasso(lasso) => Counterexample::Lasso(unfold::lasso(instance, symmetry, &lasso)?),
        Counterexample::Fault { path: Some(path), site, fault } => {
            Counterexample::Fault { path: Some(unfold::path(instance, symmetry, &path)?), site, fault }
        }
        other => other,
    }))
}
