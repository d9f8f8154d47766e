//! What leaves the program as text for other programs: [`results`] and [`advice`] as JSON for scripts, runs as [`itf`], and
//! the conversation with the page ([`talk`]). What comes back is read here too: requests of the page, and [`saved`] runs.
//!
//! One file owns each format. Nothing here touches a file, a clock or a thread, so all of it runs in a browser as well.

pub mod advice;
#[cfg(target_arch = "wasm32")]
mod browser;
pub mod itf;
pub mod results;
pub mod saved;
pub mod talk;
