//! Letters and abstract states in words.

use std::collections::BTreeSet;
use std::fmt::Write;

use model::instance::Cell;
use model::show as shown;

use super::contexts::{Abstract, Fold};
use super::letters::LetterId;
use super::meter::Meter;
use super::space::{AbstractStep, Space, Stop};
use super::sums::{Coordinate, Sum};
use super::world::{Scene, World};

/// A set of letters: `@try`, `@try or @crit`.
pub(super) fn letters(fold: &Fold, set: &[LetterId]) -> String {
    let texts: BTreeSet<String> = set.iter().map(|letter| self::letter(fold, *letter)).collect();
    texts.into_iter().collect::<Vec<_>>().join(" or ")
}

/// A letter: `P@try`, `P@try with y = 1`.
pub(super) fn letter(fold: &Fold, number: LetterId) -> String {
    let letter = fold.letters.letter(number);
    let mut text = values(fold, letter.family, &letter.values);
    for (mark, named) in fold.class.marks.iter().enumerate() {
        if letter.marks >> mark & 1 == 1 {
            text = format!("{text} ({})", fold.system.indices[named.index.0 as usize].name);
        }
    }
    text
}

/// The values that a process owns.
fn values(fold: &Fold, family: usize, values: &[i64]) -> String {
    let (instance, cells) = fold.letters.sample_cells(family);
    let family = &instance.system.family(fold.class.counted[family].family).name;
    let texts: Vec<String> = cells
        .iter()
        .zip(values)
        .map(|(cell, value)| {
            let shown = shown::cell(instance, *cell, *value);
            if shown.located().is_some() {
                return format!("{family}@{}", shown.value);
            }
            let Cell { variable, position, .. } = &instance.cells[*cell];
            let name = instance.system.variable(*variable).name.clone();
            let name = position.iter().fold(name, |name, index| format!("{name}[{index}]"));
            format!("{family}.{name} = {}", shown.value)
        })
        .collect();
    texts.join(", ")
}

/// A sum that no step changes: `permits + #(P@crit) = 2`.
pub(super) fn sum(fold: &Fold, sum: &Sum, coordinates: &[Coordinate], world: &World) -> String {
    let instance = &world.instance;
    let cell = |at: usize| world.shared_cells()[at];
    let text = |coordinate: &Coordinate| match coordinate {
        Coordinate::Processes(family, values) => format!("#({})", self::values(fold, *family, values)),
        // The values of tallies are in no sum.
        Coordinate::Tally(_) => String::new(),
        Coordinate::Value(at) => instance.cells[cell(*at)].name.clone(),
        Coordinate::Member(at, value) => format!("#({})", shown::cell(instance, cell(*at), *value)),
    };
    let sign = sum.weights.iter().find(|weight| **weight != 0).map_or(1, |weight| weight.signum());
    let mut shown = String::new();
    for (coordinate, &weight) in coordinates.iter().zip(&sum.weights).filter(|(_, weight)| **weight != 0) {
        let weight = weight * sign;
        shown += match (shown.is_empty(), weight < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        if weight.abs() != 1 {
            let _ = write!(shown, "{} ", weight.abs());
        }
        shown += &text(coordinate);
    }
    format!("{shown} = {}", sum.value * sign)
}

/// An abstract state: the numbers of processes with each letter, and the shared variables.
pub(super) fn state(fold: &mut Fold, state: &Abstract, meter: &Meter<'_>) -> Result<String, Stop> {
    let mut parts = Vec::new();
    for &(letter, count) in &state.counts {
        let more = if fold.letters.is_saturated(letter, count) { " or more" } else { "" };
        parts.push(format!("{count}{more} {}", self::letter(fold, letter)));
    }
    fold.begin();
    if let Some(Scene { world, state, .. }) = fold.state_scene(state, meter)? {
        let cells = world.shared_cells().iter();
        parts.extend(cells.map(|cell| shown::cell(&world.instance, *cell, state.0[*cell]).to_string()));
    }
    Ok(parts.join("; "))
}

/// A step and its target.
pub(super) fn step(
    fold: &mut Fold,
    space: &Space,
    step: &AbstractStep,
    meter: &Meter<'_>,
) -> Result<String, Stop> {
    let target = state(fold, &space.states[step.target as usize], meter)?;
    Ok(format!("{} to [{target}]", step.name))
}
