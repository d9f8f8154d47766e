//! The tests of the engines, as one program: linking is most of the cost of a small one.

mod counter;
mod explicit;
mod infinite;
mod local;
mod symbolic;
