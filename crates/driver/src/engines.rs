//! The table of engines. Adding an engine is one line here.
//!
//! The order is the order of preference: `auto` takes the first that accepts the task.

use ::engines::infinite::Infinite;
use ::engines::{Counter, Engine, Explicit, Symbolic};
use smt::Solvers;

/// All engines, in order of preference, where there are no solvers.
pub fn table() -> Vec<Box<dyn Engine>> {
    table_with(&Solvers::none("no solver was given"))
}

/// All engines, in order of preference; those that need solvers use these.
pub fn table_with(solvers: &Solvers) -> Vec<Box<dyn Engine>> {
    // No engine knows another: the one that looks for small counterexamples is given to the counter engine here.
    let small = Box::new(Explicit { notes: false, ..Explicit::default() });
    vec![
        Box::new(Explicit::default()),
        Box::new(Symbolic::default()),
        Box::new(Counter { small }),
        Box::new(Infinite { solvers: solvers.clone(), finite: false }),
    ]
}

/// The names of all engines, in order of preference.
pub fn names() -> Vec<&'static str> {
    table().iter().map(|engine| engine.name()).collect()
}
