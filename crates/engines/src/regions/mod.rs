//! Fair runs of a system whose sets of states are decision diagrams.
//!
//! An engine gives its system as [`Diagrams`]: the initial states, and the steps group by group. The states of the
//! property's automaton stay explicit, so a set of product states is one diagram per automaton state ([`product`]).
//! A [`Region`] is a set of product states with some of the steps between them. This folder closes sets forwards and
//! backwards inside a region ([`closure`]), finds the greatest fair region ([`fair`]), and draws a lasso out of it
//! ([`walk`]).
//!
//! The symbolic engine uses it on the states of the model, the local engine on abstract states.

mod closure;
mod diagrams;
pub(crate) mod fair;
mod product;
mod steps;
pub(crate) mod walk;

pub(crate) use diagrams::{Diagrams, Group};
pub(crate) use product::{Product, Region, Sets};
pub(crate) use steps::{Demand, Demands, Steps};
