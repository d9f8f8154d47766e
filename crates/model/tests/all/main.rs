//! Tests the reference semantics and related code, on small systems built by hand and at random.

mod grounding;
mod initial;
mod layout;
mod showing;
mod updates;
mod workshop;
