//! The premises about eliminations (8 and 9): no possible step leaves the sets, and everything is removed in the end.
//!
//! Most sets of a proof depend on few cells. A step can leave such a set only if it writes one of them. A step from
//! outside a removed set can enter it only if it writes one of its cells. So for each elimination only a few labels and
//! a few earlier eliminations matter. They are checked one after the other by walking through diagrams (`implication`),
//! in cases if one walk is not enough. What no walk shows goes to the solver. That a state has not been removed is a
//! hypothesis; the solver only gets it for the elimination that removed the state in its current assignment. So a question
//! does not grow with the number of earlier eliminations.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use model::proof::{Case, Elimination, Part, ProductSet, Root};

use super::cases;
use super::circuit::{Lit, Values};
use super::encoder::Halt;
use super::implication::Facts;
use super::premises::ProofJudge;
use super::runs::{Cases, Move, Obligation, RunJudge, Steps};
use super::sets::SetLiterals;
use crate::end::End;
use crate::flaw::Premise;

/// More sets than this are united once for all labels.
const FEW: usize = 24;

/// What is known before an elimination.
pub(crate) struct Before<'a> {
    reached: &'a ProductSet,
    /// The states of the part.
    part: Option<&'a BTreeSet<usize>>,
    /// The sets removed so far, in order.
    removed: Vec<&'a ProductSet>,
    /// Per state of the automaton and cell, the sets of `removed` that depend on it.
    touched: BTreeMap<(usize, usize), Vec<usize>>,
    /// Per state of the automaton, the union of the first sets of `removed`, and their number; `None` if the union is
    /// too large.
    removed_unions: RefCell<BTreeMap<usize, (usize, Option<Root>)>>,
    /// Sets in which steps with this literal are barred.
    barred: Vec<(&'a ProductSet, Lit)>,
}

impl<'a> Before<'a> {
    /// Nothing is removed yet. The states of the automaton are those of the part, or all.
    pub(crate) fn new(reached: &'a ProductSet, part: Option<&'a BTreeSet<usize>>) -> Before<'a> {
        Before {
            reached,
            part,
            removed: Vec::new(),
            touched: BTreeMap::new(),
            removed_unions: RefCell::default(),
            barred: Vec::new(),
        }
    }

    fn covers(&self, one: &Move) -> bool {
        self.part.is_none_or(|part| part.contains(&one.source) && part.contains(&one.target))
    }

    fn remove(&mut self, judge: &mut ProofJudge<'_>, set: &'a ProductSet) {
        for state in self.part.into_iter().flatten() {
            for cell in judge.sets.support(set[*state]).iter() {
                self.touched.entry((*state, *cell)).or_default().push(self.removed.len());
            }
        }
        self.removed.push(set);
    }

    /// The union of everything removed with a state of the automaton, if that is not too large.
    fn removed_union(&self, judge: &mut ProofJudge<'_>, state: usize) -> Option<Root> {
        let mut unions = self.removed_unions.borrow_mut();
        let (count, union) = unions.entry(state).or_insert((0, Some(Root::FALSE)));
        for set in &self.removed[*count..] {
            *union = union.and_then(|union| judge.sets.union(union, set[state]));
        }
        *count = self.removed.len();
        *union
    }

    /// A set that contains `goal` and the removed states in which a step from a state that is not removed can end.
    fn with_removed(&self, judge: &mut ProofJudge<'_>, one: &Move, label: usize, goal: Root) -> Option<Root> {
        let Move { source, target, .. } = *one;
        let mut numbers = BTreeSet::new();
        if source != target {
            numbers.extend(
                (0..self.removed.len()).filter(|n| self.removed[*n][source] != self.removed[*n][target]),
            );
        }
        if let Some(successor) = judge.successors.get(label) {
            let cells = successor.writes.keys().filter_map(|cell| self.touched.get(&(target, *cell)));
            numbers.extend(cells.flatten());
        }
        if numbers.len() > FEW {
            let gone = self.removed_union(judge, target)?;
            return judge.sets.union(gone, goal);
        }
        let sets = numbers.into_iter().map(|number| self.removed[number][target]);
        sets.into_iter().try_fold(goal, |union, set| judge.sets.union(union, set))
    }
}

impl RunJudge<'_, '_> {
    /// Premises 8 and 9. If something is `gone`, it counts as removed, and that steps from the rest stay in what is reached
    /// or end there is shown first.
    pub(crate) fn part(
        &mut self,
        of: &str,
        case: &Case,
        part: &Part,
        gone: Option<&ProductSet>,
    ) -> Result<(), End> {
        let states: BTreeSet<usize> = part.states.iter().copied().collect();
        let mut before = Before::new(&case.reached, Some(&states));
        for root in &case.reached {
            self.holds(*root)?;
        }
        if let Some(gone) = gone {
            before.remove(self.judge, gone);
            let mark = self.judge.mark();
            let what = |_| format!("{of}: a step leads out of the set");
            self.closed(&case.reached, &Obligation::never(self.moves.len()), &before, Premise::Sure, &what)?;
            self.judge.forget(mark);
        }
        for (event, elimination) in part.eliminations.iter().enumerate() {
            let named = format!("{of}, elimination {event}");
            let removed = match elimination {
                Elimination::Trimmed { removed } => {
                    let mark = self.judge.mark();
                    let what = format!("{named}: a trimmed state has a possible step");
                    self.left_for_ever(removed, None, &before, &what)?;
                    self.judge.forget(mark);
                    removed
                }
                Elimination::Escaped { action, way, closed, removed } => {
                    self.escaped((*action, *way), closed, removed, &before, &named)?;
                    removed
                }
                Elimination::Unmet { demand, closed, removed } => {
                    let obligation = self.obligation(case, demand)?;
                    let mark = self.judge.mark();
                    let meant = self.show(case, demand);
                    self.closed(closed, &obligation, &before, Premise::Elimination, &|meets| {
                        if meets {
                            format!("{named}: a step inside the closed set meets {meant}")
                        } else {
                            format!("{named} ({meant}): a possible step leaves the closed set")
                        }
                    })?;
                    let what =
                        format!("{named} ({meant}): a removed state has a possible step that is not barred");
                    self.left_for_ever(removed, Some((closed, obligation.when)), &before, &what)?;
                    self.judge.forget(mark);
                    if obligation.by_step {
                        before.barred.push((closed, obligation.when));
                    }
                    removed
                }
            };
            before.remove(self.judge, removed);
        }
        for state in states.iter().copied() {
            self.all_removed(of, state, &before)?;
        }
        Ok(())
    }

    /// Shows that no possible step leaves `closed`, that the states in `removed` have the step of an action and a way, and
    /// that no possible step from `closed` takes it there.
    fn escaped(
        &mut self,
        (action, way): (usize, usize),
        closed: &ProductSet,
        removed: &ProductSet,
        before: &Before<'_>,
        named: &str,
    ) -> Result<(), End> {
        let everywhere = |set: &Root| *set == Root::TRUE;
        if !closed.iter().all(everywhere) {
            let mark = self.judge.mark();
            let never = Obligation::never(self.moves.len());
            let what = |_| format!("{named}: a possible step leaves the closed set");
            self.closed(closed, &never, before, Premise::Elimination, &what)?;
            self.judge.forget(mark);
        }
        let states: Vec<usize> = before.part.into_iter().flatten().copied().collect();
        for state in &states {
            self.is_inside(removed[*state], closed[*state], before.reached[*state], named)?;
        }
        let mut from: BTreeSet<Root> = states.iter().map(|state| removed[*state]).collect();
        from.remove(&Root::FALSE);
        let what = format!("{named}: a state has not the step that is not possible");
        for from in &from {
            self.judge.has_step((*from, action, way), Root::TRUE, &[], Premise::Elimination, &what)?;
        }
        let what = format!("{named}: the step of a state is possible");
        for number in (0..self.moves.len()).filter(|_| !from.is_empty()) {
            if !before.covers(&self.moves[number]) {
                continue;
            }
            let Move { source, target, taken, .. } = self.moves[number];
            let mark = self.judge.mark();
            let mut facts = vec![taken, self.holds(closed[source])?];
            for (set, when) in &before.barred {
                let inside = self.holds(set[source])?;
                facts.push(!self.judge.encoder.circuit.and(inside, *when));
            }
            facts.retain(|fact| *fact != Lit::TRUE);
            let gone = before.removed_union(self.judge, target);
            let gone = gone.ok_or(Halt::Unsupported("sets that are too large"))?;
            for from in &from {
                let mark = self.judge.mark();
                self.judge.ends_in((*from, action, way), &facts, gone, Premise::Elimination, &what)?;
                self.judge.forget(mark);
            }
            self.judge.forget(mark);
        }
        Ok(())
    }

    /// Shows that the states of a removed set that are reached are in the closed one.
    fn is_inside(&mut self, removed: Root, closed: Root, reached: Root, named: &str) -> Result<(), End> {
        let test_effects = self.judge.test_effects(&[], usize::MAX);
        if removed == closed || self.judge.leads(&test_effects, [removed, reached], closed) {
            return Ok(());
        }
        let mark = self.judge.mark();
        let outside = !self.holds(closed)?;
        let all = [self.holds(removed)?, self.holds(reached)?, outside];
        let violation = self.judge.encoder.circuit.all(all);
        if let Some(values) = self.judge.refute(&[violation], &mut ProofJudge::missed_invariants)? {
            let what = format!("{named}: a removed state is not in the closed set");
            return Err(self.judge.broken(Premise::Elimination, what, &values, None));
        }
        self.judge.forget(mark);
        Ok(())
    }

    /// Premise 9 for a state of the automaton.
    fn all_removed(&mut self, of: &str, state: usize, before: &Before<'_>) -> Result<(), End> {
        let mark = self.judge.mark();
        let reached = before.reached[state];
        if let Some(all) = self.all_of(before.removed.iter().map(|set| set[state]).collect()) {
            let test_effects = self.judge.test_effects(&[], usize::MAX);
            if self.judge.leads(&test_effects, [reached, Root::TRUE], all) {
                return Ok(());
            }
        }
        let violation = self.holds(reached)?;
        let gone = &before.removed;
        let left = self.judge.refute(&[violation], &mut |judge, values| {
            let mut missed = judge.missed_invariants(values)?;
            let by = gone.iter().find(|set| judge.sets.contains(&judge.encoder, set[state], None, values));
            if let Some(set) = by {
                missed.push(vec![!judge.sets.holds(&mut judge.encoder, set[state])?]);
            }
            Ok(missed)
        })?;
        if let Some(values) = left {
            let what = format!("{of}: a state with state {state} of the automaton is never removed");
            return Err(self.judge.broken(Premise::Removed, what, &values, None));
        }
        self.judge.forget(mark);
        Ok(())
    }

    /// The union of many sets, if that is not too large. Neighbours are united first, so that unions of unrelated sets
    /// stay small.
    fn all_of(&mut self, mut sets: Vec<Root>) -> Option<Root> {
        while sets.len() > 1 {
            let mut joined = Vec::with_capacity(sets.len().div_ceil(2));
            for pair in sets.chunks(2) {
                joined.push(match *pair {
                    [a, b] => self.judge.sets.union(a, b)?,
                    _ => pair[0],
                });
            }
            sets = joined;
        }
        Some(sets.first().copied().unwrap_or(Root::FALSE))
    }

    /// Shows that no possible step leaves a set, and that none inside it meets the obligation. `what` says which of the
    /// two failed.
    pub(crate) fn closed(
        &mut self,
        set: &ProductSet,
        obligation: &Obligation,
        before: &Before<'_>,
        premise: Premise,
        what: &dyn Fn(bool) -> String,
    ) -> Result<(), End> {
        let mut violations = Vec::new();
        for (number, meets) in obligation.then.iter().copied().enumerate() {
            if !before.covers(&self.moves[number]) {
                continue;
            }
            let Move { source, target, taken, .. } = self.moves[number];
            let inside = self.holds(set[source])?;
            let from = self.judge.encoder.circuit.and(taken, inside);
            if from == Lit::FALSE {
                continue;
            }
            let mut labels = obligation.labels.clone();
            for cell in self.judge.sets.support(set[target]).iter() {
                labels.extend(self.judge.writers.get(cell).into_iter().flatten());
            }
            let mut others = vec![taken];
            let mut nowhere_met = None;
            for label in labels {
                let step = self.judge.encoder.taken(label);
                others.push(!step);
                let facts = [taken, step, self.judge.enabled[label]];
                let is_met = Facts::new(&self.judge.encoder.circuit, &facts).truth(meets);
                let goal = if is_met == Some(true) { Root::FALSE } else { set[target] };
                let stays = self.leads(&facts, number, label, set[source], goal, before);
                if stays
                    && (is_met.is_some() || self.is_nowhere_met(&mut nowhere_met, set, meets, number, before))
                {
                    continue;
                }
                let cases = self.step_cases(&facts, number, Steps::Of(label), meets);
                if self.leads_in_cases(&cases, number, label, set[source], [set[target], Root::FALSE], before)
                {
                    continue;
                }
                let bad = if stays {
                    meets
                } else {
                    let (judge, mut told) = (&mut *self.judge, SetLiterals::default());
                    let after = match judge.successors.get(label) {
                        None => judge.sets.holds(&mut judge.encoder, set[target])?,
                        Some(successor) => {
                            judge.sets.holds_after(&mut judge.encoder, set[target], successor, &mut told)?
                        }
                    };
                    judge.encoder.circuit.or(!after, meets)
                };
                let [_, step, enabled] = facts;
                violations.push(self.judge.encoder.circuit.all([bad, from, step, enabled]));
            }
            // Other steps change nothing that the set depends on.
            let is_met = Facts::new(&self.judge.encoder.circuit, &others).truth(meets);
            let stays = set[source] == set[target] || {
                let test_effects = self.judge.test_effects(&[taken], usize::MAX);
                self.judge.leads(&test_effects, [set[source], Root::TRUE], set[target])
            };
            if stays && is_met == Some(false) {
                continue;
            }
            // What has been removed says nothing here: these steps may write what it depends on.
            let sources = [set[source], before.reached[source]];
            let mentioned: Vec<Lit> =
                obligation.labels.iter().map(|l| !self.judge.encoder.taken(*l)).collect();
            let cases = self.step_cases(&[&[taken], &mentioned[..]].concat(), number, Steps::Others, meets);
            if self.is_in_cases(&cases, sources, [set[target], Root::FALSE]) {
                continue;
            }
            let after = self.holds(set[target])?;
            let circuit = &mut self.judge.encoder.circuit;
            let bad = if stays { meets } else { circuit.or(!after, meets) };
            others.extend([bad, from]);
            violations.push(circuit.all(others));
        }
        let Some(values) = self.refute(&violations, before)? else { return Ok(()) };
        let label = self.judge.encoder.label_in(&values);
        let edge = self.moves.iter().position(|one| values.of(one.taken));
        let successor = self.judge.successors.get(label);
        let stays = edge.is_some_and(|edge| {
            self.judge.sets.contains(&self.judge.encoder, set[self.moves[edge].target], successor, &values)
        });
        Err(self.judge.broken(premise, what(stays), &values, Some(label)))
    }

    /// Whether walks show that no state of a set makes a literal true, whatever step is taken. Most demands are about
    /// states, so what is found out once is true of every label.
    fn is_nowhere_met(
        &mut self,
        known: &mut Option<bool>,
        set: &ProductSet,
        meets: Lit,
        number: usize,
        before: &Before<'_>,
    ) -> bool {
        if let Some(known) = *known {
            return known;
        }
        let Move { source, taken, .. } = self.moves[number];
        let cases = self.step_cases(&[taken], number, Steps::Any, meets);
        let shown =
            self.is_in_cases(&cases, [set[source], before.reached[source]], [Root::TRUE, Root::FALSE]);
        *known = Some(shown);
        shown
    }

    /// Whether walks show that possible steps from `from`, on which all facts are true, end in `goal`: by what they
    /// write, by what has been removed, or by what is reached.
    fn leads(
        &mut self,
        facts: &[Lit],
        number: usize,
        label: usize,
        from: Root,
        goal: Root,
        before: &Before<'_>,
    ) -> bool {
        let one = &self.moves[number];
        let test_effects = self.judge.test_effects(facts, label);
        if self.judge.leads(&test_effects, [from, Root::TRUE], goal) {
            return true;
        }
        let Some(goal) = before.with_removed(self.judge, one, label, goal) else { return false };
        self.judge.leads(&test_effects, [from, Root::TRUE], goal)
            || self.judge.leads(&test_effects, [from, before.reached[one.source]], goal)
    }

    /// Whether walks show that the states in all of `from` are in a set: the first in the cases in which the literal that
    /// was decided is false, the second in the others.
    fn is_in_cases(&self, cases: &Cases, from: [Root; 2], sets: [Root; 2]) -> bool {
        let is_in = |case: &cases::Case| self.judge.leads(&case.effects, from, sets[usize::from(case.truth)]);
        cases.as_ref().is_some_and(|cases| cases.iter().all(is_in))
    }

    /// The steps of an edge on which all facts are true, in cases in which a literal is decided. Where a label has too many
    /// cases for one literal, it is not tried for others: `idle` asks every process.
    fn step_cases(&mut self, facts: &[Lit], number: usize, steps: Steps, decided: Lit) -> Cases {
        if let Some(known) = self.cases.get(&(number, steps, decided)) {
            return known.clone();
        }
        let label = if let Steps::Of(label) = steps { Some(label) } else { None };
        if label.is_some_and(|label| self.too_many.contains(&label)) {
            return None;
        }
        let cases = self.judge.cases(facts, decided, label.unwrap_or(usize::MAX)).map(Rc::new);
        if let (Some(label), None) = (label, &cases) {
            self.too_many.insert(label);
        }
        self.cases.insert((number, steps, decided), cases.clone());
        cases
    }

    /// Whether walks show that possible steps from `from` end in a goal: the first in the cases in which the literal that
    /// was decided is false, the second in the others.
    fn leads_in_cases(
        &mut self,
        cases: &Cases,
        number: usize,
        label: usize,
        from: Root,
        goals: [Root; 2],
        before: &Before<'_>,
    ) -> bool {
        let Some(cases) = cases else { return false };
        let one = &self.moves[number];
        let mut with_removed = [None, None];
        cases.iter().all(|case| {
            let which = usize::from(case.truth);
            if self.judge.leads(&case.effects, [from, Root::TRUE], goals[which]) {
                return true;
            }
            let goal = with_removed[which]
                .get_or_insert_with(|| before.with_removed(self.judge, one, label, goals[which]));
            goal.is_some_and(|goal| {
                self.judge.leads(&case.effects, [from, Root::TRUE], goal)
                    || self.judge.leads(&case.effects, [from, before.reached[one.source]], goal)
            })
        })
    }

    /// Shows that every possible step from a set is barred: it starts in `barring` and satisfies the literal `when`.
    fn left_for_ever(
        &mut self,
        set: &ProductSet,
        barring: Option<(&ProductSet, Lit)>,
        before: &Before<'_>,
        what: &str,
    ) -> Result<(), End> {
        let mut violations = Vec::new();
        for number in 0..self.moves.len() {
            if !before.covers(&self.moves[number]) {
                continue;
            }
            let Move { source, taken, .. } = self.moves[number];
            let inside = self.holds(set[source])?;
            let from = self.judge.encoder.circuit.and(taken, inside);
            if from == Lit::FALSE {
                continue;
            }
            let facts =
                Facts::new(&self.judge.encoder.circuit, &[taken]).truth(barring.map_or(Lit::FALSE, |b| b.1));
            let closed = match barring {
                Some((closed, _)) if facts == Some(true) => closed[source],
                _ => Root::FALSE,
            };
            let test_effects = self.judge.test_effects(&[taken], usize::MAX);
            if self.judge.leads(&test_effects, [set[source], before.reached[source]], closed) {
                continue;
            }
            if let Some((closed, when)) = barring {
                let sources = [set[source], before.reached[source]];
                let cases = self.step_cases(&[taken], number, Steps::Any, when);
                if self.is_in_cases(&cases, sources, [Root::FALSE, closed[source]]) {
                    continue;
                }
            }
            let barred = match barring {
                None => Lit::FALSE,
                Some((closed, when)) => {
                    let closed = self.holds(closed[source])?;
                    self.judge.encoder.circuit.and(closed, when)
                }
            };
            if barring.is_some() {
                violations.push(self.judge.encoder.circuit.and(from, !barred));
                continue;
            }
            for label in 0..self.judge.enabled.len() {
                let (step, enabled) = (self.judge.encoder.taken(label), self.judge.enabled[label]);
                let facts = [taken, step, enabled];
                let nowhere = [Root::FALSE; 2];
                let is_stuck = self.leads(&facts, number, label, set[source], Root::FALSE, before) || {
                    let cases = self.step_cases(&facts, number, Steps::Of(label), Lit::FALSE);
                    self.leads_in_cases(&cases, number, label, set[source], nowhere, before)
                };
                if !is_stuck {
                    violations.push(self.judge.encoder.circuit.all([from, step, enabled]));
                }
            }
        }
        match self.refute(&violations, before)? {
            None => Ok(()),
            Some(values) => {
                let label = self.judge.encoder.label_in(&values);
                Err(self.judge.broken(Premise::Elimination, what.to_owned(), &values, Some(label)))
            }
        }
    }

    /// A possible product step that makes one of the violations true, if there is one. The violations imply that an
    /// edge is taken.
    fn refute(&mut self, violations: &[Lit], before: &Before<'_>) -> Result<Option<Values>, Halt> {
        let moves = &self.moves;
        self.judge.refute(violations, &mut |judge, values| {
            let mut missed = judge.missed_invariants(values)?;
            let Some(one) = moves.iter().find(|one| values.of(one.taken)) else { return Ok(missed) };
            let reached = before.reached[one.source];
            if !judge.sets.contains(&judge.encoder, reached, None, values) {
                missed.push(vec![!one.taken, judge.sets.holds(&mut judge.encoder, reached)?]);
            }
            for (closed, when) in &before.barred {
                if values.of(*when) && judge.sets.contains(&judge.encoder, closed[one.source], None, values) {
                    let closed = judge.sets.holds(&mut judge.encoder, closed[one.source])?;
                    missed.push(vec![!one.taken, !closed, !*when]);
                }
            }
            let within = |judge: &ProofJudge<'_>, state: usize, label: Option<usize>| {
                let successor = label.and_then(|label| judge.successors.get(label));
                let contains =
                    |set: &&&ProductSet| judge.sets.contains(&judge.encoder, set[state], successor, values);
                before.removed.iter().find(contains).map(|set| set[state])
            };
            if let Some(root) = within(judge, one.source, None) {
                missed.push(vec![!one.taken, !judge.sets.holds(&mut judge.encoder, root)?]);
            }
            if missed.is_empty() {
                missed = judge.missed_step(values)?;
            }
            // While the label is not that of a step, there is no successor.
            if !missed.is_empty() {
                return Ok(missed);
            }
            let label = judge.encoder.label_in(values);
            if let Some(root) = within(judge, one.target, Some(label)) {
                missed.push(not_removed(judge, one, root, label)?);
            }
            Ok(missed)
        })
    }
}

/// The clause that a step with this edge and label does not end in a removed set.
fn not_removed(judge: &mut ProofJudge<'_>, one: &Move, root: Root, label: usize) -> Result<Vec<Lit>, Halt> {
    if let Some(successor) = judge.successors.get(label)
        && judge.sets.is_touched(root, successor)
    {
        let after =
            judge.sets.holds_after(&mut judge.encoder, root, successor, &mut SetLiterals::default())?;
        return Ok(vec![!one.taken, !judge.encoder.taken(label), !after]);
    }
    // The same for all labels that do not touch the set.
    let mut clause = vec![!one.taken, !judge.sets.holds(&mut judge.encoder, root)?];
    for action in 0..judge.successors.len() {
        if judge.sets.is_touched(root, &judge.successors[action]) {
            clause.push(judge.encoder.taken(action));
        }
    }
    Ok(clause)
}
