//! The table of engines. Adding an engine is one line here.
//!
//! The order is the order of preference: `auto` takes the first that accepts the task.

use ::engines::Engine;
use ::engines::{Explicit, Symbolic};

/// All engines, in order of preference.
pub fn table() -> Vec<Box<dyn Engine>> {
    vec![Box::new(Explicit::default()), Box::new(Symbolic::default())]
}

/// The names of all engines, in order of preference.
pub fn names() -> Vec<&'static str> {
    table().iter().map(|engine| engine.name()).collect()
}
