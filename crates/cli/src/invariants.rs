//! The local invariants of a proof in readable form, which `fairly check --explain` adds to a property that holds.

use std::fmt::Write;
use std::sync::Arc;

use driver::model::{Instance, Proof};
use driver::{Model, Outcome};

use crate::text::wrapped_at;

/// The invariants in the proof of an outcome, and the exposed predicates; empty if there is no proof.
pub(crate) fn shown(model: &Model, outcome: &Outcome) -> String {
    let Some(Proof::Local(proof)) = &outcome.proof else { return String::new() };
    let Ok(instance) = Instance::new(Arc::clone(model.system())) else { return String::new() };
    let driver::Invariants { invariants, whole, exposed } = driver::invariants(&instance, proof);
    // Writing to a string does not fail.
    let part = if whole { "" } else { " (a part of them; the proof file has all)" };
    let mut text = format!("      local invariants{part}:\n");
    for (who, formula) in invariants {
        let _ = writeln!(text, "        {}", wrapped_at(&format!("{who}: {formula}"), 8, "            "));
    }
    if !exposed.is_empty() {
        text += "      exposed to the others:\n";
    }
    for (who, predicates) in exposed {
        let predicates = format!("{who}: {}", predicates.join(", "));
        let _ = writeln!(text, "        {}", wrapped_at(&predicates, 8, "            "));
    }
    text
}
