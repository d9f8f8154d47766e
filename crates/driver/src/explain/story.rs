//! Describes states and steps in sentences.
//!
//! Processes at the same location are named together, which gives a good overview of a first state. Everything else
//! keeps the order of the model. Long values are cut.

use model::show::Value;

use crate::report::{Binding, Step, brief};

/// The state in which a run begins.
pub(crate) fn beginning(state: &[Binding]) -> String {
    let mut groups: Vec<(&Value, Vec<&str>)> = Vec::new();
    let mut values = Vec::new();
    let brief::State { bindings, left_out } = brief::state(state);
    for binding in &bindings {
        match binding.located() {
            None => values.push(brief::text(binding)),
            Some(process) => match groups.iter_mut().find(|(location, _)| *location == &binding.value) {
                Some((_, processes)) => processes.push(process),
                None => groups.push((&binding.value, vec![process])),
            },
        }
    }
    let located = groups.iter().map(|(location, processes)| {
        let one = processes.len() == 1 && !processes[0].contains("..");
        let are = if one { "is" } else { "are" };
        format!("{} {are} at {}", listed(processes), place(&location.to_string()))
    });
    let mut parts: Vec<String> =
        (!values.is_empty()).then(|| values.join(", ")).into_iter().chain(located).collect();
    parts.extend(left_out.then(|| "all else is false, 0 or empty".to_owned()));
    if parts.is_empty() {
        "A state has no variables.".to_owned()
    } else {
        format!("At first {}.", parts.join("; "))
    }
}

/// A step.
pub(crate) fn step(step: &Step) -> String {
    if step.processes.is_empty() {
        return "No action is enabled, and nothing happens any more.".to_owned();
    }
    // A model that says `stuttering` has a process of this name, and no other.
    if step.action == "stuttering.stay" && step.shown().next().is_none() {
        return "Nothing happens: the model says `stuttering`.".to_owned();
    }
    let who: Vec<&str> = step.processes.iter().map(String::as_str).collect();
    // `P[1].try` is written as "P[1] takes try"; an action of two processes keeps its name.
    let acts = match &step.label {
        Some(label) => format!("{} takes {}", listed(&who), place(label)),
        None => format!("{} take {} together", listed(&who), step.action),
    };
    let change = |binding: &Binding| match binding.located() {
        Some(process) if who == [process] => format!("goes to {}", place(&binding.value.to_string())),
        Some(process) => format!("{process} goes to {}", place(&binding.value.to_string())),
        None => brief::becomes(binding),
    };
    // The new location of the acting process comes first.
    let is_own = |binding: &&Binding| binding.located().is_some_and(|process| who == [process]);
    let (own, others): (Vec<&Binding>, Vec<&Binding>) = step.shown().partition(is_own);
    // A process has one location, so there is at most one such change.
    let own = own.first().map(|binding| format!(" and {}", change(binding))).unwrap_or_default();
    let others: Vec<String> = others.into_iter().map(change).collect();
    match (own.is_empty(), others.is_empty()) {
        (true, true) => format!("{acts}; nothing changes."),
        (false, true) => format!("{acts}{own}."),
        (_, false) => format!("{acts}{own}; {}.", others.join(", ")),
    }
}

/// A location or a label in a sentence: `line12`, the name of a statement without a label, is line 12, and `line12b` the
/// second such statement there.
pub(crate) fn place(name: &str) -> String {
    let letter =
        name.strip_prefix("line").map_or("", |rest| rest.trim_start_matches(|it: char| it.is_ascii_digit()));
    let line = name.strip_suffix(letter).filter(|_| letter.len() < 2).and_then(lang::line_of);
    line.map_or_else(|| name.to_owned(), |line| format!("line {line}{letter}"))
}

/// Names in a list: `a, b and c`.
pub fn listed<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Spot;

    fn value(name: &str, value: &str) -> Binding {
        Binding { spot: Spot::Variable(name.into()), value: Value::Member(value.to_owned()) }
    }

    fn location(process: &str, value: &str) -> Binding {
        Binding { spot: Spot::Location(process.into()), value: Value::Member(value.to_owned()) }
    }

    fn taken(process: &str, label: &str, changes: Vec<Binding>) -> Step {
        Step {
            action: format!("{process}.{label}"),
            label: Some(label.to_owned()),
            processes: vec![process.to_owned()],
            declared: vec![],
            changes,
            forgotten: vec![],
        }
    }

    #[test]
    fn processes_at_the_same_place_are_named_together() {
        let state = [
            value("x", "true"),
            location("P[1]", "rest"),
            location("P[2]", "rest"),
            location("Q", "end"),
            value("P[1].y", "0"),
        ];
        assert_eq!(
            beginning(&state),
            "At first x = true, P[1].y = 0; P[1] and P[2] are at rest; Q is at end."
        );
        assert_eq!(beginning(&[]), "A state has no variables.");
    }

    #[test]
    fn a_step_says_who_acts_where_it_goes_and_what_changes() {
        let go = taken("P[1]", "try", vec![value("x", "false"), location("P[1]", "crit")]);
        assert_eq!(step(&go), "P[1] takes try and goes to crit; x becomes false.");
        assert_eq!(step(&taken("P", "look", vec![])), "P takes look; nothing changes.");
        let unnamed = taken("P", "line7", vec![location("P", "line12")]);
        assert_eq!(step(&unnamed), "P takes line 7 and goes to line 12.");
        let second = taken("P", "line7b", vec![location("P", "liner")]);
        assert_eq!(step(&second), "P takes line 7b and goes to liner.");
        assert_eq!(step(&taken("P", "a(2)", vec![value("x", "1")])), "P takes a(2); x becomes 1.");
        let meet = Step {
            action: "P.put+Q.get".to_owned(),
            label: None,
            processes: vec!["P".to_owned(), "Q".to_owned()],
            declared: vec![],
            changes: vec![location("P", "a"), location("Q", "b")],
            forgotten: vec![],
        };
        assert_eq!(step(&meet), "P and Q take P.put+Q.get together; P goes to a, Q goes to b.");
        let idle = Step {
            action: "idle".to_owned(),
            label: None,
            processes: vec![],
            declared: vec![],
            changes: vec![],
            forgotten: vec![],
        };
        assert_eq!(step(&idle), "No action is enabled, and nothing happens any more.");
    }
}
