//! Abstract states, and the contexts of the concrete states they stand for.
//!
//! An *abstract state* keeps how many processes have each letter, up to the letter's bound, a summary of the word of
//! each family ([`sides`](super::sides)), and the shared values. A *context* singles out some processes, in the order
//! of their word, and keeps the numbers of the others and the summaries of the stretches between those singled out.
//! Which stretches go together with which numbers is found by breadth-first search over words, one letter after the
//! other, where the letters used so far are counted up to the bound. Every accumulator is reached by a word and every
//! word runs through accumulators, so we find exactly the contexts that some word has, each with such a word. A
//! context that needs a number of processes below the bound of the parameter, or different numbers in two families of
//! the same size, belongs to no instance and is left out. So is one that contradicts the [`sums`](super::sums) that
//! all reachable states have.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::System;

use super::class::Class;
use super::combinations::extended;
use super::letters::{LetterId, Letters};
use super::meter::{Meter, SCENE, WORD};
use super::sides::{EMPTY, Side, Sides};
use super::space::Stop;
use super::sums::Sums;
use super::world::{Configuration, Effect, Scene, World};
use rustc_hash::{FxHashMap as Map, FxHashSet as Set};

/// How many processes have each letter, in the order of the letters. Letters with 0 are left out.
pub(super) type Counts = Vec<(LetterId, u8)>;

/// An abstract state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Abstract {
    pub(super) counts: Counts,
    /// Per counted family, the summary of its word.
    pub(super) whole: Vec<Side>,
    pub(super) shared: Arc<[i64]>,
}

/// Some processes, and a summary of the others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Context {
    /// Families and letters, family by family, in the order of the words.
    pub(super) foci: Vec<(usize, LetterId)>,
    pub(super) others: Counts,
    /// Per counted family, the stretches between the foci; one more than there are foci.
    pub(super) stretches: Vec<Vec<Side>>,
    pub(super) shared: Arc<[i64]>,
}

/// Stretches that occur together, and how words for them are found.
pub(super) struct Splits {
    /// The stretches, and the last accumulator of their words.
    found: Vec<(Vec<Side>, u32)>,
    /// Per accumulator, its predecessor and the letter that was added; no letter where the word was cut.
    origins: Vec<(u32, Option<LetterId>)>,
    cuts: usize,
}

impl Splits {
    /// The stretches that occur together.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Vec<Side>> {
        self.found.iter().map(|(sides, _)| sides)
    }

    /// A word for each of these stretches, if they occur together.
    fn words(&self, stretches: &[Side]) -> Option<Vec<Vec<LetterId>>> {
        let (_, last) = self.found.iter().find(|(sides, _)| sides[..] == *stretches)?;
        let mut words = vec![Vec::new(); self.cuts + 1];
        let (mut at, mut word) = (*last, self.cuts);
        while at != 0 {
            let (before, letter) = self.origins[at as usize];
            match letter {
                Some(letter) => words[word].push(letter),
                None => word -= 1,
            }
            at = before;
        }
        words.iter_mut().for_each(|word| word.reverse());
        Some(words)
    }
}

/// A configuration, the families and places of the foci, and the instance.
pub(super) type Realised = (Configuration, Vec<(usize, usize)>, Arc<World>);

/// Translates between contexts and scenes.
pub(super) struct Fold {
    pub(super) system: Arc<System>,
    pub(super) class: Arc<Class>,
    pub(super) letters: Letters,
    pub(super) sides: Sides,
    pub(super) sums: Sums,
    worlds: Map<Vec<i64>, Option<Arc<World>>>,
    splits: Map<(usize, Counts), CachedSplits>,
    /// The number of the current piece of work, see [`Fold::begin`].
    piece: u64,
}

/// Splits that were computed before.
struct CachedSplits {
    splits: Arc<Splits>,
    /// The work it took.
    price: u64,
    /// The last piece of work that was charged for them.
    payer: u64,
}

/// An estimate of the memory per word in the search for splits.
const WORD_BYTES: u64 = 200;

impl Fold {
    /// `None` if there is no instance.
    pub(super) fn new(system: &Arc<System>, class: &Arc<Class>, raise: u8) -> Option<Fold> {
        let letters = Letters::new(system, class, raise)?;
        let sides = Sides::new(&letters);
        let (system, class) = (Arc::clone(system), Arc::clone(class));
        let (sums, worlds, splits) = (Sums::default(), Map::default(), Map::default());
        Some(Fold { system, class, letters, sides, sums, worlds, splits, piece: 0 })
    }

    /// Assumes all sums that are the same in these initial states.
    pub(super) fn begin_sums(&mut self, initial: &[Abstract]) -> Result<(), Stop> {
        let least: Vec<i64> = self.system.parameters.iter().map(|parameter| parameter.least).collect();
        let world = self.world(&least)?;
        self.sums.begin(&self.system, &self.class, &self.letters, &world, initial);
        Ok(())
    }

    /// Makes sure that numbers of processes that are compared with each other can be compared, with the letters that
    /// occur; see [`Balance`](super::reading::Balance).
    pub(super) fn weigh(&self) -> Result<(), Stop> {
        for balance in &self.class.balances {
            let (mut negative, mut positive) = (false, false);
            for letter in 0..self.letters.len() as LetterId {
                let mut weight = self.letters.weight(balance, letter)?;
                for (tally, factor) in &balance.tallies {
                    let own = self.sums.weight(*tally, letter).ok_or(Stop::Unbalanced)?;
                    weight = weight.saturating_add(factor.saturating_mul(own));
                }
                negative |= weight < 0;
                positive |= weight > 0;
            }
            let has_tallies = !balance.tallies.is_empty();
            if negative && positive || has_tallies && (negative || positive) {
                return Err(Stop::Unbalanced);
            }
        }
        Ok(())
    }

    /// Begins a piece of work. Each piece is charged once for each list of splits that it uses, cached or not.
    pub(super) fn begin(&mut self) {
        self.piece += 1;
    }

    /// The numbers after one process with this letter is removed. There are two possibilities if the number is
    /// saturated.
    pub(super) fn without(&self, counts: &Counts, letter: LetterId) -> Vec<Counts> {
        let Ok(at) = counts.binary_search_by_key(&letter, |(l, _)| *l) else { return Vec::new() };
        let count = counts[at].1;
        let mut fewer = counts.clone();
        if count == 1 {
            fewer.remove(at);
        } else {
            fewer[at].1 -= 1;
        }
        if self.letters.is_saturated(letter, count) { vec![fewer, counts.clone()] } else { vec![fewer] }
    }

    /// The numbers with one more process.
    pub(super) fn with(&self, counts: &Counts, letter: LetterId) -> Counts {
        let mut more = counts.clone();
        self.add(&mut more, letter);
        more
    }

    /// Adds one process to numbers.
    pub(super) fn add(&self, counts: &mut Counts, letter: LetterId) {
        match counts.binary_search_by_key(&letter, |(l, _)| *l) {
            Ok(at) => counts[at].1 = (counts[at].1 + 1).min(self.letters.bound(letter)),
            Err(at) => counts.insert(at, (letter, 1)),
        }
    }

    pub(super) fn product(&mut self, sides: &[Side]) -> Side {
        sides.iter().fold(EMPTY, |product, side| self.sides.product(&self.letters, product, *side))
    }

    /// The contexts of a state with processes of these families singled out; the families are in order.
    pub(super) fn contexts(
        &mut self,
        state: &Abstract,
        families: &[usize],
        meter: &Meter<'_>,
    ) -> Result<Vec<Context>, Stop> {
        let mut partial: Vec<(Vec<(usize, LetterId)>, Counts)> = vec![(Vec::new(), state.counts.clone())];
        for &family in families {
            let mut longer = BTreeSet::new();
            for (foci, counts) in partial {
                meter.spend(WORD)?;
                for &(letter, _) in counts.iter().filter(|(l, _)| self.letters.letter(*l).family == family) {
                    for others in self.without(&counts, letter) {
                        let mut foci = foci.clone();
                        foci.push((family, letter));
                        longer.insert((foci, others));
                    }
                }
            }
            partial = longer.into_iter().collect();
        }
        let mut contexts = Vec::new();
        for (foci, others) in partial {
            let mut stretches: Vec<Vec<Vec<Side>>> = vec![Vec::new()];
            for family in 0..self.class.counted.len() {
                let own: Vec<LetterId> = foci.iter().filter(|(f, _)| *f == family).map(|(_, l)| *l).collect();
                let splits = self.splits(family, &others, own.len(), meter)?;
                let mut fitting = Vec::new();
                for sides in splits.iter() {
                    meter.spend(WORD)?;
                    if self.joined(sides, &own) == state.whole[family] {
                        fitting.push(sides.clone());
                    }
                }
                stretches = extended(&stretches, &fitting, meter)?;
            }
            contexts.extend(stretches.into_iter().map(|stretches| Context {
                foci: foci.clone(),
                others: others.clone(),
                stretches,
                shared: Arc::clone(&state.shared),
            }));
        }
        Ok(contexts)
    }

    /// The summary of the word made of these stretches and letters.
    pub(super) fn joined(&mut self, stretches: &[Side], letters: &[LetterId]) -> Side {
        let mut side = stretches[0];
        for (letter, stretch) in letters.iter().zip(&stretches[1..]) {
            let own = self.sides.of(&self.letters, *letter);
            side = self.product(&[side, own, *stretch]);
        }
        side
    }

    /// The stretches of words of a family with these numbers, cut in `cuts` places.
    pub(super) fn splits(
        &mut self,
        family: usize,
        counts: &Counts,
        cuts: usize,
        meter: &Meter<'_>,
    ) -> Result<Arc<Splits>, Stop> {
        let placed: Counts = counts
            .iter()
            .copied()
            .filter(|(l, _)| self.letters.letter(*l).family == family && !self.letters.is_neutral(*l))
            .collect();
        let key = (cuts, placed);
        if let Some(known) = self.splits.get_mut(&key) {
            if known.payer != self.piece {
                meter.spend(known.price)?;
                known.payer = self.piece;
            }
            return Ok(Arc::clone(&known.splits));
        }
        let begin = meter.spent();
        let splits = Arc::new(self.find_splits(&key.1, cuts, meter)?);
        let price = meter.spent() - begin;
        let known = CachedSplits { splits: Arc::clone(&splits), price, payer: self.piece };
        self.splits.insert(key, known);
        Ok(splits)
    }

    /// The stretches of words with these numbers of letters, cut in `cuts` places.
    fn find_splits(&mut self, placed: &Counts, cuts: usize, meter: &Meter<'_>) -> Result<Splits, Stop> {
        // An accumulator: how often each letter is used, then the stretches so far.
        let letters = placed.len();
        let mut start = vec![0; letters];
        start.push(EMPTY);
        let mut seen = Set::from_iter([start.clone()]);
        let mut list = vec![start];
        let mut splits = Splits { found: Vec::new(), origins: vec![(0, None)], cuts };
        let mut next = 0;
        while next < list.len() {
            meter.spend(WORD)?;
            meter.room(list.len() as u64 * WORD_BYTES)?;
            let here = std::mem::take(&mut list[next]);
            let is_used = |(used, (_, count)): (&u32, &(LetterId, u8))| *used == u32::from(*count);
            if here.len() == letters + cuts + 1 && here.iter().zip(placed).all(is_used) {
                splits.found.push((here[letters..].to_vec(), next as u32));
            }
            let mut step = |accumulator: Vec<u32>, letter: Option<LetterId>| {
                if !seen.contains(&accumulator) {
                    seen.insert(accumulator.clone());
                    list.push(accumulator);
                    splits.origins.push((next as u32, letter));
                }
            };
            if here.len() <= letters + cuts {
                let mut cut = here.clone();
                cut.push(EMPTY);
                step(cut, None);
            }
            for (at, &(letter, count)) in placed.iter().enumerate() {
                if here[at] == u32::from(count) && !self.letters.is_saturated(letter, count) {
                    continue;
                }
                let mut longer = here.clone();
                longer[at] = (here[at] + 1).min(u32::from(count));
                let last = longer.len() - 1;
                let own = self.sides.of(&self.letters, letter);
                longer[last] = self.sides.product(&self.letters, here[last], own);
                step(longer, Some(letter));
            }
            next += 1;
        }
        Ok(splits)
    }

    /// A configuration with this context, in the smallest instance that has one, and the places of the foci. `None`
    /// if no reachable state of an instance has the context.
    pub(super) fn realise(&mut self, context: &Context, meter: &Meter<'_>) -> Result<Option<Realised>, Stop> {
        meter.spend(WORD)?;
        if !self.sums.admit(&self.letters, context) {
            return Ok(None);
        }
        let class = Arc::clone(&self.class);
        let mut words = Vec::new();
        let mut foci = Vec::new();
        for family in 0..class.counted.len() {
            let own: Vec<LetterId> =
                context.foci.iter().filter(|(f, _)| *f == family).map(|(_, l)| *l).collect();
            let splits = self.splits(family, &context.others, own.len(), meter)?;
            let Some(parts) = splits.words(&context.stretches[family]) else { return Ok(None) };
            // The position of neutral letters does not matter.
            let mut word = Vec::new();
            for &(letter, count) in &context.others {
                if self.letters.letter(letter).family == family && self.letters.is_neutral(letter) {
                    word.extend((0..count).map(|_| letter));
                }
            }
            for (number, part) in parts.iter().enumerate() {
                word.extend(part);
                if let Some(letter) = own.get(number) {
                    foci.push((family, word.len()));
                    word.push(*letter);
                }
            }
            words.push(word);
        }
        let mut values: Vec<i64> = self.system.parameters.iter().map(|parameter| parameter.least).collect();
        for (word, counted) in words.iter().zip(&class.counted) {
            let value = &mut values[counted.parameter];
            *value = (*value).max(word.len() as i64 - counted.offset);
        }
        for (family, counted) in class.counted.iter().enumerate() {
            let missing = values[counted.parameter] + counted.offset - words[family].len() as i64;
            if missing == 0 {
                continue;
            }
            // If a letter may occur more often, another one is put next to an existing one.
            let free = |(letter, count): &&(LetterId, u8)| {
                self.letters.letter(*letter).family == family && self.letters.is_saturated(*letter, *count)
            };
            let Some(&(letter, _)) = context.others.iter().find(free) else { return Ok(None) };
            let is_focus = |at: usize| foci.contains(&(family, at));
            let mut places = 0..words[family].len();
            let place = places.find(|at| words[family][*at] == letter && !is_focus(*at));
            let Some(at) = place else { return Ok(None) };
            for _ in 0..missing {
                words[family].insert(at, letter);
            }
            for (f, place) in &mut foci {
                if *f == family && *place >= at {
                    *place += missing as usize;
                }
            }
        }
        let world = self.world(&values)?;
        Ok(Some((Configuration { words, shared: Arc::clone(&context.shared) }, foci, world)))
    }

    /// A scene with this context, if an instance has one.
    pub(super) fn scene(&mut self, context: &Context, meter: &Meter<'_>) -> Result<Option<Scene>, Stop> {
        meter.spend(SCENE)?;
        let Some((configuration, foci, world)) = self.realise(context, meter)? else { return Ok(None) };
        meter.spend(world.instance.cells.len() as u64)?;
        self.scene_of(&world, &configuration, foci).map(Some)
    }

    /// The scene of a configuration.
    pub(super) fn scene_of(
        &self,
        world: &Arc<World>,
        configuration: &Configuration,
        foci: Vec<(usize, usize)>,
    ) -> Result<Scene, Stop> {
        let tallies = self.sums.tallies(&configuration.words).map_err(|tally| {
            let variable = self.system.variable(self.class.tallies[tally].variable);
            Stop::NoCount(variable.name.clone())
        })?;
        Ok(world.scene(&self.class, &self.letters, configuration, &tallies, foci))
    }

    /// A scene for an abstract state.
    pub(super) fn state_scene(&mut self, state: &Abstract, meter: &Meter<'_>) -> Result<Option<Scene>, Stop> {
        Ok(self.state_context(state, meter)?.map(|(_, scene)| scene))
    }

    /// The first context of an abstract state, without foci, that some instance has, and a scene with it.
    pub(super) fn state_context(
        &mut self,
        state: &Abstract,
        meter: &Meter<'_>,
    ) -> Result<Option<(Context, Scene)>, Stop> {
        for context in self.contexts(state, &[], meter)? {
            if let Some(scene) = self.scene(&context, meter)? {
                return Ok(Some((context, scene)));
            }
        }
        Ok(None)
    }

    /// The instance with these values of the parameters.
    pub(super) fn world(&mut self, values: &[i64]) -> Result<Arc<World>, Stop> {
        let (system, class) = (&self.system, &self.class);
        let make = || World::new(system, class, values).map(Arc::new);
        let world = self.worlds.entry(values.to_vec()).or_insert_with(make).clone();
        world.ok_or(Stop::TooLarge("processes"))
    }

    /// The abstract state after an effect.
    pub(super) fn after(&mut self, context: &Context, effect: &Effect) -> Abstract {
        let mut counts = context.others.clone();
        effect.letters.iter().for_each(|letter| self.add(&mut counts, *letter));
        let mut whole = Vec::new();
        for family in 0..self.class.counted.len() {
            let stretches = context.stretches[family].clone();
            let mut parts = vec![stretches[0]];
            let mut last = Vec::new();
            let own = context.foci.iter().zip(effect.letters.iter().zip(&effect.moved));
            let own: Vec<(LetterId, bool)> = own
                .filter(|((f, _), _)| *f == family)
                .map(|(_, (letter, moved))| (*letter, *moved))
                .collect();
            for ((letter, moved), stretch) in own.into_iter().zip(&stretches[1..]) {
                let side = self.sides.of(&self.letters, letter);
                if moved {
                    last.push(side);
                } else {
                    parts.push(side);
                }
                parts.push(*stretch);
            }
            parts.extend(last);
            whole.push(self.product(&parts));
        }
        Abstract { counts, whole, shared: Arc::clone(&effect.shared) }
    }
}
