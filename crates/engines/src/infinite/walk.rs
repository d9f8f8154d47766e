//! Random walks: a concrete run from an initial state to a set, if a walk meets the set soon.
//!
//! Going backwards from a set covers all states, but may never end. A walk covers one initial state, and a loop costs
//! it only steps. The pseudo-random numbers have a fixed seed, so the same task has the same walks. The result is a
//! chain of [`Move`]s between single states.

use std::collections::{BTreeMap, BTreeSet};

use arith::{Linear, Var};
use smt::Formula;

use super::moves::Move;
use super::oracles::{Oracles, Stop};
use super::program::Program;
use super::witness::At;

/// The number of walks, and their length.
const WALKS: usize = 60;
const STEPS: usize = 800;
/// The number of attempts to draw integers for an edge.
const DRAWS: usize = 6;
/// A walk ends at a value larger than this, before numbers overflow.
const LARGE: i128 = 1 << 60;

/// Moves from an initial state to `goal`, the last one first, with states inside `stay`.
pub(super) fn walk(
    program: &Program,
    stay: &[Formula],
    goal: &[Formula],
    oracles: &mut Oracles<'_>,
) -> Result<Option<Vec<Move>>, Stop> {
    let mut walks = Walks::new(program, oracles)?;
    for round in 0..WALKS {
        oracles.check_limits()?;
        let Some(mut at) = walks.begin(round) else { break };
        let mut found = Vec::new();
        for _ in 0..STEPS {
            if at.satisfies(&goal[at.place])? {
                found.reverse();
                return Ok(Some(found));
            }
            if !at.satisfies(&stay[at.place])? {
                break;
            }
            let Some((edge, chosen, after)) = walks.step(&at) else { break };
            let chosen = chosen.into_iter().map(|(var, value)| (var, Linear::constant(value))).collect();
            found.push(Move {
                place: at.place,
                states: at.point(program)?,
                edge: Some(edge),
                chosen,
                target: after.place,
                rank: None,
            });
            at = after;
        }
    }
    Ok(None)
}

/// Walks through a program.
pub(super) struct Walks<'p> {
    program: &'p Program,
    random: Random,
    numbers: Vec<i128>,
    leaving: Vec<Vec<usize>>,
    /// Per initial place, a first state and the formula of its initial states.
    begins: Vec<(At, &'p Formula)>,
}

impl<'p> Walks<'p> {
    pub(super) fn new(program: &'p Program, oracles: &mut Oracles<'_>) -> Result<Walks<'p>, Stop> {
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); program.places.len()];
        for (number, edge) in program.edges.iter().enumerate() {
            leaving[edge.source].push(number);
        }
        let mut begins = Vec::new();
        for (place, initial) in &program.initial {
            if let Some(model) = oracles.model(initial)? {
                begins.push((At::of(program, *place, &|var| model.value(var)), initial));
            }
        }
        Ok(Walks { program, random: Random(0x5eed), numbers: numbers(program), leaving, begins })
    }

    /// The start of the walk with this number.
    pub(super) fn begin(&mut self, round: usize) -> Option<At> {
        let (at, initial) = self.begins.get(round % self.begins.len().max(1))?;
        let (mut at, initial) = (at.clone(), *initial);
        if round >= self.begins.len() {
            let mut values: BTreeMap<Var, i128> = (0..).map(Var).zip(at.values).collect();
            self.vary(&mut values, initial);
            at = At::of(self.program, at.place, &|var| values[&var]);
        }
        Some(at)
    }

    /// Changes about half of the variables, one by one, while a formula stays true.
    pub(super) fn vary(&mut self, values: &mut BTreeMap<Var, i128>, formula: &Formula) {
        let vars: Vec<Var> = values.keys().copied().collect();
        for var in vars {
            if self.random.below(2) == 0 {
                let number = self.numbers[self.random.below(self.numbers.len())];
                let before = values.insert(var, number);
                if formula.holds(&|var| values.get(&var).copied().unwrap_or(0)) != Ok(true) {
                    values.extend(before.map(|before| (var, before)));
                }
            }
        }
    }

    /// Takes a random edge: returns it with the chosen integers and the next state.
    pub(super) fn step(&mut self, at: &At) -> Option<(usize, BTreeMap<Var, i128>, At)> {
        let leaving = &self.leaving[at.place];
        if leaving.is_empty() || at.values.iter().any(|value| value.abs() > LARGE) {
            return None;
        }
        // A run ends only where no edge can be taken, so all are tried, from a random one on.
        let first = self.random.below(leaving.len());
        for edge in leaving[first..].iter().chain(&leaving[..first]).copied() {
            let draws = if self.program.edges[edge].choices.is_empty() { 1 } else { DRAWS };
            for _ in 0..draws {
                let chosen = chosen(self.program, edge, &self.numbers, &mut self.random);
                let of = |var: Var| chosen.get(&var).copied().unwrap_or(0);
                if at.can(self.program, edge, &of) == Ok(true)
                    && let Ok(after) = at.after(self.program, edge, &of)
                {
                    return Some((edge, chosen, after));
                }
            }
        }
        None
    }
}

/// Integers to draw from: the constants in guards, and their neighbours.
fn numbers(program: &Program) -> Vec<i128> {
    let mut atoms = BTreeSet::new();
    program.edges.iter().for_each(|edge| edge.guard.collect_atoms(&mut atoms));
    let mut numbers: BTreeSet<i128> = BTreeSet::from([-1, 0, 1, 2, 3]);
    for atom in &atoms {
        if let Formula::AtMost(term) | Formula::Zero(term) = atom {
            let free = term.free().clamp(-1_000_000, 1_000_000);
            numbers.extend([free - 1, free, free + 1, -free - 1, -free, -free + 1]);
        }
    }
    numbers.into_iter().collect()
}

fn chosen(program: &Program, edge: usize, numbers: &[i128], random: &mut Random) -> BTreeMap<Var, i128> {
    let choices = &program.edges[edge].choices;
    let vars = choices.iter().flat_map(|choice| choice.terms().iter().map(|(var, _)| *var));
    vars.map(|var| (var, numbers[random.below(numbers.len())])).collect()
}

/// A linear congruential generator. Its high bits are good enough for walks.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}
