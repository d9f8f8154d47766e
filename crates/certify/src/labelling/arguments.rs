//! Judges ranking functions and the other arguments why no fair run stays outside a label of `EG` (its `may` side) for ever.
//!
//! For every pair of places we keep the formula of the steps that are left: those that a run that stays may take
//! infinitely often. Each argument takes some away, for the reason given in the table of [`model::labelling`]. In the
//! end none may be left.

use arith::{Linear, Overflow};
use model::Core;
use model::labelling::{Argument, Label as SidedLabel};
use model::{Expr, Label};
use smt::Formula;

use super::terms::{ReadError, Reader, Store};
use super::{Demand, LabelJudge, Place};
use crate::end::End;

/// Steps between two places.
struct RemainingSteps {
    source: usize,
    target: usize,
    label: Label,
    marks: Vec<usize>,
    next: Store,
    /// The steps that are left.
    left: Formula,
}

impl LabelJudge<'_> {
    pub(super) fn may_globally(&mut self, label: &SidedLabel, a: &Core) -> Result<(), End> {
        let mut ways = Vec::new();
        for source in 0..self.places.len() {
            let Place { store, steps, .. } = self.places[source].clone();
            let outside = self.inside(&label.may, &store)?.negated();
            let staying = Formula::and([self.here(source)?, outside, self.may(a, &store)?]);
            for step in steps {
                let taken = Formula::and([staying.clone(), step.when.clone()]);
                let back = Formula::and([taken.clone(), self.inside(&label.may, &step.next)?]);
                self.two_solvers.impossible(&back, "no step leads into the label of `EG` from outside")?;
                let goes_on = self.may(a, &step.next)?;
                for target in 0..self.places.len() {
                    let at = self.places[target].has(&step.next)?;
                    let left = Formula::and([taken.clone(), at, goes_on.clone()]);
                    if left != Formula::Bool(false) {
                        let (label, marks) = (step.label, step.marks.clone());
                        ways.push(RemainingSteps {
                            source,
                            target,
                            label,
                            marks,
                            next: step.next.clone(),
                            left,
                        });
                    }
                }
            }
        }
        for (requirements, arguments) in self.alternatives.clone().iter().zip(&label.arguments) {
            let initially: Vec<Formula> = ways.iter().map(|way| way.left.clone()).collect();
            for argument in arguments {
                self.argue(&mut ways, argument, requirements)?;
            }
            for (way, left) in ways.iter_mut().zip(initially) {
                self.two_solvers.impossible(&way.left, "the arguments leave no step for a fair run")?;
                way.left = left;
            }
        }
        Ok(())
    }

    fn argue(
        &mut self,
        ways: &mut [RemainingSteps],
        argument: &Argument,
        requirements: &[Demand],
    ) -> Result<(), End> {
        match argument {
            Argument::Rank(ranks) => {
                for way in ways {
                    let (before, after) =
                        self.values_before_and_after(way, &ranks[way.source], &ranks[way.target])?;
                    let rises = compare(&before, &after, Formula::lt)?;
                    self.two_solvers
                        .impossible(&Formula::and([way.left.clone(), rises]), "a rank does not rise")?;
                    let zero = vec![(Formula::Bool(true), Linear::default())];
                    let falls = Formula::and([
                        compare(&after, &before, Formula::lt)?,
                        compare(&zero, &before, Formula::le)?,
                    ]);
                    way.left = Formula::and([way.left.clone(), falls.negated()]);
                }
            }
            Argument::Nested { places, functions } => {
                let number = |place: usize| places.binary_search(&place).ok();
                for way in ways {
                    let (before, after) = (number(way.source), number(way.target));
                    let is = |number: Option<usize>| Formula::Bool(number.is_some());
                    self.no_step_crosses(way, &is(before), &is(after))?;
                    let Some((source, target)) = before.zip(after) else { continue };
                    let mut earlier: Option<Cases> = None;
                    for function in functions {
                        let (before, after) =
                            self.values_before_and_after(way, &function[source], &function[target])?;
                        let bound = match &earlier {
                            None => before.clone(),
                            Some(earlier) => sum(&before, earlier)?,
                        };
                        let stays = compare(&bound, &after, Formula::le)?;
                        let stays = Formula::and([way.left.clone(), stays]);
                        self.two_solvers.impossible(&stays, "a nested rank falls")?;
                        earlier = Some(before);
                    }
                    let below = earlier.map_or(Ok(Formula::Bool(true)), |last| {
                        compare(&last, &vec![(Formula::Bool(true), Linear::default())], Formula::lt)
                    })?;
                    let below = Formula::and([way.left.clone(), below]);
                    self.two_solvers.impossible(&below, "a nested rank is not negative")?;
                    way.left = Formula::Bool(false);
                }
            }
            Argument::Requirement { within, requirement } => {
                let requirement = &requirements[*requirement];
                for way in ways {
                    let (before, after) = self.begins_and_ends_in(way, within)?;
                    self.no_step_crosses(way, &before, &after)?;
                    let store = &self.places[way.source].store;
                    let (when, then) = self.demand(requirement, store, way.label, &way.marks)?;
                    let met = Formula::and([way.left.clone(), before.clone(), then]);
                    self.two_solvers.impossible(&met, "what a requirement asks for does not happen")?;
                    way.left = Formula::and([way.left.clone(), Formula::and([before, when]).negated()]);
                }
            }
        }
        Ok(())
    }

    /// Whether a step begins in a set, and whether it ends there.
    fn begins_and_ends_in(
        &self,
        way: &RemainingSteps,
        set: &[Expr],
    ) -> Result<(Formula, Formula), ReadError> {
        let before = self.state_truth(&set[way.source], &self.places[way.source].store)?;
        Ok((before, self.state_truth(&set[way.target], &way.next)?))
    }

    /// Shows that no step that is left enters or leaves a set. `before` and `after` say whether it begins and ends
    /// there.
    fn no_step_crosses(
        &mut self,
        way: &RemainingSteps,
        before: &Formula,
        after: &Formula,
    ) -> Result<(), End> {
        let enters = Formula::and([before.negated(), after.clone()]);
        let leaves = Formula::and([before.clone(), after.negated()]);
        let crossing = Formula::and([way.left.clone(), Formula::or([enters, leaves])]);
        self.two_solvers.impossible(&crossing, "no step enters or leaves the states of an argument")
    }

    /// The values of two expressions, one before and one after a step.
    fn values_before_and_after(
        &self,
        way: &RemainingSteps,
        before: &Expr,
        after: &Expr,
    ) -> Result<(Cases, Cases), ReadError> {
        let value = |expr: &Expr, store: &Store| Reader::new(self.instance, store, self.limits).total(expr);
        Ok((value(before, &self.places[way.source].store)?, value(after, &way.next)?))
    }
}

pub(super) type Cases = Vec<(Formula, Linear)>;

/// The condition that two values compare in this way.
pub(super) fn compare(
    a: &Cases,
    b: &Cases,
    how: fn(&Linear, &Linear) -> Result<Formula, Overflow>,
) -> Result<Formula, Overflow> {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    Formula::try_or(
        pairs.map(|((first, a), (second, b))| Ok(Formula::and([first.clone(), second.clone(), how(a, b)?]))),
    )
}

fn sum(a: &Cases, b: &Cases) -> Result<Cases, Overflow> {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    pairs
        .map(|((first, a), (second, b))| (Formula::and([first.clone(), second.clone()]), a, b))
        .filter(|(when, ..)| *when != Formula::Bool(false))
        .map(|(when, a, b)| Ok((when, a.plus(1, b)?)))
        .collect()
}
