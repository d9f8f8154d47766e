//! Writes advice as declarations, and checks it as text.
//!
//! A requirement about all processes of a family is written in its shortest form, `weak P.exit`.
//!
//! The declarations are appended to the source, each under its own name and with a property that uses it. The source
//! is read again, and the original property is checked under the fairness read from the text, by new engines.

use std::fmt::Write;
use std::rc::Rc;

use model::fairness::Assumption;
use model::{Binder, Expr, Fairness, Name, Requirement, System, Task, show};

use super::Reload;
use super::asker::{AskResult, Asker, Memo};
use super::general::General;
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

/// A requirement as a user would write it.
pub(super) fn requirement(system: &System, requirement: &Requirement) -> String {
    let short = || {
        let of = requirement.of.as_ref()?;
        let mut bound = requirement.binders.clone();
        let mut text = String::new();
        for (number, party) in of.participants.iter().enumerate() {
            let family = system.family(party.family);
            if let (Some(process), Some(own)) = (&party.process, &family.index) {
                // Every process of the family, by its own index.
                let every =
                    |binder: &Binder| **process == Expr::Index(binder.index) && binder.span == own.span;
                bound.remove(bound.iter().position(every)?);
            } else if party.process.is_some() {
                return None;
            }
            let plus = if number > 0 { "+" } else { "" };
            let label = party.label.as_ref().map(|label| format!(".{label}")).unwrap_or_default();
            // Writing to a string does not fail.
            let _ = write!(text, "{plus}{}{label}", family.name);
        }
        let is_all = |binder: &Binder| {
            let all = system.actions.iter().flat_map(|action| &action.parameters).any(|own| own == binder);
            let argument = Expr::Index(binder.index);
            all && of.arguments.iter().flatten().filter(|other| **other == argument).count() == 1
        };
        let rest = bound.len() == of.arguments.iter().flatten().count() && bound.iter().all(is_all);
        let named = !of.participants.is_empty();
        (rest && named).then(|| format!("{} {text}", requirement.word.name()))
    };
    short().unwrap_or_else(|| show::requirement(system, requirement))
}

/// A fairness as a user would write it.
pub(super) fn fairness(system: &System, fairness: &Fairness) -> String {
    let assumption = |assumption: &Assumption| {
        let mut parts: Vec<String> = Vec::new();
        for part in assumption.requirements.iter().map(|r| requirement(system, r)) {
            // Two actions with one label are written once.
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.extend(assumption.global.then(|| "global".to_owned()));
        declaration(&parts)
    };
    let alternatives: Vec<String> = fairness.alternatives.iter().map(assumption).collect();
    alternatives.join(" | ")
}

/// Requirements as one fairness expression.
pub(super) fn declaration(requirements: &[String]) -> String {
    if requirements.is_empty() { "none".to_owned() } else { requirements.join(" & ") }
}
