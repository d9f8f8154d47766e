//! The tests of the front end, as one program: linking is most of the cost of a small test program.
mod census;
mod check_arrays;
mod check_channels;
mod check_claims;
mod check_code;
mod check_enums;
mod check_environment;
mod check_expressions;
mod check_fairness;
mod check_forget;
mod check_fuzz;
mod check_holes;
mod check_include;
mod check_initial;
mod check_limits;
mod check_macros;
mod check_messages;
mod check_names;
mod check_never;
mod check_parameters;
mod check_paths;
mod check_properties;
mod check_settings;
mod check_several;
mod check_statements;
mod check_together;
mod check_types;
mod check_values;
mod explore;
mod fuzz;
mod index;
mod random;
mod random_models;
mod said;
mod steps;
mod syntax_comments;
mod syntax_errors;
mod syntax_grammar;
mod syntax_limits;
mod syntax_round_trip;

/// The number in an environment variable, or its default.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
