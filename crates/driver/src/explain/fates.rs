//! What becomes of each process on a loop, in sentences: who acts, who does not, and what it needs. Text and pages show
//! the same ones.

use std::fmt::Write;

use super::story::{listed, place};
use super::words::either;
use super::{Fate, PassedOver, Process, Waiting};

/// Conditions of more characters are not written out.
pub(super) const LONG: usize = 160;

/// At most this many groups of actions of a process that are passed over are shown.
const GROUPS: usize = 2;

/// At most this many actions of a process are named.
const NAMED: usize = 4;

/// The fate of a process on the loop, in a sentence.
pub fn fate(process: &Process, cycle: usize) -> String {
    let name = &process.name;
    let at =
        process.location.as_ref().map(|location| format!(", at {},", in_code(location))).unwrap_or_default();
    let steps = if cycle == 1 { "the one step".to_owned() } else { format!("the {cycle} steps") };
    match &process.fate {
        Fate::Acts(taken) => {
            let how_many = match (*taken, cycle) {
                (1, 1) => "the one step".to_owned(),
                (2, 2) => "both steps".to_owned(),
                (taken, cycle) if taken == cycle => format!("all {cycle} steps"),
                (taken, _) => format!("{taken} of {steps}"),
            };
            format!("{name} takes {how_many} of the loop.{}", passed_over(&process.passed_over, cycle))
        }
        Fate::Starves { enabled, waits } => {
            debug_assert_eq!(*enabled, process.could_act.len());
            // What other actions need is beside the point if one needs nothing.
            let ready = waits.iter().filter(|waiting| waiting.enabled == cycle);
            let ready: Vec<&str> = ready.map(|waiting| waiting.action.as_str()).collect();
            if !ready.is_empty() {
                let more = if ready.len() > NAMED { " or another one" } else { "" };
                let named = &ready[..ready.len().min(NAMED)];
                let named = if more.is_empty() { either(named) } else { named.join(", ") };
                return format!(
                    "{name}{at} starves: it could take {named}{more} all the time and never does."
                );
            }
            let often = often(&process.could_act, cycle);
            format!("{name}{at} starves: it could act {often} and never does.{}", needs(waits))
        }
        Fate::Rests(_) => format!("{name}{at} rests: it may stay where it is."),
        Fate::Outside { could, .. } if could.is_empty() => {
            format!("{name}, of the environment, rests: nothing is asked of it.")
        }
        Fate::Outside { could, waits } => format!(
            "{name}{at} could take only {}, and no fairness asks for that.{}",
            listed(could),
            needs(waits)
        ),
        Fate::Blocked(waits) => {
            let never = if cycle == 0 { "it can never act" } else { "it cannot act anywhere on the loop" };
            format!("{name}{at} is blocked: {never}.{}", needs(waits))
        }
        Fate::Ended => format!("{name}{at} has terminated."),
    }
}

/// Before which steps of a loop something could be done.
fn often(before: &[usize], cycle: usize) -> String {
    match before {
        all if all.len() == cycle => "all the time".to_owned(),
        [one] => format!("before step {one}"),
        [few @ .., last] if few.len() < 4 => {
            let few: Vec<String> = few.iter().map(ToString::to_string).collect();
            format!("before steps {} and {last}", few.join(", "))
        }
        many => format!("before {} of the {cycle} steps of the loop", many.len()),
    }
}

/// The actions of a process that acts which could be taken and never are.
fn passed_over(actions: &[PassedOver], cycle: usize) -> String {
    let mut groups: Vec<(&PassedOver, Vec<&str>)> = Vec::new();
    for one in actions {
        let is_alike = |(first, _): &&mut (&PassedOver, Vec<&str>)| {
            (&first.before, &first.ended_by) == (&one.before, &one.ended_by)
        };
        match groups.iter_mut().find(is_alike) {
            Some((_, names)) => names.push(&one.action),
            None => groups.push((one, vec![&one.action])),
        }
    }
    let sentence = |(PassedOver { before, ended_by, .. }, names): &(&PassedOver, Vec<&str>)| {
        let named = match names.len() {
            ..=NAMED => listed(names),
            many => format!("{} and {} more", names[..NAMED].join(", "), many - NAMED),
        };
        let is = if names.len() == 1 { "is" } else { "are" };
        let end = match &ended_by[..] {
            [] => String::new(),
            ends => format!("; {} ends that", either(ends)),
        };
        format!(" {named} could be taken {} and never {is}{end}.", often(before, cycle))
    };
    let mut text: String = groups.iter().take(GROUPS).map(sentence).collect();
    if let more @ 1.. = groups.iter().skip(GROUPS).map(|(_, names)| names.len()).sum() {
        // Writing to a string does not fail.
        let _ = write!(text, " So could {more} more of its actions.");
    }
    text
}

/// What the actions of a process need that does not act.
fn needs(waits: &[Waiting]) -> String {
    let is_long = |waiting: &Waiting| waiting.conditions.iter().map(String::len).sum::<usize>() > LONG;
    let need = |waiting: &Waiting| {
        let conditions: Vec<String> =
            waiting.conditions.iter().map(|condition| format!("`{condition}`")).collect();
        if conditions.is_empty() && !waiting.others {
            format!(" Nothing stands in the way of {}.", waiting.action)
        } else if is_long(waiting) || waiting.others {
            format!(" What {} needs is too long to be shown.", waiting.action)
        } else {
            let kept = match &waiting.in_turn[..] {
                [] => String::new(),
                [one] => format!(", which are never true at once: {one} keeps making one of them false"),
                several => {
                    format!(
                        ", which are never true at once: {} keep making one of them false",
                        listed(several)
                    )
                }
            };
            format!(" {} needs {}{kept}.", waiting.action, conditions.join(" and "))
        }
    };
    let mut text: String = waits.iter().take(NAMED).map(need).collect();
    if let more @ 1.. = waits.len().saturating_sub(NAMED) {
        let (more, need) = if more == 1 { ("One".to_owned(), "needs") } else { (more.to_string(), "need") };
        // Writing to a string does not fail.
        let _ = write!(text, " {more} more of its actions {need} something, too.");
    }
    text
}

/// What is said before the fates of processes of which none can act any more.
pub const STOPPED: &str = "Nobody can act any more.";

/// A location as it is quoted; a statement without a label is named by its line.
fn in_code(location: &str) -> String {
    let place = place(location);
    if place == location { format!("`{place}`") } else { place }
}
