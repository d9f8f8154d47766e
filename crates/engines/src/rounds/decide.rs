//! Decides a task in rounds: what every worker does, from the initial states to the verdict.

use super::explore::{Desk, Part, explore};
use super::nodes::sum;
use super::{Carrier, Decided, Halt, Source, fair, global};

/// The greatest number of requirements and marks.
const MOST: usize = 64 * 4 - 1;

/// Decides a task. All workers return the same.
pub fn decide<const W: usize, S: Source<W>, C: Carrier>(
    carrier: &mut C,
    source: S,
    desk: &Desk,
) -> Result<Decided, Halt> {
    let keeps_steps = source.alternatives().is_some();
    let (part, source) = explore(carrier, source, keeps_steps, desk)?;
    judge(carrier, &source, part, desk)
}

/// Decides a task whose states are found.
pub fn judge<const W: usize, S: Source<W>, C: Carrier>(
    carrier: &mut C,
    source: &S,
    mut part: Part,
    desk: &Desk,
) -> Result<Decided, Halt> {
    let total = sum(carrier, &[u64::from(part.states), part.steps])?;
    let mut decided = Decided { fails: false, states: total[0], steps: total[1], occurs: Vec::new() };
    for (number, (requirements, is_global)) in source.alternatives().into_iter().flatten().enumerate() {
        let fails = match requirements {
            0..=63 => search::<1, W, S, C>(carrier, source, number, is_global, &mut part, desk)?,
            64..=MOST => search::<4, W, S, C>(carrier, source, number, is_global, &mut part, desk)?,
            _ => return Err(Halt::TooLarge),
        };
        if fails {
            return Ok(Decided { fails, ..decided });
        }
    }
    let occurs: Vec<u64> = source.occurs(&mut part)?.into_iter().map(u64::from).collect();
    decided.occurs = sum(carrier, &occurs)?.into_iter().map(|workers| workers > 0).collect();
    Ok(decided)
}

/// Whether there is a run with this alternative.
fn search<const B: usize, const W: usize, S: Source<W>, C: Carrier>(
    carrier: &mut C,
    source: &S,
    alternative: usize,
    is_global: bool,
    part: &mut Part,
    desk: &Desk,
) -> Result<bool, Halt> {
    let table = source.table::<B>(alternative);
    let whole = std::mem::take(part);
    let (fails, whole) = if is_global {
        global::has_covering_set(carrier, whole, table, desk)?
    } else {
        fair::has_fair_set(carrier, whole, table, desk)?
    };
    *part = whole;
    Ok(fails)
}
