//! Concrete states that stand for counts, and what can be said of their steps.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Counting, Counts, Fair, Letter, Rule, Size, Sum, Trouble, tally};
use crate::answer::{Label, Position, State};
use crate::instance::{Environment, ProcessId};
use crate::semantics::{self, Fault};

/// A concrete state with given counts, and its steps.
pub struct View {
    size: Rc<Size>,
    state: State,
    members: Vec<Member>,
    named: Option<Environment>,
    /// The steps that leave the state.
    pub steps: Vec<Move>,
}

/// A counted process.
struct Member {
    process: ProcessId,
    /// Its index.
    index: i64,
    family: usize,
    is_named: bool,
    letter: Letter,
}

/// A step.
pub struct Move {
    label: Label,
    /// The counted process that acts, by position.
    actor: Option<usize>,
    /// The letter it has afterwards.
    to: Letter,
    /// The counts after the step, of all states with the counts before it.
    pub targets: Vec<Counts>,
}

/// See [`Counting::view`].
pub(super) fn view(counting: &Counting, counts: &Counts) -> Result<Option<View>, Trouble> {
    let are_counts = |(family, own): (usize, &BTreeMap<Letter, u32>)| {
        own.iter().all(|(letter, number)| (1..=counting.bound(family, letter)).contains(number))
    };
    if counts.numbers.len() != counting.counted.len()
        || counts.named.is_some() != counting.named.is_some()
        || !counts.numbers.iter().enumerate().all(are_counts)
    {
        return Ok(None);
    }
    let mut numbers = counts.numbers.clone();
    let mut sizes = Vec::new();
    for (number, counted) in counting.counted.iter().enumerate() {
        let named = u32::from(counting.names(number));
        let size = numbers[number].values().fold(named, |size, count| size.saturating_add(*count));
        let missing = counting.least_size(counted).saturating_sub(size);
        if missing > 0 {
            // The bound stands for more, too.
            let mut own = numbers[number].iter_mut();
            let Some((_, many)) = own.find(|(letter, count)| **count == counting.bound(number, letter))
            else {
                return Ok(None);
            };
            *many = many.saturating_add(missing);
        }
        sizes.push(size.saturating_add(missing));
    }
    let size = counting.size(&sizes)?;
    let instance = &size.instance;
    let mut members = Vec::new();
    for (number, counted) in counting.counted.iter().enumerate() {
        let named = counts.named.iter().filter(|_| counting.names(number)).cloned();
        let unnamed = numbers[number]
            .iter()
            .flat_map(|(letter, count)| std::iter::repeat_n(letter.clone(), *count as usize));
        for ((place, process), letter) in
            instance.members(counted.family).enumerate().zip(named.chain(unnamed))
        {
            let index = instance.processes[process.0 as usize].index.unwrap_or_default();
            let is_named = place == 0 && counting.names(number);
            members.push(Member { process, index, family: number, is_named, letter });
        }
    }
    let mut rest = counts.rest.iter().copied();
    let mut own: BTreeMap<u32, std::slice::Iter<'_, i64>> =
        members.iter().map(|member| (member.process.0, member.letter.iter())).collect();
    let mut values = Vec::new();
    for cell in &instance.cells {
        let mut value = match cell.owner.and_then(|owner| own.get_mut(&owner.0)) {
            Some(letter) => letter.next().copied(),
            None => rest.next(),
        };
        let of = counting.tallies.iter().find(|tally| tally.variable == cell.variable.0 as usize);
        if let Some(tally) = of {
            let family = members.iter().filter(|member| member.family == tally.family);
            // Counts have 0 there.
            value =
                value.filter(|value| *value == 0).map(|_| tally.value(family.map(|member| &member.letter)));
        }
        // Counts of another system, or values that no cell has.
        let Some(value) = value.filter(|value| cell.domain.contains(*value)) else { return Ok(None) };
        values.push(value);
    }
    if rest.next().is_some() || own.values_mut().any(|letter| letter.next().is_some()) {
        return Ok(None);
    }
    let state = State(values);
    for balance in &counting.balances {
        let processes = members.iter().map(|member| (member.family, member.index, &member.letter));
        if !balance.is_fine(instance, &state, &counting.tallies, processes)? {
            return Err(Trouble::Unbalanced);
        }
    }
    let mut named = None;
    if let (Some((index, _)), Some(member)) = (counting.named, members.iter().find(|member| member.is_named))
    {
        let mut environment = Environment::default();
        environment.bind(index, member.index);
        named = Some(environment);
    }
    let mut steps = Vec::new();
    for step in semantics::steps(instance, &state)? {
        let mut actor = None;
        if let Label::Action(action) = step.label {
            let parties = &instance.action(action).participants;
            actor =
                members.iter().position(|member| parties.iter().any(|(party, _)| *party == member.process));
        }
        tally::are_right(&counting.tallies, instance, &step.target, &counting.counted)?;
        let mut after = counting.counts(instance, &step.target);
        let mut to = Letter::new();
        let mut targets = Vec::new();
        if let Some(actor) = actor.map(|actor| &members[actor]) {
            let cells = instance.cells.iter().zip(&step.target.0);
            to = cells
                .filter(|(cell, _)| cell.owner == Some(actor.process))
                .map(|(_, value)| *value)
                .collect();
            let before = counts.numbers[actor.family].get(&actor.letter).copied().unwrap_or(0);
            let bound = counting.bound(actor.family, &actor.letter);
            if !actor.is_named && to != actor.letter && before == bound {
                // There were `c`, or more.
                let mut fewer = after.clone();
                let own = &mut fewer.numbers[actor.family];
                if bound > 1 {
                    own.insert(actor.letter.clone(), bound - 1);
                } else {
                    own.remove(&actor.letter);
                }
                targets.push(fewer);
                after.numbers[actor.family].insert(actor.letter.clone(), bound);
            }
        }
        targets.push(after);
        steps.push(Move { label: step.label, actor, to, targets });
    }
    Ok(Some(View { size: Rc::clone(&size), state, members, named, steps }))
}

impl View {
    /// Whether a predicate is true of a step; whether an atom is true of the state if it is not about steps.
    pub fn holds(&self, predicate: usize, step: &Move) -> Result<bool, Fault> {
        self.holds_for(predicate, step, &self.named.clone().unwrap_or_default())
    }

    fn holds_for(&self, predicate: usize, step: &Move, environment: &Environment) -> Result<bool, Fault> {
        let position = Position { state: self.state.clone(), label: step.label };
        let Size { instance, predicates } = &*self.size;
        semantics::step_predicate_in(instance, &predicates[predicate], &position, &mut environment.clone())
    }

    /// `when` and `then` of a requirement on a step, for a process.
    fn pair(&self, fair: &Fair, step: &Move, member: Option<&Member>) -> Result<[bool; 2], Fault> {
        let mut environment = self.named.clone().unwrap_or_default();
        if let (Some((index, _)), Some(member)) = (fair.each, member) {
            environment.bind(index, member.index);
        }
        if !semantics::exists(&self.size.instance, &fair.requirement, &environment) {
            return Ok([false, true]);
        }
        let of = |predicate| self.holds_for(predicate, step, &environment);
        Ok([of(fair.when)?, of(fair.then)?])
    }

    /// Evaluates every requirement on a step, for every process. The result is only whether there is a fault.
    pub fn evaluate_requirements(&self, counting: &Counting, step: &Move) -> Result<(), Fault> {
        for fair in counting.fairness.iter().flatten().flatten() {
            match fair.each {
                None => drop(self.pair(fair, step, None)?),
                Some((_, family)) => {
                    for member in self.members.iter().filter(|member| member.family == family) {
                        self.pair(fair, step, Some(member))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// `when` and `then` of the requirement that a rule makes, on a step.
    pub fn applied(
        &self,
        counting: &Counting,
        alternative: usize,
        rule: &Rule,
        step: &Move,
    ) -> Result<[bool; 2], Fault> {
        let fair =
            |number: &usize| counting.fairness[alternative][*number].as_ref().expect("an admitted rule");
        let unnamed = |family: usize| {
            let members = self.members.iter().enumerate();
            members.filter(move |(_, member)| member.family == family && !member.is_named)
        };
        match rule {
            Rule::Same(number) => self.pair(fair(number), step, None),
            Rule::Named(number) => {
                let member = self.members.iter().find(|member| member.is_named);
                self.pair(fair(number), step, member)
            }
            Rule::Letter(number, letter) => {
                let fair = fair(number);
                let family = fair.each.map_or(0, |(_, family)| family);
                let acts = |place: usize| step.actor == Some(place);
                let mut alike = unnamed(family).filter(|(_, member)| member.letter == *letter).peekable();
                if alike.peek().is_none() || alike.clone().any(|(place, _)| acts(place)) {
                    return Ok([true, true]);
                }
                // They are all alike.
                let [when, then] = self.pair(fair, step, alike.next().map(|(_, member)| member))?;
                Ok([true, !when || then])
            }
            Rule::Somebody(number) => {
                let fair = fair(number);
                let mut both = [false, false];
                for (_, member) in unnamed(fair.each.map_or(0, |(_, family)| family)) {
                    let [when, then] = self.pair(fair, step, Some(member))?;
                    both = [both[0] || when, both[1] || then];
                }
                Ok(both)
            }
            Rule::Flow(family, letters) => {
                let actor = step.actor.map(|actor| &self.members[actor]);
                let Some(actor) = actor.filter(|actor| actor.family == *family && !actor.is_named) else {
                    return Ok([false, false]);
                };
                let (before, after) = (letters.contains(&actor.letter), letters.contains(&step.to));
                Ok([before && !after, !before && after])
            }
        }
    }

    /// Whether a step keeps a sum.
    pub fn keeps(&self, counting: &Counting, sum: &Sum, step: &Move) -> bool {
        let before = counting.counts(&self.size.instance, &self.state).rest;
        let actor = step.actor.map(|actor| &self.members[actor]);
        let change = actor.map(|actor| (actor.family, [&actor.letter, &step.to]));
        step.targets.iter().all(|after| sum.is_kept([&before, &after.rest], change))
    }

    /// The family and the letters before and after of the counted process that acts, if it is not the named one.
    pub fn change<'v>(&'v self, step: &'v Move) -> Option<(usize, &'v Letter, &'v Letter)> {
        let actor = &self.members[step.actor?];
        (!actor.is_named).then_some((actor.family, &actor.letter, &step.to))
    }
}
