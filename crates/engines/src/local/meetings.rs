//! Whether the processes of a meeting agree along an abstract run, and what to expose if they do not.
//!
//! In a rendezvous the local states of its processes have to do with one another. The graph of each process
//! ([`strand`](super::strand)) has the step if some local states of the others, in their classes, go with it, and the cycles
//! of all processes together are a run if at each such step the processes agree: what they do is one of the *hops* of the step. If
//! they do not, the first part that does not go with those before it is told apart from what would. So classes become
//! finer until the processes agree whatever they do: with a value that is passed, until both classes say which value it
//! is. In a deadlock the processes of each meeting must agree on local states in which nothing can be done together.
//!
//! What would go with the parts before it is never empty, as the abstract step exists, and does not have the part itself. So
//! what is exposed is new.

use std::collections::BTreeSet;
use std::rc::Rc;

use model::semantics;

use super::abstraction::Group;
use super::behaviour::combinations;
use super::feasible::{Cut, Judge, Why};
use super::sharing::Meeting;

/// What the processes of a meeting can do together: the local state of each before and after.
pub(super) type Hop = Vec<(usize, usize)>;

impl Judge<'_, '_, '_> {
    /// What the processes of a meeting can do in the step at a position.
    pub(super) fn hops(&self, position: usize) -> Rc<[Hop]> {
        let Group { processes, actions, meeting } = self.group(position);
        let next = self.next(position);
        let key = (self.walk.moves[position].group, self.places[position], self.places[next]);
        if let Some(known) = self.known.borrow().hops.get(&key) {
            return known.clone();
        }
        let instance = self.system.sharing.instance;
        let tuples = meeting.map_or(&[][..], |meeting| &self.system.tuples[meeting]);
        let mut found: BTreeSet<Hop> = BTreeSet::new();
        for tuple in tuples.iter().filter(|tuple| self.is_there(position, processes, tuple)) {
            let state = self.state_of(position, processes, tuple);
            for action in actions {
                let Ok(states) = semantics::successors(instance, &state, *action) else { continue };
                for after in states {
                    if let Some(to) = self.becomes(processes, &after, self.values(next)) {
                        found.insert(tuple.iter().copied().zip(to).collect());
                    }
                }
            }
        }
        let found: Rc<[Hop]> = found.into_iter().collect();
        self.known.borrow_mut().hops.insert(key, found.clone());
        found
    }

    /// The local states of a process at a position, parted by whether one of its meetings, or it alone, can do nothing there: some
    /// of both.
    pub(super) fn at_odds(
        &self,
        position: usize,
        process: usize,
    ) -> Option<(BTreeSet<usize>, BTreeSet<usize>)> {
        let sharing = self.system.sharing;
        let meetings = sharing.meetings_of[process].iter().map(|meeting| Some(*meeting));
        let parted = |meeting: Option<usize>| -> (BTreeSet<usize>, BTreeSet<usize>) {
            let can_rest = |local: &usize| match meeting {
                None => self.rests(position, process, *local),
                Some(meeting) => {
                    let of = &sharing.meetings[meeting].processes;
                    let is = |other: &usize| (*other == process).then_some(*local);
                    self.may_rest(position, meeting, &of.iter().map(is).collect::<Vec<_>>())
                }
            };
            let (rest, others) = self.members(position, process).partition(can_rest);
            (others, rest)
        };
        let mut all = std::iter::once(None).chain(meetings).map(parted);
        all.find(|(others, rest)| !others.is_empty() && !rest.is_empty())
    }

    /// Whether the processes of a meeting can be in local states at a position, some of which are given, in which nothing can be
    /// done by any of them alone or by all together.
    pub(super) fn may_rest(&self, position: usize, meeting: usize, given: &[Option<usize>]) -> bool {
        let Meeting { processes, actions } = &self.system.sharing.meetings[meeting];
        let mut choices: Vec<Vec<usize>> = Vec::new();
        // Whether one of them is where it does not meet the others.
        let mut apart = false;
        for (place, process) in processes.iter().enumerate() {
            let is_candidate = |local: &usize| self.system.meeting_states[meeting][place].contains(local);
            let here: Vec<usize> = match given[place] {
                Some(local) => vec![local],
                None => self.members(position, *process).collect(),
            };
            let rests = |local: &usize| self.rests(position, *process, *local);
            let here: Vec<usize> = here.into_iter().filter(rests).collect();
            if here.is_empty() {
                return false;
            }
            apart = apart || !here.iter().all(is_candidate);
            choices.push(here);
        }
        apart
            || combinations(&choices).into_iter().any(|tuple| {
                let key = (self.places[position], meeting, tuple);
                let known = self.known.borrow().meets.get(&key).copied();
                let meets = known.unwrap_or_else(|| {
                    let state = self.state_of(position, processes, &key.2);
                    let instance = self.system.sharing.instance;
                    actions.iter().any(|action| semantics::enabled(instance, &state, *action).unwrap_or(true))
                });
                self.known.borrow_mut().meets.insert(key, meets);
                !meets
            })
    }

    /// That a process is told from `others` if it is in one local state of the class at a position.
    fn told_apart(
        &self,
        position: usize,
        process: usize,
        one: usize,
        others: BTreeSet<usize>,
        why: Why,
    ) -> Option<Cut> {
        let states: BTreeSet<usize> =
            self.members(position, process).filter(|state| !others.contains(state)).collect();
        (states.contains(&one) && !others.is_empty()).then_some(Cut { process, states, others, why })
    }

    /// What to expose if these parts of a meeting do not go together: the first of them that does not go with those before it is told
    /// from those that do.
    pub(super) fn agree(&self, position: usize, parts: &Hop) -> Result<(), Option<Cut>> {
        let processes = &self.group(position).processes;
        let hops = self.hops(position);
        let mut possible: Vec<&Hop> = hops.iter().collect();
        for (place, (process, (from, to))) in processes.iter().zip(parts).enumerate() {
            let before: BTreeSet<(usize, usize)> = possible.iter().map(|hop| hop[place]).collect();
            possible.retain(|hop| hop[place] == (*from, *to));
            if !possible.is_empty() {
                continue;
            }
            // Where it could begin, or, if it began there, where it could go.
            let begin: BTreeSet<usize> = before.iter().map(|(from, _)| *from).collect();
            let (at, one, others) = if begin.contains(from) {
                let to_others = before.iter().filter(|(begin, _)| begin == from).map(|(_, to)| *to);
                (self.next(position), *to, to_others.collect())
            } else {
                (position, *from, begin)
            };
            return Err(self.told_apart(at, *process, one, others, Why::Step));
        }
        Ok(())
    }

    /// What to expose if processes could do something where the system is said to idle.
    pub(super) fn agree_to_rest(&self, position: usize, locals: &[usize]) -> Result<(), Option<Cut>> {
        for (number, Meeting { processes, .. }) in self.system.sharing.meetings.iter().enumerate() {
            let mut given: Vec<Option<usize>> = vec![None; processes.len()];
            for (place, process) in processes.iter().enumerate() {
                let before = given.clone();
                given[place] = Some(locals[*process]);
                if self.may_rest(position, number, &given) {
                    continue;
                }
                let rests = |local: &usize| {
                    let mut given = before.clone();
                    given[place] = Some(*local);
                    self.may_rest(position, number, &given)
                };
                let others = self.members(position, *process).filter(rests).collect();
                return Err(self.told_apart(position, *process, locals[*process], others, Why::Idle));
            }
        }
        Ok(())
    }
}
