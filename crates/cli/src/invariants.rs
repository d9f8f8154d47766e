//! The local invariants of a proof in readable form, which `fairly check --explain` adds to a property that holds.

use std::fmt::Write;
use std::sync::Arc;

use driver::model::Instance;
use driver::{Model, Outcome};

/// The invariants in the proof of an outcome, and the exposed predicates; empty if there is no proof.
pub(crate) fn shown(model: &Model, outcome: &Outcome) -> String {
    let Some(proof) = &outcome.proof else { return String::new() };
    let Ok(instance) = Instance::new(Arc::clone(model.system())) else { return String::new() };
    let driver::Invariants { invariants, exposed } = driver::invariants(&instance, proof);
    // Writing to a string does not fail.
    let mut text = "      local invariants:\n".to_owned();
    for (who, formula) in invariants {
        let _ = writeln!(text, "        {who}: {formula}");
    }
    if !exposed.is_empty() {
        text += "      exposed to the others:\n";
    }
    for (who, predicates) in exposed {
        let _ = writeln!(text, "        {who}: {}", predicates.join(", "));
    }
    text
}
