//! The table of engines. Adding an engine is one line here.
//!
//! The order is the order of preference. `auto` asks one after the other until one decides, and at first lets them
//! do only so much: what is small is decided by listing its states, what is large but regular by sets of states, and
//! only what is neither takes all the time and memory there is. How much is counted in states and nodes, not in
//! seconds, so that the same engine answers every time (decision 0014).

use ::engines::bdd::Limits;
use ::engines::explicit::Known;
use ::engines::{Counter, Engine, Explicit, Local, Symbolic};

/// As many states are listed before sets of states are tried.
const STATES: usize = 300_000;
/// As many nodes may be alive before all states are listed.
const NODES: usize = 1 << 22;

/// All engines, in order of preference.
pub fn table() -> Vec<Box<dyn Engine>> {
    table_with(&Known::default())
}

/// The engines that `auto` asks in turn.
pub(crate) fn in_turn(known: &Known) -> Vec<Box<dyn Engine>> {
    let explicit = Explicit { known: known.shared(), most: STATES, ..Explicit::default() };
    let limits = Limits { nodes: NODES, ..Limits::default() };
    let symbolic = Symbolic { limits, ..Symbolic::default() };
    let first: [Box<dyn Engine>; 2] = [Box::new(explicit), Box::new(symbolic)];
    first.into_iter().chain(table_with(known)).collect()
}

/// All engines, with a place where the graph of a system is kept for whoever else needs it.
pub(crate) fn table_with(known: &Known) -> Vec<Box<dyn Engine>> {
    // No engine knows another: the one that looks for small counterexamples is given to the counter engine here.
    let small = Box::new(Explicit { notes: false, ..Explicit::default() });
    let explicit = Explicit { known: known.shared(), ..Explicit::default() };
    vec![
        Box::new(explicit),
        Box::new(Symbolic::default()),
        Box::new(Local::default()),
        Box::new(Counter { small }),
    ]
}

/// The names of all engines, in order of preference.
pub fn names() -> Vec<&'static str> {
    table().iter().map(|engine| engine.name()).collect()
}
