//! The `must` side of a label: every state of a set has a run, given move by move.
//!
//! A move is right if in every reachable state of its set the action is enabled, the choices are admissible, and the
//! one resulting successor is where the move should lead. Layers are well-founded because each moves into earlier ones,
//! or inside itself with a decreasing rank. A run on a cycle goes on for ever. It meets a requirement if no step of the
//! cycle satisfies `when` without `then`. If the cycle is ordered, it is enough that every step of one set satisfies
//! `then`, because such a step is taken once in every round. If it is not, moves with ranks lead to one without after
//! finitely many, so it is enough that every step of those without satisfies `then`.
//!
//! A run meets strong global fairness if it visits no state infinitely often, or if no state that it visits infinitely often
//! has a step that it does not take. So it is enough that a cell grows again and again on the cycle and never falls, or the
//! other way round, or that no state of the cycle has another step.

use arith::Linear;
use model::labelling::{Cycle, Label as SidedLabel, Move};
use model::{Core, Expr, Label};
use smt::Formula;

use super::arguments::compare;
use super::steps::{Step, chosen_step};
use super::terms::{Reader, Store};
use super::{LabelJudge, premise};
use crate::end::End;

impl LabelJudge<'_> {
    /// Shows that every state of `must` has a run that satisfies the formula.
    pub(super) fn must_label(&mut self, label: &SidedLabel) -> Result<(), End> {
        let path = &label.path;
        let mut known: Vec<&Move> = Vec::new();
        match &label.formula {
            Core::Next(a) => {
                for layer in &path.layers {
                    for movement in layer {
                        self.moves(movement, &|judge, step| {
                            let good = [judge.must(a, &step.next)?, judge.must_be_fair(&step.next)?];
                            Ok(Formula::and(good))
                        })?;
                    }
                }
            }
            Core::Until(a, b) => {
                for layer in &path.layers {
                    for movement in layer {
                        let store = self.places[movement.place].store.clone();
                        if movement.step.is_none() {
                            let done = Formula::and([self.must(b, &store)?, self.must_be_fair(&store)?]);
                            self.lies_in(
                                movement,
                                &done,
                                "where a run of `EU` ends its second operand is true",
                            )?;
                            continue;
                        }
                        let waiting = self.must(a, &store)?;
                        self.lies_in(movement, &waiting, "on a run of `EU` its first operand is true")?;
                        self.moves(movement, &|judge, step| judge.nearer(&known, layer, movement, step))?;
                    }
                    known.extend(layer);
                }
            }
            Core::Globally(_) | Core::Infinitely(_) => {
                let anything = Core::Atom(Expr::Bool(true));
                let a = if let Core::Globally(a) = &label.formula { a } else { &anything };
                for cycle in &path.cycles {
                    self.cycle(cycle, a)?;
                    known.extend(&cycle.moves);
                }
                for layer in &path.layers {
                    for movement in layer {
                        let operand = self.must(a, &self.places[movement.place].store.clone())?;
                        self.lies_in(movement, &operand, "on a run of `EG` its operand is true")?;
                        self.moves(movement, &|judge, step| judge.nearer(&known, layer, movement, step))?;
                    }
                    known.extend(layer);
                }
            }
            _ => return Err(premise("a label belongs to an existential operator")),
        }
        // The label claims no more than the sets that were shown.
        let all: Vec<&Move> =
            path.cycles.iter().flat_map(|cycle| &cycle.moves).chain(path.layers.iter().flatten()).collect();
        for place in 0..self.places.len() {
            let store = self.places[place].store.clone();
            let claimed = Formula::and([self.here(place)?, self.inside(&label.must, &store)?]);
            let mut covered = self.covered(&all, &store)?;
            if let Core::Until(a, b) = &label.formula
                && **a == Core::Atom(Expr::Bool(true))
            {
                // Every fair run reaches the second operand, and there is a fair run.
                let avoiding = Core::Globally(Box::new((**b).clone().negated()));
                let sure = [self.may(&avoiding, &store)?.negated(), self.must_be_fair(&store)?];
                covered = Formula::or([covered, Formula::and(sure)]);
            }
            let beyond = Formula::and([claimed, covered.negated()]);
            self.two_solvers.impossible(&beyond, "every state of a label has a move")?;
        }
        Ok(())
    }

    /// Shows that runs stay on the cycle for ever, that the operand is true on it, and that it is fair.
    fn cycle(&mut self, cycle: &Cycle, a: &Core) -> Result<(), End> {
        let number = cycle.moves.len();
        let all: Vec<&Move> = cycle.moves.iter().collect();
        let returning: Vec<&Move> = all.iter().copied().filter(|one| one.rank.is_none()).collect();
        for (position, movement) in cycle.moves.iter().enumerate() {
            let operand = self.must(a, &self.places[movement.place].store.clone())?;
            self.lies_in(movement, &operand, "on a cycle of `EG` its operand is true")?;
            if !cycle.ordered && movement.rank.is_some() {
                self.moves(movement, &|judge, step| judge.nearer(&returning, &cycle.moves, movement, step))?;
                continue;
            }
            let next = [&cycle.moves[(position + 1) % number]];
            let targets: &[&Move] = if cycle.ordered { &next } else { &all };
            self.moves(movement, &|judge, step| judge.union(targets, step))?;
        }
        if self.global[cycle.alternative] && !self.never_returns(cycle)? && !self.is_forced(cycle)? {
            return Err(premise("a cycle of `EG` meets strong global fairness"));
        }
        for requirement in self.alternatives[cycle.alternative].clone() {
            let mut steps = Vec::new();
            for movement in &cycle.moves {
                let store = self.places[movement.place].store.clone();
                let label = movement.step.unwrap_or(Label::Idle);
                let here = Formula::and([self.here(movement.place)?, self.set(movement)?]);
                let (when, then) = self.demand(&requirement, &store, label, self.marks(movement))?;
                steps.push((here, when, then.negated()));
            }
            let minded = |(here, when, otherwise): &(Formula, Formula, Formula)| {
                Formula::and([here.clone(), when.clone(), otherwise.clone()])
            };
            let missing = |(here, _, otherwise): &(Formula, Formula, Formula)| {
                Formula::and([here.clone(), otherwise.clone()])
            };
            let every = self.two_solvers.holds(&Formula::or(steps.iter().map(minded)))?;
            let mut met = every;
            for step in steps.iter().filter(|_| cycle.ordered) {
                met = met || self.two_solvers.holds(&missing(step))?;
            }
            if !met && !cycle.ordered {
                let without = steps.iter().zip(&cycle.moves).filter(|(_, one)| one.rank.is_none());
                met = self.two_solvers.holds(&Formula::or(without.map(|(step, _)| missing(step))))?;
            }
            if !met {
                return Err(premise("a cycle of `EG` meets the fairness"));
            }
        }
        Ok(())
    }

    /// Whether some cell drifts away on the cycle for ever.
    fn never_returns(&mut self, cycle: &Cycle) -> Result<bool, End> {
        let mut moves = Vec::new();
        for movement in &cycle.moves {
            let here = Formula::and([self.here(movement.place)?, self.set(movement)?]);
            let store = self.places[movement.place].store.clone();
            moves.push((here, store, self.ways(movement)?, movement.rank.is_none()));
        }
        for cell in 0..self.instance.cells.len() {
            for sign in [1, -1] {
                // In a cycle that is not ordered, any of the moves without a rank may be the one that is repeated.
                let (mut never_back, mut some_grow, mut some_rest) = (true, false, false);
                for (here, store, ways, repeated) in &moves {
                    let mut grows = true;
                    for way in ways {
                        let growth = way.next.cells[cell].plus(-1, &store.cells[cell])?.times(sign)?;
                        let taken = |how: &Linear| {
                            Formula::and([here.clone(), way.when.clone(), Formula::at_most(how)])
                        };
                        never_back = never_back && self.two_solvers.holds(&taken(&growth.successor()))?;
                        grows = grows && never_back && self.two_solvers.holds(&taken(&growth))?;
                    }
                    some_grow |= grows && (cycle.ordered || *repeated);
                    some_rest |= !grows && *repeated;
                }
                if never_back && some_grow && (cycle.ordered || !some_rest) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether no state of the cycle has a step but the one that is taken. In a product there are steps that the automaton
    /// does not read, so this is not shown.
    fn is_forced(&mut self, cycle: &Cycle) -> Result<bool, End> {
        if self.automaton.is_some() {
            return Ok(false);
        }
        for movement in &cycle.moves {
            let here = Formula::and([self.here(movement.place)?, self.set(movement)?]);
            let ways = self.ways(movement)?;
            for step in self.places[movement.place].steps.clone() {
                let mut other = vec![here.clone(), step.when.clone()];
                for way in ways.iter().filter(|way| way.label == step.label) {
                    let cells = way.next.cells.iter().zip(&step.next.cells);
                    let same = Formula::try_and(cells.map(|(a, b)| Formula::eq(a, b)))?;
                    other.push(Formula::and([way.when.clone(), same]).negated());
                }
                if !self.two_solvers.holds(&Formula::and(other))? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The steps that a move makes.
    fn ways(&self, movement: &Move) -> Result<Vec<Step>, End> {
        let Some(label) = movement.step else { return Err(premise("a move has a step")) };
        let store = &self.places[movement.place].store;
        let ways = chosen_step(self.instance, store, label, &movement.choices, self.limits)?;
        Ok(self.read(store, ways, Some(movement.reading))?)
    }

    /// Shows that the set of a move lies in another set.
    fn lies_in(&mut self, movement: &Move, set: &Formula, what: &str) -> Result<(), End> {
        let here = Formula::and([self.here(movement.place)?, self.set(movement)?]);
        self.two_solvers.impossible(&Formula::and([here, set.negated()]), what)
    }

    /// Shows that in every state of its set a move is possible and leads where it should.
    fn moves(
        &mut self,
        movement: &Move,
        good: &dyn Fn(&LabelJudge<'_>, &Step) -> Result<Formula, End>,
    ) -> Result<(), End> {
        let here = Formula::and([self.here(movement.place)?, self.set(movement)?]);
        let ways = self.ways(movement)?;
        let some = Formula::or(ways.iter().map(|way| way.when.clone()));
        self.two_solvers.impossible(&Formula::and([here.clone(), some.negated()]), "a move can be made")?;
        for way in &ways {
            let target = Formula::and([self.places[movement.target].has(&way.next)?, good(self, way)?]);
            let astray = Formula::and([here.clone(), way.when.clone(), target.negated()]);
            self.two_solvers.impossible(&astray, "a move leads where it should")?;
        }
        Ok(())
    }

    /// The set of a move, in the states of its place.
    fn set(&self, movement: &Move) -> Result<Formula, End> {
        Ok(self.state_truth(&movement.states, &self.places[movement.place].store)?)
    }

    /// The condition that a step of a move leads into the set of one of these moves, or into its own layer with a
    /// smaller rank.
    fn nearer(&self, known: &[&Move], layer: &[Move], movement: &Move, step: &Step) -> Result<Formula, End> {
        let mut cases = vec![self.union(known, step)?];
        let value = |rank: &Expr, store: &Store| Reader::new(self.instance, store, self.limits).total(rank);
        if let Some(rank) = &movement.rank {
            let before = value(rank, &self.places[movement.place].store)?;
            for next in layer {
                let Some(rank) = &next.rank else { continue };
                let inside = self.covered(&[next], &step.next)?;
                if inside == Formula::Bool(false) {
                    continue;
                }
                let after = value(rank, &step.next)?;
                let zero = vec![(Formula::Bool(true), Linear::default())];
                cases.push(Formula::and([
                    inside,
                    compare(&after, &before, Formula::lt)?,
                    compare(&zero, &after, Formula::le)?,
                ]));
            }
        }
        Ok(Formula::or(cases))
    }

    /// The condition that a step leads into the set of one of these moves.
    fn union(&self, moves: &[&Move], step: &Step) -> Result<Formula, End> {
        self.covered(moves, &step.next)
    }

    /// The condition that a state is in the set of one of these moves.
    pub(super) fn covered(&self, moves: &[&Move], store: &Store) -> Result<Formula, End> {
        let mut cases = Vec::new();
        for movement in moves {
            let at = self.places[movement.place].has(store)?;
            if at != Formula::Bool(false) {
                cases.push(Formula::and([at, self.state_truth(&movement.states, store)?]));
            }
        }
        Ok(Formula::or(cases))
    }
}
