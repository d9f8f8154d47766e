//! The table of engines. Adding an engine is one line here.
//!
//! The order is the order of preference: `auto` takes the first that accepts the task.

use ::engines::{Counter, Engine, Explicit, Local, Symbolic};

/// All engines, in order of preference.
pub fn table() -> Vec<Box<dyn Engine>> {
    // No engine knows another: the one that looks for small counterexamples is given to the counter engine here.
    let small = Box::new(Explicit { notes: false, ..Explicit::default() });
    vec![
        Box::new(Explicit::default()),
        Box::new(Symbolic::default()),
        Box::new(Local::default()),
        Box::new(Counter { small }),
    ]
}

/// The names of all engines, in order of preference.
pub fn names() -> Vec<&'static str> {
    table().iter().map(|engine| engine.name()).collect()
}
