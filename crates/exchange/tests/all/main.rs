//! The tests of importers and exporters, as one program: linking is most of the cost of a small one.

mod c;
mod csp;
mod dve;
mod fuzz;
mod hoa;
mod imports;
mod its;
mod promela;
mod promela_states;
mod smv;
mod t2;
mod tla;

use exchange::export::{Exported, Refusal};
use model::Task;

/// The number in an environment variable, or its default.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The tasks of a model in our own language.
fn tasks(source: &str) -> Vec<Task> {
    let loaded = lang::load("test", source, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    model.checks.into_iter().map(|check| check.task).collect()
}

/// The text of a model that another language can express as a whole.
fn complete(exported: Result<Exported, Refusal>) -> String {
    let exported = exported.unwrap_or_else(|refusal| panic!("{refusal:?}"));
    assert!(exported.refused.is_empty(), "{:?}", exported.refused);
    exported.text
}
