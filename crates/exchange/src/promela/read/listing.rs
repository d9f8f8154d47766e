//! How many processes of each proctype are alive at once, where its code alone does not say it: a recursion that ends because of
//! what is received, as in a sieve of primes or in Ackermann's function.
//!
//! The model is translated with room for a few processes, and its states are listed with the reference semantics. If
//! some state fills the room, it is done again with more. A listing that comes to its end is complete, so the greatest numbers in it
//! are those of the model; otherwise nothing is known. In a state with a fault the listing goes no further, and no property of
//! the model holds then.

use std::collections::HashSet;

use lang::syntax::File as Tree;
use model::semantics::steps;
use model::{State, VariableId};

use super::count::{PROCESSES, run};
use super::world::{Result, World};

/// The room for processes of a proctype that is listed first. It is doubled up to the greatest one.
const ROOM: i64 = 4;

/// The greatest number of guards that are evaluated.
const WORK: usize = 4_000_000;

/// Makes a model with so many processes of each proctype.
type Builds<'a, 'b> = &'b dyn Fn(&[i64]) -> Result<(World<'a>, Tree)>;

/// The numbers of living processes, by proctype, if a listing comes to its end.
pub(super) fn counts<'a>(world: &World<'a>, built: Builds<'a, '_>) -> Option<Vec<i64>> {
    let run = run(world);
    let mut room = ROOM;
    let mut work = WORK;
    while room <= PROCESSES {
        let grows = |process: usize| run.contains(&world.processes[process].source.name.text);
        let rooms = world.processes.iter().enumerate();
        let rooms: Vec<i64> = rooms.map(|(at, own)| own.active + if grows(at) { room } else { 0 }).collect();
        let (world, tree) = built(&rooms).ok()?;
        match listed(&world, &tree, &rooms, &mut work) {
            Listed::Counts(counts) => return Some(counts),
            Listed::Full => room *= 2,
            Listed::Unknown => return None,
        }
    }
    None
}

enum Listed {
    Counts(Vec<i64>),
    /// There is a state that fills the room of a proctype.
    Full,
    Unknown,
}

fn listed(world: &World<'_>, tree: &Tree, rooms: &[i64], work: &mut usize) -> Listed {
    let none = |_: &str| Err("there is no automaton here".to_owned());
    let loaded = lang::load_tree("model", "", (tree, Vec::new()), &[], &none);
    let Some(model) = loaded.model else { return Listed::Unknown };
    let Some(instance) = model.subject.instance() else { return Listed::Unknown };
    let variables = &instance.system.variables;
    let cell = |name: &str| {
        let at = variables.iter().position(|variable| variable.name == *name)?;
        Some(instance.cells_of(VariableId(at as u32), None).start)
    };
    let cells: Vec<Option<usize>> = world.processes.iter().map(|own| cell(&own.alive)).collect();
    let mut most: Vec<i64> = world.processes.iter().map(|own| own.active).collect();
    let mut open: Vec<State> = Vec::new();
    let mut seen = HashSet::new();
    for state in model::initial::initial_states(instance) {
        let Ok(state) = state else { return Listed::Unknown };
        if seen.insert(state.clone()) {
            open.push(state);
        }
    }
    while let Some(state) = open.pop() {
        for (at, cell) in cells.iter().enumerate() {
            let Some(cell) = cell else { continue };
            most[at] = most[at].max(state.0[*cell]);
            if world.processes[at].runs && most[at] >= rooms[at] {
                return Listed::Full;
            }
        }
        let Some(left) = work.checked_sub(instance.actions.len()) else { return Listed::Unknown };
        *work = left;
        for step in steps(instance, &state).unwrap_or_default() {
            if seen.insert(step.target.clone()) {
                open.push(step.target);
            }
        }
    }
    Listed::Counts(most)
}
