//! The initial abstract states.
//!
//! Every process of a family begins with one of the same letters, whatever the others begin with. So all numbers of
//! processes with these letters are possible, in every order. A process that the property names is one of them, and two
//! names may mean the same process. `init` predicates are left to the caller.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::instance::Start;

use super::combinations::extended;
use super::contexts::{Abstract, Counts, Fold};
use super::letters::Letter;
use super::meter::{Meter, WORD};
use super::sides::Side;
use super::space::Stop;
use super::world::World;

/// The greatest number of initial abstract states.
const LIMIT: usize = 20_000;

const TOO_MANY: Stop = Stop::TooLarge("initial states");

/// The abstract states in which every process has one of the letters that its family may begin with.
pub(super) fn states(fold: &mut Fold, meter: &Meter<'_>) -> Result<Vec<Abstract>, Stop> {
    let least: Vec<i64> = fold.system.parameters.iter().map(|parameter| parameter.least).collect();
    let world = fold.world(&least)?;
    let mut letters = Vec::new();
    for family in 0..fold.class.counted.len() {
        let own = values(&world, world.cells(family, 0), meter)?;
        letters.push(own.into_iter().map(|values| Letter { family, values, marks: 0 }).collect::<Vec<_>>());
    }
    let shared: Vec<Arc<[i64]>> =
        values(&world, world.shared_cells(), meter)?.into_iter().map(Arc::from).collect();
    let mut all: Vec<Counts> = vec![Vec::new()];
    for letters in &letters {
        let mut next = Vec::new();
        for counts in &all {
            next.extend(numbers(fold, letters, counts, meter)?);
        }
        if next.len() > LIMIT {
            return Err(TOO_MANY);
        }
        all = next;
    }
    let mut states = BTreeSet::new();
    for counts in &all {
        let mut wholes: Vec<Vec<Side>> = vec![Vec::new()];
        for family in 0..fold.class.counted.len() {
            let splits = fold.splits(family, counts, 0, meter)?;
            let distinct: BTreeSet<Side> = splits.iter().map(|sides| sides[0]).collect();
            wholes = extended(&wholes, &distinct.into_iter().collect::<Vec<_>>(), meter)?;
        }
        for whole in wholes {
            for shared in &shared {
                meter.spend(WORD)?;
                states.insert(Abstract {
                    counts: counts.clone(),
                    whole: whole.clone(),
                    shared: Arc::clone(shared),
                });
                if states.len() > LIMIT {
                    return Err(TOO_MANY);
                }
            }
        }
    }
    Ok(states.into_iter().collect())
}

/// These numbers with all numbers of processes with these letters added, where every mark of the family is on one
/// process.
fn numbers(
    fold: &mut Fold,
    letters: &[Letter],
    counts: &Counts,
    meter: &Meter<'_>,
) -> Result<Vec<Counts>, Stop> {
    let family = letters.first().map_or(0, |letter| letter.family);
    let marks: Vec<usize> =
        fold.class.marks.iter().enumerate().filter(|(_, m)| m.family == family).map(|(n, _)| n).collect();
    // The letter of each named process, and which names mean the same process.
    let mut marked: Vec<Vec<Letter>> = vec![Vec::new()];
    for mark in marks {
        let mut next = Vec::new();
        for chosen in marked {
            meter.spend(WORD)?;
            for at in 0..chosen.len() {
                let mut same = chosen.clone();
                same[at].marks |= 1 << mark;
                next.push(same);
            }
            for letter in letters {
                let mut more = chosen.clone();
                more.push(Letter { marks: 1 << mark, ..letter.clone() });
                next.push(more);
            }
        }
        marked = next;
    }
    let mut all = Vec::new();
    for chosen in marked {
        let mut begun = counts.clone();
        for letter in chosen {
            let letter = fold.letters.number(letter)?;
            begun = fold.with(&begun, letter);
        }
        let mut partial = vec![begun];
        for letter in letters {
            let letter = fold.letters.number(letter.clone())?;
            let mut next = Vec::new();
            for counts in partial {
                meter.spend(WORD)?;
                let mut more = counts.clone();
                next.push(counts);
                for _ in 0..fold.letters.bound(letter) {
                    more = fold.with(&more, letter);
                    next.push(more.clone());
                }
            }
            if next.len() > LIMIT {
                return Err(TOO_MANY);
            }
            partial = next;
        }
        all.extend(partial);
    }
    Ok(all)
}

/// The initial values of these cells.
fn values(world: &World, cells: &[usize], meter: &Meter<'_>) -> Result<Vec<Vec<i64>>, Stop> {
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for &cell in cells {
        let domain = world.instance.cells[cell].domain;
        let choices: Vec<i64> = match &world.instance.starts[cell] {
            Start::Among(values) => values.clone(),
            Start::Any => {
                if domain.hi.abs_diff(domain.lo) > LIMIT as u64 {
                    return Err(TOO_MANY);
                }
                (domain.lo..=domain.hi).collect()
            }
        };
        if all.len().saturating_mul(choices.len()) > LIMIT {
            return Err(TOO_MANY);
        }
        all = extended(&all, &choices, meter)?;
    }
    Ok(all)
}
