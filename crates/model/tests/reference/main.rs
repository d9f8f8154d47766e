//! The reference semantics and what is built beside it, on small systems made by hand and at random.

mod grounding;
mod initial;
mod layout;
mod showing;
mod updates;
mod workshop;
