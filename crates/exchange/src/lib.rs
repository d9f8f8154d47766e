//! The formats of other tools, a folder each.
//!
//! | folder | tool | direction |
//! | --- | --- | --- |
//! | [`t2`] | integer programs of T2 | in |
//! | [`hoa`] | automata of Spot, Owl and others | in and out |
//! | `promela`, `smv`, `tla` | models of SPIN, `NuSMV` and TLC | out, by [`export`] |
//!
//! An importer returns what `lang` returns for a file of our own: a model, and diagnostics that carry spans. An exporter
//! returns text, and refuses by name what the other language cannot say. Nothing here reads or writes a file. A new format
//! is a new folder; what several exporters need is in `export`.

pub mod export;
pub mod hoa;
mod promela;
mod smv;
pub mod t2;
mod tla;
