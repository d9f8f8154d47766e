//! Checks advice as the text that a user would paste.
//!
//! The declarations are appended to the source, each under its own name and with a property that uses it. The source
//! is read again, and the original property is checked under the fairness read from the text, by new engines.

use std::fmt::Write;
use std::rc::Rc;

use model::{Fairness, Name, Task};

use super::Reload;
use super::asker::{AskResult, Asker, Memo};
use super::every_n::General;
use crate::world::World;

/// Whether a property holds under each of these assumptions, read as they would be pasted. `None` if that is not
/// known.
pub(super) fn confirmed(
    reload: Reload<'_>,
    settings: &[(String, String)],
    general: Option<Rc<General>>,
    property: &Name,
    assumptions: &[Vec<String>],
    world: &World<'_>,
) -> Vec<Option<bool>> {
    let unknown = || vec![None; assumptions.len()];
    // Invariant: if the name already exists, the source has an error and nothing is confirmed.
    let name = |number: usize| format!("advised_by_fairly_{number}");
    let mut text = "\n".to_owned();
    for (number, assumption) in assumptions.iter().enumerate() {
        let fair = declaration(assumption);
        let name = name(number);
        // Writing to a string does not fail.
        let _ = writeln!(text, "fairness {name}: {fair};\nproperty {name}: F true under {name};");
    }
    let Some(model) = reload(&text, settings).model else { return vec![Some(false); assumptions.len()] };
    let find =
        |name: &Name| model.checks.iter().find(|check| check.task.property.name == *name).map(|c| &c.task);
    let Some(task) = find(property) else { return unknown() };
    let memo = Memo::new(&model.subject, world, || general);
    let confirm = |fairness: &Fairness| {
        let task = Task { fairness: fairness.clone(), ..task.clone() };
        match Asker::new(&memo, task, world).ask(fairness) {
            AskResult::Holds => Some(true),
            AskResult::Fails(_) => Some(false),
            AskResult::Unknown(_) => None,
        }
    };
    (0..assumptions.len())
        .map(|number| find(&name(number).as_str().into()).and_then(|task| confirm(&task.fairness)))
        .collect()
}

/// Requirements as one fairness expression.
pub(super) fn declaration(requirements: &[String]) -> String {
    if requirements.is_empty() { "none".to_owned() } else { requirements.join(" & ") }
}
