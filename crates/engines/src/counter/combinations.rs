//! All ways to choose one of each of several lists, one list after the other.

use model::StopReason;

use super::meter::{Meter, WORD};

/// Each of `chosen`, longer by each of `choices`.
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
