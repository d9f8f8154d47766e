//! Linear arithmetic over expressions of the model.
//!
//! A front end needs it where a step chooses among all integers: whether there is a value to choose must be said
//! without the value, so it is [eliminated](arith::eliminate). A condition is read from an expression, and what is left of
//! it written back. Numbers that leave the 64 bits of the model are an error, as those that leave `arith`'s.

mod read;
mod write;

pub(crate) use read::some_integer;
pub use write::{condition, term};
