//! Shows how the cycle of a lasso meets each fairness requirement.
//!
//! Of a few requirements, those that differ only in indices and are met in the same way share a line, with the steps in
//! the same order. Many are grouped by how they are met, with the first and the last step at which they are: in a ring of
//! forty processes the user wants to know that thirty-nine are disabled, not when each of them is.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::mem::discriminant;

use driver::explain::listed;
use driver::model::fairness::Word;
use driver::report::{Entry, Met};

use crate::text::wrapped_at;

/// More requirements than this are grouped.
const FEW: usize = 12;

/// More requirements than this that are alike are not named one by one.
const LISTED: usize = 4;

/// Of more processes than this, those with requirements that are met alike share a line.
const PROCESSES: usize = 8;

/// The greatest width of the column of requirements. A longer one sticks out.
const REQUIREMENT: usize = 56;

/// The lines of a ledger, each with the indentation.
pub(crate) fn lines(ledger: &[Entry], indent: &str) -> String {
    let rows = rows(ledger);
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(REQUIREMENT);
    let mut text = String::new();
    for (name, how) in rows {
        let margin = indent.len() + width + 3;
        let how = wrapped_at(&how, margin, &" ".repeat(margin));
        // Writing to a string does not fail.
        let _ = if name.chars().count() > width {
            let name = wrapped_at(&name, indent.len(), &format!("{indent}  "));
            writeln!(text, "{indent}{name}\n{indent}{:width$}   {how}", "")
        } else {
            writeln!(text, "{indent}{name:width$}   {how}")
        };
    }
    text
}

/// Requirements and how they are met; many are grouped.
pub(crate) fn rows(ledger: &[Entry]) -> Vec<(String, String)> {
    if ledger.len() <= FEW {
        alike(ledger).iter().map(|group| (together(group), one_by_one(group))).collect()
    } else {
        groups(ledger).iter().map(|group| (names(group), one_by_one(group))).collect()
    }
}

/// The requirements that are drawn from the same declaration and met in the same way.
fn alike(ledger: &[Entry]) -> Vec<Vec<&Entry>> {
    let mut groups: Vec<Vec<&Entry>> = Vec::new();
    for entry in ledger {
        let is_together = |group: &&mut Vec<&Entry>| {
            let of_steps =
                group.iter().chain([&entry]).all(|own| own.target.is_some() && own.word == group[0].word);
            of_steps && group.iter().all(|own| own.met == entry.met)
        };
        let same = |group: &&mut Vec<&Entry>| {
            discriminant(&group[0].met) == discriminant(&entry.met) && group[0].declared == entry.declared
                || is_together(group)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(entry),
            None => groups.push(vec![entry]),
        }
    }
    groups
}

/// Requirements that are alike, on one line: `weak P[1], P[2], P[3]`.
fn together(group: &[&Entry]) -> String {
    let [first, others @ ..] = group else { return String::new() };
    let targets: Option<Vec<&str>> = group.iter().map(|entry| entry.target.as_deref()).collect();
    if let (Some(word), Some(targets)) = (first.word, targets) {
        let word = word.name();
        return match &targets[..] {
            [first, .., last] if targets.len() > LISTED => {
                format!("{word} {first} … {last} ({})", targets.len())
            }
            _ => format!("{word} {}", targets.join(", ")),
        };
    }
    match others.len() {
        0 => first.requirement.clone(),
        more => format!("{} and {more} more like it", first.requirement),
    }
}

/// How and when requirements that are alike are met, in their order.
fn one_by_one(group: &[&Entry]) -> String {
    let steps: Vec<usize> = group.iter().filter_map(|entry| step(entry.met)).collect();
    let differ = steps.iter().any(|step| *step != steps[0]);
    if !differ || group.len() > LISTED {
        return when(group);
    }
    let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
    met_at(group[0].met, &format!("{} respectively", listed(&steps)))
}

/// How several requirements are met, all in this way, at these steps.
fn met_at(met: Met, steps: &str) -> String {
    match met {
        Met::Taken(_) => format!("taken at steps {steps}"),
        Met::Disabled(_) => format!("disabled before steps {steps}"),
        _ => format!("true when steps {steps} are taken"),
    }
}

/// How each of several requirements is met, all in this way, at some step between these.
fn each_met(met: Met, first: usize, last: usize) -> String {
    let steps = format!("one of the steps {first} to {last}");
    match met {
        Met::Taken(_) => format!("each taken at {steps}"),
        Met::Disabled(_) => format!("each disabled before {steps}"),
        _ => format!("each true when {steps} is taken"),
    }
}

/// The step at which a requirement is met, if it is met at one.
fn step(met: Met) -> Option<usize> {
    match met {
        Met::Taken(step) | Met::Disabled(step) | Met::Occurs(step) => Some(step),
        Met::Untriggered | Met::Everything => None,
    }
}

/// The requirements that are met in the same way, in the order of first appearance; those of each process apart, unless
/// there are many processes.
fn groups(ledger: &[Entry]) -> Vec<Vec<&Entry>> {
    let processes: BTreeSet<&str> = ledger.iter().filter_map(|entry| entry.process.as_deref()).collect();
    let apart = processes.len() <= PROCESSES;
    let mut groups: Vec<Vec<&Entry>> = Vec::new();
    for entry in ledger {
        let alike = |group: &&mut Vec<&Entry>| {
            discriminant(&group[0].met) == discriminant(&entry.met)
                && (!apart || group[0].process == entry.process && group[0].word == entry.word)
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(entry),
            None => groups.push(vec![entry]),
        }
    }
    // The lines of a process stand together.
    if apart {
        let place = |group: &Vec<&Entry>| ledger.iter().position(|entry| entry.process == group[0].process);
        groups.sort_by_key(place);
    }
    groups
}

/// The requirements of a group: each if there are few; or else whose they are, or the first and the last, and how many there
/// are.
fn names(group: &[&Entry]) -> String {
    match group {
        [] => String::new(),
        [only] => only.requirement.clone(),
        few if few.len() <= LISTED
            && few.iter().all(|entry| entry.target.is_some() && entry.word == few[0].word) =>
        {
            together(few)
        }
        [first, .., last] => match (&first.process, first.word) {
            (Some(own), Some(word)) if group.iter().all(|entry| entry.process == first.process) => {
                format!("{}, for {} actions of {own}", word.name(), group.len())
            }
            _ => format!("{} … {} ({})", first.requirement, last.requirement, group.len()),
        },
    }
}

/// How and when the requirements of a group are met.
fn when(group: &[&Entry]) -> String {
    let steps = || group.iter().filter_map(|entry| step(entry.met));
    match (steps().min(), steps().max()) {
        (Some(first), Some(last)) if first < last => each_met(group[0].met, first, last),
        _ => group.first().map(|entry| in_words(entry)).unwrap_or_default(),
    }
}

/// How a requirement is met.
fn in_words(entry: &Entry) -> String {
    match entry.met {
        Met::Untriggered if entry.word == Some(Word::Strong) => "never enabled".to_owned(),
        Met::Taken(step) => format!("taken at step {step}"),
        Met::Disabled(step) => format!("disabled before step {step}"),
        Met::Occurs(step) => format!("true when step {step} is taken"),
        Met::Untriggered => "never triggered".to_owned(),
        Met::Everything => "every step that leaves a state of the loop is in it".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(number: usize) -> Vec<Entry> {
        let met = |k| if k < 4 { Met::Taken(k + 2) } else { Met::Disabled(4) };
        (1..=number)
            .map(|k| Entry {
                requirement: format!("weak P[{k}]"),
                word: Some(Word::Weak),
                target: Some(format!("P[{k}]")),
                process: Some(format!("P[{k}]")),
                declared: 0,
                met: met(k),
            })
            .collect()
    }

    #[test]
    fn a_requirement_is_shown_with_how_and_when_it_is_met() {
        assert_eq!(lines(&entries(1), "  "), "  weak P[1]   taken at step 3\n");
        assert_eq!(lines(&entries(2), "  "), "  weak P[1], P[2]   taken at steps 3 and 4 respectively\n");
    }

    #[test]
    fn requirements_that_differ_in_indices_share_a_line_if_they_are_met_alike() {
        let expected = "\
weak P[1], P[2], P[3]   taken at steps 3, 4 and 5 respectively
weak P[4], P[5], P[6]   disabled before step 4
";
        let mut all = entries(6);
        assert_eq!(lines(&all, ""), expected);
        all.extend(["compassion (x, P[1]@a)", "compassion (x, P[2]@a)"].map(|requirement| Entry {
            requirement: requirement.to_owned(),
            word: Some(Word::Compassion),
            target: None,
            process: None,
            declared: 1,
            met: Met::Untriggered,
        }));
        let text = lines(&all, "");
        assert!(text.contains("compassion (x, P[1]@a) and 1 more like it   never triggered"), "{text}");
    }

    #[test]
    fn requirements_of_several_declarations_share_a_line_if_all_are_met_in_the_same_way() {
        let mut all = entries(6);
        for (declared, entry) in all.iter_mut().enumerate() {
            (entry.declared, entry.met) = (declared, Met::Disabled(2));
        }
        assert_eq!(lines(&all, ""), "weak P[1] … P[6] (6)   disabled before step 2\n");
        all[5].met = Met::Disabled(3);
        let expected =
            "weak P[1] … P[5] (5)   disabled before step 2\nweak P[6]              disabled before step 3\n";
        assert_eq!(lines(&all, ""), expected);
    }

    #[test]
    fn a_long_requirement_has_a_line_of_its_own() {
        let mut all = entries(2);
        all[0].requirement =
            "compassion (taken(Participant.crash) || taken(Coordinator.crash), false)".to_owned();
        (all[0].target, all[0].word, all[0].declared) = (None, None, 1);
        let text = lines(&all, "");
        assert!(text.lines().all(|line| line.chars().count() < 90) && text.lines().count() == 3, "{text}");
    }

    #[test]
    fn many_requirements_are_grouped_by_how_they_are_met() {
        let expected = "\
weak P[1], P[2], P[3]         taken at steps 3, 4 and 5 respectively
weak P[4] … weak P[40] (37)   disabled before step 4
";
        assert_eq!(lines(&entries(40), ""), expected);
        let action = |process: usize, label: &str, met: Met| Entry {
            requirement: format!("weak P[{process}].{label}"),
            word: Some(Word::Weak),
            target: Some(format!("P[{process}].{label}")),
            process: Some(format!("P[{process}]")),
            declared: 0,
            met,
        };
        let mut of_two: Vec<Entry> =
            (0..10).map(|k| action(1, &format!("a{k}"), Met::Disabled(2 + k % 3))).collect();
        of_two.extend(["a", "b"].map(|label| action(1, label, Met::Taken(7))));
        of_two.extend(["a", "b"].map(|label| action(2, label, Met::Disabled(3))));
        let expected = "\
weak, for 10 actions of P[1]   each disabled before one of the steps 2 to 4
weak P[1].a, P[1].b            taken at step 7
weak P[2].a, P[2].b            disabled before step 3
";
        assert_eq!(lines(&of_two, ""), expected);
    }
}
