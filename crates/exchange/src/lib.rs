//! Reads and writes the formats of other tools. Each format is a folder.
//!
//! | folder | tool | direction |
//! | --- | --- | --- |
//! | [`t2`] | integer programs of T2 | in |
//! | [`c`] | C programs over integers | in |
//! | [`its`] | integer transition systems of the termination competition | in |
//! | [`dve`] | models of `DiVinE`, and of the BEEM collection | in |
//! | `csp` | models of PAT, by [`import`] | in |
//! | [`hoa`] | automata of Spot, Owl and others | in and out |
//! | `promela`, `smv` | models of SPIN and `NuSMV` | in, by their `read`, and out, by [`export`] |
//! | `tla` | models of TLC | out, by [`export`] |
//!
//! An importer returns the same as `lang` does for a file of our own: a model, and diagnostics with spans. An exporter
//! returns text, and refuses with a reason what the other language cannot express. Nothing here reads or writes a file.
//! A new format is a new folder; `export` has what several exporters share, `text` what parsers share.

pub mod c;
mod csp;
pub mod dve;
pub mod export;
pub mod hoa;
pub mod import;
pub mod its;
mod numbers;
mod operators;
pub mod program;
mod promela;
mod smv;
pub mod t2;
mod text;
mod tla;
mod tree;
