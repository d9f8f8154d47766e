//! What must be true of some process in every state behind an abstract one, and when that may end.
//!
//! A requirement of one process implies that it is met again and again: `GF !viol(i)`, where `viol(i)` says that `i`
//! is owed something. Let `Φ` be the abstract states *all* whose concrete states have a process in a given set of
//! letters that is owed something, and `Drop` the abstract steps *some* concrete step behind which takes a debt away
//! from such a process: by meeting it, or because the process is owed nothing, or has left the set, afterwards.
//! Then `GF(!Φ || Drop)` is true of every fair run: otherwise from some point on `Φ` is always true and nobody's
//! debt ends, so a process owed something there is owed it for ever. The rules of [PXZ02] for carrying justice over
//! are instances of this one, except that theirs for conjunctions also needs `Drop`.
//!
//! `Φ` is computed from its complement: is there a word without such a process? Where positions do not matter that
//! is read off the numbers; else a search over words, which at each letter knows what stands before it and promises
//! what will stand behind.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use model::expr::{Party, Pattern};
use model::{Expr, Fault, Label};

use super::combinations::extended;
use super::contexts::{Abstract, Context, Counts, Fold};
use super::fair::Fair;
use super::letters::LetterId;
use super::sides::{EMPTY, Side};
use super::space::{Space, Step, Stop};

/// A predicate of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Each {
    /// Of this family: something it takes part in is enabled.
    Enabled(usize),
    /// What this requirement owes it: `when` is true and `then` is not, if it does not act.
    Owed(usize),
    /// The `when` of this requirement is true.
    When(usize),
    /// The `then` of this requirement is true, if it does not act.
    Then(usize),
}

/// Predicates of one process, remembered.
pub(super) struct Justice {
    /// The requirements that are spoken of.
    fair: Vec<Fair>,
    known: HashMap<(Each, Context), Option<bool>>,
    seen: HashMap<(Each, Abstract), Arc<Vec<Seen>>>,
}

/// A letter, the numbers of others, and the truth of a predicate in some context with these.
type Seen = (LetterId, Counts, bool);

impl Justice {
    pub(super) fn new(fair: Vec<Fair>) -> Justice {
        Justice { fair, known: HashMap::new(), seen: HashMap::new() }
    }

    /// The number of a requirement, which is spoken of from now on.
    pub(super) fn number(&mut self, fair: &Fair) -> usize {
        self.fair.iter().position(|known| known == fair).unwrap_or_else(|| {
            self.fair.push(fair.clone());
            self.fair.len() - 1
        })
    }

    pub(super) fn fair(&self, number: usize) -> &Fair {
        &self.fair[number]
    }

    fn family(&self, each: Each) -> usize {
        match each {
            Each::Enabled(family) => family,
            Each::Owed(number) | Each::When(number) | Each::Then(number) => {
                self.fair[number].own.map_or(usize::MAX, |(_, family)| family)
            }
        }
    }

    /// Whether a predicate is true of the only process singled out; `None` if no instance has the context.
    pub(super) fn truth(
        &mut self,
        fold: &mut Fold,
        each: Each,
        context: &Context,
    ) -> Result<Option<bool>, Fault> {
        if let Some(known) = self.known.get(&(each, context.clone())) {
            return Ok(*known);
        }
        let truth = match fold.scene(context) {
            None => None,
            Some(scene) => {
                let (family, place) = scene.foci[0];
                let index = fold.class.counted[family].first + place as i64;
                Some(match each {
                    Each::Enabled(family) => {
                        let party = Party {
                            family: fold.class.counted[family].family,
                            process: Some(Box::new(Expr::Int(index))),
                            label: None,
                        };
                        let pattern = Pattern { participants: vec![party], arguments: None };
                        scene.truth(&Expr::Enabled(pattern), Label::Idle, &[])?
                    }
                    Each::Owed(number) | Each::When(number) | Each::Then(number) => {
                        let fair = &self.fair[number];
                        let own = fair.own.iter().map(|(own, _)| (*own, index));
                        let values: Vec<_> = own.chain(fair.values.iter().copied()).collect();
                        let value = |expr: &Expr| scene.truth(expr, Label::Idle, &values);
                        // Both, for the faults in them.
                        let (when, then) = (value(&fair.when)?, value(&fair.then)?);
                        match each {
                            Each::When(_) => when,
                            Each::Then(_) => then,
                            _ => when && !then,
                        }
                    }
                })
            }
        };
        self.known.insert((each, context.clone()), truth);
        Ok(truth)
    }

    /// The truth of a predicate in all contexts of a state that single out a process it speaks of: its letter, and
    /// the numbers of the others.
    fn truths(&mut self, fold: &mut Fold, state: &Abstract, each: Each) -> Result<Arc<Vec<Seen>>, Fault> {
        if let Some(seen) = self.seen.get(&(each, state.clone())) {
            return Ok(Arc::clone(seen));
        }
        let mut seen = Vec::new();
        for context in fold.contexts(state, &[self.family(each)]) {
            if let Some(truth) = self.truth(fold, each, &context)? {
                seen.push((context.foci[0].1, context.others, truth));
            }
        }
        let seen = Arc::new(seen);
        self.seen.insert((each, state.clone()), Arc::clone(&seen));
        Ok(seen)
    }

    /// Whether the predicate is true of some process with the letter in some state behind the abstract one.
    pub(super) fn possibly(
        &mut self,
        fold: &mut Fold,
        state: &Abstract,
        each: Each,
        letters: &[LetterId],
    ) -> Result<bool, Stop> {
        let seen = self.truths(fold, state, each)?;
        Ok(seen.iter().any(|(letter, _, truth)| *truth && letters.contains(letter)))
    }

    /// Whether in every state behind the abstract one the predicate is true of some process with one of the letters.
    pub(super) fn surely(
        &mut self,
        fold: &mut Fold,
        state: &Abstract,
        each: Each,
        letters: &[LetterId],
    ) -> Result<bool, Stop> {
        let family = self.family(each);
        let seen = self.truths(fold, state, each)?;
        // The letters for which it depends on the context, with the numbers of others that have to be looked at.
        let mut critical: Vec<(LetterId, Vec<Counts>)> = Vec::new();
        for &(letter, _) in &state.counts {
            if !letters.contains(&letter) || fold.letters.letter(letter).family != family {
                continue;
            }
            let truths: Vec<&Seen> = seen.iter().filter(|(seen, _, _)| *seen == letter).collect();
            if truths.is_empty() {
                continue;
            }
            if truths.iter().all(|(_, _, truth)| *truth) {
                return Ok(true);
            }
            let mut numbers: Vec<&Counts> = truths.iter().map(|(_, others, _)| others).collect();
            numbers.dedup();
            let harmless = |others: &Counts| truths.iter().all(|(_, same, truth)| same != others || !truth);
            if !numbers.iter().any(|others| harmless(others)) {
                critical.push((letter, numbers.into_iter().cloned().collect()));
            }
        }
        if critical.is_empty() {
            return Ok(false);
        }
        let mut cases: Vec<Vec<(LetterId, Counts)>> = vec![Vec::new()];
        for (letter, numbers) in critical {
            let numbers: Vec<_> = numbers.into_iter().map(|others| (letter, others)).collect();
            cases = extended(&cases, &numbers);
        }
        for case in cases {
            if self.escapes(fold, state, each, family, &case)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether there is a word of the state's in which the predicate is false of all processes with these letters,
    /// where those have these numbers of others.
    fn escapes(
        &mut self,
        fold: &mut Fold,
        state: &Abstract,
        each: Each,
        family: usize,
        case: &[(LetterId, Counts)],
    ) -> Result<bool, Stop> {
        // Letter, how many are needed, and whether more are allowed.
        let mut needed: Vec<(LetterId, u8, bool)> = Vec::new();
        for &(letter, count) in &state.counts {
            if fold.letters.letter(letter).family != family {
                continue;
            }
            match case.iter().find(|(critical, _)| *critical == letter) {
                Some((_, others)) => {
                    let more = others.iter().find(|(l, _)| *l == letter).map_or(0, |(_, count)| *count);
                    needed.push((letter, more + 1, more > 0 && fold.letters.is_saturated(letter, more)));
                }
                None if fold.letters.is_neutral(letter) => {}
                None => needed.push((letter, count, fold.letters.is_saturated(letter, count))),
            }
        }
        let endings = endings(fold, &needed);
        let start = (vec![0u8; needed.len()], EMPTY, state.whole[family]);
        let mut seen = HashSet::from([start.clone()]);
        let mut queue = vec![start];
        while let Some((used, before, behind)) = queue.pop() {
            if behind == EMPTY && used.iter().zip(&needed).all(|(used, (_, count, _))| used == count) {
                return Ok(true);
            }
            for (at, &(letter, count, more)) in needed.iter().enumerate() {
                if used[at] == count && !more {
                    continue;
                }
                let own = fold.sides.of(&fold.letters, letter);
                for &rest in &endings {
                    if fold.product(&[own, rest]) != behind {
                        continue;
                    }
                    if let Some((_, others)) = case.iter().find(|(critical, _)| *critical == letter) {
                        let context = single(fold, state, family, letter, others.clone(), [before, rest]);
                        if self.truth(fold, each, &context)? != Some(false) {
                            continue;
                        }
                    }
                    let mut used = used.clone();
                    used[at] = (used[at] + 1).min(count);
                    let next = (used, fold.product(&[before, own]), rest);
                    if seen.insert(next.clone()) {
                        queue.push(next);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Whether some concrete step behind an abstract one ends what a requirement owes a process with these letters.
    pub(super) fn drops(
        &mut self,
        fold: &mut Fold,
        number: usize,
        step: &Step,
        target: &Abstract,
        letters: &[LetterId],
    ) -> Result<bool, Stop> {
        let Some(effect) = &step.effect else { return Ok(false) };
        let each = Each::Owed(number);
        let context = &*step.context;
        let family = self.family(each);
        let all = Some((&effect.letters[..], &effect.moved[..], &effect.shared));
        for (at, &(f, letter)) in context.foci.iter().enumerate() {
            if f != family || !letters.contains(&letter) {
                continue;
            }
            let before = alone(fold, context, at, None);
            if self.truth(fold, each, &before)? != Some(true) {
                continue;
            }
            let after = alone(fold, context, at, all);
            if !letters.contains(&after.foci[0].1)
                || self.truth(fold, each, &after)? != Some(true)
                || self.meets(fold, number, step, at)?
            {
                return Ok(true);
            }
        }
        for &(letter, _) in context.others.iter().filter(|(l, _)| letters.contains(l)) {
            // Nobody with this letter is owed nothing afterwards.
            let seen = self.truths(fold, target, each)?;
            if fold.letters.letter(letter).family != family
                || seen.iter().all(|(seen, _, truth)| *truth || *seen != letter)
            {
                continue;
            }
            for (watched, at) in watched(fold, context, family, letter) {
                let before = alone(fold, &watched, at, None);
                if self.truth(fold, each, &before)? != Some(true) {
                    continue;
                }
                let mut after_letters = effect.letters.clone();
                after_letters.insert(at, letter);
                let mut moved = effect.moved.clone();
                moved.insert(at, false);
                let after = alone(fold, &watched, at, Some((&after_letters, &moved, &effect.shared)));
                if self.truth(fold, each, &after)? != Some(true) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Evaluates a requirement of every process in every state and of every step, for the faults in it.
    pub(super) fn seek_faults(&mut self, fold: &mut Fold, space: &Space, number: usize) -> Result<(), Stop> {
        let each = Each::Owed(number);
        for state in &space.states {
            self.truths(fold, state, each)?;
        }
        let family = self.family(each);
        let fair = &self.fair[number];
        for step in &space.steps {
            for at in (0..step.context.foci.len()).filter(|at| step.context.foci[*at].0 == family) {
                self.truth_at(fold, number, &fair.when, step, at)?;
                self.truth_at(fold, number, &fair.then, step, at)?;
            }
        }
        Ok(())
    }

    /// Whether a step ends what a requirement owes one of the processes that it singles out.
    fn meets(&self, fold: &mut Fold, number: usize, step: &Step, at: usize) -> Result<bool, Stop> {
        let fair = &self.fair[number];
        let when = self.truth_at(fold, number, &fair.when, step, at)?;
        Ok(!when || self.truth_at(fold, number, &fair.then, step, at)?)
    }

    /// Whether the `then` of a requirement is true of a step, for one of the processes that it singles out.
    pub(super) fn then_at(
        &self,
        fold: &mut Fold,
        number: usize,
        step: &Step,
        at: usize,
    ) -> Result<bool, Stop> {
        self.truth_at(fold, number, &self.fair[number].then, step, at)
    }

    fn truth_at(
        &self,
        fold: &mut Fold,
        number: usize,
        expr: &Expr,
        step: &Step,
        at: usize,
    ) -> Result<bool, Stop> {
        let (Some(effect), Some(scene)) = (&step.effect, fold.scene(&step.context)) else { return Ok(false) };
        let fair = &self.fair[number];
        let (family, place) = scene.foci[at];
        let index = fold.class.counted[family].first + place as i64;
        let own = fair.own.iter().map(|(own, _)| (*own, index));
        let values: Vec<_> = own.chain(fair.values.iter().copied()).collect();
        Ok(scene.truth(expr, Label::Action(effect.action), &values)?)
    }
}

/// The context of a process with this letter, these others, and these stretches around it.
fn single(
    fold: &Fold,
    state: &Abstract,
    family: usize,
    letter: LetterId,
    others: Counts,
    around: [Side; 2],
) -> Context {
    let whole = |f: usize| if f == family { around.to_vec() } else { vec![state.whole[f]] };
    Context {
        foci: vec![(family, letter)],
        others,
        stretches: (0..fold.class.counted.len()).map(whole).collect(),
        shared: Arc::clone(&state.shared),
    }
}

/// Everything that words with these letters can end in.
fn endings(fold: &mut Fold, needed: &[(LetterId, u8, bool)]) -> Vec<Side> {
    let mut endings = vec![EMPTY];
    let mut next = 0;
    while next < endings.len() {
        for (letter, _, _) in needed {
            let own = fold.sides.of(&fold.letters, *letter);
            let longer = fold.product(&[own, endings[next]]);
            if !endings.contains(&longer) {
                endings.push(longer);
            }
        }
        next += 1;
    }
    endings
}

/// The contexts in which a process with this letter, one of the others of a context, is singled out too, and its
/// place among the foci.
fn watched(fold: &mut Fold, context: &Context, family: usize, letter: LetterId) -> Vec<(Context, usize)> {
    let begin = context.foci.iter().position(|(f, _)| *f >= family).unwrap_or(context.foci.len());
    let own = context.foci.iter().filter(|(f, _)| *f == family).count();
    let side = fold.sides.of(&fold.letters, letter);
    let mut found = Vec::new();
    for others in fold.without(&context.others, letter) {
        let splits = fold.splits(family, &others, own + 1);
        for (sides, _) in splits.iter() {
            for at in 0..=own {
                let joined = fold.product(&[sides[at], side, sides[at + 1]]);
                let merged =
                    sides[..at].iter().copied().chain([joined]).chain(sides[at + 2..].iter().copied());
                if merged.eq(context.stretches[family].iter().copied()) {
                    let mut watched = context.clone();
                    watched.foci.insert(begin + at, (family, letter));
                    watched.others.clone_from(&others);
                    watched.stretches[family].clone_from(sides);
                    found.push((watched, begin + at));
                }
            }
        }
    }
    found
}

/// The letters of the foci, which of them go to the end, and the shared values after a step.
type After<'a> = (&'a [LetterId], &'a [bool], &'a Arc<[i64]>);

/// The context that singles out one of the foci only, before a step or after it.
fn alone(fold: &mut Fold, context: &Context, at: usize, after: Option<After<'_>>) -> Context {
    let mut others = context.others.clone();
    let mut stretches = Vec::new();
    let letter = |k: usize| after.map_or(context.foci[k].1, |(letters, _, _)| letters[k]);
    let moved = |k: usize| after.is_some_and(|(_, moved, _)| moved[k]);
    for k in (0..context.foci.len()).filter(|k| *k != at) {
        others = fold.with(&others, letter(k));
    }
    for family in 0..context.stretches.len() {
        let foci: Vec<usize> = (0..context.foci.len()).filter(|k| context.foci[*k].0 == family).collect();
        // The word as stretches and foci, those that took a ticket at the end.
        let mut items: Vec<Result<Side, usize>> = vec![Ok(context.stretches[family][0])];
        for (focus, stretch) in foci.iter().zip(&context.stretches[family][1..]) {
            if !moved(*focus) {
                items.push(Err(*focus));
            }
            items.push(Ok(*stretch));
        }
        items.extend(foci.iter().filter(|focus| moved(**focus)).map(|focus| Err(*focus)));
        let mut sides = vec![EMPTY];
        for item in items {
            let side = match item {
                Err(focus) if focus == at => {
                    sides.push(EMPTY);
                    continue;
                }
                Err(focus) => fold.sides.of(&fold.letters, letter(focus)),
                Ok(side) => side,
            };
            let last = sides.len() - 1;
            sides[last] = fold.product(&[sides[last], side]);
        }
        stretches.push(sides);
    }
    let shared = after.map_or_else(|| Arc::clone(&context.shared), |(_, _, shared)| Arc::clone(shared));
    Context { foci: vec![(context.foci[at].0, letter(at))], others, stretches, shared }
}
