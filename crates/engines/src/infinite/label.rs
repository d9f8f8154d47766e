//! Labels with two sides: for each subformula a set in which it must be true, and one outside of which it is false.
//!
//! Everything is inside the invariant. Negation exchanges the sides, so an approximation never becomes unsound:
//! `must` of a negation is the complement of `may`. For the existential operators, `must` is shown by moves
//! ([`moves`](super::moves), [`reach`](super::reach), [`recur`](super::recur)) and `may` by closed complements and
//! ranking ([`rank`](super::rank)). A side that is not found is empty (`must`) or full (`may`). Fairness appears in
//! `EG` only: the states from which some fair run begins are `EG true`, and `EX` and `EU` require them at their end,
//! because any finite beginning of a fair run is allowed. The premises are those of [`model::labelling`].

use std::collections::BTreeSet;

use model::{Core, Expr, Instance};
use smt::Formula;

use super::moves::{Move, moves};
use super::oracles::{Oracles, Stop};
use super::program::Program;
use super::rank::{Argument, RestrictedEdge, rank, rank_deeper};
use super::recur::{Recurrence, endless, recurrence};
use super::walk::walk;

/// A set of states: a formula per place.
pub(super) type Set = Vec<Formula>;

/// The two sides of a formula.
#[derive(Clone, Debug)]
pub(super) struct Sides {
    pub(super) must: Set,
    pub(super) may: Set,
}

/// The two sides of an existential formula, and why they are right.
#[derive(Clone, Debug)]
pub(super) struct Labelled {
    pub(super) formula: Core,
    pub(super) sides: Sides,
    /// For `EG`: recurrent sets, each with the alternative of the fairness that it meets.
    pub(super) cycles: Vec<(usize, Recurrence)>,
    pub(super) layers: Vec<Vec<Move>>,
    /// For `EG`: arguments per alternative.
    pub(super) arguments: Vec<Vec<Argument>>,
}

/// The states that `must` should contain. The search ends early if they decide the property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// One initial state.
    OneInitial,
    /// All initial states.
    AllInitial,
    /// All initial states, for the formula and for its negation. It is a part of a conjunction or a disjunction, and
    /// in some initial state another part may decide.
    AllInitialOfPart,
    /// All states that can be found: the formula is inside another.
    AllStates,
}

/// A requirement: per edge, the condition for `when` and the condition for `then`.
#[derive(Clone, Debug)]
pub(super) struct EdgeDemand {
    pub(super) when: Vec<Formula>,
    pub(super) then: Vec<Formula>,
}

/// A program under analysis.
pub(super) struct Analysis<'a> {
    pub(super) instance: &'a Instance,
    pub(super) program: &'a Program,
    pub(super) invariant: Set,
    /// The alternatives of the fairness.
    pub(super) alternatives: Vec<Vec<EdgeDemand>>,
    /// Per alternative, whether it also asks for strong global fairness.
    pub(super) global: Vec<bool>,
    /// Whether the program is a product with an automaton.
    pub(super) is_product: bool,
    pub(super) labelled: Vec<Labelled>,
}

/// The number of searches for recurrent sets in one label.
const ATTEMPTS: usize = 8;

impl Analysis<'_> {
    /// The sides of a formula, searched until the goal is reached.
    pub(super) fn label(
        &mut self,
        formula: &Core,
        goal: Goal,
        oracles: &mut Oracles<'_>,
    ) -> Result<Sides, Stop> {
        let places = self.program.places.len();
        Ok(match formula {
            Core::Atom(atom) => {
                let set = self.atom(atom)?;
                Sides { must: set.clone(), may: set }
            }
            Core::Not(a) => {
                let goal = match goal {
                    Goal::AllInitial => Goal::OneInitial,
                    Goal::OneInitial => Goal::AllInitial,
                    Goal::AllInitialOfPart | Goal::AllStates => goal,
                };
                let Sides { must, may } = self.label(a, goal, oracles)?;
                Sides { must: complement(&may), may: complement(&must) }
            }
            Core::And(parts) | Core::Or(parts) => {
                let mut sides = Vec::new();
                let goal = match (formula, goal) {
                    (Core::And(_), Goal::OneInitial) | (Core::Or(_), Goal::AllInitial) => {
                        Goal::AllInitialOfPart
                    }
                    _ => goal,
                };
                for part in parts {
                    sides.push(self.label(part, goal, oracles)?);
                }
                let join = |of: &dyn Fn(&Sides) -> &Set| -> Set {
                    (0..places)
                        .map(|place| {
                            let parts = sides.iter().map(|sides| of(sides)[place].clone());
                            if matches!(formula, Core::And(_)) {
                                Formula::and(parts)
                            } else {
                                Formula::or(parts)
                            }
                        })
                        .collect()
                };
                Sides { must: join(&|sides| &sides.must), may: join(&|sides| &sides.may) }
            }
            Core::Next(_) | Core::Until(..) | Core::Globally(_) | Core::Infinitely(_) => {
                if let Some(known) = self.labelled.iter().find(|labelled| labelled.formula == *formula) {
                    return Ok(known.sides.clone());
                }
                let labelled = match formula {
                    Core::Next(a) => {
                        let (a, fair) = (self.label(a, Goal::AllStates, oracles)?, self.fair(oracles)?);
                        self.next(&meet(&a, &fair), oracles)?
                    }
                    Core::Until(first, second) => {
                        let a = self.label(first, Goal::AllStates, oracles)?;
                        let b = self.label(second, Goal::AllStates, oracles)?;
                        if self.covers(&complement(&b.may), oracles)? {
                            // There is nothing to reach, for fair runs or others.
                            let none = vec![Formula::Bool(false); places];
                            let sides = Sides { must: none.clone(), may: none };
                            let labelled =
                                Labelled { formula: formula.clone(), ..Labelled::of(sides.clone()) };
                            self.labelled.push(labelled);
                            return Ok(sides);
                        }
                        // What cannot be reached at all is not reached by fair runs, whichever these are.
                        if goal != Goal::AllStates
                            && !self.is_known_fair()
                            && let Some(may) = self.unreached(&a, &b, oracles)?
                        {
                            let sides = Sides { must: vec![Formula::Bool(false); places], may };
                            let labelled =
                                Labelled { formula: formula.clone(), ..Labelled::of(sides.clone()) };
                            self.labelled.push(labelled);
                            return Ok(sides);
                        }
                        let fair = self.fair(oracles)?;
                        let (until, avoiding) = self.until(&a, &b, &fair, goal, oracles)?;
                        let formula = Core::Globally(Box::new((**second).clone().negated()));
                        self.labelled.extend(avoiding.map(|avoiding| Labelled { formula, ..avoiding }));
                        until
                    }
                    Core::Globally(a) => {
                        let a = self.label(a, Goal::AllStates, oracles)?;
                        self.globally(&a, goal, oracles)?
                    }
                    Core::Infinitely(parts) => {
                        let parts = parts.iter().map(|part| self.label(part, Goal::AllStates, oracles));
                        let parts = parts.collect::<Result<Vec<_>, _>>()?;
                        self.infinitely(&parts, goal, oracles)?
                    }
                    _ => unreachable!("only these come here"),
                };
                let labelled = Labelled { formula: formula.clone(), ..labelled };
                let sides = labelled.sides.clone();
                self.labelled.push(labelled);
                sides
            }
        })
    }

    /// The sides of "some run, fair or not, reaches this set".
    pub(super) fn reaching(&self, set: &[Formula], oracles: &mut Oracles<'_>) -> Result<Labelled, Stop> {
        let all = vec![Formula::Bool(true); self.program.places.len()];
        let all = Sides { must: all.clone(), may: all };
        let reached = Sides { must: set.to_vec(), may: set.to_vec() };
        Ok(self.until(&all, &reached, &all, Goal::OneInitial, oracles)?.0)
    }

    fn atom(&self, atom: &Expr) -> Result<Set, Stop> {
        let at = |place| self.program.at(self.instance, place, atom);
        Ok((0..self.program.places.len()).map(at).collect::<Result<_, _>>()?)
    }

    /// Whether every run is fair.
    fn is_known_fair(&self) -> bool {
        self.alternatives.iter().zip(&self.global).any(|(demands, global)| demands.is_empty() && !global)
    }

    /// Whether a recurrent set has runs that are fair by an alternative, if they meet its demands.
    fn is_fair(&self, number: usize, found: &Recurrence, oracles: &mut Oracles<'_>) -> Result<bool, Stop> {
        if !self.global[number] {
            return Ok(true);
        }
        Ok(self.never_returns(found, oracles)? || self.is_forced(found, oracles)?)
    }

    /// The states from which some fair run begins.
    fn fair(&mut self, oracles: &mut Oracles<'_>) -> Result<Sides, Stop> {
        if self.is_known_fair() {
            let all = vec![Formula::Bool(true); self.program.places.len()];
            return Ok(Sides { must: all.clone(), may: all });
        }
        let runs = Core::Globally(Box::new(Core::Atom(Expr::Bool(true))));
        self.label(&runs, Goal::AllStates, oracles)
    }

    /// Whether a set of states that is in `must` reaches the goal.
    pub(super) fn reaches_goal(
        &self,
        set: &[Formula],
        goal: Goal,
        oracles: &mut Oracles<'_>,
    ) -> Result<bool, Stop> {
        for (place, initial) in &self.program.initial {
            let decided = match goal {
                Goal::AllStates => return Ok(false),
                Goal::OneInitial => {
                    let met = Formula::and([initial.clone(), set[*place].clone()]);
                    oracles.model(&met)?.is_some()
                }
                Goal::AllInitial | Goal::AllInitialOfPart => !oracles.implies(initial, &set[*place])?,
            };
            if decided {
                return Ok(goal == Goal::OneInitial);
            }
        }
        Ok(goal != Goal::OneInitial)
    }

    fn next(&self, a: &Sides, oracles: &mut Oracles<'_>) -> Result<Labelled, Stop> {
        let mut found = Vec::new();
        let mut may = vec![Formula::Bool(false); self.program.places.len()];
        for (number, edge) in self.program.edges.iter().enumerate() {
            let here = &self.invariant[edge.source];
            for found_move in
                moves(self.program, number, &edge.guard, &Formula::Bool(true), &a.must[edge.target])?
            {
                if !oracles.is_empty(&Formula::and([here.clone(), found_move.states.clone()]))? {
                    found.push(found_move);
                }
            }
            let before = Formula::and([edge.guard.clone(), edge.before(&a.may[edge.target])?]);
            if !oracles.is_empty(&Formula::and([here.clone(), before.clone()]))? {
                let before = oracles.project(&before)?.unwrap_or(Formula::Bool(true));
                let all = std::mem::replace(&mut may[edge.source], Formula::Bool(true));
                may[edge.source] = Formula::or([all, before]);
            }
        }
        let must = union(self.program.places.len(), &found);
        Ok(Labelled { layers: vec![found], ..Labelled::of(Sides { must, may }) })
    }

    /// Whether a set contains every reachable state.
    pub(super) fn covers(&self, set: &[Formula], oracles: &mut Oracles<'_>) -> Result<bool, Stop> {
        for (here, set) in self.invariant.iter().zip(set) {
            if !oracles.implies(here, set)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether no step from outside a set, inside `stay`, leads into the set.
    pub(super) fn is_closed(
        &self,
        set: &[Formula],
        stay: &[Formula],
        oracles: &mut Oracles<'_>,
    ) -> Result<bool, Stop> {
        for edge in &self.program.edges {
            let entering = Formula::and([
                self.invariant[edge.source].clone(),
                set[edge.source].negated(),
                stay[edge.source].clone(),
                edge.guard.clone(),
                edge.before(&set[edge.target])?,
            ]);
            if !oracles.is_empty(&entering)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn globally(
        &self,
        a: &Sides,
        goal: Goal,
        oracles: &mut Oracles<'_>,
    ) -> Result<Labelled, Stop> {
        let places = self.program.places.len();
        let mut cycles: Vec<(usize, Recurrence)> = Vec::new();
        let mut layers: Vec<Vec<Move>> = Vec::new();
        let mut must = vec![Formula::Bool(false); places];
        let mut stuck_places: BTreeSet<usize> = BTreeSet::new();
        let mut arguments = Vec::new();
        // In most programs some run is fair from most states. That can be shown without searching for single cycles.
        if a.must.iter().all(|set| *set == Formula::Bool(true)) {
            for (number, demands) in self.alternatives.iter().enumerate() {
                let steps = self.steps(demands, &self.invariant, oracles)?;
                let Some(found) = endless(self.program, &steps, &self.invariant, &self.invariant, oracles)?
                else {
                    continue;
                };
                if !self.is_fair(number, &found, oracles)? {
                    continue;
                }
                let mut all = union(places, &found.moves);
                for (set, invariant) in all.iter_mut().zip(&self.invariant) {
                    if oracles.implies(invariant, set)? {
                        *set = Formula::Bool(true);
                    }
                }
                if all.iter().all(|set| *set == Formula::Bool(true)) {
                    let sides = Sides { must: all.clone(), may: all };
                    return Ok(Labelled { cycles: vec![(number, found)], ..Labelled::of(sides) });
                }
            }
        }
        for _ in 0..ATTEMPTS {
            arguments.clear();
            stuck_places.clear();
            let mut found_more = false;
            for (number, demands) in self.alternatives.iter().enumerate() {
                let outside: Set = (0..places)
                    .map(|place| {
                        Formula::and([
                            self.invariant[place].clone(),
                            a.may[place].clone(),
                            must[place].negated(),
                        ])
                    })
                    .collect();
                let ranked = rank(self.steps(demands, &outside, oracles)?, places, oracles)?;
                let mut found_arguments = ranked.arguments;
                for component in ranked.stuck {
                    // If a run can stay there, deeper arguments cannot succeed.
                    let mut fair =
                        |found: &Recurrence, oracles: &mut Oracles<'_>| self.is_fair(number, found, oracles);
                    let found = recurrence(self.program, &component, &a.must, &outside, &mut fair, oracles)?;
                    if let Some(found) = found {
                        cycles.push((number, found));
                        found_more = true;
                    } else if let Some(deeper) = rank_deeper(&component, places, oracles)? {
                        found_arguments.extend(deeper);
                        continue;
                    }
                    stuck_places.extend(component.iter().map(|step| step.source));
                }
                arguments.push(found_arguments);
            }
            if !found_more {
                break;
            }
            // Runs lead into any of the cycles. Compute the layers anew, so that all cycles are used.
            layers = vec![cycles.iter().flat_map(|(_, cycle)| cycle.moves.iter().cloned()).collect()];
            let everything = vec![Formula::Bool(true); places];
            self.backwards(&a.must, &mut layers, goal, oracles)?;
            must = union(places, layers.iter().flatten());
            if self.reaches_goal(&must, goal, oracles)? {
                layers.remove(0);
                let sides = Sides { must, may: everything };
                return Ok(Labelled { cycles, layers, ..Labelled::of(sides) });
            }
        }
        if goal == Goal::OneInitial && !layers.is_empty() {
            // Going backwards may never end. A walk covers one initial state, which is enough.
            if let Some(steps) = walk(self.program, &a.must, &must, oracles)? {
                layers.extend(steps.into_iter().map(|step| vec![step]));
                must = union(places, layers.iter().flatten());
            }
        }
        if !layers.is_empty() {
            layers.remove(0);
        }
        let may = if stuck_places.is_empty() && self.is_closed(&must, &a.may, oracles)? {
            must.clone()
        } else {
            self.leading_to(&must, &stuck_places, &a.may)
        };
        Ok(Labelled { cycles, layers, arguments, ..Labelled::of(Sides { must, may }) })
    }

    /// `E (GF a && …)`: `EG true` with further requirements.
    fn infinitely(&self, parts: &[Sides], goal: Goal, oracles: &mut Oracles<'_>) -> Result<Labelled, Stop> {
        let all = vec![Formula::Bool(true); self.program.places.len()];
        let all = Sides { must: all.clone(), may: all };
        let demanding = |side: &dyn Fn(&Sides) -> &Set| {
            let on_edges = |part: &Sides| EdgeDemand {
                when: vec![Formula::Bool(true); self.program.edges.len()],
                then: self.program.edges.iter().map(|edge| side(part)[edge.source].clone()).collect(),
            };
            let further: Vec<EdgeDemand> = parts.iter().map(on_edges).collect();
            let with = |demands: &Vec<EdgeDemand>| demands.iter().chain(&further).cloned().collect();
            Analysis {
                instance: self.instance,
                program: self.program,
                invariant: self.invariant.clone(),
                alternatives: self.alternatives.iter().map(with).collect(),
                global: self.global.clone(),
                is_product: self.is_product,
                labelled: Vec::new(),
            }
        };
        let must = demanding(&|part| &part.must).globally(&all, goal, oracles)?;
        if parts.iter().all(|part| part.must == part.may) {
            return Ok(must);
        }
        // Where it is not known whether a part is true, the other side assumes that it is.
        let may = demanding(&|part| &part.may).globally(&all, Goal::AllStates, oracles)?;
        let sides = Sides { must: must.sides.must, may: may.sides.may };
        Ok(Labelled {
            cycles: must.cycles,
            layers: must.layers,
            arguments: may.arguments,
            ..Labelled::of(sides)
        })
    }

    /// The full set at places from which `set` or one of the `stuck` places can be reached; empty elsewhere.
    fn leading_to(&self, set: &[Formula], stuck: &BTreeSet<usize>, stay: &[Formula]) -> Set {
        let mut may: Vec<bool> = set
            .iter()
            .enumerate()
            .map(|(place, states)| *states != Formula::Bool(false) || stuck.contains(&place))
            .collect();
        loop {
            let mut changed = false;
            for edge in &self.program.edges {
                let passable = self.invariant[edge.source] != Formula::Bool(false)
                    && stay[edge.source] != Formula::Bool(false);
                if may[edge.target] && !may[edge.source] && passable {
                    may[edge.source] = true;
                    changed = true;
                }
            }
            if !changed {
                return may.into_iter().map(Formula::Bool).collect();
            }
        }
    }

    /// The steps inside a set, split by the requirements they satisfy.
    fn steps(
        &self,
        demands: &[EdgeDemand],
        inside: &[Formula],
        oracles: &mut Oracles<'_>,
    ) -> Result<Vec<RestrictedEdge>, Stop> {
        let mut steps = Vec::new();
        for (number, edge) in self.program.edges.iter().enumerate() {
            let possible = Formula::and([
                inside[edge.source].clone(),
                edge.guard.clone(),
                edge.before(&inside[edge.target])?,
            ]);
            if oracles.is_empty(&possible)? {
                continue;
            }
            // Leave out what the invariant and the guard imply, because it is often a large disjunction.
            let plain = Formula::and([self.invariant[edge.source].clone(), edge.guard.clone()]);
            let rest = Formula::and([inside[edge.source].clone(), edge.before(&inside[edge.target])?]);
            let guard = if oracles.implies(&plain, &rest)? {
                plain
            } else if oracles.implies(&plain, &inside[edge.source])? {
                Formula::and([plain, edge.before(&conjuncts(&inside[edge.target]))?])
            } else {
                Formula::and([
                    plain,
                    inside[edge.source].clone(),
                    edge.before(&conjuncts(&inside[edge.target]))?,
                ])
            };
            let (source, target, update) = (edge.source, edge.target, edge.update.clone());
            let whole = RestrictedEdge {
                edge: number,
                source,
                target,
                guard,
                update,
                when: Vec::new(),
                then: Vec::new(),
            };
            let mut parts = vec![whole];
            for demand in demands {
                let (when, then) = (&demand.when[number], &demand.then[number]);
                let mut finer = Vec::new();
                for part in parts {
                    for (satisfied, truth) in [
                        ((false, true), then.clone()),
                        ((true, false), Formula::and([then.negated(), when.clone()])),
                        ((false, false), Formula::and([then.negated(), when.negated()])),
                    ] {
                        let guard = Formula::and([part.guard.clone(), truth]);
                        if guard == Formula::Bool(false)
                            || (guard != part.guard && oracles.is_empty(&guard)?)
                        {
                            continue;
                        }
                        let mut part = RestrictedEdge { guard, ..part.clone() };
                        part.when.push(satisfied.0);
                        part.then.push(satisfied.1);
                        finer.push(part);
                    }
                }
                parts = finer;
            }
            steps.extend(parts);
        }
        Ok(steps)
    }
}

impl Labelled {
    pub(super) fn of(sides: Sides) -> Labelled {
        Labelled {
            formula: Core::Atom(Expr::Bool(true)),
            sides,
            cycles: Vec::new(),
            layers: Vec::new(),
            arguments: Vec::new(),
        }
    }
}

/// The part of a conjunction that has no disjunctions.
fn conjuncts(formula: &Formula) -> Formula {
    match formula {
        Formula::And(parts) => {
            Formula::and(parts.iter().filter(|part| !matches!(part, Formula::Or(_))).cloned())
        }
        Formula::Or(_) => Formula::Bool(true),
        other => other.clone(),
    }
}

pub(super) fn complement(set: &[Formula]) -> Set {
    set.iter().map(Formula::negated).collect()
}

pub(super) fn meet(a: &Sides, b: &Sides) -> Sides {
    let join =
        |a: &Set, b: &Set| a.iter().zip(b).map(|(a, b)| Formula::and([a.clone(), b.clone()])).collect();
    Sides { must: join(&a.must, &b.must), may: join(&a.may, &b.may) }
}

/// The states of some moves, per place.
pub(super) fn union<'m>(places: usize, moves: impl IntoIterator<Item = &'m Move>) -> Set {
    let mut parts: Vec<Vec<Formula>> = vec![Vec::new(); places];
    moves.into_iter().for_each(|found| parts[found.place].push(found.states.clone()));
    parts.into_iter().map(Formula::or).collect()
}
