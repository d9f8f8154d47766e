//! All ways to choose one item from each of several lists.

use model::StopReason;

use super::meter::{Meter, WORD};

/// Extends each of `chosen` by each of `choices`.
pub(super) fn extended<T: Clone>(
    chosen: &[Vec<T>],
    choices: &[T],
    meter: &Meter<'_>,
) -> Result<Vec<Vec<T>>, StopReason> {
    let mut longer = Vec::new();
    for chosen in chosen {
        for choice in choices {
            meter.spend(WORD)?;
            longer.push(chosen.iter().chain([choice]).cloned().collect());
        }
        let bytes = (chosen.len() + 1) * size_of::<T>() + size_of::<Vec<T>>();
        meter.room(longer.len() as u64 * bytes as u64)?;
    }
    Ok(longer)
}
