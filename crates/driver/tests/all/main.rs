//! The tests of everything between a question and its report, as one program: linking is most of the cost of a small one.

mod abstraction;
mod advise;
mod beem;
mod branching;
mod corpus;
mod csp;
mod differential;
mod elsewhere;
mod empty;
mod examples;
mod forged_labels;
mod integers;
mod listed;
mod local;
mod notes;
mod nusmv;
mod orders;
mod pasted;
mod prefixes;
mod programs;
mod promela;
mod reductions;
mod replay;
mod smv;
mod smv_corpus;
mod smv_read;
mod smv_round_trip;
mod smv_steps;
mod suite;
mod tlc;
mod told;
mod tool;
mod written;

/// The number in an environment variable, or its default.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
