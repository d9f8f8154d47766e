//! Local proofs: a slow generator that follows the definitions, and a judge that must accept only good proofs.
//!
//! [`generator`] computes split invariants, product states and eliminations by enumeration. Every proof it generates
//! must be checked. Whenever the judge says *checked*, the oracle must say *holds*, however the proof was changed.

mod examples;
mod forgeries;
#[path = "../../../../driver/tests/all/differential/generate.rs"]
mod generate;
mod generator;
#[path = "../../../../driver/tests/all/differential/random.rs"]
mod random;
mod soundness;
mod tableau;

use certify::{Flaw, Premise, Standing, certify};
use model::proof::Local;
use model::{Answer, Proof, Task};

/// The judge's verdict on a proof.
fn judged(task: &Task, local: &Local) -> Result<Standing, Flaw> {
    certify(task, Answer::Holds(Proof::Local(Box::new(local.clone())))).map(|certified| certified.standing())
}

/// The premise that the judge finds false.
fn premise(task: &Task, local: &Local) -> Option<Premise> {
    match judged(task, local) {
        Ok(_) => None,
        Err(Flaw::Premise { premise, .. }) => Some(premise),
        Err(other) => panic!("{other}"),
    }
}

/// The tasks of a model.
fn tasks(source: &str) -> Vec<Task> {
    let loaded = lang::load("test", source, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}\n{source}", loaded.diagnostics));
    model.checks.into_iter().map(|check| check.task).collect()
}

/// An environment variable, or its default.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
