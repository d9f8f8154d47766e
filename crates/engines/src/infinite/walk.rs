//! Random walks: a concrete run from an initial state to a set, if one is met soon.
//!
//! Going backwards from a set says much about all states and may never come to an end; a walk says something about one
//! initial state, and loops cost it nothing but steps. The numbers are pseudo-random with a fixed seed, so the same
//! task has the same walk. What is found is a chain of [`Move`]s between single states.

use std::collections::{BTreeMap, BTreeSet};

use smt::{Formula, Linear, Var};

use super::moves::Move;
use super::program::Program;
use super::tools::{Ended, Tools};
use super::witness::At;

/// How many walks are made, and how long they are.
const WALKS: usize = 60;
const STEPS: usize = 400;
/// How often integers are drawn for an edge.
const DRAWS: usize = 6;

/// Moves from an initial state to `goal`, the last one first, with states inside `stay`.
pub(super) fn walk(
    program: &Program,
    stay: &[Formula],
    goal: &[Formula],
    tools: &mut Tools<'_>,
) -> Result<Option<Vec<Move>>, Ended> {
    let mut random = Random(0x5eed);
    let numbers = numbers(program);
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); program.places.len()];
    for (number, edge) in program.edges.iter().enumerate() {
        leaving[edge.source].push(number);
    }
    let mut begins = Vec::new();
    for (place, initial) in &program.initial {
        if let Some(model) = tools.model(initial)? {
            begins.push((*place, initial, model));
        }
    }
    if begins.is_empty() {
        return Ok(None);
    }
    for round in 0..WALKS {
        tools.go_on()?;
        let (place, initial, model) = &begins[round % begins.len()];
        let mut at = At::of(program, *place, &|var| model.value(var));
        // Other initial values, if they are initial.
        if round >= begins.len() {
            let mut other = at.clone();
            for value in &mut other.values {
                if random.below(2) == 0 {
                    *value = numbers[random.below(numbers.len())];
                }
            }
            let other = At::of(program, *place, &|var| other.values[var.0 as usize]);
            if other.satisfies(initial) {
                at = other;
            }
        }
        let mut found = Vec::new();
        for _ in 0..STEPS {
            if at.satisfies(&goal[at.place]) {
                found.reverse();
                return Ok(Some(found));
            }
            if !at.satisfies(&stay[at.place]) || leaving[at.place].is_empty() {
                break;
            }
            let mut next = None;
            for _ in 0..DRAWS {
                let edge = leaving[at.place][random.below(leaving[at.place].len())];
                let chosen = chosen(program, edge, &numbers, &mut random);
                let of = |var: Var| chosen.get(&var).copied().unwrap_or(0);
                if at.can(program, edge, &of) {
                    next = Some((edge, chosen));
                    break;
                }
            }
            let Some((edge, chosen)) = next else { break };
            let after = at.after(program, edge, &|var| chosen.get(&var).copied().unwrap_or(0));
            let chosen = chosen.into_iter().map(|(var, value)| (var, Linear::constant(value))).collect();
            found.push(Move {
                place: at.place,
                states: at.point(program),
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

/// Integers worth drawing: those that guards compare with, and their neighbours.
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

/// A linear congruential generator, whose high bits are good enough to wander.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}
