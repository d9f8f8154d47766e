//! Linear arithmetic over expressions of the model.
//!
//! A front end needs it where a step chooses among all integers. The guard must say that there is a value without
//! mentioning the value, so the value is [eliminated](arith::eliminate). A condition is read from an expression, and
//! the result is written back. Numbers beyond the 64 bits of the model are an error, as are those beyond the limit of
//! `arith`.

mod read;
mod write;

pub(crate) use read::some_integer;
pub use write::{condition, term};
