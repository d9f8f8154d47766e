//! Sums that no step changes.
//!
//! If two processes may be inside at once, `permits + #crit` is 2 in every state: a step changes both or none. Such
//! sums, of numbers of processes and shared values with integer weights, are the place invariants of Petri nets. They
//! tell apart what counting up to a bound does not: with one permit left, exactly one process is inside. A context
//! that contradicts a sum belongs to no reachable state and is left out.
//!
//! We do not guess sums but assume all that no step seen so far contradicts: the weights orthogonal to the changes
//! that steps make and to the differences between initial states. While the abstract system is explored, a step may
//! contradict a sum that was used. Then that sum is given up, and the exploration begins anew. At the end every step
//! that was found from states with these sums preserves them, so by induction they are true in all reachable states.
//!
//! A process that the property names counts like the others. A value of an enum, such as the location of a single
//! process, counts 1 where it is present. Numbers of processes that are not exact are unknowns, at least as large as
//! the number that is counted. A context contradicts the sums if they have no rational solution.
//!
//! A *tally* is a shared number from 0 to a parameter. It is not part of an abstract state: some sum must say that
//! it is a number of processes with certain letters, so its value in a concrete state is known.

use std::collections::{BTreeMap, BTreeSet};

use model::system::Scalar;
use model::{System, counting};

use super::class::{Class, Tally};
use super::contexts::{Abstract, Context};
use super::letters::{Letter, LetterId, Letters};
use super::vectors::{Span, Vector, in_cone, product};
use super::world::{Effect, World};
use rustc_hash::FxHashMap as Map;

/// The greatest number of coordinates. Beyond it no sums are used.
const COORDINATES: usize = 100;

/// A number that a sum may contain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Coordinate {
    /// The value of a tally.
    Tally(usize),
    /// How many processes of a family have these values.
    Processes(usize, Vec<i64>),
    /// The value of a shared cell, by position among the shared cells.
    Value(usize),
    /// 1 if a shared cell has this value, else 0.
    Member(usize, i64),
}

/// A sum and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    /// One per coordinate.
    pub(super) weights: Vector,
    pub(super) value: i128,
}

/// What a tally is: a number plus how many processes have each letter, with weights.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Formula {
    /// One per coordinate.
    weights: Vec<i64>,
    constant: i64,
}

/// The sums that are assumed.
#[derive(Default)]
pub(super) struct Sums {
    tallies: Vec<Tally>,
    /// The least value of each parameter.
    least: Vec<i64>,
    /// Per counted family, its parameter and the number that is added to it.
    sizes: Vec<(usize, i64)>,
    /// Per tally, what it is; `None` if that is not found.
    formulas: Vec<Option<Formula>>,
    coordinates: Vec<Coordinate>,
    numbers: Map<Coordinate, usize>,
    /// Per letter, its coordinate.
    of_letters: Vec<Option<usize>>,
    /// Per shared cell, whether its values are members of an enum.
    members: Vec<bool>,
    /// The changes that steps make, and the differences between initial states.
    changes: Span,
    /// An initial state.
    start: Vector,
    found: Vec<Sum>,
    /// Whether a context was left out in the exploration.
    pruned: bool,
    /// Whether the exploration is complete.
    finished: bool,
    /// Set if there are too many coordinates, or numbers are too large.
    given_up: bool,
    /// Whether unknowns for letters can make up for what is missing in the sums.
    solved: Map<(Vec<usize>, Vector), bool>,
}

impl Sums {
    /// The sums that are the same in all initial states.
    pub(super) fn begin(
        &mut self,
        system: &System,
        class: &Class,
        letters: &Letters,
        world: &World,
        initial: &[Abstract],
    ) {
        *self = Sums::default();
        self.tallies.clone_from(&class.tallies);
        self.least = system.parameters.iter().map(|parameter| parameter.least).collect();
        self.sizes = class.counted.iter().map(|counted| (counted.parameter, counted.offset)).collect();
        let cells = world.shared_cells().iter().map(|cell| &world.instance.cells[*cell]);
        self.members =
            cells.map(|cell| matches!(system.variable(cell.variable).kind.scalar, Scalar::Enum(_))).collect();
        let Some(first) = initial.first() else { return self.give_up() };
        let mut tallies = Vec::new();
        let mut growth: Vec<Vec<(usize, i128)>> = vec![Vec::new(); system.parameters.len()];
        // First of all, so that what they are is found in terms of the others.
        for (number, tally) in class.tallies.iter().enumerate() {
            let at = self.number(Coordinate::Tally(number));
            let (parameter, mut value) = tally.initial;
            if let Some(parameter) = parameter {
                value += system.parameters[parameter].least;
                growth[parameter].push((at, 1));
            }
            tallies.push((at, i128::from(value)));
        }
        let shared: BTreeSet<&[i64]> = initial.iter().map(|state| &*state.shared).collect();
        let start = self.shared(&first.shared);
        let mut differences: Vec<Vec<(usize, i128)>> = Vec::new();
        for other in shared {
            let other = self.shared(other);
            differences.push(difference(&start, &other));
        }
        self.start = dense(&start);
        tallies.iter().for_each(|(at, value)| add_to(&mut self.start, *at, *value));
        if system.init.is_empty() || !tallies.is_empty() {
            // Every process may begin with every initial letter of its family, in every number.
            let mut own: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); class.counted.len()];
            for &(letter, _) in initial.iter().flat_map(|state| &state.counts) {
                own[letters.letter(letter).family].insert(self.letter(letters, letter));
            }
            for (own, counted) in own.iter().zip(&class.counted) {
                let Some(&first) = own.first() else { continue };
                let size = system.parameters[counted.parameter].least + counted.offset;
                add_to(&mut self.start, first, i128::from(size));
                growth[counted.parameter].push((first, 1));
                differences.extend(own.iter().map(|other| vec![(first, -1), (*other, 1)]));
            }
            differences.extend(growth);
        } else {
            let counts = |sums: &mut Sums, state: &Abstract| -> Vec<(usize, i128)> {
                state.counts.iter().map(|(l, count)| (sums.letter(letters, *l), i128::from(*count))).collect()
            };
            let start = counts(self, first);
            start.iter().for_each(|(at, count)| add_to(&mut self.start, *at, *count));
            for state in initial {
                let other = counts(self, state);
                differences.push(difference(&start, &other));
                for &(letter, _) in state.counts.iter().filter(|(l, count)| letters.is_saturated(*l, *count))
                {
                    differences.push(vec![(self.letter(letters, letter), 1)]);
                }
            }
        }
        for difference in &differences {
            self.add(difference);
        }
        if self.coordinates.len() > COORDINATES {
            self.give_up();
        }
        self.solve();
    }

    /// Takes note of the changes that steps make. Returns whether a sum that may have been used is given up.
    pub(super) fn learn<'s>(
        &mut self,
        letters: &Letters,
        steps: impl Iterator<Item = (&'s Context, &'s Effect)>,
    ) -> bool {
        let settled = self.coordinates.len();
        let (mut grown, mut fewer) = (false, false);
        for (context, effect) in steps {
            if self.given_up {
                break;
            }
            let mut change: Vec<(usize, i128)> =
                effect.added.iter().enumerate().map(|(at, number)| (at, i128::from(*number))).collect();
            for (&(_, from), &to) in context.foci.iter().zip(&effect.letters) {
                change.extend([(self.letter(letters, from), -1), (self.letter(letters, to), 1)]);
            }
            let (before, shared) = (self.shared(&context.shared), self.shared(&effect.shared));
            change.extend(difference(&before, &shared));
            if self.coordinates.len() > COORDINATES {
                self.give_up();
                break;
            }
            if let Some(pivot) = self.add(&change) {
                grown = true;
                fewer |= pivot < settled;
            }
        }
        if grown || self.coordinates.len() > settled {
            self.solve();
        }
        // Tallies are always used.
        (fewer || self.given_up) && (std::mem::take(&mut self.pruned) || !self.tallies.is_empty())
    }

    /// The values of the tallies of words; the first one that is not known if there is one.
    pub(super) fn tallies(&self, words: &[Vec<LetterId>]) -> Result<Vec<i64>, usize> {
        let value = |number: usize| {
            let formula = self.formulas.get(number)?.as_ref()?;
            words.iter().flatten().try_fold(formula.constant, |sum, letter| {
                sum.checked_add(*formula.weights.get(self.known(*letter)?)?)
            })
        };
        (0..self.tallies.len()).map(|number| value(number).ok_or(number)).collect()
    }

    /// What a process with this letter adds to a tally, if that is known.
    pub(super) fn weight(&self, tally: usize, letter: LetterId) -> Option<i64> {
        self.formulas.get(tally)?.as_ref()?.weights.get(self.known(letter)?).copied()
    }

    /// Whether a reachable state may have this context, as far as the sums tell.
    pub(super) fn admit(&mut self, letters: &Letters, context: &Context) -> bool {
        if self.found.is_empty() {
            return true;
        }
        let mut state = vec![0; self.coordinates.len()];
        let mut unknown = Vec::new();
        for &(_, letter) in &context.foci {
            let Some(at) = self.known(letter) else { return true };
            state[at] += 1;
        }
        for &(letter, count) in &context.others {
            let Some(at) = self.known(letter) else { return true };
            state[at] += i128::from(count);
            if letters.is_saturated(letter, count) {
                unknown.push(at);
            }
        }
        for (cell, &value) in context.shared.iter().enumerate() {
            let Some(&at) = self.numbers.get(&self.coordinate(cell, value)) else { return true };
            state[at] += if self.members[cell] { 1 } else { i128::from(value) };
        }
        let missing = |sum: &Sum| sum.value.checked_sub(product(&sum.weights, &state)?);
        let Some(missing) = self.found.iter().map(missing).collect::<Option<Vector>>() else { return true };
        if missing.iter().all(|number| *number == 0) {
            return true;
        }
        let key = (unknown, missing);
        if let Some(known) = self.solved.get(&key) {
            return *known;
        }
        let columns: Vec<Vector> =
            key.0.iter().map(|at| self.found.iter().map(|sum| sum.weights[*at]).collect()).collect();
        let admitted = in_cone(&columns, &key.1).unwrap_or(true);
        self.pruned |= !admitted && !self.finished;
        self.solved.insert(key, admitted);
        admitted
    }

    /// The exploration is complete.
    pub(super) fn finish(&mut self) {
        self.finished = true;
    }

    /// The sums, if the exploration left out a context because of them, with their coordinates.
    pub(super) fn used(&self) -> (&[Sum], &[Coordinate]) {
        (if self.pruned { &self.found } else { &[] }, &self.coordinates)
    }

    /// What the tallies are, in the words of the reference.
    pub(super) fn tallies_for_the_judge(&self) -> Vec<counting::Tally> {
        let mut told = Vec::new();
        for (tally, formula) in self.tallies.iter().zip(self.formulas.iter().flatten()) {
            let mut letters = BTreeSet::new();
            let mut family =
                self.sizes.iter().position(|(parameter, _)| *parameter == tally.most.0).unwrap_or(0);
            for (coordinate, weight) in self.coordinates.iter().zip(&formula.weights) {
                if let (Coordinate::Processes(of, values), 1) = (coordinate, weight) {
                    family = *of;
                    letters.insert(values.clone());
                }
            }
            let (variable, constant) = (tally.variable.0 as usize, formula.constant);
            told.push(counting::Tally { variable, constant, family, letters });
        }
        told
    }

    /// The sums that were used, in the words of the reference; those about tallies, or with numbers that are too large, are
    /// left out.
    pub(super) fn for_the_judge(&self, families: usize) -> Vec<counting::Sum> {
        let (sums, coordinates) = self.used();
        let told = |sum: &Sum| {
            let mut told = counting::Sum {
                letters: vec![BTreeMap::new(); families],
                total: i64::try_from(sum.value).ok()?,
                ..counting::Sum::default()
            };
            for (coordinate, weight) in
                coordinates.iter().zip(&sum.weights).filter(|(_, weight)| **weight != 0)
            {
                let weight = i64::try_from(*weight).ok()?;
                match coordinate {
                    Coordinate::Tally(_) => return None,
                    Coordinate::Processes(family, values) => {
                        told.letters[*family].insert(values.clone(), weight);
                    }
                    Coordinate::Value(cell) => told.values.push((*cell, weight)),
                    Coordinate::Member(cell, value) => told.members.push((*cell, *value, weight)),
                }
            }
            Some(told)
        };
        sums.iter().filter_map(told).collect()
    }

    fn give_up(&mut self) {
        self.given_up = true;
        self.found.clear();
        self.formulas.clear();
    }

    /// Adds a change. Returns the last coordinate of its part that is new.
    fn add(&mut self, change: &[(usize, i128)]) -> Option<usize> {
        let Some(pivot) = self.changes.add(&dense(change)) else {
            self.give_up();
            return None;
        };
        pivot
    }

    /// Finds the sums that no change contradicts, and what the tallies are.
    fn solve(&mut self) {
        self.solved.clear();
        if self.given_up {
            return;
        }
        self.formulas = (0..self.tallies.len()).map(|tally| self.formula(tally)).collect();
        // The values of tallies are not part of an abstract state.
        let mut changes = self.changes.clone();
        let without = (0..self.tallies.len()).try_for_each(|tally| changes.add(&unit(tally)).map(|_| ()));
        let basis = without.and_then(|()| changes.orthogonal(self.coordinates.len()));
        // Sums of shared values alone say nothing about numbers of processes.
        let counts = |weights: &Vector| {
            let mut parts = self.coordinates.iter().zip(weights);
            parts.any(|(coordinate, weight)| *weight != 0 && matches!(coordinate, Coordinate::Processes(..)))
        };
        let value = |weights: Vector| product(&weights, &self.start).map(|value| Sum { weights, value });
        match basis.and_then(|basis| basis.into_iter().filter(counts).map(value).collect()) {
            Some(sums) => self.found = sums,
            None => self.give_up(),
        }
    }

    /// What a tally is, in terms of letters alone, if its values are sure to be in its range.
    fn formula(&self, tally: usize) -> Option<Formula> {
        let mut changes = self.changes.clone();
        for (at, coordinate) in self.coordinates.iter().enumerate() {
            if at != tally && !matches!(coordinate, Coordinate::Processes(..)) {
                changes.add(&unit(at))?;
            }
        }
        let basis = changes.orthogonal(self.coordinates.len())?;
        let weights = basis.into_iter().find(|weights| weights[tally] != 0)?;
        let own = weights[tally];
        let whole = |number: i128| (number % own == 0).then(|| i64::try_from(number / own).ok()).flatten();
        let constant = whole(product(&weights, &self.start)?)?;
        let mut counted = Vec::new();
        for (at, weight) in weights.iter().enumerate() {
            counted.push(if at == tally { 0 } else { whole(-weight)? });
        }
        let families = self.coordinates.iter().zip(&counted).filter(|(_, weight)| **weight != 0);
        let families: BTreeSet<usize> = families
            .filter_map(|(coordinate, _)| match coordinate {
                Coordinate::Processes(family, _) => Some(*family),
                _ => None,
            })
            .collect();
        let (parameter, most) = self.tallies[tally].most;
        let families: Vec<(usize, i64)> = families.iter().map(|family| self.sizes[*family]).collect();
        let fits = counted.iter().all(|weight| (0..=1).contains(weight))
            && constant >= 0
            && match families[..] {
                [] => constant <= self.least[parameter] + most,
                [(own, offset)] => own == parameter && constant + offset <= most,
                _ => false,
            };
        fits.then_some(Formula { weights: counted, constant })
    }

    /// The coordinate of a letter that was met before.
    fn known(&self, letter: LetterId) -> Option<usize> {
        self.of_letters.get(letter as usize).copied().flatten()
    }

    /// The coordinate of a letter.
    fn letter(&mut self, letters: &Letters, letter: LetterId) -> usize {
        if let Some(at) = self.known(letter) {
            return at;
        }
        let Letter { family, values, .. } = letters.letter(letter);
        let at = self.number(Coordinate::Processes(*family, values.clone()));
        if self.of_letters.len() <= letter as usize {
            self.of_letters.resize(letter as usize + 1, None);
        }
        self.of_letters[letter as usize] = Some(at);
        at
    }

    /// The coordinates of shared values.
    fn shared(&mut self, values: &[i64]) -> Vec<(usize, i128)> {
        let mut coordinates = Vec::new();
        for (cell, &value) in values.iter().enumerate() {
            let at = self.number(self.coordinate(cell, value));
            coordinates.push((at, if self.members[cell] { 1 } else { i128::from(value) }));
        }
        coordinates
    }

    fn coordinate(&self, cell: usize, value: i64) -> Coordinate {
        if self.members[cell] { Coordinate::Member(cell, value) } else { Coordinate::Value(cell) }
    }

    fn number(&mut self, coordinate: Coordinate) -> usize {
        let next = self.coordinates.len();
        *self.numbers.entry(coordinate).or_insert_with_key(|coordinate| {
            self.coordinates.push(coordinate.clone());
            next
        })
    }
}

/// The vector with a 1 in one place.
fn unit(at: usize) -> Vector {
    dense(&[(at, 1)])
}

/// The entries that lead from one list to another.
fn difference(from: &[(usize, i128)], to: &[(usize, i128)]) -> Vec<(usize, i128)> {
    from.iter().map(|(at, number)| (*at, -number)).chain(to.iter().copied()).collect()
}

fn dense(entries: &[(usize, i128)]) -> Vector {
    let mut vector = Vec::new();
    entries.iter().for_each(|(at, number)| add_to(&mut vector, *at, *number));
    vector
}

fn add_to(vector: &mut Vector, at: usize, number: i128) {
    if vector.len() <= at {
        vector.resize(at + 1, 0);
    }
    vector[at] += number;
}
