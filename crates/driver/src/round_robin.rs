//! Guesses a fair run: processes take steps in turn, so that nobody is left out.
//!
//! Whether any run is fair must be asked of every property that holds, and a search for one may take longer than the
//! answer itself: there is one process after the other to be served. But who serves everybody in turn usually is fair. So
//! before anybody searches, a run is tried in which the next process after the last one takes a step, the next of its
//! actions after its last one, with the next outcome. When a state recurs, the steps in between are a cycle, and if it meets
//! all requirements of an alternative, there is a fair run. If the walk ends without one, nothing is known.
//!
//! A cycle is looked at if it is twice as long as the last one, so all looks cost about as much as one at the longest. A
//! requirement is evaluated only where something that it reads has changed: that is a few times for each, however many
//! processes there are. Walk and looks are bounded by [`WORK`].

use std::collections::{BTreeSet, HashMap};

use model::initial::{Advance, initial_states};
use model::instance::Environment;
use model::semantics::{self, Fault};
use model::{ActionId, Assumption, Expr, Fairness, Instance, Label, Position, State, ground};

/// How many guards and predicates are evaluated.
const WORK: usize = 100_000;
/// How many values are kept, of all states of the walk together.
const VALUES: usize = 2_000_000;

/// Whether a fair run was found.
pub(crate) fn finds_a_fair_run(instance: &Instance, fairness: &Fairness) -> bool {
    if !instance.is_bounded() {
        return false;
    }
    let alternatives = ground::fairness(instance, fairness).alternatives;
    let Advance::Found(Ok(start)) = initial_states(instance).advance(WORK) else { return false };
    let mut walk = Walk::new(instance, start);
    let mut looked_at = 0;
    // A fault ends the walk: its run is a violation of its own.
    while let Ok(Some(first)) = walk.until_a_state_recurs() {
        let cycle = &walk.positions[first..];
        if cycle.len() >= 2 * looked_at || cycle.iter().all(|position| position.label == Label::Idle) {
            looked_at = cycle.len();
            let look = Look::new(instance, cycle);
            if alternatives.iter().any(|alternative| look.meets(alternative, &mut walk.work)) {
                return true;
            }
        }
        if walk.positions.last().is_none_or(|last| last.label == Label::Idle) {
            return false;
        }
    }
    false
}

/// A run, as far as it was followed.
struct Walk<'a> {
    instance: &'a Instance,
    /// The actions of each process by number, those of none last.
    actions: Vec<Vec<ActionId>>,
    /// Per process, which of its actions goes first; per action, which of its outcomes.
    next_action: Vec<usize>,
    next_outcome: Vec<usize>,
    /// The process that goes first.
    next: usize,
    positions: Vec<Position>,
    state: State,
    /// Where each state was met first.
    seen: HashMap<State, usize>,
    /// How much work is left.
    work: usize,
}

impl<'a> Walk<'a> {
    fn new(instance: &'a Instance, start: State) -> Walk<'a> {
        let mut actions = vec![Vec::new(); instance.processes.len() + 1];
        for (id, action) in (0..).map(ActionId).zip(&instance.actions) {
            let owner = action.participants.first().map_or(instance.processes.len(), |(p, _)| p.0 as usize);
            actions[owner].push(id);
        }
        Walk {
            instance,
            next_action: vec![0; actions.len()],
            next_outcome: vec![0; instance.actions.len()],
            actions,
            next: 0,
            positions: Vec::new(),
            seen: HashMap::from([(start.clone(), 0)]),
            state: start,
            work: WORK,
        }
    }

    /// Goes on to the next state that was met before. Returns where; nothing if the walk is too long.
    fn until_a_state_recurs(&mut self) -> Result<Option<usize>, Fault> {
        loop {
            if (self.positions.len() + 1) * (self.state.0.len() + 1) > VALUES {
                return Ok(None);
            }
            let Some((label, target)) = self.step()? else { return Ok(None) };
            let state = std::mem::replace(&mut self.state, target);
            self.positions.push(Position { state, label });
            let here = self.positions.len();
            match self.seen.get(&self.state) {
                Some(first) => return Ok(Some(*first)),
                None => self.seen.insert(self.state.clone(), here),
            };
        }
    }

    /// The step of whoever's turn it is; nothing if there is no work left.
    fn step(&mut self) -> Result<Option<(Label, State)>, Fault> {
        for turn in 0..self.actions.len() {
            let process = (self.next + turn) % self.actions.len();
            let own = &self.actions[process];
            for place in 0..own.len() {
                let place = (self.next_action[process] + place) % own.len();
                let action = own[place];
                let Some(left) = self.work.checked_sub(1) else { return Ok(None) };
                self.work = left;
                let mut targets = semantics::successors(self.instance, &self.state, action)?;
                if targets.is_empty() {
                    continue;
                }
                let outcome = &mut self.next_outcome[action.0 as usize];
                let target = targets.swap_remove(*outcome % targets.len());
                *outcome += 1;
                self.next_action[process] = place + 1;
                self.next = process + 1;
                return Ok(Some((Label::Action(action), target)));
            }
        }
        Ok(Some((Label::Idle, self.state.clone())))
    }
}

/// A cycle, with where its values and labels change.
struct Look<'a> {
    instance: &'a Instance,
    cycle: &'a [Position],
    /// Per cell, the positions at which it has another value than before.
    changes: HashMap<usize, Vec<usize>>,
    /// Per action, the positions at which it is taken.
    taken: HashMap<ActionId, Vec<usize>>,
}

impl<'a> Look<'a> {
    fn new(instance: &'a Instance, cycle: &'a [Position]) -> Look<'a> {
        let mut changes: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut taken: HashMap<ActionId, Vec<usize>> = HashMap::new();
        for (place, position) in cycle.iter().enumerate() {
            if let Label::Action(action) = position.label {
                taken.entry(action).or_default().push(place);
            }
            let Some(before) = place.checked_sub(1).map(|before| &cycle[before].state.0) else { continue };
            let cells = before.iter().zip(&position.state.0).enumerate();
            for (cell, _) in cells.filter(|(_, (before, now))| before != now) {
                changes.entry(cell).or_default().push(place);
            }
        }
        Look { instance, cycle, changes, taken }
    }

    /// Whether the cycle is shown to meet an assumption.
    fn meets(&self, assumption: &Assumption, work: &mut usize) -> bool {
        !assumption.global
            && assumption.requirements.iter().all(|one| {
                self.occurs(&one.then, work) == Some(true) || self.occurs(&one.when, work) == Some(false)
            })
    }

    /// Whether a ground predicate is true somewhere on the cycle. Nothing if that is a fault, or if no work is left.
    fn occurs(&self, predicate: &Expr, work: &mut usize) -> Option<bool> {
        for place in self.places(predicate) {
            *work = work.checked_sub(1)?;
            if semantics::step_predicate(self.instance, predicate, &self.cycle[place]).ok()? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The positions at which a predicate may be true although it was false before.
    fn places(&self, predicate: &Expr) -> BTreeSet<usize> {
        let mut places = BTreeSet::from([0]);
        for cell in ground::reads(self.instance, predicate) {
            places.extend(self.changes.get(&cell).into_iter().flatten());
        }
        // An event whose process or arguments are read from variables may be another one in every state.
        let is_open = predicate.any(&mut |expr| match expr {
            Expr::Enabled(_) => true,
            Expr::Taken(pattern) => {
                let reads = |part: &Expr| part.any(&mut |part| matches!(part, Expr::Read(_)));
                if expr.children().into_iter().any(reads) {
                    return true;
                }
                let Ok(actions) = self.instance.matching(pattern, &Environment::default()) else {
                    return true;
                };
                let taken = actions.iter().filter_map(|action| self.taken.get(action)).flatten();
                places.extend(taken.flat_map(|place| [*place, place + 1]));
                false
            }
            _ => false,
        });
        if is_open {
            return (0..self.cycle.len()).collect();
        }
        places.retain(|place| *place < self.cycle.len());
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> bool {
        let model = lang::load("test", text, &[]).model.expect("the model is right");
        let instance = model.subject.instance().expect("no open parameters");
        finds_a_fair_run(instance, &model.checks[0].task.fairness)
    }

    /// Forks in a ring, and requests that are granted again and again.
    const PHILOSOPHERS: &str = "
        shared fork: array[1..9] of bool = true;
        define right(k) = k % 9 + 1;
        process P[i: 1..9] {
            loop {
                hungry: request fork[if i == 1 { 2 } else { i }];
                second: request fork[if i == 1 { 1 } else { right(i) }];
                eat:    fork[i], fork[right(i)] = true, true;
            }
        }
        fairness for i in 1..9: compassion (P[i]@second, P[i]@eat);
        fairness for i in 1..9: justice (P[i]@hungry);
        property p: true;";

    #[test]
    fn whoever_serves_everybody_in_turn_is_fair() {
        assert!(found(PHILOSOPHERS));
    }

    #[test]
    fn what_cannot_be_met_is_not_met() {
        let never = PHILOSOPHERS.replace("justice (P[i]@hungry)", "justice (P[i]@hungry && P[i]@eat)");
        assert!(!found(&never));
    }

    #[test]
    fn a_deadlock_is_a_cycle_of_its_own() {
        let text = "shared x: 0..3; process P { loop { a: when x < 3 { x = x + 1; } } }
            fairness justice (x == 3); property p: true;";
        assert!(found(text));
        assert!(!found(&text.replace("justice (x == 3)", "justice (x == 2)")));
    }
}
