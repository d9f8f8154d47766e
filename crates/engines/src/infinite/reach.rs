//! `EU` from two sides: the states that certainly reach a set, and those that may.
//!
//! `must` grows backwards, in layers of moves. If that does not end, loops are repeated many times at once
//! ([`accelerate`](super::accelerate)) and parts that differ only in irrelevant conditions are merged
//! ([`merge`](super::merge)). A [walk](super::walk) from the initial states searches for what is still missing. Where
//! every run reaches the set, some run does, so ranking helps here as well.
//!
//! `may` equals `must` if no step leads into it from outside. Otherwise `may` is computed backwards itself, without
//! choosing integers. If that does not end either, Horn clauses separate the initial states, or single ones, from the
//! set.

use arith::{Linear, Var};
use smt::{Answer, Clause, Formula};

use super::accelerate::{Loop, loops, many_rounds};
use super::label::{Analysis, Goal, Labelled, Set, Sides, complement, meet, union};
use super::merge::merged;
use super::moves::{Move, moves};
use super::oracles::{Oracles, Stop};
use super::walk::walk;

/// The number of rounds backwards, and the greatest size of a set.
const ROUNDS: usize = 10;
const SIZE: usize = 3_000;
/// The greatest number of parts of the set at one place.
const PARTS: usize = 24;
/// The number of single states that are separated from a set.
const POINTS: usize = 4;
/// The number of rounds in which loops of a place are accelerated.
const LOOP_ROUNDS: usize = 3;

impl Analysis<'_> {
    /// `EU`, and `EG` of the negation of its second operand if that was needed.
    pub(super) fn until(
        &self,
        a: &Sides,
        second: &Sides,
        fair: &Sides,
        goal: Goal,
        oracles: &mut Oracles<'_>,
    ) -> Result<(Labelled, Option<Labelled>), Stop> {
        let places = self.program.places.len();
        let b = &meet(second, fair);
        let there: Vec<Move> = b
            .must
            .iter()
            .enumerate()
            .filter(|(_, states)| **states != Formula::Bool(false))
            .map(|(place, states)| Move {
                place,
                states: states.clone(),
                edge: None,
                chosen: std::collections::BTreeMap::new(),
                target: place,
                rank: None,
            })
            .collect();
        let everything = vec![Formula::Bool(true); places];
        let mut layers = vec![there];
        self.backwards(&a.must, &mut layers, goal, oracles)?;
        let mut must = union(places, layers.iter().flatten());
        if self.reaches_goal(&must, goal, oracles)? {
            return Ok((Labelled { layers, ..Labelled::of(Sides { must, may: everything }) }, None));
        }
        let arrived: Set = b.may.iter().zip(&must).map(|(b, must)| b.implies(must)).collect();
        if self.covers(&arrived, oracles)? && self.is_closed(&must, &a.may, oracles)? {
            let may = must.clone();
            return Ok((Labelled { layers, ..Labelled::of(Sides { must, may }) }, None));
        }
        let found = self.may_reach(a, b, oracles)?;
        let sensible = found.as_ref().unwrap_or(&everything);
        let mut needed = None;
        let open: Set = sensible.iter().zip(&must).map(|(may, must)| may.implies(must)).collect();
        if !self.covers(&open, oracles)? {
            let mut met = false;
            for (place, initial) in &self.program.initial {
                met |= !oracles.is_empty(&Formula::and([initial.clone(), must[*place].clone()]))?;
            }
            if !met && let Some(steps) = walk(self.program, &a.must, &must, oracles)? {
                layers.extend(steps.into_iter().map(|step| vec![step]));
                must = union(places, layers.iter().flatten());
            }
            // Where every run reaches `b`, some run does; there always is a run, and a fair one where that is known.
            if a.must.iter().all(|set| *set == Formula::Bool(true)) {
                let avoiding = Sides { must: complement(&second.may), may: complement(&second.must) };
                let avoiding = self.globally(&avoiding, Goal::AllStates, oracles)?;
                let mut more = false;
                for (place, may) in avoiding.sides.may.iter().enumerate() {
                    let sure = Formula::and([may.negated(), fair.must[place].clone()]);
                    let new = [self.invariant[place].clone(), sure.clone(), must[place].negated()];
                    if !oracles.is_empty(&Formula::and(new))? {
                        more = true;
                        must[place] = Formula::or([must[place].clone(), sure]);
                    }
                }
                needed = Some(avoiding).filter(|_| more);
            }
        }
        let may = match found {
            Some(may) => may,
            None => self.separated(a, b, &must, oracles)?,
        };
        Ok((Labelled { layers, ..Labelled::of(Sides { must, may }) }, needed))
    }

    /// Adds layers of moves into the earlier ones, inside `stay`, for a few rounds or until there are no new states.
    /// Loops are accelerated only if going back step by step does not end.
    pub(super) fn backwards(
        &self,
        stay: &[Formula],
        layers: &mut Vec<Vec<Move>>,
        goal: Goal,
        oracles: &mut Oracles<'_>,
    ) -> Result<(), Stop> {
        let begin = layers.clone();
        let loops = loops(self.program, stay, &self.invariant)?;
        let parts = if loops.is_empty() { PARTS } else { PARTS / 3 };
        if self.layered(stay, layers, &[], parts, goal, oracles)? || loops.is_empty() {
            return Ok(());
        }
        let by_steps = std::mem::replace(layers, begin);
        self.layered(stay, layers, &loops, PARTS, goal, oracles)?;
        if !layers.iter().flatten().any(|found| found.rank.is_some()) {
            *layers = by_steps;
        }
        Ok(())
    }

    /// Adds layers until a place has more parts than the limit. Returns whether no state is left to add, or none is
    /// needed.
    fn layered(
        &self,
        stay: &[Formula],
        layers: &mut Vec<Vec<Move>>,
        loops: &[Loop],
        parts: usize,
        goal: Goal,
        oracles: &mut Oracles<'_>,
    ) -> Result<bool, Stop> {
        let places = self.program.places.len();
        let mut reached = union(places, layers.iter().flatten());
        let mut frontier: Vec<Vec<Formula>> = reached
            .iter()
            .map(|set| match set {
                Formula::Bool(false) => Vec::new(),
                Formula::Or(parts) => parts.clone(),
                other => vec![other.clone()],
            })
            .collect();
        // Per place, the number of rounds that added something new.
        let mut tried = vec![0; places];
        for _ in 0..ROUNDS + 2 * places {
            // Moves that are needed together or not at all: a single move, or all of a loop, with its beginning
            // first.
            let mut candidates: Vec<Vec<Move>> = Vec::new();
            for around in loops.iter().filter(|around| tried[around.place] < LOOP_ROUNDS) {
                for set in &frontier[around.place] {
                    candidates.push(many_rounds(around, set, stay, oracles)?);
                }
            }
            frontier.iter().zip(&mut tried).for_each(|(sets, tried)| *tried += usize::from(!sets.is_empty()));
            for (number, edge) in self.program.edges.iter().enumerate() {
                if frontier[edge.target].is_empty() || self.invariant[edge.source] == Formula::Bool(false) {
                    continue;
                }
                let into = Formula::or(frontier[edge.target].iter().cloned());
                let found = moves(self.program, number, &edge.guard, &stay[edge.source], &into)?;
                candidates.extend(found.into_iter().map(|found| vec![found]));
            }
            let mut layer: Vec<Move> = Vec::new();
            let mut next = vec![Vec::new(); places];
            for together in candidates {
                let Some(first) = together.first() else { continue };
                let known = [self.invariant[first.place].clone(), reached[first.place].negated()];
                if oracles.is_empty(&Formula::and(known.into_iter().chain([first.states.clone()])))? {
                    continue;
                }
                for mut found in together {
                    let place = found.place;
                    found.states = oracles.short(&self.invariant[place], found.states)?;
                    reached[place] = Formula::or([reached[place].clone(), found.states.clone()]);
                    next[place].push(found.states.clone());
                    layer.push(found);
                }
            }
            for (place, new) in next.iter_mut().enumerate() {
                *new = merged(std::mem::take(new));
                if let (false, Formula::Or(parts)) = (new.is_empty(), &mut reached[place]) {
                    reached[place] = Formula::or(merged(std::mem::take(parts)));
                }
                // If a place is full, its parts are no longer needed.
                if new.len() + usize::from(matches!(reached[place], Formula::Or(_))) > 1
                    && oracles.implies(&self.invariant[place], &reached[place])?
                {
                    reached[place] = Formula::Bool(true);
                    *new = vec![Formula::Bool(true)];
                }
            }
            if layer.is_empty() {
                return Ok(true);
            }
            layers.push(layer);
            frontier = next;
            if self.reaches_goal(&reached, goal, oracles)? {
                return Ok(true);
            }
            let diverges = reached.iter().any(|set| matches!(set, Formula::Or(all) if all.len() > parts));
            if diverges || reached.iter().map(Formula::size).sum::<usize>() > SIZE {
                break;
            }
        }
        Ok(false)
    }

    /// The states from which `b` can be reached through `a`, if the backward search ends without an initial state.
    pub(super) fn unreached(
        &self,
        a: &Sides,
        b: &Sides,
        oracles: &mut Oracles<'_>,
    ) -> Result<Option<Set>, Stop> {
        let Some(reached) = self.may_reach(a, b, oracles)? else { return Ok(None) };
        for (place, initial) in &self.program.initial {
            if !oracles.is_empty(&Formula::and([initial.clone(), reached[*place].clone()]))? {
                return Ok(None);
            }
        }
        Ok(Some(reached))
    }

    /// The states from which `b` can be reached through `a`, if the backward search ends.
    fn may_reach(&self, a: &Sides, b: &Sides, oracles: &mut Oracles<'_>) -> Result<Option<Set>, Stop> {
        let places = self.program.places.len();
        let mut reached = Vec::new();
        for place in 0..places {
            reached.push(oracles.lean(&self.invariant[place], b.may[place].clone())?);
        }
        let mut frontier = reached.clone();
        for _ in 0..ROUNDS + 2 * places {
            let mut next = vec![Vec::new(); places];
            for edge in &self.program.edges {
                if frontier[edge.target] == Formula::Bool(false) {
                    continue;
                }
                let before = Formula::and([
                    edge.guard.clone(),
                    a.may[edge.source].clone(),
                    edge.before(&frontier[edge.target])?,
                ]);
                let new = Formula::and([
                    self.invariant[edge.source].clone(),
                    before.clone(),
                    reached[edge.source].negated(),
                ]);
                if oracles.is_empty(&new)? {
                    continue;
                }
                let before = oracles.project(&before)?.unwrap_or(Formula::Bool(true));
                reached[edge.source] = Formula::or([reached[edge.source].clone(), before.clone()]);
                next[edge.source].push(before);
            }
            if next.iter().all(Vec::is_empty) {
                return Ok(Some(reached));
            }
            let mut size = 0;
            for (set, invariant) in reached.iter_mut().zip(&self.invariant) {
                let whole = std::mem::replace(set, Formula::Bool(true));
                *set = oracles.lean(invariant, whole)?;
                size += set.size();
            }
            let diverges = reached.iter().any(|set| matches!(set, Formula::Or(parts) if parts.len() > PARTS));
            if diverges || size > SIZE {
                break;
            }
            frontier = next.into_iter().map(Formula::or).collect();
        }
        Ok(None)
    }

    /// A set that contains all states from which `b` can be reached through `a`, by Horn clauses: first an
    /// interpretation that separates all initial states from `b`, then ones that separate single states.
    fn separated(
        &self,
        a: &Sides,
        b: &Sides,
        must: &[Formula],
        oracles: &mut Oracles<'_>,
    ) -> Result<Set, Stop> {
        let places = self.program.places.len();
        let mut may = vec![Formula::Bool(true); places];
        if let Some(apart) = self.interpretation(a, b, &self.program.initial, oracles)? {
            for (may, apart) in may.iter_mut().zip(&apart) {
                *may = apart.negated();
            }
            return Ok(may);
        }
        let mut tried = vec![Formula::Bool(false); places];
        for _ in 0..POINTS {
            let mut point = None;
            let initial = self.program.initial.iter().map(|(place, formula)| (*place, formula.clone()));
            let anywhere = self.invariant.iter().cloned().enumerate();
            for (place, states) in initial.chain(anywhere) {
                let open = [states, may[place].clone(), must[place].negated(), tried[place].negated()];
                if let Some(model) = oracles.model(&Formula::and(open))? {
                    let cells = (0..self.program.cells as u32).map(Var);
                    let equal = |var| Formula::eq(&Linear::var(var), &Linear::constant(model.value(var)));
                    point = Some((place, Formula::try_and(cells.map(equal))?));
                    break;
                }
            }
            let Some((place, state)) = point else { break };
            tried[place] = Formula::or([tried[place].clone(), state.clone()]);
            if let Some(apart) = self.interpretation(a, b, &[(place, state)], oracles)? {
                for (may, apart) in may.iter_mut().zip(&apart) {
                    *may = Formula::and([may.clone(), apart.negated()]);
                }
            }
        }
        Ok(may)
    }

    /// A set with these states in it that is closed under steps inside `a` and does not meet `b`.
    fn interpretation(
        &self,
        a: &Sides,
        b: &Sides,
        from: &[(usize, Formula)],
        oracles: &mut Oracles<'_>,
    ) -> Result<Option<Set>, Stop> {
        let places = self.program.places.len();
        let cells: Vec<Linear> = (0..self.program.cells as u32).map(|cell| Linear::var(Var(cell))).collect();
        let mut clauses = Vec::new();
        for (place, formula) in from {
            let head = Some((*place, cells.clone()));
            clauses.push(Clause { body: Vec::new(), constraint: formula.clone(), head });
        }
        for edge in &self.program.edges {
            let after = cells.iter().map(|cell| cell.replaced(&|var| edge.update.get(&var)));
            let after = after.collect::<Result<_, _>>()?;
            let constraint = Formula::and([
                self.invariant[edge.source].clone(),
                a.may[edge.source].clone(),
                edge.guard.clone(),
            ]);
            if constraint != Formula::Bool(false) {
                let body = vec![(edge.source, cells.clone())];
                clauses.push(Clause { body, constraint, head: Some((edge.target, after)) });
            }
        }
        for (place, bad) in b.may.iter().enumerate() {
            let constraint = Formula::and([self.invariant[place].clone(), bad.clone()]);
            if constraint != Formula::Bool(false) {
                clauses.push(Clause { body: vec![(place, cells.clone())], constraint, head: None });
            }
        }
        let (answer, found) = oracles.horn(&vec![cells.len(); places], &clauses)?;
        if answer != Answer::Sat {
            return Ok(None);
        }
        // Check the solver's result: the set must be closed and must not meet the bad states.
        for (place, apart) in found.iter().enumerate() {
            let bad = [self.invariant[place].clone(), apart.clone(), b.may[place].clone()];
            if !oracles.is_empty(&Formula::and(bad))? {
                return Ok(None);
            }
        }
        Ok(self.is_closed(&complement(&found), &a.may, oracles)?.then_some(found))
    }
}
