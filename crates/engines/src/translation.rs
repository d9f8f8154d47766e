//! The automaton of a formula, within the limits of a run.
//!
//! A translation may take time and memory exponential in the formula, so the limits are asked for every term it
//! makes; memory is guessed from the number of terms.

use std::cell::Cell;

use automata::{Automaton, translate};
use model::{Formula, Run, StopReason};

/// The automaton of a formula.
pub(crate) fn translated(formula: &Formula, run: &Run<'_>) -> Result<Automaton, StopReason> {
    /// A generous guess at the memory behind one term of the translation.
    const BYTES_PER_TERM: u64 = 256;
    let stop = Cell::new(StopReason::Memory);
    let give_up = |made: usize| {
        if let Some(reason) = (run.stop)() {
            stop.set(reason);
            return true;
        }
        made as u64 * BYTES_PER_TERM > run.memory
    };
    translate(formula, &give_up).ok_or_else(|| stop.get())
}
