//! The tests of the engines, as one program: linking is most of the cost of a small one.

mod counter;
mod explicit;
mod infinite;
mod local;
mod symbolic;

/// The number in an environment variable, or its default.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
