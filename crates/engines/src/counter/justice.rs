//! Justice of single processes, carried over to the abstract system.
//!
//! A requirement about one process implies that its debt ends again and again: `GF !viol(i)`, where `viol(i)` says
//! that `i` is owed something. For a set of letters, let `Φ` be the abstract states of which *all* concrete states
//! have a process with one of these letters that is owed something. Let `Drop` be the abstract steps of which *some*
//! concrete step ends the debt of such a process: the step meets it, or afterwards the process is owed nothing or has
//! left the set. Then `GF(!Φ || Drop)` is true of every fair run. Otherwise, from some point on `Φ` is always true
//! and no debt ends, so some process is owed something for ever. The rules of [PXZ02] for carrying justice over are
//! instances of this one, except that their rule for conjunctions also needs `Drop`.
//!
//! `Φ` is computed from its complement: is there a word without such a process? If positions do not matter, the
//! numbers decide this. Otherwise we search words letter by letter. At each letter the search knows what comes before
//! it, and guesses what comes after it.

use std::cell::RefCell;
use std::sync::Arc;

use model::expr::{Party, Pattern};
use model::{Expr, Label};

use super::combinations::extended;
use super::contexts::{Abstract, Context, Counts, Fold};
use super::explore::patterns;
use super::fair::Fair;
use super::letters::LetterId;
use super::meter::{LOOK, Meter, TRUTH, WORD};
use super::sides::{EMPTY, Side};
use super::space::{AbstractStep, Space, Stop};
use super::world::{Effect, Scene, World};
use rustc_hash::{FxHashMap as Map, FxHashSet as Set};

/// A predicate of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Each {
    /// `when` is true. Without a requirement: an action that the process takes part in is enabled.
    When,
    /// `then` is true, if the process does not act.
    Then,
    /// The requirement owes something: `when` is true and `then` is not.
    Owed,
}

/// The truth of `when` and `then` for one process that does not act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Truth {
    when: bool,
    then: bool,
}

impl Truth {
    fn of(self, each: Each) -> bool {
        match each {
            Each::When => self.when,
            Each::Then => self.then,
            Each::Owed => self.when && !self.then,
        }
    }
}

/// The truth of a requirement for single processes of its family, cached.
pub(super) struct Justice<'f> {
    family: usize,
    /// `None`: the only predicate is whether the process is enabled.
    fair: Option<&'f Fair>,
    cache: Map<Arc<Context>, Option<Truth>>,
    /// By the numbers of the states.
    seen: Vec<Option<Arc<Vec<Seen>>>>,
    /// Per step and letter, whether the step may end the debt of a process with the letter that does not act.
    others: Map<(usize, LetterId), bool>,
    /// Per step and focus, what becomes of the debt of the process.
    fates: Map<(usize, usize), Fate>,
    /// Per instance, `when` and `then` with its values of the parameters.
    set: RefCell<Vec<SetSides>>,
}

/// An instance, `when` and `then` with its values of the parameters, and the same without events that do not happen in the step
/// `idle`, if that is all they say of steps.
type SetSides = (Arc<World>, [Arc<Expr>; 2], Option<[Arc<Expr>; 2]>);

/// What becomes of the debt of a process that a step singles out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// There is none.
    None,
    /// It ends, whatever letter the process has then.
    Ends,
    /// It remains.
    Remains,
}

/// A state with its number.
pub(super) type Numbered<'a> = (usize, &'a Abstract);

/// A letter, the numbers of others, and the truth of the predicates in some context with these.
type Seen = (LetterId, Counts, Truth);

/// Whether a process with this letter and these others is owed something; `None` if it depends on the context.
fn owed_in(seen: &[Seen], letter: LetterId, others: &Counts) -> Option<bool> {
    let mut owed = None;
    for (_, _, truth) in seen.iter().filter(|(known, same, _)| *known == letter && same == others) {
        if *owed.get_or_insert(truth.of(Each::Owed)) != truth.of(Each::Owed) {
            return None;
        }
    }
    owed
}

impl<'f> Justice<'f> {
    /// Whether processes of a family are enabled.
    pub(super) fn enabled(family: usize) -> Justice<'f> {
        Justice {
            family,
            fair: None,
            cache: Map::default(),
            seen: Vec::new(),
            others: Map::default(),
            fates: Map::default(),
            set: RefCell::default(),
        }
    }

    /// A requirement of each process of a family.
    pub(super) fn new(family: usize, fair: &'f Fair) -> Justice<'f> {
        Justice { fair: Some(fair), ..Justice::enabled(family) }
    }

    /// The same, evaluated in every state of an abstract system.
    pub(super) fn in_space(
        family: usize,
        fair: &'f Fair,
        fold: &Fold,
        space: &Space,
        meter: &Meter<'_>,
    ) -> Result<Justice<'f>, Stop> {
        let mut justice = Justice::new(family, fair);
        // Where no action of one process alone was tried, the contexts of single processes are not known.
        if patterns(fold).contains(&vec![family]) {
            for (number, contexts) in space.singled_out.iter().enumerate() {
                justice.prepare(fold, number, contexts, meter)?;
            }
        }
        Ok(justice)
    }

    /// The truth for the only process singled out; `None` if no instance has the context.
    fn truth(&mut self, fold: &mut Fold, context: Context, meter: &Meter<'_>) -> Result<Option<Truth>, Stop> {
        meter.spend(WORD)?;
        if let Some(known) = self.cache.get(&context) {
            return Ok(*known);
        }
        let truth = match fold.scene(&context, meter)? {
            Some(scene) => Some(self.evaluate(fold, &scene, meter)?),
            None => None,
        };
        self.cache.insert(Arc::new(context), truth);
        Ok(truth)
    }

    /// The truth for the first process singled out in a concrete state, if it does not act.
    fn evaluate(&self, fold: &Fold, scene: &Scene, meter: &Meter<'_>) -> Result<Truth, Stop> {
        meter.spend(2 * (TRUTH + scene.state.0.len() as u64))?;
        let (family, place) = scene.foci[0];
        let counted = &fold.class.counted[family];
        let index = counted.first + place as i64;
        let Some(fair) = self.fair else {
            let process = Some(Box::new(Expr::Int(index)));
            let party = Party { family: counted.family, process, label: None };
            let pattern = Pattern { participants: vec![party], arguments: None };
            let when = scene.truth(&Expr::Enabled(pattern), Label::Idle, &[])?;
            return Ok(Truth { when, then: false });
        };
        self.sides(fair, scene, Label::Idle, index)
    }

    /// The truth of both sides of the requirement. Both are evaluated, for the faults in them.
    fn sides(&self, fair: &Fair, scene: &Scene, label: Label, index: i64) -> Result<Truth, Stop> {
        let mut known = self.set.borrow_mut();
        let at = known.iter().position(|(world, _, _)| Arc::ptr_eq(world, &scene.world));
        let at = at.unwrap_or_else(|| {
            let sides = [&fair.when, &fair.then];
            let idle = sides.map(|side| fair.where_nothing_happens(side));
            let idle = match &idle {
                [Some(when), Some(then)] => Some([when, then].map(|side| scene.world.set(side))),
                _ => None,
            };
            known.push((Arc::clone(&scene.world), sides.map(|side| scene.world.set(side)), idle));
            known.len() - 1
        });
        let values = fair.values_for(index);
        let [when, then] = match &known[at] {
            (_, _, Some([when, then])) if label == Label::Idle => {
                scene.state_truths(&[when, then], &values)?
            }
            (_, [when, then], _) => scene.truths(&[when, then], label, &values)?,
        };
        Ok(Truth { when, then })
    }

    /// The truth of the predicates in all contexts of a state that single out a process of the family: its letter, and
    /// the numbers of the others.
    fn truths(
        &mut self,
        fold: &mut Fold,
        (number, state): Numbered<'_>,
        meter: &Meter<'_>,
    ) -> Result<Arc<Vec<Seen>>, Stop> {
        if let Some(Some(seen)) = self.seen.get(number) {
            return Ok(Arc::clone(seen));
        }
        let mut seen = Vec::new();
        for context in fold.contexts(state, &[self.family], meter)? {
            let (letter, others) = (context.foci[0].1, context.others.clone());
            if let Some(truth) = self.truth(fold, context, meter)? {
                seen.push((letter, others, truth));
            }
        }
        Ok(self.remember(number, seen))
    }

    /// The same for a state whose contexts are known.
    fn prepare(
        &mut self,
        fold: &Fold,
        number: usize,
        contexts: &[(Arc<Context>, Arc<Scene>)],
        meter: &Meter<'_>,
    ) -> Result<(), Stop> {
        let mut seen = Vec::new();
        for (context, scene) in contexts.iter().filter(|(context, _)| context.foci[0].0 == self.family) {
            let known = self.cache.get(&**context).copied().flatten();
            let truth = match known {
                Some(truth) => truth,
                None => self.evaluate(fold, scene, meter)?,
            };
            self.cache.insert(Arc::clone(context), Some(truth));
            seen.push((context.foci[0].1, context.others.clone(), truth));
        }
        self.remember(number, seen);
        Ok(())
    }

    fn remember(&mut self, number: usize, seen: Vec<Seen>) -> Arc<Vec<Seen>> {
        let seen = Arc::new(seen);
        if self.seen.len() <= number {
            self.seen.resize(number + 1, None);
        }
        self.seen[number] = Some(Arc::clone(&seen));
        seen
    }

    /// Whether the predicate is true of some process with the letter in some concrete state of the abstract one.
    pub(super) fn possibly(
        &mut self,
        fold: &mut Fold,
        state: Numbered<'_>,
        each: Each,
        letters: &[LetterId],
        meter: &Meter<'_>,
    ) -> Result<bool, Stop> {
        let seen = self.truths(fold, state, meter)?;
        Ok(seen.iter().any(|(letter, _, truth)| truth.of(each) && letters.contains(letter)))
    }

    /// Whether in every concrete state of the abstract one the predicate is true of some process with one of the
    /// letters.
    pub(super) fn surely(
        &mut self,
        fold: &mut Fold,
        (number, state): Numbered<'_>,
        each: Each,
        letters: &[LetterId],
        meter: &Meter<'_>,
    ) -> Result<bool, Stop> {
        let family = self.family;
        let seen = self.truths(fold, (number, state), meter)?;
        // The letters for which it depends on the context, with the numbers of others that must be considered.
        let mut critical: Vec<(LetterId, Vec<Counts>)> = Vec::new();
        for &(letter, _) in &state.counts {
            if !letters.contains(&letter) || fold.letters.letter(letter).family != family {
                continue;
            }
            let truths: Vec<&Seen> = seen.iter().filter(|(seen, _, _)| *seen == letter).collect();
            if truths.is_empty() {
                continue;
            }
            if truths.iter().all(|(_, _, truth)| truth.of(each)) {
                return Ok(true);
            }
            let mut numbers: Vec<&Counts> = truths.iter().map(|(_, others, _)| others).collect();
            numbers.dedup();
            let harmless =
                |others: &Counts| truths.iter().all(|(_, same, truth)| same != others || !truth.of(each));
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
            cases = extended(&cases, &numbers, meter)?;
        }
        for case in cases {
            if self.escapes(fold, state, each, &case, meter)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the state has a word in which the predicate is false of all processes with these letters that have
    /// these numbers of others.
    fn escapes(
        &mut self,
        fold: &mut Fold,
        state: &Abstract,
        each: Each,
        case: &[(LetterId, Counts)],
        meter: &Meter<'_>,
    ) -> Result<bool, Stop> {
        let family = self.family;
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
        let endings = endings(fold, &needed, meter)?;
        let start = (vec![0u8; needed.len()], EMPTY, state.whole[family]);
        let mut seen = Set::from_iter([start.clone()]);
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
                    meter.spend(WORD)?;
                    if fold.product(&[own, rest]) != behind {
                        continue;
                    }
                    if let Some((_, others)) = case.iter().find(|(critical, _)| *critical == letter) {
                        let context = single(fold, state, family, letter, others.clone(), [before, rest]);
                        if self.truth(fold, context, meter)?.is_none_or(|truth| truth.of(each)) {
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

    /// Whether some concrete step of an abstract one, given with its number, ends the debt of a process with these
    /// letters.
    pub(super) fn drops(
        &mut self,
        fold: &mut Fold,
        (number, step): (usize, &AbstractStep),
        target: Numbered<'_>,
        letters: &[LetterId],
        meter: &Meter<'_>,
    ) -> Result<bool, Stop> {
        let Some(effect) = &step.effect else { return Ok(false) };
        let context = &*step.context;
        let family = self.family;
        for (at, &(f, letter)) in context.foci.iter().enumerate() {
            if f != family || !letters.contains(&letter) {
                continue;
            }
            match self.fate(fold, (number, step), effect, at, meter)? {
                Fate::None => {}
                Fate::Ends => return Ok(true),
                Fate::Remains if letters.contains(&effect.letters[at]) => {}
                Fate::Remains => return Ok(true),
            }
        }
        for &(letter, _) in context.others.iter().filter(|(l, _)| letters.contains(l)) {
            if fold.letters.letter(letter).family != family {
                continue;
            }
            let drops = if let Some(known) = self.others.get(&(number, letter)) {
                *known
            } else {
                let drops = self.drops_other(fold, step, effect, target, letter, meter)?;
                self.others.insert((number, letter), drops);
                drops
            };
            if drops {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What becomes of the debt of a process that a step singles out, if the process stays in the set.
    fn fate(
        &mut self,
        fold: &mut Fold,
        (number, step): (usize, &AbstractStep),
        effect: &Effect,
        at: usize,
        meter: &Meter<'_>,
    ) -> Result<Fate, Stop> {
        if let Some(known) = self.fates.get(&(number, at)) {
            return Ok(*known);
        }
        let effect_after = Some((&effect.letters[..], &effect.moved[..], &effect.shared));
        let fate = if !self.is_owed_at(fold, &step.context, at, None, step.source as usize, meter)? {
            Fate::None
        } else if self.meets(fold, step, at, meter)? {
            Fate::Ends
        } else if self.is_owed_at(fold, &step.context, at, effect_after, step.target as usize, meter)? {
            Fate::Remains
        } else {
            Fate::Ends
        };
        self.fates.insert((number, at), fate);
        Ok(fate)
    }

    /// Whether some concrete step ends the debt of a process with this letter that does not act.
    fn drops_other(
        &mut self,
        fold: &mut Fold,
        step: &AbstractStep,
        effect: &Effect,
        target: Numbered<'_>,
        letter: LetterId,
        meter: &Meter<'_>,
    ) -> Result<bool, Stop> {
        // Without a debt before, none ends.
        let before = self.seen.get(step.source as usize).cloned().flatten();
        let is_owed = |(seen, _, truth): &Seen| *seen == letter && truth.of(Each::Owed);
        if before.as_ref().is_some_and(|before| !before.iter().any(is_owed)) {
            return Ok(false);
        }
        // If every process with this letter is owed something afterwards, no debt has ended.
        let after = self.truths(fold, target, meter)?;
        if after.iter().all(|(seen, _, truth)| *seen != letter || truth.of(Each::Owed)) {
            return Ok(false);
        }
        for others in fold.without(&step.context.others, letter) {
            meter.spend(WORD)?;
            // Often the numbers tell, and positions do not matter.
            let (mut earlier, mut later) = (others.clone(), others.clone());
            for ((_, from), to) in step.context.foci.iter().zip(&effect.letters) {
                fold.add(&mut earlier, *from);
                fold.add(&mut later, *to);
            }
            let was_owed = before.as_ref().and_then(|before| owed_in(before, letter, &earlier));
            let is_owed = owed_in(&after, letter, &later);
            if was_owed == Some(false) || is_owed == Some(true) {
                continue;
            }
            for (watched, at) in watched(fold, &step.context, self.family, letter, &others, meter)? {
                let was_owed = if let Some(known) = was_owed {
                    known
                } else {
                    let before = alone(fold, &watched, at, None);
                    self.is_owed(fold, before, meter)?
                };
                if !was_owed {
                    continue;
                }
                let mut letters = effect.letters.clone();
                letters.insert(at, letter);
                let mut moved = effect.moved.clone();
                moved.insert(at, false);
                let after = Some((&letters[..], &moved[..], &effect.shared));
                let is_owed = if let Some(known) = is_owed {
                    known
                } else {
                    let after = alone(fold, &watched, at, after);
                    self.is_owed(fold, after, meter)?
                };
                if !is_owed {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether one of the foci is owed something in a state, which is the one before a step or after it.
    fn is_owed_at(
        &mut self,
        fold: &mut Fold,
        context: &Context,
        at: usize,
        after: Option<After<'_>>,
        state: usize,
        meter: &Meter<'_>,
    ) -> Result<bool, Stop> {
        let letter = |k: usize| after.map_or(context.foci[k].1, |(letters, _, _)| letters[k]);
        if let Some(Some(seen)) = self.seen.get(state) {
            let mut others = context.others.clone();
            for k in (0..context.foci.len()).filter(|k| *k != at) {
                fold.add(&mut others, letter(k));
            }
            if let Some(owed) = owed_in(seen, letter(at), &others) {
                return Ok(owed);
            }
        }
        let alone = alone(fold, context, at, after);
        self.is_owed(fold, alone, meter)
    }

    /// Whether the only process singled out is owed something.
    fn is_owed(&mut self, fold: &mut Fold, context: Context, meter: &Meter<'_>) -> Result<bool, Stop> {
        Ok(self.truth(fold, context, meter)?.is_some_and(|truth| truth.of(Each::Owed)))
    }

    /// Evaluates the requirement for every process in every state and on every step, to find faults in it.
    pub(super) fn seek_faults(
        &mut self,
        fold: &mut Fold,
        space: &Space,
        meter: &Meter<'_>,
    ) -> Result<(), Stop> {
        for state in space.states.iter().enumerate() {
            meter.spend(LOOK)?;
            self.truths(fold, state, meter)?;
        }
        for step in &space.steps {
            for at in (0..step.context.foci.len()).filter(|at| step.context.foci[*at].0 == self.family) {
                self.truth_of_step(fold, step, at, meter)?;
            }
        }
        Ok(())
    }

    /// Whether a step ends the debt of one of the processes that it singles out.
    fn meets(&self, fold: &Fold, step: &AbstractStep, at: usize, meter: &Meter<'_>) -> Result<bool, Stop> {
        Ok(!self.truth_of_step(fold, step, at, meter)?.of(Each::Owed))
    }

    /// Whether `then` is true of a step, for one of the processes that it singles out.
    pub(super) fn then_at(
        &self,
        fold: &Fold,
        step: &AbstractStep,
        at: usize,
        meter: &Meter<'_>,
    ) -> Result<bool, Stop> {
        Ok(self.truth_of_step(fold, step, at, meter)?.then)
    }

    /// The truth on a step, for one of the processes that it singles out.
    fn truth_of_step(
        &self,
        fold: &Fold,
        step: &AbstractStep,
        at: usize,
        meter: &Meter<'_>,
    ) -> Result<Truth, Stop> {
        let nothing = Truth { when: false, then: false };
        let (Some(fair), Some(_)) = (self.fair, &step.effect) else { return Ok(nothing) };
        let scene = &step.scene;
        meter.spend(2 * (TRUTH + scene.state.0.len() as u64))?;
        let (family, place) = scene.foci[at];
        self.sides(fair, scene, step.label(), fold.class.counted[family].first + place as i64)
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

/// All summaries of words with these letters.
fn endings(fold: &mut Fold, needed: &[(LetterId, u8, bool)], meter: &Meter<'_>) -> Result<Vec<Side>, Stop> {
    let mut endings = vec![EMPTY];
    let mut next = 0;
    while next < endings.len() {
        for (letter, _, _) in needed {
            meter.spend(WORD)?;
            let own = fold.sides.of(&fold.letters, *letter);
            let longer = fold.product(&[own, endings[next]]);
            if !endings.contains(&longer) {
                endings.push(longer);
            }
        }
        next += 1;
    }
    Ok(endings)
}

/// The contexts in which another process of a context, with this letter and besides it these others, is singled out
/// too, and its position among the foci.
fn watched(
    fold: &mut Fold,
    context: &Context,
    family: usize,
    letter: LetterId,
    others: &Counts,
    meter: &Meter<'_>,
) -> Result<Vec<(Context, usize)>, Stop> {
    let begin = context.foci.iter().position(|(f, _)| *f >= family).unwrap_or(context.foci.len());
    let own = context.foci.iter().filter(|(f, _)| *f == family).count();
    let side = fold.sides.of(&fold.letters, letter);
    let mut found = Vec::new();
    let splits = fold.splits(family, others, own + 1, meter)?;
    for sides in splits.iter() {
        meter.spend(WORD)?;
        for at in 0..=own {
            // The stretches around the process are joined, and all others are the same.
            let stretches = &context.stretches[family];
            if sides[..at] == stretches[..at]
                && sides[at + 2..] == stretches[at + 1..]
                && fold.product(&[sides[at], side, sides[at + 1]]) == stretches[at]
            {
                let mut watched = context.clone();
                watched.foci.insert(begin + at, (family, letter));
                watched.others.clone_from(others);
                watched.stretches[family].clone_from(sides);
                found.push((watched, begin + at));
            }
        }
    }
    Ok(found)
}

/// After a step: the letters of the foci, which of them go to the end, and the shared values.
type After<'a> = (&'a [LetterId], &'a [bool], &'a Arc<[i64]>);

/// The context that singles out one of the foci only, before a step or after it.
fn alone(fold: &mut Fold, context: &Context, at: usize, after: Option<After<'_>>) -> Context {
    let mut others = context.others.clone();
    let mut stretches = Vec::new();
    let letter = |k: usize| after.map_or(context.foci[k].1, |(letters, _, _)| letters[k]);
    let moved = |k: usize| after.is_some_and(|(_, moved, _)| moved[k]);
    for k in (0..context.foci.len()).filter(|k| *k != at) {
        fold.add(&mut others, letter(k));
    }
    for family in 0..context.stretches.len() {
        let foci: Vec<usize> = (0..context.foci.len()).filter(|k| context.foci[*k].0 == family).collect();
        // The word as stretches and foci, with those that took a ticket at the end.
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
