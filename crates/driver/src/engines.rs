//! The table of engines. Adding an engine is one line here.
//!
//! The order is the order of preference: `auto` takes the first that accepts the task.

use ::engines::explicit::Known;
use ::engines::{Counter, Engine, Explicit, Local, Symbolic};

/// All engines, in order of preference.
pub fn table() -> Vec<Box<dyn Engine>> {
    table_with(&Known::default())
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
