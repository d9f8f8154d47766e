//! Translates a formula to an automaton within the limits of a session, and finds its accepting components.
//!
//! A translation may take time and memory exponential in the formula, so the limits are checked for every term it
//! makes. Memory is estimated from the number of terms.

use std::cell::Cell;

use automata::{Automaton, translate};
use model::{Formula, Session, StopReason};

#[cfg(feature = "full")]
use crate::graph::scc::Components;

/// The automaton of a formula.
pub(crate) fn translated(formula: &Formula, session: &Session<'_>) -> Result<Automaton, StopReason> {
    /// A generous estimate of the memory per term of the translation.
    const BYTES_PER_TERM: u64 = 256;
    let stop = Cell::new(StopReason::Memory);
    let give_up = |made: usize| {
        if let Some(reason) = (session.stop)() {
            stop.set(reason);
            return true;
        }
        made as u64 * BYTES_PER_TERM > session.memory
    };
    translate(formula, &give_up).ok_or_else(|| stop.get())
}

/// The strong components of an automaton in which a run can stay and meet all marks.
#[cfg(feature = "full")]
pub(crate) fn accepting_components(automaton: &Automaton) -> Result<Vec<Vec<u32>>, StopReason> {
    let states = automaton.states.len();
    let roots: Vec<u32> = (0..states as u32).collect();
    let successors = |state: u32, targets: &mut Vec<u32>| {
        targets.extend(automaton.states[state as usize].iter().map(|edge| edge.target as u32));
    };
    let mut found = Vec::new();
    Components::new(states).search(
        &roots,
        successors,
        || Ok(()),
        |component| {
            let inside = |target: usize| component.contains(target as u32);
            let edges = component.nodes.iter().flat_map(|state| &automaton.states[*state as usize]);
            let edges: Vec<_> = edges.filter(|edge| inside(edge.target)).collect();
            let marked = |mark: usize| edges.iter().any(|edge| edge.marks.contains(&mark));
            if !edges.is_empty() && (0..automaton.marks).all(marked) {
                found.push(component.nodes.to_vec());
            }
            Ok(())
        },
    )?;
    Ok(found)
}
