//! Advice is given as text, and what is advised is checked as text.
//!
//! The declarations are appended to the source, each under a name of its own and with a property that is under it; the
//! source is read again, and the property that was asked about is checked under the fairness that comes out of it,
//! by engines that know nothing of what went before.

use std::fmt::Write;
use std::sync::Arc;

use model::{Fairness, Instance, Task};

use super::Reload;
use super::inquiry::{Found, Inquiry, Staff};
use crate::check::Circumstances;

/// Whether a property holds under each of these assumptions, read as they would be pasted; `None` if that could not
/// be found out.
pub(super) fn confirmed(
    reload: Reload<'_>,
    property: &str,
    assumptions: &[Vec<String>],
    circumstances: &Circumstances<'_>,
) -> Vec<Option<bool>> {
    let unknown = || vec![None; assumptions.len()];
    // Invariant: a name that is taken makes the source an error, and nothing is confirmed.
    let name = |number: usize| format!("advised_by_fairly_{number}");
    let mut text = "\n".to_owned();
    for (number, assumption) in assumptions.iter().enumerate() {
        let fair = declaration(assumption);
        let name = name(number);
        // Writing to a string does not fail.
        let _ = writeln!(text, "fairness {name}: {fair};\nproperty {name}: F true under {name};");
    }
    let Some(model) = reload(&text).model else { return vec![Some(false); assumptions.len()] };
    let find =
        |name: &str| model.checks.iter().find(|check| check.task.property.name == name).map(|c| &c.task);
    let Some(task) = find(property) else { return unknown() };
    let instance = Instance::new(Arc::clone(&model.system)).ok().map(Arc::new);
    let staff = Staff::new();
    let confirm = |fairness: &Fairness| {
        let task = Task { fairness: fairness.clone(), ..task.clone() };
        match Inquiry::new(&staff, task, instance.clone(), circumstances).ask(fairness) {
            Found::Holds => Some(true),
            Found::Fails(_) => Some(false),
            Found::Unknown(_) => None,
        }
    };
    (0..assumptions.len())
        .map(|number| find(&name(number)).and_then(|task| confirm(&task.fairness)))
        .collect()
}

/// Requirements as one fairness expression.
pub(super) fn declaration(requirements: &[String]) -> String {
    if requirements.is_empty() { "none".to_owned() } else { requirements.join(" & ") }
}
