//! Moves: that each state of a set has a step to another set.
//!
//! This is not about all choices of an action but about some. A move names a [way](ground::ways) to resolve them, and with
//! it the step has one target. So the question is again one about all states: the action is enabled, and the target is in
//! the set. It is answered by walks through diagrams, in cases if one walk is not enough, and else by the solver.

use std::collections::BTreeMap;
use std::rc::Rc;

use model::proof::Root;
use model::{ActionId, ground};

use super::cases::{self, cases};
use super::circuit::Lit;
use super::premises::ProofJudge;
use super::runs::flaw;
use super::sets::{SetLiterals, Successor};
use super::update;
use crate::end::End;
use crate::flaw::Premise;

/// Limit on the ways to resolve the choices of an action.
const WAYS: usize = 4096;

/// The step of a move.
pub(crate) struct Step {
    /// The condition that it can be taken.
    enabled: Lit,
    /// `None` for `idle`.
    successor: Option<Successor>,
    /// Where it can be taken, in cases in which it is known where it leads; nothing if there are too many.
    cases: Option<Vec<cases::Case>>,
}

/// The steps of moves, by action and way.
pub(crate) type Steps = BTreeMap<(usize, usize), Rc<Step>>;

impl ProofJudge<'_> {
    /// Encodes the steps of moves, given by action and way. This comes before anything that is
    /// [forgotten](ProofJudge::forget).
    pub(crate) fn encode_moves(&mut self, mut wanted: Vec<(usize, usize)>) -> Result<(), End> {
        wanted.sort_unstable();
        wanted.dedup();
        let idle = self.instance.actions.len();
        let mut ways = BTreeMap::new();
        for (label, way) in wanted {
            let none =
                || flaw(Premise::Form, "a move has an action, or a way, that does not exist".to_owned());
            let step = if label == idle && way == 0 {
                Step { enabled: self.enabled[idle], successor: None, cases: None }
            } else if label >= idle {
                return Err(none());
            } else {
                let action = ActionId(label as u32);
                let resolved = ways.entry(label).or_insert_with(|| ground::ways(self.instance, action, WAYS));
                let update = resolved.as_ref().and_then(|ways| ways.get(way)).ok_or_else(none)?;
                let step = update::step_by(&mut self.encoder, action, update)?;
                let successor = self.sets.successor(&mut self.encoder, step.writes)?;
                let facts = [step.enabled];
                let (cases, work) = cases(&self.encoder, &self.sets, &facts, Lit::FALSE, Some(&successor));
                self.encoder.budget.spend(work / 4)?;
                Step { enabled: step.enabled, successor: Some(successor), cases }
            };
            self.steps.insert((label, way), Rc::new(step));
        }
        Ok(())
    }

    /// Shows three things for an action and a way of it: in each state of a set the action can be taken in this way, the
    /// step ends in another set, and some literals are true on it.
    pub(crate) fn has_step(
        &mut self,
        one: (Root, usize, usize),
        into: Root,
        truths: &[Lit],
        premise: Premise,
        what: &str,
    ) -> Result<(), End> {
        let (from, action, way) = one;
        let mark = self.mark();
        // Invariant: `encode_moves` has been there.
        let enabled = self.steps[&(action, way)].enabled;
        let taken = self.encoder.taken(action);
        let mut wanted: Vec<Lit> = [enabled].iter().chain(truths).copied().collect();
        wanted.retain(|truth| !self.is_shown(from, &[taken], *truth));
        if !wanted.is_empty() {
            let source = self.sets.holds(&mut self.encoder, from)?;
            let right = self.encoder.circuit.all(wanted);
            let violation = self.encoder.circuit.all([source, taken, !right]);
            if let Some(values) = self.refute(&[violation], &mut ProofJudge::missed_invariants)? {
                return Err(self.broken(premise, what.to_owned(), &values, None));
            }
        }
        self.forget(mark);
        self.ends_in(one, &[], into, premise, what)
    }

    /// Shows that the step of an action and a way from each state of a set ends in another set, where some facts are true.
    pub(crate) fn ends_in(
        &mut self,
        (from, action, way): (Root, usize, usize),
        facts: &[Lit],
        into: Root,
        premise: Premise,
        what: &str,
    ) -> Result<(), End> {
        if into == Root::TRUE {
            return Ok(());
        }
        let mark = self.mark();
        let step = Rc::clone(&self.steps[&(action, way)]);
        let sources = [from, Root::TRUE];
        let taken = self.encoder.taken(action);
        let facts: Vec<Lit> = facts.iter().copied().chain([taken, step.enabled]).collect();
        let effects = self.sets.test_effects(&self.encoder, &facts, step.successor.as_ref());
        let in_cases =
            |cases: &Vec<cases::Case>| cases.iter().all(|case| self.leads(&case.effects, sources, into));
        let mut leads = self.leads(&effects, sources, into) || step.cases.as_ref().is_some_and(in_cases);
        if !leads && facts.len() > 2 {
            let (cases, work) = cases(&self.encoder, &self.sets, &facts, Lit::FALSE, step.successor.as_ref());
            self.encoder.budget.spend(work / 4)?;
            leads = cases.as_ref().is_some_and(in_cases);
        }
        if !leads {
            let after = match &step.successor {
                None => self.sets.holds(&mut self.encoder, into)?,
                Some(successor) => {
                    self.sets.holds_after(&mut self.encoder, into, successor, &mut SetLiterals::default())?
                }
            };
            let source = self.sets.holds(&mut self.encoder, from)?;
            let all: Vec<Lit> = facts.into_iter().chain([source, !after]).collect();
            let violation = self.encoder.circuit.all(all);
            if let Some(values) = self.refute(&[violation], &mut ProofJudge::missed_invariants)? {
                return Err(self.broken(premise, what.to_owned(), &values, None));
            }
        }
        self.forget(mark);
        Ok(())
    }

    /// Whether walks show that a literal is true in all states of a set, if some facts are.
    pub(crate) fn is_shown(&self, set: Root, facts: &[Lit], truth: Lit) -> bool {
        if truth == Lit::TRUE {
            return true;
        }
        let facts: Vec<Lit> = facts.iter().copied().chain([!truth]).collect();
        let effects = self.test_effects(&facts, usize::MAX);
        let is_nowhere = |case: &cases::Case| self.leads(&case.effects, [set, Root::TRUE], Root::FALSE);
        self.leads(&effects, [set, Root::TRUE], Root::FALSE)
            || self.cases(&facts, Lit::FALSE, usize::MAX).is_some_and(|cases| cases.iter().all(is_nowhere))
    }
}
